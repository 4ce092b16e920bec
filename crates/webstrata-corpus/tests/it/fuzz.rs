//! What holds for any pipeline. The targets of `fuzz/` include this file.

use std::path::Path;
use std::sync::{Arc, LazyLock};

use webstrata::Extractor;
use webstrata_archive::Arrival;
use webstrata_corpus::pipeline::{Judging, Outcome, Pipeline, pieces};

/// A page that many filters keep.
static PAGE: LazyLock<Arrival> = LazyLock::new(|| {
    let sentence = "The ferry between the two islands will run every hour from Monday on, and the harbour office \
        says that all of the boats have been painted this year. ";
    let html = format!(
        "<title>Tides</title><h1>High water</h1><p>{sentence}<h2>Low</h2><p>{sentence}{sentence}"
    );
    Arrival {
        name: "a".into(),
        id: None,
        url: Some("https://example.org/tides".into()),
        fetched: None,
        status: Some(200),
        content_type: Some("text/html".into()),
        digest: None,
        file: Path::new("a.warc").into(),
        offset: 0,
        within: 0,
        truncated: false,
        bytes: html.into_bytes(),
    }
});

/// A pipeline. One that can be read judges a page.
pub(crate) fn pipeline(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    let pipeline = match Pipeline::from_toml(text) {
        Ok(pipeline) => pipeline,
        Err(error) => return assert!(!error.to_string().contains('\n'), "{error}"),
    };
    let Some(extractor) = Extractor::named(&pipeline.extract.extractor) else { return };
    let request = match pipeline.request(Arc::new(extractor.clone())) {
        Ok(request) => request,
        Err(error) => return assert!(!error.to_string().contains('\n'), "{error}"),
    };
    let judging = Judging { request: &request, pipeline: &pipeline };
    let judged = judging.page(&PAGE).expect("a page");
    if let (Outcome::Stays(_), Some(options)) = (judged.outcome, pipeline.chunk) {
        assert!(!pieces(&judged.record, &judged.headings, options).is_empty());
    }
}

#[cfg(test)]
mod tests {
    use super::pipeline;
    use crate::corpora::hold;

    #[test]
    fn corpora_hold() {
        hold("pipeline", pipeline);
    }
}
