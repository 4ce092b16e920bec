//! The links of a page: where they lead, and whether they stand in the main text.
//!
//! ```
//! use webstrata::{Extractor, Options, Page};
//!
//! let html = b"<p>The <a href=/tides rel=nofollow>tide tables</a> are on board.";
//! let options = Options { url: Some("https://harbour.example/news".into()), ..Options::default() };
//! let extractor = Extractor::named("keep-all").unwrap();
//! let mut page = Page::read(html, extractor.cutting, &options);
//! extractor.apply(&mut page.document);
//! let link = &page.links()[0];
//! assert_eq!(link.url, "https://harbour.example/tides");
//! assert_eq!(link.internal, Some(true));
//! assert!(link.in_content);
//! ```

use serde::{Deserialize, Serialize};

use crate::addresses::{Addresses, LONGEST_URL};
use crate::bytes::is_collapsed;
use crate::clock::Steps;
use crate::html::tag::Tag;
use crate::page::Page;
use crate::tree::NodeId;

/// Characters of a link's text.
const LONGEST_TEXT: usize = 1_000;

/// Nodes inside a link that are looked at.
const MOST_NODES: NodeId = 1_000;

/// Bytes of addresses and texts for each byte of the page: a long `<base href>` and many short links would
/// fill any memory.
const BYTES_A_BYTE: usize = 16;

/// The same for any page, however short it is.
const LEAST_BYTES: usize = 1 << 20;

/// Bytes of the links of a page of so many bytes.
fn most_bytes(page: usize) -> usize {
    LEAST_BYTES + BYTES_A_BYTE * page
}

/// Memory that a link takes beside its address and texts, in a list and as JSON.
const LINK_COST: usize = 320;
/// The same of a byte of these.
const BYTE_COST: usize = 4;

/// Links between two looks at the clock.
const LINKS_PER_CHECK: u32 = 256;

/// A link of a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct Link {
    /// Where it leads: absolute if the page's address or its `<base href>` is known, else as written.
    pub url: String,
    /// The text of the link, whitespace collapsed; the alternative text of its image where it has
    /// none.
    pub text: String,
    /// Its `rel`, as written: `nofollow`, `author`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rel: Option<String>,
    /// The piece of text that the link stands in, as an index into the record's `blocks`, which are the
    /// document's atoms; none where it has no text that is shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block: Option<u32>,
    /// Is that text part of the main text, as the extractor decided?
    pub in_content: bool,
    /// Does it lead to the host of the page? `www.` aside, hosts are compared whole: `a.b.example`
    /// and `b.example` are two. Unknown where the page's address is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub internal: Option<bool>,
}

impl Page<'_> {
    /// All links (`<a href>`, `<area href>`) that lead to another page, in page order, each as often
    /// as it is there. Left out are those that do not: `javascript:`, `mailto:`, `tel:`, `data:` and
    /// any other scheme than `http` and `https`, links to a place in the same page (`#top`), and those
    /// that are no addresses. Where all of them would be longer than 16 times the page, or take more than is left of
    /// [`Limits::memory`](crate::Limits::memory), the last ones are left out, too; of the latter the document's limits tell.
    ///
    /// Ask after an extractor was applied to the document; before, no link is in content.
    pub fn links(&self) -> Vec<Link> {
        self.document.clock.write();
        self.where_links_lead()
    }

    /// The same as part of a record.
    pub(crate) fn where_links_lead(&self) -> Vec<Link> {
        let Page { tree, document } = self;
        let addresses = Addresses::of(self);
        let content = document.content_atoms();
        // Atoms are in page order, and so are the links: both are gone through once.
        let mut atom = 0;
        let mut links = Vec::new();
        let mut room = most_bytes(tree.source.len());
        let mut memory = document.spare.for_links();
        let mut steps = Steps::default();
        for node in tree.nodes().filter(|node| tree.nodes[*node as usize].href) {
            // What a parser carries on into the next block was written once.
            let is_link = matches!(tree.tag(node), Some(Tag::A | Tag::Area));
            if !is_link || tree.nodes[node as usize].carried {
                continue;
            }
            let [href, rel] = tree.attributes_named(node, ["href", "rel"]);
            if steps.are_over(&document.clock, LINKS_PER_CHECK) {
                break;
            }
            let href = href.unwrap_or_default();
            let href = href.trim();
            if href.is_empty() || href.starts_with('#') || href.len() > LONGEST_URL {
                continue;
            }
            let Some((url, internal)) = addresses.target(href) else { continue };
            // Links nest in broken pages: the outer ones must not read all inner ones again.
            let end = tree.end_of(node).min(node.saturating_add(MOST_NODES));
            while document.atoms.get(atom).is_some_and(|atom| atom.nodes.end <= node) {
                atom += 1;
            }
            let shown = |node: NodeId| {
                let word = document.shown.get(node as usize / 64).copied().unwrap_or_default();
                word & (1 << (node % 64)) != 0
            };
            let mut inside = (node..end).filter(|node| shown(*node));
            let block = inside.next().and_then(|text| {
                let ahead = document.atoms[atom..].partition_point(|atom| atom.nodes.end <= text);
                let found = document.atoms.get(atom + ahead)?;
                found.nodes.contains(&text).then_some((atom + ahead) as u32)
            });
            let text = self.text_of_link(node, end);
            room = room.saturating_sub(url.len() + text.len());
            if room == 0 {
                break;
            }
            let rel = rel.map(|rel| crate::metadata::collapse(&rel, 200));
            let rel = rel.filter(|rel| !rel.is_empty());
            let bytes = url.len() + text.len() + rel.as_ref().map_or(0, String::len);
            memory = memory.saturating_sub(LINK_COST + BYTE_COST * bytes);
            if memory == 0 {
                document.spare.ran_out();
                break;
            }
            links.push(Link {
                url,
                text,
                rel,
                block,
                in_content: block.is_some_and(|block| content[block as usize]),
                internal,
            });
        }
        links
    }

    fn text_of_link(&self, node: NodeId, end: NodeId) -> String {
        let tree = &self.tree;
        let mut text = Collapsed { out: String::with_capacity(SHORT_TEXT), space: false };
        for inner in node..end {
            if text.out.len() > LONGEST_TEXT * 4 {
                break;
            }
            match tree.tag(inner) {
                None => {
                    let in_code = tree.parent(inner).and_then(|parent| tree.tag(parent));
                    if !matches!(in_code, Some(Tag::Script | Tag::Style)) {
                        text.push(tree.text(inner));
                    }
                }
                Some(
                    Tag::Span | Tag::B | Tag::I | Tag::Em | Tag::Strong | Tag::Font | Tag::Code,
                ) => {}
                Some(_) => text.space = true,
            }
        }
        if text.out.is_empty() {
            let mut inside = node..end.min(node + 64);
            if let Some(alternative) = inside.find_map(|inner| tree.attribute(inner, "alt")) {
                text.push(&alternative);
            }
        }
        text.out
    }
}

/// Bytes of most texts of links.
const SHORT_TEXT: usize = 32;

/// A text whose whitespace is collapsed while it is put together, cut off.
struct Collapsed {
    out: String,
    /// Whitespace stands before what comes next.
    space: bool,
}

impl Collapsed {
    fn push(&mut self, text: &str) {
        let words = text.trim_ascii();
        if words.is_empty() {
            self.space |= !text.is_empty();
            return;
        }
        if is_collapsed(words) && self.out.len() + words.len() <= LONGEST_TEXT * 4 {
            let space = self.space || text.starts_with(|c: char| c.is_ascii_whitespace());
            if space && !self.out.is_empty() {
                self.out.push(' ');
            }
            self.out.push_str(words);
            self.space = text.ends_with(|c: char| c.is_ascii_whitespace());
            return;
        }
        self.space |= text.starts_with(char::is_whitespace);
        for word in text.split_whitespace() {
            if self.out.len() + word.len() > LONGEST_TEXT * 4 {
                return;
            }
            if self.space && !self.out.is_empty() {
                self.out.push(' ');
            }
            self.out.push_str(word);
            self.space = true;
        }
        self.space = text.ends_with(char::is_whitespace) || (self.space && text.trim().is_empty());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Extractor, Options};

    fn links(html: &str, url: Option<&str>) -> Vec<Link> {
        let options = Options { url: url.map(str::to_owned), ..Options::default() };
        let extractor = Extractor::default_builtin();
        let mut page = Page::read(html.as_bytes(), extractor.cutting, &options);
        extractor.apply(&mut page.document);
        page.links()
    }

    fn urls(html: &str, url: Option<&str>) -> Vec<String> {
        links(html, url).into_iter().map(|link| link.url).collect()
    }

    const PAGE: Option<&str> = Some("https://www.harbour.example/news/today");

    #[test]
    fn long_bases_are_no_way_to_fill_memory() {
        let base = format!("<base href='https://harbour.example/{}/'>", "quay/".repeat(1_000));
        let html = base + &"<a href=a>b</a>".repeat(2_000);
        let all = links(&html, None);
        let bytes: usize = all.iter().map(|link| link.url.len()).sum();
        assert!(all.len() < 2_000 && bytes <= most_bytes(html.len()), "{bytes}");
    }

    #[test]
    fn addresses() {
        let html = "<a href=tides>1</a><a href='/a b'>2</a><a href=//sea.example>3</a><a href='?q=1#x'>4</a>
            <map><area href=../map alt=Map></map>";
        let absolute = [
            "https://www.harbour.example/news/tides",
            "https://www.harbour.example/a%20b",
            "https://sea.example/",
            "https://www.harbour.example/news/today?q=1#x",
            "https://www.harbour.example/map",
        ];
        assert_eq!(urls(html, PAGE), absolute);
        assert_eq!(urls(html, None), ["tides", "/a b", "//sea.example", "?q=1#x", "../map"]);
        let base = format!("<base href=https://sea.example/deep/>{html}");
        assert_eq!(urls(&base, PAGE)[0], "https://sea.example/deep/tides");
        assert_eq!(urls(&base, None)[0], "https://sea.example/deep/tides");
        assert_eq!(
            urls(&format!("<base href=/deep/>{html}"), PAGE)[0],
            "https://www.harbour.example/deep/tides"
        );
    }

    #[test]
    fn left_out() {
        let html = "<a href='javascript:go()'>1</a><a href=mailto:a@b.example>2</a><a href=#top>3</a>
            <a href=tel:1>4</a><a href='http://[bad'>5</a><a name=x>6</a><a href=''>7</a><a href=data:,x>8</a>";
        assert_eq!(links(html, PAGE), []);
        assert_eq!(links(html, None), []);
    }

    #[test]
    fn hosts() {
        let html = "<a href=http://harbour.example>1</a><a href=https://sub.harbour.example>2</a>";
        let internal =
            |url| links(html, url).into_iter().map(|link| link.internal).collect::<Vec<_>>();
        assert_eq!(internal(PAGE), [Some(true), Some(false)]);
        assert_eq!(internal(None), [None, None]);
    }

    #[test]
    fn content_and_text() {
        let sentence = "The ferry between the two islands will run every hour from Monday on, and all \
            tickets are sold on board in coins only, the harbour office said.";
        let html = format!(
            "<ul><li><a href=/home>Home</a><li>News</ul>
            <p>{sentence} <a href=/tides rel='nofollow  me'>Tide <b>tables</b></a> {sentence}</p><p>{sentence}</p>
            <a href=/logo><img alt='A buoy'></a><p hidden><a href=/secret>Secret</a></p>"
        );
        let options = Options { url: PAGE.map(str::to_owned), ..Options::default() };
        let mut page = Page::read(html.as_bytes(), crate::cutting::Cutting::Boilerpipe, &options);
        page.document.blocks[2].is_content = true;
        let links = page.links();
        let short: Vec<_> =
            links.iter().map(|l| (l.text.as_str(), l.block, l.in_content)).collect();
        let expected = [
            ("Home", Some(0), false),
            ("Tide tables", Some(2), true),
            ("A buoy", None, false),
            ("Secret", None, false),
        ];
        assert_eq!(short, expected);
        assert_eq!(links[1].rel.as_deref(), Some("nofollow me"));
    }

    #[test]
    fn carried_links_count_once() {
        assert_eq!(urls("<p><a href=/x>one<p>two<p>three", PAGE).len(), 1);
    }
}
