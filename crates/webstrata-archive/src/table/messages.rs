//! The messages of Arrow files and streams, looked at before the library that reads them: it takes as much memory as their
//! lengths say, and what cannot be had ends the process.

use std::fs::File;
use std::io::{self, BufReader, Cursor, Read, Seek, SeekFrom};

use arrow_ipc::{CompressionType, Message, MessageHeader, RecordBatch, root_as_message};

/// Bytes that a batch may unpack to in any case, and how many for each that it has. Pages pack to a tenth or less.
pub(super) const MOST_UNPACKED: u64 = 256 << 20;
pub(super) const MOST_FOR_EACH: u64 = 64;

/// How a file begins. Nulls fill it up to the next multiple of eight or more bytes; then comes a stream.
const FILE: &[u8; 8] = b"ARROW1\0\0";
const MOST_NULLS: u64 = 256;

/// The bytes of a stream, message by message.
pub(super) struct Messages {
    file: BufReader<File>,
    /// Bytes of the file.
    length: u64,
    /// What is left of the head of the message.
    head: Cursor<Vec<u8>>,
    /// Bytes of its body that are left.
    body: u64,
}

impl Messages {
    pub(super) fn new(file: File) -> io::Result<Messages> {
        let length = file.metadata()?.len();
        let mut file = BufReader::new(file);
        let mut word = [0; FILE.len()];
        let mut at = 0;
        loop {
            let read = (&mut file).take(8).read(&mut word)?;
            let is_start = if at == 0 { word == *FILE } else { word == [0; 8] && at < MOST_NULLS };
            if read < word.len() || !is_start {
                break;
            }
            at += 8;
        }
        file.seek(SeekFrom::Start(at))?;
        Ok(Messages { file, length, head: Cursor::default(), body: 0 })
    }

    /// Reads the head of the next message, if there is one, and says what is wrong with it.
    fn begin(&mut self) -> io::Result<()> {
        let mut head = Vec::new();
        (&mut self.file).take(4).read_to_end(&mut head)?;
        if head == [0xff; 4] {
            (&mut self.file).take(4).read_to_end(&mut head)?;
        }
        let size = head.last_chunk().map_or(0, |size| i32::from_le_bytes(*size));
        // The end, or what the library has words for.
        if let Ok(size @ 1..) = u64::try_from(size) {
            let place = self.file.stream_position()?;
            let left = self.length.saturating_sub(place);
            if size > left {
                return Err(wrong("a message is longer than the file"));
            }
            let from = head.len();
            (&mut self.file).take(size).read_to_end(&mut head)?;
            let message =
                root_as_message(&head[from..]).map_err(|error| wrong(&error.to_string()))?;
            let body = u64::try_from(message.bodyLength()).ok().filter(|body| *body <= left - size);
            self.body = body.ok_or_else(|| wrong("a message is longer than the file"))?;
            let begin = place + size;
            self.check(&message, begin)?;
            self.file.seek(SeekFrom::Start(begin))?;
        }
        self.head = Cursor::new(head);
        Ok(())
    }

    /// Is what a message unpacks to in proportion to what it has?
    fn check(&mut self, message: &Message<'_>, begin: u64) -> io::Result<()> {
        let batch = match message.header_type() {
            MessageHeader::RecordBatch => message.header_as_record_batch(),
            MessageHeader::DictionaryBatch => {
                message.header_as_dictionary_batch().and_then(|dictionary| dictionary.data())
            }
            _ => None,
        };
        let Some(batch) = batch else { return Ok(()) };
        let most = MOST_UNPACKED.max(self.body.saturating_mul(MOST_FOR_EACH));
        if self.unpacked(&batch, begin, most)? > most {
            return Err(wrong("a batch would unpack to more than pages do"));
        }
        Ok(())
    }

    /// How many bytes the buffers of a batch unpack to; more than `most` is enough to know.
    fn unpacked(&mut self, batch: &RecordBatch<'_>, begin: u64, most: u64) -> io::Result<u64> {
        let Some(compression) = batch.compression() else { return Ok(0) };
        let mut all = 0u64;
        for buffer in batch.buffers().into_iter().flatten() {
            let (Ok(offset), Ok(length)) =
                (u64::try_from(buffer.offset()), u64::try_from(buffer.length()))
            else {
                return Err(wrong("a buffer lies nowhere"));
            };
            if offset.checked_add(length).is_none_or(|end| end > self.body) {
                return Err(wrong("a buffer lies outside of its message"));
            }
            if length < 8 {
                continue;
            }
            self.file.seek(SeekFrom::Start(begin + offset))?;
            let mut said = [0; 8];
            self.file.read_exact(&mut said)?;
            all = all.saturating_add(match u64::try_from(i64::from_le_bytes(said)) {
                // -1 says that the buffer is not packed.
                Err(_) => length,
                Ok(said) if said > 0 && compression.codec() == CompressionType::LZ4_FRAME => {
                    said.max(self.unpacked_lz4(length - 8, most)?)
                }
                Ok(said) => said,
            });
            if all > most {
                break;
            }
        }
        Ok(all)
    }

    /// How many bytes a frame of LZ4 may unpack to, by its blocks: what it says of that, the library does not keep to.
    fn unpacked_lz4(&mut self, length: u64, most: u64) -> io::Result<u64> {
        let frame = self.file.stream_position()?;
        let end = frame + length;
        let mut start = [0; 6];
        if length < 7 {
            return Err(wrong("a buffer is cut off"));
        }
        self.file.read_exact(&mut start)?;
        let [0x04, 0x22, 0x4d, 0x18, flags, block] = start else {
            return Err(wrong("a buffer is no frame of LZ4"));
        };
        let has = |bit: u8| u64::from(flags >> bit & 1);
        let largest = 1u64 << (8 + 2 * (block >> 4 & 7)).min(22);
        // The length of the content and the number of a dictionary, then a checksum.
        let mut at = frame + 6 + 8 * has(3) + 4 * has(0) + 1;
        let mut all = 0;
        while at + 4 <= end && all <= most {
            self.file.seek(SeekFrom::Start(at))?;
            let mut size = [0; 4];
            self.file.read_exact(&mut size)?;
            let size = u64::from(u32::from_le_bytes(size) & 0x7fff_ffff);
            if size == 0 {
                break;
            }
            // A byte stands for 255 at most.
            all += largest.min(255 * size);
            at += 4 + size + 4 * has(4);
        }
        Ok(all)
    }
}

impl Read for Messages {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.body == 0 && self.head.position() == self.head.get_ref().len() as u64 {
            self.begin()?;
        }
        let read = self.head.read(buffer)?;
        if read > 0 {
            return Ok(read);
        }
        let read = (&mut self.file).take(self.body).read(buffer)?;
        self.body -= read as u64;
        Ok(read)
    }
}

pub(super) fn wrong(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn a_frame_of_lz4_says_less_than_it_unpacks_to() {
        let mut file = tempfile::tempfile().unwrap();
        // Of version 1, its blocks up to 4 MiB; three are full, one is short.
        let mut frame = vec![0x04, 0x22, 0x4d, 0x18, 0x40, 0x70, 0];
        for size in [20_000u32, 20_000, 20_000, 10] {
            frame.extend_from_slice(&size.to_le_bytes());
            frame.resize(frame.len() + size as usize, 0);
        }
        frame.extend_from_slice(&[0; 4]);
        file.write_all(&frame).unwrap();
        let mut messages = Messages::new(file).unwrap();
        let length = frame.len() as u64;
        messages.file.seek(SeekFrom::Start(0)).unwrap();
        assert_eq!(messages.unpacked_lz4(length, u64::MAX).unwrap(), 3 * (4 << 20) + 2550);
        messages.file.seek(SeekFrom::Start(1)).unwrap();
        assert!(messages.unpacked_lz4(length - 1, u64::MAX).is_err());
    }
}
