//! The experiment of section 6 of the paper: the same queries, on all text of the pages, on blocks of at least so many
//! words or so dense, and on what extractors find.

use std::collections::HashMap;

use serde::Serialize;
use webstrata_base::{Error, Progress};

use super::measures::{Measure, Measures};
use super::significance::Difference;
use super::trec::{Judgements, Topic};
use webstrata_search::levels::{Level, MOST_DENSITY, MOST_WORDS};
use webstrata_search::query::{Matching, Query};
use webstrata_search::ranks::Mix;
use webstrata_search::search::Searcher;
use webstrata_search::tokens;

/// How many results are ranked; a relevant page behind them counts as not found.
pub const DEPTH: usize = 1_000;

/// Which text of the pages is searched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Variant {
    /// Blocks of at least so many words. With a minimum of 1 that is the whole page, the paper's baseline.
    Words(u32),
    /// Blocks of at least this text density.
    Density(u32),
    /// What an extractor finds.
    Text(String),
}

impl Variant {
    /// All minima of the paper, and texts.
    pub fn all(texts: &[String]) -> Vec<Variant> {
        let words = (1..=MOST_WORDS).map(Variant::Words);
        let densities = (1..=MOST_DENSITY).map(Variant::Density);
        words.chain(densities).chain(texts.iter().cloned().map(Variant::Text)).collect()
    }

    fn level(&self) -> Level {
        match self {
            Variant::Words(least) => Level::Words(*least),
            Variant::Density(least) => Level::Density(*least),
            Variant::Text(name) => Level::Text(name.clone()),
        }
    }

    /// How it is shown.
    pub fn name(&self) -> String {
        match self {
            Variant::Words(1) => "whole page".to_owned(),
            Variant::Words(least) => format!("words ≥ {least}"),
            Variant::Density(least) => format!("density ≥ {least}"),
            Variant::Text(name) => name.clone(),
        }
    }
}

/// What came out for one variant.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outcome {
    /// What was searched.
    pub variant: Variant,
    /// Means over all queries.
    pub mean: Measures,
    /// How much better the reference is, by the measure that decides.
    pub behind: Difference,
    /// The measures of each query.
    #[serde(skip)]
    pub queries: Vec<Measures>,
}

/// What came out for all variants.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outcomes {
    /// How many queries were asked.
    pub queries: usize,
    /// The measure that decides.
    pub measure: Measure,
    /// What all are compared with.
    pub reference: Variant,
    /// A variant each.
    pub outcomes: Vec<Outcome>,
}

impl Outcomes {
    /// The same of some of the queries alone.
    pub fn of_queries(&self, wanted: &[bool]) -> Outcomes {
        let of_wanted = |outcome: &Outcome| -> Vec<Measures> {
            let both = outcome.queries.iter().zip(wanted);
            both.filter(|(_, wanted)| **wanted).map(|(query, _)| *query).collect()
        };
        let values = |queries: &[Measures]| -> Vec<f64> {
            queries.iter().map(|query| query.get(self.measure)).collect()
        };
        let reference = self.outcomes.iter().find(|outcome| outcome.variant == self.reference);
        let reference = reference.map(of_wanted).unwrap_or_default();
        let outcomes = self.outcomes.iter().map(|outcome| {
            let queries = of_wanted(outcome);
            Outcome {
                variant: outcome.variant.clone(),
                mean: Measures::mean(&queries),
                behind: Difference::of(&values(&reference), &values(&queries), 1),
                queries,
            }
        });
        Outcomes {
            queries: wanted.iter().filter(|wanted| **wanted).count(),
            measure: self.measure,
            reference: self.reference.clone(),
            outcomes: outcomes.collect(),
        }
    }

    /// Whole pages, extractors, and the best minima of both kinds.
    pub fn in_short(&self) -> Vec<&Outcome> {
        let of_kind =
            |is: fn(&Variant) -> bool| self.outcomes.iter().filter(move |one| is(&one.variant));
        let value = |outcome: &Outcome| outcome.mean.get(self.measure);
        let best =
            |is: fn(&Variant) -> bool| of_kind(is).max_by(|a, b| value(a).total_cmp(&value(b)));
        let words = best(|variant| matches!(variant, Variant::Words(least) if *least > 1));
        let density = best(|variant| matches!(variant, Variant::Density(least) if *least > 1));
        let extractors = of_kind(|variant| matches!(variant, Variant::Text(_)));
        let whole = of_kind(|variant| *variant == Variant::Words(1));
        whole.chain(words).chain(density).chain(extractors).collect()
    }
}

/// Asks all queries of all variants. `reference` is what others are compared with by `measure`; where it is not among
/// the variants, the best one is.
pub fn run(
    searcher: &Searcher,
    topics: &[Topic],
    judgements: &Judgements,
    variants: &[Variant],
    reference: &Variant,
    measure: Measure,
    progress: &dyn Progress,
) -> Result<Outcomes, Error> {
    let answers = Answers::new(searcher, topics, judgements)?;
    progress.begin("rankings", variants.len());
    let mut all = Vec::with_capacity(variants.len());
    for variant in variants {
        all.push(answers.measure(searcher, variant)?);
        progress.step();
    }
    let means: Vec<Measures> = all.iter().map(|queries| Measures::mean(queries)).collect();
    let best = || {
        (0..means.len()).max_by(|a, b| means[*a].get(measure).total_cmp(&means[*b].get(measure)))
    };
    let against = variants.iter().position(|variant| variant == reference).or_else(best);
    let Some(against) = against else { return Err(Error::new("nothing to search in")) };
    let values =
        |at: usize| -> Vec<f64> { all[at].iter().map(|query| query.get(measure)).collect() };
    let reference_values = values(against);
    let behind: Vec<Difference> =
        (0..all.len()).map(|at| Difference::of(&reference_values, &values(at), 1)).collect();
    let outcomes = variants.iter().zip(all).zip(means.into_iter().zip(behind));
    let outcomes = outcomes
        .map(|((variant, queries), (mean, behind))| Outcome {
            variant: variant.clone(),
            mean,
            behind,
            queries,
        })
        .collect();
    Ok(Outcomes { queries: topics.len(), measure, reference: variants[against].clone(), outcomes })
}

/// The results of a variant as a run that TREC's tools read.
pub fn run_file(searcher: &Searcher, topics: &[Topic], variant: &Variant) -> Result<String, Error> {
    let ids = ids(searcher)?;
    let mut results = Vec::new();
    for topic in topics {
        let lists = searcher.tops(&query(&topic.query, variant), &[Mix::text()], DEPTH)?.lists;
        let named = lists
            .into_iter()
            .flatten()
            .filter_map(|top| Some((ids.get(&top.number)?.clone(), top.score)));
        results.push((topic.id.as_str(), named.collect::<Vec<_>>()));
    }
    let name = variant.name().replace(char::is_whitespace, "");
    Ok(super::trec::run(&name, results.iter().map(|(topic, list)| (*topic, &list[..]))))
}

fn ids(searcher: &Searcher) -> Result<HashMap<u64, String>, Error> {
    let mut ids = HashMap::new();
    searcher.each_id(|number, id| {
        ids.insert(number, id.to_owned());
    })?;
    Ok(ids)
}

/// A query by its words alone: quotation marks and dashes of titles are no operators.
fn query(text: &str, variant: &Variant) -> Query {
    Query {
        level: Some(variant.level()),
        matching: Matching::Any,
        mix: Mix::text(),
        ..Query::new(tokens::words(text).collect::<Vec<_>>().join(" "))
    }
}

/// The queries with the grades of the pages that answer them, by number.
struct Answers<'a> {
    topics: &'a [Topic],
    grades: Vec<HashMap<u64, u32>>,
    relevant: Vec<Vec<u32>>,
}

impl<'a> Answers<'a> {
    fn new(
        searcher: &Searcher,
        topics: &'a [Topic],
        judgements: &Judgements,
    ) -> Result<Answers<'a>, Error> {
        let numbers: HashMap<String, u64> =
            ids(searcher)?.into_iter().map(|(number, id)| (id, number)).collect();
        let grades = topics.iter().map(|topic| {
            let judged = judgements.graded(&topic.id);
            judged.filter_map(|(id, grade)| Some((*numbers.get(id)?, grade))).collect()
        });
        let relevant = topics.iter().map(|topic| judgements.relevant(&topic.id));
        let grades: Vec<HashMap<u64, u32>> = grades.collect();
        if grades.iter().all(HashMap::is_empty) {
            return Err(Error::new(
                "no judged document is in the index; judgements have to call documents as the index does",
            ));
        }
        Ok(Answers { topics, grades, relevant: relevant.collect() })
    }

    fn measure(&self, searcher: &Searcher, variant: &Variant) -> Result<Vec<Measures>, Error> {
        let workers = std::thread::available_parallelism()
            .map_or(1, usize::from)
            .min(self.topics.len().max(1));
        let chunk = self.topics.len().div_ceil(workers).max(1);
        let parts = std::thread::scope(|scope| {
            let starts = (0..self.topics.len()).step_by(chunk);
            let started: Vec<_> = starts
                .map(|start| {
                    let end = (start + chunk).min(self.topics.len());
                    scope.spawn(move || {
                        (start..end).map(|at| self.one(searcher, variant, at)).collect::<Vec<_>>()
                    })
                })
                .collect();
            let stopped =
                |_| vec![Err(Error::new("a search has stopped; this is a fault of webstrata"))];
            started.into_iter().map(|part| part.join().unwrap_or_else(stopped)).collect::<Vec<_>>()
        });
        parts.into_iter().flatten().collect()
    }

    fn one(&self, searcher: &Searcher, variant: &Variant, at: usize) -> Result<Measures, Error> {
        let lists =
            searcher.tops(&query(&self.topics[at].query, variant), &[Mix::text()], DEPTH)?.lists;
        let grade = |number: u64| self.grades[at].get(&number).copied().unwrap_or(0);
        let ranking: Vec<u32> = lists.into_iter().flatten().map(|top| grade(top.number)).collect();
        Ok(Measures::of(&ranking, &self.relevant[at]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use webstrata_search::entry::{Entry, Piece};
    use webstrata_search::{Index, IndexOptions, WriterOptions};

    /// Texts with a menu each: the menus tell of the next page.
    fn index(folder: &std::path::Path) -> Index {
        let options = IndexOptions { levels: true, texts: vec!["strata".to_owned()] };
        let index = Index::create(folder, &options).unwrap();
        let mut writer = index.writer(&WriterOptions::default()).unwrap();
        let subjects = ["tides", "ferries", "lighthouses", "piers", "gulls"];
        for (at, subject) in subjects.iter().enumerate() {
            let next = subjects[(at + 1) % subjects.len()];
            let main = format!(
                "All that there is to say about {subject} in the year of the great storm is said here"
            );
            let menu = format!("{next} {next} {next}");
            let piece = |words, text: &str| Piece {
                words,
                density: f64::from(words),
                text: text.to_owned(),
            };
            let entry = Entry {
                id: (*subject).to_owned(),
                pieces: vec![piece(3, &menu), piece(17, &main)],
                texts: vec![("strata".to_owned(), main)],
                ..Entry::default()
            };
            writer.add(&entry).unwrap();
        }
        writer.finish().unwrap();
        index
    }

    fn known() -> (Vec<Topic>, Judgements) {
        let mut judgements = Judgements::default();
        let topics = ["tides", "ferries", "lighthouses", "piers", "gulls"].map(|subject| {
            judgements.add(subject, subject, 1);
            Topic { id: subject.to_owned(), query: format!("\"{subject}\" - great storm") }
        });
        (topics.into(), judgements)
    }

    #[test]
    fn menus_lead_astray_and_minima_help() {
        let folder = tempfile::tempdir().unwrap();
        let index = index(folder.path());
        let (topics, judgements) = known();
        let searcher = index.searcher().unwrap();
        let strata = Variant::Text("strata".to_owned());
        let variants = [
            Variant::Words(1),
            Variant::Words(5),
            Variant::Words(100),
            Variant::Density(5),
            strata.clone(),
        ];
        let found =
            run(&searcher, &topics, &judgements, &variants, &strata, Measure::ReciprocalRank, &())
                .unwrap();
        let rank = |at: usize| found.outcomes[at].mean.reciprocal_rank;
        assert!(rank(0) < 1.0, "{}", rank(0));
        assert_eq!([rank(1), rank(2), rank(3), rank(4)], [1.0, 0.0, 1.0, 1.0]);
        assert_eq!((found.reference, found.queries), (strata.clone(), 5));
        assert!(found.outcomes[0].behind.mean > 0.0 && found.outcomes[4].behind.mean == 0.0);
        // Without the reference, others are compared with the best.
        let missing = Variant::Text("bte".to_owned());
        let found =
            run(&searcher, &topics, &judgements, &variants[..2], &missing, Measure::Ndcg, &())
                .unwrap();
        assert_eq!(found.reference.name(), "words ≥ 5");
        let strangers = Judgements::default();
        assert!(
            run(&searcher, &topics, &strangers, &variants, &strata, Measure::Ndcg, &()).is_err()
        );
        assert!(
            run(
                &searcher,
                &topics,
                &judgements,
                std::slice::from_ref(&missing),
                &missing,
                Measure::Ndcg,
                &()
            )
            .is_err()
        );
    }

    #[test]
    fn results_as_a_run() {
        let folder = tempfile::tempdir().unwrap();
        let index = index(folder.path());
        let (topics, _) = known();
        let text = run_file(&index.searcher().unwrap(), &topics[..1], &Variant::Words(5)).unwrap();
        let first: Vec<&str> = text.lines().next().unwrap().split(' ').collect();
        assert_eq!((&first[..4], first[5]), (&["tides", "Q0", "tides", "1"][..], "words≥5"));
    }

    #[test]
    fn all_variants_have_a_name_of_their_own() {
        let all = Variant::all(&["bte".to_owned(), "strata".to_owned()]);
        assert_eq!(all.len(), 122);
        let names: std::collections::BTreeSet<String> = all.iter().map(Variant::name).collect();
        assert_eq!(names.len(), 122);
    }
}
