//! Facets of searches in a web that is made up.

use std::path::Path;

use webstrata_lab::retrieval::topical_web::{Options, TopicalWeb, WebPage};
use webstrata_search::facets::evaluation::{Case, evaluate};
use webstrata_search::facets::{FacetOptions, facets_of, topics_of};
use webstrata_search::ranks::TOPIC;
use webstrata_search::{
    Entry, Facet, GENERAL, Index, IndexOptions, Mix, Query, Ranks, WriterOptions,
};

/// PageRank by the plainest means: ranks that jump to `set` (Equation 3.3).
fn pagerank(pages: &[WebPage], set: &[usize]) -> Vec<f32> {
    let jump = 1.0 / set.len().max(1) as f64;
    let mut jumps = vec![0.0; pages.len()];
    set.iter().for_each(|page| jumps[*page] = jump);
    let mut ranks = jumps.clone();
    for _ in 0..40 {
        let mut next: Vec<f64> = jumps.iter().map(|jump| 0.15 * jump).collect();
        for (page, rank) in pages.iter().zip(&ranks) {
            for link in &page.links {
                next[*link] += 0.85 * rank / page.links.len() as f64;
            }
        }
        ranks = next;
    }
    ranks.into_iter().map(|rank| rank as f32).collect()
}

/// An index of the web's texts with the ranks of its directory.
fn index(web: &TopicalWeb, folder: &Path) -> Index {
    let index = Index::create(folder, &IndexOptions { levels: false, texts: Vec::new() }).unwrap();
    let mut writer = index.writer(&WriterOptions::default()).unwrap();
    for page in &web.pages {
        let entry = Entry {
            id: page.url.clone(),
            main: page.text.clone(),
            host: Some(page.url.split('/').nth(2).unwrap().to_owned()),
            language: Some("en".into()),
            ..Entry::default()
        };
        writer.add(&entry).unwrap();
    }
    writer.finish().unwrap();
    let mut ranks = Ranks::new();
    let all: Vec<usize> = (0..web.pages.len()).collect();
    ranks.add(Facet::topic(GENERAL), &pagerank(&web.pages, &all));
    for topic in 0..web.topics.len() {
        let path = &web.topics[topic].path;
        let is_below = |page: &WebPage| {
            let own = page.topic.map_or("", |topic| &web.topics[topic].path);
            page.listed && (own == path || own.starts_with(&format!("{path}/")))
        };
        let set: Vec<usize> = all.iter().copied().filter(|at| is_below(&web.pages[*at])).collect();
        ranks.add(Facet::topic(path), &pagerank(&web.pages, &set));
    }
    index.write_ranks(&ranks).unwrap();
    index
}

#[test]
fn nine_in_ten_searches_suggest_their_topic() {
    let folder = tempfile::tempdir().unwrap();
    let web = TopicalWeb::new(&Options { pages: 20, ..Options::default() });
    let index = index(&web, folder.path());
    let searcher = index.searcher().unwrap();
    let cases: Vec<Case> = web
        .queries(1)
        .into_iter()
        .map(|(topic, words)| {
            let found = facets_of(&searcher, &Query::new(words), &FacetOptions::default()).unwrap();
            Case { topic: web.topics[topic].path.clone(), suggested: found.suggested(TOPIC) }
        })
        .collect();
    let facets: Vec<&str> = web.topics.iter().map(|topic| &topic.path[..]).collect();
    let found = evaluate(&cases, &facets);
    assert!(found.answered * 10 >= found.queries * 9, "{found:?}");
    assert!(found.right >= 0.9 && found.exact >= 0.9, "{found:?}");
    // Suggesting everything would be right, too.
    assert!(found.suggested < 12.0 && found.random < 0.3, "{found:?}");
}

#[test]
fn dimensions_of_a_search() {
    let folder = tempfile::tempdir().unwrap();
    let web = TopicalWeb::new(&Options { branches: vec![3, 2], pages: 10, ..Options::default() });
    let index = index(&web, folder.path());
    let searcher = index.searcher().unwrap();
    let query = Query::new(&web.topics[4].words[0]);
    let found = facets_of(&searcher, &query, &FacetOptions::default()).unwrap();
    let names: Vec<&str> = found.dimensions.iter().map(|dimension| &dimension.name[..]).collect();
    assert_eq!(names, ["topic", "host", "language"]);
    assert_eq!(
        (&found.dimensions[2].facets[0].name[..], found.dimensions[2].facets[0].share),
        ("en", 1.0)
    );
    let none = facets_of(&searcher, &Query::new("nosuchword"), &FacetOptions::default()).unwrap();
    assert_eq!((none.total, none.dimensions.len()), (0, 0));
    // Below a topic that was chosen, its children are looked at.
    let chosen = Query { mix: Mix::facet(&web.topics[0].path), ..query };
    let below = facets_of(&searcher, &chosen, &FacetOptions::default()).unwrap();
    assert_eq!(below.total, found.total);
    let ranks = searcher.ranks().unwrap();
    let page = web.pages.iter().position(|page| page.listed).unwrap() as u64;
    let topics = topics_of(ranks, page, 0.1);
    assert!(topics.is_sorted_by(|a, b| a.1 >= b.1) && !topics.is_empty());
}
