//! What cross-validation says, in numbers.

use std::collections::BTreeSet;

use serde::Serialize;
use webstrata::PageType;

use super::{F1, GOOD, Sample, Samples, Validation};

/// Of languages with fewer pages nothing can be said.
const LEAST_OF_LANGUAGE: usize = 10;

/// How good the texts of some pages are.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// The set or the type of page.
    pub name: String,
    /// Pages with a gold text.
    pub pages: usize,
    /// The mean of the F1 of words of all blocks that were kept.
    pub flat: f64,
    /// The same of the texts that are written by default.
    pub by_default: f64,
    /// The same of the texts that are written by the set's convention.
    pub own: f64,
    /// The share of pages with an F1 above 0.95, by the set's convention.
    pub near_perfect: f64,
    /// The share of pages with an F1 below 0.5, by the set's convention.
    pub failed: f64,
    /// The mean confidence in these pages' texts.
    pub confidence: f64,
    /// What the confidence should be: the share of pages with an F1 of [`GOOD`] or more.
    pub good: f64,
}

/// How often a page is nearly right where the confidence is in some range.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Calibration {
    /// The least confidence of these pages.
    pub from: f32,
    /// Pages.
    pub pages: usize,
    /// The mean confidence.
    pub confidence: f64,
    /// The share of pages with an F1 of [`GOOD`] or more.
    pub good: f64,
}

/// What cross-validation says.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// By set.
    pub sets: Vec<Row>,
    /// By type of page, where people told it.
    pub page_types: Vec<Row>,
    /// By language, where people told it and there are enough pages.
    pub languages: Vec<Row>,
    /// The share of pages whose type is right.
    pub types_right: f64,
    /// Among pages with at least so much confidence.
    pub at_least: Vec<Calibration>,
    /// By tenths of confidence.
    pub tenths: Vec<Calibration>,
}

impl Summary {
    /// Sums up a validation.
    pub fn of(samples: &Samples, validation: &Validation) -> Summary {
        let row = |name: &str, is_one: &dyn Fn(&Sample) -> bool| {
            let outcomes = validation.outcomes.iter().zip(&validation.judged);
            let pages = samples.pages.iter().zip(outcomes).filter(|(page, _)| is_one(page));
            let scores: Vec<(F1, f32)> =
                pages.filter_map(|(_, (outcome, judged))| Some((outcome.f1?, judged.1))).collect();
            let mean = |value: &dyn Fn(&F1) -> f64| {
                scores.iter().map(|(f1, _)| value(f1)).sum::<f64>() / scores.len().max(1) as f64
            };
            let sure = scores.iter().map(|(_, sure)| f64::from(*sure)).sum::<f64>();
            Row {
                name: name.to_owned(),
                pages: scores.len(),
                flat: mean(&|f1| f1.flat),
                by_default: mean(&|f1| f1.by_default),
                own: mean(&|f1| f1.own),
                near_perfect: mean(&|f1| f64::from(u8::from(f1.own > 0.95))),
                failed: mean(&|f1| f64::from(u8::from(f1.own < 0.5))),
                confidence: sure / scores.len().max(1) as f64,
                good: mean(&|f1| f64::from(u8::from(f1.own >= GOOD))),
            }
        };
        let sets = samples.sets.iter().enumerate();
        let sets = sets.map(|(set, name)| row(name, &|page| page.set == set)).collect();
        let types = PageType::ALL.iter();
        let page_types =
            types.map(|(kind, name)| row(name, &|page| page.page_type == Some(*kind))).collect();
        let languages: BTreeSet<&String> =
            samples.pages.iter().filter_map(|page| page.language.as_ref()).collect();
        let of_language =
            |name: &String| row(name, &|page: &Sample| page.language.as_ref() == Some(name));
        let languages = languages.into_iter().map(of_language);
        let languages = languages.filter(|row| row.pages >= LEAST_OF_LANGUAGE).collect();
        let told = samples.pages.iter().zip(&validation.judged);
        let told: Vec<bool> =
            told.filter_map(|(page, (kind, _))| Some(page.page_type? == *kind)).collect();
        let right = told.iter().filter(|right| **right).count();
        let calibration = |from: f32, to: f32| {
            let pages = validation.judged.iter().zip(&validation.outcomes);
            let pages = pages.filter_map(|((_, sure), outcome)| Some((*sure, outcome.f1?.own)));
            let pages: Vec<_> = pages.filter(|(sure, _)| (from..to).contains(sure)).collect();
            let share = |sum: f64| sum / pages.len().max(1) as f64;
            Calibration {
                from,
                pages: pages.len(),
                confidence: share(pages.iter().map(|(sure, _)| f64::from(*sure)).sum()),
                good: share(pages.iter().filter(|(_, f1)| *f1 >= GOOD).count() as f64),
            }
        };
        let tenth = |tenth: u8| f32::from(tenth) / 10.0;
        Summary {
            sets,
            page_types,
            languages,
            types_right: right as f64 / told.len().max(1) as f64,
            at_least: [0.5, 0.7, 0.8, 0.9].map(|from| calibration(from, 2.0)).into(),
            tenths: (0..10).map(|t| calibration(tenth(t), tenth(t + 1))).collect(),
        }
    }
}
