//! 1R (Holte, 1993): the one feature whose intervals make the fewest errors. Without any feature it
//! is ZeroR, the baseline that always names the most frequent class.
//!
//! Intervals are those of Weka 3.6: all examples of one value are one unit, and a unit joins the
//! interval before it unless that is large enough and another class is the most frequent one of the
//! unit. Neighbours of the same class are then one interval. Weights count where Weka counts
//! instances, whatever their weights.

use rayon::prelude::*;

use crate::examples::Examples;
use crate::trainers::tree::{Node, Split, Tree, majority};

#[cfg(test)]
mod tests;

/// How 1R cuts a feature into intervals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OneR {
    /// The weight that the most frequent class of an interval has at least.
    pub min_bucket: f64,
}

impl Default for OneR {
    fn default() -> OneR {
        OneR { min_bucket: 6.0 }
    }
}

/// The tree of a single leaf: the class of most weight, whatever the block.
pub fn zero_r(examples: &Examples) -> Tree {
    let mut weights = vec![0.0; examples.classes.len()];
    for (label, weight) in examples.labels.iter().zip(&examples.weights) {
        weights[usize::from(*label)] += weight;
    }
    Tree::new(examples.classes.len(), &[Node::leaf(weights)])
}

impl OneR {
    /// The feature of the fewest errors as a tree that tests nothing else; the first of equals.
    pub fn train(&self, examples: &Examples) -> Tree {
        let rules: Vec<Vec<Interval>> =
            (0..examples.columns.len()).into_par_iter().map(|c| self.rule(examples, c)).collect();
        let errors = |rule: &[Interval]| rule.iter().map(Interval::errors).sum::<f64>();
        let mut best: Option<(usize, f64)> = None;
        for (column, rule) in rules.iter().enumerate().filter(|(_, rule)| !rule.is_empty()) {
            let errors = errors(rule);
            if best.is_none_or(|(_, least)| errors < least) {
                best = Some((column, errors));
            }
        }
        match best {
            Some((column, _)) => tree(examples.classes.len(), column, &rules[column]),
            None => zero_r(examples),
        }
    }

    /// Cuts a feature's values into intervals of one majority class each.
    fn rule(&self, examples: &Examples, column: usize) -> Vec<Interval> {
        let values = &examples.columns[column];
        let mut rows: Vec<usize> =
            (0..values.len()).filter(|i| examples.weights[*i] > 0.0).collect();
        rows.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
        let mut intervals: Vec<Interval> = Vec::new();
        let mut open: Option<Interval> = None;
        let mut start = 0;
        while start < rows.len() {
            // All rows of one value go into the same interval.
            let value = values[rows[start]];
            let same = rows[start..].iter().take_while(|row| values[**row] == value).count();
            let mut weights = vec![0.0; examples.classes.len()];
            for row in &rows[start..start + same] {
                weights[usize::from(examples.labels[*row])] += examples.weights[*row];
            }
            start += same;
            // An interval ends where it is large enough and the class changes.
            if let Some(full) = open.take_if(|open| {
                let class = majority(&open.weights);
                open.weights[class] >= self.min_bucket && class != majority(&weights)
            }) {
                close(&mut intervals, full);
            }
            match &mut open {
                Some(open) => open.add(value, &weights),
                None => open = Some(Interval { first: value, last: value, weights }),
            }
        }
        intervals_with(intervals, open)
    }
}

/// Values next to each other and the weight of their examples by class.
#[derive(Clone, Debug, PartialEq)]
struct Interval {
    first: f64,
    last: f64,
    weights: Vec<f64>,
}

impl Interval {
    fn add(&mut self, last: f64, weights: &[f64]) {
        self.last = last;
        self.weights.iter_mut().zip(weights).for_each(|(sum, weight)| *sum += weight);
    }

    fn errors(&self) -> f64 {
        self.weights.iter().sum::<f64>() - self.weights[majority(&self.weights)]
    }
}

/// Neighbours of the same class are one interval.
fn close(intervals: &mut Vec<Interval>, interval: Interval) {
    match intervals.last_mut() {
        Some(last) if majority(&last.weights) == majority(&interval.weights) => {
            last.add(interval.last, &interval.weights);
        }
        _ => intervals.push(interval),
    }
}

fn intervals_with(mut intervals: Vec<Interval>, rest: Option<Interval>) -> Vec<Interval> {
    if let Some(rest) = rest {
        close(&mut intervals, rest);
    }
    intervals
}

/// Intervals as a tree; balanced, because there may be thousands.
fn tree(classes: usize, column: usize, intervals: &[Interval]) -> Tree {
    let mut nodes = Vec::new();
    let mut open = vec![(0, intervals.len(), None)];
    while let Some((start, end, parent)) = open.pop() {
        let index = nodes.len();
        let mut weights = vec![0.0; classes];
        for interval in &intervals[start..end] {
            weights.iter_mut().zip(&interval.weights).for_each(|(sum, weight)| *sum += weight);
        }
        nodes.push(Node::leaf(weights));
        if let Some((parent, above)) = parent {
            let node: &mut Node = &mut nodes[parent];
            let split = node.split.as_mut().expect("parents are split");
            *(if above { &mut split.above } else { &mut split.below }) = index;
        }
        if end - start > 1 {
            let middle = start + (end - start) / 2;
            let threshold = between(intervals[middle - 1].last, intervals[middle].first);
            nodes[index].split = Some(Split { column, threshold, below: 0, above: 0 });
            open.push((middle, end, Some((index, true))));
            open.push((start, middle, Some((index, false))));
        }
    }
    Tree::new(classes, &nodes)
}

/// A threshold between two values, never the greater one.
pub(crate) fn between(low: f64, high: f64) -> f64 {
    let middle = low + (high - low) / 2.0;
    if middle < high { middle } else { low }
}
