//! The `webstrata-lab` command: study, train, measure and reproduce.

mod cli;
mod cmd;
mod picture;
mod sets;

use std::process::ExitCode;

fn main() -> ExitCode {
    webstrata_terminal::program::run("webstrata-lab", cli::elsewhere, cmd::run)
}
