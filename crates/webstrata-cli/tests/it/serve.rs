//! `webstrata serve`: one line says where, a signal ends it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command};
use std::time::Duration;

use serde_json::Value;

use crate::site::{Site, TIDES};

/// A server that is gone when the test is.
struct Serving {
    child: Child,
    address: String,
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn serve(site: &Site, arguments: &str) -> Serving {
    let mut child =
        site.command(&format!("serve --listen 127.0.0.1:0 {arguments}")).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stderr.as_mut().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim().rsplit_once("http://").map(|(_, address)| address);
    let address = address.unwrap_or_else(|| panic!("{line}")).trim_end_matches('/').to_owned();
    Serving { child, address }
}

fn ask(serving: &Serving, request: &str) -> (String, Value) {
    let mut wire = TcpStream::connect(&serving.address).unwrap();
    wire.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    wire.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    wire.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.lines().next().unwrap().to_owned(), serde_json::from_str(body).unwrap_or(Value::Null))
}

fn get(serving: &Serving, path: &str) -> (String, Value) {
    let host = &serving.address;
    ask(serving, &format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"))
}

#[test]
fn pages_and_an_index() {
    let site = Site::new(&[("tides.html", TIDES)]);
    site.stdout("search index tides.html --index web -q");
    let mut serving = serve(&site, "--index web");
    let host = &serving.address;
    let request = format!(
        "POST /v1/extract HTTP/1.1\r\nHost: {host}\r\nContent-Type: text/html\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n{TIDES}",
        TIDES.len()
    );
    let (status, served) = ask(&serving, &request);
    assert_eq!(status, "HTTP/1.1 200 OK");
    let mut written: Value =
        serde_json::from_str(&site.stdout("extract --format json tides.html")).unwrap();
    // The server was given neither a name nor a file.
    for own in ["id", "file"] {
        assert!(written.as_object_mut().unwrap().remove(own).is_some(), "{own}");
    }
    assert_eq!(served, written, "the server and the command say the same");
    let (_, found) = get(&serving, "/v1/search?q=breakwater");
    assert_eq!(found["total"], 1);
    assert_eq!(get(&serving, "/v1/streams").0, "HTTP/1.1 404 Not Found");

    let id = serving.child.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    assert_eq!(serving.child.wait().unwrap().code(), Some(0));
}

#[test]
fn what_goes_wrong() {
    let mut site = Site::new(&[("token", "\n"), ("empty/x", "x")]);
    site.run("serve --index nowhere");
    site.run("serve --index empty");
    site.run("serve --token-file nowhere");
    site.run("serve --token-file token");
    site.run("serve --listen harbour");
    site.run("serve --max-body 0");
    site.run("serve --fetch-local");
    insta::assert_snapshot!(site.transcript());
}
