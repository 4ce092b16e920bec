//! Turns a query into queries of tantivy.

use std::ops::Bound;
use std::sync::Arc;

use tantivy::Term;
use tantivy::query::{
    AllQuery, BooleanQuery, BoostQuery, ConstScoreQuery, Occur, PhraseQuery, Query as Inner,
    RangeQuery, TermQuery,
};
use tantivy::schema::{Field, IndexRecordOption};

use crate::entry::Date;
use crate::levels::{Keys, LevelTerm, Totals};
use crate::query::{Clause, Filters, Place, Query, Within};
use crate::schema::{Fields, Levels};

/// A word of the title says more about a page than one of its text.
const TITLE: f32 = 2.0;
/// A word of the boilerplate says less.
const BOILERPLATE: f32 = 0.5;

pub(crate) struct Compiler {
    pub(crate) fields: Fields,
    /// The level that words are looked for at.
    pub(crate) level: Option<(Levels, Keys, Arc<Totals>)>,
}

type Parts = Vec<(Occur, Box<dyn Inner>)>;

impl Compiler {
    /// Pages must have all words and phrases, or any of them.
    pub(crate) fn compile(&self, query: &Query, clauses: &[Clause], all: bool) -> Box<dyn Inner> {
        let occur = if all { Occur::Must } else { Occur::Should };
        let mut wanted: Parts = Vec::new();
        let mut parts: Parts = Vec::new();
        for clause in clauses {
            let compiled = self.clause(clause, query.within);
            match clause.excluded {
                true => parts.push((Occur::MustNot, compiled)),
                // A host, language or type is no word that a page may go without.
                false if clause.place.is_term() => parts.push((Occur::Must, compiled)),
                false => wanted.push((occur, compiled)),
            }
        }
        self.filters(&query.filters, &mut parts);
        if wanted.is_empty() {
            // All pages answer equally well: ranks alone order them.
            parts.push((Occur::Must, Box::new(AllQuery)));
            return Box::new(ConstScoreQuery::new(one_or(parts), 1.0));
        }
        if all {
            wanted.append(&mut parts);
        } else if !parts.is_empty() {
            let any: Box<dyn Inner> = Box::new(BooleanQuery::new(wanted));
            wanted = vec![(Occur::Must, any)];
            wanted.append(&mut parts);
        }
        one_or(wanted)
    }

    fn clause(&self, clause: &Clause, within: Within) -> Box<dyn Inner> {
        let fields = &self.fields;
        let words = &clause.words;
        match clause.place {
            Place::Title => phrase(fields.title, words),
            Place::Main => phrase(fields.main, words),
            Place::Boilerplate => phrase(fields.boilerplate, words),
            Place::Url => phrase(fields.url, words),
            // Being there says nothing about how well a page answers.
            Place::Host => without_score(term(fields.hosts, words)),
            Place::Language => without_score(term(fields.languages, words)),
            Place::Type => without_score(term(fields.page_type, words)),
            Place::Anywhere => match &self.level {
                Some((levels, keys, totals)) => self.at_level(*levels, *keys, totals, words),
                None => self.anywhere(within, words),
            },
        }
    }

    fn anywhere(&self, within: Within, words: &[String]) -> Box<dyn Inner> {
        let Fields { title, main, boilerplate, .. } = self.fields;
        let places: &[(Field, f32)] = match within {
            Within::Main => &[(title, TITLE), (main, 1.0)],
            Within::Boilerplate => &[(boilerplate, 1.0)],
            Within::All => &[(title, TITLE), (main, 1.0), (boilerplate, BOILERPLATE)],
        };
        let parts = places.iter().map(|(field, boost)| {
            let part = phrase(*field, words);
            let part = if *boost == 1.0 { part } else { Box::new(BoostQuery::new(part, *boost)) };
            (Occur::Should, part)
        });
        one_or(parts.collect())
    }

    /// Levels know no order of words: a phrase has all its words at the level, and stands somewhere
    /// on the page.
    fn at_level(
        &self,
        levels: Levels,
        keys: Keys,
        totals: &Arc<Totals>,
        words: &[String],
    ) -> Box<dyn Inner> {
        let mut parts: Parts = Vec::new();
        for word in words {
            let (field, word, totals) = (levels.pieces, word.clone(), Arc::clone(totals));
            parts.push((Occur::Must, Box::new(LevelTerm { field, word, keys, totals })));
        }
        if words.len() > 1 {
            parts.push((Occur::Must, without_score(self.anywhere(Within::All, words))));
        }
        one_or(parts)
    }

    fn filters(&self, filters: &Filters, parts: &mut Parts) {
        let fields = &self.fields;
        let lower =
            |value: &Option<String>| value.as_ref().map(|value| value.trim().to_lowercase());
        let mut require = |part: Box<dyn Inner>| parts.push((Occur::Must, without_score(part)));
        for (field, value) in [
            (fields.hosts, lower(&filters.host)),
            (fields.languages, lower(&filters.language)),
            (fields.page_type, lower(&filters.page_type)),
        ] {
            if let Some(value) = value {
                require(term(field, &[value]));
            }
        }
        if filters.from.is_some() || filters.to.is_some() {
            let date = |number: u64| Term::from_field_u64(fields.date, number);
            let from = filters.from.map_or(0, Date::lowest);
            let to = filters.to.map_or(u64::MAX, Date::highest);
            let range = RangeQuery::new(Bound::Included(date(from)), Bound::Included(date(to)));
            require(Box::new(range));
        }
    }
}

/// A query that is made of one part is that part.
fn one_or(mut parts: Parts) -> Box<dyn Inner> {
    match parts.len() {
        1 if parts[0].0 != Occur::MustNot => parts.remove(0).1,
        _ => Box::new(BooleanQuery::new(parts)),
    }
}

fn without_score(query: Box<dyn Inner>) -> Box<dyn Inner> {
    Box::new(ConstScoreQuery::new(query, 0.0))
}

fn term(field: Field, words: &[String]) -> Box<dyn Inner> {
    let word = words.first().map(String::as_str).unwrap_or_default();
    Box::new(TermQuery::new(Term::from_field_text(field, word), IndexRecordOption::Basic))
}

fn phrase(field: Field, words: &[String]) -> Box<dyn Inner> {
    let mut terms = words.iter().map(|word| Term::from_field_text(field, word));
    match (terms.next(), terms.len()) {
        (Some(only), 0) => Box::new(TermQuery::new(only, IndexRecordOption::WithFreqs)),
        (first, _) => Box::new(PhraseQuery::new(first.into_iter().chain(terms).collect())),
    }
}
