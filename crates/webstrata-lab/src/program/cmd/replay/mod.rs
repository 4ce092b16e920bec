//! `webstrata-lab replay`: the evaluation of the URL Tree paper (section 5) on a recorded stream.

pub(crate) mod line;
mod methods;
mod tuning;
mod write;

use std::path::PathBuf;

use webstrata_lab::outputs::{ToolTexts, tools as tools_of};
use webstrata_site::url_tree::{Bounds, Heuristic};

use self::line::Recorded;
use self::methods::Methods;
use self::write::Results;
use webstrata_terminal::args::{JobsArgs, memory};
use webstrata_terminal::exit::Exit;
use webstrata_terminal::known_sites::url_rules;
use webstrata_terminal::output;
use webstrata_terminal::program::Global;
use webstrata_terminal::report::Report;
use webstrata_terminal::style::Style;

const EXAMPLES: &str = "\
Examples:
  webstrata-lab replay stream.jsonl.zst
  webstrata-lab replay stream.jsonl.zst --out report/      with Figures 2, 4 and 5
  webstrata-lab replay stream.jsonl --heuristic strict-support-50 --heuristic strict
  webstrata-lab replay stream.jsonl --tune --outputs peers/     N from 100 to 1,000; texts of other tools
  webstrata url learn stream.jsonl > rules.toml; webstrata-lab replay stream.jsonl --rules rules.toml

Each line is a page: id, response_url (or url), feed_title (or title), published (or date), html, gold_text
(the expected text) and duplicate_of (the id of the page that it repeats, or null). Pages are used in the
order of the lines. A page whose URL key was seen before is skipped. The others are added to the URL Tree
and then extracted with each method, knowing earlier pages only.

The other methods know one page only: five extractors of boilerpipe, template removal (segments with a density of
at most 5 dropped), and the tools of --outputs.

F1 is the mean over the pages; `lcs` by the longest common subsequence of tokens, as in the paper,
`bag` by the tokens in any order. `after 10` leaves out the first ten pages of each domain. The model of
strata+site was trained on such a stream, so its score on the same pages is too high; see the cross-validation
of `webstrata-lab train site`.

Exit codes: 0 done, 1 no page has a gold text, 2 something failed.";

/// Evaluate template removal and duplicates on a recorded stream with gold texts
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Pages as JSON lines, in order of time (.jsonl, .jsonl.gz, .jsonl.zst)
    #[arg(value_name = "FILE.jsonl", required = true)]
    files: Vec<PathBuf>,

    /// Rules for URL keys, as TOML [default: the built-in rules; see `webstrata url rules`]
    #[arg(long, value_name = "FILE.toml")]
    rules: Option<PathBuf>,

    /// A heuristic of the URL Tree instead of the paper's four; may be repeated
    #[arg(long, value_name = "NAME")]
    heuristic: Vec<Heuristic>,

    /// Try N from 100 to 1,000, and 20 and 50, for strict-support-N and relaxed-at-domain-N
    #[arg(long, conflicts_with = "heuristic")]
    tune: bool,

    /// Texts of other tools, DIR/TOOL/NAME.jsonl, where NAME is that of the first file of pages
    #[arg(long, value_name = "DIR")]
    outputs: Vec<PathBuf>,

    /// Count nearly identical texts as one
    #[arg(long)]
    similar: bool,

    /// The largest number of documents of a domain in the tree
    #[arg(long, value_name = "N", default_value_t = Bounds::default().documents)]
    max_documents: usize,

    /// Days after which a document leaves the tree, unless it is among the last 100 of its domain
    #[arg(long, value_name = "DAYS", default_value_t = 14)]
    max_days: u32,

    /// The memory of the tree; when it is full, the oldest documents leave
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = memory)]
    memory: usize,

    /// Also write a report with charts (index.html, report.md, report.json) to this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// The output format
    #[arg(short, long, value_enum, default_value = "text")]
    format: Format,

    #[command(flatten)]
    jobs: JobsArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// Tables
    Text,
    /// One JSON object
    Json,
}

/// The texts of tools, of the first file of pages.
fn tools(args: &Args, report: &mut Report) -> anyhow::Result<Vec<ToolTexts>> {
    let name = args.files[0].file_name().unwrap_or_default().to_string_lossy().into_owned();
    let name = name.split('.').next().unwrap_or_default();
    let mut found = Vec::new();
    for tool in args.outputs.iter().map(|folder| tools_of(folder)) {
        for tool in tool? {
            if let Some(texts) = tool.texts_of(name)? {
                texts.mistakes().iter().for_each(|mistake| report.failure(mistake));
                found.push(texts);
            }
        }
    }
    Ok(found)
}

pub(crate) fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    let mut report = Report::new(global.quiet);
    let mut recorded = Recorded::new(url_rules(args.rules.as_deref())?);
    let bounds = Bounds {
        documents: args.max_documents,
        age: i64::from(args.max_days) * 24 * 3600,
        memory: args.memory,
        ..Bounds::default()
    };
    let heuristics = match &args.heuristic[..] {
        [] if args.tune => tuning::heuristics(),
        [] => Heuristic::PAPER.to_vec(),
        chosen => chosen.to_vec(),
    };
    let tools = tools(args, &mut report)?;
    let mut methods = Methods::new(&heuristics, bounds, args.similar, tools, args.jobs.count());
    let mut outcomes = Vec::new();
    report.progress_files(&args.files);
    for file in &args.files {
        recorded.each(file, &mut report, |pages, _| {
            outcomes.extend(methods.judge(pages));
            Ok(())
        })?;
    }
    report.finish();
    if outcomes.is_empty() {
        report.note("no page has a gold text, there is nothing to compare");
        return Ok(if report.failed() { Exit::Failed } else { Exit::NoText });
    }
    let results = Results::of(&methods, &recorded, &outcomes);
    match args.format {
        Format::Text => output::print(results.table(Style::of_stdout(global.color)).as_bytes())?,
        Format::Json => {
            let json = serde_json::to_string_pretty(&results)?;
            output::print(format!("{json}\n").as_bytes())?;
        }
    }
    if let Some(folder) = &args.out {
        results.report(&outcomes).write(folder)?;
        report.note(format_args!("{}: written", folder.join("index.html").display()));
    }
    Ok(if report.failed() { Exit::Failed } else { Exit::Text })
}
