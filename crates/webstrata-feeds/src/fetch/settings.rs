//! How pages are fetched.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::network::Network;
use crate::Error;
use webstrata_base::quantity;

/// Fields of requests that are ours to set: others would change where a response ends, or who we are.
const OURS: [&str; 11] = [
    "Host",
    "Proxy-Authorization",
    "User-Agent",
    "Accept-Encoding",
    "Connection",
    "Content-Length",
    "Transfer-Encoding",
    "If-None-Match",
    "If-Modified-Since",
    "Range",
    "Upgrade",
];

/// How pages are fetched. The defaults are safe for a server that fetches addresses given by strangers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct FetchSettings {
    /// The user agent. The part before the first `/` is the name for robots.txt.
    pub user_agent: String,
    /// How long a connection may take to be made, with all addresses of a name together.
    #[serde(with = "quantity::duration")]
    pub connect_timeout: Duration,
    /// How long one exchange may take, from the name to the last byte of the body, however slowly the
    /// bytes come. Each redirect is an exchange of its own; all that one page takes, with its redirects and
    /// its robots.txt, may take four times as long, beside waiting for the turns of hosts.
    #[serde(with = "quantity::duration")]
    pub timeout: Duration,
    /// Bytes of a body on the wire.
    #[serde(with = "quantity::size")]
    pub max_body: usize,
    /// Bytes of a body with its encodings undone.
    #[serde(with = "quantity::size")]
    pub max_decoded: usize,
    /// Redirects that are followed.
    pub max_redirects: usize,
    /// Networks that are fetched from although they are refused by default, such as `127.0.0.0/8`; `all`
    /// refuses none.
    pub allow: Vec<Network>,
    /// The least time between the beginnings of two requests to a host.
    #[serde(with = "quantity::duration")]
    pub host_delay: Duration,
    /// The longest that a robots.txt may make us wait between two requests (`Crawl-delay`).
    #[serde(with = "quantity::duration")]
    pub max_crawl_delay: Duration,
    /// Ask robots.txt first.
    pub respect_robots: bool,
    /// Further fields of requests, such as `Authorization`. They may be secrets, and so go to the servers of
    /// a site's feeds only (see [`Fetcher::for_feeds`](super::Fetcher::for_feeds)), not where these link or
    /// redirect. `Accept` and `Accept-Language` are no secrets and go everywhere.
    pub headers: BTreeMap<String, String>,
    /// Certificates (PEM) of authorities that are trusted beside those that browsers trust.
    pub certificates: Option<PathBuf>,
    /// The proxy, such as `http://proxy.example:3128` or `socks5://127.0.0.1:1080`; `none` for none. Without it, those
    /// that `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY` name.
    pub proxy: Option<String>,
    /// The proxy finds the addresses of names, and so only the proxy can refuse private networks. Without it, names
    /// are resolved and checked here, and the proxy is asked for the addresses that were checked.
    pub proxy_resolves: bool,
}

impl Default for FetchSettings {
    fn default() -> FetchSettings {
        FetchSettings {
            user_agent: concat!("webstrata/", env!("CARGO_PKG_VERSION")).into(),
            connect_timeout: Duration::from_secs(10),
            timeout: Duration::from_secs(30),
            max_body: 10 << 20,
            max_decoded: 64 << 20,
            max_redirects: 10,
            allow: Vec::new(),
            host_delay: Duration::from_secs(1),
            max_crawl_delay: Duration::from_secs(60),
            respect_robots: true,
            headers: BTreeMap::new(),
            certificates: None,
            proxy: None,
            proxy_resolves: false,
        }
    }
}

impl FetchSettings {
    /// The name for robots.txt: the part of the user agent before the first `/`.
    pub fn agent(&self) -> &str {
        let end = self.user_agent.find(|c: char| c == '/' || c.is_whitespace());
        &self.user_agent[..end.unwrap_or(self.user_agent.len())]
    }

    /// Can requests be made of these settings?
    pub(crate) fn check(&self) -> Result<(), Error> {
        let is_line = |value: &str| !value.chars().any(char::is_control);
        if self.agent().is_empty() || !is_line(&self.user_agent) {
            let remedy = "write a name, a version and where to ask, on one line";
            return Err(Error::new(format!("`user-agent` is empty or not one line, {remedy}")));
        }
        for (name, value) in &self.headers {
            // The characters of a token (RFC 9110, section 5.6.2).
            let is_token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
            if name.is_empty() || !name.chars().all(is_token) || !is_line(value) {
                return Err(Error::new(format!("`headers` has `{name}`, which is no field")));
            }
            if OURS.iter().any(|ours| ours.eq_ignore_ascii_case(name)) {
                return Err(Error::new(format!("`headers` has `{name}`, which cannot be set")));
            }
        }
        if self.timeout.is_zero() || self.connect_timeout.is_zero() {
            return Err(Error::new("`timeout` and `connect-timeout` must be more than 0"));
        }
        Ok(())
    }
}
