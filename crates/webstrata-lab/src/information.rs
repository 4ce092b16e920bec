//! How much a feature says about the class of a block: Figure 1 of the WSDM paper.
//!
//! The information gain IG(C, A) = H(C) − H(C|A) needs features of few values. Numbers are cut into
//! intervals first, as Weka does: recursively where the entropy falls most, as long as the cut is
//! worth the bits that describe it (Fayyad & Irani, IJCAI 1993).

use rayon::prelude::*;

use crate::examples::Examples;
use crate::trainers::c48::entropy;

/// The information gain of each column, in bits; blocks count by their weight.
pub fn gains(examples: &Examples) -> Vec<f64> {
    (0..examples.columns.len()).into_par_iter().map(|column| gain(examples, column)).collect()
}

/// The information gain of one column. A feature of one value has none.
pub fn gain(examples: &Examples, column: usize) -> f64 {
    let values = values(examples, column);
    let classes = examples.classes.len();
    let all = sum(&values, classes);
    let total: f64 = all.iter().sum();
    if total == 0.0 {
        return 0.0;
    }
    let after: f64 = intervals(&values, classes)
        .iter()
        .map(|interval| {
            let weights = sum(interval, classes);
            weights.iter().sum::<f64>() / total * entropy(&weights)
        })
        .sum();
    (entropy(&all) - after).max(0.0)
}

/// A value and the weight of its examples by class.
struct Value {
    value: f64,
    weights: Vec<f64>,
}

/// The distinct values of a column, ascending.
fn values(examples: &Examples, column: usize) -> Vec<Value> {
    let column = &examples.columns[column];
    let mut rows: Vec<usize> = (0..column.len()).filter(|i| examples.weights[*i] > 0.0).collect();
    rows.sort_by(|a, b| column[*a].total_cmp(&column[*b]));
    let mut values: Vec<Value> = Vec::new();
    for row in rows {
        if values.last().is_none_or(|last| last.value != column[row]) {
            let weights = vec![0.0; examples.classes.len()];
            values.push(Value { value: column[row], weights });
        }
        let last = values.last_mut().expect("one was pushed");
        last.weights[usize::from(examples.labels[row])] += examples.weights[row];
    }
    values
}

fn sum(values: &[Value], classes: usize) -> Vec<f64> {
    let mut sum = vec![0.0; classes];
    for value in values {
        sum.iter_mut().zip(&value.weights).for_each(|(sum, weight)| *sum += weight);
    }
    sum
}

/// Cuts values into the intervals that are worth their description.
fn intervals(values: &[Value], classes: usize) -> Vec<&[Value]> {
    let (mut done, mut open) = (Vec::new(), vec![values]);
    while let Some(values) = open.pop() {
        match best_cut(values, classes) {
            Some(cut) => {
                let (below, above) = values.split_at(cut);
                open.extend([above, below]);
            }
            None => done.push(values),
        }
    }
    done
}

/// Where the entropy falls most, if the cut pays for itself.
fn best_cut(values: &[Value], classes: usize) -> Option<usize> {
    let all = sum(values, classes);
    let total: f64 = all.iter().sum();
    let mut below = vec![0.0; classes];
    let mut above = all.clone();
    let mut best: Option<(usize, f64, [f64; 2], [usize; 2])> = None;
    for cut in 1..values.len() {
        for (class, weight) in values[cut - 1].weights.iter().enumerate() {
            below[class] += weight;
            above[class] -= weight;
        }
        let share = below.iter().sum::<f64>() / total;
        let entropies = [entropy(&below), entropy(&above)];
        let after = share * entropies[0] + (1.0 - share) * entropies[1];
        if best.as_ref().is_none_or(|(_, least, ..)| after < *least) {
            best = Some((cut, after, entropies, [present(&below), present(&above)]));
        }
    }
    let (cut, after, [below, above], [classes_below, classes_above]) = best?;
    let before = entropy(&all);
    let present = present(&all) as f64;
    let described = present * before - classes_below as f64 * below - classes_above as f64 * above;
    let cost = ((values.len() - 1) as f64).log2() + (3f64.powf(present) - 2.0).log2() - described;
    (before - after > cost / total && before > after).then_some(cut)
}

/// How many classes there are any examples of.
fn present(weights: &[f64]) -> usize {
    weights.iter().filter(|weight| **weight > 0.0).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::testing;

    #[test]
    fn a_perfect_feature_has_all_the_information_and_a_constant_none() {
        let examples = testing::examples(1000, |row| (row % 2, [(row % 2) as f64, 7.0, 0.0]));
        assert_eq!(gains(&examples), [1.0, 0.0, 0.0]);
    }

    #[test]
    fn noise_is_not_worth_its_description() {
        let mut random = webstrata_base::random::Random::new(1);
        let examples = testing::examples(2000, |row| {
            (row % 2, [random.unit(), (row % 2) as f64 + 1.5 * random.unit(), 0.0])
        });
        let [noise, partly, _] = gains(&examples)[..] else { panic!("three columns") };
        assert_eq!(noise, 0.0);
        // Only where the classes overlap, for a third of each, is the class undecided.
        assert!((0.63..0.70).contains(&partly), "{partly}");
    }

    #[test]
    fn weights_count_as_copies() {
        let once = testing::examples(300, |row| (row % 3 / 2, [(row % 7) as f64, 0.0, 0.0]));
        let mut twice = once.clone();
        twice.weights.iter_mut().for_each(|weight| *weight *= 2.0);
        let rows: Vec<usize> = (0..600).map(|row| row / 2).collect();
        assert_eq!(gain(&twice, 0), gain(&once.rows(&rows), 0));
        twice.weights.fill(0.0);
        assert_eq!(gain(&twice, 0), 0.0);
    }
}
