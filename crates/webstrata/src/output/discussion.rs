//! What is written of a discussion: all of its posts, without cards, signatures and buttons, each with who and when.

use std::collections::HashSet;

use crate::html::tag::Tag;
use crate::output::images::is_image;
use crate::page::Page;
use crate::strata::PageType;
use crate::thread::{self, Found, LazyThread};
use crate::tree::NodeId;

/// A discussion, as the outputs need it.
#[derive(Default)]
pub(super) struct Discussion {
    /// For each atom, what the posts say of it.
    atoms: Vec<Place>,
    /// The elements of posts, and what stands above each.
    pub(super) heads: Vec<(NodeId, String)>,
    /// The posts with images in their texts.
    pictured: HashSet<NodeId>,
    /// Quotations of other posts, in page order.
    pub(super) quotes: Vec<NodeId>,
}

/// Where an atom stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Place {
    /// In no post.
    #[default]
    Outside,
    /// In the text of a post.
    Text,
    /// In the signature of a post.
    Signature,
    /// In a post, but not in its text: the author's card, a button.
    Around,
}

impl Discussion {
    /// The discussion that a page is. `None` for other pages, also for those with comments below their text, and where
    /// the extractor has kept next to nothing of the posts.
    pub(super) fn of(thread: &LazyThread<'_, '_>, kept: &[bool]) -> Option<Discussion> {
        let page = thread.page;
        // A type that was determined is believed: articles have comments, and products have reviews.
        let is_other = page.document.page_type.is_some_and(|kind| kind != PageType::Forum);
        if is_other && !thread::is_in_boxes(page, kept) {
            return None;
        }
        let is_forum = page.document.page_type == Some(PageType::Forum);
        let thread = thread.get().filter(|thread| thread.is_discussion || is_forum)?;
        let mut posts: Vec<(usize, &Found)> = thread.posts.iter().enumerate().collect();
        let mut found = Discussion::placed(page, &posts);
        let is_told = are_told(&posts, thread.says_forum);
        let words = |place: Place| found.words(page, kept, place);
        if is_other && !(is_told && words(Place::Text) > 3 * words(Place::Outside)) {
            return None;
        }
        // Comments, where the extractor says that they are the page.
        let is_page = is_told && words(Place::Text) > words(Place::Outside);
        if !(thread.is_discussion || is_page) {
            return None;
        }
        let all = posts.len();
        let has_text = |(_, post): &(usize, &Found)| {
            let inside = page.document.atoms_in(post.node..page.tree.end_of(post.node));
            let mut words = inside.into_iter().filter(|atom| kept[*atom]);
            words.any(|atom| found.atoms[atom] == Place::Text)
        };
        let with_text = posts.iter().filter(|post| has_text(post)).count();
        if with_text == 0 || (with_text < 2 && all > 1 && !(is_forum && is_told)) {
            return None;
        }
        // Where the extractor left out most posts, such as comments on answers, they stay out. Others of the same kind as
        // those that it kept do not.
        if 2 * with_text < all {
            let kinds: HashSet<_> = posts
                .iter()
                .filter(|post| has_text(post))
                .map(|post| kind_of(page, post))
                .collect();
            let is_of_kind = |post: &(usize, &Found)| {
                is_forum && is_told && kinds.contains(&kind_of(page, post))
            };
            posts.retain(|post| has_text(post) || is_of_kind(post));
            found = Discussion::placed(page, &posts);
        }
        if found.loses_text(page, kept, is_told) {
            return None;
        }
        found.heads = posts.iter().map(|(at, post)| (post.node, head(post, *at))).collect();
        found.heads.sort_by_key(|(node, _)| *node);
        let has_image = |post: &Found| {
            post.body.iter().any(|part| part.clone().any(|node| is_image(&page.tree, node)))
        };
        let pictured = posts.iter().filter(|(_, post)| has_image(post));
        found.pictured = pictured.map(|(_, post)| post.node).collect();
        found.quotes = posts.iter().flat_map(|(_, post)| &post.quotes).copied().collect();
        found.quotes.sort_unstable();
        Some(found)
    }

    /// Where the atoms of a page stand.
    fn placed(page: &Page<'_>, posts: &[(usize, &Found)]) -> Discussion {
        let atoms = vec![Place::Outside; page.document.atoms.len()];
        let mut found = Discussion { atoms, ..Discussion::default() };
        for (_, post) in posts {
            found.place(page, post);
        }
        found
    }

    /// Does a post begin among these nodes? Lists and tables of posts only arrange the page.
    pub(super) fn has_post(&self, start: NodeId, end: NodeId) -> bool {
        let at = self.heads.partition_point(|(node, _)| *node < start);
        self.heads.get(at).is_some_and(|(node, _)| *node < end)
    }

    /// Would much of what the extractor kept in posts not be written? Then their texts are not where they seem to be.
    /// Only a learned extractor's word counts: others keep cards and signatures, too. Where all posts have an author and
    /// a time, more may be around their texts.
    fn loses_text(&self, page: &Page<'_>, kept: &[bool], is_told: bool) -> bool {
        if page.document.page_type.is_none() {
            return false;
        }
        let words = |place: Place| self.words(page, kept, place);
        if is_told {
            return words(Place::Around) > words(Place::Text);
        }
        2 * (words(Place::Around) + words(Place::Signature)) > words(Place::Text)
    }

    fn words(&self, page: &Page<'_>, kept: &[bool], place: Place) -> u32 {
        let places = self.atoms.iter().zip(kept).zip(&page.document.atoms);
        let own = places.filter(|((own, kept), _)| **own == place && **kept);
        own.map(|(_, atom)| atom.counts.words).sum()
    }

    /// A post of which nothing is written has no heading, whether images are written or not. `is_written` tells of nodes
    /// from one to before another.
    pub(super) fn leave_out_empty(&mut self, is_written: impl Fn(NodeId, NodeId) -> bool) {
        let behind = self.heads.iter().skip(1).map(|(node, _)| *node);
        let ends: Vec<NodeId> = behind.chain([NodeId::MAX]).collect();
        let mut ends = ends.into_iter();
        let pictured = &self.pictured;
        self.heads.retain(|(node, _)| {
            ends.next().is_none_or(|end| is_written(*node, end)) || pictured.contains(node)
        });
    }

    pub(super) fn place_of(&self, atom: usize) -> Place {
        self.atoms[atom]
    }

    /// Inner posts stand behind those around them, so that they have the last word.
    fn place(&mut self, page: &Page<'_>, post: &Found) {
        for node in [Some(post.node), post.beside].into_iter().flatten() {
            self.fill(page, node, page.tree.end_of(node), Place::Around);
        }
        for body in &post.body {
            self.fill(page, body.start, body.end, Place::Text);
        }
        self.fill_lists(page, post);
        for (nodes, place) in [(&post.signature, Place::Signature), (&post.card, Place::Around)] {
            for apart in nodes {
                self.fill(page, *apart, page.tree.end_of(*apart), place);
            }
        }
    }

    /// Lists between the texts of a post are its text, whatever their elements are called.
    fn fill_lists(&mut self, page: &Page<'_>, post: &Found) {
        let inside = page.document.atoms_in(post.node..page.tree.end_of(post.node));
        let is_text = |atom: &usize| self.atoms[*atom] == Place::Text;
        let (Some(first), Some(last)) =
            (inside.clone().find(is_text), inside.clone().rfind(is_text))
        else {
            return;
        };
        for atom in first..last {
            let mut around = page.tree.ancestors(page.document.atoms[atom].nodes.start);
            let mut around = around.by_ref().take_while(|node| *node != post.node);
            if self.atoms[atom] == Place::Around
                && around.any(|node| page.tree.tag(node) == Some(Tag::Li))
            {
                self.atoms[atom] = Place::Text;
            }
        }
    }

    fn fill(&mut self, page: &Page<'_>, start: NodeId, end: NodeId, place: Place) {
        self.atoms[page.document.atoms_in(start..end)].fill(place);
    }
}

/// The element of a post, and the first of its names.
fn kind_of(page: &Page<'_>, (_, post): &(usize, &Found)) -> (Option<Tag>, Option<String>) {
    let class = page.tree.attribute(post.node, "class");
    let first = class.and_then(|class| class.split_ascii_whitespace().next().map(str::to_owned));
    (page.tree.tag(post.node), first)
}

/// Have nearly all posts an author, and enough of them a time? Posts that are shown by their first line may have none.
/// In what says that it is a forum, the author will do.
fn are_told(posts: &[(usize, &Found)], says_forum: bool) -> bool {
    let authors = posts.iter().filter(|(_, post)| post.author.is_some()).count();
    let times = posts.iter().filter(|(_, post)| post.time.is_some()).count();
    let enough_times = match posts.len() {
        // Of a few posts each has to say when, or they may be quotations of what people said.
        ..10 => 10 * times >= 9 * posts.len(),
        _ => 3 * times >= posts.len(),
    };
    10 * authors >= 9 * posts.len() && (says_forum || enough_times)
}

/// Who and when, as far as it is known.
fn head(post: &Found, at: usize) -> String {
    match (&post.author, &post.time) {
        (Some(author), Some(time)) => format!("{author} · {time}"),
        (Some(one), None) | (None, Some(one)) => one.clone(),
        (None, None) => format!("Post {}", at + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Are so many posts told of, all with an author and some with a time?
    fn told(posts: usize, times: usize, says_forum: bool) -> bool {
        let found = |at: usize| Found {
            author: Some("Ann".to_owned()),
            time: (at < times).then(|| "2025-09-04".to_owned()),
            ..Found::default()
        };
        let found: Vec<Found> = (0..posts).map(found).collect();
        are_told(&found.iter().enumerate().collect::<Vec<_>>(), says_forum)
    }

    #[test]
    fn few_posts_each_need_a_time_and_many_need_not() {
        assert!(told(9, 9, false) && !told(9, 8, false));
        assert!(told(30, 10, false) && !told(30, 9, false));
        assert!(told(9, 0, true));
    }
}
