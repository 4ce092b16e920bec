//! What follows from the counts: thresholds, rankings, shares.

use std::collections::{HashMap, HashSet};

use super::counts::Bins;
use super::segments::Known;
use super::terms::{Places, Typical, term_of, typicality};
use super::{SPARSE, Statistics};

/// From how many occurrences on something counts. The thesis' numbers are for 316,448 pages; smaller
/// corpora have smaller ones, or nothing would be left to look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Thresholds {
    /// Pages that a term must be on (thesis: 100).
    pub(crate) pages_of_term: u32,
    /// Occurrences that make a segment a template (thesis: 10).
    pub(crate) template: u32,
    /// Occurrences that make a segment frequent in Table 4.4 (thesis: 100).
    pub(crate) frequent: u32,
}

impl Thresholds {
    fn of(pages: u64) -> Thresholds {
        let share = |part: u64, least: u64, most: u64| (pages / part).clamp(least, most) as u32;
        Thresholds {
            pages_of_term: share(50, 3, 100),
            template: share(60, 2, 10),
            frequent: share(50, 3, 100),
        }
    }
}

/// What text density says about full stops (4.3.2).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct FullStops {
    /// Bits that the rounded density of a segment tells about whether it has a full stop.
    pub(crate) gain: f64,
    /// The same where segments count by their tokens.
    pub(crate) gain_by_tokens: f64,
    /// The lowest density at which the best linear classifier expects a full stop.
    pub(crate) threshold: usize,
    /// The share of segments that it gets right.
    pub(crate) accuracy: f64,
    /// The share of tokens in segments with a full stop.
    pub(crate) tokens: f64,
}

/// Text that occurs again and again.
#[derive(Clone, Debug, Default)]
pub(crate) struct Templates {
    /// Different segments that are frequent.
    pub(crate) segments: u64,
    /// Their tokens by density, without and with a full stop.
    pub(crate) tokens: [Bins; 2],
}

impl Statistics {
    pub(crate) fn thresholds(&self) -> Thresholds {
        Thresholds::of(self.pages_with_text())
    }

    /// `None` where there is no segment.
    pub(crate) fn full_stops(&self) -> Option<FullStops> {
        let [without, with] = self.strata.segments.each_ref().map(Bins::amounts);
        let totals = [without, with].map(|bins| bins.iter().sum::<u64>());
        let all = (totals[0] + totals[1]) as f64;
        if all == 0.0 {
            return None;
        }
        // All sparser segments without a full stop and all denser ones with it are right.
        let mut right = totals[1];
        let (mut best, mut threshold) = (right, 0);
        for (density, (without, with)) in without.iter().zip(with).enumerate() {
            right = right + without - with;
            if right > best {
                (best, threshold) = (right, density + 1);
            }
        }
        let tokens = share(self.strata.tokens[1].total(), self.tokens());
        Some(FullStops {
            gain: gain(&self.strata.segments),
            gain_by_tokens: gain(&self.strata.tokens),
            threshold,
            accuracy: best as f64 / all,
            tokens,
        })
    }

    /// How often the segments occur, the most frequent first.
    pub(crate) fn frequencies(&self) -> Vec<u32> {
        let mut counts: Vec<u32> =
            self.segments.known.iter().map(|(_, known)| known.count).collect();
        counts.sort_unstable_by(|a, b| b.cmp(a));
        counts
    }

    pub(crate) fn templates(&self, least: u32) -> Templates {
        let mut templates = Templates::default();
        for (_, known) in self.segments.known.iter().filter(|(_, known)| known.count >= least) {
            templates.segments += 1;
            for place in known.places() {
                let tokens = &mut templates.tokens[usize::from(place.full_stop)];
                tokens.add(usize::from(place.density), u64::from(place.tokens));
            }
        }
        templates
    }

    /// The most frequent segments that have a letter: how often, and what they say.
    pub(crate) fn most_frequent(&self, most: usize) -> Vec<(u32, &str)> {
        let texts = self.segments.known.iter().filter_map(|(_, known)| {
            let text = known.text.as_deref()?;
            (known.count > 1 && text.contains(char::is_alphabetic)).then_some((known.count, text))
        });
        let mut texts: Vec<(u32, &str)> = texts.collect();
        texts.sort_unstable_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
        texts.truncate(most);
        texts
    }

    /// The typicality of each term that is on enough pages: −1 for π1, 1 for π2, ascending (4.19).
    pub(crate) fn typical_terms(&self, least: u32) -> Vec<Typical> {
        let pages = self.pages_with_text();
        let typical = self.frequent_terms(least).map(|(term, places)| Typical {
            term: term.to_owned(),
            typicality: typicality(u64::from(places.low), u64::from(places.high), pages),
        });
        sorted(typical.collect())
    }

    /// The same among sparse segments: −1 for frequent segments, 1 for rare ones, ascending
    /// (Table 4.4).
    ///
    /// Which segments are frequent is known at the end, when the pages are gone. So segments are
    /// counted here, where the thesis counts pages: all that have the term, and those frequent ones
    /// that do.
    pub(crate) fn typical_sparse_terms(&self, least: u32, frequent: u32) -> Vec<Typical> {
        let in_frequent = self.segments_with_terms(frequent);
        let segments: u64 = self.strata.segments.iter().map(|bins| bins.up_to(SPARSE)).sum();
        let typical = self.terms.iter().filter(|(_, places)| places.sparse_segments >= least);
        let typical = typical.map(|(term, places)| {
            let first = in_frequent.get(&**term).copied().unwrap_or(0);
            let rest = u64::from(places.sparse_segments).saturating_sub(first);
            Typical { term: term.to_string(), typicality: typicality(first, rest, segments) }
        });
        sorted(typical.collect())
    }

    /// For each term, how many frequent sparse segments have it.
    fn segments_with_terms(&self, frequent: u32) -> HashMap<String, u64> {
        let mut found: HashMap<String, u64> = HashMap::new();
        let mut term = String::new();
        let is_frequent = |known: &&Known| known.count >= frequent && known.is_sparse(SPARSE);
        for known in self.segments.known.iter().map(|(_, known)| known).filter(is_frequent) {
            let mut seen = HashSet::new();
            for token in known.text.as_deref().unwrap_or_default().split_whitespace() {
                if term_of(token, &mut term) && seen.insert(term.clone()) {
                    *found.entry(term.clone()).or_default() += u64::from(known.count);
                }
            }
        }
        found
    }

    /// Document frequencies in π1 to those in π2, the largest first, divided by the largest
    /// (Figure 4.16).
    pub(crate) fn frequency_ratios(&self, least: u32) -> Vec<f64> {
        let ratio =
            |(_, places): (&str, &Places)| f64::from(places.low + 1) / f64::from(places.high + 1);
        let mut ratios: Vec<f64> = self.frequent_terms(least).map(ratio).collect();
        ratios.sort_unstable_by(|a, b| b.total_cmp(a));
        let largest = ratios.first().copied().unwrap_or(1.0);
        ratios.into_iter().map(|ratio| ratio / largest).collect()
    }

    fn frequent_terms(&self, least: u32) -> impl Iterator<Item = (&str, &Places)> {
        let terms = self.terms.iter().filter(move |(_, places)| places.pages >= least);
        terms.map(|(term, places)| (&**term, places))
    }
}

fn sorted(mut terms: Vec<Typical>) -> Vec<Typical> {
    terms.sort_unstable_by(|a, b| {
        a.typicality.total_cmp(&b.typicality).then_with(|| a.term.cmp(&b.term))
    });
    terms
}

/// A part of a whole; 0 of nothing.
pub(crate) fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// Bits that the bin tells about which of the two it is.
fn gain(amounts: &[Bins; 2]) -> f64 {
    let [first, second] = amounts.each_ref().map(Bins::amounts);
    let totals = amounts.each_ref().map(Bins::total);
    let all = totals[0] + totals[1];
    let bins = first.iter().zip(second);
    let rest: f64 = bins.map(|(a, b)| share(a + b, all) * entropy([*a, *b])).sum();
    (entropy(totals) - rest).max(0.0)
}

/// In bits.
fn entropy(counts: [u64; 2]) -> f64 {
    let all = counts[0] + counts[1];
    let term = |count: u64| match share(count, all) {
        0.0 => 0.0,
        p => -p * p.log2(),
    };
    term(counts[0]) + term(counts[1])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_are_the_thesis_for_large_corpora() {
        let large = Thresholds { pages_of_term: 100, template: 10, frequent: 100 };
        assert_eq!(Thresholds::of(316_448), large);
        let small = Thresholds { pages_of_term: 3, template: 2, frequent: 3 };
        assert_eq!(Thresholds::of(0), small);
    }

    fn full_stops(segments: &[(usize, bool, u64)]) -> Option<FullStops> {
        let mut statistics = Statistics::default();
        for (density, full_stop, number) in segments {
            statistics.strata.segments[usize::from(*full_stop)].add(*density, *number);
        }
        statistics.full_stops()
    }

    #[test]
    fn density_tells_full_stops() {
        assert_eq!(full_stops(&[]), None);
        let clear = full_stops(&[(2, false, 50), (9, true, 50)]).unwrap();
        assert!((clear.gain - 1.0).abs() < 1e-12);
        assert_eq!((clear.threshold, clear.accuracy), (3, 1.0));
        let nothing = full_stops(&[(2, false, 5), (2, true, 5)]).unwrap();
        assert!((nothing.gain, nothing.accuracy) == (0.0, 0.5));
        let only_stops = full_stops(&[(2, true, 5)]).unwrap();
        assert_eq!((only_stops.gain, only_stops.threshold, only_stops.accuracy), (0.0, 0, 1.0));
    }

    #[test]
    fn information_by_hand() {
        // H(1/2) = 1; at density 2, 3 of 4 have none: H = 0.8113; the same at 9.
        let some = full_stops(&[(2, false, 3), (2, true, 1), (9, true, 3), (9, false, 1)]).unwrap();
        assert!((some.gain - (1.0 - 0.811_278_124_459_132_8)).abs() < 1e-12);
        assert_eq!((some.threshold, some.accuracy), (3, 0.75));
    }
}
