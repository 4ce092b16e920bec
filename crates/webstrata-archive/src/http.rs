//! Pages out of stored HTTP responses.
//!
//! Archives hold what servers and crawlers made of the protocol: bodies that are unpacked already while
//! their head says otherwise, heads without fields, bodies that stop in the middle. What can be read as a
//! page is.

use std::io::{self, Read};

use flate2::read::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};

use crate::fields::Fields;

/// Encodings of one body; more would be a joke at our cost.
const MAX_ENCODINGS: usize = 4;

/// The window that decoders of zstd need to have for what servers send (RFC 9659): 8 MiB.
const ZSTD_WINDOW_LOG: u32 = 23;

/// Packed bytes that the decoder of Brotli takes at once.
const BROTLI_BUFFER: usize = 16 * 1024;

/// Bytes of a body that are looked at to tell text from what is packed.
const SAMPLE: usize = 4096;

/// What the head of a response says.
#[derive(Debug, Default)]
pub struct Head {
    /// Its length.
    pub length: usize,
    /// What kind of page the server says it is.
    pub content_type: Option<String>,
    /// The status that the server answered with.
    pub status: Option<u16>,
    is_chunked: bool,
    /// Content encodings, in the order in which they were applied.
    encodings: Vec<String>,
}

/// A body with its encodings undone.
#[derive(Debug, PartialEq, Eq)]
pub struct Body {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// It stops before its end.
    pub is_cut: bool,
}

/// Why a body cannot be had without its encodings.
#[derive(Debug, PartialEq, Eq)]
pub enum Undecoded {
    /// It has more bytes than we want.
    TooLong,
    /// It is still in this encoding, which is one that we do not read, or broken.
    Packed(String),
}

impl Head {
    /// Reads the head that a response begins with. Without one, all of it is the body.
    pub fn parse(response: &[u8]) -> Head {
        if !response.starts_with(b"HTTP/") {
            return Head::default();
        }
        let (fields, length) = Fields::parse(response);
        let list = |name: &str| -> Vec<String> {
            let value = fields.get(name).unwrap_or_default().to_ascii_lowercase();
            value.split(',').map(|one| one.trim().to_owned()).collect()
        };
        Head {
            length: length.unwrap_or(response.len()),
            content_type: fields.owned("Content-Type"),
            status: status(response),
            is_chunked: list("Transfer-Encoding").iter().any(|one| one == "chunked"),
            encodings: list("Content-Encoding"),
        }
    }

    /// The head of a body that has none, but is known to be of a type.
    pub fn without(content_type: Option<String>) -> Head {
        Head { content_type, ..Head::default() }
    }

    /// The same head for a body whose chunks are put together already.
    pub fn unchunked(self) -> Head {
        Head { is_chunked: false, ..self }
    }

    /// A body without the chunks that it was transferred in, if it was.
    pub(crate) fn joined(&self, body: &[u8]) -> Option<Vec<u8>> {
        let joined = self.is_chunked.then(|| dechunked(body)).flatten()?;
        Some(joined.bytes)
    }

    /// Undoes the encodings of a body, if that makes at most `limit` bytes.
    pub fn decode(&self, body: Vec<u8>, limit: usize) -> Result<Body, Undecoded> {
        let mut body = Body { bytes: body, is_cut: false };
        if self.is_chunked
            && let Some(joined) = dechunked(&body.bytes)
        {
            body = joined;
        }
        let known = |name: &&String| !matches!(name.as_str(), "" | "identity" | "none");
        for encoding in self.encodings.iter().rev().filter(known).take(MAX_ENCODINGS) {
            match undone(&body.bytes, encoding, limit)? {
                Some(decoded) => body = Body { is_cut: body.is_cut | decoded.is_cut, ..decoded },
                None if is_packing(encoding) && !is_text(&body.bytes) => {
                    return Err(Undecoded::Packed(encoding.clone()));
                }
                // Whoever stored it has undone this one, or it is no encoding at all.
                None => {}
            }
        }
        if body.bytes.len() > limit { Err(Undecoded::TooLong) } else { Ok(body) }
    }
}

/// The number in `HTTP/1.1 200 OK`.
pub fn status(response: &[u8]) -> Option<u16> {
    let line = response.split(|byte| *byte == b'\n').next()?;
    let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    str::from_utf8(words.nth(1)?).ok()?.parse().ok()
}

/// Is this the content type of a page, or, if none is known, does it look like one?
pub fn is_page(content_type: Option<&str>, body: &[u8]) -> bool {
    let Some(content_type) = content_type else { return looks_like_page(body) };
    let kind = content_type.split([';', ',']).next().unwrap_or_default().trim();
    ["text/html", "application/xhtml+xml"].iter().any(|page| kind.eq_ignore_ascii_case(page))
}

fn looks_like_page(body: &[u8]) -> bool {
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body).trim_ascii_start();
    let starts = |tag: &&str| {
        body.get(..tag.len()).is_some_and(|start| start.eq_ignore_ascii_case(tag.as_bytes()))
    };
    ["<!doctype html", "<html", "<head", "<body"].iter().any(starts)
}

/// The chunks put together; `None` if there are none, since many archives store the body without them.
fn dechunked(body: &[u8]) -> Option<Body> {
    let mut bytes = Vec::new();
    let mut rest = body;
    while let Some((size, line)) = chunk_size(rest) {
        rest = &rest[line..];
        if size == 0 {
            return Some(Body { bytes, is_cut: false });
        }
        let here = size.min(rest.len() as u64) as usize;
        bytes.extend_from_slice(&rest[..here]);
        rest = &rest[here..];
        rest = rest.strip_prefix(b"\r").unwrap_or(rest);
        rest = rest.strip_prefix(b"\n").unwrap_or(rest);
    }
    // What is no chunk behind a chunk is text that somebody added, or a chunk that is cut off.
    (rest.len() < body.len()).then_some(Body { bytes, is_cut: true })
}

/// The size that a chunk begins with, and how long the line is that says so.
fn chunk_size(rest: &[u8]) -> Option<(u64, usize)> {
    let line = memchr::memchr(b'\n', &rest[..rest.len().min(256)])?;
    let digits = rest[..line].split(|byte| *byte == b';').next()?.trim_ascii();
    let is_number = !digits.is_empty() && digits.iter().all(u8::is_ascii_hexdigit);
    let digits = str::from_utf8(digits).ok().filter(|_| is_number)?;
    Some((u64::from_str_radix(digits, 16).ok()?, line + 1))
}

/// Is this an encoding that makes bytes out of text? Servers also write `utf-8` and the like there.
fn is_packing(encoding: &str) -> bool {
    const READ: [&str; 5] = ["gzip", "x-gzip", "deflate", "br", "zstd"];
    const NOT_READ: [&str; 8] =
        ["compress", "x-compress", "dcb", "dcz", "exi", "sdch", "aes128gcm", "pack200-gzip"];
    READ.contains(&encoding) || NOT_READ.contains(&encoding)
}

/// Is this text in some charset, rather than something packed?
fn is_text(body: &[u8]) -> bool {
    // In UTF-16, every other byte of a page is a zero.
    let utf16: [&[u8]; 4] = [b"\xff\xfe", b"\xfe\xff", b"<\0", b"\0<"];
    if utf16.iter().any(|start| body.starts_with(start)) {
        return true;
    }
    let sample = &body[..body.len().min(SAMPLE)];
    // Escapes are part of charsets, other control characters of no text: a byte in ten of what is packed.
    let is_control = |byte: &&u8| matches!(byte, 0..=8 | 0x0b | 0x0e..=0x1a | 0x1c..=0x1f | 0x7f);
    let controls = sample.iter().filter(is_control).count();
    // The sample may end within a character.
    let is_utf8 = str::from_utf8(sample).map_or_else(|error| error.error_len().is_none(), |_| true);
    controls * 100 <= sample.len() && (is_utf8 || sample.contains(&b'<'))
}

/// The body without this encoding; `None` if it is not in it, whatever its head says.
fn undone(body: &[u8], encoding: &str, limit: usize) -> Result<Option<Body>, Undecoded> {
    match encoding {
        "gzip" | "x-gzip" if body.starts_with(b"\x1f\x8b") => {
            read(MultiGzDecoder::new(body), limit)
        }
        "deflate" if is_zlib(body) => read(ZlibDecoder::new(body), limit),
        "deflate" if !looks_like_page(body) => read(DeflateDecoder::new(body), limit),
        "zstd" if body.starts_with(b"\x28\xb5\x2f\xfd") => match unzstd(body) {
            Ok(decoder) => read(decoder, limit),
            Err(_) => Ok(None),
        },
        "br" => unbrotli(body, limit),
        _ => Ok(None),
    }
}

fn unzstd(body: &[u8]) -> io::Result<impl Read> {
    let mut decoder = zstd::Decoder::new(body)?;
    decoder.window_log_max(ZSTD_WINDOW_LOG)?;
    Ok(decoder)
}

/// Brotli has no magic number: what is text is no Brotli unless all of it can be read as such.
fn unbrotli(body: &[u8], limit: usize) -> Result<Option<Body>, Undecoded> {
    // The mark of windows over 16 MiB (RFC 9841), which no server may ask for.
    const LARGE_WINDOW: u8 = 0x11;
    if body.first().is_none_or(|first| first & 0x7f == LARGE_WINDOW) {
        return Ok(None);
    }
    let decoded = read(brotli_decompressor::Decompressor::new(body, BROTLI_BUFFER), limit)?;
    Ok(decoded.filter(|decoded| !is_text(body) || !(decoded.is_cut || decoded.bytes.is_empty())))
}

/// The head of RFC 1950. Some servers send what it wraps and nothing else.
fn is_zlib(body: &[u8]) -> bool {
    matches!(body, [first, second, ..]
        if first & 0x0f == 8 && (u16::from(*first) << 8 | u16::from(*second)) % 31 == 0)
}

fn read(decoder: impl Read, limit: usize) -> Result<Option<Body>, Undecoded> {
    let mut bytes = Vec::new();
    let most = (limit as u64).saturating_add(1);
    let done: io::Result<usize> = decoder.take(most).read_to_end(&mut bytes);
    if bytes.len() > limit {
        return Err(Undecoded::TooLong);
    }
    let is_cut = done.is_err();
    // Nothing at all came out: then it was something else.
    Ok((!is_cut || !bytes.is_empty()).then_some(Body { bytes, is_cut }))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
    use proptest::prelude::*;

    use super::*;
    use crate::statuses::Statuses;

    /// What `brotli` makes of a short line: the bytes as they are, in a frame.
    const BROTLI: &[u8] =
        b"\x8b\x1f\x80<html><p>High water at the harbour bar comes half an hour later.\x03";

    const PAGE: &[u8] = b"<html><p>High water at the harbour bar comes half an hour later.";

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn body(fields: &str, body: &[u8]) -> Result<Body, Undecoded> {
        let response = [format!("HTTP/1.1 200 OK\r\n{fields}\r\n\r\n").as_bytes(), body].concat();
        let head = Head::parse(&response);
        head.decode(response[head.length..].to_vec(), 1000)
    }

    fn check(fields: &str, encoded: &[u8]) {
        let expect = Body { bytes: PAGE.to_vec(), is_cut: false };
        assert_eq!(body(fields, encoded), Ok(expect), "{fields}");
    }

    fn chunked(bytes: &[u8], size: usize) -> Vec<u8> {
        let mut chunks = Vec::new();
        for chunk in bytes.chunks(size) {
            write!(chunks, "{:x};a=b\r\n", chunk.len()).unwrap();
            chunks.extend_from_slice(chunk);
            chunks.extend_from_slice(b"\r\n");
        }
        [&chunks[..], b"0\r\n\r\n"].concat()
    }

    #[test]
    fn encodings() {
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::default());
        zlib.write_all(PAGE).unwrap();
        let mut deflate = DeflateEncoder::new(Vec::new(), Compression::default());
        deflate.write_all(PAGE).unwrap();
        check("Server: none", PAGE);
        check("Content-Encoding: gzip", &gzip(PAGE));
        check("Content-Encoding: X-GZIP, identity", &gzip(PAGE));
        check("Content-Encoding: gzip, gzip", &gzip(&gzip(PAGE)));
        check("Content-Encoding: deflate", &zlib.finish().unwrap());
        check("Content-Encoding: deflate", &deflate.finish().unwrap());
        check("Content-Encoding: zstd", &zstd::encode_all(PAGE, 3).unwrap());
        check("Content-Encoding: br", BROTLI);
        check("Content-Encoding: br, gzip", &gzip(BROTLI));
        check("Transfer-Encoding: chunked", &chunked(PAGE, 7));
        let both = "Transfer-Encoding: chunked\r\nContent-Encoding: gzip";
        check(both, &chunked(&gzip(PAGE), 10));
    }

    /// Packed by the reference encoder: a line eight times over.
    const BROTLI_LINES: &[u8] =
        b"\x1b\xc8\x01\x38\x8c\x54\xb5\x3f\x68\xc9\xb1\xb4\xc8\x2f\x8a\xda\xc3\x07\x08\xb4\xe4\x44\
        \x03\xe3\x6e\x89\xb4\x25\x4f\xc4\xef\x06\x47\x16\x67\x19\x65\x9c\x86\xd4\x62\x67\xd3\x54\
        \xe7\x2a\x40\xc6\x3f\x65\x2a\xe0\x73\x32\xc7\x8a\x5c\xe4\x2f\xa4\x00";

    #[test]
    fn brotli_whole_and_cut() {
        let line = "High water at the harbour bar comes half an hour later. ";
        let whole = format!("<html><p>{}", line.repeat(8)).into_bytes();
        let expect = Body { bytes: whole.clone(), is_cut: false };
        assert_eq!(body("Content-Encoding: br", BROTLI_LINES), Ok(expect));
        // Fewer bytes could be text.
        for cut in 8..BROTLI_LINES.len() {
            match body("Content-Encoding: br", &BROTLI_LINES[..cut]) {
                Ok(body) => assert!(body.is_cut && whole.starts_with(&body.bytes), "{cut}"),
                Err(why) => assert_eq!(why, Undecoded::Packed("br".into()), "{cut}"),
            }
        }
    }

    #[test]
    fn heads_that_say_what_the_archive_has_undone() {
        for encoding in ["gzip", "deflate", "br", "zstd", "rot13", ""] {
            check(&format!("Content-Encoding: {encoding}"), PAGE);
        }
        check("Transfer-Encoding: chunked", PAGE);
    }

    #[test]
    fn bodies_that_stop_in_the_middle() {
        let whole = chunked(PAGE, 20);
        let cut = body("Transfer-Encoding: chunked", &whole[..whole.len() / 2]).unwrap();
        assert!(cut.is_cut && !cut.bytes.is_empty() && PAGE.starts_with(&cut.bytes));
        let whole = gzip(PAGE);
        let cut = body("Content-Encoding: gzip", &whole[..whole.len() - 12]).unwrap();
        assert!(cut.is_cut && !cut.bytes.is_empty() && PAGE.starts_with(&cut.bytes));
    }

    #[test]
    fn too_long() {
        let long = vec![b' '; 1001];
        let expect = Err(Undecoded::TooLong);
        assert_eq!(body("Server: none", &long), expect);
        assert_eq!(body("Content-Encoding: gzip", &gzip(&long)), expect);
        assert_eq!(body("Content-Encoding: gzip, gzip", &gzip(&gzip(&long))), expect);
    }

    #[test]
    fn bodies_that_are_still_packed() {
        let compress = b"\x1f\x9d\x90\x3c\xd0\xd0\x69\x63\xe7\x0d\x9c";
        for (name, bytes) in [
            ("br", &b"\xff\x80\0\x01\x02"[..]),
            ("br", &b"\x91\0\x01\x02\x03"[..]),
            ("compress", compress),
            ("gzip", &gzip(PAGE)[..10]),
        ] {
            let expect = Err(Undecoded::Packed(name.into()));
            assert_eq!(body(&format!("Content-Encoding: {name}"), bytes), expect);
        }
        // Text in any charset is none of that.
        let utf16: Vec<u8> = PAGE.iter().flat_map(|byte| [*byte, 0]).collect();
        let windows = b"<p>\xcf\xf0\xe8\xe2\xe5\xf2</p>";
        for text in [&utf16[..], windows, "<p>für".as_bytes(), &"für".as_bytes()[..2], b""] {
            for name in ["br", "gzip"] {
                let expect = Body { bytes: text.to_vec(), is_cut: false };
                assert_eq!(body(&format!("Content-Encoding: {name}"), text), Ok(expect));
            }
        }
    }

    #[test]
    fn zstd_with_a_window_that_no_server_may_ask_for() {
        for (log, is_read) in [(23, true), (24, false)] {
            let mut encoder = zstd::Encoder::new(Vec::new(), 3).unwrap();
            encoder.window_log(log).unwrap();
            encoder.write_all(PAGE).unwrap();
            let packed = encoder.finish().unwrap();
            assert_eq!(body("Content-Encoding: zstd", &packed).is_ok(), is_read, "{log}");
        }
    }

    #[test]
    fn statuses() {
        let check = |line: &str, expect| {
            let head = Head::parse(format!("{line}\r\n\r\n").as_bytes());
            assert_eq!(Statuses::default().has(head.status), expect, "{line}");
        };
        check("HTTP/1.1 200 OK", true);
        check("HTTP/2  206", true);
        check("HTTP/1.0", true);
        check("HTTP/1.1 what", true);
        check("HTTP/1.1 301 Moved", false);
        check("HTTP/1.1 404 Not Found", false);
    }

    proptest! {
        #[test]
        fn any_response(response: Vec<u8>, encoding in "gzip|deflate|zstd|br", chunked: bool) {
            let transfer = if chunked { "Transfer-Encoding: chunked\r\n" } else { "" };
            let start = format!("HTTP/1.1 200 OK\r\n{transfer}Content-Encoding: {encoding}\r\n\r\n");
            for response in [response.clone(), [start.as_bytes(), &response].concat()] {
                let head = Head::parse(&response);
                let body = head.decode(response[head.length..].to_vec(), 500);
                prop_assert!(body.map_or(true, |body| body.bytes.len() <= 500));
            }
        }

        #[test]
        fn chunks_of_any_size(bytes: Vec<u8>, size in 1..50usize) {
            let joined = dechunked(&chunked(&bytes, size));
            prop_assert_eq!(joined, Some(Body { bytes, is_cut: false }));
        }
    }
}
