//! A topic file with grades, for a corpus that nobody has judged: what pages say of their subject, and which texts are
//! nearly the same, stand in for people.
//!
//! - A page that is looked for by its title is the answer (3). Pages whose main text is nearly the same answer as well
//!   (2), and those on a topic of that page are of some use (1).
//! - A topic is a key word that pages state (`keywords`, tags). As a query, pages that state it are its answers (2), and
//!   pages whose main text is nearly the same as that of one of them (1).
//!
//! No grade comes from the text that is searched, but for the near-duplicates, which are of the whole main text.

use std::collections::{BTreeMap, BTreeSet};

use webstrata_search::tokens;

use super::known_items::{Item, KnownItems};
use super::trec::{Judgements, Topic};

/// Grades of the answers to a title.
const ITSELF: u32 = 3;
const NEARLY_THE_SAME: u32 = 2;
const SAME_TOPIC: u32 = 1;
/// A topic has at least so many pages, and at most so many: others are names of sites, or say nothing.
const FEWEST_PAGES: usize = 3;
const MOST_PAGES: usize = 50;
/// Words of a query of the paper's.
const MOST_WORDS: usize = 5;

/// A key word as a topic: its words without case and punctuation. Nothing if it has none, or too many.
pub fn topic_of(tag: &str) -> Option<String> {
    let words: Vec<String> = tokens::words(tag).collect();
    (1..=MOST_WORDS).contains(&words.len()).then(|| words.join(" "))
}

/// Pages by topic, without topics that say nothing.
fn topics(items: &[Item]) -> BTreeMap<&str, BTreeSet<&str>> {
    let mut topics: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for item in items {
        for topic in &item.topics {
            topics.entry(topic).or_default().insert(&item.document);
        }
    }
    topics.retain(|_, pages| (FEWEST_PAGES..=MOST_PAGES).contains(&pages.len()));
    topics
}

/// Pages by their main text: those with the same name are nearly the same.
fn by_text(items: &[Item]) -> BTreeMap<&str, Vec<&str>> {
    let mut same: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for item in items {
        let text = item.text.as_deref().unwrap_or(&item.document);
        same.entry(text).or_default().push(&item.document);
    }
    same
}

impl KnownItems {
    /// Gives grades to the answers of queries that one page answers.
    pub fn graded(mut self, items: &[Item]) -> KnownItems {
        let (topics, same) = (topics(items), by_text(items));
        let by_name: BTreeMap<&str, &Item> =
            items.iter().map(|item| (item.document.as_str(), item)).collect();
        let mut judgements = Judgements::default();
        for topic in &self.topics {
            let Some(item) = by_name.get(topic.id.as_str()) else { continue };
            let pages = item.topics.iter().filter_map(|topic| topics.get(topic.as_str()));
            for page in pages.flatten() {
                judgements.add(&topic.id, page, SAME_TOPIC);
            }
            let text = item.text.as_deref().unwrap_or(&item.document);
            for page in same.get(text).into_iter().flatten() {
                judgements.add(&topic.id, page, NEARLY_THE_SAME);
            }
            judgements.add(&topic.id, &item.document, ITSELF);
        }
        self.judgements = judgements;
        self
    }

    /// Topics as queries.
    pub fn of_topics(items: &[Item]) -> KnownItems {
        let same = by_text(items);
        let text: BTreeMap<&str, &str> = items
            .iter()
            .map(|item| (item.document.as_str(), item.text.as_deref().unwrap_or(&item.document)))
            .collect();
        let mut found = KnownItems::default();
        for (topic, pages) in topics(items) {
            let id = topic.replace(' ', "-");
            for page in pages.iter().flat_map(|page| &same[text[page]]) {
                found.judgements.add(&id, page, SAME_TOPIC);
            }
            for page in &pages {
                found.judgements.add(&id, page, NEARLY_THE_SAME);
            }
            found.topics.push(Topic { id, query: topic.to_owned() });
        }
        found.left_out.silent = items.iter().filter(|item| item.topics.is_empty()).count();
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(document: &str, words: &str, topics: &[&str], text: Option<&str>) -> Item {
        Item {
            document: document.into(),
            words: Some(words.into()),
            topics: topics.iter().map(|topic| (*topic).to_owned()).collect(),
            text: text.map(str::to_owned),
            longest: 0,
        }
    }

    fn items() -> Vec<Item> {
        vec![
            item("a", "The spring tide", &["tides", "sea"], None),
            item("b", "High and low water", &["tides"], None),
            item("c", "Spring tides, printed", &[], Some("a")),
            item("d", "A ferry for all", &["tides", "ferry"], None),
            item("e", "The ferry is late", &["ferry"], None),
        ]
    }

    #[test]
    fn answers_to_titles_have_grades() {
        let items = items();
        let known = KnownItems::new(&items).graded(&items);
        let grades = |query: &str| -> Vec<u32> {
            items.iter().map(|item| known.judgements.grade(query, &item.document)).collect()
        };
        // "ferry" and "sea" have too few pages to be topics.
        assert_eq!(grades("a"), [3, 1, 2, 1, 0]);
        assert_eq!(grades("c"), [2, 0, 3, 0, 0]);
        assert_eq!(grades("e"), [0, 0, 0, 0, 3]);
    }

    #[test]
    fn topics_are_queries() {
        let items = items();
        let known = KnownItems::of_topics(&items);
        assert_eq!(known.topics, [Topic { id: "tides".into(), query: "tides".into() }]);
        let graded: Vec<_> = known.judgements.graded("tides").collect();
        assert_eq!(graded, [("a", 2), ("b", 2), ("c", 1), ("d", 2)]);
        assert_eq!(known.left_out.silent, 1);
    }

    #[test]
    fn key_words_are_topics_if_they_are_short() {
        assert_eq!(topic_of(" Spring-Tide! ").as_deref(), Some("spring tide"));
        assert_eq!(topic_of("…"), None);
        assert_eq!(topic_of("one two three four five six"), None);
    }

    #[test]
    fn what_too_many_pages_state_is_no_topic() {
        let items: Vec<Item> =
            (0..=MOST_PAGES).map(|at| item(&format!("{at}"), "x", &["news"], None)).collect();
        assert!(KnownItems::of_topics(&items).topics.is_empty());
        assert_eq!(KnownItems::of_topics(&items[1..]).topics.len(), 1);
    }
}
