//! What a stream tells about itself: `status.json` beside the store, and metrics for Prometheus.

use std::collections::BTreeMap;
use std::fmt::{Display, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

/// The version of [`Status`]'s shape.
pub const STATUS_VERSION: u32 = 1;

/// Where a stream stands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Status {
    /// The version of this shape: 1.
    pub version: u32,
    /// When this was written, in seconds since 1970.
    pub time: i64,
    /// Is the stream running? One that was killed did not come to say no.
    pub running: bool,
    /// Records made since the store was made.
    pub records: u64,
    /// Records that the output has not got yet.
    pub undelivered: u64,
    /// Records that are kept for `export`.
    pub kept: u64,
    /// Records that the output refused for good.
    pub refused: u64,
    /// Documents in the URL Tree.
    pub documents: u64,
    /// The sites, by name.
    pub sites: BTreeMap<String, SiteStatus>,
}

/// Where a site stands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct SiteStatus {
    /// Pages put out.
    pub pages: u64,
    /// Pages that were there before.
    pub duplicates: u64,
    /// Items whose pages wait to be fetched.
    pub waiting: u64,
    /// Items given up.
    pub lost: u64,
    /// Seconds from publication to the output, of the last page that has a date.
    #[cfg_attr(feature = "schema", schema(required = true))]
    pub lag: Option<i64>,
    /// Blocks that the site repeats: its template.
    pub template: u64,
    /// Bytes of pages.
    pub bytes: u64,
    /// Feeds asked for.
    pub polls: u64,
    /// Of these, answered with "not modified".
    pub unchanged: u64,
    /// Feeds that were found on pages given as feeds.
    #[serde(default)]
    pub discovered: u64,
    /// Feeds that were cut: they end in the middle, or have more than 10,000 items.
    #[serde(default)]
    pub cut_feeds: u64,
    /// New items of feeds.
    pub items: u64,
    /// Items whose date was in the future.
    pub future: u64,
    /// What went wrong, by kind.
    pub errors: BTreeMap<String, u64>,
    /// What went wrong last.
    #[cfg_attr(feature = "schema", schema(required = true))]
    pub last_error: Option<String>,
    /// When a feed answered last.
    #[cfg_attr(feature = "schema", schema(required = true))]
    pub last_success: Option<i64>,
    /// When a feed is asked next.
    #[cfg_attr(feature = "schema", schema(required = true))]
    pub next_poll: Option<i64>,
}

/// The latest status, shared between threads.
#[derive(Clone, Debug, Default)]
pub struct SharedStatus {
    latest: Arc<Mutex<Arc<Status>>>,
}

impl SharedStatus {
    /// The latest status.
    pub fn read(&self) -> Arc<Status> {
        self.latest.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn set(&self, status: Status) {
        *self.latest.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(status);
    }
}

/// The file of the status, in the folder of the store.
pub fn status_file(store: &Path) -> PathBuf {
    store.join("status.json")
}

impl Status {
    /// The status as Prometheus reads it, text format 0.0.4.
    pub fn metrics(&self) -> String {
        let mut text = String::new();
        let whole: [(&str, &str, &str, u64); 5] = [
            ("records_total", "counter", "Records made since the store was made.", self.records),
            (
                "undelivered_records",
                "gauge",
                "Records that the output has not got yet.",
                self.undelivered,
            ),
            ("kept_records", "gauge", "Records kept for export.", self.kept),
            (
                "refused_records_total",
                "counter",
                "Records that the output refused for good.",
                self.refused,
            ),
            ("tree_documents", "gauge", "Documents in the URL Tree.", self.documents),
        ];
        for (name, kind, help, value) in whole {
            head(&mut text, name, kind, help);
            line(&mut text, name, &[], value);
        }
        let counters: [Column; 10] = [
            ("pages_total", "Pages put out.", |site| site.pages),
            ("duplicates_total", "Pages that were there before.", |site| site.duplicates),
            ("lost_items_total", "Items given up.", |site| site.lost),
            ("page_bytes_total", "Bytes of pages, decoded.", |site| site.bytes),
            ("polls_total", "Feeds asked for.", |site| site.polls),
            ("unchanged_polls_total", "Feeds that had not changed.", |site| site.unchanged),
            ("discovered_feeds_total", "Feeds found on pages.", |site| site.discovered),
            ("cut_feeds_total", "Feeds that were cut: broken off, or too long.", |site| {
                site.cut_feeds
            }),
            ("items_total", "New items of feeds.", |site| site.items),
            ("future_items_total", "Items dated in the future.", |site| site.future),
        ];
        counters.iter().for_each(|column| self.column(&mut text, "counter", column));
        let gauges: [Column; 2] = [
            ("waiting_items", "Items whose pages wait to be fetched.", |site| site.waiting),
            ("template_blocks", "Blocks that the site repeats.", |site| site.template),
        ];
        gauges.iter().for_each(|column| self.column(&mut text, "gauge", column));
        head(&mut text, "lag_seconds", "gauge", "From publication to output, of the last page.");
        for (name, site) in &self.sites {
            if let Some(lag) = site.lag {
                line(&mut text, "lag_seconds", &[("site", name)], lag);
            }
        }
        head(&mut text, "errors_total", "counter", "What went wrong, by kind.");
        for (name, site) in &self.sites {
            for (kind, count) in &site.errors {
                line(&mut text, "errors_total", &[("site", name), ("kind", kind)], count);
            }
        }
        text
    }

    fn column(&self, text: &mut String, kind: &str, (name, help, value): &Column) {
        head(text, name, kind, help);
        for (site, status) in &self.sites {
            line(text, name, &[("site", site)], value(status));
        }
    }
}

/// A number of each site: its name, what it is, and where it stands.
type Column = (&'static str, &'static str, fn(&SiteStatus) -> u64);

fn head(text: &mut String, name: &str, kind: &str, help: &str) {
    let _ = writeln!(
        text,
        "# HELP webstrata_stream_{name} {help}\n# TYPE webstrata_stream_{name} {kind}"
    );
}

fn line(text: &mut String, name: &str, labels: &[(&str, &str)], value: impl Display) {
    let _ = write!(text, "webstrata_stream_{name}");
    for (index, (label, value)) in labels.iter().enumerate() {
        let open = if index == 0 { '{' } else { ',' };
        let _ = write!(text, "{open}{label}=\"{}\"", escaped(value));
    }
    let close = if labels.is_empty() { "" } else { "}" };
    let _ = writeln!(text, "{close} {value}");
}

/// The value of a label, as the format wants it.
fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn metrics_of_two_sites() {
        let errors = BTreeMap::from([("timeout".to_owned(), 2)]);
        let harbour = SiteStatus { pages: 3, lag: Some(-4), errors, ..SiteStatus::default() };
        let sites = BTreeMap::from([
            ("a \"b\\c\"\n".to_owned(), SiteStatus::default()),
            ("harbour".to_owned(), harbour),
        ]);
        let text = Status { records: 3, sites, ..Status::default() }.metrics();
        for expected in [
            "# HELP webstrata_stream_pages_total Pages put out.\n# TYPE webstrata_stream_pages_total counter\n",
            "webstrata_stream_pages_total{site=\"a \\\"b\\\\c\\\"\\n\"} 0\n",
            "webstrata_stream_pages_total{site=\"harbour\"} 3\n",
            "webstrata_stream_records_total 3\n",
            "webstrata_stream_lag_seconds{site=\"harbour\"} -4\n",
            "webstrata_stream_errors_total{site=\"harbour\",kind=\"timeout\"} 2\n",
        ] {
            assert!(text.contains(expected), "{expected}\n{text}");
        }
    }

    proptest! {
        /// Whatever a site is called, each line is a comment or a name, labels and a number.
        #[test]
        fn names_cannot_break_the_lines(name in "\\PC*|[\"\\\\\n{}= ]*") {
            let sites = BTreeMap::from([(name, SiteStatus::default())]);
            let text = Status { sites, ..Status::default() }.metrics();
            for line in text.lines() {
                let (_, value) = line.rsplit_once(' ').expect("a value");
                prop_assert!(line.starts_with("# ") || line.starts_with("webstrata_stream_"));
                prop_assert!(line.starts_with("# ") || value.parse::<i64>().is_ok(), "{}", line);
            }
        }
    }
}
