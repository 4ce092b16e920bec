//! How fast a worker is, and which pages it gets for that (3.2.2, computational load balancing).

use std::time::Instant;

use webstrata_base::Error;
use webstrata_base::random::Random;

use crate::links::MemoryGraph;
use crate::rank::exchange::{Exchange, Message, Numbers};
use crate::rank::{Jump, RankOptions, Until, rank};

/// How pages are divided among workers.
#[derive(Clone, Debug, PartialEq, Default)]
pub enum Balance {
    /// As if all were equally fast.
    #[default]
    Even,
    /// By the time that each takes for a small test graph.
    Measured,
    /// By given speeds, one for each worker.
    Given(Vec<f64>),
}

const HOSTS: usize = 200;
const PAGES_PER_HOST: usize = 100;
const LINKS_PER_PAGE: usize = 10;
const ITERATIONS: usize = 20;
const ROUNDS: usize = 3;

/// Speeds count in steps of this part of the fastest, so that like machines get like shares in every run.
const STEPS: f64 = 8.0;

impl Balance {
    /// The speeds of all workers, the same for each that asks.
    pub(crate) fn speeds(&self, exchange: &mut dyn Exchange) -> Result<Vec<f64>, Error> {
        let workers = exchange.partitions();
        match self {
            Balance::Even => Ok(vec![1.0; workers]),
            Balance::Given(speeds) => {
                if speeds.len() != workers {
                    return Err(Error::new(format!(
                        "{} speeds for {workers} workers; give one for each",
                        speeds.len()
                    )));
                }
                if let Some(wrong) =
                    speeds.iter().find(|speed| !(**speed > 0.0 && speed.is_finite()))
                {
                    return Err(Error::new(format!("a speed is {wrong}, must be more than 0")));
                }
                Ok(speeds.clone())
            }
            Balance::Measured => {
                let message =
                    Message { numbers: Numbers::Integers(Vec::new()), sums: vec![measure()?] };
                let answers = exchange.exchange(vec![message; workers])?;
                let speeds: Vec<f64> = answers
                    .iter()
                    .map(|answer| answer.sums.first().copied().unwrap_or(0.0))
                    .collect();
                Ok(in_steps(&speeds))
            }
        }
    }
}

fn in_steps(speeds: &[f64]) -> Vec<f64> {
    let fastest = speeds.iter().copied().fold(0.0, f64::max);
    // Nobody is so slow that it gets nothing, and what is no speed counts as the slowest.
    let steps = |speed: &f64| match (speed / fastest * STEPS).round() {
        steps if steps.is_nan() => 1.0,
        steps => steps.clamp(1.0, STEPS),
    };
    speeds.iter().map(steps).collect()
}

/// Links a second on the test graph; the best of several rounds, since other work on the machine only slows it.
fn measure() -> Result<f64, Error> {
    let graph = test_graph();
    let options = RankOptions {
        until: Until::Residual(0.0),
        most_iterations: ITERATIONS,
        ..RankOptions::default()
    };
    let mut best: f64 = 0.0;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        rank(&graph, &[Jump::Everywhere], &options, &())?;
        best = best.max(1.0 / start.elapsed().as_secs_f64().max(1e-9));
    }
    Ok(best * (ITERATIONS * HOSTS * PAGES_PER_HOST * LINKS_PER_PAGE) as f64)
}

fn test_graph() -> MemoryGraph {
    let mut random = Random::new(1);
    let pages = HOSTS * PAGES_PER_HOST;
    let links = (0..pages * LINKS_PER_PAGE).map(|link| {
        let from = link / LINKS_PER_PAGE;
        let inside = link % 16 != 0;
        let (start, size) = if inside {
            (from / PAGES_PER_HOST * PAGES_PER_HOST, PAGES_PER_HOST)
        } else {
            (0, pages)
        };
        (from, start + random.below(size), false)
    });
    MemoryGraph::new(&[PAGES_PER_HOST; HOSTS], links)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rank::exchange::Threads;

    #[test]
    fn speeds_are_steps_of_the_fastest() {
        assert_eq!(in_steps(&[100.0, 97.0, 50.0, 1.0]), [8.0, 8.0, 4.0, 1.0]);
        assert_eq!(in_steps(&[0.0, f64::NAN]), [1.0, 1.0]);
    }

    #[test]
    fn all_workers_know_the_same_speeds() {
        let workers = std::thread::scope(|scope| {
            let threads: Vec<_> = Threads::connect(2)
                .into_iter()
                .map(|mut exchange| scope.spawn(move || Balance::Measured.speeds(&mut exchange)))
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap().unwrap()).collect::<Vec<_>>()
        });
        assert_eq!(workers[0], workers[1]);
        assert!(workers[0].iter().all(|speed| (1.0..=STEPS).contains(speed)));
    }

    #[test]
    fn impossible_speeds_are_refused() {
        let mut exchange = Threads::connect(1).remove(0);
        for speeds in [vec![], vec![1.0, 1.0], vec![0.0], vec![f64::NAN]] {
            assert!(Balance::Given(speeds).speeds(&mut exchange).is_err());
        }
    }
}
