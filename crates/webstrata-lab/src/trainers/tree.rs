//! Decision trees while they are grown and measured.

use webstrata::model::{self, Verdict};
use webstrata::{BlockModel, Class};

use crate::examples::Examples;
use webstrata_base::error::Error;

#[cfg(test)]
mod tests;

/// A decision tree over the columns of [`Examples`]. Node 0 is the root.
#[derive(Clone, Debug, PartialEq)]
pub struct Tree {
    /// How many classes it tells apart.
    classes: usize,
    nodes: Vec<Node>,
}

/// A node: where its examples fall by class, and how they are split.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Node {
    /// The weight of the training examples in each class.
    pub(crate) weights: Vec<f64>,
    pub(crate) split: Option<Split>,
}

/// A test on one feature and the nodes that follow it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Split {
    /// The column of the feature.
    pub(crate) column: usize,
    pub(crate) threshold: f64,
    pub(crate) below: usize,
    pub(crate) above: usize,
}

impl Node {
    pub(crate) fn leaf(weights: Vec<f64>) -> Node {
        Node { weights, split: None }
    }

    pub(crate) fn total(&self) -> f64 {
        self.weights.iter().sum()
    }

    /// The class of most weight; the first of equals.
    pub(crate) fn majority(&self) -> usize {
        majority(&self.weights)
    }

    /// The probability of each class; without any examples, the same for all.
    pub(crate) fn shares(&self) -> impl Iterator<Item = f64> + '_ {
        let (total, classes) = (self.total(), self.weights.len() as f64);
        let share = move |weight: &f64| if total > 0.0 { weight / total } else { 1.0 / classes };
        self.weights.iter().map(share)
    }

    /// The weight of the examples that are of another class.
    pub(crate) fn errors(&self) -> f64 {
        self.total() - self.weights[self.majority()]
    }
}

impl Tree {
    /// A tree of nodes that refer to each other by index; unused ones are dropped.
    pub(crate) fn new(classes: usize, nodes: &[Node]) -> Tree {
        let mut tree = Tree { classes, nodes: Vec::with_capacity(nodes.len()) };
        // Copied from the root down, so that children always stand behind their parents.
        let mut queue = std::collections::VecDeque::from([0]);
        while let Some(old) = queue.pop_front() {
            let mut node = nodes[old].clone();
            if let Some(split) = &mut node.split {
                let next = tree.nodes.len() + queue.len() + 1;
                queue.extend([split.below, split.above]);
                (split.below, split.above) = (next, next + 1);
            }
            tree.nodes.push(node);
        }
        tree
    }

    /// How many leaves it has.
    pub fn leaves(&self) -> usize {
        self.nodes.iter().filter(|node| node.split.is_none()).count()
    }

    /// The columns it tests, each once, ascending.
    pub fn columns(&self) -> Vec<usize> {
        let mut columns: Vec<usize> =
            self.nodes.iter().filter_map(|node| Some(node.split?.column)).collect();
        columns.sort_unstable();
        columns.dedup();
        columns
    }

    /// The thresholds that it compares a column with, ascending.
    pub fn thresholds(&self, column: usize) -> Vec<f64> {
        let splits = self.nodes.iter().filter_map(|node| node.split);
        let mut thresholds: Vec<f64> =
            splits.filter(|split| split.column == column).map(|split| split.threshold).collect();
        thresholds.sort_unstable_by(f64::total_cmp);
        thresholds
    }

    /// The leaf that a row arrives at.
    pub(crate) fn leaf(&self, examples: &Examples, row: usize) -> usize {
        let mut node = 0;
        while let Some(split) = self.nodes[node].split {
            let below = examples.columns[split.column][row] <= split.threshold;
            node = if below { split.below } else { split.above };
        }
        node
    }

    /// The probability of each class for each row, one row after the other.
    pub fn probabilities(&self, examples: &Examples) -> Vec<f64> {
        let mut probabilities = Vec::with_capacity(examples.len() * self.classes);
        for row in 0..examples.len() {
            probabilities.extend(self.nodes[self.leaf(examples, row)].shares());
        }
        probabilities
    }

    /// The tree as a model that the core runs. `examples` says which features its columns are.
    pub fn model(&self, examples: &Examples, name: &str, about: &str) -> Result<BlockModel, Error> {
        let mut nodes = Vec::with_capacity(self.nodes.len());
        let mut open = vec![0];
        while let Some(index) = open.pop() {
            let node = &self.nodes[index];
            nodes.push(match node.split {
                Some(split) => {
                    open.extend([split.above, split.below]);
                    let feature = examples.features[split.column];
                    model::Node::Test { feature, threshold: split.threshold }
                }
                None => {
                    let shares = examples.classes.iter().zip(node.shares());
                    let boilerplate: f64 = shares
                        .filter(|(class, _)| **class == Class::Boilerplate)
                        .map(|(_, share)| share)
                        .sum();
                    let score = (1.0 - boilerplate) as f32;
                    model::Node::Leaf(Verdict { class: examples.classes[node.majority()], score })
                }
            });
        }
        BlockModel::tree(name, about, &nodes).map_err(|error| Error::new(error.to_string()))
    }

    /// The tests of a model as the core has it; `None` where it is no tree or tests a feature that
    /// is none of the examples' columns. Its leaves are sure of their classes.
    pub fn of_model(model: &BlockModel, examples: &Examples) -> Option<Tree> {
        let mut nodes: Vec<Node> = Vec::new();
        // Tests whose branches are not complete, innermost last.
        let mut open: Vec<(usize, bool)> = Vec::new();
        for node in model.nodes()? {
            let index = nodes.len();
            if let Some((parent, above)) = open.pop() {
                let split = nodes[parent].split.as_mut().expect("only tests are open");
                *(if above { &mut split.above } else { &mut split.below }) = index;
            }
            let mut weights = vec![0.0; examples.classes.len()];
            let split = match node {
                model::Node::Test { feature, threshold } => {
                    let column = examples.features.iter().position(|known| *known == feature)?;
                    open.extend([(index, true), (index, false)]);
                    Some(Split { column, threshold, below: 0, above: 0 })
                }
                model::Node::Leaf(verdict) => {
                    let class =
                        examples.classes.iter().position(|known| *known == verdict.class)?;
                    weights[class] = 1.0;
                    None
                }
            };
            nodes.push(Node { weights, split });
        }
        Some(Tree::new(examples.classes.len(), &nodes))
    }

    /// The same tests with the weights of other examples in its nodes: how probable a class is in a
    /// leaf of a tree that was published without probabilities. Leaves that none of the examples
    /// reach keep their class.
    pub fn refit(&self, examples: &Examples) -> Tree {
        let mut tree = self.clone();
        let verdicts: Vec<usize> = self.nodes.iter().map(Node::majority).collect();
        tree.nodes.iter_mut().for_each(|node| node.weights = vec![0.0; self.classes]);
        for row in 0..examples.len() {
            let leaf = self.leaf(examples, row);
            tree.nodes[leaf].weights[usize::from(examples.labels[row])] += examples.weights[row];
        }
        for (node, verdict) in tree.nodes.iter_mut().zip(verdicts) {
            if node.split.is_none() && node.total() == 0.0 {
                node.weights[verdict] = 1.0;
            }
        }
        // Children stand behind their parents.
        for index in (0..tree.nodes.len()).rev() {
            if let Some(split) = tree.nodes[index].split {
                for child in [split.below, split.above] {
                    let weights = tree.nodes[child].weights.clone();
                    let sums = tree.nodes[index].weights.iter_mut().zip(weights);
                    sums.for_each(|(sum, weight)| *sum += weight);
                }
            }
        }
        tree
    }
}

/// The index of the greatest weight; the first of equals.
pub(crate) fn majority(weights: &[f64]) -> usize {
    let mut best = 0;
    for (class, weight) in weights.iter().enumerate() {
        if *weight > weights[best] {
            best = class;
        }
    }
    best
}
