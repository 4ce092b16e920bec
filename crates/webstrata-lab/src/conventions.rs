//! What the gold texts of a set have beside the main text.
//!
//! Whether title, author, date and captions belong to the text of a page is no matter of boilerplate: whoever made a set
//! decided it once for all of its pages. So a set is scored by its own convention as well as by ours.

use Part::{Byline, Caption, Comment, Date, Title};
use webstrata::{Part, Parts};

/// The convention of a set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Convention {
    /// Parts that its gold texts have, and our texts leave out by default.
    pub include: Parts,
    /// Parts that its gold texts leave out, and our texts have by default.
    pub exclude: Parts,
}

/// By the share of pages whose gold text has the part: about half of them or more, to include it. Captions are excluded
/// where few gold texts have them.
const CONVENTIONS: [(&str, &[Part], &[Part]); 17] = [
    ("andy-articles", &[], &[Caption]),
    ("autopager", &[Title], &[]),
    ("canola", &[Comment], &[Caption]),
    ("cleaneval", &[Title, Byline, Date, Comment], &[]),
    ("cleaneval-dev", &[Title, Byline, Date, Comment], &[]),
    ("daniel", &[Title], &[Caption]),
    ("dragnet", &[Title, Byline, Date], &[]),
    ("forum-mirrors", &[Title], &[]),
    ("fundus", &[], &[Caption]),
    ("googletrends-2017", &[Title, Byline, Date], &[]),
    ("l3s-gn1", &[Title, Byline, Date], &[]),
    ("mercury", &[], &[]),
    ("newspaper", &[], &[Caption]),
    ("wcxb-dev", &[], &[Caption]),
    ("zh-handmade", &[], &[Caption]),
    ("zh-news10", &[], &[Caption]),
    ("zyte-products", &[Title], &[Caption]),
];

impl Convention {
    /// The convention of the set of this name, if it is known.
    pub fn of_set(name: &str) -> Option<Convention> {
        let (_, include, exclude) = CONVENTIONS.iter().find(|(set, ..)| *set == name)?;
        let parts = |parts: &[Part]| parts.iter().copied().collect();
        Some(Convention { include: parts(include), exclude: parts(exclude) })
    }

    /// The names of all sets whose convention is known.
    pub fn names() -> impl Iterator<Item = &'static str> {
        CONVENTIONS.iter().map(|(set, ..)| *set)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conventions_are_found_by_the_name_of_the_set() {
        let names: Vec<_> = Convention::names().collect();
        assert!(names.is_sorted());
        for name in names {
            let Convention { include, exclude } = Convention::of_set(name).expect("it is listed");
            for (part, _) in Part::ALL {
                assert!(!(include.has(part) && exclude.has(part)), "{name}: {part:?}");
            }
        }
        let news = Convention::of_set("l3s-gn1").expect("it is listed");
        assert!(news.include.has(Byline) && !news.include.has(Caption));
        assert_eq!(Convention::of_set("unknown"), None);
    }
}
