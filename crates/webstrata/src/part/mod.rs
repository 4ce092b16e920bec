//! What a block of text is on its page: the title, a paragraph, a caption, a menu.

mod classify;
mod levels;
mod names;
#[cfg(test)]
mod page_tests;
mod related;
mod title;
mod wording;

pub(crate) use classify::{kept_parts, parts_of};

use serde::{Deserialize, Serialize};

/// What a block is. Every block of a page has one part, whether it was kept or dropped.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub enum Part {
    /// The title of the page, as it stands above the text.
    Title,
    /// A line below the title that says more, or a short summary.
    Subtitle,
    /// Who wrote the text.
    Byline,
    /// When the text was written or changed.
    Date,
    /// Running text.
    #[default]
    Body,
    /// A heading inside the text.
    Heading,
    /// What stands below a figure or a table.
    Caption,
    /// A cell of a table.
    Table,
    /// A line of code, or of other preformatted text.
    Code,
    /// A quotation.
    Quote,
    /// An item of a list.
    List,
    /// A post of a discussion: a forum, a question and its answers.
    Post,
    /// What readers wrote below the text.
    Comment,
    /// What stands below all posts of one author.
    Signature,
    /// Links and teasers to other pages.
    Related,
    /// Menus, breadcrumbs, pagination, buttons.
    Navigation,
    /// Notices of the site: cookies, copyright, subscriptions, advertisements.
    Notice,
    /// Anything else that is no main text.
    Other,
}

impl Part {
    /// All parts with their names, in a fixed order.
    pub const ALL: [(Part, &'static str); 18] = [
        (Part::Title, "title"),
        (Part::Subtitle, "subtitle"),
        (Part::Byline, "byline"),
        (Part::Date, "date"),
        (Part::Body, "body"),
        (Part::Heading, "heading"),
        (Part::Caption, "caption"),
        (Part::Table, "table"),
        (Part::Code, "code"),
        (Part::Quote, "quote"),
        (Part::List, "list"),
        (Part::Post, "post"),
        (Part::Comment, "comment"),
        (Part::Signature, "signature"),
        (Part::Related, "related"),
        (Part::Navigation, "navigation"),
        (Part::Notice, "notice"),
        (Part::Other, "other"),
    ];

    /// The names alone, in the same order.
    pub const NAMES: [&'static str; 18] = {
        let mut names = [""; 18];
        let mut i = 0;
        while i < 18 {
            names[i] = Part::ALL[i].1;
            i += 1;
        }
        names
    };

    /// The part's name.
    pub fn name(self) -> &'static str {
        Part::NAMES[self as usize]
    }

    /// The part of this name, also where it is written as a plural: `comments`.
    pub fn named(name: &str) -> Option<Part> {
        let one = |name: &str| Part::ALL.iter().find(|(_, known)| *known == name);
        one(name).or_else(|| one(name.strip_suffix('s')?)).map(|(part, _)| *part)
    }
}

/// A set of [`Part`]s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Parts(u32);

impl Parts {
    /// No part.
    pub const NONE: Parts = Parts(0);

    /// Is the part in the set?
    pub fn has(self, part: Part) -> bool {
        self.0 & (1 << part as u32) != 0
    }

    /// Adds a part.
    pub fn add(&mut self, part: Part) {
        self.0 |= 1 << part as u32;
    }

    /// Is the set empty?
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl FromIterator<Part> for Parts {
    fn from_iter<I: IntoIterator<Item = Part>>(parts: I) -> Parts {
        let mut set = Parts::NONE;
        parts.into_iter().for_each(|part| set.add(part));
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for (index, (part, name)) in Part::ALL.into_iter().enumerate() {
            assert_eq!((part as usize, Part::named(name)), (index, Some(part)));
        }
        assert_eq!(Part::named("comments"), Some(Part::Comment));
        assert_eq!(Part::named("captain"), None);
        let set: Parts = [Part::Byline, Part::Date].into_iter().collect();
        assert!(set.has(Part::Date) && !set.has(Part::Title));
    }
}
