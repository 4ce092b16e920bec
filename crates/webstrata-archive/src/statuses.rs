//! Which HTTP statuses stand for pages.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// Ranges of HTTP statuses. By default 200 to 299: redirects and error pages are no pages.
///
/// ```
/// use webstrata_archive::Statuses;
///
/// let statuses: Statuses = "200-299,404".parse().unwrap();
/// assert!(statuses.has(Some(404)) && !statuses.has(Some(301)));
/// assert!("200-".parse::<Statuses>().is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statuses(Vec<RangeInclusive<u16>>);

impl Statuses {
    /// Is it one of these? What was stored without an answer has none and is taken.
    pub fn has(&self, status: Option<u16>) -> bool {
        status.is_none_or(|status| self.0.iter().any(|range| range.contains(&status)))
    }
}

impl Default for Statuses {
    fn default() -> Statuses {
        Statuses(vec![200..=299])
    }
}

impl FromStr for Statuses {
    type Err = String;

    fn from_str(written: &str) -> Result<Statuses, String> {
        let range = |one: &str| {
            let (first, last) = one.split_once('-').unwrap_or((one, one));
            let first: u16 = first.trim().parse().ok()?;
            let last: u16 = last.trim().parse().ok()?;
            (100..=999).contains(&first).then_some(first..=last).filter(|range| !range.is_empty())
        };
        let ranges: Option<Vec<_>> = written.split(',').map(range).collect();
        let wrong = || "expected HTTP statuses, such as 200 or 200-299,404".to_owned();
        ranges.map(Statuses).ok_or_else(wrong)
    }
}

impl fmt::Display for Statuses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, range) in self.0.iter().enumerate() {
            let comma = if index > 0 { "," } else { "" };
            match (range.start(), range.end()) {
                (first, last) if first == last => write!(f, "{comma}{first}")?,
                (first, last) => write!(f, "{comma}{first}-{last}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_and_read() {
        let check = |written: &str, expect: Option<&str>| {
            let read = written.parse::<Statuses>().ok().map(|statuses| statuses.to_string());
            assert_eq!(read.as_deref(), expect, "{written}");
        };
        check("200", Some("200"));
        check(" 200-299, 404 ", Some("200-299,404"));
        for wrong in ["", "2xx", "299-200", "20", "200,", "70000", "-1"] {
            check(wrong, None);
        }
        let default = Statuses::default();
        assert!(default.has(None) && default.has(Some(206)) && !default.has(Some(300)));
    }
}
