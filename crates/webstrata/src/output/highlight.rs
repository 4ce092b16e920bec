//! The page itself, with its main text marked: what an extractor saw, for people to look at.

use std::borrow::Cow;
use std::fmt::Write;

use crate::clock::{Clock, NODES_PER_CHECK, Steps};
use crate::document::Document;
use crate::html::tag::Tag;
use crate::tree::{NodeId, Tree};

const STYLE: &str = "<style>\
    .webstrata-content{background:#fff3a3!important;color:#000!important;outline:1px solid #e0c200}\
    </style>";

/// Writes the page as HTML with every content text in `<mark class="webstrata-content">`. Nothing in
/// it runs: scripts, event handlers, `javascript:` links, embedded documents and automatic reloads are
/// left out. The tree has to be the one that the document was cut from.
///
/// ```
/// use webstrata::{Extractor, Options, Page};
///
/// let extractor = Extractor::named("keep-all").unwrap();
/// let mut page = Page::read(b"<p onclick=x()>Fog.<script>x()</script>", extractor.cutting, &Options::default());
/// extractor.apply(&mut page.document);
/// let html = webstrata::output::highlight(&page.document, &page.tree);
/// assert!(html.contains("<p><mark class=\"webstrata-content\">Fog.</mark></p>"));
/// assert!(!html.contains("x()"));
/// ```
pub fn highlight(document: &Document, tree: &Tree<'_>) -> String {
    document.clock.write();
    let mut marked = vec![false; tree.nodes.len()];
    for (atom, content) in document.atoms.iter().zip(document.content_atoms()) {
        let nodes = atom.nodes.start as usize..atom.nodes.end as usize;
        for node in nodes.filter(|_| content) {
            marked[node] = document.shown[node / 64] & (1 << (node % 64)) != 0;
        }
    }
    let html = String::with_capacity(tree.source.len());
    let (clock, attributes_left) =
        (&document.clock, tree.source.len().min(document.spare.for_output()));
    let mut writer = Writer { tree, clock, marked, html, attributes_left };
    // The byte order mark: no attribute of the page can push it out of where browsers look for the
    // encoding.
    writer.html.push_str("\u{feff}<!doctype html>\n");
    writer.write();
    writer.html
}

struct Writer<'a, 't> {
    tree: &'a Tree<'t>,
    clock: &'a Clock,
    marked: Vec<bool>,
    html: String,
    /// Bytes of attributes that may still be written. A formatting element that the page left open is
    /// repeated in many blocks, and its attributes may be as long as the page.
    attributes_left: usize,
}

impl Writer<'_, '_> {
    fn write(&mut self) {
        let mut open: Vec<NodeId> = Vec::new();
        let (mut node, mut steps) = (0, Steps::default());
        while (node as usize) < self.tree.nodes.len() {
            if steps.are_over(self.clock, NODES_PER_CHECK) {
                break;
            }
            let parent = self.tree.parent(node);
            while open.last().is_some_and(|last| Some(*last) != parent) {
                self.end_tag(open.pop());
            }
            match self.tree.tag(node) {
                None => self.text(node),
                Some(tag) if runs(tag) && !(tag == Tag::Noscript && self.tree.shows_noscript) => {
                    node = self.tree.end_of(node);
                    continue;
                }
                Some(tag) => {
                    self.start_tag(node, tag);
                    if !tag.is_void() {
                        open.push(node);
                    }
                }
            }
            node += 1;
        }
        while !open.is_empty() {
            self.end_tag(open.pop());
        }
    }

    fn start_tag(&mut self, node: NodeId, tag: Tag) {
        let name = written_name(self.tree, node);
        let _ = write!(self.html, "<{name}");
        for attribute in self.tree.attributes(node) {
            let length = attribute.name.len() + attribute.value.len();
            if length > self.attributes_left {
                break;
            }
            self.attributes_left -= length;
            if is_plain_name(attribute.name) && !acts(attribute.name, &attribute.value) {
                let _ = write!(self.html, " {}=\"", attribute.name);
                escape(&attribute.value, &mut self.html);
                self.html.push('"');
            }
        }
        self.html.push('>');
        if tag == Tag::Head {
            self.html.push_str("<meta charset=utf-8>");
            self.html.push_str(STYLE);
        }
    }

    fn end_tag(&mut self, node: Option<NodeId>) {
        let name = node.map(|node| written_name(self.tree, node)).unwrap_or_default();
        let _ = write!(self.html, "</{name}>");
    }

    fn text(&mut self, node: NodeId) {
        let text = self.tree.text(node);
        let parent = self.tree.parent(node).and_then(|parent| self.tree.tag(parent));
        if matches!(parent, Some(Tag::Style)) {
            // Style sheets are not escaped; one that could be read as markup is left out.
            if !text.contains('<') {
                self.html.push_str(text);
            }
            return;
        }
        let markable = !matches!(parent, Some(Tag::Textarea | Tag::Title | Tag::Option));
        let mark = self.marked[node as usize] && markable && !text.trim().is_empty();
        if mark {
            self.html.push_str("<mark class=\"webstrata-content\">");
        }
        escape(text, &mut self.html);
        if mark {
            self.html.push_str("</mark>");
        }
    }
}

/// A name that could break out of the tag cannot be written at all. In a `noscript` nobody would see the
/// text: readers have scripts.
fn written_name<'a>(tree: &'a Tree<'_>, node: NodeId) -> Cow<'a, str> {
    let name = tree.name(node).unwrap_or_default();
    if is_plain_name(&name) && name != "noscript" { name } else { "span".into() }
}

/// Elements that run, load or replace a document, or whose text is read without markup; and drawings
/// and formulas, inside which the same characters would be read by other rules.
fn runs(tag: Tag) -> bool {
    use Tag::*;
    matches!(
        tag,
        Script
            | SvgScript
            | Iframe
            | Object
            | Embed
            | Applet
            | Frame
            | Frameset
            | Noframes
            | Noembed
            | Template
            | Noscript
            | Plaintext
            | Xmp
            | Meta
            | Svg
            | Math
    )
}

/// Attributes that run something, or name something that would.
fn acts(name: &str, value: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let scheme: String =
        value.chars().filter(|c| !c.is_whitespace() && !c.is_control()).take(11).collect();
    let scheme = scheme.to_ascii_lowercase();
    let runs = ["javascript:", "vbscript:", "data:"].iter().any(|bad| scheme.starts_with(bad));
    name.starts_with("on")
        || name == "srcdoc"
        || name == "ping"
        || (runs && name != "alt" && name != "title")
        || (name == "style" && value.to_ascii_lowercase().contains("expression("))
}

fn is_plain_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':' | '.'))
}

pub(crate) fn escape(text: &str, html: &mut String) {
    for character in text.chars() {
        match character {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            // Escape sequences could switch a guessed encoding.
            '\0'..='\x08' | '\x0b' | '\x0e'..='\x1f' => {}
            _ => html.push(character),
        }
    }
}
