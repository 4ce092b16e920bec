//! An index as the output of a stream.

use std::path::Path;
use std::time::Duration;

use anyhow::bail;
use webstrata_archive::record::PageRecord;
use webstrata_feeds::sinks::{Failed, Sink};
use webstrata_feeds::store::{KeptRecord, Position};
use webstrata_search::{Index, IndexOptions, Writer, WriterOptions};

use super::index::entry;

/// Adds the records of a stream to an index. They are acknowledged by the commit that holds them; what
/// comes again after a kill replaces itself, so that each page is there once and none is lost.
pub(crate) struct IndexSink {
    name: String,
    index: Index,
    /// None after a failure: what a writer had not committed is lost with it and comes again.
    writer: Option<Writer>,
}

impl IndexSink {
    /// Opens or makes the index.
    pub(crate) fn open(folder: &Path) -> anyhow::Result<IndexSink> {
        let index = Index::open_or_create(folder, &IndexOptions::default())?;
        if !index.options().texts.is_empty() {
            bail!(
                "{}: an index made with --texts, which a stream does not have; name another one",
                folder.display()
            );
        }
        // By its own name: one that is made anew in the same place gets all records again.
        let name = format!("index {}", index.name());
        let writer = Some(index.writer(&WriterOptions::default())?);
        Ok(IndexSink { name, index, writer })
    }

    fn add(&mut self, records: &[KeptRecord]) -> Result<u64, webstrata_base::Error> {
        let mut writer = match self.writer.take() {
            Some(writer) => writer,
            None => self.index.writer(&WriterOptions::default())?,
        };
        let mut refused = 0;
        for kept in records {
            match PageRecord::from_line(&kept.record) {
                Ok(page) => {
                    writer.add(&entry(&page, &format!("{}#{}", self.name, kept.sequence)))?;
                }
                // Trying again would not make it a record.
                Err(_) => refused += 1,
            }
        }
        writer.commit()?;
        self.writer = Some(writer);
        Ok(refused)
    }
}

impl Sink for IndexSink {
    fn name(&self) -> String {
        self.name.clone()
    }

    /// A page that comes again replaces itself.
    fn wants_all(&self) -> bool {
        true
    }

    fn deliver(&mut self, position: &Position, records: &[KeptRecord]) -> Result<Position, Failed> {
        let refused = self.add(records).map_err(|error| Failed {
            message: error.to_string(),
            retry_after: Some(Duration::from_secs(10)),
        })?;
        let next = records.last().map_or(position.next, |kept| kept.sequence + 1);
        Ok(Position { next, refused: position.refused + refused, ..position.clone() })
    }
}
