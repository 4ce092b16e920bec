//! One partition's part of a ranking: read, ask, then iterate and vote until all agree that it is enough.

use std::ops::Range;
use std::time::{Duration, Instant};

use webstrata_base::Error;

use super::exchange::{Exchange, Message, Numbers};
use super::partition::{Partition, Tally};
use super::plan::Plan;
use super::values::Value;
use super::{Jump, RankOptions, Until};
use crate::links::InLinks;

/// Iterations without any progress after which the precision of the numbers is exhausted, beside those that a change
/// may take to die away.
const PATIENCE: usize = 10;

/// Where the ranks of a partition start.
pub enum Start {
    /// At the jumps, as in the thesis.
    Jumps,
    /// At an earlier ranking of the same pages, one vector of a number for each page of the partition for every
    /// jump: after the graph has changed a little, that is near.
    Ranks(Vec<Vec<f32>>),
    /// Where a run was stopped: exactly as it would have gone on.
    Checkpoint {
        /// The residuals of the iterations that were done.
        residuals: Vec<f64>,
        /// What [`State::values`] gave.
        values: Numbers,
    },
}

/// What is known after an iteration.
pub struct State<'a> {
    /// How many iterations were done.
    pub iteration: usize,
    /// The residual of each.
    pub residuals: &'a [f64],
    /// The residual of this partition alone: the change of the ranks of its pages, as a part of their sum.
    pub own_residual: f64,
    /// The pages of this partition.
    pub pages: Range<usize>,
    /// The state of the partition, from which [`Start::Checkpoint`] goes on. A copy of all ranks: ask when needed.
    pub values: &'a dyn Fn() -> Numbers,
}

/// Statistics of a ranking, over all partitions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Run {
    /// How many pages.
    pub pages: u64,
    /// How many of them give rank away: only these take part in iterations.
    pub givers: u64,
    /// How many links.
    pub links: u64,
    /// Links between hosts.
    pub inter_host: u64,
    /// Links between partitions.
    pub inter_partition: u64,
    /// What is sent for them: one value for each target page and partition.
    pub votes: u64,
    /// Those of them that are sent in every iteration; the others once, at the end.
    pub votes_each: u64,
    /// Bytes of votes and sums that are sent to other partitions in an iteration.
    pub bytes_sent: u64,
    /// The change of all ranks in each iteration, as a part of their sum: the largest of all rankings.
    pub residuals: Vec<f64>,
    /// Was the wanted residual reached?
    pub converged: bool,
    /// Did it stop because somebody asked for that?
    pub stopped: bool,
    /// No ranking is farther than this from the exact one, summed over all pages, roundings aside.
    pub error_bound: f64,
    /// Bytes of memory for links and ranks.
    pub bytes: u64,
    /// Time until the first iteration.
    pub preparing: Duration,
    /// Time of the iterations.
    pub iterating: Duration,
}

impl Run {
    /// Adds a run on the same graph. What was worse in either counts.
    pub(crate) fn add(&mut self, other: &Run) {
        if self.residuals.is_empty() {
            *self = other.clone();
            return;
        }
        if other.residuals.len() > self.residuals.len() {
            self.residuals.clone_from(&other.residuals);
        }
        self.converged &= other.converged;
        self.stopped |= other.stopped;
        self.error_bound = self.error_bound.max(other.error_bound);
        self.bytes = self.bytes.max(other.bytes);
        self.bytes_sent = self.bytes_sent.max(other.bytes_sent);
        self.preparing += other.preparing;
        self.iterating += other.iterating;
    }
}

/// The end of a run, as one partition knows it.
pub struct Solved {
    /// The pages of the partition.
    pub pages: Range<usize>,
    /// The solution x = v + αMx of each jump at these pages, where nothing is given back for pages without links.
    pub solutions: Vec<Vec<f64>>,
    /// The sum of each solution over all pages of all partitions.
    pub totals: Vec<f64>,
    /// The part of it that lies at pages without links.
    pub dangling: Vec<f64>,
    /// How it went.
    pub run: Run,
}

/// Ranks the pages of one partition. All partitions of the exchange do the same.
pub fn solve<V: Value>(
    graph: &dyn InLinks,
    plan: &Plan,
    jumps: &[Jump],
    options: &RankOptions,
    start: Start,
    exchange: &mut dyn Exchange,
    watch: &mut dyn FnMut(&State<'_>) -> Result<(), Error>,
) -> Result<Solved, Error> {
    let began = Instant::now();
    let (partition, requests) = Partition::<V>::read(
        graph,
        plan,
        exchange.index(),
        (&options.surfer, options.method),
        jumps,
    )?;
    let alpha = options.surfer.alpha;
    let mut solver = Solver { partition, exchange, jumps: jumps.len(), alpha, stops: false };
    let mut residuals = solver.begin(requests, start)?;
    let mut run = solver.counts(graph.pages())?;
    run.preparing = began.elapsed();

    let began = Instant::now();
    let patience = PATIENCE + ((1.0 - alpha).ln() / alpha.ln()) as usize;
    while residuals.len() < options.most_iterations {
        let mut tally = solver.partition.iterate(options.method);
        for _ in 1..options.sweeps.max(1) {
            // What changed in any of them is news to the other partitions.
            let again = solver.partition.iterate(options.method);
            tally.change.iter_mut().zip(&again.change).for_each(|(sum, more)| *sum += more);
            tally.total = again.total;
        }
        let residual = solver.vote(&tally)?;
        let own = tally.change.iter().zip(&tally.total).take(jumps.len());
        let own = own.map(|(change, total)| if *total > 0.0 { change / total } else { 0.0 });
        residuals.push(residual);
        watch(&State {
            iteration: residuals.len(),
            residuals: &residuals,
            own_residual: own.fold(0.0, f64::max),
            pages: solver.partition.pages(),
            values: &|| V::pack(solver.partition.ranks()),
        })?;
        let done = options.until.is_reached(residual, alpha);
        run.stopped = solver.stops && !done;
        if done || run.stopped || since_best(&residuals) >= patience {
            break;
        }
    }
    run.iterating = began.elapsed();
    let residual = residuals.last().copied().unwrap_or(f64::INFINITY);
    run.error_bound = error_bound(residual, alpha);
    run.converged = options.until.is_reached(residual, alpha);
    run.residuals = residuals;
    solver.finish(run)
}

/// How many iterations ago the smallest residual was.
fn since_best(residuals: &[f64]) -> usize {
    let best = residuals.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1));
    best.map_or(0, |(at, _)| residuals.len() - 1 - at)
}

impl Until {
    fn is_reached(self, residual: f64, alpha: f64) -> bool {
        match self {
            Until::Residual(enough) => residual <= enough,
            Until::Error(enough) => error_bound(residual, alpha) <= enough,
        }
    }
}

/// How far from the exact solution ranks can be that an iteration has changed so much. Every change reaches other
/// pages by at most α of it, and what is still to come of that is a geometric series; the sum of all ranks may be off
/// by as much again.
fn error_bound(residual: f64, alpha: f64) -> f64 {
    // Who never follows a link is where he jumped to, whatever was before.
    if alpha == 0.0 { 0.0 } else { 2.0 * residual * alpha / (1.0 - alpha) }
}

struct Solver<'a, V: Value> {
    partition: Partition<V>,
    exchange: &'a mut dyn Exchange,
    jumps: usize,
    alpha: f64,
    /// Has a partition said so with its last votes?
    stops: bool,
}

impl<V: Value> Solver<'_, V> {
    /// Agrees with the others on who votes for what, and starts. The residuals of an earlier part of the run.
    fn begin(&mut self, requests: Vec<Vec<u32>>, start: Start) -> Result<Vec<f64>, Error> {
        let earlier = match &start {
            Start::Ranks(ranks) if ranks.len() == self.jumps => Some(ranks),
            _ => None,
        };
        // A page that is new to a ranking starts with nothing.
        let rank = |page: usize, lane: usize| {
            let rank = earlier.and_then(|ranks| ranks.get(lane)?.get(page));
            rank.filter(|rank| rank.is_finite()).map_or(0.0, |rank| f64::from(rank.max(0.0)))
        };
        let (mut dangling, all) = match earlier {
            Some(_) => self.partition.sums(rank),
            None => self.partition.jump_sums(),
        };
        let lanes = dangling.len();
        dangling.extend(all);
        let messages = requests
            .into_iter()
            .map(|request| Message { numbers: Numbers::Integers(request), sums: dangling.clone() });
        let answers = self.exchange.exchange(messages.collect())?;
        let sums = total(&answers, 2 * lanes)?;
        self.partition.answer(answers.into_iter().map(|answer| answer.numbers).collect())?;

        let mut residuals = Vec::new();
        match start {
            Start::Checkpoint { residuals: earlier, values } => {
                let fits = V::unpack(values).is_some_and(|values| self.partition.resume(values));
                if !fits {
                    return Err(Error::new(
                        "the checkpoint is of another graph or of other options",
                    ));
                }
                residuals = earlier;
            }
            _ => {
                // The sum of the solution that has this share of its rank at pages without links.
                let sum = |lane: usize| {
                    let (dangling, all) = (sums[lane], sums[lanes + lane]);
                    if all > 0.0 {
                        1.0 / (1.0 - self.alpha * (1.0 - dangling / all)) / all
                    } else {
                        0.0
                    }
                };
                let sums: Vec<f64> = (0..lanes).map(sum).collect();
                match earlier {
                    Some(_) => self.partition.start(|page, lane| rank(page, lane) * sums[lane]),
                    None => self.partition.start_at_jumps(&sums),
                }
            }
        }
        self.vote(&Tally::default())?;
        Ok(residuals)
    }

    /// Sends votes, takes those of the others in. The residual over all partitions.
    fn vote(&mut self, tally: &Tally) -> Result<f64, Error> {
        let mut sums: Vec<f64> = tally.change.iter().chain(&tally.total).copied().collect();
        sums.push(f64::from(self.exchange.stops()));
        let lanes = tally.change.len();
        let votes = self.partition.votes().into_iter();
        let messages = votes.map(|numbers| Message { numbers, sums: sums.clone() }).collect();
        let answers = self.exchange.exchange(messages)?;
        let sums = total(&answers, 2 * lanes + 1)?;
        self.stops = sums[2 * lanes] > 0.0;
        self.partition.take(answers)?;
        // All rank: what jumps bring, 1, and what givers pass on.
        let residual = |lane: usize| sums[lane] / (1.0 + self.alpha * sums[lanes + lane]);
        if sums.iter().any(|sum| !sum.is_finite()) {
            return Err(Error::new("ranks have grown beyond all numbers, choose a smaller alpha"));
        }
        Ok((0..lanes.min(self.jumps)).map(residual).fold(0.0, f64::max))
    }

    /// What all partitions have together.
    fn counts(&mut self, pages: usize) -> Result<Run, Error> {
        let counts = self.partition.counts();
        let sums = 8 * (2 * V::LANES + 1) * (self.exchange.partitions() - 1);
        let sent = counts.votes_to_givers * size_of::<V>() as u64 + sums as u64;
        let mine = [
            counts.givers,
            counts.inside + counts.between,
            counts.inter_host,
            counts.between,
            counts.votes,
            counts.votes_to_givers,
            sent,
            self.partition.bytes(),
        ];
        let all = self.sum(&mine.map(|count| count as f64))?;
        let mut all = all.into_iter().map(|count| count as u64);
        let mut next = || all.next().unwrap_or_default();
        Ok(Run {
            pages: pages as u64,
            givers: next(),
            links: next(),
            inter_host: next(),
            inter_partition: next(),
            votes: next(),
            votes_each: next(),
            bytes_sent: next(),
            bytes: next(),
            ..Run::default()
        })
    }

    fn sum(&mut self, mine: &[f64]) -> Result<Vec<f64>, Error> {
        let message = Message { numbers: Numbers::Integers(Vec::new()), sums: mine.to_vec() };
        let messages = vec![message; self.exchange.partitions()];
        total(&self.exchange.exchange(messages)?, mine.len())
    }

    fn finish(mut self, run: Run) -> Result<Solved, Error> {
        let nothing = Vec::new();
        let messages = self.partition.last_votes().into_iter();
        let messages = messages.map(|numbers| Message { numbers, sums: nothing.clone() }).collect();
        let ranks = self.partition.finish(self.exchange.exchange(messages)?)?;
        let (mut dangling, all) = self.partition.sums(|page, lane| ranks[page].lane(lane));
        let lanes = dangling.len();
        let solution = |lane| ranks.iter().map(|rank| rank.lane(lane)).collect();
        let solutions = (0..self.jumps).map(solution).collect();
        dangling.extend(all);
        let mut dangling = self.sum(&dangling)?;
        let totals = dangling.split_off(lanes);
        Ok(Solved { pages: self.partition.pages(), solutions, totals, dangling, run })
    }
}

/// The sums of all partitions, added up.
fn total(messages: &[Message], length: usize) -> Result<Vec<f64>, Error> {
    let mut total = vec![0.0; length];
    for message in messages {
        if message.sums.len() != length {
            return Err(Error::new("the partitions of a ranking do not compute the same"));
        }
        for (sum, more) in total.iter_mut().zip(&message.sums) {
            *sum += more;
        }
    }
    Ok(total)
}
