//! Date and author lines.

use crate::document::{Block, Document, Label};
use crate::filters::{decide_by_text, filter};

filter! {
    /// Keeps short lines that are a date or a time, or start with "By ", and labels them
    /// `article-metadata`: blocks of at most 10 words. A date line is made of digits, commas, full
    /// stops, slashes, spaces and at most one English month, with `am`, `pm` and a time zone of two
    /// or three letters at the end.
    #[doc(alias = "ArticleMetadataFilter")]
    pub struct KeepArticleMetadata: "keep-article-metadata", Keep;
}

impl KeepArticleMetadata {
    fn change(&self, document: &mut Document) {
        let is_metadata = |text: &str| {
            text.starts_with("By ") || text.starts_with("by ") || is_date_line(text.as_bytes())
        };
        let keep = |block: &mut Block| {
            block.is_content = true;
            block.labels.add(Label::ArticleMetadata);
        };
        decide_by_text(document, |block| block.counts.words <= 10, is_metadata, keep);
    }
}

const MONTHS: &[&str] = &[
    "Jan",
    "Feb",
    "Mar",
    "Apr",
    "May",
    "Jun",
    "Jul",
    "Aug",
    "Sep",
    "Oct",
    "Nov",
    "Dec",
    "January",
    "February",
    "March",
    "April",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// Whether the whole text is, in boilerpipe's pattern:
/// `[0-9 ,./]*\b(Jan|Feb|…)?\b[0-9 ,:apm./]*([CPSDMGET]{2,3})?`.
///
/// A month starts with a letter and the digits before it do not contain any, so it can only stand
/// right behind the longest such prefix. The tail is read from the end. Both ways once: linear.
fn is_date_line(text: &[u8]) -> bool {
    let is_prefix = |b: &u8| matches!(b, b'0'..=b'9' | b' ' | b',' | b'.' | b'/');
    let is_tail = |b: &u8| is_prefix(b) || matches!(b, b':' | b'a' | b'p' | b'm');
    let is_zone = |b: &u8| b"CPSDMGET".contains(b);

    let prefix = text.iter().take_while(|b| is_prefix(b)).count();
    let zone = text.iter().rev().take_while(|b| is_zone(b)).count();
    if !matches!(zone, 0 | 2 | 3) {
        return false;
    }
    let tail = text.iter().rev().skip(zone).take_while(|b| is_tail(b)).count();
    let tail_start = text.len() - zone - tail;

    let without_month = (tail_start..=prefix).any(|at| is_word_boundary(text, at));
    let with_month = MONTHS.iter().any(|month| {
        let end = prefix + month.len();
        text[prefix..].starts_with(month.as_bytes())
            && end >= tail_start
            && is_word_boundary(text, prefix)
            && is_word_boundary(text, end)
    });
    without_month || with_month
}

fn is_word_boundary(text: &[u8], at: usize) -> bool {
    let is_word = |b: Option<&u8>| b.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
    is_word(at.checked_sub(1).and_then(|before| text.get(before))) != is_word(text.get(at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filters::testing::{check_content, document, words};

    #[test]
    fn dates_and_authors() {
        let check = |text: &str, expect: bool| {
            let page = document(&[(text, 0, false)]);
            let page = check_content(KeepArticleMetadata, page, if expect { "C" } else { "-" });
            assert_eq!(page.blocks[0].labels.has(Label::ArticleMetadata), expect);
        };
        check("May 12, 2008", true);
        check("12 September 2008 10:30 am PST", true);
        check("1/2/2008", true);
        check("2008", true);
        check("10:30pm ET", true);
        check("PST", true);
        check("PSTE", false);
        check("T", false);
        check("12May", false);
        check("May2008", false);
        check("12 Mai 2008", false);
        check("Published 12 May 2008", false);
        check("12 May 2008 GMT+1", false);
        check("", false);
        check(" , .", false);
        check("ap", true);
        check("By A. N. Author", true);
        check("by somebody", true);
        check("By", false);
        check(&format!("By {}", words(9)), true);
        check(&format!("By {}", words(10)), false);
        check(&".".repeat(1_000_000), false);
    }
}
