//! `manifest.json`: what came in, what was done, what was written.

use std::path::Path;

use anyhow::{Context, anyhow};
use serde::Serialize;
use webstrata_archive::export::{Parts, digest};
use webstrata_base::write_whole;
use webstrata_corpus::pipeline::Counts;

use crate::cmd::archives::Archives;

const MANIFEST: &str = "manifest.json";

/// The version of the manifest's shape.
const VERSION: u32 = 1;

/// Nothing in it depends on the time or the machine: the same inputs give the same bytes.
#[derive(Serialize)]
struct Manifest<'a> {
    version: u32,
    program: &'static str,
    /// The pipeline as it was written.
    pipeline: &'a str,
    extractor: String,
    sources: Vec<Source>,
    counts: &'a Counts,
    /// Kept pages that left the memory of the deduplication.
    forgotten: u64,
    parts: Vec<Part>,
}

#[derive(Serialize)]
struct Source {
    file: String,
    bytes: u64,
}

#[derive(Serialize)]
struct Part {
    name: String,
    records: u64,
    bytes: u64,
    digest: String,
}

/// What the manifest tells of a run that is done.
pub(super) struct Done<'a> {
    pub(super) pipeline: &'a str,
    pub(super) extractor: String,
    pub(super) counts: &'a Counts,
    pub(super) forgotten: u64,
    /// The records of each part.
    pub(super) records: &'a [u64],
}

pub(super) fn write(
    folder: &Path,
    done: Done<'_>,
    sources: &Archives,
    parts: &Parts,
) -> anyhow::Result<()> {
    let part = |(number, records): (u32, &u64)| {
        let path = parts.path(number);
        let (digest, bytes) = digest(&path).with_context(|| path.display().to_string())?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Part { name, records: *records, bytes, digest })
    };
    let source = |(path, bytes): (&Path, u64)| {
        let file = path.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/");
        Source { file, bytes }
    };
    let manifest = Manifest {
        version: VERSION,
        program: concat!("webstrata ", env!("CARGO_PKG_VERSION")),
        pipeline: done.pipeline,
        extractor: done.extractor,
        sources: sources.files().map(source).collect(),
        counts: done.counts,
        forgotten: done.forgotten,
        parts: (0..).zip(done.records).map(part).collect::<anyhow::Result<_>>()?,
    };
    let mut bytes = serde_json::to_vec_pretty(&manifest)?;
    bytes.push(b'\n');
    write_whole(&folder.join(MANIFEST), &bytes).map_err(|error| anyhow!("{error}"))
}
