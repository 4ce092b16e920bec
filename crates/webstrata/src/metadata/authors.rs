//! Names of authors out of what pages write around them.

use super::dates;

/// Longer than this is a sentence, not a name.
const LONGEST: usize = 120;

/// What bylines begin with, in lower case.
const BEFORE: &[&str] = &[
    "medically reviewed by",
    "view all posts by",
    "more by",
    "post by",
    "recipe by",
    "article written by",
    "written by",
    "posted by",
    "published by",
    "story by",
    "words by",
    "article by",
    "submitted by",
    "authored by",
    "created by",
    "authors:",
    "author:",
    "autor:",
    "author",
    "by:",
    "by",
    "von:",
    "par:",
    "por:",
    "di:",
];

/// Where a name has ended, in lower case and between spaces.
const AFTER: &[&str] = &[
    "|",
    "•",
    "·",
    "-",
    "–",
    "—",
    "/",
    "on",
    "in",
    "updated",
    "published",
    "posted",
    "last",
    "reviewed",
    "edited",
    "follow",
    "written",
    "medically",
    "fact",
    "is",
    "min",
    "read",
    "about",
    "at",
    "from",
    "for",
    "publication",
];

/// Accounts instead of people: taken only where there is nobody else.
const NOBODY: &[&str] = &[
    "admin",
    "administrator",
    "webmaster",
    "editor",
    "guest",
    "anonymous",
    "unknown",
    "user",
    "staff",
    "root",
    "none",
    "null",
    "undefined",
    "author",
    "the author",
    "team",
    "editorial team",
];

/// Is this an account, not a person?
pub(crate) fn is_nobody(name: &str) -> bool {
    NOBODY.iter().any(|nobody| name.eq_ignore_ascii_case(nobody))
}

/// The names in a field that holds names: JSON-LD's `name`, `<meta name=author>`.
pub(crate) fn in_field(text: &str) -> Vec<String> {
    split(strip_before(&super::collapse(text, 1_000)))
}

/// The names in a byline, which may say more: `By Jane Doe | March 4, 2025`.
pub(crate) fn in_byline(text: &str) -> Vec<String> {
    let text = super::collapse(text, 400);
    let text = strip_before(&text);
    let mut end = text.len();
    let mut at = 0;
    for word in text.split(' ') {
        let plain = word.trim_matches(|c: char| matches!(c, ',' | ':' | ';' | '.')).to_lowercase();
        let has_digit = word.starts_with(|c: char| c.is_ascii_digit());
        let is_date = at > 0 && dates::in_text(&text[at..]).is_some() && starts_a_date(&text[at..]);
        if at > 0 && (AFTER.contains(&plain.as_str()) || has_digit || is_date) {
            end = at;
            break;
        }
        at += word.len() + 1;
    }
    let text =
        text[..end].trim_end_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '.' | ')'));
    split(text)
}

/// Does the text begin with the name of a month or a number?
fn starts_a_date(text: &str) -> bool {
    let mut words = text.split(' ');
    let two = [words.next(), words.next(), words.next()].map(Option::unwrap_or_default).join(" ");
    dates::in_text(&two).is_some()
}

fn strip_before(text: &str) -> &str {
    let mut text = text.trim();
    // `By` may follow `Written`, and `Author:` may be written twice; three is enough for anybody.
    for _ in 0..3 {
        let found = BEFORE.iter().find_map(|before| {
            let start = text.get(..before.len())?;
            let rest = &text[before.len()..];
            let ends = before.ends_with(':') || rest.starts_with([' ', ':', '\u{a0}']);
            (start.eq_ignore_ascii_case(before) && ends).then_some(rest)
        });
        match found {
            Some(rest) => text = rest.trim_start_matches([' ', ':', '\u{a0}']),
            None => break,
        }
    }
    text
}

/// One name each; titles such as `MD` stay with the name before them.
fn split(text: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let text =
        text.replace(" & ", ";").replace(" and ", ";").replace(" und ", ";").replace(" et ", ";");
    for group in text.split([';', '|']) {
        // `Center for Drug Evaluation;Research`: a group of one word belongs to what was before it,
        // unless that is one word, too.
        for (index, part) in group.split(',').enumerate() {
            let part = part.trim().trim_matches('"');
            let words = part.split(' ').count();
            let is_title = index > 0 && (words < 2 || part.contains('.') || words > 4);
            match names.last_mut() {
                Some(name) if is_title && !part.is_empty() => {
                    *name = format!("{name}, {part}");
                }
                _ => names.push(part.to_owned()),
            }
        }
    }
    names.retain(|name| is_name(name));
    let mut seen = Vec::new();
    names.retain(|name| {
        let key = name.to_lowercase();
        let new = !seen.contains(&key);
        seen.push(key);
        new
    });
    names.truncate(super::MOST_VALUES);
    names
}

fn is_name(name: &str) -> bool {
    let is_url = name.contains("://") || name.starts_with("www.") || name.starts_with('/');
    let is_handle = name.starts_with('@') || (name.contains('@') && !name.contains(' '));
    let is_file = name.contains("{{") || name.contains("%%");
    !is_url
        && !BEFORE.iter().any(|before| name.eq_ignore_ascii_case(before))
        && !name.starts_with(|c: char| c.is_ascii_digit() && name.contains(' '))
        && !is_handle
        && !is_file
        && name.len() <= LONGEST
        && name.chars().any(char::is_alphabetic)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields() {
        let is = |text: &str, names: &[&str]| assert_eq!(in_field(text), names, "{text}");
        is("Jane Doe", &["Jane Doe"]);
        is(" By  Jane\nDoe ", &["Jane Doe"]);
        is("Jane Doe, MD, Ph.D.", &["Jane Doe, MD, Ph.D."]);
        is("Jane Doe, John Roe and Ann Poe", &["Jane Doe", "John Roe", "Ann Poe"]);
        is("Jane Doe; jane doe", &["Jane Doe"]);
        is("https://social.example/jane", &[]);
        is("@jane", &[]);
        is("jane@mail.example", &[]);
        is("", &[]);
        is("42", &[]);
        is("Byron Bay", &["Byron Bay"]);
        is("by", &[]);
    }

    #[test]
    fn bylines() {
        let is = |text: &str, names: &[&str]| assert_eq!(in_byline(text), names, "{text}");
        is("By Jane Doe | March 4, 2025", &["Jane Doe"]);
        is("Written by: Jane Doe March 4, 2025", &["Jane Doe"]);
        is("Jane Doe and John Roe, 4 March 2025", &["Jane Doe", "John Roe"]);
        is("Posted by Jane Doe on Monday", &["Jane Doe"]);
        is("May Poe", &["May Poe"]);
    }
}
