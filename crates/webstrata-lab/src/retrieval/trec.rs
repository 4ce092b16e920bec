//! Queries, judgements and results as the Text Retrieval Conference (TREC) writes them.
//!
//! - topics: `<top> <num> Number: 851 <title> … <desc> … </top>`, or lines of number, tab and query;
//! - judgements (qrels): lines of topic, a number that nobody uses, document and grade;
//! - results (runs): lines of topic, `Q0`, document, place, score and a name.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use webstrata_base::Error;

/// A query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topic {
    /// Its number or name.
    pub id: String,
    /// The words that are searched for.
    pub query: String,
}

/// Which documents are relevant to which topic, and how much so.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Judgements {
    topics: BTreeMap<String, BTreeMap<String, u32>>,
}

impl Judgements {
    /// Adds one; a grade of 0 is a document that somebody looked at and found not relevant.
    pub fn add(&mut self, topic: &str, document: &str, grade: u32) {
        self.topics.entry(topic.to_owned()).or_default().insert(document.to_owned(), grade);
    }

    /// The grade of a document; 0 where nobody has judged it.
    pub fn grade(&self, topic: &str, document: &str) -> u32 {
        self.topics.get(topic).and_then(|grades| grades.get(document)).copied().unwrap_or(0)
    }

    /// The grades of all documents that are relevant to a topic.
    pub fn relevant(&self, topic: &str) -> Vec<u32> {
        let grades = self.topics.get(topic).into_iter().flat_map(|grades| grades.values());
        grades.copied().filter(|grade| *grade > 0).collect()
    }

    /// The documents that somebody has judged for a topic, with their grades.
    pub fn graded(&self, topic: &str) -> impl Iterator<Item = (&str, u32)> {
        let grades = self.topics.get(topic).into_iter().flatten();
        grades.map(|(document, grade)| (document.as_str(), *grade))
    }

    /// How many topics have a relevant document.
    pub fn topics(&self) -> usize {
        self.topics.values().filter(|grades| grades.values().any(|grade| *grade > 0)).count()
    }

    /// Lines of topic, 0, document and grade. Spaces in names are `%20`, since spaces part the columns.
    pub fn file(&self) -> String {
        let mut text = String::new();
        for (topic, grades) in &self.topics {
            for (document, grade) in grades {
                let _ = writeln!(
                    text,
                    "{} 0 {} {grade}",
                    without_spaces(topic),
                    without_spaces(document)
                );
            }
        }
        text
    }

    /// The documents that somebody has judged.
    pub fn documents(&self) -> BTreeSet<&str> {
        self.topics.values().flat_map(|grades| grades.keys()).map(String::as_str).collect()
    }
}

fn without_spaces(name: &str) -> String {
    name.replace(char::is_whitespace, "%20")
}

/// Topics as lines of number, tab and query.
pub fn topics_file(topics: &[Topic]) -> String {
    let mut text = String::new();
    for topic in topics {
        let query: Vec<&str> = topic.query.split_whitespace().collect();
        let _ = writeln!(text, "{}\t{}", without_spaces(&topic.id), query.join(" "));
    }
    text
}

/// Reads topics, in SGML or as lines of number, tab and query. `name` is the file's, for errors.
pub fn topics(name: &str, text: &str) -> Result<Vec<Topic>, Error> {
    let topics = if text.contains("<top>") { marked_up(name, text)? } else { lines(name, text)? };
    if topics.is_empty() {
        return Err(Error::new(format!("{name}: no topics; write lines of number, tab and query")));
    }
    let mut seen = BTreeSet::new();
    match topics.iter().find(|topic| !seen.insert(&topic.id)) {
        Some(topic) => Err(Error::new(format!("{name}: two topics are called {}", topic.id))),
        None => Ok(topics),
    }
}

fn lines(name: &str, text: &str) -> Result<Vec<Topic>, Error> {
    let mut topics = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let parts = line.split_once('\t').map(|(id, query)| (id.trim(), query.trim()));
        let Some((id, query)) = parts.filter(|(id, query)| !id.is_empty() && !query.is_empty())
        else {
            return Err(wrong(name, number, "write a topic's number, a tab and its query"));
        };
        topics.push(Topic { id: id.to_owned(), query: query.to_owned() });
    }
    Ok(topics)
}

fn marked_up(name: &str, text: &str) -> Result<Vec<Topic>, Error> {
    let mut topics = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find("<top>") {
        let begin = text.len() - rest.len() + start;
        let body = &rest[start + "<top>".len()..];
        // Some files leave the end out before the next topic.
        let end = [body.find("</top>"), body.find("<top>")].into_iter().flatten().min();
        let body_end = end.unwrap_or(body.len());
        let topic = topic(&body[..body_end]).ok_or_else(|| {
            let number = 1 + text[..begin].matches('\n').count();
            wrong(name, number, "a topic needs <num> and <title>")
        })?;
        topics.push(topic);
        rest = &body[body_end..];
    }
    Ok(topics)
}

fn topic(body: &str) -> Option<Topic> {
    let id = field(body, "num").map(|id| without_prefix(id, "Number:"))?;
    let query = field(body, "title").map(|query| without_prefix(query, "Topic:"))?;
    let collapsed = query.split_whitespace().collect::<Vec<_>>().join(" ");
    // Queries of the Blog Track stand in quotation marks where they are phrases.
    let query = collapsed.trim_matches('"').trim().to_owned();
    (!id.is_empty() && !query.is_empty()).then(|| Topic { id: id.to_owned(), query })
}

/// What stands between a tag and the next one.
fn field<'a>(body: &'a str, tag: &str) -> Option<&'a str> {
    let start = body.find(&format!("<{tag}>"))? + tag.len() + 2;
    let value = body.get(start..)?;
    Some(value.split('<').next().unwrap_or_default().trim())
}

fn without_prefix<'a>(value: &'a str, prefix: &str) -> &'a str {
    value.strip_prefix(prefix).unwrap_or(value).trim()
}

/// Reads judgements. A negative grade, as TREC has it for spam, is not relevant.
pub fn judgements(name: &str, text: &str) -> Result<Judgements, Error> {
    let mut judgements = Judgements::default();
    for (line, number) in text.lines().zip(1..) {
        let parts: Vec<&str> = line.split_whitespace().collect();
        if parts.is_empty() {
            continue;
        }
        let [topic, _, document, grade] = parts[..] else {
            return Err(wrong(name, number, "write topic, 0, document and grade"));
        };
        let Ok(grade) = grade.parse::<i32>() else {
            return Err(wrong(name, number, &format!("{grade} is no grade; write 0, 1, 2, …")));
        };
        judgements.add(topic, document, u32::try_from(grade).unwrap_or(0));
    }
    Ok(judgements)
}

/// Writes results as a run: the documents of each topic, the best first, with their scores.
pub fn run<'a>(
    name: &str,
    results: impl IntoIterator<Item = (&'a str, &'a [(String, f32)])>,
) -> String {
    let mut text = String::new();
    for (topic, documents) in results {
        for ((document, score), place) in documents.iter().zip(1..) {
            // Whitespace separates the columns.
            let document = without_spaces(document);
            let _ = writeln!(text, "{topic} Q0 {document} {place} {score} {name}");
        }
    }
    text
}

fn wrong(name: &str, line: usize, what: &str) -> Error {
    Error::new(format!("{name}:{line}: {what}"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const BLOG_TRACK: &str = "\n<top>\n<num> Number: 851 </num>\n<title> \"March of the\n Tides\" </title>\n\n\
        <desc> Description:\nOpinions of the film.\n</desc>\n</top>\n<top>\n<num> Number: 852\n<title> pier\n<desc> x\n";

    fn topic(id: &str, query: &str) -> Topic {
        Topic { id: id.into(), query: query.into() }
    }

    #[test]
    fn topics_of_both_kinds() {
        let read = topics("t", BLOG_TRACK).unwrap();
        assert_eq!(read, [topic("851", "March of the Tides"), topic("852", "pier")]);
        let read = topics("t", "# our own\n7\thigh  water\n\n8\tebb\n").unwrap();
        assert_eq!(read, [topic("7", "high  water"), topic("8", "ebb")]);
    }

    #[test]
    fn what_is_wrong_has_a_line() {
        for (text, message) in [
            ("7\thigh water\nebb", "t:2: write a topic's number, a tab and its query"),
            ("\n<top>\n<num> 7\n</top>", "t:2: a topic needs <num> and <title>"),
            ("7\ta\n7\tb", "t: two topics are called 7"),
            (" \n", "t: no topics; write lines of number, tab and query"),
        ] {
            assert_eq!(topics("t", text).unwrap_err().to_string(), message);
        }
        for (text, message) in [
            ("851 0 a 1\n851 0 b", "q:2: write topic, 0, document and grade"),
            ("851 0 a high", "q:1: high is no grade; write 0, 1, 2, …"),
        ] {
            assert_eq!(judgements("q", text).unwrap_err().to_string(), message);
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        let all = [topic("7", "high  water"), topic("a-b", "ebb")];
        let text = topics_file(&all);
        assert_eq!(topics("t", &text).unwrap(), [topic("7", "high water"), topic("a-b", "ebb")]);
        let mut given = Judgements::default();
        given.add("7", "https://quay.example/1", 3);
        given.add("a-b", "2", 0);
        assert_eq!(judgements("q", &given.file()).unwrap(), given);
        given.add("a b", "c d", 1);
        assert!(given.file().contains("a%20b 0 c%20d 1\n"));
    }

    #[test]
    fn judgements_with_grades_and_spam() {
        let read = judgements("q", "851 0 a 4\n851 0 b -1\n\n851 0 c 0\n852 0 a 1\n").unwrap();
        assert_eq!((read.grade("851", "a"), read.grade("851", "b")), (4, 0));
        assert_eq!((read.grade("852", "b"), read.grade("9", "a")), (0, 0));
        assert_eq!((read.relevant("851"), read.topics()), (vec![4], 2));
        assert_eq!(read.documents().len(), 3);
    }

    #[test]
    fn a_run_has_six_columns() {
        let found = [("a".to_owned(), 2.5), ("b c".to_owned(), 1.0)];
        let text = run("strata", [("851", &found[..])]);
        assert_eq!(text, "851 Q0 a 1 2.5 strata\n851 Q0 b%20c 2 1 strata\n");
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "[<>/a-z0-9\t\n \"é-]{0,80}", tag in "(<top>|<num>|<title>|</top>| )*") {
            let _ = topics("t", &format!("{tag}{text}{tag}{text}"));
            let _ = judgements("q", &text);
        }
    }
}
