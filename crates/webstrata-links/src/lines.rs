//! Files of lines with tabs, as people and other programs write them.

use std::fmt;
use std::io::{self, BufRead};

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
