//! What holds for any address, any file of rules and any saved tree. The targets of `fuzz/` include this file.

use std::sync::LazyLock;

use webstrata_site::url_key::{Rules, Step, UrlKey};
use webstrata_site::url_tree::saved::{self, Saved};
use webstrata_site::url_tree::{Heuristic, UrlTree, Visit};
use xxhash_rust::xxh3::xxh3_64;

static RULES: LazyLock<Rules> = LazyLock::new(Rules::default);

/// An address, and in the next line the title that a feed gave it.
pub(crate) fn address(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    let (url, title) = text.split_once('\n').unwrap_or((text, ""));
    for (number, step) in Step::ALL.iter().enumerate() {
        let after = RULES.after(*step, url, title);
        assert_eq!(after.is_some(), RULES.key(url, title).is_some(), "step {number}");
    }
    let Some(key) = RULES.key(url, title) else { return };
    assert_eq!(UrlKey::parse(key.as_str()).as_ref(), Some(&key));
    assert!(key.branch().all(|part| !part.is_empty()) && key.branch().next() == Some(key.domain()));
    check_branch(&key);
}

/// The parts of a key stand in it.
fn check_branch(key: &UrlKey) {
    for part in key.branch() {
        assert!(key.as_str().contains(part), "{part} of {}", key.as_str());
    }
}

/// A file of rules, and behind a line of hyphens an address.
pub(crate) fn rules(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    let (toml, url) = text.split_once("\n---\n").unwrap_or((text, "https://example.org/a?b=c"));
    match Rules::from_toml(toml) {
        Err(error) => assert!(!error.to_string().contains('\n'), "{error}"),
        Ok(rules) => {
            if let Some(key) = rules.key(url, "Tides") {
                check_branch(&key);
            }
        }
    }
}

/// A saved tree without its checksum. What can be read is made again, takes pages in, and is written as it was.
pub(crate) fn tree(bytes: &[u8]) {
    type Recipe = (String, Option<f64>);
    let bytes = [bytes, &xxh3_64(bytes).to_le_bytes()].concat();
    let Saved { recipe, bounds, visits } = match saved::from_bytes::<Recipe>(&bytes) {
        Ok(saved) => saved,
        Err(error) => return assert!(!error.contains('\n'), "{error}"),
    };
    let written: Vec<Vec<u8>> = visits.iter().map(Visit::to_bytes).collect();
    let written = saved::to_bytes(&recipe, bounds, written.iter().map(Vec::as_slice));
    assert_eq!(saved::from_bytes(&written), Ok(Saved { recipe, bounds, visits: visits.clone() }));
    let mut tree = UrlTree::new(bounds);
    for (serial, visit) in (0..).zip(&visits) {
        tree.restore(serial, visit);
    }
    assert_eq!(tree.len(), visits.len());
    for mut visit in visits {
        tree.insert(&mut visit);
        let view = tree.view(&visit.key);
        let node = view.select(Heuristic::Strict);
        assert!(visit.texts.iter().all(|key| view.count(node, *key) <= view.support(node)));
    }
    assert!(tree.take_evicted().len() <= tree.next_serial() as usize);
}

#[cfg(test)]
mod tests {
    use super::{address, rules, tree};
    use crate::corpora::hold;

    #[test]
    fn corpora_hold() {
        hold("address", address);
        hold("rules", rules);
        hold("tree", tree);
    }
}
