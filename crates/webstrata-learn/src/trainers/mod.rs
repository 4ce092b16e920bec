//! Trainers: labelled blocks in, a model out.

pub mod c48;
pub mod one_r;
pub mod tree;
