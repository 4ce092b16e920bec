//! Why the store cannot be used: one line that names the file and the remedy.

use std::fmt;
use std::io;
use std::path::Path;

use crate::sinks::Failed;

/// The kinds of store errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreErrorKind {
    /// Another process has it open.
    Locked,
    /// Another version of the program wrote it.
    Format,
    /// The file is damaged or is no store.
    Damaged,
    /// The disk is full.
    Full,
    /// The disk failed, perhaps only for now.
    Disk,
    /// The output is not this store's.
    Output,
}

/// Why the store cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    kind: StoreErrorKind,
    message: String,
}

impl Error {
    pub(crate) fn new(kind: StoreErrorKind, path: &Path, message: impl fmt::Display) -> Error {
        let message = format!("{}: {message}", path.display()).replace('\n', ", ");
        Error { kind, message }
    }

    pub(crate) fn locked(path: &Path) -> Error {
        let remedy = "another process has this store open; stop it, or choose another --store";
        Error::new(StoreErrorKind::Locked, path, remedy)
    }

    pub(crate) fn damaged(path: &Path, what: impl fmt::Display) -> Error {
        let remedy = "put back a copy, or move the file away to begin anew";
        Error::new(
            StoreErrorKind::Damaged,
            path,
            format_args!("damaged or no store ({what}); {remedy}"),
        )
    }

    pub(crate) fn io(path: &Path, error: &io::Error) -> Error {
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                let remedy = "the disk is full; make room, nothing is lost meanwhile";
                Error::new(StoreErrorKind::Full, path, remedy)
            }
            // What a file that was cut short, or another kind of file, looks like from inside.
            io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidData => {
                Error::damaged(path, error)
            }
            _ => Error::new(StoreErrorKind::Disk, path, error),
        }
    }

    /// An output that does not want to begin.
    pub(crate) fn output(failed: Failed) -> Error {
        Error { kind: StoreErrorKind::Output, message: failed.message }
    }

    pub(crate) fn of(path: &Path, error: redb::Error) -> Error {
        match error {
            redb::Error::DatabaseAlreadyOpen => Error::locked(path),
            redb::Error::Io(error) => Error::io(path, &error),
            redb::Error::PreviousIo => Error::new(
                StoreErrorKind::Disk,
                path,
                "the disk failed before; open the store again",
            ),
            redb::Error::UpgradeRequired(version) => {
                let message = format_args!(
                    "file format {version} of an older release; move the file away to begin anew"
                );
                Error::new(StoreErrorKind::Format, path, message)
            }
            other => Error::damaged(path, other),
        }
    }

    /// The kind of the error.
    pub fn kind(&self) -> StoreErrorKind {
        self.kind
    }

    /// Can it succeed later without a change?
    pub fn is_temporary(&self) -> bool {
        matches!(self.kind, StoreErrorKind::Full | StoreErrorKind::Disk)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
