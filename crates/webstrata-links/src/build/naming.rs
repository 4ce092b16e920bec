//! Writes the names of hosts and pages, and their order.

use webstrata_base::Error;

use super::output::Output;
use super::sort::{Merge, Sorted, Text};
use crate::graph::files::Writer;
use crate::graph::map::Mapped;
use crate::graph::names::{HOSTS, NameFiles, Names, PAGES};
use crate::graph::rows::STARTS;
use crate::graph::{Graph, LinkCounts, Page, Rules};

/// Bytes before the name in a record: host, kind, local number; most significant first, so that they sort.
const HEAD: usize = 9;

/// A new host's name. Comes before its pages.
pub(super) fn host_record(host: u32, key: &[u8]) -> Text {
    record(host, 0, 0, key)
}

/// A new page's name.
pub(super) fn page_record(page: Page, name: &[u8]) -> Text {
    record(page.host, 1, page.local, name)
}

fn record(host: u32, kind: u8, local: u32, name: &[u8]) -> Text {
    let mut text = Vec::with_capacity(HEAD + name.len());
    text.extend_from_slice(&host.to_be_bytes());
    text.push(kind);
    text.extend_from_slice(&local.to_be_bytes());
    text.extend_from_slice(name);
    Text { text, mark: 0 }
}

/// The host of a record, whether it is the host's name, and the name.
fn parts(record: &Text) -> (u32, bool, &[u8]) {
    let host = record.text.first_chunk().map_or(0, |bytes| u32::from_be_bytes(*bytes));
    (host, record.text.get(4) == Some(&0), record.text.get(HEAD..).unwrap_or_default())
}

/// What was written.
pub(super) struct Written {
    pub(super) pages: u64,
    pub(super) hosts: u64,
    pub(super) starts: Mapped<usize>,
}

/// Writes the hosts with all their pages, those that are there first.
pub(super) fn write(
    output: &mut Output,
    new: &Sorted<Text>,
    old: Option<&Graph>,
) -> Result<Written, Error> {
    let mut hosts = List::new(output, &HOSTS)?;
    let mut pages = List::new(output, &PAGES)?;
    let mut starts = output.files().create::<u64>(STARTS)?;
    let mut records = Records::new(new.read()?)?;
    let old_hosts = old.map_or(0, |graph| graph.about().hosts);
    let mut host: u64 = 0;
    while host < old_hosts || records.next.is_some() {
        starts.one(pages.count)?;
        let known = old.filter(|_| host < old_hosts);
        if let Some((graph, hosts_before, pages_before)) =
            known.and_then(|graph| Some((graph, graph.host_names()?, graph.page_names()?)))
        {
            hosts.push(hosts_before.get(host as usize))?;
            for position in graph.positions_of_host(host as usize) {
                pages.push(pages_before.get(position))?;
            }
        }
        while let Some((is_name, name)) = records.of_host(host) {
            let list = if is_name { &mut hosts } else { &mut pages };
            list.push(name)?;
            records.advance()?;
        }
        host += 1;
    }
    starts.one(pages.count)?;
    let kept = output.keep(starts)?;
    let starts: Mapped<usize> = output.files().map_kept(STARTS, kept)?;
    let page_count = pages.count;
    hosts.finish(output)?;
    pages.finish(output)?;
    write_orders(output, &starts, old)?;
    Ok(Written { pages: page_count, hosts: host, starts })
}

struct Records<'a> {
    merge: Merge<'a, Text>,
    next: Option<Text>,
}

impl<'a> Records<'a> {
    fn new(merge: Merge<'a, Text>) -> Result<Records<'a>, Error> {
        let mut records = Records { merge, next: None };
        records.advance()?;
        Ok(records)
    }

    /// The next record, if it is of this host: is it the host's name, and the name.
    fn of_host(&self, host: u64) -> Option<(bool, &[u8])> {
        let (of, is_name, name) = self.next.as_ref().map(parts)?;
        (u64::from(of) == host).then_some((is_name, name))
    }

    fn advance(&mut self) -> Result<(), Error> {
        // Into the same memory.
        match (self.merge.next()?, &mut self.next) {
            (Some(record), Some(next)) => next.clone_from(record),
            (record, next) => *next = record.cloned(),
        }
        Ok(())
    }
}

/// A list of names that is being written.
struct List {
    text: Writer,
    ends: Writer,
    count: u64,
}

impl List {
    fn new(output: &Output, names: &NameFiles) -> Result<List, Error> {
        let text = output.files().create::<u8>(names.text)?;
        Ok(List { text, ends: output.files().create::<u64>(names.ends)?, count: 0 })
    }

    fn push(&mut self, name: &[u8]) -> Result<(), Error> {
        self.text.all(name)?;
        self.ends.one(self.text.written())?;
        self.count += 1;
        Ok(())
    }

    fn finish(self, output: &mut Output) -> Result<(), Error> {
        output.keep(self.text)?;
        output.keep(self.ends)?;
        Ok(())
    }
}

/// In the first batch, numbers are in the order of names. Later the order is written down: that of the old names,
/// merged with that of the new ones.
fn write_orders(output: &mut Output, starts: &[usize], old: Option<&Graph>) -> Result<(), Error> {
    let Some(old) = old else { return Ok(()) };
    let about = output.about((0, 0), LinkCounts::default(), Rules::default());
    let missing = || Error::new("names that were just written are not there");
    let open = |files: &NameFiles| Names::open(output.files(), &about, files)?.ok_or_else(missing);
    let (hosts, pages) = (open(&HOSTS)?, open(&PAGES)?);

    let mut order = output.files().create::<u32>(HOSTS.order)?;
    let before = old.host_names().map(|names| (names, 0..names.len()));
    merge_order(&mut order, before, &hosts, 0..hosts.len())?;
    output.keep(order)?;

    let mut order = output.files().create::<u32>(PAGES.order)?;
    for (host, range) in starts.windows(2).enumerate() {
        let before = old.page_names().map(|names| (names, old.positions_of_host(host)));
        merge_order(&mut order, before, &pages, range[0]..range[1])?;
    }
    output.keep(order)?;
    Ok(())
}

fn merge_order(
    order: &mut Writer,
    before: Option<(&Names, std::ops::Range<usize>)>,
    names: &Names,
    range: std::ops::Range<usize>,
) -> Result<(), Error> {
    let old_count = before.as_ref().map_or(0, |(_, range)| range.len());
    let name = |number: usize| names.get(range.start + number);
    let mut new = old_count..range.len();
    if let Some((old_names, old_range)) = before {
        for place in 0..old_count {
            let number = old_names.ordered(&old_range, place);
            while !new.is_empty() && name(new.start) < name(number) {
                order.one(new.start as u32)?;
                new.start += 1;
            }
            order.one(number as u32)?;
        }
    }
    for number in new {
        order.one(number as u32)?;
    }
    Ok(())
}
