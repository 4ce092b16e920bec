//! Code that React sends behind the rest of the page, put where its scripts would put it.
//!
//! A server that uses React sends a page before all of it is ready. For what is late it sends
//! `<!--$?--><template id="B:0"></template>`, what is shown until then, and `<!--/$-->`. The section follows at the end of
//! the page in `<div hidden id="S:0">`, with a script that calls `$RC("B:0","S:0")`. Parts of such sections that are
//! later still stand in others in the same way, with `<template id="P:1"></template>` and `$RS("S:1","P:1")`.
//!
//! Only sections with code are put in their places. The learned extractor knows the others where they are sent: with all in
//! their places, F1 of the 17 pages of wcxb-dev and fundus that changed fell from .890 to .857 (19 November 2026).

use std::collections::HashMap;
use std::ops::Range;

use memchr::memmem;

use crate::html::tag::Tag;
use crate::tree::{NodeId, Tree};

/// Sections of a page that are put in their places; real pages have a few dozen.
const MOST: usize = 10_000;
/// Bytes of the names of sections.
const LONGEST_NAME: usize = 32;

/// A section and its place, as positions in the page.
struct Section {
    /// The element that is sent late, and what is in it.
    whole: Range<usize>,
    inside: Range<usize>,
    /// What stands in its place until then.
    place: Range<usize>,
}

/// The page with all such sections in their places; `None` for a page that has none.
pub(crate) fn in_place(tree: &Tree<'_>) -> Option<String> {
    let source = tree.source();
    let calls = calls(source);
    if calls.is_empty() {
        return None;
    }
    let places = places(tree);
    let late = late(tree);
    let mut sections: Vec<Section> = Vec::new();
    for (section, place) in calls {
        let (Some(place), Some((whole, inside))) = (places.get(place), late.get(section)) else {
            continue;
        };
        // The place is sent first. So no section stands in itself, by whatever ways.
        if place.start < whole.start && source[inside.clone()].contains("<pre") {
            let (whole, inside, place) = (whole.clone(), inside.clone(), place.clone());
            sections.push(Section { whole, inside, place });
        }
    }
    // Each once, and no two in one place.
    sections.sort_by_key(|section| section.whole.start);
    sections.dedup_by_key(|section| section.whole.start);
    sections.sort_by_key(|section| section.place.start);
    sections.dedup_by_key(|section| section.place.start);
    if sections.is_empty() { None } else { written(source, &sections) }
}

/// The page in the order in which readers see it; `None` where sections are not as React writes them, each in one piece.
fn written(source: &str, sections: &[Section]) -> Option<String> {
    // Where something else is to be written: a section in its place, or nothing where it was sent.
    let mut turns: Vec<(usize, usize, bool)> = Vec::with_capacity(2 * sections.len());
    for (index, section) in sections.iter().enumerate() {
        turns.push((section.place.start, index, true));
        turns.push((section.whole.start, index, false));
    }
    turns.sort_unstable();
    let mut page = String::with_capacity(source.len());
    let mut open: Vec<Range<usize>> = std::iter::once(0..source.len()).collect();
    // Every turn is met once, and every part ends once.
    let mut left = turns.len() + sections.len() + 1;
    while let Some(mut part) = open.pop() {
        left = left.checked_sub(1)?;
        let next = turns.partition_point(|(at, ..)| *at < part.start);
        match turns.get(next).filter(|(at, ..)| *at < part.end) {
            None => page.push_str(&source[part]),
            Some((at, index, is_place)) => {
                let Section { whole, inside, place } = &sections[*index];
                page.push_str(&source[part.start..*at]);
                part.start = if *is_place { place.end } else { whole.end }.min(part.end);
                open.push(part);
                if *is_place {
                    open.push(inside.clone());
                }
            }
        }
    }
    (page.len() <= source.len()).then_some(page)
}

/// The names of sections and of their places, as scripts call for them.
fn calls(source: &str) -> Vec<(&str, &str)> {
    let mut calls = Vec::new();
    for (call, place_first) in [("$RC(\"B:", true), ("$RS(\"S:", false)] {
        for at in memmem::find_iter(source.as_bytes(), call).take(MOST) {
            let arguments = &source[at + "$RC(".len()..];
            let mut names = arguments.split('"').skip(1).step_by(2).take(2);
            if let (Some(first), Some(second)) = (names.next(), names.next())
                && first.len().max(second.len()) <= LONGEST_NAME
            {
                calls.push(if place_first { (second, first) } else { (first, second) });
            }
        }
    }
    calls
}

/// The places of sections by their names: each a template, and what is shown until the section is there.
fn places<'t>(tree: &'t Tree<'_>) -> HashMap<&'t str, Range<usize>> {
    const END: &str = "</template>";
    let source = tree.source();
    let ends = ends_of_fallbacks(source);
    let mut places = HashMap::new();
    for node in tree.nodes().filter(|node| tree.tag(*node) == Some(Tag::Template)) {
        let Some(name) = id(tree, node).filter(|id| id.starts_with(['B', 'P'])) else { continue };
        let Range { start, end } = tag(tree, node);
        if let Some(rest) = source.get(end..)
            && rest.starts_with(END)
        {
            let fallback = ends.get(&start).filter(|_| name.starts_with('B'));
            places.entry(name).or_insert(start..*fallback.unwrap_or(&(end + END.len())));
        }
    }
    places
}

/// For each place behind a comment that begins what is shown until a section is there, where that ends.
fn ends_of_fallbacks(source: &str) -> HashMap<usize, usize> {
    let mut ends = HashMap::new();
    let mut open = Vec::new();
    for at in memmem::find_iter(source.as_bytes(), "<!--") {
        let comment = &source[at + "<!--".len()..];
        if let Some(behind) = comment.strip_prefix('$') {
            let mark = behind.len() - behind.trim_start_matches(['?', '!', '~']).len();
            if mark < 2 && behind[mark..].starts_with("-->") {
                open.push(at + "<!--$-->".len() + mark);
            }
        } else if comment.starts_with("/$-->")
            && let Some(begun) = open.pop()
        {
            ends.insert(begun, at);
        }
    }
    ends
}

/// The sections that are sent late, by their names: the whole element, and what is in it.
fn late<'t>(tree: &'t Tree<'_>) -> HashMap<&'t str, (Range<usize>, Range<usize>)> {
    const END: &str = "</div>";
    let source = tree.source();
    let mut late = HashMap::new();
    for node in tree.nodes().filter(|node| tree.tag(*node) == Some(Tag::Div)) {
        let Some(name) = id(tree, node).filter(|id| id.starts_with('S')) else { continue };
        let Range { start, end } = tag(tree, node);
        // Up to the end tag before what comes next. Some texts are no spans of the page.
        let mut behind = tree.end_of(node)..tree.nodes.len() as NodeId;
        let next = behind.find(|next| (tree.nodes[*next as usize].start as usize) < source.len());
        let behind = next.map_or(source.len(), |next| match tree.tag(next) {
            Some(_) => tag(tree, next).start,
            None => tree.nodes[next as usize].start as usize,
        });
        let inside = source.get(end..behind).and_then(|rest| rest.rfind(END));
        if let Some(length) = inside {
            let inside = end..end + length;
            late.entry(name).or_insert((start..inside.end + END.len(), inside));
        }
    }
    late
}

/// The id of an element, where it is one that React gives: `S:1f`.
fn id<'t>(tree: &'t Tree<'_>, node: NodeId) -> Option<&'t str> {
    let id = tree.raw_attributes(node).find(|(name, _)| *name == "id")?.1;
    (id.get(1..2) == Some(":")).then_some(id)
}

/// Where the start tag of an element is.
fn tag(tree: &Tree<'_>, node: NodeId) -> Range<usize> {
    let node = &tree.nodes[node as usize];
    (node.start as usize).saturating_sub(1)..node.end as usize + 1
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;
    use crate::limits::Limits;

    fn put(page: &str) -> Option<String> {
        in_place(&Tree::parse(page, &Limits::default()))
    }

    #[test]
    fn sections_stand_where_readers_see_them() {
        let page = "<p>Ebb.</p><!--$?--><template id=\"B:0\"></template><i>Loading</i><!--/$--><p>Flood.</p>\
            <div hidden id=\"S:0\"><pre>Noon.</pre><template id=\"P:1\"></template></div>\
            <div hidden id=\"S:1\"><pre>Fog.</pre></div><script>$RS(\"S:1\",\"P:1\")</script>\
            <script>$RC(\"B:0\",\"S:0\")</script>";
        let expected = "<p>Ebb.</p><!--$?--><pre>Noon.</pre><pre>Fog.</pre><!--/$--><p>Flood.</p>\
            <script>$RS(\"S:1\",\"P:1\")</script><script>$RC(\"B:0\",\"S:0\")</script>";
        assert_eq!(put(page).as_deref(), Some(expected));
    }

    #[test]
    fn boundaries_in_what_is_shown_until_then_end_there() {
        let page = "<!--$?--><template id=\"B:0\"></template><!--$--><i>Loading</i><!--/$--><!--/$-->Ebb.\
            <div hidden id=\"S:0\"><pre>Noon.</div><script>$RC(\"B:0\",\"S:0\")</script>";
        let expected =
            "<!--$?--><pre>Noon.<!--/$-->Ebb.<script>$RC(\"B:0\",\"S:0\")</script>".to_owned();
        assert_eq!(put(page), Some(expected));
    }

    #[test]
    fn text_may_follow_right_behind() {
        let page = "<template id=\"B:0\"></template><div hidden id=\"S:0\"><pre>Noon.</div>Fog &amp; rain.\
            <script>$RC(\"B:0\",\"S:0\")</script>";
        let expected = "<pre>Noon.Fog &amp; rain.<script>$RC(\"B:0\",\"S:0\")</script>".to_owned();
        assert_eq!(put(page), Some(expected.clone()));
        let page = page.replace(" &amp; ", " and ");
        assert_eq!(put(&page), Some(expected.replace(" &amp; ", " and ")));
    }

    #[test]
    fn other_pages_stay_as_they_are() {
        assert_eq!(put("<p>Ebb.</p>"), None);
        // No code; nothing calls for it, there is no place, or it is sent first.
        let (place, late) =
            ("<template id=\"B:0\"></template>", "<div hidden id=\"S:0\"><pre>Noon.</div>");
        let call = "<script>$RC(\"B:0\",\"S:0\")</script>";
        assert_eq!(put(&format!("{place}{late}")), None);
        assert_eq!(put(&format!("{late}{call}")), None);
        assert_eq!(put(&format!("{late}{place}{call}")), None);
        assert!(put(&format!("{place}{late}{call}")).is_some());
        assert_eq!(put(&format!("{place}{late}{call}").replace("<pre>", "<p>")), None);
    }

    proptest! {
        /// Whatever stands in whatever, it ends, and the page gets no longer.
        #[test]
        fn anything_ends(pieces in vec(select(&[
            "<template id=\"B:0\"></template>", "<template id=\"B:1\"></template>", "<template id=\"P:1\">", "</template>",
            "<div hidden id=\"S:0\">", "<div hidden id=\"S:1\">", "</div>", "<!--$?-->", "<!--$-->", "<!--/$-->", "é", "x&amp;", "<p>",
            "<pre>", "<script>$RC(\"B:0\",\"S:0\")</script>", "<script>$RC(\"B:1\",\"S:1\")</script>", "<script>$RS(\"S:1\",\"P:1\")</script>",
        ][..]), 0..24)) {
            let page = pieces.concat();
            if let Some(put) = put(&page) {
                prop_assert!(put.len() < page.len());
            }
        }
    }
}
