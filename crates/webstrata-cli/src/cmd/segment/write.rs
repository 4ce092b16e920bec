//! Segments for people and for programs.

use std::fmt::Write;

use webstrata_corpus::segmentation::measures::Agreement;
use webstrata_corpus::segmentation::{AtomicPage, Segment};

use webstrata_terminal::output::without_control_characters;
use webstrata_terminal::style::{Paint, Style, beginning};

/// However narrow the terminal, some text must be seen.
const MIN_TEXT: usize = 16;

/// A row for each segment, `columns` wide.
pub(super) fn table(
    page: &AtomicPage,
    segments: &[Segment],
    agreement: Option<Agreement>,
    columns: usize,
    style: Style,
) -> String {
    let mut table = String::new();
    let index = segments.len().to_string().len().max(1);
    let head = format!("{:>index$}   lines  tokens  density  links  text", "");
    let room = columns.saturating_sub(head.len() - "text".len()).max(MIN_TEXT);
    // Writing to a string cannot fail.
    let _ = writeln!(table, "{}", style.paint(Paint::Aside, &head));
    for (number, segment) in segments.iter().enumerate() {
        let Segment { lines, tokens, .. } = segment;
        let (density, links) = (segment.density(), 100.0 * segment.link_density());
        let text = beginning(&first_words(page, segment, room), room);
        let number = number + 1;
        let _ = writeln!(
            table,
            "{number:>index$}  {lines:6}  {tokens:6}  {density:7.2}  {links:4.0}%  {text}"
        );
    }
    let atoms = page.document.atoms.len();
    let _ = writeln!(table, "\n{} segments of {atoms} texts between tags", segments.len());
    if let Some(Agreement { adjusted_rand, normalized_mutual_information }) = agreement {
        let _ = writeln!(
            table,
            "against the gold: adjusted Rand index {adjusted_rand:.4}, normalised mutual \
             information {normalized_mutual_information:.4}"
        );
    }
    table
}

/// As much of a segment's text as a row may show: a segment may have megabytes.
fn first_words(page: &AtomicPage, segment: &Segment, columns: usize) -> String {
    let mut words = String::new();
    for piece in page.pieces(segment) {
        if !words.is_empty() {
            words.push_str(" / ");
        }
        words.extend(piece.chars().take(4 * columns));
        if words.len() > 4 * columns {
            break;
        }
    }
    words
}

/// The text, an empty line between segments.
pub(super) fn text(page: &AtomicPage, segments: &[Segment]) -> String {
    let texts: Vec<String> = segments.iter().map(|segment| page.text(segment)).collect();
    if texts.is_empty() { String::new() } else { texts.join("\n\n") + "\n" }
}

/// The text with a head above each segment, in colours if the style has any.
pub(super) fn highlighted(page: &AtomicPage, segments: &[Segment], style: Style) -> String {
    let mut out = String::new();
    for (number, segment) in segments.iter().enumerate() {
        let (tokens, density) = (segment.tokens, segment.density());
        let links = 100.0 * segment.link_density();
        let head =
            format!("── {}: tokens {tokens}, density {density:.2}, links {links:.0}%", number + 1);
        let _ = writeln!(out, "{}", style.paint(Paint::Aside, &head));
        for line in page.pieces(segment) {
            let _ = writeln!(
                out,
                "{}",
                style.paint(Paint::Part(number), &without_control_characters(line))
            );
        }
    }
    out
}
