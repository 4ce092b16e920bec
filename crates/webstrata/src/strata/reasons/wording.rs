//! Features as people say them.
//!
//! Features that tell of one thing are one reason. What is said of it goes by the feature that adds most and by its
//! value, never by the weight: "no links" is what was found, whether it speaks for the block or against it.

use std::sync::LazyLock;

use super::Reason;
use crate::page::Page;
use crate::strata::features::{self, Group, word_names};
use crate::strata::model::StrataModel;
use crate::strata::observations::Observations;
use crate::strata::second_pass;
use crate::strata::tokens::{self, Token};

/// Words of a container's blocks from which on they are paragraphs, and below which they are scraps.
const LONG: f32 = 20.0;
const SHORT: f32 = 6.0;

/// Elements around a block whose names are looked at.
const NAMED_ELEMENTS: usize = 12;

/// Letters of a name that are shown.
const LONGEST_NAME: usize = 40;

/// What reasons are about, with the names that they are known by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum About {
    Length,
    Links,
    Sentences,
    Signs,
    Neighbours,
    Position,
    Tags,
    Container,
    Best,
    Repetition,
    Title,
    Page,
    Names,
    Words,
    Itself,
    Around,
}

const ALL: [(About, &str); 16] = [
    (About::Length, "length"),
    (About::Links, "links"),
    (About::Sentences, "sentences"),
    (About::Signs, "signs"),
    (About::Neighbours, "neighbours"),
    (About::Position, "position"),
    (About::Tags, "elements"),
    (About::Container, "container"),
    (About::Best, "best-container"),
    (About::Repetition, "repetition"),
    (About::Title, "title"),
    (About::Page, "page"),
    (About::Names, "names"),
    (About::Words, "words"),
    (About::Itself, "itself"),
    (About::Around, "around"),
];

/// The features of both passes.
pub(super) struct Features {
    all: Vec<(About, String)>,
    /// The one that is the score of the first pass.
    pub(super) own_score: usize,
}

impl Features {
    pub(super) fn get() -> &'static Features {
        static FEATURES: LazyLock<Features> = LazyLock::new(Features::new);
        &FEATURES
    }

    fn new() -> Features {
        let first =
            features::names().iter().map(|(group, name)| (about(*group, name), name.clone()));
        let of_words = |name: &str| match name.starts_with("names.") {
            true => About::Names,
            false => About::Words,
        };
        let words = word_names().map(|name| (of_words(name), name.to_owned()));
        let of_score = |name: &str| if name == "score" { About::Itself } else { About::Around };
        let scores = second_pass::NAMES.map(|name| (of_score(name), name.to_owned()));
        let all: Vec<_> = first.chain(words).chain(scores).collect();
        let own_score = all.iter().position(|(about, _)| *about == About::Itself);
        Features { all, own_score: own_score.unwrap_or(0) }
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    fn place(&self, name: &str) -> Option<usize> {
        self.all.iter().position(|(_, known)| known == name)
    }
}

fn about(group: Group, name: &str) -> About {
    match group {
        Group::Text => match name {
            "words" | "chars" => About::Length,
            "link-density" => About::Links,
            "digits" | "dates" | "bars" | "ends-colon" | "copyright" | "at" | "question"
            | "currency" => About::Signs,
            _ => About::Sentences,
        },
        Group::Neighbours => About::Neighbours,
        Group::Position => About::Position,
        Group::Tags => About::Tags,
        Group::Containers => About::Container,
        Group::Best => About::Best,
        Group::Repetition => About::Repetition,
        Group::Title => About::Title,
        Group::Page => About::Page,
        Group::Words => About::Words,
        Group::Scores => About::Around,
    }
}

/// A block whose score is put into words.
pub(super) struct Wording<'a> {
    pub(super) page: &'a Page<'a>,
    pub(super) observations: &'a Observations,
    pub(super) model: &'a StrataModel,
    pub(super) block: usize,
}

impl Wording<'_> {
    /// One reason for each thing that adds something.
    pub(super) fn reasons(&self, weights: &[f64]) -> Vec<Reason> {
        let features = Features::get();
        let mut reasons = Vec::new();
        for (about, name) in ALL {
            let own = || (0..features.len()).filter(|at| features.all[*at].0 == about);
            let sum: f64 = own().map(|at| weights[at]).sum();
            let greatest = own().max_by(|a, b| weights[*a].abs().total_cmp(&weights[*b].abs()));
            let Some(greatest) = greatest.filter(|_| sum != 0.0) else { continue };
            let text = self.text(about, greatest, sum);
            reasons.push(Reason { about: name.to_owned(), text, weight: sum as f32 });
        }
        reasons
    }

    fn value(&self, feature: usize) -> f32 {
        self.observations.rows().get(self.block, feature)
    }

    /// The value of a feature by its name.
    fn named(&self, name: &str) -> f32 {
        Features::get().place(name).map_or(0.0, |feature| self.value(feature))
    }

    fn text(&self, about: About, feature: usize, weight: f64) -> String {
        let name = Features::get().all[feature].1.as_str();
        let value = self.value(feature);
        match about {
            About::Length => counted(self.named("words"), "word"),
            About::Links => links(value),
            About::Sentences => match (self.named("sentences"), self.named("ends-sentence")) {
                (2.0.., _) => "whole sentences".into(),
                (1.0.., _) | (_, 1.0) => "a whole sentence".into(),
                _ => "no whole sentence".into(),
            },
            About::Signs => sign(name, value),
            About::Neighbours => self.neighbours(),
            About::Position => self.position(name, value),
            About::Tags => tag(name, value),
            About::Container => self.container(name),
            About::Best => match self.named("best.inside") {
                1.0 => "inside of what looks most like an article".into(),
                _ => "outside of what looks most like an article".into(),
            },
            About::Repetition => self.repetition(name, value),
            About::Title => title(name, value),
            About::Page => {
                let (words, blocks) = (self.named("page.words"), self.named("page.blocks"));
                format!("on a page of {} in {}", counted(words, "word"), counted(blocks, "block"))
            }
            About::Names => {
                self.name(weight).unwrap_or_else(|| "what its elements are called".into())
            }
            About::Words => self.word(weight).unwrap_or_else(|| "its words".into()),
            About::Itself if value >= 0.5 => "like a text, looked at by itself".into(),
            About::Itself => "like no text, looked at by itself".into(),
            About::Around => around(name, value),
        }
    }

    fn neighbours(&self) -> String {
        let (links, words) =
            (self.named("around-2.link-density"), self.named("around-2.words-per-block"));
        match () {
            () if links > 0.5 => "among links".into(),
            () if words >= LONG => "among long texts".into(),
            () if words < SHORT => "among scraps of text".into(),
            () => "among short texts".into(),
        }
    }

    fn position(&self, name: &str, value: f32) -> String {
        match name {
            "depth" | "relative-depth" => {
                format!("{} deep", counted(self.named("depth"), "element"))
            }
            "after-h1" | "words-after-h1" => match self.named("after-h1") {
                -100.0 => "no main heading on the page".into(),
                ..0.0 => "above the main heading".into(),
                0.0 => "the main heading".into(),
                _ => "below the main heading".into(),
            },
            "since-heading" if value <= 0.0 => "at a heading".into(),
            "since-heading" => format!("{} below a heading", counted(value, "block")),
            _ => match self.named("position") {
                ..0.1 => "at the beginning of the page".into(),
                0.9.. => "at the end of the page".into(),
                position => format!("{:.0} % down the page", 100.0 * position),
            },
        }
    }

    /// The container that `name` tells of.
    fn container(&self, name: &str) -> String {
        let place = name.split('.').next().unwrap_or_default();
        let of = |what: &str| self.named(&format!("{place}.{what}"));
        let words = of("words-per-block");
        match () {
            () if of("words") == 0.0 => "in no container".into(),
            () if of("link-density") > 0.5 => "in a container of links".into(),
            () if words >= LONG && of("blocks") > 1.0 => "in a container of long paragraphs".into(),
            () if words < SHORT => "in a container of scraps".into(),
            () if of("blocks") <= 1.0 => "alone in its container".into(),
            () => "in a container of short texts".into(),
        }
    }

    fn repetition(&self, name: &str, value: f32) -> String {
        match name {
            "same-text" if value > 1.0 => format!("its text is on the page {value:.0} times"),
            "same-text" => "its text is on the page once".into(),
            "siblings" | "siblings-alike" => match self.named("siblings-alike") {
                2.0.. => format!("one of {:.0} elements alike", self.named("siblings-alike")),
                _ => "no element beside it is alike".into(),
            },
            _ => match self.named("signature.blocks") {
                2.0.. => {
                    format!("one of {:.0} blocks marked up alike", self.named("signature.blocks"))
                }
                _ => "marked up like no other block".into(),
            },
        }
    }

    /// The name of an element around the block that says most, for or against.
    fn name(&self, weight: f64) -> Option<String> {
        let token = self.telling(self.observations.names(self.block), weight)?;
        let tree = &self.page.tree;
        let start = self.page.document.atoms.get(self.block)?.nodes.start;
        for element in tree.ancestors(start).skip(1).take(NAMED_ELEMENTS) {
            for (name, value) in tree.raw_attributes(element) {
                let name = name.to_ascii_lowercase();
                let kind = match name.as_str() {
                    "class" | "id" => tokens::NAME,
                    "role" | "itemprop" => tokens::ROLE,
                    _ => continue,
                };
                let has = |word: &&str| tokens::of_name(kind, word).any(|own| own == token);
                if let Some(word) = value.split_ascii_whitespace().find(has) {
                    return Some(format!("{name} `{}`", shown(word)));
                }
            }
        }
        None
    }

    /// The same of the words of its text.
    fn word(&self, weight: f64) -> Option<String> {
        let words = self.observations.words(self.block).iter().copied();
        let token = self.telling(words, weight)?;
        let text = self.page.document.atom_text(self.block);
        let has = |word: &&str| tokens::of_text(tokens::WORD, word).any(|own| own == token);
        let word = text.split_whitespace().find(has)?;
        Some(format!("the word `{}`", shown(word.trim_matches(|c: char| !c.is_alphanumeric()))))
    }

    fn telling(&self, tokens: impl Iterator<Item = Token>, weight: f64) -> Option<Token> {
        let sign = if weight < 0.0 { -1.0 } else { 1.0 };
        let odds = tokens.filter_map(|token| {
            let odds = sign * self.model.vocabulary.odds(token)?;
            (odds > 0.0).then_some((token, odds))
        });
        odds.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(token, _)| token)
    }
}

fn counted(count: f32, what: &str) -> String {
    if count == 1.0 { format!("1 {what}") } else { format!("{count:.0} {what}s") }
}

fn links(density: f32) -> String {
    match density {
        0.0 => "no links".into(),
        0.995.. => "nothing but links".into(),
        _ => format!("{:.0} % in links", 100.0 * density),
    }
}

fn sign(name: &str, value: f32) -> String {
    let what = match name {
        "digits" => "digits",
        "dates" => "a date",
        "bars" => "bars (|)",
        "ends-colon" => "a colon at its end",
        "copyright" => "a copyright sign",
        "at" => "an @",
        "question" => "a question",
        _ => "a sign of money",
    };
    match value {
        0.0 => format!("without {what}"),
        _ => format!("with {what}"),
    }
}

fn tag(name: &str, value: f32) -> String {
    match (name, value) {
        ("heading", 0.0) => "no heading".into(),
        ("heading", level) => format!("a heading of level {level:.0}"),
        ("hidden", 0.0) => "not hidden".into(),
        ("hidden", _) => "hidden".into(),
        ("openable", 0.0) => "not to be opened first".into(),
        ("openable", _) => "hidden until it is opened".into(),
        (name, value) => {
            let element = name.strip_prefix("in.").unwrap_or(name);
            if value == 0.0 { format!("not in `{element}`") } else { format!("in `{element}`") }
        }
    }
}

fn title(name: &str, value: f32) -> String {
    let of = match name.split('.').next() {
        Some("title") => "the title",
        Some("description") => "the page's description",
        _ => "the article in the page's data",
    };
    match value {
        ..0.0 => "no article in the page's data".into(),
        0.0 => format!("no words of {of}"),
        _ => format!("words of {of}"),
    }
}

fn around(name: &str, value: f32) -> String {
    let what = if value >= 0.5 { "text" } else { "no text" };
    match name {
        "score.parent" | "score.grandparent" | "score.ancestor-3" | "score.ancestor-5" => {
            format!("{what} in its container")
        }
        "score.signature" => format!("{what} in what is marked up like it"),
        "score.since-first" if value < 0.0 => "before the first sure text".into(),
        "score.since-first" => "behind the first sure text".into(),
        "score.until-last" if value < 0.0 => "behind the last sure text".into(),
        "score.until-last" => "before the last sure text".into(),
        "score.page" | "score.words-kept" | "score.greatest" => {
            "how much of the page looks like text".into()
        }
        name if name.contains("above") => format!("{what} above it"),
        _ => format!("{what} below it"),
    }
}

/// A word of the page, as much of it as fits.
fn shown(word: &str) -> String {
    let clean = word.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c });
    clean.take(LONGEST_NAME).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_feature_is_about_something_that_has_words() {
        let features = Features::get();
        assert_eq!(features.len(), crate::strata::model::widths().1);
        assert_eq!(features.all[features.own_score].1, "score");
        for (about, name) in ALL {
            assert!(features.all.iter().any(|(own, _)| *own == about), "{name}");
        }
        // Each name that a sentence is made of is one.
        for name in [
            "words",
            "sentences",
            "ends-sentence",
            "around-2.link-density",
            "around-2.words-per-block",
            "depth",
            "after-h1",
            "position",
            "best.inside",
            "siblings-alike",
            "signature.blocks",
            "page.words",
            "page.blocks",
            "parent.words-per-block",
            "ancestor-5.link-density",
            "grandparent.blocks",
        ] {
            assert!(features.place(name).is_some(), "{name}");
        }
    }

    #[test]
    fn values_in_words() {
        assert_eq!([0.0, 0.4, 1.0].map(links), ["no links", "40 % in links", "nothing but links"]);
        assert_eq!(counted(1.0, "word"), "1 word");
        assert_eq!(tag("in.nav", 1.0), "in `nav`");
        assert_eq!(tag("heading", 2.0), "a heading of level 2");
        assert_eq!(title("article-body.of-block", -1.0), "no article in the page's data");
        assert_eq!(around("score.above-10", 0.1), "no text above it");
        assert_eq!(sign("currency", 0.0), "without a sign of money");
        assert_eq!(shown(&"a\u{1b}".repeat(60)).chars().count(), LONGEST_NAME);
    }
}
