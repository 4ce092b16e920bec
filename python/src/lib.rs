//! The Python package's engine room: `webstrata._webstrata`. The package around it is in `webstrata/`.
//!
//! Nothing here touches Python while a page is worked on: the lock is given back, so threads run side by side, and
//! the module says that it does not need the lock at all.

mod archive_tables;
mod arrow;
mod blocks;
mod columns;
mod corpus;
mod dedup;
mod document;
mod errors;
mod explain;
mod extractor;
mod input;
mod link_pages;
mod many;
mod options;
mod page_records;
mod pagerank;
mod reader;
mod segments;
mod similar;
mod tables;
mod url_tree;
mod warc;
mod workers;

use pyo3::prelude::*;

/// The native half of the package.
#[pymodule(gil_used = false)]
mod _webstrata {
    use pyo3::prelude::*;
    use pyo3::types::PyTuple;

    #[pymodule_export]
    use super::archive_tables::{ArchiveBatches, warc_batches, warc_records};
    #[pymodule_export]
    use super::arrow::extract_batch;
    #[pymodule_export]
    use super::blocks::{Block, Link, Post};
    #[pymodule_export]
    use super::corpus::{CorpusDuplicates, CorpusPipeline, JudgedBatches};
    #[pymodule_export]
    use super::dedup::{Duplicates, dedup};
    #[pymodule_export]
    use super::document::{Document, extract};
    #[pymodule_export]
    use super::explain::{Explanation, explain, highlight};
    #[pymodule_export]
    use super::extractor::{Extractor, extractors};
    #[pymodule_export]
    use super::link_pages::link_pages;
    #[pymodule_export]
    use super::many::{Many, extract_many};
    #[pymodule_export]
    use super::page_records::page_records;
    #[pymodule_export]
    use super::pagerank::pagerank;
    #[pymodule_export]
    use super::segments::{Segment, segment};
    #[pymodule_export]
    use super::similar::{SimilarPairs, bands, fingerprints, needed_hashes};
    #[pymodule_export]
    use super::url_tree::{UrlTree, url_key};
    #[pymodule_export]
    use super::warc::{ArchiveReader, ArchivedPage, read_warc};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        super::extractor::Steps::prepare();
        module.add("PARTS", PyTuple::new(module.py(), webstrata::Part::NAMES)?)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
