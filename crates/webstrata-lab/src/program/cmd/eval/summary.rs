//! The scores of many pages in a few numbers, and as JSON.

use serde::Serialize;
use webstrata_lab::scores::statistics::{interval, mean, median};
use webstrata_lab::scores::{Measure, Score, Scores, Shingles};

use super::{Author, Row, Scored};

/// The version of the JSON object.
const VERSION: u32 = 1;

/// Everything that was measured.
#[derive(Serialize)]
pub(super) struct Evaluation {
    version: u32,
    measure: &'static str,
    sample: Option<usize>,
    pub(super) sets: Vec<Summary>,
}

/// A set.
#[derive(Serialize)]
pub(super) struct Summary {
    pub(super) set: String,
    pub(super) pages: usize,
    digest: String,
    /// The best first.
    pub(super) rows: Vec<RowSummary>,
}

/// An extractor or tool on a set.
#[derive(Serialize)]
pub(super) struct RowSummary {
    #[serde(rename = "extractor")]
    pub(super) label: String,
    /// Are its texts ours, or those of `--outputs`?
    is_ours: bool,
    pub(super) pages: usize,
    /// Of the main measure.
    pub(super) mean: f64,
    pub(super) median: f64,
    pub(super) interval: (f64, f64),
    pub(super) means: Means,
}

/// The means of all measures.
#[derive(Serialize)]
pub(super) struct Means {
    bag: ScoreOf,
    lcs: ScoreOf,
    rouge: ScoreOf,
    /// The micro average.
    shingle: ScoreOf,
    cosine: f64,
}

/// [`Score`] as JSON.
#[derive(Serialize)]
struct ScoreOf {
    precision: f64,
    recall: f64,
    f1: f64,
}

impl Evaluation {
    pub(super) fn new(measure: Measure, sample: Option<usize>) -> Evaluation {
        Evaluation { version: VERSION, measure: measure.name(), sample, sets: Vec::new() }
    }

    pub(super) fn json(&self) -> anyhow::Result<Vec<u8>> {
        let mut json = serde_json::to_vec_pretty(self)?;
        json.push(b'\n');
        Ok(json)
    }
}

impl Summary {
    pub(super) fn of(scored: &Scored<'_>, measure: Measure) -> Summary {
        let mut rows: Vec<_> = scored.rows.iter().map(|row| RowSummary::of(row, measure)).collect();
        rows.sort_by(|a, b| b.mean.total_cmp(&a.mean));
        let digest = scored.digest.clone();
        Summary { set: scored.set.name.clone(), pages: scored.pages, digest, rows }
    }
}

impl RowSummary {
    fn of(row: &Row<'_>, measure: Measure) -> RowSummary {
        let values: Vec<f64> = row.scores.iter().map(|scores| scores.value(measure)).collect();
        RowSummary {
            label: row.author.label().to_owned(),
            is_ours: matches!(row.author, Author::Ours(_)),
            pages: values.len(),
            mean: mean(&values),
            median: median(&values),
            interval: interval(&values),
            means: Means::of(&row.scores),
        }
    }
}

impl Means {
    fn of(scores: &[Scores]) -> Means {
        let mean_of = |score: fn(&Scores) -> Score| {
            let mean_of = |part: fn(Score) -> f64| {
                mean(&scores.iter().map(|scores| part(score(scores))).collect::<Vec<f64>>())
            };
            ScoreOf {
                precision: mean_of(|score| score.precision),
                recall: mean_of(|score| score.recall),
                f1: mean_of(|score| score.f1),
            }
        };
        Means {
            bag: mean_of(|scores| scores.bag),
            lcs: mean_of(|scores| scores.lcs),
            rouge: mean_of(|scores| scores.rouge),
            shingle: Shingles::sum(scores.iter().map(|scores| scores.shingles)).score().into(),
            cosine: mean(&scores.iter().map(|scores| scores.cosine).collect::<Vec<f64>>()),
        }
    }

    pub(super) fn value(&self, measure: Measure) -> f64 {
        match measure {
            Measure::Bag => self.bag.f1,
            Measure::Lcs => self.lcs.f1,
            Measure::Rouge => self.rouge.f1,
            Measure::Shingle => self.shingle.f1,
            Measure::Cosine => self.cosine,
        }
    }
}

impl From<Score> for ScoreOf {
    fn from(Score { precision, recall, f1 }: Score) -> ScoreOf {
        ScoreOf { precision, recall, f1 }
    }
}

/// A line of JSON for every page of every row.
pub(super) fn per_page(scored: &Scored<'_>) -> anyhow::Result<Vec<u8>> {
    #[derive(Serialize)]
    struct Line<'a> {
        set: &'a str,
        extractor: &'a str,
        id: &'a str,
        bag: ScoreOf,
        lcs: ScoreOf,
        rouge: ScoreOf,
        shingle: ScoreOf,
        cosine: f64,
    }
    let mut lines = Vec::new();
    for row in &scored.rows {
        for (page, scores) in row.pages.iter().zip(&row.scores) {
            let line = Line {
                set: &scored.set.name,
                extractor: row.author.label(),
                id: &scored.set.entries[*page].id,
                bag: scores.bag.into(),
                lcs: scores.lcs.into(),
                rouge: scores.rouge.into(),
                shingle: scores.shingles.score().into(),
                cosine: scores.cosine,
            };
            serde_json::to_writer(&mut lines, &line)?;
            lines.push(b'\n');
        }
    }
    Ok(lines)
}
