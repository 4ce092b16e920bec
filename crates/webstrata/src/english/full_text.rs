//! Running text: blocks that fill their lines.

use super::FULL_TEXT_DENSITY;
use crate::document::Document;
use crate::filters::filter;
use crate::filters::largest::{keep_only, largest_content};

filter! {
    /// Drops content blocks with too few words of running text; words in blocks with a text density
    /// below a minimum do not count.
    #[doc(alias = "MinFulltextWordsFilter")]
    pub struct DropShortFullText: "drop-short-full-text", Drop {
        /// Fewer words than this are too few.
        pub min_words: u32 = 30,
        /// From this text density on a block is running text.
        pub min_text_density: f64 = FULL_TEXT_DENSITY,
    }
}

impl DropShortFullText {
    fn change(&self, document: &mut Document) {
        for block in &mut document.blocks {
            let words = block.counts.full_text_words(self.min_text_density);
            block.is_content &= words >= self.min_words;
        }
    }
}

filter! {
    /// Keeps only the content block with the most words of running text (a text density of at least
    /// 9), the first of several, and labels all others `might-be-content`. A page without any
    /// content, or of fewer than two blocks, stays as it is.
    #[doc(alias = "KeepLargestFulltextBlockFilter")]
    pub struct KeepLargestFullText: "keep-largest-full-text", Keep;
}

impl KeepLargestFullText {
    fn change(&self, document: &mut Document) {
        let blocks = &mut document.blocks;
        let measure = |block: &crate::Block| block.counts.full_text_words(FULL_TEXT_DENSITY);
        let largest = largest_content(blocks, measure);
        if blocks.len() >= 2 && largest.is_some() {
            keep_only(blocks, largest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Label;
    use crate::filters::testing::{check_content, document, words};

    #[test]
    fn short_full_text() {
        let (text, short) = (words(30), words(29));
        let long_words = ["incomprehensibilities"; 30].join(" ");
        let page = document(&[
            (&text, 0, true),
            (&text, 0, false),
            (&short, 0, true),
            // 30 words, but only three of them fit a line.
            (&long_words, 0, true),
        ]);
        check_content(DropShortFullText::default(), page.clone(), "C---");
        let thin = DropShortFullText { min_text_density: 3.0, ..Default::default() };
        check_content(thin, page, "C--C");
    }

    #[test]
    fn largest_full_text() {
        let long_words = ["incomprehensibilities"; 30].join(" ");
        let text = words(12);
        let page = document(&[(&long_words, 0, true), (&text, 0, true), (&text, 0, true)]);
        let page = check_content(KeepLargestFullText, page, "-C-");
        assert!(page.blocks[0].labels.has(Label::MightBeContent));
        let page = check_content(KeepLargestFullText, document(&[("a", 0, false); 2]), "--");
        assert_eq!(page.labels(), ["", ""]);
    }
}
