//! webstrata: from the bytes of a page to its text.

use webstrata::Extractor;

/// The presets that the benchmark knows.
pub const PRESETS: [&str; 3] = ["article", "default", "keep-all"];

/// A function from the bytes of a page to the text that the preset `name` keeps of it.
#[must_use]
pub fn preset(name: &str) -> Option<impl Fn(&[u8]) -> String + use<>> {
    let known = PRESETS.contains(&name).then_some(name);
    let extractor = known.and_then(Extractor::named)?;
    Some(move |raw: &[u8]| extractor.extract(raw).text())
}
