//! `webstrata stream import`: a reader's subscriptions as `feeds.toml`.

use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use webstrata_feeds::feeds::{import, opml};

use webstrata_terminal::exit::Exit;
use webstrata_terminal::output::{self, without_control_characters};
use webstrata_terminal::program::Global;
use webstrata_terminal::report;

/// Bytes of a list of subscriptions; one of ten thousand feeds has two millions.
const MOST: u64 = 64 << 20;

const EXAMPLES: &str = "\
Examples:
  webstrata stream import subscriptions.opml > feeds.toml
  curl -s https://example.org/blogroll.opml | webstrata stream import > feeds.toml

Feeds of one site become one [[site]]. Broken files are read as far as possible. Each feed is listed once.

Exit codes: 0 done, 1 the file has no feed, 2 something failed.";

/// Make feeds.toml from the subscriptions of a feed reader (OPML)
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The list of subscriptions, or - for stdin [default: stdin]
    #[arg(value_name = "FILE.opml")]
    file: Option<PathBuf>,
}

pub(crate) fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    let file = args.file.as_deref().filter(|file| *file != Path::new("-"));
    let name = file.map_or("stdin".into(), |file| file.display().to_string());
    let subscriptions = opml(&read(file).with_context(|| name.clone())?);
    if subscriptions.is_empty() {
        report::line(&format!(
            "{name}: no feed in it, expected OPML: <outline xmlUrl=\"https://…\"/>"
        ));
        return Ok(Exit::NoText);
    }
    let (text, left_out) = import(&subscriptions);
    for one in &left_out {
        report::line(&format!(
            "{name}: `{}` is not a web address; left out",
            without_control_characters(&one.feed).replace('\n', " ")
        ));
    }
    output::print(text.as_bytes())?;
    if !global.quiet && !io::stdout().is_terminal() {
        let feeds = subscriptions.len() - left_out.len();
        report::line(&format!("{feeds} feeds; next: webstrata stream run feeds.toml"));
    }
    Ok(if left_out.len() == subscriptions.len() { Exit::NoText } else { Exit::Text })
}

fn read(file: Option<&Path>) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    match file {
        Some(file) => File::open(file)?.take(MOST + 1).read_to_end(&mut bytes)?,
        None if io::stdin().is_terminal() => {
            bail!("nothing to read: name a file, or pipe one into `webstrata stream import`")
        }
        None => io::stdin().take(MOST + 1).read_to_end(&mut bytes)?,
    };
    if bytes.len() as u64 > MOST {
        bail!("more than {MOST} bytes, which is no list of subscriptions");
    }
    Ok(bytes)
}
