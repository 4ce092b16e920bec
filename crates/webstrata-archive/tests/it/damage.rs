//! Archives that are cut off, broken or wrong: what is whole arrives.

use proptest::prelude::*;

use webstrata_archive::{Limits, ProblemKind, Source};

use crate::writing::{all, gzip, messages, numbers, page, read, response, zstd};

/// Cuts the archive at every byte. Record `i` is whole from `ends[i]` on; what begins at `starts[i]` and
/// is not whole is one problem.
fn cut_everywhere(name: &str, archive: &[u8], starts: &[usize], ends: &[usize]) {
    for cut in 0..=archive.len() {
        let (pages, problems) = read(name, &archive[..cut]);
        let whole = ends.iter().filter(|end| **end <= cut).count();
        assert_eq!(numbers(&pages), (0..whole).collect::<Vec<_>>(), "{name} cut at {cut}");
        let is_begun = starts.get(whole).is_some_and(|start| *start < cut);
        assert_eq!(problems.len(), usize::from(is_begun), "{name} cut at {cut}: {problems:?}");
        for problem in &problems {
            assert_eq!(problem.offset, Some(starts[whole] as u64), "{name} cut at {cut}");
        }
    }
}

#[test]
fn a_plain_archive_cut_at_every_byte() {
    let records: Vec<Vec<u8>> = (0..3).map(page).collect();
    let ends: Vec<usize> = (0..3).map(|i| records[..=i].concat().len()).collect();
    let starts = [0, ends[0], ends[1]];
    // The empty lines behind a record are not part of it.
    let ends: Vec<usize> = ends.iter().map(|end| end - 4).collect();
    cut_everywhere("a.warc", &records.concat(), &starts, &ends);
}

#[test]
fn packed_archives_cut_at_every_byte() {
    for (name, pack) in [("a.warc.gz", gzip as fn(&[u8]) -> Vec<u8>), ("a.warc.zst", zstd)] {
        let members: Vec<Vec<u8>> = (0..3).map(|number| pack(&page(number))).collect();
        let ends: Vec<usize> = (0..3).map(|i| members[..=i].concat().len()).collect();
        cut_everywhere(name, &members.concat(), &[0, ends[0], ends[1]], &ends);
    }
}

#[test]
fn one_member_cut_at_every_byte() {
    let archive = gzip(&(0..3).flat_map(page).collect::<Vec<u8>>());
    for cut in 1..archive.len() {
        let (pages, problems) = read("a.warc.gz", &archive[..cut]);
        let whole = numbers(&pages);
        assert!(whole.iter().copied().eq(0..whole.len()) && whole.len() < 3, "cut at {cut}");
        assert_eq!(problems.len(), 1, "cut at {cut}");
    }
}

/// Damage in the middle member costs no other: the first and the last page arrive whatever happens.
fn check_neighbours(name: &str, archive: &[u8], what: &str) {
    let (pages, _) = read(name, archive);
    let numbers = numbers(&pages);
    assert!(numbers == [0, 2] || numbers == [0, 1, 2], "{name}, {what}: {numbers:?}");
}

#[test]
fn a_broken_byte_costs_one_record() {
    for (name, pack) in [("a.warc.gz", gzip as fn(&[u8]) -> Vec<u8>), ("a.warc.zst", zstd)] {
        let members: Vec<Vec<u8>> = (0..3).map(|number| pack(&page(number))).collect();
        for at in 0..members[1].len() {
            for flip in [1, 0x80, 0xff] {
                let mut middle = members[1].clone();
                middle[at] ^= flip;
                let archive = [&members[0], &middle, &members[2]].map(|m| &m[..]).concat();
                check_neighbours(name, &archive, &format!("byte {at} flipped by {flip}"));
            }
        }
        for end in 0..members[1].len() {
            let archive = [&members[0], &members[1][..end], &members[2]].concat();
            check_neighbours(name, &archive, &format!("{end} bytes left"));
            let archive = [&members[0], &members[1][end..], &members[2]].concat();
            check_neighbours(name, &archive, &format!("{end} bytes lost"));
        }
    }
}

#[test]
fn a_broken_start_costs_one_record() {
    for (name, pack) in [("a.warc.gz", gzip as fn(&[u8]) -> Vec<u8>), ("a.warc.zst", zstd)] {
        let archive: Vec<u8> = (0..3).flat_map(|number| pack(&page(number))).collect();
        for at in 0..4 {
            let mut archive = archive.clone();
            archive[at] ^= 0x55;
            let (pages, _) = read(name, &archive);
            let numbers = numbers(&pages);
            assert!(numbers.ends_with(&[1, 2]), "{name} {at}: {numbers:?}");
        }
    }
}

#[test]
fn lengths_that_lie() {
    let right = "Content-Length: ";
    for (lie, why) in [
        ("Content-Length: 1", "the record's length is wrong; left out"),
        ("Content-Length: 999999999", "the record ends before its length; left out"),
        ("Content-Length: 18446744073709551615", "the record ends before its length; left out"),
        ("Content-Length: 99999999999999999999999", "the record has no length"),
        ("Content-Length: -5", "the record has no length"),
        ("Length: ", "the record has no length"),
    ] {
        let wrong = String::from_utf8(page(1)).unwrap();
        let at = wrong.find(right).unwrap();
        let end = at + wrong[at..].find('\r').unwrap();
        let wrong = format!("{}{lie}{}", &wrong[..at], &wrong[end..]).into_bytes();
        let records = [page(0), wrong, page(2)];
        for (name, archive) in [
            ("a.warc", records.concat()),
            ("a.warc.gz", records.iter().flat_map(|record| gzip(record)).collect()),
            ("a.warc.zst", records.iter().flat_map(|record| zstd(record)).collect()),
        ] {
            let (pages, problems) = read(name, &archive);
            assert_eq!(numbers(&pages), [0, 2], "{name}, {lie}");
            assert_eq!(messages(&problems), [why], "{name}, {lie}");
        }
    }
}

#[test]
fn a_length_that_swallows_the_next_record() {
    let swallowing = String::from_utf8(page(1)).unwrap();
    let length = page(1).len() + 40;
    let at = swallowing.find("Content-Length: ").unwrap();
    let end = at + swallowing[at..].find('\r').unwrap();
    let lie = format!("Content-Length: {length}");
    let swallowing = format!("{}{lie}{}", &swallowing[..at], &swallowing[end..]).into_bytes();
    let (pages, problems) = read("a.warc", &[swallowing, page(2), page(3)].concat());
    assert_eq!((numbers(&pages), problems.len()), (vec![2, 3], 1));
}

/// Records that lie about their length, before good ones: each costs itself.
#[test]
fn many_lengths_that_lie_cost_no_other_record() {
    let good: Vec<u8> = (0..1000).flat_map(page).collect();
    let lies = |length: usize| -> Vec<u8> {
        let record = String::from_utf8(page(1)).unwrap();
        let at = record.find("Content-Length: ").unwrap();
        let end = at + record[at..].find('\r').unwrap();
        let lie = format!("{}Content-Length: {length}{}", &record[..at], &record[end..]);
        lie.repeat(40).into_bytes()
    };
    // Beyond the end of the file, and into the middle of it.
    for length in [1 << 40, good.len() - 100] {
        let lies = lies(length);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lies.warc");
        std::fs::write(&path, [&lies[..], &good].concat()).unwrap();
        let (pages, problems) = all(Source::open(&[path], Limits::default()));
        assert_eq!(numbers(&pages), (0..1000).collect::<Vec<_>>(), "{length}");
        assert_eq!(problems.len(), 40);
        // All that was passed over is counted.
        let passed: u64 = problems.iter().map(|problem| problem.passed).sum();
        assert_eq!(passed, lies.len() as u64);
    }
}

#[test]
fn bytes_that_are_passed_over_are_counted() {
    let garbage = b"garbage\n".repeat(100);
    let (_, problems) = read("a.warc", &[&page(1)[..], b"WARC/x\n\n", &garbage, &page(2)].concat());
    assert_eq!(problems.iter().map(|it| it.passed).sum::<u64>(), 8 + 800);
    let mut broken = gzip(&page(2));
    let length = broken.len();
    broken[length / 2] ^= 0x55;
    let (_, problems) =
        read("a.warc.gz", &[gzip(&page(1)), broken.clone(), gzip(&page(3))].concat());
    assert_eq!(problems.iter().map(|it| it.passed).sum::<u64>(), length as u64);
    let (_, problems) = read("a.warc.gz", &[gzip(&page(1)), broken].concat());
    assert_eq!(problems.iter().map(|it| it.passed).sum::<u64>(), length as u64);
}

#[test]
fn digests_are_compared_on_request() {
    let http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>text";
    let chunked: &[u8] =
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n\
        7\r\n<p>text\r\n0\r\n\r\n";
    // Of `<p>text`.
    let (right, wrong) = ("CMCWJUTYM4KFU7FAMSN7VOWJ4HXRYVTP", "AAAAIIZP3ALZ5WMFXBKI4H2JIPSG3WTL");
    let record = |digests: &str, http: &[u8]| {
        let head = format!(
            "WARC/1.0\r\nWARC-Type: response\r\nContent-Type: application/http\r\n{digests}\
             Content-Length: {}\r\n\r\n",
            http.len()
        );
        [head.as_bytes(), http, b"\r\n\r\n"].concat()
    };
    for (digests, http, is_right) in [
        (String::new(), &http[..], true),
        (format!("WARC-Payload-Digest: sha1:{right}\r\n"), http, true),
        (format!("WARC-Payload-Digest: sha1:{right}\r\n"), chunked, true),
        (format!("WARC-Payload-Digest: sha1:{wrong}\r\n"), http, false),
        (format!("WARC-Payload-Digest: sha1:{wrong}\r\nWARC-Truncated: length\r\n"), http, true),
        (format!("WARC-Block-Digest: sha1:{wrong}\r\n"), http, false),
        (format!("WARC-Block-Digest: moon:{wrong}\r\n"), http, true),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.warc");
        std::fs::write(&path, [record(&digests, http), page(5)].concat()).unwrap();
        let open = || Source::open(std::slice::from_ref(&path), Limits::default());
        assert_eq!(all(open()).0.len(), 2, "{digests}");
        let (_, problems) = all(open().verified());
        let kinds: Vec<ProblemKind> = problems.iter().map(|problem| problem.kind).collect();
        // The digest of the last page is an invention.
        let expect = if is_right { 1 } else { 2 };
        assert_eq!(kinds, vec![ProblemKind::WrongDigest; expect], "{digests}");
    }
}

#[test]
fn something_else_between_records() {
    let archive = [b"garbage\n".to_vec(), page(1), b"WARC\ngarbage\r\n".to_vec(), page(2)].concat();
    let (pages, problems) = read("a.warc", &archive);
    // The garbage behind the first page says that its length is wrong.
    assert_eq!((numbers(&pages), problems.len()), (vec![2], 2));
    let members = [gzip(&page(1)), b"garbage".to_vec(), gzip(&page(2)), vec![0; 600]].concat();
    let (pages, problems) = read("a.warc.gz", &members);
    assert_eq!((numbers(&pages), problems.len()), (vec![1, 2], 2));
}

#[test]
fn a_head_without_end() {
    let endless = [b"WARC/1.0\r\nA: ".to_vec(), b"x".repeat(200_000)].concat();
    let (pages, problems) = read("a.warc", &[endless, b"\r\n".to_vec(), page(1)].concat());
    assert_eq!(numbers(&pages), [1]);
    assert_eq!(messages(&problems), ["the record's head has no end"]);
}

/// A head that is cut off must not lend its fields to the record behind it.
#[test]
fn a_head_cut_at_every_byte_before_another_record() {
    let (cut, whole) = (page(1), page(2));
    let end = cut.windows(4).position(|four| four == b"\r\n\r\n").unwrap() + 4;
    for at in 1..=end {
        let (pages, problems) = read("a.warc", &[&cut[..at], &whole].concat());
        assert_eq!(numbers(&pages), [2], "cut at {at}");
        assert_eq!((pages[0].offset, problems.len()), (at as u64, 1), "cut at {at}: {problems:?}");
    }
    // Where lines end, one member of many records is no worse.
    let line = cut.windows(2).position(|two| two == b"\r\n").unwrap() + 2;
    let (pages, _) = read("a.warc.gz", &gzip(&[&cut[..line], &whole].concat()));
    assert_eq!((numbers(&pages), pages[0].within), (vec![2], line as u64));
}

#[test]
fn an_address_that_ends_like_a_version() {
    let http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>text";
    let (pages, problems) = read("a.warc", &response("https://example.org/WARC/1.0", http));
    assert_eq!((pages.len(), problems), (1, vec![]));
    assert_eq!(pages[0].url.as_deref(), Some("https://example.org/WARC/1.0"));
}

/// A page of so many letters in random order, which no packing makes much shorter.
fn noise(number: usize, size: usize) -> Vec<u8> {
    const LETTERS: &[u8; 64] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 .";
    let mut state = number as u64 + 1;
    let letters = (0..size).map(|_| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        LETTERS[(state >> 58) as usize]
    });
    let mut http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>".to_vec();
    http.extend(letters);
    response(&format!("https://example.org/{number}"), &http)
}

#[test]
fn damage_before_long_pages_that_pack_badly() {
    for (name, pack) in [("a.warc.gz", gzip as fn(&[u8]) -> Vec<u8>), ("a.warc.zst", zstd)] {
        for size in [30_000, 100_000, 131_072, 170_000, 300_000] {
            let members: Vec<Vec<u8>> = (0..3).map(|number| pack(&noise(number, size))).collect();
            let length = members[1].len();
            for at in [0, 3, 5, 100, length / 2, length - 5, length - 1] {
                let mut middle = members[1].clone();
                middle[at] ^= 0x55;
                check_outer(name, &[&members[0], &middle, &members[2]], size, at);
                check_outer(name, &[&members[0], &members[1][..at], &members[2]], size, at);
                check_outer(name, &[&members[0], &members[1][at..], &members[2]], size, at);
                // The same where the file begins.
                let (pages, _) = read(name, &[&middle[..], &members[2]].concat());
                let last = pages.last().and_then(|page| page.url.as_deref());
                assert_eq!(last, Some("https://example.org/2"), "{name}, {size} bytes, {at}");
            }
        }
    }
}

fn check_outer(name: &str, members: &[&[u8]; 3], size: usize, at: usize) {
    let (pages, _) = read(name, &members.concat());
    let urls: Vec<&str> = pages.iter().filter_map(|page| page.url.as_deref()).collect();
    let outer = [urls.first().copied(), urls.last().copied()];
    let expect = [Some("https://example.org/0"), Some("https://example.org/2")];
    assert_eq!(outer, expect, "{name}, {size} bytes, damage at {at}");
}

/// Beginnings of frames that promise the longest block, and never keep it.
#[test]
fn many_beginnings_of_frames_cost_little() {
    let beginning = b"\x28\xb5\x2f\xfd\0\x58\x04\0\x10";
    let archive = [beginning.repeat(200_000), zstd(&page(1))].concat();
    let (pages, problems) = read("a.warc.zst", &archive);
    assert_eq!((numbers(&pages), problems.len()), (vec![1], 1));
}

/// Pieces that archives are made of, in any order.
fn pieces() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        (0..3usize).prop_map(page),
        (0..3usize).prop_map(|number| gzip(&page(number))),
        (0..3usize).prop_map(|number| zstd(&page(number))),
        prop::collection::vec(any::<u8>(), 0..40),
        prop::sample::select(vec![
            &b"\x1f\x8b\x08"[..],
            b"\x1f\x8b\x08\x1c\0\0\0\0\0\xff",
            b"\x28\xb5\x2f\xfd",
            b"\x5d\x2a\x4d\x18\x08\0\0\0",
            b"WARC/1.0\r\n",
            b"Content-Length: 10\r\n\r\n",
            b"WARC-Type: response\r\n",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
            b"{\"html\": \"",
            b"\"}\n",
            b"\r\n",
        ])
        .prop_map(<[u8]>::to_vec),
    ];
    let cut = (piece, any::<prop::sample::Index>(), any::<bool>());
    let cut = cut.prop_map(|(piece, index, whole)| {
        let end = if whole { piece.len() } else { index.index(piece.len() + 1) };
        piece[..end].to_vec()
    });
    prop::collection::vec(cut, 0..8).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_bytes_come_to_an_end(bytes in pieces(), first in prop::sample::select(vec![
        "", "WARC/1.0\r\n", "\x1f", "{",
    ])) {
        let bytes = [first.as_bytes(), &bytes].concat();
        for name in ["a.warc", "a.warc.gz", "a.warc.zst", "a.jsonl", "a.jsonl.gz", "a.jsonl.zst"] {
            let (pages, problems) = read(name, &bytes);
            prop_assert!(pages.len() + problems.len() <= bytes.len());
        }
    }
}
