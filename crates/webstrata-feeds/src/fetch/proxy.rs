//! Proxies: which one stands between us and an address, and what it is told.
//!
//! A proxy is asked for addresses that were checked here, not for names, wherever its protocol allows that.
//! Where it does not (plain HTTP, which a proxy forwards by its address), the name is checked here as well, but
//! what the proxy makes of it is the proxy's word. Where the settings or the proxy's own address (`socks5h`) say
//! that it finds the addresses of names, only addresses without a name, names of this machine and ports are checked.

use std::env;

use hyper::Uri;
use hyper::header::HeaderValue;
use hyper_util::client::proxy::matcher::{Intercept, Matcher};
use url::{Host, Url};

use super::network::is_local_name;
use super::settings::FetchSettings;
use crate::Error;

/// What the environment calls proxies, as curl reads it.
const VARIABLES: [&str; 6] =
    ["ALL_PROXY", "all_proxy", "HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy"];

/// How a proxy speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Speech {
    /// HTTP, itself encrypted or not.
    Http {
        is_encrypted: bool,
    },
    Socks5,
}

/// A proxy.
#[derive(Clone)]
pub(super) struct Proxy {
    pub(super) speech: Speech,
    /// Where it is, as `http://host:port`, without what lets us in.
    pub(super) uri: Uri,
    /// It finds the addresses of names; otherwise we do, and it is given addresses.
    pub(super) resolves: bool,
    intercept: Intercept,
}

impl Proxy {
    fn of(intercept: Intercept, resolves: bool) -> Option<Proxy> {
        let uri = intercept.uri().clone();
        let (speech, is_remote) = match uri.scheme_str()? {
            "http" => (Speech::Http { is_encrypted: false }, false),
            "https" => (Speech::Http { is_encrypted: true }, false),
            "socks5" => (Speech::Socks5, false),
            "socks5h" => (Speech::Socks5, true),
            _ => return None,
        };
        Some(Proxy { speech, uri, resolves: resolves || is_remote, intercept })
    }

    pub(super) fn host(&self) -> &str {
        self.uri.host().unwrap_or_default().trim_start_matches('[').trim_end_matches(']')
    }

    pub(super) fn port(&self) -> u16 {
        self.uri.port_u16().unwrap_or(match self.speech {
            Speech::Http { is_encrypted: false } => 80,
            Speech::Http { is_encrypted: true } => 443,
            Speech::Socks5 => 1080,
        })
    }

    /// What lets us in at a proxy that speaks HTTP.
    pub(super) fn authorization(&self) -> Option<&HeaderValue> {
        self.intercept.basic_auth()
    }

    /// Name and password for SOCKS.
    pub(super) fn login(&self) -> Option<(&str, &str)> {
        self.intercept.raw_auth()
    }

    /// Is a request for this address given to the proxy itself, instead of through a tunnel?
    pub(super) fn forwards(&self, url: &Url) -> bool {
        matches!(self.speech, Speech::Http { .. }) && url.scheme() == "http"
    }

    /// What to call it, without what lets us in.
    pub(super) fn name(&self) -> String {
        format!("the proxy {}:{}", self.host(), self.port())
    }
}

/// Which addresses are reached by which proxy.
pub(super) struct Proxies {
    matcher: Option<Matcher>,
    resolves: bool,
}

impl Proxies {
    /// The proxies of these settings; those of the environment where they name none and it `counts`.
    pub(super) fn of(settings: &FetchSettings, environment_counts: bool) -> Result<Proxies, Error> {
        let resolves = settings.proxy_resolves;
        let matcher = match settings.proxy.as_deref() {
            Some("none") => None,
            Some(proxy) => {
                check("`proxy`", proxy)?;
                Some(Matcher::builder().all(proxy).build())
            }
            None if environment_counts => {
                for name in VARIABLES {
                    let value = env::var(name).unwrap_or_default();
                    if !value.is_empty() {
                        check(name, &value)?;
                    }
                }
                Some(Matcher::from_env())
            }
            None => None,
        };
        Ok(Proxies { matcher, resolves })
    }

    /// The proxy for an address. This machine is never reached by one: the proxy would reach its own.
    pub(super) fn of_url(&self, url: &Url) -> Option<Proxy> {
        let matcher = self.matcher.as_ref()?;
        let is_here = match url.host()? {
            Host::Domain(name) => is_local_name(name),
            Host::Ipv4(address) => address.is_loopback(),
            Host::Ipv6(address) => address.is_loopback(),
        };
        if is_here {
            return None;
        }
        let uri: Uri = format!("{}://{}/", url.scheme(), url.host_str()?).parse().ok()?;
        Proxy::of(matcher.intercept(&uri)?, self.resolves)
    }
}

/// Is this the address of a proxy that we can speak with? One that is not must not be passed over: what was to be
/// hidden by it would not be.
fn check(name: &str, proxy: &str) -> Result<(), Error> {
    let example = Uri::from_static("https://example.org/");
    let found = Matcher::builder().all(proxy).build().intercept(&example);
    if found.and_then(|intercept| Proxy::of(intercept, false)).is_some() {
        return Ok(());
    }
    // It may have a password in it, which is no business of logs.
    let remedy = "write `http://`, `https://`, `socks5://` or `socks5h://`, a host and a port";
    Err(Error::new(format!("{name} is no address of a proxy, {remedy}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proxies(proxy: &str) -> Result<Proxies, Error> {
        let settings = FetchSettings { proxy: Some(proxy.to_owned()), ..FetchSettings::default() };
        Proxies::of(&settings, true)
    }

    fn of(proxies: &Proxies, url: &str) -> Option<Proxy> {
        proxies.of_url(&url.parse().unwrap())
    }

    #[test]
    fn a_proxy_is_read_as_others_read_it() {
        for (text, speech, host, port, resolves) in [
            (
                "http://p.example:3128",
                Speech::Http { is_encrypted: false },
                "p.example",
                3128,
                false,
            ),
            ("p.example:3128", Speech::Http { is_encrypted: false }, "p.example", 3128, false),
            ("https://p.example", Speech::Http { is_encrypted: true }, "p.example", 443, false),
            ("socks5://[2001:db8::1]", Speech::Socks5, "2001:db8::1", 1080, false),
            ("socks5h://p.example:9050", Speech::Socks5, "p.example", 9050, true),
        ] {
            let proxy = of(&proxies(text).unwrap(), "https://a.example/").unwrap();
            assert_eq!((proxy.speech, proxy.host(), proxy.port()), (speech, host, port), "{text}");
            assert_eq!(proxy.resolves, resolves, "{text}");
        }
        let proxy = proxies("http://me:pass%20word@p.example:1").unwrap();
        let proxy = of(&proxy, "http://a.example/").unwrap();
        assert_eq!(proxy.authorization().unwrap(), "Basic bWU6cGFzcyB3b3Jk");
        assert!(!proxy.name().contains("pass") && !proxy.uri.to_string().contains("pass"));
        let proxy = of(&proxies("socks5://me:secret@p.example").unwrap(), "http://a.example/");
        assert_eq!(proxy.unwrap().login(), Some(("me", "secret")));
    }

    #[test]
    fn what_is_no_proxy_is_an_error_that_tells_no_secret() {
        for wrong in ["socks4://p.example", "ftp://me:secret@p.example", "http://", "", "a b"] {
            let error = proxies(wrong).err().expect(wrong).to_string();
            assert!(error.contains("`proxy`") && !error.contains("secret"), "{error}");
        }
        assert!(of(&proxies("none").unwrap(), "http://a.example/").is_none());
    }

    #[test]
    fn this_machine_is_never_reached_by_a_proxy() {
        let proxies = proxies("http://p.example:3128").unwrap();
        for url in
            ["http://127.0.0.1/", "https://[::1]/", "http://localhost:81/", "http://a.localhost"]
        {
            assert!(of(&proxies, url).is_none(), "{url}");
        }
        assert!(of(&proxies, "http://10.0.0.1/").is_some());
    }
}
