//! Long work that can be resumed.
//!
//! Each step's result is kept in a file of its own, together with a key of all that the result
//! depends on. The same key again: the result is read, not computed. Another key, a file of which a
//! part is missing, or no file: the step runs.

use std::fs;
use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::files::{make_folders, write_whole};

/// The results of steps, in a folder.
///
/// ```
/// use webstrata_base::steps::{Key, Steps};
///
/// let folder = std::env::temp_dir().join(format!("steps-{}", std::process::id()));
/// let steps = Steps::open(&folder)?;
/// let key = Key::new().text("10 folds").finish();
/// let first = steps.run("mean", &key, || Ok(2.5))?;
/// let again: f64 = steps.run("mean", &key, || unreachable!("it is there"))?;
/// assert_eq!(first, again);
/// # std::fs::remove_dir_all(&folder).unwrap();
/// # Ok::<(), webstrata_base::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Steps {
    folder: PathBuf,
}

#[derive(Serialize, Deserialize)]
struct Kept<K, T> {
    key: K,
    result: T,
}

impl Steps {
    /// Opens the folder of results; makes it where it is missing.
    pub fn open(folder: &Path) -> Result<Steps, Error> {
        make_folders(folder).map_err(|error| Error::io(folder, &error))?;
        Ok(Steps { folder: folder.to_owned() })
    }

    /// The result of a step: the one that was kept under this key, or a new one. `key` stands for all
    /// that the result depends on; see [`Key`]. An error of the step is not kept.
    ///
    /// A result must survive JSON. JSON has no NaN: use `None` instead.
    pub fn run<T: Serialize + DeserializeOwned>(
        &self,
        name: &str,
        key: &str,
        step: impl FnOnce() -> Result<T, Error>,
    ) -> Result<T, Error> {
        let path = self.path(name)?;
        if let Some(kept) = read(&path, key) {
            return Ok(kept);
        }
        let result = step()?;
        let wrong = |error: serde_json::Error| {
            Error::new(format!("step {name}: its result cannot be kept: {error}"))
        };
        let kept = serde_json::to_vec(&Kept { key, result: &result }).map_err(wrong)?;
        // A result that cannot be read back would be computed anew in every run, in silence.
        serde_json::from_slice::<Kept<String, T>>(&kept).map_err(wrong)?;
        write_whole(&path, &kept)?;
        Ok(result)
    }

    /// Is there a result of this step under this key? Then [`Steps::run`] is quick.
    pub fn has(&self, name: &str, key: &str) -> bool {
        let kept = self.path(name).ok().and_then(|path| read::<serde::de::IgnoredAny>(&path, key));
        kept.is_some()
    }

    fn path(&self, name: &str) -> Result<PathBuf, Error> {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        if name.is_empty() || name.starts_with('.') || !name.chars().all(plain) {
            let rule = "letters, digits, `-`, `_` and `.` only, no `.` in front";
            return Err(Error::new(format!("step `{name}`: no name for a file; {rule}")));
        }
        Ok(self.folder.join(format!("{name}.json")))
    }
}

/// What was kept under the key, if all of it is there.
fn read<T: DeserializeOwned>(path: &Path, key: &str) -> Option<T> {
    let kept: Kept<String, T> = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
    (kept.key == key).then_some(kept.result)
}

/// Makes a key of all that a result depends on: the version of this crate, options, inputs.
///
/// The digest has 64 bits and is the same for the same parts in the same order. Another release of
/// Rust may compute another one; then steps run once more.
#[derive(Clone)]
pub struct Key {
    hasher: DefaultHasher,
}

impl Default for Key {
    fn default() -> Key {
        Key::new()
    }
}

impl Key {
    /// The version of this crate and nothing else yet.
    pub fn new() -> Key {
        Key { hasher: DefaultHasher::new() }.text(env!("CARGO_PKG_VERSION"))
    }

    /// Adds a text: options, names.
    pub fn text(self, text: &str) -> Key {
        self.bytes(text.as_bytes())
    }

    /// Adds bytes.
    pub fn bytes(mut self, bytes: &[u8]) -> Key {
        // With the length, "ab" and "c" differ from "a" and "bc".
        self.hasher.write_u64(bytes.len() as u64);
        self.hasher.write(bytes);
        self
    }

    /// Adds what is in a file.
    pub fn file(self, path: &Path) -> Result<Key, Error> {
        let bytes = fs::read(path).map_err(|error| Error::io(path, &error))?;
        Ok(self.bytes(&bytes))
    }

    /// Adds the running program itself, so that a new build gives new results, also with the same version.
    pub fn program(self) -> Result<Key, Error> {
        let program = std::env::current_exe();
        let program =
            program.map_err(|error| Error::new(format!("the program's file: {error}")))?;
        self.file(&program)
    }

    /// The key as a word.
    pub fn finish(&self) -> String {
        format!("{:016x}", self.hasher.finish())
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    struct Counted {
        folder: tempfile::TempDir,
        runs: Cell<usize>,
    }

    impl Counted {
        fn new() -> Counted {
            Counted { folder: tempfile::tempdir().unwrap(), runs: Cell::new(0) }
        }

        fn run(&self, key: &str) -> Vec<f64> {
            let steps = Steps::open(&self.folder.path().join("kept")).unwrap();
            let step = || {
                self.runs.set(self.runs.get() + 1);
                Ok(vec![0.1 + 0.2, 1e-300, 5e-324, 1.797_693_134_862_315_7e308])
            };
            steps.run("table-2", key, step).unwrap()
        }

        fn file(&self) -> PathBuf {
            self.folder.path().join("kept/table-2.json")
        }
    }

    #[test]
    fn a_step_runs_once_for_each_key() {
        let counted = Counted::new();
        let first = counted.run("a");
        // To the last bit.
        assert_eq!(counted.run("a"), first);
        assert_eq!(counted.runs.get(), 1);
        counted.run("b");
        assert_eq!(counted.runs.get(), 2);
        // Only the last one is kept.
        counted.run("a");
        assert_eq!(counted.runs.get(), 3);
    }

    #[test]
    fn a_damaged_file_is_no_result() {
        let counted = Counted::new();
        counted.run("a");
        let whole = fs::read(counted.file()).unwrap();
        let mut runs = 1;
        for length in 0..whole.len() {
            fs::write(counted.file(), &whole[..length]).unwrap();
            counted.run("a");
            runs += 1;
            assert_eq!(counted.runs.get(), runs, "with {length} bytes");
            assert_eq!(fs::read(counted.file()).unwrap(), whole);
        }
        fs::write(counted.file(), "{\"key\":\"a\",\"result\":\"something else\"}").unwrap();
        counted.run("a");
        assert_eq!(counted.runs.get(), runs + 1);
    }

    #[test]
    fn nothing_but_the_result_is_left() {
        let counted = Counted::new();
        counted.run("a");
        counted.run("b");
        let files = fs::read_dir(counted.folder.path().join("kept")).unwrap();
        assert_eq!(files.count(), 1);
    }

    #[test]
    fn an_error_is_not_kept() {
        let folder = tempfile::tempdir().unwrap();
        let steps = Steps::open(folder.path()).unwrap();
        let failed: Result<u32, Error> = steps.run("x", "k", || Err(Error::new("no pages")));
        assert_eq!(failed.unwrap_err().to_string(), "no pages");
        assert!(!steps.has("x", "k"));
        assert_eq!(steps.run("x", "k", || Ok(7)), Ok(7));
        assert!(steps.has("x", "k") && !steps.has("x", "other"));
    }

    #[test]
    fn what_json_cannot_hold_is_said_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let steps = Steps::open(folder.path()).unwrap();
        let error = steps.run("x", "k", || Ok(f64::NAN)).unwrap_err().to_string();
        assert!(error.starts_with("step x: its result cannot be kept: "), "{error}");
        assert!(!steps.has("x", "k"));
    }

    #[test]
    fn names_that_are_no_files() {
        let folder = tempfile::tempdir().unwrap();
        let steps = Steps::open(folder.path()).unwrap();
        for name in ["", "../x", ".x", "a/b", "a b", "ä"] {
            let error = steps.run(name, "k", || Ok(1)).unwrap_err().to_string();
            assert!(error.starts_with(&format!("step `{name}`: no name")), "{error}");
        }
    }

    #[test]
    fn a_folder_that_cannot_be_made() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        assert!(Steps::open(&file.join("steps")).is_err());
        assert!(write_whole(&file.join("x"), b"").is_err());
    }

    #[test]
    fn keys_differ_where_their_parts_do() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("page.html");
        fs::write(&file, "<p>Noon").unwrap();
        let with_file = || Key::new().file(&file).unwrap().finish();
        let keys = [
            Key::new().finish(),
            Key::new().text("ab").text("c").finish(),
            Key::new().text("a").text("bc").finish(),
            Key::new().text("").finish(),
            with_file(),
            Key::new().program().unwrap().finish(),
        ];
        let different: std::collections::BTreeSet<_> = keys.iter().collect();
        assert_eq!(different.len(), keys.len());
        assert_eq!(keys[4], with_file());
        fs::write(&file, "<p>Dusk").unwrap();
        assert_ne!(keys[4], with_file());
        assert!(Key::new().file(&folder.path().join("missing")).is_err());
    }
}
