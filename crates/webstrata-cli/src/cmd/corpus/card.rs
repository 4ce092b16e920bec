//! `datacard.md`: what a data set is made of, for those who are to use it.

use std::fmt::Write;
use std::path::Path;

use anyhow::anyhow;
use webstrata_base::{thousands, write_whole};
use webstrata_corpus::pipeline::{Pipeline, Written};

use super::explain;
use super::flow::steps;
use super::manifest::Manifest;
use super::picture::percent;

const CARD: &str = "datacard.md";

/// Sources that are named one by one.
const NAMED: usize = 20;

/// Writes the card. It says nothing that the manifest does not say.
pub(super) fn write(
    folder: &Path,
    pipeline: &Pipeline,
    manifest: &Manifest<'_>,
) -> anyhow::Result<()> {
    let text = card(pipeline, manifest);
    write_whole(&folder.join(CARD), text.as_bytes()).map_err(|error| anyhow!("{error}"))
}

fn card(pipeline: &Pipeline, manifest: &Manifest<'_>) -> String {
    let counts = manifest.counts;
    let name = pipeline.output.folder.file_name().unwrap_or_default().to_string_lossy();
    let mut card =
        format!("# Data card: {name}\n\nWritten by {} with the data set.\n\n", manifest.program);
    let bytes: u64 = manifest.parts.iter().map(|part| part.bytes).sum();
    let records: u64 = manifest.parts.iter().map(|part| part.records).sum();
    let shape = match pipeline.output.written {
        Written::Parts(format) => format!("{} files, {}", manifest.parts.len(), format.extension()),
        Written::Files(file) => format!("a file a page, {}; the parts list them", file.name()),
    };
    let _ = write!(
        card,
        "## What it is\n\n| | |\n|---|---|\n| pages | {} |\n| words of their main texts | {} |\n| records | {} |\n\
         | form | {shape} |\n| bytes of the parts | {} |\n\n",
        thousands(counts.written),
        thousands(counts.words),
        thousands(records),
        thousands(bytes)
    );
    if let Some(chunk) = pipeline.chunk {
        let _ = writeln!(card, "A record is a piece of a page: {}.\n", explain::chunking(chunk));
    }
    card.push_str("## Where it comes from\n\n| source | bytes |\n|---|---|\n");
    for source in manifest.sources.iter().take(NAMED) {
        let _ = writeln!(
            card,
            "| `{}` | {} |",
            source.file.replace('|', "\\|"),
            thousands(source.bytes)
        );
    }
    if let Some(more) = manifest.sources.len().checked_sub(NAMED).filter(|more| *more > 0) {
        let _ = writeln!(card, "| {more} more, see `manifest.json` | |");
    }
    let _ = write!(
        card,
        "\n{} pages were read. Main texts were found by the extractor `{}`.\n\n## What was done\n\n",
        thousands(counts.read),
        manifest.extractor
    );
    for line in explain::steps(pipeline).lines() {
        let _ = writeln!(card, "1. {line}");
    }
    card.push_str(
        "\n## What was dropped\n\n| step | pages | of those that came | why |\n|---|---|---|---|\n",
    );
    for step in steps(pipeline, counts) {
        let why: Vec<String> = step
            .reasons
            .iter()
            .map(|(reason, pages)| format!("{reason} {}", thousands(*pages)))
            .collect();
        let (pages, share) = (thousands(step.dropped), percent(step.dropped, step.before));
        let _ = writeln!(card, "| `{}` | {pages} | {share} | {} |", step.name, why.join(", "));
    }
    if counts.repeated > 0 {
        let _ = writeln!(
            card,
            "\nLines and paragraphs taken out of what was written: {}.",
            thousands(counts.repeated)
        );
    }
    for (kind, count) in &counts.problems {
        let _ = writeln!(card, "\nPassed over as {kind}: {}.", thousands(*count));
    }
    card.push_str("\n## What to know before using it\n\n");
    for line in cautions(pipeline) {
        let _ = writeln!(card, "- {line}");
    }
    let _ = write!(
        card,
        "\n## How to make it again\n\n```toml\n{}\n```\n\nThe same sources, pipeline and program give the same bytes. \
         `manifest.json` has the digests.\n",
        manifest.pipeline.trim()
    );
    card
}

/// What the steps leave open.
fn cautions(pipeline: &Pipeline) -> Vec<&'static str> {
    let has = |name: &str| pipeline.filters.iter().any(|filter| filter.name == name);
    let mut cautions = vec![
        "Texts are what an extractor took for the main text; some are cut short, and some have more.",
    ];
    cautions.push(match has("mask-personal") {
        true => "E-mail and public IPv4 addresses are masked. Names, telephone numbers and other personal data are not.",
        false => "Personal data are in it as the pages had them: nothing was masked.",
    });
    cautions.push(match has("licence") {
        true => "Pages state a licence of the kinds that the pipeline names. Nobody checked whether they may.",
        false => "The rights of the texts are those of the pages; licences were not looked at.",
    });
    cautions.push(match has("robots") {
        true => "Pages whose `<meta name=robots>` forbids what the pipeline names were dropped. `robots.txt` is the crawler's matter.",
        false => "What pages say in `<meta name=robots>` was not looked at.",
    });
    if !has("language") {
        cautions.push("Languages are mixed: no language was asked for.");
    }
    if pipeline.deduplicate.is_empty() {
        cautions.push("Pages repeat each other: no duplicates were looked for.");
    }
    cautions.push("Nothing was checked for truth, bias or harm.");
    cautions
}
