//! webstrata: from the bytes of a page to its text.

use webstrata::output::{MarkupOptions, markdown};
use webstrata::{Extractor, Options};

/// The presets that the benchmark knows.
pub const PRESETS: [&str; 6] =
    ["strata", "article", "default", "keep-all", "strata-all", "article-all"];

/// A function from the bytes of a page to the text that the preset `name` keeps of it. With `-all` at
/// the end of its name it makes Markdown, metadata and links as well, from the same parse.
#[must_use]
pub fn preset(name: &str) -> Option<impl Fn(&[u8]) -> String + use<>> {
    let known = PRESETS.contains(&name).then_some(name)?;
    let text_only = known.strip_suffix("-all").filter(|start| *start != "keep");
    let extractor = Extractor::named(text_only.unwrap_or(known))?;
    let all = text_only.is_some();
    Some(move |raw: &[u8]| {
        if !all {
            return extractor.extract(raw).text();
        }
        let url = Some("https://www.example.org/news/page.html".to_owned());
        let options = Options { url, ..Options::default() };
        let page = extractor.extract_page(raw, &options);
        std::hint::black_box((page.metadata(), page.links()));
        std::hint::black_box(markdown(&page, &MarkupOptions::default()));
        page.document.text()
    })
}
