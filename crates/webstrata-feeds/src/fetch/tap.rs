//! What goes over a connection, seen from below HTTP: heads as they came, byte by byte, for web archives.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Sleep;

use super::connect::Stream;
use super::wire::{MOST_HEAD, is_timeout};

/// Heads before the final one (`100 Continue` and the like).
const MOST_INTERIM: usize = 8;

/// How often a stream without a socket is asked whether it goes on.
const PAUSE: Duration = Duration::from_millis(2);

/// A connection that a runtime waits for.
pub(super) trait Duplex: AsyncRead + AsyncWrite + Unpin + Send {}

impl<T: AsyncRead + AsyncWrite + Unpin + Send> Duplex for T {}

/// The heads of the exchange that a connection is busy with.
#[derive(Debug, Default)]
pub(super) struct Heads {
    pub(super) request: Vec<u8>,
    pub(super) response: Vec<u8>,
    /// Bytes of an answer have come.
    pub(super) has_begun: bool,
    is_sent: bool,
    is_received: bool,
    interim: usize,
}

impl Heads {
    fn sent(&mut self, bytes: &[u8]) {
        if !self.is_sent {
            self.is_sent = note(&mut self.request, bytes);
        }
    }

    /// Notes what came. Control characters in the line of the status are blanked: hyper refuses what browsers
    /// pass over.
    fn received(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        self.has_begun |= !bytes.is_empty();
        if self.is_received {
            return Ok(());
        }
        let before = self.response.len();
        let mut is_whole = note(&mut self.response, bytes);
        if !self.response[..before].contains(&b'\n') {
            let line = bytes.iter_mut().take_while(|byte| **byte != b'\n');
            line.filter(|byte| byte.is_ascii_control() && !b"\t\r".contains(byte))
                .for_each(|byte| *byte = b' ');
        }
        while is_whole && is_interim(&self.response) {
            self.interim += 1;
            if self.interim >= MOST_INTERIM {
                let message = "the server announces an answer and gives none";
                return Err(io::Error::new(io::ErrorKind::InvalidData, message));
            }
            let end = end_of_head(&self.response, 0).unwrap_or(self.response.len());
            self.response.drain(..end);
            is_whole = end_of_head(&self.response, 0).is_some();
        }
        if is_whole {
            let end = end_of_head(&self.response, 0).unwrap_or(self.response.len());
            self.response.truncate(end);
        }
        self.is_received = is_whole;
        Ok(())
    }
}

/// Adds bytes to a head. `true` if it is whole, or too long to be one.
fn note(head: &mut Vec<u8>, bytes: &[u8]) -> bool {
    let before = head.len();
    head.extend_from_slice(&bytes[..bytes.len().min(2 * MOST_HEAD - before)]);
    match end_of_head(head, before.saturating_sub(3)) {
        Some(end) if !is_interim(head) => {
            head.truncate(end);
            true
        }
        Some(_) => true,
        None => head.len() >= 2 * MOST_HEAD,
    }
}

/// The first byte behind the empty line that ends a head.
fn end_of_head(bytes: &[u8], from: usize) -> Option<usize> {
    let mut start = from;
    loop {
        let feed = start + memchr::memchr(b'\n', bytes.get(start..)?)?;
        match bytes.get(feed + 1..) {
            Some([b'\n', ..]) => return Some(feed + 2),
            Some([b'\r', b'\n', ..]) => return Some(feed + 3),
            _ => start = feed + 1,
        }
    }
}

fn is_interim(head: &[u8]) -> bool {
    webstrata_archive::http::status(head).is_some_and(|status| (100..200).contains(&status))
}

/// The heads that a [`Tap`] hears.
#[derive(Clone, Debug, Default)]
pub(super) struct Heard(Arc<Mutex<Heads>>);

impl Heard {
    /// From here on, the next exchange.
    pub(super) fn begin(&self) {
        *self.lock() = Heads::default();
    }

    pub(super) fn has_begun(&self) -> bool {
        self.lock().has_begun
    }

    /// The heads of the request and of the answer.
    pub(super) fn take(&self) -> (Vec<u8>, Vec<u8>) {
        let mut heads = self.lock();
        (std::mem::take(&mut heads.request), std::mem::take(&mut heads.response))
    }

    fn lock(&self) -> MutexGuard<'_, Heads> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A connection whose heads are heard.
pub(super) struct Tap {
    inner: Box<dyn Duplex>,
    heard: Heard,
    /// Something was asked. Who speaks before that is heard after it; hyper would hang up.
    has_asked: bool,
    reader: Option<Waker>,
}

impl Tap {
    pub(super) fn new(inner: Box<dyn Duplex>) -> (Tap, Heard) {
        let heard = Heard::default();
        (Tap { inner, heard: heard.clone(), has_asked: false, reader: None }, heard)
    }
}

impl AsyncRead for Tap {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if !self.has_asked {
            self.reader = Some(context.waker().clone());
            return Poll::Pending;
        }
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.inner).poll_read(context, buffer))?;
        Poll::Ready(self.heard.lock().received(&mut buffer.filled_mut()[before..]))
    }
}

impl AsyncWrite for Tap {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = ready!(Pin::new(&mut self.inner).poll_write(context, bytes))?;
        self.heard.lock().sent(&bytes[..written]);
        self.has_asked = true;
        if let Some(reader) = self.reader.take() {
            reader.wake();
        }
        Poll::Ready(Ok(written))
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(context)
    }
}

/// A stream without a socket that the system could watch: it is asked every few milliseconds.
pub(super) struct Asked {
    stream: Box<dyn Stream>,
    pause: Option<Pin<Box<Sleep>>>,
}

impl Asked {
    pub(super) fn new(stream: Box<dyn Stream>) -> Asked {
        Asked { stream, pause: None }
    }

    fn ask<T>(
        &mut self,
        context: &mut Context<'_>,
        mut what: impl FnMut(&mut dyn Stream) -> io::Result<T>,
    ) -> Poll<io::Result<T>> {
        loop {
            if let Some(pause) = &mut self.pause {
                ready!(pause.as_mut().poll(context));
                self.pause = None;
            }
            self.stream.set_timeout(Duration::from_millis(1))?;
            match what(&mut *self.stream) {
                Err(error) if is_timeout(&error) => {
                    self.pause = Some(Box::pin(tokio::time::sleep(PAUSE)));
                }
                done => return Poll::Ready(done),
            }
        }
    }
}

impl AsyncRead for Asked {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let mut bytes = vec![0; buffer.remaining().min(16 * 1024)];
        let read = ready!(self.ask(context, |stream| stream.read(&mut bytes)))?;
        buffer.put_slice(&bytes[..read]);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Asked {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.ask(context, |stream| stream.write(bytes))
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.ask(context, |stream| stream.flush())
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_flush(context)
    }
}
