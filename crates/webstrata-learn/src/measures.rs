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
