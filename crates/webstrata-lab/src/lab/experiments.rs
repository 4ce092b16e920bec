//! What may explain a difference of Table 2, tried: the same row learned from blocks that are cut,
//! weighted, counted or bounded in another way.

use std::cell::OnceCell;

use serde::{Deserialize, Serialize};
use webstrata::{Class, Counts};

use super::Setup;
use super::papers::{How, Row};
use super::table_1::Reading;
use super::table_2::{BUCKET, FOLDS, judge, validate};
use crate::dataset::{Dataset, Frequencies, Problem};
use crate::examples::Examples;
use crate::measures::Measures;
use crate::report::Compared;
use crate::sets::Set;
use crate::trainers::{C48, OneR};
use crate::training::Trainer;
use webstrata_base::error::Error;

type Length = fn(&Counts) -> f64;

/// Ways to count sentences. As everywhere: sentence ends, at least 1.
const SENTENCE_LENGTHS: [(&str, Length); 4] =
    [
        ("0 where no sentence ends", |c| {
            if c.sentences == 0 { 0.0 } else { c.average_sentence_length() }
        }),
        ("sentence ends + 1", |c| f64::from(c.words) / f64::from(c.sentences + 1)),
        ("full stops, at least 1", |c| f64::from(c.words) / f64::from(c.full_stops.max(1))),
        ("full stops + 1", |c| f64::from(c.words) / f64::from(c.full_stops + 1)),
    ];

/// The smallest intervals of 1R that are tried beside [`BUCKET`]: Weka's default and others.
const BUCKETS: [f64; 4] = [6.0, 100.0, 10_000.0, 100_000.0];

/// The paper's shares of words: of two classes from its baseline, which is right for 63.8%, and of four,
/// whose baseline is right for 59.2%. Headlines are to supplemental text as 1 to 3 (Table 1).
const SHARES: [&[(Class, f64)]; 2] = [
    &[(Class::Boilerplate, 36.2), (Class::Content, 63.8)],
    &[
        (Class::Boilerplate, 36.2),
        (Class::Content, 59.2),
        (Class::Headline, 1.15),
        (Class::Supplemental, 3.45),
    ],
];

/// What one experiment measured.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Tried {
    what: String,
    measures: Measures,
    /// Was it measured on other pages?
    elsewhere: bool,
}

/// Adds what was tried to a number of Table 2.
pub(super) fn explain(row: Compared, tried: &[Tried], value: fn(&Measures) -> f64) -> Compared {
    tried.iter().fold(row, |row, tried| {
        let (what, value) = (tried.what.clone(), value(&tried.measures));
        if tried.elsewhere { row.elsewhere(what, value) } else { row.otherwise(what, value) }
    })
}

/// The pages of the set, read in other ways when a row asks for it.
pub(super) struct Experiments<'a> {
    bench: &'a Setup<'a>,
    set: &'a Set,
    readings: [(Reading, OnceCell<Dataset>); 2],
}

impl<'a> Experiments<'a> {
    pub(super) fn new(bench: &'a Setup<'a>, set: &'a Set) -> Experiments<'a> {
        let readings = [Reading::BOILERPIPE, Reading::COPIES];
        Experiments { bench, set, readings: readings.map(|reading| (reading, OnceCell::new())) }
    }

    /// Everything that fits a row. `dataset` is the set as it is read everywhere.
    pub(super) fn of(
        &self,
        row: &Row,
        problem: Problem,
        dataset: &Dataset,
    ) -> Result<Vec<Tried>, Error> {
        let indices = row.features.indices();
        let chosen = dataset.examples(problem).with_features(&indices);
        let mut all = Vec::new();
        let mut tried = |what: String, measures: Measures| {
            all.push(Tried { what, measures, elsewhere: false });
        };
        match row.name {
            "Only average sentence length" => {
                for (name, length) in SENTENCE_LENGTHS {
                    let counts = dataset.pages.iter().flat_map(|page| &page.counts);
                    let mut examples = chosen.clone();
                    examples.columns[0] = counts.map(length).collect();
                    tried(name.into(), judge(row.how, &examples, FOLDS)?.measures);
                }
            }
            "Only average word length" => {
                for min_bucket in BUCKETS {
                    let trainer = Trainer::OneR(OneR { min_bucket });
                    let what = format!("intervals of {min_bucket} words, not {BUCKET}");
                    tried(what, validate(trainer, &chosen, FOLDS)?);
                }
            }
            _ => {}
        }
        if row.how == How::C48 {
            // J48 asks for so many in both halves of a node that it divides.
            let trainer = Trainer::C48(C48 { min_leaf: 2000.0, ..C48::default() });
            tried("leaves of 2000 words".into(), validate(trainer, &chosen, FOLDS)?);
        }
        let weighted = with_shares(&chosen, SHARES[usize::from(problem == Problem::FourClass)]);
        let what = "classes weighted to the paper's shares of words";
        tried(what.into(), judge(row.how, &weighted, FOLDS)?.measures);
        for (reading, read) in &self.readings {
            if read.get().is_none() {
                let _ = read.set(reading.dataset(self.bench, self.set)?);
            }
            let examples = read.get().expect("just set").examples(problem);
            let examples = examples.with_features(&indices);
            tried(reading.name.replace("… ", ""), judge(row.how, &examples, FOLDS)?.measures);
        }
        if row.name == "C4.8 element frequency (P/C/N)" {
            for part in [2, 8] {
                let examples = with_frequencies_of(chosen.clone(), dataset, part);
                let what = format!("frequencies counted in a part of the pages, 1 of {part}");
                let measures = judge(row.how, &examples, FOLDS)?.measures;
                all.push(Tried { what, measures, elsewhere: true });
            }
        }
        Ok(all)
    }
}

/// The same examples, weighted so that the words of the classes have these shares.
fn with_shares(examples: &Examples, shares: &[(Class, f64)]) -> Examples {
    let mut examples = examples.clone();
    let mut words = vec![0.0; examples.classes.len()];
    for (label, weight) in examples.labels.iter().zip(&examples.weights) {
        words[*label as usize] += weight;
    }
    let total: f64 = words.iter().sum();
    let factor = |class: usize| {
        let share = shares.iter().find(|(known, _)| *known == examples.classes[class]);
        share.map_or(1.0, |(_, share)| share / 100.0 * total / words[class].max(1.0))
    };
    let factors: Vec<f64> = (0..words.len()).map(factor).collect();
    for (label, weight) in examples.labels.iter().zip(&mut examples.weights) {
        *weight *= factors[*label as usize];
    }
    examples
}

/// The examples of the three corpus frequencies, counted in every `part`th page only.
fn with_frequencies_of(mut examples: Examples, dataset: &Dataset, part: usize) -> Examples {
    let pages = dataset.pages.iter().step_by(part).cloned().collect();
    let counted = Dataset { name: dataset.name.clone(), gold: dataset.gold, pages };
    let frequencies = Frequencies::of(&[&counted]);
    let [mut own, mut above, mut below] = [Vec::new(), Vec::new(), Vec::new()];
    for page in &dataset.pages {
        let here = frequencies.on(page);
        let at = |block: Option<usize>| block.and_then(|b| here.get(b)).copied().unwrap_or(0.0);
        for (block, frequency) in here.iter().enumerate() {
            own.push(*frequency);
            above.push(at(block.checked_sub(1)));
            below.push(at(Some(block + 1)));
        }
    }
    examples.columns = vec![own, above, below];
    examples
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_have_the_shares_asked_for() {
        let examples = Examples {
            classes: vec![Class::Boilerplate, Class::Content],
            labels: vec![0, 1, 1],
            weights: vec![10.0, 5.0, 15.0],
            ..Examples::default()
        };
        let weighted =
            with_shares(&examples, &[(Class::Boilerplate, 60.0), (Class::Content, 40.0)]);
        assert_eq!(weighted.weights, [18.0, 3.0, 9.0]);
    }
}
