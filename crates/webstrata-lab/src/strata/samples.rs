//! Pages with gold texts as `strata` sees them.

use std::collections::HashMap;
use std::fs;

use rayon::prelude::*;
use webstrata::cutting::Cutting;
use webstrata::training::strata::{Observations, PageType};
use webstrata::{Class, Hidden, Options, Page};

use crate::scores::Gold;
use crate::{Error, Progress, Set, gold};

/// A page with its gold text.
pub struct Sample {
    /// The set that it is of, as an index into [`Samples::sets`].
    pub set: usize,
    /// The site that it is of.
    pub site: u32,
    /// What people say that the page is for, where they do.
    pub page_type: Option<PageType>,
    /// What the model looks at.
    pub observations: Observations,
    /// The texts of its blocks.
    pub texts: Vec<String>,
    /// The words of its blocks.
    pub words: Vec<f32>,
    /// Whether nobody sees the text of its blocks.
    pub unseen: Vec<bool>,
    /// The share of each block's tokens that stand in the gold text.
    pub shares: Vec<f32>,
    /// The class of each block, where people marked them.
    pub classes: Option<Vec<Class>>,
    /// The gold text.
    pub gold: String,
}

/// Pages of several sets.
pub struct Samples {
    /// The names of the sets.
    pub sets: Vec<String>,
    /// The pages.
    pub pages: Vec<Sample>,
}

impl Samples {
    /// Reads sets.
    ///
    /// # Errors
    ///
    /// Where a file cannot be read.
    pub fn read(sets: &[Set], progress: &impl Progress) -> Result<Samples, Error> {
        let mut pages = Vec::new();
        let mut sites: HashMap<String, u32> = HashMap::new();
        progress.begin("reading pages", sets.iter().map(|set| set.entries.len()).sum());
        for (index, set) in sets.iter().enumerate() {
            let types = page_types(set);
            let read = |entry: &crate::Entry| -> Result<(String, Sample), Error> {
                let bytes = entry.read_page()?;
                let gold = entry.read_gold()?;
                let options = Options { hidden: Hidden::Mark, ..Options::default() };
                let Page { tree, document } = Page::read(&bytes, Cutting::Strata, &options);
                let annotated = entry.annotated.as_deref();
                let classes = annotated.map(fs::read).transpose().ok().flatten();
                let sample = Sample {
                    set: index,
                    site: 0,
                    page_type: types.get(&entry.id).copied(),
                    texts: (0..document.atoms.len())
                        .map(|atom| document.atom_text(atom).to_owned())
                        .collect(),
                    words: document.atoms.iter().map(|atom| atom.counts.words as f32).collect(),
                    unseen: document
                        .atoms
                        .iter()
                        .map(|atom| atom.hidden && !atom.openable)
                        .collect(),
                    shares: gold::shares(&document, &gold),
                    classes: classes
                        .map(|page| gold::annotated(&document, &String::from_utf8_lossy(&page))),
                    gold,
                    observations: document.observations().cloned().ok_or_else(|| {
                        let most = Observations::MAX_BLOCKS;
                        Error::at(&entry.page, format!("more than {most} blocks: take it out"))
                    })?,
                };
                progress.step();
                Ok((entry.site(&tree), sample))
            };
            let read: Result<Vec<_>, Error> = set.entries.par_iter().map(read).collect();
            for (site, mut sample) in read? {
                let next = sites.len() as u32;
                sample.site = *sites.entry(site).or_insert(next);
                pages.push(sample);
            }
        }
        Ok(Samples { sets: sets.iter().map(|set| set.name.clone()).collect(), pages })
    }
}

/// The second column of `meta.tsv`, where a set has one that names types of pages.
fn page_types(set: &Set) -> HashMap<String, PageType> {
    let table = fs::read_to_string(set.path.join("meta.tsv")).unwrap_or_default();
    let row = |line: &str| {
        let mut cells = line.split('\t');
        let (id, page_type) = (cells.next()?, cells.next()?);
        Some((id.to_owned(), PageType::named(page_type)?))
    };
    table.lines().filter_map(row).collect()
}

/// A block of so few words is content only if all of them are in the gold text.
const SHORT: f32 = 3.0;

impl Sample {
    /// Whether a block is content: most of it stands in the gold text.
    pub fn is_content(&self, block: usize) -> bool {
        let least = if self.words[block] <= SHORT { 0.999 } else { 0.5 };
        self.shares[block] >= least
    }

    /// The F1 of words of some of the blocks; `None` where the gold text is empty.
    pub fn f1(&self, kept: &[bool]) -> Option<f64> {
        let mut gold = Gold::new(&self.gold);
        if gold.is_empty() {
            return None;
        }
        let kept = self.texts.iter().zip(kept).filter(|(_, kept)| **kept);
        let text: Vec<&str> = kept.map(|(text, _)| text.as_str()).collect();
        Some(gold.bag(&text.join("\n")).f1)
    }
}
