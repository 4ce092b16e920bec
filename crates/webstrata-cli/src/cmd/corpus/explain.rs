//! What there is, and what a pipeline would do.

use std::fmt::Write;

use anyhow::anyhow;
use webstrata_base::thousands;
use webstrata_corpus::chunks::{ChunkOptions, Measure};
use webstrata_corpus::filters::{self, Entry};
use webstrata_corpus::pipeline::{Method, Pipeline, Written};
use webstrata_terminal::exit::Exit;
use webstrata_terminal::output::Output;

use crate::cmd::archives::Archives;

/// `webstrata corpus filters`.
pub(super) fn filters(name: Option<&str>) -> anyhow::Result<Exit> {
    let mut text = String::new();
    match name {
        Some(name) => {
            let entry = filters::ALL.iter().find(|entry| entry.name == name);
            let names =
                || filters::ALL.iter().map(|entry| entry.name).collect::<Vec<_>>().join(", ");
            let entry =
                entry.ok_or_else(|| anyhow!("no filter `{name}`; there are {}", names()))?;
            show(&mut text, entry);
        }
        None => filters::ALL.iter().for_each(|entry| show(&mut text, entry)),
    }
    let mut output = Output::stdout();
    output.write(text.trim_start().as_bytes())?;
    output.finish()?;
    Ok(Exit::Text)
}

fn one_line(about: &str) -> String {
    about.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn show(text: &mut String, entry: &Entry) {
    let _ = writeln!(text, "\n{}\n  {}", entry.name, one_line(entry.about));
    for parameter in entry.parameters {
        let name = parameter.name.replace('_', "-");
        let (about, default) = (one_line(parameter.about), (parameter.default)());
        let _ = writeln!(text, "  {name} = {default}\n      {about}");
    }
}

/// What a pipeline would do, step by step.
pub(super) fn dry_run(pipeline: &Pipeline, sources: &Archives) -> String {
    let mut text = String::new();
    let (files, bytes) = (sources.count(), sources.bytes());
    let _ = writeln!(text, "sources: {files} files, {} bytes", thousands(bytes));
    if let Some(folder) = &pipeline.fetched {
        let (urls, sitemaps) = (pipeline.urls.join(", "), pipeline.sitemaps.join(", "));
        for (name, list) in [("urls", urls), ("sitemaps", sitemaps)] {
            if !list.is_empty() {
                let _ = writeln!(
                    text,
                    "{name}: {list}, fetched first and kept in {}",
                    folder.display()
                );
            }
        }
    }
    text.push_str(&steps(pipeline));
    let output = &pipeline.output;
    let (folder, size) = (output.folder.display(), thousands(output.part_size));
    let _ = match output.written {
        Written::Parts(format) => {
            let extension = format.extension();
            writeln!(
                text,
                "output: {folder}/part-*.{extension}, {size} bytes a part before packing"
            )
        }
        Written::Files(file) => {
            writeln!(
                text,
                "output: {folder}/pages/HOST/*.{}, listed in part-*.jsonl",
                file.extension()
            )
        }
    };
    text
}

/// What is done with each page, a line a step.
pub(super) fn steps(pipeline: &Pipeline) -> String {
    let mut text = String::new();
    let with = pipeline.extract.with.join(", ");
    let with = if with.is_empty() { String::new() } else { format!(", with {with}") };
    let _ =
        writeln!(text, "extract: {}{with}; records keep their text", pipeline.extract.extractor);
    for filter in &pipeline.filters {
        let set: Vec<String> =
            filter.parameters.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        let set = if set.is_empty() { "defaults".to_owned() } else { set.join(", ") };
        let _ = writeln!(text, "filter: {}: {set}", filter.name);
    }
    for method in &pipeline.deduplicate {
        let _ = match method {
            Method::MainText(options) => writeln!(
                text,
                "deduplicate: main-text: runs of {} words, {} bands of {} min-hashes, similarity at least {}",
                options.shingle(),
                options.bands(),
                options.rows(),
                options.threshold()
            ),
            Method::Repeated(options) => writeln!(
                text,
                "deduplicate: {}: of {} words or more, {} of each stays, texts with {} words left stay",
                method.name(),
                options.min_words,
                options.keep,
                options.min_left
            ),
            Method::SameText | Method::UrlKey => writeln!(text, "deduplicate: {}", method.name()),
        };
    }
    if let Some(chunk) = pipeline.chunk {
        let _ = writeln!(text, "chunk: {}", chunking(chunk));
    }
    text
}

/// How texts are cut.
pub(super) fn chunking(chunk: ChunkOptions) -> String {
    let name = Measure::ALL.iter().find(|(measure, _)| *measure == chunk.measure);
    let name = name.map_or("", |(_, name)| name);
    let (size, overlap) = (chunk.size, chunk.overlap);
    format!("at headings and between sentences, {size} {name} at most, {overlap} of them repeated")
}
