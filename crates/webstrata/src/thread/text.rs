//! The text of a post.

use super::Found;
use crate::html::tag::Tag;
use crate::page::Page;
use crate::tree::NodeId;

/// Paragraphs are set apart by blank lines, lines of code are kept.
pub(crate) fn text_of(page: &Page<'_>, found: &Found) -> String {
    let tree = &page.tree;
    let mut left_out: Vec<NodeId> =
        [&found.quotes, &found.signature, &found.card].into_iter().flatten().copied().collect();
    left_out.sort_unstable();
    let mut left_out = left_out.into_iter().peekable();
    let mut writer = Writer::default();
    for range in &found.body {
        writer.gap(2);
        let mut node = range.start;
        // Elements that are open, each with where it ends and the gap behind it.
        let mut open: Vec<(NodeId, usize, bool)> = Vec::new();
        while node < range.end {
            while let Some((end, gap, _)) = open.last()
                && *end <= node
            {
                writer.gap(*gap);
                open.pop();
            }
            while left_out.next_if(|out| *out < node).is_some() {}
            if left_out.next_if_eq(&node).is_some() {
                let end = tree.end_of(node);
                // Boxes apart, words of one line together.
                writer.gap(tree.tag(node).map_or(0, gap_around));
                node = end.max(node + 1);
                continue;
            }
            let in_code = open.last().is_some_and(|(_, _, code)| *code);
            match tree.tag(node) {
                None => writer.text(tree.text(node), in_code),
                Some(Tag::Br) => writer.line_break(in_code),
                Some(Tag::Script | Tag::Style | Tag::Template | Tag::Svg | Tag::Title) => {
                    node = tree.end_of(node).max(node + 1);
                    continue;
                }
                Some(tag) => {
                    let gap = gap_around(tag);
                    writer.gap(gap);
                    open.push((tree.end_of(node), gap, in_code || tag == Tag::Pre));
                }
            }
            node += 1;
        }
    }
    writer.text.truncate(writer.text.trim_end().len());
    writer.text
}

/// Line breaks around an element.
fn gap_around(tag: Tag) -> usize {
    match tag {
        Tag::P
        | Tag::Pre
        | Tag::Ul
        | Tag::Ol
        | Tag::Dl
        | Tag::Table
        | Tag::Blockquote
        | Tag::Figure
        | Tag::H1
        | Tag::H2
        | Tag::H3
        | Tag::H4
        | Tag::H5
        | Tag::H6
        | Tag::Hr => 2,
        Tag::Div | Tag::Li | Tag::Tr | Tag::Dt | Tag::Dd | Tag::Section | Tag::Article => 1,
        _ => 0,
    }
}

#[derive(Default)]
struct Writer {
    text: String,
    /// Line breaks that are due before the next word.
    gap: usize,
    space: bool,
    breaks: usize,
}

impl Writer {
    fn gap(&mut self, gap: usize) {
        self.gap = self.gap.max(gap);
    }

    fn line_break(&mut self, in_code: bool) {
        if in_code {
            self.text.push('\n');
            return;
        }
        self.breaks += 1;
        self.gap(self.breaks.min(2));
    }

    fn text(&mut self, text: &str, in_code: bool) {
        if in_code {
            let text = if self.gap > 0 { text.trim_start_matches(['\r', '\n']) } else { text };
            if !text.is_empty() {
                self.pending();
                self.text.push_str(text);
            }
            return;
        }
        if text.starts_with(char::is_whitespace) {
            self.space = true;
        }
        for word in text.split_whitespace() {
            self.pending();
            self.text.push_str(word);
            self.space = true;
        }
        let ends_open = !text.ends_with(char::is_whitespace) && !text.is_empty();
        if ends_open {
            self.space = false;
        }
    }

    fn pending(&mut self) {
        if self.text.is_empty() {
            // Nothing stands before the first word.
        } else if self.gap > 0 {
            let trimmed = self.text.trim_end_matches(' ').len();
            self.text.truncate(trimmed);
            self.text.extend(std::iter::repeat_n('\n', self.gap));
        } else if self.space {
            self.text.push(' ');
        }
        (self.gap, self.space, self.breaks) = (0, false, 0);
    }
}
