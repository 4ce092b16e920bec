//! The web archives in a WACZ file, which is a zip file: where each of them lies.
//!
//! A reader of our own, since records are told by where they lie in the file, and reading must be able to begin at any of
//! them. Archives are stored as they are, as the format wants (<https://specs.webrecorder.net/wacz/1.1.1/>): they are packed
//! within. Where a program has packed them once more, they are unpacked on the way, and their places count as if they
//! lay behind the file, one after the other.

use std::io::{self, Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use flate2::read::DeflateDecoder;

use crate::folder::has_extension;
use crate::input::{ReadSeek, Streamed};

/// How zip files begin.
pub(crate) const START: &[u8] = b"PK\x03\x04";

/// The end of the directory, with the longest comment behind it.
const END: usize = 22;
const MOST_COMMENT: usize = 65_535;

/// Bytes of the list of members, and archives in it.
const MOST_DIRECTORY: u64 = 64 << 20;
const MOST_ARCHIVES: usize = 100_000;

/// What packed archives are.
const WARCS: [&str; 3] = ["warc", "warc.gz", "warc.zst"];

/// How zip packs members: not at all, or with deflate.
const STORED: u16 = 0;
const DEFLATED: u16 = 8;

/// An archive that is packed within hardly becomes shorter by packing it once more. One that unpacks to more than so many
/// times as much is made to unpack to far more again.
const MOST_TWICE: u64 = 8;
const FREE_TWICE: u64 = 64 * 1024;

/// An archive in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Member {
    pub(crate) name: String,
    start: u64,
    end: u64,
    /// Where the archive's own bytes count from, and how many these are, where zip has packed it.
    unpacked: Option<(u64, u64)>,
}

impl Member {
    /// The place of its first byte.
    pub(crate) fn first(&self) -> u64 {
        self.unpacked.map_or(self.start, |(first, _)| first)
    }

    /// The place behind its last byte.
    pub(crate) fn last(&self) -> u64 {
        self.unpacked.map_or(self.end, |(first, length)| first + length)
    }

    /// Its bytes, as the archive has them.
    pub(crate) fn open(&self, file: Shared) -> Box<dyn ReadSeek> {
        let section = Section { file, at: self.start, end: self.end };
        match self.unpacked {
            None => Box::new(section),
            Some((first, length)) => {
                let unpacked = Inflated { packed: DeflateDecoder::new(section), left: length };
                Box::new(Streamed::new(unpacked).counted_from(first))
            }
        }
    }
}

/// A member of deflate, of so many bytes.
struct Inflated<R> {
    packed: DeflateDecoder<R>,
    left: u64,
}

impl<R: Read> Read for Inflated<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = self.left.min(buffer.len() as u64) as usize;
        let damaged = |_| io::Error::other("the zip file is damaged: it cannot be unpacked here");
        let read = self.packed.read(&mut buffer[..most]).map_err(damaged)?;
        if read == 0 && most > 0 {
            return Err(damaged(io::ErrorKind::UnexpectedEof.into()));
        }
        self.left -= read as u64;
        Ok(read)
    }
}

/// Why there are no archives to be had.
#[derive(Debug)]
pub(crate) enum ZipError {
    Wrong(String),
    Io(io::Error),
}

impl From<io::Error> for ZipError {
    fn from(error: io::Error) -> ZipError {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => wrong("the zip file is cut off"),
            io::ErrorKind::Unsupported => wrong(
                "a zip file is read from its end; name it as a file, it cannot come through a pipe",
            ),
            _ => ZipError::Io(error),
        }
    }
}

fn wrong(why: impl Into<String>) -> ZipError {
    ZipError::Wrong(why.into())
}

/// A directory, as the end of the file has it.
struct Directory {
    start: u64,
    length: u64,
}

/// The archives of a zip file, in the order in which they lie in it.
pub(crate) fn archives(file: &mut dyn ReadSeek) -> Result<Vec<Member>, ZipError> {
    let length = file.seek(SeekFrom::End(0))?;
    let directory = directory(file, length)?;
    if directory.length > MOST_DIRECTORY {
        return Err(wrong("the zip file lists more members than are read"));
    }
    let end = directory.start.checked_add(directory.length).filter(|end| *end <= length);
    if end.is_none() {
        return Err(wrong("the zip file is damaged: its list of members is not in it"));
    }
    let list = bytes(file, directory.start, directory.length as usize)?;
    let mut found = Vec::new();
    let mut rest = &list[..];
    while rest.starts_with(b"PK\x01\x02") && rest.len() >= 46 {
        let (name, extra) = (usize::from(u16_at(rest, 28)), usize::from(u16_at(rest, 30)));
        let size = 46 + name + extra + usize::from(u16_at(rest, 32));
        let Some(entry) = rest.get(..size) else { break };
        rest = &rest[size..];
        let path = String::from_utf8_lossy(&entry[46..46 + name]).into_owned();
        if !has_extension(path.as_ref(), &WARCS) {
            continue;
        }
        if u16_at(entry, 8) & 1 != 0 {
            return Err(wrong(format!("`{path}` in it is encrypted")));
        }
        let Sizes { packed, unpacked, at } = sizes(entry, &entry[46 + name..46 + name + extra]);
        let unpacked = match u16_at(entry, 10) {
            STORED => None,
            DEFLATED if is_bomb(&path, packed, unpacked) => {
                return Err(wrong(format!(
                    "`{path}` in it is packed twice, and unpacks to far more than it is; unpack the zip file and name \
                     the archives"
                )));
            }
            // Where it counts from is known once all are.
            DEFLATED => Some((0, unpacked)),
            _ => {
                return Err(wrong(format!(
                    "`{path}` in it is packed in a way that is not read; unpack the zip file and name the archives"
                )));
            }
        };
        let head = bytes(file, at, 30)?;
        if !head.starts_with(START) {
            return Err(wrong(format!(
                "the zip file is damaged: `{path}` is not where it should be"
            )));
        }
        let start = at + 30 + u64::from(u16_at(&head, 26)) + u64::from(u16_at(&head, 28));
        match start.checked_add(packed).filter(|end| *end <= directory.start) {
            Some(end) => found.push(Member { name: path, start, end, unpacked }),
            None => return Err(wrong(format!("the zip file is damaged: `{path}` has no end"))),
        }
        if found.len() > MOST_ARCHIVES {
            return Err(wrong("the zip file has more archives than are read"));
        }
    }
    if found.is_empty() {
        return Err(wrong(
            "a zip file without web archives (WACZ has archive/*.warc.gz); unpack it first",
        ));
    }
    found.sort_by_key(|member| member.start);
    // One archive as many members is how a small file becomes a long one.
    if found.windows(2).any(|two| two[0].end > two[1].start) {
        return Err(wrong("the zip file is damaged: its members overlap"));
    }
    let mut behind = length;
    for (first, size) in found.iter_mut().filter_map(|member| member.unpacked.as_mut()) {
        *first = behind;
        let most = i64::MAX as u64;
        behind = behind.checked_add(*size).filter(|behind| *behind < most).ok_or_else(|| {
            wrong("the zip file is damaged: its members are longer than files can be")
        })?;
    }
    found.sort_by_key(Member::first);
    Ok(found)
}

/// Is this a small member that becomes a very long archive?
fn is_bomb(path: &str, packed: u64, unpacked: u64) -> bool {
    let is_packed_within = !path.to_ascii_lowercase().ends_with(".warc");
    is_packed_within && unpacked > packed.saturating_mul(MOST_TWICE).saturating_add(FREE_TWICE)
}

/// Finds the list of members, by the end of the file.
fn directory(file: &mut dyn ReadSeek, length: u64) -> Result<Directory, ZipError> {
    let tail = length.min((END + MOST_COMMENT) as u64);
    let tail_start = length - tail;
    let tail = bytes(file, tail_start, tail as usize)?;
    let last = tail.len().checked_sub(END).ok_or_else(|| wrong("the zip file is cut off"))?;
    let is_end = |at: &usize| {
        let end = &tail[*at..];
        end.starts_with(b"PK\x05\x06") && usize::from(u16_at(end, 20)) == end.len() - END
    };
    let at = (0..=last).rev().find(is_end).ok_or_else(|| wrong("the zip file is cut off"))?;
    let end = &tail[at..];
    let (size, start) = (u32_at(end, 12), u32_at(end, 16));
    if size != u32::MAX && start != u32::MAX && u16_at(end, 10) != u16::MAX {
        return Ok(Directory { start: start.into(), length: size.into() });
    }
    // Long files have another end before this one.
    let no_end = || wrong("the zip file is damaged: its end says nothing");
    let locator = (tail_start + at as u64).checked_sub(20).ok_or_else(no_end)?;
    let locator = bytes(file, locator, 20)?;
    let end = bytes(file, u64_at(&locator, 8), 56)?;
    if !locator.starts_with(b"PK\x06\x07") || !end.starts_with(b"PK\x06\x06") {
        return Err(no_end());
    }
    Ok(Directory { start: u64_at(&end, 48), length: u64_at(&end, 40) })
}

/// How many bytes a member has, and where its head lies.
struct Sizes {
    packed: u64,
    unpacked: u64,
    at: u64,
}

fn sizes(entry: &[u8], mut extra: &[u8]) -> Sizes {
    let (packed, long, at) = (u32_at(entry, 20), u32_at(entry, 24), u32_at(entry, 42));
    let mut values = Vec::new();
    while let [a, b, c, d, rest @ ..] = extra {
        let size = usize::from(u16::from_le_bytes([*c, *d])).min(rest.len());
        if [*a, *b] == [1, 0] {
            values = rest[..size].chunks_exact(8).map(|value| u64_at(value, 0)).collect();
        }
        extra = &rest[size..];
    }
    // Only those are there that have no place in the entry.
    let mut values = values.into_iter();
    let mut whole = |short: u32| match short {
        u32::MAX => values.next().unwrap_or(u64::MAX),
        short => short.into(),
    };
    let unpacked = whole(long);
    Sizes { packed: whole(packed), unpacked, at: whole(at) }
}

fn bytes(file: &mut dyn ReadSeek, at: u64, length: usize) -> Result<Vec<u8>, ZipError> {
    file.seek(SeekFrom::Start(at))?;
    let mut bytes = vec![0; length];
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn array<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    let found = bytes.get(at..at + N).and_then(|slice| slice.try_into().ok());
    found.unwrap_or([0; N])
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes(array(bytes, at))
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(array(bytes, at))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(array(bytes, at))
}

/// A file of which several parts are read, one after the other.
#[derive(Clone)]
pub(crate) struct Shared(Arc<Mutex<Box<dyn ReadSeek>>>);

impl Shared {
    pub(crate) fn new(file: Box<dyn ReadSeek>) -> Shared {
        Shared(Arc::new(Mutex::new(file)))
    }

    fn lock(&self) -> MutexGuard<'_, Box<dyn ReadSeek>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Read for Shared {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.lock().read(buffer)
    }
}

impl Seek for Shared {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.lock().seek(to)
    }
}

/// A part of a file, whose places are those of the file.
struct Section<R> {
    file: R,
    at: u64,
    end: u64,
}

impl<R: Read + Seek> Read for Section<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = self.end.saturating_sub(self.at).min(buffer.len() as u64) as usize;
        self.file.seek(SeekFrom::Start(self.at))?;
        let read = self.file.read(&mut buffer[..most])?;
        self.at += read as u64;
        Ok(read)
    }
}

impl<R: Read + Seek> Seek for Section<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.at = match to {
            SeekFrom::Start(at) => at,
            SeekFrom::End(0) => self.end,
            SeekFrom::Current(0) => self.at,
            _ => return Err(io::ErrorKind::Unsupported.into()),
        };
        Ok(self.at)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::io::Cursor;

    use proptest::prelude::*;

    use super::*;

    /// A zip file of members that are stored as they are, made from the format's description.
    pub(crate) fn stored(members: &[(&str, &[u8])], is_long: bool) -> Vec<u8> {
        let (mut file, mut list) = (Vec::new(), Vec::new());
        for (name, content) in members {
            let at = file.len() as u64;
            let head = |file: &mut Vec<u8>, magic: &[u8], made: &[u8]| {
                file.extend_from_slice(magic);
                file.extend_from_slice(made);
                // Version, flags, method, time, date, checksum.
                file.extend_from_slice(&[20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4]);
            };
            let size = content.len() as u32;
            head(&mut file, b"PK\x03\x04", &[]);
            file.extend([size, size].iter().flat_map(|size| size.to_le_bytes()));
            file.extend([name.len() as u16, 3].iter().flat_map(|size| size.to_le_bytes()));
            file.extend_from_slice(name.as_bytes());
            file.extend_from_slice(b"xxx");
            file.extend_from_slice(content);
            head(&mut list, b"PK\x01\x02", &[20, 0]);
            let sizes = if is_long { [u32::MAX; 2] } else { [size; 2] };
            list.extend(sizes.iter().flat_map(|size| size.to_le_bytes()));
            let extra = if is_long { 28 } else { 0 };
            list.extend([name.len() as u16, extra].iter().flat_map(|size| size.to_le_bytes()));
            list.extend_from_slice(&[0; 10]);
            list.extend_from_slice(&(if is_long { u32::MAX } else { at as u32 }).to_le_bytes());
            list.extend_from_slice(name.as_bytes());
            if is_long {
                list.extend_from_slice(&[1, 0, 24, 0]);
                list.extend(
                    [content.len() as u64, content.len() as u64, at]
                        .iter()
                        .flat_map(|it| it.to_le_bytes()),
                );
            }
        }
        let (start, length) = (file.len() as u64, list.len() as u64);
        file.extend(list);
        if is_long {
            let end = file.len() as u64;
            file.extend_from_slice(b"PK\x06\x06");
            file.extend_from_slice(&[0; 36]);
            file.extend([length, start].iter().flat_map(|it| it.to_le_bytes()));
            file.extend_from_slice(b"PK\x06\x07\0\0\0\0");
            file.extend_from_slice(&end.to_le_bytes());
            file.extend_from_slice(&[0; 4]);
        }
        file.extend_from_slice(b"PK\x05\x06\0\0\0\0");
        let count = if is_long { u16::MAX } else { members.len() as u16 };
        file.extend([count, count].iter().flat_map(|it| it.to_le_bytes()));
        let (length, start) =
            if is_long { (u32::MAX, u32::MAX) } else { (length as u32, start as u32) };
        file.extend([length, start].iter().flat_map(|it| it.to_le_bytes()));
        file.extend_from_slice(&[0, 0]);
        file
    }

    fn found(file: &[u8]) -> Result<Vec<Member>, String> {
        archives(&mut Cursor::new(file.to_vec())).map_err(|error| match error {
            ZipError::Wrong(why) => why,
            ZipError::Io(error) => error.to_string(),
        })
    }

    const MEMBERS: [(&str, &[u8]); 4] = [
        ("datapackage.json", b"{}"),
        ("archive/a.warc.gz", b"first archive"),
        ("pages/pages.jsonl", b""),
        ("archive/b.warc", b"second"),
    ];

    #[test]
    fn archives_are_where_they_lie() {
        for is_long in [false, true] {
            let file = stored(&MEMBERS, is_long);
            let found = found(&file).unwrap();
            let contents: Vec<(&str, &[u8])> = found
                .iter()
                .map(|it| (&*it.name, &file[it.start as usize..it.end as usize]))
                .collect();
            assert_eq!(contents, [MEMBERS[1], MEMBERS[3]]);
            let mut opened = found[0].open(Shared::new(Box::new(Cursor::new(file))));
            let mut read = String::new();
            opened.seek(SeekFrom::Start(found[0].first())).unwrap();
            opened.read_to_string(&mut read).unwrap();
            assert_eq!(read, "first archive");
        }
    }

    #[test]
    fn what_is_refused() {
        let none = found(&stored(&[("a.html", b"<p>")], false)).unwrap_err();
        assert!(none.starts_with("a zip file without web archives"), "{none}");
        assert_eq!(found(b"PK\x03\x04").unwrap_err(), "the zip file is cut off");
        let mut packed = stored(&[("a.warc", b"x")], false);
        let list = memchr::memmem::find(&packed, b"PK\x01\x02").unwrap();
        packed[list + 10] = 9;
        let why = "`a.warc` in it is packed in a way that is not read";
        assert!(found(&packed).unwrap_err().contains(why));
        // A small archive that says it unpacks to 4 GiB, twice.
        let mut bomb = stored(&[("a.warc.gz", b"x")], false);
        let list = memchr::memmem::find(&bomb, b"PK\x01\x02").unwrap();
        bomb[list + 10] = 8;
        bomb[list + 24..list + 28].copy_from_slice(&0xffff_fffeu32.to_le_bytes());
        assert!(found(&bomb).unwrap_err().contains("unpacks to far more than it is"));
        let mut two = stored(&[("a.warc", b"xx"), ("b.warc", b"yy")], false);
        let list = memchr::memmem::rfind(&two, b"PK\x01\x02").unwrap();
        two[list + 42..list + 46].copy_from_slice(&[0; 4]);
        assert_eq!(found(&two).unwrap_err(), "the zip file is damaged: its members overlap");
    }

    proptest! {
        #[test]
        fn damaged_files(
            is_long: bool,
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..8),
            cut in prop::option::of(any::<prop::sample::Index>()),
        ) {
            let mut file = stored(&MEMBERS, is_long);
            for (place, byte) in changes {
                let at = place.index(file.len());
                file[at] = byte;
            }
            if let Some(cut) = cut {
                file.truncate(cut.index(file.len()));
            }
            if let Ok(found) = found(&file) {
                prop_assert!(found.iter().all(|it| it.start <= it.end && it.end <= file.len() as u64));
                prop_assert!(found.windows(2).all(|two| two[0].last() <= two[1].first()));
            }
        }
    }
}
