//! How well are near-duplicates found? The thesis' Table 4.3, and duplicates that were planted.

pub mod experiment;
pub mod invented;
pub mod planted;
