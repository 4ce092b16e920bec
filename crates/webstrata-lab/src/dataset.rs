//! A set's pages as labelled blocks.

use std::collections::{HashMap, HashSet};
use std::fs;

use rayon::prelude::*;
use webstrata::cutting::Cutting;
use webstrata::features::{FEATURES, Features, feature};
use webstrata::{Class, Counts, Options, Page};

use crate::examples::Examples;
use crate::gold;
use crate::sets::{Entry, Set};
use webstrata_base::error::Error;
use webstrata_base::progress::Progress;

#[cfg(test)]
mod tests;

/// What is told apart (section 4.3.1 of the WSDM paper).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Problem {
    /// Boilerplate or content of any kind.
    TwoClass,
    /// Boilerplate, full text with comments and related content, headline, supplemental.
    FourClass,
}

impl Problem {
    /// Both.
    pub const ALL: [Problem; 2] = [Problem::TwoClass, Problem::FourClass];

    /// The classes that are told apart.
    pub fn classes(self) -> Vec<Class> {
        match self {
            Problem::TwoClass => vec![Class::Boilerplate, Class::Content],
            Problem::FourClass => {
                vec![Class::Boilerplate, Class::Content, Class::Headline, Class::Supplemental]
            }
        }
    }

    /// The class that an annotated class falls into here.
    pub fn class(self, class: Class) -> Class {
        match (self, class) {
            (_, Class::Boilerplate) => Class::Boilerplate,
            (Problem::FourClass, Class::Headline | Class::Supplemental) => class,
            _ => Class::Content,
        }
    }
}

/// Where the classes of a set's blocks come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GoldKind {
    /// Annotated pages: six classes.
    Annotations,
    /// Gold texts: content or boilerplate.
    Texts,
}

/// The labelled blocks of a set.
#[derive(Clone, Debug)]
pub struct Dataset {
    /// The set's name.
    pub name: String,
    /// Where the classes come from.
    pub gold: GoldKind,
    /// Its pages.
    pub pages: Vec<LabelledPage>,
}

/// The labelled blocks of one page.
#[derive(Clone, Debug, PartialEq)]
pub struct LabelledPage {
    /// The page's id.
    pub id: String,
    /// The page's site.
    pub site: String,
    /// The class of each block.
    pub classes: Vec<Class>,
    /// For each block, the share of its tokens that are in the gold; 0 or 1 where it was annotated.
    pub shares: Vec<f32>,
    /// What was counted in each block.
    pub counts: Vec<Counts>,
    /// The values of all [`FEATURES`], block after block; those of the corpus frequency are 0.
    values: Vec<f64>,
    /// A hash of each block's text.
    texts: Vec<u64>,
}

impl Dataset {
    /// Reads and labels the pages of a set. Pages that cannot be read are reported and left out.
    pub fn read(
        set: &Set,
        cutting: Cutting,
        options: &Options,
        progress: &dyn Progress,
    ) -> Result<Dataset, Error> {
        Dataset::read_prepared(set, cutting, options, progress, |page| page)
    }

    /// The same with the bytes of pages changed before they are read, for experiments.
    pub(crate) fn read_prepared(
        set: &Set,
        cutting: Cutting,
        options: &Options,
        progress: &dyn Progress,
        prepare: fn(Vec<u8>) -> Vec<u8>,
    ) -> Result<Dataset, Error> {
        let all = set.entries.len();
        let gold = match set.entries.iter().filter(|entry| entry.annotated.is_some()).count() {
            annotated if annotated == all => GoldKind::Annotations,
            0 => GoldKind::Texts,
            annotated => {
                let folder = set.path.join("annotated");
                let folder = folder.display();
                progress.note(&format!(
                    "{folder}: {annotated} of {all} pages only, so all classes are from gold texts"
                ));
                GoldKind::Texts
            }
        };
        progress.begin(&format!("label the blocks of {}", set.name), set.entries.len());
        let read = |entry: &Entry| {
            let page = entry.read_page().map(prepare);
            let page = page.and_then(|page| label(entry, &page, gold, cutting, options));
            progress.step();
            page.map_err(|error| progress.failure(&format!("{error}; left out"))).ok()
        };
        let pages: Vec<LabelledPage> =
            set.entries.par_iter().map(read).collect::<Vec<_>>().into_iter().flatten().collect();
        if pages.iter().all(|page| page.classes.is_empty()) {
            return Err(Error::at(&set.path, "no page of this set has any text"));
        }
        Ok(Dataset { name: set.name.clone(), gold, pages })
    }

    /// All blocks as examples for trainers, with all features.
    pub fn examples(&self, problem: Problem) -> Examples {
        examples(&[self], problem)
    }
}

/// On how many pages of some sets each text stands.
#[derive(Clone, Debug, Default)]
pub struct Frequencies(HashMap<u64, f64>);

impl Frequencies {
    /// Counts the pages of all these sets together.
    pub fn of(sets: &[&Dataset]) -> Frequencies {
        let mut frequencies: HashMap<u64, f64> = HashMap::new();
        for page in sets.iter().flat_map(|set| &set.pages) {
            let distinct: HashSet<u64> = page.texts.iter().copied().collect();
            distinct.into_iter().for_each(|text| *frequencies.entry(text).or_default() += 1.0);
        }
        Frequencies(frequencies)
    }

    /// The frequency of the text of each block of a page.
    pub fn on(&self, page: &LabelledPage) -> Vec<f64> {
        page.texts.iter().map(|text| self.0.get(text).copied().unwrap_or(0.0)).collect()
    }
}

/// The blocks of several sets as one list of examples. Frequencies of texts are those in all of them.
pub fn examples(sets: &[&Dataset], problem: Problem) -> Examples {
    let pages: Vec<&LabelledPage> = sets.iter().flat_map(|set| &set.pages).collect();
    let frequencies = Frequencies::of(sets);
    let classes = problem.classes();
    let index_of = |class: &Class| {
        let class = problem.class(*class);
        classes.iter().position(|known| *known == class).expect("one of the classes") as u8
    };
    let mut sites: HashMap<&str, u32> = HashMap::new();
    let mut examples = Examples {
        features: (0..FEATURES.len()).collect(),
        columns: vec![Vec::new(); FEATURES.len()],
        classes: problem.classes(),
        ..Examples::default()
    };
    let frequency_columns = ["corpus-frequency", "prev.corpus-frequency", "next.corpus-frequency"]
        .map(|name| feature(name).expect("one of the features"));
    for (number, page) in pages.iter().enumerate() {
        let next_site = sites.len() as u32;
        let site = *sites.entry(&page.site).or_insert(next_site);
        let blocks = page.classes.len();
        examples.labels.extend(page.classes.iter().map(index_of));
        examples.weights.extend(page.counts.iter().map(|counts| f64::from(counts.words)));
        examples.pages.extend(std::iter::repeat_n(number as u32, blocks));
        examples.sites.extend(std::iter::repeat_n(site, blocks));
        for (index, column) in examples.columns.iter_mut().enumerate() {
            column.extend(page.values.iter().skip(index).step_by(FEATURES.len()));
        }
        let start = examples.labels.len() - blocks;
        let frequencies = frequencies.on(page);
        let frequency = |block: usize| frequencies.get(block).copied().unwrap_or(0.0);
        for block in 0..blocks {
            let neighbours = [Some(block), block.checked_sub(1), block.checked_add(1)];
            for (column, block_there) in frequency_columns.into_iter().zip(neighbours) {
                let value = block_there.map_or(0.0, frequency);
                examples.columns[column][start + block] = value;
            }
        }
    }
    examples
}

fn label(
    entry: &Entry,
    page: &[u8],
    gold: GoldKind,
    cutting: Cutting,
    options: &Options,
) -> Result<LabelledPage, Error> {
    let Page { tree, document, .. } = Page::read(page, cutting, options);
    let site = entry.site(&tree);
    drop(tree);
    let words = |block: usize| document.blocks[block].counts.words as usize;
    let (classes, shares): (Vec<Class>, Vec<f32>) = match (gold, &entry.annotated) {
        (GoldKind::Annotations, Some(path)) => {
            let annotated = fs::read(path).map_err(|error| Error::io(path, &error))?;
            let classes = gold::annotated(&document, &String::from_utf8_lossy(&annotated));
            let shares = classes.iter().map(|c| f32::from(u8::from(*c != Class::Boilerplate)));
            (classes.clone(), shares.collect())
        }
        _ => {
            let shares = gold::shares(&document, &entry.read_gold()?);
            let share = |(block, share): (usize, &f32)| gold::from_share(*share, words(block));
            (shares.iter().enumerate().map(share).collect(), shares)
        }
    };
    let features = Features::of(&document);
    let blocks = 0..document.blocks.len();
    let row = |block| (0..FEATURES.len()).map(move |feature| features.value(block, feature));
    Ok(LabelledPage {
        id: entry.id.clone(),
        site,
        classes,
        shares,
        counts: document.blocks.iter().map(|block| block.counts).collect(),
        values: blocks.clone().flat_map(row).collect(),
        texts: blocks.map(|b| document.with_text(&document.blocks[b], hash)).collect(),
    })
}

/// FNV-1a over the text without what varies in case and space.
fn hash(text: &str) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for word in text.split_whitespace() {
        for byte in word.bytes().chain([b' ']) {
            hash = (hash ^ u64::from(byte.to_ascii_lowercase())).wrapping_mul(0x0100_0000_01b3);
        }
    }
    hash
}
