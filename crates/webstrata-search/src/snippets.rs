//! A few words of a page around what was asked for.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::tokens::{Places, fold};

/// About how many bytes of text are shown.
const LENGTH: usize = 240;
/// Bytes before the first word that was asked for.
const BEFORE: usize = 40;
/// Bytes of a page in which words are looked for.
const SEARCHED: usize = 256 << 10;

/// A few words of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snippet {
    /// The text, on one line.
    pub text: String,
    /// Where in the text the words stand that were asked for, in bytes.
    pub marks: Vec<Range<usize>>,
}

impl Snippet {
    /// As HTML: everything escaped, marked words in `<mark>`.
    pub fn html(&self) -> String {
        let mut html = String::with_capacity(self.text.len() + 64);
        let mut from = 0;
        for mark in &self.marks {
            escape(&self.text[from..mark.start], &mut html);
            html.push_str("<mark>");
            escape(&self.text[mark.clone()], &mut html);
            html.push_str("</mark>");
            from = mark.end;
        }
        escape(&self.text[from..], &mut html);
        html
    }
}

/// Writes text so that it is text in HTML, between tags and in attributes.
pub(crate) fn escape(text: &str, html: &mut String) {
    for character in text.chars() {
        match character {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#39;"),
            other => html.push(other),
        }
    }
}

/// The snippet of a text for some words: where most of them stand close together, or the beginning.
/// The second is how many of the words it shows.
pub(crate) fn snippet(text: &str, words: &BTreeSet<String>) -> (Snippet, usize) {
    let text = cut(text, SEARCHED);
    let found = find(text, words);
    let (first, distinct) = best_window(&found);
    let around = match found.get(first) {
        Some((place, _)) => window(text, place.start),
        None => window(text, 0),
    };
    let mut shown = String::with_capacity(around.len() + 8);
    if around.start > 0 {
        shown.push_str("… ");
    }
    let offset = shown.len();
    shown.extend(
        text[around.clone()].chars().map(|c| if c.is_ascii_whitespace() { ' ' } else { c }),
    );
    let marks =
        found.iter().filter(|(place, _)| place.start >= around.start && place.end <= around.end);
    let marks = marks
        .map(|(place, _)| place.start - around.start + offset..place.end - around.start + offset)
        .collect();
    let trimmed = shown.trim_end().len();
    shown.truncate(trimmed);
    if around.end < text.len() {
        shown.push_str(" …");
    }
    (Snippet { text: shown, marks }, distinct)
}

/// The first bytes of a text, whole characters.
fn cut(text: &str, most: usize) -> &str {
    &text[..boundary(text, most)]
}

/// The last place up to here where a character begins.
fn boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Where the words stand, and which of them.
fn find<'w>(text: &str, words: &'w BTreeSet<String>) -> Vec<(Range<usize>, &'w str)> {
    let mut folded = String::new();
    let mut found = Vec::new();
    if words.is_empty() {
        return found;
    }
    for place in Places::new(text) {
        fold(&text[place.clone()], &mut folded);
        if let Some(word) = words.get(&folded) {
            found.push((place, word.as_str()));
        }
    }
    found
}

/// Which of the places begins the window with most different words, of those the one with most
/// words, of those the first; and how many different words that are.
fn best_window(found: &[(Range<usize>, &str)]) -> (usize, usize) {
    let (mut best, mut first) = ((0, 0), 0);
    let mut inside: BTreeMap<&str, usize> = BTreeMap::new();
    let mut end = 0;
    for (start, (place, word)) in found.iter().enumerate() {
        while let Some((next, word)) = found.get(end)
            && next.end <= place.start + LENGTH - BEFORE
        {
            *inside.entry(word).or_default() += 1;
            end += 1;
        }
        let here = (inside.len(), end.saturating_sub(start));
        if here > best {
            (best, first) = (here, start);
        }
        if let Some(count) = inside.get_mut(word) {
            *count -= 1;
            if *count == 0 {
                inside.remove(word);
            }
        }
        // A word longer than the window was never inside.
        end = end.max(start + 1);
    }
    (first, best.0)
}

/// What is shown around a place: it begins and ends between words where there are spaces.
fn window(text: &str, at: usize) -> Range<usize> {
    let mut start = boundary(text, at.saturating_sub(BEFORE));
    if start > 0 {
        let space = text[start..at].find(char::is_whitespace);
        start += space.map_or(0, |space| space + 1);
        start = boundary(text, start);
    }
    let start = start + (text[start..].len() - text[start..].trim_start().len());
    let mut end = boundary(text, start.saturating_add(LENGTH));
    if end < text.len() {
        // Not back over what is shown for its own sake.
        let least = boundary(text, at.max(start) + (end.saturating_sub(at.max(start))) / 2);
        end = text[least..end].rfind(char::is_whitespace).map_or(end, |space| least + space);
    }
    start.min(end)..end
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn words(words: &[&str]) -> BTreeSet<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn words_are_marked_and_escaped() {
        let (snippet, shown) =
            snippet("The <b>Ferry</b> & \"ferry\"\nruns.", &words(&["ferry", "x"]));
        assert_eq!(shown, 1);
        assert_eq!(
            snippet.html(),
            "The &lt;b&gt;<mark>Ferry</mark>&lt;/b&gt; &amp; &quot;<mark>ferry</mark>&quot; runs."
        );
        assert_eq!(snippet.text, "The <b>Ferry</b> & \"ferry\" runs.");
    }

    #[test]
    fn the_place_with_most_words_is_shown() {
        let filler = "lorem ipsum dolor sit amet ".repeat(40);
        let text = format!("ferry {filler} the hourly ferry between two islands {filler} ferry");
        let (snippet, shown) = snippet(&text, &words(&["hourly", "ferry", "islands"]));
        assert_eq!(shown, 3);
        assert!(snippet.text.starts_with("… ") && snippet.text.ends_with(" …"), "{}", snippet.text);
        assert!(snippet.text.contains("hourly ferry between two islands"));
        assert_eq!(snippet.marks.len(), 3);
        assert!(snippet.text.len() < 300);
    }

    #[test]
    fn without_words_it_is_the_beginning() {
        let text = "word ".repeat(200);
        let (snippet, shown) = snippet(&text, &words(&["absent"]));
        assert_eq!(shown, 0);
        assert!(snippet.text.starts_with("word word") && snippet.text.ends_with("word …"));
        assert!(snippet.marks.is_empty());
    }

    proptest! {
        #[test]
        fn any_text_has_a_snippet(text in "(?s)([a-c é学校\n]|.){0,600}") {
            let (snippet, shown) = snippet(&text, &words(&["a", "ab", "学校", "é"]));
            prop_assert!(snippet.text.len() <= LENGTH + 2 * BEFORE + 12, "{}", snippet.text.len());
            let mut last = 0;
            for mark in &snippet.marks {
                prop_assert!(mark.start >= last);
                prop_assert!(snippet.text.get(mark.clone()).is_some());
                last = mark.end;
            }
            prop_assert_eq!(shown > 0, !snippet.marks.is_empty());
            let html = snippet.html().replace("<mark>", "").replace("</mark>", "");
            prop_assert!(!html.contains(['<', '>', '"']));
        }
    }
}
