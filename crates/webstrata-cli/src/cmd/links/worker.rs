//! `webstrata links worker`: one of several processes, on one machine or many, that rank a graph together.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, BufRead};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::{Context, bail};
use webstrata_base::Progress;
use webstrata_links::cluster::{self, Balance, Checkpoints, ClusterOptions};
use webstrata_links::{Graph, InLinks};

use super::biasing;
use super::ranking::{self, RankingArgs};
use webstrata_terminal::args::{at_least_one, duration};
use webstrata_terminal::exit::Exit;
use webstrata_terminal::program::Global;
use webstrata_terminal::report::{Report, TerminalProgress};

/// A test's way to have a worker stand still at an iteration, so that it can be killed there: `INDEX:ITERATION`.
const PAUSE: &str = "WEBSTRATA_LINKS_PAUSE";

const EXAMPLES: &str = "\
Example for two machines with the same graph; peers.txt has the lines one:4000 and two:4000:
  one$ webstrata links worker web --peers peers.txt --index 0 --out ranks.tsv
  two$ webstrata links worker web --peers peers.txt --index 1

All workers need the same graph and the same options. Worker 0 collects all ranks and writes them. A worker
that does not find the others within --wait, or loses one later, reports it and ends. With --checkpoint, each
worker saves its part in a directory (its own or a shared one). Start all workers again with --resume to
continue the ranking.

Messages between workers are neither encrypted nor authenticated: use a private network.

Exit codes: 0 done, 1 the graph has no page, 2 something failed.";

/// Rank a graph together with workers on other machines
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    ranking: RankingArgs,

    /// The line of this worker in the file of peers, counted from 0
    #[arg(long, value_name = "N")]
    index: usize,

    /// The workers, one HOST:PORT per line; the same file for all
    #[arg(long, value_name = "FILE", required_unless_present = "supervised")]
    peers: Option<PathBuf>,

    /// How long to wait for the other workers, such as 30s
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = duration)]
    wait: Duration,

    /// How long to wait when nothing arrives from the others, for example after a power failure
    #[arg(long, value_name = "TIME", default_value = "60min", value_parser = duration)]
    patience: Duration,

    /// Started by `pagerank --processes`: peers come on stdin, and the worker ends with stdin
    #[arg(long, hide = true)]
    supervised: bool,

    #[command(flatten)]
    cluster: ClusterArgs,
}

/// How workers share a ranking.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Several workers")]
pub(crate) struct ClusterArgs {
    /// Save checkpoints in this directory
    #[arg(long, value_name = "DIR")]
    checkpoint: Option<PathBuf>,

    /// Save a checkpoint after this many iterations
    #[arg(long, value_name = "N", default_value = "10", value_parser = at_least_one::<usize>, requires = "checkpoint")]
    every: usize,

    /// Continue from the last checkpoint, if there is one
    #[arg(long, requires = "checkpoint")]
    resume: bool,

    /// How pages are divided: even, measured (by the speed on a small test graph), or a speed for each worker,
    /// such as 2,1,1
    #[arg(long, value_name = "HOW", default_value = "even", value_parser = balance)]
    balance: Balance,
}

fn balance(text: &str) -> Result<Balance, String> {
    match text {
        "even" => Ok(Balance::Even),
        "measured" => Ok(Balance::Measured),
        _ => {
            let speed =
                |text: &str| text.parse().ok().filter(|speed| *speed > 0.0 && *speed < f64::MAX);
            let speeds: Option<Vec<f64>> = text.split(',').map(speed).collect();
            speeds
                .map(Balance::Given)
                .ok_or_else(|| "not even, measured or numbers above 0 with commas".into())
        }
    }
}

impl ClusterArgs {
    pub(crate) fn settings(&self, workers: usize) -> anyhow::Result<ClusterOptions> {
        if let Balance::Given(speeds) = &self.balance
            && speeds.len() != workers
        {
            bail!("--balance: {} speeds for {workers} workers", speeds.len());
        }
        let checkpoint =
            |folder: &PathBuf| Checkpoints { folder: folder.clone(), every: self.every };
        Ok(ClusterOptions {
            balance: self.balance.clone(),
            checkpoints: self.checkpoint.as_ref().map(checkpoint),
            resume: self.resume,
            patience: None,
        })
    }

    /// Without workers, these mean nothing.
    pub(crate) fn refuse(&self) -> anyhow::Result<()> {
        if self.checkpoint.is_some() || self.balance != Balance::Even {
            bail!(
                "--checkpoint, --resume and --balance are for several workers: add --processes N"
            );
        }
        Ok(())
    }
}

pub(crate) fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    let peers = match &args.peers {
        Some(path) => peers_of(path)?,
        None => peers_of_supervisor()?,
    };
    let mut settings = args.cluster.settings(peers.len())?;
    // Where there is a supervisor, it sees who has died.
    settings.patience = (!args.supervised).then_some(args.patience);
    // A supervisor has verified it.
    let graph = match args.supervised {
        true => Graph::open_unverified(&args.ranking.graph)?,
        false => args.ranking.open()?,
    };
    let options = args.ranking.options(peers.len());
    let wanted = args.ranking.wanted(&graph, &Report::new(global.quiet || args.index > 0))?;
    let jumps = biasing::jumps(&wanted);
    cluster::check(&graph, &jumps, &options)?;
    let task = cluster::task(&graph, &jumps, &options);
    let progress = WorkerProgress::new(args, global);
    let mut endpoint = cluster::connect(&peers, args.index, task, args.wait)?.open();
    let ranking = cluster::rank(&graph, &jumps, &options, &settings, &mut endpoint, &progress);
    progress.progress.end_part("notes");
    if let Some(ranking) = ranking? {
        args.ranking.write(&graph, &wanted, &ranking)?;
        let workers = format!("{} workers", peers.len());
        ranking::summary(&ranking.run, &workers, &Report::new(global.quiet));
    }
    Ok(if graph.pages() == 0 { Exit::NoText } else { Exit::Text })
}

fn peers_of(path: &Path) -> anyhow::Result<Vec<String>> {
    let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let mut seen = BTreeSet::new();
    let mut peers = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let wrong = |what: &str| format!("{}, line {}: {what}", path.display(), at + 1);
        let port = line.rsplit_once(':').filter(|(host, _)| !host.is_empty());
        if port.and_then(|(_, port)| port.parse::<u16>().ok()).is_none_or(|port| port == 0) {
            bail!(wrong(&format!("`{line}` is no HOST:PORT")));
        }
        if !seen.insert(line) {
            bail!(wrong(&format!("`{line}` is there twice")));
        }
        peers.push(line.to_owned());
    }
    if peers.is_empty() {
        bail!("{}: no workers; expected HOST:PORT on each line", path.display());
    }
    Ok(peers)
}

/// Reads the peers up to an empty line. From then on, the end of stdin is the end of the supervisor, however it ended,
/// and there is nobody left to work for.
fn peers_of_supervisor() -> anyhow::Result<Vec<String>> {
    let mut peers = Vec::new();
    for line in io::stdin().lock().lines() {
        let line = line?;
        if line.is_empty() {
            thread::spawn(|| {
                let _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
                std::process::exit(2);
            });
            return Ok(peers);
        }
        peers.push(line);
    }
    bail!("the supervisor has ended")
}

/// The progress of the first worker: shown on the terminal, or sent to the supervisor.
struct WorkerProgress {
    progress: TerminalProgress,
    is_first: bool,
    supervised: bool,
    pause_at: Option<usize>,
    steps: AtomicUsize,
}

impl WorkerProgress {
    fn new(args: &Args, global: &Global) -> WorkerProgress {
        let pause_at = std::env::var(PAUSE).ok().and_then(|text| {
            let (index, iteration) = text.split_once(':')?;
            (index.parse() == Ok(args.index)).then(|| iteration.parse().ok())?
        });
        WorkerProgress {
            progress: TerminalProgress::new(global.quiet),
            is_first: args.index == 0,
            supervised: args.supervised,
            pause_at,
            steps: AtomicUsize::new(0),
        }
    }
}

impl Progress for WorkerProgress {
    fn begin(&self, part: &str, steps: usize) {
        match (self.is_first, self.supervised) {
            (true, true) => eprintln!("begin {steps} {part}"),
            (true, false) => self.progress.begin(part, steps),
            _ => {}
        }
    }

    fn step(&self) {
        let steps = self.steps.fetch_add(1, Ordering::Relaxed) + 1;
        match (self.is_first, self.supervised) {
            (true, true) => eprintln!("step"),
            (true, false) => self.progress.step(),
            _ => {}
        }
        while self.pause_at == Some(steps) {
            thread::park();
        }
    }

    fn note(&self, message: &str) {
        self.progress.note(message);
    }

    fn failure(&self, message: &str) {
        self.progress.failure(message);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn balances_are_words_or_speeds() {
        assert_eq!(balance("even"), Ok(Balance::Even));
        assert_eq!(balance("2,1,0.5"), Ok(Balance::Given(vec![2.0, 1.0, 0.5])));
        for wrong in ["fast", "1,0", "1,-2", "1,,2", "NaN", "inf", ""] {
            assert!(balance(wrong).is_err(), "{wrong}");
        }
    }
}
