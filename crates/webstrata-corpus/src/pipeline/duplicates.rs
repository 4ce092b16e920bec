//! Which pages repeat others, by several methods in a row.
//!
//! A page is known to the methods only once it was kept by all of them. So what was kept decides everything, and a run
//! that goes on learns it again from the records that were written.

use std::sync::LazyLock;

use webstrata_base::Error;
use webstrata_site::url_key::Rules;

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
}

impl Method {
    /// Its name in a pipeline, and of the reason for which pages are dropped.
    pub fn name(self) -> &'static str {
        match self {
            Method::MainText(_) => "main-text",
            Method::SameText => "same-text",
            Method::UrlKey => "url-key",
        }
    }
}

/// What is compared of a page: one for each method, none where the page has nothing to compare.
#[derive(Clone, Debug)]
pub struct Keys(Vec<Option<Key>>);

#[derive(Clone, Debug)]
enum Key {
    Near(Box<NearText>),
    Exact(u128),
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
        };
        Keys(methods.iter().map(key).collect())
    }
}

/// The pages that were kept.
#[derive(Debug)]
pub struct Duplicates {
    methods: Vec<(&'static str, Kept)>,
}

#[derive(Debug)]
enum Kept {
    Near(NearIndex),
    Exact(ExactIndex),
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
            let kept = match method {
                Method::MainText(options) => Kept::Near(NearIndex::new(*options, share)?),
                Method::SameText | Method::UrlKey => Kept::Exact(ExactIndex::new(share)),
            };
            Ok((method.name(), kept))
        };
        Ok(Duplicates { methods: methods.iter().map(kept).collect::<Result<_, Error>>()? })
    }

    /// The first method's word on which page this one repeats; if none has any, the page is kept.
    ///
    /// # Errors
    ///
    /// Where the temporary file fails.
    pub fn add(&mut self, id: &str, Keys(keys): &Keys) -> Result<Option<Repeat>, Error> {
        for ((method, kept), key) in self.methods.iter_mut().zip(keys) {
            let found = match (kept, key) {
                (Kept::Near(index), Some(Key::Near(text))) => index.find(text)?,
                (Kept::Exact(index), Some(Key::Exact(key))) => index.find(*key).map(|of| (of, 1.0)),
                _ => None,
            };
            if let Some((of, similarity)) = found {
                return Ok(Some(Repeat { method, of: of.to_owned(), similarity }));
            }
        }
        self.keep(id, keys)?;
        Ok(None)
    }

    /// Learns of a page that an earlier run kept.
    ///
    /// # Errors
    ///
    /// Where the temporary file fails.
    pub fn learn(&mut self, id: &str, Keys(keys): &Keys) -> Result<(), Error> {
        self.keep(id, keys)
    }

    fn keep(&mut self, id: &str, keys: &[Option<Key>]) -> Result<(), Error> {
        for ((_, kept), key) in self.methods.iter_mut().zip(keys) {
            match (kept, key) {
                (Kept::Near(index), Some(Key::Near(text))) => index.keep(id, text)?,
                (Kept::Exact(index), Some(Key::Exact(key))) => index.keep(id, *key),
                _ => {}
            }
        }
        Ok(())
    }

    /// How many kept pages left the memory; pages that repeat them are kept, too.
    pub fn forgotten(&self) -> u64 {
        let forgotten = |kept: &Kept| match kept {
            Kept::Near(index) => index.tally().forgotten,
            Kept::Exact(index) => index.tally().forgotten,
        };
        self.methods.iter().map(|(_, kept)| forgotten(kept)).sum()
    }
}
