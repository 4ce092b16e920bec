//! Connections between processes. They are made within a bounded time. A lost connection is reported as an error, not
//! as a panic.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use timely_communication::allocator::zero_copy::stream::Stream;
use webstrata_base::Error;

/// The pause between two attempts to reach a worker.
const PAUSE: Duration = Duration::from_millis(50);

/// How long a caller may take to send its greeting.
const GREETING_TIMEOUT: Duration = Duration::from_secs(5);

/// The size of the head of timely's messages.
const HEAD: usize = 48;

/// The longest wait. A longer one could overflow the clock.
const LONGEST_WAIT: Duration = Duration::from_secs(365 * 24 * 3600);

const GREETING: u64 = 0x7773_6c69_6e6b_7331;

/// Which workers are gone. All connections and threads of a process share it.
#[derive(Default)]
pub(crate) struct Liveness {
    state: Mutex<LivenessState>,
    changed: Condvar,
}

#[derive(Default)]
struct LivenessState {
    /// Workers that have gone, and what was seen of it.
    gone: Vec<(usize, String)>,
    /// How many connections have nothing more to send.
    ended: usize,
    /// This worker needs no connections any more.
    over: bool,
}

impl Liveness {
    fn state(&self) -> MutexGuard<'_, LivenessState> {
        // No thread leaves the state half changed, even when it panics.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn gone(&self, worker: usize) -> Option<String> {
        self.state().gone.iter().find(|(gone, _)| *gone == worker).map(|(_, why)| why.clone())
    }

    pub(crate) fn set_gone(&self, worker: usize, why: impl Into<String>) {
        if self.gone(worker).is_none() {
            self.state().gone.push((worker, why.into()));
        }
    }

    /// Waits until all connections have sent everything, not longer than `most`, and lets their threads end.
    pub(crate) fn end(&self, connections: usize, most: Duration) {
        let waiting = |state: &mut LivenessState| state.ended < connections;
        let result = self.changed.wait_timeout_while(self.state(), most, waiting);
        let (mut state, _) = result.unwrap_or_else(PoisonError::into_inner);
        state.over = true;
        drop(state);
        self.changed.notify_all();
    }

    fn wait_until_over(&self) {
        let state = self.changed.wait_while(self.state(), |state| !state.over);
        drop(state.unwrap_or_else(PoisonError::into_inner));
    }

    fn connection_ended(&self) {
        self.state().ended += 1;
        self.changed.notify_all();
    }
}

/// A connection to a worker of another process.
///
/// timely's threads panic when a connection breaks, and the workers with them. So a broken connection is hidden from
/// them: writes are dropped, and a reader waits until its worker has noticed the loss (see [`Liveness`]) and ended. The
/// orderly end of a connection is passed on, since timely hands out the last messages after it.
pub(crate) struct Connection {
    stream: TcpStream,
    worker: usize,
    liveness: Arc<Liveness>,
    frames: Frames,
}

/// Follows timely's messages on a connection to see where they end: the last head is that of an empty message.
#[derive(Default)]
struct Frames {
    head: Vec<u8>,
    /// Bytes of the message that are still to come.
    left: usize,
    ended: bool,
}

impl Frames {
    fn follow(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let inside = self.left.min(bytes.len());
            self.left -= inside;
            bytes = &bytes[inside..];
            let (more, rest) = bytes.split_at(bytes.len().min(HEAD - self.head.len()));
            self.head.extend_from_slice(more);
            bytes = rest;
            if self.head.len() == HEAD {
                let length = length(&self.head);
                self.left = length;
                self.ended = length == 0;
                self.head.clear();
            }
        }
    }
}

/// The length of the message behind a head: its fifth number, high end first.
fn length(head: &[u8]) -> usize {
    let (words, _) = head.as_chunks::<8>();
    words.get(4).map_or(0, |word| u64::from_be_bytes(*word) as usize)
}

impl Connection {
    fn new(stream: TcpStream, worker: usize, liveness: &Arc<Liveness>) -> Connection {
        Connection { stream, worker, liveness: Arc::clone(liveness), frames: Frames::default() }
    }

    fn lost(&self, error: &io::Error) {
        self.liveness.set_gone(self.worker, error.to_string());
    }
}

impl Read for Connection {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.stream.read(into) {
                Ok(0) => {
                    self.liveness.set_gone(self.worker, "it has closed its connection");
                    if self.frames.ended {
                        return Ok(0);
                    }
                }
                Ok(length) => {
                    self.frames.follow(&into[..length]);
                    return Ok(length);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => self.lost(&error),
            }
            self.liveness.wait_until_over();
            // Ends this thread without a message.
            std::panic::resume_unwind(Box::new("the connection has ended"));
        }
    }
}

impl Write for Connection {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.stream.write(bytes) {
            Err(error) if error.kind() == ErrorKind::Interrupted => Err(error),
            Err(error) => {
                self.lost(&error);
                Ok(bytes.len())
            }
            written => written,
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush().or_else(|error| {
            self.lost(&error);
            Ok(())
        })
    }
}

impl Stream for Connection {
    fn try_clone(&self) -> io::Result<Connection> {
        Ok(Connection::new(self.stream.try_clone()?, self.worker, &self.liveness))
    }

    fn set_nonblocking(&self, nonblocking: bool) -> io::Result<()> {
        self.stream.set_nonblocking(nonblocking)
    }

    fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        // A lost connection cannot be shut down; its error does not matter.
        let _ = self.stream.shutdown(how);
        self.liveness.connection_ended();
        Ok(())
    }
}

/// The first message on a connection.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Greeting {
    index: usize,
    workers: usize,
    /// Of all that must be the same everywhere: graph, jumps, options.
    task: u64,
}

impl Greeting {
    fn send(&self, mut stream: &TcpStream) -> io::Result<()> {
        let words = [GREETING, self.index as u64, self.workers as u64, self.task];
        stream.write_all(&words.map(u64::to_le_bytes).concat())
    }

    fn receive(mut stream: &TcpStream) -> io::Result<Greeting> {
        let mut bytes = [0; 32];
        stream.read_exact(&mut bytes)?;
        let (words, _) = bytes.as_chunks::<8>();
        let words: Vec<u64> = words.iter().map(|word| u64::from_le_bytes(*word)).collect();
        let [GREETING, index, workers, task] = words[..] else {
            return Err(io::Error::new(
                ErrorKind::InvalidData,
                "it does not send the greeting of a worker",
            ));
        };
        Ok(Greeting { index: index as usize, workers: workers as usize, task })
    }

    /// Is it the worker that we expect, with the same task?
    fn check(&self, mine: &Greeting, peers: &[String]) -> Result<(), Error> {
        let wrong = |what: &str| Err(Error::new(format!("{}: {what}", name(self.index, peers))));
        if self.workers != mine.workers {
            return wrong(&format!(
                "it works with {} workers, this one with {}; give all the same list of peers",
                self.workers, mine.workers
            ));
        }
        if self.index == mine.index {
            return wrong("it has the same number as this one; give each worker its own");
        }
        if self.task != mine.task {
            return wrong(
                "it has another graph, other jumps or other options; all must be the same",
            );
        }
        Ok(())
    }
}

/// A worker as messages name it.
pub(crate) fn name(index: usize, peers: &[String]) -> String {
    match peers.get(index) {
        Some(address) => format!("worker {index} at {address}"),
        None => format!("worker {index}"),
    }
}

/// Connects a worker with all others: a connection to each, nothing for itself.
pub(crate) fn connect(
    peers: &[String],
    index: usize,
    task: u64,
    wait: Duration,
    liveness: &Arc<Liveness>,
) -> Result<Vec<Option<Connection>>, Error> {
    let mine = Greeting { index, workers: peers.len(), task };
    let until = Instant::now() + wait.min(LONGEST_WAIT);
    let address = peers.get(index).ok_or_else(|| {
        Error::new(format!("there is no worker {index}, the list of peers has {}", peers.len()))
    })?;
    // Listen first: workers behind this one in the list may be calling already.
    let listener = TcpListener::bind(address).map_err(|error| {
        Error::new(format!("cannot listen at {address} as worker {index}: {error}"))
    })?;
    let mut streams: Vec<Option<TcpStream>> = peers.iter().map(|_| None).collect();
    for (other, stream) in streams.iter_mut().enumerate().take(index) {
        *stream = Some(call(other, peers, &mine, until)?);
    }
    accept(&listener, peers, &mine, until, &mut streams)?;
    let connection = |(worker, stream): (usize, Option<TcpStream>)| {
        stream.map(|stream| Connection::new(stream, worker, liveness))
    };
    Ok(streams.into_iter().enumerate().map(connection).collect())
}

/// Calls a worker until it answers.
fn call(
    other: usize,
    peers: &[String],
    mine: &Greeting,
    until: Instant,
) -> Result<TcpStream, Error> {
    let address = &peers[other];
    loop {
        let answer = dial(address, until).and_then(|stream| {
            mine.send(&stream)?;
            Greeting::receive(&stream).map(|greeting| (stream, greeting))
        });
        let error = match answer {
            Ok((stream, greeting)) => {
                greeting.check(mine, peers)?;
                if greeting.index != other {
                    return Err(Error::new(format!(
                        "{address} is worker {}, not {other}; give all workers the same list of peers",
                        greeting.index
                    )));
                }
                // We may have given up an earlier call that the other one still finds: this is the one that counts.
                return mine
                    .send(&stream)
                    .and_then(|()| ready(stream))
                    .map_err(|error| unreachable_worker(other, peers, &error));
            }
            Err(error) => error,
        };
        if Instant::now() >= until {
            return Err(unreachable_worker(other, peers, &error));
        }
        std::thread::sleep(PAUSE);
    }
}

fn unreachable_worker(worker: usize, peers: &[String], error: &io::Error) -> Error {
    Error::new(format!("cannot reach {}: {error}; is it running?", name(worker, peers)))
}

fn dial(address: &str, until: Instant) -> io::Result<TcpStream> {
    let left = until.saturating_duration_since(Instant::now()).max(PAUSE);
    let mut last = io::Error::new(ErrorKind::NotFound, "no such host");
    for address in address.to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, left.min(GREETING_TIMEOUT)) {
            Ok(stream) => {
                stream.set_read_timeout(Some(left.min(GREETING_TIMEOUT)))?;
                return Ok(stream);
            }
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// Waits for the calls of all workers behind this one.
fn accept(
    listener: &TcpListener,
    peers: &[String],
    mine: &Greeting,
    until: Instant,
    streams: &mut [Option<TcpStream>],
) -> Result<(), Error> {
    let broken = |error: io::Error| Error::new(format!("{}: {error}", peers[mine.index]));
    listener.set_nonblocking(true).map_err(broken)?;
    loop {
        let missing = (mine.index + 1..peers.len()).find(|other| streams[*other].is_none());
        let Some(missing) = missing else { return Ok(()) };
        match listener.accept() {
            // A caller without a greeting is no worker.
            Ok((stream, _)) => {
                if let Ok(greeting) = greeted(&stream, mine) {
                    greeting.check(mine, peers)?;
                    check_place(greeting.index, streams, mine, peers)?;
                    if let Ok(stream) = confirmed(stream, &greeting) {
                        streams[greeting.index] = Some(stream);
                    }
                }
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                if Instant::now() >= until {
                    return Err(Error::new(format!(
                        "{} has not called; is it running?",
                        name(missing, peers)
                    )));
                }
                std::thread::sleep(PAUSE);
            }
            Err(error) => return Err(broken(error)),
        }
    }
}

/// Only workers behind this one call it, each once.
fn check_place(
    other: usize,
    streams: &[Option<TcpStream>],
    mine: &Greeting,
    peers: &[String],
) -> Result<(), Error> {
    let wrong = |what: &str| Err(Error::new(format!("{}: {what}", name(other, peers))));
    match streams.get(other) {
        Some(None) if other > mine.index => Ok(()),
        Some(Some(_)) if other > mine.index => {
            wrong("it has called twice; give each worker its own number")
        }
        _ => wrong("it has called a worker behind it; give all the same list of peers"),
    }
}

fn greeted(stream: &TcpStream, mine: &Greeting) -> io::Result<Greeting> {
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(GREETING_TIMEOUT))?;
    let greeting = Greeting::receive(stream)?;
    mine.send(stream)?;
    Ok(greeting)
}

/// Waits for the second greeting. A caller that has given up in the meantime does not send it.
fn confirmed(stream: TcpStream, greeting: &Greeting) -> io::Result<TcpStream> {
    if Greeting::receive(&stream)? != *greeting {
        return Err(io::Error::new(
            ErrorKind::InvalidData,
            "its second greeting differs from the first",
        ));
    }
    ready(stream)
}

fn ready(stream: TcpStream) -> io::Result<TcpStream> {
    stream.set_read_timeout(None)?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

#[cfg(test)]
mod tests {
    use timely_communication::networking::MessageHeader;

    use super::*;

    #[test]
    fn a_call_that_was_given_up_is_not_taken_for_a_connection() {
        let listeners = [0, 1].map(|_| TcpListener::bind("127.0.0.1:0").unwrap());
        let peers = listeners.map(|listener| listener.local_addr().unwrap().to_string());
        let liveness = Arc::new(Liveness::default());
        let open = |index| connect(&peers, index, 7, 2 * GREETING_TIMEOUT, &liveness);
        let (first, second) = std::thread::scope(|scope| {
            let first = scope.spawn(|| open(0));
            let caller = Greeting { index: 1, workers: 2, task: 7 };
            let given_up = loop {
                if let Ok(stream) = TcpStream::connect(&peers[0]) {
                    break stream;
                }
                std::thread::sleep(PAUSE);
            };
            caller.send(&given_up).unwrap();
            assert_eq!(Greeting::receive(&given_up).unwrap().index, 0);
            drop(given_up);
            let second = open(1);
            (first.join().unwrap().unwrap(), second.unwrap())
        });
        let (mut first, mut second) = (first, second);
        second[0].as_mut().unwrap().write_all(b"here").unwrap();
        let mut bytes = [0; 4];
        first[1].as_mut().unwrap().read_exact(&mut bytes).unwrap();
        assert_eq!(&bytes, b"here");
    }

    #[test]
    fn only_workers_behind_this_one_call_and_only_once() {
        let peers = ["a:1", "b:1", "c:1"].map(str::to_owned);
        let mine = Greeting { index: 1, workers: 3, task: 7 };
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let stream = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let mut streams = [None, None, None];
        assert_eq!(check_place(2, &streams, &mine, &peers), Ok(()));
        assert!(check_place(0, &streams, &mine, &peers).is_err());
        assert!(check_place(9, &streams, &mine, &peers).is_err());
        streams[2] = Some(stream);
        assert!(check_place(2, &streams, &mine, &peers).is_err());
    }

    #[test]
    fn the_orderly_end_of_a_connection_is_seen_however_it_is_cut() {
        let mut bytes = Vec::new();
        for length in [3, 100, 48, 0] {
            let header = MessageHeader {
                channel: 0,
                source: 1,
                target_lower: 0,
                target_upper: 1,
                length,
                seqno: 7,
            };
            header.write_to(&mut bytes).unwrap();
            assert_eq!(header.header_bytes(), HEAD);
            bytes.extend(std::iter::repeat_n(0, length));
        }
        for piece in 1..bytes.len() {
            let mut frames = Frames::default();
            let mut read = 0;
            for bytes in bytes.chunks(piece) {
                assert!(!frames.ended);
                frames.follow(bytes);
                read += bytes.len();
            }
            assert!(frames.ended && read == bytes.len());
        }
    }
}
