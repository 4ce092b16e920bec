//! How the tokens of a corpus spread over text densities, and the models of it (thesis, 4.2.3, 4.3 and
//! 4.4.4).
//!
//! A [`Histogram`] holds weights at positions, a [`DensityModel`] is fitted to it, and the [`Fit`] knows its
//! parameters, its height anywhere and how good it is. A corpus that says too little is an error with one
//! line that tells what is missing; no number of a fit is ever infinite or not a number.
//!
//! ```
//! use webstrata_lab::density::{DensityModel, Histogram};
//!
//! // How many blocks have one word, two words, …
//! let blocks = Histogram::of_counts(&[0, 3100, 1900, 1200, 700, 420, 260, 170, 120, 95, 80]);
//! let writer = DensityModel::RandomWriter.fit(&blocks)?;
//! assert!(writer.goodness.adjusted_r2 > 0.99);
//! let p = writer.parameter("P_T(N)").unwrap();
//! assert!((writer.at(1.0) - p).abs() < 1e-12);
//! assert!(DensityModel::RandomWriter.fit(&Histogram::of_counts(&[])).is_err());
//! # Ok::<(), webstrata_lab::density::FitError>(())
//! ```

mod betas;
mod error;
mod fit;
mod frumkina;
mod histogram;
mod laws;
mod solve;
mod special;
#[cfg(test)]
mod tests;
mod writer;

pub use error::FitError;
pub use fit::{ChiSquared, Fit, Goodness, Method};
pub use histogram::Histogram;

use fit::Found;

/// What a histogram may look like.
///
/// Distributions are fitted to the shares of the weights, curves to the weights as they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DensityModel {
    /// Two Beta distributions and a normal one between them (Equation 4.18), for tokens by density.
    ///
    /// The thesis' σ² is taken for the standard deviation, as MATLAB's `normpdf` takes it: only so have its
    /// numbers the modes of its figure. Its e, f, μ and σ leave one of them free: f is 0 here.
    BetaNormal,
    /// Three Beta distributions of the same weight (Equation 4.17), for tokens by density.
    ThreeBetas,
    /// One Beta distribution (4.15), for average token lengths and for text with or without full stops.
    Beta,
    /// The geometric distribution (Equation 4.20), for blocks by number of words.
    RandomWriter,
    /// A mixture of two (Equation 4.21): short and long text.
    StratifiedWriter,
    /// y = C · x^−b (Equation 4.3), for values by rank.
    Zipf,
    /// y = c · (x / (1 − x))^−a₁ for x between 0 and 1 (section 4.3.2, Figure 4.16), for ratios of document
    /// frequencies by relative rank.
    RatioPowerLaw,
    /// y = C · (n x / (n + 1 − x))^−a₁ for n ranks (section 4.3.3, Figure 4.18), for frequencies of segments.
    Lavalette,
    /// y = C · x^a₁ + d (Equation 4.12), for values by rank.
    MenzerathAltmann,
    /// y = C · x^a₁ · exp(−a₀ x − a₂ / x) + d (Equation 4.11 up to a₂), for values by rank.
    GeneralMenzerathAltmann,
    /// Frumkina's law (Equation 4.2), for quotients of densities, from 1 (Equation 4.9).
    NegativeHypergeometric,
}

impl DensityModel {
    /// All of them.
    pub const ALL: [DensityModel; 11] = [
        DensityModel::BetaNormal,
        DensityModel::ThreeBetas,
        DensityModel::Beta,
        DensityModel::RandomWriter,
        DensityModel::StratifiedWriter,
        DensityModel::Zipf,
        DensityModel::RatioPowerLaw,
        DensityModel::Lavalette,
        DensityModel::MenzerathAltmann,
        DensityModel::GeneralMenzerathAltmann,
        DensityModel::NegativeHypergeometric,
    ];

    /// Its name in words.
    pub fn name(self) -> &'static str {
        match self {
            DensityModel::BetaNormal => "two Betas and a normal distribution",
            DensityModel::ThreeBetas => "three Betas",
            DensityModel::Beta => "Beta distribution",
            DensityModel::RandomWriter => "random writer",
            DensityModel::StratifiedWriter => "stratified random writer",
            DensityModel::Zipf => "Zipf's law",
            DensityModel::RatioPowerLaw => "power law of a ratio",
            DensityModel::Lavalette => "Lavalette's law",
            DensityModel::MenzerathAltmann => "Menzerath-Altmann law",
            DensityModel::GeneralMenzerathAltmann => "general Menzerath-Altmann law",
            DensityModel::NegativeHypergeometric => "negative hypergeometric distribution",
        }
    }

    /// The names of its parameters, in the order of [`Fit::parameters`].
    pub fn parameter_names(self) -> &'static [&'static str] {
        match self {
            DensityModel::BetaNormal => {
                &["a1", "b1", "a2", "b2", "c", "d", "e", "f", "mu", "sigma"]
            }
            DensityModel::ThreeBetas => &["a1", "b1", "a2", "b2", "a3", "b3", "c"],
            DensityModel::Beta => &["a", "b", "c"],
            DensityModel::RandomWriter => &["P_T(N)"],
            DensityModel::StratifiedWriter => &["P_N(S)", "P_S(N)", "P_L(N)"],
            DensityModel::Zipf => &["C", "b"],
            DensityModel::RatioPowerLaw => &["c", "a1"],
            DensityModel::Lavalette => &["C", "a1"],
            DensityModel::MenzerathAltmann => &["C", "a1", "d"],
            DensityModel::GeneralMenzerathAltmann => &["C", "a0", "a1", "a2", "d"],
            DensityModel::NegativeHypergeometric => &["K", "M"],
        }
    }

    /// How many parameters the points decide.
    pub fn free_parameters(self) -> usize {
        let free = self.parameter_names().len();
        if self == DensityModel::BetaNormal { free - 1 } else { free }
    }

    /// Fits by least squares: of the shares or weights, for the negative hypergeometric distribution of
    /// chi-squared.
    pub fn fit(self, histogram: &Histogram) -> Result<Fit, FitError> {
        self.check(histogram)?;
        let shares = self.normalised(histogram);
        let found = match self {
            DensityModel::BetaNormal => betas::fit_with_normal(&shares),
            DensityModel::ThreeBetas => betas::fit_three(&shares),
            DensityModel::Beta => betas::fit_one(&shares),
            DensityModel::RandomWriter => writer::fit_simple(&shares),
            DensityModel::StratifiedWriter => writer::fit_stratified(&shares),
            DensityModel::Zipf | DensityModel::RatioPowerLaw | DensityModel::Lavalette => {
                laws::fit_power(self, histogram)
            }
            DensityModel::MenzerathAltmann => laws::fit_menzerath(histogram),
            DensityModel::GeneralMenzerathAltmann => laws::fit_general_menzerath(histogram),
            DensityModel::NegativeHypergeometric => frumkina::fit(self, histogram)?,
        };
        self.judge(found, &shares, histogram)
    }

    /// Fits by maximum likelihood, the mixture by expectation maximisation. The random writers only.
    pub fn fit_likelihood(self, histogram: &Histogram) -> Result<Fit, FitError> {
        self.check(histogram)?;
        let shares = self.normalised(histogram);
        let found = match self {
            DensityModel::RandomWriter => writer::likeliest_simple(&shares),
            DensityModel::StratifiedWriter => writer::likeliest_stratified(&shares),
            _ => return Err(FitError::NoLikelihood { model: self.name() }),
        };
        self.judge(found, &shares, histogram)
    }

    fn judge(
        self,
        found: Option<Found>,
        shares: &Histogram,
        histogram: &Histogram,
    ) -> Result<Fit, FitError> {
        let found = found.ok_or(FitError::NoParameters { model: self.name() })?;
        let test = match (self, found.constant) {
            (DensityModel::NegativeHypergeometric, Some((_, n))) => {
                frumkina::test(&found.values, n, histogram)
            }
            _ => None,
        };
        Ok(Fit { chi_squared: test, ..found.judge(self, shares)? })
    }

    /// Whether it is a distribution of what was counted, not a curve through values.
    pub fn is_distribution(self) -> bool {
        matches!(
            self,
            DensityModel::BetaNormal
                | DensityModel::ThreeBetas
                | DensityModel::Beta
                | DensityModel::RandomWriter
                | DensityModel::StratifiedWriter
                | DensityModel::NegativeHypergeometric
        )
    }

    fn normalised(self, histogram: &Histogram) -> Histogram {
        if self.is_distribution() { histogram.shares() } else { histogram.clone() }
    }

    /// Whether there is something to fit; else what is missing.
    fn check(self, histogram: &Histogram) -> Result<(), FitError> {
        let model = self.name();
        let points = histogram.points();
        if histogram.total() <= 0.0 {
            return Err(FitError::Empty { model });
        }
        let mut weighty = points.iter().filter(|(_, weight)| *weight > 0.0);
        if let (Some((position, _)), None) = (weighty.next(), weighty.next()) {
            return Err(FitError::OneBin { model, position: *position });
        }
        let needed = self.free_parameters().max(2) + 1;
        if points.len() < needed {
            return Err(FitError::TooFewPoints { model, needed, found: points.len() });
        }
        if points.iter().all(|(_, weight)| *weight == points[0].1) {
            return Err(FitError::Constant { model, points: points.len() });
        }
        match self {
            DensityModel::BetaNormal | DensityModel::ThreeBetas | DensityModel::Beta => {
                betas::check(self, histogram)
            }
            DensityModel::RandomWriter | DensityModel::StratifiedWriter => {
                writer::check(self, histogram)
            }
            DensityModel::NegativeHypergeometric => frumkina::check(self, histogram),
            _ => laws::check(self, histogram),
        }
    }

    /// The height at a position; `constant` is that of [`Fit::constant`].
    fn height(self, values: &[f64], constant: f64, x: f64) -> f64 {
        match self {
            DensityModel::BetaNormal => betas::with_normal(values, constant, x).iter().sum(),
            DensityModel::ThreeBetas => betas::three(values, constant, x).iter().sum(),
            DensityModel::Beta => betas::one(values, constant, x),
            DensityModel::RandomWriter => writer::simple(values[0], x),
            DensityModel::StratifiedWriter => writer::stratified(values, x).iter().sum(),
            DensityModel::Zipf | DensityModel::RatioPowerLaw | DensityModel::Lavalette => {
                laws::power(values, laws::base(self, constant, x))
            }
            DensityModel::MenzerathAltmann | DensityModel::GeneralMenzerathAltmann => {
                laws::menzerath(values, x)
            }
            DensityModel::NegativeHypergeometric => frumkina::height(values, constant, x),
        }
    }

    fn parts(self, values: &[f64], constant: f64, x: f64) -> Vec<(&'static str, f64)> {
        let named = |heights: [f64; 3]| ["dense", "sparse", "between"].into_iter().zip(heights);
        match self {
            DensityModel::BetaNormal => named(betas::with_normal(values, constant, x)).collect(),
            DensityModel::ThreeBetas => named(betas::three(values, constant, x)).collect(),
            DensityModel::StratifiedWriter => {
                ["short", "long"].into_iter().zip(writer::stratified(values, x)).collect()
            }
            _ => Vec::new(),
        }
    }
}
