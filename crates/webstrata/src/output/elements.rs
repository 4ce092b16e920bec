//! What elements do to the text around them, and what words are written as.

use std::borrow::Cow;

use super::sink::{Container, Gap};
use crate::html::tag::{Tag, flag};

/// Words as they are written: no-break spaces are spaces, and what is not seen is left out: soft hyphens, spaces
/// without width, marks of byte order.
pub(super) fn plain(words: &str) -> Cow<'_, str> {
    let bytes = words.as_bytes();
    // Their first bytes are also those of quotes and dashes, which many texts have.
    let is_special = |at: usize| {
        let spaces =
            matches!(&bytes[at..], [0xc2, 0xa0 | 0xad, ..] | [0xe2, 0x80, 0x87 | 0x8b | 0xaf, ..]);
        spaces || matches!(&bytes[at..], [0xef, 0xbb, 0xbf, ..])
    };
    if !memchr::memchr3_iter(0xc2, 0xe2, 0xef, bytes).any(is_special) {
        return words.into();
    }
    let mut plain = String::with_capacity(words.len());
    for c in words.chars() {
        match c {
            '\u{ad}' | '\u{200b}' | '\u{feff}' => {}
            c if c.is_whitespace() => {
                if !plain.ends_with(' ') {
                    plain.push(' ');
                }
            }
            c => plain.push(c),
        }
    }
    plain.into()
}

/// How far the text before and behind an element stands apart from it.
pub(super) fn gap_of(tag: Tag) -> Gap {
    use Tag::*;
    match tag {
        P | Td | Th | Caption | Blockquote | Ul | Ol | Menu | Dir | Dl | Table | Pre | Listing
        | Xmp | Plaintext | Figure | Hr => Gap::Paragraph,
        tag if tag.is(flag::HEADING) => Gap::Paragraph,
        _ => Gap::Line,
    }
}

pub(super) fn gap_of_container(container: Container<'_>) -> Gap {
    match container {
        Container::Quote | Container::Definitions | Container::Figure => Gap::Paragraph,
        _ => Gap::Line,
    }
}

/// Elements that text runs through and that HTML keeps.
pub(super) fn is_inline(tag: Tag) -> bool {
    use Tag::*;
    matches!(
        tag,
        Em | I
            | Strong
            | B
            | U
            | S
            | Strike
            | Del
            | Ins
            | Code
            | Tt
            | Kbd
            | Samp
            | Var
            | Sub
            | Sup
            | Mark
            | Q
            | Cite
            | Abbr
            | Acronym
            | Dfn
            | Time
            | Small
            | Bdo
    )
}

/// Drawings and films; what is in them is for browsers that do not show them, or labels in a picture.
pub(super) fn is_drawn(tag: Tag) -> bool {
    matches!(tag, Tag::Style | Tag::Svg | Tag::Video | Tag::Audio | Tag::Canvas)
}

/// Elements that text does not run through.
pub(super) fn is_block(tag: Tag) -> bool {
    use Tag::*;
    tag.is(flag::BLOCK | flag::HEADING)
        || matches!(
            tag,
            P | Pre
                | Listing
                | Xmp
                | Plaintext
                | Form
                | Li
                | Dd
                | Dt
                | Hr
                | Table
                | Caption
                | Tbody
                | Thead
                | Tfoot
                | Tr
                | Td
                | Th
                | Body
                | Optgroup
                | Option
        )
}
