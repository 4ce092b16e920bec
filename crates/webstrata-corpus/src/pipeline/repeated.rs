//! Lines and paragraphs that stand on many pages: menus, notices, boilerplate that extraction left.
//!
//! The first page keeps them, later ones lose them, as in CCNet (Wenzek et al., 2020, section 3.1) and Dolma (Soldaini et
//! al., 2024, section 3.4). A line is known by its words without case and punctuation, digits as zeros (CCNet's
//! normalisation).
//!
//! What pages were written with is all that is known. So a run that goes on learns it again from what it has written.

use std::collections::HashMap;

use webstrata::words::for_each_word;
use webstrata_base::Error;
use xxhash_rust::xxh3::Xxh3;

/// What is looked at one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Lines.
    Line,
    /// What stands between empty lines.
    Paragraph,
}

/// Which lines or paragraphs go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RepeatedOptions {
    /// Lines or paragraphs?
    pub unit: Unit,
    /// How often one stays in all texts together.
    pub keep: u8,
    /// Those of fewer words stay always.
    pub min_words: u32,
    /// A text of which fewer words are left goes as a whole.
    pub min_left: u32,
}

impl RepeatedOptions {
    /// The defaults: one stays, of 5 words at least, and any text that has a word left.
    pub fn new(unit: Unit) -> RepeatedOptions {
        RepeatedOptions { unit, keep: 1, min_words: 5, min_left: 1 }
    }

    /// Are these numbers possible?
    ///
    /// # Errors
    ///
    /// One line that says which is not.
    pub(super) fn check(self) -> Result<RepeatedOptions, Error> {
        match self.keep {
            0 => Err(Error::new("keep 0: expected how often a text stays, 1 to 255")),
            _ => Ok(self),
        }
    }

    /// The keys of the lines or paragraphs of a text, in order; none for those that stay always.
    pub(super) fn keys(self, text: &str) -> Vec<Option<u64>> {
        units(text, self.unit).map(|unit| self.key(unit)).collect()
    }

    /// The text without the lines or paragraphs at these places: ascending, from 0 on.
    pub fn without(self, text: &str, places: &[usize]) -> String {
        let stays =
            units(text, self.unit).enumerate().filter(|(at, _)| places.binary_search(at).is_err());
        let kept: String = stays.map(|(_, unit)| unit).collect();
        if places.is_empty() { kept } else { closed(&kept) }
    }

    fn key(self, unit: &str) -> Option<u64> {
        let (mut hasher, mut words, mut has_letter) = (Xxh3::new(), 0u32, false);
        let mut plain = String::new();
        for_each_word(unit, |word| {
            words = words.saturating_add(1);
            plain.clear();
            for c in word.chars().filter(|c| c.is_alphanumeric()) {
                match c {
                    _ if c.is_numeric() => plain.push('0'),
                    _ => plain.extend(c.to_lowercase()),
                }
                has_letter |= c.is_alphabetic();
            }
            plain.push(' ');
            hasher.update(plain.as_bytes());
        });
        // Rows of numbers are data, however alike they look.
        (has_letter && words >= self.min_words).then(|| hasher.digest())
    }
}

/// The lines or paragraphs of a text, with all that stands between them: together they are the text.
fn units(text: &str, unit: Unit) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = match unit {
            Unit::Line => rest.find('\n').map(|at| at + 1),
            Unit::Paragraph => rest.find("\n\n").map(|at| {
                let breaks = rest[at..].bytes().take_while(|byte| *byte == b'\n').count();
                at + breaks
            }),
        };
        let (unit, behind) = rest.split_at(end.unwrap_or(rest.len()));
        rest = behind;
        Some(unit)
    })
}

/// What was written, and how often, in bounded memory.
#[derive(Debug)]
pub(super) struct Repeated {
    options: RepeatedOptions,
    /// Where the younger half of the memory is full, the older is forgotten.
    young: Seen,
    old: Seen,
    half: usize,
    forgotten: u64,
}

type Seen = HashMap<u64, u8>;

/// What a key takes in a table that grows by doubling.
const KEY: usize = 2 * (size_of::<(u64, u8)>() + 1);

impl Repeated {
    pub(super) fn new(options: RepeatedOptions, memory: usize) -> Repeated {
        let half = (memory / 2 / KEY).max(1);
        Repeated { options, young: Seen::new(), old: Seen::new(), half, forgotten: 0 }
    }

    fn times(&self, key: u64) -> u8 {
        self.young.get(&key).or_else(|| self.old.get(&key)).copied().unwrap_or(0)
    }

    /// The text without what was written often enough, and how many lines or paragraphs that is; `None` if all stays.
    pub(super) fn without(&self, text: &str, keys: &[Option<u64>]) -> Option<(String, u64)> {
        let mut here: HashMap<u64, u8> = HashMap::new();
        let (mut kept, mut removed) = (String::new(), 0);
        for (unit, key) in units(text, self.options.unit).zip(keys) {
            if let Some(key) = *key {
                let times = here.entry(key).or_insert_with(|| self.times(key));
                if *times >= self.options.keep {
                    removed += 1;
                    continue;
                }
                *times += 1;
            }
            kept.push_str(unit);
        }
        (removed > 0).then(|| (closed(&kept), removed))
    }

    /// Learns a text that was written.
    pub(super) fn keep(&mut self, keys: &[Option<u64>]) {
        for key in keys.iter().flatten() {
            let times = self.times(*key).saturating_add(1);
            self.young.insert(*key, times);
            if self.young.len() >= self.half {
                self.forgotten += self.old.len() as u64;
                self.old = std::mem::take(&mut self.young);
            }
        }
    }

    pub(super) fn options(&self) -> RepeatedOptions {
        self.options
    }

    pub(super) fn forgotten(&self) -> u64 {
        self.forgotten
    }
}

/// One empty line is enough where what stood between two is gone; the text ends as all texts do.
fn closed(text: &str) -> String {
    let mut closed = String::with_capacity(text.len());
    let mut breaks = 2;
    for c in text.chars() {
        breaks = if c == '\n' { breaks + 1 } else { 0 };
        if breaks <= 2 {
            closed.push(c);
        }
    }
    closed.truncate(closed.trim_end().len());
    if !closed.is_empty() {
        closed.push('\n');
    }
    closed
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use std::collections::HashMap;

    use super::*;

    fn options(unit: Unit, keep: u8, min_words: u32) -> RepeatedOptions {
        RepeatedOptions { unit, keep, min_words, min_left: 1 }
    }

    fn write(repeated: &mut Repeated, text: &str) -> String {
        let options = repeated.options();
        let text = match repeated.without(text, &options.keys(text)) {
            Some((text, _)) => text,
            None => text.to_owned(),
        };
        repeated.keep(&options.keys(&text));
        text
    }

    #[test]
    fn the_first_stays() {
        let mut lines = Repeated::new(options(Unit::Line, 1, 2), 1 << 20);
        let notice = "All rights reserved 2024";
        let first = format!("High water.\n\n{notice}\n");
        assert_eq!(write(&mut lines, &first), first);
        // Another year, other capitals; short lines stay.
        let text = "A\n\nALL RIGHTS RESERVED, 2025!\n\nThe ferry runs.\n\nA\n";
        assert_eq!(write(&mut lines, text), "A\n\nThe ferry runs.\n\nA\n");
        // The same page again has nothing left.
        assert_eq!(write(&mut lines, &first), "");
        // Twice on one page is twice.
        assert_eq!(write(&mut lines, "One more\nline.\nOne more\n"), "One more\nline.\n");
        // Rows of numbers are no boilerplate.
        assert_eq!(write(&mut lines, "1 2 3\n4 5 6\n"), "1 2 3\n4 5 6\n");
    }

    #[test]
    fn paragraphs_stay_whole() {
        let mut paragraphs = Repeated::new(options(Unit::Paragraph, 2, 1), 1 << 20);
        let notice = "We use cookies.\nAccept them.";
        for number in ["one", "two"] {
            let text = format!("{number}\n\n{notice}\n\nend of {number}\n");
            assert_eq!(write(&mut paragraphs, &text), text);
        }
        let text = format!("three\n\n{notice}\n\nWe use cookies.\n");
        assert_eq!(write(&mut paragraphs, &text), "three\n\nWe use cookies.\n");
    }

    #[test]
    fn memory_is_bounded() {
        let mut lines = Repeated::new(options(Unit::Line, 1, 1), 200 * KEY);
        let line = |number: usize| format!("line {}\n", "x".repeat(number));
        (0..1000).for_each(|number| assert_eq!(write(&mut lines, &line(number)), line(number)));
        assert!(lines.young.len() + lines.old.len() <= 200 && lines.forgotten() >= 800);
        assert_eq!(write(&mut lines, &line(999)), "");
        assert_eq!(write(&mut lines, &line(0)), line(0));
    }

    proptest! {
        /// The table of hashes does what a table of the lines themselves does, and a run that goes on from what was
        /// written does what one that was never stopped does.
        #[test]
        fn as_a_table_of_lines(
            pages in prop::collection::vec(prop::collection::vec("[ab] [ab]", 0..6), 1..20),
            keep in 1u8..4,
            stop in 0usize..20,
        ) {
            let mut seen: HashMap<String, u8> = HashMap::new();
            let mut lines = Repeated::new(options(Unit::Line, keep, 1), 1 << 20);
            let mut written = Vec::new();
            for page in &pages {
                let mut wanted = String::new();
                for line in page {
                    let times = seen.entry(line.clone()).or_default();
                    if *times < keep {
                        *times += 1;
                        wanted += &format!("{line}\n");
                    }
                }
                let text: String = page.iter().map(|line| format!("{line}\n")).collect();
                let text = write(&mut lines, &text);
                prop_assert_eq!(&text, &wanted);
                written.push(text);
            }
            let stop = stop.min(pages.len());
            let mut again = Repeated::new(options(Unit::Line, keep, 1), 1 << 20);
            written[..stop].iter().for_each(|text| again.keep(&again.options().keys(text)));
            for (page, wanted) in pages[stop..].iter().zip(&written[stop..]) {
                let text: String = page.iter().map(|line| format!("{line}\n")).collect();
                prop_assert_eq!(&write(&mut again, &text), wanted);
            }
        }

        #[test]
        fn units_are_the_text(text in "[a\n ]{0,40}") {
            for unit in [Unit::Line, Unit::Paragraph] {
                prop_assert_eq!(units(&text, unit).collect::<String>(), text.clone());
            }
        }
    }
}
