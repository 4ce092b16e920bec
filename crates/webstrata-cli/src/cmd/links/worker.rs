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
use webstrata_links::cluster::{self, Balance, Checkpoints, Settings};
use webstrata_links::{Graph, InLinks};

use super::biasing;
use super::ranking::{self, RankingArgs};
use webstrata_terminal::args::{at_least_one, duration};
use webstrata_terminal::exit::Exit;
use webstrata_terminal::program::Global;
use webstrata_terminal::report::{Report, Watch};

/// A test's way to have a worker stand still at an iteration, so that it can be killed there: `INDEX:ITERATION`.
const PAUSE: &str = "WEBSTRATA_LINKS_PAUSE";

const EXAMPLES: &str = "\
Examples, for two machines with the same graph, in peers.txt the lines one:4000 and two:4000:
  one$ webstrata links worker web --peers peers.txt --index 0 --out ranks.tsv
  two$ webstrata links worker web --peers peers.txt --index 1

All workers get the same graph and the same options. Worker 0 gets all ranks and writes them. Workers that
do not find each other within --wait, or lose each other later, say so and end. With --checkpoint, each
keeps its part in a directory (its own, or one that all share), and if all are started again with
--resume, the ranking goes on.

Messages between workers are neither encrypted nor authenticated: use a network that only you can reach.

Exit codes: 0 done, 1 the graph has no page, 2 something failed.";

/// Rank a graph together with workers on other machines
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    ranking: RankingArgs,

    /// Which line of the peers is this one, from 0
    #[arg(long, value_name = "N")]
    index: usize,

    /// The workers: HOST:PORT a line, the same file for all
    #[arg(long, value_name = "FILE", required_unless_present = "supervised")]
    peers: Option<PathBuf>,

    /// How long to wait for the other workers, such as 30s
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = duration)]
    wait: Duration,

    /// How long to go on when nothing comes from the others, as from a machine without power
    #[arg(long, value_name = "TIME", default_value = "60min", value_parser = duration)]
    patience: Duration,

    /// Started by `pagerank --processes`: the peers come on stdin, and when that ends, so do we
    #[arg(long, hide = true)]
    supervised: bool,

    #[command(flatten)]
    cluster: ClusterArgs,
}

/// How workers share a ranking.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Several workers")]
pub(crate) struct ClusterArgs {
    /// Keep how far workers are in this directory
    #[arg(long, value_name = "DIR")]
    checkpoint: Option<PathBuf>,

    /// Keep it every so many iterations
    #[arg(long, value_name = "N", default_value = "10", value_parser = at_least_one::<usize>, requires = "checkpoint")]
    every: usize,

    /// Go on from the last checkpoint, if there is one
    #[arg(long, requires = "checkpoint")]
    resume: bool,

    /// Who gets how many pages: even, measured (by the time for a small test graph), or a speed for each
    /// worker, such as 2,1,1
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
    pub(crate) fn settings(&self, workers: usize) -> anyhow::Result<Settings> {
        if let Balance::Given(speeds) = &self.balance
            && speeds.len() != workers
        {
            bail!("--balance: {} speeds for {workers} workers", speeds.len());
        }
        let checkpoint =
            |folder: &PathBuf| Checkpoints { folder: folder.clone(), every: self.every };
        Ok(Settings {
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
    let graph = Graph::open(&args.ranking.graph)?;
    let options = args.ranking.options(peers.len());
    let wanted = args.ranking.wanted(&graph, &Report::new(global.quiet || args.index > 0))?;
    let jumps = biasing::jumps(&wanted);
    cluster::check(&graph, &jumps, &options)?;
    let task = cluster::task(&graph, &jumps, &options);
    let progress = Followed::new(args, global);
    let mut station = cluster::connect(&peers, args.index, task, args.wait)?.open();
    let ranking = cluster::rank(&graph, &jumps, &options, &settings, &mut station, &progress);
    progress.watch.end_part("notes");
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

/// Shows a person how far the first worker is, or tells the supervisor.
struct Followed {
    watch: Watch,
    is_first: bool,
    supervised: bool,
    pause_at: Option<usize>,
    steps: AtomicUsize,
}

impl Followed {
    fn new(args: &Args, global: &Global) -> Followed {
        let pause_at = std::env::var(PAUSE).ok().and_then(|text| {
            let (index, iteration) = text.split_once(':')?;
            (index.parse() == Ok(args.index)).then(|| iteration.parse().ok())?
        });
        Followed {
            watch: Watch::new(global.quiet),
            is_first: args.index == 0,
            supervised: args.supervised,
            pause_at,
            steps: AtomicUsize::new(0),
        }
    }
}

impl Progress for Followed {
    fn begin(&self, part: &str, steps: usize) {
        match (self.is_first, self.supervised) {
            (true, true) => eprintln!("begin {steps} {part}"),
            (true, false) => self.watch.begin(part, steps),
            _ => {}
        }
    }

    fn step(&self) {
        let steps = self.steps.fetch_add(1, Ordering::Relaxed) + 1;
        match (self.is_first, self.supervised) {
            (true, true) => eprintln!("step"),
            (true, false) => self.watch.step(),
            _ => {}
        }
        while self.pause_at == Some(steps) {
            thread::park();
        }
    }

    fn note(&self, message: &str) {
        self.watch.note(message);
    }

    fn failure(&self, message: &str) {
        self.watch.failure(message);
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
