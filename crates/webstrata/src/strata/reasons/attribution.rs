//! What each feature adds to the score of a block, tree by tree.

use crate::model::nodes::Node;
use crate::strata::forest::Forest;
use crate::strata::rows::Rows;

/// A forest with what is expected at each of its nodes.
pub(super) struct Attribution {
    trees: Vec<Vec<Place>>,
    /// What is expected before any test.
    pub(super) base: f64,
}

/// A node of a tree.
struct Place {
    /// The mean of the leaves below it, by the blocks that reach them.
    expected: f64,
    test: Option<Test>,
}

struct Test {
    feature: usize,
    threshold: f32,
    /// Where the branch of greater values begins; the other one begins right behind the test.
    above: usize,
}

impl Attribution {
    /// A forest with one output, weighed by the rows of a page.
    pub(super) fn of(forest: &Forest, rows: &Rows) -> Attribution {
        let nodes = (0..forest.len()).map(|tree| forest.nodes(tree));
        let trees: Vec<Vec<Place>> = nodes.map(|nodes| weighed(&nodes, rows)).collect();
        let base = trees.iter().map(|tree| tree[0].expected).sum();
        Attribution { trees, base }
    }

    /// Writes what each feature adds to the score of a block.
    pub(super) fn weigh(&self, rows: &Rows, block: usize, weights: &mut [f64]) {
        weights.fill(0.0);
        for tree in &self.trees {
            let mut at = 0;
            while let Some(test) = &tree[at].test {
                let Test { feature, threshold, above } = *test;
                let next = if rows.get(block, feature) > threshold { above } else { at + 1 };
                weights[feature] += tree[next].expected - tree[at].expected;
                at = next;
            }
        }
    }
}

/// A tree in prefix order.
fn weighed(nodes: &[Node<f32>], rows: &Rows) -> Vec<Place> {
    let mut places: Vec<Place> = Vec::with_capacity(nodes.len());
    // Tests whose branch of lower values is not complete yet.
    let mut open = Vec::new();
    for (at, node) in nodes.iter().enumerate() {
        match *node {
            Node::Test { feature, threshold } => {
                open.push(at);
                let test = Test { feature, threshold: threshold as f32, above: 0 };
                places.push(Place { expected: 0.0, test: Some(test) });
            }
            Node::Leaf(leaf) => {
                places.push(Place { expected: leaf.into(), test: None });
                if let Some(test) = open.pop().and_then(|test| places[test].test.as_mut()) {
                    test.above = at + 1;
                }
            }
        }
    }
    let mut reached = vec![0u32; places.len()];
    for block in 0..rows.len() {
        let mut at = 0;
        loop {
            reached[at] += 1;
            let Some(test) = &places[at].test else { break };
            at = if rows.get(block, test.feature) > test.threshold { test.above } else { at + 1 };
        }
    }
    // Branches stand behind their tests, so both are known when the test is looked at. As much again on either side as
    // the page has blocks: most blocks of most pages are no content, and what they have in common would be no reason.
    let every = rows.len().max(1) as f64;
    let weight = |at: usize| f64::from(reached[at]) + every;
    for at in (0..places.len()).rev() {
        let Some(above) = places[at].test.as_ref().map(|test| test.above) else { continue };
        let (low, high) = (weight(at + 1), weight(above));
        let sum = low * places[at + 1].expected + high * places[above].expected;
        places[at].expected = sum / (low + high);
    }
    places
}
