//! `cargo xtask parity`: our extractors against the originals, page by page.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use serde_json::json;
use webstrata::cutting::Cutting;
use webstrata::{Document, Extractor, Hidden, Options};
use webstrata_lab::scores::Gold;
use webstrata_lab::scores::statistics::mean;

use crate::boilerpipe::{Boilerpipe, EXTRACTORS, Extracted};
use crate::cause::{Cause, Difference};
use crate::sets;

/// What to compare.
pub(crate) struct Parity {
    pub(crate) sets: PathBuf,
    pub(crate) names: Option<Vec<String>>,
    pub(crate) extractors: Option<Vec<String>>,
    /// The class path, or the folder of the jars.
    pub(crate) boilerpipe: Option<String>,
    /// Where the verdicts on the pages that differ are kept.
    pub(crate) out: Option<PathBuf>,
    /// How many pages to show of each cause.
    pub(crate) show: usize,
}

/// How one extractor fares on one page.
struct Row {
    extractor: &'static str,
    id: String,
    /// Bag-of-words F1 of the two texts.
    f1: f64,
    /// The same, ours having read the characters that boilerpipe was given.
    f1_decoded: f64,
    difference: Option<Difference>,
}

impl Parity {
    pub(crate) fn run(&self) -> Result<(), String> {
        let extractors = self.extractors()?;
        let boilerpipe = Boilerpipe::new(self.boilerpipe.as_deref())?;
        let names = sets::names(&self.sets, self.names.as_deref())?;
        let causes = Cause::ALL.map(|cause| format!("{cause:>13}")).concat();
        println!("Mean F1 of the two texts; pages with the same words; F1 if given the same");
        println!("characters; by cause, the pages that differ and what they take from the mean.\n");
        println!("set          extractor  pages  mean F1   same  decoded{causes}");
        for name in names {
            let set = self.sets.join(&name);
            let pages = boilerpipe.extract(&set)?;
            let rows = sets::in_parallel(&pages, |theirs| compare(&set, theirs, &extractors))?;
            let rows: Vec<Row> = rows.into_iter().flatten().collect();
            for extractor in &extractors {
                let rows: Vec<&Row> =
                    rows.iter().filter(|r| r.extractor == extractor.name).collect();
                println!("{}", summary(&name, &extractor.name, &rows));
            }
            print!("{}", self.examples(&rows));
            if let Some(out) = &self.out {
                sets::write(&out.join(format!("{name}.jsonl")), &verdicts(&rows))?;
            }
        }
        Ok(())
    }

    fn extractors(&self) -> Result<Vec<&'static Extractor>, String> {
        let known = EXTRACTORS;
        let chosen: Vec<&str> = match &self.extractors {
            Some(chosen) => chosen.iter().map(String::as_str).collect(),
            None => known.into(),
        };
        let named = |name: &str| {
            let extractor = Extractor::named(name).filter(|_| known.contains(&name));
            extractor.ok_or_else(|| format!("{name}: boilerpipe has {}", known.join(", ")))
        };
        chosen.into_iter().map(named).collect()
    }

    /// The pages of each cause on which the texts differ most.
    fn examples(&self, rows: &[Row]) -> String {
        let mut text = String::new();
        for cause in Cause::ALL {
            let of_cause = |row: &&Row| row.difference.as_ref().is_some_and(|d| d.cause == cause);
            let mut rows: Vec<&Row> = rows.iter().filter(of_cause).collect();
            rows.sort_by(|a, b| a.f1.total_cmp(&b.f1));
            for row in rows.into_iter().take(self.show) {
                let Row { extractor, id, f1, difference: Some(difference), .. } = row else {
                    continue;
                };
                // Writing to a string cannot fail.
                let _ = writeln!(text, "\n{cause}: {id}, {extractor}, F1 {f1:.4}");
                let _ = writeln!(text, "  theirs {}", excerpt(&difference.theirs));
                let _ = writeln!(text, "  ours   {}", excerpt(&difference.ours));
            }
        }
        text
    }
}

fn compare(
    set: &Path,
    theirs: &Extracted,
    extractors: &[&'static Extractor],
) -> Result<Vec<Row>, String> {
    let bytes = sets::read(&set.join("pages").join(format!("{}.html", theirs.id)))?;
    let characters = theirs.page.as_ref().map_or(bytes.as_slice(), String::as_bytes);
    // boilerpipe has no notion of hidden text.
    let options = Options { hidden: Hidden::Keep, ..Options::default() };
    let sent = webstrata::read(&bytes, Cutting::Boilerpipe, &options);
    let options = Options { charset: Some("utf-8".into()), ..options };
    let decoded = webstrata::read(characters, Cutting::Boilerpipe, &options);
    let compared = extractors.iter().map(|extractor| {
        let text = |document: &Document| {
            let mut document = document.clone();
            extractor.apply(&mut document);
            document.text()
        };
        let their_text = theirs.texts.get(&extractor.name).map_or("", String::as_str);
        let mut gold = Gold::new(their_text);
        let f1 = gold.bag(&text(&sent)).f1;
        let our_text = text(&decoded);
        let f1_decoded = gold.bag(&our_text).f1;
        let difference = if theirs.error.is_none() && f1 == 1.0 {
            None
        } else if theirs.error.is_none() && f1_decoded == 1.0 {
            Some(Difference::of_charset(&decoded, &sent))
        } else {
            Some(Difference::find(theirs, &decoded, (their_text, &our_text)))
        };
        Row { extractor: &extractor.name, id: theirs.id.clone(), f1, f1_decoded, difference }
    });
    Ok(compared.collect())
}

fn summary(set: &str, extractor: &str, rows: &[&Row]) -> String {
    let pages = rows.len();
    let f1: Vec<f64> = rows.iter().map(|row| row.f1).collect();
    let decoded: Vec<f64> = rows.iter().map(|row| row.f1_decoded).collect();
    let same = f1.iter().filter(|f1| **f1 == 1.0).count() as f64 / pages.max(1) as f64;
    let (f1, decoded) = (mean(&f1), mean(&decoded));
    let mut line = format!("{set:12} {extractor:10} {pages:5}  {f1:7.4}  {same:.3}  {decoded:7.4}");
    for cause in Cause::ALL {
        let of_cause = |row: &&&Row| row.difference.as_ref().is_some_and(|d| d.cause == cause);
        let losses: Vec<f64> = rows.iter().filter(of_cause).map(|row| 1.0 - row.f1).collect();
        let loss = losses.iter().sum::<f64>() / pages.max(1) as f64;
        let cell = match losses.len() {
            0 => "·".to_owned(),
            pages => format!("{pages} {loss:.4}"),
        };
        let _ = write!(line, "{cell:>13}");
    }
    line
}

/// One JSON line for each page that differs.
fn verdicts(rows: &[Row]) -> String {
    let mut lines = String::new();
    for row in rows {
        if let Some(difference) = &row.difference {
            let line = json!({
                "id": row.id, "extractor": row.extractor, "f1": row.f1,
                "cause": difference.cause.to_string(),
                "theirs": difference.theirs, "ours": difference.ours,
            });
            let _ = writeln!(lines, "{line}");
        }
    }
    lines
}

/// The beginning of a text, on one line.
fn excerpt(text: &str) -> String {
    text.chars().take(160).flat_map(char::escape_debug).collect()
}
