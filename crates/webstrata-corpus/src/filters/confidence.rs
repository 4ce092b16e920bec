//! See [`Confidence`].

use super::{Candidate, Filter, Verdict, check_share};

filter! {
    /// Drops pages whose main text the extractor is not sure of: `confidence` is the probability that at least nine
    /// tenths of the text are right. Pages without a confidence stay.
    Confidence = "confidence" {
        /// The least confidence.
        min: f64 = 0.5,
    }
}

impl Confidence {
    fn check(&self) -> Result<(), String> {
        check_share("min", self.min)
    }
}

impl Filter for Confidence {
    fn judge(&self, page: &mut Candidate) -> Verdict {
        match page.record().record.confidence {
            Some(confidence) if f64::from(confidence) < self.min => Verdict::Drop("too-low"),
            _ => Verdict::Keep,
        }
    }
}
