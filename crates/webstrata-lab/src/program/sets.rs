//! `--set DIR…`: folders of pages with gold, opened and read.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use webstrata::Options;
use webstrata::cutting::Cutting;
use webstrata_lab::dataset::{Dataset, GoldKind, Problem};
use webstrata_lab::sets;
use webstrata_lab::{Examples, Set};

use webstrata_terminal::args::{ReadingArgs, at_least_one, one_of};
use webstrata_terminal::report::{NOTES, Report, TerminalProgress};

/// The problems and how they are called here.
pub(crate) const PROBLEMS: [(Problem, &str); 2] =
    [(Problem::TwoClass, "two"), (Problem::FourClass, "four")];

/// Where pages and gold come from.
#[derive(Debug, clap::Args)]
pub(crate) struct SetArgs {
    /// Sets of pages with gold texts, or folders of sets
    #[arg(short, long = "set", value_name = "DIR", num_args = 1.., required = true)]
    sets: Vec<PathBuf>,

    /// Use only N pages of each set, at even distances
    #[arg(long, value_name = "N", value_parser = at_least_one::<usize>)]
    pub(crate) sample: Option<usize>,
}

/// The same for a command that can do without.
#[derive(Debug, clap::Args)]
pub(crate) struct SomeSets {
    /// Sets of pages with gold to measure on, or folders of sets
    #[arg(short, long = "set", value_name = "DIR", num_args = 1..)]
    sets: Vec<PathBuf>,

    /// Use only N pages of each set, at even distances
    #[arg(long, value_name = "N", value_parser = at_least_one::<usize>, requires = "sets")]
    sample: Option<usize>,
}

impl SomeSets {
    pub(crate) fn is_empty(&self) -> bool {
        self.sets.is_empty()
    }

    /// Opens the sets, as [`SetArgs::open`] does.
    pub(crate) fn open(&self, report: &mut Report) -> anyhow::Result<Vec<Set>> {
        SetArgs { sets: self.sets.clone(), sample: self.sample }.open(report)
    }
}

/// How their pages become labelled blocks with features.
#[derive(Debug, clap::Args)]
pub(crate) struct LabelledArgs {
    #[command(flatten)]
    pub(crate) sets: SetArgs,

    /// The features: all, local, current, densities, counts, or names separated by commas
    ///
    /// `local` are the 64 features of a page alone, of the block and its two neighbours. `current` are the
    /// 24 of them without the neighbours. `densities` and `counts` are the 6 features each of the paper's
    /// Algorithms 1 and 2. `all` adds the frequency of texts in the set, which `extract` does not have.
    #[arg(long, value_name = "GROUP|NAME,…", default_value = "local", value_parser = features)]
    pub(crate) features: Chosen,

    /// How pages' text is cut into blocks
    #[arg(long, value_name = "TABLE", default_value = "atomic", value_parser = one_of(Cutting::ALL))]
    pub(crate) rules: Cutting,

    #[command(flatten)]
    reading: ReadingArgs,
}

/// Features, as indices.
#[derive(Clone, Debug)]
pub(crate) struct Chosen(pub(crate) Vec<usize>);

fn features(written: &str) -> Result<Chosen, String> {
    let chosen = webstrata_lab::training::choose_features(written);
    chosen.map(Chosen).map_err(|error| error.to_string())
}

impl SetArgs {
    /// Opens the sets, or all sets of a folder; no two of one name. One that is none is reported, and
    /// the run goes on with the others.
    pub(crate) fn open(&self, report: &mut Report) -> anyhow::Result<Vec<Set>> {
        let mut found: Vec<Set> = Vec::new();
        for path in &self.sets {
            for folder in sets::folders(path)? {
                match Set::open(&folder) {
                    Ok(set) => found.push(set),
                    Err(error) => report.failure(error),
                }
            }
        }
        if let Some(set) = found.iter().enumerate().find_map(|(index, set)| {
            found[..index].iter().any(|other| other.name == set.name).then_some(&set.name)
        }) {
            bail!("two sets are called {set}; rename the folder of one of them");
        }
        for set in &mut found {
            print_notes(set, report);
            if let Some(pages) = self.sample {
                set.sample(pages);
            }
        }
        Ok(found)
    }
}

impl LabelledArgs {
    pub(crate) fn options(&self) -> Options {
        self.reading.options()
    }

    /// Labels the blocks of the sets; a set that cannot be read is reported, and the others go on.
    pub(crate) fn read(
        &self,
        sets: &[Set],
        report: &mut Report,
        progress: &TerminalProgress,
    ) -> Vec<Dataset> {
        let found = label(sets, self.rules, &self.options(), report, progress);
        found.into_iter().map(|(_, dataset)| dataset).collect()
    }
}

/// Labels the blocks of sets; what cannot be read is reported, and the others go on.
pub(crate) fn label<'a>(
    sets: &'a [Set],
    rules: Cutting,
    options: &Options,
    report: &mut Report,
    progress: &TerminalProgress,
) -> Vec<(&'a Set, Dataset)> {
    let mut found = Vec::new();
    for set in sets {
        let read = Dataset::read(set, rules, options, progress);
        progress.end_part(&set.path.display().to_string());
        match read {
            Ok(dataset) => found.push((set, dataset)),
            Err(error) => report.failure(error),
        }
    }
    report.add_failures(progress);
    found
}

/// The first notes on a set, and how many more there are.
pub(crate) fn print_notes(set: &Set, report: &Report) {
    let Set { notes, path, .. } = set;
    notes.iter().take(NOTES).for_each(|note| report.note(note));
    if notes.len() > NOTES {
        let more = notes.len() - NOTES;
        report.note(format_args!("{}: {more} more such files", path.display()));
    }
}

/// Is there something to tell apart?
pub(crate) fn check_classes(examples: &Examples, sets: &str) -> anyhow::Result<()> {
    if let Some(class) = examples.only_class() {
        let class = class.name();
        bail!(
            "{sets}: all blocks are {class}, nothing can be told apart; is the gold of these pages?"
        );
    }
    Ok(())
}

/// Can blocks of this set be of four classes?
pub(crate) fn is_annotated(dataset: &Dataset) -> bool {
    dataset.gold == GoldKind::Annotations
}

/// Can this file be written: has it one of the endings, a folder to be in, and is it no part of a set?
pub(crate) fn check_output(file: &Path, endings: &[&str], sets: &[Set]) -> anyhow::Result<()> {
    let shown = file.display();
    let ending = file.extension().and_then(|ending| ending.to_str());
    if !ending.is_some_and(|ending| endings.contains(&ending)) {
        let endings: Vec<String> = endings.iter().map(|ending| format!(".{ending}")).collect();
        bail!("{shown}: the name of this file must end in {}", endings.join(" or "));
    }
    let folder = match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let folder = folder.canonicalize().with_context(|| shown.to_string())?;
    if file.is_dir() {
        bail!("{shown}: a directory; name a file");
    }
    for set in sets {
        if set.path.canonicalize().is_ok_and(|path| folder.starts_with(path)) {
            let set = set.path.display();
            bail!("{shown}: inside the set {set}, which is read; name a file elsewhere");
        }
    }
    Ok(())
}
