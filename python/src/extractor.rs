//! Extractors: built-in ones and people's own.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};
use webstrata::Request;
use webstrata::output::RecordPart;
use webstrata::request::{Field, extractor_named};

use crate::document::{Document, hash_of};
use crate::errors::ExtractorError;
use crate::explain::Explanation;
use crate::many::Many;
use crate::options::{PageOptions, refuse, refused, text};

/// The steps of an extractor, shared by all who use it.
#[derive(Clone)]
pub(crate) struct Steps(Arc<Made>);

struct Made {
    extractor: Arc<webstrata::Extractor>,
    /// What it was made from, so that it can be made again in another process.
    source: Source,
    recall: Option<f64>,
}

#[derive(Clone)]
enum Source {
    BuiltIn,
    Toml { toml: String, models: BTreeMap<String, String> },
}

/// What an extractor was made from.
pub(crate) type Recipe = (String, Option<BTreeMap<String, String>>, Option<f64>);

static BUILT_IN: LazyLock<Vec<Steps>> = LazyLock::new(|| {
    let steps = webstrata::Extractor::builtin().iter().map(|extractor| {
        let (source, recall) = (Source::BuiltIn, None);
        Steps(Arc::new(Made { extractor: Arc::new(extractor.clone()), source, recall }))
    });
    steps.collect()
});

impl Default for Steps {
    fn default() -> Steps {
        BUILT_IN[0].clone()
    }
}

impl Steps {
    /// Makes the built-in extractors and all that they use. Called while the module is imported: a process that is forked while one of
    /// its threads does this would have them half made for ever.
    pub(crate) fn prepare() {
        let page =
            b"<title>Tides</title><p>High water is <a href=/>at noon</a>, the harbour office says.";
        for steps in BUILT_IN.iter() {
            let mut request = Request::default();
            request.parts = RecordPart::ALL.into();
            let page = steps.extractor().extract_page(page, &request.options);
            page.document.text_language();
            request.record_of(&page);
        }
    }

    /// A name, the path of a TOML file, or an [`Extractor`].
    pub(crate) fn of(value: &Bound<'_, PyAny>) -> PyResult<Steps> {
        if let Ok(extractor) = value.cast::<Extractor>() {
            return Ok(extractor.get().steps.clone());
        }
        if value.is_instance_of::<PyString>() {
            let name = text("extractor", value)?;
            return Steps::of_name(&name);
        }
        let path: PathBuf = value.extract().map_err(|_| {
            pyo3::exceptions::PyTypeError::new_err(
                "extractor: expected a name, the path of a TOML file or an Extractor",
            )
        })?;
        Steps::from_file(&path)
    }

    /// A name or the path of a TOML file.
    pub(crate) fn of_name(name: &str) -> PyResult<Steps> {
        let is_path = name.ends_with(".toml") || name.contains(['/', '\\']);
        if is_path { Steps::from_file(Path::new(name)) } else { Steps::named(name) }
    }

    fn named(name: &str) -> PyResult<Steps> {
        let known = extractor_named(name).map_err(|error| refused(&error))?;
        let found = BUILT_IN.iter().find(|steps| steps.0.extractor.name == known.name);
        Ok(found.expect("all of them are here").clone())
    }

    fn from_file(path: &Path) -> PyResult<Steps> {
        let shown = path.display();
        let toml = fs::read_to_string(path)
            .map_err(|error| ExtractorError::new_err(format!("{shown}: {error}")))?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let mut models = BTreeMap::new();
        let read = |name: &str| {
            let model = fs::read_to_string(folder.join(name)).map_err(|error| error.to_string())?;
            models.insert(name.to_owned(), model.clone());
            Ok(model)
        };
        let extractor = webstrata::Extractor::from_toml_with(&toml, read)
            .map_err(|error| located(&shown.to_string(), &error))?;
        Ok(Steps::made(extractor, Source::Toml { toml, models }))
    }

    fn from_toml(toml: String, models: BTreeMap<String, String>) -> PyResult<Steps> {
        let read = |name: &str| {
            let missing = || format!("no such model; give its text as models={{{name:?}: …}}");
            models.get(name).cloned().ok_or_else(missing)
        };
        let extractor = webstrata::Extractor::from_toml_with(&toml, read)
            .map_err(|error| located("the extractor", &error))?;
        Ok(Steps::made(extractor, Source::Toml { toml, models }))
    }

    fn made(extractor: webstrata::Extractor, source: Source) -> Steps {
        Steps(Arc::new(Made { extractor: Arc::new(extractor), source, recall: None }))
    }

    /// The same with the weight of recall that a request for it asks for.
    pub(crate) fn favored_by(self, request: &Request) -> Steps {
        let recall = request.favor();
        if recall.is_none() {
            return self;
        }
        let (extractor, source) = (request.shared_extractor(), self.0.source.clone());
        Steps(Arc::new(Made { extractor, source, recall }))
    }

    /// What makes the same in another process: its name or TOML, its models and the weight of recall.
    pub(crate) fn recipe(&self) -> Recipe {
        let Made { extractor, source, recall } = &*self.0;
        match source {
            Source::BuiltIn => (extractor.name.clone(), None, *recall),
            Source::Toml { toml, models } => (toml.clone(), Some(models.clone()), *recall),
        }
    }

    pub(crate) fn of_recipe((text, models, recall): Recipe) -> PyResult<Steps> {
        let steps = match models {
            Some(models) => Steps::from_toml(text, models)?,
            None => Steps::named(&text)?,
        };
        let Some(recall) = recall else { return Ok(steps) };
        let mut builder = Request::builder();
        builder.extractor(steps.shared());
        let set = builder.set_field(Field::Favor, recall).map(|_| ());
        let request = set.and_then(|()| builder.build()).map_err(|error| refused(&error))?;
        Ok(steps.favored_by(&request))
    }

    pub(crate) fn extractor(&self) -> &webstrata::Extractor {
        &self.0.extractor
    }

    pub(crate) fn shared(&self) -> Arc<webstrata::Extractor> {
        self.0.extractor.clone()
    }
}

/// `my.toml:7: step 2: …`
fn located(name: &str, error: &webstrata::Error) -> PyErr {
    let message = error.message();
    ExtractorError::new_err(match error.line() {
        Some(line) => format!("{name}:{line}: {message}"),
        None => format!("{name}: {message}"),
    })
}

/// A named list of steps that turns a page into its main text.
///
/// `Extractor("article")` is a built-in one, `Extractor.from_toml(text)` and `Extractor.from_file(path)`
/// read one of your own. Extractors can be pickled and used from any number of threads.
///
/// >>> from webstrata import Extractor
/// >>> mine = Extractor.from_toml('''
/// ... name = "mine"
/// ... steps = [{ filter = "classify", model = "num-words" }, { filter = "keep-largest" }]
/// ... ''')
/// >>> mine.name
/// 'mine'
/// >>> mine.extract('''<p>High water is at noon today, the harbour office says in its tables, and the ferry leaves
/// ... an hour earlier.''').words
/// 20
#[pyclass(frozen, module = "webstrata")]
pub(crate) struct Extractor {
    pub(crate) steps: Steps,
}

#[pymethods]
impl Extractor {
    #[new]
    #[pyo3(signature = (name = "strata", **options), text_signature = "(name='strata', *, favor='balanced')")]
    fn new(name: &str, options: Option<&Bound<'_, PyDict>>) -> PyResult<Extractor> {
        let own = Extractor { steps: Steps::named(name)? };
        let only = options.filter(|options| {
            options.keys().iter().any(|key| !key.eq("favor").unwrap_or_default())
        });
        if only.is_some() {
            let message = "Extractor() takes favor only; give other options to extract()";
            return Err(pyo3::exceptions::PyTypeError::new_err(message));
        }
        Ok(Extractor { steps: PageOptions::read(options, Some(&own), false)?.steps })
    }

    /// Reads an extractor from TOML. Models that it names besides the built-in ones are given as texts by their
    /// names.
    #[staticmethod]
    #[pyo3(signature = (toml, *, models = None))]
    fn from_toml(toml: String, models: Option<BTreeMap<String, String>>) -> PyResult<Extractor> {
        Ok(Extractor { steps: Steps::from_toml(toml, models.unwrap_or_default())? })
    }

    /// Reads an extractor from a TOML file; models that it names lie beside it.
    #[staticmethod]
    #[expect(clippy::needless_pass_by_value, reason = "what Python hands over")]
    fn from_file(path: PathBuf) -> PyResult<Extractor> {
        Ok(Extractor { steps: Steps::from_file(&path)? })
    }

    /// What it is called.
    #[getter]
    fn name(&self) -> &str {
        &self.steps.extractor().name
    }

    /// One line on what it is for.
    #[getter]
    fn about(&self) -> &str {
        &self.steps.extractor().about
    }

    /// Where it is described.
    #[getter]
    fn paper(&self) -> &str {
        &self.steps.extractor().paper
    }

    /// Do other pages of a site help it? See `UrlTree`.
    #[getter]
    fn asks_for_site(&self) -> bool {
        self.steps.extractor().asks_for_site()
    }

    /// The extractor as TOML.
    fn to_toml(&self) -> String {
        self.steps.extractor().to_toml()
    }

    /// The main text of a page; the options are those of `webstrata.extract`.
    #[pyo3(signature = (page, /, **options), text_signature = "($self, page, /, *, url=None, favor=None, formats='text', links=False, images=False, text='structured', include=None, exclude=None, front_matter=False, reasons=False, hidden='drop', charset=None, deadline_ms=None, max_bytes=None, width=None, keep_page=True)")]
    fn extract(
        &self,
        py: Python<'_>,
        page: &Bound<'_, PyAny>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Document> {
        Document::extract(py, page, PageOptions::read(options, Some(self), true)?)
    }

    /// Why the main text of a page is what it is; the options are those of `webstrata.explain`.
    #[pyo3(signature = (page, /, **options), text_signature = "($self, page, /, *, url=None, favor=None, formats='text', links=False, images=False, text='structured', include=None, exclude=None, front_matter=False, reasons=False, hidden='drop', charset=None, deadline_ms=None, max_bytes=None, width=None)")]
    fn explain(
        &self,
        py: Python<'_>,
        page: &Bound<'_, PyAny>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Explanation> {
        refuse(options, "explain", &["keep_page"])?;
        Explanation::of(py, page, PageOptions::read(options, Some(self), false)?)
    }

    /// The main texts of many pages; the options are those of `webstrata.extract_many`.
    #[pyo3(signature = (pages, /, *, jobs = None, **options), text_signature = "($self, pages, /, *, jobs=None, favor=None, formats='text', links=False, images=False, text='structured', include=None, exclude=None, front_matter=False, reasons=False, hidden='drop', charset=None, deadline_ms=None, max_bytes=None, width=None, keep_page=False)")]
    fn extract_many(
        &self,
        pages: &Bound<'_, PyAny>,
        jobs: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Many> {
        Many::new(pages, jobs, PageOptions::read(options, Some(self), false)?)
    }

    fn __repr__(&self) -> String {
        format!("<webstrata.Extractor {:?}>", self.steps.extractor().name)
    }

    fn __eq__(&self, other: &Extractor) -> bool {
        other.steps.extractor() == self.steps.extractor()
    }

    fn __hash__(&self) -> u64 {
        hash_of(&self.steps.extractor().name)
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let restore = py.get_type::<Extractor>().getattr("_restore")?;
        Ok((restore, self.steps.recipe().into_pyobject(py)?))
    }

    #[staticmethod]
    fn _restore(
        text: String,
        models: Option<BTreeMap<String, String>>,
        recall: Option<f64>,
    ) -> PyResult<Extractor> {
        Ok(Extractor { steps: Steps::of_recipe((text, models, recall))? })
    }
}

/// The built-in extractors.
///
/// >>> import webstrata
/// >>> [extractor.name for extractor in webstrata.extractors()][:3]
/// ['strata', 'strata-max', 'strata+site']
#[pyfunction]
pub(crate) fn extractors() -> Vec<Extractor> {
    BUILT_IN.iter().map(|steps| Extractor { steps: steps.clone() }).collect()
}
