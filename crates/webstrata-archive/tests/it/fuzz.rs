//! What holds for any bytes in an archive, as functions that every fuzzer calls. The targets of `fuzz/` include this file.

use std::io::{Cursor, Read, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use webstrata_archive::record::PageRecord;
use webstrata_archive::{Arrival, Limits, Problem, Source, Streamed};

const NAMES: [&str; 8] = [
    "a.warc",
    "a.warc.gz",
    "a.warc.zst",
    "a.jsonl",
    "a.jsonl.gz",
    "a.jsonl.zst",
    "a.html.gz",
    "a.html.zst",
];

/// Of the first byte: the rest is members that are still to be packed, each behind one of these bytes.
const PACK: u8 = 8;
const NEXT_MEMBER: u8 = 0xfe;
/// The limits are small.
const SMALL: u8 = 16;

/// A file of any kind; the first byte says which.
pub(crate) fn archive(bytes: &[u8]) {
    let Some((choice, bytes)) = bytes.split_first() else { return };
    let name = Path::new(NAMES[usize::from(choice % 8)]);
    let bytes = if choice & PACK == 0 { bytes.to_vec() } else { packed(name, bytes) };
    let limits = match choice & SMALL {
        0 => Limits { record: 1 << 20, page: 1 << 20 },
        _ => Limits { record: 300, page: 100 },
    };
    let (pages, problems) = all(Source::file(Cursor::new(bytes.clone()), name, limits));
    // An empty file is a problem or an empty page.
    assert!(pages.len() + problems.len() <= bytes.len().max(1), "more than there are bytes");
    for page in &pages {
        assert!(page.bytes.len() <= limits.page, "{} bytes", page.bytes.len());
        assert!(page.offset <= bytes.len() as u64 && !page.name.contains('\n'));
        if page.is_record() {
            let _ = (page.record_text(), page.page_record());
        }
    }
    for problem in &problems {
        assert!(!problem.message.contains('\n') && problem.passed <= (1 << 30), "{problem}");
    }
    if choice % 8 < 3 {
        // What comes from a stream that goes forward only is the same.
        let stream = Streamed::new(Forward(Cursor::new(bytes)));
        assert_eq!(all(Source::archive(stream, name, limits)), (pages, problems));
    }
}

/// Gives a few bytes at a time.
struct Forward(Cursor<Vec<u8>>);

impl Read for Forward {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let length = buffer.len().min(7);
        self.0.read(&mut buffer[..length])
    }
}

fn packed(name: &Path, bytes: &[u8]) -> Vec<u8> {
    let members = bytes.split(|byte| *byte == NEXT_MEMBER);
    match name.extension().and_then(|extension| extension.to_str()) {
        Some("gz") => members.flat_map(gzip).collect(),
        Some("zst") => members.flat_map(zstd).collect(),
        _ => bytes.to_vec(),
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::none());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

/// A frame of blocks that are not packed (RFC 8878), which costs less to make than a packed one.
fn zstd(bytes: &[u8]) -> Vec<u8> {
    let mut frame = b"\x28\xb5\x2f\xfd\x00\x00".to_vec();
    let mut blocks = bytes.chunks(1000).peekable();
    if blocks.peek().is_none() {
        frame.extend([1, 0, 0]);
    }
    while let Some(block) = blocks.next() {
        let head = (block.len() as u32) << 3 | u32::from(blocks.peek().is_none());
        frame.extend(&head.to_le_bytes()[..3]);
        frame.extend_from_slice(block);
    }
    frame
}

fn all(source: Source) -> (Vec<Arrival>, Vec<Problem>) {
    let (mut pages, mut problems) = (Vec::new(), Vec::new());
    for item in source {
        match item {
            Ok(page) => pages.push(page),
            Err(problem) => problems.push(problem),
        }
    }
    (pages, problems)
}

/// A record that was written by this or an earlier release. What can be read is written and read back.
pub(crate) fn record(bytes: &[u8]) {
    let Ok(record) = PageRecord::from_line(bytes) else { return };
    let line = record.to_line().expect("plain data");
    assert!(!line.contains(&b'\n'));
    let back = PageRecord::from_line(&line).expect("just written");
    assert_eq!(
        (&back.id, &back.record.text, &back.origin),
        (&record.id, &record.record.text, &record.origin)
    );
}

#[cfg(test)]
mod tests {
    use super::{archive, gzip, record, zstd};
    use crate::corpora::hold;

    #[test]
    fn corpora_hold() {
        hold("archive", archive);
        hold("record", record);
    }

    #[test]
    fn what_is_packed_here_is_read_by_others() {
        for bytes in [&b""[..], b"tide", &[7; 2500]] {
            assert_eq!(::zstd::decode_all(&zstd(bytes)[..]).unwrap(), bytes);
            let mut unpacked = Vec::new();
            let packed = gzip(bytes);
            std::io::Read::read_to_end(
                &mut flate2::read::GzDecoder::new(&packed[..]),
                &mut unpacked,
            )
            .unwrap();
            assert_eq!(unpacked, bytes);
        }
    }
}
