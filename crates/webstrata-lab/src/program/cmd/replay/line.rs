//! The pages of a recorded stream.

use std::collections::HashMap;
use std::path::Path;

use serde::{Deserialize, Serialize};
use webstrata_archive::{JsonLines, Limits};
use webstrata_feeds::parse_date;
use webstrata_site::url_key::{Rules, Step, UrlKey};

use webstrata_terminal::report::Report;

/// Pages that are read side by side.
const CHUNK: usize = 64;

/// A page of a recorded stream. What is not there is empty.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Line {
    pub(crate) id: String,
    #[serde(alias = "url")]
    pub(crate) response_url: String,
    #[serde(alias = "title")]
    pub(crate) feed_title: String,
    #[serde(alias = "date")]
    published: Option<String>,
    pub(crate) html: String,
    pub(crate) gold_text: String,
    duplicate_of: Option<String>,
}

impl Line {
    /// The page that it repeats, or itself.
    fn original(&self) -> &str {
        self.duplicate_of.as_deref().unwrap_or(&self.id)
    }

    /// When it came, in seconds since 1970; 0 where nobody knows.
    pub(crate) fn time(&self) -> i64 {
        self.published.as_deref().and_then(parse_date).unwrap_or(0)
    }
}

/// What the steps of URL keys found (Figure 2).
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(crate) struct Found {
    /// Pages whose key was there before.
    pub(crate) repeated: usize,
    /// Of these, planted duplicates of the page that was there.
    pub(crate) right: usize,
    /// Of these, pages that are another one.
    pub(crate) wrong: usize,
}

/// All pages of files, in order, those that repeat others taken out.
pub(crate) struct Recorded {
    rules: Rules,
    /// For each step, the pages by their addresses.
    seen: [HashMap<String, String>; Step::ALL.len()],
    /// What each step found.
    pub(crate) found: [Found; Step::ALL.len()],
    /// Pages that say that they repeat another.
    pub(crate) planted: usize,
}

impl Recorded {
    pub(crate) fn new(rules: Rules) -> Recorded {
        Recorded { rules, seen: Default::default(), found: Default::default(), planted: 0 }
    }

    /// The key of a page; `None` where it has none, or a page before had it.
    fn key(&mut self, line: &Line) -> Option<UrlKey> {
        self.planted += usize::from(line.duplicate_of.is_some());
        let mut is_new = false;
        for (number, step) in Step::ALL.into_iter().enumerate() {
            let written = self.rules.after(step, &line.response_url, &line.feed_title)?;
            let found = &mut self.found[number];
            match self.seen[number].get(&written) {
                Some(before) => {
                    found.repeated += 1;
                    let is_right = before == line.original();
                    *if is_right { &mut found.right } else { &mut found.wrong } += 1;
                }
                None => {
                    self.seen[number].insert(written, line.original().to_owned());
                    is_new = step == Step::Ruled;
                }
            }
        }
        if !is_new {
            return None;
        }
        self.rules.key(&line.response_url, &line.feed_title)
    }

    /// Calls `each` with some new pages at a time, in order, each with its key.
    pub(crate) fn each(
        &mut self,
        file: &Path,
        report: &mut Report,
        mut each: impl FnMut(&[(UrlKey, Line)], &Report) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let mut lines = match JsonLines::open(file, Limits::default()) {
            Ok(lines) => lines,
            Err(problem) => {
                report.error(&problem.place(), &problem.message);
                return Ok(());
            }
        };
        let (mut chunk, mut at) = (Vec::with_capacity(CHUNK), 0);
        while let Some(line) = lines.parsed::<Line>() {
            report.advance_by(lines.position() - at);
            at = lines.position();
            let line = match line {
                Ok(line) => line,
                Err(problem) => {
                    report.error_in(file, &problem.place(), problem.message);
                    continue;
                }
            };
            if let Some(key) = self.key(&line) {
                chunk.push((key, line));
            }
            if chunk.len() == CHUNK {
                each(&chunk, report)?;
                chunk.clear();
            }
        }
        each(&chunk, report)
    }
}
