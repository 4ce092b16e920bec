//! Where results go: stdout or a file.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;

use anyhow::Context;

/// Large, because pages are: one system call for many of them.
const BUFFER: usize = 1 << 18;

/// A buffered stdout or file. Its errors name it.
pub struct Output {
    name: String,
    to: BufWriter<Box<dyn Write + Send>>,
    terminal: bool,
}

impl Output {
    /// Stdout.
    pub fn stdout() -> Output {
        let stdout = io::stdout();
        let terminal = stdout.is_terminal();
        let to: Box<dyn Write + Send> = Box::new(stdout);
        Output { name: "stdout".into(), to: BufWriter::with_capacity(BUFFER, to), terminal }
    }

    /// A file, created or overwritten.
    pub fn file(path: &Path) -> anyhow::Result<Output> {
        let name = path.display().to_string();
        let file: Box<dyn Write + Send> =
            Box::new(File::create(path).with_context(|| name.clone())?);
        Ok(Output { name, to: BufWriter::with_capacity(BUFFER, file), terminal: false })
    }

    /// Is it a terminal?
    pub fn is_terminal(&self) -> bool {
        self.terminal
    }

    /// Writes bytes; on a terminal, at once.
    pub fn write(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        self.to.write_all(bytes).with_context(|| self.name.clone())?;
        if self.terminal { self.finish() } else { Ok(()) }
    }

    /// Writes what is still in the buffer. Dropping would do so, too, but swallow the error.
    pub fn finish(&mut self) -> anyhow::Result<()> {
        self.to.flush().with_context(|| self.name.clone())
    }
}

/// For what writes to anything, such as a table; its errors do not name the output.
impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.to.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

/// Writes all of a short output to stdout.
pub fn print(bytes: &[u8]) -> anyhow::Result<()> {
    let mut output = Output::stdout();
    output.write(bytes)?;
    output.finish()
}

/// Has the reader of stdout closed the pipe?
pub fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let causes = error.chain().filter_map(|cause| cause.downcast_ref::<io::Error>());
    causes.into_iter().any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}

/// The text without control characters other than line breaks and tabs: a page must not be able to
/// steer the terminal that it is shown on.
pub fn without_control_characters(text: &str) -> Cow<'_, str> {
    let steers = |c: char| c.is_control() && c != '\n' && c != '\t';
    if text.contains(steers) { text.replace(steers, "\u{fffd}").into() } else { text.into() }
}

/// Quoted so that a shell reads it as one word.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/._-+=:,@%".contains(c);
    if word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoting() {
        assert_eq!(quoted("sets/tides/a-1.html"), "sets/tides/a-1.html");
        assert_eq!(quoted("my set/it's.html"), r"'my set/it'\''s.html'");
    }
}
