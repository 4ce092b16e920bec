//! What the program says of itself: the help, the version, and who has the other commands.

use insta::assert_snapshot;

use crate::site::{Site, check_help_and_version};

#[test]
fn help() {
    let mut site = Site::new(&[]);
    site.run("");
    site.run("--help");
    let commands = [
        "eval",
        "train",
        "train c48",
        "train swarm",
        "features",
        "gain",
        "segment",
        "corpus",
        "links",
        "links plot",
        "retrieval",
        "replay",
        "lab",
    ];
    for command in commands {
        site.run(&format!("{command} --help"));
    }
    assert_snapshot!(site.transcript());
}

#[test]
fn the_help_fits_a_screen_and_the_version_is_told() {
    check_help_and_version();
}

#[test]
fn commands_of_the_other_program() {
    let mut site = Site::new(&[("page.html", "<p>Tide")]);
    site.run("extract page.html");
    site.run("blocks page.html");
    site.run("links build links.tsv --out web");
    site.run("links topcis");
    site.run("page.html");
    site.run("evaluate");
    assert_snapshot!(site.transcript());
}
