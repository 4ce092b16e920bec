//! Graphs in the BV format of WebGraph (Boldi and Vigna, "The WebGraph framework I", 2004), read in order.
//!
//! A page's list of targets is written as what it has in common with the list of an earlier page (blocks that are
//! copied and passed over in turn), as intervals of consecutive pages, and as the rest. The crate `webgraph` reads it,
//! too, and much more; it has 139 dependencies, and to read from front to end takes these lines.

use std::collections::{HashMap, VecDeque};
use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use webstrata_base::Error;

use super::Inputs;
use super::bits::{Bits, Code, damaged};
use crate::build::NumberedBuilder;

/// A graph of WebGraph: `NAME.graph` with `NAME.properties` beside it.
#[derive(Clone, Debug)]
pub struct WebGraph {
    base: PathBuf,
    shape: Shape,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Shape {
    pages: u64,
    links: u64,
    window: usize,
    /// The shortest interval; 0 if there are none.
    interval: u64,
    outdegrees: Code,
    references: Code,
    block_counts: Code,
    blocks: Code,
    residuals: Code,
}

impl WebGraph {
    /// Reads the properties of a graph, which is named by its files or by what their names have in common.
    ///
    /// # Errors
    ///
    /// If they cannot be read, or tell of codes that we do not read.
    pub fn open(path: &Path) -> Result<WebGraph, Error> {
        let base = match path.extension().and_then(|extension| extension.to_str()) {
            Some("graph" | "properties" | "offsets" | "ef") => path.with_extension(""),
            _ => path.to_owned(),
        };
        let path = with_ending(&base, "properties");
        let text = fs::read_to_string(&path).map_err(|error| Error::io(&path, &error))?;
        let shape = Shape::parse(&text).map_err(|why| Error::at(&path, why))?;
        Ok(WebGraph { base, shape })
    }

    /// How many pages it has.
    pub fn pages(&self) -> u64 {
        self.shape.pages
    }
}

fn with_ending(base: &Path, ending: &str) -> PathBuf {
    let mut name = base.as_os_str().to_owned();
    name.push(".");
    name.push(ending);
    name.into()
}

impl Shape {
    fn parse(properties: &str) -> Result<Shape, String> {
        let lines = properties.lines().filter(|line| !line.trim_start().starts_with('#'));
        let values: HashMap<&str, &str> = lines
            .filter_map(|line| line.split_once('='))
            .map(|(k, v)| (k.trim(), v.trim()))
            .collect();
        let number = |name: &str| -> Result<u64, String> {
            let value =
                values.get(name).ok_or_else(|| format!("no `{name}`; no graph of WebGraph"))?;
            value.parse().map_err(|_| format!("`{name}` is no number: {value}"))
        };
        if values.get("endianness").is_some_and(|order| *order != "big") {
            return Err("bits in another order than big endian are not read".into());
        }
        let zeta = number("zetak").map_or(3, |k| k.clamp(1, 32) as u32);
        let flags = values.get("compressionflags").copied().unwrap_or_default();
        let code = |part: &str, default: Code| -> Result<Code, String> {
            let mut named = flags
                .split('|')
                .filter_map(|flag| flag.trim().strip_prefix(part)?.strip_prefix('_'));
            Ok(match named.next() {
                None => default,
                Some("UNARY") => Code::Unary,
                Some("GAMMA") => Code::Gamma,
                Some("DELTA") => Code::Delta,
                Some("ZETA") => Code::Zeta(zeta),
                Some(other) => return Err(format!("the code {part}_{other} is not read")),
            })
        };
        if code("INTERVALS", Code::Gamma)? != Code::Gamma {
            return Err("intervals in another code than INTERVALS_GAMMA are not read".into());
        }
        let shape = Shape {
            pages: number("nodes")?,
            links: number("arcs")?,
            window: number("windowsize")?.min(1 << 16) as usize,
            interval: number("minintervallength")?,
            outdegrees: code("OUTDEGREES", Code::Gamma)?,
            references: code("REFERENCES", Code::Unary)?,
            block_counts: code("BLOCK_COUNT", Code::Gamma)?,
            blocks: code("BLOCKS", Code::Gamma)?,
            residuals: code("RESIDUALS", Code::Zeta(zeta))?,
        };
        match shape.pages {
            pages if pages > 1 << 32 => Err(format!("{pages} pages, at most {}", 1u64 << 32)),
            _ => Ok(shape),
        }
    }
}

impl Inputs<'_> {
    /// Reads a graph of WebGraph.
    ///
    /// # Errors
    ///
    /// If the file cannot be read or is damaged, or the disk is full.
    pub fn webgraph(
        &mut self,
        graph: &WebGraph,
        builder: &mut NumberedBuilder,
    ) -> Result<(), Error> {
        let path = with_ending(&graph.base, "graph");
        let file = File::open(&path).map_err(|error| Error::io(&path, &error))?;
        let length = file.metadata().map_err(|error| Error::io(&path, &error))?.len();
        // A page takes a bit or more. Or else a few bytes could ask for the memory of any number of pages.
        if length.saturating_mul(8) < graph.shape.pages {
            let message = format!("damaged: {length} bytes for {} pages", graph.shape.pages);
            return Err(Error::at(&path, message));
        }
        let mut lists = Lists::new(BufReader::with_capacity(1 << 18, file), graph.shape.clone());
        for from in 0..graph.shape.pages {
            self.tally.lines += 1;
            let wrong = |error| Error::at(&path, format!("page {from}: {error}"));
            for to in lists.next().map_err(wrong)? {
                let added = builder.link(from, *to, false)?;
                self.count(added, &path, from)?;
            }
        }
        Ok(())
    }
}

/// The targets of page after page.
struct Lists<R> {
    bits: Bits<R>,
    shape: Shape,
    page: u64,
    links: u64,
    /// The lists of the last pages, that of the last one first.
    window: VecDeque<Vec<u64>>,
}

impl<R: Read> Lists<R> {
    fn new(input: R, shape: Shape) -> Lists<R> {
        Lists { bits: Bits::new(input), shape, page: 0, links: 0, window: VecDeque::new() }
    }

    fn next(&mut self) -> io::Result<&[u64]> {
        let mut list = if self.window.len() > self.shape.window {
            self.window.pop_back().unwrap_or_default()
        } else {
            Vec::new()
        };
        list.clear();
        self.read(&mut list)?;
        self.page += 1;
        self.window.push_front(list);
        Ok(&self.window[0])
    }

    fn read(&mut self, list: &mut Vec<u64>) -> io::Result<()> {
        let degree = self.bits.read(self.shape.outdegrees)?;
        self.links = self.links.checked_add(degree).ok_or_else(damaged)?;
        if self.links > self.shape.links || degree > self.shape.pages {
            return Err(damaged());
        }
        if degree == 0 {
            return Ok(());
        }
        if self.shape.window > 0 {
            self.copy(list)?;
        }
        let copied = list.len() as u64;
        if copied < degree && self.shape.interval > 0 {
            self.intervals(degree, list)?;
        }
        let mut last = None;
        while (list.len() as u64) < degree {
            let number = self.bits.read(self.shape.residuals)?;
            let next = match last {
                None => self.page.checked_add_signed(signed(number)),
                Some(last) => number.checked_add(last).and_then(|sum: u64| sum.checked_add(1)),
            };
            last = Some(next.filter(|next| *next < self.shape.pages).ok_or_else(damaged)?);
            list.extend(last);
        }
        // Three ascending parts.
        list.sort();
        let fits =
            list.len() as u64 == degree && list.last().is_none_or(|last| *last < self.shape.pages);
        fits.then_some(()).ok_or_else(damaged)
    }

    /// What the list has in common with that of an earlier page.
    fn copy(&mut self, list: &mut Vec<u64>) -> io::Result<()> {
        let back = self.bits.read(self.shape.references)?;
        let Some(back) = back.checked_sub(1) else { return Ok(()) };
        let known = usize::try_from(back).ok().and_then(|back| self.window.get(back));
        let mut rest: &[u64] = known.ok_or_else(damaged)?;
        let blocks = self.bits.read(self.shape.block_counts)?;
        let mut is_copied = true;
        for block in 0..blocks {
            let length = self.bits.read(self.shape.blocks)?;
            let length = length.checked_add(u64::from(block > 0)).ok_or_else(damaged)?;
            let (here, behind) = rest.split_at_checked(length as usize).ok_or_else(damaged)?;
            if is_copied {
                list.extend_from_slice(here);
            }
            (rest, is_copied) = (behind, !is_copied);
        }
        if is_copied {
            list.extend_from_slice(rest);
        }
        Ok(())
    }

    fn intervals(&mut self, degree: u64, list: &mut Vec<u64>) -> io::Result<()> {
        let count = self.bits.read(Code::Gamma)?;
        let mut end = None;
        for _ in 0..count {
            let number = self.bits.read(Code::Gamma)?;
            let start = match end {
                None => self.page.checked_add_signed(signed(number)),
                Some(end) => number.checked_add(end).and_then(|sum: u64| sum.checked_add(1)),
            };
            let start = start.ok_or_else(damaged)?;
            let length = self.bits.read(Code::Gamma)?.checked_add(self.shape.interval);
            let room = degree - list.len() as u64;
            let length = length.filter(|length| *length <= room).ok_or_else(damaged)?;
            let next = start.checked_add(length).filter(|next| *next <= self.shape.pages);
            let next = next.ok_or_else(damaged)?;
            list.extend(start..next);
            end = Some(next);
        }
        Ok(())
    }
}

/// 0, -1, 1, -2, 2, …
fn signed(number: u64) -> i64 {
    let half = (number >> 1) as i64;
    if number & 1 == 0 { half } else { -half - 1 }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::super::bits::tests::Written;
    use super::*;

    fn unsigned(number: i64) -> u64 {
        if number >= 0 { 2 * number as u64 } else { 2 * number.unsigned_abs() - 1 }
    }

    /// Writes a graph as the format has it: references as drawn, blocks, intervals where they are long enough.
    fn write(shape: &Shape, lists: &[Vec<u64>], back: &[usize]) -> Vec<u8> {
        let mut out = Written::default();
        for (page, list) in lists.iter().enumerate() {
            out.write(shape.outdegrees, list.len() as u64);
            if list.is_empty() {
                continue;
            }
            let mut rest: BTreeSet<u64> = list.iter().copied().collect();
            if shape.window > 0 {
                let back = back[page] % (shape.window + 1).min(page + 1);
                out.write(shape.references, back as u64);
                if back > 0 {
                    write_blocks(shape, &lists[page - back], &mut rest, &mut out);
                }
            }
            if rest.is_empty() {
                continue;
            }
            let values: Vec<u64> = rest.iter().copied().collect();
            let runs: Vec<&[u64]> = values.chunk_by(|a, b| *b == a + 1).collect();
            if shape.interval > 0 {
                let long: Vec<_> =
                    runs.iter().filter(|run| run.len() as u64 >= shape.interval).collect();
                out.write(Code::Gamma, long.len() as u64);
                let mut end = None;
                for run in long {
                    out.write(
                        Code::Gamma,
                        match end {
                            None => unsigned(run[0] as i64 - page as i64),
                            Some(end) => run[0] - end - 1,
                        },
                    );
                    out.write(Code::Gamma, run.len() as u64 - shape.interval);
                    end = Some(run[0] + run.len() as u64);
                    rest.retain(|value| !run.contains(value));
                }
            }
            let mut last = None;
            for value in rest {
                out.write(
                    shape.residuals,
                    match last {
                        None => unsigned(value as i64 - page as i64),
                        Some(last) => value - last - 1,
                    },
                );
                last = Some(value);
            }
        }
        out.bytes()
    }

    fn write_blocks(shape: &Shape, known: &[u64], rest: &mut BTreeSet<u64>, out: &mut Written) {
        let kept: Vec<bool> = known.iter().map(|value| rest.remove(value)).collect();
        let mut blocks: Vec<usize> = kept.chunk_by(|a, b| a == b).map(<[bool]>::len).collect();
        if kept.first() == Some(&false) {
            blocks.insert(0, 0);
        }
        // The last block is not written: it is what is left.
        blocks.pop();
        out.write(shape.block_counts, blocks.len() as u64);
        for (place, length) in blocks.iter().enumerate() {
            out.write(shape.blocks, *length as u64 - u64::from(place > 0));
        }
    }

    fn shape(pages: u64, links: u64, window: u64, interval: u64) -> Shape {
        let text = format!(
            "#BVGraph properties\nnodes={pages}\narcs={links}\nwindowsize={window}\n\
             minintervallength={interval}\nzetak=3\ncompressionflags=OUTDEGREES_DELTA\n"
        );
        Shape::parse(&text).unwrap()
    }

    proptest! {
        #[test]
        fn what_was_written_is_read(
            lists in prop::collection::vec(prop::collection::btree_set(0u64..40, 0..30), 40),
            back in prop::collection::vec(0usize..8, 40),
            window in 0u64..8,
            interval in prop::sample::select(vec![0u64, 2, 4]),
        ) {
            let lists: Vec<Vec<u64>> = lists.into_iter().map(|list| list.into_iter().collect()).collect();
            let links = lists.iter().map(Vec::len).sum::<usize>() as u64;
            let shape = shape(40, links, window, interval);
            let bytes = write(&shape, &lists, &back);
            let mut read = Lists::new(&bytes[..], shape);
            for list in &lists {
                prop_assert_eq!(read.next().unwrap(), &list[..]);
            }
        }

        #[test]
        fn any_bytes_are_an_error_or_a_graph(
            bytes in prop::collection::vec(0u8.., 0..200),
            links in prop::sample::select(vec![5000, u64::MAX]),
        ) {
            let mut read = Lists::new(&bytes[..], shape(1000, links, 7, 4));
            for _ in 0..1000 {
                let Ok(list) = read.next() else { break };
                prop_assert!(list.iter().all(|page| *page < 1000));
            }
        }
    }

    /// However many links there may be, a page links to no more pages than there are.
    #[test]
    fn more_targets_than_pages() {
        let shape = shape(10, u64::MAX, 0, 4);
        let interval = |degree: u64, start: i64, length: u64| {
            let mut out = Written::default();
            out.write(shape.outdegrees, degree);
            out.write(Code::Gamma, 1);
            out.write(Code::Gamma, unsigned(start));
            out.write(Code::Gamma, length - 4);
            let bytes = out.bytes();
            Lists::new(&bytes[..], shape.clone()).next().map(<[u64]>::to_vec)
        };
        assert_eq!(interval(10, 0, 10).unwrap(), (0..10).collect::<Vec<_>>());
        assert!(interval(1 << 61, 0, 1 << 61).is_err());
        assert!(interval(10, 1, 10).is_err());
        assert!(interval(5, i64::MAX >> 2, 5).is_err());
        assert!(interval(5, -1, 5).is_err());
    }

    #[test]
    fn properties_that_we_do_not_read() {
        for (text, why) in [
            ("nodes=1", "no `arcs`"),
            ("nodes=x", "`nodes` is no number"),
            ("endianness=little", "big endian"),
            ("compressionflags=RESIDUALS_NIBBLE", "RESIDUALS_NIBBLE is not read"),
            ("compressionflags=INTERVALS_NIBBLE", "INTERVALS_NIBBLE is not read"),
            ("compressionflags=INTERVALS_DELTA", "INTERVALS_GAMMA"),
        ] {
            let text = format!("{text}\nwindowsize=7\nminintervallength=4");
            let text =
                if text.contains("nodes") { text } else { format!("nodes=1\narcs=1\n{text}") };
            let error = Shape::parse(&text).unwrap_err();
            assert!(error.contains(why), "{error}");
        }
    }
}
