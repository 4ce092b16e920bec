//! WORDWRAP: all text of a page as one, every line a segment (4.2.3).

use super::{AtomicPage, Gap, Segment, tokens};

/// The wrapped lines of a page's text. Blocks follow each other on a line as words do.
pub(crate) fn lines(page: &AtomicPage, width: u32) -> Vec<Segment> {
    let mut lines: Vec<Segment> = Vec::new();
    let mut column = 0;
    for (atom, piece) in page.document.atoms.iter().enumerate() {
        let text = page.document.atom_text(atom);
        // Scripts without spaces have more tokens than words: of both, the same share is linked.
        let words = u64::from(piece.counts.words);
        let linked_words = u64::from(piece.counts.linked_words).min(words);
        let linked = |tokens: u64| linked_words * tokens / words.max(1);
        for (index, token) in tokens(text).enumerate() {
            let start = page.start(atom);
            let end = start + token.span.end;
            column += token.columns + 1;
            let fits = !lines.is_empty() && column <= width;
            if !fits {
                column = token.columns;
                let start = if lines.is_empty() { 0 } else { start + token.span.start };
                lines.push(empty(atom, start));
            }
            let Some(line) = lines.last_mut() else { continue };
            line.atoms.end = atom + 1;
            line.span.end = end;
            line.tokens += 1;
            line.tokens_on_last_line += 1;
            let index = index as u64;
            line.linked_tokens += (linked(index + 1) - linked(index)) as u32;
            line.full_stops += u32::from(text[token.span].ends_with('.'));
        }
    }
    lines
}

fn empty(atom: usize, start: usize) -> Segment {
    Segment {
        atoms: atom..atom + 1,
        span: start..start,
        lines: 1,
        tokens: 0,
        tokens_on_last_line: 0,
        linked_tokens: 0,
        full_stops: 0,
        gap: Gap::default(),
    }
}

#[cfg(test)]
mod tests {
    use webstrata::Options;

    use super::*;

    #[test]
    fn links_of_scripts_without_spaces() {
        let text = "今天中午是高潮时间港口办公室说去岛上的渡轮比平时早一个小时出发。".repeat(4);
        for (html, density) in [(format!("<p><a href=/>{text}</a>"), 1.0), (text.clone(), 0.0)] {
            let page = AtomicPage::read(html.as_bytes(), &Options::default(), 80);
            let lines = lines(&page, 80);
            assert!(lines.len() > 2, "{lines:?}");
            assert!(lines.iter().all(|line| line.link_density() == density), "{lines:?}");
        }
    }
}
