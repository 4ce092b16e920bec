//! What WebAssembly has no way to do by itself.

use std::time::Duration;

#[cfg(target_family = "wasm")]
#[link(wasm_import_module = "host")]
unsafe extern "C" {
    /// Milliseconds since some moment.
    safe fn now() -> f64;
}

/// The host's clock.
#[cfg(target_family = "wasm")]
pub(crate) fn clock() -> Duration {
    // A host that tells nonsense has a clock that stands.
    Duration::try_from_secs_f64(now() / 1000.0).unwrap_or_default()
}

/// The clock of machines that have one, for tests.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn clock() -> Duration {
    (webstrata::Limits::default().clock)()
}

/// Leaves the message of a panic where the host finds it; there is no other way out of a module that traps.
#[cfg(target_family = "wasm")]
pub(crate) fn report_panics() {
    use std::sync::Once;

    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        std::panic::set_hook(Box::new(|panic| {
            crate::OUTPUT.set(panic.to_string().into_bytes());
        }));
    });
}

/// Tests report panics by themselves.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn report_panics() {}
