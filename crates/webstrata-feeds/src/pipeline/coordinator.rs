//! The coordinator: takes what was fetched, turns it into changes, and commits them.

mod maintenance;

use std::collections::HashSet;
use std::panic::{self, AssertUnwindSafe};
use std::thread;
use std::time::{Duration, Instant};

use webstrata_archive::record::Origin;
use webstrata_base::random::Random;

use super::delivery::known_position;
use super::plan::{Next, Plan};
use super::status::{STATUS_VERSION, SiteStatus, Status};
use super::workers::{Fetched, JobFailure, KILLED, Polled, SET_ASIDE};
use super::{Archive, Context, Extract, PageKeys, Summary};
use crate::calendar::moment;
use crate::feeds::{Item, identities};
use crate::fetch::{Backoff, Fetcher, Response};
use crate::sinks::Sink;
use crate::store::{Change, Error, KeptRecord, NextNumbers, Pending, Place, Position, Store};
use webstrata_site::url_key::UrlKey;
use webstrata_site::url_tree::{Bounds, UrlTree, Visit};

/// Bytes of a transaction, more or less.
const MOST_BYTES: usize = 8 << 20;
/// Records, and bytes of them, that the output gets at once.
const DELIVERY_BATCH: (usize, usize) = (256, 4 << 20);
/// Seconds after which it is noted again that a feed still has an item.
const SEEN_AGAIN_AFTER: i64 = 24 * 3600;
/// Seconds by which clocks may differ: a date so little ahead is not in the future.
const CLOCK_TOLERANCE: i64 = 300;
/// Failures after which the place that a feed moved to is not believed any more.
const MOST_FAILURES_AFTER_MOVE: u32 = 3;
/// Characters of a title; longer ones are cut.
const LONGEST_TITLE: usize = 1_000;
/// The longest address in bytes.
const LONGEST_URL: usize = 8_192;
/// Attempts that a disk gets when the run wants to end.
const LAST_ATTEMPTS: u32 = 5;

pub(super) struct Coordinator<'a, E> {
    store: Store,
    extract: &'a E,
    context: Context<'a>,
    plan: Plan,
    tree: UrlTree,
    numbers: NextNumbers,
    sink: String,
    position: Position,
    archive: Option<Archive>,
    batch: Batch,
    random: Random,
    /// Records that are committed: those below this number.
    committed: u64,
    trimmed: i64,
    forgot: i64,
    summary: Summary,
}

/// Changes that wait for their transaction, and what they mean to the plan once they are on the disk.
#[derive(Default)]
struct Batch {
    changes: Vec<Change>,
    since: Option<Instant>,
    pages: usize,
    bytes: usize,
    keys: HashSet<u128>,
    seen: HashSet<(usize, u128)>,
    removed: Vec<(usize, Place)>,
    added: Vec<(usize, i64)>,
    /// The archive has pages that are not synced.
    is_archived: bool,
    /// The queue may have more to trim when this is on the disk.
    has_more_to_trim: bool,
}

impl Archive {
    /// How far it is, for the store.
    fn change(&self) -> Change {
        Change::Position { name: self.name().to_owned(), position: self.position() }
    }
}

impl Batch {
    fn push(&mut self, change: Change) {
        self.since.get_or_insert_with(Instant::now);
        self.changes.push(change);
    }
}

impl<'a, E: Extract> Coordinator<'a, E> {
    pub(super) fn new(
        store: Store,
        extract: &'a E,
        context: Context<'a>,
        sink: &dyn Sink,
        mut archive: Option<Archive>,
        now: i64,
    ) -> Result<Coordinator<'a, E>, Error> {
        let numbers = store.numbers()?;
        let mut batch = Batch::default();
        let position = first_position(&store, sink)?;
        let name = sink.name();
        if store.position(&name)?.is_none() {
            let (name, position) = (name.clone(), position.clone());
            batch.push(Change::Position { name, position });
        }
        if let Some(archive) = &mut archive {
            match store.position(archive.name())? {
                Some(position) => archive
                    .go_back(&position)
                    .map_err(|error| store.failed(archive.name(), &error))?,
                // What others wrote there before stays theirs.
                None => batch.push(archive.change()),
            }
        }
        let settings = context.settings;
        let mut coordinator = Coordinator {
            plan: Plan::load(context, &store, now)?,
            tree: restored(&store, settings.bounds())?,
            position,
            numbers,
            extract,
            context,
            sink: name,
            archive,
            batch,
            random: Random::new(now as u64),
            committed: numbers.sequence,
            trimmed: 0,
            forgot: 0,
            summary: Summary::default(),
            store,
        };
        // Before anything is written there: what lies behind these places is ours from now on.
        if coordinator.has_changes() {
            coordinator.commit()?;
        }
        coordinator.reschedule_late(now)?;
        Ok(coordinator)
    }

    pub(super) fn position(&self) -> &Position {
        &self.position
    }

    /// What to fetch now. While too many records wait for the output, feeds only.
    pub(super) fn next(&mut self, fetchers: &[Fetcher], now: i64) -> Result<Next, Error> {
        let takes_pages = self.undelivered() < self.context.settings.backlog;
        self.plan.next(&self.store, fetchers, now, takes_pages)
    }

    /// A feed was asked.
    pub(super) fn polled(
        &mut self,
        site: usize,
        feed: usize,
        result: Result<Polled, JobFailure>,
        now: i64,
    ) -> Result<(), Error> {
        let plan = &mut self.plan.sites[site];
        (plan.in_flight, plan.is_dirty) = (plan.in_flight - 1, true);
        plan.counters.polls += 1;
        let quarter = seconds(self.context.settings.remember / 4);
        let interval = plan.interval.mul_f64(0.95 + self.random.unit() / 10.0);
        let state = &mut plan.feeds[feed];
        state.is_busy = false;
        let items = match result {
            Ok(Polled { named: Some(named), .. }) => {
                let note = format!("{}: a page, which names the feed {named}", state.url);
                self.context.progress.note(&note);
                plan.counters.discovered += 1;
                // Asked for at once, in this run, too.
                state.was_asked = false;
                state.state.use_named_feed(named);
                state.state.next = now;
                Vec::new()
            }
            Ok(polled) => {
                self.summary.feeds += 1;
                plan.counters.unchanged += u64::from(polled.feed.is_none());
                let known = &mut state.state;
                (known.etag, known.last_modified) =
                    (polled.validators.etag, polled.validators.last_modified);
                known.next = now.saturating_add(seconds(interval));
                (known.failures, known.last_success) = (0, Some(now));
                known.moved_to = polled.moved_to.or(known.moved_to.take());
                if polled.feed.is_some() {
                    known.last_full = Some(now);
                } else if known.last_full.is_none_or(|last| now.saturating_sub(last) >= quarter) {
                    // What a feed has must be heard now and then, or it is forgotten and comes again.
                    (known.etag, known.last_modified) = (None, None);
                }
                let feed = polled.feed.unwrap_or_default();
                if let Some(cut) = feed.cut {
                    plan.counters.cut_feeds += 1;
                    self.context.progress.note(&format!("{}: {cut}", state.url));
                }
                feed.items
            }
            Err(failure) => {
                let known = &mut state.state;
                known.failures = known.failures.saturating_add(1);
                let backoff = self.context.settings.backoff();
                let pause = backoff.pause(known.failures, failure.retry_after, &mut self.random);
                known.next = now.saturating_add(seconds(pause.max(interval)));
                if !failure.is_temporary || known.failures >= MOST_FAILURES_AFTER_MOVE {
                    // Where it had moved to is not the right place any more.
                    known.forget_redirects();
                }
                plan.counters.error(&failure.kind, &failure.message);
                self.summary.errors += 1;
                self.context.progress.note(&failure.message);
                Vec::new()
            }
        };
        let (url, state) = (state.url.clone(), state.state.clone());
        // Feeds begin with the latest, streams with the oldest.
        let by = self.context.settings.item_identity;
        let hashes = identities(&items, &url, self.context.rules, by);
        for (item, hash) in items.into_iter().zip(hashes).rev() {
            self.item(site, &url, item, hash, now)?;
        }
        self.batch.push(Change::Feed { url, state });
        Ok(())
    }

    /// A feed has this item, which is remembered by this number.
    fn item(
        &mut self,
        site: usize,
        feed: &str,
        item: Item,
        hash: u128,
        now: i64,
    ) -> Result<(), Error> {
        let plan = &mut self.plan.sites[site];
        if self.batch.seen.contains(&(site, hash)) {
            return Ok(());
        }
        let seen = self.store.seen(&plan.name, hash)?;
        let again = SEEN_AGAIN_AFTER.min(seconds(self.context.settings.remember / 4));
        if seen.is_some_and(|seen| now.saturating_sub(seen) < again) {
            return Ok(());
        }
        self.batch.seen.insert((site, hash));
        self.batch.push(Change::Seen { site: plan.name.clone(), hash, time: now });
        if seen.is_some() {
            return Ok(());
        }
        let Some(url) = item.link else {
            plan.counters.error("no-link", &format!("{feed}: an item has no link to a page"));
            return Ok(());
        };
        if url.len() > LONGEST_URL {
            plan.counters.error("bad-url", &format!("{feed}: an item's address is too long"));
            return Ok(());
        }
        let claimed = item.published.filter(|date| *date > now.saturating_add(CLOCK_TOLERANCE));
        let published = item.published.map(|date| date.min(now));
        plan.counters.items += 1;
        plan.counters.future += u64::from(claimed.is_some());
        plan.waiting += 1;
        let place =
            Place { site: plan.name.clone(), not_before: now, number: self.numbers.pending };
        self.numbers.pending += 1;
        let title = item.title.unwrap_or_default().chars().take(LONGEST_TITLE).collect();
        let feed = feed.to_owned();
        let item = Pending { feed, url, title, published, claimed, attempts: 0 };
        self.batch.bytes += item.feed.len() + item.url.len() + item.title.len();
        self.batch.added.push((site, now));
        self.batch.push(Change::Add { place, item });
        Ok(())
    }

    /// A page was asked for.
    pub(super) fn page(
        &mut self,
        site: usize,
        place: Place,
        item: Pending,
        result: Result<Box<Fetched<E::Cut>>, JobFailure>,
        now: i64,
    ) -> Result<(), Error> {
        let plan = &mut self.plan.sites[site];
        (plan.in_flight, plan.is_dirty) = (plan.in_flight - 1, true);
        self.batch.push(Change::Remove { place: place.clone() });
        self.batch.removed.push((site, place.clone()));
        match result {
            Ok(fetched) => {
                self.plan.sites[site].waiting -= 1;
                self.arrived(site, place.number, &item, *fetched, now)
            }
            Err(failure) => {
                self.failed(site, place, item, &failure, now);
                Ok(())
            }
        }
    }

    /// A page came: it is new and goes out, or it was there before.
    fn arrived(
        &mut self,
        site: usize,
        number: u64,
        item: &Pending,
        mut fetched: Fetched<E::Cut>,
        now: i64,
    ) -> Result<(), Error> {
        if let Some(response) = fetched.response.take() {
            self.archived(&response, item, now)?;
        }
        self.batch.pages += 1;
        self.plan.sites[site].counters.bytes += fetched.bytes;
        if let Some(key) = &fetched.key {
            let hash = key.hash();
            let first = self.store.key(hash)?;
            if first.is_some() || self.batch.keys.contains(&hash) {
                if let Some(sequence) = first {
                    // A key is kept as long as feeds link to its page.
                    self.batch.push(Change::Key { hash, sequence, time: now });
                }
                self.plan.sites[site].counters.duplicates += 1;
                self.summary.duplicates += 1;
                return Ok(());
            }
        }
        let sequence = self.numbers.sequence;
        let visit = fetched.key.map(|key| self.enter(site, key, fetched.keys, now));
        let plan = &mut self.plan.sites[site];
        let origin = Origin {
            sequence: Some(sequence),
            site: Some(plan.name.clone()),
            feed: Some(item.feed.clone()),
            url_key: visit.as_ref().map(|visit| visit.key.as_str().to_owned()),
            request_url: Some(item.url.clone()),
            response_url: Some(fetched.url),
            item_title: Some(item.title.clone()),
            published: item.published.map(moment),
            claimed: item.claimed.map(moment),
            fetched: Some(moment(now)),
            truncated: fetched.truncated,
            ..Origin::default()
        };
        let (extract, tree, cut) = (self.extract, &self.tree, fetched.cut);
        // In this thread a panic would end the stream.
        let (tries, name, bytes) = (self.context.tries, number.to_string(), fetched.bytes);
        let made = panic::catch_unwind(AssertUnwindSafe(|| {
            let record = || extract.record(cut, tree, visit.as_ref(), origin).to_line();
            tries.run(&name, bytes as usize, record)
        }));
        let (kind, why) = match made {
            Ok(None) => (KILLED, SET_ASIDE),
            _ => ("bug", "a bug of ours, please report it"),
        };
        let Some(record) = made.ok().flatten().and_then(Result::ok) else {
            plan.counters.error(kind, &format!("{}: {why}", item.url));
            plan.counters.lost += 1;
            self.summary.lost += 1;
            return Ok(());
        };
        tries.done(&name);
        plan.counters.pages += 1;
        plan.counters.lag = item.published.map(|date| now - date).or(plan.counters.lag);
        self.summary.pages += 1;
        self.numbers.sequence += 1;
        self.batch.bytes += record.len();
        self.batch.push(Change::Output { sequence, time: now, record });
        self.context.progress.step();
        Ok(())
    }

    /// A page enters the URL Tree, and its key is known from now on.
    fn enter(&mut self, site: usize, key: UrlKey, keys: PageKeys, now: i64) -> Visit {
        let hash = key.hash();
        self.batch.keys.insert(hash);
        self.batch.push(Change::Key { hash, sequence: self.numbers.sequence, time: now });
        let mut visit = Visit { key, time: now, texts: keys.texts, places: keys.places };
        let serial = self.tree.insert(&mut visit);
        self.batch.push(Change::Visit { serial, bytes: visit.to_bytes() });
        for serial in self.tree.take_evicted() {
            self.batch.push(Change::Evict { serial });
        }
        let template = self.tree.view(&visit.key).template();
        self.plan.sites[site].counters.template = template as u64;
        visit
    }

    /// A page did not come: it is tried again later, or given up.
    fn failed(
        &mut self,
        site: usize,
        place: Place,
        mut item: Pending,
        failure: &JobFailure,
        now: i64,
    ) {
        let settings = self.context.settings;
        let plan = &mut self.plan.sites[site];
        plan.counters.error(&failure.kind, &failure.message);
        self.summary.errors += 1;
        item.attempts += u32::from(failure.was_asked);
        if !failure.is_temporary || item.attempts >= settings.attempts {
            plan.counters.lost += 1;
            plan.waiting -= 1;
            self.summary.lost += 1;
            self.context.progress.note(&format!("{}; given up", failure.message));
            return;
        }
        let attempts = item.attempts.max(1);
        let pause = settings.backoff().pause(attempts, failure.retry_after, &mut self.random);
        let not_before = now.saturating_add(seconds(pause).max(1));
        self.batch.added.push((site, not_before));
        self.batch.push(Change::Add { place: Place { not_before, ..place }, item });
    }

    /// The output has got further.
    pub(super) fn delivered(&mut self, position: Position) {
        self.position = position.clone();
        self.batch.push(Change::Position { name: self.sink.clone(), position });
    }

    pub(super) fn note(&self, message: &str) {
        self.context.progress.note(message);
    }

    /// Keeps a page; a disk that is full is waited for.
    fn archived(&mut self, page: &Response, item: &Pending, now: i64) -> Result<(), Error> {
        let Some(mut archive) = self.archive.take() else { return Ok(()) };
        self.batch.is_archived = true;
        let written = self.retry_disk(|coordinator| {
            let written = archive.write(page, item, now);
            written.map_err(|error| coordinator.store.failed(archive.name(), &error))
        });
        self.archive = Some(archive);
        written
    }

    pub(super) fn has_changes(&self) -> bool {
        !self.batch.changes.is_empty()
    }

    pub(super) fn is_full(&self) -> bool {
        self.batch.pages >= self.context.settings.commit_pages || self.batch.bytes >= MOST_BYTES
    }

    /// How long the transaction may wait.
    pub(super) fn commit_in(&self) -> Option<Duration> {
        let since = self.batch.since?;
        Some(self.context.settings.commit_after.saturating_sub(since.elapsed()))
    }

    /// Brings all changes to the disk. Waits for a disk that is full: nothing is lost meanwhile.
    pub(super) fn commit(&mut self) -> Result<(), Error> {
        let mut batch = std::mem::take(&mut self.batch);
        for site in self.plan.sites.iter_mut().filter(|site| site.is_dirty) {
            site.is_dirty = false;
            let (site, counters) = (site.name.clone(), site.counters.clone());
            batch.changes.push(Change::Counters { site, counters });
        }
        if let Some(mut archive) = self.archive.take_if(|_| batch.is_archived) {
            let synced = self.retry_disk(|coordinator| {
                archive.sync().map_err(|error| coordinator.store.failed(archive.name(), &error))
            });
            batch.changes.push(archive.change());
            self.archive = Some(archive);
            synced?;
        }
        self.retry_disk(|coordinator| coordinator.store.commit(&batch.changes))?;
        self.committed = self.numbers.sequence;
        batch.removed.iter().for_each(|(site, place)| self.plan.removed(*site, place));
        batch.added.iter().for_each(|(site, time)| self.plan.added(*site, *time));
        if batch.has_more_to_trim {
            self.trimmed = i64::MIN;
        }
        Ok(())
    }

    /// Retries work on the disk until it succeeds. The work can be repeated: what was done in part is done
    /// again with the same result.
    fn retry_disk<T>(
        &mut self,
        mut work: impl FnMut(&mut Self) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let backoff = Backoff { first: Duration::from_millis(500), most: Duration::from_secs(30) };
        let mut failures = 0;
        loop {
            let error = match work(self) {
                Ok(done) => return Ok(done),
                Err(error) => error,
            };
            failures += 1;
            let is_last = !self.context.may_wait() && failures >= LAST_ATTEMPTS;
            if !error.is_temporary() || is_last {
                return Err(error);
            }
            if u32::is_power_of_two(failures) {
                // Also to those who want to hear nothing else: nothing goes on until there is room.
                self.context.progress.failure(&format!("{error}; trying again"));
            }
            thread::sleep(backoff.pause(failures, None, &mut self.random));
            // If reopening fails, the next attempt reports why.
            let _ = self.store.reopen();
        }
    }

    pub(super) fn undelivered(&self) -> u64 {
        self.committed.saturating_sub(self.position.next)
    }

    /// The next records for the output: only what is on the disk.
    pub(super) fn undelivered_records(&self) -> Result<Vec<KeptRecord>, Error> {
        if self.undelivered() == 0 {
            return Ok(Vec::new());
        }
        self.store.records(self.position.next, DELIVERY_BATCH.0, DELIVERY_BATCH.1)
    }

    pub(super) fn status(&self, now: i64, running: bool) -> Status {
        let sites = self.plan.sites.iter().map(|site| {
            let counters = &site.counters;
            let status = SiteStatus {
                pages: counters.pages,
                duplicates: counters.duplicates,
                waiting: site.waiting,
                lost: counters.lost,
                lag: counters.lag,
                template: counters.template,
                bytes: counters.bytes,
                polls: counters.polls,
                unchanged: counters.unchanged,
                discovered: counters.discovered,
                cut_feeds: counters.cut_feeds,
                items: counters.items,
                future: counters.future,
                errors: counters.errors.clone(),
                last_error: counters.last_error.clone(),
                last_success: site.feeds.iter().filter_map(|feed| feed.state.last_success).max(),
                next_poll: site.feeds.iter().map(|feed| feed.state.next).min(),
            };
            (site.name.clone(), status)
        });
        Status {
            version: STATUS_VERSION,
            time: now,
            running,
            records: self.committed - 1,
            undelivered: self.undelivered(),
            kept: self.store.kept().unwrap_or_default(),
            refused: self.position.refused,
            documents: self.tree.len() as u64,
            sites: sites.collect(),
        }
    }

    pub(super) fn summary(&self, stuck: Option<String>) -> Summary {
        let waiting = self.plan.sites.iter().map(|site| site.waiting).sum();
        Summary { waiting, undelivered: self.undelivered(), stuck, ..self.summary.clone() }
    }
}

/// Where an output goes on. A new one begins where the furthest of the others is: what these have got is
/// not put out a second time, unless it wants all.
fn first_position(store: &Store, sink: &dyn Sink) -> Result<Position, Error> {
    if let Some(position) = known_position(store, sink)? {
        return Ok(position);
    }
    let all = store.positions()?;
    if sink.wants_all() {
        return Ok(Position { next: 1, ..Position::default() });
    }
    let others = all.iter().filter(|(name, _)| !name.starts_with("warc:"));
    let next = others.map(|(_, position)| position.next).max().unwrap_or(1);
    Ok(Position { next, ..Position::default() })
}

/// The tree as it was when its last document was committed.
fn restored(store: &Store, bounds: Bounds) -> Result<UrlTree, Error> {
    let mut tree = UrlTree::new(bounds);
    store.visits(|serial, visit| tree.restore(serial, &visit))?;
    Ok(tree)
}

fn seconds(span: Duration) -> i64 {
    i64::try_from(span.as_secs()).unwrap_or(i64::MAX)
}
