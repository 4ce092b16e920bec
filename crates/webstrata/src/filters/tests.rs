//! What holds for every filter, on random documents.

use proptest::prelude::*;

use super::*;
use crate::document::{Counts, Label, Labels};
use crate::model::BlockModel;

/// A document of up to 20 atoms, some of them fused and some removed, with any labels and verdicts.
fn any_document() -> impl Strategy<Value = Document> {
    let text = prop_oneof![
        Just(String::new()),
        Just("Title".to_owned()),
        Just("12 comments".to_owned()),
        Just("By A. N. Author".to_owned()),
        Just("May 12, 2008 10:30 am PST".to_owned()),
        "[a-zäß|©।,.:;!?() -]{0,30}",
        (0..200usize).prop_map(testing::words),
    ];
    let atom = (text, 0..4u32, any::<bool>(), 0..4u16, 0..32u16, 0..1024u16, 0..4u8);
    let title = prop::option::of("(Title|[a-z |:(),-]{0,12})");
    (prop::collection::vec(atom, 0..20), title).prop_map(|(atoms, title)| {
        let mut document = Document { title, ..Document::default() };
        for (text, linked, is_content, tag_level, labels, enclosing, fate) in atoms {
            testing::push(&mut document, &text, 0);
            let (atom, mut block) =
                (document.atoms.last_mut().unwrap(), document.blocks.pop().unwrap());
            atom.counts.linked_words = linked.min(atom.counts.words);
            block.counts = atom.counts;
            atom.tag_level = tag_level;
            atom.enclosing.0 = enclosing;
            block.tag_level = tag_level;
            block.is_content = is_content;
            block.score = f32::from(is_content);
            for (label, _) in Label::ALL {
                if labels & (1 << label as u16) != 0 {
                    block.labels.add(label);
                }
            }
            match document.blocks.last_mut() {
                Some(above) if fate == 0 => above.fuse(block),
                _ if fate == 1 => {}
                _ => document.blocks.push(block),
            }
        }
        document
    })
}

/// A step with random parameters.
fn any_step() -> impl Strategy<Value = Step> {
    let default = prop::sample::select(Step::names()).prop_map(|name| Step::named(name).unwrap());
    let labels =
        || prop::collection::vec(prop::sample::select(Label::ALL.map(|l| l.0).to_vec()), 0..3);
    let model = prop::sample::select(BlockModel::builtin());
    let (number, yes) = (|| 0..12u32, any::<bool>);
    prop_oneof![
        20 => default,
        1 => model.prop_map(|model| Classify { model }.into()),
        1 => labels().prop_map(|labels| KeepLabelled { labels }.into()),
        1 => labels().prop_map(|labels| DropLabelled { labels }.into()),
        1 => yes().prop_map(|as_preceding| FindPrecedingLabels { as_preceding }.into()),
        1 => yes().prop_map(|expand_to_same_level| KeepLargest { expand_to_same_level }.into()),
        1 => number().prop_map(|min_words| DropShort { min_words }.into()),
        1 => number().prop_map(|min_words| DropAfterEnd { min_words }.into()),
        1 => number().prop_map(|min_words| DropAfterEndFromBottom { min_words }.into()),
        1 => (number(), yes()).prop_map(|(min_words, accept_unterminated)| {
            DropWithoutClause { min_words, accept_unterminated }.into()
        }),
        2 => (0..4u32, yes(), yes()).prop_map(|(max_distance, content_only, same_level)| {
            FuseNearby { max_distance, content_only, same_level }.into()
        }),
    ]
}

/// The blocks with what a verb may change taken out.
fn without(blocks: &[Block], forget: impl Fn(&mut Block)) -> Vec<Block> {
    let mut blocks = blocks.to_vec();
    blocks.iter_mut().for_each(forget);
    blocks
}

fn atoms(blocks: &[Block]) -> Vec<usize> {
    let mut atoms: Vec<usize> = blocks.iter().flat_map(Block::atoms).collect();
    atoms.sort_unstable();
    atoms
}

/// The labels with which a verdict may be explained.
fn forget_verdict(block: &mut Block) {
    (block.is_content, block.score) = (false, 0.0);
    for label in [Label::MightBeContent, Label::StrictlyNotContent, Label::ArticleMetadata] {
        block.labels.remove(label);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn a_filter_does_what_its_verb_says(page in any_document(), step in any_step()) {
        let mut after = page.clone();
        step.apply(&mut after);
        prop_assert_eq!(&page.atoms, &after.atoms);
        prop_assert_eq!(&page.title, &after.title);
        let (old, new) = (&page.blocks, &after.blocks);
        match step.filter().verb() {
            Verb::Find => {
                let unlabelled = |b: &mut Block| b.labels = Labels::default();
                prop_assert_eq!(without(old, unlabelled), without(new, unlabelled));
                for (old, new) in old.iter().zip(new) {
                    prop_assert_eq!(old.labels | new.labels, new.labels, "labels are only added");
                }
            }
            verb @ (Verb::Classify | Verb::Keep | Verb::Drop) => {
                prop_assert_eq!(without(old, forget_verdict), without(new, forget_verdict));
                for (old, new) in old.iter().zip(new) {
                    prop_assert!(verb != Verb::Drop || old.is_content || !new.is_content);
                    prop_assert!((0.0..=1.0).contains(&new.score));
                }
            }
            Verb::Fuse | Verb::Split => {
                prop_assert_eq!(atoms(old), atoms(new));
                for block in new {
                    // Full lines depend on the order of fusion where an atom has no words.
                    let mut counts = Counts::default();
                    block.atoms().for_each(|atom| counts += page.atoms[atom].counts);
                    counts.full_lines = block.counts.full_lines;
                    prop_assert_eq!(block.counts, counts);
                    let from = old.iter().filter(|b| b.atoms().any(|a| block.atoms().any(|x| x == a)));
                    prop_assert_eq!(block.is_content, from.clone().any(|b| b.is_content));
                    let labels = from.fold(Labels::default(), |labels, b| labels | b.labels);
                    prop_assert_eq!(block.labels, labels);
                }
            }
            Verb::Remove => {
                let kept: Vec<Block> = old.iter().filter(|b| b.is_content).cloned().collect();
                prop_assert_eq!(&kept, new);
            }
        }
    }

    #[test]
    fn any_steps_in_any_order(page in any_document(), steps in prop::collection::vec(any_step(), 0..8)) {
        let mut page = page;
        for step in steps {
            step.apply(&mut page);
        }
        let atoms = atoms(&page.blocks);
        prop_assert!(atoms.windows(2).all(|two| two[0] < two[1]), "each atom at most once");
    }

    #[test]
    fn every_step_survives_a_round_trip(step in any_step()) {
        let toml = toml::to_string(&step).unwrap();
        prop_assert_eq!(toml::from_str::<Step>(&toml).unwrap(), step);
    }
}

#[test]
fn every_filter_has_a_doc_and_takes_an_empty_document() {
    for name in Step::names() {
        let step = Step::named(name).unwrap();
        assert_eq!(step.name(), *name);
        let doc = step.doc();
        assert!(doc.len() > 40 && doc.ends_with('.'), "{name}: {doc}");
        assert!(!doc.contains("\n\n"), "{name}: one paragraph");
        let mut empty = Document::default();
        step.apply(&mut empty);
        assert!(empty.blocks.is_empty());
    }
}

#[test]
fn names_begin_with_the_verb_and_are_those_of_the_structs() {
    for (at, (verb, name)) in Verb::ALL.into_iter().enumerate() {
        assert_eq!((verb as usize, verb.name()), (at, name));
    }
    for name in Step::names() {
        let step = Step::named(name).unwrap();
        let verb = step.filter().verb();
        assert_eq!(name.split('-').next(), Some(verb.name()));
        // The name that serde writes, which it makes out of the name of the struct.
        let table = toml::Table::try_from(&step).unwrap();
        assert_eq!(table["filter"].as_str(), Some(*name));
    }
}

#[test]
fn filters_tell_what_they_ask_for() {
    let that = |asks: fn(&dyn Filter) -> bool| -> Vec<&str> {
        let asks = |name: &&str| asks(Step::named(name).unwrap().filter());
        Step::names().iter().copied().filter(asks).collect()
    };
    assert_eq!(that(|filter| filter.asks_for_site()), ["keep-likely-on-site", "drop-repeated"]);
    let weighed = that(|filter| filter.with_recall(2.0).is_some());
    assert_eq!(weighed, ["keep-likely", "keep-likely-on-site"]);
    let weighed = KeepLikely::default().with_recall(2.0);
    assert_eq!(weighed, Some(KeepLikely { recall: 2.0, ..KeepLikely::default() }.into()));
}

/// A filter as a program may have it.
#[derive(Debug)]
struct DropAfter {
    words: u32,
    recall: f64,
}

impl Filter for DropAfter {
    fn name(&self) -> &'static str {
        "drop-after"
    }

    fn verb(&self) -> Verb {
        Verb::Drop
    }

    fn apply(&self, document: &mut Document) {
        let mut words = 0;
        for block in &mut document.blocks {
            block.is_content &= words < (f64::from(self.words) * self.recall) as u32;
            words += block.counts.words;
        }
    }

    fn asks_for_site(&self) -> bool {
        true
    }

    fn with_recall(&self, recall: f64) -> Option<Step> {
        Some(DropAfter { words: self.words, recall }.into())
    }
}

#[test]
fn a_filter_of_ones_own_is_a_step_like_any_other() {
    let mine = DropAfter { words: 3, recall: 1.0 };
    let extractor = crate::Extractor::new("mine").step(KeepAll).step(mine);
    let page = || testing::document(&[("a b", 0, false), ("c d", 0, false), ("e", 0, false)]);
    let traces = extractor.explain(&mut page());
    assert_eq!((traces[1].step, traces[1].verb), ("drop-after", Verb::Drop));
    assert_eq!(traces[1].dropped, [2]);
    assert!(extractor.asks_for_site());
    let (alone, on_site) = extractor.split_at_site();
    assert_eq!((alone.steps.len(), on_site.steps.len()), (1, 1));
    let mut more = page();
    extractor.with_recall(2.0).unwrap().apply(&mut more);
    assert_eq!(more.text(), "a b\nc d\ne\n");
    let step = &extractor.steps[1];
    assert_eq!(step.clone(), *step);
    assert_ne!(*step, DropAfter { words: 3, recall: 1.0 }.into());
    assert_eq!(format!("{step:?}"), "Own(DropAfter { words: 3, recall: 1.0 })");
    assert!(step.aliases().is_empty() && step.doc().contains("drop-after"));
}

#[test]
fn a_filter_of_ones_own_does_not_get_lost_in_toml() {
    let extractor = crate::Extractor::new("mine").step(DropAfter { words: 3, recall: 1.0 });
    let toml = extractor.to_toml();
    assert!(toml.contains("\n  { filter = \"own\", name = \"drop-after\" },\n"), "{toml}");
    assert_eq!(
        crate::Extractor::from_toml(&toml).unwrap_err().to_string(),
        "line 6: step 1: `drop-after` is a filter of a program's own, which TOML cannot hold: add it \
         in the program, with `Extractor::step`"
    );
    let json = serde_json::to_string(&extractor.steps[0]).unwrap();
    assert_eq!(json, r#"{"filter":"own","name":"drop-after"}"#);
    assert!(serde_json::from_str::<Step>(&json).is_err());
}

#[test]
fn long_documents_take_linear_time() {
    // Quadratic time would be minutes here.
    let mut page = Document::default();
    for index in 0..100_000 {
        testing::push(&mut page, if index % 3 == 0 { "one two" } else { "three" }, 0);
        page.atoms.last_mut().unwrap().enclosing.0 = 1;
        page.blocks.last_mut().unwrap().is_content = true;
    }
    for name in Step::names() {
        Step::named(name).unwrap().apply(&mut page.clone());
    }
}
