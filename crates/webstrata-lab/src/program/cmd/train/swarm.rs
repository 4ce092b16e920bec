//! `webstrata-lab train swarm`: thresholds for an extractor of Ziegler and Skubacz.

use std::fmt::Write;

use serde::Serialize;
use webstrata::filters::KeepSignal;
use webstrata_base::write_whole;
use webstrata_lab::Set;
use webstrata_lab::scores::statistics::mean;
use webstrata_lab::swarm::{self, Leader, Motion, Options, Outcome, Scores};

use super::OutArgs;
use super::options::above_0;
use crate::sets::{self, SetArgs};
use webstrata_terminal::args::at_least_one;
use webstrata_terminal::exit::Exit;
use webstrata_terminal::output;
use webstrata_terminal::program::Global;
use webstrata_terminal::report::{Report, TerminalProgress};
use webstrata_terminal::style::{Paint, Style};

const EXAMPLES: &str = "\
Examples:
  webstrata-lab train swarm --set sets/news --out my-swarm.toml
  webstrata extract --extractor my-swarm.toml page.html
  webstrata-lab train swarm --set sets/l3s-gn1 --splits 0 --seed 7 --by-site --out my-swarm.toml

The thresholds are learned on a random part of the pages and measured on the rest. The score is the cosine of
the term vectors times the ratio of their lengths. It is computed for the kept blocks (FE), for all blocks (PR)
and for all text of the page (TB). Scores depend on the split, so more splits are measured, with the following
seeds. The file has the thresholds of the first split.";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct SwarmArgs {
    #[command(flatten)]
    sets: SetArgs,

    #[command(flatten)]
    out: OutArgs,

    /// The number of particles
    #[arg(long, value_name = "N", default_value_t = Motion::default().particles, value_parser = at_least_one::<usize>)]
    particles: usize,

    /// The number of generations, including the first, random one
    #[arg(long, value_name = "N", default_value_t = Motion::default().generations, value_parser = at_least_one::<usize>)]
    generations: usize,

    /// How strongly a particle is drawn to its own best position
    #[arg(long, value_name = "NUMBER", default_value_t = Motion::default().cognitive, value_parser = above_0)]
    cognitive: f64,

    /// How strongly a particle is drawn to the best position of all
    #[arg(long, value_name = "NUMBER", default_value_t = Motion::default().social, value_parser = above_0)]
    social: f64,

    /// How much of its velocity a particle keeps
    #[arg(long, value_name = "NUMBER", default_value_t = Motion::default().inertia, value_parser = above_0)]
    inertia: f64,

    /// The highest velocity in any dimension [default: no limit]
    #[arg(long, value_name = "NUMBER", value_parser = above_0)]
    max_velocity: Option<f64>,

    /// The share of pages to learn from
    #[arg(long, value_name = "SHARE", default_value = "0.7", value_parser = above_0)]
    train_share: f64,

    /// Keep all pages of a site on one side of the split
    #[arg(long)]
    by_site: bool,

    /// The number of splits to measure, including that of the seed; 0 is the same as 1
    #[arg(long, value_name = "N", default_value = "20")]
    splits: u16,
}

#[derive(Serialize)]
struct Trained<'a> {
    version: u32,
    trainer: &'static str,
    sets: Vec<&'a str>,
    options: &'a Options,
    thresholds: &'a KeepSignal,
    train: &'a Scores,
    test: &'a Scores,
    /// On the test pages of each seed.
    splits: Vec<Split<'a>>,
    file: String,
}

#[derive(Serialize)]
struct Split<'a> {
    seed: u64,
    test: &'a Scores,
}

pub(super) fn run(args: &SwarmArgs, global: &Global) -> anyhow::Result<Exit> {
    let mut report = Report::new(global.quiet);
    let found = args.sets.open(&mut report)?;
    sets::check_output(&args.out.out, &["toml"], &found)?;
    let Some(set) = merged(&found) else { return Ok(Exit::Failed) };
    let progress = TerminalProgress::new(global.quiet);
    let outcomes: Result<Vec<Outcome>, _> = (0..u64::from(args.splits.max(1)))
        .map(|split| {
            let options = args.options(args.out.seed.wrapping_add(split));
            // What is to be said of the set was said with the first split.
            if split == 0 {
                swarm::train(&set, &options, &progress)
            } else {
                swarm::train(&set, &options, &())
            }
        })
        .collect();
    progress.end_part(&set.path.display().to_string());
    report.add_failures(&progress);
    let outcomes = outcomes?;
    let [first, ..] = &outcomes[..] else { unreachable!("at least one split") };
    let names: Vec<&str> = found.iter().map(|set| set.name.as_str()).collect();
    let mut extractor = first.extractor();
    let kept = mean_of(&outcomes, |scores| scores.extracted);
    let splits =
        if outcomes.len() == 1 { "1 split".into() } else { format!("{} splits", outcomes.len()) };
    let measured = format!("similarity on test pages {kept:.3}, mean of {splits}");
    extractor.name = args.out.name();
    extractor.about =
        format!("Thresholds that a particle swarm learned ({}); {measured}", names.join(", "));
    write_whole(&args.out.out, extractor.to_toml().as_bytes())?;
    let file = args.out.out.display().to_string();
    if args.out.json {
        let split = |outcome: &'_ Outcome| outcome.options.motion.seed;
        let splits = outcomes.iter().map(|o| Split { seed: split(o), test: &o.test }).collect();
        let trained = Trained {
            version: 1,
            trainer: "swarm",
            sets: names,
            options: &first.options,
            thresholds: &first.thresholds,
            train: &first.train,
            test: &first.test,
            splits,
            file,
        };
        let mut json = serde_json::to_vec_pretty(&trained)?;
        json.push(b'\n');
        output::print(&json)?;
    } else {
        let style = Style::of_stdout(global.color);
        let mut text = table(&names.join(", "), &outcomes, style);
        let example = super::learn::extract_with(&args.out.out);
        // Writing to a string cannot fail.
        let _ = write!(text, "\n{file}: an extractor\n{example}\n");
        output::print(text.as_bytes())?;
    }
    Ok(if report.failed() { Exit::Failed } else { Exit::Text })
}

impl SwarmArgs {
    fn options(&self, seed: u64) -> Options {
        let motion = Motion {
            particles: self.particles,
            generations: self.generations,
            cognitive: self.cognitive,
            social: self.social,
            inertia: self.inertia,
            max_velocity: self.max_velocity,
            leader: Leader::Population,
            seed,
        };
        Options { motion, train_share: self.train_share, by_site: self.by_site }
    }
}

/// All pages as those of one set.
fn merged(sets: &[Set]) -> Option<Set> {
    let (first, others) = sets.split_first()?;
    let mut all = first.clone();
    for set in others {
        all.name = format!("{}, {}", all.name, set.name);
        all.entries.extend(set.entries.iter().cloned().map(|mut entry| {
            // Two sets may call two pages the same.
            entry.id = format!("{}/{}", set.name, entry.id);
            entry
        }));
    }
    Some(all)
}

fn mean_of(outcomes: &[Outcome], of: fn(&Scores) -> f64) -> f64 {
    mean(&outcomes.iter().map(|outcome| of(&outcome.test)).collect::<Vec<f64>>())
}

fn table(sets: &str, outcomes: &[Outcome], style: Style) -> String {
    let first = &outcomes[0];
    let seed = first.options.motion.seed;
    let (train, test) = (first.train.pages, first.test.pages);
    let mut text = format!(
        "{}, pages: {train} to learn from, {test} to test on\n",
        style.paint(Paint::Heading, sets)
    );
    let head = "test pages                 FE      PR      TB";
    let _ = writeln!(text, "{}", style.paint(Paint::Aside, head));
    let parts: [fn(&Scores) -> f64; 3] = [|s| s.extracted, |s| s.pruned, |s| s.all_text];
    let mut line = |name: &str, value: &dyn Fn(fn(&Scores) -> f64) -> f64| {
        let _ = write!(text, "{name:21}");
        for part in parts {
            let _ = write!(text, "  {:6.4}", value(part));
        }
        text.push('\n');
    };
    line(&format!("split of seed {seed}"), &|part| part(&first.test));
    if outcomes.len() > 1 {
        let values = |part: fn(&Scores) -> f64| outcomes.iter().map(move |o| part(&o.test));
        line(&format!("mean of {} splits", outcomes.len()), &|part| mean_of(outcomes, part));
        line("  lowest", &|part| values(part).fold(f64::INFINITY, f64::min));
        line("  highest", &|part| values(part).fold(f64::NEG_INFINITY, f64::max));
    }
    text
}
