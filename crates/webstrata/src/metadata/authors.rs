//! Names of authors out of what pages write around them.

use super::dates;

/// Longer than this is a sentence, not a name.
const LONGEST: usize = 120;

/// What bylines begin with, in lower case.
#[rustfmt::skip]
const BEFORE: &[&str] = &[
    "medically reviewed by", "reviewed by", "articles by", "text by", "content:", "view all posts by", "more stories by", "more by", "post by", "recipe by",
    "article written by", "written by", "posted by", "published by", "reported by", "story by", "words by",
    "article by", "submitted by", "authored by", "created by", "authors:", "author:", "autor:", "autorin:", "auteur:",
    "autore:", "author", "by:", "by", "von:", "par:", "por:", "di:", "text:", "verfasst von", "geschrieben von",
    "écrit par", "escrito por", "scritto da", "geschreven door", "作者：", "作者:", "作者", "文/", "著者：", "автор:",
];

/// Words of bylines that are also parts of names: `Von Jane Doe` begins with one, `Von Miller` is one.
const BEFORE_NAMES: &[&str] = &["von", "par", "por", "av", "af", "door", "przez", "από"];

/// Where a name has ended, in lower case and between spaces.
#[rustfmt::skip]
const AFTER: &[&str] = &[
    "|", "•", "·", "-", "–", "—", "/", "»", "›", "@", "on", "in", "updated", "published", "posted", "last", "reviewed",
    "edited", "follow", "written", "medically", "fact", "is", "min", "read", "about", "at", "from", "for", "publication",
];

/// Accounts, roles, and what programs write where they know nobody. A name of nothing but these words is none.
#[rustfmt::skip]
const NO_NAMES: &[&str] = &[
    "admin", "administrator", "webmaster", "guest", "anonymous", "unknown", "user", "root", "none", "null", "undefined",
    "author", "authors", "the", "a", "staff", "team", "editor", "editors", "editorial", "writer", "writers",
    "reporter", "reporters", "correspondent", "contributor", "contributors", "contributing", "columnist", "journalist",
    "producer", "senior", "chief", "managing", "associate", "assistant", "deputy", "freelance", "in",
    "content", "marketing", "web", "redaktion", "redaktor", "redakcja", "redazione", "redacción", "redactie",
    "attorney", "lawyer", "trial", "manager", "director", "specialist", "strategist", "analyst", "consultant", "blogger",
    "rédaction", "rédacteur", "rédactrice", "编辑", "記者", "记者",
];

/// Words that stand in a place for names and begin none.
#[rustfmt::skip]
const NOT_FIRST: &[&str] = &[
    "read", "more", "visit", "view", "see", "sign", "log", "login", "share", "subscribe", "follow", "please", "click",
    "all", "about", "show", "learn", "contact", "copyright", "less", "updated", "published", "posted", "this",
    "sponsored",
];

/// Words that companies and offices have in their names, and people do not.
#[rustfmt::skip]
const OFFICES: &[&str] = &[
    "for", "of", "center", "centre", "centers", "institute", "department", "office", "ministry", "university", "bureau",
    "agency", "association", "society", "administration", "council", "committee", "commission", "foundation", "board",
    "company", "inc", "services", "group", "college", "school", "news", "press", "media",
];

/// Is this the name of an account, not of a person: `jane-doe`, `jdoe42`? Taken where there is nobody else.
pub(crate) fn is_account(name: &str) -> bool {
    let is_mark = |c: char| matches!(c, '-' | '_' | '.') || c.is_ascii_digit();
    let is_one = name.contains(is_mark) && !name.contains(char::is_uppercase);
    !name.contains(' ') && (is_one || has_domain(&name.to_lowercase()))
}

/// The names in a field that holds names: JSON-LD's `name`, `<meta name=author>`.
pub(crate) fn in_field(text: &str) -> Vec<String> {
    split(strip_before(&super::values::without_tags(&super::collapse(text, 1_000))))
}

/// The one name in a field of a citation: `Doe, Jane` as well as `Jane Doe`.
pub(crate) fn in_citation(text: &str) -> String {
    let text = super::collapse(text, 200);
    match text.split_once(", ") {
        Some((last, first))
            if !first.contains([',', '.']) && !first.is_empty() && first.len() > 3 =>
        {
            format!("{first} {last}")
        }
        _ => text,
    }
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
        // `作者：张三 来源：新华社`: the next of such fields.
        let is_field = word.contains('：') || word.starts_with('@');
        if at > 0 && (AFTER.contains(&plain.as_str()) || has_digit || is_date || is_field) {
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
    let mut text = text.trim().trim_start_matches(['【', '［', '[']);
    // `By` may follow `Written`, and `Author:` may be written twice; three is enough for anybody.
    for _ in 0..3 {
        let found = BEFORE.iter().find_map(|before| {
            let start = text.get(..before.len())?;
            let rest = text.get(before.len()..)?;
            let ends =
                before.ends_with([':', '：', '/']) || rest.starts_with([' ', ':', '：', '\u{a0}']);
            (start.to_lowercase() == *before && ends).then_some(rest)
        });
        match found.or_else(|| before_names(text)) {
            Some(rest) => text = rest.trim_start_matches([' ', ':', '：', '\u{a0}']),
            None => break,
        }
    }
    text
}

/// What follows a word of [`BEFORE_NAMES`], if two words of a name do.
fn before_names(text: &str) -> Option<&str> {
    let (first, rest) = text.split_once(' ')?;
    let is_one = BEFORE_NAMES.iter().any(|known| first.to_lowercase() == *known);
    let names = rest.split(' ').take(2).filter(|word| word.starts_with(char::is_uppercase));
    (is_one && names.count() == 2).then_some(rest)
}

/// What joins the last two names of a list.
const JOINS: &[&str] = &[" & ", " and ", " und ", " et ", " og ", " och "];

/// One name each; titles such as `MD` stay with the name before them.
fn split(text: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let mut text = text.replace(['，', '、'], ", ");
    for join in JOINS {
        text = text.replace(join, if is_joined(&text, join) { ";" } else { join });
    }
    for group in text.split([';', '|']) {
        for (index, part) in group.split(',').enumerate() {
            let part = without_marks(part);
            let words = part.split(' ').count();
            let is_title = index > 0 && (words < 2 || part.contains('.') || words > 4);
            if index > 0 && !is_some_name(part) {
                continue;
            }
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

/// Do people stand on both sides? `Center for Drug Evaluation and Research` and `Barnes & Noble` are one.
fn is_joined(text: &str, join: &str) -> bool {
    let Some((before, after)) = text.rsplit_once(join) else { return false };
    let is_person = |side: &str| {
        let mut words = side.split([' ', ',']).filter(|word| !word.is_empty());
        let is_office = |word: &str| OFFICES.contains(&word.to_lowercase().as_str());
        side.split_whitespace().count() > 1 && !words.any(is_office)
    };
    // A list of names has people before it, whatever the last of them is called.
    is_person(before) && is_person(after) || before.contains(", ") && is_person(before)
}

/// A name without what stands around it: quotes, brackets, `– `, `(Author)`.
fn without_marks(name: &str) -> &str {
    let is_mark = |c: char| {
        matches!(c, '"' | '[' | ']' | '【' | '】' | '“' | '”' | '~' | '–' | '—' | '-' | '•' | '|')
    };
    let name = name.trim_matches(|c: char| is_mark(c) || c.is_whitespace());
    let name = name.strip_suffix("(Author)").unwrap_or(name).trim_end();
    name.strip_suffix(" 기자").unwrap_or(name)
}

/// Is there a word that is not of a role?
fn is_some_name(name: &str) -> bool {
    let mut words = name.split([' ', '-', ',']).filter(|word| !word.is_empty());
    words.any(|word| !NO_NAMES.contains(&word.to_lowercase().as_str()))
}

fn is_name(name: &str) -> bool {
    let lower = name.to_lowercase();
    let first = lower.split(' ').next().unwrap_or_default();
    let is_url = name.contains("://") || name.starts_with("www.") || name.starts_with(['/', '#']);
    let is_handle = name.starts_with('@') || (name.contains('@') && !name.contains(' '));
    let is_file = name.contains("{{") || name.contains("%%") || is_variable(&lower);
    let is_date = dates::is_month_or_weekday(&lower) || dates::in_text(name).is_some();
    !is_url
        && !BEFORE.contains(&lower.as_str())
        && !AFTER.contains(&lower.as_str())
        && !NOT_FIRST.contains(&first)
        && !name.starts_with(|c: char| c.is_ascii_digit() && name.contains(' '))
        && !is_handle
        && !is_file
        && !is_date
        && is_some_name(name)
        && name.len() <= LONGEST
        && name.chars().filter(|c| c.is_alphabetic()).nth(usize::from(name.is_ascii())).is_some()
        // `design: Jane Doe` says what else she did, `… on Facebook` where somebody writes.
        && !name.contains(": ")
        && !lower.ends_with(" on facebook")
        && !is_number_of_account(name)
}

/// `3d23d65-ddc6-4ce5`: numbers to the base of 16.
fn is_number_of_account(name: &str) -> bool {
    name.len() >= 12
        && name.contains(|c: char| c.is_ascii_digit())
        && name.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
}

/// `page.head.author`: what a program was to fill in.
fn is_variable(lower: &str) -> bool {
    let points = lower.bytes().filter(|byte| *byte == b'.').count();
    !lower.contains(' ') && !lower.ends_with('.') && points > 1 && !has_domain(lower)
}

/// `harbourpost.com`: a site.
fn has_domain(lower: &str) -> bool {
    const ENDS: &[&str] = &[".com", ".net", ".org", ".io", ".info", ".gov", ".edu"];
    ENDS.iter().any(|end| lower.ends_with(end))
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
        is("Jane Doe | The Harbour Post", &["Jane Doe", "The Harbour Post"]);
        is(
            "Center for Tidal Evaluation and Research",
            &["Center for Tidal Evaluation and Research"],
        );
        is("Doe & Sons", &["Doe & Sons"]);
        is("Ann Poe, Jane Doe & John Roe", &["Ann Poe", "Jane Doe", "John Roe"]);
        is("Jane Doe, Staff Writer", &["Jane Doe"]);
        is("Articles by Jane Doe", &["Jane Doe"]);
        is("content: Jane Doe; design: John Roe", &["Jane Doe"]);
        is("X Æ", &["X Æ"]);
        is("<a href=\"/people/jane\">Jane Doe</a>", &["Jane Doe"]);
        is("张三", &["张三"]);
        is("Roe and the tides", &["Roe and the tides"]);
        for nobody in [
            "#creator",
            "August",
            "Sat",
            "admin",
            "undefined",
            "Staff Writer",
            "Senior Editor",
            "Read more",
            "Visit the Harbour Store",
            "page.head.author",
            "4 September 2025",
            "Redaktion",
            "( ) x",
            "3d23d65-ddc6-4ce5",
            "Trial Attorney",
            "Sponsored by Harbour Goods",
            "Harbour Learning Network on Facebook",
        ] {
            is(nobody, &[]);
        }
    }

    #[test]
    fn citations() {
        assert_eq!(in_citation("Doe, Jane"), "Jane Doe");
        assert_eq!(in_citation("Jane Doe, MD"), "Jane Doe, MD");
        assert_eq!(in_citation("Jane Doe"), "Jane Doe");
    }

    #[test]
    fn accounts() {
        assert!(
            is_account("jane-doe")
                && is_account("jdoe42")
                && is_account("j.doe")
                && is_account("Harbour.com")
        );
        assert!(!is_account("Jane-Doe") && !is_account("jane") && !is_account("jane-doe harbour"));
    }

    #[test]
    fn bylines() {
        let is = |text: &str, names: &[&str]| assert_eq!(in_byline(text), names, "{text}");
        is("By Jane Doe | March 4, 2025", &["Jane Doe"]);
        is("Written by: Jane Doe March 4, 2025", &["Jane Doe"]);
        is("Jane Doe and John Roe, 4 March 2025", &["Jane Doe", "John Roe"]);
        is("Posted by Jane Doe on Monday", &["Jane Doe"]);
        is("May Poe", &["May Poe"]);
        is("Von Jane Doe", &["Jane Doe"]);
        is("Von Miller", &["Von Miller"]);
        is("Jane Doe @jane", &["Jane Doe"]);
        is("Jane Doe » Tue Feb 4", &["Jane Doe"]);
        is("作者：张三 来源：海港报", &["张三"]);
        is("【作者： 张三】", &["张三"]);
        is("– Jane Doe (Author)", &["Jane Doe"]);
    }
}
