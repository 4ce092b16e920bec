//! Connections between processes. They are made within a bounded time. A lost connection is reported as an error, not
//! as a panic.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use socket2::{SockRef, TcpKeepalive};
use timely_communication::allocator::zero_copy::stream::Stream;
use webstrata_base::Error;

/// The pause between two attempts to reach a worker.
const PAUSE: Duration = Duration::from_millis(50);

/// How long a caller may take to send its greeting.
const GREETING_TIMEOUT: Duration = Duration::from_secs(5);

/// Callers whose greeting is waited for at once.
const MOST_CALLERS: usize = 256;

/// How long a connection is silent before its other end is asked whether it is still there.
const KEEPALIVE: Duration = Duration::from_secs(30);

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

    /// Reads a greeting that is whole in time, however slowly its bytes come.
    fn receive(mut stream: &TcpStream, until: Instant) -> io::Result<Greeting> {
        let until = until.min(Instant::now() + GREETING_TIMEOUT);
        let mut bytes = [0; 32];
        let mut read = 0;
        while read < bytes.len() {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(io::Error::new(ErrorKind::TimedOut, "it says nothing"));
            }
            stream.set_read_timeout(Some(left))?;
            match stream.read(&mut bytes[read..]) {
                Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                Ok(more) => read += more,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
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
            Greeting::receive(&stream, until).map(|greeting| (stream, greeting))
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
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// Waits for the calls of all workers behind this one. Anybody may call, say nothing, and hold the line: callers are
/// listened to side by side.
fn accept(
    listener: &TcpListener,
    peers: &[String],
    mine: &Greeting,
    until: Instant,
    streams: &mut [Option<TcpStream>],
) -> Result<(), Error> {
    let broken = |error: io::Error| Error::new(format!("{}: {error}", peers[mine.index]));
    listener.set_nonblocking(true).map_err(broken)?;
    let mut callers = Callers::new(peers, *mine, until);
    loop {
        let missing = (mine.index + 1..peers.len()).find(|other| streams[*other].is_none());
        let Some(missing) = missing else { return Ok(()) };
        if Instant::now() >= until {
            return Err(Error::new(format!(
                "{} has not called; is it running?",
                name(missing, peers)
            )));
        }
        match listener.accept() {
            Ok((stream, _)) => callers.listen_to(stream),
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                if let Some((stream, greeting)) = callers.next(PAUSE)? {
                    check_place(greeting.index, streams, mine, peers)?;
                    streams[greeting.index] = Some(stream);
                }
            }
            Err(error) => return Err(broken(error)),
        }
    }
}

/// A worker that has greeted as it should.
type Greeted = (TcpStream, Greeting);

/// Those who have called, each with a thread that waits for its greeting.
struct Callers {
    peers: Arc<[String]>,
    mine: Greeting,
    until: Instant,
    /// The connections of those that are listened to, by their numbers: the first calls first.
    open: BTreeMap<u64, TcpStream>,
    calls: u64,
    sender: Sender<(u64, Option<Result<Greeted, Error>>)>,
    greeted: Receiver<(u64, Option<Result<Greeted, Error>>)>,
}

impl Callers {
    fn new(peers: &[String], mine: Greeting, until: Instant) -> Callers {
        let (sender, greeted) = channel();
        let (peers, open) = (peers.into(), BTreeMap::new());
        Callers { peers, mine, until, open, calls: 0, sender, greeted }
    }

    /// Listens to one more. Where too many say nothing, the first of them is cut off.
    fn listen_to(&mut self, stream: TcpStream) {
        let Ok(own) = stream.try_clone() else { return };
        while self.open.len() >= MOST_CALLERS {
            if let Some((_, silent)) = self.open.pop_first() {
                hang_up(&silent);
            }
        }
        self.calls += 1;
        self.open.insert(self.calls, own);
        let (call, sender, peers) = (self.calls, self.sender.clone(), Arc::clone(&self.peers));
        let (mine, until) = (self.mine, self.until);
        let listen = move || {
            // The receiver has gone where nobody is waited for any more.
            let _ = sender.send((call, heard(stream, &mine, &peers, until)));
        };
        if std::thread::Builder::new().name("greeting".into()).spawn(listen).is_err() {
            self.open.remove(&call);
        }
    }

    /// The next worker that has greeted within this time, if any has.
    fn next(&mut self, wait: Duration) -> Result<Option<Greeted>, Error> {
        let Ok((call, heard)) = self.greeted.recv_timeout(wait) else { return Ok(None) };
        self.open.remove(&call);
        heard.transpose()
    }
}

impl Drop for Callers {
    /// Ends the threads of those that are still silent.
    fn drop(&mut self) {
        self.open.values().for_each(hang_up);
    }
}

/// A connection that is lost already cannot be shut down; its error does not matter.
fn hang_up(stream: &TcpStream) {
    let _ = stream.shutdown(Shutdown::Both);
}

/// What a caller says: a greeting as it should be, or one of a worker that does not fit. `None` where it is no worker.
fn heard(
    stream: TcpStream,
    mine: &Greeting,
    peers: &[String],
    until: Instant,
) -> Option<Result<Greeted, Error>> {
    let greeting = greeted(&stream, mine, until).ok()?;
    if let Err(error) = greeting.check(mine, peers) {
        return Some(Err(error));
    }
    let stream = confirmed(stream, &greeting, until).ok()?;
    Some(Ok((stream, greeting)))
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

fn greeted(stream: &TcpStream, mine: &Greeting, until: Instant) -> io::Result<Greeting> {
    stream.set_nonblocking(false)?;
    let greeting = Greeting::receive(stream, until)?;
    mine.send(stream)?;
    Ok(greeting)
}

/// Waits for the second greeting. A caller that has given up in the meantime does not send it.
fn confirmed(stream: TcpStream, greeting: &Greeting, until: Instant) -> io::Result<TcpStream> {
    if Greeting::receive(&stream, until)? != *greeting {
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
    // A machine that has lost its power says nothing any more, and nobody would know while all wait for its votes.
    let keepalive = TcpKeepalive::new().with_time(KEEPALIVE).with_interval(KEEPALIVE / 3);
    SockRef::from(&stream).set_tcp_keepalive(&keepalive)?;
    Ok(stream)
}
