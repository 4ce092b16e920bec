//! The particle swarm from a folder of pages to an extractor.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use webstrata::training::ziegler::SIGNALS;
use webstrata::{Extractor, Limits, Tree};
use webstrata_lab::scores::cosine;
use webstrata_lab::swarm::{self, Corpus, Motion, Options, Outcome};
use webstrata_lab::{Progress, Set};

/// Remembers what it was told.
#[derive(Default)]
struct Notes(Mutex<Vec<String>>);

impl Progress for Notes {
    fn begin(&self, _part: &str, _steps: usize) {}
    fn step(&self) {}
    fn note(&self, message: &str) {
        self.0.lock().unwrap().push(message.to_owned());
    }
    fn failure(&self, message: &str) {
        self.note(message);
    }
}

/// A set of invented news pages: a menu, an article in a cell, a list of links, an imprint.
fn invented(folder: &Path, pages: usize) -> Set {
    let set = folder.join("harbour");
    fs::create_dir_all(set.join("pages")).unwrap();
    fs::create_dir_all(set.join("gold")).unwrap();
    let mut urls = String::new();
    for page in 0..pages {
        let article: String = (0..3 + page % 5)
            .map(|line| {
                format!(
                    "The ferry number {line} of the day {page} is late, and that is how it was in \
                     the <b>winter</b> of the year {}. ",
                    1900 + page * 7 + line
                )
            })
            .collect();
        let links: String =
            (0..page % 7 + 2).map(|i| format!("<li><a href=x>Pier {i} &amp; {page}</a>")).collect();
        let html = format!(
            "<title>Tides</title><script>var tide = 'low';</script>\
             <table><tr><td><ul>{links}</ul><td><h1>Late ferry</h1><p>{article}</p>\
             <td>Share | Print | Pier {page}<td>&copy; {} The Harbour Office. All rights reserved.\
             </table>",
            1990 + page
        );
        let gold = format!("Late ferry\n{}\n", article.replace("<b>", "").replace("</b>", ""));
        fs::write(set.join(format!("pages/{page:03}.html")), html).unwrap();
        fs::write(set.join(format!("gold/{page:03}.txt")), gold).unwrap();
        writeln!(urls, "{page:03}\thttp://www.pier{}.example/{page}", page / 4).unwrap();
    }
    fs::write(set.join("urls.tsv"), urls).unwrap();
    Set::open(&set).unwrap()
}

fn small() -> Options {
    let motion = Motion { particles: 20, generations: 15, ..Motion::default() };
    Options { motion, ..Options::default() }
}

/// What the extractor reaches on some pages of the set, page by page, with nothing of the trainer
/// but its measure.
fn mean_similarity<'a>(
    set: &Set,
    extractor: &Extractor,
    pages: impl Iterator<Item = &'a str>,
) -> f64 {
    let (mut sum, mut count) = (0.0, 0);
    for id in pages {
        let entry = set.entries.iter().find(|entry| entry.id == id).unwrap();
        let text = extractor.extract(&entry.read_page().unwrap()).text();
        sum += cosine::similarity(&text, &entry.read_gold().unwrap());
        count += 1;
    }
    sum / f64::from(count)
}

/// The extractor, written and read back, does what the trainer says it does: to the last bit.
fn check_extractor(set: &Set, corpus: &Corpus, outcome: &Outcome) {
    let extractor = Extractor::from_toml(&outcome.to_toml()).unwrap();
    assert_eq!(extractor, outcome.extractor());
    let found = mean_similarity(set, &extractor, corpus.test_pages());
    assert_eq!(found, outcome.test.extracted);
    let found = mean_similarity(set, &extractor, corpus.train_pages());
    assert_eq!(found, outcome.train.extracted);
    let best = outcome.generations[outcome.best_generation].best;
    assert_eq!(best, outcome.train.extracted, "ranks and thresholds agree");
}

#[test]
fn learns_to_keep_the_article() {
    let folder = tempfile::tempdir().unwrap();
    let set = invented(folder.path(), 30);
    let corpus = Corpus::read(&set, &small(), &()).unwrap();
    let outcome = corpus.train(&());
    assert!(outcome.test.extracted > 0.95, "{outcome:?}");
    assert!(outcome.test.extracted > outcome.test.pruned);
    assert!(outcome.test.pruned > outcome.test.all_text);
    assert_eq!((outcome.train.pages, outcome.test.pages), (21, 9));
    assert_eq!(outcome.train.blocks + outcome.test.blocks, 30 * 4);
    assert_eq!(outcome.generations.len(), 15);
    check_extractor(&set, &corpus, &outcome);
    let json = serde_json::to_string(&outcome).unwrap();
    let read: Outcome = serde_json::from_str(&json).unwrap();
    assert_eq!((read.thresholds, read.options), (outcome.thresholds, outcome.options));
}

#[test]
fn a_seed_means_the_same_with_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let set = invented(folder.path(), 24);
    let train = |threads: usize, seed: u64| {
        let mut options = small();
        options.motion.seed = seed;
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| swarm::train(&set, &options, &()).unwrap())
    };
    let outcome = train(1, 5);
    assert_eq!(outcome, train(3, 5));
    assert_eq!(outcome, train(1, 5));
    assert_ne!(outcome.generations, train(1, 6).generations);
}

#[test]
fn a_site_is_on_one_side() {
    let folder = tempfile::tempdir().unwrap();
    let set = invented(folder.path(), 24);
    let options = Options { by_site: true, ..small() };
    let corpus = Corpus::read(&set, &options, &()).unwrap();
    let site = |id: &str| {
        let entry = set.entries.iter().find(|entry| entry.id == id).unwrap();
        entry.site(&Tree::parse("", &Limits::default()))
    };
    let train: Vec<String> = corpus.train_pages().map(site).collect();
    assert!(corpus.test_pages().map(site).all(|site| !train.contains(&site)));
    assert!(corpus.test_pages().count() > 0 && train.len() >= 16);
}

#[test]
fn each_feature_alone() {
    let folder = tempfile::tempdir().unwrap();
    let set = invented(folder.path(), 24);
    let curves = swarm::single_feature_curves(&set, &small(), &()).unwrap();
    let names: Vec<&str> = curves.iter().map(|curve| curve.feature.as_str()).collect();
    assert_eq!(names, SIGNALS.map(|signal| signal.name));
    let pruned = swarm::train(&set, &small(), &()).unwrap().test.pruned;
    for (curve, signal) in curves.iter().zip(SIGNALS) {
        assert!(curve.points.windows(2).all(|two| two[0].threshold < two[1].threshold));
        // The threshold that asks for nothing keeps all blocks.
        let permissive = signal.bound.permissive();
        let all = curve.points.iter().find(|point| point.threshold == permissive).unwrap();
        assert_eq!(all.similarity, pruned, "{}", signal.name);
        assert!(curve.best().unwrap().similarity >= pruned);
    }
    let best = |name: &str| curves.iter().find(|c| c.feature == name).unwrap().best().unwrap();
    assert!(best("sentences").similarity > best("list-tags").similarity);
}

#[test]
fn what_cannot_be_learned_from() {
    let folder = tempfile::tempdir().unwrap();
    let set = invented(folder.path(), 4);
    for (page, gold) in [("000", ""), ("001", " | - . x\n")] {
        fs::write(set.path.join(format!("gold/{page}.txt")), gold).unwrap();
    }
    let notes = Notes::default();
    let outcome = swarm::train(&set, &small(), &notes).unwrap();
    assert_eq!((outcome.train.pages, outcome.test.pages), (1, 1));
    let notes = notes.0.into_inner().unwrap();
    let empty = notes.iter().filter(|note| note.ends_with("the gold text is empty, left out"));
    assert_eq!(empty.count(), 2, "{notes:?}");

    let error = |options: &Options| {
        swarm::train(&set, options, &()).map(|outcome| outcome.thresholds).unwrap_err().to_string()
    };
    let message = error(&Options { by_site: true, ..small() });
    assert!(message.ends_with("too few sites to train on 0.7 of them and test on the rest"));
    assert!(error(&Options { train_share: 1.0, ..small() }).starts_with("the share of training"));
    let none = Motion { particles: 0, ..Motion::default() };
    assert!(error(&Options { motion: none, ..small() }).contains("at least one particle"));
    let wild = Motion { inertia: f64::NAN, ..Motion::default() };
    assert!(error(&Options { motion: wild, ..small() }).contains("not negative"));
}

#[test]
fn pages_that_are_all_alike_teach_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let set = folder.path().join("alike");
    for name in ["a", "b", "c"] {
        for (file, text) in [("pages", "<p>High water"), ("gold", "High water")] {
            let extension = if file == "pages" { "html" } else { "txt" };
            fs::create_dir_all(set.join(file)).unwrap();
            fs::write(set.join(file).join(name).with_extension(extension), text).unwrap();
        }
    }
    let (set, notes) = (Set::open(&set).unwrap(), Notes::default());
    let outcome = swarm::train(&set, &small(), &notes).unwrap();
    assert_eq!(outcome.thresholds, Default::default());
    assert!((outcome.test.extracted - 1.0).abs() < 1e-12);
    let notes = notes.0.into_inner().unwrap();
    assert_eq!(notes[0], "sentence-length: all blocks have the same value, nothing to learn");
    assert_eq!(notes.len(), SIGNALS.len());
}

/// `WEBSTRATA_SETS`: a folder of benchmark sets. With `l3s-gn1` in it, the swarm that ships is the
/// one that default options learn there, and its order of strategies is that of Table 1.
#[test]
fn real_pages() {
    let Some(sets) = std::env::var_os("WEBSTRATA_SETS") else {
        return crate::skipped::skipped("WEBSTRATA_SETS names no folder of benchmark sets");
    };
    let path = PathBuf::from(sets).join("l3s-gn1");
    if !path.is_dir() {
        return crate::skipped::skipped("no l3s-gn1 among the benchmark sets");
    }
    let set = Set::open(&path).unwrap();
    let corpus = Corpus::read(&set, &Options::default(), &()).unwrap();
    let outcome = corpus.train(&());
    check_extractor(&set, &corpus, &outcome);
    assert!(outcome.test.all_text < outcome.test.pruned);
    assert!(outcome.test.pruned < outcome.test.extracted);
    assert_eq!(Extractor::named("swarm").unwrap().steps, outcome.extractor().steps);
}
