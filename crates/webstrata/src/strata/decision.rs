//! Which blocks to keep, given the probability that each is content.

use std::ops::Range;

use super::observations::Observations;
use super::page_type::PageType;
use crate::class::Class;

/// The odds from which on a block of an article is kept.
const LINE: f64 = 1.25;

/// The words of a page that has next to no text.
const TINY: f32 = 50.0;

/// The share of the words of a row from which on it is kept whole, and the words that a row of data
/// has at most: longer ones arrange a page.
const WHOLE: f32 = 0.5;
const MAX_ROW: f32 = 60.0;

/// The blocks that, kept together, have the greatest expected F-measure of words.
///
/// With probabilities p and words w, keeping the set K gives (1 + β²)·Σ_K p·w / (Σ_K w + β²·Σ p·w).
/// Of sets of one size the best has the most probable blocks, so only as many sets are tried as there
/// are blocks. A greater β, which favours recall, never keeps fewer: where the longer of two sets wins
/// for some β, it wins for every greater one.
///
/// Returns whether each block is kept, and the expected measure.
pub fn best_set(probabilities: &[f32], words: &[f32], beta: f64) -> (Vec<bool>, f32) {
    let mut order: Vec<usize> = (0..probabilities.len()).collect();
    // A stable sort: of equal ones, the first of the page come first.
    order.sort_by(|a, b| probabilities[*b].total_cmp(&probabilities[*a]));
    let weigh = |block: usize| f64::from(probabilities[block]) * f64::from(words[block]);
    let beta_2 = beta * beta;
    let relevant = beta_2 * order.iter().map(|block| weigh(*block)).sum::<f64>();
    let (mut kept, mut hit, mut best, mut size) = (0.0, 0.0, 0.0, 0);
    for (index, block) in order.iter().enumerate() {
        kept += f64::from(words[*block]);
        hit += weigh(*block);
        let measure = (1.0 + beta_2) * hit / (kept + relevant).max(f64::MIN_POSITIVE);
        if measure > best {
            (best, size) = (measure, index + 1);
        }
    }
    let mut is_kept = vec![false; probabilities.len()];
    order[..size].iter().for_each(|block| is_kept[*block] = true);
    (is_kept, best as f32)
}

/// The blocks to keep of a page of a known type, `recall` being the weight of recall.
///
/// What of an article is content, annotators agree on block by block: there a line decides, and so it does on products.
/// Of discussions, teasers and offers each takes another part, and it is the whole that should come near: there the
/// expected measure decides. `docs/strata.md` has what lines and weights give on unseen sites.
pub fn decide(
    page: &Observations,
    words: &[f32],
    probabilities: &[f32],
    page_type: PageType,
    recall: f64,
) -> Vec<bool> {
    let best = |beta: f64| best_set(probabilities, words, beta * recall).0;
    let mut kept = match page_type {
        // Of a page that has next to no text, nothing is like the pages that the model knows. Whether it is one does not
        // depend on the weight of recall, or more of it could drop blocks.
        PageType::Article | PageType::Product if is_tiny(words, probabilities) => best(2.0),
        PageType::Article | PageType::Product => likely_set(probabilities, LINE, recall),
        PageType::Forum | PageType::Listing | PageType::Collection => best(1.0),
        PageType::Service => best(1.5),
        PageType::Documentation => best(2.0),
    };
    // What the page itself says is its recipe needs no guess, and is the same for any weight of recall.
    page.recipe().iter().for_each(|block| kept[*block as usize] = true);
    keep_rows(&mut kept, words, page.table_rows());
    kept
}

/// Are there so few words on the page that the most likely of them are the text, though none is above the line?
fn is_tiny(words: &[f32], probabilities: &[f32]) -> bool {
    words.iter().sum::<f32>() <= TINY && !likely_set(probabilities, LINE, 1.0).contains(&true)
}

/// The class of a block: of those that go with the verdict on it, the most probable.
pub(super) fn class_of(probabilities: &[f32; Class::ALL.len()], is_kept: bool) -> Class {
    let fits = |class: Class| match class {
        Class::Content | Class::Headline | Class::Supplemental => is_kept,
        Class::Boilerplate | Class::Related | Class::Comments => !is_kept,
    };
    let fitting = Class::ALL.iter().zip(probabilities).filter(|((class, _), _)| fits(*class));
    let best = fitting.reduce(|a, b| if b.1 > a.1 { b } else { a });
    best.map_or(Class::Boilerplate, |((class, _), _)| *class)
}

/// The blocks whose odds of being content are these or better. A weight β of recall other than 1 moves the line.
pub fn likely_set(probabilities: &[f32], odds: f64, beta: f64) -> Vec<bool> {
    let line = (odds / (odds + beta * beta)) as f32;
    probabilities.iter().map(|probability| *probability >= line).collect()
}

/// Keeps rows of tables whole where most of their words are kept: a row with holes is of no use.
fn keep_rows(kept: &mut [bool], words: &[f32], rows: &[Range<u32>]) {
    for row in rows.iter().map(|row| row.start as usize..row.end as usize) {
        let all: f32 = words[row.clone()].iter().sum();
        let own: f32 = row.clone().filter(|block| kept[*block]).map(|block| words[block]).sum();
        if all <= MAX_ROW && own > 0.0 && own >= WHOLE * all {
            kept[row].fill(true);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn sure_blocks_are_kept_and_hopeless_ones_are_not() {
        let (kept, measure) = best_set(&[0.99, 0.01, 0.9, 0.2], &[50.0, 50.0, 10.0, 3.0], 1.0);
        assert_eq!(kept, [true, false, true, false]);
        assert!(measure > 0.95, "{measure}");
        assert_eq!(best_set(&[], &[], 1.0), (vec![], 0.0));
        assert_eq!(best_set(&[0.0], &[5.0], 1.0).0, [false]);
    }

    #[test]
    fn recall_moves_the_line() {
        let probabilities = [0.3, 0.55, 0.7, 0.9];
        assert_eq!(likely_set(&probabilities, 1.0, 1.0), [false, true, true, true]);
        assert_eq!(likely_set(&probabilities, 1.5, 1.0), [false, false, true, true]);
        assert_eq!(likely_set(&probabilities, 1.5, 2.0), [true, true, true, true]);
        assert_eq!(likely_set(&probabilities, 1.5, 0.5), [false, false, false, true]);
    }

    proptest! {
        #[test]
        fn the_best_set_is_the_best_of_all(
            blocks in prop::collection::vec((0..=100u8, 1..30u8), 0..9),
            beta in 0.2..4.0f64,
        ) {
            let p: Vec<f32> = blocks.iter().map(|b| f32::from(b.0) / 100.0).collect();
            let w: Vec<f32> = blocks.iter().map(|b| f32::from(b.1)).collect();
            let (_, measure) = best_set(&p, &w, beta);
            let all: f64 = p.iter().zip(&w).map(|(p, w)| f64::from(p * w)).sum();
            for set in 0..1u32 << blocks.len() {
                let members = (0..blocks.len()).filter(|block| set & 1 << block != 0);
                let (mut kept, mut hit) = (0.0, 0.0);
                for block in members {
                    kept += f64::from(w[block]);
                    hit += f64::from(p[block] * w[block]);
                }
                let expected = (1.0 + beta * beta) * hit / (kept + beta * beta * all).max(1e-12);
                prop_assert!(expected <= f64::from(measure) + 1e-4);
            }
        }

        #[test]
        fn more_recall_never_drops_a_block(
            blocks in prop::collection::vec((0..=100u8, 0..200u8), 0..60),
            (low, high) in (0.05..5.0f64, 0.05..5.0f64).prop_map(|(a, b)| (a.min(b), a.max(b))),
        ) {
            let p: Vec<f32> = blocks.iter().map(|b| f32::from(b.0) / 100.0).collect();
            let w: Vec<f32> = blocks.iter().map(|b| f32::from(b.1)).collect();
            let (less, _) = best_set(&p, &w, low);
            let (more, _) = best_set(&p, &w, high);
            prop_assert!(less.iter().zip(&more).all(|(less, more)| !less | more));
        }
    }
}
