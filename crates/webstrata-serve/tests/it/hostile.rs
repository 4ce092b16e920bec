//! Clients that mean harm, or are broken: refused or cut off, and others are served meanwhile.

use std::thread;
use std::time::Duration;

use webstrata_serve::Limits;

use crate::client::{Client, PAGE, Server, head};

const PAGE_FIELDS: [(&str, &str); 1] = [("Content-Type", "text/html")];

/// Little time for those who are slow, but enough for those who are not on a machine that is busy.
fn impatient() -> Server {
    let short = Duration::from_millis(1500);
    Server::limited(Limits { head_time: short, body_time: short, ..Limits::default() })
}

#[test]
fn heads_that_come_slowly_are_cut() {
    let server = impatient();
    let mut slow: Vec<Client> = (0..20).map(|_| server.connect()).collect();
    for client in &mut slow {
        client.send(b"GET /v1/info HTTP/1.1\r\nHost: localhost\r\nX-Slow: ");
    }
    // A letter now and then does not help.
    let mut dripping = server.connect();
    dripping.send(b"GET /");
    for _ in 0..10 {
        thread::sleep(Duration::from_millis(50));
        dripping.send(b"x");
        server.works();
    }
    for client in &mut slow {
        assert!(client.answer().refusal(408).contains("the head took too long to come"));
        assert!(client.is_closed());
    }
    assert!(dripping.try_answer().is_none_or(|answer| answer.status == 408));
}

#[test]
fn connections_without_a_request_are_closed() {
    let server = impatient();
    let mut silent = server.connect();
    assert!(silent.is_closed());
    // So are those that are kept open and not used.
    let mut kept = server.connect();
    kept.send(&head("GET", "/health", &[], 0));
    assert_eq!(kept.answer().status, 200);
    assert!(kept.is_closed());
}

#[test]
fn bodies_that_come_slowly_are_cut() {
    let server = impatient();
    let mut slow: Vec<Client> = (0..20).map(|_| server.connect()).collect();
    for client in &mut slow {
        client.send(&head("POST", "/v1/extract", &PAGE_FIELDS, 1000));
        client.send(b"<p>Slowly, ");
    }
    server.works();
    for client in &mut slow {
        assert!(client.answer().refusal(408).contains("the body took too long to come"));
        assert!(client.is_closed());
    }
    server.works();
}

#[test]
fn a_gigabyte_is_refused_before_it_comes() {
    let server = Server::start();
    for length in [1usize << 30, 1 << 62] {
        let mut client = server.connect();
        client.send(&head("POST", "/v1/extract", &PAGE_FIELDS, length));
        // As much as the server takes: it must not take much.
        let taken = (0..1024).take_while(|_| client.send(&[b'x'; 1 << 16])).count();
        assert!(taken < 1024, "64 MiB were taken of a body that is refused");
        let _ = client.try_answer().map(|answer| answer.refusal(413));
        server.works();
    }
    // A length that no number holds is no length.
    let mut client = server.connect();
    client.send(b"POST /v1/extract HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999999999999999\r\n\r\n");
    assert_eq!(client.try_answer().map(|answer| answer.status), Some(400));
}

#[test]
fn a_refusal_reaches_a_client_that_is_still_sending() {
    let server = Server::limited(Limits { body: 1 << 20, ..Limits::default() });
    let mut client = server.connect();
    let body = vec![b'x'; (1 << 20) + (1 << 18)];
    client.send(&head("POST", "/v1/extract", &PAGE_FIELDS, body.len()));
    client.send(&body);
    client.answer().refusal(413);
}

#[test]
fn heads_that_are_floods_are_refused() {
    let server = Server::start();
    let check = |head: Vec<u8>| {
        let mut client = server.connect();
        client.send(&head);
        let answer = client.try_answer();
        assert!(answer.is_none_or(|answer| matches!(answer.status, 400 | 414 | 431)));
        server.works();
    };
    let fields = |count: usize, length: usize| {
        let field = format!("X-Flood: {}\r\n", "x".repeat(length));
        let flood = "GET / HTTP/1.1\r\nHost: localhost\r\n".to_owned() + &field.repeat(count);
        (flood + "\r\n").into_bytes()
    };
    check(fields(1000, 1));
    check(fields(1, 1 << 20));
    check(fields(100, 10_000));
    check(fields(10_000, 1000));
    check(format!("GET /{} HTTP/1.1\r\nHost: localhost\r\n\r\n", "x".repeat(1 << 20)).into_bytes());
    check([b'x'; 1 << 20].to_vec());
}

#[test]
fn what_is_no_http_is_refused() {
    let server = Server::start();
    let requests: [&[u8]; 12] = [
        b"\0\0\0\0\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET /\0 HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: local\0host\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost localhost\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\n folded\r\n\r\n",
        b"POST /v1/extract HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
        b"POST /v1/extract HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabc",
        b"POST /v1/extract HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ];
    for request in requests {
        let mut client = server.connect();
        client.send(request);
        client.finish_sending();
        let answer = client.try_answer();
        let said = String::from_utf8_lossy(request);
        assert!(answer.is_none_or(|answer| (400..500).contains(&answer.status)), "{said}");
        server.works();
    }
}

/// A length and chunks at once is how requests are smuggled past proxies.
#[test]
fn a_body_has_one_length() {
    let server = Server::start();
    let mut client = server.connect();
    client.send(
        b"POST /v1/extract HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/html\r\nContent-Length: 4\r\n\
          Transfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /health HTTP/1.1\r\nHost: localhost\r\n\r\n",
    );
    let first = client.answer();
    assert!((400..500).contains(&first.status), "{first:?}");
    assert!(client.is_closed());
}

#[test]
fn json_that_is_deep_or_strange() {
    let server = Server::start();
    let deep = 1 << 20;
    let bodies: [Vec<u8>; 8] = [
        b"[".repeat(deep),
        b"{\"html\":".repeat(deep),
        [b"{\"html\": \"x\", \"with\": ".as_slice(), &b"[".repeat(deep)].concat(),
        b"\"".to_vec(),
        b"{\"html\": \"\xff\xfe\"}".to_vec(),
        b"{\"html\": \"\\ud800\"}".to_vec(),
        b"{\"html\": 1e999999}".to_vec(),
        [b"{\"".as_slice(), &b"x".repeat(deep), b"\": 1}"].concat(),
    ];
    for body in bodies {
        for path in ["/v1/extract", "/v1/explain", "/v1/segment"] {
            server.ask("POST", path, &[("Content-Type", "application/json")], &body).refusal(400);
        }
    }
    server.works();
}

#[test]
fn hostile_pages_are_read_all_the_same() {
    let server = Server::start();
    let pages: [Vec<u8>; 5] = [
        b"<div>".repeat(200_000),
        b"<b><p>".repeat(50_000),
        b"\0".repeat(1 << 20),
        b"<!--".repeat(100_000),
        b"\xff\xfe<\0p\0>\0".to_vec(),
    ];
    for page in pages {
        for path in [
            "/v1/extract?with=blocks,markdown,html,highlight,links,metadata",
            "/v1/explain",
            "/v1/segment",
        ] {
            let answer = server.post_page(path, &page);
            assert_eq!(answer.status, 200, "{answer:?}");
            answer.json();
        }
    }
}

#[test]
fn requests_in_one_go_are_answered_in_order() {
    let server = Server::start();
    let mut client = server.connect();
    let mut requests = Vec::new();
    for number in 0..50 {
        let page = format!("<p>Page {number}");
        let path = "/v1/extract?extractor=keep-all&format=text";
        requests.extend(head("POST", path, &PAGE_FIELDS, page.len()));
        requests.extend(page.as_bytes());
    }
    client.send(&requests);
    for number in 0..50 {
        assert_eq!(client.answer().text(), format!("Page {number}\n"));
    }
}

#[test]
fn a_refusal_does_not_end_a_connection_whose_body_was_read() {
    let server = Server::start();
    let mut client = server.connect();
    for _ in 0..10 {
        client.send(&head("POST", "/v1/extract?width=wide", &PAGE_FIELDS, PAGE.len()));
        client.send(PAGE.as_bytes());
        client.answer().refusal(400);
        client.send(&head("GET", "/nowhere", &[], 0));
        client.answer().refusal(404);
    }
}

#[test]
fn clients_that_go_leave_nothing_behind() {
    let server = Server::limited(Limits { workers: 1, ..Limits::default() });
    let long = "<p>High water is at noon today, the harbour office says.".repeat(10_000);
    for round in 0..40 {
        let mut client = server.connect();
        client.send(&head("POST", "/v1/extract", &PAGE_FIELDS, long.len()));
        match round % 4 {
            // Gone in the middle of the body,
            0 => drop(client.send(&long.as_bytes()[..1000])),
            // right after it,
            1 => drop(client.send(long.as_bytes())),
            // after saying that nothing more will come,
            2 => {
                client.send(&long.as_bytes()[..1000]);
                client.finish_sending();
                let answer = client.try_answer();
                assert!(answer.is_none_or(|answer| answer.status == 400));
            }
            // or with the answer half read.
            _ => {
                client.send(long.as_bytes());
                assert_eq!(client.answer_head().map(|head| head.status), Some(200));
            }
        }
    }
    server.works();
    // Whoever waits in the queue leaves it; what is begun is done to its end.
    let gone = || {
        let metrics = server.get("/metrics").text();
        metrics.contains("webstrata_serve_queue 0\n")
            && metrics.contains("webstrata_serve_workers_busy 0\n")
            && metrics.contains("webstrata_serve_requests_in_flight 1\n")
    };
    assert!((0..1000).any(|_| gone() || {
        thread::sleep(Duration::from_millis(10));
        false
    }));
}

#[test]
fn many_connections_wait_for_their_turn() {
    let server = Server::limited(Limits { connections: 4, ..Limits::default() });
    thread::scope(|scope| {
        for _ in 0..40 {
            scope.spawn(|| server.works());
        }
    });
}

/// A block of four bytes has a place of thousands in the answer.
#[test]
fn answers_are_bounded_whatever_the_page() {
    let server = Server::limited(Limits { answer: 10 << 20, ..Limits::default() });
    let around: String = (10..57).map(|n| format!("<x{}{n}>", "x".repeat(60))).collect();
    let page = around + &"<p>a".repeat(50_000);
    for path in ["/v1/extract?with=blocks", "/v1/explain"] {
        let message = server.post_page(path, page.as_bytes()).refusal(422);
        assert!(message.contains("the answer is longer than 10485760 bytes"), "{message}");
    }
    assert_eq!(server.post_page("/v1/extract", page.as_bytes()).status, 200);
    // Nodes are bounded, too.
    let server = Server::limited(Limits { nodes: 1000, ..Limits::default() });
    let cut = server.post_page("/v1/extract?extractor=keep-all", page.as_bytes()).json();
    assert_eq!(cut["limits"], serde_json::json!(["nodes"]));
}

/// Answers that nobody takes hold room: of all there is, and of the share of their address.
#[test]
fn answers_that_are_not_taken_have_an_end() {
    let server = Server::limited(Limits { answers: 60 << 20, ..Limits::default() });
    let page = "<p>a".repeat(60_000);
    let path = "/v1/extract?with=blocks,highlight,html,source&extractor=keep-all";
    let ask = || {
        let mut client = server.connect();
        client.send(&head("POST", path, &PAGE_FIELDS, page.len()));
        client.send(page.as_bytes());
        let status = client.answer_head().map(|answer| answer.status);
        (client, status)
    };
    let slow: Vec<_> = (0..6).map(|_| ask()).collect();
    let count = |status| slow.iter().filter(|(_, it)| *it == Some(status)).count();
    assert!(count(200) >= 1 && count(503) >= 3, "{} {}", count(200), count(503));
    // Short answers have room of their own.
    server.works();
    drop(slow);
    assert!((0..1000).any(|_| {
        thread::sleep(Duration::from_millis(10));
        ask().1 == Some(200)
    }));
}

/// A connection that is closed says so before: a client that keeps it would lose its next request.
#[test]
fn who_is_not_heard_to_the_end_is_told_that_it_is_over() {
    let server = Server::start();
    for (fields, length, status) in [
        ([("Content-Type", "text/x")], 300_000, 415),
        ([("Content-Type", "text/html")], 1 << 30, 413),
    ] {
        let mut client = server.connect();
        client.send(&head("POST", "/v1/extract", &fields, length));
        let answer = client.answer();
        assert_eq!((answer.status, answer.field("connection")), (status, Some("close")));
        assert!(client.is_closed());
    }
    // Who was heard goes on.
    let mut client = server.connect();
    for _ in 0..2 {
        client.send(&head("POST", "/v1/extract", &PAGE_FIELDS, PAGE.len()));
        client.send(PAGE.as_bytes());
        let answer = client.answer();
        assert_eq!((answer.status, answer.field("connection")), (200, None));
    }
}

/// A body that comes at once but for its end holds room for others: it does not hold it for long.
#[test]
fn bodies_that_stop_before_their_end_are_cut() {
    // Too little may come for a sixth of the time.
    let body_time = Duration::from_secs(6);
    let server = Server::limited(Limits { body_time, rate: 100, ..Limits::default() });
    let mut client = server.connect();
    client.send(&head("POST", "/v1/extract", &PAGE_FIELDS, 1_000_001));
    client.send(&[b'x'; 1_000_000]);
    client.answer().refusal(408);
    server.works();
}

#[test]
fn an_address_has_so_many_connections() {
    let server = Server::limited(Limits { per_address: 2, ..Limits::default() });
    let mut kept = [server.connect(), server.connect()];
    for client in &mut kept {
        client.send(&head("GET", "/health", &[], 0));
        assert_eq!(client.answer().status, 200);
    }
    let refused = server.connect().try_answer();
    assert!(refused.is_none_or(|answer| answer.refusal(503).contains("from this address")));
    drop(kept);
    let is_served = || {
        let mut client = server.connect();
        client.send(&head("GET", "/health", &[], 0));
        client.try_answer().is_some_and(|answer| answer.status == 200)
    };
    assert!((0..1000).any(|_| {
        thread::sleep(Duration::from_millis(10));
        is_served()
    }));
}

/// All of it at once, and twenty who mean well.
#[test]
fn others_are_unharmed() {
    let server = impatient();
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..5 {
                    let mut slow = server.connect();
                    slow.send(&head("POST", "/v1/extract", &PAGE_FIELDS, 1 << 20));
                    let mut large = server.connect();
                    large.send(&head("POST", "/v1/extract", &PAGE_FIELDS, 1 << 30));
                    while large.send(&[b'x'; 1 << 16]) {}
                    server.ask(
                        "POST",
                        "/v1/extract",
                        &[("Content-Type", "application/json")],
                        &b"[".repeat(1 << 16),
                    );
                    let mut flood = server.connect();
                    while flood.send(b"X-Flood: yes\r\n") {}
                    let _ = slow.try_answer();
                }
            });
        }
        for _ in 0..20 {
            scope.spawn(|| (0..20).for_each(|_| server.works()));
        }
    });
}
