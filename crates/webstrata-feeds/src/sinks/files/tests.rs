use std::collections::BTreeMap;
use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use proptest::prelude::*;

use super::*;

const NOON: i64 = 1_794_744_000;

fn kept(sequence: u64, time: i64) -> KeptRecord {
    let record = format!("{{\"n\":{sequence},\"x\":\"{}\"}}", "y".repeat(sequence as usize % 7));
    KeptRecord { sequence, time, record: record.into_bytes() }
}

fn unpacked(path: &Path) -> String {
    let bytes = fs::read(path).unwrap();
    let name = path.to_string_lossy();
    let mut text = String::new();
    if name.ends_with(".gz") {
        flate2::read::MultiGzDecoder::new(&bytes[..]).read_to_string(&mut text).unwrap();
    } else if name.ends_with(".zst") {
        zstd::Decoder::new(&bytes[..]).unwrap().read_to_string(&mut text).unwrap();
    } else {
        text = String::from_utf8(bytes).unwrap();
    }
    text
}

/// All files and their lines.
fn files(folder: &Path) -> BTreeMap<String, String> {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    names.map(|entry| (entry.file_name().into_string().unwrap(), unpacked(&entry.path()))).collect()
}

fn numbers(folder: &Path) -> Vec<u64> {
    let lines: String = files(folder).into_values().collect();
    let number = |line: &str| {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        line["n"].as_u64().unwrap()
    };
    lines.lines().map(number).collect()
}

#[test]
fn files_end_with_the_day_and_by_size() {
    let folder = tempfile::tempdir().unwrap();
    let settings = FileSettings { size: 40, ..FileSettings::default() };
    let mut sink = Files::new(folder.path(), settings).unwrap();
    let records: Vec<KeptRecord> = (1..=6).map(|n| kept(n, NOON + n as i64 / 5 * 86_400)).collect();
    let position = sink.deliver(&Position { next: 1, ..Position::default() }, &records).unwrap();
    let found: Vec<String> = files(folder.path()).into_keys().collect();
    assert_eq!(
        found,
        [
            "2026-11-15-000000000001.jsonl",
            "2026-11-15-000000000004.jsonl",
            "2026-11-16-000000000005.jsonl"
        ]
    );
    assert_eq!(numbers(folder.path()), [1, 2, 3, 4, 5, 6]);
    assert_eq!(position.next, 7);
    assert_eq!(position.file.as_deref(), Some("2026-11-16-000000000005.jsonl"));
}

#[test]
fn a_file_that_was_taken_away_is_not_missed() {
    let folder = tempfile::tempdir().unwrap();
    let mut sink = Files::new(folder.path(), FileSettings::default()).unwrap();
    let start = Position { next: 1, ..Position::default() };
    let position = sink.deliver(&start, &[kept(1, NOON)]).unwrap();
    fs::remove_file(folder.path().join(position.file.as_ref().unwrap())).unwrap();
    let mut sink = Files::new(folder.path(), FileSettings::default()).unwrap();
    sink.deliver(&position, &[kept(2, NOON)]).unwrap();
    let found: Vec<String> = files(folder.path()).into_keys().collect();
    assert_eq!(found, ["2026-11-15-000000000002.jsonl"]);
}

#[test]
fn other_peoples_files_stay() {
    let folder = tempfile::tempdir().unwrap();
    let others = ["notes.txt", "2026-11-15.jsonl", "2026-11-15-7.jsonl", "abc-000000000009.jsonl"];
    for name in others {
        fs::write(folder.path().join(name), "mine").unwrap();
    }
    fs::write(folder.path().join("2026-11-14-000000000009.jsonl"), "{\"n\":9}").unwrap();
    let mut sink = Files::new(folder.path(), FileSettings::default()).unwrap();
    let start = Position { next: 1, ..Position::default() };
    sink.begin(Some(&start)).unwrap();
    sink.deliver(&start, &[kept(1, NOON)]).unwrap();
    let mut found: Vec<String> = files(folder.path()).into_keys().collect();
    found.retain(|name| !others.contains(&name.as_str()));
    assert_eq!(found, ["2026-11-15-000000000001.jsonl"]);
}

#[test]
fn files_of_another_store_stay_and_are_not_mixed_with_ours() {
    let folder = tempfile::tempdir().unwrap();
    let old = folder.path().join("2026-11-14-000000000001.jsonl");
    fs::write(&old, "{\"n\":1}").unwrap();
    let mut sink = Files::new(folder.path(), FileSettings::default()).unwrap();
    let failed = sink.begin(None).unwrap_err();
    assert!(failed.message.contains("another store"), "{failed}");
    assert!(old.exists());
    fs::remove_file(&old).unwrap();
    sink.begin(None).unwrap();
}

#[test]
fn a_folder_has_its_name_before_its_first_record() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a/../records");
    fs::create_dir(folder.path().join("a")).unwrap();
    let name = |path: &Path| Files::new(path, FileSettings::default()).unwrap().name();
    let first = name(&path);
    assert_eq!(first, name(&folder.path().join("records")));
    assert_eq!(first, name(&path));
}

/// A file on a disk that has room for so many bytes, and takes what it can of a write.
struct Filling {
    file: Box<dyn Target>,
    room: Arc<AtomicU64>,
}

impl Write for Filling {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = self.room.load(Ordering::SeqCst);
        if room == 0 {
            return Err(io::ErrorKind::StorageFull.into());
        }
        let part = bytes.len().min(usize::try_from(room).unwrap_or(usize::MAX));
        let written = self.file.write(&bytes[..part])?;
        self.room.fetch_sub(written as u64, Ordering::SeqCst);
        Ok(written)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Target for Filling {
    fn length(&self) -> io::Result<u64> {
        self.file.length()
    }
    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.file.cut(length)
    }
    fn sync(&mut self) -> io::Result<()> {
        self.file.sync()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// Killed after any delivery, before or after its position was committed, and on a disk that is full
    /// now and then: the same files as if nothing had happened.
    #[test]
    fn every_record_once(
        portions in proptest::collection::vec((1usize..6, 0u8..4, 1u64..200), 1..12),
        size in 1u64..200,
        packing in 0u8..3,
    ) {
        let compression =
            [Compression::None, Compression::Gzip, Compression::Zstd][usize::from(packing)];
        let settings = FileSettings { size, compression };
        let (calm, rough) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let mut steady = Files::new(calm.path(), settings).unwrap();
        let mut at = Position { next: 1, ..Position::default() };
        let mut committed = at.clone();
        let room = Arc::new(AtomicU64::new(u64::MAX));
        let start = |room: &Arc<AtomicU64>| {
            let mut sink = Files::new(rough.path(), settings).unwrap();
            let room = room.clone();
            sink.open = Box::new(move |path| {
                Ok(Box::new(Filling { file: open(path)?, room: room.clone() }))
            });
            sink
        };
        let mut sink = start(&room);
        for (count, fate, bytes) in portions {
            let first = committed.next;
            let last = first + count as u64;
            let records: Vec<KeptRecord> =
                (first..last).map(|n| kept(n, NOON + n as i64 * 20_000)).collect();
            at = steady.deliver(&at, &records).unwrap();
            if fate == 1 {
                room.store(bytes, Ordering::SeqCst);
                if let Err(failed) = sink.deliver(&committed, &records) {
                    prop_assert!(failed.message.contains(&*rough.path().to_string_lossy()));
                }
                room.store(u64::MAX, Ordering::SeqCst);
            }
            if fate >= 2 {
                // Killed before the commit; perhaps another portion is on the disk already.
                let ahead = sink.deliver(&committed, &records).unwrap();
                if fate == 3 {
                    sink.deliver(&ahead, &[kept(last, NOON), kept(last + 1, NOON)]).unwrap();
                }
                sink = start(&room);
                sink.begin(Some(&committed)).unwrap();
            }
            committed = sink.deliver(&committed, &records).unwrap();
            prop_assert_eq!(&committed, &at);
        }
        prop_assert_eq!(files(calm.path()), files(rough.path()));
        prop_assert!(numbers(calm.path()).into_iter().eq(1..at.next));
    }
}
