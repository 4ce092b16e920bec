//! Numbered lines of files, compressed or not.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use webstrata_base::{Error, Progress};

use crate::tab_separated::{self, read_line};

/// Bytes of a line that are held in memory.
const LONGEST: usize = 64 << 20;

/// A step of progress for each mebibyte.
const STEP: u64 = 1 << 20;

/// What a line is.
pub(super) enum NumberedLine<'a> {
    /// A text, without the line's end.
    Text(&'a str),
    /// Why it is none.
    Wrong(&'static str),
}

/// The lines of a file, numbered from 1.
pub(super) struct NumberedLines<'a> {
    path: PathBuf,
    input: Box<dyn BufRead + 'a>,
    buffer: Vec<u8>,
    number: u64,
}

impl<'a> NumberedLines<'a> {
    /// Opens a file, or the standard input under the name `-`.
    pub(super) fn open(
        path: &Path,
        progress: &'a dyn Progress,
    ) -> Result<NumberedLines<'a>, Error> {
        let input = unpacked(path, progress).map_err(|error| Error::io(path, &error))?;
        Ok(NumberedLines { path: path.to_owned(), input, buffer: Vec::new(), number: 0 })
    }

    /// The next line and its number.
    pub(super) fn next(&mut self) -> Result<Option<(u64, NumberedLine<'_>)>, Error> {
        let wrong = |error| Error::at(&self.path, error);
        let read = read_line(&mut self.input, &mut self.buffer, LONGEST).map_err(wrong)?;
        let Some(read) = read else { return Ok(None) };
        self.number += 1;
        if read == tab_separated::Read::TooLong {
            return Ok(Some((self.number, NumberedLine::Wrong("a line of more than 64 MiB"))));
        }
        let line = match str::from_utf8(&self.buffer) {
            Ok(text) => NumberedLine::Text(text.trim_end_matches(['\n', '\r'])),
            Err(_) => NumberedLine::Wrong("not UTF-8"),
        };
        Ok(Some((self.number, line)))
    }
}

fn unpacked<'a>(path: &Path, progress: &'a dyn Progress) -> io::Result<Box<dyn BufRead + 'a>> {
    let file: Box<dyn Read> = match path.to_str() {
        Some("-") => Box::new(io::stdin()),
        _ => Box::new(File::open(path)?),
    };
    let mut input = BufReader::with_capacity(1 << 18, Watched { file, read: 0, progress });
    let start = input.fill_buf()?;
    Ok(if start.starts_with(&[0x1f, 0x8b]) {
        Box::new(BufReader::with_capacity(1 << 18, flate2::bufread::MultiGzDecoder::new(input)))
    } else if start.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
        Box::new(BufReader::with_capacity(1 << 18, zstd::Decoder::with_buffer(input)?))
    } else {
        Box::new(input)
    })
}

/// Tells how far reading is.
struct Watched<'a> {
    file: Box<dyn Read>,
    read: u64,
    progress: &'a dyn Progress,
}

impl Read for Watched<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer)?;
        let before = self.read / STEP;
        self.read += read as u64;
        (before..self.read / STEP).for_each(|_| self.progress.step());
        Ok(read)
    }
}
