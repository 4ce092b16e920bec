//! Blocks whose text is too sparse to be running text.

use super::filter;
use crate::document::Document;

filter! {
    /// Drops content blocks of low text density: at most 5 words a line, the density rounded to a
    /// whole number. Kohlschütter's thesis (section 4.3.3) finds that such segments are template text
    /// with high probability, whatever stands on the other pages of a site; on its corpus they are
    /// 23 % of the tokens. Fuse blocks first, or a short paragraph line counts as sparse.
    pub struct DropSparse: "drop-sparse", Drop {
        /// The highest rounded density that is still too sparse.
        pub max_density: u32 = 5,
    }
}

impl DropSparse {
    fn change(&self, document: &mut Document) {
        for block in &mut document.blocks {
            block.is_content &= block.counts.text_density().round() > f64::from(self.max_density);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cutting::Cutting;
    use crate::filters::testing::{check_content, document, words};
    use crate::filters::{FuseSameDensity, KeepAll, Step};
    use crate::options::Options;

    #[test]
    fn at_most_five_words_a_line_are_sparse() {
        let page = [1, 5, 6, 12].map(words);
        let blocks = page.each_ref().map(|text| (text.as_str(), 0, true));
        check_content(DropSparse::default(), document(&blocks), "--CC");
        check_content(DropSparse { max_density: 11 }, document(&blocks), "---C");
        check_content(DropSparse { max_density: 0 }, document(&blocks), "CCCC");
    }

    #[test]
    fn what_was_dropped_stays_dropped() {
        let text = words(12);
        check_content(DropSparse::default(), document(&[(&text, 0, false)]), "-");
    }

    #[test]
    fn densities_are_rounded() {
        // 11 words on two full lines are 5.5, which is 6.
        let mut document = document(&[("eleven words and a last line", 0, true)]);
        let counts = &mut document.blocks[0].counts;
        (counts.full_lines, counts.words_in_full_lines) = (2, 11);
        check_content(DropSparse::default(), document.clone(), "C");
        document.blocks[0].counts.words_in_full_lines = 10;
        check_content(DropSparse::default(), document, "-");
    }

    #[test]
    fn a_whole_page() {
        let page = "<ul><li>Home<li>Tide tables<li>Contact us</ul>\
            <p>High water at the bar comes an hour later than in the harbour, and in spring the wind \
            from the west holds it there for most of the morning.</p><p>Back to top</p>";
        let mut document = crate::read(page.as_bytes(), Cutting::Atomic, &Options::default());
        let steps: [Step; 3] =
            [FuseSameDensity.into(), KeepAll.into(), DropSparse::default().into()];
        steps.iter().for_each(|step| step.apply(&mut document));
        assert!(document.text().starts_with("High water at the bar"), "{}", document.text());
        assert_eq!(document.text().lines().count(), 1);
    }
}
