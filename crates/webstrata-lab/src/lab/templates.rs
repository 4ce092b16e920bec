//! Template removal (thesis, 4.3.4): what it removes, and what it costs.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use webstrata::Options;
use webstrata_corpus::segmentation::TemplateRemoval;

use super::Setup;
use crate::report::{Align, Section, Table};
use crate::scores::Gold;
use crate::sets::{Entry, Set};
use webstrata_base::error::Error;

/// What was measured on a set, or on one of its pages.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Removed {
    pages: f64,
    tokens: f64,
    removed: f64,
    /// Sums over pages: precision, recall and F1 of all text, and of what stays.
    before: [f64; 3],
    after: [f64; 3],
}

impl Removed {
    fn add(mut self, other: Removed) -> Removed {
        self.pages += other.pages;
        self.tokens += other.tokens;
        self.removed += other.removed;
        for at in 0..3 {
            self.before[at] += other.before[at];
            self.after[at] += other.after[at];
        }
        self
    }
}

pub(super) fn section(bench: &Setup<'_>, sets: &[Set]) -> Result<Section, Error> {
    bench.progress.begin("template removal", sets.len());
    let mut table = Table::new("Segments with a density of at most 5, removed; percent")
        .column("set", Align::Left);
    for name in [
        "pages",
        "tokens removed",
        "precision before",
        "after",
        "recall before",
        "after",
        "F1 before",
        "after",
    ] {
        table = table.column(name, Align::Right);
    }
    for set in sets {
        let key = bench.key(set, "templates")?;
        let removed: Removed =
            bench.steps.run(&format!("templates-{}", set.name), &key, || of_set(set))?;
        bench.progress.step();
        if removed.pages == 0.0 {
            continue;
        }
        let percent = |part: f64, whole: f64| format!("{:.1}", 100.0 * part / whole.max(1.0));
        let mut row = vec![set.name.clone(), removed.pages.to_string()];
        row.push(percent(removed.removed, removed.tokens));
        for at in 0..3 {
            let both = [removed.before[at], removed.after[at]];
            row.extend(both.map(|sum| percent(sum, removed.pages)));
        }
        table = table.row(row);
    }
    Ok(Section::new("Template removal (thesis, 4.3.4)")
        .text(
            "Each page is cut by Block Fusion with rules, and segments with a rounded density of at most \
             5 are removed. Precision, recall and F1 are of bags of words against the gold text, in the \
             mean of the pages; before means all text of the page. The thesis removes 23 % of the tokens \
             of Webspam UK-2007 so and has no gold to say what is lost.",
        )
        .table(table))
}

fn of_set(set: &Set) -> Result<Removed, Error> {
    let removal = TemplateRemoval::default();
    let one = |entry: &Entry| -> Result<Removed, Error> {
        let page = entry.read_page()?;
        let mut gold = Gold::new(&entry.read_gold()?);
        if gold.is_empty() {
            return Ok(Removed::default());
        }
        let (page, segments) = removal.segmenter.read(&page, &Options::default());
        let tokens = |removed: bool| {
            let counted = segments.iter().filter(|segment| !removed || removal.removes(segment));
            counted.map(|segment| f64::from(segment.tokens)).sum::<f64>()
        };
        let (all, removed) = (tokens(false), tokens(true));
        let mut scores = |text: &str| {
            let score = gold.bag(text);
            [score.precision, score.recall, score.f1]
        };
        let texts: Vec<String> = segments.iter().map(|segment| page.text(segment)).collect();
        let before = scores(&texts.join("\n"));
        let after = scores(&removal.apply(page, &segments).text());
        Ok(Removed { pages: 1.0, tokens: all, removed, before, after })
    };
    let pages: Result<Vec<Removed>, Error> = set.entries.par_iter().map(one).collect();
    Ok(pages?.into_iter().fold(Removed::default(), Removed::add))
}
