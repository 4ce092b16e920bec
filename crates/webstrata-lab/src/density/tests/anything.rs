//! Whatever the histogram: finite numbers, or one line that says what is missing.

use proptest::prelude::*;

use crate::density::{DensityModel, Fit, FitError, Histogram};

fn all_fits(histogram: &Histogram) -> Vec<Result<Fit, FitError>> {
    let both = |model: &DensityModel| [model.fit(histogram), model.fit_likelihood(histogram)];
    DensityModel::ALL.iter().flat_map(both).collect()
}

#[track_caller]
fn check(points: &[(f64, f64)]) {
    let Ok(histogram) = Histogram::new(points.iter().copied()) else { return };
    for fit in all_fits(&histogram) {
        match fit {
            Ok(fit) => check_numbers(&fit, &histogram),
            Err(error) => {
                let line = error.to_string();
                assert!(line.len() > 20 && !line.contains('\n'), "{line:?}");
            }
        }
    }
}

#[track_caller]
fn check_numbers(fit: &Fit, histogram: &Histogram) {
    let parameters = fit.parameters.iter().map(|(_, value)| *value);
    let goodness = [fit.goodness.r2, fit.goodness.adjusted_r2, fit.goodness.rmse];
    let test = fit.chi_squared.map(|test| [test.statistic, test.probability, test.coefficient]);
    let numbers = parameters.chain(goodness).chain(test.into_iter().flatten());
    for number in numbers.chain(fit.log_likelihood).chain(fit.constant.map(|(_, value)| value)) {
        assert!(number.is_finite(), "{fit:?}");
    }
    let anywhere = [f64::NAN, f64::NEG_INFINITY, -1.0, 0.0, 0.5, 1.0, 7.3, 1e9, f64::INFINITY];
    for x in histogram.points().iter().map(|(x, _)| *x).chain(anywhere) {
        assert!(fit.at(x).is_finite(), "{fit:?} at {x}");
        let parts = fit.parts(x);
        let sum: f64 = parts.iter().map(|(_, height)| height).sum();
        assert!(parts.is_empty() || (sum - fit.at(x)).abs() <= 1e-9, "{fit:?} at {x}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn no_histogram_gives_what_is_no_number(
        points in prop::collection::vec((prop::num::f64::ANY, prop::num::f64::ANY), 0..20),
    ) {
        check(&points);
    }

    #[test]
    fn nor_do_counts(counts in prop::collection::vec(prop_oneof![0..3u64, any::<u64>()], 0..25)) {
        let points = counts.iter().enumerate().map(|(x, count)| ((x + 1) as f64, *count as f64));
        check(&points.collect::<Vec<_>>());
    }

    #[test]
    fn nor_do_ratios(points in prop::collection::vec((0.001..0.999f64, 0.0..1e6), 0..12)) {
        check(&points);
    }

    #[test]
    fn nor_do_numbers_at_the_ends_of_their_range(
        points in prop::collection::vec((prop_oneof![1e-300..1e-290, 1e290..1e300], 0.0..1e300), 3..14),
    ) {
        check(&points);
    }
}

#[test]
fn poor_corpora_get_a_clear_line() {
    let line = |model: DensityModel, counts: &[u64]| {
        model.fit(&Histogram::of_counts(counts)).unwrap_err().to_string()
    };
    for model in DensityModel::ALL {
        let empty = line(model, &[]);
        assert!(empty.ends_with("nothing to fit, all weights are 0; are there pages with text?"));
        let one_bin = line(model, &[0, 70]);
        assert!(one_bin.contains("all weight is at 1, a shape needs several"), "{one_bin}");
        let constant = line(model, &[9; 30]);
        assert!(constant.contains("all 30 points have the same weight"), "{constant}");
        assert!(constant.starts_with(model.name()));
    }
    assert_eq!(
        line(DensityModel::StratifiedWriter, &[5, 4, 3, 2, 1]),
        "stratified random writer: takes numbers of words (1, 2, 3, …), but there is a point at 0"
    );
    assert_eq!(
        line(DensityModel::BetaNormal, &[0, 4, 3, 2, 1]),
        "two Betas and a normal distribution: needs at least 10 points, but there are 4; take more pages"
    );
    assert!(
        line(DensityModel::RatioPowerLaw, &[0, 4, 3, 2, 1]).contains("positions between 0 and 1")
    );
    let counts = Histogram::of_counts(&[0, 4, 3, 2, 1]);
    assert_eq!(
        DensityModel::Zipf.fit_likelihood(&counts),
        Err(FitError::NoLikelihood { model: DensityModel::Zipf.name() })
    );
    assert!(Histogram::new([(1.0, f64::NAN)]).unwrap_err().to_string().contains("NaN at 1"));
}
