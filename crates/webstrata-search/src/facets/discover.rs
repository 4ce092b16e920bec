//! Which facets the results of a search have: shares in samples (Equation 3.16), and Algorithm 3.1, which looks for
//! more with the facets that it has found.

use super::membership::{FacetRanks, Members};

/// How facets are looked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FacetOptions {
    /// How many of the best results of each ranking are looked at (k).
    pub sample: usize,
    /// The membership from which on a page counts for a facet (ϑ).
    pub threshold: f64,
    /// The share of pages from which on a facet is suggested, and its own ranking is looked at in the next
    /// iteration (λ). The thesis does not say which it took; on its screen-shot
    /// the smallest share is 9 %.
    pub least_share: f64,
    /// How often rankings of facets that were found are looked at, too (i_max).
    pub iterations: usize,
    /// Whose rankings are looked at first.
    pub start: Start,
    /// What a high rank is.
    pub against: Against,
}

/// What the rank of a page for a topic is compared with, to tell whether it belongs there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Against {
    /// The mean of all pages, as in the thesis.
    #[default]
    Mean,
    /// The page's own rank without bias, where there is such a ranking.
    Unbiased,
}

/// Where the search for facets begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Start {
    /// The unbiased ranking and those of the top categories, or of the children of those that were chosen already: more
    /// different facets are found, as the thesis suggests.
    #[default]
    Tops,
    /// The unbiased ranking alone, or that of the facets that were chosen: shares are those of what is shown.
    Shown,
}

impl Default for FacetOptions {
    /// As in the thesis, with the least share that its screen-shot allows.
    fn default() -> FacetOptions {
        FacetOptions {
            sample: 100,
            threshold: 0.1,
            least_share: 0.1,
            iterations: 1,
            start: Start::Tops,
            against: Against::Mean,
        }
    }
}

/// A facet and the share of the sampled pages that belong to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share {
    /// Which facet.
    pub facet: usize,
    /// From 0 to 1.
    pub share: f64,
}

/// The facets of one dimension that a search's results have, the largest share first.
///
/// `sample` gives, for each facet that it is asked for, the best results by its ranking, at most
/// [`FacetOptions::sample`]. The rankings of `seed` are looked at first; those of facets that were found then, if there is
/// an iteration left.
///
/// The thesis lets people choose from D, the facets whose rankings were looked at. After one iteration that is the
/// seed, so what it shows must be what is found with them, D', and that is what this gives.
pub fn discover<E>(
    ranks: &dyn FacetRanks,
    facets: &[usize],
    seed: &[usize],
    settings: &FacetOptions,
    mut sample: impl FnMut(&[usize]) -> Result<Vec<Vec<u64>>, E>,
) -> Result<Vec<Share>, E> {
    let mut members = Members::new(ranks, facets, settings.threshold);
    let mut pages_of = vec![0_u64; facets.len()];
    let (mut asked, mut found, mut total) = (Vec::new(), Vec::new(), 0_u64);
    let mut fresh = seed.to_vec();
    fresh.sort_unstable();
    fresh.dedup();
    for _ in 0..settings.iterations {
        if fresh.is_empty() {
            break;
        }
        for page in
            sample(&fresh)?.into_iter().flat_map(|list| list.into_iter().take(settings.sample))
        {
            total += 1;
            for facet in members.of(page) {
                pages_of[*facet as usize] += 1;
            }
        }
        asked.append(&mut fresh);
        found = shares(facets, &pages_of, total, settings.least_share, &found);
        fresh =
            found.iter().map(|share| share.facet).filter(|facet| !asked.contains(facet)).collect();
    }
    Ok(found)
}

/// Facets with enough pages, and those that had enough before: further samples only change shares.
fn shares(
    facets: &[usize],
    pages_of: &[u64],
    total: u64,
    least: f64,
    before: &[Share],
) -> Vec<Share> {
    let had = |share: &Share| before.iter().any(|other| other.facet == share.facet);
    let all = facets.iter().zip(pages_of).filter(|(_, pages)| **pages > 0);
    let all =
        all.map(|(facet, pages)| Share { facet: *facet, share: *pages as f64 / total as f64 });
    let mut found: Vec<Share> = all.filter(|share| share.share >= least || had(share)).collect();
    found.sort_by(|a, b| b.share.total_cmp(&a.share).then(a.facet.cmp(&b.facet)));
    found
}

/// The facets of each dimension, dimensions in the order of their first facets.
pub fn dimensions(ranks: &dyn FacetRanks) -> Vec<(&str, Vec<usize>)> {
    let mut found: Vec<(&str, Vec<usize>)> = Vec::new();
    for facet in 0..ranks.facet_count() {
        let name = ranks.dimension(facet);
        match found.iter_mut().find(|(other, _)| *other == name) {
            Some((_, facets)) => facets.push(facet),
            None => found.push((name, vec![facet])),
        }
    }
    found
}

/// Where the search for facets of a dimension begins: with the unbiased ranking, and with those of the top
/// categories, or of the children of those that were chosen already (of these themselves where they have none).
pub fn seed(
    ranks: &dyn FacetRanks,
    facets: &[usize],
    unbiased: Option<usize>,
    chosen: &[usize],
) -> Vec<usize> {
    let below = |parent: &str| -> Vec<usize> {
        let is_below = |facet: &&usize| super::parent(ranks.name(**facet)) == Some(parent);
        facets.iter().filter(is_below).copied().collect()
    };
    let mut seed: Vec<usize> = unbiased.into_iter().collect();
    let chosen: Vec<usize> = chosen
        .iter()
        .copied()
        .filter(|facet| facets.contains(facet) && Some(*facet) != unbiased)
        .collect();
    for facet in &chosen {
        let children = below(ranks.name(*facet));
        seed.extend(if children.is_empty() { vec![*facet] } else { children });
    }
    if chosen.is_empty() {
        let is_top = |facet: &&usize| {
            let parent = super::parent(ranks.name(**facet));
            Some(**facet) != unbiased
                && parent
                    .is_none_or(|parent| facets.iter().all(|other| ranks.name(*other) != parent))
        };
        let tops: Vec<usize> = facets.iter().filter(is_top).copied().collect();
        match tops[..] {
            // What all is below is no category.
            [root] if !below(ranks.name(root)).is_empty() => seed.extend(below(ranks.name(root))),
            _ => seed.extend(tops),
        }
    }
    seed
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::super::membership::memberships;
    use super::super::membership::tests::Table;
    use super::*;

    fn settings(iterations: usize) -> FacetOptions {
        FacetOptions { iterations, least_share: 0.3, ..FacetOptions::default() }
    }

    /// Pages 0 and 1 are about the sea, page 2 about its tides, page 3 about nothing.
    fn coast() -> Table {
        Table(vec![
            ("general importance", "topic", vec![1.0, 1.0, 0.9, 2.0]),
            ("sea", "topic", vec![5.0, 4.0, 0.9, 0.1]),
            ("sea/tides", "topic", vec![0.1, 0.1, 6.0, 0.1]),
            ("land", "topic", vec![0.0, 0.0, 0.0, 0.1]),
            ("en", "language", vec![2.0, 2.0, 2.0, 2.0]),
        ])
    }

    #[test]
    fn a_second_iteration_looks_where_the_first_one_pointed() {
        let ranks = coast();
        let facets = [0, 1, 2, 3];
        // The ranking of `sea` shows a page about tides.
        let lists = |facets: &[usize]| -> Vec<Vec<u64>> {
            facets
                .iter()
                .map(|facet| if *facet == 1 { vec![2, 2, 2] } else { vec![0, 1] })
                .collect()
        };
        let mut asked = Vec::new();
        let mut ask = |facets: &[usize]| {
            asked.push(facets.to_vec());
            Ok::<_, ()>(lists(facets))
        };
        let once = discover(&ranks, &facets, &[0, 0], &settings(1), &mut ask).unwrap();
        assert_eq!(once, [Share { facet: 1, share: 1.0 }]);
        let twice = discover(&ranks, &facets, &[0], &settings(2), &mut ask).unwrap();
        assert_eq!(twice, [Share { facet: 2, share: 0.6 }, Share { facet: 1, share: 0.4 }]);
        assert!(discover(&ranks, &facets, &[0], &settings(0), &mut ask).unwrap().is_empty());
        assert_eq!(asked, [vec![0], vec![0], vec![1]]);
    }

    #[test]
    fn seeds_are_tops_or_children_of_what_was_chosen() {
        let ranks = coast();
        let (name, facets) = dimensions(&ranks).remove(0);
        assert_eq!((name, &facets[..]), ("topic", &[0, 1, 2, 3][..]));
        assert_eq!(seed(&ranks, &facets, Some(0), &[]), [0, 1, 3]);
        assert_eq!(seed(&ranks, &facets, Some(0), &[1]), [0, 2]);
        assert_eq!(seed(&ranks, &facets, Some(0), &[3]), [0, 3]);
        assert_eq!(seed(&ranks, &facets, Some(0), &[0]), [0, 1, 3]);
        assert_eq!(seed(&ranks, &facets, None, &[2, 4]), [2]);
        assert_eq!(dimensions(&ranks)[1], ("language", vec![4]));
        let rooted = Table(
            ["Top", "Top/sea", "Top/land", "Top/sea/tides"]
                .map(|name| (name, "topic", vec![]))
                .into(),
        );
        assert_eq!(seed(&rooted, &[0, 1, 2, 3], None, &[]), [1, 2]);
    }

    /// Algorithm 3.1 line by line.
    fn naive(
        table: &Table,
        seed: &[usize],
        settings: &FacetOptions,
        lists: &[Vec<u64>],
    ) -> Vec<Share> {
        let all: Vec<usize> = (0..table.0.len()).collect();
        let (mut d, mut next, mut i) =
            (BTreeSet::new(), seed.iter().copied().collect::<BTreeSet<_>>(), 0);
        let mut found = Vec::new();
        while i < settings.iterations && next.difference(&d).next().is_some() {
            i += 1;
            d.extend(next.iter().copied());
            let share = |f: usize| {
                let belongs =
                    |page: &&u64| memberships(table, &all, **page)[f] >= settings.threshold;
                let in_f: usize = d.iter().map(|g| lists[*g].iter().filter(belongs).count()).sum();
                let pages: usize = d.iter().map(|g| lists[*g].len()).sum();
                in_f as f64 / pages.max(1) as f64
            };
            found = all.iter().map(|f| Share { facet: *f, share: share(*f) }).collect();
            let before: BTreeSet<usize> = if i == 1 { BTreeSet::new() } else { next.clone() };
            found.retain(|one| {
                one.share > 0.0
                    && (one.share >= settings.least_share || before.contains(&one.facet))
            });
            next = found.iter().map(|one| one.facet).collect();
        }
        found.sort_by(|a, b| b.share.total_cmp(&a.share).then(a.facet.cmp(&b.facet)));
        found
    }

    proptest! {
        #[test]
        fn as_the_algorithm_says(
            ranks in prop::collection::vec(prop::collection::vec(0.0_f32..4.0, 8), 1..7),
            lists in prop::collection::vec(prop::collection::vec(0_u64..8, 0..6), 7),
            seed in prop::collection::vec(0_usize..7, 0..4),
            iterations in 0_usize..5,
            least_share in 0.0..0.9,
        ) {
            let table = Table(ranks.into_iter().map(|row| ("f", "topic", row)).collect());
            let seed: Vec<usize> = seed.into_iter().filter(|facet| *facet < table.0.len()).collect();
            let settings = FacetOptions { iterations, least_share, ..FacetOptions::default() };
            let facets: Vec<usize> = (0..table.0.len()).collect();
            let found = discover(&table, &facets, &seed, &settings, |asked| {
                Ok::<_, ()>(asked.iter().map(|facet| lists[*facet].clone()).collect())
            });
            prop_assert_eq!(found.unwrap(), naive(&table, &seed, &settings, &lists));
        }
    }
}
