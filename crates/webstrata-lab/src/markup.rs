//! Text that is safe inside HTML and SVG.

use std::fmt::{self, Display, Write};

/// A text as markup shows it: in elements and in quoted attributes.
pub(crate) struct Escaped<'a>(pub(crate) &'a str);

impl Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                // No XML may contain these, not even as references.
                '\u{fffe}' | '\u{ffff}' => f.write_char('\u{fffd}')?,
                c if c.is_control() && !matches!(c, '\n' | '\t') => f.write_char('\u{fffd}')?,
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

/// What no text may change: the tags and attributes of some markup, without what they enclose.
#[cfg(test)]
pub(crate) fn skeleton(markup: &str) -> String {
    markup.chars().filter(|c| matches!(c, '<' | '>' | '"' | '\'')).collect()
}

/// Is every `&` the beginning of a reference that [`Escaped`] writes?
#[cfg(test)]
pub(crate) fn has_only_references(markup: &str) -> bool {
    let known = ["amp;", "lt;", "gt;", "quot;", "#39;"];
    markup.split('&').skip(1).all(|rest| known.iter().any(|one| rest.starts_with(one)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_markup_needs_escaped() {
        let escaped = Escaped("<a title=\"x\">R&D's</a>\u{0}\u{1b}\u{ffff}\n").to_string();
        let expect =
            "&lt;a title=&quot;x&quot;&gt;R&amp;D&#39;s&lt;/a&gt;\u{fffd}\u{fffd}\u{fffd}\n";
        assert_eq!(escaped, expect);
    }
}
