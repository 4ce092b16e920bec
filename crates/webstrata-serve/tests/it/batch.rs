//! Batches: lines in, lines out.

use serde_json::{Value, json};
use webstrata_serve::Limits;

use crate::client::{Client, PAGE, Server, head};

const FIELDS: [(&str, &str); 2] =
    [("Content-Type", "application/x-ndjson"), ("Transfer-Encoding", "chunked")];

fn lines(body: &str) -> Vec<Value> {
    body.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
}

fn batch(server: &Server, path: &str, body: &str) -> Vec<Value> {
    let fields = [("Content-Type", "application/x-ndjson")];
    let answer = server.ask("POST", path, &fields, body.as_bytes());
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(answer.field("content-type"), Some("application/x-ndjson"));
    lines(&answer.text())
}

fn chunk(client: &mut Client, bytes: &[u8]) {
    client.send(format!("{:x}\r\n", bytes.len()).as_bytes());
    client.send(bytes);
    client.send(b"\r\n");
}

#[test]
fn answers_come_in_order_and_bad_lines_stop_nothing() {
    let server = Server::start();
    let mut body = String::new();
    for number in 0..50 {
        // Long and short pages, so that they do not end in the order in which they began.
        let page = if number % 7 == 0 { PAGE.repeat(50) } else { PAGE.into() };
        body.push_str(&format!("{}\n", json!({"id": number, "html": page})));
    }
    body.push_str("\n   \nnonsense\n{\"id\": \"x\", \"html\": \"a\", \"width\": 0}\n{\"id\": 7}\n");
    body.push_str("{\"id\": 8, \"url\": \"https://harbour.example/\"}\n");
    body.push_str("{\"id\": \"the last, without an end\", \"html\": \"<p>a\"}");
    let answers = batch(&server, "/v1/batch?extractor=article", &body);
    assert_eq!(answers.len(), 55);
    for (number, answer) in answers[..50].iter().enumerate() {
        assert_eq!(answer["id"], number);
        assert_eq!(answer["extractor"], "article");
        assert!(answer["text"].as_str().is_some_and(|text| text.contains("High water")));
    }
    let problem = |answer: &Value, status: u16, line: u64, expect: &str| {
        assert_eq!((&answer["error"]["status"], &answer["line"]), (&json!(status), &json!(line)));
        let message = answer["error"]["message"].as_str().unwrap_or_default();
        assert!(message.contains(expect), "{message}");
    };
    problem(&answers[50], 400, 53, "JSON: expected");
    problem(&answers[51], 400, 54, "`width`");
    assert_eq!(answers[51]["id"], "x");
    problem(&answers[52], 400, 55, "no page in the JSON");
    problem(&answers[53], 403, 56, "fetches no pages");
    assert_eq!(answers[53]["id"], 8);
    assert_eq!(answers[54]["id"], "the last, without an end");
    let metrics = server.get("/metrics").text();
    assert!(metrics.contains("webstrata_serve_batch_lines_total 55\n"));
}

#[test]
fn lines_are_answered_before_the_next_one_is_sent() {
    let server = Server::start();
    let mut client = server.connect();
    client.send(&head("POST", "/v1/batch", &FIELDS, 0));
    chunk(&mut client, b"{\"id\": 0, \"html\": \"<p>a\"}\n");
    assert_eq!(client.answer_head().map(|head| head.status), Some(200));
    for number in 0..10 {
        let answer = client.chunk().expect("an answer to a line");
        let answer: Value = serde_json::from_slice(&answer).expect("JSON");
        assert_eq!(answer["id"], number);
        chunk(&mut client, format!("{{\"id\": {}, \"html\": \"<p>a\"}}\n", number + 1).as_bytes());
    }
    client.send(b"0\r\n\r\n");
    assert!(client.chunk().is_some());
    assert_eq!(client.chunk(), None);
}

#[test]
fn a_line_that_is_too_long_is_passed_over() {
    let server = Server::limited(Limits { body: 1000, ..Limits::default() });
    let long = format!("{{\"id\": 1, \"html\": \"{}\"}}", "x".repeat(100_000));
    let answers = batch(&server, "/v1/batch", &format!("{long}\n{{\"id\": 2, \"html\": \"a\"}}\n"));
    assert_eq!(answers[0]["error"]["status"], 413);
    assert_eq!(answers[1]["id"], 2);
    assert_eq!(answers.len(), 2);
}

#[test]
fn a_line_that_does_not_come_ends_the_batch() {
    let body_time = std::time::Duration::from_millis(200);
    let server = Server::limited(Limits { body_time, ..Limits::default() });
    let mut client = server.connect();
    client.send(&head("POST", "/v1/batch", &FIELDS, 0));
    chunk(&mut client, b"{\"id\": 0, \"html\": \"<p>a\"}\n{\"id\": 1, \"ht");
    let answer = client.answer();
    let answers = lines(&answer.text());
    assert_eq!(answers[0]["id"], 0);
    assert_eq!((&answers[1]["error"]["status"], &answers[1]["line"]), (&json!(408), &json!(2)));
    assert_eq!(answers.len(), 2);
    server.works();
}

#[test]
fn empty_lines_do_not_keep_a_batch_open() {
    let body_time = std::time::Duration::from_millis(300);
    let server = Server::limited(Limits { body_time, ..Limits::default() });
    let mut client = server.connect();
    client.send(&head("POST", "/v1/batch", &FIELDS, 0));
    for _ in 0..10 {
        chunk(&mut client, b"\n");
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    let answers = lines(&client.answer().text());
    assert_eq!(answers.len(), 1);
    assert_eq!(answers[0]["error"]["status"], 408);
}

/// A client that takes no answers is not worked for: what is read of its batch is bounded.
#[test]
fn nothing_is_read_ahead_of_what_is_taken() {
    let write_time = std::time::Duration::from_millis(500);
    let server = Server::limited(Limits { write_time, ..Limits::default() });
    let mut client = server.connect();
    client.send(&head("POST", "/v1/batch?extractor=keep-all", &FIELDS, 0));
    let line = format!("{}\n", json!({"html": "<p>High water".repeat(20_000)}));
    let total = 400;
    let sent = std::thread::scope(|scope| {
        let sender = scope.spawn(|| {
            // The server stops reading, so sending stops, until the server gives the client up.
            let mut sent = 0;
            for _ in 0..total {
                let size = format!("{:x}\r\n", line.len());
                if !client.send(size.as_bytes())
                    || !client.send(line.as_bytes())
                    || !client.send(b"\r\n")
                {
                    break;
                }
                sent += 1;
            }
            sent
        });
        // Others are served meanwhile.
        for _ in 0..20 {
            server.works();
        }
        sender.join().expect("a sender")
    });
    let read = server.get("/metrics").text();
    let read =
        read.lines().find_map(|line| line.strip_prefix("webstrata_serve_batch_lines_total "));
    let read: u64 = read.and_then(|number| number.parse().ok()).expect("a number");
    assert!(sent < total, "the server takes whatever comes");
    assert!(read < total, "{read} lines were answered to nobody");
}

#[test]
fn an_empty_batch_is_an_empty_answer() {
    let server = Server::start();
    assert_eq!(batch(&server, "/v1/batch", ""), Vec::<Value>::new());
    assert_eq!(batch(&server, "/v1/batch", "\n\n\n"), Vec::<Value>::new());
}
