//! Digests of what records hold, as archives write them: `sha1:` and base 32, or another name and hexadecimal digits.

use sha1::{Digest, Sha1};
use sha2::{Sha256, Sha512};

use crate::fields::Fields;
use crate::http::Head;

/// The digest that our archives have: SHA-1 in base 32.
pub(crate) fn digest(bytes: &[u8]) -> String {
    format!("sha1:{}", base32(&Sha1::digest(bytes)))
}

/// Which digest of a record's head is not that of its block. Digests of kinds that are not known are passed over.
pub(crate) fn wrong(fields: &Fields<'_>, head: &Head, block: &[u8]) -> Option<&'static str> {
    let differs = |name: &str, contents: &[&[u8]]| {
        let digest = fields.get(name)?;
        let (kind, value) = digest.split_once(':')?;
        let value = value.trim();
        let answers: Option<Vec<bool>> =
            contents.iter().map(|content| is_digest(kind.trim(), value, content)).collect();
        Some(answers?.iter().all(|is_right| !is_right))
    };
    if differs("WARC-Block-Digest", &[block]) == Some(true) {
        return Some("digest than its head says");
    }
    let body = &block[head.length..];
    // The standard means what is transferred, without the chunks that it came in. Many writers have them in it.
    let joined = head.joined(body);
    let joined = joined.as_deref().unwrap_or(body);
    let is_whole = fields.get("WARC-Truncated").is_none();
    let is_wrong = is_whole && differs("WARC-Payload-Digest", &[body, joined]) == Some(true);
    is_wrong.then_some("digest of its payload than its head says")
}

/// Is this the digest of these bytes? `None` where that cannot be told.
fn is_digest(kind: &str, value: &str, bytes: &[u8]) -> Option<bool> {
    let digest = match kind.to_ascii_lowercase().replace('-', "").as_str() {
        "sha1" => Sha1::digest(bytes).to_vec(),
        "sha256" => Sha256::digest(bytes).to_vec(),
        "sha512" => Sha512::digest(bytes).to_vec(),
        _ => return None,
    };
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    let value = value.trim_end_matches('=');
    Some(value.eq_ignore_ascii_case(&hex) || value.eq_ignore_ascii_case(&base32(&digest)))
}

/// RFC 4648, without filling: five bytes are eight letters.
fn base32(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    let mut text = String::with_capacity(bytes.len().div_ceil(5) * 8);
    for five in bytes.chunks(5) {
        let mut whole = [0; 8];
        whole[3..3 + five.len()].copy_from_slice(five);
        let number = u64::from_be_bytes(whole);
        let letters = (five.len() * 8).div_ceil(5);
        let letters = (8 - letters..8).rev().map(|at| LETTERS[(number >> (5 * at) & 31) as usize]);
        text.extend(letters.map(char::from));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests() {
        // Of nothing and of `abc`, as sha1sum and base32 give them.
        assert_eq!(digest(b""), "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ");
        assert_eq!(digest(b"abc"), "sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5");
    }

    #[test]
    fn texts_of_digests() {
        // The examples of RFC 4648, without their filling.
        for (bytes, expect) in [
            ("", ""),
            ("f", "MY"),
            ("fo", "MZXQ"),
            ("foo", "MZXW6"),
            ("foob", "MZXW6YQ"),
            ("fooba", "MZXW6YTB"),
            ("foobar", "MZXW6YTBOI"),
        ] {
            assert_eq!(base32(bytes.as_bytes()), expect);
        }
        let sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(is_digest("SHA-256", sha256, b"abc"), Some(true));
        assert_eq!(is_digest("sha256", sha256, b"abd"), Some(false));
        assert_eq!(
            is_digest("sha1", "A9993E364706816ABA3E25717850C26C9CD0D89D", b"abc"),
            Some(true)
        );
        assert_eq!(is_digest("blake3", "x", b"abc"), None);
    }
}
