//! Which images stand inside the main text, and what is written below them.
//!
//! The extractor decides about texts. An image belongs to the text around it, and a caption to its image,
//! also where the extractor dropped the caption. So each image is looked at with its branch: the largest
//! element around it that holds no kept text. What stands before the branch and behind it decides.

use super::{image_of, is_copy, is_image, parts};
use crate::html::tag::Tag;
use crate::output::code::is_preformatted;
use crate::page::Page;
use crate::tree::{NodeId, Tree};

/// Bytes of dropped text in the branch of an image that are no caption: more of it is a box of its own.
const MAX_OTHER_TEXT: u32 = 120;

/// Bytes of dropped text between the first image and the text: a name, a date, buttons.
const MAX_BEFORE_TEXT: u32 = 400;

/// Bytes of a caption.
const MAX_CAPTION: u32 = 1_500;

/// Nodes of a figure that are looked at for captions, and of a caption that are looked at for images.
const MAX_NEAR: NodeId = 400;
const MAX_NODES: usize = 64;

/// The images of the main text and their captions, for outputs that write images.
#[derive(Debug, Default)]
pub(crate) struct Figures {
    images: Vec<NodeId>,
    captions: Vec<NodeId>,
}

impl Figures {
    /// Looks for them; `is_kept` says of a text whether it is written.
    pub(crate) fn of(page: &Page<'_>, is_kept: impl Fn(NodeId) -> bool) -> Figures {
        let tree = &page.tree;
        let texts = Texts::of(page, is_kept);
        let mut found = Figures::default();
        if texts.kept.last() == Some(&0) {
            return found;
        }
        let mut open: Vec<Open> = Vec::with_capacity(64);
        for node in tree.nodes() {
            let parent = tree.parent(node);
            while open.last().is_some_and(|open| Some(open.node) != parent) {
                open.pop();
            }
            if tree.tag(node).is_none() {
                continue;
            }
            if is_image(tree, node) {
                found.add(tree, &texts, node, &mut open);
            }
            open.push(Open { node, looked: None });
        }
        found.captions.sort_unstable();
        found.captions.dedup();
        found
    }

    /// Is this `img` (or `amp-img`) written? Those in a `noscript` may be, too.
    pub(crate) fn has_image(&self, node: NodeId) -> bool {
        self.images.binary_search(&node).is_ok()
    }

    /// The images in page order.
    pub(crate) fn images(&self) -> &[NodeId] {
        &self.images
    }

    /// The captions in page order.
    pub(crate) fn captions(&self) -> &[NodeId] {
        &self.captions
    }

    fn add(&mut self, tree: &Tree<'_>, texts: &Texts, image: NodeId, open: &mut [Open]) {
        let Some(branch) = branch(tree, texts, image, open) else { return };
        if !texts.stand_around(tree, &branch) || image_of(tree, image).is_none() {
            return;
        }
        let captions = captions(tree, texts, &branch);
        let inside = |caption: &NodeId| texts.dropped_in(*caption, tree.end_of(*caption));
        let of_captions: u32 = captions.iter().map(inside).sum();
        let other = texts.dropped_in(branch.start, branch.end).saturating_sub(of_captions);
        // A link with a picture and words leads to another text.
        if other > if branch.is_linked { 0 } else { MAX_OTHER_TEXT } {
            return;
        }
        self.images.push(image);
        self.captions.extend(captions);
    }
}

struct Open {
    node: NodeId,
    /// Whether it holds kept text, and whether images in it are no part of the text.
    looked: Option<(bool, bool)>,
}

/// The part of the page that an image stands in, without any kept text.
struct Branch {
    start: NodeId,
    end: NodeId,
    /// The element around it, which has kept text.
    around: NodeId,
    figure: Option<NodeId>,
    /// The image leads to another page, not to itself in full size.
    is_linked: bool,
}

fn branch(tree: &Tree<'_>, texts: &Texts, image: NodeId, open: &mut [Open]) -> Option<Branch> {
    let (mut start, mut around, mut figure, mut noscript) = (image, None, None, None);
    let mut is_linked = false;
    for open in open.iter_mut().rev() {
        let node = open.node;
        let (has_kept, is_apart) = *open.looked.get_or_insert_with(|| {
            (texts.kept_in(node, tree.end_of(node)) > 0, is_apart(tree, node))
        });
        let tag = tree.tag(node);
        if tag == Some(Tag::Figure) && figure.is_none() {
            figure = Some(node);
        }
        is_linked |= tag == Some(Tag::A) && leads_away(tree, node);
        if has_kept {
            around = Some(node);
            break;
        }
        // Code is written as a whole: an image would bring back what was dropped.
        if is_apart || tag.is_some_and(is_preformatted) {
            return None;
        }
        if tag == Some(Tag::Noscript) {
            noscript = Some(node);
        }
        start = node;
    }
    if noscript.is_some_and(|noscript| is_copy(tree, noscript)) {
        return None;
    }
    Some(Branch { start, end: tree.end_of(start), around: around?, figure, is_linked })
}

fn leads_away(tree: &Tree<'_>, link: NodeId) -> bool {
    let Some(href) = tree.attribute(link, "href") else { return false };
    let path = href.split(['?', '#']).next().unwrap_or_default();
    let ending = path.rsplit('.').next().unwrap_or_default();
    let of_images = ["jpg", "jpeg", "png", "gif", "webp", "avif", "svg"];
    !path.is_empty() && !of_images.iter().any(|image| ending.eq_ignore_ascii_case(image))
}

/// Is what is in the element no part of the text, as far as its own tag and names say?
fn is_apart(tree: &Tree<'_>, node: NodeId) -> bool {
    use Tag::*;
    let Some(tag) = tree.tag(node) else { return false };
    if matches!(tag, Nav | Aside | Footer | Button | Form | Template | Dialog | Select | Svg) {
        return true;
    }
    if tag != Noscript && tag != Body && tree.hides(node) {
        return true;
    }
    const APART: &[&str] = &[
        "ad",
        "ads",
        "advert",
        "advertisement",
        "author",
        "avatar",
        "bio",
        "breadcrumb",
        "byline",
        "comment",
        "comments",
        "cookie",
        "footer",
        "logo",
        "menu",
        "nav",
        "navbar",
        "navigation",
        "newsletter",
        "popular",
        "promo",
        "recirc",
        "recommended",
        "related",
        "share",
        "sharing",
        "sidebar",
        "social",
        "sponsor",
        "sponsored",
        "subscribe",
        "teaser",
        "teasers",
        "trending",
    ];
    if tree.start_tag(node).len() < 8 {
        return false;
    }
    let [class, id] = tree.attributes_named(node, ["class", "id"]);
    let mut names = [class, id].into_iter().flatten();
    names.any(|name| {
        parts(&name).any(|part| APART.iter().any(|apart| part.eq_ignore_ascii_case(apart)))
    })
}

/// The captions in a branch: `figcaption`, or what its class calls a caption.
fn captions(tree: &Tree<'_>, texts: &Texts, branch: &Branch) -> Vec<NodeId> {
    let (start, end) = match branch.figure {
        Some(figure) => (figure, tree.end_of(figure)),
        None => (branch.start, branch.end),
    };
    let is_caption = |node: NodeId| match tree.tag(node) {
        Some(Tag::Figcaption) => true,
        Some(Tag::P | Tag::Div | Tag::Span | Tag::Dd) => {
            let start_tag = tree.start_tag(node).as_bytes();
            memchr::memmem::find(start_tag, b"aption").is_some()
                && tree.attribute(node, "class").is_some_and(|class| {
                    let is_name = |part: &str| {
                        part.eq_ignore_ascii_case("caption") || part.ends_with("Caption")
                    };
                    parts(&class).any(is_name)
                })
                && !(node..tree.end_of(node)).take(MAX_NODES).any(|node| is_image(tree, node))
        }
        _ => false,
    };
    let mut found = Vec::new();
    let mut node = start;
    // A caption is near its image; what is longer is a text.
    let end = end.min(start.saturating_add(MAX_NEAR));
    while node < end {
        let after = tree.end_of(node);
        if (1..=MAX_CAPTION).contains(&texts.all_in(node, after)) && is_caption(node) {
            found.push(node);
            node = after;
        } else {
            node += 1;
        }
    }
    found
}

/// How much text is before each node, kept and dropped.
struct Texts {
    /// Kept texts before a node.
    kept: Vec<u32>,
    /// Bytes of texts before a node that readers see but the extractor dropped.
    dropped: Vec<u32>,
    /// Bytes of all texts before a node.
    all: Vec<u32>,
}

impl Texts {
    fn of(page: &Page<'_>, is_kept: impl Fn(NodeId) -> bool) -> Texts {
        let tree = &page.tree;
        let count = tree.nodes.len() + 1;
        let (mut kept, mut dropped, mut all) =
            (Vec::with_capacity(count), Vec::with_capacity(count), Vec::with_capacity(count));
        let (mut texts, mut bytes, mut both) = (0_u32, 0_u32, 0_u32);
        for node in tree.nodes() {
            kept.push(texts);
            dropped.push(bytes);
            all.push(both);
            if tree.tag(node).is_some() {
                continue;
            }
            let length = tree.text(node).trim().len() as u32;
            if is_kept(node) {
                texts += 1;
                both = both.saturating_add(length);
            } else if crate::output::kept::is_shown(&page.document, node) {
                bytes = bytes.saturating_add(length);
                both = both.saturating_add(length);
            }
        }
        kept.push(texts);
        dropped.push(bytes);
        all.push(both);
        Texts { kept, dropped, all }
    }

    fn kept_in(&self, start: NodeId, end: NodeId) -> u32 {
        self.kept[end as usize] - self.kept[start as usize]
    }

    fn dropped_in(&self, start: NodeId, end: NodeId) -> u32 {
        self.dropped[end as usize] - self.dropped[start as usize]
    }

    fn all_in(&self, start: NodeId, end: NodeId) -> u32 {
        self.all[end as usize] - self.all[start as usize]
    }

    /// Does the kept text around a branch make it a part of the text?
    fn stand_around(&self, tree: &Tree<'_>, branch: &Branch) -> bool {
        let start = branch.around;
        let end = tree.end_of(branch.around);
        let before = self.kept_in(start, branch.start) > 0;
        let behind = self.kept_in(branch.end, end) > 0;
        let is_page = matches!(tree.tag(branch.around), Some(Tag::Body | Tag::Html));
        // Dropped text between the branch and the next kept one.
        let next = self.kept.partition_point(|kept| *kept <= self.kept[branch.end as usize]);
        let gap_behind = || self.dropped_in(branch.end, next.saturating_sub(1) as NodeId);
        let last = self.kept.partition_point(|kept| *kept < self.kept[branch.start as usize]);
        let gap_before = || self.dropped_in(last as NodeId, branch.start);
        let goes_on = next <= tree.nodes.len();
        match (before, behind) {
            (true, true) => gap_before() <= MAX_BEFORE_TEXT || gap_behind() <= MAX_BEFORE_TEXT,
            // Above the text, below the title.
            (false, true) => !is_page && gap_behind() <= MAX_BEFORE_TEXT,
            // At the end of an item or a section, and the text goes on behind it.
            (true, false) if goes_on && gap_before() == 0 && gap_behind() <= MAX_OTHER_TEXT => true,
            // The last image of a text is a figure; others below a text lead to other texts.
            (true, false) => !is_page && branch.figure.is_some() && gap_before() == 0,
            (false, false) => false,
        }
    }
}
