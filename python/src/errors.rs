//! The exceptions, and how panics become one.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use pyo3::PyErr;

/// The classes, which Python code defines: some have two bases.
mod classes {
    pyo3::import_exception!(webstrata.errors, ArchiveError);
    pyo3::import_exception!(webstrata.errors, DataError);
    pyo3::import_exception!(webstrata.errors, ExtractorError);
    pyo3::import_exception!(webstrata.errors, InternalError);
    pyo3::import_exception!(webstrata.errors, MissingPart);
    pyo3::import_exception!(webstrata.errors, OptionError);
}

pub(crate) use self::classes::*;

/// Runs `work`. A panic becomes a one-line message that asks for a bug report.
pub(crate) fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    // Nothing that a panic may have left half-done is used again: `work` owns what it changes.
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let message = message(&*panic);
        let repository = env!("CARGO_PKG_REPOSITORY");
        format!("internal error, {message}; please report it with the page: {repository}/issues")
    })
}

fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic")
}

/// An option that has a wrong value.
pub(crate) fn wrong_option(message: impl Into<String>) -> PyErr {
    OptionError::new_err(message.into())
}
