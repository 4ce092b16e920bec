//! The time that a page may take.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::Duration;

use crate::limits::Limits;

/// Nodes between two looks at the clock.
pub(crate) const NODES_PER_CHECK: u32 = 1024;
/// The same of atoms, of which each costs more.
pub(crate) const ATOMS_PER_CHECK: u32 = 128;

/// What is done with a page, one after the other.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stage {
    /// Decoding and parsing.
    Read,
    /// Cutting into atoms.
    Cut,
    /// Looking at the blocks, and the steps of extractors.
    Decide,
    /// One output, or a record with several.
    Write,
}

impl Stage {
    /// The eighths of the time that may be used when it ends. What a stage does not need is left to the next.
    fn ends_at(self) -> u32 {
        [3, 5, 6, 8][self as usize]
    }
}

/// The time that a page may take, what of it is used, and when the stage that runs has to end. A document carries it,
/// and whoever works on the document asks it.
#[derive(Debug)]
pub(crate) struct Clock {
    time: Option<Time>,
    /// When the stage has to end, by the clock in nanoseconds. Outputs have the document as it is, and begin a stage.
    end: AtomicU64,
    is_late: AtomicBool,
    /// Its stages have no time of their own.
    is_rest: bool,
}

#[derive(Clone, Copy, Debug)]
struct Time {
    clock: fn() -> Duration,
    /// All of the time.
    whole: Duration,
    used: Duration,
    /// When the stage began.
    begun: Duration,
}

impl Default for Clock {
    fn default() -> Clock {
        let (end, is_late) = (AtomicU64::new(NEVER), AtomicBool::new(false));
        Clock { time: None, end, is_late, is_rest: false }
    }
}

impl Clone for Clock {
    fn clone(&self) -> Clock {
        let is_late = AtomicBool::new(self.is_late());
        let end = AtomicU64::new(self.end.load(Relaxed));
        Clock { time: self.time, end, is_late, is_rest: self.is_rest }
    }
}

/// The end of a stage that has none.
const NEVER: u64 = u64::MAX;

impl Clock {
    /// A clock that stands until a stage begins.
    pub(crate) fn new(limits: &Limits) -> Clock {
        let clock = limits.clock;
        let zero = Duration::ZERO;
        let time = limits.deadline.map(|whole| Time { clock, whole, used: zero, begun: zero });
        Clock { time, ..Clock::default() }
    }

    /// A clock for what is read on the way: all its stages end with the one that runs.
    pub(crate) fn rest(&self) -> Clock {
        Clock { is_rest: true, ..self.clone() }
    }

    /// Begins a stage that changes the document. The time between stages is not counted.
    pub(crate) fn begin(&mut self, stage: Stage) {
        let Some(time) = &mut self.time else { return };
        time.begun = (time.clock)();
        self.set_end(stage);
    }

    /// Ends it, so that its time is counted.
    pub(crate) fn end(&mut self) {
        let Some(time) = &mut self.time else { return };
        time.used += (time.clock)().saturating_sub(time.begun);
    }

    /// Begins to write an output. Who asks for another one later has the same time for that.
    pub(crate) fn write(&self) {
        self.set_end(Stage::Write);
    }

    /// Every stage has an eighth of the time, also where those before took more than they had.
    fn set_end(&self, stage: Stage) {
        let Some(Time { clock, whole, used, .. }) = self.time.filter(|_| !self.is_rest) else {
            return;
        };
        let eighth = whole / 8;
        let left = (eighth * stage.ends_at()).saturating_sub(used).max(eighth);
        // A deadline beyond the end of the clock is none.
        let end = clock().checked_add(left).and_then(|end| u64::try_from(end.as_nanos()).ok());
        self.end.store(end.unwrap_or(NEVER), Relaxed);
    }

    /// The deadline of the stage that runs, for those who have no document.
    pub(crate) fn deadline(&self) -> Deadline {
        let at = Duration::from_nanos(self.end.load(Relaxed));
        Deadline(self.time.filter(|_| self.is_running()).map(|time| End { at, clock: time.clock }))
    }

    fn is_running(&self) -> bool {
        self.end.load(Relaxed) != NEVER
    }

    /// Is the time of the stage over? Then something is left out, which the document's limits say from now on.
    pub(crate) fn passed(&self) -> bool {
        let is_over = self.is_running() && self.deadline().passed();
        if is_over {
            self.is_late.store(true, Relaxed);
        }
        is_over
    }

    /// Something was left out of what was read on the way.
    pub(crate) fn be_late(&self) {
        self.is_late.store(true, Relaxed);
    }

    /// Was something left out?
    pub(crate) fn is_late(&self) -> bool {
        self.is_late.load(Relaxed)
    }
}

/// Steps of a loop, some of which look at the clock.
#[derive(Default)]
pub(crate) struct Steps(u32);

impl Steps {
    /// Another step: is the time over? Asked of the clock at every so many steps, and at the first.
    pub(crate) fn are_over(&mut self, clock: &Clock, each: u32) -> bool {
        if self.0 > 0 {
            self.0 -= 1;
            return false;
        }
        self.0 = each - 1;
        clock.passed()
    }
}

/// A running deadline. Asking costs nothing where none is set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deadline(Option<End>);

#[derive(Clone, Copy, Debug)]
struct End {
    at: Duration,
    clock: fn() -> Duration,
}

impl Deadline {
    pub(crate) fn none() -> Deadline {
        Deadline(None)
    }

    /// All of the time, for those who only read.
    pub(crate) fn start(limits: &Limits) -> Deadline {
        let clock = limits.clock;
        // A deadline beyond the end of the clock is none.
        let at = limits.deadline.and_then(|whole| clock().checked_add(whole));
        Deadline(at.map(|at| End { at, clock }))
    }

    pub(crate) fn passed(self) -> bool {
        self.0.is_some_and(|end| (end.clock)() >= end.at)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    thread_local! {
        static NOW: Cell<Duration> = const { Cell::new(Duration::ZERO) };
    }

    fn limits(deadline: Option<u64>) -> Limits {
        let deadline = deadline.map(Duration::from_secs);
        Limits { deadline, clock: || NOW.get(), ..Limits::default() }
    }

    fn at(seconds: u64) {
        NOW.set(Duration::from_secs(seconds));
    }

    #[test]
    fn a_deadline_goes_by_the_clock_it_was_given() {
        at(100);
        let deadline = Deadline::start(&limits(Some(5)));
        at(104);
        assert!(!deadline.passed());
        at(105);
        assert!(deadline.passed());
    }

    #[test]
    fn each_stage_has_its_share_and_what_those_before_left() {
        at(100);
        let mut clock = Clock::new(&limits(Some(80)));
        let ends = |clock: &Clock, end: u64| {
            at(end - 1);
            assert!(!clock.deadline().passed(), "{end}");
            at(end);
            assert!(clock.deadline().passed(), "{end}");
        };
        clock.begin(Stage::Read);
        ends(&clock, 130);
        at(110);
        clock.end();
        // Ten seconds are used; the time between stages is not counted.
        at(200);
        clock.begin(Stage::Cut);
        ends(&clock, 240);
        at(300);
        clock.end();
        // More than all of it is used: an eighth is there in any case.
        clock.begin(Stage::Decide);
        ends(&clock, 310);
        at(400);
        clock.write();
        ends(&clock, 410);
        at(500);
        clock.write();
        ends(&clock, 510);
    }

    #[test]
    fn what_is_read_on_the_way_has_the_rest_of_the_stage() {
        at(0);
        let mut clock = Clock::new(&limits(Some(80)));
        clock.begin(Stage::Cut);
        at(40);
        let mut rest = clock.rest();
        for stage in [Stage::Read, Stage::Cut, Stage::Decide] {
            rest.begin(stage);
            at(49);
            assert!(!rest.passed());
            rest.end();
        }
        at(50);
        rest.write();
        assert!(rest.passed() && rest.is_late() && !clock.is_late() && clock.passed());
    }

    #[test]
    fn who_is_late_says_so_from_then_on() {
        at(0);
        let clock = Clock::new(&limits(Some(8)));
        clock.write();
        at(7);
        assert!(!clock.passed() && !clock.is_late());
        at(8);
        assert!(clock.passed() && clock.is_late());
        clock.write();
        assert!(!clock.passed() && clock.is_late() && clock.clone().is_late());
    }

    #[test]
    fn the_clock_is_read_only_where_a_deadline_is_set() {
        let unreadable = || -> Duration { panic!("nobody may ask") };
        let limits = Limits { clock: unreadable, ..Limits::default() };
        let mut clock = Clock::new(&limits);
        clock.begin(Stage::Read);
        clock.end();
        clock.write();
        assert!(!clock.passed() && !clock.deadline().passed());
        assert!(!Deadline::start(&limits).passed());
    }

    #[test]
    fn a_deadline_beyond_the_end_of_the_clock_is_none() {
        let limits = Limits { deadline: Some(Duration::MAX), ..limits(None) };
        at(1);
        let mut clock = Clock::new(&limits);
        clock.begin(Stage::Read);
        let deadline = Deadline::start(&limits);
        NOW.set(Duration::MAX);
        assert!(!clock.passed() && !deadline.passed());
    }
}
