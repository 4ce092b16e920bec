//! What is known of sites: pages read with what their site's other pages say.
//!
//! Pages are read without any lock; only what they leave in the tree is written under one, and nobody waits for it
//! while holding Python's.

mod file;

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use pyo3::exceptions::{PyOSError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString, PyTuple};
use webstrata::{Options, Page, Request};
use webstrata_site::template::SiteExtractor;
use webstrata_site::url_key::{Rules, UrlKey};
use webstrata_site::url_tree::saved::{self, Saved};
use webstrata_site::url_tree::{Bounds, UrlTree as Tree, Visit};

use crate::document::Document;
use crate::errors::{DataError, InternalError, caught, wrong_option};
use crate::extractor::{Extractor, Steps};
use crate::input::Input;
use crate::many::Many;
use crate::options::{PageOptions, address, in_range, refuse};

/// An extractor, and what it knows of sites.
pub(crate) struct Sites {
    extractor: SiteExtractor,
    rules: Rules,
    known: RwLock<Known>,
}

/// A tree, and the pages in it as they were taken in: what it can be made from again.
struct Known {
    tree: Tree,
    visits: BTreeMap<u64, Box<[u8]>>,
}

impl Known {
    /// Takes a page in, once: a page that comes again would make boilerplate of its texts.
    fn insert(&mut self, mut visit: Visit) -> bool {
        if self.tree.view(&visit.key).holds_page() {
            return false;
        }
        let serial = self.tree.insert(&mut visit);
        self.visits.insert(serial, visit.to_bytes().into());
        for left in self.tree.take_evicted() {
            self.visits.remove(&left);
        }
        true
    }
}

impl Sites {
    fn new(steps: &Steps, bounds: Bounds) -> Sites {
        let known = Known { tree: Tree::new(bounds), visits: BTreeMap::new() };
        Sites {
            extractor: SiteExtractor::new(steps.extractor()),
            rules: Rules::default(),
            known: RwLock::new(known),
        }
    }

    fn key(&self, url: &str) -> Option<UrlKey> {
        self.rules.key(url, "")
    }

    /// What is known. Where a panic left a page half counted, the others still are.
    fn known(&self) -> RwLockReadGuard<'_, Known> {
        self.known.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn insert(&self, visit: Visit) -> bool {
        self.known.write().unwrap_or_else(PoisonError::into_inner).insert(visit)
    }

    /// Extracts a page; one without an address by itself.
    pub(crate) fn extract<'a>(
        &self,
        bytes: &'a [u8],
        request: &Request,
        options: &Options,
    ) -> Page<'a> {
        let Some(key) = options.url.as_deref().and_then(|url| self.key(url)) else {
            return request.extract_with(bytes, options);
        };
        let reading = self.extractor.read(bytes, options);
        self.extractor.judge(reading, &key, &self.known().tree, options)
    }
}

/// How often texts stand on a site's pages: what tells an article from the template around it.
///
/// Pages are added with their addresses; then `classify` finds the main text of a page with the help of the other
/// pages of its site. The extractor is one that asks for the site: `strata+site`, `site` or one of your own with a
/// step that does. From five pages of a site on it helps. A tree holds hashes, no texts.
///
/// `documents` of a site are held at most; they leave when they are more than `age` seconds older than the newest
/// of the site, unless they are among the last `least`. `memory` bounds the tree, in bytes; what is kept so that
/// it can be saved comes on top, about as much. Trees can be used from many threads, saved, loaded and pickled. As with any
/// lock of Python's, a process that is forked while another thread uses a tree must not use that tree.
///
/// >>> import webstrata
/// >>> tree = webstrata.UrlTree("site")
/// >>> pages = {"https://example.org/" + word: "<p>Subscribe now!<p>Today's word is %s." % word
/// ...          for word in ("one", "two", "three", "four", "five", "six")}
/// >>> all(tree.add(url, page) for url, page in pages.items())
/// True
/// >>> tree.classify("https://example.org/one", pages["https://example.org/one"]).text
/// "Today's word is one.\n"
/// >>> len(tree), tree.domains, "http://www.example.org/two#top" in tree
/// (6, 1, True)
#[pyclass(frozen, module = "webstrata")]
pub(crate) struct UrlTree {
    steps: Steps,
    bounds: Bounds,
    sites: Arc<Sites>,
}

/// The extractor for those who do not choose.
const DEFAULT: &str = "strata+site";

impl UrlTree {
    fn of(steps: Steps, bounds: Bounds) -> UrlTree {
        let sites = Arc::new(Sites::new(&steps, bounds));
        UrlTree { steps, bounds, sites }
    }

    fn settings(
        &self,
        function: &str,
        options: Option<&Bound<'_, PyDict>>,
        without: &[&str],
    ) -> PyResult<PageOptions> {
        refuse(options, function, without)?;
        if options.is_some_and(|options| options.contains("favor").unwrap_or_default()) {
            let message = "favor belongs to the extractor; give it to UrlTree()";
            return Err(PyTypeError::new_err(message));
        }
        let extractor = Extractor { steps: self.steps.clone() };
        let mut settings = PageOptions::read(options, Some(&extractor), false)?;
        settings.sites = Some(self.sites.clone());
        Ok(settings)
    }

    /// How one page is read, and which page it is.
    fn page(
        &self,
        url: &str,
        page: &Bound<'_, PyAny>,
        settings: &PageOptions,
    ) -> PyResult<(Input, Options, UrlKey)> {
        let Some(key) = self.sites.key(url) else { return Err(no_address(url)) };
        let input = Input::of(page)?;
        let options = settings.for_page(&input, Some(url));
        Ok((input, options, key))
    }
}

fn no_address(url: &str) -> PyErr {
    let shown: String = url.chars().take(80).collect();
    wrong_option(format!(
        "url: {shown:?} is no address of a page, such as https://example.org/tides"
    ))
}

/// Options that reading a page for the tree has no use for.
const NOT_OF_READING: [&str; 6] = ["url", "extractor", "formats", "links", "images", "keep_page"];

#[pymethods]
impl UrlTree {
    #[new]
    #[pyo3(signature = (extractor = None, *, favor = None, documents = 10_000, age = 1_209_600, least = 100, memory = 1 << 30), text_signature = "(extractor='strata+site', *, favor='balanced', documents=10000, age=1209600, least=100, memory=1073741824)")]
    fn new(
        py: Python<'_>,
        extractor: Option<&Bound<'_, PyAny>>,
        favor: Option<&Bound<'_, PyAny>>,
        documents: i64,
        age: i64,
        least: i64,
        memory: i64,
    ) -> PyResult<UrlTree> {
        let options = PyDict::new(py);
        match extractor {
            Some(extractor) => options.set_item("extractor", extractor)?,
            None => options.set_item("extractor", DEFAULT)?,
        }
        options.set_item("favor", favor)?;
        let steps = PageOptions::read(Some(&options), None, false)?.steps;
        if !steps.extractor().asks_for_site() {
            let name = &steps.extractor().name;
            return Err(wrong_option(format!(
                "extractor: {name} does not ask for the site, use strata+site or site"
            )));
        }
        if age < 0 {
            return Err(wrong_option("age: expected a number of seconds, 0 or more"));
        }
        let bounds = Bounds {
            documents: in_range("documents", documents, 1, usize::MAX)?,
            age,
            least: in_range("least", least, 0, usize::MAX)?,
            memory: in_range("memory", memory, 0, usize::MAX)?,
        };
        Ok(UrlTree::of(steps, bounds))
    }

    /// Takes in a page with its address, and says whether it is new: a page that comes again is not counted
    /// again. `time` is when it came, in seconds since 1970. The other options are those of `extract` that matter
    /// for reading a page.
    #[pyo3(signature = (url, page, /, *, time = 0, **options), text_signature = "($self, url, page, /, *, time=0, hidden='drop', charset=None, deadline_ms=None, max_bytes=None, width=None)")]
    fn add(
        &self,
        py: Python<'_>,
        url: &Bound<'_, PyString>,
        page: &Bound<'_, PyAny>,
        time: i64,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<bool> {
        let settings = self.settings("add", options, &NOT_OF_READING)?;
        let (input, options, key) = self.page(&address(url)?, page, &settings)?;
        let sites = &self.sites;
        let work = || {
            let visit = sites.extractor.read(input.bytes(), &options).visit(key, time);
            sites.insert(visit)
        };
        py.detach(|| caught(work)).map_err(InternalError::new_err)
    }

    /// Finds the main text of a page with what is known of its site; the page need not be in the tree. The options
    /// are those of `extract`, but for `extractor` and `favor`. The page is not kept unless `keep_page=True` says
    /// so; what is made later is made with what the tree knows then.
    #[pyo3(signature = (url, page, /, **options), text_signature = "($self, url, page, /, *, formats='text', links=False, images=False, text='structured', include=None, exclude=None, front_matter=False, reasons=False, hidden='drop', charset=None, deadline_ms=None, max_bytes=None, width=None, keep_page=False)")]
    fn classify(
        &self,
        py: Python<'_>,
        url: &Bound<'_, PyString>,
        page: &Bound<'_, PyAny>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Document> {
        let mut settings = self.settings("classify", options, &["url", "extractor"])?;
        let url = address(url)?;
        if self.sites.key(&url).is_none() {
            return Err(no_address(&url));
        }
        settings.request.options.url = Some(url);
        Document::extract(py, page, settings)
    }

    /// Finds the main texts of many pages, pairs of a page and its address, on `jobs` threads; the options are those
    /// of `webstrata.extract_many`, but for `extractor` and `favor`. A page without an address is read by itself.
    #[pyo3(signature = (pages, /, *, jobs = None, **options), text_signature = "($self, pages, /, *, jobs=None, formats='text', links=False, images=False, text='structured', include=None, exclude=None, front_matter=False, reasons=False, hidden='drop', charset=None, deadline_ms=None, max_bytes=None, width=None, keep_page=False)")]
    fn classify_many(
        &self,
        pages: &Bound<'_, PyAny>,
        jobs: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Many> {
        let settings = self.settings("classify_many", options, &["url", "extractor"])?;
        Many::new(pages, jobs, settings)
    }

    /// The texts of a page in its order, each with the number of pages of the site that it stands on, this one
    /// included.
    #[pyo3(signature = (url, page, /, **options), text_signature = "($self, url, page, /, *, hidden='drop', charset=None, deadline_ms=None, max_bytes=None, width=None)")]
    fn texts(
        &self,
        py: Python<'_>,
        url: &Bound<'_, PyString>,
        page: &Bound<'_, PyAny>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Vec<(String, u32)>> {
        let settings = self.settings("texts", options, &NOT_OF_READING)?;
        let (input, options, key) = self.page(&address(url)?, page, &settings)?;
        let Sites { extractor, .. } = &*self.sites;
        let work = || {
            let reading = extractor.read(input.bytes(), &options);
            let site = reading.sighted(&key, &self.sites.known().tree, extractor.heuristic);
            let text = |atom| reading.document().atom_text(atom).to_owned();
            let sightings = site.sightings.iter().enumerate();
            sightings.map(|(atom, sighting)| (text(atom), sighting.pages)).collect()
        };
        py.detach(|| caught(work)).map_err(InternalError::new_err)
    }

    /// The extractor.
    #[getter]
    fn extractor(&self) -> Extractor {
        Extractor { steps: self.steps.clone() }
    }

    /// How many registrable domains it holds pages of.
    #[getter]
    fn domains(&self, py: Python<'_>) -> usize {
        py.detach(|| self.sites.known().tree.domains())
    }

    /// How many bytes are enough for the tree; what `memory` bounds.
    #[getter]
    fn memory(&self, py: Python<'_>) -> usize {
        py.detach(|| self.sites.known().tree.memory())
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        py.detach(|| self.sites.known().tree.len())
    }

    fn __contains__(&self, py: Python<'_>, url: &Bound<'_, PyString>) -> PyResult<bool> {
        let Some(key) = self.sites.key(&address(url)?) else { return Ok(false) };
        Ok(py.detach(|| self.sites.known().tree.view(&key).holds_page()))
    }

    /// Without this, an empty tree would count as false.
    fn __bool__(&self) -> bool {
        true
    }

    /// Writes the tree to a file. Readers see the old file or the new one, never a part.
    #[expect(clippy::needless_pass_by_value, reason = "what Python hands over")]
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| file::write(&path, &self.to_bytes())).map_err(|error| named(&path, &error))
    }

    /// Reads a tree from a file.
    #[staticmethod]
    #[expect(clippy::needless_pass_by_value, reason = "what Python hands over")]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<UrlTree> {
        let bytes = py.detach(|| fs::read(&path)).map_err(|error| named(&path, &error))?;
        UrlTree::from_bytes(py, &bytes, &path.display().to_string())
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let (name, pages) = (&self.steps.extractor().name, self.__len__(py));
        format!("<webstrata.UrlTree {name:?} pages={pages}>")
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let restore = py.get_type::<UrlTree>().getattr("_restore")?;
        let bytes = py.detach(|| self.to_bytes());
        Ok((restore, (PyBytes::new(py, &bytes),).into_pyobject(py)?))
    }

    #[staticmethod]
    fn _restore(py: Python<'_>, bytes: &[u8]) -> PyResult<UrlTree> {
        UrlTree::from_bytes(py, bytes, "a pickled tree")
    }
}

/// An error of a file as Python's own: with the number, and the name.
fn named(path: &Path, error: &io::Error) -> PyErr {
    let written = error.to_string();
    let plain = written.split(" (os error").next().unwrap_or_default();
    match error.raw_os_error() {
        Some(number) => PyOSError::new_err((number, plain.to_owned(), path.to_owned())),
        None => PyOSError::new_err(format!("{}: {written}", path.display())),
    }
}

impl UrlTree {
    fn to_bytes(&self) -> Vec<u8> {
        let known = self.sites.known();
        saved::to_bytes(
            self.steps.recipe(),
            self.bounds,
            known.visits.values().map(|bytes| &**bytes),
        )
    }

    fn from_bytes(py: Python<'_>, bytes: &[u8], name: &str) -> PyResult<UrlTree> {
        let wrong = |why: &str| DataError::new_err(format!("{name}: {why}"));
        let Saved { recipe, bounds, visits } =
            saved::from_bytes(bytes).map_err(|why| wrong(&why))?;
        let steps = Steps::of_recipe(recipe).map_err(|error| wrong(&error.to_string()))?;
        let tree = UrlTree::of(steps, bounds);
        let fill = || {
            let mut known = tree.sites.known.write().unwrap_or_else(PoisonError::into_inner);
            for (serial, visit) in (0..).zip(visits) {
                known.tree.restore(serial, &visit);
                known.visits.insert(serial, visit.to_bytes().into());
            }
        };
        py.detach(|| caught(fill)).map_err(InternalError::new_err)?;
        Ok(tree)
    }
}

/// What of an address names the page: addresses that have the same key are one page. None where it is no address
/// of the Web. The `title` tells apart pages whose addresses differ only in parameters, where a feed gives it.
///
/// >>> import webstrata
/// >>> webstrata.url_key("https://www.example.org/tides/?utm_source=feed#top")
/// 'example.org/tides'
/// >>> print(webstrata.url_key("mailto:harbour@example.org"))
/// None
#[pyfunction]
#[pyo3(signature = (url, /, *, title = ""))]
pub(crate) fn url_key(url: &Bound<'_, PyString>, title: &str) -> PyResult<Option<String>> {
    Ok(Rules::default().key(&address(url)?, title).map(|key| key.as_str().to_owned()))
}
