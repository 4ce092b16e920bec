//! Flags that several commands share, and how their values are written.

use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::str::FromStr;
use std::thread;
use std::time::Duration;

use anyhow::Context;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use webstrata::output::{OutputOptions, RecordPart};
use webstrata::request::{Field, RequestBuilder, RequestError, Value};
use webstrata::{Options, Request};
use webstrata_base::quantity;

const TWO_GIB: f64 = (1u64 << 31) as f64;

/// The least memory that is useful.
const MIN_MEMORY: u64 = 16 << 20;

/// How a page is read.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "How pages are read")]
pub struct ReadingArgs {
    /// What to do with text that the page hides from its readers
    ///
    /// `drop` leaves it out, `keep` treats it like other text, `mark` makes it separate blocks with the
    /// label `hidden`.
    #[arg(long, value_name = "WHAT", default_value = Field::Hidden.default_text())]
    #[arg(value_parser = PossibleValuesParser::new(Field::Hidden.names()))]
    hidden: String,

    /// The charset that the server named, if known
    ///
    /// By default the page's own declaration is used, or the charset is guessed from the bytes.
    #[arg(long, value_name = "LABEL", value_parser = checked(Field::Charset))]
    charset: Option<String>,

    /// The time limit for one page, such as 100ms or 2s
    ///
    /// When it is reached, the result has what was read by then, and `limits` names the limit.
    #[arg(long, value_name = "TIME", value_parser = deadline)]
    deadline: Option<f64>,

    /// The size limit for one page, such as 500kB or 64MiB
    ///
    /// The rest is ignored, and `limits` names the limit. Pages and records in archives and JSON lines that are
    /// longer than this and longer than 64M are skipped, with a message.
    #[arg(long, value_name = "SIZE", default_value = "128M", value_parser = page_size)]
    max_bytes: usize,

    /// Wrap text at this column to measure its density
    #[arg(long, value_name = "COLUMNS", default_value = Field::Width.default_text())]
    #[arg(value_parser = checked(Field::Width))]
    width: String,
}

impl ReadingArgs {
    /// What pages of archives and JSON lines may cost before they are read.
    pub fn arrival_limits(&self) -> webstrata_archive::Limits {
        let default = webstrata_archive::Limits::default();
        let (record, page) = (default.record.max(self.max_bytes), default.page.max(self.max_bytes));
        webstrata_archive::Limits { record, page }
    }

    /// How pages are read, whatever is done with them then.
    pub fn options(&self) -> Options {
        let mut builder = Request::builder();
        let set = self.set(&mut builder);
        let request = set.and_then(|()| builder.build());
        request.expect("values are checked as they are parsed").options
    }

    /// Sets the fields of a request.
    pub fn set(&self, builder: &mut RequestBuilder) -> Result<(), RequestError> {
        builder.set_field(Field::Hidden, self.hidden.as_str())?;
        builder.set_field(Field::MaxBytes, self.max_bytes as f64)?;
        builder.set_field(Field::Width, Value::Written(&self.width))?;
        if let Some(charset) = &self.charset {
            builder.set_field(Field::Charset, charset.as_str())?;
        }
        if let Some(milliseconds) = self.deadline {
            builder.set_field(Field::DeadlineMs, milliseconds)?;
        }
        Ok(())
    }
}

/// A value that the core takes for a field. clap names the flag and the value in messages.
fn taken(field: Field, value: Value<'_>) -> Result<(), String> {
    Request::builder().set_field(field, value).map(|_| ()).map_err(|error| error.expectation())
}

/// The same for one that the core reads from text.
pub fn checked(field: Field) -> impl Fn(&str) -> Result<String, String> + Clone {
    move |written| taken(field, Value::Written(written)).map(|()| written.to_owned())
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

    /// Extensions of the files in directories that are read
    #[arg(long, value_name = "EXTENSIONS", value_delimiter = ',')]
    #[arg(
        default_value = "html,htm,xhtml,shtml,html.gz,html.zst,mhtml,mht,warc,warc.gz,warc.zst,wacz"
    )]
    ext: Vec<String>,

    /// Read the names of more inputs from a file, one on each line; - for stdin
    #[arg(long, value_name = "FILE|-")]
    pub files_from: Option<PathBuf>,
}

/// How much is done at once.
#[derive(Debug, clap::Args)]
pub struct JobsArgs {
    /// Process this many pages at the same time [default: the number of processors]
    #[arg(short, long, value_name = "N", value_parser = at_least_one::<usize>)]
    jobs: Option<usize>,
}

/// How many processors this process may use.
pub fn processors() -> usize {
    thread::available_parallelism().map_or(1, NonZeroUsize::get)
}

impl JobsArgs {
    /// How many; by default the number of processors.
    pub fn count(&self) -> usize {
        self.jobs.unwrap_or_else(processors)
    }
}

impl BatchArgs {
    /// The inputs that were named, and those of `--files-from`.
    pub fn paths(&self, named: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
        let Some(list) = &self.files_from else { return Ok(named.to_vec()) };
        let shown = || format!("--files-from {}", list.display());
        let text = if list.as_os_str() == "-" {
            std::io::read_to_string(std::io::stdin().lock())
        } else {
            std::fs::read_to_string(list)
        };
        let text = text.with_context(shown)?;
        let listed =
            text.lines().map(|line| line.trim_end_matches('\r')).filter(|line| !line.is_empty());
        let paths: Vec<PathBuf> = named.iter().cloned().chain(listed.map(PathBuf::from)).collect();
        let is_taken = list.as_os_str() == "-" && paths.iter().any(|path| path.as_os_str() == "-");
        if is_taken {
            anyhow::bail!("--files-from -: stdin is the list, it cannot be a page, too");
        }
        if paths.is_empty() {
            anyhow::bail!("{}: names no file", shown());
        }
        Ok(paths)
    }

    /// The extensions without their dots.
    pub fn extensions(&self) -> Vec<String> {
        self.ext.iter().map(|ext| ext.trim().trim_start_matches('.').to_owned()).collect()
    }
}

/// `--json`, which every command has that prints a table.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct JsonArg {
    /// The same as --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

impl JsonArg {
    /// JSON, if it was asked for by this flag; otherwise the format that was.
    pub fn or<F>(self, json: F, format: F) -> F {
        if self.json { json } else { format }
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

/// A text that is not empty.
pub fn words(written: &str) -> Result<String, String> {
    let written = written.trim();
    if written.is_empty() { Err("expected some words".into()) } else { Ok(written.to_owned()) }
}

/// A number that cannot be 0.
pub fn at_least_one<N: FromStr + PartialOrd + From<u8>>(written: &str) -> Result<N, String> {
    let number = written.parse().ok().filter(|number| *number >= N::from(1));
    number.ok_or_else(|| "expected a number, 1 or more".into())
}

/// Up to which part of the higher one densities of neighbours may differ, to be fused.
pub fn threshold(written: &str) -> Result<f64, String> {
    let number: Option<f64> = written.trim().parse().ok();
    let number = number.filter(|number| *number >= 0.0);
    number.ok_or_else(|| "expected a number, 0 or more; inf for no threshold".into())
}

/// The milliseconds of a time.
fn deadline(written: &str) -> Result<f64, String> {
    let milliseconds = duration(written)?.as_secs_f64() * 1000.0;
    taken(Field::DeadlineMs, Value::Number(milliseconds)).map(|()| milliseconds)
}

/// A duration above 0, such as `100ms`, `2s` or `1h`.
pub fn duration(written: &str) -> Result<Duration, String> {
    let duration = quantity::duration::parse(written)?;
    if duration.is_zero() { Err("expected more than nothing".into()) } else { Ok(duration) }
}

/// The size of a page in bytes, such as `500kB` or `64MiB`.
fn page_size(written: &str) -> Result<usize, String> {
    let bytes = match quantity::size::parse(written)? as f64 {
        // 2G is one byte more than a page can have; it stands for the most that is possible.
        TWO_GIB => TWO_GIB - 1.0,
        bytes => bytes,
    };
    taken(Field::MaxBytes, Value::Number(bytes)).map(|()| bytes as usize)
}

/// Where to listen: an address with a port, or a port of this machine alone.
pub fn listening(written: &str) -> Result<SocketAddr, String> {
    let port = written.strip_prefix(':').unwrap_or(written);
    let local = written.strip_prefix("localhost:").unwrap_or(port);
    let address = match local.parse() {
        Ok(port) => Some(SocketAddr::from(([127, 0, 0, 1], port))),
        Err(_) => written.parse().ok(),
    };
    address.ok_or_else(|| "expected a port such as 9999, or an address such as 0.0.0.0:9999".into())
}

/// A size of memory, at least 16 MiB.
pub fn memory(written: &str) -> Result<usize, String> {
    match quantity::size::parse(written)? {
        0..MIN_MEMORY => Err("expected at least 16M".into()),
        bytes => usize::try_from(bytes).map_err(|_| "more than this machine can have".into()),
    }
}

/// What of a page is written, and how.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "What is written")]
pub struct OutputArgs {
    /// Write the targets of links in Markdown and HTML; by default only their text is written
    #[arg(long)]
    pub links: bool,

    /// Write images of the main text in Markdown and HTML
    #[arg(long)]
    pub images: bool,

    /// The shape of plain text: structured or flat
    ///
    /// `structured` keeps lists, rows of tables, lines of code and paragraphs. `flat` is one line for each block
    /// that the extractor kept.
    #[arg(long, value_name = "SHAPE", default_value = Field::Text.default_text())]
    #[arg(value_parser = PossibleValuesParser::new(Field::Text.names()), hide_possible_values = true)]
    text: String,

    /// Also write these parts of the page, such as comment,byline; `webstrata blocks` shows the part of each block
    #[arg(long, value_name = "PARTS", value_parser = checked(Field::Include))]
    include: Option<String>,

    /// Do not write these parts of the page, such as caption,table
    #[arg(long, value_name = "PARTS", value_parser = checked(Field::Exclude))]
    exclude: Option<String>,

    /// Begin Markdown with the page's metadata as YAML
    #[arg(long)]
    pub front_matter: bool,

    /// With --with blocks, say for each block what speaks for and against it, by the trees of `strata`
    #[arg(long)]
    pub reasons: bool,
}

impl OutputArgs {
    /// What outputs are made with.
    pub fn options(&self) -> OutputOptions {
        let mut builder = Request::builder();
        let set = self.set(&mut builder);
        let request = set.and_then(|()| builder.build());
        request.expect("values are checked as they are parsed").markup
    }

    fn set(&self, builder: &mut RequestBuilder) -> Result<(), RequestError> {
        builder.set_field(Field::Links, self.links)?;
        builder.set_field(Field::Images, self.images)?;
        builder.set_field(Field::FrontMatter, self.front_matter)?;
        builder.set_field(Field::Reasons, self.reasons)?;
        builder.set_field(Field::Text, self.text.as_str())?;
        let parts = [(Field::Include, &self.include), (Field::Exclude, &self.exclude)];
        for (field, parts) in parts {
            if let Some(parts) = parts {
                builder.set_field(field, Value::Written(parts))?;
            }
        }
        Ok(())
    }
}

/// Optional parts of a record.
#[derive(Debug, clap::Args)]
pub struct WithArgs {
    /// What to add to the JSON of a page: blocks, metadata, links, markdown, html, posts
    ///
    /// The page is parsed once for all of them. `blocks` are all texts of the page with their verdicts,
    /// `metadata` is what the page declares about itself, `links` are its links, each with its block, `posts` are
    /// the posts of a discussion.
    #[arg(long, value_name = "LIST", value_delimiter = ',', hide_possible_values = true)]
    #[arg(value_parser = one_of(RecordPart::ALL.map(|part| (part, part.name()))))]
    with: Vec<RecordPart>,
}

impl WithArgs {
    /// The parts of a record.
    pub fn parts(&self) -> Vec<RecordPart> {
        self.with.clone()
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
    fn ports_and_addresses() {
        for (written, address) in [
            ("9999", "127.0.0.1:9999"),
            (":9999", "127.0.0.1:9999"),
            ("localhost:80", "127.0.0.1:80"),
            ("0.0.0.0:80", "0.0.0.0:80"),
            ("[::1]:80", "[::1]:80"),
        ] {
            assert_eq!(listening(written), Ok(address.parse().unwrap()), "{written}");
        }
        for wrong in ["", ":", "99999", "0.0.0.0", "example.org:80", "-1"] {
            assert!(listening(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn thresholds() {
        assert_eq!(threshold(" 0.38"), Ok(0.38));
        assert_eq!(threshold("inf"), Ok(f64::INFINITY));
        for wrong in ["", "-0.1", "nan", "high"] {
            assert!(threshold(wrong).is_err(), "{wrong}");
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
