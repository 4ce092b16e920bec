//! A segmented page as data: what `webstrata segment`, the server and its page show.

use serde::Serialize;

use super::measures::Agreement;
use super::{AtomicPage, Segment, Segmenter};

/// The version of [`SegmentsRecord`]'s shape.
pub const SEGMENTS_VERSION: u32 = 1;

/// A page and its segments. The JSON is a promise, as that of [`webstrata::Record`] is.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct SegmentsRecord {
    /// The version of this shape: 1.
    pub version: u32,
    /// The page's `<title>`.
    #[cfg_attr(feature = "schema", schema(required = true))]
    pub title: Option<String>,
    /// How it was cut.
    pub method: &'static str,
    /// The threshold, where the method has one; JSON knows no infinity, which is left out, too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threshold: Option<f64>,
    /// Columns at which text is wrapped.
    pub width: u32,
    /// The limits that the page ran into.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<webstrata::limits::Limit>))]
    pub limits: Vec<String>,
    /// How the segments agree with a segmentation made by hand.
    #[serde(skip_serializing_if = "Option::is_none")]
    // Only where there is gold, which no server has.
    #[cfg_attr(feature = "schema", schema(ignore))]
    pub gold: Option<Agreement>,
    /// The segments in the order of the page.
    pub segments: Vec<SegmentRecord>,
}

/// One segment.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct SegmentRecord {
    /// Its number, from 0.
    pub index: usize,
    /// The first of its atoms.
    pub first_atom: usize,
    /// How many it has.
    pub atoms: usize,
    /// Lines of wrapped text.
    pub lines: u32,
    /// Its words and the like.
    pub tokens: u32,
    /// Those in links.
    pub linked_tokens: u32,
    /// Full stops.
    pub full_stops: u32,
    /// Tokens per line.
    pub text_density: f64,
    /// The share of tokens in links.
    pub link_density: f64,
    /// The text, a line for each atom.
    pub text: String,
}

impl SegmentsRecord {
    /// What a segmenter made of a page.
    pub fn new(page: &AtomicPage, segments: &[Segment], segmenter: &Segmenter) -> SegmentsRecord {
        let row = |(index, segment): (usize, &Segment)| SegmentRecord {
            index,
            first_atom: segment.atoms.start,
            atoms: segment.atoms.len(),
            lines: segment.lines,
            tokens: segment.tokens,
            linked_tokens: segment.linked_tokens,
            full_stops: segment.full_stops,
            text_density: segment.density(),
            link_density: segment.link_density(),
            text: page.text(segment),
        };
        let threshold = Some(segmenter.threshold)
            .filter(|threshold| segmenter.method.has_threshold() && threshold.is_finite());
        SegmentsRecord {
            version: SEGMENTS_VERSION,
            title: page.document.title.clone(),
            method: segmenter.method.name(),
            threshold,
            width: segmenter.width,
            limits: page.document.limits().names().map(str::to_owned).collect(),
            gold: None,
            segments: segments.iter().enumerate().map(row).collect(),
        }
    }
}
