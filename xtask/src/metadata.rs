//! `cargo xtask metadata`: titles, authors and dates against what people noted.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use webstrata::cutting::Cutting;
use webstrata::{Options, Page};

use crate::sets;

pub(crate) struct Comparison {
    pub(crate) sets: PathBuf,
    pub(crate) names: Option<Vec<String>>,
    /// Another tool's values, to be measured the same way.
    pub(crate) outputs: Option<PathBuf>,
    pub(crate) out: Option<PathBuf>,
    pub(crate) show: usize,
}

const FIELDS: [&str; 3] = ["title", "author", "date"];

/// Title, author and date; empty where there is none.
type Values = [String; 3];

/// Id, title, author and date of another tool.
type Output = (String, Option<String>, Option<String>, Option<String>);

impl Comparison {
    pub(crate) fn run(&self) -> Result<(), String> {
        let other = self.outputs.as_deref().map(outputs).transpose()?;
        for name in sets::names(&self.sets, self.names.as_deref())? {
            let folder = self.sets.join(&name);
            if !folder.join("meta.tsv").is_file() {
                continue;
            }
            let gold = gold(&folder.join("meta.tsv"))?;
            let urls = urls(&folder.join("urls.tsv"));
            let ours = sets::in_parallel(&gold, |(id, _)| ours(&folder, id, urls.get(id)))?;
            self.print(&name, &gold, &ours, other.as_ref());
            if let Some(out) = &self.out {
                let lines = gold.iter().zip(&ours).map(|((id, _), [title, author, date])| {
                    serde_json::json!([id, title, author, date]).to_string() + "\n"
                });
                sets::write(&out.join(format!("{name}.jsonl")), &lines.collect::<String>())?;
            }
        }
        Ok(())
    }

    fn print(
        &self,
        name: &str,
        gold: &[(String, Values)],
        ours: &[Values],
        other: Option<&HashMap<String, Values>>,
    ) {
        println!("{name}: exact matches among the pages that have the field");
        for (field, field_name) in FIELDS.iter().enumerate() {
            let pages: Vec<_> =
                gold.iter().zip(ours).filter(|((_, gold), _)| !gold[field].is_empty()).collect();
            let rate = |right: usize| 100.0 * right as f64 / pages.len().max(1) as f64;
            let (right, wrong): (Vec<_>, Vec<_>) = pages
                .iter()
                .partition(|((_, gold), ours)| matches(field, &gold[field], &ours[field]));
            print!("  {field_name:<8}{:>6.1} % of {:>5}", rate(right.len()), pages.len());
            if let Some(other) = other {
                let is_right = |id: &String, gold: &Values| {
                    other.get(id).is_some_and(|other| matches(field, &gold[field], &other[field]))
                };
                let right = pages.iter().filter(|((id, gold), _)| is_right(id, gold)).count();
                print!("   other {:>6.1} %", rate(right));
            }
            println!();
            for ((id, gold), ours) in wrong.iter().take(self.show) {
                println!("    {id}  {:?}, ours {:?}", gold[field], ours[field]);
            }
        }
    }
}

fn matches(field: usize, gold: &str, found: &str) -> bool {
    match field {
        // The day.
        2 => {
            let day = |date: &str| date.get(..10).unwrap_or(date).to_owned();
            day(gold) == day(found)
        }
        // Several authors may be joined by anything.
        1 => plain(&joined(gold)) == plain(&joined(found)),
        _ => plain(gold) == plain(found),
    }
}

fn joined(authors: &str) -> String {
    let mut authors = authors.to_owned();
    for separator in [", and ", " and ", " & ", "; ", ";"] {
        authors = authors.replace(separator, ", ");
    }
    authors
}

fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

fn ours(folder: &Path, id: &str, url: Option<&String>) -> Result<Values, String> {
    let bytes = sets::read(&folder.join("pages").join(format!("{id}.html")))?;
    let options = Options { url: url.cloned(), ..Options::default() };
    let metadata = Page::read(&bytes, Cutting::default(), &options).metadata();
    let authors: Vec<String> = metadata.authors.into_iter().map(|author| author.value).collect();
    let value = |field: Option<webstrata::metadata::Sourced>| {
        field.map(|field| field.value).unwrap_or_default()
    };
    Ok([value(metadata.title), authors.join(", "), value(metadata.published)])
}

fn gold(file: &Path) -> Result<Vec<(String, Values)>, String> {
    let text = String::from_utf8_lossy(&sets::read(file)?).into_owned();
    let line = |line: &str| {
        let mut columns = line.splitn(3, '\t');
        let (id, json) = (columns.next()?, columns.nth(1)?);
        let values: serde_json::Value = serde_json::from_str(json).ok()?;
        let value = |key: &str| values[key].as_str().unwrap_or_default().to_owned();
        Some((id.to_owned(), [value("title"), value("author"), value("publish_date")]))
    };
    let wrong =
        |number: usize| format!("{}:{}: not a line of metadata", file.display(), number + 1);
    text.lines().enumerate().map(|(number, text)| line(text).ok_or_else(|| wrong(number))).collect()
}

fn urls(file: &Path) -> HashMap<String, String> {
    let text = sets::read(file).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let pairs = text.lines().filter_map(|line| line.split_once('\t'));
    pairs.map(|(id, url)| (id.to_owned(), url.trim().to_owned())).collect()
}

fn outputs(file: &Path) -> Result<HashMap<String, Values>, String> {
    let text = String::from_utf8_lossy(&sets::read(file)?).into_owned();
    let mut values = HashMap::new();
    for line in text.lines() {
        let parsed: Result<Output, _> = serde_json::from_str(line);
        let (id, title, author, date) =
            parsed.map_err(|error| format!("{}: {error}", file.display()))?;
        values.insert(id, [title, author, date].map(Option::unwrap_or_default));
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matching() {
        assert!(matches(0, "Tide  tables", "tide tables "));
        assert!(!matches(0, "Tide tables", "Tide"));
        assert!(matches(1, "Ann Poe and Jo Roe", "Ann Poe, Jo Roe"));
        assert!(matches(1, "Ann Poe, Bo Low, and Jo Roe", "Ann Poe; Bo Low; Jo Roe"));
        assert!(matches(2, "2025-09-04", "2025-09-04T10:00:00Z"));
        assert!(!matches(2, "2025-09-04", "2025-09"));
    }
}
