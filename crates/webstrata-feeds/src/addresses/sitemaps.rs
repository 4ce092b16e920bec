//! The addresses that sitemaps lead to.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use url::Url;

use super::crew::key;
use super::kept::Missed;
use super::queue::pause;
use super::sitemap::{self, MOST_BYTES, Sitemap};
use crate::Error;
use crate::fetch::{Answer, Failure, FetchSettings, Fetcher, Validators};

/// Indexes within indexes that are followed.
const DEEPEST: u32 = 3;

/// How often a sitemap is asked for that fails for now.
const ATTEMPTS: u32 = 3;

/// The longest pause between two of these.
const PATIENCE: Duration = Duration::from_secs(60);

/// Sitemaps that are read for one that was named.
const MOST_SITEMAPS: usize = 50_000;

/// Addresses that are taken of all sitemaps that one that was named leads to.
const MOST_ADDRESSES: usize = 10_000_000;

/// Other hosts whose robots.txt is asked whether they let a sitemap speak for them.
const MOST_HOSTS: usize = 100;

/// The [`reason`](Missed::reason) of a sitemap that another one names and that has nothing for us.
pub const SITEMAP: &str = "sitemap";

/// What is found on the way: addresses, and what a person should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// The address of a page.
    Address(String),
    /// What was named cannot be read: a sitemap or a list.
    Problem {
        /// Which.
        url: String,
        /// Why.
        message: String,
    },
    /// A sitemap that another one names has nothing for us.
    Missed(String, Missed),
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
    /// The one that was named.
    named: String,
    waiting: VecDeque<(String, u32)>,
    /// All that waited once, by their [`key`].
    seen: HashSet<u128>,
    ready: VecDeque<Found>,
    /// What the robots.txt of other hosts name.
    named_by: HashMap<String, HashSet<String>>,
    addresses: usize,
    missed: usize,
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
            named: url.to_owned(),
            waiting: VecDeque::from([(url.to_owned(), 0)]),
            seen: HashSet::from([key(url)]),
            ready: VecDeque::new(),
            named_by: HashMap::new(),
            addresses: 0,
            missed: 0,
        })
    }

    /// Reads the next sitemap.
    fn read(&mut self, url: &str, depth: u32) {
        let is_robots = is_robots(url);
        let page = match self.get(url, is_robots) {
            Ok(Answer::Page(page)) => page,
            Ok(Answer::NotModified { .. }) => return,
            Err(failure) => {
                let (message, is_temporary) = (failure.message(), failure.is_temporary());
                return self.miss(url, depth, message.to_owned(), is_temporary);
            }
        };
        match sitemap::parse(&page.body, page.content_type.as_deref(), &page.url) {
            Ok(found) if is_robots && found.sitemaps.is_empty() => {
                self.miss(url, depth, "this robots.txt names no sitemap".into(), false);
            }
            Ok(mut found) => {
                found.is_cut |= page.truncated;
                self.sort(url, &page.url, depth, found);
            }
            Err(none) => self.miss(url, depth, none.to_string(), false),
        }
    }

    /// Asks for a sitemap, more than once if it fails for now.
    fn get(&self, url: &str, is_robots: bool) -> Result<Answer, Failure> {
        let fetcher = if is_robots { &self.robots } else { &*self.fetcher };
        let mut failures = 0;
        loop {
            let failure = match fetcher.get(url, &Validators::default()) {
                Ok(answer) => return Ok(answer),
                Err(failure) => failure,
            };
            failures += 1;
            let waits = failure.retry_after.unwrap_or_default().max(pause(failures));
            if !failure.is_temporary() || failures == ATTEMPTS || waits > PATIENCE {
                return Err(failure);
            }
            thread::sleep(waits);
        }
    }

    /// A sitemap that has nothing for us. One that was named is a failure; one of many is counted as addresses are.
    fn miss(&mut self, url: &str, depth: u32, message: String, is_temporary: bool) {
        let url = url.to_owned();
        self.ready.push_back(if depth == 0 {
            Found::Problem { url, message }
        } else {
            self.missed += 1;
            Found::Missed(url, Missed { reason: SITEMAP.into(), message, is_temporary })
        });
    }

    /// Takes what a sitemap lists that was found at the address `moved`.
    fn sort(&mut self, url: &str, moved: &str, depth: u32, found: Sitemap) {
        if found.is_cut {
            let why = "is cut off, or longer than sitemaps may be; what is there is read";
            self.ready.push_back(Found::Note(format!("{url}: {why}")));
        }
        let (mut foreign, mut deep, mut many) = (0, 0, 0);
        // Whatever it says of itself, and wherever it was moved.
        let mut own = Own::new([url, moved].map(str::to_owned));
        for sitemap in found.sitemaps {
            // A robots.txt may name sitemaps anywhere.
            if !is_robots(url) && !self.speaks_for(&mut own, &sitemap) {
                foreign += 1;
            } else if self.seen.contains(&key(&sitemap)) {
            } else if depth >= DEEPEST {
                deep += 1;
            } else if self.seen.len() >= MOST_SITEMAPS {
                many += 1;
            } else {
                self.seen.insert(key(&sitemap));
                self.waiting.push_back((sitemap, depth + 1));
            }
        }
        if deep > 0 {
            let why =
                format!("names {deep} sitemaps, indexes within indexes {DEEPEST} deep; not read");
            self.miss(url, depth, why, false);
        }
        if many > 0 {
            let why = format!("names {many} sitemaps more than the {MOST_SITEMAPS} that are read");
            self.miss(url, depth, why, false);
        }
        for address in found.pages {
            if !self.speaks_for(&mut own, &address) {
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
    fn speaks_for(&mut self, own: &mut Own, address: &str) -> bool {
        let Ok(url) = Url::parse(address) else { return false };
        if host(&url).is_some_and(|host| own.hosts.contains(&host)) {
            return true;
        }
        let site = &url[..url::Position::BeforePath];
        if let Some(speaks) = own.others.get(site) {
            return *speaks;
        }
        if !self.named_by.contains_key(site) && self.named_by.len() < MOST_HOSTS {
            let named = self.named_by(site);
            self.named_by.insert(site.to_owned(), named);
        }
        // The sitemap itself, or the index that led to it.
        let speaks = self.named_by.get(site).is_some_and(|named| {
            own.urls.iter().any(|own| named.contains(own))
                || named.iter().any(|named| self.seen.contains(&key(named)))
        });
        own.others.insert(site.to_owned(), speaks);
        speaks
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

/// Whom a sitemap speaks for.
struct Own {
    urls: [String; 2],
    hosts: Vec<(String, Option<u16>)>,
    /// What was found out of other hosts.
    others: HashMap<String, bool>,
}

impl Own {
    fn new(urls: [String; 2]) -> Own {
        let hosts = urls.iter().filter_map(|url| host(&Url::parse(url).ok()?)).collect();
        Own { urls, hosts, others: HashMap::new() }
    }
}

/// The host of an address, without `www.`, and its port if it is another than usual.
fn host(url: &Url) -> Option<(String, Option<u16>)> {
    let host = url.host_str()?;
    Some((host.strip_prefix("www.").unwrap_or(host).to_owned(), url.port()))
}

fn is_robots(url: &str) -> bool {
    Url::parse(url).is_ok_and(|url| url.path() == "/robots.txt")
}

impl Iterator for Sitemaps {
    type Item = Found;

    fn next(&mut self) -> Option<Found> {
        loop {
            if let Some(found) = self.ready.pop_front() {
                return Some(found);
            }
            if let Some((url, depth)) = self.waiting.pop_front() {
                self.read(&url, depth);
                continue;
            }
            let missed = std::mem::take(&mut self.missed);
            if missed == 0 || self.addresses > 0 {
                return None;
            }
            let message = format!("leads to no address: {missed} sitemaps could not be read");
            return Some(Found::Problem { url: self.named.clone(), message });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(number: usize) -> Sitemap {
        let sitemaps = (0..30_000).map(|it| format!("https://a.example/{number}/{it}.xml"));
        Sitemap { sitemaps: sitemaps.collect(), ..Sitemap::default() }
    }

    /// However many sitemaps indexes name, no more wait than are read, and what is left out is told.
    #[test]
    fn nested_indexes_are_bounded() {
        let url = "https://a.example/s.xml";
        let fetcher = Fetcher::new(FetchSettings::default()).unwrap();
        let mut sitemaps = Sitemaps::new(&fetcher, url).unwrap();
        for number in 0..4 {
            sitemaps.sort(url, url, 1, index(number));
        }
        assert!(sitemaps.waiting.len() <= MOST_SITEMAPS, "{}", sitemaps.waiting.len());
        let left_out = sitemaps.ready.iter().filter(|found| matches!(found, Found::Missed(..)));
        assert_eq!(left_out.count(), 3);
        // Those that are known are not named again.
        sitemaps.sort(url, url, 1, index(0));
        assert_eq!(sitemaps.ready.len(), 3);
        // Too deep is told once for each index, not for each sitemap.
        sitemaps.sort(url, url, DEEPEST, index(9));
        assert_eq!(sitemaps.ready.len(), 4);
    }
}
