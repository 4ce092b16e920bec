//! An address in its parts, each written in one way.

use std::borrow::Cow;
use std::fmt::Write;

use url::{Host, Url};

/// Parameters of an address that are looked at; no page needs more to be named.
const MAX_PARAMETERS: usize = 64;
/// Bytes of an address; browsers and servers agree on far less.
const MAX_URL: usize = 16 << 10;

/// Labels before a host that lead to the same pages, made for other screens at most.
const SAME_HOST: [&str; 5] = ["www", "m", "mobile", "amp", "www2"];
/// Files that a server sends when it is asked for their folder.
const INDEX: [&str; 9] = [
    "index.html",
    "index.htm",
    "index.shtml",
    "index.php",
    "index.asp",
    "index.aspx",
    "index.jsp",
    "default.asp",
    "default.aspx",
];

/// How files are named that are made for small screens.
const AMP_FILES: [(&str, &str); 3] = [(".amp.html", ".html"), (".amp.htm", ".htm"), (".amp", "")];

pub(super) struct Parts {
    /// As the address has it, with the port where it is not the scheme's.
    pub(super) host: String,
    /// As the address has it, percent signs in one way, slashes single.
    pub(super) path: String,
    /// The parameters by name and value, sorted, percent signs in one way.
    pub(super) parameters: Vec<(String, String)>,
}

impl Parts {
    /// `None` of anything but an address of the Web.
    pub(super) fn of(url: &str) -> Option<Parts> {
        let url = url.trim();
        if url.len() > MAX_URL {
            return None;
        }
        let url = Url::parse(url).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
        let mut host = match url.host()? {
            Host::Domain(name) => name.trim_end_matches('.').to_owned(),
            Host::Ipv4(address) => address.to_string(),
            Host::Ipv6(address) => format!("[{address}]"),
        };
        if host.is_empty() {
            return None;
        }
        if let Some(port) = url.port() {
            // Writing to a string cannot fail.
            let _ = write!(host, ":{port}");
        }
        let query = url.query().unwrap_or_default();
        let pairs = query.split('&').filter(|pair| !pair.is_empty()).take(MAX_PARAMETERS);
        let mut parameters: Vec<(String, String)> = pairs
            .map(|pair| {
                let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
                // In a query, a plus is a space.
                let plain = |text: &str| plainly(&text.replace('+', "%20")).into_owned();
                (plain(name), plain(value))
            })
            .collect();
        parameters
            .sort_by_cached_key(|(name, value)| (name.to_lowercase(), name.clone(), value.clone()));
        parameters.dedup();
        let mut path = plainly(url.path()).into_owned();
        while path.contains("//") {
            path = path.replace("//", "/");
        }
        Some(Parts { host, path, parameters })
    }

    /// The host without labels that say nothing.
    pub(super) fn plain_host(&self) -> &str {
        let domain = domain(&self.host);
        let mut host = &self.host[..];
        while host.len() > domain.len() {
            let Some((label, rest)) = host.split_once('.') else { break };
            if !SAME_HOST.contains(&label) {
                break;
            }
            host = rest;
        }
        host
    }

    /// The path without sessions, a last slash, and names that say nothing.
    pub(super) fn plain_path(&self) -> String {
        let mut parts: Vec<&str> = Vec::new();
        for part in self.path.split('/') {
            let part = match part.find(';') {
                Some(at) if part[at + 1..].to_ascii_lowercase().starts_with("jsessionid") => {
                    &part[..at]
                }
                _ => part,
            };
            if !part.is_empty() {
                parts.push(part);
            }
        }
        loop {
            match parts.last() {
                Some(last) if INDEX.iter().any(|index| last.eq_ignore_ascii_case(index)) => {
                    parts.pop()
                }
                Some(&"amp") => parts.pop(),
                _ => break,
            };
        }
        if parts.len() > 1 && parts[0] == "amp" {
            parts.remove(0);
        }
        let mut path = String::with_capacity(self.path.len());
        for part in parts {
            path.push('/');
            path.push_str(part);
        }
        for (version, plain) in AMP_FILES {
            if let Some(page) = path.strip_suffix(version) {
                path.truncate(page.len());
                path.push_str(plain);
            }
        }
        path
    }
}

/// The registrable domain at the end of a host, with its port; all of it, where it is an address.
pub(super) fn domain(host: &str) -> &str {
    let bare = host.rsplit_once(':').map_or(host, |(bare, port)| {
        if port.bytes().all(|b| b.is_ascii_digit()) { bare } else { host }
    });
    let is_address = bare.starts_with('[') || bare.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    match psl::domain_str(bare).filter(|_| !is_address) {
        Some(domain) => &host[bare.len() - domain.len()..],
        None => host,
    }
}

/// Percent signs only before what needs them, digits in upper case (RFC 3986, section 6.2.2).
fn plainly(text: &str) -> Cow<'_, str> {
    if !text.contains('%') {
        return text.into();
    }
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).and_then(|byte| (*byte as char).to_digit(16));
    let mut plain = String::with_capacity(text.len());
    let mut rest = 0;
    for at in memchr::memchr_iter(b'%', bytes) {
        let (Some(high), Some(low)) = (digit(at + 1), digit(at + 2)) else { continue };
        plain.push_str(&text[rest..at]);
        let byte = (high * 16 + low) as u8;
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            plain.push(byte as char);
        } else {
            let _ = write!(plain, "%{byte:02X}");
        }
        rest = at + 3;
    }
    plain.push_str(&text[rest..]);
    plain.into()
}
