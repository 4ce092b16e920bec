//! The utility analysis of rankings biased on categories (3.3.1).
//!
//! Each category's pages are a biasing set. All its rankings are computed in one call and compared with the ranking
//! without bias, with the parent's and with those of siblings. How good they are, the thesis asked three people. Where
//! there are no judgements, membership is: a ranking biased on a random half of the category's pages should find the
//! other half, among all pages but those that it was biased on, and the ranking without bias is asked for the same.

use serde::Serialize;
use webstrata_base::random::Random;
use webstrata_base::{Error, Progress};

use super::measure::{Precision, Scored, Similarity};
use super::texts::{Found, Queries, Texts};
use webstrata_links::links::InLinks;
use webstrata_links::rank::{self, Jump};
use webstrata_links::topics::{Categories, Reach};

/// More siblings than this have more pairs than anybody looks at: so many are drawn.
const MOST_PAIRS: usize = 1_000;

/// What to analyse, and how.
#[derive(Clone, Debug)]
pub struct TopicOptions {
    /// Categories down to this level.
    pub level: usize,
    /// How many of the best pages are compared; the thesis took 30.
    pub top: usize,
    /// Which pages a category has.
    pub reach: Reach,
    /// For halves of categories, and for the order of pages with the same rank.
    pub seed: u64,
}

impl Default for TopicOptions {
    fn default() -> TopicOptions {
        TopicOptions { level: usize::MAX, top: 30, reach: Reach::Below, seed: 1 }
    }
}

/// How good rankings are known to be.
#[derive(Clone, Copy, Default)]
pub enum Quality<'a> {
    /// By whether they find the other half of the category.
    #[default]
    HeldOut,
    /// By judgements: the relevant pages of a category, by its path, or of a query in it; a list for each subject.
    Judged(Judges<'a>),
}

/// Whom to ask for the relevant pages of a category, by its path, and of a query in it.
pub type Judges<'a> = &'a dyn Fn(&str, Option<&str>) -> Vec<Vec<usize>>;

/// What is known about the categories of a graph's pages.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Analysis {
    /// The categories, each after the one that it is in.
    pub categories: Vec<Measured>,
    /// Pairs of categories that are in the same one.
    pub siblings: Vec<Siblings>,
}

/// What is known about a category.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Measured {
    /// The names on the way to it, with `/` between them.
    pub path: String,
    /// 1 for those at the top.
    pub level: usize,
    /// The category that it is in, if that is among these.
    pub parent: Option<usize>,
    /// How many categories are directly below it.
    pub children: usize,
    /// How many others are in the same one.
    pub siblings: usize,
    /// The size of the biasing set.
    pub pages: usize,
    /// How many links lead out of its pages.
    pub out_links: u64,
    /// How alike its ranking and the one without bias are.
    pub to_unbiased: Similarity,
    /// How alike its ranking and its parent's are.
    pub to_parent: Option<Similarity>,
    /// How good its ranking is, and how good the one without bias.
    pub quality: Option<Gain>,
}

/// How good a biased ranking is beside the one without bias.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Gain {
    /// Of the biased ranking.
    pub biased: Precision,
    /// Of the other.
    pub unbiased: Precision,
}

/// Two categories that are in the same one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Siblings {
    /// One of them.
    pub a: usize,
    /// And the other.
    pub b: usize,
    /// How alike their rankings are.
    pub similarity: Similarity,
}

/// The categories of a tree with their rankings: computed once, measured in one way or another.
pub struct Rankings<'a> {
    tree: &'a Categories,
    settings: &'a TopicOptions,
    cases: Vec<Case>,
    unbiased: Vec<f32>,
    biased: Vec<Vec<f32>>,
    half: Vec<Vec<f32>>,
    /// The order of pages that have the same rank.
    order: Vec<u32>,
    out_links: Vec<u64>,
}

/// A category with its pages, and the halves of them.
struct Case {
    node: usize,
    path: String,
    pages: Vec<usize>,
    half: Vec<usize>,
    other_half: Vec<usize>,
}

/// What ranks all pages, once for each jump.
type Ranker<'a> = &'a dyn Fn(&[Jump]) -> Result<Vec<Vec<f32>>, Error>;

impl<'a> Rankings<'a> {
    /// Ranks all pages for all categories down to the level, and for halves of them, in one call.
    pub fn new(
        graph: &dyn InLinks,
        tree: &'a Categories,
        settings: &'a TopicOptions,
        options: &rank::RankOptions,
        progress: &dyn Progress,
    ) -> Result<Rankings<'a>, Error> {
        Rankings::ranked(graph, tree, settings, &|jumps| {
            Ok(rank::rank(graph, jumps, options, progress)?.vectors)
        })
    }

    pub(super) fn ranked(
        graph: &dyn InLinks,
        tree: &'a Categories,
        settings: &'a TopicOptions,
        rank: Ranker<'_>,
    ) -> Result<Rankings<'a>, Error> {
        let cases = cases(tree, settings);
        let sets = cases.iter().map(|case| &case.pages).chain(cases.iter().map(|case| &case.half));
        let jumps: Vec<Jump> =
            [Jump::Everywhere].into_iter().chain(sets.cloned().map(Jump::Set)).collect();
        let mut vectors = rank(&jumps)?;
        if vectors.len() != jumps.len() {
            return Err(Error::new(format!("{} rankings of {}", vectors.len(), jumps.len())));
        }
        let half = vectors.split_off(1 + cases.len());
        let biased = vectors.split_off(1);
        let mut order: Vec<u32> = (0..u32::try_from(graph.pages()).unwrap_or(u32::MAX)).collect();
        Random::for_purpose(settings.seed, "order").shuffle(&mut order);
        let out_links =
            |page: &usize| graph.out_degrees(*page).iter().map(|n| u64::from(*n)).sum::<u64>();
        let out_links = cases.iter().map(|case| case.pages.iter().map(out_links).sum()).collect();
        let unbiased = vectors.pop().unwrap_or_default();
        Ok(Rankings { tree, settings, cases, unbiased, biased, half, order, out_links })
    }

    /// How many categories there are.
    pub fn categories(&self) -> usize {
        self.cases.len()
    }

    /// Measures the rankings of all pages.
    pub fn measure(&self, quality: Quality<'_>) -> Analysis {
        Measuring { rankings: self, quality, found: None }.analysis()
    }

    /// Measures what searches find, by the text times the rank (Equation 3.5), as the thesis did it. Categories for
    /// which nothing is found are left out.
    pub fn measure_searches(
        &self,
        quality: Quality<'_>,
        queries: &Queries,
        texts: &Texts,
    ) -> Analysis {
        let search = |query: &str| Ok::<_, std::convert::Infallible>(texts.search(query));
        match self.measure_found(quality, queries, search) {
            Ok(analysis) => analysis,
            Err(never) => match never {},
        }
    }

    /// The same for another way to search: `search` gives the pages that it finds for a query.
    pub fn measure_found<E>(
        &self,
        quality: Quality<'_>,
        queries: &Queries,
        mut search: impl FnMut(&str) -> Result<Found, E>,
    ) -> Result<Analysis, E> {
        let mut found = Vec::with_capacity(self.cases.len());
        for case in &self.cases {
            let mut of_case = Vec::new();
            for query in queries.of(&case.path, self.name(case)) {
                let found = search(&query)?;
                if !found.pages.is_empty() {
                    of_case.push((query, found));
                }
            }
            found.push(of_case);
        }
        Ok(Measuring { rankings: self, quality, found: Some(&found) }.analysis())
    }

    fn name(&self, case: &Case) -> &str {
        &self.tree.nodes()[case.node].name
    }
}

fn cases(tree: &Categories, settings: &TopicOptions) -> Vec<Case> {
    let pages = tree.pages(settings.reach).into_iter().enumerate();
    let level = |node: usize| tree.nodes()[node].level;
    // The root is no category, and without pages there is no bias.
    let wanted = pages
        .filter(|(node, pages)| !pages.is_empty() && (1..=settings.level).contains(&level(*node)));
    wanted
        .map(|(node, pages)| {
            let path = tree.path(node);
            let (half, other_half) = halves(&pages, settings.seed, &path);
            Case { node, path, pages, half, other_half }
        })
        .collect()
}

/// A random half of the pages, the larger one, and the rest. Other categories do not change it.
fn halves(pages: &[usize], seed: u64, path: &str) -> (Vec<usize>, Vec<usize>) {
    let mut half = pages.to_vec();
    Random::for_purpose(seed, path).shuffle(&mut half);
    let mut other_half = half.split_off(pages.len().div_ceil(2));
    half.sort_unstable();
    other_half.sort_unstable();
    (half, other_half)
}

struct Measuring<'a> {
    rankings: &'a Rankings<'a>,
    quality: Quality<'a>,
    /// What the queries of each category found, if results of searches are measured.
    found: Option<&'a [Vec<(String, Found)>]>,
}

impl Measuring<'_> {
    fn analysis(&self) -> Analysis {
        let cases = &self.rankings.cases;
        let has_list = |index: &usize| self.found.is_none_or(|found| !found[*index].is_empty());
        let kept: Vec<usize> = (0..cases.len()).filter(has_list).collect();
        let mut row_of_node = vec![None; self.rankings.tree.nodes().len()];
        for (row, index) in kept.iter().enumerate() {
            row_of_node[cases[*index].node] = Some(row);
        }
        let categories = kept.iter().map(|index| self.category(*index, &row_of_node, &kept));
        Analysis { categories: categories.collect(), siblings: self.siblings(&row_of_node, &kept) }
    }

    fn category(&self, index: usize, row_of_node: &[Option<usize>], kept: &[usize]) -> Measured {
        let case = &self.rankings.cases[index];
        let nodes = self.rankings.tree.nodes();
        let node = &nodes[case.node];
        let parent = node.parent.and_then(|parent| row_of_node[parent]);
        let (biased, unbiased) = (&self.rankings.biased[index], &self.rankings.unbiased);
        Measured {
            path: case.path.clone(),
            level: node.level,
            parent,
            children: node.children.len(),
            siblings: node.parent.map_or(0, |parent| nodes[parent].children.len() - 1),
            pages: case.pages.len(),
            out_links: self.rankings.out_links[index],
            to_unbiased: self.similarity(biased, unbiased, &[index]),
            to_parent: parent.map(|parent| self.pair(index, kept[parent])),
            quality: self.gain(index),
        }
    }

    /// What is listed for a category: all pages, or what each of its queries has found.
    fn lists(&self, index: usize) -> Vec<(Option<&str>, Option<&Found>)> {
        match self.found {
            None => vec![(None, None)],
            Some(found) => {
                let found = found[index].iter();
                found.map(|(query, found)| (Some(query.as_str()), Some(found))).collect()
            }
        }
    }

    /// How alike two rankings are; of searches, the mean over the queries of these categories.
    fn similarity(&self, a: &[f32], b: &[f32], categories: &[usize]) -> Similarity {
        let lists = categories.iter().flat_map(|index| self.lists(*index));
        let alike = lists.map(|(_, found)| {
            let [a, b] = [a, b].map(|ranks| Scored::new(ranks, found));
            a.similarity(&b, self.rankings.settings.top)
        });
        Similarity::mean(alike).unwrap_or_default()
    }

    /// How alike the rankings of two categories are; results of searches, for the queries of both.
    fn pair(&self, a: usize, b: usize) -> Similarity {
        let [of_a, of_b] = [a, b].map(|index| self.rankings.biased[index].as_slice());
        let both = [a, b];
        self.similarity(of_a, of_b, if self.found.is_none() { &both[..1] } else { &both })
    }

    /// The mean over all subjects of a query, and then over all queries (3.3.1).
    fn gain(&self, index: usize) -> Option<Gain> {
        let Rankings { cases, unbiased, biased, half, order, .. } = self.rankings;
        let case = &cases[index];
        let of_query = |ranks: &[f32], query: Option<&str>, found: Option<&Found>| {
            let scored = Scored::new(ranks, found);
            match self.quality {
                Quality::HeldOut => scored.precision(&case.other_half, &case.half, order),
                Quality::Judged(relevant) => {
                    let subjects = relevant(&case.path, query).into_iter();
                    Precision::mean(subjects.filter_map(|mut relevant| {
                        relevant.sort_unstable();
                        scored.precision(&relevant, &[], order)
                    }))
                }
            }
        };
        let of = |ranks: &[f32]| {
            let lists = self.lists(index).into_iter();
            Precision::mean(lists.filter_map(|(query, found)| of_query(ranks, query, found)))
        };
        let ranks = match self.quality {
            Quality::HeldOut => &half[index],
            Quality::Judged(_) => &biased[index],
        };
        Some(Gain { biased: of(ranks)?, unbiased: of(unbiased)? })
    }

    fn siblings(&self, row_of_node: &[Option<usize>], kept: &[usize]) -> Vec<Siblings> {
        let mut siblings = Vec::new();
        for (number, node) in self.rankings.tree.nodes().iter().enumerate() {
            let rows: Vec<usize> =
                node.children.iter().filter_map(|child| row_of_node[*child]).collect();
            let random = Random::for_purpose(self.rankings.settings.seed, "siblings");
            let random = Random::new(random.clone().bits() ^ number as u64);
            siblings.extend(pairs(&rows, random).into_iter().map(|(a, b)| Siblings {
                a,
                b,
                similarity: self.pair(kept[a], kept[b]),
            }));
        }
        siblings
    }
}

/// All pairs, or so many of them that are drawn.
fn pairs(rows: &[usize], mut random: Random) -> Vec<(usize, usize)> {
    let all = rows.len() * rows.len().saturating_sub(1) / 2;
    if all <= MOST_PAIRS {
        let pairs = rows.iter().enumerate();
        return pairs.flat_map(|(at, b)| rows[..at].iter().map(|a| (*a, *b))).collect();
    }
    let mut drawn: Vec<(usize, usize)> = (0..MOST_PAIRS)
        .map(|_| {
            let a = random.below(rows.len());
            let b = (a + 1 + random.below(rows.len() - 1)) % rows.len();
            (rows[a.min(b)], rows[a.max(b)])
        })
        .collect();
    drawn.sort_unstable();
    drawn.dedup();
    drawn
}
