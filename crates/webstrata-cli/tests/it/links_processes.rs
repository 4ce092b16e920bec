//! `webstrata links pagerank --processes` and `links worker`: the same ranks by any number of workers, and after kill -9.

use std::collections::BTreeMap;
use std::fs;
use std::net::TcpListener;
use std::process::{Child, Command};
use std::thread;
use std::time::Duration;

use webstrata_base::random::Random;
use webstrata_links::build::{GraphOptions, NumberedBuilder};

use crate::site::{Site, utf8};

const PAGES: u64 = 3000;

/// How often we look whether something has happened, and for how long at most.
const LOOK: Duration = Duration::from_millis(50);
const LOOKS: usize = 1200;

fn site() -> Site {
    let site = Site::new(&[]);
    let mut random = Random::new(3);
    let mut below = |end: u64| random.below(end as usize) as u64;
    let folder = site.path().join("web");
    let mut builder = NumberedBuilder::new(&folder, &GraphOptions::default(), Some(PAGES)).unwrap();
    for page in 0..PAGES {
        for _ in 0..below(14) {
            let near = (page + below(100) + PAGES - 50) % PAGES;
            let to = if below(10) < 9 { near } else { below(PAGES) };
            builder.link(page, to, false).unwrap();
        }
    }
    builder.finish(&()).unwrap();
    site
}

fn ranks(text: &str) -> BTreeMap<String, f64> {
    let pairs = text.lines().filter_map(|line| line.split_once('\t'));
    pairs.map(|(page, rank)| (page.to_owned(), rank.parse().unwrap())).collect()
}

fn distance(left: &str, right: &str) -> f64 {
    let (left, right) = (ranks(left), ranks(right));
    assert_eq!((left.len(), right.len()), (PAGES as usize, PAGES as usize));
    left.iter().map(|(page, rank)| (rank - right[page]).abs()).sum()
}

const RANK: &str = "links pagerank web --residual 1e-8";

#[test]
fn one_two_and_four_processes_give_the_same_ranks() {
    let site = site();
    let expected = site.stdout(&format!("{RANK} --partitions 1"));
    for count in [1, 2, 4] {
        let threads = site.stdout(&format!("{RANK} --partitions {count}"));
        let processes = site.output(&format!("{RANK} --processes {count}"));
        assert!(processes.status.success(), "{processes:?}");
        assert_eq!(threads, utf8(&processes.stdout), "{count} workers");
        assert!(distance(&expected, &threads) < 1e-6);
        let said = utf8(&processes.stderr);
        let wanted = format!("between {count} workers, sent as ");
        assert!(said.contains(&wanted) && said.ends_with(" bytes an iteration\n"), "{said}");
    }
    let uneven = site.stdout(&format!("{RANK} --processes 3 --balance 5,1,2"));
    assert!(distance(&expected, &uneven) < 1e-6);
    let measured = site.stdout(&format!("{RANK} --processes 2 --balance measured"));
    assert!(distance(&expected, &measured) < 1e-6);
}

#[test]
fn what_is_wrong_with_workers_is_said_in_a_line() {
    let mut site = site();
    site.file("peers.txt", "localhost:4000\nlocalhost\n");
    site.file("twice.txt", "localhost:4000\n# the same one\nlocalhost:4000\n");
    site.file("none.txt", "\n");
    site.run("links worker web --index 0 --peers peers.txt");
    site.run("links worker web --index 0 --peers twice.txt");
    site.run("links worker web --index 0 --peers none.txt");
    site.run("links worker web --index 0 --peers nowhere.txt");
    site.run("links pagerank web --checkpoint state");
    site.run("links pagerank web --processes 2 --balance 1,2,3");
    site.run("links pagerank web --processes 2 --balance 1,0");
    site.run("links pagerank nowhere --processes 2");
    insta::assert_snapshot!(site.transcript());
}

fn peers(site: &Site) -> Vec<String> {
    let listeners = [0, 1].map(|_| TcpListener::bind("127.0.0.1:0").unwrap());
    let peers = listeners.map(|listener| listener.local_addr().unwrap().to_string());
    site.file("peers.txt", peers.join("\n"));
    peers.to_vec()
}

#[test]
fn a_worker_whose_peer_does_not_come_ends() {
    let site = site();
    let peers = peers(&site);
    for (index, wanted) in [
        (0, format!("webstrata: worker 1 at {} has not called; is it running?\n", peers[1])),
        (
            1,
            format!(
                "webstrata: cannot reach worker 0 at {}: Connection refused; is it running?\n",
                peers[0]
            ),
        ),
    ] {
        let command = format!("links worker web --index {index} --peers peers.txt --wait 100ms");
        let output = site.output(&command);
        assert_eq!(utf8(&output.stderr), wanted);
        assert_eq!(output.status.code(), Some(2));
    }
}

#[test]
fn workers_that_nobody_supervises_find_each_other_and_miss_each_other() {
    let site = site();
    let peers = peers(&site);
    let worker = |index: usize| {
        site.command(&format!(
            "links worker web --residual 1e-8 --index {index} --peers peers.txt --out ranks-{index}.tsv"
        ))
    };
    let children = [0, 1].map(|index| worker(index).spawn().unwrap());
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }
    let found = fs::read_to_string(site.path().join("ranks-0.tsv")).unwrap();
    assert_eq!(found, site.stdout(&format!("{RANK} --partitions 2")));
    assert!(!site.path().join("ranks-1.tsv").exists());

    // The second one stands still and is killed.
    let first = worker(0).env("WEBSTRATA_LINKS_PAUSE", "1:3").spawn().unwrap();
    let mut second = worker(1).env("WEBSTRATA_LINKS_PAUSE", "1:3").spawn().unwrap();
    wait_until("both are at work", || has_lines(&first) && has_lines(&second));
    second.kill().unwrap();
    second.wait().unwrap();
    let output = first.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = utf8(&output.stderr);
    assert!(said.starts_with(&format!("webstrata: lost worker 1 at {}: ", peers[1])), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
}

fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    for _ in 0..LOOKS {
        if is_so() {
            return;
        }
        thread::sleep(LOOK);
    }
    panic!("not within a minute: {what}");
}

/// Is it connected? timely's threads are there then.
fn has_lines(child: &Child) -> bool {
    let Ok(threads) = fs::read_dir(format!("/proc/{}/task", child.id())) else { return false };
    let name = |thread: fs::DirEntry| fs::read_to_string(thread.path().join("comm")).ok();
    threads.flatten().filter_map(name).any(|name| name.starts_with("timely:recv"))
}

/// The process that a supervisor has started as a worker.
fn worker_of(supervisor: &Child, index: usize) -> Option<u32> {
    let ours = |id: u32| {
        let status = fs::read_to_string(format!("/proc/{id}/status")).ok()?;
        let parent = status.lines().find_map(|line| line.strip_prefix("PPid:"))?.trim().parse();
        let arguments = fs::read(format!("/proc/{id}/cmdline")).ok()?;
        let wanted = format!("\0--index\0{index}\0");
        let is_worker = arguments.windows(wanted.len()).any(|part| part == wanted.as_bytes());
        (parent == Ok(supervisor.id()) && is_worker).then_some(id)
    };
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let mut ids = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    ids.find_map(ours)
}

fn kill(process: u32) {
    let status = Command::new("kill").args(["-9", &process.to_string()]).status().unwrap();
    assert!(status.success());
}

#[cfg(target_os = "linux")]
#[test]
fn a_run_survives_kill_9_of_a_worker() {
    let site = site();
    let expected = site.stdout(&format!("{RANK} --partitions 3"));
    let command = format!("{RANK} --processes 3 --checkpoint state --every 2");
    let mut paused = site.command(&command);
    let run = paused.env("WEBSTRATA_LINKS_PAUSE", "1:7").spawn().unwrap();
    let last = site.path().join("state/last");
    wait_until("a checkpoint", || fs::read_to_string(&last).is_ok_and(|text| text == "6\n"));
    kill(worker_of(&run, 1).unwrap());
    let workers = [0, 2].map(|index| worker_of(&run, index));
    let output = run.wait_with_output().unwrap();
    assert_eq!(
        utf8(&output.stderr),
        "webstrata: worker 1 of 3 was killed by signal 9; the others were stopped; the last checkpoint in state is \
         of iteration 6, from which the same command with --resume goes on\n"
    );
    assert_eq!((output.status.code(), utf8(&output.stdout)), (Some(2), ""));
    for worker in workers.into_iter().flatten() {
        assert!(!fs::exists(format!("/proc/{worker}")).unwrap(), "worker {worker} still runs");
    }

    assert_eq!(site.stdout(&format!("{command} --resume")), expected);
    // With a damaged part, nothing but a message.
    let parts = fs::read_dir(site.path().join("state")).unwrap().flatten();
    for part in parts.filter(|part| part.file_name().to_string_lossy().contains("worker-2")) {
        let mut bytes = fs::read(part.path()).unwrap();
        bytes[100] ^= 1;
        fs::write(part.path(), bytes).unwrap();
    }
    let output = site.output(&format!("{command} --resume"));
    let said = utf8(&output.stderr);
    assert!(said.starts_with("webstrata: worker 2 of 3 has failed: state/0000"), "{said}");
    assert!(said.contains(": a damaged checkpoint; start without resuming; "), "{said}");
    assert_eq!((said.lines().count(), output.status.code()), (1, Some(2)));
    assert_eq!(site.stdout(&command), expected);
}

#[cfg(target_os = "linux")]
#[test]
fn workers_end_with_their_supervisor() {
    let site = site();
    let mut paused = site.command(&format!("{RANK} --processes 2 --checkpoint state --every 1"));
    let mut run = paused.env("WEBSTRATA_LINKS_PAUSE", "1:3").spawn().unwrap();
    let last = site.path().join("state/last");
    wait_until("a checkpoint", || fs::read_to_string(&last).is_ok_and(|text| text == "2\n"));
    let workers = [0, 1].map(|index| worker_of(&run, index).unwrap());
    run.kill().unwrap();
    run.wait().unwrap();
    let is_gone = |worker: &u32| {
        let status = fs::read_to_string(format!("/proc/{worker}/status")).unwrap_or_default();
        // Ended, though perhaps not yet buried by its new parent.
        status.is_empty() || status.contains("State:\tZ")
    };
    wait_until("the workers have ended", || workers.iter().all(is_gone));
}
