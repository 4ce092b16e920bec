//! All methods on sets of pages with gold: Table 4.1 and Figures 4.4 to 4.8.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use webstrata::{Class, Limits, Options};
use webstrata_base::{Error, Progress};
use webstrata_corpus::segmentation::gold::{Grain, of_classes};
use webstrata_corpus::segmentation::{AtomicPage, WIDTH};
use webstrata_lab::Report as Written;
use webstrata_lab::segmentation::experiment::{self, GoldPage, Outcome, TABLE_4_1};
use webstrata_lab::{Entry, Set, gold};

use crate::sets::SomeSets;
use webstrata_terminal::exit::Exit;
use webstrata_terminal::output;
use webstrata_terminal::program::Global;
use webstrata_terminal::report::{Report, TerminalProgress};
use webstrata_terminal::style::{Paint, Style};

pub(super) fn run(
    sets: &SomeSets,
    out: Option<&Path>,
    options: &Options,
    global: &Global,
) -> anyhow::Result<Exit> {
    let mut report = Report::new(global.quiet);
    let opened = sets.open(&mut report)?;
    let options = &whole_pages(options, &report);
    let progress = TerminalProgress::new(global.quiet);
    let mut outcomes: Vec<Outcome> = Vec::new();
    for set in &opened {
        outcomes.extend(measure(set, options, &progress));
        progress.end_part(&set.path.display().to_string());
    }
    report.add_failures(&progress);
    if outcomes.is_empty() {
        report.failure("no page with gold could be measured on");
        return Ok(Exit::Failed);
    }
    let style = Style::of_stdout(global.color);
    let tables: Vec<String> = outcomes.iter().map(|outcome| table(outcome, style)).collect();
    output::print(tables.join("\n").as_bytes())?;
    if let Some(out) = out {
        let about = "The methods of the thesis' section 4.2 that cut pages into segments, measured \
                     against what the gold of annotated pages tells of segments.";
        let start = Written::new("Pages cut into segments").about(about);
        let mut written = start.fact("webstrata", env!("CARGO_PKG_VERSION"));
        for outcome in &outcomes {
            // Does a number move with the set? The same kind of gold of other sets says so.
            let others = outcomes.iter().filter(|other| outcome.has_gold_of(other));
            let section = others.fold(Written::new("").section(outcome.section()), |all, other| {
                all.beside(&other.name, &Written::new("").section(other.section()))
            });
            written = written.sections_of(section);
        }
        written.write(out)?;
        report.note(format_args!("{}: written", out.join("index.html").display()));
    }
    Ok(if report.failed() { Exit::Failed } else { Exit::Text })
}

/// Pages are read anew for each width, and each time all of them: a deadline would cut them elsewhere,
/// and then nothing could be compared.
fn whole_pages(options: &Options, report: &Report) -> Options {
    if options.limits.deadline.is_some() {
        report.note("--deadline does not count with --set, which compares whole pages");
    }
    let limits = Limits { deadline: None, ..options.limits.clone() };
    Options { limits, ..options.clone() }
}

fn measure(set: &Set, options: &Options, progress: &TerminalProgress) -> Vec<Outcome> {
    progress.begin(&format!("cut pages of {}", set.name), set.entries.len());
    let golds: Vec<String> =
        Grain::ALL.iter().map(|(_, name)| format!("{}, gold of {name}", set.name)).collect();
    let read = |entry: &Entry| {
        let page = gold_page(entry, options);
        page.map_err(|error| progress.failure(&format!("{error}; left out"))).ok()
    };
    experiment::run(&set.entries, &golds, read, progress)
}

fn gold_page(entry: &Entry, options: &Options) -> Result<GoldPage, Error> {
    let bytes = entry.read_page()?;
    let page = AtomicPage::read(&bytes, options, WIDTH);
    let classes: Vec<Class> = match &entry.annotated {
        Some(path) => {
            let annotated = fs::read(path).map_err(|error| Error::io(path, &error))?;
            gold::annotated(&page.document, &String::from_utf8_lossy(&annotated))
        }
        None => {
            let shares = gold::shares(&page.document, &entry.read_gold()?);
            let words = page.document.blocks.iter().map(|block| block.counts.words as usize);
            shares.iter().zip(words).map(|(share, words)| gold::from_share(*share, words)).collect()
        }
    };
    let segments = |(grain, _)| of_classes(&page, &classes, &Class::Boilerplate, grain);
    let gold = Grain::ALL.map(segments).into();
    Ok(GoldPage { bytes, options: options.clone(), page, gold })
}

/// Table 4.1, the thesis' numbers beside ours.
fn table(outcome: &Outcome, style: Style) -> String {
    let Outcome { name, pages, gold_segments, .. } = outcome;
    let mut text = format!(
        "{}: {pages} pages, {gold_segments:.2} segments each\n",
        style.paint(Paint::Heading, name)
    );
    let head = "method           AdjRand (thesis)   NMI (thesis)   segments (thesis)";
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{}", style.paint(Paint::Aside, head));
    for (method, score) in outcome.methods() {
        let thesis = TABLE_4_1.iter().find(|(known, _)| *known == method).map(|(_, row)| row);
        let beside =
            |at: usize| thesis.map_or_else(|| "–".into(), |row| format!("({:.2})", row[at]));
        let _ = writeln!(
            text,
            "{:15}  {:7.3} {:>8}  {:5.3} {:>8}   {:8.2} {:>8}",
            method.name(),
            score.rand,
            beside(0),
            score.information,
            beside(1),
            score.segments,
            beside(2)
        );
    }
    text
}
