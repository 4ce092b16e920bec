//! Trees as programs make them: flat lists, in which nothing can be nested too deep or run in a
//! circle.

use crate::error::Error;
use crate::features::FEATURES;

/// A node of a tree, for [`BlockModel::tree`](crate::BlockModel::tree) and
/// [`BlockModel::boosted`](crate::BlockModel::boosted).
///
/// A tree is a list of nodes in prefix order: a test is followed by all nodes of its `<=` branch and
/// then by all nodes of its `>` branch. A trainer that grows trees recursively pushes a test, then
/// grows one branch, then the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Node<T> {
    /// Values of the feature up to the threshold go to the first branch, greater ones to the second.
    Test {
        /// The feature, as an index into [`FEATURES`].
        feature: usize,
        /// The greatest value of the first branch. Boosted trees have thresholds of 32 bits.
        threshold: f64,
    },
    /// The end of a branch.
    Leaf(T),
}

/// For each test, where its `>` branch begins; 0 for leaves. Says what is wrong with nodes that are
/// no tree.
pub(super) fn above_branches<T>(nodes: &[Node<T>]) -> Result<Vec<u32>, Error> {
    if u32::try_from(nodes.len()).is_err() {
        return Err(Error::new("the tree is too large"));
    }
    let mut above = vec![0; nodes.len()];
    // Tests whose `<=` branch is not yet complete.
    let mut open = Vec::new();
    for (place, node) in nodes.iter().enumerate() {
        match node {
            Node::Test { feature, threshold } => {
                if *feature >= FEATURES.len() || !threshold.is_finite() {
                    let wrong = format!("no test has feature {feature} and threshold {threshold}");
                    return Err(Error::new(wrong));
                }
                open.push(place);
            }
            // In prefix order every leaf but the last completes the `<=` branch of the innermost
            // open test.
            Node::Leaf(_) => match open.pop() {
                Some(test) => above[test] = place as u32 + 1,
                None if place + 1 == nodes.len() => return Ok(above),
                None => return Err(Error::new("the tree was complete before its last node")),
            },
        }
    }
    Err(Error::new("the tree has a test without its two branches"))
}
