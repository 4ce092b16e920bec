//! The memory of answers that clients have not taken yet.
//!
//! A request of half a megabyte may have an answer a hundred times as long. Whoever asks and takes it slowly would make
//! the server hold it, and with it as many as there are connections. So answers take room, as bodies do: of all there
//! is, of which one address gets a share only, and a long answer must be taken at a rate.

use std::collections::HashMap;
use std::io;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes};
use axum::http::Extensions;
use hyper::body::{Frame, SizeHint};

use crate::body::{BodyMemory, Permit, SMALL};
use crate::refusal::Refusal;
use crate::settings::Limits;

/// Bytes of an answer that are handed to the connection at once.
const PIECE: usize = 64 << 10;

/// Who asks, as the connection knows it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer(pub(crate) IpAddr);

impl Peer {
    pub(crate) fn of(extensions: &Extensions) -> Option<IpAddr> {
        extensions.get::<Peer>().map(|peer| peer.0)
    }
}

/// What all answers together may take, in bytes.
pub(crate) struct AnswerMemory {
    room: BodyMemory,
    /// What one address may take of it.
    share: usize,
    taken: Arc<Mutex<HashMap<IpAddr, usize>>>,
    patience: Duration,
    rate: usize,
}

impl AnswerMemory {
    pub(crate) fn new(limits: &Limits) -> AnswerMemory {
        AnswerMemory {
            room: BodyMemory::new(limits.answers),
            share: limits.answers / 2,
            taken: Arc::default(),
            patience: limits.write_time,
            rate: limits.answer_rate,
        }
    }

    /// An answer that takes room until its last byte is with the client, or the client has gone.
    pub(crate) fn hold(&self, bytes: Vec<u8>, peer: Option<IpAddr>) -> Result<Bytes, Refusal> {
        let share = peer.map(|peer| self.share_of(peer, bytes.len())).transpose()?;
        let room = self.room.take(bytes.len(), bytes.len() <= SMALL)?;
        Ok(Bytes::from_owner(Held { bytes, _room: room, _share: share }))
    }

    /// The body of an answer, which must be taken at a rate if it is long.
    pub(crate) fn body(&self, answer: Bytes) -> Body {
        if answer.len() <= SMALL {
            return Body::from(answer);
        }
        let (patience, rate) = (self.patience, self.rate);
        Body::new(TimedAnswer { rest: answer, given: 0, began: None, patience, rate })
    }

    fn share_of(&self, address: IpAddr, bytes: usize) -> Result<Share, Refusal> {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let own = taken.entry(address).or_default();
        // The first one in any case: there is a limit on each.
        if *own > 0 && *own + bytes > self.share {
            return Err(Refusal::busy("too many answers wait for this address to take them"));
        }
        *own += bytes;
        Ok(Share { taken: self.taken.clone(), address, bytes })
    }
}

/// An answer and the room that it takes.
struct Held {
    bytes: Vec<u8>,
    _room: Permit,
    _share: Option<Share>,
}

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// What an answer takes of the share of its address.
struct Share {
    taken: Arc<Mutex<HashMap<IpAddr, usize>>>,
    address: IpAddr,
    bytes: usize,
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = taken.get_mut(&self.address) {
            *own -= self.bytes;
            if *own == 0 {
                taken.remove(&self.address);
            }
        }
    }
}

/// A long answer. Whoever takes it too slowly does not get the rest.
struct TimedAnswer {
    rest: Bytes,
    given: usize,
    began: Option<Instant>,
    patience: Duration,
    rate: usize,
}

impl hyper::body::Body for TimedAnswer {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        if self.rest.is_empty() {
            return Poll::Ready(None);
        }
        let began = *self.began.get_or_insert_with(Instant::now);
        let earned = Duration::from_secs_f64(self.given as f64 / self.rate as f64);
        if began.elapsed() > self.patience + earned {
            return Poll::Ready(Some(Err(io::ErrorKind::TimedOut.into())));
        }
        let size = self.rest.len().min(PIECE);
        let piece = self.rest.split_to(size);
        self.given += size;
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.rest.len() as u64)
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use http_body_util::BodyExt;

    use super::*;

    const HERE: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));
    const THERE: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 2));

    fn memory(answers: usize) -> AnswerMemory {
        AnswerMemory::new(&Limits { answers, ..Limits::default() })
    }

    #[test]
    fn answers_take_room_until_they_are_gone() {
        let memory = memory(64 << 20);
        let answer = || vec![b'x'; 20 << 20];
        let first = memory.hold(answer(), Some(HERE)).unwrap();
        let refusal = memory.hold(answer(), Some(HERE)).unwrap_err();
        assert_eq!(refusal.status.as_u16(), 503);
        assert!(refusal.message.starts_with("too many answers wait for this address"));
        let second = memory.hold(answer(), Some(THERE)).unwrap();
        // Long ones leave room for short ones.
        assert!(memory.hold(answer(), None).is_err());
        let short = memory.hold(vec![b'x'; 1000], Some(HERE)).unwrap();
        // A part that is still on its way keeps the whole.
        let part = first.slice(5..10);
        drop((first, short));
        assert!(memory.hold(answer(), Some(HERE)).is_err());
        drop(part);
        assert!(memory.hold(answer(), Some(HERE)).is_ok());
        drop(second);
        assert!(memory.taken.lock().unwrap().is_empty());
    }

    #[test]
    fn a_long_answer_comes_whole_or_breaks_off() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let memory = memory(64 << 20);
        let bytes: Vec<u8> = (0..5_000_000u32).map(|n| n as u8).collect();
        let answer = || memory.hold(bytes.clone(), None).unwrap();
        let whole = runtime.block_on(memory.body(answer()).collect()).unwrap().to_bytes();
        assert!(whole == bytes);
        let slow = AnswerMemory { patience: Duration::ZERO, rate: 1, ..self::memory(64 << 20) };
        let body = slow.body(answer());
        assert_eq!(hyper::body::Body::size_hint(&body).exact(), Some(5_000_000));
        assert!(runtime.block_on(body.collect()).is_err());
    }
}
