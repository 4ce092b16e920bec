//! The table of fields: what a request can say, in which words, and what each field takes.

use crate::options::Hidden;
use crate::output::{RecordPart, TextShape};
use crate::part::Part;

/// A field of a request.
///
/// ```
/// use webstrata::request::Field;
///
/// assert_eq!(Field::named("width"), Some(Field::Width));
/// assert_eq!(Field::Width.expected(), "a whole number from 1 to 10000");
/// assert_eq!(Field::Width.default_text(), "80");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Field {
    /// Where the page came from.
    Url,
    /// The extractor.
    Extractor,
    /// The weight of recall.
    Favor,
    /// What the record has beside the text.
    Parts,
    /// Are the addresses of links written?
    Links,
    /// Are images written?
    Images,
    /// The shape of plain text.
    Text,
    /// Parts of the page that are written beside the main text.
    Include,
    /// Parts of the page that are not written.
    Exclude,
    /// Does Markdown begin with the metadata?
    FrontMatter,
    /// Do blocks say why they are scored so?
    Reasons,
    /// What happens to hidden text.
    Hidden,
    /// The encoding that the transport named.
    Charset,
    /// How long reading may take.
    DeadlineMs,
    /// How many bytes of a page are read.
    MaxBytes,
    /// The columns at which text is wrapped.
    Width,
}

/// What a field takes.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Takes {
    /// Any text.
    Text,
    /// True or false.
    Flag,
    /// A number in a range.
    Number(Range),
    /// One of some names.
    Name(&'static [&'static str]),
    /// One of some names, or a number in a range.
    NameOrNumber(&'static [&'static str], Range),
    /// A list of some of these names.
    Names(&'static [&'static str]),
}

/// The numbers that a field takes, both ends included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// The smallest.
    pub least: f64,
    /// The largest.
    pub most: f64,
    /// Must it be a whole number?
    pub whole: bool,
}

impl Range {
    const fn whole(least: f64, most: f64) -> Range {
        Range { least, most, whole: true }
    }

    const fn any(least: f64, most: f64) -> Range {
        Range { least, most, whole: false }
    }

    /// Is the number between the ends?
    pub fn contains(&self, number: f64) -> bool {
        (self.least..=self.most).contains(&number)
    }
}

/// One row of the table.
struct Row {
    name: &'static str,
    about: &'static str,
    takes: Takes,
    /// What follows "expected" in a message.
    expected: &'static str,
    default: &'static str,
    /// Does it say how a page is read, whatever is done with it?
    is_of_reading: bool,
}

/// Words for the weight of recall.
pub(super) const FAVORS: [(&str, f64); 3] =
    [("precision", 0.5), ("balanced", 1.0), ("recall", 2.0)];

const FAVOR_NAMES: [&str; 3] = [FAVORS[0].0, FAVORS[1].0, FAVORS[2].0];
const HIDDEN_NAMES: [&str; 3] = [Hidden::ALL[0].1, Hidden::ALL[1].1, Hidden::ALL[2].1];

const TEXT_NAMES: [&str; 2] = [TextShape::ALL[0].1, TextShape::ALL[1].1];

/// The shortest deadline is what the clock can tell, a nanosecond; the longest is a day.
const DEADLINES: Range = Range::any(1e-6, 86_400_000.0);

/// Positions in a page have 32 bits, one of which is a sign.
const SIZES: Range = Range::whole(1.0, 2_147_483_647.0);

impl Field {
    /// All fields.
    pub const ALL: [Field; 16] = [
        Field::Url,
        Field::Extractor,
        Field::Favor,
        Field::Parts,
        Field::Links,
        Field::Images,
        Field::Text,
        Field::Include,
        Field::Exclude,
        Field::FrontMatter,
        Field::Reasons,
        Field::Hidden,
        Field::Charset,
        Field::DeadlineMs,
        Field::MaxBytes,
        Field::Width,
    ];

    const fn row(self) -> Row {
        match self {
            Field::Url => Row {
                name: "url",
                about: "Where the page came from: makes links absolute.",
                takes: Takes::Text,
                expected: "a text",
                default: "",
                is_of_reading: true,
            },
            Field::Extractor => Row {
                name: "extractor",
                about: "A built-in extractor, or one as TOML.",
                takes: Takes::Text,
                expected: "the name of an extractor, or one as TOML",
                default: "strata",
                is_of_reading: false,
            },
            Field::Favor => Row {
                name: "favor",
                about: "What to do with doubtful text: `precision`, `balanced`, `recall` or the weight of recall.",
                takes: Takes::NameOrNumber(&FAVOR_NAMES, Range::any(0.01, 100.0)),
                expected: "precision, balanced, recall or a number from 0.01 to 100",
                default: "balanced",
                is_of_reading: false,
            },
            Field::Parts => Row {
                name: "parts",
                about: "What the record has beside the text.",
                takes: Takes::Names(&RecordPart::NAMES),
                expected: "a list of names, such as metadata and markdown",
                default: "",
                is_of_reading: false,
            },
            Field::Links => Row {
                name: "links",
                about: "Write where links lead, in Markdown and HTML.",
                takes: Takes::Flag,
                expected: "true or false",
                default: "false",
                is_of_reading: false,
            },
            Field::Images => Row {
                name: "images",
                about: "Write images that stand in the text, in Markdown and HTML.",
                takes: Takes::Flag,
                expected: "true or false",
                default: "false",
                is_of_reading: false,
            },
            Field::Text => Row {
                name: "text",
                about: "The shape of plain text: `structured` keeps lists, tables and code, `flat` is one line a block.",
                takes: Takes::Name(&TEXT_NAMES),
                expected: "structured or flat",
                default: "structured",
                is_of_reading: false,
            },
            Field::Include => Row {
                name: "include",
                about: "Parts of the page to write beside the main text, such as comment or byline.",
                takes: Takes::Names(&Part::NAMES),
                expected: "a list of parts, such as comment and byline",
                default: "",
                is_of_reading: false,
            },
            Field::Exclude => Row {
                name: "exclude",
                about: "Parts of the page not to write, such as caption or table.",
                takes: Takes::Names(&Part::NAMES),
                expected: "a list of parts, such as caption and table",
                default: "",
                is_of_reading: false,
            },
            Field::FrontMatter => Row {
                name: "front_matter",
                about: "Begin Markdown with the metadata as YAML.",
                takes: Takes::Flag,
                expected: "true or false",
                default: "false",
                is_of_reading: false,
            },
            Field::Reasons => Row {
                name: "reasons",
                about: "Blocks of records say what speaks for and against them, by the trees of `strata`.",
                takes: Takes::Flag,
                expected: "true or false",
                default: "false",
                is_of_reading: false,
            },
            Field::Hidden => Row {
                name: "hidden",
                about: "What happens to text that the page hides.",
                takes: Takes::Name(&HIDDEN_NAMES),
                expected: "drop, keep or mark",
                default: "drop",
                is_of_reading: true,
            },
            Field::Charset => Row {
                name: "charset",
                about: "The encoding that the transport named.",
                takes: Takes::Text,
                expected: "a label of the Web's, such as utf-8, windows-1252, koi8-r, shift_jis",
                default: "",
                is_of_reading: true,
            },
            Field::DeadlineMs => Row {
                name: "deadline_ms",
                about: "How long a page may take, its outputs included, in milliseconds.",
                takes: Takes::Number(DEADLINES),
                expected: "a number of milliseconds, more than 0 and at most 86400000",
                default: "",
                is_of_reading: true,
            },
            Field::MaxBytes => Row {
                name: "max_bytes",
                about: "How many bytes of the page are read.",
                takes: Takes::Number(SIZES),
                expected: "a whole number from 1 to 2147483647",
                default: "134217728",
                is_of_reading: true,
            },
            Field::Width => Row {
                name: "width",
                about: "Columns at which text is wrapped to measure its density.",
                takes: Takes::Number(Range::whole(1.0, 10_000.0)),
                expected: "a whole number from 1 to 10000",
                default: "80",
                is_of_reading: true,
            },
        }
    }

    /// The field with this name.
    pub fn named(name: &str) -> Option<Field> {
        Field::ALL.into_iter().find(|field| field.name() == name)
    }

    /// Its name. Adapters may call it otherwise.
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// One line on what it is for.
    pub const fn about(self) -> &'static str {
        self.row().about
    }

    /// What it takes.
    pub const fn takes(self) -> Takes {
        self.row().takes
    }

    /// The same in words that follow "expected".
    pub const fn expected(self) -> &'static str {
        self.row().expected
    }

    /// What holds where nobody sets it, as text; empty where that is nothing.
    pub const fn default_text(self) -> &'static str {
        self.row().default
    }

    /// Does it say how a page is read, and not what is done with it then? Those who only read pages, such as the
    /// segmenter, take these fields alone.
    pub const fn is_of_reading(self) -> bool {
        self.row().is_of_reading
    }

    /// The names that it takes, where it takes names.
    pub const fn names(self) -> &'static [&'static str] {
        match self.takes() {
            Takes::Name(names) | Takes::NameOrNumber(names, _) | Takes::Names(names) => names,
            Takes::Text | Takes::Flag | Takes::Number(_) => &[],
        }
    }

    /// The numbers that it takes, where it takes numbers.
    pub const fn range(self) -> Option<Range> {
        match self.takes() {
            Takes::Number(range) | Takes::NameOrNumber(_, range) => Some(range),
            Takes::Text | Takes::Flag | Takes::Name(_) | Takes::Names(_) => None,
        }
    }

    /// What messages call one of its names.
    pub(super) const fn thing(self) -> &'static str {
        match self {
            Field::Extractor => "extractor",
            Field::Parts | Field::Include | Field::Exclude => "part",
            Field::Charset => "charset",
            _ => "value",
        }
    }
}
