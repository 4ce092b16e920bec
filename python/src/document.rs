//! Documents: what was found in a page.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::OnceLock;

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyString, PyTuple};
use serde::Serialize;
use serde::de::DeserializeOwned;
use webstrata::metadata::{Metadata, Sourced};
use webstrata::output::RecordPart;
use webstrata::{Options, Record};

use crate::blocks::{Block, Link, Post};
use crate::errors::{DataError, InternalError, MissingPart, caught};
use crate::explain::{framed, highlighted};
use crate::input::Input;
use crate::options::PageOptions;

/// What was found in a page.
///
/// What `formats` did not ask for is made when it is first used, all of it at once, from the page, which is kept
/// for that unless `keep_page=False` says otherwise; `extract_many` keeps none unless told so. Documents can be
/// pickled; then they have what they had.
///
/// >>> import webstrata
/// >>> page = '''<title>Tides</title><h1>Tides</h1><p>High water is at noon today, the harbour office
/// ... says, and the <a href="/ferry">ferry</a> leaves an hour earlier than on other days.</p>'''
/// >>> document = webstrata.extract(page, url="https://harbour.example/")
/// >>> document.title, document.text[:21]
/// ('Tides', 'High water is at noon')
/// >>> document.links[0].url
/// 'https://harbour.example/ferry'
/// >>> bool(document), document.limits
/// (True, [])
#[pyclass(frozen, module = "webstrata")]
pub(crate) struct Document {
    record: Record,
    text_language: Option<String>,
    declared_language: Option<String>,
    error: Option<String>,
    kept: Option<Kept>,
    /// What was not asked for, made all the same.
    rest: OnceLock<Result<Record, String>>,
    text: PyOnceLock<Py<PyString>>,
    blocks: PyOnceLock<Py<PyTuple>>,
    links: PyOnceLock<Py<PyTuple>>,
    posts: PyOnceLock<Py<PyTuple>>,
}

/// A page that can be read once more.
struct Kept {
    input: Input,
    settings: PageOptions,
    options: Options,
}

impl Document {
    /// Extracts a page, without Python's lock.
    pub(crate) fn extract(
        py: Python<'_>,
        page: &Bound<'_, PyAny>,
        settings: PageOptions,
    ) -> PyResult<Document> {
        let made = Document::here(py, Input::of(page)?, None, &settings);
        match &made.error {
            Some(message) => Err(InternalError::new_err(message.clone())),
            None => Ok(made),
        }
    }

    /// Extracts a page in this thread, without Python's lock; the page is dropped with it.
    pub(crate) fn here(
        py: Python<'_>,
        input: Input,
        url: Option<&str>,
        settings: &PageOptions,
    ) -> Document {
        let options = settings.for_page(&input, url);
        py.detach(|| Document::made(&input, &options, settings)).keeping(input, options, settings)
    }

    /// Extracts a page in a thread that Python does not know.
    pub(crate) fn of(input: Input, url: Option<&str>, settings: &PageOptions) -> Document {
        let options = settings.for_page(&input, url);
        Document::made(&input, &options, settings).keeping(input, options, settings)
    }

    /// A panic is an empty document that says so.
    fn made(input: &Input, options: &Options, settings: &PageOptions) -> Document {
        let made = caught(|| {
            let page = settings.extract(input.bytes(), options);
            let languages =
                (page.document.text_language().map(str::to_owned), page.document.language.clone());
            (settings.record_of(&page), languages)
        });
        match made {
            Ok((record, languages)) => Document::new(record, languages, None),
            Err(message) => {
                let mut failed = Document::failed(&message);
                failed.record.url.clone_from(&options.url);
                failed
            }
        }
    }

    /// An empty document that says why it is.
    pub(crate) fn failed(message: &str) -> Document {
        let nothing = Record::new(&webstrata::Document::default());
        Document::new(nothing, (None, None), Some(message.to_owned()))
    }

    fn keeping(mut self, input: Input, options: Options, settings: &PageOptions) -> Document {
        if settings.keep_page && self.error.is_none() {
            self.kept = Some(Kept { input, settings: settings.clone(), options });
        }
        self
    }

    /// Of a record, the languages of the text and as declared, and what went wrong.
    fn new(
        record: Record,
        (text_language, declared_language): (Option<String>, Option<String>),
        error: Option<String>,
    ) -> Document {
        Document {
            record,
            text_language,
            declared_language,
            error,
            kept: None,
            rest: OnceLock::new(),
            text: PyOnceLock::new(),
            blocks: PyOnceLock::new(),
            links: PyOnceLock::new(),
            posts: PyOnceLock::new(),
        }
    }

    /// A record that has the part; made now, if need be.
    fn with(&self, py: Python<'_>, part: RecordPart) -> PyResult<&Record> {
        if has(&self.record, part) {
            return Ok(&self.record);
        }
        let Some(kept) = &self.kept else {
            let name = part.name();
            return Err(MissingPart::new_err(format!(
                "{name}: not asked for, and the page was not kept; ask for it with formats=(\"{name}\",) \
                 or keep_page=True"
            )));
        };
        // Two threads may both make it; neither waits for the other, which a forked process could do for ever.
        if self.rest.get().is_none() {
            let all = py.detach(|| kept.all());
            let _ = self.rest.set(all);
        }
        let rest = self.rest.get().expect("just set");
        rest.as_ref().map_err(|message| InternalError::new_err(message.clone()))
    }

    fn metadata_now(&self, py: Python<'_>) -> PyResult<&Metadata> {
        Ok(self.with(py, RecordPart::Metadata)?.metadata.as_ref().expect("see with"))
    }

    fn value(
        &self,
        py: Python<'_>,
        of: impl Fn(&Metadata) -> &Option<Sourced>,
    ) -> PyResult<Option<&str>> {
        Ok(of(self.metadata_now(py)?).as_ref().map(|found| found.value.as_str()))
    }

    pub(crate) fn plain_text(&self) -> &str {
        &self.record.text
    }

    pub(crate) fn json(&self) -> PyResult<String> {
        to_json(&self.record)
    }
}

impl Kept {
    fn all(&self) -> Result<Record, String> {
        caught(|| {
            let page = self.settings.extract(self.input.bytes(), &self.options);
            Record::of(&page, &RecordPart::ALL, &self.settings.request.markup)
        })
    }
}

fn has(record: &Record, part: RecordPart) -> bool {
    match part {
        RecordPart::Blocks => record.blocks.is_some(),
        RecordPart::Metadata => record.metadata.is_some(),
        RecordPart::Links => record.links.is_some(),
        RecordPart::Markdown => record.markdown.is_some(),
        RecordPart::Html => record.html.is_some(),
        RecordPart::Posts => record.posts.is_some(),
    }
}

fn values(found: &[Sourced]) -> Vec<&str> {
    found.iter().map(|one| one.value.as_str()).collect()
}

#[pymethods]
impl Document {
    /// The main text: structured, or one line a block with `text="flat"`. The title is not in it.
    #[getter]
    fn text<'py>(&self, py: Python<'py>) -> Bound<'py, PyString> {
        let made = self.text.get_or_init(py, || PyString::new(py, &self.record.text).unbind());
        made.bind(py).clone()
    }

    /// The main text as Markdown.
    #[getter]
    fn markdown(&self, py: Python<'_>) -> PyResult<&str> {
        Ok(self.with(py, RecordPart::Markdown)?.markdown.as_deref().unwrap_or_default())
    }

    /// The main text as clean HTML.
    #[getter]
    fn html(&self, py: Python<'_>) -> PyResult<&str> {
        Ok(self.with(py, RecordPart::Html)?.html.as_deref().unwrap_or_default())
    }

    /// The title, without the name of the site.
    #[getter]
    fn title(&self) -> Option<&str> {
        self.record.title.as_deref()
    }

    /// The names of the authors.
    #[getter]
    fn authors(&self, py: Python<'_>) -> PyResult<Vec<&str>> {
        Ok(values(&self.metadata_now(py)?.authors))
    }

    /// When the page was published: an ISO 8601 day, day and time, or month.
    #[getter]
    fn date(&self, py: Python<'_>) -> PyResult<Option<&str>> {
        self.value(py, |metadata| &metadata.published)
    }

    /// When the page was changed.
    #[getter]
    fn modified(&self, py: Python<'_>) -> PyResult<Option<&str>> {
        self.value(py, |metadata| &metadata.modified)
    }

    /// The name of the site.
    #[getter]
    fn site(&self, py: Python<'_>) -> PyResult<Option<&str>> {
        self.value(py, |metadata| &metadata.site)
    }

    /// The page in a sentence or two, as it says itself.
    #[getter]
    fn description(&self, py: Python<'_>) -> PyResult<Option<&str>> {
        self.value(py, |metadata| &metadata.description)
    }

    /// The address that the page gives itself.
    #[getter]
    fn canonical(&self, py: Python<'_>) -> PyResult<Option<&str>> {
        self.value(py, |metadata| &metadata.canonical)
    }

    /// The address of the main image.
    #[getter]
    fn image(&self, py: Python<'_>) -> PyResult<Option<&str>> {
        self.value(py, |metadata| &metadata.image)
    }

    /// The licence: its address, or words.
    #[getter]
    fn licence(&self, py: Python<'_>) -> PyResult<Option<&str>> {
        self.value(py, |metadata| &metadata.licence)
    }

    /// Key words.
    #[getter]
    fn tags(&self, py: Python<'_>) -> PyResult<Vec<&str>> {
        Ok(values(&self.metadata_now(py)?.tags))
    }

    /// All that the page says about itself, each value with its source.
    #[getter]
    fn metadata<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, self.metadata_now(py)?)
    }

    /// The language of the main text, where it says enough; else the one that the page declares.
    #[getter]
    fn language(&self) -> Option<&str> {
        self.text_language.as_deref().or(self.record.language.as_deref())
    }

    /// The language that the page declares.
    #[getter]
    fn declared_language(&self) -> Option<&str> {
        self.declared_language.as_deref()
    }

    /// What the page is for: article, forum, product, listing, collection, documentation or service.
    #[getter]
    fn page_type(&self) -> Option<&'static str> {
        self.record.page_type.map(webstrata::PageType::name)
    }

    /// The probability that at least nine tenths of the text are right, where the extractor tells.
    #[getter]
    fn confidence(&self) -> Option<f64> {
        self.record.confidence.map(shortest)
    }

    /// The links of the page, in its order.
    #[getter]
    fn links<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let made = self.links.get_or_try_init(py, || {
            let links = self.with(py, RecordPart::Links)?.links.iter().flatten();
            Ok::<_, PyErr>(PyTuple::new(py, links.map(Link::of).collect::<Vec<_>>())?.unbind())
        });
        Ok(made?.bind(py).clone())
    }

    /// Every piece of the page's text, content or not, in its order.
    #[getter]
    fn blocks<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let made = self.blocks.get_or_try_init(py, || {
            let blocks = self.with(py, RecordPart::Blocks)?.blocks.iter().flatten();
            Ok::<_, PyErr>(PyTuple::new(py, blocks.map(Block::of).collect::<Vec<_>>())?.unbind())
        });
        Ok(made?.bind(py).clone())
    }

    /// The posts of a discussion, or the comments below a text; empty where there are none.
    #[getter]
    fn posts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let made = self.posts.get_or_try_init(py, || {
            let posts = self.with(py, RecordPart::Posts)?.posts.iter().flatten();
            Ok::<_, PyErr>(PyTuple::new(py, posts.map(Post::of).collect::<Vec<_>>())?.unbind())
        });
        Ok(made?.bind(py).clone())
    }

    /// Where the page came from, as given.
    #[getter]
    fn url(&self) -> Option<&str> {
        self.record.url.as_deref()
    }

    /// The encoding that the page was decoded from.
    #[getter]
    fn encoding(&self) -> &str {
        &self.record.encoding
    }

    /// The extractor that found the text; another one than asked for where that found next to nothing.
    #[getter]
    fn extractor(&self) -> &str {
        &self.record.extractor
    }

    /// Words in the main text.
    #[getter]
    fn words(&self) -> u32 {
        self.record.words
    }

    /// Words in all blocks, content or not.
    #[getter]
    fn page_words(&self) -> u32 {
        self.record.page_words
    }

    /// The limits that the page ran into, such as `deadline`; empty for nearly all pages.
    #[getter]
    fn limits(&self) -> Vec<&str> {
        self.record.limits.iter().map(String::as_str).collect()
    }

    /// What went wrong inside webstrata with this page of many, if anything did.
    #[getter]
    fn error(&self) -> Option<&str> {
        self.error.as_deref()
    }

    /// The document as data: the record that the command line writes, with what `formats` asked for.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.record)
    }

    /// The same as a line of JSON.
    fn to_json(&self) -> PyResult<String> {
        self.json()
    }

    /// The page as HTML with its main text marked; nothing in it runs.
    fn highlight(&self, py: Python<'_>) -> PyResult<String> {
        let Some(Kept { input, settings, options }) = &self.kept else {
            return Err(MissingPart::new_err(
                "highlight: the page was not kept; ask for keep_page=True",
            ));
        };
        highlighted(py, settings, input, options)
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<Option<String>> {
        let page = self.kept.is_some().then(|| self.highlight(py)).transpose()?;
        Ok(page.map(|page| framed(&page)))
    }

    fn __str__<'py>(&self, py: Python<'py>) -> Bound<'py, PyString> {
        self.text(py)
    }

    fn __bool__(&self) -> bool {
        !self.record.text.is_empty()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let title = self.record.title.as_deref().map(|title| PyString::new(py, title).repr());
        let title = title.transpose()?.map_or_else(|| "None".to_owned(), |title| title.to_string());
        let Record { words, .. } = self.record;
        Ok(format!("<webstrata.Document title={title} words={words}>"))
    }

    fn __eq__(&self, other: &Document) -> bool {
        other.record == self.record
    }

    fn __hash__(&self) -> u64 {
        hash_of(&self.record.text)
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let restore = py.get_type::<Document>().getattr("_restore")?;
        let languages = (self.text_language.as_deref(), self.declared_language.as_deref());
        let state = (self.json()?, languages, self.error.as_deref());
        Ok((restore, state.into_pyobject(py)?))
    }

    #[staticmethod]
    fn _restore(
        json: &str,
        languages: (Option<String>, Option<String>),
        error: Option<String>,
    ) -> PyResult<Document> {
        Ok(Document::new(from_json(json)?, languages, error))
    }
}

pub(crate) fn hash_of(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// A number as it is written in JSON: the shortest that is the same in 32 bits.
pub(crate) fn shortest(number: f32) -> f64 {
    number.to_string().parse().unwrap_or_else(|_| f64::from(number))
}

pub(crate) fn to_json(data: &impl Serialize) -> PyResult<String> {
    serde_json::to_string(data).map_err(|error| InternalError::new_err(error.to_string()))
}

/// What was pickled.
pub(crate) fn from_json<T: DeserializeOwned>(json: &str) -> PyResult<T> {
    serde_json::from_str(json).map_err(|error| DataError::new_err(format!("a pickle: {error}")))
}

/// Data as Python's dictionaries and lists.
pub(crate) fn to_python<'py>(
    py: Python<'py>,
    data: &impl Serialize,
) -> PyResult<Bound<'py, PyAny>> {
    static LOADS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    LOADS.import(py, "json", "loads")?.call1((to_json(data)?,))
}

/// Reads a page, finds its main text and returns it as a document. Any page gives one: what had to be cut short
/// is in `limits`.
///
/// `page` is str, bytes or anything with a buffer. `url` is where it came from: it makes links absolute.
/// `extractor` is a built-in one (see `extractors()`), the path of a TOML file or an `Extractor`. `favor` says
/// what to do with doubtful text: precision, balanced, recall, or the weight of recall. `formats` says what is made
/// at once: text, markdown, html, metadata, links, blocks, posts. `links` and `images` are for Markdown and HTML.
/// `text` is the shape of plain text: structured, or flat, which is one line a block. `include` and `exclude` name
/// parts of the page to write beside the main text or to leave out, such as comment or caption. `front_matter` begins
/// Markdown with the metadata as YAML. `reasons` says for each block what speaks for and against it.
/// `hidden` says what happens to text that the page hides: drop, keep or mark. `charset` is what the server
/// named. `deadline_ms` is how long all of it may take. `max_bytes` of the page are
/// read, 128 MiB by default. `width` is the column at which text is wrapped to measure its density, 80 by default.
///
/// >>> import webstrata
/// >>> page = '''<h1>An hourly ferry</h1><p>The ferry between the two islands will run every hour from
/// ... Monday on, the harbour office said after a winter of two crossings a day.</p>
/// ... <footer><a href="/imprint">Imprint</a> <a href="/jobs">Jobs</a></footer>'''
/// >>> print(webstrata.extract(page, formats=("markdown",)).markdown.splitlines()[0])
/// # An hourly ferry
/// >>> webstrata.extract(page, include="title", text="structured").text.splitlines()[0]
/// 'An hourly ferry'
/// >>> webstrata.extract(page, favour="recall")
/// Traceback (most recent call last):
/// ...
/// TypeError: unknown option `favour`, did you mean `favor`?
#[pyfunction]
#[pyo3(signature = (page, /, **options), text_signature = "(page, /, *, url=None, extractor='strata', favor='balanced', formats='text', links=False, images=False, text='structured', include=None, exclude=None, front_matter=False, reasons=False, hidden='drop', charset=None, deadline_ms=None, max_bytes=None, width=None, keep_page=True)")]
pub(crate) fn extract(
    py: Python<'_>,
    page: &Bound<'_, PyAny>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Document> {
    Document::extract(py, page, PageOptions::read(options, None, true)?)
}
