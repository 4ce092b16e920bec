//! See [`MaskPersonal`].

use super::{Candidate, Filter, Verdict};

filter! {
    /// Masks personal data in the text, as FineWeb does: e-mail addresses and public IP addresses are replaced by
    /// invented ones that nobody has. Drops nothing. Addresses of private networks stay: they say nothing of anybody.
    MaskPersonal = "mask-personal" {
        /// What stands in the place of an e-mail address; empty, and they stay.
        email: String = "email@example.com".into(),
        /// What stands in the place of an IPv4 address; empty, and they stay.
        ip: String = "192.0.2.1".into(),
    }
}

impl MaskPersonal {
    fn check(&self) -> Result<(), String> {
        Ok(())
    }

    /// The text with masks, if anything is masked.
    pub fn mask(&self, text: &str) -> Option<String> {
        let mut masked = String::new();
        let mut written = 0;
        let mut each = |found: Option<(usize, usize)>, mask: &str| {
            if let Some((start, end)) = found.filter(|(start, _)| *start >= written) {
                masked.push_str(&text[written..start]);
                masked.push_str(mask);
                written = end;
            }
        };
        for (at, c) in text.char_indices() {
            match c {
                '@' if !self.email.is_empty() => each(email(text, at), &self.email),
                '.' if !self.ip.is_empty() => each(address(text, at), &self.ip),
                _ => {}
            }
        }
        (written > 0).then(|| masked + &text[written..])
    }
}

impl Filter for MaskPersonal {
    fn judge(&self, page: &mut Candidate) -> Verdict {
        if let Some(masked) = self.mask(page.text()) {
            page.set_text(masked);
        }
        Verdict::Keep
    }
}

/// The longest parts of an e-mail address.
const LOCAL: usize = 64;
const HOST: usize = 253;

/// Where the e-mail address around this `@` begins and ends.
fn email(text: &str, at: usize) -> Option<(usize, usize)> {
    let is_local = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+/=?^_`{|}~.-".contains(&byte);
    let is_host = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-');
    let bytes = text.as_bytes();
    let before = bytes[..at].iter().rev().take(LOCAL).take_while(|byte| is_local(**byte)).count();
    let after = bytes[at + 1..].iter().take(HOST).take_while(|byte| is_host(**byte)).count();
    let host = text[at + 1..at + 1 + after].trim_end_matches(['.', '-']);
    let local = text[at - before..at].trim_start_matches(['.', '\'', '/', '=', '{', '|', '*', '`']);
    let (_, top) = host.rsplit_once('.')?;
    let is_top = top.len() >= 2 && top.bytes().all(|byte| byte.is_ascii_alphabetic());
    let is_whole = !local.is_empty() && !local.ends_with('.') && !host.starts_with(['.', '-']) && !host.contains("..");
    (is_top && is_whole).then(|| (at - local.len(), at + 1 + host.len()))
}

/// Where the public IPv4 address begins and ends of which this is the first point.
fn address(text: &str, point: usize) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let start = point - bytes[..point].iter().rev().take(4).take_while(|byte| byte.is_ascii_digit()).count();
    let is_part = |byte: &u8| byte.is_ascii_digit() || *byte == b'.';
    let end = start + bytes[start..].iter().take(16).take_while(|byte| is_part(byte)).count();
    let written = text[start..end].trim_end_matches('.');
    let before = start.checked_sub(1).map(|at| bytes[at]);
    let after = bytes.get(start + written.len()).copied();
    let is_word = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric());
    if is_word(before) || before == Some(b'.') || is_word(after) {
        return None;
    }
    let ip: std::net::Ipv4Addr = written.parse().ok()?;
    let is_nobodys = ip.is_private()
        || ip.is_loopback()
        || ip.is_link_local()
        || ip.is_broadcast()
        || ip.is_documentation()
        || ip.is_unspecified()
        || ip.is_multicast();
    (!is_nobodys).then(|| (start, start + written.len()))
}
