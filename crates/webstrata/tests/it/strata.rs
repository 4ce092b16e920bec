//! The learned extractor: what must hold whatever it learned.

use proptest::prelude::*;
use webstrata::cutting::Cutting;
use webstrata::training::strata::features::{names, word_names};
use webstrata::training::strata::{PageType, StrataModel, second_pass};
use webstrata::{Class, Document, Extractor, Hidden, Options};

use crate::pages;

fn strata(page: &[u8]) -> Document {
    Extractor::named("strata").expect("a built-in").extract(page)
}

#[test]
fn features_have_names_of_their_own() {
    let all = names().iter().map(|(_, name)| name.as_str());
    let all: Vec<&str> = all.chain(word_names()).chain(second_pass::NAMES).collect();
    let distinct: std::collections::HashSet<_> = all.iter().collect();
    assert_eq!(distinct.len(), all.len());
}

#[test]
fn the_model_is_small_and_survives_a_round_trip() {
    let bytes = StrataModel::builtin().to_bytes();
    assert!(bytes.len() < 1_500_000, "{} bytes", bytes.len());
    assert_eq!(StrataModel::from_bytes(&bytes).as_ref(), Ok(StrataModel::builtin()));
    for end in [0, 10, bytes.len() / 2, bytes.len() - 1] {
        let error = StrataModel::from_bytes(&bytes[..end]).unwrap_err().to_string();
        let expected = "the model is damaged, it ends too early: copy or train it again";
        assert_eq!(error, expected);
    }
    let error = StrataModel::from_bytes(&b"name: some other kind of model".repeat(9)).unwrap_err();
    assert_eq!(error.to_string(), "this is no strata model of version 1");
}

#[test]
fn a_forest_with_other_outputs_is_refused() {
    let mut model = StrataModel::builtin().clone();
    model.first = model.classes.clone();
    let error = StrataModel::from_bytes(&model.to_bytes()).unwrap_err().to_string();
    let why = format!("a forest has {} outputs where 1 are looked for", Class::ALL.len());
    let expected = format!("the model is damaged, {why}: copy or train it again");
    assert_eq!(error, expected);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_broken_model_is_refused_or_judges(
        changes in prop::collection::vec((0..1_000_000usize, any::<u8>()), 1..20),
    ) {
        let mut bytes = StrataModel::builtin().to_bytes();
        for (at, byte) in changes {
            let length = bytes.len();
            bytes[at % length] = byte;
        }
        if let Ok(model) = StrataModel::from_bytes(&bytes) {
            let document = webstrata::read(&pages::page("short"), Cutting::Strata, &Options::default());
            let words: Vec<f32> = document.atoms.iter().map(|a| a.counts.words as f32).collect();
            let mut observations = document.observations().expect("cut for it").clone();
            model.judge(&mut observations, &words, 1.0, None);
        }
    }
}

#[test]
fn more_recall_never_drops_a_block() {
    let extractor = Extractor::named("strata").expect("a built-in");
    for slug in pages::slugs() {
        let page = pages::page(&slug);
        let mut before: Option<Vec<bool>> = None;
        for recall in [0.1, 0.3, 0.5, 0.8, 1.0, 1.3, 2.0, 4.0, 20.0] {
            let extractor = extractor.with_recall(recall).expect("it has one");
            // Falling back is another matter: a text of a few words may become a longer one.
            let mut document = webstrata::read(&page, extractor.cutting, &Options::default());
            extractor.apply(&mut document);
            let kept = document.content_atoms();
            if let Some(before) = before {
                let dropped = before.iter().zip(&kept).any(|(before, now)| *before && !now);
                assert!(!dropped, "{slug} at {recall}");
            }
            before = Some(kept);
        }
    }
    assert!(Extractor::named("article").expect("a built-in").with_recall(2.0).is_none());
}

#[test]
fn no_page_changes_the_result_of_another() {
    let texts = |slugs: Vec<String>| {
        let text = |slug: &str| strata(&pages::page(slug)).text();
        let mut texts: Vec<_> = slugs.iter().map(|slug| (slug.clone(), text(slug))).collect();
        texts.sort();
        texts
    };
    let forth = texts(pages::slugs());
    let mut slugs = pages::slugs();
    slugs.reverse();
    let back = std::thread::scope(|scope| {
        let other = scope.spawn(|| texts(pages::slugs()));
        let back = texts(slugs);
        assert_eq!(other.join().expect("no panic"), back);
        back
    });
    assert_eq!(forth, back);
}

#[test]
fn blocks_have_classes_and_pages_types() {
    let document = strata(&pages::page("news"));
    assert_eq!(document.page_type, Some(PageType::Article));
    assert!(document.confidence.is_some_and(|sure| sure > 0.5), "{:?}", document.confidence);
    assert_eq!(document.extractor, "strata");
    for block in &document.blocks {
        let class = block.class.expect("every block has one");
        let is_content = matches!(class, Class::Content | Class::Headline | Class::Supplemental);
        assert_eq!(is_content, block.is_content, "{}", document.block_text(block));
    }
    assert!(document.blocks.iter().any(|block| block.class == Some(Class::Headline)));
    assert_eq!(strata(&pages::page("forum")).page_type, Some(PageType::Forum));
}

#[test]
fn what_is_used_instead_is_named() {
    let data = br#"<title>Ferry</title><div id=app></div><script type="application/ld+json">
        {"@type":"NewsArticle","articleBody":"The ferry runs every hour from Monday on, said the \
office, and it costs three coins for everybody who is older than five."}</script>"#;
    let data = String::from_utf8_lossy(data).replace("\\\n", "");
    let document = strata(data.as_bytes());
    assert_eq!(document.extractor, "embedded");
    assert!(document.text().starts_with("The ferry runs every hour"));
    let nothing = strata(b"<nav><a href=/>Home</a></nav>");
    assert_eq!((nothing.extractor.as_str(), nothing.confidence.is_some()), ("strata", true));
}

#[test]
fn pages_of_too_many_blocks_are_classified_by_words() {
    // Short ones: there is room for more than 50,000.
    let sentence =
        "<p>It is at ten in the day that we go up to an old pier if it is not too wet.</p>";
    let page = format!("{}<div hidden><p>Secret {sentence}</div>", sentence.repeat(51_000));
    let document = strata(page.as_bytes());
    assert!(document.observations().is_none());
    assert_eq!((document.extractor.as_str(), document.confidence), ("strata", None));
    assert!(document.text().len() > page.len() / 2);
    assert!(!document.text().contains("Secret"));
}

#[test]
fn hidden_text_that_readers_can_open_is_text() {
    let sentence = |n: usize| {
        format!(
            "<p>Paragraph {n} tells of the tides at the northern pier, which the harbour office \
            measures every hour of the day, and of what they mean for the ferry.</p>"
        )
    };
    let text: String = (0..6).map(sentence).collect();
    let page = format!(
        "<title>Tides</title><h1>Tides</h1>{text}<div role=tabpanel hidden>{}</div>\
         <div class=cookie-banner hidden>{}</div>{text}",
        sentence(77),
        sentence(88),
    );
    let found = |hidden: Hidden| {
        let options = Options { hidden, ..Options::default() };
        let text = Extractor::named("strata").expect("a built-in");
        let text = text.extract_with(page.as_bytes(), &options).text();
        (text.contains("Paragraph 77"), text.contains("Paragraph 88"))
    };
    assert_eq!(found(Hidden::Drop), (true, false));
    assert!(found(Hidden::Keep).0);
}
