//! `webstrata-lab features`: one table of many pages.

use std::io::Read;

use insta::assert_snapshot;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;

use crate::site::{LINKS, Site, TIDES, utf8};

const QUOTED: &str = "<title>Q</title><h1>Fog, \"rain\"</h1><div><p>One<br>two</div><p hidden>x";

/// The cells of a Parquet file as CSV would write them.
fn cells_of_parquet(site: &Site, path: &str) -> Vec<Vec<String>> {
    let file = std::fs::File::open(site.path().join(path)).unwrap();
    let reader = SerializedFileReader::new(file).unwrap();
    let columns = reader.metadata().file_metadata().schema_descr().columns().to_vec();
    let mut cells = vec![columns.iter().map(|column| column.name().to_owned()).collect()];
    for row in reader.get_row_iter(None).unwrap() {
        let cell = |(_, field): (&String, &Field)| match field {
            Field::Str(text) => text.clone(),
            Field::Int(number) => number.to_string(),
            Field::Double(number) => number.to_string(),
            other => panic!("{other:?}"),
        };
        cells.push(row.unwrap().get_column_iter().map(cell).collect());
    }
    cells
}

fn cells_of_csv(csv: &str) -> Vec<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(csv.as_bytes());
    let cells = |row: csv::StringRecord| row.iter().map(str::to_owned).collect();
    reader.records().map(|record| cells(record.unwrap())).collect()
}

/// Pages in two directories, one of them bad.
fn site() -> Site {
    let site = Site::new(&[("crawl/a.html", TIDES), ("crawl/deep/b.html", LINKS)]);
    site.file("crawl/c.html", "%PDF-1.7");
    site.file("crawl/d.html", "");
    site.file("crawl/e.html", TIDES.repeat(40));
    site
}

#[test]
fn one_page() {
    let mut site = Site::new(&[("quoted.html", QUOTED), ("empty.html", "")]);
    site.run("features quoted.html");
    site.run("features --text --rules ziegler --hidden keep quoted.html");
    site.pipe(LINKS, "features --text");
    site.run("features --output out.csv quoted.html");
    site.run("features empty.html");
    site.run("features --max-bytes 60 --text quoted.html");
    assert_snapshot!(site.transcript());
    let written = std::fs::read_to_string(site.path().join("out.csv")).unwrap();
    assert_eq!(written, site.stdout("features quoted.html"));
}

#[test]
fn mistakes() {
    let mut site = site();
    site.file("none/notes.txt", "x");
    site.run("features --format arrow crawl");
    site.run("features --rules atomc crawl");
    site.run("features --jobs 0 crawl");
    site.run("features missing.html none");
    site.run("features crawl/a.html --output crawl/a.html");
    site.run("features crawl/a.html --output missing/out.parquet");
    assert_snapshot!(site.transcript().replace(&site.stdout_header(), "[titles]\n"));
}

impl Site {
    /// The line of titles, which is long.
    fn stdout_header(&self) -> String {
        let output = self.output("features crawl/a.html");
        let stdout = utf8(&output.stdout);
        stdout.lines().next().unwrap().to_owned() + "\n"
    }
}

#[test]
fn parquet_says_what_csv_says() {
    let site = site();
    for text in ["", "--text"] {
        let csv = site.output(&format!("features {text} crawl"));
        let parquet = site.output(&format!("features {text} --out all.parquet crawl"));
        assert_eq!((csv.status.code(), parquet.status.code()), (Some(2), Some(2)));
        assert_eq!(csv.stderr, parquet.stderr);
        assert!(utf8(&csv.stderr).starts_with("webstrata-lab: crawl/c.html: a PDF"));
        let cells = cells_of_csv(utf8(&csv.stdout));
        assert_eq!(cells, cells_of_parquet(&site, "all.parquet"));
        let mut pages: Vec<&str> = cells[1..].iter().map(|row| row[0].as_str()).collect();
        pages.dedup();
        assert_eq!(pages, ["a", "deep/b", "e"]);
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let site = Site::new(&[]);
    // More than fits into the pipe, so that the command is still writing when we leave.
    site.file("long.html", TIDES.repeat((1 << 20) / TIDES.len()));
    let mut child = site.command("features long.html").spawn().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_exact(&mut [0; 10]).unwrap();
    drop(stdout);
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), utf8(&output.stderr)), (Some(0), ""));
}

#[test]
fn the_number_of_jobs_changes_nothing() {
    let site = Site::new(&[]);
    for number in 0..60 {
        let text = TIDES.repeat(1 + (number * 7919) % 30);
        site.file(&format!("site/{number:03}.html"), format!("{text}<p>Page {number}"));
    }
    for format in ["csv", "parquet"] {
        let one = site.output(&format!("features --format {format} --jobs 1 site"));
        let four = site.output(&format!("features --format {format} --jobs 4 site"));
        assert_eq!((one.status.code(), one.stderr.len()), (Some(0), 0));
        assert_eq!(one.stdout, four.stdout, "{format}");
    }
}

#[test]
fn a_set_is_its_pages() {
    let site = Site::new(&[("set/pages/x.html", TIDES), ("set/gold/x.txt", "High water")]);
    site.file("set/annotated/x.html", TIDES);
    let cells = cells_of_csv(&site.stdout("features set"));
    assert!(cells[1..].iter().all(|row| row[0] == "x"), "{cells:?}");
    // The pages alone have neither labels nor a corpus.
    let alone = cells_of_csv(&site.stdout("features set/pages"));
    assert_eq!(cells[0][..cells[0].len() - 3], alone[0]);
    assert_eq!(cells[0][cells[0].len() - 3..], ["class", "weight", "share"]);
    let without_frequencies = alone[0].len() - 3;
    for (row, alone) in cells.iter().zip(&alone) {
        assert_eq!(row[..without_frequencies], alone[..without_frequencies]);
    }
    assert_eq!(cells.len(), alone.len());
}
