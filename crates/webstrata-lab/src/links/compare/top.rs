//! Lists of the best pages, and how alike two of them are.
//!
//! The thesis compares the first 30 results of searches (3.3.1). Such lists do not have the same pages, so Kendall's
//! tau does not apply as it is. We take the distance K⁽ᵖ⁾ of Fagin, Kumar and Sivakumar ("Comparing top k lists",
//! 2003), which looks at all pairs of pages of the union:
//!
//! 1. both pages in both lists: 1 if the lists order them differently;
//! 2. both in one list, one of them in the other: 1 if the list that has both puts the one first that the other lacks;
//! 3. each in another list: 1, for each list puts its own page before the other's;
//! 4. both in one list, none in the other: p.
//!
//! We take p = ½: a list says nothing of two pages that it lacks, so they are as likely in one order as in the other;
//! p = 0 would call that agreement. As a similarity it is 1 − K/K_max, K_max being the distance of lists without a
//! page in common: 1 for the same list, 0 for lists with nothing in common, as the thesis has it. The same pages in
//! opposite order are still ⅔ alike, for most of what the two lists say is which pages are the best.
//!
//! The headline is τ as the thesis' section 2.3 defines it, [`TopLists::tau`], with the same pairs.
//!
//! Haveliwala's *KSim* (2002), which other works of the thesis' authors use, is stricter: the share of pairs that both
//! lists put in the same order, those being last that a list lacks. It is [`TopLists::agreement`].

use std::collections::HashMap;

use webstrata_links::rank::top;

use super::kendall::Pairs;

/// Two lists of pages, the best first, side by side.
#[derive(Clone, Debug)]
pub struct TopLists {
    /// The places of each page in both lists.
    places: Vec<[Option<usize>; 2]>,
    lengths: [usize; 2],
}

impl TopLists {
    /// Two lists. A page that a list has more than once counts at its first place.
    pub fn new(a: &[usize], b: &[usize]) -> TopLists {
        let mut union: HashMap<usize, usize> = HashMap::new();
        let mut places: Vec<[Option<usize>; 2]> = Vec::with_capacity(a.len() + b.len());
        let mut lengths = [0, 0];
        for (side, list) in [a, b].into_iter().enumerate() {
            for page in list {
                let entry = *union.entry(*page).or_insert(places.len());
                if entry == places.len() {
                    places.push([None, None]);
                }
                if places[entry][side].is_none() {
                    places[entry][side] = Some(lengths[side]);
                    lengths[side] += 1;
                }
            }
        }
        TopLists { places, lengths }
    }

    /// The lists of the best `count` pages of two rankings.
    pub fn of<A: Copy + Into<f64>, B: Copy + Into<f64>>(
        a: &[A],
        b: &[B],
        count: usize,
    ) -> TopLists {
        TopLists::new(&top(a, count), &top(b, count))
    }

    /// How many pages both lists have.
    pub fn shared(&self) -> usize {
        self.lengths[0] + self.lengths[1] - self.places.len()
    }

    /// The share of the longer list's pages that the other has, too: from 0 to 1; empty lists are the same list.
    pub fn overlap(&self) -> f64 {
        ratio(self.shared() as f64, self.lengths[0].max(self.lengths[1]) as f64)
    }

    /// 1 − K⁽½⁾ / K_max: 1 for the same list, 0 for lists without a page in common. Empty lists are the same list.
    pub fn similarity(&self) -> f64 {
        let [a, b] = self.lengths.map(|length| length as f64);
        let within = a * (a - 1.0) / 2.0 + b * (b - 1.0) / 2.0;
        let most = a * b + 0.5 * within;
        match self.shared() {
            0 if self.places.is_empty() => 1.0,
            0 => 0.0,
            _ => 1.0 - (self.distance(0.5) / most).min(1.0),
        }
    }

    /// Kendall's τ as the thesis defines it (2.3): pairs of the union that both lists put in the same order, less those
    /// that they order differently, of all pairs. A page that a list lacks comes after its own, tied with others that
    /// it lacks; such pairs are neither. 1 for the same list, −1 for the same pages in opposite order, about −½ for
    /// lists without a page in common. Of fewer than two pages, the overlap.
    pub fn tau(&self) -> f64 {
        let pairs = self.pairs();
        if pairs.all == 0 {
            return self.overlap();
        }
        (pairs.concordant as f64 - pairs.discordant as f64) / pairs.all as f64
    }

    /// K⁽ᵖ⁾: how many pairs of the union the lists order differently, `unknown` for each pair of which one of
    /// them says nothing.
    pub fn distance(&self, unknown: f64) -> f64 {
        let pairs = self.pairs();
        pairs.discordant as f64 + unknown * (pairs.tied_in_a + pairs.tied_in_b) as f64
    }

    /// Haveliwala's KSim: the share of the union's pairs that both lists put in the same order. Of fewer than two
    /// pages, the overlap.
    pub fn agreement(&self) -> f64 {
        let pairs = self.pairs();
        if pairs.all == 0 { self.overlap() } else { pairs.concordant as f64 / pairs.all as f64 }
    }

    /// A list says of pages that it lacks that they come after its own, and nothing else: a tie at its end. No page
    /// is missing from both.
    fn pairs(&self) -> Pairs {
        let place = |place: Option<usize>| place.map_or(f64::INFINITY, |place| place as f64);
        Pairs::count(self.places.iter().map(|[a, b]| (place(*a), place(*b))).collect())
    }
}

fn ratio(part: f64, all: f64) -> f64 {
    if all == 0.0 { 1.0 } else { part / all }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Concordant less discordant pairs of all, each pair looked at by itself.
    fn tau_by_pairs(a: &[usize], b: &[usize]) -> f64 {
        let mut union = [a, b].concat();
        union.sort_unstable();
        union.dedup();
        let place = |list: &[usize], page: usize| {
            list.iter().position(|other| *other == page).unwrap_or(usize::MAX)
        };
        let (mut sum, mut all) = (0_i32, 0);
        for (index, i) in union.iter().enumerate() {
            for j in &union[..index] {
                let order = |list| place(list, *i).cmp(&place(list, *j)) as i32;
                sum += order(a) * order(b);
                all += 1;
            }
        }
        match all {
            0 => f64::from(a == b),
            _ => f64::from(sum) / f64::from(all),
        }
    }

    /// The four cases as the paper writes them.
    fn by_cases(a: &[usize], b: &[usize], p: f64) -> f64 {
        let mut union = [a, b].concat();
        union.sort_unstable();
        union.dedup();
        let place = |list: &[usize], page: usize| list.iter().position(|other| *other == page);
        let mut distance = 0.0;
        for (index, i) in union.iter().enumerate() {
            for j in &union[..index] {
                let (ia, ja, ib, jb) = (place(a, *i), place(a, *j), place(b, *i), place(b, *j));
                distance += match (ia, ja, ib, jb) {
                    (Some(ia), Some(ja), Some(ib), Some(jb)) => f64::from((ia < ja) != (ib < jb)),
                    (Some(i), Some(j), Some(_), None) | (Some(_), None, Some(i), Some(j)) => {
                        f64::from(i > j)
                    }
                    (Some(i), Some(j), None, Some(_)) | (None, Some(_), Some(i), Some(j)) => {
                        f64::from(j > i)
                    }
                    (Some(_), Some(_), None, None) | (None, None, Some(_), Some(_)) => p,
                    _ => 1.0,
                };
            }
        }
        distance
    }

    #[test]
    fn the_best_pages() {
        let scores = [0.1_f32, 0.5, f32::NAN, 0.5, 0.3];
        assert_eq!(top(&scores, 3), [1, 3, 4]);
        assert_eq!(top(&scores, 9), [1, 3, 4, 0, 2]);
        assert_eq!(top(&scores, 0), [] as [usize; 0]);
        assert_eq!(top::<f32>(&[], 3), [] as [usize; 0]);
    }

    #[test]
    fn lists_that_are_the_same_apart_and_turned_round() {
        let same = TopLists::new(&[1, 2, 3, 4], &[1, 2, 3, 4]);
        assert_eq!((same.similarity(), same.agreement(), same.overlap()), (1.0, 1.0, 1.0));
        let apart = TopLists::new(&[1, 2, 3, 4], &[5, 6, 7, 8]);
        assert_eq!((apart.similarity(), apart.agreement(), apart.overlap()), (0.0, 0.0, 0.0));
        // Six pairs the other way round, of 16 + 6 at most.
        let turned = TopLists::new(&[1, 2, 3, 4], &[4, 3, 2, 1]);
        assert_eq!(turned.similarity(), 1.0 - 6.0 / 22.0);
        assert_eq!((turned.agreement(), turned.overlap()), (0.0, 1.0));
    }

    #[test]
    fn lists_of_next_to_nothing() {
        let check = |a: &[usize], b: &[usize], expect: f64| {
            let lists = TopLists::new(a, b);
            assert_eq!(lists.similarity(), expect, "{a:?} {b:?}");
            assert_eq!(lists.agreement(), expect, "{a:?} {b:?}");
            assert_eq!(lists.overlap(), expect, "{a:?} {b:?}");
        };
        check(&[], &[], 1.0);
        check(&[1], &[1], 1.0);
        check(&[1], &[2], 0.0);
        check(&[], &[2], 0.0);
        check(&[], &[2, 3], 0.0);
    }

    proptest! {
        #[test]
        fn as_the_paper_says(
            a in prop::collection::hash_set(0_usize..12, 0..9),
            b in prop::collection::hash_set(0_usize..12, 0..9),
        ) {
            let (a, b): (Vec<_>, Vec<_>) = (a.into_iter().collect(), b.into_iter().collect());
            let lists = TopLists::new(&a, &b);
            for p in [0.0, 0.5, 1.0] {
                prop_assert_eq!(lists.distance(p), by_cases(&a, &b, p));
                prop_assert_eq!(lists.distance(p), TopLists::new(&b, &a).distance(p));
            }
            prop_assert!((0.0..=1.0).contains(&lists.similarity()));
            prop_assert!((0.0..=1.0).contains(&lists.agreement()));
            prop_assert!((lists.tau() - tau_by_pairs(&a, &b)).abs() < 1e-12);
            prop_assert_eq!(lists.shared(), a.iter().filter(|page| b.contains(page)).count());
        }

        #[test]
        fn the_best_are_the_first_of_all(
            scores in prop::collection::vec(prop::sample::select(vec![0.0, 0.5, 1.0, 2.0]), 0..40),
            count in 0_usize..50,
        ) {
            let all = top(&scores, scores.len());
            prop_assert_eq!(&all[..count.min(all.len())], top(&scores, count));
        }
    }
}
