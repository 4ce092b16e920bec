//! Figures 4.22 and 4.26 of the thesis: how dense the text of a mixed collection is, and that of books.

use std::path::{Path, PathBuf};

use rayon::prelude::*;
use webstrata::cutting::Cutting;
use webstrata::{Options, Page};

use super::Setup;
use crate::plot::Chart;
use crate::report::{Align, Section, Table};
use crate::sets::{Entry, Set};
use webstrata_base::error::Error;

/// Densities that are drawn; the last class has those beyond.
const DENSITIES: usize = 30;
/// From here on the thesis calls text dense.
const DENSE: usize = 11;

/// Words by the density of their block, rounded up.
type Words = Vec<f64>;

pub(super) fn section(
    bench: &Setup<'_>,
    sets: &[&Set],
    texts: &[PathBuf],
) -> Result<Section, Error> {
    bench.progress.begin("densities", sets.len() + texts.len());
    let mut measured: Vec<(String, Words)> = Vec::new();
    for set in sets {
        let key = bench.key(set, "densities")?;
        let step = format!("densities-{}", set.name);
        measured.push((set.name.clone(), bench.steps.run(&step, &key, || of_set(set))?));
        bench.progress.step();
    }
    for path in texts {
        let text = std::fs::read(path).map_err(|error| Error::io(path, &error))?;
        let words = of_page(&as_page(&String::from_utf8_lossy(&text)));
        measured.push((name(path), words));
        bench.progress.step();
    }
    let mut table = Table::new("Words in blocks by density")
        .column("text", Align::Left)
        .column("words", Align::Right)
        .column(format!("in blocks with a density below {DENSE}, %"), Align::Right);
    let mut charts = Vec::new();
    for (name, words) in &measured {
        let all: f64 = words.iter().sum();
        let share = |words: f64| if all > 0.0 { words / all } else { 0.0 };
        let sparse = 100.0 * share(words[..DENSE].iter().sum());
        table = table.row([name.clone(), format!("{all:.0}"), format!("{sparse:.1}")]);
        let edges = (0..=DENSITIES).map(|edge| edge as f64 - 0.5);
        let chart = Chart::histogram(name.clone(), edges)
            .x_label("text density, rounded up")
            .y_label("share of words");
        charts.push(chart.class("words", words.iter().map(|words| share(*words))));
    }
    Ok(Section::new("How dense texts are (thesis, Figures 4.22 and 4.26)")
        .text(
            "Figure 4.22 is of CleanEval, which has less boilerplate than the thesis' other collections: few of its words are \
             in blocks with a density below 11. Figure 4.26 is of three works that are no web pages: the thesis itself, a \
             travel catalogue and Goethe's Faust. Texts that are given with --texts are drawn here; each of their \
             paragraphs, which empty lines part, is a block.",
        )
        .table(table)
        .small_figures(
            "Words by text density",
            "Text that leads somewhere has few words a line, text that tells something has a dozen.",
            &charts,
        ))
}

fn of_set(set: &Set) -> Result<Words, Error> {
    let of_entry = |entry: &Entry| entry.read_page().map(|page| of_page(&page));
    let pages: Result<Vec<Words>, Error> = set.entries.par_iter().map(of_entry).collect();
    let mut all = vec![0.0; DENSITIES];
    for page in pages? {
        all.iter_mut().zip(page).for_each(|(sum, words)| *sum += words);
    }
    Ok(all)
}

fn of_page(page: &[u8]) -> Words {
    let Page { document, .. } = Page::read(page, Cutting::Atomic, &Options::default());
    let mut words = vec![0.0; DENSITIES];
    for block in &document.blocks {
        let density = block.counts.text_density().ceil() as usize;
        words[density.min(DENSITIES - 1)] += f64::from(block.counts.words);
    }
    words
}

/// A text as a page: a paragraph for each run of lines.
fn as_page(text: &str) -> Vec<u8> {
    let mut page = String::from("<!doctype html><meta charset=utf-8>");
    let mut in_paragraph = false;
    for line in text.lines().map(str::trim) {
        if line.is_empty() {
            in_paragraph = false;
            continue;
        }
        page.push_str(if in_paragraph { "\n" } else { "<p>" });
        in_paragraph = true;
        for character in line.chars() {
            match character {
                '<' => page.push_str("&lt;"),
                '&' => page.push_str("&amp;"),
                other => page.push(other),
            }
        }
    }
    page.into_bytes()
}

fn name(path: &Path) -> String {
    path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_are_blocks() {
        let text = "High water\nat <noon> & later\n\n  \n\nLow water\n";
        let page = as_page(text);
        let html = "<p>High water\nat &lt;noon> &amp; later<p>Low water";
        assert!(String::from_utf8(page.clone()).unwrap().ends_with(html));
        let words = of_page(&page);
        // "&" is no word. Short texts are one line, so that words are densities.
        assert_eq!((words[5], words[2], words.iter().sum::<f64>()), (5.0, 2.0, 7.0));
    }

    #[test]
    fn long_paragraphs_are_dense() {
        let long = "the water rises at the pier and falls again at noon ".repeat(20);
        let words = of_page(&as_page(&long));
        assert_eq!(words[..DENSE].iter().sum::<f64>(), 0.0);
        assert_eq!(words.iter().sum::<f64>(), 220.0);
    }
}
