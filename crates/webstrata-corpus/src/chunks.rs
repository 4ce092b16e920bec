//! Texts cut for retrieval: pieces of a size, at headings and between sentences, each with its headings and its place.
//!
//! ```
//! use webstrata_corpus::chunks::{ChunkOptions, Headings, Measure, chunks};
//!
//! let text = "Tides\n\nHigh water is at noon. Low water is at six.\n\nFerry\n\nIt runs every hour.\n";
//! let headings = Headings::of_markdown("# Tides\n\nHigh …\n\n## Ferry\n\nIt …");
//! let options = ChunkOptions::new(Measure::Words, 6, 0)?;
//! let chunks = chunks(text, &headings, options);
//! let texts: Vec<&str> = chunks.iter().map(|chunk| chunk.text).collect();
//! assert_eq!(texts, ["Tides\n\nHigh water is at noon.", "Low water is at six.", "Ferry\n\nIt runs every hour."]);
//! assert_eq!(chunks[2].headings, ["Tides", "Ferry"]);
//! # Ok::<(), webstrata_base::Error>(())
//! ```

use std::collections::VecDeque;
use std::ops::Range;

use icu_segmenter::SentenceSegmenter;
use icu_segmenter::options::SentenceBreakInvariantOptions;
use serde::{Deserialize, Serialize};
use webstrata::words::for_each_word;
use webstrata_base::Error;

use crate::filters::tokens;

/// What the size of a chunk counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Words.
    Words,
    /// Characters of Unicode.
    Characters,
    /// Words and marks, as the filters of the literature count them. Tokens of language models are somewhat more: 1.1
    /// to 1.3 times as many in English, more in other languages.
    Tokens,
}

impl Measure {
    /// All of them, with their names.
    pub const ALL: [(Measure, &'static str); 3] = [
        (Measure::Words, "words"),
        (Measure::Characters, "characters"),
        (Measure::Tokens, "tokens"),
    ];

    fn of(self, text: &str) -> usize {
        let mut words = 0;
        match self {
            Measure::Words => for_each_word(text, |_| words += 1),
            Measure::Characters => words = text.chars().count(),
            Measure::Tokens => words = tokens::tokens(text).len(),
        }
        words
    }
}

/// How texts are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkOptions {
    /// What the sizes count.
    pub measure: Measure,
    /// The most that a chunk has.
    pub size: usize,
    /// The most that a chunk repeats of the one before it, in whole sentences.
    pub overlap: usize,
}

impl ChunkOptions {
    /// Checks the sizes.
    ///
    /// # Errors
    ///
    /// Where a chunk would be nothing, or repeat more than half of the one before it.
    pub fn new(measure: Measure, size: usize, overlap: usize) -> Result<ChunkOptions, Error> {
        if size == 0 {
            return Err(Error::new("size 0: expected the most that a chunk has, such as 200"));
        }
        if overlap > size / 2 {
            let message = format!("overlap {overlap}: expected at most half of the size {size}");
            return Err(Error::new(message));
        }
        Ok(ChunkOptions { measure, size, overlap })
    }
}

/// A piece of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk<'t> {
    /// The piece, exactly as it stands in the text.
    pub text: &'t str,
    /// Where it begins and ends in the text, in bytes of UTF-8.
    pub bytes: Range<usize>,
    /// The same in characters, as Python counts.
    pub characters: Range<usize>,
    /// The headings above it, the highest first; with its own, if it begins with one.
    pub headings: Vec<&'t str>,
}

/// The headings of a page, in order. Plain text does not mark them; they are found in it again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Headings {
    headings: Vec<Heading>,
    /// The page begins with the first of them.
    is_titled: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Heading {
    level: u8,
    /// Its letters and digits.
    plain: String,
    shown: String,
}

/// So many headings that a text does not have may come before one that it has.
const AHEAD: usize = 16;

impl Headings {
    /// The headings of a text as Markdown, as webstrata writes it.
    pub fn of_markdown(markdown: &str) -> Headings {
        let mut fence: Option<&str> = None;
        let mut headings = Vec::new();
        for line in markdown.lines() {
            let trimmed = line.trim_start();
            let ticks = trimmed.len() - trimmed.trim_start_matches(['`', '~']).len();
            if ticks >= 3 {
                match fence {
                    None => fence = Some(&trimmed[..ticks]),
                    Some(open) if trimmed.trim_end().starts_with(open) => fence = None,
                    Some(_) => {}
                }
                continue;
            }
            let level = line.len() - line.trim_start_matches('#').len();
            if fence.is_none() && (1..=6).contains(&level) && line[level..].starts_with(' ') {
                let shown = without_targets(&line[level..]);
                let shown: String = shown.chars().filter(|c| !MARKS.contains(c)).collect();
                let (plain, shown) = (plain(&shown), shown.trim().to_owned());
                headings.push(Heading { level: level as u8, plain, shown });
            }
        }
        let is_titled = markdown.trim_start().starts_with("# ");
        headings.retain(|heading| !heading.plain.is_empty());
        Headings { headings, is_titled }
    }
}

/// Marks of Markdown in a line.
const MARKS: [char; 6] = ['*', '`', '[', ']', '\\', '!'];

/// Without the addresses of links and images.
fn without_targets(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find("](") {
        text.push_str(&rest[..at]);
        rest = rest[at..].find(')').map_or("", |end| &rest[at + end + 1..]);
    }
    text + rest
}

/// Letters and digits alone: what marks and escapes leave alike.
fn plain(line: &str) -> String {
    line.chars().filter(|c| c.is_alphanumeric()).collect()
}

/// A piece that is not cut further.
#[derive(Clone, Debug)]
struct Atom {
    bytes: Range<usize>,
    size: usize,
}

/// Cuts a text. A chunk holds whole sentences of one section; a sentence that is longer than a chunk is cut between words,
/// a word between characters. What stands between chunks is white space.
pub fn chunks<'t>(text: &'t str, headings: &'t Headings, options: ChunkOptions) -> Vec<Chunk<'t>> {
    let mut chunks = Vec::new();
    let mut path: Vec<(u8, &'t str)> = Vec::new();
    let mut count = Characters { text, bytes: 0, characters: 0 };
    for section in sections(text, headings) {
        for heading in section.headings {
            path.retain(|(above, _)| *above < heading.level);
            path.push((heading.level, &heading.shown));
        }
        let names: Vec<&str> = path.iter().map(|(_, heading)| *heading).collect();
        for bytes in packed(text, section.bytes, options) {
            let piece = &text[bytes.clone()];
            let start = bytes.start + piece.len() - piece.trim_start().len();
            let piece = piece.trim();
            if piece.is_empty() {
                continue;
            }
            let end = start + piece.len();
            let begins = count.before(start);
            let characters = begins..begins + piece.chars().count();
            chunks.push(Chunk {
                text: piece,
                bytes: start..end,
                characters,
                headings: names.clone(),
            });
        }
    }
    chunks
}

/// How many characters come before a byte, asked for in nearly ascending order.
struct Characters<'t> {
    text: &'t str,
    bytes: usize,
    characters: usize,
}

impl Characters<'_> {
    fn before(&mut self, at: usize) -> usize {
        if at >= self.bytes {
            self.characters += self.text[self.bytes..at].chars().count();
        } else {
            // Chunks that repeat something begin before the end of the one before.
            self.characters -= self.text[at..self.bytes].chars().count();
        }
        self.bytes = at;
        self.characters
    }
}

struct Section<'t> {
    /// Those that come before it: the last is the line that it begins with, the others are not in the text.
    headings: &'t [Heading],
    bytes: Range<usize>,
}

/// The text between its headings, each with the heading that it begins with.
fn sections<'t>(text: &str, Headings { headings, is_titled }: &'t Headings) -> Vec<Section<'t>> {
    let first = plain(text.trim_start().lines().next().unwrap_or_default());
    // Plain text often goes without the title of the page.
    let has_title = headings.first().is_some_and(|heading| heading.plain == first);
    let (mut next, mut at) = (usize::from(*is_titled && !has_title), 0);
    next = next.min(headings.len());
    let mut sections = vec![Section { headings: &headings[..next], bytes: 0..0 }];
    for line in text.split_inclusive('\n') {
        let ahead = &headings[next..headings.len().min(next + AHEAD)];
        let found = if ahead.is_empty() {
            None
        } else {
            let line = plain(line);
            ahead.iter().position(|heading| heading.plain == line)
        };
        if let Some(found) = found {
            sections.push(Section { headings: &ahead[..=found], bytes: at..at });
            next += found + 1;
        }
        at += line.len();
        if let Some(section) = sections.last_mut() {
            section.bytes.end = at;
        }
    }
    sections
}

/// The chunks of a section.
fn packed(text: &str, section: Range<usize>, options: ChunkOptions) -> Vec<Range<usize>> {
    let mut chunks = Vec::new();
    let mut open: VecDeque<Atom> = VecDeque::new();
    let (mut size, mut is_new) = (0, false);
    for atom in atoms(text, section, options) {
        if size + atom.size > options.size {
            if let (true, Some(first), Some(last)) = (is_new, open.front(), open.back()) {
                chunks.push(first.bytes.start..last.bytes.end);
            }
            is_new = false;
            let most = options.overlap.min(options.size - atom.size);
            while size > most {
                size -= open.pop_front().map_or(size, |atom| atom.size);
            }
            // What has no size of its own would be repeated for nothing.
            while open.front().is_some_and(|atom| atom.size == 0) {
                open.pop_front();
            }
        }
        is_new |= !text[atom.bytes.clone()].trim().is_empty();
        size += atom.size;
        open.push_back(atom);
    }
    if let (true, Some(first), Some(last)) = (is_new, open.front(), open.back()) {
        chunks.push(first.bytes.start..last.bytes.end);
    }
    chunks
}

/// Sentences; of longer ones words, of longer ones characters. None is larger than a chunk.
fn atoms(text: &str, section: Range<usize>, options: ChunkOptions) -> Vec<Atom> {
    let segmenter = SentenceSegmenter::new(SentenceBreakInvariantOptions::default());
    let mut atoms = Vec::new();
    let mut at = section.start;
    for line in text[section].split_inclusive('\n') {
        let mut ends = segmenter.segment_str(line);
        let mut start = ends.next().unwrap_or(0);
        for end in ends {
            sentence(text, at + start..at + end, options, &mut atoms);
            start = end;
        }
        at += line.len();
    }
    atoms
}

fn sentence(text: &str, bytes: Range<usize>, options: ChunkOptions, atoms: &mut Vec<Atom>) {
    let size = options.measure.of(&text[bytes.clone()]);
    if size <= options.size {
        atoms.push(Atom { bytes, size });
        return;
    }
    let piece = &text[bytes.clone()];
    // Each word goes to where the next begins.
    let mut begins: Vec<usize> = Vec::new();
    for_each_word(piece, |word| begins.push(word.as_ptr() as usize - piece.as_ptr() as usize));
    if let Some(first) = begins.first_mut() {
        *first = 0;
    }
    begins.push(piece.len());
    if begins.len() < 2 {
        begins.insert(0, 0);
    }
    for ends in begins.windows(2) {
        word(text, bytes.start + ends[0]..bytes.start + ends[1], options, atoms);
    }
}

fn word(text: &str, bytes: Range<usize>, options: ChunkOptions, atoms: &mut Vec<Atom>) {
    let size = options.measure.of(&text[bytes.clone()]);
    if size <= options.size {
        atoms.push(Atom { bytes, size });
        return;
    }
    // No measure counts more than the characters.
    let mut start = bytes.start;
    while start < bytes.end {
        let rest = &text[start..bytes.end];
        let length = rest.char_indices().nth(options.size).map_or(rest.len(), |(at, _)| at);
        let size = options.measure.of(&rest[..length]);
        atoms.push(Atom { bytes: start..start + length, size });
        start += length;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn words(size: usize, overlap: usize) -> ChunkOptions {
        ChunkOptions::new(Measure::Words, size, overlap).unwrap()
    }

    #[test]
    fn headings_lead_to_what_stands_below_them() {
        let markdown = "# The [Tides](https://a.example/tides)\n\nOne.\n\n```\n# no heading\n```\n\n## *High* water\n\n\
            Two.\n\n### Gone\n\n## Low water\n\nThree.\n\n#hash";
        let text =
            "The Tides\n\nOne.\n\n# no heading\n\nHigh water\n\nTwo.\n\nLow water\n\nThree.\n";
        let headings = Headings::of_markdown(markdown);
        let chunks = chunks(text, &headings, words(50, 0));
        let found: Vec<(&str, String)> =
            chunks.iter().map(|chunk| (chunk.text, chunk.headings.join(" > "))).collect();
        assert_eq!(
            found,
            [
                ("The Tides\n\nOne.\n\n# no heading", "The Tides".to_owned()),
                ("High water\n\nTwo.", "The Tides > High water".to_owned()),
                ("Low water\n\nThree.", "The Tides > Low water".to_owned()),
            ]
        );
        // Without the title in the text.
        let (_, text) = text.split_once("\n\n").unwrap();
        let chunks = super::chunks(text, &headings, words(50, 0));
        assert_eq!(chunks[0].headings, ["The Tides"]);
        assert_eq!(chunks[1].headings, ["The Tides", "High water"]);
    }

    #[test]
    fn sentences_are_repeated() {
        let text = "One two three. Four five. Six seven eight. Nine.\n";
        let headings = Headings::default();
        let chunks = chunks(text, &headings, words(5, 2));
        let texts: Vec<&str> = chunks.iter().map(|chunk| chunk.text).collect();
        assert_eq!(texts, ["One two three. Four five.", "Four five. Six seven eight.", "Nine."]);
    }

    #[test]
    fn what_has_no_sentences() {
        let options = |measure, size| ChunkOptions::new(measure, size, 0).unwrap();
        let cut = |text: &'static str, options| {
            let headings = Headings::default();
            let chunks = chunks(text, &headings, options);
            chunks.iter().map(|chunk| chunk.text.to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(cut("a b c d e", options(Measure::Words, 2)), ["a b", "c d", "e"]);
        assert_eq!(cut("abcdefg", options(Measure::Characters, 3)), ["abc", "def", "g"]);
        // A word that is cut is counted by its pieces.
        assert_eq!(cut("a-b-c", options(Measure::Tokens, 2)), ["a-b-", "c"]);
        assert_eq!(
            cut("潮が満ちる。船が出る。", options(Measure::Characters, 6)),
            ["潮が満ちる。", "船が出る。"]
        );
        assert_eq!(cut("\n \n", options(Measure::Words, 3)), [""; 0]);
        assert_eq!(cut("… — …", options(Measure::Words, 3)), ["… — …"]);
    }

    #[test]
    fn sizes_that_make_no_sense() {
        for (size, overlap, wanted) in
            [(0, 0, "size 0: expected"), (10, 6, "overlap 6: expected at most half of the size 10")]
        {
            let error = ChunkOptions::new(Measure::Words, size, overlap).unwrap_err().to_string();
            assert!(error.starts_with(wanted), "{error}");
        }
    }

    proptest! {
        /// Chunks stand where they say, none is too large, and together they have every word.
        #[test]
        fn nothing_is_lost(
            text in "([a-c]{1,4}|[äß潮満]|[.!?] |\n|\n\n|# | ){0,60}",
            markdown in "(# [a-c]{1,3}\n|[a-c]{1,4}\n|```\n){0,8}",
            size in 1usize..12,
            overlap in 0usize..6,
            measure in prop::sample::select(Measure::ALL.map(|(measure, _)| measure).to_vec()),
        ) {
            let options = ChunkOptions::new(measure, size, overlap.min(size / 2)).unwrap();
            let headings = Headings::of_markdown(&markdown);
            let chunks = chunks(&text, &headings, options);
            let mut covered = vec![false; text.len()];
            let mut last = 0;
            for chunk in &chunks {
                prop_assert_eq!(&text[chunk.bytes.clone()], chunk.text);
                let before: String = text.chars().take(chunk.characters.start).collect();
                prop_assert_eq!(before.len(), chunk.bytes.start);
                prop_assert_eq!(chunk.characters.len(), chunk.text.chars().count());
                if measure == Measure::Characters {
                    prop_assert!(chunk.characters.len() <= size);
                }
                prop_assert!(chunk.bytes.end > last, "nothing new in {:?}", chunk);
                last = chunk.bytes.end;
                covered[chunk.bytes.clone()].fill(true);
            }
            for (at, c) in text.char_indices() {
                prop_assert!(c.is_whitespace() || covered[at], "{} at {}", c, at);
            }
        }
    }
}
