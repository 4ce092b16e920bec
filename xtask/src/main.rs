//! Chores of the repository: `cargo xtask --help` lists them.

mod boilerpipe;
mod cause;
mod chores;
mod duplicates;
mod metadata;
mod parity;
mod sets;
mod structure;
mod threads;

use std::collections::HashMap;
use std::process::ExitCode;

use parity::Parity;
use structure::StructureScores;

/// The chores that are done here, not by another command.
#[cfg(test)]
const CHORES: &[&str] = &["duplicates", "metadata", "parity", "structure", "threads"];

const DUPLICATES: &str = "\
cargo xtask duplicates table              near-duplicates by segmentation method (Table 4.3)
cargo xtask duplicates plant DIR N        write N invented pages with planted near-duplicates
cargo xtask duplicates check DIR [HASHES] compare what `webstrata dedup` found with what was planted
";

const PARITY: &str = "\
cargo xtask parity SETS [options]: compare our extractors with the original boilerpipe

  --sets A,B          only these sets
  --extractors A,B    only these extractors
  --boilerpipe PATH   a folder with boilerpipe.jar, nekohtml.jar and xercesImpl.jar,
                      or a class path; default /usr/share/java, where Debian's package
                      libboilerpipe-java puts them
  --out DIR           keep the pages that differ, and why, as DIR/<set>.jsonl
  --show N            show the N pages of each cause on which the texts differ most

It needs java (17 or later, with its compiler) and boilerpipe 1.2.0.

Pages that differ are put down to the first of these causes that holds:
  theirs    boilerpipe failed or found no text at all
  charset   the difference is gone once both are given the same characters
  entity    the blocks differ only in character references, spaces (also those that boilerpipe adds
            around links) or control characters
  parser    the blocks have other texts
  counting  the same blocks, but other numbers of words, linked words or lines
  title     the same blocks and counts, but another title of the page
  ours      all the same, so a filter of ours decides differently
";

const STRUCTURE: &str = "\
cargo xtask structure SETS [options]: score Markdown, that is headings, lists, tables, code, images, on
sets that have SETS/<set>/gold-markdown/<id>.md

  --sets A,B          only these sets
  --extractors A,B    built-in extractors or TOML files [default: article,default];
                      `gold` keeps the blocks of the gold text, so that it shows what is
                      lost in writing and what by an extractor
  --outputs DIR       beside other tools, whose Markdown is in DIR/<tool>/<set>.jsonl,
                      lines of {\"id\", \"text\"}; bench/markdown.py writes trafilatura's and
                      html-to-markdown's, bench/defuddle.mjs defuddle's
  --inner-text FILE   compare code line by line with what a browser shows, as
                      bench/inner_text.mjs writes it
  --out DIR           keep what is missing and what is too much, page by page, as
                      DIR/<set>-<extractor>.jsonl
";

const METADATA: &str = "\
cargo xtask metadata SETS [options]: compare the title and the language of records, their authors and
dates with what people noted, on sets that have SETS/<set>/meta.tsv, a line for each page: id, type of
page, in some sets the language, and JSON with `title`, `author` and `publish_date` or `date`;
SETS/<set>/urls.tsv has the addresses, id and address

  --sets A,B          only these sets
  --outputs FILE      another tool's values, lines of JSON: [id, title, author, date] and,
                      where it has one, the language;
                      bench/metadata.py writes trafilatura's
  --show N            show N pages of each field on which ours differ
  --out DIR           write our values as DIR/<set>.jsonl, in the form of --outputs
";

const THREADS: &str = "\
cargo xtask threads SETS [options]: compare the posts of forum pages with those that the forum's own
software marks, on sets whose SETS/<set>/meta.tsv says `forum` in its second column

  --sets A,B          only these sets
  --outputs DIR       beside other tools, whose Markdown is in DIR/<tool>/<set>.jsonl,
                      lines of {\"id\", \"text\"}; bench/defuddle.mjs writes defuddle's
  --show 1            name the pages of which a post is missing or has another author
";

/// The help of a chore; of all where none is named.
fn help(chore: Option<&str>) -> String {
    match chore {
        Some("duplicates") => DUPLICATES.into(),
        Some("metadata") => METADATA.into(),
        Some("parity") => PARITY.into(),
        Some("structure") => STRUCTURE.into(),
        Some("threads") => THREADS.into(),
        _ => chores::help(),
    }
}

fn asks_for_help(argument: &str) -> bool {
    ["help", "--help", "-h"].contains(&argument)
}

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
    let chore = arguments.iter().find(|argument| !asks_for_help(argument)).map(String::as_str);
    let (Some(name), false) = (chore, arguments.iter().any(|argument| asks_for_help(argument)))
    else {
        print!("{}", help(chore));
        return Ok(());
    };
    let arguments = &arguments[1..];
    match name {
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
            let known = ["--sets", "--extractors", "--outputs", "--inner-text", "--out"];
            let mut arguments = Arguments::parse(arguments, &known)?;
            StructureScores {
                names: arguments.list("--sets"),
                extractors: arguments.list("--extractors"),
                outputs: arguments.options.remove("--outputs").map(Into::into),
                inner_text: arguments.options.remove("--inner-text").map(Into::into),
                out: arguments.options.remove("--out").map(Into::into),
                sets: arguments.sets.into(),
            }
            .run()
        }
        "threads" => {
            let mut arguments = Arguments::parse(arguments, &["--sets", "--outputs", "--show"])?;
            threads::Threads {
                names: arguments.list("--sets"),
                outputs: arguments.options.remove("--outputs").map(Into::into),
                show: arguments.number("--show")?,
                sets: arguments.sets.into(),
            }
            .run()
        }
        unknown => Err(format!("{unknown}: no such chore, see `cargo xtask --help`")),
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
                return Err(format!("{argument}: unexpected, see `cargo xtask --help`"));
            } else {
                sets = Some(argument);
            }
        }
        let sets = sets.ok_or("the folder of the sets is missing, see `cargo xtask --help`")?;
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
    fn every_chore_has_help_of_its_own() {
        for chore in CHORES {
            assert!(help(Some(chore)).starts_with(&format!("cargo xtask {chore} ")), "{chore}");
        }
        assert!(help(None).contains("\n      cargo xtask parity SETS\n"));
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
        assert_eq!(error("--write x"), "--write: unexpected, see `cargo xtask --help`");
        assert_eq!(
            error("--show 1"),
            "the folder of the sets is missing, see `cargo xtask --help`"
        );
        assert_eq!(error("a b"), "b: unexpected, see `cargo xtask --help`");
    }
}
