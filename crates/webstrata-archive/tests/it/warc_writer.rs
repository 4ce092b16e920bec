//! Archives that we write: read by ourselves, and by others where these are at hand.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use proptest::prelude::*;
use webstrata_archive::warc_writer::{
    Exchange, Original, Packing, Position, Truncated, WarcWriterOptions, Writer,
};
use webstrata_archive::{Limits, Source};

use crate::writing::{all, numbers, text};

const PACKINGS: [Packing; 3] = [Packing::Plain, Packing::Gzip, Packing::Zstd];

const HEAD: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n";

fn settings(packing: Packing) -> WarcWriterOptions {
    WarcWriterOptions { packing, ..WarcWriterOptions::default() }
}

fn noon() -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(1_794_744_000)
}

fn create(folder: &Path, packing: Packing) -> Writer {
    Writer::create(folder, "tides", settings(packing)).unwrap()
}

/// Writes the pages of these numbers.
fn write(writer: &mut Writer, pages: impl IntoIterator<Item = usize>) {
    for number in pages {
        let (url, body) = (format!("https://example.org/{number}"), text(number));
        let exchange = Exchange {
            response_head: HEAD,
            request_head: b"GET / HTTP/1.1\r\nHost: example.org",
            body: body.as_bytes(),
            ip: Some([127, 0, 0, 1].into()),
            ..Exchange::new(&url, noon())
        };
        writer.response(&exchange).unwrap();
    }
}

fn read(folder: &Path) -> (Vec<usize>, usize) {
    let (pages, problems) = all(Source::open(&[folder.to_owned()], Limits::default()));
    (numbers(&pages), problems.len())
}

#[test]
fn what_is_written_arrives() {
    for packing in PACKINGS {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = create(folder.path(), packing);
        let written = writer
            .response(&Exchange {
                response_head: HEAD,
                body: b"<p>text",
                truncated: Some(Truncated::Length),
                ..Exchange::new("https://example.org/a\r\nb", noon())
            })
            .unwrap();
        let about = [("via", "https://example.org/feed"), ("title", "High\nwater")];
        writer.metadata(&written, "https://example.org/", noon(), &about).unwrap();
        let original = Original { id: &written.id, url: "https://example.org/", date: noon() };
        let again = Exchange {
            response_head: HEAD,
            body: b"<p>text",
            ..Exchange::new("https://example.org/b", noon())
        };
        writer.revisit(&again, &original).unwrap();
        write(&mut writer, [7]);
        writer.sync().unwrap();
        let (pages, problems) = all(Source::open(&[folder.path().into()], Limits::default()));
        assert_eq!((pages.len(), problems), (2, vec![]), "{packing:?}");
        let page = &pages[0];
        assert_eq!(page.bytes, b"<p>text");
        assert_eq!(page.url.as_deref(), Some("https://example.org/a%0D%0Ab"));
        assert_eq!(page.fetched.as_deref(), Some("2026-11-15T12:00:00Z"));
        assert_eq!((page.status, page.truncated), (Some(200), true));
        assert_eq!(page.id.as_deref(), Some(&written.id[..]));
        assert_eq!(page.digest.as_deref(), Some(&written.digest[..]));
        assert_eq!((&*page.file, page.offset), (&*written.file, written.offset));
        assert_eq!(numbers(&pages[1..]), [7]);
        // A record stands alone: whoever knows its place reads it without the ones before.
        let mut there = Source::open_at(&written.file, written.offset, 0, Limits::default());
        assert_eq!(there.next().unwrap().unwrap(), *page);
    }
}

#[test]
fn heads_fit_bodies_that_were_unpacked() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = create(folder.path(), Packing::Plain);
    let head = b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\nTransfer-Encoding: chunked\r\n\
        Content-Type: text/html\r\n\r\n";
    let exchange = Exchange {
        response_head: head,
        body: b"<p>text",
        is_decoded: true,
        ..Exchange::new("https://example.org/", noon())
    };
    let written = writer.response(&exchange).unwrap();
    let archive = fs::read_to_string(written.file).unwrap();
    let expect = "HTTP/1.1 200 OK\r\nX-Archive-Orig-content-encoding: gzip\r\n\
        X-Archive-Orig-Transfer-Encoding: chunked\r\nContent-Type: text/html\r\n\
        Content-Length: 7\r\n\r\n<p>text\r\n\r\n";
    assert!(archive.ends_with(expect), "{archive}");
}

#[test]
fn files_end_when_they_are_full() {
    let folder = tempfile::tempdir().unwrap();
    let full = WarcWriterOptions { size: 3000, ..settings(Packing::Plain) };
    let mut writer = Writer::create(folder.path(), "tides", full).unwrap();
    write(&mut writer, 0..10);
    let files = fs::read_dir(folder.path()).unwrap().count();
    assert!(files > 2, "{files}");
    assert_eq!(read(folder.path()), ((0..10).collect(), 0));
    for file in fs::read_dir(folder.path()).unwrap() {
        let archive = fs::read_to_string(file.unwrap().path()).unwrap();
        assert!(archive.starts_with("WARC/1.1\r\nWARC-Type: warcinfo\r\n"), "{archive}");
    }
}

/// A program that is killed at any byte: the next one cuts off what is not whole, and nothing else.
#[test]
fn writing_goes_on_behind_the_last_whole_record() {
    for packing in PACKINGS {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = create(folder.path(), packing);
        write(&mut writer, [0]);
        let first = writer.position().length;
        write(&mut writer, [1]);
        let path = fs::read_dir(folder.path()).unwrap().next().unwrap().unwrap().path();
        let archive = fs::read(&path).unwrap();
        // At every byte: see `repair.rs`. Each round here waits for the disk.
        for cut in (0..archive.len()).step_by(41) {
            fs::write(&path, &archive[..cut]).unwrap();
            let mut writer = create(folder.path(), packing);
            let kept = writer.position().length as usize;
            assert!(kept <= cut, "{packing:?} {cut}");
            assert!(kept as u64 >= first || cut < first as usize, "{packing:?} {cut}: {kept}");
            write(&mut writer, [2]);
            let (pages, problems) = read(folder.path());
            assert_eq!((pages.last(), problems), (Some(&2), 0), "{packing:?} {cut}");
        }
        // What a loss of power may leave: the length is there, the bytes are not.
        fs::write(&path, [&archive[..], &[0; 5000]].concat()).unwrap();
        let writer = create(folder.path(), packing);
        assert_eq!(writer.position().length as usize, archive.len(), "{packing:?}");
    }
}

#[test]
fn going_back_to_what_others_know_of() {
    let folder = tempfile::tempdir().unwrap();
    let small = WarcWriterOptions { size: 2000, ..WarcWriterOptions::default() };
    let mut writer = Writer::create(folder.path(), "tides", small.clone()).unwrap();
    assert_eq!(writer.position(), Position::default());
    write(&mut writer, 0..3);
    let known = writer.position();
    let archives = |folder: &Path| {
        let mut files: Vec<_> =
            fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
        files.sort();
        files.iter().map(|file| fs::read(file).unwrap()).collect::<Vec<_>>()
    };
    let before = archives(folder.path());
    write(&mut writer, 3..20);
    let whole = archives(folder.path());
    drop(writer);
    let mut writer = Writer::create(folder.path(), "tides", small).unwrap();
    writer.go_back(known).unwrap();
    assert_eq!((writer.position(), archives(folder.path())), (known, before));
    write(&mut writer, 3..20);
    assert_eq!(read(folder.path()), ((0..20).collect(), 0));
    assert_eq!(archives(folder.path()).len(), whole.len());
    let beyond = Position { length: 1 << 40, ..writer.position() };
    assert!(writer.go_back(beyond).unwrap_err().to_string().contains("restore it"));
    writer.go_back(Position::default()).unwrap();
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    write(&mut writer, [0]);
    assert_eq!(read(folder.path()), (vec![0], 0));
}

#[test]
fn other_files_are_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let others = ["tides-1.warc", "tides-00000.txt", "tidesx-00003.warc.gz", "tides-00007x.warc"];
    others.iter().for_each(|name| fs::write(folder.path().join(name), "x").unwrap());
    let mut writer = create(folder.path(), Packing::Gzip);
    write(&mut writer, [0]);
    assert!(folder.path().join("tides-00000.warc.gz").exists());
    let mut writer = create(folder.path(), Packing::Zstd);
    write(&mut writer, [1]);
    assert!(folder.path().join("tides-00001.warc.zst").exists());
    for wrong in ["", ".tides", "a/b", "a b"] {
        assert!(
            Writer::create(folder.path(), wrong, WarcWriterOptions::default()).is_err(),
            "{wrong}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_body_comes_back(
        bodies in prop::collection::vec(prop::collection::vec(any::<u8>(), 1..300), 1..5),
        url in "\\PC{0,40}",
        packing in 0..3usize,
        torn in prop::collection::vec(any::<u8>(), 0..40),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let mut paths = None;
        for body in &bodies {
            let mut writer = create(folder.path(), PACKINGS[packing]);
            let exchange =
                Exchange { response_head: HEAD, body, ..Exchange::new(&url, noon()) };
            paths = Some(writer.response(&exchange).unwrap().file);
        }
        // Whatever a half-written record looks like.
        let path = paths.unwrap();
        let mut file = OpenOptions::new().append(true).open(&path).unwrap();
        file.write_all(&torn).unwrap();
        create(folder.path(), PACKINGS[packing]);
        let (pages, problems) = all(Source::open(&[path], Limits::default()));
        prop_assert_eq!(problems, vec![]);
        let came: Vec<&[u8]> = pages.iter().map(|page| &page.bytes[..]).collect();
        prop_assert_eq!(came, bodies.iter().map(|body| &body[..]).collect::<Vec<_>>());
    }
}

/// `WEBSTRATA_PYTHON=… cargo test -p webstrata-archive --test it -- --ignored other_readers`, with a Python
/// that has warcio and fastwarc.
#[test]
#[ignore = "needs warcio and fastwarc"]
fn other_readers_read_it_too() {
    let python = std::env::var("WEBSTRATA_PYTHON").unwrap_or("python3".into());
    for packing in PACKINGS {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = create(folder.path(), packing);
        write(&mut writer, 0..50);
        writer.sync().unwrap();
        let path = fs::read_dir(folder.path()).unwrap().next().unwrap().unwrap().path();
        // warcio knows no zstd. Both check digests.
        let warcio = "import sys; from warcio.archiveiterator import ArchiveIterator as A\n\
            n = 0\n\
            for r in A(open(sys.argv[1], 'rb'), check_digests='raise'):\n    \
                body = r.content_stream().read(); n += r.rec_type == 'response' and b'tide' in body\n\
            print(n)";
        let fastwarc = "import sys; from fastwarc.warc import ArchiveIterator as A, WarcRecordType as W\n\
            n = 0\n\
            for r in A(sys.argv[1], parse_http=False):\n    \
                assert r.verify_block_digest(); r.parse_http()\n    \
                n += r.record_type == W.response and r.verify_payload_digest()\n\
            print(n)";
        let scripts = [Some(fastwarc), (packing != Packing::Zstd).then_some(warcio)];
        for script in scripts.into_iter().flatten() {
            let output = Command::new(&python).args(["-c", script]).arg(&path).output().unwrap();
            let said = String::from_utf8_lossy(&output.stdout).into_owned();
            assert_eq!(said.trim(), "50", "{packing:?}: {output:?}");
        }
    }
}
