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
