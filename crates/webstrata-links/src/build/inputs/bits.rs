//! Numbers as runs of bits, the highest bit first: the codes of WebGraph (Boldi and Vigna, 2004).

use std::io::{self, Read};

/// How a number is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Code {
    Unary,
    Gamma,
    Delta,
    /// With its parameter.
    Zeta(u32),
}

/// Reads bits.
pub(super) struct Bits<R> {
    input: R,
    /// The bits that come, from the highest on.
    bits: u64,
    count: u32,
}

impl<R: Read> Bits<R> {
    /// `input` should be buffered.
    pub(super) fn new(input: R) -> Bits<R> {
        Bits { input, bits: 0, count: 0 }
    }

    /// At least `wanted` bits, up to 56, or an error at the end of the file.
    fn fill(&mut self, wanted: u32) -> io::Result<()> {
        while self.count < wanted {
            let mut byte = [0];
            self.input.read_exact(&mut byte)?;
            self.bits |= u64::from(byte[0]) << (56 - self.count);
            self.count += 8;
        }
        Ok(())
    }

    /// A number of so many bits, up to 64.
    fn number(&mut self, width: u32) -> io::Result<u64> {
        if width > 32 {
            let high = self.number(width - 32)?;
            return Ok(high << 32 | self.number(32)?);
        }
        if width == 0 {
            return Ok(0);
        }
        self.fill(width)?;
        let number = self.bits >> (64 - width);
        self.bits <<= width;
        self.count -= width;
        Ok(number)
    }

    fn unary(&mut self) -> io::Result<u64> {
        let mut zeros = 0;
        loop {
            self.fill(1)?;
            let here = self.bits.leading_zeros().min(self.count);
            zeros += u64::from(here);
            if here < self.count {
                self.bits = self.bits << here << 1;
                self.count -= here + 1;
                return Ok(zeros);
            }
            (self.bits, self.count) = (0, 0);
        }
    }

    /// So many bits, or an error where no number has as many.
    fn width(&mut self, width: u64) -> io::Result<u32> {
        u32::try_from(width).ok().filter(|width| *width < 63).ok_or_else(damaged)
    }

    /// The next number.
    pub(super) fn read(&mut self, code: Code) -> io::Result<u64> {
        match code {
            Code::Unary => self.unary(),
            Code::Gamma => {
                let width = self.unary()?;
                let width = self.width(width)?;
                Ok((1 << width | self.number(width)?) - 1)
            }
            Code::Delta => {
                let width = self.read(Code::Gamma)?;
                let width = self.width(width)?;
                Ok((1 << width | self.number(width)?) - 1)
            }
            Code::Zeta(k) => {
                let step = self.unary()?.checked_mul(u64::from(k)).ok_or_else(damaged)?;
                let width = self.width(step.saturating_add(u64::from(k)))?;
                let low = 1u64 << (width - k);
                let number = self.number(width - 1)?;
                if number < low {
                    return Ok(number + low - 1);
                }
                Ok((number << 1 | self.number(1)?) - 1)
            }
        }
    }
}

/// What a file says that holds something else.
pub(super) fn damaged() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "damaged")
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Writes bits, in the plainest way.
    #[derive(Default)]
    pub(in super::super) struct Written(pub(in super::super) Vec<bool>);

    impl Written {
        fn number(&mut self, number: u64, width: u32) {
            (0..width).rev().for_each(|bit| self.0.push(number >> bit & 1 == 1));
        }

        pub(in super::super) fn write(&mut self, code: Code, number: u64) {
            match code {
                Code::Unary => {
                    (0..number).for_each(|_| self.0.push(false));
                    self.0.push(true);
                }
                Code::Gamma => {
                    let width = (number + 1).ilog2();
                    self.write(Code::Unary, u64::from(width));
                    self.number(number + 1, width);
                }
                Code::Delta => {
                    let width = (number + 1).ilog2();
                    self.write(Code::Gamma, u64::from(width));
                    self.number(number + 1, width);
                }
                Code::Zeta(k) => {
                    let step = (number + 1).ilog2() / k;
                    self.write(Code::Unary, u64::from(step));
                    // A minimal binary code for the place in an interval of 2^((h+1)k) - 2^(hk) numbers.
                    let low = 1u64 << (step * k);
                    let place = number + 1 - low;
                    let width = (step + 1) * k;
                    if place < low {
                        self.number(place, width - 1);
                    } else {
                        self.number(place + low, width);
                    }
                }
            }
        }

        pub(in super::super) fn bytes(&self) -> Vec<u8> {
            let byte = |bits: &[bool]| {
                bits.iter()
                    .enumerate()
                    .fold(0, |byte, (place, bit)| byte | u8::from(*bit) << (7 - place))
            };
            self.0.chunks(8).map(byte).collect()
        }
    }

    proptest::proptest! {
        #[test]
        fn what_was_written_is_read(
            numbers in proptest::collection::vec((0usize..4, 0u64..1 << 40), 0..50),
            k in 1u32..8,
        ) {
            let codes = [Code::Unary, Code::Gamma, Code::Delta, Code::Zeta(k)];
            let number = |code: usize, number: u64| if code == 0 { number % 200 } else { number };
            let mut written = Written::default();
            numbers.iter().for_each(|(code, n)| written.write(codes[*code], number(*code, *n)));
            let bytes = written.bytes();
            let mut bits = Bits::new(&bytes[..]);
            for (code, n) in &numbers {
                proptest::prop_assert_eq!(bits.read(codes[*code]).unwrap(), number(*code, *n));
            }
        }

        #[test]
        fn any_bytes_end(bytes in proptest::collection::vec(0u8.., 0..40), code in 0usize..4) {
            let code = [Code::Unary, Code::Gamma, Code::Delta, Code::Zeta(3)][code];
            let mut bits = Bits::new(&bytes[..]);
            while bits.read(code).is_ok() {}
        }
    }
}
