//! `webstrata-lab train`: a model from pages with gold, and what it is worth.

mod learn;
mod max;
mod options;
mod site_model;
mod strata;
mod swarm;

use std::path::PathBuf;

use clap::Subcommand;

use crate::sets::{LabelledArgs, PROBLEMS};
use webstrata_lab::dataset::Problem;
use webstrata_terminal::args::one_of;
use webstrata_terminal::exit::Exit;
use webstrata_terminal::program::Global;

const EXAMPLES: &str = "\
Examples:
  webstrata-lab train c48 --set sets/news --out news.tree --extractor news.toml
  webstrata extract --extractor news.toml page.html
  webstrata-lab train c48 --set sets/ --features densities --min-leaf 100 --by-site --out small.tree
  webstrata-lab train svm --set sets/news --c 0.1 --out news.model
  webstrata-lab train boost --set sets/l3s-gn1 --problem four --rounds 80 --out four.model
  webstrata-lab train swarm --set sets/news --out my-swarm.toml
  webstrata-lab train strata --set sets/ --out strata.model

A set is a folder with pages/ID.html and gold/ID.txt. If all pages have annotated/ID.html, models can learn
four classes. The measures are those of the WSDM 2010 paper, in percent: means over the classes, weighted by
their words, over all folds. FPR is the false positive rate. AuC is the area under the ROC curve; for svm it
is computed from yes-or-no verdicts.

Exit codes: 0 the model was written, 2 something failed (the rest is still done).";

/// Train a model on pages with gold texts
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, subcommand_value_name = "TRAINER", subcommand_help_heading = "Trainers")]
pub(crate) struct Args {
    #[command(subcommand)]
    trainer: TrainerArgs,
}

#[derive(Debug, Subcommand)]
enum TrainerArgs {
    /// The most frequent class for all blocks: the baseline
    #[command(name = "zero-r")]
    ZeroR(options::ZeroRArgs),
    /// The one feature that makes the fewest errors (1R)
    #[command(name = "one-r")]
    OneR(options::OneRArgs),
    /// A decision tree (C4.8, as Weka's J48)
    #[command(name = "c48")]
    C48(options::C48Args),
    /// A linear support vector machine
    Svm(options::SvmArgs),
    /// Gradient-boosted trees
    Boost(options::BoostArgs),
    /// Thresholds on eight features, by a particle swarm (Ziegler and Skubacz 2007)
    Swarm(swarm::SwarmArgs),
    /// The model of the default extractor, `strata`
    Strata(strata::StrataArgs),
    /// The model of the extractor `strata-max`, from a network
    Max(max::MaxArgs),
    /// The model of the extractor `strata+site`, from a stream of pages
    Site(site_model::SiteArgs),
}

/// What all trainers of block classifiers share.
#[derive(Debug, clap::Args)]
struct LearnArgs {
    #[command(flatten)]
    labelled: LabelledArgs,

    #[command(flatten)]
    out: OutArgs,

    /// Also write an extractor that uses the model
    #[arg(long, value_name = "FILE.toml")]
    extractor: Option<PathBuf>,

    /// The number of classes; four needs annotated pages
    #[arg(long, value_name = "CLASSES", default_value = "two", value_parser = one_of(PROBLEMS))]
    problem: Problem,

    /// The folds of the cross-validation; 0 for none
    #[arg(long, value_name = "N", default_value = "10", value_parser = clap::value_parser!(u8))]
    folds: u8,

    /// Keep all blocks of a site in one fold
    ///
    /// Then the layout of a site is never both learned and tested. Sites are the registrable domains of
    /// urls.tsv; a page without a URL is a site by itself.
    #[arg(long)]
    by_site: bool,
}

/// Where results go.
#[derive(Debug, clap::Args)]
struct OutArgs {
    /// Write the result to this file
    ///
    /// Block classifiers are NAME.tree or NAME.model, for use in extractors. A swarm is an extractor,
    /// NAME.toml.
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,

    /// The name of the result [default: the file name without its extension]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,

    /// Write the measures as one JSON object instead of a table
    #[arg(long)]
    json: bool,

    /// The seed of random numbers
    #[arg(long, value_name = "NUMBER", default_value = "1")]
    seed: u64,
}

impl OutArgs {
    fn name(&self) -> String {
        let stem = || self.out.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        self.name.clone().unwrap_or_else(stem)
    }
}

pub(crate) fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    match &args.trainer {
        TrainerArgs::ZeroR(args) => learn::run(&args.learn, args.trainer(), global),
        TrainerArgs::OneR(args) => learn::run(&args.learn, args.trainer(), global),
        TrainerArgs::C48(args) => learn::run(&args.learn, args.trainer()?, global),
        TrainerArgs::Svm(args) => learn::run(&args.learn, args.trainer(), global),
        TrainerArgs::Boost(args) => learn::run(&args.learn, args.trainer(), global),
        TrainerArgs::Swarm(args) => swarm::run(args, global),
        TrainerArgs::Strata(args) => strata::run(args, global),
        TrainerArgs::Max(args) => max::run(args, global),
        TrainerArgs::Site(args) => site_model::run(args, global),
    }
}
