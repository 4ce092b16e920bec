//! Cross-validation: every example is judged by a model that was not trained on its fold.

use rayon::prelude::*;

use crate::examples::Examples;

/// The probability of each class for each example, from `judge`: given the rows to train on and the
/// rows to judge, it returns the probabilities for the latter, one row after the other.
pub fn cross_validate(
    examples: &Examples,
    fold_of: &[u8],
    judge: impl Fn(&Examples, &Examples) -> Vec<f64> + Sync,
) -> Vec<f64> {
    let folds = fold_of.iter().max().map_or(0, |last| *last + 1);
    let judged: Vec<(Vec<usize>, Vec<f64>)> = (0..folds)
        .into_par_iter()
        .map(|fold| {
            let (test, train): (Vec<usize>, Vec<usize>) =
                (0..examples.len()).partition(|row| fold_of[*row] == fold);
            let probabilities = judge(&examples.rows(&train), &examples.rows(&test));
            (test, probabilities)
        })
        .collect();
    let classes = examples.classes.len();
    let mut all = vec![0.0; examples.len() * classes];
    for (rows, probabilities) in judged {
        for (row, probabilities) in rows.into_iter().zip(probabilities.chunks_exact(classes)) {
            all[row * classes..(row + 1) * classes].copy_from_slice(probabilities);
        }
    }
    all
}
