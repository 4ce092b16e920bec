//! `webstrata stream status`: where the sites stand.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use webstrata_feeds::pipeline::{STATUS_VERSION, SiteStatus, Status, status_file};

use webstrata_terminal::args::JsonArg;
use webstrata_terminal::exit::Exit;
use webstrata_terminal::output::{print, without_control_characters};
use webstrata_terminal::program::Global;
use webstrata_terminal::style::{Paint, Style, beginning};

const EXAMPLES: &str = "\
Examples:
  webstrata stream status harbour
  webstrata stream status harbour --format json | jq .sites

While the stream runs, the status is at most a few seconds old. Otherwise it is the status at the end of the
last run. Lag is the time from an item's date to its record, for the last page with a date.";

/// Show the status of the sites of a stream
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The store's directory
    #[arg(value_name = "STORE")]
    store: PathBuf,

    /// The output format
    #[arg(short, long, value_enum, default_value = "text")]
    format: Format,

    #[command(flatten)]
    json: JsonArg,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// A table
    Text,
    /// JSON
    Json,
}

pub(crate) fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    let status = read(&args.store)?;
    let text = match args.json.or(Format::Json, args.format) {
        Format::Json => serde_json::to_string_pretty(&status)? + "\n",
        Format::Text => table(&status, Style::of_stdout(global.color)),
    };
    print(text.as_bytes())?;
    Ok(Exit::Text)
}

fn read(store: &Path) -> anyhow::Result<Status> {
    let path = status_file(store);
    if !path.exists() {
        bail!("{}: no stream has run here; see `webstrata stream run --help`", store.display());
    }
    let text = fs::read(&path).with_context(|| path.display().to_string())?;
    let status: Status =
        serde_json::from_slice(&text).with_context(|| path.display().to_string())?;
    if status.version != STATUS_VERSION {
        let (path, version) = (path.display(), status.version);
        bail!(
            "{path}: version {version}, this release knows {STATUS_VERSION}; use the release that runs"
        );
    }
    Ok(status)
}

const HEADS: [&str; 9] = [
    "site",
    "pages",
    "duplicates",
    "waiting",
    "given up",
    "errors",
    "lag",
    "template",
    "next poll",
];

fn table(status: &Status, style: Style) -> String {
    let mut rows = vec![HEADS.map(str::to_owned)];
    rows.extend(status.sites.iter().map(|(name, site)| row(name, site, status.time)));
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths: Vec<usize> = (0..HEADS.len()).map(|column| width(column).unwrap_or(0)).collect();
    let mut text = String::new();
    for (index, row) in rows.iter().enumerate() {
        let mut line = format!("{:<1$}", row[0], widths[0]);
        for (cell, width) in row.iter().zip(&widths).skip(1) {
            line.push_str(&format!("  {cell:>width$}"));
        }
        let paint = if index == 0 { style.paint(Paint::Heading, &line) } else { line };
        text.push_str(paint.trim_end());
        text.push('\n');
    }
    let Status { records, undelivered, kept, refused, .. } = status;
    text.push_str(&format!(
        "\n{records} records, {undelivered} not delivered, {refused} refused, {kept} kept for export\n"
    ));
    for (name, site) in &status.sites {
        if site.cut_feeds > 0 {
            let line = format!("{}: feeds were cut {} times", beginning(name, 40), site.cut_feeds);
            text.push_str(&style.paint(Paint::Aside, &line));
            text.push('\n');
        }
        if let Some(error) = &site.last_error {
            let error = without_control_characters(error).into_owned();
            let line = format!("{}: {}", beginning(name, 40), beginning(&error, 200));
            text.push_str(&style.paint(Paint::Aside, &line));
            text.push('\n');
        }
    }
    text
}

fn row(name: &str, site: &SiteStatus, now: i64) -> [String; 9] {
    [
        beginning(&without_control_characters(name), 40),
        site.pages.to_string(),
        site.duplicates.to_string(),
        site.waiting.to_string(),
        site.lost.to_string(),
        site.errors.values().sum::<u64>().to_string(),
        site.lag.map_or("-".into(), span),
        site.template.to_string(),
        site.next_poll.map_or("-".into(), |next| match next - now {
            ..=0 => "due".into(),
            wait => format!("in {}", span(wait)),
        }),
    ]
}

/// Seconds as people say them, roughly.
fn span(seconds: i64) -> String {
    match seconds {
        ..120 => format!("{seconds} s"),
        120..7200 => format!("{} min", seconds / 60),
        7200..172_800 => format!("{} h", seconds / 3600),
        _ => format!("{} d", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans() {
        for (seconds, expect) in
            [(-5, "-5 s"), (119, "119 s"), (120, "2 min"), (7200, "2 h"), (200_000, "2 d")]
        {
            assert_eq!(span(seconds), expect);
        }
    }
}
