//! Addresses as keys: what a page's host is, and what the page is called there.
//!
//! A key is the host's name reversed by labels, a zero byte, and the page's name. Keys are sorted as bytes, so
//! pages of a host come together in the order of their paths, and hosts of a domain are neighbours.

use std::borrow::Cow;

use url::Url;

use crate::graph::Naming;

/// Characters of an address or name, at most.
const LONGEST: usize = 16_384;

/// Writes the key of a page, or says why what is written is no page.
///
/// Addresses are normalised by the rules of browsers; the fragment is left out. `http` and `https` are two pages, and
/// so are `www.` and none.
pub(crate) fn write_key(
    naming: Naming,
    written: &str,
    key: &mut Vec<u8>,
) -> Result<(), Cow<'static, str>> {
    key.clear();
    let written = written.trim();
    if written.len() > LONGEST {
        return Err(format!("a name of {} bytes, at most {LONGEST}", written.len()).into());
    }
    if !matches!(naming, Naming::Hosts | Naming::Domains) {
        if written.is_empty() {
            return Err("no name".into());
        }
        key.push(0);
        key.extend_from_slice(written.as_bytes());
        return Ok(());
    }
    let url = Url::parse(written)
        .map_err(|error| format!("`{}` is no address: {error}", shown(written)))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(format!(
            "`{}` is not the address of a page; expected http or https",
            shown(written)
        )
        .into());
    }
    let Some(host_name) = url.host_str() else {
        return Err(format!("`{}` has no host", shown(written)).into());
    };
    let host = match naming {
        Naming::Domains if url.domain().is_some() => {
            psl::domain_str(host_name).unwrap_or(host_name)
        }
        _ => host_name,
    };
    let text = url.as_str();
    let text = text.split_once('#').map_or(text, |(page, _)| page);
    push_reversed(host, key);
    key.push(0);
    let path = |scheme: &str| {
        text.strip_prefix(scheme)?.strip_prefix(host).filter(|path| path.starts_with('/'))
    };
    if let Some(path) = path("https://") {
        key.extend_from_slice(path.as_bytes());
    } else if let Some(path) = path("http://") {
        key.push(b'!');
        key.extend_from_slice(path.as_bytes());
    } else {
        key.extend_from_slice(text.as_bytes());
    }
    Ok(())
}

/// The start of an address, for messages.
fn shown(written: &str) -> String {
    written.chars().take(80).collect()
}

/// The host and the name in a key.
pub(crate) fn split_key(key: &[u8]) -> (&[u8], &[u8]) {
    let end = key.iter().position(|byte| *byte == 0).unwrap_or(key.len());
    (&key[..end], key.get(end + 1..).unwrap_or_default())
}

/// The address of a page by its host and its name there.
pub(crate) fn url_of(host: &str, name: &str) -> String {
    match name.strip_prefix('!') {
        Some(path) => format!("http://{host}{path}"),
        None if name.starts_with('/') => format!("https://{host}{name}"),
        None => name.to_owned(),
    }
}

/// `www.example.org` as `org.example.www`.
pub(crate) fn key_of_host(host: &str) -> String {
    let labels: Vec<&str> = host.rsplit('.').collect();
    labels.join(".")
}

/// The other way round.
pub(crate) fn host_of_key(key: &str) -> String {
    key_of_host(key)
}

fn push_reversed(host: &str, key: &mut Vec<u8>) {
    for (place, label) in host.rsplit('.').enumerate() {
        if place > 0 {
            key.push(b'.');
        }
        key.extend_from_slice(label.as_bytes());
    }
}
