//! One tree, grown leaf by leaf.

use rayon::prelude::*;
use webstrata::model::Node;

use super::Boost;
use super::bins::Bins;

/// The slope and the curvature of a row's loss.
pub(super) type Gradient = [f32; 2];

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
    /// For every column drawn.
    histograms: Vec<Histogram>,
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

/// Grows a tree on some rows and columns, and adds its leaves to the scores of all rows.
pub(super) fn grow(
    settings: &Boost,
    bins: &[Bins],
    columns: &[usize],
    rows: &[u32],
    gradients: &[Gradient],
    scores: &mut [f64],
) -> Vec<Node<f32>> {
    let own = gather(gradients, rows);
    let sums = own.iter().fold([0.0; 2], |sums, gradient| plus(sums, gradient.map(f64::from)));
    let search =
        |column: usize, histogram: &Histogram, sums| best_split(settings, column, histogram, sums);
    let (histograms, splits): (Vec<_>, Vec<_>) = columns
        .par_iter()
        .map(|&column| {
            let histogram = histogram(&bins[column], rows, &own);
            let split = search(column, &histogram, sums);
            (histogram, split)
        })
        .unzip();
    let mut nodes = vec![Grown::Leaf(0.0)];
    let mut leaves =
        vec![Leaf { node: 0, rows: rows.to_vec(), histograms, sums, split: best(splits) }];
    while leaves.len() < settings.leaves {
        let splits =
            leaves.iter().enumerate().filter_map(|(place, leaf)| Some((place, leaf.split?)));
        // The first of those that gain most, so that equal gains are no matter of chance.
        let best_leaf = splits.reduce(|a, b| if b.1.gain > a.1.gain { b } else { a });
        let Some((place, split)) = best_leaf else { break };
        let Leaf { node, rows, histograms, sums, .. } = leaves.swap_remove(place);
        let of_row = &bins[split.column].of_row;
        let (below, above): (Vec<u32>, Vec<u32>) =
            rows.iter().partition(|row| of_row[**row as usize] <= split.bin);
        let below_is_smaller = below.len() <= above.len();
        let smaller = if below_is_smaller { &below } else { &above };
        let sums = [split.below, minus(sums, split.below)];
        let [smaller_sums, larger_sums] = if below_is_smaller { sums } else { [sums[1], sums[0]] };
        let own = gather(gradients, smaller);
        let children: Vec<_> = columns
            .par_iter()
            .zip(histograms)
            .map(|(&column, mut rest)| {
                let histogram = histogram(&bins[column], smaller, &own);
                rest.iter_mut()
                    .zip(&histogram)
                    .for_each(|(rest, part)| *rest = minus(*rest, *part));
                let splits =
                    (search(column, &histogram, smaller_sums), search(column, &rest, larger_sums));
                ((histogram, rest), splits)
            })
            .collect();
        let (histograms, splits): (Vec<_>, Vec<_>) = children.into_iter().unzip();
        let (smaller_histograms, larger_histograms): (Vec<_>, Vec<_>) =
            histograms.into_iter().unzip();
        let (smaller_splits, larger_splits): (Vec<_>, Vec<_>) = splits.into_iter().unzip();
        let mut parts =
            [(smaller_histograms, best(smaller_splits)), (larger_histograms, best(larger_splits))];
        if !below_is_smaller {
            parts.reverse();
        }
        let first = nodes.len();
        nodes[node] =
            Grown::Split { column: split.column, bin: split.bin, below: first, above: first + 1 };
        for (place, ((rows, sums), (histograms, split))) in
            [below, above].into_iter().zip(sums).zip(parts).enumerate()
        {
            nodes.push(Grown::Leaf(0.0));
            leaves.push(Leaf { node: first + place, rows, histograms, sums, split });
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

/// Sums the gradients of the rows by bin. Rows take turns in two tables, so that rows of one bin,
/// which are common, do not wait for each other.
fn histogram(bins: &Bins, rows: &[u32], gradients: &[Gradient]) -> Histogram {
    let mut tables = [[[0.0; 2]; 256]; 2];
    for (turn, (row, gradient)) in rows.iter().zip(gradients).enumerate() {
        let sums = &mut tables[turn % 2][usize::from(bins.of_row[*row as usize])];
        *sums = plus(*sums, gradient.map(f64::from));
    }
    let [first, second] = &tables;
    first.iter().zip(second).map(|(a, b)| plus(*a, *b)).take(bins.len()).collect()
}

/// The split of a leaf between two bins of a column that lowers the loss most: equation 7 of the
/// XGBoost paper.
fn best_split(settings: &Boost, column: usize, histogram: &Histogram, sums: Sums) -> Option<Split> {
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

/// The best split of all columns, of equal ones the first.
fn best(splits: Vec<Option<Split>>) -> Option<Split> {
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
