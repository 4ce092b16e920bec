//! What to read: files, directories of pages, stdin.

use std::fs::{self, File};
use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};

use anyhow::{anyhow, bail};

use crate::output::Output;
use crate::report;
use crate::sniff;

/// What a path of one dash means.
const STDIN: &str = "-";

/// One page that is still to be read.
#[derive(Debug)]
pub(crate) struct Input {
    /// Tells pages apart in JSON lines: the path without its extension, as it was named or from the
    /// directory on that was.
    pub(crate) id: String,
    source: Source,
}

#[derive(Debug)]
enum Source {
    Stdin,
    File(PathBuf),
}

impl Input {
    /// The one page that a command looks at; stdin where none is named.
    pub(crate) fn one(path: Option<&Path>, command: &str) -> anyhow::Result<Input> {
        match path {
            Some(path) if path.is_dir() => {
                bail!("{}: a directory; {command} looks at one page", path.display())
            }
            Some(path) => Ok(Input::named(path)),
            None if io::stdin().is_terminal() => bail!(nothing_to_read(command)),
            None => Ok(Input::named(Path::new(STDIN))),
        }
    }

    fn named(path: &Path) -> Input {
        if path == Path::new(STDIN) {
            return Input { id: STDIN.into(), source: Source::Stdin };
        }
        Input { id: id_of(path), source: Source::File(path.to_owned()) }
    }

    /// Its file, if it is one.
    pub(crate) fn path(&self) -> Option<&Path> {
        match &self.source {
            Source::Stdin => None,
            Source::File(path) => Some(path),
        }
    }

    /// How messages call it.
    pub(crate) fn name(&self) -> String {
        match &self.source {
            Source::Stdin => "stdin".into(),
            Source::File(path) => path.display().to_string(),
        }
    }

    /// The bytes, at most one more than `limit`, which tells the library that there are more; or
    /// why there is no page to be had.
    pub(crate) fn read(&self, limit: usize) -> Result<Vec<u8>, String> {
        let limit = limit as u64 + 1;
        let mut bytes = Vec::new();
        let read = match &self.source {
            Source::Stdin => io::stdin().lock().take(limit).read_to_end(&mut bytes),
            Source::File(path) => File::open(path).and_then(|file| {
                let size = file.metadata().map_or(0, |metadata| metadata.len());
                bytes.reserve_exact(size.min(limit) as usize + 1);
                file.take(limit).read_to_end(&mut bytes)
            }),
        };
        read.map_err(|error| report::io(&error))?;
        sniff::not_a_page(&bytes).map_or(Ok(bytes), Err)
    }

    /// The same where there is no other page to go on with.
    pub(crate) fn read_or_fail(&self, limit: usize) -> anyhow::Result<Vec<u8>> {
        self.read(limit).map_err(|message| anyhow!("{}: {message}", self.name()))
    }

    /// Is it this file?
    fn is_file(&self, other: &Path) -> bool {
        matches!(&self.source, Source::File(path) if fs::canonicalize(path).is_ok_and(|p| p == other))
    }
}

/// All pages that were asked for, in the order of the command line; those of a directory sorted.
#[derive(Debug, Default)]
pub(crate) struct Inputs {
    pub(crate) pages: Vec<Input>,
    /// A directory was named: there may be any number of pages.
    pub(crate) has_directory: bool,
    /// Directories without pages or that cannot be read: their names and why.
    pub(crate) problems: Vec<(String, String)>,
}

impl Inputs {
    /// Finds the pages; of directories, the files with one of `extensions`, at any depth.
    pub(crate) fn find(
        paths: &[PathBuf],
        extensions: &[String],
        command: &str,
    ) -> anyhow::Result<Inputs> {
        let mut inputs = Inputs::default();
        if paths.is_empty() && io::stdin().is_terminal() {
            bail!(nothing_to_read(command));
        }
        let stdin = [PathBuf::from(STDIN)];
        let paths = if paths.is_empty() { &stdin } else { paths };
        if paths.iter().filter(|path| path.as_os_str() == STDIN).count() > 1 {
            bail!("`-` was named twice, but stdin can be read only once");
        }
        for path in paths {
            if path.as_os_str() != STDIN && path.is_dir() {
                inputs.add_directory(path, extensions);
            } else {
                inputs.pages.push(Input::named(path));
            }
        }
        Ok(inputs)
    }

    /// Where the results go; not over one of the pages.
    pub(crate) fn output(&self, path: Option<&Path>) -> anyhow::Result<Output> {
        let Some(path) = path else { return Ok(Output::stdout()) };
        if let Ok(existing) = fs::canonicalize(path)
            && self.pages.iter().any(|page| page.is_file(&existing))
        {
            bail!("{}: named as input and as output; nothing was written", path.display());
        }
        Output::file(path)
    }

    fn add_directory(&mut self, directory: &Path, extensions: &[String]) {
        self.has_directory = true;
        let (pages, problems) = (self.pages.len(), self.problems.len());
        self.walk(directory, directory, extensions);
        if self.pages.len() == pages && self.problems.len() == problems {
            let extensions = extensions.join(", ");
            let message = format!(
                "no pages in this directory, that is, no files *.{{{extensions}}}; see --ext"
            );
            self.problems.push((directory.display().to_string(), message));
        }
    }

    fn walk(&mut self, root: &Path, directory: &Path, extensions: &[String]) {
        let entries: io::Result<Vec<_>> = fs::read_dir(directory).and_then(Iterator::collect);
        let mut entries = match entries {
            Ok(entries) => entries,
            Err(error) => {
                self.problems.push((directory.display().to_string(), report::io(&error)));
                return;
            }
        };
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let path = entry.path();
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() {
                self.walk(root, &path, extensions);
            } else if has_extension(&path, extensions) && may_be_page(&path, kind) {
                let id = id_of(path.strip_prefix(root).unwrap_or(&path));
                self.pages.push(Input { id, source: Source::File(path) });
            }
        }
    }
}

fn id_of(path: &Path) -> String {
    let id = path.with_extension("");
    id.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/")
}

/// Links to directories are not followed, they may lead in circles; a pipe would never end. A link to
/// nothing is left in: reading it tells the user.
fn may_be_page(path: &Path, kind: fs::FileType) -> bool {
    kind.is_file() || (kind.is_symlink() && fs::metadata(path).map_or(true, |it| it.is_file()))
}

fn has_extension(path: &Path, extensions: &[String]) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|has| extensions.iter().any(|one| one.eq_ignore_ascii_case(has)))
}

fn nothing_to_read(command: &str) -> String {
    format!("nothing to read; name a page or pipe one in (see `webstrata {command} --help`)")
}
