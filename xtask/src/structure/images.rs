//! Images of the main text: the gold Markdown has none, so they are found on the page. An image belongs to the text where
//! the gold text stands next to it, before and behind; a figure, where it stands before or behind.

use std::collections::HashSet;

use pulldown_cmark::{Event, Options, Parser, Tag as Markdown};
use webstrata::{Class, NodeId, Page, Tag, Tree};
use webstrata_lab::gold;
use webstrata_lab::scores::structure::Matches;

/// Pixels of an icon.
const ICON: u32 = 64;

/// The names that one image goes by: a page may offer it in many sizes.
pub(super) type Names = HashSet<String>;

/// The images of a page that stand in its gold text.
pub(super) fn wanted(page: &Page<'_>, gold_text: &str) -> Vec<Names> {
    let Page { tree, document } = page;
    let shares = gold::shares(document, gold_text);
    // By block: where its text begins, and whether the gold has it.
    let mut blocks: Vec<(NodeId, bool)> = Vec::new();
    for (block, share) in document.blocks.iter().zip(shares) {
        let Some(first) = block.atoms().next() else { continue };
        let class = gold::from_share(share, block.counts.words as usize);
        blocks.push((document.atoms[first].nodes.start, class == Class::Content));
    }
    let mut images: Vec<Names> = Vec::new();
    for image in tree.nodes().filter(|node| tree.tag(*node) == Some(Tag::Img)) {
        let behind = blocks.partition_point(|(start, _)| *start < image);
        let before_is_gold = behind > 0 && blocks[behind - 1].1;
        let behind_is_gold = blocks.get(behind).is_some_and(|(_, is_gold)| *is_gold);
        let is_figure = tree.ancestors(image).any(|node| tree.tag(node) == Some(Tag::Figure));
        let stands_inside = match is_figure {
            true => before_is_gold || behind_is_gold,
            false => before_is_gold && behind_is_gold,
        };
        let names = names(tree, image);
        // The copy of a lazy image in a `noscript` is the same image.
        let is_known = images.iter().any(|image| !image.is_disjoint(&names));
        if stands_inside && !is_icon(tree, image) && !names.is_empty() && !is_known {
            images.push(names);
        }
    }
    images
}

fn is_icon(tree: &Tree<'_>, image: NodeId) -> bool {
    let pixels = |name: &str| tree.attribute(image, name)?.trim_end_matches("px").parse().ok();
    let words = ["class", "id", "src", "alt"].map(|name| tree.attribute(image, name));
    let is_sign = |text: &str| {
        let text = text.to_ascii_lowercase();
        ["icon", "avatar", "emoji", "smil", "pixel", "spacer", "logo", "sprite"]
            .iter()
            .any(|sign| text.contains(sign))
    };
    ["width", "height"].iter().any(|name| pixels(name).is_some_and(|size: u32| size <= ICON))
        || words.iter().flatten().any(|text| is_sign(text))
}

/// All addresses that an image has, in its own attributes and in the `<source>` of its `<picture>`.
fn names(tree: &Tree<'_>, image: NodeId) -> Names {
    let around = tree.parent(image).filter(|node| tree.tag(*node) == Some(Tag::Picture));
    let elements = around.into_iter().flat_map(|picture| tree.children(picture)).chain([image]);
    let mut names = Names::new();
    for attribute in elements.flat_map(|element| tree.attributes(element)) {
        let is_list = attribute.name.contains("srcset");
        if !is_list && !attribute.name.contains("src") && !attribute.name.contains("original") {
            continue;
        }
        // An address may have commas, but a list has spaces between its entries.
        let entries: Vec<&str> = match is_list {
            true => attribute.value.split(", ").collect(),
            false => vec![&attribute.value],
        };
        let addresses = entries.iter().filter_map(|entry| entry.split_whitespace().next());
        names.extend(addresses.filter_map(name));
    }
    names
}

/// What tells an address from others, wherever it was made absolute: its last part, with the query where that is no name
/// of a file.
fn name(address: &str) -> Option<String> {
    if address.starts_with("data:") {
        return None;
    }
    let address = address.split('#').next().unwrap_or_default().replace("&amp;", "&");
    let (path, query) = address.split_once('?').unwrap_or((&address, ""));
    let last = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let name = if last.contains('.') { last.to_owned() } else { format!("{last}?{query}") };
    (name.len() > 3).then_some(name.to_ascii_lowercase())
}

/// The images of a Markdown text.
pub(super) fn images(markdown: &str) -> Vec<String> {
    let mut images = Vec::new();
    for event in Parser::new_ext(markdown, Options::ENABLE_TABLES) {
        if let Event::Start(Markdown::Image { dest_url, .. }) = event {
            images.extend(name(&dest_url));
        }
    }
    images
}

/// Each image that is wanted is matched once at most.
pub(super) fn compare(found: &[String], wanted: &[Names]) -> Matches {
    let mut left: Vec<&Names> = wanted.iter().collect();
    let mut common = 0;
    for image in found {
        if let Some(at) = left.iter().position(|names| names.contains(image)) {
            left.swap_remove(at);
            common += 1;
        }
    }
    Matches { common, found: found.len(), wanted: wanted.len() }
}

#[cfg(test)]
mod tests {
    use webstrata::Options as Reading;
    use webstrata::cutting::Cutting;

    use super::*;

    #[test]
    fn images_between_gold_are_wanted() {
        let page = "<p><img src=/logo.png>Menu<p>High water comes twice a day here.\
                    <p><img src=ebb.png srcset='/img/ebb-2.png 2x, /img/ebb-3.png 3x'>\
                    <p>Low water comes in between.<figure><img data-src=//x.org/neap.jpg?w=9></figure>\
                    <p>Read more about tides<p><img src=ad.png>Buy";
        let page = Page::read(page.as_bytes(), Cutting::Strata, &Reading::default());
        let gold = "High water comes twice a day here.\nLow water comes in between.";
        let wanted = wanted(&page, gold);
        let found = images("![a](https://x.org/img/ebb-3.png) ![b](neap.jpg) ![c](ad.png)");
        assert_eq!(compare(&found, &wanted), Matches { common: 2, found: 3, wanted: 2 });
    }
}
