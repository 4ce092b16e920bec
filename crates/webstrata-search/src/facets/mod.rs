//! Facets: the aspects that the results of a search have, to choose from (thesis, section 3.4).
//!
//! Topics need no classifier: a page that the surfer of a topic visits more often than others belongs to it
//! ([`memberships`]), and the facets of a search are those that enough of its best results belong to ([`discover()`]).
//! Choosing one orders the same results by its ranking; several are a linear combination
//! ([`crate::Mix`], Equation 3.6).

pub mod counts;
pub mod discover;
pub mod evaluation;
pub mod membership;
pub mod search;

use std::collections::BTreeMap;

use serde::Serialize;

pub use counts::{counted, counted_dates};
pub use discover::{Against, FacetOptions, Share, Start, dimensions, discover, seed};
pub use membership::{FacetRanks, memberships};
pub use search::{Found, facets_of, topics_of};

/// The share from which on a facet stands out (thesis, section 3.4.4).
pub const HIGHLIGHTED: f64 = 0.25;

/// The facets of one kind that the results of a search have.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Dimension {
    /// `topic`, `host`, `language`, `page type`, `date`.
    pub name: String,
    /// Its facets, the largest share first.
    pub facets: Vec<FacetShare>,
}

/// A facet and how much of the results has it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct FacetShare {
    /// Its name, by which it is chosen: `Top/Computers`.
    pub name: String,
    /// How it is shown: `Computers`.
    pub label: String,
    /// What it is a part of; nothing for those at the top.
    #[cfg_attr(feature = "schema", schema(required = true))]
    pub parent: Option<String>,
    /// The share of the sampled results, from 0 to 1.
    pub share: f64,
    /// Does it stand out?
    pub highlighted: bool,
}

impl FacetShare {
    pub(crate) fn new(name: String, parent: Option<String>, share: f64) -> FacetShare {
        let label = name.rsplit('/').next().unwrap_or(&name).replace('_', " ");
        FacetShare { name, label, parent, share, highlighted: share >= HIGHLIGHTED }
    }
}

/// The path without its last part: `Top` of `Top/Computers`.
pub fn parent(path: &str) -> Option<&str> {
    path.rsplit_once('/').map(|(parent, _)| parent)
}

impl Dimension {
    /// The facets of a dimension that were found.
    pub fn of_shares(name: &str, ranks: &dyn FacetRanks, shares: &[Share]) -> Dimension {
        let facets = shares.iter().map(|share| {
            let name = ranks.name(share.facet);
            FacetShare::new(name.to_owned(), parent(name).map(str::to_owned), share.share)
        });
        Dimension { name: name.to_owned(), facets: facets.collect() }
    }

    /// The facets as a tree: how deep each stands, and where it is in [`Dimension::facets`]. What is below a facet
    /// follows it; siblings come in the order of the list. A facet whose parent was not found stands below the next
    /// one above that was.
    pub fn tree(&self) -> Vec<(usize, usize)> {
        let places: BTreeMap<&str, usize> =
            self.facets.iter().enumerate().map(|(at, facet)| (&facet.name[..], at)).collect();
        let mut below: Vec<Vec<usize>> = vec![Vec::new(); self.facets.len()];
        let mut tops = Vec::new();
        for (at, facet) in self.facets.iter().enumerate() {
            let above = std::iter::successors(facet.parent.as_deref(), |path| parent(path));
            // A facet that is its own parent would never be reached.
            match above.filter_map(|path| places.get(path)).find(|place| **place != at) {
                Some(place) => below[*place].push(at),
                None => tops.push(at),
            }
        }
        let mut tree = Vec::new();
        let mut waiting: Vec<(usize, usize)> = tops.into_iter().rev().map(|at| (0, at)).collect();
        while let Some((depth, at)) = waiting.pop() {
            tree.push((depth, at));
            waiting
                .extend(std::mem::take(&mut below[at]).into_iter().rev().map(|at| (depth + 1, at)));
        }
        tree
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facets_as_a_tree() {
        let facet = |name: &str, share| {
            FacetShare::new(name.to_owned(), parent(name).map(str::to_owned), share)
        };
        let facets = vec![
            facet("general importance", 0.31),
            facet("Top/Computers", 0.28),
            facet("Top/Computers/Internet/Searching", 0.14),
            facet("Top/Sports", 0.13),
            facet("Top/Computers/Computer_Science", 0.09),
        ];
        let dimension = Dimension { name: "topic".into(), facets };
        assert_eq!(dimension.tree(), [(0, 0), (0, 1), (1, 2), (1, 4), (0, 3)]);
        assert_eq!(dimension.facets[4].label, "Computer Science");
        let highlighted = dimension.facets.iter().filter(|facet| facet.highlighted).count();
        assert_eq!(highlighted, 2);
    }

    #[test]
    fn a_facet_that_is_its_own_parent_is_shown() {
        let facet = FacetShare::new("x".into(), Some("x".into()), 0.5);
        assert_eq!(Dimension { name: "n".into(), facets: vec![facet] }.tree(), [(0, 0)]);
    }
}
