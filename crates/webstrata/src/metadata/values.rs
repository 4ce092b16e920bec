//! What values may be: addresses, texts with markup in them.

use crate::html::tag::Tag;

/// Is a licence stated by its address, and not by its name or as a sentence?
pub(super) fn is_address(value: &str) -> bool {
    !value.contains(char::is_whitespace)
        && (value.contains('/') || value.ends_with(".html") || value.ends_with(".htm"))
}

/// The text without the tags that some programs leave in it. Only names of HTML are tags: `Vec<T>` stays.
pub(super) fn without_tags(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    let mut rest = value;
    while let Some(start) = rest.find('<') {
        let (before, tag) = rest.split_at(start);
        text.push_str(before);
        match end_of_tag(tag) {
            Some((end, is_inline)) => {
                if !is_inline {
                    text.push(' ');
                }
                rest = &tag[end..];
            }
            None => {
                text.push('<');
                rest = &tag[1..];
            }
        }
    }
    if text.is_empty() {
        return rest.to_owned();
    }
    text.push_str(rest);
    super::collapse(&text, super::LONGEST_VALUE)
}

/// Where a tag ends, and whether it stands in a line; `None` for what is none.
fn end_of_tag(tag: &str) -> Option<(usize, bool)> {
    use Tag::{A, B, Br, Em, Font, Hr, I, Small, Span, Strong, Sub, Sup, U};
    let name = tag[1..].trim_start_matches('/');
    let length = name.bytes().take_while(u8::is_ascii_alphanumeric).count();
    let (name, rest) = name.split_at(length);
    let end = match tag.find('>') {
        Some(end) => end + 1,
        // What has attributes and no end was cut off with the value. All else is text: `a <b or so`.
        None if rest.split_whitespace().next().is_some_and(|word| word.contains('=')) => tag.len(),
        None => return None,
    };
    let is_tag = rest.starts_with(['>', '/', ' ']);
    match Tag::of(name.to_ascii_lowercase().as_bytes()) {
        _ if !is_tag || name.is_empty() => None,
        Tag::Other => None,
        // Letters of variables: `a <b and c> d`.
        A | B | I | U if tag[..end].contains(" and ") => None,
        A | B | Em | Font | I | Small | Span | Strong | Sub | Sup | U => Some((end, true)),
        Br | Hr => Some((end, false)),
        _ => Some((end, false)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_left_out() {
        let is = |value: &str, text: &str| assert_eq!(without_tags(value), text, "{value}");
        is("Fog until ten.<br />Then sun.", "Fog until ten. Then sun.");
        is("<p>A <b>strong</b> wind</p><p>at noon</p>", "A strong wind at noon");
        is("<p>", "");
        is("Cut off <a href=\"/x", "Cut off");
        is("Fog while a <b or so, then sun", "Fog while a <b or so, then sun");
        is("Fog <b", "Fog <b");
        is("Vec<T> and x < y > z", "Vec<T> and x < y > z");
        is("Tides", "Tides");
    }

    #[test]
    fn addresses_of_licences() {
        assert!(is_address("https://licences.example/by/4.0/") && is_address("licence.html"));
        assert!(!is_address("Jane Doe") && !is_address("CC-BY-4.0"));
    }
}
