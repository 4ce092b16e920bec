//! Dimensions whose facets stand in the pages' own data: host, language, page type, date.

use std::collections::HashMap;

use super::{Dimension, FacetShare};

/// How many facets of a dimension are shown.
pub const MOST_SHOWN: usize = 20;

/// Shares of pages by a value that each of them has or has not. Pages without one count as pages: shares are of all.
pub fn counted<S: AsRef<str>>(
    name: &str,
    pages: usize,
    values: impl IntoIterator<Item = S>,
) -> Dimension {
    let mut counts: HashMap<String, u64> = HashMap::new();
    for value in values {
        *counts.entry(value.as_ref().to_owned()).or_default() += 1;
    }
    let facet = |(value, count): (String, u64)| {
        FacetShare::new(value, None, count as f64 / pages.max(1) as f64)
    };
    dimension(name, counts.into_iter().map(facet).collect())
}

/// Shares by year, and by month below it: `2026`, `2026-11`. Dates begin with these; others do not count.
pub fn counted_dates<S: AsRef<str>>(
    name: &str,
    pages: usize,
    dates: impl IntoIterator<Item = S>,
) -> Dimension {
    let mut counts: HashMap<String, u64> = HashMap::new();
    for date in dates {
        for part in [date.as_ref().get(..4), date.as_ref().get(..7)].into_iter().flatten() {
            *counts.entry(part.to_owned()).or_default() += 1;
        }
    }
    let facet = |(date, count): (String, u64)| {
        let year = (date.len() > 4).then(|| date[..4].to_owned());
        FacetShare::new(date, year, count as f64 / pages.max(1) as f64)
    };
    let facets =
        counts.into_iter().filter(|(date, _)| date.starts_with(|c: char| c.is_ascii_digit()));
    dimension(name, facets.map(facet).collect())
}

fn dimension(name: &str, mut facets: Vec<FacetShare>) -> Dimension {
    facets.sort_by(|a, b| b.share.total_cmp(&a.share).then_with(|| a.name.cmp(&b.name)));
    facets.truncate(MOST_SHOWN);
    Dimension { name: name.to_owned(), facets }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(dimension: &Dimension) -> Vec<(String, Option<String>, f64)> {
        let facets = dimension.facets.iter();
        facets.map(|facet| (facet.name.clone(), facet.parent.clone(), facet.share)).collect()
    }

    #[test]
    fn pages_without_a_value_count_as_pages() {
        let languages = counted("language", 4, ["en", "de", "en"]);
        assert_eq!(shown(&languages), [("en".into(), None, 0.5), ("de".into(), None, 0.25)]);
        assert!(languages.facets[0].highlighted && languages.facets[1].highlighted);
        assert!(counted("language", 0, [""; 0]).facets.is_empty());
    }

    #[test]
    fn months_are_below_years() {
        let dates = counted_dates("date", 4, ["2026-11-16", "2026-10", "2025", "", "é026-1-1"]);
        let year = Some("2026".to_owned());
        assert_eq!(shown(&dates)[..2], [("2026".into(), None, 0.5), ("2025".into(), None, 0.25)]);
        assert_eq!(
            shown(&dates)[2..],
            [("2026-10".into(), year.clone(), 0.25), ("2026-11".into(), year, 0.25)]
        );
    }

    #[test]
    fn the_most_frequent_are_shown() {
        let hosts: Vec<String> = (0..100).map(|host| format!("{host:03}.example")).collect();
        let dimension = counted("host", 101, hosts.iter().chain([&hosts[77]]));
        assert_eq!(
            (dimension.facets.len(), &dimension.facets[0].name[..]),
            (MOST_SHOWN, "077.example")
        );
    }
}
