//! `webstrata stream export`: records that the store still has.

use std::path::PathBuf;

use webstrata_stream::store::Store;

use crate::exit::Exit;
use crate::output::Output;

/// Records that are read at once, and bytes of them.
const PORTION: (usize, usize) = (1000, 16 << 20);

const EXAMPLES: &str = "\
Examples:
  webstrata stream export harbour > last-week.jsonl
  webstrata stream export harbour --from 4200 --output rest.jsonl

The store keeps records for some days (`keep` of [stream] in feeds.toml), delivered or not; this writes
them again. The stream must not run meanwhile.

Exit codes: 0 done, 1 there are no such records, 2 something failed.";

/// Write the records that a store still has
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The store's directory
    #[arg(value_name = "STORE")]
    store: PathBuf,

    /// How records are written
    #[arg(short, long, value_enum, default_value = "jsonl")]
    format: Format,

    /// The number of the first record
    #[arg(long, value_name = "SEQUENCE", default_value_t = 1)]
    from: u64,

    /// Write to a file instead of stdout
    #[arg(short, long, visible_alias = "out", value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// A line of JSON for each record
    Jsonl,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Exit> {
    let store = Store::open_existing(&args.store)?;
    let mut output = match &args.output {
        Some(path) => Output::file(path)?,
        None => Output::stdout(),
    };
    let mut next = args.from;
    loop {
        let records = store.records(next, PORTION.0, PORTION.1)?;
        let Some(last) = records.last() else { break };
        next = last.sequence + 1;
        for kept in &records {
            output.write(&kept.record)?;
            output.write(b"\n")?;
        }
    }
    output.finish()?;
    Ok(if next == args.from { Exit::NoText } else { Exit::Text })
}
