//! `webstrata links pagerank`, `top`: ranks of a small web.

use std::fs::File;

use parquet::file::reader::{FileReader, SerializedFileReader};

use crate::site::Site;
use crate::small_sites::pairs;

fn site() -> Site {
    let mut site = Site::new(&[]);
    site.file("links.tsv", pairs());
    site.run("links build -q -o web links.tsv");
    site
}

#[test]
fn ranks() {
    let mut site = site();
    site.file("museum.txt", "# who likes museums\nhttps://museum.example/tides\n");
    site.run("links pagerank web --partitions 2 --out all.tsv");
    site.run("links top all.tsv -n 5");
    site.run("links top all.tsv -n 3 --containing museum --json");
    site.run("links pagerank web -q --partitions 1 --boilerplate 0 --out content.tsv");
    site.run("links top content.tsv -n 5");
    site.run(
        "links pagerank web -q --bias museum.txt --bias-urls *tool* --unbiased --out many.tsv",
    );
    site.run("links top many.tsv -n 2 --column 2");
    site.run("links top many.tsv -n 2 --weights 0,0.1,0.9");
    insta::assert_snapshot!(site.transcript());
}

#[test]
fn a_table_for_other_tools() {
    let mut site = site();
    site.run("links pagerank web -q --partitions 1 --out ranks.parquet");
    let file = File::open(site.path().join("ranks.parquet")).unwrap();
    let reader = SerializedFileReader::new(file).unwrap();
    let rows: Vec<_> = reader.get_row_iter(None).unwrap().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 16);
    let names: Vec<&str> = rows[0].get_column_iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["page", "host", "local", "ranking", "rank"]);
    let sum: f64 = rows
        .iter()
        .map(|row| row.get_column_iter().last().unwrap().1.to_string().parse::<f64>().unwrap())
        .sum();
    assert!((sum - 1.0).abs() < 1e-5, "{sum}");
}

#[test]
fn going_on_and_telling_how_it_went() {
    let mut site = site();
    site.run("links pagerank web -q --partitions 1 --out ranks.tsv --run first.json");
    site.run(
        "links pagerank web -q --partitions 1 --from ranks.tsv --out again.tsv --run again.json",
    );
    let iterations = |name: &str| {
        let run: serde_json::Value =
            serde_json::from_slice(&std::fs::read(site.path().join(name)).unwrap()).unwrap();
        assert_eq!((&run["version"], &run["converged"]), (&1.into(), &true.into()));
        assert_eq!(
            run["residuals"].as_array().unwrap().len() as u64,
            run["iterations"].as_u64().unwrap()
        );
        run["iterations"].as_u64().unwrap()
    };
    assert!(iterations("again.json") < iterations("first.json"));
}

#[test]
fn a_ranking_that_pages_may_join() {
    let mut site = site();
    site.run("links pagerank web -q --partitions 2 --out ranks.tsv");
    site.run("links pagerank web -q --partitions 2 --join --out joined.tsv");
    let read = |name: &str| std::fs::read_to_string(site.path().join(name)).unwrap();
    // Nobody has added any.
    assert_eq!(read("joined.tsv"), read("ranks.tsv"));
}

#[test]
fn what_goes_wrong() {
    let mut site = site();
    site.file("empty.txt", "# nobody\n");
    site.file("strange.txt", "https://harbour.example/nowhere\n");
    site.file("weights.txt", "https://harbour.example/01\tmuch\n");
    site.file("short.tsv", "https://harbour.example/01\n");
    site.file("none.tsv", "");
    site.run("links pagerank nowhere");
    site.run("links pagerank web --out nowhere/ranks.tsv");
    site.run("links pagerank web --run convergence.svg");
    site.run("links pagerank web --alpha 1");
    site.run("links pagerank web -q --alpha 0 --partitions 1 --out flat.tsv");
    site.run("links top flat.tsv -n 1");
    site.run("links pagerank web --bias empty.txt");
    site.run("links pagerank web --bias strange.txt");
    site.run("links pagerank web --bias weights.txt");
    site.run("links pagerank web --bias-urls *.nowhere/*");
    site.run("links pagerank web --internal 0 --external 0");
    site.run("links pagerank web --from short.tsv");
    site.run("links pagerank web --processes 2 --from short.tsv");
    site.run("links top short.tsv");
    site.run("links top flat.tsv --column 2");
    site.run("links top flat.tsv --weights 1,2");
    site.run("links build -q -o none --names plain none.tsv");
    site.run("links pagerank none --partitions 1");
    insta::assert_snapshot!(site.transcript());
}
