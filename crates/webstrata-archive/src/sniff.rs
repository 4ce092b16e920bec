//! Files that are no web pages, recognised by their first bytes.
//!
//! The library makes text of any bytes; out of a PDF it would be a thousand lines of garbage.

/// How much of a file is searched for NUL bytes.
const SAMPLE: usize = 8 * 1024;

struct BinaryFormat {
    /// Where the magic bytes stand.
    at: usize,
    magic: &'static [u8],
    name: &'static str,
    remedy: &'static str,
}

const UNPACK: &str = "unpack it first";
const NO_TEXT: &str = "it has no text to extract";
const TABLE: &str = "`webstrata extract` reads it as a file, not from a pipe";
const CONVERT: &str = "save it as HTML first";

const fn format(magic: &'static [u8], name: &'static str, remedy: &'static str) -> BinaryFormat {
    BinaryFormat { at: 0, magic, name, remedy }
}

const BINARY_FORMATS: &[BinaryFormat] = &[
    format(b"%PDF-", "a PDF", "convert it first, for example with pdftotext"),
    format(b"\x1f\x8b", "a gzip file", "unpack it first, for example with gunzip"),
    format(b"PK\x03\x04", "a zip file (or an office document or e-book)", UNPACK),
    format(b"\x28\xb5\x2f\xfd", "a zstd file", "unpack it first, for example with unzstd"),
    // The first block's header; "BZh" and a digit before it could be text.
    BinaryFormat {
        at: 4,
        magic: b"1AY&SY",
        name: "a bzip2 file",
        remedy: "unpack it first, for example with bunzip2",
    },
    format(b"\xfd7zXZ\0", "an xz file", "unpack it first, for example with unxz"),
    format(b"7z\xbc\xaf\x27\x1c", "a 7z file", UNPACK),
    format(b"Rar!\x1a\x07", "a RAR file", UNPACK),
    BinaryFormat { at: 257, magic: b"ustar", name: "a tar file", remedy: UNPACK },
    format(b"WARC/1.", "a WARC archive", "`webstrata extract` reads it if its name ends in .warc"),
    format(b"PAR1", "a Parquet table", TABLE),
    format(b"ARROW1", "an Arrow table", TABLE),
    format(b"\x89PNG\r\n", "a PNG image", NO_TEXT),
    format(b"\xff\xd8\xff", "a JPEG image", NO_TEXT),
    format(b"GIF87a", "a GIF image", NO_TEXT),
    format(b"GIF89a", "a GIF image", NO_TEXT),
    BinaryFormat { at: 8, magic: b"WEBPVP8", name: "a WebP image", remedy: NO_TEXT },
    BinaryFormat {
        at: 4,
        magic: b"ftyp",
        name: "a video, sound or HEIF/AVIF image",
        remedy: NO_TEXT,
    },
    format(b"OggS", "an Ogg sound or video", NO_TEXT),
    format(b"ID3\x03", "an MP3 sound", NO_TEXT),
    format(b"ID3\x04", "an MP3 sound", NO_TEXT),
    format(b"\x1aE\xdf\xa3", "a Matroska or WebM video", NO_TEXT),
    format(b"wOFF", "a font", NO_TEXT),
    format(b"wOF2", "a font", NO_TEXT),
    format(b"{\\rtf", "an RTF document", CONVERT),
    format(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Office document", CONVERT),
    format(b"%!PS-Adobe", "a PostScript document", "convert it first, for example with ps2ascii"),
    format(b"SQLite format 3\0", "an SQLite database", "export its pages first"),
    format(b"\x7fELF", "a program", NO_TEXT),
    format(b"\0asm", "a WebAssembly program", NO_TEXT),
];

/// If these bytes are certainly no web page: what they are and what to do about it.
pub fn not_a_page(bytes: &[u8]) -> Option<String> {
    let is = |format: &&BinaryFormat| {
        bytes.get(format.at..).is_some_and(|rest| rest.starts_with(format.magic))
    };
    if let Some(format) = BINARY_FORMATS.iter().find(is) {
        return Some(format!("{}, not a web page; {}", format.name, format.remedy));
    }
    is_binary(bytes).then(|| "binary data, not a web page".into())
}

/// Many NUL bytes, and not every other one: that would be UTF-16.
fn is_binary(bytes: &[u8]) -> bool {
    let sample = &bytes[..bytes.len().min(SAMPLE)];
    let nuls = |parity| sample.iter().skip(parity).step_by(2).filter(|byte| **byte == 0).count();
    let (even, odd) = (nuls(0), nuls(1));
    let is_utf16 = even.min(odd) * 10 <= even.max(odd);
    // One in sixteen: pages with a few stray NULs exist, and browsers show them.
    (even + odd) * 16 > sample.len() && !is_utf16
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], expect: Option<&str>) {
        assert_eq!(not_a_page(bytes).as_deref(), expect, "{}", bytes.escape_ascii());
    }

    #[test]
    fn pages() {
        check(b"", None);
        check(b"<p>BZ and PK and GIF", None);
        check(b"<p>a stray\0NUL in a sentence", None);
        let utf16: Vec<u8> = "<p>Tide".encode_utf16().flat_map(u16::to_le_bytes).collect();
        check(&utf16, None);
        let utf16: Vec<u8> = "<p>潮汐 tide".encode_utf16().flat_map(u16::to_be_bytes).collect();
        check(&utf16, None);
    }

    #[test]
    fn others() {
        check(
            b"%PDF-1.7",
            Some("a PDF, not a web page; convert it first, for example with pdftotext"),
        );
        check(b"\x89PNG\r\n\x1a\n", Some("a PNG image, not a web page; it has no text to extract"));
        check(
            b"....ftypisom",
            Some("a video, sound or HEIF/AVIF image, not a web page; it has no text to extract"),
        );
        check(
            &[1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0],
            Some("binary data, not a web page"),
        );
        check(&[0; 64], Some("binary data, not a web page"));
    }
}
