//! Lists of edges between numbers, without names and with them.

use std::collections::HashMap;
use std::path::Path;

use webstrata_base::Error;

use super::Inputs;
use super::numbered_lines::{NumberedLine, NumberedLines};
use crate::build::{Added, NamedBuilder, NumberedBuilder};

/// Pages by the numbers that a list gives them. Held in memory.
#[derive(Debug, Default)]
pub struct Pages(HashMap<u64, String>);

impl Inputs<'_> {
    /// Reads edges: two numbers a line with spaces or tabs between them; what comes behind is passed over. Lines
    /// that begin with `#` or `%` are comments. A number is the place of a page.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or the disk is full.
    pub fn edges(&mut self, path: &Path, builder: &mut NumberedBuilder) -> Result<(), Error> {
        self.each_edge(path, |from, to| builder.link(from, to, false))
    }

    /// The same, for lists whose numbers leave gaps: a number is the name of a page.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or the disk is full.
    pub fn edges_by_name(&mut self, path: &Path, builder: &mut NamedBuilder) -> Result<(), Error> {
        self.each_edge(path, |from, to| {
            builder.link(&from.to_string(), &to.to_string(), false, false)
        })
    }

    fn each_edge(
        &mut self,
        path: &Path,
        mut link: impl FnMut(u64, u64) -> Result<Added, Error>,
    ) -> Result<(), Error> {
        self.each_line(path, |inputs, number, text| match numbers(text) {
            Some((from, to)) => inputs.count(link(from, to)?, path, number),
            None => inputs.wrong(path, number, "no link; expected two numbers"),
        })
    }

    /// Reads pages and edges: a number and a name, or two numbers that have names already. Some lists have a
    /// letter before them (`n 7 http://…`, `e 7 8`), which is passed over.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or the disk is full.
    pub fn listed(
        &mut self,
        path: &Path,
        pages: &mut Pages,
        builder: &mut NamedBuilder,
    ) -> Result<(), Error> {
        self.each_line(path, |inputs, number, text| {
            let text = text.strip_prefix("n ").or(text.strip_prefix("e ")).unwrap_or(text);
            if let Some((from, to)) = numbers(text) {
                let named = |page: u64| pages.0.get(&page).ok_or(page);
                return match (named(from), named(to)) {
                    (Ok(from), Ok(to)) => {
                        let added = builder.link(from, to, false, false)?;
                        inputs.count(added, path, number)
                    }
                    (Err(page), _) | (_, Err(page)) => inputs.wrong(
                        path,
                        number,
                        &format!("page {page} has no name before this line"),
                    ),
                };
            }
            let Some((page, name)) = named(text) else {
                return inputs.wrong(path, number, "expected a number and a name, or two numbers");
            };
            match builder.page(name)? {
                Added::Wrong(why) => inputs.wrong(path, number, &why),
                _ => {
                    pages.0.insert(page, name.to_owned());
                    Ok(())
                }
            }
        })
    }

    fn each_line(
        &mut self,
        path: &Path,
        mut line: impl FnMut(&mut Self, u64, &str) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut lines = NumberedLines::open(path, self.progress)?;
        while let Some((number, read)) = lines.next()? {
            match read {
                NumberedLine::Text(text) => {
                    let text = text.trim();
                    if !text.is_empty() && !text.starts_with(['#', '%']) {
                        self.tally.lines += 1;
                        line(self, number, text)?;
                    }
                }
                NumberedLine::Wrong(why) => self.wrong(path, number, why)?,
            }
        }
        Ok(())
    }
}

fn numbers(text: &str) -> Option<(u64, u64)> {
    let mut words = text.split_ascii_whitespace();
    let from = words.next()?.parse().ok()?;
    Some((from, words.next()?.parse().ok()?))
}

/// A number and a name; behind tabs, more may come.
fn named(text: &str) -> Option<(u64, &str)> {
    let (number, rest) = text.split_once([' ', '\t'])?;
    let name = rest.split('\t').next().unwrap_or_default().trim();
    (!name.is_empty()).then_some((number.parse().ok()?, name))
}
