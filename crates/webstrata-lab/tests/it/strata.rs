//! The model of the default extractor from a folder of pages.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use webstrata::training::strata::StrataModel;
use webstrata_lab::Set;
use webstrata_lab::strata::{self, Samples, Summary, TrainingOptions};

/// Invented pages of twelve sites, each with a layout of its own.
fn invented(folder: &Path) -> Set {
    let set = folder.join("harbour");
    fs::create_dir_all(set.join("pages")).unwrap();
    fs::create_dir_all(set.join("gold")).unwrap();
    let (mut urls, mut meta) = (String::new(), String::new());
    for page in 0..48usize {
        let site = page % 12;
        let lines: Vec<String> = (0..4 + page % 5)
            .map(|line| {
                format!(
                    "The ferry number {line} of day {page} is late again, and that is how it was in \
                     the winter of the year {}, when the harbour froze over, said pilot {site}.",
                    1900 + page * 7 + line
                )
            })
            .collect();
        let links: String = (0..page % 7 + 4)
            .map(|link| format!("<li class=menu-item><a href=/{link}>Pier {link}</a></li>"))
            .collect();
        let (open, close) = if site % 2 == 0 { ("<p>", "</p>") } else { ("<div>", "</div>") };
        let text: String = lines.iter().map(|line| format!("{open}{line}{close}")).collect();
        let html = format!(
            "<title>Late ferry {page}</title><div class='nav n{site}'><ul>{links}</ul></div>\
             <div class='body-{site} article'><h1>Late ferry {page}</h1>{text}</div>\
             <div class=footer><p>Imprint</p><p>All rights reserved by the harbour office {site}.</p></div>"
        );
        fs::write(set.join(format!("pages/{page:03}.html")), html).unwrap();
        fs::write(set.join(format!("gold/{page:03}.txt")), lines.join("\n")).unwrap();
        writeln!(urls, "{page:03}\thttp://www.pier{site}.example/{page}").unwrap();
        let kind = if site % 3 == 0 { "forum" } else { "article" };
        writeln!(meta, "{page:03}\t{kind}").unwrap();
    }
    fs::write(set.join("urls.tsv"), urls).unwrap();
    fs::write(set.join("meta.tsv"), meta).unwrap();
    Set::open(&set).unwrap()
}

fn small() -> TrainingOptions {
    let mut settings = TrainingOptions { folds: 3, ..TrainingOptions::default() };
    for boost in [
        &mut settings.first,
        &mut settings.second,
        &mut settings.classes,
        &mut settings.page_types,
        &mut settings.confidence,
    ] {
        boost.rounds = 8;
        boost.leaves = 6;
    }
    settings
}

#[test]
fn any_number_of_threads_trains_the_same_model() {
    let folder = tempfile::tempdir().unwrap();
    let set = invented(folder.path());
    let train = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let samples = Samples::read(std::slice::from_ref(&set), &()).unwrap();
            let validation = strata::validate(&samples, &small(), &()).unwrap();
            let model = strata::train(&samples, &validation.outcomes, &small(), &()).unwrap();
            (Summary::of(&samples, &validation), model)
        })
    };
    let (summary, model) = train(1);
    let (again, same) = train(2);
    assert_eq!(summary, again);
    assert_eq!(model.to_bytes(), same.to_bytes());
    assert_eq!(StrataModel::from_bytes(&model.to_bytes()).unwrap(), model);
    // Such pages are easy.
    assert!(summary.sets[0].by_default > 0.95, "{summary:?}");
    assert_eq!(summary.sets[0].pages, 48);
}

#[test]
fn groups_of_features_can_be_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let set = invented(folder.path());
    let samples = Samples::read(std::slice::from_ref(&set), &()).unwrap();
    let without =
        webstrata::training::strata::features::Group::ALL.map(|(group, _)| group).to_vec();
    let blind = TrainingOptions { without, ..small() };
    let validation = strata::validate(&samples, &blind, &()).unwrap();
    let first = &validation.outcomes[0].scores;
    // Nothing is seen, so all blocks look the same.
    assert!(first.iter().all(|score| score == &first[0]), "{first:?}");
}

#[test]
fn too_few_sites_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut set = invented(folder.path());
    set.sample(1);
    let samples = Samples::read(std::slice::from_ref(&set), &()).unwrap();
    let error = strata::validate(&samples, &small(), &()).err().unwrap().to_string();
    assert!(error.contains("more sites"), "{error}");
}

/// A network without a layer that says the same of every block, as its trainer would write it.
fn network_of_one_mind(odds: u16) -> Vec<u8> {
    let (_, inputs) = webstrata::training::strata::model::widths();
    let mut bytes = [1u32.to_le_bytes(), 0u32.to_le_bytes()].concat();
    // Means and scales of inputs, then weights and biases: of the input, the page, the hidden channel, the output.
    bytes.extend(std::iter::repeat_n(0, 8 * inputs + 2 * (inputs + 1) + 2 * 2 * 2 + 2));
    bytes.extend(odds.to_le_bytes());
    bytes
}

#[test]
fn trees_and_network_are_joined() {
    let folder = tempfile::tempdir().unwrap();
    let set = invented(folder.path());
    let export = folder.path().join("export");
    let settings = TrainingOptions { export: Some(export.clone()), ..small() };
    let samples = Samples::read(std::slice::from_ref(&set), &()).unwrap();
    let validation = strata::validate(&samples, &settings, &()).unwrap();
    strata::train(&samples, &validation.outcomes, &settings, &()).unwrap();

    // What NumPy reads: a head that ends at a multiple of 64, then numbers.
    let (first, second) = webstrata::training::strata::model::widths();
    let blocks: usize = samples.pages.iter().map(|page| page.words.len()).sum();
    for (name, columns) in [
        ("features.npy", webstrata::training::strata::features::names().len()),
        ("rows-0.npy", second - first + 8),
        ("rows-2.npy", second - first + 8),
        ("rows-all.npy", second - first + 8),
        ("scores.npy", 1),
    ] {
        let bytes = fs::read(export.join(name)).unwrap();
        let head = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
        assert_eq!(&bytes[..8], b"\x93NUMPY\x01\x00");
        assert_eq!((head % 64, bytes.len() - head), (0, 4 * blocks * columns), "{name}");
    }

    // Without a network there is nothing to join.
    let missing = strata::train_max(&samples, &settings, &export).err().unwrap().to_string();
    assert!(missing.contains("network-scores.npy"), "{missing}");
    // A network that has no opinion leaves each block on its side.
    let scores = fs::read(export.join("scores.npy")).unwrap();
    let head = scores.len() - 4 * blocks;
    fs::write(export.join("network-scores.npy"), [&scores[..head], &vec![0; 4 * blocks]].concat())
        .unwrap();
    fs::write(export.join("network.bin"), network_of_one_mind(0)).unwrap();
    let max = strata::train_max(&samples, &settings, &export).unwrap();
    for (trees, both) in max.trees.outcomes.iter().zip(&max.both.outcomes) {
        for (trees, both) in trees.scores.iter().zip(&both.scores) {
            assert!(
                (trees - 0.5) * (both - 0.5) >= 0.0 && (both - 0.5).abs() <= (trees - 0.5).abs()
            );
        }
    }
    let cascades = max.cascades(&samples);
    assert_eq!((cascades[0].asked, cascades.last().unwrap().asked), (0.0, 1.0));
    assert!(cascades.windows(2).all(|two| two[0].asked <= two[1].asked), "{cascades:?}");
    // The model is one that the extractor takes, and a network with an opinion is heard.
    let asked_always = "name = 'own'\ncutting = 'strata'\n\
                        steps = [{ filter = 'keep-likely', network-up-to = 1.0 }]";
    let asked_always = webstrata::Extractor::from_toml(asked_always).unwrap();
    let text = |model: &[u8]| {
        let page = fs::read(&samples.pages[1].file).unwrap();
        let extractor = asked_always.with_model(model).unwrap();
        let mut page =
            webstrata::Page::read(&page, extractor.cutting, &webstrata::Options::default());
        extractor.apply(&mut page.document);
        page.document.blocks.iter().filter(|block| block.is_content).count()
    };
    fs::write(export.join("network.bin"), network_of_one_mind(0xc270)).unwrap();
    let sceptic = strata::train_max(&samples, &settings, &export).unwrap();
    assert!(text(&max.model.to_bytes()) > 0);
    assert_eq!(text(&sceptic.model.to_bytes()), 0);
    // Scores of other pages are told.
    fs::write(export.join("scores.npy"), &scores[..scores.len() / 2]).unwrap();
    let other = strata::train_max(&samples, &settings, &export).err().unwrap().to_string();
    assert!(other.ends_with("export these sets again"), "{other}");
}

#[test]
fn sets_can_be_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let set = invented(folder.path());
    let samples = Samples::read(std::slice::from_ref(&set), &()).unwrap();
    let settings = TrainingOptions { without_sets: vec![0], ..small() };
    let error = strata::validate(&samples, &settings, &()).err().unwrap().to_string();
    assert!(error.contains("more sites"), "{error}");
}
