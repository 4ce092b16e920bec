//! Past one machine: the partitions of a ranking as workers in several threads, processes or machines (3.2.2).
//!
//! Workers exchange votes over timely's communication layer ([`threads`], [`connect`]); what they compute is what
//! [`crate::rank`] computes with threads. Each reads the links of its own pages only. Worker 0 gets all ranks at the end.
//!
//! ```
//! use webstrata_links::MemoryGraph;
//! use webstrata_links::cluster::{self, ClusterOptions};
//! use webstrata_links::rank::{Jump, RankOptions};
//!
//! let graph = MemoryGraph::new(&[2, 1], [(0, 1, false), (0, 2, false), (1, 2, false)]);
//! let (jumps, options, settings) = ([Jump::Everywhere], RankOptions::default(), ClusterOptions::default());
//! let rankings = std::thread::scope(|scope| {
//!     let work = |worker: cluster::Connected| {
//!         cluster::rank(&graph, &jumps, &options, &settings, &mut worker.open(), &())
//!     };
//!     let workers: Vec<_> =
//!         cluster::threads(2).into_iter().map(|worker| scope.spawn(move || work(worker))).collect();
//!     workers.into_iter().map(|worker| worker.join().unwrap().unwrap()).collect::<Vec<_>>()
//! });
//! assert!(rankings[0].is_some() && rankings[1].is_none());
//! ```

mod checkpoint;
mod connections;
mod endpoint;
mod messages;
mod speed;
#[cfg(test)]
mod tests;

use std::time::Duration;

use webstrata_base::{Error, Progress};
use xxhash_rust::xxh3::xxh3_64;

use crate::links::InLinks;
use crate::rank::exchange::{Exchange, Message, Numbers};
use crate::rank::{
    Dangling, Jump, MOST_LANES, Plan, RankOptions, Ranking, Solved, Start, State, solver,
};
use checkpoint::CheckpointWriter;
pub use checkpoint::Checkpoints;
pub use endpoint::{Connected, Endpoint, connect, threads};
pub use speed::Balance;

/// How workers share a ranking.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ClusterOptions {
    /// How pages are divided among workers.
    pub balance: Balance,
    /// Where workers keep how far they are.
    pub checkpoints: Option<Checkpoints>,
    /// Go on from the last checkpoint, if there is one. A run that goes on has as many workers as it had.
    pub resume: bool,
    /// How long a worker waits for the others when nothing comes from them; `None`: as long as connections are open. The
    /// connections of a machine that has lost its power stay open.
    pub patience: Option<Duration>,
}

/// How many pages of a graph its fingerprint looks at.
const SAMPLE: usize = 1000;

/// A fingerprint of all that must be the same for all workers and after a resumption: the graph, the jumps, the options.
pub fn task(graph: &dyn InLinks, jumps: &[Jump], options: &RankOptions) -> u64 {
    let pages = graph.pages();
    let mut numbers = vec![pages as u64, graph.links_before(pages), graph.hosts().len() as u64];
    for at in 0..SAMPLE.min(pages) {
        let page = (pages as u128 * at as u128 / SAMPLE.min(pages) as u128) as usize;
        graph.read(page..page + 1, &mut |page, row| {
            numbers.push(page as u64);
            numbers.extend(graph.out_degrees(page).map(u64::from));
            for source in row {
                numbers.extend([source.page() as u64, source.stratum().index() as u64]);
            }
        });
    }
    // Neither changes what an iteration does.
    let options = RankOptions { most_iterations: 0, partitions: 0, ..options.clone() };
    let mut bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    bytes.extend_from_slice(format!("{options:?} {jumps:?}").as_bytes());
    xxh3_64(&bytes)
}

/// Does a ranking of its own have to tell what pages without links give to all?
fn is_shared(jumps: &[Jump], options: &RankOptions) -> bool {
    options.dangling == Dangling::Uniform && jumps.iter().any(|jump| *jump != Jump::Everywhere)
}

/// Can workers compute all of these rankings? Unlike [`crate::rank`], they compute them in one go.
pub fn check(graph: &dyn InLinks, jumps: &[Jump], options: &RankOptions) -> Result<(), Error> {
    options.check(graph, jumps)?;
    let most = MOST_LANES - usize::from(is_shared(jumps, options));
    if jumps.len() > most {
        return Err(Error::new(format!(
            "{} rankings, but several workers compute at most {most} of this kind at once; divide them into several runs",
            jumps.len()
        )));
    }
    Ok(())
}

/// This worker's part of a ranking of all pages, once for each jump. The number of partitions is that of workers. All
/// workers call this with the same graph, jumps, options and settings; the first one returns the ranks.
pub fn rank(
    graph: &dyn InLinks,
    jumps: &[Jump],
    options: &RankOptions,
    settings: &ClusterOptions,
    endpoint: &mut Endpoint,
    progress: &dyn Progress,
) -> Result<Option<Ranking>, Error> {
    check(graph, jumps, options)?;
    endpoint.patience = settings.patience;
    let shared = is_shared(jumps, options);
    let mut jumps = jumps.to_vec();
    if shared {
        jumps.push(Jump::Everywhere);
    }
    let task = task(graph, &jumps, options);
    let (plan, start) = begin(graph, settings, task, endpoint)?;
    compare_ends(&plan, endpoint)?;
    let done = match &start {
        Start::Checkpoint { residuals, .. } => residuals.len(),
        _ => 0,
    };
    if done > 0 && endpoint.index() == 0 {
        progress.note(&format!("goes on after iteration {done}"));
    }
    let (index, workers) = (endpoint.index(), endpoint.partitions());
    let mut checkpoint_writer = match &settings.checkpoints {
        None => None,
        Some(checkpoints) => {
            let mut checkpoint_writer =
                CheckpointWriter::new(checkpoints, (index, workers), task, plan.ends())?;
            checkpoint_writer.begin_after(done)?;
            Some(checkpoint_writer)
        }
    };
    progress.begin("ranking", options.expected_iterations());
    let mut watch = |state: &State<'_>| {
        checkpoint_writer
            .as_mut()
            .map_or(Ok(()), |checkpoint_writer| checkpoint_writer.watch(state))?;
        progress.step();
        Ok(())
    };
    let solve = solver(jumps.len(), options.precision());
    let solved = solve(graph, &plan, &jumps, options, start, endpoint, &mut watch)?;
    gather(&solved, jumps.len() - usize::from(shared), shared, options, endpoint)
}

/// Who has which pages, and where the ranks of this worker start.
fn begin(
    graph: &dyn InLinks,
    settings: &ClusterOptions,
    task: u64,
    endpoint: &mut Endpoint,
) -> Result<(Plan, Start), Error> {
    let checkpoints = settings.checkpoints.as_ref().filter(|_| settings.resume);
    let workers = endpoint.partitions();
    let last = checkpoints.map_or(Ok(None), |checkpoints| checkpoints.last(workers))?;
    // Without a folder in common, a worker may have died before it noted the last checkpoint: the oldest counts.
    let balance = xxh3_64(format!("{:?}", settings.balance).as_bytes()) as u32;
    let every = settings.checkpoints.as_ref().map_or(0, |checkpoints| checkpoints.every.max(1));
    let numbers = Numbers::Integers(vec![balance, u32::from(checkpoints.is_some()), every as u32]);
    let message = Message { numbers, sums: vec![last.map_or(0.0, |last| last as f64)] };
    let answers = endpoint.exchange(vec![message.clone(); workers])?;
    if let Some(other) = answers.iter().position(|answer| answer.numbers != message.numbers) {
        return Err(Error::new(format!(
            "{} divides pages in another way, or does not keep checkpoints or resume as this one does; give all the \
             same settings",
            endpoint.name(other)
        )));
    }
    let lasts: Vec<f64> =
        answers.iter().filter_map(|answer| answer.sums.first().copied()).collect();
    let (last, newest) = (
        lasts.iter().copied().fold(f64::INFINITY, f64::min),
        lasts.iter().copied().fold(0.0, f64::max),
    );
    if last == 0.0 && newest > 0.0 {
        let without =
            (0..workers).filter(|worker| lasts.get(*worker).is_none_or(|last| *last == 0.0));
        let without: Vec<String> = without.map(|worker| endpoint.name(worker)).collect();
        return Err(Error::new(format!(
            "no checkpoint of {}, though there is one of iteration {newest} of others; give each worker the folder \
             that it had, or start without resuming",
            without.join(", ")
        )));
    }
    let Some(checkpoints) = checkpoints.filter(|_| last > 0.0) else {
        let speeds = settings.balance.speeds(endpoint)?;
        return Ok((Plan::by_speed(graph, &speeds), Start::Jumps));
    };
    let part = checkpoints.read(endpoint.index(), endpoint.partitions(), last as usize, task)?;
    let plan = Plan::of_ends(part.ends.clone())
        .filter(|plan| plan.partitions() == endpoint.partitions())
        .filter(|plan| plan.pages(plan.partitions() - 1).end == graph.pages());
    let plan =
        plan.ok_or_else(|| Error::at(&checkpoints.folder, "of another number of workers"))?;
    Ok((plan, part.start()))
}

/// Workers that have other ranges would wait for votes that nobody sends.
fn compare_ends(plan: &Plan, endpoint: &mut Endpoint) -> Result<(), Error> {
    let bytes: Vec<u8> = plan.ends().iter().flat_map(|end| (*end as u64).to_le_bytes()).collect();
    let hash = xxh3_64(&bytes);
    let numbers = Numbers::Integers(vec![hash as u32, (hash >> 32) as u32]);
    let message = Message { numbers, sums: Vec::new() };
    let answers = endpoint.exchange(vec![message.clone(); endpoint.partitions()])?;
    match answers.iter().position(|answer| *answer != message) {
        None => Ok(()),
        Some(other) => Err(Error::new(format!(
            "{} has divided the pages in another way than this one; give all the same settings and the checkpoints of \
             one run, or start without resuming",
            endpoint.name(other)
        ))),
    }
}

/// Sends all ranks to the first worker.
fn gather(
    solved: &Solved,
    lanes: usize,
    shared: bool,
    options: &RankOptions,
    endpoint: &mut Endpoint,
) -> Result<Option<Ranking>, Error> {
    let mut ranks = Vec::with_capacity(lanes * solved.pages.len());
    (0..lanes).for_each(|lane| ranks.extend(solved.ranks(lane, shared, options)));
    let empty = Message { numbers: Numbers::Single(Vec::new()), sums: Vec::new() };
    let mut messages = vec![empty.clone(); endpoint.partitions()];
    messages[0].numbers = Numbers::Single(ranks);
    let answers = endpoint.exchange(messages)?;
    // Wait for all: a worker that ended now would close its connection while ranks are still on their way.
    let all_there = endpoint.exchange(vec![empty; endpoint.partitions()]);
    if endpoint.index() != 0 {
        return all_there.map(|_| None);
    }
    let mut vectors = vec![Vec::new(); lanes];
    for (worker, answer) in answers.into_iter().enumerate() {
        let Numbers::Single(ranks) = answer.numbers else {
            return Err(Error::new(format!("{} has sent no ranks", endpoint.name(worker))));
        };
        let pages = ranks.len() / lanes.max(1);
        for (lane, vector) in vectors.iter_mut().enumerate() {
            vector.extend_from_slice(&ranks[lane * pages..(lane + 1) * pages]);
        }
    }
    Ok(Some(Ranking { vectors, run: solved.run.clone() }))
}
