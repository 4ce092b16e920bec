//! The verdict of the learned model.

use std::sync::Arc;

use super::{Classify, Filter, filter};
use crate::document::{Atom, Document};
use crate::options::Hidden;
use crate::strata::reasons::Judge;
use crate::strata::{MaxModel, StrataModel};

filter! {
    /// Keeps the blocks that together are most likely the main text, by a model trained on pages of
    /// many kinds (`docs/strata.md`). It gives each block a score and a class, and the document
    /// its type and the confidence in its text. Pages that were not cut with `strata`, or into more
    /// blocks than any page for readers has, are classified by words and links (`num-words`).
    pub struct KeepLikely: "keep-likely", Keep, asks(recall) {
        /// The weight of recall: above 1 doubtful blocks are rather kept, below 1 rather dropped.
        pub recall: f64 = 1.0,
        /// The confidence up to which a network is asked, too, which takes several times as long as the trees: with 0
        /// on no page, with 1 on all.
        pub network_up_to: f64 = 0.0,
        /// A model that was loaded; the built-in one where `None`. TOML cannot hold it.
        #[serde(skip)]
        pub(crate) model: Option<Arc<StrataModel>> = None,
        /// The same of the model that the network is of.
        #[serde(skip)]
        pub(crate) max_model: Option<Arc<MaxModel>> = None,
    }
}

impl KeepLikely {
    fn change(&self, document: &mut Document) {
        let Some(mut observations) = document.observations.take() else {
            return by_words(document);
        };
        let words: Vec<f32> = document.atoms.iter().map(|atom| atom.counts.words as f32).collect();
        let model = self.model.as_deref().unwrap_or_else(|| StrataModel::builtin());
        let max = (self.network_up_to > 0.0).then(|| {
            let max = self.max_model.as_deref().unwrap_or_else(|| MaxModel::builtin());
            (max, self.network_up_to as f32)
        });
        let clock = &document.clock;
        let judged = model.judge_in_time(&mut observations, &words, self.recall, max, clock);
        let Some(judgement) = judged else { return by_words(document) };
        for block in &mut document.blocks {
            let atom = block.first_atom();
            block.score = judgement.scores[atom];
            block.is_content =
                judgement.kept[atom] && can_be_read(&document.atoms[atom], document.hidden);
            block.class =
                Some(observations.class(atom, block.is_content, &judgement.classes[atom]));
        }
        document.page_type = Some(judgement.page_type);
        document.confidence = Some(judgement.confidence);
        document.judge = Some(Judge::of(self.model.as_ref()));
        document.observations = Some(observations);
    }
}

/// The verdict on pages that the model cannot judge.
fn by_words(document: &mut Document) {
    Classify::default().apply(document);
    for block in &mut document.blocks {
        block.is_content &= can_be_read(&document.atoms[block.first_atom()], document.hidden);
    }
}

filter! {
    /// Keeps all text of the element that looks most like an article: the one with the most long
    /// sentences and the fewest links. It needs pages that were cut with `strata`; others it leaves as
    /// they are.
    pub struct KeepBestContainer: "keep-best-container", Keep;
}

impl KeepBestContainer {
    fn change(&self, document: &mut Document) {
        let Some(observations) = document.observations.take() else { return };
        for block in &mut document.blocks {
            let atom = block.first_atom();
            block.is_content = observations.is_in_best_container(atom)
                && can_be_read(&document.atoms[atom], document.hidden);
        }
        document.observations = Some(observations);
    }
}

/// May a text be content, as far as it is hidden? What readers can open is for them to read.
pub(crate) fn can_be_read(atom: &Atom, hidden: Hidden) -> bool {
    hidden != Hidden::Drop || !atom.hidden || atom.openable
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filters::testing::{check_content, document, words};
    use crate::{Extractor, Options};

    #[test]
    fn pages_cut_otherwise_are_classified_by_words() {
        let blocks = [(words(30), 0, false), ("Home".to_owned(), 1, true)];
        let blocks = blocks.each_ref().map(|(text, links, content)| (&**text, *links, *content));
        check_content(KeepLikely::default(), document(&blocks), "C-");
        check_content(KeepBestContainer, document(&blocks), "-C");
    }

    #[test]
    fn a_page_of_few_words_is_its_text() {
        for (page, text) in [
            ("<p>High water is at noon.", "High water is at noon.\n"),
            ("<title>Tides</title><h1>Tides</h1><p>High at noon.", "High at noon.\n"),
            ("Hello world", "Hello world\n"),
        ] {
            assert_eq!(crate::extract(page.as_bytes()).text(), text, "{page}");
        }
    }

    #[test]
    fn the_recipe_in_the_data_of_a_page_is_kept() {
        let sentence = "Old boats were tarred in spring, said the pilot, when the tide was low and the air dry. ";
        let page = |data: &str| {
            format!(
                "<script type=application/ld+json>{data}</script><nav><ul><li><a href=/tar>2 buckets of tar</a>\
                 <li><a href=/chalk>1 cup of chalk</a><li><a href=/pier>The old pier</a></ul></nav><p>{0}<p>{0}",
                sentence.repeat(3)
            )
        };
        let kept = |data: &str| {
            let page = page(data);
            let document = crate::extract(page.as_bytes()).document;
            let kept = document.blocks.iter().filter(|block| block.is_content);
            kept.map(|block| document.block_text(block).trim().to_owned()).collect::<Vec<_>>()
        };
        let data =
            r#"{"@type": "Recipe", "recipeIngredient": ["2 buckets of tar", "1 cup of chalk"]}"#;
        let text = sentence.repeat(3).trim().to_owned();
        assert_eq!(kept(data), ["2 buckets of tar", "1 cup of chalk", &text, &text]);
        assert_eq!(kept("{}"), [text.as_str(), &text]);
    }

    #[test]
    fn the_best_container_has_the_sentences() {
        let sentence =
            "The ferry between the two islands runs every hour from Monday on, they said. ";
        let page = format!(
            "<ul><li><a href=/>Home</a></ul><div id=a><p>{sentence}<p>{sentence}<p hidden>Secret.\
             </div><div>Imprint</div>"
        );
        let text = |hidden: Hidden| {
            let options = Options { hidden, ..Options::default() };
            Extractor::named("container").unwrap().extract_with(page.as_bytes(), &options).text()
        };
        let twice = format!("{}\n", sentence.trim()).repeat(2);
        assert_eq!(text(Hidden::Drop), twice);
        assert_eq!(text(Hidden::Keep), twice + "Secret.\n");
    }
}
