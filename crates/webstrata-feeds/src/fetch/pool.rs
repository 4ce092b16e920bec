//! Connections that wait for the next request to the same server.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hyper::client::conn::{http1, http2};

use super::proxy::Proxy;
use super::tap::Heard;
use super::wire::Payload;

/// How long a connection waits. Servers close theirs after 5 to 75 seconds.
const LONGEST: Duration = Duration::from_secs(30);

/// Connections that wait, of all servers and of one.
const MOST: usize = 256;
const MOST_OF_ONE: usize = 8;

/// Whose connection it is: one made under other settings may lead where these do not go.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    /// The settings that decide where connections lead.
    pub(super) way: usize,
    pub(super) is_secure: bool,
    pub(super) host: String,
    pub(super) port: u16,
}

/// How requests get into a connection.
pub(super) enum Sender {
    /// One at a time.
    Http1(http1::SendRequest<Payload>, Heard),
    /// Many beside each other.
    Http2(http2::SendRequest<Payload>),
}

/// A connection that requests can be sent over.
pub(super) struct Line {
    pub(super) sender: Sender,
    /// The machine at its end, where we know it.
    pub(super) address: Option<IpAddr>,
    /// The proxy that is given the requests themselves.
    pub(super) forwarder: Option<Proxy>,
}

impl Line {
    fn is_closed(&self) -> bool {
        match &self.sender {
            Sender::Http1(sender, _) => sender.is_closed(),
            Sender::Http2(sender) => sender.is_closed(),
        }
    }

    /// The same connection once more, where it carries many requests.
    pub(super) fn shared(&self) -> Option<Line> {
        match &self.sender {
            Sender::Http1(..) => None,
            Sender::Http2(sender) => Some(Line {
                sender: Sender::Http2(sender.clone()),
                address: self.address,
                forwarder: self.forwarder.clone(),
            }),
        }
    }
}

/// The connections that wait.
#[derive(Default)]
pub(super) struct Pool {
    waiting: Mutex<Waiting>,
}

#[derive(Default)]
struct Waiting {
    lines: HashMap<Key, Vec<(Line, Instant)>>,
    count: usize,
    is_swept: bool,
}

impl Pool {
    /// A connection for a request to this server. The one that was used last comes first: it is the least likely
    /// to have been closed.
    pub(super) fn take(&self, key: &Key) -> Option<Line> {
        let mut waiting = self.lock();
        let lines = waiting.lines.get_mut(key)?;
        let before = lines.len();
        lines.retain(|(line, since)| !line.is_closed() && since.elapsed() < LONGEST);
        let mut gone = before - lines.len();
        let found = match lines.last_mut() {
            Some((line, since)) => {
                line.shared().inspect(|_| *since = Instant::now()).or_else(|| {
                    gone += 1;
                    lines.pop().map(|(line, _)| line)
                })
            }
            None => None,
        };
        if lines.is_empty() {
            waiting.lines.remove(key);
        }
        waiting.count -= gone;
        found
    }

    /// Keeps a connection for later. Of too many, it is closed.
    pub(super) fn keep(self: &Arc<Pool>, key: &Key, line: Line) {
        let mut waiting = self.lock();
        let of_one = waiting.lines.get(key).map_or(0, Vec::len);
        if waiting.count >= MOST || of_one >= MOST_OF_ONE {
            return;
        }
        waiting.lines.entry(key.clone()).or_default().push((line, Instant::now()));
        waiting.count += 1;
        if !std::mem::replace(&mut waiting.is_swept, true) {
            let pool = Arc::downgrade(self);
            tokio::spawn(async move {
                loop {
                    tokio::time::sleep(LONGEST / 2).await;
                    if pool.upgrade().is_none_or(|pool| !pool.sweep()) {
                        return;
                    }
                }
            });
        }
    }

    /// Forgets all connections to a server.
    pub(super) fn forget(&self, key: &Key) {
        let mut waiting = self.lock();
        let gone = waiting.lines.remove(key).map_or(0, |lines| lines.len());
        waiting.count -= gone;
    }

    /// Closes what has waited for too long. `false` if nothing waits any more.
    fn sweep(&self) -> bool {
        let mut waiting = self.lock();
        waiting.lines.retain(|_, lines| {
            lines.retain(|(line, since)| !line.is_closed() && since.elapsed() < LONGEST);
            !lines.is_empty()
        });
        waiting.count = waiting.lines.values().map(Vec::len).sum();
        waiting.is_swept = waiting.count > 0;
        waiting.is_swept
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
