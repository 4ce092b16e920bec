//! See [`PageTypes`].

use webstrata::PageType;

use super::{Candidate, Filter, Verdict};

filter! {
    /// Keeps pages of some types, such as `article`; the extractor tells the type. Pages without a type stay.
    PageTypes = "page-type" {
        /// The types that stay.
        keep: Vec<String> = vec!["article".into(), "documentation".into(), "forum".into()],
    }
}

impl PageTypes {
    fn check(&self) -> Result<(), String> {
        let names = PageType::ALL.map(|(_, name)| name);
        match self.keep.iter().find(|name| !names.contains(&name.as_str())) {
            Some(wrong) => Err(format!("no page type `{wrong}`; there are {}", names.join(", "))),
            None => Ok(()),
        }
    }
}

impl Filter for PageTypes {
    fn judge(&self, page: &mut Candidate) -> Verdict {
        match page.record().record.page_type {
            Some(kind) if !self.keep.iter().any(|keep| keep == kind.name()) => Verdict::Drop("other-type"),
            _ => Verdict::Keep,
        }
    }
}
