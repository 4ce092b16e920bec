//! The model of `strata-max`: a network that looks again at what the trees of `strata` scored.

use std::sync::LazyLock;

use super::bytes::{Reader, Writer};
use super::forest::Forest;
use super::model::{check_widths, widths};
use super::network::Network;
use super::page_model::{PageModel, read_signs, read_vocabulary, write_vocabularies};
use super::page_type::PageType;
use super::rows::Rows;
use crate::clock::Clock;
use crate::error::Error;

/// How model files begin, with the version of their format.
pub(super) const MAGIC: &[u8] = b"webstrata strata-max model 1\n";

/// How much the network's log-odds count beside those of the trees.
const SHARE: f32 = 0.5;

/// What `strata-max` learned beyond `strata`.
#[derive(Clone, Debug, PartialEq)]
pub struct MaxModel {
    network: Network,
    /// Types of pages and confidence, by the scores of both.
    pub pages: PageModel,
}

static BUILTIN: LazyLock<MaxModel> = LazyLock::new(|| {
    MaxModel::from_bytes(include_bytes!("../models/strata-max.model"))
        .expect("the built-in model is tested")
});

impl MaxModel {
    /// The model that comes with the library.
    pub fn builtin() -> &'static MaxModel {
        &BUILTIN
    }

    /// A model of a network as a trainer writes it, without anything about pages.
    ///
    /// # Errors
    ///
    /// Where the bytes are no whole network for the features of this version.
    pub fn of_network(bytes: &[u8]) -> Result<MaxModel, Error> {
        let mut from = Reader::new(bytes);
        let network = Network::read(&mut from, widths().1)?;
        from.ends()?;
        Ok(MaxModel { network, pages: PageModel::default() })
    }

    /// The probability of each block to be content, given what the trees say of it and what they looked at.
    pub fn scores(&self, rows: &Rows, words: &[f32], trees: &[f32]) -> Vec<f32> {
        self.scores_in_time(rows, words, trees, &Clock::default()).expect("a clock without an end")
    }

    /// The same, unless the time is over before.
    pub(super) fn scores_in_time(
        &self,
        rows: &Rows,
        words: &[f32],
        trees: &[f32],
        clock: &Clock,
    ) -> Option<Vec<f32>> {
        let network = self.network.scores(rows, words, clock)?;
        let both = trees.iter().zip(network).map(|(trees, network)| join(*trees, network));
        Some(both.collect())
    }

    /// The model as a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut to = Writer::default();
        to.bytes(MAGIC);
        let (first, second) = widths();
        to.u32(first as u32);
        to.u32(second as u32);
        self.network.write(&mut to);
        to.u32(self.pages.signs.len() as u32);
        write_vocabularies(self.pages.signs.iter(), &mut to);
        self.pages.page_types.write(&mut to);
        self.pages.confidence.write(&mut to);
        to.finish()
    }

    /// Reads a model file.
    ///
    /// # Errors
    ///
    /// Where the bytes are none, or it was trained for other features than this version has.
    pub fn from_bytes(bytes: &[u8]) -> Result<MaxModel, Error> {
        let mut from = Reader::new(bytes);
        from.begins(MAGIC)?;
        check_widths(&mut from)?;
        let network = Network::read(&mut from, widths().1)?;
        let signs = read_signs(&mut from)?;
        let signs = (0..signs).map(|_| read_vocabulary(&mut from)).collect::<Result<_, _>>()?;
        let page_types = Forest::read(&mut from, PageType::ALL.len())?;
        let confidence = Forest::read(&mut from, 1)?;
        from.ends()?;
        Ok(MaxModel { network, pages: PageModel { signs, page_types, confidence } })
    }
}

/// The probability that trees and network give together: the mean of their log-odds, as probabilities.
pub fn join(trees: f32, network: f32) -> f32 {
    // Trees are never as sure as that.
    let trees = f64::from(trees).clamp(1e-6, 1.0 - 1e-6);
    let odds = (trees / (1.0 - trees)).ln();
    let odds = f64::from(SHARE) * f64::from(network) + f64::from(1.0 - SHARE) * odds;
    (1.0 / (1.0 + (-odds).exp())) as f32
}
