//! The heads of the pages of a Parquet column, looked at before the library that reads them: it takes as much memory as they
//! say. They are structs of Thrift's compact protocol.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};

use super::messages::{MOST_FOR_EACH, MOST_UNPACKED, wrong};

/// Bytes of the head of a page, and structs in it.
const MOST_HEAD: u64 = 1 << 20;
const DEEPEST: u32 = 8;

/// Looks at all pages of a column of a group of rows, which has so many bytes from `start` on.
pub(super) fn check(file: &File, start: u64, length: u64) -> io::Result<()> {
    let mut file = BufReader::with_capacity(512, file);
    let end = start.saturating_add(length);
    let mut at = start;
    while at < end {
        file.seek(SeekFrom::Start(at))?;
        let mut head = Head { input: (&mut file).take(MOST_HEAD), read: 0, sizes: [0; 2] };
        head.fields(0)?;
        let (read, [unpacked, packed]) = (head.read, head.sizes);
        if unpacked > MOST_UNPACKED.max(packed.saturating_mul(MOST_FOR_EACH)) {
            return Err(wrong("a part of it would unpack to more than pages do"));
        }
        at = at.saturating_add(read).saturating_add(packed);
    }
    Ok(())
}

struct Head<R> {
    input: R,
    read: u64,
    /// How many bytes the page has, unpacked and packed.
    sizes: [u64; 2],
}

impl<R: Read> Head<R> {
    fn byte(&mut self) -> io::Result<u8> {
        let mut byte = [0];
        self.input.read_exact(&mut byte)?;
        self.read += 1;
        Ok(byte[0])
    }

    fn number(&mut self) -> io::Result<u64> {
        let mut number = 0;
        for place in 0..10 {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f).checked_shl(7 * place).unwrap_or(0);
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(wrong("a number has no end"))
    }

    fn skip(&mut self, bytes: u64) -> io::Result<()> {
        let skipped = io::copy(&mut (&mut self.input).take(bytes), &mut io::sink())?;
        self.read += skipped;
        if skipped < bytes { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
    }

    /// Reads a struct; the sizes are fields 2 and 3 of the outermost.
    fn fields(&mut self, depth: u32) -> io::Result<()> {
        let mut field = 0;
        loop {
            let start = self.byte()?;
            if start == 0 {
                return Ok(());
            }
            field = match u64::from(start >> 4) {
                0 => unsigned(self.number()?),
                step => field + step,
            };
            match (depth, field, start & 15) {
                (0, 2 | 3, 5) => self.sizes[field as usize - 2] = unsigned(self.number()?),
                (_, _, kind) => self.value(kind, depth)?,
            }
        }
    }

    fn value(&mut self, kind: u8, depth: u32) -> io::Result<()> {
        match kind {
            1 | 2 => Ok(()),
            3 => self.skip(1),
            4..=6 => self.number().map(drop),
            7 => self.skip(8),
            8 => self.number().and_then(|length| self.skip(length)),
            12 if depth < DEEPEST => self.fields(depth + 1),
            // Lists and maps are in no head of a page.
            _ => Err(wrong("the head of a page cannot be read")),
        }
    }
}

/// A number as it is packed: those below 0 between the others. None of ours is below 0.
fn unsigned(number: u64) -> u64 {
    if number & 1 == 0 { number >> 1 } else { u64::MAX }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    /// The head of a page of data of these sizes, and the bytes behind it.
    fn page(unpacked: u64, packed: u64, is_there: bool) -> Vec<u8> {
        let mut page = vec![0x15, 0];
        for size in [unpacked, packed] {
            page.push(0x15);
            let mut number = size * 2;
            while number >= 0x80 {
                page.push(number as u8 | 0x80);
                number >>= 7;
            }
            page.push(number as u8);
        }
        // A struct with numbers, a text, a flag and an empty struct; a field by its number.
        page.extend([
            0x2c, 0x15, 2, 0x16, 1, 0x28, 3, b'a', b'b', b'c', 0x11, 0x1c, 0, 0, 0x05, 20, 7, 0,
        ]);
        page.resize(page.len() + if is_there { packed as usize } else { 0 }, 0xff);
        page
    }

    fn check(pages: &[Vec<u8>]) -> Result<(), String> {
        let mut file = tempfile::tempfile().unwrap();
        let all = pages.concat();
        file.write_all(&[b"PAR1", &*all].concat()).unwrap();
        super::check(&file, 4, all.len() as u64).map_err(|error| error.to_string())
    }

    #[test]
    fn what_pages_say() {
        check(&[]).unwrap();
        check(&[page(1000, 10, true), page(6_000_000, 100_000, true)]).unwrap();
        check(&[page(MOST_UNPACKED, 1, true), page(64 << 23, 8 << 20, true)]).unwrap();
        let many = "a part of it would unpack to more than pages do";
        for lie in [MOST_UNPACKED + 1, u64::from(u32::MAX) / 2] {
            assert_eq!(check(&[page(10, 10, true), page(lie, 10, true)]).unwrap_err(), many);
        }
        // What lies beyond is the library's to find; what is no head is damage.
        check(&[page(10, 1 << 20, false)]).unwrap();
        assert!(check(&[vec![0x15, 0, 0x19, 0x3c]]).is_err());
        assert!(check(&[vec![0x1c; 40]]).is_err());
        assert!(check(&[vec![0x15, 0xff]]).is_err());
    }
}
