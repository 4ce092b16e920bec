//! Bytes to a [`Page`]: its tree and its document from one parse.

use std::borrow::Cow;

use crate::blocks;
use crate::clock::{Clock, Stage};
use crate::cutting::Cutting;
use crate::decode;
use crate::document::Document;
use crate::html::builder::{self, Swallowing};
use crate::html::tag::Tag;
use crate::options::{Hidden, Options};
use crate::output::OutputOptions;
use crate::strata::Observations;
use crate::streamed;
use crate::tree::{NodeId, Tree};

/// A page that was read: the tree, and the document whose atoms point into it.
///
/// The text needs the document only; highlighting, selectors and tag paths need the tree, too.
///
/// ```
/// use webstrata::cutting::Cutting;
/// use webstrata::{Options, Page};
///
/// let page = Page::read(b"<ul><li>Home<li>News</ul>", Cutting::Atomic, &Options::default());
/// let news = &page.document.atoms[1];
/// assert_eq!(page.tree.path(news.nodes.start), "html/body/ul/li");
/// ```
pub struct Page<'a> {
    /// The page's elements and texts.
    pub tree: Tree<'a>,
    /// The page's text blocks, no extractor applied yet.
    pub document: Document,
}

impl<'a> Page<'a> {
    /// Decodes, parses and cuts a page. Never fails; the document's `limits` say what was cut short.
    pub fn read(bytes: &'a [u8], cutting: Cutting, options: &Options) -> Page<'a> {
        Page::read_within(bytes, cutting, options, Clock::new(&options.limits))
    }

    /// The same by a clock that may run already.
    pub(crate) fn read_within(
        bytes: &'a [u8],
        cutting: Cutting,
        options: &Options,
        mut clock: Clock,
    ) -> Page<'a> {
        clock.begin(Stage::Read);
        let deadline = clock.deadline();
        let decoded = decode::decode(bytes, options.charset.as_deref(), &options.limits, deadline);
        clock.end();
        let mut page = Page::of_text(decoded.text, cutting, options, clock, Swallowing::Allowed);
        let has_words = |page: &Page<'_>| page.document.atoms.iter().any(|a| a.counts.words > 0);
        if let Some(noframes) = noframes_text(&page.tree) {
            // Neither tree is there beside the other.
            let Page { tree, document: Document { title, language, clock, .. } } = page;
            drop(tree);
            page = Page::of_text(noframes.into(), cutting, options, clock, Swallowing::Allowed);
            page.document.title = title.or(page.document.title);
            page.document.language = language.or(page.document.language);
        }
        if page.tree.swallowed && !has_words(&page) {
            // An unclosed <script> or <title> took everything. Browsers show nothing then, the
            // reader of a crawl wants the text: once more, with such elements left empty.
            let Page { tree, document: Document { clock, .. } } = page;
            page = Page::of_text(tree.into_source(), cutting, options, clock, Swallowing::Refused);
        }
        page.observe(cutting);
        page.document.encoding = decoded.encoding;
        page.document.limits |= decoded.limits | page.tree.limits;
        page.document.url.clone_from(&options.url);
        page
    }

    /// Parses and cuts a text.
    fn of_text(
        text: Cow<'a, str>,
        cutting: Cutting,
        options: &Options,
        mut clock: Clock,
        swallowing: Swallowing,
    ) -> Page<'a> {
        clock.begin(Stage::Read);
        let mut tree = builder::parse(text, &options.limits, clock.deadline(), swallowing);
        if tree.templates
            && !clock.passed()
            && let Some(whole) = streamed::in_place(&tree)
        {
            tree = builder::parse(whole.into(), &options.limits, clock.deadline(), swallowing);
        }
        clock.end();
        let language = tree.attribute(0, "lang").map(Cow::into_owned);
        let language = language.filter(|lang| !lang.is_empty());
        let document = Document { title: title(&tree), language, clock, ..Document::default() };
        let mut page = Page { tree, document };
        page.cut(cutting, options);
        page
    }

    /// The main text that an extractor found, with its structure: lines of code, rows of tables, marks of lists,
    /// paragraphs. [`output::text`](crate::output::text()) takes options.
    pub fn text(&self) -> String {
        crate::output::text(self, &OutputOptions::DEFAULT)
    }

    /// Cuts the page again, in another way, and returns the document as it was. The page is not parsed
    /// again.
    pub fn cut_again(&mut self, cutting: Cutting, options: &Options) -> Document {
        let before = std::mem::take(&mut self.document);
        self.document = Document {
            title: before.title.clone(),
            language: before.language.clone(),
            url: before.url.clone(),
            encoding: before.encoding,
            limits: before.limits,
            clock: before.clock.clone(),
            ..Document::default()
        };
        self.cut(cutting, options);
        self.observe(cutting);
        before
    }

    /// Looks at the blocks for the learned extractor, if there is time and if they are not too many.
    fn observe(&mut self, cutting: Cutting) {
        let Page { tree, document } = self;
        if cutting == Cutting::Strata && document.atoms.len() <= Observations::MAX_BLOCKS {
            document.clock.begin(Stage::Decide);
            document.observations = Observations::of(tree, document).map(Box::new);
            document.clock.end();
        }
    }

    fn cut(&mut self, cutting: Cutting, options: &Options) {
        let Page { tree, document } = self;
        document.clock.begin(Stage::Cut);
        let width = options.width.unwrap_or(blocks::DEFAULT_WIDTH);
        // The learned extractor sees hidden text, too, and decides last what becomes of it.
        let hidden = if cutting == Cutting::Strata { Hidden::Mark } else { options.hidden };
        let room = options.limits.room_beside(tree.nodes.len(), tree.held());
        blocks::cut(tree, cutting, hidden, width, room, document);
        document.spare = room.left(document.atoms.len(), document.text.len());
        document.hidden = options.hidden;
        document.clock.end();
    }
}

/// Reads a page into a document, without its tree.
pub fn read(bytes: &[u8], cutting: Cutting, options: &Options) -> Document {
    Page::read(bytes, cutting, options).document
}

/// Characters of a title; search engines show a hundredth of that.
const MAX_TITLE: usize = 10_000;

/// The first `<title>` of HTML, whitespace collapsed.
fn title(tree: &Tree<'_>) -> Option<String> {
    let is_title = |node: &NodeId| tree.tag(*node) == Some(Tag::Title);
    let title = tree.nodes().find(is_title)?;
    // A title without an end is the rest of the page; nobody wants all of that for a title.
    let text: String =
        tree.children(title).flat_map(|node| tree.text(node).chars()).take(MAX_TITLE).collect();
    let mut title = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !title.is_empty() {
            title.push(' ');
        }
        title.push_str(word);
    }
    (!title.is_empty()).then_some(title)
}

/// The text of `<noframes>` in a page of frames, which is HTML. Browsers show the frames in its place
/// and do not parse it.
fn noframes_text(tree: &Tree<'_>) -> Option<String> {
    let is = |tag: Tag| move |node: &NodeId| tree.tag(*node) == Some(tag);
    tree.children(0).find(is(Tag::Frameset))?;
    let text = tree.text_content(tree.nodes().find(is(Tag::Noframes))?);
    (!text.trim().is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Extractor;
    use crate::output::{OutputOptions, highlight, html, markdown};

    const POST: &str = "<p>The harbour board has put off the new timetable of the ferries until the \
        spring, because two of the five boats are still in the yard for their yearly repairs.</p>";

    fn built_by_scripts(rest: &str) -> String {
        format!(
            "<body><div id=app></div>{rest}<noscript><h1>Ferries</h1>{POST}{}</noscript>",
            POST.replace("ferries", "trams")
        )
    }

    #[test]
    fn every_cutting_reads_a_page_that_stands_in_noscript() {
        let source =
            built_by_scripts("<p>Loading …</p><noscript>Please turn on scripts.</noscript>");
        for (cutting, name) in Cutting::ALL {
            let page = Page::read(source.as_bytes(), cutting, &Options::default());
            let found = page.document.text.contains("ferries until the spring");
            assert_eq!(found, cutting != Cutting::Embedded, "{name}");
            assert!(page.document.atoms.iter().all(|atom| !atom.hidden), "{name}");
        }
    }

    #[test]
    fn noscript_is_left_out_of_other_pages() {
        let source = built_by_scripts(&POST.replace("ferries", "boats"));
        for (cutting, name) in Cutting::ALL {
            let page = Page::read(source.as_bytes(), cutting, &Options::default());
            let shown = page.document.atoms.iter().enumerate().filter(|(_, atom)| !atom.hidden);
            let text: String = shown.map(|(i, _)| page.document.atom_text(i)).collect();
            assert!(!text.contains("ferries"), "{name}");
        }
    }

    #[test]
    fn all_outputs_have_what_stands_in_noscript() {
        let source = built_by_scripts("");
        let extractor = Extractor::named("keep-all").unwrap();
        let page = extractor.extract_page(source.as_bytes(), &Options::default());
        let options = OutputOptions::default();
        assert!(page.document.text().contains("the trams until"));
        assert!(markdown(&page, &options).contains("the trams until"));
        assert!(html(&page, &options).contains("the trams until"));
        let marked = highlight(&page.document, &page.tree);
        assert!(marked.contains("the trams until") && !marked.contains("noscript"));
    }

    #[test]
    fn nested_noscript_takes_no_more_time() {
        let source = format!("{}{POST}", "<noscript>x ".repeat(20_000));
        let page = Page::read(source.as_bytes(), Cutting::Strata, &Options::default());
        assert!(page.document.text.contains("ferries"));
    }
}
