//! The main text as HTML that is safe to show: a short list of elements and attributes, all else
//! left out.

use std::fmt::Write;

use super::MarkupOptions;
use super::highlight::escape;
use super::kept::{Kept, Texts};
use super::links::Links;
use super::markdown::is_block;
use super::visit::{Visitor, walk};
use super::{code, math};
use crate::html::tag::Tag;
use crate::page::Page;
use crate::tree::{NodeId, Tree};

/// Writes the content blocks of a page as a fragment of HTML, for readers and for other programs.
///
/// Only elements of text, lists, tables, quotes and code are written, with `href`, `src`, `alt`,
/// `title`, `lang`, `dir`, spans, numbers of lists and a code block's language; addresses begin with
/// `http:`, `https:` or `mailto:` or are relative. Nothing in it runs, hides or loads, but for images
/// if asked for. No element is written whose text is read by other rules than ordinary text, so a
/// second parser cannot read something else into it. Formulas are LaTeX between `\(` and `\)`.
///
/// ```
/// use webstrata::output::{MarkupOptions, html};
/// use webstrata::{Extractor, Options, Page};
///
/// let extractor = Extractor::named("keep-all").unwrap();
/// let source = b"<p onclick=x()>Fog <b style=top:0>at <a href=javascript:x()>sea</a></b>.<script>x()</script>";
/// let mut page = Page::read(source, extractor.cutting, &Options::default());
/// extractor.apply(&mut page.document);
/// let options = MarkupOptions { links: true, images: true };
/// assert_eq!(html(&page, &options), "<p>Fog <b>at <a>sea</a></b>.</p>\n");
/// ```
pub fn html(page: &Page<'_>, options: &MarkupOptions) -> String {
    if let Some(paragraphs) = crate::embedded::as_paragraphs(&page.document) {
        return html(&crate::embedded::page_of(&paragraphs), options);
    }
    let tree = &page.tree;
    let mut writer = Writer {
        tree,
        options: *options,
        kept: Kept::of(page),
        texts: Texts::new(&page.document),
        links: Links::of(page),
        html: String::with_capacity(page.document.text.len() * 5 / 4),
        open: Vec::with_capacity(64),
        written: 0,
        last: None,
        white: false,
        hiding: 0,
        skip_to: 0,
        attributes_left: tree.source.len() + 4096,
    };
    walk(tree, tree.nodes.len() as NodeId, &mut writer);
    if !writer.html.is_empty() && !writer.html.ends_with('\n') {
        writer.html.push('\n');
    }
    writer.html
}

struct Writer<'p, 't> {
    tree: &'p Tree<'t>,
    options: MarkupOptions,
    kept: Kept,
    texts: Texts<'p>,
    links: Links<'p, 't>,
    html: String,
    /// The elements around the current node, and how many of them, from the outside, are written.
    /// One is written when the first text inside it is.
    open: Vec<Open>,
    written: usize,
    /// The last character of the text, if no element that separates words has begun or ended since.
    last: Option<char>,
    /// Whitespace stands before the next text.
    white: bool,
    hiding: u32,
    /// Nodes before this one are shown in another form already; their texts are only counted.
    skip_to: NodeId,
    /// Bytes of attributes that may still be written: elements that the page left open are repeated.
    attributes_left: usize,
}

struct Open {
    node: NodeId,
    /// What it is written as; empty if it is not.
    name: &'static str,
    is_block: bool,
    is_pre: bool,
    hides: bool,
}

impl Visitor for Writer<'_, '_> {
    fn enter(&mut self, node: NodeId, tag: Tag) {
        if node >= self.skip_to && self.is_skipped(node, tag) {
            self.skip_to = self.tree.end_of(node);
        }
        let is_shown = node >= self.skip_to;
        let name = if is_shown { self.name(tag) } else { "" };
        let hides = tag != Tag::Body && self.tree.hides(node);
        self.hiding += u32::from(hides);
        let is_pre = matches!(tag, Tag::Pre | Tag::Listing);
        self.open.push(Open { node, name, is_block: is_block(tag), is_pre, hides });
        if matches!(tag, Tag::Img | Tag::Hr | Tag::Br) && is_shown {
            self.void(node, tag);
        }
    }

    fn leave(&mut self) {
        let Some(open) = self.open.pop() else { return };
        self.hiding -= u32::from(open.hides);
        if self.written > self.open.len() {
            self.written = self.open.len();
            if !open.name.is_empty() {
                let _ = write!(self.html, "</{}>", open.name);
            }
        }
        if open.is_block {
            self.last = None;
            self.white = false;
        }
    }

    fn text(&mut self, node: NodeId) {
        self.write_text(node, node < self.skip_to);
    }
}

impl Writer<'_, '_> {
    /// Formulas, which are written as text, what shows them once more, and the numbers of lines of code.
    fn is_skipped(&mut self, node: NodeId, tag: Tag) -> bool {
        let formula = match tag {
            Tag::Math if self.kept.any(node, self.tree.end_of(node)) => {
                math::of_math(self.tree, node)
            }
            Tag::Script if self.kept.has(node) => math::of_script(self.tree, node),
            Tag::Math | Tag::Script | Tag::Style => return true,
            _ => {
                let in_pre = self.open.iter().any(|open| open.is_pre);
                return code::numbers_lines(self.tree, node, tag, in_pre)
                    || (self.kept.formulas && math::doubles(self.tree, node));
            }
        };
        if formula.tex.is_empty() {
            return true;
        }
        let (start, end) = if formula.display { ("\\[", "\\]") } else { ("\\(", "\\)") };
        self.start_tags();
        self.space(false);
        self.html.push_str(start);
        escape(&formula.tex, &mut self.html);
        self.html.push_str(end);
        self.last = Some(')');
        true
    }

    fn name(&self, tag: Tag) -> &'static str {
        use Tag::*;
        match tag {
            A if !self.options.links => "",
            P | H1 | H2 | H3 | H4 | H5 | H6 | Blockquote | Ul | Ol | Li | Dl | Dt | Dd | Table
            | Caption | Thead | Tbody | Tfoot | Tr | Td | Th | Figure | Figcaption | Em
            | Strong | B | I | U | S | Del | Ins | Code | Kbd | Samp | Var | Sub | Sup | Mark
            | Q | Cite | Abbr | Dfn | Time | Small | Bdo | Pre | A => tag.name(),
            Strike => "s",
            Tt => "code",
            Menu | Dir => "ul",
            Acronym => "abbr",
            Listing => "pre",
            Div | Section | Article | Main | Header | Footer | Aside | Address | Center
            | Fieldset | Details | Summary | Form | Nav | Hgroup => "div",
            _ => "",
        }
    }

    /// Writes the start tags of all elements around the current node that are not written yet.
    fn start_tags(&mut self) {
        for at in self.written..self.open.len() {
            let Open { node, name, is_block, .. } = self.open[at];
            if is_block {
                self.last = None;
            }
            if name.is_empty() {
                continue;
            }
            if is_block && !self.html.is_empty() && !self.html.ends_with('\n') && !self.in_pre() {
                self.html.push('\n');
            } else if !is_block && self.white && self.last.is_some() {
                // The space goes before the element, not into it.
                self.space(false);
            }
            let _ = write!(self.html, "<{name}");
            self.attributes(node, name);
            self.html.push('>');
        }
        self.written = self.open.len();
    }

    fn in_pre(&self) -> bool {
        self.open.iter().take(self.written).any(|open| open.is_pre)
    }

    fn write_text(&mut self, node: NodeId, skipped: bool) {
        let source = self.tree.text(node);
        let text = self.texts.next(node, source);
        let is_kept = text.is_some() && self.kept.has(node) && !skipped;
        let in_pre = self.open.iter().any(|open| open.is_pre);
        if in_pre {
            if is_kept {
                self.start_tags();
            }
            // Whitespace around a text that is not written is not written either.
            let is_space = text.is_none() && source.trim().is_empty() && self.in_pre();
            if is_kept || is_space {
                if self.html.ends_with("<pre>") && source.starts_with('\n') {
                    // The first one is not part of the text.
                    self.html.push('\n');
                }
                escape(source, &mut self.html);
                self.last = None;
            }
            return;
        }
        let Some(text) = text.filter(|_| is_kept) else {
            self.white |= !source.is_empty();
            return;
        };
        let starts_white = text.starts_atom && source.starts_with(char::is_whitespace);
        self.white |= text.space || starts_white;
        self.start_tags();
        let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let glues = text.starts_atom && is_word(self.last) && is_word(text.text.chars().next());
        self.space(glues);
        escape(text.text, &mut self.html);
        self.last = text.text.chars().next_back();
        self.white = source.ends_with(char::is_whitespace);
    }

    /// A space, if there is one to write and something before it on the line.
    fn space(&mut self, glues: bool) {
        if (self.white || glues) && self.last.is_some() && !self.html.ends_with([' ', '\n']) {
            self.html.push(' ');
        }
        self.white = false;
    }

    fn void(&mut self, node: NodeId, tag: Tag) {
        let name = tag.name();
        match tag {
            Tag::Img if !self.options.images || self.hiding > 0 => return,
            Tag::Img | Tag::Hr if !self.kept.has(node) => return,
            // A break where nothing has been written yet breaks nothing.
            Tag::Br if self.last.is_none() => return,
            _ => {}
        }
        let mut source = String::new();
        if tag == Tag::Img {
            let names = ["src", "data-src", "data-original"].into_iter();
            let mut sources = names.filter_map(|name| self.tree.attribute(node, name));
            let Some(url) = sources.find_map(|src| self.links.image(&src)) else { return };
            source = url;
        }
        self.start_tags();
        if tag == Tag::Img {
            self.space(self.last.is_some());
        }
        let _ = write!(self.html, "<{name}");
        if tag == Tag::Img {
            self.attribute("src", &source);
            self.attributes(node, name);
        }
        self.html.push('>');
        self.white = tag == Tag::Img;
        self.last = (tag == Tag::Img).then_some('.');
    }

    fn attributes(&mut self, node: NodeId, name: &str) {
        let tree = self.tree;
        if matches!(name, "pre" | "code")
            && let Some(language) = code::language(tree, node)
        {
            self.attribute("class", &format!("language-{language}"));
        }
        for attribute in tree.attributes(node) {
            let value = &*attribute.value;
            let key = attribute.name.to_ascii_lowercase();
            let number = || value.trim().parse::<u32>().ok().filter(|n| *n <= 65_534);
            let value = match (name, key.as_str()) {
                (_, "lang" | "title") | ("time", "datetime") | ("img", "alt") => value.to_owned(),
                (_, "dir") if matches!(value, "ltr" | "rtl" | "auto") => value.to_owned(),
                ("a", "href") => match self.links.link(value) {
                    Some(url) => url,
                    None => continue,
                },
                ("td" | "th", "colspan" | "rowspan")
                | ("ol", "start")
                | ("li", "value")
                | ("img", "width" | "height") => match number() {
                    Some(number) => number.to_string(),
                    None => continue,
                },
                _ => continue,
            };
            self.attribute(&key, &value);
        }
    }

    fn attribute(&mut self, name: &str, value: &str) {
        let length = name.len() + value.len();
        if length > self.attributes_left {
            self.attributes_left = 0;
            return;
        }
        self.attributes_left -= length;
        let _ = write!(self.html, " {name}=\"");
        escape(value, &mut self.html);
        self.html.push('"');
    }
}
