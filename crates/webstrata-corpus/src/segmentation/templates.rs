//! Template removal (4.3.4): what Block Fusion leaves sparse is no content.

use webstrata::{Document, Options};

use super::{AtomicPage, Method, Segment, Segmenter};

/// Removes the template text of a page without knowing any other page: "segment each document using the
/// BlockFusion algorithm and remove all segments which have a maximum text density of 5".
///
/// ```
/// use webstrata::Options;
/// use webstrata_corpus::segmentation::TemplateRemoval;
///
/// let html = b"<ul><li>Home<li>Tides<li>Contact</ul><p>High water is at noon today, the harbour \
///     office says, and the ferry to the islands leaves an hour earlier than it does on other days.";
/// let document = TemplateRemoval::default().extract(html, &Options::default());
/// assert!(document.text().starts_with("High water is at noon"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TemplateRemoval {
    /// How pages are cut: by Block Fusion with rules, if nobody says otherwise.
    pub segmenter: Segmenter,
    /// The highest density, rounded to a whole number as in the thesis, that is still template text.
    pub max_density: u32,
}

impl Default for TemplateRemoval {
    fn default() -> TemplateRemoval {
        TemplateRemoval { segmenter: Segmenter::new(Method::RuleBased), max_density: 5 }
    }
}

impl TemplateRemoval {
    /// Is a segment template text?
    pub fn removes(&self, segment: &Segment) -> bool {
        segment.density().round() <= f64::from(self.max_density)
    }

    /// Reads a page. The blocks of the segments that stay are content.
    pub fn extract(&self, bytes: &[u8], options: &Options) -> Document {
        let (page, segments) = self.segmenter.read(bytes, options);
        self.apply(page, &segments)
    }

    /// The same for a page that is cut already.
    pub fn apply(&self, page: AtomicPage, segments: &[Segment]) -> Document {
        let mut document = page.document;
        document.blocks.iter_mut().for_each(|block| block.is_content = false);
        for segment in segments.iter().filter(|segment| !self.removes(segment)) {
            let blocks = document.blocks.get_mut(segment.atoms.clone()).unwrap_or_default();
            blocks.iter_mut().for_each(|block| block.is_content = true);
        }
        document
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Pages of short and long texts between tags of all kinds.
    fn pages() -> impl Strategy<Value = String> {
        let tag = prop_oneof!["p", "li", "h2", "td", "b", "div", "a"];
        let part = (tag, 0usize..30, "[a-z]{1,9}");
        prop::collection::vec(part, 0..25).prop_map(|parts| {
            let part = |(tag, words, word): &(String, usize, String)| {
                format!("<{tag}>{}</{tag}>", vec![word.as_str(); *words].join(" "))
            };
            parts.iter().map(part).collect()
        })
    }

    proptest! {
        /// The text that stays is that of the segments that stay, counted from their words and lines.
        #[test]
        fn what_stays_are_the_dense_segments(html in pages(), max_density in 0u32..14) {
            for method in [Method::TagGap, Method::Plain, Method::RuleBased] {
                let segmenter = Segmenter::new(method);
                let removal = TemplateRemoval { segmenter, max_density };
                let found = removal.extract(html.as_bytes(), &Options::default()).text();
                let (page, segments) = segmenter.read(html.as_bytes(), &Options::default());
                let mut expected = String::new();
                for segment in segments {
                    let (mut words, mut lines) = (segment.tokens, segment.lines);
                    if lines > 1 {
                        (words, lines) = (words - segment.tokens_on_last_line, lines - 1);
                    }
                    // Rounded half up: more than 5 begins at 5.5.
                    if 2 * words >= (2 * max_density + 1) * lines {
                        expected += &page.text(&segment);
                        expected.push('\n');
                    }
                }
                let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
                prop_assert_eq!(squeezed(&found), squeezed(&expected));
            }
        }
    }

    #[test]
    fn nothing_to_keep() {
        let text = |html: &str| {
            TemplateRemoval::default().extract(html.as_bytes(), &Options::default()).text()
        };
        assert_eq!(text(""), "");
        assert_eq!(text("<ul><li>Home<li>Tides</ul>"), "");
    }
}
