//! Which of many texts repeat others.

use std::thread;

use pyo3::exceptions::{PyIndexError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use webstrata_corpus::similarity::{
    Decision, Fingerprint, Index, Part, SimilarityOptions, Sketch, Tally,
};

use crate::document::Document;
use crate::errors::{InternalError, caught, wrong_option};
use crate::input::Input;
use crate::many::{is_one_page, jobs_of};
use crate::options::{PageOptions, in_range, no_such, refuse};

/// Texts that are taken from Python at once.
const WINDOW: usize = 1024;

/// Bytes of them, but for the last one.
const WINDOW_BYTES: usize = 256 << 20;

/// Which of many texts repeat earlier ones.
///
/// Texts are known by their positions: 0 is the first. What is a duplicate is similar to a text that is kept, never
/// only to another duplicate.
#[pyclass(frozen, module = "webstrata")]
pub(crate) struct Duplicates {
    /// For each text, the kept one that it repeats, and how similar they are.
    of: Vec<Option<(usize, f64)>>,
    without_text: Vec<usize>,
    tally: Tally,
}

#[pymethods]
impl Duplicates {
    /// The positions of the texts to keep, ascending.
    #[getter]
    fn kept(&self) -> Vec<usize> {
        (0..self.of.len()).filter(|at| self.of[*at].is_none()).collect()
    }

    /// The positions of the texts that repeat others, ascending.
    #[getter]
    fn duplicates(&self) -> Vec<usize> {
        (0..self.of.len()).filter(|at| self.of[*at].is_some()).collect()
    }

    /// For each text, the position of the kept one that it repeats, or None.
    #[getter]
    fn duplicate_of(&self) -> Vec<Option<usize>> {
        self.of.iter().map(|of| of.map(|(of, _)| of)).collect()
    }

    /// For each text, how similar it is to that one: the share of min-hashes that both have; or None.
    #[getter]
    fn similarity(&self) -> Vec<Option<f64>> {
        self.of.iter().map(|of| of.map(|(_, similarity)| similarity)).collect()
    }

    /// The texts that belong together: of each group the one that is kept, and those that repeat it.
    #[getter]
    fn groups(&self) -> Vec<Vec<usize>> {
        let mut groups: Vec<Vec<usize>> = vec![Vec::new(); self.of.len()];
        for (at, of) in self.of.iter().enumerate() {
            if let Some((of, _)) = of {
                groups[*of].push(at);
            }
        }
        let found = groups.into_iter().enumerate().filter(|(_, group)| !group.is_empty());
        found.map(|(kept, group)| [&[kept], group.as_slice()].concat()).collect()
    }

    /// The positions of texts without a word; they are kept.
    #[getter]
    fn without_text(&self) -> &[usize] {
        &self.without_text
    }

    /// How many kept texts were forgotten because `memory` was full; later duplicates of them were kept.
    #[getter]
    fn forgotten(&self) -> u64 {
        self.tally.forgotten
    }

    /// How many texts share a part with more than 4,000 others, of which only the latest were compared.
    #[getter]
    fn cut(&self) -> u64 {
        self.tally.cut
    }

    /// Does the text at a position repeat another one?
    fn is_duplicate(&self, position: isize) -> PyResult<bool> {
        let wrong = || PyIndexError::new_err(format!("no text {position} of {}", self.of.len()));
        let found = usize::try_from(position).ok().and_then(|position| self.of.get(position));
        found.map(Option::is_some).ok_or_else(wrong)
    }

    fn __len__(&self) -> usize {
        self.of.len()
    }

    fn __repr__(&self) -> String {
        let (kept, duplicates) = (self.kept().len(), self.duplicates().len());
        format!("<webstrata.Duplicates kept={kept} duplicates={duplicates}>")
    }
}

/// A text as Python has it.
enum Item {
    Text(Input),
    Document(Py<Document>),
    Page(Input),
}

impl Item {
    fn size(&self) -> usize {
        match self {
            Item::Text(text) | Item::Page(text) => text.bytes().len(),
            // It is held by whoever handed it over.
            Item::Document(_) => 0,
        }
    }
}

/// How texts become fingerprints.
struct Work {
    sketch: Sketch,
    part: Option<Part>,
    settings: PageOptions,
}

impl Work {
    fn item(&self, item: &Bound<'_, PyAny>) -> PyResult<Item> {
        if self.part.is_some() {
            return Input::of(item).map(Item::Page);
        }
        if let Ok(document) = item.cast::<Document>() {
            return Ok(Item::Document(document.clone().unbind()));
        }
        if item.is_instance_of::<PyString>() {
            return Input::of(item).map(Item::Text);
        }
        let name = item.get_type().name()?;
        Err(PyTypeError::new_err(format!(
            "expected texts as str, or documents, not {name}; for pages, say method=\"rule-based\""
        )))
    }

    fn fingerprint(&self, item: &Item) -> Option<Fingerprint> {
        match (item, &self.part) {
            (Item::Page(page), Some(part)) => {
                part.fingerprint(page.bytes(), &self.settings.for_page(page, None), &self.sketch)
            }
            (Item::Document(document), _) => self.sketch.text(document.get().plain_text()),
            (Item::Text(text) | Item::Page(text), _) => {
                self.sketch.text(&String::from_utf8_lossy(text.bytes()))
            }
        }
    }

    /// The fingerprints of some texts, in their order. One that meets a mistake of ours has none: it is kept.
    fn fingerprints(
        &self,
        items: &[Item],
        jobs: usize,
    ) -> Result<Vec<Option<Fingerprint>>, String> {
        let work = |items: &[Item]| {
            let print = |item| caught(|| self.fingerprint(item)).unwrap_or_default();
            Ok(items.iter().map(print).collect::<Vec<_>>())
        };
        let share = items.len().div_ceil(jobs).max(1);
        if share >= items.len() {
            return work(items);
        }
        let parts = thread::scope(|scope| {
            let work = &work;
            let spawn = |items| thread::Builder::new().spawn_scoped(scope, move || work(items));
            // Where there is no thread to be had, the work is done here.
            let threads: Vec<_> = items.chunks(share).map(|items| (items, spawn(items))).collect();
            let join = |(items, thread): (&[Item], std::io::Result<_>)| match thread {
                Ok(thread) => thread::ScopedJoinHandle::join(thread)
                    .unwrap_or_else(|_| Err("a thread has failed".into())),
                Err(_) => work(items),
            };
            threads.into_iter().map(join).collect::<Result<Vec<_>, String>>()
        })?;
        Ok(parts.into_iter().flatten().collect())
    }
}

fn part(written: &str, width: Option<u32>) -> PyResult<Part> {
    let Some((mut part, _)) = Part::all().find(|(_, name)| *name == written) else {
        let names: Vec<&str> = Part::all().map(|(_, name)| name).collect();
        return Err(no_such("method", "method", written, &names));
    };
    if let (Part::Largest(segmenter), Some(width)) = (&mut part, width) {
        segmenter.width = width;
    }
    Ok(part)
}

/// Finds texts that repeat others, nearly or word by word, without comparing each with each.
///
/// `texts` are str or documents of `extract`, in any number; the earliest of several similar ones is kept. Where
/// `method` is given, they are pages instead (str, bytes), and the largest part of each that is not links is
/// compared, as `webstrata dedup` does: rule-based, fulltext, plain and the other methods of `segment`; then
/// `hidden`, `charset`, `deadline_ms`, `max_bytes` and `width` say how they are read.
///
/// Texts are sets of runs of `shingle` words. Two of them are duplicates if at least `threshold` of their `hashes`
/// min-hashes agree, which estimates the part of the runs that both have. The default of 8 is coarse; where
/// duplicates are thrown away, 64 are better. `memory` is for the texts that are kept, in bytes.
///
/// >>> import webstrata
/// >>> tides = "High water comes half an hour later than the printed table of the harbour says."
/// >>> ferry = "The ferry between the two islands will run every hour from Monday on."
/// >>> found = webstrata.dedup([tides, ferry, tides.upper()])
/// >>> found.kept, found.groups
/// ([0, 1], [[0, 2]])
#[pyfunction]
#[pyo3(signature = (texts, /, *, threshold = 0.5, hashes = 8, shingle = 6, method = None, memory = 1 << 30, jobs = None, **options), text_signature = "(texts, /, *, threshold=0.5, hashes=8, shingle=6, method=None, memory=1073741824, jobs=None, hidden='drop', charset=None, deadline_ms=None, max_bytes=None, width=None)")]
#[expect(clippy::too_many_arguments, reason = "they are keywords")]
pub(crate) fn dedup(
    py: Python<'_>,
    texts: &Bound<'_, PyAny>,
    threshold: f64,
    hashes: i64,
    shingle: i64,
    method: Option<&str>,
    memory: i64,
    jobs: Option<&Bound<'_, PyAny>>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Duplicates> {
    const NOT: [&str; 7] = ["url", "extractor", "favor", "formats", "links", "images", "keep_page"];
    refuse(options, "dedup", &NOT)?;
    let settings = PageOptions::read(options, None, false)?;
    if method.is_none() && options.is_some_and(|options| !options.is_empty()) {
        let message = "options for reading pages need pages: say method=\"rule-based\"";
        return Err(PyTypeError::new_err(message));
    }
    let (hashes, shingle) =
        (in_range("hashes", hashes, 1, 1024)?, in_range("shingle", shingle, 1, 100)?);
    let memory = in_range("memory", memory, 0, usize::MAX)?;
    let likeness = likeness(shingle, hashes, threshold)?;
    let part = method.map(|method| part(method, settings.request.options.width)).transpose()?;
    let jobs = jobs_of(jobs)?;
    let work = Work { sketch: Sketch::new(likeness), part, settings };
    let mut index = Index::new(likeness, memory);
    let mut found =
        Duplicates { of: Vec::new(), without_text: Vec::new(), tally: Tally::default() };
    if is_one_page(texts) {
        return Err(PyTypeError::new_err("this is one text; pass [text]"));
    }
    let mut texts = texts.try_iter()?;
    loop {
        py.check_signals()?;
        let (mut items, mut bytes) = (Vec::new(), 0);
        while items.len() < WINDOW && bytes < WINDOW_BYTES {
            let Some(item) = texts.next() else { break };
            let item = work.item(&item?)?;
            bytes += item.size();
            items.push(item);
        }
        if items.is_empty() {
            break;
        }
        let decided = py.detach(|| {
            let prints = work.fingerprints(&items, jobs)?;
            caught(|| {
                prints.iter().for_each(|print| found.decide(&mut index, print.as_ref()));
            })
        });
        decided.map_err(InternalError::new_err)?;
    }
    found.tally = index.tally();
    Ok(found)
}

/// The settings, with the names that they have here.
fn likeness(shingle: usize, hashes: usize, threshold: f64) -> PyResult<SimilarityOptions> {
    SimilarityOptions::new(shingle, hashes, threshold)
        .map_err(|error| wrong_option(error.to_string().replace("share", "threshold")))
}

impl Duplicates {
    fn decide(&mut self, index: &mut Index, print: Option<&Fingerprint>) {
        let at = self.of.len();
        let of = match print.map(|print| index.add(&at.to_string(), print)) {
            Some(Decision::Duplicate { of, similarity }) => {
                of.parse().ok().map(|of| (of, similarity))
            }
            Some(Decision::Kept) => None,
            None => {
                self.without_text.push(at);
                None
            }
        };
        self.of.push(of);
    }
}
