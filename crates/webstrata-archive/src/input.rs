//! The bytes of a file as they lie on the disk, with a look ahead and ways back.

use std::collections::VecDeque;
use std::io::{self, Read, Seek, SeekFrom};

/// How much is read at once.
pub(crate) const CHUNK: usize = 128 * 1024;

/// What can be read from: files, streams, and in tests bytes.
pub(crate) trait ReadSeek: Read + Seek + Send {}
impl<T: Read + Seek + Send> ReadSeek for T {}

/// What stands farther on in a file.
#[derive(Debug)]
pub(crate) enum Ahead {
    /// Nothing: the file ends before.
    BeyondEnd,
    Bytes(Vec<u8>),
}

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

    /// How long the file is by now; `None` of a stream.
    fn length(&mut self) -> io::Result<Option<u64>> {
        let Ok(length) = self.reader.seek(SeekFrom::End(0)) else { return Ok(None) };
        self.reader.seek(SeekFrom::Start(self.offset + (self.end - self.start) as u64))?;
        Ok(Some(length))
    }

    /// What stands at a place farther on, without reading what is between; at most 32 bytes. `None` if that is not
    /// possible, an empty text at the end of the file.
    pub(crate) fn look_ahead(&mut self, offset: u64) -> io::Result<Option<Ahead>> {
        let Some(length) = self.length()? else { return Ok(None) };
        if offset > length {
            return Ok(Some(Ahead::BeyondEnd));
        }
        self.reader.seek(SeekFrom::Start(offset))?;
        let mut bytes = Vec::with_capacity(32);
        (&mut self.reader).take(32).read_to_end(&mut bytes)?;
        self.reader.seek(SeekFrom::Start(self.offset + (self.end - self.start) as u64))?;
        Ok(Some(Ahead::Bytes(bytes)))
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

/// A stream that cannot go back by itself, with a way back of so many bytes: enough for the records that are
/// read whole. Farther back, damage costs more records than it touches.
const WAY_BACK: usize = 64 << 20;

/// Makes a stream that only goes forward, such as a server's answer, able to seek back a little.
pub struct Streamed<R> {
    stream: R,
    /// The last bytes that came.
    kept: VecDeque<u8>,
    most: usize,
    /// Where the next byte lies, and where the stream itself is.
    at: u64,
    end: u64,
}

impl<R: Read> Streamed<R> {
    /// Reads a stream.
    pub fn new(stream: R) -> Streamed<R> {
        Streamed { stream, kept: VecDeque::new(), most: WAY_BACK, at: 0, end: 0 }
    }

    /// The same where the first byte is not at place 0.
    pub(crate) fn counted_from(self, first: u64) -> Streamed<R> {
        Streamed { at: first, end: first, ..self }
    }

    fn first(&self) -> u64 {
        self.end - self.kept.len() as u64
    }
}

impl<R: Read> Read for Streamed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at < self.end {
            let from = (self.at - self.first()) as usize;
            let (front, back) = self.kept.as_slices();
            let rest = front.get(from..).filter(|rest| !rest.is_empty());
            let rest = rest.unwrap_or_else(|| &back[from - front.len()..]);
            let size = rest.len().min(buffer.len());
            buffer[..size].copy_from_slice(&rest[..size]);
            self.at += size as u64;
            return Ok(size);
        }
        let size = self.stream.read(buffer)?;
        self.kept.extend(&buffer[..size]);
        self.kept.drain(..self.kept.len().saturating_sub(self.most));
        self.end += size as u64;
        self.at = self.end;
        Ok(size)
    }
}

impl<R: Read> Seek for Streamed<R> {
    /// To where it was a while ago, or farther on, where all that is between is read.
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let SeekFrom::Start(offset) = to else { return Err(io::ErrorKind::Unsupported.into()) };
        if offset < self.first() {
            return Err(io::ErrorKind::Unsupported.into());
        }
        let mut between = vec![0; CHUNK.min(offset.saturating_sub(self.end) as usize)];
        while self.end < offset {
            let most = (offset - self.end).min(CHUNK as u64) as usize;
            self.at = self.end;
            if self.read(&mut between[..most])? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        self.at = offset;
        Ok(offset)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_stream_goes_back_as_far_as_it_says(
            size in 0..3000usize,
            most in 0..500usize,
            moves in prop::collection::vec((any::<bool>(), 0..700usize), 0..40),
        ) {
            let bytes: Vec<u8> = (0..size).map(|n| (n * 7 % 251) as u8).collect();
            let mut stream = Streamed { most, ..Streamed::new(bytes.as_slice()) };
            let (mut at, mut end) = (0, 0);
            for (reads, n) in moves {
                if reads {
                    let mut seen = vec![0; n];
                    let read = stream.read(&mut seen).unwrap();
                    prop_assert!(read > 0 || n == 0 || at == size);
                    prop_assert_eq!(&seen[..read], &bytes[at..at + read]);
                    at += read;
                    end = end.max(at);
                } else {
                    // Back, or farther on.
                    let to = if n % 3 == 0 { at + n } else { at.saturating_sub(n) };
                    let can = stream.seek(SeekFrom::Start(to as u64)).is_ok();
                    if to > end {
                        prop_assert_eq!(can, to <= size);
                        end = to.min(size);
                    } else {
                        prop_assert_eq!(can, end - to <= most.min(end));
                    }
                    at = if can { to } else if to > end { size } else { at };
                }
            }
        }

        #[test]
        fn any_way_through_a_file(
            size in 0..5000usize,
            moves in prop::collection::vec((0..4u8, 0..6000usize), 0..40),
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
                    2 => match input.look_ahead(n as u64).unwrap() {
                        Some(Ahead::Bytes(seen)) => {
                            let rest = &bytes[n..];
                            prop_assert_eq!(&seen, &rest[..rest.len().min(32)]);
                        }
                        Some(Ahead::BeyondEnd) => prop_assert!(n > size),
                        None => prop_assert!(false, "a file has an end"),
                    },
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
