//! How often the facets that are suggested are right, and how often others would be.
//!
//! The thesis searched for 165 phrases that belong to categories of the Open Directory, and counted those for which
//! neither the category nor one above it was suggested: 13 of the 155 with results, so that 91.6 % were right. A
//! system that suggests everything is always right, so the share alone means little: beside it stand how many
//! facets were suggested, and how often as many would have been right that were drawn at random, or that are
//! suggested most often over all searches.

use std::collections::BTreeMap;

use serde::Serialize;

use super::parent;

/// A search whose topic is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// The path of the topic.
    pub topic: String,
    /// The paths of the facets that were suggested, the best first; nothing where the search had no results.
    pub suggested: Option<Vec<String>>,
}

/// A topic and what was suggested for it.
type Answered<'a> = (&'a str, Vec<&'a str>);

/// How often suggestions were right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Evaluation {
    /// Searches.
    pub queries: usize,
    /// Those with results.
    pub answered: usize,
    /// The share of these for which the topic itself was suggested.
    pub exact: f64,
    /// The share for which it or one above it was suggested: the thesis' 91.6 %.
    pub right: f64,
    /// The share for which that was the facet with the largest share.
    pub first: f64,
    /// How many facets were suggested for a search, in the mean.
    pub suggested: f64,
    /// How often as many facets drawn at random would have been right.
    pub random: f64,
    /// How often as many of the facets that are suggested most often would have been right.
    pub popular: f64,
}

/// Judges suggestions; `facets` are the paths that can be suggested, without those that are no topics: the root and
/// general importance.
pub fn evaluate(cases: &[Case], facets: &[&str]) -> Evaluation {
    let is_facet = |path: &&String| facets.contains(&path.as_str());
    let answered: Vec<Answered<'_>> = cases
        .iter()
        .filter_map(|case| {
            let suggested = case.suggested.as_ref()?.iter().filter(is_facet).map(String::as_str);
            Some((&case.topic[..], suggested.collect()))
        })
        .collect();
    let popular = by_popularity(&answered);
    let mean = |value: &dyn Fn(&Answered<'_>) -> f64| {
        answered.iter().map(value).sum::<f64>() / answered.len().max(1) as f64
    };
    let share = |is: &dyn Fn(&str, &[&str]) -> bool| {
        mean(&|(topic, suggested)| f64::from(u8::from(is(topic, suggested))))
    };
    let right =
        |topic: &str, suggested: &[&str]| suggested.iter().any(|path| is_above(path, topic));
    Evaluation {
        queries: cases.len(),
        answered: answered.len(),
        exact: share(&|topic, suggested| suggested.contains(&topic)),
        right: share(&right),
        first: share(&|topic, suggested| right(topic, &suggested[..suggested.len().min(1)])),
        suggested: mean(&|(_, suggested)| suggested.len() as f64),
        random: mean(&|(topic, suggested)| {
            let accepted = facets.iter().filter(|path| is_above(path, topic)).count();
            chance(facets.len(), accepted, suggested.len())
        }),
        popular: share(&|topic, suggested| {
            right(topic, &popular[..suggested.len().min(popular.len())])
        }),
    }
}

/// Is it the topic or one above it?
fn is_above(path: &str, topic: &str) -> bool {
    std::iter::successors(Some(topic), |path| parent(path)).any(|above| above == path)
}

fn by_popularity<'a>(answered: &[Answered<'a>]) -> Vec<&'a str> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for path in answered.iter().flat_map(|(_, suggested)| suggested) {
        *counts.entry(path).or_default() += 1;
    }
    let mut paths: Vec<(&str, usize)> = counts.into_iter().collect();
    paths.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    paths.into_iter().map(|(path, _)| path).collect()
}

/// How likely at least one of `accepted` is among `drawn` of `all`.
fn chance(all: usize, accepted: usize, drawn: usize) -> f64 {
    let others = all.saturating_sub(accepted);
    if drawn > others {
        return if accepted > 0 { 1.0 } else { 0.0 };
    }
    1.0 - (0..drawn).map(|at| (others - at) as f64 / (all - at) as f64).product::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(topic: &str, suggested: &[&str]) -> Case {
        let suggested = suggested.iter().map(|path| (*path).to_owned()).collect();
        Case { topic: topic.into(), suggested: Some(suggested) }
    }

    #[test]
    fn topics_and_those_above_them_are_right() {
        let facets = ["sea", "sea/tides", "land", "land/hills"];
        let cases = [
            case("sea/tides", &["general importance", "sea", "land"]),
            case("sea/tides", &["land", "sea/tides"]),
            case("land/hills", &["sea", "land/hills/far"]),
            case("sea", &["sea/tides"]),
            Case { topic: "sea".into(), suggested: None },
        ];
        let found = evaluate(&cases, &facets);
        assert_eq!((found.queries, found.answered), (5, 4));
        assert_eq!((found.exact, found.right, found.first), (0.25, 0.5, 0.25));
        assert_eq!(found.suggested, 6.0 / 4.0);
        // Of four facets two are right for three of the cases, one for the last.
        let two_of_four = 1.0 - (2.0 / 4.0) * (1.0 / 3.0);
        let random = (2.0 * two_of_four + 2.0 / 4.0 + 1.0 / 4.0) / 4.0;
        assert!((found.random - random).abs() < 1e-12, "{found:?}");
        // `land`, `sea` and `sea/tides` were suggested twice each.
        assert_eq!(found.popular, 3.0 / 4.0);
        assert_eq!(evaluate(&[], &facets), Evaluation::default());
    }

    #[test]
    fn names_that_only_begin_alike_are_others() {
        assert!(is_above("sea", "sea/tides") && is_above("sea/tides", "sea/tides"));
        assert!(!is_above("sea", "seaside") && !is_above("sea/tides", "sea"));
        assert_eq!((chance(3, 1, 3), chance(3, 0, 3), chance(4, 1, 1)), (1.0, 0.0, 0.25));
    }
}
