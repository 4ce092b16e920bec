//! The inside of a paragraph: pieces of text with their styles to one or more lines of Markdown.

use crate::output::sink::Style;

/// A stretch of a paragraph.
#[derive(Debug)]
enum Piece {
    /// Text as the page has it; may begin with a space, never ends with one.
    Text(String, Style),
    /// Markdown already: a formula, an image.
    Ready(String),
    /// The page begins a new line.
    Break,
}

/// The pieces of the paragraph that is being read.
#[derive(Debug, Default)]
pub(super) struct Inline {
    /// With the number of the link that it is in, 0 for none.
    pieces: Vec<(Piece, u32)>,
}

/// What the place asks for.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Place {
    /// Bars would end the cell.
    pub(super) cell: bool,
    /// One line only.
    pub(super) heading: bool,
    /// A paragraph of one line, so that what it begins with counts.
    pub(super) caption: bool,
    /// The page has formulas, so dollars in its text are escaped.
    pub(super) formulas: bool,
}

impl Inline {
    pub(super) fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Adds words, after a space if `space`.
    pub(super) fn text(&mut self, words: &str, space: bool, style: Style, link: u32) {
        if let Some((Piece::Text(_, last), of)) = self.pieces.last()
            && (*last, *of) == (style, link)
        {
        } else {
            self.pieces.push((Piece::Text(String::new(), style), link));
        }
        let Some((Piece::Text(text, _), _)) = self.pieces.last_mut() else { return };
        let before = text.len();
        if space && !words.starts_with(' ') {
            text.push(' ');
        }
        text.push_str(words.strip_suffix(' ').unwrap_or(words));
        if text.trim().is_empty() && before == 0 {
            self.pieces.pop();
        }
    }

    pub(super) fn ready(&mut self, markdown: &str, space: bool, link: u32) {
        let space = if space && !self.is_empty() { " " } else { "" };
        self.pieces.push((Piece::Ready(format!("{space}{markdown}")), link));
    }

    /// A new line; `false` if there is one already: two make a paragraph.
    pub(super) fn line_break(&mut self) -> bool {
        match self.pieces.last() {
            None => true,
            Some((Piece::Break, _)) => false,
            Some(_) => {
                self.pieces.push((Piece::Break, 0));
                true
            }
        }
    }

    /// Everything strong, for terms that are defined.
    pub(super) fn make_strong(&mut self) {
        for (piece, _) in &mut self.pieces {
            if let Piece::Text(_, style) = piece {
                style.strong = true;
            }
        }
    }

    /// Keeps as many links as `left` bytes of addresses allow.
    pub(super) fn drop_links(&mut self, urls: &[String], left: &mut usize) {
        let mut last = 0;
        for (_, link) in self.pieces.iter_mut().filter(|(_, link)| *link != 0) {
            let length = if *link == last { 0 } else { urls[*link as usize - 1].len() };
            last = *link;
            if length > *left {
                *left = 0;
            }
            *left -= length.min(*left);
            if *left == 0 {
                *link = 0;
            }
        }
    }

    /// The lines, and nothing left. `urls` has the addresses of the links by their numbers.
    pub(super) fn take(&mut self, place: Place, urls: &[String]) -> String {
        while let Some((Piece::Break, _)) = self.pieces.last() {
            self.pieces.pop();
        }
        let pieces = std::mem::take(&mut self.pieces);
        let mut out = String::new();
        let mut open = 0;
        for (i, (piece, link)) in pieces.iter().enumerate() {
            let next = pieces.get(i + 1);
            let (text, style) = match piece {
                Piece::Break => {
                    let in_link = next.is_some_and(|(_, next)| open != 0 && *next == open);
                    if !in_link {
                        close(&mut out, &mut open, urls);
                    }
                    out.push(if place.cell || place.heading { ' ' } else { '\n' });
                    continue;
                }
                Piece::Text(text, style) => (text, Some(*style)),
                Piece::Ready(text) => (text, None),
            };
            if open != *link {
                close(&mut out, &mut open, urls);
            }
            let body = text.trim_start_matches(' ');
            if body.len() < text.len() && !out.is_empty() && !out.ends_with([' ', '\n']) {
                out.push(' ');
            }
            if open != *link {
                if out.ends_with('!') {
                    // Not an image.
                    out.insert(out.len() - 1, '\\');
                }
                if ends_mark(&out) {
                    // A reference to a footnote, and not the text of this link's.
                    out.push(' ');
                }
                out.push('[');
                open = *link;
            }
            let after = match next {
                Some((Piece::Text(text, _) | Piece::Ready(text), next)) if next == link => {
                    text.chars().next()
                }
                Some((Piece::Text(text, _), _)) if text.starts_with(' ') => Some(' '),
                Some((Piece::Text(_, _) | Piece::Ready(_), _)) => Some('['),
                Some((Piece::Break, _)) => Some(' '),
                None => None,
            };
            match style {
                None => out.push_str(body),
                Some(style) => styled(body, style, *link != 0, after, place, &mut out),
            }
        }
        close(&mut out, &mut open, urls);
        let out = out.trim_end_matches([' ', '\n']);
        match place {
            Place { cell: true, .. } => out.to_owned(),
            Place { caption: true, .. } => starts_escaped(out),
            // Behind the signs of a heading only those that would end it count.
            Place { heading: true, .. } => match out.strip_suffix('#') {
                Some(start) if !start.ends_with('\\') => format!("{start}\\#"),
                _ => out.to_owned(),
            },
            _ => starts_escaped(out),
        }
    }
}

fn close(out: &mut String, open: &mut u32, urls: &[String]) {
    if *open != 0 {
        out.push_str("](");
        push_url(&urls[*open as usize - 1], out);
        out.push(')');
        *open = 0;
    }
}

/// An address between parentheses; a character reference in it would be read as one.
pub(super) fn push_url(url: &str, out: &mut String) {
    for (i, c) in url.char_indices() {
        match c {
            '&' if is_reference(&url[i..]) => out.push_str("&amp;"),
            c => out.push(c),
        }
    }
}

/// Text between the signs of its style. Where these would not be read as such, they are left out: a
/// reader who sees asterisks has lost more than emphasis.
fn styled(
    text: &str,
    style: Style,
    in_link: bool,
    after: Option<char>,
    place: Place,
    out: &mut String,
) {
    let before = out.chars().next_back();
    let near = |c: Option<char>| c.is_none_or(|c| c.is_whitespace() || c.is_ascii_punctuation());
    let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let collides = matches!(before, Some('*' | '~' | '_' | '`'));
    // A line that begins with a link would define one.
    let defines = in_link && text.contains("]:");
    let code = style.code && !defines && !matches!(before, Some('`'));
    // Signs next to other signs are signs beside punctuation.
    let punctuated = code || (style.strike && (style.strong || style.emphasis));
    let opens = near(before) || (is_word(text.chars().next()) && !punctuated);
    let closes = near(after) || (is_word(text.chars().next_back()) && !punctuated);
    let marks = !collides && opens && closes;
    let mut signs = String::new();
    if marks {
        let strong = style.strong && !place.heading;
        signs.push_str(if style.strike { "~~" } else { "" });
        signs.push_str(if strong { "**" } else { "" });
        signs.push_str(if style.emphasis { "*" } else { "" });
    }
    out.push_str(&signs);
    if code {
        push_code(text, place, out);
    } else {
        if text.starts_with('(') && ends_mark(out) {
            // No address, and the mark before it no text of a link.
            out.push('\\');
        }
        escape(text, in_link, after, place, out);
    }
    out.extend(signs.chars().rev());
}

fn push_code(text: &str, place: Place, out: &mut String) {
    let fence = "`".repeat(longest_run(text, '`') + 1);
    let pad = text.starts_with('`') || text.ends_with('`');
    let pad = if pad { " " } else { "" };
    out.push_str(&fence);
    out.push_str(pad);
    for c in text.chars() {
        if c == '|' && place.cell {
            out.push('\\');
        }
        out.push(c);
    }
    out.push_str(pad);
    out.push_str(&fence);
}

/// How many of a character stand in a row, at most.
pub(super) fn longest_run(text: &str, of: char) -> usize {
    let (mut longest, mut run) = (0, 0);
    for c in text.chars() {
        run = if c == of { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

/// Escapes what would be read as markup, and nothing else: `snake_case`,
/// `2 * 3`, `[sic]` and `a < b` stay as they are.
pub(super) fn escape(
    text: &str,
    in_link: bool,
    after: Option<char>,
    place: Place,
    out: &mut String,
) {
    // Most runs have nothing that may be markup: all of their bytes are looked at together.
    if crate::bytes::count(text.as_bytes(), may_be_markup) == 0 {
        out.push_str(text);
        return;
    }
    let mut copied = 0;
    // The end of a formula that the page has as text: nothing in it is escaped.
    let mut formula_end = 0;
    // Brackets behind the mark of a footnote would be the label of a link.
    let mut behind_mark = false;
    for (i, byte) in text.bytes().enumerate() {
        // All that may be markup is ASCII; what stands between goes over as it is.
        if !may_be_markup(byte) || i < formula_end {
            continue;
        }
        if let Some(length) = typed_formula(&text[i..]).filter(|_| !place.cell) {
            formula_end = i + length;
            continue;
        }
        out.push_str(&text[copied..i]);
        copied = i + 1;
        let c = char::from(byte);
        let before = out.chars().next_back().filter(|c| *c != '\n');
        let next = text[i + 1..].chars().next();
        let last = next.is_none();
        let next = next.or(after);
        let spaced = before == Some(' ') && !last && next == Some(' ');
        let word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let special = match c {
            '\\' => last || next.is_some_and(|c| c.is_ascii_punctuation()),
            '`' => true,
            '*' => !spaced,
            '_' => !(spaced || (word(before) && !last && word(next))),
            '~' => before != Some(' ') || last || next == Some('~'),
            '[' => {
                behind_mark |= ends_mark(out);
                behind_mark || in_link || before.is_none() || next == Some('^') || last
            }
            ']' => {
                let label = std::mem::take(&mut behind_mark);
                let leads = matches!(next, Some('(' | '[' | ':')) || leads_apart(&text[i + 1..]);
                label || in_link || last || leads
            }
            '<' => last || next.is_some_and(|c| c.is_ascii_alphabetic() || "/!?".contains(c)),
            '&' => is_reference(&text[i..]) || may_go_on(&text[i..], after),
            '|' => place.cell,
            '$' => place.formulas,
            _ => false,
        };
        match c {
            // Not all readers of Markdown know `\<` and `\&`. All know character references.
            '<' if special => out.push_str("&lt;"),
            '&' if special => out.push_str("&amp;"),
            c if special => out.extend(['\\', c]),
            c => out.push(c),
        }
    }
    out.push_str(&text[copied..]);
}

/// The length of TeX that stands here between its signs: `\(…\)`, `\[…\]`, `$$…$$`, and `$…$` with something in it
/// that only TeX has. Amounts of money are none.
fn typed_formula(text: &str) -> Option<usize> {
    let (start, end) = [("\\(", "\\)"), ("\\[", "\\]"), ("$$", "$$"), ("$", "$")]
        .into_iter()
        .find(|(start, _)| text.starts_with(start))?;
    let inside = &text[start.len()..];
    let limit =
        (0..=inside.len().min(LONGEST_FORMULA)).rev().find(|at| inside.is_char_boundary(*at))?;
    let inside = &inside[..inside[..limit].find(end)?];
    let is_tex = match start {
        "$" => {
            let touches = !inside.starts_with(' ') && !inside.ends_with(' ') && !inside.is_empty();
            touches && inside.contains(['\\', '^', '_', '=']) && !inside.contains("](")
        }
        _ => !inside.trim().is_empty() && !inside.contains("]("),
    };
    // What would be a tag or a footnote where formulas are not known is escaped all the same.
    let is_harmless = !inside.contains(['<', '`', '&']) && !inside.contains("[^");
    (is_tex && is_harmless).then_some(start.len() + inside.len() + end.len())
}

/// Bytes of a formula that a page has as text.
const LONGEST_FORMULA: usize = 2_000;

/// Is this, behind a bracket, an address for those readers who allow a space before it?
fn leads_apart(rest: &str) -> bool {
    let inside = rest.trim_start_matches(' ').strip_prefix('(');
    let address = inside.map(|inside| inside.trim_start_matches([' ', '<'])).unwrap_or_default();
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
    let scheme = address.bytes().take(40).take_while(is_part).count();
    scheme > 0 && address[scheme..].starts_with(':')
}

/// Does markup of ours end here, and no bracket of the text?
fn ends_mark(out: &str) -> bool {
    out.ends_with(']') && !out.ends_with("\\]")
}

/// Bytes that [`escape`] looks at.
fn may_be_markup(byte: u8) -> bool {
    matches!(byte, b'\\' | b'`' | b'*' | b'_' | b'~' | b'[' | b']' | b'<' | b'&' | b'|' | b'$')
}

/// Could this, which begins with `&`, be a character reference?
fn is_reference(text: &str) -> bool {
    let mut name =
        text[1..].bytes().take(40).skip_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'#');
    name.next() == Some(b';')
}

/// Could it become one with the piece behind it?
fn may_go_on(text: &str, after: Option<char>) -> bool {
    let goes_on = |c: char| c.is_ascii_alphanumeric() || c == '#';
    text.len() < 40
        && text[1..].chars().all(goes_on)
        && after.is_some_and(|c| goes_on(c) || c == ';')
}

/// Escapes what would make a line a heading, a quote, an item, a rule, a footnote or part of a table.
fn starts_escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    for (i, line) in text.split('\n').enumerate() {
        if i > 0 {
            out.push('\n');
        }
        let line = line.trim_matches(' ');
        let (first, rest) = line.split_at(line.find(|c| c != '#').unwrap_or(line.len()));
        let ends = |rest: &str| rest.is_empty() || rest.starts_with(' ');
        let digits = line.bytes().take_while(u8::is_ascii_digit).count();
        let all = |set: &str| line.chars().all(|c| set.contains(c));
        let starts = line.starts_with('>')
            || (line.starts_with(['-', '+']) && ends(&line[1..]))
            || (!line.is_empty() && all("-=:| +"))
            || (!first.is_empty() && first.len() <= 6 && ends(rest))
            // A fence of tildes or dashes of metadata.
            || line.starts_with("---");
        if starts {
            out.push('\\');
            out.push_str(line);
        } else if (1..=9).contains(&digits)
            && line[digits..].starts_with(['.', ')'])
            && ends(&line[digits + 1..])
        {
            out.push_str(&line[..digits]);
            out.push('\\');
            out.push_str(&line[digits..]);
        } else if let Some(colon) = defined_note(line) {
            out.push_str(&line[..colon]);
            out.push('\\');
            out.push_str(&line[colon..]);
        } else {
            out.push_str(line);
        }
    }
    out
}

/// The colon behind a reference that a line begins with: both would be the beginning of a footnote.
fn defined_note(line: &str) -> Option<usize> {
    let end = line.strip_prefix("[^")?.find(']')? + "[^]".len();
    line[end..].starts_with(':').then_some(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> String {
        let mut inline = Inline::default();
        inline.text(text, false, Style::default(), 0);
        inline.take(Place::default(), &[])
    }

    #[test]
    fn only_what_would_be_markup_is_escaped() {
        for (text, expect) in [
            ("snake_case and 2 * 3", "snake_case and 2 * 3"),
            ("__init__", "\\_\\_init\\_\\_"),
            ("*note*", "\\*note\\*"),
            ("# one", "\\# one"),
            ("#one", "#one"),
            ("1. one", "1\\. one"),
            ("1.5 one", "1.5 one"),
            ("- one", "\\- one"),
            ("-one", "-one"),
            ("> one", "\\> one"),
            ("a > b < c", "a > b < c"),
            ("<b>", "&lt;b>"),
            ("AT&T &amp; R&D", "AT&T &amp;amp; R&D"),
            ("see [1] and [a](b)", "see [1] and [a\\](b)"),
            ("see [1] (2020) and [a] (b:c)", "see [1] (2020) and [a\\] (b:c)"),
            ("~5 km", "\\~5 km"),
            ("about ~5 km", "about ~5 km"),
            ("C:\\dir\\*", "C:\\dir\\\\\\*"),
            ("---", "\\---"),
            ("costs $5", "costs $5"),
        ] {
            assert_eq!(line(text), expect, "{text}");
        }
    }

    #[test]
    fn a_link_behind_a_footnote_is_another() {
        let mut inline = Inline::default();
        inline.ready("[^1]", false, 0);
        inline.text("log", false, Style::default(), 1);
        assert_eq!(inline.take(Place::default(), &["/log".to_owned()]), "[^1] [log](/log)");
    }

    #[test]
    fn a_bracket_behind_a_footnote_is_text() {
        let mut inline = Inline::default();
        inline.ready("[^1]", false, 0);
        inline.text("[2] and a][b", false, Style::default(), 0);
        assert_eq!(inline.take(Place::default(), &[]), "[^1]\\[2\\] and a\\][b");
    }

    #[test]
    fn a_link_defines_no_other() {
        let mut inline = Inline::default();
        inline.text("]: x", false, Style { code: true, ..Style::default() }, 1);
        assert_eq!(inline.take(Place::default(), &["/log".to_owned()]), "[\\]: x](/log)");
    }

    #[test]
    fn styles_only_where_they_are_read_as_such() {
        let strong = Style { strong: true, ..Style::default() };
        let plain = Style::default();
        let lines = |pieces: &[(&str, bool, Style)]| {
            let mut inline = Inline::default();
            for (text, space, style) in pieces {
                inline.text(text, *space, *style, 0);
            }
            inline.take(Place::default(), &[])
        };
        assert_eq!(
            lines(&[("a", false, plain), ("b", true, strong), (".", false, plain)]),
            "a **b**."
        );
        assert_eq!(
            lines(&[("a", false, plain), ("b", false, strong), ("c", false, plain)]),
            "a**b**c"
        );
        assert_eq!(
            lines(&[("a", false, plain), ("(b)", false, strong), ("c", false, plain)]),
            "a(b)c"
        );
        let code = Style { code: true, ..plain };
        assert_eq!(lines(&[("a", false, plain), ("x`y*", true, code)]), "a ``x`y*``");
    }
}
