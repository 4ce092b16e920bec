//! Graphs as all runners read them: a file of little-endian u32. First the numbers of pages, hosts and links; then
//! the first page of each host and the number of pages; then the links as pairs (from, to), ascending.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Write};

use anyhow::{Context, Result, ensure};
use lender::Lender;
use webgraph::prelude::{BvGraphSeq, SequentialLabeling};

/// Hosts and links, in order and without duplicates.
pub struct Edges {
    pub hosts: Vec<u32>,
    pub links: Vec<(u32, u32)>,
}

/// The links into each page, and how many lead out of it.
pub struct InLinks {
    pub hosts: Vec<usize>,
    pub starts: Vec<usize>,
    pub sources: Vec<u32>,
    pub out_degrees: Vec<u32>,
}

impl Edges {
    pub fn new(hosts: Vec<u32>, mut links: Vec<(u32, u32)>) -> Edges {
        links.sort_unstable();
        links.dedup();
        Edges { hosts, links }
    }

    pub fn pages(&self) -> usize {
        self.hosts.last().map_or(0, |end| *end as usize)
    }

    /// These files have no addresses: all pages are of one host.
    pub fn of_webgraph(basename: &str) -> Result<Edges> {
        let graph =
            BvGraphSeq::with_basename(basename).load().with_context(|| basename.to_owned())?;
        let mut links = Vec::new();
        let mut rows = graph.iter();
        while let Some((from, row)) = rows.next() {
            links.extend(row.into_iter().map(|to| (from as u32, to as u32)));
        }
        Ok(Edges::new(vec![0, graph.num_nodes() as u32], links))
    }

    /// Lines `PAGE ADDRESS`, then lines `FROM TO`, counted from 1. Pages are numbered anew, host by host.
    pub fn of_hollins(path: &str) -> Result<Edges> {
        let text = std::fs::read(path).with_context(|| path.to_owned())?;
        let text = String::from_utf8_lossy(&text);
        let mut lines = text.lines();
        let head = lines.next().unwrap_or_default();
        let pages: usize = head.split_whitespace().next().context("no number of pages")?.parse()?;
        let mut hosts: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (page, line) in lines.by_ref().take(pages).enumerate() {
            let host = line.split('/').nth(2).unwrap_or_default();
            hosts.entry(host.trim()).or_default().push(page);
        }
        let mut places = vec![0; pages];
        let mut starts = vec![0];
        let mut next = 0;
        for page in hosts.values().flat_map(|pages| pages.iter().map(Some).chain([None])) {
            match page {
                Some(page) => {
                    places[*page] = next;
                    next += 1;
                }
                None => starts.push(next),
            }
        }
        let links = lines.filter_map(|line| {
            let (from, to) = line.trim().split_once(' ')?;
            let place = |page: &str| places.get(page.trim().parse::<usize>().ok()? - 1).copied();
            Some((place(from)?, place(to)?))
        });
        Ok(Edges::new(starts, links.collect()))
    }

    pub fn write(&self, path: &str) -> Result<()> {
        let mut file = BufWriter::new(File::create(path).with_context(|| path.to_owned())?);
        let mut put = |number: u32| file.write_all(&number.to_le_bytes());
        put(self.pages() as u32)?;
        put(self.hosts.len() as u32 - 1)?;
        put(self.links.len() as u32)?;
        self.hosts.iter().try_for_each(|start| put(*start))?;
        self.links.iter().try_for_each(|(from, to)| put(*from).and_then(|()| put(*to)))?;
        file.flush()?;
        let share = 100.0 * self.inside() as f64 / self.links.len().max(1) as f64;
        eprintln!(
            "{path}: {} pages, {} hosts, {} links, {share:.1} % inside their host",
            self.pages(),
            self.hosts.len() - 1,
            self.links.len(),
        );
        Ok(())
    }

    fn inside(&self) -> usize {
        let host = |page: u32| self.hosts.partition_point(|start| *start <= page);
        self.links.iter().filter(|(from, to)| host(*from) == host(*to)).count()
    }

    pub fn read(path: &str) -> Result<Edges> {
        let mut file =
            BufReader::with_capacity(1 << 20, File::open(path).with_context(|| path.to_owned())?);
        let mut next = || -> Result<u32> {
            let mut bytes = [0; 4];
            file.read_exact(&mut bytes)?;
            Ok(u32::from_le_bytes(bytes))
        };
        let (pages, hosts, links) = (next()?, next()?, next()?);
        let hosts = (0..=hosts).map(|_| next()).collect::<Result<Vec<u32>>>()?;
        let links = (0..links).map(|_| Ok((next()?, next()?))).collect::<Result<Vec<_>>>()?;
        ensure!(hosts.last() == Some(&pages), "{path}: not a graph of this benchmark");
        Ok(Edges { hosts, links })
    }

    /// Transposed; sources are ascending since links are.
    pub fn in_links(&self) -> InLinks {
        let pages = self.pages();
        let mut out_degrees = vec![0; pages];
        let mut starts = vec![0; pages + 1];
        for (from, to) in &self.links {
            out_degrees[*from as usize] += 1;
            starts[*to as usize + 1] += 1;
        }
        for page in 0..pages {
            starts[page + 1] += starts[page];
        }
        let mut places = starts.clone();
        let mut sources = vec![0; self.links.len()];
        for (from, to) in &self.links {
            let place = &mut places[*to as usize];
            sources[*place] = *from;
            *place += 1;
        }
        let hosts = self.hosts.iter().map(|start| *start as usize).collect();
        InLinks { hosts, starts, sources, out_degrees }
    }
}

impl InLinks {
    pub fn row(&self, page: usize) -> &[u32] {
        &self.sources[self.starts[page]..self.starts[page + 1]]
    }
}
