//! The report as Markdown, for documentation.

use std::fmt::Write;

use super::{Align, Part, Report, Section, Table, pieces};

pub(super) fn document(report: &Report) -> String {
    let mut document = format!("# {}\n", text(&report.title));
    if let Some(about) = &report.about {
        let _ = write!(document, "\n{}\n", text(about));
    }
    if !report.facts.is_empty() {
        document.push('\n');
    }
    for (name, value) in &report.facts {
        let _ = writeln!(document, "- {}: {}", text(name), text(value));
    }
    for one in &report.sections {
        section(&mut document, one, 2);
    }
    document
}

fn section(document: &mut String, one: &Section, level: usize) {
    let _ = write!(document, "\n{} {}\n", "#".repeat(level.min(6)), text(&one.title));
    for part in &one.parts {
        let _ = match part {
            Part::Text(paragraph) => write!(document, "\n{}\n", text(paragraph)),
            Part::Note(note) => write!(document, "\n> {}\n", text(note)),
            Part::Table(table) => write!(document, "\n{}", of_table(table)),
            Part::Comparison(comparison) => {
                let mut table = Table::new(&comparison.title)
                    .column("", Align::Left)
                    .column("paper", Align::Right)
                    .column("ours", Align::Right)
                    .column("difference", Align::Right)
                    .column("why", Align::Left);
                for row in &comparison.rows {
                    let (paper, ours) = (row.shown(row.paper), row.shown(row.ours));
                    let difference = row.shown_difference();
                    table = table.row([&row.name, &paper, &ours, &difference, &row.why]);
                }
                write!(document, "\n{}", of_table(&table))
            }
            Part::Figure(figure) => {
                write!(document, "\nFigure: {}. {}\n", text(&figure.title), text(&figure.caption))
            }
            Part::Section(below) => {
                section(document, below, level + 1);
                Ok(())
            }
        };
    }
}

fn of_table(table: &Table) -> String {
    let mut markdown = format!("**{}**\n\n", text(&table.title));
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    markdown += &line(table.columns.iter().map(|column| text(&column.name)).collect());
    let rule = |align| if align == Align::Right { "--:" } else { "---" };
    markdown += &line(table.columns.iter().map(|column| rule(column.align).to_owned()).collect());
    for row in &table.rows {
        markdown += &line(row.iter().map(|cell| text(cell)).collect());
    }
    markdown
}

/// A text on one line in which nothing but its code is Markdown.
fn text(text: &str) -> String {
    let mut markdown = String::with_capacity(text.len());
    let words: Vec<&str> = text.split_whitespace().collect();
    for (code, piece) in pieces(&words.join(" ")) {
        if code {
            // Inside code only a bar means something, and only inside tables.
            let _ = write!(markdown, "`{}`", piece.replace('|', "\\|"));
            continue;
        }
        for c in piece.chars() {
            if matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '#' | '~' | '&') {
                markdown.push('\\');
            }
            markdown.push(if c.is_control() { '\u{fffd}' } else { c });
        }
    }
    markdown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_code_is_markdown() {
        assert_eq!(text("a|b *c*\n\n# d `x|y` `"), "a\\|b \\*c\\* \\# d `x\\|y` \\`");
        assert_eq!(text("<script>"), "\\<script\\>");
    }
}
