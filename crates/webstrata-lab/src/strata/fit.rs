//! Fits the parts of the model.

use std::collections::{HashMap, HashSet};

use rayon::prelude::*;
use webstrata::training::strata::decision::{best_set, decide};
use webstrata::training::strata::forest::Forest;
use webstrata::training::strata::model::{add_scores, add_words, widths};
use webstrata::training::strata::page_features::Found;
use webstrata::training::strata::tokens::{Token, Vocabulary};
use webstrata::training::strata::{PageModel, PageType, Rows, StrataModel};
use webstrata::{Class, Error as CoreError};

use super::TrainingOptions;
use super::samples::{F1, Sample, Samples};
use crate::conventions::Convention;
use crate::trainers::{Boost, Gradient};
use crate::{Error, Progress};

/// Tokens must be seen on so many sites, words of texts on more.
const SITES_OF_NAMES: usize = 6;
const SITES_OF_WORDS: usize = 15;
const SITES_OF_SIGNS: usize = 4;
/// What all blocks of a page weigh together: a page's blocks are not independent, and long pages
/// shall not rule. Against `l2` and `min_leaf_weight` of the trees.
const PAGE_WEIGHT: f64 = 300.0;
/// Pages are split into so many parts by site, to score each by what the others teach.
const PARTS: u32 = 3;

/// The weight of each block: the root of its words, a page's blocks summing up to [`PAGE_WEIGHT`].
fn weights(page: &Sample) -> Vec<f64> {
    let root = |words: &f32| f64::from(words.max(0.3)).sqrt();
    let sum: f64 = page.words.iter().map(root).sum();
    page.words.iter().map(|words| PAGE_WEIGHT * root(words) / sum).collect()
}

/// What the tokens of the blocks of some pages say.
fn vocabulary(samples: &Samples, pages: &[usize]) -> Vocabulary {
    #[derive(Default)]
    struct Seen {
        content: f64,
        other: f64,
        sites: HashSet<u32>,
        is_word: bool,
    }
    let mut seen: HashMap<Token, Seen> = HashMap::new();
    for page in pages.iter().map(|page| &samples.pages[*page]) {
        for (block, weight) in weights(page).into_iter().enumerate() {
            let words = page.observations.words(block);
            let is_content = page.is_content(block);
            let tokens = words.iter().copied().chain(page.observations.names(block));
            for (index, token) in tokens.enumerate() {
                let seen = seen.entry(token).or_default();
                *if is_content { &mut seen.content } else { &mut seen.other } += weight;
                seen.is_word = index < words.len();
                if seen.sites.len() < SITES_OF_WORDS {
                    seen.sites.insert(page.site);
                }
            }
        }
    }
    let enough = |seen: &Seen| {
        seen.sites.len() >= if seen.is_word { SITES_OF_WORDS } else { SITES_OF_NAMES }
    };
    let known = seen.into_iter().filter(|(_, seen)| enough(seen));
    Vocabulary::new(
        known.map(|(token, seen)| (token, ((seen.content + 1.0) / (seen.other + 2.0)).ln() as f32)),
    )
}

/// Columns of features of some pages' blocks, with what is to be learned of them.
struct Table {
    columns: Vec<Vec<f64>>,
    targets: Vec<f64>,
    weights: Vec<f64>,
    /// The blocks of each page, as a range of rows; and the words of each row, and of these the ones
    /// that stand in the gold text.
    pages: Vec<std::ops::Range<usize>>,
    words: Vec<f64>,
    found: Vec<f64>,
}

impl Table {
    fn of(samples: &Samples, pages: &[usize], rows: &[Rows], width: usize) -> Table {
        let mut table = Table {
            columns: Vec::new(),
            targets: Vec::new(),
            weights: Vec::new(),
            pages: Vec::new(),
            words: Vec::new(),
            found: Vec::new(),
        };
        for page in pages.iter().map(|page| &samples.pages[*page]) {
            let start = table.targets.len();
            table.pages.push(start..start + page.words.len());
            table.weights.extend(weights(page));
            for block in 0..page.words.len() {
                table.targets.push(f64::from(u8::from(page.is_content(block))));
                let words = f64::from(page.words[block]);
                table.words.push(words);
                table.found.push(words * f64::from(page.shares[block]));
            }
        }
        let column = |column: usize| {
            let rows = pages.iter().map(|page| &rows[*page]);
            let values = rows.flat_map(|rows| (0..rows.len()).map(|row| rows.get(row, column)));
            values.map(f64::from).collect()
        };
        table.columns = (0..width).into_par_iter().map(column).collect();
        table
    }

    /// The slope of pages' F1 joins that of the blocks' likelihood: what is right in the sum of
    /// blocks may be wrong for a page, such as comments that outweigh a short article. With the
    /// probabilities p, words w and words found m, a page's F1 is expected to be
    /// F = 2·Σ p·m / (Σ p·w + Σ m).
    fn adjust(&self, share: f64, scores: &[Vec<f64>], gradients: &mut [Vec<Gradient>]) {
        let (scores, gradients) = (&scores[0], &mut gradients[0]);
        let mut rest = &mut gradients[..];
        let mut slices = Vec::with_capacity(self.pages.len());
        for page in &self.pages {
            let (own, others) = rest.split_at_mut(page.len());
            slices.push((page.clone(), own));
            rest = others;
        }
        slices.into_par_iter().for_each(|(page, gradients)| {
            let probability = |row: usize| 1.0 / (1.0 + (-scores[row]).exp());
            let (mut hit, mut both) = (0.0, 0.0);
            for row in page.clone() {
                hit += probability(row) * self.found[row];
                both += probability(row) * self.words[row] + self.found[row];
            }
            if hit <= 0.0 {
                return;
            }
            let f1 = 2.0 * hit / both;
            for (row, gradient) in page.zip(gradients) {
                let doubt = probability(row) * (1.0 - probability(row));
                let slope = (2.0 * self.found[row] - f1 * self.words[row]) / both;
                gradient[0] -= (share * PAGE_WEIGHT * slope * doubt) as f32;
                gradient[1] += (share * PAGE_WEIGHT * slope.abs() * doubt) as f32;
            }
        });
    }

    fn fit(&self, boost: &Boost, settings: &TrainingOptions) -> Result<Forest, Error> {
        let adjust = |scores: &[Vec<f64>], gradients: &mut [Vec<Gradient>]| {
            self.adjust(settings.page_share, scores, gradients);
        };
        let targets = std::slice::from_ref(&self.targets);
        let forest = boost.fit_adjusted(&self.columns, targets, &self.weights, &(), adjust)?;
        Forest::new(1, self.columns.len(), &forest.trees).map_err(|error| core(&error))
    }
}

fn core(error: &CoreError) -> Error {
    Error::new(error.to_string())
}

/// What was learned of blocks from some pages: the parts of a model that judge blocks. Also the rows of these pages, as
/// models saw them that did not learn from them.
pub(super) fn blocks(
    samples: &Samples,
    pages: &[usize],
    settings: &TrainingOptions,
    progress: &impl Progress,
) -> Result<(StrataModel, Vec<Rows>), Error> {
    let (first_width, width) = widths();
    let part = |page: usize, by: u32| samples.pages[page].site / by % PARTS;
    // A page is never read with words that it taught itself.
    let mut rows: Vec<Rows> = samples.pages.iter().map(|_| Rows::new(0, width)).collect();
    for own in 0..PARTS {
        let (these, others): (Vec<usize>, Vec<usize>) =
            pages.iter().partition(|page| part(**page, 1) == own);
        let vocabulary = vocabulary(samples, &others);
        for page in these {
            let observations = &samples.pages[page].observations;
            rows[page] = observations.rows().clone();
            add_words(&mut rows[page], observations, &vocabulary);
            settings.blind(&mut rows[page]);
        }
    }
    // Nor is it scored by a first pass that learned from it, where the second pass shall learn.
    for own in 0..PARTS {
        let (these, others): (Vec<usize>, Vec<usize>) =
            pages.iter().partition(|page| part(**page, PARTS) == own);
        if others.is_empty() {
            return Err(Error::new("strata needs pages of more sites than that"));
        }
        let first =
            Table::of(samples, &others, &rows, first_width).fit(&settings.first, settings)?;
        let model = StrataModel { first, ..StrataModel::default() };
        for page in these {
            let sample = &samples.pages[page];
            let scores = model.first_scores(&rows[page]);
            add_scores(&mut rows[page], &sample.observations, &sample.words, &scores);
            settings.blind(&mut rows[page]);
        }
        progress.step();
    }
    let first = Table::of(samples, pages, &rows, first_width).fit(&settings.first, settings)?;
    progress.step();
    let second = Table::of(samples, pages, &rows, width).fit(&settings.second, settings)?;
    progress.step();
    let classes = classes(samples, pages, &rows, width, settings)?;
    let vocabulary = vocabulary(samples, pages);
    Ok((StrataModel { vocabulary, first, second, classes, ..StrataModel::default() }, rows))
}

/// What kinds of content and boilerplate there are, from the pages where people marked them.
fn classes(
    samples: &Samples,
    pages: &[usize],
    rows: &[Rows],
    width: usize,
    settings: &TrainingOptions,
) -> Result<Forest, Error> {
    let marked: Vec<usize> =
        pages.iter().copied().filter(|page| samples.pages[*page].classes.is_some()).collect();
    if marked.is_empty() {
        let names: Vec<_> = (0..Class::ALL.len())
            .map(|class| (class, vec![webstrata::model::Node::Leaf(0.0)]))
            .collect();
        return Forest::new(names.len(), width, &names).map_err(|error| core(&error));
    }
    let table = Table::of(samples, &marked, rows, width);
    let labels: Vec<Class> = marked
        .iter()
        .flat_map(|page| samples.pages[*page].classes.iter().flatten().copied())
        .collect();
    let target = |(class, _): &(Class, &str)| -> Vec<f64> {
        labels.iter().map(|label| f64::from(u8::from(label == class))).collect()
    };
    let targets: Vec<Vec<f64>> = Class::ALL.iter().map(target).collect();
    let forest = settings.classes.fit(&table.columns, &targets, &table.weights, &())?;
    Forest::new(targets.len(), width, &forest.trees).map_err(|error| core(&error))
}

/// What was found on a page, out of fold.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// The probability of each block to be content.
    pub scores: Vec<f32>,
    /// The probabilities of the classes for each block, in the order of [`Class::ALL`].
    pub classes: Vec<[f32; Class::ALL.len()]>,
    /// The set of blocks with the greatest expected F1.
    pub kept: Vec<bool>,
    /// The F1 that is expected of these.
    pub expected: f32,
    /// The F1 of the main text; `None` where there is no gold text.
    pub f1: Option<F1>,
}

/// Scores a page with a model that did not learn from it.
pub(super) fn outcome(
    model: &StrataModel,
    page: &Sample,
    settings: &TrainingOptions,
) -> (Outcome, Rows) {
    let mut rows = page.observations.rows().clone();
    add_words(&mut rows, &page.observations, &model.vocabulary);
    settings.blind(&mut rows);
    let first = model.first_scores(&rows);
    add_scores(&mut rows, &page.observations, &page.words, &first);
    settings.blind(&mut rows);
    let scores = model.second_scores(&rows);
    let classes = model.class_shares(&rows);
    let (kept, expected) = best_set(&scores, &page.words, 1.0);
    (Outcome { scores, classes, kept, expected, f1: None }, rows)
}

/// The rows of pages by which their types and the confidence are told.
struct PageRows {
    rows: HashMap<usize, Vec<f32>>,
}

impl PageRows {
    fn columns(&self, pages: &[usize]) -> Vec<Vec<f64>> {
        let width = pages.first().map_or(0, |page| self.rows[page].len());
        let of_pages =
            |column: usize| pages.iter().map(|page| f64::from(self.rows[page][column])).collect();
        (0..width).map(of_pages).collect()
    }
}

/// Learns what signs say of the types of pages, and reads pages by that: each by what pages of other
/// parts taught.
fn page_rows(
    model: &mut PageModel,
    samples: &Samples,
    pages: &[usize],
    outcomes: &[Outcome],
) -> PageRows {
    let typed = typed(samples, pages);
    let mut rows: HashMap<usize, Vec<f32>> = HashMap::new();
    for own in 0..PARTS {
        let is_own = |page: usize| samples.pages[page].site % PARTS == own;
        let others: Vec<_> = typed.iter().copied().filter(|(page, _)| !is_own(*page)).collect();
        model.signs = signs(samples, &others);
        for page in pages.iter().copied().filter(|page| is_own(*page)) {
            rows.insert(page, page_row(model, &samples.pages[page], &outcomes[page]));
        }
    }
    model.signs = signs(samples, &typed);
    PageRows { rows }
}

fn typed(samples: &Samples, pages: &[usize]) -> Vec<(usize, PageType)> {
    let of = |page: &usize| Some((*page, samples.pages[*page].page_type?));
    pages.iter().filter_map(of).collect()
}

/// Adds what tells the types of pages, from what was found on pages out of fold.
pub(super) fn page_types(
    model: &mut PageModel,
    samples: &Samples,
    pages: &[usize],
    outcomes: &[Outcome],
    settings: &TrainingOptions,
) -> Result<(), Error> {
    let rows = page_rows(model, samples, pages, outcomes);
    let (pages, types): (Vec<usize>, Vec<PageType>) = typed(samples, pages).into_iter().unzip();
    if pages.is_empty() {
        return Err(Error::new(
            "no set tells the types of its pages, in the second column of meta.tsv",
        ));
    }
    let target = |(kind, _): &(PageType, &str)| -> Vec<f64> {
        types.iter().map(|known| f64::from(u8::from(known == kind))).collect()
    };
    let targets: Vec<Vec<f64>> = PageType::ALL.iter().map(target).collect();
    let columns = rows.columns(&pages);
    let forest = settings.page_types.fit(&columns, &targets, &vec![1.0; pages.len()], &())?;
    model.page_types = Forest::new(PageType::ALL.len(), columns.len(), &forest.trees)
        .map_err(|error| core(&error))?;
    Ok(())
}

/// Adds what tells the confidence in pages, from how right they are out of fold.
pub(super) fn confidence(
    model: &mut PageModel,
    samples: &Samples,
    pages: &[usize],
    outcomes: &[Outcome],
    settings: &TrainingOptions,
) -> Result<(), Error> {
    let rows = page_rows(model, samples, pages, outcomes);
    let pages: Vec<usize> =
        pages.iter().copied().filter(|page| outcomes[*page].f1.is_some()).collect();
    let good = |page: &usize| {
        f64::from(u8::from(outcomes[*page].f1.is_some_and(|f1| f1.own >= super::GOOD)))
    };
    let targets: Vec<f64> = pages.iter().map(good).collect();
    let columns = rows.columns(&pages);
    let forest = settings.confidence.fit(&columns, &[targets], &vec![1.0; pages.len()], &())?;
    model.confidence =
        Forest::new(1, columns.len(), &forest.trees).map_err(|error| core(&error))?;
    Ok(())
}

/// Decides what the main text of a page of a known type is, and how right that is.
pub(super) fn finish(
    page: &Sample,
    page_type: PageType,
    own: Convention,
    outcome: &mut Outcome,
) -> Result<(), Error> {
    let kept = decide(&page.observations, &page.words, &outcome.scores, page_type, 1.0);
    let content: Vec<bool> =
        kept.iter().zip(&page.unseen).map(|(kept, not)| *kept && !not).collect();
    outcome.f1 = page.f1(&content, page_type, own)?;
    Ok(())
}

/// What a page's type and the confidence are told from.
pub(super) fn page_row(model: &PageModel, page: &Sample, outcome: &Outcome) -> Vec<f32> {
    let Outcome { scores, kept, expected, .. } = outcome;
    let found = Found { words: &page.words, scores, kept, expected: *expected };
    model.row(&page.observations, &found)
}

/// For each type of page, what signs say: logarithms of odds against all other types.
fn signs(samples: &Samples, pages: &[(usize, PageType)]) -> Vec<Vocabulary> {
    let mut seen: HashMap<Token, (HashSet<u32>, [f64; PageType::ALL.len()])> = HashMap::new();
    for (page, kind) in pages {
        let page = &samples.pages[*page];
        for sign in page.observations.signs() {
            let (sites, counts) = seen.entry(*sign).or_default();
            sites.insert(page.site);
            counts[*kind as usize] += 1.0;
        }
    }
    let of_type = |(kind, _): &(PageType, &str)| {
        let own = pages.iter().filter(|(_, known)| known == kind).count() as f64;
        let prior = (own + 1.0) / (pages.len() as f64 - own + 1.0);
        let known = seen.iter().filter(|(_, (sites, _))| sites.len() >= SITES_OF_SIGNS);
        Vocabulary::new(known.map(|(token, (_, counts))| {
            let (own, all) = (counts[*kind as usize], counts.iter().sum::<f64>());
            let odds = (own + prior) / (all - own + 1.0);
            (*token, (odds / prior).ln() as f32)
        }))
    };
    PageType::ALL.iter().map(of_type).collect()
}
