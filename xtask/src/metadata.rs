//! `cargo xtask metadata`: titles, authors, dates and languages of records against what people noted.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use webstrata::output::RecordPart;
use webstrata::{Options, Request};

use crate::sets;

pub(crate) struct Comparison {
    pub(crate) sets: PathBuf,
    pub(crate) names: Option<Vec<String>>,
    /// Another tool's values, to be measured the same way.
    pub(crate) outputs: Option<PathBuf>,
    pub(crate) out: Option<PathBuf>,
    pub(crate) show: usize,
}

const FIELDS: [&str; 4] = ["title", "author", "date", "language"];

/// Title, author, date and language; empty where there is none.
type Values = [String; 4];

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
                let lines =
                    gold.iter().zip(&ours).map(|((id, _), [title, author, date, language])| {
                        serde_json::json!([id, title, author, date, language]).to_string() + "\n"
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
            if pages.is_empty() {
                continue;
            }
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
        2 => day(gold) == day(found),
        // `en` is as good as `en-GB`.
        3 => {
            let language = |tag: &str| plain(tag.split(['-', '_']).next().unwrap_or_default());
            language(gold) == language(found)
        }
        // Several authors may be joined by anything.
        1 => plain(&joined(gold)) == plain(&joined(found)),
        _ => plain(gold) == plain(found),
    }
}

/// The day of a date: `2025-09-04`, however it is written (`20250904`, `2025-9-4 10:00`).
fn day(date: &str) -> String {
    if date.len() == 8 && date.bytes().all(|byte| byte.is_ascii_digit()) {
        return format!("{}-{}-{}", &date[..4], &date[4..6], &date[6..]);
    }
    let mut numbers = date.split(|c: char| !c.is_ascii_digit()).map(str::parse::<u32>);
    match [numbers.next(), numbers.next(), numbers.next()] {
        [Some(Ok(year)), Some(Ok(month)), Some(Ok(day))] => format!("{year}-{month:02}-{day:02}"),
        _ => date.to_owned(),
    }
}

fn joined(authors: &str) -> String {
    let mut authors = authors.to_owned();
    for separator in [", and ", " and ", " & ", "; ", ";"] {
        authors = authors.replace(separator, ", ");
    }
    authors
}

/// For comparing: without differences of case, of whitespace, and of the shape of quotes and dashes.
fn plain(text: &str) -> String {
    let shape = |c: char| match c {
        '‘' | '’' | '‚' | '‛' | '′' => '\'',
        '“' | '”' | '„' | '‟' => '"',
        '–' | '—' | '‑' => '-',
        c => c,
    };
    let text: String = text.chars().map(shape).collect();
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

fn ours(folder: &Path, id: &str, url: Option<&String>) -> Result<Values, String> {
    let bytes = sets::read(&folder.join("pages").join(format!("{id}.html")))?;
    let options = Options { url: url.cloned(), ..Options::default() };
    let mut request = Request::default();
    request.parts.push(RecordPart::Metadata);
    let record = request.record_of(&request.extract_with(&bytes, &options));
    let metadata = record.metadata.unwrap_or_default();
    let authors: Vec<String> = metadata.authors.into_iter().map(|author| author.value).collect();
    Ok([
        record.title.unwrap_or_default(),
        authors.join(", "),
        metadata.published.map(|date| date.value).unwrap_or_default(),
        record.language.unwrap_or_default(),
    ])
}

/// Lines of an id, the type of the page, in some sets the language, and JSON.
fn gold(file: &Path) -> Result<Vec<(String, Values)>, String> {
    let text = String::from_utf8_lossy(&sets::read(file)?).into_owned();
    let line = |line: &str| {
        let columns: Vec<&str> = line.splitn(4, '\t').collect();
        let (id, language, json) = match columns[..] {
            [id, _, json] => (id, "", json),
            [id, _, language, json] => (id, language, json),
            _ => return None,
        };
        let values: serde_json::Value = serde_json::from_str(json).ok()?;
        let value = |keys: &[&str]| match keys.iter().find_map(|key| values.get(*key)) {
            Some(serde_json::Value::Array(all)) => {
                all.iter().filter_map(|one| one.as_str()).collect::<Vec<_>>().join(", ")
            }
            one => one.and_then(|one| one.as_str()).unwrap_or_default().to_owned(),
        };
        let date = value(&["publish_date", "date"]);
        Some((id.to_owned(), [value(&["title"]), value(&["author"]), date, language.to_owned()]))
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
        let parsed: Result<Vec<Option<String>>, _> = serde_json::from_str(line);
        let parsed = parsed.map_err(|error| format!("{}: {error}", file.display()))?;
        let mut fields = parsed.into_iter().map(Option::unwrap_or_default);
        let id = fields.next().unwrap_or_default();
        values.insert(id, std::array::from_fn(|_| fields.next().unwrap_or_default()));
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
        assert!(matches(0, "The sea's tides - “now”", "The sea’s tides – \"now\""));
        assert!(matches(1, "Ann Poe and Jo Roe", "Ann Poe, Jo Roe"));
        assert!(matches(1, "Ann Poe, Bo Low, and Jo Roe", "Ann Poe; Bo Low; Jo Roe"));
        assert!(matches(2, "2025-09-04", "2025-09-04T10:00:00Z"));
        assert!(!matches(2, "2025-09-04", "2025-09"));
        assert!(matches(2, "20250904", "2025-09-04"));
        assert!(matches(2, "2025-9-4 10:00", "2025-09-04"));
        assert!(matches(3, "en-us", "en"));
        assert!(!matches(3, "en", "de"));
    }
}
