use proptest::prelude::*;

use super::*;
use crate::examples::testing;
use webstrata_base::random::Random;

const PESSIMISTIC: Pruning = Pruning::Pessimistic { confidence: 0.25 };

fn trained(examples: &Examples, min_leaf: f64, pruning: Pruning) -> Tree {
    C48 { min_leaf, pruning }.train(examples)
}

/// The weight of the wrong verdicts on some of the examples.
fn errors(tree: &Tree, examples: &Examples, rows: &[usize]) -> f64 {
    let part = examples.rows(rows);
    let probabilities = tree.probabilities(&part);
    let verdicts = probabilities.chunks(part.classes.len()).map(crate::trainers::tree::majority);
    let wrong = verdicts.zip(&part.labels).zip(&part.weights);
    wrong.filter(|((verdict, label), _)| *verdict != usize::from(**label)).map(|(_, w)| w).sum()
}

/// The split of the whole, found by trying all of them with the definitions alone.
fn exhaustive(examples: &Examples, min_leaf: f64) -> Option<(usize, f64)> {
    let rows = || 0..examples.len();
    let class_weights = |keep: &dyn Fn(usize) -> bool| -> Vec<f64> {
        let of = |class: usize| {
            let rows = rows().filter(|r| keep(*r) && usize::from(examples.labels[*r]) == class);
            rows.map(|row| examples.weights[row]).sum()
        };
        (0..examples.classes.len()).map(of).collect()
    };
    let bits = |weights: &[f64]| -> f64 {
        let total: f64 = weights.iter().sum();
        let bits = |w: &f64| if *w == 0.0 { 0.0 } else { w / total * (total / w).log2() };
        weights.iter().map(bits).sum()
    };
    let all = class_weights(&|_| true);
    let total: f64 = all.iter().sum();
    let mean = total / all.len() as f64;
    let least = min_leaf.max((0.1 * mean).min(25.0));
    if total < 2.0 * min_leaf || all.contains(&total) {
        return None;
    }
    // For each column: the gain after the cost of the choice, its ratio, and the place.
    let mut candidates = Vec::new();
    for (column, values) in examples.columns.iter().enumerate() {
        let mut distinct = values.clone();
        distinct.sort_unstable_by(f64::total_cmp);
        distinct.dedup();
        let mut tried: Vec<(f64, f64, f64)> = Vec::new();
        for pair in distinct.windows(2) {
            let sides = [true, false]
                .map(|is_below| class_weights(&|row| (values[row] <= pair[0]) == is_below));
            let sums = [0, 1].map(|side| sides[side].iter().sum::<f64>());
            if sums.iter().any(|sum| *sum < least - 1e-9) {
                continue;
            }
            let after: f64 = sums.iter().zip(&sides).map(|(n, side)| n / total * bits(side)).sum();
            tried.push((bits(&all) - after, bits(&sums), (pair[0] + pair[1]) / 2.0));
        }
        let cost = (tried.len() as f64).log2() / total;
        let best = tried.iter().copied().reduce(|a, b| if b.0 > a.0 + 1e-6 { b } else { a });
        if let Some((gain, bits, threshold)) = best
            && gain - cost > 1e-6
        {
            candidates.push((gain - cost, (gain - cost) / bits, column, threshold));
        }
    }
    let average = candidates.iter().map(|c| c.0).sum::<f64>() / candidates.len() as f64;
    let enough = candidates.into_iter().filter(|c| c.0 >= average - 1e-3);
    let best = enough.reduce(|a, b| if b.1 > a.1 + 1e-6 { b } else { a });
    best.map(|(_, _, column, threshold)| (column, threshold))
}

fn root_split(examples: &Examples, min_leaf: f64) -> Option<(usize, f64)> {
    let c48 = C48 { min_leaf, pruning: Pruning::None };
    let sorted = examples.columns.iter().map(|column| {
        let mut rows: Vec<u32> = (0..examples.len() as u32).collect();
        rows.sort_by(|a, b| column[*a as usize].total_cmp(&column[*b as usize]));
        rows
    });
    let node = Node::leaf(all_weights(examples));
    c48.best_split(examples, &node, &sorted.collect::<Vec<_>>())
}

fn all_weights(examples: &Examples) -> Vec<f64> {
    let mut weights = vec![0.0; examples.classes.len()];
    for (label, weight) in examples.labels.iter().zip(&examples.weights) {
        weights[usize::from(*label)] += weight;
    }
    weights
}

proptest! {
    #[test]
    fn the_best_split_is_the_best_of_all(examples in testing::any(), min_leaf in 1..10u8) {
        let min_leaf = f64::from(min_leaf);
        prop_assert_eq!(root_split(&examples, min_leaf), exhaustive(&examples, min_leaf));
    }

    #[test]
    fn a_weight_is_so_many_copies(examples in testing::any(), min_leaf in 1..10u8) {
        let copies = testing::as_copies(&examples);
        for pruning in [Pruning::None, PESSIMISTIC] {
            let (min_leaf, copied) = (f64::from(min_leaf), trained(&copies, min_leaf.into(), pruning));
            prop_assert_eq!(trained(&examples, min_leaf, pruning), copied);
        }
    }

    #[test]
    fn the_order_of_examples_does_not_matter(examples in testing::any(), seed: u64) {
        let mut rows: Vec<usize> = (0..examples.len()).collect();
        Random::new(seed).shuffle(&mut rows);
        for pruning in [Pruning::None, PESSIMISTIC] {
            let shuffled = trained(&examples.rows(&rows), 2.0, pruning);
            prop_assert_eq!(trained(&examples, 2.0, pruning), shuffled);
        }
    }

    #[test]
    fn leaves_are_large_enough_and_hold_what_arrives(
        examples in testing::any(), min_leaf in 1..20u8,
    ) {
        for pruning in [Pruning::None, PESSIMISTIC, Pruning::ReducedError { folds: 3, seed: 1 }] {
            let tree = trained(&examples, min_leaf.into(), pruning);
            let leaves = tree.leaf_weights();
            let light = leaves.iter().filter(|w| w.iter().sum::<f64>() < f64::from(min_leaf));
            prop_assert!(leaves.len() == 1 || light.count() == 0);
            if !matches!(pruning, Pruning::ReducedError { .. }) {
                prop_assert_eq!(&tree.refit(&examples), &tree);
            }
        }
    }

    #[test]
    fn pruning_makes_no_tree_larger(examples in testing::any(), min_leaf in 1..10u8) {
        let leaves = |pruning| trained(&examples, min_leaf.into(), pruning).leaves();
        let at = |confidence| leaves(Pruning::Pessimistic { confidence });
        prop_assert!(at(0.25) <= leaves(Pruning::None));
        prop_assert!(at(0.01) <= leaves(Pruning::None));
    }

    #[test]
    fn reduced_error_pruning_reduces_errors(examples in testing::any(), seed: u64) {
        let c48 = C48 { min_leaf: 1.0, pruning: Pruning::ReducedError { folds: 3, seed } };
        let fold_of = folds::stratified(&examples.labels, 3, seed);
        let (aside, rest): (Vec<usize>, Vec<usize>) =
            (0..examples.len()).partition(|row| fold_of[*row] == 0);
        let unpruned = trained(&examples.rows(&rest), 1.0, Pruning::None);
        let pruned = c48.train(&examples);
        prop_assert!(pruned.leaves() <= unpruned.leaves());
        prop_assert!(errors(&pruned, &examples, &aside) <= errors(&unpruned, &examples, &aside));
    }

    #[test]
    fn unpruned_trees_are_never_worse_than_a_leaf(examples in testing::any()) {
        let rows: Vec<usize> = (0..examples.len()).collect();
        let tree = trained(&examples, 1.0, Pruning::None);
        let leaf = crate::trainers::zero_r(&examples);
        prop_assert!(errors(&tree, &examples, &rows) <= errors(&leaf, &examples, &rows));
    }
}

#[test]
fn a_tree_worked_out_by_hand() {
    // Twelve to each side of 2.5 in the first column; the second one says nothing.
    let examples =
        testing::examples(24, |row| (row / 12, [(row / 6) as f64, (row % 2) as f64, 7.0]));
    for pruning in [Pruning::None, PESSIMISTIC] {
        let tree = trained(&examples, 2.0, pruning);
        assert_eq!((tree.leaves(), tree.columns(), tree.thresholds(0)), (2, vec![0], vec![1.0]));
        assert_eq!(tree.leaf_weights(), [vec![12.0, 0.0], vec![0.0, 12.0]]);
    }
    assert_eq!(trained(&examples, 13.0, Pruning::None).leaves(), 1);
}

#[test]
fn what_there_is_nothing_to_learn_from() {
    let constant = testing::examples(40, |row| (row % 2, [1.0, 2.0, 3.0]));
    let one_class = testing::examples(40, |row| (1, [row as f64, 0.0, 0.0]));
    let mut weightless = testing::examples(40, |row| (row % 2, [row as f64; 3]));
    weightless.weights.fill(0.0);
    let mut no_columns = testing::examples(40, |row| (row % 2, [0.0; 3]));
    (no_columns.columns, no_columns.features) = (Vec::new(), Vec::new());
    let none = testing::examples(0, |_| unreachable!());
    for examples in [constant, one_class, weightless, no_columns, none] {
        for pruning in [Pruning::None, PESSIMISTIC, Pruning::ReducedError { folds: 3, seed: 1 }] {
            let tree = trained(&examples, 1.0, pruning);
            assert_eq!(tree.leaves(), 1);
            let sums = tree.probabilities(&examples).chunks(2).map(|p| p[0] + p[1]).sum::<f64>();
            assert_eq!(sums, examples.len() as f64);
            tree.model(&examples, "x", "y").unwrap();
        }
    }
}

#[test]
fn a_class_without_examples() {
    let mut examples = testing::examples(60, |row| (row / 30 * 2, [row as f64, 0.0, 0.0]));
    let names = webstrata::Class::ALL.map(|(class, _)| class);
    examples.classes = names[..4].to_vec();
    let tree = trained(&examples, 2.0, PESSIMISTIC);
    assert_eq!(tree.leaf_weights(), [vec![30.0, 0.0, 0.0, 0.0], vec![0.0, 0.0, 30.0, 0.0]]);
}

/// Classes alternate along one feature, so that every split takes one run off an end.
fn comb(runs: usize) -> Examples {
    let mut examples = testing::examples(runs, |row| (row % 2, [row as f64, 0.0, 0.0]));
    examples.weights.fill(40.0);
    examples
}

#[test]
fn deep_trees_need_no_deep_stack() {
    let grow = || {
        let examples = comb(1500);
        let tree = trained(&examples, 2.0, Pruning::None);
        assert_eq!(tree.leaves(), 1500);
        assert!(tree.depth() > 700, "{}", tree.depth());
        let model = tree.model(&examples, "deep", "invented").unwrap();
        let model = webstrata::BlockModel::parse(&model.to_string()).unwrap();
        assert_eq!(Tree::of_model(&model, &examples).unwrap().leaves(), 1500);
        let aside = trained(&examples, 2.0, Pruning::ReducedError { folds: 3, seed: 1 });
        assert!(aside.leaves() <= 1500);
        assert!(trained(&comb(200), 2.0, PESSIMISTIC).leaves() <= 200);
    };
    // With rayon's own threads inside, only what runs here is on the small stack.
    let small = std::thread::Builder::new().stack_size(128 * 1024).spawn(grow).unwrap();
    small.join().unwrap();
}

#[test]
fn the_bound_of_the_book() {
    // Quinlan, C4.5, section 4.2: U25%(0, 6) = 0.206, U(0, 9) = 0.143, U(0, 1) = 0.750; the tree
    // of these three leaves has 6 · 0.206 + 9 · 0.143 + 1 · 0.750 = 3.273 predicted errors.
    let bound = ErrorBound::new(0.25);
    let near = |found: f64, wanted: f64| assert!((found - wanted).abs() < 5e-4, "{found} {wanted}");
    near(bound.added(6.0, 0.0) / 6.0, 0.206);
    near(bound.added(9.0, 0.0) / 9.0, 0.143);
    near(bound.added(1.0, 0.0), 0.750);
    // The book looks U(1, 16) up as 0.157; the normal approximation has a little less.
    near(bound.of(&[15.0, 1.0]) / 16.0, 0.1547);
    near(bound.of(&[6.0, 0.0]) + bound.of(&[0.0, 9.0]) + bound.of(&[1.0, 0.0]), 3.273);
    // All wrong cannot become more; half an error lies between none and one.
    assert_eq!(bound.added(5.0, 5.0), 0.0);
    assert_eq!(bound.added(5.0, 4.5), 0.5);
    near(bound.added(6.0, 0.5), (bound.added(6.0, 0.0) + bound.added(6.0, 1.0)) / 2.0);
    assert_eq!(bound.of(&[0.0, 0.0]), 0.0);
}

#[test]
fn quantiles_of_the_normal_distribution() {
    let table = [(0.75, 0.674_489_750_2), (0.9, 1.281_551_565_5), (0.975, 1.959_963_984_5)];
    for (probability, z) in table {
        assert!((normal_quantile(probability) - z).abs() < 1e-9);
    }
    assert!(normal_quantile(0.5).abs() < 1e-12);
}

#[test]
fn entropy_of_known_shares() {
    assert_eq!(entropy(&[1.0, 1.0]), 1.0);
    assert_eq!(entropy(&[2.0, 1.0, 1.0]), 1.5);
    assert_eq!([entropy(&[3.0, 0.0]), entropy(&[]), entropy(&[0.0])], [0.0; 3]);
}

#[test]
fn weights_of_a_branch_are_compared_with_some_slack() {
    // Eight times 0.1 is 0.7999999999999999 in 64 bits, and enough all the same.
    let mut examples = testing::examples(16, |row| (row / 8, [(row / 8) as f64, 0.0, 0.0]));
    examples.weights.fill(0.1);
    assert_eq!(trained(&examples, 0.8, Pruning::None).leaves(), 2);
    assert_eq!(trained(&examples, 0.81, Pruning::None).leaves(), 1);
}
