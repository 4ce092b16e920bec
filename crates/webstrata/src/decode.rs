//! Bytes to characters, as a browser decides it: byte order mark, the transport's word, the page's
//! own (`<meta>`), and only then a guess. One thing is decided otherwise: bytes that are UTF-8 beyond
//! doubt are UTF-8, whatever transport and page say. Archives re-encode pages and leave the `<meta>` as
//! it was. For the same reason a page whose characters are the bytes of UTF-8 once more is decoded twice. Never fails:
//! what is invalid becomes U+FFFD.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};

use crate::clock::Deadline;
use crate::html::noted::Noted;
use crate::html::tag::Tag;
use crate::html::tokenizer::{Attributes, StartTag, Token, Tokenizer};
use crate::limits::{Limit, Limits, LimitsHit};

/// A page's characters.
#[derive(Debug)]
pub(crate) struct Decoded<'a> {
    pub(crate) text: Cow<'a, str>,
    /// The encoding's WHATWG name.
    pub(crate) encoding: &'static str,
    pub(crate) limits: LimitsHit,
}

/// How far into a page `<meta charset>` counts, by the spec.
const PRESCAN: usize = 1024;
/// How much of a page a guess looks at: guessing runs at a fiftieth of the speed of all the rest.
const GUESS: usize = 16 * 1024;
/// Decoded between two looks at the clock.
const CHUNK: usize = 1 << 20;

pub(crate) fn decode<'a>(
    bytes: &'a [u8],
    charset: Option<&str>,
    limits: &Limits,
    deadline: Deadline,
) -> Decoded<'a> {
    let mut hit = LimitsHit::default();
    let mut page = bytes;
    if page.len() > limits.bytes {
        page = &page[..limits.bytes];
        hit.add(Limit::Bytes);
    }
    let marked = Encoding::for_bom(page);
    let page = marked.map_or(page, |(_, length)| &page[length..]);
    // Validated once, for all questions below.
    let valid = simdutf8::basic::from_utf8(page);
    let encoding = match marked {
        Some((encoding, _)) => encoding,
        None => without_bom(page, valid.is_ok(), charset),
    };
    let text = match valid {
        Ok(text) if encoding == UTF_8 => {
            let fits = text.len() <= limits.decoded_that_fit();
            let again = if fits { decoded_again(text) } else { None };
            again.map_or(Cow::Borrowed(text), Cow::Owned)
        }
        _ => {
            let most = limits.decoded_that_fit();
            if page.len() > most {
                hit.add(Limit::Memory);
            }
            let page = &page[..page.len().min(most)];
            Cow::Owned(decode_in_chunks(page, encoding, most, deadline, &mut hit))
        }
    };
    Decoded { text, encoding: encoding.name(), limits: hit }
}

fn decode_in_chunks(
    page: &[u8],
    encoding: &'static Encoding,
    most: usize,
    deadline: Deadline,
    hit: &mut LimitsHit,
) -> String {
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let mut text = String::with_capacity(page.len());
    let mut chunks = page.chunks(CHUNK).peekable();
    while let Some(mut chunk) = chunks.next() {
        let last = chunks.peek().is_none();
        loop {
            let needed = decoder.max_utf8_buffer_length(chunk.len()).unwrap_or(CHUNK);
            // Most text grows little: reserve for the worst case only near the end of the buffer.
            text.reserve(needed.min(chunk.len() + chunk.len() / 8 + 64));
            let (result, read, _) = decoder.decode_to_string(chunk, &mut text, last);
            chunk = &chunk[read..];
            if result == encoding_rs::CoderResult::InputEmpty {
                break;
            }
        }
        // A byte may become three.
        if !last && text.len() >= most {
            hit.add(Limit::Memory);
            break;
        }
        if !last && deadline.passed() {
            hit.add(Limit::Deadline);
            break;
        }
    }
    text
}

fn without_bom(page: &[u8], valid: bool, charset: Option<&str>) -> &'static Encoding {
    let by_transport = charset.and_then(|label| Encoding::for_label(label.trim().as_bytes()));
    match by_transport.or_else(|| declared(&page[..page.len().min(PRESCAN)])) {
        Some(named) if is_utf8_beyond_doubt(page, valid, named) => UTF_8,
        Some(named) => named,
        None => guess(page, valid),
    }
}

/// Is the page valid UTF-8 in so many places that no text in the encoding that it is said to be in looks
/// like that by chance?
///
/// One or two characters may. Of the Chinese characters of news in GBK, 17 % are a sequence of two bytes in
/// UTF-8, of Korean ones in EUC-KR 5 %: six in a row are a chance of one in 40 000 or less. A page
/// has more, or its few other letters matter little. Sequences of three bytes do not fall together with
/// pairs of bytes, so three of them are rarer still. In encodings of one byte a character, a sequence is
/// a capital `Â` or `Ã` before a sign, or three such letters and signs in a row, which no language has.
fn is_utf8_beyond_doubt(page: &[u8], valid: bool, named: &'static Encoding) -> bool {
    if named == UTF_8 || named == UTF_16BE || named == UTF_16LE {
        return false;
    }
    let page = match std::str::from_utf8(page) {
        _ if valid => page,
        // Cut off inside a character, and nothing else is wrong.
        Err(error) if error.error_len().is_none() => &page[..error.valid_up_to()],
        _ => return false,
    };
    let needed = if named.is_single_byte() { 2 } else { 6 };
    let mut evidence = 0;
    for byte in page {
        evidence += match byte {
            0..0xc0 => continue,
            0xc2 | 0xc3 if named.is_single_byte() => 2,
            0xc0..0xe0 => 1,
            _ => 2,
        };
        if evidence >= needed {
            return true;
        }
    }
    false
}

/// What a page says that was encoded twice: somebody took the bytes of its UTF-8 for characters of ISO 8859-1, and wrote
/// these as UTF-8 again.
///
/// All of its characters, as bytes, are valid UTF-8 then. One of them is a control character of ISO 8859-1, which no
/// page means: half of what may follow the first byte of a sequence are such.
fn decoded_again(text: &str) -> Option<String> {
    let page = text.as_bytes();
    let is_control = |at: usize| page.get(at + 1).is_some_and(|byte| (0x80..0xa0).contains(byte));
    if !memchr::memchr_iter(0xc2, page).any(is_control) {
        return None;
    }
    let bytes = text.chars().map(|c| u8::try_from(c).ok()).collect::<Option<Vec<u8>>>()?;
    String::from_utf8(bytes).ok()
}

/// The encoding that the page itself names in its first bytes ("prescan a byte stream").
fn declared(head: &[u8]) -> Option<&'static Encoding> {
    if let Some(encoding) = declared_as_xml(head) {
        return Some(encoding);
    }
    let mut tokens = Tokenizer::new(head, Noted::default(), Deadline::none());
    loop {
        match tokens.next(false) {
            Token::Eof => return None,
            Token::Start(tag) if tag.tag == Tag::Meta => {
                if let Some(encoding) = declared_by_meta(head, &tag) {
                    return Some(encoding);
                }
            }
            _ => {}
        }
    }
}

fn declared_by_meta(head: &[u8], tag: &StartTag) -> Option<&'static Encoding> {
    let mut content = None;
    let mut charset = None;
    let mut is_content_type = false;
    for attribute in Attributes::of_tag(head, tag.name_end, tag.end) {
        let name = &head[attribute.name.0..attribute.name.1];
        let value = &head[attribute.value.0..attribute.value.1];
        if name.eq_ignore_ascii_case(b"charset") {
            charset = charset.or(Some(value));
        } else if name.eq_ignore_ascii_case(b"http-equiv") {
            is_content_type |= value.eq_ignore_ascii_case(b"content-type");
        } else if name.eq_ignore_ascii_case(b"content") {
            content = content.or_else(|| charset_in(value));
        }
    }
    let label = charset.or(content.filter(|_| is_content_type))?;
    Encoding::for_label(label).map(as_declared)
}

/// A page that says so in ASCII cannot be UTF-16.
fn as_declared(encoding: &'static Encoding) -> &'static Encoding {
    if encoding == UTF_16BE || encoding == UTF_16LE {
        UTF_8
    } else if encoding == X_USER_DEFINED {
        WINDOWS_1252
    } else {
        encoding
    }
}

/// The label behind `charset=` in a `content` attribute.
fn charset_in(content: &[u8]) -> Option<&[u8]> {
    let mut rest = content;
    loop {
        let at = rest.windows(7).position(|window| window.eq_ignore_ascii_case(b"charset"))?;
        rest = rest[at + 7..].trim_ascii_start();
        if let Some(value) = rest.strip_prefix(b"=") {
            let value = value.trim_ascii_start();
            return match value.first()? {
                quote @ (b'"' | b'\'') => value[1..].split(|byte| byte == quote).next(),
                _ => value.split(|byte| byte.is_ascii_whitespace() || *byte == b';').next(),
            };
        }
    }
}

/// `<?xml version="1.0" encoding="…"?>`.
fn declared_as_xml(head: &[u8]) -> Option<&'static Encoding> {
    if !head.starts_with(b"<?xml") {
        return None;
    }
    let end = head.iter().position(|byte| *byte == b'>')?;
    let declaration = &head[..end];
    let at = declaration.windows(8).position(|window| window == b"encoding")?;
    let rest = declaration[at + 8..].trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
    let quote = *rest.first().filter(|byte| matches!(byte, b'"' | b'\''))?;
    let label = rest[1..].split(|byte| *byte == quote).next()?;
    Encoding::for_label(label).map(as_declared)
}

/// Nobody names the encoding. UTF-8 is what most pages are and what no other text looks like;
/// otherwise the detector that Firefox uses decides, from where the page first leaves ASCII.
fn guess(page: &[u8], valid: bool) -> &'static Encoding {
    if is_nearly_utf8(page, valid) {
        return UTF_8;
    }
    let start = page.iter().position(|byte| !byte.is_ascii()).unwrap_or(0);
    let sample = &page[start..page.len().min(start + GUESS)];
    let mut detector = chardetng::EncodingDetector::new(chardetng::Iso2022JpDetection::Allow);
    detector.feed(&without_ascii_words(sample), true);
    detector.guess(None, chardetng::Utf8Detection::Deny)
}

/// A sample without the words of ASCII that do not touch other letters. The detector's rule is that pairs of ASCII
/// never score, and what it knows of a word it forgets behind it: it guesses the same, at a fraction of the cost,
/// since most of a page is markup.
fn without_ascii_words(sample: &[u8]) -> Cow<'_, [u8]> {
    if sample.first().is_none_or(u8::is_ascii) {
        // Escape sequences of ISO-2022-JP are ASCII.
        return Cow::Borrowed(sample);
    }
    let ends_word = |byte: &u8| matches!(byte, b' ' | b'\n' | b'<' | b'>');
    let mut kept = Vec::new();
    for run in sample.chunk_by(|a, b| a.is_ascii() == b.is_ascii()) {
        // Up to two bytes may belong to a letter of several bytes before them.
        let first = run.iter().skip(2).position(ends_word).map(|at| at + 2);
        let last = run.iter().rposition(ends_word);
        match (first, last) {
            (Some(first), Some(last)) if first < last => {
                kept.extend_from_slice(&run[..=first]);
                kept.extend_from_slice(&run[last + 1..]);
            }
            _ => kept.extend_from_slice(run),
        }
    }
    Cow::Owned(kept)
}

/// Valid UTF-8, or UTF-8 that was damaged here and there (cut off, mixed with another text).
fn is_nearly_utf8(page: &[u8], valid: bool) -> bool {
    if valid {
        // Without a byte above ASCII, an escape sequence may still mean ISO-2022-JP.
        return !page.is_ascii() || !page.contains(&0x1b);
    }
    if let Err(error) = std::str::from_utf8(page)
        && error.error_len().is_none()
        && !page[..error.valid_up_to()].is_ascii()
    {
        // Cut off inside a character, and nothing else is wrong.
        return true;
    }
    let (mut sequences, mut errors) = (0usize, 0usize);
    for chunk in page[..page.len().min(CHUNK)].utf8_chunks() {
        sequences += chunk.valid().bytes().filter(|byte| *byte >= 0xc0).count();
        errors += usize::from(!chunk.invalid().is_empty());
    }
    sequences > 20 * errors
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], charset: Option<&str>, encoding: &str, text: &str) {
        let limits = Limits::default();
        let decoded = decode(bytes, charset, &limits, Deadline::start(&limits));
        assert_eq!((decoded.encoding, &*decoded.text), (encoding, text));
    }

    #[test]
    fn byte_order_mark_beats_everything() {
        check(b"\xef\xbb\xbf\xc3\xa9", Some("koi8-r"), "UTF-8", "é");
        check(b"\xff\xfea\0", Some("koi8-r"), "UTF-16LE", "a");
        check(b"\xfe\xff\0a", None, "UTF-16BE", "a");
    }

    #[test]
    fn transport_beats_the_page() {
        check(
            b"<meta charset=utf-8>\xe9",
            Some(" ISO-8859-1 "),
            "windows-1252",
            "<meta charset=utf-8>é",
        );
        check(
            b"<meta charset=koi8-r>\xc1",
            Some("no-such-charset"),
            "KOI8-R",
            "<meta charset=koi8-r>а",
        );
    }

    #[test]
    fn what_was_encoded_twice_is_decoded_twice() {
        let twice = |text: &str| text.bytes().map(char::from).collect::<String>();
        let page = "Le café où l’été s’achève, « déjà »";
        check(twice(page).as_bytes(), None, "UTF-8", page);
        check(twice(page).as_bytes(), Some("utf-8"), "UTF-8", page);
        // Letters that are no bytes, bytes that are no UTF-8, and nothing that no page would mean.
        for page in
            [twice(page) + "…", twice(page) + "é", "5 Â°C, cafÃ©".to_owned(), "\u{92}".to_owned()]
        {
            check(page.as_bytes(), None, "UTF-8", &page);
        }
    }

    #[test]
    fn the_page_names_its_encoding() {
        let page = "<META http-equiv='Content-Type' content='text/html; charset=\"koi8-r\"'>";
        check(&[page.as_bytes(), b"\xc1"].concat(), None, "KOI8-R", &format!("{page}а"));
        // A charset in `content` counts only with `http-equiv`.
        let page = "<meta content='charset=koi8-r'>";
        check(page.as_bytes(), None, "UTF-8", page);
        let page = "<!-- <meta charset=koi8-r> --><meta charset=utf-16>";
        check(page.as_bytes(), None, "UTF-8", page);
        let page = "<?xml version='1.0' encoding='shift_jis'?>";
        check(&[page.as_bytes(), b"\x83\x5c"].concat(), None, "Shift_JIS", &format!("{page}ソ"));
        let page = "<meta charset=x-user-defined>";
        check(page.as_bytes(), None, "windows-1252", page);
    }

    #[test]
    fn words_of_ascii_do_not_change_a_guess() {
        let guess = |sample: &[u8]| {
            let mut detector =
                chardetng::EncodingDetector::new(chardetng::Iso2022JpDetection::Allow);
            detector.feed(sample, true);
            detector.guess(None, chardetng::Utf8Detection::Deny)
        };
        let texts = [
            (encoding_rs::WINDOWS_1252, "Über die Brücke <b>n.º 1 </b> geht © es für alle zurück."),
            (encoding_rs::ISO_8859_2, "Žluťoučký kůň <a href=x>úpěl ďábelské ódy</a> o něčem."),
            (encoding_rs::KOI8_R, "Съешь же ещё <i>этих мягких</i> французских булок."),
            (encoding_rs::SHIFT_JIS, "昨日は 8 時に<b>港から</b>船が出ました。ABC です。"),
            (encoding_rs::GBK, "渡轮 8 点<b>从港口</b>出发。ABC 都在船上。"),
            (encoding_rs::EUC_KR, "배는 8시에 <b>항구를</b> 떠났다. ABC 모두."),
        ];
        for (encoding, text) in texts {
            let text = text.replace(' ', " <p class=\"a b\" id=c> and some words of English. ");
            let (bytes, ..) = encoding.encode(&text);
            let start = bytes.iter().position(|byte| !byte.is_ascii()).unwrap();
            let less = without_ascii_words(&bytes[start..]);
            assert!(less.len() * 2 < bytes.len() - start, "{}", encoding.name());
            assert_eq!(guess(&less), guess(&bytes[start..]), "{}", encoding.name());
        }
    }

    #[test]
    fn a_declaration_counts_only_near_the_top() {
        let page = format!("{}<meta charset=koi8-r>", " ".repeat(PRESCAN));
        check(page.as_bytes(), None, "UTF-8", &page);
    }

    #[test]
    fn utf8_beyond_doubt_needs_no_word() {
        for charset in ["gbk", "big5", "shift_jis", "iso-2022-jp", "koi8-r", "hz-gb-2312"] {
            let page = format!("<meta charset={charset}><p>新聞の記事");
            check(page.as_bytes(), None, "UTF-8", &page);
            check(page.as_bytes(), Some(charset), "UTF-8", &page);
            let cut = &page.as_bytes()[..page.len() - 1];
            let end = page.char_indices().next_back().unwrap().0;
            check(cut, None, "UTF-8", &format!("{}\u{fffd}", &page[..end]));
        }
        for text in ["© 2004", "it’s", "Зима и лето"] {
            let page = format!("<meta charset=windows-1252>{text}");
            check(page.as_bytes(), None, "UTF-8", &page);
        }
    }

    #[test]
    fn chance_is_no_proof_of_utf8() {
        // 漏 is also a ©, and 谩谩 are two á.
        for text in ["漏", "谩谩"] {
            let (bytes, ..) = encoding_rs::GBK.encode(text);
            assert!(std::str::from_utf8(&bytes).is_ok());
            check(&bytes, Some("gb2312"), "GBK", text);
        }
        let (bytes, ..) = encoding_rs::WINDOWS_1252.encode("Was für ein „Spaß“");
        check(&bytes, Some("latin1"), "windows-1252", "Was für ein „Spaß“");
        let (bytes, ..) = encoding_rs::WINDOWS_1252.encode("Spaß…");
        check(&bytes, Some("latin1"), "windows-1252", "Spaß…");
        let (bytes, ..) = encoding_rs::ISO_2022_JP.encode("日本語の文章");
        check(&bytes, Some("iso-2022-jp"), "ISO-2022-JP", "日本語の文章");
        let utf16: Vec<u8> = "슀슀슀슀".encode_utf16().flat_map(u16::to_be_bytes).collect();
        check(&utf16, Some("utf-16be"), "UTF-16BE", "슀슀슀슀");
    }

    #[test]
    fn unnamed_encodings_are_guessed() {
        check("Grüße aus Köln".as_bytes(), None, "UTF-8", "Grüße aus Köln");
        let (bytes, ..) =
            encoding_rs::WINDOWS_1251.encode("Привет, это обычный русский текст страницы");
        check(&bytes, None, "windows-1251", "Привет, это обычный русский текст страницы");
        let (bytes, ..) =
            encoding_rs::SHIFT_JIS.encode("これは日本語の文章です。漢字とかなを使います。");
        check(&bytes, None, "Shift_JIS", "これは日本語の文章です。漢字とかなを使います。");
    }

    #[test]
    fn damaged_utf8_stays_utf8() {
        let mut bytes = "äöü".repeat(20).into_bytes();
        bytes.push(0xc3);
        check(&bytes, None, "UTF-8", &format!("{}\u{fffd}", "äöü".repeat(20)));
        check(b"<meta charset=utf-8>a\xffb", None, "UTF-8", "<meta charset=utf-8>a\u{fffd}b");
    }

    #[test]
    fn a_page_cut_inside_a_character_stays_utf8() {
        let bytes = "Ein Stück aus Köln, abgeschnitten im ü".as_bytes();
        check(
            &bytes[..bytes.len() - 1],
            None,
            "UTF-8",
            "Ein Stück aus Köln, abgeschnitten im \u{fffd}",
        );
    }

    #[test]
    fn every_label_of_the_standard_decodes_any_bytes() {
        let bytes: Vec<u8> = (0..=255).cycle().take(3000).collect();
        for label in LABELS {
            let limits = Limits { bytes: 2999, ..Limits::default() };
            let decoded = decode(&bytes, Some(label), &limits, Deadline::start(&limits));
            assert!(Encoding::for_label(label.as_bytes()).is_some(), "{label}");
            assert!(decoded.limits.has(Limit::Bytes));
            assert!(!decoded.text.is_empty(), "{label}");
        }
    }

    /// One label of every encoding in the standard, and the commonest aliases.
    const LABELS: &[&str] = &[
        "utf-8",
        "utf8",
        "unicode-1-1-utf-8",
        "ibm866",
        "cp866",
        "iso-8859-2",
        "latin2",
        "iso-8859-3",
        "iso-8859-4",
        "iso-8859-5",
        "cyrillic",
        "iso-8859-6",
        "arabic",
        "iso-8859-7",
        "greek",
        "iso-8859-8",
        "hebrew",
        "iso-8859-8-i",
        "logical",
        "iso-8859-10",
        "iso-8859-13",
        "iso-8859-14",
        "iso-8859-15",
        "iso-8859-16",
        "koi8-r",
        "koi",
        "koi8-u",
        "macintosh",
        "mac",
        "windows-874",
        "tis-620",
        "windows-1250",
        "windows-1251",
        "cp1251",
        "windows-1252",
        "ascii",
        "latin1",
        "iso-8859-1",
        "us-ascii",
        "windows-1253",
        "windows-1254",
        "iso-8859-9",
        "latin5",
        "windows-1255",
        "windows-1256",
        "windows-1257",
        "windows-1258",
        "x-mac-cyrillic",
        "gbk",
        "gb2312",
        "chinese",
        "gb18030",
        "big5",
        "big5-hkscs",
        "euc-jp",
        "iso-2022-jp",
        "shift_jis",
        "sjis",
        "windows-31j",
        "euc-kr",
        "korean",
        "ks_c_5601-1987",
        "iso-2022-kr",
        "hz-gb-2312",
        "replacement",
        "utf-16be",
        "utf-16le",
        "utf-16",
        "unicode",
        "x-user-defined",
    ];
}
