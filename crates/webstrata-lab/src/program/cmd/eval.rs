//! `webstrata-lab eval`: extractors and other tools against gold texts.

mod floors;
mod summary;
mod table;
mod work;

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use serde::Serialize;
use webstrata::Extractor;
use webstrata_lab::Set;
use webstrata_lab::conventions::Convention;
use webstrata_lab::outputs::{self, Tool, ToolTexts};
use webstrata_lab::scores::{Measure, Scores};
use webstrata_lab::sets::digest;

use crate::sets::SetArgs;
use floors::Guard;
use summary::{Evaluation, Summary};
use webstrata_terminal::args::{JobsArgs, ReadingArgs, one_of, words};
use webstrata_terminal::batch;
use webstrata_terminal::exit::Exit;
use webstrata_terminal::extractor;
use webstrata_terminal::output::{self, Output};
use webstrata_terminal::program::Global;
use webstrata_terminal::report::Report;
use webstrata_terminal::style::Style;
use work::{Done, Work};

const EXAMPLES: &str = "\
Examples:
  webstrata-lab eval --set sets/                    all built-in extractors on all sets of a folder
  webstrata-lab eval --set sets/news --extractor article my.toml --worst 5
  webstrata-lab eval --set sets/ --outputs peers/   beside other tools, whose texts are in
                                                peers/TOOL/SET.jsonl, lines of {\"id\", \"text\"}
  webstrata-lab eval --set sets/ --extractor strata --convention own
                                                also with title, author and date where the gold texts of
                                                a set have them
  webstrata-lab eval --set sets/ --floors eval/floors.toml
  webstrata-lab eval --set sets/ --floors eval/floors.toml --update-floors

A set is a folder with pages/ID.html and gold/ID.txt. Pages whose gold text has no words are left out. Pages
for which another tool has no text are left out of that tool's scores. The measures:
  bag      F1 of the words, in any order
  lcs      F1 of the longest common subsequence of words
  rouge    ROUGE-LSum F1, sentence by sentence
  shingle  F1 of the runs of four words; its column is the micro average
  cosine   of the term vectors, times the ratio of their lengths

Exit codes: 0 done, 1 a score is below its floor, 2 something failed.";

/// Score extractors and other tools against gold texts
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    sets: SetArgs,

    /// Built-in extractors or TOML files [default: all built-in ones]
    #[arg(short, long = "extractor", value_name = "NAME|FILE.toml", num_args = 1..)]
    extractors: Vec<String>,

    /// Folders of other tools' texts: DIR/TOOL/SET.jsonl
    #[arg(long, value_name = "DIR", num_args = 1..)]
    outputs: Vec<PathBuf>,

    /// The measure that is shown in full and orders the rows
    #[arg(short, long, value_name = "NAME", default_value = "bag")]
    #[arg(value_parser = one_of(Measure::ALL))]
    measure: Measure,

    /// Also score texts as `webstrata extract` writes them: by default, and with the parts that the gold texts of
    /// this set have; `own` is for each set its own convention
    #[arg(long, value_name = "SET", value_parser = convention)]
    convention: Option<ConventionOf>,

    /// Write one JSON object instead of tables
    #[arg(long)]
    json: bool,

    /// Write the scores of every page to a file, as JSON lines
    #[arg(long, value_name = "FILE.jsonl")]
    per_page: Option<PathBuf>,

    /// Also list the N pages with the lowest scores
    #[arg(long, value_name = "N", default_value = "0", hide_default_value = true)]
    #[arg(conflicts_with = "json")]
    worst: usize,

    #[command(flatten)]
    jobs: JobsArgs,

    /// Write the extracted texts to DIR/webstrata-EXTRACTOR/SET.jsonl
    #[arg(long, value_name = "DIR")]
    write: Option<PathBuf>,

    /// Check that the scores of built-in extractors are not below the floors in this file
    #[arg(long, value_name = "FILE.toml")]
    #[arg(conflicts_with_all = ["hidden", "charset", "deadline", "max_bytes", "width"])]
    floors: Option<PathBuf>,

    /// Raise and add floors instead of checking them
    #[arg(long, requires = "floors")]
    update_floors: bool,

    /// Also lower floors; the reason is written beside them
    #[arg(long, value_name = "REASON", requires = "update_floors", value_parser = words)]
    allow_lower: Option<String>,

    #[command(flatten)]
    reading: ReadingArgs,
}

/// Whose convention texts follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ConventionOf {
    /// Each set's own; ours where it is not known.
    Own,
    Set(Convention),
}

fn convention(name: &str) -> Result<ConventionOf, String> {
    if name == "own" {
        return Ok(ConventionOf::Own);
    }
    let names = || Convention::names().collect::<Vec<_>>().join(", ");
    let known = Convention::of_set(name).map(ConventionOf::Set);
    known.ok_or_else(|| format!("no convention of that name is known; known are own, {}", names()))
}

/// One of our extractors.
#[derive(Clone)]
struct Ours {
    /// As the command line has it, and what is scored.
    label: String,
    extractor: Extractor,
    /// Whose convention the text follows; all blocks that the extractor kept where `None`.
    convention: Option<ConventionOf>,
    is_builtin: bool,
}

/// Who wrote the texts of a row.
#[derive(Clone, Copy)]
enum Author<'a> {
    Ours(&'a Ours),
    Tool(&'a str),
}

impl Author<'_> {
    fn label(&self) -> &str {
        match self {
            Author::Ours(ours) => &ours.label,
            Author::Tool(name) => name,
        }
    }
}

/// The scores of one extractor or tool on a set.
struct Row<'a> {
    author: Author<'a>,
    /// The pages that have scores, as indices into the set's entries.
    pages: Vec<usize>,
    scores: Vec<Scores>,
}

/// A set and its rows.
struct Scored<'a> {
    set: &'a Set,
    /// How many pages were read and have a gold text with words.
    pages: usize,
    digest: String,
    rows: Vec<Row<'a>>,
}

pub(crate) fn run(args: &Args, global: &Global) -> anyhow::Result<Exit> {
    let ours = args.ours()?;
    let mut report = Report::new(global.quiet);
    let sets = args.sets.open(&mut report)?;
    let tools = args.outputs.iter().map(|folder| outputs::tools(folder));
    let tools = tools.collect::<Result<Vec<_>, _>>()?.concat();
    let mut guard = args.floors.as_deref().map(|file| Guard::open(file, args.update_floors));
    let mut guard = guard.take().transpose()?;
    let mut per_page = args.per_page.as_deref().map(Output::file).transpose()?;
    let mut evaluation = Evaluation::new(args.measure, args.sets.sample);
    let style = Style::of_stdout(global.color);
    for set in &sets {
        let scored = args.score(set, &ours, &tools, &mut report)?;
        if scored.pages == 0 {
            report.error(&set.path.display().to_string(), "nothing to score, left out");
            continue;
        }
        if let Some(file) = &mut per_page {
            file.write(&summary::per_page(&scored)?)?;
        }
        if let Some(guard) = &mut guard {
            guard.look_at(&scored, args.sets.sample, args.allow_lower.as_deref(), &report);
        }
        let summary = Summary::of(&scored, args.measure);
        if !args.json {
            let mut text = table::scores(&summary, args.measure, style);
            text.push_str(&table::worst(&scored, args.measure, args.worst, style));
            output::print(text.as_bytes())?;
        }
        evaluation.sets.push(summary);
    }
    if args.json {
        output::print(&evaluation.json()?)?;
    }
    per_page.map_or(Ok(()), |mut file| file.finish())?;
    let holds = guard.map_or(Ok(true), |guard| guard.finish(&mut report))?;
    Ok(match (report.failed(), holds) {
        (true, _) => Exit::Failed,
        (false, true) => Exit::Text,
        (false, false) => Exit::BelowFloor,
    })
}

impl Args {
    fn ours(&self) -> anyhow::Result<Vec<Ours>> {
        let flat = self.flat()?;
        let Some(convention) = self.convention else { return Ok(flat) };
        let shaped = |ours: &Ours| {
            let written = |name: &str, convention| Ours {
                label: format!("{}, {name}", ours.label),
                convention: Some(convention),
                is_builtin: false,
                ..ours.clone()
            };
            let by_default = ConventionOf::Set(Convention::default());
            [ours.clone(), written("by default", by_default), written("by convention", convention)]
        };
        Ok(flat.iter().flat_map(shaped).collect())
    }

    fn flat(&self) -> anyhow::Result<Vec<Ours>> {
        if self.extractors.is_empty() {
            let all = Extractor::builtin().iter().map(|extractor| Ours {
                label: extractor.name.clone(),
                extractor: extractor.clone(),
                convention: None,
                is_builtin: true,
            });
            return Ok(all.collect());
        }
        let load = |label: &String| {
            let extractor = extractor::load(label)?;
            let is_builtin = Extractor::named(label).is_some();
            anyhow::Ok(Ours { label: label.clone(), extractor, convention: None, is_builtin })
        };
        self.extractors.iter().map(load).collect()
    }

    fn score<'a>(
        &self,
        set: &'a Set,
        ours: &'a [Ours],
        tools: &'a [Tool],
        report: &mut Report,
    ) -> anyhow::Result<Scored<'a>> {
        let (mut names, mut texts) = (Vec::new(), Vec::new());
        for tool in tools {
            if let Some(found) = texts_of(tool, set, report) {
                names.push(tool.name());
                texts.push(found);
            }
        }
        let mut kept = self.write.as_deref().map(|folder| Kept::create(folder, set, ours));
        let mut kept = kept.take().transpose()?;
        let own = Convention::of_set(&set.name).unwrap_or_default();
        let work = Work::new(ours, &texts, own, self.reading.options(), kept.is_some());
        let authors = ours.iter().map(Author::Ours).chain(names.into_iter().map(Author::Tool));
        let row = |author| Row { author, pages: Vec::new(), scores: Vec::new() };
        let mut rows: Vec<Row<'a>> = authors.map(row).collect();
        let (mut pages, mut without_words, mut digests, mut index) = (0, 0, Vec::new(), 0);
        report.progress(Some(set.entries.len()), false);
        let done = batch::ordered(
            set.entries.iter(),
            self.jobs.count(),
            // Read by the workers themselves.
            |_| 0,
            |entry| work.page(entry),
            |entry, done| {
                let named = |panic| format!("{}: {panic}", entry.page.display());
                match done.map_err(named).and_then(|done| done) {
                    Ok(Done { digest, gold_has_words, texts, scores }) => {
                        digests.push(digest);
                        pages += usize::from(gold_has_words);
                        without_words += usize::from(!gold_has_words);
                        for (row, scores) in rows.iter_mut().zip(scores) {
                            if let Some(scores) = scores {
                                row.pages.push(index);
                                row.scores.push(scores);
                            }
                        }
                        kept.as_mut().map_or(Ok(()), |kept| kept.add(&entry.id, &texts))?;
                    }
                    Err(message) => report.failure(message),
                }
                index += 1;
                report.advance();
                anyhow::Ok(())
            },
        );
        report.finish();
        done?;
        kept.map_or(Ok(()), Kept::finish)?;
        if without_words > 0 {
            let path = set.path.display();
            report
                .note(format_args!("{path}: gold texts without a word, left out: {without_words}"));
        }
        for (row, texts) in rows.iter().skip(ours.len()).zip(&texts) {
            let missing = pages - row.pages.len();
            if missing > 0 {
                let file = texts.file().display();
                report.note(format_args!(
                    "{file}: no text for {missing} of {pages} pages, not counted"
                ));
            }
        }
        Ok(Scored { set, pages, digest: digest(&digests), rows })
    }
}

/// The texts of a tool; what is missing or wrong is reported.
fn texts_of(tool: &Tool, set: &Set, report: &mut Report) -> Option<ToolTexts> {
    match tool.texts(set) {
        Ok(Some(texts)) => {
            texts.mistakes().iter().for_each(|mistake| report.failure(mistake));
            Some(texts)
        }
        Ok(None) => {
            let (file, name) = (tool.file(set), tool.name());
            report.note(format_args!("{}: no such file, {name} is left out", file.display()));
            None
        }
        Err(error) => {
            report.failure(error);
            None
        }
    }
}

/// Our texts of a set, a file for each extractor.
struct Kept(Vec<Output>);

/// A text as runners of other tools write it.
#[derive(Serialize)]
struct Line<'a> {
    id: &'a str,
    text: &'a str,
    /// Seconds.
    s: f64,
}

impl Kept {
    fn create(folder: &Path, set: &Set, ours: &[Ours]) -> anyhow::Result<Kept> {
        let name = |ours: &Ours| {
            let name = Path::new(&ours.label).file_stem().unwrap_or_default().to_string_lossy();
            format!("webstrata-{name}")
        };
        let mut names = HashSet::new();
        if let Some(twice) = ours.iter().map(name).find(|name| !names.insert(name.clone())) {
            bail!("--write: the texts of two extractors would go to {twice}; rename one of them");
        }
        let create = |ours: &Ours| {
            let folder = folder.join(name(ours));
            fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
            Output::file(&folder.join(format!("{}.jsonl", set.name)))
        };
        ours.iter().map(create).collect::<anyhow::Result<_>>().map(Kept)
    }

    fn add(&mut self, id: &str, texts: &[(String, f64)]) -> anyhow::Result<()> {
        for (file, (text, s)) in self.0.iter_mut().zip(texts) {
            let mut line = serde_json::to_vec(&Line { id, text, s: *s })?;
            line.push(b'\n');
            file.write(&line)?;
        }
        Ok(())
    }

    fn finish(self) -> anyhow::Result<()> {
        self.0.into_iter().try_for_each(|mut file| file.finish())
    }
}
