//! How a page's text is cut into blocks: tables of tag → action, as data.

use serde::{Deserialize, Serialize};

use crate::html::tag::Tag;
use crate::words::WordRule;

/// Which table cuts the page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Cutting {
    /// Every tag but `a` separates (WSDM paper, section 4.1; thesis, section 4.2.1). Words are what
    /// stands between spaces (section 3.3). The options of forms and what stands in for scripts and
    /// plug-ins are no text, as in boilerpipe: only so are the paper's numbers met (`webstrata lab`,
    /// below Table 1).
    Atomic,
    /// The inline tags of boilerpipe 1.2.0 do not separate; words are split as that program splits
    /// them.
    #[default]
    Boilerpipe,
    /// The removal and pruning lists of Figure 2 of Ziegler & Skubacz. `cite`, `samp` and `frameset`
    /// are in two of its columns; here they are removed and their text stays. Elements are removed
    /// before there is a tree, so that texts grow together, but pruned from the tree (section 3.1):
    /// what stands before and after a pruned element, or a comment, are two text nodes and so two
    /// blocks. Otherwise a page that is laid out with `div`, which is removed, is one block only.
    Ziegler,
    /// Inline tags do not separate (URL Tree paper, section 2, which names `em`, `strong`, `i`,
    /// `font`, `a`; the rest of the list is HTML's phrasing elements).
    Stream,
    /// As `stream`, but the options of forms are no text. The blocks come with the features that the
    /// learned extractor, `strata`, looks at.
    Strata,
    /// No text of the body: a block for each text in the page's data, such as JSON-LD.
    Embedded,
}

/// What a tag does to the text around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// The text before and after it are different blocks.
    Separate,
    /// Nothing: the text goes on.
    Inline,
    /// The text goes on after a space.
    InlineSpace,
    /// A link: the text goes on, and what is inside counts as linked.
    Anchor,
    /// The element and all inside is skipped, and separates.
    Ignore,
}

impl Cutting {
    /// All tables with their names.
    pub const ALL: [(Cutting, &'static str); 6] = [
        (Cutting::Atomic, "atomic"),
        (Cutting::Boilerpipe, "boilerpipe"),
        (Cutting::Ziegler, "ziegler"),
        (Cutting::Stream, "stream"),
        (Cutting::Strata, "strata"),
        (Cutting::Embedded, "embedded"),
    ];

    /// What this table says of a tag.
    #[inline]
    pub(crate) fn action(self, tag: Tag) -> Action {
        TABLES[self as usize][tag as usize]
    }

    /// Are the elements that are removed from a block counted, as `keep-signal` needs it?
    pub(crate) fn records_markup(self) -> bool {
        self == Cutting::Ziegler
    }

    /// Does a comment separate the text before it from the text behind it?
    pub(crate) fn comments_separate(self) -> bool {
        self == Cutting::Ziegler
    }

    /// How text falls into words.
    pub(crate) fn word_rule(self) -> WordRule {
        match self {
            Cutting::Atomic => WordRule::Spaces,
            _ => WordRule::Boundaries,
        }
    }
}

type Table = [Action; Tag::COUNT];

static TABLES: [Table; 6] = [
    table(&[
        (Action::Ignore, NEVER_TEXT),
        (Action::Ignore, BOILERPIPE_IGNORED),
        (Action::Anchor, &[Tag::A]),
    ]),
    table(&[
        (Action::Ignore, NEVER_TEXT),
        (Action::Separate, BOILERPIPE_SHOWN),
        (Action::Ignore, BOILERPIPE_IGNORED),
        (Action::Inline, BOILERPIPE_INLINE),
        (Action::InlineSpace, &[Tag::Abbr, Tag::Acronym]),
        (Action::Anchor, &[Tag::A]),
    ]),
    table(&[
        (Action::Ignore, NEVER_TEXT),
        (Action::Ignore, ZIEGLER_PRUNED),
        (Action::InlineSpace, ZIEGLER_SPACE),
        (Action::Inline, ZIEGLER_INLINE),
        (Action::Anchor, &[Tag::A]),
    ]),
    table(&[
        (Action::Ignore, NEVER_TEXT),
        (Action::Inline, STREAM_INLINE),
        (Action::Anchor, &[Tag::A]),
    ]),
    table(&[
        (Action::Ignore, NEVER_TEXT),
        (Action::Ignore, &[Tag::Option]),
        (Action::Inline, STREAM_INLINE),
        (Action::Anchor, &[Tag::A]),
    ]),
    table(&[]),
];

/// What is inside these is not text of the page for anybody: code, markup that was not parsed, the
/// captions of drawings.
const NEVER_TEXT: &[Tag] = &[
    Tag::Script,
    Tag::Style,
    Tag::Iframe,
    Tag::Noembed,
    Tag::Noframes,
    Tag::Title,
    Tag::SvgScript,
    Tag::SvgStyle,
    Tag::SvgTitle,
];

/// What no browser shows inside these, boilerpipe takes for text, markup and all. It counts as hidden
/// text, so it becomes a block only where somebody asks for that.
const BOILERPIPE_SHOWN: &[Tag] = &[Tag::Iframe, Tag::Noframes, Tag::Title];

const BOILERPIPE_IGNORED: &[Tag] =
    &[Tag::Option, Tag::Object, Tag::Embed, Tag::Applet, Tag::Link, Tag::Noscript];

const BOILERPIPE_INLINE: &[Tag] = &[
    Tag::Strike,
    Tag::U,
    Tag::B,
    Tag::I,
    Tag::Em,
    Tag::Strong,
    Tag::Span,
    Tag::Sup,
    Tag::Code,
    Tag::Tt,
    Tag::Sub,
    Tag::Var,
    Tag::Font,
];

const ZIEGLER_SPACE: &[Tag] = &[
    Tag::Br,
    Tag::Caption,
    Tag::Center,
    Tag::Cite,
    Tag::Dd,
    Tag::Div,
    Tag::Dl,
    Tag::Dt,
    Tag::Frame,
    Tag::Frameset,
    Tag::Hr,
    Tag::H1,
    Tag::H2,
    Tag::H3,
    Tag::H4,
    Tag::H5,
    Tag::H6,
    Tag::Label,
    Tag::Li,
    Tag::Nobr,
    Tag::Ol,
    Tag::P,
    Tag::Pre,
    Tag::S,
    Tag::Samp,
    Tag::U,
    Tag::Ul,
    Tag::Wbr,
    Tag::Xmp,
];

const ZIEGLER_INLINE: &[Tag] = &[
    Tag::B,
    Tag::Big,
    Tag::Blink,
    Tag::Em,
    Tag::Font,
    Tag::Form,
    Tag::I,
    Tag::Small,
    Tag::Span,
    Tag::Strike,
    Tag::Strong,
    Tag::Sub,
    Tag::Sup,
    Tag::Var,
];

const ZIEGLER_PRUNED: &[Tag] = &[
    Tag::Address,
    Tag::Applet,
    Tag::Area,
    Tag::Base,
    Tag::Bgsound,
    Tag::Button,
    Tag::Col,
    Tag::Colgroup,
    Tag::Comment,
    Tag::Del,
    Tag::Dir,
    Tag::Embed,
    Tag::Fieldset,
    Tag::Head,
    Tag::Img,
    Tag::Input,
    Tag::Ins,
    Tag::Listing,
    Tag::Map,
    Tag::Option,
    Tag::Script,
    Tag::Style,
    Tag::Textarea,
];

const STREAM_INLINE: &[Tag] = &[
    Tag::Abbr,
    Tag::Acronym,
    Tag::B,
    Tag::Bdo,
    Tag::Big,
    Tag::Blink,
    Tag::Cite,
    Tag::Code,
    Tag::Del,
    Tag::Dfn,
    Tag::Em,
    Tag::Font,
    Tag::I,
    Tag::Ins,
    Tag::Kbd,
    Tag::Mark,
    Tag::Nobr,
    Tag::Q,
    Tag::S,
    Tag::Samp,
    Tag::Small,
    Tag::Span,
    Tag::Strike,
    Tag::Strong,
    Tag::Sub,
    Tag::Sup,
    Tag::Time,
    Tag::Tt,
    Tag::U,
    Tag::Var,
    Tag::Wbr,
];

const fn table(rules: &[(Action, &[Tag])]) -> Table {
    let mut table = [Action::Separate; Tag::COUNT];
    let mut i = 0;
    while i < rules.len() {
        let (action, tags) = rules[i];
        let mut j = 0;
        while j < tags.len() {
            table[tags[j] as usize] = action;
            j += 1;
        }
        i += 1;
    }
    table
}
