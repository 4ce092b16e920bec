//! Workers as processes of this machine: starts them, shows how far they are, and when one dies stops the others.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use anyhow::{Context, bail};
use webstrata_base::Progress;
use webstrata_links::cluster::ClusterOptions;

use webstrata_terminal::exit::Exit;
use webstrata_terminal::program::Global;
use webstrata_terminal::report::{TerminalProgress, line};

/// How often the supervisor checks whether workers are alive.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// A line that a worker has written to stderr.
struct WorkerLine {
    worker: usize,
    line: String,
}

pub(crate) fn run(
    workers: usize,
    settings: &ClusterOptions,
    global: &Global,
) -> anyhow::Result<Exit> {
    let peers = free_addresses(workers)?;
    let (to, lines) = channel();
    let mut running = Running { children: Vec::new() };
    for index in 0..workers {
        running.children.push(start(index, &peers, &to)?);
    }
    drop(to);
    let progress = TerminalProgress::new(global.quiet);
    let ended = running.follow(&lines, &progress);
    progress.end_part("notes");
    let (ended, messages) = ended?;
    let Some((worker, status)) = ended else {
        // The first worker's summary of the ranking.
        messages[0].iter().for_each(|message| line(message));
        return Ok(Exit::Text);
    };
    if status.code() == Some(1) {
        return Ok(Exit::NoText);
    }
    let why = match messages[worker].last() {
        Some(message) if status.code().is_some() => format!("has failed: {message}"),
        _ => how_it_ended(status),
    };
    let remedy = remedy(settings, workers, &why);
    bail!("worker {worker} of {workers} {why}; the others were stopped{remedy}")
}

/// What can be done after a worker has died; empty where the worker's own message says it.
fn remedy(settings: &ClusterOptions, workers: usize, why: &str) -> String {
    let Some(checkpoints) = &settings.checkpoints else {
        return ", and there is no checkpoint (see --checkpoint)".into();
    };
    if settings.resume && why.contains("start without resuming") {
        return String::new();
    }
    match checkpoints.last(workers) {
        // The worker's message says so already.
        Err(error) if why.contains(&error.to_string()) => String::new(),
        Err(error) => format!("; the last checkpoint cannot be read: {error}"),
        Ok(None) => " before the first checkpoint".into(),
        Ok(Some(iteration)) => format!(
            "; the last checkpoint in {} is of iteration {iteration}, \
             from which the same command with --resume goes on",
            checkpoints.folder.display()
        ),
    }
}

/// The arguments of this process, for a worker: `pagerank` becomes `worker`, and `--processes N` is left out. Behind
/// `--`, nothing is an option.
fn worker_arguments(index: usize, arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut found = false;
    let mut options = true;
    let mut kept = Vec::new();
    let mut arguments = arguments;
    while let Some(argument) = arguments.next() {
        let text = argument.to_str().unwrap_or_default();
        if !found && text == "pagerank" {
            found = true;
            kept.extend(["worker", "--supervised", "--index"].map(OsString::from));
            kept.push(index.to_string().into());
        } else if options && text == "--processes" {
            arguments.next();
        } else if !options || !text.starts_with("--processes=") {
            options &= text != "--";
            kept.push(argument);
        }
    }
    kept
}

/// Free ports of this machine. The system hands out other ports first, so these stay free for a while.
fn free_addresses(count: usize) -> anyhow::Result<Vec<String>> {
    let listeners: std::io::Result<Vec<TcpListener>> =
        (0..count).map(|_| TcpListener::bind("127.0.0.1:0")).collect();
    let listeners = listeners.context("no free port for workers")?;
    listeners.iter().map(|listener| Ok(listener.local_addr()?.to_string())).collect()
}

fn start(index: usize, peers: &[String], to: &Sender<WorkerLine>) -> anyhow::Result<Child> {
    let program = std::env::current_exe().context("the program's file")?;
    let mut child = Command::new(program)
        .args(worker_arguments(index, std::env::args_os().skip(1)))
        .stdin(Stdio::piped())
        .stdout(if index == 0 { Stdio::inherit() } else { Stdio::null() })
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("worker {index} cannot be started"))?;
    if let Some(stdin) = &mut child.stdin {
        // A worker that does not read it has died. The loop notices that.
        let _ = stdin.write_all(format!("{}\n\n", peers.join("\n")).as_bytes());
    }
    if let Some(stderr) = child.stderr.take() {
        let to = to.clone();
        thread::spawn(move || {
            for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                let _ = to.send(WorkerLine { worker: index, line });
            }
        });
    }
    Ok(child)
}

/// The workers. Those that still run are stopped when this is dropped.
struct Running {
    children: Vec<Child>,
}

/// The first worker that failed and how, if one did; and the messages of each.
type Ended = (Option<(usize, ExitStatus)>, Vec<Vec<String>>);

impl Running {
    /// Waits until all have ended well, or one has not.
    fn follow(
        &mut self,
        lines: &Receiver<WorkerLine>,
        progress: &TerminalProgress,
    ) -> anyhow::Result<Ended> {
        let mut messages = vec![Vec::new(); self.children.len()];
        let mut handle =
            |WorkerLine { worker, line }: WorkerLine| match line.split(' ').collect::<Vec<_>>()[..]
            {
                ["begin", steps, part] => progress.begin(part, steps.parse().unwrap_or(0)),
                ["step"] => progress.step(),
                _ => messages[worker]
                    .push(line.strip_prefix("webstrata: ").unwrap_or(&line).to_owned()),
            };
        let failed = loop {
            match lines.recv_timeout(POLL_INTERVAL) {
                Ok(line) => handle(line),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => thread::sleep(POLL_INTERVAL),
            }
            let ended = self.ended()?;
            let failed = ended.iter().position(|end| end.is_some_and(|status| !status.success()));
            if let Some(worker) = failed {
                break ended[worker].map(|status| (worker, status));
            }
            if ended.iter().all(Option::is_some) {
                break None;
            }
        };
        self.stop();
        // All workers have ended, so the channel ends, too.
        lines.iter().for_each(&mut handle);
        Ok((failed, messages))
    }

    fn ended(&mut self) -> anyhow::Result<Vec<Option<ExitStatus>>> {
        self.children.iter_mut().map(|child| child.try_wait().context("a worker")).collect()
    }

    fn stop(&mut self) {
        for child in &mut self.children {
            // A worker that has ended cannot be stopped; its error does not matter.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop();
    }
}

fn how_it_ended(status: ExitStatus) -> String {
    #[cfg(unix)]
    {
        use std::os::unix::process::ExitStatusExt;
        if let Some(signal) = status.signal() {
            return format!("was killed by signal {signal}");
        }
    }
    format!("has ended with {status}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workers_get_the_same_arguments() {
        let given = "--quiet links pagerank pagerank --processes 4 --alpha 0.8 --processes=2 --resume -- --processes 2";
        let kept = worker_arguments(3, given.split(' ').map(OsString::from));
        let expected = "--quiet links worker --supervised --index 3 pagerank --alpha 0.8 --resume -- --processes 2";
        assert_eq!(kept, expected.split(' ').map(OsString::from).collect::<Vec<_>>());
    }
}
