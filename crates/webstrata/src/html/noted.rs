//! Where a page has the attributes that are asked for again and again: noted while the page is read, so that nobody has
//! to go over start tags once more.

use super::tokenizer::AttributeSpan;

/// Names of attributes that are noted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum NotedName {
    Id,
    Alt,
    Rel,
    Href,
    Lang,
    Name,
    Role,
    Type,
    Class,
    Title,
    Typeof,
    Content,
    Datetime,
    Itemprop,
    Itemtype,
    Property,
    HttpEquiv,
    DataTestid,
    DataAuthor,
    DataUsername,
}

/// A name of up to eight letters as a number, small and capital ones alike.
const fn key(name: &[u8]) -> u64 {
    let mut key = 0;
    let mut at = 0;
    while at < name.len() {
        key |= ((name[at] | 0x20) as u64) << (8 * at);
        at += 1;
    }
    key
}

impl NotedName {
    /// The name at these bytes of the page.
    #[inline]
    fn at(input: &[u8], (start, end): (usize, usize)) -> Option<NotedName> {
        let length = end - start;
        if length > 8 {
            return NotedName::long(&input[start..end]);
        }
        // No byte but a small and a capital letter becomes a small letter. Mostly eight bytes can be read at once.
        let key = match input[start..].first_chunk::<8>() {
            Some(eight) if length > 0 => {
                (u64::from_le_bytes(*eight) | 0x2020_2020_2020_2020) & u64::MAX >> (64 - 8 * length)
            }
            _ => key(&input[start..end]),
        };
        NotedName::of_key(key)
    }

    #[inline]
    const fn of_key(key: u64) -> Option<NotedName> {
        macro_rules! one_of {
            ($($name:ident: $written:literal)*) => {
                match key {
                    $(_ if key == const { self::key($written) } => Some(NotedName::$name),)*
                    _ => None,
                }
            };
        }
        one_of! {
            Id: b"id" Alt: b"alt" Rel: b"rel" Href: b"href" Lang: b"lang" Name: b"name" Role: b"role" Type: b"type"
            Class: b"class" Title: b"title" Typeof: b"typeof" Content: b"content" Datetime: b"datetime"
            Itemprop: b"itemprop" Itemtype: b"itemtype" Property: b"property"
        }
    }

    fn long(name: &[u8]) -> Option<NotedName> {
        let is = |known: &str| name.eq_ignore_ascii_case(known.as_bytes());
        match name.len() {
            10 if is("http-equiv") => Some(NotedName::HttpEquiv),
            11 if is("data-testid") => Some(NotedName::DataTestid),
            11 if is("data-author") => Some(NotedName::DataAuthor),
            13 if is("data-username") => Some(NotedName::DataUsername),
            _ => None,
        }
    }

    /// The name that is written so.
    #[inline]
    pub(crate) fn of(name: &[u8]) -> Option<NotedName> {
        NotedName::at(name, (0, name.len()))
    }
}

/// An attribute that was noted: its name, and the span of its value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NotedAttribute {
    pub(crate) name: NotedName,
    pub(crate) start: u32,
    pub(crate) end: u32,
}

/// All of a page that were noted, in page order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Noted {
    all: Vec<NotedAttribute>,
    /// There is room for no more of them.
    most: usize,
    /// The first attribute that there was no room for.
    end: Option<u32>,
}

impl Noted {
    /// Room for so many attributes.
    pub(crate) fn with_room(most: usize) -> Noted {
        Noted { all: Vec::new(), most, end: None }
    }

    /// Bytes that they take.
    pub(crate) fn held(&self) -> usize {
        self.all.len() * size_of::<NotedAttribute>()
    }

    #[inline]
    pub(super) fn add(&mut self, input: &[u8], attribute: AttributeSpan) {
        let Some(name) = NotedName::at(input, attribute.name) else { return };
        let (start, end) = (attribute.value.0 as u32, attribute.value.1 as u32);
        if self.all.len() < self.most {
            self.all.push(NotedAttribute { name, start, end });
        } else if self.end.is_none() {
            self.end = Some(start);
        }
    }

    /// Those of the start tag with this span; `None` where they were not noted.
    #[inline]
    pub(crate) fn of_tag(&self, start: u32, end: u32) -> Option<&[NotedAttribute]> {
        if self.end.is_some_and(|first| first <= end) || self.most == 0 {
            return None;
        }
        let from = self.all.partition_point(|known| known.start < start);
        let own = &self.all[from..];
        // A value may end where the tag does.
        let count = own.iter().position(|known| known.start > end).unwrap_or(own.len());
        Some(&own[..count])
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Limits, Tree};

    #[test]
    fn names_are_told_by_their_letters() {
        for (written, name) in [
            ("id", NotedName::Id),
            ("ID", NotedName::Id),
            ("Class", NotedName::Class),
            ("itemProp", NotedName::Itemprop),
            ("http-equiv", NotedName::HttpEquiv),
            ("data-testid", NotedName::DataTestid),
        ] {
            assert_eq!(NotedName::of(written.as_bytes()), Some(name), "{written}");
        }
        for other in
            ["", "i", "idx", "clas", "classes", "id\0", "datetimes", "date-time", "data-testids"]
        {
            assert_eq!(NotedName::of(other.as_bytes()), None, "{other}");
        }
    }

    proptest! {
        /// The slow way: the attributes of each start tag, one by one.
        #[test]
        fn what_is_noted_is_what_is_there(
            page in prop::collection::vec(
                prop::sample::select(vec![
                    "<p", "<a ", "<html ", "<body ", "<table><b", "</b", "<svg", " class=", " ID=", "'x'", "\"y z\"", " href=/q", " href",
                    " rel=a&amp;b", " data-x=1", " title='<p class=no>'", "/", ">", ">text", " ", "\n", "=", "<script ", "</script>", "<!--", "-->",
                ]),
                0..60,
            ),
            memory in prop::sample::select(vec![Limits::default().memory, 60_000]),
        ) {
            let page = page.concat();
            let tree = Tree::parse(page.as_str(), &Limits { memory, ..Limits::default() });
            for node in tree.nodes() {
                let slow = |name: &str| {
                    let mut all = tree.attributes(node);
                    all.find(|own| own.name.eq_ignore_ascii_case(name)).map(|own| own.value)
                };
                for name in ["class", "id", "href", "rel", "title"] {
                    prop_assert_eq!(tree.attribute(node, name), slow(name), "{} of {} in {}", name, node, &page);
                }
            }
        }
    }
}
