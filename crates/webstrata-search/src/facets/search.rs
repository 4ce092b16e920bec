//! The facets of a search in an index.

use webstrata_base::Error;

use super::membership::RelativeRanks;
use super::{
    Against, Dimension, FacetOptions, FacetRanks, Start, counted, counted_dates, dimensions,
    discover, memberships, seed,
};
use crate::collect::Top;
use crate::query::Query;
use crate::ranks::{GENERAL, Mix, Ranks, TOPIC};
use crate::search::Searcher;

impl FacetRanks for Ranks {
    fn facet_count(&self) -> usize {
        self.facets().len()
    }

    fn name(&self, facet: usize) -> &str {
        self.facets().get(facet).map_or("", |facet| &facet.name)
    }

    fn dimension(&self, facet: usize) -> &str {
        self.facets().get(facet).map_or("", |facet| &facet.dimension)
    }

    fn rank(&self, facet: usize, page: u64) -> f32 {
        Ranks::rank(self, facet, page)
    }
}

/// The facets of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// How many pages match.
    pub total: u64,
    /// Those by ranks first, then host, language, page type and date, by counts of the best results. Dimensions of
    /// which no result says anything are left out.
    pub dimensions: Vec<Dimension>,
}

impl Found {
    /// The names of the facets of a dimension, the largest share first; nothing where no page matches.
    pub fn suggested(&self, dimension: &str) -> Option<Vec<String>> {
        let facets =
            self.dimensions.iter().filter(|one| one.name == dimension).flat_map(|one| &one.facets);
        (self.total > 0).then(|| facets.map(|facet| facet.name.clone()).collect())
    }
}

/// Looks for the facets of a search's results. Facets that the query has chosen already (its mix) are where the
/// search for others begins.
pub fn facets_of(
    searcher: &Searcher,
    query: &Query,
    settings: &FacetOptions,
) -> Result<Found, Error> {
    let own = searcher.tops(query, std::slice::from_ref(&query.mix), settings.sample)?;
    let best = own.lists.first().map_or(&[][..], Vec::as_slice);
    let mut found = match searcher.ranks() {
        Some(ranks) if own.total > 0 => by_ranks(searcher, ranks, query, settings)?,
        _ => Vec::new(),
    };
    found.extend(by_counts(searcher, best)?);
    found.retain(|dimension| !dimension.facets.is_empty());
    Ok(Found { total: own.total, dimensions: found })
}

fn by_ranks(
    searcher: &Searcher,
    ranks: &Ranks,
    query: &Query,
    settings: &FacetOptions,
) -> Result<Vec<Dimension>, Error> {
    let chosen: Vec<usize> =
        query.mix.facets.iter().filter_map(|(name, _)| ranks.position(name)).collect();
    let general = ranks.position(GENERAL);
    let lifted = general.map(|unbiased| RelativeRanks { ranks, unbiased });
    let compared: &dyn FacetRanks = match (&lifted, settings.against) {
        (Some(lifted), Against::Unbiased) => lifted,
        _ => ranks,
    };
    let mut found = Vec::new();
    for (name, facets) in dimensions(ranks) {
        let seed = match settings.start {
            Start::Tops => seed(ranks, &facets, general, &chosen),
            Start::Shown if chosen.is_empty() => general.into_iter().collect(),
            Start::Shown => chosen.clone(),
        };
        let shares = discover(compared, &facets, &seed, settings, |asked| {
            let mixes: Vec<Mix> = asked.iter().map(|facet| mix(ranks, *facet, query)).collect();
            let lists = searcher.tops(query, &mixes, settings.sample)?.lists;
            Ok::<_, Error>(
                lists.iter().map(|list| list.iter().map(|top| top.number).collect()).collect(),
            )
        })?;
        found.push(Dimension::of_shares(name, ranks, &shares));
    }
    Ok(found)
}

/// The ranking of one facet, weighted against the text as the query weights its own.
fn mix(ranks: &Ranks, facet: usize, query: &Query) -> Mix {
    Mix { weight: query.mix.weight, ..Mix::facet(ranks.name(facet)) }
}

fn by_counts(searcher: &Searcher, best: &[Top]) -> Result<Vec<Dimension>, Error> {
    let known = searcher.attributes(best)?;
    let pages = known.len();
    let values = known.iter();
    Ok(vec![
        counted("host", pages, values.clone().filter_map(|page| page.host.as_deref())),
        counted("language", pages, values.clone().filter_map(|page| page.language.as_deref())),
        counted("page type", pages, values.clone().filter_map(|page| page.page_type.as_deref())),
        counted_dates(
            "date",
            pages,
            values.filter_map(|page| page.date.map(|date| date.to_string())),
        ),
    ])
}

/// The topics that a page belongs to by at least `threshold`, the surest first.
pub fn topics_of(ranks: &Ranks, page: u64, threshold: f64) -> Vec<(String, f64)> {
    let topics = dimensions(ranks).into_iter().find(|(name, _)| *name == TOPIC);
    let facets = topics.map(|(_, facets)| facets).unwrap_or_default();
    let all = facets.iter().zip(memberships(ranks, &facets, page));
    let mut found: Vec<(String, f64)> = all
        .filter(|(_, membership)| *membership >= threshold)
        .map(|(facet, membership)| (FacetRanks::name(ranks, *facet).to_owned(), membership))
        .collect();
    found.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::topical_web::{Options, TopicalWeb, WebPage};
    use crate::facets::evaluation::{Case, evaluate};
    use crate::{Entry, Facet, Index, IndexOptions, WriterOptions};

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
    fn index(web: &TopicalWeb, folder: &std::path::Path) -> Index {
        let index =
            Index::create(folder, &IndexOptions { levels: false, texts: Vec::new() }).unwrap();
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
            let set: Vec<usize> =
                all.iter().copied().filter(|at| is_below(&web.pages[*at])).collect();
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
                let found =
                    facets_of(&searcher, &Query::new(words), &FacetOptions::default()).unwrap();
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
        let web =
            TopicalWeb::new(&Options { branches: vec![3, 2], pages: 10, ..Options::default() });
        let index = index(&web, folder.path());
        let searcher = index.searcher().unwrap();
        let query = Query::new(&web.topics[4].words[0]);
        let found = facets_of(&searcher, &query, &FacetOptions::default()).unwrap();
        let names: Vec<&str> =
            found.dimensions.iter().map(|dimension| &dimension.name[..]).collect();
        assert_eq!(names, ["topic", "host", "language"]);
        assert_eq!(
            (&found.dimensions[2].facets[0].name[..], found.dimensions[2].facets[0].share),
            ("en", 1.0)
        );
        let none =
            facets_of(&searcher, &Query::new("nosuchword"), &FacetOptions::default()).unwrap();
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

    #[test]
    fn an_index_without_ranks_has_facets_by_counts() {
        let folder = tempfile::tempdir().unwrap();
        let index = Index::create(folder.path(), &IndexOptions::default()).unwrap();
        let mut writer = index.writer(&WriterOptions::default()).unwrap();
        let date = crate::Date::parse("2026-11-16");
        let entry = Entry { id: "a".into(), main: "high water".into(), date, ..Entry::default() };
        writer.add(&entry).unwrap();
        writer.finish().unwrap();
        let searcher = index.searcher().unwrap();
        let found = facets_of(&searcher, &Query::new("water"), &FacetOptions::default()).unwrap();
        assert_eq!(found.dimensions.len(), 1);
        let names: Vec<&str> =
            found.dimensions[0].facets.iter().map(|facet| &facet.name[..]).collect();
        assert_eq!(names, ["2026", "2026-11"]);
    }
}
