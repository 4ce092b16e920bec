//! Graphs of addresses or other names.

use std::path::Path;

use webstrata_base::{Error, Progress};
use xxhash_rust::xxh3::xxh3_128;

use super::output::Output;
use super::rows::{self, Link, MOST_HOSTS, page_bits, source_bits};
use super::sort::{Merge, Sorted, Sorter, Text};
use super::{Added, GraphOptions, address, naming};
use crate::graph::{Choice, Graph, Page, Rules};

/// A page's key as 127 bits in two words; the lowest is free for the kind of a link.
type Hash = [u64; 2];

/// A page by its hash: the hash, the page's bits.
pub(super) type Known = [u64; 3];

/// A link by hashes: target, source, and whether it is boilerplate in the lowest bit.
type HashedLink = [u64; 4];

/// A link by its source's hash, and the target's bits with the kind below.
type HalfLink = [u64; 3];

/// Builds a graph of links between names.
pub struct NamedBuilder {
    output: Output,
    old: Option<Graph>,
    rules: Rules,
    memory: usize,
    names: Sorter<Text>,
    links: Sorter<HashedLink>,
    has_pages: bool,
    recent: Recent,
    /// The last source as it was written: the links of a page mostly come together.
    last: Option<(String, Hash)>,
    key: Vec<u8>,
}

impl NamedBuilder {
    /// A new graph, or more pages and links for the one that is there.
    ///
    /// # Errors
    ///
    /// If the folder has something else in it, or a graph that was built by other rules.
    pub fn new(folder: &Path, settings: &GraphOptions) -> Result<NamedBuilder, Error> {
        let (rules, memory) = (settings.rules, settings.memory);
        let (output, old) = super::begin(folder, settings, rules)?;
        let sort = output.sort_folder();
        Ok(NamedBuilder {
            old,
            rules,
            memory,
            names: Sorter::new(&sort, "names", memory / 4),
            links: Sorter::new(&sort, "hashes", memory / 4),
            has_pages: false,
            recent: Recent::new(memory / 16),
            last: None,
            key: Vec::new(),
            output,
        })
    }

    /// Adds a page that was seen, with links or without.
    ///
    /// # Errors
    ///
    /// If the disk is full.
    pub fn page(&mut self, name: &str) -> Result<Added, Error> {
        Ok(match self.source(name)? {
            Ok(_) => Added::Taken,
            Err(wrong) => wrong,
        })
    }

    /// Adds a link. The page that has it counts as seen, also where the link is left out.
    ///
    /// # Errors
    ///
    /// If the disk is full.
    pub fn link(
        &mut self,
        from: &str,
        to: &str,
        boilerplate: bool,
        nofollow: bool,
    ) -> Result<Added, Error> {
        let source = match self.source(from)? {
            Ok(source) => source,
            Err(wrong) => return Ok(wrong),
        };
        if !self.rules.links.takes(boilerplate) || (nofollow && self.rules.nofollow == Choice::Drop)
        {
            return Ok(Added::Dropped);
        }
        let target = match self.known(to, false)? {
            Ok(target) => target,
            Err(wrong) => return Ok(wrong),
        };
        if source == target && self.rules.self_links == Choice::Drop {
            return Ok(Added::SelfLink);
        }
        let [high, low] = source;
        self.links.push([target[0], target[1], high, low | u64::from(boilerplate)])?;
        Ok(Added::Taken)
    }

    /// Would it be a graph without a page?
    pub fn is_empty(&self) -> bool {
        !self.has_pages && self.old.as_ref().is_none_or(|old| old.about().pages == 0)
    }

    fn source(&mut self, name: &str) -> Result<Result<Hash, Added>, Error> {
        if let Some((last, hash)) = &self.last
            && last == name
        {
            return Ok(Ok(*hash));
        }
        let hash = self.known(name, true)?;
        self.last = hash.as_ref().ok().map(|hash| (name.to_owned(), *hash));
        Ok(hash)
    }

    /// The hash of a page, which is remembered.
    fn known(&mut self, name: &str, crawled: bool) -> Result<Result<Hash, Added>, Error> {
        if let Err(why) = address::write_key(self.rules.names, name, &mut self.key) {
            return Ok(Err(Added::Wrong(why)));
        }
        self.has_pages = true;
        let hash = hash(&self.key);
        if !self.recent.has(hash, crawled) {
            self.names.push(Text { text: self.key.clone(), mark: u8::from(crawled) })?;
        }
        Ok(Ok(hash))
    }

    /// Sorts what was added and writes the graph.
    ///
    /// # Errors
    ///
    /// If the disk is full; then the graph is as it was before.
    pub fn finish(self, progress: &dyn Progress) -> Result<Graph, Error> {
        let NamedBuilder { mut output, old, rules, memory, names, links, recent, .. } = self;
        drop(recent);
        progress.begin("steps of the build", 6);
        let numbered = number(&names.sort()?, old.as_ref(), rules, &output, memory / 4)?;
        progress.step();
        let known = numbered.known.sort()?;
        let halves = join_targets(&links.sort()?, &known, &output, memory / 4)?;
        progress.step();
        let links = join_sources(&halves.sort()?, &known, &output, memory / 4)?;
        drop(known);
        let links = links.sort()?;
        progress.step();
        let written = naming::write(&mut output, &numbered.new.sort()?, old.as_ref())?;
        progress.step();
        let counts = rows::write(&mut output, &written.starts, &links, old.as_ref())?;
        drop(links);
        progress.step();
        let sizes = (written.pages, written.hosts);
        rows::write_out_degrees(&mut output, sizes, counts, rules, memory)?;
        let about = output.about(sizes, counts, rules);
        let graph = output.finish(&about);
        progress.step();
        graph
    }
}

fn hash(key: &[u8]) -> Hash {
    let hash = xxh3_128(key);
    [(hash >> 64) as u64, hash as u64 & !1]
}

/// Pages that were added lately: most targets are, and need not be sorted again.
struct Recent {
    places: Vec<Hash>,
}

impl Recent {
    fn new(bytes: usize) -> Recent {
        let places = (bytes / size_of::<Hash>()).clamp(16, 1 << 22).next_power_of_two();
        Recent { places: vec![[0; 2]; places] }
    }

    /// Was it added lately, as a page that was seen if it is one now? From now on it was.
    fn has(&mut self, [high, low]: Hash, crawled: bool) -> bool {
        let place = high as usize & (self.places.len() - 1);
        let there = &mut self.places[place];
        let is_same = there[0] == high && there[1] & !1 == low;
        if is_same && (!crawled || there[1] & 1 == 1) {
            return true;
        }
        *there = [high, low | u64::from(crawled)];
        false
    }
}

/// Pages by hash, and the names of those that are new.
struct Numbered {
    known: Sorter<Known>,
    /// Host, local number and name; see [`naming::host_record`].
    new: Sorter<Text>,
}

/// Gives numbers to pages and hosts: known ones keep theirs, others come behind them in the order of their keys.
fn number(
    names: &Sorted<Text>,
    old: Option<&Graph>,
    rules: Rules,
    output: &Output,
    memory: usize,
) -> Result<Numbered, Error> {
    let sort = output.sort_folder();
    let mut numbered = Numbered {
        known: Sorter::new(&sort, "pages", memory),
        new: Sorter::new(&sort, "new", memory),
    };
    let mut hosts = Hosts::new(old);
    let mut sorted = names.read()?;
    let mut next = sorted.next()?.cloned();
    while let Some(name) = next {
        let mut crawled = name.mark;
        // The same name comes once for each mark.
        loop {
            next = sorted.next()?.cloned();
            match &next {
                Some(again) if again.text == name.text => crawled |= again.mark,
                _ => break,
            }
        }
        if crawled == 0 && rules.uncrawled == Choice::Drop {
            continue;
        }
        let page = hosts.number(&name.text, &mut numbered.new)?;
        let [high, low] = hash(&name.text);
        numbered.known.push([high, low, page_bits(page)])?;
    }
    Ok(numbered)
}

/// The hosts that there are so far, and the one that the last key was of.
struct Hosts<'a> {
    old: Option<&'a Graph>,
    count: u64,
    key: Option<Vec<u8>>,
    host: u32,
    is_old: bool,
    pages: u64,
}

impl<'a> Hosts<'a> {
    fn new(old: Option<&'a Graph>) -> Hosts<'a> {
        let count = old.map_or(0, |graph| graph.about().hosts);
        Hosts { old, count, key: None, host: 0, is_old: false, pages: 0 }
    }

    fn number(&mut self, key: &[u8], new: &mut Sorter<Text>) -> Result<Page, Error> {
        let (host_key, name) = address::split_key(key);
        if self.key.as_deref() != Some(host_key) {
            self.enter(host_key, new)?;
        }
        let old = self.old.filter(|_| self.is_old);
        if let Some(local) = old.and_then(|graph| graph.find_in_host(self.host as usize, name)) {
            return Ok(Page { host: self.host, local: local as u32 });
        }
        let local = u32::try_from(self.pages)
            .map_err(|_| Error::new("a host with more than 4,294,967,295 pages"))?;
        let page = Page { host: self.host, local };
        self.pages += 1;
        new.push(naming::page_record(page, name))?;
        Ok(page)
    }

    fn enter(&mut self, key: &[u8], new: &mut Sorter<Text>) -> Result<(), Error> {
        self.key = Some(key.to_owned());
        let known = self.old.and_then(|graph| Some((graph, graph.find_host_key(key)?)));
        self.is_old = known.is_some();
        if let Some((graph, host)) = known {
            (self.host, self.pages) = (host as u32, graph.size_of_host(host) as u64);
            return Ok(());
        }
        if self.count >= MOST_HOSTS {
            return Err(Error::new(format!("more than {MOST_HOSTS} hosts")));
        }
        (self.host, self.pages) = (self.count as u32, 0);
        self.count += 1;
        new.push(naming::host_record(self.host, key))
    }
}

/// Finds the targets of links by their hashes. Links to pages that are left out are left out.
fn join_targets(
    links: &Sorted<HashedLink>,
    known: &Sorted<Known>,
    output: &Output,
    memory: usize,
) -> Result<Sorter<HalfLink>, Error> {
    let mut halves = Sorter::new(&output.sort_folder(), "halves", memory);
    let (mut links, mut known) = (links.read()?, Lookup::new(known)?);
    while let Some(&[high, low, source_high, source_low]) = links.next()? {
        if let Some(target) = known.page([high, low])? {
            let boilerplate = source_low & 1 != 0;
            halves.push([source_high, source_low & !1, source_bits(target, boilerplate)])?;
        }
    }
    Ok(halves)
}

/// Finds the sources of links by their hashes.
fn join_sources(
    halves: &Sorted<HalfLink>,
    known: &Sorted<Known>,
    output: &Output,
    memory: usize,
) -> Result<Sorter<Link>, Error> {
    let mut links = Sorter::new(&output.sort_folder(), "links", memory);
    let (mut halves, mut known) = (halves.read()?, Lookup::new(known)?);
    while let Some(&[high, low, target]) = halves.next()? {
        if let Some(source) = known.page([high, low])? {
            links.push([target >> 1, source_bits(source, target & 1 != 0)])?;
        }
    }
    Ok(links)
}

/// Pages by ascending hashes.
struct Lookup<'a> {
    known: Merge<'a, Known>,
    at: Option<Known>,
}

impl<'a> Lookup<'a> {
    fn new(known: &'a Sorted<Known>) -> Result<Lookup<'a>, Error> {
        let mut known = known.read()?;
        let at = known.next()?.copied();
        Ok(Lookup { known, at })
    }

    /// The page with this hash, which is no lower than the last one asked for.
    fn page(&mut self, hash: Hash) -> Result<Option<u64>, Error> {
        while let Some([high, low, page]) = self.at {
            if [high, low] == hash {
                return Ok(Some(page));
            }
            if [high, low] > hash {
                break;
            }
            self.at = self.known.next()?.copied();
        }
        Ok(None)
    }
}
