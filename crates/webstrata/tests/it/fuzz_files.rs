//! What holds for any file that says how pages are read: extractors and models. The targets of `fuzz/` include this file.

use std::sync::LazyLock;

use webstrata::features::FEATURES;
use webstrata::{BlockModel, Error, Extractor, Options};

const PAGE: &[u8] =
    b"<title>Tides</title><nav><a href=/>Home</a> <a href=/log>Log</a></nav><h1>High water</h1>\
    <p>High water is at noon, the harbour office says, and the ferry leaves an hour earlier than on other days.</p>\
    <table><tr><td>Monday<td>12:10</table><ul><li>one<li><a href=/two>two</a></ul><p>Comments (2)\
    <p>Low water is in the evening.<footer>Imprint | 2026</footer>";

fn told(error: &Error) {
    let told = error.to_string();
    assert!(!told.is_empty() && !told.contains('\n'), "{told:?}");
}

/// An extractor as TOML. What can be read is written and read back, and reads a page.
pub(crate) fn extractor(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    let model =
        |_: &str| Ok("name: a\nabout: b\nwords <= 3: boilerplate\nwords > 3: content".into());
    let extractor = match Extractor::from_toml_with(text, model) {
        Ok(extractor) => extractor,
        Err(error) => return told(&error),
    };
    let written = extractor.to_toml();
    let back = Extractor::from_toml_with(&written, model);
    assert_eq!(back.as_ref(), Ok(&extractor), "{written}");
    let mut page = extractor.extract_page(PAGE, &Options::default());
    let traces = extractor.explain(&mut page.document);
    assert_eq!(traces.len(), extractor.steps.len());
}

/// A model as text. What can be read is written and read back, and judges any block.
pub(crate) fn model(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    let model = match BlockModel::parse(text) {
        Ok(model) => model,
        Err(error) => return told(&error),
    };
    let written = model.to_string();
    assert_eq!(BlockModel::parse(&written).as_ref(), Ok(&model), "{written}");
    assert!(model.features().all(|name| FEATURES.iter().any(|feature| feature.name == name)));
    for value in [0.0, 0.5, 7.0, -1e30, 1e300, f64::NAN] {
        let verdict = model.classify_row(|feature| value * (feature % 3) as f64);
        assert!((0.0..=1.0).contains(&verdict.score), "{verdict:?} of {value}");
    }
}

/// A model file of `train strata`: the built-in one with some bytes changed, or its beginning. Three bytes are the place of a
/// change, or of the end, and one is what comes there.
pub(crate) fn weights(bytes: &[u8]) {
    static BUILT_IN: LazyLock<[(&Extractor, Vec<u8>); 3]> = LazyLock::new(|| {
        use webstrata::training::{site::SiteModel, strata::MaxModel, strata::StrataModel};
        let named = |name| Extractor::named(name).expect("a built-in");
        [
            (named("strata"), StrataModel::builtin().to_bytes()),
            (named("strata-max"), MaxModel::builtin().to_bytes()),
            (named("strata+site"), SiteModel::builtin().to_bytes()),
        ]
    });
    let Some((choice, changes)) = bytes.split_first() else { return };
    let (extractor, whole) = &BUILT_IN[usize::from(choice % 3)];
    let mut model = whole.clone();
    for change in changes.chunks_exact(4) {
        let &[high, middle, low, value] = change else { break };
        let place = u32::from_be_bytes([0, high & 0x7f, middle, low]) as usize % model.len().max(1);
        match model.get_mut(place) {
            Some(byte) if high < 0xff => *byte = value,
            _ => model.truncate(place),
        }
    }
    match extractor.with_model(&model) {
        Err(error) => told(&error),
        Ok(extractor) => {
            let page = extractor.extract_page(PAGE, &Options::default());
            assert!(page.document.blocks.iter().all(|block| (0.0..=1.0).contains(&block.score)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{extractor, model, weights};
    use crate::corpora::hold;

    #[test]
    fn corpora_hold() {
        hold("extractor", extractor);
        hold("model", model);
        hold("weights", weights);
    }
}
