//! Why there is no fit.

use std::fmt;

/// Why a model could not be fitted; one line that says what is missing.
#[derive(Clone, Debug, PartialEq)]
pub enum FitError {
    /// A position or weight that is not finite, or a weight below 0.
    NotANumber {
        /// The position.
        position: f64,
        /// Its weight.
        weight: f64,
    },
    /// No weight at all: an empty corpus.
    Empty {
        /// The model.
        model: &'static str,
    },
    /// All weight is at one position.
    OneBin {
        /// The model.
        model: &'static str,
        /// The position.
        position: f64,
    },
    /// Not more points than parameters.
    TooFewPoints {
        /// The model.
        model: &'static str,
        /// How many points it needs.
        needed: usize,
        /// How many there are.
        found: usize,
    },
    /// All weights are the same: nothing varies that a model could explain.
    Constant {
        /// The model.
        model: &'static str,
        /// How many points there are.
        points: usize,
    },
    /// A position that the model does not know.
    Position {
        /// The model.
        model: &'static str,
        /// The position.
        position: f64,
        /// What positions it takes.
        takes: &'static str,
    },
    /// The model has no likelihood here, only least squares.
    NoLikelihood {
        /// The model.
        model: &'static str,
    },
    /// No parameters were found that give finite values everywhere.
    NoParameters {
        /// The model.
        model: &'static str,
    },
}

impl fmt::Display for FitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FitError::NotANumber { position, weight } => write!(
                f,
                "a histogram needs finite positions and finite weights of 0 or more, \
                 but has {weight} at {position}"
            ),
            FitError::Empty { model } => {
                write!(f, "{model}: nothing to fit, all weights are 0; are there pages with text?")
            }
            FitError::OneBin { model, position } => write!(
                f,
                "{model}: all weight is at {position}, a shape needs several positions; \
                 take more pages"
            ),
            FitError::TooFewPoints { model, needed, found } => write!(
                f,
                "{model}: needs at least {needed} points, but there are {found}; take more pages"
            ),
            FitError::Constant { model, points } => write!(
                f,
                "{model}: all {points} points have the same weight, which nothing explains; \
                 take more pages"
            ),
            FitError::Position { model, position, takes } => {
                write!(f, "{model}: takes {takes}, but there is a point at {position}")
            }
            FitError::NoLikelihood { model } => {
                write!(f, "{model}: is fitted by least squares only")
            }
            FitError::NoParameters { model } => {
                write!(f, "{model}: no parameters give finite values at all points")
            }
        }
    }
}

impl std::error::Error for FitError {}
