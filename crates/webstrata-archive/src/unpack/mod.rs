//! Files as their unpacked bytes, member by member.
//!
//! Archives are compressed record by record, each record a member (gzip) or frame (zstd) of its own, so
//! that reading can begin at any of them: at the one that a cursor names, or at the next one behind
//! damage. Plain files are one member without a beginning of its own.

mod gzip;
mod zstd;

use std::io;

use memchr::memmem;

use crate::arrival::ProblemKind;
use crate::input::{Ahead, CHUNK, Input};

use self::gzip::Gzip;
use self::zstd::Zstd;

/// Unpacked bytes that are made at once.
const ROOM: usize = 64 * 1024;

/// Packed bytes within which a member behind damage must show how its content begins. Real ones need some
/// hundred; the bound keeps the search linear on files made of nothing but beginnings.
const PROBE: usize = 2048;

/// The same in zstd, of which nothing is unpacked before a whole block is there: the longest block, with
/// the longest head of a frame and of a block.
const ZSTD_PROBE: usize = 128 * 1024 + 18 + 3;

/// How often a file may be read once more, all in all, to find what damage has hidden.
const REREADS: u64 = 8;

pub(crate) const CUT_OFF: &str = "the file is cut off";

/// What kind of problem a message about broken bytes tells of.
pub(crate) fn damage_kind(message: &str) -> ProblemKind {
    if message == CUT_OFF { ProblemKind::CutOff } else { ProblemKind::Damaged }
}

/// What a decoder did with some bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Step {
    pub(crate) read: usize,
    pub(crate) written: usize,
    /// The member is complete, its checksum right.
    pub(crate) ended: bool,
}

/// Why unpacking cannot go on here.
#[derive(Debug)]
pub(crate) enum Damage {
    /// What is wrong with the bytes. There may be whole members behind them.
    Broken(&'static str),
    /// The file cannot be read.
    Unreadable(io::Error),
}

impl From<io::Error> for Damage {
    fn from(error: io::Error) -> Damage {
        Damage::Unreadable(error)
    }
}

/// How a file is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Packing {
    Plain,
    Gzip,
    Zstd,
}

impl Packing {
    /// By the first bytes; names lie. `None` where these are of no packing.
    pub(crate) fn of(start: &[u8]) -> Option<Packing> {
        if start.starts_with(gzip::MAGIC) {
            return Some(Packing::Gzip);
        }
        (start.starts_with(zstd::MAGIC) || zstd::is_skippable(start)).then_some(Packing::Zstd)
    }
}

enum Decoder {
    Plain,
    Gzip(Gzip),
    Zstd(Zstd),
}

impl Decoder {
    fn new(packing: Packing) -> io::Result<Decoder> {
        Ok(match packing {
            Packing::Plain => Decoder::Plain,
            Packing::Gzip => Decoder::Gzip(Gzip::new()),
            Packing::Zstd => Decoder::Zstd(Zstd::new()?),
        })
    }

    /// How members begin.
    fn magic(&self) -> &'static [u8] {
        match self {
            Decoder::Plain => b"",
            Decoder::Gzip(_) => gzip::MAGIC,
            Decoder::Zstd(_) => zstd::MAGIC,
        }
    }

    fn begin(&mut self) -> io::Result<()> {
        match self {
            Decoder::Plain => Ok(()),
            Decoder::Gzip(gzip) => {
                gzip.begin();
                Ok(())
            }
            Decoder::Zstd(zstd) => zstd.begin(),
        }
    }

    fn step(&mut self, input: &[u8], output: &mut [u8]) -> Result<Step, &'static str> {
        match self {
            Decoder::Plain => {
                let size = input.len().min(output.len());
                output[..size].copy_from_slice(&input[..size]);
                Ok(Step { read: size, written: size, ended: input.is_empty() })
            }
            Decoder::Gzip(gzip) => gzip.step(input, output),
            Decoder::Zstd(zstd) => zstd.step(input, output),
        }
    }
}

/// The unpacked bytes of a file.
pub(crate) struct Unpacked {
    input: Input,
    decoder: Decoder,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// Where the member begins in the file.
    member: u64,
    /// Bytes of the member that were consumed.
    within: u64,
    /// Is there more of the member to unpack?
    inside: bool,
    /// Packed bytes that searches behind damage have read once more.
    reread: u64,
}

impl Unpacked {
    pub(crate) fn new(mut input: Input, packing: Packing) -> Result<Unpacked, Damage> {
        let mut decoder = Decoder::new(packing)?;
        if let Decoder::Zstd(zstd) = &mut decoder {
            zstd.read_dictionary(&mut input)?;
        }
        let member = input.offset();
        Ok(Unpacked {
            input,
            decoder,
            buffer: vec![0; ROOM],
            start: 0,
            end: 0,
            member,
            within: 0,
            inside: false,
            reread: 0,
        })
    }

    /// Where the next byte lies: its member in the file, and the unpacked bytes before it there.
    pub(crate) fn position(&self) -> (u64, u64) {
        match self.decoder {
            Decoder::Plain => (self.member + self.within, 0),
            _ => (self.member, self.within),
        }
    }

    /// How many bytes of the file are read.
    pub(crate) fn read(&self) -> u64 {
        self.input.offset()
    }

    /// Is nothing before the next byte?
    pub(crate) fn is_at_beginning(&self) -> bool {
        self.member == 0 && self.within == 0
    }

    /// More bytes of the member; none at its end.
    pub(crate) fn fill(&mut self) -> Result<&[u8], Damage> {
        self.peek(1)
    }

    /// The bytes that come, at least `wanted` of them unless the member ends before.
    pub(crate) fn peek(&mut self, wanted: usize) -> Result<&[u8], Damage> {
        if self.end - self.start < wanted && self.inside {
            self.buffer.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
            while self.end < wanted.min(ROOM) && self.inside {
                self.unpack()?;
            }
        }
        Ok(&self.buffer[self.start..self.end])
    }

    fn unpack(&mut self) -> Result<(), Damage> {
        let input = self.input.peek(1)?;
        let is_end = input.is_empty();
        let step = self.decoder.step(input, &mut self.buffer[self.end..]);
        let step = step.map_err(Damage::Broken)?;
        self.input.consume(step.read);
        self.end += step.written;
        self.inside = !step.ended;
        if !step.ended && step.read == 0 && step.written == 0 {
            let message = if is_end { CUT_OFF } else { "broken data" };
            return Err(Damage::Broken(message));
        }
        Ok(())
    }

    /// See [`crate::Cursor::reread`].
    pub(crate) fn reread(&self) -> u64 {
        self.reread
    }

    pub(crate) fn set_reread(&mut self, reread: u64) {
        self.reread = reread;
    }

    /// Passes over bytes that were peeked at.
    pub(crate) fn consume(&mut self, bytes: usize) {
        let bytes = bytes.min(self.end - self.start);
        self.start += bytes;
        self.within += bytes as u64;
    }

    /// Passes over bytes of the member; returns how many there were.
    pub(crate) fn skip(&mut self, bytes: u64) -> Result<u64, Damage> {
        let mut left = bytes;
        while left > 0 {
            let here = self.fill()?.len();
            if here == 0 {
                break;
            }
            let size = left.min(here as u64);
            self.consume(size as usize);
            left -= size;
        }
        Ok(bytes - left)
    }

    /// Goes on to the next member that has something in it; `false` at the end of the file.
    pub(crate) fn next_member(&mut self) -> Result<bool, Damage> {
        loop {
            self.skip(u64::MAX)?;
            if self.input.peek(1)?.is_empty() {
                return Ok(false);
            }
            self.begin()?;
            if !self.fill()?.is_empty() {
                return Ok(true);
            }
        }
    }

    fn begin(&mut self) -> io::Result<()> {
        self.decoder.begin()?;
        self.member = self.input.offset();
        (self.start, self.end, self.within) = (0, 0, 0);
        self.inside = true;
        Ok(())
    }

    /// Goes on at a place in the file; the next byte is the first of the member there.
    pub(crate) fn seek(&mut self, offset: u64) -> Result<(), Damage> {
        self.input.seek(offset)?;
        (self.start, self.end, self.within) = (0, 0, 0);
        self.member = offset;
        self.inside = false;
        Ok(())
    }

    /// What stands so many bytes farther on, where that can be said without reading what is between: in plain files that
    /// are no streams. `None` also where it is near enough to be read.
    pub(crate) fn look_ahead(&mut self, bytes: u64) -> Result<Option<Ahead>, Damage> {
        if !matches!(self.decoder, Decoder::Plain) || bytes <= (self.end - self.start) as u64 {
            return Ok(None);
        }
        let place = (self.member + self.within).saturating_add(bytes);
        Ok(self.input.look_ahead(place)?)
    }

    /// How far it is from a place before: in packed bytes, or in unpacked ones within a member.
    pub(crate) fn distance(&self, (member, within): (u64, u64)) -> u64 {
        let is_over = !self.inside && self.start == self.end;
        let here = match self.decoder {
            Decoder::Plain => return (self.member + self.within).saturating_sub(member),
            _ if is_over => self.input.offset(),
            _ => self.member,
        };
        if here == member {
            self.within.saturating_sub(within)
        } else {
            here.saturating_sub(member)
        }
    }

    /// Goes back to a place in a plain file, unless too much of it was read twice already: time stays
    /// linear on files in which every record lies about its length.
    pub(crate) fn go_back(&mut self, offset: u64) -> Result<(), Damage> {
        if !matches!(self.decoder, Decoder::Plain) || self.position().0 == offset {
            return Ok(());
        }
        if !self.may_reread(offset) {
            return Ok(());
        }
        if self.went_back(offset)? {
            self.seek(offset)?;
            self.begin()?;
        }
        Ok(())
    }

    /// Goes back; `false` where a stream cannot go back so far, which then goes on where it is.
    fn went_back(&mut self, offset: u64) -> io::Result<bool> {
        match self.input.seek(offset) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::Unsupported => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn may_reread(&mut self, from: u64) -> bool {
        let again = self.input.offset().saturating_sub(from);
        let may = again <= self.rereads_left();
        if may {
            self.reread += again;
        }
        may
    }

    /// Bytes that may be read once more by now. Some are free, for damage where a file begins.
    fn rereads_left(&self) -> u64 {
        (REREADS * self.input.offset() + 2 * CHUNK as u64).saturating_sub(self.reread)
    }

    /// Searches the next member behind damage whose content begins as `accepts` says; `false` if there is
    /// none. The damaged member is searched, too: it may have lost its end and swallowed others.
    pub(crate) fn recover(&mut self, accepts: impl Fn(&[u8]) -> bool) -> io::Result<bool> {
        let from = self.member + 1;
        self.inside = false;
        (self.start, self.end) = (0, 0);
        if matches!(self.decoder, Decoder::Plain) {
            return Ok(false);
        }
        // A decoder may refuse the member's first byte already, and then nothing of it was consumed.
        if self.input.offset() < from || self.may_reread(from) {
            self.went_back(from)?;
        }
        let finder = memmem::Finder::new(self.decoder.magic());
        loop {
            let here = self.input.peek(PROBE)?;
            if here.len() < finder.needle().len() {
                let rest = here.len();
                self.input.consume(rest);
                return Ok(false);
            }
            let Some(at) = finder.find(here) else {
                let passed = here.len() - (finder.needle().len() - 1);
                self.input.consume(passed);
                continue;
            };
            self.input.consume(at);
            if self.begins_well(&accepts)? {
                self.begin()?;
                return Ok(true);
            }
            self.input.consume(1);
        }
    }

    /// Does a member begin here, and its content as it should?
    fn begins_well(&mut self, accepts: &impl Fn(&[u8]) -> bool) -> io::Result<bool> {
        let mut probe = self.probe(PROBE)?;
        // Few beginnings that are none get here, unless somebody made them: then the budget ends it.
        let is_long = probe.wants_more && matches!(self.decoder, Decoder::Zstd(_));
        if is_long && self.rereads_left() >= ZSTD_PROBE as u64 {
            probe = self.probe(ZSTD_PROBE)?;
            self.reread += probe.read as u64;
        }
        Ok(accepts(&probe.content[..probe.size]))
    }

    /// Unpacks how the content of the member begins that may begin here, from at most so many bytes.
    fn probe(&mut self, most: usize) -> io::Result<Probe> {
        self.decoder.begin()?;
        let packed = self.input.peek(most)?;
        let packed = &packed[..packed.len().min(most)];
        let mut probe = Probe::default();
        while probe.size < probe.content.len() {
            let output = &mut probe.content[probe.size..];
            let Ok(step) = self.decoder.step(&packed[probe.read..], output) else { break };
            probe.size += step.written;
            probe.read += step.read;
            if step.ended {
                break;
            }
            if step.read == 0 && step.written == 0 {
                probe.wants_more = probe.read == most;
                break;
            }
        }
        Ok(probe)
    }
}

/// How the content of a member begins.
#[derive(Default)]
struct Probe {
    content: [u8; 16],
    size: usize,
    /// Packed bytes that this took.
    read: usize,
    /// There was nothing wrong, but not enough of it.
    wants_more: bool,
}
