//! scipy on the same histograms: `tests/scipy/check.py`, its output in `expected.txt` beside it.

use std::path::Path;
use std::process::Command;

use crate::density::{DensityModel, Fit, Histogram};

const HISTOGRAMS: &str = include_str!("../../../tests/scipy/histograms.txt");
const EXPECTED: &str = include_str!("../../../tests/scipy/expected.txt");

fn histograms() -> impl Iterator<Item = (DensityModel, Histogram)> {
    HISTOGRAMS.lines().map(|line| {
        let mut words = line.split(' ');
        let name = words.next().unwrap();
        let model =
            DensityModel::ALL.into_iter().find(|model| format!("{model:?}") == name).unwrap();
        let point = |word: &str| {
            let (x, y) = word.split_once(':').unwrap();
            (x.parse().unwrap(), y.parse().unwrap())
        };
        (model, Histogram::new(words.map(point)).unwrap())
    })
}

fn ours(fit: &Fit, likely: Option<&Fit>, name: &str) -> f64 {
    match (name, name.strip_prefix("likely ")) {
        ("R2", _) => fit.goodness.r2,
        ("RMSE", _) => fit.goodness.rmse,
        ("chi-squared", _) => fit.chi_squared.unwrap().statistic,
        ("probability", _) => fit.chi_squared.unwrap().probability,
        ("log-likelihood", _) => likely.unwrap().log_likelihood.unwrap(),
        (_, Some(name)) => likely.unwrap().parameter(name).unwrap(),
        _ => fit.parameter(name).unwrap(),
    }
}

/// `scipys` has lines `model parameter value`, by tabs.
fn check(scipys: &str) {
    let mut compared = 0;
    for (model, histogram) in histograms() {
        let fit = model.fit(&histogram).unwrap();
        let likely = model.fit_likelihood(&histogram).ok();
        for line in scipys.lines() {
            let [of, name, value] = line.split('\t').collect::<Vec<_>>()[..] else {
                panic!("{line}")
            };
            if of != format!("{model:?}") {
                continue;
            }
            let (ours, scipys) = (ours(&fit, likely.as_ref(), name), value.parse::<f64>().unwrap());
            let off = (ours - scipys).abs() / scipys.abs();
            assert!(off < 1e-4, "{model:?} {name}: {ours}, scipy has {scipys}");
            compared += 1;
        }
    }
    assert_eq!(compared, 67);
}

#[test]
fn fits_are_scipys() {
    check(EXPECTED);
}

/// The interpreter that `WEBSTRATA_PYTHON` names must have scipy.
#[test]
#[ignore = "needs Python with scipy, see CONTRIBUTING.md"]
fn scipy_still_finds_the_same() {
    let python = std::env::var("WEBSTRATA_PYTHON").unwrap_or("python3".into());
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scipy/check.py");
    let output = Command::new(python).arg(script).output().expect("Python can be started");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    check(&String::from_utf8(output.stdout).unwrap());
}
