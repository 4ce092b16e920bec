//! Members of gzip (RFC 1952), any number of bytes at a time.

use flate2::{Crc, Decompress, FlushDecompress, Status};

use super::Step;

/// A member's first bytes: the magic number and the only method there is.
pub(crate) const MAGIC: &[u8] = b"\x1f\x8b\x08";

const NO_GZIP: &str = "no gzip member begins here";

/// Bits of the header's flags: which fields follow.
const HEADER_CRC: u8 = 2;
const EXTRA: u8 = 4;
const NAME: u8 = 8;
const COMMENT: u8 = 16;
const RESERVED: u8 = 0xe0;

/// Unpacks members, one after the other.
pub(crate) struct Gzip {
    inflate: Decompress,
    crc: Crc,
    state: State,
    flags: u8,
}

#[derive(Clone, Copy, Debug)]
enum State {
    /// The ten bytes that every header has: how many were seen.
    Fixed(usize),
    /// The length of the extra field: how many of its bytes were seen, and what they say.
    ExtraLength(usize, u16),
    /// Bytes that are passed over, and the flag of their field.
    Skip(u16, u8),
    /// Text up to a NUL, and the flag of its field.
    Text(u8),
    Body,
    /// Checksum and length: how many bytes were seen, and what they say.
    Trailer(usize, u64),
    Ended,
}

impl Gzip {
    pub(crate) fn new() -> Gzip {
        Gzip { inflate: Decompress::new(false), crc: Crc::new(), state: State::Fixed(0), flags: 0 }
    }

    /// Gets ready for another member.
    pub(crate) fn begin(&mut self) {
        self.inflate.reset(false);
        self.crc.reset();
        self.state = State::Fixed(0);
        self.flags = 0;
    }

    pub(crate) fn step(&mut self, input: &[u8], output: &mut [u8]) -> Result<Step, &'static str> {
        match self.state {
            State::Body => self.inflate(input, output),
            State::Ended => Ok(Step { ended: true, ..Step::default() }),
            _ => self.frame(input),
        }
    }

    fn inflate(&mut self, input: &[u8], output: &mut [u8]) -> Result<Step, &'static str> {
        let (read, written) = (self.inflate.total_in(), self.inflate.total_out());
        let status = self.inflate.decompress(input, output, FlushDecompress::None);
        let status = status.map_err(|_| "broken gzip data")?;
        let read = (self.inflate.total_in() - read) as usize;
        let written = (self.inflate.total_out() - written) as usize;
        self.crc.update(&output[..written]);
        if status == Status::StreamEnd {
            self.state = State::Trailer(0, 0);
        }
        Ok(Step { read, written, ended: false })
    }

    /// Header and trailer, byte by byte: they may come in pieces.
    fn frame(&mut self, input: &[u8]) -> Result<Step, &'static str> {
        for (index, byte) in input.iter().enumerate() {
            self.byte(*byte)?;
            let ended = matches!(self.state, State::Ended);
            if ended || matches!(self.state, State::Body) {
                return Ok(Step { read: index + 1, written: 0, ended });
            }
        }
        Ok(Step { read: input.len(), written: 0, ended: false })
    }

    fn byte(&mut self, byte: u8) -> Result<(), &'static str> {
        self.state = match self.state {
            State::Fixed(seen) => {
                if MAGIC.get(seen).is_some_and(|wanted| *wanted != byte) {
                    return Err(NO_GZIP);
                }
                if seen == 3 {
                    self.flags = byte;
                }
                if self.flags & RESERVED != 0 {
                    return Err(NO_GZIP);
                }
                if seen < 9 { State::Fixed(seen + 1) } else { self.field_after(0) }
            }
            State::ExtraLength(0, _) => State::ExtraLength(1, byte.into()),
            State::ExtraLength(_, low) => {
                let length = low | u16::from(byte) << 8;
                if length == 0 { self.field_after(EXTRA) } else { State::Skip(length, EXTRA) }
            }
            State::Skip(1, field) => self.field_after(field),
            State::Skip(left, field) => State::Skip(left - 1, field),
            State::Text(field) if byte == 0 => self.field_after(field),
            State::Trailer(seen, value) => {
                let value = value | u64::from(byte) << (8 * seen);
                if seen < 7 { State::Trailer(seen + 1, value) } else { self.check(value)? }
            }
            state @ (State::Text(_) | State::Body | State::Ended) => state,
        };
        Ok(())
    }

    /// The first field behind this one that the flags announce.
    fn field_after(&self, field: u8) -> State {
        let announced = |next: u8| self.flags & next != 0;
        let later = |order: u8| match field {
            0 => true,
            EXTRA => order > 0,
            NAME => order > 1,
            COMMENT => order > 2,
            _ => false,
        };
        if later(0) && announced(EXTRA) {
            State::ExtraLength(0, 0)
        } else if later(1) && announced(NAME) {
            State::Text(NAME)
        } else if later(2) && announced(COMMENT) {
            State::Text(COMMENT)
        } else if later(3) && announced(HEADER_CRC) {
            State::Skip(2, HEADER_CRC)
        } else {
            State::Body
        }
    }

    fn check(&self, trailer: u64) -> Result<State, &'static str> {
        let length = self.inflate.total_out() as u32;
        if trailer != u64::from(self.crc.sum()) | u64::from(length) << 32 {
            return Err("the gzip member's checksum is wrong");
        }
        Ok(State::Ended)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::{Compression, GzBuilder};
    use proptest::prelude::*;

    use super::*;

    /// Unpacks one member, so many bytes in and out at a time.
    fn unpack(member: &[u8], piece: usize, room: usize) -> Result<Vec<u8>, &'static str> {
        let mut gzip = Gzip::new();
        let (mut bytes, mut rest) = (Vec::new(), member);
        loop {
            let mut output = vec![0; room];
            let step = gzip.step(&rest[..rest.len().min(piece)], &mut output)?;
            bytes.extend_from_slice(&output[..step.written]);
            rest = &rest[step.read..];
            if step.ended {
                return Ok(bytes);
            }
            if step.read == 0 && step.written == 0 {
                return Err("cut off");
            }
        }
    }

    proptest! {
        #[test]
        fn any_header_in_any_pieces(
            bytes: Vec<u8>,
            extra in prop::option::of(prop::collection::vec(any::<u8>(), 0..300)),
            name in prop::option::of("[a-z]{0,20}"),
            comment in prop::option::of("[a-z]{0,20}"),
            piece in 1..40usize,
            room in 1..40usize,
        ) {
            let mut builder = GzBuilder::new().mtime(7);
            if let Some(extra) = extra { builder = builder.extra(extra); }
            if let Some(name) = name { builder = builder.filename(name); }
            if let Some(comment) = comment { builder = builder.comment(comment); }
            let mut encoder = builder.write(Vec::new(), Compression::default());
            encoder.write_all(&bytes).unwrap();
            let member = encoder.finish().unwrap();
            let whole = unpack(&member, piece, room);
            prop_assert_eq!(whole.as_ref(), Ok(&bytes));
            prop_assert!(unpack(&member[..member.len() - 1], piece, room).is_err());
            let mut wrong = member.clone();
            *wrong.last_mut().unwrap() ^= 1;
            prop_assert!(unpack(&wrong, piece, room).is_err());
        }
    }

    #[test]
    fn the_checksum_of_a_header_is_passed_over() {
        let mut encoder = GzBuilder::new().write(Vec::new(), Compression::default());
        encoder.write_all(b"tide").unwrap();
        let mut member = encoder.finish().unwrap();
        member[3] |= HEADER_CRC;
        member.splice(10..10, [1, 2]);
        assert_eq!(unpack(&member, 3, 3), Ok(b"tide".to_vec()));
    }
}
