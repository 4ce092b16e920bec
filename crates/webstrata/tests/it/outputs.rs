//! What holds for the three outputs of any page: code is what browsers have as `innerText`, tables have all cells,
//! nothing that is kept has holes, and text, Markdown and HTML say the same words.
//!
//! Each property is checked on random pages, and on the real ones of `WEBSTRATA_SETS`.

use std::collections::HashSet;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use webstrata::cutting::Cutting;
use webstrata::filters::{Filter, Verb};
use webstrata::output::{OutputOptions, html, markdown, text};
use webstrata::{Document, Extractor, NodeId, Options, Page, Part, Tree};

use crate::inner_text::inner_text;
use crate::said::{Marks, Rows, Said, tidy, words};

/// The outputs of a page, read back.
struct Outputs {
    text: String,
    html: Said,
    markdown: Said,
    /// Markdown with the numbers of items, which plain text has, too.
    marked: Said,
    written: (String, String),
}

impl Outputs {
    fn of(page: &Page<'_>, options: &OutputOptions) -> Outputs {
        // The title stands in text only where it is asked for.
        let with_title = OutputOptions { include: [Part::Title].into_iter().collect(), ..*options };
        let (html, markdown) = (html(page, options), markdown(page, options));
        Outputs {
            text: text(page, &with_title),
            html: Said::of_html(&html),
            markdown: Said::of_markdown(&markdown, Marks::LeftOut),
            marked: Said::of_markdown(&markdown, Marks::Words),
            written: (markdown, html),
        }
    }

    /// Formulas have other signs around them in HTML, and Markdown does not escape them.
    fn has_formulas(&self) -> bool {
        ["\\(", "\\[", "$"].iter().any(|sign| self.html.text.contains(sign))
    }

    /// Signs in formulas may be read as markup, which is no end of a word: then the letters are the same.
    fn same_words(&self, what: &str, one: &[&str], other: &[&str]) -> Result<(), String> {
        match self.has_formulas() && one.concat() == other.concat() {
            true => Ok(()),
            false => same(what, one, other),
        }
    }

    /// Markdown has the words of HTML, in order; without formulas, all characters.
    fn say_the_same(&self) -> Result<(), String> {
        self.same_words("words", &self.html.words(), &self.markdown.words())?;
        if self.has_formulas() || self.html.characters() == self.markdown.characters() {
            return Ok(());
        }
        let characters = |said: &Said| said.text.split_whitespace().map(str::to_owned).collect();
        let (html, markdown): (Vec<_>, Vec<_>) =
            (characters(&self.html), characters(&self.markdown));
        same("characters", &html, &markdown)
    }

    /// Markdown has the words of text, in order, and no others but the heads of posts, and the numbers of items that
    /// are images only.
    fn text_is_in_markdown(&self, page: &Page<'_>, options: &OutputOptions) -> Result<(), String> {
        let (text, markdown) = (words(&self.text), self.marked.words());
        if text == markdown {
            return Ok(());
        }
        let mut rest = markdown.iter();
        let is_part = text.iter().all(|word| rest.any(|other| other == word));
        match is_part && (options.images || !page.posts().is_empty()) {
            true => Ok(()),
            false => self.same_words("words of text", &text, &markdown),
        }
    }

    /// The three outputs have the same tables: rows of tabs, of pipes and of cells. Text has no images, and no space
    /// where one stands.
    fn have_the_same_tables(&self, options: &OutputOptions) -> Result<(), String> {
        if self.has_formulas() {
            let letters = |tables: &[Rows]| tables.iter().map(|rows| letters(rows)).collect();
            let (html, markdown): (Vec<_>, Vec<_>) =
                (letters(&self.html.tables), letters(&self.markdown.tables));
            return same("letters of tables", &html, &markdown);
        }
        same("tables", &self.html.tables, &self.markdown.tables)?;
        if options.images {
            return Ok(());
        }
        let mut lines: &[&str] = &self.text.split('\n').collect::<Vec<_>>();
        for rows in &self.html.tables {
            let rows: Vec<String> = rows.iter().map(|row| row.join("\t")).collect();
            let end = end_of(&rows, lines);
            lines = &lines[end.ok_or_else(|| format!("not in the text: {rows:?}"))?..];
        }
        Ok(())
    }

    /// The three outputs have the same code.
    fn have_the_same_code(&self) -> Result<(), String> {
        same("code", &self.html.codes, &self.markdown.codes)?;
        let mut lines: &[&str] = &self.text.split('\n').collect::<Vec<_>>();
        for code in &self.html.codes {
            let code: Vec<String> = code.split('\n').map(str::to_owned).collect();
            let end = end_of(&code, lines);
            lines = &lines[end.ok_or_else(|| format!("not in the text: {code:?}"))?..];
        }
        Ok(())
    }
}

/// Where a block ends among lines. The first may have marks of lists and notes before it; all others are indented
/// by as much as lists are.
fn end_of(block: &[String], lines: &[&str]) -> Option<usize> {
    (0..lines.len()).find_map(|start| {
        let marks = lines[start].strip_suffix(block[0].as_str())?.chars().count();
        let shown = lines.get(start + 1..start + block.len())?;
        let is_indented = |indent: usize| {
            let is_same = |(line, shown): (&String, &&str)| match line.is_empty() {
                true => shown.is_empty(),
                false => shown.strip_prefix(&*" ".repeat(indent)) == Some(line),
            };
            block[1..].iter().zip(shown).all(is_same)
        };
        (0..=marks).any(is_indented).then_some(start + block.len())
    })
}

/// The first difference, with a little around it.
fn same<T: PartialEq + std::fmt::Debug>(what: &str, one: &[T], other: &[T]) -> Result<(), String> {
    if one == other {
        return Ok(());
    }
    let at = one.iter().zip(other).take_while(|(a, b)| a == b).count();
    let part = |of: &[T]| format!("{:?}", &of[at.saturating_sub(3)..(at + 4).min(of.len())]);
    Err(format!("{what} at {at}: {} / {}", part(one), part(other)))
}

const PRE: [&str; 4] = ["pre", "listing", "xmp", "plaintext"];
const HEADINGS: [&str; 6] = ["h1", "h2", "h3", "h4", "h5", "h6"];

fn is_named(tree: &Tree<'_>, node: NodeId, names: &[&str]) -> bool {
    tree.name(node).is_some_and(|name| names.contains(&&*name))
}

fn is_in(tree: &Tree<'_>, node: NodeId, names: &[&str]) -> bool {
    tree.ancestors(node).skip(1).any(|around| is_named(tree, around, names))
}

fn is_shown(tree: &Tree<'_>, node: NodeId) -> bool {
    let unseen =
        ["script", "style", "svg", "video", "audio", "canvas", "object", "select", "textarea"];
    !tree.ancestors(node).any(|around| tree.hides(around) || is_named(tree, around, &unseen))
}

/// The code blocks of a page by the reference, each with whether it must be written as one: in a cell or a
/// heading all is words.
fn codes_of(tree: &Tree<'_>) -> Vec<(String, bool)> {
    let is_code = |node: &NodeId| is_named(tree, *node, &PRE) && !is_in(tree, *node, &PRE);
    let codes = tree.nodes().filter(is_code);
    let code = |node| {
        (inner_text(tree, node), !is_in(tree, node, &["table"]) && !is_in(tree, node, &HEADINGS))
    };
    codes.map(code).filter(|(code, _)| !code.is_empty()).collect()
}

/// Are all written code blocks those of the page, in order, and all of the page written that must be?
fn code_is_inner_text(tree: &Tree<'_>, written: &[String]) -> Result<(), String> {
    let mut written = written.iter().peekable();
    for (code, required) in codes_of(tree) {
        if written.next_if(|written| **written == code).is_none() && required {
            return Err(format!("innerText {code:?}, written {:?}", written.peek()));
        }
    }
    written.next().map_or(Ok(()), |code| Err(format!("no innerText is {code:?}")))
}

/// The tables of a page that hold data by any account: two rows and two columns at least, and only words in
/// their cells. Of each, the rows with any words.
fn tables_of(tree: &Tree<'_>) -> Vec<Rows> {
    #[rustfmt::skip]
    let large = ["table", "p", "ul", "ol", "dl", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "listing", "xmp", "plaintext",
        "blockquote", "article", "math", "caption"];
    let is_plain = |table: &NodeId| {
        let mut inside = table + 1..tree.end_of(*table);
        let arranges = tree.attribute(*table, "role").is_some();
        !inside.any(|node| is_named(tree, node, &large))
            && !arranges
            && !is_in(tree, *table, &["table", "pre"])
    };
    let inside = |of: NodeId, names: &'static [&str]| {
        (of..tree.end_of(of)).filter(move |node| is_named(tree, *node, names))
    };
    let cell = |cell: NodeId| {
        let separates = ["div", "br", "center", "section", "li", "hr", "form"];
        let texts = (cell..tree.end_of(cell)).filter(|node| is_shown(tree, *node));
        let texts = texts.map(|node| match tree.name(node) {
            Some(name) if separates.contains(&&*name) => " ",
            _ => tree.text(node),
        });
        tidy(&texts.collect::<String>())
    };
    let tables = tree.nodes().filter(|node| is_named(tree, *node, &["table"])).filter(is_plain);
    let tables = tables.map(|table| {
        let rows = inside(table, &["tr"]);
        rows.map(|row| inside(row, &["td", "th"]).map(cell).collect::<Vec<_>>()).collect::<Vec<_>>()
    });
    let is_data = |rows: &Vec<Vec<String>>| rows.len() > 1 && rows.iter().any(|row| row.len() > 1);
    let tables = tables.filter(is_data).map(|mut rows| {
        rows.retain(|row| row.iter().any(|cell| !cell.is_empty()));
        rows
    });
    tables.filter(|rows| !rows.is_empty()).collect()
}

/// The cells of a table that have words, all other characters and spaces left out.
fn letters(rows: &[Vec<String>]) -> Vec<Vec<String>> {
    let cell = |cell: &String| cell.chars().filter(|c| c.is_alphanumeric()).collect();
    let row =
        |row: &Vec<String>| row.iter().map(cell).filter(|cell: &String| !cell.is_empty()).collect();
    rows.iter().map(row).filter(|row: &Vec<String>| !row.is_empty()).collect()
}

/// Is each table of the page that holds data written, cell by cell?
fn tables_are_whole(tables: &[Rows], written: &[Rows]) -> Result<(), String> {
    let written: Vec<_> = written.iter().map(|rows| letters(rows)).collect();
    let mut rest = written.iter();
    for table in tables.iter().map(|rows| letters(rows)).filter(|rows| !rows.is_empty()) {
        if !rest.any(|other| *other == table) {
            return Err(format!("{table:?} is not in {written:?}"));
        }
    }
    Ok(())
}

/// Where a written table is one that holds data by any account, are its rows all whole?
fn rows_are_whole(tree: &Tree<'_>, rows: &Rows) -> Result<(), String> {
    let rows = letters(rows);
    let tables: Vec<_> = tables_of(tree).iter().map(|rows| letters(rows)).collect();
    let has = |table: &Vec<Vec<String>>, row: &Vec<String>| table.contains(row);
    // The table that most of its rows are of.
    let of = tables.iter().max_by_key(|table| rows.iter().filter(|row| has(table, row)).count());
    let Some(of) = of.filter(|table| rows.iter().any(|row| has(table, row))) else { return Ok(()) };
    match rows.iter().find(|row| !has(of, row)) {
        Some(row) => Err(format!("{row:?}")),
        None => Ok(()),
    }
}

/// All but whitespace.
fn visible(text: &str) -> impl Iterator<Item = char> + '_ {
    text.chars().filter(|c| !c.is_whitespace())
}

fn read<'a>(source: &'a [u8], extractor: &Extractor) -> Page<'a> {
    extractor.extract_page(source, &Options::default())
}

fn named(name: &str) -> &'static Extractor {
    Extractor::named(name).expect("a built-in")
}

/// Has what an extractor kept of a page holes? `is_written` tells of each word, and no two texts share one.
fn holes(tree: &Tree<'_>, is_written: &dyn Fn(&str) -> bool) -> Result<(), String> {
    let texts = |of: NodeId| (of..tree.end_of(of)).flat_map(|node| words(tree.text(node)));
    let all = |of: NodeId| texts(of).all(is_written);
    let any = |of: NodeId| texts(of).any(is_written);
    let has_code = |of: NodeId| (of..tree.end_of(of)).any(|node| is_named(tree, node, &PRE));
    for node in tree.nodes() {
        if is_named(tree, node, &PRE) && any(node) && !all(node) {
            return Err("a hole in code".to_owned());
        }
        let parts: Vec<NodeId> = match tree.name(node).as_deref() {
            // What is dropped of code leaves a hole around it.
            _ if has_code(node) => continue,
            Some("p") => {
                (node..tree.end_of(node)).filter(|node| tree.name(*node).is_none()).collect()
            }
            Some("ul" | "ol") => {
                tree.children(node).filter(|item| is_named(tree, *item, &["li"])).collect()
            }
            _ => continue,
        };
        let (first, last) =
            (parts.iter().position(|part| any(*part)), parts.iter().rposition(|part| any(*part)));
        let (Some(first), Some(last)) = (first, last) else { continue };
        if let Some(part) =
            parts[first + 1..last.max(first + 1)].iter().find(|part| !all(**part) && !any(**part))
        {
            return Err(format!("a hole: {:?}", tree.text_content(*part)));
        }
    }
    // One row of words is no table that could be completed: many pages are arranged so.
    for rows in tables_of(tree).into_iter().filter(|rows| rows.len() > 1) {
        let row = |row: &Vec<String>| {
            row.iter().flat_map(|cell| words(cell)).map(is_written).collect::<Vec<_>>()
        };
        let rows: Vec<Vec<bool>> = rows.iter().map(row).filter(|row| !row.is_empty()).collect();
        let has_any = |row: &Vec<bool>| row.contains(&true);
        let (Some(first), Some(last)) =
            (rows.iter().position(has_any), rows.iter().rposition(has_any))
        else {
            continue;
        };
        if rows[first..=last].iter().any(|row| row.contains(&false)) {
            return Err(format!("a hole in a table: {rows:?}"));
        }
    }
    Ok(())
}

const PLAIN: OutputOptions = OutputOptions::DEFAULT;
const ALL: OutputOptions = OutputOptions { links: true, images: true, ..OutputOptions::DEFAULT };

/// What stands in code. Nothing that only the style sheet of a highlighter makes lines of.
#[rustfmt::skip]
const CODE: &[&str] = &[
    "a", "if (b) {", "}", " ", "    ", "\n", "\n\n", "\r\n", "\t", "é", "&lt;p>", "```", "~~~", "*c*", "# d", "\u{a0}", "3",
    "<b>", "</b>", "<span>", "</span>", "<div>", "</div>", "<div>e</div>", "<br>", "<blockquote>", "</blockquote>", "<p>", "</p>",
    "<hr>", "<ul>", "<li>", "</ul>", "<table>", "<tr>", "<td>", "</table>", "<i hidden>", "</i>", "<script>x</script>", "<a href=/u>", "</a>",
    "<span style='display: block'>", "<img alt=x>", "<wbr>", "<h2>", "</h2>", "<dl><dt>f<dd>", "</dl>",
];

#[rustfmt::skip]
const AROUND: &[&str] = &["", "<p>Words.</p>", "<ul><li>", "<ol start=12><li>x", "<blockquote>", "<div>", "<dl><dt>x<dd>", "<b>", "<section>"];

#[rustfmt::skip]
const TABLES: &[&str] = &[
    "<table>", "</table>", "<tr>", "</tr>", "<td>", "</td>", "<th>", "<td colspan=2>", "<td rowspan=2>", "<th rowspan=3>", "<td colspan=0>",
    "<thead>", "<tbody>", "<tfoot>", "<caption>", "</caption>", "<tr><td>a<td>b", "<tr><td>c<td>d", "<tr><th>e<th>f<th>", "<tr><td><td>g",
    "<table><tr><td>h<td>i<tr><td>j<td>", "k | l", "|", "\\|", "\\", "`m|n`", "<code>", "</code>", "<b>", "</b>", "<br>", "<div>", "</div>", " ", "\n",
    "<ul><li>", "</ul>", "<p>o</p>", "<p>", "p q", "r", "*s*", "&nbsp;", "7", "<a href=/u>", "</a>", "<img src=i.png alt=v>", "<i hidden>t</i>",
];

/// `+` begins a text that is kept.
#[rustfmt::skip]
const KEPT: &[&str] = &[
    "+", "-", "+", "-", "-", "<p>", "</p>", "<br>", "<ul>", "</ul>", "<ol>", "</ol>", "<li>", "</li>", "<table>", "<tr>", "<td>", "<tr><td>", "</table>",
    "<table><tr><td>", "<pre>", "</pre>", "<dl>", "<dt>", "<dd>", "</dl>", "<div>", "</div>", "<b>", "</b>", "<blockquote>", "</blockquote>",
];

/// What the outputs have forms of their own for: notes and formulas.
#[rustfmt::skip]
const FORMS: &[&str] = &[
    "<math><mi>x</mi></math>", "<script type=math/tex>y_1 < z</script>", "\\(u\\)", "$5", "<sup><a href=#fn1>1</a></sup>", "<p id=fn1>", "<li id=fn2>",
    "<sup><a href=#fn2>*</a></sup>", "<ol><li id=fn1>", "<a href=#r>back</a>", "<a href=#fn1 id=r>", "<title>Tides</title>", "<h1>Tides</h1>",
    "<input type=checkbox checked>", "<li><input type=checkbox>", "<q>", "</q>", "<ol reversed>", "<details><summary>", "</details>", "<aside>", "</aside>",
];

/// Keeps blocks that begin with `+`.
#[derive(Debug)]
struct KeepMarked;

impl Filter for KeepMarked {
    fn name(&self) -> &'static str {
        "keep-marked"
    }

    fn verb(&self) -> Verb {
        Verb::Keep
    }

    fn apply(&self, document: &mut Document) {
        let mut blocks = std::mem::take(&mut document.blocks);
        for block in &mut blocks {
            block.is_content = document.with_text(block, |text| text.starts_with('+'));
        }
        document.blocks = blocks;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn code_is_what_browsers_have(around in vec(select(AROUND), 0..3), pieces in vec(select(CODE), 0..32), code: bool) {
        let start = if code { "<pre><code>" } else { "<pre>" };
        let source = format!("<!doctype html><body>{}{start}{}</pre><p>End.", around.concat(), pieces.concat());
        let page = read(source.as_bytes(), named("keep-all"));
        let outputs = Outputs::of(&page, &PLAIN);
        let result = code_is_inner_text(&page.tree, &outputs.html.codes).and_then(|()| outputs.have_the_same_code());
        prop_assert_eq!(result, Ok(()), "{}\n{:?}", source, outputs.written);
    }

    #[test]
    fn tables_have_all_cells(around in vec(select(AROUND), 0..3), pieces in vec(select(TABLES), 0..40)) {
        let source = format!("<!doctype html><body>{}{}", around.concat(), pieces.concat());
        let page = read(source.as_bytes(), named("keep-all"));
        let outputs = Outputs::of(&page, &PLAIN);
        let result = tables_are_whole(&tables_of(&page.tree), &outputs.html.tables).and_then(|()| outputs.have_the_same_tables(&PLAIN));
        prop_assert_eq!(result, Ok(()), "{}\n{:?}", source, outputs.written);
    }

    #[test]
    fn what_is_kept_has_no_holes(pieces in vec(select(KEPT), 1..60)) {
        let piece = |(at, piece): (usize, &&str)| match *piece {
            "+" => format!("+a{at} b{at} "),
            "-" => format!("a{at} b{at} "),
            tag => tag.to_owned(),
        };
        let source: String = pieces.iter().enumerate().map(piece).collect();
        let mut extractor = Extractor::new("keep-marked").step(KeepMarked);
        extractor.cutting = Cutting::Strata;
        let page = read(source.as_bytes(), &extractor);
        let outputs = Outputs::of(&page, &PLAIN);
        let written: HashSet<&str> = words(&outputs.text).into_iter().collect();
        let result = outputs.say_the_same()
            .and_then(|()| outputs.text_is_in_markdown(&page, &PLAIN))
            .and_then(|()| holes(&page.tree, &|word| written.contains(word)));
        prop_assert_eq!(result, Ok(()), "{}\n{:?}", source, outputs.text);
        // Only of code is anything dropped that was kept.
        let content = page.document.content_atoms();
        for (at, atom) in page.document.atoms.iter().enumerate().filter(|(at, _)| content[*at]) {
            let is_written = words(page.document.atom_text(at)).iter().all(|word| written.contains(word));
            prop_assert!(is_written || is_in(&page.tree, atom.nodes.start, &PRE), "{}", source);
        }
    }

    #[test]
    fn outputs_say_the_same(
        pieces in vec(select([crate::markup::PIECES, crate::properties::PIECES, crate::structure::LINKED, FORMS, TABLES, CODE].concat()), 0..40),
        all: bool,
    ) {
        // A note of nothing but a button in code is not written, and its reference is: no page has one.
        let source = pieces.concat().replace("button>", "b>");
        for extractor in ["keep-all", "strata"] {
            let page = read(source.as_bytes(), named(extractor));
            let options = if all { &ALL } else { &PLAIN };
            let outputs = Outputs::of(&page, options);
            let result = outputs.say_the_same()
                .and_then(|()| outputs.text_is_in_markdown(&page, options))
                .and_then(|()| outputs.have_the_same_tables(options))
                .and_then(|()| outputs.have_the_same_code());
            prop_assert_eq!(result, Ok(()), "{}: {}\n{:?}\n{}", extractor, source, outputs.written, outputs.text);
        }
    }
}

/// What was found on real pages, by property: how often it was looked at, and how often it held.
#[derive(Default)]
struct Tally {
    names: Vec<(&'static str, usize, usize)>,
}

impl Tally {
    fn count(&mut self, name: &'static str, path: &std::path::Path, result: Result<(), String>) {
        let at = self.names.iter().position(|(known, ..)| *known == name).unwrap_or_else(|| {
            self.names.push((name, 0, 0));
            self.names.len() - 1
        });
        self.names[at].1 += 1;
        self.names[at].2 += usize::from(result.is_ok());
        if let Err(why) = result {
            eprintln!("{name}: {}: {why}", path.display());
        }
    }
}

/// How often each property holds on real pages, at least.
const SHARES: &[(&str, f64)] = &[
    ("words of Markdown", 1.0),
    ("words of text", 1.0),
    ("tables", 1.0),
    ("code", 1.0),
    // The style sheets of highlighters make lines that `innerText` here knows nothing of, and numbers of lines and
    // buttons are left out …
    ("innerText", 0.96),
    // … but no character is there that the page does not have in code.
    ("no other characters", 1.0),
    // Menus, lists of other pages and what stands around posts are parts that no output has, whatever is kept.
    ("whole tables", 0.87),
    // Lines that many rows share beside their values, and buttons in cells, are no part of the rows.
    ("whole rows", 0.98),
];

#[test]
fn real_pages_keep_their_structure() {
    let pages = crate::parser::benchmark_pages();
    if pages.is_empty() {
        crate::skipped::skipped("WEBSTRATA_SETS names no folder of benchmark sets");
        return;
    }
    let mut tally = Tally::default();
    for path in &pages {
        let bytes = std::fs::read(path).expect("a readable page");
        for extractor in ["keep-all", "strata"] {
            let page = read(&bytes, named(extractor));
            let outputs = Outputs::of(&page, &PLAIN);
            tally.count("words of Markdown", path, outputs.say_the_same());
            tally.count("words of text", path, outputs.text_is_in_markdown(&page, &PLAIN));
            if !outputs.html.tables.is_empty() {
                tally.count("tables", path, outputs.have_the_same_tables(&PLAIN));
            }
            if !outputs.html.codes.is_empty() {
                tally.count("code", path, outputs.have_the_same_code());
            }
            let codes = codes_of(&page.tree);
            for code in &outputs.html.codes {
                let is_same = codes.iter().any(|(other, _)| other == code);
                tally.count("innerText", path, is_same.then_some(()).ok_or_else(|| code.clone()));
                let is_part = |(other, _): &(String, bool)| {
                    let mut rest = visible(other);
                    visible(code).all(|c| rest.any(|other| other == c))
                };
                let is_part = codes.iter().any(is_part);
                tally.count(
                    "no other characters",
                    path,
                    is_part.then_some(()).ok_or_else(|| code.clone()),
                );
            }
            match extractor {
                "keep-all" => {
                    for table in tables_of(&page.tree) {
                        let result = tables_are_whole(&[table], &outputs.html.tables);
                        tally.count("whole tables", path, result);
                    }
                }
                _ => {
                    for rows in &outputs.html.tables {
                        tally.count("whole rows", path, rows_are_whole(&page.tree, rows));
                    }
                }
            }
        }
    }
    for (name, seen, held) in &tally.names {
        eprintln!("{name}: {held} of {seen}");
        let least = SHARES.iter().find(|(known, _)| known == name).map_or(0.0, |(_, share)| *share);
        assert!(*held as f64 >= least * *seen as f64, "{name}: {held} of {seen}");
    }
}
