//! Texts that a page carries as data: JSON-LD, and the JSON that scripts build pages from.

use std::collections::HashSet;

use serde_json::Value;

use crate::cutting::Cutting;
use crate::document::Document;
use crate::extractors::Extractor;
use crate::html::tag::Tag;
use crate::options::Options;
use crate::page::Page;
use crate::tree::{NodeId, Tree};

/// Bytes of one script that are parsed.
const MAX_SCRIPT: usize = 4 << 20;
/// Bytes of texts that are taken from a page.
const MAX_BYTES: usize = 1 << 20;
/// Fewer words than this are no text but a name, an address, an option.
const MIN_WORDS: usize = 8;

/// Keys whose values are texts for readers, the best first: where a page has an article's body, its
/// description says nothing new.
const KEYS: [&[&str]; 3] = [
    &["articlebody", "reviewbody"],
    &["text", "body", "content", "html", "bodyhtml", "contenthtml", "markdown"],
    &["description", "abstract", "summary"],
];

/// The texts for readers in a page's data, each with the script that it is from. Markup in them is
/// left out.
pub(crate) fn texts(tree: &Tree<'_>) -> Vec<(NodeId, String)> {
    let mut found: [Texts; KEYS.len()] = Default::default();
    for script in tree.nodes().filter(|node| tree.tag(*node) == Some(Tag::Script)) {
        let is_json = tree.raw_attributes(script).any(|(name, value)| {
            let value = value.trim();
            name.eq_ignore_ascii_case("type")
                && (value.eq_ignore_ascii_case("application/json")
                    || value.eq_ignore_ascii_case("application/ld+json"))
        });
        let Some(text) = tree.children(script).next().filter(|_| is_json) else { continue };
        if tree.text(text).len() > MAX_SCRIPT {
            continue;
        }
        // Nested deeper than serde_json allows is no data of a page.
        if let Ok(value) = serde_json::from_str::<Value>(tree.text(text)) {
            collect(&value, text, &mut found);
        }
    }
    found.into_iter().map(|texts| texts.lines).find(|lines| !lines.is_empty()).unwrap_or_default()
}

/// Texts of one rank, each line once.
#[derive(Default)]
struct Texts {
    lines: Vec<(NodeId, String)>,
    known: HashSet<String>,
    bytes: usize,
}

fn collect(value: &Value, node: NodeId, found: &mut [Texts; KEYS.len()]) {
    match value {
        Value::Array(values) => values.iter().for_each(|value| collect(value, node, found)),
        Value::Object(fields) => {
            for (key, value) in fields {
                let Value::String(text) = value else {
                    collect(value, node, found);
                    continue;
                };
                let key: String =
                    key.chars().filter(|c| c.is_alphabetic()).collect::<String>().to_lowercase();
                if let Some(rank) = KEYS.iter().position(|keys| keys.contains(&key.as_str())) {
                    found[rank].add(text, node);
                }
            }
        }
        _ => {}
    }
}

impl Texts {
    /// Adds a text's paragraphs, unless they are there already.
    fn add(&mut self, text: &str, node: NodeId) {
        let is_short = text.split_whitespace().nth(MIN_WORDS - 1).is_none();
        if is_short || self.bytes + text.len() > MAX_BYTES {
            return;
        }
        let plain;
        let text = if text.contains('<') {
            let all = Extractor::named("keep-all");
            plain = all.map(|all| all.extract(text.as_bytes()).text()).unwrap_or_default();
            &plain
        } else {
            text
        };
        self.bytes += text.len();
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            if self.known.insert(line.to_owned()) {
                self.lines.push((node, line.to_owned()));
            }
        }
    }
}

/// The main text of a document whose text is from the page's data, as markup: its tree has none of it.
/// `None` for all other documents.
pub(crate) fn as_paragraphs(document: &Document) -> Option<String> {
    if document.atoms.is_empty() || document.shown.iter().any(|nodes| *nodes != 0) {
        return None;
    }
    let escape = |line: &str| line.replace('&', "&amp;").replace('<', "&lt;");
    let paragraphs: String =
        document.text().lines().map(|line| format!("<p>{}</p>", escape(line))).collect();
    (!paragraphs.is_empty()).then_some(paragraphs)
}

/// A page of nothing but that markup, all of it kept.
pub(crate) fn page_of(paragraphs: &str) -> Page<'_> {
    let mut page = Page::read(paragraphs.as_bytes(), Cutting::Boilerpipe, &Options::default());
    page.document.blocks.iter_mut().for_each(|block| block.is_content = true);
    page
}

#[cfg(test)]
mod tests {
    use crate::output::{MarkupOptions, html, markdown};
    use crate::{Extractor, Options};

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
        let (text, options) = (page.document.text(), MarkupOptions::default());
        assert!(!text.is_empty());
        assert_eq!(
            html(&page, &options),
            format!("<p>{}</p>\n", text.trim().replace('&', "&amp;"))
        );
        assert_eq!(markdown(&page, &options), text.replace("](", "\\]("));
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
}
