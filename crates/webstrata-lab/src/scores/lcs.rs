//! Longest common subsequences of tokens, 64 at a time.
//!
//! Bit `i` of a row says whether the longest common subsequence of `a[..=i]` and the tokens of `b`
//! read so far is as long as that of `a[..i]`: 1 if so, 0 if `a[i]` makes it one longer. With `M` the
//! places of the next token in `a`, the next row is `(V + (V & M)) | (V & !M)` (Crochemore et al., *A
//! fast and practical bit-vector algorithm for the longest common subsequence problem*, 2001; in this
//! form Hyyrö, *Bit-parallel LCS-length computation revisited*, 2004). Words of a row without a place
//! of the token change by a carry only, so they are not looked at unless one arrives.
//!
//! Time is at most `|a| · |b| / 64` steps, and on texts a small part of that: for 100,000 tokens by
//! 100,000 with 50 distinct ones, [`length`] and [`matches()`] together take about 1.5 s (one core, `webstrata
//! eval` on such a page). Memory is linear:
//! [`matches()`] keeps rows only where they fit into 32 MiB and halves the problem above that
//! (Hirschberg, 1975), which doubles the time.

use std::borrow::Cow;
use std::collections::HashMap;

/// The words of all rows that [`matches()`] keeps at once: 32 MiB.
const ROWS: usize = 1 << 22;

/// How many tokens a longest common subsequence has.
pub fn length(a: &[u32], b: &[u32]) -> usize {
    let (prefix, suffix) = shared_ends(a, b);
    let (a, b) = (&a[prefix..a.len() - suffix], &b[prefix..b.len() - suffix]);
    let (a, b) = small(a, b);
    let mut row = Row::new(a.len());
    let places = Places::of(&a);
    b.iter().for_each(|token| row.read(places.of_token(*token)));
    prefix + suffix + row.zeros()
}

/// A longest common subsequence, in order: pairs of an index into `a` and one into `b`.
///
/// Among several, the one that comes last in `b` is taken, and tokens that end both are matched with
/// each other, as `rouge-score` does; problems that have to be halved may deviate from that.
///
/// # Panics
///
/// Where a sequence has more than `u32::MAX` tokens.
pub fn matches(a: &[u32], b: &[u32]) -> Vec<(u32, u32)> {
    matches_within(a, b, ROWS)
}

fn matches_within(a: &[u32], b: &[u32], rows: usize) -> Vec<(u32, u32)> {
    let fits = |tokens: &[u32]| u32::try_from(tokens.len()).is_ok();
    assert!(fits(a) && fits(b), "more than u32::MAX tokens");
    let (a, b) = small(a, b);
    let mut found = Vec::new();
    halve(&a, &b, (0, 0), rows, &mut found);
    found
}

/// Adds the matches of two parts that begin at `at`.
fn halve(a: &[u32], b: &[u32], at: (u32, u32), rows: usize, found: &mut Vec<(u32, u32)>) {
    if a.is_empty() || b.is_empty() {
        return;
    }
    if a.len().div_ceil(64).saturating_mul(b.len()) <= rows || b.len() == 1 {
        let from = found.len();
        let mut matcher = Matcher::default();
        matcher.learn(a);
        matcher.walk(b, |i, j| found.push((at.0 + i as u32, at.1 + j as u32)));
        found[from..].reverse();
        return;
    }
    let (prefix, suffix) = shared_ends(a, b);
    if prefix + suffix > 0 {
        let pair = |i: usize, j: usize| (at.0 + i as u32, at.1 + j as u32);
        found.extend((0..prefix).map(|i| pair(i, i)));
        let (a_end, b_end) = (a.len() - suffix, b.len() - suffix);
        halve(&a[prefix..a_end], &b[prefix..b_end], pair(prefix, prefix), rows, found);
        found.extend((0..suffix).map(|i| pair(a_end + i, b_end + i)));
        return;
    }
    // The first half of `b` has its matches in `a[..split]`, the second one in the rest.
    let middle = b.len() / 2;
    let split = {
        let mut before = Row::new(a.len());
        let places = Places::of(a);
        b[..middle].iter().for_each(|token| before.read(places.of_token(*token)));
        let reversed: Vec<u32> = a.iter().rev().copied().collect();
        let mut after = Row::new(a.len());
        let places = Places::of(&reversed);
        b[middle..].iter().rev().for_each(|token| after.read(places.of_token(*token)));
        let mut length = after.zeros();
        let (mut best, mut split) = (length, 0);
        for i in 0..a.len() {
            length += usize::from(before.is_longer(i));
            length -= usize::from(after.is_longer(a.len() - 1 - i));
            if length > best {
                (best, split) = (length, i + 1);
            }
        }
        split
    };
    halve(&a[..split], &b[..middle], at, rows, found);
    let at = (at.0 + split as u32, at.1 + middle as u32);
    halve(&a[split..], &b[middle..], at, rows, found);
}

/// How many tokens are the same at the beginning, and then at the end. They belong to a longest
/// common subsequence.
fn shared_ends(a: &[u32], b: &[u32]) -> (usize, usize) {
    let prefix = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[prefix..], &b[prefix..]);
    let suffix = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    (prefix, suffix)
}

/// One sequence against many. Tokens must be small: the tables have a place for each.
#[derive(Default)]
pub(super) struct Matcher {
    a: Vec<u32>,
    places: Places,
    row: Row,
    /// The rows after each token of the other sequence, one after the other.
    rows: Vec<u64>,
}

impl Matcher {
    /// The sequence that others are compared with from now on.
    pub(super) fn learn(&mut self, a: &[u32]) {
        self.a.clear();
        self.a.extend_from_slice(a);
        self.places.learn(a);
        self.row = Row::new(a.len());
    }

    /// Calls `each` with the matches, the last one first.
    pub(super) fn walk(&mut self, b: &[u32], mut each: impl FnMut(usize, usize)) {
        // Texts of different origin have mostly nothing to do with each other.
        if !b.iter().any(|token| !self.places.of_token(*token).is_empty()) {
            return;
        }
        self.row.clear();
        self.rows.clear();
        for token in b {
            self.row.read(self.places.of_token(*token));
            self.rows.extend_from_slice(&self.row.words);
        }
        let width = self.row.words.len();
        if width == 1 {
            self.walk_word(b, each);
            return;
        }
        let (mut i, mut j) = (self.a.len(), b.len());
        while i > 0 && j > 0 {
            let bit = i - 1;
            if self.a[bit] == b[j - 1] {
                (i, j) = (i - 1, j - 1);
                each(i, j);
            } else if self.rows[(j - 1) * width + bit / 64] >> (bit % 64) & 1 == 0 {
                j -= 1;
            } else {
                i -= 1;
            }
        }
    }

    /// The same way back where a row is one word, as for nearly all lines of texts: the steps through
    /// `a` that change nothing are taken at once.
    fn walk_word(&self, b: &[u32], mut each: impl FnMut(usize, usize)) {
        // The tokens of `a` that are still ahead.
        let mut ahead = u64::MAX;
        for (j, (token, row)) in b.iter().zip(&self.rows).enumerate().rev() {
            let places = self.places.of_token(*token).first().map_or(0, |(_, bits)| *bits);
            let stops = (places | !row) & ahead;
            if stops == 0 {
                return;
            }
            let i = 63 - stops.leading_zeros();
            ahead = u64::MAX >> (63 - i);
            if places >> i & 1 == 1 {
                each(i as usize, j);
                ahead >>= 1;
            }
        }
    }
}

/// Where each token stands in a sequence: the words of a row in which it does, and its bits there.
#[derive(Default)]
struct Places {
    /// For each token, its range of `words`.
    of: Vec<(u32, u32)>,
    words: Vec<(u32, u64)>,
    /// The tokens that have places, to be forgotten.
    known: Vec<u32>,
}

impl Places {
    fn of(a: &[u32]) -> Places {
        let mut places = Places::default();
        places.learn(a);
        places
    }

    /// Forgets the sequence and learns another one.
    fn learn(&mut self, a: &[u32]) {
        self.known.drain(..).for_each(|token| self.of[token as usize] = (0, 0));
        self.words.clear();
        let size = a.iter().max().map_or(0, |last| *last as usize + 1);
        self.of.resize(size.max(self.of.len()), (0, 0));
        let mut order: Vec<u32> = (0..a.len() as u32).collect();
        order.sort_unstable_by_key(|i| (a[*i as usize], *i));
        for same in order.chunk_by(|i, j| a[*i as usize] == a[*j as usize]) {
            let from = self.words.len();
            for i in same {
                let bit = 1 << (i % 64);
                match self.words[from..].last_mut() {
                    Some((word, bits)) if *word == i / 64 => *bits |= bit,
                    _ => self.words.push((i / 64, bit)),
                }
            }
            let token = a[same[0] as usize];
            self.of[token as usize] = (from as u32, self.words.len() as u32);
            self.known.push(token);
        }
    }

    fn of_token(&self, token: u32) -> &[(u32, u64)] {
        let (from, to) = self.of.get(token as usize).copied().unwrap_or_default();
        &self.words[from as usize..to as usize]
    }
}

/// The same sequences with small numbers for tokens, so that tables of tokens are no longer than they
/// have to be. Numbers of a [vocabulary](super::Vocabulary) are small already.
fn small<'a>(a: &'a [u32], b: &'a [u32]) -> (Cow<'a, [u32]>, Cow<'a, [u32]>) {
    let last = a.iter().chain(b).max().copied().unwrap_or(0) as usize;
    if last <= 4 * (a.len() + b.len()) + 1024 {
        return (a.into(), b.into());
    }
    let mut numbers = HashMap::new();
    let mut number = |token: &u32| {
        let next = numbers.len() as u32;
        *numbers.entry(*token).or_insert(next)
    };
    let a: Vec<u32> = a.iter().map(&mut number).collect();
    (a.into(), b.iter().map(number).collect::<Vec<u32>>().into())
}

/// One row of the table of lengths, as differences.
#[derive(Default)]
struct Row {
    words: Vec<u64>,
}

impl Row {
    fn new(size: usize) -> Row {
        Row { words: vec![u64::MAX; size.div_ceil(64)] }
    }

    fn clear(&mut self) {
        self.words.fill(u64::MAX);
    }

    /// The row after one more token, which has these places.
    fn read(&mut self, places: &[(u32, u64)]) {
        let mut carry = false;
        let mut next = 0;
        for (word, mask) in places {
            let word = *word as usize;
            carry = carry && self.carry(next, word);
            let v = self.words[word];
            let (sum, first) = v.overflowing_add(v & mask);
            let (sum, second) = sum.overflowing_add(u64::from(carry));
            self.words[word] = sum | (v & !mask);
            carry = first || second;
            next = word + 1;
        }
        if carry {
            self.carry(next, self.words.len());
        }
    }

    /// Adds 1 to the words from `from` to `to`, in none of which the token stands; does it go on?
    fn carry(&mut self, from: usize, to: usize) -> bool {
        for word in &mut self.words[from..to] {
            if *word != u64::MAX {
                *word |= *word + 1;
                return false;
            }
        }
        true
    }

    /// Does the sequence get longer with token `i` of `a`?
    fn is_longer(&self, i: usize) -> bool {
        self.words[i / 64] >> (i % 64) & 1 == 0
    }

    /// How long the sequence is. Bits beyond the end stay 1: no token has a place there, and a carry
    /// that arrives leaves ones as they are.
    fn zeros(&self) -> usize {
        self.words.iter().map(|word| word.count_zeros() as usize).sum()
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    /// The textbook's table, and the walk back that `rouge-score` takes.
    fn naive(a: &[u32], b: &[u32]) -> Vec<(u32, u32)> {
        let mut table = vec![vec![0; b.len() + 1]; a.len() + 1];
        for i in 1..=a.len() {
            for j in 1..=b.len() {
                table[i][j] = if a[i - 1] == b[j - 1] {
                    table[i - 1][j - 1] + 1
                } else {
                    table[i - 1][j].max(table[i][j - 1])
                };
            }
        }
        let (mut i, mut j, mut found) = (a.len(), b.len(), Vec::new());
        while i > 0 && j > 0 {
            if a[i - 1] == b[j - 1] {
                (i, j) = (i - 1, j - 1);
                found.push((i as u32, j as u32));
            } else if table[i][j - 1] > table[i - 1][j] {
                j -= 1;
            } else {
                i -= 1;
            }
        }
        found.reverse();
        assert_eq!(found.len(), table[a.len()][b.len()]);
        found
    }

    fn is_common(a: &[u32], b: &[u32], found: &[(u32, u32)]) -> bool {
        found.iter().all(|(i, j)| a[*i as usize] == b[*j as usize])
            && found.windows(2).all(|two| two[0].0 < two[1].0 && two[0].1 < two[1].1)
    }

    proptest! {
        #[test]
        fn as_the_table_says(
            // Rows of one word and of several.
            (a, b) in (1u32..40, 1usize..300).prop_flat_map(|(n, long)| {
                (vec(0..n, 0..long), vec(0..n, 0..300))
            })
        ) {
            let expected = naive(&a, &b);
            prop_assert_eq!(length(&a, &b), expected.len());
            prop_assert_eq!(&matches(&a, &b), &expected);
            // Large numbers for tokens change nothing.
            let large = |tokens: &[u32]| tokens.iter().map(|t| u32::MAX - t).collect::<Vec<u32>>();
            prop_assert_eq!(length(&large(&a), &large(&b)), expected.len());
            prop_assert_eq!(&matches(&large(&a), &large(&b)), &expected);
            for rows in [0, 10, 200] {
                let found = matches_within(&a, &b, rows);
                prop_assert_eq!(found.len(), expected.len());
                prop_assert!(is_common(&a, &b, &found));
            }
        }
    }

    #[test]
    fn ends() {
        assert_eq!(matches(&[], &[1]), []);
        assert_eq!(length(&[1], &[]), 0);
        assert_eq!(matches(&[1, 2, 3], &[1, 3]), [(0, 0), (2, 1)]);
        // Several are longest: the last place of a token counts only if it ends both.
        assert_eq!(matches(&[1, 1], &[1]), [(1, 0)]);
        assert_eq!(matches(&[1, 1], &[1, 2]), [(0, 0)]);
    }

    /// The size of a long book, few distinct tokens: what takes the algorithm longest.
    #[test]
    fn long_sequences() {
        let sequence = |seed: u64| -> Vec<u32> {
            let mut state = seed;
            let mut token = || {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                (state >> 40) as u32 % 50
            };
            (0..20_000).map(|_| token()).collect()
        };
        let (a, b) = (sequence(1), sequence(2));
        let found = matches_within(&a, &b, 1 << 16);
        assert_eq!(found.len(), length(&a, &b));
        assert!(is_common(&a, &b, &found));
    }
}
