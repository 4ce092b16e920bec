//! `--report`: what each step dropped, as a picture.

use std::fmt::Write;
use std::path::Path;

use anyhow::anyhow;
use webstrata_base::{thousands, write_whole};
use webstrata_corpus::pipeline::{Counts, Pipeline};

use super::flow::{Step, steps};

/// Sizes in pixels.
const WIDTH: u64 = 760;
const LEFT: u64 = 190;
const BAR: u64 = 380;
const ROW: u64 = 34;
const TOP: u64 = 48;

/// Writes the picture: alone where the name ends with `.svg`, else in a page with a table of all reasons.
pub(super) fn write(path: &Path, pipeline: &Pipeline, counts: &Counts) -> anyhow::Result<()> {
    let steps = steps(pipeline, counts);
    let picture = svg(&steps, counts);
    let is_alone = path.extension().is_some_and(|extension| extension == "svg");
    let text = if is_alone { picture } else { page(&steps, counts, &picture) };
    write_whole(path, text.as_bytes()).map_err(|error| anyhow!("{error}"))
}

/// Bars: a step a row, what came to it as the width, what it dropped as the dark end.
fn svg(steps: &[Step], counts: &Counts) -> String {
    let height = TOP + ROW * (steps.len() as u64 + 1) + 16;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" \
         font-family=\"system-ui, sans-serif\" font-size=\"14\" role=\"img\" aria-label=\"Pages by step\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n\
         <text x=\"12\" y=\"28\" font-weight=\"600\" fill=\"#222\">{} pages read, {} written ({} words)</text>\n",
        thousands(counts.read),
        thousands(counts.written),
        thousands(counts.words)
    );
    let width = |pages: u64| (pages as f64 * BAR as f64 / counts.read.max(1) as f64).round() as u64;
    let mut y = TOP;
    for step in steps {
        let (before, kept) = (width(step.before), width(step.before - step.dropped));
        let (text, bar) = (y + 20, y + 4);
        let _ = write!(
            svg,
            "<text x=\"{}\" y=\"{text}\" text-anchor=\"end\" fill=\"#222\">{}</text>\n\
             <rect x=\"{LEFT}\" y=\"{bar}\" width=\"{kept}\" height=\"24\" fill=\"#9cc5e8\"/>\n\
             <rect x=\"{}\" y=\"{bar}\" width=\"{}\" height=\"24\" fill=\"#c0504d\"/>\n\
             <text x=\"{}\" y=\"{text}\" fill=\"#444\">{}</text>\n",
            LEFT - 10,
            escaped(&step.name),
            LEFT + kept,
            before - kept,
            LEFT + before + 8,
            dropped(step)
        );
        y += ROW;
    }
    let _ = write!(
        svg,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"end\" font-weight=\"600\" fill=\"#222\">written</text>\n\
         <rect x=\"{LEFT}\" y=\"{}\" width=\"{}\" height=\"24\" fill=\"#2f75b5\"/>\n\
         <text x=\"{}\" y=\"{}\" fill=\"#444\">{} ({})</text>\n</svg>\n",
        LEFT - 10,
        y + 20,
        y + 4,
        width(counts.written),
        LEFT + width(counts.written) + 8,
        y + 20,
        thousands(counts.written),
        percent(counts.written, counts.read)
    );
    svg
}

fn dropped(step: &Step) -> String {
    match step.dropped {
        0 => "0".to_owned(),
        dropped => format!("−{} ({})", thousands(dropped), percent(dropped, step.before)),
    }
}

/// A share of a whole.
pub(super) fn percent(part: u64, whole: u64) -> String {
    format!("{:.1} %", 100.0 * part as f64 / whole.max(1) as f64)
}

fn page(steps: &[Step], counts: &Counts, picture: &str) -> String {
    let mut html = format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>From pages to a corpus</title>\n\
         <style>body {{ font: 15px/1.5 system-ui, sans-serif; max-width: 50em; margin: 2em auto; padding: 0 1em }}\n\
         td, th {{ padding: .1em .8em; text-align: left }} td + td {{ text-align: right }}</style>\n\
         <h1>From pages to a corpus</h1>\n{picture}\
         <table>\n<tr><th>step<th>pages dropped<th>of those that came<th>words\n"
    );
    for step in steps {
        let _ = writeln!(
            html,
            "<tr><td>{}<td>{}<td>{}<td>{}",
            escaped(&step.name),
            thousands(step.dropped),
            percent(step.dropped, step.before),
            thousands(step.words)
        );
        for (reason, pages) in &step.reasons {
            let (reason, pages) = (escaped(reason), thousands(*pages));
            let _ = writeln!(html, "<tr><td>&emsp;{reason}<td>{pages}<td><td>");
        }
    }
    html.push_str("</table>\n");
    if counts.repeated > 0 {
        let _ = writeln!(
            html,
            "<p>Lines and paragraphs that other pages have, taken out of what was written: {}.",
            thousands(counts.repeated)
        );
    }
    html
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
