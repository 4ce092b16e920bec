//! What a stream says while it runs: on a terminal how far it is, and what goes wrong, but not all of it.

use std::io::{self, IsTerminal};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use webstrata_base::Progress;

use webstrata_terminal::output::without_control_characters;
use webstrata_terminal::report;

/// Notes in a minute; of further ones, the number is said.
const NOTES: usize = 10;
const MINUTE: Duration = Duration::from_secs(60);

/// Passes on what a stream has to say.
pub(crate) struct Messages {
    quiet: bool,
    bar: ProgressBar,
    recent: Mutex<Recent>,
}

/// The notes of the last minute.
struct Recent {
    since: Instant,
    printed: usize,
    suppressed: usize,
}

impl Messages {
    pub(crate) fn new(quiet: bool, results_on_stdout: bool) -> Messages {
        let bar = if quiet || results_on_stdout || !io::stderr().is_terminal() {
            ProgressBar::hidden()
        } else {
            let style = "{spinner} {human_pos} pages, {elapsed}; Ctrl-C ends it";
            let style = ProgressStyle::with_template(style).expect("the template is a constant");
            let target = ProgressDrawTarget::stderr_with_hz(4);
            let bar = ProgressBar::with_draw_target(None, target).with_style(style);
            bar.enable_steady_tick(Duration::from_millis(500));
            bar
        };
        let recent = Recent { since: Instant::now(), printed: 0, suppressed: 0 };
        Messages { quiet, bar, recent: Mutex::new(recent) }
    }

    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }

    fn line(&self, message: &str) {
        // What servers say is in it.
        self.bar.suspend(|| report::line(&without_control_characters(message).replace('\n', " ")));
    }
}

impl Progress for Messages {
    fn begin(&self, _part: &str, _steps: usize) {}

    fn step(&self) {
        self.bar.inc(1);
    }

    fn note(&self, message: &str) {
        if self.quiet {
            return;
        }
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        if recent.since.elapsed() > MINUTE {
            if recent.suppressed > 0 {
                let suppressed = recent.suppressed;
                self.line(&format!(
                    "{suppressed} more such notes; `webstrata stream status` counts"
                ));
            }
            *recent = Recent { since: Instant::now(), printed: 0, suppressed: 0 };
        }
        if recent.printed < NOTES {
            recent.printed += 1;
            self.line(message);
        } else {
            recent.suppressed += 1;
        }
    }

    fn failure(&self, message: &str) {
        self.line(message);
    }
}
