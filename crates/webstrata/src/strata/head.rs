//! What a page says about itself where readers do not look: its metadata, as far as `strata` asks.

use super::recipe::{self, Recipe};
use super::tokens::{self, Token};
use crate::clock::Clock;
use crate::html::tag::Tag;
use crate::metadata::linked_data;
use crate::tree::{NodeId, Tree};

/// Bytes of a description that are read, and of an article in the page's data.
const MAX_TEXT: usize = 20_000;
/// Signs that are kept.
const MAX_SIGNS: usize = 64;

#[derive(Default)]
pub(super) struct Head {
    /// The descriptions of `meta` elements.
    pub(super) description: String,
    /// The article's text in the page's linked data.
    pub(super) body: String,
    /// The recipes in it.
    pub(super) recipe: Recipe,
    /// The type and generator of the page, the types in its linked data, the classes of its body.
    pub(super) signs: Vec<Token>,
}

impl Head {
    /// Recipes that there is no time for are not read.
    pub(super) fn of(tree: &Tree<'_>, clock: &Clock) -> Head {
        let mut head = Head::default();
        for node in tree.nodes() {
            match tree.tag(node) {
                Some(Tag::Meta) => head.meta(tree, node),
                Some(Tag::Script) => head.script(tree, node, clock),
                Some(Tag::Html | Tag::Body) => {
                    for (name, value) in tree.raw_attributes(node) {
                        if name.eq_ignore_ascii_case("class") || name.eq_ignore_ascii_case("id") {
                            head.signs.extend(tokens::of_name(tokens::SIGN, value));
                        }
                    }
                }
                _ => {}
            }
        }
        head.signs.sort_unstable();
        head.signs.dedup();
        head.signs.truncate(MAX_SIGNS);
        head
    }

    fn meta(&mut self, tree: &Tree<'_>, node: NodeId) {
        let (mut property, mut content) = ("", "");
        for (name, value) in tree.raw_attributes(node) {
            if name.eq_ignore_ascii_case("content") {
                content = value;
            } else if name.eq_ignore_ascii_case("property") || name.eq_ignore_ascii_case("name") {
                property = value;
            }
        }
        let is = |name: &str| property.eq_ignore_ascii_case(name);
        if is("description") || is("og:description") {
            if self.description.len() + content.len() <= MAX_TEXT {
                self.description.push_str(content);
                self.description.push(' ');
            }
        } else if is("og:type") || is("generator") {
            let word = content.split(|c: char| c.is_whitespace() || c.is_ascii_digit()).next();
            self.sign(property, word.unwrap_or_default());
        }
    }

    fn script(&mut self, tree: &Tree<'_>, node: NodeId, clock: &Clock) {
        let is_data = tree.raw_attributes(node).any(|(name, value)| {
            name.eq_ignore_ascii_case("type") && value.trim().eq_ignore_ascii_case(LINKED_DATA)
        });
        if !is_data {
            return;
        }
        for text in tree.children(node).map(|child| tree.text(child)) {
            for (at, _) in text.match_indices("\"@type\"").take(MAX_SIGNS) {
                let after = &text[at + "\"@type\"".len()..];
                let name = after.trim_start_matches(|c: char| !c.is_ascii_alphabetic());
                let end = name.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(name.len());
                self.sign("@type", &name[..end.min(64)]);
            }
            if let Some(at) = text.find("\"articleBody\"") {
                let mut end = text.len().min(at + MAX_TEXT);
                while !text.is_char_boundary(end) {
                    end -= 1;
                }
                self.body.push_str(&text[at + "\"articleBody\"".len()..end]);
            }
            if text.contains(recipe::INGREDIENTS)
                && !clock.passed()
                && let Some(value) = linked_data(tree, node)
            {
                self.recipe.read(&value);
            }
        }
    }

    fn sign(&mut self, key: &str, value: &str) {
        let sign = format!("{key}={value}").to_ascii_lowercase();
        self.signs.push(tokens::hash(tokens::SIGN, sign.as_bytes()));
    }
}

const LINKED_DATA: &str = "application/ld+json";
