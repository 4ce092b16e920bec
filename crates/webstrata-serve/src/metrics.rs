//! Numbers about the server, for Prometheus.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use webstrata::{Limit, LimitsHit};

/// Upper ends of the histogram's buckets, in seconds.
const BUCKETS: [f64; 12] =
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0];

/// What is counted.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    /// Answers by route and status. Both are of few kinds, whatever is asked for.
    requests: Mutex<BTreeMap<(&'static str, u16), u64>>,
    times: Mutex<BTreeMap<&'static str, Times>>,
    in_flight: AtomicUsize,
    bytes_in: AtomicU64,
    bytes_out: AtomicU64,
    cut: [AtomicU64; Limit::ALL.len()],
    batch_lines: AtomicU64,
    /// Connections that ended before a request could be understood, by what was wrong.
    broken: [AtomicU64; Broken::ALL.len()],
}

/// Why a connection ended before its request could be understood. No route knows of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Broken {
    /// The head took too long.
    Slow,
    /// The head is too long, or has too many fields.
    Large,
    /// The head is no HTTP.
    Wrong,
    /// Too many connections of one address.
    Crowd,
}

impl Broken {
    const ALL: [(Broken, &'static str); 4] = [
        (Broken::Slow, "slow"),
        (Broken::Large, "large"),
        (Broken::Wrong, "wrong"),
        (Broken::Crowd, "crowd"),
    ];
}

/// How long requests of a route took.
#[derive(Clone, Copy, Debug, Default)]
struct Times {
    buckets: [u64; BUCKETS.len()],
    sum: f64,
    count: u64,
}

/// A request that is being answered.
pub(crate) struct InFlight<'a>(&'a Metrics);

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.0.in_flight.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Numbers that are looked up when they are asked for.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Gauges {
    pub(crate) waiting: usize,
    pub(crate) busy: usize,
    pub(crate) fetching: usize,
    pub(crate) connections: usize,
}

impl Metrics {
    pub(crate) fn begin(&self) -> InFlight<'_> {
        self.in_flight.fetch_add(1, Ordering::Relaxed);
        InFlight(self)
    }

    pub(crate) fn answered(&self, route: &'static str, status: u16, took: Duration) {
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        *requests.entry((route, status)).or_default() += 1;
        drop(requests);
        let seconds = took.as_secs_f64();
        let mut times = self.times.lock().unwrap_or_else(PoisonError::into_inner);
        let times = times.entry(route).or_default();
        times.sum += seconds;
        times.count += 1;
        for (end, count) in BUCKETS.iter().zip(&mut times.buckets) {
            *count += u64::from(seconds <= *end);
        }
    }

    pub(crate) fn read(&self, bytes: usize) {
        self.bytes_in.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    pub(crate) fn written(&self, bytes: usize) {
        self.bytes_out.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    pub(crate) fn batch_line(&self) {
        self.batch_lines.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn broken(&self, why: Broken) {
        self.broken[why as usize].fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn cut(&self, limits: LimitsHit) {
        for ((limit, _), count) in Limit::ALL.iter().zip(&self.cut) {
            count.fetch_add(u64::from(limits.has(*limit)), Ordering::Relaxed);
        }
    }

    /// All numbers, text format 0.0.4.
    pub(crate) fn text(&self, gauges: Gauges) -> String {
        let mut text = String::new();
        head(&mut text, "requests_total", "counter", "Requests answered, by route and status.");
        let requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for ((route, status), count) in requests {
            line(
                &mut text,
                "requests_total",
                &format!("{{route=\"{route}\",status=\"{status}\"}}"),
                count,
            );
        }
        self.histogram(&mut text);
        let one = |text: &mut String, name: &str, kind: &str, help: &str, value: u64| {
            head(text, name, kind, help);
            line(text, name, "", value);
        };
        let loaded = |number: &AtomicU64| number.load(Ordering::Relaxed);
        let in_flight = self.in_flight.load(Ordering::Relaxed) as u64;
        one(&mut text, "requests_in_flight", "gauge", "Requests being answered.", in_flight);
        one(&mut text, "connections", "gauge", "Open connections.", gauges.connections as u64);
        one(&mut text, "queue", "gauge", "Pages that wait for a worker.", gauges.waiting as u64);
        one(&mut text, "workers_busy", "gauge", "Pages being worked on.", gauges.busy as u64);
        one(&mut text, "fetches", "gauge", "Pages being fetched.", gauges.fetching as u64);
        one(
            &mut text,
            "body_bytes_total",
            "counter",
            "Bytes of bodies read.",
            loaded(&self.bytes_in),
        );
        one(
            &mut text,
            "answer_bytes_total",
            "counter",
            "Bytes of answers written.",
            loaded(&self.bytes_out),
        );
        one(
            &mut text,
            "batch_lines_total",
            "counter",
            "Lines of batches answered.",
            loaded(&self.batch_lines),
        );
        head(&mut text, "pages_cut_total", "counter", "Pages cut short, by limit.");
        for ((_, name), count) in Limit::ALL.iter().zip(&self.cut) {
            line(&mut text, "pages_cut_total", &format!("{{limit=\"{name}\"}}"), loaded(count));
        }
        head(
            &mut text,
            "connections_refused_total",
            "counter",
            "Connections that made no request.",
        );
        for ((_, name), count) in Broken::ALL.iter().zip(&self.broken) {
            let labels = format!("{{why=\"{name}\"}}");
            line(&mut text, "connections_refused_total", &labels, loaded(count));
        }
        text
    }

    fn histogram(&self, text: &mut String) {
        let name = "request_seconds";
        head(
            text,
            name,
            "histogram",
            "From the head of a request to that of its answer, by route.",
        );
        let times = self.times.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for (route, Times { buckets, sum, count }) in times {
            for (end, below) in BUCKETS.iter().zip(buckets) {
                let labels = format!("{{route=\"{route}\",le=\"{end}\"}}");
                line(text, "request_seconds_bucket", &labels, below);
            }
            let labels = format!("{{route=\"{route}\",le=\"+Inf\"}}");
            line(text, "request_seconds_bucket", &labels, count);
            line(text, "request_seconds_sum", &format!("{{route=\"{route}\"}}"), sum);
            line(text, "request_seconds_count", &format!("{{route=\"{route}\"}}"), count);
        }
    }
}

// Writing to a string cannot fail.
fn head(text: &mut String, name: &str, kind: &str, help: &str) {
    let _ = writeln!(
        text,
        "# HELP webstrata_serve_{name} {help}\n# TYPE webstrata_serve_{name} {kind}"
    );
}

fn line(text: &mut String, name: &str, labels: &str, value: impl std::fmt::Display) {
    let _ = writeln!(text, "webstrata_serve_{name}{labels} {value}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_counted_is_told() {
        let metrics = Metrics::default();
        metrics.answered("/health", 200, Duration::from_millis(2));
        metrics.answered("/health", 200, Duration::from_secs(60));
        let mut limits = LimitsHit::default();
        limits.add(Limit::Deadline);
        metrics.cut(limits);
        let flying = metrics.begin();
        let text = metrics.text(Gauges { waiting: 3, ..Gauges::default() });
        drop(flying);
        for expected in [
            "webstrata_serve_requests_total{route=\"/health\",status=\"200\"} 2\n",
            "webstrata_serve_request_seconds_bucket{route=\"/health\",le=\"0.001\"} 0\n",
            "webstrata_serve_request_seconds_bucket{route=\"/health\",le=\"0.0025\"} 1\n",
            "webstrata_serve_request_seconds_bucket{route=\"/health\",le=\"10\"} 1\n",
            "webstrata_serve_request_seconds_bucket{route=\"/health\",le=\"+Inf\"} 2\n",
            "webstrata_serve_request_seconds_count{route=\"/health\"} 2\n",
            "webstrata_serve_requests_in_flight 1\n",
            "webstrata_serve_queue 3\n",
            "webstrata_serve_pages_cut_total{limit=\"deadline\"} 1\n",
            "webstrata_serve_pages_cut_total{limit=\"bytes\"} 0\n",
        ] {
            assert!(text.contains(expected), "{expected}\n{text}");
        }
        assert!(metrics.text(Gauges::default()).contains("requests_in_flight 0\n"));
    }
}
