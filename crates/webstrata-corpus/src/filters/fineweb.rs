//! See [`FineWeb`].

use super::tokens::is_sentence_end;
use super::{Candidate, Filter, Verdict, check_share, repeated, share};

filter! {
    /// FineWeb's own rules (Penedo et al., 2024, section 3.5): too few lines that end as sentences do, too many short
    /// lines, too many characters in repeated lines, too many line breaks for the words. The defaults are those of
    /// datatrove, which made the data set; the paper's text has 0.1 for repeated characters, its code 0.01.
    FineWeb = "fineweb" {
        /// The least share of lines that end with a mark of sentences.
        line_punctuation: f64 = 0.12,
        /// The largest share of short lines.
        short_lines: f64 = 0.67,
        /// The characters of a short line, at most.
        short_line: usize = 30,
        /// The largest share of characters in lines that were there before.
        repeated_characters: f64 = 0.01,
        /// The most line breaks for each word.
        line_breaks: f64 = 0.3,
    }
}

impl FineWeb {
    fn check(&self) -> Result<(), String> {
        check_share("line-punctuation", self.line_punctuation)?;
        check_share("short-lines", self.short_lines)?;
        check_share("repeated-characters", self.repeated_characters)
    }
}

impl Filter for FineWeb {
    fn judge(&self, page: &mut Candidate) -> Verdict {
        let text = page.text();
        let lines = || text.split('\n').filter(|line| !line.trim().is_empty());
        let count = lines().count();
        if count == 0 {
            return Verdict::Drop("empty");
        }
        let punctuated = lines().filter(|line| line.ends_with(is_sentence_end)).count();
        if share(punctuated, count) < self.line_punctuation {
            return Verdict::Drop("line-punctuation");
        }
        let short = lines().filter(|line| line.chars().take(self.short_line + 1).count() <= self.short_line);
        if share(short.count(), count) > self.short_lines {
            return Verdict::Drop("short-lines");
        }
        let characters = text.chars().filter(|c| *c != '\n').count();
        if share(repeated(lines()).1, characters) > self.repeated_characters {
            return Verdict::Drop("repeated-characters");
        }
        let breaks = text.bytes().filter(|byte| *byte == b'\n').count();
        if share(breaks, page.tokens().count()) > self.line_breaks {
            return Verdict::Drop("line-breaks");
        }
        Verdict::Keep
    }
}
