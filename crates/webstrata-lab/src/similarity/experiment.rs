//! Table 4.3 on invented pages: which duplicates does each segmentation find?
//!
//! The thesis took songs that three sites have: three pairs of pages for each song that are duplicates
//! in different layouts, and as many pairs of pages of one site that are not. So do we, with invented
//! songs or articles on three of six invented sites.

use webstrata::Options;
use webstrata_base::random::Random;

use super::invented::{LAYOUTS, Site, Text, TextKind, Writer};
use webstrata_corpus::segmentation::{AtomicPage, WIDTH};
use webstrata_corpus::similarity::{Fingerprint, Part, SimilarityOptions, Sketch};

/// Table 4.3: the true duplicates and the true non-duplicates that were told, in percent.
const THESIS: [(&str, f64, f64); 7] = [
    (Part::FULL, 19.9, 96.3),
    ("word-wrap", 5.4, 76.0),
    ("tag-gap", 16.9, 88.5),
    ("plain", 72.2, 100.0),
    ("smoothed", 73.1, 100.0),
    ("rule-based", 86.3, 100.0),
    ("just-rules", 89.4, 100.0),
];

/// How one method did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// The method, or `fulltext`.
    pub method: &'static str,
    /// Duplicates that were found, in percent.
    pub found: f64,
    /// Pages of one site with different texts that were told apart, in percent.
    pub apart: f64,
    /// Both in the thesis, where it has them.
    pub thesis: Option<(f64, f64)>,
}

/// The table, from `texts` texts: three pairs of each sort for every text.
pub fn table_4_3(kind: TextKind, texts: usize, settings: SimilarityOptions, seed: u64) -> Vec<Row> {
    let sketch = Sketch::new(settings);
    let parts: Vec<(Part, &str)> = Part::all().collect();
    let mut world = World::new(seed);
    let mut told = vec![(0u32, 0u32); parts.len()];
    for _ in 0..texts {
        let sites = world.three_sites();
        let (text, other) = (world.writer.text(kind), world.writer.text(kind));
        let pages = sites.map(|site| world.page(site, &text));
        let others = sites.map(|site| world.page(site, &other));
        for ((part, _), (found, apart)) in parts.iter().zip(&mut told) {
            let print = |page: &AtomicPage| sketch.texts(part.texts(page));
            let (pages, others) = (pages.each_ref().map(print), others.each_ref().map(print));
            for place in 0..3 {
                let is_pair = is_pair(&pages[place], &pages[(place + 1) % 3], settings);
                *found += u32::from(is_pair);
                *apart += u32::from(!self::is_pair(&pages[place], &others[place], settings));
            }
        }
    }
    let percent = |count: u32| 100.0 * f64::from(count) / (3 * texts.max(1)) as f64;
    let row = |((_, method), (found, apart)): (&(Part, &'static str), &(u32, u32))| Row {
        method,
        found: percent(*found),
        apart: percent(*apart),
        thesis: THESIS.iter().find(|row| row.0 == *method).map(|row| (row.1, row.2)),
    };
    parts.iter().zip(&told).map(row).collect()
}

/// Pages without a text are nobody's duplicates.
fn is_pair(a: &Option<Fingerprint>, b: &Option<Fingerprint>, settings: SimilarityOptions) -> bool {
    matches!((a, b), (Some(a), Some(b)) if a.shared(b) >= settings.needed())
}

struct World {
    writer: Writer,
    sites: Vec<Site>,
    random: Random,
}

impl World {
    fn new(seed: u64) -> World {
        let mut writer = Writer::new(seed);
        let sites = (0..LAYOUTS).map(|layout| Site::new(layout, &mut writer)).collect();
        World { writer, sites, random: Random::for_purpose(seed, "sites") }
    }

    fn three_sites(&mut self) -> [usize; 3] {
        let mut sites: [usize; LAYOUTS] = std::array::from_fn(|site| site);
        self.random.draw(&mut sites, 3);
        [sites[0], sites[1], sites[2]]
    }

    fn page(&mut self, site: usize, text: &Text) -> AtomicPage {
        let html = self.sites[site].page(text, &mut self.writer);
        AtomicPage::read(html.as_bytes(), &Options::default(), WIDTH)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(kind: TextKind, better: &[&str]) {
        let rows = table_4_3(kind, 100, SimilarityOptions::default(), 1);
        let full = rows[0];
        assert_eq!(full.method, Part::FULL);
        let checked: Vec<&Row> = rows.iter().filter(|row| better.contains(&row.method)).collect();
        assert_eq!(checked.len(), better.len(), "a method of another name");
        for row in checked {
            assert!(row.found > full.found + 5.0, "{kind:?}: {row:?}, {full:?}");
            assert!(row.apart >= 99.0, "{kind:?}: {row:?}");
        }
    }

    #[test]
    fn block_fusion_finds_more_than_the_full_text() {
        let fusion = ["plain", "smoothed", "smoothed-sparse", "rule-based", "just-rules"];
        check(TextKind::Song, &fusion);
        check(TextKind::Article, &fusion);
        // Where words are emphasised, it takes rules: see docs/dedup.md.
        check(TextKind::Emphasised, &["rule-based", "just-rules"]);
    }
}
