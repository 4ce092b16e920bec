//! Every kind of input through `extract` and `corpus run`: tables, WACZ, pages that browsers saved.

use std::sync::Arc;

use parquet::data_type::{ByteArray, ByteArrayType};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use serde_json::Value;

use crate::site::{Site, TIDES};
use crate::wacz::{deflated, zip};

/// How a saved page begins; it ends with the boundary `------x--`.
pub(crate) const MHTML: &str = "From: <Saved by Blink>\r\nSnapshot-Content-Location: https://a.example/mail\r\n\
    Date: Tue, 17 Nov 2026 08:00:00 -0000\r\nMIME-Version: 1.0\r\n\
    Content-Type: multipart/related; boundary=\"----x\"\r\n\r\n------x\r\nContent-Type: text/html\r\n\
    Content-Transfer-Encoding: quoted-printable\r\nContent-Location: https://a.example/mail\r\n\r\n";

fn page(number: usize) -> String {
    TIDES.replace("half an hour", &format!("{number} minutes and a little bit"))
}

fn archive(number: usize) -> Vec<u8> {
    let http = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{}", page(number));
    format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Date: 2026-11-17T08:00:00Z\r\n\
         WARC-Target-URI: https://a.example/{number}\r\nContent-Length: {}\r\n\r\n{http}\r\n\r\n",
        http.len()
    )
    .into_bytes()
}

/// A Parquet file with columns of texts.
pub(crate) fn table(columns: &[(&str, &[String])]) -> Vec<u8> {
    let fields = columns.iter().map(|(name, _)| format!("required binary {name} (UTF8);"));
    let schema = format!("message pages {{ {} }}", fields.collect::<String>());
    let schema = Arc::new(parse_message_type(&schema).unwrap());
    let mut bytes = Vec::new();
    let mut file = SerializedFileWriter::new(&mut bytes, schema, Arc::default()).unwrap();
    let mut group = file.next_row_group().unwrap();
    for (_, texts) in columns {
        let texts: Vec<ByteArray> = texts.iter().map(|text| text.as_bytes().into()).collect();
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<ByteArrayType>().write_batch(&texts, None, None).unwrap();
        column.close().unwrap();
    }
    group.close().unwrap();
    file.close().unwrap();
    bytes
}

/// A site with one file of each kind, and two pages in each that can have many.
fn site() -> Site {
    let site = Site::new(&[]);
    let html = |number: usize| Value::from(page(number));
    site.file(
        "lines.jsonl",
        format!(
            "{{\"url\":\"https://a.example/1\",\"html\":{},\"date\":\"2026-11-01\"}}\n{{\"url\":\"https://a.example/2\",\"html\":{}}}\n",
            html(1),
            html(2)
        ),
    );
    for format in ["parquet", "arrow"] {
        site.file(
            &format!("{format}.toml"),
            format!(
                "sources = [\"lines.jsonl\"]\n[extract]\nwith = [\"html\"]\n[output]\nfolder = \"{format}\"\nformat = \"{format}\""
            ),
        );
        site.stdout(&format!("corpus run --quiet {format}.toml"));
        let folder = site.path().join(format);
        let part = std::fs::read_dir(folder).unwrap().map(|it| it.unwrap().path());
        let part = part.filter(|it| it.extension().is_some_and(|it| it == format)).last().unwrap();
        std::fs::rename(part, site.path().join(format!("table.{format}"))).unwrap();
    }
    site.file("crawl.wacz", zip(&[("archive/a.warc", archive(3)), ("archive/b.warc", archive(4))]));
    site.file("mail.mhtml", format!("{MHTML}{}\r\n------x--", page(5).replace('=', "=3D")));
    site.file(
        "saved.html",
        format!("<!-- saved from url=(0023)https://a.example/saved -->\n{}", page(6)),
    );
    site
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The address and the number in the text of each record.
fn found(records: &[Value]) -> Vec<(String, usize)> {
    let number = |record: &Value| {
        let text = record["text"].as_str().unwrap();
        let (_, rest) = text.split_once("comes ").unwrap();
        let number = rest.split_whitespace().find_map(|word| word.parse().ok());
        (record["url"].as_str().unwrap_or_default().to_owned(), number.unwrap())
    };
    records.iter().map(number).collect()
}

fn wanted() -> Vec<(String, usize)> {
    let many = |number: usize| (format!("https://a.example/{number}"), number);
    let mut all = vec![many(1), many(2), many(1), many(2), many(3), many(4)];
    all.push(("https://a.example/mail".into(), 5));
    all.push(("https://a.example/saved".into(), 6));
    all
}

#[test]
fn every_kind_is_extracted() {
    let site = site();
    let records = lines(&site.stdout(
        "extract --format jsonl table.parquet table.arrow crawl.wacz mail.mhtml saved.html",
    ));
    assert_eq!(found(&records), wanted());
    assert_eq!(records[0]["fetched"], "2026-11-01");
    assert_eq!(records[6]["fetched"], "2026-11-17T08:00:00Z");
    assert_eq!((&records[4]["file"], &records[6]["id"]), (&"crawl.wacz".into(), &"mail".into()));
    // Names say nothing; folders have all but tables, which lie about as results.
    for (file, count) in [("table.parquet", 2), ("crawl.wacz", 2), ("mail.mhtml", 1)] {
        let bytes = std::fs::read(site.path().join(file)).unwrap();
        site.file("nameless", bytes);
        assert_eq!(lines(&site.stdout("extract --format jsonl nameless")).len(), count, "{file}");
    }
    for file in ["crawl.wacz", "mail.mhtml", "saved.html", "table.parquet"] {
        site.file(&format!("folder/{file}"), std::fs::read(site.path().join(file)).unwrap());
    }
    assert_eq!(lines(&site.stdout("extract folder")).len(), 4);
    assert_eq!(lines(&site.stdout("extract --ext parquet folder")).len(), 2);
    let other = lines(&site.stdout("extract --columns html=text,url=title table.parquet"));
    assert_eq!(other[0]["url"], "Tides");
}

#[test]
fn every_kind_is_a_source() {
    let site = site();
    site.file(
        "all.toml",
        "sources = [\"table.parquet\", \"table.arrow\", \"crawl.wacz\", \"mail.mhtml\", \"saved.html\"]\n\
         [output]\nfolder = \"all\"\nformat = \"jsonl\"",
    );
    site.stdout("corpus run --quiet all.toml");
    let part = std::fs::read_dir(site.path().join("all")).unwrap().map(|it| it.unwrap().path());
    let part = part.filter(|it| it.extension().is_some_and(|it| it == "jsonl")).last().unwrap();
    let written = lines(&std::fs::read_to_string(part).unwrap());
    assert_eq!(found(&written), wanted());
    site.file(
        "chosen.toml",
        "sources = [\"table.parquet\"]\ncolumns = { html = \"text\" }\n[output]\nfolder = \"chosen\"\nformat = \"jsonl\"",
    );
    site.stdout("corpus run --quiet chosen.toml");
}

#[test]
fn wrong_kinds_get_one_line() {
    let mut site = site();
    site.file("paper.pdf", "%PDF-1.7");
    site.file("paper.docx", zip(&[("word/document.xml", b"<w/>".to_vec())]));
    site.file(
        "empty.mhtml",
        "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=x\n\n--x--\n",
    );
    site.file("broken.parquet", "PAR1 and no more");
    site.file("no.arrow", "<p>High water");
    for run in [
        "extract paper.pdf",
        "extract paper.docx",
        "extract empty.mhtml",
        "extract no.arrow",
        "extract --columns html=page table.parquet",
        "extract --columns page=html table.parquet",
    ] {
        site.run(run);
    }
    insta::assert_snapshot!(site.transcript());
    let broken = site.output("extract broken.parquet");
    assert_eq!(
        (broken.status.code(), crate::site::utf8(&broken.stderr).lines().count()),
        (Some(2), 1)
    );
}

/// Archives that zip has packed once more have the texts of those that are stored.
#[test]
fn archives_that_are_packed_twice() {
    let members = [("archive/a.warc", archive(3)), ("archive/b.warc", archive(4))];
    let site = Site::new(&[]);
    site.file("stored.wacz", zip(&members));
    site.file("packed.wacz", deflated(&members));
    let texts = |name: &str| -> Vec<Value> {
        let records = lines(&site.stdout(&format!("extract --format jsonl {name}")));
        records.iter().map(|record| record["text"].clone()).collect()
    };
    assert_eq!(texts("packed.wacz"), texts("stored.wacz"));
    assert_eq!(texts("packed.wacz").len(), 2);
}
