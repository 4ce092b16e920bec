//! `cargo xtask structure`: our Markdown and that of other tools against gold Markdown, and against the page where the
//! gold Markdown has too little.

mod code;
mod images;

use std::collections::HashMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use code::InnerText;
use serde_json::json;
use webstrata::cutting::Cutting;
use webstrata::output::{OutputOptions, markdown};
use webstrata::{Class, Document, Extractor, Options, Page};
use webstrata_lab::gold;
use webstrata_lab::outputs::ToolTexts;
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
    /// What a browser has for the code blocks of the pages.
    pub(crate) inner_text: Option<PathBuf>,
    /// Where the differences are kept.
    pub(crate) out: Option<PathBuf>,
}

/// Not an extractor: keeps the blocks that are in the gold text. What it has not, the writer lost, or
/// the page has not; what other rows have not in addition, their extractor lost.
const GOLD: &str = "gold";

/// What is compared of a Markdown text.
#[derive(Default)]
struct Structure {
    elements: Vec<Element>,
    code: Vec<String>,
    images: Vec<String>,
}

impl Structure {
    fn of(markdown: &str) -> Structure {
        Structure {
            elements: elements(markdown),
            code: code::blocks(markdown),
            images: images::images(markdown),
        }
    }
}

/// A page's elements: those of the gold, and those of each author.
struct Scored {
    id: String,
    gold: Vec<Element>,
    /// Code blocks of the page that the gold text has, as a browser shows them.
    code: Vec<String>,
    /// Images of the page that stand in the gold text.
    images: Vec<images::Names>,
    by_author: Vec<Structure>,
}

impl StructureScores {
    pub(crate) fn run(&self) -> Result<(), String> {
        let extractors = self.extractors()?;
        let inner_text = self.inner_text.as_deref().map(InnerText::read).transpose()?;
        let inner_text = inner_text.unwrap_or_default();
        for name in sets::names(&self.sets, self.names.as_deref())? {
            let path = self.sets.join(&name);
            if !path.join("gold-markdown").is_dir() {
                if self.names.is_some() {
                    return Err(format!("{}: no folder `gold-markdown`", path.display()));
                }
                continue;
            }
            let set = Set::open(&path).map_err(|error| error.to_string())?;
            let tools = sets::tools(self.outputs.as_deref(), &set)?;
            let work = |entry: &Entry| score(&path, entry, &extractors, &tools, &inner_text);
            let pages = sets::in_parallel(&set.entries, work)?;
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
}

/// `None` for a page without gold Markdown or without a tool's.
fn score(
    set: &Path,
    entry: &Entry,
    extractors: &[Extractor],
    tools: &[ToolTexts],
    inner_text: &InnerText,
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
        Structure::of(&markdown(&page, &OutputOptions { images: true, ..Default::default() }))
    });
    let by_author = ours.chain(theirs.into_iter().map(Structure::of)).collect();
    let page = Page::read(&bytes, Cutting::Strata, &Options::default());
    Ok(Some(Scored {
        id: entry.id.clone(),
        gold: gold_elements,
        code: inner_text.wanted(&entry.id, &gold_text),
        images: images::wanted(&page, &gold_text),
        by_author,
    }))
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
                let page = |page: &Scored| {
                    compare(&page.by_author[index].elements, &page.gold, kind, strictness)
                };
                pages.iter().map(page).collect()
            };
            let any = Matches::sum(of(Strictness::Text)).score().f1;
            row(&mut text, name, author, &of(Strictness::Full), Some(any));
        }
    }
    for (index, author) in authors.iter().enumerate() {
        let page = |page: &Scored| code::compare(&page.by_author[index].code, &page.code);
        // Other code of these pages is no mistake: the gold text has not all that is code.
        let pages: Vec<Matches> = pages.iter().map(page).collect();
        if pages.iter().any(|page| page.wanted > 0) {
            row(&mut text, "code, line by line", author, &pages, None);
        }
    }
    for (index, author) in authors.iter().enumerate() {
        let page = |page: &Scored| images::compare(&page.by_author[index].images, &page.images);
        row(&mut text, "images", author, &pages.iter().map(page).collect::<Vec<_>>(), None);
    }
    text
}

fn row(text: &mut String, kind: &str, author: &str, pages: &[Matches], any_level: Option<f64>) {
    let sum = Matches::sum(pages.iter().copied());
    let all = sum.score();
    let with = pages.iter().filter(|page| page.wanted > 0);
    let each: Vec<f64> = with.map(|page| page.score().f1).collect();
    let any_level = any_level.map(|f1| format!("{f1:.3}")).unwrap_or_default();
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "| {kind} | {author} | {} | {} | {:.3} | {:.3} | {:.3} | {any_level} | {:.3} | {} |",
        sum.found,
        sum.wanted,
        all.precision,
        all.recall,
        all.f1,
        mean(&each),
        each.len(),
    );
}

/// A line for each page and kind on which an author differs from the gold.
fn differences(pages: &[Scored], author: usize) -> String {
    let mut lines = String::new();
    let mut add = |id: &str, kind: &str, missing: serde_json::Value, extra: serde_json::Value| {
        let is_empty = |list: &serde_json::Value| list.as_array().is_none_or(Vec::is_empty);
        if !is_empty(&missing) || !is_empty(&extra) {
            let line = json!({"id": id, "kind": kind, "missing": missing, "extra": extra});
            let _ = writeln!(lines, "{line}");
        }
    };
    for page in pages {
        let text = &page.by_author[author];
        for (kind, name) in ElementKind::ALL {
            let missing = without(&page.gold, &text.elements, kind);
            add(&page.id, name, json!(missing), json!(without(&text.elements, &page.gold, kind)));
        }
        let missing: Vec<_> = page.code.iter().filter(|code| !text.code.contains(code)).collect();
        let extra: Vec<_> = text.code.iter().filter(|code| !page.code.contains(code)).collect();
        if !missing.is_empty() {
            add(&page.id, "code, line by line", json!(missing), json!(extra));
        }
        let is_there = |names: &&images::Names| text.images.iter().any(|name| names.contains(name));
        let is_wanted = |name: &&String| page.images.iter().any(|names| names.contains(*name));
        let missing: Vec<_> = page.images.iter().filter(|names| !is_there(names)).collect();
        let extra: Vec<_> = text.images.iter().filter(|name| !is_wanted(name)).collect();
        add(&page.id, "images", json!(missing), json!(extra));
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
            code: Vec::new(),
            images: vec![["ebb.png".to_owned()].into_iter().collect()],
            by_author: vec![Structure::of("# Tides\n\n- ebb\n- fog\n\n![](/ebb.png)\n")],
        };
        let table = table(&["ours"], std::slice::from_ref(&page));
        assert!(table.contains("| headings | ours | 1 | 1 | 1.000 |"), "{table}");
        assert!(table.contains("| list items | ours | 2 | 2 | 0.500 |"), "{table}");
        assert!(table.contains("| images | ours | 1 | 1 | 1.000 |"), "{table}");
        assert_eq!(
            differences(&[page], 0),
            "{\"extra\":[[1,\"fog\"]],\"id\":\"tides\",\"kind\":\"list items\",\"missing\":[[1,\"flood\"]]}\n"
        );
    }
}
