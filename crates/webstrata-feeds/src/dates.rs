//! Dates as feeds and servers write them, in seconds since 1970.

use jiff::civil::{Date, DateTime, Time};
use jiff::tz::Offset;

/// Bytes of a date; longer texts are none.
const LONGEST: usize = 100;

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// Names of zones in minutes east of Greenwich: those of RFC 822, and others that feeds have all the same.
const ZONES: [(&str, i32); 33] = [
    ("gmt", 0),
    ("utc", 0),
    ("ut", 0),
    ("z", 0),
    ("wet", 0),
    ("bst", 60),
    ("west", 60),
    ("cet", 60),
    ("met", 60),
    ("mez", 60),
    ("cest", 120),
    ("mest", 120),
    ("mesz", 120),
    ("eet", 120),
    ("sast", 120),
    ("eest", 180),
    ("msk", 180),
    ("ist", 330),
    ("hkt", 480),
    ("jst", 540),
    ("kst", 540),
    ("aest", 600),
    ("aedt", 660),
    ("nzst", 720),
    ("ast", -240),
    ("edt", -240),
    ("est", -300),
    ("cdt", -300),
    ("cst", -360),
    ("mdt", -360),
    ("mst", -420),
    ("pdt", -420),
    ("pst", -480),
];

/// The moment that a date names. Without a zone it is that of Greenwich; without a time, midnight.
pub fn parse(text: &str) -> Option<i64> {
    let text = text.trim();
    if text.len() > LONGEST || text.is_empty() {
        return None;
    }
    let parts: Vec<&str> =
        text.split(|c: char| c.is_whitespace() || c == ',').filter(|it| !it.is_empty()).collect();
    iso(text).or_else(|| worded(&parts))
}

/// `2026-11-15T08:30:00+01:00` and its short forms.
fn iso(text: &str) -> Option<i64> {
    let date = text.get(..10)?;
    let mut numbers = date.split(['-', '/', '.']);
    let (year, month, day) = (numbers.next()?, numbers.next()?, numbers.next()?);
    if year.len() != 4 || numbers.next().is_some() {
        return None;
    }
    let date = Date::new(number(year)?, number(month)?, number(day)?).ok()?;
    let rest = text[10..].trim_start_matches(|c: char| c == 'T' || c == 't' || c.is_whitespace());
    let end = rest.find(|c: char| !c.is_ascii_digit() && !":.".contains(c)).unwrap_or(rest.len());
    let (time, zone) = rest.split_at(end);
    moment(date, time, zone.trim())
}

/// `Sun, 15 Nov 2026 08:30:00 GMT`, `15-Nov-26 08:30`, `November 15, 2026 8:30 PM`, `Sun Nov 15 08:30:00 2026`.
fn worded(parts: &[&str]) -> Option<i64> {
    let mut pieces = parts.iter().flat_map(|part| {
        // Dashes separate days from months, but are signs of zones.
        let is_date = part.contains(|c: char| c.is_alphabetic()) && part.contains(['-', '/']);
        let separators: &[char] = if is_date { &['-', '/'] } else { &[] };
        part.split(separators).filter(|it| !it.is_empty())
    });
    let (mut day, mut month, mut year) = (None, None, None);
    let (mut time, mut zone, mut half) = ("", String::new(), None);
    for piece in pieces.by_ref().take(12) {
        let is_number = piece.bytes().all(|byte| byte.is_ascii_digit());
        let ordinal = piece.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let is_clock = piece.starts_with(|c: char| c.is_ascii_digit()) && piece.contains(':');
        if is_clock && time.is_empty() {
            let end = piece.find(|c: char| !c.is_ascii_digit() && !":.".contains(c));
            let (clock, rest) = piece.split_at(end.unwrap_or(piece.len()));
            time = clock;
            match rest.to_ascii_lowercase().as_str() {
                "am" => half = Some(0),
                "pm" => half = Some(12),
                rest => zone.push_str(rest),
            }
        } else if is_number && day.is_none() && piece.len() <= 2 {
            day = number::<i8>(piece);
        } else if is_number && year.is_none() && matches!(piece.len(), 2 | 4) {
            year = number::<i16>(piece).map(|year| full_year(year, piece.len()));
        } else if let Some(found) = month_of(piece).filter(|_| month.is_none()) {
            month = Some(found);
        } else if is_ordinal(piece, ordinal) && day.is_none() {
            day = number::<i8>(ordinal);
        } else if piece.eq_ignore_ascii_case("am") || piece.eq_ignore_ascii_case("pm") {
            half = Some(if piece.eq_ignore_ascii_case("pm") { 12 } else { 0 });
        } else if !time.is_empty() && zone.is_empty() {
            zone = piece.to_owned();
        }
    }
    let date = Date::new(year?, month?, day?).ok()?;
    let time = match half {
        Some(half) => afternoon(time, half)?,
        None => time.to_owned(),
    };
    moment(date, &time, &zone)
}

fn is_ordinal(piece: &str, digits: &str) -> bool {
    let ending = piece[digits.len()..].to_ascii_lowercase();
    (1..=2).contains(&digits.len())
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && ["st", "nd", "rd", "th"].contains(&ending.as_str())
}

/// Years of two digits, by RFC 2822, section 4.3.
fn full_year(year: i16, digits: usize) -> i16 {
    match (digits, year) {
        (2, 0..50) => 2000 + year,
        (2, _) => 1900 + year,
        _ => year,
    }
}

fn month_of(piece: &str) -> Option<i8> {
    let start = piece.get(..3)?.to_ascii_lowercase();
    let place = MONTHS.iter().position(|month| *month == start)?;
    let is_word = piece.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'.');
    is_word.then_some(place as i8 + 1)
}

fn afternoon(time: &str, half: i8) -> Option<String> {
    let (hour, rest) = time.split_once(':')?;
    let hour: i8 = number(hour)?;
    Some(format!("{}:{rest}", hour % 12 + half))
}

fn moment(date: Date, time: &str, zone: &str) -> Option<i64> {
    let (time, is_next_day) = clock(time)?;
    let offset = Offset::from_seconds(minutes(zone).unwrap_or(0) * 60).ok()?;
    let moment = offset.to_timestamp(DateTime::from_parts(date, time)).ok()?;
    Some(moment.as_second() + if is_next_day { 86_400 } else { 0 })
}

/// `08:30`, `8:30:59.5`; a leap second is the one before it, and 24:00 is midnight.
fn clock(time: &str) -> Option<(Time, bool)> {
    let mut parts = time.split(':');
    let part = |text: Option<&str>| -> Option<i8> {
        match text {
            None | Some("") => Some(0),
            Some(text) => number(text.split('.').next()?),
        }
    };
    let (hour, minute, second) = (part(parts.next())?, part(parts.next())?, part(parts.next())?);
    let is_next_day = hour == 24 && minute == 0 && second == 0;
    let hour = if is_next_day { 0 } else { hour };
    Some((Time::new(hour, minute, second.min(59), 0).ok()?, is_next_day))
}

/// Minutes east of Greenwich; `None` if unknown.
fn minutes(zone: &str) -> Option<i32> {
    let zone = zone.trim_matches(['(', ')']).to_ascii_lowercase();
    // `GMT+0200` is what JavaScript writes.
    let bare = ["gmt", "utc"].iter().find_map(|name| zone.strip_prefix(name)).unwrap_or(&zone);
    let (sign, digits) = match bare.chars().next() {
        Some('+') => (1, &bare[1..]),
        Some('-') => (-1, &bare[1..]),
        _ => {
            let named = ZONES.iter().find(|(name, _)| *name == zone);
            return named.map(|(_, minutes)| *minutes);
        }
    };
    let digits: String = digits.chars().take_while(|c| c.is_ascii_digit() || *c == ':').collect();
    let (hours, minutes) = match digits.split_once(':') {
        Some((hours, minutes)) => (hours, minutes),
        None if digits.len() > 2 => digits.split_at(digits.len() - 2),
        None => (digits.as_str(), "0"),
    };
    let (hours, minutes): (i32, i32) = (number(hours)?, number(minutes)?);
    (hours <= 25 && minutes < 60).then_some(sign * (hours * 60 + minutes))
}

fn number<T: std::str::FromStr>(digits: &str) -> Option<T> {
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|_| is_number)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// 2026-11-15T08:30:00Z.
    const MORNING: i64 = 1_794_731_400;

    fn check(text: &str, expect: Option<i64>) {
        assert_eq!(parse(text), expect, "{text}");
    }

    #[test]
    fn the_many_ways_to_write_a_date() {
        for same in [
            "Sun, 15 Nov 2026 08:30:00 GMT",
            "Sun, 15 Nov 2026 08:30:00 +0000",
            "Sun, 15 Nov 2026 08:30 UT",
            "15 Nov 2026 09:30:00 CET",
            "Sun, 15 Nov 26 03:30:00 EST",
            "Sun, 15 Nov 2026 00:30:00 PST",
            "Sunday, 15-Nov-26 08:30:00 GMT",
            "Sun Nov 15 08:30:00 2026",
            "November 15, 2026 8:30 AM",
            "15th November 2026, 08:30",
            "Sun, 15 Nov 2026 10:30:00 +02:00",
            "Sun, 15 Nov 2026 08:30:00 GMT+0000 (Coordinated Universal Time)",
            "Mon, 15 November 2026 08:30:00 Z",
            "2026-11-15T08:30:00Z",
            "2026-11-15T08:30:00.123456Z",
            "2026-11-15T09:30:00+01:00",
            "2026-11-15T09:30:00+0100",
            "2026-11-15 08:30",
            "2026-11-15 08:30:00 UTC",
            "2026/11/15 08:30:00",
            "  2026-11-15t08:30:00z\n",
        ] {
            check(same, Some(MORNING));
        }
        check("Sun, 15 Nov 2026 08:30:00 Nowhere", Some(MORNING));
        check("2026-11-15", Some(MORNING - 30_600));
        check("15 Nov 2026", Some(MORNING - 30_600));
        check("2026-11-14T24:00:00Z", Some(MORNING - 30_600));
        check("Sun, 15 Nov 2026 8:30:60 PM GMT", Some(MORNING + 12 * 3600 + 59));
        check("Sun, 06 Nov 1994 08:49:37 GMT", Some(784_111_777));
    }

    #[test]
    fn what_is_no_date() {
        for none in
            ["", "soon", "2026", "32 Nov 2026", "2026-13-01", "12:30", "2026-02-30", "Nov Nov Nov"]
        {
            check(none, None);
        }
        check(&"1".repeat(200), None);
    }

    proptest! {
        #[test]
        fn any_text(text in "[ -~ä]{0,60}|.{0,40}") {
            parse(&text);
        }

        #[test]
        fn what_jiff_writes_is_read(seconds in -2_000_000_000..10_000_000_000_i64) {
            let moment = jiff::Timestamp::from_second(seconds).unwrap();
            prop_assert_eq!(parse(&moment.to_string()), Some(seconds));
            let zoned = moment.to_zoned(jiff::tz::TimeZone::UTC);
            let mail = jiff::fmt::rfc2822::to_string(&zoned).unwrap();
            prop_assert_eq!(parse(&mail), Some(seconds), "{}", mail);
        }
    }
}
