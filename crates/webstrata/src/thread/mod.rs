//! The posts of a discussion: a forum, a question and its answers, comments below an article.
//!
//! ```
//! use webstrata::cutting::Cutting;
//! use webstrata::{Options, Page};
//!
//! let html = b"<div class=post id=p1><b class=author>Ann</b> <time datetime=2025-09-04>today</time>\
//!     <div class=content><p>Does the ferry run on Sundays?</div></div>\
//!     <div class=post id=p2><b class=author>Bo</b> <time datetime=2025-09-05>today</time>\
//!     <div class=content><p>Every hour, from nine on.</div></div>";
//! let page = Page::read(html, Cutting::default(), &Options::default());
//! let posts = page.posts();
//! assert_eq!(posts[1].author.as_deref(), Some("Bo"));
//! assert_eq!(posts[1].time.as_deref(), Some("2025-09-05"));
//! assert_eq!(posts[1].text, "Every hour, from nine on.");
//! ```
//!
//! Posts are found by what repeats: elements of the same name, each with a text, an author and a time
//! of its own; and by what schema.org says of elements and texts. No list of sites or of software is
//! asked. `marks` reads the names of all elements once (`memory` has those that were read), `groups` chooses the elements, `schema` those
//! that the page states, `halves` adds what stands beside them, `body` tells text from what stands
//! around it, `quotes` finds what was said before, `fields` and `replies` read the rest. All of it is
//! linear in the page.

mod body;
mod fields;
mod groups;
mod halves;
mod marks;
mod memory;
mod names;
mod quotes;
mod replies;
mod schema;
#[cfg(test)]
mod tests;
mod text;
mod types;
mod words;

use std::cell::OnceCell;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

use memchr::memmem;
use serde::{Deserialize, Serialize};

use self::marks::Marks;
use self::names::flag;
use crate::clock::Steps;
use crate::page::Page;
use crate::tree::{NONE, NodeId, Tree};

/// Posts of a page that are looked for; the longest threads on one page have a few thousand.
const MOST_POSTS: usize = 200_000;

/// Posts between two looks at the clock.
const POSTS_PER_CHECK: u32 = 16;

/// One post of a discussion.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct Post {
    /// Its place in the discussion, from 1.
    pub position: u32,
    /// Who wrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// When it was written: an ISO 8601 day or time where the page has one, else the page's words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
    /// The position of the post that it answers, where the page shows that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<u32>,
    /// Is it the answer that the asker accepted? Only where the page shows that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accepted: Option<bool>,
    /// Votes or likes, where the page shows them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub votes: Option<i64>,
    /// The text, without quotations of earlier posts, signature and user card.
    pub text: String,
}

/// The posts of a page and where they are in its tree.
#[derive(Debug)]
pub(crate) struct Thread {
    /// In page order.
    pub(crate) posts: Vec<Found>,
    /// The page is a discussion; else they are comments below something else.
    pub(crate) is_discussion: bool,
    /// Names, types or the address say that it is a forum.
    pub(crate) says_forum: bool,
}

/// A post in the tree.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// The element of the post.
    pub(crate) node: NodeId,
    /// An element beside it that has its author or its time.
    pub(crate) beside: Option<NodeId>,
    /// The nodes whose text is the post's, in page order; what the lists below name is not part of it.
    pub(crate) body: Vec<Range<NodeId>>,
    pub(crate) author: Option<String>,
    pub(crate) time: Option<String>,
    /// The index of the post that it answers.
    pub(crate) reply_to: Option<usize>,
    pub(crate) accepted: Option<bool>,
    pub(crate) votes: Option<i64>,
    /// Quotations of other posts.
    pub(crate) quotes: Vec<NodeId>,
    pub(crate) signature: Vec<NodeId>,
    /// The author's card, buttons, notes of changes.
    pub(crate) card: Vec<NodeId>,
}

impl Page<'_> {
    /// The posts of a forum, of a question with its answers, or the comments below an article; none
    /// where the page has fewer than two, unless it says by schema.org that it is a discussion.
    pub fn posts(&self) -> Vec<Post> {
        self.document.clock.write();
        LazyThread::of(self).posts()
    }
}

/// The posts of a page, looked for when they are first asked for, and once only: several outputs need them.
pub(crate) struct LazyThread<'p, 't> {
    pub(crate) page: &'p Page<'t>,
    found: OnceCell<Option<Thread>>,
}

impl<'p, 't> LazyThread<'p, 't> {
    pub(crate) fn of(page: &'p Page<'t>) -> LazyThread<'p, 't> {
        LazyThread { page, found: OnceCell::new() }
    }

    pub(crate) fn get(&self) -> Option<&Thread> {
        self.found.get_or_init(|| of(self.page)).as_ref()
    }

    pub(crate) fn posts(&self) -> Vec<Post> {
        let found = self.get().map_or(&[][..], |thread| &thread.posts);
        let post = |(at, found): (usize, &Found)| Post {
            position: at as u32 + 1,
            author: found.author.clone(),
            time: found.time.clone(),
            reply_to: found.reply_to.map(|answered| answered as u32 + 1),
            accepted: found.accepted,
            votes: found.votes,
            text: text_of(self.page, found),
        };
        let mut steps = Steps::default();
        let clock = &self.page.document.clock;
        let in_time = found.iter().take_while(|_| !steps.are_over(clock, POSTS_PER_CHECK));
        in_time.enumerate().map(post).collect()
    }
}

pub(crate) use text::text_of;

/// Finds the posts of a page.
fn of(page: &Page<'_>) -> Option<Thread> {
    let tree = &page.tree;
    // Part of a discussion is none: where the time is over, nothing was found.
    let is_late = || page.document.clock.passed();
    if is_late() || !may_have_posts(tree.source().as_bytes()) {
        return None;
    }
    let mut marks = Marks::of_elements(tree, &page.document.clock)?;
    let stated = schema::read(tree, &mut marks);
    let is_stated = marks.types.say_forum();
    let is_forum = marks.is_forum || is_stated || says_forum(page);
    if !is_forum && !marks.may_have_posts() {
        return None;
    }
    marks.add_texts(tree);
    if is_late() {
        return None;
    }
    let keys = groups::keys(&marks);
    if !is_forum && marks.typed.is_empty() && !groups::may_be_any(tree, &marks, &keys) {
        return None;
    }
    marks.sum(tree);
    let (mut posts, mut says) = groups::posts(tree, &marks, &keys, is_forum);
    let mut is_sure = false;
    // Types are there for machines: they are believed where they tell of more posts than names do.
    let typed = schema::typed(&marks);
    if typed.len() > posts.len() {
        (posts, says, is_sure) = (typed, flag::TALK, marks.types.are_sure());
    }
    // So is JSON-LD, also where only two authors or times repeat: those of a thread's head and of its one post.
    let is_head = posts.len() == 2 && says & (flag::NAMED | flag::TALK) == 0;
    let most = if is_head { 0 } else { posts.len() };
    if is_stated && stated.len() > most {
        let written = schema::written(tree, &marks, &stated);
        if written.len() > most {
            (posts, says, is_sure) = (written, flag::TALK, marks.types.are_sure());
        }
    }
    if is_late() {
        return None;
    }
    groups::drop_empty(&marks, &mut posts);
    if posts.is_empty() || (posts.len() < 2 && !is_sure) {
        return None;
    }
    if is_late() {
        return None;
    }
    posts.truncate(MOST_POSTS);
    for kind in [flag::COMMENT, flag::REVIEW] {
        if says & kind == 0 && most_are(tree, &marks, &posts, kind) {
            says |= kind;
        }
    }
    let is_discussion = is_discussion(&marks, &posts, is_forum, says);
    if is_discussion
        && !is_sure
        && let Some(opening) = groups::opening(tree, &marks, &posts)
    {
        posts.insert(0, opening);
    }
    if is_late() {
        return None;
    }
    let mut others = halves::pairs(tree, &marks, &mut posts);
    halves::beside(tree, &marks, &posts, &mut others);
    let own = |(at, other): (usize, &Option<NodeId>)| {
        let mut own = body::own(&marks, &posts, at);
        own.extend(other.map(|other| other..marks.end[other as usize]));
        own.sort_by_key(|range| range.start);
        own
    };
    let owns: Vec<_> = others.iter().enumerate().map(own).collect();
    if is_late() {
        return None;
    }
    let parts = body::parts(tree, &marks, &owns);
    if is_late() {
        return None;
    }
    let replies = replies::of(tree, &marks, &posts, &owns);
    let mut steps = Steps::default();
    let mut found = Vec::with_capacity(posts.len());
    let (mut links, mut bolds, mut before) = (Vec::new(), Vec::new(), Vec::new());
    let all = posts.iter().zip(&others).zip(&owns).zip(parts).zip(replies);
    for ((((post, other), own), parts), reply_to) in all {
        if steps.are_over(&page.document.clock, POSTS_PER_CHECK) {
            return None;
        }
        let is_whole = parts.body == *own;
        let fields = fields::Fields { tree, marks: &marks, own, body: &parts.body, is_whole };
        let author = fields.author();
        // What else may be a name: the first link, the first words that are set off, those before the time.
        let unnamed = author.is_none();
        links.push(unnamed.then(|| fields.first_link()).flatten());
        bolds.push(unnamed.then(|| fields.first_bold()).flatten());
        before.push(unnamed.then(|| fields.before_time()).flatten());
        found.push(Found {
            node: post.node,
            beside: *other,
            author,
            time: fields.time(),
            reply_to,
            accepted: None,
            votes: fields.votes(),
            body: parts.body,
            quotes: parts.quotes,
            signature: parts.signature,
            card: parts.card,
        });
    }
    // Those that more posts have are names; a link may lead anywhere.
    let number = |names: &[Option<String>]| names.iter().flatten().count();
    let best = if number(&bolds) > number(&links) { bolds } else { links };
    name_by(&mut found, if number(&before) > number(&best) { before } else { best });
    quotes::add(tree, &marks, &mut found);
    if !is_sure && !are_believed(&found, is_forum, says) {
        return None;
    }
    accept(&marks, &owns, &mut found);
    add_stated(page, &stated, &mut found);
    Some(Thread { posts: found, is_discussion, says_forum: is_forum })
}

/// Is the page the discussion itself? Else the posts are comments or reviews below something else.
fn is_discussion(marks: &Marks, posts: &[groups::Region], is_forum: bool, says: u32) -> bool {
    let types = marks.types;
    if types.say_other() && !marks.is_forum {
        return false;
    }
    if is_forum {
        return true;
    }
    if says & flag::REVIEW != 0 {
        return false;
    }
    if says & flag::COMMENT != 0 {
        // Comments on a link: next to no text above them.
        return marks.text_before(posts[0].node) < 400;
    }
    // What is only called a post may be one of a blog.
    says & flag::TALK != 0 || !types.say_shared()
}

/// Have most posts this mark, or an element right around them?
fn most_are(tree: &Tree<'_>, marks: &Marks, posts: &[groups::Region], flag: u32) -> bool {
    let is = |post: &&groups::Region| {
        let mut around = std::iter::once(post.anchor).chain(tree.ancestors(post.anchor).take(3));
        around.any(|node| marks.is(node, flag))
    };
    posts.iter().filter(is).count() * 2 > posts.len()
}

/// Words that are in the names of posts.
static STEMS: LazyLock<[memmem::Finder<'static>; 10]> = LazyLock::new(|| {
    ["post", "omment", "essage", "nswer", "eply", "opic", "hread", "Post", "iscussion", "QAPage"]
        .map(memmem::Finder::new)
});

/// Pages that have no posts are told from others by the words that they do not have.
fn may_have_posts(page: &[u8]) -> bool {
    STEMS.iter().any(|stem| stem.find(page).is_some())
}

/// The same for a start tag, which is short. Each stem has one of these bytes, and other words seldom do.
fn names_posts(start_tag: &[u8]) -> bool {
    const RARE: [bool; 256] = crate::bytes::set(b"pPmgwhuQ");
    start_tag.iter().enumerate().filter(|(_, byte)| RARE[usize::from(**byte)]).any(|(at, byte)| {
        let (before, after) = (&start_tag[..at], &start_tag[at + 1..]);
        match byte {
            b'p' => {
                after.starts_with(b"ost")
                    || (before.ends_with(b"o") && after.starts_with(b"ic"))
                    || (before.ends_with(b"e") && after.starts_with(b"ly"))
            }
            b'P' => after.starts_with(b"ost"),
            b'm' => before.ends_with(b"o") && after.starts_with(b"ment"),
            b'g' => before.ends_with(b"essa") && after.starts_with(b"e"),
            b'w' => before.ends_with(b"ns") && after.starts_with(b"er"),
            b'h' => after.starts_with(b"read"),
            b'u' => before.ends_with(b"isc") && after.starts_with(b"ssion"),
            b'Q' => after.starts_with(b"APage"),
            _ => false,
        }
    })
}

/// Is the text that was kept in several boxes that are named as posts are? The text of an article is in one.
/// A cheap test before the expensive one. An address that says forum passes it, too.
pub(crate) fn is_in_boxes(page: &Page<'_>, kept: &[bool]) -> bool {
    let Page { tree, document } = page;
    if says_forum(page) {
        return true;
    }
    // The nearest box with such a name around each element that was passed.
    let mut boxes: Vec<NodeId> = vec![NONE; tree.nodes.len()];
    let mut words: HashMap<NodeId, u32> = HashMap::new();
    let (mut all, mut path) = (0, Vec::new());
    for (atom, _) in document.atoms.iter().zip(kept).filter(|(_, kept)| **kept) {
        path.clear();
        let mut found = 0;
        for node in tree.ancestors(atom.nodes.start).skip(1) {
            let known = boxes[node as usize];
            if known != NONE {
                found = known;
                break;
            }
            path.push(node);
            let start_tag = tree.start_tag(node).as_bytes();
            if start_tag.len() > 6 && names_posts(start_tag) {
                found = node;
                break;
            }
        }
        path.iter().for_each(|node| boxes[*node as usize] = found);
        *words.entry(found).or_default() += atom.counts.words;
        all += atom.counts.words;
    }
    words.values().all(|words| *words * 10 < all * 9)
}

fn says_forum(page: &Page<'_>) -> bool {
    let url = page.document.url.as_deref().unwrap_or_default();
    let url = url.get(..url.len().min(300)).unwrap_or_default().to_ascii_lowercase();
    // Parts of a path; a hyphen joins the words of a title, which may be about boards and threads.
    let mut parts = url.split(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_');
    let known = [
        "forum",
        "forums",
        "thread",
        "threads",
        "topic",
        "viewtopic",
        "showthread",
        "discussion",
        "questions",
        "board",
        "bbs",
        "discuss",
    ];
    let is_forum =
        |part: &str| known.contains(&part) || part.split(['-', '_']).any(|word| word == "forum");
    parts.any(is_forum)
}

/// Have enough of them an author and a time? In a forum one of both will do. Elements that are only
/// called `post` may be articles; where nothing says that people talk, they must be by several.
fn are_believed(found: &[Found], is_forum: bool, says: u32) -> bool {
    let authors = found.iter().filter(|post| post.author.is_some()).count();
    let times = found.iter().filter(|post| post.time.is_some()).count();
    if is_forum {
        return authors.max(times) * 2 >= found.len();
    }
    let first = found.iter().find_map(|post| post.author.as_deref());
    let differ = found.iter().any(|post| post.author.is_some() && post.author.as_deref() != first);
    let talk = says & (flag::TALK | flag::COMMENT) != 0;
    let both = authors * 10 >= found.len() * 6 && times * 10 >= found.len() * 5;
    (both && (talk || differ)) || (talk && differ && authors * 10 >= found.len() * 8)
}

/// Where nothing names authors, these do, if they differ.
fn name_by(found: &mut [Found], names: Vec<Option<String>>) {
    let unnamed = found.iter().filter(|post| post.author.is_none()).count();
    let known: Vec<&String> = names.iter().flatten().collect();
    let differ = known.windows(2).any(|pair| pair[0] != pair[1]);
    if unnamed * 2 < found.len() || known.len() * 3 < found.len() * 2 || !differ {
        return;
    }
    for (post, name) in found.iter_mut().zip(names) {
        post.author = post.author.take().or(name);
    }
}

/// A mark of acceptance that one post has and the others have not.
fn accept(marks: &Marks, owns: &[Vec<Range<NodeId>>], found: &mut [Found]) {
    let has = |own: &Vec<Range<NodeId>>, found: &Found| {
        let in_body =
            |node: &NodeId| found.body.iter().any(|body| body.start < *node && *node < body.end);
        let mut marked =
            own.iter().cloned().flatten().filter(|node| marks.is(*node, flag::ACCEPTED));
        marked.any(|node| !in_body(&node))
    };
    let roots: Vec<usize> =
        (0..found.len()).filter(|at| marks.is(found[*at].node, flag::ACCEPTED)).collect();
    let accepted = if roots.is_empty() {
        (0..found.len()).filter(|at| has(&owns[*at], &found[*at])).collect()
    } else {
        roots
    };
    if let [one] = accepted[..] {
        found[one].accepted = Some(true);
    }
}

/// JSON-LD is written for machines: what it says of a post is believed.
fn add_stated(page: &Page<'_>, stated: &HashMap<String, schema::Stated>, found: &mut [Found]) {
    if stated.is_empty() {
        return;
    }
    for post in found {
        let Some(stated) = stated.get(&schema::beginning(&text_of(page, post))) else { continue };
        if let Some(author) = &stated.author {
            post.author = Some(author.clone());
        }
        if let Some(time) = &stated.time {
            post.time = Some(time.clone());
        }
        post.votes = stated.votes.or(post.votes);
        if stated.accepted {
            post.accepted = Some(true);
        }
    }
}
