//! From pages to a corpus: sources, extraction, filters, deduplication, outputs, as one file.
//!
//! ```
//! use webstrata_corpus::pipeline::Pipeline;
//!
//! let pipeline = Pipeline::from_toml(r#"
//!     sources = ["crawl/"]
//!
//!     [[filter]]
//!     name = "gopher-quality"
//!     min-words = 30
//!
//!     [[deduplicate]]
//!     method = "main-text"
//!
//!     [output]
//!     folder = "corpus"
//!     format = "parquet"
//! "#)?;
//! assert_eq!(pipeline.filters[0].name, "gopher-quality");
//! # Ok::<(), webstrata_base::Error>(())
//! ```

mod counts;
mod duplicates;
mod judging;

use std::path::PathBuf;

use serde::Deserialize;
use webstrata::output::RecordPart;
use webstrata_archive::export::{Compression, Format};
use webstrata_base::Error;
use webstrata_base::quantity::size;

pub use counts::Counts;
pub use duplicates::{Duplicates, Keys, Method, Repeat};
pub use judging::{Judged, Judging, Outcome};

use crate::filters::{self, Filter};
use crate::similarity::NearOptions;

/// A pipeline as its file has it, checked.
#[derive(Debug)]
pub struct Pipeline {
    /// Files, folders and file names with a `*`.
    pub sources: Vec<String>,
    /// How main texts are found.
    pub extract: Extract,
    /// The filters, in order.
    pub filters: Vec<NamedFilter>,
    /// Which pages repeat others, in order.
    pub deduplicate: Vec<Method>,
    /// The memory for what was kept, all methods together.
    pub memory: usize,
    /// Where records go.
    pub output: Output,
}

/// How main texts are found.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Extract {
    /// A built-in extractor.
    pub extractor: String,
    /// What to do with doubtful text, see `webstrata extract --favor`.
    pub favor: Option<String>,
    /// What records have beside their text: metadata, markdown, links, html, posts, blocks.
    pub with: Vec<String>,
}

impl Default for Extract {
    fn default() -> Extract {
        Extract { extractor: "strata".into(), favor: None, with: Vec::new() }
    }
}

impl Extract {
    /// The parts of a record.
    pub fn parts(&self) -> Vec<RecordPart> {
        let named = |name: &String| RecordPart::ALL.into_iter().find(|part| part.name() == name);
        self.with.iter().filter_map(named).collect()
    }
}

/// A filter with its name and parameters.
#[derive(Debug)]
pub struct NamedFilter {
    /// Its name.
    pub name: String,
    /// The parameters that were set.
    pub parameters: toml::Table,
    /// The filter itself.
    pub filter: Box<dyn Filter>,
}

/// Where records go.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// The folder, as it was written.
    pub folder: PathBuf,
    /// How records are written.
    pub format: Format,
    /// The size of a part before compression.
    pub part_size: u64,
}

/// The file as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    sources: Vec<String>,
    #[serde(default)]
    extract: Extract,
    #[serde(default)]
    filter: Vec<toml::Table>,
    #[serde(default)]
    deduplicate: Vec<WrittenMethod>,
    #[serde(default)]
    memory: Option<String>,
    output: WrittenOutput,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct WrittenMethod {
    method: String,
    shingle: Option<usize>,
    bands: Option<usize>,
    rows: Option<usize>,
    threshold: Option<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct WrittenOutput {
    folder: PathBuf,
    #[serde(default)]
    format: Option<String>,
    #[serde(default)]
    part_size: Option<String>,
}

/// The formats by name.
const FORMATS: [(&str, Format); 4] = [
    ("jsonl.zst", Format::Lines(Compression::Zstd)),
    ("jsonl.gz", Format::Lines(Compression::Gzip)),
    ("jsonl", Format::Lines(Compression::None)),
    ("parquet", Format::Parquet),
];

const MEMORY: usize = 1 << 30;
const PART_SIZE: u64 = 256 << 20;

impl Pipeline {
    /// Reads a pipeline.
    ///
    /// # Errors
    ///
    /// One line that says which step is wrong, and what is expected.
    pub fn from_toml(text: &str) -> Result<Pipeline, Error> {
        let written: Written = toml::from_str(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            let line = text[..at.min(text.len())].matches('\n').count() + 1;
            Error::at_line(line, error.message())
        })?;
        if written.sources.is_empty() {
            return Err(Error::new("sources: expected files or folders, such as [\"crawl/\"]"));
        }
        let names = RecordPart::ALL.map(RecordPart::name);
        if let Some(wrong) = written.extract.with.iter().find(|one| !names.contains(&one.as_str()))
        {
            let names = names.join(", ");
            return Err(Error::new(format!("extract: with `{wrong}`: there are {names}")));
        }
        let filters = (1..).zip(written.filter).map(|(number, table)| filter(number, table));
        let methods = (1..).zip(&written.deduplicate).map(|(number, written)| {
            method(written).map_err(|error| Error::new(format!("deduplicate {number}: {error}")))
        });
        Ok(Pipeline {
            filters: filters.collect::<Result<_, _>>()?,
            deduplicate: methods.collect::<Result<_, _>>()?,
            memory: match &written.memory {
                Some(memory) => bytes("memory", memory)? as usize,
                None => MEMORY,
            },
            output: output(&written.output)?,
            sources: written.sources,
            extract: written.extract,
        })
    }
}

fn filter(number: usize, mut parameters: toml::Table) -> Result<NamedFilter, Error> {
    let wrong = |message: String| Error::new(format!("filter {number}: {message}"));
    let name = match parameters.remove("name") {
        Some(toml::Value::String(name)) => name,
        _ => return Err(wrong("expected a `name`; `webstrata corpus filters` shows all".into())),
    };
    let filter = filters::named(&name, &parameters).map_err(wrong)?;
    Ok(NamedFilter { name, parameters, filter })
}

fn method(written: &WrittenMethod) -> Result<Method, Error> {
    let near = NearOptions::default();
    let options = NearOptions::new(
        written.shingle.unwrap_or(near.shingle()),
        written.bands.unwrap_or(near.bands()),
        written.rows.unwrap_or(near.rows()),
        written.threshold.unwrap_or(near.threshold()),
    )?;
    match written.method.as_str() {
        "main-text" => return Ok(Method::MainText(options)),
        "same-text" | "url-key" if options != near => {
            return Err(Error::new("parameters are for the method main-text"));
        }
        "same-text" => return Ok(Method::SameText),
        "url-key" => return Ok(Method::UrlKey),
        _ => {}
    }
    let name = &written.method;
    Err(Error::new(format!("no method `{name}`; there are main-text, same-text, url-key")))
}

fn output(written: &WrittenOutput) -> Result<Output, Error> {
    let name = written.format.as_deref().unwrap_or("jsonl.zst");
    let Some((_, format)) = FORMATS.into_iter().find(|(known, _)| *known == name) else {
        let names = FORMATS.map(|(name, _)| name).join(", ");
        return Err(Error::new(format!("output: no format `{name}`; there are {names}")));
    };
    if !format.is_built() {
        return Err(Error::new(
            "output: this build has no Parquet; build it with the feature `parquet`",
        ));
    }
    let part_size = match &written.part_size {
        Some(size) => bytes("part-size", size)?,
        None => PART_SIZE,
    };
    Ok(Output { folder: written.folder.clone(), format, part_size })
}

fn bytes(name: &str, written: &str) -> Result<u64, Error> {
    match size::parse(written) {
        Ok(0) => Err(Error::new(format!("{name}: expected more than nothing"))),
        Ok(bytes) => Ok(bytes),
        Err(error) => Err(Error::new(format!("{name} `{written}`: {error}"))),
    }
}

#[cfg(test)]
mod tests;
