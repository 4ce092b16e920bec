//! The wire format of messages: a short head, then the numbers in little-endian order.

use std::io::Write;

use timely_communication::Bytesable;

use crate::rank::exchange::{Message, Numbers};

/// A message with its sender and the round of exchange that it belongs to.
pub(crate) struct RoundMessage {
    pub(crate) from: usize,
    pub(crate) round: u64,
    /// `None` if it arrived damaged.
    pub(crate) message: Option<Message>,
}

const WORD: usize = 8;
/// From, round, kind of numbers, how many numbers, how many sums.
const HEAD: usize = 5 * WORD;

impl RoundMessage {
    fn head(&self) -> [u64; 5] {
        let (kind, numbers, sums) = match &self.message {
            None => (u64::MAX, 0, 0),
            Some(Message { numbers, sums }) => {
                let (kind, count) = match numbers {
                    Numbers::Integers(numbers) => (0, numbers.len()),
                    Numbers::Single(numbers) => (1, numbers.len()),
                    Numbers::Double(numbers) => (2, numbers.len()),
                };
                (kind, count as u64, sums.len() as u64)
            }
        };
        [self.from as u64, self.round, kind, numbers, sums]
    }

    fn read(bytes: &[u8]) -> Option<RoundMessage> {
        let (head, rest) = bytes.split_at_checked(HEAD)?;
        let (words, _) = head.as_chunks::<WORD>();
        let head: Vec<u64> = words.iter().map(|word| u64::from_le_bytes(*word)).collect();
        let [from, round, kind, count, sums] = head[..] else { return None };
        let of = |count: u64, size: usize| usize::try_from(count).ok()?.checked_mul(size);
        let (sums, rest) = rest.split_at_checked(of(sums, WORD)?)?;
        let sums = doubles(sums);
        let size = if kind == 2 { WORD } else { WORD / 2 };
        if rest.len() != of(count, size)? {
            return None;
        }
        let (fours, _) = rest.as_chunks::<4>();
        let numbers = match kind {
            0 => Numbers::Integers(fours.iter().map(|four| u32::from_le_bytes(*four)).collect()),
            1 => Numbers::Single(fours.iter().map(|four| f32::from_le_bytes(*four)).collect()),
            2 => Numbers::Double(doubles(rest)),
            _ => return None,
        };
        let message = Some(Message { numbers, sums });
        Some(RoundMessage { from: usize::try_from(from).ok()?, round, message })
    }
}

fn doubles(bytes: &[u8]) -> Vec<f64> {
    bytes.as_chunks::<WORD>().0.iter().map(|word| f64::from_le_bytes(*word)).collect()
}

/// Writes numbers in pieces: one by one, every number would cost a call.
pub(crate) fn write_numbers(numbers: &Numbers, out: &mut dyn Write) -> std::io::Result<()> {
    match numbers {
        Numbers::Integers(numbers) => write_all(numbers, u32::to_le_bytes, out),
        Numbers::Single(numbers) => write_all(numbers, f32::to_le_bytes, out),
        Numbers::Double(numbers) => write_all(numbers, f64::to_le_bytes, out),
    }
}

fn write_all<T: Copy, const SIZE: usize>(
    numbers: &[T],
    bytes: impl Fn(T) -> [u8; SIZE],
    out: &mut dyn Write,
) -> std::io::Result<()> {
    let mut piece = Vec::with_capacity(1024 * SIZE);
    for numbers in numbers.chunks(1024) {
        piece.clear();
        numbers.iter().for_each(|number| piece.extend_from_slice(&bytes(*number)));
        out.write_all(&piece)?;
    }
    Ok(())
}

impl Bytesable for RoundMessage {
    fn from_bytes(bytes: timely_bytes::arc::Bytes) -> RoundMessage {
        RoundMessage::read(&bytes).unwrap_or(RoundMessage {
            from: usize::MAX,
            round: 0,
            message: None,
        })
    }

    fn length_in_bytes(&self) -> usize {
        let message = self.message.as_ref();
        HEAD + message.map_or(0, |message| message.numbers.bytes() + message.sums.len() * WORD)
    }

    fn into_bytes<W: Write>(&self, out: &mut W) {
        let mut write = || -> std::io::Result<()> {
            write_all(&self.head(), u64::to_le_bytes, out)?;
            let Some(message) = &self.message else { return Ok(()) };
            write_all(&message.sums, f64::to_le_bytes, out)?;
            write_numbers(&message.numbers, out)
        };
        // `length_in_bytes` has measured the memory. If it were too short, the reader would refuse the message.
        let _ = write();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn bytes(message: &RoundMessage) -> Vec<u8> {
        let mut bytes = Vec::new();
        message.into_bytes(&mut bytes);
        assert_eq!(bytes.len(), message.length_in_bytes());
        bytes
    }

    proptest! {
        #[test]
        fn messages_arrive_as_they_were_sent(
            integers: Vec<u32>, single: Vec<u32>, double: Vec<u64>, sums: Vec<u64>, round: u64
        ) {
            let sums: Vec<f64> = sums.into_iter().map(f64::from_bits).collect();
            for numbers in [
                Numbers::Integers(integers),
                Numbers::Single(single.into_iter().map(f32::from_bits).collect()),
                Numbers::Double(double.into_iter().map(f64::from_bits).collect()),
            ] {
                let message = RoundMessage { from: 3, round, message: Some(Message { numbers, sums: sums.clone() }) };
                let sent = bytes(&message);
                let arrived = RoundMessage::read(&sent).unwrap();
                prop_assert_eq!((arrived.from, arrived.round), (3, round));
                // Bit by bit: numbers that are none are not equal to themselves.
                prop_assert_eq!(bytes(&arrived), sent);
            }
        }

        #[test]
        fn no_bytes_are_too_strange(bytes: Vec<u8>) {
            let _ = RoundMessage::read(&bytes);
        }

        #[test]
        fn a_cut_message_is_refused(numbers in proptest::collection::vec(any::<u32>(), 1..20), cut: usize) {
            let message = Some(Message { numbers: Numbers::Integers(numbers), sums: vec![1.0] });
            let sent = bytes(&RoundMessage { from: 0, round: 1, message });
            prop_assert!(RoundMessage::read(&sent[..cut % sent.len()]).is_none());
        }
    }
}
