//! Frames of Zstandard (RFC 8878), with the dictionary that web archives may begin with.

use std::io;

use zstd::stream::raw::{Decoder, Operation};

use super::{CUT_OFF, Damage, Step};
use crate::input::Input;

/// A frame's first bytes.
pub(crate) const MAGIC: &[u8] = b"\x28\xb5\x2f\xfd";

/// The skippable frame that holds a dictionary, as the format of `.warc.zst` has it
/// (<https://iipc.github.io/warc-specifications/specifications/warc-zstd/>).
const DICTIONARY: &[u8] = b"\x5d\x2a\x4d\x18";

/// Dictionaries are some hundred kilobytes.
const MAX_DICTIONARY: usize = 16 << 20;

pub(crate) struct Zstd {
    // Windows are at most 2^27 bytes, which is the library's own bound.
    decoder: Decoder<'static>,
}

/// One of the sixteen magic numbers of frames that decoders pass over.
pub(crate) fn is_skippable(start: &[u8]) -> bool {
    matches!(start, [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..])
}

impl Zstd {
    pub(crate) fn new() -> io::Result<Zstd> {
        Ok(Zstd { decoder: Decoder::new()? })
    }

    /// Gets ready for another frame.
    pub(crate) fn begin(&mut self) -> io::Result<()> {
        self.decoder.reinit()
    }

    pub(crate) fn step(&mut self, input: &[u8], output: &mut [u8]) -> Result<Step, &'static str> {
        let status = self.decoder.run_on_buffers(input, output).map_err(|_| "broken zstd data")?;
        Ok(Step {
            read: status.bytes_read,
            written: status.bytes_written,
            ended: status.remaining == 0,
        })
    }

    /// Takes over the dictionary that the file begins with, if it does.
    pub(crate) fn read_dictionary(&mut self, input: &mut Input) -> Result<(), Damage> {
        const HEADER: usize = 8;
        let start = input.peek(HEADER)?;
        let Some(length) = start.get(4..HEADER).filter(|_| start.starts_with(DICTIONARY)) else {
            return Ok(());
        };
        let length = length.iter().rev().fold(0usize, |sum, byte| sum << 8 | usize::from(*byte));
        if length > MAX_DICTIONARY {
            return Err(Damage::Broken("its zstd dictionary is too long"));
        }
        let frame = input.peek(HEADER + length)?;
        let Some(content) = frame.get(HEADER..HEADER + length) else {
            return Err(Damage::Broken(CUT_OFF));
        };
        let broken = |_| Damage::Broken("its zstd dictionary is broken");
        let dictionary = if content.starts_with(MAGIC) {
            zstd::bulk::decompress(content, MAX_DICTIONARY).map_err(broken)?
        } else {
            content.to_vec()
        };
        self.decoder = Decoder::with_dictionary(&dictionary).map_err(broken)?;
        Ok(())
    }
}
