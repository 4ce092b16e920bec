//! The bytes of a file as they lie on the disk, with a look ahead and ways back.

use std::io::{self, Read, Seek, SeekFrom};

/// How much is read at once.
pub(crate) const CHUNK: usize = 128 * 1024;

/// What can be read from: files, and in tests bytes.
pub(crate) trait ReadSeek: Read + Seek + Send {}
impl<T: Read + Seek + Send> ReadSeek for T {}

pub(crate) struct Input {
    reader: Box<dyn ReadSeek>,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// Where `start` lies in the file.
    offset: u64,
}

impl Input {
    pub(crate) fn new(reader: Box<dyn ReadSeek>) -> Input {
        Input { reader, buffer: vec![0; CHUNK], start: 0, end: 0, offset: 0 }
    }

    /// Where in the file we are.
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// The bytes that come, at least `wanted` of them unless the file ends before.
    pub(crate) fn peek(&mut self, wanted: usize) -> io::Result<&[u8]> {
        if self.end - self.start < wanted {
            self.buffer.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
            if self.buffer.len() < wanted {
                self.buffer.resize(wanted, 0);
            }
            while self.end < wanted {
                match self.reader.read(&mut self.buffer[self.end..]) {
                    Ok(0) => break,
                    Ok(read) => self.end += read,
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(&self.buffer[self.start..self.end])
    }

    /// Passes over bytes that were peeked at.
    pub(crate) fn consume(&mut self, bytes: usize) {
        let bytes = bytes.min(self.end - self.start);
        self.start += bytes;
        self.offset += bytes as u64;
    }

    /// Goes on at another place.
    pub(crate) fn seek(&mut self, offset: u64) -> io::Result<()> {
        let first = self.offset - self.start as u64;
        let last = first + self.end as u64;
        if (first..=last).contains(&offset) {
            self.start = (offset - first) as usize;
        } else {
            self.reader.seek(SeekFrom::Start(offset))?;
            (self.start, self.end) = (0, 0);
        }
        self.offset = offset;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_way_through_a_file(
            size in 0..5000usize,
            moves in prop::collection::vec((0..3u8, 0..6000usize), 0..40),
        ) {
            let bytes: Vec<u8> = (0..size).map(|n| (n * 7 % 251) as u8).collect();
            let mut input = Input::new(Box::new(io::Cursor::new(bytes.clone())));
            let mut at = 0usize;
            for (kind, n) in moves {
                match kind {
                    0 => {
                        let seen = input.peek(n).unwrap().to_vec();
                        let rest = bytes.get(at..).unwrap_or_default();
                        prop_assert!(rest.starts_with(&seen));
                        prop_assert!(seen.len() >= n.min(rest.len()));
                    }
                    1 => {
                        let seen = input.peek(0).unwrap().len();
                        input.consume(n);
                        at += n.min(seen);
                    }
                    _ => {
                        input.seek(n as u64).unwrap();
                        at = n;
                    }
                }
                prop_assert_eq!(input.offset(), at as u64);
            }
        }
    }
}
