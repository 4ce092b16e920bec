//! Columns in bins: what splits are looked for between.

/// The most bins of a column; their numbers are bytes.
const MAX_BINS: usize = 255;

/// A column, cut into bins.
pub(super) struct Bins {
    /// For each row, its bin.
    pub(super) of_row: Vec<u8>,
    /// Between each bin and the next, a threshold: a value is in the first bin whose threshold it is
    /// not above, or in the last.
    pub(super) thresholds: Vec<f32>,
}

impl Bins {
    /// Every value has a bin of its own where there are few; otherwise bins hold about as many rows
    /// each. The values are finite in 32 bits.
    pub(super) fn new(column: &[f64]) -> Bins {
        let values: Vec<f32> = column.iter().map(|value| *value as f32).collect();
        let mut sorted = values.clone();
        sorted.sort_unstable_by(f32::total_cmp);
        let mut distinct: Vec<(f32, usize)> = Vec::new();
        for value in sorted {
            match distinct.last_mut() {
                // -0 and 0 are one value.
                Some((last, rows)) if *last == value => *rows += 1,
                _ => distinct.push((value, 1)),
            }
        }
        let mut thresholds = Vec::new();
        let mut rows_left = values.len();
        let mut rows_here = 0;
        for pair in distinct.windows(2) {
            let [(value, rows), (next, _)] = [pair[0], pair[1]];
            rows_here += rows;
            let bins_left = MAX_BINS - thresholds.len();
            let is_full = distinct.len() <= MAX_BINS || rows_here * bins_left >= rows_left;
            if is_full && bins_left > 1 {
                thresholds.push(between(value, next));
                rows_left -= rows_here;
                rows_here = 0;
            }
        }
        let bin = |value: &f32| thresholds.partition_point(|threshold| *value > *threshold) as u8;
        Bins { of_row: values.iter().map(bin).collect(), thresholds }
    }

    pub(super) fn len(&self) -> usize {
        self.thresholds.len() + 1
    }
}

/// How many columns are summed in one pass: as many as have their sums in the processor's nearest
/// memory.
pub(super) const TILE: usize = 8;

/// The bins of some columns, row by row: whoever reads a row reads them all at once.
pub(super) struct Tile {
    /// The columns, up to [`TILE`] of them.
    pub(super) columns: Vec<usize>,
    /// For each row, the bin in each column; 0 where there are fewer columns.
    pub(super) of_row: Vec<[u8; TILE]>,
}

impl Tile {
    pub(super) fn new(columns: &[usize], bins: &[Bins], rows: usize) -> Tile {
        let mut of_row = vec![[0; TILE]; rows];
        for (lane, column) in columns.iter().enumerate() {
            let own = of_row.iter_mut().zip(&bins[*column].of_row);
            own.for_each(|(lanes, bin)| lanes[lane] = *bin);
        }
        Tile { columns: columns.into(), of_row }
    }
}

/// The middle of two numbers, or the lower one where nothing lies between.
fn between(low: f32, high: f32) -> f32 {
    let middle = ((f64::from(low) + f64::from(high)) / 2.0) as f32;
    if middle < high { middle } else { low }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn nothing_lies_between_neighbours() {
        assert_eq!(between(1.0, 2.0), 1.5);
        let next = f32::from_bits(1.0f32.to_bits() + 1);
        assert_eq!(between(1.0, next), 1.0);
        assert_eq!(between(f32::MIN, f32::MAX), 0.0);
    }

    #[test]
    fn bins_are_of_a_size_and_common_values_have_their_own() {
        let column: Vec<f64> = (0..10_000u32).map(|row| f64::from(row.max(5_000))).collect();
        let bins = Bins::new(&column);
        let mut sizes = vec![0; bins.len()];
        bins.of_row.iter().for_each(|bin| sizes[usize::from(*bin)] += 1);
        assert_eq!((bins.len(), sizes[0]), (255, 5_001));
        assert!(sizes[1..].iter().all(|size| (15..=25).contains(size)), "{sizes:?}");
    }

    proptest! {
        #[test]
        fn a_bin_is_told_by_its_threshold(column in prop::collection::vec(-400..400i32, 1..2000)) {
            let column: Vec<f64> = column.into_iter().map(|value| f64::from(value) / 3.0).collect();
            let bins = Bins::new(&column);
            prop_assert!(bins.len() <= 255);
            for (place, threshold) in bins.thresholds.iter().enumerate() {
                for (value, bin) in column.iter().zip(&bins.of_row) {
                    prop_assert_eq!(usize::from(*bin) <= place, *value as f32 <= *threshold);
                }
            }
        }
    }
}
