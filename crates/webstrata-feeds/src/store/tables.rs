//! The tables of the file. Their names and types are the store's format: see `FORMAT`.

use redb::TableDefinition;

/// Numbers of the store itself.
pub(super) const META: TableDefinition<'_, &str, u64> = TableDefinition::new("meta");
/// Site and hash of items that were seen, with the time when last.
pub(super) const HISTORY: TableDefinition<'_, (&str, u128), i64> = TableDefinition::new("history");
/// Feeds, by address.
pub(super) const FEEDS: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("feeds");
/// Items to fetch, by site, due time and number.
pub(super) const PENDING: TableDefinition<'_, (&str, i64, u64), &[u8]> =
    TableDefinition::new("pending");
/// Hashes of URL keys, with the sequence number and the time of their first page.
pub(super) const KEYS: TableDefinition<'_, u128, (u64, i64)> = TableDefinition::new("keys");
/// The documents in the URL Tree, in the order of their insertion.
pub(super) const VISITS: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("visits");
/// Records for the outputs, by sequence number, with the time.
pub(super) const QUEUE: TableDefinition<'_, u64, (i64, &[u8])> = TableDefinition::new("queue");
/// How far outputs are, by name.
pub(super) const POSITIONS: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("positions");
/// What was counted, by site.
pub(super) const COUNTERS: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("counters");

/// The version of all this.
pub(super) const FORMAT: u64 = 1;
