//! What can go wrong in the laboratory: a file, mostly. One line that names it.

use std::fmt;
use std::path::Path;

/// Why an experiment cannot go on: one line that names the file or the thing, and the remedy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    message: String,
}

impl Error {
    /// Something is wrong that is not a file's matter.
    pub fn new(message: impl Into<String>) -> Error {
        Error { message: message.into().replace('\n', ", ") }
    }

    /// Something is wrong with a file or folder.
    pub fn at(path: &Path, message: impl fmt::Display) -> Error {
        Error::new(format!("{}: {message}", path.display()))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
