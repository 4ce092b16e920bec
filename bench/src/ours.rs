//! webstrata: from the bytes of a page to its text.

use webstrata::output::{OutputOptions, RecordPart, text};
use webstrata::{Extractor, Options, Record};

/// The presets that the benchmark knows.
pub const PRESETS: [&str; 8] =
    ["strata", "strata-max", "article", "default", "keep-all", "strata-text", "strata-all", "article-all"];

/// What a preset makes of a page.
#[derive(Clone, Copy)]
enum Wanted {
    /// The text, one line a block.
    Flat,
    /// The text with its structure.
    Text,
    /// The same, with Markdown, metadata, links and posts, from the same parse.
    All,
}

/// A function from the bytes of a page to the text that the preset `name` keeps of it: `strata` is flat, `strata-text`
/// structured, `strata-all` has all outputs.
#[must_use]
pub fn preset(name: &str) -> Option<impl Fn(&[u8]) -> String + use<>> {
    let known = PRESETS.contains(&name).then_some(name)?;
    let (extractor, wanted) = match known.rsplit_once('-') {
        Some((extractor, "text")) => (extractor, Wanted::Text),
        Some((extractor, "all")) if extractor != "keep" => (extractor, Wanted::All),
        _ => (known, Wanted::Flat),
    };
    let extractor = Extractor::named(extractor)?;
    Some(move |raw: &[u8]| {
        let url = Some("https://www.example.org/news/page.html".to_owned());
        let options = Options { url, ..Options::default() };
        let written = OutputOptions::default();
        match wanted {
            Wanted::Flat => extractor.extract(raw).text(),
            Wanted::Text => text(&extractor.extract_page(raw, &options), &written),
            Wanted::All => {
                let page = extractor.extract_page(raw, &options);
                let parts = [
                    RecordPart::Markdown,
                    RecordPart::Metadata,
                    RecordPart::Links,
                    RecordPart::Posts,
                ];
                std::hint::black_box(Record::of(&page, &parts, &written)).text
            }
        }
    })
}
