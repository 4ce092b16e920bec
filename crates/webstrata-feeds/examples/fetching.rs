//! Measures the fetcher over loopback: many hosts, each asked again and again by sixteen threads.
//!
//! ```sh
//! /usr/bin/time -f '%U + %S s, %M kB' cargo run --release -p webstrata-feeds --example fetching -- 64 20000
//! ```
//!
//! The servers run in a process of their own, so that time and memory are those of the fetcher. Each host is an address
//! of its own (127.0.1.1, 127.0.1.2 …); connections last as long as the fetcher wants.

use std::env;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use webstrata_feeds::fetch::{Answer, FetchSettings, Fetcher, Validators};

const THREADS: usize = 16;
const BODY: usize = 20_000;

fn main() -> io::Result<()> {
    let number = |index: usize, default: usize| {
        env::args().nth(index).and_then(|it| it.parse().ok()).unwrap_or(default)
    };
    let (hosts, requests) = (number(1, 64).clamp(1, 250), number(2, 20_000));
    if env::args().nth(3).as_deref() == Some("serve") {
        return serve(hosts);
    }
    let mut server = Command::new(env::current_exe()?)
        .args([&hosts.to_string(), "0", "serve"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut port = String::new();
    let output = server.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
    BufReader::new(output).read_line(&mut port)?;
    let settings = FetchSettings {
        allow: vec!["127.0.0.0/8".parse().map_err(io::Error::other)?],
        host_delay: Duration::ZERO,
        respect_robots: false,
        ..FetchSettings::default()
    };
    let fetcher = Fetcher::new(settings).map_err(io::Error::other)?;
    let (next, failed) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let start = Instant::now();
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                loop {
                    let request = next.fetch_add(1, Ordering::Relaxed);
                    if request >= requests {
                        return;
                    }
                    let host = request % hosts + 1;
                    let url = format!("http://127.0.1.{host}:{}/{request}", port.trim());
                    let answer = fetcher.get(&url, &Validators::default());
                    let is_whole =
                        matches!(answer, Ok(Answer::Page(page)) if page.body.len() == BODY);
                    failed.fetch_add(usize::from(!is_whole), Ordering::Relaxed);
                }
            });
        }
    });
    let seconds = start.elapsed().as_secs_f64();
    let failed = failed.into_inner();
    println!(
        "{hosts} hosts, {requests} requests, {failed} failed: {:.0} in a second",
        requests as f64 / seconds
    );
    // Its input ends, and with it the server.
    drop(server.stdin.take());
    server.wait().map(drop)
}

/// Servers on one port of many addresses, until the input ends.
fn serve(hosts: usize) -> io::Result<()> {
    let first = TcpListener::bind((Ipv4Addr::new(127, 0, 1, 1), 0))?;
    let port = first.local_addr()?.port();
    let others =
        (2..=hosts).map(|host| TcpListener::bind((Ipv4Addr::new(127, 0, 1, host as u8), port)));
    for listener in others.chain([Ok(first)]) {
        let listener = listener?;
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                thread::spawn(move || drop(answer(&stream)));
            }
        });
    }
    println!("{port}");
    io::stdin().read_line(&mut String::new()).map(drop)
}

fn answer(mut stream: &TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream);
    let answer = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {BODY}\r\n\r\n{}",
        "x".repeat(BODY)
    );
    loop {
        let (mut line, mut closes) = (String::new(), false);
        while line != "\r\n" {
            line.clear();
            if reader.read_line(&mut line)? == 0 {
                return Ok(());
            }
            closes |= line.eq_ignore_ascii_case("Connection: close\r\n");
        }
        stream.write_all(answer.as_bytes())?;
        if closes {
            return Ok(());
        }
    }
}
