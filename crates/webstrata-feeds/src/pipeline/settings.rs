//! How a stream runs: the table `[stream]` of `feeds.toml`.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;

use crate::Error;
use crate::feeds::ItemIdentity;
use crate::fetch::Backoff;
use crate::sinks::{Compression, FileSettings};
use crate::store::Retention;
use webstrata_base::quantity;
use webstrata_site::url_tree::Bounds;

/// How a stream runs.
///
/// ```
/// use webstrata_feeds::pipeline::StreamSettings;
///
/// let table = "jobs = 4\nkeep = \"3d\"\ncompression = \"zstd\"".parse().unwrap();
/// let settings = StreamSettings::from_table(&table).unwrap();
/// assert_eq!(settings.jobs, 4);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct StreamSettings {
    /// Threads that fetch and extract. Default 16: they wait most of the time.
    pub jobs: usize,
    /// How often a page is asked for before its item is given up. Default 8, which is about a day.
    pub attempts: u32,
    /// The pause behind the first failure, doubled with each further one. Default 5 minutes.
    #[serde(with = "quantity::duration")]
    pub retry: Duration,
    /// The longest such pause. Default 12 hours.
    #[serde(with = "quantity::duration")]
    pub retry_most: Duration,
    /// How long records are kept for `export` when they are delivered. Default 7 days.
    #[serde(with = "quantity::duration")]
    pub keep: Duration,
    /// How long items and URL keys are remembered when feeds have them no more. Default 90 days.
    #[serde(with = "quantity::duration")]
    pub remember: Duration,
    /// What items are remembered by: `id` (their id, else their link), or `content` (title, description and date, as in
    /// the paper).
    pub item_identity: ItemIdentity,
    /// How many of each are remembered at most; see [`Retention`]. Default 10 million.
    pub remember_most: u64,
    /// Records that may wait for the output before no more pages are fetched. Default 100,000.
    pub backlog: u64,
    /// Pages of one transaction. Default 64.
    pub commit_pages: usize,
    /// The longest that a page waits for its transaction. Default a second.
    #[serde(with = "quantity::duration")]
    pub commit_after: Duration,
    /// Bytes behind which a file of the output ends. Default 256 MiB.
    #[serde(with = "quantity::size")]
    pub file_size: usize,
    /// Fields of each request to a web address that records go to, such as `Authorization`.
    pub webhook: BTreeMap<String, String>,
    /// Memory of the URL Tree. Default 1 GiB: hundreds of thousands of documents.
    #[serde(with = "quantity::size")]
    pub tree_memory: usize,
    /// The file with the rules of URL keys; without it, those that are built in.
    pub url_rules: Option<PathBuf>,
    /// How files of the output are packed: `none`, `gzip` or `zstd`.
    pub compression: Compression,
}

impl Default for StreamSettings {
    fn default() -> StreamSettings {
        let hours = |hours: u64| Duration::from_secs(hours * 3600);
        StreamSettings {
            jobs: 16,
            attempts: 8,
            retry: Duration::from_secs(300),
            retry_most: hours(12),
            keep: hours(7 * 24),
            remember: Retention::default().age,
            item_identity: ItemIdentity::default(),
            remember_most: Retention::default().entries,
            backlog: 100_000,
            commit_pages: 64,
            commit_after: Duration::from_secs(1),
            file_size: 256 << 20,
            webhook: BTreeMap::new(),
            tree_memory: Bounds::default().memory,
            url_rules: None,
            compression: Compression::None,
        }
    }
}

impl StreamSettings {
    /// The settings of a table `[stream]`.
    pub fn from_table(table: &toml::Table) -> Result<StreamSettings, Error> {
        let settings: StreamSettings =
            table.clone().try_into().map_err(|error: toml::de::Error| {
                Error::new(format!("[stream]: {}", error.message()))
            })?;
        let none = [
            ("jobs", settings.jobs == 0),
            ("attempts", settings.attempts == 0),
            ("commit-pages", settings.commit_pages == 0),
            ("backlog", settings.backlog == 0),
            ("file-size", settings.file_size == 0),
        ];
        match none.iter().find(|(_, is_none)| *is_none) {
            Some((name, _)) => Err(Error::new(format!("[stream]: `{name}` must be 1 or more"))),
            None => Ok(settings),
        }
    }

    /// How files of the output are written.
    pub fn files(&self) -> FileSettings {
        FileSettings { size: self.file_size as u64, compression: self.compression }
    }

    pub(super) fn bounds(&self) -> Bounds {
        Bounds { memory: self.tree_memory, ..Bounds::default() }
    }

    pub(super) fn backoff(&self) -> Backoff {
        Backoff { first: self.retry, most: self.retry_most }
    }

    pub(super) fn retention(&self) -> Retention {
        Retention { age: self.remember, entries: self.remember_most }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<StreamSettings, String> {
        let table = text.parse().expect("TOML");
        StreamSettings::from_table(&table).map_err(|error| error.to_string())
    }

    #[test]
    fn what_is_not_said_is_as_usual() {
        assert_eq!(read(""), Ok(StreamSettings::default()));
        let settings =
            read("retry = \"2s\"\nfile-size = \"1MiB\"\ncompression = \"zstd\"").unwrap();
        assert_eq!(settings.retry, Duration::from_secs(2));
        assert_eq!(settings.files().size, 1 << 20);
        assert_eq!(settings.compression, Compression::Zstd);
        assert_eq!(settings.jobs, 16);
    }

    #[test]
    fn mistakes_are_named() {
        for (text, part) in [
            ("job = 3", "unknown field `job`"),
            ("jobs = 0", "`jobs` must be 1 or more"),
            ("keep = \"soon\"", "`soon` is no duration"),
            ("compression = \"rar\"", "unknown variant `rar`"),
            ("item-identity = \"guid\"", "unknown variant `guid`"),
        ] {
            let message = read(text).unwrap_err();
            assert!(message.starts_with("[stream]: ") && message.contains(part), "{message}");
        }
    }
}
