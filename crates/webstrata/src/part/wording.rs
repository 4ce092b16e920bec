//! What short texts are by their words: bylines, dates, credits, notices, buttons.

use crate::metadata::dates;

/// Words of a line that is a date and nothing else.
const MOST_DATE_WORDS: usize = 18;

/// Does the line say when, and nothing else? `Published 4 September 2025, 10:30 GMT`.
pub(super) fn is_date(text: &str) -> bool {
    if text.len() > 160 || !text.bytes().any(|byte| byte.is_ascii_digit()) {
        return false;
    }
    if is_unspaced_date(text) {
        return true;
    }
    let mut words = words(text);
    let all = words.by_ref().take(MOST_DATE_WORDS).all(is_date_word);
    all && words.next().is_none() && (dates::in_text(text).is_some() || has_numeric_day(text))
}

/// Does the line say when in words that need no day: `3 hours ago`, `10:30 am`, `5 min read`? How long
/// something takes, `20 mins`, is none.
pub(super) fn is_time(text: &str) -> bool {
    let all = words(text).take(9).all(is_date_word) && words(text).nth(8).is_none();
    let says_when = || {
        text.contains(':') || words(text).any(|word| is_among(word, &["ago", "read", "reading"]))
    };
    all && text.bytes().any(|byte| byte.is_ascii_digit()) && says_when()
}

/// Does the line say how long reading takes?
pub(super) fn is_reading_time(text: &str) -> bool {
    text.len() <= 40
        && is_time(text)
        && words(text).any(|word| is_among(word, &["read", "reading"]))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

fn is_date_word(word: &str) -> bool {
    let letters = word.trim_start_matches(|c: char| c.is_ascii_digit());
    if letters.len() < word.len() {
        // `4th`, `10h`, `30pm`, `1er`.
        let is_known = letters.is_empty() || is_among(letters, NUMBER_ENDS);
        return is_known && word.len() - letters.len() <= 4;
    }
    is_among(word, DATE_WORDS) || dates::is_month(word)
}

/// `2025年9月4日`: the signs say what the numbers are.
fn is_unspaced_date(text: &str) -> bool {
    let has = |signs: [char; 2]| text.contains(signs);
    if !(has(['年', '년']) && has(['月', '월']) && has(['日', '일'])) {
        return false;
    }
    let is_other = |c: &char| c.is_alphabetic() && !"年月日時分秒时년월일시분초".contains(*c);
    text.chars().filter(is_other).count() <= 8
}

/// `9/4/2025`, `04-09-25`: three numbers, whichever is the month.
fn has_numeric_day(text: &str) -> bool {
    text.split(|c: char| c.is_whitespace() || c == ',').any(|word| {
        let mut parts = word.split(['/', '.', '-']);
        let number = |part: Option<&str>, most: u32| {
            part.is_some_and(|part| {
                matches!(part.len(), 1..=4) && part.parse::<u32>().is_ok_and(|n| n <= most)
            })
        };
        number(parts.next(), 31)
            && number(parts.next(), 31)
            && number(parts.next(), 2099)
            && parts.next().is_none()
    })
}

/// Does the line say who wrote the text? `By Jane Doe`, `Von Jana Muster, Hamburg`.
pub(super) fn is_byline(text: &str) -> bool {
    let text = text.trim();
    if text.len() > 160 {
        return false;
    }
    // `4 September 2025 by Jane Doe`.
    if let Some((date, _)) = text.split_once(" by ")
        && is_date(date)
        && strip(date, "released").is_none()
    {
        return is_byline(&text[date.len() + 1..]);
    }
    if is_among(text.trim_matches(|c: char| !c.is_alphanumeric()), AGENCIES) {
        return true;
    }
    let Some(rest) = BEFORE_NAMES.iter().find_map(|before| strip(text, before)) else {
        return false;
    };
    let rest = rest.trim_start_matches([':', ' ', '\u{a0}']);
    let mut names = 0;
    for word in rest.split_whitespace().take(16) {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let starts = bare.chars().next();
        if starts.is_none_or(|c| c.is_ascii_digit()) || is_among(bare, AFTER_NAMES) {
            // What follows is when and where.
            break;
        }
        if is_among(bare, PARTICLES) {
            continue;
        }
        if !starts.is_some_and(|c| c.is_uppercase() || !(c.is_lowercase() || c.is_ascii())) {
            return false;
        }
        names += 1;
    }
    let ends = rest.ends_with(['.', '?', '!', ':']) && !rest.ends_with("..");
    let sentences = rest.split(". ").count();
    (1..=12).contains(&names) && !(ends && names > 4) && sentences <= 2 && words(rest).count() <= 24
}

/// Does the line name an account, and nothing else? `by jdoe42`. In lists, other things are by something, too.
pub(super) fn names_account(text: &str, in_list: bool) -> bool {
    let text = text.trim();
    let start = strip(text, "thread starter").or_else(|| strip(text, "by").filter(|_| !in_list));
    start.is_some_and(|rest| {
        let name = rest.trim_start_matches([':', ' ', '\u{a0}']);
        name.len() <= 24 && name.starts_with(char::is_alphabetic) && words(name).eq([name])
    })
}

/// Does the line say who took a picture?
pub(super) fn is_credit(text: &str) -> bool {
    let text = text.trim_start_matches(['(', '[', ' ']);
    text.len() <= 200
        && (CREDITS.iter().any(|start| strip(text, start).is_some())
            || (text.contains(':')
                && CREDITS_INSIDE.iter().any(|before| {
                    text.rsplit_once(before).is_some_and(|(_, name)| name.split(' ').count() <= 6)
                }))
            || ends(text.trim_end_matches([')', ']', '.', ' ']), "getty images"))
}

/// Is the line a notice of the site?
pub(super) fn is_notice(text: &str) -> bool {
    let bare = text.trim_matches(|c: char| !c.is_alphanumeric() && c != '©');
    text.len() <= 300
        && (bare.starts_with('©')
            || NOTICES.iter().any(|start| strip(bare, start).is_some())
            || ends(bare, "all rights reserved")
            || is_among(bare, ADVERTISEMENTS))
}

/// Is the line the label of something to press?
pub(super) fn is_control(text: &str) -> bool {
    is_among(text.trim_matches(|c: char| !c.is_alphanumeric()), CONTROLS)
}

/// Does the line lead to other pages by what it begins with? Only with links does it.
pub(super) fn leads_away(text: &str) -> bool {
    LEADS.iter().any(|start| strip(text, start).is_some())
}

/// Is the line a heading of what leads to other pages?
pub(super) fn heads_related(text: &str) -> bool {
    is_among(text.trim_matches(|c: char| !c.is_alphanumeric()), RELATED)
}

/// Is the line a heading of cards that lead to other pages?
pub(super) fn heads_cards(text: &str) -> bool {
    let text = text.trim_matches(|c: char| !c.is_alphanumeric());
    is_among(text, RELATED) || is_among(text, CARDS)
}

fn is_among(word: &str, words: &[&str]) -> bool {
    // No list has anything so long; most lines of a text are longer.
    word.len() <= LONGEST && words.iter().any(|known| same(word, known))
}

/// Bytes of the longest entry that [`is_among`] is asked for.
const LONGEST: usize = 48;

fn same(text: &str, lower: &str) -> bool {
    text.eq_ignore_ascii_case(lower)
        || (!lower.is_ascii() && text.len() == lower.len() && text.to_lowercase() == lower)
}

/// What follows a beginning that ends where a word does.
#[inline]
fn strip<'a>(text: &'a str, start: &str) -> Option<&'a str> {
    // The first letter tells in nearly all cases.
    if !text.as_bytes().first()?.eq_ignore_ascii_case(start.as_bytes().first()?) {
        return None;
    }
    let (before, rest) = (text.get(..start.len())?, text.get(start.len()..)?);
    let ends_word = !start.ends_with(char::is_alphanumeric)
        || !rest.starts_with(|c: char| c.is_alphanumeric() || c == '-' || c == '\'');
    (before.eq_ignore_ascii_case(start) && ends_word).then_some(rest)
}

fn ends(text: &str, end: &str) -> bool {
    let at = text.len().checked_sub(end.len());
    at.and_then(|at| text.get(at..)).is_some_and(|last| last.eq_ignore_ascii_case(end))
}

#[rustfmt::skip]
const DATE_WORDS: &[&str] = &[
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "mon", "tue",
    "tues", "wed", "thu", "thur", "thurs", "fri", "sat", "sun", "montag", "dienstag", "mittwoch",
    "donnerstag", "freitag", "samstag", "sonntag", "mo", "di", "mi", "do", "fr", "sa", "so", "lundi",
    "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche", "lunes", "martes", "miércoles",
    "jueves", "viernes", "sábado", "domingo", "published", "publish", "posted", "updated", "update",
    "on", "at", "last", "modified", "edited", "created", "date", "dated", "first", "release",
    "released", "original", "originally", "start", "am", "pm", "a", "p", "m", "est", "edt", "gmt", "utc", "bst", "cet", "cest",
    "ist", "pst", "pdt", "cst", "cdt", "mst", "et", "pt", "ct", "hrs", "uhr", "um", "den", "der", "le",
    "à", "de", "du", "del", "el", "las", "vom", "stand", "aktualisiert", "veröffentlicht",
    "erstellt", "publié", "mis", "jour", "modifié", "publicado", "actualizado", "pubblicato",
    "aggiornato", "il", "alle", "ore", "kl", "t", "z", "h", "min", "mins", "minute", "minutes",
    "read", "reading", "time", "hour", "hours", "day", "days", "week", "weeks", "month", "months",
    "year", "years", "ago", "second", "seconds", "sec", "the", "of",
];

/// What ends numbers of days and hours.
const NUMBER_ENDS: &[&str] = &[
    "st", "nd", "rd", "th", "er", "am", "pm", "h", "hr", "m", "min", "s", "d", "w", "y", "z", "t",
];

const BEFORE_NAMES: &[&str] = &[
    "by",
    "written by",
    "posted by",
    "published by",
    "story by",
    "words by",
    "text by",
    "article by",
    "submitted by",
    "reported by",
    "reviewed by",
    "medically reviewed by",
    "author:",
    "authors:",
    "autor:",
    "von",
    "par",
    "por",
];

/// Words in lower case that names have.
const PARTICLES: &[&str] = &[
    "and", "&", "von", "van", "de", "der", "den", "del", "della", "di", "da", "dos", "du", "la",
    "le", "el", "al", "bin", "ibn", "und", "et", "y", "e", "zu", "ter", "ten", "with", "the",
];

const AFTER_NAMES: &[&str] = &[
    "on",
    "in",
    "at",
    "for",
    "of",
    "from",
    "updated",
    "published",
    "posted",
    "last",
    "special",
    "am",
    "le",
];

const CREDITS: &[&str] = &[
    "photo:",
    "photos:",
    "photo by",
    "photos by",
    "photo credit",
    "photograph:",
    "photograph by",
    "photo courtesy",
    "photo illustration",
    "image:",
    "images:",
    "image by",
    "image credit",
    "image source:",
    "image courtesy",
    "image via",
    "picture:",
    "picture by",
    "credit:",
    "foto:",
    "fotos:",
    "bild:",
    "bildquelle:",
    "crédit photo",
    "© getty",
];

/// What stands between a caption and the name behind it, without the first letter.
const CREDITS_INSIDE: &[&str] = &["redit: ", "hoto: ", "hotograph: ", "oto: "];

/// Who writes without a name.
const AGENCIES: &[&str] = &[
    "the associated press",
    "associated press",
    "ap",
    "reuters",
    "afp",
    "agence france-presse",
    "the canadian press",
    "press association",
    "pa media",
    "dpa",
    "bloomberg news",
    "staff reporter",
    "staff writer",
    "staff and agencies",
    "news staff",
];

const NOTICES: &[&str] = &[
    "copyright ©",
    "copyright (c)",
    "copyright 20",
    "copyright 19",
    "copyright by",
    "this website uses cookies",
    "this site uses cookies",
    "we use cookies",
    "sign up for our",
    "sign up to our",
    "subscribe to our",
    "subscribe to the newsletter",
    "get our newsletter",
    "scroll to continue",
    "story continues below advertisement",
    "article continues below advertisement",
    "continue reading below",
];

const ADVERTISEMENTS: &[&str] = &[
    "advertisement",
    "advertisements",
    "advertising",
    "anzeige",
    "werbung",
    "publicité",
    "publicidad",
    "sponsored",
    "sponsored content",
    "ad",
];

const CONTROLS: &[&str] = &[
    "share",
    "share this",
    "share this article",
    "share this story",
    "share this post",
    "share this page",
    "share on facebook",
    "share on twitter",
    "tweet",
    "print",
    "print this",
    "email",
    "email this",
    "back to top",
    "skip to content",
    "skip to main content",
    "next",
    "previous",
    "load more",
    "show more",
    "show less",
    "read more",
    "facebook",
    "twitter",
    "pinterest",
    "linkedin",
    "whatsapp",
    "reddit",
    "copy link",
    "reply",
    "permalink",
    "log in",
    "sign in",
    "leave a comment",
    "leave a reply",
    "add comment",
    "post a comment",
    "teilen",
    "drucken",
];

const LEADS: &[&str] = &[
    "read more:",
    "related:",
    "related story:",
    "also read:",
    "also see:",
    "read also:",
    "read next:",
    "more:",
    "read:",
    "lesen sie auch",
    "mehr zum thema",
    "lire aussi",
    "leggi anche",
    "lee también",
    "les også",
];

const RELATED: &[&str] = &[
    "related",
    "related articles",
    "related posts",
    "related stories",
    "related content",
    "related news",
    "related links",
    "related topics",
    "you may also like",
    "you might also like",
    "recommended for you",
    "recommended reading",
    "more stories",
    "most popular",
    "most read",
    "trending",
];

const CARDS: &[&str] = &[
    "people who viewed this item also viewed",
    "people who viewed this also viewed",
    "people also viewed",
    "people also bought",
    "customers also viewed",
    "customers also bought",
    "customers who viewed this item also viewed",
    "customers who bought this item also bought",
    "you may also be interested in",
    "you might be interested in",
    "recommended products",
    "related products",
    "related items",
    "explore related items",
    "explore more items",
    "more like this",
    "similar products",
    "similar items",
    "similar sponsored items",
    "sponsored products",
    "products related to this item",
    "frequently bought together",
    "recently viewed",
    "recently viewed items",
    "recently viewed products",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_entry_is_too_long_to_be_found() {
        let lists = [NUMBER_ENDS, DATE_WORDS, AGENCIES, AFTER_NAMES, PARTICLES, ADVERTISEMENTS];
        for entry in lists.into_iter().chain([CONTROLS, RELATED]).flatten() {
            assert!(entry.len() <= LONGEST, "{entry}");
        }
    }

    #[test]
    fn dates() {
        for line in [
            "Published 4 September 2025, 10:30 GMT",
            "September 4th, 2025 at 10:30 am",
            "Last updated on: 9/4/2025",
            "Donnerstag, 04.09.2025, 12:30 Uhr",
            "2025年9月4日 10:30",
        ] {
            assert!(is_date(line), "{line}");
        }
        for line in [
            "On 4 September 2025 the ferry sank",
            "Market 2025",
            "4 apples",
            "Room 12",
            "September",
            "Version 1.2.3 released",
        ] {
            assert!(!is_date(line), "{line}");
        }
        assert!(is_time("3 hours ago") && is_time("5 min read") && !is_time("3 boats"));
        assert!(is_time("10:30 am") && !is_time("20 mins") && !is_time("1080p"));
    }

    #[test]
    fn bylines() {
        for line in [
            "By Jane Doe",
            "BY JANE DOE AND JOHN ROE, STAFF WRITERS",
            "4 September 2025 by Jane Doe",
            "Written by Jane van der Doe | March 4, 2025",
            "Von Jana Muster, Hamburg",
            "Posted by Jane on September 4",
        ] {
            assert!(is_byline(line), "{line}");
        }
        for line in [
            "By the numbers",
            "By noon the harbour was full of boats.",
            "Bystanders saw it",
            "By 2030",
            "By-laws of the Club",
        ] {
            assert!(!is_byline(line), "{line}");
        }
        assert!(names_account("by jdoe42", false) && names_account("Thread starter jdoe42", true));
        assert!(!names_account("by sea", true) && !names_account("by land and sea", false));
    }

    #[test]
    fn other_lines() {
        assert!(is_credit("(Photo by Jane Doe)") && is_credit("Jane Doe/Getty Images"));
        assert!(!is_credit("Photographs were taken") && !is_credit("Image processing"));
        assert!(is_notice("© 2025 The Harbour Post") && is_notice("ADVERTISEMENT"));
        assert!(!is_notice("Copyright law is old") && !is_notice("Advertisement sales fell"));
        assert!(is_control("Share this:") && !is_control("Share prices"));
        assert!(leads_away("Read more: Tides") && !leads_away("Read more often"));
        assert!(heads_related("Related Articles") && !heads_related("Related work of others"));
    }
}
