//! `--outputs DIR`: the texts of other tools, `DIR/TOOL/SET.jsonl`, a line of `{"id", "text"}` a page.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use serde::Deserialize;
use webstrata_learn::Set;

use super::Author;
use crate::report::{self, Report};

/// A folder of one tool's texts.
pub(super) struct Tool {
    name: String,
    folder: PathBuf,
}

/// What a tool made of a set.
pub(super) struct ToolTexts<'a> {
    name: &'a str,
    pub(super) file: PathBuf,
    texts: HashMap<String, String>,
}

/// A line of the file; runners write more into it.
#[derive(Deserialize)]
struct Line {
    id: String,
    /// Some tools give nothing rather than an empty text.
    text: Option<String>,
}

/// The tools of all folders, each folder's ordered by name.
pub(super) fn find(folders: &[PathBuf]) -> anyhow::Result<Vec<Tool>> {
    let mut tools = Vec::new();
    for folder in folders {
        let found = in_folder(folder).with_context(|| folder.display().to_string())?;
        if found.is_empty() {
            bail!("{}: no folder of a tool here; expected TOOL/SET.jsonl", folder.display());
        }
        tools.extend(found);
    }
    Ok(tools)
}

fn in_folder(folder: &Path) -> std::io::Result<Vec<Tool>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder)? {
        paths.push(entry?.path());
    }
    paths.sort();
    let tool = |path: PathBuf| {
        let name = path.file_name()?.to_string_lossy().into_owned();
        path.is_dir().then_some(Tool { name, folder: path })
    };
    Ok(paths.into_iter().filter_map(tool).collect())
}

impl Tool {
    /// The texts of a set, if the tool has any. Lines that are none are reported and left out.
    pub(super) fn texts(&self, set: &Set, report: &mut Report) -> Option<ToolTexts<'_>> {
        let file = self.folder.join(format!("{}.jsonl", set.name));
        if !file.exists() {
            report.note(format_args!(
                "{}: no such file, {} is left out",
                file.display(),
                self.name
            ));
            return None;
        }
        let name = file.display().to_string();
        let content = match fs::read_to_string(&file) {
            Ok(content) => content,
            Err(error) => {
                report.error(&name, report::io(&error));
                return None;
            }
        };
        let mut texts = HashMap::new();
        for (number, line) in content.lines().enumerate().filter(|(_, line)| !line.is_empty()) {
            match serde_json::from_str::<Line>(line) {
                Ok(Line { id, text }) => {
                    texts.insert(id, text.unwrap_or_default());
                }
                Err(error) => {
                    let expected = "expected an object with \"id\" and \"text\"";
                    report.error(&format!("{name}:{}", number + 1), format!("{expected}; {error}"));
                }
            }
        }
        Some(ToolTexts { name: &self.name, file, texts })
    }
}

impl<'a> ToolTexts<'a> {
    pub(super) fn of(&self, id: &str) -> Option<&str> {
        self.texts.get(id).map(String::as_str)
    }

    pub(super) fn author(&self) -> Author<'a> {
        Author::Tool(self.name)
    }
}
