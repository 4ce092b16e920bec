//! The `webstrata` command: main text out of any web page.
//!
//! A run goes one way: [`cli`] reads the command line and refuses what is wrong with it; a command
//! of [`cmd`] makes real objects of it (an extractor, options, a list of pages) and works through
//! them, many pages at once by [`batch`]; everything printed goes through [`output`] (results) or
//! [`report`] (messages).

mod args;
mod batch;
mod cli;
mod cmd;
mod exit;
mod extractor;
mod input;
mod output;
mod panics;
mod report;
mod sets;
mod site;
mod style;

use std::process::ExitCode;

use crate::exit::Exit;

fn main() -> ExitCode {
    let cli = match cli::parse() {
        Ok(cli) => cli,
        Err(exit) => return exit.into(),
    };
    panics::install();
    let exit = match panics::caught(|| cmd::run(&cli)) {
        Ok(Ok(exit)) => exit,
        // Whoever reads us has read enough (`webstrata … | head`): no failure, and nobody to tell.
        Ok(Err(error)) if output::is_broken_pipe(&error) => Exit::Text,
        Ok(Err(error)) => {
            report::line(&report::one_line(&error));
            Exit::Failed
        }
        Err(panic) => {
            report::line(&panic);
            Exit::Failed
        }
    };
    exit.into()
}
