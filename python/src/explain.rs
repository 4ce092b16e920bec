//! What became of a page, block by block and step by step, and the page with its main text marked.

use std::fmt::Write;

use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;
use webstrata::{Options, Page, output};

use crate::document::to_python;
use crate::errors::{InternalError, caught};
use crate::input::Input;
use crate::options::{PageOptions, refuse};

/// The characters of a block that a row of a table shows.
const SHOWN: usize = 60;

/// Why the main text of a page is what it is: every block with the step that decided about it, and what each step
/// of the extractor did.
///
/// `print(explanation)` is a table, a row for each block: `+` if it is in the main text, its number, its words, the
/// share of them in links, the step that decided, its text. In notebooks it is the page with its main text marked.
/// `explanation["blocks"]` is the same as `explanation.blocks`, and `dict(explanation)` is all of it.
///
/// >>> import webstrata
/// >>> page = "<p>Home<p>High water is at noon today, the harbour office says."
/// >>> explanation = webstrata.explain(page, extractor="min-words")
/// >>> [(block["text"][:10], block["content"]) for block in explanation.blocks]
/// [('Home', False), ('High water', True)]
/// >>> explanation.blocks[0]["decided_by"]["filter"]
/// 'drop-short'
#[pyclass(frozen, module = "webstrata")]
pub(crate) struct Explanation {
    made: output::Explanation,
    input: Input,
    settings: PageOptions,
    options: Options,
    data: PyOnceLock<Py<PyAny>>,
}

impl Explanation {
    /// Explains a page, without Python's lock.
    pub(crate) fn of(
        py: Python<'_>,
        page: &Bound<'_, PyAny>,
        settings: PageOptions,
    ) -> PyResult<Explanation> {
        let input = Input::of(page)?;
        let options = settings.for_page(&input, None);
        let made = py.detach(|| caught(|| explained(&settings, input.bytes(), &options)));
        let made = made.map_err(InternalError::new_err)?;
        Ok(Explanation { made, input, settings, options, data: PyOnceLock::new() })
    }

    fn data<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let made = || Ok::<_, PyErr>(to_python(py, &self.made)?.unbind());
        Ok(self.data.get_or_try_init(py, made)?.bind(py).cast::<PyDict>()?.clone())
    }

    fn item<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        self.data(py)?.get_item(name)?.ok_or_else(|| PyKeyError::new_err(name.to_owned()))
    }
}

/// What is explained is what `extract` does, so that the extractor that it falls back to counts.
fn explained(settings: &PageOptions, bytes: &[u8], options: &Options) -> output::Explanation {
    let mut page = settings.extract(bytes, options);
    let used = settings.request.applied_to(&page.document);
    page.cut_again(used.cutting, options);
    settings.request.explain_by(page, used)
}

#[pymethods]
impl Explanation {
    /// The page as it is extracted: what `Document.to_dict` gives.
    #[getter]
    fn record<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.item(py, "record")
    }

    /// Every block in the order of the page, as data: what `Block.to_dict` gives, its number and `decided_by`, the
    /// last step that kept or dropped it.
    #[getter]
    fn blocks<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.item(py, "blocks")
    }

    /// The steps of the extractor, each with the numbers of the blocks that it kept, dropped and removed.
    #[getter]
    fn steps<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.item(py, "steps")
    }

    /// The extractor whose steps these are; another one than asked for where that found next to nothing.
    #[getter]
    fn extractor(&self) -> &str {
        &self.made.record.extractor
    }

    /// The main text.
    #[getter]
    fn text(&self) -> &str {
        &self.made.record.text
    }

    /// The explanation as data: what `webstrata explain --json` writes.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.made)
    }

    /// The same as a line of JSON.
    fn to_json(&self) -> PyResult<String> {
        serde_json::to_string(&self.made).map_err(|error| InternalError::new_err(error.to_string()))
    }

    /// The page as HTML with its main text marked; nothing in it runs.
    fn highlight(&self, py: Python<'_>) -> PyResult<String> {
        highlighted(py, &self.settings, &self.input, &self.options)
    }

    /// The names of the parts.
    fn keys<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.data(py)?.call_method0("keys")
    }

    fn __getitem__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        self.item(py, name)
    }

    fn __str__(&self) -> String {
        let mut table = String::new();
        for explained in &self.made.blocks {
            let block = &explained.block;
            let mark = if block.content { '+' } else { ' ' };
            let filter = explained.decided_by.map_or("", |decision| decision.filter);
            let (number, words, links) = (explained.index, block.counts.words, block.link_density);
            let text: String = block.text.chars().take(SHOWN).collect();
            // Writing to a text does not fail.
            let _ = writeln!(table, "{mark} {number:>4} {words:>5} {links:.2} {filter:<20} {text}");
        }
        table
    }

    fn __repr__(&self) -> String {
        let output::Explanation { blocks, steps, .. } = &self.made;
        let (blocks, steps) = (blocks.len(), steps.len());
        format!("<webstrata.Explanation blocks={blocks} steps={steps}>")
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        Ok(framed(&self.highlight(py)?))
    }
}

/// The page, read once more, with its main text marked.
pub(crate) fn highlighted(
    py: Python<'_>,
    settings: &PageOptions,
    input: &Input,
    options: &Options,
) -> PyResult<String> {
    let highlight = || {
        let Page { document, tree } = settings.extract(input.bytes(), options);
        output::highlight(&document, &tree)
    };
    py.detach(|| caught(highlight)).map_err(InternalError::new_err)
}

/// A page inside another one, such as a notebook: it runs nothing and loads nothing.
pub(crate) fn framed(page: &str) -> String {
    const ALONE: &str = "<meta http-equiv=\"Content-Security-Policy\" \
        content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">";
    const DOCTYPE: &str = "<!doctype html>\n";
    let page = page.trim_start_matches('\u{feff}');
    let page = page.strip_prefix(DOCTYPE).unwrap_or(page);
    let page = format!("{DOCTYPE}{ALONE}{page}").replace('&', "&amp;").replace('"', "&quot;");
    let style = "width:100%;height:30em;border:1px solid #ccc;background:#fff";
    format!("<iframe sandbox style=\"{style}\" srcdoc=\"{page}\"></iframe>")
}

/// Says why the main text of a page is what it is. The options are those of `extract`; what `formats` asks for
/// is in the record.
///
/// >>> import webstrata
/// >>> page = "<p>Home<p>High water is at noon today, the harbour office says."
/// >>> print("-\n" + str(webstrata.explain(page, extractor="min-words")), end="")
/// -
///      0     1 0.00 drop-short           Home
/// +    1    10 0.00 keep-all             High water is at noon today, the harbour office says.
#[pyfunction]
#[pyo3(signature = (page, /, **options), text_signature = "(page, /, *, url=None, extractor='strata', favor='balanced', formats='text', links=False, images=False, text='structured', include=None, exclude=None, front_matter=False, reasons=False, hidden='drop', charset=None, deadline_ms=None, max_bytes=None, width=None)")]
pub(crate) fn explain(
    py: Python<'_>,
    page: &Bound<'_, PyAny>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Explanation> {
    refuse(options, "explain", &["keep_page"])?;
    Explanation::of(py, page, PageOptions::read(options, None, false)?)
}

/// Options that a page with marks has no use for.
pub(crate) const NOT_OF_HIGHLIGHT: [&str; 4] = ["formats", "links", "images", "keep_page"];

/// Writes a page as HTML with its main text marked. Nothing in it runs: scripts, event handlers and embedded
/// pages are left out.
///
/// >>> import webstrata
/// >>> page = "<p>Home<p onclick=x()>High water is at noon today, the harbour office says."
/// >>> '<p><mark class="webstrata-content">High' in webstrata.highlight(page, extractor="min-words")
/// True
#[pyfunction]
#[pyo3(signature = (page, /, **options), text_signature = "(page, /, *, url=None, extractor='strata', favor='balanced', hidden='drop', charset=None, deadline_ms=None, max_bytes=None, width=None)")]
pub(crate) fn highlight(
    py: Python<'_>,
    page: &Bound<'_, PyAny>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<String> {
    refuse(options, "highlight", &NOT_OF_HIGHLIGHT)?;
    let settings = PageOptions::read(options, None, false)?;
    let input = Input::of(page)?;
    let options = settings.for_page(&input, None);
    highlighted(py, &settings, &input, &options)
}
