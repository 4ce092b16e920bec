//! Records as a Parquet table: a row a page, the fields of [`PageRecord`] that are no lists.

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

use super::PageRecord;

/// Rows of a row group.
const GROUP_ROWS: usize = 1 << 16;
/// Bytes of text after which a row group ends, however few its rows are.
const GROUP_TEXT: usize = 32 << 20;

/// How a column is filled: from a record, a value or none.
enum Values {
    Text(fn(&PageRecord) -> Option<String>),
    Integer(fn(&PageRecord) -> Option<i32>),
    Long(fn(&PageRecord) -> Option<i64>),
    Number(fn(&PageRecord) -> Option<f32>),
    Flag(fn(&PageRecord) -> Option<bool>),
}

use Values::{Flag, Integer, Long, Number, Text};

/// The columns from left to right. All may be empty, so that one can be added without a new shape.
const COLUMNS: &[(&str, Values)] = &[
    ("id", Text(|page| Some(page.id.clone()))),
    ("url", Text(|page| page.record.url.clone().or_else(|| page.warc.target_uri.clone()))),
    ("date", Text(|page| page.warc.date.clone())),
    ("digest", Text(|page| page.warc.payload_digest.clone())),
    ("record_id", Text(|page| page.warc.record_id.clone())),
    ("file", Text(|page| Some(page.warc.file.clone()))),
    ("offset", Long(|page| i64::try_from(page.warc.offset).ok())),
    ("within", Long(|page| i64::try_from(page.warc.within).ok())),
    ("status", Integer(|page| page.warc.status.map(i32::from))),
    ("content_type", Text(|page| page.warc.content_type.clone())),
    ("truncated", Flag(|page| Some(page.warc.truncated))),
    ("title", Text(|page| page.record.title.clone())),
    ("language", Text(|page| page.record.language.clone())),
    ("text_language", Text(|page| page.text_language.clone())),
    ("encoding", Text(|page| Some(page.record.encoding.clone()))),
    ("extractor", Text(|page| Some(page.record.extractor.clone()))),
    ("page_type", Text(|page| page.record.page_type.map(|kind| kind.name().to_owned()))),
    ("confidence", Number(|page| page.record.confidence)),
    ("words", Integer(|page| i32::try_from(page.record.words).ok())),
    ("page_words", Integer(|page| i32::try_from(page.record.page_words).ok())),
    ("limits", Text(|page| Some(page.record.limits.join(",")))),
    ("text", Text(|page| Some(page.record.text.clone()))),
];

/// A table on its way into a Parquet file.
pub struct Table<W: Write + Send> {
    file: SerializedFileWriter<W>,
    group: Vec<PageRecord>,
    group_text: usize,
}

impl<W: Write + Send> Table<W> {
    /// A table without rows.
    pub fn new(file: W) -> io::Result<Table<W>> {
        let level = ZstdLevel::try_new(3).map_err(wrong)?;
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(level))
            .set_created_by(concat!("webstrata ", env!("CARGO_PKG_VERSION")).to_owned())
            // Texts do not repeat: a dictionary of them is work for nothing.
            .set_column_dictionary_enabled(ColumnPath::from("text"), false)
            // We decide where row groups end.
            .set_max_row_group_row_count(None)
            .build();
        let file = SerializedFileWriter::new(file, schema().map_err(wrong)?, Arc::new(properties));
        Ok(Table { file: file.map_err(wrong)?, group: Vec::new(), group_text: 0 })
    }

    /// Adds a row. It is written when its group is full.
    pub fn write(&mut self, page: PageRecord) -> io::Result<()> {
        self.group_text += page.record.text.len();
        self.group.push(page);
        if self.group.len() >= GROUP_ROWS || self.group_text >= GROUP_TEXT {
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
        let pages = std::mem::take(&mut self.group);
        self.group_text = 0;
        if pages.is_empty() {
            return Ok(());
        }
        let mut group = self.file.next_row_group()?;
        for (_, values) in COLUMNS {
            match values {
                Text(of) => {
                    let of =
                        |page: &PageRecord| of(page).map(|text| ByteArray::from(text.into_bytes()));
                    column::<ByteArrayType, _>(&mut group, &pages, of)?;
                }
                Integer(of) => column::<Int32Type, _>(&mut group, &pages, of)?,
                Long(of) => column::<Int64Type, _>(&mut group, &pages, of)?,
                Number(of) => column::<FloatType, _>(&mut group, &pages, of)?,
                Flag(of) => column::<BoolType, _>(&mut group, &pages, of)?,
            }
        }
        group.close()?;
        Ok(())
    }
}

/// Writes the next column of a row group.
fn column<T: DataType, W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    pages: &[PageRecord],
    of: impl Fn(&PageRecord) -> Option<T::T>,
) -> Result<(), ParquetError> {
    let cells: Vec<Option<T::T>> = pages.iter().map(of).collect();
    let levels: Vec<i16> = cells.iter().map(|cell| i16::from(cell.is_some())).collect();
    let values: Vec<T::T> = cells.into_iter().flatten().collect();
    let missing = || ParquetError::General("more columns than the schema has".into());
    let mut column = group.next_column()?.ok_or_else(missing)?;
    column.typed::<T>().write_batch(&values, Some(&levels), None)?;
    column.close()
}

fn schema() -> Result<TypePtr, ParquetError> {
    let field = |(name, values): &(&str, Values)| -> Result<TypePtr, ParquetError> {
        let (kind, logical) = match values {
            Text(_) => (PhysicalType::BYTE_ARRAY, Some(LogicalType::String)),
            Integer(_) => (PhysicalType::INT32, None),
            Long(_) => (PhysicalType::INT64, None),
            Number(_) => (PhysicalType::FLOAT, None),
            Flag(_) => (PhysicalType::BOOLEAN, None),
        };
        let field = Type::primitive_type_builder(name, kind).with_repetition(Repetition::OPTIONAL);
        Ok(Arc::new(field.with_logical_type(logical).build()?))
    };
    let fields: Result<Vec<TypePtr>, ParquetError> = COLUMNS.iter().map(field).collect();
    Ok(Arc::new(Type::group_type_builder("pages").with_fields(fields?).build()?))
}

#[expect(clippy::needless_pass_by_value, reason = "`map_err` hands it over")]
fn wrong(error: ParquetError) -> io::Error {
    io::Error::other(format!("the Parquet table: {error}"))
}
