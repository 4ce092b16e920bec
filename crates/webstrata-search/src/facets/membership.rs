//! To which facets a page belongs, by its ranks alone (Equations 3.12 to 3.15).

use std::collections::HashMap;

/// Ranks of pages for facets: what the equations are about. `Ranks` of an index is one.
pub trait FacetRanks {
    /// How many facets there are; they are called 0, 1, 2, …
    fn facet_count(&self) -> usize;
    /// The path of a facet, such as `Top/Computers`.
    fn name(&self, facet: usize) -> &str;
    /// What it is a value of, such as `topic`.
    fn dimension(&self, facet: usize) -> &str;
    /// The rank of a page; the mean over all pages is 1.
    fn rank(&self, facet: usize, page: u64) -> f32;
}

/// Ranks relative to the unbiased ranking: how much more often a topic's surfer is on a page than any surfer. Where pages
/// are linked so densely that every surfer often meets the same important ones, all topics think highly of these by their
/// ranks alone; beside the unbiased rank none does.
pub(super) struct RelativeRanks<'a> {
    pub(super) ranks: &'a dyn FacetRanks,
    pub(super) unbiased: usize,
}

impl FacetRanks for RelativeRanks<'_> {
    fn facet_count(&self) -> usize {
        self.ranks.facet_count()
    }

    fn name(&self, facet: usize) -> &str {
        self.ranks.name(facet)
    }

    fn dimension(&self, facet: usize) -> &str {
        self.ranks.dimension(facet)
    }

    fn rank(&self, facet: usize, page: u64) -> f32 {
        let unbiased = self.ranks.rank(self.unbiased, page);
        if unbiased > 0.0 { self.ranks.rank(facet, page) / unbiased } else { AVERAGE }
    }
}

/// The score from which on a page may belong to a facet: the mean of all ranks (μ).
pub const AVERAGE: f32 = 1.0;

/// The memberships of a page in facets of one dimension: log r_f(p) / α, where α, the uncertainty, is the number of
/// these facets for which its rank is at least [`AVERAGE`]. A page that all topics think highly of says nothing
/// about any of them. Where there is no such facet, the uncertainty is infinite and all memberships are 0.
///
/// Above 0 a page rather belongs to the facet, below it rather does not. A page that a facet's surfer never reaches
/// is as far below as numbers go.
pub fn memberships(ranks: &dyn FacetRanks, facets: &[usize], page: u64) -> Vec<f64> {
    let scores: Vec<f32> = facets.iter().map(|facet| ranks.rank(*facet, page)).collect();
    let uncertainty = scores.iter().filter(|score| **score >= AVERAGE).count();
    let membership = |score: &f32| {
        if uncertainty == 0 {
            0.0
        } else {
            f64::from(*score).ln().max(f64::MIN) / uncertainty as f64
        }
    };
    scores.iter().map(membership).collect()
}

/// The facets that pages belong to, each page looked at once.
pub(super) struct Members<'a> {
    ranks: &'a dyn FacetRanks,
    facets: &'a [usize],
    threshold: f64,
    known: HashMap<u64, Vec<u32>>,
}

impl<'a> Members<'a> {
    pub(super) fn new(
        ranks: &'a dyn FacetRanks,
        facets: &'a [usize],
        threshold: f64,
    ) -> Members<'a> {
        Members { ranks, facets, threshold, known: HashMap::new() }
    }

    /// Which of the facets, as indices into the slice, the page belongs to with at least the threshold.
    pub(super) fn of(&mut self, page: u64) -> &[u32] {
        let (ranks, facets, threshold) = (self.ranks, self.facets, self.threshold);
        self.known.entry(page).or_insert_with(|| {
            let all = memberships(ranks, facets, page);
            (0_u32..).zip(all).filter(|(_, value)| *value >= threshold).map(|(at, _)| at).collect()
        })
    }
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Facets with their ranks for pages 0, 1, 2, …
    pub(crate) struct Table(pub(crate) Vec<(&'static str, &'static str, Vec<f32>)>);

    impl FacetRanks for Table {
        fn facet_count(&self) -> usize {
            self.0.len()
        }
        fn name(&self, facet: usize) -> &str {
            self.0[facet].0
        }
        fn dimension(&self, facet: usize) -> &str {
            self.0[facet].1
        }
        fn rank(&self, facet: usize, page: u64) -> f32 {
            self.0[facet].2.get(page as usize).copied().unwrap_or(1.0)
        }
    }

    fn table(rows: &[&[f32]]) -> Table {
        Table(rows.iter().map(|row| ("f", "topic", row.to_vec())).collect())
    }

    #[test]
    fn by_hand() {
        // Of page 0 two facets think highly, of page 1 all, of page 2 none.
        let ranks = table(&[&[4.0, 4.0, 0.5], &[2.0, 4.0, 0.1], &[0.5, 4.0, 0.0]]);
        let facets = [0, 1, 2];
        let close = |page: u64, expect: [f64; 3]| {
            for (found, expect) in memberships(&ranks, &facets, page).iter().zip(expect) {
                assert!((found - expect).abs() < 1e-6, "{page}: {found} {expect}");
            }
        };
        close(0, [4_f64.ln() / 2.0, 2_f64.ln() / 2.0, 0.5_f64.ln() / 2.0]);
        close(1, [4_f64.ln() / 3.0; 3]);
        close(2, [0.0; 3]);
        // Nothing is known of page 9: its membership is unclear, not negative.
        close(9, [0.0; 3]);
        let mut members = Members::new(&ranks, &facets, 0.1);
        assert_eq!(members.of(0), [0, 1]);
        assert_eq!(members.of(1), [0, 1, 2]);
        assert_eq!(members.known.len(), 2);
        assert!(members.of(2).is_empty());
    }

    #[test]
    fn pages_that_all_topics_like_belong_to_none() {
        // Page 0 is important to everybody, page 1 to the second topic.
        let ranks = table(&[&[9.0, 0.5, 0.0], &[9.0, 2.0, 1.0], &[8.0, 0.1, 1.0]]);
        let lifted = RelativeRanks { ranks: &ranks, unbiased: 0 };
        let found = memberships(&lifted, &[0, 1, 2], 1);
        assert!((found[1] - 4_f64.ln() / 2.0).abs() < 1e-6 && found[2] < 0.0);
        assert!(memberships(&lifted, &[0, 1, 2], 0).iter().all(|membership| *membership < 0.1));
        assert_eq!(memberships(&lifted, &[0, 1, 2], 2), [0.0; 3]);
        assert_eq!((lifted.facet_count(), lifted.name(0), lifted.dimension(0)), (3, "f", "topic"));
    }

    #[test]
    fn other_dimensions_do_not_count() {
        let ranks = table(&[&[4.0], &[2.0], &[8.0]]);
        assert_eq!(memberships(&ranks, &[0], 0), [4_f64.ln()]);
        assert!(memberships(&ranks, &[], 0).is_empty());
    }

    /// Equations 3.13 to 3.15 as they stand there.
    fn naive(ranks: &Table, facets: &[usize], f: usize, page: u64) -> f64 {
        let g = facets.iter().filter(|g| ranks.rank(**g, page) >= 1.0).count();
        let alpha = if g == 0 { f64::INFINITY } else { g as f64 };
        let rank = f64::from(ranks.rank(f, page));
        if alpha.is_infinite() { 0.0 } else { rank.ln() / alpha }
    }

    proptest! {
        #[test]
        fn as_the_equations_say(scores in prop::collection::vec(0.0_f32..9.0, 1..20), threshold in 0.0..1.0) {
            let table = Table(scores.iter().map(|score| ("f", "topic", vec![*score])).collect());
            let facets: Vec<usize> = (0..scores.len()).collect();
            let found = memberships(&table, &facets, 0);
            let mut belongs = Vec::new();
            for (at, value) in found.iter().enumerate() {
                let expect = naive(&table, &facets, at, 0);
                prop_assert!((value - expect).abs() < 1e-9 || expect == f64::NEG_INFINITY);
                belongs.extend((expect >= threshold).then_some(at as u32));
            }
            let mut members = Members::new(&table, &facets, threshold);
            prop_assert_eq!(members.of(0), belongs);
        }
    }
}
