//! Body Text Extraction: the stretch of the page with the most text and the fewest tags.

use std::ops::Range;

use super::filter;
use crate::document::Document;

filter! {
    /// Keeps the one stretch of the page that has many tokens and few tags, as BTE does (Finn et
    /// al. 2001; section 2 of the WSDM paper): of all stretches the one with the most tokens inside
    /// plus tags outside. Where BTE tries all pairs of ends, one scan over the atoms finds it here. A
    /// block is content if any of its atoms lies in the stretch; the score is the share of the page's
    /// tokens and tags that this puts on the right side.
    pub struct KeepLeastTags: "keep-least-tags", Keep;
}

impl KeepLeastTags {
    fn change(&self, document: &mut Document) {
        let stretch = best_stretch(document);
        let right = tokens_minus_tags(document, &stretch) + i64::from(document.tags);
        let tokens: i64 = document.atoms.iter().map(|atom| i64::from(atom.counts.tokens)).sum();
        let all = (tokens + i64::from(document.tags)).max(1);
        let score = (right as f32 / all as f32).clamp(0.0, 1.0);
        for block in &mut document.blocks {
            let is_inside = block.atoms().any(|atom| stretch.contains(&atom));
            block.is_content = is_inside;
            block.score = if is_inside { score } else { 1.0 - score };
        }
    }
}

/// The first of the best stretches, as a range of atoms. The tags of the whole page are the same for
/// all stretches, so the best one has the most tokens minus tags.
fn best_stretch(document: &Document) -> Range<usize> {
    let (mut best, mut best_value) = (0..0, 0);
    // The best stretch that ends at the atom just read: with an atom before or without.
    let (mut start, mut value) = (0, 0);
    let mut tags_before = 0;
    for (index, atom) in document.atoms.iter().enumerate() {
        value -= i64::from(atom.tags_before) - tags_before;
        if value <= 0 {
            (start, value) = (index, 0);
        }
        value += i64::from(atom.counts.tokens);
        tags_before = i64::from(atom.tags_before);
        if value > best_value {
            (best, best_value) = (start..index + 1, value);
        }
    }
    best
}

/// Tokens minus tags of a stretch. It begins and ends with text, so that only tags between the
/// starts of its first and its last atom are inside.
fn tokens_minus_tags(document: &Document, stretch: &Range<usize>) -> i64 {
    let atoms = &document.atoms[stretch.clone()];
    let (Some(first), Some(last)) = (atoms.first(), atoms.last()) else { return 0 };
    let tokens: i64 = atoms.iter().map(|atom| i64::from(atom.counts.tokens)).sum();
    tokens - (i64::from(last.tags_before) - i64::from(first.tags_before))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::document::{Atom, Block};
    use crate::filters::testing::check_content;

    /// A page of atoms with so many tokens after so many tags each, and tags at its end.
    fn page(atoms: &[(u32, u32)], tags_at_end: u32) -> Document {
        let mut document = Document::default();
        for (index, (tags, tokens)) in (0..).zip(atoms) {
            document.tags += tags;
            let mut atom = Atom { tags_before: document.tags, ..Atom::default() };
            atom.counts.tokens = *tokens;
            document.blocks.push(Block::of_atom(index, &atom));
            document.atoms.push(atom);
        }
        document.tags += tags_at_end;
        document
    }

    #[test]
    fn text_between_menus() {
        let document = page(&[(9, 2), (4, 1), (8, 50), (2, 3), (2, 40), (9, 2), (4, 1)], 7);
        let document = check_content(KeepLeastTags, document, "--CCC--");
        // 93 tokens inside and 41 tags outside of 99 tokens and 45 tags.
        assert_eq!(document.blocks[2].score, 134.0 / 144.0);
        assert_eq!(document.blocks[0].score, 1.0 - 134.0 / 144.0);
        check_content(KeepLeastTags, page(&[], 0), "");
        check_content(KeepLeastTags, page(&[(3, 0)], 1), "-");
    }

    proptest! {
        #[test]
        fn no_pair_of_ends_is_better(
            atoms in prop::collection::vec((0..12u32, 0..12u32), 0..24), tags_at_end in 0..9u32,
        ) {
            let document = page(&atoms, tags_at_end);
            let ends = (0..=atoms.len()).flat_map(|end| (0..=end).map(move |start| start..end));
            let values = ends.map(|stretch| tokens_minus_tags(&document, &stretch));
            let found = best_stretch(&document);
            prop_assert_eq!(Some(tokens_minus_tags(&document, &found)), values.max());
        }
    }
}
