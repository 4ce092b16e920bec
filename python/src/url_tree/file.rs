//! Files of saved trees.

use std::fs::{self, File};
use std::io::{Error, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Writes a file beside where it belongs and moves it there.
pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    static SAVED: AtomicU64 = AtomicU64::new(0);
    // A name of its own for each save, also of threads and of processes that share a file system.
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    let number = SAVED.fetch_add(1, Ordering::Relaxed);
    let beside = path.with_file_name(format!(".{}-{now:x}-{number}.tmp", std::process::id()));
    let written = File::create_new(&beside).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&beside, path)
    });
    // Whether it is there or not, there is nothing more to be done about it.
    written.inspect_err(|_| drop(fs::remove_file(&beside)))
}
