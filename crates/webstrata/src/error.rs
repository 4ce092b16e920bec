//! What can go wrong while an extractor or a model is loaded.
//!
//! Extraction itself never fails. One error type serves the crate; it says in one line what is
//! wrong, where, and what to write instead.

use std::fmt;

/// Characters of the user's text that a message repeats.
const LONGEST_QUOTE: usize = 80;

/// Why an extractor or a model could not be loaded: one line that names the thing and the remedy.
///
/// ```
/// let error = webstrata::Extractor::from_toml(
///     "name = 'mine'\nsteps = [\n  { filter = 'fuse-nearbye' },\n]",
/// )
/// .unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "line 3: step 1: unknown filter `fuse-nearbye`, did you mean `fuse-nearby`?"
/// );
/// assert_eq!(error.line(), Some(3));
/// assert_eq!(error.kind(), webstrata::ErrorKind::UnknownName);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    line: Option<usize>,
    message: String,
}

/// What kind of thing is wrong, for programs that tell errors apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The text is no extractor in TOML, or it lacks something.
    Syntax,
    /// There is no filter, field, model or extractor of a name.
    UnknownName,
    /// A value is not one that can stand in its place.
    InvalidValue,
    /// A file that an extractor names could not be read.
    UnreadableFile,
    /// A model is damaged, or is none.
    InvalidModel,
    /// A model was made for another version of the library.
    ModelVersion,
    /// An extractor has no step that could use a model.
    UnusableModel,
}

impl Error {
    /// What kind of thing is wrong.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The line of the text that is wrong, counted from 1, where one line is to blame.
    pub fn line(&self) -> Option<usize> {
        self.line
    }

    /// What is wrong, without the line.
    pub fn message(&self) -> &str {
        &self.message
    }

    pub(crate) fn new(message: impl Into<String>) -> Error {
        // What the user wrote, and some messages of the TOML parser, may have line breaks.
        Error {
            kind: ErrorKind::InvalidValue,
            line: None,
            message: message.into().replace('\n', ", "),
        }
    }

    pub(crate) fn at(line: usize, message: impl Into<String>) -> Error {
        Error { line: Some(line), ..Error::new(message) }
    }

    pub(crate) fn of_kind(self, kind: ErrorKind) -> Error {
        Error { kind, ..self }
    }

    /// The `thing` called `name` is none of `known`.
    pub(crate) fn unknown<'a>(
        thing: &str,
        name: &str,
        known: impl IntoIterator<Item = &'a str> + Clone,
    ) -> Error {
        Error::new(unknown(thing, name, known)).of_kind(ErrorKind::UnknownName)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

/// The candidate that `name` was most likely meant to be: the one with the fewest edits, if they are
/// few for its length. Case and `_` for `-` do not count.
///
/// ```
/// use webstrata::error::nearest;
///
/// assert_eq!(nearest("artcile", ["article", "largest"]), Some("article"));
/// assert_eq!(nearest("Num_Words", ["num-words"]), Some("num-words"));
/// assert_eq!(nearest("readability", ["article", "largest"]), None);
/// ```
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name = folded(name);
    let distance_to = |candidate: &'a str| {
        let candidate_chars = folded(candidate);
        let longer = name.len().max(candidate_chars.len());
        let limit = longer.max(3) / 3;
        if longer - name.len().min(candidate_chars.len()) > limit {
            return None;
        }
        let distance = edit_distance(&name, &candidate_chars);
        (distance <= limit).then_some((distance, candidate))
    };
    let (_, near) = candidates.into_iter().filter_map(distance_to).min_by_key(|(d, _)| *d)?;
    Some(near)
}

/// The message for an unknown name: it offers the nearest known one, or lists all.
///
/// ```
/// use webstrata::error::unknown;
///
/// let line = unknown("option", "favour", ["favor", "width"]);
/// assert_eq!(line, "unknown option `favour`, did you mean `favor`?");
/// ```
pub fn unknown<'a>(
    thing: &str,
    name: &str,
    known: impl IntoIterator<Item = &'a str> + Clone,
) -> String {
    let hint = match near(name, known.clone()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("expected one of {}", quoted(known)),
    };
    format!("unknown {thing} `{}`, {hint}", shortened(name))
}

/// The nearest name. A name that is far too long is not compared: that takes time for each pair of letters.
pub(crate) fn near<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > LONGEST_QUOTE { None } else { nearest(name, known) }
}

/// A text of the user, fit for a message: at most 80 characters, without control characters.
///
/// ```
/// assert_eq!(webstrata::error::shortened("a\nb"), "a b");
/// ```
pub fn shortened(text: &str) -> String {
    cut(text, LONGEST_QUOTE)
}

/// At most `most` characters on one line.
pub(crate) fn cut(text: &str, most: usize) -> String {
    let fit =
        |c: char| if c.is_control() || ['\u{2028}', '\u{2029}'].contains(&c) { ' ' } else { c };
    let mut line: String = text.chars().take(most).map(fit).collect();
    if text.chars().nth(most).is_some() {
        line.push('…');
    }
    line
}

/// `` `a`, `b`, `c` ``
pub(crate) fn quoted<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let quoted: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    quoted.join(", ")
}

fn folded(name: &str) -> Vec<char> {
    name.chars().map(|c| if c == '_' { '-' } else { c.to_ascii_lowercase() }).collect()
}

/// Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`.
fn edit_distance(a: &[char], b: &[char]) -> usize {
    let mut before = vec![0; b.len() + 1];
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let replaced = above[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = replaced.min(above[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut above, row);
    }
    above[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        let check = |a: &str, b: &str, expect| {
            assert_eq!(edit_distance(&folded(a), &folded(b)), expect, "{a} {b}");
            assert_eq!(edit_distance(&folded(b), &folded(a)), expect, "{b} {a}");
        };
        check("", "", 0);
        check("", "abc", 3);
        check("words", "word", 1);
        check("wrods", "words", 1);
        check("Fuse_Nearby", "fuse-nearby", 0);
        check("kitten", "sitting", 3);
    }

    #[test]
    fn a_far_name_gets_the_whole_list() {
        let error = Error::unknown("model", "svm", ["density", "num-words"]);
        let expect = "unknown model `svm`, expected one of `density`, `num-words`";
        assert_eq!(error.to_string(), expect);
    }
}
