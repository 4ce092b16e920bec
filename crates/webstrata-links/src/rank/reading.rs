//! Reads the links of a partition's pages, and sorts them by who knows the ranks of their sources.

use webstrata_base::Error;

use super::Method;
use super::givers::Givers;
use super::plan::Plan;
use super::rows::{Local, Rows};
use super::surfer::Classes;
use crate::links::{InLinks, Source};

/// The links to those pages that give rank away, or to those that do not.
#[derive(Default)]
pub(crate) struct Links {
    /// The links inside of the partition.
    pub(crate) rows: Rows,
    /// The pages that each partition must send votes for.
    pub(crate) targets: Vec<Vec<u32>>,
    /// For each of these: how many sources in each class, then the sources.
    pub(crate) requests: Vec<Vec<u32>>,
    /// Links inside of the partition, and from others.
    pub(crate) counts: [u64; 2],
}

/// All links to the pages of a partition.
#[derive(Default)]
pub(crate) struct AllLinks {
    /// Pages that give rank away.
    pub(crate) to_givers: Links,
    /// Pages that do not.
    pub(crate) to_others: Links,
    /// For each giver that is among its own sources, 1 and the class of that link; else 0.
    pub(crate) own: Vec<u8>,
    /// Givers whose link to themselves is not among the rows, and its class.
    pub(crate) to_themselves: Vec<Local>,
}

impl AllLinks {
    pub(crate) fn read(
        graph: &dyn InLinks,
        plan: &Plan,
        index: usize,
        classes: &Classes,
        givers: &Givers,
        method: Method,
    ) -> Result<AllLinks, Error> {
        let pages = plan.pages(index);
        let mut all = AllLinks {
            to_givers: Links::new(givers.count(), plan.partitions()),
            to_others: Links::new(givers.pages() - givers.count(), plan.partitions()),
            own: Vec::with_capacity(givers.count()),
            to_themselves: Vec::new(),
        };
        let mut last = LastRow { solves: method == Method::GaussSeidel, ..LastRow::default() };
        let class = |source: &Source| classes.of[source.stratum().index()];
        let mut sorted: Vec<Source> = Vec::new();
        let mut inside: Vec<Local> = Vec::new();
        let mut outside: Vec<Vec<Local>> = vec![Vec::new(); plan.partitions()];
        let mut fits = true;
        graph.read(pages.clone(), &mut |page, sources| {
            if !fits {
                return;
            }
            let target = page - pages.start;
            let mut sources = sources;
            if classes.count > 1 {
                sorted.clear();
                sorted.extend_from_slice(sources);
                sorted.sort_unstable_by_key(|source| (class(source), *source));
                sources = &sorted;
            }
            inside.clear();
            let mut from_outside = 0;
            for source in sources {
                if pages.contains(&source.page()) {
                    let giver = givers.number(source.page() - pages.start);
                    inside.extend(giver.map(|giver| (giver, class(source))));
                } else {
                    let owner = plan.owner(source.page());
                    let local = source.page() - plan.pages(owner).start;
                    outside[owner].push((local as u32, class(source)));
                    from_outside += 1;
                }
            }
            // Others are numbered among themselves, and stand near the givers around them.
            let before = givers.before(target);
            let (links, number) = match givers.number(target) {
                Some(giver) => {
                    let own = inside.iter().find(|(source, _)| *source == giver);
                    all.own.push(own.map_or(0, |(_, class)| class + 1));
                    if !last.is_same(&inside) {
                        fits &= last.write(&mut all);
                        last.begin(giver, &inside);
                    }
                    last.count += 1;
                    (&mut all.to_givers, giver)
                }
                None => {
                    fits &= all.to_others.rows.push(before, &inside);
                    (&mut all.to_others, target as u32 - before)
                }
            };
            links.counts[0] += sources.len() as u64 - from_outside;
            links.counts[1] += from_outside;
            if from_outside > 0 {
                links.ask(number, &mut outside, classes.count);
            }
        });
        fits &= last.write(&mut all);
        fits &= all.to_givers.requests.iter().all(|request| u32::try_from(request.len()).is_ok());
        all.to_givers.rows.finish();
        all.to_others.rows.finish();
        if !fits {
            return Err(Error::new("a partition has too many links, more partitions are needed"));
        }
        Ok(all)
    }
}

/// A row of givers that have the same sources, until it is known how many these are.
#[derive(Default)]
struct LastRow {
    /// Is a page's link to itself solved for?
    solves: bool,
    giver: u32,
    sources: Vec<Local>,
    count: usize,
}

impl LastRow {
    fn is_same(&self, sources: &[Local]) -> bool {
        self.count > 0 && self.sources == sources
    }

    fn begin(&mut self, giver: u32, sources: &[Local]) {
        self.giver = giver;
        self.sources.clear();
        self.sources.extend_from_slice(sources);
        self.count = 0;
    }

    /// Writes the rows. A page that links to itself and has its row alone is solved by a factor, so that its row
    /// need not have that link.
    fn write(&mut self, all: &mut AllLinks) -> bool {
        let own = all.own.get(self.giver as usize).and_then(|own| own.checked_sub(1));
        if let Some(class) = own.filter(|_| self.count == 1 && self.solves) {
            self.sources.retain(|source| *source != (self.giver, class));
            all.own[self.giver as usize] = 0;
            all.to_themselves.push((self.giver, class));
        }
        let rows = &mut all.to_givers.rows;
        (0..self.count).all(|_| rows.push(self.giver, &self.sources))
    }
}

impl Links {
    /// How many votes others send for the pages.
    pub(crate) fn votes(&self) -> u64 {
        self.targets.iter().map(|targets| targets.len() as u64).sum()
    }

    fn new(rows: usize, partitions: usize) -> Links {
        Links {
            rows: Rows::with_capacity(rows),
            targets: vec![Vec::new(); partitions],
            requests: vec![Vec::new(); partitions],
            counts: [0; 2],
        }
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
