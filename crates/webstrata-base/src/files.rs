//! Files that are written whole or not at all, and names that survive a loss of power.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::Error;

/// Replaces a file in one step: at any moment there is the old file or the new one, even after a kill. When this returns,
/// no loss of power brings the old one back.
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
        fs::rename(&part, path)?;
        sync_folder(above(path))
    };
    write().map_err(|error| {
        let _ = fs::remove_file(&part);
        Error::io(path, &error)
    })
}

/// Makes a folder, with those above it that are missing, whose names survive a loss of power.
///
/// # Errors
///
/// Where one of them cannot be made.
pub fn make_folders(folder: &Path) -> io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    let above = above(folder);
    let made = match fs::create_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound && above != folder => {
            make_folders(above)?;
            fs::create_dir(folder)
        }
        made => made,
    };
    match made {
        // Another process was quicker.
        Err(_) if folder.is_dir() => Ok(()),
        made => made.and_then(|()| sync_folder(above)),
    }
}

/// Makes sure of the names in a folder: a file that was made, moved or removed may else be as it was before when the power
/// comes back, though what is in it was synced.
///
/// # Errors
///
/// Where the disk fails. Systems on which folders cannot be opened or synced write names at once.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(not(unix)) {
        return Ok(());
    }
    match File::open(folder)?.sync_all() {
        Err(error) if matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::Unsupported) => {
            Ok(())
        }
        synced => synced,
    }
}

/// The folder that a name is in.
fn above(path: &Path) -> &Path {
    match path.parent() {
        Some(above) if above.as_os_str().is_empty() => Path::new("."),
        Some(above) => above,
        None => path,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_made_with_those_above_them() {
        let folder = tempfile::tempdir().unwrap();
        let deep = folder.path().join("a/b/../c/d");
        make_folders(&folder.path().join("a/b")).unwrap();
        make_folders(&deep).unwrap();
        make_folders(&deep).unwrap();
        assert!(deep.is_dir());
        fs::write(folder.path().join("file"), "").unwrap();
        assert!(make_folders(&folder.path().join("file")).is_err());
        let below = make_folders(&folder.path().join("file/below/deep")).unwrap_err();
        assert_eq!(below.kind(), ErrorKind::NotADirectory);
        assert!(sync_folder(&folder.path().join("missing")).is_err());
        assert_eq!(above(Path::new("name")), Path::new("."));
        assert_eq!(above(Path::new("/")), Path::new("/"));
    }
}
