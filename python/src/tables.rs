//! Tables of Python's, in and out, through Arrow's C data interface: nothing of them is copied.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use arrow_array::cast::AsArray;
use arrow_array::{
    Array, ArrayRef, BinaryArray, BinaryViewArray, LargeBinaryArray, LargeStringArray, RecordBatch,
    StringArray, StringViewArray, StructArray,
};
use arrow_schema::{DataType, Field, FieldRef, Schema, SchemaRef};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3_arrow::input::AnyArray;
use pyo3_arrow::{PyRecordBatch, PyTable};

use crate::errors::{DataError, wrong_option};

/// What Python gave: a batch, or several with the same columns.
pub(crate) struct Given {
    pub(crate) batches: Vec<RecordBatch>,
    pub(crate) schema: SchemaRef,
    /// Was it one batch, and not a table or a stream?
    is_batch: bool,
}

impl Given {
    /// Takes anything that has Arrow's capsule methods. An array that is no table becomes its only column, `name`.
    pub(crate) fn of(given: &Bound<'_, PyAny>, name: &str) -> PyResult<Given> {
        let any: AnyArray = given.extract().map_err(|_| {
            let kind = given.get_type().name().map_or_else(|_| "this".into(), |name| name.to_string());
            PyTypeError::new_err(format!(
                "expected an Arrow table, batch or array (of pyarrow, Polars, DuckDB, …), not {kind}"
            ))
        })?;
        let is_batch = matches!(any, AnyArray::Array(_));
        let chunked = any.into_chunked_array().map_err(PyErr::from)?;
        let (arrays, field) = chunked.into_inner();
        let batches = arrays.into_iter().map(|array| batch_of(array, &field, name));
        let batches = batches.collect::<PyResult<Vec<_>>>()?;
        let schema = match field.data_type() {
            DataType::Struct(fields) => {
                Arc::new(Schema::new_with_metadata(fields.clone(), field.metadata().clone()))
            }
            _ => Arc::new(Schema::new(vec![named(&field, name)])),
        };
        Ok(Given { batches, schema, is_batch })
    }

    /// Hands a result back as what was given: a batch for a batch, a table for anything else.
    pub(crate) fn answer<'py>(
        &self,
        py: Python<'py>,
        mut made: Vec<RecordBatch>,
        schema: SchemaRef,
    ) -> PyResult<Bound<'py, PyAny>> {
        if self.is_batch && made.len() == 1 {
            return to_python(py, made.remove(0));
        }
        let table = PyTable::try_new(made, schema)?;
        if has_pyarrow(py) {
            table.into_pyarrow(py)
        } else {
            Ok(table.into_pyobject(py)?.into_any())
        }
    }
}

fn named(field: &FieldRef, name: &str) -> Field {
    Field::new(name, field.data_type().clone(), true)
}

fn batch_of(array: ArrayRef, field: &FieldRef, name: &str) -> PyResult<RecordBatch> {
    if let Some(table) = array.as_struct_opt() {
        if table.null_count() > 0 {
            return Err(DataError::new_err("the table has rows that are null as a whole"));
        }
        let schema = Schema::new_with_metadata(table.fields().clone(), field.metadata().clone());
        let columns = table.columns().to_vec();
        return batch(Arc::new(schema), columns, StructArray::len(table));
    }
    let rows = array.len();
    batch(Arc::new(Schema::new(vec![named(field, name)])), vec![array], rows)
}

/// A batch of columns that all have so many rows.
pub(crate) fn batch(
    schema: SchemaRef,
    columns: Vec<ArrayRef>,
    rows: usize,
) -> PyResult<RecordBatch> {
    let options = arrow_array::RecordBatchOptions::new().with_row_count(Some(rows));
    RecordBatch::try_new_with_options(schema, columns, &options)
        .map_err(|error| DataError::new_err(error.to_string()))
}

/// A batch as Python has it: of pyarrow where that is there, else an object with the capsule methods.
pub(crate) fn to_python(py: Python<'_>, batch: RecordBatch) -> PyResult<Bound<'_, PyAny>> {
    let batch = PyRecordBatch::new(batch);
    if has_pyarrow(py) { batch.into_pyarrow(py) } else { Ok(batch.into_pyobject(py)?.into_any()) }
}

fn has_pyarrow(py: Python<'_>) -> bool {
    py.import("pyarrow").is_ok()
}

/// A column of texts or bytes, in any of Arrow's layouts.
pub(crate) enum Texts<'a> {
    Binary(&'a BinaryArray),
    LargeBinary(&'a LargeBinaryArray),
    BinaryView(&'a BinaryViewArray),
    Text(&'a StringArray),
    LargeText(&'a LargeStringArray),
    TextView(&'a StringViewArray),
    /// Nothing but nulls.
    None,
}

impl<'a> Texts<'a> {
    /// The column of this name.
    pub(crate) fn column(batch: &'a RecordBatch, name: &str) -> PyResult<Texts<'a>> {
        let Some(array) = batch.column_by_name(name) else {
            let names: Vec<&str> =
                batch.schema_ref().fields().iter().map(|field| field.name().as_str()).collect();
            return Err(wrong_option(format!(
                "no column {name:?} in the table, which has {}",
                names.join(", ")
            )));
        };
        Texts::of(array, name)
    }

    pub(crate) fn of(array: &'a ArrayRef, name: &str) -> PyResult<Texts<'a>> {
        Ok(match array.data_type() {
            DataType::Binary => Texts::Binary(array.as_binary()),
            DataType::LargeBinary => Texts::LargeBinary(array.as_binary()),
            DataType::BinaryView => Texts::BinaryView(array.as_binary_view()),
            DataType::Utf8 => Texts::Text(array.as_string()),
            DataType::LargeUtf8 => Texts::LargeText(array.as_string()),
            DataType::Utf8View => Texts::TextView(array.as_string_view()),
            DataType::Null => Texts::None,
            other => {
                return Err(DataError::new_err(format!(
                    "the column {name:?} has {other}, expected binary or string; cast it first"
                )));
            }
        })
    }

    pub(crate) fn is_text(&self) -> bool {
        matches!(self, Texts::Text(_) | Texts::LargeText(_) | Texts::TextView(_))
    }

    pub(crate) fn bytes(&self, row: usize) -> Option<&'a [u8]> {
        fn at<A: Array + ?Sized, T>(array: &A, row: usize, value: impl FnOnce() -> T) -> Option<T> {
            array.is_valid(row).then(value)
        }
        match self {
            Texts::Binary(array) => at(*array, row, || array.value(row)),
            Texts::LargeBinary(array) => at(*array, row, || array.value(row)),
            Texts::BinaryView(array) => at(*array, row, || array.value(row)),
            Texts::Text(array) => at(*array, row, || array.value(row).as_bytes()),
            Texts::LargeText(array) => at(*array, row, || array.value(row).as_bytes()),
            Texts::TextView(array) => at(*array, row, || array.value(row).as_bytes()),
            Texts::None => None,
        }
    }

    /// The same where it must be a text; what is none is none.
    pub(crate) fn text(&self, row: usize) -> Option<&'a str> {
        self.bytes(row).and_then(|bytes| std::str::from_utf8(bytes).ok())
    }
}

/// Does `work` for each row, on so many threads; results in the order of the rows.
pub(crate) fn in_order<T: Send>(
    rows: usize,
    jobs: usize,
    work: impl Fn(usize) -> T + Sync,
) -> Vec<T> {
    if jobs <= 1 || rows <= 1 {
        return (0..rows).map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let some = || {
        let mut made = Vec::new();
        loop {
            let row = next.fetch_add(1, Ordering::Relaxed);
            if row >= rows {
                return made;
            }
            made.push((row, work(row)));
        }
    };
    let mut made = thread::scope(|scope| {
        // Where no thread can be had, this one does it all.
        let start = |_| thread::Builder::new().spawn_scoped(scope, some).ok();
        let threads: Vec<_> = (1..jobs.min(rows)).filter_map(start).collect();
        let mut made = some();
        // What a page can do wrong was caught before it could end a thread.
        threads.into_iter().for_each(|thread| made.extend(thread.join().unwrap_or_default()));
        made
    });
    made.sort_unstable_by_key(|(row, _)| *row);
    made.into_iter().map(|(_, one)| one).collect()
}
