//! `webstrata stream run`: the loop.

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, anyhow, bail};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use webstrata::output::RecordPart;
use webstrata_archive::warc_writer;
use webstrata_feeds::feeds::{FeedSite, FeedsFile};
use webstrata_feeds::fetch::Fetcher;
use webstrata_feeds::pipeline::{
    self, Archive, Metrics, SharedStatus, Stream, StreamSettings, Summary, status_file,
};
use webstrata_feeds::sinks::{Files, Sink, Stdout, Webhook};
use webstrata_feeds::store::Store;
use webstrata_site::url_key::Rules;

use super::extract::Pages;
use super::messages::Messages;
#[cfg(feature = "search")]
use crate::cmd::search::IndexSink;
use webstrata_terminal::args::{OutputArgs, ReadingArgs, WithArgs, listening};
use webstrata_terminal::exit::Exit;
use webstrata_terminal::extractor::ExtractorArg;
use webstrata_terminal::known_sites::url_rules;
use webstrata_terminal::program::Global;
use webstrata_terminal::report;

const EXAMPLES: &str = "\
Examples:
  webstrata stream run feeds.toml --store harbour
  webstrata stream run feeds.toml --store harbour --out - | consumer
  webstrata stream run feeds.toml --store harbour --out https://example.org/hook
  webstrata stream run feeds.toml --store harbour --warc archive/ --metrics 127.0.0.1:9090
  webstrata stream run feeds.toml --store harbour --once       for timers
  webstrata stream run feeds.toml --store harbour --index web  for `webstrata search`

feeds.toml lists the sites and their feeds; `webstrata stream import` makes it from an OPML file:

  [[site]]
  name = \"harbour\"
  feeds = [\"https://example.org/news.rss\"]

Instead of a feed, you can give the address of a page that links to its feed.

The page of each new item is fetched and becomes a line of JSON, as `webstrata extract --format jsonl`
writes it, with a field `stream`: its number, the site, the feed, the URL key, the addresses and the dates.

The store keeps the state of the stream. You can kill the run at any moment and start it again: no page is
lost, and files and indexes have each page exactly once. After a kill, stdout and web addresses may get a
page a second time, with the same `stream.sequence`.

On Ctrl-C or SIGTERM the run finishes its requests and ends. Exit codes: 0 ended normally, 2 something failed.";

/// Follow the feeds of a file and write the main texts of their pages
#[derive(Debug, clap::Args)]
// A stream knows the pages of its sites, so that they help by default.
#[command(after_help = EXAMPLES, mut_arg("extractor", |arg| arg.default_value("strata+site")))]
pub(crate) struct Args {
    /// The sites and their feeds
    #[arg(value_name = "FEEDS.toml")]
    feeds: PathBuf,

    /// The directory of the stream's state; it is created if missing
    #[arg(long, value_name = "DIR")]
    store: PathBuf,

    /// Write records to a directory, to stdout (-) or to a web address [default: `records` in the store]
    #[arg(long, value_name = "DIR|-|URL")]
    out: Option<String>,

    /// Add the pages to this index instead of writing records; see `webstrata search`
    #[arg(long, value_name = "DIR", conflicts_with = "out")]
    index: Option<PathBuf>,

    /// Also keep the fetched pages in web archives in this directory
    #[arg(long, value_name = "DIR")]
    warc: Option<PathBuf>,

    /// Fetch every feed once, fetch the new pages, and end
    #[arg(long)]
    once: bool,

    /// Serve metrics for Prometheus at http://ADDRESS/metrics
    #[arg(long, value_name = "PORT|ADDRESS", value_parser = listening)]
    metrics: Option<SocketAddr>,

    #[command(flatten)]
    with: WithArgs,

    #[command(flatten)]
    written: OutputArgs,

    #[command(flatten)]
    extractor: ExtractorArg,

    #[command(flatten)]
    reading: ReadingArgs,
}

pub(crate) fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    let file = read(&args.feeds)?;
    let named = |error| anyhow!("{}: {error}", args.feeds.display());
    let settings = StreamSettings::from_table(&file.stream).map_err(named)?;
    let fetchers = fetchers(&file).map_err(named)?;
    let mut request = args.extractor.request(&args.reading)?;
    request.parts = args.parts();
    request.markup = args.written.options();
    let extract = Pages::new(request);
    let store = Store::open(&args.store)?;
    let shared_status = SharedStatus::default();
    let metrics = args.metrics.map(|address| serve(address, &shared_status)).transpose()?;
    let messages = Messages::new(global.quiet, args.out.as_deref() == Some("-"));
    if let Some(metrics) = &metrics {
        report::line(&format!("numbers at http://{}/metrics", metrics.address()));
    }
    let stop = stop_on_signals()?;
    let stream = Stream {
        sites: &file.sites,
        fetchers: &fetchers,
        settings: &settings,
        rules: &rules(&settings, &args.feeds)?,
        extract: &extract,
        sink: args.sink(&settings)?,
        archive: args.warc.as_deref().map(archives).transpose()?,
        once: args.once,
        stop: &stop,
        progress: &messages,
        shared_status,
        status: Some(status_file(&args.store)),
        clock: &now,
    };
    let summary = pipeline::run(store, stream);
    messages.finish();
    ended(&summary?, &file.sites, global.quiet)
}

/// Says how it ended.
fn ended(summary: &Summary, sites: &[FeedSite], quiet: bool) -> anyhow::Result<Exit> {
    let Summary { pages, duplicates, feeds, errors, lost, waiting, undelivered, stuck } = summary;
    if !quiet {
        report::line(&format!(
            "pages: {pages}, duplicates: {duplicates}, errors: {errors}, given up: {lost}, waiting: {waiting}"
        ));
    }
    if let Some(stuck) = stuck {
        bail!("{stuck}; {undelivered} records wait in the store for the next run");
    }
    // A page that is gone is a day like any other; that no feed of any site answers is not.
    let is_cut_off = *feeds == 0 && *errors > 0 && !sites.is_empty();
    Ok(if is_cut_off { Exit::Failed } else { Exit::Text })
}

fn read(path: &Path) -> anyhow::Result<FeedsFile> {
    let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let file = FeedsFile::from_toml(&text).map_err(|error| match error.line() {
        Some(line) => anyhow!("{}:{line}: {}", path.display(), error.message()),
        None => anyhow!("{}: {}", path.display(), error.message()),
    })?;
    if file.sites.is_empty() {
        bail!("{}: no sites; write `[[site]]` and `feeds = [\"https://…\"]`", path.display());
    }
    Ok(file)
}

/// A fetcher for each site; they share what they know of hosts.
fn fetchers(file: &FeedsFile) -> Result<Vec<Fetcher>, webstrata_feeds::Error> {
    let common = Fetcher::new(file.fetch.clone())?;
    file.sites.iter().map(|site| common.with_settings(site.fetch.clone())).collect()
}

/// The rules of URL keys. Their file lies beside that of the feeds.
fn rules(settings: &StreamSettings, feeds: &Path) -> anyhow::Result<Rules> {
    let folder = feeds.parent().unwrap_or(Path::new(""));
    let file = settings.url_rules.as_ref().map(|file| folder.join(file));
    url_rules(file.as_deref())
}

fn files(folder: &Path, settings: &StreamSettings) -> anyhow::Result<Files> {
    Files::new(folder, settings.files()).with_context(|| folder.display().to_string())
}

fn archives(folder: &Path) -> anyhow::Result<Archive> {
    Archive::create(folder, warc_writer::WarcWriterOptions::default())
        .with_context(|| "--warc".to_owned())
}

fn serve(address: SocketAddr, shared_status: &SharedStatus) -> anyhow::Result<Metrics> {
    Metrics::start(address, shared_status.clone()).with_context(|| format!("--metrics {address}"))
}

impl Args {
    /// What records have on request; an index wants to know the boilerplate and the dates, too.
    fn parts(&self) -> Vec<RecordPart> {
        let mut parts = self.with.parts();
        if self.index.is_some() {
            let missing = [RecordPart::Blocks, RecordPart::Metadata].into_iter();
            let missing: Vec<RecordPart> = missing.filter(|part| !parts.contains(part)).collect();
            parts.extend(missing);
        }
        parts
    }

    fn sink(&self, settings: &StreamSettings) -> anyhow::Result<Box<dyn Sink>> {
        if let Some(index) = &self.index {
            return index_sink(index);
        }
        Ok(match self.out.as_deref() {
            Some("-") => Box::new(Stdout),
            Some(url) if url.starts_with("http://") || url.starts_with("https://") => {
                Box::new(Webhook::new(url, &self.store.join("refused.jsonl"), &settings.webhook)?)
            }
            Some(folder) => Box::new(files(Path::new(folder), settings)?),
            None => Box::new(files(&self.store.join("records"), settings)?),
        })
    }
}

#[cfg(feature = "search")]
fn index_sink(folder: &Path) -> anyhow::Result<Box<dyn Sink>> {
    Ok(Box::new(IndexSink::open(folder)?))
}

#[cfg(not(feature = "search"))]
fn index_sink(_: &Path) -> anyhow::Result<Box<dyn Sink>> {
    bail!("--index: this build has no `search`; build it with the feature `search`")
}

/// A flag that SIGINT and SIGTERM raise; a second one ends the run at once, which loses nothing either.
fn stop_on_signals() -> anyhow::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        flag::register_conditional_shutdown(signal, 2, stop.clone())?;
        flag::register(signal, stop.clone())?;
    }
    Ok(stop)
}

fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}
