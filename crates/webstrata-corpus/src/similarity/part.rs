//! Which part of a page is compared.

use webstrata::Options;

use super::{Fingerprint, Sketch};
use crate::segmentation::{AtomicPage, Method, Segmenter, WIDTH};

/// The part of a page whose text is compared with that of others.
///
/// ```
/// use webstrata_corpus::segmentation::{Method, Segmenter};
/// use webstrata_corpus::similarity::{Part, SimilarityOptions, Sketch};
///
/// let sketch = Sketch::new(SimilarityOptions::default());
/// let print = |part: Part, menu: &str| {
///     let text = "High water is at noon today, the harbour office says, and the ferry leaves an hour earlier.";
///     let page = format!("<ul><li>{menu}</ul><h1>Tides</h1><p>{text}");
///     part.fingerprint(page.as_bytes(), &Default::default(), &sketch).unwrap()
/// };
/// let largest = Part::Largest(Segmenter::new(Method::RuleBased));
/// assert_eq!(print(largest, "Home"), print(largest, "News of the harbour and the town"));
/// assert_ne!(print(Part::Full, "Home"), print(Part::Full, "News of the harbour and the town"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Part {
    /// All of its text: FULLTEXT.
    Full,
    /// Of its segments, the one with the most tokens among those of which less than half is linked
    /// (thesis, 4.2.5); of equal ones the first.
    Largest(Segmenter),
}

impl Part {
    /// All parts with the thesis' parameters, by the names of their methods and `fulltext`.
    pub fn all() -> impl Iterator<Item = (Part, &'static str)> {
        let largest = |(method, name)| (Part::Largest(Segmenter::new(method)), name);
        [(Part::Full, Part::FULL)].into_iter().chain(Method::ALL.into_iter().map(largest))
    }

    /// How the whole text is called.
    pub const FULL: &str = "fulltext";

    /// Reads a page for this part.
    pub fn read(&self, bytes: &[u8], options: &Options) -> AtomicPage {
        let width = match self {
            Part::Full => WIDTH,
            Part::Largest(segmenter) => segmenter.width,
        };
        AtomicPage::read(bytes, options, width)
    }

    /// The texts of this part of a page; none if a page has no such part, as a page of links.
    pub fn texts<'a>(&self, page: &'a AtomicPage) -> Vec<&'a str> {
        match self {
            Part::Full => {
                (0..page.document.atoms.len()).map(|atom| page.document.atom_text(atom)).collect()
            }
            Part::Largest(segmenter) => {
                let segments = segmenter.segment(page);
                let texts = segments.iter().filter(|segment| segment.link_density() < 0.5);
                // Of the equal ones, `max_by_key` takes the last.
                let largest = texts.rev().max_by_key(|segment| segment.tokens);
                largest.map_or_else(Vec::new, |segment| page.pieces(segment).collect())
            }
        }
    }

    /// The fingerprint of this part of a page; `None` where it has no tokens.
    pub fn fingerprint(
        &self,
        bytes: &[u8],
        options: &Options,
        sketch: &Sketch,
    ) -> Option<Fingerprint> {
        let page = self.read(bytes, options);
        sketch.texts(self.texts(&page))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(html: &str, method: Method, wanted: &[&str]) {
        let part = Part::Largest(Segmenter::new(method));
        let page = part.read(html.as_bytes(), &Options::default());
        assert_eq!(part.texts(&page), wanted, "{method}");
    }

    #[test]
    fn the_largest_segment_that_is_not_links() {
        let html = "<ul><li><a href=/a>All of the harbours of the coast</a>\
            <li><a href=/b>All of the ferries of the coast</a></ul><hr><p>The tide turns.<hr><p>It rains now.";
        check(html, Method::JustRules, &["The tide turns."]);
        check("<ul><li><a href=/a>Home</a></ul>", Method::JustRules, &[]);
        check("", Method::Plain, &[]);
        let page = Part::Full.read(html.as_bytes(), &Options::default());
        assert_eq!(Part::Full.texts(&page).len(), 4);
    }
}
