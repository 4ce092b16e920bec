//! Least squares: Levenberg and Marquardt's method from many starts.
//!
//! The models have at most nine free parameters and some dozens to thousands of points, so plain
//! normal equations and differences for derivatives do. Bounds are kept by transforms: the method
//! walks over all real numbers, [`positive`] and [`fraction`] fold them.

/// Where the squares are least.
#[derive(Clone, Debug)]
pub(super) struct Solution {
    pub(super) at: Vec<f64>,
    pub(super) squares: f64,
}

/// A number above 0 for any number.
pub(super) fn positive(t: f64) -> f64 {
    t.clamp(-LARGEST, LARGEST).exp()
}

/// A number between 0 and 1 for any number.
pub(super) fn fraction(t: f64) -> f64 {
    1.0 / (1.0 + (-t.clamp(-LARGEST, LARGEST)).exp())
}

/// The number that [`fraction`] folds to `share`.
pub(super) fn unfolded(share: f64) -> f64 {
    let share = share.clamp(1e-12, 1.0 - 1e-12);
    (share / (1.0 - share)).ln()
}

/// exp(30) is far beyond any parameter, and its square still finite.
const LARGEST: f64 = 30.0;
const SHORT_WALK: usize = 25;
const LONG_WALK: usize = 1000;
/// How many of the starts are followed to the end.
const FOLLOWED: usize = 4;

/// The least squares of `residuals`, which writes its second argument. Walks a little from every
/// start, then to the end from the best ones. `None` if no start gives finite residuals.
pub(super) fn least_squares(
    starts: &[Vec<f64>],
    points: usize,
    residuals: impl Fn(&[f64], &mut [f64]),
) -> Option<Solution> {
    let problem = Problem { points, residuals };
    let mut walks: Vec<Solution> =
        starts.iter().filter_map(|start| problem.walk(start, SHORT_WALK)).collect();
    // The sort is stable: of equal ones the first start wins, on every machine.
    walks.sort_by(|a, b| a.squares.total_cmp(&b.squares));
    walks.truncate(FOLLOWED);
    let ends = walks.iter().filter_map(|walk| problem.walk(&walk.at, LONG_WALK));
    ends.min_by(|a, b| a.squares.total_cmp(&b.squares))
}

struct Problem<R> {
    points: usize,
    residuals: R,
}

impl<R: Fn(&[f64], &mut [f64])> Problem<R> {
    fn walk(&self, start: &[f64], steps: usize) -> Option<Solution> {
        let mut at = start.to_vec();
        let mut here = self.residuals_at(&at)?;
        let mut squares = sum_of_squares(&here);
        let mut damping = 1e-3;
        let mut idle = 0;
        for _ in 0..steps {
            let slopes = self.slopes(&at);
            let (next, there) = loop {
                let step = damped_step(&slopes, &here, damping);
                let next: Vec<f64> = at.iter().zip(&step).map(|(t, step)| t - step).collect();
                let better = self.residuals_at(&next).filter(|r| sum_of_squares(r) < squares);
                if let Some(there) = better {
                    break (next, there);
                }
                damping *= 4.0;
                let is_still =
                    at.iter().zip(&step).all(|(t, s)| s.abs() <= 1e-11 * (1.0 + t.abs()));
                if is_still || damping > 1e12 {
                    return Some(Solution { at, squares });
                }
            };
            damping = (damping / 6.0).max(1e-12);
            let gained = squares - sum_of_squares(&there);
            (at, here) = (next, there);
            idle = if gained <= 1e-13 * squares { idle + 1 } else { 0 };
            squares -= gained;
            if idle == 5 || squares <= f64::MIN_POSITIVE {
                break;
            }
        }
        Some(Solution { at, squares })
    }

    fn residuals_at(&self, at: &[f64]) -> Option<Vec<f64>> {
        let mut values = vec![0.0; self.points];
        (self.residuals)(at, &mut values);
        sum_of_squares(&values).is_finite().then_some(values)
    }

    /// The derivatives by each parameter, from a step to either side; 0 where they are not finite.
    fn slopes(&self, at: &[f64]) -> Vec<Vec<f64>> {
        let slope = |which: usize| {
            let step = 1e-6 * at[which].abs().max(1.0);
            let aside = |step: f64| {
                let mut at = at.to_vec();
                at[which] += step;
                self.residuals_at(&at)
            };
            match (aside(step), aside(-step)) {
                (Some(above), Some(below)) => {
                    above.iter().zip(&below).map(|(a, b)| (a - b) / (2.0 * step)).collect()
                }
                _ => vec![0.0; self.points],
            }
        };
        (0..at.len()).map(slope).collect()
    }
}

fn sum_of_squares(values: &[f64]) -> f64 {
    dot(values, values)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Solves (JᵀJ + damping · diag JᵀJ) step = Jᵀr. Columns are brought to length 1 first, so that the
/// scale of a parameter does not matter.
fn damped_step(slopes: &[Vec<f64>], residuals: &[f64], damping: f64) -> Vec<f64> {
    let lengths: Vec<f64> = slopes.iter().map(|slope| sum_of_squares(slope).sqrt()).collect();
    let scaled = |value: f64, length: f64| if length > 0.0 { value / length } else { 0.0 };
    let size = slopes.len();
    let mut matrix = vec![vec![0.0; size]; size];
    for row in 0..size {
        for column in 0..=row {
            let product = dot(&slopes[row], &slopes[column]);
            matrix[row][column] = scaled(scaled(product, lengths[row]), lengths[column]);
        }
        // A parameter without any effect stays where it is.
        matrix[row][row] = 1.0 + damping;
    }
    let right = (0..size).map(|row| scaled(dot(&slopes[row], residuals), lengths[row])).collect();
    let step = solve_symmetric(matrix, right);
    step.iter().zip(&lengths).map(|(step, length)| scaled(*step, *length)).collect()
}

/// Cholesky's method on the lower half of a positive matrix. Pivots that rounding took below 0 are
/// lifted: the damping then decides.
fn solve_symmetric(mut matrix: Vec<Vec<f64>>, mut right: Vec<f64>) -> Vec<f64> {
    let size = right.len();
    for row in 0..size {
        for column in 0..=row {
            let known = dot(&matrix[row][..column], &matrix[column][..column]);
            let rest = matrix[row][column] - known;
            matrix[row][column] =
                if row == column { rest.max(1e-14).sqrt() } else { rest / matrix[column][column] };
        }
    }
    for row in 0..size {
        right[row] = (right[row] - dot(&matrix[row][..row], &right[..row])) / matrix[row][row];
    }
    for row in (0..size).rev() {
        let known: f64 = (row + 1..size).map(|below| matrix[below][row] * right[below]).sum();
        right[row] = (right[row] - known) / matrix[row][row];
    }
    right
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rosenbrocks_valley_is_walked_to_its_end() {
        let valley = |at: &[f64], out: &mut [f64]| {
            out[0] = 10.0 * (at[1] - at[0] * at[0]);
            out[1] = 1.0 - at[0];
        };
        let end = least_squares(&[vec![-1.2, 1.0]], 2, valley).unwrap();
        assert!(end.at.iter().all(|t| (t - 1.0).abs() < 1e-6), "{end:?}");
    }

    #[test]
    fn parameters_without_effect_and_starts_without_values_do_no_harm() {
        let residuals = |at: &[f64], out: &mut [f64]| out[0] = at[0].sqrt() - 3.0;
        let end = least_squares(&[vec![-1.0, 0.0], vec![1.0, 5.0]], 1, residuals).unwrap();
        assert!((end.at[0] - 9.0).abs() < 1e-6);
        assert_eq!(end.at[1], 5.0);
        assert!(least_squares(&[vec![-1.0]], 1, residuals).is_none());
        assert!(least_squares(&[], 1, residuals).is_none());
    }

    #[test]
    fn linear_systems_are_solved() {
        let matrix = vec![vec![4.0, 0.0], vec![2.0, 3.0]];
        let solved = solve_symmetric(matrix, vec![8.0, 8.0]);
        assert!((solved[0] - 1.0).abs() < 1e-12 && (solved[1] - 2.0).abs() < 1e-12);
    }

    #[test]
    fn folds_keep_their_bounds() {
        for t in [-1e9, -3.0, 0.0, 3.0, 1e9] {
            assert!(positive(t) > 0.0 && positive(t).is_finite());
            assert!((0.0..=1.0).contains(&fraction(t)));
        }
        assert!((fraction(unfolded(0.3)) - 0.3).abs() < 1e-12);
    }
}
