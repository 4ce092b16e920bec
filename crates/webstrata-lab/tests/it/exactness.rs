//! A trained model gives in the core exactly what the trainer saw: pages in, all the way through the
//! extractor, against the rows that were trained on.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use webstrata::cutting::Cutting;
use webstrata::features::{FEATURES, Features};
use webstrata::filters::Classify;
use webstrata::{BlockModel, Extractor, Options};
use webstrata_lab::dataset::{Dataset, Problem};
use webstrata_lab::trainers::{Boost, C48, OneR, Pruning, Svm, zero_r};
use webstrata_lab::{Examples, Set, sets};

/// Invented pages: menus, articles with links and headlines, comments, footers.
pub(crate) fn invented(folder: &Path, pages: usize) {
    for part in ["pages", "gold", "annotated"] {
        fs::create_dir_all(folder.join(part)).unwrap();
    }
    for page in 0..pages {
        let article: Vec<String> = (0..1 + page % 5)
            .map(|line| {
                let more = " and nobody on the pier was surprised".repeat((page + line) % 3);
                format!("Ferry {line} of day {page} left the harbour late{more}, said the office.")
            })
            .collect();
        let menu: String = (0..page % 7 + 1)
            .map(|item| format!("<li><a href=/{item}>Pier {item}</a> &bull;"))
            .collect();
        let paragraphs: String = article.iter().map(|text| format!("<p>{text}</p>\n")).collect();
        // With the marks of annotators, which are left out of the page itself.
        let marked = format!(
            "<title>Ferry {page}</title><ul>{menu}</ul><h1><span class=x-nc-sel1>Late <i>again</i>, \
             day {page}</span></h1><span class=x-nc-sel2>{paragraphs}</span><em><span \
             class=x-nc-sel3>Ferry {page} at the pier</span></em><div>Read <a href=x>more about \
             ferry {page}</a> | Print</div><p>&copy; {} The Harbour Office, all rights reserved.</p>",
            1950 + page
        );
        let html = marked.replace("</span>", "");
        let html: String =
            html.split("<span class=x-nc-sel").enumerate().map(without_mark).collect();
        let gold = format!("Late again, day {page}\n{}\n", article.join("\n"));
        fs::write(folder.join(format!("annotated/{page:02}.html")), marked).unwrap();
        fs::write(folder.join(format!("pages/{page:02}.html")), html).unwrap();
        fs::write(folder.join(format!("gold/{page:02}.txt")), gold).unwrap();
    }
}

/// What follows the number of a mark; the first part follows none.
fn without_mark((place, part): (usize, &str)) -> &str {
    if place == 0 { part } else { &part[2..] }
}

/// A model of every kind, trained on the examples.
fn models(examples: &Examples) -> Vec<BlockModel> {
    let tree =
        |tree: webstrata_lab::trainers::Tree, name| tree.model(examples, name, "trained").unwrap();
    let c48 = |pruning| C48 { min_leaf: 20.0, pruning }.train(examples);
    let boost = Boost { rounds: 12, leaves: 8, ..Boost::default() };
    let svm = Svm { max_passes: 30, ..Svm::default() };
    vec![
        tree(zero_r(examples), "zero-r"),
        tree(OneR::default().train(examples), "one-r"),
        tree(c48(Pruning::Pessimistic { confidence: 0.25 }), "c48"),
        tree(c48(Pruning::ReducedError { folds: 3, seed: 1 }), "c48-aside"),
        svm.train(examples, "svm", "trained").unwrap(),
        boost.train(examples, "boost", "trained", &()).unwrap(),
    ]
}

/// Compares all blocks of a set's pages; says how many blocks and sites there were.
fn compare(set: &Set, cutting: Cutting, problem: Problem) -> (usize, usize) {
    let options = Options::default();
    let dataset = Dataset::read(set, cutting, &options, &()).unwrap();
    let examples = dataset.examples(problem);
    // The frequency of a text in the corpus is not known when one page is extracted.
    let local: Vec<usize> =
        (0..FEATURES.len()).filter(|f| !FEATURES[*f].name.contains("corpus")).collect();
    let examples = examples.with_features(&local);
    assert!(local.len() < FEATURES.len() && !examples.is_empty());
    for trained in models(&examples) {
        let written = trained.to_string();
        let model = BlockModel::parse(&written).unwrap();
        assert_eq!(model.to_string(), written);
        let mut extractor = Extractor::new(trained.name()).step(Classify { model: model.clone() });
        extractor.cutting = cutting;
        let (mut row, mut pages) = (0, dataset.pages.iter());
        for entry in &set.entries {
            let page = pages.next().unwrap();
            assert_eq!(page.id, entry.id);
            let bytes = entry.read_page().unwrap();
            let document = extractor.extract_with(&bytes, &options);
            assert_eq!(document.blocks.len(), page.classes.len());
            // Features do not depend on verdicts, so they may be taken from the judged document.
            let all = model.classify_all(&Features::of(&document));
            for (block, verdict) in document.blocks.iter().zip(all) {
                let seen = trained.classify_row(|feature| {
                    let column = local.iter().position(|known| *known == feature).unwrap();
                    examples.columns[column][row]
                });
                let place = format!("{}, {}, row {row}", trained.name(), entry.id);
                assert_eq!(verdict.class, seen.class, "{place}");
                assert_eq!(verdict.score.to_bits(), seen.score.to_bits(), "{place}");
                assert_eq!(block.score.to_bits(), seen.score.to_bits(), "{place}");
                assert_eq!(block.is_content, seen.is_content(), "{place}");
                row += 1;
            }
        }
        assert_eq!(row, examples.len());
    }
    let sites: HashSet<u32> = examples.sites.iter().copied().collect();
    (examples.len(), sites.len())
}

#[test]
fn invented_pages_score_as_in_training() {
    let folder = tempfile::tempdir().unwrap();
    invented(folder.path(), 40);
    let set = Set::open(folder.path()).unwrap();
    // These pages have no data in them.
    for (cutting, _) in Cutting::ALL.into_iter().filter(|(c, _)| *c != Cutting::Embedded) {
        for problem in Problem::ALL {
            let (blocks, sites) = compare(&set, cutting, problem);
            assert!(blocks >= 40 && sites == 40);
        }
    }
    let dataset = Dataset::read(&set, Cutting::Atomic, &Options::default(), &()).unwrap();
    let mut labels = dataset.examples(Problem::FourClass).labels;
    labels.sort_unstable();
    labels.dedup();
    assert_eq!(labels, [0, 1, 2, 3], "all classes are there");
}

#[test]
fn boosted_scores_are_those_of_the_trainer() {
    let folder = tempfile::tempdir().unwrap();
    invented(folder.path(), 40);
    let set = Set::open(folder.path()).unwrap();
    let dataset = Dataset::read(&set, Cutting::Atomic, &Options::default(), &()).unwrap();
    let examples = dataset.examples(Problem::TwoClass);
    let targets = [examples.labels.iter().map(|label| f64::from(*label)).collect::<Vec<_>>()];
    let boost = Boost { rounds: 20, leaves: 6, min_leaf_weight: 0.5, ..Boost::default() };
    let forest = boost.fit(&examples.columns, &targets, &examples.weights, &()).unwrap();
    let model = forest.model("boost", "trained", &examples.features, &examples.classes).unwrap();
    let model = BlockModel::parse(&model.to_string()).unwrap();
    for row in 0..examples.len() {
        let verdict = model.classify_row(|feature| examples.columns[feature][row]);
        let wanted = (1.0 / (1.0 + (-forest.scores[0][row]).exp())) as f32;
        assert_eq!(verdict.score.to_bits(), wanted.to_bits(), "row {row}");
    }
}

#[test]
fn real_pages_score_as_in_training() {
    let Some(folder) = std::env::var_os("WEBSTRATA_SETS") else {
        return crate::skipped::skipped("WEBSTRATA_SETS names no folder of benchmark sets");
    };
    for folder in sets::folders(Path::new(&folder)).unwrap() {
        let set = Set::open(&folder).unwrap();
        let problem =
            if set.entries[0].annotated.is_some() { Problem::FourClass } else { Problem::TwoClass };
        let (blocks, sites) = compare(&set, Cutting::Atomic, problem);
        let pages = set.entries.len();
        eprintln!("{}: {blocks} blocks of {pages} pages of {sites} sites", set.name);
    }
}
