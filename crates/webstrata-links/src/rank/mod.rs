//! PageRank: exact, in partitions, any number of biased rankings at once (3.1 to 3.3, 5.2.1).
//!
//! What is solved is always x = v + αMx: v are the jumps of the surfer, M what a page gives to the pages it links
//! to. Pages without links give nothing. What happens to their rank is a matter of what is done with x afterwards
//! ([`Dangling`]), which is exact, and cheaper than to hand it around in every iteration.
//!
//! ```
//! use webstrata_links::MemoryGraph;
//! use webstrata_links::rank::{Jump, RankOptions, rank};
//!
//! // Two hosts. Both pages of the first one link to the page of the second.
//! let graph = MemoryGraph::new(&[2, 1], [(0, 1, false), (0, 2, false), (1, 2, false)]);
//! let ranking = rank(&graph, &[Jump::Everywhere], &RankOptions::default(), &()).unwrap();
//! let ranks = &ranking.vectors[0];
//! assert!(ranks[2] > ranks[1] && ranks[1] > ranks[0]);
//! assert!((ranks.iter().sum::<f32>() - 1.0).abs() < 1e-6);
//! ```

mod by_hosts;
pub mod exchange;
mod givers;
mod growing;
mod inflow;
mod partition;
mod plan;
mod reading;
mod rows;
mod solve;
mod surfer;
#[cfg(test)]
mod tests;
mod top;
mod values;

use webstrata_base::{Error, Progress};

use crate::links::InLinks;
pub use by_hosts::{ByHosts, Grouping};
use exchange::{Asking, Threads};
pub use growing::{Grown, rank_growing};
pub use plan::Plan;
pub use solve::{Run, Solved, Start, State, solve};
pub use surfer::{Choice, Surfer};
pub use top::{sortable, top};
pub use values::{Lanes, Value};

/// Where the surfer jumps to.
#[derive(Clone, Debug, PartialEq)]
pub enum Jump {
    /// To any page: PageRank without bias.
    Everywhere,
    /// To one of these pages, which are the biasing set (Equation 3.4).
    Set(Vec<usize>),
    /// To one of these pages, in proportion to their weights.
    Weighted(Vec<(usize, f64)>),
}

impl Jump {
    /// Does it lead somewhere?
    fn check(&self, pages: usize) -> Result<(), Error> {
        let to: Box<dyn Iterator<Item = (usize, f64)>> = match self {
            Jump::Everywhere => return Ok(()),
            Jump::Set(set) => Box::new(set.iter().map(|page| (*page, 1.0))),
            Jump::Weighted(set) => Box::new(set.iter().copied()),
        };
        let mut total = 0.0;
        for (page, weight) in to {
            if page >= pages {
                let message =
                    format!("page {page} of a biasing set is not one of the {pages} pages");
                return Err(Error::new(message));
            }
            if !(0.0..=1e9).contains(&weight) {
                let message = format!(
                    "page {page} has weight {weight} in a biasing set, must be from 0 to a billion"
                );
                return Err(Error::new(message));
            }
            total += weight;
        }
        if total == 0.0 {
            let message =
                "a biasing set is empty or without weight, give it at least one page of the graph";
            return Err(Error::new(message));
        }
        Ok(())
    }
}

/// How ranks are computed. The result is the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Method {
    /// From the ranks of the last iteration (Equation 3.1).
    Jacobi,
    /// From the newest ranks there are (Equation 3.7); between partitions, from those of the last iteration
    /// (Equation 3.10).
    #[default]
    GaussSeidel,
}

/// What happens to the rank of pages that have no links.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Dangling {
    /// Its surfer jumps, as the jumps of the ranking are. As networkx and igraph, and strongly preferential PageRank.
    #[default]
    Jump,
    /// Its surfer goes to any page, also in biased rankings. As weakly preferential PageRank.
    Uniform,
    /// It is lost, ranks sum to less than 1. As the `graph` crate, and pseudo-rank.
    Drop,
}

/// When ranks are good enough.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Until {
    /// The last iteration has changed the ranks by at most this much, summed over all pages, as a part of their sum.
    Residual(f64),
    /// The sum of all pages' errors is at most this much; so no page is off by more.
    Error(f64),
}

/// How precise the numbers are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Precision {
    /// Single, unless that is too little for what is wanted.
    #[default]
    Enough,
    /// 32 bits a number, sums over pages in 64.
    Single,
    /// 64 bits.
    Double,
}

/// How to rank.
#[derive(Clone, Debug, PartialEq)]
pub struct RankOptions {
    /// How the surfer chooses.
    pub surfer: Surfer,
    /// What happens to the rank of pages without links.
    pub dangling: Dangling,
    /// How ranks are computed.
    pub method: Method,
    /// When they are good enough.
    pub until: Until,
    /// Iterations at most.
    pub most_iterations: usize,
    /// Partitions, each with a thread.
    pub partitions: usize,
    /// Which pages make a partition.
    pub grouping: Grouping,
    /// How often a partition goes over its pages between two exchanges of votes.
    pub sweeps: usize,
    /// How precise the numbers are.
    pub precision: Precision,
}

impl Default for RankOptions {
    fn default() -> RankOptions {
        RankOptions {
            surfer: Surfer::default(),
            dangling: Dangling::default(),
            method: Method::default(),
            until: Until::Residual(1e-6),
            most_iterations: 1_000,
            partitions: 1,
            grouping: Grouping::default(),
            sweeps: 1,
            precision: Precision::default(),
        }
    }
}

/// Ranks of all pages.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranking {
    /// For each jump, the rank of each page by its position.
    pub vectors: Vec<Vec<f32>>,
    /// Statistics; if there were more jumps than are computed at once, of the slowest part, with the time of all.
    pub run: Run,
}

/// Residuals below which numbers of 32 bits are no longer exact enough.
const SINGLE_ENOUGH: f64 = 1e-7;

/// Who jumps more rarely needs numbers of 64 bits.
const SINGLE_JUMPS: f64 = 1e-3;

/// How many rankings are computed at once.
pub const MOST_LANES: usize = 16;

impl RankOptions {
    /// Can it be computed?
    pub fn check(&self, graph: &dyn InLinks, jumps: &[Jump]) -> Result<(), Error> {
        self.surfer.check()?;
        let (Until::Residual(enough) | Until::Error(enough)) = self.until;
        if enough.is_nan() || enough < 0.0 {
            return Err(Error::new(format!("the wanted residual is {enough}, must be 0 or more")));
        }
        jumps.iter().try_for_each(|jump| jump.check(graph.pages()))
    }

    /// About how many iterations it will take at most, to show progress.
    pub(crate) fn expected_iterations(&self) -> usize {
        let (Until::Residual(enough) | Until::Error(enough)) = self.until;
        // Each iteration leaves α of what was to come, or less.
        let needed = (enough.max(1e-16).ln() / self.surfer.alpha.max(1e-16).ln()).ceil() as usize;
        needed.clamp(1, self.most_iterations.max(1))
    }

    pub(crate) fn precision(&self) -> Precision {
        let residual = match self.until {
            Until::Residual(enough) => enough,
            Until::Error(enough) => enough * (1.0 - self.surfer.alpha) / (2.0 * self.surfer.alpha),
        };
        // What is rounded in an iteration comes back as often as a surfer follows links without a jump.
        let too_little = residual < SINGLE_ENOUGH || 1.0 - self.surfer.alpha < SINGLE_JUMPS;
        match self.precision {
            Precision::Enough if too_little => Precision::Double,
            Precision::Enough => Precision::Single,
            chosen => chosen,
        }
    }
}

/// Ranks all pages, once for each jump.
pub fn rank(
    graph: &dyn InLinks,
    jumps: &[Jump],
    options: &RankOptions,
    progress: &dyn Progress,
) -> Result<Ranking, Error> {
    rank_from(graph, jumps, options, None, progress)
}

/// Ranks all pages, from an earlier ranking on: a vector for each jump, of the same length as the graph has pages
/// (0 for those that are new). Where little has changed, fewer iterations are needed; least under
/// [`Dangling::Jump`] and [`Dangling::Drop`], whose ranks are the solution itself.
pub fn rank_from(
    graph: &dyn InLinks,
    jumps: &[Jump],
    options: &RankOptions,
    earlier: Option<&[Vec<f32>]>,
    progress: &dyn Progress,
) -> Result<Ranking, Error> {
    rank_until_news(graph, jumps, options, earlier, &|| false, progress)
}

/// The same. After each iteration somebody is asked whether there is news; if so, it ends ([`Run::stopped`]).
pub fn rank_until_news(
    graph: &dyn InLinks,
    jumps: &[Jump],
    options: &RankOptions,
    earlier: Option<&[Vec<f32>]>,
    news: &(dyn Fn() -> bool + Sync),
    progress: &dyn Progress,
) -> Result<Ranking, Error> {
    options.check(graph, jumps)?;
    if options.grouping != Grouping::Ranges && options.partitions > 1 {
        let graph = ByHosts::new(graph, options.grouping, options.partitions)?;
        let jumps: Vec<Jump> = jumps.iter().map(|jump| graph.jump_here(jump)).collect();
        let earlier: Option<Vec<Vec<f32>>> = earlier
            .map(|earlier| earlier.iter().map(|values| graph.in_order_here(values)).collect());
        let plan = graph.plan().clone();
        let mut ranking =
            rank_parts(&graph, &plan, &jumps, options, earlier.as_deref(), news, progress)?;
        ranking.vectors.iter_mut().for_each(|vector| *vector = graph.in_order_there(vector));
        return Ok(ranking);
    }
    let plan = Plan::even(graph, options.partitions);
    rank_parts(graph, &plan, jumps, options, earlier, news, progress)
}

/// The same for partitions that are known.
fn rank_parts(
    graph: &dyn InLinks,
    plan: &Plan,
    jumps: &[Jump],
    options: &RankOptions,
    earlier: Option<&[Vec<f32>]>,
    news: &(dyn Fn() -> bool + Sync),
    progress: &dyn Progress,
) -> Result<Ranking, Error> {
    // What is given back to all pages needs the ranking of who jumps everywhere.
    let shared =
        options.dangling == Dangling::Uniform && jumps.iter().any(|jump| *jump != Jump::Everywhere);
    let per_run = MOST_LANES - usize::from(shared);
    let mut ranking = Ranking { vectors: Vec::with_capacity(jumps.len()), run: Run::default() };
    for (at, jumps) in jumps.chunks(per_run).enumerate() {
        let mut jumps = jumps.to_vec();
        let start = earlier.map(|earlier| {
            let earlier = earlier.get(at * per_run..).unwrap_or_default();
            let mut start: Vec<&[f32]> =
                earlier.iter().take(jumps.len()).map(Vec::as_slice).collect();
            start.resize(jumps.len() + usize::from(shared), &[]);
            start
        });
        if shared {
            jumps.push(Jump::Everywhere);
        }
        let parts = in_threads(graph, plan, &jumps, options, start.as_deref(), news, progress)?;
        let Some(first) = parts.first() else { continue };
        ranking.run.add(&first.run);
        for lane in 0..jumps.len() - usize::from(shared) {
            let mut vector = Vec::with_capacity(graph.pages());
            for part in &parts {
                vector.extend(part.ranks(lane, shared, options));
            }
            ranking.vectors.push(vector);
        }
    }
    Ok(ranking)
}

impl Solved {
    /// The ranks of the partition's pages, by the rule for pages without links. `shared`: the last solution is that of
    /// jumps to everywhere.
    pub fn ranks(
        &self,
        lane: usize,
        shared: bool,
        options: &RankOptions,
    ) -> impl Iterator<Item = f32> {
        let alpha = options.surfer.alpha;
        let solution = &self.solutions[lane];
        let (factor, given) = match options.dangling {
            Dangling::Drop => (1.0 - alpha, 0.0),
            Dangling::Uniform if shared => {
                // r = (1-α)x + αDy, where y jumps everywhere and D is the rank of r at pages without links.
                let last = self.totals.len().min(self.solutions.len()) - 1;
                let dangling =
                    (1.0 - alpha) * self.dangling[lane] / (1.0 - alpha * self.dangling[last]);
                (1.0 - alpha, alpha * dangling)
            }
            // Who jumps anyway, or uniformly in either case: x made to sum to 1.
            _ => (if self.totals[lane] > 0.0 { 1.0 / self.totals[lane] } else { 0.0 }, 0.0),
        };
        let uniform = self.solutions.last().filter(|_| given > 0.0);
        solution.iter().enumerate().map(move |(page, value)| {
            let uniform = uniform.map_or(0.0, |uniform| given * uniform[page]);
            (factor * value + uniform) as f32
        })
    }
}

/// Runs all partitions as threads.
fn in_threads(
    graph: &dyn InLinks,
    plan: &Plan,
    jumps: &[Jump],
    options: &RankOptions,
    earlier: Option<&[&[f32]]>,
    news: &(dyn Fn() -> bool + Sync),
    progress: &dyn Progress,
) -> Result<Vec<Solved>, Error> {
    progress.begin("ranking", options.expected_iterations());
    let work = |threads: Threads| {
        use exchange::Exchange;
        let mut exchange = Asking { threads, news };
        let pages = plan.pages(exchange.index());
        let of_partition =
            |vector: &&[f32]| vector.get(pages.clone()).map(<[f32]>::to_vec).unwrap_or_default();
        let start = match earlier {
            None => Start::Jumps,
            Some(earlier) => Start::Ranks(earlier.iter().map(of_partition).collect()),
        };
        let first = exchange.index() == 0;
        let mut watch = |_: &State<'_>| {
            if first {
                progress.step();
            }
            Ok(())
        };
        let precision = options.precision();
        solver(jumps.len(), precision)(
            graph,
            plan,
            jumps,
            options,
            start,
            &mut exchange,
            &mut watch,
        )
    };
    let ended = std::thread::scope(|scope| {
        let threads: Vec<_> = Threads::connect(plan.partitions())
            .into_iter()
            .map(|exchange| scope.spawn(|| work(exchange)))
            .collect();
        threads.into_iter().map(std::thread::ScopedJoinHandle::join).collect::<Vec<_>>()
    });
    let ended = ended.into_iter().map(|ended| {
        ended.unwrap_or_else(|_| Err(Error::new("a thread of the ranking has failed")))
    });
    let (solved, failed): (Vec<_>, Vec<_>) = ended.partition(Result::is_ok);
    // Who fails first takes the others along: these only say that somebody has gone.
    let mut failed: Vec<Error> = failed.into_iter().filter_map(Result::err).collect();
    failed.sort_by_key(|error| error.to_string() == exchange::GONE);
    match failed.into_iter().next() {
        Some(error) => Err(error),
        None => Ok(solved.into_iter().flatten().collect()),
    }
}

type Solve = fn(
    &dyn InLinks,
    &Plan,
    &[Jump],
    &RankOptions,
    Start,
    &mut dyn exchange::Exchange,
    &mut dyn FnMut(&State<'_>) -> Result<(), Error>,
) -> Result<Solved, Error>;

/// The solver for so many rankings at once.
pub fn solver(jumps: usize, precision: Precision) -> Solve {
    match (precision, jumps) {
        (Precision::Double, 0..=1) => solve::<f64>,
        (Precision::Double, 2..=4) => solve::<Lanes<f64, 4>>,
        (Precision::Double, _) => solve::<Lanes<f64, MOST_LANES>>,
        (_, 0..=1) => solve::<f32>,
        (_, 2..=4) => solve::<Lanes<f32, 4>>,
        (_, 5..=8) => solve::<Lanes<f32, 8>>,
        _ => solve::<Lanes<f32, MOST_LANES>>,
    }
}
