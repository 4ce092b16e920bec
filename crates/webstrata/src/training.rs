//! What a trainer of models needs, and nobody else: behind the feature `training`, and no part of what
//! stays the same from version to version.

/// The learned extractor from inside: its features, its models, how it decides.
pub mod strata {
    pub use crate::strata::*;
}

/// What `strata+site` learned.
pub mod site {
    pub use crate::strata::site_model::{SiteModel, feature_names, rows};
}

/// The signals of `keep-signal` and their values.
pub mod ziegler {
    pub use crate::ziegler::*;
}
