//! The exchange between workers on timely's communication layer: threads of a process by its queues, processes by TCP,
//! the same code above both.
//!
//! Each worker gets one message from each other worker in every exchange, so it knows by counting when it has them all:
//! there is no progress to be tracked, and timely's dataflow above that layer is not needed.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use timely_communication::allocator::zero_copy::allocator::TcpBuilder;
use timely_communication::allocator::zero_copy::initialize::initialize_networking_from_sockets;
use timely_communication::allocator::{Allocator, ProcessBuilder};
use timely_communication::{Bytesable, Hooks, Pull, Push};
use webstrata_base::Error;

use super::connections::{self, Liveness};
use super::messages::RoundMessage;
use crate::rank::exchange::{Exchange, Message};

/// The only channel.
const CHANNEL: usize = 0;

/// How often a waiting worker looks whether the others are still there.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// How long messages of a worker that has gone may still be on their way inside of this process.
const DELIVERY_GRACE: Duration = Duration::from_secs(1);

/// How long connections may take to send what is left when a worker ends.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(10);

/// A worker that is connected but not yet open. It can still move to another thread.
pub struct Connected {
    builder: Builder,
    peers: Vec<String>,
    liveness: Arc<Liveness>,
}

enum Builder {
    Thread(ProcessBuilder),
    Process(TcpBuilder),
}

/// Connects so many workers that are threads of this process.
pub fn threads(workers: usize) -> Vec<Connected> {
    let liveness = Arc::new(Liveness::default());
    ProcessBuilder::new_typed_vector(workers, Hooks::default().refill, None)
        .into_iter()
        .map(|builder| Connected {
            builder: Builder::Thread(builder),
            peers: Vec::new(),
            liveness: Arc::clone(&liveness),
        })
        .collect()
}

/// Connects this process, as a worker of those at `peers` (host:port each), with all others. `task` stands for all
/// that must be the same everywhere; see [`super::task`]. Waits at most `wait` for the others.
pub fn connect(
    peers: &[String],
    index: usize,
    task: u64,
    wait: Duration,
) -> Result<Connected, Error> {
    let liveness = Arc::new(Liveness::default());
    let connections = connections::connect(peers, index, task, wait, &liveness)?;
    let hooks = Hooks::default();
    let threads = ProcessBuilder::new_typed_vector(1, hooks.refill.clone(), None);
    let failed =
        |error| Error::new(format!("the connections to other workers cannot be used: {error}"));
    let (mut builders, guard) =
        initialize_networking_from_sockets(threads, connections, index, 1, hooks)
            .map_err(failed)?;
    // The guard would wait for its threads and panic with them. `Endpoint::drop` waits instead, for a bounded time.
    std::mem::forget(guard);
    let builder = builders.pop().ok_or_else(|| Error::new("timely made no worker"))?;
    Ok(Connected { builder: Builder::Process(builder), peers: peers.to_vec(), liveness })
}

impl Connected {
    /// Begins to work on this thread.
    pub fn open(self) -> Endpoint {
        let mut allocator = match self.builder {
            Builder::Thread(builder) => Allocator::Process(builder.build()),
            Builder::Process(builder) => Allocator::Tcp(builder.build()),
        };
        let (to, from) = allocator.allocate(CHANNEL);
        Endpoint {
            index: allocator.index(),
            workers: allocator.peers(),
            channels: Some(Channels { to, from, allocator }),
            peers: self.peers,
            liveness: self.liveness,
            round: 0,
            early: BTreeMap::new(),
            sent: 0,
            patience: None,
        }
    }
}

/// The endpoint of a worker: it exchanges messages with all others.
pub struct Endpoint {
    index: usize,
    workers: usize,
    channels: Option<Channels>,
    peers: Vec<String>,
    liveness: Arc<Liveness>,
    round: u64,
    /// Letters of the next exchange, from workers that are ahead.
    early: BTreeMap<(u64, usize), Message>,
    sent: u64,
    /// How long nothing may come while we wait.
    pub(crate) patience: Option<Duration>,
}

struct Channels {
    to: Vec<Box<dyn Push<RoundMessage>>>,
    from: Box<dyn Pull<RoundMessage>>,
    allocator: Allocator,
}

impl Endpoint {
    /// Bytes sent to other workers so far.
    pub fn sent(&self) -> u64 {
        self.sent
    }

    /// A worker as messages name it.
    pub fn name(&self, worker: usize) -> String {
        connections::name(worker, &self.peers)
    }

    fn send(&mut self, messages: Vec<Message>) {
        let Some(channels) = &mut self.channels else { return };
        for (worker, (to, message)) in channels.to.iter_mut().zip(messages).enumerate() {
            let message =
                RoundMessage { from: self.index, round: self.round, message: Some(message) };
            if worker != self.index {
                self.sent += message.length_in_bytes() as u64;
            }
            to.send(message);
            to.done();
        }
        channels.allocator.release();
    }

    /// Stores the messages that have arrived. Returns whether there were any.
    fn receive(&mut self) -> Result<bool, Error> {
        let Some(channels) = &mut self.channels else { return Ok(false) };
        let mut any = false;
        channels.allocator.receive();
        channels.allocator.events().borrow_mut().clear();
        while let Some(RoundMessage { from, round, message }) = channels.from.recv() {
            let message = message.ok_or_else(|| {
                Error::new("a message between workers came damaged; do all have the same version?")
            })?;
            self.early.insert((round, from), message);
            any = true;
        }
        Ok(any)
    }

    /// Workers whose message of this round is missing.
    fn missing(&self) -> impl Iterator<Item = usize> {
        (0..self.workers).filter(|worker| !self.early.contains_key(&(self.round, *worker)))
    }

    fn lost(&self, worker: usize, why: &str) -> Error {
        Error::new(format!(
            "lost {}: {why}; start all workers again, where they keep checkpoints with --resume",
            self.name(worker)
        ))
    }

    fn wait(&mut self) -> Result<(), Error> {
        let mut gone_since = None;
        let mut last_arrival = Instant::now();
        loop {
            if self.receive()? {
                last_arrival = Instant::now();
            }
            let missing: Vec<usize> = self.missing().collect();
            if missing.is_empty() {
                return Ok(());
            }
            let gone =
                missing.iter().find_map(|worker| Some((worker, self.liveness.gone(*worker)?)));
            if let Some((worker, why)) = gone {
                let since = *gone_since.get_or_insert_with(Instant::now);
                if since.elapsed() > DELIVERY_GRACE {
                    return Err(self.lost(*worker, &why));
                }
            }
            if let Some(patience) =
                self.patience.filter(|patience| last_arrival.elapsed() > *patience)
            {
                let why = format!("nothing has come from it for {patience:?}");
                return Err(self.lost(missing[0], &why));
            }
            if let Some(channels) = &self.channels {
                channels.allocator.await_events(Some(POLL_INTERVAL));
            }
        }
    }
}

impl Exchange for Endpoint {
    fn partitions(&self) -> usize {
        self.workers
    }

    fn index(&self) -> usize {
        self.index
    }

    fn exchange(&mut self, messages: Vec<Message>) -> Result<Vec<Message>, Error> {
        self.send(messages);
        self.wait()?;
        let later = self.early.split_off(&(self.round + 1, 0));
        let now = std::mem::replace(&mut self.early, later);
        self.round += 1;
        Ok(now.into_values().collect())
    }
}

impl Drop for Endpoint {
    fn drop(&mut self) {
        self.liveness.set_gone(self.index, "it has ended too early");
        // Connections end when their senders are dropped.
        self.channels = None;
        if !self.peers.is_empty() {
            self.liveness.end(self.peers.len() - 1, FLUSH_TIMEOUT);
        }
    }
}
