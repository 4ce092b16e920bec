//! What a document is written as.

mod highlight;
mod record;

pub use highlight::highlight;
pub use record::{BlockRecord, RECORD_VERSION, Record};
