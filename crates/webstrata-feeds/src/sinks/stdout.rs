//! Records to stdout.

use std::io::{self, Write};

use super::{Failed, Sink};
use crate::store::{KeptRecord, Position};

/// Lines of JSON on stdout. When the reader closes the pipe, delivery ends; the next run delivers the rest.
#[derive(Debug, Default)]
pub struct Stdout;

impl Sink for Stdout {
    fn name(&self) -> String {
        "stdout".into()
    }

    fn deliver(&mut self, position: &Position, records: &[KeptRecord]) -> Result<Position, Failed> {
        let write = || -> io::Result<()> {
            let mut out = io::stdout().lock();
            for kept in records {
                out.write_all(&kept.record)?;
                out.write_all(b"\n")?;
            }
            out.flush()
        };
        write().map_err(|error| Failed::new("stdout", error))?;
        let next = records.last().map_or(position.next, |kept| kept.sequence + 1);
        Ok(Position { next, ..position.clone() })
    }
}
