//! Labelled blocks to a model file, with its measures.

use std::fmt::Write;
use std::path::Path;

use anyhow::bail;
use serde::Serialize;
use webstrata::BlockModel;
use webstrata::features::FEATURES;
use webstrata_base::write_whole;
use webstrata_lab::Examples;
use webstrata_lab::dataset::{self, Dataset, Problem};
use webstrata_lab::training::{Folds, Trainer, Validated, extractor_toml, varying};

use super::LearnArgs;
use crate::sets;
use webstrata_terminal::exit::Exit;
use webstrata_terminal::output;
use webstrata_terminal::program::Global;
use webstrata_terminal::report::{Report, TerminalProgress};
use webstrata_terminal::style::{Paint, Style, padded};

/// Names of features in one line; more are counted.
const NAMES: usize = 6;

/// What was done, as JSON.
#[derive(Serialize)]
struct Trained<'a> {
    version: u32,
    trainer: &'static str,
    sets: &'a [String],
    pages: usize,
    blocks: usize,
    classes: &'a [ClassSize],
    /// Those that were learned from.
    features: Vec<&'static str>,
    /// In percent; the baseline first.
    measures: &'a [Row],
    auc_is_of_hard_verdicts: bool,
    model: ModelFile,
}

#[derive(Serialize)]
struct ClassSize {
    class: &'static str,
    blocks: usize,
    words: f64,
}

/// A trainer in the cross-validation.
#[derive(Serialize)]
struct Row {
    trainer: &'static str,
    #[serde(flatten)]
    validated: Validated,
}

#[derive(Serialize)]
struct ModelFile {
    file: String,
    extractor: Option<String>,
    leaves: usize,
    features: Vec<&'static str>,
}

pub(super) fn run(args: &LearnArgs, trainer: Trainer, global: &Global) -> anyhow::Result<Exit> {
    let mut report = Report::new(global.quiet);
    let opened = args.labelled.sets.open(&mut report)?;
    sets::check_output(&args.out.out, &["tree", "model"], &opened)?;
    if let Some(file) = &args.extractor {
        sets::check_output(file, &["toml"], &opened)?;
    }
    let progress = TerminalProgress::new(global.quiet);
    let mut found = args.labelled.read(&opened, &mut report, &progress);
    if args.problem == Problem::FourClass {
        found.retain(|dataset| {
            if !sets::is_annotated(dataset) {
                report.error(
                    &dataset.name,
                    "four classes need a page in annotated/ for every page; use --problem two",
                );
            }
            sets::is_annotated(dataset)
        });
    }
    if found.is_empty() {
        return Ok(Exit::Failed);
    }
    let names: Vec<String> = found.iter().map(|dataset| dataset.name.clone()).collect();
    for dataset in found.iter().filter(|_| found.len() > 1) {
        if let Some(class) = dataset.examples(args.problem).only_class() {
            report.note(format_args!("{}: all blocks are {}", dataset.name, class.name()));
        }
    }
    let all: Vec<&Dataset> = found.iter().collect();
    let examples = dataset::examples(&all, args.problem);
    let classes = class_sizes(&examples);
    if trainer != Trainer::ZeroR {
        sets::check_classes(&examples, &names.join(", "))?;
    }
    let examples = chosen(args, trainer, &examples, &report)?;
    let rows = validate(args, trainer, &examples, &report, &progress)?;
    let about = about(args, trainer, &names, &examples, rows.last());
    let model = trainer.train(&examples, &args.out.name(), &about, &progress)?;
    progress.end_part(trainer.name());
    if model.leaves() == 1 && trainer != Trainer::ZeroR {
        report.note(format_args!(
            "the model has one leaf and says the same of every block; try {}",
            if matches!(trainer, Trainer::C48(_)) { "a smaller --min-leaf" } else { "more pages" }
        ));
    }
    let file = args.out.out.as_path();
    write_whole(file, model.to_string().as_bytes())?;
    let toml =
        extractor_toml(&model, &reference(file, args.extractor.as_deref()), args.labelled.rules);
    if let Some(extractor) = &args.extractor {
        write_whole(extractor, toml.as_bytes())?;
    }
    let trained = Trained {
        version: 1,
        trainer: trainer.name(),
        sets: &names,
        pages: found.iter().map(|dataset| dataset.pages.len()).sum(),
        blocks: examples.len(),
        classes: &classes,
        features: examples.features.iter().map(|feature| FEATURES[*feature].name).collect(),
        measures: &rows,
        auc_is_of_hard_verdicts: trainer.has_hard_verdicts(),
        model: ModelFile {
            file: file.display().to_string(),
            extractor: args.extractor.as_ref().map(|path| path.display().to_string()),
            leaves: model.leaves(),
            features: model.features().collect(),
        },
    };
    if args.out.json {
        let mut json = serde_json::to_vec_pretty(&trained)?;
        json.push(b'\n');
        output::print(&json)?;
    } else {
        let style = Style::of_stdout(global.color);
        let mut text = table(&trained, style);
        text.push_str(&how_to_use(args, &model, &toml));
        output::print(text.as_bytes())?;
    }
    Ok(if report.failed() { Exit::Failed } else { Exit::Text })
}

/// The examples with the features that were asked for, as far as they say anything.
fn chosen(
    args: &LearnArgs,
    trainer: Trainer,
    examples: &Examples,
    report: &Report,
) -> anyhow::Result<Examples> {
    if trainer == Trainer::ZeroR {
        return Ok(examples.with_features(&[]));
    }
    let examples = examples.with_features(&args.labelled.features.0);
    let (varying, constant) = varying(&examples);
    let names = |features: &[usize]| {
        let names = features.iter().map(|feature| FEATURES[*feature].name);
        let names: Vec<&str> = names.take(NAMES).collect();
        match features.len().saturating_sub(NAMES) {
            0 => names.join(", "),
            more => format!("{} and {more} more", names.join(", ")),
        }
    };
    if varying.is_empty() {
        let names = names(&constant);
        bail!(
            "{names}: the same value in all blocks, nothing to learn from; name other --features"
        );
    }
    if !constant.is_empty() {
        let names = names(&constant);
        report.note(format_args!("the same value in all blocks, left out: {names}"));
    }
    let frequencies: Vec<usize> = varying
        .iter()
        .copied()
        .filter(|feature| FEATURES[*feature].name.ends_with("corpus-frequency"))
        .collect();
    if !frequencies.is_empty() {
        let names = names(&frequencies);
        report.note(format_args!(
            "{names}: known of this set only; `extract` takes 0 for it, so --features local is safer"
        ));
    }
    Ok(examples.with_features(&varying))
}

/// The measures of the baseline and of the trainer; none if nobody asked for them.
fn validate(
    args: &LearnArgs,
    trainer: Trainer,
    examples: &Examples,
    report: &Report,
    progress: &TerminalProgress,
) -> anyhow::Result<Vec<Row>> {
    if args.folds == 0 {
        return Ok(Vec::new());
    }
    let folds =
        Folds { count: usize::from(args.folds), by_site: args.by_site, seed: args.out.seed };
    let baseline = (trainer != Trainer::ZeroR).then_some(Trainer::ZeroR);
    let mut rows = Vec::new();
    for trainer in baseline.into_iter().chain([trainer]) {
        if let Some(validated) = trainer.validate(examples, folds, progress)? {
            rows.push(Row { trainer: trainer.name(), validated });
        }
    }
    progress.end_part(trainer.name());
    let what = if args.by_site { "sites" } else { "blocks" };
    match rows.last().map_or(0, |row| row.validated.folds) {
        0 => report.note(format_args!("too few {what} for two folds: no cross-validation")),
        count if count < folds.count => {
            let asked = folds.count;
            report.note(format_args!("too few {what} for {asked} folds: {count} folds"));
        }
        _ => {}
    }
    Ok(rows)
}

fn class_sizes(examples: &Examples) -> Vec<ClassSize> {
    let size = |(index, class): (usize, &webstrata::Class)| {
        let rows = || (0..examples.len()).filter(|row| usize::from(examples.labels[*row]) == index);
        // The sum of nothing would be -0.
        let words = rows().fold(0.0, |sum, row| sum + examples.weights[row]);
        ClassSize { class: class.name(), blocks: rows().count(), words }
    };
    examples.classes.iter().enumerate().map(size).collect()
}

/// One line for the model file: what it is, from what, and how good. No date: the same pages give the
/// same file.
fn about(
    args: &LearnArgs,
    trainer: Trainer,
    sets: &[String],
    examples: &Examples,
    row: Option<&Row>,
) -> String {
    let (sets, features) = (sets.join(", "), examples.features.len());
    let problem = if args.problem == Problem::TwoClass { "two classes" } else { "four classes" };
    let trained = format!("{} trained on {sets}, {problem}, features: {features}", trainer.name());
    match row {
        None => format!("{trained}; not cross-validated"),
        Some(Row { validated, .. }) => {
            let what = if validated.by_site { "sites" } else { "blocks" };
            let (folds, f1, auc) = (validated.folds, validated.measures.f1, validated.measures.auc);
            format!("{trained}; {folds} folds of {what}: F1 {f1:.1}%, AuC {auc:.1}%")
        }
    }
}

fn table(trained: &Trained<'_>, style: Style) -> String {
    let Trained { pages, blocks, .. } = trained;
    let sets = style.paint(Paint::Heading, &trained.sets.join(", "));
    let mut text = format!("{sets}, pages: {pages}, blocks: {blocks}\n");
    let total: f64 = trained.classes.iter().map(|size| size.words).sum();
    let head = "class           blocks     words  share of words";
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{}", style.paint(Paint::Aside, head));
    for ClassSize { class, blocks, words } in trained.classes {
        let share = 100.0 * words / total.max(1.0);
        let _ = writeln!(text, "{}  {blocks:8}  {words:8}  {share:13.1}%", padded(class, 12));
    }
    if let Some(Row { validated, .. }) = trained.measures.last() {
        let what = if validated.by_site { "sites" } else { "blocks" };
        let title = padded(&format!("{} folds of {what}", validated.folds), 20);
        let auc = if trained.auc_is_of_hard_verdicts { "AuC*" } else { "AuC" };
        let head = format!("{title}  precision  recall     F1    FPR   {auc:<4}  leaves");
        let _ = writeln!(text, "\n{}", style.paint(Paint::Aside, &head));
    }
    for Row { trainer, validated } in trained.measures {
        let m = &validated.measures;
        let leaves = match (trained.trainer == *trainer, trained.model.leaves) {
            (false, _) => "1".into(),
            (true, 0) => "–".into(),
            (true, leaves) => leaves.to_string(),
        };
        let _ = writeln!(
            text,
            "{}  {:9.1}  {:6.1}  {:5.1}  {:5.1}  {:5.1}  {leaves:>6}",
            padded(trainer, 20),
            m.precision,
            m.recall,
            m.f1,
            m.false_positives,
            m.auc
        );
    }
    if trained.auc_is_of_hard_verdicts && !trained.measures.is_empty() {
        text.push_str("* of hard verdicts: this trainer says which class, not how sure it is\n");
    }
    text
}

/// The files, and the command that uses them.
fn how_to_use(args: &LearnArgs, model: &BlockModel, toml: &str) -> String {
    let used: Vec<&str> = model.features().collect();
    let used = match used.len() {
        0 => "no feature".to_owned(),
        1..=NAMES => used.join(", "),
        many => format!("{many} features"),
    };
    let file = args.out.out.display();
    let mut text = format!("\n{file}: uses {used}\n");
    let extractor = match &args.extractor {
        Some(extractor) => {
            let _ = writeln!(text, "{}: an extractor with it", extractor.display());
            extractor.clone()
        }
        None => {
            let extractor = args.out.out.with_extension("toml");
            let _ = writeln!(
                text,
                "To use it, write this to {} (or let --extractor do so):\n",
                extractor.display()
            );
            toml.lines().for_each(|line| {
                let _ = writeln!(text, "  {line}");
            });
            text.push('\n');
            extractor
        }
    };
    let _ = writeln!(text, "{}", extract_with(&extractor));
    text
}

/// The command that uses an extractor.
pub(super) fn extract_with(extractor: &Path) -> String {
    // Without a slash a name must end in .toml, which it does.
    format!(
        "Try it: webstrata extract --extractor {} page.html",
        output::quoted(&extractor.display().to_string())
    )
}

/// What an extractor calls the model's file: from its own folder on, or the whole path.
fn reference(model: &Path, extractor: Option<&Path>) -> String {
    let name = || model.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let folder = |path: &Path| {
        let path = std::path::absolute(path).ok()?;
        path.parent().map(Path::to_owned)
    };
    let Some(extractor) = extractor else { return name() };
    let (Some(from), Some(to)) = (folder(extractor), folder(model)) else { return name() };
    let below = to.strip_prefix(&from).map_or(to.clone(), Path::to_owned).join(name());
    below.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/")
}
