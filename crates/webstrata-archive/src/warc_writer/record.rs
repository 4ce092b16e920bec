//! One record of WARC/1.1 (<https://iipc.github.io/warc-specifications/>), made of its fields and its block.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::time::{SystemTime, UNIX_EPOCH};

use flate2::Compression;
use flate2::write::GzEncoder;
use sha1::{Digest, Sha1};

use super::{Exchange, Packing};
use crate::digest::digest;
use crate::record::PageRecord;

/// What the library takes for a good bargain.
const ZSTD_LEVEL: i32 = 3;

/// The fields of a record.
pub(super) struct Record {
    head: String,
}

impl Record {
    pub(super) fn new(kind: &str, exchange: &Exchange<'_>) -> Record {
        let mut record = Record { head: "WARC/1.1\r\n".into() };
        record.add("WARC-Type", kind);
        record.add("WARC-Date", &date(exchange.date));
        if !exchange.url.is_empty() {
            record.add("WARC-Target-URI", exchange.url);
        }
        if let Some(ip) = exchange.ip {
            record.add("WARC-IP-Address", &ip.to_string());
        }
        record
    }

    /// Of a text that was made of a page.
    pub(super) fn conversion(page: &PageRecord) -> Record {
        let mut record = Record { head: "WARC/1.1\r\n".into() };
        let day_zero = || date(UNIX_EPOCH);
        record.add("WARC-Type", "conversion");
        record.add(
            "WARC-Date",
            &page.origin.fetched.as_deref().and_then(moment).unwrap_or_else(day_zero),
        );
        if let Some(url) = page.record.url.as_deref().filter(|url| !url.trim().is_empty()) {
            record.add("WARC-Target-URI", url);
        }
        if let Some(id) = page.origin.record_id.as_deref().filter(|id| id.starts_with("<urn:")) {
            record.add("WARC-Refers-To", id);
        }
        if let Some(language) = &page.text_language {
            record.add("WARC-Identified-Content-Language", language);
        }
        record.add("Content-Type", "text/plain; charset=utf-8");
        record
    }

    pub(super) fn add(&mut self, name: &str, value: &str) {
        let _ = write!(self.head, "{name}: {}\r\n", clean(value));
    }

    /// Adds the whole record to `to`, as a member of its own; returns its id. `place` tells it from all
    /// others: ids are made of it and of the content, not drawn at random, so that the same crawl gives the
    /// same archive.
    pub(super) fn pack(
        mut self,
        place: &str,
        block: &[u8],
        packing: Packing,
        to: &mut Vec<u8>,
    ) -> io::Result<String> {
        let block_digest = digest(block);
        let id = uuid(&[place.as_bytes(), self.head.as_bytes(), block_digest.as_bytes()]);
        self.add("WARC-Record-ID", &format!("<{id}>"));
        self.add("WARC-Block-Digest", &block_digest);
        self.add("Content-Length", &block.len().to_string());
        self.head.push_str("\r\n");
        let parts = [self.head.as_bytes(), block, b"\r\n\r\n"];
        match packing {
            Packing::Plain => parts.iter().for_each(|part| to.extend_from_slice(part)),
            Packing::Gzip => {
                let mut encoder = GzEncoder::new(to, Compression::default());
                parts.iter().try_for_each(|part| encoder.write_all(part))?;
                encoder.finish()?;
            }
            Packing::Zstd => {
                let mut encoder = zstd::Encoder::new(to, ZSTD_LEVEL)?;
                let length: usize = parts.iter().map(|part| part.len()).sum();
                encoder.set_pledged_src_size(Some(length as u64))?;
                encoder.include_checksum(true)?;
                parts.iter().try_for_each(|part| encoder.write_all(part))?;
                encoder.finish()?;
            }
        }
        Ok(id)
    }
}

/// A value that stays on its line, whoever made it: control characters as in addresses.
pub(super) fn clean(value: &str) -> Cow<'_, str> {
    let value = value.trim();
    if !value.contains(char::is_control) {
        return value.into();
    }
    let mut cleaned = String::with_capacity(value.len() + 8);
    for c in value.chars() {
        if c.is_control() {
            let mut bytes = [0; 4];
            for byte in c.encode_utf8(&mut bytes).bytes() {
                let _ = write!(cleaned, "%{byte:02X}");
            }
        } else {
            cleaned.push(c);
        }
    }
    cleaned.into()
}

/// A moment as WARC has it, if it is one: a day alone is its beginning.
fn moment(written: &str) -> Option<String> {
    let is_like = |shape: &str| {
        written.len() == shape.len()
            && written.bytes().zip(shape.bytes()).all(|(byte, like)| match like {
                b'0' => byte.is_ascii_digit(),
                like => byte == like,
            })
    };
    match () {
        () if is_like("0000-00-00T00:00:00Z") => Some(written.to_owned()),
        () if is_like("0000-00-00") => Some(format!("{written}T00:00:00Z")),
        () => None,
    }
}

/// A UUID made of a digest (RFC 9562, version 8).
fn uuid(parts: &[&[u8]]) -> String {
    let mut sha1 = Sha1::new();
    for part in parts {
        sha1.update((part.len() as u64).to_le_bytes());
        sha1.update(part);
    }
    let digest = sha1.finalize();
    let number = digest[..16].iter().fold(0u128, |number, byte| number << 8 | u128::from(*byte));
    let number = number & !(0xf << 76) & !(3 << 62) | 8 << 76 | 2 << 62;
    let hex = format!("{number:032x}");
    let (a, b, c, d, e) = (&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]);
    format!("urn:uuid:{a}-{b}-{c}-{d}-{e}")
}

/// `2026-11-15T08:00:00Z`.
pub(crate) fn date(time: SystemTime) -> String {
    let seconds = time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (year, month, day) = civil(seconds / 86_400);
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// Year, month and day of a day since 1970. Years begin in March here, so that the odd day is their last
/// (Hinnant, `civil_from_days`).
fn civil(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (year + era * 400 + next, month, day)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn ids() {
        let id = uuid(&[b"a", b"bc"]);
        assert_ne!(id, uuid(&[b"ab", b"c"]));
        let digits: Vec<usize> = id["urn:uuid:".len()..].split('-').map(str::len).collect();
        assert_eq!(digits, [8, 4, 4, 4, 12]);
        assert_eq!((&id[23..24], "89ab".contains(&id[28..29])), ("8", true), "{id}");
    }

    #[test]
    fn dates() {
        let check = |seconds: u64, expect: &str| {
            assert_eq!(date(UNIX_EPOCH + Duration::from_secs(seconds)), expect);
        };
        check(0, "1970-01-01T00:00:00Z");
        check(951_782_400, "2000-02-29T00:00:00Z");
        check(1_794_729_599, "2026-11-15T07:59:59Z");
        check(4_107_542_400, "2100-03-01T00:00:00Z");
        assert_eq!(date(UNIX_EPOCH - Duration::from_secs(5)), "1970-01-01T00:00:00Z");
    }

    #[test]
    fn days_count_on() {
        let mut last = (1969, 12, 31);
        for day in 0..200_000 {
            let (year, month, date) = civil(day);
            let follows = match (year - last.0, month) {
                (0, month) if month == last.1 => date == last.2 + 1,
                (0, month) => month == last.1 + 1 && date == 1 && last.2 >= 28,
                (1, 1) => date == 1 && (last.1, last.2) == (12, 31),
                _ => false,
            };
            assert!(follows, "{day}: {last:?}, {year}-{month}-{date}");
            last = (year, month, date);
        }
    }

    #[test]
    fn moments() {
        assert_eq!(moment("2026-11-15T08:00:00Z").as_deref(), Some("2026-11-15T08:00:00Z"));
        assert_eq!(moment("2026-11-15").as_deref(), Some("2026-11-15T00:00:00Z"));
        assert_eq!(moment("yesterday"), None);
    }

    #[test]
    fn values_stay_on_their_line() {
        assert_eq!(clean(" a b\u{e9} "), "a b\u{e9}");
        assert_eq!(clean("a\r\nWARC-Type: x\0"), "a%0D%0AWARC-Type: x%00");
    }
}
