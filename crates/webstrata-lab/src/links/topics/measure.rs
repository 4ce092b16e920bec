//! What is measured of lists of pages: how alike two are, how good one is.

use serde::Serialize;

use super::texts::Found;
use crate::links::compare::{TopLists, tau_b, top};
use crate::links::judge::{FIRST_RESULTS, average_precision};

/// How alike two rankings are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Similarity {
    /// Kendall's τ of the best pages, from -1 to 1: see [`TopLists::tau`].
    pub tau: f64,
    /// Kendall's similarity of the best pages, from 0 to 1: see [`TopLists::similarity`].
    pub top: f64,
    /// The share of pairs of the best pages that both order in the same way: see [`TopLists::agreement`].
    pub agreement: f64,
    /// The share of the best pages that both have.
    pub overlap: f64,
    /// Kendall's tau-b over all pages, from -1 to 1.
    pub all: f64,
}

/// Average precisions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Precision {
    /// Of the first ten pages, as in the thesis.
    pub first: f64,
    /// Of the whole list.
    pub whole: f64,
}

/// The pages that a list may have, each with the score that decides: its rank, or the weight of its text times
/// its rank (Equation 3.5).
pub(super) struct Scored<'a> {
    found: Option<&'a Found>,
    scores: Vec<f64>,
}

impl<'a> Scored<'a> {
    /// All pages by their ranks, or what a search has found.
    pub(super) fn new(ranks: &[f32], found: Option<&'a Found>) -> Scored<'a> {
        let scores = match found {
            None => ranks.iter().map(|rank| f64::from(*rank)).collect(),
            Some(found) => {
                let rank = |page: &usize| ranks.get(*page).map_or(0.0, |rank| f64::from(*rank));
                let pages = found.pages.iter().zip(&found.weights);
                pages.map(|(page, weight)| weight * rank(page)).collect()
            }
        };
        Scored { found, scores }
    }

    fn page(&self, index: usize) -> usize {
        self.found.map_or(index, |found| found.pages[index])
    }

    /// The best pages. A page that no surfer reaches is among the best of nobody.
    fn best(&self, count: usize) -> Vec<usize> {
        let mut best = top(&self.scores, count);
        best.retain(|index| self.scores[*index] > 0.0);
        best
    }

    /// How alike two lists of the same pages are.
    pub(super) fn similarity(&self, other: &Scored<'_>, count: usize) -> Similarity {
        let lists = TopLists::new(&self.best(count), &other.best(count));
        Similarity {
            tau: lists.tau(),
            top: lists.similarity(),
            agreement: lists.agreement(),
            overlap: lists.overlap(),
            all: tau_b(&self.scores, &other.scores),
        }
    }

    /// How good the list is without the pages of `without`. Of pages with the same score, those come first that `order`
    /// puts first: the order of positions is one of hosts or names, which tells of topics.
    ///
    /// Nothing where no page of the list is relevant.
    pub(super) fn precision(
        &self,
        relevant: &[usize],
        without: &[usize],
        order: &[u32],
    ) -> Option<Precision> {
        let has = |pages: &[usize], page: usize| pages.binary_search(&page).is_ok();
        let mut list: Vec<(f64, u32, bool)> = (0..self.scores.len())
            .map(|index| (index, self.page(index)))
            .filter(|(_, page)| !has(without, *page))
            .map(|(index, page)| {
                let place = order.get(page).copied().unwrap_or(u32::MAX);
                (self.scores[index], place, has(relevant, page))
            })
            .collect();
        list.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let expected = list.iter().filter(|page| page.2).count();
        let precision = |first| average_precision(list.iter().map(|page| page.2), expected, first);
        Some(Precision { first: precision(Some(FIRST_RESULTS))?, whole: precision(None)? })
    }
}

impl Similarity {
    /// The mean of several; of none, nothing.
    pub(super) fn mean(all: impl IntoIterator<Item = Similarity>) -> Option<Similarity> {
        let all: Vec<Similarity> = all.into_iter().collect();
        let of = |value: fn(&Similarity) -> f64| {
            all.iter().map(value).sum::<f64>() / all.len().max(1) as f64
        };
        (!all.is_empty()).then(|| Similarity {
            tau: of(|one| one.tau),
            top: of(|one| one.top),
            agreement: of(|one| one.agreement),
            overlap: of(|one| one.overlap),
            all: of(|one| one.all),
        })
    }
}

impl Precision {
    /// The mean of several; of none, nothing.
    pub(super) fn mean(all: impl IntoIterator<Item = Precision>) -> Option<Precision> {
        let all: Vec<Precision> = all.into_iter().collect();
        let of = |value: fn(&Precision) -> f64| {
            all.iter().map(value).sum::<f64>() / all.len().max(1) as f64
        };
        let mean = || Precision { first: of(|one| one.first), whole: of(|one| one.whole) };
        (!all.is_empty()).then(mean)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_that_nobody_reaches_are_not_alike() {
        let (a, b) = ([0.0, 0.9, 0.1, 0.0, 0.0], [0.0, 0.0, 0.0, 0.5, 0.5]);
        let similarity = Scored::new(&a, None).similarity(&Scored::new(&b, None), 4);
        assert_eq!((similarity.top, similarity.overlap), (0.0, 0.0));
    }

    #[test]
    fn precision_of_a_search_without_the_biasing_pages() {
        let found = Found { pages: vec![0, 2, 3, 5], weights: vec![1.0, 1.0, 4.0, 1.0] };
        let ranks = [0.3, 0.9, 0.2, 0.1, 0.4, 0.1];
        let scored = Scored::new(&ranks, Some(&found));
        // In this order: 3 (0.4), 2 (0.2), 5 (0.1); 1 was not found.
        let precision = scored.precision(&[1, 2, 5], &[0], &[0, 1, 2, 3, 4, 5]).unwrap();
        let expect = (1.0 / 2.0 + 2.0 / 3.0) / 2.0;
        assert!((precision.whole - expect).abs() < 1e-12, "{precision:?}");
        assert_eq!(precision.first, precision.whole);
        assert_eq!(scored.precision(&[1, 4], &[], &[]), None);
    }

    #[test]
    fn equal_pages_come_in_the_order_that_is_given() {
        let scored = Scored::new(&[0.25; 4], None);
        let first = |order: &[u32]| scored.precision(&[0], &[], order).unwrap().whole;
        assert_eq!((first(&[0, 1, 2, 3]), first(&[3, 2, 1, 0])), (1.0, 0.25));
    }
}
