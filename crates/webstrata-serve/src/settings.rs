//! The settings and limits of the server.

use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use webstrata_feeds::fetch;

use crate::Error;

/// What the server serves, and to whom. The defaults are for the machine that it runs on: pages are read,
/// nothing is fetched, no token is needed.
#[derive(Clone, Debug, Default)]
pub struct ServerSettings {
    /// The limits of requests.
    pub limits: Limits,
    /// How pages are fetched by their address; `None`: not at all.
    pub fetch: Option<fetch::FetchSettings>,
    /// The directory of an index to search.
    pub index: Option<PathBuf>,
    /// The directory of a stream's store, to show the status of its sites.
    pub store: Option<PathBuf>,
    /// The token that clients must send (`Authorization: Bearer …`).
    pub token: Option<String>,
    /// Host names of the server, besides `localhost` and IP addresses; `*` stands for all. It answers to no
    /// others, so that no web page can lead a browser here by a name of its own (DNS rebinding).
    pub allow_hosts: Vec<String>,
    /// Origins (`https://example.org`) whose pages may use the API from a browser.
    pub allow_origins: Vec<String>,
}

/// The limits of requests: bytes, time, and how much at once.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Bytes of a body, and of a line of a batch.
    pub body: usize,
    /// Bytes of all bodies that are held at a time.
    pub bodies: usize,
    /// Bytes of a request's head.
    pub head: usize,
    /// Fields of a request's head.
    pub fields: usize,
    /// How long a head may take to come, from the first byte or from the end of the answer before.
    pub head_time: Duration,
    /// How long a body, or a line of a batch, may take to come.
    pub body_time: Duration,
    /// How long a client may keep the server waiting before it takes its answer; each [`Limits::rate`] bytes that it
    /// takes give it back a second.
    pub write_time: Duration,
    /// Bytes that a client must send or take in a second, in the mean of some seconds.
    pub rate: usize,
    /// Nodes of a page's tree; what comes after is ignored, and `limits` says so.
    pub nodes: usize,
    /// Bytes of an answer.
    pub answer: usize,
    /// Bytes of all answers that clients have not taken yet; one address may have half of it.
    pub answers: usize,
    /// Bytes that a client must take in a second of an answer longer than a megabyte, beside [`Limits::write_time`].
    pub answer_rate: usize,
    /// How long a page may take, its outputs included; requests may ask for less.
    pub deadline: Duration,
    /// Connections at a time; others wait.
    pub connections: usize,
    /// Connections of one address at a time; others are refused. A proxy has one address for all.
    pub per_address: usize,
    /// Pages that are worked on at a time.
    pub workers: usize,
    /// Requests that wait for a worker; beyond that they are refused.
    pub queue: usize,
    /// How long they wait at most.
    pub queue_time: Duration,
    /// Pages that are fetched at a time.
    pub fetches: usize,
    /// How long fetching a page may take, with redirects and waiting for its turn.
    pub fetch_time: Duration,
    /// Lines of one batch that are worked on or wait at a time.
    pub batch: usize,
    /// How long running requests may take to finish when the server stops.
    pub grace: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        let workers = thread::available_parallelism().map_or(1, usize::from);
        Limits {
            body: 16 << 20,
            bodies: 512 << 20,
            head: 32 << 10,
            fields: 100,
            head_time: Duration::from_secs(20),
            body_time: Duration::from_secs(30),
            write_time: Duration::from_secs(30),
            rate: 4 << 10,
            nodes: 250_000,
            answer: 128 << 20,
            answers: 512 << 20,
            answer_rate: 64 << 10,
            deadline: Duration::from_secs(10),
            connections: 512,
            per_address: 384,
            workers,
            queue: 1024,
            queue_time: Duration::from_secs(30),
            fetches: 8,
            fetch_time: Duration::from_secs(30),
            batch: 2 * workers,
            grace: Duration::from_secs(20),
        }
    }
}

impl ServerSettings {
    /// Can a server be made of these?
    pub(crate) fn check(&self) -> Result<(), Error> {
        if self.token.as_deref().is_some_and(|token| !is_token(token)) {
            let remedy = "write 16 or more letters, digits and signs, without spaces";
            return Err(Error::new(format!("the token is too short or no token, {remedy}")));
        }
        for origin in &self.allow_origins {
            let is_whole = |(scheme, host): (&str, &str)| {
                matches!(scheme, "http" | "https") && !host.is_empty() && !host.contains('/')
            };
            if !origin.split_once("://").is_some_and(is_whole) {
                let remedy = "write one such as `https://example.org`";
                return Err(Error::new(format!("`{origin}` is no origin, {remedy}")));
            }
        }
        let Limits { workers, connections, per_address, fetches, body, rate, answer_rate, .. } =
            self.limits;
        if [workers, connections, per_address, fetches, body, rate, answer_rate].contains(&0) {
            return Err(Error::new("limits of 0 let nothing through, write 1 or more"));
        }
        Ok(())
    }
}

/// What `Authorization: Bearer` can carry (RFC 6750, section 2.1), and not to be guessed.
fn is_token(token: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "-._~+/=".contains(c);
    token.len() >= 16 && token.len() <= 4096 && token.chars().all(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(settings: &ServerSettings, expect: Option<&str>) {
        let error = settings.check().err().map(|error| error.to_string());
        match expect {
            Some(part) => assert!(error.as_deref().is_some_and(|e| e.contains(part)), "{error:?}"),
            None => assert_eq!(error, None),
        }
    }

    #[test]
    fn settings_are_checked() {
        let token =
            |token: &str| ServerSettings { token: Some(token.into()), ..ServerSettings::default() };
        check(&ServerSettings::default(), None);
        check(&token("a-token-of-some-length"), None);
        check(&token(""), Some("the token is too short"));
        check(&token("a token with spaces in it"), Some("the token is too short"));
        let origin = |origin: &str| ServerSettings {
            allow_origins: vec![origin.into()],
            ..ServerSettings::default()
        };
        check(&origin("https://harbour.example"), None);
        check(&origin("harbour.example"), Some("`harbour.example` is no origin"));
        check(&origin("https://harbour.example/"), Some("is no origin"));
        let limits = Limits { workers: 0, ..Limits::default() };
        check(&ServerSettings { limits, ..ServerSettings::default() }, Some("limits of 0"));
    }
}
