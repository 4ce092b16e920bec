//! Where records go: files, stdout, a web address.
//!
//! A [`Sink`] gets records in the order of their sequence numbers and says how far it is; that position is
//! committed in the store behind it. After kill -9 it gets again what lies behind the committed position.
//! [`Files`] cut back what they wrote too much and so have every record exactly once. What went to stdout
//! or to a web address cannot be taken back: there a record may come twice, with the same
//! `stream.sequence`, and never fewer times than once.

mod files;
mod stdout;
mod webhook;

use std::fmt;
use std::time::Duration;

pub use files::{Compression, FileSettings, Files};
pub use stdout::Stdout;
pub use webhook::Webhook;

use crate::store::{KeptRecord, Position};

/// Takes records.
pub trait Sink: Send {
    /// Its name in the store. The same destination must have the same name in every run.
    fn name(&self) -> String;

    /// Has so much been written here? Asked of the position of a destination that was moved.
    fn is_at(&self, _position: &Position) -> bool {
        false
    }

    /// Does a new sink get all records that the store still has? Otherwise it starts where the other outputs are,
    /// so that no record is written twice.
    fn wants_all(&self) -> bool {
        false
    }

    /// Prepares for a run. `known` is its position in the store; `None` if the store does not know this sink. Then
    /// existing data is not its own.
    fn begin(&mut self, known: Option<&Position>) -> Result<(), Failed> {
        let _ = known;
        Ok(())
    }

    /// Takes the records after `position` and returns the new position. When this returns, the records are safe.
    /// After an error it is called again with the same position and records.
    fn deliver(&mut self, position: &Position, records: &[KeptRecord]) -> Result<Position, Failed>;
}

/// Why records could not be delivered now. They are tried again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failed {
    /// One line that names the destination.
    pub message: String,
    /// How long the destination asked to wait (`Retry-After`).
    pub retry_after: Option<Duration>,
}

impl Failed {
    pub(crate) fn new(place: impl fmt::Display, message: impl fmt::Display) -> Failed {
        let message = format!("{place}: {message}").replace('\n', ", ");
        Failed { message, retry_after: None }
    }
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failed {}
