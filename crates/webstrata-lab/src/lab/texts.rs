//! Texts: Figure 2 of the WSDM paper, how much of a page's text is found.

use std::path::{Path, PathBuf};

use rayon::prelude::*;
use webstrata::cutting::Cutting;
use webstrata::filters::{Classify, DropShort, KeepAll, Step};
use webstrata::{Extractor, Options};

use super::Setup;
use super::papers::{KEEP_ALL, MAIN_CONTENT, MIN_WORDS, NUM_WORDS};
use crate::outputs;
use crate::plot::Chart;
use crate::report::{Align, Compared, Comparison, Section, Table};
use crate::scores::Gold;
use crate::scores::statistics::{mean, median};
use crate::sets::{Entry, Set};
use webstrata_base::error::Error;

/// The strategies of Figure 2. Each is run on blocks of both cuttings.
const STRATEGIES: [(&str, Strategy); 11] = [
    ("keep everything", Strategy::Builtin("keep-all")),
    (AT_LEAST_10, Strategy::Long),
    (FUSED_AT_LEAST_10, Strategy::Builtin("min-words")),
    ("number of words", Strategy::Builtin("num-words")),
    ("text density", Strategy::Builtin("density")),
    ("rule trained on CleanEval", Strategy::Builtin("cleaneval")),
    ("number of words + largest content", Strategy::Largest("num-words")),
    ("text density + largest content", Strategy::Largest("density")),
    ("number of words + main content", Strategy::Main("num-words")),
    ("text density + main content", Strategy::Main("density")),
    ("BTE", Strategy::Builtin("bte")),
];
const AT_LEAST_10: &str = "at least 10 words";
const FUSED_AT_LEAST_10: &str = "equal densities fused, then at least 10 words";

/// How pages are cut: as the paper says, every tag but A separates; and as boilerpipe does it.
const CUTTINGS: [(Cutting, &str); 2] =
    [(Cutting::Atomic, "atomic"), (Cutting::Boilerpipe, "boilerpipe")];

#[derive(Clone, Copy)]
enum Strategy {
    Builtin(&'static str),
    /// "We mark every block with at least 10 words as content", as it is written.
    Long,
    /// The classifier, then only the largest run of content.
    Largest(&'static str),
    /// The same below the title and above the comments.
    Main(&'static str),
}

/// The steps of `main-content` that find the title and the comments.
const AROUND: [&str; 4] = ["find-end-of-text", "find-title", "drop-after-end", "drop-before-title"];

impl Strategy {
    /// The strategy on blocks of one cutting.
    fn extractor(self, cutting: Cutting) -> Extractor {
        let mut extractor = self.steps();
        extractor.cutting = cutting;
        extractor
    }

    fn steps(self) -> Extractor {
        let named = |name| Extractor::named(name).expect("built in").clone();
        let mut extractor = named("main-content");
        let model = match self {
            Strategy::Builtin(name) => return named(name),
            Strategy::Long => {
                return Extractor::new("long").step(KeepAll).step(DropShort { min_words: 10 });
            }
            Strategy::Main(model) => model,
            Strategy::Largest(model) => {
                extractor.steps.retain(|step| !AROUND.contains(&step.name()));
                model
            }
        };
        for step in &mut extractor.steps {
            if let Step::Classify(classify) = step {
                *classify = Classify::new(model);
            }
        }
        extractor
    }
}

pub(super) fn section(
    bench: &Setup<'_>,
    sets: &[&Set],
    folders: &[PathBuf],
) -> Result<Section, Error> {
    let mut section = Section::new("Whole texts (WSDM Figure 2, thesis Figure 4.21)")
        .text(
            "F1 of the bags of words of the extracted and the gold text, a page at a time. The paper \
             prints curves; the numbers beside ours follow from what its text says: the best mean is \
             95.93, 40% above keeping everything, on which the other two improve by 18.3% and 33.3%. \
             Every strategy is run on two cuttings: every tag but A separates, as the paper says, and \
             boilerpipe's.",
        )
        .note(
            "\"We mark every block with at least 10 words as content\": which blocks? Boilerpipe's \
             extractor of that description (KeepEverythingWithMinKWords) fuses neighbours of the same \
             density before it counts words. Both are rows here.",
        );
    for set in sets {
        bench.progress.begin(&format!("Figure 2, {}", set.name), STRATEGIES.len());
        let mut rows: Vec<Scored> = Vec::new();
        for (number, (name, strategy)) in STRATEGIES.into_iter().enumerate() {
            let mut scores = Vec::new();
            for (cutting, cut) in CUTTINGS {
                let step = format!("figure-2-{}-{number}-{cut}", set.name);
                scores.push(bench.steps.run(&step, &bench.key(set, name)?, || {
                    let extractor = strategy.extractor(cutting);
                    score(set, |entry| {
                        let page = entry.read_page()?;
                        Ok(Some(extractor.extract_with(&page, &Options::default()).text()))
                    })
                })?);
            }
            bench.progress.step();
            rows.push(Scored { name: name.to_owned(), scores });
        }
        let mut others = Vec::new();
        for folder in folders {
            others.extend(peers(bench, set, folder)?);
        }
        section = section.section(of_set(set, &rows, &others));
    }
    Ok(section)
}

/// The scores of a strategy's pages: one list for each cutting, or one alone for what cuts by itself.
struct Scored {
    name: String,
    scores: Vec<Vec<f64>>,
}

impl Scored {
    fn mean(&self, cutting: usize) -> f64 {
        100.0 * self.scores.get(cutting).map_or(f64::NAN, |scores| mean(scores))
    }

    /// Its curve: the scores of the first list, the best first.
    fn ranked(&self) -> impl Iterator<Item = (f64, f64)> + use<> {
        let mut scores = self.scores[0].clone();
        scores.sort_by(|a, b| b.total_cmp(a));
        scores.into_iter().enumerate().map(|(rank, score)| (rank as f64 + 1.0, score))
    }
}

/// The tools whose texts of a set lie in a folder.
fn peers(bench: &Setup<'_>, set: &Set, folder: &Path) -> Result<Vec<Scored>, Error> {
    let mut curves = Vec::new();
    for tool in outputs::tools(folder)? {
        let Some(texts) = tool.texts(set)? else { continue };
        texts.mistakes().iter().for_each(|mistake| bench.progress.note(mistake));
        let without = set.entries.iter().filter(|entry| texts.of(&entry.id).is_none()).count();
        if without > 0 {
            let file = texts.file().display();
            bench
                .progress
                .note(&format!("{file}: pages of {} without a text: {without}", set.name));
        }
        let scores = score(set, |entry| Ok(texts.of(&entry.id).map(str::to_owned)))?;
        curves.push(Scored { name: tool.name().to_owned(), scores: vec![scores] });
    }
    Ok(curves)
}

/// The score of every page that has a text and whose gold text has a word.
fn score(
    set: &Set,
    text: impl Fn(&Entry) -> Result<Option<String>, Error> + Sync,
) -> Result<Vec<f64>, Error> {
    let one = |entry: &Entry| -> Result<Option<f64>, Error> {
        let mut gold = Gold::new(&entry.read_gold()?);
        Ok(if gold.is_empty() { None } else { text(entry)?.map(|text| gold.bag(&text).f1) })
    };
    let scores: Result<Vec<Option<f64>>, Error> = set.entries.par_iter().map(one).collect();
    Ok(scores?.into_iter().flatten().collect())
}

/// The strategies that are drawn: more than so many curves cannot be told apart.
const DRAWN: [&str; 7] = [
    "keep everything",
    AT_LEAST_10,
    "number of words",
    "text density",
    "rule trained on CleanEval",
    "number of words + main content",
    "BTE",
];
/// The one that other tools are drawn with.
const BEST: &str = "number of words + main content";

fn of_set(set: &Set, rows: &[Scored], others: &[Scored]) -> Section {
    let percent = |value: f64| format!("{value:.2}");
    let mut table = Table::new(format!("F1 on {}, percent", set.name))
        .column("strategy", Align::Left)
        .column("atomic blocks: mean", Align::Right)
        .column("median", Align::Right)
        .column("boilerpipe's: mean", Align::Right)
        .column("median", Align::Right);
    for row in rows {
        let cells = row.scores.iter().flat_map(|scores| [mean(scores), median(scores)]);
        let cells = cells.map(|value| percent(100.0 * value));
        table = table.row(std::iter::once(row.name.clone()).chain(cells));
    }
    let mut section = Section::new(set.name.clone()).table(table);
    if !others.is_empty() {
        let mut table = Table::new(format!("Other tools on {}, F1 in percent", set.name))
            .column("tool", Align::Left)
            .column("mean", Align::Right)
            .column("median", Align::Right);
        for row in others {
            let cells = [mean(&row.scores[0]), median(&row.scores[0])];
            let cells = cells.map(|value| percent(100.0 * value));
            table = table.row(std::iter::once(row.name.clone()).chain(cells));
        }
        section = section.table(table);
    }
    if set.name == "l3s-gn1" {
        section = section.comparison(compared(set, rows));
    }
    let chart = |title: String| {
        Chart::lines(title).x_label("pages, best first").y_label("F1").y_range(0.0, 1.0)
    };
    let drawn = rows.iter().filter(|row| DRAWN.contains(&row.name.as_str()));
    let strategies = drawn
        .fold(chart(format!("Ranked F1 per page, {}", set.name)), |chart, row| {
            chart.series(row.name.clone(), row.ranked())
        });
    section = section.figure(
        "Each curve is one strategy on atomic blocks; a page's rank is its own in each.",
        &strategies,
    );
    if others.is_empty() {
        return section;
    }
    let best = rows.iter().filter(|row| row.name == BEST);
    let title = format!("Ranked F1 per page of other tools, {}", set.name);
    let tools = best
        .chain(others)
        .take(DRAWN.len())
        .fold(chart(title), |chart, row| chart.series(row.name.clone(), row.ranked()));
    section.figure("The paper's best strategy among other tools.", &tools)
}

/// What the paper says in words of this set.
fn compared(set: &Set, rows: &[Scored]) -> Comparison {
    let find =
        |name: &str| rows.iter().find(|row| row.name == name).expect("one of the strategies");
    let mut comparison = Comparison::new(format!("Mean F1 on {}, percent", set.name));
    for (name, paper) in [
        ("keep everything", KEEP_ALL),
        (AT_LEAST_10, MIN_WORDS),
        ("number of words", NUM_WORDS),
        ("number of words + main content", MAIN_CONTENT),
        ("text density + main content", MAIN_CONTENT),
    ] {
        let row = find(name);
        let mut compared = Compared::new(name).paper(paper).ours(row.mean(0));
        compared =
            compared.tolerance(1.5).decimals(2).otherwise("boilerpipe's blocks", row.mean(1));
        if name == AT_LEAST_10 {
            let fused = find(FUSED_AT_LEAST_10);
            compared = compared
                .otherwise("equal densities fused first", fused.mean(0))
                .otherwise("equal densities of boilerpipe's blocks fused first", fused.mean(1));
        }
        comparison = comparison.row(compared);
    }
    comparison
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strategies_are_the_papers() {
        let main = Strategy::Main("num-words").extractor(Cutting::Atomic);
        assert_eq!(main.steps, Extractor::named("main-content").unwrap().steps);
        let largest = Strategy::Largest("density").extractor(Cutting::Boilerpipe);
        assert_eq!(largest.cutting, Cutting::Boilerpipe);
        assert_eq!(largest.steps.len() + AROUND.len(), main.steps.len());
        assert!(largest.steps.contains(&Classify::new("density").into()));
    }

    #[test]
    fn fusing_decides_what_ten_words_are() {
        // Two lines of six words: long enough together, and too short alone.
        let page = b"<p>High water is at noon today<p>The ferry leaves one hour later";
        let text = |strategy: Strategy| strategy.extractor(Cutting::Atomic).extract(page).text();
        assert_eq!(text(Strategy::Long), "");
        assert_eq!(text(Strategy::Builtin("min-words")).lines().count(), 2);
    }
}
