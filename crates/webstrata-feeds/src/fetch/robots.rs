//! What sites let crawlers do (RFC 9309), remembered for a day.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use robotxt::Robots;
use url::{Position, Url};

use super::failure::{Failure, FailureKind};

/// Bytes of a robots.txt that count (section 2.5).
pub(super) const MOST_BYTES: usize = 500 * 1024;

/// Redirects of a robots.txt that are followed (section 2.3.1.2).
pub(super) const MOST_REDIRECTS: usize = 5;

/// How long an answer is believed (section 2.4).
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// How long a site whose robots.txt cannot be had is left alone.
const PAUSE: Duration = Duration::from_secs(10 * 60);

/// Sites that are remembered, and bytes of their files. Of more, those are forgotten that were asked first.
const MOST_SITES: usize = 8_192;
const MOST_KEPT: usize = 32 << 20;

/// May we fetch this?
pub(super) enum Verdict {
    /// Yes, and so much time should lie between two requests.
    Allowed(Duration),
    /// No.
    Disallowed,
    /// Unknown, which counts as no (section 2.3.1.4). It can be asked again after this time.
    Unknown(Failure, Duration),
}

/// What the robots.txt of a site says to us.
enum Rules {
    Known(Box<Robots>),
    Unreachable(Failure),
}

struct Entry {
    rules: Rules,
    until: Instant,
    bytes: usize,
}

/// One site's place. It is locked while the file is fetched, so that it is fetched once.
type Place = Arc<Mutex<Option<Entry>>>;

/// What the robots.txt of many sites say.
#[derive(Default)]
pub(super) struct RobotsCache {
    sites: Mutex<Sites>,
}

#[derive(Default)]
struct Sites {
    places: HashMap<String, (Place, usize, Instant)>,
    bytes: usize,
}

impl RobotsCache {
    /// May the crawler of this name fetch this address? Asks for the file if it is not known.
    pub(super) fn verdict(
        &self,
        url: &Url,
        agent: &str,
        fetch: impl FnOnce(Url) -> Result<Vec<u8>, Failure>,
    ) -> Verdict {
        let site = &url[..Position::BeforePath];
        // Two crawlers may be told different things.
        let key = format!("{site} {agent}");
        let place = self.place(&key);
        let mut place = lock(&place);
        let now = Instant::now();
        if place.as_ref().is_none_or(|entry| entry.until <= now) {
            let entry = match Url::parse(&format!("{site}/robots.txt")) {
                Ok(file) => entry(fetch(file), agent),
                Err(_) => allowed(),
            };
            self.note(&key, entry.bytes);
            *place = Some(entry);
        }
        place.as_ref().map_or(Verdict::Allowed(Duration::ZERO), |entry| entry.verdict(url))
    }

    fn place(&self, key: &str) -> Place {
        let mut sites = lock(&self.sites);
        if let Some((place, ..)) = sites.places.get(key) {
            return place.clone();
        }
        let place = Place::default();
        sites.places.insert(key.to_owned(), (place.clone(), 0, Instant::now()));
        place
    }

    /// Notes how large a file is, and forgets others if it is too much.
    fn note(&self, key: &str, bytes: usize) {
        let mut sites = lock(&self.sites);
        if let Some((_, known, asked)) = sites.places.get_mut(key) {
            let before = std::mem::replace(known, bytes);
            *asked = Instant::now();
            sites.bytes = sites.bytes + bytes - before;
        }
        if sites.places.len() > MOST_SITES || sites.bytes > MOST_KEPT {
            sites.forget_half();
        }
    }
}

impl Sites {
    fn forget_half(&mut self) {
        let mut asked: Vec<Instant> = self.places.values().map(|(.., asked)| *asked).collect();
        let middle = asked.len() / 2;
        let (_, median, _) = asked.select_nth_unstable(middle);
        let median = *median;
        self.places.retain(|_, (.., asked)| *asked > median);
        self.bytes = self.places.values().map(|(_, bytes, _)| bytes).sum();
    }
}

impl Entry {
    fn verdict(&self, url: &Url) -> Verdict {
        match &self.rules {
            Rules::Known(robots) if robots.is_url_allowed(url) => {
                Verdict::Allowed(robots.crawl_delay().unwrap_or_default())
            }
            Rules::Known(_) => Verdict::Disallowed,
            Rules::Unreachable(failure) => {
                let again = self.until.saturating_duration_since(Instant::now());
                Verdict::Unknown(failure.clone(), again)
            }
        }
    }
}

fn allowed() -> Entry {
    let rules = Rules::Known(Box::new(Robots::allow_all()));
    Entry { rules, until: Instant::now() + DAY, bytes: 0 }
}

/// What an answer to the request for a robots.txt means (section 2.3.1).
fn entry(answer: Result<Vec<u8>, Failure>, agent: &str) -> Entry {
    match answer {
        Ok(text) => {
            let rules = Rules::Known(Box::new(parse(&text, agent)));
            Entry { rules, until: Instant::now() + DAY, bytes: text.len().min(MOST_BYTES) }
        }
        Err(failure) if is_unavailable(failure.kind()) => allowed(),
        Err(failure) => {
            let pause = failure.retry_after.unwrap_or(PAUSE).clamp(PAUSE, DAY);
            Entry { rules: Rules::Unreachable(failure), until: Instant::now() + pause, bytes: 0 }
        }
    }
}

/// Is there no such file? Then everything is allowed (section 2.3.1.3). A server that has too much to do
/// (429) has not said that.
fn is_unavailable(kind: FailureKind) -> bool {
    match kind {
        FailureKind::Status(429) => false,
        FailureKind::Status(status) => status < 500,
        FailureKind::TooManyRedirects | FailureKind::RedirectLoop | FailureKind::BadUrl => true,
        _ => false,
    }
}

/// May the crawler of this name fetch this address, by this robots.txt?
pub fn may_fetch(text: &[u8], agent: &str, url: &str) -> bool {
    Url::parse(url).is_ok_and(|url| parse(text, agent).is_url_allowed(&url))
}

/// The rules for the crawler of this name.
fn parse(text: &[u8], agent: &str) -> Robots {
    Robots::parse(text, robotxt::Agent::Exact(agent))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
