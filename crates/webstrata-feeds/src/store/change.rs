//! What may change in the store, and how it is written.

use redb::{Database, ReadableTable, ReadableTableMetadata};
use serde::Serialize;

use super::Retention;
use super::state::{Counters, FeedState, Pending, Place, Position};
use super::tables::{
    COUNTERS, FEEDS, FORMAT, HISTORY, KEYS, META, PENDING, POSITIONS, QUEUE, VISITS,
};

/// Seconds that pass at most from one time of forgetting to the next.
const MOST_PASSES: i64 = 12 * 3600;

/// One change of the store.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// A feed was asked for.
    Feed {
        /// Its address, as the settings have it.
        url: String,
        /// Where it stands now.
        state: FeedState,
    },
    /// A feed has this item.
    Seen {
        /// The site.
        site: String,
        /// The item's hash.
        hash: u128,
        /// When it was seen, in seconds since 1970.
        time: i64,
    },
    /// A page is to be fetched.
    Add {
        /// Where it waits.
        place: Place,
        /// The page.
        item: Pending,
    },
    /// A page waits no more.
    Remove {
        /// Where it waited.
        place: Place,
    },
    /// A URL key has its first page.
    Key {
        /// The key's hash.
        hash: u128,
        /// The record of the page.
        sequence: u64,
        /// When it came.
        time: i64,
    },
    /// A document entered the URL Tree.
    Visit {
        /// Its number there.
        serial: u64,
        /// See [`webstrata_site::url_tree::Visit::to_bytes`].
        bytes: Vec<u8>,
    },
    /// A document left the URL Tree.
    Evict {
        /// Its number there.
        serial: u64,
    },
    /// A record is ready for the outputs.
    Output {
        /// Its number; the first is 1, and none is left out.
        sequence: u64,
        /// When it was made.
        time: i64,
        /// A line of JSON, without the line break.
        record: Vec<u8>,
    },
    /// An output has got further.
    Position {
        /// The output's name.
        name: String,
        /// How far.
        position: Position,
    },
    /// The counters of a site.
    Counters {
        /// The site.
        site: String,
        /// All of them.
        counters: Counters,
    },
    /// Records are kept no longer.
    Trim {
        /// Those with lower numbers.
        below: u64,
    },
}

/// Makes all tables, so that readers need not ask whether they are there.
pub(super) fn prepare(database: &Database) -> Result<(), redb::Error> {
    let write = database.begin_write()?;
    write.open_table(META)?.insert("format", FORMAT)?;
    write.open_table(HISTORY)?;
    write.open_table(FEEDS)?;
    write.open_table(PENDING)?;
    write.open_table(KEYS)?;
    write.open_table(VISITS)?;
    write.open_table(QUEUE)?;
    write.open_table(POSITIONS)?;
    write.open_table(COUNTERS)?;
    Ok(write.commit()?)
}

pub(super) fn write(database: &Database, changes: &[Change]) -> Result<(), redb::Error> {
    let mut write = database.begin_write()?;
    // A large store is open at once after kill -9, for a slower commit; commits are for many pages.
    write.set_quick_repair(true);
    {
        let mut meta = write.open_table(META)?;
        let mut raise = |name: &str, number: u64| -> Result<(), redb::Error> {
            let now = meta.get(name)?.map_or(1, |number| number.value());
            if number + 1 > now {
                meta.insert(name, number + 1)?;
            }
            Ok(())
        };
        let mut history = write.open_table(HISTORY)?;
        let mut feeds = write.open_table(FEEDS)?;
        let mut pending = write.open_table(PENDING)?;
        let mut keys = write.open_table(KEYS)?;
        let mut visits = write.open_table(VISITS)?;
        let mut queue = write.open_table(QUEUE)?;
        let mut positions = write.open_table(POSITIONS)?;
        let mut counted = write.open_table(COUNTERS)?;
        for change in changes {
            match change {
                Change::Feed { url, state } => {
                    feeds.insert(url.as_str(), json(state).as_slice())?;
                }
                Change::Seen { site, hash, time } => {
                    history.insert((site.as_str(), *hash), time)?;
                }
                Change::Add { place, item } => {
                    pending.insert(place.key(), json(item).as_slice())?;
                    raise("pending", place.number)?;
                }
                Change::Remove { place } => {
                    pending.remove(place.key())?;
                }
                Change::Key { hash, sequence, time } => {
                    keys.insert(hash, (*sequence, *time))?;
                }
                Change::Visit { serial, bytes } => {
                    visits.insert(serial, bytes.as_slice())?;
                    raise("serial", *serial)?;
                }
                Change::Evict { serial } => {
                    visits.remove(serial)?;
                }
                Change::Output { sequence, time, record } => {
                    queue.insert(sequence, (*time, record.as_slice()))?;
                    raise("sequence", *sequence)?;
                }
                Change::Position { name, position } => {
                    positions.insert(name.as_str(), json(position).as_slice())?;
                }
                Change::Counters { site, counters } => {
                    counted.insert(site.as_str(), json(counters).as_slice())?;
                }
                Change::Trim { below } => queue.retain_in::<u64, _>(..*below, |_, _| false)?,
            }
        }
    }
    Ok(write.commit()?)
}

pub(super) fn forget(
    database: &Database,
    retention: Retention,
    now: i64,
) -> Result<(), redb::Error> {
    let mut write = database.begin_write()?;
    write.set_quick_repair(true);
    {
        let (mut history, mut keys) = (write.open_table(HISTORY)?, write.open_table(KEYS)?);
        let mut meta = write.open_table(META)?;
        let last = meta.get("forgot")?.map(|time| i64::try_from(time.value()).unwrap_or(i64::MAX));
        let time = last.map_or(now, |last| now.min(last.saturating_add(MOST_PASSES)));
        meta.insert("forgot", u64::try_from(time).unwrap_or_default())?;
        let age = i64::try_from(retention.age.as_secs()).unwrap_or(i64::MAX);
        let ages = std::iter::successors(Some(age), |age| (*age > 0).then_some(age / 2));
        // What is too much goes, even if only a clock that jumped can say what is old.
        let since = ages.clone().map(|age| time.saturating_sub(age));
        let since = since.chain(ages.map(|age| now.saturating_sub(age)));
        for since in since.clone() {
            history.retain(|_, seen| seen >= since)?;
            if history.len()? <= retention.entries {
                break;
            }
        }
        for since in since {
            keys.retain(|_, (_, seen)| seen >= since)?;
            if keys.len()? <= retention.entries {
                break;
            }
        }
    }
    Ok(write.commit()?)
}

impl Place {
    fn key(&self) -> (&str, i64, u64) {
        (&self.site, self.not_before, self.number)
    }
}

/// Texts, numbers and maps of texts: nothing that JSON refuses.
fn json(state: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(state).unwrap_or_default()
}
