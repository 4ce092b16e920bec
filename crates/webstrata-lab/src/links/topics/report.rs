//! The analysis as a page to look at: findings, the tree of Figure 3.7, and all numbers.

use crate::plot::{Node, Tree};
use crate::report::{Align, Section, Table};
use crate::{Chart, Report};
use serde::Serialize;

use super::analysis::{Analysis, Gain, Measured};
use super::findings::{Finding, findings};
use crate::links::judge::mean;

/// Nobody looks at a drawing of more categories.
const MOST_DRAWN: usize = 400;
/// How many of the most similar siblings are listed.
const MOST_SIBLINGS: usize = 40;

/// An analysis of rankings or of searches, with what it says of the thesis' findings.
#[derive(Clone, Debug, Serialize)]
pub struct View {
    /// What was analysed.
    pub name: &'static str,
    /// The thesis' findings and what they are here.
    pub findings: Vec<Finding>,
    /// Means of the categories of each level.
    pub levels: Vec<Level>,
    /// All numbers.
    #[serde(flatten)]
    pub analysis: Analysis,
}

/// Means of the categories of a level, over those that have the number.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Level {
    /// Which one.
    pub level: usize,
    /// How many categories it has.
    pub categories: usize,
    /// The size of their biasing sets.
    pub pages: f64,
    /// How alike the best pages are to those without bias.
    pub to_unbiased: Option<f64>,
    /// How alike they are to those of the parent.
    pub to_parent: Option<f64>,
    /// How alike they are to those of siblings.
    pub to_siblings: Option<f64>,
    /// Average precision of the first ten pages.
    pub biased: Option<f64>,
    /// The same without bias.
    pub unbiased: Option<f64>,
}

impl View {
    /// Asks an analysis for the findings.
    pub fn new(name: &'static str, analysis: Analysis, seed: u64) -> View {
        let findings = findings(&analysis, seed);
        let levels = levels(&analysis);
        View { name, findings, levels, analysis }
    }
}

fn levels(analysis: &Analysis) -> Vec<Level> {
    let deepest = analysis.categories.iter().map(|row| row.level).max().unwrap_or(0);
    let of_level = |level: usize| {
        let rows = || analysis.categories.iter().filter(move |row| row.level == level);
        let siblings =
            analysis.siblings.iter().filter(|pair| analysis.categories[pair.a].level == level);
        let gains = |of: fn(Gain) -> f64| mean(rows().map(|row| row.quality.map(of)));
        Level {
            level,
            categories: rows().count(),
            pages: mean(rows().map(|row| Some(row.pages as f64))).unwrap_or(0.0),
            to_unbiased: mean(rows().map(|row| Some(row.to_unbiased.tau))),
            to_parent: mean(rows().map(|row| row.to_parent.map(|similarity| similarity.tau))),
            to_siblings: mean(siblings.map(|pair| Some(pair.similarity.tau))),
            biased: gains(|gain| gain.biased.first),
            unbiased: gains(|gain| gain.unbiased.first),
        }
    };
    (1..=deepest).map(of_level).filter(|level| level.categories > 0).collect()
}

/// A page with the findings, the drawing and the tables of each view.
pub fn report(title: &str, facts: &[(&str, String)], views: &[View]) -> Report {
    let about = "Rankings biased on the pages of categories, compared with each other, as section 3.3.1 of the \
                 thesis did it with the Open Directory.";
    let report = Report::new(title).about(about);
    let report = facts.iter().fold(report, |report, (name, value)| report.fact(*name, value));
    views.iter().fold(report, |report, view| report.section(section(view)))
}

fn section(view: &View) -> Section {
    Section::new(view.name)
        .section(Section::new("The thesis' findings").table(findings_table(&view.findings)))
        .section(Section::new("By level").table(levels_table(&view.levels)))
        .section(Section::new("The tree").figure(CAPTION, &tree(view)))
        .section(
            Section::new("All numbers")
                .table(categories_table(&view.analysis))
                .table(siblings_table(&view.analysis)),
        )
}

const CAPTION: &str = "After Figure 3.7. The wider an edge, the more alike the best pages of a category and of its parent \
    are, those of the top categories and the ranking without bias. The wider a contour, the higher the average precision of \
    the whole biased ranking beside that of the one without bias, on a logarithmic scale from a tenth to ten times; dashed \
    where there is none.";

fn tree(view: &View) -> Chart<Tree> {
    let rows = &view.analysis.categories;
    let deepest = rows.iter().map(|row| row.level).max().unwrap_or(0);
    let drawn = |level: usize| rows.iter().filter(|row| row.level <= level).count();
    let level = (1..=deepest).rev().find(|level| drawn(*level) <= MOST_DRAWN).unwrap_or(1);
    let root = Node { name: "no bias".into(), contour: Some(0.5), ..Node::default() };
    let mut chart = Chart::tree(format!("Categories, {}", view.name)).size(980, 420).node(root);
    // The root is node 0, which is also the parent of those whose own is not drawn.
    let mut nodes = vec![0; rows.len()];
    for (number, (index, row)) in
        rows.iter().enumerate().filter(|(_, row)| row.level <= level).enumerate()
    {
        nodes[index] = number + 1;
        let parent = row.parent.map_or(0, |parent| nodes[parent]);
        let name = row.path.rsplit('/').next().unwrap_or_default().replace('_', " ");
        let edge = row.to_parent.unwrap_or(row.to_unbiased).tau.max(0.0);
        let contour = row.quality.and_then(ratio).map(contour);
        chart = chart.node(Node { name, parent: Some(parent), edge, contour, about: about(row) });
    }
    chart
}

/// How much more precise, of whole lists: among the first ten pages without bias there is often none that is relevant.
/// Nothing where there is nothing to be more precise than.
fn ratio(gain: Gain) -> Option<f64> {
    (gain.unbiased.whole > 0.0).then(|| gain.biased.whole / gain.unbiased.whole)
}

/// From 0 for a tenth to 1 for ten times.
fn contour(ratio: f64) -> f64 {
    f64::midpoint(1.0, ratio.clamp(0.1, 10.0).log10())
}

fn about(row: &Measured) -> String {
    let mut about = format!("{}: {} pages", row.path, row.pages);
    if let Some(parent) = row.to_parent {
        about += &format!(", Kendall to parent {:.2}", parent.tau);
    }
    about += &format!(", to unbiased {:.2}", row.to_unbiased.tau);
    if let Some(gain) = row.quality {
        about += &format!(", MAP {:.2}, unbiased {:.2}", gain.biased.first, gain.unbiased.first);
    }
    about
}

fn findings_table(findings: &[Finding]) -> Table {
    let table = ["thesis", "measured", "here", "verdict"]
        .into_iter()
        .fold(Table::new("Findings"), |table, name| table.column(name, Align::Left));
    findings.iter().fold(table, |table, finding| {
        let verdict = finding.verdict.to_string();
        table.row([finding.thesis, finding.statistic, &finding.here, &verdict])
    })
}

fn levels_table(levels: &[Level]) -> Table {
    let columns = [
        "level",
        "categories",
        "pages",
        "to unbiased",
        "to parent",
        "to siblings",
        "MAP@10",
        "unbiased",
    ];
    let table = numbers(Table::new("Means"), &columns);
    levels.iter().fold(table, |table, level| {
        table.row([
            level.level.to_string(),
            level.categories.to_string(),
            format!("{:.1}", level.pages),
            shown(level.to_unbiased),
            shown(level.to_parent),
            shown(level.to_siblings),
            shown(level.biased),
            shown(level.unbiased),
        ])
    })
}

fn categories_table(analysis: &Analysis) -> Table {
    let columns = [
        "level",
        "pages",
        "out-links",
        "children",
        "siblings",
        "to unbiased",
        "all pages",
        "to parent",
        "all pages",
        "MAP@10",
        "unbiased",
        "MAP",
        "unbiased",
    ];
    let table = numbers(Table::new("Categories").column("category", Align::Left), &columns);
    analysis.categories.iter().fold(table, |table, row| {
        table.row([
            row.path.clone(),
            row.level.to_string(),
            row.pages.to_string(),
            row.out_links.to_string(),
            row.children.to_string(),
            row.siblings.to_string(),
            shown(Some(row.to_unbiased.tau)),
            shown(Some(row.to_unbiased.all)),
            shown(row.to_parent.map(|similarity| similarity.tau)),
            shown(row.to_parent.map(|similarity| similarity.all)),
            shown(row.quality.map(|gain| gain.biased.first)),
            shown(row.quality.map(|gain| gain.unbiased.first)),
            shown(row.quality.map(|gain| gain.biased.whole)),
            shown(row.quality.map(|gain| gain.unbiased.whole)),
        ])
    })
}

fn siblings_table(analysis: &Analysis) -> Table {
    let mut pairs = analysis.siblings.clone();
    pairs.sort_by(|a, b| b.similarity.tau.total_cmp(&a.similarity.tau));
    let title = format!("Siblings, the most alike of {} pairs", pairs.len());
    let table = ["category", "sibling"]
        .into_iter()
        .fold(Table::new(title), |table, name| table.column(name, Align::Left));
    let table = numbers(table, &["Kendall", "shared", "all pages"]);
    pairs.iter().take(MOST_SIBLINGS).fold(table, |table, pair| {
        let [a, b] = [pair.a, pair.b].map(|index| analysis.categories[index].path.clone());
        let similarity = pair.similarity;
        let [tau, overlap, all] =
            [similarity.tau, similarity.overlap, similarity.all].map(|value| shown(Some(value)));
        table.row([a, b, tau, overlap, all])
    })
}

fn numbers(table: Table, columns: &[&str]) -> Table {
    columns.iter().fold(table, |table, name| table.column(*name, Align::Right))
}

fn shown(value: Option<f64>) -> String {
    value.map_or(String::new(), |value| format!("{value:.3}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::links::topics::{Precision, Similarity};

    #[test]
    fn contours_are_wider_where_bias_helps() {
        let widths = [0.01, 0.1, 1.0, 10.0, 1e9].map(contour);
        assert_eq!(widths, [0.0, 0.0, 0.5, 1.0, 1.0]);
        let precision = |first| Precision { first, whole: first };
        let gain = |unbiased| Gain { biased: precision(0.5), unbiased: precision(unbiased) };
        assert_eq!((ratio(gain(0.25)), ratio(gain(0.0))), (Some(2.0), None));
    }

    #[test]
    fn a_page_of_a_small_analysis() {
        let row = |path: &str, parent: Option<usize>| Measured {
            path: path.into(),
            level: 1 + path.matches('/').count(),
            parent,
            children: 1,
            siblings: 0,
            pages: 3,
            out_links: 4,
            to_unbiased: Similarity { tau: 0.25, ..Similarity::default() },
            to_parent: parent.map(|_| Similarity { tau: 0.75, ..Similarity::default() }),
            quality: None,
        };
        let categories = vec![row("sea", None), row("sea/spring_tides", Some(0))];
        let view = View::new("rankings", Analysis { categories, siblings: Vec::new() }, 1);
        assert_eq!(view.levels.len(), 2);
        assert_eq!(view.levels[1].to_parent, Some(0.75));
        let report = report("Topics", &[("pages", "3".into())], &[view]);
        let html = report.to_html();
        assert!(html.contains("spring tides"));
        assert!(
            html.contains("sea/spring_tides: 3 pages, Kendall to parent 0.75, to unbiased 0.25")
        );
        assert_eq!(report.figures().len(), 1);
    }
}
