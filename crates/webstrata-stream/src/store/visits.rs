//! A document of the URL Tree as bytes: its key, its time and its blocks.
//!
//! Blocks are hashes, of which 500 in ascending order cost 55 bits each at the least: they stand as they are.

/// What the tree needs to know of a document, to be made again as it was.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeptVisit {
    /// The URL key.
    pub key: String,
    /// When it came, in seconds since 1970.
    pub time: i64,
    /// Hashes of its blocks, ascending, each once.
    pub blocks: Vec<u64>,
}

/// The bytes of a document: its time, the length of its key, the key, the blocks.
pub fn write_visit(visit: &KeptVisit) -> Vec<u8> {
    // Longer keys than this are cut where they are made.
    let length = visit.key.len() as u32;
    let mut bytes = Vec::with_capacity(12 + visit.key.len() + 8 * visit.blocks.len());
    bytes.extend_from_slice(&visit.time.to_le_bytes());
    bytes.extend_from_slice(&length.to_le_bytes());
    bytes.extend_from_slice(visit.key.as_bytes());
    visit.blocks.iter().for_each(|block| bytes.extend_from_slice(&block.to_le_bytes()));
    bytes
}

/// The document of these bytes, if they are whole.
pub fn read_visit(bytes: &[u8]) -> Option<KeptVisit> {
    let (time, rest) = bytes.split_first_chunk()?;
    let (length, rest) = rest.split_first_chunk()?;
    let (key, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    let (blocks, odd) = rest.as_chunks();
    let key = std::str::from_utf8(key).ok()?.to_owned();
    let blocks = blocks.iter().map(|block| u64::from_le_bytes(*block)).collect();
    odd.is_empty().then_some(KeptVisit { key, time: i64::from_le_bytes(*time), blocks })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_written_is_read(
            key in ".{0,40}",
            time: i64,
            blocks in proptest::collection::btree_set(any::<u64>(), 0..50),
        ) {
            let visit = KeptVisit { key, time, blocks: blocks.into_iter().collect() };
            prop_assert_eq!(read_visit(&write_visit(&visit)), Some(visit));
        }

        #[test]
        fn any_bytes_are_a_visit_or_none(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
            if let Some(visit) = read_visit(&bytes) {
                prop_assert_eq!(write_visit(&visit), bytes);
            }
        }
    }
}
