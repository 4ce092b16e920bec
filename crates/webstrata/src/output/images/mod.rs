//! Images: where they come from, which of them are part of the text, and which are only in its service.

mod figures;
mod source;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::HashSet;

use crate::html::tag::Tag;
use crate::tree::{NONE, NodeId, Tree};

pub(crate) use figures::{Figures, may_be_caption};

/// An image that readers are meant to look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Image {
    /// Its address as the page writes it, not resolved.
    pub(crate) source: String,
    /// What stands for it where it cannot be shown.
    pub(crate) alt: String,
}

/// The addresses that were written already: an image stands once on a page.
#[derive(Default)]
pub(crate) struct Seen(HashSet<String>);

impl Seen {
    /// Is this the first time that the address is asked for, whatever the size of the image?
    pub(crate) fn first(&mut self, address: &str) -> bool {
        let name = without_size(address);
        let address = name.as_deref().unwrap_or(address);
        if self.0.contains(address) {
            return false;
        }
        self.0.insert(address.to_owned());
        true
    }
}

/// `tide.jpg` of `tide-300x200.jpg`: programs write the size of a smaller copy so.
fn without_size(address: &str) -> Option<String> {
    let (path, query) = address.split_at(address.find(['?', '#']).unwrap_or(address.len()));
    let dot = path.rfind('.').filter(|dot| path.len() - dot <= 5)?;
    let start = path[..dot].rfind('-')?;
    let (width, height) = path[start + 1..dot].split_once('x')?;
    let is_size =
        |size: &str| (2..=4).contains(&size.len()) && size.bytes().all(|b| b.is_ascii_digit());
    (is_size(width) && is_size(height)).then(|| [&path[..start], &path[dot..], query].concat())
}

/// Pixels of icons, and of images that may be decoration if the page calls them so.
const ICON: u32 = 48;
const DECORATION: u32 = 100;
/// An image that wide is meant to be looked at, whatever it is called.
const LARGE: u32 = 200;

/// Elements that are looked at around an image for its other sources.
const MAX_NEAR: usize = 8;

/// Is the element an image?
pub(crate) fn is_image(tree: &Tree<'_>, node: NodeId) -> bool {
    match tree.tag(node) {
        Some(Tag::Img) => true,
        Some(Tag::Other) => {
            let start = tree.start_tag(node).as_bytes();
            start.len() > 7 && start[..7].eq_ignore_ascii_case(b"amp-img")
        }
        _ => false,
    }
}

/// The image of an `img`, `amp-img`, `picture`, or `noscript` that holds one. `None` for what counts
/// readers, for icons, logos, avatars and buttons, and where no address is known.
pub(crate) fn image_of(tree: &Tree<'_>, node: NodeId) -> Option<Image> {
    let node = if is_image(tree, node) { node } else { image_in(tree, node)? };
    if serves_only(tree, node) {
        return None;
    }
    let source = source::of_element(tree, node)
        .or_else(|| source::of_picture(tree, node))
        .or_else(|| source::of_element(tree, copy_beside(tree, node)?))?;
    let alt = tree.attribute(node, "alt").unwrap_or_default();
    if is_named_as_service(tree, node, &source) || is_sign(&source, &alt) {
        return None;
    }
    let alt = alt.split_whitespace().collect::<Vec<_>>().join(" ");
    Some(Image { source, alt })
}

/// Is the `noscript` a second copy of a lazy image beside it, which knows its address?
pub(crate) fn is_copy(tree: &Tree<'_>, noscript: NodeId) -> bool {
    let beside = [beside(tree, noscript, false), beside(tree, noscript, true)];
    beside.into_iter().flatten().any(|node| {
        let image = if is_image(tree, node) { Some(node) } else { image_in(tree, node) };
        image.is_some_and(|image| {
            source::of_element(tree, image).or_else(|| source::of_picture(tree, image)).is_some()
        })
    })
}

/// The image in a `picture`, a `noscript`, or a box with nothing before it.
fn image_in(tree: &Tree<'_>, node: NodeId) -> Option<NodeId> {
    let mut inside = (node..tree.end_of(node)).take(MAX_NEAR);
    inside.find(|node| is_image(tree, *node))
}

/// The image of a `noscript` behind this one or before it, or behind the `picture` that it is in.
fn copy_beside(tree: &Tree<'_>, image: NodeId) -> Option<NodeId> {
    let around = tree.parent(image).filter(|node| tree.tag(*node) == Some(Tag::Picture));
    let mut places = [Some(image), around].into_iter().flatten();
    let noscript = places.find_map(|node| {
        let mut beside =
            [beside(tree, node, true), beside(tree, node, false)].into_iter().flatten();
        beside.find(|node| tree.tag(*node) == Some(Tag::Noscript))
    })?;
    image_in(tree, noscript)
}

/// The element behind a node or before it, with nothing but whitespace between them.
fn beside(tree: &Tree<'_>, node: NodeId, behind: bool) -> Option<NodeId> {
    let step = |node: NodeId| {
        let Some(node) = tree.nodes.get(node as usize) else { return NONE };
        if behind { node.next } else { node.previous }
    };
    let mut at = step(node);
    while at != NONE && tree.tag(at).is_none() && tree.text(at).trim().is_empty() {
        at = step(at);
    }
    (at != NONE && tree.tag(at).is_some()).then_some(at)
}

/// Do size and role say that nobody is meant to look at it?
fn serves_only(tree: &Tree<'_>, node: NodeId) -> bool {
    let [width, height, role, hidden, alt] =
        tree.attributes_named(node, ["width", "height", "role", "aria-hidden", "alt"]);
    let size = |size: &Option<Cow<'_, str>>| size.as_deref().and_then(pixels);
    let sizes = [size(&width), size(&height)];
    let all_below = |most: u32| {
        sizes.iter().any(Option::is_some) && sizes.iter().flatten().all(|size| *size <= most)
    };
    if sizes.iter().flatten().any(|size| *size <= 1) || all_below(ICON) {
        return true;
    }
    let is_decoration = role.is_some_and(|role| matches!(role.trim(), "presentation" | "none"))
        || hidden.is_some_and(|hidden| hidden.trim() == "true");
    is_decoration && alt.is_none_or(|alt| alt.trim().is_empty()) && all_below(DECORATION)
}

fn pixels(size: &str) -> Option<u32> {
    let size = size.trim();
    size.strip_suffix("px").unwrap_or(size).trim_end().parse().ok()
}

/// Do the names of the image, of its file or of its directory say that it is an icon, a logo, …?
fn is_named_as_service(tree: &Tree<'_>, node: NodeId, source: &str) -> bool {
    let [class, id, width] = tree.attributes_named(node, ["class", "id", "width"]);
    let is_large = width.is_some_and(|width| pixels(&width).is_some_and(|width| width >= LARGE));
    let mut person = (false, false);
    for part in [class.as_deref(), id.as_deref()].into_iter().flatten().flat_map(parts) {
        let is = |names: &[&str]| names.iter().any(|name| part.eq_ignore_ascii_case(name));
        if is(SERVICE) || is(FACES) || (!is_large && is(&["logo", "logos", "share", "social"])) {
            return true;
        }
        person.0 |= is(&["author", "profile", "user"]);
        person.1 |= is(&["image", "img", "photo", "pic", "picture", "thumb"]);
    }
    if person == (true, true) {
        return true;
    }
    let path = source.split(['?', '#']).next().unwrap_or_default();
    let (directory, file) = path.rsplit_once('/').unwrap_or(("", path));
    let is = |part: &str, names: &[&str]| names.iter().any(|name| part.eq_ignore_ascii_case(name));
    let of_faces = path.as_bytes().windows(6).any(|part| part.eq_ignore_ascii_case(b"avatar"));
    of_faces
        || path.contains("://ad.")
        || path.contains("doubleclick.net/")
        || parts(directory)
            .any(|part| is(part, &["emoji", "smilies", "smileys"]) || ends(part, "icons"))
        || (!is_large && parts(file).any(|part| is(part, SERVICE) || is(part, SIGNS)))
        || (!is_large && parts(file).any(|part| ends(part, "button") || is_logo(part)))
}

fn ends(name: &str, end: &str) -> bool {
    let start = name.len().checked_sub(end.len());
    start.and_then(|start| name.get(start..)).is_some_and(|own| own.eq_ignore_ascii_case(end))
}

/// `harbourlogo`, but not `catalogo`, `prologo` and the like.
fn is_logo(part: &str) -> bool {
    let before = part.len().checked_sub("?logo".len()).map(|at| part.as_bytes()[at] | 0x20);
    ends(part, "logo")
        && !ends(part, "prologo")
        && before.is_some_and(|before| !matches!(before, b'a' | b'i' | b'o'))
}

/// Is it a bullet, a corner or the like: a sign stands for it, or nothing and the file's name says where in a box it
/// belongs?
fn is_sign(source: &str, alt: &str) -> bool {
    const PLACES: &[&str] =
        &["bg", "border", "bullet", "corner", "divider", "left", "line", "right", "separator"];
    let alt = alt.trim();
    if !alt.is_empty() {
        return alt.len() <= 2 && !alt.contains(char::is_alphanumeric);
    }
    let file = source.split(['?', '#']).next().unwrap_or_default();
    let file = file.rsplit('/').next().unwrap_or_default();
    let is_place = |part: &str| PLACES.iter().any(|place| part.eq_ignore_ascii_case(place));
    ends(file, ".gif") && parts(file).count() <= 3 && parts(file).any(is_place)
}

/// Signs on buttons and of firms, by the names of their files.
const SIGNS: &[&str] = &["arrow", "arrows", "caret", "chevron", "icons", "logo"];

const SERVICE: &[&str] = &[
    "emoji", "emoticon", "favicon", "icon", "pixel", "smiley", "smilies", "spacer", "sprite",
    "tracker",
];
const FACES: &[&str] = &["avatar", "avatars", "gravatar", "userpic"];

/// `site-logo_2x` has the parts `site`, `logo`, `2x`.
fn parts(names: &str) -> impl Iterator<Item = &str> {
    names.split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| !part.is_empty())
}
