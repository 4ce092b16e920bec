//! A server for a test, and a client that sends any bytes.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use serde_json::Value;
use tokio::sync::oneshot;
use webstrata_serve::{Limits, ServerSettings, serve};

/// The longest that a test waits for bytes; it fails then.
const PATIENCE: Duration = Duration::from_secs(60);

/// A page with a text that `strata` finds.
pub(crate) const PAGE: &str = "<title>Tides</title><h1>Tides</h1><p>High water is at noon today, the harbour \
    office says, and the ferry to the islands leaves an hour earlier than it does on other days.</p>\
    <p>Low water is in the evening, when nobody sails and everybody sleeps until the bell rings.</p>\
    <footer><a href=/imprint>Imprint</a> <a href=/jobs>Jobs</a></footer>";

/// A running server; it ends when this is dropped.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    pub(crate) fn start() -> Server {
        Server::with(ServerSettings::default())
    }

    pub(crate) fn limited(limits: Limits) -> Server {
        Server::with(ServerSettings { limits, ..ServerSettings::default() })
    }

    pub(crate) fn with(settings: ServerSettings) -> Server {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let address = listener.local_addr().expect("an address");
        let (stop, stopped) = oneshot::channel();
        let thread = thread::spawn(move || {
            let runtime = tokio::runtime::Runtime::new().expect("a runtime");
            let ended = runtime.block_on(serve(settings, listener, async {
                let _ = stopped.await;
            }));
            ended.expect("a server that runs");
        });
        Server { address, stop: Some(stop), thread: Some(thread) }
    }

    /// Tells it to end, without waiting for that.
    pub(crate) fn stop(&mut self) {
        drop(self.stop.take());
    }

    /// Waits until it has ended.
    pub(crate) fn join(&mut self) {
        if let Some(thread) = self.thread.take() {
            thread.join().expect("a server without panics");
        }
    }

    pub(crate) fn connect(&self) -> Client {
        let stream = TcpStream::connect(self.address).expect("a connection");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        stream.set_write_timeout(Some(PATIENCE)).expect("a timeout");
        Client { reader: BufReader::new(stream) }
    }

    /// One request on a connection of its own.
    pub(crate) fn ask(
        &self,
        method: &str,
        path: &str,
        fields: &[(&str, &str)],
        body: &[u8],
    ) -> Answer {
        let mut client = self.connect();
        client.send(&head(method, path, fields, body.len()));
        client.send(body);
        client.answer()
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, &[], b"")
    }

    pub(crate) fn post_json(&self, path: &str, json: &Value) -> Answer {
        self.ask("POST", path, &[("Content-Type", "application/json")], json.to_string().as_bytes())
    }

    pub(crate) fn post_page(&self, path: &str, page: &[u8]) -> Answer {
        self.ask("POST", path, &[("Content-Type", "text/html")], page)
    }

    /// Does it still do its work?
    pub(crate) fn works(&self) {
        let answer = self.post_page("/v1/extract?extractor=keep-all", b"<p>High water is at noon.");
        assert_eq!(answer.status, 200, "{answer:?}");
        assert_eq!(answer.json()["text"], "High water is at noon.\n");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
        // A test that failed says so itself.
        if !thread::panicking() {
            self.join();
        }
    }
}

/// The head of a request.
pub(crate) fn head(method: &str, path: &str, fields: &[(&str, &str)], length: usize) -> Vec<u8> {
    let mut head = format!("{method} {path} HTTP/1.1\r\n");
    if !fields.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
        head.push_str("Host: localhost\r\n");
    }
    for (name, value) in fields {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    if length > 0 {
        head.push_str(&format!("Content-Length: {length}\r\n"));
    }
    (head + "\r\n").into_bytes()
}

/// A connection.
pub(crate) struct Client {
    reader: BufReader<TcpStream>,
}

/// What a server answered.
#[derive(Clone, Debug, Default)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    fields: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Client {
    /// Sends bytes. A server that has said no already need not take them.
    pub(crate) fn send(&mut self, bytes: &[u8]) -> bool {
        self.reader.get_mut().write_all(bytes).is_ok()
    }

    pub(crate) fn finish_sending(&mut self) {
        self.reader.get_mut().shutdown(Shutdown::Write).expect("an open connection");
    }

    /// Has an answer begun to come, or the connection ended?
    pub(crate) fn has_answer(&self) -> bool {
        let stream = self.reader.get_ref();
        stream.set_nonblocking(true).expect("a connection");
        let seen = stream.peek(&mut [0]);
        stream.set_nonblocking(false).expect("a connection");
        seen.map_or_else(|error| error.kind() != ErrorKind::WouldBlock, |_| true)
    }

    /// The next answer; a test fails without one.
    pub(crate) fn answer(&mut self) -> Answer {
        self.try_answer().expect("an answer")
    }

    /// The next answer, or `None` where the connection ends before its head does.
    pub(crate) fn try_answer(&mut self) -> Option<Answer> {
        let mut answer = self.answer_head()?;
        let length = answer.field("content-length").and_then(|length| length.parse().ok());
        if answer.field("transfer-encoding") == Some("chunked") {
            while let Some(chunk) = self.chunk() {
                answer.body.extend(chunk);
            }
        } else if let Some(length) = length {
            answer.body = vec![0; length];
            self.reader.read_exact(&mut answer.body).expect("a whole body");
        }
        Some(answer)
    }

    /// The head of an answer, and no more.
    pub(crate) fn answer_head(&mut self) -> Option<Answer> {
        let mut answer = Answer::default();
        let first = self.line()?;
        answer.status = first.split(' ').nth(1)?.parse().ok()?;
        loop {
            let line = self.line()?;
            let Some((name, value)) = line.split_once(':') else { return Some(answer) };
            answer.fields.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
    }

    /// The next chunk of a body, until the last one.
    pub(crate) fn chunk(&mut self) -> Option<Vec<u8>> {
        let size = usize::from_str_radix(&self.line()?, 16).ok()?;
        let mut chunk = vec![0; size];
        self.reader.read_exact(&mut chunk).ok()?;
        self.line();
        (size > 0).then_some(chunk)
    }

    fn line(&mut self) -> Option<String> {
        let mut line = Vec::new();
        self.reader.read_until(b'\n', &mut line).ok().filter(|read| *read > 0)?;
        Some(String::from_utf8_lossy(&line).trim_end().to_owned())
    }

    /// Has the server closed the connection? Waits until it has.
    pub(crate) fn is_closed(&mut self) -> bool {
        let mut rest = Vec::new();
        match self.reader.read_to_end(&mut rest) {
            Ok(_) => rest.is_empty(),
            Err(error) => error.kind() == ErrorKind::ConnectionReset,
        }
    }
}

impl Answer {
    pub(crate) fn field(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|(field, _)| field == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.body.clone()).expect("UTF-8")
    }

    /// The line of a refusal, which has the status that the head has.
    pub(crate) fn refusal(&self, status: u16) -> String {
        assert_eq!(self.status, status, "{}", String::from_utf8_lossy(&self.body));
        assert_eq!(self.field("content-type"), Some("application/json"));
        let json = self.json();
        assert_eq!(json["error"]["status"], status);
        assert_eq!(json.as_object().map(serde_json::Map::len), Some(1));
        let message = json["error"]["message"].as_str().expect("a message").to_owned();
        assert!(!message.contains('\n') && message.len() < 1000, "{message}");
        message
    }
}
