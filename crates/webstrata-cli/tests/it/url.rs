//! `webstrata url`: what of an address names the page.

use crate::site::Site;

#[test]
fn keys_of_addresses() {
    let mut site = Site::new(&[("rules.toml", "[[rule]]\nmatch = 'example'\nkeep = ['visit']\n")]);
    site.run("url key https://www.example.org/tides/?utm_source=feed http://example.org/tides/index.html#top");
    site.run("url key --step 1 http://example.org/a?b=1&a=2");
    site.run("url key --step 2 --title Tides http://example.org/a?b=1&a=2");
    site.run("url key --title Tides https://example.org/");
    site.run("url key --rules rules.toml https://example.org/a?visit=1&id=2");
    site.run("url key --format json https://news.example.co.uk/a/b?id=3");
    site.run("url key mailto:somebody@example.org https://example.org/b");
    site.run("url key --step 4 https://example.org/");
    site.run("url key --rules nowhere.toml https://example.org/");
    site.run("url");
    insta::assert_snapshot!(site.transcript());
}

#[test]
fn the_built_in_rules_are_a_file_to_begin_from() {
    let site = Site::new(&[]);
    site.file("rules.toml", site.stdout("url rules"));
    let key =
        |rules: &str| site.stdout(&format!("url key {rules} https://example.org/a?id=3&ref=x"));
    assert_eq!(key("--rules rules.toml"), key(""));
}

#[test]
fn rules_are_learned() {
    let site = Site::new(&[]);
    let mut lines = String::new();
    for number in 0..6 {
        let subject = ["harbours", "choirs", "ferries", "gulls", "lamps", "oysters"][number];
        let text = format!("{subject} ").repeat(30);
        for visit in 0..3 {
            lines.push_str(&format!(
                "{{\"url\":\"https://example.org/read?key={number}&visit={visit}\",\"html\":\"<p>All about {text}.\"}}\n"
            ));
        }
    }
    site.file("pages.jsonl", lines);
    let rules = site.stdout("url learn pages.jsonl");
    assert!(rules.contains("# key: names pages"), "{rules}");
    site.file("rules.toml", rules);
    let key = site.stdout("url key --rules rules.toml https://example.org/read?visit=7&key=2");
    assert_eq!(key, "example.org/read?key=2\n");
}
