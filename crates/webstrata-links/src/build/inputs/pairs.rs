//! Pairs of names, a link a line: `from`, `to`, and what is known of the link, with tabs between them.

use std::path::Path;

use webstrata_base::Error;

use super::Inputs;
use super::numbered_lines::{NumberedLine, NumberedLines};
use crate::build::NamedBuilder;

impl Inputs<'_> {
    /// Reads pairs: `from`, `to`, then `content` (the default) or `boilerplate`, and `nofollow`. A line with one
    /// name is a page that was seen. Lines that begin with `#` are comments.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or the disk is full.
    pub fn pairs(&mut self, path: &Path, builder: &mut NamedBuilder) -> Result<(), Error> {
        let mut lines = NumberedLines::open(path, self.progress)?;
        while let Some((number, line)) = lines.next()? {
            let text = match line {
                NumberedLine::Text(text) if text.trim().is_empty() || text.starts_with('#') => {
                    continue;
                }
                NumberedLine::Text(text) => text,
                NumberedLine::Wrong(why) => {
                    self.wrong(path, number, why)?;
                    continue;
                }
            };
            self.tally.lines += 1;
            match parse(text) {
                Ok(Pair { from, to: None, .. }) => match builder.page(from)? {
                    super::Added::Taken => {}
                    wrong => self.count(wrong, path, number)?,
                },
                Ok(Pair { from, to: Some(to), boilerplate, nofollow }) => {
                    let added = builder.link(from, to, boilerplate, nofollow)?;
                    self.count(added, path, number)?;
                }
                Err(why) => self.wrong(path, number, &why)?,
            }
        }
        Ok(())
    }
}

#[derive(Debug, PartialEq, Eq)]
struct Pair<'a> {
    from: &'a str,
    to: Option<&'a str>,
    boilerplate: bool,
    nofollow: bool,
}

fn parse(line: &str) -> Result<Pair<'_>, String> {
    let mut fields = line.split('\t').map(str::trim);
    let from = fields.next().unwrap_or_default();
    let to = fields.next();
    if from.is_empty() || to == Some("") {
        return Err("a name is empty; expected from, tab, to".into());
    }
    let mut pair = Pair { from, to, boilerplate: false, nofollow: false };
    for field in fields {
        match field {
            "content" | "" => {}
            "boilerplate" => pair.boilerplate = true,
            "nofollow" => pair.nofollow = true,
            other => {
                let other: String = other.chars().take(40).collect();
                return Err(format!("`{other}` is not content, boilerplate or nofollow"));
            }
        }
    }
    Ok(pair)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_line_says() {
        let pair = |to, boilerplate, nofollow| Ok(Pair { from: "a", to, boilerplate, nofollow });
        for (line, expected) in [
            ("a\tb", pair(Some("b"), false, false)),
            ("a\tb\tcontent", pair(Some("b"), false, false)),
            ("a\tb\tboilerplate\tnofollow", pair(Some("b"), true, true)),
            ("a\tb\t\tnofollow", pair(Some("b"), false, true)),
            (" a \t b ", pair(Some("b"), false, false)),
            ("a", pair(None, false, false)),
        ] {
            assert_eq!(parse(line), expected, "{line}");
        }
        for line in ["\tb", "a\t", "a\tb\tmenu", ""] {
            assert!(parse(line).is_err(), "{line}");
        }
    }
}
