//! Pages cut into segments by the density of their text.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use webstrata_corpus::segmentation::{Method, SegmentRecord, Segmenter, SegmentsRecord};

use crate::document::to_python;
use crate::errors::{InternalError, caught, wrong_option};
use crate::input::Input;
use crate::options::{PageOptions, no_such, refuse};

/// A part of a page whose text belongs together: a menu, an article, a footer.
#[pyclass(frozen, module = "webstrata")]
pub(crate) struct Segment(SegmentRecord);

#[pymethods]
impl Segment {
    /// The text, a line for each piece between two tags.
    #[getter]
    fn text(&self) -> &str {
        &self.0.text
    }

    /// Its number on the page, from 0.
    #[getter]
    fn index(&self) -> usize {
        self.0.index
    }

    /// How many pieces of text between two tags it has.
    #[getter]
    fn atoms(&self) -> usize {
        self.0.atoms
    }

    /// The number of the first of them, among all of the page.
    #[getter]
    fn first_atom(&self) -> usize {
        self.0.first_atom
    }

    /// Lines of wrapped text.
    #[getter]
    fn lines(&self) -> u32 {
        self.0.lines
    }

    /// Words that have a letter or digit.
    #[getter]
    fn tokens(&self) -> u32 {
        self.0.tokens
    }

    /// Those in links.
    #[getter]
    fn linked_tokens(&self) -> u32 {
        self.0.linked_tokens
    }

    /// Full stops at the ends of words.
    #[getter]
    fn full_stops(&self) -> u32 {
        self.0.full_stops
    }

    /// Words per line of wrapped text.
    #[getter]
    fn text_density(&self) -> f64 {
        self.0.text_density
    }

    /// The share of words in links.
    #[getter]
    fn link_density(&self) -> f64 {
        self.0.link_density
    }

    /// The segment as data.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.0)
    }

    fn __str__(&self) -> &str {
        &self.0.text
    }

    fn __repr__(&self) -> String {
        let start: String = self.0.text.chars().take(40).collect();
        format!("<webstrata.Segment {} {start:?}>", self.0.index)
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Segment>().is_ok_and(|other| other.get().state() == self.state())
    }

    fn __hash__(&self) -> u64 {
        use std::hash::{DefaultHasher, Hash, Hasher};
        let mut hasher = DefaultHasher::new();
        self.0.text.hash(&mut hasher);
        hasher.finish()
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let restore = py.get_type::<Segment>().getattr("_restore")?;
        Ok((restore, (self.state(),).into_pyobject(py)?))
    }

    #[staticmethod]
    fn _restore(state: State) -> Segment {
        let ((index, first_atom, atoms), (lines, tokens, linked_tokens, full_stops), rest) = state;
        let (text_density, link_density, text) = rest;
        Segment(SegmentRecord {
            index,
            first_atom,
            atoms,
            lines,
            tokens,
            linked_tokens,
            full_stops,
            text_density,
            link_density,
            text,
        })
    }
}

/// A segment in parts, for pickle.
type State = ((usize, usize, usize), (u32, u32, u32, u32), (f64, f64, String));

impl Segment {
    fn state(&self) -> State {
        let SegmentRecord { index, first_atom, atoms, .. } = self.0;
        let SegmentRecord { lines, tokens, linked_tokens, full_stops, .. } = self.0;
        let SegmentRecord { text_density, link_density, ref text, .. } = self.0;
        let counts = (lines, tokens, linked_tokens, full_stops);
        ((index, first_atom, atoms), counts, (text_density, link_density, text.clone()))
    }
}

/// A method by its name.
fn method(written: &str) -> PyResult<Method> {
    let names = Method::ALL.map(|(_, name)| name);
    written.parse().map_err(|_| no_such("method", "method", written, &names))
}

/// Cuts a page into segments by the density of its text, without asking which tags it has (Block Fusion). Every
/// word is in one segment.
///
/// `method` is how: rule-based, plain, smoothed, smoothed-sparse, word-wrap, tag-gap or just-rules. `threshold`
/// says up to which difference of their densities neighbours are fused, as a part of the higher one: 0.6 for
/// rule-based, 0.38 for others, `inf` for no threshold. `width` is the column at which text is wrapped. The other
/// options are those of `extract` that matter for reading a page.
///
/// >>> import webstrata
/// >>> page = '''<ul><li>Home<li>Tides<li>Contact</ul><p>High water is at noon today, the harbour office says,
/// ... and the ferry to the islands leaves an hour earlier than it does on other days.'''
/// >>> menu, text = webstrata.segment(page, method="plain")
/// >>> menu.text.split("\n"), menu.text_density < text.text_density
/// (['Home', 'Tides', 'Contact'], True)
#[pyfunction]
#[pyo3(signature = (page, /, *, method = "rule-based", threshold = None, **options), text_signature = "(page, /, *, method='rule-based', threshold=None, url=None, hidden='drop', charset=None, deadline_ms=None, max_bytes=None, width=None)")]
pub(crate) fn segment(
    py: Python<'_>,
    page: &Bound<'_, PyAny>,
    method: &str,
    threshold: Option<f64>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Vec<Segment>> {
    const NOT: [&str; 6] = ["extractor", "favor", "formats", "links", "images", "keep_page"];
    refuse(options, "segment", &NOT)?;
    let mut segmenter = Segmenter::new(self::method(method)?);
    if let Some(threshold) = threshold {
        // Nor is it no number.
        if !matches!(threshold.partial_cmp(&0.0), Some(order) if order.is_ge()) {
            return Err(wrong_option("threshold: expected a number, 0 or more"));
        }
        segmenter.threshold = threshold;
    }
    let settings = PageOptions::read(options, None, false)?;
    segmenter.width = settings.request.options.width.unwrap_or(segmenter.width);
    let input = Input::of(page)?;
    let options = settings.for_page(&input, None);
    let cut = || {
        let (page, segments) = segmenter.read(input.bytes(), &options);
        SegmentsRecord::new(&page, &segments, &segmenter).segments
    };
    let segments = py.detach(|| caught(cut)).map_err(InternalError::new_err)?;
    Ok(segments.into_iter().map(Segment).collect())
}
