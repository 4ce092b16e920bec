//! What repeats other pages, decided one page after the other.

use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::{Float64Array, RecordBatch};
use pyo3::prelude::*;
use webstrata_archive::record::PageRecord;
use webstrata_corpus::pipeline::{Decision, Duplicates, Keys, Repeat};

use super::{Inner, Rows};
use crate::columns::{self, Columns};
use crate::errors::DataError;
use crate::tables::{Given, to_python};

/// Pages that were kept, after which what decides may begin anew with the next component.
const ENOUGH: usize = 10_000;

/// Decides about pages one after the other, as the command does.
#[pyclass(frozen, module = "webstrata._webstrata")]
pub(crate) struct CorpusDuplicates {
    inner: Arc<Inner>,
    state: Mutex<State>,
}

struct State {
    duplicates: Duplicates,
    kept: usize,
    component: Option<i64>,
}

/// What became of a page.
pub(super) struct Decided {
    position: i64,
    reason: Option<String>,
    repeat: Option<Repeat>,
    removed: u64,
    words: u32,
    text: Option<String>,
    forgotten: u64,
}

impl Decided {
    pub(super) fn new(
        position: i64,
        decision: Decision,
        record: PageRecord,
        is_changed: bool,
        forgotten: u64,
    ) -> Decided {
        let (method, repeat, removed) = match decision {
            Decision::Kept { removed } => (None, None, removed),
            Decision::Repeats(repeat) => (Some(repeat.method), Some(repeat), 0),
            Decision::LittleLeft(method) => (Some(method), None, 0),
        };
        let reason = method.map(|method| format!("deduplicate/{method}"));
        let words = record.record.words;
        let text = is_changed.then_some(record.record.text);
        Decided { position, reason, repeat, removed, words, text, forgotten }
    }
}

pub(super) fn decided(rows: &[Decided]) -> PyResult<RecordBatch> {
    let mut columns = Columns::default();
    let each = || rows.iter();
    let of = |row: &'_ Decided| row.repeat.as_ref().map(|repeat| repeat.of.clone());
    let ofs: Vec<Option<String>> = each().map(of).collect();
    let similarities = each().map(|row| row.repeat.as_ref().map(|repeat| repeat.similarity));
    columns.push("position", columns::longs(each().map(|row| Some(row.position))));
    columns.push("reason", columns::texts(each().map(|row| row.reason.as_deref()))?);
    columns.push("duplicate_of", columns::texts(ofs.iter().map(Option::as_deref))?);
    columns.push("similarity", Arc::new(similarities.collect::<Float64Array>()));
    columns.push("removed", columns::longs(each().map(|row| Some(row.removed as i64))));
    columns.push("words", columns::integers(each().map(|row| Some(row.words as i32))));
    columns.push("text", columns::texts(each().map(|row| row.text.as_deref()))?);
    columns.push("forgotten", columns::longs(each().map(|row| Some(row.forgotten as i64))));
    columns.batch(rows.len())
}

#[pymethods]
impl CorpusDuplicates {
    /// Decides about the next pages: rows with `position` and `record`, in order, and `component`, which pages that
    /// can repeat each other have in common. `reason` in the result says why a page goes; `text` is what is left of
    /// its text, where lines or paragraphs were taken out.
    fn add<'py>(
        &self,
        py: Python<'py>,
        pages: &Bound<'py, PyAny>,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let given = Given::of(pages, "record")?;
        let made = given.batches.iter().map(|batch| py.detach(|| self.some(batch)));
        made.map(|batch| to_python(py, batch?)).collect()
    }
}

impl CorpusDuplicates {
    pub(super) fn new(inner: Arc<Inner>) -> PyResult<CorpusDuplicates> {
        let state = State { duplicates: inner.duplicates()?, kept: 0, component: None };
        Ok(CorpusDuplicates { inner, state: Mutex::new(state) })
    }

    fn some(&self, batch: &RecordBatch) -> PyResult<RecordBatch> {
        let rows = Rows::of(batch)?;
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let mut made = Vec::with_capacity(batch.num_rows());
        for row in 0..batch.num_rows() {
            let component = rows.long("component", row);
            if component != state.component && state.kept >= ENOUGH {
                (state.duplicates, state.kept) = (self.inner.duplicates()?, 0);
            }
            state.component = component;
            let mut record = rows.record(row)?;
            let keys = Keys::of_record(&record, &self.inner.pipeline.deduplicate);
            let before = state.duplicates.forgotten();
            let length = record.record.text.len();
            let decision = state
                .duplicates
                .add(&mut record, keys)
                .map_err(|error| DataError::new_err(error.to_string()))?;
            state.kept += usize::from(matches!(decision, Decision::Kept { .. }));
            let forgotten = state.duplicates.forgotten() - before;
            // Lines that go make a text shorter.
            let is_changed = record.record.text.len() != length;
            made.push(Decided::new(rows.position(row), decision, record, is_changed, forgotten));
        }
        decided(&made)
    }
}
