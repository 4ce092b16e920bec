//! Rankings of a graph on disk to which pages are added meanwhile (3.2.3): they join at the next iteration.

use webstrata_base::{Error, Progress};

use super::{Jump, RankOptions, Ranking, rank_until_news};
use crate::graph::Graph;
use crate::links::InLinks;

/// The ranks of a graph that may have grown.
#[derive(Debug)]
pub struct Grown {
    /// The graph as it is in the end.
    pub graph: Graph,
    /// The ranks of its pages. Residuals are those of all iterations, and times of all; counts are of the last graph.
    pub ranking: Ranking,
    /// After how many iterations pages have joined, and how many.
    pub joined: Vec<(usize, usize)>,
}

/// Ranks a graph. When somebody has added to it, the ranking goes on with the next iteration: pages keep the ranks that
/// they have, and new ones begin with nothing. `open` opens the graph as it is then, `jumps` says where its surfers
/// jump to, for each ranking as before.
///
/// # Errors
///
/// As [`rank`](super::rank), and what `open` and `jumps` say.
pub fn rank_growing<E: From<Error>>(
    graph: Graph,
    open: &dyn Fn() -> Result<Graph, E>,
    jumps: &mut dyn FnMut(&Graph) -> Result<Vec<Jump>, E>,
    options: &RankOptions,
    earlier: Option<Vec<Vec<f32>>>,
    progress: &dyn Progress,
) -> Result<Grown, E> {
    let (mut graph, mut earlier, most) = (graph, earlier, options.most_iterations);
    let (mut residuals, mut joined) = (Vec::new(), Vec::new());
    let (mut preparing, mut iterating) = Default::default();
    loop {
        let options = RankOptions { most_iterations: most - residuals.len(), ..options.clone() };
        let news = || graph.has_grown();
        let wanted = jumps(&graph)?;
        let mut ranking =
            rank_until_news(&graph, &wanted, &options, earlier.as_deref(), &news, progress)?;
        let run = &mut ranking.run;
        residuals.append(&mut run.residuals);
        preparing += run.preparing;
        iterating += run.iterating;
        // What was added while the last iteration was computed joins, too.
        if residuals.len() >= most || !graph.has_grown() {
            (run.preparing, run.iterating) = (preparing, iterating);
            run.residuals = residuals;
            return Ok(Grown { graph, ranking, joined });
        }
        let now = open()?;
        let carried = ranking.vectors.iter().map(|values| now.carried(&graph, values));
        earlier = Some(carried.collect());
        joined.push((residuals.len(), now.pages().saturating_sub(graph.pages())));
        graph = now;
    }
}
