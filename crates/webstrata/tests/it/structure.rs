//! The structure of a page, read back from its Markdown by another program.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use pulldown_cmark::{Event, Options as Reading, Parser, Tag, TagEnd};
use webstrata::output::{OutputOptions, html, markdown};
use webstrata::{Extractor, Options, Page};

/// A part of an invented page.
#[derive(Clone, Debug)]
enum Part {
    Heading(usize, &'static str),
    Paragraph(&'static str),
    List(List),
    /// Rows of as many cells each.
    Table(Vec<Vec<&'static str>>),
    Code(Vec<&'static str>),
}

#[derive(Clone, Debug)]
struct List {
    ordered: bool,
    /// A list below an item may stand behind it instead, as editors often write it.
    inside: bool,
    items: Vec<(&'static str, Option<List>)>,
}

const WORDS: &[&str] = &[
    "ebb",
    "flood tide",
    "2 * 3",
    "# no heading",
    "- no item",
    "1. none either",
    "a | b",
    "snake_case_name",
    "&lt;p>",
    "`tick",
    "[x] box",
    "+ 5",
    "~~~",
];

fn word() -> impl Strategy<Value = &'static str> {
    select(WORDS)
}

fn list() -> impl Strategy<Value = List> {
    let leaf = (any::<bool>(), any::<bool>(), vec((word(), Just(None)), 1..4));
    let leaf = leaf.prop_map(|(ordered, inside, items)| List { ordered, inside, items });
    leaf.prop_recursive(3, 12, 3, |inner| {
        let items = vec((word(), proptest::option::of(inner)), 1..4);
        let parts = (any::<bool>(), any::<bool>(), items);
        parts.prop_map(|(ordered, inside, items)| List { ordered, inside, items })
    })
}

fn part() -> impl Strategy<Value = Part> {
    prop_oneof![
        // The first level is the page's title, which stands above all.
        (2..=6_usize, word()).prop_map(|(level, text)| Part::Heading(level, text)),
        word().prop_map(Part::Paragraph),
        list().prop_map(Part::List),
        (2..4_usize)
            .prop_flat_map(|columns| vec(vec(word(), columns..=columns), 2..4))
            .prop_map(Part::Table),
        vec(select(&["let x = 1;", "    indented", "```", "# comment"][..]), 1..4)
            .prop_map(Part::Code),
    ]
}

impl List {
    fn write(&self, html: &mut String) {
        let name = if self.ordered { "ol" } else { "ul" };
        html.push_str(&format!("<{name}>"));
        for (text, below) in &self.items {
            html.push_str(&format!("<li>{text}"));
            html.push_str(if self.inside { "" } else { "</li>" });
            if let Some(list) = below {
                list.write(html);
            }
        }
        html.push_str(&format!("</{name}>"));
    }

    fn expect(&self, depth: usize, found: &mut Vec<String>) {
        for (text, below) in &self.items {
            found.push(format!("item {depth}: {}", plain(text)));
            if let Some(list) = below {
                list.expect(depth + 1, found);
            }
        }
    }
}

fn plain(html: &str) -> String {
    html.replace("&lt;", "<").split_whitespace().collect()
}

impl Part {
    fn write(&self, html: &mut String) {
        match self {
            Part::Heading(level, text) => html.push_str(&format!("<h{level}>{text}</h{level}>")),
            Part::Paragraph(text) => html.push_str(&format!("<p>{text}</p>")),
            Part::List(list) => list.write(html),
            Part::Table(rows) => {
                let row = |row: &Vec<&str>| format!("<tr><td>{}", row.join("<td>"));
                let rows: String = rows.iter().map(row).collect();
                html.push_str(&format!("<table>{rows}</table>"));
            }
            Part::Code(lines) => html.push_str(&format!("<pre>{}</pre>", lines.join("\n"))),
        }
    }

    fn expect(&self, found: &mut Vec<String>) {
        match self {
            Part::Heading(level, text) => found.push(format!("heading {level}: {}", plain(text))),
            Part::Paragraph(_) => {}
            Part::List(list) => list.expect(1, found),
            Part::Table(rows) => {
                let row = |row: &Vec<&'static str>| {
                    let cells: Vec<String> = row.iter().map(|cell| plain(cell)).collect();
                    format!("row: {}", cells.join("¦"))
                };
                found.extend(rows.iter().map(row));
            }
            Part::Code(lines) => found.push(format!("code: {}", lines.join("\n"))),
        }
    }
}

/// Headings, items, rows and code, in the order in which they begin.
fn read(markdown: &str) -> Vec<String> {
    let reading = Reading::ENABLE_TABLES | Reading::ENABLE_STRIKETHROUGH;
    let (mut found, mut open, mut depth) = (Vec::<String>::new(), Vec::new(), 0);
    let mut in_code = false;
    for event in Parser::new_ext(markdown, reading) {
        match event {
            Event::Start(Tag::List(_)) => depth += 1,
            Event::End(TagEnd::List(_)) => depth -= 1,
            Event::Start(tag) => {
                let begins = match tag {
                    Tag::Heading { level, .. } => format!("heading {}: ", level as u8),
                    Tag::Item => format!("item {depth}: "),
                    Tag::TableHead | Tag::TableRow => "row: ".into(),
                    Tag::CodeBlock(_) => "code: ".into(),
                    _ => continue,
                };
                in_code = begins == "code: ";
                open.push(found.len());
                found.push(begins);
            }
            Event::End(TagEnd::TableCell) => found[*open.last().expect("a row")].push('¦'),
            Event::End(
                TagEnd::Heading(_)
                | TagEnd::Item
                | TagEnd::TableHead
                | TagEnd::TableRow
                | TagEnd::CodeBlock,
            ) => {
                let element = &mut found[open.pop().expect("it began")];
                let length = element.trim_end_matches(['¦', '\n']).len();
                element.truncate(length);
                in_code = false;
            }
            Event::Text(text) | Event::Code(text) => {
                if let Some(element) = open.last() {
                    let words: String = text.split_whitespace().collect();
                    found[*element].push_str(if in_code { &text } else { &words });
                }
            }
            _ => {}
        }
    }
    found
}

fn page(source: &str) -> Page<'_> {
    let extractor = Extractor::named("keep-all").expect("a built-in");
    let mut page = Page::read(source.as_bytes(), extractor.cutting, &Options::default());
    extractor.apply(&mut page.document);
    page
}

/// Of Markdown, all characters that are text, without links and images.
fn text_of(markdown: &str) -> String {
    let mut images = 0;
    let mut text = String::new();
    let reading =
        Reading::ENABLE_TABLES | Reading::ENABLE_STRIKETHROUGH | Reading::ENABLE_FOOTNOTES;
    for event in Parser::new_ext(markdown, reading) {
        match event {
            Event::Start(Tag::Image { .. }) => images += 1,
            Event::End(TagEnd::Image) => images -= 1,
            Event::Text(part) | Event::Code(part) | Event::FootnoteReference(part)
                if images == 0 =>
            {
                text.extend(part.split_whitespace());
            }
            _ => {}
        }
    }
    text
}

fn text_of_html(html: &str) -> String {
    let tree = webstrata::Tree::parse(html, &webstrata::Limits::default());
    tree.text_content(0).split_whitespace().collect()
}

#[track_caller]
fn check_options(page: &Page<'_>, source: &str) {
    let all = [(false, false), (true, false), (false, true), (true, true)];
    let all = all.map(|(links, images)| OutputOptions { links, images, ..OutputOptions::DEFAULT });
    let texts = all.map(|options| text_of(&markdown(page, &options)));
    assert!(texts.iter().all(|text| *text == texts[0]), "{texts:?}\n{source}");
    let texts = all.map(|options| text_of_html(&html(page, &options)));
    assert!(texts.iter().all(|text| *text == texts[0]), "{texts:?}\n{source}");
}

pub(crate) const LINKED: &[&str] = &[
    "<p>fog ",
    "<a href=/u>",
    "</a>",
    "<a href=#n1 id=r1>",
    "<sup>",
    "</sup>",
    "<ol><li id=n1>",
    "<li id=fn2>",
    "<a href=#fn2>",
    "<a href=#r1>back</a>",
    "</ol>",
    "<img src=i.png alt='an image'>",
    "<figure>",
    "<figcaption>",
    "</figure>",
    "<pre>",
    "</pre>",
    "<table><tr><td>a<td>b<tr><td>",
    "</table>",
    "1",
    "[2]",
    "rain",
    "<blockquote>",
    "</blockquote>",
    "<h2>",
    "</h2>",
    "<div id=fn3>",
    "<sup><a href=#fn3>3</a></sup>",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn structure_comes_back(parts in vec(part(), 1..6)) {
        let (mut source, mut expected) = (String::new(), Vec::new());
        for (i, part) in parts.iter().enumerate() {
            // Lists one right behind the other may be read as one, and that is no loss.
            source.push_str(&if i > 0 { format!("<p>between {i}</p>") } else { String::new() });
            part.write(&mut source);
            part.expect(&mut expected);
        }
        let written = markdown(&page(&source), &OutputOptions::default());
        prop_assert_eq!(read(&written), expected, "\n{}\n{}", source, written);
    }

    #[test]
    fn links_and_images_leave_the_text_alone(pieces in vec(select(LINKED), 0..24)) {
        let source = pieces.concat();
        check_options(&page(&source), &source);
    }
}

/// A code block that is not written is not written for an image in it either.
#[test]
fn images_bring_back_no_code() {
    let source =
        "<a href=#n1 id=r1><h2>1<ol><li id=n1><pre><figure></a>1<img src=i.png alt='an image'>";
    check_options(&page(source), source);
}

/// The same on the pages that other tests have.
#[test]
fn links_and_images_leave_the_text_of_pages_alone() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pages");
    let mut seen = 0;
    for page in std::fs::read_dir(folder).expect("the pages") {
        let path = page.expect("a folder").path().join("page.html");
        let Ok(bytes) = std::fs::read(&path) else { continue };
        for name in ["article", "keep-all"] {
            let extractor = Extractor::named(name).expect("a built-in");
            let mut page = Page::read(&bytes, extractor.cutting, &Options::default());
            extractor.apply(&mut page.document);
            check_options(&page, &path.display().to_string());
        }
        seen += 1;
    }
    assert!(seen > 5, "{seen} pages");
}
