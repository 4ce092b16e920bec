//! What `strata` looks at: the features of every block of a page, computed in one pass.
//!
//! A feature is written down once, where it is computed: `Page::row` gives each value with its
//! name and its group to a `Sink`, and sinks take values (a row of the matrix), or names, or groups.
//! Which features matter, and how much a group gives, is measured in `docs/strata.md`.

use std::ops::Range;

use super::containers::TAGS;
use super::overview::{Best, Brief, Page};
use super::tokens::{Token, TokenSet};

/// Groups of features, for ablation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Group {
    /// What is counted in the block's text: the shallow features.
    Text,
    /// The same of the blocks around it.
    Neighbours,
    /// Where the block stands in the page.
    Position,
    /// The elements around the block.
    Tags,
    /// The containers around the block and what they hold.
    Containers,
    /// The container that looks most like an article, and the way to it.
    Best,
    /// What occurs again and again: siblings, classes, texts.
    Repetition,
    /// What the text has in common with the page's title and description.
    Title,
    /// Sums over the page.
    Page,
    /// Words of classes and ids, and of short texts.
    Words,
    /// What the first pass said of the block and those around it.
    Scores,
}

impl Group {
    /// All groups with their names.
    pub const ALL: [(Group, &'static str); 11] = [
        (Group::Text, "text"),
        (Group::Neighbours, "neighbours"),
        (Group::Position, "position"),
        (Group::Tags, "tags"),
        (Group::Containers, "containers"),
        (Group::Best, "best-container"),
        (Group::Repetition, "repetition"),
        (Group::Title, "title"),
        (Group::Page, "page"),
        (Group::Words, "words"),
        (Group::Scores, "scores"),
    ];
}

/// Takes features one after the other.
pub(super) trait Sink {
    /// A feature of the block, or, with a `place`, of something around it.
    fn put(&mut self, group: Group, place: &str, name: &str, value: f32);
}

/// A row of the matrix, as long as there are names.
impl Sink for std::slice::IterMut<'_, f32> {
    #[inline]
    fn put(&mut self, _: Group, _: &str, _: &str, value: f32) {
        if let Some(place) = self.next() {
            *place = value;
        }
    }
}

impl Sink for Vec<(Group, String)> {
    fn put(&mut self, group: Group, place: &str, name: &str, _: f32) {
        let name = if place.is_empty() { name.to_owned() } else { format!("{place}.{name}") };
        self.push((group, name));
    }
}

/// The ancestors whose sums are features: parent, grandparent and so on.
pub(super) const ANCESTORS: [(usize, &str); 4] =
    [(0, "parent"), (1, "grandparent"), (2, "ancestor-3"), (4, "ancestor-5")];
const NEIGHBOURS: [(isize, &str); 6] =
    [(-3, "above-3"), (-2, "above-2"), (-1, "above"), (1, "below"), (2, "below-2"), (3, "below-3")];
const WINDOWS: [(usize, &str); 3] = [(2, "around-2"), (5, "around-5"), (10, "around-10")];

/// The names and groups of the features that [`Observations`](super::Observations) has.
pub fn names() -> &'static [(Group, String)] {
    static NAMES: std::sync::LazyLock<Vec<(Group, String)>> = std::sync::LazyLock::new(|| {
        let options = crate::Options::default();
        let page = crate::Page::read(b"<p>x", crate::cutting::Cutting::Boilerpipe, &options);
        let mut names = Vec::new();
        Page::of(&page.tree, &page.document).row(0, "x", &[], &mut names);
        names
    });
    &NAMES
}

/// The names of the features that a vocabulary gives.
pub fn word_names() -> [&'static str; 8] {
    [
        "names.mean",
        "names.least",
        "names.greatest",
        "names.sum",
        "words.mean",
        "words.least",
        "words.greatest",
        "words.sum",
    ]
}

impl Page<'_> {
    /// Gives the features of a block to a sink. `words` are the first words of its text.
    #[inline]
    pub(super) fn row(&self, block: usize, text: &str, words: &[Token], sink: &mut impl Sink) {
        self.text(block, text, sink);
        self.tags_and_position(block, sink);
        self.around(block, sink);
        self.best(block, sink);
        self.repetition(block, sink);
        self.title(words, sink);
        self.neighbours(block, sink);
        self.page(sink);
    }

    fn text(&self, block: usize, text: &str, sink: &mut impl Sink) {
        let counts = &self.document.atoms[block].counts;
        let brief = &self.briefs[block];
        let signs = TextSigns::of(text);
        let chars = signs.chars.max(1) as f32;
        let last = text.chars().next_back();
        let ends = |set: &str| flag(last.is_some_and(|last| set.contains(last)));
        let mut put = |name, value| sink.put(Group::Text, "", name, value);
        put("words", brief.words);
        put("link-density", brief.link_density);
        put("text-density", brief.text_density);
        put("word-length", counts.average_word_length() as f32);
        put("sentence-length", counts.average_sentence_length() as f32);
        put("sentences", counts.sentences as f32);
        put("full-stop-ratio", counts.full_stop_ratio() as f32);
        put("upper-ratio", counts.upper_ratio() as f32);
        put("dates", counts.dates as f32);
        put("bars", counts.bars as f32);
        put("chars", chars);
        put("digits", signs.digits as f32 / chars);
        put("punctuation", signs.punctuation as f32 / chars);
        put("commas", signs.commas as f32);
        put("ends-sentence", ends(".!?。！？\"”…»」"));
        put("ends-colon", ends(":："));
        put("copyright", flag(signs.copyright));
        put("at", flag(signs.at));
        put("question", flag(signs.question));
        put("currency", flag(signs.currency));
        put("starts-upper", flag(text.chars().next().is_some_and(char::is_uppercase)));
    }

    fn tags_and_position(&self, block: usize, sink: &mut impl Sink) {
        let innermost = self.containers.get(self.containers.of_block[block]);
        let tags = innermost.map_or(0, |container| container.tags);
        for (bit, (_, name)) in TAGS.iter().enumerate() {
            sink.put(Group::Tags, "in", name, flag(tags & 1 << bit != 0));
        }
        let heading = innermost.map_or(0, |container| container.heading);
        sink.put(Group::Tags, "", "heading", f32::from(heading));
        let atom = &self.document.atoms[block];
        sink.put(Group::Tags, "", "hidden", flag(atom.hidden));
        sink.put(Group::Tags, "", "openable", flag(atom.openable));
        let blocks = self.briefs.len();
        let depth = f32::from(self.briefs[block].depth);
        let above = self.sums[block].words;
        let after_h1 = self.h1.map_or(-100.0, |h1| (block as f32 - h1 as f32).clamp(-50.0, 200.0));
        let words_after_h1 = self
            .h1
            .filter(|h1| *h1 < block)
            .map_or(-1.0, |h1| (above - self.sums[h1 + 1].words).min(5000.0));
        let mut put = |name, value| sink.put(Group::Position, "", name, value);
        put("depth", depth);
        put("relative-depth", depth / self.deepest);
        put("position", block as f32 / (blocks.max(2) - 1) as f32);
        put("position-in-words", above / self.total());
        put("blocks-above", block as f32);
        put("blocks-below", (blocks - block) as f32);
        put("after-h1", after_h1);
        put("words-after-h1", words_after_h1);
        put("since-heading", self.since_heading[block]);
    }

    fn around(&self, block: usize, sink: &mut impl Sink) {
        for (level, place) in ANCESTORS {
            let container = self.briefs[block].around[level];
            let stats = self.stats.get(container as usize).copied().unwrap_or_default();
            let first = self.containers.get(container).map_or(0, |c| c.blocks.start as usize);
            let mut put = |name, value| sink.put(Group::Containers, place, name, value);
            put("words", stats.words);
            put("share", stats.words / self.total());
            put("link-density", stats.link_density);
            put("blocks", stats.blocks);
            put("long", stats.long);
            put("full-stops", stats.full_stops);
            put("words-per-block", stats.words / stats.blocks.max(1.0));
            put("place", block.saturating_sub(first) as f32 / stats.blocks.max(1.0));
            put("score", stats.score);
            put("listed", stats.listed);
            put("paragraphs", stats.paragraphs);
        }
    }

    /// The blocks of the containers around a block.
    pub(super) fn ranges(&self, block: usize) -> [Range<u32>; ANCESTORS.len()] {
        ANCESTORS.map(|(level, _)| {
            let container = self.containers.get(self.briefs[block].around[level]);
            container.map_or(0..0, |container| container.blocks.clone())
        })
    }

    fn best(&self, block: usize, sink: &mut impl Sink) {
        let Best { blocks, share, up, down } = &self.best;
        let inside = blocks.contains(&block);
        let distance = if block < blocks.start {
            block as f32 - blocks.start as f32
        } else if block >= blocks.end {
            (block - blocks.end + 1) as f32
        } else {
            0.0
        };
        let parent = self.briefs[block].around[0] as usize;
        let within = |distance: usize| if inside { distance as f32 } else { -1.0 };
        let mut put = |name, value| sink.put(Group::Best, "best", name, value);
        put("inside", flag(inside));
        put("distance", distance);
        put("to-end", within(blocks.end.saturating_sub(block)));
        put("from-start", within(block.saturating_sub(blocks.start)));
        put("share", *share);
        put("up", up.get(parent).map_or(99.0, |up| *up as f32));
        put("down", down.get(parent).copied().flatten().map_or(-1.0, f32::from));
    }

    fn repetition(&self, block: usize, sink: &mut impl Sink) {
        let brief = &self.briefs[block];
        let (words, count) = self.signatures.sums[self.signatures.number[block] as usize];
        let parent = self.containers.get(brief.around[0]);
        let siblings = self.containers.get(brief.around[1]).map_or(0, |c| c.children);
        let mut put = |name, value| sink.put(Group::Repetition, "", name, value);
        put("signature.words", words / self.total());
        put("signature.blocks", count);
        put("same-text", self.same_text[block] as f32);
        put("siblings", siblings.min(500) as f32);
        put("siblings-alike", parent.map_or(0, |parent| parent.alike).min(500) as f32);
    }

    fn title(&self, words: &[Token], sink: &mut impl Sink) {
        let common = |set: &TokenSet| words.iter().filter(|word| set.has(**word)).count() as f32;
        let of_words = |common: f32| common / words.len().max(1) as f32;
        let (title, description) = (common(&self.title), common(&self.description));
        let mut put = |name, value| sink.put(Group::Title, "", name, value);
        put("title.of-block", of_words(title));
        put("title.of-title", title / self.title.len().max(1) as f32);
        put("description.of-block", of_words(description));
        put("description.of-description", description / self.description.len().max(1) as f32);
        let has_body = self.body.len() > 0;
        put("article-body.of-block", if has_body { of_words(common(&self.body)) } else { -1.0 });
    }

    fn neighbours(&self, block: usize, sink: &mut impl Sink) {
        let own = &self.briefs[block];
        for (offset, place) in NEIGHBOURS {
            let other = block.checked_add_signed(offset).and_then(|at| self.briefs.get(at));
            let value = |value: fn(&Brief) -> f32| other.map_or(-1.0, value);
            let same = |same: fn(&Brief, &Brief) -> bool| {
                flag(other.is_some_and(|other| same(own, other)))
            };
            let mut put = |name, value| sink.put(Group::Neighbours, place, name, value);
            put("words", value(|other| other.words));
            put("link-density", value(|other| other.link_density));
            put("text-density", value(|other| other.text_density));
            put("same-parent", same(|own, other| own.around[0] == other.around[0]));
            put("same-grandparent", same(|own, other| own.around[1] == other.around[1]));
            put("same-signature", same(|own, other| own.signature == other.signature));
        }
        for (reach, place) in WINDOWS {
            let range = block.saturating_sub(reach)..(block + reach + 1).min(self.briefs.len());
            let (low, high) = (self.sums[range.start], self.sums[range.end]);
            let words = high.words - low.words;
            let mut put = |name, value| sink.put(Group::Neighbours, place, name, value);
            put("link-density", (high.linked - low.linked) / words.max(1.0));
            put("words-per-block", words / range.len().max(1) as f32);
            put("long", (high.long - low.long) / words.max(1.0));
        }
        let depth = i32::from(own.depth);
        let step = |other: Option<usize>| {
            let other = other.and_then(|other| self.briefs.get(other));
            other.map_or(0.0, |other| (i32::from(other.depth) - depth) as f32)
        };
        sink.put(Group::Neighbours, "above", "depth-step", step(block.checked_sub(1)));
        sink.put(Group::Neighbours, "below", "depth-step", step(Some(block + 1)));
    }

    fn page(&self, sink: &mut impl Sink) {
        let all = self.sums[self.briefs.len()];
        let total = self.total();
        let mut put = |name, value| sink.put(Group::Page, "page", name, value);
        put("words", all.words);
        put("blocks", self.briefs.len() as f32);
        put("link-density", all.linked / total);
        put("long", all.long / total);
        put("listed", all.listed / total);
        put("paragraphs", all.paragraphs / total);
        put("full-stops", all.full_stops / total);
    }
}

/// What the characters of a text tell.
#[derive(Clone, Debug, Default, PartialEq)]
struct TextSigns {
    chars: u32,
    digits: u32,
    punctuation: u32,
    commas: u32,
    copyright: bool,
    at: bool,
    question: bool,
    currency: bool,
}

/// What a byte adds to the counts of a text: characters, digits, punctuation and commas, sixteen bits
/// each. All that one text needs of a byte is one number to add and one to join.
static COUNTS: [u64; 256] = {
    let mut counts = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let own = byte as u8;
        let mut count = (own & 0xc0 != 0x80) as u64;
        count |= (own.is_ascii_digit() as u64) << 16;
        // These two are signs of other things, and have never counted.
        count |= ((own.is_ascii_punctuation() && own != b'@' && own != b'$') as u64) << 32;
        count |= ((own == b',') as u64) << 48;
        counts[byte] = count;
        byte += 1;
    }
    counts
};

/// What a byte is a sign of.
static SIGNS: [u8; 256] = {
    let mut signs = [0; 256];
    signs[b'@' as usize] = AT;
    signs[b'$' as usize] = DOLLAR;
    signs[b'?' as usize] = QUESTION;
    // These begin characters that count: © ® £ ¥, €, 、, ， and ？.
    signs[0xc2] = WIDE;
    signs[0xe2] = WIDE;
    signs[0xe3] = WIDE;
    signs[0xef] = WIDE;
    signs
};
const AT: u8 = 1;
const DOLLAR: u8 = 2;
const QUESTION: u8 = 4;
const WIDE: u8 = 8;

impl TextSigns {
    fn of(text: &str) -> TextSigns {
        let mut all = TextSigns::default();
        let mut signs = 0;
        // No count can overflow into the next one.
        for part in text.as_bytes().chunks(usize::from(u16::MAX)) {
            let mut counts = 0;
            for byte in part {
                counts += COUNTS[usize::from(*byte)];
                signs |= SIGNS[usize::from(*byte)];
            }
            let count = |place: u32| u32::from((counts >> (16 * place)) as u16);
            all.chars += count(0);
            all.digits += count(1);
            all.punctuation += count(2);
            all.commas += count(3);
        }
        all.at = signs & AT != 0;
        all.currency = signs & DOLLAR != 0;
        all.question = signs & QUESTION != 0;
        if signs & WIDE != 0 {
            all.add_wide(text);
        }
        all
    }

    fn add_wide(&mut self, text: &str) {
        for character in text.chars().filter(|character| !character.is_ascii()) {
            match character {
                '©' | '®' => self.copyright = true,
                '£' | '¥' | '€' => self.currency = true,
                '、' | '，' => self.commas += 1,
                '？' => self.question = true,
                _ => {}
            }
        }
    }
}

fn flag(is: bool) -> f32 {
    f32::from(u8::from(is))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Character by character.
    fn naive(text: &str) -> TextSigns {
        let count = |is: fn(char) -> bool| text.chars().filter(|c| is(*c)).count() as u32;
        TextSigns {
            chars: count(|_| true),
            digits: count(|c| c.is_ascii_digit()),
            punctuation: count(|c| c.is_ascii_punctuation() && c != '@' && c != '$'),
            commas: count(|c| ",、，".contains(c)),
            copyright: text.contains(['©', '®']),
            at: text.contains('@'),
            question: text.contains(['?', '？']),
            currency: text.contains(['$', '£', '¥', '€']),
        }
    }

    proptest! {
        #[test]
        fn signs_are_those_of_the_characters(text in "[a-z0-9,.@$?©®£¥€、，？é😀 ]{0,40}") {
            prop_assert_eq!(TextSigns::of(&text), naive(&text));
        }
    }

    #[test]
    fn long_texts_are_counted_to_their_end() {
        let text = "1,é?".repeat(50_000);
        assert_eq!(TextSigns::of(&text), naive(&text));
    }
}
