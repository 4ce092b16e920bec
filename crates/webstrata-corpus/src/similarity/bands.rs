//! How a fingerprint is cut into bands, and how likely fingerprints are to agree.

use std::ops::Range;

/// `count` bands that cover all places, as even as can be, the longer ones first.
pub(super) fn even(places: usize, count: usize) -> Vec<Range<usize>> {
    let (rows, longer) = (places / count, places % count);
    let mut start = 0;
    let band = |band| {
        let end = start + rows + usize::from(band < longer);
        std::mem::replace(&mut start, end)..end
    };
    (0..count).map(band).collect()
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
        fn bands_cover_every_place_once(places in 1..300usize, count in 1..300usize) {
            let bands = even(places, count.min(places));
            prop_assert_eq!(bands.len(), count.min(places));
            prop_assert!(bands.iter().cloned().flatten().eq(0..places));
            let sizes: Vec<usize> = bands.iter().map(Range::len).collect();
            prop_assert!(sizes[0] - sizes[sizes.len() - 1] <= 1);
            prop_assert!(sizes.iter().all(|size| *size > 0));
        }

        #[test]
        fn more_is_never_more_likely(least in 0..100usize, trials in 0..100usize, p in 0.0..=1.0) {
            let (this, more) = (at_least(least, trials, p), at_least(least + 1, trials, p));
            prop_assert!((0.0..=1.0).contains(&this) && more <= this + 1e-12);
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
