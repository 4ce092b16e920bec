//! Files that are written whole or not at all.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::Error;

/// Replaces a file in one step: at any moment there is the old file or the new one, even after a kill.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    // Of this process and this call: others may write the same file at the same time. A process that
    // is killed leaves one behind, which harms nobody.
    static CALLS: AtomicU64 = AtomicU64::new(0);
    let call = CALLS.fetch_add(1, Ordering::Relaxed);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let part = path.with_file_name(format!(".{name}.{}-{call}.part", process::id()));
    let write = || -> io::Result<()> {
        let mut file = File::create(&part)?;
        file.write_all(bytes)?;
        // Without this, a power cut could leave the new name on an empty file.
        file.sync_all()?;
        fs::rename(&part, path)
    };
    write().map_err(|error| {
        let _ = fs::remove_file(&part);
        Error::io(path, &error)
    })
}
