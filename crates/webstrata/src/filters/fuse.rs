//! The filters that change the list of blocks: they fuse, split and remove.

use super::filter;
use crate::document::{Block, Document, Label};

filter! {
    /// Fuses a content block with the block above it, content or not, if at most so many atoms lie
    /// between them. Boilerplate right above content becomes content that way: a headline, say. Atoms
    /// lie between blocks only where some have been removed.
    #[doc(alias = "BlockProximityFusion")]
    pub struct FuseNearby: "fuse-nearby", Fuse {
        /// How many atoms may lie between the two blocks.
        pub max_distance: u32 = 1,
        /// Whether the block above has to be content, too.
        pub content_only: bool = false,
        /// Whether both have to be on the same tag level.
        pub same_level: bool = false,
    }
}

impl FuseNearby {
    fn change(&self, document: &mut Document) {
        fuse_where(document, |above, block| {
            let distance = block.first_atom().saturating_sub(above.last_atom() + 1);
            block.is_content
                && distance <= self.max_distance as usize
                && (above.is_content || !self.content_only)
                && (above.tag_level == block.tag_level || !self.same_level)
        });
    }
}

filter! {
    /// Fuses content with the blocks right below it, as long as less than 56% of their words are
    /// linked and none is labelled `strictly-not-content`. boilerpipe goes on with a second pass, at
    /// whose start it compares the first blocks with the last one of the page; as that is a mistake,
    /// there is one pass here.
    #[doc(alias = "ContentFusion")]
    pub struct FuseContent: "fuse-content", Fuse;
}

impl FuseContent {
    fn change(&self, document: &mut Document) {
        fuse_where(document, |above, block| {
            above.is_content
                && block.counts.link_density() < 0.56
                && !block.labels.has(Label::StrictlyNotContent)
        });
    }
}

filter! {
    /// Fuses neighbours of exactly the same text density: a plain form of the Block Fusion that
    /// section 3.4 refers to.
    #[doc(alias = "SimpleBlockFusionProcessor")]
    pub struct FuseSameDensity: "fuse-same-density", Fuse;
}

impl FuseSameDensity {
    fn change(&self, document: &mut Document) {
        fuse_where(document, |above, block| {
            above.counts.text_density() == block.counts.text_density()
        });
    }
}

filter! {
    /// Fuses neighbours that are enclosed by the same elements of interest (headings, `p`, `div`,
    /// `a`, `li`); blocks that none encloses stay alone.
    #[doc(alias = "LabelFusion")]
    pub struct FuseSameMarkup: "fuse-same-markup", Fuse;
}

impl FuseSameMarkup {
    fn change(&self, document: &mut Document) {
        let markup_of = |block: &Block| {
            block.atoms().fold(0, |union, atom| union | document.atoms[atom].enclosing.0)
        };
        // Read once per block: asking a growing block again and again would take quadratic time.
        let mut markup = document.blocks.iter().map(markup_of).collect::<Vec<_>>().into_iter();
        let mut above_markup = markup.next();
        fuse_where(document, |_, _| {
            let block_markup = markup.next();
            std::mem::replace(&mut above_markup, block_markup) == block_markup
                && block_markup != Some(0)
        });
    }
}

/// Goes down the page and takes each block into the one above, already fused, where `fits` says so.
fn fuse_where(document: &mut Document, mut fits: impl FnMut(&Block, &Block) -> bool) {
    document.blocks.dedup_by(|block, above| {
        let fits = fits(above, block);
        if fits {
            above.fuse(std::mem::take(block));
        }
        fits
    });
}

filter! {
    /// Splits fused blocks into their atoms. Each keeps the verdict and the labels of its block.
    #[doc(alias = "SplitParagraphBlocksFilter")]
    pub struct SplitParagraphs: "split-paragraphs", Split;
}

impl SplitParagraphs {
    fn change(&self, document: &mut Document) {
        let mut split = Vec::with_capacity(document.atoms.len());
        for block in document.blocks.drain(..) {
            split.extend(block.atoms().map(|index| {
                let mut part = Block::of_atom(index as u32, &document.atoms[index]);
                part.labels |= block.labels;
                part.is_content = block.is_content;
                part.score = block.score;
                part
            }));
        }
        document.blocks = split;
    }
}

filter! {
    /// Removes all blocks that are not content, so that later steps see what is left as neighbours.
    #[doc(alias = "BoilerplateBlockFilter")]
    pub struct RemoveBoilerplate: "remove-boilerplate", Remove;
}

impl RemoveBoilerplate {
    fn change(&self, document: &mut Document) {
        document.blocks.retain(|block| block.is_content);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filters::testing::{check_blocks, document};

    fn fuse_nearby(max_distance: u32) -> FuseNearby {
        FuseNearby { max_distance, ..FuseNearby::default() }
    }

    #[test]
    fn nearby_takes_the_boilerplate_right_above() {
        let page = document(&[
            ("a", 0, false),
            ("b", 0, false),
            ("c", 0, true),
            ("d", 0, true),
            ("e", 0, false),
            ("f", 0, true),
        ]);
        check_blocks(fuse_nearby(1), page.clone(), "a- b+c+dC e+fC");
        let content_only = FuseNearby { content_only: true, ..fuse_nearby(1) };
        check_blocks(content_only, page, "a- b- c+dC e- fC");
    }

    #[test]
    fn nearby_measures_in_atoms() {
        let mut page = document(&[("a", 0, true), ("b", 0, false), ("c", 0, true), ("d", 0, true)]);
        page.blocks.remove(1);
        check_blocks(fuse_nearby(0), page.clone(), "aC c+dC");
        check_blocks(fuse_nearby(1), page.clone(), "a+c+dC");
        page.blocks[0].tag_level += 1;
        let same_level = FuseNearby { same_level: true, ..fuse_nearby(1) };
        check_blocks(same_level, page, "aC c+dC");
    }

    #[test]
    fn content_runs_on_until_links() {
        let page = document(&[
            ("a", 0, false),
            ("b", 0, true),
            ("c", 0, false),
            ("d", 1, false),
            ("e", 0, false),
        ]);
        check_blocks(FuseContent, page.clone(), "a- b+cC d- e-");
        let mut page = page;
        page.blocks[2].labels.add(Label::StrictlyNotContent);
        check_blocks(FuseContent, page, "a- bC c- d- e-");
    }

    #[test]
    fn same_density() {
        let page = document(&[("a b", 0, true), ("c d", 0, false), ("e", 0, false)]);
        check_blocks(FuseSameDensity, page, "a b+c dC e-");
    }

    #[test]
    fn same_markup() {
        let mut page = document(&[("a", 0, false); 6]);
        for (atom, markup) in page.atoms.iter_mut().zip([0, 0, 1, 1, 3, 3]) {
            atom.enclosing.0 = markup;
        }
        check_blocks(FuseSameMarkup, page, "a- a- a+a- a+a-");
    }

    #[test]
    fn split_undoes_fusion() {
        let mut page = document(&[("a", 0, true), ("b", 0, false), ("c", 0, false)]);
        page.blocks[0].labels.add(Label::Title);
        page.blocks.remove(1);
        let last = page.blocks.pop().unwrap();
        page.blocks[0].fuse(last);
        let page = check_blocks(SplitParagraphs, page, "aC cC");
        assert_eq!(page.labels(), ["title", "title"]);
    }

    #[test]
    fn remove() {
        let page = document(&[("a", 0, true), ("b", 0, false), ("c", 0, true)]);
        check_blocks(RemoveBoilerplate, page, "aC cC");
    }
}
