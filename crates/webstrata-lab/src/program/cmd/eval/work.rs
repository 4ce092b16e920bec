//! What is done with one page: read, extract, compare.

use std::time::Instant;

use webstrata::cutting::Cutting;
use webstrata::output::{self, OutputOptions};
use webstrata::{Document, Options};
use webstrata_lab::Entry;
use webstrata_lab::conventions::Convention;
use webstrata_lab::outputs::ToolTexts;
use webstrata_lab::scores::{Gold, Scores};
use webstrata_lab::sets::PageDigest;

use super::{ConventionOf, Ours};

/// The same for every page of a set.
pub(super) struct Work<'a> {
    ours: &'a [Ours],
    tools: &'a [ToolTexts],
    /// The convention of the set.
    own: Convention,
    options: Options,
    keeps_texts: bool,
}

/// A page's results, those of our extractors first.
pub(super) struct Done {
    pub(super) digest: PageDigest,
    pub(super) gold_has_words: bool,
    /// Our texts and the seconds that each took; none if they are not to be kept.
    pub(super) texts: Vec<(String, f64)>,
    /// `None` where the gold text has no word or a tool has no text.
    pub(super) scores: Vec<Option<Scores>>,
}

impl<'a> Work<'a> {
    pub(super) fn new(
        ours: &'a [Ours],
        tools: &'a [ToolTexts],
        own: Convention,
        options: Options,
        keeps_texts: bool,
    ) -> Work<'a> {
        Work { ours, tools, own, options, keeps_texts }
    }

    pub(super) fn page(&self, entry: &Entry) -> Result<Done, String> {
        let page = entry.read_page().map_err(|error| error.to_string())?;
        let gold_text = entry.read_gold().map_err(|error| error.to_string())?;
        let mut gold = Gold::new(&gold_text);
        let gold_has_words = !gold.is_empty();
        let mut score = |text: &str| gold_has_words.then(|| gold.scores(text));
        // A page is parsed once for all extractors that cut it in the same way.
        let mut cut: Vec<(Cutting, Document, f64)> = Vec::new();
        let (mut texts, mut scores) = (Vec::new(), Vec::new());
        for ours in self.ours {
            if let Some(convention) = ours.convention {
                let start = Instant::now();
                let text = self.written(&page, ours, convention);
                scores.push(score(&text));
                if self.keeps_texts {
                    texts.push((text, start.elapsed().as_secs_f64()));
                }
                continue;
            }
            let cutting = ours.extractor.cutting;
            if !cut.iter().any(|(known, ..)| *known == cutting) {
                let start = Instant::now();
                let document = webstrata::read(&page, cutting, &self.options);
                cut.push((cutting, document, start.elapsed().as_secs_f64()));
            }
            let (_, document, reading) =
                cut.iter().find(|(known, ..)| *known == cutting).expect("just added");
            let start = Instant::now();
            let mut document = document.clone();
            ours.extractor.apply(&mut document);
            let text = document.text();
            let seconds = reading + start.elapsed().as_secs_f64();
            scores.push(score(&text));
            if self.keeps_texts {
                texts.push((text, seconds));
            }
        }
        scores.extend(self.tools.iter().map(|tool| tool.of(&entry.id).and_then(&mut score)));
        Ok(Done { digest: entry.digest(&page, &gold_text), gold_has_words, texts, scores })
    }

    /// The text of a page as `webstrata extract` writes it.
    fn written(&self, page: &[u8], ours: &Ours, convention: ConventionOf) -> String {
        let Convention { include, exclude } = match convention {
            ConventionOf::Own => self.own,
            ConventionOf::Set(convention) => convention,
        };
        let page = ours.extractor.extract_page(page, &self.options);
        output::text(&page, &OutputOptions { include, exclude, ..OutputOptions::DEFAULT })
    }
}
