//! Chores of the repository: `cargo xtask help` lists them.

mod boilerpipe;
mod cause;
mod duplicates;
mod metadata;
mod parity;
mod sets;
mod structure;

use std::collections::HashMap;
use std::process::ExitCode;

use parity::Parity;
use structure::StructureScores;

const HELP: &str = include_str!("help.txt");

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Result<(), String> {
    let Some((chore, arguments)) = arguments.split_first() else {
        print!("{HELP}");
        return Ok(());
    };
    match chore.as_str() {
        "help" | "--help" | "-h" => {
            print!("{HELP}");
            Ok(())
        }
        "duplicates" => duplicates::run(arguments),
        "parity" => {
            let known = ["--sets", "--extractors", "--boilerpipe", "--out", "--show"];
            let mut arguments = Arguments::parse(arguments, &known)?;
            Parity {
                names: arguments.list("--sets"),
                extractors: arguments.list("--extractors"),
                boilerpipe: arguments.options.remove("--boilerpipe"),
                out: arguments.options.remove("--out").map(Into::into),
                show: arguments.number("--show")?,
                sets: arguments.sets.into(),
            }
            .run()
        }
        "metadata" => {
            let mut arguments =
                Arguments::parse(arguments, &["--sets", "--outputs", "--show", "--out"])?;
            metadata::Comparison {
                names: arguments.list("--sets"),
                outputs: arguments.options.remove("--outputs").map(Into::into),
                out: arguments.options.remove("--out").map(Into::into),
                show: arguments.number("--show")?,
                sets: arguments.sets.into(),
            }
            .run()
        }
        "structure" => {
            let known = ["--sets", "--extractors", "--outputs", "--out"];
            let mut arguments = Arguments::parse(arguments, &known)?;
            StructureScores {
                names: arguments.list("--sets"),
                extractors: arguments.list("--extractors"),
                outputs: arguments.options.remove("--outputs").map(Into::into),
                out: arguments.options.remove("--out").map(Into::into),
                sets: arguments.sets.into(),
            }
            .run()
        }
        unknown => Err(format!("{unknown}: no such chore, see `cargo xtask help`")),
    }
}

/// The folder of the sets, and options with their values.
struct Arguments {
    sets: String,
    options: HashMap<String, String>,
}

impl Arguments {
    fn parse(arguments: &[String], known: &[&str]) -> Result<Arguments, String> {
        let mut sets = None;
        let mut options = HashMap::new();
        let mut rest = arguments.iter().cloned();
        while let Some(argument) = rest.next() {
            if known.contains(&argument.as_str()) {
                let value = rest.next().ok_or_else(|| format!("{argument}: a value is missing"))?;
                options.insert(argument, value);
            } else if argument.starts_with('-') || sets.is_some() {
                return Err(format!("{argument}: unexpected, see `cargo xtask help`"));
            } else {
                sets = Some(argument);
            }
        }
        let sets = sets.ok_or("the folder of the sets is missing, see `cargo xtask help`")?;
        Ok(Arguments { sets, options })
    }

    /// The number of an option, 0 where it is not given.
    fn number(&mut self, option: &str) -> Result<usize, String> {
        let Some(number) = self.options.remove(option) else { return Ok(0) };
        number.parse().map_err(|_| format!("{option} {number}: not a number"))
    }

    /// The names of an option's list.
    fn list(&mut self, option: &str) -> Option<Vec<String>> {
        self.options.remove(option).map(|list| list.split(',').map(str::to_owned).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Arguments, String> {
        let arguments: Vec<String> = line.split(' ').map(str::to_owned).collect();
        Arguments::parse(&arguments, &["--sets", "--show"])
    }

    #[test]
    fn arguments() {
        let mut arguments = parse("--sets a,b pages --show 3").unwrap();
        assert_eq!(arguments.sets, "pages");
        assert_eq!(arguments.list("--sets"), Some(vec!["a".to_owned(), "b".to_owned()]));
        assert_eq!(arguments.list("--sets"), None);
        assert_eq!(arguments.options["--show"], "3");
        let error = |line| parse(line).err().unwrap();
        assert_eq!(error("pages --show"), "--show: a value is missing");
        assert_eq!(error("--write x"), "--write: unexpected, see `cargo xtask help`");
        assert_eq!(error("--show 1"), "the folder of the sets is missing, see `cargo xtask help`");
        assert_eq!(error("a b"), "b: unexpected, see `cargo xtask help`");
    }
}
