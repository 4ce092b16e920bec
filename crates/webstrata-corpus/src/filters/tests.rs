use proptest::prelude::*;
use webstrata_archive::record::{Origin, PageRecord};

use super::*;

pub(super) fn candidate(text: &str) -> Candidate {
    let document = webstrata::extract(b"").document;
    let mut record = webstrata::Record::new(&document);
    record.confidence = None;
    let record = PageRecord::new("a".into(), record, &document, Origin::default());
    let mut candidate = Candidate::new(record, Marks::default());
    candidate.set_text(text.to_owned());
    candidate
}

fn judge(name: &str, parameters: &str, text: &str) -> (Verdict, String) {
    let filter = named(name, &parameters.parse().unwrap()).unwrap();
    let mut candidate = candidate(text);
    let verdict = filter.judge(&mut candidate);
    (verdict, candidate.into_record().record.text)
}

fn check(name: &str, parameters: &str, text: &str, wanted: Verdict) {
    assert_eq!(judge(name, parameters, text).0, wanted, "{name} {parameters}: {text}");
}

/// A text that all rules keep.
fn prose() -> String {
    let lines = [
        "The ferry that joins the town to the villages on the east bank will carry passengers again on Monday.",
        "Divers who checked the chain in March have found a split below the waterline that nobody had seen before.",
        "Its hull was plated anew in a yard up the coast, and the bill was paid by two councils and a lottery.",
        "Until then a bus goes round by the bridge, which takes an hour longer and stops at every farm with a gate.",
        "People have learned to live with it, said the harbour master, but they will be glad to have it back.",
        "High water is at noon on that day, so that the first boat leaves at ten and the last one at six.",
    ];
    lines.join("\n\n") + "\n"
}

#[test]
fn prose_is_kept() {
    for entry in ALL {
        let parameters = if entry.name == "language" { "keep-unknown = true" } else { "" };
        let wanted = if entry.name == "licence" { Verdict::Drop("none") } else { Verdict::Keep };
        let (verdict, _) = judge(entry.name, parameters, &prose());
        assert_eq!(verdict, wanted, "{}", entry.name);
    }
}

#[test]
fn reasons_of_gopher_quality() {
    let drop = |text: &str, reason| check("gopher-quality", "", text, Verdict::Drop(reason));
    drop("", "too-few-words");
    drop("High water is at noon.", "too-few-words");
    drop(&"a b c d ".repeat(30), "short-words");
    drop(&"incomprehensibilities ".repeat(60), "long-words");
    drop(&format!("{} {}", prose(), "#".repeat(40)), "hashes");
    drop(&"The water of the harbour ... ".repeat(20), "ellipses");
    drop(&"- the water of the harbour and the sea\n".repeat(20), "bullet-lines");
    drop(&"the water of the harbour and of the sea and the…\n".repeat(20), "ellipsis-lines");
    drop(&"1234 5678 water ".repeat(30), "letter-words");
    drop(&"water harbour table ".repeat(30), "stop-words");
    check(
        "gopher-quality",
        "min-words = 3\nmin-stop-words = 0",
        "High water is at noon today.",
        Verdict::Keep,
    );
}

#[test]
fn reasons_of_gopher_repetition() {
    let drop = |text: &str, reason| check("gopher-repetition", "", text, Verdict::Drop(reason));
    drop("", "empty");
    drop(&"Short.\n\n".repeat(4), "paragraphs");
    drop(&format!("{}a\nb\nc\nd\ne\nf", "High water\n".repeat(5)), "lines");
    let long = "The ferry to the islands leaves an hour earlier on Sundays since the skipper sings in the choir.";
    drop(&format!("{long}\n\n{}\n\n{long}", prose()).repeat(2), "paragraphs");
    drop(&"high water ".repeat(40), "top-runs");
    let mut run = String::new();
    (0..40).for_each(|number| run += &format!("{number} {long} of {number} "));
    drop(&run, "repeated-runs");
    check("gopher-repetition", "repeated-runs = []", &run, Verdict::Keep);
}

#[test]
fn lines_of_c4() {
    let text = format!(
        "Menu\n{}Enable JavaScript to see this page.\nWe use cookies here.\nToo short.\n",
        prose()
    );
    let (verdict, kept) = judge("c4", "", &text);
    assert_eq!((verdict, kept), (Verdict::Keep, prose().replace("\n\n", "\n")));
    check(
        "c4",
        "",
        "High water is at noon. Low water is at six.",
        Verdict::Drop("too-few-sentences"),
    );
    check(
        "c4",
        "",
        &format!("{}Lorem ipsum dolor sit amet.", prose()),
        Verdict::Drop("lorem-ipsum"),
    );
    check(
        "c4",
        "",
        &format!("{}if (high) {{ go(home) }} and wait.", prose()),
        Verdict::Drop("curly-bracket"),
    );
    check("c4", "min-sentences = 2", "High water is at noon. Low water is at six.", Verdict::Keep);
}

#[test]
fn reasons_of_fineweb() {
    let drop = |text: &str, reason| check("fineweb", "", text, Verdict::Drop(reason));
    drop("\n \n", "empty");
    drop("High water is at noon and nobody knows why", "line-punctuation");
    drop("High water.\nLow water.\nNoon.\n", "short-lines");
    let line = "The ferry between the two islands will run every hour from Monday on.\n";
    drop(&line.repeat(3), "repeated-characters");
    drop("The ferry of the harbour is high.\n\n\n\n\n\n\n\n", "line-breaks");
}

#[test]
fn lines_of_refinedweb() {
    let text = format!("{}\n3 likes\n", prose());
    assert_eq!(judge("refinedweb-lines", "", &text), (Verdict::Keep, prose()));
    for line in [
        "HIGH WATER AT NOON",
        "12 : 40",
        "Home",
        "Sign in to read",
        "What the ferry does Read more...",
    ] {
        assert_eq!(
            judge("refinedweb-lines", "most = 0.2", &format!("{}\n{line}\n", prose())),
            (Verdict::Keep, prose()),
            "{line}"
        );
    }
    check("refinedweb-lines", "", "Home\nNews\nHigh water is at noon.", Verdict::Drop("lines"));
}

#[test]
fn languages_and_words() {
    check("language", "", &prose(), Verdict::Keep);
    check("language", "keep = [\"de\", \"fr\"]", &prose(), Verdict::Drop("other-language"));
    check("language", "min-confidence = 0.9", &prose(), Verdict::Keep);
    check("language", "", "12 40", Verdict::Drop("unknown"));
    check("words", "max = 3", &prose(), Verdict::Drop("too-many"));
}

#[test]
fn pages_by_address() {
    let drop = |parameters: &str, url: &str| {
        let mut candidate = candidate("High water.");
        let mut record = candidate.into_record();
        record.record.url = Some(url.into());
        candidate = Candidate::new(record, Marks::default());
        named("url", &parameters.parse().unwrap()).unwrap().judge(&mut candidate)
    };
    let list = "drop-hosts = [\"example.org\"]\ndrop-patterns = [\"*/tag/*\"]";
    assert_eq!(drop(list, "https://news.example.org/a"), Verdict::Drop("host"));
    assert_eq!(drop(list, "https://notexample.org/a"), Verdict::Keep);
    assert_eq!(drop(list, "https://a.example/tag/x"), Verdict::Drop("pattern"));
    let list = "keep-hosts = [\"a.example\"]";
    assert_eq!(drop(list, "https://www.a.example/"), Verdict::Keep);
    assert_eq!(drop(list, "https://b.example/"), Verdict::Drop("other-host"));
    check("url", list, "High water.", Verdict::Drop("no-address"));
}

#[test]
fn what_pages_say_of_their_use() {
    let html = "<meta name=Robots content='noarchive, NOAI'><a rel='license nofollow' \
        href='https://creativecommons.org/licenses/by-nc/4.0/'>CC</a><p>High water.";
    let page = webstrata::extract(html.as_bytes());
    let marks = Marks::of(&page.tree);
    assert_eq!(marks.robots, ["noarchive", "noai"]);
    let judge = |name: &str, parameters: &str| {
        let mut candidate = Candidate::new(candidate("High water.").into_record(), marks.clone());
        named(name, &parameters.parse().unwrap()).unwrap().judge(&mut candidate)
    };
    assert_eq!(judge("robots", ""), Verdict::Drop("noai"));
    assert_eq!(judge("robots", "drop = [\"noindex\"]"), Verdict::Keep);
    assert_eq!(judge("licence", ""), Verdict::Keep);
    assert_eq!(judge("licence", "keep = [\"by\"]"), Verdict::Drop("other-kind"));
}

#[test]
fn masks() {
    let masked = |text: &str| judge("mask-personal", "", text).1;
    for (text, wanted) in [
        ("Write to a.b+c@mail.example.org.", "Write to email@example.com."),
        ("(x@y.de), <a@b.co.uk>", "(email@example.com), <email@example.com>"),
        ("8.8.8.8, 192.168.0.1 and 1.2.3.4.5", "192.0.2.1, 192.168.0.1 and 1.2.3.4.5"),
        ("Version 1.2.3 at 12.40 @home a@b", "Version 1.2.3 at 12.40 @home a@b"),
        ("ä@b.de 999.1.1.1 v8.8.8.8", "ä@b.de 999.1.1.1 v8.8.8.8"),
        ("at 9.9.9.9.", "at 192.0.2.1."),
    ] {
        assert_eq!(masked(text), wanted, "{text}");
    }
    assert_eq!(judge("mask-personal", "email = \"\"", "x@y.de 8.8.8.8").1, "x@y.de 192.0.2.1");
}

#[test]
fn what_is_written_wrong() {
    for (name, parameters, wanted) in [
        ("gopher", "", "no filter `gopher`; there are url, robots, licence, language, words"),
        ("words", "least = 3", "words: unknown field `least`, expected `min` or `max`"),
        ("words", "min = \"a\"", "words: invalid type"),
        ("words", "min = 3\nmax = 2", "words: min 3 is more than max 2"),
        ("fineweb", "short-lines = 3.0", "fineweb: short-lines 3: expected 0 to 1"),
        ("page-type", "keep = [\"poem\"]", "page-type: no page type `poem`; there are "),
        ("licence", "keep = [\"mit\"]", "licence: no kind `mit`"),
        ("url", "drop-hosts = [\"https://a.example/\"]", "url: `https://a.example/` is no host"),
    ] {
        let error = named(name, &parameters.parse().unwrap()).unwrap_err();
        assert!(error.starts_with(wanted) && !error.contains('\n'), "{error}");
    }
}

/// Whatever is written about a filter is there, and every default can be read back.
#[test]
fn filters_are_documented() {
    for entry in ALL {
        assert!(entry.about.len() > 40, "{}", entry.name);
        let mut table = toml::Table::new();
        for parameter in entry.parameters {
            assert!(!parameter.about.trim().is_empty());
            let line = format!("x = {}", (parameter.default)()).parse::<toml::Table>().unwrap();
            table.insert(parameter.name.replace('_', "-"), line["x"].clone());
        }
        named(entry.name, &table).unwrap();
    }
}

proptest! {
    /// Any text is judged, and masks find what they write.
    #[test]
    fn any_text(text in "(\\PC|\n|@|\\.|[0-9a-z ]){0,200}") {
        for entry in ALL {
            let mut candidate = candidate(&text);
            let _ = named(entry.name, &toml::Table::new()).unwrap().judge(&mut candidate);
        }
        let mask = MaskPersonal::default();
        if let Some(masked) = mask.mask(&text) {
            prop_assert!(masked.contains("email@example.com") || masked.contains("192.0.2.1"));
        }
    }
}
