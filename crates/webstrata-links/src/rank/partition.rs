//! A range of pages that is ranked by one processor (3.2.2).
//!
//! All links inside of the range are read in place. What other partitions contribute comes as votes, one number
//! for each target page and partition (Equation 3.11); which pages these are was said once, before the first
//! iteration.

use std::ops::Range;

use webstrata_report::Error;

use super::exchange::{Message, Numbers};
use super::plan::Plan;
use super::rows::{self, Local, Rows};
use super::surfer::{Classes, Surfer};
use super::values::Value;
use super::{Jump, Method};
use crate::links::{InLinks, Source};

/// Pages whose changes are summed in the precision of ranks, before they go into the sums of 64 bits.
const BLOCK: usize = 256;

/// A partition: its pages, the links into them, their ranks so far.
pub(crate) struct Partition<V: Value> {
    pages: Range<usize>,
    rows: Rows,
    classes: usize,
    /// What a link carries of its page's rank; all of class 0, then all of class 1.
    factors: Vec<V::Number>,
    /// For a page that is among its own sources, 1 and the class of that link; else 0.
    own: Vec<u8>,
    ranks: Vec<V>,
    /// Rank times factor: what a link carries. In the order of the factors.
    shares: Vec<V>,
    /// The shares before the iteration, for Jacobi's method.
    shares_before: Vec<V>,
    /// What jumps give to every page.
    everywhere: V,
    added: Added<V>,
    /// The links to pages of each other partition, a row for each page that it has asked for.
    asked: Vec<Rows>,
    external_links: u64,
}

/// What some pages get beside the links of their partition: jumps to these pages only, and votes.
struct Added<V> {
    pages: Vec<u32>,
    jumps: Vec<V>,
    all: Vec<V>,
    /// Where the votes of each partition belong.
    votes: Vec<Vec<u32>>,
}

impl<V> Added<V> {
    fn iter(&self) -> AddedIter<'_, V> {
        AddedIter { pages: &self.pages, values: &self.all, next: first(&self.pages) }
    }
}

/// Goes over what is added, in step with the pages.
#[derive(Clone)]
struct AddedIter<'a, V> {
    pages: &'a [u32],
    values: &'a [V],
    /// The next page that something is added to; beyond all pages if there is none.
    next: usize,
}

impl<'a, V> AddedIter<'a, V> {
    /// What is added to a page. Ask for every page, ascending.
    #[inline]
    fn at(&mut self, page: usize) -> Option<&'a V> {
        if page != self.next {
            return None;
        }
        let (value, rest) = self.values.split_first()?;
        self.values = rest;
        self.pages = &self.pages[1..];
        self.next = first(self.pages);
        Some(value)
    }
}

#[inline]
fn first(pages: &[u32]) -> usize {
    pages.first().map_or(usize::MAX, |page| *page as usize)
}

/// What an iteration has done to the pages of a partition, in each ranking.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) change: Vec<f64>,
    pub(crate) total: Vec<f64>,
}

impl<V: Value> Partition<V> {
    /// Reads a partition's links, and says what it must ask of each partition.
    pub(crate) fn read(
        graph: &dyn InLinks,
        plan: &Plan,
        index: usize,
        surfer: &Surfer,
        jumps: &[Jump],
    ) -> Result<(Partition<V>, Vec<Vec<u32>>), Error> {
        let pages = plan.pages(index);
        let count = pages.len();
        if u32::try_from(count).is_err() {
            return Err(Error::new(format!(
                "a partition of {count} pages is too large, more partitions are needed"
            )));
        }
        let classes = surfer.classes();
        let mut factors = vec![V::number(0.0); count * classes.count];
        let mut external_links = 0;
        for page in 0..count {
            let degrees = graph.out_degrees(pages.start + page);
            external_links += u64::from(degrees[1]) + u64::from(degrees[3]);
            let shares = surfer.shares(&classes, degrees);
            for class in 0..classes.count {
                factors[class * count + page] = V::number(shares[class]);
            }
        }
        let links = Links::read(graph, plan, index, &classes)?;
        let (everywhere, added) = added(jumps, graph.pages(), &pages, links.targets);
        let partition = Partition {
            rows: links.rows,
            classes: classes.count,
            factors,
            own: links.own,
            ranks: vec![V::ZERO; count],
            shares: vec![V::ZERO; count * classes.count],
            shares_before: Vec::new(),
            everywhere,
            added,
            asked: Vec::new(),
            external_links,
            pages,
        };
        Ok((partition, links.requests))
    }

    /// Learns which pages the others ask votes for.
    pub(crate) fn answer(&mut self, requests: Vec<Numbers>) -> Result<(), Error> {
        for request in requests {
            let Numbers::Integers(request) = request else { return Err(unreadable()) };
            let rows = read_request(&request, self.classes, self.pages.len());
            self.asked.push(rows.ok_or_else(unreadable)?);
        }
        Ok(())
    }

    /// Starts from ranks.
    pub(crate) fn start(&mut self, rank: impl Fn(usize, usize) -> f64) {
        for page in 0..self.ranks.len() {
            for lane in 0..V::LANES {
                self.ranks[page].set_lane(lane, rank(page, lane));
            }
            self.share(page);
        }
    }

    /// Starts from where another run was.
    pub(crate) fn resume(&mut self, ranks: Vec<V>) -> bool {
        let fits = ranks.len() == self.ranks.len();
        if fits {
            self.ranks = ranks;
            (0..self.ranks.len()).for_each(|page| self.share(page));
        }
        fits
    }

    #[inline]
    fn share(&mut self, page: usize) {
        let rank = self.ranks[page];
        for class in 0..self.classes {
            let at = class * self.ranks.len() + page;
            self.shares[at] = rank.scaled(self.factors[at]);
        }
    }

    /// One iteration over all pages: Equation 3.10 with the votes that came last.
    pub(crate) fn iterate(&mut self, method: Method) -> Tally {
        let Partition { rows, factors, own, ranks, shares, added, everywhere, .. } = self;
        if method == Method::Jacobi {
            self.shares_before.clone_from(shares);
        }
        let pages = ranks.len();
        let mut tally = Tally { change: vec![0.0; V::LANES], total: vec![0.0; V::LANES] };
        let (mut change, mut total) = (V::ZERO, V::ZERO);
        let mut summed = 0;
        let mut added = added.iter();
        for (group, row) in rows.groups() {
            let first = group.start;
            let shares_read = match method {
                Method::Jacobi => &self.shares_before,
                Method::GaussSeidel => &*shares,
            };
            let mut sum = rows::sum(row, first, shares_read, pages);
            if method == Method::GaussSeidel && own[group.clone()].iter().any(|own| *own > 0) {
                // Where they link to each other, or a page to itself, Equation 3.7 would go around in circles. With
                // s what all get from their common sources, x = b + s for each, so s = rest + f·(b + s), summed over
                // those that are among the sources: solved at once.
                let mut growth = 0.0;
                let mut added = added.clone();
                for page in group.clone() {
                    let extra = added.at(page);
                    let Some(class) = own[page].checked_sub(1) else { continue };
                    let at = usize::from(class) * pages + page;
                    V::take(&mut sum, &shares[at]);
                    V::give(&mut sum, everywhere, factors[at]);
                    if let Some(value) = extra {
                        V::give(&mut sum, value, factors[at]);
                    }
                    growth += V::wide(factors[at]);
                }
                V::grow(&mut sum, 1.0 / (1.0 - growth));
            }
            for page in group {
                let mut rank = everywhere.with(&sum);
                if let Some(value) = added.at(page) {
                    rank.add(value);
                }
                change.add_distance(&ranks[page], &rank);
                total.add(&rank);
                ranks[page] = rank;
                for class in 0..self.classes {
                    let at = class * pages + page;
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

    /// The votes for the pages of each partition.
    pub(crate) fn votes(&self) -> Vec<Numbers> {
        let pages = self.ranks.len();
        let mut all = Vec::with_capacity(self.asked.len());
        for asked in &self.asked {
            let mut sum = V::Sum::default();
            let votes: Vec<V> = (0..asked.len())
                .map(|row| {
                    let row = asked.row(row);
                    if !row.is_empty() {
                        sum = rows::sum(row, 0, &self.shares, pages);
                    }
                    V::ZERO.with(&sum)
                })
                .collect();
            all.push(V::pack(&votes));
        }
        all
    }

    /// Takes the votes of all partitions in.
    pub(crate) fn take(&mut self, votes: Vec<Message>) -> Result<(), Error> {
        self.added.all.clone_from(&self.added.jumps);
        for (slots, message) in self.added.votes.iter().zip(votes) {
            let votes = V::unpack(message.numbers).filter(|votes| votes.len() == slots.len());
            for (slot, vote) in slots.iter().zip(votes.ok_or_else(unreadable)?) {
                self.added.all[*slot as usize].add(&vote);
            }
        }
        Ok(())
    }

    /// The sum of a function of all pages that have no links, and of all pages.
    pub(crate) fn sums(&self, value: impl Fn(usize, usize) -> f64) -> (Vec<f64>, Vec<f64>) {
        let pages = self.ranks.len();
        let (mut dangling, mut all) = (vec![0.0; V::LANES], vec![0.0; V::LANES]);
        for page in 0..pages {
            let none = V::number(0.0);
            let is_dangling =
                (0..self.classes).all(|class| self.factors[class * pages + page] == none);
            for lane in 0..V::LANES {
                let value = value(page, lane);
                all[lane] += value;
                dangling[lane] += if is_dangling { value } else { 0.0 };
            }
        }
        (dangling, all)
    }

    /// The ranks so far.
    pub(crate) fn ranks(&self) -> &[V] {
        &self.ranks
    }

    /// Which pages it has.
    pub(crate) fn pages(&self) -> Range<usize> {
        self.pages.clone()
    }

    /// Links inside of the partition, links to other partitions, votes that stand for these, and links to other hosts.
    pub(crate) fn counts(&self) -> [u64; 4] {
        let links: u64 = self.asked.iter().map(Rows::links).sum();
        let votes: usize = self.asked.iter().map(Rows::len).sum();
        [self.rows.links(), links, votes as u64, self.external_links]
    }

    /// Bytes of memory.
    pub(crate) fn bytes(&self) -> u64 {
        let value = size_of::<V>() as u64;
        let votes: u64 = self.asked.iter().map(Rows::bytes).sum();
        let slots: usize = self.added.votes.iter().map(Vec::len).sum();
        self.rows.bytes()
            + self.own.len() as u64
            + votes
            + slots as u64 * 4
            + self.added.pages.len() as u64 * (4 + 2 * value)
            + (self.factors.len() * size_of::<V::Number>()) as u64
            + (self.ranks.len() + self.shares.len() + self.shares_before.len()) as u64 * value
    }
}

/// What jumps give to every page, and what some pages get beside that, in every ranking.
fn added<V: Value>(
    jumps: &[Jump],
    all_pages: usize,
    pages: &Range<usize>,
    targets: Vec<Vec<u32>>,
) -> (V, Added<V>) {
    let mut everywhere = V::ZERO;
    let mut single: Vec<(u32, usize, f64)> = Vec::new();
    for (lane, jump) in jumps.iter().enumerate() {
        let mut to = |page: usize, likely: f64| {
            if pages.contains(&page) {
                single.push(((page - pages.start) as u32, lane, likely));
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
    let mut added_to: Vec<u32> = targets.iter().flatten().copied().collect();
    added_to.extend(single.iter().map(|(page, ..)| *page));
    added_to.sort_unstable();
    added_to.dedup();
    let place = |page: &u32| added_to.partition_point(|other| other < page);
    let mut votes = targets;
    votes.iter_mut().flatten().for_each(|target| *target = place(target) as u32);
    let mut given = vec![V::ZERO; added_to.len()];
    for (page, lane, likely) in single {
        let value = &mut given[place(&page)];
        value.set_lane(lane, value.lane(lane) + likely);
    }
    (everywhere, Added { all: given.clone(), jumps: given, votes, pages: added_to })
}

impl Tally {
    fn add<V: Value>(&mut self, change: &V, total: &V) {
        for lane in 0..V::LANES {
            self.change[lane] += change.lane(lane);
            self.total[lane] += total.lane(lane);
        }
    }
}

/// The links of a partition's pages, sorted by who knows the ranks of their sources.
struct Links {
    rows: Rows,
    /// For pages that are among their own sources, 1 and the class of that link.
    own: Vec<u8>,
    /// The pages that each partition must send votes for.
    targets: Vec<Vec<u32>>,
    /// For each of these: how many sources in each class, then the sources.
    requests: Vec<Vec<u32>>,
}

impl Links {
    fn read(
        graph: &dyn InLinks,
        plan: &Plan,
        index: usize,
        classes: &Classes,
    ) -> Result<Links, Error> {
        let pages = plan.pages(index);
        let mut links = Links {
            rows: Rows::with_capacity(pages.len()),
            own: Vec::with_capacity(pages.len()),
            targets: vec![Vec::new(); plan.partitions()],
            requests: vec![Vec::new(); plan.partitions()],
        };
        let mut sorted: Vec<Source> = Vec::new();
        let mut inside: Vec<Local> = Vec::new();
        let mut outside: Vec<Vec<Local>> = vec![Vec::new(); plan.partitions()];
        let mut fits = true;
        graph.read(pages.clone(), &mut |target, sources| {
            let target = (target - pages.start) as u32;
            let mut sources = sources;
            if classes.count > 1 {
                sorted.clear();
                sorted.extend_from_slice(sources);
                sorted
                    .sort_unstable_by_key(|source| (classes.of[source.stratum().index()], *source));
                sources = &sorted;
            }
            inside.clear();
            let class = |source: &Source| classes.of[source.stratum().index()];
            for source in sources.iter().filter(|source| pages.contains(&source.page())) {
                inside.push(((source.page() - pages.start) as u32, class(source)));
            }
            let own = inside.iter().find(|(source, _)| *source == target);
            links.own.push(own.map_or(0, |(_, class)| class + 1));
            fits &= links.rows.push(target, &inside);
            if inside.len() < sources.len() {
                for source in sources.iter().filter(|source| !pages.contains(&source.page())) {
                    let owner = plan.owner(source.page());
                    let local = source.page() - plan.pages(owner).start;
                    outside[owner].push((local as u32, class(source)));
                }
                links.ask(target, &mut outside, classes.count);
            }
        });
        links.rows.finish();
        if fits { Ok(links) } else { Err(too_many()) }
    }

    /// Asks the partitions that have other sources of a page for their votes.
    fn ask(&mut self, target: u32, sources: &mut [Vec<Local>], classes: usize) {
        for (owner, sources) in sources.iter_mut().enumerate().filter(|(_, s)| !s.is_empty()) {
            self.targets[owner].push(target);
            let of = |class| sources.iter().filter(|(_, of)| usize::from(*of) == class).count();
            self.requests[owner].extend((0..classes).map(|class| of(class) as u32));
            self.requests[owner].extend(sources.drain(..).map(|(source, _)| source));
        }
    }
}

fn read_request(request: &[u32], classes: usize, pages: usize) -> Option<Rows> {
    let mut rows = Rows::default();
    let mut sources: Vec<Local> = Vec::new();
    let mut rest = request;
    while !rest.is_empty() {
        let (counts, after) = rest.split_at_checked(classes)?;
        rest = after;
        sources.clear();
        for (class, count) in counts.iter().enumerate() {
            let (of_class, after) = rest.split_at_checked(*count as usize)?;
            rest = after;
            sources.extend(of_class.iter().map(|source| (*source, class as u8)));
        }
        let known = sources.iter().all(|(source, _)| (*source as usize) < pages);
        if !known || !rows.push(0, &sources) {
            return None;
        }
    }
    rows.finish();
    Some(rows)
}

fn unreadable() -> Error {
    Error::new(
        "a partition has sent what nobody asked for: do all have the same graph and options?",
    )
}

fn too_many() -> Error {
    Error::new("a partition has too many links, more partitions are needed")
}
