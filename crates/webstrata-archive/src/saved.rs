//! Pages that browsers saved: MHTML (RFC 2557), and HTML with a mark that says where it came from.

use memchr::memmem::Finder;

use crate::arrival::charset_of;
use crate::fields::Fields;

/// Bytes at the beginning of a page within which a mark stands.
const MARK: usize = 4096;

/// The longest head of an MHTML file.
const MOST_HEAD: usize = 64 * 1024;

/// Parts of an MHTML file that are looked at.
const MOST_PARTS: usize = 10_000;

/// Parts within parts that are looked into.
const DEEPEST: u32 = 4;

/// What a saved page says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Saved {
    /// Its address.
    pub url: Option<String>,
    /// When it was saved, by RFC 3339.
    pub date: Option<String>,
    /// Its charset.
    pub charset: Option<String>,
}

/// Makes the page itself of what a browser saved, and says what is known of it. Other pages stay as they are.
///
/// # Errors
///
/// Where it is an MHTML file without a page in it.
pub fn unwrapped(bytes: &mut Vec<u8>) -> Result<Saved, String> {
    if let Some(head) = mhtml_head(bytes) {
        let (fields, length) = Fields::parse(&bytes[..head]);
        let head = Head::of(&fields);
        let root = fields.owned("Snapshot-Content-Location");
        let date = fields.get("Date").and_then(|date| mail_date(&date));
        let body = &bytes[length.unwrap_or(bytes.len())..];
        let wanted = Wanted { root: root.as_deref(), start: head.start.as_deref() };
        let (content, part) = page_of(&head, body, &wanted, DEEPEST)
            .ok_or("an MHTML file without a page in it, that is, no part of the type text/html")?;
        let url = part.location.clone().filter(|url| is_address(url)).or(root);
        let saved = Saved { url: url.filter(|url| is_address(url)), date, charset: part.charset };
        *bytes = content;
        return Ok(saved);
    }
    let start = &bytes[..bytes.len().min(MARK)];
    Ok(of_mark(start).or_else(|| of_single_file(start)).unwrap_or_default())
}

fn is_address(url: &str) -> bool {
    let is =
        |scheme: &str| url.get(..scheme.len()).is_some_and(|it| it.eq_ignore_ascii_case(scheme));
    is("http://") || is("https://")
}

/// How long the head of an MHTML file is at most, if this is one.
fn mhtml_head(bytes: &[u8]) -> Option<usize> {
    let line = &bytes[..memchr::memchr(b'\n', &bytes[..bytes.len().min(1000)])?];
    let name = &line[..memchr::memchr(b':', line)?];
    let is_name = !name.is_empty() && name.iter().all(|c| c.is_ascii_alphanumeric() || *c == b'-');
    if !is_name {
        return None;
    }
    let most = bytes.len().min(MOST_HEAD);
    let (fields, length) = Fields::parse(&bytes[..most]);
    let is_mail = fields.get("MIME-Version").is_some() && length.is_some();
    let kind = fields.get("Content-Type")?.to_ascii_lowercase();
    (is_mail && (kind.starts_with("multipart/") || kind.starts_with("text/html"))).then_some(most)
}

/// What the head of a part says.
struct Head {
    kind: String,
    charset: Option<String>,
    boundary: Option<String>,
    /// The id of the part that is the page.
    start: Option<String>,
    encoding: String,
    location: Option<String>,
    id: Option<String>,
}

impl Head {
    fn of(fields: &Fields<'_>) -> Head {
        let content_type = fields.get("Content-Type").unwrap_or_default();
        let kind = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        Head {
            kind,
            charset: charset_of(&content_type).map(str::to_owned),
            boundary: parameter(&content_type, "boundary"),
            start: parameter(&content_type, "start"),
            encoding: fields
                .get("Content-Transfer-Encoding")
                .unwrap_or_default()
                .trim()
                .to_ascii_lowercase(),
            location: fields.owned("Content-Location").map(|url| url.trim().to_owned()),
            id: fields.owned("Content-ID").map(|id| id.trim().to_owned()),
        }
    }
}

/// The value of a parameter of a content type. Values in quotes may have semicolons.
fn parameter(content_type: &str, name: &str) -> Option<String> {
    let mut rest = content_type;
    while let Some((_, after)) = rest.split_once(';') {
        let (key, value) = after.split_once('=')?;
        let value = value.trim_start();
        let (found, behind) = match value.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
            None => value.split_at(value.find(';').unwrap_or(value.len())),
        };
        if key.trim().eq_ignore_ascii_case(name) {
            return Some(found.trim().to_owned()).filter(|found| !found.is_empty());
        }
        rest = behind;
    }
    None
}

/// Which part is the page.
struct Wanted<'a> {
    root: Option<&'a str>,
    start: Option<&'a str>,
}

impl Wanted<'_> {
    fn is(&self, part: &Head) -> bool {
        let is_root = self.root.is_some() && self.root == part.location.as_deref();
        is_root || (self.start.is_some() && self.start == part.id.as_deref())
    }
}

/// The page of a part and of the parts in it, decoded: the one that the file names, or else the first.
fn page_of(head: &Head, body: &[u8], wanted: &Wanted<'_>, depth: u32) -> Option<(Vec<u8>, Head)> {
    let Some(boundary) = head.boundary.as_deref().filter(|_| head.kind.starts_with("multipart/"))
    else {
        let is_page = matches!(&*head.kind, "text/html" | "application/xhtml+xml");
        return is_page.then(|| {
            let part = Head { boundary: None, kind: head.kind.clone(), ..Head::copy(head) };
            (decoded(body, &head.encoding), part)
        });
    };
    let mut first = None;
    for part in parts(body, boundary).take(MOST_PARTS) {
        let (fields, length) = Fields::parse(&part[..part.len().min(MOST_HEAD)]);
        let Some(length) = length else { continue };
        let inner = Head::of(&fields);
        let is_wanted = wanted.is(&inner);
        let is_page = inner.kind == "text/html" || inner.kind == "application/xhtml+xml";
        let may_have = is_page || (depth > 0 && inner.kind.starts_with("multipart/"));
        if may_have && (is_wanted || first.is_none()) {
            let found = page_of(&inner, &part[length..], wanted, depth.saturating_sub(1));
            if is_wanted && found.is_some() {
                return found;
            }
            first = first.or(found);
        }
    }
    first
}

impl Head {
    fn copy(head: &Head) -> Head {
        Head {
            kind: head.kind.clone(),
            charset: head.charset.clone(),
            boundary: None,
            start: None,
            encoding: head.encoding.clone(),
            location: head.location.clone(),
            id: head.id.clone(),
        }
    }
}

/// What stands between the boundaries.
fn parts<'a>(body: &'a [u8], boundary: &str) -> impl Iterator<Item = &'a [u8]> {
    let mark = format!("--{boundary}");
    let finder = Finder::new(mark.as_bytes()).into_owned();
    let length = mark.len();
    let mut rest = next_boundary(body, &finder).map(|(_, at)| &body[at + length..]);
    std::iter::from_fn(move || {
        let here = rest?;
        // Two more dashes end it all.
        if here.starts_with(b"--") {
            return None;
        }
        let here = &here[memchr::memchr(b'\n', here)? + 1..];
        let (end, next) = match next_boundary(here, &finder) {
            Some((end, at)) => (end, Some(&here[at + length..])),
            // The file is cut off.
            None => (here.len(), None),
        };
        rest = next;
        Some(&here[..end])
    })
}

/// Where the line with the next boundary begins: without the line break before it, and with it.
fn next_boundary(body: &[u8], finder: &Finder<'_>) -> Option<(usize, usize)> {
    finder.find_iter(body).find_map(|at| match &body[..at] {
        [] => Some((0, 0)),
        [before @ .., b'\r', b'\n'] | [before @ .., b'\n'] => Some((before.len(), at)),
        _ => None,
    })
}

fn decoded(body: &[u8], encoding: &str) -> Vec<u8> {
    match encoding {
        "quoted-printable" => quoted_printable(body),
        "base64" => base64(body),
        _ => body.to_vec(),
    }
}

/// Undoes quoted-printable (RFC 2045, section 6.7). What is no escape stays.
fn quoted_printable(body: &[u8]) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(body.len());
    let mut rest = body;
    while let Some(at) = memchr::memchr(b'=', rest) {
        decoded.extend_from_slice(&rest[..at]);
        rest = match &rest[at + 1..] {
            [b'\r', b'\n', after @ ..] | [b'\n', after @ ..] => after,
            [high, low, after @ ..] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => {
                decoded.push(digit(*high) << 4 | digit(*low));
                after
            }
            after => {
                // Spaces may have come between the sign and the end of the line.
                let blank =
                    after.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r')).count();
                match after.get(blank) {
                    Some(b'\n') => &after[blank + 1..],
                    _ => {
                        decoded.push(b'=');
                        after
                    }
                }
            }
        };
    }
    decoded.extend_from_slice(rest);
    decoded
}

fn digit(hexadecimal: u8) -> u8 {
    (hexadecimal as char).to_digit(16).unwrap_or_default() as u8
}

/// Undoes base64, also where lines and other characters come between.
fn base64(body: &[u8]) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(body.len() / 4 * 3);
    let (mut bits, mut count) = (0u32, 0);
    for byte in body {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            b'=' => break,
            _ => continue,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            decoded.push((bits >> count) as u8);
        }
    }
    decoded
}

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// `Tue, 17 Nov 2026 08:00:00 +0100` as RFC 3339 has it.
fn mail_date(written: &str) -> Option<String> {
    let words: Vec<&str> = written.split([' ', ',']).filter(|word| !word.is_empty()).collect();
    let from = words.iter().position(|word| word.bytes().all(|byte| byte.is_ascii_digit()))?;
    let [day, month, year, time, rest @ ..] = &words[from..] else { return None };
    moment(year, month, day, time, rest.first().copied().unwrap_or("GMT"))
}

/// A moment as RFC 3339 has it, if its parts are what they should be.
fn moment(year: &str, month: &str, day: &str, time: &str, zone: &str) -> Option<String> {
    let number = |text: &str, most: u32| text.parse().ok().filter(|number: &u32| *number <= most);
    let month = month.get(..3)?.to_ascii_lowercase();
    let month = MONTHS.iter().position(|name| *name == month)? + 1;
    let (year, day) = (number(year, 9999).filter(|year| *year > 1900)?, number(day, 31)?);
    let mut times = time.split(':');
    let (hour, minute) = (number(times.next()?, 23)?, number(times.next()?, 59)?);
    let second = times.next().map_or(Some(0), |second| number(second, 60))?;
    let zone = zone.strip_prefix("GMT").or_else(|| zone.strip_prefix("UTC")).unwrap_or(zone);
    let zone = match zone.as_bytes() {
        [b'+' | b'-', digits @ ..]
            if digits.len() == 4 && digits.iter().all(u8::is_ascii_digit) =>
        {
            if digits == b"0000" {
                "Z".to_owned()
            } else {
                format!("{}:{}", &zone[..3], &zone[3..])
            }
        }
        b"" | b"Z" => "Z".to_owned(),
        _ => return None,
    };
    Some(format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{zone}"))
}

/// `<!-- saved from url=(0042)https://… -->`, as browsers write it. The number is the length of the address.
fn of_mark(start: &[u8]) -> Option<Saved> {
    let at = memchr::memmem::find(start, b"saved from url=(")?;
    let comment = memchr::memmem::rfind(&start[..at], b"<!--")?;
    start[comment + 4..at].trim_ascii().is_empty().then_some(())?;
    let rest = &start[at + "saved from url=(".len()..];
    let close = memchr::memchr(b')', &rest[..rest.len().min(12)])?;
    let length: usize = str::from_utf8(&rest[..close]).ok()?.parse().ok()?;
    let rest = &rest[close + 1..];
    let end = memchr::memmem::find(rest, b"-->").unwrap_or(rest.len());
    let text = str::from_utf8(&rest[..end]).ok()?;
    // Where the number is wrong, the end of the comment counts.
    let url = text.get(..length).unwrap_or(text).trim();
    let url = url.split_whitespace().next().filter(|url| is_address(url))?;
    Some(Saved { url: Some(url.to_owned()), ..Saved::default() })
}

/// The comment that SingleFile writes.
fn of_single_file(start: &[u8]) -> Option<Saved> {
    let at = memchr::memmem::find(start, b"Page saved with SingleFile")?;
    let end = memchr::memmem::find(&start[at..], b"-->").map_or(start.len(), |end| at + end);
    let text = String::from_utf8_lossy(&start[at..end]);
    let value = |name: &str| {
        text.lines().find_map(|line| line.trim().strip_prefix(name)).map(|it| it.trim().to_owned())
    };
    let date = value("saved date:").and_then(|date| {
        // `Tue Nov 17 2026 08:00:00 GMT+0100 (…)`.
        let words: Vec<&str> = date.split_whitespace().collect();
        let [_, month, day, year, time, zone, ..] = &words[..] else { return None };
        moment(year, month, day, time, zone)
    });
    let url = value("url:").filter(|url| is_address(url));
    Some(Saved { url, date, charset: None })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn mhtml(encoding: &str, page: &str) -> String {
        format!(
            "From: <Saved by Blink>\r\nSnapshot-Content-Location: https://a.example/tides\r\nSubject: Tides\r\n\
             Date: Tue, 17 Nov 2026 08:00:00 -0000\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related;\r\n\
             \ttype=\"text/html\";\r\n\tboundary=\"----Bound;ary--x----\"\r\n\r\n\r\n------Bound;ary--x----\r\n\
             Content-Type: text/css\r\n\r\np {{}}\r\n------Bound;ary--x----\r\nContent-Type: text/html\r\n\
             Content-Location: https://a.example/frame\r\n\r\n<p>A frame\r\n------Bound;ary--x----\r\n\
             Content-Type: text/html; charset=\"koi8-r\"\r\nContent-Transfer-Encoding: {encoding}\r\n\
             Content-Location: https://a.example/tides\r\n\r\n{page}\r\n------Bound;ary--x------\r\n"
        )
    }

    fn check(text: &str, content: &str, url: Option<&str>, date: Option<&str>) {
        let mut bytes = text.as_bytes().to_vec();
        let saved = unwrapped(&mut bytes).unwrap();
        assert_eq!(String::from_utf8(bytes).unwrap(), content);
        assert_eq!((saved.url.as_deref(), saved.date.as_deref()), (url, date), "{text}");
    }

    #[test]
    fn pages_of_mhtml() {
        let url = Some("https://a.example/tides");
        let date = Some("2026-11-17T08:00:00Z");
        check(
            &mhtml("quoted-printable", "<p>High=20w=\r\nater=3D = x"),
            "<p>High water= = x",
            url,
            date,
        );
        check(&mhtml("base64", "PHA+\r\nSGlnaA=="), "<p>High", url, date);
        check(&mhtml("8bit", "<p>High\r\n--"), "<p>High\r\n--", url, date);
        let mut bytes = mhtml("binary", "<p>x").into_bytes();
        assert_eq!(unwrapped(&mut bytes).unwrap().charset.as_deref(), Some("koi8-r"));
        // Cut off within the page.
        let cut = mhtml("7bit", "<p>High water at noon");
        check(&cut[..cut.len() - 33], "<p>High water at", url, date);
        let single = "Date: Tue, 3 Nov 2026 8:00:00 +0130\nMIME-Version: 1.0\nContent-Type: text/html\n\
            Content-Location: https://a.example/\n\n<p>One";
        check(single, "<p>One", Some("https://a.example/"), Some("2026-11-03T08:00:00+01:30"));
        let nested = "MIME-Version: 1.0\nContent-Type: multipart/related; boundary=a\n\n--a\n\
            Content-Type: multipart/alternative; boundary=b\n\n--b\nContent-Type: text/plain\n\nplain\n--b\n\
            Content-Type: text/html\n\n<p>Inner\n--b--\n--a--\n";
        check(nested, "<p>Inner", None, None);
        let none =
            "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=a\n\n--a\n\nplain\n--a--\n";
        assert!(unwrapped(&mut none.as_bytes().to_vec()).unwrap_err().contains("without a page"));
    }

    #[test]
    fn marks_of_browsers() {
        let page = "<!DOCTYPE html>\n<!-- saved from url=(0023)https://a.example/tides -->\n<p>x";
        check(page, page, Some("https://a.example/tides"), None);
        let page = "<!-- saved from url=(0012)https://a.example/tides?a=1 -->";
        check(page, page, Some("https://a.ex"), None);
        let page = "<!-- saved from url=(9999)https://a.example/tides -->";
        check(page, page, Some("https://a.example/tides"), None);
        let page = "<html><!--\n Page saved with SingleFile \n url: https://a.example/b \n \
            saved date: Tue Nov 17 2026 08:00:00 GMT+0100 (Central European Standard Time)\n-->";
        check(page, page, Some("https://a.example/b"), Some("2026-11-17T08:00:00+01:00"));
        for none in [
            "<!-- saved from url=(0014)about:internet -->",
            "<p>saved from url=(0023)https://a.example/tides",
            "<!-- saved from url=(x)https://a.example/tides -->",
            "<p>Title: x\nMIME-Version: 1.0\nContent-Type: text/html\n\n",
            "Title: a list\n\nof things",
            "",
        ] {
            check(none, none, None, None);
        }
    }

    proptest! {
        #[test]
        fn base64_of_any_bytes(bytes: Vec<u8>, width in 1..80usize) {
            const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
            let mut encoded = Vec::new();
            for three in bytes.chunks(3) {
                let value = three.iter().fold(0u32, |value, byte| value << 8 | u32::from(*byte));
                let value = value << (8 * (3 - three.len()));
                for place in 0..=three.len() {
                    encoded.push(LETTERS[(value >> (18 - 6 * place)) as usize & 63]);
                }
                encoded.extend(vec![b'='; 3 - three.len()]);
            }
            let lines: Vec<&[u8]> = encoded.chunks(width).collect();
            prop_assert_eq!(base64(&lines.join(&b"\r\n"[..])), bytes);
        }

        #[test]
        fn quoted_printable_of_any_bytes(bytes: Vec<u8>, width in 1..70usize) {
            let mut encoded = Vec::new();
            for (place, byte) in bytes.iter().enumerate() {
                match byte {
                    b'=' | 0..=31 | 127.. => encoded.extend(format!("={byte:02X}").bytes()),
                    byte => encoded.push(*byte),
                }
                if place % width == width - 1 {
                    encoded.extend(b"=\r\n");
                }
            }
            prop_assert_eq!(quoted_printable(&encoded), bytes);
        }

        #[test]
        fn damaged_files(at in 0..900usize, remove in 0..300usize, insert: Vec<u8>) {
            let mut bytes = mhtml("quoted-printable", "<p>High=20water").into_bytes();
            let at = at.min(bytes.len());
            let end = (at + remove).min(bytes.len());
            bytes.splice(at..end, insert);
            let length = bytes.len();
            let _ = unwrapped(&mut bytes);
            prop_assert!(bytes.len() <= length);
        }

        #[test]
        fn any_bytes(mut bytes: Vec<u8>) {
            let _ = unwrapped(&mut bytes);
        }
    }
}
