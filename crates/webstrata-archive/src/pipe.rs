//! What comes out of a pipe, told by its first bytes: a page, a web archive or JSON lines, packed or not.

use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use crate::arrival::{Limits, Problem};
use crate::input::{Input, Streamed};
use crate::source::{InputKind, Source, unpacked};
use crate::unpack::{Damage, Unpacked};
use crate::warc;

/// A stream whose kind is known, and nothing of it lost.
pub struct Pipe {
    unpacked: Unpacked,
    kind: InputKind,
    name: Arc<Path>,
}

impl Pipe {
    /// Looks at the first bytes of a stream; `name` stands for its path.
    ///
    /// # Errors
    ///
    /// Where it cannot be read, or is packed and broken at once.
    pub fn new(stream: impl Read + Send + 'static, name: &Path) -> Result<Pipe, Problem> {
        let input = Input::new(Box::new(Streamed::new(stream)));
        let mut unpacked = unpacked(input, name, None)?;
        let kind = match first(&mut unpacked) {
            Ok(start) if start.starts_with(warc::START) => InputKind::Archive,
            Ok(start) if is_line(start) => InputKind::Lines,
            // Broken ones say so when they are read.
            Ok(_) | Err(_) => InputKind::Page,
        };
        Ok(Pipe { unpacked, kind, name: name.into() })
    }

    /// What it holds.
    pub fn kind(&self) -> InputKind {
        self.kind
    }

    /// Its pages, if it holds many.
    pub fn pages(self, limits: Limits) -> Source {
        Source::of_unpacked(self.unpacked, self.kind, self.name, limits)
    }
}

/// The first bytes that are there; none at the end.
fn first(unpacked: &mut Unpacked) -> Result<&[u8], Damage> {
    // Empty members may come first.
    while unpacked.fill()?.is_empty() {
        if !unpacked.next_member()? {
            return Ok(&[]);
        }
    }
    unpacked.fill()
}

/// Does an object of JSON begin here, and not a script, a style sheet or RTF?
fn is_line(start: &[u8]) -> bool {
    let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start).trim_ascii_start();
    let inner = start.strip_prefix(b"{").map(<[u8]>::trim_ascii_start);
    inner.is_some_and(|inner| inner.starts_with(b"\""))
}

/// The unpacked bytes, member by member.
impl Read for Pipe {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let failed = |damage| match damage {
            Damage::Broken(message) => io::Error::new(io::ErrorKind::InvalidData, message),
            Damage::Unreadable(error) => error,
        };
        let bytes = first(&mut self.unpacked).map_err(failed)?;
        let size = bytes.len().min(buffer.len());
        buffer[..size].copy_from_slice(&bytes[..size]);
        self.unpacked.consume(size);
        Ok(size)
    }
}

/// Is this the beginning of something that a [`Pipe`] unpacks?
pub fn is_packed(start: &[u8]) -> bool {
    crate::unpack::Packing::of(start).is_some()
}
