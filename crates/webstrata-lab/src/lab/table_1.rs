//! Table 1 of the WSDM paper: classes of text, and what its totals count.

use std::collections::BTreeSet;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use webstrata::cutting::Cutting;
use webstrata::{Class, Counts, Hidden, Options, Page, Tag, Tree};

use super::papers::{TABLE_1, TABLE_1_TOTAL, TABLE_2};
use super::table_2::{FOLDS, judge};
use super::{Setup, WithoutSteps};
use crate::dataset::{Dataset, Problem};
use crate::gold;
use crate::report::{Align, Compared, Comparison, Section, Table};
use crate::sets::{Entry, Set};
use webstrata_base::error::Error;

/// How pages are read in one experiment, to find out what a difference comes from.
pub(super) struct Reading {
    pub(super) name: &'static str,
    cutting: Cutting,
    hidden: Hidden,
    /// Are the options of forms text?
    with_options: bool,
    /// Are the annotated copies read? In these a browser has run the page's scripts and has written back
    /// what came out, and the annotators' spans are tags that separate.
    copies: bool,
}

impl Reading {
    /// As everywhere: every tag but A separates, forms' options are no text.
    pub(super) const PAPER: Reading = Reading {
        name: "every tag but A separates",
        cutting: Cutting::Atomic,
        hidden: Hidden::Drop,
        with_options: false,
        copies: false,
    };
    pub(super) const COPIES: Reading =
        Reading { name: "… in the annotated copies", copies: true, ..Reading::PAPER };
    pub(super) const BOILERPIPE: Reading = Reading {
        name: "boilerpipe's blocks and words",
        cutting: Cutting::Boilerpipe,
        ..Reading::PAPER
    };

    /// The labelled blocks of a set, read so.
    pub(super) fn dataset(&self, bench: &Setup<'_>, set: &Set) -> Result<Dataset, Error> {
        let prepare: fn(Vec<u8>) -> Vec<u8> =
            if self.with_options { options_as_text } else { |page| page };
        let mut set = set.clone();
        set.entries = set.entries.iter().map(|entry| self.entry(entry)).collect();
        let progress = WithoutSteps(bench.progress);
        Dataset::read_prepared(&set, self.cutting, &self.options(), &progress, prepare)
    }

    fn options(&self) -> Options {
        Options { hidden: self.hidden, ..Options::default() }
    }

    fn entry(&self, entry: &Entry) -> Entry {
        let copy = entry.annotated.clone().filter(|_| self.copies);
        Entry { page: copy.unwrap_or_else(|| entry.page.clone()), ..entry.clone() }
    }

    /// What Table 1 counts.
    fn counted(&self, set: &Set) -> Result<Counted, Error> {
        let options = self.options();
        let one = |entry: &Entry| -> Result<Counted, Error> {
            let mut page = self.entry(entry).read_page()?;
            if self.with_options {
                page = options_as_text(page);
            }
            let Page { tree, document, .. } = Page::read(&page, self.cutting, &options);
            let path = entry.annotated.as_ref().expect("the laboratory checked that");
            let annotated = std::fs::read(path).map_err(|error| Error::io(path, &error))?;
            let classes = gold::annotated(&document, &String::from_utf8_lossy(&annotated));
            let mut counted = Counted::default();
            for (block, class) in document.blocks.iter().zip(classes) {
                let (runs, marks) = document.with_text(block, punctuation_apart);
                let Counts { words, tokens, .. } = block.counts;
                let nodes = document.atoms[block.first_atom()].nodes.clone();
                let with_links = tokens + 2 * links(&tree, nodes);
                let levels = [1, u32::from(words > 0), words, tokens, runs, marks, with_links];
                let sums = &mut counted.0[class as usize];
                sums.iter_mut().zip(levels).for_each(|(sum, count)| *sum += f64::from(count));
            }
            Ok(counted)
        };
        let pages: Result<Vec<Counted>, Error> = set.entries.par_iter().map(one).collect();
        let mut all = Counted::default();
        for (sums, page) in pages?.iter().flat_map(|page| (0..CLASSES).map(move |at| (at, page))) {
            all.0[sums].iter_mut().zip(page.0[sums]).for_each(|(sum, count)| *sum += count);
        }
        Ok(all)
    }
}

const READINGS: [Reading; 6] = [
    Reading::PAPER,
    Reading { name: "… with the options of forms", with_options: true, ..Reading::PAPER },
    Reading { name: "… with hidden text", hidden: Hidden::Keep, ..Reading::PAPER },
    Reading::COPIES,
    Reading::BOILERPIPE,
    Reading { name: "… with hidden text", hidden: Hidden::Keep, ..Reading::BOILERPIPE },
];

const CLASSES: usize = Class::ALL.len();

/// What can be counted in a block, and so what the paper's three totals may be.
const LEVELS: [&str; 7] = [
    "blocks",
    "blocks with words",
    "words",
    "tokens between spaces",
    "tokens, runs of punctuation apart",
    "tokens, each mark apart",
    "tokens between spaces and both ends of links",
];
/// The reading and the levels that ours are: see the table of candidates.
const OURS: usize = 3;
const OUR_LEVELS: [usize; 3] = [1, 2, 5];

/// The levels of each class, in the order of [`Class::ALL`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Counted([[f64; LEVELS.len()]; CLASSES]);

impl Counted {
    fn total(&self, level: usize) -> f64 {
        self.0.iter().map(|class| class[level]).sum()
    }

    /// The share of a class in percent.
    fn share(&self, class: Class, level: usize) -> f64 {
        100.0 * self.0[class as usize][level] / self.total(level)
    }
}

/// The tokens of a text if punctuation is apart from words: with each run of marks as a token, and with
/// each mark as one. An apostrophe, full stop or comma between letters or digits belongs to the word.
fn punctuation_apart(text: &str) -> (u32, u32) {
    let (mut runs, mut marks) = (0, 0);
    let (mut in_word, mut in_run) = (false, false);
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let joins = matches!(character, '\'' | '’' | '.' | ',')
            && in_word
            && characters.peek().is_some_and(|next| next.is_alphanumeric());
        if character.is_alphanumeric() || joins {
            if !in_word {
                (runs, marks) = (runs + 1, marks + 1);
            }
            (in_word, in_run) = (true, false);
        } else if character.is_whitespace() {
            (in_word, in_run) = (false, false);
        } else {
            (runs, marks) = (runs + u32::from(!in_run), marks + 1);
            (in_word, in_run) = (false, true);
        }
    }
    (runs, marks)
}

/// How many links the texts of an atom stand in: boilerpipe marks where each begins and ends by a token.
fn links(tree: &Tree<'_>, nodes: std::ops::Range<u32>) -> u32 {
    let texts = nodes.filter(|node| tree.tag(*node).is_none());
    let link = |node| tree.ancestors(node).find(|element| tree.tag(*element) == Some(Tag::A));
    let links: BTreeSet<u32> = texts.filter_map(link).collect();
    links.len() as u32
}

/// One reading's accuracy: F1 of Algorithms 2 and 1 and of link density, the areas under the curve of
/// Algorithm 1 and of 1R on text density.
type Accuracy = [f64; 5];

fn accuracy(bench: &Setup<'_>, set: &Set, reading: &Reading) -> Result<Accuracy, Error> {
    let examples = reading.dataset(bench, set)?.examples(Problem::TwoClass);
    let measures = |name: &str| {
        let row = TABLE_2.iter().find(|row| row.name == name).expect("a row's name");
        let chosen = examples.with_features(&row.features.indices());
        Ok::<_, Error>(judge(row.how, &chosen, FOLDS)?.measures)
    };
    let density = measures("C4.8 text + link density, simplified")?;
    Ok([
        measures("C4.8 words + link density, simplified")?.f1,
        density.f1,
        measures("C4.8 link density (P/C/N)")?.f1,
        density.auc,
        measures("1R: text density")?.auc,
    ])
}

pub(super) fn section(bench: &Setup<'_>, set: &Set) -> Result<Section, Error> {
    bench.progress.begin("Table 1", READINGS.len());
    let mut results: Vec<(Counted, Accuracy)> = Vec::new();
    for (number, reading) in READINGS.iter().enumerate() {
        let key = bench.key(set, reading.name)?;
        results.push(bench.steps.run(&format!("table-1-{number}"), &key, || {
            Ok((reading.counted(set)?, accuracy(bench, set, reading)?))
        })?);
        bench.progress.step();
    }
    let mut section = Section::new("Classes of text (WSDM Table 1, thesis Table 4.8)").text(
        "Each block has the class that most of its tokens have in the annotated copy of its page. The \
         paper does not say which blocks it counts (also those without any word?), nor what its \
         tokens, of which it has 644,021 for 520,483 words, are. All candidates are below. Ours are the \
         blocks with words of the annotated copies, since these come nearest to its blocks and to its \
         shares of words, and tokens with each mark apart.",
    );
    section = section.comparison(totals(&results));
    for (place, name) in ["blocks", "words", "tokens"].into_iter().enumerate() {
        section = section.comparison(shares(&results, place, name));
    }
    Ok(section
        .note(
            "The paper's rows for user comments and related content are exchanged: what is marked \
             x-nc-sel5 are readers' comments, and they have 9% of the words. The paper's four-class \
             baseline of 59.2% (full text and comments) says the same.",
        )
        .table(candidates(&results))
        .table(accuracies(&results)))
}

/// The name of a reading in a table or in an explanation.
fn full_name(number: usize) -> String {
    let base = if number < 4 { Reading::PAPER.name } else { Reading::BOILERPIPE.name };
    READINGS[number].name.replace('…', base)
}

fn totals(results: &[(Counted, Accuracy)]) -> Comparison {
    let mut comparison = Comparison::new("Totals");
    for (place, paper) in TABLE_1_TOTAL.into_iter().enumerate() {
        let level = OUR_LEVELS[place];
        let row = Compared::new(LEVELS[level]).paper(paper).ours(results[OURS].0.total(level));
        let row = row.tolerance(paper / 50.0).decimals(0);
        comparison = comparison.row(with_readings(row, results, |counted| counted.total(level)));
    }
    comparison
}

fn shares(results: &[(Counted, Accuracy)], place: usize, name: &str) -> Comparison {
    let mut comparison = Comparison::new(format!("Share of {name}, percent"));
    for (class, paper) in TABLE_1 {
        let share = |counted: &Counted| counted.share(class, OUR_LEVELS[place]);
        let row = Compared::new(class.name()).paper(paper[place]).ours(share(&results[OURS].0));
        let mut row = row.tolerance(2.5).decimals(1);
        for (level, other) in LEVELS.into_iter().enumerate() {
            let same = level != OUR_LEVELS[place] && other.starts_with(name);
            row = row.otherwise(other, same.then(|| results[OURS].0.share(class, level)));
        }
        comparison = comparison.row(with_readings(row, results, share));
    }
    comparison
}

fn with_readings(
    row: Compared,
    results: &[(Counted, Accuracy)],
    value: impl Fn(&Counted) -> f64,
) -> Compared {
    let others = results.iter().enumerate().filter(|(number, _)| *number != OURS);
    others.fold(row, |row, (number, (counted, _))| row.otherwise(full_name(number), value(counted)))
}

/// All that can be counted, for all readings.
fn candidates(results: &[(Counted, Accuracy)]) -> Table {
    let mut table = Table::new("What the totals of Table 1 may count").column("pages", Align::Left);
    for level in LEVELS {
        table = table.column(level, Align::Right);
    }
    table = table.column("content, % of words", Align::Right);
    let [blocks, words, tokens] = TABLE_1_TOTAL.map(|value| format!("{value:.0}"));
    let paper = LEVELS.map(|level| match level {
        "blocks" => blocks.clone(),
        "words" => words.clone(),
        "tokens between spaces" => tokens.clone(),
        _ => String::new(),
    });
    let content = TABLE_1.iter().filter(|(class, _)| *class != Class::Boilerplate);
    let content: f64 = content.map(|(_, [_, words, _])| words).sum();
    let content = std::iter::once(format!("{content:.1}"));
    table = table.row(std::iter::once("the paper".to_owned()).chain(paper).chain(content));
    for (number, (counted, _)) in results.iter().enumerate() {
        let totals = (0..LEVELS.len()).map(|level| format!("{:.0}", counted.total(level)));
        let content = 100.0 - counted.share(Class::Boilerplate, 2);
        let content = std::iter::once(format!("{content:.1}"));
        table = table.row(std::iter::once(full_name(number)).chain(totals).chain(content));
    }
    table
}

fn accuracies(results: &[(Counted, Accuracy)]) -> Table {
    let mut table = Table::new("What readings of the pages do to classifiers, percent")
        .column("pages", Align::Left);
    for name in ["F1 Algorithm 2", "F1 Algorithm 1", "F1 link density P/C/N"] {
        table = table.column(name, Align::Right);
    }
    table = table.column("AuC Algorithm 1", Align::Right).column("AuC 1R density", Align::Right);
    table = table.row(["the paper", "92.2", "92.4", "91.0", "96.9", "86.8"]);
    for (number, (_, accuracy)) in results.iter().enumerate() {
        let cells = accuracy.map(|value| format!("{value:.1}"));
        table = table.row(std::iter::once(full_name(number)).chain(cells));
    }
    table
}

/// `<option>` read as `<pplane>`, an element that HTML does not know and whose text is text.
fn options_as_text(mut page: Vec<u8>) -> Vec<u8> {
    for at in 0..page.len() {
        for (old, new) in [(&b"<option"[..], &b"<pplane"[..]), (b"</option", b"</pplane")] {
            if let Some(tag) = page[at..].get_mut(..old.len())
                && tag.eq_ignore_ascii_case(old)
            {
                tag.copy_from_slice(new);
            }
        }
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn punctuation_is_apart_from_words() {
        for (text, runs, marks) in [
            ("", 0, 0),
            ("High water, 4.1 m.", 6, 6),
            ("the harbour's (old) quay …", 7, 7),
            ("\"Late!\" ... 1,200", 5, 8),
            ("a|b--c", 5, 6),
            ("end.", 2, 2),
        ] {
            assert_eq!(punctuation_apart(text), (runs, marks), "{text}");
        }
    }

    #[test]
    fn numbers_of_the_paper_stand_below_their_names() {
        let mut counted = Counted::default();
        counted.0[Class::Content as usize] = [3.0; LEVELS.len()];
        counted.0[Class::Boilerplate as usize] = [1.0; LEVELS.len()];
        let results = vec![(counted, Accuracy::default()); READINGS.len()];
        let section = Section::new("Table 1").table(candidates(&results));
        let text = crate::Report::new("").section(section).to_markdown();
        let rows: Vec<Vec<&str>> = text
            .lines()
            .filter(|line| line.starts_with('|'))
            .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
            .collect();
        let cell = |row: usize, name: &str| {
            rows[row][rows[0].iter().position(|column| *column == name).unwrap()]
        };
        // Behind the names there is the line that parts them from the rows.
        assert_eq!(cell(2, "pages"), "the paper");
        assert_eq!(cell(2, "blocks"), "72662");
        assert_eq!(cell(2, "words"), "520483");
        assert_eq!(cell(2, "tokens between spaces"), "644021");
        assert_eq!(cell(2, "content, % of words"), "65.0");
        assert_eq!(cell(3, "words"), "4");
        assert_eq!(cell(3, "content, % of words"), "75.0");
    }

    #[test]
    fn links_are_counted_once() {
        let html =
            b"<p>High <a href=a>water <b>at</b> noon</a> and <a href=b>low</a> water<p>no link";
        let Page { tree, document, .. } =
            Page::read(html, Cutting::Boilerpipe, &Options::default());
        let counts = document.atoms.iter().map(|atom| links(&tree, atom.nodes.clone()));
        assert_eq!(counts.collect::<Vec<_>>(), [2, 0]);
    }

    #[test]
    fn options_become_text() {
        let page = options_as_text(b"<select><OPTION value=1>one</option></select>".to_vec());
        assert_eq!(page, b"<select><pplane value=1>one</pplane></select>");
    }
}
