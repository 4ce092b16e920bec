//! Any number of invented pages, among them near-duplicates of which it is known how near they are.

use std::collections::VecDeque;

use webstrata::Options;
use webstrata_base::random::Random;

use super::invented::{LAYOUTS, Site, Text, TextKind, Writer};
use webstrata_corpus::similarity::{Part, Sketch};

/// How similar the texts of planted pairs are, about: the Jaccard coefficient.
const LEVELS: [f64; 7] = [1.0, 0.9, 0.75, 0.6, 0.5, 0.4, 0.25];

/// One page in so many repeats another.
const EVERY: usize = 4;

/// Originals that may still be repeated.
const WAITING: usize = 1000;

/// An invented page.
#[derive(Clone, Debug)]
pub struct Planted {
    /// The page itself.
    pub html: String,
    /// The page that it repeats, if it does.
    pub original: Option<Original>,
}

/// What a planted page repeats.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Original {
    /// The number of the page; the first one is 0.
    pub page: usize,
    /// The Jaccard coefficient of the parts that are compared.
    pub similarity: f64,
}

/// Pages without end. Every fourth one repeats an earlier page more or less, mostly on another site;
/// no page is repeated twice, and nothing else has more in common than a site's pages have.
#[derive(Clone, Debug)]
pub struct Planting {
    writer: Writer,
    sites: Vec<Site>,
    random: Random,
    part: Part,
    sketch: Sketch,
    waiting: VecDeque<Waiting>,
    pages: usize,
}

#[derive(Clone, Debug)]
struct Waiting {
    page: usize,
    text: Text,
    shingles: Vec<u64>,
}

impl Planting {
    /// Pages whose similarity is that of `part`, by the shingles of `sketch`.
    pub fn new(part: Part, sketch: Sketch, seed: u64) -> Planting {
        let mut writer = Writer::new(seed);
        let sites = (0..4 * LAYOUTS).map(|layout| Site::new(layout, &mut writer)).collect();
        let random = Random::for_purpose(seed, "planting");
        Planting { writer, sites, random, part, sketch, waiting: VecDeque::new(), pages: 0 }
    }

    fn page(&mut self, text: &Text) -> (String, Vec<u64>) {
        let site = self.random.below(self.sites.len());
        let html = self.sites[site].page(text, &mut self.writer);
        let page = self.part.read(html.as_bytes(), &Options::default());
        let shingles = self.sketch.shingles(self.part.texts(&page));
        (html, shingles)
    }

    fn repeated(&mut self) -> Option<Planted> {
        let chosen = self.random.below(self.waiting.len().max(1));
        let Waiting { page, text, shingles } = self.waiting.swap_remove_back(chosen)?;
        let level = LEVELS[self.random.below(LEVELS.len())];
        // Of two texts with equally many shingles that share the part s, the coefficient is s / (2 - s).
        let edited = self.writer.edited(&text, 2.0 * level / (1.0 + level));
        let (html, edited) = self.page(&edited);
        let original = Original { page, similarity: jaccard(&shingles, &edited) };
        Some(Planted { html, original: Some(original) })
    }

    fn unrelated(&mut self) -> Planted {
        let kind = if self.random.below(2) == 0 { TextKind::Article } else { TextKind::Song };
        let text = self.writer.text(kind);
        let (html, shingles) = self.page(&text);
        if self.waiting.len() == WAITING {
            self.waiting.pop_front();
        }
        self.waiting.push_back(Waiting { page: self.pages, text, shingles });
        Planted { html, original: None }
    }
}

impl Iterator for Planting {
    type Item = Planted;

    fn next(&mut self) -> Option<Planted> {
        let repeats = self.pages % EVERY == EVERY - 1;
        let repeated = if repeats { self.repeated() } else { None };
        let page = repeated.unwrap_or_else(|| self.unrelated());
        self.pages += 1;
        Some(page)
    }
}

/// What two sorted sets have in common, divided by what either has.
pub fn jaccard(a: &[u64], b: &[u64]) -> f64 {
    let (mut i, mut j, mut common) = (0, 0, 0);
    while let (Some(one), Some(other)) = (a.get(i), b.get(j)) {
        common += usize::from(one == other);
        (i, j) = (i + usize::from(one <= other), j + usize::from(other <= one));
    }
    let either = a.len() + b.len() - common;
    if either == 0 { 0.0 } else { common as f64 / either as f64 }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use webstrata_corpus::segmentation::{Method, Segmenter};
    use webstrata_corpus::similarity::{Decision, Index, SimilarityOptions};

    fn largest() -> Part {
        Part::Largest(Segmenter::new(Method::RuleBased))
    }

    /// The parts that are compared, and what they repeat.
    fn planted(pages: usize) -> Vec<(String, Option<Original>)> {
        let planting = Planting::new(largest(), Sketch::new(SimilarityOptions::default()), 5);
        let compared = |page: Planted| {
            let read = largest().read(page.html.as_bytes(), &Options::default());
            (largest().texts(&read).join("\n"), page.original)
        };
        planting.take(pages).map(compared).collect()
    }

    /// For each tenth of similarity, by how much more planted pages are found than the S-curve says.
    fn excess(
        pages: &[(String, Option<Original>)],
        settings: SimilarityOptions,
        seed: u64,
    ) -> [f64; 11] {
        let sketch = Sketch::seeded(settings, seed);
        let mut index = Index::new(settings, usize::MAX);
        let mut tenths = [0.0; 11];
        for (number, (text, original)) in pages.iter().enumerate() {
            let decision = index.add(&number.to_string(), &sketch.text(text).unwrap());
            let found = match decision {
                Decision::Kept => None,
                Decision::Duplicate { of, .. } => Some(of.parse::<usize>().unwrap()),
            };
            if let Some(Original { page, similarity }) = *original {
                let is_found = f64::from(u8::from(found == Some(page)));
                tenths[(10.0 * similarity) as usize] += is_found - settings.found(similarity);
            }
        }
        assert_eq!(index.tally().cut, 0);
        tenths
    }

    /// In the mean over many choices of orders: with one choice, pages of a site are found or missed
    /// together, since they share a notice that may come first or last.
    fn check(settings: SimilarityOptions) {
        let pages = planted(1500);
        let runs: Vec<[f64; 11]> = (0..24).map(|seed| excess(&pages, settings, seed)).collect();
        for tenth in 0..11 {
            let count = runs.len() as f64;
            let mean = runs.iter().map(|run| run[tenth]).sum::<f64>() / count;
            let squares = runs.iter().map(|run| (run[tenth] - mean).powi(2)).sum::<f64>();
            let error = (squares / (count - 1.0) / count).sqrt();
            // Half a page for rare events that happened in no run.
            assert!(mean.abs() <= 4.0 * error + 0.5, "{settings:?}, {tenth}: {mean} ± {error}");
        }
    }

    #[test]
    fn planted_pages_are_found_as_often_as_the_curve_says() {
        check(SimilarityOptions::default());
        check(SimilarityOptions::sharp());
        check(SimilarityOptions::new(6, 16, 0.8).unwrap());
    }

    #[test]
    fn a_million_unrelated_pairs() {
        let settings = SimilarityOptions::default();
        let sketch = Sketch::new(settings);
        let mut writer = Writer::new(9);
        let site = Site::new(1, &mut writer);
        let prints: Vec<_> = (0..1415)
            .map(|number| {
                let text =
                    writer.text(if number % 2 == 0 { TextKind::Song } else { TextKind::Article });
                let html = site.page(&text, &mut writer);
                largest().fingerprint(html.as_bytes(), &Options::default(), &sketch).unwrap()
            })
            .collect();
        let (mut pairs, mut most) = (0, 0);
        for (number, one) in prints.iter().enumerate() {
            for other in &prints[..number] {
                pairs += 1;
                most = most.max(one.shared(other));
            }
        }
        assert!(pairs >= 1_000_000 && most < settings.needed(), "{most} shared");
    }

    proptest! {
        #[test]
        fn coefficients(a: BTreeSet<u8>, b: BTreeSet<u8>) {
            let [sorted_a, sorted_b] =
                [&a, &b].map(|set| set.iter().map(|it| u64::from(*it)).collect::<Vec<_>>());
            let (common, either) = (a.intersection(&b).count(), a.union(&b).count());
            let wanted = if either == 0 { 0.0 } else { common as f64 / either as f64 };
            prop_assert_eq!(jaccard(&sorted_a, &sorted_b), wanted);
        }
    }
}
