//! A directory of pages, and a transcript of what the command says about it.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// A page with a main text.
pub(crate) const TIDES: &str = "<!doctype html><html lang=en><title>Tides</title>\
    <nav><a href=/>Home</a> <a href=/news>News</a></nav><p>Monday</p>\
    <h1>High water comes later</h1><p>High water at the harbour bar comes half an hour later than the printed table says, \
    because the new breakwater slows the last of the flood on its way in.\
    <p>The harbour office has printed a second table, which visiting boats can have for nothing \
    at the window, and asks them to throw the first one away before they do anything else.\
    <footer><a href=/imprint>Imprint</a></footer>";

/// A page without one.
pub(crate) const LINKS: &str = "<ul><li><a href=/a>Home</a><li><a href=/b>News</a></ul>";

/// A temporary directory in which commands run; paths in their output are relative and stay the
/// same from run to run.
pub(crate) struct Site {
    directory: TempDir,
    transcript: String,
}

impl Site {
    pub(crate) fn new(files: &[(&str, &str)]) -> Site {
        let directory = tempfile::tempdir().unwrap();
        let site = Site { directory, transcript: String::new() };
        files.iter().for_each(|(path, text)| site.file(path, text));
        site
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    pub(crate) fn file(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    /// A link to nothing: the one file that even root cannot read.
    pub(crate) fn unreadable(&self, path: &str) {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink("nowhere", path).unwrap();
    }

    pub(crate) fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(crate::PROGRAM.1);
        command.args(arguments.split_whitespace()).current_dir(self.path());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub(crate) fn output(&self, arguments: &str) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Stdout of a run that must succeed.
    pub(crate) fn stdout(&self, arguments: &str) -> String {
        let output = self.output(arguments);
        assert!(output.status.success(), "{arguments}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Runs a command and notes it down with what it said: stdout as it is, lines of stderr after
    /// `! `, and the exit code if it is not 0.
    pub(crate) fn run(&mut self, arguments: &str) {
        let output = self.output(arguments);
        self.note(&format!("{} {arguments}", crate::PROGRAM.0), &output);
    }

    /// The same with something on stdin.
    pub(crate) fn pipe(&mut self, input: &str, arguments: &str) {
        let mut child = self.command(arguments).stdin(Stdio::piped()).spawn().unwrap();
        // The command may well end before it has read everything.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        let output = child.wait_with_output().unwrap();
        self.note(&format!("… | {} {arguments}", crate::PROGRAM.0), &output);
    }

    fn note(&mut self, command: &str, output: &Output) {
        let (stdout, stderr) = (utf8(&output.stdout), utf8(&output.stderr));
        let _ = writeln!(self.transcript, "$ {command}");
        self.transcript.push_str(stdout);
        for line in stderr.lines() {
            let _ = writeln!(self.transcript, "! {line}");
        }
        match output.status.code() {
            Some(0) => {}
            Some(code) => self.transcript.push_str(&format!("exit {code}\n")),
            None => panic!("{command}: {output:?}"),
        }
        self.transcript.push('\n');
    }

    pub(crate) fn transcript(&self) -> &str {
        &self.transcript
    }
}

/// The help of the program fits a screen, and its version is that of the crate.
pub(crate) fn check_help_and_version() {
    let site = Site::new(&[]);
    let help = site.stdout("--help");
    assert!(help.lines().count() <= 40, "{} lines:\n{help}", help.lines().count());
    let too_long: Vec<&str> = help.lines().filter(|line| line.chars().count() > 100).collect();
    assert_eq!(too_long, [""; 0]);
    let version = format!("{} {}\n", crate::PROGRAM.0, env!("CARGO_PKG_VERSION"));
    assert_eq!(site.stdout("--version"), version);
}

/// One of the library's example pages.
pub(crate) fn example(name: &str) -> Vec<u8> {
    let pages = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../webstrata/tests/pages");
    fs::read(pages.join(name).join("page.html")).unwrap()
}

pub(crate) fn utf8(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}
