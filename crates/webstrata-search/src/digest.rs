//! A digest of bytes that is the same in every version: FNV-1a, eight bytes at a time. It tells
//! whether a page has changed or a file is damaged; it is no defence against intent.

const START: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0100_0000_01b3;

/// Of several byte strings; where one ends and the next begins counts.
pub(crate) fn of(parts: &[&[u8]]) -> u64 {
    let mut digest = Digest::new();
    for part in parts {
        digest.add(&(part.len() as u64).to_le_bytes());
        digest.add(part);
    }
    digest.finish()
}

/// A digest in the making.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Digest(u64);

impl Digest {
    pub(crate) fn new() -> Digest {
        Digest(START)
    }

    /// Words of eight bytes at a time: the index digests every text that it is given.
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.0 = (self.0 ^ u64::from_le_bytes(*word)).wrapping_mul(PRIME);
            self.0 ^= self.0 >> 32;
        }
        for byte in rest {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(PRIME);
        }
    }

    pub(crate) fn finish(self) -> u64 {
        // The last bytes reach the upper bits, too.
        let mixed = (self.0 ^ (self.0 >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed ^ (mixed >> 29)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_tell_apart() {
        assert_eq!(of(&[b"tides"]), of(&[b"tides"]));
        let all = [of(&[b"ab", b"c"]), of(&[b"a", b"bc"]), of(&[b"abc"]), of(&[]), of(&[b""])];
        for (at, one) in all.iter().enumerate() {
            assert!(!all[at + 1..].contains(one), "{at}");
        }
        let page = vec![7; 1000];
        for at in 0..page.len() {
            let mut other = page.clone();
            other[at] ^= 1;
            assert_ne!(of(&[&other]), of(&[&page]), "{at}");
        }
    }
}
