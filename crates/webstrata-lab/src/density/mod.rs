//! How the tokens of a corpus spread over text densities, and the models of it (thesis, 4.2.3, 4.3 and
//! 4.4.4).
//!
//! A [`Histogram`] holds weights at positions, a [`Model`] is fitted to it, and the [`Fit`] knows its
//! parameters, its height anywhere and how good it is. A corpus that says too little is an error with one
//! line that tells what is missing; no number of a fit is ever infinite or not a number.
//!
//! ```
//! use webstrata_lab::density::{Histogram, Model};
//!
//! // How many blocks have one word, two words, …
//! let blocks = Histogram::of_counts(&[0, 3100, 1900, 1200, 700, 420, 260, 170, 120, 95, 80]);
//! let writer = Model::RandomWriter.fit(&blocks)?;
//! assert!(writer.goodness.adjusted_r2 > 0.99);
//! let p = writer.parameter("P_T(N)").unwrap();
//! assert!((writer.at(1.0) - p).abs() < 1e-12);
//! assert!(Model::RandomWriter.fit(&Histogram::of_counts(&[])).is_err());
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
pub enum Model {
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

impl Model {
    /// All of them.
    pub const ALL: [Model; 11] = [
        Model::BetaNormal,
        Model::ThreeBetas,
        Model::Beta,
        Model::RandomWriter,
        Model::StratifiedWriter,
        Model::Zipf,
        Model::RatioPowerLaw,
        Model::Lavalette,
        Model::MenzerathAltmann,
        Model::GeneralMenzerathAltmann,
        Model::NegativeHypergeometric,
    ];

    /// Its name in words.
    pub fn name(self) -> &'static str {
        match self {
            Model::BetaNormal => "two Betas and a normal distribution",
            Model::ThreeBetas => "three Betas",
            Model::Beta => "Beta distribution",
            Model::RandomWriter => "random writer",
            Model::StratifiedWriter => "stratified random writer",
            Model::Zipf => "Zipf's law",
            Model::RatioPowerLaw => "power law of a ratio",
            Model::Lavalette => "Lavalette's law",
            Model::MenzerathAltmann => "Menzerath-Altmann law",
            Model::GeneralMenzerathAltmann => "general Menzerath-Altmann law",
            Model::NegativeHypergeometric => "negative hypergeometric distribution",
        }
    }

    /// The names of its parameters, in the order of [`Fit::parameters`].
    pub fn parameter_names(self) -> &'static [&'static str] {
        match self {
            Model::BetaNormal => &["a1", "b1", "a2", "b2", "c", "d", "e", "f", "mu", "sigma"],
            Model::ThreeBetas => &["a1", "b1", "a2", "b2", "a3", "b3", "c"],
            Model::Beta => &["a", "b", "c"],
            Model::RandomWriter => &["P_T(N)"],
            Model::StratifiedWriter => &["P_N(S)", "P_S(N)", "P_L(N)"],
            Model::Zipf => &["C", "b"],
            Model::RatioPowerLaw => &["c", "a1"],
            Model::Lavalette => &["C", "a1"],
            Model::MenzerathAltmann => &["C", "a1", "d"],
            Model::GeneralMenzerathAltmann => &["C", "a0", "a1", "a2", "d"],
            Model::NegativeHypergeometric => &["K", "M"],
        }
    }

    /// How many parameters the points decide.
    pub fn free_parameters(self) -> usize {
        let free = self.parameter_names().len();
        if self == Model::BetaNormal { free - 1 } else { free }
    }

    /// Fits by least squares: of the shares or weights, for the negative hypergeometric distribution of
    /// chi-squared.
    pub fn fit(self, histogram: &Histogram) -> Result<Fit, FitError> {
        self.check(histogram)?;
        let shares = self.normalised(histogram);
        let found = match self {
            Model::BetaNormal => betas::fit_with_normal(&shares),
            Model::ThreeBetas => betas::fit_three(&shares),
            Model::Beta => betas::fit_one(&shares),
            Model::RandomWriter => writer::fit_simple(&shares),
            Model::StratifiedWriter => writer::fit_stratified(&shares),
            Model::Zipf | Model::RatioPowerLaw | Model::Lavalette => {
                laws::fit_power(self, histogram)
            }
            Model::MenzerathAltmann => laws::fit_menzerath(histogram),
            Model::GeneralMenzerathAltmann => laws::fit_general_menzerath(histogram),
            Model::NegativeHypergeometric => frumkina::fit(self, histogram)?,
        };
        self.judge(found, &shares, histogram)
    }

    /// Fits by maximum likelihood, the mixture by expectation maximisation. The random writers only.
    pub fn fit_likelihood(self, histogram: &Histogram) -> Result<Fit, FitError> {
        self.check(histogram)?;
        let shares = self.normalised(histogram);
        let found = match self {
            Model::RandomWriter => writer::likeliest_simple(&shares),
            Model::StratifiedWriter => writer::likeliest_stratified(&shares),
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
            (Model::NegativeHypergeometric, Some((_, n))) => {
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
            Model::BetaNormal
                | Model::ThreeBetas
                | Model::Beta
                | Model::RandomWriter
                | Model::StratifiedWriter
                | Model::NegativeHypergeometric
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
            Model::BetaNormal | Model::ThreeBetas | Model::Beta => betas::check(self, histogram),
            Model::RandomWriter | Model::StratifiedWriter => writer::check(self, histogram),
            Model::NegativeHypergeometric => frumkina::check(self, histogram),
            _ => laws::check(self, histogram),
        }
    }

    /// The height at a position; `constant` is that of [`Fit::constant`].
    fn height(self, values: &[f64], constant: f64, x: f64) -> f64 {
        match self {
            Model::BetaNormal => betas::with_normal(values, constant, x).iter().sum(),
            Model::ThreeBetas => betas::three(values, constant, x).iter().sum(),
            Model::Beta => betas::one(values, constant, x),
            Model::RandomWriter => writer::simple(values[0], x),
            Model::StratifiedWriter => writer::stratified(values, x).iter().sum(),
            Model::Zipf | Model::RatioPowerLaw | Model::Lavalette => {
                laws::power(values, laws::base(self, constant, x))
            }
            Model::MenzerathAltmann | Model::GeneralMenzerathAltmann => laws::menzerath(values, x),
            Model::NegativeHypergeometric => frumkina::height(values, constant, x),
        }
    }

    fn parts(self, values: &[f64], constant: f64, x: f64) -> Vec<(&'static str, f64)> {
        let named = |heights: [f64; 3]| ["dense", "sparse", "between"].into_iter().zip(heights);
        match self {
            Model::BetaNormal => named(betas::with_normal(values, constant, x)).collect(),
            Model::ThreeBetas => named(betas::three(values, constant, x)).collect(),
            Model::StratifiedWriter => {
                ["short", "long"].into_iter().zip(writer::stratified(values, x)).collect()
            }
            _ => Vec::new(),
        }
    }
}
