//! Runs tools over pages and prints one JSON line a result; `bench/run` makes the tables.
//!
//! ```text
//! webstrata-bench measure MANIFEST ROUNDS TOOL[:CAP]...   CPU time of each tool on each page
//! webstrata-bench jobs    MANIFEST ROUNDS                 wall time with one thread and with two
//! webstrata-bench linear  MANIFEST ROUNDS                 CPU time of a page 1 to 1000 times over
//! webstrata-bench passes  MANIFEST COUNT TOOL             nothing timed: for a counting tool
//! ```

use std::env;
use std::error::Error;
use std::hint::black_box;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use cpu_time::ProcessTime;
use webstrata_bench::ours;
use webstrata_bench::pages::{self, Entry, Page};
use webstrata_bench::tools::Tool;

/// Some peers recurse as deep as a page nests.
const STACK: usize = 1 << 30;

/// How often the middle page is repeated in the linear-cost measurement.
const REPEATS: [usize; 4] = [1, 10, 100, 1000];

type Outcome = Result<(), Box<dyn Error>>;

fn main() -> ExitCode {
    // The CPU clock is the process's, so that no tool can work unseen in threads of its own.
    let worker = thread::Builder::new()
        .stack_size(STACK)
        .spawn(|| run(&env::args().skip(1).collect::<Vec<_>>()).map_err(|error| error.to_string()));
    match worker.map(thread::JoinHandle::join) {
        Ok(Ok(Ok(()))) => ExitCode::SUCCESS,
        Ok(Ok(Err(message))) => {
            eprintln!("webstrata-bench: {message}");
            ExitCode::FAILURE
        }
        _ => ExitCode::FAILURE,
    }
}

fn run(args: &[String]) -> Outcome {
    let [command, manifest, count, tools @ ..] = args else {
        return Err("usage: measure|jobs|linear|passes MANIFEST COUNT [TOOL[:CAP]...]".into());
    };
    let entries = pages::manifest(manifest)?;
    let count = count.parse()?;
    match command.as_str() {
        "measure" => measure(&entries, count, tools),
        "jobs" => jobs(&entries, count),
        "linear" => linear(&entries, count),
        "passes" => passes(&entries, count, tools.first().map_or("strata", String::as_str)),
        _ => Err(format!("no command {command}").into()),
    }
}

fn measure(entries: &[Entry], rounds: usize, specs: &[String]) -> Outcome {
    let mut tools = Vec::new();
    for spec in specs {
        match Tool::new(spec) {
            Ok(tool) => tools.push(tool),
            Err(reason) => {
                let name = spec.split(':').next().unwrap_or_default();
                println!(r#"{{"tool":"{name}","skipped":"{reason}"}}"#);
            }
        }
    }
    let decode = tools.iter().any(Tool::wants_text);
    for set in entries.chunk_by(|a, b| a.set == b.set) {
        measure_set(&pages::load(set, decode)?, rounds, &mut tools);
    }
    Ok(())
}

/// Every round runs each tool over all of its pages; round 0 warms up and is not counted.
fn measure_set(pages: &[Page], rounds: usize, tools: &mut [Tool]) {
    let mut times = vec![vec![Vec::with_capacity(rounds); pages.len()]; tools.len()];
    let mut lengths = vec![vec![0; pages.len()]; tools.len()];
    for round in 0..=rounds {
        for (number, tool) in tools.iter_mut().enumerate() {
            for (index, page) in sample(pages, tool.cap) {
                let start = ProcessTime::now();
                let length = tool.run(page);
                let elapsed = start.elapsed().as_secs_f64();
                lengths[number][index] = length;
                if round > 0 {
                    times[number][index].push(elapsed);
                }
            }
        }
    }
    for (number, tool) in tools.iter().enumerate() {
        for (index, page) in sample(pages, tool.cap) {
            let (name, line, out) = (&tool.name, page.line, lengths[number][index]);
            let cpu = median(&mut times[number][index]);
            println!(r#"{{"tool":"{name}","page":{line},"cpu_s":{cpu:e},"out":{out}}}"#);
        }
    }
}

/// The pages that a tool with this cap gets, with their places among all pages.
fn sample(pages: &[Page], cap: usize) -> impl Iterator<Item = (usize, &Page)> {
    pages.iter().enumerate().filter(move |(_, page)| page.rank < cap)
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let half = values.len() / 2;
    if values.len().is_multiple_of(2) {
        (values[half - 1] + values[half]) / 2.0
    } else {
        values[half]
    }
}

/// The wall time that threads need for all pages, each thread taking the next page there is.
fn jobs(entries: &[Entry], rounds: usize) -> Outcome {
    let pages = pages::load(entries, false)?;
    let bytes: usize = pages.iter().map(|page| page.raw.len()).sum();
    let mut best = [f64::INFINITY; 2];
    for _ in 0..=rounds {
        for (index, wall) in best.iter_mut().enumerate() {
            *wall = wall.min(shared(&pages, index + 1));
        }
    }
    for (index, wall) in best.iter().enumerate() {
        println!(r#"{{"threads":{},"bytes":{bytes},"wall_s":{wall:e}}}"#, index + 1);
    }
    Ok(())
}

fn shared(pages: &[Page], threads: usize) -> f64 {
    let next = AtomicUsize::new(0);
    let start = Instant::now();
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let extract = ours::preset("strata").expect("the library has this preset");
                while let Some(page) = pages.get(next.fetch_add(1, Ordering::Relaxed)) {
                    black_box(extract(&page.raw));
                }
            });
        }
    });
    start.elapsed().as_secs_f64()
}

/// The middle page repeated: every size works through the same number of bytes in a round.
fn linear(entries: &[Entry], rounds: usize) -> Outcome {
    let (line, page) = pages::middle(entries)?;
    let extract = ours::preset("strata").ok_or("the library has no such preset")?;
    let inputs = REPEATS.map(|repeat| page.repeat(repeat));
    let mut times = REPEATS.map(|_| Vec::with_capacity(rounds));
    for round in 0..=rounds {
        for (index, input) in inputs.iter().enumerate() {
            let runs = REPEATS[REPEATS.len() - 1] / REPEATS[index];
            let start = ProcessTime::now();
            for _ in 0..runs {
                black_box(extract(black_box(input)));
            }
            if round > 0 {
                times[index].push(start.elapsed().as_secs_f64() / runs as f64);
            }
        }
    }
    for (index, input) in inputs.iter().enumerate() {
        let (repeat, bytes, cpu) = (REPEATS[index], input.len(), median(&mut times[index]));
        println!(r#"{{"page":{line},"repeat":{repeat},"bytes":{bytes},"cpu_s":{cpu:e}}}"#);
    }
    Ok(())
}

fn passes(entries: &[Entry], count: usize, tool: &str) -> Outcome {
    let pages = pages::load(entries, false)?;
    let extract = ours::preset(tool).ok_or("the library has no such preset")?;
    for page in (0..count).flat_map(|_| &pages) {
        black_box(extract(&page.raw));
    }
    Ok(())
}
