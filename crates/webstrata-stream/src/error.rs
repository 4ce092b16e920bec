//! What can be wrong with settings and files of settings.

use std::fmt;

/// What is wrong with settings: one line that names the thing and the remedy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    line: Option<usize>,
    message: String,
}

impl Error {
    pub(crate) fn new(message: impl fmt::Display) -> Error {
        Error { line: None, message: message.to_string().trim().replace('\n', ", ") }
    }

    pub(crate) fn at(line: usize, message: impl fmt::Display) -> Error {
        Error { line: Some(line), ..Error::new(message) }
    }

    /// The line of the file that is wrong, counted from 1, where one line is to blame.
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
