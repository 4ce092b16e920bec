//! How a fingerprint is cut into bands, and how likely fingerprints are to agree.

/// Bands of which two fingerprints that agree in `needed` of `places` places share at least one.
///
/// Bands that do not overlap: one more than there are places that may differ, so that the differences
/// cannot touch them all. Where some of these would be single places, pairs of places instead: among
/// one group fewer than `needed`, two of the places that agree are in the same group, so all pairs in
/// groups will do. A single place is shared by all pages that have a text in common which happens to
/// come first in it, such as a site's terms of use; a pair is so much more rarely.
pub(super) fn covering(places: usize, needed: usize) -> Vec<Vec<usize>> {
    let apart = even(places, places - needed + 1);
    let has_single = apart.iter().any(|band| band.len() == 1);
    if !has_single || needed < 2 {
        return apart;
    }
    let pairs: Vec<Vec<usize>> =
        even(places, needed - 1).iter().flat_map(|group| pairs(group)).collect();
    // Where few places need to agree there are very many pairs, and memory counts, too.
    if pairs.len() <= 2 * places { pairs } else { apart }
}

fn pairs(group: &[usize]) -> impl Iterator<Item = Vec<usize>> {
    let later = move |at: usize| group[at + 1..].iter().map(move |other| vec![group[at], *other]);
    (0..group.len()).flat_map(later)
}

/// `count` groups that cover all places, as even as can be, the larger ones first.
fn even(places: usize, count: usize) -> Vec<Vec<usize>> {
    let (size, larger) = (places / count, places % count);
    let mut start = 0;
    let group = |group| {
        let end = start + size + usize::from(group < larger);
        (std::mem::replace(&mut start, end)..end).collect()
    };
    (0..count).map(group).collect()
}

/// The probability of at least `least` successes in `trials`, each with probability `p`.
pub(super) fn at_least(least: usize, trials: usize, p: f64) -> f64 {
    if p <= 0.0 || p >= 1.0 {
        return if p >= 1.0 || least == 0 { 1.0 } else { 0.0 };
    }
    // In logarithms: a thousand trials make factors that no number can hold.
    let odds = p.ln() - (-p).ln_1p();
    let mut term = trials as f64 * (-p).ln_1p();
    let mut sum = 0.0;
    for successes in 0..=trials {
        if successes >= least {
            sum += term.exp();
        }
        term += odds + ((trials - successes) as f64 / (successes + 1) as f64).ln();
    }
    sum.min(1.0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn groups_cover_every_place_once(places in 1..300usize, count in 1..300usize) {
            let groups = even(places, count.min(places));
            prop_assert_eq!(groups.len(), count.min(places));
            prop_assert!(groups.iter().flatten().copied().eq(0..places));
            let sizes: Vec<usize> = groups.iter().map(Vec::len).collect();
            prop_assert!(sizes[0] - sizes[sizes.len() - 1] <= 1);
            prop_assert!(sizes.iter().all(|size| *size > 0));
        }

        #[test]
        fn whoever_agrees_enough_shares_a_band(
            places in 1..80usize, needed in 1..80usize, seed: u64,
        ) {
            let needed = needed.min(places);
            let bands = covering(places, needed);
            prop_assert!(bands.len() <= 2 * places);
            let mut order: Vec<usize> = (0..places).collect();
            webstrata_base::random::Random::new(seed).shuffle(&mut order);
            let agree = &order[..needed];
            prop_assert!(bands.iter().any(|band| band.iter().all(|place| agree.contains(place))));
        }

        #[test]
        fn more_is_never_more_likely(least in 0..100usize, trials in 0..100usize, p in 0.0..=1.0) {
            let (this, more) = (at_least(least, trials, p), at_least(least + 1, trials, p));
            prop_assert!((0.0..=1.0).contains(&this) && more <= this + 1e-12);
        }
    }

    /// All sets of places that agree, where there are few enough.
    #[test]
    fn no_set_is_overlooked() {
        for places in 1..=12usize {
            for agree in 1u32..1 << places {
                let bands = covering(places, agree.count_ones() as usize);
                let is_shared =
                    |band: &Vec<usize>| band.iter().all(|place| agree >> place & 1 == 1);
                assert!(bands.iter().any(is_shared), "{places} places: {agree:b}");
            }
        }
    }

    #[test]
    fn coins() {
        for (least, trials, p, wanted) in [
            (4, 8, 0.5, 163.0 / 256.0),
            (0, 8, 0.5, 1.0),
            (8, 8, 0.5, 1.0 / 256.0),
            (9, 8, 0.5, 0.0),
            (1, 2, 0.25, 1.0 - 0.75 * 0.75),
            (1, 8, 0.0, 0.0),
            (8, 8, 1.0, 1.0),
            (512, 1024, 0.5, 0.512_463_9),
        ] {
            let found = at_least(least, trials, p);
            assert!((found - wanted).abs() < 1e-6, "{least} of {trials}: {found}");
        }
    }
}
