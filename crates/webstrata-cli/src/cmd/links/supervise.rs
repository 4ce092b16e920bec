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
use webstrata_links::cluster::Settings;

use webstrata_terminal::exit::Exit;
use webstrata_terminal::program::Global;
use webstrata_terminal::report::{Watch, line};

/// How often we look whether workers are alive.
const LOOK: Duration = Duration::from_millis(20);

/// What a worker has said on a line.
struct Said {
    worker: usize,
    line: String,
}

pub(crate) fn run(workers: usize, settings: &Settings, global: &Global) -> anyhow::Result<Exit> {
    let peers = free_addresses(workers)?;
    let (to, said) = channel();
    let mut running = Running { children: Vec::new() };
    for index in 0..workers {
        running.children.push(start(index, &peers, &to)?);
    }
    drop(to);
    let watch = Watch::new(global.quiet);
    let ended = running.follow(&said, &watch);
    watch.end_part("notes");
    let (ended, last_words) = ended?;
    let Some((worker, status)) = ended else {
        // What the first worker had to say about the ranking.
        last_words[0].iter().for_each(|words| line(words));
        return Ok(Exit::Text);
    };
    if status.code() == Some(1) {
        return Ok(Exit::NoText);
    }
    let why = match last_words[worker].last() {
        Some(words) if status.code().is_some() => format!("has failed: {words}"),
        _ => how_it_ended(status),
    };
    let remedy = remedy(settings, workers, &why);
    bail!("worker {worker} of {workers} {why}; the others were stopped{remedy}")
}

/// What can be done after a worker has died, unless it has said itself that the checkpoint is of no use.
fn remedy(settings: &Settings, workers: usize, why: &str) -> String {
    let Some(checkpoints) = &settings.checkpoints else {
        return ", and there is no checkpoint (see --checkpoint)".into();
    };
    if settings.resume && why.contains("start without resuming") {
        return String::new();
    }
    match checkpoints.last(workers) {
        // It has said so itself.
        Err(error) if why.contains(&error.to_string()) => String::new(),
        Err(error) => format!("; where the last checkpoint is cannot be told: {error}"),
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

/// Nobody else gets such a port soon: the system hands out others first.
fn free_addresses(count: usize) -> anyhow::Result<Vec<String>> {
    let listeners: std::io::Result<Vec<TcpListener>> =
        (0..count).map(|_| TcpListener::bind("127.0.0.1:0")).collect();
    let listeners = listeners.context("no free port for workers")?;
    listeners.iter().map(|listener| Ok(listener.local_addr()?.to_string())).collect()
}

fn start(index: usize, peers: &[String], to: &Sender<Said>) -> anyhow::Result<Child> {
    let program = std::env::current_exe().context("the program's file")?;
    let mut child = Command::new(program)
        .args(worker_arguments(index, std::env::args_os().skip(1)))
        .stdin(Stdio::piped())
        .stdout(if index == 0 { Stdio::inherit() } else { Stdio::null() })
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("worker {index} cannot be started"))?;
    if let Some(stdin) = &mut child.stdin {
        // A worker that does not take it has died, which is noticed soon.
        let _ = stdin.write_all(format!("{}\n\n", peers.join("\n")).as_bytes());
    }
    if let Some(stderr) = child.stderr.take() {
        let to = to.clone();
        thread::spawn(move || {
            for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                let _ = to.send(Said { worker: index, line });
            }
        });
    }
    Ok(child)
}

/// The workers; those that still run are stopped when it goes.
struct Running {
    children: Vec<Child>,
}

/// The first worker that failed and how, if one did; and the messages of each.
type Ended = (Option<(usize, ExitStatus)>, Vec<Vec<String>>);

impl Running {
    /// Waits until all have ended well, or one has not.
    fn follow(&mut self, said: &Receiver<Said>, watch: &Watch) -> anyhow::Result<Ended> {
        let mut last_words = vec![Vec::new(); self.children.len()];
        let mut hear = |Said { worker, line }: Said| match line.split(' ').collect::<Vec<_>>()[..] {
            ["begin", steps, part] => watch.begin(part, steps.parse().unwrap_or(0)),
            ["step"] => watch.step(),
            _ => last_words[worker]
                .push(line.strip_prefix("webstrata: ").unwrap_or(&line).to_owned()),
        };
        let failed = loop {
            match said.recv_timeout(LOOK) {
                Ok(said) => hear(said),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => thread::sleep(LOOK),
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
        // All have ended, and so have their lines.
        said.iter().for_each(&mut hear);
        Ok((failed, last_words))
    }

    fn ended(&mut self) -> anyhow::Result<Vec<Option<ExitStatus>>> {
        self.children.iter_mut().map(|child| child.try_wait().context("a worker")).collect()
    }

    fn stop(&mut self) {
        for child in &mut self.children {
            // Of one that has ended, there is nothing to stop.
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
