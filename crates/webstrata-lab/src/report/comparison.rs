//! The paper's numbers beside ours.
//!
//! A difference is explained by experiments only: the same number measured in another way, or on another
//! corpus. The row is given what they measured, and finds out by itself whether they explain anything.

use std::fmt;
use std::iter::Sum;

use serde::Serialize;

use crate::plot::{Chart, Dots, label};

/// A table of numbers: the paper's, ours, the difference, and why there is one.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Comparison {
    pub(super) title: String,
    pub(super) rows: Vec<Compared>,
}

/// One number of a paper beside ours.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Compared {
    pub(super) name: String,
    pub(super) paper: Option<f64>,
    pub(super) ours: Option<f64>,
    pub(super) difference: Option<f64>,
    pub(super) tolerance: f64,
    #[serde(skip)]
    pub(super) decimals: usize,
    pub(super) verdict: Verdict,
    /// Does an experiment explain the difference?
    pub(super) tested: bool,
    pub(super) why: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    experiments: Vec<Experiment>,
}

/// The same number, measured in another way.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Experiment {
    what: String,
    ours: f64,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    /// On the same pages. It explains the difference if it agrees with the paper.
    Otherwise,
    /// On other pages. It explains the difference if the number moves at least as far between two
    /// corpora at hand as between the paper's and ours.
    Elsewhere,
}

/// What the difference says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Verdict {
    Within,
    Above,
    Below,
    /// One of the two is missing.
    #[default]
    Unknown,
}

/// How many numbers agree, of those that both sides have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Agreement {
    /// Numbers whose difference is within its tolerance.
    pub within: usize,
    /// Numbers that differ for a reason that an experiment of the same run shows.
    pub tested: usize,
    /// All numbers that the paper and we have.
    pub of: usize,
}

impl Comparison {
    /// A comparison without rows.
    pub fn new(title: impl Into<String>) -> Comparison {
        Comparison { title: title.into(), rows: Vec::new() }
    }

    /// Adds a number.
    pub fn row(mut self, row: Compared) -> Comparison {
        self.rows.push(row);
        self
    }

    /// The table's title.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// How many numbers agree.
    pub fn agreement(&self) -> Agreement {
        let one = |row: &Compared| Agreement {
            within: usize::from(row.verdict == Verdict::Within),
            tested: usize::from(row.tested),
            of: usize::from(row.verdict != Verdict::Unknown),
        };
        self.rows.iter().map(one).sum()
    }

    /// The rows that differ by more than their tolerance, and no experiment says why: work for somebody.
    pub fn unexplained(&self) -> impl Iterator<Item = &str> {
        let unexplained = |row: &&Compared| row.verdict.is_marked() && !row.tested;
        self.rows.iter().filter(unexplained).map(|row| row.name.as_str())
    }

    /// The same numbers measured in another way, as experiments of rows with the same names.
    pub fn otherwise(mut self, what: &str, other: &Comparison) -> Comparison {
        self.add(what, other, Kind::Otherwise);
        self
    }

    /// The same numbers of another corpus.
    pub(super) fn add_elsewhere(&mut self, corpus: &str, other: &Comparison) {
        self.add(corpus, other, Kind::Elsewhere);
    }

    fn add(&mut self, what: &str, other: &Comparison, kind: Kind) {
        for row in &mut self.rows {
            let same = other.rows.iter().find(|theirs| theirs.name == row.name);
            let ours = same.and_then(|theirs| theirs.ours);
            *row = std::mem::take(row).experiment(what.to_owned(), ours, kind);
        }
    }

    /// The same as a picture. Rows should measure the same thing.
    pub fn chart(&self) -> Chart<Dots> {
        let chart = Chart::dots(self.title.clone(), ["paper", "ours"]);
        self.rows
            .iter()
            .fold(chart, |chart, row| chart.row(row.name.clone(), [row.paper, row.ours]))
    }
}

impl Compared {
    /// A number that neither side has yet; differences up to 0.01 are within tolerance, and three
    /// decimals are shown.
    pub fn new(name: impl Into<String>) -> Compared {
        Compared { name: name.into(), tolerance: 0.01, decimals: 3, ..Compared::default() }
    }

    /// What the paper says. A number that is none counts as missing.
    pub fn paper(self, paper: impl Into<Option<f64>>) -> Compared {
        let paper = paper.into().filter(|value| value.is_finite());
        Compared { paper, ..self }.judged()
    }

    /// What we measure.
    pub fn ours(self, ours: impl Into<Option<f64>>) -> Compared {
        let ours = ours.into().filter(|value| value.is_finite());
        Compared { ours, ..self }.judged()
    }

    /// The largest difference that is none worth a mark.
    pub fn tolerance(self, tolerance: f64) -> Compared {
        Compared { tolerance, ..self }.judged()
    }

    /// How many decimals are shown.
    pub fn decimals(self, decimals: usize) -> Compared {
        Compared { decimals: decimals.min(12), ..self }.judged()
    }

    /// An experiment: the same number of the same pages, measured in another way. It explains a
    /// difference if it agrees with the paper.
    pub fn otherwise(self, what: impl Into<String>, ours: impl Into<Option<f64>>) -> Compared {
        self.experiment(what.into(), ours.into(), Kind::Otherwise)
    }

    /// An experiment: the same number of another corpus. It explains a difference if the number moves
    /// at least as far from this corpus to that one as from this one to the paper's.
    pub fn elsewhere(self, corpus: impl Into<String>, ours: impl Into<Option<f64>>) -> Compared {
        self.experiment(corpus.into(), ours.into(), Kind::Elsewhere)
    }

    fn experiment(mut self, what: String, ours: Option<f64>, kind: Kind) -> Compared {
        let ours = ours.filter(|value| value.is_finite());
        self.experiments.extend(ours.map(|ours| Experiment { what, ours, kind }));
        self.judged()
    }

    fn judged(mut self) -> Compared {
        self.difference = self.ours.zip(self.paper).map(|(ours, paper)| ours - paper);
        // 0.91 − 0.90 is a little more than 0.01.
        let limit = self.tolerance.abs() * (1.0 + 1e-9) + 1e-12;
        self.verdict = match self.difference {
            None => Verdict::Unknown,
            Some(difference) if difference > limit => Verdict::Above,
            Some(difference) if difference < -limit => Verdict::Below,
            Some(_) => Verdict::Within,
        };
        (self.tested, self.why) = self.reason(limit);
        self
    }

    /// Whether an experiment explains the difference, and what to say of it.
    fn reason(&self, limit: f64) -> (bool, String) {
        let (Some(paper), Some(ours)) = (self.paper, self.ours) else { return Default::default() };
        if !self.verdict.is_marked() {
            return Default::default();
        }
        let explains = |experiment: &&Experiment| match experiment.kind {
            Kind::Otherwise => (experiment.ours - paper).abs() <= limit,
            Kind::Elsewhere => (experiment.ours - ours).abs() >= (paper - ours).abs(),
        };
        let said = |experiment: &Experiment| {
            let value = self.shown(Some(experiment.ours));
            match experiment.kind {
                Kind::Otherwise => format!("{}: {value}", experiment.what),
                Kind::Elsewhere => format!("on {}: {value}", experiment.what),
            }
        };
        if let Some(experiment) = self.experiments.iter().find(explains) {
            let said = said(experiment);
            return (
                true,
                match experiment.kind {
                    Kind::Otherwise => format!("agrees with {said}"),
                    Kind::Elsewhere => format!("moves with the corpus; {said}"),
                },
            );
        }
        if self.experiments.is_empty() {
            return (false, "unexplained".to_owned());
        }
        let tried: Vec<String> = self.experiments.iter().map(said).collect();
        (false, format!("unexplained; {}", tried.join("; ")))
    }

    /// A value as it is shown; `–` where there is none.
    pub(super) fn shown(&self, value: Option<f64>) -> String {
        value.map_or("–".into(), |value| label(value, self.decimals))
    }

    /// The difference as it is shown: with its sign, and a mark where it is beyond tolerance.
    pub(super) fn shown_difference(&self) -> String {
        let Some(difference) = self.difference else { return "–".into() };
        let number = self.shown(Some(difference));
        let digits = number.trim_start_matches('−');
        let is_zero = !digits.contains(|c: char| ('1'..='9').contains(&c));
        let plus = if difference > 0.0 && !is_zero { "+" } else { "" };
        let mark = match self.verdict {
            Verdict::Above => "▲ ",
            Verdict::Below => "▼ ",
            Verdict::Within | Verdict::Unknown => "",
        };
        format!("{mark}{plus}{number}")
    }
}

impl Verdict {
    pub(super) fn is_marked(self) -> bool {
        matches!(self, Verdict::Above | Verdict::Below)
    }
}

impl Sum for Agreement {
    fn sum<I: Iterator<Item = Agreement>>(all: I) -> Agreement {
        all.fold(Agreement::default(), |sum, one| Agreement {
            within: sum.within + one.within,
            tested: sum.tested + one.tested,
            of: sum.of + one.of,
        })
    }
}

impl fmt::Display for Agreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unexplained = self.of - self.within - self.tested;
        write!(
            f,
            "{} of {} agree, {} differ for a tested reason, ",
            self.within, self.of, self.tested
        )?;
        write!(f, "{unexplained} differ unexplained")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(paper: f64, ours: f64) -> Compared {
        Compared::new("F1").paper(paper).ours(ours)
    }

    #[test]
    fn differences() {
        assert_eq!(row(0.90, 0.91).shown_difference(), "+0.010");
        assert_eq!(row(0.90, 0.911).shown_difference(), "▲ +0.011");
        assert_eq!(row(0.90, 0.85).shown_difference(), "▼ −0.050");
        assert_eq!(row(0.90, 0.9001).shown_difference(), "0.000");
        assert_eq!(row(0.90, 0.8999).shown_difference(), "0.000");
        assert_eq!(row(12_000.0, 12_500.0).decimals(0).shown_difference(), "▲ +500");
        assert_eq!(row(12_000.0, 12_500.0).tolerance(500.0).verdict, Verdict::Within);
        assert_eq!(Compared::new("x").ours(1.0).shown_difference(), "–");
        assert_eq!(row(f64::NAN, 1.0).shown(None), "–");
        assert_eq!(row(f64::NAN, 1.0).verdict, Verdict::Unknown);
    }

    #[test]
    fn agreement_and_what_is_unexplained() {
        let comparison = Comparison::new("Table 2")
            .row(row(0.9, 0.9))
            .row(row(0.9, 0.8).otherwise("fewer pages", 0.895))
            .row(Compared { name: "AuC".into(), ..row(0.9, 0.8) }.otherwise("more pages", 0.85))
            .row(Compared::new("missing").paper(0.5));
        let agreement = comparison.agreement();
        assert_eq!(agreement, Agreement { within: 1, tested: 1, of: 3 });
        let text = "1 of 3 agree, 1 differ for a tested reason, 1 differ unexplained";
        assert_eq!(agreement.to_string(), text);
        assert_eq!(comparison.unexplained().collect::<Vec<_>>(), ["AuC"]);
        assert!(comparison.chart().to_svg().contains("<title>AuC, paper: 0.9</title>"));
    }

    #[test]
    fn experiments_explain_only_what_they_reach() {
        let why = |row: Compared| (row.tested, row.why);
        // The order of calls does not matter.
        let late = Compared::new("F1").otherwise("as cut", 0.891).paper(0.9).ours(0.8).decimals(2);
        assert_eq!(why(late), (true, "agrees with as cut: 0.89".into()));
        let near = row(0.9, 0.8).otherwise("as cut", 0.85).otherwise("as read", f64::NAN);
        assert_eq!(why(near), (false, "unexplained; as cut: 0.850".into()));
        let moves = |other: f64| why(row(0.9, 0.8).elsewhere("the quay", other));
        assert_eq!(moves(0.95), (true, "moves with the corpus; on the quay: 0.950".into()));
        // In either direction: the number is one of the corpus.
        assert!(moves(0.69).0 && !moves(0.85).0);
        assert_eq!(why(row(0.9, 0.8)), (false, "unexplained".into()));
        // What agrees needs no reason, and what is missing has none.
        assert_eq!(why(row(0.9, 0.9).otherwise("as cut", 0.9)), (false, String::new()));
        assert_eq!(
            why(Compared::new("x").ours(0.9).elsewhere("quay", 0.1)),
            (false, String::new())
        );
    }

    #[test]
    fn numbers_of_another_corpus_come_by_name() {
        let mut ours = Comparison::new("Table").row(row(0.9, 0.5)).row(row(0.9, 0.89));
        ours.rows[1].name = "other".into();
        let other = Comparison::new("Table").row(row(0.9, 0.95));
        // It does not agree with the paper's, but it moves.
        assert_eq!(ours.clone().otherwise("at the quay", &other).agreement().tested, 0);
        ours.add_elsewhere("the quay", &other);
        assert_eq!(ours.agreement(), Agreement { within: 1, tested: 1, of: 2 });
    }
}
