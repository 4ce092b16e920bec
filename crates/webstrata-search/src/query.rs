//! Queries.
//!
//! The text of a question is what people type: words, of which all have to be on a page; `"phrases in
//! quotes"`; `-words` that must not be there; and `field:word`. Any text is a question, nothing in it
//! is an error.

use crate::entry::Date;
use crate::levels::Level;
use crate::ranks::Mix;
use crate::tokens;

/// The largest number of words and phrases of a query; further ones are ignored.
pub const MOST_CLAUSES: usize = 64;
/// Hits on one page of an answer.
pub const MOST_HITS: usize = 1_000;
/// How far behind the best a page of an answer can begin.
pub const MOST_OFFSET: usize = 100_000;

/// A query.
///
/// ```
/// use webstrata_search::{Filters, Query};
///
/// let query = Query {
///     filters: Filters { host: Some("example.org".into()), ..Filters::default() },
///     limit: 20,
///     ..Query::new("hourly ferry -bus \"two islands\"")
/// };
/// assert_eq!(query.limit, 20);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    /// The text of the query. An empty text finds all pages.
    pub text: String,
    /// Which pages to search.
    pub filters: Filters,
    /// Where words are looked for.
    pub within: Within,
    /// Which blocks of a page count instead, if the index has levels.
    pub level: Option<Level>,
    /// Must a page have all words?
    pub matching: Matching,
    /// How link ranks count.
    pub mix: Mix,
    /// Hits to leave out; more than [`MOST_OFFSET`] is an error.
    pub offset: usize,
    /// Hits to show; at most [`MOST_HITS`].
    pub limit: usize,
}

impl Query {
    /// A query with default options: the best ten hits.
    pub fn new(text: impl Into<String>) -> Query {
        Query {
            text: text.into(),
            filters: Filters::default(),
            within: Within::default(),
            level: None,
            matching: Matching::default(),
            mix: Mix::default(),
            offset: 0,
            limit: 10,
        }
    }
}

/// Where words are looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Within {
    /// In title and main text.
    #[default]
    Main,
    /// In the boilerplate alone.
    Boilerplate,
    /// Everywhere.
    All,
}

impl Within {
    /// All of them with their names.
    pub const ALL: [(Within, &'static str); 3] =
        [(Within::Main, "main"), (Within::Boilerplate, "boilerplate"), (Within::All, "all")];

    /// By its name: `main`, `boilerplate` or `all`.
    pub fn named(name: &str) -> Option<Within> {
        Within::ALL.iter().find(|(_, other)| *other == name).map(|(within, _)| *within)
    }
}

/// Must a page have all words of a query?
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Matching {
    /// All of them; if no page has all, any of them.
    #[default]
    AllOrElseAny,
    /// All of them.
    All,
    /// Any of them; pages with more of them are better.
    Any,
}

/// Which pages to search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filters {
    /// Of this host, or of one in this domain.
    pub host: Option<String>,
    /// In this language: `pt` includes `pt-br`.
    pub language: Option<String>,
    /// Of this type: `article`, `forum`, …
    pub page_type: Option<String>,
    /// Published on this day, month or year or later; pages without a date are not.
    pub from: Option<Date>,
    /// Published on this day, month or year or earlier.
    pub to: Option<Date>,
}

/// A part of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Clause {
    pub(crate) excluded: bool,
    pub(crate) place: Place,
    /// One word, or several as a phrase.
    pub(crate) words: Vec<String>,
}

/// Where a clause looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Where the question looks.
    Anywhere,
    Title,
    Main,
    Boilerplate,
    Url,
    Host,
    Language,
    Type,
}

impl Place {
    const NAMES: [(&'static str, Place); 8] = [
        ("title", Place::Title),
        ("main", Place::Main),
        ("boilerplate", Place::Boilerplate),
        ("url", Place::Url),
        ("host", Place::Host),
        ("site", Place::Host),
        ("language", Place::Language),
        ("type", Place::Type),
    ];

    /// Is the value one term, as it is?
    pub(crate) fn is_term(self) -> bool {
        matches!(self, Place::Host | Place::Language | Place::Type)
    }
}

/// Reads what people type.
pub(crate) fn parse(text: &str) -> Vec<Clause> {
    let mut clauses = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() && clauses.len() < MOST_CLAUSES {
        let minus = rest.strip_prefix('-').filter(|after| !after.starts_with(char::is_whitespace));
        let (place, value) = place(minus.unwrap_or(rest));
        let (value, quoted, after) = value_of(value);
        rest = after.trim_start();
        add(&mut clauses, minus.is_some(), place, value, quoted);
    }
    clauses.truncate(MOST_CLAUSES);
    clauses
}

/// The field that is named before a colon, and what stands behind it.
fn place(text: &str) -> (Place, &str) {
    let named = Place::NAMES.iter().find_map(|(name, place)| {
        let value = text.strip_prefix(name)?.strip_prefix(':')?;
        (!value.is_empty() && !value.starts_with(char::is_whitespace)).then_some((*place, value))
    });
    named.unwrap_or((Place::Anywhere, text))
}

fn is_quote(character: char) -> bool {
    matches!(character, '"' | '“' | '”' | '„' | '«' | '»')
}

/// What stands in quotes, or up to the next space; whether there were quotes; the rest.
fn value_of(text: &str) -> (&str, bool, &str) {
    if let Some(first) = text.chars().next().filter(|first| is_quote(*first)) {
        let inside = &text[first.len_utf8()..];
        let end = inside.find(is_quote).unwrap_or(inside.len());
        let after =
            inside[end..].chars().next().map_or("", |quote| &inside[end + quote.len_utf8()..]);
        return (&inside[..end], true, after);
    }
    let end = text.find(|c: char| c.is_whitespace() || is_quote(c)).unwrap_or(text.len());
    (&text[..end], false, &text[end..])
}

fn add(clauses: &mut Vec<Clause>, excluded: bool, place: Place, value: &str, quoted: bool) {
    if place.is_term() {
        let word = value.trim().trim_end_matches('.').to_lowercase();
        if !word.is_empty() {
            clauses.push(Clause { excluded, place, words: vec![word] });
        }
        return;
    }
    let words: Vec<String> = tokens::words(value).take(MOST_CLAUSES).collect();
    if words.is_empty() {
        return;
    }
    // The dictionary may cut a sentence in another way than a question of two words, so that these
    // are no phrase unless somebody says so.
    if !quoted && !excluded && tokens::is_unspaced(value) {
        clauses.extend(words.into_iter().map(|word| Clause { excluded, place, words: vec![word] }));
    } else {
        clauses.push(Clause { excluded, place, words });
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, expect: &str) {
        let shown: Vec<String> = parse(text)
            .iter()
            .map(|clause| {
                let minus = if clause.excluded { "-" } else { "" };
                let place = match clause.place {
                    Place::Anywhere => String::new(),
                    other => format!("{other:?}:"),
                };
                format!("{minus}{place}{}", clause.words.join("+"))
            })
            .collect();
        assert_eq!(shown.join(" "), expect, "{text:?}");
    }

    #[test]
    fn questions_are_read_as_people_mean_them() {
        check("", "");
        check("  Hourly ferry ", "hourly ferry");
        check("\"Two Islands\" ferry", "two+islands ferry");
        check("“two islands” -bus", "two+islands -bus");
        check("\"unclosed phrase", "unclosed+phrase");
        check("e-mail don't", "e+mail don+t");
        check("a - b -\"c d\" --x", "a b -c+d -x");
        check(
            "title:Ferry host:Example.ORG type:article",
            "Title:ferry Host:example.org Type:article",
        );
        check("-site:example.org url:\"a b\"", "-Host:example.org Url:a+b");
        check("https://example.org/ferry", "https+example+org+ferry");
        check("nofield:x title: y", "nofield+x title y");
        check("北京大学学习", "北京 大学 学习");
        check("\"北京大学学习\"", "北京+大学+学习");
        check("\"\" : - -- \"-\"", "");
    }

    proptest! {
        #[test]
        fn any_text_is_a_question(text in "(?s).{0,300}") {
            let clauses = parse(&text);
            prop_assert!(clauses.len() <= MOST_CLAUSES);
            prop_assert!(clauses.iter().all(|clause| !clause.words.is_empty()));
        }

        #[test]
        fn signs_in_any_order_are_a_question(text in "[-:\"a-c “host:title: ]{0,80}") {
            prop_assert!(parse(&text).len() <= MOST_CLAUSES);
        }
    }
}
