//! `webstrata completions` and `webstrata man`: what shells and readers of manuals want, made of the help itself.

use std::fs;
use std::path::PathBuf;

use anyhow::Context;
use clap::CommandFactory;
use clap_complete::Shell;

use crate::cli::Cli;
use webstrata_terminal::exit::Exit;
use webstrata_terminal::output;

const COMPLETIONS: &str = "\
Examples:
  webstrata completions bash > ~/.local/share/bash-completion/completions/webstrata
  webstrata completions zsh > ~/.zfunc/_webstrata            with ~/.zfunc in fpath
  webstrata completions fish > ~/.config/fish/completions/webstrata.fish
  webstrata completions powershell >> $PROFILE";

/// Write the completions of a shell: bash, zsh, fish, powershell, elvish
#[derive(Debug, clap::Args)]
#[command(after_help = COMPLETIONS)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL", hide_possible_values = true)]
    shell: Shell,
}

pub(crate) fn completions(args: &CompletionsArgs) -> anyhow::Result<Exit> {
    let (mut cli, mut script) = (Cli::command(), Vec::new());
    clap_complete::generate(args.shell, &mut cli, "webstrata", &mut script);
    output::print(&script)?;
    Ok(Exit::Text)
}

const MAN: &str = "\
Examples:
  webstrata man ~/.local/share/man/man1 && man webstrata-extract";

/// Write the manual, a page for each command
#[derive(Debug, clap::Args)]
#[command(after_help = MAN)]
pub(crate) struct ManArgs {
    /// The directory; it is created if missing
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

pub(crate) fn man(args: &ManArgs) -> anyhow::Result<Exit> {
    let shown = || args.folder.display().to_string();
    fs::create_dir_all(&args.folder).with_context(shown)?;
    clap_mangen::generate_to(Cli::command(), &args.folder).with_context(shown)?;
    Ok(Exit::Text)
}
