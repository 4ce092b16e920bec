//! The results as tables, as JSON and as a report.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde::Serialize;
use webstrata_lab::report::{Align, Section, Table};
use webstrata_lab::scores::statistics::mean;
use webstrata_lab::{Chart, Report};
use webstrata_site::url_tree::Heuristic;

use super::line::{Found, Recorded};
use super::methods::{Methods, Outcome, Score};
use super::tuning::{self, Tried};
use webstrata_terminal::style::{Paint, Style};

/// The version of the JSON's shape.
const VERSION: u32 = 1;
/// Pages of a domain after which its template should be known.
const LEARNED: u32 = 10;
/// Points of a curve.
const POINTS: usize = 200;
/// Curves that can be told apart in one chart.
const TOGETHER: usize = 8;
/// The three steps of URL keys.
const STEPS: [&str; 3] = ["response URL", "title, one way of writing", "rules"];

#[derive(Serialize)]
pub(super) struct Results {
    version: u32,
    /// Pages with a gold text that were extracted.
    pages: usize,
    planted_duplicates: usize,
    /// What each step of URL keys found.
    duplicates: [Found; 3],
    methods: Vec<Method>,
    domains: Vec<Domain>,
    tree: Tree,
    /// What each N reaches, where it was tried.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tuning: Vec<Tried>,
}

#[derive(Serialize)]
struct Method {
    name: String,
    lcs: f64,
    bag: f64,
    lcs_after_10: f64,
    bag_after_10: f64,
    /// Of the longest common subsequence.
    precision: f64,
    recall: f64,
    /// F1 (bag) of the first page of a domain, of pages 2 to 10, 11 to 100, and beyond.
    bag_by_seen: [f64; 4],
}

#[derive(Serialize)]
struct Domain {
    name: String,
    pages: usize,
    /// F1 (lcs) of each method.
    lcs: Vec<f64>,
}

#[derive(Serialize)]
struct Tree {
    documents: usize,
    bytes: usize,
    megabytes_per_1000: f64,
}

impl Results {
    pub(super) fn of(methods: &Methods, recorded: &Recorded, outcomes: &[Outcome]) -> Results {
        let method = |(index, name): (usize, String)| {
            let of = |measure: fn(Score) -> f64, from: u32, to: u32| {
                let some = outcomes.iter().filter(|one| (from..=to).contains(&one.seen));
                let scores = some.filter_map(|one| one.scores[index]);
                mean(&scores.map(measure).collect::<Vec<_>>())
            };
            let all = u32::MAX;
            let lcs = |score: Score| score.lcs;
            let bag = |score: Score| score.bag;
            Method {
                name,
                lcs: of(lcs, 0, all),
                bag: of(bag, 0, all),
                lcs_after_10: of(lcs, LEARNED + 1, all),
                bag_after_10: of(bag, LEARNED + 1, all),
                precision: of(|score| score.precision, 0, all),
                recall: of(|score| score.recall, 0, all),
                bag_by_seen: [of(bag, 1, 1), of(bag, 2, 10), of(bag, 11, 100), of(bag, 101, all)],
            }
        };
        let mut domains: BTreeMap<&str, Vec<&Outcome>> = BTreeMap::new();
        outcomes.iter().for_each(|one| domains.entry(&one.domain).or_default().push(one));
        let names = methods.names();
        let domain = |(name, pages): (&str, Vec<&Outcome>)| Domain {
            name: name.to_owned(),
            pages: pages.len(),
            lcs: (0..names.len())
                .map(|index| {
                    let scores = pages.iter().filter_map(|one| one.scores[index]);
                    mean(&scores.map(|score| score.lcs).collect::<Vec<_>>())
                })
                .collect(),
        };
        let tree = &methods.strata_tree;
        let bytes = tree.allocated();
        Results {
            version: VERSION,
            pages: outcomes.len(),
            planted_duplicates: recorded.planted,
            duplicates: recorded.found,
            methods: names.iter().cloned().enumerate().map(method).collect(),
            domains: domains.into_iter().map(domain).collect(),
            tree: Tree {
                documents: tree.len(),
                bytes,
                megabytes_per_1000: bytes as f64 / 1e3 / tree.len().max(1) as f64,
            },
            tuning: tuning::tried(&methods.heuristics(), outcomes),
        }
    }

    pub(super) fn table(&self, style: Style) -> String {
        let mut text = String::new();
        let head = |text: &str| style.paint(Paint::Heading, text).to_string();
        let aside = |text: &str| style.paint(Paint::Aside, text).to_string();
        // Writing to a string cannot fail.
        let _ =
            writeln!(text, "{}", head(&format!("Duplicates, {} planted", self.planted_duplicates)));
        let _ = writeln!(
            text,
            "{}",
            aside(&format!("{:28}{:>9}{:>8}{:>8}", "URL keys after", "repeated", "right", "wrong"))
        );
        for (step, found) in STEPS.iter().zip(&self.duplicates) {
            let Found { repeated, right, wrong } = found;
            let _ = writeln!(text, "{step:28}{repeated:>9}{right:>8}{wrong:>8}");
        }
        let _ = writeln!(text, "\n{}", head(&format!("F1 of {} pages", self.pages)));
        let columns = [
            "lcs", "bag", "prec.", "recall", "lcs>10", "bag>10", "first", "2-10", "11-100", ">100",
        ];
        let columns: String = columns.iter().map(|name| format!("{name:>8}")).collect();
        let _ = writeln!(text, "{}", aside(&format!("{:24}{columns}", "")));
        for method in &self.methods {
            let _ = write!(text, "{:24}", method.name);
            for value in method.numbers() {
                let _ = write!(text, "{value:>8.4}");
            }
            text.push('\n');
        }
        if !self.tuning.is_empty() {
            let _ = writeln!(text, "\n{}", head("N, tried (F1 by lcs)"));
            let columns = ["tuning", "rest", "prec.", "recall"];
            let columns: String = columns.iter().map(|name| format!("{name:>9}")).collect();
            let columns = format!("{:24}{columns}{:>8}{:>9}{:>9}", "", "pages", "there", "strict");
            let _ = writeln!(text, "{}", aside(&columns));
            text += &tuning::text(&self.tuning);
        }
        let _ = writeln!(text, "\n{}", head("F1 by domain (lcs)"));
        let _ = write!(text, "{}", aside(&format!("{:30}{:>6}", "", "pages")));
        for method in &self.methods {
            let short = short(&method.name);
            let _ = write!(text, "{}", aside(&format!("{short:>13}")));
        }
        text.push('\n');
        for domain in &self.domains {
            let _ = write!(text, "{:30}{:>6}", domain.name, domain.pages);
            domain.lcs.iter().for_each(|value| {
                let _ = write!(text, "{value:>13.4}");
            });
            text.push('\n');
        }
        let Tree { documents, megabytes_per_1000, .. } = &self.tree;
        let _ = writeln!(
            text,
            "\nThe tree of strata+site holds {documents} documents, {megabytes_per_1000:.2} MB for 1,000 of them."
        );
        text
    }

    /// The figures and tables of the paper's section 5.
    pub(super) fn report(&self, outcomes: &[Outcome]) -> Report {
        let mut duplicates = Chart::bars("Duplicates found by URL keys").x_label("pages");
        for (step, found) in STEPS.iter().zip(&self.duplicates) {
            duplicates = duplicates.bar(*step, found.repeated as f64);
        }
        let mut table = Table::new("F1").column("method", Align::Left);
        for name in [
            "lcs",
            "bag",
            "precision",
            "recall",
            "lcs after 10",
            "bag after 10",
            "bag, first",
            "2-10",
            "11-100",
            "over 100",
        ] {
            table = table.column(name, Align::Right);
        }
        for method in &self.methods {
            let numbers = method.numbers().into_iter().map(|value| format!("{value:.4}"));
            table = table.row([method.name.clone()].into_iter().chain(numbers));
        }
        Report::new("A stream of pages, replayed")
            .about("The evaluation of the URL Tree paper (section 5) on a recorded stream.")
            .fact("pages", self.pages.to_string())
            .fact("planted duplicates", self.planted_duplicates.to_string())
            .fact(
                "memory for 1,000 documents",
                format!("{:.2} MB (paper: 6.5)", self.tree.megabytes_per_1000),
            )
            .section(Section::new("Duplicates").figure(
                "Figure 2: pages whose address was there before, after each step.",
                &duplicates,
            ))
            .section(self.extraction(table, outcomes))
            .section(self.by_domain(outcomes))
    }

    /// Figure 5: as many charts as it takes to tell the curves apart, `strict` in each.
    fn extraction(&self, table: Table, outcomes: &[Outcome]) -> Section {
        let mut section = Section::new("Extraction").table(table);
        if !self.tuning.is_empty() {
            section = section.table(tuning::table(&self.tuning));
        }
        // Of heuristics that were tried with many N, the paper's.
        let is_tried = |name: &str| {
            let paper = Heuristic::PAPER.iter().any(|one| one.to_string() == name);
            let sized = name.contains("-support-") || name.contains("-domain-");
            sized && !paper && !self.tuning.is_empty()
        };
        let shown: Vec<usize> =
            (0..self.methods.len()).filter(|index| !is_tried(&self.methods[*index].name)).collect();
        let Some((first, others)) = shown.split_first() else { return section };
        for (number, part) in others.chunks(TOGETHER - 1).enumerate() {
            let mut chart = curves(&format!("All domains, part {}", number + 1));
            for index in std::iter::once(first).chain(part) {
                let points = cumulative(outcomes.iter(), *index);
                chart = chart.series(&self.methods[*index].name, points);
            }
            section = section.figure("Figure 5: cumulative F1 (lcs) over all pages.", &chart);
        }
        section
    }

    fn by_domain(&self, outcomes: &[Outcome]) -> Section {
        let mut section = Section::new("Domains");
        for (index, method) in self.methods.iter().enumerate() {
            // The paper's Figure 4 is of `strict`; ours is beside it.
            if !["strict", "strata", "strata+site"].contains(&&*method.name) {
                continue;
            }
            let mut chart = curves(&format!("Each domain, {}", method.name));
            let mut domains: Vec<&Domain> = self.domains.iter().collect();
            domains.sort_by_key(|domain| std::cmp::Reverse(domain.pages));
            for (place, domain) in domains.into_iter().enumerate() {
                let own = outcomes.iter().filter(|one| one.domain == domain.name);
                let points = cumulative(own, index);
                chart = if place < TOGETHER {
                    chart.series(&domain.name, points)
                } else {
                    chart.quiet_series(&domain.name, points)
                };
            }
            section = section.figure(
                format!(
                    "Figure 4: cumulative F1 (lcs) of each domain, {}; those with most pages by name, \
                     the others in grey.",
                    method.name
                ),
                &chart,
            );
        }
        let mut table =
            Table::new("F1 (lcs)").column("domain", Align::Left).column("pages", Align::Right);
        for method in &self.methods {
            table = table.column(&method.name, Align::Right);
        }
        for domain in &self.domains {
            let scores = domain.lcs.iter().map(|value| format!("{value:.3}"));
            table = table
                .row([domain.name.clone(), domain.pages.to_string()].into_iter().chain(scores));
        }
        section.table(table)
    }
}

impl Method {
    fn numbers(&self) -> Vec<f64> {
        let mut numbers = vec![self.lcs, self.bag, self.precision, self.recall];
        numbers.extend([self.lcs_after_10, self.bag_after_10]);
        numbers.extend(self.bag_by_seen);
        numbers
    }
}

fn short(name: &str) -> &str {
    match name.get(..12) {
        Some(start) if name.len() > 12 => start,
        _ => name,
    }
}

fn curves(title: &str) -> Chart<webstrata_lab::plot::Lines> {
    Chart::lines(title)
        .x_label("pages")
        .y_label("cumulative F1")
        .log_x()
        .y_range(0.4, 1.0)
        .size(760, 460)
}

/// The mean up to each page (Equation 4), at points that lie evenly on a logarithmic axis.
fn cumulative<'a>(outcomes: impl Iterator<Item = &'a Outcome>, method: usize) -> Vec<(f64, f64)> {
    let mut sum = 0.0;
    let means: Vec<f64> = outcomes
        .filter_map(|one| one.scores[method])
        .enumerate()
        .map(|(index, one)| {
            sum += one.lcs;
            sum / (index + 1) as f64
        })
        .collect();
    let mut points = Vec::new();
    let mut last = 0;
    for point in 0..=POINTS {
        let at = (means.len() as f64).powf(point as f64 / POINTS as f64).round() as usize;
        if at > last && at <= means.len() {
            points.push((at as f64, means[at - 1]));
            last = at;
        }
    }
    points
}
