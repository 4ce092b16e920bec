//! How well do methods cut pages into segments? The thesis' experiments (4.2) and the chart of a page.

pub mod chart;
pub mod experiment;
