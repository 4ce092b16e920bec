//! What the models are fitted to: weights at positions.

use super::FitError;

/// Weights at positions, ascending: how many tokens have a density, how many blocks a number of
/// words, how long the text of a rank is.
#[derive(Clone, Debug, PartialEq)]
pub struct Histogram {
    points: Vec<(f64, f64)>,
    /// The largest position that could occur, if that is more than the largest that does.
    limit: f64,
}

impl Histogram {
    /// Pairs of position and weight, in any order; weights of the same position are added up.
    ///
    /// Refuses positions and weights that are not finite, and weights below 0.
    pub fn new(points: impl IntoIterator<Item = (f64, f64)>) -> Result<Histogram, FitError> {
        let mut points: Vec<(f64, f64)> = points.into_iter().collect();
        let is_number = |(x, y): &(f64, f64)| x.is_finite() && y.is_finite() && *y >= 0.0;
        if let Some((x, y)) = points.iter().find(|point| !is_number(point)) {
            return Err(FitError::NotANumber { position: *x, weight: *y });
        }
        points.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        points.dedup_by(|(x, weight), (kept, sum)| {
            let same = *x == *kept;
            if same {
                *sum += *weight;
            }
            same
        });
        let limit = points.last().map_or(0.0, |(x, _)| *x);
        let histogram = Histogram { points, limit };
        if !histogram.total().is_finite() {
            return Err(FitError::NotANumber { position: limit, weight: histogram.total() });
        }
        Ok(histogram)
    }

    /// How often each number occurs; `counts[i]` belongs to the number `i`. Numbers that do not occur
    /// are no points of the histogram, see [`filled`](Histogram::filled).
    pub fn of_counts(counts: &[u64]) -> Histogram {
        let points = counts.iter().enumerate().filter(|(_, count)| **count > 0);
        let points: Vec<_> = points.map(|(x, count)| (x as f64, *count as f64)).collect();
        let limit = points.last().map_or(0.0, |(x, _)| *x);
        Histogram { points, limit }
    }

    /// Values in decreasing order, at the positions 1, 2, … (their ranks).
    pub fn of_ranks(values: impl IntoIterator<Item = f64>) -> Result<Histogram, FitError> {
        let mut values: Vec<f64> = values.into_iter().collect();
        values.sort_by(|a, b| b.total_cmp(a));
        Histogram::new(values.into_iter().enumerate().map(|(i, value)| ((i + 1) as f64, value)))
    }

    /// The same with a weight of 0 at every whole number between the first and the last position that
    /// has none, up to a million of them. Positions that do not occur count in a fit then.
    pub fn filled(&self) -> Histogram {
        let [(first, _), .., (last, _)] = self.points[..] else { return self.clone() };
        // Above 10¹⁵ the next whole number may be the same.
        if last - first > 1e6 || first.abs().max(last.abs()) > 1e15 {
            return self.clone();
        }
        let mut points = Vec::with_capacity((last - first) as usize + self.points.len());
        let mut known = self.points.iter().peekable();
        let mut next = first.ceil();
        while next <= last {
            while let Some(point) = known.next_if(|(x, _)| *x <= next) {
                points.push(*point);
            }
            if points.last().is_none_or(|(x, _)| *x < next) {
                points.push((next, 0.0));
            }
            next += 1.0;
        }
        points.extend(known);
        Histogram { points, limit: self.limit }
    }

    /// The same points, of a scale that goes up to `limit` (the thesis' x_norm): Beta distributions end
    /// there. By default they end at the last position.
    pub fn up_to(mut self, limit: f64) -> Histogram {
        if limit.is_finite() && limit > self.limit {
            self.limit = limit;
        }
        self
    }

    /// The points from `first` to `last`, both included.
    pub fn between(&self, first: f64, last: f64) -> Histogram {
        let points = self.points.iter().copied().filter(|(x, _)| (first..=last).contains(x));
        Histogram { points: points.collect(), limit: self.limit.min(last) }
    }

    /// Positions, ascending, with their weights.
    pub fn points(&self) -> &[(f64, f64)] {
        &self.points
    }

    /// The largest position that could occur.
    pub fn limit(&self) -> f64 {
        self.limit
    }

    /// The sum of the weights.
    pub fn total(&self) -> f64 {
        self.points.iter().map(|(_, weight)| weight).sum()
    }

    /// The same with weights that sum to 1; unchanged where all are 0.
    pub fn shares(&self) -> Histogram {
        self.divided_by(self.total())
    }

    /// The same with 1 as the largest weight, as the thesis' rank sequences have it; unchanged where
    /// all are 0.
    pub fn scaled(&self) -> Histogram {
        self.divided_by(self.points.iter().map(|(_, weight)| *weight).fold(0.0, f64::max))
    }

    fn divided_by(&self, divisor: f64) -> Histogram {
        let divisor = if divisor > 0.0 { divisor } else { 1.0 };
        let points = self.points.iter().map(|(x, weight)| (*x, weight / divisor)).collect();
        Histogram { points, limit: self.limit }
    }

    /// Some `most` of the points: the first ones all, then ever fewer, as a logarithmic axis shows them.
    pub(super) fn thinned(&self, most: usize) -> Histogram {
        let growth = 1.0 + (self.points.len() as f64).ln() / most.max(1) as f64;
        let mut next = 0.0;
        let is_next = |(i, _): &(usize, &(f64, f64))| {
            let taken = *i as f64 >= next;
            if taken {
                next = (*i as f64 * growth).max(*i as f64 + 1.0);
            }
            taken
        };
        let points = self.points.iter().enumerate().filter(is_next).map(|(_, point)| *point);
        Histogram { points: points.collect(), limit: self.limit }
    }

    /// The mean position and the variance around it, by weight; `None` if there is no weight.
    pub fn moments(&self) -> Option<(f64, f64)> {
        let total = self.total();
        if total <= 0.0 {
            return None;
        }
        let mean = self.points.iter().map(|(x, weight)| x * (weight / total)).sum::<f64>();
        let spread = |(x, weight): &(f64, f64)| (x - mean) * (x - mean) * (weight / total);
        Some((mean, self.points.iter().map(spread).sum()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_sorted_and_added_up() {
        let histogram = Histogram::new([(3.0, 1.0), (1.0, 2.0), (3.0, 5.0)]).unwrap();
        assert_eq!(histogram.points(), [(1.0, 2.0), (3.0, 6.0)]);
        assert_eq!(histogram.total(), 8.0);
        assert_eq!(histogram.filled().points(), [(1.0, 2.0), (2.0, 0.0), (3.0, 6.0)]);
        assert_eq!(histogram.shares().points(), [(1.0, 0.25), (3.0, 0.75)]);
        assert_eq!(histogram.moments(), Some((2.5, 0.75)));
        assert_eq!(histogram.limit(), 3.0);
        assert_eq!(histogram.between(2.0, 9.0).points(), [(3.0, 6.0)]);
        assert_eq!(histogram.up_to(40.0).limit(), 40.0);
    }

    #[test]
    fn fractions_keep_their_places_among_whole_numbers() {
        let histogram = Histogram::new([(0.5, 1.0), (2.0, 1.0), (2.5, 1.0)]).unwrap();
        let filled = [(0.5, 1.0), (1.0, 0.0), (2.0, 1.0), (2.5, 1.0)];
        assert_eq!(histogram.filled().points(), filled);
        let far = Histogram::new([(1e17, 1.0), (1e17 + 64.0, 1.0)]).unwrap();
        assert_eq!(far.filled(), far);
    }

    #[test]
    fn counts_and_ranks_have_their_positions() {
        assert_eq!(Histogram::of_counts(&[0, 4, 0, 1]).points(), [(1.0, 4.0), (3.0, 1.0)]);
        let ranks = Histogram::of_ranks([2.0, 8.0, 4.0]).unwrap();
        assert_eq!(ranks.points(), [(1.0, 8.0), (2.0, 4.0), (3.0, 2.0)]);
        assert_eq!(ranks.scaled().points(), [(1.0, 1.0), (2.0, 0.5), (3.0, 0.25)]);
    }

    #[test]
    fn thinned_ranks_are_even_on_a_logarithmic_axis() {
        let thin = Histogram::of_ranks(vec![1.0; 100_000]).unwrap().thinned(500);
        assert!((300..600).contains(&thin.points().len()), "{}", thin.points().len());
        assert_eq!(thin.points()[9].0, 10.0);
        let between = |first: f64| thin.between(first, 2.0 * first).points().len();
        assert!(between(1000.0).abs_diff(between(40_000.0)) <= 3);
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for point in [(f64::NAN, 1.0), (1.0, f64::INFINITY), (1.0, -1.0)] {
            assert!(Histogram::new([(2.0, 2.0), point]).is_err());
        }
        assert!(Histogram::new([(1.0, f64::MAX), (2.0, f64::MAX)]).is_err());
        assert_eq!(Histogram::new([]).unwrap().moments(), None);
    }
}
