//! Linear support vector machines, as the WSDM paper trains them with Weka's SMO (section 4.3.1).
//!
//! For every pair of classes this minimises `½|w|² + Σ Cᵢ max(0, 1 − yᵢ w·xᵢ)` with `Cᵢ` = C times the
//! block's weight, as Weka does, by dual coordinate descent (Hsieh et al., "A Dual Coordinate Descent
//! Method for Large-scale Linear SVM", ICML 2008, Algorithm 3 with its shrinking). Features are
//! normalised to a range from 0 to 1 by their smallest and greatest value in the examples. Other than in
//! SMO, the bias is the weight of one more feature that is always 1, and so is kept small, too.
//!
//! Why not a crate: solvers for kernels grow with about the square of the rows and know no weights of
//! single rows. libsvm-rs 0.9 with a linear kernel took 0.4, 1.3 and 4.1 seconds for 2,500, 5,000 and
//! 10,000 random rows of 67 columns, which makes two minutes for the 72,000 blocks of the GoogleNews
//! set without weights; with a row for every word, as weights would have to be written, it is hopeless.
//! This one takes 8 seconds of processor time for 72,000 random rows with weights up to 100
//! (`cargo test --release -p webstrata-lab -- --ignored svm::tests::speed --nocapture` under `time`).

use webstrata::BlockModel;
use webstrata::model::{Duel, Scale};

use crate::{Error, Examples};
use webstrata_base::random::Random;

/// Rows are put aside for fewer passes than this. Where one was put aside wrongly, the others can take very long
/// to an optimum that is none.
const PASSES_ASIDE: usize = 100;

/// The trainer.
///
/// ```
/// use webstrata::{Class, features::feature};
/// use webstrata_lab::{Examples, trainers::Svm};
///
/// let examples = Examples {
///     features: vec![feature("words").unwrap()],
///     columns: vec![vec![1.0, 3.0, 30.0, 50.0]],
///     classes: vec![Class::Boilerplate, Class::Content],
///     labels: vec![0, 0, 1, 1],
///     weights: vec![1.0, 3.0, 30.0, 50.0],
///     ..Examples::default()
/// };
/// let model = Svm::default().train(&examples, "long", "Long blocks are content.")?;
/// assert!(model.classify_row(|_| 40.0).is_content());
/// assert!(!model.classify_row(|_| 2.0).is_content());
/// # Ok::<(), webstrata_base::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Svm {
    /// What an error costs against the size of the weights; 1 in Weka.
    pub c: f64,
    /// The greatest violation of the optimality conditions that is left; 0.001 in Weka.
    pub tolerance: f64,
    /// The most passes over the examples, for problems that do not get there.
    pub max_passes: usize,
    /// For the order in which examples are visited.
    pub seed: u64,
}

impl Default for Svm {
    fn default() -> Svm {
        Svm { c: 1.0, tolerance: 1e-3, max_passes: 1000, seed: 1 }
    }
}

impl Svm {
    /// Trains a linear model with a duel for every pair of classes.
    ///
    /// # Errors
    ///
    /// Where there are no two classes, or a value or a weight is not finite.
    pub fn train(&self, examples: &Examples, name: &str, about: &str) -> Result<BlockModel, Error> {
        let weights = examples.weights.iter();
        if weights.clone().chain(examples.columns.iter().flatten()).any(|v| !v.is_finite()) {
            return Err(Error::new("a value or weight of the examples is not finite"));
        }
        // A feature that is always the same cannot be scaled and tells nothing.
        let (mut scales, mut columns) = (Vec::new(), Vec::new());
        for (feature, column) in examples.features.iter().zip(&examples.columns) {
            let min = column.iter().copied().fold(f64::INFINITY, f64::min);
            let max = column.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            if min < max {
                scales.push(Scale { feature: *feature, min, max });
                columns.push(column);
            }
        }
        let scaled = |row: usize| {
            let values = scales.iter().zip(&columns);
            values.map(move |(scale, column)| (column[row] - scale.min) / (scale.max - scale.min))
        };
        let mut duels = Vec::new();
        for first in 0..examples.classes.len() {
            for second in first + 1..examples.classes.len() {
                let mut problem = Problem::new(scales.len() + 1);
                for (row, label) in
                    examples.labels.iter().map(|label| usize::from(*label)).enumerate()
                {
                    if label == first || label == second {
                        let bound = self.c * examples.weights[row];
                        problem.push(scaled(row).chain([1.0]), label == second, bound);
                    }
                }
                let mut weights = self.solve(&problem).weights;
                let bias = weights.pop().expect("the last column");
                duels.push(Duel { bias, weights });
            }
        }
        BlockModel::linear(name, about, &examples.classes, &scales, &duels)
            .map_err(|error| Error::new(error.to_string()))
    }

    /// Algorithm 3 of the paper.
    fn solve(&self, problem: &Problem) -> Solution {
        let rows = problem.bounds.len();
        let mut weights = vec![0.0; problem.width];
        let mut alphas = vec![0.0; rows];
        let squares: Vec<f64> =
            (0..rows).map(|row| dot(problem.row(row), problem.row(row))).collect();
        // Rows that cost nothing never count. The others stay active until their α is at a bound and
        // the gradient says more clearly than any of the last pass that it will stay there.
        let all: Vec<usize> = (0..rows).filter(|row| problem.bounds[*row] > 0.0).collect();
        let mut active = all.clone();
        let mut last = (f64::NEG_INFINITY, f64::INFINITY);
        let mut random = Random::new(self.seed);
        for pass in 0..self.max_passes {
            let count = active.len();
            random.draw(&mut active, count);
            let (mut least, mut greatest) = (f64::INFINITY, f64::NEG_INFINITY);
            active.retain(|&row| {
                let (values, sign) = (problem.row(row), problem.signs[row]);
                let (alpha, bound) = (alphas[row], problem.bounds[row]);
                let gradient = sign * dot(&weights, values) - 1.0;
                if (alpha == 0.0 && gradient > last.1) || (alpha == bound && gradient < last.0) {
                    return false;
                }
                let projected = match alpha {
                    0.0 => gradient.min(0.0),
                    _ if alpha == bound => gradient.max(0.0),
                    _ => gradient,
                };
                least = least.min(projected);
                greatest = greatest.max(projected);
                if projected.abs() > 1e-12 {
                    alphas[row] = (alpha - gradient / squares[row]).clamp(0.0, bound);
                    let step = (alphas[row] - alpha) * sign;
                    weights.iter_mut().zip(values).for_each(|(w, x)| *w += step * x);
                }
                true
            });
            // Gradients that are alike are no optimum: they must be small, too.
            let violation = (greatest - least).max(greatest.abs()).max(least.abs());
            let is_optimal = active.is_empty() || violation <= self.tolerance;
            if is_optimal && active.len() == all.len() {
                break;
            }
            if is_optimal || (pass + 1).is_multiple_of(PASSES_ASIDE) {
                // Once more with those that were put aside.
                active.clone_from(&all);
                last = (f64::NEG_INFINITY, f64::INFINITY);
                continue;
            }
            last.0 = if least < 0.0 { least } else { f64::NEG_INFINITY };
            last.1 = if greatest > 0.0 { greatest } else { f64::INFINITY };
        }
        Solution { weights, alphas }
    }
}

/// Two classes: rows of one width, +1 or −1 each, and the upper bounds of their α.
#[derive(Debug)]
struct Problem {
    width: usize,
    values: Vec<f64>,
    signs: Vec<f64>,
    bounds: Vec<f64>,
}

struct Solution {
    weights: Vec<f64>,
    #[cfg_attr(not(test), expect(dead_code, reason = "tests look at the dual objective"))]
    alphas: Vec<f64>,
}

impl Problem {
    fn new(width: usize) -> Problem {
        Problem { width, values: Vec::new(), signs: Vec::new(), bounds: Vec::new() }
    }

    fn push(&mut self, row: impl Iterator<Item = f64>, is_positive: bool, bound: f64) {
        self.values.extend(row);
        self.signs.push(if is_positive { 1.0 } else { -1.0 });
        self.bounds.push(bound);
    }

    fn row(&self, row: usize) -> &[f64] {
        &self.values[row * self.width..][..self.width]
    }
}

/// In four sums, which a processor adds side by side.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let (fours_a, rest_a) = a.as_chunks::<4>();
    let (fours_b, rest_b) = b.as_chunks::<4>();
    for (a, b) in fours_a.iter().zip(fours_b) {
        for lane in 0..4 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    let rest: f64 = rest_a.iter().zip(rest_b).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f64>() + rest
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use webstrata::Class;

    use super::*;

    impl Problem {
        /// What is minimised.
        fn primal(&self, weights: &[f64]) -> f64 {
            let loss = |row| {
                let margin = self.signs[row] * dot(weights, self.row(row));
                self.bounds[row] * (1.0 - margin).max(0.0)
            };
            dot(weights, weights) / 2.0 + (0..self.bounds.len()).map(loss).sum::<f64>()
        }

        /// What the dual maximises: never above [`Problem::primal`], and equal at the optimum.
        fn dual(&self, alphas: &[f64]) -> f64 {
            let weights = self.weights(alphas);
            alphas.iter().sum::<f64>() - dot(&weights, &weights) / 2.0
        }

        fn weights(&self, alphas: &[f64]) -> Vec<f64> {
            let mut weights = vec![0.0; self.width];
            for (row, alpha) in alphas.iter().enumerate() {
                let step = alpha * self.signs[row];
                weights.iter_mut().zip(self.row(row)).for_each(|(w, x)| *w += step * x);
            }
            weights
        }

        /// The slow way: all α at once a small step down the gradient and back into their bounds.
        fn by_projected_gradient(&self) -> Vec<f64> {
            let rows = self.bounds.len();
            let trace: f64 = self.values.iter().map(|value| value * value).sum();
            let mut alphas = vec![0.0; rows];
            for _ in 0..20_000 {
                let weights = self.weights(&alphas);
                for (row, alpha) in alphas.iter_mut().enumerate() {
                    let gradient = self.signs[row] * dot(&weights, self.row(row)) - 1.0;
                    *alpha = (*alpha - gradient / trace).clamp(0.0, self.bounds[row]);
                }
            }
            alphas
        }
    }

    const EXACT: Svm = Svm { c: 1.0, tolerance: 1e-9, max_passes: 100_000, seed: 1 };

    /// Objectives are compared, not weights: where rows are nearly alike, the weights take millions of passes to settle,
    /// and the objective hardly changes.
    fn is_near(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-3 * (1.0 + b.abs())
    }

    fn any_problem() -> impl Strategy<Value = Problem> {
        let row = (prop::collection::vec(0.0..1.0f64, 3), any::<bool>(), 0.0..3.0f64);
        prop::collection::vec(row, 2..12).prop_map(|rows| {
            let mut problem = Problem::new(4);
            for (values, is_positive, bound) in rows {
                problem.push(values.into_iter().chain([1.0]), is_positive, bound);
            }
            problem
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        #[test]
        fn the_objective_is_that_of_projected_gradients(problem in any_problem()) {
            let Solution { weights, alphas } = EXACT.solve(&problem);
            let (primal, dual) = (problem.primal(&weights), problem.dual(&alphas));
            prop_assert!(is_near(primal, dual), "{primal} {dual}");
            let slow = problem.dual(&problem.by_projected_gradient());
            prop_assert!(is_near(dual, slow), "{dual} {slow}");
        }

        #[test]
        fn a_row_of_double_weight_is_two_rows(problem in any_problem()) {
            let mut twice = Problem::new(4);
            let mut heavy = Problem::new(4);
            for row in 0..problem.bounds.len() {
                let (is_positive, bound) = (problem.signs[row] > 0.0, problem.bounds[row]);
                twice.push(problem.row(row).iter().copied(), is_positive, bound);
                twice.push(problem.row(row).iter().copied(), is_positive, bound);
                heavy.push(problem.row(row).iter().copied(), is_positive, 2.0 * bound);
            }
            let objective = |solved: &Problem| heavy.primal(&EXACT.solve(solved).weights);
            let (twice, heavy) = (objective(&twice), objective(&heavy));
            prop_assert!(is_near(twice, heavy), "{twice} {heavy}");
        }
    }

    /// Three corners of a square, a class each; the third column is always 7.
    fn corners() -> Examples {
        let corner = |row: usize| [(0.0, 0.0), (0.0, 100.0), (5.0, 0.0)][row % 3];
        let near = |row: usize| (row / 3) as f64 / 100.0;
        let rows = 60;
        Examples {
            features: vec![2, 9, 4],
            columns: vec![
                (0..rows).map(|row| corner(row).0 + near(row)).collect(),
                (0..rows).map(|row| corner(row).1 + near(row)).collect(),
                vec![7.0; rows],
            ],
            classes: vec![Class::Boilerplate, Class::Content, Class::Headline],
            labels: (0..rows).map(|row| (row % 3) as u8).collect(),
            weights: vec![10.0; rows],
            ..Examples::default()
        }
    }

    #[test]
    fn three_classes_are_told_apart() {
        let examples = corners();
        let model = Svm::default().train(&examples, "corners", "invented").unwrap();
        let model = BlockModel::parse(&model.to_string()).unwrap();
        assert_eq!(model.features().count(), 2);
        for row in 0..examples.len() {
            let value = |feature| {
                let column = examples.features.iter().position(|known| *known == feature);
                examples.columns[column.unwrap()][row]
            };
            let verdict = model.classify_row(value);
            assert_eq!(verdict.class, examples.classes[usize::from(examples.labels[row])]);
            assert_eq!(verdict.score > 0.5, verdict.is_content());
        }
        let other =
            Svm { seed: 2, ..Svm::default() }.train(&examples, "corners", "invented").unwrap();
        let same = Svm::default().train(&examples, "corners", "invented").unwrap();
        assert!(same.to_string() == model.to_string() && other.to_string() != model.to_string());
    }

    #[test]
    fn what_cannot_be_learned_from() {
        let infinite = Examples { weights: vec![f64::INFINITY; 60], ..corners() };
        let one_class = Examples { classes: vec![Class::Content], ..Examples::default() };
        for examples in [infinite, one_class] {
            assert!(Svm::default().train(&examples, "x", "y").is_err());
        }
    }

    /// Not a test: says how long training takes. 72,000 rows, 67 columns, weights up to 100.
    #[test]
    #[ignore = "takes a while; for people who want to know the speed"]
    fn speed() {
        let rows = 72_000;
        let mut random = Random::new(1);
        let mut value = || random.below(1 << 30) as f64 / f64::from(1 << 30);
        let columns: Vec<Vec<f64>> =
            (0..67).map(|_| (0..rows).map(|_| value()).collect()).collect();
        let label = |row: usize| {
            let sum: f64 =
                (0..8).map(|column| (column + 1) as f64 * (columns[column][row] - 0.5)).sum();
            u8::from(sum + 3.0 * (value() - 0.5) > 0.0)
        };
        let labels: Vec<u8> = (0..rows).map(label).collect();
        let weights = (0..rows).map(|_| 1.0 + value().powi(4) * 100.0).collect();
        let classes = vec![Class::Boilerplate, Class::Content];
        let features = (0..67).collect();
        let examples =
            Examples { features, columns, classes, labels, weights, ..Examples::default() };
        let start = std::time::Instant::now();
        let model = Svm::default().train(&examples, "x", "y").unwrap();
        let right = (0..rows).filter(|row| {
            let verdict = model.classify_row(|feature| examples.columns[feature][*row]);
            verdict.is_content() == (examples.labels[*row] == 1)
        });
        eprintln!("{:.1} s, {} of {rows} right", start.elapsed().as_secs_f64(), right.count());
    }
}
