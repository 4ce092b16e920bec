//! The server gives the library's record of random pages, whatever is asked. The command, Python and WebAssembly have
//! such tests, too, of the same cases.

#[path = "../../../webstrata/examples/cases/made.rs"]
mod made;

use std::fmt::Write;

use made::Case;
use serde_json::Value;

use crate::client::Server;

const CASES: u64 = 300;

/// The request as part of an address.
fn query(case: &Case) -> String {
    let mut query = String::new();
    for (name, value) in &case.request {
        let written = match value {
            Value::String(text) => text.clone(),
            Value::Array(list) => {
                list.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(",")
            }
            other => other.to_string(),
        };
        let name = if name == "parts" { "with" } else { name };
        let _ = write!(query, "{}{name}=", if query.is_empty() { "?" } else { "&" });
        for byte in written.bytes() {
            match byte {
                b'0'..=b'9' | b'a'..=b'z' => query.push(byte.into()),
                byte => drop(write!(query, "%{byte:02X}")),
            }
        }
    }
    query
}

#[test]
fn of_random_pages_whatever_is_asked() {
    let server = Server::start();
    for number in 0..CASES {
        // How much of a page is read, the server says. No page is no request.
        let case = Case::of(number).without(&["max_bytes"]);
        if case.page.is_empty() {
            continue;
        }
        let path = format!("/v1/extract{}", query(&case));
        let answer = server.post_page(&path, &case.page);
        assert_eq!(answer.status, 200, "{number}, {path}: {}", answer.text());
        let mut answer = answer.json();
        let record = case.record();
        // Whether the language is that of the text, records of pages say beside.
        let answer = answer.as_object_mut().expect("an object");
        answer.remove("text_language");
        for (name, expected) in record.as_object().expect("an object") {
            assert_eq!(answer.remove(name).as_ref(), Some(expected), "{number}, {name}: {path}");
        }
        assert!(answer.is_empty(), "{number}: {answer:?}");
    }
}
