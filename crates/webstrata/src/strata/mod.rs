//! `strata`, the learned extractor: what it looks at, what it learned, how it decides.
//!
//! 1. [`features`]: a page that was cut with [`Cutting::Strata`](crate::cutting::Cutting::Strata)
//!    comes with the features of its blocks ([`Observations`]).
//! 2. [`model`]: two passes of boosted trees give each block the probability that it is content; the
//!    second pass sees what the first said of the blocks around ([`second_pass`]).
//! 3. [`decision`]: the blocks are kept that together have the greatest expected F-measure.
//! 4. [`page_features`]: sums over the page tell its [`PageType`], and how far to trust the text.
//! 5. [`max_model`]: `strata-max` asks a network over the blocks, too.
//! 6. [`reasons`]: why the trees score a block so, in words, where somebody asks.
//! 7. [`site_model`]: where other pages of the site are known, `strata+site` looks again.
//!
//! `webstrata-lab train strata` trains the model; `docs/strata.md` is its card.

mod bytes;
mod containers;
pub mod decision;
pub mod features;
pub mod forest;
mod head;
pub(crate) mod loaded;
pub mod max_model;
pub mod model;
mod network;
mod observations;
mod overview;
pub mod page_features;
mod page_model;
mod page_type;
pub(crate) mod reasons;
mod recipe;
mod rows;
pub mod second_pass;
pub mod site_model;
pub mod tokens;

pub use max_model::MaxModel;
#[cfg(feature = "training")]
pub use model::Judgement;
pub use model::StrataModel;
pub use observations::Observations;
#[cfg(feature = "training")]
pub use page_model::PageModel;
pub use page_type::PageType;
#[cfg(feature = "training")]
pub use rows::Rows;
