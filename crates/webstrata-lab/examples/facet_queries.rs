//! Makes searches whose topic is known out of a directory of pages, to judge facets by (docs/facets.md):
//!
//! ```text
//! cargo run --release -p webstrata-lab --example facet_queries CATEGORIES TITLES DIR
//! ```
//!
//! CATEGORIES has lines of page, tab and path (`a.b.c` or `a/b/c`), TITLES lines of page and title; without a title a
//! page is called by its name. Of every category with at least ten pages up to five are drawn that are in no other
//! category: their titles become queries (`DIR/queries.tsv`), and they are left out of the directory that rankings are
//! biased on (`DIR/directory.tsv`). The names of all categories are queries, too (`DIR/names.tsv`).

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::{env, fs};

use webstrata_base::random::Random;

/// Categories with fewer pages have none to spare.
const FEWEST: usize = 10;
/// Queries of a category.
const QUERIES: usize = 5;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = env::args().skip(1).collect();
    let [categories, titles, folder] = &args[..] else {
        return Err("usage: facet_queries CATEGORIES TITLES DIR".into());
    };
    let mut pages: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (page, path) in pairs(&fs::read_to_string(categories)?) {
        pages.entry(path.replace('.', "/")).or_default().insert(page);
    }
    let root =
        pages.keys().next().and_then(|path| path.split('/').next()).unwrap_or_default().to_owned();
    let is_below =
        |path: &String| path.strip_prefix(&root).is_some_and(|rest| rest.starts_with('/'));
    let skipped = if pages.keys().all(is_below) { root.len() + 1 } else { 0 };
    let titles: BTreeMap<String, String> = pairs(&fs::read_to_string(titles)?).collect();
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    pages.values().flatten().for_each(|page| *seen.entry(page).or_default() += 1);

    let mut random = Random::for_purpose(1, "facet queries");
    let (mut drawn, mut queries) = (BTreeSet::new(), String::new());
    for (path, pages) in pages.iter().filter(|(_, pages)| pages.len() >= FEWEST) {
        let mut alone: Vec<&String> =
            pages.iter().filter(|page| seen[page.as_str()] == 1).collect();
        random.shuffle(&mut alone);
        for page in alone.into_iter().take(QUERIES) {
            let title = titles.get(page).cloned().unwrap_or_else(|| decoded(page));
            if title.split_whitespace().next().is_some() {
                queries += &format!("{}\t{title}\n", &path[skipped..]);
                drawn.insert(page);
            }
        }
    }
    let folder = Path::new(folder);
    fs::create_dir_all(folder)?;
    let listed = pages.iter().flat_map(|(path, pages)| pages.iter().map(move |page| (page, path)));
    let listed = listed.filter(|(page, _)| !drawn.contains(page));
    let listed: String = listed.map(|(page, path)| format!("{page}\t{path}\n")).collect();
    fs::write(folder.join("directory.tsv"), listed)?;
    fs::write(folder.join("queries.tsv"), &queries)?;
    let name = |path: &String| path.rsplit('/').next().unwrap_or_default().replace('_', " ");
    let names: String =
        pages.keys().map(|path| format!("{}\t{}\n", &path[skipped..], name(path))).collect();
    fs::write(folder.join("names.tsv"), names)?;
    println!("{} categories, {} queries", pages.len(), queries.lines().count());
    Ok(())
}

fn pairs(text: &str) -> impl Iterator<Item = (String, String)> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split_once('\t')).map(|(a, b)| (a.to_owned(), b.trim().to_owned()))
}

/// `%C3%85land_Islands` is "Åland Islands".
fn decoded(name: &str) -> String {
    let (bytes, mut plain, mut at) = (name.as_bytes(), Vec::new(), 0);
    while at < bytes.len() {
        let code = name.get(at + 1..at + 3).filter(|_| bytes[at] == b'%');
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                plain.push(byte);
                at += 3;
            }
            None => {
                plain.push(if bytes[at] == b'_' { b' ' } else { bytes[at] });
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&plain).into_owned()
}
