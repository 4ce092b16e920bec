//! Text that a reader can bring to sight, told from text that nobody sees.
//!
//! Both are hidden by the same attributes. What tells them apart is what the element is: panels of tabs
//! and accordions open at a click, and what a server sent ahead (`<div hidden id="S:0">`) is moved into
//! its place by a script before anybody reads. Menus, dialogs, templates and words for screen readers
//! are no part of the text even when they are shown.
//!
//! Only names and roles of the element itself are looked at, and the heading right before it that opens it; no style
//! sheets. So asking costs nothing for elements that are not hidden and little for those that are.

use memchr::memmem;

use crate::html::tag::{Tag, flag};
use crate::tree::{NodeId, Tree};

/// Why readers do not see an element at first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hiding {
    /// They can open it, or it is shown once the page has loaded.
    Openable,
    /// They never see it as part of the text.
    Unseen,
}

impl Tree<'_> {
    /// How an element hides what is in it; `None` if it does not, see [`Tree::hides`].
    pub(crate) fn hiding(&self, node: NodeId) -> Option<Hiding> {
        let tag = self.tag(node).filter(|_| self.hides(node))?;
        if tag == Tag::A && self.is_second_way(node) {
            return None;
        }
        let openable = self.opens_by_role(node).unwrap_or_else(|| {
            self.opens_by_name(node, tag) || (holds_panel(tag) && self.opens_by_heading(node))
        });
        Some(if openable && holds_text(tag) { Hiding::Openable } else { Hiding::Unseen })
    }

    /// What the role says, if it says anything.
    fn opens_by_role(&self, node: NodeId) -> Option<bool> {
        match &*self.attribute(node, "role")?.trim().to_ascii_lowercase() {
            "tabpanel" => Some(true),
            "" | "region" | "group" | "article" | "main" | "presentation" | "none" => None,
            _ => Some(false),
        }
    }

    /// What class names and the `id` say. A name that tells of something else than text wins:
    /// `menu-panel` is a menu.
    fn opens_by_name(&self, node: NodeId, tag: Tag) -> bool {
        let id = self.attribute(node, "id").unwrap_or_default();
        let is_sent_ahead = tag == Tag::Div
            && id.strip_prefix("S:").is_some_and(|number| u32::from_str_radix(number, 16).is_ok());
        let class = self.attribute(node, "class").unwrap_or_default();
        let parts = || parts(&class).chain(parts(&id));
        is_sent_ahead
            || (parts().any(|part| is_among(part, OPENABLE))
                && !parts().any(|part| is_among(part, UNSEEN)))
    }

    /// Does the element before it have a heading that opens and closes something?
    fn opens_by_heading(&self, node: NodeId) -> bool {
        let [id, class] = self.attributes_named(node, ["id", "class"]);
        let mut names = [id.as_deref(), class.as_deref()].into_iter().flatten();
        if names.any(|names| parts(names).any(|part| is_among(part, UNSEEN))) {
            return false;
        }
        let Some(before) = self.element_before(node) else { return false };
        let end = self.end_of(before).min(before + MAX_HEADING);
        let mut tags = (before..end).filter_map(|node| Some((self.tag(node)?, node)));
        let (mut is_heading, mut opens) = (false, false);
        tags.any(|(tag, node)| {
            let has = |name: &[u8]| memmem::find(self.start_tag(node).as_bytes(), name).is_some();
            is_heading |= tag.is(flag::HEADING) || tag == Tag::Dt || has(b"role=\"heading\"");
            opens |= has(b"aria-expanded") || has(b"aria-controls");
            is_heading && opens
        })
    }

    /// The element right before another one in the same element.
    fn element_before(&self, node: NodeId) -> Option<NodeId> {
        let parent = self.parent(node)?;
        let mut before = node;
        for _ in 0..2 {
            before = before.checked_sub(1).filter(|before| *before > parent)?;
            let mut around = self.ancestors(before).take(MAX_DEPTH);
            before = around.find(|node| self.parent(*node) == Some(parent))?;
            if self.tag(before).is_some() {
                return Some(before);
            }
            if !self.text(before).trim().is_empty() {
                return None;
            }
        }
        None
    }

    /// Is it a link that only keyboards and screen readers pass over, since another one leads there, too?
    fn is_second_way(&self, link: NodeId) -> bool {
        let [hidden, style, index, href] =
            self.attributes_named(link, ["hidden", "style", "tabindex", "href"]);
        hidden.is_none()
            && style.is_none()
            && index.is_some_and(|index| index.trim() == "-1")
            && href.is_some_and(|href| !href.is_empty() && !href.starts_with('#'))
    }
}

/// Nodes of a heading that are looked at, and how deep they may stand.
const MAX_HEADING: NodeId = 24;
const MAX_DEPTH: usize = 16;

/// Elements that are panels below a heading.
fn holds_panel(tag: Tag) -> bool {
    matches!(tag, Tag::Div | Tag::Section | Tag::Dd | Tag::Article)
}

/// Panels of running text; a hidden word in a line is an icon or an aid for screen readers.
fn holds_text(tag: Tag) -> bool {
    use Tag::*;
    !matches!(
        tag,
        Template | Noscript | Iframe | Noframes | Title | Nav | Span | A | I | Svg | Button | Form
    )
}

const OPENABLE: &[&str] = &[
    "accordion",
    "accordions",
    "answer",
    "collapse",
    "collapsed",
    "collapsible",
    "expand",
    "expandable",
    "expanded",
    "faq",
    "panel",
    "readmore",
    "spoiler",
    "tab",
    "tabpanel",
    "tabs",
    "toggle",
    "toggleable",
];

const UNSEEN: &[&str] = &[
    "banner",
    "breadcrumb",
    "cart",
    "consent",
    "cookie",
    "cookies",
    "dialog",
    "drawer",
    "dropdown",
    "filter",
    "filters",
    "flyout",
    "gdpr",
    "lightbox",
    "login",
    "menu",
    "menus",
    "modal",
    "nav",
    "navbar",
    "navigation",
    "newsletter",
    "offcanvas",
    "overlay",
    "popover",
    "popup",
    "reader",
    "search",
    "share",
    "signup",
    "social",
    "sr",
    "submenu",
    "toast",
    "tooltip",
    "visually",
];

fn is_among(part: &str, names: &[&str]) -> bool {
    names.iter().any(|name| part.eq_ignore_ascii_case(name))
}

/// `site-menu_list subMenu` has the parts `site`, `menu`, `list`, `sub`, `Menu`, and `subMenu`.
fn parts(names: &str) -> impl Iterator<Item = &str> {
    let words = names.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.flat_map(|word| std::iter::once(word).chain(humps(word)))
}

/// The parts of a name that begin with capitals; none if there is but one.
fn humps(word: &str) -> impl Iterator<Item = &str> {
    let mut rest = word;
    std::iter::from_fn(move || {
        let start = rest.char_indices().skip(1);
        let end = start.filter(|(_, c)| c.is_ascii_uppercase()).map(|(at, _)| at).next();
        let (part, left) = rest.split_at(end.unwrap_or(rest.len()));
        rest = left;
        (!part.is_empty()).then_some(part)
    })
    .filter(move |part| part.len() < word.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;

    fn hiding(element: &str) -> Option<Hiding> {
        let tree = Tree::parse(element.to_owned(), &Limits::default());
        tree.nodes().find_map(|node| tree.hiding(node))
    }

    #[test]
    fn panels_open() {
        for element in [
            "<div role=tabpanel aria-hidden=true>",
            "<div class='accordion__content' style='display: none'>",
            "<div class='collapse' id=faq-3 hidden>",
            "<section class=faqAnswer aria-hidden=true>",
            "<div class=TabPanel hidden>",
            "<div hidden id=S:1f>",
            "<div role=region class=accordion-body hidden>",
        ] {
            assert_eq!(hiding(element), Some(Hiding::Openable), "{element}");
        }
    }

    #[test]
    fn headings_open_what_is_below() {
        for page in [
            "<h3><a aria-expanded=false>Why?</a></h3> <div aria-hidden=true id=c1>So.",
            "<dl><dt><button aria-controls=a>Why?</button></dt><dd id=a hidden>So.",
            "<div><p><b role=\"heading\" aria-expanded=false>Why?</b></div><div hidden>So.",
        ] {
            assert_eq!(hiding(page), Some(Hiding::Openable), "{page}");
        }
        for page in [
            "<h3>Why?</h3><div hidden>So.",
            "<button aria-expanded=false>More</button><div hidden>So.",
            "<h3><a aria-expanded=false>Why?</a></h3>and<div hidden>So.",
            "<h3><a aria-expanded=false>Why?</a></h3><div hidden class=menu>So.",
            "<h3><a aria-expanded=false>Why?</a></h3><ul hidden>So.",
            "<a href=/x aria-hidden=true>So</a>",
            "<a href='#x' tabindex=-1 aria-hidden=true>So</a>",
        ] {
            assert_eq!(hiding(page), Some(Hiding::Unseen), "{page}");
        }
        assert_eq!(hiding("<a href=/x tabindex=-1 aria-hidden=true>So</a>"), None);
    }

    #[test]
    fn other_things_stay_unseen() {
        for element in [
            "<div hidden>",
            "<template class=accordion>",
            "<noscript>",
            "<nav class=collapse aria-hidden=true>",
            "<div class='collapse navbar-collapse' aria-hidden=true>",
            "<div class=menuPanel hidden>",
            "<div role=dialog class=panel hidden>",
            "<span class=tab aria-hidden=true>",
            "<div class=sr-only hidden>",
            "<div hidden id=S:more>",
            "<div class='table stable' hidden>",
        ] {
            assert_eq!(hiding(element), Some(Hiding::Unseen), "{element}");
        }
        assert_eq!(hiding("<div class=accordion>"), None);
        assert_eq!(hiding("<div hidden=until-found class=accordion>"), None);
    }
}
