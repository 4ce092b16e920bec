//! Records as a Parquet table: a row a page, the fields of a record that are no lists.

use std::io::{self, Write};
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as PhysicalType, ZstdLevel};
use parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DataType, FloatType, Int32Type, Int64Type,
};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{ColumnPath, Type, TypePtr};

use super::{Cells, Column, Row};
use crate::record::PageRecord;

/// Rows of a row group.
pub(super) const GROUP_ROWS: usize = 1 << 16;
/// Bytes after which a row group ends, however few its rows are.
pub(super) const GROUP_SIZE: usize = 32 << 20;

/// A table on its way into a Parquet file.
pub struct Table<W: Write + Send, R: 'static = PageRecord> {
    file: SerializedFileWriter<W>,
    columns: Vec<Column<R>>,
    group: Vec<R>,
    group_size: usize,
}

impl<W: Write + Send, R: Row> Table<W, R> {
    /// A table without rows, with the columns that such rows have.
    pub fn new(file: W) -> io::Result<Table<W, R>> {
        Table::with_columns(file, R::COLUMNS)
    }

    /// The same with other columns.
    pub fn with_columns(file: W, columns: &[Column<R>]) -> io::Result<Table<W, R>> {
        let level = ZstdLevel::try_new(3).map_err(wrong)?;
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(level))
            .set_created_by(concat!("webstrata ", env!("CARGO_PKG_VERSION")).to_owned())
            // Texts do not repeat: a dictionary of them is work for nothing.
            .set_column_dictionary_enabled(ColumnPath::from("text"), false)
            // We decide where row groups end.
            .set_max_row_group_row_count(None)
            .build();
        let schema = schema(columns).map_err(wrong)?;
        let file = SerializedFileWriter::new(file, schema, Arc::new(properties));
        let columns = columns.to_vec();
        Ok(Table { file: file.map_err(wrong)?, columns, group: Vec::new(), group_size: 0 })
    }

    /// Adds a row. It is written when its group is full.
    pub fn write(&mut self, row: R) -> io::Result<()> {
        self.group_size += row.size();
        self.group.push(row);
        if self.group.len() >= GROUP_ROWS || self.group_size >= GROUP_SIZE {
            self.end_group().map_err(wrong)?;
        }
        Ok(())
    }

    /// Writes the rest and gives back the file.
    pub fn finish(mut self) -> io::Result<W> {
        self.end_group().map_err(wrong)?;
        self.file.into_inner().map_err(wrong)
    }

    fn end_group(&mut self) -> Result<(), ParquetError> {
        let rows = std::mem::take(&mut self.group);
        self.group_size = 0;
        if rows.is_empty() {
            return Ok(());
        }
        let mut group = self.file.next_row_group()?;
        for (_, cells) in &self.columns {
            match cells {
                Cells::Text(of) => {
                    let of = |row: &R| {
                        of(row).map(|text| ByteArray::from(text.into_owned().into_bytes()))
                    };
                    column::<ByteArrayType, _, _>(&mut group, &rows, of)?;
                }
                Cells::Integer(of) => column::<Int32Type, _, _>(&mut group, &rows, of)?,
                Cells::Long(of) => column::<Int64Type, _, _>(&mut group, &rows, of)?,
                Cells::Number(of) => column::<FloatType, _, _>(&mut group, &rows, of)?,
                Cells::Flag(of) => column::<BoolType, _, _>(&mut group, &rows, of)?,
            }
        }
        group.close()?;
        Ok(())
    }
}

/// Writes the next column of a row group.
fn column<T: DataType, W: Write + Send, R>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    rows: &[R],
    of: impl Fn(&R) -> Option<T::T>,
) -> Result<(), ParquetError> {
    let cells: Vec<Option<T::T>> = rows.iter().map(of).collect();
    let levels: Vec<i16> = cells.iter().map(|cell| i16::from(cell.is_some())).collect();
    let values: Vec<T::T> = cells.into_iter().flatten().collect();
    let missing = || ParquetError::General("more columns than the schema has".into());
    let mut column = group.next_column()?.ok_or_else(missing)?;
    column.typed::<T>().write_batch(&values, Some(&levels), None)?;
    column.close()
}

fn schema<R>(columns: &[Column<R>]) -> Result<TypePtr, ParquetError> {
    let field = |(name, cells): &Column<R>| -> Result<TypePtr, ParquetError> {
        let (kind, logical) = match cells {
            Cells::Text(_) => (PhysicalType::BYTE_ARRAY, Some(LogicalType::String)),
            Cells::Integer(_) => (PhysicalType::INT32, None),
            Cells::Long(_) => (PhysicalType::INT64, None),
            Cells::Number(_) => (PhysicalType::FLOAT, None),
            Cells::Flag(_) => (PhysicalType::BOOLEAN, None),
        };
        let field = Type::primitive_type_builder(name, kind).with_repetition(Repetition::OPTIONAL);
        Ok(Arc::new(field.with_logical_type(logical).build()?))
    };
    let fields: Result<Vec<TypePtr>, ParquetError> = columns.iter().map(field).collect();
    Ok(Arc::new(Type::group_type_builder("pages").with_fields(fields?).build()?))
}

#[expect(clippy::needless_pass_by_value, reason = "`map_err` hands it over")]
fn wrong(error: ParquetError) -> io::Error {
    // A reader that went away must be known as one.
    let kind = match &error {
        ParquetError::External(cause) => cause.downcast_ref::<io::Error>().map(io::Error::kind),
        _ => None,
    };
    let message = format!("the Parquet table: {error}");
    io::Error::new(kind.unwrap_or(io::ErrorKind::Other), message)
}
