//! The report of a corpus: the thesis' Figures 4.3, 4.6, 4.13 to 4.19, 4.23 and 4.24 and its Tables 4.4
//! to 4.7, made of other pages.
//!
//! What cannot be fitted says why where its picture would stand; no corpus is too small for a report.

mod blocks;
mod densities;
mod fits;
mod full_stops;
mod segments;
mod templates;
mod terms;

use crate::Report;
use webstrata_base::thousands as number;

use super::Statistics;
use super::summary::share;

/// What a report says about where its pages came from.
#[derive(Clone, Debug, Default)]
pub struct Described {
    /// The files and folders, as they were named.
    pub inputs: Vec<String>,
    /// Pages that could not be read.
    pub problems: u64,
}

/// Draws what was counted.
pub fn report(statistics: &Statistics, described: &Described) -> Report {
    let report = Report::new("The strata of a corpus").about(
        "How the text of these pages spreads over densities, which of it is template and which is \
         not, beside what Kohlschütter's thesis (sections 4.2 to 4.4) found on its pages. A density \
         is the number of words on a line of 80 columns; segments are made by Block Fusion with \
         rules. The thesis measured blocks (4.4.4) on 621 pages of Google News, the set l3s-gn1, \
         Figure 4.12 and Table 4.2 on 111 pages of Webspam UK-2007 that were cut by hand, and all \
         else on 356,437 pages of Webspam UK-2007.",
    );
    let report = facts(report, statistics, described);
    let sections = [
        segments::section(statistics),
        densities::ranks(statistics),
        densities::section(statistics),
        densities::lengths(statistics),
        terms::section(statistics),
        full_stops::section(statistics),
        templates::section(statistics),
        blocks::section(statistics),
    ];
    sections.into_iter().fold(report, Report::section)
}

fn facts(report: Report, statistics: &Statistics, described: &Described) -> Report {
    let segments = statistics.strata.sizes.total();
    let blocks = statistics.blocks.words().total();
    let mut report = report
        .fact("webstrata", env!("CARGO_PKG_VERSION"))
        .fact("read from", described.inputs.join(", "))
        .fact("pages", number(statistics.pages()))
        .fact("pages with text", number(statistics.pages_with_text()))
        .fact("blocks", number(blocks))
        .fact("segments", number(segments))
        .fact("tokens", number(statistics.tokens()));
    if described.problems > 0 {
        report = report.fact("could not be read", number(described.problems));
    }
    if statistics.broken() > 0 {
        let broken = number(statistics.broken());
        report = report.fact("not counted because of an internal error", broken);
    }
    let known = &statistics.segments.known;
    report = report.fact("different segments", at_least(known.len() as u64, known.dropped()));
    if known.error() > 0 {
        let error = known.error();
        let why = format!("too low by at most {error}; rarer ones left the table");
        report = report.fact("counts of segments", why);
    }
    report = report.fact(
        "different terms",
        at_least(statistics.terms.len() as u64, statistics.terms.dropped()),
    );
    if statistics.terms.error() > 0 {
        let error = statistics.terms.error();
        let why = format!("too low by at most {error}; rarer ones left the table");
        report = report.fact("counts of terms", why);
    }
    report
}

fn at_least(kept: u64, dropped: u64) -> String {
    if dropped == 0 {
        return number(kept);
    }
    format!("between {} and {}", number(kept), number(kept + dropped))
}

/// `12.3 %`.
fn percent(part: u64, whole: u64) -> String {
    format!("{:.1} %", 100.0 * share(part, whole))
}

/// A text from a page, short enough for a table.
fn shortened(text: &str, most: usize) -> String {
    // Backticks would be taken for code.
    let plain = text.replace('`', "'");
    match plain.char_indices().nth(most) {
        None => plain,
        Some((end, _)) => format!("{} …", plain[..end].trim_end()),
    }
}
