//! How much of a page's structure is in its Markdown: headings, items of lists, rows of tables and
//! blocks of code, against those of gold Markdown.
//!
//! Both texts are read by the same reader of Markdown, and each becomes a bag of elements. An element has
//! a text, of which only letters and digits count, without regard to case: converters differ in spaces,
//! quotation marks and escapes, and none of that is structure. Elements without a letter or a digit are
//! not counted. Two elements are the same if they are of the same kind and have the same text, and
//!
//! - of headings the level, 1 to 6,
//! - of items the depth, 1 for an item of an outermost list, and for a footnote, which others write as
//!   an item of a list of notes,
//! - of rows the borders of the cells, empty cells apart (cells that span others are written in more
//!   than one way),
//! - of code nothing else: not the language, and not the indentation, which gold Markdown often lost.
//!
//! The text of an item is all that stands in it, headings and code included, but for the items below it.
//! Code that is only indented does not count, since converters indent by accident.

use std::collections::HashMap;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use super::Score;

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ElementKind {
    /// A heading; its level is 1 to 6.
    Heading,
    /// An item of a list; its level is how many lists it is in.
    Item,
    /// A row of a table, the head included.
    Row,
    /// A fenced block of code.
    Code,
}

impl ElementKind {
    /// All of them and how they are called.
    pub const ALL: [(ElementKind, &'static str); 4] = [
        (ElementKind::Heading, "headings"),
        (ElementKind::Item, "list items"),
        (ElementKind::Row, "table rows"),
        (ElementKind::Code, "code blocks"),
    ];
}

/// How much must agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strictness {
    /// Text and level.
    Full,
    /// The text alone.
    Text,
}

/// An element of a text's structure.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Element {
    /// What it is.
    pub kind: ElementKind,
    /// Of headings and items; 0 for others.
    pub level: u8,
    /// Letters and digits only, in lower case; cells have a bar between them.
    pub text: String,
}

/// Elements that are in both texts, in the one, and in the gold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Matches {
    /// In both.
    pub common: usize,
    /// In the text.
    pub found: usize,
    /// In the gold.
    pub wanted: usize,
}

impl Matches {
    /// The sum over pages.
    pub fn sum(pages: impl IntoIterator<Item = Matches>) -> Matches {
        pages.into_iter().fold(Matches::default(), |sum, page| Matches {
            common: sum.common + page.common,
            found: sum.found + page.found,
            wanted: sum.wanted + page.wanted,
        })
    }

    /// Precision and recall; of a sum, the micro average.
    pub fn score(self) -> Score {
        Score::of(self.common, self.found, self.wanted)
    }
}

/// The elements of a text, in its order.
pub fn elements(markdown: &str) -> Vec<Element> {
    let mut reader = Reader::default();
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_MATH
        | Options::ENABLE_FOOTNOTES;
    Parser::new_ext(markdown, options).for_each(|event| reader.event(event));
    reader.done.retain(|element| element.text.contains(|c| c != CELL));
    reader.done
}

/// Compares the elements of one kind.
pub fn compare(
    text: &[Element],
    gold: &[Element],
    kind: ElementKind,
    strictness: Strictness,
) -> Matches {
    let level = |element: &Element| match strictness {
        Strictness::Full => element.level,
        Strictness::Text => 0,
    };
    let mut left: HashMap<(u8, &str), usize> = HashMap::new();
    let mut matches = Matches::default();
    for element in gold.iter().filter(|element| element.kind == kind) {
        *left.entry((level(element), &element.text)).or_default() += 1;
        matches.wanted += 1;
    }
    for element in text.iter().filter(|element| element.kind == kind) {
        matches.found += 1;
        if let Some(left) = left.get_mut(&(level(element), element.text.as_str()))
            && *left > 0
        {
            *left -= 1;
            matches.common += 1;
        }
    }
    matches
}

/// Between the cells of a row.
const CELL: char = '|';

/// Turns events into elements.
#[derive(Default)]
struct Reader {
    done: Vec<Element>,
    /// The elements around the current text, as indices into `done`; `None` for what is not counted.
    open: Vec<Option<usize>>,
    lists: u8,
    images: usize,
}

impl Reader {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(&tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text)
            | Event::Code(text)
            | Event::InlineMath(text)
            | Event::DisplayMath(text)
            | Event::FootnoteReference(text) => self.text(&text),
            _ => {}
        }
    }

    fn start(&mut self, tag: &Tag<'_>) {
        match tag {
            Tag::Heading { level, .. } => self.begin(ElementKind::Heading, *level as u8),
            Tag::Item => self.begin(ElementKind::Item, self.lists),
            Tag::FootnoteDefinition(_) => self.begin(ElementKind::Item, 1),
            Tag::TableHead | Tag::TableRow => self.begin(ElementKind::Row, 0),
            Tag::CodeBlock(CodeBlockKind::Fenced(_)) => self.begin(ElementKind::Code, 0),
            Tag::CodeBlock(CodeBlockKind::Indented) => self.open.push(None),
            Tag::List(_) => self.lists = self.lists.saturating_add(1),
            Tag::Image { .. } => self.images += 1,
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_)
            | TagEnd::Item
            | TagEnd::FootnoteDefinition
            | TagEnd::TableHead
            | TagEnd::TableRow
            | TagEnd::CodeBlock => {
                self.open.pop();
            }
            TagEnd::TableCell => {
                if let Some(row) = self.current()
                    && !row.text.is_empty()
                    && !row.text.ends_with(CELL)
                {
                    row.text.push(CELL);
                }
            }
            TagEnd::List(_) => self.lists = self.lists.saturating_sub(1),
            TagEnd::Image => self.images -= 1,
            _ => {}
        }
    }

    fn begin(&mut self, kind: ElementKind, level: u8) {
        self.open.push(Some(self.done.len()));
        self.done.push(Element { kind, level, text: String::new() });
    }

    fn current(&mut self) -> Option<&mut Element> {
        let index = self.open.last().copied().flatten()?;
        self.done.get_mut(index)
    }

    fn text(&mut self, text: &str) {
        // The words of an image are not on the page for readers.
        if self.images > 0 {
            return;
        }
        for index in self.open.iter().rev() {
            let Some(element) = index.and_then(|index| self.done.get_mut(index)) else { break };
            let letters = text.chars().filter(|c| c.is_alphanumeric());
            element.text.extend(letters.flat_map(char::to_lowercase));
            if element.kind == ElementKind::Item {
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(markdown: &str) -> Vec<(ElementKind, u8, String)> {
        elements(markdown).into_iter().map(|e| (e.kind, e.level, e.text)).collect()
    }

    #[test]
    fn items_do_not_have_the_text_of_items_below() {
        let markdown = "## High *Water*\n\n- ebb [now](/x) ![no](i.png)\n  1. neap\n- ### flood\n\n  again\n- ***\n\n\
                        ~~~sh\nls -l\n~~~\n\n    indented\n\n| a | | B |\n| - | - | - |\n| 1 | 2 |\n";
        let wanted = [
            (ElementKind::Heading, 2, "highwater"),
            (ElementKind::Item, 1, "ebbnow"),
            (ElementKind::Item, 2, "neap"),
            (ElementKind::Item, 1, "floodagain"),
            (ElementKind::Heading, 3, "flood"),
            (ElementKind::Code, 0, "lsl"),
            (ElementKind::Row, 0, "a|b|"),
            (ElementKind::Row, 0, "1|2|"),
        ];
        let wanted = wanted.map(|(kind, level, text)| (kind, level, text.to_owned()));
        assert_eq!(listed(markdown), wanted);
    }

    #[test]
    fn levels_count_unless_texts_alone_do() {
        let gold = elements("# One\n\n## Two\n\n## Two\n");
        let text = elements("# One\n\n### Two\n\n# Three\n");
        let matches = |strictness| compare(&text, &gold, ElementKind::Heading, strictness);
        assert_eq!(matches(Strictness::Full), Matches { common: 1, found: 3, wanted: 3 });
        assert_eq!(matches(Strictness::Text), Matches { common: 2, found: 3, wanted: 3 });
        let none = compare(&text, &gold, ElementKind::Code, Strictness::Full);
        assert_eq!(none.score(), Score::PERFECT);
        let twice = Matches::sum([matches(Strictness::Full), matches(Strictness::Text)]);
        assert_eq!(twice, Matches { common: 3, found: 6, wanted: 6 });
    }
}
