//! C4.8: Quinlan's C4.5, release 8, as Weka's J48 implements it (the paper used that program).
//!
//! A node is split where the gain ratio is best, among the features whose information gain is at
//! least average (C4.5's rule against many-valued features). The gain of a numeric feature is
//! lessened by the cost of saying which of its thresholds was chosen (release 8). Trees are then
//! collapsed and pruned:
//!
//! - *pessimistically*: a subtree is replaced by a leaf, or by its largest branch, where the upper
//!   bound of the binomial error (confidence 0.25) does not grow by it;
//! - or by *reduced error*: a third of the examples is kept aside, and a subtree is replaced by a
//!   leaf where that makes no more errors on them.
//!
//! Weights count everywhere where J48 counts instances. "Leaves matching at least 1000 instances"
//! (WSDM paper, section 4.3.1) are therefore leaves of 1000 words: 72,662 blocks do not fill 105
//! leaves of 1000 blocks.

use rayon::prelude::*;

use crate::examples::Examples;
use crate::folds;
use crate::trainers::one_r::between;
use crate::trainers::tree::{Node, Split, Tree};

#[cfg(test)]
mod tests;

/// The trainer's parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct C48 {
    /// The weight of examples that each branch of a split has at least. Where it is small, J48 asks
    /// for more: a tenth of the mean weight of a class, up to 25.
    pub min_leaf: f64,
    /// How the tree is made smaller again.
    pub pruning: Pruning,
}

/// How a grown tree is made smaller.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pruning {
    /// Not at all.
    None,
    /// By the upper bound of the error at this confidence; smaller prunes more.
    Pessimistic {
        /// Between 0 and 0.5.
        confidence: f64,
    },
    /// By the errors on one of this many parts of the examples, which the tree is not grown from.
    ReducedError {
        /// At least 2.
        folds: usize,
        /// Which examples are kept aside.
        seed: u64,
    },
}

impl Default for C48 {
    /// The paper's: 1000 words a leaf, J48's confidence.
    fn default() -> C48 {
        C48 { min_leaf: 1000.0, pruning: Pruning::Pessimistic { confidence: 0.25 } }
    }
}

/// Values closer than this are one value to J48.
const SAME: f64 = 1e-5;
/// Gains, ratios and weights closer than this are equal to J48; of equal gains, the first one stays.
const EQUAL: f64 = 1e-6;

impl C48 {
    /// Learns a tree. Examples of no weight are not looked at.
    pub fn train(&self, examples: &Examples) -> Tree {
        let rows: Vec<u32> =
            (0..examples.len()).filter(|i| examples.weights[*i] > 0.0).map(|i| i as u32).collect();
        match self.pruning {
            Pruning::None => {
                let mut grown = self.grow(examples, rows);
                grown.collapse();
                grown.finish()
            }
            Pruning::Pessimistic { confidence } => {
                let mut grown = self.grow(examples, rows);
                grown.collapse();
                grown.prune_pessimistically(&ErrorBound::new(confidence));
                grown.finish()
            }
            Pruning::ReducedError { folds, seed } => {
                let fold_of = folds::stratified(&examples.labels, folds, seed);
                let (aside, rows): (Vec<u32>, Vec<u32>) =
                    rows.into_iter().partition(|row| fold_of[*row as usize] == 0);
                let mut grown = self.grow(examples, rows);
                grown.collapse();
                grown.prune_by_errors(aside);
                grown.finish()
            }
        }
    }

    fn grow<'a>(&self, examples: &'a Examples, rows: Vec<u32>) -> Grown<'a> {
        let in_order_of = |column: &Vec<f64>| {
            let mut rows = rows.clone();
            rows.sort_by(|a, b| column[*a as usize].total_cmp(&column[*b as usize]));
            rows
        };
        let sorted: Vec<Vec<u32>> = examples.columns.par_iter().map(in_order_of).collect();
        let all = sorted.clone();
        let mut grown = Grown { examples, nodes: Vec::new(), rows: Vec::new() };
        let root = grown.add(rows);
        // Nodes to be split, with their rows in the order of every feature.
        let mut open: Vec<(usize, Vec<Vec<u32>>)> = vec![(root, sorted)];
        let mut goes_below = vec![false; examples.len()];
        while let Some((node, sorted)) = open.pop() {
            let Some((column, threshold)) = self.best_split(examples, &grown.nodes[node], &sorted)
            else {
                continue;
            };
            let values = &examples.columns[column];
            // C4.5 tests for values that occur: the greatest of all examples' below the middle.
            let below = all[column].partition_point(|row| values[*row as usize] <= threshold);
            let threshold = values[all[column][below - 1] as usize];
            for row in &sorted[column] {
                goes_below[*row as usize] = values[*row as usize] <= threshold;
            }
            let goes_below = |row: &u32| goes_below[*row as usize];
            let halves: Vec<(Vec<u32>, Vec<u32>)> =
                sorted.into_par_iter().map(|rows| rows.into_iter().partition(goes_below)).collect();
            let (rows_below, rows_above) = grown.rows[node].iter().copied().partition(goes_below);
            let (below, above) = (grown.add(rows_below), grown.add(rows_above));
            grown.nodes[node].split = Some(Split { column, threshold, below, above });
            let (sorted_below, sorted_above) = halves.into_iter().unzip();
            open.push((above, sorted_above));
            open.push((below, sorted_below));
        }
        grown
    }

    /// The feature and threshold of the best gain ratio, if any split is worth it.
    fn best_split(
        &self,
        examples: &Examples,
        node: &Node,
        sorted: &[Vec<u32>],
    ) -> Option<(usize, f64)> {
        let total = node.total();
        if total + EQUAL < 2.0 * self.min_leaf || node.errors() < EQUAL {
            return None;
        }
        let splits: Vec<Option<Candidate>> = (0..sorted.len())
            .into_par_iter()
            .map(|column| self.best_threshold(examples, node, column, &sorted[column]))
            .collect();
        let gains = splits.iter().flatten().map(|split| split.gain);
        let average = gains.clone().sum::<f64>() / gains.count().max(1) as f64;
        let (mut best, mut best_ratio) = (None, 0.0);
        for (column, split) in splits.into_iter().enumerate() {
            if let Some(split) = split
                && split.gain >= average - 1e-3
                && split.ratio > best_ratio + EQUAL
            {
                (best, best_ratio) = (Some((column, split.threshold)), split.ratio);
            }
        }
        best
    }

    fn best_threshold(
        &self,
        examples: &Examples,
        node: &Node,
        column: usize,
        rows: &[u32],
    ) -> Option<Candidate> {
        let values = &examples.columns[column];
        let total = node.total();
        let classes = node.weights.len() as f64;
        // J48's least weight of a branch, between 10% of a class and 25 where `min_leaf` is small.
        let mut least = 0.1 * total / classes;
        if least <= self.min_leaf + EQUAL {
            least = self.min_leaf;
        } else if least > 25.0 {
            least = 25.0;
        }
        // Sums of fractions are not exact: eight times 0.1 is less than 0.8.
        let too_light = |weight: f64| weight + EQUAL < least;
        let before = total * entropy(&node.weights);
        let mut below = vec![0.0; node.weights.len()];
        let mut above = node.weights.clone();
        let mut below_total = 0.0;
        let (mut best_gain, mut best_at, mut tried) = (0.0, None, 0u32);
        let mut best_below = 0.0;
        for (at, pair) in rows.windows(2).enumerate() {
            let (row, next) = (pair[0] as usize, pair[1] as usize);
            let (label, weight) = (usize::from(examples.labels[row]), examples.weights[row]);
            below[label] += weight;
            above[label] -= weight;
            below_total += weight;
            if values[row] + SAME >= values[next] {
                continue;
            }
            if too_light(below_total) || too_light(total - below_total) {
                continue;
            }
            tried += 1;
            let after = below_total * entropy(&below) + (total - below_total) * entropy(&above);
            let gain = (before - after) / total;
            if gain > best_gain + EQUAL {
                (best_gain, best_at, best_below) = (gain, Some(at), below_total);
            }
        }
        let at = best_at?;
        // Release 8: the choice among `tried` thresholds has to be paid for.
        let gain = best_gain - f64::from(tried).log2() / total;
        if gain < EQUAL {
            return None;
        }
        let threshold = between(values[rows[at] as usize], values[rows[at + 1] as usize]);
        let ratio = gain / entropy(&[best_below, total - best_below]);
        Some(Candidate { gain, ratio, threshold })
    }
}

#[derive(Clone, Copy, Debug)]
struct Candidate {
    gain: f64,
    ratio: f64,
    threshold: f64,
}

/// Bits per unit of weight.
pub(crate) fn entropy(weights: &[f64]) -> f64 {
    let total: f64 = weights.iter().sum();
    if total <= 0.0 {
        return 0.0;
    }
    let parts = weights.iter().filter(|weight| **weight > 0.0);
    parts.map(|weight| -(weight / total) * (weight / total).log2()).sum()
}

/// A tree with the rows that arrive at each node.
struct Grown<'a> {
    examples: &'a Examples,
    nodes: Vec<Node>,
    rows: Vec<Vec<u32>>,
}

impl Grown<'_> {
    fn add(&mut self, rows: Vec<u32>) -> usize {
        let weights = self.weights_of(&rows);
        self.nodes.push(Node::leaf(weights));
        self.rows.push(rows);
        self.nodes.len() - 1
    }

    fn weights_of(&self, rows: &[u32]) -> Vec<f64> {
        let mut weights = vec![0.0; self.examples.classes.len()];
        for row in rows {
            let row = *row as usize;
            weights[usize::from(self.examples.labels[row])] += self.examples.weights[row];
        }
        weights
    }

    fn finish(self) -> Tree {
        Tree::new(self.examples.classes.len(), &self.nodes)
    }

    /// Makes leaves of subtrees that make no fewer errors on the training examples than a leaf.
    ///
    /// Nothing here recurses: a tree may be as deep as there are examples.
    fn collapse(&mut self) {
        let mut errors: Vec<f64> = self.nodes.iter().map(Node::errors).collect();
        // Children stand behind their parents.
        for node in (0..self.nodes.len()).rev() {
            if let Some(split) = self.nodes[node].split {
                let below_it = errors[split.below] + errors[split.above];
                if below_it >= errors[node] - 1e-3 {
                    self.nodes[node].split = None;
                } else {
                    errors[node] = below_it;
                }
            }
        }
    }

    fn prune_pessimistically(&mut self, bound: &ErrorBound) {
        // The estimated errors of the subtrees that are done, on their own examples.
        let mut estimates = vec![0.0; self.nodes.len()];
        let mut open = vec![(0, false)];
        while let Some((node, branches_are_done)) = open.pop() {
            let leaf = bound.of(&self.nodes[node].weights);
            let Some(split) = self.nodes[node].split else {
                estimates[node] = leaf;
                continue;
            };
            if !branches_are_done {
                open.extend([(node, true), (split.above, false), (split.below, false)]);
                continue;
            }
            // The second of equals, as in J48.
            let is_below = self.nodes[split.below].total() > self.nodes[split.above].total();
            let largest = if is_below { split.below } else { split.above };
            let rows = std::mem::take(&mut self.rows[node]);
            let raised = self.estimate_of(largest, rows.clone(), bound);
            let tree = estimates[split.below] + estimates[split.above];
            let no_more = |errors: f64, than: f64| errors < than + 0.1 + EQUAL;
            if no_more(leaf, tree) && no_more(leaf, raised) {
                self.nodes[node].split = None;
                estimates[node] = leaf;
            } else if no_more(raised, tree) {
                self.nodes[node].split = self.nodes[largest].split;
                self.distribute(node, rows.clone());
                open.push((node, false));
            } else {
                estimates[node] = tree;
            }
            self.rows[node] = rows;
        }
    }

    /// The estimated errors of a subtree, were these its examples.
    fn estimate_of(&self, node: usize, rows: Vec<u32>, bound: &ErrorBound) -> f64 {
        let mut errors = 0.0;
        let mut open = vec![(node, rows)];
        while let Some((node, rows)) = open.pop() {
            match self.nodes[node].split {
                Some(split) => {
                    let (below, above) = self.halves(split, &rows);
                    open.extend([(split.above, above), (split.below, below)]);
                }
                None => errors += bound.of(&self.weights_of(&rows)),
            }
        }
        errors
    }

    fn halves(&self, split: Split, rows: &[u32]) -> (Vec<u32>, Vec<u32>) {
        let values = &self.examples.columns[split.column];
        rows.iter().partition(|row| values[**row as usize] <= split.threshold)
    }

    /// Puts other examples into the branches of a node.
    fn distribute(&mut self, node: usize, rows: Vec<u32>) {
        let mut open = vec![(node, rows)];
        while let Some((node, rows)) = open.pop() {
            self.nodes[node].weights = self.weights_of(&rows);
            if let Some(split) = self.nodes[node].split {
                let (below, above) = self.halves(split, &rows);
                open.extend([(split.above, above), (split.below, below)]);
            }
            self.rows[node] = rows;
        }
    }

    /// Makes leaves of the subtrees that do not pay on examples they were not grown from; the
    /// classes of the leaves stay those of the training examples.
    fn prune_by_errors(&mut self, aside: Vec<u32>) {
        let mut errors = vec![0.0; self.nodes.len()];
        let mut open = vec![(0, aside)];
        while let Some((node, rows)) = open.pop() {
            let weights = self.weights_of(&rows);
            errors[node] = weights.iter().sum::<f64>() - weights[self.nodes[node].majority()];
            if let Some(split) = self.nodes[node].split {
                let (below, above) = self.halves(split, &rows);
                open.extend([(split.above, above), (split.below, below)]);
            }
        }
        // Children stand behind their parents.
        for node in (0..self.nodes.len()).rev() {
            if let Some(split) = self.nodes[node].split {
                let below_it = errors[split.below] + errors[split.above];
                if errors[node] <= below_it {
                    self.nodes[node].split = None;
                } else {
                    errors[node] = below_it;
                }
            }
        }
    }
}

/// How many errors a leaf may make on other examples, at a confidence.
struct ErrorBound {
    confidence: f64,
    /// The quantile of the normal distribution.
    z: f64,
}

impl ErrorBound {
    fn new(confidence: f64) -> ErrorBound {
        ErrorBound { confidence, z: normal_quantile(1.0 - confidence) }
    }

    /// The errors of a leaf and what has to be added to them.
    fn of(&self, weights: &[f64]) -> f64 {
        let total: f64 = weights.iter().sum();
        if total == 0.0 {
            return 0.0;
        }
        let errors = total - weights.iter().copied().fold(0.0, f64::max);
        errors + self.added(total, errors)
    }

    /// The upper bound of the binomial error, by the normal approximation, less the errors
    /// themselves (C4.5's `AddErrs`).
    fn added(&self, total: f64, errors: f64) -> f64 {
        if errors < 1.0 {
            let none = total * (1.0 - self.confidence.powf(1.0 / total));
            if errors == 0.0 {
                return none;
            }
            return none + errors * (self.added(total, 1.0) - none);
        }
        if errors + 0.5 >= total {
            return (total - errors).max(0.0);
        }
        let z = self.z;
        let share = (errors + 0.5) / total;
        let root = (share / total - share * share / total + z * z / (4.0 * total * total)).sqrt();
        let bound = (share + z * z / (2.0 * total) + z * root) / (1.0 + z * z / total);
        bound * total - errors
    }
}

/// The value below which a standard normal variable stays with this probability, above a half; by
/// bisection, because nothing here is in a hurry.
fn normal_quantile(probability: f64) -> f64 {
    let (mut low, mut high) = (0.0, 40.0);
    for _ in 0..100 {
        let middle = (low + high) / 2.0;
        if normal_share_below(middle) < probability {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

/// Φ(z) for z ≥ 0, by the series of the error function; exact to 1e-12 up to z = 8, where it is 1.
fn normal_share_below(z: f64) -> f64 {
    if z > 8.0 {
        return 1.0;
    }
    let (mut term, mut sum) = (z, z);
    let mut odd = 1.0;
    while term > sum * 1e-17 {
        odd += 2.0;
        term *= z * z / odd;
        sum += term;
    }
    0.5 + sum * (-z * z / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt()
}
