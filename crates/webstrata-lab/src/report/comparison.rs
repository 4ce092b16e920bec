//! The paper's numbers beside ours.

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
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Compared {
    pub(super) name: String,
    pub(super) paper: Option<f64>,
    pub(super) ours: Option<f64>,
    pub(super) difference: Option<f64>,
    pub(super) tolerance: f64,
    #[serde(skip)]
    pub(super) decimals: usize,
    pub(super) verdict: Verdict,
    pub(super) why: String,
}

/// What the difference says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Verdict {
    Within,
    Above,
    Below,
    /// One of the two is missing.
    Unknown,
}

/// How many numbers agree, of those that both sides have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Agreement {
    /// Numbers whose difference is within its tolerance.
    pub within: usize,
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
            of: usize::from(row.verdict != Verdict::Unknown),
        };
        self.rows.iter().map(one).sum()
    }

    /// The rows that differ by more than their tolerance and do not say why: work for somebody.
    pub fn unexplained(&self) -> impl Iterator<Item = &str> {
        let unexplained = |row: &&Compared| row.verdict.is_marked() && row.why.trim().is_empty();
        self.rows.iter().filter(unexplained).map(|row| row.name.as_str())
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
        Compared {
            name: name.into(),
            paper: None,
            ours: None,
            difference: None,
            tolerance: 0.01,
            decimals: 3,
            verdict: Verdict::Unknown,
            why: String::new(),
        }
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
        Compared { decimals: decimals.min(12), ..self }
    }

    /// Why the two differ.
    pub fn why(self, why: impl Into<String>) -> Compared {
        Compared { why: why.into(), ..self }
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
        self
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
            of: sum.of + one.of,
        })
    }
}

impl fmt::Display for Agreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.within, self.of)
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
            .row(row(0.9, 0.8).why("fewer pages"))
            .row(Compared { name: "AuC".into(), ..row(0.9, 0.8) })
            .row(Compared::new("missing").paper(0.5));
        assert_eq!(comparison.agreement(), Agreement { within: 1, of: 3 });
        assert_eq!(comparison.unexplained().collect::<Vec<_>>(), ["AuC"]);
        assert!(comparison.chart().to_svg().contains("<title>AuC, paper: 0.9</title>"));
    }
}
