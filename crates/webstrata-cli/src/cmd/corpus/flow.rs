//! What became of the pages, step by step.

use webstrata_corpus::pipeline::{Counts, Pipeline};

/// A step, and what it dropped.
pub(super) struct Step {
    pub(super) name: String,
    /// The pages that came to it.
    pub(super) before: u64,
    pub(super) dropped: u64,
    /// The words of the main texts of what it dropped.
    pub(super) words: u64,
    /// Why, with the pages: the most frequent reason first.
    pub(super) reasons: Vec<(String, u64)>,
}

/// The steps of a run in their order. Filters that stand there twice are one step, the first.
pub(super) fn steps(pipeline: &Pipeline, counts: &Counts) -> Vec<Step> {
    let no_pages = counts.read.saturating_sub(counts.written + counts.dropped_in_all());
    let mut steps = Vec::new();
    let mut before = counts.read;
    let mut add = |name: &str, dropped: u64, words: u64, mut reasons: Vec<(String, u64)>| {
        reasons.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
        steps.push(Step { name: name.to_owned(), before, dropped, words, reasons });
        before -= dropped;
    };
    add("no web pages", no_pages, 0, Vec::new());
    let mut names: Vec<&str> = Vec::new();
    for filter in &pipeline.filters {
        if names.contains(&filter.name.as_str()) {
            continue;
        }
        names.push(&filter.name);
        let of_step = |key: &str| {
            key.split_once('/')
                .filter(|(step, _)| *step == filter.name)
                .map(|(_, why)| why.to_owned())
        };
        let reasons: Vec<(String, u64)> = counts
            .dropped
            .iter()
            .filter_map(|(key, count)| Some((of_step(key)?, *count)))
            .collect();
        let words = counts.dropped_words.iter().filter(|(key, _)| of_step(key).is_some());
        let words = words.map(|(_, words)| words).sum();
        add(&filter.name, reasons.iter().map(|(_, count)| count).sum(), words, reasons);
    }
    let one = |key: &str| {
        let of = |map: &std::collections::BTreeMap<String, u64>| map.get(key).copied().unwrap_or(0);
        (of(&counts.dropped), of(&counts.dropped_words))
    };
    let (empty, _) = one("no-text");
    add("no text left", empty, 0, Vec::new());
    let mut methods: Vec<&str> = Vec::new();
    for method in &pipeline.deduplicate {
        let name = method.name();
        if !methods.contains(&name) {
            methods.push(name);
            let (dropped, words) = one(&format!("deduplicate/{name}"));
            add(name, dropped, words, Vec::new());
        }
    }
    // What nothing can come of is no step worth a line.
    steps.retain(|step| {
        step.dropped > 0 || !matches!(step.name.as_str(), "no web pages" | "no text left")
    });
    steps
}
