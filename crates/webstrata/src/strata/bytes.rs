//! Numbers in a model file, least byte first.

use crate::error::{Error, ErrorKind};

/// Log-odds beyond these are nothing that a trainer learns, and their sums might overflow.
const GREATEST_ODDS: f32 = 1e6;

/// A file that cannot be a whole model, and what to do about it.
pub(super) fn damaged(why: &str) -> Error {
    Error::new(format!("the model is damaged, {why}: copy or train it again"))
        .of_kind(ErrorKind::InvalidModel)
}

fn are_odds(number: f32) -> bool {
    number.abs() <= GREATEST_ODDS
}

#[derive(Default)]
pub(crate) struct Writer(Vec<u8>);

impl Writer {
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.0.extend(bytes);
    }

    pub(crate) fn u16(&mut self, number: u16) {
        self.bytes(&number.to_le_bytes());
    }

    pub(crate) fn u32(&mut self, number: u32) {
        self.bytes(&number.to_le_bytes());
    }

    pub(crate) fn f32(&mut self, number: f32) {
        self.bytes(&number.to_le_bytes());
    }

    pub(crate) fn finish(self) -> Vec<u8> {
        self.0
    }
}

pub(crate) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader(bytes)
    }

    pub(crate) fn take(&mut self, count: usize) -> Result<&'a [u8], Error> {
        let parts = self.0.split_at_checked(count);
        let (taken, rest) = parts.ok_or_else(|| damaged("it ends too early"))?;
        self.0 = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    pub(crate) fn u16(&mut self) -> Result<u16, Error> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    pub(crate) fn u32(&mut self) -> Result<u32, Error> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    pub(crate) fn f32(&mut self) -> Result<f32, Error> {
        Ok(f32::from_le_bytes(self.array()?))
    }

    /// A number that is added to log-odds.
    pub(crate) fn odds(&mut self) -> Result<f32, Error> {
        let odds = self.f32()?;
        if are_odds(odds) { Ok(odds) } else { Err(damaged("a number is out of range")) }
    }

    /// So many numbers, each with odds. All are checked at once: a program that starts waits for them.
    pub(crate) fn numbered_odds(
        &mut self,
        count: u32,
    ) -> Result<impl Iterator<Item = (u32, f32)> + use<'a>, Error> {
        let (pairs, _) = self.take((count as usize).saturating_mul(8))?.as_chunks::<8>();
        let read = |&[a, b, c, d, e, f, g, h]: &[u8; 8]| {
            (u32::from_le_bytes([a, b, c, d]), f32::from_le_bytes([e, f, g, h]))
        };
        let pairs = pairs.iter().map(read);
        if pairs.clone().all(|(_, odds)| are_odds(odds)) {
            Ok(pairs)
        } else {
            Err(damaged("a number is out of range"))
        }
    }

    /// Checks how the file begins: with the kind of model and the version of its format, 1.
    pub(crate) fn begins(&mut self, magic: &[u8]) -> Result<(), Error> {
        let found = self.take(magic.len())?;
        let version = magic.len() - b"1\n".len();
        if found == magic {
            return Ok(());
        }
        let kind = String::from_utf8_lossy(&magic[b"webstrata ".len()..version]);
        Err(if found[..version] == magic[..version] {
            let why = format!("the {kind}has a format that this version cannot read");
            Error::new(format!("{why}: train it again")).of_kind(ErrorKind::ModelVersion)
        } else {
            Error::new(format!("this is no {kind}of version 1")).of_kind(ErrorKind::InvalidModel)
        })
    }

    /// Checks that the file ends here.
    pub(crate) fn ends(&self) -> Result<(), Error> {
        if self.0.is_empty() { Ok(()) } else { Err(damaged("it goes on behind its end")) }
    }
}
