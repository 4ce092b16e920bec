//! `--extractor NAME|FILE.toml`.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, anyhow};
use webstrata::request::{Field, RequestError, Value, extractor_named};
use webstrata::{Error, Extractor, Request};
use webstrata_base::steps::Key;

use crate::args::{ReadingArgs, checked};
use crate::report;

/// The flag.
#[derive(Debug, clap::Args)]
pub struct ExtractorArg {
    /// A built-in extractor (see `webstrata extractors`) or a TOML file
    #[arg(short, long, value_name = "NAME|FILE.toml", default_value = Field::Extractor.default_text())]
    extractor: String,

    /// What to do with doubtful text: precision, balanced, recall, or the weight of recall
    ///
    /// A number above 1 keeps more, one below 1 keeps less; precision is 0.5 and recall is 2. More
    /// recall never drops what less recall keeps. It needs the step `keep-likely`, as in `strata`.
    #[arg(long, value_name = "WHAT", value_parser = checked(Field::Favor))]
    favor: Option<String>,

    /// A model of your own for the extractor, made by `webstrata-lab train strata` or `train site`
    ///
    /// The extractor must have a step that uses such a model, as `strata` and `strata+site` do.
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,
}

impl ExtractorArg {
    /// A key that differs between extractors. A built-in extractor changes with the program only. The key of a file
    /// includes its models.
    pub fn key(&self, extractor: &Extractor) -> String {
        let whole = if is_path(&self.extractor) { format!("{extractor:?}") } else { String::new() };
        let key = Key::new().text(&extractor.to_toml()).text(&whole).finish();
        format!("{} {key}", extractor.name)
    }

    /// What to do with pages: the extractor, built once, and how pages are read for it.
    pub fn request(&self, reading: &ReadingArgs) -> anyhow::Result<Request> {
        let mut builder = Request::builder();
        if let Some(model) = &self.model {
            builder.extractor(Arc::new(with_model(&load(&self.extractor)?, model)?));
        } else if is_path(&self.extractor) {
            builder.extractor(Arc::new(from_file(&self.extractor)?));
        } else {
            builder.set_field(Field::Extractor, self.extractor.as_str()).map_err(refused)?;
        }
        if let Some(favor) = &self.favor {
            builder.set_field(Field::Favor, Value::Written(favor)).map_err(refused)?;
        }
        reading.set(&mut builder).map_err(refused)?;
        builder.build().map_err(refused)
    }
}

/// The message with the flag in front, unless it names the extractor itself.
#[expect(clippy::needless_pass_by_value, reason = "what map_err hands over")]
fn refused(error: RequestError) -> anyhow::Error {
    match error.field() {
        Some(Field::Extractor) | None => anyhow!("{}", error.message()),
        Some(field) => anyhow!("--{}: {}", field.name(), error.message()),
    }
}

/// Anything that ends in `.toml` or has a slash is a path.
pub fn load(name: &str) -> anyhow::Result<Extractor> {
    if is_path(name) {
        return from_file(name);
    }
    extractor_named(name).cloned().map_err(refused)
}

/// The same extractor with the model of a file.
fn with_model(extractor: &Extractor, path: &Path) -> anyhow::Result<Extractor> {
    let shown = || path.display().to_string();
    let bytes = fs::read(path).with_context(shown)?;
    extractor.with_model(&bytes).with_context(shown)
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
