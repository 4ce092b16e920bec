//! Labels, and what follows from them and from the blocks around.

use super::filter;
use crate::document::{Block, Document, Label};

filter! {
    /// Keeps blocks that have any of the given labels.
    #[doc(alias = "LabelToContentFilter")]
    pub struct KeepLabelled: "keep-labelled", Keep {
        /// The labels; none by default.
        pub labels: Vec<Label> = Vec::new(),
    }
}

impl KeepLabelled {
    fn change(&self, document: &mut Document) {
        for block in &mut document.blocks {
            block.is_content |= has_any(block, &self.labels);
        }
    }
}

filter! {
    /// Drops blocks that have any of the given labels; by default those that an earlier filter found
    /// to be strictly not content.
    #[doc(alias = "LabelToBoilerplateFilter")]
    pub struct DropLabelled: "drop-labelled", Drop {
        /// The labels.
        pub labels: Vec<Label> = vec![Label::StrictlyNotContent],
    }
}

impl DropLabelled {
    fn change(&self, document: &mut Document) {
        for block in &mut document.blocks {
            block.is_content &= !has_any(block, &self.labels);
        }
    }
}

fn has_any(block: &Block, labels: &[Label]) -> bool {
    labels.iter().any(|label| block.labels.has(*label))
}

filter! {
    /// Gives every block the labels that the block above it had before this step, as its own or
    /// marked as those of the preceding block (`^title`). boilerpipe forgets those of the very first
    /// block; here they count.
    #[doc(alias = "AddPrecedingLabelsFilter")]
    pub struct FindPrecedingLabels: "find-preceding-labels", Find {
        /// Whether to mark the labels as those of the preceding block.
        pub as_preceding: bool = false,
    }
}

impl FindPrecedingLabels {
    fn change(&self, document: &mut Document) {
        let above: Vec<_> = document.blocks.iter().map(|block| block.labels).collect();
        for (block, above) in document.blocks.iter_mut().skip(1).zip(above) {
            block.labels |= if self.as_preceding { above.as_preceding() } else { above };
        }
    }
}

filter! {
    /// Keeps a block that stands between two content blocks, if it looks like text. boilerpipe
    /// looks at every second block only; here each one has its chance.
    #[doc(alias = "SurroundingToContentFilter")]
    pub struct KeepSurrounded: "keep-surrounded", Keep {
        /// Fewer words than this are not text.
        pub min_words: u32 = 7,
        /// More links than this are not text.
        pub max_link_density: f64 = 0.0,
    }
}

impl KeepSurrounded {
    fn change(&self, document: &mut Document) {
        let blocks = &mut document.blocks;
        let surrounded: Vec<bool> =
            blocks.windows(3).map(|three| three[0].is_content && three[2].is_content).collect();
        for (block, surrounded) in blocks.iter_mut().skip(1).zip(surrounded) {
            let is_text = block.counts.words >= self.min_words
                && block.counts.link_density() <= self.max_link_density;
            block.is_content |= surrounded && is_text;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filters::testing::{check_content, document, words};

    #[test]
    fn keep_and_drop_by_label() {
        let mut page = document(&[("a", 0, false), ("b", 0, true), ("c", 0, true)]);
        page.blocks[0].labels.add(Label::Title);
        page.blocks[1].labels.add(Label::StrictlyNotContent);
        check_content(DropLabelled::default(), page.clone(), "--C");
        check_content(KeepLabelled { labels: vec![Label::Title] }, page.clone(), "CCC");
        check_content(KeepLabelled::default(), page, "-CC");
    }

    #[test]
    fn preceding_labels_do_not_cascade() {
        let mut page = document(&[("a", 0, false), ("b", 0, false), ("c", 0, false)]);
        page.blocks[0].labels.add(Label::Title);
        page.blocks[1].labels.add(Label::EndOfText);
        let own = check_content(FindPrecedingLabels::default(), page.clone(), "---").labels();
        assert_eq!(own, ["title", "title end-of-text", "end-of-text"]);
        let marked = FindPrecedingLabels { as_preceding: true };
        let marked = check_content(marked, page, "---").labels();
        assert_eq!(marked, ["title", "end-of-text ^title", "^end-of-text"]);
    }

    #[test]
    fn surrounded_text() {
        let text = words(7);
        let page = document(&[
            (&text, 0, true),
            (&text, 0, false),
            (&text, 0, true),
            ("too short", 0, false),
            (&text, 0, true),
            (&text, 1, false),
            (&text, 0, true),
            (&text, 0, false),
            (&text, 0, false),
        ]);
        check_content(KeepSurrounded::default(), page, "CCC-C-C--");
        // boilerpipe would not look at the third block.
        let page = document(&[("a", 0, false), ("a", 0, true), (&text, 0, false), ("a", 0, true)]);
        check_content(KeepSurrounded::default(), page, "-CCC");
    }
}
