//! See [`C4`].

use super::tokens::sentences;
use super::{Candidate, Filter, Verdict};

filter! {
    /// The rules of C4 (Raffel et al., 2020, section 2.2): only lines of at least three words that end as sentences do
    /// stay, without those about JavaScript and, as in its code, about cookies and terms of use; pages with "lorem
    /// ipsum", a curly bracket or fewer than five sentences go. Marks of references such as `[1]` are taken out. The list
    /// of bad words is not part of this filter.
    C4 = "c4" {
        /// The fewest words of a line.
        min_line_words: usize = 3,
        /// The most characters of a word; lines with a longer one go.
        max_word: usize = 1000,
        /// The fewest sentences of what is left.
        min_sentences: usize = 5,
        /// Must lines end with a mark of sentences?
        end_marks: bool = true,
        /// Do pages with a curly bracket go?
        curly_brackets: bool = true,
        /// Lines with one of these go.
        drop_lines: Vec<String> = LINES.map(String::from).to_vec(),
    }
}

/// JavaScript in the paper, the others in its code.
const LINES: [&str; 7] = [
    "javascript", "terms of use", "privacy policy", "cookie policy", "uses cookies", "use of cookies", "use cookies",
];

/// What may end a line.
const ENDS: [char; 5] = ['.', '?', '!', '"', '\''];

impl C4 {
    fn check(&self) -> Result<(), String> {
        Ok(())
    }
}

impl Filter for C4 {
    fn judge(&self, page: &mut Candidate) -> Verdict {
        let mut kept: Vec<String> = Vec::new();
        let mut count = 0;
        for line in page.text().lines().map(str::trim) {
            let words = line.split_whitespace();
            let is_long = |word: &str| word.len() > self.max_word && word.chars().count() > self.max_word;
            if words.clone().any(is_long) {
                continue;
            }
            let words = words.count();
            let line = without_references(line);
            if self.end_marks && (!line.ends_with(ENDS) || line.ends_with("...")) || words < self.min_line_words {
                continue;
            }
            let lower = line.to_lowercase();
            if lower.contains("lorem ipsum") {
                return Verdict::Drop("lorem-ipsum");
            }
            // A line that goes takes its brackets with it, but only where it is about JavaScript.
            let is_dropped = |about: &&String| lower.contains(about.as_str());
            let dropped = self.drop_lines.iter().find(is_dropped).map(String::as_str);
            if dropped == Some("javascript") {
                continue;
            }
            if self.curly_brackets && line.contains('{') {
                return Verdict::Drop("curly-bracket");
            }
            if dropped.is_some() {
                continue;
            }
            count += sentences(&line);
            kept.push(line);
        }
        if count < self.min_sentences {
            return Verdict::Drop("too-few-sentences");
        }
        let text = kept.join("\n");
        if text != page.text().trim_end() {
            page.set_text(text + "\n");
        }
        Verdict::Keep
    }
}

/// The line without `[1]`, `[]`, `[edit]` and `[citation needed]`.
fn without_references(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(start) = rest.find('[') {
        plain.push_str(&rest[..start]);
        let inner = &rest[start + 1..];
        let end = inner.find(|c: char| !c.is_numeric()).filter(|end| inner[*end..].starts_with(']'));
        let named = ["edit]", "citation needed]"].into_iter().find(|name| inner.starts_with(name));
        rest = match (end, named) {
            (Some(end), _) => &inner[end + 1..],
            (None, Some(name)) => &inner[name.len()..],
            (None, None) => {
                plain.push('[');
                inner
            }
        };
    }
    plain.push_str(rest);
    plain
}

#[cfg(test)]
mod unit {
    use super::without_references;

    #[test]
    fn references() {
        for (line, wanted) in [
            ("High water.[12][edit]", "High water."),
            ("a [citation needed] b[]", "a  b"),
            ("[x] [12 [1", "[x] [12 [1"),
        ] {
            assert_eq!(without_references(line), wanted);
        }
    }
}
