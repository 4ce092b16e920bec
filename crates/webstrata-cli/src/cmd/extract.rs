//! `webstrata extract`: pages in, main text out.

use std::path::{Path, PathBuf};

use anyhow::bail;
use webstrata::output::{self, RecordPart};
use webstrata::{Block, Document, Page, Request};
use webstrata_archive::Columns;
use webstrata_archive::record::PageRecord;
use webstrata_site::template::KnownSites;

use super::addresses::AddressArgs;
use webstrata_terminal::args::{BatchArgs, OutputArgs, ReadingArgs, WithArgs};
use webstrata_terminal::batch;
use webstrata_terminal::exit::Exit;
use webstrata_terminal::extractor::ExtractorArg;
use webstrata_terminal::input::{Input, Inputs};
use webstrata_terminal::known_sites::SiteArgs;
use webstrata_terminal::output::without_control_characters;
use webstrata_terminal::program::Global;
use webstrata_terminal::report::{self, Counted, Report};

const EXAMPLES: &str = "\
Examples:
  webstrata extract page.html
  webstrata extract https://example.org/tides
  curl -s https://example.org | webstrata extract
  webstrata extract --urls list.txt --pages fetched/ > texts.jsonl
  webstrata extract --sitemap https://example.org/sitemap.xml > texts.jsonl
  webstrata extract --format json page.html
  webstrata extract --format markdown --links --url https://example.org/a page.html
  webstrata extract --format json --with metadata,links,markdown page.html
  webstrata extract --favor recall page.html
  webstrata extract --exclude caption,byline page.html
  webstrata extract --format markdown --front-matter --include comment page.html
  webstrata extract --format highlight page.html > marked.html
  webstrata extract --extractor my.toml --jobs 8 crawl/ > crawl.jsonl
  webstrata extract crawl.warc.gz pages.jsonl.zst > texts.jsonl
  curl -s https://example.org/crawl.warc.gz | webstrata extract > texts.jsonl
  find crawl -name '*.html.gz' | webstrata extract --format jsonl --files-from - > texts.jsonl

Several files are written one after the other, with an empty line between their texts. A directory is searched
at any depth for files with one of the extensions of --ext. Each page becomes a line of JSON that starts with
its `id`: its path in the directory without the extension. Lines are in the order of the paths.

Web archives (*.warc, *.warc.gz, *.warc.zst, *.wacz), JSON lines (*.jsonl, *.jsonl.gz, *.jsonl.zst) and tables
(*.parquet, *.arrow) are read page by page. In lines and tables, a page is the field or column `html`, `content` or
`body`, and its address is `url`. In archives, only HTML with a successful status is read; the `id` is the file and the
offset of the record. Broken records are reported and skipped. Pages saved by browsers (*.mhtml, or HTML with a mark)
have their address. What comes through a pipe, or has another name, is told by its first bytes. Pages, archives and
lines may be packed with gzip or zstd.

Addresses are fetched as robots.txt allows, one at a time of each host; private networks are refused. With --pages,
what came is kept, and a run that was killed goes on where it was. Addresses of lists and sitemaps that have no page are
named and counted by reason; they are no failure unless no page came.

Exit codes: 0 text was found, 1 no page has a main text, 2 something failed.";

/// Write the main text of pages
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Pages, directories of pages, web archives, addresses, or - for stdin [default: stdin]
    #[arg(value_name = "FILE|DIR|URL|-")]
    inputs: Vec<PathBuf>,

    #[command(flatten)]
    extractor: ExtractorArg,

    /// The output format [default: text; jsonl for directories and archives]
    #[arg(short, long, value_enum)]
    format: Option<Format>,

    /// The columns of tables, such as html=raw_html,url=link,date=crawled [default: those called so]
    #[arg(long, value_name = "LIST")]
    columns: Option<Columns>,

    #[command(flatten)]
    written: OutputArgs,

    /// The page's address: makes links absolute and tells internal from external ones
    #[arg(long, value_name = "URL")]
    url: Option<String>,

    #[command(flatten)]
    with: WithArgs,

    #[command(flatten)]
    site: SiteArgs,

    #[command(flatten)]
    batch: BatchArgs,

    #[command(flatten)]
    reading: ReadingArgs,

    #[command(flatten)]
    addresses: AddressArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// The main text with its paragraphs, lists, tables and code; see --text
    Text,
    /// One page as indented JSON
    Json,
    /// One line of JSON for each page
    Jsonl,
    /// The main text as Markdown: headings, lists, tables, code, emphasis; also md
    #[value(alias = "md")]
    Markdown,
    /// The main text of one page as clean HTML, without scripts
    Html,
    /// One page as HTML with its main text marked, without scripts
    Highlight,
}

pub(crate) fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    let mut request = args.extractor.request(&args.reading)?;
    request.parts = args.with.parts();
    request.markup = args.written.options();
    request.options.url.clone_from(&args.url);
    let (paths, limits) = (args.batch.paths(&args.inputs)?, args.reading.arrival_limits());
    let (inputs, crawl) =
        args.addresses.inputs(&paths, &args.batch.extensions(), "extract", limits)?;
    let inputs = inputs.limited(limits).with_columns(args.columns.clone().unwrap_or_default());
    let format = args.format(&inputs)?;
    let mut output = inputs.output(args.batch.output.as_deref())?;
    let mut report = Report::new(global.quiet);
    let (jobs, extensions) = (args.batch.jobs.count(), args.batch.extensions());
    let (extractor, options) = (request.extractor(), &request.options);
    let site =
        args.site.learn(extractor, Some(&inputs), &extensions, options, jobs, &mut report)?;
    let work = Work { request, site, format, for_terminal: output.is_terminal() };
    let on_terminal = output.is_terminal();
    let (mut any_text, mut counted) = (false, Counted::default());
    batch::pages(
        &inputs,
        jobs,
        &mut report,
        on_terminal,
        |input| work.page(input),
        |page| {
            let separated = matches!(format, Format::Text | Format::Markdown);
            if separated && any_text && page.has_text {
                output.write(b"\n")?;
            }
            any_text |= page.has_text;
            counted.pages += 1;
            counted.without_text += u64::from(!page.has_text);
            counted.kept += page.words.0;
            counted.dropped += page.words.1;
            output.write(&page.bytes)
        },
    )?;
    output.finish()?;
    report.sum_up(counted);
    if let Some(crawl) = crawl {
        crawl.finish(&mut report)?;
    }
    if report.failed() {
        return Ok(Exit::Failed);
    }
    if !any_text && format == Format::Jsonl {
        report.note(format_args!("no main text in any of {} pages", counted.pages));
    }
    Ok(if any_text { Exit::Text } else { Exit::NoText })
}

impl Args {
    fn format(&self, inputs: &Inputs) -> anyhow::Result<Format> {
        let many = inputs.has_many || inputs.pages.len() > 1;
        if let Some(table) = self.batch.output.as_deref().filter(|path| is_table(path)) {
            bail!(
                "{}: extract writes texts and JSON; `webstrata corpus run` and `webstrata warc --format parquet` write \
                 tables",
                table.display()
            );
        }
        let default = if inputs.has_many { Format::Jsonl } else { Format::Text };
        let format = self.format.unwrap_or(default);
        match format {
            Format::Json if many => {
                bail!("--format json writes one page; for many, use --format jsonl")
            }
            Format::Highlight if many => {
                bail!("--format highlight writes one page; name a single file")
            }
            Format::Html if many => {
                bail!("--format html writes one page; name a single file")
            }
            _ if many && self.url.is_some() => {
                bail!("--url is the address of one page; name a single file")
            }
            format
                if (self.written.links || self.written.images) && !self.writes_markup(format) =>
            {
                bail!(
                    "--links and --images are for --format markdown and html, and for JSON --with \
                     markdown or html"
                )
            }
            format if self.written.front_matter && !self.writes_markdown(format) => {
                bail!("--front-matter is for --format markdown, and for JSON --with markdown")
            }
            _ if self.written.reasons && !self.with.parts().contains(&RecordPart::Blocks) => {
                bail!("--reasons is for blocks; use it with --format json --with blocks")
            }
            Format::Text | Format::Markdown | Format::Html | Format::Highlight
                if !self.with.parts().is_empty() =>
            {
                bail!("--with adds to JSON; use it with --format json or --format jsonl")
            }
            format => Ok(format),
        }
    }

    fn writes_markdown(&self, format: Format) -> bool {
        match format {
            Format::Json | Format::Jsonl => self.with.parts().contains(&RecordPart::Markdown),
            format => format == Format::Markdown,
        }
    }

    fn writes_markup(&self, format: Format) -> bool {
        let is_markup = |part: &RecordPart| matches!(part, RecordPart::Markdown | RecordPart::Html);
        match format {
            Format::Markdown | Format::Html => true,
            Format::Json | Format::Jsonl => self.with.parts().iter().any(is_markup),
            Format::Text | Format::Highlight => false,
        }
    }
}

/// Is it called like a table?
fn is_table(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| ["parquet", "arrow", "csv"].contains(&extension))
}

/// What every worker does with a page.
struct Work {
    request: Request,
    /// Where the extractor asks for them.
    site: Option<KnownSites>,
    format: Format,
    for_terminal: bool,
}

/// A page as it will be written.
struct Done {
    bytes: Vec<u8>,
    has_text: bool,
    /// Words in the main text, and those that are not.
    words: (u64, u64),
}

impl Work {
    /// Everything that takes time, so that the one thread that writes only writes.
    fn page(&self, input: &Input) -> Result<(Done, Option<String>), String> {
        let bytes = input.read(self.request.options.limits.bytes)?;
        let options = input.options(&self.request.options);
        let page = match &self.site {
            Some(site) => site.extract(&bytes, &input.name(), &options),
            None => self.request.extract_with(&bytes, &options),
        };
        let has_text = has_text(&page.document);
        let note = if bytes.is_empty() {
            Some("empty, no text in it".into())
        } else {
            self.note(&page.document, has_text)
        };
        let words = words(&page.document);
        Ok((Done { bytes: self.format(input, &page)?, has_text, words }, note))
    }

    fn format(&self, input: &Input, page: &Page<'_>) -> Result<Vec<u8>, String> {
        let json = match self.format {
            Format::Text => return Ok(self.shown(self.request.text(page))),
            Format::Markdown => return Ok(self.shown(self.request.markdown(page))),
            Format::Html => return Ok(self.shown(self.request.html(page))),
            Format::Highlight => {
                let html = output::highlight(&page.document, &page.tree);
                return Ok(self.shown(html + "\n"));
            }
            Format::Json => serde_json::to_vec_pretty(&self.record(input, page)),
            Format::Jsonl => self.record(input, page).to_line(),
        };
        let mut json = json.map_err(|error| error.to_string())?;
        json.push(b'\n');
        Ok(json)
    }

    fn record(&self, input: &Input, page: &Page<'_>) -> PageRecord {
        PageRecord::of(input.id.clone(), page, &self.request, input.origin())
    }

    fn shown(&self, text: String) -> Vec<u8> {
        if self.for_terminal {
            return without_control_characters(&text).into_owned().into_bytes();
        }
        text.into_bytes()
    }

    /// What JSON would say and text cannot.
    fn note(&self, document: &Document, has_text: bool) -> Option<String> {
        if self.format == Format::Jsonl {
            return None;
        }
        let no_text = || "no main text found; `webstrata explain` shows why".into();
        report::cut_short(document).or_else(|| (!has_text).then(no_text))
    }
}

/// Words in kept blocks, and in the others.
fn words(document: &Document) -> (u64, u64) {
    let count = |words: u64, atom: usize| words + u64::from(document.atoms[atom].counts.words);
    let kept = document.blocks.iter().filter(|block| block.is_content).flat_map(Block::atoms);
    let (kept, all) = (kept.fold(0, count), (0..document.atoms.len()).fold(0, count));
    (kept, all - kept)
}

fn has_text(document: &Document) -> bool {
    let content = document.blocks.iter().filter(|block| block.is_content);
    content.flat_map(Block::atoms).any(|atom| !document.atom_text(atom).is_empty())
}
