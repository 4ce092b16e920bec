//! `webstrata corpus run`.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, anyhow, bail};
use serde::{Deserialize, Serialize};
use webstrata::Request;
use webstrata_archive::export::PartsError;
use webstrata_archive::record::PageRecord;
use webstrata_archive::{Limits, ProblemKind};
use webstrata_base::steps::Key;
use webstrata_corpus::chunks::Headings;
use webstrata_corpus::pipeline::{
    Counts, Decision, Duplicates, Judged, Judging, NO_PAGE, Outcome, Pipeline, Repeat,
};
use webstrata_terminal::batch;
use webstrata_terminal::exit::Exit;
use webstrata_terminal::extractor;
use webstrata_terminal::output::Output;
use webstrata_terminal::program::Global;
use webstrata_terminal::report::{NOTES, Report};

use super::output::{Folders, Outputs, Progress};
use super::{RunArgs, card, explain, fetched, manifest, picture};
use crate::cmd::archives::{Archives, Item, Place, ReadFile};

/// Bytes of pages behind which the state is kept even if hardly anything of them was written, for each byte of a part.
const READ_PER_PART: u64 = 32;

/// What is kept behind each part: where to go on, and what was counted by then.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Kept {
    /// `None` when all is done.
    next: Option<Place>,
    counts: Counts,
    progress: Progress,
    /// The sources, in the order in which they are read. New ones come behind.
    sources: Vec<ReadFile>,
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
    pipeline.fetched = pipeline.fetched.map(|folder| home.join(folder));
    let mut sources: Vec<PathBuf> =
        pipeline.sources.iter().map(|source| home.join(source)).collect();
    let request = request(&pipeline)?;
    let mut report = Report::new(global.quiet);
    sources.extend(fetched::archives(args, &pipeline, home, &mut report)?);
    if args.fetch_only {
        return Ok(Exit::Text);
    }
    let columns = pipeline.columns.clone();
    let sources = Archives::of_sources(&sources, Limits::default())?.with_columns(columns);
    if args.dry_run {
        let mut output = Output::stdout();
        output.write(explain::dry_run(&pipeline, &sources).as_bytes())?;
        output.finish()?;
        return Ok(Exit::Text);
    }
    done(args, &text, &pipeline, &request, sources, &mut report).map_err(|error| {
        let kind = |cause: &(dyn std::error::Error + 'static)| {
            cause.downcast_ref::<io::Error>().map(io::Error::kind)
        };
        let is_full = error.chain().filter_map(kind).any(|kind| {
            use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
            matches!(kind, StorageFull | QuotaExceeded | FileTooLarge)
        });
        match is_full {
            true => anyhow!("{error:#}; make room and run the same command: it goes on behind the last whole part"),
            false => error,
        }
    })
}

fn done(
    args: &RunArgs,
    text: &str,
    pipeline: &Pipeline,
    request: &Request,
    sources: Archives,
    report: &mut Report,
) -> anyhow::Result<Exit> {
    let (outputs, kept) = open(args, pipeline, request)?;
    let (sources, kept) = continued(sources, kept)?;
    let duplicates = Duplicates::new(&pipeline.deduplicate, pipeline.memory)?;
    let mut run = Run { duplicates, outputs, kept, read: 0, report };
    run.outputs.learn(pipeline, &mut run.duplicates)?;
    if let Some(from) = run.kept.next {
        let judging = Judging { request, pipeline };
        run.all(&judging, &sources, from, args.jobs.count())?;
    }
    let forgotten = run.duplicates.forgotten();
    let Run { outputs, kept: Kept { counts, progress, .. }, .. } = run;
    let done = manifest::Done {
        pipeline: text,
        extractor: &request.extractor().name,
        counts: &counts,
        forgotten,
        records: &progress.records,
    };
    let manifest = manifest::write(&pipeline.output.folder, &done, &sources, outputs.parts())?;
    card::write(&pipeline.output.folder, pipeline, &manifest)?;
    if let Some(path) = &args.report {
        picture::write(path, pipeline, &counts)?;
    }
    show(&counts, forgotten, report);
    let failures = counts.problems.iter().filter(|(kind, _)| is_failure(kind));
    let failed: u64 = failures.map(|(_, count)| count).sum();
    if failed > 0 {
        // Also in a run that had nothing left to do: the output is the same.
        report.failure(format_args!(
            "could not be read: {failed}; the output lacks them, and later runs do not try again: mend them and use --restart"
        ));
    }
    Ok(match counts.written {
        _ if report.failed() => Exit::Failed,
        0 => Exit::NoText,
        _ => Exit::Text,
    })
}

/// The sources as an earlier run has read them, with the new ones behind, and where to go on.
fn continued(sources: Archives, kept: Option<Kept>) -> anyhow::Result<(Archives, Kept)> {
    let Some(mut kept) = kept else {
        let next = Some(Place::default());
        let (counts, progress) = (Counts::default(), Progress::default());
        let read = sources.read_files();
        return Ok((sources, Kept { next, counts, progress, sources: read }));
    };
    let sources = sources.behind(&kept.sources)?;
    let all = sources.read_files();
    if kept.next.is_none() && all.len() > kept.sources.len() {
        kept.next = Some(Place::of_archive(kept.sources.len()));
    }
    kept.sources = all;
    Ok((sources, kept))
}

fn request(pipeline: &Pipeline) -> anyhow::Result<Request> {
    let found = extractor::load(&pipeline.extract.extractor)?;
    pipeline.request(Arc::new(found)).map_err(|error| anyhow!("{error}"))
}

/// Opens the folders; returns where an earlier run of the same pipeline stopped.
fn open(
    args: &RunArgs,
    pipeline: &Pipeline,
    request: &Request,
) -> anyhow::Result<(Outputs, Option<Kept>)> {
    let program = Key::new().program().map_err(|error| anyhow!("{error}"))?;
    let extractor = request.extractor();
    // Not the sources: others can be added.
    let settings = [
        ("the program", program.finish()),
        ("the pipeline", Key::new().text(&pipeline.steps).finish()),
        ("the extractor", Key::new().text(&format!("{extractor:?}")).finish()),
        ("--rejected", args.rejected.is_some().to_string()),
    ];
    let settings: BTreeMap<String, String> =
        settings.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    if args.rejected.as_ref() == Some(&pipeline.output.folder) {
        bail!("--rejected: the folder of the output; name another");
    }
    let folders = Folders { pipeline, rejected: args.rejected.as_deref(), settings };
    if args.restart {
        folders.restart()?;
    }
    folders.open(|kept: &Kept| &kept.progress).map_err(|error| match error {
        PartsError::OtherSettings(what) => {
            // Keys of files and texts say nothing to people.
            let changed = what.split_once(" was `").map(|(name, _)| format!("{name} changed"));
            let what = changed.unwrap_or(what);
            let folder = pipeline.output.folder.display();
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
    if counts.repeated > 0 {
        let count = counts.repeated;
        report.note(format_args!("lines and paragraphs that other pages have, taken out: {count}"));
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

/// What happens to the results, one after the other.
struct Run<'a> {
    duplicates: Duplicates,
    outputs: Outputs,
    kept: Kept,
    /// Bytes of pages since the state was kept.
    read: u64,
    report: &'a mut Report,
}

impl Run<'_> {
    fn all(
        &mut self,
        judging: &Judging<'_>,
        sources: &Archives,
        from: Place,
        jobs: usize,
    ) -> anyhow::Result<()> {
        if from != Place::default() {
            let parts = self.outputs.parts().count();
            self.report.note(format_args!("goes on behind {parts} parts"));
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
        let most = self.outputs.parts().size().saturating_mul(READ_PER_PART);
        if self.outputs.is_full() || self.read >= most {
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

    fn judged(&mut self, Judged { mut record, headings, outcome }: Judged) -> anyhow::Result<()> {
        let decision = match outcome {
            Outcome::Dropped(reason) => return self.drop(&record, &reason, None),
            Outcome::Stays(keys) => self.duplicates.add(&mut record, keys)?,
        };
        let (method, repeat) = match &decision {
            Decision::Kept { removed } => {
                self.kept.counts.repeated += removed;
                return self.write(record, &headings);
            }
            Decision::Repeats(repeat) => (repeat.method, Some(repeat)),
            Decision::LittleLeft(method) => (*method, None),
        };
        self.drop(&record, &format!("deduplicate/{method}"), repeat)
    }

    fn write(&mut self, record: PageRecord, headings: &Headings) -> anyhow::Result<()> {
        let counts = &mut self.kept.counts;
        counts.written += 1;
        counts.words += u64::from(record.record.words);
        self.outputs.write(record, headings, self.kept.counts.written)
    }

    fn drop(
        &mut self,
        record: &PageRecord,
        reason: &str,
        repeat: Option<&Repeat>,
    ) -> anyhow::Result<()> {
        self.kept.counts.drop(reason, u64::from(record.record.words));
        self.outputs.drop(record, reason, repeat)
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

    /// Ends the parts and keeps where to go on behind them.
    fn keep(&mut self, next: Option<Place>) -> anyhow::Result<()> {
        self.read = 0;
        self.outputs.end_beside(&mut self.kept.progress)?;
        self.kept.next = next;
        self.outputs.end(&self.kept)
    }
}
