//! `webstrata-lab links compare`: how alike two rankings are.

use crate::site::Site;

const MONDAY: &str = "# page\tscore\nexample.org/\t0.4\nexample.org/tides\t0.3\nexample.org/ferry\t0.2\n\
    example.org/fog\t0.1\nexample.org/old\t0\n";
const TUESDAY: &str = "example.org/tides\t0.5\nexample.org/fog\t0.25\nexample.org/ferry\t0.125\nexample.org/\t0.125\n";

#[test]
fn two_rankings() {
    let mut site = Site::new(&[("monday.tsv", MONDAY), ("tuesday.tsv", TUESDAY)]);
    let many = |step: usize| -> String {
        (0..150).map(|page| format!("{page}\t{}\n", page * step % 151)).collect()
    };
    site.file("many.tsv", many(2));
    site.file("others.tsv", many(3));
    site.run("links compare monday.tsv tuesday.tsv");
    site.run("links compare --json --moved 1 monday.tsv tuesday.tsv");
    site.run("links compare monday.tsv monday.tsv");
    site.run("links compare --moved 3 many.tsv others.tsv");
    insta::assert_snapshot!(site.transcript());
}

#[test]
fn what_goes_wrong() {
    let mut site = Site::new(&[("monday.tsv", MONDAY), ("tuesday.tsv", TUESDAY)]);
    site.file("apart.tsv", "elsewhere.example/\t1\n");
    site.file("empty.tsv", "# page\tscore\n");
    site.file("bad.tsv", "one\n".repeat(7) + "example.org/\t0.5\nexample.org/\t0.6\nfog\tnan\n");
    site.run("links compare monday.tsv apart.tsv");
    site.run("links compare monday.tsv bad.tsv");
    site.run("links compare monday.tsv empty.tsv");
    site.run("links compare monday.tsv nowhere.tsv");
    site.run("links compare monday.tsv");
    site.run("links compar");
    insta::assert_snapshot!(site.transcript());
}
