//! What came out of the laboratory: one HTML page to look at, and the same tables as Markdown and
//! JSON.
//!
//! ```
//! use webstrata_lab::Chart;
//! use webstrata_lab::report::{Compared, Comparison, Report, Section};
//!
//! let table = Comparison::new("Table 1: high water")
//!     .row(Compared::new("noon").paper(4.1).ours(4.1))
//!     .row(Compared::new("night").paper(4.0).ours(3.7).otherwise("without the breakwater", 4.0));
//! let chart = Chart::lines("The day").series("gauge", [(0.0, 1.0), (6.0, 4.1)]);
//! let report = Report::new("Tides").section(
//!     Section::new("The harbour").text("Measured at the bar.").comparison(table).figure("A day.", &chart),
//! );
//! let agreement = report.agreement().to_string();
//! assert_eq!(agreement, "1 of 2 agree, 1 differ for a tested reason, 0 differ unexplained");
//! assert!(report.to_html().starts_with("<!doctype html>"));
//! ```

mod comparison;
mod html;
mod markdown;

pub use comparison::{Agreement, Compared, Comparison};

use std::path::Path;

use serde::Serialize;

use crate::plot::{Chart, ChartKind};
use webstrata_base::error::Error;
use webstrata_base::write_whole;

/// The version of the JSON's shape.
const VERSION: u32 = 2;

/// A title, facts about the run, and sections. Texts are plain; `` `code` `` is set as code.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Report {
    title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    about: Option<String>,
    facts: Vec<(String, String)>,
    sections: Vec<Section>,
}

/// A part of a report with a heading of its own, and perhaps with parts.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Section {
    title: String,
    parts: Vec<Part>,
}

/// What a section is made of, in the order in which it was added.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Part {
    Text(String),
    Note(String),
    Table(Table),
    Comparison(Comparison),
    Figure(Figure),
    Section(Section),
}

#[derive(Clone, Debug, Serialize)]
struct Figure {
    title: String,
    caption: String,
    /// Pictures are for people; JSON has the tables. Several are small ones, side by side, each with its
    /// title.
    #[serde(skip)]
    svgs: Vec<(String, String)>,
}

/// A table of texts.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Table {
    title: String,
    columns: Vec<Column>,
    rows: Vec<Vec<String>>,
}

#[derive(Clone, Debug, Serialize)]
struct Column {
    name: String,
    align: Align,
}

/// Where the texts of a column stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Align {
    /// Texts.
    Left,
    /// Numbers, so that their digits stand below each other.
    Right,
}

impl Report {
    /// A report without sections.
    pub fn new(title: impl Into<String>) -> Report {
        Report { title: title.into(), ..Report::default() }
    }

    /// What the report is about, in a sentence or two.
    pub fn about(mut self, about: impl Into<String>) -> Report {
        self.about = Some(about.into());
        self
    }

    /// Adds a fact about the run: the version, a corpus and its pages.
    pub fn fact(mut self, name: impl Into<String>, value: impl Into<String>) -> Report {
        self.facts.push((name.into(), value.into()));
        self
    }

    /// Adds a section.
    pub fn section(mut self, section: Section) -> Report {
        self.sections.push(section);
        self
    }

    /// Adds all sections of another report.
    pub fn sections_of(mut self, other: Report) -> Report {
        self.sections.extend(other.sections);
        self
    }

    /// How many of the compared numbers agree.
    pub fn agreement(&self) -> Agreement {
        self.sections.iter().map(Section::agreement).sum()
    }

    /// Sets the numbers of the same report on another corpus beside the numbers here, as experiments:
    /// what moves from one corpus to the other as far as from the paper's is a number of the corpus.
    pub fn beside(mut self, corpus: &str, other: &Report) -> Report {
        let others = other.comparisons();
        self.sections.iter_mut().for_each(|section| section.add_elsewhere(corpus, &others));
        self
    }

    /// The comparisons of all sections, from first to last.
    pub fn comparisons(&self) -> Vec<&Comparison> {
        self.sections.iter().flat_map(Section::comparisons).collect()
    }

    /// The pictures of all sections: a file name for each, and the SVG.
    pub fn figures(&self) -> Vec<(String, &str)> {
        let mut names = Slugs::default();
        let figures = self.sections.iter().flat_map(Section::figures);
        let pictures = figures.flat_map(|figure| &figure.svgs);
        pictures.map(|(title, svg)| (names.next(title) + ".svg", svg.as_str())).collect()
    }

    /// One HTML page that needs nothing else: styles and pictures are in it, scripts are not.
    pub fn to_html(&self) -> String {
        html::page(self)
    }

    /// Texts and tables as Markdown; of figures, what they show.
    pub fn to_markdown(&self) -> String {
        markdown::document(self)
    }

    /// All but the pictures as JSON.
    pub fn to_json(&self) -> String {
        #[derive(Serialize)]
        struct Versioned<'a> {
            version: u32,
            agreement: Agreement,
            #[serde(flatten)]
            report: &'a Report,
        }
        let versioned = Versioned { version: VERSION, agreement: self.agreement(), report: self };
        let json = serde_json::to_string_pretty(&versioned);
        json.expect("texts, numbers and lists") + "\n"
    }

    /// Writes `index.html`, `report.md` and `report.json` into a folder, each whole or not at all.
    pub fn write(&self, folder: &Path) -> Result<(), Error> {
        std::fs::create_dir_all(folder).map_err(|error| Error::io(folder, &error))?;
        write_whole(&folder.join("index.html"), self.to_html().as_bytes())?;
        write_whole(&folder.join("report.md"), self.to_markdown().as_bytes())?;
        write_whole(&folder.join("report.json"), self.to_json().as_bytes())
    }
}

impl Section {
    /// A section with a heading and nothing else yet.
    pub fn new(title: impl Into<String>) -> Section {
        Section { title: title.into(), parts: Vec::new() }
    }

    /// Adds a paragraph.
    pub fn text(self, text: impl Into<String>) -> Section {
        self.part(Part::Text(text.into()))
    }

    /// Adds a paragraph that is set apart: a caveat, a remark.
    pub fn note(self, text: impl Into<String>) -> Section {
        self.part(Part::Note(text.into()))
    }

    /// Adds a table.
    pub fn table(self, table: Table) -> Section {
        self.part(Part::Table(table))
    }

    /// Adds the paper's numbers beside ours.
    pub fn comparison(self, comparison: Comparison) -> Section {
        self.part(Part::Comparison(comparison))
    }

    /// Adds a chart and what it shows.
    pub fn figure<K: ChartKind>(self, caption: impl Into<String>, chart: &Chart<K>) -> Section {
        let (title, svg) = (chart.title().to_owned(), chart.to_svg());
        let svgs = vec![(title.clone(), svg)];
        self.part(Part::Figure(Figure { title, caption: caption.into(), svgs }))
    }

    /// Adds small charts side by side: what would be too many series in one.
    pub fn small_figures<K: ChartKind>(
        self,
        title: impl Into<String>,
        caption: impl Into<String>,
        charts: &[Chart<K>],
    ) -> Section {
        let svgs = charts.iter().map(|chart| (chart.title().to_owned(), chart.to_svg())).collect();
        self.part(Part::Figure(Figure { title: title.into(), caption: caption.into(), svgs }))
    }

    /// Adds a section below this one.
    pub fn section(self, section: Section) -> Section {
        self.part(Part::Section(section))
    }

    fn part(mut self, part: Part) -> Section {
        self.parts.push(part);
        self
    }

    fn agreement(&self) -> Agreement {
        self.comparisons().into_iter().map(Comparison::agreement).sum()
    }

    fn comparisons(&self) -> Vec<&Comparison> {
        let parts = self.parts.iter().flat_map(|part| match part {
            Part::Comparison(comparison) => vec![comparison],
            Part::Section(section) => section.comparisons(),
            _ => Vec::new(),
        });
        parts.collect()
    }

    fn add_elsewhere(&mut self, corpus: &str, others: &[&Comparison]) {
        for part in &mut self.parts {
            match part {
                Part::Comparison(comparison) => {
                    let same = others.iter().find(|other| other.title() == comparison.title());
                    same.iter().for_each(|other| comparison.add_elsewhere(corpus, other));
                }
                Part::Section(section) => section.add_elsewhere(corpus, others),
                _ => {}
            }
        }
    }

    fn figures(&self) -> Vec<&Figure> {
        let parts = self.parts.iter().flat_map(|part| match part {
            Part::Figure(figure) => vec![figure],
            Part::Section(section) => section.figures(),
            _ => Vec::new(),
        });
        parts.collect()
    }
}

impl Table {
    /// A table without columns.
    pub fn new(title: impl Into<String>) -> Table {
        Table { title: title.into(), ..Table::default() }
    }

    /// Adds a column.
    pub fn column(mut self, name: impl Into<String>, align: Align) -> Table {
        self.columns.push(Column { name: name.into(), align });
        self
    }

    /// Adds a row: a cell for each column. Cells that are missing are empty.
    ///
    /// # Panics
    ///
    /// Where there are more cells than columns.
    pub fn row<C: Into<String>>(mut self, cells: impl IntoIterator<Item = C>) -> Table {
        let mut row: Vec<String> = cells.into_iter().map(Into::into).collect();
        let (cells, columns) = (row.len(), self.columns.len());
        assert!(cells <= columns, "{}: {cells} cells for {columns} columns", self.title);
        row.resize(columns, String::new());
        self.rows.push(row);
        self
    }
}

/// Names for anchors and files that are all different.
#[derive(Default)]
struct Slugs {
    used: std::collections::BTreeSet<String>,
}

impl Slugs {
    fn next(&mut self, title: &str) -> String {
        let mut slug = String::new();
        for c in title.chars().take(60) {
            if c.is_ascii_alphanumeric() {
                slug.push(c.to_ascii_lowercase());
            } else if !slug.is_empty() && !slug.ends_with('-') {
                slug.push('-');
            }
        }
        let slug = slug.trim_end_matches('-');
        let slug = if slug.is_empty() { "part" } else { slug };
        let candidates = (2..).map(|number| format!("{slug}-{number}"));
        let mut candidates = std::iter::once(slug.to_owned()).chain(candidates);
        let free = candidates.find(|candidate| !self.used.contains(candidate));
        let free = free.expect("numbers do not end");
        self.used.insert(free.clone());
        free
    }
}

/// A text and its pieces of `` `code` ``: whether each is code, and what it says. A backtick without
/// a partner is a backtick.
fn pieces(text: &str) -> Vec<(bool, &str)> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('`') {
        let Some((code, after)) = after.split_once('`').filter(|(code, _)| !code.is_empty()) else {
            break;
        };
        pieces.extend([(false, before), (true, code)]);
        rest = after;
    }
    pieces.push((false, rest));
    pieces.retain(|(_, piece)| !piece.is_empty());
    pieces
}

#[cfg(test)]
mod tests;
