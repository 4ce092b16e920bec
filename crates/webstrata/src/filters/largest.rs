//! The block with the most words.

use super::filter;
use crate::document::{Block, Document, Label};

filter! {
    /// Keeps only the content block with the most words, the first of several (the Largest Content
    /// Filter of section 4.3.2), and labels all others `might-be-content`. A page of fewer than two
    /// blocks stays as it is.
    #[doc(alias = "KeepLargestBlockFilter")]
    pub struct KeepLargest: "keep-largest", Keep {
        /// Whether to keep, besides, blocks on the tag level of the largest one, up and down to the
        /// next block on a lower level.
        pub expand_to_same_level: bool = false,
    }
}

impl KeepLargest {
    fn change(&self, document: &mut Document) {
        let blocks = &mut document.blocks;
        if blocks.len() < 2 {
            return;
        }
        let largest = largest_content(blocks, |block| block.counts.words);
        keep_only(blocks, largest);
        if let Some(largest) = largest.filter(|_| self.expand_to_same_level) {
            let level = blocks[largest].tag_level;
            let (above, below) = blocks.split_at_mut(largest);
            keep_while_not_lower(level, above.iter_mut().rev());
            keep_while_not_lower(level, below.iter_mut());
        }
    }
}

/// The first of the content blocks that measure most.
pub(crate) fn largest_content(blocks: &[Block], measure: impl Fn(&Block) -> u32) -> Option<usize> {
    let content = blocks.iter().enumerate().filter(|(_, block)| block.is_content);
    // Of equal maxima `max_by_key` takes the last.
    content.rev().max_by_key(|(_, block)| measure(block)).map(|(index, _)| index)
}

/// Drops all blocks but one; those may be taken back by a later filter.
pub(crate) fn keep_only(blocks: &mut [Block], kept: Option<usize>) {
    for (index, block) in blocks.iter_mut().enumerate() {
        block.is_content = Some(index) == kept;
        if !block.is_content {
            block.labels.add(Label::MightBeContent);
        }
    }
}

fn keep_while_not_lower<'a>(level: u16, blocks: impl Iterator<Item = &'a mut Block>) {
    for block in blocks.take_while(|block| block.tag_level >= level) {
        block.is_content |= block.tag_level == level;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filters::testing::{check_content, document};

    #[test]
    fn keeps_the_first_of_the_largest() {
        let page = document(&[("a b c", 0, false), ("a b", 0, true), ("c d", 0, true)]);
        let labels = check_content(KeepLargest::default(), page, "-C-").labels();
        assert_eq!(labels, ["might-be-content", "", "might-be-content"]);
    }

    #[test]
    fn without_content_all_might_be() {
        let page = document(&[("a b c", 0, false), ("a b", 0, false)]);
        let labels = check_content(KeepLargest::default(), page, "--").labels();
        assert_eq!(labels, ["might-be-content", "might-be-content"]);
        let single = document(&[("a", 0, false)]);
        assert_eq!(check_content(KeepLargest::default(), single, "-").labels(), [""]);
    }

    #[test]
    fn expands_to_the_same_level() {
        let mut page = document(&[("a", 0, false); 7]);
        for (block, level) in page.blocks.iter_mut().zip([3, 2, 3, 4, 3, 3, 1]) {
            block.tag_level = level;
        }
        page.blocks[4].is_content = true;
        check_content(KeepLargest { expand_to_same_level: true }, page, "--C-CC-");
    }
}
