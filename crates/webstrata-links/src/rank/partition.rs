//! A range of pages that is ranked by one processor (3.2.2).
//!
//! All links inside of the range are read in place. What other partitions contribute comes as votes, one number
//! for each target page and partition (Equation 3.11); which pages these are was said once, before the first
//! iteration.

use std::ops::Range;

use webstrata_base::Error;

use super::exchange::{Message, Numbers};
use super::givers::Givers;
use super::inflow::{Inflow, unreadable};
use super::plan::Plan;
use super::reading::AllLinks;
use super::rows::{self, Local};
use super::surfer::Surfer;
use super::values::Value;
use super::{Jump, Method};
use crate::links::InLinks;

/// Pages whose changes are summed in the precision of ranks, before they go into the sums of 64 bits.
const BLOCK: usize = 256;

/// A partition: its pages, the links into them, their ranks so far.
pub(crate) struct Partition<V: Value> {
    pages: Range<usize>,
    /// Those that take part in iterations.
    givers: Givers,
    classes: usize,
    alpha: f64,
    /// What a link carries of its page's rank; all of class 0, then all of class 1.
    factors: Vec<V::Number>,
    /// For a giver that is among its own sources, 1 and the class of that link; else 0.
    own: Vec<u8>,
    /// By what the rank of a giver grows by its link to itself; empty if nobody has such a link.
    growth: Vec<V::Number>,
    /// The ranks of the givers.
    ranks: Vec<V>,
    /// Rank times factor: what a link carries. In the order of the factors.
    shares: Vec<V>,
    /// The shares before the iteration, for Jacobi's method.
    shares_before: Vec<V>,
    /// What jumps give to every page.
    everywhere: V,
    to_givers: Inflow<V>,
    to_others: Inflow<V>,
    counts: Counts,
}

/// What an iteration has done to the pages of a partition, in each ranking.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) change: Vec<f64>,
    pub(crate) total: Vec<f64>,
}

/// What a partition has, to be added up over all of them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) givers: u64,
    pub(crate) inside: u64,
    pub(crate) between: u64,
    pub(crate) votes: u64,
    pub(crate) votes_to_givers: u64,
    pub(crate) inter_host: u64,
}

impl<V: Value> Partition<V> {
    /// Reads a partition's links, and says what it must ask of each partition.
    pub(crate) fn read(
        graph: &dyn InLinks,
        plan: &Plan,
        index: usize,
        (surfer, method): (&Surfer, Method),
        jumps: &[Jump],
    ) -> Result<(Partition<V>, Vec<Vec<u32>>), Error> {
        let pages = plan.pages(index);
        if u32::try_from(pages.len()).is_err() {
            return Err(Error::new(format!(
                "a partition of {} pages is too large, more partitions are needed",
                pages.len()
            )));
        }
        let classes = surfer.classes();
        let mut factors = vec![Vec::new(); classes.count];
        let mut external_links = 0;
        let givers = Givers::new(pages.len(), |page| {
            let degrees = graph.out_degrees(pages.start + page);
            external_links += u64::from(degrees[1]) + u64::from(degrees[3]);
            let shares = &surfer.shares(&classes, degrees)[..classes.count];
            let gives = shares.iter().any(|share| *share > 0.0);
            if gives {
                let of_classes = factors.iter_mut().zip(shares);
                of_classes.for_each(|(factors, share)| factors.push(V::number(*share)));
            }
            gives
        });
        let links = AllLinks::read(graph, plan, index, &classes, &givers, method)?;
        let count = givers.count();
        let factors = factors.concat();
        let growth = growth::<V>(&links.to_themselves, &factors, count, surfer.alpha);
        let counts = Counts {
            givers: count as u64,
            inside: links.to_givers.counts[0] + links.to_others.counts[0],
            between: links.to_givers.counts[1] + links.to_others.counts[1],
            votes: links.to_givers.votes() + links.to_others.votes(),
            votes_to_givers: links.to_givers.votes(),
            inter_host: external_links,
        };
        let (everywhere, [jumps_to_givers, jumps_to_others]) =
            jumps_of(jumps, graph.pages(), &pages, &givers);
        let requests = links.to_givers.requests.into_iter().zip(links.to_others.requests);
        let requests = requests.map(|(to_givers, to_others)| {
            [&[to_givers.len() as u32][..], &to_givers, &to_others].concat()
        });
        let requests = requests.collect();
        let partition = Partition {
            classes: classes.count,
            alpha: surfer.alpha,
            factors,
            growth,
            own: links.own,
            ranks: vec![V::ZERO; count],
            shares: vec![V::ZERO; count * classes.count],
            shares_before: Vec::new(),
            everywhere,
            to_givers: Inflow::new(links.to_givers.rows, &jumps_to_givers, links.to_givers.targets),
            to_others: Inflow::new(links.to_others.rows, &jumps_to_others, links.to_others.targets),
            counts,
            givers,
            pages,
        };
        Ok((partition, requests))
    }

    /// Learns which pages the others ask votes for.
    pub(crate) fn answer(&mut self, requests: Vec<Numbers>) -> Result<(), Error> {
        for request in requests {
            let Numbers::Integers(request) = request else { return Err(unreadable()) };
            let (count, request) = request.split_first().ok_or_else(unreadable)?;
            let (to_givers, to_others) =
                request.split_at_checked(*count as usize).ok_or_else(unreadable)?;
            self.to_givers.answer(to_givers, self.classes, &self.givers)?;
            self.to_others.answer(to_others, self.classes, &self.givers)?;
        }
        Ok(())
    }

    /// The part of what jumps give that pages get which give nothing, and all of it, in each ranking.
    pub(crate) fn jump_sums(&self) -> (Vec<f64>, Vec<f64>) {
        let (mut dangling, mut all) = (vec![0.0; V::LANES], vec![0.0; V::LANES]);
        let others = self.pages.len() - self.ranks.len();
        for lane in 0..V::LANES {
            let to = |inflow: &Inflow<V>| -> f64 {
                inflow.added.jumps().map(|(_, v)| v.lane(lane)).sum()
            };
            let everywhere = self.everywhere.lane(lane);
            dangling[lane] = everywhere * others as f64 + to(&self.to_others);
            all[lane] = dangling[lane] + everywhere * self.ranks.len() as f64 + to(&self.to_givers);
        }
        (dangling, all)
    }

    /// Starts where jumps lead to, with so much in sum in each ranking.
    pub(crate) fn start_at_jumps(&mut self, sums: &[f64]) {
        let scaled = |value: &V| {
            let mut scaled = V::ZERO;
            (0..V::LANES).for_each(|lane| scaled.set_lane(lane, value.lane(lane) * sums[lane]));
            scaled
        };
        self.ranks.fill(scaled(&self.everywhere));
        for (giver, value) in self.to_givers.added.jumps() {
            self.ranks[giver].add(&scaled(value));
        }
        (0..self.ranks.len()).for_each(|giver| self.share(giver));
    }

    /// Starts from ranks of all pages.
    pub(crate) fn start(&mut self, rank: impl Fn(usize, usize) -> f64) {
        for page in 0..self.pages.len() {
            let Some(giver) = self.givers.number(page) else { continue };
            for lane in 0..V::LANES {
                self.ranks[giver as usize].set_lane(lane, rank(page, lane));
            }
            self.share(giver as usize);
        }
    }

    /// Starts from where another run was.
    pub(crate) fn resume(&mut self, ranks: Vec<V>) -> bool {
        let fits = ranks.len() == self.ranks.len();
        if fits {
            self.ranks = ranks;
            (0..self.ranks.len()).for_each(|giver| self.share(giver));
        }
        fits
    }

    fn share(&mut self, giver: usize) {
        for class in 0..self.classes {
            let at = class * self.ranks.len() + giver;
            self.shares[at] = self.ranks[giver].scaled(self.factors[at]);
        }
    }

    /// One iteration over all givers: Equation 3.10 with the votes that came last.
    pub(crate) fn iterate(&mut self, method: Method) -> Tally {
        let Partition { to_givers, factors, own, growth, ranks, shares, everywhere, .. } = self;
        if method == Method::Jacobi {
            self.shares_before.clone_from(shares);
        }
        let givers = ranks.len();
        let mut tally = Tally { change: vec![0.0; V::LANES], total: vec![0.0; V::LANES] };
        let (mut change, mut total) = (V::ZERO, V::ZERO);
        let mut summed = 0;
        let mut added = to_givers.added.iter();
        for (group, row) in to_givers.rows.groups() {
            let first = group.start;
            let shares_read = match method {
                Method::Jacobi => &self.shares_before,
                Method::GaussSeidel => &*shares,
            };
            let mut sum = rows::sum(row, first, shares_read, givers);
            if method == Method::GaussSeidel && own[group.clone()].iter().any(|own| *own > 0) {
                // Where they link to each other, or a page to itself, Equation 3.7 would go around in circles. With
                // s what all get from their common sources, x = b + s for each, so s = rest + f·(b + s), summed over
                // those that are among the sources: solved at once.
                let mut growth = 0.0;
                let mut added = added.clone();
                for page in group.clone() {
                    let extra = added.at(page);
                    let Some(class) = own[page].checked_sub(1) else { continue };
                    let at = usize::from(class) * givers + page;
                    V::take(&mut sum, &shares[at]);
                    V::give(&mut sum, everywhere, factors[at]);
                    if let Some(value) = extra {
                        V::give(&mut sum, value, factors[at]);
                    }
                    growth += V::wide(factors[at]);
                }
                // Never more than α, but for rounding.
                V::grow(&mut sum, 1.0 / (1.0 - growth.min(self.alpha)));
            }
            for page in group {
                let mut rank = everywhere.with(&sum);
                if let Some(value) = added.at(page) {
                    rank.add(value);
                }
                if let Some(growth) = growth.get(page) {
                    rank = rank.scaled(*growth);
                }
                change.add_distance(&ranks[page], &rank);
                total.add(&rank);
                ranks[page] = rank;
                for class in 0..self.classes {
                    let at = class * givers + page;
                    shares[at] = rank.scaled(factors[at]);
                }
                summed += 1;
                if summed == BLOCK {
                    tally.add(&change, &total);
                    (change, total, summed) = (V::ZERO, V::ZERO, 0);
                }
            }
        }
        tally.add(&change, &total);
        tally
    }

    /// The votes for the givers of each partition.
    pub(crate) fn votes(&self) -> Vec<Numbers> {
        self.to_givers.votes(&self.shares, self.ranks.len())
    }

    /// Takes the votes of all partitions in.
    pub(crate) fn take(&mut self, votes: Vec<Message>) -> Result<(), Error> {
        self.to_givers.take(votes)
    }

    /// The votes for those pages of each partition that give nothing.
    pub(crate) fn last_votes(&self) -> Vec<Numbers> {
        self.to_others.votes(&self.shares, self.ranks.len())
    }

    /// The ranks of all pages, with the last votes of all partitions.
    pub(crate) fn finish(&mut self, votes: Vec<Message>) -> Result<Vec<V>, Error> {
        self.to_others.take(votes)?;
        let mut ranks = Vec::with_capacity(self.pages.len());
        let mut added = self.to_others.added.iter();
        let (mut others, mut sum) = (0, V::Sum::default());
        for page in 0..self.pages.len() {
            if let Some(giver) = self.givers.number(page) {
                ranks.push(self.ranks[giver as usize]);
                continue;
            }
            let row = self.to_others.rows.row(others);
            if !row.is_empty() {
                let place = self.givers.before(page) as usize;
                sum = rows::sum(row, place, &self.shares, self.ranks.len());
            }
            let mut rank = self.everywhere.with(&sum);
            if let Some(value) = added.at(others) {
                rank.add(value);
            }
            ranks.push(rank);
            others += 1;
        }
        Ok(ranks)
    }

    /// The sum of a function of all pages that give nothing, and of all pages.
    pub(crate) fn sums(&self, value: impl Fn(usize, usize) -> f64) -> (Vec<f64>, Vec<f64>) {
        let (mut dangling, mut all) = (vec![0.0; V::LANES], vec![0.0; V::LANES]);
        for page in 0..self.pages.len() {
            let is_dangling = self.givers.number(page).is_none();
            for lane in 0..V::LANES {
                let value = value(page, lane);
                all[lane] += value;
                dangling[lane] += if is_dangling { value } else { 0.0 };
            }
        }
        (dangling, all)
    }

    /// The ranks of the givers so far.
    pub(crate) fn ranks(&self) -> &[V] {
        &self.ranks
    }

    /// Which pages it has.
    pub(crate) fn pages(&self) -> Range<usize> {
        self.pages.clone()
    }

    /// What it has.
    pub(crate) fn counts(&self) -> Counts {
        self.counts
    }

    /// Bytes of memory.
    pub(crate) fn bytes(&self) -> u64 {
        let values = self.ranks.len() + self.shares.len() + self.shares_before.len();
        let numbers = (self.factors.len() + self.growth.len()) * size_of::<V::Number>();
        let arrays = values * size_of::<V>() + numbers + self.own.len();
        self.to_givers.bytes() + self.to_others.bytes() + self.givers.bytes() + arrays as u64
    }
}

impl Tally {
    fn add<V: Value>(&mut self, change: &V, total: &V) {
        for lane in 0..V::LANES {
            self.change[lane] += change.lane(lane);
            self.total[lane] += total.lane(lane);
        }
    }
}

/// By what the ranks of givers grow by links to themselves that are in no row; nothing if there are none.
fn growth<V: Value>(
    to_themselves: &[Local],
    factors: &[V::Number],
    givers: usize,
    alpha: f64,
) -> Vec<V::Number> {
    if to_themselves.is_empty() {
        return Vec::new();
    }
    let mut growth = vec![V::number(1.0); givers];
    for (giver, class) in to_themselves {
        let factor = V::wide(factors[usize::from(*class) * givers + *giver as usize]);
        // Never more than α, but for rounding.
        growth[*giver as usize] = V::number(1.0 / (1.0 - factor.min(alpha)));
    }
    growth
}

/// Jumps to single pages: which, in which ranking, how likely.
type Single = Vec<(u32, usize, f64)>;

/// What jumps give to every page in each ranking, and jumps to single pages: givers by their numbers, and others by
/// theirs.
fn jumps_of<V: Value>(
    jumps: &[Jump],
    all_pages: usize,
    pages: &Range<usize>,
    givers: &Givers,
) -> (V, [Single; 2]) {
    let mut everywhere = V::ZERO;
    let mut single = [Vec::new(), Vec::new()];
    for (lane, jump) in jumps.iter().enumerate() {
        let mut to = |page: usize, likely: f64| {
            if pages.contains(&page) {
                let page = page - pages.start;
                match givers.number(page) {
                    Some(giver) => single[0].push((giver, lane, likely)),
                    None => single[1].push((page as u32 - givers.before(page), lane, likely)),
                }
            }
        };
        match jump {
            Jump::Everywhere => everywhere.set_lane(lane, 1.0 / all_pages as f64),
            Jump::Set(set) => set.iter().for_each(|page| to(*page, 1.0 / set.len() as f64)),
            Jump::Weighted(set) => {
                let total: f64 = set.iter().map(|(_, weight)| weight).sum();
                set.iter().for_each(|(page, weight)| to(*page, weight / total));
            }
        }
    }
    (everywhere, single)
}
