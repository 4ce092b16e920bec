//! The core's records with their links, a page a line: what `webstrata extract --with links` writes.

use std::borrow::Cow;
use std::path::Path;

use serde::Deserialize;
use webstrata_base::Error;

use super::Inputs;
use super::numbered_lines::{NumberedLine, NumberedLines};
use crate::build::{Added, NamedBuilder};

/// What we need of a record.
#[derive(Deserialize)]
struct Record<'a> {
    #[serde(borrow, default)]
    url: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    links: Option<Vec<Link<'a>>>,
}

#[derive(Deserialize)]
struct Link<'a> {
    #[serde(borrow)]
    url: Cow<'a, str>,
    in_content: bool,
    #[serde(borrow, default)]
    rel: Option<Cow<'a, str>>,
}

impl Link<'_> {
    fn is_nofollow(&self) -> bool {
        let rel = self.rel.as_deref().unwrap_or_default();
        rel.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case("nofollow"))
    }
}

impl Inputs<'_> {
    /// Reads records. A page without links is a page.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or the disk is full.
    pub fn records(&mut self, path: &Path, builder: &mut NamedBuilder) -> Result<(), Error> {
        let mut lines = NumberedLines::open(path, self.progress)?;
        while let Some((number, line)) = lines.next()? {
            let text = match line {
                NumberedLine::Text(text) if text.trim().is_empty() => continue,
                NumberedLine::Text(text) => text,
                NumberedLine::Wrong(why) => {
                    self.wrong(path, number, why)?;
                    continue;
                }
            };
            self.tally.lines += 1;
            match serde_json::from_str(text) {
                Ok(Record { url: Some(url), links: Some(links) }) => {
                    self.record(path, number, builder, (&url, &links))?;
                }
                Ok(Record { url: None, .. }) => {
                    let why = "a page without url; say where it came from when it is extracted: --url, archives, feeds";
                    self.wrong(path, number, why)?;
                }
                Ok(Record { links: None, .. }) => {
                    self.wrong(path, number, "a record without links; write them: --with links")?;
                }
                Err(error) => self.wrong(path, number, &format!("no record: {error}"))?,
            }
        }
        Ok(())
    }

    fn record(
        &mut self,
        path: &Path,
        number: u64,
        builder: &mut NamedBuilder,
        (url, links): (&str, &[Link<'_>]),
    ) -> Result<(), Error> {
        if let Added::Wrong(why) = builder.page(url)? {
            return self.wrong(path, number, &why);
        }
        for link in links {
            let added = builder.link(url, &link.url, !link.in_content, link.is_nofollow())?;
            self.count(added, path, number)?;
        }
        Ok(())
    }
}
