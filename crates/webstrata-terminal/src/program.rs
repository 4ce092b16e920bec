//! A program from its command line to its exit code.

use std::path::Path;
use std::process::ExitCode;

use clap::Parser;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use webstrata::error;

use crate::exit::Exit;
use crate::style::Color;
use crate::{output, panics, report};

/// Flags of every command.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Everywhere")]
pub struct Global {
    /// Colours: auto (unless NO_COLOR is set), always, never
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    // So the help of a program without long texts stays short enough for a screen.
    #[arg(hide_possible_values = true)]
    pub color: Color,

    /// Do not show progress and notes; failures are still reported
    #[arg(short, long, global = true)]
    pub quiet: bool,
}

/// Runs a program: parses its command line, calls `work`, and prints errors in one line.
///
/// `unknown` may explain an unknown command, such as `eval` or `links compare`; for `None` the known commands are
/// listed.
pub fn run<Cli: Parser>(
    name: &'static str,
    unknown: fn(&str) -> Option<String>,
    work: fn(&Cli) -> anyhow::Result<Exit>,
) -> ExitCode {
    report::set_program(name);
    let cli = match parse::<Cli>(unknown) {
        Ok(cli) => cli,
        Err(exit) => return exit.into(),
    };
    panics::install();
    let exit = match panics::caught(|| work(&cli)) {
        Ok(Ok(exit)) => exit,
        // The reader has closed the pipe, as `head` does. That is no failure.
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

/// Reads the command line. `--help`, `--version` and mistakes end the run here.
fn parse<Cli: Parser>(unknown: fn(&str) -> Option<String>) -> Result<Cli, Exit> {
    Cli::try_parse().map_err(|error| match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            // A help text that cannot be printed is no failure.
            let _ = error.print();
            Exit::Text
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let _ = error.print();
            Exit::Failed
        }
        ErrorKind::InvalidSubcommand => {
            report::line(&unknown_command::<Cli>(&error, unknown));
            Exit::Failed
        }
        _ => {
            report::line(&one_line(&error.render().to_string()));
            Exit::Failed
        }
    })
}

/// The message for an unknown command. Many people try `webstrata page.html` first.
fn unknown_command<Cli: Parser>(
    mistake: &clap::Error,
    unknown: fn(&str) -> Option<String>,
) -> String {
    let cli = Cli::command();
    let program = cli.get_name();
    let commands: Vec<&str> = cli.get_subcommands().map(clap::Command::get_name).collect();
    let above = std::env::args_os()
        .skip(1)
        .find_map(|argument| commands.iter().find(|name| argument == **name));
    let Some(ContextValue::String(written)) = mistake.get(ContextKind::InvalidSubcommand) else {
        return one_line(&mistake.render().to_string());
    };
    let whole = above.map_or_else(|| written.clone(), |above| format!("{above} {written}"));
    if let Some(message) = unknown(&whole) {
        return message;
    }
    if above.is_some() {
        return one_line(&mistake.render().to_string());
    }
    if commands.contains(&"extract")
        && (Path::new(written).exists() || written.contains(['.', '/', '\\']) || written == "-")
    {
        return format!("`{written}` is no command, did you mean: {program} extract {written}");
    }
    error::unknown("command", written, commands)
}

/// clap's paragraphs as one line like all our messages: what is wrong and the hints, no usage.
fn one_line(rendered: &str) -> String {
    let paragraphs = rendered.lines().map(str::trim).take_while(|line| !line.starts_with("Usage:"));
    let mut message = String::new();
    for line in paragraphs.filter(|l| !l.is_empty() && !l.starts_with("For more information")) {
        let line = line.strip_prefix("error: ").or(line.strip_prefix("tip: ")).unwrap_or(line);
        let line = line.strip_prefix('[').and_then(|l| l.strip_suffix(']')).unwrap_or(line);
        match message.chars().last() {
            None => {}
            Some(':') => message.push(' '),
            Some(_) => message.push_str("; "),
        }
        message.push_str(line);
    }
    message
}
