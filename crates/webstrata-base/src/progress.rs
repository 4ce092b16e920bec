//! The progress of long tasks.

/// Receives the progress of a long task. `()` ignores it.
pub trait Progress: Sync {
    /// A part of the work begins; it has this many steps.
    fn begin(&self, part: &str, steps: usize);
    /// One more step of the part is done.
    fn step(&self);
    /// Something a person should know; the work goes on.
    fn note(&self, message: &str);
    /// Something failed and is left out; the work goes on without it.
    fn failure(&self, message: &str);
}

impl<P: Progress + ?Sized> Progress for &P {
    fn begin(&self, part: &str, steps: usize) {
        (**self).begin(part, steps);
    }
    fn step(&self) {
        (**self).step();
    }
    fn note(&self, message: &str) {
        (**self).note(message);
    }
    fn failure(&self, message: &str) {
        (**self).failure(message);
    }
}

impl Progress for () {
    fn begin(&self, _part: &str, _steps: usize) {}
    fn step(&self) {}
    fn note(&self, _message: &str) {}
    fn failure(&self, _message: &str) {}
}
