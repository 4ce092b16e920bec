//! `webstrata stream export`: records that the store still has.

use std::ffi::OsStr;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use webstrata_archive::export::Table;
use webstrata_archive::record::PageRecord;
use webstrata_feeds::store::{KeptRecord, Store};

use webstrata_terminal::exit::Exit;
use webstrata_terminal::output::Output;

/// Records that are read at once, and bytes of them.
const PORTION: (usize, usize) = (1000, 16 << 20);

/// How lines begin that earlier releases stored. They are written in the shape of this release.
const VERSION_1: &[u8] = br#"{"version":1,"#;

const EXAMPLES: &str = "\
Examples:
  webstrata stream export harbour > last-week.jsonl
  webstrata stream export harbour --from 4200 --output rest.jsonl
  webstrata stream export harbour --output last-week.parquet

A table has one row for each record and a column for each of its fields that is not a list. docs/record.md
describes the fields.

The store keeps records for some days (`keep` of [stream] in feeds.toml), delivered or not. This command
writes them again. The stream must not run meanwhile.

Exit codes: 0 done, 1 there are no such records, 2 something failed.";

/// Write the records that a store keeps
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The store's directory
    #[arg(value_name = "STORE")]
    store: PathBuf,

    /// The output format [default: jsonl; parquet for --output FILE.parquet]
    #[arg(short, long, value_enum)]
    format: Option<Format>,

    /// The number of the first record
    #[arg(long, value_name = "SEQUENCE", default_value_t = 1)]
    from: u64,

    /// Write to a file instead of stdout
    #[arg(short, long, visible_alias = "out", value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// One line of JSON for each record
    Jsonl,
    /// A table with one row for each record
    Parquet,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Exit> {
    let format = args.format()?;
    let store = Store::open_existing(&args.store)?;
    let output = match &args.output {
        Some(path) => Output::file(path)?,
        None => Output::stdout(),
    };
    let count = match format {
        Format::Jsonl => lines(&store, args.from, output)?,
        Format::Parquet => table(&store, args.from, output)?,
    };
    Ok(if count == 0 { Exit::NoText } else { Exit::Text })
}

impl Args {
    fn format(&self) -> anyhow::Result<Format> {
        let extension = self.output.as_deref().and_then(Path::extension);
        let is_table = extension == Some(OsStr::new("parquet"));
        let format = self.format.unwrap_or(if is_table { Format::Parquet } else { Format::Jsonl });
        if format == Format::Parquet && self.output.is_none() && io::stdout().is_terminal() {
            bail!("Parquet is not for terminals; name a file with --output FILE.parquet");
        }
        Ok(format)
    }
}

fn lines(store: &Store, from: u64, mut output: Output) -> anyhow::Result<u64> {
    let count = each(store, from, |kept| {
        if kept.record.starts_with(VERSION_1) {
            output.write(&record(kept)?.to_line()?)?;
        } else {
            output.write(&kept.record)?;
        }
        output.write(b"\n")
    })?;
    output.finish()?;
    Ok(count)
}

fn table(store: &Store, from: u64, output: Output) -> anyhow::Result<u64> {
    let mut table = Table::with_columns(output, PageRecord::STREAM_COLUMNS)?;
    let count = each(store, from, |kept| Ok(table.write(record(kept)?.without_parts())?))?;
    table.finish()?.finish()?;
    Ok(count)
}

fn record(kept: &KeptRecord) -> anyhow::Result<PageRecord> {
    let read = PageRecord::from_line(&kept.record);
    read.with_context(|| format!("record {}: not of this release", kept.sequence))
}

/// Goes through the records that the store has, from a number on. How many these are.
fn each(
    store: &Store,
    from: u64,
    mut write: impl FnMut(&KeptRecord) -> anyhow::Result<()>,
) -> anyhow::Result<u64> {
    let (mut next, mut count) = (from, 0);
    loop {
        let records = store.records(next, PORTION.0, PORTION.1)?;
        let Some(last) = records.last() else { return Ok(count) };
        (next, count) = (last.sequence + 1, count + records.len() as u64);
        records.iter().try_for_each(&mut write)?;
    }
}
