//! Where in a table the columns of pages are.

use super::Columns;

/// What columns are usually called, the best name first.
const HTML: [&str; 5] = ["html", "content", "body", "raw_html", "page"];
const URL: [&str; 6] =
    ["url", "response_url", "request_url", "target_uri", "warc_target_uri", "link"];
const DATE: [&str; 7] =
    ["fetched", "date", "time", "timestamp", "warc_date", "crawl_date", "published"];
const ID: [&str; 2] = ["id", "record_id"];

/// Where in a table the columns are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) html: usize,
    pub(crate) url: Option<usize>,
    pub(crate) date: Option<usize>,
    pub(crate) id: Option<usize>,
}

impl Columns {
    /// Finds the columns in a table that has these. Only those that are texts can be pages.
    pub(crate) fn find(&self, names: &[(String, bool)]) -> Result<Found, String> {
        let shown = || {
            let names: Vec<&str> = names.iter().take(50).map(|(name, _)| name.as_str()).collect();
            if names.is_empty() { "none".to_owned() } else { names.join(", ") }
        };
        let chosen = |kind: &str, name: &Option<String>, guesses: &[&str], is_text: bool| {
            let has = |wanted: &str, any_case: bool| {
                names.iter().position(|(name, text)| {
                    let is = name == wanted || (any_case && name.eq_ignore_ascii_case(wanted));
                    is && (*text || !is_text)
                })
            };
            match name {
                None => Ok(guesses.iter().find_map(|guess| has(guess, true))),
                Some(name) => has(name, false).map(Some).ok_or_else(|| {
                    format!("the table has no column `{name}` for {kind}; its columns: {}", shown())
                }),
            }
        };
        let html = chosen("html", &self.html, &HTML, true)?.ok_or_else(|| {
            format!(
                "the table has no column of pages (html, content or body); its columns: {}; choose with html=NAME",
                shown()
            )
        })?;
        Ok(Found {
            html,
            url: chosen("url", &self.url, &URL, true)?,
            date: chosen("date", &self.date, &DATE, false)?,
            id: chosen("id", &self.id, &ID, false)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<(String, bool)> {
        // Numbers begin with `n`.
        names.iter().map(|name| ((*name).to_owned(), !name.starts_with('n'))).collect()
    }

    #[test]
    fn columns_are_guessed_or_chosen() {
        let table = names(&["n", "Body", "link", "content", "URL", "date"]);
        let guessed = Columns::default().find(&table).unwrap();
        assert_eq!(guessed, Found { html: 3, url: Some(4), date: Some(5), id: None });
        let columns: Columns = "html = Body, url=link,id=n".parse().unwrap();
        let chosen = columns.find(&table).unwrap();
        assert_eq!(chosen, Found { html: 1, url: Some(2), date: Some(5), id: Some(0) });
    }

    #[test]
    fn what_is_missing_is_named() {
        let wrong = Columns::default().find(&names(&["text", "n"])).unwrap_err();
        assert!(wrong.contains("its columns: text, n;"), "{wrong}");
        let number = Columns { html: Some("n".into()), ..Columns::default() };
        let wrong = number.find(&names(&["html", "n"])).unwrap_err();
        assert_eq!(wrong, "the table has no column `n` for html; its columns: html, n");
        for wrong in ["text=a", "html", "html="] {
            assert!(wrong.parse::<Columns>().unwrap_err().contains("expected"), "{wrong}");
        }
    }
}
