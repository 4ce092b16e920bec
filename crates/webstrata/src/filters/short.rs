//! Short blocks, and blocks without a sentence.

use super::{decide_by_text, filter};
use crate::document::Document;

filter! {
    /// Drops content blocks with fewer words than a minimum. Alone, with 10 words, it is one of the
    /// strategies of section 4.3.2.
    #[doc(alias = "MinWordsFilter")]
    pub struct DropShort: "drop-short", Drop {
        /// Fewer words than this are too few.
        pub min_words: u32 = 10,
    }
}

impl DropShort {
    fn change(&self, document: &mut Document) {
        for block in &mut document.blocks {
            block.is_content &= block.counts.words >= self.min_words;
        }
    }
}

filter! {
    /// Drops content blocks in which no clause has enough words. A clause ends at a letter or digit
    /// that is followed by punctuation (`,` `.` `:` `;` `!` `?`) and a space or the end of the text;
    /// its words are what stands between spaces. Where boilerpipe means letters in the strict sense
    /// of Unicode, the vowel signs of Indic scripts count here, too.
    #[doc(alias = "MinClauseWordsFilter")]
    pub struct DropWithoutClause: "drop-without-clause", Drop {
        /// Fewer words than this are no clause.
        pub min_words: u32 = 5,
        /// Whether the rest of the text after the last punctuation may be the clause.
        pub accept_unterminated: bool = false,
    }
}

impl DropWithoutClause {
    fn change(&self, document: &mut Document) {
        let no_clause = |text: &str| !self.finds_clause(text);
        decide_by_text(document, |block| block.is_content, no_clause, |b| b.is_content = false);
    }
}

impl DropWithoutClause {
    fn finds_clause(&self, text: &str) -> bool {
        // What the scanner has just read.
        #[derive(Clone, Copy, PartialEq)]
        enum Last {
            Letter,
            /// Punctuation right after a letter: a clause ends here if a space follows.
            End,
            Space,
            Other,
        }
        let mut last = Last::Other;
        let mut words = 1;
        for c in text.chars() {
            last = match c {
                ' ' | '\n' | '\r' if last == Last::End => {
                    if words >= self.min_words {
                        return true;
                    }
                    words = 1;
                    Last::Space
                }
                ' ' | '\n' | '\r' => {
                    words += u32::from(last != Last::Space);
                    Last::Space
                }
                ',' | '.' | ':' | ';' | '!' | '?' if matches!(last, Last::Letter | Last::End) => {
                    Last::End
                }
                _ if is_letter_or_digit(c) => Last::Letter,
                _ => Last::Other,
            };
        }
        if last == Last::End {
            if words >= self.min_words {
                return true;
            }
            words = 1;
        }
        self.accept_unterminated && words >= self.min_words
    }
}

fn is_letter_or_digit(c: char) -> bool {
    c.is_ascii_alphanumeric() || (!c.is_ascii() && c.is_alphabetic() && !c.is_numeric())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filters::testing::{check_content, document};

    #[test]
    fn drop_short() {
        let page = document(&[("one two", 0, true), ("one two three", 0, true), ("one", 0, false)]);
        check_content(DropShort { min_words: 3 }, page, "-C-");
    }

    #[test]
    fn clauses() {
        let check = |text: &str, terminated: bool, unterminated: bool| {
            let page = document(&[(text, 0, true), (text, 0, false)]);
            let verdict = |kept| if kept { "C-" } else { "--" };
            check_content(DropWithoutClause::default(), page.clone(), verdict(terminated));
            let lenient = DropWithoutClause { accept_unterminated: true, ..Default::default() };
            check_content(lenient, page, verdict(unterminated));
        };
        check("This is one whole sentence.", true, true);
        check("This is one whole sentence", false, true);
        check("Four words, not five.", false, false);
        check("Short. Then a longer one follows here!", true, true);
        check("Version 2.0 has no clause end", false, true);
        // The quotation mark stands between punctuation and space.
        check("He said \"this is it.\" And went", false, true);
        check("One two three four five).", false, true);
        check("a b c d e?!... f", true, true);
        check("die Straße ist gesperrt, ß.", false, false);
        check("wie lang ist diese große Straße, bitte", true, true);
        check("", false, false);
    }
}
