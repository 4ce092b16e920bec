//! Answers queries.

use std::collections::BTreeSet;
use std::panic::{self, AssertUnwindSafe};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use tantivy::collector::TopDocs;
use tantivy::columnar::StrColumn;
use tantivy::schema::document::Value;
use tantivy::schema::{Field, IndexRecordOption, TantivyDocument};
use tantivy::{DocAddress, DocSet, TERMINATED, TantivyError};
use webstrata_base::Error;

use crate::collect::{Bests, Found, Numbers, Top};
use crate::compile::Compiler;
use crate::entry::Date;
use crate::index::{DAMAGED, explain};
use crate::levels::{Keys, Totals};
use crate::query::{Clause, MOST_HITS, MOST_OFFSET, Matching, Query, Within, parse};
use crate::ranks::{Mix, Ranks, ReadyMix};
use crate::schema::{DATE, Fields, HOST, LANGUAGE, NUMBER, PAGE_TYPE};
use crate::snippets::{Snippet, snippet};

/// An index as it was at one moment.
pub struct Searcher {
    folder: PathBuf,
    pub(crate) inner: tantivy::Searcher,
    fields: Fields,
    texts: Vec<String>,
    pub(crate) ranks: ReadRanks,
    /// The numbers of pages, for each segment.
    numbers: Arc<[Numbers]>,
    /// Counted when a level is asked for the first time.
    totals: Mutex<Option<Arc<Totals>>>,
}

/// What was found in the file of ranks.
pub(crate) type ReadRanks = Result<Option<Arc<Ranks>>, Error>;

/// An answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Hits {
    /// How many pages match.
    pub total: u64,
    /// No page has all words: these have some of them.
    pub relaxed: bool,
    /// The pages asked for, best first.
    pub hits: Vec<Hit>,
}

/// An answer of which no page was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Best {
    /// How many pages match.
    pub total: u64,
    /// No page has all words: these have some of them.
    pub relaxed: bool,
    /// The pages asked for, best first.
    pub tops: Vec<Top>,
}

/// A page of an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// What the page is known by.
    pub id: String,
    /// Its address.
    pub url: Option<String>,
    /// Its title.
    pub title: String,
    /// Its host.
    pub host: Option<String>,
    /// Its language, without region.
    pub language: Option<String>,
    /// When it was published.
    pub date: Option<Date>,
    /// What it is for.
    pub page_type: Option<String>,
    /// Its number, which is its place in vectors of ranks.
    pub number: u64,
    /// Text and rank together (Equation 3.5).
    pub score: f32,
    /// The text alone.
    pub text_score: f32,
    /// The rank that was multiplied with it.
    pub rank: f32,
    /// A few words around what was asked for.
    pub snippet: Snippet,
}

/// The best pages for several mixes of ranks.
#[derive(Clone, Debug, PartialEq)]
pub struct Tops {
    /// How many pages match; the same for all mixes, which only change their order.
    pub total: u64,
    /// For each mix its best pages.
    pub lists: Vec<Vec<Top>>,
}

/// What is known of a page without reading it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attributes {
    /// Its host.
    pub host: Option<String>,
    /// Its language, without region.
    pub language: Option<String>,
    /// What it is for.
    pub page_type: Option<String>,
    /// When it was published.
    pub date: Option<Date>,
}

impl Searcher {
    pub(crate) fn new(
        folder: PathBuf,
        inner: tantivy::Searcher,
        fields: Fields,
        texts: Vec<String>,
        ranks: ReadRanks,
    ) -> Result<Searcher, Error> {
        let numbers = inner
            .segment_readers()
            .iter()
            .map(|segment| Ok(segment.fast_fields().u64(NUMBER)?.first_or_default_col(0)));
        let numbers =
            numbers.collect::<tantivy::Result<_>>().map_err(|error| explain(&folder, &error))?;
        Ok(Searcher { folder, inner, fields, texts, ranks, numbers, totals: Mutex::default() })
    }

    /// How many pages can be found.
    pub fn documents(&self) -> u64 {
        self.inner.num_docs()
    }

    /// The ranks of the pages, where there are some.
    pub fn ranks(&self) -> Option<&Arc<Ranks>> {
        self.ranks.as_ref().ok()?.as_ref()
    }

    /// A mix with its vectors. Damaged ranks are the matter of those who ask for ranks.
    fn ready(&self, mix: &Mix) -> Result<ReadyMix, Error> {
        match &self.ranks {
            Ok(ranks) => mix.ready(ranks.as_deref()),
            Err(_) if mix.weight == 0.0 && mix.facets.is_empty() => mix.ready(None),
            Err(error) => Err(error.clone()),
        }
    }

    /// Answers a question.
    pub fn search(&self, query: &Query) -> Result<Hits, Error> {
        let Best { total, relaxed, tops } = self.best(query)?;
        let words = asked(&parse(&query.text));
        self.guarded(|| {
            let hits = tops.iter().map(|top| self.hit(top, query, &words));
            Ok(Hits { total, relaxed, hits: hits.collect::<Result<_, _>>()? })
        })
    }

    /// The pages of an answer, not read.
    pub fn best(&self, query: &Query) -> Result<Best, Error> {
        let mix = self.ready(&query.mix)?;
        if query.offset > MOST_OFFSET {
            let message = format!("only the best {MOST_OFFSET} pages can be paged through");
            return Err(Error::new(message));
        }
        let clauses = parse(&query.text);
        let (offset, limit) = (query.offset, query.limit.min(MOST_HITS));
        let ((total, mut lists), relaxed) = self.search_all_then_any(query, &clauses, |all| {
            let compiled = self.compile(query, &clauses, all)?;
            if mix.is_text() && is_a_word(&clauses) && limit > 0 {
                self.by_text(&*compiled, offset + limit, &mix)
            } else {
                let most = if limit == 0 { 0 } else { offset + limit };
                let best_collector = self.best_collector([mix.clone()].into(), most);
                self.inner.search(&*compiled, &best_collector)
            }
            .map_err(|error| self.wrong(&error))
        })?;
        let tops = lists.pop().unwrap_or_default().into_iter().skip(offset).collect();
        Ok(Best { total, relaxed, tops })
    }

    /// The best `k` pages (at most [`MOST_OFFSET`]) for each of several mixes, in one pass over the pages that match. The
    /// question's own mix, offset and limit do not count.
    pub fn tops(&self, query: &Query, mixes: &[Mix], k: usize) -> Result<Tops, Error> {
        let mixes = mixes.iter().map(|mix| self.ready(mix));
        let mixes: Arc<[ReadyMix]> = mixes.collect::<Result<_, _>>()?;
        let clauses = parse(&query.text);
        let best_collector = self.best_collector(mixes, k.min(MOST_OFFSET));
        let ((total, lists), _) = self.search_all_then_any(query, &clauses, |all| {
            let found = self.inner.search(&*self.compile(query, &clauses, all)?, &best_collector);
            found.map_err(|error| self.wrong(&error))
        })?;
        Ok(Tops { total, lists })
    }

    /// What is known of pages without reading them.
    pub fn attributes(&self, tops: &[Top]) -> Result<Vec<Attributes>, Error> {
        self.guarded(|| self.read_attributes(tops))
    }

    fn read_attributes(&self, tops: &[Top]) -> Result<Vec<Attributes>, Error> {
        let mut columns: Vec<Option<Columns>> = Vec::new();
        columns.resize_with(self.inner.segment_readers().len(), || None);
        let attributes = tops.iter().map(|top| {
            let DocAddress { segment_ord, doc_id } = top.address;
            let Some(of_segment) = columns.get_mut(segment_ord as usize) else {
                return Ok(Attributes::default());
            };
            let of_segment = match of_segment {
                Some(columns) => columns,
                None => of_segment.insert(Columns::open(self.inner.segment_reader(segment_ord))?),
            };
            of_segment.attributes(doc_id)
        });
        attributes.collect::<tantivy::Result<_>>().map_err(|error| self.wrong(&error))
    }

    /// Calls `each` with the number and the id of every page; ids come in order within a segment.
    pub fn each_id(&self, mut each: impl FnMut(u64, &str)) -> Result<(), Error> {
        self.guarded(|| self.walk_ids(&mut each).map_err(|error| self.wrong(&error)))
    }

    /// Where files are damaged in places that are not checked when they are opened, tantivy panics.
    fn guarded<T>(&self, work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
        panic::catch_unwind(AssertUnwindSafe(work))
            .unwrap_or_else(|_| Err(Error::at(&self.folder, DAMAGED)))
    }

    fn walk_ids(&self, each: &mut dyn FnMut(u64, &str)) -> tantivy::Result<()> {
        for (segment, numbers) in self.inner.segment_readers().iter().zip(&*self.numbers) {
            let index = segment.inverted_index(self.fields.id)?;
            let mut ids = index.terms().stream()?;
            while ids.advance() {
                let Ok(id) = std::str::from_utf8(ids.key()) else { continue };
                let mut pages =
                    index.read_postings_from_terminfo(ids.value(), IndexRecordOption::Basic)?;
                while pages.doc() != TERMINATED {
                    if !segment.is_deleted(pages.doc()) {
                        each(numbers.get_val(pages.doc()), id);
                    }
                    pages.advance();
                }
            }
        }
        Ok(())
    }

    /// Asks for all words, and for any of them where that is allowed and finds nothing.
    fn search_all_then_any(
        &self,
        query: &Query,
        clauses: &[Clause],
        ask: impl Fn(bool) -> Result<Found, Error>,
    ) -> Result<(Found, bool), Error> {
        let ask = |all| self.guarded(|| ask(all));
        let found = ask(query.matching != Matching::Any)?;
        let is_word = |clause: &&Clause| !clause.excluded && !clause.place.is_term();
        let words = clauses.iter().filter(is_word).count();
        if found.0 == 0 && words > 1 && query.matching == Matching::AllOrElseAny {
            let any = ask(false)?;
            let relaxed = any.0 > 0;
            return Ok((any, relaxed));
        }
        Ok((found, false))
    }

    /// Where only one word counts and ranks do not, most pages need not be looked at. Of equal scores
    /// those come first that lie first on disk, which the next page of an answer agrees with.
    fn by_text(
        &self,
        query: &dyn tantivy::query::Query,
        most: usize,
        mix: &ReadyMix,
    ) -> tantivy::Result<Found> {
        let total = query.count(&self.inner)?;
        let tops = self.inner.search(query, &TopDocs::with_limit(most).order_by_score())?;
        let tops = tops.into_iter().map(|(text_score, address)| {
            let numbers = self.numbers.get(address.segment_ord as usize);
            let number = numbers.map_or(0, |numbers| numbers.get_val(address.doc_id));
            let rank = mix.rank(number);
            Top { number, score: text_score, text_score, rank, address }
        });
        Ok((total as u64, vec![tops.collect()]))
    }

    fn best_collector(&self, mixes: Arc<[ReadyMix]>, most: usize) -> Bests {
        Bests { mixes, most, numbers: Arc::clone(&self.numbers) }
    }

    fn compile(
        &self,
        query: &Query,
        clauses: &[Clause],
        all: bool,
    ) -> Result<Box<dyn tantivy::query::Query>, Error> {
        let level = match &query.level {
            None => None,
            Some(level) => {
                let fields = self.fields.levels.ok_or_else(|| {
                    Error::at(
                        &self.folder,
                        "the index was made without levels; make it anew with them",
                    )
                })?;
                let keys = Keys::of(level, &self.texts).ok_or_else(|| {
                    Error::at(&self.folder, format!("the index has no {level:?}"))
                })?;
                Some((fields, keys, self.totals()?))
            }
        };
        Ok(Compiler { fields: self.fields, level }.compile(query, clauses, all))
    }

    fn totals(&self) -> Result<Arc<Totals>, Error> {
        let mut totals = self.totals.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(totals) = &*totals {
            return Ok(Arc::clone(totals));
        }
        let counted = Totals::count(&self.inner).map_err(|error| self.wrong(&error))?;
        Ok(Arc::clone(totals.insert(Arc::new(counted))))
    }

    fn hit(&self, top: &Top, query: &Query, words: &BTreeSet<String>) -> Result<Hit, Error> {
        let stored: TantivyDocument =
            self.inner.doc(top.address).map_err(|error| self.wrong(&error))?;
        let text = |field: Field| stored.get_first(field).and_then(|value| value.as_str());
        let owned = |field: Field| text(field).map(str::to_owned);
        let fields = &self.fields;
        let of = |field: Field| snippet(text(field).unwrap_or_default(), words);
        let first = match query.within {
            Within::Boilerplate => fields.boilerplate,
            Within::Main | Within::All => fields.main,
        };
        let mut shown = of(first);
        let elsewhere = query.within == Within::All || query.level.is_some();
        if elsewhere && shown.1 == 0 {
            let other = of(fields.boilerplate);
            if other.1 > 0 {
                shown = other;
            }
        }
        let date = stored.get_first(fields.date).and_then(|value| value.as_u64());
        Ok(Hit {
            id: owned(fields.id).unwrap_or_default(),
            url: owned(fields.url),
            title: owned(fields.title).unwrap_or_default(),
            host: owned(fields.host),
            language: owned(fields.language),
            date: date.and_then(Date::of_number),
            page_type: owned(fields.page_type),
            number: top.number,
            score: top.score,
            text_score: top.text_score,
            rank: top.rank,
            snippet: shown.0,
        })
    }

    fn wrong(&self, error: &TantivyError) -> Error {
        explain(&self.folder, error)
    }
}

impl std::fmt::Debug for Searcher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Searcher").field("folder", &self.folder).finish_non_exhaustive()
    }
}

/// Is the question one word and nothing else?
fn is_a_word(clauses: &[Clause]) -> bool {
    matches!(clauses, [Clause { excluded: false, words, place }]
        if words.len() == 1 && !place.is_term())
}

/// The words that are shown where they stand.
fn asked(clauses: &[Clause]) -> BTreeSet<String> {
    let included = clauses.iter().filter(|clause| !clause.excluded);
    included.flat_map(|clause| clause.words.iter().cloned()).collect()
}

/// The columns of a segment.
struct Columns {
    host: Option<StrColumn>,
    language: Option<StrColumn>,
    page_type: Option<StrColumn>,
    date: Option<tantivy::columnar::Column<u64>>,
}

impl Columns {
    fn open(segment: &tantivy::SegmentReader) -> tantivy::Result<Columns> {
        let fast = segment.fast_fields();
        Ok(Columns {
            host: fast.str(HOST)?,
            language: fast.str(LANGUAGE)?,
            page_type: fast.str(PAGE_TYPE)?,
            date: fast.column_opt(DATE)?,
        })
    }

    fn attributes(&self, doc: tantivy::DocId) -> tantivy::Result<Attributes> {
        let text = |column: &Option<StrColumn>| -> tantivy::Result<Option<String>> {
            let Some(column) = column else { return Ok(None) };
            let Some(ord) = column.ords().first(doc) else { return Ok(None) };
            let mut text = String::new();
            Ok(column.ord_to_str(ord, &mut text)?.then_some(text))
        };
        Ok(Attributes {
            host: text(&self.host)?,
            language: text(&self.language)?,
            page_type: text(&self.page_type)?,
            date: self.date.as_ref().and_then(|column| column.first(doc)).and_then(Date::of_number),
        })
    }
}
