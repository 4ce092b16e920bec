//! How the pages of a stream become records.

use webstrata::output::{MarkupOptions, Part};
use webstrata::{Extractor, Options, Record};
use webstrata_stream::fetch::Response;
use webstrata_stream::pipeline::{Extract, PageKeys};
use webstrata_stream::url_tree::{UrlTree, Visit, text_key};

/// An extractor that looks at one page at a time.
pub(crate) struct Pages {
    pub(crate) extractor: Extractor,
    pub(crate) options: Options,
    pub(crate) parts: Vec<Part>,
    pub(crate) markup: MarkupOptions,
}

/// What is left of a page that was read: its record, and what the URL Tree wants to know of it.
pub(crate) struct Cut {
    record: Record,
    texts: Vec<u64>,
}

impl Extract for Pages {
    type Cut = Cut;

    fn cut(&self, page: &Response) -> Cut {
        let options = Options {
            url: Some(page.url.clone()),
            charset: page
                .content_type
                .as_deref()
                .and_then(charset)
                .or(self.options.charset.clone()),
            ..self.options.clone()
        };
        let page = self.extractor.extract_page(&page.body, &options);
        let document = &page.document;
        let texts = (0..document.atoms.len()).map(|atom| text_key(document.atom_text(atom)));
        Cut { texts: texts.collect(), record: Record::of(&page, &self.parts, &self.markup) }
    }

    fn keys(&self, cut: &Cut) -> PageKeys {
        PageKeys { texts: cut.texts.clone(), places: Vec::new() }
    }

    fn record(&self, cut: Cut, _tree: &UrlTree, _visit: Option<&Visit>) -> Record {
        cut.record
    }
}

/// The charset that a `Content-Type` names, if it is one.
fn charset(content_type: &str) -> Option<String> {
    let named = |parameter: &str| {
        let (name, value) = parameter.split_once('=')?;
        let label = value.trim().trim_matches(['"', '\'']).trim();
        let is_charset = name.trim().eq_ignore_ascii_case("charset");
        (is_charset && Options::is_charset(label)).then(|| label.to_owned())
    };
    content_type.split(';').skip(1).find_map(named)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn charsets_that_exist() {
        assert_eq!(charset("text/html; Charset=\"GB2312\""), Some("GB2312".into()));
        assert_eq!(charset("text/html; charset=klingon-1"), None);
        assert_eq!(charset("text/html"), None);
    }
}
