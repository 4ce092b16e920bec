//! See [`Words`].

use super::{Candidate, Filter, Verdict};

filter! {
    /// Drops pages whose main text has too few or too many words, as the product counts words.
    Words = "words" {
        /// The fewest words.
        min: u32 = 1,
        /// The most words.
        max: u32 = u32::MAX,
    }
}

impl Words {
    fn check(&self) -> Result<(), String> {
        (self.min <= self.max).then_some(()).ok_or_else(|| format!("min {} is more than max {}", self.min, self.max))
    }
}

impl Filter for Words {
    fn judge(&self, page: &mut Candidate) -> Verdict {
        match page.record().record.words {
            words if words < self.min => Verdict::Drop("too-few"),
            words if words > self.max => Verdict::Drop("too-many"),
            _ => Verdict::Keep,
        }
    }
}
