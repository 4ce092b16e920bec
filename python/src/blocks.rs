//! The pieces of a document: blocks, links and posts.

use pyo3::prelude::*;
use pyo3::types::PyString;
use webstrata::output::BlockRecord;

use crate::document::{from_json, hash_of, shortest, to_json, to_python};

/// One piece of a page's text and what became of it.
#[pyclass(frozen, module = "webstrata")]
pub(crate) struct Block(BlockRecord);

impl Block {
    pub(crate) fn of(block: &BlockRecord) -> Block {
        Block(block.clone())
    }
}

/// See `Block.label`.
pub(crate) fn label(block: &BlockRecord) -> &'static str {
    use webstrata::Class::{Boilerplate, Content};
    block.class.unwrap_or(if block.content { Content } else { Boilerplate }).name()
}

#[pymethods]
impl Block {
    /// The text, whitespace collapsed.
    #[getter]
    fn text(&self) -> &str {
        &self.0.text
    }

    /// Is it part of the main text?
    #[getter]
    fn is_content(&self) -> bool {
        self.0.content
    }

    /// `content` or `boilerplate`, or more exactly what it is, where the extractor tells: headline, supplemental,
    /// related, comments.
    #[getter]
    fn label(&self) -> &'static str {
        label(&self.0)
    }

    /// What it is on its page: `title`, `body`, `caption`, `comment`, `navigation`, … These are the names that
    /// `include` and `exclude` take.
    #[getter]
    fn part(&self) -> &'static str {
        self.0.part.name()
    }

    /// What the filters found out: `title`, `end-of-text`, …
    #[getter]
    fn labels(&self) -> Vec<&str> {
        self.0.labels.iter().map(String::as_str).collect()
    }

    /// The classifier's probability of content.
    #[getter]
    fn score(&self) -> f64 {
        shortest(self.0.score)
    }

    /// A CSS selector for the element that holds the text.
    #[getter]
    fn selector(&self) -> &str {
        &self.0.selector
    }

    /// The names of the elements around the text.
    #[getter]
    fn path(&self) -> &str {
        &self.0.path
    }

    /// What was counted in the text: words, linked_words, sentences and more.
    #[getter]
    fn counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.0.counts)
    }

    /// Words in the text.
    #[getter]
    fn words(&self) -> u32 {
        self.0.counts.words
    }

    /// Words per full line of wrapped text.
    #[getter]
    fn text_density(&self) -> f64 {
        self.0.text_density
    }

    /// The share of words in links.
    #[getter]
    fn link_density(&self) -> f64 {
        self.0.link_density
    }

    /// What speaks for and against it, where `reasons=True` was asked and the trees of `strata` have judged the page: a
    /// dict with `score` and `base` in log-odds, `reasons` (each with `about`, `text` and `weight`) and `rest`.
    #[getter]
    fn reasons<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.0.reasons.as_ref().map(|reasons| to_python(py, reasons)).transpose()
    }

    /// The block as data.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.0)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let start: String = self.0.text.chars().take(40).collect();
        Ok(format!("<webstrata.Block {} {}>", self.label(), PyString::new(py, &start).repr()?))
    }

    fn __eq__(&self, other: &Block) -> bool {
        self.0 == other.0
    }

    fn __hash__(&self) -> u64 {
        hash_of(&self.0.text)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        Ok((py.get_type::<Block>().getattr("_restore")?, (to_json(&self.0)?,)))
    }

    #[staticmethod]
    fn _restore(json: &str) -> PyResult<Block> {
        from_json(json).map(Block)
    }
}

/// A link of a page.
#[pyclass(frozen, module = "webstrata")]
pub(crate) struct Link(webstrata::Link);

impl Link {
    pub(crate) fn of(link: &webstrata::Link) -> Link {
        Link(link.clone())
    }
}

#[pymethods]
impl Link {
    /// Where it leads: absolute if the page's address or its `<base href>` is known, else as written.
    #[getter]
    fn url(&self) -> &str {
        &self.0.url
    }

    /// The text of the link.
    #[getter]
    fn text(&self) -> &str {
        &self.0.text
    }

    /// Its `rel`, as written.
    #[getter]
    fn rel(&self) -> Option<&str> {
        self.0.rel.as_deref()
    }

    /// The block that it stands in, as an index into `Document.blocks`.
    #[getter]
    fn block(&self) -> Option<u32> {
        self.0.block
    }

    /// Does it stand in the main text?
    #[getter]
    fn in_content(&self) -> bool {
        self.0.in_content
    }

    /// Does it lead to the host of the page? Unknown where the page's address is.
    #[getter]
    fn internal(&self) -> Option<bool> {
        self.0.internal
    }

    /// The link as data.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.0)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<webstrata.Link {}>", PyString::new(py, &self.0.url).repr()?))
    }

    fn __eq__(&self, other: &Link) -> bool {
        self.0 == other.0
    }

    fn __hash__(&self) -> u64 {
        hash_of(&self.0.url)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        Ok((py.get_type::<Link>().getattr("_restore")?, (to_json(&self.0)?,)))
    }

    #[staticmethod]
    fn _restore(json: &str) -> PyResult<Link> {
        from_json(json).map(Link)
    }
}

/// A post of a discussion, or a comment below a text.
#[pyclass(frozen, module = "webstrata")]
pub(crate) struct Post(webstrata::Post);

impl Post {
    pub(crate) fn of(post: &webstrata::Post) -> Post {
        Post(post.clone())
    }
}

#[pymethods]
impl Post {
    /// Its place in the discussion, from 1.
    #[getter]
    fn position(&self) -> u32 {
        self.0.position
    }

    /// Who wrote it.
    #[getter]
    fn author(&self) -> Option<&str> {
        self.0.author.as_deref()
    }

    /// When it was written: an ISO 8601 day or time where the page has one, else the page's words.
    #[getter]
    fn time(&self) -> Option<&str> {
        self.0.time.as_deref()
    }

    /// The position of the post that it answers, where the page shows that.
    #[getter]
    fn reply_to(&self) -> Option<u32> {
        self.0.reply_to
    }

    /// Is it the answer that the asker accepted? None where the page does not show that.
    #[getter]
    fn accepted(&self) -> Option<bool> {
        self.0.accepted
    }

    /// Votes or likes, where the page shows them.
    #[getter]
    fn votes(&self) -> Option<i64> {
        self.0.votes
    }

    /// The text, without quotations of earlier posts, signature and user card.
    #[getter]
    fn text(&self) -> &str {
        &self.0.text
    }

    /// The post as data.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.0)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let start: String = self.0.text.chars().take(40).collect();
        Ok(format!("<webstrata.Post {} {}>", self.0.position, PyString::new(py, &start).repr()?))
    }

    fn __eq__(&self, other: &Post) -> bool {
        self.0 == other.0
    }

    fn __hash__(&self) -> u64 {
        hash_of(&self.0.text)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        Ok((py.get_type::<Post>().getattr("_restore")?, (to_json(&self.0)?,)))
    }

    #[staticmethod]
    fn _restore(json: &str) -> PyResult<Post> {
        from_json(json).map(Post)
    }
}
