//! What holds for any question. The targets of `fuzz/` include this file.

use std::sync::Arc;

use webstrata_search::{
    Date, Entry, Filters, Index, IndexOptions, Level, Matching, Piece, Query, Searcher, Within,
    WriterOptions,
};

thread_local! {
    static SEARCHER: Arc<Searcher> = searcher();
}

fn searcher() -> Arc<Searcher> {
    let folder = tempfile::tempdir().expect("a folder");
    let index = Index::create(folder.path(), &IndexOptions::default()).expect("an index");
    let mut writer = index.writer(&WriterOptions::default()).expect("a writer");
    let ferry = "Every hour a ferry goes to the two islands, but on holidays; the bus does not.";
    let entry = |id: &str, title: &str, main: &str| Entry {
        id: id.into(),
        url: Some(id.into()),
        title: title.into(),
        main: main.into(),
        boilerplate: "Imprint Jobs and bus tickets\n".into(),
        host: Some("www.example.org".into()),
        language: Some("pt-br".into()),
        date: Date::parse("2026-03-04"),
        page_type: Some("article".into()),
        pieces: vec![
            Piece { words: 20, density: 12.0, text: main.into() },
            Piece { words: 4, density: 4.0, text: "Imprint Jobs bus tickets".into() },
        ],
        ..Entry::default()
    };
    for entry in [
        entry("https://www.example.org/ferry", "An hourly ferry", ferry),
        entry("https://www.example.org/bus", "The bus", "The bus stops at the ferry. Zoë's café!"),
        entry("https://www.example.org/school", "学校", "我们在北京大学学习"),
    ] {
        writer.add(&entry).expect("a page");
    }
    writer.finish().expect("an index");
    let searcher = index.searcher().expect("a searcher");
    // The searcher has its files mapped.
    drop(folder);
    searcher
}

/// A question; the first two bytes say how it is asked.
pub(crate) fn question(bytes: &[u8]) {
    let [choices, more, text @ ..] = bytes else { return };
    let Ok(text) = str::from_utf8(text) else { return };
    // Behind a line break stands what is filtered by.
    let (text, filter) = text.split_once('\n').unwrap_or((text, ""));
    let filter_by = |bit: u8| (more & bit != 0).then(|| filter.to_owned());
    let query = Query {
        filters: Filters {
            host: filter_by(1),
            language: filter_by(2),
            page_type: filter_by(4),
            from: filter_by(8).and_then(|date| Date::parse(&date)),
            to: filter_by(16).and_then(|date| Date::parse(&date)),
        },
        within: Within::ALL[usize::from(choices % 3)].0,
        matching: [Matching::AllOrElseAny, Matching::All, Matching::Any]
            [usize::from(choices / 4 % 3)],
        level: match choices / 16 % 4 {
            1 => Some(Level::Words(5)),
            2 => Some(Level::Density(5)),
            _ => None,
        },
        offset: usize::from(more >> 5),
        limit: usize::from(choices >> 6),
        ..Query::new(text)
    };
    SEARCHER.with(|searcher| {
        let hits = searcher.search(&query).expect("any text is a question");
        assert!(hits.hits.len() as u64 <= hits.total.min(query.limit as u64) && hits.total <= 3);
        for hit in &hits.hits {
            assert!(hit.score.is_finite() && hit.text_score >= 0.0);
            let html = hit.snippet.html();
            assert_eq!(html.matches("<mark>").count(), html.matches("</mark>").count());
        }
    });
}

#[cfg(test)]
mod tests {
    use super::question;
    use crate::corpora::hold;

    #[test]
    fn corpora_hold() {
        hold("question", question);
    }
}
