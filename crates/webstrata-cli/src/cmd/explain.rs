//! `webstrata explain`: which blocks of a page were kept, which were dropped, and by what.

use std::path::PathBuf;

use anyhow::bail;
use webstrata::error::nearest;
use webstrata::filters::Step;
use webstrata_archive::InputKind;

use self::table::table;
use webstrata_terminal::args::ReadingArgs;
use webstrata_terminal::exit::Exit;
use webstrata_terminal::extractor::ExtractorArg;
use webstrata_terminal::input::Input;
use webstrata_terminal::known_sites::SiteArgs;
use webstrata_terminal::output;
use webstrata_terminal::program::Global;
use webstrata_terminal::report::Report;
use webstrata_terminal::style::{self, Style};

mod table;

const EXAMPLES: &str = "\
Examples:
  webstrata explain page.html
  webstrata explain --extractor my.toml --all page.html | less
  webstrata explain --json page.html | jq '.blocks[] | select(.content)'
  webstrata explain --extractor strata+site --site pages/ page.html   with the other pages of the site
  webstrata explain --filter fuse-nearby        what a filter does

Each row is a block: `+` if it is in the main text, its number, its number of words, the share of words
in links, its text density (words per line of 80 columns), its path, the step that decided (the last
that kept or dropped it), the number of pages of the site that have it (if other pages are known), its
labels and its text. The line below a block has its score in log-odds, and what speaks for it (+) and
against it (−) by the trees of `strata`, the strongest first.";

/// Show which blocks of a page are kept and dropped, and which step decided
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// A page, or - for stdin [default: stdin]
    #[arg(value_name = "PAGE|-")]
    page: Option<PathBuf>,

    #[command(flatten)]
    extractor: ExtractorArg,

    /// Write JSON: the record, every block with its decision, and the effect of each step
    #[arg(long)]
    json: bool,

    /// Show every block; by default, runs of short dropped blocks are shown as one line
    #[arg(short, long)]
    all: bool,

    /// Describe a filter and its parameters; no page is read
    #[arg(long, value_name = "NAME", conflicts_with_all = ["page", "json", "all"])]
    filter: Option<String>,

    /// The page's address
    #[arg(long, value_name = "URL")]
    url: Option<String>,

    #[command(flatten)]
    site: SiteArgs,

    #[command(flatten)]
    reading: ReadingArgs,
}

pub(crate) fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    if let Some(name) = &args.filter {
        output::print(filter(name)?.as_bytes())?;
        return Ok(Exit::Text);
    }
    let mut request = args.extractor.request(&args.reading)?;
    request.options.url.clone_from(&args.url);
    let (extractor, options) = (request.extractor(), &request.options);
    let input = Input::one(args.page.as_deref(), "explain")?;
    let bytes = input.read_or_fail(options.limits.bytes)?;
    let mut report = Report::new(global.quiet);
    let extensions = InputKind::PAGES.map(str::to_owned);
    let page = match args.site.learn(extractor, None, &extensions, options, 1, &mut report)? {
        Some(known) => known.sighted(&bytes, &input.name(), options, extractor),
        None => request.read(&bytes),
    };
    let explanation = request.explain(page);
    let written = if args.json {
        let mut json = serde_json::to_vec_pretty(&explanation)?;
        json.push(b'\n');
        json
    } else {
        table(&explanation, args.all, style::columns(), Style::of_stdout(global.color)).into_bytes()
    };
    output::print(&written)?;
    Ok(Exit::Text)
}

/// What a filter does, by its name or by that of the class of boilerpipe that it stands for.
fn filter(name: &str) -> anyhow::Result<String> {
    let steps = || Step::names().iter().filter_map(|name| Step::named(name));
    let is_it = |step: &Step| step.name() == name || step.aliases().contains(&name);
    let Some(step) = steps().find(is_it) else {
        match nearest(name, Step::names().iter().copied()) {
            Some(near) => bail!("unknown filter `{name}`, did you mean `{near}`?"),
            None => bail!("unknown filter `{name}`; see `webstrata extractors filters`"),
        }
    };
    let mut text = format!("{}\n\n{}\n", step.name(), step.doc());
    let parameters = table::parameters(&step);
    if !parameters.is_empty() {
        text.push_str("\nParameters and their defaults:\n");
        for (name, value) in parameters {
            text.push_str(&format!("  {name} = {value}\n"));
        }
    }
    if !step.aliases().is_empty() {
        text.push_str(&format!("\nIn boilerpipe: {}\n", step.aliases().join(", ")));
    }
    Ok(text)
}
