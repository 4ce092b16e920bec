//! The laboratory: the papers' tables and figures, made anew from the pages, as one report.
//!
//! Every table and figure is a step whose result is kept, so that a run that was interrupted goes on
//! where it stopped ([`Steps`]).

mod blocks;
mod densities;
mod experiments;
mod papers;
mod particles;
mod table_1;
mod table_2;
mod templates;
mod texts;

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::report::Report;
use crate::sets::Set;
use webstrata_base::error::Error;
use webstrata_base::progress::Progress;
use webstrata_base::steps::{Key, Steps};

/// A part of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Tables 1 and 2, Figures 1 and 5.
    Blocks,
    /// Figures 4.22 and 4.26.
    Densities,
    /// Figure 2.
    Texts,
    /// Template removal.
    Templates,
    /// The swarm.
    Swarm,
}

impl Part {
    /// All with their names.
    pub const ALL: [(Part, &'static str); 5] = [
        (Part::Blocks, "blocks"),
        (Part::Densities, "densities"),
        (Part::Texts, "texts"),
        (Part::Templates, "templates"),
        (Part::Swarm, "swarm"),
    ];
}

/// What the laboratory works with.
#[derive(Clone, Debug, Default)]
pub struct Lab {
    /// The folder of sets; `l3s-gn1` has to be there, `cleaneval` should.
    pub corpora: PathBuf,
    /// Where the report goes.
    pub out: PathBuf,
    /// Folders of other tools' texts, `TOOL/SET.jsonl`, for Figure 2.
    pub outputs: Vec<PathBuf>,
    /// Plain texts whose density is drawn, for Figure 4.26.
    pub texts: Vec<PathBuf>,
    /// The parts that are wanted; all, if none is named.
    pub only: Vec<Part>,
}

impl Lab {
    /// Runs all experiments and writes the report (`index.html`, `report.md`, `report.json`).
    pub fn run(&self, progress: &dyn Progress) -> Result<Report, Error> {
        let news = open(&self.corpora.join("l3s-gn1"), progress)?;
        if let Some(entry) = news.entries.iter().find(|entry| entry.annotated.is_none()) {
            let missing = news.path.join("annotated").join(format!("{}.html", entry.id));
            let needed = "missing; the laboratory needs the annotated copy of every page";
            return Err(Error::at(&missing, needed));
        }
        let mixed = match open(&self.corpora.join("cleaneval"), progress) {
            Ok(set) => Some(set),
            Err(error) => {
                progress.note(&format!("{error}; Figure 2 goes without it"));
                None
            }
        };
        let bench = Setup {
            steps: Steps::open(&self.out.join("steps"))?,
            key: Key::new().program()?,
            digests: RefCell::default(),
            progress,
        };
        let mut report = Report::new("The papers' tables, made anew")
            .about(
                "What two papers measured and what webstrata measures on the same pages: the \
                 paper's number, ours, the difference, and which experiment explains it.",
            )
            .fact("webstrata", env!("CARGO_PKG_VERSION"))
            .fact("l3s-gn1", format!("{} pages", news.entries.len()));
        if let Some(mixed) = &mixed {
            report = report.fact("cleaneval", format!("{} pages", mixed.entries.len()));
        }
        let sets: Vec<&Set> = std::iter::once(&news).chain(&mixed).collect();
        for (part, _) in Part::ALL {
            if !self.only.is_empty() && !self.only.contains(&part) {
                continue;
            }
            let sections = match part {
                Part::Blocks => blocks::sections(&bench, &news)?,
                Part::Densities => vec![densities::section(&bench, &sets, &self.texts)?],
                Part::Texts => vec![texts::section(&bench, &sets, &self.outputs)?],
                Part::Templates => {
                    let sets = all_sets(&self.corpora, &sets, progress);
                    vec![templates::section(&bench, &sets)?]
                }
                Part::Swarm => vec![particles::section(&bench, &news, mixed.as_ref())?],
            };
            report = sections.into_iter().fold(report, Report::section);
        }
        report.write(&self.out)?;
        Ok(report)
    }
}

/// All sets of the folder, those that are open already first.
fn all_sets(corpora: &Path, open: &[&Set], progress: &dyn Progress) -> Vec<Set> {
    let mut sets: Vec<Set> = open.iter().map(|set| (*set).clone()).collect();
    let folders = std::fs::read_dir(corpora).into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = folders.map(|entry| entry.path()).collect();
    folders.sort();
    for folder in folders.iter().filter(|folder| folder.join("gold").is_dir()) {
        if sets.iter().any(|set| set.path == *folder) {
            continue;
        }
        match Set::open(folder) {
            Ok(set) => sets.push(set),
            Err(error) => progress.note(&format!("{error}; left out of template removal")),
        }
    }
    sets
}

/// Opens a set without the pages that cannot be read.
fn open(path: &Path, progress: &dyn Progress) -> Result<Set, Error> {
    let mut set = Set::open(path)?;
    set.notes.iter().for_each(|note| progress.note(note));
    set.entries.retain(|entry| {
        let read = entry.read_page().and_then(|_| entry.read_gold());
        read.map_err(|error| progress.failure(&format!("{error}, left out"))).is_ok()
    });
    if set.entries.is_empty() {
        return Err(Error::at(path, "no page of this set can be read"));
    }
    Ok(set)
}

/// Passes on the messages of an experiment but not its steps: the bar counts experiments.
struct WithoutSteps<'a>(&'a dyn Progress);

impl Progress for WithoutSteps<'_> {
    fn begin(&self, _part: &str, _steps: usize) {}
    fn step(&self) {}
    fn note(&self, message: &str) {
        self.0.note(message);
    }
    fn failure(&self, message: &str) {
        self.0.failure(message);
    }
}

/// What every experiment needs.
struct Setup<'a> {
    steps: Steps,
    key: Key,
    /// The digests of sets, by their folders: they are asked for often and cost a pass over all files.
    digests: RefCell<HashMap<PathBuf, String>>,
    progress: &'a dyn Progress,
}

impl Setup<'_> {
    /// The key of results that depend on a set's content and some options.
    fn key(&self, set: &Set, options: &str) -> Result<String, Error> {
        let known = self.digests.borrow().get(&set.path).cloned();
        let digest = match known {
            Some(digest) => digest,
            None => {
                let digest = set.digest()?;
                self.digests.borrow_mut().insert(set.path.clone(), digest.clone());
                digest
            }
        };
        Ok(self.key.clone().text(&digest).text(options).finish())
    }
}
