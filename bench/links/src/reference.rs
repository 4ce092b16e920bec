//! The ranks that all others are compared with: plain Gauss-Seidel in f64.
//!
//! The mass of pages without links is lost here and the ranks are normalised at the end. That gives the very ranks
//! of the rules that give it back by the jump vector, here the same as evenly: all tools have one reference.

use std::fs::File;
use std::io::{BufWriter, Write};

use anyhow::{Context, Result};

use crate::edges::InLinks;

pub const ALPHA: f64 = 0.85;
const CLOSE: f64 = 1e-13;

pub fn solve(graph: &InLinks) -> Vec<f64> {
    let pages = graph.out_degrees.len();
    let jump = (1.0 - ALPHA) / pages as f64;
    let shares: Vec<f64> =
        graph.out_degrees.iter().map(|degree| ALPHA / f64::from((*degree).max(1))).collect();
    // What a page gives to each that it links to.
    let mut votes: Vec<f64> = shares.iter().map(|share| share / pages as f64).collect();
    loop {
        let mut change = 0.0;
        for page in 0..pages {
            let sum: f64 = graph.row(page).iter().map(|source| votes[*source as usize]).sum();
            let vote = (jump + sum) * shares[page];
            change += (vote - votes[page]).abs() / shares[page];
            votes[page] = vote;
        }
        // The error is at most α / (1 - α) times the change.
        if change < CLOSE {
            break;
        }
    }
    votes.iter().zip(&shares).map(|(vote, share)| vote / share).collect()
}

pub fn write(path: &str, ranks: &[f64]) -> Result<()> {
    let mut file = BufWriter::new(File::create(path).with_context(|| path.to_owned())?);
    ranks.iter().try_for_each(|rank| file.write_all(&rank.to_le_bytes()))?;
    Ok(file.flush()?)
}
