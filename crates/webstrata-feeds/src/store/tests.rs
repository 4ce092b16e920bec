use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io;
use std::ops::Bound;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use proptest::prelude::*;
use redb::backends::FileBackend;
use redb::{BackendError, StorageBackend};

use super::*;

/// A disk that is full after so many writes, until somebody makes room; or full for a moment, now and then.
#[derive(Clone, Debug, Default)]
pub(crate) struct Disk {
    writes: Arc<AtomicU64>,
    room: Arc<AtomicBool>,
    /// Each so manieth write fails; 0 for none.
    moments: u64,
    failures: Arc<AtomicU64>,
}

#[derive(Debug)]
struct Fills {
    file: FileBackend,
    disk: Disk,
}

impl Disk {
    fn full_after(writes: u64) -> Disk {
        Disk { writes: Arc::new(writes.into()), ..Disk::default() }
    }

    pub(crate) fn full_each(moments: u64) -> Disk {
        Disk { writes: Arc::new(u64::MAX.into()), moments, ..Disk::default() }
    }

    /// How often it was full.
    pub(crate) fn failures(&self) -> u64 {
        self.failures.load(Ordering::SeqCst)
    }

    fn make_room(&self) {
        self.room.store(true, Ordering::SeqCst);
    }

    fn is_full(&self) -> bool {
        self.writes.load(Ordering::SeqCst) == 0 && !self.room.load(Ordering::SeqCst)
    }

    fn write(&self) -> io::Result<()> {
        let left = self.writes.load(Ordering::SeqCst);
        if self.is_full() || (self.moments > 0 && left.is_multiple_of(self.moments)) {
            self.writes.store(left.saturating_sub(1), Ordering::SeqCst);
            self.failures.fetch_add(1, Ordering::SeqCst);
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.writes.store(left.saturating_sub(1), Ordering::SeqCst);
        Ok(())
    }

    pub(crate) fn store(&self, path: &Path) -> Result<Store, Error> {
        let (file, disk) = (path.to_owned(), self.clone());
        let open = move |builder: &redb::Builder| {
            let file = OpenOptions::new().read(true).write(true).open(&file)?;
            builder.create_with_backend(Fills { file: FileBackend::new(file)?, disk: disk.clone() })
        };
        Store::open_with(path, Box::new(open))
    }
}

impl StorageBackend for Fills {
    fn len(&self) -> io::Result<u64> {
        self.file.len()
    }
    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.file.read(offset, out)
    }
    fn set_len(&self, len: u64) -> io::Result<()> {
        self.disk.write()?;
        self.file.set_len(len)
    }
    fn sync_data(&self) -> io::Result<()> {
        self.disk.write()?;
        self.file.sync_data()
    }
    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.disk.write()?;
        self.file.write(offset, data)
    }
    fn close(&self) -> io::Result<()> {
        self.file.close()
    }
    fn try_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.file.try_lock_range(start, end)
    }
    fn unlock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.file.unlock_range(start, end)
    }
}

fn place(site: u8, not_before: i64, number: u64) -> Place {
    Place { site: format!("site {site}"), not_before, number }
}

fn item(title: &str) -> Pending {
    Pending { title: title.into(), ..Pending::default() }
}

fn visit(time: i64) -> Visit {
    let key = webstrata_site::url_key::UrlKey::parse("example.org/tides").unwrap();
    Visit { key, time, texts: vec![1, 2], places: vec![3] }
}

fn output(sequence: u64, length: usize) -> Change {
    let record = vec![b'a' + (sequence % 26) as u8; length];
    Change::Output { sequence, time: sequence as i64 * 10, record }
}

/// All that the store holds, to be compared.
fn all(store: &Store) -> impl PartialEq + std::fmt::Debug {
    let pending: Vec<_> =
        (0..3).map(|site| store.due(&format!("site {site}"), i64::MAX, 999, |_| false)).collect();
    let mut visits = Vec::new();
    store.visits(|serial, visit| visits.push((serial, visit))).unwrap();
    let records = store.records(0, 999, 1 << 30).unwrap();
    (pending, visits, records, store.numbers(), store.positions(), store.counters())
}

#[test]
fn an_item_waits_until_it_is_due() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(folder.path()).unwrap();
    let changes = [
        Change::Add { place: place(1, 50, 1), item: item("late") },
        Change::Add { place: place(1, 10, 2), item: item("early") },
        Change::Add { place: place(2, 10, 3), item: item("elsewhere") },
    ];
    store.commit(&changes).unwrap();
    let due = |store: &Store, now| -> Vec<String> {
        let due = store.due("site 1", now, 9, |_| false).unwrap();
        due.into_iter().map(|(_, item)| item.title).collect()
    };
    assert_eq!(due(&store, 9), [""; 0]);
    assert_eq!(due(&store, 49), ["early"]);
    assert_eq!(due(&store, 50), ["early", "late"]);
    assert_eq!(store.next_due("site 1", 10).unwrap(), Some(50));
    assert_eq!(store.next_due("site 1", 50).unwrap(), None);
    assert_eq!(store.waiting("site 1").unwrap(), 2);
    store.commit(&[Change::Remove { place: place(1, 10, 2) }]).unwrap();
    assert_eq!(due(&store, 50), ["late"]);
    assert_eq!(store.numbers().unwrap().pending, 4);
}

#[test]
fn records_come_in_portions_and_leave_by_age() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(folder.path()).unwrap();
    let outputs: Vec<Change> = (1..=9).map(|sequence| output(sequence, 100)).collect();
    store.commit(&outputs).unwrap();
    let portion = |store: &Store, from, most, bytes| -> Vec<u64> {
        let records = store.records(from, most, bytes).unwrap();
        records.into_iter().map(|kept| kept.sequence).collect()
    };
    assert_eq!(portion(&store, 3, 2, 1 << 20), [3, 4]);
    assert_eq!(portion(&store, 3, 9, 250), [3, 4]);
    // One that is larger than a portion must come all the same.
    assert_eq!(portion(&store, 3, 9, 50), [3]);
    assert_eq!(portion(&store, 10, 9, 50), [0; 0]);
    // Records 1 to 4 are older than second 50; 3 and later are not delivered.
    assert_eq!(store.first_since(50, 3).unwrap(), (3, true));
    assert_eq!(store.first_since(50, 8).unwrap(), (5, true));
    assert_eq!(store.first_since(0, 8).unwrap(), (1, true));
    store.commit(&[Change::Trim { below: 5 }]).unwrap();
    assert_eq!(portion(&store, 0, 9, 1 << 20), [5, 6, 7, 8, 9]);
    assert_eq!((store.kept().unwrap(), store.numbers().unwrap().sequence), (5, 10));
}

#[test]
fn many_old_records_leave_by_steps() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(folder.path()).unwrap();
    let outputs: Vec<Change> = (1..=2500).map(|sequence| output(sequence, 1)).collect();
    store.commit(&outputs).unwrap();
    let mut steps = Vec::new();
    loop {
        let (below, is_all) = store.first_since(i64::MAX, 2400).unwrap();
        store.commit(&[Change::Trim { below }]).unwrap();
        steps.push(below);
        if is_all {
            break;
        }
    }
    assert_eq!(steps, [1001, 2001, 2400]);
    assert_eq!(store.kept().unwrap(), 101);
}

#[test]
fn a_clock_that_jumps_does_not_erase_what_is_known() {
    const HOUR: i64 = 3600;
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(folder.path()).unwrap();
    let memory = Retention { age: Duration::from_secs(24 * 3600), entries: 9 };
    let now = 1000 * HOUR;
    store.forget(memory, now).unwrap();
    store.commit(&[Change::Seen { site: "a".into(), hash: 1, time: now }]).unwrap();
    for _ in 0..2 {
        store.forget(memory, now + 9999 * HOUR).unwrap();
        assert_eq!(store.seen("a", 1).unwrap(), Some(now));
    }
    // Set right again, it forgets as ever.
    store.forget(memory, now + 25 * HOUR).unwrap();
    assert_eq!(store.seen("a", 1).unwrap(), None);
}

#[test]
fn items_that_are_put_off_too_far_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(folder.path()).unwrap();
    let places = [place(1, 50, 1), place(1, 51, 2), place(1, 99, 3), place(2, 99, 4)];
    let add = |place: &Place| Change::Add { place: place.clone(), item: item("late") };
    store.commit(&places.iter().map(add).collect::<Vec<_>>()).unwrap();
    let late = |most| -> Vec<Place> {
        store.late("site 1", 50, most).unwrap().into_iter().map(|(place, _)| place).collect()
    };
    assert_eq!(late(9), places[1..3]);
    assert_eq!(late(1), places[1..2]);
}

#[test]
fn old_items_and_keys_are_forgotten_and_there_is_an_end_to_their_number() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(folder.path()).unwrap();
    let mut changes = Vec::new();
    for time in 0..100 {
        changes.push(Change::Seen { site: "a".into(), hash: time as u128, time });
        changes.push(Change::Key { hash: time as u128, sequence: 1, time });
    }
    store.commit(&changes).unwrap();
    store.forget(Retention { age: Duration::from_secs(90), entries: 1000 }, 100).unwrap();
    assert_eq!(store.seen("a", 9).unwrap(), None);
    assert_eq!(store.seen("a", 10).unwrap(), Some(10));
    assert_eq!(store.seen("b", 10).unwrap(), None);
    assert_eq!((store.key(9).unwrap(), store.key(10).unwrap()), (None, Some(1)));
    // 90 seconds are too many for 30 entries, 45 too; 22 are not.
    store.forget(Retention { age: Duration::from_secs(90), entries: 30 }, 100).unwrap();
    assert_eq!((store.key(77).unwrap(), store.key(78).unwrap()), (None, Some(1)));
    assert_eq!((store.seen("a", 77).unwrap(), store.seen("a", 78).unwrap()), (None, Some(78)));
}

#[test]
fn a_full_disk_at_any_moment_leaves_the_old_store_or_the_new_one() {
    let batch = |first: u64| -> Vec<Change> {
        let mut changes: Vec<Change> =
            (first..first + 20).map(|sequence| output(sequence, 5000)).collect();
        changes.push(Change::Add { place: place(1, 0, first), item: item("x") });
        changes.push(Change::Visit { serial: first, bytes: visit(0).to_bytes() });
        changes
    };
    for writes in (0..).step_by(3) {
        let folder = tempfile::tempdir().unwrap();
        Store::open(folder.path()).unwrap().commit(&batch(1)).unwrap();
        let disk = Disk::full_after(writes);
        let path = folder.path().join(FILE);
        let Ok(mut store) = disk.store(&path) else { continue };
        let old = format!("{:?}", all(&store));
        let done = store.commit(&batch(21));
        if let Err(error) = &done {
            assert_eq!(error.kind(), StoreErrorKind::Full, "{error}");
            assert!(error.is_temporary() && store.numbers().is_err());
        }
        let hit = disk.is_full();
        disk.make_room();
        store.reopen().unwrap();
        let now = format!("{:?}", all(&store));
        store.commit(&batch(21)).unwrap();
        let new = format!("{:?}", all(&store));
        assert!(now == old || now == new, "after {writes} writes");
        assert!(done.is_err() || now == new);
        if !hit {
            assert!(writes > 10);
            return;
        }
    }
}

#[test]
fn one_process_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let first = Store::open(folder.path()).unwrap();
    let second = Store::open(folder.path()).err().unwrap();
    assert_eq!(second.kind(), StoreErrorKind::Locked);
    assert!(second.to_string().ends_with("stop it, or choose another --store"), "{second}");
    drop(first);
    Store::open(folder.path()).unwrap();
}

#[test]
fn stores_of_other_releases_are_named_as_such() {
    let folder = tempfile::tempdir().unwrap();
    for (format, age) in [(FORMAT + 1, "newer"), (0, "older")] {
        let store = Store::open(folder.path());
        if let Ok(store) = store {
            let write = store.database().unwrap().begin_write().unwrap();
            write.open_table(META).unwrap().insert("format", format).unwrap();
            write.commit().unwrap();
        }
        let error = Store::open(folder.path()).err().unwrap();
        assert_eq!(error.kind(), StoreErrorKind::Format);
        assert!(error.to_string().contains(age), "{error}");
        std::fs::remove_file(folder.path().join(FILE)).unwrap();
    }
}

#[test]
fn a_folder_without_a_store_is_told_so() {
    let folder = tempfile::tempdir().unwrap();
    let error = Store::open_existing(folder.path()).err().unwrap();
    assert!(error.to_string().contains("no store here"), "{error}");
    assert!(!folder.path().join(FILE).exists());
}

#[test]
fn a_damaged_file_is_a_message() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(FILE);
    let mut store = Store::open(folder.path()).unwrap();
    let outputs: Vec<Change> = (1..=200).map(|sequence| output(sequence, 900)).collect();
    store.commit(&outputs).unwrap();
    drop(store);
    let whole = std::fs::read(&path).unwrap();
    let mut told = 0;
    for length in [1, 8, 9, 100, 4096, 5000, whole.len() / 2, whole.len() - 1] {
        std::fs::write(&path, &whole[..length]).unwrap();
        if let Err(error) = Store::open(folder.path()).and_then(|store| store.kept()) {
            assert_eq!(error.kind(), StoreErrorKind::Damaged, "{length}: {error}");
            told += 1;
        }
    }
    assert!(told >= 7, "{told}");
    std::fs::write(&path, "<p>no store").unwrap();
    let error = Store::open(folder.path()).err().unwrap();
    assert_eq!(error.kind(), StoreErrorKind::Damaged);
    assert!(!error.to_string().contains('\n'));
    assert!(File::open(&path).is_ok(), "it is the user's");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// A wrong byte anywhere: a message or data, never a panic.
    #[test]
    fn wrong_bytes_do_not_panic(at in any::<prop::sample::Index>(), byte: u8, near_the_head: bool) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE);
        let mut store = Store::open(folder.path()).unwrap();
        let outputs: Vec<Change> = (1..=20).map(|sequence| output(sequence, 300)).collect();
        store.commit(&outputs).unwrap();
        drop(store);
        let mut bytes = std::fs::read(&path).unwrap();
        let at = at.index(if near_the_head { 512 } else { bytes.len() });
        bytes[at] ^= byte;
        std::fs::write(&path, &bytes).unwrap();
        if let Ok(store) = Store::open(folder.path()) {
            let _ = store.records(0, 999, 1 << 20);
            let _ = store.counters();
        }
    }

    /// The same batches into the store and into maps; some batches twice.
    #[test]
    fn the_store_is_what_maps_would_be(batches in proptest::collection::vec(
        proptest::collection::vec((0u8..6, 0u8..3, 1u64..20, 0i64..5), 0..20), 1..6,
    ), twice: bool) {
        let folder = tempfile::tempdir().unwrap();
        let mut pending = BTreeMap::new();
        let mut queue = BTreeMap::new();
        let mut keys = BTreeMap::new();
        let mut visits = BTreeMap::new();
        for batch in batches {
            let mut changes = Vec::new();
            for (kind, site, number, time) in batch {
                match kind {
                    0 => {
                        let item = item(&format!("{number}"));
                        pending.insert(place(site, time, number), item.clone());
                        changes.push(Change::Add { place: place(site, time, number), item });
                    }
                    1 => {
                        pending.remove(&place(site, time, number));
                        changes.push(Change::Remove { place: place(site, time, number) });
                    }
                    2 => {
                        queue.insert(number, number as usize);
                        changes.push(output(number, number as usize));
                    }
                    3 => {
                        keys.insert(u128::from(number), number);
                        let hash = u128::from(number);
                        changes.push(Change::Key { hash, sequence: number, time });
                    }
                    4 => {
                        let visit = visit(time);
                        changes.push(Change::Visit { serial: number, bytes: visit.to_bytes() });
                        visits.insert(number, visit);
                    }
                    _ => {
                        visits.remove(&number);
                        changes.push(Change::Evict { serial: number });
                    }
                }
            }
            // Opened again for each batch: what was committed is on the disk.
            let mut store = Store::open(folder.path()).unwrap();
            store.commit(&changes).unwrap();
            if twice {
                store.commit(&changes).unwrap();
            }
        }
        let store = Store::open(folder.path()).unwrap();
        let mut found = BTreeMap::new();
        for site in 0..3 {
            found.extend(store.due(&format!("site {site}"), 9, 999, |_| false).unwrap());
        }
        prop_assert_eq!(found, pending);
        let records = store.records(0, 999, 1 << 20).unwrap();
        let records: BTreeMap<u64, usize> =
            records.into_iter().map(|kept| (kept.sequence, kept.record.len())).collect();
        prop_assert_eq!(records, queue);
        for number in 0..20u128 {
            prop_assert_eq!(store.key(number).unwrap(), keys.get(&number).copied());
        }
        let mut found = BTreeMap::new();
        store.visits(|serial, visit| drop(found.insert(serial, visit))).unwrap();
        prop_assert_eq!(found, visits);
    }
}
