//! Which images stand inside the main text, and what is written below them.
//!
//! The extractor decides about texts. An image belongs to the text around it, and a caption to its image,
//! also where the extractor dropped the caption. So each image is looked at with its branch: the largest
//! element around it that holds no kept text. What stands before the branch and behind it decides.

use super::{image_of, is_copy, is_image, parts};
use crate::html::tag::Tag;
use crate::metadata::titles::is_home;
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
        if texts.before.last().is_none_or(|all| all.kept == 0) {
            return found;
        }
        let mut looked = vec![Looked::default(); tree.nodes.len()];
        for node in tree.nodes().filter(|node| is_image(tree, *node)) {
            found.add(tree, &texts, node, &mut looked);
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

    fn add(&mut self, tree: &Tree<'_>, texts: &Texts, image: NodeId, looked: &mut [Looked]) {
        let Some(branch) = branch(tree, texts, image, looked) else { return };
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

/// What is known of an element around images.
#[derive(Clone, Copy, Default)]
struct Looked {
    is_known: bool,
    /// It holds kept text.
    has_kept: bool,
    /// Images in it are no part of the text.
    is_apart: bool,
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

fn branch(tree: &Tree<'_>, texts: &Texts, image: NodeId, looked: &mut [Looked]) -> Option<Branch> {
    let (mut start, mut around, mut figure, mut noscript) = (image, None, None, None);
    let mut is_linked = false;
    for node in tree.ancestors(image).skip(1) {
        let looked = &mut looked[node as usize];
        if !looked.is_known {
            let has_kept = texts.kept_in(node, tree.end_of(node)) > 0;
            *looked = Looked { is_known: true, has_kept, is_apart: is_apart(tree, node) };
        }
        let Looked { has_kept, is_apart, .. } = *looked;
        let tag = tree.tag(node);
        if tag == Some(Tag::Figure) && figure.is_none() {
            figure = Some(node);
        }
        if tag == Some(Tag::A) {
            if leads_home(tree, node) {
                return None;
            }
            is_linked |= leads_away(tree, node);
        }
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

/// Does a link lead to the first page of the site? Then the image in it is the site's banner. Whole addresses may be those
/// of other sites.
fn leads_home(tree: &Tree<'_>, link: NodeId) -> bool {
    tree.attribute(link, "href").is_some_and(|href| !href.contains("//") && is_home(href.trim()))
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

/// Elements that may be captions.
pub(crate) fn may_be_caption(tag: Tag) -> bool {
    matches!(tag, Tag::Figcaption | Tag::P | Tag::Div | Tag::Span | Tag::Dd)
}

/// The captions in a branch: `figcaption`, or what its class calls a caption.
fn captions(tree: &Tree<'_>, texts: &Texts, branch: &Branch) -> Vec<NodeId> {
    let (start, end) = match branch.figure {
        Some(figure) => (figure, tree.end_of(figure)),
        None => (branch.start, branch.end),
    };
    let is_caption = |node: NodeId| match tree.tag(node) {
        Some(Tag::Figcaption) => true,
        Some(tag) if may_be_caption(tag) => {
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

/// How much text is before each node.
struct Texts {
    before: Vec<Sums>,
}

#[derive(Clone, Copy, Default)]
struct Sums {
    /// Kept texts.
    kept: u32,
    /// Bytes of texts that readers see but the extractor dropped.
    dropped: u32,
    /// Bytes of all texts.
    all: u32,
}

impl Texts {
    fn of(page: &Page<'_>, is_kept: impl Fn(NodeId) -> bool) -> Texts {
        let tree = &page.tree;
        let mut before = Vec::with_capacity(tree.nodes.len() + 1);
        let mut sums = Sums::default();
        for node in tree.nodes() {
            before.push(sums);
            // Kept texts are shown ones, too; most others are spaces between elements.
            if !crate::output::kept::is_shown(&page.document, node) {
                continue;
            }
            let length = tree.text(node).trim().len() as u32;
            sums.all = sums.all.saturating_add(length);
            if is_kept(node) {
                sums.kept += 1;
            } else {
                sums.dropped = sums.dropped.saturating_add(length);
            }
        }
        before.push(sums);
        Texts { before }
    }

    fn kept_before(&self, node: NodeId) -> u32 {
        self.before[node as usize].kept
    }

    fn kept_in(&self, start: NodeId, end: NodeId) -> u32 {
        self.kept_before(end) - self.kept_before(start)
    }

    fn dropped_in(&self, start: NodeId, end: NodeId) -> u32 {
        self.before[end as usize].dropped - self.before[start as usize].dropped
    }

    fn all_in(&self, start: NodeId, end: NodeId) -> u32 {
        self.before[end as usize].all - self.before[start as usize].all
    }

    /// Does the kept text around a branch make it a part of the text?
    fn stand_around(&self, tree: &Tree<'_>, branch: &Branch) -> bool {
        let start = branch.around;
        let end = tree.end_of(branch.around);
        let before = self.kept_in(start, branch.start) > 0;
        let behind = self.kept_in(branch.end, end) > 0;
        let is_page = matches!(tree.tag(branch.around), Some(Tag::Body | Tag::Html));
        // Dropped text between the branch and the next kept one.
        let (here, there) = (self.kept_before(branch.start), self.kept_before(branch.end));
        let next = self.before.partition_point(|sums| sums.kept <= there);
        let gap_behind = || self.dropped_in(branch.end, next.saturating_sub(1) as NodeId);
        let last = self.before.partition_point(|sums| sums.kept < here);
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
