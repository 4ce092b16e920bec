//! What threads do: ask for feeds and pages, read them, cut them. They know nothing of the store.

use std::panic::{self, AssertUnwindSafe};
use std::sync::mpsc::{Receiver, SyncSender};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::{Extract, PageKeys};
use crate::feeds::{self, Feed, FeedCut, FeedError};
use crate::fetch::{Answer, Failure, FailureKind, Fetcher, Response, Validators};
use crate::store::{Pending, Place, Position};
use webstrata_base::Tries;
use webstrata_site::url_key::{Rules, UrlKey};

/// How it is counted when the program ends with a page, and why that page does not come.
pub(super) const KILLED: &str = "killed";
pub(super) const SET_ASIDE: &str = "the program ended twice while it read this page; set aside";

/// How it is counted when a feed is none.
const BAD_FEED: &str = "bad-feed";

/// Something to fetch.
#[derive(Debug)]
pub(super) enum Job {
    Poll {
        site: usize,
        feed: usize,
        url: String,
        /// A page named it: what it names in turn is not followed.
        is_named: bool,
        validators: Validators,
    },
    Page {
        site: usize,
        place: Place,
        item: Pending,
    },
}

/// Something that is done.
pub(super) enum Done<C> {
    Polled {
        site: usize,
        feed: usize,
        result: Result<Polled, JobFailure>,
    },
    Page {
        site: usize,
        place: Place,
        item: Pending,
        result: Result<Box<Fetched<C>>, JobFailure>,
    },
    Delivered(Position),
    /// The output failed and is tried again.
    Late(String),
    /// The output failed and is given up for this run.
    Stuck(String),
}

/// What a feed answered.
pub(super) struct Polled {
    /// `None` if nothing is new.
    pub(super) feed: Option<Feed>,
    /// It is a page, which names this feed.
    pub(super) named: Option<String>,
    pub(super) validators: Validators,
    pub(super) moved_to: Option<String>,
}

/// A page as it was fetched, and cut.
pub(super) struct Fetched<C> {
    pub(super) url: String,
    pub(super) key: Option<UrlKey>,
    pub(super) bytes: u64,
    pub(super) truncated: bool,
    pub(super) cut: C,
    pub(super) keys: PageKeys,
    /// Only where an archive is written.
    pub(super) response: Option<Box<Response>>,
}

/// Why there is no feed or page.
#[derive(Debug)]
pub(super) struct JobFailure {
    pub(super) kind: String,
    pub(super) message: String,
    pub(super) is_temporary: bool,
    /// The server was asked; where it was not, this is no attempt in vain.
    pub(super) was_asked: bool,
    pub(super) retry_after: Option<Duration>,
}

impl JobFailure {
    fn lasting(kind: &str, url: &str, message: &str) -> JobFailure {
        JobFailure {
            kind: kind.to_owned(),
            message: format!("{url}: {message}"),
            is_temporary: false,
            was_asked: true,
            retry_after: None,
        }
    }
}

impl From<Failure> for JobFailure {
    fn from(failure: Failure) -> JobFailure {
        JobFailure {
            kind: failure.kind().name(),
            message: failure.to_string(),
            is_temporary: failure.is_temporary(),
            was_asked: failure.kind() != FailureKind::TooSoon,
            retry_after: failure.retry_after,
        }
    }
}

/// What all workers share.
pub(super) struct Workers<'a, E> {
    pub(super) extract: &'a E,
    /// A fetcher for each site.
    pub(super) fetchers: &'a [Fetcher],
    pub(super) rules: &'a Rules,
    pub(super) tries: &'a Tries,
    pub(super) is_archived: bool,
    /// Attempts after which a page that breaks off is taken as it is.
    pub(super) attempts: u32,
}

impl<E: Extract> Workers<'_, E> {
    /// Works until there are no more jobs, or the receiver of results is gone.
    pub(super) fn work(&self, jobs: &Mutex<Receiver<Job>>, done: &SyncSender<Done<E::Cut>>) {
        loop {
            let job = jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
            let Ok(job) = job else { return };
            if done.send(self.one(job)).is_err() {
                return;
            }
        }
    }

    fn one(&self, job: Job) -> Done<E::Cut> {
        match job {
            Job::Poll { site, feed, url, is_named, validators } => {
                let result = caught(&url, || self.poll(site, &url, is_named, &validators));
                Done::Polled { site, feed, result }
            }
            Job::Page { site, place, item } => {
                let result = caught(&item.url, || self.page(site, &place, &item));
                Done::Page { site, place, item, result }
            }
        }
    }

    fn poll(
        &self,
        site: usize,
        url: &str,
        is_named: bool,
        validators: &Validators,
    ) -> Result<Polled, JobFailure> {
        match self.fetchers[site].get(url, validators)? {
            Answer::NotModified { permanent, validators, .. } => {
                Ok(Polled { feed: None, named: None, validators, moved_to: permanent })
            }
            Answer::Page(page) => {
                let feed = feeds::parse(&page.body, page.content_type.as_deref(), &page.url);
                let (feed, named) = match feed {
                    Ok(feed) => (Some(feed), None),
                    Err(FeedError::Page) if !is_named => (None, Some(named(url, &page)?)),
                    // The server may well have a bad day; the next poll is soon enough.
                    Err(error) => {
                        return Err(JobFailure::lasting(BAD_FEED, url, &error.to_string()));
                    }
                };
                let (validators, moved_to) = (page.validators, page.permanent);
                // What ends in the middle must be asked for again, also if it does not change.
                let is_cut = feed.as_ref().is_some_and(|feed| feed.cut == Some(FeedCut::BreaksOff));
                let validators =
                    if page.truncated || is_cut { Validators::default() } else { validators };
                Ok(Polled { feed, named, validators, moved_to })
            }
        }
    }

    fn page(
        &self,
        site: usize,
        place: &Place,
        item: &Pending,
    ) -> Result<Box<Fetched<E::Cut>>, JobFailure> {
        let page = match self.fetchers[site].get(&item.url, &Validators::default())? {
            Answer::Page(page) => page,
            Answer::NotModified { url, .. } => {
                return Err(JobFailure::lasting("protocol", &url, "not modified, but since when?"));
            }
        };
        if !is_page(page.content_type.as_deref()) {
            let kind = page.content_type.as_deref().unwrap_or_default();
            return Err(JobFailure::lasting("no-page", &page.url, &format!("{kind} is no page")));
        }
        if page.truncated && item.attempts + 1 < self.attempts {
            let broken =
                JobFailure::lasting("broken-off", &page.url, "the page ends in the middle");
            return Err(JobFailure { is_temporary: true, ..broken });
        }
        let made = self.tries.run(&place.number.to_string(), page.body.len(), || {
            let cut = self.extract.cut(&page);
            let keys = self.extract.keys(&cut);
            (cut, keys)
        });
        let Some((cut, keys)) = made else {
            return Err(JobFailure::lasting(KILLED, &page.url, SET_ASIDE));
        };
        Ok(Box::new(Fetched {
            key: self.rules.key(&page.url, &item.title),
            url: page.url.clone(),
            bytes: page.body.len() as u64,
            truncated: page.truncated,
            cut,
            keys,
            response: self.is_archived.then_some(page),
        }))
    }
}

/// The first feed that a page names, which was given as a feed.
fn named(url: &str, page: &Response) -> Result<String, JobFailure> {
    let found = feeds::discover(&page.body, page.content_type.as_deref(), &page.url);
    // A page that calls its own address a feed stands in for it, as when a site is under repair. The others
    // that it names are about something else.
    let is_own = |feed: &String| [url, &page.url].iter().any(|own| is_same(feed, own));
    if found.iter().any(is_own) {
        let message = "a web page in place of the feed";
        return Err(JobFailure::lasting(BAD_FEED, url, message));
    }
    let none = "a web page that names no feed; give the address of a feed";
    found.into_iter().next().ok_or_else(|| JobFailure::lasting(BAD_FEED, url, none))
}

/// Are these one address, but for what servers redirect?
fn is_same(one: &str, other: &str) -> bool {
    let bare = |url: &str| {
        let (_, rest) = url.split_once("://").unwrap_or(("", url));
        rest.split('#').next().unwrap_or_default().trim_end_matches('/').to_owned()
    };
    bare(one) == bare(other)
}

/// A panic fails this one page only; without this it would end the thread.
fn caught<T>(url: &str, work: impl FnOnce() -> Result<T, JobFailure>) -> Result<T, JobFailure> {
    panic::catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|_| Err(JobFailure::lasting("bug", url, "a bug of ours, please report it")))
}

/// Is this kind of content a page? Servers that do not say may have one.
fn is_page(content_type: Option<&str>) -> bool {
    let kind = content_type.unwrap_or_default().split(';').next().unwrap_or_default().trim();
    let pages =
        ["", "text/html", "application/xhtml+xml", "text/plain", "text/xml", "application/xml"];
    pages.iter().any(|page| page.eq_ignore_ascii_case(kind))
}
