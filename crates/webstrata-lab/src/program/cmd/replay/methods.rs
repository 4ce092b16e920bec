//! The ways to extract that are compared.

use std::collections::HashMap;

use webstrata::{Extractor, Options};
use webstrata_lab::scores::Gold;
use webstrata_site::template::{Reading, SiteExtractor};
use webstrata_site::url_key::UrlKey;
use webstrata_site::url_tree::{Bounds, Heuristic, UrlTree};

use super::line::Line;
use webstrata_terminal::batch;

/// How good the texts of one page are.
pub(crate) struct Outcome {
    pub(crate) domain: String,
    /// The pages of its domain so far, this one among them.
    pub(crate) seen: u32,
    /// For each method, F1 of the bags of tokens and of their longest common subsequence.
    pub(crate) scores: Vec<[f64; 2]>,
}

/// All methods, with what they know.
pub(crate) struct Methods {
    /// The heuristics of the paper, on a tree of their own: pages are cut otherwise.
    heuristics: Vec<SiteExtractor>,
    pub(crate) texts: UrlTree,
    plain: SiteExtractor,
    strata: SiteExtractor,
    pub(crate) strata_tree: UrlTree,
    seen: HashMap<String, u32>,
    jobs: usize,
}

impl Methods {
    pub(crate) fn new(
        heuristics: &[Heuristic],
        bounds: Bounds,
        similar: bool,
        jobs: usize,
    ) -> Methods {
        let tree = || if similar { UrlTree::of_similar(bounds) } else { UrlTree::new(bounds) };
        let named = |name: &str| Extractor::named(name).expect("a built-in extractor");
        let reader = |name: &str, heuristic: Heuristic| {
            let mut reader = SiteExtractor::new(named(name));
            (reader.heuristic, reader.is_similar) = (heuristic, similar);
            reader
        };
        Methods {
            heuristics: heuristics.iter().map(|one| reader("site", *one)).collect(),
            texts: tree(),
            plain: reader("site", Heuristic::default()),
            strata: reader("strata+site", Heuristic::default()),
            strata_tree: tree(),
            seen: HashMap::new(),
            jobs,
        }
    }

    pub(crate) fn names(&self) -> Vec<String> {
        let heuristics = self.heuristics.iter().map(|one| one.heuristic.to_string());
        heuristics.chain(["strata".to_owned(), "strata+site".to_owned()]).collect()
    }

    /// Extracts pages in all ways and scores the texts.
    pub(crate) fn judge(&mut self, pages: &[(UrlKey, Line)]) -> Vec<Outcome> {
        let options = Options::default();
        let readings = batch::side_by_side(pages, self.jobs, |(_, line)| {
            let html = line.html.as_bytes();
            (self.plain.read(html, &options), self.strata.read(html, &options))
        });
        let mut judged = Vec::with_capacity(pages.len());
        for ((key, line), (plain, strata)) in pages.iter().zip(readings) {
            self.texts.insert(&mut plain.visit(key.clone(), line.time()));
            let own = |one: &SiteExtractor| {
                let mut document = plain.document().clone();
                one.judge_document(&mut document, &plain.keys, key, &self.texts);
                document.text()
            };
            let mut texts: Vec<String> = self.heuristics.iter().map(own).collect();
            texts.push(strata.document().text());
            texts.push(self.with_site(strata, key, line, &options));
            let seen = self.seen.entry(key.domain().to_owned()).or_default();
            *seen += 1;
            judged.push((key.domain(), *seen, texts, &line.gold_text));
        }
        let outcomes = batch::side_by_side(&judged, self.jobs, |(domain, seen, texts, gold)| {
            let mut gold = Gold::new(gold);
            let score = |text: &String| {
                let (bag, lcs) = gold.bag_and_lcs(text);
                [bag.f1, lcs.f1]
            };
            let scores = texts.iter().map(score).collect();
            (!gold.is_empty()).then(|| Outcome {
                domain: (*domain).to_owned(),
                seen: *seen,
                scores,
            })
        });
        outcomes.into_iter().flatten().collect()
    }

    fn with_site(
        &mut self,
        reading: Reading<'_>,
        key: &UrlKey,
        line: &Line,
        options: &Options,
    ) -> String {
        self.strata_tree.insert(&mut reading.visit(key.clone(), line.time()));
        self.strata.judge(reading, key, &self.strata_tree, options).document.text()
    }
}
