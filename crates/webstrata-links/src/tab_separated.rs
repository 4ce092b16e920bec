//! Reads tab-separated files and folders of them.

use std::fmt;
use std::fs;
use std::io::{self, BufRead, Read as _};
use std::path::{Path, PathBuf};

use webstrata_base::Error;

/// A wrong line that was skipped; or, as the last problem of a file, a count of further ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineProblem {
    /// Counted from 1; the last one of many.
    pub line: usize,
    /// How many lines these are: 1 but for the last problem of a file that has many.
    pub lines: usize,
    /// What is wrong with it.
    pub message: String,
}

impl fmt::Display for LineProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

/// The longest line in bytes.
const LONGEST: usize = 1 << 20;

/// How many problems of a file are reported one by one.
const TOLD: usize = 100;

/// What was read of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Read {
    /// All of it.
    Whole,
    /// Its beginning; the rest was skipped.
    TooLong,
}

/// Reads a line of up to so many bytes, not counting the line's end, into a buffer; `None` at the end of the file.
pub(crate) fn read_line(
    input: &mut dyn BufRead,
    buffer: &mut Vec<u8>,
    longest: usize,
) -> io::Result<Option<Read>> {
    buffer.clear();
    if (&mut *input).take(longest as u64 + 1).read_until(b'\n', buffer)? == 0 {
        return Ok(None);
    }
    if buffer.len() <= longest || buffer.ends_with(b"\n") {
        return Ok(Some(Read::Whole));
    }
    input.skip_until(b'\n')?;
    Ok(Some(Read::TooLong))
}

/// Calls `each` with every line that is neither empty nor a comment, and its number from 1. Collects the problems: the
/// first ones one by one, the rest as a count in the last one. Invalid UTF-8 is replaced.
pub fn for_each_line(
    mut lines: impl BufRead,
    mut each: impl FnMut(usize, &str) -> Result<(), String>,
) -> io::Result<Vec<LineProblem>> {
    let (mut line, mut number) = (Vec::new(), 0);
    let (mut problems, mut more) = (Vec::new(), 0_usize);
    while let Some(read) = read_line(&mut lines, &mut line, LONGEST)? {
        number += 1;
        let text = String::from_utf8_lossy(&line);
        let text = text.trim_end_matches(['\r', '\n']);
        if text.trim().is_empty() || text.starts_with('#') {
            continue;
        }
        let shown = match read {
            Read::Whole => each(number, text),
            Read::TooLong => Err("a line of more than 1 MiB".to_owned()),
        };
        match shown {
            Err(message) if problems.len() < TOLD => {
                problems.push(LineProblem { line: number, lines: 1, message });
            }
            Err(_) => more += 1,
            Ok(()) => {}
        }
    }
    if more > 0 {
        let message = format!("{more} more lines up to here");
        problems.push(LineProblem { line: number, lines: more, message });
    }
    Ok(problems)
}

/// The files below a folder by name, but for hidden ones.
pub fn files(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder).map_err(|error| Error::io(&folder, &error))?;
        for entry in entries {
            let entry = entry.map_err(|error| Error::io(&folder, &error))?;
            let kind = entry.file_type().map_err(|error| Error::io(&entry.path(), &error))?;
            // A link to a folder may lead back to where we are.
            if entry.file_name().as_encoded_bytes().starts_with(b".") {
            } else if kind.is_dir() {
                folders.push(entry.path());
            } else if entry.path().is_file() {
                files.push(entry.path());
            }
        }
    }
    files.sort_unstable();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_are_just_short_enough() {
        let mut input = &b"1234\n12345\n123456\n\n12345"[..];
        let (mut line, mut found) = (Vec::new(), Vec::new());
        while let Some(read) = read_line(&mut input, &mut line, 5).unwrap() {
            found.push((read, line.len()));
        }
        let whole = |length| (Read::Whole, length);
        assert_eq!(found, [whole(5), whole(6), (Read::TooLong, 6), whole(1), whole(5)]);
    }

    #[test]
    fn many_problems_are_counted() {
        let text = "wrong\n".repeat(TOLD + 7) + "right\n";
        let each = |_, line: &str| if line == "right" { Ok(()) } else { Err(line.to_owned()) };
        let problems = for_each_line(text.as_bytes(), each).unwrap();
        assert_eq!(problems.len(), TOLD + 1);
        assert_eq!(problems.iter().map(|problem| problem.lines).sum::<usize>(), TOLD + 7);
        assert_eq!(problems[TOLD].to_string(), "line 108: 7 more lines up to here");
        let problems = for_each_line(&vec![b'x'; 2 * LONGEST][..], |_, _| Ok(())).unwrap();
        assert_eq!(problems[0].to_string(), "line 1: a line of more than 1 MiB");
    }
}
