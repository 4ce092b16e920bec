//! An index as the output of a stream.

use std::path::Path;
use std::time::Duration;

use anyhow::Context;
use webstrata_search::{Index, IndexOptions, Writer, WriterOptions};
use webstrata_stream::sinks::{Failed, Sink};
use webstrata_stream::store::{Kept, Position};

use super::index::RecordLine;

/// Adds the records of a stream to an index. They are acknowledged by the commit that holds them; what
/// comes again after a kill replaces itself, so that each page is there once and none is lost.
pub(crate) struct IndexSink {
    name: String,
    writer: Writer,
}

impl IndexSink {
    /// Opens or makes the index.
    pub(crate) fn open(folder: &Path) -> anyhow::Result<IndexSink> {
        let index = Index::open_or_create(folder, &IndexOptions::default())?;
        let name = folder.canonicalize().with_context(|| folder.display().to_string())?;
        let writer = index.writer(&WriterOptions::default())?;
        Ok(IndexSink { name: format!("index {}", name.display()), writer })
    }

    fn add(&mut self, records: &[Kept]) -> Result<u64, webstrata_report::Error> {
        let mut refused = 0;
        for kept in records {
            match serde_json::from_slice::<RecordLine>(&kept.record) {
                Ok(line) => {
                    self.writer.add(&line.entry(&format!("{}#{}", self.name, kept.sequence)))?;
                }
                // Trying again would not make it a record.
                Err(_) => refused += 1,
            }
        }
        self.writer.commit()?;
        Ok(refused)
    }
}

impl Sink for IndexSink {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn deliver(&mut self, position: &Position, records: &[Kept]) -> Result<Position, Failed> {
        let refused = self.add(records).map_err(|error| Failed {
            message: error.to_string(),
            retry_after: Some(Duration::from_secs(10)),
        })?;
        let next = records.last().map_or(position.next, |kept| kept.sequence + 1);
        Ok(Position { next, refused: position.refused + refused, ..position.clone() })
    }
}
