//! Flags that several commands share, and how their values are written.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::str::FromStr;
use std::thread;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use webstrata::output::Part;
use webstrata::{Hidden, Limits, Options};
use webstrata_base::quantity;

/// Positions in a page are 32 bits, one of them a sign.
const MAX_BYTES: u64 = 1 << 31;

/// With less, nothing that is worth keeping fits.
const MIN_MEMORY: u64 = 16 << 20;

/// How a page is read.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "How pages are read")]
pub struct ReadingArgs {
    /// What to do with text that the page hides from its readers
    ///
    /// `drop` leaves it out, `keep` takes it for text like any other, `mark` makes it blocks of their
    /// own with the label `hidden`.
    #[arg(long, value_name = "WHAT", default_value = "drop", value_parser = one_of(Hidden::ALL))]
    hidden: Hidden,

    /// The charset that the server named, where it is known
    ///
    /// Otherwise the page says, or it is guessed from the bytes.
    #[arg(long, value_name = "LABEL", value_parser = charset)]
    charset: Option<String>,

    /// The time that one page may take, such as 100ms or 2s
    ///
    /// After that the result is what was done by then, and `limits` says so.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    deadline: Option<Duration>,

    /// The bytes of a page that are read, such as 500kB or 64MiB
    ///
    /// The rest is ignored, and `limits` says so. Of archives and JSON lines, records and pages that are longer
    /// than this and longer than 64M are left out, with a message.
    #[arg(long, value_name = "SIZE", default_value = "128M", value_parser = page_size)]
    max_bytes: usize,

    /// Columns at which text is wrapped to measure its density
    #[arg(long, value_name = "COLUMNS", default_value = "80", value_parser = at_least_one::<u32>)]
    width: u32,
}

impl ReadingArgs {
    /// What pages of archives and JSON lines may cost before they are read.
    pub fn arrival_limits(&self) -> webstrata_archive::Limits {
        let default = webstrata_archive::Limits::default();
        let (record, page) = (default.record.max(self.max_bytes), default.page.max(self.max_bytes));
        webstrata_archive::Limits { record, page }
    }

    /// The options of the core.
    pub fn options(&self) -> Options {
        let limits = Limits { bytes: self.max_bytes, deadline: self.deadline, ..Limits::default() };
        Options {
            limits,
            charset: self.charset.clone(),
            hidden: self.hidden,
            width: Some(self.width),
            ..Options::default()
        }
    }
}

/// How a batch of pages is found and worked through.
#[derive(Debug, clap::Args)]
pub struct BatchArgs {
    /// Write to a file instead of stdout
    #[arg(short, long, visible_alias = "out", value_name = "FILE")]
    pub output: Option<PathBuf>,

    #[command(flatten)]
    /// How many pages are worked on at once.
    pub jobs: JobsArgs,

    /// The files of a directory that are pages
    #[arg(long, value_name = "EXTENSIONS", value_delimiter = ',')]
    #[arg(default_value = "html,htm,xhtml,shtml,warc,warc.gz,warc.zst")]
    ext: Vec<String>,
}

/// How much is done at once.
#[derive(Debug, clap::Args)]
pub struct JobsArgs {
    /// Pages that are worked on at the same time [default: the number of processors]
    #[arg(short, long, value_name = "N", value_parser = at_least_one::<usize>)]
    jobs: Option<usize>,
}

/// How many processors there are for us.
pub fn processors() -> usize {
    thread::available_parallelism().map_or(1, NonZeroUsize::get)
}

impl JobsArgs {
    /// How many; the number of processors where nobody said.
    pub fn count(&self) -> usize {
        self.jobs.unwrap_or_else(processors)
    }
}

impl BatchArgs {
    /// The extensions without their dots.
    pub fn extensions(&self) -> Vec<String> {
        self.ext.iter().map(|ext| ext.trim().trim_start_matches('.').to_owned()).collect()
    }
}

/// A value that is written by its name.
pub fn one_of<T: Copy + Send + Sync + 'static, const N: usize>(
    all: [(T, &'static str); N],
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(all.map(|(_, name)| name)).map(move |written| {
        let (value, _) = all.iter().find(|(_, name)| *name == written).expect("one of the names");
        *value
    })
}

/// A text that says something.
pub fn words(written: &str) -> Result<String, String> {
    let written = written.trim();
    if written.is_empty() { Err("expected some words".into()) } else { Ok(written.to_owned()) }
}

/// A number that cannot be 0.
pub fn at_least_one<N: FromStr + PartialOrd + From<u8>>(written: &str) -> Result<N, String> {
    let number = written.parse().ok().filter(|number| *number >= N::from(1));
    number.ok_or_else(|| "expected a number, 1 or more".into())
}

fn charset(label: &str) -> Result<String, String> {
    if Options::is_charset(label) {
        return Ok(label.to_owned());
    }
    let examples = "utf-8, windows-1252, koi8-r, shift_jis";
    Err(format!("no such charset; expected a label of the Web's, such as {examples}"))
}

/// A duration above 0, such as `100ms`, `2s` or `1h`.
pub fn duration(written: &str) -> Result<Duration, String> {
    let duration = quantity::duration::parse(written)?;
    if duration.is_zero() { Err("expected more than nothing".into()) } else { Ok(duration) }
}

/// The size of a page in bytes, such as `500kB` or `64M`.
fn page_size(written: &str) -> Result<usize, String> {
    match quantity::size::parse(written)? {
        0 => Err("expected more than nothing".into()),
        bytes @ 1..=MAX_BYTES => Ok(bytes.min(MAX_BYTES - 1) as usize),
        _ => Err("a page has at most 2G".into()),
    }
}

/// A size of memory, at least 16 MiB.
pub fn memory(written: &str) -> Result<usize, String> {
    match quantity::size::parse(written)? {
        0..MIN_MEMORY => Err("expected at least 16M".into()),
        bytes => usize::try_from(bytes).map_err(|_| "more than this machine can have".into()),
    }
}

/// What JSON has on request.
#[derive(Debug, clap::Args)]
pub struct WithArgs {
    /// What to add to the JSON of a page: blocks, metadata, links, markdown, html
    ///
    /// One parse makes all of them. `blocks` are all texts of the page with their verdicts, `metadata` is
    /// what the page says about itself, `links` are its links, each with the block that it stands in.
    #[arg(
        long,
        value_name = "LIST",
        value_enum,
        value_delimiter = ',',
        hide_possible_values = true
    )]
    with: Vec<Addition>,
}

impl WithArgs {
    /// The parts of a record.
    pub fn parts(&self) -> Vec<Part> {
        self.with.iter().map(|addition| (*addition).into()).collect()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Addition {
    Blocks,
    Metadata,
    Links,
    Markdown,
    Html,
}

impl From<Addition> for Part {
    fn from(addition: Addition) -> Part {
        match addition {
            Addition::Blocks => Part::Blocks,
            Addition::Metadata => Part::Metadata,
            Addition::Links => Part::Links,
            Addition::Markdown => Part::Markdown,
            Addition::Html => Part::Html,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        assert_eq!(duration("100ms"), Ok(Duration::from_millis(100)));
        assert_eq!(duration("2h"), Ok(Duration::from_secs(7200)));
        for wrong in ["", "s", "-1s", "1e3s", ".s", "0s"] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn sizes() {
        assert_eq!(page_size("1000"), Ok(1000));
        assert_eq!(page_size("64M"), Ok(64 << 20));
        assert_eq!(page_size("64MB"), Ok(64_000_000));
        assert_eq!(page_size("2G"), Ok((1 << 31) - 1));
        for wrong in ["", "M", "0", "3G", "5T", "-1", "1e9"] {
            assert!(page_size(wrong).is_err(), "{wrong}");
        }
        assert_eq!(memory("3G"), Ok(3 << 30));
        assert_eq!(memory("1M"), Err("expected at least 16M".into()));
    }
}
