//! Element names as small integers, with what the parsing rules ask about them.

macro_rules! tags {
    ($($variant:ident $name:literal $($flag:ident)*;)*) => {
        /// The name of an element as a small integer. Names that no parsing rule and no table of
        /// ours mentions are [`Tag::Other`]; the [`Tree`](crate::Tree) knows how they were written.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        #[allow(missing_docs, reason = "each variant is the element of that name")]
        #[non_exhaustive]
        pub enum Tag { $($variant,)* }

        const NAMES: &[&str] = &[$($name,)*];
        const FLAGS: &[u16] = &[$(0 $(| flag::$flag)*,)*];
        const ALL: &[Tag] = &[$(Tag::$variant,)*];
    };
}

/// Properties of elements that the tree construction rules ask for, one bit each.
pub(crate) mod flag {
    /// The spec's "special" category.
    pub(crate) const SPECIAL: u16 = 1;
    /// Ends every scope but table scope.
    pub(crate) const SCOPE: u16 = 1 << 1;
    /// Ends table scope.
    pub(crate) const TABLE_SCOPE: u16 = 1 << 2;
    /// Closed by "generate implied end tags".
    pub(crate) const IMPLIED: u16 = 1 << 3;
    /// Closed, besides those, by "generate all implied end tags thoroughly".
    pub(crate) const THOROUGH: u16 = 1 << 4;
    /// `h1` to `h6`.
    pub(crate) const HEADING: u16 = 1 << 5;
    /// Start tag closes an open `p`, then opens an ordinary element; end tag closes it.
    pub(crate) const BLOCK: u16 = 1 << 6;
    /// Start tag leaves foreign content.
    pub(crate) const BREAKOUT: u16 = 1 << 7;
    /// Goes on the list of active formatting elements.
    pub(crate) const FORMATTING: u16 = 1 << 8;
    /// An element of MathML or SVG inside which HTML text rules hold.
    pub(crate) const INTEGRATION: u16 = 1 << 9;
}

tags! {
    // Not an element of HTML, or one that behaves like an unknown one.
    Other "";
    Abbr "abbr";
    Acronym "acronym";
    Bdo "bdo";
    Blink "blink";
    Canvas "canvas";
    Cite "cite";
    Comment "comment";
    Del "del";
    Dfn "dfn";
    Ins "ins";
    Kbd "kbd";
    Label "label";
    Map "map";
    Audio "audio";
    Video "video";
    Picture "picture";
    Q "q";
    Ruby "ruby" BREAKOUT;
    Samp "samp";
    Span "span" BREAKOUT;
    Sub "sub" BREAKOUT;
    Sup "sup" BREAKOUT;
    Time "time";
    Mark "mark";
    Var "var" BREAKOUT;
    // Blocks.
    Address "address" SPECIAL BLOCK;
    Article "article" SPECIAL BLOCK;
    Aside "aside" SPECIAL BLOCK;
    Blockquote "blockquote" SPECIAL BLOCK BREAKOUT;
    Center "center" SPECIAL BLOCK BREAKOUT;
    Details "details" SPECIAL BLOCK;
    Dialog "dialog" BLOCK;
    Dir "dir" SPECIAL BLOCK;
    Div "div" SPECIAL BLOCK BREAKOUT;
    Dl "dl" SPECIAL BLOCK BREAKOUT;
    Fieldset "fieldset" SPECIAL BLOCK;
    Figcaption "figcaption" SPECIAL BLOCK;
    Figure "figure" SPECIAL BLOCK;
    Footer "footer" SPECIAL BLOCK;
    Header "header" SPECIAL BLOCK;
    Hgroup "hgroup" SPECIAL BLOCK;
    Main "main" SPECIAL BLOCK;
    Menu "menu" SPECIAL BLOCK BREAKOUT;
    Nav "nav" SPECIAL BLOCK;
    Ol "ol" SPECIAL BLOCK BREAKOUT;
    Search "search" SPECIAL BLOCK;
    Section "section" SPECIAL BLOCK;
    Summary "summary" SPECIAL BLOCK;
    Ul "ul" SPECIAL BLOCK BREAKOUT;
    // Elements with rules of their own.
    P "p" SPECIAL IMPLIED BREAKOUT;
    H1 "h1" SPECIAL HEADING BREAKOUT;
    H2 "h2" SPECIAL HEADING BREAKOUT;
    H3 "h3" SPECIAL HEADING BREAKOUT;
    H4 "h4" SPECIAL HEADING BREAKOUT;
    H5 "h5" SPECIAL HEADING BREAKOUT;
    H6 "h6" SPECIAL HEADING BREAKOUT;
    Pre "pre" SPECIAL BREAKOUT;
    Listing "listing" SPECIAL BREAKOUT;
    Form "form" SPECIAL;
    Li "li" SPECIAL IMPLIED BREAKOUT;
    Dd "dd" SPECIAL IMPLIED BREAKOUT;
    Dt "dt" SPECIAL IMPLIED BREAKOUT;
    Plaintext "plaintext" SPECIAL;
    Button "button" SPECIAL;
    Applet "applet" SPECIAL SCOPE;
    Marquee "marquee" SPECIAL SCOPE;
    Object "object" SPECIAL SCOPE;
    Area "area" SPECIAL;
    Br "br" SPECIAL BREAKOUT;
    Embed "embed" SPECIAL BREAKOUT;
    Img "img" SPECIAL BREAKOUT;
    Image "image";
    Keygen "keygen" SPECIAL;
    Wbr "wbr" SPECIAL;
    Input "input" SPECIAL;
    Param "param" SPECIAL;
    Source "source" SPECIAL;
    Track "track" SPECIAL;
    Hr "hr" SPECIAL BREAKOUT;
    Textarea "textarea" SPECIAL;
    Xmp "xmp" SPECIAL;
    Iframe "iframe" SPECIAL;
    Noembed "noembed" SPECIAL;
    Noscript "noscript" SPECIAL;
    Select "select" SPECIAL SCOPE;
    Optgroup "optgroup" IMPLIED;
    Option "option" IMPLIED;
    Rb "rb" IMPLIED;
    Rp "rp" IMPLIED;
    Rt "rt" IMPLIED;
    Rtc "rtc" IMPLIED;
    // Formatting elements.
    A "a" FORMATTING;
    B "b" FORMATTING BREAKOUT;
    Big "big" FORMATTING BREAKOUT;
    Code "code" FORMATTING BREAKOUT;
    Em "em" FORMATTING BREAKOUT;
    Font "font" FORMATTING;
    I "i" FORMATTING BREAKOUT;
    Nobr "nobr" FORMATTING BREAKOUT;
    S "s" FORMATTING BREAKOUT;
    Small "small" FORMATTING BREAKOUT;
    Strike "strike" FORMATTING BREAKOUT;
    Strong "strong" FORMATTING BREAKOUT;
    Tt "tt" FORMATTING BREAKOUT;
    U "u" FORMATTING BREAKOUT;
    // Tables.
    Table "table" SPECIAL SCOPE TABLE_SCOPE BREAKOUT;
    Caption "caption" SPECIAL SCOPE THOROUGH;
    Colgroup "colgroup" SPECIAL THOROUGH;
    Col "col" SPECIAL;
    Tbody "tbody" SPECIAL THOROUGH;
    Thead "thead" SPECIAL THOROUGH;
    Tfoot "tfoot" SPECIAL THOROUGH;
    Tr "tr" SPECIAL THOROUGH;
    Td "td" SPECIAL SCOPE THOROUGH;
    Th "th" SPECIAL SCOPE THOROUGH;
    // The document's frame.
    Html "html" SPECIAL SCOPE TABLE_SCOPE;
    Head "head" SPECIAL BREAKOUT;
    Body "body" SPECIAL BREAKOUT;
    Frameset "frameset" SPECIAL;
    Frame "frame" SPECIAL;
    Noframes "noframes" SPECIAL;
    Base "base" SPECIAL;
    Basefont "basefont" SPECIAL;
    Bgsound "bgsound" SPECIAL;
    Link "link" SPECIAL;
    Meta "meta" SPECIAL BREAKOUT;
    Script "script" SPECIAL;
    Style "style" SPECIAL;
    Template "template" SPECIAL SCOPE TABLE_SCOPE;
    Title "title" SPECIAL;
    // Foreign content. An element below `svg` or `math` is `Other`, except for the ones that some
    // rule knows: those become one of the last group, whose uppercase names no start tag can spell
    // (names are looked up in lowercase).
    Svg "svg";
    Math "math";
    Annotation "annotation-xml";
    ForeignObject "foreignobject";
    Desc "desc";
    Mi "mi";
    Mo "mo";
    Mn "mn";
    Ms "ms";
    Mtext "mtext";
    Mglyph "mglyph";
    Malignmark "malignmark";
    SvgHtml "SVG-HTML" SPECIAL SCOPE INTEGRATION;
    SvgTitle "SVG-TITLE" SPECIAL SCOPE INTEGRATION;
    SvgScript "SVG-SCRIPT";
    SvgStyle "SVG-STYLE";
    MathText "MATH-TEXT" SPECIAL SCOPE INTEGRATION;
    MathAnnotation "MATH-ANNOTATION" SPECIAL SCOPE;
}

impl Tag {
    /// How many tags there are.
    pub(crate) const COUNT: usize = NAMES.len();

    /// The tag of an element name, in any case.
    #[inline]
    pub fn of(name: &[u8]) -> Tag {
        let mut key = 0;
        for (i, byte) in name.iter().take(8).enumerate() {
            key |= u64::from(byte.to_ascii_lowercase()) << (8 * i);
        }
        Tag::of_key(key, name)
    }

    /// The tag whose lowercase name starts with the (up to) eight bytes packed in `key`.
    #[inline]
    pub(crate) fn of_key(key: u64, name: &[u8]) -> Tag {
        let mut slot = slot(key);
        loop {
            let tag = TABLE.slots[slot];
            if tag == 0 {
                return Tag::Other;
            }
            if KEYS[tag as usize] == key {
                let found = ALL[tag as usize];
                let known = found.name().as_bytes();
                let exact = known.len() == name.len()
                    && (name.len() <= 8 || known.eq_ignore_ascii_case(name));
                return if exact { found } else { Tag::Other };
            }
            slot = (slot + 1) % SLOTS;
        }
    }

    /// The element's name in lowercase; empty for [`Tag::Other`].
    pub fn name(self) -> &'static str {
        NAMES[self as usize]
    }

    #[inline]
    pub(crate) fn is(self, flags: u16) -> bool {
        FLAGS[self as usize] & flags != 0
    }

    /// Elements that never have children.
    pub(crate) fn is_void(self) -> bool {
        use Tag::*;
        matches!(
            self,
            Area | Base
                | Basefont
                | Bgsound
                | Br
                | Col
                | Embed
                | Frame
                | Hr
                | Img
                | Input
                | Keygen
                | Link
                | Meta
                | Param
                | Source
                | Track
                | Wbr
        )
    }
}

// An open-addressing hash table, built by the compiler: names are looked up once per tag of a page,
// which is the most frequent thing that parsing does.

const SLOTS: usize = 1024;

struct Table {
    slots: [u8; SLOTS],
}

const KEYS: [u64; Tag::COUNT] = {
    let mut keys = [0; Tag::COUNT];
    let mut i = 0;
    while i < Tag::COUNT {
        let name = NAMES[i].as_bytes();
        let mut j = 0;
        while j < name.len() && j < 8 {
            keys[i] |= (name[j] as u64) << (8 * j);
            j += 1;
        }
        i += 1;
    }
    keys
};

static TABLE: Table = {
    let mut slots = [0; SLOTS];
    let mut i = 1;
    while i < Tag::COUNT {
        // Two names with the same first eight bytes would hide one another.
        let mut j = 1;
        while j < i {
            assert!(KEYS[j] != KEYS[i] || NAMES[i].len() > 8);
            j += 1;
        }
        let mut at = slot(KEYS[i]);
        while slots[at] != 0 {
            at = (at + 1) % SLOTS;
        }
        slots[at] = i as u8;
        i += 1;
    }
    Table { slots }
};

#[inline]
const fn slot(key: u64) -> usize {
    (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 54) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_found_in_any_case() {
        for tag in ALL.iter().copied().filter(|tag| (Tag::Abbr..Tag::SvgHtml).contains(tag)) {
            assert_eq!(Tag::of(tag.name().as_bytes()), tag, "{}", tag.name());
            assert_eq!(Tag::of(tag.name().to_uppercase().as_bytes()), tag);
        }
    }

    #[test]
    fn names_that_only_begin_like_one_are_other() {
        for name in
            ["", "x-card", "blockquo", "blockquot", "blockquotes", "h7", "h\u{11}", "divv", "di"]
        {
            assert_eq!(Tag::of(name.as_bytes()), Tag::Other, "{name:?}");
        }
    }
}
