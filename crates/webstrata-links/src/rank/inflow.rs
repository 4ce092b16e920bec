//! What flows to some pages of a partition: by links inside of it, by jumps, and by votes of other partitions.

use webstrata_base::Error;

use super::exchange::{Message, Numbers};
use super::givers::Givers;
use super::rows::{self, Local, Rows};
use super::values::Value;

/// The inflow of those pages of a partition that give rank away, or of those that do not.
pub(crate) struct Inflow<V> {
    /// The links inside of the partition.
    pub(crate) rows: Rows,
    pub(crate) added: Added<V>,
    /// The links to such pages of each other partition, a row for each page that it has asked for.
    asked: Vec<Rows>,
}

impl<V: Value> Inflow<V> {
    /// By links of the partition, by jumps (page, ranking, how likely) and by votes for the targets that each other
    /// partition was asked for.
    pub(crate) fn new(
        rows: Rows,
        jumps: &[(u32, usize, f64)],
        targets: Vec<Vec<u32>>,
    ) -> Inflow<V> {
        Inflow { rows, added: Added::new(jumps, targets), asked: Vec::new() }
    }

    /// Learns which pages another partition asks votes for.
    pub(crate) fn answer(
        &mut self,
        request: &[u32],
        classes: usize,
        givers: &Givers,
    ) -> Result<(), Error> {
        let rows = read_request(request, classes, givers).ok_or_else(unreadable)?;
        self.asked.push(rows);
        Ok(())
    }

    /// The votes for the pages of each partition: one value for each page (Equation 3.11).
    pub(crate) fn votes(&self, shares: &[V], stride: usize) -> Vec<Numbers> {
        let votes_of = |asked: &Rows| {
            let mut votes = Vec::with_capacity(asked.len());
            for (group, row) in asked.groups() {
                let vote = V::ZERO.with(&rows::sum::<V>(row, 0, shares, stride));
                votes.extend(group.map(|_| vote));
            }
            V::pack(&votes)
        };
        self.asked.iter().map(votes_of).collect()
    }

    /// Takes the votes of all partitions in.
    pub(crate) fn take(&mut self, votes: Vec<Message>) -> Result<(), Error> {
        let added = &mut self.added;
        added.all.clone_from(&added.jumps);
        for (slots, message) in added.votes.iter().zip(votes) {
            let votes = V::unpack(message.numbers).filter(|votes| votes.len() == slots.len());
            for (slot, vote) in slots.iter().zip(votes.ok_or_else(unreadable)?) {
                added.all[*slot as usize].add(&vote);
            }
        }
        Ok(())
    }

    /// Bytes of memory.
    pub(crate) fn bytes(&self) -> u64 {
        let slots: usize = self.added.votes.iter().map(Vec::len).sum();
        let added = self.added.pages.len() * (4 + 2 * size_of::<V>());
        let rows = self.asked.iter().chain([&self.rows]);
        rows.map(Rows::bytes).sum::<u64>() + (slots * 4 + added) as u64
    }
}

/// What some pages get beside the links of their partition.
pub(crate) struct Added<V> {
    pages: Vec<u32>,
    jumps: Vec<V>,
    all: Vec<V>,
    /// Where the votes of each partition belong.
    votes: Vec<Vec<u32>>,
}

impl<V: Value> Added<V> {
    fn new(jumps: &[(u32, usize, f64)], targets: Vec<Vec<u32>>) -> Added<V> {
        let mut pages: Vec<u32> = targets.iter().flatten().copied().collect();
        pages.extend(jumps.iter().map(|(page, ..)| *page));
        pages.sort_unstable();
        pages.dedup();
        let place = |page: &u32| pages.partition_point(|other| other < page);
        let mut votes = targets;
        votes.iter_mut().flatten().for_each(|target| *target = place(target) as u32);
        let mut given = vec![V::ZERO; pages.len()];
        for (page, lane, likely) in jumps {
            let value = &mut given[place(page)];
            value.set_lane(*lane, value.lane(*lane) + likely);
        }
        Added { all: given.clone(), jumps: given, votes, pages }
    }

    /// Which pages jumps lead to, and how likely.
    pub(crate) fn jumps(&self) -> impl Iterator<Item = (usize, &V)> {
        self.pages.iter().map(|page| *page as usize).zip(&self.jumps)
    }

    pub(crate) fn iter(&self) -> AddedIter<'_, V> {
        AddedIter { pages: &self.pages, values: &self.all, next: first(&self.pages) }
    }
}

/// Goes over what is added, in step with the pages.
#[derive(Clone)]
pub(crate) struct AddedIter<'a, V> {
    pages: &'a [u32],
    values: &'a [V],
    /// The next page that something is added to; beyond all pages if there is none.
    next: usize,
}

impl<'a, V> AddedIter<'a, V> {
    /// What is added to a page. Ask for every page, ascending.
    #[inline]
    pub(crate) fn at(&mut self, page: usize) -> Option<&'a V> {
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

/// A request has for each page how many sources of each class it has in the partition, and then the sources.
fn read_request(request: &[u32], classes: usize, givers: &Givers) -> Option<Rows> {
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
            for page in of_class {
                if *page as usize >= givers.pages() {
                    return None;
                }
                // Who has links but none with a weight gives nothing.
                sources.extend(givers.number(*page as usize).map(|giver| (giver, class as u8)));
            }
        }
        if !rows.push(0, &sources) {
            return None;
        }
    }
    rows.finish();
    Some(rows)
}

pub(crate) fn unreadable() -> Error {
    Error::new(
        "a partition has sent votes that were not asked for: do all have the same graph and options?",
    )
}
