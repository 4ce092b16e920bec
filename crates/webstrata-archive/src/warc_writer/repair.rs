//! Where the last whole record of an archive of ours ends.

use std::fs::File;
use std::io;
use std::path::Path;

use memchr::memmem;

use crate::fields::Fields;
use crate::input::Input;
use crate::unpack::{CUT_OFF, Damage, Packing, Unpacked};

/// The longest head that is looked for.
const MAX_HEAD: usize = 64 * 1024;

/// The length that the archive has without what a writer that was stopped has left behind.
pub(super) fn whole_length(path: &Path) -> io::Result<u64> {
    let file = File::open(path)?;
    let length = file.metadata()?.len();
    let mut input = Input::new(Box::new(file));
    let packing = Packing::of(input.peek(8)?).unwrap_or(Packing::Plain);
    let mut unpacked = match Unpacked::new(input, packing) {
        Ok(unpacked) => unpacked,
        Err(Damage::Unreadable(error)) => return Err(error),
        Err(Damage::Broken(_)) => return Ok(0),
    };
    let mut start = 0;
    let walk = loop {
        let step = match packing {
            Packing::Plain => plain_record(&mut unpacked, &mut start),
            Packing::Gzip | Packing::Zstd => member(&mut unpacked),
        };
        match step {
            Ok(true) => {}
            other => break other,
        }
    };
    match walk {
        Ok(_) => Ok(length),
        Err(Damage::Unreadable(error)) => Err(error),
        Err(Damage::Broken(_)) if packing == Packing::Plain => Ok(start),
        Err(Damage::Broken(_)) => Ok(unpacked.position().0),
    }
}

/// Passes over a member, which holds a record; `false` at the end of the file.
fn member(unpacked: &mut Unpacked) -> Result<bool, Damage> {
    let is_there = unpacked.next_member()?;
    unpacked.skip(u64::MAX)?;
    Ok(is_there)
}

/// The same where there are no members. `start` is where the record begins.
fn plain_record(unpacked: &mut Unpacked, start: &mut u64) -> Result<bool, Damage> {
    const BROKEN: Damage = Damage::Broken(CUT_OFF);
    *start = unpacked.position().0;
    if unpacked.fill()?.is_empty() && !unpacked.next_member()? {
        return Ok(false);
    }
    let here = unpacked.peek(MAX_HEAD)?;
    let head = memmem::find(here, b"\r\n\r\n").map(|end| &here[..end + 4]).ok_or(BROKEN)?;
    let (fields, _) = Fields::parse(head);
    let length = fields.get("Content-Length").and_then(|length| length.parse::<u64>().ok());
    let length = length.ok_or(BROKEN)?;
    let head = head.len();
    unpacked.consume(head);
    if unpacked.skip(length)? < length || !unpacked.peek(4)?.starts_with(b"\r\n\r\n") {
        return Err(BROKEN);
    }
    unpacked.consume(4);
    Ok(true)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::SystemTime;

    use super::*;
    use crate::warc_writer::{Exchange, Packing, WarcWriterOptions, Writer};

    #[test]
    fn archives_cut_at_every_byte() {
        for packing in Packing::ALL {
            let folder = tempfile::tempdir().unwrap();
            let settings = WarcWriterOptions { packing, ..WarcWriterOptions::default() };
            let mut writer = Writer::create(folder.path(), "tides", settings).unwrap();
            let exchange = Exchange {
                response_head: b"HTTP/1.1 200 OK",
                body: b"<p>\r\n\r\nWARC/1.1\r\n\r\n",
                ..Exchange::new("https://example.org/", SystemTime::UNIX_EPOCH)
            };
            // The file's own record, and two more.
            let first = writer.response(&exchange).unwrap();
            let second = writer.response(&exchange).unwrap();
            let bytes = fs::read(&first.file).unwrap();
            let ends = [0, first.offset, second.offset, bytes.len() as u64];
            for cut in 0..=bytes.len() {
                fs::write(&first.file, &bytes[..cut]).unwrap();
                let expect = ends.iter().filter(|end| **end <= cut as u64).max();
                assert_eq!(whole_length(&first.file).ok().as_ref(), expect, "{packing:?} {cut}");
            }
        }
    }
}
