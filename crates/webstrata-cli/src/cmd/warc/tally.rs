//! What a run has counted.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use webstrata_archive::ProblemKind;

use webstrata_terminal::report::Report;

/// The version of the summary's shape.
const VERSION: u32 = 1;

/// The kind of pages that are something else, whatever their server said.
pub(super) const NO_PAGE: &str = "not-html";

/// The kind of pages that ended the program, and why they are not written.
pub(super) const KILLED: &str = "killed";
pub(super) const SET_ASIDE: &str = "the program ended twice while it read this page; set aside";

/// The summary: what came in, what went out, and what did not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Tally {
    version: u32,
    pub(super) archives: usize,
    /// Pages that were read.
    pub(super) pages: u64,
    /// Their bytes, all encodings undone.
    pub(super) page_bytes: u64,
    /// Pages that were written.
    pub(super) written: u64,
    /// Those of them that have a main text.
    pub(super) with_text: u64,
    /// Those of them that were cut by the archive or by a limit of ours.
    pub(super) cut: u64,
    /// Words in their main texts.
    pub(super) words: u64,
    pub(super) parts: u32,
    /// Pages that were not asked for, by the filter that left them out.
    pub(super) filtered: BTreeMap<String, u64>,
    /// What was broken or refused, by kind.
    pub(super) problems: BTreeMap<String, u64>,
    /// Bytes of archives that were passed over for these.
    #[serde(default)]
    pub(super) passed_over_bytes: u64,
}

impl Default for Tally {
    fn default() -> Tally {
        Tally {
            version: VERSION,
            archives: 0,
            pages: 0,
            page_bytes: 0,
            written: 0,
            with_text: 0,
            cut: 0,
            words: 0,
            parts: 0,
            filtered: BTreeMap::new(),
            problems: BTreeMap::new(),
            passed_over_bytes: 0,
        }
    }
}

impl Tally {
    pub(super) fn filtered(&mut self, filter: &str) {
        *self.filtered.entry(filter.to_owned()).or_default() += 1;
    }

    /// One more problem; returns how many of its kind there are.
    pub(super) fn problem(&mut self, kind: &str) -> u64 {
        let count = self.problems.entry(kind.to_owned()).or_default();
        *count += 1;
        *count
    }

    /// Broken records are what crawls have; an archive that cannot be read, or a mistake of ours, is trouble.
    pub(super) fn is_failure(kind: &str) -> bool {
        [ProblemKind::Unreadable, ProblemKind::Internal]
            .iter()
            .any(|trouble| trouble.name() == kind)
    }

    pub(super) fn has_failed(&self) -> bool {
        self.problems.keys().any(|kind| Tally::is_failure(kind))
    }

    pub(super) fn show(&self, report: &Report) {
        let Tally { pages, written, parts, words, .. } = self;
        report.note(format_args!(
            "pages read: {pages}, written: {written} ({words} words), parts: {parts}"
        ));
        let listed = |counts: &BTreeMap<String, u64>| {
            let each: Vec<String> =
                counts.iter().map(|(name, count)| format!("{name} {count}")).collect();
            each.join(", ")
        };
        if !self.filtered.is_empty() {
            report.note(format_args!("left out by filters: {}", listed(&self.filtered)));
        }
        if !self.problems.is_empty() {
            let bytes = self.passed_over_bytes;
            report.note(format_args!("passed over: {} ({bytes} bytes)", listed(&self.problems)));
        }
        if self.cut > 0 {
            report.note(format_args!("not whole: {} of the pages written", self.cut));
        }
    }
}
