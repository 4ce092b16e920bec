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

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::sync::Mutex;

    use super::*;
    use crate::examples::testing;
    use crate::folds;
    use crate::trainers::C48;
    use webstrata_base::random::Random;

    /// Every row has a value of its own, so that a row can be known again.
    fn distinct(rows: usize) -> Examples {
        let mut random = Random::new(3);
        testing::examples(rows, |row| {
            let label = random.below(2);
            (label, [row as f64, (label * 3 + random.below(5)) as f64, random.unit()])
        })
    }

    #[test]
    fn nobody_judges_what_he_has_seen() {
        let examples = distinct(101);
        let fold_of = folds::stratified(&examples.labels, 7, 1);
        let judged = Mutex::new(HashMap::new());
        let probabilities = cross_validate(&examples, &fold_of, |train, test| {
            let seen: HashMap<u64, u8> =
                train.columns[0].iter().map(|v| v.to_bits()).zip(train.labels.clone()).collect();
            let verdict = |row: usize| {
                *judged.lock().unwrap().entry(test.columns[0][row] as usize).or_insert(0) += 1;
                match seen.get(&test.columns[0][row].to_bits()) {
                    Some(label) => [1.0 - f64::from(*label), f64::from(*label)],
                    None => [-1.0, test.columns[0][row]],
                }
            };
            assert_eq!(train.len() + test.len(), 101);
            (0..test.len()).flat_map(verdict).collect()
        });
        // Memory is of no use, every row was judged once, and its verdict is at its place.
        assert!(probabilities.chunks(2).enumerate().all(|(row, p)| p == [-1.0, row as f64]));
        let judged = judged.into_inner().unwrap();
        assert!(judged.len() == 101 && judged.values().all(|times| *times == 1));
    }

    #[test]
    fn sites_are_judged_by_what_was_learned_elsewhere() {
        let mut examples = distinct(90);
        examples.sites.iter_mut().for_each(|site| *site /= 5);
        let fold_of = folds::grouped(&examples.sites, &examples.weights, 4, 1);
        cross_validate(&examples, &fold_of, |train, test| {
            assert!(test.sites.iter().all(|site| !train.sites.contains(site)));
            vec![0.5; test.len() * 2]
        });
    }

    #[test]
    fn any_number_of_threads_gives_the_same() {
        let examples = distinct(400);
        let fold_of = folds::stratified(&examples.labels, 10, 1);
        let validate = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let c48 = C48 { min_leaf: 2.0, ..C48::default() };
            pool.install(|| {
                cross_validate(&examples, &fold_of, |train, test| {
                    c48.train(train).probabilities(test)
                })
            })
        };
        assert_eq!(validate(1), validate(3));
    }

    #[test]
    fn without_examples_nobody_is_asked() {
        let empty = testing::examples(0, |_| unreachable!());
        assert!(cross_validate(&empty, &[], |_, _| unreachable!()).is_empty());
    }
}
