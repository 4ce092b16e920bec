//! `cargo xtask structure`: our Markdown and that of other tools against gold Markdown.

use std::collections::HashMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use serde_json::json;
use webstrata::output::{MarkupOptions, markdown};
use webstrata::{Class, Document, Extractor, Options, Page};
use webstrata_lab::gold;
use webstrata_lab::outputs::{self, ToolTexts};
use webstrata_lab::scores::statistics::mean;
use webstrata_lab::scores::structure::{
    Element, ElementKind, Matches, Strictness, compare, elements,
};
use webstrata_lab::{Entry, Set};

use crate::sets;

/// What to score.
pub(crate) struct StructureScores {
    pub(crate) sets: PathBuf,
    pub(crate) names: Option<Vec<String>>,
    /// Names of built-in extractors and TOML files.
    pub(crate) extractors: Option<Vec<String>>,
    /// The folder of other tools' Markdown.
    pub(crate) outputs: Option<PathBuf>,
    /// Where the differences are kept.
    pub(crate) out: Option<PathBuf>,
}

/// Not an extractor: keeps the blocks that are in the gold text. What it has not, the writer lost, or
/// the page has not; what other rows have not in addition, their extractor lost.
const GOLD: &str = "gold";

/// A page's elements: those of the gold, and those of each author.
struct Scored {
    id: String,
    gold: Vec<Element>,
    by_author: Vec<Vec<Element>>,
}

impl StructureScores {
    pub(crate) fn run(&self) -> Result<(), String> {
        let extractors = self.extractors()?;
        for name in sets::names(&self.sets, self.names.as_deref())? {
            let path = self.sets.join(&name);
            if !path.join("gold-markdown").is_dir() {
                if self.names.is_some() {
                    return Err(format!("{}: no folder `gold-markdown`", path.display()));
                }
                continue;
            }
            let set = Set::open(&path).map_err(|error| error.to_string())?;
            let tools = self.tools(&set)?;
            let pages =
                sets::in_parallel(&set.entries, |entry| score(&path, entry, &extractors, &tools))?;
            let pages: Vec<Scored> = pages.into_iter().flatten().collect();
            let ours = extractors.iter().map(|extractor| extractor.name.as_str());
            let authors: Vec<&str> = ours.chain(tools.iter().map(ToolTexts::name)).collect();
            println!("{name}: {} pages with gold Markdown and every tool's\n", pages.len());
            print!("{}", table(&authors, &pages));
            if let Some(out) = &self.out {
                for (index, author) in authors.iter().enumerate() {
                    let file = out.join(format!("{name}-{author}.jsonl"));
                    sets::write(&file, &differences(&pages, index))?;
                }
            }
        }
        Ok(())
    }

    fn extractors(&self) -> Result<Vec<Extractor>, String> {
        let load = |name: &str| match Extractor::named(name) {
            Some(extractor) => Ok(extractor.clone()),
            None if name == GOLD => Ok(Extractor::new(GOLD)),
            None => {
                let text = String::from_utf8_lossy(&sets::read(Path::new(name))?).into_owned();
                Extractor::from_toml(&text).map_err(|error| format!("{name}: {error}"))
            }
        };
        match &self.extractors {
            Some(names) => names.iter().map(|name| load(name)).collect(),
            None => ["article", "default"].into_iter().map(load).collect(),
        }
    }

    fn tools(&self, set: &Set) -> Result<Vec<ToolTexts>, String> {
        let Some(folder) = &self.outputs else { return Ok(Vec::new()) };
        let tools = outputs::tools(folder).map_err(|error| error.to_string())?;
        let texts = tools.iter().map(|tool| tool.texts(set).map_err(|error| error.to_string()));
        Ok(texts.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
    }
}

/// `None` for a page without gold Markdown or without a tool's.
fn score(
    set: &Path,
    entry: &Entry,
    extractors: &[Extractor],
    tools: &[ToolTexts],
) -> Result<Option<Scored>, String> {
    let gold_file = set.join("gold-markdown").join(format!("{}.md", entry.id));
    let theirs: Option<Vec<&str>> = tools.iter().map(|tool| tool.of(&entry.id)).collect();
    let (true, Some(theirs)) = (gold_file.is_file(), theirs) else { return Ok(None) };
    let gold_elements = elements(&String::from_utf8_lossy(&sets::read(&gold_file)?));
    let bytes = sets::read(&entry.page)?;
    let gold_text = entry.read_gold().map_err(|error| error.to_string())?;
    let ours = extractors.iter().map(|extractor| {
        let mut page = Page::read(&bytes, extractor.cutting, &Options::default());
        extractor.apply(&mut page.document);
        if extractor.name == GOLD {
            keep_gold(&mut page.document, &gold_text);
        }
        elements(&markdown(&page, &MarkupOptions::default()))
    });
    let by_author = ours.chain(theirs.into_iter().map(elements)).collect();
    Ok(Some(Scored { id: entry.id.clone(), gold: gold_elements, by_author }))
}

fn keep_gold(document: &mut Document, gold: &str) {
    let shares = gold::shares(document, gold);
    for (block, share) in document.blocks.iter_mut().zip(shares) {
        let words = block.counts.words as usize;
        block.is_content = gold::from_share(share, words) == Class::Content;
    }
}

/// Micro averages over all pages, and the mean F1 of the pages whose gold has the kind.
fn table(authors: &[&str], pages: &[Scored]) -> String {
    let mut text = String::from(
        "| kind | by | found | of | precision | recall | F1 | F1, any level | F1 a page | pages |\n\
         |---|---|---|---|---|---|---|---|---|---|\n",
    );
    for (kind, name) in ElementKind::ALL {
        for (index, author) in authors.iter().enumerate() {
            let of = |strictness| -> Vec<Matches> {
                let page =
                    |page: &Scored| compare(&page.by_author[index], &page.gold, kind, strictness);
                pages.iter().map(page).collect()
            };
            let matches = of(Strictness::Full);
            let sum = Matches::sum(matches.iter().copied());
            let (all, any) = (sum.score(), Matches::sum(of(Strictness::Text)).score());
            let with = matches.iter().filter(|page| page.wanted > 0);
            let each: Vec<f64> = with.map(|page| page.score().f1).collect();
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "| {name} | {author} | {} | {} | {:.3} | {:.3} | {:.3} | {:.3} | {:.3} | {} |",
                sum.found,
                sum.wanted,
                all.precision,
                all.recall,
                all.f1,
                any.f1,
                mean(&each),
                each.len(),
            );
        }
    }
    text
}

/// A line for each page and kind on which an author differs from the gold.
fn differences(pages: &[Scored], author: usize) -> String {
    let mut lines = String::new();
    for page in pages {
        for (kind, name) in ElementKind::ALL {
            let text = &page.by_author[author];
            let missing = without(&page.gold, text, kind);
            let extra = without(text, &page.gold, kind);
            if !missing.is_empty() || !extra.is_empty() {
                let line = json!({"id": page.id, "kind": name, "missing": missing, "extra": extra});
                let _ = writeln!(lines, "{line}");
            }
        }
    }
    lines
}

/// The elements of `all` that `known` has not, as level and text.
fn without(all: &[Element], known: &[Element], kind: ElementKind) -> Vec<(u8, String)> {
    let mut left: HashMap<&Element, usize> = HashMap::new();
    for element in known {
        *left.entry(element).or_default() += 1;
    }
    let of_kind = all.iter().filter(|element| element.kind == kind);
    let missing = of_kind.filter(|element| match left.get_mut(element) {
        Some(left) if *left > 0 => {
            *left -= 1;
            false
        }
        _ => true,
    });
    missing.map(|element| (element.level, element.text.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_and_what_differs() {
        let page = Scored {
            id: "tides".into(),
            gold: elements("# Tides\n\n- ebb\n- flood\n"),
            by_author: vec![elements("# Tides\n\n- ebb\n- fog\n")],
        };
        let table = table(&["ours"], std::slice::from_ref(&page));
        assert!(table.contains("| headings | ours | 1 | 1 | 1.000 |"), "{table}");
        assert!(table.contains("| list items | ours | 2 | 2 | 0.500 |"), "{table}");
        assert_eq!(
            differences(&[page], 0),
            "{\"extra\":[[1,\"fog\"]],\"id\":\"tides\",\"kind\":\"list items\",\"missing\":[[1,\"flood\"]]}\n"
        );
    }
}
