//! Records of pages, as `webstrata warc` makes them, as rows.

use std::borrow::Cow;
use std::path::Path;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{Array, RecordBatch};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use webstrata::Options;
use webstrata_archive::export::{Cells, Row as _};
use webstrata_archive::record::{Filters, Making, NoRecord, PageRecord};
use webstrata_archive::{Arrival, Limits, sniff};
use webstrata_site::template::KnownSites;

use crate::archive_tables::{Size, Trouble, troubles};
use crate::arrow::without_json;
use crate::columns::{self, Columns};
use crate::errors::{caught, wrong_option};
use crate::options::PageOptions;
use crate::tables::{Given, Texts, to_python};

/// Makes records of pages, as `webstrata warc` does.
pub(crate) struct Maker {
    settings: PageOptions,
    site: Option<KnownSites>,
    filters: Filters,
    json: bool,
}

impl Maker {
    /// Do other pages of a site help?
    pub(crate) fn asks_for_site(&self) -> bool {
        self.settings.steps.extractor().asks_for_site()
    }

    pub(crate) fn read(
        min_words: u32,
        languages: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Maker> {
        let (options, json) = without_json(options)?;
        let settings = PageOptions::read(options.as_ref(), None, false)?;
        let languages = match languages.filter(|value| !value.is_none()) {
            None => Vec::new(),
            Some(value) => match value.extract::<String>() {
                Ok(written) => written.split(',').map(language).collect::<PyResult<_>>()?,
                Err(_) => {
                    let each: Vec<String> = value.extract()?;
                    each.iter().map(|written| language(written)).collect::<PyResult<_>>()?
                }
            },
        };
        Ok(Maker { settings, site: None, filters: Filters { min_words, languages }, json })
    }

    /// As the command line has them: pages that it takes may be at least 64 MiB long.
    pub(crate) fn limits(&self) -> Limits {
        let most = self.settings.request.options.limits.bytes;
        let default = Limits::default();
        Limits { record: default.record.max(most), page: default.page.max(most) }
    }

    /// A record, why there is none, or nothing where a filter left it out; and about how long it is.
    pub(crate) fn sized(
        &self,
        bytes: &[u8],
        page: &Arrival,
    ) -> Option<(Result<Made, Trouble>, usize)> {
        let row = match caught(|| self.make(bytes, page)) {
            Ok(None) => return None,
            Ok(Some(row)) => row,
            Err(message) => Err(Trouble::of_page(page, "internal", message)),
        };
        let size = row.as_ref().map_or(0, Made::size);
        Some((row, size))
    }

    fn make(&self, bytes: &[u8], arrival: &Arrival) -> Option<Result<Made, Trouble>> {
        let making = Making { request: &self.settings.request, filters: &self.filters };
        let made = making.make(arrival, bytes, |bytes, name, options| match &self.site {
            Some(site) => site.extract(bytes, name, options),
            None => self.settings.extract(bytes, options),
        });
        match made {
            Err(NoRecord::Filtered(_)) => None,
            Err(NoRecord::NotAPage(why)) => Some(Err(Trouble::of_page(arrival, "not-html", why))),
            Ok(page) => {
                let json = if self.json { serde_json::to_string(&page).ok() } else { None };
                Some(Ok(Made { page, json }))
            }
        }
    }

    pub(crate) fn batch(
        &self,
        rows: &[Result<Made, Trouble>],
        number: Option<i32>,
    ) -> PyResult<RecordBatch> {
        let numbers: Vec<Option<i32>> = rows.iter().map(|_| number).collect();
        self.numbered(rows, number.is_some().then_some(&numbers))
    }

    fn numbered(
        &self,
        rows: &[Result<Made, Trouble>],
        numbers: Option<&Vec<Option<i32>>>,
    ) -> PyResult<RecordBatch> {
        let mut columns = Columns::default();
        if let Some(numbers) = numbers {
            columns.push("archive", columns::integers(numbers.iter().copied()));
        }
        let each = || rows.iter().map(|row| row.as_ref().ok());
        for (name, cells) in PageRecord::COLUMNS {
            let array = match cells {
                Cells::Text(cell) => {
                    let texts: Vec<Option<Cow<'_, str>>> = rows
                        .iter()
                        .map(|row| match row {
                            Ok(made) => cell(&made.page),
                            Err(trouble) => match *name {
                                "id" => Some(Cow::Borrowed(trouble.place.as_str())),
                                "file" => Some(Cow::Borrowed(trouble.file.as_str())),
                                _ => None,
                            },
                        })
                        .collect();
                    columns::texts(texts.iter().map(Option::as_deref))?
                }
                Cells::Number(cell) => columns::numbers(each().map(|made| cell(&made?.page))),
                Cells::Integer(cell) => columns::integers(each().map(|made| cell(&made?.page))),
                Cells::Long(cell) => columns::longs(rows.iter().map(|row| match row {
                    Ok(made) => cell(&made.page),
                    Err(trouble) if *name == "offset" => trouble.offset,
                    Err(_) => None,
                })),
                Cells::Flag(cell) => columns::flags(each().map(|made| cell(&made?.page))),
            };
            columns.push(name, array);
        }
        let records = || each().map(|made| made.map(|made| &made.page.record));
        for part in &self.settings.request.parts {
            columns.push(part.name(), columns::part(*part, records())?);
        }
        if self.json {
            columns.push("record", columns::texts(each().map(|made| made?.json.as_deref()))?);
        }
        troubles(rows, &mut columns)?;
        columns.batch(rows.len())
    }
}

/// A record in the making.
pub(crate) struct Made {
    page: PageRecord,
    json: Option<String>,
}

impl Made {
    /// Its bytes, by and large.
    fn size(&self) -> usize {
        let record = &self.page.record;
        let links = record.links.iter().flatten().map(|link| link.url.len() + link.text.len() + 32);
        let blocks = record.blocks.iter().flatten().map(|block| block.text.len() + 128);
        let texts = [&record.markdown, &record.html, &self.json].into_iter().flatten();
        record.text.len()
            + 512
            + texts.map(String::len).sum::<usize>()
            + links.sum::<usize>()
            + blocks.sum::<usize>()
    }
}

fn language(written: &str) -> PyResult<String> {
    Filters::language(written).map_err(|message| wrong_option(format!("languages: {message}")))
}

/// The columns of pages that records are made of.
struct Pages<'a> {
    batch: &'a RecordBatch,
    html: Texts<'a>,
    texts: [Texts<'a>; 7],
}

const TEXTS: [&str; 7] = ["id", "url", "fetched", "digest", "record_id", "file", "content_type"];

impl<'a> Pages<'a> {
    fn of(batch: &'a RecordBatch) -> PyResult<Pages<'a>> {
        let mut texts = [const { Texts::None }; 7];
        for (text, name) in texts.iter_mut().zip(TEXTS) {
            *text = Texts::column(batch, name)?;
        }
        Ok(Pages { batch, html: Texts::column(batch, "html")?, texts })
    }

    fn long(&self, name: &str, row: usize) -> Option<i64> {
        let column = self.batch.column_by_name(name).filter(|column| column.is_valid(row))?;
        column.as_primitive_opt::<Int64Type>().map(|column| column.value(row))
    }

    fn integer(&self, name: &str, row: usize) -> Option<i32> {
        let column = self.batch.column_by_name(name).filter(|column| column.is_valid(row))?;
        column.as_primitive_opt::<Int32Type>().map(|column| column.value(row))
    }

    fn truncated(&self, row: usize) -> bool {
        let column = self.batch.column_by_name("truncated").filter(|column| column.is_valid(row));
        column.and_then(|column| column.as_boolean_opt()).is_some_and(|column| column.value(row))
    }

    /// Where the page comes among others.
    fn order(&self, row: usize) -> (Option<i32>, Option<i64>, Option<i64>) {
        (self.integer("archive", row), self.long("offset", row), self.long("within", row))
    }

    /// The page, without its bytes.
    fn arrival(&self, row: usize) -> Arrival {
        let [name, url, fetched, digest, id, file, content_type] =
            self.texts.each_ref().map(|texts| texts.text(row).map(str::to_owned));
        let place = |name| self.long(name, row).and_then(|at| u64::try_from(at).ok());
        Arrival {
            name: name.unwrap_or_default(),
            id,
            url,
            fetched,
            status: self.integer("status", row).and_then(|status| u16::try_from(status).ok()),
            content_type,
            digest,
            file: Path::new(&file.unwrap_or_default()).into(),
            offset: place("offset").unwrap_or_default(),
            within: place("within").unwrap_or_default(),
            truncated: self.truncated(row),
            bytes: Vec::new(),
        }
    }
}

/// The records of pages that `warc_batches` has read; where the extractor asks for other pages of the site, these
/// pages are it: they are read twice, in the order of the archives, and the first pass learns.
///
/// Returns a list of batches.
#[pyfunction]
#[pyo3(signature = (pages, /, *, min_words = 0, languages = None, batch_rows = None, batch_bytes = None, **options))]
pub(crate) fn page_records<'py>(
    py: Python<'py>,
    pages: &Bound<'py, PyAny>,
    min_words: u32,
    languages: Option<&Bound<'py, PyAny>>,
    batch_rows: Option<&Bound<'py, PyAny>>,
    batch_bytes: Option<&Bound<'py, PyAny>>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let mut maker = Maker::read(min_words, languages, options)?;
    let size = Size::read(batch_rows, batch_bytes)?;
    let given = Given::of(pages, "html")?;
    let batches = given.batches.iter().map(Pages::of).collect::<PyResult<Vec<_>>>()?;
    let mut order: Vec<(usize, usize)> = Vec::new();
    for (number, pages) in batches.iter().enumerate() {
        order.extend((0..pages.batch.num_rows()).map(|row| (number, row)));
    }
    order.sort_by_key(|(number, row)| batches[*number].order(*row));
    py.detach(|| maker.learn(&batches, &order));
    let has_numbers = given.schema.column_with_name("archive").is_some();
    let mut made = Vec::new();
    let mut next = order.as_slice();
    while !next.is_empty() || made.is_empty() {
        let batch = py.detach(|| maker.some(&batches, &mut next, size));
        let (rows, numbers): (Vec<_>, Vec<_>) = batch.into_iter().unzip();
        if !rows.is_empty() || made.is_empty() {
            made.push(to_python(py, maker.numbered(&rows, has_numbers.then_some(&numbers))?)?);
        }
    }
    Ok(made)
}

type Numbered = (Result<Made, Trouble>, Option<i32>);

impl Maker {
    /// The first of two passes.
    fn learn(&mut self, batches: &[Pages<'_>], order: &[(usize, usize)]) {
        let settings = &self.settings;
        let extractor = settings.steps.extractor();
        if !extractor.asks_for_site() {
            return;
        }
        let mut known = KnownSites::new(extractor);
        for (number, row) in order {
            let pages = &batches[*number];
            let Some(bytes) = pages.html.bytes(*row) else { continue };
            let visit = caught(|| {
                let arrival = pages.arrival(*row);
                let options: Options = arrival.options(&settings.request.options);
                let is_page = sniff::not_a_page(bytes).is_none();
                is_page.then(|| known.reader().visit(bytes, &arrival.name, &options)).flatten()
            });
            if let Ok(Some(visit)) = visit {
                known.insert(visit);
            }
        }
        self.site = Some(known);
    }

    /// Records for one batch.
    fn some(
        &self,
        batches: &[Pages<'_>],
        next: &mut &[(usize, usize)],
        size: Size,
    ) -> Vec<Numbered> {
        let (mut rows, mut bytes) = (Vec::new(), 0);
        while let [(number, row), rest @ ..] = *next
            && rows.len() < size.rows
            && bytes < size.bytes
        {
            *next = rest;
            let pages = &batches[*number];
            let Some(page) = pages.html.bytes(*row) else { continue };
            if let Some((made, length)) = self.sized(page, &pages.arrival(*row)) {
                bytes += length;
                rows.push((made, pages.integer("archive", *row)));
            }
        }
        rows
    }
}
