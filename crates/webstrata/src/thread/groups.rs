//! Which elements are posts: the ones that repeat, each with a text, an author and a time of its own.

use std::collections::{HashMap, HashSet};

use super::marks::{Key, LONGEST_CONTROL, Marks};
use super::names::flag::{AUTHOR, CARD, CONTROL, NAMED, SIGNATURE, SURE, TIME, VOTES};
use crate::html::tag::Tag;
use crate::tree::{NodeId, Tree};

/// Names under which elements repeat that are looked at closely; the most frequent ones with text.
const MOST_GROUPS: usize = 96;
/// Text beyond which a post says no more that it is one, in bytes.
const ENOUGH: f64 = 1_500.0;

/// One in so many posts must reach as high as all others may: the first choice, and where it leaves halves.
const LIMITS: [usize; 2] = [4, 2];

/// An element that may be a post.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Region {
    /// The element with the repeated name, by which it was found.
    pub(super) anchor: NodeId,
    /// The element around it that has nothing of another post.
    pub(super) node: NodeId,
}

struct Group {
    regions: Vec<Region>,
    score: f64,
    says: u32,
}

/// The keys of what may be a post, those of a name together.
pub(super) fn keys(marks: &Marks) -> Vec<Key> {
    let may_be = |key: &&Key| key.says & (NAMED | AUTHOR | TIME) != 0;
    let mut keys: Vec<Key> = marks.keys.iter().filter(may_be).copied().collect();
    keys.sort_unstable();
    keys
}

/// The posts in page order, and what the name says by which they were found: no more than author or time where it is
/// not that of a post. Only in a forum are such posts believed.
pub(super) fn posts(
    tree: &Tree<'_>,
    marks: &Marks,
    keys: &[Key],
    is_forum: bool,
) -> (Vec<Region>, u32) {
    let mut groups = candidates(tree, marks, keys, NAMED);
    if groups.is_empty() && is_forum {
        groups = candidates(tree, marks, keys, AUTHOR | TIME);
    }
    groups.sort_by(|a, b| b.score.total_cmp(&a.score));
    let mut chosen: Vec<Region> = Vec::new();
    let mut says = 0;
    let mut best = 0.0;
    for group in groups {
        if chosen.is_empty() {
            says = group.says;
            best = group.score;
        } else if group.score < best * 0.1 {
            break;
        }
        let is_part = group.says & (CARD | SIGNATURE | AUTHOR | TIME | CONTROL | VOTES) != 0;
        if chosen.is_empty() || !is_part {
            merge(tree, marks, &mut chosen, group.regions);
        }
    }
    (chosen, says)
}

/// Can there be posts that [`posts`] finds by their name? At least two of a group must have an author or a time, before
/// any text is measured. On most pages that has an end here.
pub(super) fn may_be_any(tree: &Tree<'_>, marks: &Marks, keys: &[Key]) -> bool {
    let is_marked = |node: &NodeId| marks.is(*node, AUTHOR | TIME);
    let marked: Vec<NodeId> = tree.nodes().filter(is_marked).collect();
    if marked.len() < 2 {
        return false;
    }
    let has_mark = |region: &&Region| {
        let next = marked.partition_point(|node| *node < region.node);
        marked.get(next).is_some_and(|node| marks.contains(region.node, *node))
    };
    let may_be = |group: &[Key]| {
        let mut anchors: Vec<NodeId> = group.iter().map(|key| key.node).collect();
        anchors.dedup();
        LIMITS.iter().any(|limit| {
            let regions = regions(tree, marks, &anchors, *limit);
            let count = regions.iter().filter(has_mark).count();
            count >= 2 && count * 10 >= regions.len() * 4
        })
    };
    let mut groups = keys.chunk_by(|a, b| a.hash == b.hash);
    groups.any(|group| group.len() > 1 && group[0].says & NAMED != 0 && may_be(group))
}

/// The groups of elements of the same name that look like posts.
fn candidates(tree: &Tree<'_>, marks: &Marks, keys: &[Key], says: u32) -> Vec<Group> {
    let groups = keys.chunk_by(|a, b| a.hash == b.hash);
    let may_be = |group: &&[Key]| {
        group.len() > 1
            && group[0].says & says != 0
            && (says == NAMED || group[0].says & (SURE | TIME) != 0)
    };
    let mut sized: Vec<(u64, &[Key])> = groups
        .filter(may_be)
        .map(|group| {
            let text = group.iter().map(|key| u64::from(marks.range_all(key.node)) + 40);
            (text.sum(), group)
        })
        .collect();
    if sized.len() > MOST_GROUPS {
        sized.sort_by_key(|(text, _)| std::cmp::Reverse(*text));
        sized.truncate(MOST_GROUPS);
    }
    let all = sized.into_iter();
    all.filter_map(|(_, group)| evaluate(tree, marks, group)).collect()
}

fn evaluate(tree: &Tree<'_>, marks: &Marks, group: &[Key]) -> Option<Group> {
    let mut anchors: Vec<NodeId> = group.iter().map(|key| key.node).collect();
    anchors.dedup();
    let says = group.iter().fold(0, |all, key| all | key.says);
    let regions_of = |limit: usize| {
        let mut regions = regions(tree, marks, &anchors, limit);
        regions
            .retain(|region| !is_notice(tree, marks, region.node) && !is_head(tree, region.node));
        regions
    };
    let mut regions = regions_of(LIMITS[0]);
    let mut own = Own::of(marks, &regions);
    // Halves of posts: perhaps only because some cannot reach as high as the others.
    let both = own.iter().filter(|own| own.authors > 0 && own.times > 0).count();
    if both * 2 < own.len() {
        regions = regions_of(LIMITS[1]);
        own = Own::of(marks, &regions);
    }
    let (mut valid, mut authors, mut times, mut teasers, mut score) = (Vec::new(), 0, 0, 0, 0.0);
    let mut silent = 0;
    for (region, own) in regions.iter().zip(&own) {
        let both = own.authors > 0 && own.times > 0;
        if own.all_text == 0 || (own.authors == 0 && own.times == 0) {
            continue;
        }
        // Mostly links or quotations: a line of an index, or a post that says little.
        if own.text == 0 || own.text * 10 < own.all_text {
            if both {
                silent += 1;
                valid.push(*region);
            }
            continue;
        }
        valid.push(*region);
        authors += usize::from(own.authors > 0);
        times += usize::from(own.times > 0);
        teasers += usize::from(own.teasers > 0);
        // Half a post, with the author and no time, is less than half of one with both.
        score += f64::from(own.text).min(ENOUGH).sqrt() * if both { 1.0 } else { 0.35 };
    }
    let count = valid.len() - silent;
    if valid.len() < 2
        || count < 1
        || silent > count
        || count * 10 < regions.len() * 4
        || teasers * 2 > count
    {
        return None;
    }
    let (with_author, with_time) = (authors as f64 / count as f64, times as f64 / count as f64);
    let enough = with_author >= 0.5 && with_time >= 0.5
        || with_author >= 0.8
        || (with_time >= 0.8 && says & NAMED != 0);
    if !enough {
        return None;
    }
    score *= (0.4 + 0.6 * with_author) * (0.4 + 0.6 * with_time);
    Some(Group { regions: valid, score, says })
}

/// The largest element around each anchor that has no other anchor in it, but no higher above its
/// anchor than one in `limit` of the others reaches. A post is one item of a list, never the list.
pub(super) fn regions(
    tree: &Tree<'_>,
    marks: &Marks,
    anchors: &[NodeId],
    limit: usize,
) -> Vec<Region> {
    let mut heights = Vec::with_capacity(anchors.len());
    let climb = |at: usize, most: usize| {
        let (anchor, mut node, mut height) = (anchors[at], anchors[at], 0);
        let before = at.checked_sub(1).map(|at| anchors[at]);
        let after = anchors.get(at + 1).copied();
        let is_shared = |node: NodeId| {
            before.is_some_and(|other| marks.contains(node, other))
                || after.is_some_and(|other| marks.contains(node, other))
        };
        while height < most
            && let Some(parent) = tree.parent(node)
            && !is_shared(parent)
            && !matches!(tree.tag(parent), Some(Tag::Body | Tag::Html | Tag::Main))
            && !(tree.tag(node) == Some(Tag::Li) && tree.tag(parent) != Some(Tag::Li))
        {
            node = parent;
            height += 1;
        }
        (Region { anchor, node }, height)
    };
    // No element is passed twice: each has one anchor only.
    for at in 0..anchors.len() {
        heights.push(climb(at, usize::MAX).1);
    }
    heights.sort_unstable();
    let most = heights[heights.len() / limit];
    (0..anchors.len()).map(|at| climb(at, most).0).collect()
}

/// What a region has, less the regions in it.
#[derive(Clone, Copy, Default)]
pub(super) struct Own {
    pub(super) text: u32,
    pub(super) all_text: u32,
    pub(super) authors: u32,
    pub(super) times: u32,
    pub(super) teasers: u32,
}

impl Own {
    pub(super) fn whole(marks: &Marks, node: NodeId) -> Own {
        Own {
            text: marks.range_text(node),
            all_text: marks.range_all(node),
            authors: marks.range_authors(node),
            times: marks.range_times(node),
            teasers: marks.range_teasers(node),
        }
    }

    fn is_post(&self) -> bool {
        self.text > 0
            && self.text * 10 >= self.all_text
            && self.authors > 0
            && self.teasers == 0
            && (self.times > 0 || self.text > 40)
    }

    fn less(&mut self, inner: Own) {
        self.text = self.text.saturating_sub(inner.text);
        self.all_text = self.all_text.saturating_sub(inner.all_text);
        self.authors = self.authors.saturating_sub(inner.authors);
        self.times = self.times.saturating_sub(inner.times);
        self.teasers = self.teasers.saturating_sub(inner.teasers);
    }

    pub(super) fn of(marks: &Marks, regions: &[Region]) -> Vec<Own> {
        let mut all: Vec<Own> = Vec::with_capacity(regions.len());
        let mut open: Vec<usize> = Vec::new();
        for (at, region) in regions.iter().enumerate() {
            let whole = Own::whole(marks, region.node);
            while let Some(outer) = open.last()
                && !marks.contains(regions[*outer].node, region.node)
            {
                open.pop();
            }
            if let Some(outer) = open.last() {
                all[*outer].less(whole);
            }
            open.push(at);
            all.push(whole);
        }
        all
    }
}

/// Takes out what has neither text nor author nor time: places for posts that are loaded later.
pub(super) fn drop_empty(marks: &Marks, posts: &mut Vec<Region>) {
    let mut own = Own::of(marks, posts).into_iter();
    posts.retain(|_| own.next().is_some_and(|own| own.all_text > 0 || own.authors + own.times > 0));
}

/// Adds the posts of another group that are not among the chosen ones: those of another kind, such as
/// comments on answers.
fn merge(tree: &Tree<'_>, marks: &Marks, chosen: &mut Vec<Region>, more: Vec<Region>) {
    if chosen.is_empty() {
        *chosen = more;
        return;
    }
    let parents: HashSet<Option<NodeId>> =
        chosen.iter().map(|region| tree.parent(region.node)).collect();
    let owns = Own::of(marks, chosen);
    let mut added = Vec::new();
    // What the posts around added ones keep for themselves.
    let mut outer: HashMap<usize, Own> = HashMap::new();
    for region in more {
        let start = chosen.partition_point(|other| other.node < region.node);
        let end = marks.end[region.node as usize];
        let inside = chosen[start..].iter().take_while(|other| other.node < end);
        let mut own = Own::whole(marks, region.node);
        let (mut same, mut until, mut holds_any) = (false, 0, false);
        for other in inside {
            holds_any = true;
            same |= marks.contains(other.node, region.anchor) || other.node == region.node;
            if other.node >= until {
                own.less(Own::whole(marks, other.node));
                until = marks.end[other.node as usize];
            }
        }
        // The chosen one that holds it; regions that lie before it may hold one another.
        let near = start.saturating_sub(64)..start;
        let around = near.rev().find(|at| marks.contains(chosen[*at].node, region.node));
        if let Some(around) = around {
            same |= marks.contains(region.node, chosen[around].anchor)
                || marks.contains(region.anchor, chosen[around].anchor);
        }
        let is_near = holds_any || around.is_some() || parents.contains(&tree.parent(region.node));
        if same || !is_near || !own.is_post() {
            continue;
        }
        if let Some(around) = around {
            outer.entry(around).or_insert(owns[around]).less(own);
        }
        added.push(region);
    }
    // Posts that would be left without a text of their own are cut in pieces, not answered.
    let emptied = outer.values().filter(|own| !own.is_post()).count();
    if added.len() > 1 && emptied * 2 <= outer.len() {
        chosen.extend(added);
        chosen.sort_by_key(|region| (region.node, region.anchor));
        chosen.dedup_by_key(|region| region.node);
    }
}

/// The first post where it has another name than the answers: the nearest element before them that has
/// an author, a time or a name, and a text.
pub(super) fn opening(tree: &Tree<'_>, marks: &Marks, posts: &[Region]) -> Option<Region> {
    let first = posts.first()?.node;
    for ancestor in tree.ancestors(first).take(64) {
        if matches!(tree.tag(ancestor), Some(Tag::Body | Tag::Html)) {
            break;
        }
        let mut sibling = tree.nodes[ancestor as usize].previous;
        for _ in 0..8 {
            if sibling == crate::tree::NONE {
                break;
            }
            let own = Own::whole(marks, sibling);
            let fits = own.text > 20
                && own.text * 6 >= own.all_text
                && own.authors > 0
                && own.times > 0
                && own.teasers < 2;
            if fits && has_paragraph(tree, marks, sibling) && !is_notice(tree, marks, sibling) {
                return Some(Region { anchor: sibling, node: sibling });
            }
            sibling = tree.nodes[sibling as usize].previous;
        }
    }
    None
}

/// Is it the line above all posts that says what stands below: `Author`, `Posts`?
fn is_head(tree: &Tree<'_>, node: NodeId) -> bool {
    tree.tag(node) == Some(Tag::Li) && has_class(tree, node, "header")
}

/// Is it in a small box of the software's own, such as one that says how many answers there are and who wrote the last?
fn is_notice(tree: &Tree<'_>, marks: &Marks, node: NodeId) -> bool {
    let small = |node: &NodeId| marks.range_all(*node) <= LONGEST_CONTROL;
    tree.ancestors(node).take(3).take_while(small).any(|node| has_class(tree, node, "notice"))
}

fn has_class(tree: &Tree<'_>, node: NodeId, name: &str) -> bool {
    tree.start_tag(node).contains(name)
        && tree.attribute(node, "class").is_some_and(|class| {
            class.split(|c: char| !c.is_alphanumeric()).any(|word| word == name)
        })
}

/// Does an element have running text? The head of a thread has a title, names and dates only.
fn has_paragraph(tree: &Tree<'_>, marks: &Marks, node: NodeId) -> bool {
    let end = marks.end[node as usize].min(node + 1_000);
    (node..end).any(|node| super::marks::length(tree.text(node)) > 60 && !in_heading(tree, node))
}

fn in_heading(tree: &Tree<'_>, node: NodeId) -> bool {
    let is = |node: NodeId| {
        matches!(tree.tag(node), Some(Tag::H1 | Tag::H2 | Tag::Title | Tag::Script | Tag::Style))
    };
    tree.ancestors(node).take(4).any(is)
}
