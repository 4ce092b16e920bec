//! One tool in one process, so that its memory is its own: prepares once, then solves as often as asked.

use std::io::{BufRead, Write};
use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::edges::Edges;
use crate::{ours, peers, reference};

/// What a tool found.
pub struct Solved {
    pub ranks: Vec<f64>,
    pub iterations: usize,
    pub seconds: f64,
    /// Preparation that a tool repeats for every solution, not part of the seconds.
    pub prepare_s: f64,
    /// What it says itself of its memory for links and ranks; 0 if it does not.
    pub own_bytes: u64,
}

/// A tool that is ready to solve to a tolerance of its own kind.
pub type Solver = Box<dyn FnMut(f64) -> Result<Solved>>;

pub fn serve(tool: &str, path: &str) -> Result<()> {
    let start = Instant::now();
    let edges = Edges::read(path)?;
    let read_s = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let mut solver = match tool {
        "webstrata" => ours::prepare(&edges),
        "graph" => peers::graph(&edges),
        "webgraph-algo" => peers::webgraph(&edges),
        _ => bail!("{tool}: no tool of this runner"),
    };
    drop(edges);
    let prepare_s = start.elapsed().as_secs_f64();
    let peak = peak_bytes();
    say(&format!("\"read_s\": {read_s}, \"prepare_s\": {prepare_s}, \"prepare_bytes\": {peak}"))?;
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let mut words = line.split_whitespace();
        let tolerance = words.next().context("no tolerance")?.parse()?;
        forget_peak();
        let Solved { ranks, iterations, seconds, prepare_s, own_bytes } = solver(tolerance)?;
        let peak = peak_bytes();
        if let Some(file) = words.next() {
            reference::write(file, &ranks)?;
        }
        say(&format!(
            "\"seconds\": {seconds}, \"iterations\": {iterations}, \"bytes\": {peak}, \
             \"prepare_s\": {prepare_s}, \"own_bytes\": {own_bytes}"
        ))?;
    }
    Ok(())
}

fn say(fields: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{{{fields}}}")?;
    Ok(out.flush()?)
}

/// The most memory that this process had since `forget_peak`; 0 where the system does not tell.
fn peak_bytes() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse::<usize>().ok());
    kib.unwrap_or(0) * 1024
}

fn forget_peak() {
    // Refused on some systems: the peak is that of preparing then, which is more.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}
