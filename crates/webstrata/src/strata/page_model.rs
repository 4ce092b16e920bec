//! What was learned of whole pages: their types, and how far to trust their texts.

use super::bytes::{Reader, Writer, damaged};
use super::decision::best_set;
use super::forest::Forest;
use super::observations::Observations;
use super::page_features::{self, Found};
use super::page_type::PageType;
use super::rows::{Rows, lengthen, shorten};
use super::tokens::Vocabulary;
use crate::error::Error;

/// Forests over sums of what was found on a page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PageModel {
    /// For each type of page, what its signs say.
    pub signs: Vec<Vocabulary>,
    /// The types of pages, in the order of [`PageType::ALL`].
    pub page_types: Forest,
    /// The probability that the text found is nearly right.
    pub confidence: Forest,
}

impl PageModel {
    /// The type of a page and the confidence in its text, given the probability of each block to be content. The page
    /// is judged by what is kept without favour, or its type would change with it.
    pub(super) fn judge(
        &self,
        page: &Observations,
        words: &[f32],
        scores: &[f32],
    ) -> (PageType, f32) {
        let (kept, expected) = best_set(scores, words, 1.0);
        self.judge_row(&self.row(page, &Found { words, scores, kept: &kept, expected }))
    }

    /// The type of a page and the confidence in its text, by its row.
    pub fn judge_row(&self, row: &[f32]) -> (PageType, f32) {
        let rows = Rows::one(row);
        let types = self.page_types.scores(&rows);
        let types = PageType::ALL.iter().zip(types);
        let best = types.reduce(|a, b| if b.1 > a.1 { b } else { a });
        let page_type = best.map_or(PageType::Article, |((kind, _), _)| *kind);
        let confidence = super::model::probabilities(self.confidence.scores(&rows));
        (page_type, confidence.first().copied().unwrap_or(0.0))
    }

    /// What the page's type and the confidence are told from.
    pub fn row(&self, page: &Observations, found: &Found<'_>) -> Vec<f32> {
        let mut row = page_features::features(page, found);
        for signs in &self.signs {
            let odds = page.signs().iter().filter_map(|sign| signs.odds(*sign));
            row.push(odds.sum());
        }
        // What forests see of it, so that they learn from nothing else.
        row.iter_mut().for_each(|value| *value = lengthen(shorten(*value)));
        row
    }
}

pub(super) fn write_vocabularies<'a>(
    vocabularies: impl Iterator<Item = &'a Vocabulary>,
    to: &mut Writer,
) {
    for vocabulary in vocabularies {
        let entries = vocabulary.entries();
        to.u32(entries.len() as u32);
        for (token, odds) in entries {
            to.u32(token);
            to.f32(odds);
        }
    }
}

pub(super) fn read_vocabulary(from: &mut Reader<'_>) -> Result<Vocabulary, Error> {
    let count = from.u32()?;
    Ok(Vocabulary::new(from.numbered_odds(count)?))
}

/// Reads how many signs follow.
pub(super) fn read_signs(from: &mut Reader<'_>) -> Result<usize, Error> {
    let signs = from.u32()? as usize;
    if signs > PageType::ALL.len() {
        return Err(damaged("it knows more types of pages than there are"));
    }
    Ok(signs)
}
