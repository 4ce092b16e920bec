//! Bytes of a feed to characters, and characters to what people read.

use std::borrow::Cow;
use webstrata_archive::charset_of;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, ISO_2022_JP, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

/// Bytes that a guess looks at, as in pages.
const GUESS: usize = 16 * 1024;

/// Bytes within which an XML declaration stands.
const DECLARATION: usize = 256;

/// The characters of a feed. What is UTF-8 is UTF-8, whatever its declarations say: nothing else looks like
/// it by chance. Control characters, which XML has no place for, become spaces.
pub(crate) fn decode<'a>(bytes: &'a [u8], content_type: Option<&str>) -> Cow<'a, str> {
    let (encoding, skipped) = encoding(bytes, content_type);
    let (text, _) = encoding.decode_without_bom_handling(&bytes[skipped..]);
    let is_wrong =
        |c: char| (c < ' ' && !"\t\n\r".contains(c)) || matches!(c, '\u{fffe}'..='\u{ffff}');
    if text.contains(is_wrong) { Cow::Owned(text.replace(is_wrong, " ")) } else { text }
}

/// The encoding, and how many bytes of a byte order mark come first.
fn encoding(bytes: &[u8], content_type: Option<&str>) -> (&'static Encoding, usize) {
    if let Some(found) = Encoding::for_bom(bytes) {
        return found;
    }
    match bytes {
        [b'<' | b'{', 0, ..] => return (UTF_16LE, 0),
        [0, b'<' | b'{', ..] => return (UTF_16BE, 0),
        _ => {}
    }
    let named = content_type.and_then(charset_of).or_else(|| declared(bytes));
    let named = named.and_then(|label| Encoding::for_label(label.as_bytes()));
    let encoding = match named {
        // Only escapes tell it from ASCII.
        Some(named) if named == ISO_2022_JP => named,
        _ if is_mostly_utf8(bytes) => UTF_8,
        // A feed that has been read so far was not in these, whoever says so.
        Some(named) if ![UTF_8, UTF_16LE, UTF_16BE].contains(&named) => named,
        _ => guess(bytes),
    };
    (encoding, 0)
}

/// What `<?xml encoding="…"?>` says.
fn declared(bytes: &[u8]) -> Option<&str> {
    let start = &bytes[..bytes.len().min(DECLARATION)];
    let start = &start[..memchr::memmem::find(start, b"?>")?];
    let at = memchr::memmem::find(start, b"encoding")? + "encoding".len();
    let value = start[at..].trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
    let quote = value.first().filter(|quote| matches!(quote, b'"' | b'\''))?;
    let end = memchr::memchr(*quote, &value[1..])?;
    str::from_utf8(&value[1..=end]).ok()
}

/// Is it UTF-8, but for fewer broken characters than right ones? Feeds are put together from many sources.
fn is_mostly_utf8(bytes: &[u8]) -> bool {
    let (mut right, mut wrong) = (0_usize, 0_usize);
    let mut last: &[u8] = &[];
    for chunk in bytes.utf8_chunks() {
        right += chunk.valid().bytes().filter(|byte| *byte >= 0xc0).count();
        wrong += usize::from(!last.is_empty());
        last = chunk.invalid();
    }
    // A character that the end cuts off is not broken.
    wrong += usize::from(str::from_utf8(last).is_err_and(|error| error.error_len().is_some()));
    wrong == 0 || wrong < right
}

fn guess(bytes: &[u8]) -> &'static Encoding {
    // Where the first thousands are plain, what is not comes later.
    let first = bytes.iter().position(|byte| *byte >= 0x80).unwrap_or(0).saturating_sub(GUESS / 2);
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(&bytes[first..bytes.len().min(first + GUESS)], true);
    let guess = detector.guess(None, Utf8Detection::Deny);
    if guess == UTF_8 { WINDOWS_1252 } else { guess }
}

/// A title: one line, without the tags and references that so many feeds have in it, escaped twice or
/// wrapped in CDATA.
pub(super) fn title(text: &str) -> Option<String> {
    let text = htmlize::unescape(text);
    let text = without_tags(&text);
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    (!line.is_empty()).then_some(line)
}

/// Names of elements that stand within lines; `a < b` and `<Widget>` are text.
const INLINE: [&str; 21] = [
    "a", "abbr", "acronym", "b", "big", "br", "cite", "code", "em", "font", "i", "img", "p", "q",
    "s", "small", "span", "strong", "sub", "sup", "u",
];

fn without_tags(text: &str) -> Cow<'_, str> {
    if !text.contains('<') {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        kept.push_str(&rest[..at]);
        rest = &rest[at..];
        match tag(rest) {
            Some(length) => rest = &rest[length..],
            None => {
                kept.push('<');
                rest = &rest[1..];
            }
        }
    }
    kept.push_str(rest);
    Cow::Owned(kept)
}

/// The length of the inline tag that the text begins with.
fn tag(text: &str) -> Option<usize> {
    // Longer ones are none; and then every byte is looked at so often at most.
    const LONGEST: usize = 1024;
    let start = text.as_bytes();
    let end = memchr::memchr(b'>', &start[..start.len().min(LONGEST)])?;
    let inner = text.get(1..end)?;
    let inner = inner.strip_prefix('/').unwrap_or(inner);
    let name = inner.split(|c: char| c.is_whitespace() || c == '/').next().unwrap_or_default();
    INLINE.iter().any(|inline| name.eq_ignore_ascii_case(inline)).then_some(end + 1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn encodings() {
        let check = |bytes: &[u8], content_type: Option<&str>, expect: &str| {
            assert_eq!(decode(bytes, content_type), expect, "{content_type:?}");
        };
        let latin1 = b"<?xml version='1.0' encoding='iso-8859-1'?><t>caf\xe9</t>";
        let shown = "<?xml version='1.0' encoding='iso-8859-1'?><t>café</t>";
        check(latin1, None, shown);
        check(latin1, Some("text/xml; charset=utf-8"), shown);
        check(shown.as_bytes(), Some("text/xml"), shown);
        check("<t>café</t>".as_bytes(), Some("text/xml; charset=iso-8859-1"), "<t>café</t>");
        check(b"\xef\xbb\xbf<t/>", Some("text/xml; charset=koi8-r"), "<t/>");
        check(b"<\0t\0>\0", None, "<t>");
        check(b"\0<\0t\0>", None, "<t>");
        check(
            b"<t>\xcf\xf0\xe8\xe2\xe5\xf2</t>",
            Some("a/b; charset=windows-1251"),
            "<t>Привет</t>",
        );
        check(b"a\0b\x0bc\td", None, "a b c\td");
        check(b"<t>\x1b$B$\"\x1b(B</t>", Some("text/xml;charset=iso-2022-jp"), "<t>あ</t>");
        // Cut off within a character, and with one broken character among many.
        check(&"<t>für".as_bytes()[..5], None, "<t>f\u{fffd}");
        check(b"f\xc3\xbcr, f\xc3\xbcr, f\xffr", None, "für, für, f\u{fffd}r");
    }

    #[test]
    fn titles() {
        let check = |text, expect: &str| assert_eq!(title(text).unwrap_or_default(), expect);
        check("  Ebb \n and &amp; flow ", "Ebb and & flow");
        check("Tide &#8217;n&#8217; <b>time</b>", "Tide ’n’ time");
        check("&lt;i&gt;Low&lt;/i&gt; water", "Low water");
        check("a < b and Vec<Tide>", "a < b and Vec<Tide>");
        check("<br/>", "");
        check("", "");
    }

    proptest! {
        #[test]
        fn any_bytes(bytes: Vec<u8>, content_type: Option<String>) {
            let text = decode(&bytes, content_type.as_deref());
            prop_assert!(!text.contains('\0'));
            title(&text);
        }
    }
}
