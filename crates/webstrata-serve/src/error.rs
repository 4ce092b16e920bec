//! Why the server could not start.

use std::fmt;

/// Why the server could not start or go on: one line that names the thing and the remedy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    message: String,
}

impl Error {
    pub(crate) fn new(message: impl fmt::Display) -> Error {
        Error { message: message.to_string().replace(['\n', '\r'], ", ") }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Error {
        Error::new(error)
    }
}
