//! Many clients at once, and hostile ones beside them: `cargo run --release -p webstrata-serve --example
//! load -- ADDRESS DIR [--clients N] [--seconds N] [--hostile N] [--pid PID]`.
//!
//! Each client keeps one connection and sends pages of the folder to `/v1/extract`, one after the other.
//! Told are the requests, the errors, the times, and the memory of the server's process.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use std::{fs, io, thread};

/// Pages that are held; others of the folder are left out.
const MOST_PAGES: usize = 4000;

struct Arguments {
    address: String,
    folder: PathBuf,
    clients: usize,
    hostile: usize,
    seconds: u64,
    pid: Option<u32>,
}

fn main() -> io::Result<()> {
    let arguments = arguments()?;
    let mut pages = Vec::new();
    find(&arguments.folder, &mut pages)?;
    if pages.is_empty() {
        return Err(io::Error::other("no *.html in the folder"));
    }
    let bytes: usize = pages.iter().map(Vec::len).sum();
    println!("{} pages, {} KB on average", pages.len(), bytes / pages.len() / 1024);
    let stop = AtomicBool::new(false);
    let (refused, served) = (AtomicU64::new(0), AtomicU64::new(0));
    let (results, memory) = thread::scope(|scope| {
        let (pages, stop, arguments) = (&pages, &stop, &arguments);
        let clients: Vec<_> = (0..arguments.clients)
            .map(|number| scope.spawn(move || client(&arguments.address, pages, number, stop)))
            .collect();
        for number in 0..arguments.hostile {
            let (refused, served) = (&refused, &served);
            scope.spawn(move || harm(&arguments.address, number, stop, refused, served));
        }
        let memory = watch(arguments.pid, Duration::from_secs(arguments.seconds));
        stop.store(true, Ordering::Relaxed);
        let join =
            |client: thread::ScopedJoinHandle<'_, Outcome>| client.join().unwrap_or_default();
        (clients.into_iter().map(join).collect::<Vec<Outcome>>(), memory)
    });
    tell(&arguments, &results, &memory);
    if arguments.hostile > 0 {
        let (refused, served) = (refused.into_inner(), served.into_inner());
        println!("hostile requests: {refused} refused or cut, {served} answered with 200 or 5xx");
    }
    Ok(())
}

fn arguments() -> io::Result<Arguments> {
    let usage = || {
        io::Error::other(
            "usage: load ADDRESS DIR [--clients N] [--seconds N] [--hostile N] [--pid PID]",
        )
    };
    let mut given = std::env::args().skip(1);
    let address = given.next().ok_or_else(usage)?;
    let folder = given.next().ok_or_else(usage)?.into();
    let mut arguments =
        Arguments { address, folder, clients: 200, hostile: 0, seconds: 60, pid: None };
    while let Some(name) = given.next() {
        let number: u64 = given.next().and_then(|text| text.parse().ok()).ok_or_else(usage)?;
        match name.as_str() {
            "--clients" => arguments.clients = usize::try_from(number).unwrap_or(1),
            "--hostile" => arguments.hostile = usize::try_from(number).unwrap_or(0),
            "--seconds" => arguments.seconds = number,
            "--pid" => arguments.pid = u32::try_from(number).ok(),
            _ => return Err(usage()),
        }
    }
    Ok(arguments)
}

fn find(folder: &Path, pages: &mut Vec<Vec<u8>>) -> io::Result<()> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    paths.sort();
    for path in paths {
        if path.is_dir() {
            find(&path, pages)?;
        } else if path.extension().is_some_and(|extension| extension == "html")
            && pages.len() < MOST_PAGES
        {
            pages.push(fs::read(path)?);
        }
    }
    Ok(())
}

/// What a client met.
#[derive(Default)]
struct Outcome {
    times: Vec<Duration>,
    errors: Vec<String>,
}

fn client(address: &str, pages: &[Vec<u8>], number: usize, stop: &AtomicBool) -> Outcome {
    let mut outcome = Outcome::default();
    let mut connection = None;
    let mut next = number * 7919;
    while !stop.load(Ordering::Relaxed) {
        let page = &pages[next % pages.len()];
        next += 1;
        let began = Instant::now();
        match ask(address, &mut connection, page) {
            Ok(200) => outcome.times.push(began.elapsed()),
            Ok(status) => outcome.errors.push(format!("status {status}")),
            Err(error) => {
                outcome.errors.push(error.to_string());
                connection = None;
            }
        }
    }
    outcome
}

fn ask(
    address: &str,
    connection: &mut Option<BufReader<TcpStream>>,
    page: &[u8],
) -> io::Result<u16> {
    let connection = match connection {
        Some(connection) => connection,
        None => connection.insert(BufReader::new(TcpStream::connect(address)?)),
    };
    let length = page.len();
    let head = format!(
        "POST /v1/extract HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/html\r\nContent-Length: {length}\r\n\r\n"
    );
    connection.get_mut().write_all(&[head.as_bytes(), page].concat())?;
    answer(connection)
}

/// Reads an answer and gives its status.
fn answer(connection: &mut BufReader<TcpStream>) -> io::Result<u16> {
    let (mut status, mut length) = (None, 0);
    loop {
        let mut line = String::new();
        if connection.read_line(&mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let line = line.trim_end().to_ascii_lowercase();
        if line.is_empty() {
            break;
        }
        status = status.or_else(|| line.split(' ').nth(1)?.parse().ok());
        length = line
            .strip_prefix("content-length: ")
            .map_or(Some(length), |n| n.parse().ok())
            .unwrap_or(0);
    }
    io::copy(&mut connection.take(length), &mut io::sink())?;
    status.ok_or_else(|| io::ErrorKind::InvalidData.into())
}

/// Sends what no server should suffer from.
fn harm(address: &str, number: usize, stop: &AtomicBool, refused: &AtomicU64, served: &AtomicU64) {
    let mut round = number;
    while !stop.load(Ordering::Relaxed) {
        let met = TcpStream::connect(address).and_then(|stream| {
            stream.set_read_timeout(Some(Duration::from_secs(60)))?;
            stream.set_write_timeout(Some(Duration::from_secs(60)))?;
            let mut connection = BufReader::new(stream);
            send_harm(&mut connection, round, stop)?;
            answer(&mut connection)
        });
        let count =
            if met.is_ok_and(|status| !(400..500).contains(&status)) { served } else { refused };
        count.fetch_add(1, Ordering::Relaxed);
        round += 1;
    }
}

fn send_harm(
    connection: &mut BufReader<TcpStream>,
    round: usize,
    stop: &AtomicBool,
) -> io::Result<()> {
    let stream = connection.get_mut();
    let post = |length: usize, media_type: &str| {
        format!(
            "POST /v1/extract HTTP/1.1\r\nHost: localhost\r\nContent-Type: {media_type}\r\nContent-Length: {length}\r\n\r\n"
        )
    };
    match round % 7 {
        // A body that comes a byte at a time,
        0 => {
            stream.write_all(post(1000, "text/html").as_bytes())?;
            for _ in 0..100 {
                if stop.load(Ordering::Relaxed) {
                    return Err(io::ErrorKind::Interrupted.into());
                }
                stream.write_all(b"x")?;
                thread::sleep(Duration::from_millis(500));
            }
        }
        // a gigabyte, as much of it as is taken,
        1 => {
            stream.write_all(post(1 << 30, "text/html").as_bytes())?;
            for _ in 0..1024 {
                if stream.write_all(&[b'x'; 1 << 20]).is_err() {
                    break;
                }
            }
        }
        2 => {
            let body = b"[".repeat(1 << 20);
            stream.write_all(&[post(body.len(), "application/json").as_bytes(), &body].concat())?;
        }
        3 => {
            let body = b"{\"html\": [1, 2, 3], \"width\": {}}";
            stream.write_all(&[post(body.len(), "application/json").as_bytes(), body].concat())?;
        }
        4 => stream.write_all(
            b"GET /assets/%2e%2e/%2e%2e/etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n",
        )?,
        // fields without end,
        5 => {
            stream.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n")?;
            for _ in 0..100_000 {
                if stream.write_all(b"X-Flood: yes\r\n").is_err() {
                    break;
                }
            }
        }
        // or a head that never ends.
        _ => {
            stream.write_all(b"GET / HTTP/1.1\r\nHost: ")?;
            for _ in 0..100 {
                if stop.load(Ordering::Relaxed) || stream.write_all(b"x").is_err() {
                    break;
                }
                thread::sleep(Duration::from_millis(500));
            }
        }
    }
    Ok(())
}

/// Waits, and looks at the server's memory from time to time: MB at these seconds.
fn watch(pid: Option<u32>, span: Duration) -> Vec<(u64, u64)> {
    let began = Instant::now();
    let mut memory = Vec::new();
    while began.elapsed() < span {
        thread::sleep(Duration::from_secs(5).min(span.saturating_sub(began.elapsed())));
        if let Some(size) = pid.and_then(resident) {
            memory.push((began.elapsed().as_secs(), size));
        }
    }
    memory
}

fn resident(pid: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.trim().trim_end_matches(" kB").parse().ok()?;
    Some(kilobytes / 1024)
}

fn tell(arguments: &Arguments, results: &[Outcome], memory: &[(u64, u64)]) {
    let mut times: Vec<Duration> =
        results.iter().flat_map(|one| one.times.iter().copied()).collect();
    times.sort();
    let errors: Vec<&String> = results.iter().flat_map(|one| &one.errors).collect();
    let requests = times.len() + errors.len();
    let rate = requests as f64 / arguments.seconds.max(1) as f64;
    println!(
        "clients: {}, requests: {requests} ({rate:.0} a second), errors: {}",
        arguments.clients,
        errors.len()
    );
    for error in errors.iter().take(3) {
        println!("  {error}");
    }
    let at = |part: f64| {
        let index = (times.len() as f64 * part) as usize;
        times.get(index.min(times.len().saturating_sub(1))).map_or(0.0, Duration::as_secs_f64)
            * 1000.0
    };
    let (p50, p99) = (at(0.5), at(0.99));
    println!("p50 {p50:.1} ms, p90 {:.1} ms, p99 {p99:.1} ms, longest {:.1} ms", at(0.9), at(1.0));
    println!("p99 / p50: {:.1}", p99 / p50.max(f64::MIN_POSITIVE));
    let memory: Vec<String> =
        memory.iter().map(|(second, size)| format!("{second} s {size} MB")).collect();
    println!("memory of the server: {}", memory.join(", "));
}
