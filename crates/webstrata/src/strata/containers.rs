//! The elements around the blocks of a page: how far each reaches, how it is marked up, how much
//! looks like running text in it.

use std::ops::Range;

use super::observations::Names;
use super::tokens::{self, Token};
use crate::cutting::{Action, Cutting};
use crate::document::Document;
use crate::html::noted::NotedName;
use crate::html::tag::Tag;
use crate::tree::{NodeId, Tree};

/// No container.
pub(super) const NONE: u32 = u32::MAX;

/// Tokens of one element's attributes that count; the rest is made by programs for programs.
const MAX_TOKENS: usize = 16;

/// The elements whose presence around a block is a feature each, in the order of their bits.
pub(super) const TAGS: [(Tag, &str); 30] = [
    (Tag::P, "p"),
    (Tag::Li, "li"),
    (Tag::Ul, "ul"),
    (Tag::Ol, "ol"),
    (Tag::Dl, "dl"),
    (Tag::Dt, "dt"),
    (Tag::Dd, "dd"),
    (Tag::Table, "table"),
    (Tag::Td, "td"),
    (Tag::Th, "th"),
    (Tag::Pre, "pre"),
    (Tag::Code, "code"),
    (Tag::Blockquote, "blockquote"),
    (Tag::Figure, "figure"),
    (Tag::Figcaption, "figcaption"),
    (Tag::Form, "form"),
    (Tag::Button, "button"),
    (Tag::Label, "label"),
    (Tag::Nav, "nav"),
    (Tag::Header, "header"),
    (Tag::Footer, "footer"),
    (Tag::Aside, "aside"),
    (Tag::Article, "article"),
    (Tag::Main, "main"),
    (Tag::Section, "section"),
    (Tag::Details, "details"),
    (Tag::Noscript, "noscript"),
    (Tag::A, "a"),
    (Tag::Span, "span"),
    (Tag::Strong, "strong"),
];

/// An element that has text of a block somewhere inside.
pub(super) struct Container {
    /// The container around it.
    pub(super) parent: u32,
    /// The nearest container that separates text, this one included.
    pub(super) separating: u32,
    /// How many separating elements are around it, itself included.
    pub(super) depth: u16,
    /// Bits of the elements of [`TAGS`] around it, itself included.
    pub(super) tags: u32,
    /// The level of the heading that it is in, or 0.
    pub(super) heading: u8,
    tag: Tag,
    /// The blocks that begin in it.
    pub(super) blocks: Range<u32>,
    /// Where the tokens of its attributes end in [`Containers::tokens`]; they begin where those of the
    /// container before it end.
    tokens_end: u32,
    /// Tag and class: alike for what a template writes alike.
    pub(super) signature: u32,
    /// Containers right below it.
    pub(super) children: u32,
    /// Those right beside it that have its tag, itself included.
    pub(super) alike: u32,
}

impl Container {
    /// Is it in an element with this tag, or is it one? Only for those of [`TAGS`].
    pub(super) fn is_in(&self, tag: Tag) -> bool {
        TAGS.iter()
            .position(|(known, _)| *known == tag)
            .is_some_and(|bit| self.tags & 1 << bit != 0)
    }
}

/// All containers of a page; parents come before what is in them.
pub(super) struct Containers {
    all: Vec<Container>,
    /// For each block, the innermost container of its beginning.
    pub(super) of_block: Vec<u32>,
    tokens: Vec<Token>,
}

impl Containers {
    pub(super) fn of(tree: &Tree<'_>, document: &Document) -> Containers {
        let mut containers = Containers {
            all: Vec::with_capacity(2 * document.atoms.len()),
            of_block: Vec::with_capacity(document.atoms.len()),
            tokens: Vec::new(),
        };
        let mut of_node = vec![NONE; tree.nodes.len()];
        let mut new = Vec::new();
        for (block, atom) in document.atoms.iter().enumerate() {
            let mut parent = NONE;
            let elements = tree.ancestors(atom.nodes.start).skip(1);
            for element in elements {
                parent = of_node[element as usize];
                if parent != NONE {
                    break;
                }
                new.push(element);
            }
            while let Some(element) = new.pop() {
                let container = containers.add(tree, element, parent, block as u32);
                of_node[element as usize] = container;
                parent = container;
            }
            containers.of_block.push(parent);
            if let Some(own) = containers.all.get_mut(parent as usize) {
                own.blocks.end = block as u32 + 1;
            }
        }
        containers.finish();
        containers
    }

    fn add(&mut self, tree: &Tree<'_>, element: NodeId, parent: u32, block: u32) -> u32 {
        let index = self.all.len() as u32;
        let tag = tree.tag(element).unwrap_or(Tag::Other);
        let around = self.all.get_mut(parent as usize).map(|parent| {
            parent.children += 1;
            (parent.separating, parent.depth, parent.tags, parent.heading)
        });
        let (separating, depth, tags, heading) = around.unwrap_or((NONE, 0, 0, 0));
        let separates = !matches!(Cutting::Strata.action(tag), Action::Inline | Action::Anchor);
        let start = self.tokens.len();
        let class = self.read_attributes(tree, element, start + MAX_TOKENS);
        let bit = TAGS.iter().position(|(known, _)| *known == tag).map_or(0, |bit| 1 << bit);
        self.all.push(Container {
            parent,
            separating: if separates { index } else { separating },
            depth: depth + u16::from(separates),
            tags: tags | bit,
            heading: heading_level(tag).unwrap_or(heading),
            tag,
            blocks: block..block,
            tokens_end: self.tokens.len() as u32,
            signature: tokens::hash(tag as u8, class.as_bytes()),
            children: 0,
            alike: 0,
        });
        index
    }

    /// Adds the tokens of an element's `class`, `id`, `role` and `itemprop`, and returns its class.
    fn read_attributes<'t>(&mut self, tree: &'t Tree<'_>, element: NodeId, most: usize) -> &'t str {
        let mut class = "";
        if let Some(noted) = tree.noted_attributes(element) {
            for attribute in noted {
                let kind = match attribute.name {
                    NotedName::Class | NotedName::Id => tokens::NAME,
                    NotedName::Role | NotedName::Itemprop => tokens::ROLE,
                    _ => continue,
                };
                let value = tree.written(attribute);
                if attribute.name == NotedName::Class {
                    class = value;
                }
                let room = most.saturating_sub(self.tokens.len());
                self.tokens.extend(tokens::of_name(kind, value).take(room));
            }
            return class;
        }
        for (name, value) in tree.raw_attributes(element) {
            let kind = match name.len() {
                5 if name.eq_ignore_ascii_case("class") => tokens::NAME,
                2 if name.eq_ignore_ascii_case("id") => tokens::NAME,
                4 if name.eq_ignore_ascii_case("role") => tokens::ROLE,
                8 if name.eq_ignore_ascii_case("itemprop") => tokens::ROLE,
                _ => continue,
            };
            if name.len() == 5 {
                class = value;
            }
            let room = most.saturating_sub(self.tokens.len());
            self.tokens.extend(tokens::of_name(kind, value).take(room));
        }
        class
    }

    fn finish(&mut self) {
        // Children come after their parents, so each is complete when its parent takes its end.
        for index in (0..self.all.len()).rev() {
            let Container { parent, ref blocks, .. } = self.all[index];
            let end = blocks.end;
            if let Some(parent) = self.all.get_mut(parent as usize) {
                parent.blocks.end = parent.blocks.end.max(end);
            }
        }
        // Children of one parent together, by counting.
        let place = |parent: u32| (parent as usize).min(self.all.len());
        let mut starts = vec![0u32; self.all.len() + 2];
        for own in &self.all {
            starts[place(own.parent) + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut order = vec![0; self.all.len()];
        let mut next = starts.clone();
        for (index, own) in (0..).zip(&self.all) {
            let next = &mut next[place(own.parent)];
            order[*next as usize] = index;
            *next += 1;
        }
        let mut counts = [0u32; 256];
        for ends in starts.windows(2) {
            let children: &[u32] = &order[ends[0] as usize..ends[1] as usize];
            let tags = || children.iter().map(|own| self.all[*own as usize].tag as usize);
            tags().for_each(|tag| counts[tag] += 1);
            let alike: Vec<u32> = tags().map(|tag| counts[tag]).collect();
            tags().for_each(|tag| counts[tag] = 0);
            children
                .iter()
                .zip(alike)
                .for_each(|(own, alike)| self.all[*own as usize].alike = alike);
        }
    }

    pub(super) fn get(&self, container: u32) -> Option<&Container> {
        self.all.get(container as usize)
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// A container and those around it, innermost first.
    pub(super) fn chain(&self, container: u32) -> impl Iterator<Item = (u32, &Container)> {
        let at = move |index: u32| self.get(index).map(|container| (index, container));
        std::iter::successors(at(container), move |(_, inner)| at(inner.parent))
    }

    /// The separating containers around a block, innermost first.
    pub(super) fn separating(&self, block: usize) -> impl Iterator<Item = u32> + '_ {
        let separating = |index: u32| self.get(index).map(|container| container.separating);
        let innermost = separating(self.of_block[block]).filter(|index| *index != NONE);
        std::iter::successors(innermost, move |index| {
            let parent = self.get(*index)?.parent;
            separating(parent).filter(|index| *index != NONE)
        })
    }

    /// The blocks of the rows of tables, inner ones after those around them.
    pub(super) fn table_rows(&self) -> impl Iterator<Item = Range<u32>> + '_ {
        let rows = self.all.iter().filter(|container| container.tag == Tag::Tr);
        rows.map(|container| container.blocks.clone()).filter(|blocks| blocks.len() > 1)
    }

    /// The names of all containers and of the blocks in them, taken out of here.
    pub(super) fn take_names(&mut self) -> Names {
        Names {
            containers: self.all.iter().map(|own| (own.parent, own.tokens_end)).collect(),
            tokens: std::mem::take(&mut self.tokens),
            of_block: std::mem::take(&mut self.of_block),
        }
    }
}

fn heading_level(tag: Tag) -> Option<u8> {
    let level = match tag {
        Tag::H1 => 1,
        Tag::H2 => 2,
        Tag::H3 => 3,
        Tag::H4 => 4,
        Tag::H5 => 5,
        Tag::H6 => 6,
        _ => return None,
    };
    Some(level)
}
