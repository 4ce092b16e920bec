//! What to read: files, directories of pages, archives and lines of them, stdin.

use std::borrow::Cow;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::slice;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use anyhow::{anyhow, bail};
use webstrata::Options;
use webstrata_archive::record::Origin;
use webstrata_archive::saved::{self, Saved};
use webstrata_archive::{
    Arrival, Columns, InputKind, Limits, Pipe, Problem, ProblemKind, folder, is_packed,
};

use crate::addresses::{Arriving, Fetch, Remote, is_address, not_fetched};
use crate::output::Output;
use crate::panics;
use crate::report;
use webstrata_archive::sniff;

/// What a path of one dash means.
const STDIN: &str = "-";

/// How messages and records call it.
const STDIN_NAME: &str = "stdin";

/// One page that is still to be read, or a file of many.
#[derive(Clone, Debug)]
pub struct Input {
    /// Tells pages apart in JSON lines: the path without its extension, as it was named or from the
    /// directory on that was; for a page of an archive, the path and the record's place.
    pub id: String,
    source: Source,
    /// What a page that a browser saved says of itself; known once it was read.
    saved: OnceLock<Saved>,
}

#[derive(Clone, Debug)]
enum Source {
    Stdin,
    File(PathBuf),
    /// A file of many pages.
    Archive(PathBuf),
    /// A page that came through a pipe and was looked at.
    Piped(Piped<Pipe>),
    /// Many pages that come through a pipe.
    PipedPages(Piped<Pipe>),
    /// A page of such a file.
    Arrival(Box<Arrival>),
    /// A page that is fetched.
    Remote(Remote),
    /// Pages that come from elsewhere.
    Arriving(Piped<Arriving>),
}

/// Something that comes through a pipe, and can be taken once.
struct Piped<T>(Arc<Mutex<Option<T>>>);

impl<T> Piped<T> {
    fn new(stream: T) -> Piped<T> {
        Piped(Arc::new(Mutex::new(Some(stream))))
    }

    fn take(&self) -> Option<T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl<T> Clone for Piped<T> {
    fn clone(&self) -> Piped<T> {
        Piped(self.0.clone())
    }
}

impl<T> fmt::Debug for Piped<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Piped")
    }
}

impl Input {
    fn new(id: String, source: Source) -> Input {
        Input { id, source, saved: OnceLock::new() }
    }

    /// The one page that a command looks at; stdin where none is named.
    pub fn one(path: Option<&Path>, command: &str) -> anyhow::Result<Input> {
        match path {
            Some(path) if is_address(path) => bail!(not_here(path, command)),
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
            return Input::new(STDIN.into(), Source::Stdin);
        }
        Input::new(id_of(path), Source::File(path.to_owned()))
    }

    /// What comes through a pipe, told by its first bytes.
    fn piped() -> Result<Input, Problem> {
        let pipe = Pipe::new(io::stdin(), Path::new(STDIN_NAME))?;
        let source = match pipe.kind() {
            InputKind::Page => Source::Piped(Piped::new(pipe)),
            _ => Source::PipedPages(Piped::new(pipe)),
        };
        Ok(Input::new(STDIN.into(), source))
    }

    /// A file that a batch may open: its pages, if it has many.
    fn of_batch(path: PathBuf, id: &Path, kind: InputKind) -> Input {
        match kind {
            InputKind::Page => Input::new(id_of(id), Source::File(path)),
            _ => Input::new(with_slashes(id), Source::Archive(path)),
        }
    }

    fn arrived(file: &Input, arrival: Arrival) -> Input {
        let place = match arrival.within {
            0 => arrival.offset.to_string(),
            within => format!("{}+{within}", arrival.offset),
        };
        // Ids of records are random and say nothing; those in lines were chosen by somebody.
        let chosen = arrival.id.clone().filter(|_| !is_of_archive(&arrival));
        let id = chosen.unwrap_or_else(|| format!("{}#{place}", file.id));
        Input::new(id, Source::Arrival(Box::new(arrival)))
    }

    /// Its file, if it is one.
    pub fn path(&self) -> Option<&Path> {
        match &self.source {
            Source::File(path) | Source::Archive(path) => Some(path),
            _ => None,
        }
    }

    /// What an archive says about the page, if it is from one.
    pub fn arrival(&self) -> Option<&Arrival> {
        match &self.source {
            Source::Arrival(arrival) => Some(arrival),
            _ => None,
        }
    }

    /// Where the page came from, as its record says.
    pub fn origin(&self) -> Origin {
        match &self.source {
            Source::Stdin
            | Source::Piped(_)
            | Source::PipedPages(_)
            | Source::Remote(_)
            | Source::Arriving(_) => Origin::default(),
            Source::File(path) | Source::Archive(path) => Origin {
                file: Some(with_slashes(path)),
                fetched: self.saved.get().and_then(|saved| saved.date.clone()),
                ..Origin::default()
            },
            Source::Arrival(arrival) => Origin::of(arrival),
        }
    }

    /// The options, completed with the address and charset from the archive, or of a page that was saved and read.
    /// Options that are set stay.
    pub fn options<'a>(&self, options: &'a Options) -> Cow<'a, Options> {
        match (self.arrival(), self.saved.get()) {
            (Some(arrival), _) => Cow::Owned(arrival.options(options)),
            (None, Some(Saved { url, charset, .. })) if url.is_some() || charset.is_some() => {
                let charset = charset.clone().filter(|label| Options::is_charset(label));
                Cow::Owned(Options {
                    url: options.url.clone().or_else(|| url.clone()),
                    charset: options.charset.clone().or(charset),
                    ..options.clone()
                })
            }
            _ => Cow::Borrowed(options),
        }
    }

    /// Its name in messages.
    pub fn name(&self) -> String {
        match &self.source {
            Source::Stdin | Source::Piped(_) | Source::PipedPages(_) => STDIN_NAME.into(),
            Source::Remote(remote) => remote.address.clone(),
            Source::Arriving(_) => "the addresses".into(),
            Source::File(path) | Source::Archive(path) => path.display().to_string(),
            Source::Arrival(arrival) => arrival.name.clone(),
        }
    }

    /// The bytes, at most one more than `limit`, which tells the library that there are more; or
    /// why there is no page to be had.
    pub fn read(&self, limit: usize) -> Result<Cow<'_, [u8]>, String> {
        let mut bytes = match &self.source {
            Source::Stdin => Cow::Owned(read(io::stdin().lock(), 0, limit)?),
            Source::Piped(pipe) | Source::PipedPages(pipe) => {
                let pipe = pipe.take().ok_or("was read before")?;
                Cow::Owned(read(pipe, 0, limit)?)
            }
            Source::File(path) | Source::Archive(path) => {
                let open = || File::open(path).map_err(|error| report::io(&error));
                let file = open()?;
                let size = file.metadata().map_or(0, |metadata| metadata.len());
                let bytes = read(file, size, limit)?;
                if is_packed(&bytes) {
                    let pipe = Pipe::new(open()?, path).map_err(|problem| problem.message)?;
                    Cow::Owned(read(pipe, 0, limit)?)
                } else {
                    Cow::Owned(bytes)
                }
            }
            Source::Arrival(arrival) => Cow::Borrowed(&arrival.bytes[..]),
            Source::Remote(remote) => Cow::Owned(remote.page()?.bytes),
            Source::Arriving(_) => return Err("many pages, not one".into()),
        };
        if let Cow::Owned(bytes) = &mut bytes {
            let saved = saved::unwrapped(bytes)?;
            // Of a page that is read twice, the same.
            let _ = self.saved.set(saved);
        }
        sniff::not_a_page(&bytes).map_or(Ok(bytes), Err)
    }

    /// The same where there is no other page to go on with.
    pub fn read_or_fail(&self, limit: usize) -> anyhow::Result<Cow<'_, [u8]>> {
        self.read(limit).map_err(|message| anyhow!("{}: {message}", self.name()))
    }

    /// Is it this file?
    fn is_file(&self, other: &Path) -> bool {
        self.path().is_some_and(|path| fs::canonicalize(path).is_ok_and(|path| path == other))
    }
}

fn read(file: impl Read, size: u64, limit: usize) -> Result<Vec<u8>, String> {
    let limit = limit as u64 + 1;
    let mut bytes = Vec::with_capacity(size.min(limit) as usize + 1);
    let read = file.take(limit).read_to_end(&mut bytes);
    read.map_err(|error| report::io(&error)).map(|_| bytes)
}

/// All pages that were asked for, in the order of the command line; those of a directory sorted.
#[derive(Debug, Default)]
pub struct Inputs {
    /// The pages, and files of many pages.
    pub pages: Vec<Input>,
    /// A directory or an archive was named: there may be any number of pages.
    pub has_many: bool,
    /// Directories without pages or that cannot be read: their names and why.
    pub problems: Vec<(String, String)>,
    /// What pages of archives may cost.
    limits: Limits,
    /// Are JSON lines with a `text` records?
    takes_records: bool,
    /// Which columns of tables are pages.
    columns: Columns,
}

impl Inputs {
    /// Finds the pages; of directories, the files with one of `extensions`, at any depth.
    pub fn find(paths: &[PathBuf], extensions: &[String], command: &str) -> anyhow::Result<Inputs> {
        let address = paths.iter().find(|path| is_address(path));
        address.map_or(Ok(()), |address| Err(anyhow!(not_here(address, command))))?;
        Inputs::find_with(paths, extensions, command, || bail!("addresses are refused above"))
    }

    /// The same where addresses are inputs, too; `fetch` is asked for if there is one.
    pub fn find_with(
        paths: &[PathBuf],
        extensions: &[String],
        command: &str,
        fetch: impl Fn() -> anyhow::Result<Arc<dyn Fetch>>,
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
        let mut fetcher = None;
        for path in paths {
            if is_address(path) {
                let fetch = match &fetcher {
                    Some(fetch) => Arc::clone(fetch),
                    None => Arc::clone(fetcher.insert(fetch()?)),
                };
                let remote = Remote::new(path, fetch);
                let (id, source) = (remote.address.clone(), Source::Remote(remote));
                inputs.pages.push(Input::new(id, source));
            } else if path.as_os_str() == STDIN {
                match Input::piped() {
                    Ok(input) => {
                        inputs.has_many |= matches!(input.source, Source::PipedPages(_));
                        inputs.pages.push(input);
                    }
                    Err(problem) => inputs.problems.push((STDIN_NAME.into(), problem.message)),
                }
            } else if path.is_dir() {
                inputs.add_directory(path, extensions);
            } else {
                let kind = InputKind::of_file(path);
                inputs.has_many |= kind != InputKind::Page;
                inputs.pages.push(Input::of_batch(path.clone(), path, kind));
            }
        }
        Ok(inputs)
    }

    /// Nothing yet but pages that come from elsewhere.
    pub fn arriving(pages: Arriving) -> Inputs {
        let mut inputs = Inputs::default();
        inputs.arrive(pages);
        inputs
    }

    /// Pages come from elsewhere, too, behind all others.
    pub fn arrive(&mut self, pages: Arriving) {
        self.has_many = true;
        let source = Source::Arriving(Piped::new(pages));
        self.pages.push(Input::new(String::new(), source));
    }

    /// The same with other limits on pages of archives.
    pub fn limited(self, limits: Limits) -> Inputs {
        Inputs { limits, ..self }
    }

    /// The same, but JSON lines with the field `text` are records of pages, not pages.
    pub fn with_records(self) -> Inputs {
        Inputs { takes_records: true, ..self }
    }

    /// The same with other columns of tables than one would guess.
    pub fn with_columns(self, columns: Columns) -> Inputs {
        Inputs { columns, ..self }
    }

    /// How many pages there are, if that is known before they are read.
    pub fn count(&self) -> Option<usize> {
        let is_archive = |page: &Input| {
            matches!(page.source, Source::Archive(_) | Source::PipedPages(_) | Source::Arriving(_))
        };
        (!self.pages.iter().any(is_archive)).then_some(self.pages.len())
    }

    /// Are all inputs files, and may there be several pages?
    pub fn can_be_read_again(&self) -> bool {
        let is_stdin = |page: &Input| {
            matches!(
                page.source,
                Source::Stdin | Source::Piped(_) | Source::PipedPages(_) | Source::Arriving(_)
            )
        };
        !self.pages.iter().any(is_stdin) && (self.has_many || self.pages.len() > 1)
    }

    /// The pages one by one, those of archives as they are read.
    pub fn each(&self) -> Each<'_> {
        Each { inputs: self.pages.iter(), many: None, of: self }
    }

    /// Where the results go; not over one of the pages.
    pub fn output(&self, path: Option<&Path>) -> anyhow::Result<Output> {
        let Some(path) = path else { return Ok(Output::stdout()) };
        if let Ok(existing) = fs::canonicalize(path)
            && self.pages.iter().any(|page| page.is_file(&existing))
        {
            bail!("{}: named as input and as output; nothing was written", path.display());
        }
        Output::file(path)
    }

    fn add_directory(&mut self, directory: &Path, extensions: &[String]) {
        self.has_many = true;
        let files = folder::files(directory, extensions);
        if files.is_empty() {
            let extensions = extensions.join(", ");
            let message = format!(
                "no pages in this directory, that is, no files *.{{{extensions}}}; see --ext"
            );
            self.problems.push((directory.display().to_string(), message));
        }
        for file in files {
            match file {
                Ok(path) => {
                    let id = path.strip_prefix(directory).unwrap_or(&path).to_owned();
                    let kind = InputKind::of(&path);
                    self.pages.push(Input::of_batch(path, &id, kind));
                }
                Err(problem) => self.problems.push((problem.place(), problem.message)),
            }
        }
    }
}

/// See [`Inputs::each`].
pub struct Each<'a> {
    inputs: slice::Iter<'a, Input>,
    many: Option<Many<'a>>,
    of: &'a Inputs,
}

/// Many pages, one after the other.
enum Many<'a> {
    Archive(&'a Input, Box<webstrata_archive::Source>),
    Arriving(Arriving),
}

impl Many<'_> {
    fn next(&mut self) -> Option<Result<Input, Problem>> {
        match self {
            Many::Archive(file, source) => {
                Some(source.next()?.map(|arrival| Input::arrived(file, arrival)))
            }
            Many::Arriving(pages) => {
                let arrived = |(id, page)| Input::new(id, Source::Arrival(Box::new(page)));
                Some(pages.next()?.map(arrived))
            }
        }
    }

    fn file(&self) -> &Path {
        match self {
            Many::Archive(file, _) => file.path().unwrap_or(Path::new("")),
            Many::Arriving(_) => Path::new(""),
        }
    }
}

impl Each<'_> {
    /// The next page of what is open.
    fn arriving(&mut self) -> Option<Result<Input, Problem>> {
        let many = self.many.as_mut()?;
        match panics::caught(|| many.next()) {
            Ok(next) => next,
            Err(message) => {
                let problem = Problem::new(many.file(), ProblemKind::Internal, message);
                self.many = None;
                Some(Err(problem))
            }
        }
    }
}

impl Iterator for Each<'_> {
    type Item = Result<Input, Problem>;

    fn next(&mut self) -> Option<Result<Input, Problem>> {
        loop {
            let next = self.arriving();
            if next.is_some() {
                return next;
            }
            let input = self.inputs.next()?;
            let limits = self.of.limits;
            let source = match &input.source {
                Source::Archive(path) => {
                    webstrata_archive::Source::open(slice::from_ref(path), limits)
                }
                Source::PipedPages(pipe) => match pipe.take() {
                    Some(pipe) => pipe.pages(limits),
                    None => continue,
                },
                Source::Arriving(pages) => {
                    self.many = pages.take().map(Many::Arriving);
                    continue;
                }
                Source::Remote(remote) => {
                    return Some(match remote.page() {
                        Ok(page) => {
                            Ok(Input::new(input.id.clone(), Source::Arrival(Box::new(page))))
                        }
                        Err(message) => {
                            let problem = not_fetched(&remote.address, message);
                            Err(Problem { kind: ProblemKind::Unreadable, ..problem })
                        }
                    });
                }
                _ => return Some(Ok(input.clone())),
            };
            let takes_records = self.of.takes_records;
            let source = source.with_columns(self.of.columns.clone());
            let source = if takes_records { source.with_records() } else { source };
            self.many = Some(Many::Archive(input, Box::new(source)));
        }
    }
}

/// Ids of records in web archives are addresses of their own kind.
fn is_of_archive(arrival: &Arrival) -> bool {
    InputKind::of(&arrival.file) == InputKind::Archive || arrival.status.is_some()
}

fn id_of(path: &Path) -> String {
    let is_packed = folder::has_extension(path, &["gz", "zst"]);
    let unpacked = if is_packed { path.with_extension("") } else { path.to_owned() };
    with_slashes(&unpacked.with_extension(""))
}

fn with_slashes(path: &Path) -> String {
    path.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/")
}

fn not_here(address: &Path, command: &str) -> String {
    format!(
        "{}: an address; `webstrata extract` fetches pages, {command} reads files: save the page first",
        address.display()
    )
}

fn nothing_to_read(command: &str) -> String {
    format!("nothing to read; name a page or pipe one in (see `webstrata {command} --help`)")
}
