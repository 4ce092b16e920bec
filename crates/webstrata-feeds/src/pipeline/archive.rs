//! Pages as they came, in web archives that agree with the store.

use std::fs;
use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::fetch::Response;
use crate::store::{Pending, Position};
use webstrata_archive::warc_writer::{Position as Place, WarcWriterOptions, Writer};

/// The web archives that a stream writes: `stream-00000.warc.gz` and so on.
#[derive(Debug)]
pub struct Archive {
    name: String,
    writer: Writer,
}

impl Archive {
    /// Archives in a folder, which is made where it is missing.
    pub fn create(folder: &Path, settings: WarcWriterOptions) -> io::Result<Archive> {
        let writer = Writer::create(folder, "stream", settings)?;
        let folder = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
        Ok(Archive { name: format!("warc:{}", folder.display()), writer })
    }

    /// What it is called in the store.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Deletes what was written behind this position: the store knows nothing of it.
    pub(super) fn go_back(&mut self, to: &Position) -> io::Result<()> {
        let number = u32::try_from(to.next).map_err(io::Error::other)?;
        self.writer.go_back(Place { number, length: to.offset })
    }

    /// How far it is, as the store has it.
    pub(super) fn position(&self) -> Position {
        let Place { number, length } = self.writer.position();
        Position { next: number.into(), offset: length, ..Position::default() }
    }

    /// Keeps a page, all of it or nothing.
    pub(super) fn write(&mut self, page: &Response, item: &Pending, time: i64) -> io::Result<()> {
        let before = self.writer.position();
        let written = self.try_write(page, item, time);
        if written.is_err() {
            self.writer.go_back(before)?;
        }
        written
    }

    fn try_write(&mut self, page: &Response, item: &Pending, time: i64) -> io::Result<()> {
        let date = UNIX_EPOCH + Duration::from_secs(u64::try_from(time).unwrap_or_default());
        let response = self.writer.response(&page.exchange(date))?;
        self.about(&response, page, item, date)
    }

    /// Which feed led here, under which title and which address.
    fn about(
        &mut self,
        response: &webstrata_archive::warc_writer::Written,
        page: &Response,
        item: &Pending,
        date: SystemTime,
    ) -> io::Result<()> {
        let fields = [("via", &*item.feed), ("title", &item.title), ("request-uri", &item.url)];
        self.writer.metadata(response, &page.url, date, &fields).map(drop)
    }

    /// Brings everything to the disk.
    pub(super) fn sync(&mut self) -> io::Result<()> {
        self.writer.sync()
    }
}
