//! A filter of one's own, in an extractor beside built-in ones.
//!
//! `cargo run -p webstrata --example own_filter`

use webstrata::filters::{Classify, Filter, Verb};
use webstrata::{Document, Extractor};

/// Drops blocks that ask for consent or for a subscription, by words of the reader's choice.
#[derive(Debug)]
struct DropPhrases {
    phrases: Vec<String>,
}

impl Filter for DropPhrases {
    fn name(&self) -> &'static str {
        "drop-phrases"
    }

    /// It drops blocks and does nothing else. The filter's name begins with the verb.
    fn verb(&self) -> Verb {
        Verb::Drop
    }

    fn apply(&self, document: &mut Document) {
        let has_phrase = |text: &str| self.phrases.iter().any(|phrase| text.contains(phrase));
        // Blocks are changed; the text that they stand for never is.
        let mut blocks = std::mem::take(&mut document.blocks);
        for block in &mut blocks {
            block.is_content &= !document.with_text(block, has_phrase);
        }
        document.blocks = blocks;
    }
}

const PAGE: &[u8] = b"<p>The ferry between the two islands will run every hour from Monday on, the
    harbour office said after a winter of two crossings a day.
    <p>We and our partners use cookies to read your mind, to know where you are and to remember it all
    until the end of days. Accept all of them, and you may go on to read.
    <p>Tickets cost the same as before and are sold on board, in coins only, since the machine on the
    quay has not been repaired.";

fn extractor() -> Extractor {
    let phrases = vec!["use cookies".to_owned(), "newsletter".to_owned()];
    Extractor::new("no-cookies").step(Classify::new("num-words")).step(DropPhrases { phrases })
}

fn main() {
    print!("{}", extractor().extract(PAGE).text());
}

#[test]
fn it_drops_and_is_named_in_explanations() {
    use webstrata::{Options, Page, output::Explanation};

    main();
    let extractor = extractor();
    let text = extractor.extract(PAGE).text();
    assert!(text.contains("The ferry") && text.contains("Tickets") && !text.contains("cookies"));

    let mut page = Page::read(PAGE, extractor.cutting, &Options::default());
    let traces = extractor.explain(&mut page.document);
    assert_eq!((traces[1].step, &traces[1].dropped[..]), ("drop-phrases", &[1][..]));
    let page = Page::read(PAGE, extractor.cutting, &Options::default());
    let explained = Explanation::of(page, &extractor, &[], &Default::default());
    let json = serde_json::to_string(&explained).expect("plain values");
    assert!(json.contains(r#"{"filter":"own","name":"drop-phrases"}"#), "{json}");
}
