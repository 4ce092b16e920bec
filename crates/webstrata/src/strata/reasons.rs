//! Why the trees of `strata` score a block as they do, in words.
//!
//! A tree adds one leaf to a block's score. On the way to that leaf, every test changes what is to be expected: before
//! it, the mean of the leaves that are left; behind it, the mean of those that still are. The change belongs to the
//! feature that the test asks for. All changes together, and what is expected before the first test, are the score:
//! nothing is left over (Saabas 2014; Palczewska et al. 2013).
//!
//! A mean needs weights. Both branches of a test count alike, and each of them more by the blocks of the page that go its
//! way. So what is alike all over the page counts for less than what tells its blocks apart.
//!
//! The second pass asks for the score of the first. What it makes of it belongs to what the first pass looked at, in the
//! same shares.

mod attribution;
mod wording;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use self::attribution::Attribution;
use self::wording::{Features, Wording};
use super::model::StrataModel;
use crate::clock::{ATOMS_PER_CHECK, Steps};
use crate::page::Page;

/// Reasons that are told on each side.
const MOST: usize = 4;

/// Weights below this are not worth a word.
const LEAST: f32 = 0.05;

/// What speaks for and against a block, by the trees of `strata`.
///
/// The score is in log-odds: at 0 content is as likely as not, 2 is 88 in 100. Of `strata-max` and `strata+site`, it is
/// what the trees alone say.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct Reasons {
    /// The score of the block.
    pub score: f32,
    /// What is expected before anything is known of the block.
    pub base: f32,
    /// The strongest reasons for and against, the strongest first.
    pub reasons: Vec<Reason>,
    /// What all others add up to: `base`, the weights of `reasons` and this are `score`.
    pub rest: f32,
}

/// One thing that speaks for or against a block.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct Reason {
    /// What was looked at, one of a few names: `links`, `container`, `names`, …
    pub about: String,
    /// What was found, in words: "no links", "class `story-body`".
    pub text: String,
    /// How much it adds to the score.
    pub weight: f32,
}

impl Reasons {
    /// The strongest reasons on one line: "no links (+0.8), in `footer` (−2.1)".
    pub fn line(&self) -> String {
        let each = self.reasons.iter().map(|reason| {
            let sign = if reason.weight < 0.0 { '−' } else { '+' };
            format!("{} ({sign}{:.1})", reason.text, reason.weight.abs())
        });
        each.collect::<Vec<_>>().join(", ")
    }
}

/// The model that has judged a page.
#[derive(Clone, Debug)]
pub(crate) enum Judge {
    BuiltIn,
    Own(Arc<StrataModel>),
}

impl Judge {
    pub(crate) fn of(own: Option<&Arc<StrataModel>>) -> Judge {
        own.map_or(Judge::BuiltIn, |model| Judge::Own(model.clone()))
    }

    fn model(&self) -> &StrataModel {
        match self {
            Judge::BuiltIn => StrataModel::builtin(),
            Judge::Own(model) => model,
        }
    }
}

/// The reasons for each block that there is time for; none where no trees have judged the page.
pub(crate) fn reasons_of(page: &Page<'_>) -> Vec<Reasons> {
    let document = &page.document;
    let (Some(judge), Some(observations)) = (&document.judge, document.observations.as_deref())
    else {
        return Vec::new();
    };
    let model = judge.model();
    let rows = observations.rows();
    let features = Features::get();
    if rows.width() < features.len() || document.clock.passed() {
        return Vec::new();
    }
    let (first, second) =
        (Attribution::of(&model.first, rows), Attribution::of(&model.second, rows));
    let mut weights = vec![0.0; features.len()];
    let mut below = vec![0.0; features.len()];
    let mut steps = Steps::default();
    let mut all = Vec::with_capacity(rows.len());
    for block in 0..rows.len() {
        if steps.are_over(&document.clock, ATOMS_PER_CHECK) {
            break;
        }
        second.weigh(rows, block, &mut weights);
        first.weigh(rows, block, &mut below);
        hand_down(&mut weights, &below, features.own_score);
        let wording = Wording { page, observations, model, block };
        all.push(told(second.base, &weights, &wording));
    }
    all
}

/// Hands what the second pass makes of the first one's score to what the first pass has looked at. Only where both point
/// the same way: otherwise its reasons would turn into their opposites.
fn hand_down(weights: &mut [f64], below: &[f64], own_score: usize) {
    let (weight, sum) = (weights[own_score], below.iter().sum::<f64>());
    if sum.abs() < 0.1 || weight * sum <= 0.0 {
        return;
    }
    weights[own_score] = 0.0;
    for (weight_here, part) in weights.iter_mut().zip(below) {
        *weight_here += weight * part / sum;
    }
}

/// The strongest reasons in words, and the rest.
fn told(base: f64, weights: &[f64], wording: &Wording<'_>) -> Reasons {
    let score = base + weights.iter().sum::<f64>();
    let mut reasons = wording.reasons(weights);
    reasons.sort_by(|a, b| b.weight.abs().total_cmp(&a.weight.abs()));
    let mut counts = [0, 0];
    reasons.retain(|reason| {
        let count = &mut counts[usize::from(reason.weight < 0.0)];
        *count += 1;
        reason.weight.abs() >= LEAST && *count <= MOST
    });
    let told: f64 = reasons.iter().map(|reason| f64::from(reason.weight)).sum();
    let rest = score - base - told;
    Reasons { score: score as f32, base: base as f32, reasons, rest: rest as f32 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strata::rows::Rows;
    use crate::{Extractor, Options};

    const PAGE: &str = "<html><title>High water comes later</title><body>\
        <nav class=menu><ul><li><a href=/>Home</a><li><a href=/news>News</a><li><a href=/sport>Sport</a></ul></nav>\
        <main class=story-body><h1>High water comes later</h1>\
        <p>High water at the harbour bar comes half an hour later than the printed table says, because the new \
        breakwater slows the last of the flood on its way in.\
        <p>The harbour office has printed a second table, which visiting boats can have for nothing at the window, \
        and asks them to throw the first one away before they do anything else.</main>\
        <footer class=footer><a href=/imprint>Imprint</a> <a href=/privacy>Privacy</a> © 2026</footer>";

    fn page(extractor: &str) -> Page<'static> {
        let extractor = Extractor::named(extractor).unwrap();
        extractor.extract_page(PAGE.as_bytes(), &Options::default())
    }

    /// The scores of the trees as log-odds, the slow way: the probability turned back.
    fn log_odds(probability: f32) -> f32 {
        (probability / (1.0 - probability)).ln()
    }

    #[test]
    fn base_and_reasons_are_the_score() {
        let page = page("strata");
        let all = reasons_of(&page);
        assert_eq!(all.len(), page.document.atoms.len());
        for (block, own) in page.document.blocks.iter().zip(&all) {
            let sum: f32 = own.reasons.iter().map(|reason| reason.weight).sum();
            assert!((own.base + sum + own.rest - own.score).abs() < 1e-3, "{own:?}");
            assert!((own.score - log_odds(block.score)).abs() < 1e-2, "{own:?}: {}", block.score);
        }
    }

    /// The sum of both passes, block by block, against what the forests themselves say.
    #[test]
    fn every_forest_is_taken_apart_without_a_rest() {
        let page = page("strata");
        let rows = page.document.observations.as_ref().unwrap().rows();
        let model = StrataModel::builtin();
        let mut weights = vec![0.0; Features::get().len()];
        for forest in [&model.first, &model.second] {
            let scores = forest.scores(rows);
            let attribution = Attribution::of(forest, rows);
            for (block, score) in scores.iter().enumerate() {
                attribution.weigh(rows, block, &mut weights);
                let sum = attribution.base + weights.iter().sum::<f64>();
                assert!((sum - f64::from(*score)).abs() < 1e-3, "{sum} {score}");
            }
        }
        // A single block has no others to be compared with; the sum holds all the same.
        let one = Rows::one(&(0..rows.width()).map(|at| rows.get(0, at)).collect::<Vec<_>>());
        let attribution = Attribution::of(&model.second, &one);
        attribution.weigh(&one, 0, &mut weights);
        let sum = attribution.base + weights.iter().sum::<f64>();
        assert!((sum - f64::from(model.second.scores(&one)[0])).abs() < 1e-3);
    }

    #[test]
    fn what_is_handed_down_adds_up() {
        let mut weights = vec![1.0, -0.5, 2.0];
        hand_down(&mut weights, &[3.0, 1.0, 0.0], 2);
        assert_eq!(weights, [2.5, 0.0, 0.0]);
        // Against each other, and next to nothing.
        for below in [[-3.0, 1.0, 0.0], [0.05, 0.0, 0.0]] {
            let mut weights = vec![1.0, -0.5, 2.0];
            hand_down(&mut weights, &below, 2);
            assert_eq!(weights, [1.0, -0.5, 2.0]);
        }
    }

    #[test]
    fn reasons_are_words() {
        let page = page("strata");
        let all = reasons_of(&page);
        let of = |text: &str| {
            let is_it = |block: &usize| page.document.atom_text(*block).starts_with(text);
            &all[(0..all.len()).find(is_it).unwrap()]
        };
        let (text, menu, footer) = (of("High water at"), of("Home"), of("Imprint"));
        assert!(text.score > 0.0 && menu.score < 0.0 && footer.score < 0.0);
        assert!(text.reasons.iter().any(|reason| reason.weight > 0.0), "{text:?}");
        assert!(menu.reasons[0].weight < 0.0, "{menu:?}");
        for own in &all {
            assert!(own.reasons.len() <= 2 * MOST);
            assert!(own.reasons.iter().all(|reason| !reason.text.is_empty()));
        }
        let line = text.line();
        assert!(line.contains("(+") && !line.contains('\n'), "{line}");
    }

    #[test]
    fn pages_without_trees_have_no_reasons() {
        assert_eq!(reasons_of(&page("article")), []);
        assert_eq!(reasons_of(&page("container")), []);
    }
}
