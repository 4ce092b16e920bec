//! Pages with gold texts as `strata` sees them.

use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;

use rayon::prelude::*;
use webstrata::cutting::Cutting;
use webstrata::output::{self, OutputOptions};
use webstrata::training::strata::{Observations, PageType};
use webstrata::{Class, Hidden, Options, Page};

use crate::conventions::Convention;
use crate::scores::Gold;
use crate::{Error, Progress, Set, gold};

/// A page with its gold text.
pub struct Sample {
    /// Its file.
    pub file: PathBuf,
    /// The set that it is of, as an index into [`Samples::sets`].
    pub set: usize,
    /// The site that it is of.
    pub site: u32,
    /// What people say that the page is for, where they do.
    pub page_type: Option<PageType>,
    /// What people say that its language is, where they do: two letters.
    pub language: Option<String>,
    /// What the model looks at.
    pub observations: Observations,
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

/// The F1 of words of a page.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct F1 {
    /// Of all blocks that were kept.
    pub flat: f64,
    /// Of the text that is written by default.
    pub by_default: f64,
    /// Of the text that is written by the convention of the set.
    pub own: f64,
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
            let told = told(set);
            let read = |entry: &crate::Entry| -> Result<(String, Sample), Error> {
                let bytes = entry.read_page()?;
                let gold = entry.read_gold()?;
                let options = Options { hidden: Hidden::Mark, ..Options::default() };
                let Page { tree, document } = Page::read(&bytes, Cutting::Strata, &options);
                let told = told.get(&entry.id).cloned().unwrap_or_default();
                let annotated = entry.annotated.as_deref();
                let classes = annotated.map(fs::read).transpose().ok().flatten();
                let sample = Sample {
                    file: entry.page.clone(),
                    set: index,
                    site: 0,
                    page_type: told.page_type,
                    language: told.language,
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

/// What people say of a page, as far as they do.
#[derive(Clone, Default)]
struct Told {
    page_type: Option<PageType>,
    language: Option<String>,
}

/// The second and third column of `meta.tsv`, where a set has one: types of pages and their languages.
fn told(set: &Set) -> HashMap<String, Told> {
    let table = fs::read_to_string(set.path.join("meta.tsv")).unwrap_or_default();
    let row = |line: &str| {
        let mut cells = line.split('\t');
        let (id, page_type) = (cells.next()?, cells.next()?);
        let language = cells.next().and_then(|tag| tag.split(['-', '_']).next());
        let is_code =
            |code: &&str| code.len() == 2 && code.bytes().all(|c| c.is_ascii_alphabetic());
        let language = language.filter(is_code).map(str::to_ascii_lowercase);
        Some((id.to_owned(), Told { page_type: PageType::named(page_type), language }))
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

    /// The F1 of words where some of the blocks are kept of a page of this type; `None` where the gold text is empty.
    ///
    /// # Errors
    ///
    /// Where the page cannot be read once more.
    pub fn f1(
        &self,
        kept: &[bool],
        page_type: PageType,
        own: Convention,
    ) -> Result<Option<F1>, Error> {
        let mut gold = Gold::new(&self.gold);
        if gold.is_empty() {
            return Ok(None);
        }
        let bytes =
            fs::read(&self.file).map_err(|error| Error::at(&self.file, error.to_string()))?;
        let mut page = Page::read(&bytes, Cutting::Strata, &Options::default());
        page.document.page_type = Some(page_type);
        for (block, kept) in page.document.blocks.iter_mut().zip(kept) {
            block.is_content = *kept;
        }
        let flat = gold.bag(&page.document.text()).f1;
        let by_default = gold.bag(&page.text()).f1;
        let Convention { include, exclude } = own;
        let options = OutputOptions { include, exclude, ..OutputOptions::DEFAULT };
        let own = gold.bag(&output::text(&page, &options)).f1;
        Ok(Some(F1 { flat, by_default, own }))
    }
}
