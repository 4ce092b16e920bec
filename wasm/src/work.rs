//! Bytes and options in, JSON out.

use serde::Serialize;
use webstrata::Extractor;

use crate::request;

/// An answer, or one line on what is wrong with the options.
type Answer = Result<Vec<u8>, String>;

/// The page's [`Record`](webstrata::Record).
pub(crate) fn extract(page: &[u8], options: &[u8], is_text: bool) -> Answer {
    let record = request::read(options, is_text)?.record(page);
    json(&record, record.text.len())
}

/// The page's [`Explanation`](webstrata::output::Explanation).
pub(crate) fn explain(page: &[u8], options: &[u8], is_text: bool) -> Answer {
    let request = request::read(options, is_text)?;
    let explanation = request.explain(request.read(page));
    json(&explanation, page.len())
}

/// A built-in extractor.
#[derive(Serialize)]
struct Listed<'a> {
    name: &'a str,
    about: &'a str,
    paper: &'a str,
    /// Does `favor` change it?
    favor: bool,
    toml: String,
}

/// All built-in extractors.
pub(crate) fn extractors() -> Answer {
    let listed = |extractor: &'static Extractor| Listed {
        name: &extractor.name,
        about: &extractor.about,
        paper: &extractor.paper,
        favor: extractor.with_recall(1.0).is_some(),
        toml: extractor.to_toml(),
    };
    let list: Vec<Listed<'_>> = Extractor::builtin().iter().map(listed).collect();
    json(&list, 0)
}

fn json(value: &impl Serialize, about: usize) -> Answer {
    // Room at once: memory that a buffer leaves behind as it grows is never given back to the host.
    let mut bytes = Vec::with_capacity(about + about / 8 + 512);
    serde_json::to_writer(&mut bytes, value).map_err(|error| error.to_string())?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use webstrata::output::{OutputOptions, RecordPart};
    use webstrata::{Hidden, Limits, Options, Record};

    use super::*;

    const PAGE: &str = "<title>Tides</title><nav><a href=/>Home</a></nav><h1>Tides</h1><p>High water is at \
        <a href=/noon>noon</a> today, the harbour office says, and low water six hours later.";

    #[test]
    fn the_record_is_the_cores() {
        let options = r#"{"url":"https://harbour.example/","extractor":"article","hidden":"keep","links":true,
            "formats":["text","blocks","metadata","links","markdown","html","posts"],"maxBytes":150,"width":40}"#;
        let answer = extract(PAGE.as_bytes(), options.as_bytes(), true).expect("right options");
        let options = Options {
            limits: Limits { bytes: 150, ..Limits::default() },
            charset: Some("utf-8".into()),
            hidden: Hidden::Keep,
            url: Some("https://harbour.example/".into()),
            width: Some(40),
        };
        let article = Extractor::named("article").expect("built in");
        let page = article.extract_page(PAGE.as_bytes(), &options);
        let markup = OutputOptions { links: true, images: false, ..OutputOptions::DEFAULT };
        let record = Record::of(&page, &RecordPart::ALL, &markup);
        assert_eq!(record.limits, ["bytes"]);
        assert_eq!(answer, serde_json::to_vec(&record).expect("JSON"));
    }

    #[test]
    fn text_is_not_decoded_again_and_bytes_are() {
        let says = |page: &[u8], options: &str, is_text| {
            let answer = extract(page, options.as_bytes(), is_text).expect("right options");
            let record: Record = serde_json::from_slice(&answer).expect("a record");
            (record.text, record.encoding)
        };
        let all = r#"{"extractor":"keep-all","charset":"windows-1252"}"#;
        let page = "<meta charset=koi8-r><p>Ebbe um fünf";
        assert_eq!(says(page.as_bytes(), all, true), ("Ebbe um fünf\n".into(), "UTF-8".into()));
        let page = b"<p>Ebbe um f\xfcnf";
        assert_eq!(says(page, all, false), ("Ebbe um fünf\n".into(), "windows-1252".into()));
    }

    #[test]
    fn explanations_and_extractors() {
        let answer = explain(PAGE.as_bytes(), br#"{"extractor":"min-words"}"#, true);
        let explanation: serde_json::Value =
            serde_json::from_slice(&answer.expect("right options")).expect("JSON");
        assert_eq!(explanation["blocks"][0]["text"], "Home");
        assert_eq!(explanation["record"]["extractor"], "min-words");
        let list = extractors().expect("a list");
        let list: serde_json::Value = serde_json::from_slice(&list).expect("JSON");
        let strata =
            list.as_array().and_then(|list| list.iter().find(|one| one["name"] == "strata"));
        assert_eq!(strata.expect("built in")["favor"], true);
    }

    proptest! {
        #[test]
        fn any_bytes_give_an_answer(page: Vec<u8>, options: String, is_text: bool) {
            let answer = extract(&page, b"{}", is_text);
            prop_assert!(answer.is_ok());
            for line in [extract(&page, options.as_bytes(), is_text), explain(&page, options.as_bytes(), is_text)] {
                prop_assert!(line.is_ok() || line.is_err_and(|line| !line.contains('\n')));
            }
        }
    }
}
