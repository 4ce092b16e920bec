//! The report as one page.

use std::fmt::Write;

use super::comparison::{Agreement, Compared, Comparison};
use super::{Align, Part, Report, Section, Slugs, Table, pieces};
use crate::markup::Escaped;

const STYLE: &str = include_str!("style.css");

/// Writes to a page; a `String` never refuses.
macro_rules! put {
    ($html:expr, $($text:tt)*) => {{ let _ = write!($html, $($text)*); }};
}

/// A heading of the page, where it is, and what lies below it.
struct Heading<'a> {
    section: &'a Section,
    anchor: String,
    below: Vec<Heading<'a>>,
}

pub(super) fn page(report: &Report) -> String {
    let mut anchors = Slugs::default();
    // Taken already: the links to the top lead there.
    let top = anchors.next("top");
    let headings: Vec<_> =
        report.sections.iter().map(|section| heading(section, &mut anchors)).collect();
    let (title, agreement) = (Escaped(&report.title), report.agreement());
    let mut html = String::new();
    put!(html, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    put!(html, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    put!(html, "<meta name=\"color-scheme\" content=\"light dark\">\n");
    put!(html, "<title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body id=\"{top}\">\n");
    put!(html, "<header class=\"bar\"><a href=\"#{top}\">{title}</a>");
    if agreement.of > 0 {
        put!(html, "<span class=\"score\">{agreement}</span>");
    }
    put!(html, "</header>\n<div class=\"layout\">\n");
    // Twice, because without a script a list cannot be open on a wide screen and closed on a small
    // one.
    put!(html, "<nav class=\"side\" aria-label=\"Contents\">\n");
    contents(&mut html, &headings);
    put!(html, "</nav>\n<main>\n<h1>{title}</h1>\n");
    if let Some(about) = &report.about {
        put!(html, "<p class=\"about\">{}</p>\n", text(about));
    }
    facts(&mut html, &report.facts);
    put!(
        html,
        "<nav class=\"small\" aria-label=\"Contents\"><details><summary>Contents</summary>\n"
    );
    contents(&mut html, &headings);
    put!(html, "</details></nav>\n");
    cards(&mut html, &headings);
    for heading in &headings {
        section(&mut html, heading, 2);
    }
    put!(html, "</main>\n</div>\n</body>\n</html>\n");
    html
}

fn heading<'a>(section: &'a Section, anchors: &mut Slugs) -> Heading<'a> {
    let anchor = anchors.next(&section.title);
    let mut below = Vec::new();
    for part in &section.parts {
        if let Part::Section(section) = part {
            below.push(heading(section, anchors));
        }
    }
    Heading { section, anchor, below }
}

fn contents(html: &mut String, headings: &[Heading<'_>]) {
    if headings.is_empty() {
        return;
    }
    put!(html, "<ol>\n");
    for Heading { section, anchor, below } in headings {
        put!(html, "<li><a href=\"#{anchor}\"><span>{}</span>", Escaped(&section.title));
        let Agreement { within, tested, of } = section.agreement();
        if of > 0 {
            let class = if within + tested < of { "count off" } else { "count" };
            put!(html, "<span class=\"{class}\">{within}/{of}</span>");
        }
        put!(html, "</a>\n");
        contents(html, below);
        put!(html, "</li>\n");
    }
    put!(html, "</ol>\n");
}

fn facts(html: &mut String, facts: &[(String, String)]) {
    if facts.is_empty() {
        return;
    }
    put!(html, "<dl class=\"facts\">\n");
    for (name, value) in facts {
        put!(html, "<div><dt>{}</dt><dd>{}</dd></div>\n", text(name), text(value));
    }
    put!(html, "</dl>\n");
}

/// The sections that compare something, at a glance.
fn cards(html: &mut String, headings: &[Heading<'_>]) {
    let compares = |heading: &&Heading<'_>| heading.section.agreement().of > 0;
    if !headings.iter().any(|heading| compares(&heading)) {
        return;
    }
    put!(html, "<div class=\"cards\">\n");
    for Heading { section, anchor, .. } in headings.iter().filter(compares) {
        let agreement = section.agreement();
        let Agreement { within, tested, of } = agreement;
        let [agree, explained] = [within, tested].map(|part| 100 * part / of);
        let unexplained = of - within - tested;
        put!(html, "<a href=\"#{anchor}\"><b>{within} of {of} agree</b>");
        put!(html, "<div class=\"meter\"><i style=\"width:{agree}%\"></i>");
        put!(html, "<i class=\"tested\" style=\"width:{explained}%\"></i></div>");
        put!(
            html,
            "<span>{tested} explained, {unexplained} not: {}</span></a>\n",
            Escaped(&section.title)
        );
    }
    put!(html, "</div>\n");
}

fn section(html: &mut String, heading: &Heading<'_>, level: usize) {
    let (tag, anchor) = (level.min(6), &heading.anchor);
    let title = Escaped(&heading.section.title);
    put!(html, "<section id=\"{anchor}\">\n<h{tag}>{title}</h{tag}>\n");
    let mut below = heading.below.iter();
    for part in &heading.section.parts {
        match part {
            Part::Text(paragraph) => put!(html, "<p>{}</p>\n", text(paragraph)),
            Part::Note(note) => put!(html, "<p class=\"note\">{}</p>\n", text(note)),
            Part::Table(one) => table(html, one),
            Part::Comparison(one) => comparison(html, one),
            Part::Figure(figure) => {
                let class = if figure.svgs.len() > 1 { " class=\"small\"" } else { "" };
                put!(html, "<figure>\n<div{class}>\n");
                figure.svgs.iter().for_each(|(_, svg)| html.push_str(svg));
                put!(html, "</div>\n");
                put!(html, "<figcaption>{}</figcaption>\n</figure>\n", text(&figure.caption));
            }
            Part::Section(_) => {
                let heading = below.next().expect("a heading for each section");
                section(html, heading, level + 1);
            }
        }
    }
    put!(html, "</section>\n");
}

fn table(html: &mut String, table: &Table) {
    let class = |align| if align == Align::Right { " class=\"number\"" } else { "" };
    put!(html, "<div class=\"sheet\"><table>\n<caption>{}</caption>\n", text(&table.title));
    put!(html, "<thead><tr>");
    for column in &table.columns {
        put!(html, "<th scope=\"col\"{}>{}</th>", class(column.align), text(&column.name));
    }
    put!(html, "</tr></thead>\n<tbody>\n");
    for row in &table.rows {
        put!(html, "<tr>");
        for (column, cell) in table.columns.iter().zip(row) {
            put!(html, "<td{}>{}</td>", class(column.align), text(cell));
        }
        put!(html, "</tr>\n");
    }
    put!(html, "</tbody>\n</table></div>\n");
}

fn comparison(html: &mut String, comparison: &Comparison) {
    let title = text(&comparison.title);
    put!(html, "<div class=\"sheet\"><table>\n<caption>{title}</caption>\n<thead><tr>");
    put!(html, "<th scope=\"col\"></th>");
    for title in ["paper", "ours", "difference"] {
        put!(html, "<th scope=\"col\" class=\"number\">{title}</th>");
    }
    put!(html, "<th scope=\"col\" class=\"why\">why</th></tr></thead>\n<tbody>\n");
    for row in &comparison.rows {
        let marked = row.verdict.is_marked();
        let class = if marked { " class=\"off\"" } else { "" };
        put!(html, "<tr{class}><th scope=\"row\">{}</th>", text(&row.name));
        put!(html, "<td class=\"number\">{}</td>", row.shown(row.paper));
        put!(html, "<td class=\"number\">{}</td>", row.shown(row.ours));
        put!(
            html,
            "<td class=\"number difference\">{}{}</td>",
            row.shown_difference(),
            offset(row)
        );
        let class = if marked && !row.tested { "why missing" } else { "why" };
        put!(html, "<td class=\"{class}\">{}</td>", text(&row.why));
        put!(html, "</tr>\n");
    }
    put!(html, "</tbody>\n</table></div>\n");
}

/// The difference as a bar to the left or right of the middle; at the end where it is four times the
/// tolerance or more.
fn offset(row: &Compared) -> String {
    let Some(difference) = row.difference else { return String::new() };
    let whole = 4.0 * row.tolerance.abs();
    let share =
        if whole > 0.0 { (difference / whole).clamp(-1.0, 1.0) } else { difference.signum() };
    let width = if difference == 0.0 { 0 } else { ((share.abs() * 50.0).round() as u32).max(2) };
    let left = if share < 0.0 { 50 - width } else { 50 };
    format!(
        "<span class=\"offset\" aria-hidden=\"true\"><i style=\"left:{left}%;width:{width}%\"></i></span>"
    )
}

/// A text with its code.
fn text(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    for (code, piece) in pieces(text) {
        let piece = Escaped(piece);
        if code {
            put!(html, "<code>{piece}</code>");
        } else {
            put!(html, "{piece}");
        }
    }
    html
}
