//! How good a classifier is, with blocks weighted by their words (section 4.3.1 of the WSDM paper).

use serde::{Deserialize, Serialize};

use crate::examples::Examples;
use crate::trainers::tree::majority;

/// What Table 2 says of a classifier, in percent. Each measure is the mean over the classes,
/// weighted by the words in them, as Weka's "weighted average": ZeroR's precision of 40.7 in the
/// paper is 63.8% squared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Measures {
    /// Of what was put into a class, the share that belongs there.
    pub precision: f64,
    /// Of what belongs into a class, the share that was put there.
    pub recall: f64,
    /// The harmonic mean of both.
    pub f1: f64,
    /// Of what does not belong into a class, the share that was put there.
    pub false_positives: f64,
    /// The area under the ROC curve.
    pub auc: f64,
}

impl Measures {
    /// Measures the probabilities that a classifier gave to each class of each example, one example
    /// after the other.
    pub fn of(examples: &Examples, probabilities: &[f64]) -> Measures {
        let classes = examples.classes.len();
        // confusion[truth][verdict]
        let mut confusion = vec![vec![0.0; classes]; classes];
        for (row, probabilities) in probabilities.chunks_exact(classes).enumerate() {
            let truth = usize::from(examples.labels[row]);
            confusion[truth][majority(probabilities)] += examples.weights[row];
        }
        let total: f64 = confusion.iter().flatten().sum();
        let mut sum = Measures::default();
        for class in 0..classes {
            let right = confusion[class][class];
            let truth: f64 = confusion[class].iter().sum();
            let verdict: f64 = confusion.iter().map(|row| row[class]).sum();
            let precision = ratio(right, verdict);
            let recall = ratio(right, truth);
            let share = 100.0 * ratio(truth, total);
            sum.precision += share * precision;
            sum.recall += share * recall;
            sum.f1 += share * ratio(2.0 * precision * recall, precision + recall);
            sum.false_positives += share * ratio(verdict - right, total - truth);
            if truth > 0.0 && truth < total {
                let scores = probabilities.iter().copied().skip(class).step_by(classes);
                let is_class = examples.labels.iter().map(|label| usize::from(*label) == class);
                sum.auc += share * auc(scores, is_class, &examples.weights);
            }
        }
        sum
    }
}

/// The probability that a random unit of weight of the class has a greater score than one that is
/// not of it; equal scores count half.
pub fn auc(
    scores: impl Iterator<Item = f64>,
    is_class: impl Iterator<Item = bool>,
    weights: &[f64],
) -> f64 {
    let mut points: Vec<(f64, bool, f64)> = scores
        .zip(is_class)
        .zip(weights)
        .map(|((score, is), weight)| (score, is, *weight))
        .collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut others_below, mut area, mut members) = (0.0, 0.0, 0.0);
    for equal in points.chunk_by(|a, b| a.0 == b.0) {
        let of = |class: bool| equal.iter().filter(|p| p.1 == class).map(|p| p.2).sum::<f64>();
        let (inside, outside) = (of(true), of(false));
        area += inside * (others_below + outside / 2.0);
        others_below += outside;
        members += inside;
    }
    ratio(area, members * others_below)
}

fn ratio(part: f64, whole: f64) -> f64 {
    if whole == 0.0 { 0.0 } else { part / whole }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use webstrata::Class;

    use super::*;
    use crate::examples::testing;
    use crate::trainers::zero_r;

    fn near(found: f64, wanted: f64) {
        assert!((found - wanted).abs() < 0.05, "{found}, wanted {wanted}");
    }

    #[test]
    fn the_baseline_of_the_paper() {
        // Table 2: ZeroR where 63.8% of the words are content.
        let mut examples = testing::examples(2, |row| (row, [0.0; 3]));
        examples.weights = vec![362.0, 638.0];
        let measures = Measures::of(&examples, &zero_r(&examples).probabilities(&examples));
        near(measures.precision, 40.7);
        near(measures.recall, 63.8);
        near(measures.f1, 49.7);
        near(measures.false_positives, 63.8);
        assert_eq!(measures.auc, 50.0);
    }

    /// Examples of three classes, one for every cell of a confusion matrix, and sure verdicts.
    fn of_confusion(confusion: [[f64; 3]; 3]) -> Measures {
        let mut examples = testing::examples(9, |row| (row / 3, [0.0; 3]));
        examples.classes = vec![Class::Boilerplate, Class::Content, Class::Headline];
        examples.weights = confusion.concat();
        let sure = |row: usize| (0..3).map(move |class| f64::from(u8::from(class == row % 3)));
        Measures::of(&examples, &(0..9).flat_map(sure).collect::<Vec<_>>())
    }

    #[test]
    fn worked_out_by_hand() {
        let measures = of_confusion([[8.0, 2.0, 0.0], [1.0, 3.0, 1.0], [1.0, 0.0, 4.0]]);
        // The classes have 10, 5 and 5 of 20. Precision 8/10, 3/5, 4/5; recall 8/10, 3/5, 4/5.
        near(measures.precision, 75.0);
        near(measures.recall, 75.0);
        near(measures.f1, 75.0);
        // False positives: 2 of 10, 2 of 15, 1 of 15.
        near(measures.false_positives, 50.0 * 0.2 + 25.0 * 2.0 / 15.0 + 25.0 / 15.0);
        // Where scores are 0 or 1, the area is the mean of recall and the true negatives' share.
        let area = |recall: f64, wrong: f64| (recall + 1.0 - wrong) / 2.0;
        let (a, b, c) = (area(0.8, 0.2), area(0.6, 2.0 / 15.0), area(0.8, 1.0 / 15.0));
        near(measures.auc, 50.0 * a + 25.0 * b + 25.0 * c);
    }

    #[test]
    fn an_empty_class_counts_nothing() {
        let measures = of_confusion([[6.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0; 3]]);
        let all_right = Measures { precision: 100.0, recall: 100.0, f1: 100.0, ..measures };
        assert_eq!(measures, Measures { false_positives: 0.0, auc: 100.0, ..all_right });
        // Verdicts for it are wrong, though.
        let measures = of_confusion([[6.0, 0.0, 0.0], [0.0, 0.0, 4.0], [0.0; 3]]);
        near(measures.precision, 60.0);
        near(measures.recall, 60.0);
        near(measures.false_positives, 0.0);
    }

    #[test]
    fn nothing_to_measure() {
        let empty = testing::examples(0, |_| unreachable!());
        assert_eq!(Measures::of(&empty, &[]), Measures::default());
        let one_class = testing::examples(3, |_| (1, [0.0; 3]));
        let measures = Measures::of(&one_class, &[0.0, 1.0].repeat(3));
        let right = [measures.precision, measures.recall, measures.f1];
        assert_eq!((right, measures.false_positives, measures.auc), ([100.0; 3], 0.0, 0.0));
    }

    proptest! {
        #[test]
        fn the_area_is_the_share_of_pairs_in_order(
            rows in prop::collection::vec((0..6u8, any::<bool>(), 0..5u8), 0..60),
        ) {
            let (mut area, mut pairs) = (0.0, 0.0);
            for (score, _, weight) in rows.iter().filter(|row| row.1) {
                for (other, _, other_weight) in rows.iter().filter(|row| !row.1) {
                    let pair = f64::from(*weight) * f64::from(*other_weight);
                    let order = f64::from(u8::from(score > other)) + f64::from(u8::from(score == other)) / 2.0;
                    area += pair * order;
                    pairs += pair;
                }
            }
            let wanted = if pairs == 0.0 { 0.0 } else { area / pairs };
            let weights: Vec<f64> = rows.iter().map(|row| f64::from(row.2)).collect();
            let scores = rows.iter().map(|row| f64::from(row.0) / 8.0);
            let found = auc(scores, rows.iter().map(|row| row.1), &weights);
            prop_assert!((found - wanted).abs() < 1e-12);
        }

        #[test]
        fn weights_are_copies_and_everything_is_a_percentage(examples in testing::any(), seed: u64) {
            let mut random = webstrata_base::random::Random::new(seed);
            let classes = examples.classes.len();
            let scores: Vec<f64> =
                (0..examples.len() * classes).map(|_| random.below(4) as f64).collect();
            let measures = Measures::of(&examples, &scores);
            let copies = examples.weights.iter().zip(scores.chunks(classes));
            let copied: Vec<f64> =
                copies.flat_map(|(weight, scores)| scores.repeat(*weight as usize)).collect();
            let of_copies = Measures::of(&testing::as_copies(&examples), &copied);
            let Measures { precision, recall, f1, false_positives, auc } = measures;
            let other = of_copies;
            let others = [other.precision, other.recall, other.f1, other.false_positives, other.auc];
            for (value, other) in [precision, recall, f1, false_positives, auc].into_iter().zip(others) {
                prop_assert!((0.0..=100.0 + 1e-9).contains(&value));
                prop_assert!((value - other).abs() < 1e-9);
            }
        }
    }
}
