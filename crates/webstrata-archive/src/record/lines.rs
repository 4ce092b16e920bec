//! Records that come in as lines of JSON: those of this program, and those of others that have a `text`.

use serde::Deserialize;
use serde_json::{Map, Value, json};
use webstrata::output::RECORD_VERSION;
use webstrata::words::for_each_word;

use super::PageRecord;
use crate::arrival::Arrival;

/// The text of a record, and nothing else of it.
#[derive(Deserialize)]
struct Text {
    text: String,
}

/// What is taken over from records of other programs. Fields of these names may have other shapes there.
const TEXTS: [&str; 4] = ["title", "language", "url", "fetched"];

impl Arrival {
    /// The text of an arrival that [is a record](Arrival::is_record).
    pub fn record_text(&self) -> Option<String> {
        let is_record = self.is_record();
        let read = || serde_json::from_slice(&self.bytes).ok().map(|Text { text }| text);
        is_record.then(read).flatten()
    }

    /// The record itself. What another program wrote needs a `text`; its `id`, `url`, `title`, `language` and
    /// `fetched` or `date` are taken over.
    pub fn page_record(&self) -> Option<PageRecord> {
        if !self.is_record() {
            return None;
        }
        if let Ok(record) = PageRecord::from_line(&self.bytes) {
            return Some(record);
        }
        let line: Map<String, Value> = serde_json::from_slice(&self.bytes).ok()?;
        let text = line.get("text")?.as_str()?;
        let mut words = 0u32;
        for_each_word(text, |_| words = words.saturating_add(1));
        let mut record = json!({
            "version": RECORD_VERSION, "title": null, "text": text, "language": null, "encoding": "UTF-8",
            "extractor": "", "words": words, "page_words": words, "limits": [],
            "id": self.id.clone().unwrap_or_else(|| self.name.clone()),
            "fetched": self.fetched, "url": self.url,
        });
        let known = TEXTS.iter().filter_map(|name| Some((*name, line.get(*name)?)));
        for (name, value) in known.filter(|(_, value)| value.is_string()) {
            record[name] = value.clone();
        }
        serde_json::from_value(record).ok()
    }
}
