//! The ways of comparing pages, by name: what is taken of a page, and what decides about it.

use anyhow::bail;
use webstrata::Request;
use webstrata_corpus::similarity::{
    Decision, ExactIndex, Fingerprint, Index, NearIndex, NearOptions, NearSketch, NearText, Part,
    SimilarityOptions, Sketch, Tally, text_key,
};
use webstrata_site::url_key::Rules;
use webstrata_terminal::input::Input;
use webstrata_terminal::report;

use super::Args;

/// How pages are compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Method {
    /// Near-duplicates by their main texts.
    MainText,
    /// Pages with the same main text.
    SameText,
    /// Pages with the same URL key.
    UrlKey,
    /// Near-duplicates by a part of the page (thesis, 4.2.5).
    Part(Part),
}

impl Method {
    /// All of them by name, the default first.
    pub(super) fn all() -> impl Iterator<Item = (Method, &'static str)> {
        let ours = [
            (Method::MainText, "main-text"),
            (Method::SameText, "same-text"),
            (Method::UrlKey, "url-key"),
        ];
        ours.into_iter().chain(Part::all().map(|(part, name)| (Method::Part(part), name)))
    }
}

/// The settings of a method.
#[derive(Clone, Copy, Debug)]
pub(super) enum Settings {
    Near(NearOptions),
    Exact,
    Thesis(SimilarityOptions),
}

impl Settings {
    pub(super) fn of(args: &Args) -> anyhow::Result<Settings> {
        let is_near = args.method == Method::MainText;
        let is_exact = matches!(args.method, Method::SameText | Method::UrlKey);
        let wrong = [
            ("--bands", args.bands.is_some() && !is_near, "main-text"),
            ("--rows", args.rows.is_some() && !is_near, "main-text"),
            (
                "--hashes",
                args.hashes.is_some() && (is_near || is_exact),
                "fulltext, rule-based and the like",
            ),
            ("--shingle", args.shingle.is_some() && is_exact, "main-text and those of the thesis"),
            (
                "--threshold",
                args.threshold.is_some() && is_exact,
                "main-text and those of the thesis",
            ),
        ];
        if let Some((flag, _, methods)) = wrong.into_iter().find(|(_, is_wrong, _)| *is_wrong) {
            bail!("{flag} is for --method {methods}");
        }
        if is_exact {
            return Ok(Settings::Exact);
        }
        if !is_near {
            let default = SimilarityOptions::default();
            let shingle = args.shingle.unwrap_or(default.shingle());
            let hashes = args.hashes.unwrap_or(default.hashes());
            let settings = SimilarityOptions::new(shingle, hashes, args.threshold.unwrap_or(0.5))?;
            return Ok(Settings::Thesis(settings));
        }
        let default = NearOptions::default();
        Ok(Settings::Near(NearOptions::new(
            args.shingle.unwrap_or(default.shingle()),
            args.bands.unwrap_or(default.bands()),
            args.rows.unwrap_or(default.rows()),
            args.threshold.unwrap_or(default.threshold()),
        )?))
    }
}

/// What is compared of a page.
pub(super) enum Print {
    Near(NearText),
    Exact(u128),
    Thesis(Fingerprint),
}

impl Print {
    pub(super) fn tokens(&self) -> u32 {
        match self {
            Print::Near(text) => text.words(),
            Print::Exact(_) => 0,
            Print::Thesis(print) => print.tokens(),
        }
    }

    pub(super) fn bytes(&self) -> usize {
        match self {
            Print::Near(text) => text.bytes(),
            Print::Exact(_) => size_of::<u128>(),
            Print::Thesis(print) => 4 * print.hashes().len(),
        }
    }
}

/// Takes of pages what is compared, on any thread.
pub(super) struct Taking {
    request: Request,
    how: How,
}

enum How {
    Near(NearSketch),
    SameText,
    UrlKey(Rules),
    Part(Part, Sketch),
}

impl Taking {
    pub(super) fn new(args: &Args, settings: Settings) -> anyhow::Result<Taking> {
        let request = args.extractor.request(&args.reading)?;
        if request.extractor().asks_for_site() {
            bail!(
                "--extractor {}: needs other pages of a site; extract first, then name the records here",
                request.extractor().name
            );
        }
        let how = match (args.method, settings) {
            (Method::Part(mut part), Settings::Thesis(settings)) => {
                if let (Part::Largest(segmenter), Some(width)) = (&mut part, request.options.width)
                {
                    segmenter.width = width;
                }
                How::Part(part, Sketch::new(settings))
            }
            (_, Settings::Near(options)) => How::Near(NearSketch::new(options)),
            (Method::UrlKey, _) => How::UrlKey(Rules::default()),
            _ => How::SameText,
        };
        Ok(Taking { request, how })
    }

    /// What is compared of a page or record, and what a person should know of it.
    pub(super) fn take(&self, input: &Input) -> Result<(Option<Print>, Option<String>), String> {
        if let How::UrlKey(rules) = &self.how {
            let url = input.arrival().and_then(|arrival| arrival.url.as_deref());
            let key = url.and_then(|url| rules.key(url, ""));
            return Ok((key.map(|key| Print::Exact(key.hash())), None));
        }
        if let Some(arrival) = input.arrival().filter(|arrival| arrival.is_record()) {
            let text = arrival.record_text().ok_or("its `text` cannot be read")?;
            return Ok((self.print(&text), None));
        }
        let bytes = input.read(self.request.options.limits.bytes)?;
        let options = input.options(&self.request.options);
        if let How::Part(part, sketch) = &self.how {
            let page = part.read(&bytes, &options);
            let print = sketch.texts(part.texts(&page));
            return Ok((print.map(Print::Thesis), report::cut_short(&page.document)));
        }
        let page = self.request.extract_with(&bytes, &options);
        Ok((self.print(&self.request.text(&page)), report::cut_short(&page.document)))
    }

    fn print(&self, text: &str) -> Option<Print> {
        match &self.how {
            How::Near(sketch) => sketch.text(text).map(Print::Near),
            How::Part(_, sketch) => sketch.text(text).map(Print::Thesis),
            How::SameText | How::UrlKey(_) => text_key(text).map(Print::Exact),
        }
    }
}

/// The pages that were kept.
pub(super) enum Kept {
    Near(NearIndex),
    Exact(ExactIndex),
    Thesis(Index),
}

impl Kept {
    pub(super) fn new(settings: Settings, memory: usize) -> anyhow::Result<Kept> {
        Ok(match settings {
            Settings::Near(options) => Kept::Near(NearIndex::new(options, memory)?),
            Settings::Exact => Kept::Exact(ExactIndex::new(memory)),
            Settings::Thesis(settings) => Kept::Thesis(Index::new(settings, memory)),
        })
    }

    pub(super) fn add(&mut self, name: &str, print: &Print) -> anyhow::Result<Decision<'_>> {
        Ok(match (self, print) {
            (Kept::Near(index), Print::Near(text)) => index.add(name, text)?,
            (Kept::Exact(index), Print::Exact(key)) => index.add(name, *key),
            (Kept::Thesis(index), Print::Thesis(print)) => index.add(name, print),
            _ => Decision::Kept,
        })
    }

    pub(super) fn tally(&self) -> Tally {
        match self {
            Kept::Near(index) => index.tally(),
            Kept::Exact(index) => index.tally(),
            Kept::Thesis(index) => index.tally(),
        }
    }
}
