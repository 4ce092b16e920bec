//! Texts that a page carries as data: JSON-LD, the JSON that scripts build pages from, what scripts
//! assign to `window`, and the rows that React sends.

mod react;
mod script;

use std::collections::HashSet;

use serde_json::{Map, Value};

use crate::clock::Clock;
use crate::cutting::Cutting;
use crate::document::Document;
use crate::html::tag::Tag;
use crate::options::Options;
use crate::page::Page;
use crate::tree::{NodeId, Tree};

/// Bytes of one script that are read, and of all scripts of a page.
const MAX_SCRIPT: usize = 4 << 20;
const MAX_SCRIPTS: usize = 16 << 20;
/// Memory that an object, a list and any other value of a script's data take, besides twice its bytes: most objects and lists
/// that are made to cost much have one value, and room for several.
const OBJECT_COST: usize = 700;
const LIST_COST: usize = 160;
const VALUE_COST: usize = 64;
/// Bytes of texts that are taken from a page.
const MAX_BYTES: usize = 1 << 20;
/// Fewer words than this are no text but a name, an address, an option.
const MIN_WORDS: usize = 8;
/// In programs, as many are a message to users.
const MIN_WORDS_IN_PROGRAMS: usize = 20;

/// Keys whose values are texts for readers, the best first: where a page has an article's body, its
/// description says nothing new.
const KEYS: [&[&str]; 3] = [
    &["articlebody", "reviewbody"],
    &["text", "body", "content", "html", "bodyhtml", "contenthtml", "markdown"],
    &["description", "abstract", "summary"],
];
/// The rank of what React sends, which has no keys.
const REACT: usize = 1;

/// A text for readers in a page's data.
struct Piece {
    /// The text of the script that it is from.
    node: NodeId,
    /// The text as markup: the page's own where the data has any, else a paragraph a line.
    markup: String,
    lines: Vec<String>,
}

/// The texts for readers in a page's data, line by line, each with the script that it is from.
pub(crate) fn texts(tree: &Tree<'_>, clock: &Clock, memory: usize) -> Vec<(NodeId, String)> {
    let lines = |piece: Piece| piece.lines.into_iter().map(move |line| (piece.node, line));
    pieces(tree, clock, memory).into_iter().flat_map(lines).collect()
}

/// What a script's data takes in memory.
fn cost(text: &str) -> usize {
    let count = |byte: u8| memchr::memchr_iter(byte, text.as_bytes()).count();
    let values = VALUE_COST * count(b',') + LIST_COST * count(b'[');
    OBJECT_COST * count(b'{') + values + 2 * text.len()
}

/// What there is time for. The data of one script at a time may take so much memory; scripts that would take more are
/// passed over.
fn pieces(tree: &Tree<'_>, clock: &Clock, memory: usize) -> Vec<Piece> {
    let mut found = Found { ranks: Default::default(), clock, is_over: false };
    let mut rows = String::new();
    let mut first_row = None;
    let mut left = MAX_SCRIPTS;
    for element in tree.nodes().filter(|node| tree.tag(*node) == Some(Tag::Script)) {
        let Some(node) = tree.children(element).next() else { continue };
        if clock.passed() {
            break;
        }
        let text = tree.text(node);
        if text.len() > MAX_SCRIPT.min(left) {
            continue;
        }
        left -= text.len();
        match language(tree, element) {
            // Nested deeper than serde_json allows is no data of a page.
            Language::Json if cost(text) > memory => {}
            Language::Json => match serde_json::from_str::<Value>(text) {
                Ok(Value::Array(values)) if is_flat(&values) => {
                    collect_flat(&values, node, &mut found);
                }
                Ok(value) => collect(&value, None, node, &mut found),
                Err(_) => {}
            },
            Language::Program => {
                let before = rows.len();
                script::pushed(text, &mut rows);
                if rows.len() > before {
                    first_row = first_row.or(Some(node));
                } else {
                    script::assigned(text, &mut |key, value| {
                        let is_markup = value.contains("</p>");
                        let words = if is_markup { MIN_WORDS } else { MIN_WORDS_IN_PROGRAMS };
                        if let Some(rank) = rank(key).filter(|_| has_words(value, words)) {
                            found.add(rank, value, node);
                        }
                    });
                }
            }
            Language::Other => {}
        }
    }
    if let Some(node) = first_row.filter(|_| !clock.passed()) {
        let markup = react::markup(&rows, MAX_BYTES, memory);
        if has_words(&markup, MIN_WORDS) {
            found.ranks[REACT].add_markup(&markup, node, clock);
        } else {
            // No elements, but the data that they will be made of.
            react::rows(&rows, memory, |row| {
                if let react::Row::Json(value) = row {
                    collect(&value, None, node, &mut found);
                }
                !clock.passed()
            });
        }
    }
    let ranks = found.ranks.into_iter();
    ranks.map(|texts| texts.pieces).find(|pieces| !pieces.is_empty()).unwrap_or_default()
}

enum Language {
    Json,
    Program,
    Other,
}

fn language(tree: &Tree<'_>, script: NodeId) -> Language {
    let kind = tree.raw_attributes(script).find(|(name, _)| name.eq_ignore_ascii_case("type"));
    let kind = kind.map(|(_, value)| value.trim().to_ascii_lowercase()).unwrap_or_default();
    match kind.as_str() {
        "application/json" | "application/ld+json" => Language::Json,
        "" | "module" | "text/javascript" | "application/javascript" => Language::Program,
        _ => Language::Other,
    }
}

fn has_words(text: &str, words: usize) -> bool {
    text.split_whitespace().nth(words - 1).is_some()
}

/// Texts of one rank, each line once.
#[derive(Default)]
struct Texts {
    pieces: Vec<Piece>,
    known: HashSet<String>,
    bytes: usize,
}

/// How good the text of a key is; `None` if the key is not one of texts.
fn rank(key: &str) -> Option<usize> {
    if key.len() > 32 {
        return None;
    }
    let key: String = key.chars().filter(|c| c.is_alphabetic()).collect::<String>().to_lowercase();
    KEYS.iter().position(|keys| keys.contains(&key.as_str()))
}

/// Texts by rank.
struct Found<'c> {
    ranks: [Texts; KEYS.len()],
    clock: &'c Clock,
    /// The time is over: nobody asks the clock again.
    is_over: bool,
}

impl Found<'_> {
    fn add(&mut self, rank: usize, text: &str, node: NodeId) {
        if self.is_over || !has_words(text, MIN_WORDS) {
            return;
        }
        self.is_over = self.clock.passed();
        if !self.is_over {
            self.ranks[rank].add(text, node, self.clock);
        }
    }
}

/// Adds the texts in a value, which has this rank by its key.
fn collect(value: &Value, ranked: Option<usize>, node: NodeId, found: &mut Found<'_>) {
    match value {
        Value::Array(values) => {
            values.iter().for_each(|value| collect(value, ranked, node, found));
        }
        Value::Object(fields) => {
            fields.iter().for_each(|(key, value)| collect(value, rank(key), node, found));
        }
        Value::String(text) => {
            if let Some(rank) = ranked {
                found.add(rank, text, node);
            }
        }
        _ => {}
    }
}

/// Is this one flat list of all values, in which objects name the places of theirs? Nuxt writes so.
fn is_flat(values: &[Value]) -> bool {
    let places = |fields: &Map<String, Value>| {
        !fields.is_empty() && fields.values().all(|value| value.is_u64() || value.is_i64())
    };
    match values {
        [Value::Array(first), rest @ ..] => {
            first.len() == 2
                && first[0].is_string()
                && first[1].is_u64()
                && rest.iter().any(|value| value.as_object().is_some_and(places))
        }
        [Value::Object(first), rest @ ..] => places(first) && rest.len() > 1,
        _ => false,
    }
}

fn collect_flat(values: &[Value], node: NodeId, found: &mut Found<'_>) {
    for (key, place) in values.iter().filter_map(Value::as_object).flatten() {
        let value = place.as_u64().and_then(|place| values.get(usize::try_from(place).ok()?));
        if let (Some(rank), Some(Value::String(text))) = (rank(key), value) {
            found.add(rank, text, node);
        }
    }
}

impl Texts {
    /// Adds a text, unless it is there already.
    fn add(&mut self, text: &str, node: NodeId, clock: &Clock) {
        if self.bytes + text.len() > MAX_BYTES {
            return;
        }
        if text.contains('<') {
            return self.add_markup(text, node, clock);
        }
        self.bytes += text.len();
        let mut piece = Piece { node, markup: String::new(), lines: Vec::new() };
        // Many programs escape texts for HTML before they write them as JSON.
        let text = htmlize::unescape(text);
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            if self.known.insert(line.to_owned()) {
                piece.markup.push_str(&paragraph(line));
                piece.lines.push(line.to_owned());
            }
        }
        self.push(piece);
    }

    /// Adds a text with markup, unless most of its lines are there already.
    fn add_markup(&mut self, markup: &str, node: NodeId, clock: &Clock) {
        self.bytes += markup.len();
        let text = page_of(markup, clock).document.text();
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let new = lines.iter().filter(|line| self.known.insert((*line).clone())).count();
        if new * 2 > lines.len() {
            // What is left open in it ends with it.
            self.push(Piece { node, markup: format!("<div>{markup}</div>"), lines });
        }
    }

    fn push(&mut self, piece: Piece) {
        if !piece.lines.is_empty() {
            self.pieces.push(piece);
        }
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

fn paragraph(line: &str) -> String {
    format!("<p>{}</p>", escape(line))
}

/// The main text of a page whose text is from its data, as markup: its tree has none of it. `None` for
/// all other pages.
pub(crate) fn as_markup(page: &Page<'_>) -> Option<String> {
    let Page { tree, document } = page;
    if document.atoms.is_empty() || document.shown.iter().any(|nodes| *nodes != 0) {
        return None;
    }
    let mut markup = String::new();
    if is_whole(document) {
        let pieces = pieces(tree, &document.clock, document.spare.for_data());
        markup.extend(pieces.into_iter().map(|piece| piece.markup));
    }
    // Also where the time is over.
    if markup.is_empty() {
        markup.extend(document.text().lines().map(paragraph));
    }
    (!markup.is_empty()).then_some(markup)
}

/// Is all that was found still there, and kept?
fn is_whole(document: &Document) -> bool {
    document.blocks.iter().all(|block| block.is_content)
        && document.blocks.iter().map(|block| block.atoms().count()).sum::<usize>()
            == document.atoms.len()
}

/// A page of nothing but that markup, all of it kept. It has the time that is left of the stage that runs.
pub(crate) fn page_of<'m>(markup: &'m str, clock: &Clock) -> Page<'m> {
    let options = Options::default();
    let mut page =
        Page::read_within(markup.as_bytes(), Cutting::Boilerpipe, &options, clock.rest());
    page.document.blocks.iter_mut().for_each(|block| block.is_content = true);
    page
}

#[cfg(test)]
mod tests {
    use crate::output::{OutputOptions, html, markdown};
    use crate::{Extractor, Limits, Options};

    fn text(page: &str) -> String {
        Extractor::named("embedded").unwrap().extract(page.as_bytes()).text()
    }

    #[test]
    fn the_article_of_linked_data() {
        let page = r#"<script type="application/ld+json">{"@graph":[{"@type":"NewsArticle",
            "description":"A ferry that runs every hour and what it costs to ride.",
            "articleBody":"The ferry runs every hour from Monday on, said the office.\nIt costs \u0033 coins for everybody who is older than five."}]}
            </script><div id=app></div>"#;
        let expected = "The ferry runs every hour from Monday on, said the office.\n\
            It costs 3 coins for everybody who is older than five.\n";
        assert_eq!(text(page), expected);
    }

    #[test]
    fn it_is_written_as_markup_too() {
        let page = br#"<script type="application/ld+json">{"text":"One two three & four five six seven eight [nine](x)."}
            </script>"#;
        let page = Extractor::named("embedded").unwrap().extract_page(page, &Options::default());
        let (text, options) = (page.document.text(), OutputOptions::default());
        assert!(!text.is_empty());
        assert_eq!(
            html(&page, &options),
            format!("<p>{}</p>\n", text.trim().replace('&', "&amp;"))
        );
        assert_eq!(markdown(&page, &options), text.replace("](", "\\]("));
    }

    /// `{"a":""},` takes nine bytes on the page, and eighty times that in memory.
    #[test]
    fn data_that_fills_memory_is_passed_over() {
        let body = "The ferry runs every hour from Monday on, said the harbour office.";
        let kept = format!("<script type=application/json>{{\"text\":\"{body}\"}}</script>");
        let objects = "{\"a\":\"\"},".repeat(2_000);
        let data = format!("[{objects}{{\"text\":\"All of {body}\"}}]");
        let pushed = serde_json::json!([1, format!("1:{data}\n")]);
        let scripts = [
            format!("<script type=application/json>{data}</script>"),
            format!("<script>self.__next_f.push({pushed})</script>"),
        ];
        for script in scripts {
            for (memory, all) in [(256_000_000, true), (8_000_000, false)] {
                let limits = Limits { memory, ..Limits::default() };
                let options = Options { limits, ..Options::default() };
                let page = format!("{kept}{script}");
                let page =
                    Extractor::named("embedded").unwrap().extract_page(page.as_bytes(), &options);
                assert!(page.document.text().contains("The ferry runs"), "{script:.40}");
                assert_eq!(page.document.text().contains("All of"), all, "{script:.40}");
            }
        }
    }

    #[test]
    fn data_of_scripts_may_have_markup() {
        let page = r#"<script type=application/json>{"props":{"post":{"title":"x",
            "bodyHtml":"<p>One two three four five six seven eight.<p>Nine &amp; ten.<\/p>"}}}</script>"#;
        assert_eq!(text(page), "One two three four five six seven eight.\nNine & ten.\n");
        assert_eq!(text("<script type=application/json>{\"text\":[</script><p>Shown."), "");
        let line = "one two three four five six seven eight \\n a \\n";
        let many = format!(
            "<script type=application/json>[{{\"text\":\"{}\"}}]</script>",
            line.repeat(9_000)
        );
        assert_eq!(text(&many), "one two three four five six seven eight\na\n");
        let deep = format!("<script type=application/json>{}</script>", "[".repeat(100_000));
        assert_eq!(text(&deep), "");
    }

    const BODY: &str = "<h2>Boats</h2><p>Two of the five boats are still in the yard for \
        repairs.</p><ul><li>The old one</li><li>The new one</li></ul>";

    fn outputs(page: &str) -> (String, String) {
        let extractor = Extractor::named("strata").unwrap();
        let page = extractor.extract_page(page.as_bytes(), &Options::default());
        (page.document.text(), markdown(&page, &OutputOptions::default()))
    }

    fn check_body(script: &str) {
        let (text, markdown) =
            outputs(&format!("<title>The yard</title><div id=app></div>{script}"));
        assert!(
            text.contains("Two of the five boats are still in the yard for repairs."),
            "{script}"
        );
        assert!(markdown.contains("## Boats"), "{script}: {markdown}");
        assert!(markdown.contains("- The old one"), "{script}: {markdown}");
    }

    #[test]
    fn structure_is_kept_wherever_it_stands() {
        let json = serde_json::to_string(BODY).unwrap().replace("</", "<\\/");
        check_body(&format!(
            "<script type=application/json>{{\"a\":{{\"body\":{json}}}}}</script>"
        ));
        check_body(&format!(
            "<script>window.__APOLLO_STATE__ = {{\"P:1\":{{\"html\":{json}}}}};</script>"
        ));
        check_body(&format!(
            "<script>window.__NUXT__=(function(a){{return {{data:[{{id:a,content:{json}}}]}}}}(1));</script>"
        ));
        check_body(&format!(
            "<script type=application/json id=__NUXT_DATA__>\
             [[\"ShallowReactive\",1],{{\"post\":2}},{{\"body\":3}},{json}]</script>"
        ));
        let twice = serde_json::to_string(&format!("{{\"content\":{json}}}")).unwrap();
        check_body(&format!("<script>window.__STATE__ = JSON.parse({twice});</script>"));
        let length = BODY.len();
        let row = serde_json::to_string(&format!("2:T{length:x},{BODY}")).unwrap();
        check_body(&format!(
            "<script>self.__next_f.push([1,{}])</script>",
            row.replace("</", "<\\/")
        ));
    }

    #[test]
    fn elements_that_react_sends() {
        let rows = r#"0:["$","div",null,{"children":[["$","nav",null,{"children":"Home of the boats and of all of us"}],
            ["$","$L4",null,{"children":["$","h2",null,{"children":"Boats"}]}],
            ["$","p",null,{"children":["Two of the ",["$","b",null,{"children":"five"}]," boats are still in the yard for repairs.","$L7"]}],
            ["$","ul",null,{"children":[["$","li","1",{"children":"The old one"}],["$","li","2",{"children":"The new one"}]]}]]}]"#;
        let rows = rows.split_whitespace().collect::<Vec<_>>().join(" ");
        let (first, second) = rows.split_at(90);
        let push = |chunk: &str| {
            format!(
                "<script>self.__next_f.push([1,{}])</script>",
                serde_json::to_string(chunk).unwrap()
            )
        };
        let page = format!("{}{}", push(first), push(second));
        let (text, markdown) = outputs(&page);
        assert!(
            text.contains("Two of the five boats are still in the yard for repairs."),
            "{text}"
        );
        assert!(!text.contains("Home"), "{text}");
        assert_eq!(
            markdown,
            "## Boats\n\nTwo of the **five** boats are still in the yard for repairs.\n\n\
             - The old one\n- The new one\n"
        );
    }

    #[test]
    fn messages_of_programs_are_no_text() {
        let page = "<script>window.texts = {text: 'Please enter your address so that we can write to \
            you soon'}; t({content: 'x'})</script>";
        assert_eq!(text(page), "");
    }

    #[test]
    fn hostile_data_ends() {
        let deep = "[\"$\",\"p\",null,{\"children\":".repeat(20_000);
        let page = format!(
            "<script>__next_f.push([1,{}])</script>",
            serde_json::to_string(&deep).unwrap()
        );
        assert_eq!(text(&page), "");
        let many = "window.a={text:\"".repeat(50_000);
        assert_eq!(text(&format!("<script>{many}</script>")), "");
        let rows = "1:T,".repeat(50_000);
        assert_eq!(text(&format!("<script>__next_f.push([1,\"{rows}\"])</script>")), "");
    }
}
