//! Near-duplicates over many machines: the pieces that a cluster puts together.
//!
//! A cluster makes fingerprints where the texts are, brings equal bands together, and compares what shares one.
//! Who is kept is decided from the pairs; see `webstrata/spark/duplicates.py`.

use std::collections::VecDeque;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use pyo3::prelude::*;
use webstrata_corpus::similarity::{SimilarityOptions, Sketch};

use crate::columns::{self, Columns};
use crate::errors::{DataError, wrong_option};
use crate::tables::{Given, Texts, to_python};

/// Pages of a band that a page is compared with, as the command line has it.
const BUCKET: usize = 4000;

fn settings(shingle: usize, hashes: usize, share: f64) -> PyResult<SimilarityOptions> {
    SimilarityOptions::new(shingle, hashes, share).map_err(|error| wrong_option(error.to_string()))
}

/// The one batch of what was given; the functions here are for those who hand over batches.
fn batches(given: &Bound<'_, PyAny>) -> PyResult<Vec<RecordBatch>> {
    Ok(Given::of(given, "text")?.batches)
}

/// Adds to each batch the min-hashes of its texts: `hashes`, four bytes each, null where a text has no word. The
/// texts themselves are left out.
#[pyfunction]
#[pyo3(signature = (batch, /, *, text = "text", shingle = 6, hashes = 8))]
pub(crate) fn fingerprints<'py>(
    py: Python<'py>,
    batch: &Bound<'py, PyAny>,
    text: &str,
    shingle: usize,
    hashes: usize,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let sketch = Sketch::new(settings(shingle, hashes, 1.0)?);
    let mut made = Vec::new();
    for batch in batches(batch)? {
        let texts = Texts::column(&batch, text)?;
        let prints: Vec<Option<Vec<u8>>> = py.detach(|| {
            let print = |row| {
                let print = sketch.text(texts.text(row)?)?;
                Some(print.hashes().iter().flat_map(|hash| hash.to_le_bytes()).collect())
            };
            (0..batch.num_rows()).map(print).collect()
        });
        let mut columns = Columns::default();
        for (field, array) in batch.schema_ref().fields().iter().zip(batch.columns()) {
            if field.name() != text {
                columns.pass(field, array.clone());
            }
        }
        columns.push("hashes", columns::bytes(prints.iter().map(Option::as_deref))?);
        made.push(to_python(py, columns.batch(batch.num_rows())?)?);
    }
    Ok(made)
}

/// A row for each band of each fingerprint: id, order, hashes, and of the band its number and content.
#[pyfunction]
#[pyo3(signature = (batch, /, *, shingle = 6, hashes = 8, share = 0.5))]
pub(crate) fn bands<'py>(
    py: Python<'py>,
    batch: &Bound<'py, PyAny>,
    shingle: usize,
    hashes: usize,
    share: f64,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let bands = settings(shingle, hashes, share)?.bands();
    let mut made = Vec::new();
    for batch in batches(batch)? {
        let [ids, orders, prints] =
            ["id", "order", "hashes"].map(|name| Texts::column(&batch, name));
        let (ids, orders, prints) = (ids?, orders?, prints?);
        let rows = (0..batch.num_rows())
            .filter(|row| prints.bytes(*row).is_some_and(|print| print.len() == 4 * hashes));
        let each: Vec<(usize, i32, i64)> = rows
            .flat_map(|row| {
                let print = prints.bytes(row).unwrap_or_default();
                let content = move |band: &Vec<usize>| content(print, band);
                bands.iter().zip(0..).map(move |(band, number)| (row, number, content(band)))
            })
            .collect();
        let mut columns = Columns::default();
        columns.push("band", columns::integers(each.iter().map(|(_, band, _)| Some(*band))));
        columns.push("content", columns::longs(each.iter().map(|(_, _, content)| Some(*content))));
        columns.push("order", columns::texts(each.iter().map(|(row, ..)| orders.text(*row)))?);
        columns.push("id", columns::texts(each.iter().map(|(row, ..)| ids.text(*row)))?);
        columns.push("hashes", columns::bytes(each.iter().map(|(row, ..)| prints.bytes(*row)))?);
        made.push(to_python(py, columns.batch(each.len())?)?);
    }
    Ok(made)
}

/// A number for what a band has. Different ones may have the same: then pages are compared in vain.
fn content(print: &[u8], band: &[usize]) -> i64 {
    let mix = |mixed: u64, place: &usize| {
        let hash = print.get(4 * place..4 * place + 4).and_then(|bytes| bytes.try_into().ok());
        let hash = u64::from(hash.map_or(0, u32::from_le_bytes));
        (mixed.rotate_left(5) ^ hash).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    };
    band.iter().fold(0, mix).cast_signed()
}

fn shared(a: &[u8], b: &[u8]) -> usize {
    a.chunks_exact(4).zip(b.chunks_exact(4)).filter(|(a, b)| a == b).count()
}

/// A fingerprint of the band that is being looked at.
struct Print {
    order: Arc<str>,
    id: Arc<str>,
    hashes: Vec<u8>,
}

/// A pair of them, and how many min-hashes they share.
struct Pair {
    texts: [Arc<str>; 4],
    shared: i32,
}

/// Finds the pairs of similar fingerprints among rows of `bands` that come sorted by band, content and order, in any
/// number of batches. A page is compared with the 4,000 that come before it, at most.
#[pyclass(module = "webstrata")]
pub(crate) struct SimilarPairs {
    needed: usize,
    bands: Vec<Vec<usize>>,
    bucket: Option<(i32, i64)>,
    prints: VecDeque<Print>,
}

#[pymethods]
impl SimilarPairs {
    #[new]
    #[pyo3(signature = (*, shingle = 6, hashes = 8, share = 0.5))]
    fn new(shingle: usize, hashes: usize, share: f64) -> PyResult<SimilarPairs> {
        let settings = settings(shingle, hashes, share)?;
        let (needed, bands) = (settings.needed(), settings.bands());
        Ok(SimilarPairs { needed, bands, bucket: None, prints: VecDeque::new() })
    }

    /// The pairs of a batch: order and id of both, the earlier one as `of`, and the min-hashes that they share. A row
    /// may be in 4,000 pairs, so hand over few rows at a time. Each pair comes once, of the first band that both
    /// have in common.
    fn add<'py>(
        &mut self,
        py: Python<'py>,
        batch: &Bound<'py, PyAny>,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let mut made = Vec::new();
        for batch in batches(batch)? {
            let found = py.detach(|| self.pairs(&batch))?;
            made.push(to_python(py, table(&found)?)?);
        }
        Ok(made)
    }
}

impl SimilarPairs {
    /// Is this the first band that both have in common? Then the pair was not found before.
    fn is_first(&self, band: i32, a: &[u8], b: &[u8]) -> bool {
        let same = |band: &Vec<usize>| {
            band.iter().all(|at| a.get(4 * at..4 * at + 4) == b.get(4 * at..4 * at + 4))
        };
        let before = usize::try_from(band).unwrap_or_default();
        !self.bands.iter().take(before).any(same)
    }

    fn pairs(&mut self, batch: &RecordBatch) -> PyResult<Vec<Pair>> {
        let wrong = || DataError::new_err("expected the columns that bands() makes");
        let numbers =
            batch.column_by_name("band").and_then(|column| column.as_primitive_opt::<Int32Type>());
        let contents = batch
            .column_by_name("content")
            .and_then(|column| column.as_primitive_opt::<Int64Type>());
        let (numbers, contents) = (numbers.ok_or_else(wrong)?, contents.ok_or_else(wrong)?);
        let [ids, orders, prints] =
            ["id", "order", "hashes"].map(|name| Texts::column(batch, name));
        let (ids, orders, prints) = (ids?, orders?, prints?);
        let mut found = Vec::new();
        for row in 0..batch.num_rows() {
            let bucket = Some((numbers.value(row), contents.value(row)));
            if self.bucket != bucket {
                self.bucket = bucket;
                self.prints.clear();
            }
            let own = |texts: &Texts<'_>| Arc::from(texts.text(row).unwrap_or_default());
            let print = Print {
                order: own(&orders),
                id: own(&ids),
                hashes: prints.bytes(row).unwrap_or_default().to_vec(),
            };
            for other in &self.prints {
                let count = shared(&print.hashes, &other.hashes);
                let band = numbers.value(row);
                if count >= self.needed && self.is_first(band, &print.hashes, &other.hashes) {
                    let texts = [&print.order, &print.id, &other.order, &other.id].map(Arc::clone);
                    found.push(Pair { texts, shared: i32::try_from(count).unwrap_or(i32::MAX) });
                }
            }
            if self.prints.len() == BUCKET {
                self.prints.pop_front();
            }
            self.prints.push_back(print);
        }
        Ok(found)
    }
}

fn table(pairs: &[Pair]) -> PyResult<RecordBatch> {
    let mut columns = Columns::default();
    for (place, name) in ["order", "id", "of_order", "of"].iter().enumerate() {
        columns.push(name, columns::texts(pairs.iter().map(|pair| Some(&*pair.texts[place])))?);
    }
    columns.push("shared", columns::integers(pairs.iter().map(|pair| Some(pair.shared))));
    columns.batch(pairs.len())
}

/// How many min-hashes duplicates share by these settings.
#[pyfunction]
#[pyo3(signature = (*, shingle = 6, hashes = 8, share = 0.5))]
pub(crate) fn needed_hashes(shingle: usize, hashes: usize, share: f64) -> PyResult<usize> {
    Ok(settings(shingle, hashes, share)?.needed())
}
