//! The addresses that sitemaps lead to.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use url::Url;

use super::sitemap::{self, MOST_BYTES};
use crate::Error;
use crate::fetch::{Answer, FetchSettings, Fetcher, Validators};

/// Indexes within indexes that are followed.
const DEEPEST: u32 = 3;

/// Sitemaps that are read for one that was named.
const MOST_SITEMAPS: usize = 50_000;

/// Addresses that are taken of all sitemaps that one that was named leads to.
const MOST_ADDRESSES: usize = 10_000_000;

/// Other hosts whose robots.txt is asked whether they let a sitemap speak for them.
const MOST_HOSTS: usize = 100;

/// What is found on the way: addresses, and what a person should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// The address of a page.
    Address(String),
    /// A sitemap cannot be read.
    Problem {
        /// Which.
        url: String,
        /// Why.
        message: String,
    },
    /// A sitemap was read, but not all of it counts.
    Note(String),
}

/// The addresses of a sitemap and of those that it names, in their order.
///
/// A sitemap speaks for its own host (with or without `www.`, by http or https), and for hosts whose robots.txt names it.
/// Other addresses in it are passed over. That is the rule of sitemaps.org but for two things that many sites break: the
/// protocol may differ, and a sitemap in a folder also speaks for what is above.
pub struct Sitemaps {
    fetcher: Arc<Fetcher>,
    robots: Fetcher,
    waiting: VecDeque<(String, u32)>,
    seen: HashSet<String>,
    ready: VecDeque<Found>,
    /// What the robots.txt of other hosts name.
    named: HashMap<String, HashSet<String>>,
    addresses: usize,
}

impl Sitemaps {
    /// Begins with a sitemap; `https://HOST/robots.txt` stands for those that it names.
    ///
    /// # Errors
    ///
    /// Where the settings of the fetcher are wrong.
    pub fn new(fetcher: &Fetcher, url: &str) -> Result<Sitemaps, Error> {
        let settings = fetcher.settings();
        let most = settings.max_body.max(MOST_BYTES);
        let long = FetchSettings {
            max_body: most,
            max_decoded: settings.max_decoded.max(MOST_BYTES + 1),
            ..settings.clone()
        };
        // A robots.txt may be asked for, whatever stands in it.
        let robots = FetchSettings { respect_robots: false, ..settings.clone() };
        Ok(Sitemaps {
            fetcher: Arc::new(fetcher.with_settings(long)?),
            robots: fetcher.with_settings(robots)?,
            waiting: VecDeque::from([(url.to_owned(), 0)]),
            seen: HashSet::new(),
            ready: VecDeque::new(),
            named: HashMap::new(),
            addresses: 0,
        })
    }

    /// Reads the next sitemap.
    fn read(&mut self, url: &str, depth: u32) {
        let problem = |message: String| Found::Problem { url: url.to_owned(), message };
        let is_robots = Url::parse(url).is_ok_and(|url| url.path() == "/robots.txt");
        let fetcher = if is_robots { &self.robots } else { &*self.fetcher };
        let page = match fetcher.get(url, &Validators::default()) {
            Ok(Answer::Page(page)) => page,
            Ok(Answer::NotModified { .. }) => return,
            Err(failure) => {
                self.ready.push_back(problem(failure.message().to_owned()));
                return;
            }
        };
        let read = sitemap::parse(&page.body, page.content_type.as_deref(), &page.url);
        let found = match read {
            Ok(found) => found,
            Err(none) => {
                self.ready.push_back(problem(none.to_string()));
                return;
            }
        };
        if found.is_cut || page.truncated {
            let why = "is cut off, or longer than sitemaps may be; what is there is read";
            self.ready.push_back(Found::Note(format!("{url}: {why}")));
        }
        if is_robots && found.sitemaps.is_empty() {
            self.ready.push_back(problem("this robots.txt names no sitemap".into()));
        }
        let mut foreign = 0;
        // Whatever it says of itself, and wherever it was moved.
        let own = [url.to_owned(), page.url.clone()];
        for sitemap in found.sitemaps {
            // A robots.txt may name sitemaps anywhere.
            if !is_robots && !self.speaks_for(&own, &sitemap) {
                foreign += 1;
            } else if depth < DEEPEST {
                self.waiting.push_back((sitemap, depth + 1));
            } else {
                let why = format!("indexes within indexes, {DEEPEST} deep; not read");
                self.ready.push_back(Found::Problem { url: sitemap, message: why });
            }
        }
        for address in found.pages {
            if !self.speaks_for(&own, &address) {
                foreign += 1;
            } else if self.addresses < MOST_ADDRESSES {
                self.addresses += 1;
                self.ready.push_back(Found::Address(address));
                if self.addresses == MOST_ADDRESSES {
                    let note = format!(
                        "{url}: {MOST_ADDRESSES} addresses are enough; others are not read"
                    );
                    self.ready.push_back(Found::Note(note));
                    self.waiting.clear();
                }
            }
        }
        if foreign > 0 {
            let note = format!(
                "{url}: {foreign} addresses of other hosts, for which it does not speak; passed over"
            );
            self.ready.push_back(Found::Note(note));
        }
    }

    /// May a sitemap of these addresses name this one?
    fn speaks_for(&mut self, own: &[String], address: &str) -> bool {
        let Some(host) = host(address) else { return false };
        if own.iter().any(|own| self::host(own).as_ref() == Some(&host)) {
            return true;
        }
        let Ok(url) = Url::parse(address) else { return false };
        let site = url[..url::Position::BeforePath].to_owned();
        if !self.named.contains_key(&site) {
            if self.named.len() >= MOST_HOSTS {
                return false;
            }
            let named = self.named_by(&site);
            self.named.insert(site.clone(), named);
        }
        let named = self.named.get(&site);
        // The sitemap itself, or the index that led to it.
        named.is_some_and(|named| {
            own.iter().any(|own| named.contains(own))
                || named.iter().any(|named| self.seen.contains(named))
        })
    }

    /// The sitemaps that the robots.txt of a site names.
    fn named_by(&self, site: &str) -> HashSet<String> {
        match self.robots.get(&format!("{site}/robots.txt"), &Validators::default()) {
            Ok(Answer::Page(page)) => {
                sitemap::named_in_robots(&String::from_utf8_lossy(&page.body)).into_iter().collect()
            }
            _ => HashSet::new(),
        }
    }
}

/// The host of an address, without `www.`, and its port if it is another than usual.
fn host(address: &str) -> Option<(String, Option<u16>)> {
    let url = Url::parse(address).ok()?;
    let host = url.host_str()?;
    Some((host.strip_prefix("www.").unwrap_or(host).to_owned(), url.port()))
}

impl Iterator for Sitemaps {
    type Item = Found;

    fn next(&mut self) -> Option<Found> {
        loop {
            if let Some(found) = self.ready.pop_front() {
                return Some(found);
            }
            let (url, depth) = self.waiting.pop_front()?;
            if self.seen.len() < MOST_SITEMAPS && self.seen.insert(url.clone()) {
                self.read(&url, depth);
            }
        }
    }
}
