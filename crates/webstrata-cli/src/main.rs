//! The `webstrata` command: main text out of any web page.

mod cli;
mod cmd;

use std::process::ExitCode;

fn main() -> ExitCode {
    webstrata_terminal::program::run("webstrata", cli::elsewhere, cmd::run)
}
