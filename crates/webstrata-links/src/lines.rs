//! Files of lines with tabs, as people and other programs write them, and folders of such files.

use std::fmt;
use std::fs;
use std::io::{self, BufRead};
use std::path::{Path, PathBuf};

use webstrata_report::Error;

/// A line that is not as it should be, and was left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Counted from 1.
    pub line: usize,
    /// What is wrong with it.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

/// Shows the lines that are neither empty nor comments, with their numbers from 1, and gathers what is wrong with
/// them. What is no UTF-8 in them is replaced.
pub(crate) fn for_each_line(
    mut lines: impl BufRead,
    mut each: impl FnMut(usize, &str) -> Result<(), String>,
) -> io::Result<Vec<Problem>> {
    let (mut line, mut number) = (Vec::new(), 0);
    let mut problems = Vec::new();
    loop {
        line.clear();
        if lines.read_until(b'\n', &mut line)? == 0 {
            return Ok(problems);
        }
        number += 1;
        let text = String::from_utf8_lossy(&line);
        let text = text.trim_end_matches(['\r', '\n']);
        if text.trim().is_empty() || text.starts_with('#') {
            continue;
        }
        if let Err(message) = each(number, text) {
            problems.push(Problem { line: number, message });
        }
    }
}

/// The files below a folder by name, but for hidden ones.
pub fn files(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder).map_err(|error| Error::at(&folder, error))?;
        for entry in entries {
            let entry = entry.map_err(|error| Error::at(&folder, error))?;
            let kind = entry.file_type().map_err(|error| Error::at(&entry.path(), error))?;
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
