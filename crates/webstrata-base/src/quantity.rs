//! Sizes and durations as people write them, on the command line and in files: `"30s"`, `"2h"`, `"10MB"`, `"64MiB"`.
//!
//! There is one meaning everywhere. `kB`, `MB` and `GB` are powers of 1000; `KiB`, `MiB`, `GiB` and the short
//! `K`, `M`, `G` are powers of 1024. Case does not matter. A plain number is bytes or seconds.

use serde::{Deserialize, Deserializer};

/// Durations. With serde: `#[serde(with = "webstrata_base::quantity::duration")]`.
pub mod duration {
    use std::time::Duration;

    use serde::{Deserializer, Serializer, de};

    /// In milliseconds, from the smallest to the largest.
    const UNITS: [(&str, u64); 6] = [
        ("ms", 1),
        ("s", 1_000),
        ("m", 60_000),
        ("min", 60_000),
        ("h", 3_600_000),
        ("d", 86_400_000),
    ];

    /// Ten years. Nothing takes longer, and sums of such durations cannot overflow.
    const MOST: u64 = 3_650 * 86_400_000;

    /// Reads a duration: `250ms`, `30s`, `15m`, `2h`, `1d`, or seconds without a unit.
    ///
    /// ```
    /// use std::time::Duration;
    /// use webstrata_base::quantity::duration;
    ///
    /// assert_eq!(duration::parse("2h"), Ok(Duration::from_secs(7_200)));
    /// assert_eq!(duration::parse("1.5s"), Ok(Duration::from_millis(1_500)));
    /// assert!(duration::parse("2 weeks").is_err());
    /// ```
    pub fn parse(text: &str) -> Result<Duration, String> {
        let span = super::number(text, &UNITS, "s").filter(|span| *span <= MOST);
        span.map(Duration::from_millis).ok_or_else(|| {
            format!(
                "`{}` is no duration, write a number and a unit, such as 100ms, 30s, 15m, 2h or 1d",
                super::shortened(text)
            )
        })
    }

    /// Writes a duration with the largest unit of which it is a whole number.
    pub fn format(duration: Duration) -> String {
        let units = UNITS.into_iter().filter(|(name, _)| *name != "min");
        super::written(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX), units)
    }

    /// Writes a duration as a text.
    pub fn serialize<S: Serializer>(duration: &Duration, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&format(*duration))
    }

    /// Reads a duration from a text or a number of seconds.
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
        parse(&super::text(from)?).map_err(de::Error::custom)
    }
}

/// Sizes in bytes. With serde: `#[serde(with = "webstrata_base::quantity::size")]`.
pub mod size {
    use serde::{Deserializer, Serializer, de};

    const UNITS: [(&str, u64); 10] = [
        ("B", 1),
        ("kB", 1_000),
        ("K", 1 << 10),
        ("KiB", 1 << 10),
        ("MB", 1_000_000),
        ("M", 1 << 20),
        ("MiB", 1 << 20),
        ("GB", 1_000_000_000),
        ("G", 1 << 30),
        ("GiB", 1 << 30),
    ];

    /// Reads a size in bytes: `500kB`, `64MB`, `64MiB`, `64M`, or a plain number.
    ///
    /// ```
    /// use webstrata_base::quantity::size;
    ///
    /// assert_eq!(size::parse("64MB"), Ok(64_000_000));
    /// assert_eq!(size::parse("64MiB"), Ok(64 << 20));
    /// assert_eq!(size::parse("64M"), size::parse("64MiB"));
    /// assert!(size::parse("64 apples").is_err());
    /// ```
    pub fn parse(text: &str) -> Result<u64, String> {
        super::number(text, &UNITS, "B").ok_or_else(|| {
            format!(
                "`{}` is no size, write a number and a unit, such as 500kB (500,000 bytes), 64MB or 64MiB (64 × 2^20)",
                super::shortened(text)
            )
        })
    }

    /// Writes a size with the largest unit of which it is a whole number.
    pub fn format(size: u64) -> String {
        super::written(size, UNITS.into_iter().filter(|(name, _)| name.ends_with('B')))
    }

    /// Writes a size as a text.
    pub fn serialize<S: Serializer>(size: &usize, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&format(*size as u64))
    }

    /// Reads a size from a text or a number of bytes.
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<usize, D::Error> {
        let size = parse(&super::text(from)?).map_err(de::Error::custom)?;
        usize::try_from(size)
            .map_err(|_| de::Error::custom("more bytes than this machine can have"))
    }
}

/// A number with commas between its thousands: 1,234,567.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A quantity in a file: a number without a unit, or a text.
fn text<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "expected a number or a text such as \"30s\" or \"10MB\"")]
    enum Written {
        Whole(u64),
        Part(f64),
        Text(String),
    }
    Ok(match Written::deserialize(from)? {
        Written::Whole(number) => number.to_string(),
        Written::Part(number) => number.to_string(),
        Written::Text(text) => text,
    })
}

fn number(text: &str, units: &[(&str, u64)], without: &str) -> Option<u64> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = (&text[..end], text[end..].trim());
    let unit = if unit.is_empty() { without } else { unit };
    let (_, factor) = units.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit))?;
    if let Ok(whole) = number.parse::<u64>() {
        return whole.checked_mul(*factor);
    }
    let exact = number.parse::<f64>().ok()? * *factor as f64;
    (exact.is_finite() && exact < u64::MAX as f64).then_some(exact.round() as u64)
}

fn written(number: u64, units: impl Iterator<Item = (&'static str, u64)>) -> String {
    let mut best = None;
    for (name, factor) in units {
        let larger = best.is_none_or(|(_, before)| factor > before);
        if best.is_none() || (number > 0 && number.is_multiple_of(factor) && larger) {
            best = Some((name, factor));
        }
    }
    best.map_or_else(|| number.to_string(), |(name, factor)| format!("{}{name}", number / factor))
}

/// What somebody wrote, fit for a message.
fn shortened(text: &str) -> String {
    let mut line: String =
        text.chars().take(40).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().nth(40).is_some() {
        line.push('…');
    }
    line
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;

    use super::{duration, size, thousands};

    #[test]
    fn durations() {
        let check = |text, expect: Option<u64>| {
            assert_eq!(duration::parse(text).ok(), expect.map(Duration::from_millis), "{text}");
        };
        check("30s", Some(30_000));
        check("1.5 h", Some(5_400_000));
        check("20", Some(20_000));
        check("250ms", Some(250));
        check("2M", Some(120_000));
        check("2min", Some(120_000));
        check("2h", Some(7_200_000));
        for wrong in ["", "s", "-1s", "3 weeks", "1e300d", "99999999999999d", "1.2.3s", "20000d"] {
            check(wrong, None);
        }
    }

    #[test]
    fn sizes() {
        let check = |text, expect| assert_eq!(size::parse(text).ok(), expect, "{text}");
        check("10MB", Some(10_000_000));
        check("64mb", Some(64_000_000));
        check("64M", Some(64 << 20));
        check("64MiB", Some(64 << 20));
        check("1.5 KiB", Some(1536));
        check("1.5G", Some(3 << 29));
        check("77", Some(77));
        for wrong in ["", "M", "-1", "1e9", "5T", "7 apples", "99999999999GiB"] {
            check(wrong, None);
        }
    }

    #[test]
    fn messages_are_short() {
        let wrong = size::parse(&"x\n".repeat(10_000)).unwrap_err();
        assert!(wrong.len() < 250 && !wrong.contains('\n'), "{wrong}");
    }

    #[test]
    fn numbers_with_commas() {
        for (number, text) in [(0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(thousands(number), text);
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(millis in 0..100_000_000_u64, bytes: u64) {
            let written = Duration::from_millis(millis);
            prop_assert_eq!(duration::parse(&duration::format(written)), Ok(written));
            prop_assert_eq!(size::parse(&size::format(bytes)), Ok(bytes));
        }

        #[test]
        fn any_text(text: String) {
            let _ = (duration::parse(&text), size::parse(&text));
        }
    }
}
