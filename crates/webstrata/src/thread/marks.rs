//! One walk over the tree: what each element may be, how much text it has, and under which keys it repeats.

use super::memory::{LONGEST_TAG, Names, Read, hash, hash_of_name, next_word, place_of_tag};
use super::names;
use super::names::flag::{
    ACCEPTED, AUTHOR, BODY, CARD, CONTROL, IN_REPLY, MENTION, NAMED, NAMED_TIME, QUOTE, SIGNATURE,
    STATED, SURE, TEASER, TIME, UNSEEN, VOTES, WHOLE,
};
use super::quotes::begins_with_name;
use super::types::{Types, short_type, type_says};
use crate::clock::{Clock, NODES_PER_CHECK, Steps};
use crate::html::noted::NotedName;
use crate::html::tag::Tag;
use crate::tree::{NONE, NodeId, Tree};

/// Classes of an element that are read; utility classes may be hundreds.
const MOST_CLASSES: usize = 12;
/// Attributes of an element that are read.
const MOST_ATTRIBUTES: usize = 64;
/// Text of a control or a card beyond which it is no such thing, in bytes.
pub(super) const LONGEST_CONTROL: u32 = 300;

/// A name under which elements repeat.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    pub(super) hash: u64,
    pub(super) node: NodeId,
    /// What the name says that made the key.
    pub(super) says: u32,
}

/// What is known of each node. All sums are over the nodes before an index, so that a range of nodes
/// has the difference of two.
pub(super) struct Marks {
    pub(super) flags: Vec<u32>,
    pub(super) end: Vec<NodeId>,
    /// Bytes of text that is no space.
    pub(super) all_text: Vec<u32>,
    /// What else is summed up.
    sums: Vec<Sums>,
    /// In page order.
    pub(super) keys: Vec<Key>,
    /// Names of forum software or of questions stand in the page.
    pub(super) is_forum: bool,
    /// What the page says that it is, by types of schema.org.
    pub(super) types: Types,
    /// Elements that have the type of a post, in page order.
    pub(super) typed: Vec<NodeId>,
}

/// What stands before a node.
#[derive(Clone, Copy, Default)]
struct Sums {
    /// Bytes of text that is no space, without authors, times, cards, signatures, quotes, controls and links.
    text: u32,
    authors: u32,
    times: u32,
    /// Times that an element says, not only its words.
    marked_times: u32,
    teasers: u32,
}

impl Marks {
    /// What the elements say by their names and attributes. [`Marks::add_texts`] and [`Marks::sum`] complete it.
    /// `None` where the time is over before.
    pub(super) fn of_elements(tree: &Tree<'_>, clock: &Clock) -> Option<Marks> {
        let count = tree.nodes.len();
        let mut marks = Marks {
            flags: vec![0; count],
            end: ends(tree),
            all_text: Vec::new(),
            sums: Vec::new(),
            keys: Vec::new(),
            is_forum: false,
            types: Types::default(),
            typed: Vec::new(),
        };
        let mut names = Names::new();
        // Names in the head and in drawings say nothing of posts.
        let mut unread_to = 0;
        let mut steps = Steps::default();
        for node in tree.nodes() {
            if steps.are_over(clock, NODES_PER_CHECK) {
                return None;
            }
            if let Some(tag) = tree.tag(node) {
                if matches!(tag, Tag::Head | Tag::Svg) {
                    unread_to = marks.end[node as usize].max(unread_to);
                }
                let is_read = node >= unread_to || tag == Tag::Meta;
                marks.element(tree, node, tag, is_read.then_some(&mut names));
            }
        }
        Some(marks)
    }

    /// Do elements whose name says that they are posts repeat, or have any the type of a post? On most pages there are
    /// none, and nothing else has to be looked at.
    pub(super) fn may_have_posts(&self) -> bool {
        let named = self.keys.iter().filter(|key| key.says & NAMED != 0);
        let mut hashes: Vec<u64> = named.map(|key| key.hash).collect();
        hashes.sort_unstable();
        !self.typed.is_empty() || hashes.windows(2).any(|pair| pair[0] == pair[1])
    }

    /// Adds what the texts say. [`Marks::sum`] completes it.
    pub(super) fn add_texts(&mut self, tree: &Tree<'_>) {
        let mut before = "";
        for node in tree.nodes().filter(|node| tree.tag(*node).is_none()) {
            // Most are spaces between elements.
            let text = tree.text(node);
            if !text.trim_ascii_start().is_empty() {
                self.flags[node as usize] |= text_flags(text, before);
                before = text;
            }
        }
        let flags = &self.flags;
        self.keys.retain(|key| flags[key.node as usize] & UNSEEN == 0);
    }

    /// Reads an element; its attributes where the names that are known are given.
    fn element<'a>(
        &mut self,
        tree: &'a Tree<'_>,
        node: NodeId,
        tag: Tag,
        names: Option<&mut Names<'a>>,
    ) {
        let mut flags = match tag {
            Tag::Script | Tag::Style | Tag::Svg | Tag::Template | Tag::Title | Tag::Head => UNSEEN,
            Tag::Button | Tag::Select | Tag::Textarea | Tag::Nav => CONTROL,
            Tag::Time => TIME,
            _ => 0,
        };
        if tree.hides(node) && tag != Tag::Noscript {
            flags |= UNSEEN;
        }
        let at = &tree.nodes[node as usize];
        if tag == Tag::Other
            && let Some(written) = tree.name(node)
        {
            let mut plain = Vec::new();
            names::plain(written.as_bytes(), &mut plain);
            let says = names::meaning(&plain) & NAMED;
            self.key(hash((0u8, hash_of_name(&plain))), node, says);
            flags |= says;
        }
        if at.end - at.start > 4
            && !at.carried
            && !matches!(
                tag,
                Tag::Script | Tag::Style | Tag::Link | Tag::Input | Tag::Option | Tag::Img
            )
            && let Some(names) = names
        {
            let read = self.read(tree, node, tag, names);
            flags |= read.flags;
            // A box has its key from its class; one that has none, from where it is.
            if !read.has_class
                && is_box(tag)
                && let Some(parent) = tree.parent(node)
                && self.flags[parent as usize] & NAMED != 0
            {
                self.key(hash((5u8, tag, self.flags[parent as usize])), node, NAMED);
            }
        }
        if matches!(tag, Tag::Blockquote | Tag::Fieldset)
            && flags & QUOTE == 0
            && begins_with_name(tree, node, self.end[node as usize])
        {
            flags |= QUOTE;
        }
        // Only boxes quote; `quote` on a link is a button.
        if flags & QUOTE != 0 && !is_box(tag) {
            flags = flags & !QUOTE | CONTROL;
        }
        if flags & (AUTHOR | TIME) != 0 && flags & UNSEEN == 0 && !is_box(tag) {
            let says = flags & (AUTHOR | TIME | SURE);
            self.key(hash((9u8, tag, says)), node, says);
        }
        self.flags[node as usize] |= flags;
    }

    /// What the attributes of an element say. Start tags that were read before are not read again: in a page, every
    /// second one is the same as another.
    fn read<'a>(
        &mut self,
        tree: &'a Tree<'_>,
        node: NodeId,
        tag: Tag,
        names: &mut Names<'a>,
    ) -> Read {
        let start_tag = tree.start_tag(node);
        // Of links and of these the rest of the page says more.
        if matches!(tag, Tag::A | Tag::Meta | Tag::Html | Tag::Body)
            || start_tag.len() > LONGEST_TAG
        {
            return self.attributes(tree, node, tag, names);
        }
        let place = place_of_tag(start_tag.as_bytes());
        let (known, read) = names.tags[place];
        if known == start_tag {
            for key in read.keys.0..read.keys.1 {
                let Key { hash, says, .. } = self.keys[key as usize];
                self.key(hash, node, says);
            }
            return read;
        }
        let before = self.keys.len() as u32;
        let mut read = self.attributes(tree, node, tag, names);
        read.keys = (before, self.keys.len() as u32);
        if !read.is_typed {
            names.tags[place] = (start_tag, read);
        }
        read
    }

    fn attributes<'a>(
        &mut self,
        tree: &'a Tree<'_>,
        node: NodeId,
        tag: Tag,
        names: &mut Names<'a>,
    ) -> Read {
        let Own { class, id, property, kind, rel, href, title, names_person } = Own::of(tree, node);
        let text = |(start, end): (usize, usize)| &tree.source[start..end];
        let (property, kind, rel) = (property.map(text), kind.map(text), rel.map(text));
        let (href, title) = (href.map(text), title.map(text));
        let mut flags = 0;
        let mut has_class = false;
        let mut classes = class.map_or(&b""[..], |class| &tree.source.as_bytes()[class.0..class.1]);
        for _ in 0..MOST_CLASSES {
            let Some(class) = next_word(&mut classes) else { break };
            let Some(name) = names.of(class) else { continue };
            flags |= name.says;
            has_class = true;
            self.key(hash((1u8, tag, name.hash)), node, name.says);
            self.is_forum |= name.is_forum;
        }
        if let Some(id) = id.map(|id| &tree.source.as_bytes()[id.0..id.1])
            && let Some(name) = names.of(id)
        {
            // An id names one thing; only that it is a post, a card or so may be read off it.
            flags |= name.says & !(AUTHOR | TIME | NAMED_TIME | SURE | VOTES | ACCEPTED);
            if id.iter().any(u8::is_ascii_digit) {
                // A letter and a number are a post's id in many forums: `p123`, `msg4`.
                self.key(hash((2u8, tag, name.hash)), node, name.says | NAMED);
            }
            self.is_forum |= name.is_forum;
        }
        for kind in kind.iter().flat_map(|all| all.split_ascii_whitespace()).take(4) {
            let says = type_says(kind);
            if says != 0 {
                flags |= says;
                self.key(hash((3u8, short_type(kind))), node, says & !WHOLE);
                if self.typed.last() != Some(&node) {
                    self.typed.push(node);
                }
            }
            self.types.add(kind);
        }
        if tag == Tag::Meta
            && property == Some("og:type")
            && let Some(kind) = tree.attribute(node, "content")
        {
            self.types.add(kind.trim());
        }
        for property in property.iter().flat_map(|all| all.split_ascii_whitespace()).take(4) {
            match property.strip_prefix("schema:").unwrap_or(property) {
                "author" | "creator" => flags |= AUTHOR | SURE,
                "datePublished" | "dateCreated" | "commentTime" => flags |= TIME | NAMED_TIME,
                "upvoteCount" => flags |= VOTES,
                "acceptedAnswer" => flags |= ACCEPTED | NAMED,
                "comment" | "suggestedAnswer" => {
                    flags |= NAMED;
                    self.key(hash((4u8, property)), node, NAMED);
                }
                "text" | "commentText" | "articleBody" => {
                    flags |= NAMED;
                    self.key(hash((4u8, "text")), node, NAMED | BODY | STATED);
                }
                _ => {}
            }
        }
        if rel.is_some_and(|rel| rel.split_ascii_whitespace().any(|rel| rel == "author")) {
            flags |= AUTHOR | SURE;
        }
        if tag == Tag::A
            && flags & (AUTHOR | MENTION) == 0
            && href.is_some_and(names::leads_to_person)
            && !tree.children(node).any(|child| tree.text(child).starts_with('@'))
        {
            flags |= AUTHOR;
        }
        if tag != Tag::A && names_person && flags & QUOTE == 0 {
            flags |= AUTHOR;
        }
        if flags & (TIME | UNSEEN) == 0
            && let Some(title) = title
            && names::says_when(title)
            // What a person wrote elsewhere has a date of its own.
            && !(tag == Tag::A && href.is_some_and(names::leads_into_home))
        {
            flags |= TIME;
        }
        Read { flags, has_class, is_typed: kind.is_some(), keys: (0, 0) }
    }

    fn key(&mut self, hash: u64, node: NodeId, says: u32) {
        self.keys.push(Key { hash, node, says });
    }

    /// Adds up texts and marks. Marks in quotes and in what nobody sees count for nothing.
    pub(super) fn sum(&mut self, tree: &Tree<'_>) {
        let count = self.flags.len();
        self.all_text.reserve_exact(count + 1);
        self.sums.reserve_exact(count + 1);
        let mut total = 0;
        let mut unseen_to = 0;
        for node in 0..count as NodeId {
            self.all_text.push(total);
            if self.flags[node as usize] & UNSEEN != 0 {
                unseen_to = unseen_to.max(self.end[node as usize]);
            }
            if node < unseen_to {
                self.flags[node as usize] &= !(AUTHOR | TIME | NAMED | VOTES | ACCEPTED | IN_REPLY);
                continue;
            }
            total = total.saturating_add(length(tree.text(node)));
        }
        self.all_text.push(total);
        let mut sums = Sums::default();
        let (mut aside_to, mut quote_to, mut link_to, mut card_to) = (0, 0, 0, 0);
        for node in 0..count as NodeId {
            let at = node as usize;
            self.sums.push(sums);
            let (end, mut flags) = (self.end[at], self.flags[at]);
            let is_link = tree.tag(node) == Some(Tag::A) && tree.nodes[at].href;
            if flags == 0 && !is_link {
                // Most nodes.
                if node >= aside_to.max(quote_to).max(link_to) {
                    let own = self.all_text[at + 1] - self.all_text[at];
                    sums.text = sums.text.saturating_add(own);
                }
                continue;
            }
            let own = self.all_text[end as usize] - self.all_text[at];
            if flags & SIGNATURE != 0 && self.has_author(node, end) {
                // Some software calls the author's line at the end so.
                flags &= !SIGNATURE;
            }
            if flags & CONTROL != 0 && own > LONGEST_CONTROL {
                flags &= !CONTROL;
            }
            if flags & AUTHOR != 0 && (own == 0 && flags & SURE == 0) {
                flags &= !AUTHOR;
            }
            if node < quote_to {
                flags &= !(AUTHOR | TIME | NAMED);
            }
            // On a card a date says since when somebody is a member, unless its name says otherwise.
            if node < card_to && flags & NAMED_TIME == 0 {
                flags &= !TIME;
            }
            if flags & CARD != 0 && flags & TIME == 0 && own <= LONGEST_CONTROL {
                card_to = card_to.max(end);
                aside_to = aside_to.max(end);
            }
            if flags & NAMED_TIME != 0 && node < card_to {
                // What is in it tells the time, too.
                card_to = node;
            }
            // Who wrote a comment stands in its class, too: `comment-author-ann`. A short one is no name.
            let is_both = flags & AUTHOR != 0 && flags & NAMED != 0;
            if is_both && own <= 60 && self.is_post(tree, node, end) {
                flags &= !(AUTHOR | SURE);
            }
            // Who and when are no text of the post.
            if flags & (AUTHOR | TIME) != 0 && own <= 60 {
                aside_to = aside_to.max(end);
            }
            if flags & QUOTE != 0 {
                quote_to = quote_to.max(end);
            }
            if flags & (SIGNATURE | CONTROL | UNSEEN) != 0 {
                aside_to = aside_to.max(end);
            }
            if is_link {
                link_to = link_to.max(end);
                if self.is_heading_link(tree, node, own) {
                    flags |= TEASER;
                }
            }
            self.flags[at] = flags;
            sums.authors += u32::from(flags & AUTHOR != 0);
            sums.times += u32::from(flags & TIME != 0);
            sums.marked_times += u32::from(flags & TIME != 0 && tree.tag(node).is_some());
            sums.teasers += u32::from(flags & TEASER != 0);
            if node >= aside_to.max(quote_to).max(link_to) {
                let own = self.all_text[at + 1] - self.all_text[at];
                sums.text = sums.text.saturating_add(own);
            }
        }
        self.sums.push(sums);
    }

    /// Bytes of texts of posts before a node.
    pub(super) fn text_before(&self, node: NodeId) -> u32 {
        self.sums[node as usize].text
    }

    /// What stands before an element, and before what is behind it.
    fn ends_of(&self, node: NodeId) -> (&Sums, &Sums) {
        (&self.sums[node as usize], &self.sums[self.end[node as usize] as usize])
    }

    fn has_author(&self, node: NodeId, end: NodeId) -> bool {
        let end = end.min(node + 200);
        (node..end).any(|inner| self.flags[inner as usize] & AUTHOR != 0)
    }

    /// Has a box an author in it, and a text beside?
    fn is_post(&self, tree: &Tree<'_>, node: NodeId, end: NodeId) -> bool {
        let inside = || node + 1..end.min(node + 200);
        let is_text = |node: NodeId| {
            tree.tag(node) == Some(Tag::P) || self.flags[node as usize] & (BODY | AUTHOR) == BODY
        };
        self.has_author(node + 1, end) && inside().any(is_text)
    }

    /// A link in a heading, or around one, that leads away from this page. Links of posts have a `#`.
    fn is_heading_link(&self, tree: &Tree<'_>, node: NodeId, own: u32) -> bool {
        let is_heading =
            |node: &NodeId| matches!(tree.tag(*node), Some(Tag::H1 | Tag::H2 | Tag::H3 | Tag::H4));
        own > 12
            && self.flags[node as usize] & AUTHOR == 0
            && (tree.ancestors(node).take(3).any(|node| is_heading(&node))
                || (node..self.end[node as usize].min(node + 16)).any(|node| is_heading(&node)))
            && tree.attribute(node, "href").is_some_and(|href| !is_own_link(tree, node, &href))
    }

    pub(super) fn range_text(&self, node: NodeId) -> u32 {
        let (start, end) = self.ends_of(node);
        end.text - start.text
    }

    pub(super) fn range_all(&self, node: NodeId) -> u32 {
        self.all_text[self.end[node as usize] as usize] - self.all_text[node as usize]
    }

    pub(super) fn range_authors(&self, node: NodeId) -> u32 {
        let (start, end) = self.ends_of(node);
        end.authors - start.authors
    }

    pub(super) fn range_times(&self, node: NodeId) -> u32 {
        let (start, end) = self.ends_of(node);
        end.times - start.times
    }

    pub(super) fn range_marks(&self, node: NodeId) -> u32 {
        let (start, end) = self.ends_of(node);
        end.authors - start.authors + end.marked_times - start.marked_times
    }

    pub(super) fn range_teasers(&self, node: NodeId) -> u32 {
        let (start, end) = self.ends_of(node);
        end.teasers - start.teasers
    }

    pub(super) fn is(&self, node: NodeId, flag: u32) -> bool {
        self.flags[node as usize] & flag != 0
    }

    pub(super) fn contains(&self, outer: NodeId, inner: NodeId) -> bool {
        outer <= inner && inner < self.end[outer as usize]
    }
}

/// The attributes of an element that may say something of posts, as spans of the page.
#[derive(Default)]
struct Own {
    class: Option<(usize, usize)>,
    id: Option<(usize, usize)>,
    property: Option<(usize, usize)>,
    kind: Option<(usize, usize)>,
    rel: Option<(usize, usize)>,
    href: Option<(usize, usize)>,
    title: Option<(usize, usize)>,
    names_person: bool,
}

impl Own {
    fn of(tree: &Tree<'_>, node: NodeId) -> Own {
        let mut own = Own::default();
        if let Some(noted) = tree.noted_attributes(node) {
            for at in noted {
                own.add(at.name, (at.start as usize, at.end as usize));
            }
            return own;
        }
        let at = &tree.nodes[node as usize];
        let mut attributes = tree.attributes_of_tag(at.start, at.end);
        for _ in 0..MOST_ATTRIBUTES {
            let Some(span) = attributes.read_next() else { break };
            if let Some(name) = NotedName::of(&tree.source.as_bytes()[span.name.0..span.name.1]) {
                own.add(name, span.value);
            }
        }
        own
    }

    /// The first one counts.
    fn add(&mut self, name: NotedName, value: (usize, usize)) {
        let of = match name {
            NotedName::Class => &mut self.class,
            NotedName::Id => &mut self.id,
            NotedName::Itemprop | NotedName::Property => &mut self.property,
            NotedName::Itemtype | NotedName::Typeof => &mut self.kind,
            NotedName::Rel => &mut self.rel,
            NotedName::Href => &mut self.href,
            NotedName::Title => &mut self.title,
            NotedName::DataAuthor | NotedName::DataUsername => {
                self.names_person = true;
                return;
            }
            _ => return,
        };
        of.get_or_insert(value);
    }
}

/// Does a link lead to the place where it stands? It has a `#`, or the number of an element around it.
fn is_own_link(tree: &Tree<'_>, node: NodeId, href: &str) -> bool {
    let number = |node: NodeId| {
        let id = tree.attribute(node, "id")?;
        let number = id.rsplit(|c: char| !c.is_ascii_digit()).find(|run| run.len() > 3)?;
        Some(href.contains(number))
    };
    let mut around = std::iter::once(node).chain(tree.ancestors(node).take(5));
    href.contains('#') || around.any(|node| number(node) == Some(true))
}

/// Words may say when; not where the words before them say of what: `Joined`, `Last visit`.
fn text_flags(text: &str, before: &str) -> u32 {
    let is_time =
        text.len() < 120 && names::says_when(text) && !names::is_of_another_time(before.trim());
    if is_time { TIME } else { 0 }
}

/// Elements that may hold a post or a quotation.
fn is_box(tag: Tag) -> bool {
    matches!(
        tag,
        Tag::Div
            | Tag::Blockquote
            | Tag::Aside
            | Tag::Table
            | Tag::Fieldset
            | Tag::Details
            | Tag::Section
            | Tag::Article
            | Tag::Td
            | Tag::Tr
            | Tag::Tbody
            | Tag::Li
            | Tag::Ul
            | Tag::Ol
            | Tag::Dl
            | Tag::Dd
            | Tag::Main
            | Tag::Header
            | Tag::Other
    )
}

fn ends(tree: &Tree<'_>) -> Vec<NodeId> {
    let count = tree.nodes.len() as NodeId;
    let mut ends = vec![count; count as usize];
    // Parents come before their children: each asks its own next sibling, else its parent.
    for (at, node) in tree.nodes.iter().enumerate() {
        ends[at] = match (node.next, node.parent) {
            (NONE, NONE) => count,
            (NONE, parent) => ends[parent as usize],
            (next, _) => next,
        };
    }
    ends
}

/// Bytes that are no space.
pub(super) fn length(text: &str) -> u32 {
    (text.len() - crate::bytes::count(text.as_bytes(), |byte| byte.is_ascii_whitespace())) as u32
}
