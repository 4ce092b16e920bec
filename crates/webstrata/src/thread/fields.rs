//! Who wrote a post and when, and what readers thought of it.

use std::ops::Range;

use super::marks::Marks;
use super::names::flag::{AUTHOR, CARD, SURE, TIME, VOTES};
use super::names::{leads_to_person, says_when};
use crate::html::tag::Tag;
use crate::metadata::date_in;
use crate::metadata::dates::is_month;
use crate::tree::{NONE, NodeId, Tree};

/// Characters of a name or a time.
const LONGEST: usize = 60;

/// Looks into one post.
pub(super) struct Fields<'a, 't> {
    pub(super) tree: &'a Tree<'t>,
    pub(super) marks: &'a Marks,
    /// Its nodes, without posts inside it.
    pub(super) own: &'a [Range<NodeId>],
    /// Its text, where names and times belong to what is said.
    pub(super) body: &'a [Range<NodeId>],
    /// The body is the post itself: nothing stands beside the text.
    pub(super) is_whole: bool,
}

impl Fields<'_, '_> {
    /// The nodes beside the text.
    fn around(&self) -> impl Iterator<Item = NodeId> {
        let mut at = 0;
        let (body, is_whole) = (self.body, self.is_whole);
        self.own.iter().cloned().flatten().filter(move |node| {
            while body.get(at).is_some_and(|body| body.end <= *node) {
                at += 1;
            }
            is_whole || !body.get(at).is_some_and(|body| body.contains(node))
        })
    }

    pub(super) fn author(&self) -> Option<String> {
        if let Some(stated) = self.stated_author() {
            return Some(stated);
        }
        let mut best: Option<(u8, String)> = None;
        for node in self.around().filter(|node| self.marks.is(*node, AUTHOR)) {
            let Some((rank, name)) = self.name_at(node) else { continue };
            if best.as_ref().is_none_or(|(found, _)| rank < *found) {
                best = Some((rank, name));
            }
            if rank == 0 {
                break;
            }
        }
        best.map(|(_, name)| name)
    }

    /// The name in an attribute of the post, for scripts.
    fn stated_author(&self) -> Option<String> {
        let root = self.own.first()?.start;
        for node in (root..root + 4).filter(|node| self.own[0].contains(node)) {
            if self.tree.start_tag(node).len() < 10 {
                continue;
            }
            let names =
                self.tree.attributes_named(node, ["data-author", "data-username", "author"]);
            let stated = names.into_iter().flatten().find_map(|name| clean_name(&name));
            if stated.is_some() {
                return stated;
            }
        }
        None
    }

    fn name_at(&self, node: NodeId) -> Option<(u8, String)> {
        let (tree, marks) = (self.tree, self.marks);
        let [property, content] = tree.attributes_named(node, ["itemprop", "content"]);
        let is_property = property.is_some_and(|name| name.contains("author") || name == "creator");
        if is_property {
            if let Some(name) = content.and_then(|name| clean_name(&name)) {
                return Some((0, name));
            }
            let end = marks.end[node as usize].min(node + 64);
            for inner in node + 1..end {
                let [property, content] = tree.attributes_named(inner, ["itemprop", "content"]);
                if property.is_some_and(|property| property == "name") {
                    let name =
                        content.map_or_else(|| self.short(inner), std::borrow::Cow::into_owned);
                    if let Some(name) = clean_name(&name) {
                        return Some((0, name));
                    }
                }
            }
        }
        let sure = marks.is(node, SURE);
        let is_card = marks.is(node, CARD);
        let end = marks.end[node as usize];
        let name = if marks.range_all(node) as usize <= LONGEST && !is_card {
            // A link to the person says the name and nothing else.
            let link = (node + 1..end).find(|inner| self.is_person_link(*inner));
            link.and_then(|link| clean_name(&self.short(link)))
                .or_else(|| clean_name(&self.short(node)))
        } else {
            None
        };
        if let Some(name) = name {
            return Some((if sure || is_property { 1 } else { 2 }, name));
        }
        // A card: its link to the person, its first link, else its first words.
        let near = node + 1..end.min(node + 48);
        let person = near.clone().find(|inner| self.is_person_link(*inner));
        if let Some(name) = person.and_then(|link| clean_name(&self.short(link))) {
            return Some((if sure { 1 } else { 3 }, name));
        }
        let link = near
            .clone()
            .filter(|inner| tree.nodes[*inner as usize].href && marks.range_all(*inner) > 0);
        let link = link.filter_map(|inner| clean_name(&self.short(inner))).next();
        let words = || {
            let texts = near.filter(|inner| tree.tag(*inner).is_none());
            texts.filter_map(|inner| clean_name(tree.text(inner))).next()
        };
        link.or_else(words).map(|name| (3, name))
    }

    fn is_person_link(&self, node: NodeId) -> bool {
        self.tree.tag(node) == Some(Tag::A)
            && self.marks.range_all(node) > 0
            && self.tree.attribute(node, "href").is_some_and(|href| leads_to_person(&href))
    }

    /// The first link with words beside the text: who wrote it, where nothing is named.
    pub(super) fn first_link(&self) -> Option<String> {
        let body = self.body.first().map_or(NodeId::MAX, |body| body.start);
        let before = self.around().take_while(|node| *node < body);
        let mut links = before.filter(|node| {
            self.tree.nodes[*node as usize].href
                && self.tree.text_content(*node).chars().any(char::is_alphabetic)
        });
        links.find_map(|node| clean_name(&self.short(node)))
    }

    /// The first name-like text that is set off.
    pub(super) fn first_bold(&self) -> Option<String> {
        let is_set_off = |node: &NodeId| {
            matches!(self.tree.tag(*node), Some(Tag::Strong | Tag::B | Tag::Dt | Tag::H4 | Tag::H5))
        };
        let names = self.around().filter(is_set_off).map(|node| self.short(node));
        let names = names.filter(|name| name.chars().any(char::is_alphabetic));
        names.filter_map(|name| clean_name(&name)).next()
    }

    /// The text right before a node, if nothing but space stands between.
    fn words_before(&self, node: NodeId) -> Option<&str> {
        let previous = self.tree.nodes[node as usize].previous;
        if previous == NONE {
            return None;
        }
        Some(self.tree.text(previous).trim()).filter(|text| !text.is_empty())
    }

    /// The words right before the time, where a sign stands between the two: `Ann · 4 May 2001`.
    pub(super) fn before_time(&self) -> Option<String> {
        let tree = self.tree;
        let mut times = self.around().filter(|node| self.marks.is(*node, TIME));
        times.find_map(|time| {
            // The time may be all of an element; the name stands before that.
            let around = std::iter::successors(Some(time), |node| tree.parent(*node)).take(3);
            let text = around.map(|node| self.words_before(node)).find_map(|text| text)?;
            let name = text.trim_end_matches(['·', '•', '|', '»', '–', '—', ',']);
            if name.len() == text.len() || name.len() > 4 * LONGEST {
                return None;
            }
            clean_name(name)
        })
    }

    /// What an element says that is there to say when goes before a date among the words; of the same
    /// day, a time with its clock before one without.
    pub(super) fn time(&self) -> Option<String> {
        let (mut marked, mut shown, mut words) = (None::<String>, None, None);
        for node in self.around().filter(|node| self.marks.is(*node, TIME)) {
            let (date, text) = self.time_at(node);
            words = words.or(text);
            let Some(date) = date else { continue };
            if self.tree.tag(node).is_none() {
                shown = shown.or(Some(date));
            } else if marked.as_deref().is_none_or(|before| is_finer(&date, before)) {
                marked = Some(date);
            }
        }
        marked.or(shown).or(words)
    }

    /// A date, or else words that say when.
    fn time_at(&self, node: NodeId) -> (Option<String>, Option<String>) {
        let names = ["datetime", "content", "title", "data-time", "data-timestamp"];
        if self.tree.tag(node).is_some() {
            let stated = self.tree.attributes_named(node, names);
            let date = stated.iter().flatten().find_map(|value| date_in(value));
            if date.is_some() {
                return (date, None);
            }
        }
        let text = self.short(node);
        let text = text.trim();
        if text.len() > 200 || text.is_empty() {
            return (None, None);
        }
        if let Some(date) = date_in(text) {
            return (Some(date), None);
        }
        let fits = text.chars().count() <= LONGEST && says_when(text);
        (None, fits.then(|| text.to_owned()))
    }

    pub(super) fn votes(&self) -> Option<i64> {
        let root = self.own.first()?.start;
        for node in (root..root + 3).filter(|node| self.own[0].contains(node)) {
            let stated = self.tree.attributes_named(node, ["data-score", "score"]);
            let stated = stated.into_iter().flatten().find_map(|value| number(&value));
            if stated.is_some() {
                return stated;
            }
        }
        for node in self.around().filter(|node| self.marks.is(*node, VOTES)) {
            let stated = self.tree.attributes_named(node, ["content", "data-value", "data-score"]);
            let stated = stated.into_iter().flatten().find_map(|value| number(&value));
            let own = || {
                let fits = self.marks.range_all(node) <= 24;
                fits.then(|| number(&self.short(node))).flatten()
            };
            if let Some(votes) = stated.or_else(own) {
                return Some(votes);
            }
        }
        None
    }

    /// The text of an element, as far as a name or a date goes.
    fn short(&self, node: NodeId) -> String {
        let end = self.marks.end[node as usize].min(node + 24);
        let mut text = String::new();
        for inner in node..end {
            for word in self.tree.text(inner).split_whitespace().take(24) {
                if text.len() > 4 * LONGEST {
                    return text;
                }
                if !text.is_empty() {
                    text.push(' ');
                }
                text.push_str(word.get(..word.len().min(200)).unwrap_or_default());
            }
        }
        text
    }
}

/// Is this the same day, with a clock that the other has not?
fn is_finer(date: &str, than: &str) -> bool {
    let same = date.get(..10) == Some(than) || crate::metadata::is_local_day(date, than);
    !than.contains('T') && date.contains('T') && same
}

/// A name without what stands around it: `by Ann:`, `@ann`, `Author: Ann`.
pub(super) fn clean_name(text: &str) -> Option<String> {
    let mut name = before_time(text.trim());
    for before in [
        "Posted by",
        "posted by",
        "Submitted by",
        "Written by",
        "Author:",
        "From:",
        "by ",
        "By ",
        "@",
        "von ",
        "Von ",
        "par ",
        "por ",
        "Napsal uživatel",
    ] {
        name = name.strip_prefix(before).unwrap_or(name).trim_start();
    }
    for after in [" says:", " said:", " wrote:", " says", " writes:", "'s profile"] {
        name = name.strip_suffix(after).unwrap_or(name);
    }
    let edges = |c: char| c.is_whitespace() || matches!(c, ':' | ',' | '|' | '»' | '«' | '·' | '•');
    name = name.trim_matches(edges);
    let is_word = ["by", "from", "author", "von", "par", "por", "posted by", "submitted by"]
        .iter()
        .any(|word| name.eq_ignore_ascii_case(word));
    let fits = !is_word
        && name.chars().any(char::is_alphanumeric)
        && name.chars().count() <= LONGEST
        && !says_when(name)
        && !is_button(name)
        && !is_day(name);
    fits.then(|| name.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Words on links and buttons beside a post.
const BUTTONS: [&str; 15] = [
    "reply",
    "quote",
    "share",
    "report",
    "permalink",
    "edit",
    "delete",
    "reply to this",
    "reply with quote",
    "multi quote",
    "log in to reply",
    "login to reply",
    "report abuse",
    "antworten",
    "répondre",
];

fn is_button(name: &str) -> bool {
    let is = |known: &&str| name.len() == known.len() && name.to_lowercase() == **known;
    BUTTONS.iter().any(is)
}

/// `15 February`, of `15 February, 2024`: a number and a month, and nothing else.
fn is_day(name: &str) -> bool {
    let is_number = |word: &str| word.len() <= 4 && word.starts_with(|c: char| c.is_ascii_digit());
    let words = || name.split([' ', ',', '.', '@']).filter(|word| !word.is_empty());
    name.contains(|c: char| c.is_ascii_digit())
        && words().any(is_month)
        && words().all(|word| is_number(word) || is_month(word))
}

/// `by Ann` of `by Ann » 4 May 2001`.
fn before_time(text: &str) -> &str {
    // Each of what may stand between has a space or a sign that names of one word have not.
    if text.bytes().all(|byte| byte.is_ascii() && byte != b' ' && byte != b'|') {
        return text;
    }
    let cut = |between: &str| {
        let (name, rest) = text.split_once(between)?;
        (!name.trim().is_empty() && says_when(rest)).then_some(name)
    };
    ["»", "·", "•", "|", " – ", " - ", " on ", " at ", ", "]
        .iter()
        .find_map(|at| cut(at))
        .unwrap_or(text)
}

/// A number of votes: `12 points`, `Score: 4`, `1.2k`, `-3`.
fn number(text: &str) -> Option<i64> {
    let start = text.find(|c: char| c.is_ascii_digit())?;
    let before = text[..start].trim_end();
    let negative = before.ends_with('-') || before.ends_with('−');
    let rest = &text[start..];
    let end =
        rest.find(|c: char| !c.is_ascii_digit() && c != ',' && c != '.').unwrap_or(rest.len());
    let (digits, unit) = rest.split_at(end);
    let thousands = unit.trim_start().starts_with(['k', 'K']);
    let value = if thousands {
        let value: f64 = digits.parse().ok()?;
        (value * 1000.0).min(1e15).round() as i64
    } else {
        digits.replace([',', '.'], "").get(..15.min(digits.len())).map_or_else(
            || digits.replace([',', '.'], "").parse().ok(),
            |digits| digits.parse().ok(),
        )?
    };
    Some(if negative { -value } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        assert_eq!(number("12 points"), Some(12));
        assert_eq!(number("Score: -4"), Some(-4));
        assert_eq!(number("1.2k"), Some(1200));
        assert_eq!(number("1,204 likes"), Some(1204));
        assert_eq!(number("none"), None);
        assert_eq!(number(&"9".repeat(400)), Some(999_999_999_999_999));
    }

    #[test]
    fn names() {
        assert_eq!(clean_name(" by  Ann Poe: ").as_deref(), Some("Ann Poe"));
        assert_eq!(clean_name("@ann").as_deref(), Some("ann"));
        assert_eq!(clean_name("3 hours ago"), None);
        assert_eq!(clean_name("—"), None);
        assert_eq!(clean_name("by Ann » 4 May 2001").as_deref(), Some("Ann"));
        assert_eq!(clean_name("Submitted by Ann Poe on 4 May 2001").as_deref(), Some("Ann Poe"));
        assert_eq!(clean_name("by"), None);
        assert_eq!(clean_name("Reply"), None);
        assert_eq!(clean_name("RÉPONDRE"), None);
        assert_eq!(clean_name("February 15, 2024 @ 7:28 AM"), None);
        assert_eq!(clean_name("April Fields").as_deref(), Some("April Fields"));
        assert_eq!(clean_name("June").as_deref(), Some("June"));
    }

    #[test]
    fn clocks() {
        assert!(is_finer("2025-09-04T10:00:00Z", "2025-09-04"));
        assert!(is_finer("2025-09-05T01:00:00Z", "2025-09-04"));
        assert!(!is_finer("2025-09-07T10:00:00Z", "2025-09-04"));
        assert!(!is_finer("2025-09-04", "2025-09-04"));
    }
}
