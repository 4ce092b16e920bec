//! Writes the rows of a graph: sorted links, merged with those that are there.
//!
//! A page is a number of 64 bits here, its host above its local number. A source has a bit more below: set for
//! links outside of content. So links sort by target, then by source, and of two that differ in the bit only, content
//! comes first and stays.

use webstrata_base::Error;

use super::output::Output;
use super::sort::{Merge, Sorted};
use crate::graph::files::Writer;
use crate::graph::map::Mapped;
use crate::graph::rows::{ACROSS, IN_DEGREES, INSIDE, MARK_EVERY, MARKS, OUT_DEGREES, Row, Rows};
use crate::graph::{Graph, LinkCounts, Page, Rules};
use crate::links::Stratum;

/// Hosts that a graph can have: a source has its host in 31 bits.
pub(crate) const MOST_HOSTS: u64 = 1 << 31;

/// A link: target, source.
pub(crate) type Link = [u64; 2];

pub(crate) fn page_bits(page: Page) -> u64 {
    u64::from(page.host) << 32 | u64::from(page.local)
}

fn bits_page(bits: u64) -> Page {
    Page { host: (bits >> 32) as u32, local: bits as u32 }
}

/// A link's source, from the bits of its page.
pub(crate) fn source_bits(page: u64, boilerplate: bool) -> u64 {
    page << 1 | u64::from(boilerplate)
}

/// Writes in-links and out-degrees; the hosts have been written.
pub(crate) fn write(
    output: &mut Output,
    starts: &Mapped<usize>,
    links: &Sorted<Link>,
    old: Option<&Graph>,
) -> Result<LinkCounts, Error> {
    let mut writer = RowsWriter::new(output, starts)?;
    let mut merged = Merged::new(links.read()?, old)?;
    let mut last = None;
    while let Some([to, from]) = merged.next()? {
        if last != Some((to, from >> 1)) {
            last = Some((to, from >> 1));
            writer.link(bits_page(to), bits_page(from >> 1), from & 1 != 0)?;
        }
    }
    writer.finish(output)
}

/// New and old links in one order.
struct Merged<'a> {
    new: Merge<'a, Link>,
    next_new: Option<Link>,
    old: Option<OldLinks<'a>>,
}

impl<'a> Merged<'a> {
    fn new(mut new: Merge<'a, Link>, old: Option<&'a Graph>) -> Result<Merged<'a>, Error> {
        let next_new = new.next()?.copied();
        Ok(Merged { new, next_new, old: old.map(OldLinks::new) })
    }

    fn next(&mut self) -> Result<Option<Link>, Error> {
        if let Some(old) = &mut self.old
            && let Some(next_old) = old.peek()
            && self.next_new.is_none_or(|next_new| next_old <= next_new)
        {
            old.waiting.pop();
            return Ok(Some(next_old));
        }
        let next = self.next_new;
        self.next_new = self.new.next()?.copied();
        Ok(next)
    }
}

/// The links of a graph, in order, some rows at a time.
struct OldLinks<'a> {
    graph: &'a Graph,
    page: usize,
    /// The next links, last first.
    waiting: Vec<Link>,
}

impl<'a> OldLinks<'a> {
    fn new(graph: &'a Graph) -> OldLinks<'a> {
        OldLinks { graph, page: 0, waiting: Vec::new() }
    }

    fn peek(&mut self) -> Option<Link> {
        let pages = self.graph.about().pages as usize;
        while self.waiting.is_empty() && self.page < pages {
            let end = (self.page + MARK_EVERY).min(pages);
            let starts = self.graph.rows().starts();
            let waiting = &mut self.waiting;
            self.graph.rows().read(self.page..end, |position, host, row| {
                let local = (position - starts[host]) as u32;
                old_row(Page { host: host as u32, local }, &row, waiting);
            });
            // Up to four ascending parts a row.
            waiting.sort();
            waiting.reverse();
            self.page = end;
        }
        self.waiting.last().copied()
    }
}

fn old_row(target: Page, row: &Row<'_>, links: &mut Vec<Link>) {
    let to = page_bits(target);
    for (boilerplate, part) in [false, true].into_iter().zip(row.inside) {
        links.extend(part.iter().map(|local| {
            let from = page_bits(Page { host: target.host, local: *local });
            [to, source_bits(from, boilerplate)]
        }));
    }
    for (boilerplate, part) in [false, true].into_iter().zip(row.across) {
        links.extend(part.iter().map(|[host, local]| {
            [to, source_bits(page_bits(Page { host: *host, local: *local }), boilerplate)]
        }));
    }
}

struct RowsWriter<'a> {
    starts: &'a [usize],
    /// The page whose row is being gathered.
    position: usize,
    /// Its sources on its host, in content and outside…
    inside: [Vec<u32>; 2],
    /// … and on other hosts.
    across: [Vec<[u32; 2]>; 2],
    marks: Writer,
    inside_file: Writer,
    across_file: Writer,
    in_degrees: [Writer; Stratum::COUNT],
    counts: [u64; Stratum::COUNT],
}

impl<'a> RowsWriter<'a> {
    fn new(output: &Output, starts: &'a [usize]) -> Result<RowsWriter<'a>, Error> {
        let files = output.files();
        let [a, b, c, d] = IN_DEGREES;
        Ok(RowsWriter {
            starts,
            position: 0,
            inside: Default::default(),
            across: Default::default(),
            marks: files.create::<[u64; 2]>(MARKS)?,
            inside_file: files.create::<u32>(INSIDE)?,
            across_file: files.create::<[u32; 2]>(ACROSS)?,
            in_degrees: [
                files.create::<u32>(a)?,
                files.create::<u32>(b)?,
                files.create::<u32>(c)?,
                files.create::<u32>(d)?,
            ],
            counts: [0; Stratum::COUNT],
        })
    }

    fn link(&mut self, to: Page, from: Page, boilerplate: bool) -> Result<(), Error> {
        let position = self.starts[to.host as usize] + to.local as usize;
        while self.position < position {
            self.end_row()?;
        }
        let part = usize::from(boilerplate);
        if from.host == to.host {
            self.inside[part].push(from.local);
        } else {
            self.across[part].push([from.host, from.local]);
        }
        Ok(())
    }

    fn end_row(&mut self) -> Result<(), Error> {
        if self.position.is_multiple_of(MARK_EVERY) {
            self.marks.one([self.inside_file.written() / 4, self.across_file.written() / 8])?;
        }
        for boilerplate in [false, true] {
            let part = usize::from(boilerplate);
            let (inside, across) = (&mut self.inside[part], &mut self.across[part]);
            self.inside_file.all(inside)?;
            self.across_file.all(across)?;
            for (external, length) in [(false, inside.len()), (true, across.len())] {
                let stratum = Stratum::new(external, boilerplate).index();
                let length = u32::try_from(length)
                    .map_err(|_| Error::new("a page with more than 4,294,967,295 links into it"))?;
                self.in_degrees[stratum].one(length)?;
                self.counts[stratum] += u64::from(length);
            }
            inside.clear();
            across.clear();
        }
        self.position += 1;
        Ok(())
    }

    fn finish(mut self, output: &mut Output) -> Result<LinkCounts, Error> {
        while self.position < self.starts.last().copied().unwrap_or_default() {
            self.end_row()?;
        }
        for writer in [self.marks, self.inside_file, self.across_file] {
            output.keep(writer)?;
        }
        for (writer, count) in self.in_degrees.into_iter().zip(self.counts) {
            match count {
                0 => writer.discard()?,
                _ => drop(output.keep(writer)?),
            }
        }
        Ok(LinkCounts::from_strata(self.counts))
    }
}

/// Counts the links out of each page: one pass over all links for as many pages as fit into the memory.
pub(crate) fn write_out_degrees(
    output: &mut Output,
    counts: (u64, u64),
    links: LinkCounts,
    rules: Rules,
    memory: usize,
) -> Result<(), Error> {
    let rows = Rows::open(output.files(), &output.about(counts, links, rules))?;
    let pages = counts.0 as usize;
    let strata: Vec<Stratum> =
        Stratum::all().into_iter().filter(|s| links.by_stratum()[s.index()] > 0).collect();
    for stratum in strata {
        let mut writer = output.files().create::<u32>(OUT_DEGREES[stratum.index()])?;
        let window = (memory / size_of::<u32>()).clamp(1024, pages.max(1024));
        let mut degrees = vec![0u32; window.min(pages)];
        for start in (0..pages).step_by(window) {
            let size = window.min(pages - start);
            degrees[..size].fill(0);
            count(&rows, stratum, start, &mut degrees[..size]);
            writer.all(&degrees[..size])?;
        }
        output.keep(writer)?;
    }
    Ok(())
}

/// Counts the links of a stratum that come from a window of pages.
fn count(rows: &Rows, stratum: Stratum, window: usize, degrees: &mut [u32]) {
    let starts = rows.starts();
    let part = usize::from(stratum.is_boilerplate());
    let mut one = |position: usize| {
        let place = position.checked_sub(window).and_then(|place| degrees.get_mut(place));
        if let Some(degree) = place {
            *degree = degree.saturating_add(1);
        }
    };
    rows.read(0..starts.last().copied().unwrap_or_default(), |_, host, row| {
        if stratum.is_external() {
            for [host, local] in row.across[part] {
                if let Some(start) = starts.get(*host as usize) {
                    one(start + *local as usize);
                }
            }
        } else {
            row.inside[part].iter().for_each(|local| one(starts[host] + *local as usize));
        }
    });
}
