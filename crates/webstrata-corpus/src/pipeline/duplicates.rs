//! Which pages repeat others, and what of them does, by several methods in a row.
//!
//! A page is known to the methods only once it was kept by all of them. So what was kept decides everything, and a run
//! that goes on learns it again from the records that were written. That is why texts are compared as they are written:
//! repeated lines are taken out before texts are compared.

use std::sync::LazyLock;

use webstrata_archive::record::PageRecord;
use webstrata_base::Error;
use webstrata_site::url_key::Rules;
use xxhash_rust::xxh3::xxh3_64;

use super::repeated::{Repeated, RepeatedOptions, Unit};
use crate::similarity::{ExactIndex, NearIndex, NearOptions, NearSketch, NearText, text_key};

/// How pages are compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Method {
    /// Near-duplicates by their main texts.
    MainText(NearOptions),
    /// Equal main texts.
    SameText,
    /// Equal URL keys.
    UrlKey,
    /// Lines or paragraphs that other pages have: they go, not the page.
    Repeated(RepeatedOptions),
}

impl Method {
    /// Its name in a pipeline, and of the reason for which pages are dropped.
    pub fn name(self) -> &'static str {
        match self {
            Method::MainText(_) => "main-text",
            Method::SameText => "same-text",
            Method::UrlKey => "url-key",
            Method::Repeated(RepeatedOptions { unit: Unit::Line, .. }) => "repeated-lines",
            Method::Repeated(RepeatedOptions { unit: Unit::Paragraph, .. }) => {
                "repeated-paragraphs"
            }
        }
    }

    /// Does it compare texts?
    pub(super) fn compares_texts(self) -> bool {
        matches!(self, Method::MainText(_) | Method::SameText)
    }
}

/// What is compared of a page: one for each method, none where the page has nothing to compare.
#[derive(Clone, Debug)]
pub struct Keys(Vec<Option<Key>>);

#[derive(Clone, Debug)]
enum Key {
    Near(Box<NearText>),
    Exact(u128),
    /// Of its lines or paragraphs.
    Units(Vec<Option<u64>>),
}

/// What becomes of a page.
#[derive(Clone, Debug, PartialEq)]
pub enum Decision {
    /// It is kept, less so many lines or paragraphs that others have.
    Kept {
        /// Their number.
        removed: u64,
    },
    /// It repeats another.
    Repeats(Repeat),
    /// So much of it stands on other pages that too little is left: the method that says so.
    LittleLeft(&'static str),
}

/// A page that repeats another.
#[derive(Clone, Debug, PartialEq)]
pub struct Repeat {
    /// The method that says so.
    pub method: &'static str,
    /// The id of the page that was kept.
    pub of: String,
    /// How similar they are.
    pub similarity: f64,
}

static RULES: LazyLock<Rules> = LazyLock::new(Rules::default);

impl Keys {
    /// Takes of a page what the methods compare: of its text, its address and its title. Can be done on any thread.
    pub fn of(text: &str, url: Option<&str>, title: Option<&str>, methods: &[Method]) -> Keys {
        let key = |method: &Method| match method {
            Method::MainText(options) => {
                let text = NearSketch::new(*options).text(text)?;
                Some(Key::Near(Box::new(text)))
            }
            Method::SameText => text_key(text).map(Key::Exact),
            Method::UrlKey => {
                let key = RULES.key(url?, title.unwrap_or_default())?;
                Some(Key::Exact(key.hash()))
            }
            Method::Repeated(options) => Some(Key::Units(options.keys(text))),
        };
        Keys(methods.iter().map(key).collect())
    }

    /// Numbers of which two pages have at least one in common if a method can say that one repeats the other. Not of
    /// lines and paragraphs, nor of texts of which these were taken out.
    pub fn buckets(&self, methods: &[Method]) -> Vec<u64> {
        let mut buckets = Vec::new();
        for (number, (method, key)) in methods.iter().zip(&self.0).enumerate() {
            match (method, key) {
                (Method::MainText(options), Some(Key::Near(text))) => {
                    let bands = text.print().hashes().chunks_exact(options.rows());
                    buckets.extend(bands.enumerate().map(|(band, hashes)| {
                        let places = [number as u32, band as u32];
                        bucket(places.iter().chain(hashes).flat_map(|part| part.to_le_bytes()))
                    }));
                }
                (_, Some(Key::Exact(key))) => {
                    let parts = key.to_le_bytes().into_iter();
                    buckets.push(bucket((number as u32).to_le_bytes().into_iter().chain(parts)));
                }
                _ => {}
            }
        }
        buckets
    }

    /// The keys of the lines or paragraphs of the first method that looks at them; none for those that stay always.
    pub fn into_units(self) -> Vec<Option<u64>> {
        let units = self.0.into_iter().flatten().find_map(|key| match key {
            Key::Units(units) => Some(units),
            _ => None,
        });
        units.unwrap_or_default()
    }

    /// The same of a record.
    pub fn of_record(record: &PageRecord, methods: &[Method]) -> Keys {
        let page = &record.record;
        Keys::of(&page.text, page.url.as_deref(), page.title.as_deref(), methods)
    }
}

fn bucket(bytes: impl Iterator<Item = u8>) -> u64 {
    let bytes: Vec<u8> = bytes.collect();
    xxh3_64(&bytes)
}

/// The pages that were kept.
#[derive(Debug)]
pub struct Duplicates {
    methods: Vec<Method>,
    kept: Vec<Kept>,
}

#[derive(Debug)]
enum Kept {
    Near(NearIndex),
    Exact(ExactIndex),
    Units(Repeated),
}

impl Duplicates {
    /// Nothing was kept yet. The methods share the memory.
    ///
    /// # Errors
    ///
    /// Where no temporary file can be made.
    pub fn new(methods: &[Method], memory: usize) -> Result<Duplicates, Error> {
        let share = memory / methods.len().max(1);
        let kept = |method: &Method| {
            Ok(match method {
                Method::MainText(options) => Kept::Near(NearIndex::new(*options, share)?),
                Method::SameText | Method::UrlKey => Kept::Exact(ExactIndex::new(share)),
                Method::Repeated(options) => Kept::Units(Repeated::new(*options, share)),
            })
        };
        let kept = methods.iter().map(kept).collect::<Result<_, Error>>()?;
        Ok(Duplicates { methods: methods.to_vec(), kept })
    }

    /// The methods decide one after the other; the first that finds a repetition has the last word. What of the text
    /// repeats other pages is taken out of the record. If nothing speaks against it, the page is kept.
    ///
    /// # Errors
    ///
    /// Where the temporary file fails.
    pub fn add(&mut self, record: &mut PageRecord, mut keys: Keys) -> Result<Decision, Error> {
        let mut removed = 0;
        for (number, method) in self.methods.iter().enumerate() {
            let found = match (&mut self.kept[number], &keys.0[number]) {
                (Kept::Near(index), Some(Key::Near(text))) => index.find(text)?,
                (Kept::Exact(index), Some(Key::Exact(key))) => index.find(*key).map(|of| (of, 1.0)),
                (Kept::Units(repeated), Some(Key::Units(units))) => {
                    let Some((text, gone)) = repeated.without(&record.record.text, units) else {
                        continue;
                    };
                    record.set_text(text);
                    removed += gone;
                    if record.record.words < repeated.options().min_left {
                        return Ok(Decision::LittleLeft(method.name()));
                    }
                    // What was made on another thread is of the text as it was.
                    keys = Keys::of_record(record, &self.methods);
                    continue;
                }
                _ => continue,
            };
            if let Some((of, similarity)) = found {
                let repeat = Repeat { method: method.name(), of: of.to_owned(), similarity };
                return Ok(Decision::Repeats(repeat));
            }
        }
        self.learn(&record.id, &keys)?;
        Ok(Decision::Kept { removed })
    }

    /// Learns of a page that an earlier run kept.
    ///
    /// # Errors
    ///
    /// Where the temporary file fails.
    pub fn learn(&mut self, id: &str, Keys(keys): &Keys) -> Result<(), Error> {
        for (kept, key) in self.kept.iter_mut().zip(keys) {
            match (kept, key) {
                (Kept::Near(index), Some(Key::Near(text))) => index.keep(id, text)?,
                (Kept::Exact(index), Some(Key::Exact(key))) => index.keep(id, *key),
                (Kept::Units(repeated), Some(Key::Units(units))) => repeated.keep(units),
                _ => {}
            }
        }
        Ok(())
    }

    /// How many kept pages, lines or paragraphs left the memory; what repeats them is kept, too.
    pub fn forgotten(&self) -> u64 {
        let forgotten = |kept: &Kept| match kept {
            Kept::Near(index) => index.tally().forgotten,
            Kept::Exact(index) => index.tally().forgotten,
            Kept::Units(repeated) => repeated.forgotten(),
        };
        self.kept.iter().map(forgotten).sum()
    }
}
