//! The model: what was learned, and how a page is judged by it.

use std::sync::LazyLock;

use super::bytes::{Reader, Writer, damaged};
use super::decision::{best_set, decide};
use super::features::{self, word_names};
use super::forest::Forest;
use super::observations::Observations;
use super::page_features::{self, Found};
use super::page_type::PageType;
use super::rows::{Rows, lengthen, shorten};
use super::second_pass;
use super::tokens::{Token, Vocabulary};
use crate::class::Class;
use crate::error::{Error, ErrorKind};

/// How model files begin, with the version of their format.
pub(super) const MAGIC: &[u8] = b"webstrata strata model 1\n";

/// What `strata` learned.
///
/// Every part is a forest of boosted trees over numbers that [`features`] describes. `first` sees a
/// block and its page; `second` also sees what `first` said of the blocks around; `classes` tells
/// what kind of content or boilerplate a block is; `page_types` and `confidence` see sums over the
/// page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StrataModel {
    /// What words of classes, ids and short texts say.
    pub vocabulary: Vocabulary,
    /// For each type of page, what its signs say.
    pub signs: Vec<Vocabulary>,
    /// The probability that a block is content.
    pub first: Forest,
    /// The same, with a look around.
    pub second: Forest,
    /// The kinds of blocks, in the order of [`Class::ALL`].
    pub classes: Forest,
    /// The types of pages, in the order of [`PageType::ALL`].
    pub page_types: Forest,
    /// The probability that the text found is nearly right.
    pub confidence: Forest,
}

/// What the model says of a page.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// The probability of each block to be content.
    pub scores: Vec<f32>,
    /// Whether each block is kept.
    pub kept: Vec<bool>,
    /// The probabilities of the classes for each block, in the order of [`Class::ALL`].
    pub classes: Vec<[f32; Class::ALL.len()]>,
    /// The most probable type of the page.
    pub page_type: PageType,
    /// The probability that the text found is nearly right.
    pub confidence: f32,
}

/// How many features the first pass looks at, and the second.
pub fn widths() -> (usize, usize) {
    let first = features::names().len() + word_names().len();
    (first, first + second_pass::NAMES.len())
}

/// Adds what words say, for the first pass.
pub fn add_words(rows: &mut Rows, page: &Observations, vocabulary: &Vocabulary) {
    let from = features::names().len();
    for (block, words) in page.word_features(vocabulary).iter().enumerate() {
        rows.set(block, from, words);
    }
}

/// Adds what the second pass looks at, given the scores of the first.
pub fn add_scores(rows: &mut Rows, page: &Observations, words: &[f32], scores: &[f32]) {
    let (from, _) = widths();
    for (block, scores) in second_pass::features(page, words, scores).iter().enumerate() {
        rows.set(block, from, scores);
    }
}

static BUILTIN: LazyLock<StrataModel> = LazyLock::new(|| {
    StrataModel::from_bytes(include_bytes!("../models/strata.model"))
        .expect("the built-in model is tested")
});

impl StrataModel {
    /// The model that comes with the library.
    pub fn builtin() -> &'static StrataModel {
        &BUILTIN
    }

    /// The probability of each block to be content. What the passes look at is added to the rows.
    pub fn scores(&self, rows: &mut Rows, page: &Observations, words: &[f32]) -> Vec<f32> {
        add_words(rows, page, &self.vocabulary);
        let first = self.first_scores(rows);
        add_scores(rows, page, words, &first);
        self.second_scores(rows)
    }

    /// The scores of the first pass.
    pub fn first_scores(&self, rows: &Rows) -> Vec<f32> {
        probabilities(self.first.scores(rows))
    }

    /// The scores of the second pass.
    pub fn second_scores(&self, rows: &Rows) -> Vec<f32> {
        probabilities(self.second.scores(rows))
    }

    /// The probabilities of the classes for each block, in the order of [`Class::ALL`].
    pub fn class_shares(&self, rows: &Rows) -> Vec<[f32; Class::ALL.len()]> {
        let scores = self.classes.scores(rows);
        let of_block = |scores: &[f32]| {
            let mut classes = [0.0; Class::ALL.len()];
            classes.copy_from_slice(&shares(scores));
            classes
        };
        scores.chunks_exact(Class::ALL.len()).map(of_block).collect()
    }

    /// Judges a page whose blocks have so many words each. `recall` is the weight of recall.
    pub fn judge(&self, page: &mut Observations, words: &[f32], recall: f64) -> Judgement {
        let mut rows = page.take_rows();
        let scores = self.scores(&mut rows, page, words);
        let classes = self.class_shares(&rows);
        page.put_rows(rows);
        // The page is judged by what is kept without favour, or its type would change with it.
        let (kept, expected) = best_set(&scores, words, 1.0);
        let row = self.page_row(page, &Found { words, scores: &scores, kept: &kept, expected });
        let (page_type, confidence) = self.judge_page(&row);
        let kept = decide(page, words, &scores, page_type, recall);
        Judgement { kept, classes, page_type, confidence, scores }
    }

    /// The type of a page and the confidence in its text, by its row.
    pub fn judge_page(&self, row: &[f32]) -> (PageType, f32) {
        let rows = Rows::one(row);
        let types = self.page_types.scores(&rows);
        let types = PageType::ALL.iter().zip(types);
        let best = types.reduce(|a, b| if b.1 > a.1 { b } else { a });
        let page_type = best.map_or(PageType::Article, |((kind, _), _)| *kind);
        let confidence = probabilities(self.confidence.scores(&rows));
        (page_type, confidence.first().copied().unwrap_or(0.0))
    }

    /// What the page's type and the confidence are told from.
    pub fn page_row(&self, page: &Observations, found: &Found<'_>) -> Vec<f32> {
        let mut row = page_features::features(page, found);
        for signs in &self.signs {
            let odds = page.signs().iter().filter_map(|sign| signs.odds(*sign));
            row.push(odds.sum());
        }
        // What forests see of it, so that they learn from nothing else.
        row.iter_mut().for_each(|value| *value = lengthen(shorten(*value)));
        row
    }

    /// The model as a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut to = Writer::default();
        to.bytes(MAGIC);
        // A model is of use only with the features that it was trained on.
        let (first, second) = widths();
        to.u32(first as u32);
        to.u32(second as u32);
        to.u32(self.signs.len() as u32);
        for vocabulary in std::iter::once(&self.vocabulary).chain(&self.signs) {
            let entries = vocabulary.entries();
            to.u32(entries.len() as u32);
            for (token, odds) in entries {
                to.u32(token);
                to.f32(odds);
            }
        }
        for forest in [&self.first, &self.second, &self.classes, &self.page_types, &self.confidence]
        {
            forest.write(&mut to);
        }
        to.finish()
    }

    /// Reads a model file.
    ///
    /// # Errors
    ///
    /// Where the bytes are none, or it was trained for other features than this version has.
    pub fn from_bytes(bytes: &[u8]) -> Result<StrataModel, Error> {
        let mut from = Reader::new(bytes);
        from.begins(MAGIC)?;
        let (first, second) = widths();
        let trained = (from.u32()? as usize, from.u32()? as usize);
        if trained != (first, second) {
            let why = format!(
                "the model was trained for {} and {} features, this version has {first} and \
                 {second}: train it again",
                trained.0, trained.1
            );
            return Err(Error::new(why).of_kind(ErrorKind::ModelVersion));
        }
        let mut model = StrataModel::default();
        let signs = from.u32()? as usize;
        if signs > PageType::ALL.len() {
            return Err(damaged("it knows more types of pages than there are"));
        }
        model.vocabulary = vocabulary(&mut from)?;
        for _ in 0..signs {
            model.signs.push(vocabulary(&mut from)?);
        }
        model.first = Forest::read(&mut from, 1)?;
        model.second = Forest::read(&mut from, 1)?;
        model.classes = Forest::read(&mut from, Class::ALL.len())?;
        model.page_types = Forest::read(&mut from, PageType::ALL.len())?;
        model.confidence = Forest::read(&mut from, 1)?;
        from.ends()?;
        Ok(model)
    }
}

fn vocabulary(from: &mut Reader<'_>) -> Result<Vocabulary, Error> {
    let count = from.u32()?;
    let entry = |_| Ok((from.u32()?, from.odds()?));
    let entries: Vec<(Token, f32)> = (0..count).map(entry).collect::<Result<_, Error>>()?;
    Ok(Vocabulary::new(entries))
}

/// Probabilities out of log-odds.
fn probabilities(mut scores: Vec<f32>) -> Vec<f32> {
    scores.iter_mut().for_each(|score| *score = 1.0 / (1.0 + exp(-*score)));
    scores
}

/// The same bits on every platform: their libraries differ in the last bits of an exponential, and 64 bits leave next
/// to none of these when they are rounded to 32.
fn exp(power: f32) -> f32 {
    f64::from(power).exp() as f32
}

/// Shares that add up to 1 out of their logarithms.
fn shares(scores: &[f32]) -> Vec<f32> {
    let greatest = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let powers: Vec<f32> = scores.iter().map(|score| exp(score - greatest)).collect();
    let sum: f32 = powers.iter().sum();
    powers.iter().map(|power| power / sum).collect()
}
