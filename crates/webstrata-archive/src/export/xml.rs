//! Records as XML: the shapes that trafilatura writes, and TEI (<https://tei-c.org/guidelines/p5/>) among them.
//!
//! The text is the record's `html`, whose elements are few and clean. A record without it has paragraphs, and nothing else.

use std::borrow::Cow;
use std::fmt::Write;

use webstrata::metadata::{Metadata, Sourced};
use webstrata::{Limits, NodeId, Tree};

use crate::record::PageRecord;

/// Which XML.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// `<doc>` with the metadata as attributes.
    Plain,
    /// TEI P5.
    Tei,
}

/// The whole document for a page.
pub fn document(page: &PageRecord, shape: Shape) -> String {
    let empty = Metadata::default();
    let about = About { page, metadata: page.record.metadata.as_ref().unwrap_or(&empty) };
    let mut xml = String::with_capacity(page.record.text.len() * 3 / 2 + 2048);
    xml.push_str("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    match shape {
        Shape::Plain => {
            about.attributes(&mut xml);
            xml.push_str("\n<main>\n");
            body(page, shape, &mut xml);
            xml.push_str("</main>\n<comments/>\n</doc>\n");
        }
        Shape::Tei => {
            xml.push_str("<TEI xmlns=\"http://www.tei-c.org/ns/1.0\">\n");
            about.header(&mut xml);
            xml.push_str("<text>\n<body>\n<div type=\"entry\">\n");
            body(page, shape, &mut xml);
            xml.push_str("</div>\n</body>\n</text>\n</TEI>\n");
        }
    }
    xml
}

fn body(page: &PageRecord, shape: Shape, xml: &mut String) {
    match &page.record.html {
        Some(html) => {
            let tree = Tree::parse(html.as_str(), &Limits::default());
            let mut writer = Writer { tree: &tree, shape, xml, is_open: false };
            writer.blocks(0, 0);
            writer.end_paragraph();
        }
        None => {
            for paragraph in page.record.text.split("\n\n").filter(|text| !text.trim().is_empty()) {
                xml.push_str("<p>");
                for (number, line) in paragraph.trim().lines().enumerate() {
                    xml.push_str(if number > 0 { "<lb/>" } else { "" });
                    xml.push_str(&escaped(line));
                }
                xml.push_str("</p>\n");
            }
        }
    }
}

/// What is said of a page.
struct About<'a> {
    page: &'a PageRecord,
    metadata: &'a Metadata,
}

impl About<'_> {
    fn title(&self) -> &str {
        self.page.record.title.as_deref().unwrap_or_default()
    }

    fn host(&self) -> &str {
        let url = self.page.record.url.as_deref().unwrap_or_default();
        let behind = url.split_once("://").map_or("", |(_, behind)| behind);
        behind.split(['/', '?', '#']).next().unwrap_or_default()
    }

    fn all(values: &[Sourced]) -> String {
        values.iter().map(|value| value.value.as_str()).collect::<Vec<_>>().join("; ")
    }

    fn attributes(&self, xml: &mut String) {
        let one = |value: &Option<Sourced>| {
            value.as_ref().map_or(String::new(), |value| value.value.clone())
        };
        let metadata = self.metadata;
        let record = &self.page.record;
        let attributes = [
            ("sitename", one(&metadata.site)),
            ("title", self.title().to_owned()),
            ("author", About::all(&metadata.authors)),
            ("date", one(&metadata.published)),
            ("url", record.url.clone().unwrap_or_default()),
            ("hostname", self.host().to_owned()),
            ("description", one(&metadata.description)),
            ("tags", About::all(&metadata.tags)),
            ("license", one(&metadata.licence)),
            ("id", self.page.id.clone()),
            ("language", record.language.clone().unwrap_or_default()),
        ];
        xml.push_str("<doc");
        for (name, value) in attributes.iter().filter(|(_, value)| !value.is_empty()) {
            let _ = write!(xml, " {name}=\"{}\"", escaped(value));
        }
        xml.push('>');
    }

    fn header(&self, xml: &mut String) {
        let metadata = self.metadata;
        let value = |value: &Option<Sourced>| {
            value.as_ref().map_or(String::new(), |value| escaped(&value.value).into())
        };
        let (title, authors) = (escaped(self.title()), About::all(&metadata.authors));
        let author = match authors.is_empty() {
            true => String::new(),
            false => format!("<author>{}</author>", escaped(&authors)),
        };
        let titles = format!("<titleStmt><title type=\"main\">{title}</title>{author}</titleStmt>");
        let (site, date, licence) =
            (value(&metadata.site), value(&metadata.published), value(&metadata.licence));
        let publisher = match (site.as_str(), escaped(self.host()).as_ref()) {
            ("", "") => "N/A".to_owned(),
            ("", host) => host.to_owned(),
            (site, "") => site.to_owned(),
            (site, host) => format!("{site} ({host})"),
        };
        let sigle = [site.as_str(), &date]
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join(", ");
        let source = [&*title, &sigle]
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join(", ");
        let publication = match licence.is_empty() {
            true => "<p/>".to_owned(),
            false => format!(
                "<publisher>{publisher}</publisher><availability><p>{licence}</p></availability>"
            ),
        };
        let address = match &self.page.record.url {
            Some(url) => format!("<ptr type=\"URL\" target=\"{}\"/>", escaped(url)),
            None => String::new(),
        };
        let tags = match metadata.tags.is_empty() {
            true => String::new(),
            false => {
                let tags = About::all(&metadata.tags);
                format!(
                    "<textClass><keywords><term type=\"tags\">{}</term></keywords></textClass>\n",
                    escaped(&tags)
                )
            }
        };
        let fetched = escaped(self.page.origin.fetched.as_deref().unwrap_or_default());
        let description = value(&metadata.description);
        let id = escaped(&self.page.id);
        let version = env!("CARGO_PKG_VERSION");
        let _ = write!(
            xml,
            "<teiHeader>\n<fileDesc>\n{titles}\n<publicationStmt>{publication}</publicationStmt>\n\
             <notesStmt><note type=\"id\">{id}</note></notesStmt>\n\
             <sourceDesc>\n<bibl>{source}</bibl>\n<bibl type=\"sigle\">{sigle}</bibl>\n\
             <biblFull>{titles}<publicationStmt><publisher>{publisher}</publisher>{address}<date>{date}</date>\
             </publicationStmt></biblFull>\n</sourceDesc>\n</fileDesc>\n\
             <profileDesc>\n<abstract><p>{description}</p></abstract>\n{tags}\
             <creation><date type=\"download\">{fetched}</date></creation>\n</profileDesc>\n\
             <encodingDesc><appInfo><application version=\"{version}\" ident=\"webstrata\"><label>webstrata</label>\
             </application></appInfo></encodingDesc>\n</teiHeader>\n"
        );
    }
}

/// Elements inside one another that are written; deeper ones are not, but what is in them is.
const MAX_DEPTH: usize = 100;

struct Writer<'t, 'x> {
    tree: &'t Tree<'t>,
    shape: Shape,
    xml: &'x mut String,
    /// A paragraph is open for words that stand in no element of their own.
    is_open: bool,
}

impl Writer<'_, '_> {
    /// What is in a node that holds blocks. Words between them become paragraphs.
    fn blocks(&mut self, node: NodeId, depth: usize) {
        let children: Vec<NodeId> = self.tree.children(node).collect();
        for child in children {
            if !self.block(child, depth) {
                let text = self.tree.text(child);
                if !self.is_open && self.tree.tag(child).is_none() && text.trim().is_empty() {
                    continue;
                }
                if !self.is_open {
                    self.xml.push_str("<p>");
                    self.is_open = true;
                }
                self.inline(child, depth);
            }
        }
    }

    fn end_paragraph(&mut self) {
        if std::mem::take(&mut self.is_open) {
            self.xml.push_str("</p>\n");
        }
    }

    /// Writes an element that begins on a line of its own; false if it does not.
    fn block(&mut self, node: NodeId, depth: usize) -> bool {
        let Some(name) = self.tree.name(node).map(Cow::into_owned) else { return false };
        let is_deep = depth >= MAX_DEPTH;
        match name.as_str() {
            "p" | "figcaption" | "caption" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                self.end_paragraph();
                let is_heading = name.len() == 2;
                let tag = match (is_heading, self.shape) {
                    (false, _) => "p".to_owned(),
                    (true, Shape::Plain) => format!("head rend=\"{name}\""),
                    (true, Shape::Tei) => format!("ab rend=\"{name}\" type=\"header\""),
                };
                self.element(&tag, |writer| writer.inlines(node, depth + 1));
                self.xml.push('\n');
            }
            "pre" => {
                self.end_paragraph();
                let code = escaped(&self.tree.text_content(node)).into_owned();
                // TEI has code in paragraphs only.
                let (before, behind) =
                    if self.shape == Shape::Tei { ("<p>", "</p>") } else { ("", "") };
                let _ = writeln!(self.xml, "{before}<code>{code}</code>{behind}");
            }
            "ul" | "ol" | "dl" if !is_deep => {
                self.end_paragraph();
                self.list(node, &name, depth + 1);
            }
            "blockquote" if !is_deep => {
                self.end_paragraph();
                self.nested("quote", node, depth + 1);
            }
            "table" if !is_deep => {
                self.end_paragraph();
                self.table(node, depth + 1);
            }
            "head" => {}
            "html" | "body" | "figure" | "div" | "section" | "li" | "dt" | "dd" | "tr" | "td"
            | "th" | "tbody" | "thead" | "tfoot" | "ul" | "ol" | "dl" | "blockquote" | "table"
            | "hr" => {
                self.end_paragraph();
                if depth < 2 * MAX_DEPTH {
                    self.blocks(node, depth + 1);
                    self.end_paragraph();
                } else {
                    let text = escaped(&self.tree.text_content(node)).into_owned();
                    self.element("p", |writer| writer.xml.push_str(&text));
                }
            }
            _ => return false,
        }
        true
    }

    /// An element; nothing, if nothing is in it.
    fn element(&mut self, tag: &str, write: impl FnOnce(&mut Self)) {
        let start = self.xml.len();
        let _ = write!(self.xml, "<{tag}>");
        let content = self.xml.len();
        write(self);
        if self.xml[content..].trim().is_empty() {
            self.xml.truncate(start);
            return;
        }
        let name = tag.split(' ').next().unwrap_or(tag);
        let _ = write!(self.xml, "</{name}>");
    }

    /// An element that holds words or blocks.
    fn nested(&mut self, tag: &str, node: NodeId, depth: usize) {
        let has_blocks = self.tree.children(node).any(|child| self.is_block(child));
        self.element(tag, |writer| {
            if has_blocks {
                writer.blocks(node, depth);
                writer.end_paragraph();
            } else {
                writer.inlines(node, depth);
            }
        });
        self.xml.push('\n');
    }

    fn is_block(&self, node: NodeId) -> bool {
        let name = self.tree.name(node);
        let name = name.as_deref().unwrap_or_default();
        let is_heading =
            name.len() == 2 && name.starts_with('h') && name.as_bytes()[1].is_ascii_digit();
        is_heading
            || matches!(
                name,
                "p" | "pre"
                    | "ul"
                    | "ol"
                    | "dl"
                    | "blockquote"
                    | "table"
                    | "figure"
                    | "figcaption"
                    | "div"
            )
    }

    fn list(&mut self, node: NodeId, name: &str, depth: usize) {
        let items: Vec<NodeId> = self.tree.children(node).collect();
        self.element(&format!("list rend=\"{name}\""), |writer| {
            let mut number = 1;
            for item in items {
                let kind = writer.tree.name(item).map(Cow::into_owned).unwrap_or_default();
                match kind.as_str() {
                    "li" => writer.nested("item", item, depth),
                    "dt" | "dd" => {
                        writer.nested(&format!("item rend=\"{kind}-{number}\""), item, depth);
                        number += usize::from(kind == "dd");
                    }
                    "" => {}
                    _ => writer.element("item", |writer| {
                        writer.block(item, depth);
                    }),
                }
            }
        });
        self.xml.push('\n');
    }

    fn table(&mut self, node: NodeId, depth: usize) {
        let inside = node + 1..self.tree.end_of(node);
        let named = |node: &NodeId, name: &str| self.tree.name(*node).as_deref() == Some(name);
        let rows: Vec<NodeId> = inside.clone().filter(|node| named(node, "tr")).collect();
        let captions: Vec<NodeId> = inside.filter(|node| named(node, "caption")).collect();
        for caption in captions {
            self.block(caption, depth);
        }
        self.element("table", |writer| {
            for row in rows {
                let cells: Vec<NodeId> = writer.tree.children(row).collect();
                writer.element("row", |writer| {
                    for cell in cells {
                        match writer.tree.name(cell).as_deref() {
                            // An empty cell holds its place.
                            Some("th") => writer.cell("cell role=\"head\"", cell, depth),
                            Some("td") => writer.cell("cell", cell, depth),
                            _ => {}
                        }
                    }
                });
                writer.xml.push('\n');
            }
        });
        self.xml.push('\n');
    }

    fn cell(&mut self, tag: &str, cell: NodeId, depth: usize) {
        let start = self.xml.len();
        self.nested(tag, cell, depth);
        self.xml.truncate(self.xml.trim_end_matches('\n').len().max(start));
        if self.xml.len() == start {
            let _ = write!(self.xml, "<{tag}/>");
        }
    }

    fn inlines(&mut self, node: NodeId, depth: usize) {
        let children: Vec<NodeId> = self.tree.children(node).collect();
        children.into_iter().for_each(|child| self.inline(child, depth));
    }

    fn inline(&mut self, node: NodeId, depth: usize) {
        let Some(name) = self.tree.name(node).map(Cow::into_owned) else {
            let text = escaped(self.tree.text(node)).into_owned();
            self.xml.push_str(&text);
            return;
        };
        if depth > 2 * MAX_DEPTH {
            let text = escaped(&self.tree.text_content(node)).into_owned();
            self.xml.push_str(&text);
            return;
        }
        let rend = match name.as_str() {
            "b" | "strong" => "#b",
            "i" | "em" => "#i",
            "u" => "#u",
            "kbd" | "samp" | "tt" | "var" => "#t",
            "sub" => "#sub",
            "sup" => "#sup",
            _ => "",
        };
        match name.as_str() {
            _ if !rend.is_empty() => {
                self.element(&format!("hi rend=\"{rend}\""), |writer| {
                    writer.inlines(node, depth + 1);
                });
            }
            "br" => self.xml.push_str("<lb/>"),
            "del" | "s" => {
                self.element("del rend=\"overstrike\"", |writer| writer.inlines(node, depth + 1));
            }
            "code" => {
                let code = escaped(&self.tree.text_content(node)).into_owned();
                let _ = write!(self.xml, "<code>{code}</code>");
            }
            "a" => {
                let target = self.tree.attribute(node, "href").unwrap_or_default().into_owned();
                let tag = format!("ref target=\"{}\"", escaped(&target));
                self.element(&tag, |writer| writer.inlines(node, depth + 1));
            }
            "img" => self.image(node),
            _ => self.inlines(node, depth + 1),
        }
    }

    fn image(&mut self, node: NodeId) {
        let attribute = |name| self.tree.attribute(node, name).unwrap_or_default().into_owned();
        let (source, alt) = (attribute("src"), attribute("alt"));
        match self.shape {
            Shape::Plain => {
                let _ = write!(
                    self.xml,
                    "<graphic src=\"{}\" alt=\"{}\"/>",
                    escaped(&source),
                    escaped(&alt)
                );
            }
            Shape::Tei if alt.is_empty() => {
                let _ = write!(self.xml, "<graphic url=\"{}\"/>", escaped(&source));
            }
            Shape::Tei => {
                let (source, alt) = (escaped(&source), escaped(&alt));
                let _ = write!(self.xml, "<graphic url=\"{source}\"><desc>{alt}</desc></graphic>");
            }
        }
    }
}

/// A text as XML may have it: references for what is markup, and nothing of the characters that XML forbids.
fn escaped(text: &str) -> Cow<'_, str> {
    let is_forbidden = |c: char| {
        c.is_control() && !matches!(c, '\t' | '\n' | '\u{7f}'..='\u{9f}')
            || matches!(c, '\u{fffe}' | '\u{ffff}')
    };
    if !text.contains(|c: char| matches!(c, '&' | '<' | '>' | '"') || is_forbidden(c)) {
        return text.into();
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            c if is_forbidden(c) => {}
            c => escaped.push(c),
        }
    }
    escaped.into()
}

#[cfg(test)]
mod tests {
    use webstrata::output::RecordPart;
    use webstrata::{Options, Request};

    use super::*;
    use crate::record::{Origin, PageRecord};

    const PAGE: &str = "<html lang=en><title>Tides & <b></title><meta name=author content='Jane \"J\" Doe'>\
        <body><h1>Tides</h1><p>High <em>water</em> is <a href=https://a.example/?a=1&b=2>at noon</a>.<br>So it is.\
        <ul><li>One<ul><li>Two</ul><li><p>Three<p>Four</ul><dl><dt>A<dd>B<dt>C<dd>D</dl><blockquote>Said</blockquote>\
        <pre><code>if a < b {}</code></pre><table><tr><th>Day<th>Time<tr><td>1<td>12</table><h2></h2><p>&#1;x";

    fn page(parts: &[RecordPart]) -> PageRecord {
        let mut builder = Request::builder();
        builder.extractor(std::sync::Arc::new(
            webstrata::Extractor::named("keep-all").unwrap().clone(),
        ));
        let mut request = builder.build().unwrap();
        request.parts = parts.to_vec();
        let mut page = request.extract_with(PAGE.as_bytes(), &Options::default());
        page.document.title = Some("Tides & <b>".into());
        PageRecord::of("a".into(), &page, &request, Origin::default())
    }

    #[test]
    fn plain() {
        let xml = document(&page(&[RecordPart::Html, RecordPart::Metadata]), Shape::Plain);
        assert!(xml.contains("<head rend=\"h1\">Tides</head>"), "{xml}");
        assert!(xml.contains("<item>One\n") || xml.contains("<item><p>One</p>"), "{xml}");
        assert!(xml.contains("<item rend=\"dd-2\">D</item>"), "{xml}");
        assert!(xml.contains("<code>if a &lt; b {}</code>"), "{xml}");
        assert!(xml.contains("author=\"Jane &quot;J&quot; Doe\""), "{xml}");
        assert!(xml.contains("<row><cell role=\"head\">Day</cell>"), "{xml}");
        is_well_formed(&xml);
    }

    #[test]
    fn tei() {
        let xml = document(&page(&[RecordPart::Html]), Shape::Tei);
        assert!(xml.contains("<ab rend=\"h1\" type=\"header\">Tides</ab>"), "{xml}");
        assert!(xml.contains("<p><code>if a &lt; b {}</code></p>"), "{xml}");
        is_well_formed(&xml);
        let xml = document(&page(&[]), Shape::Tei);
        assert!(xml.contains("<p>Said</p>\n") && !xml.contains("<ab "), "{xml}");
        is_well_formed(&xml);
    }

    /// Every element is closed in order, and there is one root.
    fn is_well_formed(xml: &str) {
        let (mut open, mut roots) = (Vec::new(), 0);
        let (_, mut rest) = xml.split_once("?>").unwrap();
        while let Some((_, behind)) = rest.split_once('<') {
            let (tag, behind) = behind.split_once('>').unwrap();
            rest = behind;
            roots += usize::from(open.is_empty());
            match tag.strip_prefix('/') {
                Some(name) => assert_eq!(open.pop(), Some(name), "{xml}"),
                None if tag.ends_with('/') => {}
                None => open.push(tag.split(' ').next().unwrap()),
            }
        }
        assert_eq!((open.len(), roots), (0, 1), "{xml}");
    }
}
