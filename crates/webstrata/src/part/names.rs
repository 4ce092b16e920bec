//! What elements say of their text by their tags, class names, `id`s, roles and properties.

use crate::html::noted::NotedName;
use crate::html::tag::Tag;
use crate::tree::{NodeId, Tree};

/// A set of hints, one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Hints(u32);

impl Hints {
    pub(super) const NONE: Hints = Hints(0);
    pub(super) const BYLINE: Hints = Hints(1);
    pub(super) const DATE: Hints = Hints(1 << 1);
    /// Author, date and the like together: `entry-meta`.
    pub(super) const META: Hints = Hints(1 << 2);
    pub(super) const SUBTITLE: Hints = Hints(1 << 3);
    pub(super) const CAPTION: Hints = Hints(1 << 4);
    pub(super) const COMMENT: Hints = Hints(1 << 5);
    pub(super) const SIGNATURE: Hints = Hints(1 << 6);
    pub(super) const RELATED: Hints = Hints(1 << 7);
    /// A menu by its name only: restaurants have menus, too.
    pub(super) const MENU: Hints = Hints(1 << 8);
    /// A menu by its element or role.
    pub(super) const NAVIGATION: Hints = Hints(1 << 9);
    pub(super) const SHARE: Hints = Hints(1 << 10);
    pub(super) const NOTICE: Hints = Hints(1 << 11);
    /// The name or the sign of the site.
    pub(super) const LOGO: Hints = Hints(1 << 12);
    /// Below or beside the text.
    pub(super) const MARGIN: Hints = Hints(1 << 13);
    /// Something to fill in or to press.
    pub(super) const CONTROL: Hints = Hints(1 << 14);
    pub(super) const FIGURE: Hints = Hints(1 << 15);
    pub(super) const CODE: Hints = Hints(1 << 16);
    pub(super) const TABLE: Hints = Hints(1 << 17);
    pub(super) const QUOTE: Hints = Hints(1 << 18);
    pub(super) const LIST: Hints = Hints(1 << 19);
    pub(super) const PAGE_TITLE: Hints = Hints(1 << 20);
    /// A question about cookies, which has buttons.
    pub(super) const CONSENT: Hints = Hints(1 << 21);
    /// The way to the page through its site. Its last step is the page, and no link.
    pub(super) const BREADCRUMB: Hints = Hints(1 << 22);

    /// Hints that tags alone give, and that hold however large the element is.
    pub(super) const STRUCTURE: Hints =
        Hints(Hints::CODE.0 | Hints::TABLE.0 | Hints::QUOTE.0 | Hints::LIST.0);

    pub(super) const fn or(self, other: Hints) -> Hints {
        Hints(self.0 | other.0)
    }

    pub(super) const fn without(self, other: Hints) -> Hints {
        Hints(self.0 & !other.0)
    }

    pub(super) const fn only(self, other: Hints) -> Hints {
        Hints(self.0 & other.0)
    }

    /// Has the set any of these?
    pub(super) const fn has(self, any: Hints) -> bool {
        self.0 & any.0 != 0
    }
}

/// The hints of an element. `Hints::TABLE` of a `table` means only that it is one, not that it holds data.
pub(super) fn hints(tree: &Tree<'_>, node: NodeId, tag: Tag) -> Hints {
    let mut hints = of_tag(tag);
    if matches!(tag, Tag::Html | Tag::Body) {
        // Their classes tell of the page: `comments-open`, `has-sidebar`.
        return hints;
    }
    if let Some(noted) = tree.noted_attributes(node) {
        for attribute in noted {
            hints = hints.or(of_attribute(tag, attribute.name, tree.written(attribute).as_bytes()));
        }
        return hints;
    }
    for (name, value) in tree.written_attributes(node) {
        if let Some(name) = NotedName::of(name) {
            hints = hints.or(of_attribute(tag, name, value));
        }
    }
    hints
}

fn of_attribute(tag: Tag, name: NotedName, value: &[u8]) -> Hints {
    let of_all = |names: usize, of: fn(&[u8]) -> Hints| {
        let all = value.split(u8::is_ascii_whitespace).take(names);
        all.fold(Hints::NONE, |hints, name| hints.or(of(name)))
    };
    match name {
        NotedName::Class => of_all(MOST_NAMES, of_name),
        // Programs make the `id` of a chapter from its heading: `respond-to-review-comments`.
        NotedName::Id if names_itself(tag) && words(value).count() <= MOST_ID_WORDS => {
            of_name(value)
        }
        NotedName::Itemprop | NotedName::Property | NotedName::Rel => of_all(4, of_property),
        NotedName::Role => of_role(value),
        _ => Hints::NONE,
    }
}

/// Names of an element that are looked at.
const MOST_NAMES: usize = 16;
/// Words of an `id` that are looked at.
const MOST_ID_WORDS: usize = 3;
/// Longer words of names are no words.
const LONGEST: usize = 20;

/// Is the `id` of such an element the word of who designed the page, not of who wrote the text?
fn names_itself(tag: Tag) -> bool {
    matches!(tag, Tag::Div | Tag::Nav | Tag::Aside | Tag::Footer | Tag::Ul | Tag::Ol | Tag::Form)
}

fn of_tag(tag: Tag) -> Hints {
    match tag {
        Tag::Pre | Tag::Listing | Tag::Plaintext | Tag::Xmp => Hints::CODE,
        Tag::Table => Hints::TABLE,
        Tag::Blockquote => Hints::QUOTE,
        Tag::Li | Tag::Dt | Tag::Dd => Hints::LIST,
        Tag::Figcaption | Tag::Caption => Hints::CAPTION,
        Tag::Figure => Hints::FIGURE,
        Tag::Time => Hints::DATE,
        Tag::Nav => Hints::NAVIGATION,
        Tag::Footer | Tag::Aside => Hints::MARGIN,
        Tag::Button | Tag::Select | Tag::Label | Tag::Textarea | Tag::Input => Hints::CONTROL,
        _ => Hints::NONE,
    }
}

fn of_role(role: &[u8]) -> Hints {
    let is = |known: &str| role.trim_ascii().eq_ignore_ascii_case(known.as_bytes());
    if is("navigation") || is("menu") || is("menubar") {
        Hints::NAVIGATION
    } else if is("contentinfo") || is("complementary") {
        Hints::MARGIN
    } else if is("button") {
        Hints::CONTROL
    } else if is("doc-subtitle") {
        Hints::SUBTITLE
    } else {
        Hints::NONE
    }
}

fn of_property(name: &[u8]) -> Hints {
    let name = name.rsplit(|byte| *byte == b':').next().unwrap_or_default();
    let is = |known: &str| name.eq_ignore_ascii_case(known.as_bytes());
    if is("author") || is("creator") {
        Hints::BYLINE
    } else if is("datePublished") || is("dateModified") || is("dateCreated") {
        Hints::DATE
    } else if is("alternativeHeadline") {
        Hints::SUBTITLE
    } else if is("headline") {
        Hints::PAGE_TITLE
    } else if is("caption") {
        Hints::CAPTION
    } else if is("comment") {
        Hints::COMMENT
    } else {
        Hints::NONE
    }
}

/// The hints of one class name or `id`, by its words: `navBar-left2` is `nav`, `bar`, `left`.
fn of_name(name: &[u8]) -> Hints {
    let mut hints = Hints::NONE;
    let mut before: [u8; LONGEST] = [0; LONGEST];
    let mut before_length = 0;
    for (index, word) in words(name).enumerate() {
        let mut lower = [0; LONGEST];
        let word = word.trim_ascii_end();
        let Some(place) = lower.get_mut(..word.len()) else {
            before_length = 0;
            continue;
        };
        place.copy_from_slice(word);
        place.make_ascii_lowercase();
        let word = &lower[..word.len()];
        // Blogs name the tags and categories of a post, programs its state.
        if index == 0 && matches!(word, b"tag" | b"category" | b"has" | b"no" | b"is" | b"with") {
            return Hints::NONE;
        }
        let pair = of_pair(&before[..before_length], word);
        hints = hints.or(pair.unwrap_or_else(|| of_word(word)));
        if matches!((&before[..before_length], word), (b"credit", b"card" | b"cards")) {
            hints = hints.without(Hints::CAPTION);
        }
        before_length = word.len();
        before = lower;
    }
    hints
}

fn of_word(word: &[u8]) -> Hints {
    match word {
        b"byline" | b"bylines" | b"author" | b"authors" | b"autor" | b"autoren" | b"auteur"
        | b"writer" | b"contributor" | b"contributors" => Hints::BYLINE,
        b"date" | b"dateline" | b"datetime" | b"published" | b"pubdate" | b"timestamp"
        | b"time" | b"posted" | b"updated" | b"datum" | b"fecha" => Hints::DATE,
        b"meta" | b"metadata" | b"postmeta" => Hints::META,
        b"subtitle" | b"standfirst" | b"dek" | b"subhead" | b"subheadline" | b"subheading"
        | b"deck" | b"tagline" => Hints::SUBTITLE,
        b"caption" | b"captions" | b"figcaption" | b"cutline" | b"credit" | b"credits"
        | b"photocredit" | b"imagecredit" => Hints::CAPTION,
        b"comment" | b"comments" | b"commentlist" | b"disqus" | b"respond" | b"reply"
        | b"replies" => Hints::COMMENT,
        b"signature" | b"sig" => Hints::SIGNATURE,
        b"related" | b"recommended" | b"recommendation" | b"recommendations" | b"outbrain"
        | b"taboola" | b"trending" | b"readmore" => Hints::RELATED,
        b"nav" | b"navbar" | b"navigation" | b"menu" | b"menus" | b"submenu" | b"pagination"
        | b"pager" | b"paging" | b"toc" | b"toolbar" => Hints::MENU,
        b"breadcrumb" | b"breadcrumbs" | b"crumb" | b"crumbs" => Hints::MENU.or(Hints::BREADCRUMB),
        b"tags" | b"taglist" | b"categories" => Hints::MENU,
        b"share" | b"sharing" | b"social" | b"sharebar" | b"addthis" | b"sharedaddy" => {
            Hints::SHARE
        }
        b"consent" | b"gdpr" => Hints::NOTICE.or(Hints::CONSENT),
        b"newsletter" | b"subscribe" | b"signup" | b"cookie" | b"cookies" | b"copyright"
        | b"advert" | b"adverts" | b"advertisement" | b"advertising" | b"sponsored"
        | b"sponsor" => Hints::NOTICE,
        b"logo" | b"brand" | b"branding" | b"masthead" | b"sitename" => Hints::LOGO,
        b"footer" | b"sidebar" => Hints::MARGIN,
        b"headline" => Hints::PAGE_TITLE,
        _ => Hints::NONE,
    }
}

/// Two words of a name that mean something together.
fn of_pair(before: &[u8], word: &[u8]) -> Option<Hints> {
    Some(match (before, word) {
        (b"site", b"title" | b"name") => Hints::LOGO,
        (b"entry" | b"post" | b"article" | b"page" | b"story", b"title") => Hints::PAGE_TITLE,
        (b"sub", b"title" | b"headline" | b"heading" | b"head") => Hints::SUBTITLE,
        (b"more", b"from") | (b"read", b"next" | b"also") => Hints::RELATED,
        (b"most", b"read" | b"popular" | b"viewed") | (b"you", b"may" | b"might") => Hints::RELATED,
        (b"sign", b"up") => Hints::NOTICE,
        // Bakers have cookies, too, but no banners of them.
        (
            b"cookie" | b"cookies",
            b"banner" | b"bar" | b"notice" | b"popup" | b"law" | b"message",
        ) => Hints::NOTICE.or(Hints::CONSENT),
        _ => return None,
    })
}

/// The words of a name: between signs, and where a capital follows a small letter. Numbers at the end of
/// a word are not part of it.
fn words(name: &[u8]) -> impl Iterator<Item = &[u8]> {
    let is_sign = |byte: &u8| !byte.is_ascii_alphanumeric();
    let parts = name.split(is_sign).filter(|part| !part.is_empty());
    parts.flat_map(|part| {
        part.chunk_by(|a, b| !(a.is_ascii_lowercase() && b.is_ascii_uppercase())).map(|word| {
            let digits = word.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
            &word[..word.len() - digits]
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;

    fn hints_of(element: &str) -> Hints {
        let tree = Tree::parse(element.to_owned(), &Limits::default());
        let node = tree.nodes().last().expect("an element");
        hints(&tree, node, tree.tag(node).expect("an element"))
    }

    #[test]
    fn names_are_read_by_the_word() {
        assert_eq!(hints_of("<div class='entryMeta post-author2'>"), Hints::META.or(Hints::BYLINE));
        assert_eq!(hints_of("<div class='commentary navy update adventure'>"), Hints::NONE);
        assert_eq!(hints_of("<div class='tag-comments category-menu has-share'>"), Hints::NONE);
        assert_eq!(hints_of("<div class='site-title'>"), Hints::LOGO);
        assert_eq!(hints_of("<div class='entry-title'>"), Hints::PAGE_TITLE);
        assert_eq!(hints_of("<p class=credit-card>"), Hints::NONE);
        assert_eq!(hints_of("<p class=wp-caption-text>"), Hints::CAPTION);
        assert_eq!(hints_of("<p itemprop='datePublished'>"), Hints::DATE);
        assert_eq!(hints_of("<a rel='author nofollow'>"), Hints::BYLINE);
        assert_eq!(hints_of("<div role=navigation>"), Hints::NAVIGATION);
        assert_eq!(hints_of("<div id=related-posts>"), Hints::RELATED);
        assert_eq!(hints_of("<div id=how-to-reply-to-comments>"), Hints::NONE);
        assert_eq!(hints_of("<section id=cookies>"), Hints::NONE);
        assert_eq!(hints_of("<body class=comments-open>"), Hints::NONE);
    }
}
