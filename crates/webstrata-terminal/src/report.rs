//! Messages to people: one line each on stderr, `webstrata: PAGE: what is wrong`.

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use webstrata::{Document, Limit};
use webstrata_base::Progress;

/// How many notes of one kind are printed; the rest is counted.
pub const NOTES: usize = 5;

/// Prints what goes wrong during a run, remembers failures, and shows a progress bar.
pub struct Report {
    quiet: bool,
    failed: bool,
    bar: ProgressBar,
}

impl Report {
    /// A report without a progress bar yet.
    pub fn new(quiet: bool) -> Report {
        Report { quiet, failed: false, bar: ProgressBar::hidden() }
    }

    /// Shows a progress bar, if stderr is a terminal and results do not go to the same place. `None` pages:
    /// their number is not known, as in an archive; pages are counted.
    pub fn progress(&mut self, pages: Option<usize>, results_on_terminal: bool) {
        let is_one = pages.is_some_and(|pages| pages < 2);
        if self.quiet || results_on_terminal || is_one || !io::stderr().is_terminal() {
            return;
        }
        let style = match pages {
            Some(_) => "{bar:30} {human_pos}/{human_len} pages, {eta} left",
            None => "{spinner} {human_pos} pages, {per_sec}, {elapsed}",
        };
        let style = ProgressStyle::with_template(style).expect("the template is a constant");
        let target = ProgressDrawTarget::stderr_with_hz(10);
        self.bar = ProgressBar::with_draw_target(pages.map(|pages| pages as u64), target)
            .with_style(style);
        self.bar.enable_steady_tick(Duration::from_millis(500));
    }

    /// The same where the size of all files is known, but not how many pages are in them.
    pub fn progress_bytes(&mut self, bytes: u64) {
        if self.quiet || !io::stderr().is_terminal() {
            return;
        }
        let style = "{bar:30} {bytes}/{total_bytes}, {eta} left";
        let style = ProgressStyle::with_template(style).expect("the template is a constant");
        let target = ProgressDrawTarget::stderr_with_hz(10);
        self.bar = ProgressBar::with_draw_target(Some(bytes), target).with_style(style);
        self.bar.enable_steady_tick(Duration::from_millis(500));
    }

    /// So many bytes are read.
    pub fn advance_to(&self, bytes: u64) {
        self.bar.set_position(bytes);
    }

    /// One more page is done.
    pub fn advance(&self) {
        self.bar.inc(1);
    }

    /// Clears the bar, so that the terminal shows results and messages only.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }

    /// An input failed; the run goes on and ends with exit code 2.
    pub fn error(&mut self, about: &str, message: impl Display) {
        self.failure(format_args!("{about}: {message}"));
    }

    /// The same where the message says what it is about.
    pub fn failure(&mut self, message: impl Display) {
        self.failed = true;
        self.bar.suspend(|| line(&without_number(&message.to_string())));
    }

    /// Worth knowing, but no failure; not printed with `--quiet`.
    pub fn note(&self, message: impl Display) {
        if !self.quiet {
            self.bar.suspend(|| line(&message.to_string()));
        }
    }

    /// Counts the failures of a [`TerminalProgress`] as failures of this run.
    pub fn add_failures(&mut self, progress: &TerminalProgress) {
        self.failed |= progress.failed.load(Ordering::Relaxed);
    }

    /// Did anything fail?
    pub fn failed(&self) -> bool {
        self.failed
    }
}

/// A progress bar for long tasks of libraries. It prints the first few notes of each part.
pub struct TerminalProgress {
    quiet: bool,
    failed: AtomicBool,
    bar: ProgressBar,
    notes: AtomicUsize,
}

impl TerminalProgress {
    /// A progress bar that shows nothing yet.
    pub fn new(quiet: bool) -> TerminalProgress {
        let style = "{bar:30} {human_pos}/{human_len} {msg}, {eta} left";
        let style = ProgressStyle::with_template(style).expect("the template is a constant");
        let bar = ProgressBar::hidden().with_style(style);
        TerminalProgress { quiet, failed: AtomicBool::new(false), bar, notes: AtomicUsize::new(0) }
    }

    /// Clears the bar until the next part begins, and prints how many notes were left out.
    pub fn end_part(&self, about: &str) {
        let notes = self.notes.swap(0, Ordering::Relaxed);
        self.bar.finish_and_clear();
        self.bar.set_draw_target(ProgressDrawTarget::hidden());
        if notes > NOTES && !self.quiet {
            line(&format!("{about}: {} more such notes", notes - NOTES));
        }
    }
}

impl Progress for TerminalProgress {
    fn begin(&self, part: &str, steps: usize) {
        if !self.quiet && io::stderr().is_terminal() {
            self.bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(10));
        }
        self.bar.reset();
        self.bar.set_length(steps as u64);
        self.bar.set_message(part.to_owned());
    }

    fn step(&self) {
        self.bar.inc(1);
    }

    fn note(&self, message: &str) {
        if !self.quiet && self.notes.fetch_add(1, Ordering::Relaxed) < NOTES {
            self.bar.suspend(|| line(message));
        }
    }

    fn failure(&self, message: &str) {
        self.failed.store(true, Ordering::Relaxed);
        self.bar.suspend(|| line(&without_number(message)));
    }
}

/// A message if a page was read in part only, with the limits it reached.
pub fn cut_short(document: &Document) -> Option<String> {
    let cut = [Limit::Bytes, Limit::Nodes, Limit::Deadline, Limit::Memory];
    let limits = document.limits();
    if !cut.iter().any(|limit| limits.has(*limit)) {
        return None;
    }
    let limits: Vec<_> = limits.names().collect();
    Some(format!("read in part only, limit reached: {}", limits.join(", ")))
}

static PROGRAM: OnceLock<&str> = OnceLock::new();

/// Sets the program that messages are from; the first call counts.
pub fn set_program(name: &'static str) {
    let _ = PROGRAM.set(name);
}

/// Prints one message. A closed stderr is no reason to stop.
pub fn line(message: &str) {
    let program = PROGRAM.get().unwrap_or(&"webstrata");
    let _ = writeln!(io::stderr(), "{program}: {message}");
}

/// An error and its causes on one line: `my.toml: Permission denied`.
pub fn one_line(error: &anyhow::Error) -> String {
    let parts: Vec<String> = error.chain().map(|part| without_number(&part.to_string())).collect();
    parts.join(": ")
}

/// An I/O error without its number: `Permission denied`.
pub fn io(error: &io::Error) -> String {
    without_number(&error.to_string())
}

/// Removes `(os error 13)`: the number helps programmers only.
fn without_number(message: &str) -> String {
    let number = message.rfind(" (os error ").and_then(|at| {
        let end = at + message[at..].find(')')?;
        Some((at, end))
    });
    match number {
        Some((at, end)) => format!("{}{}", &message[..at], &message[end + 1..]),
        None => message.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_errors_are_for_programmers() {
        for (message, wanted) in [
            ("a.html: Is a directory (os error 21)", "a.html: Is a directory"),
            ("a.html: Is a directory (os error 21); left out", "a.html: Is a directory; left out"),
            ("a (os error 1: no such folder", "a (os error 1: no such folder"),
            ("a.html: no text", "a.html: no text"),
        ] {
            assert_eq!(without_number(message), wanted);
        }
    }
}
