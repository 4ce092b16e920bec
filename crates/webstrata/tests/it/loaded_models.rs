//! Models that are loaded at run time.

use proptest::prelude::*;
use webstrata::training::site::SiteModel;
use webstrata::training::strata::{MaxModel, StrataModel};
use webstrata::{Error, ErrorKind, Extractor, Page, Record};

use crate::pages;

fn named(name: &str) -> &'static Extractor {
    Extractor::named(name).expect("a built-in")
}

fn refused(extractor: &str, model: &[u8]) -> Error {
    let error = named(extractor).with_model(model).expect_err("it cannot be used");
    assert!(!error.to_string().contains('\n'));
    error
}

#[test]
fn the_built_in_model_loaded_from_its_bytes_gives_the_same() {
    let bytes = StrataModel::builtin().to_bytes();
    for name in ["strata", "strata+site"] {
        let loaded = named(name).with_model(&bytes).expect("its own model");
        assert_eq!(loaded.name, name);
        for slug in pages::slugs() {
            let page = pages::page(&slug);
            let record = |extractor: &Extractor| {
                let record = Record::new(&extractor.extract(&page));
                serde_json::to_string(&record).expect("a record")
            };
            assert_eq!(record(&loaded), record(named(name)), "{slug}");
        }
    }
}

#[test]
fn another_model_gives_something_else() {
    // Its second pass is that of no training at all: nothing is content.
    let mut model = StrataModel::builtin().clone();
    model.second = webstrata::training::strata::forest::Forest::new(1, 0, &[]).expect("no trees");
    let loaded = named("strata").with_model(&model.to_bytes()).expect("a model");
    let page = pages::page("short");
    let mut read = Page::read(&page, loaded.cutting, &webstrata::Options::default());
    loaded.apply(&mut read.document);
    assert!(read.document.blocks.iter().all(|block| block.score == 0.5));
    // Other weights of recall leave it in place, and the extractor tells it from others.
    let weighed = loaded.with_recall(2.0).expect("it has one").with_recall(1.0);
    assert_eq!(weighed.as_ref(), Some(&loaded));
    assert_ne!(&loaded, named("strata"));
    let comment = |extractor: &Extractor| {
        let toml = extractor.to_toml();
        toml.split_once("# with a model that was loaded: ").map(|(_, rest)| rest[..16].to_owned())
    };
    let own = named("strata").with_model(&StrataModel::builtin().to_bytes()).expect("a model");
    assert_eq!(comment(named("strata")), None);
    assert!(comment(&own).is_some() && comment(&loaded).is_some());
    assert_ne!(comment(&own), comment(&loaded));
    Extractor::from_toml(&loaded.to_toml()).expect("a comment is no matter");
}

#[test]
fn a_model_of_a_site_goes_to_the_step_for_sites() {
    let bytes = SiteModel::builtin().to_bytes();
    let loaded = named("strata+site").with_model(&bytes).expect("its own model");
    assert_eq!(loaded.to_toml().matches("with a model that was loaded").count(), 1);
    assert_eq!(
        refused("strata", &bytes).to_string(),
        "the extractor `strata` does not use such a model: take `strata+site`"
    );
}

#[test]
fn a_model_with_a_network_goes_to_the_step_that_asks_one() {
    let bytes = MaxModel::builtin().to_bytes();
    assert_eq!(MaxModel::from_bytes(&bytes).as_ref(), Ok(MaxModel::builtin()));
    let loaded = named("strata-max").with_model(&bytes).expect("its own model");
    assert_eq!(loaded.to_toml().matches("with a model that was loaded").count(), 1);
    let page = pages::page("short");
    assert_eq!(loaded.extract(&page).text(), named("strata-max").extract(&page).text());
    assert_eq!(
        refused("strata", &bytes).to_string(),
        "the extractor `strata` does not use such a model: take `strata-max`"
    );
    for length in (0..bytes.len()).step_by(997) {
        refused("strata-max", &bytes[..length]);
    }
}

#[test]
fn the_network_is_asked_up_to_a_confidence() {
    let asked = |up_to: f64| {
        let toml = format!(
            "name = \"own\"\ncutting = \"strata\"\nsteps = [{{ filter = \"keep-likely\", network-up-to = {up_to:?} }}]"
        );
        Extractor::from_toml(&toml).expect("an extractor")
    };
    let mut changed = 0;
    for slug in pages::slugs() {
        let page = pages::page(&slug);
        let scores = |extractor: &Extractor| {
            let mut page = Page::read(&page, extractor.cutting, &webstrata::Options::default());
            extractor.apply(&mut page.document);
            let scores: Vec<f32> = page.document.blocks.iter().map(|block| block.score).collect();
            (scores, page.document.confidence)
        };
        let (trees, sure) = scores(named("strata"));
        let Some(sure) = sure else { continue };
        let (both, _) = scores(&asked(1.0));
        changed += usize::from(trees != both);
        assert_eq!(scores(&asked(0.0)).0, trees, "{slug}");
        assert_eq!(scores(&asked(f64::from(sure) - 1e-4)).0, trees, "{slug}");
        assert_eq!(scores(&asked(f64::from(sure))).0, both, "{slug}");
    }
    assert!(changed > 10, "the network changed {changed} pages only");
}

#[test]
fn what_cannot_be_used_is_told_in_a_line_with_a_remedy() {
    let whole = StrataModel::builtin().to_bytes();
    let check = |extractor: &str, bytes: &[u8], kind: ErrorKind, expected: &str| {
        let error = refused(extractor, bytes);
        assert_eq!((error.kind(), error.to_string().as_str()), (kind, expected));
    };
    check(
        "article",
        &whole,
        ErrorKind::UnusableModel,
        "the extractor `article` does not use such a model: take `strata`, `strata-max` or `strata+site`",
    );
    let none =
        "this is no model of `strata`, `strata-max` or `strata+site`: train one, or leave it away";
    check("strata", b"", ErrorKind::InvalidModel, none);
    check("strata", b"name: my tree", ErrorKind::InvalidModel, none);
    check(
        "strata",
        &whole[..whole.len() - 1],
        ErrorKind::InvalidModel,
        "the model is damaged, it ends too early: copy or train it again",
    );
    check(
        "strata",
        &[&whole[..], b"\n"].concat(),
        ErrorKind::InvalidModel,
        "the model is damaged, it goes on behind its end: copy or train it again",
    );
    let mut later = whole.clone();
    let version = later.iter().position(|byte| *byte == b'1').expect("a version");
    later[version] = b'2';
    check(
        "strata",
        &later,
        ErrorKind::ModelVersion,
        "the strata model has a format that this version cannot read: train it again",
    );
    let mut wider = whole.clone();
    wider[version + 2] ^= 1;
    let error = refused("strata", &wider);
    assert_eq!(error.kind(), ErrorKind::ModelVersion);
    assert!(error.to_string().ends_with(": train it again"), "{error}");
    let mut large = whole;
    large.resize((64 << 20) + 1, 0);
    let expected = "this is no model: it has more than 64 MiB";
    check("strata", &large, ErrorKind::InvalidModel, expected);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Bytes of any kind, most of them near to a model.
    #[test]
    fn any_bytes_are_a_model_or_an_error(
        site in any::<bool>(),
        end in 0..300_000usize,
        changes in prop::collection::vec((0..1_000_000usize, any::<u8>()), 0..20),
        more in prop::collection::vec(any::<u8>(), 0..40),
    ) {
        let mut bytes =
            if site { SiteModel::builtin().to_bytes() } else { StrataModel::builtin().to_bytes() };
        bytes.truncate(end);
        bytes.extend(more);
        for (at, byte) in changes {
            let length = bytes.len().max(1);
            if let Some(changed) = bytes.get_mut(at % length) {
                *changed = byte;
            }
        }
        match named("strata+site").with_model(&bytes) {
            Ok(extractor) => {
                let document = extractor.extract(&pages::page("short"));
                for block in &document.blocks {
                    prop_assert!((0.0..=1.0).contains(&block.score));
                }
            }
            Err(error) => prop_assert!(!error.to_string().contains('\n')),
        }
    }

    /// Changes that leave the file as long as it was, so that most of them are models.
    #[test]
    fn a_changed_model_gives_probabilities(
        changes in prop::collection::vec((60..1_000_000usize, any::<u8>()), 1..4),
    ) {
        let mut bytes = StrataModel::builtin().to_bytes();
        for (at, byte) in changes {
            let length = bytes.len();
            bytes[at % length] = byte;
        }
        if let Ok(extractor) = named("strata").with_model(&bytes) {
            let document = extractor.extract(&pages::page("short"));
            for block in &document.blocks {
                prop_assert!((0.0..=1.0).contains(&block.score));
            }
            prop_assert!(document.confidence.is_none_or(|sure| (0.0..=1.0).contains(&sure)));
        }
    }
}
