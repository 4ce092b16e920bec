//! `webstrata corpus run`.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, anyhow, bail};
use serde::{Deserialize, Serialize};
use webstrata::Request;
use webstrata::request::{Field, Value};
use webstrata_archive::export::{Compression, Format, Parts, PartsError, Piece, Plan, read_back};
use webstrata_archive::record::PageRecord;
use webstrata_archive::{Limits, ProblemKind};
use webstrata_base::steps::Key;
use webstrata_corpus::pipeline::{
    Counts, Duplicates, Judged, Judging, Keys, Outcome, Pipeline, Repeat,
};
use webstrata_terminal::batch;
use webstrata_terminal::exit::Exit;
use webstrata_terminal::extractor;
use webstrata_terminal::output::Output;
use webstrata_terminal::program::Global;
use webstrata_terminal::report::{NOTES, Report};

use super::{RunArgs, explain, manifest};
use crate::cmd::archives::{Archives, Item, Place};

/// Bytes of pages behind which the state is kept even if hardly anything of them was written, for each byte of a part.
const READ_PER_PART: u64 = 32;

/// The kind of pages that are something else, whatever their server said.
const NO_PAGE: &str = "not-html";

/// What is kept behind each part: where to go on, and what was counted by then.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Kept {
    /// `None` when all is done.
    next: Option<Place>,
    counts: Counts,
    /// The records of each part.
    records: Vec<u64>,
    /// How many parts of what is dropped are whole.
    rejected_parts: u32,
}

/// A record that was dropped, with the reason.
#[derive(Serialize)]
struct Rejected<'a> {
    rejected: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    duplicate_of: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    similarity: Option<f64>,
    #[serde(flatten)]
    record: &'a PageRecord,
}

pub(super) fn run(args: &RunArgs, global: &Global) -> anyhow::Result<Exit> {
    let shown = args.pipeline.display();
    let text = fs::read_to_string(&args.pipeline).with_context(|| shown.to_string())?;
    let mut pipeline = Pipeline::from_toml(&text).map_err(|error| match error.line() {
        Some(line) => anyhow!("{shown}:{line}: {}", error.message()),
        None => anyhow!("{shown}: {error}"),
    })?;
    // Relative to the file, so that a folder with all of it can be moved.
    let home = args.pipeline.parent().unwrap_or(Path::new(""));
    pipeline.output.folder = home.join(&pipeline.output.folder);
    let sources: Vec<PathBuf> = pipeline.sources.iter().map(|source| home.join(source)).collect();
    let request = request(&pipeline)?;
    let sources = Archives::of_sources(&sources, Limits::default())?;
    if args.dry_run {
        let mut output = Output::stdout();
        output.write(explain::dry_run(&pipeline, &sources).as_bytes())?;
        output.finish()?;
        return Ok(Exit::Text);
    }
    let mut report = Report::new(global.quiet);
    let (parts, rejected, kept) = open(args, &pipeline, &text, &request, &sources)?;
    let mut run = Run {
        duplicates: Duplicates::new(&pipeline.deduplicate, pipeline.memory)?,
        parts,
        rejected,
        kept,
        in_part: 0,
        read: 0,
        report: &mut report,
    };
    run.learn(&pipeline)?;
    if let Some(from) = run.kept.next {
        let judging = Judging {
            request: &request,
            filters: &pipeline.filters,
            methods: &pipeline.deduplicate,
        };
        run.all(&judging, &sources, from, args.jobs.count())?;
    }
    let done = manifest::Done {
        pipeline: &text,
        extractor: request.extractor().name.clone(),
        counts: &run.kept.counts,
        forgotten: run.duplicates.forgotten(),
        records: &run.kept.records,
    };
    manifest::write(&pipeline.output.folder, done, &sources, &run.parts)?;
    let (counts, forgotten) = (run.kept.counts.clone(), run.duplicates.forgotten());
    show(&counts, forgotten, &report);
    Ok(match counts.written {
        _ if report.failed() || has_failed(&counts) => Exit::Failed,
        0 => Exit::NoText,
        _ => Exit::Text,
    })
}

fn request(pipeline: &Pipeline) -> anyhow::Result<Request> {
    let found = extractor::load(&pipeline.extract.extractor)?;
    if found.asks_for_site() {
        bail!(
            "extract: {} needs all pages of a site first; run `webstrata warc --extractor {}`, and name its parts as sources",
            found.name,
            found.name
        );
    }
    let mut builder = Request::builder();
    builder.extractor(Arc::new(found));
    if let Some(favor) = &pipeline.extract.favor {
        let set = builder.set_field(Field::Favor, Value::Written(favor));
        set.map_err(|error| anyhow!("extract: favor: {}", error.message()))?;
    }
    let mut request = builder.build().map_err(|error| anyhow!("extract: {}", error.message()))?;
    request.parts = pipeline.extract.parts();
    Ok(request)
}

/// Opens the folders; returns where an earlier run of the same pipeline stopped.
fn open(
    args: &RunArgs,
    pipeline: &Pipeline,
    text: &str,
    request: &Request,
    sources: &Archives,
) -> anyhow::Result<(Parts, Option<Parts>, Kept)> {
    let program = Key::new().program().map_err(|error| anyhow!("{error}"))?;
    let extractor = request.extractor();
    let settings = [
        ("the program", program.finish()),
        ("the sources", sources.key()),
        ("the pipeline", Key::new().text(text).finish()),
        ("the extractor", Key::new().text(&format!("{extractor:?}")).finish()),
        ("--rejected", args.rejected.is_some().to_string()),
    ];
    let settings: std::collections::BTreeMap<String, String> =
        settings.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    let output = &pipeline.output;
    let plan = |folder: &Path, format| Plan {
        folder: folder.to_owned(),
        format,
        size: output.part_size,
        settings: settings.clone(),
    };
    if args.rejected.as_ref() == Some(&output.folder) {
        bail!("--rejected: the folder of the output; name another");
    }
    let folders = [Some(&output.folder), args.rejected.as_ref()];
    for folder in folders.into_iter().flatten().filter(|_| args.restart) {
        Parts::restart(folder)?;
    }
    let (parts, kept) = opened::<Kept>(plan(&output.folder, output.format))?;
    let kept = kept.unwrap_or_else(|| Kept {
        next: Some(Place::default()),
        counts: Counts::default(),
        records: Vec::new(),
        rejected_parts: 0,
    });
    let rejected = match &args.rejected {
        None => None,
        Some(folder) => {
            let (mut rejected, _) = opened::<()>(plan(folder, Format::Lines(Compression::Zstd)))?;
            // What is behind the state of the output will be dropped once more.
            rejected.go_on_behind(kept.rejected_parts)?;
            Some(rejected)
        }
    };
    Ok((parts, rejected, kept))
}

fn opened<S: serde::de::DeserializeOwned>(plan: Plan) -> anyhow::Result<(Parts, Option<S>)> {
    let folder = plan.folder.display().to_string();
    Parts::open(plan).map_err(|error| match error {
        PartsError::OtherSettings(what) => {
            // Keys of files and texts say nothing to people.
            let changed = what.split_once(" was `").map(|(name, _)| format!("{name} changed"));
            let what = changed.unwrap_or(what);
            anyhow!(
                "{folder}: holds the output of another pipeline ({what}); use the same one, another folder, or --restart"
            )
        }
        PartsError::Io(error) => error.into(),
    })
}

fn show(counts: &Counts, forgotten: u64, report: &Report) {
    let Counts { read, written, words, .. } = counts;
    let dropped = counts.dropped_in_all();
    report.note(format_args!(
        "pages read: {read}, written: {written} ({words} words), dropped: {dropped}"
    ));
    for (reason, count) in &counts.dropped {
        report.note(format_args!("dropped by {reason}: {count}"));
    }
    for (kind, count) in &counts.problems {
        report.note(format_args!("passed over, {kind}: {count}"));
    }
    if forgotten > 0 {
        report.note(format_args!(
            "{forgotten} of the kept pages were forgotten, later duplicates of them were kept; give more `memory`"
        ));
    }
}

fn is_failure(kind: &str) -> bool {
    [ProblemKind::Unreadable, ProblemKind::Internal].iter().any(|trouble| trouble.name() == kind)
}

fn has_failed(counts: &Counts) -> bool {
    counts.problems.keys().any(|kind| is_failure(kind))
}

/// What happens to the results, one after the other.
struct Run<'a> {
    duplicates: Duplicates,
    parts: Parts,
    rejected: Option<Parts>,
    kept: Kept,
    /// Records of the part that is being written.
    in_part: u64,
    /// Bytes of pages since the state was kept.
    read: u64,
    report: &'a mut Report,
}

impl Run<'_> {
    /// Learns again what an earlier run has kept, from what it has written.
    fn learn(&mut self, pipeline: &Pipeline) -> anyhow::Result<()> {
        let methods = &pipeline.deduplicate;
        if methods.is_empty() || self.parts.count() == 0 {
            return Ok(());
        }
        for number in 0..self.parts.count() {
            let path = self.parts.path(number);
            let duplicates = &mut self.duplicates;
            read_back(&path, pipeline.output.format, |page| {
                let keys =
                    Keys::of(&page.text, page.url.as_deref(), page.title.as_deref(), methods);
                duplicates.learn(&page.id, &keys).map_err(anyhow::Error::from)
            })?;
        }
        Ok(())
    }

    fn all(
        &mut self,
        judging: &Judging<'_>,
        sources: &Archives,
        from: Place,
        jobs: usize,
    ) -> anyhow::Result<()> {
        if from != Place::default() {
            self.report.note(format_args!("goes on behind {} parts", self.parts.count()));
        }
        // Kept at once, so that a run of another pipeline learns of this one.
        self.keep(Some(from))?;
        self.report.progress_bytes(sources.bytes());
        let done = batch::ordered(
            sources.pages(from),
            jobs,
            Item::size,
            |item| item.page.as_ref().ok().map(|arrival| judging.page(arrival)),
            |item, done| {
                self.report.advance_to(sources.position(item));
                self.one(item, done)
            },
        );
        self.report.finish();
        done?;
        self.keep(None)
    }

    /// A page or a problem in its turn.
    fn one(
        &mut self,
        item: &Item,
        done: Result<Option<Result<Judged, String>>, String>,
    ) -> anyhow::Result<()> {
        let page = match &item.page {
            Ok(page) => page,
            Err(problem) => {
                self.problem(problem.kind.name(), &problem.place(), &problem.message);
                return Ok(());
            }
        };
        // Only at a page can reading begin again.
        let is_full = self.parts.is_full() || self.rejected.as_ref().is_some_and(Parts::is_full);
        if is_full || self.read >= self.parts.size().saturating_mul(READ_PER_PART) {
            self.keep(Some(item.place))?;
        }
        self.read += page.bytes.len() as u64;
        self.kept.counts.read += 1;
        self.kept.counts.bytes += page.bytes.len() as u64;
        match done {
            Ok(Some(Ok(judged))) => self.judged(judged)?,
            Ok(Some(Err(why))) => self.problem(NO_PAGE, &page.name, &why),
            Ok(None) => {}
            Err(panic) => self.problem(ProblemKind::Internal.name(), &page.name, &panic),
        }
        Ok(())
    }

    fn judged(&mut self, Judged { record, outcome }: Judged) -> anyhow::Result<()> {
        let repeat = match outcome {
            Outcome::Dropped(reason) => return self.drop(&record, &reason, None),
            Outcome::Stays(keys) => self.duplicates.add(&record.id, &keys)?,
        };
        if let Some(repeat) = repeat {
            let reason = format!("deduplicate/{}", repeat.method);
            return self.drop(&record, &reason, Some(&repeat));
        }
        self.kept.counts.written += 1;
        self.kept.counts.words += u64::from(record.record.words);
        self.in_part += 1;
        let piece = self.parts.format().piece(record)?;
        Ok(self.parts.write(piece)?)
    }

    fn drop(
        &mut self,
        record: &PageRecord,
        reason: &str,
        repeat: Option<&Repeat>,
    ) -> anyhow::Result<()> {
        self.kept.counts.drop(reason);
        let Some(rejected) = &mut self.rejected else { return Ok(()) };
        let line = serde_json::to_vec(&Rejected {
            rejected: reason,
            duplicate_of: repeat.map(|repeat| repeat.of.as_str()),
            similarity: repeat.map(|repeat| repeat.similarity),
            record,
        })?;
        Ok(rejected.write(Piece::line(line))?)
    }

    /// Counts a problem, and shows the first of its kind.
    fn problem(&mut self, kind: &str, place: &str, message: &str) {
        let count = self.kept.counts.problem(kind);
        if is_failure(kind) {
            self.report.error(place, message);
        } else if count <= NOTES as u64 {
            self.report.note(format_args!("{place}: {message}"));
        }
    }

    /// Ends the parts and keeps where to go on behind them. What was dropped first: the state of the output says how
    /// much of it counts.
    fn keep(&mut self, next: Option<Place>) -> anyhow::Result<()> {
        self.read = 0;
        if let Some(rejected) = &mut self.rejected {
            rejected.end(&())?;
            self.kept.rejected_parts = rejected.count();
        }
        if self.in_part > 0 {
            self.kept.records.push(self.in_part);
            self.in_part = 0;
        }
        self.kept.next = next;
        self.parts.end(&self.kept)?;
        Ok(())
    }
}
