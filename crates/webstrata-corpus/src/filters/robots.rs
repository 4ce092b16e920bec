//! See [`Robots`].

use super::{Candidate, Filter, Verdict};

filter! {
    /// Drops pages whose `<meta name=robots>` forbids a use: `noindex`, or the marks `noai` and `noimageai` by which
    /// sites keep their pages from training. Records that were extracted before have no such marks and stay.
    Robots = "robots" {
        /// The words that drop a page.
        drop: Vec<String> = ["noai", "noindex", "none"].map(String::from).to_vec(),
    }
}

impl Robots {
    fn check(&self) -> Result<(), String> {
        Ok(())
    }
}

impl Filter for Robots {
    fn judge(&self, page: &mut Candidate) -> Verdict {
        let forbids = |word: &String| self.drop.iter().any(|drop| drop.eq_ignore_ascii_case(word));
        match page.marks().robots.iter().find(|word| forbids(word)).map(String::as_str) {
            Some("noai" | "noimageai") => Verdict::Drop("noai"),
            Some(_) => Verdict::Drop("robots"),
            None => Verdict::Keep,
        }
    }
}
