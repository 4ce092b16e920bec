//! `webstrata blocks`: a page's blocks as data, before any extractor, for looking at.

use std::path::PathBuf;

use serde::Serialize;
use webstrata::cutting::Cutting;
use webstrata::output::{OutputOptions, RecordPart};
use webstrata::{Counts, Document, Extractor, NodeId, Page, Part, Record, Selectors};

use webstrata_terminal::args::{JsonArg, ReadingArgs, one_of};
use webstrata_terminal::exit::Exit;
use webstrata_terminal::input::Input;
use webstrata_terminal::output;

/// The version of the JSON's shape.
const VERSION: u32 = 1;

const EXAMPLES: &str = "\
Examples:
  webstrata blocks page.html > blocks.csv
  webstrata blocks --rules atomic page.html > atoms.csv
  webstrata blocks --hidden mark --format json page.html

CSV has the columns index, part, text, path, selector, enclosing and hidden, then the counts and
densities. `part` is what the default extractor takes the block for; `webstrata extract --include` and
`--exclude` take these names. `webstrata-lab features` writes the 67 features that models use.";

/// List the text blocks of a page with their counts
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// A page, or - for stdin [default: stdin]
    #[arg(value_name = "PAGE|-")]
    page: Option<PathBuf>,

    /// How the page's text is cut into blocks
    #[arg(long, value_name = "TABLE", default_value = "boilerpipe", value_parser = one_of(Cutting::ALL))]
    rules: Cutting,

    /// The output format
    #[arg(short, long, value_enum, default_value = "csv")]
    format: Format,

    #[command(flatten)]
    json: JsonArg,

    #[command(flatten)]
    reading: ReadingArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// A header line, then a row for each block
    Csv,
    /// One JSON object
    Json,
}

type Count = fn(&Counts) -> u32;

/// The columns of [`Counts`], in its order.
const COUNTS: [(&str, Count); 12] = [
    ("words", |c| c.words),
    ("linked_words", |c| c.linked_words),
    ("tokens", |c| c.tokens),
    ("full_lines", |c| c.full_lines),
    ("words_in_full_lines", |c| c.words_in_full_lines),
    ("word_chars", |c| c.word_chars),
    ("sentences", |c| c.sentences),
    ("full_stops", |c| c.full_stops),
    ("upper_start", |c| c.upper_start),
    ("upper_all", |c| c.upper_all),
    ("dates", |c| c.dates),
    ("bars", |c| c.bars),
];

pub(crate) fn run(args: &Args) -> anyhow::Result<Exit> {
    let input = Input::one(args.page.as_deref(), "blocks")?;
    let options = args.reading.options();
    let bytes = input.read_or_fail(options.limits.bytes)?;
    let extractor = Extractor::default_builtin();
    let mut page = extractor.extract_page(&bytes, &options);
    let parts = Places::of(&page);
    page.cut_again(args.rules, &options);
    let written = match args.json.or(Format::Json, args.format) {
        Format::Csv => csv(&page, &parts)?,
        Format::Json => json(&page, &parts, args)?,
    };
    output::print(&written)?;
    Ok(Exit::Text)
}

/// Where the blocks of an extractor begin, and what each is. Other rules cut the same page at other places.
struct Places(Vec<(NodeId, Part)>);

impl Places {
    fn of(page: &Page<'_>) -> Places {
        let record = Record::of(page, &[RecordPart::Blocks], &OutputOptions::DEFAULT);
        let starts = page.document.atoms.iter().map(|atom| atom.nodes.start);
        Places(starts.zip(record.blocks.iter().flatten().map(|block| block.part)).collect())
    }

    /// What stands at a node.
    fn part_at(&self, node: NodeId) -> Part {
        let next = self.0.partition_point(|(start, _)| *start <= node);
        next.checked_sub(1).map_or(Part::Other, |last| self.0[last].1)
    }
}

/// A block before any extractor is one atom.
#[derive(Serialize)]
struct Row<'a> {
    index: usize,
    part: Part,
    text: &'a str,
    path: String,
    selector: String,
    enclosing: Vec<&'static str>,
    hidden: bool,
    counts: &'a Counts,
    text_density: f64,
    link_density: f64,
}

fn rows<'a>(page: &'a Page<'_>, parts: &'a Places) -> impl Iterator<Item = Row<'a>> {
    let Page { document, tree } = page;
    let selectors = Selectors::new(tree);
    document.atoms.iter().enumerate().map(move |(index, atom)| Row {
        index,
        part: parts.part_at(atom.nodes.start),
        text: document.atom_text(index),
        path: tree.path(atom.nodes.start),
        selector: selectors.of(atom.nodes.start),
        enclosing: atom.enclosing.names().collect(),
        hidden: atom.hidden,
        counts: &atom.counts,
        text_density: atom.counts.text_density(),
        link_density: atom.counts.link_density(),
    })
}

fn csv(page: &Page<'_>, parts: &Places) -> anyhow::Result<Vec<u8>> {
    let mut csv = csv::Writer::from_writer(Vec::new());
    let mut titles = vec!["index", "part", "text", "path", "selector", "enclosing", "hidden"];
    titles.extend(COUNTS.iter().map(|(name, _)| name));
    titles.extend(["text_density", "link_density"]);
    csv.write_record(&titles)?;
    for row in rows(page, parts) {
        let mut fields = vec![
            row.index.to_string(),
            row.part.name().to_owned(),
            row.text.to_owned(),
            row.path,
            row.selector,
            row.enclosing.join(" "),
            row.hidden.to_string(),
        ];
        fields.extend(COUNTS.iter().map(|(_, count)| count(row.counts).to_string()));
        fields.extend([row.text_density.to_string(), row.link_density.to_string()]);
        csv.write_record(&fields)?;
    }
    Ok(csv.into_inner()?)
}

fn json(page: &Page<'_>, parts: &Places, args: &Args) -> anyhow::Result<Vec<u8>> {
    #[derive(Serialize)]
    struct Blocks<'a> {
        version: u32,
        title: Option<&'a str>,
        language: Option<&'a str>,
        encoding: &'a str,
        rules: Cutting,
        limits: Vec<&'a str>,
        blocks: Vec<Row<'a>>,
    }
    let document: &Document = &page.document;
    let blocks = Blocks {
        version: VERSION,
        title: document.title.as_deref(),
        language: document.language.as_deref(),
        encoding: document.encoding,
        rules: args.rules,
        limits: document.limits().names().collect(),
        blocks: rows(page, parts).collect(),
    };
    let mut json = serde_json::to_vec_pretty(&blocks)?;
    json.push(b'\n');
    Ok(json)
}
