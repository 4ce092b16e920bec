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
mod output;
mod pieces;
mod rejected;
mod repeated;

use std::path::PathBuf;
use std::sync::Arc;

use serde::Deserialize;
use webstrata::output::RecordPart;
use webstrata::request::{Field, Value};
use webstrata::{Extractor, Request};
use webstrata_archive::Columns;
use webstrata_archive::export::Column;
use webstrata_archive::record::PageRecord;
use webstrata_base::Error;
use webstrata_base::quantity::size;

use output::WrittenOutput;

pub use counts::Counts;
pub use duplicates::{Decision, Duplicates, Keys, Method, Repeat};
pub use judging::{Judged, Judging, NO_PAGE, Outcome};
pub use output::{Output, PageFile, Written};
pub use pieces::pieces;
pub use rejected::Rejected;
pub use repeated::{RepeatedOptions, Unit};

use crate::chunks::{ChunkOptions, Measure};
use crate::filters::{self, Filter};
use crate::similarity::NearOptions;

/// A pipeline as its file has it, checked.
#[derive(Debug)]
pub struct Pipeline {
    /// Files, folders and file names with a `*`.
    pub sources: Vec<String>,
    /// Addresses whose pages are fetched, and files with one on each line.
    pub urls: Vec<String>,
    /// Sitemaps whose addresses are fetched.
    pub sitemaps: Vec<String>,
    /// How they are fetched, as the fetcher has it.
    pub fetch: toml::Table,
    /// Where fetched pages are kept, if any are asked for: web archives, which are sources behind the others.
    pub fetched: Option<PathBuf>,
    /// Which columns of tables hold pages.
    pub columns: Columns,
    /// How main texts are found.
    pub extract: Extract,
    /// The filters, in order.
    pub filters: Vec<NamedFilter>,
    /// Which pages repeat others, in order.
    pub deduplicate: Vec<Method>,
    /// The memory for what was kept, all methods together.
    pub memory: usize,
    /// How texts are cut into pieces, if they are.
    pub chunk: Option<ChunkOptions>,
    /// Where records go.
    pub output: Output,
    /// The pipeline without its sources, as one text: what it does with any page.
    pub steps: String,
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

/// The file as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenPipeline {
    #[serde(default)]
    sources: Vec<String>,
    #[serde(default)]
    urls: Vec<String>,
    #[serde(default)]
    sitemaps: Vec<String>,
    #[serde(default)]
    fetch: toml::Table,
    #[serde(default)]
    columns: Columns,
    #[serde(default)]
    extract: Extract,
    #[serde(default)]
    filter: Vec<toml::Table>,
    #[serde(default)]
    deduplicate: Vec<WrittenMethod>,
    memory: Option<String>,
    chunk: Option<WrittenChunk>,
    output: WrittenOutput,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct WrittenChunk {
    size: usize,
    #[serde(default)]
    overlap: usize,
    measure: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct WrittenMethod {
    method: String,
    shingle: Option<usize>,
    bands: Option<usize>,
    rows: Option<usize>,
    threshold: Option<f64>,
    keep: Option<u8>,
    min_words: Option<u32>,
    min_left: Option<u32>,
}

const MEMORY: usize = 1 << 30;

impl Pipeline {
    /// Reads a pipeline.
    ///
    /// # Errors
    ///
    /// One line that says which step is wrong, and what is expected.
    pub fn from_toml(text: &str) -> Result<Pipeline, Error> {
        let written: WrittenPipeline = toml::from_str(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            let line = text[..at.min(text.len())].matches('\n').count() + 1;
            Error::at_line(line, error.message())
        })?;
        let fetches = !written.urls.is_empty() || !written.sitemaps.is_empty();
        if written.sources.is_empty() && !fetches {
            return Err(Error::new("sources: expected files or folders, such as [\"crawl/\"]"));
        }
        let is_address = |one: &&String| one.starts_with("http://") || one.starts_with("https://");
        if let Some(address) = written.sources.iter().find(is_address) {
            let message =
                format!("sources: {address}: an address; name it in `urls` or `sitemaps`");
            return Err(Error::new(message));
        }
        let mut fetch = written.fetch;
        let folder = fetch.remove("folder");
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
        let methods = methods.collect::<Result<Vec<_>, Error>>()?;
        check_order(&methods)?;
        let output = written.output.read()?;
        let fetched = match folder {
            _ if !fetches => None,
            None => Some(format!("{}-fetched", output.folder.display()).into()),
            Some(toml::Value::String(folder)) => Some(folder.into()),
            Some(_) => return Err(Error::new("fetch: folder: expected the name of a folder")),
        };
        Ok(Pipeline {
            urls: written.urls,
            sitemaps: written.sitemaps,
            fetch,
            fetched,
            columns: written.columns,
            filters: filters.collect::<Result<_, _>>()?,
            deduplicate: methods,
            memory: match &written.memory {
                Some(memory) => bytes("memory", memory)? as usize,
                None => MEMORY,
            },
            chunk: written.chunk.as_ref().map(chunk).transpose()?,
            output,
            steps: steps(text),
            sources: written.sources,
            extract: written.extract,
        })
    }
}

/// The file without its sources, how they are fetched, and without its comments.
fn steps(text: &str) -> String {
    let mut table: toml::Table = text.parse().unwrap_or_default();
    for key in ["sources", "urls", "sitemaps", "fetch"] {
        table.remove(key);
    }
    table.to_string()
}

impl Pipeline {
    /// What is asked of pages. `extractor` is the one that the pipeline names.
    ///
    /// # Errors
    ///
    /// One line that says what is wrong with the extraction.
    pub fn request(&self, extractor: Arc<Extractor>) -> Result<Request, Error> {
        if extractor.asks_for_site() {
            return Err(Error::new(format!(
                "extract: {name} needs all pages of a site first; run `webstrata warc --extractor {name}`, and name its parts as sources",
                name = extractor.name
            )));
        }
        let mut builder = Request::builder();
        builder.extractor(extractor);
        if let Some(favor) = &self.extract.favor {
            let set = builder.set_field(Field::Favor, Value::Written(favor));
            set.map_err(|error| Error::new(format!("extract: favor: {}", error.message())))?;
        }
        let built = builder.build();
        let mut request =
            built.map_err(|error| Error::new(format!("extract: {}", error.message())))?;
        request.parts = self.asked();
        Ok(request)
    }

    /// What is asked of pages: what records shall have, and what outputs and steps need of them.
    pub fn asked(&self) -> Vec<RecordPart> {
        let mut parts = self.extract.parts();
        parts.extend(self.output.parts());
        // Only Markdown says which lines are headings.
        parts.extend(self.chunk.map(|_| RecordPart::Markdown));
        parts.sort_by_key(|part| *part as u8);
        parts.dedup();
        parts
    }

    /// The columns of a table of its records.
    pub fn columns(&self) -> Vec<Column<PageRecord>> {
        let mut columns = PageRecord::columns_with(&self.extract.parts());
        columns.extend(self.chunk.map(|_| PageRecord::CHUNK_COLUMN));
        columns
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
    let name = written.method.as_str();
    let is_near = [written.shingle, written.bands, written.rows].iter().any(Option::is_some)
        || written.threshold.is_some();
    let is_repeated =
        written.keep.is_some() || [written.min_words, written.min_left].iter().any(Option::is_some);
    let wrong = |message: &str| Err(Error::new(message));
    if is_near && name != "main-text" {
        return wrong("shingle, bands, rows and threshold are for the method main-text");
    }
    if is_repeated && !name.starts_with("repeated-") {
        return wrong(
            "keep, min-words and min-left are for repeated-lines and repeated-paragraphs",
        );
    }
    let repeated = |unit| {
        let default = RepeatedOptions::new(unit);
        let options = RepeatedOptions {
            unit,
            keep: written.keep.unwrap_or(default.keep),
            min_words: written.min_words.unwrap_or(default.min_words),
            min_left: written.min_left.unwrap_or(default.min_left),
        };
        options.check().map(Method::Repeated)
    };
    match name {
        "main-text" => {
            let near = NearOptions::default();
            let options = NearOptions::new(
                written.shingle.unwrap_or(near.shingle()),
                written.bands.unwrap_or(near.bands()),
                written.rows.unwrap_or(near.rows()),
                written.threshold.unwrap_or(near.threshold()),
            )?;
            Ok(Method::MainText(options))
        }
        "same-text" => Ok(Method::SameText),
        "url-key" => Ok(Method::UrlKey),
        "repeated-lines" => repeated(Unit::Line),
        "repeated-paragraphs" => repeated(Unit::Paragraph),
        _ => Err(Error::new(format!(
            "no method `{name}`; there are main-text, same-text, url-key, repeated-lines, repeated-paragraphs"
        ))),
    }
}

/// Texts are compared as they are written.
fn check_order(methods: &[Method]) -> Result<(), Error> {
    let mut seen = methods.iter().skip_while(|method| !method.compares_texts());
    match seen.find(|method| matches!(method, Method::Repeated(_))) {
        None => Ok(()),
        Some(method) => Err(Error::new(format!(
            "deduplicate: {} must come before main-text and same-text: texts are compared as they are written",
            method.name()
        ))),
    }
}

fn chunk(written: &WrittenChunk) -> Result<ChunkOptions, Error> {
    let name = written.measure.as_deref().unwrap_or("words");
    let Some((measure, _)) = Measure::ALL.into_iter().find(|(_, known)| *known == name) else {
        let names = Measure::ALL.map(|(_, name)| name).join(", ");
        return Err(Error::new(format!("chunk: no measure `{name}`; there are {names}")));
    };
    ChunkOptions::new(measure, written.size, written.overlap)
        .map_err(|error| Error::new(format!("chunk: {error}")))
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
