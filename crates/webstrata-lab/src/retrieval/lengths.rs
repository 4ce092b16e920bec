//! Why there is a plateau or none: how good minima of words are where there is text for them.
//!
//! The paper's precision is the same for every minimum from 11 to 100 words. A page without a block as long as the
//! minimum cannot be found at all; so queries whose answers all have a block of a hundred words are looked at alone.

use std::collections::HashMap;

use super::report::minima;
use super::sliding::{Outcomes, Variant};
use super::trec::{Judgements, Topic};
use crate::report::{Align, Section, Table};

/// Where the paper's plateau begins and ends.
const PLATEAU: [u32; 2] = [11, 100];

/// The words of the longest block of each document.
#[derive(Clone, Debug, Default)]
pub struct Lengths(HashMap<String, u32>);

impl Lengths {
    /// Of documents and the words of their longest blocks.
    pub fn new(longest: impl IntoIterator<Item = (String, u32)>) -> Lengths {
        Lengths(longest.into_iter().collect())
    }

    /// Which queries can be answered in full by blocks of so many words.
    fn answerable(&self, topics: &[Topic], judgements: &Judgements, least: u32) -> Vec<bool> {
        let is_long = |document: &str| self.0.get(document).is_some_and(|words| *words >= least);
        topics
            .iter()
            .map(|topic| {
                let mut answers = judgements.graded(&topic.id).filter(|(_, grade)| *grade > 0);
                answers.all(|(document, _)| is_long(document))
            })
            .collect()
    }

    /// The share of documents with a block of so many words, in percent.
    fn with(&self, least: u32) -> f64 {
        let long = self.0.values().filter(|words| **words >= least).count();
        100.0 * long as f64 / self.0.len().max(1) as f64
    }

    /// The minima from 11 to 100 words: of all queries, and of those that have text for them.
    pub fn section(&self, topics: &[Topic], judgements: &Judgements, found: &Outcomes) -> Section {
        let alone = found.of_queries(&self.answerable(topics, judgements, PLATEAU[1]));
        let measure = found.measure;
        let value = |found: &Outcomes, least: u32| {
            let outcome =
                found.outcomes.iter().find(|outcome| outcome.variant == Variant::Words(least));
            outcome.map(|outcome| outcome.mean.get(measure))
        };
        let mut table = Table::new("Minimum number of words and what is left to search")
            .column("minimum", Align::Right)
            .column("pages with such a block, %", Align::Right)
            .column(format!("{}, {} queries", measure.name(), found.queries), Align::Right)
            .column(format!("{}, {} queries", measure.name(), alone.queries), Align::Right);
        let mut shown: Vec<u32> = minima(found).collect();
        let tenth = shown.len().div_ceil(12).max(1);
        let last = shown.last().copied();
        shown = shown.into_iter().step_by(tenth).collect();
        shown.extend(last.filter(|last| shown.last() != Some(last)));
        for least in shown {
            let cell =
                |value: Option<f64>| value.map_or("–".into(), |value| format!("{value:.4}"));
            table = table.row([
                least.to_string(),
                format!("{:.1}", self.with(least)),
                cell(value(found, least)),
                cell(value(&alone, least)),
            ]);
        }
        // Where only every nth minimum was asked, the ones within.
        let within = || minima(found).filter(|least| (PLATEAU[0]..=PLATEAU[1]).contains(least));
        let ends = within().min().zip(within().max());
        let fall = |found: &Outcomes| {
            let (first, last) = ends?;
            let (first, last) = (value(found, first)?, value(found, last)?);
            (first > 0.0).then(|| 100.0 * (last - first) / first)
        };
        let percent = |fall: Option<f64>| {
            fall.map_or("–".into(), |fall| crate::plot::label(fall, 0).replace("−0", "0"))
        };
        let (first, last) = ends.unwrap_or_default();
        Section::new("Is there a plateau from 11 to 100 words?")
            .text(format!(
                "The paper's precision is the same for every minimum from 11 to 100 words. From {first} to {last} words {} \
                 changes here by {} % over all queries, and by {} % over the {} queries whose answers all have a block of at \
                 least {} words.",
                measure.name(),
                percent(fall(found)),
                percent(fall(&alone)),
                alone.queries,
                PLATEAU[1]
            ))
            .table(table)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::retrieval::measures::{Measure, Measures};
    use crate::retrieval::significance::Difference;
    use crate::retrieval::sliding::Outcome;

    fn topic(id: &str) -> Topic {
        Topic { id: id.into(), query: id.into() }
    }

    #[test]
    fn only_queries_with_text_are_looked_at() {
        let lengths = Lengths::new([("a".into(), 120), ("b".into(), 20), ("c".into(), 100)]);
        let mut judgements = Judgements::default();
        for (query, document, grade) in [
            ("1", "a", 1),
            ("2", "b", 1),
            ("3", "a", 1),
            ("3", "b", 0),
            ("4", "c", 1),
            ("4", "b", 2),
        ] {
            judgements.add(query, document, grade);
        }
        let topics = ["1", "2", "3", "4"].map(topic);
        let answerable = lengths.answerable(&topics, &judgements, 100);
        assert_eq!(answerable, [true, false, true, false]);
        let outcome = |least: u32, values: [f64; 4]| {
            let queries: Vec<Measures> = values
                .iter()
                .map(|value| Measures { reciprocal_rank: *value, ..Measures::default() })
                .collect();
            Outcome {
                variant: Variant::Words(least),
                mean: Measures::mean(&queries),
                behind: Difference::default(),
                queries,
            }
        };
        let found = Outcomes {
            queries: 4,
            measure: Measure::ReciprocalRank,
            reference: Variant::Words(11),
            outcomes: vec![
                outcome(1, [1.0, 1.0, 1.0, 1.0]),
                outcome(11, [0.5, 1.0, 0.5, 1.0]),
                outcome(100, [0.5, 0.0, 0.5, 0.0]),
            ],
        };
        let section = lengths.section(&topics, &judgements, &found);
        let text = crate::Report::new("").section(section).to_markdown();
        assert!(
            text.contains("by −67 % over all queries, and by 0 % over the 2 queries"),
            "{text}"
        );
        assert!(text.contains("| 100 | 66.7 | 0.2500 | 0.5000 |"), "{text}");
    }
}
