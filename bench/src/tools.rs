//! One face for all tools: a page in, the length of what came out.

use std::hint::black_box;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::ours;
use crate::pages::Page;

/// Runs a tool over a page and returns the bytes of its text: 0 when it found or gave nothing.
pub type Runner = Box<dyn FnMut(&Page) -> usize>;

/// A tool and how many pages of each set it gets.
pub struct Tool {
    pub name: String,
    pub cap: usize,
    runner: Runner,
}

impl Tool {
    /// Makes a tool from `NAME` or `NAME:CAP`; the error says why there is none.
    ///
    /// # Errors
    /// When this build has no such tool.
    pub fn new(spec: &str) -> Result<Self, String> {
        let (name, cap) = spec.split_once(':').unwrap_or((spec, ""));
        let runner = runner(name).ok_or_else(|| format!("no tool {name} in this build"))?;
        Ok(Self { name: name.to_owned(), cap: cap.parse().unwrap_or(usize::MAX), runner })
    }

    /// Whether the tool takes decoded text instead of bytes.
    #[must_use]
    pub fn wants_text(&self) -> bool {
        !ours::PRESETS.contains(&self.name.as_str())
    }

    /// Runs over one page; a panic counts as no text.
    pub fn run(&mut self, page: &Page) -> usize {
        catch_unwind(AssertUnwindSafe(|| black_box((self.runner)(black_box(page))))).unwrap_or(0)
    }
}

fn runner(name: &str) -> Option<Runner> {
    if let Some(extract) = ours::preset(name) {
        return Some(Box::new(move |page| black_box(extract(&page.raw)).len()));
    }
    #[cfg(feature = "peers")]
    return crate::peers::runner(name);
    #[cfg(not(feature = "peers"))]
    None
}
