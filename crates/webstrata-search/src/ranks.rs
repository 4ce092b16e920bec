//! The link ranks of pages: one number for each page and facet.
//!
//! A facet is a topic that a random surfer prefers (thesis, Equation 3.3), or no topic at all, which is
//! [general importance](GENERAL). Ranks are normalised so that their mean is 1 (thesis, section 3.4): a
//! page of rank 1 keeps its text score, and so does a page of which nothing is known.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use webstrata_base::Error;
use webstrata_base::write_whole;

use crate::digest::Digest;

/// The name of the unbiased facet (thesis, section 3.4).
pub const GENERAL: &str = "general importance";

/// The dimension of facets that link ranks tell.
pub const TOPIC: &str = "topic";

/// Beyond it, powers of ranks are no numbers any more.
pub const MOST_WEIGHT: f32 = 5.0;

const MAGIC: &[u8; 8] = b"WSRANKS1";
const DAMAGED: &str = "the ranks are damaged; `webstrata search ranks` writes them again";

/// A facet that pages are ranked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facet {
    /// Its path, such as `Top/Computers`, or [`GENERAL`].
    pub name: String,
    /// What it is a value of, such as [`TOPIC`].
    pub dimension: String,
}

impl Facet {
    /// A topic, or [`GENERAL`].
    pub fn topic(name: impl Into<String>) -> Facet {
        Facet { name: name.into(), dimension: TOPIC.to_owned() }
    }

    /// The path without its last part: `Top` of `Top/Computers`.
    pub fn parent(&self) -> Option<&str> {
        self.name.rsplit_once('/').map(|(parent, _)| parent)
    }

    /// The last part of the path: `Computers` of `Top/Computers`.
    pub fn label(&self) -> &str {
        self.name.rsplit('/').next().unwrap_or(&self.name)
    }
}

/// The ranks of all pages for all facets.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ranks {
    facets: Vec<Facet>,
    /// For each facet the rank of each page, by its number.
    vectors: Vec<Arc<[f32]>>,
    names: BTreeMap<String, usize>,
}

impl Ranks {
    /// No ranks.
    pub fn new() -> Ranks {
        Ranks::default()
    }

    /// Adds a facet, or replaces the one of that name. `ranks[n]` is the rank of the page of number
    /// n, in any unit: their mean becomes 1. Pages of unknown rank (`NaN`) and pages behind the
    /// end count as 1.
    pub fn add(&mut self, facet: Facet, ranks: &[f32]) {
        self.add_part(facet, ranks, mean(ranks));
    }

    /// The same for some pages of a graph, of all of which the mean is known: it is that one which becomes 1.
    /// Otherwise pages on sports would be half above and half below the mean of pages on sports, and nothing
    /// could be said of how much they are about sports (Equation 3.13).
    pub fn add_part(&mut self, facet: Facet, ranks: &[f32], mean: f64) {
        let scale = if mean > 0.0 { 1.0 / mean } else { 1.0 };
        let normal = |rank: &f32| {
            if rank.is_finite() && *rank >= 0.0 { (f64::from(*rank) * scale) as f32 } else { 1.0 }
        };
        self.insert(facet, ranks.iter().map(normal).collect());
    }

    fn insert(&mut self, facet: Facet, vector: Arc<[f32]>) {
        match self.names.get(&facet.name) {
            Some(&at) => (self.facets[at], self.vectors[at]) = (facet, vector),
            None => {
                self.names.insert(facet.name.clone(), self.facets.len());
                self.facets.push(facet);
                self.vectors.push(vector);
            }
        }
    }

    /// The facets, in the order in which they were added.
    pub fn facets(&self) -> &[Facet] {
        &self.facets
    }

    /// Which of the facets has this name.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.names.get(name).copied()
    }

    /// The ranks for a facet by the numbers of pages. Use [`Ranks::rank`] for pages that may be behind
    /// the end.
    pub fn vector(&self, facet: usize) -> &[f32] {
        self.vectors.get(facet).map_or(&[], |vector| vector)
    }

    pub(crate) fn shared(&self, facet: usize) -> Option<Arc<[f32]>> {
        self.vectors.get(facet).map(Arc::clone)
    }

    /// The rank of a page for a facet; 1 where it is not known.
    pub fn rank(&self, facet: usize, number: u64) -> f32 {
        rank(self.vector(facet), number)
    }

    /// Reads the ranks of the index that is called `index`; `None` where there are none.
    pub(crate) fn read(path: &Path, index: &str) -> Result<Option<Ranks>, Error> {
        let bytes = match fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Error::at(path, error)),
        };
        let (head, body) = parse_head(&bytes).ok_or_else(|| Error::at(path, DAMAGED))?;
        if head.index != index {
            let message =
                "these are the ranks of another index; `webstrata search ranks` makes its own";
            return Err(Error::at(path, message));
        }
        let mut ranks = Ranks::new();
        let mut numbers = body.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes));
        for facet in head.facets {
            ranks.insert(facet, numbers.by_ref().take(head.pages).collect());
        }
        Ok(Some(ranks))
    }

    pub(crate) fn write(&self, path: &Path, index: &str) -> Result<(), Error> {
        let pages = self.vectors.iter().map(|vector| vector.len()).max().unwrap_or(0);
        let head = Head { index: index.to_owned(), pages, facets: self.facets.clone() };
        let head = serde_json::to_vec(&head).map_err(|error| Error::at(path, error))?;
        let mut bytes = Vec::with_capacity(32 + head.len() + pages * self.vectors.len() * 4);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&(head.len() as u64).to_le_bytes());
        bytes.extend_from_slice(&head);
        for vector in &self.vectors {
            for number in 0..pages {
                bytes.extend_from_slice(&rank(vector, number as u64).to_le_bytes());
            }
        }
        let digest = digest(&bytes);
        bytes.extend_from_slice(&digest.to_le_bytes());
        write_whole(path, &bytes)
    }
}

/// The rank of a page in one vector; 1 behind its end.
pub(crate) fn rank(vector: &[f32], number: u64) -> f32 {
    usize::try_from(number).ok().and_then(|number| vector.get(number)).copied().unwrap_or(1.0)
}

/// The mean of those ranks that are some.
pub fn mean(ranks: &[f32]) -> f64 {
    let known = ranks.iter().filter(|rank| rank.is_finite() && **rank >= 0.0);
    let (count, sum) = known.fold((0_u64, 0.0), |(n, sum), rank| (n + 1, sum + f64::from(*rank)));
    if count == 0 { 0.0 } else { sum / count as f64 }
}

/// What stands before the numbers.
#[derive(Serialize, Deserialize)]
struct Head {
    index: String,
    pages: usize,
    facets: Vec<Facet>,
}

/// The head, and the numbers behind it; `None` if anything is not as we write it.
fn parse_head(bytes: &[u8]) -> Option<(Head, &[u8])> {
    let (content, found) = bytes.split_last_chunk::<8>()?;
    if u64::from_le_bytes(*found) != digest(content) {
        return None;
    }
    let (length, rest) = content.strip_prefix(MAGIC)?.split_first_chunk::<8>()?;
    let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
    let (head, body) = rest.split_at_checked(length)?;
    let head: Head = serde_json::from_slice(head).ok()?;
    let expected = head.pages.checked_mul(head.facets.len())?.checked_mul(4)?;
    (body.len() == expected).then_some((head, body))
}

fn digest(bytes: &[u8]) -> u64 {
    let mut digest = Digest::new();
    digest.add(bytes);
    digest.finish()
}

/// How text and rank become one score: W(d, q) · r(d)^weight (Equation 3.5), where r is the weighted sum
/// of several facets' ranks (Equation 3.6).
#[derive(Clone, Debug, PartialEq)]
pub struct Mix {
    /// How much the rank counts: 1 as in the thesis, 0 not at all, at most [`MOST_WEIGHT`].
    pub weight: f32,
    /// The facets with their weights ω, whose sum is made 1 so that the mean of ranks stays 1. None
    /// means [`GENERAL`].
    pub facets: Vec<(String, f32)>,
}

impl Default for Mix {
    fn default() -> Mix {
        Mix { weight: 1.0, facets: Vec::new() }
    }
}

impl Mix {
    /// The text alone.
    pub fn text() -> Mix {
        Mix { weight: 0.0, facets: Vec::new() }
    }

    /// One facet, as in the thesis.
    pub fn facet(name: impl Into<String>) -> Mix {
        Mix { weight: 1.0, facets: vec![(name.into(), 1.0)] }
    }

    /// Ready to be multiplied. Facets that nobody ranked are an error; without any ranks, all
    /// pages have the same.
    pub(crate) fn ready(&self, ranks: Option<&Ranks>) -> Result<ReadyMix, Error> {
        let weight = if self.weight.is_nan() { 1.0 } else { self.weight.clamp(0.0, MOST_WEIGHT) };
        let Some(ranks) = ranks else {
            return match self.facets.first() {
                Some((name, _)) => Err(Error::new(format!(
                    "no facet {name:?}: the index has no ranks; `webstrata search ranks` adds them"
                ))),
                None => Ok(ReadyMix { weight, parts: Vec::new() }),
            };
        };
        let general = [(GENERAL.to_owned(), 1.0)];
        let named = if self.facets.is_empty() { &general[..] } else { &self.facets };
        let omega = |omega: f32| if omega.is_finite() { omega.max(0.0) } else { 0.0 };
        let sum: f32 = named.iter().map(|(_, weight)| omega(*weight)).sum();
        let mut parts = Vec::new();
        for (name, weight) in named {
            match ranks.position(name).and_then(|facet| ranks.shared(facet)) {
                Some(_) if omega(*weight) == 0.0 => {}
                Some(vector) => parts.push((omega(*weight) / sum, vector)),
                None if self.facets.is_empty() => {}
                None => {
                    return Err(Error::new(format!(
                        "no facet {name:?} among the ranks of the index"
                    )));
                }
            }
        }
        Ok(ReadyMix { weight, parts })
    }
}

/// A [`Mix`] with its vectors.
#[derive(Clone, Debug)]
pub(crate) struct ReadyMix {
    weight: f32,
    parts: Vec<(f32, Arc<[f32]>)>,
}

impl ReadyMix {
    /// Does it leave text scores as they are?
    pub(crate) fn is_text(&self) -> bool {
        self.weight == 0.0 || self.parts.is_empty()
    }

    /// r(d).
    pub(crate) fn rank(&self, number: u64) -> f32 {
        match self.parts.as_slice() {
            [] => 1.0,
            [(_, vector)] => rank(vector, number),
            parts => parts.iter().map(|(omega, vector)| omega * rank(vector, number)).sum(),
        }
    }

    /// W(d, q) · r(d)^weight.
    pub(crate) fn score(&self, text: f32, rank: f32) -> f32 {
        if self.weight == 1.0 {
            text * rank
        } else if self.weight == 0.0 {
            text
        } else {
            text * rank.powf(self.weight)
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn ranks() -> Ranks {
        let mut ranks = Ranks::new();
        ranks.add(Facet::topic(GENERAL), &[0.1, 0.3, f32::NAN]);
        ranks.add(Facet::topic("Top/Arts"), &[2.0, 0.0]);
        ranks
    }

    #[test]
    fn their_mean_is_one() {
        let ranks = ranks();
        assert_eq!(ranks.vector(0), [0.5, 1.5, 1.0]);
        assert_eq!(ranks.rank(1, 0), 2.0);
        assert_eq!(ranks.rank(1, 2), 1.0);
        assert_eq!(ranks.rank(9, u64::MAX), 1.0);
        assert_eq!((ranks.facets()[1].parent(), ranks.facets()[1].label()), (Some("Top"), "Arts"));
        let mut none = Ranks::new();
        none.add(Facet::topic("x"), &[0.0, 0.0]);
        assert_eq!(none.vector(0), [0.0, 0.0]);
    }

    #[test]
    fn facets_mix_as_the_equations_say() {
        let ranks = ranks();
        let mix =
            Mix { weight: 1.0, facets: vec![("Top/Arts".into(), 1.0), (GENERAL.into(), 3.0)] };
        let mix = mix.ready(Some(&ranks)).unwrap();
        assert_eq!(mix.rank(0), 0.25 * 2.0 + 0.75 * 0.5);
        assert_eq!(mix.score(3.0, 0.5), 1.5);
        let root = Mix { weight: 0.5, ..Mix::default() }.ready(Some(&ranks)).unwrap();
        assert_eq!(root.score(3.0, 4.0), 6.0);
        assert!(Mix::text().ready(Some(&ranks)).unwrap().is_text());
        assert!(Mix::default().ready(None).unwrap().is_text());
        assert!(Mix::facet("Top/Sports").ready(Some(&ranks)).is_err());
        assert!(Mix::facet("Top/Arts").ready(None).is_err());
    }

    #[test]
    fn damaged_files_and_those_of_others_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ranks");
        assert_eq!(Ranks::read(&path, "a").unwrap(), None);
        ranks().write(&path, "a").unwrap();
        let read = Ranks::read(&path, "a").unwrap().unwrap();
        assert_eq!(read.vector(0), ranks().vector(0));
        assert_eq!(read.facets(), ranks().facets());
        assert!(Ranks::read(&path, "b").unwrap_err().to_string().contains("another index"));
        let bytes = fs::read(&path).unwrap();
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x55;
            fs::write(&path, &damaged).unwrap();
            assert!(Ranks::read(&path, "a").is_err(), "byte {at}");
            fs::write(&path, &bytes[..at]).unwrap();
            assert!(Ranks::read(&path, "a").is_err(), "cut at {at}");
        }
    }

    proptest! {
        #[test]
        fn any_numbers_become_ranks(numbers in proptest::collection::vec(proptest::num::f32::ANY, 0..20)) {
            let mut ranks = Ranks::new();
            ranks.add(Facet::topic("x"), &numbers);
            prop_assert!(ranks.vector(0).iter().all(|rank| *rank >= 0.0));
        }
    }
}
