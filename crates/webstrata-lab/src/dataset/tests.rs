use std::fs;
use std::path::Path;

use webstrata::features::FEATURES;

use super::*;

fn write(folder: &Path, file: &str, text: &str) {
    let path = folder.join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn read(folder: &Path, cutting: Cutting) -> Result<Dataset, Error> {
    Dataset::read(&Set::open(folder)?, cutting, &Options::default(), &())
}

const ARTICLE: &str = "The ferry leaves the old pier at noon.";

fn column<'a>(examples: &'a Examples, name: &str) -> &'a [f64] {
    &examples.columns[feature(name).unwrap()]
}

#[test]
fn from_gold_texts() {
    let folder = tempfile::tempdir().unwrap();
    let canonical = "<link rel=canonical href=http://www.pier.example/>";
    let page = format!("{canonical}<ul><li>Home<li>News</ul><p>{ARTICLE}<p>Imprint");
    write(folder.path(), "pages/a.html", &page);
    write(folder.path(), "gold/a.txt", ARTICLE);
    write(folder.path(), "pages/b.html", "<p>HOME <p>Nothing else, really.");
    write(folder.path(), "gold/b.txt", "");
    write(folder.path(), "pages/c.html", "");
    write(folder.path(), "gold/c.txt", "Lost");
    let dataset = read(folder.path(), Cutting::Atomic).unwrap();
    assert_eq!((dataset.gold, dataset.pages.len()), (GoldKind::Texts, 3));
    let sites: Vec<&str> = dataset.pages.iter().map(|page| page.site.as_str()).collect();
    assert_eq!(sites, ["pier.example", "page b", "page c"]);
    let (b, c) = (Class::Boilerplate, Class::Content);
    assert_eq!(dataset.pages[0].classes, [b, b, c, b]);
    assert_eq!(dataset.pages[0].shares, [0.0, 0.0, 1.0, 0.0]);
    assert_eq!(dataset.pages[1].classes, [b, b]);
    assert!(dataset.pages[2].classes.is_empty());

    let examples = dataset.examples(Problem::TwoClass);
    assert_eq!(examples.labels, [0, 0, 1, 0, 0, 0]);
    assert_eq!(examples.weights, [1.0, 1.0, 8.0, 1.0, 1.0, 3.0]);
    assert_eq!((examples.pages, examples.sites), (vec![0, 0, 0, 0, 1, 1], vec![0, 0, 0, 0, 1, 1]));
    let examples = dataset.examples(Problem::TwoClass);
    assert_eq!(column(&examples, "words"), &examples.weights[..]);
    // "Home" is on two pages, however it is written; neighbours end where the page ends.
    assert_eq!(column(&examples, "corpus-frequency"), [2.0, 1.0, 1.0, 1.0, 2.0, 1.0]);
    assert_eq!(column(&examples, "prev.corpus-frequency"), [0.0, 2.0, 1.0, 1.0, 0.0, 2.0]);
    assert_eq!(column(&examples, "next.corpus-frequency"), [1.0, 1.0, 1.0, 0.0, 1.0, 0.0]);
    assert_eq!(examples.columns.len(), FEATURES.len());
    assert!(examples.columns.iter().all(|column| column.len() == 6));

    // Two sets as one: other numbers of pages, the same sites, frequencies in both.
    let both = super::examples(&[&dataset, &dataset], Problem::TwoClass);
    assert_eq!(both.pages[6..], [3, 3, 3, 3, 4, 4]);
    assert_eq!(both.sites[6..], both.sites[..6]);
    assert_eq!(column(&both, "corpus-frequency")[..2], [4.0, 2.0]);
}

#[test]
fn from_annotations() {
    let folder = tempfile::tempdir().unwrap();
    let (page, text) = ("<h1>Late</h1><p>Ferry <b>late</b> again<p>Me too!", "Ferry late again");
    let marked = "<h1><span class=x-nc-sel1>Late</span></h1><p><span class=x-nc-sel2>Ferry \
                  <b>late</b> again</span><p><span class=x-nc-sel5>Me too!</span>";
    write(folder.path(), "pages/a.html", page);
    write(folder.path(), "gold/a.txt", text);
    write(folder.path(), "annotated/a.html", marked);
    let labels =
        |cutting, problem: Problem| read(folder.path(), cutting).unwrap().examples(problem).labels;
    assert_eq!(read(folder.path(), Cutting::Atomic).unwrap().gold, GoldKind::Annotations);
    assert_eq!(labels(Cutting::Boilerpipe, Problem::TwoClass), [1, 1, 1]);
    assert_eq!(labels(Cutting::Boilerpipe, Problem::FourClass), [2, 1, 1]);
    assert_eq!(labels(Cutting::Atomic, Problem::FourClass), [2, 1, 1, 1, 1]);
    // One page without annotations, and the gold texts are asked for all pages.
    write(folder.path(), "pages/b.html", page);
    write(folder.path(), "gold/b.txt", text);
    assert_eq!(read(folder.path(), Cutting::Atomic).unwrap().gold, GoldKind::Texts);
}

#[test]
fn sets_without_text() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "pages/a.html", "<script>late()</script>");
    write(folder.path(), "gold/a.txt", "Late");
    let error = read(folder.path(), Cutting::Atomic).unwrap_err().to_string();
    assert!(error.ends_with("no page of this set has any text"), "{error}");
}

#[test]
fn classes_of_problems() {
    for (class, _) in Class::ALL {
        for problem in Problem::ALL {
            assert!(problem.classes().contains(&problem.class(class)));
            assert_eq!(problem.class(class) == Class::Boilerplate, class == Class::Boilerplate);
        }
    }
    assert_eq!(Problem::FourClass.class(Class::Comments), Class::Content);
    assert_eq!(Problem::FourClass.class(Class::Headline), Class::Headline);
}

#[test]
fn texts_differ_by_more_than_case_and_space() {
    assert_eq!(hash("Home  page\n"), hash("home PAGE"));
    assert_ne!(hash("homepage"), hash("home page"));
    assert_ne!(hash(""), hash("a"));
}
