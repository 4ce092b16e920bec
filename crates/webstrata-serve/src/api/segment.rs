//! `POST /v1/segment`: a page cut into segments by the density of its text, and the densities.

use axum::extract::{Request, State};
use axum::response::Response;
use serde::Serialize;
use utoipa::ToSchema;
use webstrata_corpus::segmentation::{AtomicPage, Method, Segment, Segmenter, SegmentsRecord};

use super::{Answer, PageBytes, with_page};
use crate::app::{App, Shared};
use crate::refusal::Refusal;
use crate::request::{Format, SegmentRequest};

/// A page cut into segments, and its density curve.
#[derive(Serialize, ToSchema)]
#[schema(as = SegmentAnswer)]
pub(crate) struct Segmented {
    #[serde(flatten)]
    record: SegmentsRecord,
    /// The atomic blocks in the order of the page.
    curve: Vec<Point>,
}

/// An atomic block as a piece of the density curve.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct Point {
    /// Lines of its wrapped text: the width of the piece.
    pub(crate) lines: u32,
    /// Tokens per line: its height.
    pub(crate) density: f64,
    /// The segment that it belongs to.
    pub(crate) segment: usize,
}

pub(crate) async fn segment(State(app): Shared, request: Request) -> Result<Response, Refusal> {
    with_page(app, request, answer).await
}

fn answer(
    app: &App,
    request: &SegmentRequest,
    format: Option<Format>,
    bytes: &PageBytes,
) -> Result<Answer, Refusal> {
    if format.is_some_and(|format| format != Format::Json) {
        return Err(Refusal::bad("`format`: segments are JSON, leave it out"));
    }
    let segmenter = request.segmenter();
    let mut options = request.options(bytes.charset.clone(), &app.settings.limits);
    // The width is the segmenter's.
    options.width = None;
    let (page, segments) = segmenter.read(&bytes.bytes, &options);
    let record = SegmentsRecord::new(&page, &segments, &segmenter);
    let segmented = Segmented { record, curve: curve(&page, &segments) };
    Answer::json_within(&segmented, page.document.limits(), app.settings.limits.answer)
}

/// The atomic blocks in the order of the page, each with the segment that it begins in.
fn curve(page: &AtomicPage, segments: &[Segment]) -> Vec<Point> {
    let blocks = Segmenter::new(Method::TagGap).segment(page);
    let mut segment = 0;
    let point = |block: &Segment| {
        while segment + 1 < segments.len() && segments[segment + 1].span.start <= block.span.start {
            segment += 1;
        }
        Point { lines: block.lines, density: block.density(), segment }
    };
    blocks.iter().map(point).collect()
}

#[cfg(test)]
mod tests {
    use webstrata::Options;

    use super::*;

    #[test]
    fn every_block_is_in_its_segment() {
        let page = b"<ul><li>Home<li>Tides<li>Contact</ul><p>High water is at noon today, the harbour \
            office says, and the ferry to the islands leaves an hour earlier than it does on other days.\
            <p>Low<p>|<p>water";
        for (method, name) in Method::ALL {
            let (page, segments) = Segmenter::new(method).read(page, &Options::default());
            let curve = curve(&page, &segments);
            assert_eq!(curve.len(), 6, "{name}");
            assert!(curve.is_sorted_by_key(|point| point.segment), "{name}");
            let blocks = Segmenter::new(Method::TagGap).segment(&page);
            for (point, block) in curve.iter().zip(blocks) {
                let Segment { atoms, .. } = &segments[point.segment];
                assert!(atoms.contains(&block.atoms.start), "{name}");
            }
        }
        assert_eq!(curve(&AtomicPage::read(b"", &Options::default(), 80), &[]), []);
    }
}
