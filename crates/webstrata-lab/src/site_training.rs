//! Learns the model of `strata+site` from streams of pages with gold texts.
//!
//! A page of a stream comes with what its site's earlier pages say ([`webstrata::site`]); what is
//! learned is the verdict on a block, given that. All pages of a site are in one fold.

use std::collections::HashMap;

use rayon::prelude::*;
use webstrata::training::site::{SiteModel, feature_names, rows};
use webstrata::training::strata::Rows;
use webstrata::training::strata::forest::Forest;
use webstrata::{Document, Error as CoreError};

use crate::trainers::Boost;
use crate::{Error, Progress, folds, gold};

/// A page of a stream, as the model sees it.
pub struct SitePage {
    site: u32,
    rows: Rows,
    /// Whether each block is content…
    targets: Vec<f64>,
    /// … and what that matters.
    weights: Vec<f64>,
}

/// Blocks of few words are content only where all of them are in the gold text.
const SHORT: u32 = 3;
/// What a block weighs beyond its share of the gold text's words: many short blocks are a page's menu.
const LEAST: f64 = 0.002;
/// What the blocks of a site weigh together, against `l2` and `min_leaf_weight` of the trees.
const SITE_WEIGHT: f64 = 12_000.0;

impl SitePage {
    /// A page whose document knows its site and was judged by itself; `None` where it knows nothing, or the
    /// gold text is empty.
    pub fn of(site: u32, document: &Document, gold_text: &str) -> Option<SitePage> {
        let words = gold_text.split_whitespace().count().max(1) as f64;
        let rows = rows(document).filter(|_| !gold_text.trim().is_empty())?;
        let shares = gold::shares(document, gold_text);
        let is_content = |(block, share): (&webstrata::Block, &f32)| {
            let least = if block.counts.words <= SHORT { 0.99 } else { 0.5 };
            f64::from(u8::from(*share >= least && block.counts.words > 0))
        };
        let weigh =
            |block: &webstrata::Block| (f64::from(block.counts.words) / words).min(1.0) + LEAST;
        Some(SitePage {
            site,
            rows,
            targets: document.blocks.iter().zip(&shares).map(is_content).collect(),
            weights: document.blocks.iter().map(weigh).collect(),
        })
    }

    /// The site that it is of.
    pub fn site(&self) -> u32 {
        self.site
    }

    /// What a model says of its blocks.
    pub fn scores(&self, model: &SiteModel) -> Vec<f32> {
        model.scores(&self.rows)
    }
}

/// The trees: small ones, since what is to be learned is simple and sites are few.
pub fn boost(rounds: usize) -> Boost {
    Boost {
        rounds,
        leaves: 8,
        learning_rate: 0.08,
        l2: 5.0,
        min_leaf_weight: 5.0,
        column_share: 0.6,
        ..Boost::default()
    }
}

/// Trains a model on some pages.
///
/// # Errors
///
/// Where there are none.
pub fn train(
    pages: &[&SitePage],
    boost: &Boost,
    progress: &impl Progress,
) -> Result<SiteModel, Error> {
    let mut of_site: HashMap<u32, f64> = HashMap::new();
    for page in pages {
        *of_site.entry(page.site).or_default() += page.weights.iter().sum::<f64>();
    }
    let column = |column: usize| -> Vec<f64> {
        let values = |page: &&SitePage| -> Vec<f64> {
            (0..page.rows.len()).map(|row| page.rows.get(row, column).into()).collect()
        };
        pages.iter().flat_map(values).collect()
    };
    let width = feature_names().len();
    let columns: Vec<Vec<f64>> = (0..width).into_par_iter().map(column).collect();
    let targets: Vec<f64> = pages.iter().flat_map(|page| page.targets.iter().copied()).collect();
    let weigh = |page: &&SitePage| -> Vec<f64> {
        let scale = SITE_WEIGHT / of_site[&page.site].max(f64::MIN_POSITIVE);
        page.weights.iter().map(|weight| weight * scale).collect()
    };
    let weights: Vec<f64> = pages.iter().flat_map(weigh).collect();
    let grown = boost.fit(&columns, &[targets], &weights, progress)?;
    let forest = Forest::new(1, width, &grown.trees);
    Ok(SiteModel { forest: forest.map_err(|error: CoreError| Error::new(error.to_string()))? })
}

/// For each page, given its site, the fold that it is in: all pages of a site are in one.
pub fn folds(sites: &[u32], count: usize, seed: u64) -> Vec<u8> {
    folds::grouped(sites, &vec![1.0; sites.len()], count, seed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use webstrata::Extractor;
    use webstrata::site::{Sighting, Site};

    /// Pages of two paragraphs, of which the place says which one is content.
    fn page(site: u32, number: u32) -> SitePage {
        let text = format!(
            "The tide of day {number} came early and the ferry left before noon, they said."
        );
        let html = format!(
            "<p>{text}<p>Subscribe to our letters now, and you will never miss a tide again."
        );
        let mut document = Extractor::named("strata").unwrap().extract(html.as_bytes());
        document.blocks.iter_mut().for_each(|block| block.score = 0.7);
        let sightings = vec![
            Sighting { repeated: 1, pages: 1, place: 9, kept: 8 },
            Sighting { repeated: 9, pages: 9, place: 9, kept: 1 },
        ];
        document.site = Some(Box::new(Site { pages: 9, below: 9, most: 1, sightings }));
        SitePage::of(site, &document, &text).unwrap()
    }

    #[test]
    fn places_are_learned() {
        let pages: Vec<SitePage> = (0..40).map(|number| page(number % 4, number)).collect();
        let model = train(&pages.iter().collect::<Vec<_>>(), &boost(20), &()).unwrap();
        let scores = pages[0].scores(&model);
        assert!(scores[0] > 0.8 && scores[1] < 0.2, "{scores:?}");
        let sites: Vec<u32> = pages.iter().map(SitePage::site).collect();
        let folds = folds(&sites, 2, 1);
        assert!((0..40).all(|at| folds[at] == folds[at % 4]));
        assert!(train(&[], &boost(1), &()).is_err());
    }
}
