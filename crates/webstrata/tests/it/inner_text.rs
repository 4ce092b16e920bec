//! `innerText` of a preformatted element: the "rendered text collection steps" of the HTML standard, step by
//! step, without a style sheet but the one that the standard has for browsers.
//!
//! What differs is what `output/code` promises:
//! - Empty lines at both ends are left out.
//! - A line break that ends a block is not doubled, nor is the one that a page writes between two blocks.
//! - A row or an item without text is a line: highlighters mean one, and readers see an item's mark.

use webstrata::{NodeId, Tree};

/// The elements that are blocks by the standard's style sheet.
#[rustfmt::skip]
const BLOCKS: &[&str] = &[
    "address", "article", "aside", "blockquote", "center", "dd", "details", "dialog", "dir", "div", "dl", "dt", "fieldset",
    "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hgroup", "hr", "li", "listing",
    "main", "menu", "nav", "ol", "p", "plaintext", "pre", "search", "section", "summary", "table", "ul", "xmp",
];

/// Elements without a box, or whose box has no text of the page.
#[rustfmt::skip]
const UNRENDERED: &[&str] = &[
    "script", "style", "template", "noscript", "title", "head", "meta", "link", "iframe", "noembed", "noframes", "rp", "param",
    "object", "video", "audio", "canvas", "svg", "textarea", "input", "button", "select", "datalist",
];

pub(crate) fn inner_text(tree: &Tree<'_>, element: NodeId) -> String {
    let mut text = Collected::default();
    for child in tree.children(element) {
        text.collect(tree, child);
    }
    without_empty_ends(&text.out)
}

#[derive(Default)]
struct Collected {
    out: String,
    /// The "required line break count" that stands between the text so far and the next one.
    required: usize,
    /// The text ends with a break of the page's own, and not with one that was required.
    has_ended: bool,
    /// How many texts there are so far, those of empty lines among them.
    texts: usize,
}

impl Collected {
    fn collect(&mut self, tree: &Tree<'_>, node: NodeId) {
        let Some(name) = tree.name(node) else { return self.text(tree, node) };
        if !is_rendered(tree, node) {
            return;
        }
        // `p` is the one block that has two breaks.
        let breaks = match &*name {
            "p" => 2,
            _ if is_block(tree, node) || name == "caption" => 1,
            _ => 0,
        };
        self.require(breaks);
        let (before, required) = (self.texts, self.required);
        for child in tree.children(node) {
            self.collect(tree, child);
        }
        if matches!(&*name, "li" | "tr") && self.texts == before {
            self.required = required;
            self.push("");
        }
        match &*name {
            "br" => self.push("\n"),
            "td" | "th" if !is_last(tree, node, "tr", &["td", "th"]) => self.push("\t"),
            "tr" if !is_last(tree, node, "table", &["tr"]) => {
                // A block or a break that ends with its row has ended the line.
                let has_ended = self.texts > before && (self.required > 0 || self.has_ended);
                if !has_ended {
                    self.push("\n");
                }
            }
            _ => {}
        }
        self.require(breaks);
    }

    fn text(&mut self, tree: &Tree<'_>, node: NodeId) {
        let text = tree.text(node).replace("\r\n", "\n").replace('\r', "\n");
        let parent = tree.parent(node).and_then(|parent| tree.name(parent)).unwrap_or_default();
        let is_space = text.bytes().all(|byte| byte.is_ascii_whitespace());
        if !is_space {
            return self.push(&text);
        }
        // Between rows, cells and items there are no boxes for it.
        let parts =
            ["table", "tbody", "thead", "tfoot", "tr", "colgroup", "ul", "ol", "menu", "dir", "dl"];
        if parts.contains(&&*parent) || text.is_empty() {
            return;
        }
        let siblings: Vec<NodeId> =
            tree.parent(node).map(|p| tree.children(p).collect()).unwrap_or_default();
        let at = siblings.iter().position(|sibling| *sibling == node).unwrap_or(0);
        let after = at > 0 && is_block(tree, siblings[at - 1]);
        let before = siblings.get(at + 1).is_none_or(|next| is_block(tree, *next));
        if !(after && before) {
            return self.push(&text);
        }
        let mut lines: Vec<&str> = text.split('\n').skip(1).collect();
        lines.pop();
        lines.iter().for_each(|line| self.push(&format!("{line}\n")));
    }

    fn require(&mut self, breaks: usize) {
        self.required = self.required.max(breaks);
    }

    fn push(&mut self, text: &str) {
        if !self.out.is_empty() {
            let missing = self.required.saturating_sub(usize::from(self.has_ended));
            self.out.push_str(&"\n".repeat(missing));
        }
        self.required = 0;
        self.texts += 1;
        self.has_ended = text.ends_with('\n');
        self.out.push_str(text);
    }
}

fn is_block(tree: &Tree<'_>, node: NodeId) -> bool {
    let name = tree.name(node);
    let style = tree.attribute(node, "style").unwrap_or_default().replace(' ', "");
    name.is_some_and(|name| BLOCKS.contains(&&*name)) || style.contains("display:block")
}

fn is_rendered(tree: &Tree<'_>, node: NodeId) -> bool {
    let style = tree.attribute(node, "style").unwrap_or_default().replace(' ', "");
    !tree.name(node).is_some_and(|name| UNRENDERED.contains(&&*name))
        && tree.attribute(node, "hidden").is_none()
        && !style.contains("display:none")
}

/// Is this the last element of these names in the element around it of that name?
fn is_last(tree: &Tree<'_>, node: NodeId, around: &str, names: &[&str]) -> bool {
    let within = |node: NodeId| {
        tree.ancestors(node).skip(1).find(|node| tree.name(*node).as_deref() == Some(around))
    };
    let Some(own) = within(node) else { return true };
    let mut behind = tree.end_of(node)..tree.end_of(own);
    !behind.any(|other| {
        tree.name(other).is_some_and(|name| names.contains(&&*name)) && within(other) == Some(own)
    })
}

/// Without the lines of nothing but whitespace at both ends.
fn without_empty_ends(text: &str) -> String {
    let lines: Vec<&str> = text.split('\n').collect();
    let has_text = |line: &&str| !line.trim().is_empty();
    let (Some(first), Some(last)) =
        (lines.iter().position(has_text), lines.iter().rposition(has_text))
    else {
        return String::new();
    };
    lines[first..=last].join("\n")
}
