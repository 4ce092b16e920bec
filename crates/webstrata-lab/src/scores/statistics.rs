//! What the scores of many pages say together.

use webstrata_base::random::Random;

/// How often [`interval`] draws anew.
const RESAMPLES: usize = 2000;

/// The mean; 0 of nothing.
pub fn mean(values: &[f64]) -> f64 {
    // The sum of nothing would be -0.
    values.iter().fold(0.0, |sum, value| sum + value) / values.len().max(1) as f64
}

/// The median, the mean of the middle two of an even number; 0 of nothing.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => 0.0,
        n if n % 2 == 1 => sorted[middle],
        _ => f64::midpoint(sorted[middle - 1], sorted[middle]),
    }
}

/// Where the mean lies with 95 percent confidence: the percentile bootstrap (Efron 1979), that is, the
/// middle 95 percent of the means of 2000 samples with replacement. The draws are the same each time.
pub fn interval(values: &[f64]) -> (f64, f64) {
    if values.is_empty() {
        return (0.0, 0.0);
    }
    let mut random = Random::new(values.len() as u64);
    let mut means: Vec<f64> = (0..RESAMPLES)
        .map(|_| {
            let sum: f64 = (0..values.len()).map(|_| values[random.below(values.len())]).sum();
            sum / values.len() as f64
        })
        .collect();
    means.sort_unstable_by(f64::total_cmp);
    let outside = RESAMPLES / 40;
    (means[outside], means[RESAMPLES - 1 - outside])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn middles() {
        assert_eq!((mean(&[]), median(&[])), (0.0, 0.0));
        assert!(mean(&[]).is_sign_positive(), "or it is shown as -0.0000");
        assert_eq!((mean(&[1.0, 0.5]), median(&[1.0, 0.5])), (0.75, 0.75));
        assert_eq!(median(&[0.9, 0.1, 0.2]), 0.2);
    }

    #[test]
    fn intervals_hold_the_mean_and_shrink() {
        assert_eq!(interval(&[]), (0.0, 0.0));
        assert_eq!(interval(&[0.5]), (0.5, 0.5));
        let values = |n: usize| -> Vec<f64> { (0..n).map(|i| (i % 11) as f64 / 10.0).collect() };
        let few = interval(&values(110));
        let many = interval(&values(1100));
        assert_eq!(few, interval(&values(110)));
        assert!(few.0 < many.0 && many.0 < 0.5 && 0.5 < many.1 && many.1 < few.1);
        // The standard error is √(0.1 / n); 1.96 of them on both sides.
        let expected = 2.0 * 1.96 * (0.1f64 / 1100.0).sqrt();
        assert!(((many.1 - many.0) / expected - 1.0).abs() < 0.1, "{many:?}");
    }
}
