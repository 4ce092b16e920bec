//! Messages to people: one line each on stderr, `webstrata: PAGE: what is wrong`.

use std::fmt::{self, Display};
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use webstrata::{Document, Limit};
use webstrata_base::{Progress, thousands};

/// How many notes of one kind, and problems of one file, are printed; the rest is counted.
pub const NOTES: usize = 5;

/// Prints what goes wrong during a run, remembers failures, and shows a progress bar.
pub struct Report {
    quiet: bool,
    failed: bool,
    bar: ProgressBar,
    /// The file that had the last problem, and how many it had.
    in_file: (PathBuf, usize),
    begun: Instant,
}

impl Report {
    /// A report without a progress bar yet.
    pub fn new(quiet: bool) -> Report {
        let bar = ProgressBar::hidden();
        Report { quiet, failed: false, bar, in_file: (PathBuf::new(), 0), begun: Instant::now() }
    }

    /// Shows a progress bar, if stderr is a terminal and results do not go to the same place. `None` pages:
    /// their number is not known, as in an archive; pages are counted.
    pub fn progress(&mut self, pages: Option<usize>, results_on_terminal: bool) {
        let is_one = pages.is_some_and(|pages| pages < 2);
        if self.quiet || results_on_terminal || is_one || !io::stderr().is_terminal() {
            return;
        }
        let style = match pages {
            Some(_) => "{bar:30} {human_pos}/{human_len} pages, {pace}",
            None => "{spinner} {human_pos} pages, {pace}",
        };
        let style = paced(style);
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
        let style = paced("{bar:30} {bytes}/{total_bytes}, {bytes_per_sec}, {left}");
        let target = ProgressDrawTarget::stderr_with_hz(10);
        self.bar = ProgressBar::with_draw_target(Some(bytes), target).with_style(style);
        self.bar.enable_steady_tick(Duration::from_millis(500));
    }

    /// So many bytes are read.
    pub fn advance_to(&self, bytes: u64) {
        self.bar.set_position(bytes);
    }

    /// So many bytes more are read.
    pub fn advance_by(&self, bytes: u64) {
        self.bar.inc(bytes);
    }

    /// Shows how much of these files is read.
    pub fn progress_files(&mut self, files: &[PathBuf]) {
        let sizes = files.iter().filter_map(|file| Some(std::fs::metadata(file).ok()?.len()));
        self.progress_bytes(sizes.sum());
    }

    /// One more page is done.
    pub fn advance(&self) {
        self.bar.inc(1);
    }

    /// Clears the bar, so that the terminal shows results and messages only.
    pub fn finish(&mut self) {
        self.end_file();
        self.bar.finish_and_clear();
    }

    /// An input failed; the run goes on and ends with exit code 2.
    pub fn error(&mut self, about: &str, message: impl Display) {
        self.failure(format_args!("{about}: {message}"));
    }

    /// A failure at a place of a file that may have many of them: a file of a million broken lines is told in a few.
    pub fn error_in(&mut self, file: &Path, place: &str, message: impl Display) {
        if self.in_file.0 != file {
            self.end_file();
            self.in_file = (file.to_owned(), 0);
        }
        self.in_file.1 += 1;
        if self.in_file.1 <= NOTES {
            self.error(place, message);
        }
    }

    /// Says how many problems of the last file were not printed.
    fn end_file(&mut self) {
        let (file, count) = std::mem::take(&mut self.in_file);
        if count > NOTES {
            self.error(
                &file.display().to_string(),
                format_args!("{} more problems", count - NOTES),
            );
        }
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

    /// Says on a terminal what came of many pages. Scripts count the lines of the output, and time what they want.
    pub fn sum_up(&self, counted: Counted) {
        if counted.pages > 1 && io::stderr().is_terminal() {
            self.note(counted.line(self.begun.elapsed().as_secs_f64()));
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

/// What came of many pages.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counted {
    /// Pages.
    pub pages: u64,
    /// Those of them that have no main text.
    pub without_text: u64,
    /// Words in main texts.
    pub kept: u64,
    /// Words of the pages that are in none.
    pub dropped: u64,
}

impl Counted {
    /// `1,204 pages in 12 s: 903,112 words, 310,445 dropped`
    fn line(&self, seconds: f64) -> String {
        let without = match self.without_text {
            0 => String::new(),
            count => format!(", {} pages without text", thousands(count)),
        };
        format!(
            "{} pages in {}: {} words, {} dropped{without}",
            thousands(self.pages),
            span(seconds),
            thousands(self.kept),
            thousands(self.dropped)
        )
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
        let style = paced("{bar:30} {human_pos}/{human_len} {msg}, {pace}");
        let bar = ProgressBar::hidden().with_style(style);
        TerminalProgress { quiet, failed: AtomicBool::new(false), bar, notes: AtomicUsize::new(0) }
    }

    /// Clears the bar until the next part begins, and prints how many notes were left out.
    pub fn end_part(&self, about: &str) {
        let notes = self.notes.swap(0, Ordering::Relaxed);
        self.bar.disable_steady_tick();
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
            // A step may take minutes: the clock shows that something is done.
            self.bar.enable_steady_tick(Duration::from_millis(500));
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

/// A style in which `{pace}` is how fast it goes and how long it will take, and `{left}` only the latter.
fn paced(template: &str) -> ProgressStyle {
    let done = |state: &ProgressState| Done {
        steps: state.pos(),
        of: state.len(),
        seconds: state.elapsed().as_secs_f64(),
    };
    let style = ProgressStyle::with_template(template).expect("the template is a constant");
    style
        .with_key("pace", move |state: &ProgressState, to: &mut dyn fmt::Write| {
            let _ = to.write_str(&done(state).pace());
        })
        .with_key("left", move |state: &ProgressState, to: &mut dyn fmt::Write| {
            let _ = to.write_str(&done(state).left());
        })
}

/// How far a task is.
struct Done {
    steps: u64,
    /// All steps, if their number is known.
    of: Option<u64>,
    seconds: f64,
}

impl Done {
    /// `12 a second, 3 min left`; before the first step is done, nobody knows.
    fn pace(&self) -> String {
        if self.steps == 0 || self.seconds <= 0.0 {
            return self.left();
        }
        let rate = self.steps as f64 / self.seconds;
        let rate = match rate {
            10.0.. => format!("{rate:.0} a second"),
            1.0..10.0 => format!("{rate:.1} a second"),
            _ => format!("{} each", span(1.0 / rate)),
        };
        format!("{rate}, {}", self.left())
    }

    /// `3 min left`, or how long it has taken where the rest is not known.
    fn left(&self) -> String {
        match self.of {
            Some(of) if self.steps > 0 => {
                let rest = of.saturating_sub(self.steps) as f64;
                format!("{} left", span(self.seconds * rest / self.steps as f64))
            }
            _ => span(self.seconds),
        }
    }
}

/// Seconds as people say them.
fn span(seconds: f64) -> String {
    match seconds {
        ..9.95 => format!("{seconds:.1} s"),
        ..119.5 => format!("{seconds:.0} s"),
        ..7170.0 => format!("{:.0} min", seconds / 60.0),
        _ => format!("{:.1} h", seconds / 3600.0),
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
    fn how_fast_it_goes_and_how_long_it_takes() {
        for (steps, of, seconds, wanted) in [
            (0, Some(4), 0.0, "0.0 s"),
            (0, Some(4), 75.0, "75 s"),
            (1, Some(4), 90.0, "90 s each, 4 min left"),
            (4, Some(4), 360.0, "90 s each, 0.0 s left"),
            (30, Some(90), 10.0, "3.0 a second, 20 s left"),
            (50_000, Some(10_000_000), 100.0, "500 a second, 5.5 h left"),
            (500, None, 10.0, "50 a second, 10 s"),
            // More than were counted before.
            (5, Some(4), 10.0, "2.0 s each, 0.0 s left"),
        ] {
            let done = Done { steps, of, seconds };
            assert_eq!(done.pace(), wanted, "{steps} of {of:?} in {seconds}");
        }
    }

    #[test]
    fn sums_of_many_pages() {
        let counted = Counted { pages: 1204, without_text: 2, kept: 903_112, dropped: 45 };
        assert_eq!(
            counted.line(12.3),
            "1,204 pages in 12 s: 903,112 words, 45 dropped, 2 pages without text"
        );
    }

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
