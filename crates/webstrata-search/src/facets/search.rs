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
    use crate::{Entry, Index, IndexOptions, WriterOptions};

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
