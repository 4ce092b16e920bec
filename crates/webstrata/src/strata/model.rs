//! The model: what was learned, and how a page is judged by it.

use std::sync::LazyLock;

use super::bytes::{Reader, Writer};
use super::decision::decide;
use super::features::{self, word_names};
use super::forest::Forest;
use super::max_model::MaxModel;
use super::observations::Observations;
use super::page_model::{PageModel, read_signs, read_vocabulary, write_vocabularies};
use super::page_type::PageType;
use super::rows::Rows;
use super::second_pass;
use super::tokens::Vocabulary;
use crate::class::Class;
use crate::clock::Clock;
use crate::error::{Error, ErrorKind};

/// How model files begin, with the version of their format.
pub(super) const MAGIC: &[u8] = b"webstrata strata model 1\n";

/// What `strata` learned.
///
/// Every part is a forest of boosted trees over numbers that [`features`] describes. `first` sees a
/// block and its page; `second` also sees what `first` said of the blocks around; `classes` tells
/// what kind of content or boilerplate a block is; `pages` sees sums over the page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StrataModel {
    /// What words of classes, ids and short texts say.
    pub vocabulary: Vocabulary,
    /// The probability that a block is content.
    pub first: Forest,
    /// The same, with a look around.
    pub second: Forest,
    /// The kinds of blocks, in the order of [`Class::ALL`].
    pub classes: Forest,
    /// Types of pages and confidence.
    pub pages: PageModel,
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

    /// Judges a page whose blocks have so many words each. `recall` is the weight of recall. Where the confidence is not
    /// above `max`'s number, that model is asked, too.
    pub fn judge(
        &self,
        page: &mut Observations,
        words: &[f32],
        recall: f64,
        max: Option<(&MaxModel, f32)>,
    ) -> Judgement {
        self.judge_in_time(page, words, recall, max, &Clock::default())
            .expect("a clock without an end")
    }

    /// The same, unless the time is over before; `max` is asked only if there is time for it.
    pub(crate) fn judge_in_time(
        &self,
        page: &mut Observations,
        words: &[f32],
        recall: f64,
        max: Option<(&MaxModel, f32)>,
        clock: &Clock,
    ) -> Option<Judgement> {
        let mut rows = page.take_rows();
        let mut scores = self.scores(&mut rows, page, words);
        if clock.passed() {
            return None;
        }
        let classes = self.class_shares(&rows);
        page.put_rows(rows);
        let (mut page_type, mut confidence) = self.pages.judge(page, words, &scores);
        if let Some((max, _)) = max.filter(|(_, below)| confidence <= *below)
            && let Some(both) = max.scores_in_time(page.rows(), words, &scores, clock)
        {
            scores = both;
            (page_type, confidence) = max.pages.judge(page, words, &scores);
        }
        let kept = decide(page, words, &scores, page_type, recall);
        Some(Judgement { kept, classes, page_type, confidence, scores })
    }

    /// The model as a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut to = Writer::default();
        to.bytes(MAGIC);
        // A model is of use only with the features that it was trained on.
        let (first, second) = widths();
        to.u32(first as u32);
        to.u32(second as u32);
        let PageModel { signs, page_types, confidence } = &self.pages;
        to.u32(signs.len() as u32);
        write_vocabularies(std::iter::once(&self.vocabulary).chain(signs), &mut to);
        for forest in [&self.first, &self.second, &self.classes, page_types, confidence] {
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
        check_widths(&mut from)?;
        let mut model = StrataModel::default();
        let signs = read_signs(&mut from)?;
        model.vocabulary = read_vocabulary(&mut from)?;
        for _ in 0..signs {
            model.pages.signs.push(read_vocabulary(&mut from)?);
        }
        model.first = Forest::read(&mut from, 1)?;
        model.second = Forest::read(&mut from, 1)?;
        model.classes = Forest::read(&mut from, Class::ALL.len())?;
        model.pages.page_types = Forest::read(&mut from, PageType::ALL.len())?;
        model.pages.confidence = Forest::read(&mut from, 1)?;
        from.ends()?;
        Ok(model)
    }
}

/// Checks that a model was trained for the features that this version has.
pub(super) fn check_widths(from: &mut Reader<'_>) -> Result<(), Error> {
    let (first, second) = widths();
    let trained = (from.u32()? as usize, from.u32()? as usize);
    if trained == (first, second) {
        return Ok(());
    }
    let why = format!(
        "the model was trained for {} and {} features, this version has {first} and {second}: train it again",
        trained.0, trained.1
    );
    Err(Error::new(why).of_kind(ErrorKind::ModelVersion))
}

/// Probabilities out of log-odds.
pub(super) fn probabilities(mut scores: Vec<f32>) -> Vec<f32> {
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
