//! Dates as pages write them, to ISO 8601. Own rules and no clock: a date is valid or it is none.

use std::ops::Range;
use std::sync::LazyLock;

/// The earliest and the latest year that is believed.
const YEARS: std::ops::RangeInclusive<u32> = 1900..=2099;

/// Months by the beginning of their names in the languages that write dates like English does; a
/// name stands for a month if it begins with one of these and consists of letters only.
#[rustfmt::skip]
const MONTHS: [&[&str]; 12] = [
    &["jan", "gennaio", "ene", "jän", "sty", "янв", "ιαν"],
    &["feb", "fév", "fev", "lut", "фев", "φεβ"],
    &["mar", "mär", "maart", "mrt", "мар", "μαρ"],
    &["apr", "avr", "abr", "kwi", "апр", "απρ"],
    &["may", "mai", "mei", "mayo", "maggio", "maio", "maj", "мая", "май", "μαΐ", "μαϊ"],
    &["jun", "juin", "giu", "cze", "июн", "ιουν"],
    &["jul", "juil", "lug", "lip", "июл", "ιουλ"],
    &["aug", "août", "aout", "ago", "sie", "авг", "αυγ"],
    &["sep", "set", "wrz", "сен", "σεπ"],
    &["oct", "okt", "ott", "out", "paź", "окт", "οκτ"],
    &["nov", "lis", "ноя", "νοε"],
    &["dec", "dez", "déc", "dic", "des", "gru", "дек", "δεκ"],
];

/// Those in ASCII by their first letter, each with its month.
static MONTHS_BY_LETTER: LazyLock<[Vec<(&str, u32)>; 26]> = LazyLock::new(|| {
    let all =
        (1..).zip(MONTHS).flat_map(|(month, names)| names.iter().map(move |name| (*name, month)));
    let of = |letter: usize| {
        let begins =
            |name: &str| name.is_ascii() && usize::from(name.as_bytes()[0] - b'a') == letter;
        all.clone().filter(|(name, _)| begins(name)).collect()
    };
    std::array::from_fn(of)
});

/// The longest name of a month that is looked up, in bytes.
const LONGEST_MONTH: usize = 22;

/// The year of the first pages of the Web that were dated by more than their server. What a page only shows is
/// the date of something else if it is older.
const FIRST_SHOWN_YEAR: u32 = 1995;

/// Is this the name of a month or of a day of the week, and nothing else? In lower case.
pub(crate) fn is_month_or_weekday(name: &str) -> bool {
    #[rustfmt::skip]
    const NAMES: &[&str] = &[
        "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
        "december", "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec",
        "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "mon", "tue", "tues", "wed", "thu",
        "thur", "thurs", "fri", "sat", "sun",
    ];
    NAMES.contains(&name)
}

/// May this date, which the page shows but does not declare, be that of the page?
pub(crate) fn is_shown(date: &str) -> bool {
    date.get(..4).and_then(|year| year.parse::<u32>().ok()).is_some_and(|y| y >= FIRST_SHOWN_YEAR)
}

/// Words that say that a date is the one of publication, in lower case, and those that say that it is the one of a
/// change.
#[rustfmt::skip]
const PUBLISHED: &[&str] = &[
    "publish", "posted", "released", "issued", "written on", "added on", "date:", "veröffentlicht", "erstellt", "publié",
    "paru le", "publicad", "pubblicat", "gepubliceerd", "geplaatst", "opublikowan", "dodano", "publicera", "publisert",
    "publiceret", "publikován", "опубликован", "дата", "yayın", "发布", "發布", "发表", "發表", "时间", "時間", "日期", "公開",
    "投稿", "掲載", "δημοσι",
];
#[rustfmt::skip]
const CHANGED: &[&str] = &[
    "updated", "modified", "revised", "reviewed", "last change", "aktualisiert", "geändert", "stand:", "mis à jour",
    "mise à jour", "actualizad", "aggiornat", "atualizad", "bijgewerkt", "aktualizacja", "uppdatera", "oppdatert",
    "opdateret", "aktualizován", "обновлен", "güncelle", "更新", "ενημερ",
];

/// What a short text says that its date is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    Published,
    Changed,
}

/// The mark that a short text with a date has. Where it has both, the first one is that of its first date.
pub(crate) fn mark(text: &str) -> Option<Mark> {
    type Words = Vec<(&'static [u8], Mark)>;
    /// By the first byte: they are many, and asked for in every date.
    static BY_BYTE: LazyLock<[Words; 256]> = LazyLock::new(|| {
        let published = PUBLISHED.iter().map(|word| (word.as_bytes(), Mark::Published));
        let all = published.chain(CHANGED.iter().map(|word| (word.as_bytes(), Mark::Changed)));
        std::array::from_fn(|byte| {
            all.clone().filter(|(word, _)| usize::from(word[0]) == byte).collect()
        })
    });
    let text = text.to_lowercase();
    let text = text.as_bytes();
    let at = |at: usize| {
        let words = &BY_BYTE[usize::from(text[at])];
        words.iter().find(|(word, _)| text[at..].starts_with(word)).map(|(_, mark)| *mark)
    };
    (0..text.len()).find_map(at)
}

/// Is a short text with a date little else: a date, the day of the week, the time, the author behind `by`?
pub(crate) fn is_date_line(text: &str) -> bool {
    #[rustfmt::skip]
    const WITH_DATES: &[&str] = &[
        "am", "pm", "at", "on", "de", "del", "um", "uhr", "le", "à", "est", "edt", "pst", "pdt", "cst", "cdt",
        "gmt", "utc", "bst", "cet", "cest", "et", "pt", "ist", "min", "mins", "minute", "minutes", "read", "date", "г",
        "года", "den", "年", "月", "日",
    ];
    let mut others = 0;
    let mut names = 0;
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        let lower = word.to_lowercase();
        if matches!(lower.as_str(), "by" | "von" | "par" | "por") {
            names = 4;
        } else if word.starts_with(|c: char| c.is_ascii_digit())
            || WITH_DATES.contains(&lower.as_str())
            || is_month_or_weekday(&lower)
            || month(word).is_some()
        {
        } else if names > 0 {
            names -= 1;
        } else {
            others += 1;
        }
    }
    // One more may be the place, the day of the week in another language, or the source.
    others <= 1
}

/// A date in an attribute or a text that is nothing else: the day (`2025-09-04`), the month where no
/// day is given (`2025-09`), or the time (`2025-09-04T10:00:00+02:00`).
pub(crate) fn parse(text: &str) -> Option<String> {
    let text = text.trim();
    if text.len() > 100 || !has_year(text) {
        return None;
    }
    iso(text).or_else(|| in_text(text))
}

/// The first date in a short text, to the day.
pub(crate) fn in_text(text: &str) -> Option<String> {
    if !has_year(text) {
        return None;
    }
    let tokens: Vec<&str> = text
        .split(|c: char| !c.is_alphanumeric() || matches!(c, '年' | '月' | '日'))
        .filter(|token| !token.is_empty())
        .take(64)
        .collect();
    let number = |token: &&str| -> Option<u32> {
        let digits = token.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let ordinal = &token[digits.len()..];
        let is_ordinal = matches!(ordinal, "" | "st" | "nd" | "rd" | "th" | "er");
        (digits.len() <= 4 && is_ordinal).then(|| digits.parse().ok())?
    };
    let month = |token: &&str| month(token);
    for (at, token) in tokens.iter().enumerate() {
        let next = |ahead: usize| tokens.get(at + ahead);
        // `2025 Sep 4`, as journals write.
        if let (Some(y @ 1000..), Some(m)) = (number(token), next(1).and_then(month))
            && let Some(found) = next(2).and_then(number).and_then(|d| day(y, m, d))
        {
            return Some(found);
        }
        // `4 September 2025`, `4 de septiembre de 2025`, `September 4, 2025`.
        if let Some(m) = month(token) {
            if let (Some(d), Some(y)) = (next(1).and_then(number), next(2).and_then(number))
                && let Some(found) = day(y, m, d)
            {
                return Some(found);
            }
        } else if let Some(d) = number(token).filter(|d| *d <= 31) {
            let of = usize::from(next(1).is_some_and(|word| *word == "de"));
            if let Some(m) = next(1 + of).and_then(month) {
                let of = of + usize::from(next(2 + of).is_some_and(|word| *word == "de"));
                if let Some(found) = next(2 + of).and_then(number).and_then(|y| day(y, m, d)) {
                    return Some(found);
                }
            }
        }
        let [a, b, c] = [Some(token), next(1), next(2)].map(|token| token.and_then(number));
        if let (Some(a), Some(b), Some(c)) = (a, b, c) {
            // `2025-09-04`; `04.09.2025`, which only those write who put the day first; and
            // `9/14/2025` or `14/9/2025`, where only one reading is possible.
            let all_digits =
                tokens[at..at + 3].iter().all(|token| token.bytes().all(|b| b.is_ascii_digit()));
            let with_dots =
                || text.contains(&format!("{token}.{}.{}", tokens[at + 1], tokens[at + 2]));
            let found = match (a, b, c) {
                _ if !all_digits => None,
                (1000.., _, _) => day(a, b, c),
                (_, _, 1000..) if a > 12 || a == b || with_dots() => day(c, b, a),
                (_, _, 1000..) if b > 12 => day(c, a, b),
                _ => None,
            };
            if found.is_some() {
                return found;
            }
        }
    }
    None
}

/// May there be one of [`YEARS`]? Most texts have none, and no date then.
fn has_year(text: &str) -> bool {
    let is_year = |digits: &[u8]| {
        matches!(digits, [b'1', b'9', ..] | [b'2', b'0', ..])
            && digits[2..].iter().all(u8::is_ascii_digit)
    };
    text.as_bytes().windows(4).any(is_year)
}

/// Is `day` the day before or after `time`, a time of Greenwich, and can the two be the same moment
/// somewhere on the earth?
pub(crate) fn is_local_day(time: &str, day: &str) -> bool {
    // Days since the first of March of year 0: February, the odd one out, ends the year.
    let number = |date: &str| -> Option<u32> {
        let part = |range: Range<usize>| date.get(range)?.parse::<u32>().ok();
        let (year, month, day) = (part(0..4)?, part(5..7)?, part(8..10)?);
        let (year, month) = if month < 3 { (year - 1, month + 9) } else { (year, month - 3) };
        Some(365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day)
    };
    let hour = time.get(11..13).and_then(|hour| hour.parse::<u32>().ok());
    let (Some(there), Some(here), Some(hour)) = (number(time), number(day), hour) else {
        return false;
    };
    let in_greenwich = time.ends_with('Z') || time.ends_with("+00:00");
    in_greenwich && ((here + 1 == there && hour < 12) || (there + 1 == here && hour >= 10))
}

/// The day in an address: `/2025/09/04/`, `/2025-09-04-title`.
pub(crate) fn in_url(url: &str) -> Option<String> {
    let path = url.split_once("://").map_or(url, |(_, rest)| rest);
    let path = path.split(['?', '#']).next()?;
    let path = path.get(..path.len().min(2_000)).unwrap_or_default();
    let parts: Vec<&str> = path.split(['/', '-', '_', '.']).collect();
    parts.windows(3).find_map(|parts| {
        let [y, m, d] = [(parts[0], 4), (parts[1], 2), (parts[2], 2)].map(|(part, longest)| {
            let digits = !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
            (digits && part.len() <= longest).then(|| part.parse().ok()).flatten()
        });
        // Addresses number all sorts of things; years of the Web are the ones to believe.
        day(y.filter(|y| (1990..=2099).contains(y))?, m?, d?)
    })
}

/// Is this the name of a month, or does it begin like one?
pub(crate) fn is_month(name: &str) -> bool {
    month(name).is_some()
}

fn month(name: &str) -> Option<u32> {
    if name.len() < 3 || name.len() > LONGEST_MONTH {
        return None;
    }
    if name.is_ascii() {
        // Asked of most words of texts with years: by the first letter, and nothing is copied.
        let bytes = name.as_bytes();
        let letter = (bytes[0] | 0x20).wrapping_sub(b'a');
        let begins = |(start, _): &&(&str, u32)| {
            bytes.get(..start.len()).is_some_and(|own| own.eq_ignore_ascii_case(start.as_bytes()))
        };
        let (_, month) = MONTHS_BY_LETTER.get(usize::from(letter))?.iter().find(begins)?;
        return bytes.iter().all(u8::is_ascii_alphabetic).then_some(*month);
    }
    if !name.chars().all(char::is_alphabetic) {
        return None;
    }
    let name = name.to_lowercase();
    let begins = |month: &&&[&str]| month.iter().any(|start| name.starts_with(start));
    MONTHS.iter().position(|month| begins(&month)).map(|index| index as u32 + 1)
}

fn is_day(year: u32, month: u32, day: u32) -> bool {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match month {
        2 => 28 + u32::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    YEARS.contains(&year) && (1..=days).contains(&day)
}

fn day(year: u32, month: u32, day: u32) -> Option<String> {
    is_day(year, month, day).then(|| format!("{year:04}-{month:02}-{day:02}"))
}

/// `2025-09-04`, `2025/9/4`, `20250904`, `2025-09`, with a time after the day or not.
fn iso(text: &str) -> Option<String> {
    let mut rest = Digits(text);
    let year = rest.take(4, 4)?;
    let Some(separator) = rest.any("-/.") else {
        let month = rest.take(2, 2)?;
        let found = day(year, month, rest.take(2, 2)?)?;
        return Some(with_time(found, rest));
    };
    let month = rest.take(1, 2)?;
    if rest.any(&separator.to_string()).is_none() {
        let found = rest.0.is_empty() && separator == '-' && is_day(year, month, 1);
        return found.then(|| format!("{year:04}-{month:02}"));
    }
    let found = day(year, month, rest.take(1, 2)?)?;
    Some(with_time(found, rest))
}

/// Adds the time, if one follows that can be read.
fn with_time(day: String, mut rest: Digits<'_>) -> String {
    let mut time = || {
        rest.any("Tt ")?;
        let (hour, _, minute) = (rest.take(2, 2)?, rest.any(":")?, rest.take(2, 2)?);
        let second = if rest.any(":").is_some() { rest.take(2, 2)? } else { 0 };
        if rest.any(".,").is_some() {
            rest.take(1, 9)?;
        }
        let zone = match rest.any(" Zz+-") {
            None => String::new(),
            Some('Z' | 'z') => "Z".to_owned(),
            Some(' ') => String::new(),
            Some(sign) => {
                let hours = rest.take(2, 2)?;
                rest.any(":");
                let minutes = rest.take(2, 2).unwrap_or(0);
                (hours < 24 && minutes < 60).then(|| format!("{sign}{hours:02}:{minutes:02}"))?
            }
        };
        (hour < 24 && minute < 60 && second < 61)
            .then(|| format!("T{hour:02}:{minute:02}:{second:02}{zone}"))
    };
    match time() {
        Some(time) => day + &time,
        None => day,
    }
}

/// A text that is read from the left.
struct Digits<'a>(&'a str);

impl Digits<'_> {
    /// A number of that many digits.
    fn take(&mut self, least: usize, most: usize) -> Option<u32> {
        let digits = self.0.bytes().take(most).take_while(u8::is_ascii_digit).count();
        let (number, rest) = self.0.split_at(digits);
        self.0 = rest;
        (digits >= least).then(|| number.parse().ok())?
    }

    /// One of these characters.
    fn any(&mut self, of: &str) -> Option<char> {
        let first = self.0.chars().next().filter(|c| of.contains(*c))?;
        self.0 = &self.0[first.len_utf8()..];
        Some(first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months_are_found_as_by_looking_at_all() {
        let slow = |name: &str| {
            let is_word = name.len() >= 3 && name.chars().all(char::is_alphabetic);
            let begins =
                |month: &&[&str]| month.iter().any(|start| name.to_lowercase().starts_with(start));
            MONTHS.iter().position(|month| is_word && begins(month)).map(|index| index as u32 + 1)
        };
        let names = MONTHS.iter().flat_map(|names| names.iter());
        let names = names.flat_map(|name| {
            [(*name).to_owned(), name.to_uppercase(), format!("{name}x"), format!("{name}1")]
        });
        for name in names.chain(["ma", "me", "the", "x", "", "Zebra", "de1"].map(str::to_owned)) {
            assert_eq!(month(&name), slow(&name), "{name}");
        }
    }

    #[test]
    fn local_days() {
        assert!(is_local_day("2024-03-01T02:00:00Z", "2024-02-29"));
        assert!(is_local_day("2025-12-31T23:00:00+00:00", "2026-01-01"));
        assert!(!is_local_day("2024-03-01T02:00:00Z", "2024-03-02"));
        assert!(!is_local_day("2024-03-01T02:00:00-08:00", "2024-02-29"));
        assert!(!is_local_day("2024-03-01T02:00:00Z", "2024-02-28"));
        assert!(!is_local_day("2024-03-01", "2024-02-29"));
        assert!(!is_local_day("2024-03", "2024-02-29"));
    }

    #[test]
    fn attributes() {
        let is = |text: &str, date: &str| assert_eq!(parse(text).as_deref(), Some(date), "{text}");
        is("2025-09-04", "2025-09-04");
        is(" 2025/9/4 ", "2025-09-04");
        is("20250904", "2025-09-04");
        is("2003-11", "2003-11");
        is("2025-09-04T10:11:12.345Z", "2025-09-04T10:11:12Z");
        is("2025-09-04 10:11", "2025-09-04T10:11:00");
        is("2025-09-04T10:11:12+0200", "2025-09-04T10:11:12+02:00");
        is("2025-09-04T99:11", "2025-09-04");
        is("Thu, 04 Sep 2025 08:00:00 GMT", "2025-09-04");
        is("2025 Sep 4", "2025-09-04");
        is("2024-02-29", "2024-02-29");
        for wrong in ["", "2025", "2025-02-29", "2025-13-01", "0000-00-00", "soon", "1234567890"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn texts() {
        let is =
            |text: &str, date: Option<&str>| assert_eq!(in_text(text).as_deref(), date, "{text}");
        is("Posted on September 4th, 2025 by Ann", Some("2025-09-04"));
        is("4. September 2025", Some("2025-09-04"));
        is("4 de septiembre de 2025", Some("2025-09-04"));
        is("le 1er août 2025", Some("2025-08-01"));
        is("04.09.2025, 12:30", Some("2025-09-04"));
        is("9/14/2025", Some("2025-09-14"));
        is("14/9/2025", Some("2025-09-14"));
        is("9/4/2025", None);
        is("In May 3000 people came", None);
        is("Room 12.13.2025", None);
        is("2025年9月4日 10:00", Some("2025-09-04"));
        is("4 сентября 2025", Some("2025-09-04"));
        is("4 września 2025", Some("2025-09-04"));
    }

    #[test]
    fn marks_of_dates() {
        assert_eq!(mark("Posted on 4 May 2025"), Some(Mark::Published));
        assert_eq!(mark("Updated: 4 May 2025"), Some(Mark::Changed));
        assert_eq!(mark("Published 1 May 2025, updated 4 May"), Some(Mark::Published));
        assert_eq!(mark("Aktualisiert am 4. Mai 2025"), Some(Mark::Changed));
        assert_eq!(mark("发布时间：2025年5月4日"), Some(Mark::Published));
        assert_eq!(mark("The storm of 4 May 2025"), None);
        for line in [
            "4 May 2025",
            "Sunday, May 4th, 2025 at 10:30 am",
            "Paris, 4 May 2025",
            "By Jane Doe, May 4, 2025 · 5 min read",
        ] {
            assert!(is_date_line(line), "{line}");
        }
        for line in
            ["World War II · 1939-09-01", "The storm of 4 May 2025", "Until 4 May 2025 only"]
        {
            assert!(!is_date_line(line), "{line}");
        }
        assert!(is_shown("1995-01-01") && !is_shown("1939-09-01"));
    }

    #[test]
    fn addresses() {
        let is = |url: &str, date: Option<&str>| assert_eq!(in_url(url).as_deref(), date, "{url}");
        is("https://a.example/2025/09/04/tides", Some("2025-09-04"));
        is("https://a.example/news/2025-9-4-tides.html", Some("2025-09-04"));
        is("https://a.example/2025/09/tides", None);
        is("https://a.example/1234/05/06/", None);
        is("https://a.example/tides?day=/2025/09/04/", None);
    }
}
