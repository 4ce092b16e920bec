//! A folder of pages after kills and power cuts: what is known is there, and what is there is known.

use std::collections::BTreeSet;
use std::fs;

use webstrata_archive::Limits;

use super::*;
use crate::fetch::Validators;

fn response(number: usize) -> Response {
    Response {
        url: format!("https://a.example/{number}?moved"),
        status: 200,
        permanent: None,
        headers: Vec::new(),
        content_type: Some("text/html; charset=utf-8".into()),
        validators: Validators::default(),
        body: format!("<p>The tide of day {number}").into_bytes(),
        truncated: false,
        address: None,
        request_head: b"GET / HTTP/1.1\r\n\r\n".to_vec(),
        response_head: b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"
            .to_vec(),
        redirects: Vec::new(),
    }
}

fn address(number: usize) -> String {
    format!("https://a.example/{number}")
}

fn missed(is_temporary: bool) -> Missed {
    Missed { reason: "status-503".into(), message: "busy".into(), is_temporary }
}

/// Three pages and two failures, the first of them for now; ended if `ends`.
fn fill(folder: &Path, ends: bool) -> Vec<(String, Arrival)> {
    let mut kept = Kept::open(folder, Failed::Stay).unwrap();
    let mut written = Vec::new();
    for number in 0..3 {
        let arrival = kept.page(&address(number), response(number), UNIX_EPOCH).unwrap();
        written.push((address(number), arrival));
        if number < 2 {
            kept.failed(&address(10 + number), &missed(number == 0)).unwrap();
        }
    }
    if ends {
        kept.end(vec!["https://a.example/s.xml".into()]).unwrap();
    }
    written
}

fn pages(kept: &Kept) -> Vec<(String, Arrival)> {
    kept.pages(Limits::default()).unwrap().map(|page| page.unwrap()).collect()
}

#[test]
fn pages_come_back_as_they_were_written() {
    let folder = tempfile::tempdir().unwrap();
    let written = fill(folder.path(), true);
    let kept = Kept::open(folder.path(), Failed::Stay).unwrap();
    // They are called by the address that was asked for, whether they were read or just written.
    assert_eq!(pages(&kept), written);
    assert_eq!((kept.count(), kept.is_ended()), (3, true));
    assert!(kept.knows(&address(10)) && kept.knows_sitemap("https://a.example/s.xml"));
    drop(kept);
    let kept = Kept::open(folder.path(), Failed::Again).unwrap();
    assert!(!kept.knows(&address(10)) && kept.knows(&address(11)));
}

#[test]
fn one_program_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let kept = Kept::open(folder.path(), Failed::Stay).unwrap();
    let other = Kept::open(folder.path(), Failed::Stay).err().unwrap();
    assert!(other.to_string().contains("another program is fetching"), "{other}");
    drop(kept);
    assert!(Kept::open(folder.path(), Failed::Stay).is_ok());
}

/// What stays of a folder of which the ends of both files are lost is whole, and the rest can be fetched again.
fn check_cut(ends: bool, journal: usize, archive: usize, whole: (&[u8], &[u8])) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(JOURNAL), &whole.0[..journal]).unwrap();
    fs::write(folder.path().join("pages-0001-00000.warc.gz"), &whole.1[..archive]).unwrap();
    for failed in [Failed::Stay, Failed::Again] {
        drop(Kept::open(folder.path(), failed).unwrap());
    }
    let mut kept = Kept::open(folder.path(), Failed::Stay).unwrap();
    let there: BTreeSet<String> = pages(&kept).into_iter().map(|(address, _)| address).collect();
    let known: BTreeSet<String> =
        (0..3).map(address).filter(|address| kept.knows(address)).collect();
    assert_eq!(there, known, "{ends} {journal} {archive}");
    for number in (0..3).filter(|number| !known.contains(&address(*number))) {
        kept.page(&address(number), response(number), UNIX_EPOCH).unwrap();
    }
    kept.end(Vec::new()).unwrap();
    let all: Vec<String> = pages(&kept).into_iter().map(|(address, _)| address).collect();
    assert_eq!(all.len(), 3, "{ends} {journal} {archive}: {all:?}");
}

#[test]
fn files_that_are_cut_anywhere_agree_again() {
    for ends in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        fill(folder.path(), ends);
        let journal = fs::read(folder.path().join(JOURNAL)).unwrap();
        let archive = fs::read(folder.path().join("pages-0001-00000.warc.gz")).unwrap();
        // A kill cuts the journal, wherever; the archive is ahead of it.
        for cut in (0..=journal.len()).step_by(29) {
            check_cut(ends, cut, archive.len(), (&journal, &archive));
        }
        // A power cut may lose more of the archive, as long as the round has not ended.
        if !ends {
            for cut in (0..=archive.len()).step_by(113) {
                check_cut(ends, journal.len(), cut, (&journal, &archive));
            }
        }
    }
}

/// A folder of two rounds of so many pages, of which the second has not ended.
fn two_rounds(folder: &Path, first: usize, second: usize) {
    for (numbers, ends) in [(0..first, true), (1000..1000 + second, false)] {
        let mut kept = Kept::open(folder, Failed::Stay).unwrap();
        for number in numbers {
            kept.page(&address(number), response(number), UNIX_EPOCH).unwrap();
        }
        if ends {
            kept.end(Vec::new()).unwrap();
        }
    }
}

fn contents(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let files = Kept::files(folder).unwrap().into_iter().chain([folder.join(JOURNAL)]);
    files.map(|path| (path.clone(), fs::read(path).unwrap())).collect()
}

/// What no kill and no power cut can do to a folder is refused in one line, and nothing is deleted.
#[test]
fn a_damaged_journal_costs_no_pages() {
    // Lines in which damage begins: of a round that has ended, of a long one that has not; and a journal that is gone.
    let many = SYNC_AFTER as usize + 3;
    let damages = [((3, 2), Some(0)), ((3, many), Some(4)), ((3, 2), None), ((0, many), None)];
    for (number, ((first, second), line)) in damages.into_iter().enumerate() {
        let folder = tempfile::tempdir().unwrap();
        two_rounds(folder.path(), first, second);
        let mut journal = fs::read(folder.path().join(JOURNAL)).unwrap();
        match line {
            Some(line) => {
                let ends = journal.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
                let begin = ends.map(|(end, _)| end + 1).nth(line).unwrap();
                journal[begin] = b'#';
            }
            None => journal.clear(),
        }
        fs::write(folder.path().join(JOURNAL), journal).unwrap();
        let before = contents(folder.path());
        let error = Kept::open(folder.path(), Failed::Stay).err().map(|error| error.to_string());
        let error = error.unwrap_or_else(|| panic!("damage {number} is not noticed"));
        assert!(error.contains("delete the folder to fetch all again"), "{number}: {error}");
        assert_eq!(error.lines().count(), 1);
        assert!(contents(folder.path()) == before, "damage {number} costs pages");
    }
}

/// Lines that a power cut may have taken are cut off, and their pages are fetched again.
#[test]
fn a_broken_end_of_the_journal_is_cut_off() {
    let folder = tempfile::tempdir().unwrap();
    two_rounds(folder.path(), 3, 2);
    let journal = folder.path().join(JOURNAL);
    let mut bytes = fs::read(&journal).unwrap();
    let last = bytes.len() - 20;
    bytes[last] = 0;
    fs::write(&journal, bytes).unwrap();
    let kept = Kept::open(folder.path(), Failed::Stay).unwrap();
    assert!(kept.knows(&address(1000)) && !kept.knows(&address(1001)));
    assert_eq!((kept.count(), pages(&kept).len()), (4, 4));
}
