//! Folds for cross-validation: of blocks, stratified by class, or of whole sites.

use webstrata_base::random::Random;

/// For each example, the fold that tests it: every fold has the same share of every class, as
/// nearly as can be. Weka's way, and the paper's (section 4.1).
pub fn stratified(labels: &[u8], folds: usize, seed: u64) -> Vec<u8> {
    let folds = folds.clamp(2, 255);
    let mut order: Vec<usize> = (0..labels.len()).collect();
    Random::new(seed).shuffle(&mut order);
    order.sort_by_key(|row| labels[*row]);
    let mut fold_of = vec![0; labels.len()];
    for (place, row) in order.into_iter().enumerate() {
        fold_of[row] = (place % folds) as u8;
    }
    fold_of
}

/// The same, but examples of one group (a site) are always in one fold: what is learned of a site's
/// layout cannot help on another page of it. Large groups are placed first, each into the fold that
/// has the least weight.
pub fn grouped(groups: &[u32], weights: &[f64], folds: usize, seed: u64) -> Vec<u8> {
    let folds = folds.clamp(2, 255);
    let count = groups.iter().max().map_or(0, |last| *last as usize + 1);
    let mut sizes = vec![0.0; count];
    for (group, weight) in groups.iter().zip(weights) {
        sizes[*group as usize] += weight;
    }
    let mut order: Vec<usize> = (0..count).collect();
    Random::new(seed).shuffle(&mut order);
    order.sort_by(|a, b| sizes[*b].total_cmp(&sizes[*a]));
    let mut filled = vec![0.0f64; folds];
    let mut fold_of_group = vec![0u8; count];
    for group in order {
        let lightest = (0..folds).min_by(|a, b| filled[*a].total_cmp(&filled[*b])).unwrap_or(0);
        filled[lightest] += sizes[group];
        fold_of_group[group] = lightest as u8;
    }
    groups.iter().map(|group| fold_of_group[*group as usize]).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_fold_has_its_share_of_every_class(
            labels in prop::collection::vec(0..4u8, 0..200), folds in 2..12usize, seed: u64,
        ) {
            let fold_of = stratified(&labels, folds, seed);
            prop_assert_eq!(&fold_of, &stratified(&labels, folds, seed));
            for class in 0..4 {
                let size = |fold: usize| {
                    let pairs = fold_of.iter().zip(&labels);
                    pairs.filter(|(of, label)| (usize::from(**of), **label) == (fold, class)).count()
                };
                let sizes: Vec<usize> = (0..folds).map(size).collect();
                prop_assert!(sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 1);
            }
        }

        #[test]
        fn a_site_is_in_one_fold(
            sites in prop::collection::vec(0..30u32, 1..200), folds in 2..12usize, seed: u64,
        ) {
            let fold_of = grouped(&sites, &vec![1.0; sites.len()], folds, seed);
            for site in 0..30 {
                let of: std::collections::HashSet<u8> = fold_of
                    .iter()
                    .zip(&sites)
                    .filter(|(_, known)| **known == site)
                    .map(|(fold, _)| *fold)
                    .collect();
                prop_assert!(of.len() <= 1);
            }
        }
    }

    #[test]
    fn large_sites_are_spread() {
        let sites = [0, 1, 2, 3, 0, 0, 1, 1];
        let fold_of = grouped(&sites, &[1.0; 8], 2, 3);
        assert_ne!(fold_of[0], fold_of[1]);
        assert_eq!(fold_of.iter().filter(|fold| **fold == 0).count(), 4);
    }
}
