//! One tree, grown leaf by leaf.

use rayon::prelude::*;
use webstrata::model::Node;

use super::Boost;
use super::bins::{Bins, TILE, Tile};

/// The slope and the curvature of a row's loss.
pub type Gradient = [f32; 2];

/// Their sums over some rows.
type Sums = [f64; 2];

/// The sums for every bin of a column.
type Histogram = Vec<Sums>;

/// A leaf that may still be split.
struct Leaf {
    /// Its place among the nodes.
    node: usize,
    /// Its rows, ascending.
    rows: Vec<u32>,
    /// For every tile, those of its columns.
    histograms: Vec<Vec<Histogram>>,
    sums: Sums,
    split: Option<Split>,
}

#[derive(Clone, Copy)]
struct Split {
    gain: f64,
    column: usize,
    /// The last bin of the `<=` branch.
    bin: u8,
    below: Sums,
}

/// A node of the growing tree; branches are places among the nodes.
enum Grown {
    Leaf(f32),
    Split { column: usize, bin: u8, below: usize, above: usize },
}

/// Grows a tree on some rows, and adds its leaves to the scores of all rows.
pub(super) fn grow(
    settings: &Boost,
    bins: &[Bins],
    tiles: &[Tile],
    rows: &[u32],
    gradients: &[Gradient],
    scores: &mut [f64],
) -> Vec<Node<f32>> {
    let own = gather(gradients, rows);
    let sums = own.iter().fold([0.0; 2], |sums, gradient| plus(sums, gradient.map(f64::from)));
    let search = |tile: &Tile, histograms: &[Histogram], sums| {
        let lanes = tile.columns.iter().zip(histograms);
        best(lanes.map(|(column, histogram)| best_split(settings, *column, histogram, sums)))
    };
    let searched = tiles.par_iter().map(|tile| {
        let histograms = histograms(tile, bins, rows, &own);
        let split = search(tile, &histograms, sums);
        (histograms, split)
    });
    let (histograms_of_tiles, splits): (Vec<_>, Vec<_>) = searched.unzip();
    let mut nodes = vec![Grown::Leaf(0.0)];
    let root = Leaf {
        node: 0,
        rows: rows.to_vec(),
        histograms: histograms_of_tiles,
        sums,
        split: best(splits),
    };
    let mut leaves = vec![root];
    while leaves.len() < settings.leaves {
        let splits =
            leaves.iter().enumerate().filter_map(|(place, leaf)| Some((place, leaf.split?)));
        // The first of those that gain most, so that equal gains are no matter of chance.
        let best_leaf = splits.reduce(|a, b| if b.1.gain > a.1.gain { b } else { a });
        let Some((place, split)) = best_leaf else { break };
        let leaf = leaves.swap_remove(place);
        let of_row = &bins[split.column].of_row;
        let (below, above): (Vec<u32>, Vec<u32>) =
            leaf.rows.iter().partition(|row| of_row[**row as usize] <= split.bin);
        let first = nodes.len();
        nodes.extend([Grown::Leaf(0.0), Grown::Leaf(0.0)]);
        nodes[leaf.node] =
            Grown::Split { column: split.column, bin: split.bin, below: first, above: first + 1 };
        let mut smaller = (first, below, split.below);
        let mut larger = (first + 1, above, minus(leaf.sums, split.below));
        if smaller.1.len() > larger.1.len() {
            std::mem::swap(&mut smaller, &mut larger);
        }
        let own = gather(gradients, &smaller.1);
        let searched = tiles.par_iter().zip(leaf.histograms).map(|(tile, mut rest)| {
            let part = histograms(tile, bins, &smaller.1, &own);
            for (rest, part) in rest.iter_mut().flatten().zip(part.iter().flatten()) {
                *rest = minus(*rest, *part);
            }
            let splits = (search(tile, &part, smaller.2), search(tile, &rest, larger.2));
            ((part, splits.0), (rest, splits.1))
        });
        let (of_smaller, of_larger): (Vec<_>, Vec<_>) = searched.unzip();
        for ((node, rows, sums), searched) in [(smaller, of_smaller), (larger, of_larger)] {
            let (histograms, splits): (Vec<_>, Vec<_>) = searched.into_iter().unzip();
            leaves.push(Leaf { node, rows, histograms, sums, split: best(splits) });
        }
    }
    for leaf in &leaves {
        let step = -leaf.sums[0] / (leaf.sums[1] + settings.l2).max(f64::MIN_POSITIVE);
        let number = (settings.learning_rate * step) as f32;
        // Rows without any weight have no say.
        let number = if number.is_finite() { number } else { 0.0 };
        nodes[leaf.node] = Grown::Leaf(number);
        for row in &leaf.rows {
            scores[*row as usize] += f64::from(number);
        }
    }
    if rows.len() < scores.len() {
        add_to_rows_left_out(&nodes, bins, rows, scores);
    }
    in_prefix_order(&nodes, bins)
}

fn gather(gradients: &[Gradient], rows: &[u32]) -> Vec<Gradient> {
    rows.iter().map(|row| gradients[*row as usize]).collect()
}

/// Sums the gradients of the rows by bin, for every column of a tile.
fn histograms(tile: &Tile, bins: &[Bins], rows: &[u32], gradients: &[Gradient]) -> Vec<Histogram> {
    // Whole tables for all bytes, so that no index needs a check.
    let mut tables = vec![[[0.0; 2]; 256]; TILE];
    let tables: &mut [[Sums; 256]; TILE] = tables.as_mut_slice().try_into().expect("its length");
    for (row, gradient) in rows.iter().zip(gradients) {
        let gradient = gradient.map(f64::from);
        for (table, bin) in tables.iter_mut().zip(tile.of_row[*row as usize]) {
            let sums = &mut table[usize::from(bin)];
            *sums = plus(*sums, gradient);
        }
    }
    let lanes = tile.columns.iter().zip(tables.iter());
    lanes.map(|(column, table)| table[..bins[*column].len()].to_vec()).collect()
}

/// The split of a leaf between two bins of a column that lowers the loss most: equation 7 of the
/// XGBoost paper.
fn best_split(settings: &Boost, column: usize, histogram: &[Sums], sums: Sums) -> Option<Split> {
    let loss = |[slope, curvature]: Sums| slope * slope / (curvature + settings.l2);
    let whole = loss(sums);
    let mut below = [0.0; 2];
    let mut best: Option<Split> = None;
    // Behind the last bin there is nothing.
    for (bin, part) in histogram[..histogram.len() - 1].iter().enumerate() {
        below = plus(below, *part);
        let above = minus(sums, below);
        if below[1] < settings.min_leaf_weight || above[1] < settings.min_leaf_weight {
            continue;
        }
        let gain = loss(below) + loss(above) - whole;
        // Less than this is what rounding leaves of nothing.
        let least = best.map_or(1e-9 * whole.abs().max(1e-9), |best| best.gain);
        if gain > least {
            best = Some(Split { gain, column, bin: bin as u8, below });
        }
    }
    best
}

/// The best of some splits, of equal ones the first.
fn best(splits: impl IntoIterator<Item = Option<Split>>) -> Option<Split> {
    splits.into_iter().flatten().reduce(|a, b| if b.gain > a.gain { b } else { a })
}

/// Rows that the tree was not grown on get its leaves, too; they walk down.
fn add_to_rows_left_out(nodes: &[Grown], bins: &[Bins], rows: &[u32], scores: &mut [f64]) {
    let mut left_out = vec![true; scores.len()];
    rows.iter().for_each(|row| left_out[*row as usize] = false);
    scores.par_iter_mut().enumerate().filter(|(row, _)| left_out[*row]).for_each(|(row, score)| {
        let mut place = 0;
        loop {
            match nodes[place] {
                Grown::Leaf(number) => break *score += f64::from(number),
                Grown::Split { column, bin, below, above } => {
                    place = if bins[column].of_row[row] <= bin { below } else { above };
                }
            }
        }
    });
}

fn in_prefix_order(nodes: &[Grown], bins: &[Bins]) -> Vec<Node<f32>> {
    let mut ordered = Vec::with_capacity(nodes.len());
    let mut open = vec![0];
    while let Some(place) = open.pop() {
        match nodes[place] {
            Grown::Leaf(number) => ordered.push(Node::Leaf(number)),
            Grown::Split { column, bin, below, above } => {
                let threshold = bins[column].thresholds[usize::from(bin)].into();
                ordered.push(Node::Test { feature: column, threshold });
                open.extend([above, below]);
            }
        }
    }
    ordered
}

fn plus(a: Sums, b: Sums) -> Sums {
    [a[0] + b[0], a[1] + b[1]]
}

fn minus(a: Sums, b: Sums) -> Sums {
    [a[0] - b[0], a[1] - b[1]]
}
