//! The end of a server.

use std::io::ErrorKind;
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

use webstrata_serve::Limits;

use crate::client::{PAGE, Server, head};

/// Waits until nobody is accepted any more.
fn refuses_connections(server: &Server) -> bool {
    (0..1000).any(|_| {
        thread::sleep(Duration::from_millis(10));
        let refused = |error: std::io::Error| error.kind() == ErrorKind::ConnectionRefused;
        TcpStream::connect(server.address).is_err_and(refused)
    })
}

#[test]
fn what_is_under_way_is_finished() {
    let mut server = Server::start();
    let mut client = server.connect();
    client.send(&head("POST", "/v1/extract", &[("Content-Type", "text/html")], PAGE.len()));
    client.send(&PAGE.as_bytes()[..100]);
    // Is it being answered? The other requests of the metrics are over.
    let is_under_way =
        || server.get("/metrics").text().contains("webstrata_serve_requests_in_flight 2\n");
    assert!((0..1000).any(|_| is_under_way()));
    let mut idle = server.connect();
    server.stop();
    assert!(refuses_connections(&server));
    client.send(&PAGE.as_bytes()[100..]);
    let answer = client.answer();
    assert_eq!(answer.status, 200);
    assert_eq!(answer.field("connection"), Some("close"));
    assert!(client.is_closed());
    assert!(idle.is_closed());
    server.join();
}

#[test]
fn a_batch_ends_with_the_lines_that_came() {
    let mut server = Server::start();
    let mut client = server.connect();
    let fields = [("Content-Type", "application/x-ndjson"), ("Transfer-Encoding", "chunked")];
    client.send(&head("POST", "/v1/batch", &fields, 0));
    client.send(b"1b\r\n{\"id\": 1, \"html\": \"<p>a\"} \n\r\n");
    assert_eq!(client.answer_head().map(|head| head.status), Some(200));
    let first = client.chunk().expect("an answer");
    assert!(first.starts_with(b"{\"id\":1,"));
    server.stop();
    let last = client.chunk().expect("a line about the end");
    assert!(String::from_utf8_lossy(&last).contains("the server ends"));
    assert_eq!(client.chunk(), None);
    server.join();
}

#[test]
fn nobody_is_waited_for_longer_than_the_grace() {
    let grace = Duration::from_millis(100);
    let mut server = Server::limited(Limits { grace, ..Limits::default() });
    let mut client = server.connect();
    client.send(&head("POST", "/v1/extract", &[("Content-Type", "text/html")], 1000));
    client.send(b"<p>and no more");
    server.stop();
    server.join();
    // Had it been waited for, its time would have been over, and it had been told so.
    assert!(client.try_answer().is_none());
}
