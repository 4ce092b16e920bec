//! See [`Licence`].

use super::{Candidate, Filter, Verdict};

filter! {
    /// Keeps pages under a Creative Commons licence: by a link with `rel=license`, or by the page's metadata. Only the
    /// kinds that are named stay.
    Licence = "licence" {
        /// The kinds that stay, as their addresses write them; `zero` and `mark` are the public domain.
        keep: Vec<String> = KINDS.map(String::from).to_vec(),
    }
}

/// All kinds of Creative Commons.
const KINDS: [&str; 8] = ["by", "by-sa", "by-nd", "by-nc", "by-nc-sa", "by-nc-nd", "zero", "mark"];

impl Licence {
    fn check(&self) -> Result<(), String> {
        match self.keep.iter().find(|kind| !KINDS.contains(&kind.as_str())) {
            Some(wrong) => Err(format!("no kind `{wrong}`; there are {}", KINDS.join(", "))),
            None => Ok(()),
        }
    }
}

impl Filter for Licence {
    fn judge(&self, page: &mut Candidate) -> Verdict {
        let mut kinds = page.marks().licences.iter().filter_map(|address| kind(address)).peekable();
        if kinds.peek().is_none() {
            return Verdict::Drop("none");
        }
        match kinds.any(|kind| self.keep.iter().any(|keep| keep == kind)) {
            true => Verdict::Keep,
            false => Verdict::Drop("other-kind"),
        }
    }
}

/// The kind of a licence of Creative Commons, by its address.
fn kind(address: &str) -> Option<&'static str> {
    let lower = address.to_ascii_lowercase();
    let (_, rest) = lower.split_once("creativecommons.org/")?;
    let mut parts = rest.split('/');
    let (place, kind) = (parts.next()?, parts.next()?);
    let is_right = matches!((place, kind), ("publicdomain", "zero" | "mark")) || place == "licenses";
    KINDS.into_iter().find(|known| is_right && *known == kind)
}

#[cfg(test)]
mod unit {
    use super::kind;

    #[test]
    fn kinds() {
        assert_eq!(kind("https://creativecommons.org/licenses/by-sa/4.0/deed.de"), Some("by-sa"));
        assert_eq!(kind("http://CreativeCommons.org/publicdomain/zero/1.0"), Some("zero"));
        assert_eq!(kind("https://creativecommons.org/about/"), None);
        assert_eq!(kind("https://example.org/by/4.0"), None);
    }
}
