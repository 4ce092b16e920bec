//! Other kinds of files with pages: WACZ, tables, saved pages; told by their first bytes where names say nothing.

use std::fs;
use std::sync::Arc;

use arrow_array::{
    ArrayRef, BinaryArray, Int64Array, RecordBatch, StringArray, TimestampMillisecondArray,
};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use parquet::basic::Compression;
use parquet::data_type::{ByteArray, ByteArrayType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use proptest::prelude::*;
use webstrata_archive::{Arrival, Columns, Cursor, Limits, ProblemKind, Source};

use crate::wacz::{deflated, zip};
use crate::writing::{all, gzip, messages, numbers, page, read, text, write, zstd};

fn members() -> [(&'static str, Vec<u8>); 4] {
    let packed =
        |pages: [usize; 2], pack: fn(&[u8]) -> Vec<u8>| pages.map(|n| pack(&page(n))).concat();
    [
        ("archive/data-0.warc.gz", packed([0, 1], gzip)),
        ("datapackage.json", b"{\"profile\": \"data-package\"}".to_vec()),
        ("archive/data-1.warc.zst", packed([2, 3], zstd)),
        ("archive/data-2.warc", [page(4), page(5)].concat()),
    ]
}

fn wacz() -> Vec<u8> {
    zip(&members())
}

/// Archives that zip has packed once more are read as those that are stored; their places lie behind the file.
#[test]
fn archives_that_zip_has_packed() {
    let file = deflated(&members());
    let (pages, problems) = read("crawl.wacz", &file);
    assert_eq!((numbers(&pages), problems.len()), ((0..6).collect::<Vec<_>>(), 0));
    let stored = read("crawl.wacz", &wacz()).0;
    for (page, stored) in pages.iter().zip(&stored) {
        assert_eq!((&page.bytes, &page.url), (&stored.bytes, &stored.url));
        assert!(page.offset >= file.len() as u64);
    }
    let places: Vec<(u64, u64)> = pages.iter().map(|page| (page.offset, page.within)).collect();
    assert!(places.is_sorted_by(|a, b| a < b), "{places:?}");
    let folder = tempfile::tempdir().unwrap();
    let path = write(&folder, "crawl.wacz", &file);
    for (number, page) in pages.iter().enumerate() {
        let cursor = Cursor { offset: page.offset, within: page.within, reread: 0 };
        let (rest, problems) = all(Source::resume(&path, cursor, Limits::default()));
        assert_eq!((numbers(&rest), problems.len()), ((number..6).collect(), 0));
    }
}

/// An archive that does not unpack costs itself, with one clear line; the others are read.
#[test]
fn what_zip_has_packed_and_is_damaged() {
    let mut file = deflated(&members()[2..]);
    let at = 30 + "archive/data-1.warc.zst".len();
    file[at] = 0xff;
    let (pages, problems) = read("crawl.wacz", &file);
    assert_eq!(numbers(&pages), [4, 5]);
    let messages = messages(&problems);
    assert!(messages[0].contains("the zip file is damaged"), "{messages:?}");
}

#[test]
fn archives_of_a_wacz_file() {
    let (pages, problems) = read("crawl.wacz", &wacz());
    assert_eq!((numbers(&pages), problems.len()), ((0..6).collect::<Vec<_>>(), 0));
    // Places are those in the file, and reading begins at any of them.
    let folder = tempfile::tempdir().unwrap();
    let path = write(&folder, "crawl.wacz", &wacz());
    let file = fs::read(&path).unwrap();
    assert!(file[pages[0].offset as usize..].starts_with(b"\x1f\x8b"));
    assert!(file[pages[4].offset as usize..].starts_with(b"WARC/1.0"));
    for (number, page) in pages.iter().enumerate() {
        let cursor = Cursor { offset: page.offset, within: page.within, reread: 0 };
        let (rest, problems) = all(Source::resume(&path, cursor, Limits::default()));
        assert_eq!((numbers(&rest), problems.len()), ((number..6).collect(), 0));
    }
    // By its first bytes, whatever its name.
    let path = write(&folder, "crawl", &wacz());
    assert_eq!(all(Source::open(&[path], Limits::default())).0.len(), 6);
    let (_, problems) = read("a.wacz", &zip(&[("a.html", b"<p>".to_vec())]));
    assert_eq!(
        messages(&problems),
        ["a zip file without web archives (WACZ has archive/*.warc.gz); unpack it first"]
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_damaged_wacz_file_ends(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        cut in prop::option::of(any::<prop::sample::Index>()),
        is_deflated: bool,
    ) {
        let mut file = if is_deflated { deflated(&members()) } else { wacz() };
        changes.iter().for_each(|(at, byte)| {
            let at = at.index(file.len());
            file[at] = *byte;
        });
        file.truncate(cut.map_or(file.len(), |cut| cut.index(file.len())));
        read("crawl.wacz", &file);
    }
}

const DAY: i64 = 1_794_729_600_000;

/// A table of pages as Parquet, so many rows a group; every third row has no page.
fn parquet(rows: usize, group: usize, compression: Compression) -> Vec<u8> {
    let schema = "message pages {
        optional binary url (UTF8); optional int64 fetched (TIMESTAMP_MILLIS); optional int64 n;
        optional binary raw_html; required binary id (UTF8); }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let properties = Arc::new(WriterProperties::builder().set_compression(compression).build());
    let mut bytes = Vec::new();
    let mut file = SerializedFileWriter::new(&mut bytes, schema, properties).unwrap();
    let numbers: Vec<usize> = (0..rows).collect();
    for numbers in numbers.chunks(group) {
        let mut group = file.next_row_group().unwrap();
        let mut column = 0;
        while let Some(mut writer) = group.next_column().unwrap() {
            let there: Vec<i16> =
                numbers.iter().map(|n| i16::from(column != 3 || n % 3 != 2)).collect();
            let texts: Vec<ByteArray> = numbers
                .iter()
                .filter(|n| column != 3 || *n % 3 != 2)
                .map(|n| match column {
                    0 => format!("https://example.org/{n}").as_bytes().into(),
                    3 => text(*n).as_bytes().into(),
                    _ => format!("row {n}").as_bytes().into(),
                })
                .collect();
            let longs: Vec<i64> = numbers.iter().map(|n| DAY + 1000 * *n as i64).collect();
            match column {
                1 | 2 => writer.typed::<Int64Type>().write_batch(&longs, Some(&there), None),
                4 => writer.typed::<ByteArrayType>().write_batch(&texts, None, None),
                _ => writer.typed::<ByteArrayType>().write_batch(&texts, Some(&there), None),
            }
            .unwrap();
            writer.close().unwrap();
            column += 1;
        }
        group.close().unwrap();
    }
    file.close().unwrap();
    bytes
}

/// The same as Arrow.
fn arrow(rows: usize, group: usize, is_stream: bool) -> Vec<u8> {
    let numbers: Vec<usize> = (0..rows).collect();
    let batches: Vec<RecordBatch> = numbers
        .chunks(group)
        .map(|numbers| {
            let pages: Vec<Option<String>> =
                numbers.iter().map(|n| (n % 3 != 2).then(|| text(*n))).collect();
            let pages = pages.iter().map(|page| page.as_deref().map(str::as_bytes));
            let columns: Vec<(&str, ArrayRef)> = vec![
                ("n", Arc::new(Int64Array::from_iter_values(numbers.iter().map(|n| *n as i64)))),
                ("HTML", Arc::new(BinaryArray::from_iter(pages))),
                (
                    "url",
                    Arc::new(StringArray::from_iter_values(
                        numbers.iter().map(|n| format!("https://example.org/{n}")),
                    )),
                ),
                (
                    "date",
                    Arc::new(TimestampMillisecondArray::from_iter_values(
                        numbers.iter().map(|n| DAY + 1000 * *n as i64),
                    )),
                ),
                (
                    "id",
                    Arc::new(StringArray::from_iter_values(
                        numbers.iter().map(|n| format!("row {n}")),
                    )),
                ),
            ];
            RecordBatch::try_from_iter(columns).unwrap()
        })
        .collect();
    let (mut bytes, schema) = (Vec::new(), batches[0].schema());
    if is_stream {
        let mut writer = StreamWriter::try_new(&mut bytes, &schema).unwrap();
        batches.iter().for_each(|batch| writer.write(batch).unwrap());
        writer.finish().unwrap();
    } else {
        let mut writer = FileWriter::try_new(&mut bytes, &schema).unwrap();
        batches.iter().for_each(|batch| writer.write(batch).unwrap());
        writer.finish().unwrap();
    }
    bytes
}

fn tables() -> Vec<(&'static str, Vec<u8>)> {
    let packings = [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::GZIP(parquet::basic::GzipLevel::default()),
        Compression::LZ4_RAW,
        Compression::ZSTD(parquet::basic::ZstdLevel::default()),
        Compression::BROTLI(parquet::basic::BrotliLevel::default()),
    ];
    let packed = packings.map(|packing| ("a.parquet", parquet(50, 20, packing)));
    let arrows = [("a.arrow", arrow(50, 20, false)), ("b.arrow", arrow(50, 20, true))];
    packed.into_iter().chain(arrows).collect()
}

fn open(
    folder: &tempfile::TempDir,
    name: &str,
    bytes: &[u8],
    from: u64,
) -> (Vec<Arrival>, Vec<(u64, ProblemKind)>) {
    let path = write(folder, name, bytes);
    let cursor = Cursor { offset: from, within: 0, reread: 0 };
    let (pages, problems) = all(Source::resume(&path, cursor, Limits::default()));
    let problems =
        problems.into_iter().map(|it| (it.offset.unwrap_or(u64::MAX), it.kind)).collect();
    (pages, problems)
}

#[test]
fn rows_of_tables_are_pages() {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in tables() {
        for from in [0, 1, 19, 20, 33, 49] {
            let (pages, problems) = open(&folder, name, &bytes, from);
            let rows: Vec<usize> = (from as usize..50).filter(|n| n % 3 != 2).collect();
            assert_eq!(numbers(&pages), rows, "{name} from {from}");
            let none = (from..50).filter(|n| n % 3 == 2).map(|n| (n, ProblemKind::NoPage));
            assert_eq!(problems, none.collect::<Vec<_>>());
            for page in &pages {
                assert_eq!(page.id.as_deref(), Some(&*format!("row {}", page.offset)));
                let second = page.offset;
                assert_eq!(
                    page.fetched.as_deref(),
                    Some(&*format!("2026-11-15T08:00:{second:02}Z"))
                );
                assert!(page.name.ends_with(&format!("#{}", page.offset)));
            }
        }
    }
}

#[test]
fn columns_that_are_missing_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(&folder, "pages", &parquet(5, 5, Compression::SNAPPY));
    let found = |columns: &str| {
        let columns: Columns = columns.parse().unwrap();
        let (pages, problems) =
            all(Source::open(std::slice::from_ref(&path), Limits::default()).with_columns(columns));
        (pages.len(), messages(&problems).first().map(|message| (*message).to_owned()))
    };
    assert_eq!(found("").0, 4);
    assert_eq!(found("html=id").0, 5);
    let (_, wrong) = found("html=text");
    assert_eq!(
        wrong.unwrap(),
        "the table has no column `text` for html; its columns: url, fetched, n, raw_html, id"
    );
    let (_, wrong) = found("html=n");
    assert!(wrong.unwrap().contains("no column `n` for html"));
    let (pages, problems) =
        all(Source::open(&[write(&folder, "no.parquet", b"<p>")], Limits::default()));
    assert_eq!((pages.len(), problems.len()), (0, 1));
}

/// Whatever is broken, reading ends, and nothing comes that was not written. The panics of the libraries that read
/// tables are caught.
fn check_damaged(name: &str, bytes: &[u8]) {
    let folder = tempfile::tempdir().unwrap();
    let path = write(&folder, name, bytes);
    let limits = Limits { record: 1 << 20, page: 1 << 20 };
    let (pages, _) = all(Source::open(&[path], limits));
    assert!(pages.iter().all(|page| page.bytes.len() <= 1 << 20));
}

/// The same table with the first of its pages packed.
fn packed_arrow(packing: CompressionType) -> Vec<u8> {
    let page = [text(0), "water ".repeat(1000)].concat();
    let column: ArrayRef = Arc::new(StringArray::from_iter_values([page]));
    let batch = RecordBatch::try_from_iter([("html", column)]).unwrap();
    let options = IpcWriteOptions::default().try_with_compression(Some(packing)).unwrap();
    let mut bytes = Vec::new();
    let mut writer =
        FileWriter::try_new_with_options(&mut bytes, &batch.schema(), options).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    bytes
}

/// Puts a number in the place of another one, wherever it is.
fn replaced(mut bytes: Vec<u8>, old: u64, new: u64) -> Vec<u8> {
    let places: Vec<usize> = memchr::memmem::find_iter(&bytes, &old.to_le_bytes()).collect();
    assert!(!places.is_empty(), "{old} is nowhere");
    for at in places {
        bytes[at..at + 8].copy_from_slice(&new.to_le_bytes());
    }
    bytes
}

/// Lengths for which there is no memory cost a line, not the process.
#[test]
fn lengths_of_arrow_files_that_lie() {
    let folder = tempfile::tempdir().unwrap();
    let problem = |bytes: &[u8]| {
        let (pages, problems) =
            all(Source::open(&[write(&folder, "a.arrow", bytes)], Limits::default()));
        assert_eq!((pages.len(), problems.len()), (0, 1));
        assert_eq!(problems[0].kind, ProblemKind::Damaged);
        messages(&problems)[0].to_owned()
    };
    let whole = arrow(3, 3, true);
    let size = u32::from_le_bytes(whole[4..8].try_into().unwrap()) as usize;
    let batch = &whole[8 + size..];
    let head = u32::from_le_bytes(batch[4..8].try_into().unwrap()) as usize;
    let body = arrow_ipc::root_as_message(&batch[8..8 + head]).unwrap().bodyLength() as u64;
    for lie in [1 << 45, body + 1_000_000, u64::MAX] {
        let why = problem(&replaced(whole.clone(), body, lie));
        assert!(why.ends_with("a message is longer than the file"), "{why}");
    }
    let page = text(0).len() as u64 + 6000;
    for packing in [CompressionType::ZSTD, CompressionType::LZ4_FRAME] {
        let packed = packed_arrow(packing);
        let path = write(&folder, "a.arrow", &packed);
        let (pages, problems) = all(Source::open(&[path], Limits::default()));
        assert!(problems.is_empty(), "{problems:?}");
        assert_eq!((pages.len(), pages[0].bytes.len() as u64), (1, page));
        for lie in [1 << 45, 1 << 30] {
            let why = problem(&replaced(packed.clone(), page, lie));
            assert!(why.ends_with("a batch would unpack to more than pages do"), "{why}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn damaged_tables_end(
        which in 0..8usize,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let (name, mut bytes) = tables().swap_remove(which);
        changes.iter().for_each(|(at, byte)| {
            let at = at.index(bytes.len());
            bytes[at] = *byte;
        });
        bytes.truncate(cut.map_or(bytes.len(), |cut| cut.index(bytes.len())));
        check_damaged(name, &bytes);
    }
}

#[test]
fn damage_in_one_group_costs_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = parquet(60, 20, Compression::UNCOMPRESSED);
    let text = text(21);
    let at = bytes.windows(text.len()).position(|it| it == text.as_bytes()).unwrap();
    let mut broken = bytes.clone();
    // The head of the page of values before it.
    broken[at - 200..at].fill(0xff);
    let (pages, problems) = open(&folder, "a.parquet", &broken, 0);
    let rows: Vec<u64> = pages.iter().map(|page| page.offset).collect();
    for row in (0..20).chain(40..60).filter(|row| row % 3 != 2) {
        assert!(rows.contains(&row), "{row}: {rows:?}");
    }
    assert!(problems.iter().any(|(_, kind)| *kind == ProblemKind::Damaged), "{problems:?}");
}

#[test]
fn saved_pages_have_an_address() {
    let mark = "<!doctype html>\n<!-- saved from url=(0027)https://example.org/tides/7 -->\n<p>Ebb";
    let (pages, _) = read("saved.html", mark.as_bytes());
    assert_eq!(pages[0].url.as_deref(), Some("https://example.org/tides/7"));
    let mail = "MIME-Version: 1.0\r\nSubject: Ebb\r\nDate: Tue, 17 Nov 2026 08:00:00 GMT\r\n\
        Content-Type: multipart/related; boundary=\"x\"\r\n\r\n--x\r\nContent-Type: text/html; charset=utf-8\r\n\
        Content-Transfer-Encoding: quoted-printable\r\nContent-Location: https://example.org/8\r\n\r\n<p>=E6=BD=AE\r\n--x--";
    for name in ["saved.mhtml", "saved.mht", "saved"] {
        let (pages, _) = read(name, mail.as_bytes());
        let page = &pages[0];
        assert_eq!(page.bytes, "<p>潮".as_bytes());
        assert_eq!(page.url.as_deref(), Some("https://example.org/8"));
        assert_eq!(page.fetched.as_deref(), Some("2026-11-17T08:00:00Z"));
        assert_eq!(page.charset(), Some("utf-8"));
    }
    let (_, problems) = read(
        "none.mhtml",
        b"MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=x\n\n--x--",
    );
    assert!(messages(&problems)[0].starts_with("an MHTML file without a page"));
}

#[test]
fn what_has_another_name_is_told_by_its_first_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let line = format!("{{\"url\": \"https://example.org/3\", \"html\": {:?}}}\n", text(3));
    let archive = [page(1), page(2)].concat();
    for (name, bytes, count) in [
        ("dump", archive.clone(), 2),
        ("dump.bin", gzip(&archive), 2),
        ("lines.txt", line.clone().into_bytes(), 1),
        ("lines.gz", gzip(line.repeat(3).as_bytes()), 3),
        ("page.txt", text(4).into_bytes(), 1),
        ("table", parquet(2, 2, Compression::SNAPPY), 2),
    ] {
        let path = write(&folder, name, &bytes);
        let (pages, problems) = all(Source::open(&[path], Limits::default()));
        assert_eq!((pages.len(), problems.len()), (count, 0), "{name}: {problems:?}");
    }
}
