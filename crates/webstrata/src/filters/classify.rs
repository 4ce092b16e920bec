//! Verdicts on blocks one by one.

use super::filter;
use crate::document::Document;
use crate::error::Error;
use crate::features::Features;
use crate::model::BlockModel;

filter! {
    /// Decides block by block with a model over the features of the block and its two neighbours
    /// (section 4.3 of the WSDM paper), and gives each block the model's score. The model is a
    /// built-in decision tree (`num-words`, Algorithm 2; `density`, Algorithm 1; `cleaneval`, section
    /// 4.3.2; `canola`, boilerpipe's) or, in an extractor's TOML, the path of a model file of any
    /// kind (`.tree` or `.model`).
    #[doc(alias = "NumWordsRulesClassifier")]
    #[doc(alias = "DensityRulesClassifier")]
    #[doc(alias = "CanolaExtractor")]
    pub struct Classify: "classify", Classify {
        /// The model; in TOML, its name or the path of its file.
        #[serde(with = "reference")]
        pub model: BlockModel = Classify::new("num-words").model,
    }
}

impl Classify {
    /// Classifies with a built-in model.
    ///
    /// # Panics
    ///
    /// Where there is no such model. For models that are not known when the program is written, see
    /// [`BlockModel::named`] and [`BlockModel::parse`].
    pub fn new(model: &str) -> Classify {
        match builtin(model) {
            Ok(model) => Classify { model },
            Err(error) => panic!("{error}"),
        }
    }
}

impl Classify {
    fn change(&self, document: &mut Document) {
        let verdicts = self.model.classify_all(&Features::of(document));
        for (block, verdict) in document.blocks.iter_mut().zip(verdicts) {
            block.is_content = verdict.is_content();
            block.score = verdict.score;
        }
    }
}

fn builtin(name: &str) -> Result<BlockModel, Error> {
    let known = BlockModel::builtin().iter().map(BlockModel::name);
    BlockModel::named(name).cloned().ok_or_else(|| Error::unknown("model", name, known))
}

/// A model in TOML is a string.
mod reference {
    use serde::{Deserialize, Deserializer, Serializer, de::Error as _};

    use crate::model::BlockModel;

    pub(super) fn serialize<S: Serializer>(model: &BlockModel, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(model.reference())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<BlockModel, D::Error> {
        super::builtin(&String::deserialize(from)?).map_err(D::Error::custom)
    }
}

filter! {
    /// Keeps every block: the baseline of section 4.3.2.
    #[doc(alias = "MarkEverythingContentFilter")]
    pub struct KeepAll: "keep-all", Keep;
}

impl KeepAll {
    fn change(&self, document: &mut Document) {
        for block in &mut document.blocks {
            block.is_content = true;
        }
    }
}

filter! {
    /// Turns the verdict around: what was content is boilerplate and the other way round. At the
    /// end of an extractor it shows what the extractor leaves out.
    #[doc(alias = "InvertedFilter")]
    pub struct KeepInverted: "keep-inverted", Keep;
}

impl KeepInverted {
    fn change(&self, document: &mut Document) {
        for block in &mut document.blocks {
            block.is_content = !block.is_content;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filters::testing::{check_content, document, words};

    #[test]
    fn classify_looks_at_the_neighbours() {
        let page = document(&[
            ("Home", 1, false),
            ("A headline of five words", 0, false),
            (&words(20), 0, false),
            ("Share", 1, false),
        ]);
        check_content(Classify::new("num-words"), page, "-CC-");
    }

    #[test]
    fn classify_gives_scores() {
        let tree = "name: x\nabout: y\nwords <= 3: boilerplate (0.1)\nwords > 3: content (0.75)";
        let mut page = document(&[("one two", 0, true), ("one two three four", 0, false)]);
        Classify { model: BlockModel::parse(tree).unwrap() }.change(&mut page);
        let verdicts: Vec<_> = page.blocks.iter().map(|b| (b.is_content, b.score)).collect();
        assert_eq!(verdicts, [(false, 0.1), (true, 0.75)]);
    }

    #[test]
    #[should_panic(expected = "unknown model `num-wrods`, did you mean `num-words`?")]
    fn classify_names_the_nearest_model() {
        Classify::new("num-wrods");
    }

    #[test]
    fn all_and_inverted() {
        let page = document(&[("a", 0, false), ("b", 0, true)]);
        check_content(KeepAll, page.clone(), "CC");
        check_content(KeepInverted, page, "C-");
    }
}
