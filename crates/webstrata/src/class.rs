//! What a text is for.

use serde::{Deserialize, Serialize};

/// What a block of text is for: the classes that annotators tell apart and models may name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub enum Class {
    /// Not content: menus, teasers, advertisements, footers.
    Boilerplate,
    /// The main text. Where classes are not told apart any further, content of any kind.
    Content,
    /// A headline of the main text.
    Headline,
    /// Part of the main text, but not running text: captions, for example.
    Supplemental,
    /// Links and teasers to other texts on the same matter.
    Related,
    /// What readers wrote below.
    Comments,
}

impl Class {
    /// All classes with their names, in a fixed order.
    pub const ALL: [(Class, &'static str); 6] = [
        (Class::Boilerplate, "boilerplate"),
        (Class::Content, "content"),
        (Class::Headline, "headline"),
        (Class::Supplemental, "supplemental"),
        (Class::Related, "related"),
        (Class::Comments, "comments"),
    ];

    /// The class's name.
    pub fn name(self) -> &'static str {
        Class::ALL[self as usize].1
    }

    /// The class of this name.
    pub fn named(name: &str) -> Option<Class> {
        Class::ALL.iter().find(|(_, known)| *known == name).map(|(class, _)| *class)
    }
}
