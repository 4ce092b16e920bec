//! What the index holds of a page, field by field.

use tantivy::schema::{
    FAST, Field, INDEXED, IndexRecordOption, STORED, Schema, TextFieldIndexing, TextOptions,
};
use tantivy::tokenizer::TokenizerManager;

use crate::levels::Pieces;
use crate::tokens::Words;

/// The name of the tokenizer of texts.
const WORDS: &str = "webstrata-words";
/// The name of the tokenizer of texts by level.
const PIECES: &str = "webstrata-pieces";

/// The fields of an index.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fields {
    /// What a page is known by, as one term.
    pub(crate) id: Field,
    pub(crate) url: Field,
    pub(crate) title: Field,
    pub(crate) main: Field,
    pub(crate) boilerplate: Field,
    /// The host as it is, to show and to count.
    pub(crate) host: Field,
    /// The host and all domains that it lies in, to ask for.
    pub(crate) hosts: Field,
    pub(crate) language: Field,
    /// The language with and without its region, to ask for.
    pub(crate) languages: Field,
    /// A [`crate::Date`] as a number.
    pub(crate) date: Field,
    pub(crate) page_type: Field,
    /// The dense number of the page.
    pub(crate) number: Field,
    /// Tells whether a page has changed.
    pub(crate) digest: Field,
    /// Words by level, and how many there are, where the index has them.
    pub(crate) levels: Option<Levels>,
}

/// The fields of texts by level.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Levels {
    pub(crate) pieces: Field,
    pub(crate) lengths: Field,
}

/// The name of the column of numbers.
pub(crate) const NUMBER: &str = "number";
/// The name of the column of digests.
pub(crate) const DIGEST: &str = "digest";
/// The name of the column of hosts.
pub(crate) const HOST: &str = "host";
/// The name of the column of languages.
pub(crate) const LANGUAGE: &str = "language";
/// The name of the column of dates.
pub(crate) const DATE: &str = "date";
/// The name of the column of page types.
pub(crate) const PAGE_TYPE: &str = "page_type";
/// The name of the column of lengths by level.
pub(crate) const LENGTHS: &str = "lengths";

/// The schema of an index with or without levels.
pub(crate) fn schema(levels: bool) -> (Schema, Fields) {
    let positions = IndexRecordOption::WithFreqsAndPositions;
    let text = |option| {
        let indexing = TextFieldIndexing::default().set_tokenizer(WORDS).set_index_option(option);
        TextOptions::default().set_indexing_options(indexing)
    };
    let term = || {
        let indexing = TextFieldIndexing::default()
            .set_tokenizer("raw")
            .set_index_option(IndexRecordOption::Basic)
            .set_fieldnorms(false);
        TextOptions::default().set_indexing_options(indexing)
    };
    let mut schema = Schema::builder();
    let fields = Fields {
        id: schema.add_text_field("id", term().set_stored()),
        url: schema.add_text_field("url", text(positions).set_stored()),
        title: schema.add_text_field("title", text(positions).set_stored()),
        main: schema.add_text_field("main", text(positions).set_stored()),
        boilerplate: schema.add_text_field("boilerplate", text(positions).set_stored()),
        host: schema.add_text_field(HOST, STORED | FAST),
        hosts: schema.add_text_field("hosts", term()),
        language: schema.add_text_field(LANGUAGE, STORED | FAST),
        languages: schema.add_text_field("languages", term()),
        date: schema.add_u64_field(DATE, FAST | STORED),
        page_type: schema.add_text_field(PAGE_TYPE, term().set_stored() | FAST),
        number: schema.add_u64_field(NUMBER, FAST | INDEXED),
        digest: schema.add_u64_field(DIGEST, FAST),
        levels: levels.then(|| Levels {
            pieces: schema.add_text_field("pieces", pieces()),
            lengths: schema.add_u64_field(LENGTHS, FAST),
        }),
    };
    (schema.build(), fields)
}

fn pieces() -> TextOptions {
    let indexing = TextFieldIndexing::default()
        .set_tokenizer(PIECES)
        .set_index_option(IndexRecordOption::WithFreqs)
        .set_fieldnorms(false);
    TextOptions::default().set_indexing_options(indexing)
}

/// The tokenizers that the schema names.
pub(crate) fn tokenizers() -> TokenizerManager {
    let tokenizers = TokenizerManager::default();
    tokenizers.register(WORDS, Words);
    tokenizers.register(PIECES, Pieces);
    tokenizers
}
