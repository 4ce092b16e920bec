//! HTML to a tree, by the WHATWG parsing rules.
//!
//! [`tokenizer`] finds tags and texts; [`builder`] inserts nodes for them, with the open elements in
//! [`stack`]; [`modes`], [`body`], [`tables`] and [`foreign`] are the spec's insertion modes,
//! [`formatting`] its treatment of misnested `<b>`, `<a>` and the like. Scripting counts as off: what stands in `<noscript>` is parsed.
//!
//! Where the rules let a hostile page cost more than its size (nesting, formatting elements that
//! are repeated in every block), there is a bound, and the document says that it was hit.

pub(crate) mod body;
pub(crate) mod builder;
pub(crate) mod foreign;
pub(crate) mod formatting;
pub(crate) mod modes;
pub(crate) mod noted;
pub(crate) mod quirks;
pub(crate) mod stack;
pub(crate) mod tables;
pub(crate) mod tag;
pub(crate) mod tokenizer;
