//! How good a ranking is: average precision, and judgements from files.
//!
//! The thesis had three people judge the first ten results of searches, and took the mean average precision (MAP) of
//! them (3.3.1). Average precision is the mean, over the relevant pages, of the share of relevant pages among those
//! down to there.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use webstrata_base::Error;

use webstrata_links::tab_separated::{LineProblem, for_each_line};

/// How many results people look at; the thesis has judged ten.
pub const FIRST_RESULTS: usize = 10;

/// The average precision of a list: is each of its pages relevant, the best page first, and how many relevant pages
/// there are at all.
///
/// With `first`, only so many pages are looked at, and it is divided by as many relevant pages as fit there: 1 where
/// all that could be there are, and come first. Nothing where no page is relevant: such a list is neither good nor bad,
/// and is left out of means.
pub fn average_precision(
    list: impl IntoIterator<Item = bool>,
    relevant: usize,
    first: Option<usize>,
) -> Option<f64> {
    let first = first.unwrap_or(usize::MAX);
    let expected = relevant.min(first);
    if expected == 0 {
        return None;
    }
    let (mut found, mut sum) = (0_usize, 0.0);
    for (index, is_relevant) in list.into_iter().take(first).enumerate() {
        if is_relevant {
            found += 1;
            sum += found as f64 / (index + 1) as f64;
        }
        if found == expected {
            break;
        }
    }
    Some(sum / expected as f64)
}

/// The mean of those that have a value; nothing where none has.
pub fn mean(values: impl IntoIterator<Item = Option<f64>>) -> Option<f64> {
    let (sum, count) =
        values.into_iter().flatten().fold((0.0, 0), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}

/// Which pages people found relevant: to a query, to a category. Each person is a subject by itself, since the thesis
/// takes the mean of what the judgements of each give.
#[derive(Clone, Debug, Default)]
pub struct Judgements {
    /// By subject; the name is empty where the file names none.
    subjects: BTreeMap<String, BTreeMap<Topic, Pages>>,
}

/// What was judged: a query or category, and a query in a category where the file names both.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Topic {
    name: String,
    query: Option<String>,
}

/// Pages with their judgements; `None` where a subject has contradicted itself.
type Pages = BTreeMap<String, Option<bool>>;

impl Judgements {
    /// Reads a file of lines `query or category<TAB>page<TAB>0 or 1`; lines that begin with `#` are comments. With
    /// more fields, lines are `subject<TAB>category<TAB>page<TAB>0 or 1` or
    /// `subject<TAB>category<TAB>query<TAB>page<TAB>0 or 1`. Also returns the lines that are not as they should be.
    pub fn open(path: &Path) -> Result<(Judgements, Vec<LineProblem>), Error> {
        let file = File::open(path).map_err(|error| Error::io(path, &error))?;
        Judgements::read(BufReader::new(file)).map_err(|error| Error::io(path, &error))
    }

    /// The same from anything that can be read.
    pub fn read(lines: impl BufRead) -> io::Result<(Judgements, Vec<LineProblem>)> {
        let mut judgements = Judgements::default();
        let problems = for_each_line(lines, |_, line| judgements.add(line))?;
        Ok((judgements, problems))
    }

    fn add(&mut self, line: &str) -> Result<(), String> {
        let fields: Vec<&str> = line.split('\t').collect();
        let (subject, name, query, page, judged) = match fields[..] {
            [name, page, judged] => ("", name, None, page, judged),
            [subject, name, page, judged] => (subject, name, None, page, judged),
            [subject, name, query, page, judged] => (subject, name, Some(query), page, judged),
            _ => {
                return Err(format!(
                    "{} fields; expected query or category, page and 0 or 1, with tabs between them",
                    fields.len()
                ));
            }
        };
        let relevant = match judged.trim() {
            "0" => false,
            "1" => true,
            other => return Err(format!("`{other}` is no judgement; expected 0 or 1")),
        };
        let topic = Topic { name: name.to_owned(), query: query.map(str::to_owned) };
        let topics = self.subjects.entry(subject.to_owned()).or_default();
        let kept =
            topics.entry(topic).or_default().entry(page.to_owned()).or_insert(Some(relevant));
        if *kept == Some(relevant) {
            return Ok(());
        }
        *kept = None;
        Err(format!("{page}: judged otherwise before, so that none of its judgements counts"))
    }

    /// The queries and categories that have judgements, each once.
    pub fn topics(&self) -> impl Iterator<Item = &str> {
        let topics = self.subjects.values().flat_map(BTreeMap::keys);
        let names: BTreeSet<&str> = topics.map(|topic| topic.name.as_str()).collect();
        names.into_iter()
    }

    /// The pages that are relevant to a query or category: for each subject that has judged it, those that it found
    /// relevant. For a query in a category, what a subject said of that query; where it said nothing of the query, what
    /// it said of the category.
    pub fn relevant(&self, name: &str, query: Option<&str>) -> Vec<BTreeSet<&str>> {
        let topic =
            |query: Option<&str>| Topic { name: name.to_owned(), query: query.map(str::to_owned) };
        let (whole, asked) = (topic(None), topic(query));
        let judged = self.subjects.values().filter_map(|topics| {
            let pages = topics.get(&asked).or_else(|| topics.get(&whole))?;
            let relevant = pages.iter().filter(|(_, relevant)| **relevant == Some(true));
            Some(relevant.map(|(page, _)| page.as_str()).collect())
        });
        judged.collect()
    }

    /// The pages that have judgements for a query or category, also those that a subject does not agree on with itself.
    pub fn pages(&self, name: &str) -> impl Iterator<Item = &str> {
        let topics = self.subjects.values().flatten().filter(move |(topic, _)| topic.name == name);
        topics.flat_map(|(_, pages)| pages.keys().map(String::as_str))
    }

    /// The mean average precision of lists, by query or category: the first ten pages, and all. Of several subjects, the
    /// mean. A page that nobody judged is not relevant.
    pub fn map<'a>(
        &self,
        lists: impl IntoIterator<Item = (&'a str, &'a [&'a str])>,
    ) -> [Option<f64>; 2] {
        let precisions: Vec<[Option<f64>; 2]> = lists
            .into_iter()
            .map(|(topic, list)| {
                let subjects = self.relevant(topic, None);
                [Some(FIRST_RESULTS), None].map(|first| {
                    mean(subjects.iter().map(|relevant| {
                        let judged = list.iter().map(|page| relevant.contains(page));
                        average_precision(judged, relevant.len(), first)
                    }))
                })
            })
            .collect();
        [0, 1].map(|which| mean(precisions.iter().map(|both| both[which])))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(list: &[u8], relevant: usize, first: Option<usize>, expect: Option<f64>) {
        let list = list.iter().map(|page| *page == 1);
        assert_eq!(average_precision(list, relevant, first), expect);
    }

    #[test]
    fn average_precisions() {
        check(&[1, 0, 1, 0], 2, None, Some((1.0 + 2.0 / 3.0) / 2.0));
        // The third one is nowhere in the list.
        check(&[1, 0, 1, 0], 3, None, Some((1.0 + 2.0 / 3.0) / 3.0));
        check(&[1, 0, 1, 0], 3, Some(2), Some(0.5));
        check(&[1, 1, 0], 9, Some(2), Some(1.0));
        check(&[0, 0], 1, None, Some(0.0));
        check(&[0, 0], 0, None, None);
        check(&[], 2, Some(10), Some(0.0));
        check(&[1], 1, Some(0), None);
    }

    #[test]
    fn means_leave_out_what_has_no_value() {
        assert_eq!(mean([Some(1.0), None, Some(0.5)]), Some(0.75));
        assert_eq!(mean([None]), None);
    }

    #[test]
    fn judgements_of_people() {
        let text =
            "# who, what\ntides\tharbour\t1\ntides\tfog\t0\r\nferry\tfog\t1\nferry\tpier\t1\n";
        let (judgements, problems) = Judgements::read(text.as_bytes()).unwrap();
        assert_eq!(problems, []);
        assert!(judgements.topics().eq(["ferry", "tides"]));
        assert_eq!(judgements.relevant("ferry", None), [["fog", "pier"].into()]);
        assert_eq!(judgements.relevant("tides", Some("spring")), [["harbour"].into()]);
        assert!(judgements.relevant("moon", None).is_empty());
        let lists: [(&str, &[&str]); 3] =
            [("tides", &["fog", "harbour"]), ("ferry", &["pier", "fog"]), ("moon", &["fog"])];
        assert_eq!(judgements.map(lists), [Some(0.75), Some(0.75)]);
    }

    #[test]
    fn bad_lines_are_named() {
        let text = "tides\tharbour\ntides\tharbour\tyes\ntides\tfog\t1\ntides\tfog\t0\n\ta\t1\t\n";
        let (judgements, problems) = Judgements::read(text.as_bytes()).unwrap();
        let lines: Vec<_> = problems.iter().map(|problem| problem.line).collect();
        assert_eq!(lines, [1, 2, 4, 5]);
        assert_eq!(judgements.relevant("tides", None), [[].into()]);
        assert_eq!(problems[1].to_string(), "line 2: `yes` is no judgement; expected 0 or 1");
    }

    #[test]
    fn a_page_that_people_do_not_agree_on_stays_so() {
        let text = "tides\tfog\t1\ntides\tfog\t0\ntides\tfog\t1\ntides\tfog\t1\ntides\tpier\t1\n";
        let (judgements, problems) = Judgements::read(text.as_bytes()).unwrap();
        let lines: Vec<_> = problems.iter().map(|problem| problem.line).collect();
        assert_eq!(lines, [2, 3, 4]);
        assert_eq!(judgements.relevant("tides", None), [["pier"].into()]);
        assert!(judgements.pages("tides").eq(["fog", "pier"]));
    }

    #[test]
    fn several_subjects_and_queries() {
        let text = "ann\tsea\ttide tables\tharbour\t1\nann\tsea\ttide tables\tfog\t0\n\
            bob\tsea\ttide tables\tharbour\t0\nbob\tsea\ttide tables\tfog\t1\n\
            bob\tsea\tpier\t1\n";
        let (judgements, problems) = Judgements::read(text.as_bytes()).unwrap();
        assert_eq!(problems, []);
        assert!(judgements.topics().eq(["sea"]));
        let asked = judgements.relevant("sea", Some("tide tables"));
        assert_eq!(asked, [["harbour"].into(), ["fog"].into()]);
        // Of other queries Bob has said what he thinks of the category, Ann nothing.
        assert_eq!(judgements.relevant("sea", Some("ports")), [["pier"].into()]);
        assert_eq!(judgements.pages("sea").count(), 5);
        // Half of the subjects find the page.
        let text = "ann\tsea\tfog\t1\nbob\tsea\tpier\t1\n";
        let (judgements, _) = Judgements::read(text.as_bytes()).unwrap();
        assert_eq!(judgements.map([("sea", &["fog"][..])]), [Some(0.5), Some(0.5)]);
    }

    proptest! {
        /// The textbook's formula, which looks at every prefix.
        #[test]
        fn as_the_textbook_says(
            list in prop::collection::vec(any::<bool>(), 0..30), more in 0_usize..5,
        ) {
            let relevant = list.iter().filter(|page| **page).count() + more;
            let precision = |end: usize| list[..end].iter().filter(|page| **page).count() as f64 / end as f64;
            let sum: f64 = (1..=list.len()).filter(|end| list[end - 1]).map(precision).sum();
            let found = average_precision(list.iter().copied(), relevant, None);
            match found {
                None => prop_assert_eq!(relevant, 0),
                Some(found) => prop_assert!((found - sum / relevant as f64).abs() < 1e-12),
            }
        }
    }
}
