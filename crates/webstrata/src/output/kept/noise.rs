//! What is never written, though it stands in written text: signs that link to a heading, words for screen
//! readers only, buttons, marks of advertisements, and lines that lead to the page before and behind.
//!
//! Only short texts are looked at. What they say counts, together with what they are: a `#` is a
//! permalink where it is a link inside the page, and a character everywhere else.

use super::places::Place;
use crate::clock::{ATOMS_PER_CHECK, Steps};
use crate::document::Document;
use crate::html::tag::Tag;
use crate::output::code::language_of_block;
use crate::tree::{NodeId, Tree};

/// Bytes of a text that may be noise.
const MAX_TEXT: usize = 48;
/// Elements around a text that may say what it is.
const MAX_AROUND: usize = 3;
/// Atoms between code and a button that belongs to it.
const MAX_TOOLS: usize = 3;
/// Written atoms at both ends of a page that may lead to other pages.
const MAX_ENDS: usize = 4;

/// Takes noise out of `written`; lines that lead to other pages only if they are not wanted (`with_ways`). Where it is only part of an atom, the elements that hold it are
/// returned, in page order: what is in them is not written.
pub(super) fn remove(
    tree: &Tree<'_>,
    document: &Document,
    places: &[Place],
    with_ways: bool,
    written: &mut [bool],
) -> Vec<NodeId> {
    let mut skipped = Vec::new();
    let mut steps = Steps::default();
    for (index, atom) in document.atoms.iter().enumerate() {
        if !written[index] {
            continue;
        }
        if steps.are_over(&document.clock, ATOMS_PER_CHECK) {
            return skipped;
        }
        if atom.text.len() <= MAX_TEXT {
            let text = document.atom_text(index);
            let is_prose = !places[index].has(Place::TABLE) && !places[index].has(Place::PRE);
            if is_prose
                && (is_label(text, places[index].has(Place::HEADING))
                    || names_language(tree, document, places, index))
            {
                written[index] = false;
                continue;
            }
        }
        let code = code_near(document, places, index);
        let before = skipped.len();
        let (mut texts, mut left_out) = (0, 0);
        for node in atom.nodes.clone() {
            if !super::is_shown(document, node) {
                continue;
            }
            texts += 1;
            if is_inside(tree, skipped.last(), node) {
                left_out += 1;
            } else if let Some(root) = noise_around(tree, node)
                .or_else(|| code.and_then(|code| toolbar_around(tree, node, code)))
                .or_else(|| tooltip_around(tree, node))
            {
                skipped.push(root);
                left_out += 1;
            }
        }
        if texts == left_out && texts > 0 {
            skipped.truncate(before);
            // A cell or an item of nothing else stands for an icon: "yes", "silver".
            let is_value = places[index].has(Place::TABLE) || places[index].has(Place::ITEM);
            written[index] = is_value && !is_permalink_text(document.atom_text(index));
        }
    }
    if !with_ways {
        remove_ways(document, places, written);
    }
    skipped
}

/// Is it the language of the code right below it, which the code has as its own? `js`, `Python`.
fn names_language(tree: &Tree<'_>, document: &Document, places: &[Place], index: usize) -> bool {
    let text = document.atom_text(index);
    if text.len() > 16 || !places.get(index + 1).is_some_and(|place| place.has(Place::PRE)) {
        return false;
    }
    let mut around = tree.ancestors(document.atoms[index + 1].nodes.start);
    let code = around.find(|node| tree.tag(*node) == Some(Tag::Pre));
    let language = code.and_then(|code| language_of_block(tree, code));
    language.is_some_and(|language| language.eq_ignore_ascii_case(text))
}

/// A node of the code block that stands next to a short atom.
fn code_near(document: &Document, places: &[Place], atom: usize) -> Option<NodeId> {
    if document.atoms[atom].text.len() > MAX_TEXT || places[atom].has(Place::PRE) {
        return None;
    }
    let is_code = |near: &usize| places.get(*near).is_some_and(|place| place.has(Place::PRE));
    let mut near = (1..=MAX_TOOLS).flat_map(|by| [atom.wrapping_sub(by), atom + by]);
    near.find(is_code).map(|near| document.atoms[near].nodes.start)
}

/// The button or the toolbar around a text that stands in one box with code: "Copy", "Wrap", the language.
fn toolbar_around(tree: &Tree<'_>, node: NodeId, code: NodeId) -> Option<NodeId> {
    let is_tool = |node: &NodeId| {
        let has =
            |name: &[u8]| memchr::memmem::find(tree.start_tag(*node).as_bytes(), name).is_some();
        match tree.tag(*node) {
            Some(Tag::Button) => true,
            Some(Tag::Div | Tag::Span | Tag::A) => {
                has(b"toolbar")
                    || has(b"code-header")
                    || has(b"clipboard")
                    || has(b"role=\"button\"")
            }
            _ => false,
        }
    };
    let tool = tree.ancestors(node).skip(1).take(MAX_AROUND + 1).find(is_tool)?;
    let holds_both = |node: NodeId| {
        let is_box = matches!(tree.tag(node), Some(Tag::Div | Tag::Figure | Tag::Span));
        is_box && (node..tree.end_of(node)).contains(&code)
    };
    // Code in a toolbar would be no tool.
    let is_apart = !(tool..tree.end_of(tool)).contains(&code);
    let mut boxes = tree.ancestors(tool).skip(1).take(MAX_AROUND);
    (is_apart && boxes.any(holds_both)).then_some(tool)
}

/// What an element says that is shown only while the pointer rests on a word.
const TOOLTIP: &[u8] = b"role=\"tooltip\"";

/// The tooltip around a text in a line. It would stand in the middle of the sentence.
fn tooltip_around(tree: &Tree<'_>, node: NodeId) -> Option<NodeId> {
    let mut around = tree.ancestors(node).skip(1).take(MAX_AROUND);
    around.find(|node| {
        let start_tag = tree.start_tag(*node).as_bytes();
        tree.tag(*node) == Some(Tag::Span)
            && start_tag.len() > "span ".len() + TOOLTIP.len() - 1
            && memchr::memmem::find(start_tag, TOOLTIP).is_some()
    })
}

fn is_inside(tree: &Tree<'_>, root: Option<&NodeId>, node: NodeId) -> bool {
    root.is_some_and(|root| node < tree.end_of(*root))
}

/// The element that holds nothing but noise around a text.
fn noise_around(tree: &Tree<'_>, node: NodeId) -> Option<NodeId> {
    let text = tree.text(node);
    if text.len() > MAX_TEXT {
        return None;
    }
    let text = text.trim();
    let parent = tree.parent(node)?;
    if is_permalink_text(text)
        && let Some(root) = permalink_around(tree, parent)
    {
        return Some(root);
    }
    // Most texts stand right in a paragraph, and tags without attributes name nothing.
    let has_names = |node: &NodeId| tree.start_tag(*node).len() > "span class=x".len();
    let mut around = tree.ancestors(parent).take(2).filter(has_names);
    around.find(|node| may_be_unseen(tree.tag(*node)) && is_unseen_name(tree.start_tag(*node)))
}

/// Elements that may be for screen readers only: not the sections of a page, whose names are those of layouts.
fn may_be_unseen(tag: Option<Tag>) -> bool {
    let is_heading = |tag: Tag| tag.is(crate::html::tag::flag::HEADING);
    tag.is_some_and(is_heading)
        || matches!(
            tag,
            Some(
                Tag::Span
                    | Tag::A
                    | Tag::Small
                    | Tag::B
                    | Tag::Em
                    | Tag::Label
                    | Tag::Button
                    | Tag::Div
            )
        )
}

/// Names of elements that only screen readers read, and of links that edit a section.
fn is_unseen_name(start_tag: &str) -> bool {
    let tag = start_tag.as_bytes();
    memchr::memchr3_iter(b's', b'v', b'm', tag).any(|at| {
        let name = &tag[at..];
        match name[0] {
            b's' => [&b"sr-only"[..], b"screen-reader", b"screenreader"]
                .iter()
                .any(|known| name.starts_with(known)),
            b'v' => name.starts_with(b"visually-hidden") || name.starts_with(b"visuallyhidden"),
            _ => name.starts_with(b"mw-editsection"),
        }
    })
}

fn is_permalink_text(text: &str) -> bool {
    const TEXTS: [&str; 14] = [
        "link to this heading",
        "link to this section",
        "link to this definition",
        "permalink to this heading",
        "permalink to this headline",
        "permalink to this definition",
        "permalink",
        "anchor link",
        "direct link to heading",
        "copy link",
        "edit source",
        "edit",
        "source",
        "view source",
    ];
    match text.as_bytes() {
        [] => false,
        [b'#'] => true,
        [0xc2, 0xb6 | 0xa7] => true,
        // The same signs, read as another encoding, and those of a font of icons.
        [0xc3, 0x82, 0xc2, 0xb6 | 0xa7] => true,
        [0xee, _, _] | [0xef, 0x80..=0xa3, _] => true,
        _ if text.starts_with('🔗') => text.chars().count() <= 2,
        [first, ..] if first.is_ascii_alphabetic() || *first == b'[' => {
            let inner = text.trim_matches(['[', ']', ' ', '|']);
            inner.len() >= 4 && TEXTS.iter().any(|known| inner.eq_ignore_ascii_case(known))
        }
        _ => false,
    }
}

/// The link around a text that says it is a permalink, if it is one: by its name, or as a link inside the
/// page that stands in a heading or a term.
fn permalink_around(tree: &Tree<'_>, parent: NodeId) -> Option<NodeId> {
    let mut link = None;
    for node in tree.ancestors(parent).take(MAX_AROUND + 2) {
        match tree.tag(node) {
            Some(Tag::A) => {
                let [class, href] = tree.attributes_named(node, ["class", "href"]);
                let href = href.unwrap_or_default();
                if class.is_some_and(|class| class.split_ascii_whitespace().any(is_permalink_name))
                {
                    return Some(node);
                }
                link = Some((node, href.contains('#') || href.contains("action=edit")));
            }
            Some(Tag::Dt) => return link.map(|(node, _)| node),
            Some(tag) if tag.is(crate::html::tag::flag::HEADING) => {
                return link.filter(|(_, inside)| *inside).map(|(node, _)| node);
            }
            Some(Tag::Span) if is_unseen_name(tree.start_tag(node)) => return Some(node),
            _ => {}
        }
    }
    None
}

fn is_permalink_name(name: &str) -> bool {
    const NAMES: [&str; 12] = [
        "headerlink",
        "header-anchor",
        "header-link",
        "heading-anchor",
        "heading-link",
        "anchor",
        "anchor-link",
        "anchorjs-link",
        "permalink",
        "hash-link",
        "viewcode-link",
        "direct-link",
    ];
    NAMES.iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// Is a whole atom a button or a mark of an advertisement?
fn is_label(text: &str, heading: bool) -> bool {
    let text = text.trim_matches(|c: char| !c.is_alphanumeric());
    let Some(first) = text.bytes().next().map(|first| first.to_ascii_lowercase()) else {
        return false;
    };
    let is = |known: &&str| known.as_bytes()[0] == first && text.eq_ignore_ascii_case(known);
    ADVERTISEMENT.iter().any(is)
        || (!heading && BUTTONS.iter().any(is))
        || (!first.is_ascii_alphanumeric() || first == b'p')
            && FOREIGN_ADVERTISEMENT.contains(&text)
}

const ADVERTISEMENT: &[&str] = &[
    "advertisement",
    "advertisements",
    "advertisement - continue reading below",
    "advertisement - scroll to continue",
    "advertisement. scroll to continue reading",
    "article continues after advertisement",
    "article continues below advertisement",
    "article continues below",
    "article continues below this ad",
    "continue reading below",
    "scroll to continue",
    "story continues below",
    "story continues below advertisement",
    "story continues after advertisement",
    "anzeige",
    "werbung",
    "publicidad",
    "advertentie",
];

/// Not in ASCII, so that case has to be as it is written.
const FOREIGN_ADVERTISEMENT: &[&str] =
    &["Publicité", "PUBLICITÉ", "Pubblicità", "PUBBLICITÀ", "Реклама", "РЕКЛАМА", "広告", "广告"];

const BUTTONS: &[&str] = &[
    "copy link",
    "copy code",
    "copy to clipboard",
    "jump to recipe",
    "jump to video",
    "print recipe",
    "pin recipe",
    "skip to content",
    "skip to main content",
    "permalink",
];

/// Takes lines of links such as `Prev | Up | Next` off both ends of the text.
fn remove_ways(document: &Document, places: &[Place], written: &mut [bool]) {
    let mut from = |atoms: &mut dyn Iterator<Item = usize>| {
        let mut seen = 0;
        for atom in atoms {
            if !written[atom] {
                continue;
            }
            let counts = &document.atoms[atom].counts;
            let leads = document.atoms[atom].text.len() <= MAX_TEXT
                && !places[atom].has(Place::HEADING)
                && !places[atom].has(Place::PRE)
                && counts.linked_words > 0
                && is_way(document.atom_text(atom));
            seen += 1;
            if leads {
                written[atom] = false;
            } else if seen >= MAX_ENDS {
                break;
            }
        }
    };
    from(&mut (0..document.atoms.len()));
    from(&mut (0..document.atoms.len()).rev());
}

/// Does a text say nothing but the ways to other pages?
fn is_way(text: &str) -> bool {
    is_names_of_ways(text) || is_numbers_of_pages(text)
}

/// `« 1 2 3 … 12 »`: three numbers at least, each larger than the one before.
fn is_numbers_of_pages(text: &str) -> bool {
    let (mut last, mut numbers) = (0, 0);
    for word in text.split_whitespace() {
        match word.parse::<u32>() {
            Ok(number) if number > last && word.len() <= 4 => {
                last = number;
                numbers += 1;
            }
            _ if word.contains(char::is_alphanumeric) => return false,
            _ => {}
        }
    }
    numbers >= 3
}

fn is_names_of_ways(text: &str) -> bool {
    const WAYS: [&str; 12] = [
        "prev", "previous", "next", "up", "home", "back", "top", "contents", "index", "page",
        "chapter", "section",
    ];
    let mut ways = 0;
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        if !WAYS.iter().any(|way| word.eq_ignore_ascii_case(way)) {
            return false;
        }
        ways += 1;
    }
    ways > 0
}
