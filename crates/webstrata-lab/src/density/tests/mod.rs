//! Every model against parameters that are known, against scipy, and against anything.

mod anything;
mod recovery;
mod scipy;
