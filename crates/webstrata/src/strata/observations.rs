//! A page as `strata` sees it: the features of its blocks, and the words that a vocabulary judges.

use std::ops::Range;

use super::containers::{Containers, NONE};
use super::decision::class_of;
use super::features::{self, ANCESTORS};
use super::model::widths;
use super::overview::Page;
use super::rows::Rows;
use super::tokens::{self, Odds, Token, Vocabulary};
use crate::class::Class;
use crate::document::Document;
use crate::html::tag::Tag;
use crate::tree::{Tree, beginning};

/// Words of a block that are looked at one by one.
const WORDS_READ: usize = 40;
/// Bytes of a block in which they are: a word may be as long as the page.
const LONGEST_BEGINNING: usize = 1 << 16;
/// Of those, how many from the beginning and from the end may say what a text is for.
const TELLING_WORDS: (usize, usize) = (8, 4);
/// Blocks between two looks at the clock.
const BLOCKS_PER_CHECK: usize = 256;
/// Containers around a block whose attributes count.
const NAMED_CONTAINERS: usize = 10;

/// The features of a page's blocks, but for those that a vocabulary gives, and what it needs for
/// these.
#[derive(Clone, Debug)]
pub struct Observations {
    /// The features of [`names`](super::features::names), and room for those that the model adds.
    rows: Rows,
    /// For each block, the words of its text that may be telling, as a range of `words`…
    words_of: Vec<Range<u32>>,
    words: Vec<Token>,
    /// … and the tokens of the containers around it.
    names: Names,
    /// The blocks of the container that looks most like an article.
    best: Range<usize>,
    /// For each block, the blocks of the containers around it, and the number of its signature.
    around: Vec<[Range<u32>; ANCESTORS.len()]>,
    signatures: Vec<u32>,
    /// What the elements around each block say that it is.
    markup: Vec<Markup>,
    /// The blocks of each row of a table.
    table_rows: Vec<Range<u32>>,
    /// The blocks that are the recipe in the page's data.
    recipe: Vec<u32>,
    /// What the page says about itself.
    signs: Vec<Token>,
}

/// What elements say of the text in them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Markup {
    Heading,
    Caption,
    Other,
}

impl Observations {
    /// Pages of more blocks are not observed: no page for readers has so many, and the features of a
    /// block take half a kilobyte.
    pub const MAX_BLOCKS: usize = 50_000;

    /// The features of a document's atoms, if there is time. The tree is the one that it was cut from.
    pub(crate) fn of(tree: &Tree<'_>, document: &Document) -> Option<Observations> {
        let mut page = Page::of(tree, document);
        let rows = document.atoms.len();
        let (_, width) = widths();
        let mut observations = Observations {
            rows: Rows::new(rows, width),
            words_of: Vec::with_capacity(rows),
            words: Vec::new(),
            names: Names::default(),
            best: page.best.blocks.clone(),
            around: Vec::with_capacity(rows),
            signatures: page.signatures.number.clone(),
            markup: (0..rows).map(|block| markup(&page.containers, block)).collect(),
            table_rows: page.containers.table_rows().collect(),
            recipe: page.head.recipe.blocks(document),
            signs: page.head.signs.clone(),
        };
        let mut words = Vec::with_capacity(WORDS_READ);
        let mut row = vec![0.0; features::names().len()];
        for block in 0..rows {
            if block.is_multiple_of(BLOCKS_PER_CHECK) && document.clock.passed() {
                return None;
            }
            let text = document.atom_text(block);
            words.clear();
            let first = beginning(text, LONGEST_BEGINNING);
            words.extend(tokens::of_text(tokens::WORD, first).take(WORDS_READ));
            page.row(block, text, &words, &mut row.iter_mut());
            observations.rows.set(block, 0, &row);
            observations.add_words(&words);
            observations.around.push(page.ranges(block));
        }
        observations.names = page.containers.take_names();
        Some(observations)
    }

    fn add_words(&mut self, words: &[Token]) {
        let start = self.words.len() as u32;
        let (first, last) = TELLING_WORDS;
        self.words.extend(words.iter().take(first));
        if words.len() < WORDS_READ {
            let from = first.max(words.len().saturating_sub(last));
            self.words.extend(words.iter().skip(from));
        }
        self.words_of.push(start..self.words.len() as u32);
    }

    /// How many blocks there are.
    pub fn len(&self) -> usize {
        self.words_of.len()
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.words_of.is_empty()
    }

    /// The words of a block's text that may tell what it is for.
    pub fn words(&self, block: usize) -> &[Token] {
        let words = &self.words_of[block];
        &self.words[words.start as usize..words.end as usize]
    }

    /// The tokens of the elements around a block, which may tell it, too.
    pub fn names(&self, block: usize) -> impl Iterator<Item = Token> + '_ {
        self.names.around(block).flat_map(|container| self.names.tokens_of(container)).copied()
    }

    /// What the page says about itself: its type, its generator, the classes of its body.
    pub fn signs(&self) -> &[Token] {
        &self.signs
    }

    /// Is a block in the container that looks most like an article?
    pub(crate) fn is_in_best_container(&self, block: usize) -> bool {
        self.best.contains(&block)
    }

    /// The blocks of the containers around a block.
    pub(super) fn around(&self, block: usize) -> &[Range<u32>] {
        &self.around[block]
    }

    /// The blocks of each row of a table, inner ones after those around them.
    pub fn table_rows(&self) -> &[Range<u32>] {
        &self.table_rows
    }

    /// The blocks that are the ingredients and steps of a recipe, as the page's data has it.
    pub(super) fn recipe(&self) -> &[u32] {
        &self.recipe
    }

    /// The number of the tag and class of a block's container, among those of the page.
    pub(super) fn signature(&self, block: usize) -> u32 {
        self.signatures[block]
    }

    /// What a block is for, given the probabilities of the classes. What the page itself says of kept
    /// blocks counts for more.
    pub(crate) fn class(
        &self,
        block: usize,
        is_kept: bool,
        probabilities: &[f32; Class::ALL.len()],
    ) -> Class {
        match self.markup[block] {
            Markup::Heading if is_kept => Class::Headline,
            Markup::Caption if is_kept => Class::Supplemental,
            _ => class_of(probabilities, is_kept),
        }
    }

    /// Lends the rows to whoever adds to them.
    pub(super) fn take_rows(&mut self) -> Rows {
        std::mem::replace(&mut self.rows, Rows::new(0, 0))
    }

    pub(super) fn put_rows(&mut self, rows: Rows) {
        self.rows = rows;
    }

    /// The features of the blocks, in the order of [`names`](super::features::names), with room for those that the
    /// model adds.
    pub fn rows(&self) -> &Rows {
        &self.rows
    }

    /// The features that a vocabulary gives, in the order of [`word_names`](super::features::word_names).
    pub fn word_features(&self, vocabulary: &Vocabulary) -> Vec<[f32; 8]> {
        let of_containers = self.names.odds(vocabulary);
        (0..self.len())
            .map(|block| {
                let mut names = Odds::default();
                let around = self.names.around(block);
                around.for_each(|container| names.join(of_containers[container]));
                let words = Odds::of(vocabulary, self.words(block));
                let mut row = [0.0; 8];
                row[..4].copy_from_slice(&names.summary());
                row[4..].copy_from_slice(&words.summary());
                row
            })
            .collect()
    }
}

/// What the elements around blocks are called: tokens of `class`, `id`, `role` and `itemprop`.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    /// For each container, the one around it and where its tokens end; parents come first.
    pub(super) containers: Vec<(u32, u32)>,
    pub(super) tokens: Vec<Token>,
    /// For each block, its innermost container.
    pub(super) of_block: Vec<u32>,
}

impl Names {
    /// The containers around a block whose names count, innermost first.
    fn around(&self, block: usize) -> impl Iterator<Item = usize> + '_ {
        let known = |index: u32| (index != NONE).then_some(index as usize);
        let innermost = self.of_block.get(block).copied().and_then(known);
        let parent = move |index: &usize| known(self.containers[*index].0);
        std::iter::successors(innermost, parent).take(NAMED_CONTAINERS)
    }

    fn tokens_of(&self, container: usize) -> &[Token] {
        let start = container.checked_sub(1).map_or(0, |before| self.containers[before].1);
        &self.tokens[start as usize..self.containers[container].1 as usize]
    }

    /// What a vocabulary says of each container's own names.
    fn odds(&self, vocabulary: &Vocabulary) -> Vec<Odds> {
        let containers = 0..self.containers.len();
        containers.map(|container| Odds::of(vocabulary, self.tokens_of(container))).collect()
    }
}

fn markup(containers: &Containers, block: usize) -> Markup {
    let Some(innermost) = containers.get(containers.of_block[block]) else { return Markup::Other };
    if innermost.heading > 0 {
        Markup::Heading
    } else if innermost.is_in(Tag::Figcaption) {
        Markup::Caption
    } else {
        Markup::Other
    }
}
