//! Spans of time and sizes as people write them in files: `"30s"`, `"2h"`, `"10MB"`, or plain numbers.

/// Spans of time, as `#[serde(with = "quantity::span")]`.
pub(crate) mod span {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serializer, de};

    use super::Written;

    const UNITS: [(&str, u64); 5] =
        [("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000)];

    /// Ten years; nothing here is meant to take longer, and sums of such cannot overflow.
    const MOST: u64 = 3_650 * 86_400_000;

    pub(crate) fn parse(text: &str) -> Option<Duration> {
        super::parse(text, &UNITS, "s").filter(|span| *span <= MOST).map(Duration::from_millis)
    }

    pub(crate) fn write(span: Duration) -> String {
        let most = u64::try_from(span.as_millis()).unwrap_or(u64::MAX);
        super::write(most, &UNITS)
    }

    pub(crate) fn serialize<S: Serializer>(span: &Duration, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&write(*span))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
        let text = Written::deserialize(from)?.text();
        parse(&text).ok_or_else(|| {
            let remedy = "write a number and a unit, such as \"30s\", \"15m\", \"2h\" or \"1d\"";
            de::Error::custom(format!("`{text}` is no span of time, {remedy}"))
        })
    }
}

/// Sizes in bytes, as `#[serde(with = "quantity::size")]`.
pub(crate) mod size {
    use serde::{Deserialize, Deserializer, Serializer, de};

    use super::Written;

    const UNITS: [(&str, u64); 7] = [
        ("B", 1),
        ("kB", 1_000),
        ("KiB", 1 << 10),
        ("MB", 1_000_000),
        ("MiB", 1 << 20),
        ("GB", 1_000_000_000),
        ("GiB", 1 << 30),
    ];

    pub(crate) fn parse(text: &str) -> Option<usize> {
        super::parse(text, &UNITS, "B").and_then(|size| usize::try_from(size).ok())
    }

    pub(crate) fn serialize<S: Serializer>(size: &usize, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&super::write(*size as u64, &UNITS))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<usize, D::Error> {
        let text = Written::deserialize(from)?.text();
        parse(&text).ok_or_else(|| {
            let remedy = "write a number and a unit, such as \"500kB\" or \"10MB\"";
            de::Error::custom(format!("`{text}` is no size, {remedy}"))
        })
    }
}

/// A quantity in a file: a number without a unit, or a text.
#[derive(serde::Deserialize)]
#[serde(untagged, expecting = "expected a number or a text such as \"30s\" or \"10MB\"")]
enum Written {
    Whole(u64),
    Part(f64),
    Text(String),
}

impl Written {
    fn text(self) -> String {
        match self {
            Written::Whole(number) => number.to_string(),
            Written::Part(number) => number.to_string(),
            Written::Text(text) => text,
        }
    }
}

fn parse(text: &str, units: &[(&str, u64)], without: &str) -> Option<u64> {
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

/// With the largest unit of which it is a whole number.
fn write(number: u64, units: &[(&str, u64)]) -> String {
    let fits = |unit: &&(&str, u64)| number > 0 && number.is_multiple_of(unit.1);
    let unit = units.iter().filter(fits).max_by_key(|unit| unit.1).unwrap_or(&units[0]);
    format!("{}{}", number / unit.1, unit.0)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;

    use super::{size, span};

    #[test]
    fn spans() {
        let check = |text, expect: Option<u64>| {
            assert_eq!(span::parse(text), expect.map(Duration::from_millis), "{text}");
        };
        check("30s", Some(30_000));
        check("1.5 h", Some(5_400_000));
        check("20", Some(20_000));
        check("250ms", Some(250));
        check("2M", Some(120_000));
        for wrong in ["", "s", "-1s", "3 weeks", "1e300d", "99999999999999d", "1.2.3s", "20000d"] {
            check(wrong, None);
        }
    }

    #[test]
    fn sizes() {
        let check = |text, expect| assert_eq!(size::parse(text), expect, "{text}");
        check("10MB", Some(10_000_000));
        check("1.5 KiB", Some(1536));
        check("77", Some(77));
        check("7 apples", None);
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(millis in 0..100_000_000_u64) {
            let written = Duration::from_millis(millis);
            prop_assert_eq!(span::parse(&span::write(written)), Some(written));
        }

        #[test]
        fn any_text(text: String) {
            span::parse(&text);
            size::parse(&text);
        }
    }
}
