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
    /// What it is called in the store: the same place has the same name in every run.
    fn name(&self) -> String;

    /// Does it want, when the store has never heard of it, all records that the store still has? Otherwise it
    /// goes on where other outputs are, so that nothing is put out twice.
    fn wants_all(&self) -> bool {
        false
    }

    /// Gets ready for a run. `known` is how far the store says that it is; `None` where the store has never
    /// heard of it, and whatever is there already is somebody else's.
    fn begin(&mut self, known: Option<&Position>) -> Result<(), Failed> {
        let _ = known;
        Ok(())
    }

    /// Takes records that come right behind `position` and says how far it is now. When this returns, they
    /// are safe there. After an error it is called again with the same position and records.
    fn deliver(&mut self, position: &Position, records: &[KeptRecord]) -> Result<Position, Failed>;
}

/// Why records could not be delivered now. They are tried again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failed {
    /// One line that names the place.
    pub message: String,
    /// How long the place asked to be left alone.
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
