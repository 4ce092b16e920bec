//! The page's title among its blocks, and what stands above and below it.

use super::{decide_by_text, filter};
use crate::document::{Block, Document, Label};

filter! {
    /// Labels blocks whose text is the page's title (`<title>`), or its longest part when cut at
    /// bars, guillemets and colons, or also at parentheses, at hyphens, at commas. Parts that
    /// contain `.com` are site names.
    #[doc(alias = "DocumentTitleMatchClassifier")]
    pub struct FindTitle: "find-title", Find;
}

impl FindTitle {
    fn change(&self, document: &mut Document) {
        let titles = possible_titles(document.title.as_deref().unwrap_or_default());
        if !titles.is_empty() {
            let is_title = |text: &str| titles.iter().any(|title| title == trim(text));
            decide_by_text(document, |_| true, is_title, |block| block.labels.add(Label::Title));
        }
    }
}

/// The title and its longest parts.
fn possible_titles(title: &str) -> Vec<String> {
    let title = trim(title);
    if title.is_empty() {
        return Vec::new();
    }
    let separators: [&[char]; 4] = [
        &['|', '»', ':'],
        &['|', '»', ':', '(', ')'],
        &['|', '»', ':', '(', ')', '-'],
        &['|', '»', ':', '(', ')', '-', ','],
    ];
    let parts = separators.into_iter().filter_map(|separators| longest_part(title, separators));
    std::iter::once(title).chain(parts).map(str::to_owned).collect()
}

/// The longest part between separators, `None` where there is nothing to choose.
///
/// boilerpipe means to prefer parts of more words, but its pattern `[\b]+` splits at the backspace
/// character, so that every part has one word and the length alone decides: in UTF-16 units, as
/// that is how Java measures. A title with a separator at its end only is one part, because Java's
/// `split` drops empty strings at the end (but not at the start).
fn longest_part<'t>(title: &'t str, separators: &[char]) -> Option<&'t str> {
    let title_without_end = title.trim_end_matches(|c| c == ' ' || separators.contains(&c));
    let parts = title_without_end.split(separators).map(|part| part.trim_matches(' '));
    parts.clone().nth(1)?;
    // Of equal maxima `max_by_key` takes the last.
    let longest =
        parts.rev().filter(|part| !part.contains(".com")).max_by_key(|part| utf16_length(part))?;
    Some(trim(longest)).filter(|part| !part.is_empty())
}

pub(crate) fn utf16_length(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

/// Java's `trim`: control characters and the space, but no other whitespace.
pub(crate) fn trim(text: &str) -> &str {
    text.trim_matches(|c| c <= ' ')
}

filter! {
    /// Keeps what stands between the title and the first content block, as far as it was dropped by
    /// a rough filter (label `might-be-content`): subtitle, date, author. The title is the last
    /// labelled block that is not below the first content.
    #[doc(alias = "ExpandTitleToContentFilter")]
    pub struct KeepTitleToContent: "keep-title-to-content", Keep;
}

impl KeepTitleToContent {
    fn change(&self, document: &mut Document) {
        let blocks = &mut document.blocks;
        let Some(content) = blocks.iter().position(|block| block.is_content) else { return };
        let is_title = |index: &usize| blocks[*index].labels.has(Label::Title);
        let Some(title) = (0..=content).rev().find(is_title) else { return };
        for block in &mut blocks[title..content] {
            block.is_content |= block.labels.has(Label::MightBeContent);
        }
    }
}

filter! {
    /// Drops everything above the title, which an earlier step labelled: the paper's Main Content
    /// Filter removes text above a clearly identifiable title (section 4.3.2). Of several titles the
    /// first counts, and only if more words of content stand below it than above; a text repeated
    /// from the title at the bottom of the page, such as the site's name, is no headline.
    pub struct DropBeforeTitle: "drop-before-title", Drop;
}

impl DropBeforeTitle {
    fn change(&self, document: &mut Document) {
        let title = document.blocks.iter().position(|block| block.labels.has(Label::Title));
        let Some(title) = title else { return };
        let (above, below) = document.blocks.split_at_mut(title);
        if content_words(below) > content_words(above) {
            for block in above {
                block.is_content = false;
            }
        }
    }
}

fn content_words(blocks: &[Block]) -> u32 {
    blocks.iter().filter(|block| block.is_content).map(|block| block.counts.words).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filters::testing::{check_content, document};

    #[test]
    fn parts_of_titles() {
        let check = |title: &str, expect: &[&str]| {
            let mut titles = possible_titles(title);
            titles.dedup();
            assert_eq!(titles, expect, "{title}");
        };
        check("", &[]);
        check("  \n", &[]);
        check("Plain", &["Plain"]);
        check("News | Ferry runs hourly", &["News | Ferry runs hourly", "Ferry runs hourly"]);
        check("Ferry - The Harbour Post", &["Ferry - The Harbour Post", "The Harbour Post"]);
        check(
            "Ferry, hourly (photos): Harbour",
            &[
                "Ferry, hourly (photos): Harbour",
                "Ferry, hourly (photos)",
                "Ferry, hourly",
                "Harbour",
            ],
        );
        // The first of equals; a part with .com never.
        check("abc : def", &["abc : def", "abc"]);
        check("abc | www.example.com", &["abc | www.example.com", "abc"]);
        // A separator at the end makes no second part, one at the start does.
        check("abc |", &["abc |"]);
        check("abc | |", &["abc | |"]);
        check("| abc", &["| abc", "abc"]);
        check(":", &[":"]);
        check(".com : .com", &[".com : .com"]);
    }

    #[test]
    fn find_title() {
        let mut page = document(&[("Ferry", 0, false), (" Ferry runs hourly ", 0, false)]);
        page.title = Some("Harbour Post » Ferry runs hourly".into());
        assert_eq!(check_content(FindTitle, page, "--").labels(), ["", "title"]);
    }

    #[test]
    fn title_to_content() {
        let mut page = document(&[
            ("Title", 0, false),
            ("Menu", 0, false),
            ("Title", 0, false),
            ("By line", 0, false),
            ("Advertisement", 0, false),
            ("Text", 0, true),
            ("Title", 0, false),
        ]);
        for (block, title) in
            page.blocks.iter_mut().zip([true, false, true, false, false, false, true])
        {
            block.labels.add(Label::MightBeContent);
            if title {
                block.labels.add(Label::Title);
            }
        }
        page.blocks[4].labels.remove(Label::MightBeContent);
        check_content(KeepTitleToContent, page.clone(), "--CC-C-");
        page.blocks[5].is_content = false;
        check_content(KeepTitleToContent, page, "-------");
    }

    #[test]
    fn before_title() {
        let mut page = document(&[("a", 0, true), ("b", 0, false), ("c d", 0, true)]);
        check_content(DropBeforeTitle, page.clone(), "C-C");
        page.blocks[1].labels.add(Label::Title);
        check_content(DropBeforeTitle, page.clone(), "--C");
        page.blocks[0].counts.words = 2;
        check_content(DropBeforeTitle, page, "C-C");
    }
}
