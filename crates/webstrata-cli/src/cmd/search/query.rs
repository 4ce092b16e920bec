//! `webstrata search query`: questions to an index.

use std::fmt::Write;
use std::path::PathBuf;

use serde::Serialize;
use webstrata_base::thousands;
use webstrata_search::query::{MOST_HITS, MOST_OFFSET};
use webstrata_search::ranks::MOST_WEIGHT;
use webstrata_search::{
    Date, Filters, Hit, Hits, Index, Level, Matching, Mix, Query, Snippet, Within,
};

use webstrata_terminal::args::{JsonArg, one_of};
use webstrata_terminal::exit::Exit;
use webstrata_terminal::output::{self, without_control_characters};
use webstrata_terminal::panics;
use webstrata_terminal::program::Global;
use webstrata_terminal::style::{Paint, Style};

/// The version of the JSON's shape.
const VERSION: u32 = 1;

const EXAMPLES: &str = "\
Examples:
  webstrata search query web hourly ferry
  webstrata search query web '\"two islands\" -bus title:ferry'
  webstrata search query web ferry --host example.org --from 2026-01 --format json
  webstrata search query web ferry --min-words 10          only in blocks of ten or more words
  webstrata search query web ferry --facet Top/Recreation --facet Top/Arts^0.5

Results have all words. If no page has all, pages with any of them are shown, and the answer says so. Put a
phrase in quotes, write -word to exclude a word, and title:, main:, boilerplate:, url:, host:, language: or
type: to search there. Without words, all pages are shown, best ranks first.

Pages are ordered by BM25. If the index has link ranks (`webstrata search ranks`), the score is multiplied by
the rank to the power of --weight. With --facet the rank is that of a topic, or a weighted mean of several.

Exit codes: 0 pages were found, 1 no page was found, 2 something failed.";

/// Search an index
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The directory of the index
    #[arg(value_name = "INDEX")]
    index: PathBuf,

    /// The query; put words that begin with a hyphen in quotes or after --
    #[arg(value_name = "WORDS")]
    words: Vec<String>,

    /// The number of pages to show
    #[arg(short = 'n', long, value_name = "N", default_value = "10", value_parser = up_to::<MOST_HITS>)]
    limit: usize,

    /// Skip this many of the best pages
    #[arg(long, value_name = "N", default_value = "0", value_parser = up_to::<MOST_OFFSET>)]
    offset: usize,

    #[command(flatten)]
    asking: AskingArgs,

    /// The output format
    #[arg(short, long, value_enum, default_value = "text")]
    format: Format,

    #[command(flatten)]
    json: JsonArg,
}

/// The filters and weights of a query.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Which pages, and in which order")]
pub(crate) struct AskingArgs {
    /// Only pages of this host or domain
    #[arg(long)]
    host: Option<String>,

    /// Only pages in this language; pt includes pt-br
    #[arg(long)]
    language: Option<String>,

    /// Only pages of this type: article, forum, product, listing, collection, documentation, service
    #[arg(long = "type", value_name = "TYPE")]
    page_type: Option<String>,

    /// Only pages published then or later: 2026, 2026-11 or 2026-11-16
    #[arg(long, value_name = "DATE", value_parser = date)]
    from: Option<Date>,

    /// Only pages published then or earlier
    #[arg(long, value_name = "DATE", value_parser = date)]
    to: Option<Date>,

    /// Where to search: title and main text, boilerplate, or all
    #[arg(long = "in", value_name = "WHERE", default_value = "main", value_parser = one_of(Within::ALL))]
    within: Within,

    /// Search only in blocks of at least this many words, up to 100
    #[arg(long, value_name = "N", conflicts_with = "min_density", value_parser = clap::value_parser!(u32).range(0..=100))]
    min_words: Option<u32>,

    /// Search only in blocks of at least this text density, up to 20
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=20))]
    min_density: Option<u32>,

    /// Show pages with any of the words
    #[arg(long)]
    any: bool,

    /// The weight of link ranks: 1 as in the thesis, 0 to ignore them
    #[arg(long, value_name = "NUMBER", default_value_t = 1.0, value_parser = weight)]
    weight: f32,

    /// Rank by this topic; NAME^2 counts twice as much as others
    #[arg(long, value_name = "NAME[^WEIGHT]", value_parser = facet)]
    facet: Vec<(String, f32)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// Text for people
    Text,
    /// One JSON value
    Json,
}

impl AskingArgs {
    pub(crate) fn query(&self, text: String) -> Query {
        let level = self.min_words.map(Level::Words).or(self.min_density.map(Level::Density));
        Query {
            filters: Filters {
                host: self.host.clone(),
                language: self.language.clone(),
                page_type: self.page_type.clone(),
                from: self.from,
                to: self.to,
            },
            within: self.within,
            level,
            matching: if self.any { Matching::Any } else { Matching::default() },
            mix: Mix { weight: self.weight, facets: self.facet.clone() },
            ..Query::new(text)
        }
    }
}

fn date(written: &str) -> Result<Date, String> {
    Date::parse(written).ok_or_else(|| "expected a date such as 2026-11-16, 2026-11 or 2026".into())
}

fn weight(written: &str) -> Result<f32, String> {
    let number = written.parse().ok().filter(|number: &f32| (0.0..=MOST_WEIGHT).contains(number));
    number.ok_or_else(|| format!("expected a number from 0 to {MOST_WEIGHT}"))
}

fn up_to<const MOST: usize>(written: &str) -> Result<usize, String> {
    let number = written.parse().ok().filter(|number| *number <= MOST);
    number.ok_or_else(|| format!("expected a number up to {MOST}"))
}

/// `Top/Arts` or `Top/Arts^0.5`.
fn facet(written: &str) -> Result<(String, f32), String> {
    match written.rsplit_once('^') {
        Some((name, number)) => Ok((name.to_owned(), weight(number)?)),
        None => Ok((written.to_owned(), 1.0)),
    }
}

pub(crate) fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    let text = args.words.join(" ");
    let query = Query { offset: args.offset, limit: args.limit, ..args.asking.query(text.clone()) };
    let searcher = Index::open(&args.index)?.searcher()?;
    // What a damaged index makes panic is told as an error.
    let answer = panics::caught(|| searcher.search(&query)).map_err(anyhow::Error::msg)??;
    let written = match args.json.or(Format::Json, args.format) {
        Format::Json => serde_json::to_string_pretty(&Answer::new(&text, &answer))? + "\n",
        Format::Text => shown(&answer, args.offset, Style::of_stdout(global.color)),
    };
    output::print(written.as_bytes())?;
    Ok(if answer.total == 0 { Exit::NoText } else { Exit::Text })
}

#[derive(Serialize)]
struct Answer<'a> {
    version: u32,
    query: &'a str,
    total: u64,
    /// No page has all words.
    relaxed: bool,
    hits: Vec<HitRecord<'a>>,
}

#[derive(Serialize)]
struct HitRecord<'a> {
    id: &'a str,
    url: Option<&'a str>,
    title: &'a str,
    host: Option<&'a str>,
    language: Option<&'a str>,
    date: Option<String>,
    page_type: Option<&'a str>,
    score: f32,
    text_score: f32,
    rank: f32,
    snippet: String,
}

impl<'a> Answer<'a> {
    fn new(query: &'a str, answer: &'a Hits) -> Answer<'a> {
        let hit = |hit: &'a Hit| HitRecord {
            id: &hit.id,
            url: hit.url.as_deref(),
            title: &hit.title,
            host: hit.host.as_deref(),
            language: hit.language.as_deref(),
            date: hit.date.map(|date| date.to_string()),
            page_type: hit.page_type.as_deref(),
            score: hit.score,
            text_score: hit.text_score,
            rank: hit.rank,
            snippet: hit.snippet.html(),
        };
        let hits = answer.hits.iter().map(hit).collect();
        Answer { version: VERSION, query, total: answer.total, relaxed: answer.relaxed, hits }
    }
}

/// An answer for reading.
fn shown(answer: &Hits, offset: usize, style: Style) -> String {
    let mut text = match answer.total {
        0 => return "no page\n".to_owned(),
        1 => "1 page".to_owned(),
        total => format!("{} pages", thousands(total)),
    };
    text += if answer.relaxed { ", none of which has all words\n" } else { "\n" };
    for (place, hit) in answer.hits.iter().enumerate() {
        let title = if hit.title.trim().is_empty() { &hit.id } else { &hit.title };
        let title = without_control_characters(title.trim()).replace(['\n', '\t'], " ");
        let date = hit.date.map(|date| date.to_string());
        let about = [hit.language.as_deref(), hit.page_type.as_deref(), date.as_deref()];
        let about: Vec<&str> = about.into_iter().flatten().collect();
        let address =
            without_control_characters(hit.url.as_deref().unwrap_or(&hit.id)).into_owned();
        let score = match hit.score == hit.text_score {
            true => format!("{:.2}", hit.score),
            false => format!("{:.2} = {:.2} × {:.2}", hit.score, hit.text_score, hit.rank),
        };
        let aside = [&[address.as_str(), &score], about.as_slice()].concat().join("  ");
        let _ = write!(
            text,
            "\n{:>3}. {}\n     {}\n     {}\n",
            offset + place + 1,
            style.paint(Paint::Heading, &title),
            style.paint(Paint::Aside, &aside),
            painted(&hit.snippet, style)
        );
    }
    text
}

/// A snippet with its words in colour.
fn painted(snippet: &Snippet, style: Style) -> String {
    let plain = |text: &str| without_control_characters(text).replace(['\n', '\t'], " ");
    let (mut text, mut from) = (String::new(), 0);
    for mark in &snippet.marks {
        text += &plain(&snippet.text[from..mark.start]);
        text += &style.paint(Paint::Kept, &plain(&snippet.text[mark.clone()]));
        from = mark.end;
    }
    text + &plain(&snippet.text[from..])
}
