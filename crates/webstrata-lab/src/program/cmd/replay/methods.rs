//! The ways to extract that are compared.

use std::collections::HashMap;

use webstrata::{Extractor, Options};
use webstrata_corpus::segmentation::TemplateRemoval;
use webstrata_lab::outputs::ToolTexts;
use webstrata_lab::scores::Gold;
use webstrata_site::template::{Reading, SiteExtractor};
use webstrata_site::url_key::UrlKey;
use webstrata_site::url_tree::{Bounds, Heuristic, UrlTree};

use super::line::Line;
use webstrata_terminal::batch;

/// The paper's Table 2, as far as it is built in: boilerpipe's DE, AE, ASE, LCE and NWRE.
const BOILERPIPE: [&str; 5] = ["default", "article", "sentences", "largest", "num-words"];

/// How good a text is.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Score {
    /// F1 of the bags of tokens and of their longest common subsequence.
    pub(crate) bag: f64,
    pub(crate) lcs: f64,
    /// Precision and recall of the latter.
    pub(crate) precision: f64,
    pub(crate) recall: f64,
}

/// How good the texts of one page are.
pub(crate) struct Outcome {
    pub(crate) domain: String,
    /// The pages of its domain so far, this one among them.
    pub(crate) seen: u32,
    /// For each method; nothing where a tool has no text of the page.
    pub(crate) scores: Vec<Option<Score>>,
}

/// All methods, with what they know.
pub(crate) struct Methods {
    /// The heuristics of the paper, on a tree of their own: pages are cut otherwise.
    heuristics: Vec<SiteExtractor>,
    pub(crate) texts: UrlTree,
    plain: SiteExtractor,
    strata: SiteExtractor,
    pub(crate) strata_tree: UrlTree,
    others: Vec<&'static Extractor>,
    tools: Vec<ToolTexts>,
    seen: HashMap<String, u32>,
    jobs: usize,
}

impl Methods {
    pub(crate) fn new(
        heuristics: &[Heuristic],
        bounds: Bounds,
        similar: bool,
        tools: Vec<ToolTexts>,
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
            others: BOILERPIPE.iter().map(|name| named(name)).collect(),
            tools,
            seen: HashMap::new(),
            jobs,
        }
    }

    pub(crate) fn names(&self) -> Vec<String> {
        let heuristics = self.heuristics.iter().map(|one| one.heuristic.to_string());
        let strata = ["strata", "strata+site"].map(str::to_owned);
        let others = BOILERPIPE.map(|name| format!("boilerpipe {name}"));
        let tools = self.tools.iter().map(|tool| tool.name().to_owned());
        let removal = std::iter::once("template removal".to_owned());
        heuristics.chain(strata).chain(others).chain(removal).chain(tools).collect()
    }

    /// How many heuristics come first.
    pub(crate) fn heuristics(&self) -> Vec<Heuristic> {
        self.heuristics.iter().map(|one| one.heuristic).collect()
    }

    /// The texts of what knows no other page.
    fn alone(&self, line: &Line, options: &Options) -> Vec<String> {
        let html = line.html.as_bytes();
        // All cut pages in the same way.
        let document = webstrata::read(html, self.others[0].cutting, options);
        let own = |extractor: &&Extractor| {
            let mut document = document.clone();
            extractor.apply(&mut document);
            document.text()
        };
        let mut texts: Vec<String> = self.others.iter().map(own).collect();
        texts.push(TemplateRemoval::default().extract(html, options).text());
        texts
    }

    /// Extracts pages in all ways and scores the texts.
    pub(crate) fn judge(&mut self, pages: &[(UrlKey, Line)]) -> Vec<Outcome> {
        let options = Options::default();
        let readings = batch::side_by_side(pages, self.jobs, |(_, line)| {
            let html = line.html.as_bytes();
            let alone = self.alone(line, &options);
            (self.plain.read(html, &options), self.strata.read(html, &options), alone)
        });
        let mut judged = Vec::with_capacity(pages.len());
        for ((key, line), (plain, strata, alone)) in pages.iter().zip(readings) {
            self.texts.insert(&mut plain.visit(key.clone(), line.time()));
            let own = |one: &SiteExtractor| {
                let mut document = plain.document().clone();
                one.judge_document(&mut document, &plain.keys, key, &self.texts);
                document.text()
            };
            let mut texts: Vec<Option<String>> =
                self.heuristics.iter().map(own).map(Some).collect();
            texts.push(Some(strata.document().text()));
            texts.push(Some(self.with_site(strata, key, line, &options)));
            texts.extend(alone.into_iter().map(Some));
            texts.extend(self.tools.iter().map(|tool| tool.of(&line.id).map(str::to_owned)));
            let seen = self.seen.entry(key.domain().to_owned()).or_default();
            *seen += 1;
            judged.push((key.domain(), *seen, texts, &line.gold_text));
        }
        let outcomes = batch::side_by_side(&judged, self.jobs, |(domain, seen, texts, gold)| {
            let mut gold = Gold::new(gold);
            let score = |text: &String| {
                let (bag, lcs) = gold.bag_and_lcs(text);
                let (precision, recall) = (lcs.precision, lcs.recall);
                Score { bag: bag.f1, lcs: lcs.f1, precision, recall }
            };
            let mut score = score;
            let scores = texts.iter().map(|text| text.as_ref().map(&mut score)).collect();
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
