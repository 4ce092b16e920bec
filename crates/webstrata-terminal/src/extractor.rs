//! `--extractor NAME|FILE.toml`.

use std::fs;
use std::path::Path;

use anyhow::{Context, anyhow, bail};
use webstrata::error::nearest;
use webstrata::{Error, Extractor};
use webstrata_base::steps::Key;

use crate::report;

/// The flag.
#[derive(Debug, clap::Args)]
pub struct ExtractorArg {
    /// A built-in extractor (see `webstrata extractors`) or a TOML file
    #[arg(short, long, value_name = "NAME|FILE.toml", default_value = "strata")]
    extractor: String,

    /// What to do with doubtful text: precision, balanced, recall, or the weight of recall
    ///
    /// A number above 1 keeps more, one below 1 keeps less; precision is 0.5 and recall is 2. More
    /// recall never drops what less recall keeps. Only `strata` has doubts that it tells.
    #[arg(long, value_name = "WHAT", value_parser = favor)]
    favor: Option<f64>,
}

impl ExtractorArg {
    /// Tells the extractor from others. Built-in ones change with the program only; of files, the models count.
    pub fn key(&self, extractor: &Extractor) -> String {
        let whole = if is_path(&self.extractor) { format!("{extractor:?}") } else { String::new() };
        let key = Key::new().text(&extractor.to_toml()).text(&whole).finish();
        format!("{} {key}", extractor.name)
    }

    /// Loads the extractor and sets the weight of recall.
    pub fn load(&self) -> anyhow::Result<Extractor> {
        let extractor = load(&self.extractor)?;
        let Some(recall) = self.favor else { return Ok(extractor) };
        extractor.with_recall(recall).ok_or_else(|| {
            let name = &extractor.name;
            anyhow!("--favor: `{name}` has no step `keep-likely`; use it with --extractor strata")
        })
    }
}

fn favor(written: &str) -> Result<f64, String> {
    match written {
        "precision" => Ok(0.5),
        "balanced" => Ok(1.0),
        "recall" => Ok(2.0),
        number => {
            let number = number.parse().ok().filter(|n| (0.01..=100.0).contains(n));
            number.ok_or_else(|| {
                "expected precision, balanced, recall or a number from 0.01 to 100".into()
            })
        }
    }
}

/// Anything that ends in `.toml` or has a slash is a path.
pub fn load(name: &str) -> anyhow::Result<Extractor> {
    if is_path(name) {
        return from_file(name);
    }
    match Extractor::named(name) {
        Some(extractor) => Ok(extractor.clone()),
        None => bail!(unknown(name)),
    }
}

fn is_path(name: &str) -> bool {
    name.ends_with(".toml") || name.contains(['/', '\\'])
}

fn from_file(path: &str) -> anyhow::Result<Extractor> {
    let toml = fs::read_to_string(path).with_context(|| path.to_owned())?;
    let directory = Path::new(path).parent().unwrap_or(Path::new(""));
    let extractor = Extractor::from_toml_with(&toml, |model| {
        // Relative to the TOML, as everywhere: a directory of extractor and model can be moved.
        let path = directory.join(model);
        fs::read_to_string(&path).map_err(|error| {
            let message = report::io(&error);
            if path == Path::new(model) {
                message
            } else {
                format!("{message} ({})", path.display())
            }
        })
    });
    extractor.map_err(|error| anyhow!(located(path, &error)))
}

/// `my.toml:7: step 2: …`, which editors and terminals turn into a link.
fn located(path: &str, error: &Error) -> String {
    let message = error.message();
    match error.line() {
        Some(line) => format!("{path}:{line}: {message}"),
        None => format!("{path}: {message}"),
    }
}

fn unknown(name: &str) -> String {
    let names = || Extractor::builtin().iter().map(|extractor| extractor.name.as_str());
    match nearest(name, names()) {
        Some(near) => format!("unknown extractor `{name}`, did you mean `{near}`?"),
        None => {
            let names: Vec<&str> = names().collect();
            let names = names.join(", ");
            format!("unknown extractor `{name}`, expected a TOML file or one of {names}")
        }
    }
}
