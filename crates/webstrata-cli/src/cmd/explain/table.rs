//! An explanation for people: a row for every block, a line for every step.

use std::fmt::Write;

use serde_json::{Map, Value};
use webstrata::filters::Step;
use webstrata::output::{ExplainedBlock, ExplainedStep, Explanation};

use webstrata_terminal::style::{Paint, Style, beginning, end_of_path, padded};

/// Dropped blocks of fewer words are menus and the like: a run of them is one line.
const SHORT: u32 = 5;
/// Tag paths are cut to their ends: the beginnings are the same all over the page.
const PATH: usize = 22;
/// However narrow the terminal, some text must be seen.
const MIN_TEXT: usize = 16;
const NEVER: &str = "-";

/// The whole explanation, `columns` wide.
pub(super) fn table(page: &Explanation, all: bool, columns: usize, style: Style) -> String {
    let layout = Layout::new(page, columns, style);
    let mut out = layout.titles();
    let folds =
        |block: &&ExplainedBlock| !all && !block.block.content && block.block.counts.words < SHORT;
    let mut rest = page.blocks.as_slice();
    while let Some(block) = rest.first() {
        let run = rest.iter().take_while(folds).count();
        if run > 1 {
            out.push_str(&layout.fold(&rest[..run]));
            rest = &rest[run..];
        } else {
            out.push_str(&layout.row(block));
            rest = &rest[1..];
        }
    }
    out.push('\n');
    out.push_str(&steps(&page.steps, style));
    out.push('\n');
    out.push_str(&summary(page));
    out
}

/// The parameters of a step by their names.
pub(super) fn parameters(step: &Step) -> Map<String, Value> {
    let Ok(Value::Object(mut fields)) = serde_json::to_value(step) else { return Map::new() };
    fields.remove("filter");
    fields
}

/// Widths of the columns that depend on the page.
struct Layout {
    index: usize,
    part: usize,
    path: usize,
    step: usize,
    text: usize,
    columns: usize,
    style: Style,
}

impl Layout {
    fn new(page: &Explanation, columns: usize, style: Style) -> Layout {
        let index = page.blocks.len().saturating_sub(1).to_string().len();
        let parts = page.blocks.iter().map(|b| b.block.part.name().len());
        let part = parts.max().unwrap_or(0).max("part".len());
        let paths = page.blocks.iter().map(|b| end_of_path(&b.block.path, PATH).chars().count());
        let path = paths.max().unwrap_or(0).max("path".len());
        let step = page.blocks.iter().map(|b| decided_by(b).len()).max().unwrap_or(0);
        let step = step.max("decided by".len());
        let others = "+ ".len() + index + "  words  links  density".len();
        let others = others + [part, path, step].map(|width| width + 2).iter().sum::<usize>() + 2;
        Layout {
            index,
            part,
            path,
            step,
            text: columns.saturating_sub(others).max(MIN_TEXT),
            columns,
            style,
        }
    }

    fn titles(&self) -> String {
        let (path, step) = (padded("path", self.path), padded("decided by", self.step));
        let (index, part) = (" ".repeat(self.index), padded("part", self.part));
        let titles = format!("  {index}  words  links  density  {part}  {path}  {step}  text");
        format!("{}\n", self.style.paint(Paint::Heading, &titles))
    }

    fn row(&self, decided: &ExplainedBlock) -> String {
        let block = &decided.block;
        let (mark, paint) = if block.content { ("+", Paint::Kept) } else { ("-", Paint::Dropped) };
        let labels: String = block.labels.iter().map(|label| format!("[{label}] ")).collect();
        let seen = block
            .site
            .map_or_else(String::new, |site| format!("[{} of {} pages] ", site.pages, site.of));
        let text = beginning(&format!("{seen}{labels}{}", block.text), self.text);
        let text = if block.content { text } else { self.style.paint(Paint::Aside, &text) };
        let reasons = block.reasons.as_ref().map_or_else(String::new, |reasons| {
            let indent = self.index + 4;
            let line = format!("{}: {}", written_score(reasons.score), reasons.line());
            let line = beginning(&line, self.columns.saturating_sub(indent).max(MIN_TEXT));
            format!("{}{}\n", " ".repeat(indent), self.style.paint(Paint::Aside, &line))
        });
        format!(
            "{} {:>index$}  {:>5}  {:>5.2}  {:>7.1}  {}  {}  {}  {text}\n{reasons}",
            self.style.paint(paint, mark),
            decided.index,
            block.counts.words,
            block.link_density,
            block.text_density,
            padded(block.part.name(), self.part),
            padded(&end_of_path(&block.path, PATH), self.path),
            padded(&decided_by(decided), self.step),
            index = self.index,
        )
    }

    fn fold(&self, run: &[ExplainedBlock]) -> String {
        let words: u32 = run.iter().map(|decided| decided.block.counts.words).sum();
        let fold = format!("… {} short blocks", run.len());
        let mark = self.style.paint(Paint::Dropped, "-");
        let (first, gap) = (" ".repeat(self.index), " ".repeat("  links  density  ".len()));
        format!("{mark} {first}  {words:>5}{gap}{}\n", self.style.paint(Paint::Aside, &fold))
    }
}

/// `+2.1`, `−0.3`
fn written_score(score: f32) -> String {
    let sign = if score < 0.0 { '−' } else { '+' };
    format!("{sign}{:.1}", score.abs())
}

/// The number and name of the step, as in the list of steps below the table.
fn decided_by(decided: &ExplainedBlock) -> String {
    let by = decided.decided_by.as_ref();
    by.map_or(NEVER.into(), |by| format!("{} {}", by.step + 1, by.filter))
}

fn steps(steps: &[ExplainedStep], style: Style) -> String {
    let digits = steps.len().to_string().len();
    let numbered = (1..).zip(steps);
    let names: Vec<String> = numbered.map(|(n, done)| named(n, digits, &done.step)).collect();
    let width = names.iter().map(String::len).max().unwrap_or(0);
    let titles = format!("{}  kept  dropped  removed", padded("steps", width));
    let mut out = format!("{}\n", style.paint(Paint::Heading, &titles));
    for (name, done) in names.iter().zip(steps) {
        let (kept, dropped, removed) = (done.kept.len(), done.dropped.len(), done.removed.len());
        let name = padded(name, width);
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{name}  {kept:>4}  {dropped:>7}  {removed:>7}");
    }
    out
}

/// `3 classify model=num-words`
fn named(number: usize, digits: usize, step: &Step) -> String {
    let mut name = format!("{number:>digits$} {}", step.name());
    for (parameter, value) in parameters(step) {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let _ = write!(name, " {parameter}={value}");
    }
    name
}

fn summary(page: &Explanation) -> String {
    let record = &page.record;
    let kept = page.blocks.iter().filter(|decided| decided.block.content).count();
    let mut summary = format!(
        "{}: kept {kept} of {} blocks, {} of {} words\n",
        record.extractor,
        page.blocks.len(),
        record.words,
        record.page_words
    );
    if !record.limits.is_empty() {
        let _ = writeln!(summary, "limits reached: {}", record.limits.join(", "));
    }
    summary
}
