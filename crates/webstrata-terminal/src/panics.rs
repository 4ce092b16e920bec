//! Catches panics: one bad page must not end a run over many.

use std::cell::{Cell, RefCell};
use std::panic::{self, AssertUnwindSafe};

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
    static MESSAGE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Keeps panics inside [`caught`] from being printed: they are reported in one line, as everything
/// else is. Others are printed as usual.
pub fn install() {
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        if GUARDED.get() {
            let message = info.to_string().replace('\n', " ");
            MESSAGE.with_borrow_mut(|place| *place = Some(message));
        } else {
            usual(info);
        }
    }));
}

/// Runs `work`. A panic becomes a one-line message that asks for a bug report.
pub fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    let outer = GUARDED.replace(true);
    // Nothing that a panic may have left half-done is used again: `work` owns what it changes.
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    GUARDED.set(outer);
    result.map_err(|_| {
        let message = MESSAGE.take().unwrap_or_else(|| "a panic".into());
        let repository = env!("CARGO_PKG_REPOSITORY");
        format!("internal error, {message}; please report it with the page: {repository}/issues")
    })
}
