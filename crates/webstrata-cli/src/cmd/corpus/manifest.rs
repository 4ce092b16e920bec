//! `manifest.json`: what came in, what was done, what was written.

use std::path::{Path, PathBuf};

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
pub(super) struct Manifest<'a> {
    version: u32,
    pub(super) program: &'static str,
    /// The pipeline as it was written.
    pub(super) pipeline: &'a str,
    pub(super) extractor: &'a str,
    pub(super) sources: Vec<Source>,
    pub(super) counts: &'a Counts,
    /// Kept pages that left the memory of the deduplication.
    forgotten: u64,
    pub(super) parts: Vec<Part>,
}

#[derive(Serialize)]
pub(super) struct Source {
    pub(super) file: String,
    pub(super) bytes: u64,
}

#[derive(Serialize)]
pub(super) struct Part {
    name: String,
    pub(super) records: u64,
    pub(super) bytes: u64,
    digest: String,
}

/// What the manifest tells of a run that is done.
pub(super) struct Done<'a> {
    pub(super) pipeline: &'a str,
    pub(super) extractor: &'a str,
    pub(super) counts: &'a Counts,
    pub(super) forgotten: u64,
    /// The records of each part.
    pub(super) records: &'a [u64],
}

/// Writes it, and returns what it says.
pub(super) fn write<'a>(
    folder: &Path,
    done: &Done<'a>,
    sources: &Archives,
    parts: &Parts,
) -> anyhow::Result<Manifest<'a>> {
    let part = |(path, records): (PathBuf, &u64)| {
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
        parts: parts.paths().zip(done.records).map(part).collect::<anyhow::Result<_>>()?,
    };
    let mut bytes = serde_json::to_vec_pretty(&manifest)?;
    bytes.push(b'\n');
    write_whole(&folder.join(MANIFEST), &bytes).map_err(|error| anyhow!("{error}"))?;
    Ok(manifest)
}
