use proptest::prelude::*;

use super::*;
use crate::filters::testing::{document, words};
use crate::filters::{FuseNearby, KeepAll, RemoveBoilerplate};

fn check_error(steps: &str, expect: &str) {
    let toml = format!("name = 'x'\nsteps = [\n{steps}\n]\n");
    assert_eq!(Extractor::from_toml(&toml).unwrap_err().to_string(), expect);
}

#[test]
fn builtin_extractors() {
    let names: Vec<_> = Extractor::builtin().iter().map(|e| e.name.as_str()).collect();
    assert_eq!(names[..4], ["strata", "strata-max", "strata+site", "site"]);
    let boilerpipe =
        ["article", "sentences", "default", "largest", "canola", "num-words", "keep-all"];
    assert_eq!(names[4..11], boilerpipe);
    assert_eq!(
        names[11..],
        [
            "min-words",
            "density",
            "cleaneval",
            "main-content",
            "bte",
            "swarm",
            "container",
            "embedded"
        ]
    );
    for extractor in Extractor::builtin() {
        assert_eq!(Extractor::named(&extractor.name), Some(extractor));
        assert!(!extractor.about.is_empty() && !extractor.paper.is_empty());
        assert_eq!(Extractor::from_toml(&extractor.to_toml()).as_ref(), Ok(extractor));
    }
}

#[test]
fn article_keeps_the_headline_and_drops_the_comments() {
    let text = words(70);
    let mut page = document(&[
        ("Home | News | Sport", 3, false),
        ("Ferry runs hourly", 0, false),
        ("Monday", 0, false),
        (&text, 0, false),
        ("Related", 1, false),
        (&text, 0, false),
        ("Post a comment", 0, false),
        (&text, 0, false),
    ]);
    page.title = Some("Ferry runs hourly - The Post".into());
    Extractor::named("article").unwrap().apply(&mut page);
    assert_eq!(page.text(), format!("Ferry runs hourly\nMonday\n{text}\nRelated\n{text}\n"));
}

#[test]
fn what_to_fall_back_to_is_built_in() {
    let names: Vec<_> = Extractor::builtin().iter().map(|e| e.name.as_str()).collect();
    assert_eq!(builtin_names().collect::<Vec<_>>(), names);
    let toml = "name = 'x'\nsteps = []\nfallback = ['artcile']";
    let error = Extractor::from_toml(toml).unwrap_err().to_string();
    let expect = "unknown extractor to fall back to `artcile`, did you mean `article`?";
    assert_eq!(error, expect);
}

#[test]
fn errors_name_line_step_and_remedy() {
    check_error(
        "{ filter = 'keep-all' },\n{ filter = 'fuse-nearby', max-distanse = 2 }",
        "line 4: step 2 (fuse-nearby): unknown field `max-distanse`, did you mean \
         `max-distance`? All: `content-only`, `max-distance`, `same-level`",
    );
    check_error(
        "{ filter = 'drop-short', k = 2 }",
        "line 3: step 1 (drop-short): unknown field `k`, expected one of `min-words`",
    );
    check_error(
        "{ filter = 'keep-all', k = 2 }",
        "line 3: step 1 (keep-all): unknown field `k`, the filter has no parameters",
    );
    check_error(
        "{ filter = 'drop-short', min-words = 'ten' }",
        "line 3: step 1 (drop-short): `min-words`: invalid type: string \"ten\", expected u32",
    );
    check_error(
        "\n{ filter = 'fuse-nearbye' }",
        "line 4: step 1: unknown filter `fuse-nearbye`, did you mean `fuse-nearby`?",
    );
    check_error(
        "{ filter = 'BlockProximityFusion' }",
        "line 3: step 1: boilerpipe's `BlockProximityFusion` is called `fuse-nearby` here",
    );
    check_error(
        "{ filter = 'classify', model = 'num-wrods' }",
        "line 3: step 1 (classify): `model`: unknown model `num-wrods`, did you mean `num-words`?",
    );
    check_error(
        "{ filter = \"keep\\nall\" }",
        "line 3: step 1: unknown filter `keep all`, did you mean `keep-all`?",
    );
    check_error("{ filter = 3 }", "line 3: step 1: `filter` is a string");
    check_error("{}", "line 3: step 1: expected `filter = \"…\"`, the name of a filter");
    check_error(
        "{ filter = 'classify', model = 'my.tree' }",
        "line 3: step 1 (classify): `my.tree`: this extractor cannot read model files",
    );
}

#[test]
fn errors_have_a_kind() {
    let check = |toml: &str, kind| {
        let error = Extractor::from_toml(toml).unwrap_err();
        assert_eq!(error.kind(), kind, "{toml}: {error}");
    };
    let step = |step: &str| format!("name = 'x'\nsteps = [{step}]");
    check("name = ", ErrorKind::Syntax);
    check("name = 'x'", ErrorKind::Syntax);
    check(&step("{}"), ErrorKind::Syntax);
    check(&step("{ filter = 'keep-al' }"), ErrorKind::UnknownName);
    check(&step("{ filter = 'own', name = 'mine' }"), ErrorKind::UnknownName);
    check(&step("{ filter = 'keep-all', k = 1 }"), ErrorKind::UnknownName);
    check(&step("{ filter = 'classify', model = 'svm' }"), ErrorKind::UnknownName);
    check("name = 'x'\nsteps = []\nfallback = ['y']", ErrorKind::UnknownName);
    check(&step("{ filter = 1 }"), ErrorKind::InvalidValue);
    check(&step("{ filter = 'drop-short', min-words = 'ten' }"), ErrorKind::InvalidValue);
    check(&step("{ filter = 'classify', model = 1 }"), ErrorKind::InvalidValue);
    check(&step("{ filter = 'classify', model = 'my.tree' }"), ErrorKind::UnreadableFile);
    let classify = step("{ filter = 'classify', model = 'my.tree' }");
    let damaged = Extractor::from_toml_with(&classify, |_| Ok("name: x".into())).unwrap_err();
    assert_eq!(damaged.kind(), ErrorKind::InvalidModel);
}

#[test]
fn the_line_is_that_of_the_field() {
    let toml = "name = 'x'\n\n[[steps]]\nfilter = 'fuse-nearby'\n\nsame-level = true\nlevel = 1\n";
    assert_eq!(Extractor::from_toml(toml).unwrap_err().line(), Some(7));
    assert_eq!(Extractor::from_toml("name = 'x'\nsteps = [").unwrap_err().line(), Some(2));
    let cutting = Extractor::from_toml("name = 'x'\n\ncutting = 'atomc'\nsteps = []");
    assert_eq!(cutting.as_ref().unwrap_err().line(), Some(3));
    assert!(cutting.unwrap_err().to_string().contains("`atomic`"));
    let missing = Extractor::from_toml("name = 'x'").unwrap_err();
    assert_eq!(missing.to_string(), "line 1: missing field `steps`");
}

#[test]
fn models_from_files() {
    let toml = "name = 'x'\nsteps = [{ filter = 'classify', model = 'm/my.tree' }]";
    let tree = "name: my\nabout: y\nwords <= 2: boilerplate\nwords > 2: content";
    let read = |path: &str| {
        assert_eq!(path, "m/my.tree");
        Ok(tree.to_owned())
    };
    let extractor = Extractor::from_toml_with(toml, read).unwrap();
    assert_eq!(Extractor::from_toml_with(&extractor.to_toml(), read).unwrap(), extractor);
    let mut page = document(&[("a b", 0, false), ("a b c", 0, false)]);
    extractor.apply(&mut page);
    assert_eq!(page.text(), "a b c\n");
    let error = Extractor::from_toml_with(toml, |_| Ok("name: my\nabout: y\nword".into()));
    assert_eq!(
        error.unwrap_err().to_string(),
        "line 2: step 1 (classify): `m/my.tree`: line 3: expected `feature <= number` or \
         `feature > number`, found `word`"
    );
}

#[test]
fn models_of_every_kind_from_files() {
    let linear = "kind: linear 1\nclasses: boilerplate content\n\
        scale words: 0 to 10\nboilerplate or content: -0.25 words 1";
    let boosted = "kind: boosted-trees 1\nclasses: boilerplate headline\n\
        headline: words<=2 -1 0.5";
    let toml = "name = 'x'\nsteps = [{ filter = 'classify', model = 'my.model' }]";
    for body in [linear, boosted] {
        let read = |_: &str| Ok(format!("name: my\nabout: y\n{body}"));
        let extractor = Extractor::from_toml_with(toml, read).unwrap();
        assert_eq!(Extractor::from_toml_with(&extractor.to_toml(), read).unwrap(), extractor);
        let mut page = document(&[("a b", 0, true), ("a b c", 0, false)]);
        let traces = extractor.explain(&mut page);
        assert_eq!((&traces[0].kept[..], &traces[0].dropped[..]), (&[1][..], &[0][..]));
    }
}

#[test]
fn explain_says_which_step_did_what() {
    let text = words(41);
    let mut page = document(&[("Menu", 1, false), (&text, 0, false), ("Menu", 1, false)]);
    let extractor = Extractor::new("x")
        .step(KeepAll)
        .step(Classify::new("num-words"))
        .step(RemoveBoilerplate)
        .step(FuseNearby::default());
    let traces = extractor.explain(&mut page);
    let trace = |step, kept: &[usize], dropped: &[usize], removed: &[usize]| StepTrace {
        step,
        verb: Step::named(step).unwrap().filter().verb(),
        kept: kept.into(),
        dropped: dropped.into(),
        removed: removed.into(),
    };
    assert_eq!(
        traces,
        [
            trace("keep-all", &[0, 1, 2], &[], &[]),
            trace("classify", &[], &[0, 2], &[]),
            trace("remove-boilerplate", &[], &[], &[0, 2]),
            trace("fuse-nearby", &[], &[], &[]),
        ]
    );
    assert_eq!(Extractor::decisions(&traces, &page), [Some(1), Some(0), Some(1)]);
}

proptest! {
    #[test]
    fn any_text_is_an_extractor_or_an_error(text in "(name|steps|filter|'keep-all'|=|\\[|\\]|\\{|\\}|,|\n|'x'|1| ){0,30}") {
        if let Err(error) = Extractor::from_toml(&text) {
            prop_assert!(!error.to_string().contains('\n'));
        }
    }
}
