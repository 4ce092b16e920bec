//! Thresholds on eight features at once.

use super::filter;
use crate::document::{Block, Document};
use crate::ziegler::{self, COUNT};

filter! {
    /// Keeps the blocks that satisfy all of eight thresholds and drops the others: a conjunction,
    /// as in section 3.5 of Ziegler & Skubacz. Content has sentences, long ones, made of letters
    /// and of stop-words, is not all links or lists, and has formatting and paragraphs. A threshold
    /// left out asks for nothing. The cutting is to be `ziegler`, which records formatting, lists
    /// and paragraphs; with another one a block seems to have none of them.
    pub struct KeepSignal: "keep-signal", Keep {
        /// Words per sentence, at least.
        pub min_sentence_length: f64 = 0.0,
        /// Sentences, at least.
        pub min_sentences: f64 = 0.0,
        /// The share of characters that are letters or digits, at least.
        pub min_alphanumerics: f64 = 0.0,
        /// The share of words that are stop-words of the language that fits best, at least.
        pub min_stop_words: f64 = 0.0,
        /// The share of words inside links, at most.
        pub max_anchors: f64 = 1.0,
        /// Formatting elements per word, at least.
        pub min_format_tags: f64 = 0.0,
        /// List elements per word, at most.
        pub max_list_tags: f64 = 1.0,
        /// Headings, paragraphs and aligned texts per word, at least.
        pub min_structure_tags: f64 = 0.0,
    }
}

impl KeepSignal {
    /// The thresholds in the order of `ziegler::SIGNALS`.
    fn thresholds(&self) -> [f64; COUNT] {
        [
            self.min_sentence_length,
            self.min_sentences,
            self.min_alphanumerics,
            self.min_stop_words,
            self.max_anchors,
            self.min_format_tags,
            self.max_list_tags,
            self.min_structure_tags,
        ]
    }

    /// Does the block satisfy all thresholds?
    fn accepts(&self, document: &Document, block: &Block) -> bool {
        ziegler::accepts(document, block, &self.thresholds())
    }
}

impl From<[f64; COUNT]> for KeepSignal {
    /// The filter with these thresholds, in the order of `ziegler::SIGNALS`.
    fn from(thresholds: [f64; COUNT]) -> KeepSignal {
        let [length, sentences, characters, stop_words, anchors, format, list, structure] =
            thresholds;
        KeepSignal {
            min_sentence_length: length,
            min_sentences: sentences,
            min_alphanumerics: characters,
            min_stop_words: stop_words,
            max_anchors: anchors,
            min_format_tags: format,
            max_list_tags: list,
            min_structure_tags: structure,
        }
    }
}

impl KeepSignal {
    fn change(&self, document: &mut Document) {
        let mut blocks = std::mem::take(&mut document.blocks);
        for block in &mut blocks {
            block.is_content = self.accepts(document, block);
        }
        document.blocks = blocks;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::cutting::Cutting;
    use crate::filters::testing::{check_content, document};
    use crate::ziegler::{SIGNALS, signals};
    use crate::{Extractor, Options};

    fn page() -> Document {
        let page = b"<table><tr><td><ul><li><a href=a>Harbour</a><li><a href=b>Fares</a></ul>\
            <td><h1>The ferry is back</h1><p>It <b>runs</b> on the hour. The fare is as it was.</p>\
            <td>&copy; | 1998 | &raquo;</table>";
        crate::read(page, Cutting::Ziegler, &Options::default())
    }

    #[test]
    fn all_thresholds_or_none() {
        let none = KeepSignal::default;
        check_content(none(), page(), "CCC");
        check_content(KeepSignal { min_sentence_length: 3.0, ..none() }, page(), "-C-");
        check_content(KeepSignal { min_sentences: 1.0, ..none() }, page(), "-C-");
        check_content(KeepSignal { min_alphanumerics: 0.5, ..none() }, page(), "CC-");
        check_content(KeepSignal { min_stop_words: 0.3, ..none() }, page(), "-C-");
        check_content(KeepSignal { max_anchors: 0.5, ..none() }, page(), "-CC");
        check_content(KeepSignal { min_format_tags: 0.01, ..none() }, page(), "-C-");
        check_content(KeepSignal { max_list_tags: 0.5, ..none() }, page(), "-CC");
        check_content(KeepSignal { min_structure_tags: 0.1, ..none() }, page(), "-C-");
        let both = KeepSignal { max_anchors: 0.5, min_alphanumerics: 0.5, ..none() };
        check_content(both, page(), "-C-");
        check_content(KeepSignal { min_sentences: 3.0, ..none() }, page(), "---");
        // A verdict from before does not matter.
        check_content(
            KeepSignal { min_sentences: 9.0, ..none() },
            document(&[("a", 0, true)]),
            "-",
        );
    }

    #[test]
    fn a_threshold_is_itself_allowed() {
        let page = page();
        let exact = signals(&page, &page.blocks[1]).values;
        check_content(KeepSignal::from(exact), page, "-C-");
    }

    #[test]
    fn names_are_those_of_the_features() {
        let toml = toml::Table::try_from(KeepSignal::default()).unwrap();
        for signal in SIGNALS {
            let side = if signal.bound.permissive() > 0.0 { "max" } else { "min" };
            assert!(toml.contains_key(&format!("{side}-{}", signal.name)), "{}", signal.name);
        }
        assert_eq!(KeepSignal::from(KeepSignal::default().thresholds()), KeepSignal::default());
        assert_eq!(
            KeepSignal::default().thresholds(),
            SIGNALS.map(|signal| signal.bound.permissive())
        );
    }

    #[test]
    fn swarm_is_explained_like_any_other() {
        let text = "The ferry between the two islands is back, and it will run on the hour until \
            the end of the month. The fare is what it was in the winter, and it is to be paid in \
            coins on the pier.";
        let page = format!(
            "<div><a href=a>Harbour</a> <a href=b>Fares</a></div><!-- article --><div>{text}</div>\
             <img><div>&copy; The Harbour Office</div>"
        );
        let mut page = crate::read(page.as_bytes(), Cutting::Ziegler, &Options::default());
        let traces = Extractor::named("swarm").unwrap().explain(&mut page);
        assert_eq!(page.text(), format!("{text}\n"));
        assert_eq!((traces.len(), traces[0].step), (1, "keep-signal"));
        assert_eq!(traces[0].kept, [1]);
        assert_eq!(Extractor::decisions(&traces, &page), [Some(0); 3]);
    }

    fn any_thresholds() -> impl Strategy<Value = [f64; COUNT]> {
        let share = || prop_oneof![Just(0.0), 0.0..=1.0f64, Just(1.0)];
        (0.0..12.0f64, 0.0..4.0f64, prop::array::uniform6(share())).prop_map(
            |(length, sentences, [a, b, c, d, e, f])| [length, sentences, a, b, c, d, e, f],
        )
    }

    proptest! {
        #[test]
        fn permissive_thresholds_never_drop_more(
            strict in any_thresholds(),
            slack in any_thresholds(),
            words in prop::collection::vec("(the|is|<b>tide|<li>map|<p>|<td>|<a href=x>|</a>|[.|])", 0..30),
        ) {
            let page = format!("<table><tr><td>{}", words.join(" "));
            let page = crate::read(page.as_bytes(), Cutting::Ziegler, &Options::default());
            let mut loose = strict;
            for (at, signal) in SIGNALS.iter().enumerate() {
                let permissive = signal.bound.permissive();
                loose[at] += (permissive - strict[at]) * slack[at].min(1.0);
            }
            for block in &page.blocks {
                let values = signals(&page, block).values;
                let holds = |thresholds: &[f64; COUNT]| {
                    (0..COUNT).all(|at| SIGNALS[at].bound.holds(values[at], thresholds[at]))
                };
                let kept = KeepSignal::from(strict).accepts(&page, block);
                // The short way gives what the features say.
                prop_assert_eq!(kept, holds(&strict));
                prop_assert!(!kept || KeepSignal::from(loose).accepts(&page, block));
            }
        }
    }
}
