//! Lines of Markdown below the markers of the lists and quotes that they stand in.

use std::borrow::Cow;

/// Lists and quotes around a paragraph, at most. Markers repeat in every line, so that pages that nest
/// without end would grow; what is deeper stands at this depth.
const MAX_CONTAINERS: usize = 12;

/// A quote or an item of a list.
struct Container {
    /// What its first line begins with, and every other.
    first: Cow<'static, str>,
    rest: &'static str,
    /// Something was written in it.
    open: bool,
    /// An item: the number of its list among those that are open.
    list: Option<usize>,
}

/// A list that is open.
struct List {
    /// Containers around it, and whether one of its items was written.
    depth: usize,
    begun: bool,
    /// How far the text of its last item stands from its marker.
    indent: &'static str,
    /// It stands in a list but in no item, and goes on in the item before it, as browsers show it.
    continues: bool,
}

/// Writes paragraphs into the containers that are open.
#[derive(Default)]
pub(super) struct Lines {
    out: String,
    containers: Vec<Container>,
    lists: Vec<List>,
    /// The containers around what was written last, and whether it was a paragraph.
    last_depth: usize,
    last_paragraph: bool,
}

const SPACES: &str = "            ";

impl Lines {
    pub(super) fn begin_quote(&mut self) -> bool {
        self.begin("> ".into(), "> ", None)
    }

    /// Begins the text of a footnote. Readers of Markdown look for it at the margin.
    pub(super) fn begin_note(&mut self, label: &str) -> bool {
        self.containers.is_empty() && self.begin(format!("[^{label}]: ").into(), "    ", None)
    }

    /// Begins a list.
    pub(super) fn begin_list(&mut self) {
        let outer =
            self.lists.last().filter(|list| list.begun && list.depth == self.containers.len());
        let continues = outer.map(|list| list.indent).is_some_and(|indent| {
            let list = Some(self.lists.len() - 1);
            let fits =
                self.last_depth > self.containers.len() && self.begin("".into(), indent, list);
            if let Some(item) = self.containers.last_mut().filter(|_| fits) {
                item.open = true;
            }
            fits
        });
        let depth = self.containers.len();
        self.lists.push(List { depth, begun: false, indent: "  ", continues });
    }

    pub(super) fn end_list(&mut self) {
        let Some(ended) = self.lists.pop() else { return };
        if ended.continues {
            self.end();
        } else if ended.begun && self.lists.last().is_some_and(|list| list.depth == ended.depth) {
            // A list right inside a list, before its first item: the outer one begins behind it.
            self.last_paragraph = false;
        }
    }

    /// Begins an item of the innermost list, with its number if it has one.
    pub(super) fn begin_item(&mut self, number: Option<u32>) -> bool {
        let index = self.lists.len().checked_sub(1);
        let first: Cow<'static, str> = match number {
            Some(number) => format!("{number}. ").into(),
            None => "- ".into(),
        };
        let rest = &SPACES[..first.len()];
        if let Some(list) = self.lists.last_mut() {
            list.indent = rest;
        }
        self.begin(first, rest, index)
    }

    fn begin(&mut self, first: Cow<'static, str>, rest: &'static str, list: Option<usize>) -> bool {
        let fits = self.containers.len() < MAX_CONTAINERS;
        if fits {
            self.containers.push(Container { first, rest, open: false, list });
        }
        fits
    }

    /// Ends the innermost quote or item that was begun.
    pub(super) fn end(&mut self) {
        let ended = self.containers.pop();
        // A line behind a quote would be read as the quote's, if nothing stood between.
        self.last_paragraph &= ended.is_some_and(|container| container.list.is_some());
        self.last_depth = self.last_depth.min(self.containers.len() + 1);
    }

    /// Writes a block. `hard`: its line breaks are the page's, and must be kept as such.
    pub(super) fn block(&mut self, text: &str, is_paragraph: bool, hard: bool) {
        if text.is_empty() {
            return;
        }
        let opened = self.containers.iter().take_while(|container| container.open).count();
        if !self.out.is_empty() {
            self.out.push('\n');
            if !(is_paragraph && self.is_tight(opened)) {
                self.prefix(opened);
                while self.out.ends_with(' ') {
                    self.out.pop();
                }
                self.out.push('\n');
            }
        }
        for (i, line) in text.split('\n').enumerate() {
            if i > 0 {
                self.out.push_str(if hard { "  \n" } else { "\n" });
            }
            let start = self.out.len();
            self.prefix(if i == 0 { opened } else { self.containers.len() });
            if i == 0 {
                for container in &mut self.containers[opened..] {
                    self.out.push_str(&container.first);
                    container.open = true;
                    if let Some(list) = container.list.and_then(|list| self.lists.get_mut(list)) {
                        list.begun = true;
                    }
                }
            }
            self.out.push_str(line);
            if line.is_empty() {
                let kept = self.out[start..].trim_end_matches(' ').len();
                self.out.truncate(start + kept);
            }
        }
        self.last_depth = self.containers.len();
        self.last_paragraph = is_paragraph;
    }

    /// Writes a rule, unless an item begins with it: `- ---` would be one rule, not an item.
    pub(super) fn rule(&mut self) {
        if self.containers.iter().all(|container| container.open) {
            self.block("---", false, false);
        }
    }

    fn prefix(&mut self, count: usize) {
        for container in &self.containers[..count] {
            self.out.push_str(container.rest);
        }
    }

    /// Does an item follow directly, without an empty line?
    fn is_tight(&self, opened: usize) -> bool {
        let Some(item) = self.containers.get(opened) else { return false };
        let Some(list) = item.list.and_then(|list| self.lists.get(list)) else { return false };
        if !self.last_paragraph || list.depth != opened {
            return false;
        }
        // Only an item with the number 1 ends a paragraph by itself.
        let nested = opened > 0 && self.containers[opened - 1].list.is_some();
        let interrupts = item.first == "- " || item.first == "1. ";
        (list.begun && self.last_depth > opened)
            || (nested && interrupts && self.last_depth == opened)
    }

    pub(super) fn finish(mut self) -> String {
        if !self.out.is_empty() {
            self.out.push('\n');
        }
        self.out
    }
}
