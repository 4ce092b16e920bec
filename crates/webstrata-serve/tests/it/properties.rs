//! What holds for any bytes and for any JSON.

use std::sync::LazyLock;

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::client::{Server, head};

/// One server for all cases, over one connection each.
static SERVER: LazyLock<Server> = LazyLock::new(Server::start);

/// Any JSON, rather often with names that mean something.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,20}".prop_map(Value::from),
        "(strata|article|keep-all|plain|blocks|utf-8|recall|drop|<p>a<b>b)".prop_map(Value::from),
    ];
    let name = prop_oneof![
        "(id|html|url|extractor|favor|with|links|images|text|include|exclude|front_matter|reasons|hidden|charset|deadline_ms|width|method|threshold)",
        ".{0,8}",
    ];
    leaf.prop_recursive(3, 24, 8, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
            prop::collection::hash_map(name.clone(), inner, 0..8)
                .prop_map(|map| Value::from(map.into_iter().collect::<Map<String, Value>>())),
        ]
    })
}

/// An object of fields that are mostly of the right kinds.
fn a_request() -> impl Strategy<Value = Value> {
    let html =
        prop_oneof!["(<(p|b|div|table|script|title)>|[a-z ]{1,10}|\\PC){0,40}", "\\PC{0,40}"];
    let with =
        prop::collection::vec("(blocks|metadata|links|markdown|html|posts|highlight|source)", 0..6);
    let extractor = "(strata|article|bte|swarm|density|embedded|strata\\+site)";
    (html, with, extractor, any::<bool>(), 0u32..200, any::<Option<String>>()).prop_map(
        |(html, with, extractor, links, width, url)| {
            json!({"html": html, "with": with, "extractor": extractor, "links": links, "images": links,
                "width": width, "url": url})
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_a_page(bytes in prop::collection::vec(any::<u8>(), 1..2000)) {
        for path in ["/v1/extract?with=blocks,markdown,html,highlight,links,metadata", "/v1/explain", "/v1/segment"] {
            let answer = SERVER.post_page(path, &bytes);
            prop_assert_eq!(answer.status, 200);
            prop_assert!(answer.json().is_object());
        }
    }

    #[test]
    fn any_json_is_answered_or_refused(json in prop_oneof![any_json(), a_request()]) {
        for path in ["/v1/extract", "/v1/explain", "/v1/segment"] {
            let answer = SERVER.post_json(path, &json);
            match answer.status {
                200 => prop_assert!(answer.json().is_object()),
                status @ (400 | 403) => drop(answer.refusal(status)),
                status => prop_assert!(false, "{} {}", status, json),
            }
        }
    }

    #[test]
    fn any_query_is_answered_or_refused(query in "[a-z_=&%,0-9;+\\-.]{0,60}") {
        for path in ["/v1/extract", "/v1/explain", "/v1/segment", "/v1/batch"] {
            let media_type = if path == "/v1/batch" { "application/x-ndjson" } else { "text/html" };
            let answer = SERVER.ask("POST", &format!("{path}?{query}"), &[("Content-Type", media_type)], b"<p>a");
            prop_assert!(matches!(answer.status, 200 | 400), "{} {}", answer.status, query);
        }
    }

    #[test]
    fn any_lines_are_answered_one_by_one(lines in prop::collection::vec("[^\\n]{0,20}|\\{\"html\":\"[a-z]\"\\}", 0..20)) {
        let body = lines.join("\n");
        let fields = [("Content-Type", "application/x-ndjson")];
        let answer = SERVER.ask("POST", "/v1/batch", &fields, body.as_bytes());
        prop_assert_eq!(answer.status, 200);
        let expected = lines.iter().filter(|line| !line.trim_ascii().is_empty());
        let answered: Vec<Value> = answer.text().lines().map(|line| serde_json::from_str(line).expect(line)).collect();
        prop_assert_eq!(answered.len(), expected.clone().count());
        for (line, answer) in expected.zip(answered) {
            prop_assert_eq!(answer.get("error").is_none(), line.starts_with("{\"html\":\""), "{}", line);
        }
    }

    #[test]
    fn any_bytes_instead_of_a_request(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let mut client = SERVER.connect();
        client.send(&bytes);
        client.finish_sending();
        let answer = client.try_answer();
        prop_assert!(answer.is_none_or(|answer| answer.status < 500));
    }

    #[test]
    fn any_fields_in_a_head(name in "[A-Za-z-]{1,20}", value in "[ -~]{0,60}", media_type in "[ -~]{0,40}") {
        let mut client = SERVER.connect();
        let fields = [(name.as_str(), value.as_str()), ("Content-Type", media_type.as_str()), ("Connection", "close")];
        client.send(&head("POST", "/v1/extract", &fields, 4));
        client.send(b"<p>a");
        client.finish_sending();
        let answer = client.try_answer();
        prop_assert!(answer.is_none_or(|answer| answer.status < 500));
    }
}
