//! Whitespace as cutting sees it: what is collapsed to one space, and what is not.

use crate::bytes::count;

/// How many bytes of whitespace stand at `at`. No-break spaces are none: a cell that holds one is a
/// token, as in boilerpipe.
#[inline]
pub(crate) fn whitespace_length(bytes: &[u8], at: usize) -> usize {
    let mut end = at;
    while end < bytes.len() {
        let length = match BYTES[bytes[end] as usize] {
            Byte::Visible => 0,
            Byte::Space | Byte::White => 1,
            Byte::MayBeWide => wide_space(&bytes[end..]),
        };
        if length == 0 {
            break;
        }
        end += length;
    }
    end - at
}

/// How many bytes of a text are not whitespace: its share of the text of its atom, spaces aside.
pub(crate) fn visible_length(bytes: &[u8]) -> usize {
    if count(bytes, |byte| matches!(byte, 0xe1..=0xe3)) == 0 {
        let is_white = |byte| matches!(byte, b' ' | b'\t'..=b'\r' | 0x1c..=0x1f);
        return bytes.len() - count(bytes, is_white);
    }
    let (mut at, mut visible) = (0, 0);
    while at < bytes.len() {
        let white = whitespace_length(bytes, at);
        visible += usize::from(white == 0);
        at += white.max(1);
    }
    visible
}

/// The end of a run that can be copied as it is: up to whitespace that is not one single space
/// between two characters. The byte at `from` is visible.
#[inline]
pub(crate) fn run_end(bytes: &[u8], from: usize) -> usize {
    let mut at = from + 1;
    loop {
        at = skip_plain(bytes, at);
        // Byte by byte where a stretch is not plain, and at the end.
        let stretch = (at + STRETCH).min(bytes.len());
        while at < stretch {
            match BYTES[bytes[at] as usize] {
                Byte::Visible => at += 1,
                Byte::Space => match bytes.get(at + 1).map(|byte| BYTES[*byte as usize]) {
                    Some(Byte::Visible) => at += 2,
                    _ => return at,
                },
                Byte::White => return at,
                Byte::MayBeWide if wide_space(&bytes[at..]) > 0 => return at,
                Byte::MayBeWide => at += 1,
            }
        }
        if at >= bytes.len() {
            return at;
        }
    }
}

/// How many bytes are looked at together: as many as the compiler puts into vector registers.
const STRETCH: usize = 32;

/// Goes over whole stretches in which whitespace is only single spaces.
#[inline]
fn skip_plain(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    while let Some(stretch) = bytes.get(at - 1..at + STRETCH) {
        let mut plain = true;
        for i in 1..=STRETCH {
            let byte = stretch[i];
            let double = byte == b' ' && stretch[i - 1] == b' ';
            plain &= !(byte < b' ' || double || byte.wrapping_sub(0xe1) <= 2);
        }
        if !plain {
            break;
        }
        at += STRETCH;
    }
    // The last space of a stretch may be the first of two.
    if at > from && bytes[at - 1] == b' ' { at - 1 } else { at }
}

/// What a byte of text is, as far as whitespace goes.
#[derive(Clone, Copy)]
enum Byte {
    Visible,
    Space,
    /// Whitespace that becomes a space.
    White,
    /// The first byte of a Unicode space, or of something else.
    MayBeWide,
}

static BYTES: [Byte; 256] = {
    let mut bytes = [Byte::Visible; 256];
    let mut i = 0;
    while i < 256 {
        bytes[i] = match i as u8 {
            b' ' => Byte::Space,
            b'\t'..=b'\r' | 0x1c..=0x1f => Byte::White,
            0xe1..=0xe3 => Byte::MayBeWide,
            _ => Byte::Visible,
        };
        i += 1;
    }
    bytes
};

/// The length of a Unicode space other than the no-break ones, 0 if none stands here.
fn wide_space(bytes: &[u8]) -> usize {
    let is_space = match bytes {
        [0xe1, 0x9a, 0x80, ..] | [0xe2, 0x81, 0x9f, ..] | [0xe3, 0x80, 0x80, ..] => true,
        [0xe2, 0x80, last, ..] => matches!(last, 0x80..=0x86 | 0x88..=0x8a | 0xa8 | 0xa9),
        _ => false,
    };
    if is_space { 3 } else { 0 }
}
