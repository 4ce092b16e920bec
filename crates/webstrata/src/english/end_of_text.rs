//! Where the article ends and its readers' comments begin.

use super::FULL_TEXT_DENSITY;
use crate::document::{Document, Label};
use crate::filters::title::{trim, utf16_length};
use crate::filters::{decide_by_text, filter};

/// Where in a text an indicator has to stand.
#[derive(Clone, Copy)]
enum Place {
    Start,
    /// After a number at the start.
    AfterNumber,
    Anywhere,
    WholeText,
}

/// The strings that boilerpipe 1.2.0 takes for the start of a comments section, or the end of the
/// article for other reasons. The paper speaks of 11 (section 4.3.2) and quotes one.
const INDICATORS: &[(Place, &str)] = &[
    (Place::Start, "comments"),
    (Place::AfterNumber, " comments"),
    (Place::AfterNumber, " users responded in"),
    (Place::Start, "© reuters"),
    (Place::Start, "please rate this"),
    (Place::Start, "post a comment"),
    (Place::Anywhere, "what you think..."),
    (Place::Anywhere, "add your comment"),
    (Place::Anywhere, "add comment"),
    (Place::Anywhere, "reader views"),
    (Place::Anywhere, "have your say"),
    (Place::Anywhere, "reader comments"),
    (Place::Anywhere, "rätta artikeln"),
    (Place::WholeText, "thanks for your comments - this feedback is now closed"),
];

filter! {
    /// Labels short blocks that say that the article ends here (`end-of-text`), as "Post a comment"
    /// and "12 comments" do: blocks of fewer than 15 words and at least 8 characters that contain,
    /// or start with, one of boilerpipe's indicator strings.
    #[doc(alias = "TerminatingBlocksFinder")]
    pub struct FindEndOfText: "find-end-of-text", Find;
}

impl FindEndOfText {
    fn change(&self, document: &mut Document) {
        let mut lowercase = String::new();
        let ends_text = |text: &str| {
            let text = trim(text);
            if text.is_ascii() {
                return text.len() >= 8 && has_indicator(text.as_bytes());
            }
            lowercase.clear();
            lowercase.extend(text.chars().flat_map(char::to_lowercase));
            utf16_length(text) >= 8 && has_indicator(lowercase.as_bytes())
        };
        let is_short = |block: &crate::Block| block.counts.words < 15;
        decide_by_text(document, is_short, ends_text, |b| b.labels.add(Label::EndOfText));
    }
}

/// Whether the text, which is lowercase except for ASCII letters, has an indicator at its place.
///
/// Nearly every block of every page comes here, hence no copy of the text, and no search for one
/// string after the other: indicators that may stand anywhere are looked for at their first space.
fn has_indicator(text: &[u8]) -> bool {
    stands_at_start(text)
        || text.windows(2).enumerate().any(|(at, pair)| {
            let mut candidates = match pair[1] {
                b' ' => FIRST_WORD_ENDS_WITH[usize::from(pair[0].to_ascii_lowercase())],
                _ => 0,
            };
            while candidates != 0 {
                let (_, indicator) = INDICATORS[candidates.trailing_zeros() as usize];
                let start = (at + 1).checked_sub(first_word(indicator));
                if start.is_some_and(|start| starts_with(&text[start..], indicator)) {
                    return true;
                }
                candidates &= candidates - 1;
            }
            false
        })
}

fn stands_at_start(text: &[u8]) -> bool {
    // Most blocks are done with at their first byte.
    if !matches!(text.first(), Some(b'c' | b'C' | b'p' | b'P' | b't' | b'T' | b'0'..=b'9' | 0xc2)) {
        return false;
    }
    let digits = text.iter().take_while(|b| b.is_ascii_digit()).count();
    let after_number = if digits > 0 { &text[digits..] } else { &[] };
    INDICATORS.iter().any(|(place, indicator)| match place {
        Place::Start => starts_with(text, indicator),
        Place::AfterNumber => starts_with(after_number, indicator),
        Place::WholeText => text.eq_ignore_ascii_case(indicator.as_bytes()),
        Place::Anywhere => false,
    })
}

fn starts_with(text: &[u8], indicator: &str) -> bool {
    let mut bytes = text.iter().map(u8::to_ascii_lowercase);
    indicator.bytes().all(|byte| bytes.next() == Some(byte))
}

/// For each byte, which of the indicators that may stand anywhere have it at the end of their first
/// word: a bit each. Spaces are few, and few of them stand behind such a letter.
const FIRST_WORD_ENDS_WITH: [u16; 256] = {
    let mut table = [0; 256];
    let mut index = 0;
    while index < INDICATORS.len() {
        if let (Place::Anywhere, indicator) = INDICATORS[index] {
            table[indicator.as_bytes()[first_word(indicator) - 1] as usize] |= 1 << index;
        }
        index += 1;
    }
    table
};

/// The length of an indicator's first word.
const fn first_word(indicator: &str) -> usize {
    let mut length = 0;
    while length < indicator.len() && indicator.as_bytes()[length] != b' ' {
        length += 1;
    }
    length
}

filter! {
    /// Drops everything from the first block labelled `end-of-text` on, once enough running text was
    /// kept above it: the paper's Main Content Filter removes text below the start of the comments
    /// (section 4.3.2). Blocks of at least 9 words a line are running text.
    #[doc(alias = "IgnoreBlocksAfterContentFilter")]
    pub struct DropAfterEnd: "drop-after-end", Drop {
        /// How many words of running content have to stand above.
        pub min_words: u32 = 60,
    }
}

impl DropAfterEnd {
    fn change(&self, document: &mut Document) {
        let mut words = 0;
        let mut ended = false;
        for block in &mut document.blocks {
            if block.is_content {
                words += block.counts.full_text_words(FULL_TEXT_DENSITY);
            }
            ended |= block.labels.has(Label::EndOfText) && words >= self.min_words;
            block.is_content &= !ended;
        }
    }
}

filter! {
    /// Goes up from the bottom of the page and drops blocks labelled `end-of-text`, which become
    /// `strictly-not-content`, until it has passed more than so many words of content.
    #[doc(alias = "IgnoreBlocksAfterContentFromEndFilter")]
    pub struct DropAfterEndFromBottom: "drop-after-end-from-bottom", Drop {
        /// With more words of content below, blocks further up are left alone.
        pub min_words: u32 = 200,
    }
}

impl DropAfterEndFromBottom {
    fn change(&self, document: &mut Document) {
        let mut words = 0;
        for block in document.blocks.iter_mut().rev() {
            if block.labels.has(Label::EndOfText) {
                block.labels.add(Label::StrictlyNotContent);
                block.labels.remove(Label::MightBeContent);
                block.is_content = false;
            } else if block.is_content {
                words += block.counts.words;
                if words > self.min_words {
                    break;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filters::testing::{check_content, document, words};

    #[test]
    fn indicators() {
        let check = |text: &str, expect: bool| {
            let page = document(&[(text, 0, false)]);
            let found = check_content(FindEndOfText, page, "-").labels() == ["end-of-text"];
            assert_eq!(found, expect, "{text}");
        };
        check("Comments", true);
        check("Comment", false);
        check("12 Comments so far", true);
        check("3 users responded in this thread", true);
        check(" comments", true);
        check("twelve comments", false);
        check("12  comments", false);
        check("© Reuters 2008", true);
        check("Please HAVE YOUR SAY below", true);
        check("Tell us what you think...", true);
        check("RÄTTA ARTIKELN", true);
        check("Thanks for your comments - this feedback is now closed", true);
        check("Thanks for your comments - this feedback is now closed.", false);
        check(&format!("Comments {}", words(13)), true);
        check(&format!("Comments {}", words(14)), false);
    }

    fn page_with_end(blocks: &[(&str, u32, bool)], ends: &[usize]) -> Document {
        let mut page = document(blocks);
        for end in ends {
            page.blocks[*end].labels.add(Label::EndOfText);
        }
        page
    }

    #[test]
    fn after_the_end() {
        let text = words(60);
        let blocks = [
            ("Comments", 0, true),
            (text.as_str(), 0, true),
            ("Post a comment", 0, true),
            ("I agree", 0, true),
        ];
        check_content(DropAfterEnd::default(), page_with_end(&blocks, &[0, 2]), "CC--");
        check_content(DropAfterEnd { min_words: 61 }, page_with_end(&blocks, &[0, 2]), "CCCC");
        check_content(DropAfterEnd::default(), page_with_end(&blocks, &[]), "CCCC");
        // 60 words, but not of running text.
        let menu = [("a b c", 0, true); 21];
        let page = page_with_end(&menu, &[20]);
        check_content(DropAfterEnd::default(), page, &"C".repeat(21));
    }

    #[test]
    fn after_the_end_from_the_bottom() {
        let text = words(5);
        let mut page = page_with_end(
            &[("Comments", 0, true), (&text, 0, true), ("Comments", 0, true), (&text, 0, true)],
            &[0, 2],
        );
        page.blocks[2].labels.add(Label::MightBeContent);
        let filter = DropAfterEndFromBottom { min_words: 9 };
        let labels = check_content(filter, page.clone(), "CC-C").labels();
        assert_eq!(labels, ["end-of-text", "", "end-of-text strictly-not-content", ""]);
        check_content(DropAfterEndFromBottom { min_words: 10 }, page, "-C-C");
    }
}
