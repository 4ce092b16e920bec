//! `webstrata extractors`, `webstrata blocks` and the help.

use insta::assert_snapshot;

use crate::site::{Site, TIDES, check_help_and_version};

const QUOTED: &str = "<title>Q</title><h1>Fog, \"rain\"</h1><div><p>One<br>two</div><p hidden>x";

#[test]
fn extractors() {
    let mut site = Site::new(&[]);
    site.run("extractors");
    site.run("extractors show article");
    site.run("extractors filters");
    assert_snapshot!(site.transcript());
}

#[test]
fn blocks() {
    let mut site = Site::new(&[("quoted.html", QUOTED)]);
    site.run("blocks quoted.html");
    site.run("blocks --rules ziegler --hidden mark quoted.html");
    site.run("blocks --format json --hidden mark quoted.html");
    assert_snapshot!(site.transcript());
}

#[test]
fn what_show_prints_can_be_used() {
    let site = Site::new(&[("tides.html", TIDES)]);
    site.file("my.toml", site.stdout("extractors show sentences"));
    let own = site.stdout("extract --extractor my.toml tides.html");
    assert_eq!(own, site.stdout("extract --extractor sentences tides.html"));
}

#[test]
fn help() {
    let mut site = Site::new(&[]);
    site.run("");
    site.run("--help");
    let commands = [
        "extract",
        "explain",
        "extractors",
        "extractors show",
        "blocks",
        "segment",
        "warc",
        "dedup",
        "corpus",
        "corpus run",
        "corpus filters",
        "search",
        "links",
        "stream",
        "url",
        "serve",
        "completions",
        "man",
    ];
    for command in commands {
        site.run(&format!("{command} --help"));
    }
    site.run("extract -h");
    assert_snapshot!(site.transcript());
}

#[test]
fn the_help_fits_a_screen_and_the_version_is_told() {
    check_help_and_version();
}

/// Each flag of the help is in the completions of each shell, and each command has its page in the manual.
#[test]
fn completions_and_manual_say_what_the_help_says() {
    let site = Site::new(&[]);
    let help = site.stdout("extract --help");
    let flags: Vec<&str> = help
        .split_whitespace()
        .filter(|word| word.starts_with("--"))
        .map(|word| word.trim_end_matches(|c: char| !c.is_ascii_lowercase()))
        .filter(|flag| flag.len() > 3 && flag.chars().all(|c| c == '-' || c.is_ascii_lowercase()))
        .collect();
    assert!(flags.len() > 20, "{flags:?}");
    site.stdout("man pages/man1");
    let manual = |page: &str| {
        let page = std::fs::read_to_string(site.path().join("pages/man1").join(page)).unwrap();
        page.replace("\\-", "-")
    };
    let extract = manual("webstrata-extract.1");
    for flag in &flags {
        assert!(extract.contains(*flag), "{flag}");
    }
    assert!(manual("webstrata-search-query.1").contains("webstrata search query"));
    for shell in ["bash", "zsh", "fish", "powershell"] {
        let script = site.stdout(&format!("completions {shell}"));
        for flag in &flags {
            // Fish has them without dashes.
            let name = flag.trim_start_matches('-');
            assert!(
                script.contains(*flag) || script.contains(&format!("-l {name}")),
                "{shell}: {flag}"
            );
        }
    }
}

/// A shell that is there takes its completions, and offers what begins so.
#[cfg(unix)]
#[test]
fn bash_completes() {
    let site = Site::new(&[]);
    site.file("completions.bash", site.stdout("completions bash"));
    let script = "source completions.bash; COMP_WORDS=(webstrata extract --front); COMP_CWORD=2; \
        _webstrata webstrata --front extract; echo ${COMPREPLY[@]}";
    let bash =
        std::process::Command::new("bash").args(["-c", script]).current_dir(site.path()).output();
    let Ok(answer) = bash else { return };
    assert_eq!(String::from_utf8_lossy(&answer.stdout), "--front-matter\n", "{answer:?}");
}
