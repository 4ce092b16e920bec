//! The core for JavaScript. `npm/core.js` is the other side; nobody else calls this.
//!
//! A call goes like this: [`page`] and [`options`] make room and say where, the host writes the bytes there, one of
//! [`extract`], [`explain`] and [`extractors`] does the work, and [`output`] says where the answer lies: JSON where
//! the work returned 1, one line on what is wrong where it returned 0. Rust follows no pointer that comes from
//! outside, so that nothing here is unsafe.
//!
//! Where Rust panics, the module traps, and the host must use it no more; what is in [`output`] then is the panic's
//! message, if there is any.

#![allow(unsafe_code, reason = "the attributes that name functions of the module are spelled so")]

mod host;
mod request;
mod work;

use std::cell::RefCell;

type Buffer = RefCell<Vec<u8>>;

thread_local! {
    static PAGE: Buffer = const { RefCell::new(Vec::new()) };
    static OPTIONS: Buffer = const { RefCell::new(Vec::new()) };
    static OUTPUT: Buffer = const { RefCell::new(Vec::new()) };
}

/// Makes room for a page and says where its bytes belong.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn page(length: usize) -> *mut u8 {
    host::report_panics();
    // The last answer has been read: its memory may become the page's.
    OUTPUT.take();
    room(&PAGE, length)
}

/// Makes room for the options, which are JSON, and says where they belong.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn options(length: usize) -> *mut u8 {
    room(&OPTIONS, length)
}

/// Extracts the page: the answer is a record.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn extract(is_text: u32) -> u32 {
    answer(work::extract(&PAGE.take(), &OPTIONS.take(), is_text != 0))
}

/// Explains what becomes of the page: the answer is an explanation.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn explain(is_text: u32) -> u32 {
    answer(work::explain(&PAGE.take(), &OPTIONS.take(), is_text != 0))
}

/// Lists the built-in extractors.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn extractors() -> u32 {
    answer(work::extractors())
}

/// Where the answer lies.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn output() -> *const u8 {
    OUTPUT.with_borrow(Vec::as_ptr)
}

/// How many bytes it has.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn output_length() -> usize {
    OUTPUT.with_borrow(Vec::len)
}

fn room(buffer: &'static std::thread::LocalKey<Buffer>, length: usize) -> *mut u8 {
    buffer.set(vec![0; length]);
    buffer.with_borrow_mut(Vec::as_mut_ptr)
}

fn answer(result: Result<Vec<u8>, String>) -> u32 {
    let (bytes, is_right) = match result {
        Ok(json) => (json, 1),
        Err(line) => (line.into_bytes(), 0),
    };
    OUTPUT.set(bytes);
    is_right
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(buffer: &'static std::thread::LocalKey<Buffer>, bytes: &[u8]) {
        buffer.with_borrow_mut(|room| room.copy_from_slice(bytes));
    }

    fn answer_to(html: &str, json: &str, ask: extern "C" fn(u32) -> u32) -> (u32, String) {
        assert!(!page(html.len()).is_null() && !options(json.len()).is_null());
        write(&PAGE, html.as_bytes());
        write(&OPTIONS, json.as_bytes());
        let is_right = ask(1);
        let text = OUTPUT.with_borrow(|bytes| String::from_utf8_lossy(bytes).into_owned());
        assert_eq!(output_length(), text.len());
        (is_right, text)
    }

    #[test]
    fn a_page_goes_in_and_an_answer_comes_out() {
        let html = "<p>High water is at noon today, the harbour office says.";
        let (is_right, json) = answer_to(html, r#"{"extractor":"keep-all"}"#, extract);
        assert_eq!(is_right, 1);
        assert!(json.contains(r#""text":"High water is at noon"#), "{json}");
        let (is_right, line) = answer_to(html, r#"{"extractor":"kep-all"}"#, explain);
        assert_eq!(
            (is_right, &*line),
            (0, "`extractor`: unknown extractor `kep-all`, did you mean `keep-all`?")
        );
    }

    #[test]
    fn nothing_is_kept_from_call_to_call() {
        answer_to("<p>High water is at noon today.", "{}", extract);
        assert!(PAGE.with_borrow(Vec::is_empty) && OPTIONS.with_borrow(Vec::is_empty));
        page(1 << 20);
        assert_eq!(output_length(), 0);
    }

    #[test]
    fn the_package_has_the_version_of_the_crate() {
        let version = env!("CARGO_PKG_VERSION");
        let manifest: serde_json::Value =
            serde_json::from_str(include_str!("../npm/package.json")).expect("JSON");
        assert_eq!(manifest["version"], version);
        let line = format!("export const version = '{version}';");
        assert!(include_str!("../npm/core.js").contains(&line), "core.js: {line}");
    }
}
