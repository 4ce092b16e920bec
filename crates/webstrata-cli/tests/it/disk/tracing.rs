//! Runs the program below `tracer.c` and reads what that wrote down.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use crate::site::Site;

/// The folder of a site that is the disk: what lies outside stays as it is.
pub(super) const DISK: &str = "disk";

/// What a program did to the disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    Create(u64, String),
    Write(u64, usize, Vec<u8>),
    Cut(u64, usize),
    Sync(u64),
    FailedSync(u64),
    Mkdir(String),
    Unlink(String),
    Rmdir(String),
    Rename(String, String),
    Link(String, String),
    SyncFolder(String),
}

/// Which operation fails, and how.
#[derive(Clone, Copy, Debug)]
pub(super) enum Fault {
    None,
    /// The one of this number, with EIO.
    Change(usize),
    /// The one of this number, of those that read.
    Read(usize),
    /// From this one on there is no room.
    Full(usize),
}

impl Fault {
    fn arguments(self) -> [String; 3] {
        let (class, mode, number) = match self {
            Fault::None => ("changes", "watch", 0),
            Fault::Change(number) => ("changes", "fail", number),
            Fault::Read(number) => ("reads", "fail", number),
            Fault::Full(number) => ("changes", "full", number),
        };
        [class.to_owned(), mode.to_owned(), number.to_string()]
    }
}

/// A run that was followed.
pub(super) struct Traced {
    pub(super) output: Output,
    /// What was done, in the order in which it ended.
    pub(super) log: Vec<Operation>,
    /// How many operations there were that could fail.
    pub(super) operations: usize,
}

/// The tracer, built once; `None`, said why, where that cannot be or it may not trace.
pub(super) fn tracer() -> Option<&'static Path> {
    static BUILT: OnceLock<Option<PathBuf>> = OnceLock::new();
    BUILT.get_or_init(build).as_deref()
}

fn build() -> Option<PathBuf> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/disk/tracer.c");
    let built =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("tracer-{}", std::process::id()));
    let compiled = Command::new("cc").args(["-O1", "-o"]).arg(&built).arg(source).output();
    match compiled {
        Ok(output) if output.status.success() => {}
        Ok(output) => panic!("{}", String::from_utf8_lossy(&output.stderr)),
        Err(error) => {
            eprintln!("skipped: no C compiler: {error}");
            return None;
        }
    }
    let log = built.with_extension("log");
    let mut command = Command::new(&built);
    let tried = command
        .arg(&log)
        .arg(env!("CARGO_TARGET_TMPDIR"))
        .args(["changes", "watch", "0", "true"])
        .output()
        .unwrap();
    let _ = std::fs::remove_file(log);
    if !tried.status.success() {
        eprintln!(
            "skipped: this machine lets nobody trace: {}",
            String::from_utf8_lossy(&tried.stderr)
        );
        return None;
    }
    Some(built)
}

/// Runs a command of the program with a fault.
pub(super) fn run(tracer: &Path, site: &Site, arguments: &str, fault: Fault) -> Traced {
    let log = site.path().join("log");
    let mut command = Command::new(tracer);
    command.arg(&log).arg(site.path().join(DISK)).args(fault.arguments()).arg(crate::PROGRAM.1);
    let output =
        command.args(arguments.split_whitespace()).current_dir(site.path()).output().unwrap();
    let (log, operations) = read(&std::fs::read(log).unwrap());
    Traced { output, log, operations }
}

fn read(mut log: &[u8]) -> (Vec<Operation>, usize) {
    let (mut done, mut operations) = (Vec::new(), None);
    while let Some(end) = log.iter().position(|byte| *byte == b'\n') {
        let line = str::from_utf8(&log[..end]).unwrap();
        log = &log[end + 1..];
        let (what, rest) = line.split_once(' ').unwrap();
        let mut words = rest.split(' ');
        let mut number = || words.next().unwrap().parse::<u64>().unwrap();
        let mut take = |length: u64| {
            let (taken, behind) = log.split_at(length as usize);
            log = behind;
            taken.to_vec()
        };
        let mut two = |length: u64| {
            let names = String::from_utf8(take(length)).unwrap();
            let (from, to) = names.split_once('\0').unwrap();
            (from.to_owned(), to.to_owned())
        };
        done.push(match what {
            "create" => {
                let (inode, path) = rest.split_once(' ').unwrap();
                Operation::Create(inode.parse().unwrap(), path.to_owned())
            }
            "write" => {
                let (inode, offset, length) = (number(), number(), number());
                Operation::Write(inode, offset as usize, take(length))
            }
            "cut" => Operation::Cut(number(), number() as usize),
            "sync" => Operation::Sync(number()),
            "failed-sync" => Operation::FailedSync(number()),
            "mkdir" => Operation::Mkdir(rest.to_owned()),
            "unlink" => Operation::Unlink(rest.to_owned()),
            "rmdir" => Operation::Rmdir(rest.to_owned()),
            "sync-folder" => Operation::SyncFolder(rest.to_owned()),
            "rename" => {
                let (from, to) = two(number());
                Operation::Rename(from, to)
            }
            "link" => {
                let (from, to) = two(number());
                Operation::Link(from, to)
            }
            "operations" => {
                operations = Some(number() as usize);
                continue;
            }
            // What cannot be followed would make all that is said about it wrong.
            other => panic!("{other} {rest}"),
        });
    }
    (done, operations.expect("the log of a run that ended"))
}
