//! Peak memory of one extraction, in a binary of its own so that counting slows no timed run.
//!
//! ```text
//! peak MANIFEST REPEAT...   each page of the manifest, then the middle page repeated
//! ```

use std::alloc::{GlobalAlloc, Layout, System};
use std::env;
use std::error::Error;
use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use webstrata_bench::{ours, pages};

static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

/// The system's allocator with a count of the live bytes and of their highest number.
struct Counting;

fn grow(bytes: usize) {
    let live = LIVE.fetch_add(bytes, Relaxed) + bytes;
    PEAK.fetch_max(live, Relaxed);
}

// SAFETY: every call goes to `System` as it came; the counters touch no memory it hands out.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        grow(layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        grow(layout.size());
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Relaxed);
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        LIVE.fetch_sub(layout.size(), Relaxed);
        grow(size);
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The most bytes that lived at once during an extraction, on top of those before it.
fn peak(extract: &impl Fn(&[u8]) -> String, input: &[u8]) -> usize {
    let before = LIVE.load(Relaxed);
    PEAK.store(before, Relaxed);
    black_box(extract(black_box(input)));
    PEAK.load(Relaxed) - before
}

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = env::args().skip(1).collect();
    let [manifest, repeats @ ..] = args.as_slice() else {
        return Err("usage: peak MANIFEST REPEAT...".into());
    };
    let entries = pages::manifest(manifest)?;
    let extract = ours::preset("strata").ok_or("the library has no such preset")?;
    // What is set up once for all pages belongs to none of them.
    extract(b"<p>warm</p>");
    for page in entries.chunks(1) {
        let page = &pages::load(page, false)?[0];
        let (line, peak) = (page.line, peak(&extract, &page.raw));
        println!(r#"{{"page":{line},"peak":{peak}}}"#);
    }
    let (_, page) = pages::middle(&entries)?;
    for repeat in repeats {
        let input = page.repeat(repeat.parse()?);
        println!(r#"{{"repeat":{repeat},"peak":{}}}"#, peak(&extract, &input));
    }
    Ok(())
}
