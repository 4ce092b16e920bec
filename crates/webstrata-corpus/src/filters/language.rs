//! See [`Language`].

use webstrata::metadata::identify_language;

use super::{Candidate, Filter, Verdict, check_share};

filter! {
    /// Keeps pages in some languages. The language is identified from the text, with a confidence: how often
    /// such an answer is right. Of a text that says too little, the declared language counts.
    Language = "language" {
        /// The languages that stay, as ISO 639-1 has them.
        keep: Vec<String> = vec!["en".into()],
        /// The least confidence of an identification, 0 to 1.
        min_confidence: f64 = 0.0,
        /// Do pages stay whose language is neither identified nor declared?
        keep_unknown: bool = false,
    }
}

impl Language {
    fn check(&self) -> Result<(), String> {
        if self.keep.is_empty() {
            return Err("keep: expected codes of languages, such as [\"en\", \"de\"]".into());
        }
        check_share("min-confidence", self.min_confidence)
    }
}

impl Filter for Language {
    fn judge(&self, page: &mut Candidate) -> Verdict {
        let keeps = |language: &str| self.keep.iter().any(|keep| keep.eq_ignore_ascii_case(language));
        if let Some((language, confidence)) = identify_language(page.text()) {
            return match keeps(language) {
                false => Verdict::Drop("other-language"),
                true if f64::from(confidence) < self.min_confidence => Verdict::Drop("not-sure"),
                true => Verdict::Keep,
            };
        }
        let declared = page.record().record.language.as_deref();
        match declared.and_then(|tag| tag.split(['-', '_']).next()) {
            Some(language) if keeps(language) => Verdict::Keep,
            Some(_) => Verdict::Drop("other-language"),
            None if self.keep_unknown => Verdict::Keep,
            None => Verdict::Drop("unknown"),
        }
    }
}
