//! Searching in the pages' texts, as far as the experiment needs it.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use webstrata_base::Error;
use webstrata_links::tab_separated::{LineProblem, for_each_line};

/// What is searched for in each category. The thesis had five queries for each.
#[derive(Clone, Debug, Default)]
pub struct Queries {
    /// By the paths of categories; without a file, the words of a category's name are its query.
    listed: Option<BTreeMap<String, Vec<String>>>,
}

impl Queries {
    /// Reads a file of lines `category<TAB>query`; lines that begin with `#` are comments. Also returns the lines that
    /// are not as they should be.
    pub fn open(path: &Path) -> Result<(Queries, Vec<LineProblem>), Error> {
        let file = File::open(path).map_err(|error| Error::io(path, &error))?;
        Queries::read(BufReader::new(file)).map_err(|error| Error::io(path, &error))
    }

    /// The same from anything that can be read.
    pub fn read(lines: impl BufRead) -> io::Result<(Queries, Vec<LineProblem>)> {
        let mut listed: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let problems = for_each_line(lines, |_, line| match line.split_once('\t') {
            Some((category, query)) if !query.contains('\t') && !query.trim().is_empty() => {
                let queries = listed.entry(category.to_owned()).or_default();
                let query = query.trim().to_owned();
                if !queries.contains(&query) {
                    queries.push(query);
                }
                Ok(())
            }
            _ => Err("expected category and query, with a tab between them".to_owned()),
        })?;
        Ok((Queries { listed: Some(listed) }, problems))
    }

    /// The queries of a category.
    pub fn of(&self, path: &str, name: &str) -> Vec<String> {
        match &self.listed {
            None => vec![name.to_owned()],
            Some(listed) => listed.get(path).cloned().unwrap_or_default(),
        }
    }

    /// The categories that a file has queries of.
    pub fn categories(&self) -> impl Iterator<Item = &str> {
        self.listed.iter().flatten().map(|(path, _)| path.as_str())
    }
}

/// Words with fewer characters say nothing.
const SHORTEST: usize = 3;

/// Which words are in which pages' texts.
#[derive(Clone, Debug, Default)]
pub struct Texts {
    words: HashMap<String, Vec<(usize, u32)>>,
    lengths: HashMap<usize, u32>,
}

/// What a search finds: pages and how well their texts fit the query.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// Positions, ascending.
    pub pages: Vec<usize>,
    /// A weight for each, above 0.
    pub weights: Vec<f64>,
}

impl Texts {
    /// Adds the text of a page; only the first text of a page counts.
    pub fn add(&mut self, page: usize, text: &str) {
        if self.lengths.contains_key(&page) {
            return;
        }
        let mut counts: HashMap<String, u32> = HashMap::new();
        let mut length = 0;
        for word in words(text) {
            *counts.entry(word).or_default() += 1;
            length += 1;
        }
        self.lengths.insert(page, length);
        for (word, count) in counts {
            self.words.entry(word).or_default().push((page, count));
        }
    }

    /// How many pages have a text.
    pub fn len(&self) -> usize {
        self.lengths.len()
    }

    /// Has none?
    pub fn is_empty(&self) -> bool {
        self.lengths.is_empty()
    }

    /// The pages that have any word of a query, weighted as Lucene, which the thesis used, did it then: the sum of
    /// √tf × idf² over the words, divided by √length. Words that more than half of the pages have are passed over.
    pub fn search(&self, query: &str) -> Found {
        let texts = self.len() as f64;
        let mut weights: HashMap<usize, f64> = HashMap::new();
        let mut asked: Vec<String> = words(query).collect();
        asked.sort_unstable();
        asked.dedup();
        for word in asked {
            let pages = self.words.get(&word).map_or(&[][..], Vec::as_slice);
            if 2 * pages.len() > self.len() {
                continue;
            }
            let idf = 1.0 + (texts / (pages.len() as f64 + 1.0)).ln();
            for (page, count) in pages {
                *weights.entry(*page).or_default() += f64::from(*count).sqrt() * idf * idf;
            }
        }
        let mut found: Vec<(usize, f64)> = weights.into_iter().collect();
        found.sort_unstable_by_key(|(page, _)| *page);
        let norm = |page: &usize| f64::from(self.lengths.get(page).copied().unwrap_or(1)).sqrt();
        let (pages, weights) =
            found.into_iter().map(|(page, weight)| (page, weight / norm(&page))).unzip();
        Found { pages, weights }
    }
}

fn words(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    words.filter(|word| word.chars().count() >= SHORTEST).map(str::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_of_categories() {
        let text =
            "# what, for what\nsea\ttide tables\nsea\tports \nsea\tports\nland\nair\t\nx\ty\tz\n";
        let (queries, problems) = Queries::read(text.as_bytes()).unwrap();
        assert_eq!(queries.of("sea", "Sea"), ["tide tables", "ports"]);
        assert!(queries.of("land", "Land").is_empty());
        assert_eq!(problems.iter().map(|problem| problem.line).collect::<Vec<_>>(), [5, 6, 7]);
        assert_eq!(Queries::default().of("land", "Land"), ["Land"]);
        assert!(queries.categories().eq(["sea"]));
    }

    #[test]
    fn pages_with_any_of_the_words() {
        let mut texts = Texts::default();
        texts.add(3, "The harbour: fog, fog and fog. Ferry!");
        texts.add(1, "No ferry in the FOG today");
        texts.add(7, "The tide of the moon is at its highest in spring");
        texts.add(5, "The pier");
        texts.add(5, "fog, but the first text counts");
        let found = texts.search("Fog_signals fog at");
        assert_eq!(found.pages, [1, 3]);
        let idf = 1.0 + (4.0_f64 / 3.0).ln();
        assert!((found.weights[0] - idf * idf / 2.0).abs() < 1e-12);
        assert!((found.weights[1] - 3_f64.sqrt() * idf * idf / 7_f64.sqrt()).abs() < 1e-12);
        assert_eq!(texts.search("the"), Found::default());
        assert_eq!(Texts::default().search("fog"), Found::default());
    }
}
