//! Numbers in a model file, least byte first.

use crate::error::Error;

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
        let (taken, rest) = parts.ok_or_else(|| Error::new("the file ends too early"))?;
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

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
