//! Particle Swarm Optimization: Algorithm 1 of Ziegler & Skubacz, for any function.
//!
//! In each generation a particle's velocity is
//!
//! ```text
//! w ← ω·w + r₁·τ·(ρ − p) + r₂·φ·(p_b − p),    p ← p + w
//! ```
//!
//! in each dimension, with fresh random r₁ and r₂ from 0 to 1, where p is its position, ρ the best
//! position it had so far and p_b the best position of the current population. Positions begin
//! anywhere from 0 to 1 and may leave that range; velocities begin at 0.
//!
//! The algorithm compares μ(p) with μ(ρ) particle by particle but changes p_b only after all have
//! moved. So a whole population can be judged at once, and judging it in parallel changes nothing.

use serde::{Deserialize, Serialize};

use webstrata_base::random::Random;

use crate::scores::statistics::mean;

/// How a swarm moves.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Motion {
    /// How many particles there are (n).
    pub particles: usize,
    /// How many populations there are, the first, random one among them.
    pub generations: usize,
    /// How strongly a particle is drawn to its own best position (τ).
    pub cognitive: f64,
    /// How strongly it is drawn to the population's best (φ).
    pub social: f64,
    /// How much of its velocity it keeps (ω).
    pub inertia: f64,
    /// The fastest that it moves in any dimension. Algorithm 1 has no such limit, nor have we if
    /// this is `None`; Kennedy & Eberhart, whom it cites, have one.
    pub max_velocity: Option<f64>,
    /// Which particle the others follow.
    #[serde(skip_serializing_if = "Leader::is_of_population")]
    pub leader: Leader,
    /// What the random numbers begin with.
    pub seed: u64,
}

/// The particle that draws the others (p_b).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Leader {
    /// The best of the current population: Algorithm 1.
    #[default]
    Population,
    /// The best of all populations so far, as in Kennedy & Eberhart.
    Ever,
}

impl Leader {
    fn is_of_population(&self) -> bool {
        *self == Leader::Population
    }
}

impl Default for Motion {
    /// n and the number of generations as in section 4.1. Of τ, φ and ω the paper only says "around
    /// 2", "close to 1", and that cognition outweighs social behaviour in the run it chose. Here τ
    /// outweighs φ, and ω is as close to 1 as a swarm without a limit on velocity can have it: with
    /// 0.9 its particles fly away. Other values do as well (0.846 to 0.850 on test pages).
    fn default() -> Motion {
        Motion {
            particles: 100,
            generations: 100,
            cognitive: 1.7,
            social: 1.3,
            inertia: 0.7,
            max_velocity: None,
            leader: Leader::Population,
            seed: 1,
        }
    }
}

/// One population, as Figure 3 shows it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Generation {
    /// The fitness of its best particle.
    pub best: f64,
    /// The mean fitness of all its particles.
    pub mean: f64,
}

/// The best particle of all populations and the way to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Where it stood.
    pub position: Vec<f64>,
    /// What it was worth.
    pub fitness: f64,
    /// Its population, counted from 0.
    pub generation: usize,
    /// All populations.
    pub generations: Vec<Generation>,
}

/// Looks for the position where `fitness` is largest. The function is given all positions of a
/// population and returns a value for each. Ties go to the earlier particle and generation.
pub fn optimise(
    dimensions: usize,
    motion: &Motion,
    mut fitness: impl FnMut(&[Vec<f64>]) -> Vec<f64>,
) -> Found {
    let mut random = Random::for_purpose(motion.seed, "swarm");
    let count = motion.particles.max(1);
    let mut positions: Vec<Vec<f64>> =
        (0..count).map(|_| (0..dimensions).map(|_| random.unit()).collect()).collect();
    let mut velocities = vec![vec![0.0; dimensions]; count];
    let mut values = fitness(&positions);
    let (mut own_best, mut own_values) = (positions.clone(), values.clone());
    let mut leader = best_of(&values);
    let mut found = Found {
        position: positions[leader].clone(),
        fitness: values[leader],
        generation: 0,
        generations: vec![Generation { best: values[leader], mean: mean(&values) }],
    };
    let limit = motion.max_velocity.unwrap_or(f64::INFINITY);
    for generation in 1..motion.generations {
        let followed = match motion.leader {
            Leader::Population => positions[leader].clone(),
            Leader::Ever => found.position.clone(),
        };
        for particle in 0..count {
            for dimension in 0..dimensions {
                let (r1, r2) = (random.unit(), random.unit());
                let at = &mut positions[particle][dimension];
                let velocity = &mut velocities[particle][dimension];
                let to_own = own_best[particle][dimension] - *at;
                let to_leader = followed[dimension] - *at;
                *velocity = motion.inertia * *velocity
                    + r1 * motion.cognitive * to_own
                    + r2 * motion.social * to_leader;
                *velocity = velocity.clamp(-limit, limit);
                *at += *velocity;
            }
        }
        values = fitness(&positions);
        for particle in 0..count {
            if values[particle] > own_values[particle] {
                own_values[particle] = values[particle];
                own_best[particle].clone_from(&positions[particle]);
            }
        }
        leader = best_of(&values);
        found.generations.push(Generation { best: values[leader], mean: mean(&values) });
        if values[leader] > found.fitness {
            found.position.clone_from(&positions[leader]);
            (found.fitness, found.generation) = (values[leader], generation);
        }
    }
    found
}

/// The first of the largest values.
fn best_of(values: &[f64]) -> usize {
    let mut best = 0;
    for (index, value) in values.iter().enumerate() {
        if *value > values[best] {
            best = index;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Largest, 0, at (0.7, 0.2, 0.9).
    fn valley(position: &[f64]) -> f64 {
        let squares = position.iter().zip([0.7, 0.2, 0.9]).map(|(a, b)| (a - b) * (a - b));
        -squares.sum::<f64>()
    }

    fn all(f: impl Fn(&[f64]) -> f64) -> impl FnMut(&[Vec<f64>]) -> Vec<f64> {
        move |positions| positions.iter().map(|position| f(position)).collect()
    }

    #[test]
    fn finds_the_optimum_of_a_known_function() {
        for seed in 0..5 {
            let found = optimise(3, &Motion { seed, ..Motion::default() }, all(valley));
            assert!(found.fitness > -1e-6, "seed {seed}: {found:?}");
            assert_eq!(found.fitness, valley(&found.position));
        }
    }

    #[test]
    fn finds_an_optimum_outside_of_where_it_began() {
        let far = |position: &[f64]| -(position[0] - 3.0).abs();
        let found = optimise(1, &Motion::default(), all(far));
        assert!((found.position[0] - 3.0).abs() < 0.01, "{found:?}");
    }

    #[test]
    fn a_step_is_that_of_algorithm_1() {
        let motion = Motion {
            particles: 2,
            generations: 2,
            cognitive: 1.5,
            social: 0.5,
            seed: 3,
            ..Motion::default()
        };
        let mut populations = Vec::new();
        optimise(1, &motion, |positions| {
            populations.push(positions.to_vec());
            positions.iter().map(|position| valley(&[position[0], 0.2, 0.9])).collect()
        });
        let mut random = Random::for_purpose(3, "swarm");
        let before = [random.unit(), random.unit()];
        assert_eq!(populations[0], before.map(|x| vec![x]));
        let leader = if (before[0] - 0.7).abs() < (before[1] - 0.7).abs() { 0 } else { 1 };
        for (particle, after) in populations[1].iter().enumerate() {
            // At first each stands on its own best, so that only the leader draws it.
            let (_, r2) = (random.unit(), random.unit());
            let expect = before[particle] + r2 * 0.5 * (before[leader] - before[particle]);
            assert!((after[0] - expect).abs() < 1e-12);
        }
    }

    #[test]
    fn a_leader_that_stays_draws_from_where_it_was() {
        // Without inertia and cognition, a particle moves to somewhere between where it is and the leader.
        let motion = Motion {
            particles: 5,
            generations: 30,
            cognitive: 0.0,
            social: 1.0,
            inertia: 0.0,
            leader: Leader::Ever,
            ..Motion::default()
        };
        let (mut last, mut best) = (Vec::new(), (f64::NEG_INFINITY, 0.0));
        optimise(1, &motion, |positions| {
            let at: Vec<f64> = positions.iter().map(|position| position[0]).collect();
            for (before, after) in std::mem::replace(&mut last, at.clone()).iter().zip(&at) {
                let between =
                    |x: f64| x >= f64::min(*before, best.1) && x <= f64::max(*before, best.1);
                assert!(between(*after), "{before} {after} {best:?}");
            }
            let values: Vec<f64> = at.iter().map(|x| (x * 9.0).sin()).collect();
            for (x, value) in at.iter().zip(&values) {
                if *value > best.0 {
                    best = (*value, *x);
                }
            }
            values
        });
    }

    #[test]
    fn the_best_ever_seen_is_the_result() {
        let found = optimise(3, &Motion { inertia: 1.1, ..Motion::default() }, all(valley));
        let best = found.generations.iter().map(|g| g.best).fold(f64::NEG_INFINITY, f64::max);
        assert_eq!(found.fitness, best);
        assert_eq!(found.generations[found.generation].best, best);
        assert_eq!(found.generations.len(), 100);
        assert!(found.generations.iter().all(|g| g.mean <= g.best));
    }

    #[test]
    fn velocity_has_a_limit_where_one_is_set() {
        let motion = Motion { max_velocity: Some(0.05), generations: 5, ..Motion::default() };
        let mut last: Option<Vec<Vec<f64>>> = None;
        optimise(3, &motion, |positions| {
            for (before, after) in last.iter().flatten().flatten().zip(positions.iter().flatten()) {
                assert!((before - after).abs() <= 0.05 + 1e-12);
            }
            last = Some(positions.to_vec());
            positions.iter().map(|position| valley(position)).collect()
        });
    }
}
