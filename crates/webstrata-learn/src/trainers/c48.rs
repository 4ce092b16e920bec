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

/// The trainer's parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct C48 {
    /// The weight of examples that each branch of a split has at least.
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
/// Gains closer than this are equal to J48, and the first one stays.
const EQUAL: f64 = 1e-6;

impl C48 {
    /// Learns a tree. Examples of no weight are not looked at.
    pub fn train(&self, examples: &Examples) -> Tree {
        let rows: Vec<u32> =
            (0..examples.len()).filter(|i| examples.weights[*i] > 0.0).map(|i| i as u32).collect();
        match self.pruning {
            Pruning::None => {
                let mut grown = self.grow(examples, rows);
                grown.collapse(0);
                grown.finish()
            }
            Pruning::Pessimistic { confidence } => {
                let mut grown = self.grow(examples, rows);
                grown.collapse(0);
                grown.prune_pessimistically(0, confidence);
                grown.finish()
            }
            Pruning::ReducedError { folds, seed } => {
                let fold_of = folds::stratified(&examples.labels, folds, seed);
                let (aside, rows): (Vec<u32>, Vec<u32>) =
                    rows.into_iter().partition(|row| fold_of[*row as usize] == 0);
                let mut grown = self.grow(examples, rows);
                grown.collapse(0);
                grown.prune_by_errors(&aside);
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
        if total < 2.0 * self.min_leaf || node.errors() == 0.0 {
            return None;
        }
        let splits: Vec<Option<Candidate>> = (0..sorted.len())
            .into_par_iter()
            .map(|column| self.best_threshold(examples, node, column, &sorted[column]))
            .collect();
        let gains = splits.iter().flatten().map(|split| split.gain);
        let average = gains.clone().sum::<f64>() / gains.count().max(1) as f64;
        let mut best: Option<(usize, Candidate)> = None;
        for (column, split) in splits.into_iter().enumerate() {
            if let Some(split) = split
                && split.gain >= average - 1e-3
                && best.is_none_or(|(_, best)| split.ratio > best.ratio + EQUAL)
            {
                best = Some((column, split));
            }
        }
        best.map(|(column, split)| (column, split.threshold))
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
        if least <= self.min_leaf {
            least = self.min_leaf;
        } else if least > 25.0 {
            least = 25.0;
        }
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
            if below_total < least || total - below_total < least {
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
        if gain <= 0.0 {
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
    /// Recursion is as deep as the tree, and every level takes `min_leaf` off the weight.
    fn collapse(&mut self, node: usize) -> f64 {
        let Some(split) = self.nodes[node].split else { return self.nodes[node].errors() };
        let errors = self.collapse(split.below) + self.collapse(split.above);
        if errors >= self.nodes[node].errors() - 1e-3 {
            self.nodes[node].split = None;
            return self.nodes[node].errors();
        }
        errors
    }

    fn prune_pessimistically(&mut self, node: usize, confidence: f64) {
        let Some(split) = self.nodes[node].split else { return };
        self.prune_pessimistically(split.below, confidence);
        self.prune_pessimistically(split.above, confidence);
        let largest = if self.nodes[split.above].total() > self.nodes[split.below].total() {
            split.above
        } else {
            split.below
        };
        let rows = std::mem::take(&mut self.rows[node]);
        let raised = self.estimate_of(largest, &rows, confidence);
        let leaf = estimated(&self.nodes[node].weights, confidence);
        let tree = self.estimate(node, confidence);
        if leaf <= tree + 0.1 && leaf <= raised + 0.1 {
            self.nodes[node].split = None;
        } else if raised <= tree + 0.1 {
            self.nodes[node].split = self.nodes[largest].split;
            self.distribute(node, &rows);
            self.rows[node] = rows;
            return self.prune_pessimistically(node, confidence);
        }
        self.rows[node] = rows;
    }

    /// The estimated errors of a subtree on its own examples.
    fn estimate(&self, node: usize, confidence: f64) -> f64 {
        match self.nodes[node].split {
            Some(split) => {
                self.estimate(split.below, confidence) + self.estimate(split.above, confidence)
            }
            None => estimated(&self.nodes[node].weights, confidence),
        }
    }

    /// The estimated errors of a subtree, were these its examples.
    fn estimate_of(&self, node: usize, rows: &[u32], confidence: f64) -> f64 {
        let Some(split) = self.nodes[node].split else {
            return estimated(&self.weights_of(rows), confidence);
        };
        let (below, above) = self.halves(split, rows);
        self.estimate_of(split.below, &below, confidence)
            + self.estimate_of(split.above, &above, confidence)
    }

    fn halves(&self, split: Split, rows: &[u32]) -> (Vec<u32>, Vec<u32>) {
        let values = &self.examples.columns[split.column];
        rows.iter().partition(|row| values[**row as usize] <= split.threshold)
    }

    /// Puts other examples into a subtree.
    fn distribute(&mut self, node: usize, rows: &[u32]) {
        let Some(split) = self.nodes[node].split else { return };
        let (below, above) = self.halves(split, rows);
        for (child, rows) in [(split.below, below), (split.above, above)] {
            self.nodes[child].weights = self.weights_of(&rows);
            self.distribute(child, &rows);
            self.rows[child] = rows;
        }
    }

    /// Makes leaves of the subtrees that do not pay on examples they were not grown from; the
    /// classes of the leaves stay those of the training examples.
    fn prune_by_errors(&mut self, aside: &[u32]) {
        self.errors_aside(0, aside);
    }

    fn errors_aside(&mut self, node: usize, rows: &[u32]) -> f64 {
        let weights = self.weights_of(rows);
        let as_leaf = weights.iter().sum::<f64>() - weights[self.nodes[node].majority()];
        let Some(split) = self.nodes[node].split else { return as_leaf };
        let (below, above) = self.halves(split, rows);
        let as_tree =
            self.errors_aside(split.below, &below) + self.errors_aside(split.above, &above);
        if as_leaf <= as_tree {
            self.nodes[node].split = None;
        }
        as_leaf.min(as_tree)
    }
}

/// Errors of a leaf and what has to be added to them at a confidence.
fn estimated(weights: &[f64], confidence: f64) -> f64 {
    let node_total: f64 = weights.iter().sum();
    if node_total == 0.0 {
        return 0.0;
    }
    let errors = node_total - weights.iter().copied().fold(0.0, f64::max);
    errors + added_errors(node_total, errors, confidence)
}

/// The upper bound of the binomial error, by the normal approximation, less the errors themselves
/// (C4.5's `AddErrs`).
fn added_errors(total: f64, errors: f64, confidence: f64) -> f64 {
    if errors < 1.0 {
        let none = total * (1.0 - confidence.powf(1.0 / total));
        if errors == 0.0 {
            return none;
        }
        return none + errors * (added_errors(total, 1.0, confidence) - none);
    }
    if errors + 0.5 >= total {
        return (total - errors).max(0.0);
    }
    let z = normal_quantile(1.0 - confidence);
    let share = (errors + 0.5) / total;
    let root = (share / total - share * share / total + z * z / (4.0 * total * total)).sqrt();
    let bound = (share + z * z / (2.0 * total) + z * root) / (1.0 + z * z / total);
    bound * total - errors
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
