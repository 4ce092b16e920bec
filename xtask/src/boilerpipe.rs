//! Runs the original boilerpipe, a Java program, over a set of pages.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

use crate::sets;

/// boilerpipe's extractors, by the names they have here.
pub(crate) const EXTRACTORS: [&str; 7] =
    ["article", "sentences", "default", "largest", "canola", "num-words", "keep-all"];

/// What boilerpipe needs. Its own jar is first: it replaces two classes of nekohtml.
const JARS: [&str; 3] = ["boilerpipe", "nekohtml", "xercesImpl"];
/// Where Debian puts them.
const JAVA_LIBRARIES: &str = "/usr/share/java";
const DEBIAN: &str = "Debian has it all in libboilerpipe-java and default-jdk-headless";
const RUNNER: &str = include_str!("../java/Boilerpipe.java");

/// What boilerpipe made of a page.
#[derive(Deserialize)]
pub(crate) struct Extracted {
    pub(crate) id: String,
    /// The page as boilerpipe was given it, where that is not what its bytes are in UTF-8.
    pub(crate) page: Option<String>,
    pub(crate) title: Option<String>,
    #[serde(default)]
    pub(crate) blocks: Vec<Block>,
    /// The main text, by extractor.
    #[serde(default)]
    pub(crate) texts: HashMap<String, String>,
    pub(crate) error: Option<String>,
}

/// A block before any extractor; the names are those of our counts.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
pub(crate) struct Block {
    pub(crate) text: String,
    pub(crate) words: u32,
    pub(crate) linked_words: u32,
    pub(crate) text_density: f32,
}

/// The program, ready to run.
pub(crate) struct Boilerpipe {
    class_path: String,
    /// For what is written on the way; removed in the end.
    folder: PathBuf,
}

impl Boilerpipe {
    /// `path` is a folder with the jars, a class path, or nothing for where Debian has them.
    pub(crate) fn new(path: Option<&str>) -> Result<Boilerpipe, String> {
        let class_path = class_path(path)?;
        let java = Command::new("java").arg("-version").output();
        java.map_err(|error| format!("java: {error}; {DEBIAN}"))?;
        let folder = std::env::temp_dir().join(format!("webstrata-parity-{}", std::process::id()));
        Ok(Boilerpipe { class_path, folder })
    }

    /// Extracts all pages of a set.
    pub(crate) fn extract(&self, set: &Path) -> Result<Vec<Extracted>, String> {
        let runner = self.folder.join("Boilerpipe.java");
        let lines = self.folder.join("pages.jsonl");
        sets::write(&runner, RUNNER)?;
        let output = Command::new("java")
            .args(["-Xmx2g", "-Xss16m", "-cp", &self.class_path])
            .args([&runner, &set.join("pages"), &lines])
            .args(EXTRACTORS)
            .output()
            .map_err(|error| format!("java: {error}; {DEBIAN}"))?;
        if !output.status.success() {
            let message = String::from_utf8_lossy(&output.stderr);
            return Err(format!("java: {}; {DEBIAN}", message.lines().next().unwrap_or_default()));
        }
        let text = String::from_utf8_lossy(&sets::read(&lines)?).into_owned();
        let parse =
            |line| serde_json::from_str(line).map_err(|e| format!("{}: {e}", lines.display()));
        text.lines().map(parse).collect()
    }
}

impl Drop for Boilerpipe {
    fn drop(&mut self) {
        // Nothing to do about it if it stays.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn class_path(given: Option<&str>) -> Result<String, String> {
    let folder = match given {
        Some(given) if !Path::new(given).is_dir() => return Ok(given.to_owned()),
        given => Path::new(given.unwrap_or(JAVA_LIBRARIES)),
    };
    let jars = JARS.map(|name| folder.join(format!("{name}.jar")));
    match jars.iter().find(|jar| !jar.exists()) {
        Some(jar) => Err(format!("{}: no such file; {DEBIAN}", jar.display())),
        None => Ok(jars.map(|jar| jar.display().to_string()).join(":")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_jar_names_the_package() {
        let folder = env!("CARGO_MANIFEST_DIR");
        let error = class_path(Some(folder)).unwrap_err();
        assert!(error.starts_with(&format!("{folder}/boilerpipe.jar: no such file")), "{error}");
        assert!(error.contains("libboilerpipe-java") && !error.contains('\n'));
        assert_eq!(class_path(Some("a.jar:b.jar")).as_deref(), Ok("a.jar:b.jar"));
    }

    #[test]
    fn lines_of_the_runner() {
        let line = r#"{"id":"1","title":null,"blocks":[{"words":1,"linked_words":0,
            "text_density":1.0,"text":"a"}],"texts":{"article":"a\n"}}"#;
        let page: Extracted = serde_json::from_str(line).unwrap();
        let block = Block { text: "a".into(), words: 1, linked_words: 0, text_density: 1.0 };
        assert_eq!((page.blocks, page.texts["article"].as_str()), (vec![block], "a\n"));
        let page: Extracted = serde_json::from_str(r#"{"id":"1","error":"x"}"#).unwrap();
        assert!(page.error.is_some() && page.blocks.is_empty());
        assert!(EXTRACTORS.iter().all(|name| RUNNER.contains(&format!("case \"{name}\" ->"))));
    }
}
