//! Words that tell what a text is for: those of `class` and `id` attributes, and those of short
//! texts ("Share", "Read more"), as hashes.

/// The hash of a token.
pub type Token = u32;

/// Kinds of tokens; equal words of different kinds are different tokens.
pub(super) const NAME: u8 = 1;
pub(super) const ROLE: u8 = 2;
pub(super) const WORD: u8 = 3;
pub(super) const SIGN: u8 = 4;

/// FNV-1a: short, and the same everywhere for ever, as a model file needs.
pub(super) fn hash(kind: u8, bytes: &[u8]) -> Token {
    bytes.iter().fold(step(OFFSET, kind), |hash, byte| step(hash, *byte))
}

const OFFSET: u32 = 0x811c_9dc5;

#[inline]
fn step(hash: u32, byte: u8) -> u32 {
    (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
}

/// ASCII letters in lowercase and digits as they are; 0 for all other bytes.
static LOWER: [u8; 256] = {
    let mut lower = [0; 256];
    let mut byte = 0;
    while byte < 128 {
        if (byte as u8).is_ascii_alphanumeric() {
            lower[byte] = (byte as u8).to_ascii_lowercase();
        }
        byte += 1;
    }
    lower
};

/// The words of an attribute's value, in lowercase: `navBar-left2` is `nav`, `bar`, `left`. Only
/// ASCII letters count; numbers are made by programs.
pub(super) fn of_name(kind: u8, value: &str) -> impl Iterator<Item = Token> {
    let mut rest = value.as_bytes().iter();
    std::iter::from_fn(move || {
        let is_letter = |byte: &u8| LOWER[usize::from(*byte)] > b'9';
        let mut last = *rest.find(|byte| is_letter(byte))?;
        let mut hash = step(OFFSET, kind);
        loop {
            let lower = LOWER[usize::from(last)];
            hash = step(hash, lower);
            let Some(next) = rest.as_slice().first().filter(|byte| is_letter(byte)) else { break };
            if last == lower && next.is_ascii_uppercase() {
                break;
            }
            last = *next;
            rest.next();
        }
        Some(hash)
    })
}

/// The words of a text, in lowercase. Scripts that write no spaces give a word for each character.
pub(super) fn of_text(kind: u8, text: &str) -> impl Iterator<Item = Token> + '_ {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            let mut hash = step(OFFSET, kind);
            let mut length = 0;
            let bytes = rest.as_bytes();
            while length < bytes.len() {
                let byte = bytes[length];
                if byte < 128 {
                    let lower = LOWER[usize::from(byte)];
                    if lower == 0 {
                        break;
                    }
                    hash = step(hash, lower);
                    length += 1;
                    continue;
                }
                let Some(character) = rest[length..].chars().next() else { break };
                let alone = crate::words::is_unspaced(character);
                if !character.is_alphanumeric() || (alone && length > 0) {
                    break;
                }
                length += character.len_utf8();
                for lower in character.to_lowercase() {
                    let mut buffer = [0; 4];
                    let bytes = lower.encode_utf8(&mut buffer).as_bytes();
                    hash = bytes.iter().fold(hash, |hash, byte| step(hash, *byte));
                }
                if alone {
                    break;
                }
            }
            if length > 0 {
                rest = &rest[length..];
                return Some(hash);
            }
            let mut chars = rest.chars();
            chars.next()?;
            rest = chars.as_str();
        }
    })
}

/// A set of tokens.
pub(super) struct TokenSet(Vec<Token>);

impl TokenSet {
    pub(super) fn of(tokens: impl Iterator<Item = Token>) -> TokenSet {
        let mut tokens: Vec<_> = tokens.collect();
        tokens.sort_unstable();
        tokens.dedup();
        TokenSet(tokens)
    }

    pub(super) fn has(&self, token: Token) -> bool {
        self.0.binary_search(&token).is_ok()
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}

/// For each token, how much it speaks for content: the logarithm of its odds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Vocabulary {
    /// A table with free places, probed one after the other; 0 is free.
    slots: Vec<(Token, f32)>,
    len: usize,
}

impl Vocabulary {
    /// The vocabulary of these odds. Of a token that is given twice, the first counts.
    pub fn new(odds: impl IntoIterator<Item = (Token, f32)>) -> Vocabulary {
        let odds: Vec<_> = odds.into_iter().filter(|(token, _)| *token != 0).collect();
        let slots = vec![(0, 0.0); (2 * odds.len()).next_power_of_two().max(2)];
        let mut vocabulary = Vocabulary { slots, len: 0 };
        for (token, value) in odds {
            let slot = vocabulary.slot(token);
            if vocabulary.slots[slot].0 == 0 {
                vocabulary.slots[slot] = (token, value);
                vocabulary.len += 1;
            }
        }
        vocabulary
    }

    /// How many tokens it has.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Has it none?
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Its tokens and their odds, by token.
    pub fn entries(&self) -> Vec<(Token, f32)> {
        let mut entries: Vec<_> = self.slots.iter().copied().filter(|(t, _)| *t != 0).collect();
        entries.sort_unstable_by_key(|(token, _)| *token);
        entries
    }

    /// The odds of a token, if it is known.
    #[inline]
    pub(super) fn odds(&self, token: Token) -> Option<f32> {
        let (known, odds) = self.slots.get(self.slot(token)).copied()?;
        (known == token && token != 0).then_some(odds)
    }

    fn slot(&self, token: Token) -> usize {
        let mask = self.slots.len().wrapping_sub(1);
        let mut slot = (token.wrapping_mul(0x9e37_79b1) >> 7) as usize & mask;
        while self.slots.get(slot).is_some_and(|(known, _)| *known != 0 && *known != token) {
            slot = (slot + 1) & mask;
        }
        slot
    }
}

/// What the tokens of a block say together.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Odds {
    count: u32,
    sum: f32,
    least: f32,
    greatest: f32,
}

impl Odds {
    /// What a vocabulary says of some tokens.
    pub(super) fn of(vocabulary: &Vocabulary, tokens: &[Token]) -> Odds {
        let mut odds = Odds::default();
        for own in tokens.iter().filter_map(|token| vocabulary.odds(*token)) {
            odds.join(Odds { count: 1, sum: own, least: own, greatest: own });
        }
        odds
    }

    /// Adds what other tokens say.
    pub(super) fn join(&mut self, other: Odds) {
        if self.count == 0 {
            *self = other;
        } else if other.count > 0 {
            self.least = self.least.min(other.least);
            self.greatest = self.greatest.max(other.greatest);
            self.sum += other.sum;
            self.count += other.count;
        }
    }

    /// Mean, least, greatest and sum; 0 where no token is known.
    pub(super) fn summary(&self) -> [f32; 4] {
        let mean = self.sum / self.count.max(1) as f32;
        [mean, self.least, self.greatest, self.sum]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fall_into_words() {
        let tokens: Vec<_> = of_name(NAME, "navBar-left2 x").collect();
        let expected = ["nav", "bar", "left", "x"].map(|word| hash(NAME, word.as_bytes()));
        assert_eq!(tokens, expected);
        assert_eq!(of_name(NAME, "12 _ é").count(), 0);
    }

    #[test]
    fn texts_fall_into_words() {
        let tokens: Vec<_> = of_text(WORD, "Lies MEHR über 你好!").collect();
        let expected = ["lies", "mehr", "über", "你", "好"].map(|word| hash(WORD, word.as_bytes()));
        assert_eq!(tokens, expected);
    }

    #[test]
    fn a_vocabulary_knows_what_it_was_given() {
        let odds: Vec<_> = (1..1000u32).map(|token| (token * 7919, token as f32)).collect();
        let vocabulary = Vocabulary::new(odds.clone());
        assert_eq!(vocabulary.len(), 999);
        for (token, value) in &odds {
            assert_eq!(vocabulary.odds(*token), Some(*value));
        }
        assert_eq!((vocabulary.odds(1), vocabulary.odds(0)), (None, None));
        assert_eq!(Vocabulary::default().odds(5), None);
        let mut sorted = odds;
        sorted.sort_by_key(|(token, _)| *token);
        assert_eq!(vocabulary.entries(), sorted);
    }
}
