//! What a page is for.

use serde::{Deserialize, Serialize};

/// What kind of page it is, by what its main text is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub enum PageType {
    /// One text with a beginning and an end: news, blog posts, encyclopedias.
    Article,
    /// What people write to each other: threads, questions and answers.
    Forum,
    /// Something to buy, and what there is to know about it.
    Product,
    /// Many things of a kind, each with a few words: results, offers, tables of entries.
    Listing,
    /// Teasers of a site's own pages: home pages, sections, archives.
    Collection,
    /// How something works or is used: manuals, references, help.
    Documentation,
    /// What a company or institution offers.
    Service,
}

impl PageType {
    /// All types with their names, in a fixed order.
    pub const ALL: [(PageType, &'static str); 7] = [
        (PageType::Article, "article"),
        (PageType::Forum, "forum"),
        (PageType::Product, "product"),
        (PageType::Listing, "listing"),
        (PageType::Collection, "collection"),
        (PageType::Documentation, "documentation"),
        (PageType::Service, "service"),
    ];

    /// The type's name.
    pub fn name(self) -> &'static str {
        PageType::ALL[self as usize].1
    }

    /// The type of this name.
    pub fn named(name: &str) -> Option<PageType> {
        PageType::ALL.iter().find(|(_, known)| *known == name).map(|(kind, _)| *kind)
    }
}
