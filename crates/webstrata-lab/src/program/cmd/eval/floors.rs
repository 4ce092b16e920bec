//! `--floors FILE`: are our extractors as good as they were?

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};
use webstrata_base::write_whole;
use webstrata_lab::floors::{Finding, Floors, Measured};
use webstrata_lab::scores::Measure;
use webstrata_lab::scores::statistics::mean;

use super::{Author, Scored};
use webstrata_terminal::report::{self, Report};

/// The floors and what became of them.
pub(super) struct Guard {
    file: PathBuf,
    floors: Floors,
    updates: bool,
    holds: bool,
}

impl Guard {
    /// Reads the file; one that is to be updated need not be there.
    pub(super) fn open(file: &Path, updates: bool) -> anyhow::Result<Guard> {
        let name = || file.display().to_string();
        let floors = match fs::read_to_string(file) {
            Ok(text) => Floors::from_toml(&text).map_err(|error| anyhow!("{}: {error}", name()))?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                if !updates {
                    bail!("{}: no such file; --update-floors writes one", name());
                }
                Floors::default()
            }
            Err(error) => return Err(error).with_context(name),
        };
        Ok(Guard { file: file.to_owned(), floors, updates, holds: true })
    }

    /// Compares the scores of the built-in extractors, or makes them the new floors.
    pub(super) fn look_at(
        &mut self,
        scored: &Scored<'_>,
        sample: Option<usize>,
        reason: Option<&str>,
        report: &Report,
    ) {
        let name = &scored.set.name;
        let means = scored.rows.iter().filter_map(|row| match row.author {
            Author::Ours(ours) if ours.is_builtin => {
                let f1: Vec<f64> = row.scores.iter().map(|s| s.value(Measure::Bag)).collect();
                Some((ours.label.clone(), mean(&f1)))
            }
            _ => None,
        });
        let measured = Measured {
            set: sample.map_or_else(|| name.clone(), |pages| format!("{name}/{pages}")),
            pages: scored.pages,
            digest: scored.digest.clone(),
            means: means.collect(),
        };
        let findings = if self.updates {
            self.floors.update(&measured, reason)
        } else {
            self.floors.check(&measured)
        };
        for finding in findings {
            match finding {
                Finding::Fails(line) => {
                    self.holds = false;
                    report::line(&line);
                }
                finding => report.note(finding),
            }
        }
    }

    /// Writes the new floors, all or none; do they hold?
    pub(super) fn finish(self, report: &mut Report) -> anyhow::Result<bool> {
        if self.updates {
            let name = self.file.display().to_string();
            if report.failed() {
                report.error(&name, "not written, because something failed");
            } else if !self.holds {
                report::line(&format!("{name}: not written"));
            } else {
                write_whole(&self.file, self.floors.to_toml().as_bytes())?;
            }
        }
        Ok(self.holds)
    }
}
