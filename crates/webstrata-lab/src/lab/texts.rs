//! Texts: Figure 2 of the WSDM paper, how much of a page's text is found.

use std::path::{Path, PathBuf};

use rayon::prelude::*;
use webstrata::filters::{Classify, Step};
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

/// The strategies of Figure 2: its name, and an extractor's name or steps.
const STRATEGIES: [(&str, Strategy); 9] = [
    ("keep everything", Strategy::Builtin("keep-all")),
    ("at least 10 words", Strategy::Builtin("min-words")),
    ("number of words", Strategy::Builtin("num-words")),
    ("text density", Strategy::Builtin("density")),
    ("number of words + largest content", Strategy::Largest("num-words")),
    ("text density + largest content", Strategy::Largest("density")),
    ("number of words + main content", Strategy::Main("num-words")),
    ("text density + main content", Strategy::Main("density")),
    ("BTE", Strategy::Builtin("bte")),
];

#[derive(Clone, Copy)]
enum Strategy {
    Builtin(&'static str),
    /// The classifier, then only the largest run of content.
    Largest(&'static str),
    /// The same below the title and above the comments.
    Main(&'static str),
}

/// The steps of `main-content` that find the title and the comments.
const AROUND: [&str; 4] = ["find-end-of-text", "find-title", "drop-after-end", "drop-before-title"];

impl Strategy {
    fn extractor(self) -> Extractor {
        let named = |name| Extractor::named(name).expect("built in").clone();
        let mut extractor = named("main-content");
        let model = match self {
            Strategy::Builtin(name) => return named(name),
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
    let mut section = Section::new("Whole texts (WSDM Figure 2, thesis Figure 4.21)").text(
        "F1 of the bags of words of the extracted and the gold text, a page at a time. The paper \
         prints curves; the numbers beside ours follow from what its text says: the best mean is 95.93, 40% \
         above keeping everything, on which the other two improve by 18.3% and 33.3%.",
    );
    for set in sets {
        bench.progress.begin(&format!("Figure 2, {}", set.name), STRATEGIES.len());
        let mut curves: Vec<(String, Vec<f64>)> = Vec::new();
        for (number, (name, strategy)) in STRATEGIES.into_iter().enumerate() {
            let step = format!("figure-2-{}-{number}", set.name);
            let scores = bench.steps.run(&step, &bench.key(set, name)?, || {
                let extractor = strategy.extractor();
                score(set, |entry| {
                    let page = entry.read_page()?;
                    Ok(Some(extractor.extract_with(&page, &Options::default()).text()))
                })
            })?;
            bench.progress.step();
            curves.push((name.to_owned(), scores));
        }
        for folder in folders {
            curves.extend(peers(bench, set, folder)?);
        }
        section = section.section(of_set(set, curves));
    }
    Ok(section.note(
        "Largest and main content are made for news: on CleanEval, where a page may have several \
         texts, they lose much of it, as in the paper.",
    ))
}

/// The tools whose texts of a set lie in a folder.
fn peers(bench: &Setup<'_>, set: &Set, folder: &Path) -> Result<Vec<(String, Vec<f64>)>, Error> {
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
        curves.push((tool.name().to_owned(), scores));
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

fn of_set(set: &Set, curves: Vec<(String, Vec<f64>)>) -> Section {
    let percent = |value: f64| format!("{:.2}", 100.0 * value);
    let mut table = Table::new(format!("F1 on {}, percent", set.name))
        .column("strategy", Align::Left)
        .column("mean", Align::Right)
        .column("median", Align::Right);
    let mut chart = Chart::lines(format!("Ranked F1 per page, {}", set.name))
        .x_label("pages, best first")
        .y_label("F1");
    let mut compared = Comparison::new(format!("Mean F1 on {}, percent", set.name));
    for (name, mut scores) in curves {
        let average = 100.0 * mean(&scores);
        table = table.row([name.clone(), percent(mean(&scores)), percent(median(&scores))]);
        let paper = match name.as_str() {
            "keep everything" => Some(KEEP_ALL),
            "at least 10 words" => Some(MIN_WORDS),
            "number of words" => Some(NUM_WORDS),
            "number of words + main content" | "text density + main content" => Some(MAIN_CONTENT),
            _ => None,
        };
        if let Some(paper) = paper.filter(|_| set.name == "l3s-gn1") {
            let row = Compared::new(&name).paper(paper).ours(average).tolerance(1.5).decimals(2);
            compared = compared.row(row);
        }
        scores.sort_by(|a, b| b.total_cmp(a));
        let points = scores.into_iter().enumerate().map(|(rank, score)| (rank as f64 + 1.0, score));
        chart = chart.series(name, points);
    }
    let mut section = Section::new(set.name.clone()).table(table);
    if set.name == "l3s-gn1" {
        section = section.comparison(compared);
    }
    section.figure("Each curve is one strategy; a page's rank is its own in each.", &chart)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strategies_are_the_papers() {
        let main = Strategy::Main("num-words").extractor();
        assert_eq!(main.steps, Extractor::named("main-content").unwrap().steps);
        let largest = Strategy::Largest("density").extractor();
        assert_eq!(largest.steps.len() + AROUND.len(), main.steps.len());
        assert!(largest.steps.contains(&Classify::new("density").into()));
    }
}
