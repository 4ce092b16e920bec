//! The texts that other tools took out of a set's pages: `TOOL/SET.jsonl`, a line of
//! `{"id": …, "text": …}` for each page.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::sets::Set;
use webstrata_base::error::Error;

/// A folder of one tool's texts.
#[derive(Clone, Debug)]
pub struct Tool {
    name: String,
    folder: PathBuf,
}

/// What a tool made of a set.
#[derive(Clone, Debug)]
pub struct ToolTexts {
    name: String,
    file: PathBuf,
    texts: HashMap<String, String>,
    mistakes: Vec<String>,
}

/// A line of the file; runners write more into it.
#[derive(Deserialize)]
struct Line {
    id: String,
    /// Some tools give nothing rather than an empty text.
    text: Option<String>,
}

/// The tools of a folder, ordered by name.
pub fn tools(folder: &Path) -> Result<Vec<Tool>, Error> {
    let entries = fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let entries = entries.map_err(|error| Error::io(folder, &error))?;
    let mut folders: Vec<PathBuf> =
        entries.iter().map(fs::DirEntry::path).filter(|path| path.is_dir()).collect();
    folders.sort();
    if folders.is_empty() {
        return Err(Error::at(folder, "no folder of a tool here; expected TOOL/SET.jsonl"));
    }
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(folders.into_iter().map(|folder| Tool { name: name(&folder), folder }).collect())
}

impl Tool {
    /// The tool's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The texts of a set; `None` where the tool has none of it, [`Tool::file`].
    pub fn texts(&self, set: &Set) -> Result<Option<ToolTexts>, Error> {
        self.texts_of(&set.name)
    }

    /// The same of a set, or of anything else, by its name.
    pub fn texts_of(&self, set: &str) -> Result<Option<ToolTexts>, Error> {
        let file = self.folder.join(format!("{set}.jsonl"));
        if !file.exists() {
            return Ok(None);
        }
        let content = fs::read_to_string(&file).map_err(|error| Error::io(&file, &error))?;
        let mut found = ToolTexts {
            name: self.name.clone(),
            file,
            texts: HashMap::new(),
            mistakes: Vec::new(),
        };
        for (number, line) in (1..).zip(content.lines()).filter(|(_, line)| !line.is_empty()) {
            match serde_json::from_str::<Line>(line) {
                Ok(Line { id, text }) => {
                    found.texts.insert(id, text.unwrap_or_default());
                }
                Err(error) => {
                    let file = found.file.display();
                    let expected = "expected an object with \"id\" and \"text\"";
                    found.mistakes.push(format!("{file}:{number}: {expected}; {error}"));
                }
            }
        }
        Ok(Some(found))
    }

    /// Where its texts of a set are expected.
    pub fn file(&self, set: &Set) -> PathBuf {
        self.folder.join(format!("{}.jsonl", set.name))
    }
}

impl ToolTexts {
    /// The tool's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The file they are from.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// The text of a page.
    pub fn of(&self, id: &str) -> Option<&str> {
        self.texts.get(id).map(String::as_str)
    }

    /// Lines that are no texts: a message for each; the others are there.
    pub fn mistakes(&self) -> &[String] {
        &self.mistakes
    }
}
