use proptest::prelude::*;

use super::*;
use crate::examples::testing;

fn column(labels: &str) -> Examples {
    let labels: Vec<usize> = labels.bytes().map(|label| usize::from(label - b'0')).collect();
    testing::examples(labels.len(), |row| (labels[row], [7.0, row as f64, 0.0]))
}

#[test]
fn intervals_end_where_they_are_large_enough_and_the_class_changes() {
    let tree = OneR { min_bucket: 3.0 }.train(&column("0001000111011"));
    assert_eq!(tree.columns(), [1]);
    // The 1 at place 3 ends an interval of three, but alone is no interval, and so takes the next
    // ones until it has three of one class.
    assert_eq!(tree.thresholds(1), [6.5]);
    assert_eq!(tree.leaf_weights(), [vec![6.0, 1.0], vec![1.0, 5.0]]);
}

#[test]
fn the_first_of_equal_features_even_if_it_has_one_value() {
    // Three errors without any test, and with one on the second column; Weka's rule has none, too.
    let examples = testing::examples(10, |row| {
        (usize::from(row > 2), [7.0, f64::from(u8::from(row > 5)), 7.0])
    });
    assert_eq!(OneR { min_bucket: 3.0 }.train(&examples), zero_r(&examples));
    assert_eq!(OneR { min_bucket: 3.0 }.train(&examples.with_features(&[1])).leaves(), 2);
}

#[test]
fn without_anything_to_tell_apart() {
    let examples = testing::examples(9, |row| (usize::from(row < 5), [3.0; 3]));
    assert_eq!(OneR::default().train(&examples), zero_r(&examples));
    let mut weightless = column("0011");
    weightless.weights.fill(0.0);
    assert_eq!(OneR::default().train(&weightless), zero_r(&weightless));
    assert_eq!(zero_r(&weightless).probabilities(&weightless), [0.5; 8]);
    let empty = testing::examples(0, |_| unreachable!());
    assert_eq!(OneR::default().train(&empty).leaves(), 1);
    let mut three = column("002");
    three.classes.push(webstrata::Class::Headline);
    assert_eq!(zero_r(&three).probabilities(&three)[..3], [2.0 / 3.0, 0.0, 1.0 / 3.0]);
}

#[test]
fn thresholds_lie_between_values() {
    assert_eq!(between(1.0, 2.0), 1.5);
    let next = f64::from_bits(1f64.to_bits() + 1);
    assert_eq!(between(1.0, next), 1.0);
    assert!((-f64::MAX..f64::MAX).contains(&between(-f64::MAX, f64::MAX)));
}

proptest! {
    #[test]
    fn a_weight_is_so_many_copies(examples in testing::any(), min_bucket in 1..10u8) {
        let one_r = OneR { min_bucket: min_bucket.into() };
        prop_assert_eq!(one_r.train(&examples), one_r.train(&testing::as_copies(&examples)));
    }

    #[test]
    fn no_other_feature_makes_fewer_errors(examples in testing::any(), min_bucket in 1..10u8) {
        let one_r = OneR { min_bucket: min_bucket.into() };
        let errors = |tree: &Tree| -> f64 {
            let leaves = tree.leaf_weights();
            leaves.iter().map(|w| w.iter().sum::<f64>() - w[majority(w)]).sum()
        };
        let tree = one_r.train(&examples);
        for feature in 0..3 {
            let alone = one_r.train(&examples.with_features(&[feature]));
            prop_assert!(errors(&tree) <= errors(&alone));
        }
        prop_assert!(tree.columns().len() <= 1);
    }

    #[test]
    fn neighbours_differ_and_all_but_the_last_are_large(
        examples in testing::any(), min_bucket in 1..10u8,
    ) {
        let leaves = OneR { min_bucket: min_bucket.into() }.train(&examples).leaf_weights();
        prop_assert!(leaves.windows(2).all(|two| majority(&two[0]) != majority(&two[1])));
        let most = |weights: &Vec<f64>| weights[majority(weights)];
        prop_assert!(leaves[..leaves.len() - 1].iter().all(|w| most(w) >= f64::from(min_bucket)));
    }
}
