//! Pages in tables: a column of them in, columns of what was found out.

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use webstrata::{Options, Record};

use crate::columns::{self, Columns};
use crate::errors::{caught, wrong_option};
use crate::options::{PageOptions, text, within};
use crate::tables::{Given, Texts, in_order};

/// More threads than any machine has processors.
const MOST_JOBS: usize = 4096;

/// What was made of a row.
struct Made {
    record: Record,
    text_language: Option<String>,
    json: Option<String>,
    error: Option<String>,
}

/// What is done with a table.
struct Plan {
    html: String,
    url: Option<String>,
    charset: Option<String>,
    keep: Option<Vec<String>>,
    prefix: String,
    jobs: usize,
    settings: PageOptions,
    json: bool,
}

impl Plan {
    fn row(&self, pages: &Texts<'_>, known: &Known<'_>, row: usize) -> Option<Made> {
        let bytes = pages.bytes(row)?;
        let options = known.options(&self.settings.request.options, pages.is_text(), row);
        let made = caught(|| {
            let page = self.settings.extract(bytes, &options);
            let record = self.settings.record_of(&page);
            let text_language = page.document.text_language().map(str::to_owned);
            let json = if self.json { serde_json::to_string(&record).ok() } else { None };
            Made { record, text_language, json, error: None }
        });
        Some(made.unwrap_or_else(|message| Made {
            record: Record::new(&webstrata::Document::default()),
            text_language: None,
            json: None,
            error: Some(message),
        }))
    }

    fn batch(&self, py: Python<'_>, batch: &RecordBatch) -> PyResult<RecordBatch> {
        let pages = Texts::column(batch, &self.html)?;
        let known = Known::of(batch, self)?;
        let rows = batch.num_rows();
        let made = py.detach(|| in_order(rows, self.jobs, |row| self.row(&pages, &known, row)));
        let mut columns = self.kept(batch)?;
        self.found(&made, &mut columns)?;
        columns.batch(rows)
    }

    /// The columns that are passed on.
    fn kept(&self, batch: &RecordBatch) -> PyResult<Columns> {
        let mut columns = Columns::default();
        let schema = batch.schema_ref();
        for name in self.keep.iter().flatten() {
            Texts::column(batch, name).map(drop).or_else(|error| {
                if batch.column_by_name(name).is_some() { Ok(()) } else { Err(error) }
            })?;
        }
        for (field, array) in schema.fields().iter().zip(batch.columns()) {
            let is_kept = match &self.keep {
                Some(keep) => keep.contains(field.name()),
                None => *field.name() != self.html,
            };
            if is_kept {
                columns.pass(field, array.clone());
            }
        }
        Ok(columns)
    }

    fn found(&self, made: &[Option<Made>], columns: &mut Columns) -> PyResult<()> {
        let mut add = |name: &str, array| {
            let name = format!("{}{name}", self.prefix);
            if columns.has(&name) {
                return Err(wrong_option(format!(
                    "the table has a column {name:?} already; pass on others with keep=[…], or give \
                     the new ones a prefix, such as prefix=\"main_\""
                )));
            }
            columns.push(&name, array);
            Ok(())
        };
        let rows = || made.iter().map(Option::as_ref);
        let records = || rows().map(|made| made.map(|made| &made.record));
        add("text", columns::texts(records().map(|record| Some(&*record?.text)))?)?;
        add("title", columns::texts(records().map(|record| record?.title.as_deref()))?)?;
        add("language", columns::texts(records().map(|record| record?.language.as_deref()))?)?;
        add("text_language", columns::texts(rows().map(|made| made?.text_language.as_deref()))?)?;
        let kind = |record: Option<&Record>| Some(record?.page_type?.name());
        add("page_type", columns::texts(records().map(kind))?)?;
        add("confidence", columns::numbers(records().map(|record| record?.confidence)))?;
        add("words", columns::integers(records().map(|record| columns::count(record?.words))))?;
        let page_words = records().map(|record| columns::count(record?.page_words));
        add("page_words", columns::integers(page_words))?;
        add("encoding", columns::texts(records().map(|record| Some(&*record?.encoding)))?)?;
        add("extractor", columns::texts(records().map(|record| Some(&*record?.extractor)))?)?;
        add("limits", columns::lists(records().map(|record| Some(&record?.limits)))?)?;
        add("error", columns::texts(rows().map(|made| made?.error.as_deref()))?)?;
        for part in &self.settings.request.parts {
            add(part.name(), columns::part(*part, records())?)?;
        }
        if self.json {
            add("record", columns::texts(rows().map(|made| made?.json.as_deref()))?)?;
        }
        Ok(())
    }
}

/// What a table knows about its pages.
struct Known<'a> {
    urls: Option<Texts<'a>>,
    charsets: Option<Texts<'a>>,
}

impl<'a> Known<'a> {
    fn of(batch: &'a RecordBatch, plan: &Plan) -> PyResult<Known<'a>> {
        let urls = plan.url.as_deref();
        // The default name need not be there.
        let urls = urls.filter(|name| *name != "url" || batch.column_by_name(name).is_some());
        let column = |name: Option<&str>| name.map(|name| Texts::column(batch, name)).transpose();
        Ok(Known { urls: column(urls)?, charsets: column(plan.charset.as_deref())? })
    }

    fn options(&self, options: &Options, is_text: bool, row: usize) -> Options {
        let mut options = options.clone();
        if let Some(url) = self.urls.as_ref().and_then(|urls| urls.text(row)) {
            options.url = Some(url.to_owned());
        }
        let charset = self.charsets.as_ref().and_then(|charsets| charsets.text(row));
        if let Some(charset) = charset.filter(|label| Options::is_charset(label)) {
            options.charset = Some(charset.to_owned());
        }
        if is_text {
            options.charset = Some("utf-8".to_owned());
        }
        options
    }
}

/// Takes `json` out of the formats: it is a way to write the others.
pub(crate) fn without_json<'py>(
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<(Option<Bound<'py, PyDict>>, bool)> {
    let Some(options) = options else { return Ok((None, false)) };
    let options = options.copy()?;
    let Some(formats) = options.get_item("formats")?.filter(|formats| !formats.is_none()) else {
        return Ok((Some(options), false));
    };
    let names: Vec<String> = match formats.extract::<String>() {
        Ok(name) => vec![name],
        Err(_) => {
            formats.try_iter()?.map(|name| text("formats", &name?)).collect::<PyResult<_>>()?
        }
    };
    let (json, others): (Vec<_>, Vec<_>) = names.into_iter().partition(|name| name == "json");
    options.set_item("formats", PyList::new(options.py(), others)?)?;
    Ok((Some(options), !json.is_empty()))
}

pub(crate) fn jobs(value: Option<&Bound<'_, PyAny>>) -> PyResult<usize> {
    let given = value.filter(|value| !value.is_none());
    given.map_or(Ok(1), |value| within("jobs", value, 1, MOST_JOBS))
}

/// Extracts a column of pages: a table in, a table with a row for each page out.
///
/// `batch` is anything with Arrow's capsule methods: a `RecordBatch`, `Table` or array of pyarrow, a Polars or
/// pandas data frame, a relation of DuckDB. The column `html` has the pages, as binary or string of any kind; they
/// are read where they lie. The column `url` has their addresses, if it is there, and the column `charset`, if
/// named, what servers said. All other columns are passed on, or those that `keep` names. The new ones are text,
/// title, language (of the text or as declared), text_language, page_type, confidence, words, page_words, encoding,
/// extractor, limits and error, with `prefix` before their names, and what `formats` asks for: markdown, html,
/// metadata, links, blocks, posts, and `json`, which is the command line's record in the column `record`. Where there is
/// no page, there is nothing. `jobs` threads work on it; the other options are those of `extract`.
///
/// A batch or array gives a `pyarrow.RecordBatch`, anything else a `pyarrow.Table`; without pyarrow, an object with
/// the capsule methods.
///
/// >>> import pyarrow, webstrata
/// >>> batch = pyarrow.record_batch({"html": ["<p>High water is at noon today.", None], "number": [1, 2]})
/// >>> made = webstrata.extract_batch(batch, extractor="keep-all")
/// >>> made.to_pydict()["text"], made.column_names[:3]
/// (['High water is at noon today.\n', None], ['number', 'text', 'title'])
#[pyfunction]
#[pyo3(signature = (batch, /, *, html = "html", url = Some("url"), charset = None, keep = None, prefix = "", jobs = None, **options), text_signature = "(batch, /, *, html='html', url='url', charset=None, keep=None, prefix='', jobs=1, extractor='strata', favor='balanced', formats='text', links=False, images=False, text='structured', include=None, exclude=None, front_matter=False, reasons=False, hidden='drop', deadline_ms=None, max_bytes=None, width=None)")]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of Python's")]
pub(crate) fn extract_batch<'py>(
    py: Python<'py>,
    batch: &Bound<'py, PyAny>,
    html: &str,
    url: Option<&str>,
    charset: Option<&str>,
    keep: Option<Vec<String>>,
    prefix: &str,
    jobs: Option<&Bound<'py, PyAny>>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let (options, json) = without_json(options)?;
    let plan = Plan {
        html: html.to_owned(),
        url: url.map(str::to_owned),
        charset: charset.map(str::to_owned),
        keep,
        prefix: prefix.to_owned(),
        jobs: self::jobs(jobs)?,
        settings: PageOptions::read(options.as_ref(), None, false)?,
        json,
    };
    let given = Given::of(batch, html)?;
    let made = given.batches.iter().map(|batch| plan.batch(py, batch));
    let made = made.collect::<PyResult<Vec<_>>>()?;
    let schema: SchemaRef = match made.first() {
        Some(batch) => batch.schema(),
        None => plan.batch(py, &RecordBatch::new_empty(given.schema.clone()))?.schema(),
    };
    given.answer(py, made, schema)
}
