//! Times as people write them.

use jiff::Timestamp;

/// The day of a second since 1970, `2026-11-15`, in UTC.
pub(crate) fn day(seconds: i64) -> String {
    timestamp(seconds).strftime("%Y-%m-%d").to_string()
}

/// A second since 1970 by RFC 3339, `2026-11-15T09:30:00Z`.
pub(crate) fn moment(seconds: i64) -> String {
    timestamp(seconds).to_string()
}

/// The nearest second that has a name.
fn timestamp(seconds: i64) -> Timestamp {
    let clamped = seconds.clamp(Timestamp::MIN.as_second() + 1, Timestamp::MAX.as_second());
    Timestamp::from_second(clamped).unwrap_or(Timestamp::UNIX_EPOCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_moments() {
        assert_eq!(day(0), "1970-01-01");
        assert_eq!(day(-1), "1969-12-31");
        assert_eq!(moment(1_794_735_000), "2026-11-15T09:30:00Z");
        for far in [i64::MIN, i64::MAX] {
            assert!(day(far).len() >= 10 && !moment(far).is_empty());
        }
    }
}
