//! What is fetched next: which feed is due, which page, and whether its host may be asked already.

use std::collections::{HashSet, VecDeque};
use std::time::{Duration, Instant};

use super::workers::Job;
use super::{Context, StreamSettings};
use crate::fetch::{Fetcher, Validators};
use crate::store::{Counters, Error, FeedState, Pending, Place, Store};

/// Items of a site that are held in memory; the others wait in the store.
const WINDOW: usize = 64;
/// Items of a site that may wait in the store: while there are more, its feeds are not asked.
const MOST_WAITING: u64 = 50_000;
/// The longest pause between two looks at the plan.
const POLL_INTERVAL: Duration = Duration::from_millis(250);

/// A feed and where it stands.
pub(super) struct FeedPlan {
    pub(super) url: String,
    pub(super) state: FeedState,
    pub(super) is_busy: bool,
    /// It was asked in this run.
    pub(super) was_asked: bool,
}

/// A site and where it stands.
pub(super) struct SitePlan {
    pub(super) name: String,
    pub(super) interval: Duration,
    pub(super) feeds: Vec<FeedPlan>,
    pub(super) counters: Counters,
    /// Its counters are not those of the store.
    pub(super) is_dirty: bool,
    /// Items that wait in the store, those on their way among them.
    pub(super) waiting: u64,
    ready: VecDeque<(Place, Pending)>,
    /// Items on their way: handed out, and not yet gone from the store.
    busy: HashSet<Place>,
    /// Requests under way.
    pub(super) in_flight: usize,
    /// The store has no further items before this second.
    nothing_before: i64,
}

/// The plan.
pub(super) struct Plan {
    pub(super) sites: Vec<SitePlan>,
    once: bool,
    /// The most requests of one site at a time: one that hangs must not keep all threads.
    per_site: usize,
    turn: usize,
}

/// What comes next.
pub(super) enum Next {
    Job(Job),
    /// Nothing yet; look again after so long.
    Wait(Duration),
    /// Nothing for now: all that is due is done. Look again after so long.
    Idle(Duration),
}

impl Plan {
    pub(super) fn load(context: Context<'_>, store: &Store, now: i64) -> Result<Plan, Error> {
        let Context { settings, sites, once, .. } = context;
        let counted = store.counters()?;
        let mut plans = Vec::new();
        for site in sites {
            let mut feeds = Vec::new();
            for url in &site.feeds {
                let mut state = store.feed(url)?.unwrap_or_default();
                state.next = state.next.min(latest(now, site.interval, settings));
                feeds.push(FeedPlan { url: url.clone(), state, is_busy: false, was_asked: false });
            }
            let counters = counted.iter().find(|(name, _)| *name == site.name);
            plans.push(SitePlan {
                name: site.name.clone(),
                interval: site.interval,
                feeds,
                counters: counters.map(|(_, counters)| counters.clone()).unwrap_or_default(),
                is_dirty: false,
                waiting: store.waiting(&site.name)?,
                ready: VecDeque::new(),
                busy: HashSet::new(),
                in_flight: 0,
                nothing_before: i64::MIN,
            });
        }
        Ok(Plan { sites: plans, once, per_site: settings.jobs.div_ceil(2), turn: 0 })
    }

    /// What to fetch now. Sites take turns.
    pub(super) fn next(
        &mut self,
        store: &Store,
        fetchers: &[Fetcher],
        now: i64,
        takes_pages: bool,
    ) -> Result<Next, Error> {
        let mut soonest: Option<Instant> = None;
        for step in 0..self.sites.len() {
            let index = (self.turn + step) % self.sites.len();
            let fetcher = &fetchers[index];
            let site = &mut self.sites[index];
            if site.in_flight >= self.per_site {
                continue;
            }
            let mut may_ask = |url: &str| {
                let ready = fetcher.ready_at(url);
                // A host that may be asked says "now", which is later than any moment before.
                let is_ready = ready <= Instant::now();
                if !is_ready {
                    soonest = Some(soonest.map_or(ready, |soonest| soonest.min(ready)));
                }
                is_ready
            };
            let job = match site.feed(index, now, self.once, &mut may_ask) {
                None if takes_pages => site.page(index, store, now, &mut may_ask)?,
                found => found,
            };
            if let Some(job) = job {
                site.in_flight += 1;
                self.turn = index + 1;
                return Ok(Next::Job(job));
            }
        }
        Ok(match soonest {
            Some(soonest) => {
                Next::Wait(soonest.saturating_duration_since(Instant::now()).min(POLL_INTERVAL))
            }
            None if self.sites.iter().any(|site| site.in_flight > 0) => Next::Wait(POLL_INTERVAL),
            None => Next::Idle(POLL_INTERVAL),
        })
    }

    /// The store has further items of a site.
    pub(super) fn added(&mut self, site: usize, not_before: i64) {
        let site = &mut self.sites[site];
        site.nothing_before = site.nothing_before.min(not_before);
    }

    /// The store has these items no more.
    pub(super) fn removed(&mut self, site: usize, place: &Place) {
        self.sites[site].busy.remove(place);
    }
}

/// The latest time that anything of a site is put off to, by a clock that is right.
pub(super) fn latest(now: i64, interval: Duration, settings: &StreamSettings) -> i64 {
    let most = interval.max(settings.retry_most).max(Duration::from_secs(24 * 3600));
    now.saturating_add(i64::try_from(most.as_secs()).unwrap_or(i64::MAX))
}

impl SitePlan {
    fn feed(
        &mut self,
        site: usize,
        now: i64,
        once: bool,
        may_ask: &mut impl FnMut(&str) -> bool,
    ) -> Option<Job> {
        if self.waiting >= MOST_WAITING {
            return None;
        }
        for (index, feed) in self.feeds.iter_mut().enumerate() {
            let is_due = if once { !feed.was_asked } else { feed.state.next <= now };
            let url = feed.state.address(&feed.url);
            if feed.is_busy || !is_due || !may_ask(url) {
                continue;
            }
            let validators = Validators {
                etag: feed.state.etag.clone(),
                last_modified: feed.state.last_modified.clone(),
            };
            let (url, is_named) = (url.to_owned(), feed.state.named.is_some());
            (feed.is_busy, feed.was_asked) = (true, true);
            return Some(Job::Poll { site, feed: index, url, is_named, validators });
        }
        None
    }

    fn page(
        &mut self,
        site: usize,
        store: &Store,
        now: i64,
        may_ask: &mut impl FnMut(&str) -> bool,
    ) -> Result<Option<Job>, Error> {
        if self.ready.is_empty() && self.nothing_before <= now {
            let busy = &self.busy;
            let due = store.due(&self.name, now, WINDOW, |place| busy.contains(place))?;
            self.ready = due.into();
            if self.ready.is_empty() {
                let next = store.next_due(&self.name, now)?;
                self.nothing_before = next.unwrap_or(i64::MAX);
            }
        }
        let Some(at) = self.ready.iter().position(|(_, item)| may_ask(&item.url)) else {
            return Ok(None);
        };
        let Some((place, item)) = self.ready.remove(at) else { return Ok(None) };
        self.busy.insert(place.clone());
        Ok(Some(Job::Page { site, place, item }))
    }
}
