//! How partitions exchange messages: each sends one to every other and waits for theirs.

use std::sync::mpsc::{Receiver, Sender, channel};

use webstrata_base::Error;

/// Numbers of one kind, without names: both sides know what they are.
#[derive(Clone, Debug, PartialEq)]
pub enum Numbers {
    /// Positions and counts.
    Integers(Vec<u32>),
    /// Votes.
    Single(Vec<f32>),
    /// Votes, where single precision is not enough.
    Double(Vec<f64>),
}

impl Numbers {
    /// How many bytes they are.
    pub fn bytes(&self) -> usize {
        match self {
            Numbers::Integers(numbers) => numbers.len() * 4,
            Numbers::Single(numbers) => numbers.len() * 4,
            Numbers::Double(numbers) => numbers.len() * 8,
        }
    }
}

/// A message from one partition to another.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// Votes, or what votes are asked for.
    pub numbers: Numbers,
    /// Sums over the sender's pages, the same to all.
    pub sums: Vec<f64>,
}

/// Connects the partitions of a run. All run the same program: the n-th exchange of one is the n-th of all.
pub trait Exchange {
    /// How many partitions there are.
    fn partitions(&self) -> usize;

    /// Which one this is, from 0.
    fn index(&self) -> usize;

    /// Sends one message to each partition and returns what each has sent, both in the order of partitions. What is
    /// sent to oneself comes back.
    fn exchange(&mut self, messages: Vec<Message>) -> Result<Vec<Message>, Error>;

    /// Should the run stop after the iteration that has just been computed, since there is news of the graph? Where
    /// one partition says so, all stop.
    fn stops(&mut self) -> bool {
        false
    }
}

/// What a partition says that has lost another one.
pub(crate) const GONE: &str = "a thread of the ranking has ended too early";

/// Partitions as threads of one process.
pub struct Threads {
    index: usize,
    to: Vec<Sender<Message>>,
    from: Vec<Receiver<Message>>,
}

impl Threads {
    /// So many connected partitions.
    pub fn connect(partitions: usize) -> Vec<Threads> {
        let mut threads: Vec<Threads> = (0..partitions)
            .map(|index| Threads { index, to: Vec::new(), from: Vec::new() })
            .collect();
        for from in 0..partitions {
            for to in 0..partitions {
                let (sender, receiver) = channel();
                threads[from].to.push(sender);
                threads[to].from.push(receiver);
            }
        }
        threads
    }
}

/// Threads of which the first one asks for news.
pub(super) struct Asking<'a> {
    pub(super) threads: Threads,
    pub(super) news: &'a (dyn Fn() -> bool + Sync),
}

impl Exchange for Asking<'_> {
    fn partitions(&self) -> usize {
        self.threads.partitions()
    }

    fn index(&self) -> usize {
        self.threads.index
    }

    fn exchange(&mut self, messages: Vec<Message>) -> Result<Vec<Message>, Error> {
        self.threads.exchange(messages)
    }

    fn stops(&mut self) -> bool {
        self.threads.index == 0 && (self.news)()
    }
}

impl Exchange for Threads {
    fn partitions(&self) -> usize {
        self.to.len()
    }

    fn index(&self) -> usize {
        self.index
    }

    fn exchange(&mut self, messages: Vec<Message>) -> Result<Vec<Message>, Error> {
        let gone = |_| Error::new(GONE);
        for (to, message) in self.to.iter().zip(messages) {
            to.send(message).map_err(|_| gone(()))?;
        }
        self.from.iter().map(|from| from.recv().map_err(|_| gone(()))).collect()
    }
}
