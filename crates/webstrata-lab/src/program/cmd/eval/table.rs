//! Scores for people.

use std::fmt::Write;

use webstrata_lab::scores::Measure;

use super::summary::Summary;
use super::{Author, Row, Scored};
use webstrata_terminal::output::quoted;
use webstrata_terminal::style::{Paint, Style, padded};

/// A table of a set: the main measure in full, of the others their means.
pub(super) fn scores(summary: &Summary, main: Measure, style: Style) -> String {
    let labels = summary.rows.iter().map(|row| row.label.chars().count());
    let width = labels.chain(["extractor".len()]).max().unwrap_or(0);
    let others = || Measure::ALL.into_iter().filter(|(measure, _)| *measure != main);
    let mut head =
        format!("{}  pages  {:>7}  median  95% interval ", padded("extractor", width), main.name());
    let name = style.paint(Paint::Heading, &summary.set);
    // Writing to a string cannot fail.
    let mut text = format!("{name}, pages with a gold text: {}\n", summary.pages);
    others().for_each(|(_, name)| {
        let _ = write!(head, "  {name:>7}");
    });
    let _ = writeln!(text, "{}", style.paint(Paint::Aside, &head));
    for row in &summary.rows {
        let label = padded(&row.label, width);
        let (low, high) = row.interval;
        let _ = write!(
            text,
            "{label}  {:5}  {:7.4}  {:.4}  {low:.4}–{high:.4}",
            row.pages, row.mean, row.median
        );
        others().for_each(|(measure, _)| {
            let _ = write!(text, "  {:7.4}", row.means.value(measure));
        });
        text.push('\n');
    }
    text.push('\n');
    text
}

/// The pages on which each row is lowest, and how to see why.
pub(super) fn worst(scored: &Scored<'_>, measure: Measure, pages: usize, style: Style) -> String {
    let mut text = String::new();
    if pages == 0 {
        return text;
    }
    for row in &scored.rows {
        let label = style.paint(Paint::Heading, row.author.label());
        let _ = writeln!(text, "{}, lowest {} of {label}", scored.set.name, measure.name());
        for (page, value) in lowest(row, measure).into_iter().take(pages) {
            let path = quoted(&scored.set.entries[page].page.display().to_string());
            let shown = match row.author {
                Author::Ours(ours) => {
                    format!("webstrata explain --extractor {} {path}", quoted(&ours.label))
                }
                Author::Tool(_) => path,
            };
            let _ = writeln!(text, "{value:.4}  {shown}");
        }
        text.push('\n');
    }
    text
}

fn lowest(row: &Row<'_>, measure: Measure) -> Vec<(usize, f64)> {
    let values = row.scores.iter().map(|scores| scores.value(measure));
    let mut pages: Vec<(usize, f64)> = row.pages.iter().copied().zip(values).collect();
    pages.sort_by(|(_, a), (_, b)| a.total_cmp(b));
    pages
}
