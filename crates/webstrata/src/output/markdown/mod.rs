//! The main text as Markdown: CommonMark with GitHub's tables, strikethrough and
//! footnotes.
//!
//! One walk over the tree that the document was cut from. The cutting determines where words end, the
//! tree how they are formatted. Formulas are LaTeX between dollars.

mod inline;
mod table;
mod walk;
mod write;

#[cfg(test)]
mod tests;

pub(crate) use walk::is_block;

use crate::output::MarkupOptions;
use crate::page::Page;

/// Writes the content blocks of a page as Markdown.
///
/// The words are those of [`Document::text`](crate::Document::text), in page order, whatever the
/// options. Three things may say more: formulas, which are written as LaTeX; the numbers and bullets
/// of lists; and images, if asked for. Two say less: the numbers of lines beside code are left out, and
/// so is the way back from a footnote. Tables that only arrange the page are written as paragraphs.
///
/// ```
/// use webstrata::output::{MarkupOptions, markdown};
/// use webstrata::{Extractor, Options, Page};
///
/// let extractor = Extractor::named("keep-all").unwrap();
/// let html = b"<h2>Tides</h2><p>High at <b>noon</b>, says <a href=/log>the log</a>.<ol><li>Ebb<li>Flood</ol>";
/// let options = Options { url: Some("https://tides.example/".into()), ..Options::default() };
/// let mut page = Page::read(html, extractor.cutting, &options);
/// extractor.apply(&mut page.document);
/// assert_eq!(
///     markdown(&page, &MarkupOptions { links: true, images: false }),
///     "## Tides\n\nHigh at **noon**, says [the log](https://tides.example/log).\n\n1. Ebb\n2. Flood\n",
/// );
/// ```
pub fn markdown(page: &Page<'_>, options: &MarkupOptions) -> String {
    if let Some(paragraphs) = crate::embedded::as_paragraphs(&page.document) {
        return markdown(&crate::embedded::page_of(&paragraphs), options);
    }
    walk::Walk::new(page, *options).run()
}
