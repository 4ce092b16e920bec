use proptest::prelude::*;

use super::*;
use crate::examples::testing;
use crate::trainers::{C48, OneR, Pruning};

/// The leaves of a tree from the first to the last, each with its weights.
impl Tree {
    pub(crate) fn leaf_weights(&self) -> Vec<Vec<f64>> {
        let (mut leaves, mut open) = (Vec::new(), vec![0]);
        while let Some(node) = open.pop() {
            match self.nodes[node].split {
                Some(split) => open.extend([split.above, split.below]),
                None => leaves.push(self.nodes[node].weights.clone()),
            }
        }
        leaves
    }

    /// The most tests that a row meets.
    pub(crate) fn depth(&self) -> usize {
        let mut depths = vec![0; self.nodes.len()];
        for node in 0..self.nodes.len() {
            if let Some(split) = self.nodes[node].split {
                depths[split.below] = depths[node] + 1;
                depths[split.above] = depths[node] + 1;
            }
        }
        depths.into_iter().max().unwrap_or(0)
    }

    fn tests(&self) -> Vec<Option<Split>> {
        self.nodes.iter().map(|node| node.split).collect()
    }
}

fn trees(examples: &Examples) -> [Tree; 3] {
    let c48 = |pruning| C48 { min_leaf: 2.0, pruning }.train(examples);
    let pessimistic = Pruning::Pessimistic { confidence: 0.25 };
    [c48(Pruning::None), c48(pessimistic), OneR { min_bucket: 3.0 }.train(examples)]
}

proptest! {
    #[test]
    fn the_core_says_what_the_tree_says(examples in testing::any()) {
        for tree in trees(&examples) {
            let model = tree.model(&examples, "tree", "invented").unwrap();
            let model = BlockModel::parse(&model.to_string()).unwrap();
            let classes = examples.classes.len();
            let probabilities = tree.probabilities(&examples);
            prop_assert_eq!(probabilities.len(), examples.len() * classes);
            let verdicts = testing::verdicts(&model, &examples);
            for (shares, verdict) in probabilities.chunks(classes).zip(verdicts) {
                prop_assert_eq!(verdict.class, examples.classes[majority(shares)]);
                prop_assert_eq!(verdict.score.to_bits(), ((1.0 - shares[0]) as f32).to_bits());
            }
        }
    }

    #[test]
    fn a_model_read_back_is_the_same_tree(examples in testing::any()) {
        for tree in trees(&examples) {
            let model = tree.model(&examples, "tree", "invented").unwrap();
            let back = Tree::of_model(&BlockModel::parse(&model.to_string()).unwrap(), &examples).unwrap();
            prop_assert_eq!(back.tests(), tree.tests());
            let refit = back.refit(&examples);
            // What the tree was trained on gives it its weights again.
            prop_assert_eq!(&refit, &tree);
            prop_assert_eq!(refit.model(&examples, "tree", "invented").unwrap(), model);
        }
    }

    #[test]
    fn other_weights_under_the_same_tests(examples in testing::any(), others in testing::any()) {
        let [tree, ..] = trees(&examples);
        let others = Examples {
            classes: examples.classes.clone(),
            labels: others.labels.iter().map(|l| l % examples.classes.len() as u8).collect(),
            ..others
        };
        let refit = tree.refit(&others);
        prop_assert_eq!(refit.tests(), tree.tests());
        for (node, old) in refit.nodes.iter().zip(&tree.nodes) {
            if let Some(split) = node.split {
                let sum = refit.nodes[split.below].total() + refit.nodes[split.above].total();
                prop_assert_eq!(node.total(), sum);
            }
            let arrived = (0..others.len()).any(|row| {
                std::ptr::eq(&raw const refit.nodes[refit.leaf(&others, row)], node)
            });
            if node.split.is_none() && !arrived {
                prop_assert_eq!((node.total(), node.majority()), (1.0, old.majority()));
            }
        }
    }
}

#[test]
fn what_is_no_tree_over_the_columns() {
    let examples = testing::examples(4, |row| (row % 2, [row as f64; 3]));
    let other = webstrata::BlockModel::named("num-words").unwrap();
    assert!(Tree::of_model(other, &examples).is_none(), "its features are none of the columns");
    let classes = [Class::Boilerplate, Class::Content];
    let boosted = BlockModel::boosted("x", "y", &classes, &[]).ok();
    assert!(boosted.is_none_or(|model| Tree::of_model(&model, &examples).is_none()));
    let headline = [model::Node::Leaf(Verdict { class: Class::Headline, score: 1.0 })];
    let headline = BlockModel::tree("x", "y", &headline).unwrap();
    assert!(Tree::of_model(&headline, &examples).is_none(), "its class is none of theirs");
}

#[test]
fn the_first_of_equals() {
    assert_eq!([majority(&[1.0, 2.0, 2.0]), majority(&[0.0, 0.0]), majority(&[])], [1, 0, 0]);
}
