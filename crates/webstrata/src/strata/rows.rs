//! The features of a page's blocks as forests read them.

use std::sync::OnceLock;

/// How many rows stand side by side: as many as a forest scores at once.
pub(super) const LANES: usize = 32;

/// A number with eight bits of its mantissa left (bfloat16), as an integer that sorts as it does. Tests
/// of trees do not tell more apart, and compilers compare eight of them at a time.
pub(super) type Short = i16;

/// Cuts a number towards 0.
pub(super) fn shorten(number: f32) -> Short {
    // Adding 0 makes of -0 what it equals.
    let high = (number + 0.0).to_bits().cast_signed() >> 16;
    // A negative number grows as its bits do not.
    (high ^ ((high >> 31) & 0x7fff)) as Short
}

/// The greatest short number that is not above a number.
pub(super) fn below(number: f32) -> Short {
    let short = shorten(number);
    if lengthen(short) > number { short - 1 } else { short }
}

/// The number that a short one stands for.
pub(super) fn lengthen(short: Short) -> f32 {
    let high = i32::from(short);
    let high = if high < 0 { high ^ 0x7fff } else { high };
    f32::from_bits((high << 16).cast_unsigned())
}

/// Numbers for each block, none more exact than a bfloat16. Some blocks make a tile, in which the
/// values of a feature stand side by side.
#[derive(Clone, Debug)]
pub struct Rows {
    rows: usize,
    width: usize,
    /// Tile after tile, feature after feature; lanes behind the last row are 0.
    values: Vec<[Short; LANES]>,
    /// What [`Rows::ranges`] found since the last change: several forests ask for it.
    ranges: OnceLock<Vec<(Short, Short)>>,
    /// What it found before of the features in front of those that changed.
    known: Vec<(Short, Short)>,
}

impl Rows {
    /// Rows of zeros.
    pub fn new(rows: usize, width: usize) -> Rows {
        let values = vec![[0; LANES]; rows.div_ceil(LANES) * width];
        Rows { rows, width, values, ranges: OnceLock::new(), known: Vec::new() }
    }

    /// A single row.
    pub(super) fn one(values: &[f32]) -> Rows {
        let mut rows = Rows::new(1, values.len());
        rows.set(0, 0, values);
        rows
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// The features of a row.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The value of a feature.
    pub fn get(&self, row: usize, feature: usize) -> f32 {
        lengthen(self.values[row / LANES * self.width + feature][row % LANES])
    }

    /// Writes features of a row, from one on.
    pub(crate) fn set(&mut self, row: usize, from: usize, values: &[f32]) {
        self.changes(from);
        let lane = row % LANES;
        let columns = &mut self.values[row / LANES * self.width + from..][..values.len()];
        // Shortened apart from being put to their places, several at a time.
        let (columns, last_columns) = columns.as_chunks_mut::<8>();
        let (values, last_values) = values.as_chunks::<8>();
        for (columns, values) in columns.iter_mut().zip(values) {
            let short = values.map(shorten);
            for (column, short) in columns.iter_mut().zip(short) {
                column[lane] = short;
            }
        }
        for (column, value) in last_columns.iter_mut().zip(last_values) {
            column[lane] = shorten(*value);
        }
    }

    /// Makes a feature 0 everywhere.
    pub fn clear(&mut self, feature: usize) {
        self.changes(feature);
        let columns = self.values.iter_mut().skip(feature).step_by(self.width.max(1));
        columns.for_each(|column| *column = [0; LANES]);
    }

    /// Forgets the ranges of a feature and of those behind it.
    fn changes(&mut self, feature: usize) {
        if let Some(ranges) = self.ranges.take() {
            self.known = ranges;
        }
        self.known.truncate(feature);
    }

    /// The tiles: for every feature, its values in up to so many rows.
    pub(super) fn tiles(&self) -> impl Iterator<Item = &[[Short; LANES]]> {
        self.values.chunks_exact(self.width.max(1))
    }

    /// The least and the greatest value of each feature.
    pub(super) fn ranges(&self) -> &[(Short, Short)] {
        self.ranges.get_or_init(|| self.find_ranges())
    }

    fn find_ranges(&self) -> Vec<(Short, Short)> {
        let whole = self.rows / LANES;
        let range = |feature: usize| {
            // Lane by lane first, several at a time.
            let mut least = [Short::MAX; LANES];
            let mut greatest = [Short::MIN; LANES];
            for tile in self.tiles().take(whole) {
                let values = &tile[feature];
                least = std::array::from_fn(|lane| least[lane].min(values[lane]));
                greatest = std::array::from_fn(|lane| greatest[lane].max(values[lane]));
            }
            // Lanes behind the last row do not count.
            let rest = self.tiles().nth(whole).map_or(&[][..], |tile| &tile[feature]);
            let rest = rest.iter().take(self.rows % LANES);
            rest.fold((reduce(least, Short::min), reduce(greatest, Short::max)), |range, value| {
                (range.0.min(*value), range.1.max(*value))
            })
        };
        let known = self.known.iter().copied();
        known.chain((self.known.len()..self.width).map(range)).collect()
    }

    /// The sums of some features over all rows, each row weighed.
    pub(super) fn sums<const N: usize>(&self, features: [usize; N], weights: &[f32]) -> [f32; N] {
        let mut sums = [[0.0; LANES]; N];
        for (tile, weights) in self.tiles().zip(weights.chunks(LANES)) {
            let mut own = [0.0; LANES];
            own[..weights.len()].copy_from_slice(weights);
            for (sums, feature) in sums.iter_mut().zip(features) {
                for (sum, (value, weight)) in sums.iter_mut().zip(tile[feature].iter().zip(own)) {
                    *sum += lengthen(*value) * weight;
                }
            }
        }
        sums.map(|lanes| lanes.iter().sum())
    }
}

/// One number out of those of all lanes: eight first, which is one register, then one.
fn reduce(lanes: [Short; LANES], of: impl Fn(Short, Short) -> Short) -> Short {
    let (eights, _) = lanes.as_chunks::<8>();
    let eight = eights[1..]
        .iter()
        .fold(eights[0], |all, own| std::array::from_fn(|lane| of(all[lane], own[lane])));
    eight[1..].iter().fold(eight[0], |all, own| of(all, *own))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn small_counts_stay_what_they_are() {
        for number in (-256..=256).map(|number| number as f32) {
            assert_eq!(lengthen(shorten(number)), number);
        }
        assert_eq!(shorten(-0.0), shorten(0.0));
        assert!(shorten(f32::INFINITY) > shorten(f32::MAX));
    }

    proptest! {
        #[test]
        fn ranges_are_those_of_the_values(
            changes in prop::collection::vec((0..80usize, 0..5usize, any::<bool>(), -9..9i8), 1..20),
        ) {
            let mut rows = Rows::new(80, 5);
            for (row, from, clears, number) in changes {
                if clears {
                    rows.clear(from);
                } else {
                    rows.set(row, from, &vec![number.into(); 5 - from]);
                }
                for (feature, range) in rows.ranges().iter().enumerate() {
                    let values = (0..80).map(|row| shorten(rows.get(row, feature)));
                    prop_assert_eq!(Some(range.0), values.clone().min());
                    prop_assert_eq!(Some(range.1), values.max());
                }
            }
        }

        #[test]
        fn short_numbers_sort_as_numbers_do(a in -1e30..1e30f32, b in prop::num::f32::NORMAL) {
            let (short, other) = (shorten(a), shorten(b));
            prop_assert!(lengthen(below(a)) <= a && lengthen(below(a) + 1) > a);
            prop_assert!(lengthen(short).abs() <= a.abs());
            prop_assert!(a > b || short <= other);
            prop_assert_eq!(shorten(lengthen(short)), short);
        }
    }
}
