//! A bar for the laboratory's long work.

use std::io::{self, IsTerminal};
use std::sync::Mutex;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use webstrata_learn::Progress;

use crate::report;

/// Shows how far each part of the work is, and passes notes on.
pub(crate) struct Bar {
    quiet: bool,
    bar: Mutex<ProgressBar>,
}

impl Bar {
    pub(crate) fn new(quiet: bool) -> Bar {
        Bar { quiet, bar: Mutex::new(ProgressBar::hidden()) }
    }

    /// Takes the bar away.
    pub(crate) fn finish(&self) {
        self.current().finish_and_clear();
    }

    fn current(&self) -> ProgressBar {
        self.bar.lock().expect("nothing panics while it holds the lock").clone()
    }
}

impl Progress for Bar {
    fn begin(&self, part: &str, steps: usize) {
        self.finish();
        if self.quiet || !io::stderr().is_terminal() {
            return;
        }
        let style =
            ProgressStyle::with_template("{msg} {bar:30} {human_pos}/{human_len}, {elapsed}");
        let style = style.expect("the template is a constant");
        let target = ProgressDrawTarget::stderr_with_hz(10);
        let bar = ProgressBar::with_draw_target(Some(steps as u64), target).with_style(style);
        bar.set_message(part.to_owned());
        bar.enable_steady_tick(Duration::from_millis(500));
        *self.bar.lock().expect("nothing panics while it holds the lock") = bar;
    }

    fn step(&self) {
        self.current().inc(1);
    }

    fn note(&self, message: &str) {
        if !self.quiet {
            self.current().suspend(|| report::line(message));
        }
    }
}
