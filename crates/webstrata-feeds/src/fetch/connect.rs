//! The two doors to the network: names to addresses, and connections to addresses.
//!
//! They are traits, so that tests can put recorders in their place and send nothing. The fetcher asks a
//! [`Resolve`] once for each request, checks every address that it gives, and hands the checked ones to a
//! [`Connect`]: there is no second resolution between the check and the connection that could answer
//! something else.

use std::io::{self, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpStream, ToSocketAddrs};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// Finds the addresses of a name.
pub trait Resolve: Send + Sync {
    /// All addresses of a name, in the order in which they should be tried.
    fn resolve(&self, name: &str, timeout: Duration) -> io::Result<Vec<IpAddr>>;
}

/// Opens connections.
pub trait Connect: Send + Sync {
    /// Opens a connection to exactly this address.
    fn connect(&self, to: SocketAddr, timeout: Duration) -> io::Result<Box<dyn Stream>>;
}

/// A connection.
pub trait Stream: Read + Write + Send {
    /// How long the next read or write may wait; never zero.
    fn set_timeout(&mut self, timeout: Duration) -> io::Result<()>;

    /// The socket below, where there is one: the system then says when there is something to read, and nobody
    /// has to ask again and again.
    fn socket(&self) -> Option<io::Result<TcpStream>> {
        None
    }
}

impl Stream for TcpStream {
    fn set_timeout(&mut self, timeout: Duration) -> io::Result<()> {
        self.set_read_timeout(Some(timeout))?;
        self.set_write_timeout(Some(timeout))
    }

    fn socket(&self) -> Option<io::Result<TcpStream>> {
        Some(self.try_clone())
    }
}

/// Names that may be asked for at once. The system's resolver cannot be told to stop, so that threads
/// would pile up where servers of names do not answer.
const MOST_PENDING: usize = 64;

static PENDING: AtomicUsize = AtomicUsize::new(0);

/// Counts a name that is being asked for, until it is dropped.
struct Pending;

impl Pending {
    fn begin() -> io::Result<Pending> {
        if PENDING.fetch_add(1, Ordering::Relaxed) >= MOST_PENDING {
            drop(Pending);
            return Err(io::Error::other("too many names are being resolved"));
        }
        Ok(Pending)
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        PENDING.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The machine's own resolver and connections.
#[derive(Clone, Copy, Debug, Default)]
pub struct System;

impl Resolve for System {
    fn resolve(&self, name: &str, timeout: Duration) -> io::Result<Vec<IpAddr>> {
        let (sender, receiver) = mpsc::channel();
        let name = name.to_owned();
        let pending = Pending::begin()?;
        thread::Builder::new().name("resolver".into()).spawn(move || {
            let found = (name.as_str(), 0_u16).to_socket_addrs();
            let found = found.map(|all| all.map(|address| address.ip()).collect());
            drop(pending);
            // Nobody waits any more if it took too long.
            let _ = sender.send(found);
        })?;
        let late = |_| io::Error::new(io::ErrorKind::TimedOut, "the name took too long to resolve");
        receiver.recv_timeout(timeout).map_err(late)?
    }
}

impl Connect for System {
    fn connect(&self, to: SocketAddr, timeout: Duration) -> io::Result<Box<dyn Stream>> {
        let stream = TcpStream::connect_timeout(&to, timeout)?;
        stream.set_nodelay(true)?;
        Ok(Box::new(stream))
    }
}
