//! A page on its way through the filters.

use std::sync::OnceLock;

use webstrata::{NodeId, Tag, Tree};
use webstrata_archive::record::PageRecord;

use super::tokens::tokens;

/// A page that filters judge: its record, and what the page says about its use.
#[derive(Debug)]
pub struct Candidate {
    record: PageRecord,
    marks: Marks,
    /// The lengths and starts of the words and marks of the text, found when they are asked for.
    tokens: OnceLock<Vec<(u32, u32)>>,
}

/// What a page says about its use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    /// The words of its `<meta name=robots>`, in lower case: `noindex`, `noai`.
    pub robots: Vec<String>,
    /// Addresses of licences: links with `rel=license`, and the licence of its metadata.
    pub licences: Vec<String>,
}

impl Marks {
    /// Reads them from a page.
    pub fn of(tree: &Tree<'_>) -> Marks {
        let mut marks = Marks::default();
        let says = |node: &NodeId| matches!(tree.tag(*node), Some(Tag::Meta | Tag::Link | Tag::A));
        for node in tree.nodes().filter(says) {
            let attribute = |name: &str| tree.attribute(node, name);
            if let (Some(name), Some(content)) = (attribute("name"), attribute("content"))
                && ROBOTS.iter().any(|known| name.trim().eq_ignore_ascii_case(known))
            {
                let words = content.split([',', ';', ' ']).map(str::trim);
                let words = words.filter(|word| !word.is_empty()).map(str::to_ascii_lowercase);
                marks.robots.extend(words);
            }
            if let (Some(rel), Some(href)) = (attribute("rel"), attribute("href"))
                && rel.split_ascii_whitespace().any(|rel| rel.eq_ignore_ascii_case("license"))
            {
                marks.licences.push(href.trim().to_owned());
            }
        }
        marks
    }
}

/// Names of `<meta>` that speak to all robots.
const ROBOTS: [&str; 2] = ["robots", "googlebot"];

impl Candidate {
    /// A page that is to be judged.
    pub fn new(record: PageRecord, mut marks: Marks) -> Candidate {
        if let Some(licence) = record.record.metadata.as_ref().and_then(|all| all.licence.as_ref())
        {
            marks.licences.push(licence.value.clone());
        }
        Candidate { record, marks, tokens: OnceLock::new() }
    }

    /// Its record.
    pub fn record(&self) -> &PageRecord {
        &self.record
    }

    /// The record as the filters left it.
    pub fn into_record(self) -> PageRecord {
        self.record
    }

    /// What it says about its use.
    pub fn marks(&self) -> &Marks {
        &self.marks
    }

    /// Its main text.
    pub fn text(&self) -> &str {
        &self.record.record.text
    }

    /// Writes another main text. Markdown and HTML of the old one go.
    pub fn set_text(&mut self, text: String) {
        self.record.set_text(text);
        self.tokens = OnceLock::new();
    }

    /// The words and marks of the text, see the rules of the literature.
    pub fn tokens(&self) -> impl Iterator<Item = &str> + Clone {
        let text = self.text();
        let places = self.tokens.get_or_init(|| {
            let place = |token: &str| {
                let start = token.as_ptr() as usize - text.as_ptr() as usize;
                (start as u32, token.len() as u32)
            };
            tokens(text).into_iter().map(place).collect()
        });
        places.iter().map(|(start, length)| &text[*start as usize..(start + length) as usize])
    }
}
