//! Table 4.2: does the number of tokens of segments follow Zipf's law?

use crate::density::{DensityModel, Histogram};
use crate::report::{Align, Compared, Comparison, Table};

use super::{CUT_BY_HAND, Outcome, TABLE_4_2};

/// Ranks that the law is fitted to, at most.
const RANKS: usize = 50_000;
/// Slopes of two decades that differ by less than this share of the first are those of a straight line.
const STRAIGHT: f64 = 0.2;

/// The law fitted to the sizes of segments, the largest first, divided by the largest.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Law {
    /// C, b, χ² = Σ (y − ŷ)² / ŷ, and the root mean square error, as in the thesis.
    pub(super) numbers: [f64; 4],
    /// The slope of the line in the plot of both logarithms, from rank 1 to 10, from 10 to 100, and so on.
    pub(super) slopes: Vec<f64>,
}

impl Law {
    /// Of sizes that ascend; nothing where there are too few for a fit.
    pub(super) fn of(sizes: &[u32]) -> Option<Law> {
        let largest = f64::from(*sizes.last()?);
        let ranked = || sizes.iter().rev().take(RANKS).map(|size| f64::from(*size) / largest);
        let fit = DensityModel::Zipf.fit(&Histogram::of_ranks(ranked()).ok()?).ok()?;
        let squares = ranked().zip(1..).map(|(y, rank)| {
            let expected = fit.at(f64::from(rank));
            (y - expected).powi(2) / expected
        });
        let parameter = |name: &str| fit.parameter(name).unwrap_or(f64::NAN);
        let numbers = [parameter("C"), parameter("b"), squares.sum(), fit.goodness.rmse];
        let at = |rank: usize| f64::from(sizes[sizes.len() - rank].max(1));
        let decades = (0..).map(|decade| (10_usize.pow(decade), 10_usize.pow(decade + 1)));
        let decades = decades.take_while(|(_, end)| *end <= sizes.len());
        Some(Law {
            numbers,
            slopes: decades.map(|(from, to)| (at(to) / at(from)).log10()).collect(),
        })
    }

    /// The decades of ranks, counted from 1, over which the line is straight: the longest run of slopes that differ by
    /// less than a fifth from the first of the run.
    pub(super) fn straight(&self) -> Option<(usize, usize)> {
        let run = |from: usize| {
            let first = self.slopes[from];
            let same = |slope: &&f64| (**slope - first).abs() < STRAIGHT * first.abs();
            (from + 1, from + self.slopes[from..].iter().take_while(same).count().max(1))
        };
        let runs = (0..self.slopes.len()).map(run);
        // The first of the longest.
        runs.reduce(|best, run| if run.1 - run.0 > best.1 - best.0 { run } else { best })
    }
}

impl Outcome {
    /// The law of each method of Table 4.2, and of the gold, by sizes of these segments.
    fn laws(&self, sizes: &[Vec<u32>]) -> Vec<(String, Option<[f64; 4]>, Option<Law>)> {
        let names = self.methods().map(|(method, _)| Some(method)).chain([None]);
        let rows = names.zip(sizes).filter_map(|(method, sizes)| {
            let name = method.map_or("gold".to_owned(), |method| method.name().to_owned());
            let thesis = TABLE_4_2.iter().find(|(known, _)| Some(*known) == method);
            (method.is_none() || thesis.is_some())
                .then(|| (name, thesis.map(|row| row.1), Law::of(sizes)))
        });
        rows.collect()
    }

    /// All of it.
    pub(super) fn zipf(&self) -> Table {
        let mut table = Table::new("Table 4.2: Zipf's law of the sizes of segments, thesis / ours")
            .column("method", Align::Left);
        for name in ["C", "b", "χ²", "error"] {
            table = table.column(name, Align::Right);
        }
        table = table.column("slope by decade of ranks", Align::Left);
        table = table.column("straight in decades", Align::Left);
        for (name, thesis, law) in self.laws(&self.sizes) {
            let Some(law) = law else { continue };
            let digits = [4, 4, 1, 4];
            let cells = (0..4).map(|at| {
                let (digits, ours) = (digits[at], law.numbers[at]);
                match thesis {
                    Some(thesis) => format!("{:.digits$} / {ours:.digits$}", thesis[at]),
                    None => format!("{ours:.digits$}"),
                }
            });
            let slopes: Vec<String> =
                law.slopes.iter().map(|slope| format!("{slope:.2}")).collect();
            let straight = match law.straight() {
                None => "–".to_owned(),
                Some((from, to)) if from == to => "no two".to_owned(),
                Some((from, to)) => format!("{from} to {to}"),
            };
            let row = std::iter::once(name).chain(cells).chain([slopes.join(", "), straight]);
            table = table.row(row);
        }
        table
    }

    /// The numbers of Table 4.2 as a comparison.
    pub(super) fn zipf_compared(&self) -> Comparison {
        let mut comparison = Comparison::new("Table 4.2, the parameters");
        let of_few = self.laws(&self.sizes_of_few);
        for ((name, thesis, law), (_, _, few)) in self.laws(&self.sizes).into_iter().zip(of_few) {
            let Some(thesis) = thesis else { continue };
            for (at, parameter) in ["C", "b", "χ²", "error"].into_iter().enumerate() {
                let row = Compared::new(format!("{name}, {parameter}")).paper(thesis[at]);
                let row = row.ours(law.as_ref().map(|law| law.numbers[at]));
                let few = few.as_ref().map(|law| law.numbers[at]);
                let row = row.otherwise(format!("{CUT_BY_HAND} of the pages"), few);
                let (tolerance, decimals) = [(0.1, 3), (0.07, 3), (50.0, 1), (0.005, 4)][at];
                comparison = comparison.row(row.tolerance(tolerance).decimals(decimals));
            }
        }
        comparison
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_that_follow_the_law() {
        let mut sizes: Vec<u32> = (1..=1000)
            .map(|rank| (100_000.0 * f64::from(rank).powf(-0.7)).round() as u32)
            .collect();
        sizes.reverse();
        let law = Law::of(&sizes).unwrap();
        let [c, b, chi_squared, error] = law.numbers;
        assert!((c - 1.0).abs() < 1e-3 && (b - 0.7).abs() < 1e-3, "{law:?}");
        assert!(chi_squared < 1e-4 && error < 1e-4, "{law:?}");
        assert!(law.slopes.len() == 3 && law.slopes.iter().all(|slope| (slope + 0.7).abs() < 0.01));
        assert_eq!(law.straight(), Some((1, 3)));
        assert_eq!(Law::of(&[]), None);
    }

    #[test]
    fn a_line_that_bends() {
        let law = |slopes: &[f64]| Law { numbers: [0.0; 4], slopes: slopes.to_vec() };
        assert_eq!(law(&[-0.1, -0.6, -0.65, -0.7, -2.0]).straight(), Some((2, 4)));
        assert_eq!(law(&[-0.1, -0.5, -1.0]).straight(), Some((1, 1)));
        assert_eq!(law(&[]).straight(), None);
    }
}
