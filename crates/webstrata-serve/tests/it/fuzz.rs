//! What holds for any request. The targets of `fuzz/` include this file.

use std::time::Duration;

use webstrata_serve::{Limits, LocalServer, ServerSettings};

const PATHS: [&str; 12] = [
    "/v1/extract",
    "/v1/explain",
    "/v1/segment",
    "/v1/batch",
    "/v1/search",
    "/v1/facets",
    "/v1/streams",
    "/v1/extractors",
    "/v1/info",
    "/health",
    "/metrics",
    "/",
];

const TYPES: [&str; 6] = [
    "application/json",
    "text/html",
    "text/html; charset=gb18030",
    "multipart/form-data; boundary=x",
    "application/x-ndjson",
    "application/octet-stream",
];

thread_local! {
    static SERVER: LocalServer = {
        let limits = Limits { workers: 1, body: 1 << 16, queue_time: Duration::from_secs(600), ..Limits::default() };
        LocalServer::new(ServerSettings { limits, ..ServerSettings::default() }).expect("good settings")
    };
}

/// A request: a byte for the path, one for the type of the body, a line with the query, and the body.
pub(crate) fn request(bytes: &[u8]) {
    let [path, kind, rest @ ..] = bytes else { return };
    let end = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
    let Ok(query) = str::from_utf8(&rest[..end]) else { return };
    let body = rest.get(end + 1..).unwrap_or_default();
    let path = format!("{}?{query}", PATHS[usize::from(*path) % PATHS.len()]);
    let is_get = body.is_empty() && kind & 0x80 == 0;
    let kind = TYPES[usize::from(kind & 0x7f) % TYPES.len()];
    let fields = [("Host", &b"localhost"[..]), ("Content-Type", kind.as_bytes())];
    let method = if is_get { "GET" } else { "POST" };
    // Not every text is a query.
    let Ok((status, answer)) = SERVER.with(|server| server.ask(method, &path, &fields, body))
    else {
        return;
    };
    assert!(matches!(status, 200 | 400 | 403 | 404 | 405 | 413 | 415 | 503), "{status} {path}");
    if status != 200 {
        let answer: serde_json::Value = serde_json::from_slice(&answer).expect("a refusal");
        let message = answer["error"]["message"].as_str().expect("a message");
        assert!(!message.contains('\n') && message.len() < 1000, "{message}");
        assert_eq!(answer["error"]["status"], status);
        assert!(!message.contains("mistake of the server"), "{message}");
    }
}

#[cfg(test)]
mod tests {
    use super::request;
    use crate::corpora::hold;

    #[test]
    fn corpora_hold() {
        hold("request", request);
    }
}
