//! The main text as HTML that is safe to show: a short list of elements and attributes, all else left out.

mod table;

use std::fmt::Write;

use self::table::Table;
use super::OutputOptions;
use super::code::Code;
use super::highlight::escape as escape_attribute;
use super::math::Formula;
use super::selection::{Selection, select};
use super::sink::{Around, Container, Gap, Picture, Sink};
use super::walk;
use crate::html::tag::Tag;
use crate::metadata::titles::best_title;
use crate::page::Page;
use crate::part::Part;
use crate::thread::LazyThread;
use crate::tree::{NodeId, Tree};

/// Writes the main text of a page as a fragment of HTML, for readers and for other programs.
///
/// Only elements of text, lists, tables, quotes, figures and code are written, with `href`, `src`, `alt`, `title`, `lang`,
/// `dir`, spans, numbers of lists and a code block's language; addresses begin with `http:`, `https:` or `mailto:` or
/// are relative. Nothing in it runs, hides or loads, but for images if asked for. No element is written whose text is
/// read by other rules than ordinary text, so a second parser cannot read something else into it. Formulas are LaTeX
/// between `\(` and `\)`.
///
/// ```
/// use webstrata::output::{OutputOptions, html};
/// use webstrata::{Extractor, Options};
///
/// let extractor = Extractor::named("keep-all").unwrap();
/// let source = b"<div onclick=x()>Fog <b style=top:0>at <a href=javascript:x()>sea</a></b>.<script>x()</script>";
/// let page = extractor.extract_page(source, &Options::default());
/// let options = OutputOptions { links: true, images: true, ..OutputOptions::DEFAULT };
/// assert_eq!(html(&page, &options), "<p>Fog <b>at sea</b>.</p>\n");
/// ```
pub fn html(page: &Page<'_>, options: &OutputOptions) -> String {
    page.document.clock.write();
    select(&LazyThread::of(page), options, best_title(page), html_of)
}

/// The HTML of what was selected.
pub(super) fn html_of(selection: &Selection<'_, '_>) -> String {
    let Page { tree, document } = selection.page;
    let room = (tree.source.len() + 4096).min(document.spare.for_output());
    let writer = Writer {
        tree,
        html: String::with_capacity(document.text.len() * 5 / 4),
        run: String::new(),
        has_words: false,
        inline: Vec::new(),
        link: 0,
        links: Vec::new(),
        table: None,
        open: Vec::new(),
        attributes_left: room,
        links_room: room,
    };
    walk::write(selection, writer, !selection.options.exclude.has(Part::Title))
}

/// Containers inside one another that are written; deeper ones are not, but what is in them is.
const MAX_OPEN: usize = 64;

struct Writer<'p, 't> {
    tree: &'p Tree<'t>,
    html: String,
    /// The run that is being read.
    run: String,
    /// The run has words, and not only images.
    has_words: bool,
    /// The inline elements that are open in it, and the link around them.
    inline: Vec<(NodeId, Tag)>,
    link: u32,
    /// The links so far: their elements and addresses.
    links: Vec<(NodeId, String)>,
    table: Option<Table>,
    /// The containers that are open. One is written when something in it is.
    open: Vec<Open>,
    /// Bytes of attributes that may still be written: elements that the page left open are repeated.
    attributes_left: usize,
    /// Bytes of addresses that may still be held.
    links_room: usize,
}

/// A container that is open.
struct Open {
    name: &'static str,
    /// Attributes, or what its first run begins with.
    first: String,
    is_note: bool,
    is_begun: bool,
    /// The number that the next item of an ordered list has by itself.
    next: u32,
    /// Where its first run begins and ends, as long as nothing else is in it. Of a list: of its last item.
    run: Option<(usize, usize)>,
    /// It is the item before it that goes on, for a list that stands in a list but in no item.
    goes_on: bool,
    is_empty: bool,
    /// Something in it begins on a line of its own.
    has_lines: bool,
}

impl<'p, 't> Writer<'p, 't> {
    /// Closes the inline elements that do not go on, and opens those that are new.
    fn set_inline(&mut self, around: Around<'_>) {
        let same = |(a, b): &(&(NodeId, Tag), &(NodeId, Tag))| a == b;
        let mut common = self.inline.iter().zip(around.inline).take_while(same).count();
        if self.link != around.link {
            common = 0;
        }
        self.close_inline(common);
        if self.link != around.link {
            if self.link != 0 {
                self.run.push_str("</a>");
            }
            self.link = around.link;
        }
    }

    fn close_inline(&mut self, down_to: usize) {
        while self.inline.len() > down_to {
            if let Some((_, tag)) = self.inline.pop() {
                let _ = write!(self.run, "</{}>", inline_name(tag));
            }
        }
    }

    fn open_inline(&mut self, around: Around<'_>, opened_link: u32) {
        if around.link != 0 && opened_link != around.link {
            let (node, url) = self.links[around.link as usize - 1].clone();
            let start = self.run.len();
            self.run.push_str("<a");
            if self.attribute("href", &url) {
                self.attributes(node, "a");
                self.run.push('>');
            } else {
                self.run.truncate(start);
                self.link = 0;
            }
        }
        for (node, tag) in &around.inline[self.inline.len()..] {
            let name = inline_name(*tag);
            self.run.push('<');
            self.run.push_str(name);
            self.attributes(*node, name);
            self.run.push('>');
            self.inline.push((*node, *tag));
        }
    }

    /// Prepares the run for words: elements that end, a space, elements that begin.
    fn go_on(&mut self, space: bool, around: Around<'_>) {
        let before = self.link;
        self.set_inline(around);
        if space && !self.run.is_empty() && !self.run.ends_with(' ') {
            self.run.push(' ');
        }
        self.open_inline(around, before);
    }

    /// The run as it is written, and nothing left of it.
    fn take_run(&mut self) -> String {
        self.close_inline(0);
        if self.link != 0 {
            self.run.push_str("</a>");
            self.link = 0;
        }
        let mut run = std::mem::take(&mut self.run);
        let end = run.trim_end_matches([' ', '\n']).len();
        run.truncate(end);
        while run.ends_with("<br>") {
            run.truncate(run.trim_end_matches("<br>").trim_end().len());
        }
        run
    }

    /// Writes the start tags of all containers that are open and not written yet.
    fn start_containers(&mut self) {
        for at in 0..self.open.len() {
            let open = &mut self.open[at];
            if std::mem::replace(&mut open.is_begun, true) || open.name.is_empty() {
                continue;
            }
            let tag = format!("<{}{}>", open.name, open.first);
            self.line_in(at);
            self.html.push_str(&tag);
        }
    }

    /// Begins a line inside the first `depth` containers that are open. A run that stood there alone becomes a
    /// paragraph.
    fn line_in(&mut self, depth: usize) {
        if let Some(around) = self.open[..depth].iter_mut().rev().find(|open| !open.name.is_empty())
        {
            (around.is_empty, around.has_lines) = (false, true);
            let run = around.run.take().filter(|_| matches!(around.name, "li" | "dd"));
            if let Some((start, end)) = run {
                self.html.insert_str(end, "</p>");
                self.html.insert_str(start, "\n<p>");
            }
        }
        self.new_line();
    }

    fn new_line(&mut self) {
        if !self.html.is_empty() && !self.html.ends_with('\n') {
            self.html.push('\n');
        }
    }

    fn flush(&mut self) {
        let run = self.take_run();
        let has_words = std::mem::take(&mut self.has_words);
        if run.is_empty() {
            return;
        }
        let run = self.take_label() + &run;
        self.start_containers();
        let innermost =
            self.open.iter_mut().rev().find(|open| !open.name.is_empty() || open.is_note);
        let Some(open) = innermost.filter(|open| !open.is_note) else {
            self.paragraph(&run);
            return;
        };
        match open.name {
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "dt" | "figcaption" => {
                if !std::mem::replace(&mut open.is_empty, false) {
                    self.html.push(' ');
                }
                self.html.push_str(&run);
            }
            "figure" if !has_words => {
                self.line_in(self.open.len());
                self.html.push_str(&run);
            }
            "li" | "dd" if open.is_empty => {
                open.is_empty = false;
                open.run = Some((self.html.len(), self.html.len() + run.len()));
                self.html.push_str(&run);
            }
            _ => self.paragraph(&run),
        }
    }

    /// The label of the note that begins here, whatever its first words stand in.
    fn take_label(&mut self) -> String {
        let notes = self.open.iter_mut().filter(|open| open.is_note);
        notes.map(|note| std::mem::take(&mut note.first)).collect()
    }

    /// Writes the label of a note that begins with something else than words.
    fn flush_label(&mut self) {
        let label = self.take_label();
        if !label.is_empty() {
            self.start_containers();
            self.paragraph(label.trim_end());
        }
    }

    fn paragraph(&mut self, run: &str) {
        self.line_in(self.open.len());
        self.html.push_str("<p>");
        self.html.push_str(run);
        self.html.push_str("</p>");
    }

    fn end_table(&mut self) {
        let stray = self.take_run();
        let Some(mut table) = self.table.take() else { return };
        table.add_caption(&stray);
        if table.rows.is_empty() && table.caption.is_empty() {
            return;
        }
        self.flush_label();
        self.start_containers();
        self.line_in(self.open.len());
        if table.rows.is_empty() {
            let _ = write!(self.html, "<p>{}</p>", table.caption);
            return;
        }
        self.html.push_str("<table>\n");
        if !table.caption.is_empty() {
            let _ = writeln!(self.html, "<caption>{}</caption>", table.caption);
        }
        self.html.push_str(&table.rows);
        self.html.push_str("</table>");
    }

    fn push(&mut self, name: &'static str, first: String, is_note: bool) {
        let name = if self.open.len() < MAX_OPEN { name } else { "" };
        let open = Open {
            name,
            first,
            is_note,
            is_begun: false,
            next: 1,
            run: None,
            goes_on: false,
            is_empty: true,
            has_lines: false,
        };
        self.open.push(open);
    }

    /// Closes the innermost container.
    fn close(&mut self) {
        let Some(open) = self.open.pop().filter(|open| open.is_begun && !open.name.is_empty())
        else {
            return;
        };
        if open.has_lines {
            self.new_line();
        }
        let _ = write!(self.html, "</{}>", open.name);
        if let Some(list) = self.open.last_mut().filter(|_| open.name == "li") {
            list.run = open.run;
        }
    }

    /// Opens the last item of a list again, where another list begins that is in no item.
    fn go_on_in_item(&mut self) {
        let Some(list) = self.open.last_mut().filter(|open| matches!(open.name, "ul" | "ol"))
        else {
            return;
        };
        let run = list.run.take();
        if list.is_begun && self.html.ends_with("</li>") {
            self.html.truncate(self.html.len() - "</li>".len());
            self.push("li", String::new(), false);
            if let Some(item) = self.open.last_mut() {
                (item.is_begun, item.is_empty, item.goes_on) = (true, false, true);
                (item.run, item.has_lines) = (run, run.is_none());
            }
        }
    }

    fn attributes(&mut self, node: NodeId, name: &str) {
        for attribute in self.tree.attributes(node) {
            let value = &*attribute.value;
            let key = attribute.name.to_ascii_lowercase();
            let is_number = || value.trim().parse::<u32>().is_ok_and(|number| number <= 65_534);
            let is_wanted = match (name, key.as_str()) {
                (_, "lang" | "title") | ("time", "datetime") => true,
                (_, "dir") => matches!(value, "ltr" | "rtl" | "auto"),
                ("img", "width" | "height") => is_number(),
                _ => false,
            };
            if is_wanted {
                self.attribute(&key, value.trim());
            }
        }
    }

    /// Writes an attribute, if there is room for it.
    fn attribute(&mut self, name: &str, value: &str) -> bool {
        let length = name.len() + value.len();
        if length > self.attributes_left {
            self.attributes_left = 0;
            return false;
        }
        self.attributes_left -= length;
        let _ = write!(self.run, " {name}=\"");
        escape_attribute(value, &mut self.run);
        self.run.push('"');
        true
    }
}

/// Escapes text between tags. Quotation marks need no escape there.
fn escape(text: &str, html: &mut String) {
    let mut copied = 0;
    for (at, byte) in text.bytes().enumerate() {
        let reference = match byte {
            b'&' => "&amp;",
            b'<' => "&lt;",
            b'>' => "&gt;",
            _ => continue,
        };
        html.push_str(&text[copied..at]);
        html.push_str(reference);
        copied = at + 1;
    }
    html.push_str(&text[copied..]);
}

fn inline_name(tag: Tag) -> &'static str {
    match tag {
        Tag::Strike => "s",
        Tag::Tt => "code",
        Tag::Acronym => "abbr",
        tag => tag.name(),
    }
}

impl Sink for Writer<'_, '_> {
    fn text(&mut self, words: &str, space: bool, around: Around<'_>) {
        self.has_words = true;
        let trimmed = words.trim_start_matches(' ');
        self.go_on(space || trimmed.len() < words.len(), around);
        escape(trimmed, &mut self.run);
    }

    fn soft_break(&mut self) -> bool {
        if !self.run.is_empty() && !self.run.ends_with("<br>") {
            self.run.push_str("<br>");
        }
        true
    }

    fn line_break(&mut self) {
        if self.run.is_empty() {
            return;
        }
        if self.run.ends_with("<br>") {
            return self.flush();
        }
        self.run.push_str("<br>");
    }

    fn formula(&mut self, formula: &Formula, space: bool, around: Around<'_>) {
        self.has_words = true;
        self.go_on(space, around);
        let (start, end) = if formula.display { ("\\[", "\\]") } else { ("\\(", "\\)") };
        self.run.push_str(start);
        escape(&formula.tex, &mut self.run);
        self.run.push_str(end);
    }

    fn image(&mut self, image: &Picture<'_>, space: bool, around: Around<'_>) -> bool {
        if image.url.len() > self.attributes_left {
            return false;
        }
        self.go_on(space, around);
        self.run.push_str("<img");
        self.attribute("src", image.url);
        if !image.alt.is_empty() {
            self.attribute("alt", image.alt);
        }
        self.attributes(image.node, "img");
        self.run.push('>');
        true
    }

    fn reference(&mut self, label: &str, space: bool) {
        self.run.push_str(if space { " <sup>[" } else { "<sup>[" });
        escape(label, &mut self.run);
        self.run.push_str("]</sup>");
    }

    fn check_box(&mut self, ticked: bool) {
        self.run.push_str(if self.run.is_empty() { "" } else { " " });
        self.run.push_str(if ticked { "[x]" } else { "[ ]" });
    }

    fn link(&mut self, node: NodeId, url: String) -> u32 {
        // They are not all written, but all are held.
        if url.len() > self.links_room {
            return 0;
        }
        self.links_room -= url.len();
        self.links.push((node, url));
        self.links.len() as u32
    }

    fn boundary(&mut self, _gap: Gap) {
        self.flush();
    }

    fn code(&mut self, code: &Code) {
        if code.text.is_empty() {
            return;
        }
        self.flush_label();
        self.start_containers();
        self.line_in(self.open.len());
        self.html.push_str("<pre><code");
        if let Some(language) = &code.language {
            let _ = write!(self.html, " class=\"language-{language}\"");
        }
        self.html.push('>');
        escape(&code.text, &mut self.html);
        self.html.push_str("</code></pre>");
    }

    fn rule(&mut self) {
        self.start_containers();
        self.line_in(self.open.len());
        self.html.push_str("<hr>");
    }

    fn begin(&mut self, container: Container<'_>) {
        let (mut first, mut is_note) = (String::new(), false);
        let name = match container {
            Container::Heading(level) => {
                ["h1", "h2", "h3", "h4", "h5", "h6"][usize::from(level.clamp(1, 6)) - 1]
            }
            Container::Quote => "blockquote",
            Container::List { ordered } => {
                self.go_on_in_item();
                if ordered { "ol" } else { "ul" }
            }
            Container::Item(number) => {
                if let (Some(number), Some(list)) = (number, self.open.last_mut()) {
                    if !list.is_begun && number != 1 && list.first.is_empty() {
                        list.first = format!(" start=\"{number}\"");
                    } else if list.is_begun && number != list.next {
                        first = format!(" value=\"{number}\"");
                    }
                    list.next = number.saturating_add(1);
                }
                "li"
            }
            Container::Definitions => "dl",
            Container::Term => "dt",
            Container::Definition => "dd",
            Container::Figure => "figure",
            Container::Caption => "figcaption",
            Container::Note(label) => {
                escape(label, &mut first);
                first = format!("[{first}] ");
                is_note = true;
                ""
            }
            Container::Table => {
                self.table = Some(Table::default());
                return;
            }
            Container::TableCaption | Container::Row | Container::Cell { .. } => return,
        };
        self.push(name, first, is_note);
    }

    fn end(&mut self, container: Container<'_>) {
        match container {
            Container::Cell { .. } | Container::Row | Container::TableCaption => {
                // What stands in a row but in no cell goes on into the next cell, or the caption.
                let run = if container == Container::Row { String::new() } else { self.take_run() };
                if let Some(table) = &mut self.table {
                    table.end(container, &run);
                }
                return;
            }
            Container::Table => return self.end_table(),
            _ => self.flush(),
        }
        self.close();
        if matches!(container, Container::List { .. })
            && self.open.last().is_some_and(|open| open.goes_on)
        {
            self.close();
        }
    }

    fn finish(mut self) -> String {
        self.flush();
        self.new_line();
        self.html
    }
}
