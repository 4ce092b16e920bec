//! Where an image comes from: pages that load images late write the address in many places.

use crate::html::tag::Tag;
use crate::tree::{NodeId, Tree};

use super::parts;

/// Children of a `picture` that are looked at.
const MAX_SOURCES: usize = 32;

/// Bytes of an address; longer ones are data.
const MAX_LENGTH: usize = 2_048;

/// Attributes that scripts read the address from, the better ones first.
const LAZY: [&str; 16] = [
    "data-src",
    "data-lazy-src",
    "data-original",
    "data-original-src",
    "data-orig-src",
    "data-lazy",
    "data-hi-res-src",
    "data-full-src",
    "data-cfsrc",
    "data-ezsrc",
    "data-actualsrc",
    "data-echo",
    "data-image-src",
    "data-img-src",
    "data-image",
    "data-url",
];
const SETS: [&str; 3] = ["data-srcset", "data-lazy-srcset", "srcset"];

/// The address that an `img` has itself. What is shown until the image comes is none.
pub(super) fn of_element(tree: &Tree<'_>, node: NodeId) -> Option<String> {
    let [src, class, loading] = tree.attributes_named(node, ["src", "class", "data-loading"]);
    let src = src.as_deref().map(str::trim).filter(|src| is_usable(src));
    // What a lazy image shows first may be itself, very small.
    let is_lazy = loading.is_some()
        || class.is_some_and(|class| {
            parts(&class).any(|part| part.len() >= 4 && part[..4].eq_ignore_ascii_case("lazy"))
        });
    if let Some(src) = src.filter(|_| !is_lazy) {
        return Some(src.to_owned());
    }
    let late = late_source(tree, node);
    src.map(str::to_owned).filter(|_| late.is_none()).or(late)
}

/// The address that a script would give the image. One pass over the attributes: most images have none
/// of these.
fn late_source(tree: &Tree<'_>, node: NodeId) -> Option<String> {
    let mut best: Option<(usize, &str)> = None;
    for (name, _) in tree.raw_attributes(node) {
        let ends = |end: &str| {
            name.len() >= end.len()
                && name.is_char_boundary(name.len() - end.len())
                && name[name.len() - end.len()..].eq_ignore_ascii_case(end)
        };
        let rank = match LAZY.iter().position(|lazy| name.eq_ignore_ascii_case(lazy)) {
            Some(rank) => rank,
            // `nitro-lazy-src` and whatever else plugins think of.
            None if ends("-src") => LAZY.len(),
            None if ends("srcset") => LAZY.len() + 1,
            None => continue,
        };
        if best.is_none_or(|(least, _)| rank < least) && late_value(tree, node, name).is_some() {
            best = Some((rank, name));
        }
    }
    best.and_then(|(_, name)| late_value(tree, node, name))
}

fn late_value(tree: &Tree<'_>, node: NodeId, name: &str) -> Option<String> {
    let value = tree.attribute(node, name)?;
    let value = value.trim();
    // Some write a set of addresses where one is expected.
    let is_set = value.contains([' ', '\n']);
    let address =
        if is_set { largest(value) } else { Some(value).filter(|value| is_usable(value)) };
    address.map(str::to_owned)
}

/// The address of the `picture` that an image is in.
pub(super) fn of_picture(tree: &Tree<'_>, image: NodeId) -> Option<String> {
    let picture = tree.parent(image).filter(|node| tree.tag(*node) == Some(Tag::Picture))?;
    let sources = tree.children(picture).take(MAX_SOURCES);
    let mut sources = sources.filter(|node| tree.tag(*node) == Some(Tag::Source));
    sources.find_map(|source| {
        let sets = tree.attributes_named(source, SETS);
        sets.into_iter().flatten().find_map(|set| largest(&set).map(str::to_owned))
    })
}

/// The address with the most pixels, by the rules for `srcset`.
fn largest(set: &str) -> Option<&str> {
    let is_space = |c: char| c.is_ascii_whitespace();
    let mut rest = set;
    let mut best: Option<(f64, &str)> = None;
    loop {
        rest = rest.trim_start_matches(|c| is_space(c) || c == ',');
        if rest.is_empty() {
            break;
        }
        let end = rest.find(is_space).unwrap_or(rest.len());
        let (mut url, behind) = rest.split_at(end);
        rest = behind;
        let mut size = 1.0;
        if url.ends_with(',') {
            url = url.trim_end_matches(',');
        } else {
            // Parentheses are kept for what may come; a comma in them ends nothing.
            let mut depth = 0_u32;
            let end = rest.find(|c| {
                match c {
                    '(' => depth += 1,
                    ')' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                c == ',' && depth == 0
            });
            let (descriptors, behind) = rest.split_at(end.unwrap_or(rest.len()));
            for descriptor in descriptors.split(is_space) {
                let number =
                    descriptor.strip_suffix(['w', 'x']).and_then(|n| n.parse::<f64>().ok());
                if let Some(number) = number.filter(|number| number.is_finite()) {
                    size = number;
                }
            }
            rest = behind;
        }
        if is_usable(url) && best.is_none_or(|(most, _)| size > most) {
            best = Some((size, url));
        }
    }
    best.map(|(_, url)| url)
}

/// Is this an address, and not that of what stands in for the image?
fn is_usable(address: &str) -> bool {
    let is_address = !address.is_empty()
        && address.len() <= MAX_LENGTH
        && address.contains(['/', '.'])
        && !address.starts_with(['{', '[', '#'])
        && !address.contains(['<', '>', '\n'])
        && !address.as_bytes().get(..5).is_some_and(|start| start.eq_ignore_ascii_case(b"data:"))
        && !address
            .as_bytes()
            .get(..11)
            .is_some_and(|start| start.eq_ignore_ascii_case(b"about:blank"));
    if !is_address {
        return false;
    }
    let path = address.split(['?', '#']).next().unwrap_or_default();
    let file = path.rsplit('/').next().unwrap_or_default();
    const ALWAYS: &[&str] = &["1x1", "lazyload", "placeholder", "spacer", "transparent"];
    const OFTEN: &[&str] =
        &["blank", "clear", "dot", "empty", "lazy", "loader", "loading", "pixel", "trans"];
    let is = |part: &str, names: &[&str]| names.iter().any(|name| part.eq_ignore_ascii_case(name));
    // `blank.gif`, `loading-2.svg`; a photo of an empty street has more words in its name.
    let is_short = parts(file).take(5).count() < 5;
    !parts(file).any(|part| is(part, ALWAYS) || (is_short && is(part, OFTEN)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets() {
        for (set, expect) in [
            ("a.jpg 300w, b.jpg 1200w, c.jpg 600w", Some("b.jpg")),
            ("a.jpg, b.jpg 2x", Some("b.jpg")),
            ("/w_300,h_200/a.jpg 300w,\n /w_900,h_600/a.jpg 900w", Some("/w_900,h_600/a.jpg")),
            ("a.jpg,", Some("a.jpg")),
            ("a.jpg 1.5x, b.jpg 1x", Some("a.jpg")),
            ("data:image/gif;base64,R0lG 1w, b.jpg 2w", Some("b.jpg")),
            ("a.jpg future(1, 2) 100w, b.jpg 200w", Some("b.jpg")),
            ("  , ,", None),
            ("", None),
        ] {
            assert_eq!(largest(set), expect, "{set}");
        }
    }

    #[test]
    fn stand_ins() {
        for (address, expect) in [
            ("/a/b.jpg", true),
            ("photo.png?x=blank", true),
            ("the-streets-stood-empty-that-day.jpg", true),
            ("/img/blank.gif", false),
            ("/img/1x1.png", false),
            ("/assets/image-placeholder.svg", false),
            ("/img/placeholder--front--featured-news.jpg", false),
            ("data:image/gif;base64,R0lGODlhAQABAAAAACw=", false),
            ("{\"src\": \"a.jpg\"}", false),
            ("true", false),
            ("", false),
        ] {
            assert_eq!(is_usable(address), expect, "{address}");
        }
    }
}
