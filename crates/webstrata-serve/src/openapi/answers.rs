//! The shapes of answers that other crates write, for the OpenAPI document. A test compares them with
//! real answers, key by key.

#![expect(dead_code, reason = "described, never made")]

use std::collections::BTreeMap;

use utoipa::ToSchema;

use crate::api::segment::Point;
use crate::request::Id;

/// The main text of a page, and what else was asked for.
#[derive(ToSchema)]
pub(super) struct ExtractAnswer {
    /// What the request asked to be known by.
    id: Option<Id>,
    /// The version of this shape.
    #[schema(example = 1)]
    version: u32,
    /// The page's `<title>`.
    #[schema(required = true)]
    title: Option<String>,
    /// The main text, one line a block.
    text: String,
    /// The language that the page declares.
    #[schema(required = true)]
    language: Option<String>,
    /// Where the page came from.
    url: Option<String>,
    /// The encoding that the page was decoded from.
    #[schema(example = "UTF-8")]
    encoding: String,
    /// The extractor that found the text; another one than asked for where that found next to nothing.
    #[schema(example = "strata")]
    extractor: String,
    /// What the page is for, where the extractor tells.
    page_type: Option<PageTypeName>,
    /// The probability that at least nine tenths of the text are right, where the extractor tells.
    #[schema(minimum = 0, maximum = 1)]
    confidence: Option<f32>,
    /// Words in the main text.
    words: u32,
    /// Words in all blocks.
    page_words: u32,
    /// The limits that the page ran into; empty for nearly all pages.
    limits: Vec<LimitName>,
    /// Every block of the page (`with`: `blocks`).
    blocks: Option<Vec<BlockAnswer>>,
    /// What the page says about itself (`with`: `metadata`).
    metadata: Option<MetadataAnswer>,
    /// The links of the page (`with`: `links`); their `block` is an index into `blocks`.
    links: Option<Vec<LinkAnswer>>,
    /// The main text as Markdown (`with`: `markdown`).
    markdown: Option<String>,
    /// The main text as clean HTML (`with`: `html`).
    html: Option<String>,
    /// The page as HTML with its main text marked and nothing in it that runs (`with`: `highlight`).
    highlight: Option<String>,
    /// The page itself, decoded (`with`: `source`).
    source: Option<String>,
}

/// What a page is for.
#[derive(ToSchema)]
#[schema(rename_all = "kebab-case")]
enum PageTypeName {
    Article,
    Forum,
    Product,
    Listing,
    Collection,
    Documentation,
    Service,
}

/// A limit that a page ran into.
#[derive(ToSchema)]
#[schema(rename_all = "kebab-case")]
enum LimitName {
    Bytes,
    Depth,
    Nodes,
    Deadline,
    Formatting,
}

/// What a block is for.
#[derive(ToSchema)]
#[schema(rename_all = "kebab-case")]
enum ClassName {
    Boilerplate,
    Content,
    Headline,
    Supplemental,
    Related,
    Comments,
}

/// A block of a page.
#[derive(ToSchema)]
struct BlockAnswer {
    /// The text, whitespace collapsed.
    text: String,
    /// Is it part of the main text?
    content: bool,
    /// What the text is for, where the extractor tells more than content from boilerplate.
    class: Option<ClassName>,
    /// What the filters found out: `title`, `end-of-text`, …
    labels: Vec<String>,
    /// The classifier's probability of content.
    score: f32,
    /// What was counted in the text.
    counts: CountsAnswer,
    /// Words per full line of wrapped text.
    text_density: f64,
    /// The share of words in links.
    link_density: f64,
    /// The names of the elements around the text: `html/body/div/p`.
    path: String,
    /// A CSS selector for the element that holds the text.
    selector: String,
    /// How many pages of the site have it, where other pages are known.
    site: Option<SeenAnswer>,
}

/// What was counted in a text.
#[derive(ToSchema)]
struct CountsAnswer {
    words: u32,
    linked_words: u32,
    tokens: u32,
    full_lines: u32,
    words_in_full_lines: u32,
    word_chars: u32,
    sentences: u32,
    full_stops: u32,
    upper_start: u32,
    upper_all: u32,
    dates: u32,
    bars: u32,
}

/// How many pages of a site have a block.
#[derive(ToSchema)]
struct SeenAnswer {
    of: u32,
    pages: u32,
    place: u32,
    kept: u32,
}

/// What a page says about itself; what it does not say is left out.
#[derive(ToSchema)]
struct MetadataAnswer {
    title: Option<SourcedAnswer>,
    authors: Option<Vec<SourcedAnswer>>,
    published: Option<SourcedAnswer>,
    modified: Option<SourcedAnswer>,
    site: Option<SourcedAnswer>,
    description: Option<SourcedAnswer>,
    language: Option<SourcedAnswer>,
    canonical: Option<SourcedAnswer>,
    image: Option<SourcedAnswer>,
    tags: Option<Vec<SourcedAnswer>>,
    licence: Option<SourcedAnswer>,
    page_type: Option<SourcedAnswer>,
}

/// A value and where it was found.
#[derive(ToSchema)]
struct SourcedAnswer {
    /// The value.
    value: String,
    /// Where it was found.
    source: SourceName,
}

/// Where in a page a value was found.
#[derive(ToSchema)]
#[schema(rename_all = "kebab-case")]
enum SourceName {
    JsonLd,
    OpenGraph,
    Meta,
    Microdata,
    Heading,
    Title,
    Time,
    AuthorLink,
    Byline,
    Text,
    Link,
    Lang,
    Url,
    Detected,
}

/// A link of a page.
#[derive(ToSchema)]
struct LinkAnswer {
    /// Where it leads.
    url: String,
    /// Its text.
    text: String,
    /// Its `rel`.
    rel: Option<String>,
    /// The block that it stands in.
    block: Option<u32>,
    /// Is that part of the main text?
    in_content: bool,
    /// Does it lead to the host of the page?
    internal: Option<bool>,
}

/// A page, every block with its decision, and what each step did.
#[derive(ToSchema)]
pub(super) struct ExplainAnswer {
    /// What the request asked to be known by.
    id: Option<Id>,
    /// The version of this shape.
    version: u32,
    /// The page as it is extracted, its blocks aside.
    record: ExtractAnswer,
    /// Every block, in the order of the page.
    blocks: Vec<ExplainedBlockAnswer>,
    /// The extractor's steps, in their order.
    steps: Vec<ExplainedStepAnswer>,
    /// The page as HTML with its main text marked (`with`: `highlight`).
    highlight: Option<String>,
    /// The page itself, decoded (`with`: `source`).
    source: Option<String>,
}

/// A block and who decided about it.
#[derive(ToSchema)]
struct ExplainedBlockAnswer {
    /// The block's number, from 0.
    index: usize,
    text: String,
    content: bool,
    class: Option<ClassName>,
    labels: Vec<String>,
    score: f32,
    counts: CountsAnswer,
    text_density: f64,
    link_density: f64,
    path: String,
    selector: String,
    site: Option<SeenAnswer>,
    /// The last step that kept or dropped the block; none if no step ever kept it.
    #[schema(required = true)]
    decided_by: Option<DecisionAnswer>,
}

/// The step that decided.
#[derive(ToSchema)]
struct DecisionAnswer {
    /// Index into the steps.
    step: usize,
    /// The name of its filter.
    filter: String,
}

/// A step, and the blocks that it changed.
#[derive(ToSchema)]
struct ExplainedStepAnswer {
    /// The filter with its parameters.
    #[schema(value_type = Object, example = json!({"filter": "keep-likely", "recall": 1.0}))]
    step: serde_json::Value,
    /// Blocks that became content.
    kept: Vec<usize>,
    /// Blocks that are content no more.
    dropped: Vec<usize>,
    /// Blocks that were taken out of the list.
    removed: Vec<usize>,
}

/// A page cut into segments, and its density curve.
#[derive(ToSchema)]
pub(super) struct SegmentAnswer {
    /// The version of this shape.
    version: u32,
    /// The page's `<title>`.
    #[schema(required = true)]
    title: Option<String>,
    /// How it was cut.
    method: String,
    /// The threshold, where the method has one.
    threshold: Option<f64>,
    /// Columns at which text is wrapped.
    width: u32,
    /// The limits that the page ran into.
    limits: Vec<LimitName>,
    /// The segments in the order of the page.
    segments: Vec<OneSegmentAnswer>,
    /// The atomic blocks in the order of the page.
    curve: Vec<Point>,
}

/// A segment.
#[derive(ToSchema)]
struct OneSegmentAnswer {
    /// Its number, from 0.
    index: usize,
    /// The first of its atomic blocks.
    first_atom: usize,
    /// How many it has.
    atoms: usize,
    /// Lines of wrapped text.
    lines: u32,
    /// Its words and the like.
    tokens: u32,
    /// Those in links.
    linked_tokens: u32,
    /// Full stops.
    full_stops: u32,
    /// Tokens per line.
    text_density: f64,
    /// The share of tokens in links.
    link_density: f64,
    /// The text, a line for each atomic block.
    text: String,
}

/// Where a stream stands.
#[derive(ToSchema)]
pub(super) struct StreamsAnswer {
    /// The version of this shape.
    version: u32,
    /// When this was written, in seconds since 1970.
    time: i64,
    /// Is the stream running? One that was killed did not come to say no.
    running: bool,
    /// Records made.
    records: u64,
    /// Records that the output has not got yet.
    undelivered: u64,
    /// Records that are kept for export.
    kept: u64,
    /// Records that the output refused for good.
    refused: u64,
    /// Documents in the URL Tree.
    documents: u64,
    /// The sites, by name.
    sites: BTreeMap<String, SiteAnswer>,
}

/// Where a site stands.
#[derive(ToSchema)]
struct SiteAnswer {
    pages: u64,
    duplicates: u64,
    waiting: u64,
    lost: u64,
    /// Seconds from publication to the output, of the last page that has a date.
    #[schema(required = true)]
    lag: Option<i64>,
    template: u64,
    bytes: u64,
    polls: u64,
    unchanged: u64,
    discovered: u64,
    items: u64,
    future: u64,
    /// What went wrong, by kind.
    errors: BTreeMap<String, u64>,
    #[schema(required = true)]
    last_error: Option<String>,
    #[schema(required = true)]
    last_success: Option<i64>,
    #[schema(required = true)]
    next_poll: Option<i64>,
}

/// The facets that the results of a search have.
#[derive(ToSchema)]
pub(super) struct FacetsAnswer {
    /// The version of this shape.
    version: u32,
    /// What was asked for.
    query: String,
    /// How many pages match.
    total: u64,
    /// How long it took, in milliseconds.
    took_ms: f64,
    /// The facets, by what they are about.
    dimensions: Vec<DimensionAnswer>,
}

/// Facets of one kind.
#[derive(ToSchema)]
struct DimensionAnswer {
    /// `topic`, `host`, `language`, `page type` or `date`, or what the ranks call theirs.
    #[schema(example = "topic")]
    name: String,
    /// The facets, the largest share first.
    facets: Vec<FacetAnswer>,
}

/// A facet and how much of the results has it.
#[derive(ToSchema)]
struct FacetAnswer {
    /// Its name, by which it is chosen.
    #[schema(example = "Top/Computers")]
    name: String,
    /// How it is shown.
    #[schema(example = "Computers")]
    label: String,
    /// What it is a part of.
    #[schema(required = true, example = "Top")]
    parent: Option<String>,
    /// The share of the sampled results, from 0 to 1.
    share: f64,
    /// Does it stand out?
    highlighted: bool,
}
