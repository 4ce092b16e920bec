//! The features of a page's blocks as forests read them.

/// How many rows stand side by side: as many as a forest scores at once.
pub(super) const LANES: usize = 16;

/// Numbers for each block. Sixteen blocks make a tile, in which the values of a feature stand side by
/// side.
#[derive(Clone, Debug)]
pub struct Rows {
    rows: usize,
    width: usize,
    /// Tile after tile, feature after feature; lanes behind the last row are 0.
    values: Vec<[f32; LANES]>,
}

impl Rows {
    /// Rows of zeros.
    pub fn new(rows: usize, width: usize) -> Rows {
        Rows { rows, width, values: vec![[0.0; LANES]; rows.div_ceil(LANES) * width] }
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
        self.values[row / LANES * self.width + feature][row % LANES]
    }

    /// Writes features of a row, from one on.
    pub(super) fn set(&mut self, row: usize, from: usize, values: &[f32]) {
        let lane = row % LANES;
        let columns = &mut self.values[row / LANES * self.width + from..][..values.len()];
        for (column, value) in columns.iter_mut().zip(values) {
            column[lane] = *value;
        }
    }

    /// Makes a feature 0 everywhere.
    pub fn clear(&mut self, feature: usize) {
        let columns = self.values.iter_mut().skip(feature).step_by(self.width.max(1));
        columns.for_each(|column| *column = [0.0; LANES]);
    }

    /// The tiles: for every feature, its values in up to sixteen rows.
    pub(super) fn tiles(&self) -> impl Iterator<Item = &[[f32; LANES]]> {
        self.values.chunks_exact(self.width.max(1))
    }

    /// The sums of some features over all rows, each row weighed.
    pub(super) fn sums<const N: usize>(&self, features: [usize; N], weights: &[f32]) -> [f32; N] {
        let mut sums = [[0.0; LANES]; N];
        for (tile, weights) in self.tiles().zip(weights.chunks(LANES)) {
            let mut own = [0.0; LANES];
            own[..weights.len()].copy_from_slice(weights);
            for (sums, feature) in sums.iter_mut().zip(features) {
                for (sum, (value, weight)) in sums.iter_mut().zip(tile[feature].iter().zip(own)) {
                    *sum += value * weight;
                }
            }
        }
        sums.map(|lanes| lanes.iter().sum())
    }
}
