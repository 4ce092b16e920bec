//! `webstrata links build`: a web graph from addresses, records, lists of edges or WebGraph's files.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use webstrata_base::Progress;
use webstrata_links::Graph;
use webstrata_links::build::inputs::{Inputs, Pages, Tally, WebGraph};
use webstrata_links::build::{GraphOptions, NamedBuilder, NumberedBuilder};
use webstrata_links::graph::{Choice, Naming, Rules, Wanted};

use webstrata_base::thousands;

use webstrata_terminal::args::memory;
use webstrata_terminal::exit::Exit;
use webstrata_terminal::program::Global;
use webstrata_terminal::report::{Report, TerminalProgress};

const EXAMPLES: &str = "\
Examples:
  webstrata warc --with links crawl.warc.gz > crawl.jsonl
  webstrata links build crawl.jsonl --out web
  webstrata links build next-week.jsonl --out web --add
  webstrata links build links.tsv.gz --out web --hosts domain --links content
  webstrata links build --format edges edges.txt --out graph
  webstrata links build cnr-2000.graph --out graph

Formats (files may be compressed with gzip or Zstandard; - is stdin):
  pairs     one link per line: from, tab, to. Optional further fields after tabs: content (the default) or
            boilerplate, and nofollow. A line with one name is a crawled page. # begins a comment.
            Default for .tsv
  records   JSON lines of `webstrata extract --with links` and `webstrata warc --with links`.
            Default for .jsonl
  edges     two numbers per line, separated by spaces or tabs; # and % begin comments. Numbers are names: there are
            as many pages as occur. --dense takes them for places: pages 0 to the highest, or to --pages
  listed    lines with a number and a name, then lines with two of these numbers; lines may begin with
            n and e. The names are held in memory
  webgraph  NAME.graph with NAME.properties beside it. Default for .graph

Rules, the same for all batches of a graph:
  Addresses are normalised as in browsers, without the fragment (#). http and https are two pages, and so
  are www.example.org and example.org.
  A link that occurs several times counts once; it is a content link if one of them is.
  --nofollow, --self-links and --uncrawled set which links and pages are left out.

The graph is a directory. Pages keep their numbers when others are added. The graph is replaced in one step:
a build that fails or is killed leaves the old graph as it was. A build that finds no page makes no graph.

Exit codes: 0 done, 1 there is no page, 2 something failed.";

/// Build a web graph, or add to one
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Files with links
    #[arg(value_name = "FILE", required = true)]
    inputs: Vec<PathBuf>,

    /// The directory of the graph
    #[arg(short, long, visible_alias = "output", value_name = "GRAPH")]
    out: PathBuf,

    /// Add to an existing graph, with its rules
    #[arg(long)]
    add: bool,

    /// The format of the files [default: by their names]
    #[arg(short, long, value_enum)]
    format: Option<Format>,

    /// How pages are named [default: urls]
    #[arg(long, value_enum)]
    names: Option<Names>,

    /// What a host is [default: host]
    #[arg(long, value_enum)]
    hosts: Option<Hosts>,

    /// Which links to use, by their place on the page [default: all]
    #[arg(long, value_enum)]
    links: Option<Links>,

    /// Links with nofollow [default: drop]
    #[arg(long, value_enum)]
    nofollow: Option<Kept>,

    /// Links from a page to itself [default: drop]
    #[arg(long, value_enum)]
    self_links: Option<Kept>,

    /// Pages that occur as targets only, and the links to them [default: keep]
    #[arg(long, value_enum)]
    uncrawled: Option<Kept>,

    /// Numbers of a list of edges are places, counted from 0: all pages up to the highest are there
    #[arg(long)]
    dense: bool,

    /// The same, with so many pages; links to others are errors
    #[arg(long, value_name = "N")]
    pages: Option<u64>,

    /// Stop at the first wrong line instead of skipping it
    #[arg(long)]
    strict: bool,

    /// The memory for sorting; more is sorted in files beside the graph
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = memory)]
    memory: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// Pairs of names
    Pairs,
    /// JSON lines with links
    Records,
    /// Pairs of numbers
    Edges,
    /// Numbers with names, and pairs of numbers
    Listed,
    /// WebGraph's BV format
    Webgraph,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Names {
    /// Addresses
    Urls,
    /// Any names; all pages are on one host
    Plain,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Hosts {
    /// A host name
    Host,
    /// A registrable domain, with all host names below it
    Domain,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Links {
    /// Links in the main text
    Content,
    /// Links in boilerplate
    Boilerplate,
    /// All links
    All,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Kept {
    /// Count them
    Keep,
    /// Leave them out
    Drop,
}

impl From<Kept> for Choice {
    fn from(kept: Kept) -> Choice {
        match kept {
            Kept::Keep => Choice::Keep,
            Kept::Drop => Choice::Drop,
        }
    }
}

impl Format {
    fn of(path: &Path) -> anyhow::Result<Format> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let name = name.strip_suffix(".gz").or(name.strip_suffix(".zst")).unwrap_or(&name);
        Ok(match Path::new(name).extension().and_then(|extension| extension.to_str()) {
            Some("tsv") => Format::Pairs,
            Some("jsonl") => Format::Records,
            Some("graph" | "properties") => Format::Webgraph,
            _ => bail!("{}: say what it holds with --format", path.display()),
        })
    }

    /// Are its pages numbers, which say nothing of hosts and of what a link says?
    fn has_numbers(self) -> bool {
        matches!(self, Format::Edges | Format::Webgraph)
    }
}

pub(crate) fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    let formats = args.formats()?;
    let has_numbers = formats.iter().any(|format| format.has_numbers());
    if has_numbers && !formats.iter().all(|format| format.has_numbers()) {
        bail!("files with names and files with numbers cannot be one graph; build two");
    }
    args.check(has_numbers)?;
    let rules = args.rules(&formats)?;
    let is_numbered = rules.names == Naming::Numbers;
    let settings = GraphOptions { rules, memory: args.memory, add: args.add };
    let (report, progress) = (Report::new(global.quiet), TerminalProgress::new(global.quiet));
    let bytes: u64 =
        args.inputs.iter().filter_map(|path| Some(fs::metadata(path).ok()?.len())).sum();
    progress.begin("MiB read", (bytes >> 20) as usize);
    let mut inputs = Inputs::new(args.strict, &progress);
    let files: Vec<(&PathBuf, Format)> = args.inputs.iter().zip(formats).collect();
    let built = if is_numbered {
        args.build_numbered(&files, &settings, &mut inputs, &progress)
    } else {
        args.build_named(&files, &settings, &mut inputs, &progress)
    };
    progress.end_part("lines left out");
    let Some(graph) = built? else {
        read(inputs.tally(), &report);
        // A graph without a page is of no use, and would be in the way of the next build.
        report.note(format_args!(
            "{}: no page in what was read, so that there is no graph; `webstrata links build --help` shows the formats",
            args.out.display()
        ));
        return Ok(Exit::NoText);
    };
    summary(&graph, &report);
    read(inputs.tally(), &report);
    Ok(Exit::Text)
}

impl Args {
    fn formats(&self) -> anyhow::Result<Vec<Format>> {
        let format = |path: &PathBuf| self.format.map_or_else(|| Format::of(path), Ok);
        self.inputs.iter().map(format).collect()
    }

    fn check(&self, has_numbers: bool) -> anyhow::Result<()> {
        if has_numbers && (self.names.is_some() || self.hosts.is_some()) {
            bail!("--names and --hosts are for pages with names; these have numbers");
        }
        if has_numbers && let Some(option) = self.for_names_only() {
            bail!("{option} is for links with names; links of numbers do not say such things");
        }
        if !has_numbers && (self.dense || self.pages.is_some()) {
            bail!("--dense and --pages are for lists of edges; these pages have names");
        }
        if self.names == Some(Names::Plain) && self.hosts.is_some() {
            bail!("--hosts is for addresses; with --names plain, all pages are on one host");
        }
        Ok(())
    }

    /// What links of numbers cannot obey: they are all in content, none says nofollow, every page counts as seen.
    fn for_names_only(&self) -> Option<&'static str> {
        match self {
            Args { uncrawled: Some(Kept::Drop), .. } => Some("--uncrawled drop"),
            Args { nofollow: Some(_), .. } => Some("--nofollow"),
            Args { links: Some(Links::Boilerplate), .. } => Some("--links boilerplate"),
            _ => None,
        }
    }

    /// What was asked for; what was not is as in the graph that is there, if it is added to.
    fn rules(&self, formats: &[Format]) -> anyhow::Result<Rules> {
        let old = match self.add {
            true => Some(Graph::open_unverified(&self.out).context("--add")?.about().rules),
            false => None,
        };
        let before = old.unwrap_or_default();
        let are_places = self.dense || self.pages.is_some() || formats.contains(&Format::Webgraph);
        let names = match (self.names, self.hosts) {
            _ if are_places => Naming::Numbers,
            // A number that is a name fits to any graph of plain names, a place to one of places.
            _ if formats.contains(&Format::Edges) => match old {
                Some(Rules { names: Naming::Numbers, .. }) => Naming::Numbers,
                _ => Naming::Plain,
            },
            (Some(Names::Plain), _) => Naming::Plain,
            (_, Some(Hosts::Domain)) => Naming::Domains,
            (_, Some(Hosts::Host)) | (Some(Names::Urls), None) => Naming::Hosts,
            (None, None) => before.names,
        };
        let links = self.links.map(|links| match links {
            Links::Content => Wanted::Content,
            Links::Boilerplate => Wanted::Boilerplate,
            Links::All => Wanted::All,
        });
        Ok(Rules {
            names,
            links: links.unwrap_or(before.links),
            nofollow: self.nofollow.map_or(before.nofollow, Choice::from),
            self_links: self.self_links.map_or(before.self_links, Choice::from),
            uncrawled: self.uncrawled.map_or(before.uncrawled, Choice::from),
        })
    }

    fn build_named(
        &self,
        files: &[(&PathBuf, Format)],
        settings: &GraphOptions,
        inputs: &mut Inputs<'_>,
        progress: &TerminalProgress,
    ) -> anyhow::Result<Option<Graph>> {
        if settings.rules.names == Naming::Numbers {
            bail!("{}: a graph of numbers, to which only edges can be added", self.out.display());
        }
        let mut builder = NamedBuilder::new(&self.out, settings)?;
        let mut pages = Pages::default();
        for (path, format) in files {
            match format {
                Format::Records => inputs.records(path, &mut builder)?,
                Format::Listed => inputs.listed(path, &mut pages, &mut builder)?,
                Format::Edges => inputs.edges_by_name(path, &mut builder)?,
                _ => inputs.pairs(path, &mut builder)?,
            }
        }
        if builder.is_empty() {
            return Ok(None);
        }
        Ok(Some(builder.finish(progress)?))
    }

    fn build_numbered(
        &self,
        files: &[(&PathBuf, Format)],
        settings: &GraphOptions,
        inputs: &mut Inputs<'_>,
        progress: &TerminalProgress,
    ) -> anyhow::Result<Option<Graph>> {
        let mut pages = self.pages;
        for (path, _) in files.iter().filter(|(_, format)| *format == Format::Webgraph) {
            pages = Some(pages.unwrap_or(0).max(WebGraph::open(path)?.pages()));
        }
        let mut builder = NumberedBuilder::new(&self.out, settings, pages)?;
        for (path, format) in files {
            match format {
                Format::Webgraph => inputs.webgraph(&WebGraph::open(path)?, &mut builder)?,
                _ => inputs.edges(path, &mut builder)?,
            }
        }
        if builder.is_empty() {
            return Ok(None);
        }
        Ok(Some(builder.finish(progress)?))
    }
}

fn summary(graph: &Graph, report: &Report) {
    let about = graph.about();
    report.note(format_args!(
        "{}: pages {}, hosts {}, links {}",
        graph.folder().display(),
        thousands(about.pages),
        thousands(about.hosts),
        thousands(about.links.total())
    ));
}

fn read(tally: Tally, report: &Report) {
    let Tally { taken, dropped, self_links, wrong, .. } = tally;
    report.note(format_args!(
        "read: links taken {}, of other kinds or nofollow {}, to themselves {}, wrong {}",
        thousands(taken),
        thousands(dropped),
        thousands(self_links),
        thousands(wrong)
    ));
}
