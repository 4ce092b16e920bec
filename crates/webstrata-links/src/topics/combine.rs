//! Rankings for mixtures of topics.

/// The ranking of a mixture of topics: the weighted sum of their rankings (Equation 3.6). With weights that sum to 1
/// it is the ranking whose jumps are the mixture of theirs, since PageRank is linear in its jumps: of sets without a
/// page in common, weighted by their sizes, it is the ranking of their union. This holds where pages without links
/// pass nothing on or the same to all pages, and also where their surfer jumps, if each ranking is weighted before
/// it is made to sum to 1.
///
/// Rankings without a weight and weights without a ranking do not count. All rankings should have the same pages;
/// those that are missing in one are 0 there.
pub fn combine(rankings: &[&[f32]], weights: &[f64]) -> Vec<f32> {
    let pages = rankings.iter().map(|ranking| ranking.len()).max().unwrap_or(0);
    let mut sums = vec![0.0_f64; pages];
    for (ranking, weight) in rankings.iter().zip(weights) {
        for (sum, rank) in sums.iter_mut().zip(*ranking) {
            *sum += weight * f64::from(*rank);
        }
    }
    sums.into_iter().map(|sum| sum as f32).collect()
}
