//! Records as an Arrow file: the IPC format that memory maps, with the columns of the Parquet table.

use std::borrow::Cow;
use std::io::{self, Write};
use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::{ArrayRef, BooleanArray, Float32Array, Int32Array, Int64Array, RecordBatch};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};

use super::table::{GROUP_ROWS, GROUP_SIZE};
use super::{Cells, Column, Row};

/// A table on its way into an Arrow file.
pub(super) struct ArrowTable<W: Write, R: 'static> {
    file: FileWriter<W>,
    schema: SchemaRef,
    columns: Vec<Column<R>>,
    group: Vec<R>,
    group_size: usize,
}

impl<W: Write, R: Row> ArrowTable<W, R> {
    /// A table without rows.
    pub(super) fn new(file: W, columns: &[Column<R>]) -> io::Result<ArrowTable<W, R>> {
        let field = |(name, cells): &Column<R>| {
            let kind = match cells {
                Cells::Text(_) => DataType::Utf8,
                Cells::Integer(_) => DataType::Int32,
                Cells::Long(_) => DataType::Int64,
                Cells::Number(_) => DataType::Float32,
                Cells::Flag(_) => DataType::Boolean,
            };
            Field::new(*name, kind, true)
        };
        let schema: SchemaRef =
            Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()));
        let options = IpcWriteOptions::default()
            .try_with_compression(Some(CompressionType::ZSTD))
            .map_err(wrong)?;
        let file = FileWriter::try_new_with_options(file, &schema, options).map_err(wrong)?;
        let columns = columns.to_vec();
        Ok(ArrowTable { file, schema, columns, group: Vec::new(), group_size: 0 })
    }

    /// Adds a row. It is written when its batch is full.
    pub(super) fn write(&mut self, row: R) -> io::Result<()> {
        self.group_size += row.size();
        self.group.push(row);
        if self.group.len() >= GROUP_ROWS || self.group_size >= GROUP_SIZE {
            self.end_batch().map_err(wrong)?;
        }
        Ok(())
    }

    /// Writes the rest and gives back the file.
    pub(super) fn finish(mut self) -> io::Result<W> {
        self.end_batch().map_err(wrong)?;
        self.file.finish().map_err(wrong)?;
        self.file.into_inner().map_err(wrong)
    }

    fn end_batch(&mut self) -> Result<(), ArrowError> {
        let rows = std::mem::take(&mut self.group);
        self.group_size = 0;
        if rows.is_empty() {
            return Ok(());
        }
        let arrays = self.columns.iter().map(|(_, cells)| array(cells, &rows)).collect();
        self.file.write(&RecordBatch::try_new(self.schema.clone(), arrays)?)
    }
}

fn array<R>(cells: &Cells<R>, rows: &[R]) -> ArrayRef {
    match cells {
        Cells::Text(of) => {
            let mut texts = StringBuilder::new();
            rows.iter().for_each(|row| texts.append_option(of(row).map(Cow::into_owned)));
            Arc::new(texts.finish())
        }
        Cells::Integer(of) => Arc::new(rows.iter().map(of).collect::<Int32Array>()),
        Cells::Long(of) => Arc::new(rows.iter().map(of).collect::<Int64Array>()),
        Cells::Number(of) => Arc::new(rows.iter().map(of).collect::<Float32Array>()),
        Cells::Flag(of) => Arc::new(rows.iter().map(of).collect::<BooleanArray>()),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "`map_err` hands it over")]
fn wrong(error: ArrowError) -> io::Error {
    // A reader that went away must be known as one.
    let kind = match &error {
        ArrowError::IoError(_, cause) => cause.kind(),
        _ => io::ErrorKind::Other,
    };
    io::Error::new(kind, format!("the Arrow table: {error}"))
}
