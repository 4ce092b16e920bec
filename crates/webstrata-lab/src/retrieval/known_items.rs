//! Queries for a corpus that nobody has judged: what a page says about itself, and the page is the answer.
//!
//! The words come from metadata (`<title>` without the site's name, descriptions), so the title must not be part of
//! what is searched: the question is whether the text of the page finds it.

use std::collections::BTreeMap;

use serde::Serialize;

use super::trec::{Judgements, Topic};

/// Queries with fewer words, such as "Home", are none that somebody would ask to find one page.
const FEWEST_WORDS: usize = 2;

/// Descriptions are cut behind so many words: people do not write longer queries, and some sites put whole articles
/// there.
const MOST_WORDS: usize = 30;

/// A page and what it says about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// The document that is to be found.
    pub document: String,
    /// The words that should find it; nothing where the page does not say.
    pub words: Option<String>,
    /// The topics that it states.
    pub topics: Vec<String>,
    /// The first document whose main text is nearly the same, if there is one.
    pub text: Option<String>,
    /// The words of its longest block.
    pub longest: u32,
}

/// Queries that have one page as the answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownItems {
    /// The queries, called as the documents that answer them.
    pub topics: Vec<Topic>,
    /// The answers.
    pub judgements: Judgements,
    /// The pages without a query.
    pub left_out: LeftOut,
}

/// How many pages have no query, and why.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// They say nothing.
    pub silent: usize,
    /// They say less than two words.
    pub short: usize,
    /// Others say the same, so that there is no telling which one is meant.
    pub ambiguous: usize,
}

impl KnownItems {
    /// The queries of pages. Those that several pages share, but for case and punctuation, are left out.
    pub fn new(items: &[Item]) -> KnownItems {
        let mut left_out = LeftOut::default();
        let mut by_key: BTreeMap<Vec<String>, Vec<(&str, String)>> = BTreeMap::new();
        for item in items {
            let words = item.words.as_deref().unwrap_or_default();
            let query = cut(words);
            let key = key(&query);
            match key.len() {
                0 => left_out.silent += 1,
                count if count < FEWEST_WORDS => left_out.short += 1,
                _ => by_key.entry(key).or_default().push((&item.document, query)),
            }
        }
        let mut found = KnownItems { left_out, ..KnownItems::default() };
        for same in by_key.into_values() {
            match &same[..] {
                [(document, query)] => {
                    found.judgements.add(document, document, 1);
                    found.topics.push(Topic { id: (*document).to_owned(), query: query.clone() });
                }
                several => found.left_out.ambiguous += several.len(),
            }
        }
        found.topics.sort_by(|a, b| a.id.cmp(&b.id));
        found
    }
}

/// So much of what a page says as is asked for.
pub(super) fn cut(words: &str) -> String {
    words.split_whitespace().take(MOST_WORDS).collect::<Vec<_>>().join(" ")
}

/// The words of a query for comparing: letters and digits in lower case. A text of a script without spaces is as many
/// words as it has characters here, which is enough to tell "Home" from a title.
fn key(query: &str) -> Vec<String> {
    let words = query.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let words = words.flat_map(|word| {
        let is_wide = |c: char| ('\u{2e80}'..='\u{d7ff}').contains(&c);
        if word.contains(is_wide) {
            word.chars().map(String::from).collect()
        } else {
            vec![word.to_lowercase()]
        }
    });
    words.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(document: &str, words: &str) -> Item {
        Item {
            document: document.into(),
            words: (!words.is_empty()).then(|| words.into()),
            topics: Vec::new(),
            text: None,
            longest: 0,
        }
    }

    #[test]
    fn pages_that_say_what_no_other_says() {
        let known = KnownItems::new(&[
            item("d", "The spring tide,  explained"),
            item("a", "Home"),
            item("b", "Ferry timetable"),
            item("c", "FERRY: timetable!"),
            item("e", ""),
            item("f", " - "),
            item("g", "潮汐表"),
        ]);
        let topics: Vec<_> = known.topics.iter().map(|t| (&t.id[..], &t.query[..])).collect();
        assert_eq!(topics, [("d", "The spring tide, explained"), ("g", "潮汐表")]);
        assert_eq!(known.left_out, LeftOut { silent: 2, short: 1, ambiguous: 2 });
        assert_eq!((known.judgements.grade("d", "d"), known.judgements.grade("d", "b")), (1, 0));
    }

    #[test]
    fn descriptions_are_cut() {
        let long = "word ".repeat(100);
        let known = KnownItems::new(&[item("a", &long)]);
        assert_eq!(known.topics[0].query.split(' ').count(), MOST_WORDS);
    }
}
