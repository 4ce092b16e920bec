//! Writes what models look at to files that NumPy reads, for trainers of other kinds.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use webstrata::training::strata::Rows;
use webstrata::training::strata::features::names;
use webstrata::training::strata::model::widths;

use super::fit::Outcome;
use super::samples::Samples;
use crate::Error;

/// Writes the pages: features of blocks that need no model, words and labels. `fold_of` is
/// the fold that tests each page.
pub(super) fn pages(samples: &Samples, fold_of: &[u8], folder: &Path) -> Result<(), Error> {
    fs::create_dir_all(folder).map_err(|error| Error::at(folder, error.to_string()))?;
    let width = names().len();
    let blocks: usize = samples.pages.iter().map(|page| page.words.len()).sum();
    let mut features = Array::create(&folder.join("features.npy"), "<f4", &[blocks, width])?;
    let mut words = Array::create(&folder.join("words.npy"), "<f4", &[blocks])?;
    let mut shares = Array::create(&folder.join("shares.npy"), "<f4", &[blocks])?;
    let mut content = Array::create(&folder.join("content.npy"), "|u1", &[blocks])?;
    let mut pages = Array::create(&folder.join("pages.npy"), "<i4", &[samples.pages.len(), 5])?;
    for (page, fold) in samples.pages.iter().zip(fold_of) {
        let kind = page.page_type.map_or(-1, |kind| kind as i32);
        let blocks = page.words.len() as i32;
        for value in [blocks, page.set as i32, page.site as i32, kind, i32::from(*fold)] {
            pages.put(&value.to_le_bytes())?;
        }
        let rows = page.observations.rows();
        for block in 0..page.words.len() {
            for column in 0..width {
                features.put(&rows.get(block, column).to_le_bytes())?;
            }
            words.put(&page.words[block].to_le_bytes())?;
            shares.put(&page.shares[block].to_le_bytes())?;
            content.put(&[u8::from(page.is_content(block))])?;
        }
    }
    for array in [features, words, shares, content, pages] {
        array.finish()?;
    }
    let sets = samples.sets.join("\n");
    fs::write(folder.join("sets.txt"), sets).map_err(|error| Error::at(folder, error.to_string()))
}

/// Where the rows of pages are of which all are learned from.
pub(super) const ALL_ROWS: &str = "rows-all.npy";

/// Where the rows are that go with a fold.
pub(super) fn rows_of(fold: u8) -> String {
    format!("rows-{fold}.npy")
}

/// Writes what a model adds to the features of all pages: of those that it learned from, as models saw them that did
/// not.
pub(super) fn rows(rows: &[Rows], path: &Path) -> Result<(), Error> {
    let (from, to) = (names().len(), widths().1);
    let blocks = rows.iter().map(Rows::len).sum();
    let mut array = Array::create(path, "<f4", &[blocks, to - from])?;
    for rows in rows {
        for row in 0..rows.len() {
            for column in from..to {
                array.put(&rows.get(row, column).to_le_bytes())?;
            }
        }
    }
    array.finish()
}

/// The probabilities of all blocks by trees that did not learn from their sites.
const SCORES: &str = "scores.npy";
/// The log-odds of the same by networks.
const NETWORK_SCORES: &str = "network-scores.npy";
/// The network that learned from all pages.
const NETWORK: &str = "network.bin";

/// Writes what trees say of all blocks.
pub(super) fn scores(outcomes: &[Outcome], folder: &Path) -> Result<(), Error> {
    let blocks = outcomes.iter().map(|outcome| outcome.scores.len()).sum();
    let mut array = Array::create(&folder.join(SCORES), "<f4", &[blocks])?;
    for score in outcomes.iter().flat_map(|outcome| &outcome.scores) {
        array.put(&score.to_le_bytes())?;
    }
    array.finish()
}

/// What trees and networks say of all blocks, and the network that learned from all pages.
pub(super) struct Scores {
    pub(super) trees: Vec<f32>,
    pub(super) network: Vec<f32>,
    pub(super) model: Vec<u8>,
}

/// Reads scores of so many blocks.
pub(super) fn read_scores(folder: &Path, blocks: usize) -> Result<Scores, Error> {
    let read = |name: &str| {
        let path = folder.join(name);
        fs::read(&path).map_err(|error| Error::at(&path, error.to_string()))
    };
    let numbers = |name: &str| {
        let bytes = read(name)?;
        let start = bytes.len().checked_sub(4 * blocks).filter(|start| (1..1024).contains(start));
        let values = start.map(|start| bytes[start..].as_chunks().0.iter());
        let values = values.map(|values| values.map(|bytes| f32::from_le_bytes(*bytes)).collect());
        let why = format!("it does not have {blocks} numbers of 32 bits: export these sets again");
        values.ok_or_else(|| Error::at(&folder.join(name), why))
    };
    Ok(Scores { trees: numbers(SCORES)?, network: numbers(NETWORK_SCORES)?, model: read(NETWORK)? })
}

/// A file of NumPy's format, version 1.0.
struct Array {
    file: BufWriter<File>,
    path: PathBuf,
}

impl Array {
    fn create(path: &Path, kind: &str, shape: &[usize]) -> Result<Array, Error> {
        let file = File::create(path).map_err(|error| Error::at(path, error.to_string()))?;
        let mut array = Array { file: BufWriter::new(file), path: path.to_owned() };
        let shape: String = shape.iter().map(|length| format!("{length},")).collect();
        let mut head =
            format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({shape}), }}");
        // Magic, version and length take ten bytes; values begin at a multiple of 64.
        while (head.len() + 11) % 64 != 0 {
            head.push(' ');
        }
        head.push('\n');
        array.put(b"\x93NUMPY\x01\x00")?;
        array.put(&(head.len() as u16).to_le_bytes())?;
        array.put(head.as_bytes())?;
        Ok(array)
    }

    fn put(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.file.write_all(bytes).map_err(|error| Error::at(&self.path, error.to_string()))
    }

    fn finish(mut self) -> Result<(), Error> {
        self.file.flush().map_err(|error| Error::at(&self.path, error.to_string()))
    }
}
