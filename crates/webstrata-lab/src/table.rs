//! The features of blocks as a table, for other people's tools: CSV and Parquet.
//!
//! The columns are `page`, `block`, then the [`FEATURES`] under the names that models use; `text`
//! after `block` and `class`, `weight` and `share` at the end where they are asked for.
//!
//! A table is written page by page and never as a whole in memory: CSV at once, Parquet in row
//! groups. Both give bytes; where these go is the caller's matter.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard};

use parquet::basic::{Compression, LogicalType, Repetition, Type as PhysicalType};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int32Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{Type, TypePtr};
use webstrata::features::{FEATURES, Features};
use webstrata::{Class, Document};

use webstrata_base::error::Error;

/// Rows of a Parquet row group. 67 columns of numbers: 35 MB while it fills.
const GROUP_ROWS: usize = 1 << 16;
/// Bytes of text after which a row group ends, however few its rows are.
const GROUP_TEXT: usize = 32 << 20;

/// Which columns a table has besides page, block and features.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Columns {
    /// `text`: the block's text.
    pub text: bool,
    /// `class`, `weight` and `share`: what the gold says about the block, see [`Rows::with_labels`].
    pub labels: bool,
}

impl Columns {
    /// The columns' names, from left to right.
    pub fn names(self) -> Vec<&'static str> {
        let mut names = vec!["page", "block"];
        names.extend(self.text.then_some("text"));
        names.extend(FEATURES.iter().map(|feature| feature.name));
        names.extend(self.labels.then_some(["class", "weight", "share"]).into_iter().flatten());
        names
    }
}

/// The blocks of one page as rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rows {
    page: String,
    texts: Vec<String>,
    /// The values of all features of the first block, then of the second, and so on.
    values: Vec<f64>,
    labels: Option<Vec<Label>>,
}

/// What the gold says about a block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Label {
    /// Its class.
    pub class: Class,
    /// How much it counts: its words.
    pub weight: f64,
    /// The share of its tokens that are in the gold; 0 or 1 where it was annotated.
    pub share: f64,
}

impl Rows {
    /// The rows of a document's blocks as they are now. `page` tells it from other pages.
    pub fn of(page: impl Into<String>, document: &Document, columns: Columns) -> Rows {
        Rows::of_corpus(page, document, &[], columns)
    }

    /// The same with the frequency of each block's text in a corpus, which is 0 in [`Rows::of`].
    pub fn of_corpus(
        page: impl Into<String>,
        document: &Document,
        frequencies: &[f64],
        columns: Columns,
    ) -> Rows {
        let features = Features::of(document).with_frequencies(frequencies);
        let blocks = 0..document.blocks.len();
        let row = |block| (0..FEATURES.len()).map(move |feature| features.value(block, feature));
        let text = |block: usize| {
            let atoms = document.blocks[block].atoms();
            let texts: Vec<&str> = atoms.map(|atom| document.atom_text(atom)).collect();
            texts.join("\n")
        };
        let texts = if columns.text { blocks.clone().map(text).collect() } else { Vec::new() };
        Rows { page: page.into(), texts, values: blocks.flat_map(row).collect(), labels: None }
    }

    /// The same with what each block is and how much it counts; one for each row. Rows without them
    /// have empty cells where the table has columns for them.
    ///
    /// # Panics
    ///
    /// Where there are more or fewer labels than rows.
    pub fn with_labels(self, labels: Vec<Label>) -> Rows {
        assert_eq!(labels.len(), self.len(), "{}: a label for each block", self.page);
        Rows { labels: Some(labels), ..self }
    }

    /// How many blocks there are.
    pub fn len(&self) -> usize {
        self.values.len() / FEATURES.len()
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    fn value(&self, row: usize, feature: usize) -> f64 {
        self.values[row * FEATURES.len() + feature]
    }

    fn text(&self, row: usize) -> &str {
        self.texts.get(row).map_or("", String::as_str)
    }

    fn label(&self, row: usize) -> Option<Label> {
        self.labels.as_ref().map(|labels| labels[row])
    }
}

/// The line of column names.
pub fn csv_header(columns: Columns) -> String {
    csv_lines(|csv| csv.write_record(columns.names()))
}

/// The rows of a page as lines of CSV.
pub fn csv_rows(rows: &Rows, columns: Columns) -> String {
    csv_lines(|csv| {
        for row in 0..rows.len() {
            csv.write_field(&rows.page)?;
            csv.write_field(row.to_string())?;
            if columns.text {
                csv.write_field(rows.text(row))?;
            }
            for feature in 0..FEATURES.len() {
                csv.write_field(rows.value(row, feature).to_string())?;
            }
            if columns.labels {
                let label = rows.label(row);
                let number =
                    |of: fn(Label) -> f64| label.map_or(String::new(), |l| of(l).to_string());
                csv.write_field(label.map_or("", |label| label.class.name()))?;
                csv.write_field(number(|label| label.weight))?;
                csv.write_field(number(|label| label.share))?;
            }
            csv.write_record(None::<&[u8]>)?;
        }
        Ok(())
    })
}

fn csv_lines(write: impl FnOnce(&mut csv::Writer<Vec<u8>>) -> csv::Result<()>) -> String {
    let mut csv = csv::Writer::from_writer(Vec::new());
    write(&mut csv).expect("a Vec takes all bytes, and all rows are of one length");
    let bytes = csv.into_inner().expect("a Vec takes all bytes");
    String::from_utf8(bytes).expect("made of strings")
}

/// A table on its way into a Parquet file.
///
/// ```
/// use webstrata::{Extractor, features::FEATURES};
/// use webstrata_lab::table::{Columns, ParquetTable, Rows};
///
/// let columns = Columns::default();
/// let document = Extractor::named("keep-all").unwrap().extract(b"<p>High water is at noon.");
/// let mut table = ParquetTable::new(columns)?;
/// let mut file = table.write(Rows::of("tides", &document, columns))?;
/// file.extend(table.finish()?);
/// assert!(file.starts_with(b"PAR1") && file.ends_with(b"PAR1"));
/// # Ok::<(), webstrata_base::Error>(())
/// ```
pub struct ParquetTable {
    columns: Columns,
    file: SerializedFileWriter<Sink>,
    sink: Sink,
    group: Vec<Rows>,
    group_rows: usize,
    group_text: usize,
}

impl ParquetTable {
    /// A table without rows.
    pub fn new(columns: Columns) -> Result<ParquetTable, Error> {
        let sink = Sink::default();
        let schema = schema(columns).map_err(wrong)?;
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_created_by(concat!("webstrata ", env!("CARGO_PKG_VERSION")).to_owned())
            // We decide where row groups end.
            .set_max_row_group_row_count(None)
            .build();
        let file = SerializedFileWriter::new(sink.clone(), schema, Arc::new(properties));
        let file = file.map_err(wrong)?;
        Ok(ParquetTable { columns, file, sink, group: Vec::new(), group_rows: 0, group_text: 0 })
    }

    /// Adds the rows of a page. Returns what of the file is finished: nothing most of the time, then
    /// a whole row group.
    pub fn write(&mut self, rows: Rows) -> Result<Vec<u8>, Error> {
        self.group_rows += rows.len();
        self.group_text += rows.texts.iter().map(String::len).sum::<usize>();
        self.group.push(rows);
        if self.group_rows >= GROUP_ROWS || self.group_text >= GROUP_TEXT {
            self.end_group().map_err(wrong)?;
        }
        Ok(self.sink.take())
    }

    /// The rest of the file.
    pub fn finish(mut self) -> Result<Vec<u8>, Error> {
        self.end_group().map_err(wrong)?;
        self.file.finish().map_err(wrong)?;
        Ok(self.sink.take())
    }

    fn end_group(&mut self) -> Result<(), ParquetError> {
        let pages = std::mem::take(&mut self.group);
        (self.group_rows, self.group_text) = (0, 0);
        if pages.iter().all(Rows::is_empty) {
            return Ok(());
        }
        let rows = || pages.iter().flat_map(|page| (0..page.len()).map(move |row| (page, row)));
        let mut writer = self.file.next_row_group()?;
        let group = &mut writer;
        let names: Vec<ByteArray> =
            pages.iter().map(|page| ByteArray::from(page.page.as_str())).collect();
        let names = pages.iter().zip(names);
        let names = names.flat_map(|(page, name)| std::iter::repeat_n(name, page.len()));
        column::<ByteArrayType>(group, names, None)?;
        column::<Int32Type>(group, rows().map(|(_, row)| row as i32), None)?;
        if self.columns.text {
            let texts = rows().map(|(page, row)| ByteArray::from(page.text(row)));
            column::<ByteArrayType>(group, texts, None)?;
        }
        for feature in 0..FEATURES.len() {
            let values = rows().map(|(page, row)| page.value(row, feature));
            column::<DoubleType>(group, values, None)?;
        }
        if self.columns.labels {
            let labels = || rows().filter_map(|(page, row)| page.label(row));
            let levels = rows().map(|(page, row)| i16::from(page.label(row).is_some()));
            let levels: Vec<i16> = levels.collect();
            let classes = labels().map(|label| ByteArray::from(label.class.name()));
            column::<ByteArrayType>(group, classes, Some(&levels))?;
            column::<DoubleType>(group, labels().map(|label| label.weight), Some(&levels))?;
            column::<DoubleType>(group, labels().map(|label| label.share), Some(&levels))?;
        }
        writer.close()?;
        Ok(())
    }
}

/// Writes the next column of a row group; `levels` say which rows have a value, where some may not.
fn column<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, Sink>,
    values: impl Iterator<Item = T::T>,
    levels: Option<&[i16]>,
) -> Result<(), ParquetError> {
    let values: Vec<T::T> = values.collect();
    let missing = || ParquetError::General("more columns than the schema has".into());
    let mut column = group.next_column()?.ok_or_else(missing)?;
    column.typed::<T>().write_batch(&values, levels, None)?;
    column.close()
}

fn schema(columns: Columns) -> Result<TypePtr, ParquetError> {
    let field = |name: &str| -> Result<TypePtr, ParquetError> {
        let (kind, logical) = match name {
            "page" | "text" | "class" => (PhysicalType::BYTE_ARRAY, Some(LogicalType::String)),
            "block" => (PhysicalType::INT32, None),
            _ => (PhysicalType::DOUBLE, None),
        };
        let optional = matches!(name, "class" | "weight" | "share");
        let repetition = if optional { Repetition::OPTIONAL } else { Repetition::REQUIRED };
        let field = Type::primitive_type_builder(name, kind);
        Ok(Arc::new(field.with_repetition(repetition).with_logical_type(logical).build()?))
    };
    let fields: Result<Vec<TypePtr>, ParquetError> =
        columns.names().into_iter().map(field).collect();
    Ok(Arc::new(Type::group_type_builder("blocks").with_fields(fields?).build()?))
}

#[expect(clippy::needless_pass_by_value, reason = "`map_err` hands it over")]
fn wrong(error: ParquetError) -> Error {
    Error::new(format!("the Parquet table: {error}"))
}

/// Where the Parquet writer writes, and where we take it from.
#[derive(Clone, Default)]
struct Sink(Arc<Mutex<Vec<u8>>>);

impl Sink {
    fn bytes(&self) -> MutexGuard<'_, Vec<u8>> {
        self.0.lock().expect("nothing panics while it holds the lock")
    }

    fn take(&self) -> Vec<u8> {
        std::mem::take(&mut self.bytes())
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::Field;
    use webstrata::cutting::Cutting;
    use webstrata::{Options, Page};

    use super::*;

    const ALL: Columns = Columns { text: true, labels: true };

    fn rows(page: &str, html: &str, columns: Columns) -> Rows {
        let read = Page::read(html.as_bytes(), Cutting::Atomic, &Options::default());
        Rows::of(page, &read.document, columns)
    }

    /// A file's cells, as CSV would write them.
    fn read_back(file: Vec<u8>) -> Vec<Vec<String>> {
        let reader = SerializedFileReader::new(bytes::Bytes::from(file)).unwrap();
        let names = reader.metadata().file_metadata().schema_descr().columns().to_vec();
        let mut cells = vec![names.iter().map(|column| column.name().to_owned()).collect()];
        for row in reader.get_row_iter(None).unwrap() {
            let cell = |(_, field): (&String, &Field)| match field {
                Field::Str(text) => text.clone(),
                Field::Int(number) => number.to_string(),
                Field::Double(number) => number.to_string(),
                Field::Null => String::new(),
                other => panic!("{other:?}"),
            };
            cells.push(row.unwrap().get_column_iter().map(cell).collect());
        }
        cells
    }

    fn read_csv(csv: &[u8]) -> Vec<Vec<String>> {
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(csv);
        let row = |row: csv::StringRecord| row.iter().map(str::to_owned).collect();
        reader.records().map(|record| row(record.unwrap())).collect()
    }

    /// Both tables of the same pages, in which some rows have labels and some pages have no rows.
    fn both(columns: Columns) -> (Vec<Vec<String>>, Vec<Vec<String>>) {
        let pages = [
            ("tides", "<h1>Fog, \"rain\"</h1><p>One<br>two\u{e4}\n<p>Noon | 12:30"),
            ("empty", ""),
            ("a \"page\", perhaps", "<a href=/>Home</a><div>Third part of 3.</div>"),
        ];
        let (mut csv, mut table) = (csv_header(columns), ParquetTable::new(columns).unwrap());
        let mut file = Vec::new();
        for (page, html) in pages {
            let mut rows = rows(page, html, columns);
            if page == "tides" {
                let label =
                    |row| Label { class: Class::Content, weight: 0.1 + row as f64, share: 0.5 };
                let labels = (0..rows.len()).map(label).collect();
                rows = rows.with_labels(labels);
            }
            csv += &csv_rows(&rows, columns);
            file.extend(table.write(rows).unwrap());
        }
        file.extend(table.finish().unwrap());
        (read_csv(csv.as_bytes()), read_back(file))
    }

    #[test]
    fn csv_and_parquet_say_the_same() {
        for text in [false, true] {
            for labels in [false, true] {
                let (csv, parquet) = both(Columns { text, labels });
                assert_eq!(csv, parquet);
                assert_eq!(csv.len(), 1 + 4 + 2);
            }
        }
        let (csv, _) = both(ALL);
        assert_eq!(csv[0], ALL.names());
        assert_eq!(csv[1][..3], ["tides", "0", "Fog, \"rain\""]);
        assert_eq!(csv[4][70..], ["content", "3.1", "0.5"]);
        assert_eq!(csv[5][70..], ["", "", ""]);
    }

    #[test]
    fn a_table_without_rows_is_a_table() {
        let mut table = ParquetTable::new(Columns::default()).unwrap();
        let mut file = table.write(rows("empty", "", Columns::default())).unwrap();
        file.extend(table.finish().unwrap());
        assert_eq!(read_back(file), [Columns::default().names()]);
    }

    #[test]
    fn row_groups_end_and_leave_the_memory() {
        let html = "<p>High water<br>at noon".repeat(1000);
        let one = rows("tides", &html, Columns::default());
        let (mut table, mut file) = (ParquetTable::new(Columns::default()).unwrap(), Vec::new());
        let pages = 2 * GROUP_ROWS / one.len() + 3;
        let mut most = 0;
        for _ in 0..pages {
            file.extend(table.write(one.clone()).unwrap());
            most = most.max(table.group_rows);
        }
        assert!(most < GROUP_ROWS, "{most}");
        assert!(table.group_rows > 0 && file.len() > 1000);
        file.extend(table.finish().unwrap());
        let reader = SerializedFileReader::new(bytes::Bytes::from(file)).unwrap();
        assert_eq!(reader.num_row_groups(), 3);
        let rows = reader.metadata().file_metadata().num_rows();
        assert_eq!(rows, (pages * one.len()) as i64);
    }

    #[test]
    fn long_texts_end_a_row_group_too() {
        let columns = Columns { text: true, labels: false };
        let long = Rows {
            page: "long".into(),
            texts: vec!["tide ".repeat(GROUP_TEXT / 5 + 1)],
            values: vec![0.0; FEATURES.len()],
            labels: None,
        };
        let mut table = ParquetTable::new(columns).unwrap();
        table.write(long).unwrap();
        assert_eq!(table.group_rows, 0);
    }
}
