//! Learns the thresholds of the extractor `swarm`, and measures it as the paper does.
//!
//! Ziegler & Skubacz, *Content Extraction from News Pages Using Particle Swarm Optimization on
//! Linguistic and Structural Features* (2007). A page is cut by `Cutting::Ziegler`; a block is
//! signal if eight [features](webstrata::training::ziegler) satisfy eight thresholds; a set of thresholds is
//! worth the mean [`similarity`](crate::scores::cosine) of what it keeps and the gold text; and the best one is looked for
//! by [particles](optimise).
//!
//! ```no_run
//! use webstrata_lab::{Set, swarm};
//!
//! let set = Set::open("sets/l3s-gn1".as_ref())?;
//! let outcome = swarm::train(&set, &swarm::Options::default(), &())?;
//! println!("{:.3}", outcome.test.extracted);
//! println!("{}", outcome.to_toml());
//! # Ok::<(), webstrata_base::Error>(())
//! ```
//!
//! The same seed gives the same outcome, whatever the number of threads: random numbers are drawn
//! one after the other, and what is done in parallel is added up in the order of the pages.

mod optimiser;
mod pages;
mod scale;

use std::collections::HashMap;
use std::sync::Arc;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use webstrata::Extractor;
use webstrata::cutting::Cutting;
use webstrata::filters::KeepSignal;
use webstrata::training::ziegler::{COUNT, SIGNALS};

pub use self::optimiser::{Found, Generation, Leader, Motion, optimise};
use self::pages::{CachedPage, Judged};
use self::scale::Scale;
use crate::sets::Set;
use webstrata_base::error::Error;
use webstrata_base::progress::Progress;
use webstrata_base::random::Random;

/// How thresholds are learned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Options {
    /// How the swarm moves, and the seed of all that is random.
    pub motion: Motion,
    /// The share of pages that is learned from; the others are the test set (section 4: 70%).
    pub train_share: f64,
    /// Are all pages of a site on the same side? The paper has two to four articles of a site and
    /// does not say; a test on sites that were never seen is the stricter one.
    pub by_site: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { motion: Motion::default(), train_share: 0.7, by_site: false }
    }
}

/// Thresholds, and how good they are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Outcome {
    /// The set's name.
    pub set: String,
    /// How it was done.
    pub options: Options,
    /// The thresholds.
    pub thresholds: KeepSignal,
    /// What they reach on the pages they were learned from.
    pub train: Scores,
    /// What they reach on the others.
    pub test: Scores,
    /// Figure 3: the best and the mean particle of each population.
    pub generations: Vec<Generation>,
    /// The population of the best particle of all, counted from 0.
    pub best_generation: usize,
}

/// Table 1 on some pages: mean similarities.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Scores {
    /// How many pages there are.
    pub pages: usize,
    /// How many blocks they have.
    pub blocks: usize,
    /// FE: what the thresholds keep.
    pub extracted: f64,
    /// PR: all blocks, after removing and pruning elements.
    pub pruned: f64,
    /// TB: all text nodes of the page, scripts included.
    pub all_text: f64,
}

/// Figure 4: what one feature does alone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Curve {
    /// The feature's name, one of [`SIGNALS`].
    pub feature: String,
    /// The mean similarity for each threshold, ascending by threshold.
    pub points: Vec<Point>,
}

/// One threshold and what it reaches.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Point {
    /// The threshold.
    pub threshold: f64,
    /// The mean similarity.
    pub similarity: f64,
}

impl Curve {
    /// The best point; the first of several.
    pub fn best(&self) -> Option<Point> {
        let better = |best: Point, point: Point| {
            if point.similarity > best.similarity { point } else { best }
        };
        self.points.iter().copied().reduce(better)
    }
}

/// From which generation on a swarm's swings are measured: it has converged by then.
const SETTLED: usize = 20;

impl Outcome {
    /// The first generation, counted from 1, whose best particle is within a hundredth of the best of all.
    pub fn converged(&self) -> usize {
        let best = self.generations[self.best_generation].best;
        let near = self.generations.iter().position(|one| one.best >= 0.99 * best);
        near.map_or(self.generations.len(), |place| place + 1)
    }

    /// How far the fitness of the mean particle moves from one generation to the next, in the mean of all
    /// after the twentieth.
    pub fn swing(&self) -> f64 {
        let settled = self.generations.get(SETTLED..).unwrap_or_default();
        let moves = settled.windows(2).map(|pair| (pair[1].mean - pair[0].mean).abs());
        moves.sum::<f64>() / settled.len().saturating_sub(1).max(1) as f64
    }

    /// The extractor with the learned thresholds.
    pub fn extractor(&self) -> Extractor {
        let about = "News articles by thresholds on eight features that a particle swarm learned";
        let paper = "Ziegler, Skubacz: Content Extraction from News Pages Using Particle Swarm \
            Optimization on Linguistic and Structural Features, WI 2007, sections 3.1 to 3.5";
        let mut extractor = Extractor::new("swarm").step(self.thresholds.clone());
        extractor.about = format!("{about} ({})", self.set);
        extractor.paper = paper.into();
        extractor.cutting = Cutting::Ziegler;
        extractor
    }

    /// That extractor as TOML.
    pub fn to_toml(&self) -> String {
        self.extractor().to_toml()
    }
}

/// Learns thresholds on a part of the set and measures them on the rest.
pub fn train(set: &Set, options: &Options, progress: &dyn Progress) -> Result<Outcome, Error> {
    Ok(Corpus::read(set, options, progress)?.train(progress))
}

/// What each feature reaches alone on the test pages, for up to 101 thresholds.
pub fn single_feature_curves(
    set: &Set,
    options: &Options,
    progress: &dyn Progress,
) -> Result<Vec<Curve>, Error> {
    Ok(Corpus::read(set, options, progress)?.single_feature_curves(progress))
}

/// The pages of a set, read once, for any number of splits.
pub struct Pages {
    set: Set,
    pages: Vec<Arc<Judged>>,
}

/// Some of these pages to learn from, the others to test on.
pub struct Corpus {
    set: String,
    options: Options,
    train: Vec<Arc<Judged>>,
    test: Vec<Arc<Judged>>,
}

impl Pages {
    /// Reads the pages of a set. A page whose gold text is empty is left out and noted; one that cannot
    /// be read is left out and reported.
    pub fn read(set: &Set, progress: &dyn Progress) -> Pages {
        progress.begin("reading pages", set.entries.len());
        let read = set.entries.par_iter().map(|entry| {
            let page = Judged::read(entry);
            progress.step();
            page
        });
        let read: Vec<_> = read.collect();
        let mut pages = Vec::with_capacity(read.len());
        for (page, entry) in read.into_iter().zip(&set.entries) {
            match page {
                Ok(Some(page)) => pages.push(Arc::new(page)),
                Err(error) => progress.failure(&format!("{error}; left out")),
                Ok(None) => {
                    let gold = entry.gold.display();
                    progress.note(&format!("{gold}: the gold text is empty, left out"));
                }
            }
        }
        Pages { set: set.clone(), pages }
    }

    /// What needs no learning, of all pages: PR and TB. FE is that of thresholds that let all through.
    pub fn unlearned(&self) -> Scores {
        scores(&self.pages, &SIGNALS.map(|signal| signal.bound.permissive()))
    }

    /// Divides the pages.
    pub fn split(&self, options: &Options) -> Result<Corpus, Error> {
        check(options)?;
        let (train, test) = split(&self.pages, options);
        if train.is_empty() || test.is_empty() {
            let what = if options.by_site { "sites" } else { "pages" };
            let (all, share) = (self.pages.len(), options.train_share);
            return Err(Error::at(
                &self.set.path,
                format!(
                    "{all} pages with a gold text: too few {what} to train on {share} of them and test on the rest"
                ),
            ));
        }
        Ok(Corpus { set: self.set.name.clone(), options: options.clone(), train, test })
    }
}

impl Corpus {
    /// Reads the pages of a set and divides them, as [`Pages`] does it.
    pub fn read(set: &Set, options: &Options, progress: &dyn Progress) -> Result<Corpus, Error> {
        check(options)?;
        Pages::read(set, progress).split(options)
    }

    /// The ids of the pages that are learned from.
    pub fn train_pages(&self) -> impl Iterator<Item = &str> {
        self.train.iter().map(|page| page.id.as_str())
    }

    /// The ids of the pages of the test set.
    pub fn test_pages(&self) -> impl Iterator<Item = &str> {
        self.test.iter().map(|page| page.id.as_str())
    }

    /// Learns thresholds on the training pages and measures them on both parts.
    pub fn train(&self, progress: &dyn Progress) -> Outcome {
        let motion = &self.options.motion;
        let scales = scales(&self.train);
        for (_, signal) in scales.iter().zip(SIGNALS).filter(|(scale, _)| scale.is_flat()) {
            progress.note(&format!(
                "{}: all blocks have the same value, nothing to learn",
                signal.name
            ));
        }
        let ranks = |page: &Arc<Judged>| {
            let values = page.blocks.iter().map(|block| block.values);
            values.map(|v| std::array::from_fn(|at| scales[at].rank(v[at]))).collect()
        };
        let mut pages: Vec<CachedPage<'_>> =
            self.train.iter().map(|page| CachedPage::new(page, ranks(page))).collect();
        progress.begin("generations", motion.generations);
        let found = optimise(COUNT, motion, |positions| {
            let values = mean_similarities(&mut pages, &scales, positions);
            progress.step();
            values
        });
        let thresholds = std::array::from_fn(|at| scales[at].threshold_at(found.position[at]));
        Outcome {
            set: self.set.clone(),
            options: self.options.clone(),
            train: scores(&self.train, &thresholds),
            test: scores(&self.test, &thresholds),
            thresholds: thresholds.into(),
            generations: found.generations,
            best_generation: found.generation,
        }
    }

    /// What each feature reaches alone on the test pages (section 4.3), in the order of [`SIGNALS`].
    /// The thresholds are the percentiles of the feature.
    pub fn single_feature_curves(&self, progress: &dyn Progress) -> Vec<Curve> {
        progress.begin("single features", COUNT);
        let permissive = SIGNALS.map(|signal| signal.bound.permissive());
        let curve = |(at, scale): (usize, Scale)| {
            let mut alone = permissive;
            let points = scale.thresholds(100).into_iter().map(|threshold| {
                alone[at] = threshold;
                Point { threshold, similarity: mean_extracted(&self.test, &alone) }
            });
            let mut points: Vec<Point> = points.collect();
            points.sort_by(|a, b| a.threshold.total_cmp(&b.threshold));
            progress.step();
            Curve { feature: SIGNALS[at].name.into(), points }
        };
        scales(&self.test).into_iter().enumerate().map(curve).collect()
    }
}

fn check(options: &Options) -> Result<(), Error> {
    let Options { motion, train_share, .. } = options;
    let wrong = |message: &str| Err(Error::new(message));
    if motion.particles == 0 || motion.generations == 0 {
        return wrong("a swarm has at least one particle and one generation");
    }
    if !(*train_share > 0.0 && *train_share < 1.0) {
        return wrong("the share of training pages is between 0 and 1, both excluded");
    }
    let numbers = [motion.cognitive, motion.social, motion.inertia];
    if !numbers.iter().all(|number| number.is_finite() && *number >= 0.0)
        || motion.max_velocity.is_some_and(|limit| limit.is_nan() || limit <= 0.0)
    {
        return wrong("cognitive, social and inertia are not negative; max-velocity is above 0");
    }
    Ok(())
}

/// Divides the pages at random into those to learn from and the others, each in the set's order.
fn split(pages: &[Arc<Judged>], options: &Options) -> (Vec<Arc<Judged>>, Vec<Arc<Judged>>) {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut known: HashMap<&str, usize> = HashMap::new();
    for (index, page) in pages.iter().enumerate() {
        let key = if options.by_site { &page.site } else { &page.id };
        let group = *known.entry(key).or_insert(groups.len());
        if group == groups.len() {
            groups.push(Vec::new());
        }
        groups[group].push(index);
    }
    Random::for_purpose(options.motion.seed, "split").shuffle(&mut groups);
    let wanted = (pages.len() as f64 * options.train_share).round() as usize;
    let (mut trains, mut count) = (vec![false; pages.len()], 0);
    for group in &groups {
        if count >= wanted {
            break;
        }
        group.iter().for_each(|index| trains[*index] = true);
        count += group.len();
    }
    let (mut train, mut test) = (Vec::new(), Vec::new());
    for (page, trains) in pages.iter().zip(trains) {
        if trains { train.push(page.clone()) } else { test.push(page.clone()) }
    }
    (train, test)
}

fn scales(pages: &[Arc<Judged>]) -> Vec<Scale> {
    let blocks = || pages.iter().flat_map(|page| &page.blocks);
    let scale = |at: usize| {
        let values = blocks().map(|block| (block.values[at], block.words)).collect();
        Scale::new(SIGNALS[at].bound, values)
    };
    (0..COUNT).map(scale).collect()
}

/// The fitness of particles: the mean similarity over all pages (section 3.5.3). Pages side by side,
/// so that each has its own memory of what it was asked.
fn mean_similarities(
    pages: &mut [CachedPage<'_>],
    scales: &[Scale],
    positions: &[Vec<f64>],
) -> Vec<f64> {
    let ranges: Vec<_> = positions
        .iter()
        .map(|position| {
            let range = |at: usize| scales[at].range_at(position[at]);
            let low: [u32; COUNT] = std::array::from_fn(|at| range(at).0);
            let high: [u32; COUNT] = std::array::from_fn(|at| range(at).1);
            (low, high)
        })
        .collect();
    let of_pages: Vec<Vec<f64>> = pages
        .par_iter_mut()
        .map(|page| ranges.iter().map(|(low, high)| page.similarity(low, high)).collect())
        .collect();
    let sum = |particle: usize| of_pages.iter().map(|page| page[particle]).sum::<f64>();
    (0..positions.len()).map(|particle| sum(particle) / of_pages.len() as f64).collect()
}

fn mean_extracted(pages: &[Arc<Judged>], thresholds: &[f64; COUNT]) -> f64 {
    let similarities: Vec<f64> = pages.par_iter().map(|page| page.extracted(thresholds)).collect();
    similarities.iter().sum::<f64>() / pages.len() as f64
}

fn scores(pages: &[Arc<Judged>], thresholds: &[f64; COUNT]) -> Scores {
    let permissive = SIGNALS.map(|signal| signal.bound.permissive());
    Scores {
        pages: pages.len(),
        blocks: pages.iter().map(|page| page.blocks.len()).sum(),
        extracted: mean_extracted(pages, thresholds),
        pruned: mean_extracted(pages, &permissive),
        all_text: pages.iter().map(|page| page.all_text).sum::<f64>() / pages.len() as f64,
    }
}
