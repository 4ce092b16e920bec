//! Pages in tables: Parquet and Arrow files with a column of HTML.
//!
//! The libraries that read these formats trust their files more than we can. What they make of damage, a panic
//! included, ends a group of rows here, and nothing else.

mod messages;
mod pages;

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use arrow_array::cast::AsArray;
use arrow_array::{Array, RecordBatch};
use arrow_ipc::reader::StreamReader;
use arrow_schema::{DataType, Schema, TimeUnit};
use parquet::basic::{Compression, Type as Physical};
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::reader::{ReaderIter, TreeBuilder};
use parquet::record::{Field, Row};
use parquet::schema::types::{SchemaDescPtr, SchemaDescriptor, Type};

use self::messages::Messages;
use crate::arrival::{Arrival, Limits, Problem, ProblemKind};
use crate::columns::Columns;
use crate::columns::finding::Found;
use crate::warc_writer::date;

/// Rows that are read at once: pages are long.
const ROWS: usize = 16;

/// Bytes of pages that a table may have, and for each byte of the file. Tables can name one value any number of times: a small
/// file would go on for days.
const MOST_BYTES: u64 = 1 << 30;
const MOST_FOR_EACH: u64 = 1000;

/// How files begin.
const PARQUET: &[u8] = b"PAR1";
const ARROW: &[u8] = b"ARROW1";

/// A row, as far as it counts.
#[derive(Debug, Default, PartialEq, Eq)]
struct Values {
    html: Option<Vec<u8>>,
    url: Option<String>,
    date: Option<String>,
    id: Option<String>,
}

enum Format {
    Parquet(Box<Parquet>),
    Arrow(Box<Arrow>),
}

/// The pages of a table.
pub(crate) struct Table {
    format: Format,
    file: Arc<Path>,
    limits: Limits,
    /// The number of the next row.
    row: u64,
    /// Bytes that may still come.
    left: u64,
    is_done: bool,
}

impl Table {
    /// Reads a table; the first page is that of row `from` or of one behind it. `path` is what it is called.
    pub(crate) fn open(
        mut file: File,
        path: &Path,
        columns: &Columns,
        from: u64,
        limits: Limits,
    ) -> Result<Table, Problem> {
        let unreadable = |error| Problem::of_file(path, ProblemKind::Unreadable, error);
        let mut start = Vec::new();
        (&mut file).take(8).read_to_end(&mut start).map_err(unreadable)?;
        file.seek(SeekFrom::Start(0)).map_err(unreadable)?;
        let length = file.metadata().map_err(unreadable)?.len();
        let opened = guarded(|| match () {
            () if start.starts_with(PARQUET) => {
                Parquet::open(file, columns, from).map(Format::Parquet)
            }
            () => Arrow::open(file, &start, columns, from).map(Format::Arrow),
        });
        let format = opened.map_err(|why| Problem::of_file(path, ProblemKind::Unreadable, why))?;
        let left = MOST_BYTES.max(length.saturating_mul(MOST_FOR_EACH));
        Ok(Table { format, file: path.into(), limits, row: from, left, is_done: false })
    }

    fn arrival(&self, row: u64, values: Values) -> Result<Arrival, Problem> {
        let problem = |kind, message: String| Problem::at(&self.file, row, kind, message);
        let Some(bytes) = values.html else {
            return Err(problem(ProblemKind::NoPage, "the row has no page".into()));
        };
        if bytes.len() > self.limits.page {
            let message = format!("its page has more than {} bytes; left out", self.limits.page);
            return Err(problem(ProblemKind::TooLong, message));
        }
        Ok(Arrival {
            name: crate::source::name(&self.file, (row, 0)),
            id: values.id,
            url: values.url,
            fetched: values.date,
            status: None,
            content_type: None,
            digest: None,
            file: self.file.clone(),
            offset: row,
            within: 0,
            truncated: false,
            bytes,
        })
    }
}

impl Iterator for Table {
    type Item = Result<Arrival, Problem>;

    fn next(&mut self) -> Option<Result<Arrival, Problem>> {
        if self.is_done {
            return None;
        }
        let format = &mut self.format;
        let next = guarded(|| match format {
            Format::Parquet(table) => table.next().transpose(),
            Format::Arrow(table) => table.next().transpose(),
        });
        match next {
            Ok(None) => {
                self.is_done = true;
                None
            }
            Ok(Some(values)) => {
                let row = self.row;
                self.row += 1;
                let bytes = values.html.as_ref().map_or(0, Vec::len) as u64;
                let Some(left) = self.left.checked_sub(bytes) else {
                    self.is_done = true;
                    let why = "the pages are more than a thousand times as long as the file";
                    return Some(Err(Problem::at(&self.file, row, ProblemKind::Damaged, why)));
                };
                self.left = left;
                Some(self.arrival(row, values))
            }
            Err(why) => {
                let problem = Problem::at(&self.file, self.row, ProblemKind::Damaged, why);
                match &mut self.format {
                    Format::Parquet(table) => self.row = table.pass_over(),
                    // Nobody knows where the next one begins.
                    Format::Arrow(_) => self.is_done = true,
                }
                Some(Err(problem))
            }
        }
    }
}

/// Runs what may panic on damaged bytes. What it was at work on is not used again.
fn guarded<T>(work: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    panic::catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|_| Err("the table is damaged".into()))
}

fn damaged(error: impl std::fmt::Display) -> String {
    format!("the table is damaged or not supported: {error}")
}

/// A Parquet file, group of rows by group of rows.
struct Parquet {
    file: SerializedFileReader<File>,
    /// The same file, to look at what is read next.
    bytes: File,
    schema: SchemaDescPtr,
    /// The columns that are read, in the order of the file.
    places: Vec<usize>,
    found: Found,
    rows: Option<ReaderIter>,
    /// The number of the next group, and of its first row.
    group: usize,
    begin: u64,
    /// Rows that are passed over at the beginning.
    skip: u64,
}

impl Parquet {
    fn open(file: File, columns: &Columns, from: u64) -> Result<Box<Parquet>, String> {
        let bytes = file.try_clone().map_err(damaged)?;
        let file = SerializedFileReader::new(file).map_err(damaged)?;
        let schema = file.metadata().file_metadata().schema();
        let is_text = |field: &Type| {
            field.is_primitive()
                && matches!(field.get_physical_type(), Physical::BYTE_ARRAY)
                && !is_list(field)
        };
        let names: Vec<(String, bool)> = schema
            .get_fields()
            .iter()
            .map(|field| (field.name().to_owned(), is_text(field)))
            .collect();
        let all = columns.find(&names)?;
        let chunks =
            file.metadata().row_groups().iter().filter_map(|group| group.columns().get(all.html));
        if let Some(packing) = chunks.map(ColumnChunkMetaData::compression).find_map(not_read) {
            return Err(format!("the table is packed with {packing}, which is not read"));
        }
        // Only these columns are read. They come in the order of the file.
        let wanted = [Some(all.html), all.url, all.date, all.id];
        let mut places: Vec<usize> = wanted.into_iter().flatten().collect();
        places.sort_unstable();
        places.dedup();
        let fields = places.iter().map(|place| schema.get_fields()[*place].clone()).collect();
        let projection =
            Type::group_type_builder(schema.name()).with_fields(fields).build().map_err(damaged)?;
        let schema = Arc::new(SchemaDescriptor::new(Arc::new(projection)));
        let place = |column: usize| places.iter().position(|place| *place == column);
        let found = Found {
            html: place(all.html).unwrap_or_default(),
            url: all.url.and_then(place),
            date: all.date.and_then(place),
            id: all.id.and_then(place),
        };
        let (rows, group, begin, skip) = (None, 0, 0, 0);
        let mut table = Parquet { file, bytes, schema, places, found, rows, group, begin, skip };
        while table.group < table.groups() && table.begin + table.rows_of(table.group) <= from {
            table.begin += table.rows_of(table.group);
            table.group += 1;
        }
        table.skip = from - table.begin.min(from);
        Ok(Box::new(table))
    }

    fn groups(&self) -> usize {
        self.file.metadata().num_row_groups()
    }

    fn rows_of(&self, group: usize) -> u64 {
        u64::try_from(self.file.metadata().row_group(group).num_rows()).unwrap_or_default()
    }

    fn next(&mut self) -> Option<Result<Values, String>> {
        loop {
            if let Some(rows) = &mut self.rows {
                if let Some(row) = rows.next() {
                    if self.skip > 0 {
                        self.skip -= 1;
                        continue;
                    }
                    return Some(row.map(|row| self.values(row)).map_err(damaged));
                }
                self.rows = None;
            }
            if self.group >= self.groups() {
                return None;
            }
            let group = self.group;
            self.begin += self.rows_of(group);
            self.group += 1;
            if let Err(error) = self.check(group) {
                return Some(Err(damaged(error)));
            }
            let read = self.file.get_row_group(group).and_then(|group| {
                TreeBuilder::new().with_batch_size(ROWS).as_iter(self.schema.clone(), &*group)
            });
            match read {
                Ok(rows) => self.rows = Some(rows),
                Err(error) => return Some(Err(damaged(error))),
            }
        }
    }

    /// Are the columns of a group in proportion to their bytes?
    fn check(&self, group: usize) -> io::Result<()> {
        let group = self.file.metadata().row_group(group);
        self.places.iter().filter_map(|place| group.columns().get(*place)).try_for_each(|column| {
            let (start, length) = column.byte_range();
            pages::check(&self.bytes, start, length)
        })
    }

    /// Goes to the next group of rows; returns the number of its first row.
    fn pass_over(&mut self) -> u64 {
        (self.rows, self.skip) = (None, 0);
        self.begin
    }

    fn values(&self, row: Row) -> Values {
        let mut fields: Vec<Field> =
            row.into_columns().into_iter().map(|(_, field)| field).collect();
        let mut take = |place: Option<usize>| {
            let field = place.and_then(|place| fields.get_mut(place))?;
            Some(std::mem::replace(field, Field::Null))
        };
        let html = match take(Some(self.found.html)) {
            Some(Field::Str(text)) => Some(text.into_bytes()),
            Some(Field::Bytes(bytes)) => Some(bytes.data().to_vec()),
            _ => None,
        };
        let (url, date, id) = (take(self.found.url), take(self.found.date), take(self.found.id));
        let text = |field: Option<Field>| field.and_then(text_of);
        Values { html, url: text(url), date: text(date), id: text(id) }
    }
}

/// The name of a packing that nobody reads any more.
fn not_read(packing: Compression) -> Option<&'static str> {
    matches!(packing, Compression::LZO).then_some("LZO")
}

/// Is this a list without a group of its own, as old writers made them?
fn is_list(field: &Type) -> bool {
    let info = field.get_basic_info();
    info.has_repetition() && info.repetition() == parquet::basic::Repetition::REPEATED
}

fn text_of(field: Field) -> Option<String> {
    match field {
        Field::Str(text) => Some(text).filter(|text| !text.is_empty()),
        Field::Bytes(bytes) => String::from_utf8(bytes.data().to_vec()).ok(),
        Field::TimestampMillis(time) => moment(time, 1_000),
        Field::TimestampMicros(time) => moment(time, 1_000_000),
        Field::Date(day) => moment(i64::from(day) * 86_400, 1).map(|date| date[..10].to_owned()),
        Field::Int(number) => Some(number.to_string()),
        Field::Long(number) => Some(number.to_string()),
        Field::UInt(number) => Some(number.to_string()),
        Field::ULong(number) => Some(number.to_string()),
        _ => None,
    }
}

/// A moment since 1970 in parts of a second.
fn moment(time: i64, parts: i64) -> Option<String> {
    let seconds = u64::try_from(time.div_euclid(parts)).ok()?;
    // What comes later is no date but damage.
    let is_date = seconds < 253_402_300_800;
    is_date.then(|| date(UNIX_EPOCH + Duration::from_secs(seconds)))
}

/// An Arrow file, or a stream of batches in a file. A file is a stream with a list of its batches behind it.
struct Arrow {
    batches: StreamReader<Messages>,
    found: Found,
    batch: Option<RecordBatch>,
    row: usize,
    skip: u64,
}

impl Arrow {
    fn open(file: File, start: &[u8], columns: &Columns, from: u64) -> Result<Box<Arrow>, String> {
        if !start.starts_with(ARROW) && !start.starts_with(&[0xff; 4]) {
            return Err("by its name a table, but neither a Parquet nor an Arrow file".into());
        }
        let messages = Messages::new(file).map_err(damaged)?;
        let batches = StreamReader::try_new(messages, None).map_err(damaged)?;
        let found = columns.find(&names(&batches.schema()))?;
        Ok(Box::new(Arrow { batches, found, batch: None, row: 0, skip: from }))
    }

    fn next(&mut self) -> Option<Result<Values, String>> {
        loop {
            if let Some(batch) = &self.batch {
                if self.row < batch.num_rows() {
                    self.row += 1;
                    return Some(Ok(self.values(batch, self.row - 1)));
                }
                self.batch = None;
            }
            let batch = match self.batches.next()? {
                Ok(batch) => batch,
                Err(error) => return Some(Err(damaged(error))),
            };
            let skipped = self.skip.min(batch.num_rows() as u64);
            self.skip -= skipped;
            (self.batch, self.row) = (Some(batch), skipped as usize);
        }
    }

    fn values(&self, batch: &RecordBatch, row: usize) -> Values {
        let text = |column: Option<usize>| text_at(batch.column(column?), row);
        Values {
            html: bytes_at(batch.column(self.found.html), row).map(<[u8]>::to_vec),
            url: text(self.found.url),
            date: text(self.found.date),
            id: text(self.found.id),
        }
    }
}

fn names(schema: &Schema) -> Vec<(String, bool)> {
    use DataType::{Binary, BinaryView, LargeBinary, LargeUtf8, Utf8, Utf8View};
    let is_text = |kind: &DataType| {
        matches!(kind, Utf8 | LargeUtf8 | Utf8View | Binary | LargeBinary | BinaryView)
    };
    schema.fields().iter().map(|it| (it.name().clone(), is_text(it.data_type()))).collect()
}

fn bytes_at(column: &dyn Array, row: usize) -> Option<&[u8]> {
    if column.is_null(row) {
        return None;
    }
    Some(match column.data_type() {
        DataType::Utf8 => column.as_string::<i32>().value(row).as_bytes(),
        DataType::LargeUtf8 => column.as_string::<i64>().value(row).as_bytes(),
        DataType::Utf8View => column.as_string_view().value(row).as_bytes(),
        DataType::Binary => column.as_binary::<i32>().value(row),
        DataType::LargeBinary => column.as_binary::<i64>().value(row),
        DataType::BinaryView => column.as_binary_view().value(row),
        _ => return None,
    })
}

fn text_at(column: &dyn Array, row: usize) -> Option<String> {
    use arrow_array::types::{
        Date32Type, Int32Type, Int64Type, TimestampMicrosecondType, TimestampMillisecondType,
        TimestampNanosecondType, TimestampSecondType, UInt64Type,
    };
    if let Some(bytes) = bytes_at(column, row) {
        return str::from_utf8(bytes).ok().filter(|text| !text.is_empty()).map(str::to_owned);
    }
    if column.is_null(row) {
        return None;
    }
    match column.data_type() {
        DataType::Int32 => Some(column.as_primitive::<Int32Type>().value(row).to_string()),
        DataType::Int64 => Some(column.as_primitive::<Int64Type>().value(row).to_string()),
        DataType::UInt64 => Some(column.as_primitive::<UInt64Type>().value(row).to_string()),
        DataType::Date32 => {
            let day = column.as_primitive::<Date32Type>().value(row);
            moment(i64::from(day) * 86_400, 1).map(|date| date[..10].to_owned())
        }
        DataType::Timestamp(unit, _) => match unit {
            TimeUnit::Second => moment(column.as_primitive::<TimestampSecondType>().value(row), 1),
            TimeUnit::Millisecond => {
                moment(column.as_primitive::<TimestampMillisecondType>().value(row), 1_000)
            }
            TimeUnit::Microsecond => {
                moment(column.as_primitive::<TimestampMicrosecondType>().value(row), 1_000_000)
            }
            TimeUnit::Nanosecond => {
                moment(column.as_primitive::<TimestampNanosecondType>().value(row), 1_000_000_000)
            }
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use arrow_array::StringArray;
    use arrow_ipc::writer::StreamWriter;

    use super::*;

    #[test]
    fn a_small_file_is_no_endless_table() {
        let pages = StringArray::from_iter_values(["<p>Ebb", "<p>Flood", "<p>High water"]);
        let batch =
            RecordBatch::try_from_iter([("html", Arc::new(pages) as Arc<dyn Array>)]).unwrap();
        let mut file = tempfile::NamedTempFile::new().unwrap();
        let mut writer = StreamWriter::try_new(Vec::new(), &batch.schema()).unwrap();
        writer.write(&batch).unwrap();
        file.write_all(&writer.into_inner().unwrap()).unwrap();
        let columns = Columns::default();
        let (opened, limits) = (file.reopen().unwrap(), Limits::default());
        let mut table = Table::open(opened, file.path(), &columns, 0, limits).unwrap();
        assert!(table.left >= MOST_BYTES);
        table.left = 14;
        assert_eq!(table.next().unwrap().unwrap().bytes, b"<p>Ebb");
        assert_eq!(table.next().unwrap().unwrap().bytes, b"<p>Flood");
        let problem = table.next().unwrap().unwrap_err();
        assert_eq!((problem.kind, problem.offset), (ProblemKind::Damaged, Some(2)));
        assert!(table.next().is_none());
    }
}
