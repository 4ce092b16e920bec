//! Partitioned PageRank (thesis, 3.2.3): which pages make a partition, and what that does to votes, convergence and
//! time.

mod report;
mod web;

use std::cell::Cell;
use std::time::{Duration, Instant};

use webstrata_base::{Error, Progress};
use webstrata_links::graph::stats::Votes;
use webstrata_links::rank::exchange::{Exchange, Message, Threads};
use webstrata_links::rank::{
    ByHosts, Choice, Grouping, Jump, Plan, RankOptions, Start, State, Surfer, Until, rank,
    rank_from, solver,
};
use webstrata_links::{InLinks, MemoryGraph};

pub use web::{DOMAINS, Web};

/// The residual at which the thesis stopped.
const ENOUGH: f64 = 1e-3;
/// For convergence to be seen beyond it.
const DRAWN: f64 = 1e-6;
/// After so many iterations pages are added.
const JOINED: usize = 6;
/// The partitions of the thesis.
pub const THESIS_PARTITIONS: usize = 8;
/// The share of links between hosts that are in footers, on the web that is measured beside.
const FOOTERS: f64 = 0.95;

/// How surfers choose: as in PageRank, and with most of the weight on links that lead to other hosts.
pub const SURFERS: [(&str, f64); 2] = [("without bias", 0.5), ("outgoing bias 0.9", 0.9)];

/// One run with so many partitions.
#[derive(Clone, Debug)]
pub struct Measured {
    /// Which pages made a partition, how many partitions, and which of [`SURFERS`].
    pub grouping: Grouping,
    /// How many partitions.
    pub partitions: usize,
    /// Which of [`SURFERS`].
    pub surfer: usize,
    /// What is sent between them.
    pub votes: Votes,
    /// Votes that are sent in each iteration; the others are sent once, at the end.
    pub votes_each: u64,
    /// Pages of each partition.
    pub pages: Vec<usize>,
    /// The residual of each iteration.
    pub residuals: Vec<f64>,
    /// The same of each partition alone.
    pub own_residuals: Vec<Vec<f64>>,
    /// Seconds of each iteration, the mean of the partitions: computing, and exchanging votes with the others (which is
    /// mostly waiting for them).
    pub seconds: Vec<[f64; 2]>,
}

impl Measured {
    /// Iterations until the thesis' residual.
    pub fn iterations(&self) -> usize {
        let enough = self.residuals.iter().position(|residual| *residual <= ENOUGH);
        enough.map_or(self.residuals.len(), |place| place + 1)
    }

    /// Pages of the largest partition, as a multiple of the mean.
    pub fn imbalance(&self) -> f64 {
        let all: usize = self.pages.iter().sum();
        let largest = self.pages.iter().max().copied().unwrap_or(0);
        largest as f64 * self.pages.len() as f64 / all.max(1) as f64
    }
}

/// Pages that join a ranking while it runs.
#[derive(Clone, Debug)]
pub struct Growth {
    /// Pages before and after.
    pub pages: [usize; 2],
    /// Residuals of the graph before, until pages joined; then of the whole graph.
    pub joined: [Vec<f64>; 2],
    /// Residuals of a ranking of the whole graph from its beginning.
    pub anew: Vec<f64>,
}

/// All that was measured on one web.
pub struct Study {
    web: Web,
    graph: MemoryGraph,
    runs: Vec<Measured>,
    /// A web of the same size whose hosts have footers, ranked as the thesis did.
    with_footers: Measured,
    growth: Growth,
}

impl Study {
    /// Makes a web and ranks it with every grouping, these numbers of partitions and both surfers.
    pub fn new(
        pages: usize,
        seed: u64,
        partitions: &[usize],
        progress: &dyn Progress,
    ) -> Result<Study, Error> {
        let web = Web::new(pages, seed, 0.0);
        let graph = web.graph();
        let mut runs = Vec::new();
        progress.begin("ranking", partitions.len() * Grouping::ALL.len() * SURFERS.len() + 2);
        for partitions in partitions {
            for (grouping, _) in Grouping::ALL {
                let by_hosts = ByHosts::new(&graph, grouping, *partitions)?;
                for surfer in 0..SURFERS.len() {
                    runs.push(measure(&by_hosts, grouping, surfer)?);
                    progress.step();
                }
            }
        }
        let footers = Web::new(pages, seed, FOOTERS).graph();
        let by_hosts = ByHosts::new(&footers, Grouping::RoundRobin, THESIS_PARTITIONS)?;
        let with_footers = measure(&by_hosts, Grouping::RoundRobin, 0)?;
        progress.step();
        let growth = grow(&web)?;
        progress.step();
        Ok(Study { web, graph, runs, with_footers, growth })
    }

    /// The runs.
    pub fn runs(&self) -> &[Measured] {
        &self.runs
    }

    /// What joining pages do.
    pub fn growth(&self) -> &Growth {
        &self.growth
    }

    fn run(&self, grouping: Grouping, partitions: usize, surfer: usize) -> Option<&Measured> {
        self.runs.iter().find(|run| {
            (run.grouping, run.partitions, run.surfer) == (grouping, partitions, surfer)
        })
    }
}

fn options(surfer: usize, until: f64) -> RankOptions {
    let external = SURFERS[surfer].1;
    let choice = if external == 0.5 { Choice::Link } else { Choice::Side };
    let surfer = Surfer { internal: 1.0 - external, external, choice, ..Surfer::default() };
    RankOptions { surfer, until: Until::Residual(until), ..RankOptions::default() }
}

/// Ranks as [`rank`] does it, and looks at each partition and at the clock.
fn measure(graph: &ByHosts<'_>, grouping: Grouping, surfer: usize) -> Result<Measured, Error> {
    let (plan, options) = (graph.plan(), options(surfer, DRAWN));
    let partitions = plan.partitions();
    let work = |threads: Threads| run_one(graph, plan, &options, threads);
    let parts = std::thread::scope(|scope| {
        let threads = Threads::connect(partitions).into_iter();
        let threads: Vec<_> = threads.map(|threads| scope.spawn(|| work(threads))).collect();
        let failed = || Err(Error::new("a thread of the ranking has failed"));
        let join = |thread: std::thread::ScopedJoinHandle<'_, Result<Part, Error>>| {
            thread.join().unwrap_or_else(|_| failed())
        };
        threads.into_iter().map(join).collect::<Result<Vec<Part>, Error>>()
    })?;
    let first = parts.first().ok_or_else(|| Error::new("no partition"))?;
    let seconds = (0..first.residuals.len()).map(|iteration| {
        let mean = |kind: usize| {
            parts.iter().map(|part| part.seconds[iteration][kind]).sum::<f64>() / parts.len() as f64
        };
        [mean(0), mean(1)]
    });
    Ok(Measured {
        grouping,
        partitions,
        surfer,
        votes: Votes::between(graph, plan),
        votes_each: first.votes_each,
        pages: (0..partitions).map(|partition| plan.pages(partition).len()).collect(),
        residuals: first.residuals.clone(),
        seconds: seconds.collect(),
        own_residuals: parts.into_iter().map(|part| part.own).collect(),
    })
}

/// What one partition has seen.
struct Part {
    residuals: Vec<f64>,
    own: Vec<f64>,
    seconds: Vec<[f64; 2]>,
    votes_each: u64,
}

/// An exchange under a clock.
struct Timed<'a> {
    inner: Threads,
    spent: &'a Cell<Duration>,
}

impl Exchange for Timed<'_> {
    fn partitions(&self) -> usize {
        self.inner.partitions()
    }

    fn index(&self) -> usize {
        self.inner.index()
    }

    fn exchange(&mut self, messages: Vec<Message>) -> Result<Vec<Message>, Error> {
        let began = Instant::now();
        let answers = self.inner.exchange(messages);
        self.spent.set(self.spent.get() + began.elapsed());
        answers
    }
}

fn run_one(
    graph: &dyn InLinks,
    plan: &Plan,
    options: &RankOptions,
    threads: Threads,
) -> Result<Part, Error> {
    let spent = Cell::new(Duration::ZERO);
    let mut exchange = Timed { inner: threads, spent: &spent };
    let (mut own, mut seconds) = (Vec::new(), Vec::new());
    let mut last = (Instant::now(), Duration::ZERO);
    let mut watch = |state: &State<'_>| {
        own.push(state.own_residual);
        let exchanged = (spent.get() - last.1).as_secs_f64();
        let all = last.0.elapsed().as_secs_f64();
        seconds.push([(all - exchanged).max(0.0), exchanged]);
        last = (Instant::now(), spent.get());
        Ok(())
    };
    let solve = solver(1, options.precision);
    let jumps = [Jump::Everywhere];
    let solved = solve(graph, plan, &jumps, options, Start::Jumps, &mut exchange, &mut watch)?;
    // The first iteration's clock has run while links were read.
    if let Some(first) = seconds.first_mut() {
        *first = [f64::NAN; 2];
    }
    Ok(Part { residuals: solved.run.residuals, own, seconds, votes_each: solved.run.votes_each })
}

/// A tenth of the hosts and a tenth of the pages of all others join after some iterations: the ranking goes on with
/// the ranks that there are, new pages begin with nothing.
fn grow(web: &Web) -> Result<Growth, Error> {
    let (before, places) =
        web.graph_of(|host, page| host % 10 != 0 && page < web.sizes[host] - web.sizes[host] / 10);
    let after = web.graph();
    let options = options(0, DRAWN);
    let first = RankOptions { most_iterations: JOINED, ..options.clone() };
    let ranked = rank(&before, &[Jump::Everywhere], &first, &())?;
    let mut start = vec![0.0; after.pages()];
    for (rank, place) in ranked.vectors[0].iter().zip(&places) {
        start[*place] = *rank;
    }
    let joined = rank_from(&after, &[Jump::Everywhere], &options, Some(&[start]), &())?;
    let anew = rank(&after, &[Jump::Everywhere], &options, &())?;
    Ok(Growth {
        pages: [before.pages(), after.pages()],
        joined: [ranked.run.residuals, joined.run.residuals],
        anew: anew.run.residuals,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_study() {
        let study = Study::new(4_000, 1, &[1, THESIS_PARTITIONS], &()).unwrap();
        assert_eq!(study.runs().len(), 2 * 3 * 2);
        for run in study.runs() {
            // As the library itself ranks.
            let options = RankOptions {
                partitions: run.partitions,
                grouping: run.grouping,
                ..options(run.surfer, DRAWN)
            };
            let same = rank(&study.graph, &[Jump::Everywhere], &options, &()).unwrap().run;
            assert_eq!(same.residuals, run.residuals);
            assert_eq!((same.votes, same.votes_each), (run.votes.votes, run.votes_each));
            assert_eq!(run.own_residuals.len(), run.partitions);
            assert!(run.own_residuals.iter().all(|own| own.len() == run.residuals.len()));
            assert_eq!(run.pages.iter().sum::<usize>(), study.graph.pages());
            if run.partitions == 1 {
                assert_eq!(run.votes.inter_partition, 0);
            } else if run.grouping != Grouping::Ranges {
                // Whole hosts: what is between partitions is between hosts.
                let Votes { intra_partition, inter_partition, .. } = run.votes;
                assert_eq!(intra_partition + inter_partition, same.inter_host);
            }
        }
        let Growth { pages, joined, anew } = study.growth();
        assert!(pages[0] < pages[1] && joined[0].len() == JOINED);
        assert!(joined[1].last() <= Some(&DRAWN) && anew.last() <= Some(&DRAWN));
        let report = study.report();
        // The numbers of the thesis are compared.
        assert_eq!(report.agreement().of, 3);
        let html = report.to_html();
        for figure in ["3.1a", "3.1b", "3.1c", "3.2", "3.3", "3.4", "3.5", "3.6"] {
            assert!(html.contains(&format!("Figure {figure}")), "{figure}");
        }
    }
}
