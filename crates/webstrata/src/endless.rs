//! Pages that go on: where readers reach the end of an article, a script has put another one below it.
//!
//! The next article has a heading and a long text of its own, and it stands where the first one does: a
//! further `<article>`, or a sibling of the same kind. Lists of articles, threads and documents with
//! several main headings look alike in parts, so all of that is asked for, and that the page's title is
//! the heading of the first article and not of the next.

use std::collections::HashSet;

use crate::html::tag::Tag;
use crate::page::Page;
use crate::strata::PageType;
use crate::tree::{NodeId, Tree};

/// Words that each of the two articles has at least: a teaser has fewer.
const MIN_WORDS: u32 = 150;
/// Main headings that are looked at.
const MAX_HEADINGS: usize = 64;

/// The node at which the next article begins, on a page of one article with others below it. What
/// stands from there on is not part of the text. Linear in the page.
pub(crate) fn next_article(page: &Page<'_>) -> Option<NodeId> {
    let Page { tree, document } = page;
    if document.page_type.is_some_and(|kind| kind != PageType::Article) {
        return None;
    }
    let is_heading = |node: &NodeId| tree.tag(*node) == Some(Tag::H1);
    let headings: Vec<NodeId> = tree.nodes().filter(is_heading).take(MAX_HEADINGS).collect();
    if headings.len() < 2 {
        return None;
    }
    let title = words_of(document.title.as_deref()?);
    let texts: Vec<HashSet<String>> =
        headings.iter().map(|heading| words_of(&heading_text(tree, *heading))).collect();
    let first = texts.iter().position(|words| agrees(words, &title))?;
    // A heading that says the same is the same article, once more for small screens.
    let others: Vec<NodeId> = (first + 1..headings.len())
        .filter(|other| !texts[*other].is_empty() && !agrees(&texts[*other], &title))
        .filter(|other| !agrees(&texts[*other], &texts[first]))
        .map(|other| headings[other])
        .collect();
    let is_next = |node: NodeId| {
        let end = tree.end_of(node);
        let from = others.partition_point(|heading| *heading < node);
        others.get(from).is_some_and(|heading| *heading < end)
            && shown_words(page, node, end) >= MIN_WORDS
    };
    for around in tree.ancestors(headings[first]).skip(1) {
        let tag = tree.tag(around)?;
        if matches!(tag, Tag::Body | Tag::Html | Tag::Main) {
            return None;
        }
        let end = tree.end_of(around);
        if others.first().is_some_and(|other| *other < end) {
            // Another heading is in the same element: it is not the article alone.
            return None;
        }
        if shown_words(page, headings[first], end) < MIN_WORDS {
            // It is but the article's head.
            continue;
        }
        let class = tree.attribute(around, "class");
        let is_alike = |node: &NodeId| {
            tree.tag(*node) == Some(tag)
                && (tag == Tag::Article || tree.attribute(*node, "class") == class)
        };
        let siblings = std::iter::successors(tree.next(around), |node| tree.next(*node));
        if let Some(next) = siblings.filter(is_alike).find(|node| is_next(*node)) {
            return Some(next);
        }
        if tag == Tag::Article {
            // It may stand in a box of its own.
            let articles = others.iter().filter_map(|heading| {
                tree.ancestors(*heading).find(|node| tree.tag(*node) == Some(Tag::Article))
            });
            return articles.filter(|article| *article >= end).find(|article| is_next(*article));
        }
    }
    None
}

/// Words of these nodes that readers see.
fn shown_words(page: &Page<'_>, start: NodeId, end: NodeId) -> u32 {
    let atoms = &page.document.atoms;
    let from = atoms.partition_point(|atom| atom.nodes.start < start);
    let inside = atoms[from..].iter().take_while(|atom| atom.nodes.start < end);
    inside
        .filter(|atom| !atom.hidden)
        .map(|atom| atom.counts.words - atom.counts.linked_words)
        .sum()
}

/// A heading's text, as far as headings go.
fn heading_text(tree: &Tree<'_>, heading: NodeId) -> String {
    let end = tree.end_of(heading).min(heading + 64);
    (heading..end).flat_map(|node| tree.text(node).chars().chain([' '])).take(1000).collect()
}

fn words_of(text: &str) -> HashSet<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.take(200).map(str::to_lowercase).collect()
}

/// Are most of the heading's words in the title?
fn agrees(heading: &HashSet<String>, title: &HashSet<String>) -> bool {
    !heading.is_empty() && heading.intersection(title).count() * 3 >= heading.len() * 2
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cutting::Cutting;
    use crate::options::Options;

    fn article(heading: &str, words: usize) -> String {
        format!("<h1>{heading}</h1><p>{}</p>", format!("{heading} again. ").repeat(words / 3))
    }

    /// The text that begins at the next article.
    fn next(body: &str) -> Option<String> {
        let source = format!("<title>Ferry stops - Harbour News</title><body>{body}");
        let page = Page::read(source.as_bytes(), Cutting::Strata, &Options::default());
        let node = next_article(&page)?;
        Some(page.tree.text_content(node).chars().take(9).collect())
    }

    #[test]
    fn another_article_below_is_the_end() {
        let (first, second) = (article("Ferry stops", 300), article("Tram runs", 300));
        let expected = Some("Tram runs".to_owned());
        for body in [
            format!("<article>{first}</article><article class=x>{second}</article>"),
            format!("<div class=post>{first}</div><hr><div class=post>{second}</div>"),
            format!(
                "<main><article>{first}</article></main><div id=more><article>{second}</article></div>"
            ),
            format!(
                "<article><header><div>{first}</div></header></article><article>{second}</article>"
            ),
        ] {
            assert_eq!(next(&body), expected, "{body}");
        }
    }

    #[test]
    fn other_pages_go_on() {
        let (first, second) = (article("Ferry stops", 300), article("Tram runs", 300));
        for body in [
            // Nothing follows, or only a teaser.
            format!("<article>{first}</article>"),
            format!("<article>{first}</article><article>{}</article>", article("Tram runs", 60)),
            // One article with several main headings.
            format!("<article>{first}{second}</article>"),
            format!("<article>{first}<section>{second}</section></article>"),
            // The page is called otherwise: a list of articles.
            format!("<article>{second}</article><article>{}</article>", article("Bus waits", 300)),
            // The same article again.
            format!("<article>{first}</article><article>{first}</article>"),
            // A first one that is short is a teaser itself.
            format!("<article>{}</article><article>{second}</article>", article("Ferry stops", 30)),
            // Something else than the first.
            format!("<div class=post>{first}</div><div class=about>{second}</div>"),
        ] {
            assert_eq!(next(&body), None, "{body}");
        }
    }
}
