//! Records as they were written, also by earlier releases.

use serde::Deserialize;
use webstrata::Record;
use webstrata::output::RECORD_VERSION;

use super::{ChunkPlace, Origin, PageRecord};

/// A record of any version.
#[derive(Deserialize)]
pub(super) struct Stored {
    id: Option<Id>,
    #[serde(flatten)]
    record: Record,
    text_language: Option<String>,
    chunk: Option<ChunkPlace>,
    #[serde(flatten)]
    origin: Origin,
    /// Version 1 of `extract`: the field `fetched`.
    date: Option<String>,
    /// Version 1 of `warc`.
    warc: Option<Warc>,
    /// Version 1 of `stream`.
    stream: Option<Stream>,
}

/// Answers of the server may have numbers.
#[derive(Deserialize)]
#[serde(untagged)]
enum Id {
    Text(String),
    Number(serde_json::Number),
}

/// Where a page of an archive came from, in version 1.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Warc {
    record_id: Option<String>,
    target_uri: Option<String>,
    date: Option<String>,
    payload_digest: Option<String>,
    status: Option<u16>,
    content_type: Option<String>,
    file: Option<String>,
    offset: Option<u64>,
    within: u64,
    truncated: bool,
}

/// Where a page of a stream came from, in version 1.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Stream {
    sequence: Option<u64>,
    site: Option<String>,
    feed: Option<String>,
    url_key: Option<String>,
    request_url: Option<String>,
    response_url: Option<String>,
    title: Option<String>,
    published: Option<String>,
    claimed: Option<String>,
    fetched: Option<String>,
    truncated: bool,
}

impl From<Stored> for PageRecord {
    fn from(stored: Stored) -> PageRecord {
        let Stored { id, mut record, text_language, chunk, mut origin, date, warc, stream } =
            stored;
        record.version = RECORD_VERSION;
        origin.fetched = origin.fetched.or(date);
        if let Some(warc) = warc {
            record.url = record.url.or(warc.target_uri);
            origin = Origin {
                file: warc.file,
                offset: warc.offset,
                within: warc.within,
                record_id: warc.record_id,
                fetched: warc.date,
                digest: warc.payload_digest,
                status: warc.status,
                content_type: warc.content_type,
                truncated: warc.truncated,
                ..origin
            };
        }
        if let Some(stream) = stream {
            record.url = record.url.or_else(|| stream.response_url.clone());
            origin = Origin {
                sequence: stream.sequence,
                site: stream.site,
                feed: stream.feed,
                url_key: stream.url_key,
                request_url: stream.request_url,
                response_url: stream.response_url,
                published: stream.published,
                claimed: stream.claimed,
                item_title: stream.title,
                fetched: stream.fetched,
                truncated: stream.truncated,
                ..origin
            };
        }
        let id = match id {
            Some(Id::Text(id)) => id,
            Some(Id::Number(id)) => id.to_string(),
            None => origin.sequence.map(|number| number.to_string()).unwrap_or_default(),
        };
        PageRecord { id, record, text_language, chunk, origin }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn read(own: &Value) -> PageRecord {
        let mut line = json!({"version": 1, "title": "Tides", "text": "High.\n", "language": null,
            "encoding": "UTF-8", "extractor": "strata", "confidence": 0.5, "words": 1, "page_words": 3,
            "limits": ["depth"]});
        let fields = line.as_object_mut().unwrap();
        fields.extend(own.as_object().unwrap().clone());
        let read = PageRecord::from_line(line.to_string().as_bytes()).unwrap();
        assert_eq!((read.record.version, read.record.limits.len()), (RECORD_VERSION, 1));
        // What was read is written in the current shape and read back.
        let written = read.to_line().unwrap();
        assert_eq!(PageRecord::from_line(&written).unwrap(), read);
        read
    }

    #[test]
    fn version_1_of_extract() {
        let read = read(&json!({"id": "a#7", "url": "https://a.example/", "date": "2026-11-15",
            "digest": "sha1:A"}));
        let expect = Origin {
            fetched: Some("2026-11-15".into()),
            digest: Some("sha1:A".into()),
            ..Origin::default()
        };
        assert_eq!((read.id.as_str(), read.origin), ("a#7", expect));
    }

    #[test]
    fn version_1_of_warc() {
        let read = read(&json!({"id": "a#7", "text_language": null, "warc": {"record_id": "urn:1",
            "target_uri": "https://a.example/", "date": "2026-11-15", "payload_digest": "sha1:A", "status": 200,
            "content_type": "text/html", "file": "a.warc", "offset": 7, "within": 3, "truncated": true}}));
        let expect = Origin {
            file: Some("a.warc".into()),
            offset: Some(7),
            within: 3,
            record_id: Some("urn:1".into()),
            fetched: Some("2026-11-15".into()),
            digest: Some("sha1:A".into()),
            status: Some(200),
            content_type: Some("text/html".into()),
            truncated: true,
            ..Origin::default()
        };
        assert_eq!(read.record.url.as_deref(), Some("https://a.example/"));
        assert_eq!(read.origin, expect);
    }

    #[test]
    fn version_1_of_stream() {
        let read = read(
            &json!({"stream": {"sequence": 42, "site": "harbour", "feed": "https://a.example/feed",
            "url_key": null, "request_url": "https://a.example/1", "response_url": "https://a.example/2",
            "title": "High water", "published": "2026-11-15T08:00:00Z", "claimed": "2999-11-15T08:00:00Z",
            "fetched": "2026-11-15T09:00:00Z", "truncated": true}}),
        );
        let expect = Origin {
            sequence: Some(42),
            site: Some("harbour".into()),
            feed: Some("https://a.example/feed".into()),
            request_url: Some("https://a.example/1".into()),
            response_url: Some("https://a.example/2".into()),
            item_title: Some("High water".into()),
            published: Some("2026-11-15T08:00:00Z".into()),
            claimed: Some("2999-11-15T08:00:00Z".into()),
            fetched: Some("2026-11-15T09:00:00Z".into()),
            truncated: true,
            ..Origin::default()
        };
        assert_eq!((read.id.as_str(), read.origin), ("42", expect));
        assert_eq!(read.record.url.as_deref(), Some("https://a.example/2"));
    }

    #[test]
    fn numbers_are_names_too() {
        assert_eq!(read(&json!({"id": 7})).id, "7");
    }
}
