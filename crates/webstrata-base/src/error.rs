//! Errors of everything that reads and writes files: one line for people, a kind for programs.

use std::fmt;
use std::io;
use std::path::Path;

/// Why something cannot go on: one line that names the file or the thing, and the remedy.
///
/// ```
/// use std::path::Path;
/// use webstrata_base::{Error, ErrorKind};
///
/// let missing = std::fs::read("no/such/file").unwrap_err();
/// let error = Error::io(Path::new("no/such/file"), &missing);
/// assert_eq!(error.kind(), ErrorKind::NotFound);
/// assert!(error.to_string().starts_with("no/such/file: "));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    line: Option<usize>,
    message: String,
}

/// What kind of thing went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A file or folder does not exist.
    NotFound,
    /// A file or folder may not be read or written.
    PermissionDenied,
    /// Reading or writing failed in another way.
    Io,
    /// A setting, an argument or the content of a file is wrong.
    Invalid,
}

impl Error {
    /// An error that does not belong to a file.
    pub fn new(message: impl fmt::Display) -> Error {
        let message = message.to_string().trim().replace('\n', ", ");
        Error { kind: ErrorKind::Invalid, line: None, message }
    }

    /// The content of a file or folder is wrong.
    pub fn at(path: &Path, message: impl fmt::Display) -> Error {
        Error::new(format!("{}: {message}", path.display()))
    }

    /// A line of a text is wrong; lines count from 1.
    pub fn at_line(line: usize, message: impl fmt::Display) -> Error {
        Error { line: Some(line), ..Error::new(message) }
    }

    /// A file or folder cannot be read or written.
    pub fn io(path: &Path, error: &io::Error) -> Error {
        let kind = match error.kind() {
            io::ErrorKind::NotFound => ErrorKind::NotFound,
            io::ErrorKind::PermissionDenied => ErrorKind::PermissionDenied,
            _ => ErrorKind::Io,
        };
        Error { kind, ..Error::at(path, error) }
    }

    /// What kind of thing went wrong.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The line that is wrong, counted from 1, where one line is to blame.
    pub fn line(&self) -> Option<usize> {
        self.line
    }

    /// What is wrong, without the line.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_one_line() {
        let error = Error::new("first\nsecond\n");
        assert_eq!(error.to_string(), "first, second");
        assert_eq!((error.kind(), error.line()), (ErrorKind::Invalid, None));
        let error = Error::at_line(7, "no number");
        assert_eq!(error.to_string(), "line 7: no number");
        assert_eq!((error.line(), error.message()), (Some(7), "no number"));
    }

    #[test]
    fn kinds_of_files() {
        let path = Path::new("a.tree");
        let kind = |kind: io::ErrorKind| Error::io(path, &kind.into()).kind();
        assert_eq!(kind(io::ErrorKind::NotFound), ErrorKind::NotFound);
        assert_eq!(kind(io::ErrorKind::PermissionDenied), ErrorKind::PermissionDenied);
        assert_eq!(kind(io::ErrorKind::StorageFull), ErrorKind::Io);
    }
}
