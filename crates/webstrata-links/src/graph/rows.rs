//! In-links in compressed sparse rows.
//!
//! A row has up to four parts, one for each stratum: how long each part is stands in one array of numbers for each
//! stratum (left out where all are zero), so that content and boilerplate cost no bit of a link. Sources on the
//! target's host are local numbers of four bytes (about 94 % of the Web's links, 3.2.1), others are pairs of host and
//! local number. Where a row begins is known for every 64th row and counted from there.

use std::ops::Range;

use webstrata_base::Error;

use super::about::About;
use super::files::Files;
use super::map::Mapped;
use crate::links::{Source, Stratum};

pub(crate) const STARTS: &str = "hosts.starts";
pub(crate) const MARKS: &str = "rows.marks";
pub(crate) const INSIDE: &str = "links.inside";
pub(crate) const ACROSS: &str = "links.across";
/// In the order of [`Stratum::index`], as everything by stratum.
pub(crate) const IN_DEGREES: [&str; Stratum::COUNT] =
    ["in.inside-content", "in.across-content", "in.inside-boilerplate", "in.across-boilerplate"];
pub(crate) const OUT_DEGREES: [&str; Stratum::COUNT] = [
    "out.inside-content",
    "out.across-content",
    "out.inside-boilerplate",
    "out.across-boilerplate",
];

/// Rows from one mark to the next.
pub(crate) const MARK_EVERY: usize = 64;

/// Numbers of pages by stratum; strata that no link is of are left out.
pub(crate) type ByStratum = [Option<Mapped<u32>>; Stratum::COUNT];

/// The links into all pages.
#[derive(Debug)]
pub(crate) struct Rows {
    /// The position of each host's first page, and the number of pages at the end.
    starts: Mapped<usize>,
    marks: Mapped<[u64; 2]>,
    in_degrees: ByStratum,
    inside: Mapped<u32>,
    across: Mapped<[u32; 2]>,
}

/// Maps the arrays of a graph that it has.
pub(crate) fn by_stratum(
    files: &Files,
    about: &About,
    names: [&str; Stratum::COUNT],
) -> Result<ByStratum, Error> {
    let mut arrays = [None, None, None, None];
    for (array, name) in arrays.iter_mut().zip(names) {
        *array = files.map(name, about)?;
    }
    Ok(arrays)
}

impl Rows {
    /// The rows of a graph, the lengths of their files checked.
    pub(crate) fn open(files: &Files, about: &About) -> Result<Rows, Error> {
        let missing = |name: &str| {
            Error::at(files.folder(), format!("no {name}; the graph is damaged, build it anew"))
        };
        let rows = Rows {
            starts: files.map(STARTS, about)?.ok_or_else(|| missing(STARTS))?,
            marks: files.map(MARKS, about)?.ok_or_else(|| missing(MARKS))?,
            in_degrees: by_stratum(files, about, IN_DEGREES)?,
            inside: files.map(INSIDE, about)?.ok_or_else(|| missing(INSIDE))?,
            across: files.map(ACROSS, about)?.ok_or_else(|| missing(ACROSS))?,
        };
        let (pages, [a, b, c, d]) = (about.pages as usize, about.links.by_stratum());
        let fits = rows.starts.len() as u64 == about.hosts.saturating_add(1)
            && rows.starts.is_sorted()
            && rows.starts.first() == Some(&0)
            && rows.starts.last() == Some(&pages)
            && rows.marks.len() == pages.div_ceil(MARK_EVERY)
            && rows.in_degrees.iter().flatten().all(|array| array.len() == pages)
            && (rows.inside.len() as u64, rows.across.len() as u64)
                == (a.saturating_add(c), b.saturating_add(d));
        fits.then_some(rows).ok_or_else(|| {
            Error::at(files.folder(), "files of other lengths than graph.json says; build it anew")
        })
    }

    pub(crate) fn starts(&self) -> &[usize] {
        &self.starts
    }

    /// How many links lead to the pages before one.
    pub(crate) fn links_before(&self, page: usize) -> u64 {
        let mark = page / MARK_EVERY;
        let marked: u64 =
            self.marks.get(mark).map_or(0, |[inside, across]| inside.saturating_add(*across));
        let arrays = self.in_degrees.iter().flatten();
        let since = arrays.filter_map(|array| array.get(mark * MARK_EVERY..page));
        marked.saturating_add(since.flatten().map(|length| u64::from(*length)).sum())
    }

    /// The links into each page of a range: its position, its host, and the four parts of its row.
    pub(crate) fn read(&self, pages: Range<usize>, mut row: impl FnMut(usize, usize, Row<'_>)) {
        let (inside, across): (&[u32], &[[u32; 2]]) = (&self.inside, &self.across);
        let lengths: [&[u32]; 4] =
            self.in_degrees.each_ref().map(|array| array.as_deref().unwrap_or_default());
        let length = |stratum: usize, page: usize| {
            lengths[stratum].get(page).map_or(0, |length| *length as usize)
        };
        let Some(first_mark) = self.marks.get(pages.start / MARK_EVERY) else { return };
        let [mut i, mut a] = first_mark.map(|start| start as usize);
        let mut host = self.starts.partition_point(|start| *start <= pages.start).saturating_sub(1);
        for page in pages.start / MARK_EVERY * MARK_EVERY..pages.end {
            let ends = [i.saturating_add(length(0, page)), a.saturating_add(length(1, page))];
            let next =
                [ends[0].saturating_add(length(2, page)), ends[1].saturating_add(length(3, page))];
            if page >= pages.start {
                while self.starts.get(host + 1).is_some_and(|end| *end <= page) {
                    host += 1;
                }
                // A damaged file may say anything: then there is no link.
                let parts = Row {
                    inside: [
                        inside.get(i..ends[0]).unwrap_or_default(),
                        inside.get(ends[0]..next[0]).unwrap_or_default(),
                    ],
                    across: [
                        across.get(a..ends[1]).unwrap_or_default(),
                        across.get(ends[1]..next[1]).unwrap_or_default(),
                    ],
                };
                row(page, host, parts);
            }
            [i, a] = next;
        }
    }

    /// The links into a page as sources, ascending.
    pub(crate) fn sources(&self, host: usize, row: &Row<'_>, sources: &mut Vec<Source>) {
        let starts: &[usize] = &self.starts;
        let size = |host: usize| Some(starts.get(host + 1)? - starts.get(host)?);
        sources.clear();
        for (boilerplate, part) in [false, true].into_iter().zip(row.inside) {
            let stratum = Stratum::new(false, boilerplate);
            let highest = part.iter().max().map_or(0, |local| *local as usize);
            let is_sound = size(host).is_some_and(|size| highest < size);
            if let Some(start) = starts.get(host).filter(|_| is_sound) {
                sources
                    .extend(part.iter().map(|local| Source::new(start + *local as usize, stratum)));
            }
        }
        for (boilerplate, part) in [false, true].into_iter().zip(row.across) {
            let stratum = Stratum::new(true, boilerplate);
            sources.extend(part.iter().filter_map(|[host, local]| {
                let (host, local) = (*host as usize, *local as usize);
                (local < size(host)?).then(|| Source::new(starts[host] + local, stratum))
            }));
        }
        // Up to four ascending parts, which this sort finds and merges in linear time.
        if row.parts() > 1 {
            sources.sort();
        }
    }
}

/// The links into a page: content first, then boilerplate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row<'a> {
    pub(crate) inside: [&'a [u32]; 2],
    pub(crate) across: [&'a [[u32; 2]]; 2],
}

impl Row<'_> {
    fn parts(&self) -> usize {
        let inside = self.inside.iter().filter(|part| !part.is_empty()).count();
        inside + self.across.iter().filter(|part| !part.is_empty()).count()
    }
}
