//! See [`Url`].

use std::sync::OnceLock;

use webstrata_site::url_key::Rules;

use super::{Candidate, Filter, Verdict};

filter! {
    /// Drops pages by their address: hosts, with all hosts below them, and patterns in which `*` stands for any
    /// characters. Pages without an address stay unless hosts to keep are named.
    Url = "url" {
        /// Only pages of these hosts or registrable domains; all, if none is named.
        keep_hosts: Vec<String> = Vec::new(),
        /// No pages of these.
        drop_hosts: Vec<String> = Vec::new(),
        /// No pages whose addresses match one of these, such as `*/tag/*`.
        drop_patterns: Vec<String> = Vec::new(),
    }
}

impl Url {
    fn check(&self) -> Result<(), String> {
        let hosts = self.keep_hosts.iter().chain(&self.drop_hosts);
        match hosts.into_iter().find(|host| host.contains('/') || host.trim().is_empty()) {
            Some(wrong) => Err(format!("`{wrong}` is no host; expected one such as example.org")),
            None => Ok(()),
        }
    }
}

impl Filter for Url {
    fn judge(&self, page: &mut Candidate) -> Verdict {
        let Some(url) = page.record().record.url.as_deref() else {
            return if self.keep_hosts.is_empty() { Verdict::Keep } else { Verdict::Drop("no-address") };
        };
        static RULES: OnceLock<Rules> = OnceLock::new();
        let key = RULES.get_or_init(Rules::default).key(url, "");
        let host = key.as_ref().map_or("", |key| key.as_str().split(['/', '?']).next().unwrap_or(""));
        if !self.keep_hosts.is_empty() && !is_below(host, &self.keep_hosts) {
            return Verdict::Drop("other-host");
        }
        if is_below(host, &self.drop_hosts) {
            return Verdict::Drop("host");
        }
        match self.drop_patterns.iter().any(|pattern| matches(pattern, url)) {
            true => Verdict::Drop("pattern"),
            false => Verdict::Keep,
        }
    }
}

/// Is it one of these hosts, or below one?
fn is_below(host: &str, hosts: &[String]) -> bool {
    hosts.iter().map(|named| named.trim_start_matches("www.")).any(|named| {
        let before = host.strip_suffix(named);
        before.is_some_and(|before| before.is_empty() || before.ends_with('.'))
    })
}

/// `*` stands for any characters. Takes the first place for each piece: that is enough for such patterns.
fn matches(pattern: &str, text: &str) -> bool {
    let mut pieces = pattern.split('*');
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let mut last = None;
    for piece in pieces {
        if let Some(before) = last.replace(piece) {
            let Some(at) = rest.find(before) else { return false };
            rest = &rest[at + before.len()..];
        }
    }
    last.map_or(rest.is_empty(), |last| rest.ends_with(last))
}

#[cfg(test)]
mod unit {
    use super::*;

    #[test]
    fn patterns() {
        for (pattern, text, wanted) in [
            ("*/tag/*", "https://a.example/tag/tides", true),
            ("*/tag/*", "https://a.example/tags", false),
            ("https://a.example/", "https://a.example/", true),
            ("https://a.example/", "https://a.example/b", false),
            ("*.pdf", "a.pdf.pdf", true),
            ("a*b*b", "ab", false),
            ("a*b*b", "abb", true),
            ("*", "", true),
        ] {
            assert_eq!(matches(pattern, text), wanted, "{pattern} {text}");
        }
    }
}
