//! `cargo xtask score`: our extractors against the gold texts of the sets.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::json;
use webstrata::{Extractor, Hidden, Options};

use crate::bag::{Bag, mean};
use crate::sets;

/// What to score.
pub(crate) struct Score {
    pub(crate) sets: PathBuf,
    pub(crate) names: Option<Vec<String>>,
    pub(crate) extractors: Option<Vec<String>>,
    /// Where the extracted texts are kept.
    pub(crate) write: Option<PathBuf>,
}

/// One page by one extractor.
struct Page {
    id: String,
    text: String,
    seconds: f64,
    /// F1 against the gold text; `None` where that is missing or has no word.
    f1: Option<f64>,
}

impl Score {
    pub(crate) fn run(&self) -> Result<(), String> {
        let extractors = self.extractors()?;
        let names = sets::names(&self.sets, self.names.as_deref())?;
        println!("Mean bag-of-words F1 against the gold text, hidden text dropped and kept.\n");
        println!("set          extractor     pages  hidden drop  hidden keep");
        for name in names {
            for extractor in &extractors {
                let score = |hidden| self.score(&name, extractor, hidden);
                let (dropped, kept) = (score(Hidden::Drop)?, score(Hidden::Keep)?);
                let extractor = &extractor.name;
                let f1 =
                    |pages: &[Page]| -> Vec<f64> { pages.iter().filter_map(|p| p.f1).collect() };
                let (drop, keep) = (f1(&dropped), f1(&kept));
                let (pages, drop, keep) = (drop.len(), mean(&drop), mean(&keep));
                println!("{name:12} {extractor:12} {pages:6}  {drop:11.4}  {keep:11.4}");
                if let Some(write) = &self.write {
                    let folder = write.join(format!("webstrata-{extractor}"));
                    sets::write(&folder.join(format!("{name}.jsonl")), &lines(&dropped))?;
                }
            }
        }
        Ok(())
    }

    fn extractors(&self) -> Result<Vec<&'static Extractor>, String> {
        let Some(chosen) = &self.extractors else {
            return Ok(Extractor::builtin().iter().collect());
        };
        let named = |name: &String| {
            Extractor::named(name).ok_or_else(|| {
                let known: Vec<&str> =
                    Extractor::builtin().iter().map(|e| e.name.as_str()).collect();
                format!("{name}: no such extractor; there are {}", known.join(", "))
            })
        };
        chosen.iter().map(named).collect()
    }

    fn score(&self, set: &str, extractor: &Extractor, hidden: Hidden) -> Result<Vec<Page>, String> {
        let options = Options { hidden, ..Options::default() };
        let set = self.sets.join(set);
        sets::in_parallel(&sets::pages(&set)?, |page| {
            let bytes = sets::read(page)?;
            let start = Instant::now();
            let text = extractor.extract_with(&bytes, &options).text();
            let seconds = start.elapsed().as_secs_f64();
            let id = sets::id(page);
            let f1 = gold(&set, &id)?.map(|gold| Bag::of(&text).f1(&gold));
            Ok(Page { id, text, seconds, f1 })
        })
    }
}

/// The words of a page's gold text, if it has any.
fn gold(set: &Path, id: &str) -> Result<Option<Bag>, String> {
    let file = set.join("gold").join(format!("{id}.txt"));
    if !file.exists() {
        return Ok(None);
    }
    let gold = Bag::of(&String::from_utf8_lossy(&sets::read(&file)?));
    Ok(Some(gold).filter(|gold| !gold.is_empty()))
}

/// One JSON line for each page: its name, its text and the seconds that took.
fn lines(pages: &[Page]) -> String {
    let mut lines = String::new();
    for Page { id, text, seconds, .. } in pages {
        // Writing to a string cannot fail.
        let _ = writeln!(lines, "{}", json!({ "id": id, "text": text, "s": seconds }));
    }
    lines
}
