//! The links into pages, as small as ranking can read them at full speed.
//!
//! Pages that stand side by side link to the same pages: a menu is on all of a directory's pages. So the sources of
//! a row come in runs, of which long ones are added without looking at a single number, and the next row is often the very same
//! (on cnr-2000 and uk-2007-05@100000, runs of three and more hold 73 % and 78 % of the links, and a third of all
//! rows repeats the row before). What is left are mostly pages near by, in sixteen bits.
//!
//! A row is a list of segments. A segment is a header (two bits what it is, two bits the class of its links, twelve
//! bits how many) and as many entries. A row without segments is the same as the row before it.

use std::ops::Range;

use super::values::Value;

/// Runs shorter than that are written as single sources: these are read without a loop whose end nobody can foresee.
/// Against 3, which is what the size of a row asks for, 16 takes a fifth less time on real graphs.
const SHORTEST_RUN: usize = 16;
/// Rows up to this length that have a source far away are written as if all were.
const SHORT: usize = 16;
const MOST_IN_SEGMENT: usize = 0x0fff;
/// Near sources are summed in their own precision up to so many, before they go into a wider sum.
const MOST_NEAR: usize = 128;
/// Near sources are read so many at a time.
pub(crate) const FOUR: usize = 4;

/// Sources as distances from the row's own place, in sixteen bits. Filled up with the first one to whole
/// [`FOUR`]s, so that short rows, which are most, are summed without a loop whose end nobody can foresee.
const NEAR: u16 = 0;
/// First source as distance, and how many follow each other.
const NEAR_RUNS: u16 = 1;
/// Sources as positions, in two times sixteen bits, low half first.
const FAR: u16 = 2;
/// First source as position, and how many follow each other.
const FAR_RUNS: u16 = 3;

/// Where a link comes from, inside of a partition, and the class of its share.
pub(crate) type Local = (u32, u8);

/// The rows of some targets.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    /// Where each row ends.
    ends: Vec<u32>,
    units: Vec<u16>,
    last: Vec<Local>,
}

impl Rows {
    /// For so many rows.
    pub(crate) fn with_capacity(rows: usize) -> Rows {
        Rows { ends: Vec::with_capacity(rows), ..Rows::default() }
    }

    /// Adds the next row. `sources` are ascending within each class, classes ascending; `place` is what near
    /// sources are near to. False if the rows have become too many for 32 bits.
    pub(crate) fn push(&mut self, place: u32, sources: &[Local]) -> bool {
        if self.ends.is_empty() || self.last != sources {
            self.write(place, sources);
            self.last.clear();
            self.last.extend_from_slice(sources);
        }
        let Ok(end) = u32::try_from(self.units.len()) else { return false };
        self.ends.push(end);
        true
    }

    /// All rows are there.
    pub(crate) fn finish(&mut self) {
        self.last = Vec::new();
        self.units.shrink_to_fit();
        self.ends.shrink_to_fit();
    }

    /// How many rows there are.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Bytes of memory.
    pub(crate) fn bytes(&self) -> u64 {
        (self.units.capacity() * 2 + self.ends.capacity() * 4) as u64
    }

    fn write(&mut self, place: u32, sources: &[Local]) {
        if sources.is_empty() {
            // A header that counts nothing: no segment at all would repeat the row before.
            self.units.push(0);
        }
        for of_class in sources.chunk_by(|a, b| a.1 == b.1) {
            let class = of_class[0].1;
            let mut segments = [const { Vec::new() }; 4];
            // What is short is read at once: two kinds of entries would cost more than some wider ones.
            let near = |source: u32| near(place, source);
            let wide = of_class.len() <= SHORT
                && of_class.iter().any(|(source, _)| near(*source).is_none());
            for run in of_class.chunk_by(|a, b| a.0.checked_add(1) == Some(b.0)) {
                for run in run.chunks(usize::from(u16::MAX)) {
                    let near = near(run[0].0).zip(near(run[run.len() - 1].0)).filter(|_| !wide);
                    match (near, run.len() < SHORTEST_RUN) {
                        (Some(_), true) => segments[usize::from(NEAR)].extend(
                            run.iter().map(|(source, _)| source.wrapping_sub(place) as u16),
                        ),
                        (Some((first, _)), false) => {
                            segments[usize::from(NEAR_RUNS)].extend([first, run.len() as u16]);
                        }
                        (None, true) => segments[usize::from(FAR)]
                            .extend(run.iter().flat_map(|(source, _)| halves(*source))),
                        (None, false) => {
                            let [low, high] = halves(run[0].0);
                            segments[usize::from(FAR_RUNS)].extend([low, high, run.len() as u16]);
                        }
                    }
                }
            }
            for (kind, entries) in segments.iter().enumerate() {
                let most = if kind == usize::from(NEAR) { MOST_NEAR } else { MOST_IN_SEGMENT };
                for entries in entries.chunks(most * WIDTH[kind]) {
                    let count = entries.len() / WIDTH[kind];
                    self.units.push((kind as u16) << 14 | u16::from(class) << 12 | count as u16);
                    self.units.extend_from_slice(entries);
                    if kind == usize::from(NEAR) {
                        let filled = count.next_multiple_of(FOUR) - count;
                        self.units.extend(std::iter::repeat_n(entries[0], filled));
                    }
                }
            }
        }
    }

    /// The rows and the segments of each; rows that are the same are one group.
    #[inline]
    pub(crate) fn groups(&self) -> impl Iterator<Item = (Range<usize>, &[u16])> {
        let (mut first, mut start) = (0, 0);
        std::iter::from_fn(move || {
            let units = *self.ends.get(first)?;
            let mut end = first + 1;
            while self.ends.get(end) == Some(&units) {
                end += 1;
            }
            let group = first..end;
            let row = &self.units[start..units as usize];
            (first, start) = (end, units as usize);
            Some((group, row))
        })
    }

    /// The segments of a row; none if it is the same as the row before.
    #[inline]
    pub(crate) fn row(&self, row: usize) -> &[u16] {
        let start = if row == 0 { 0 } else { self.ends[row - 1] };
        &self.units[start as usize..self.ends[row] as usize]
    }
}

/// Units of an entry, by kind of segment.
const WIDTH: [usize; 4] = [1, 2, 2, 3];

fn near(place: u32, source: u32) -> Option<u16> {
    i16::try_from(i64::from(source) - i64::from(place)).ok().map(|distance| distance as u16)
}

fn halves(source: u32) -> [u16; 2] {
    [source as u16, (source >> 16) as u16]
}

/// The sum of the shares at a row's sources. `pages` is how far the shares of one class lie from those of the next.
#[inline]
pub(crate) fn sum<V: Value>(mut row: &[u16], place: usize, shares: &[V], pages: usize) -> V::Sum {
    let mut sum = V::Sum::default();
    while let [header, rest @ ..] = row {
        let kind = header >> 14;
        let class = usize::from(header >> 12 & 3);
        let count = usize::from(header & 0x0fff);
        let units = if kind == NEAR {
            count.next_multiple_of(FOUR)
        } else {
            count * WIDTH[usize::from(kind)]
        };
        let (entries, rest) = rest.split_at(units);
        row = rest;
        let start = class * pages;
        let from_place =
            |distance: u16| (start + place).wrapping_add_signed((distance as i16).into());
        match kind {
            NEAR => {
                let entries = entries.as_chunks::<FOUR>().0;
                V::gather_fours(&mut sum, shares, entries, count, |near| from_place(*near));
            }
            NEAR_RUNS => {
                for run in entries.as_chunks::<2>().0 {
                    let first = from_place(run[0]);
                    V::sum(&mut sum, &shares[first..first + usize::from(run[1])]);
                }
            }
            FAR => {
                let entries = entries.as_chunks::<2>().0;
                V::gather(&mut sum, shares, entries, |far| start + position(far));
            }
            _ => {
                for run in entries.as_chunks::<3>().0 {
                    let first = start + position(&[run[0], run[1]]);
                    V::sum(&mut sum, &shares[first..first + usize::from(run[2])]);
                }
            }
        }
    }
    sum
}

#[inline]
fn position(halves: &[u16; 2]) -> usize {
    usize::from(halves[0]) | usize::from(halves[1]) << 16
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Any row gives the plain sum of its sources.
        #[test]
        fn a_row_sums_what_was_put_in(
            rows in prop::collection::vec(
                prop::collection::btree_set((0u8..3, prop_oneof![0u32..40, 30_000u32..80_000, 100_000u32..100_400]), 0..60),
                1..12,
            ),
            place in prop_oneof![0u32..100, 60_000u32..100_500],
            again in any::<bool>(),
        ) {
            let pages = 100_500usize;
            let shares: Vec<f64> = (0..3 * pages).map(|at| ((at * 7919) % 1000) as f64).collect();
            let mut image = Rows::default();
            let mut expected = Vec::new();
            for row in &rows {
                let sources: Vec<Local> = row.iter().map(|(class, source)| (*source, *class)).collect();
                let plain: f64 =
                    sources.iter().map(|(at, class)| shares[usize::from(*class) * pages + *at as usize]).sum();
                for _ in 0..1 + usize::from(again) {
                    prop_assert!(image.push(place, &sources));
                    expected.push(plain);
                }
            }
            let mut last = 0.0;
            for (at, expected) in expected.iter().enumerate() {
                let row = image.row(at);
                if !row.is_empty() {
                    last = sum::<f64>(row, place as usize, &shares, pages);
                }
                prop_assert_eq!(last, *expected);
            }
        }
    }

    #[test]
    fn long_rows_are_cut_into_segments() {
        let pages = 200_000usize;
        let shares = vec![1.0f64; pages];
        let every_other: Vec<Local> = (0..pages as u32).step_by(2).map(|at| (at, 0)).collect();
        let all: Vec<Local> = (0..pages as u32).map(|at| (at, 0)).collect();
        let mut rows = Rows::default();
        for sources in [&every_other, &all, &all, &Vec::new(), &all] {
            assert!(rows.push(50_000, sources));
        }
        let sums: Vec<f64> =
            (0..5).map(|at| sum::<f64>(rows.row(at), 50_000, &shares, pages)).collect();
        // The third repeats the second and so has no segments of its own.
        assert_eq!(sums, [100_000.0, 200_000.0, 0.0, 0.0, 200_000.0]);
        assert!(rows.row(2).is_empty() && !rows.row(3).is_empty());
    }
}
