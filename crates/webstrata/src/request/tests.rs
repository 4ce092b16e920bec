use proptest::prelude::*;

use super::*;
use crate::Limits;

const PAGE: &[u8] = b"<title>Tides</title><nav><a href=/>Home</a></nav><h1>Tides</h1><p>High water is at <a \
    href=/noon>noon</a> today, the harbour office says, and low water six hours later.<p hidden>Nobody reads this.";

fn built(field: Field, value: Value<'_>) -> Result<Request, RequestError> {
    let mut builder = Request::builder().other_parts(&["text"]);
    builder.set_field(field, value)?;
    builder.build()
}

/// Every field, what it takes and what becomes of it.
#[test]
fn right_values_are_taken() {
    use Value::{Flag, List, Number, Text, Written};
    let list = |names: &[&str]| List(names.iter().map(|name| (*name).to_owned()).collect());
    let check = |field: Field, value: Value<'_>, holds: fn(&Request) -> bool| {
        let request = built(field, value.clone()).unwrap_or_else(|e| panic!("{value:?}: {e}"));
        assert!(holds(&request), "{field:?} {value:?}: {request:?}");
    };
    check(Field::Url, Text(""), |r| r.options.url.as_deref() == Some(""));
    check(Field::Url, Written("https://a.example/"), |r| r.options.url.is_some());
    check(Field::Extractor, Text("article"), |r| r.extractor().name == "article");
    check(Field::Extractor, Text("name = 'mine'\nsteps = []"), |r| r.extractor().name == "mine");
    let recall = |weight: f64| Extractor::default_builtin().with_recall(weight);
    for (value, weight) in [
        (Text("precision"), 0.5),
        (Text("balanced"), 1.0),
        (Written("recall"), 2.0),
        (Written("0.7"), 0.7),
        (Number(0.01), 0.01),
        (Number(100.0), 100.0),
    ] {
        let request = built(Field::Favor, value).expect("a weight");
        assert_eq!(Some(request.extractor()), recall(weight).as_ref());
    }
    check(Field::Parts, list(&[]), |r| r.parts.is_empty());
    check(Field::Parts, list(&["links", "text", "blocks", "links"]), |r| {
        r.parts == [RecordPart::Links, RecordPart::Blocks] && r.has_other_part("text")
    });
    check(Field::Parts, Written("html, markdown,"), |r| {
        r.parts == [RecordPart::Html, RecordPart::Markdown]
    });
    check(Field::Links, Flag(true), |r| r.markup.links && !r.markup.images);
    check(Field::Links, Written(""), |r| r.markup.links);
    check(Field::Images, Written("1"), |r| r.markup.images);
    check(Field::Images, Written("false"), |r| !r.markup.images);
    check(Field::Hidden, Text("mark"), |r| r.options.hidden == Hidden::Mark);
    check(Field::Charset, Text("latin1"), |r| r.options.charset.as_deref() == Some("latin1"));
    let deadline = |r: &Request| r.options.limits.deadline.expect("a deadline").as_nanos();
    for (value, nanoseconds) in [
        (Number(1e-6), 1),
        (Number(1500.5), 1_500_500_000),
        (Written("5000"), 5_000_000_000),
        (Number(86_400_000.0), 86_400_000_000_000),
    ] {
        assert_eq!(deadline(&built(Field::DeadlineMs, value).expect("a time")), nanoseconds);
    }
    check(Field::MaxBytes, Number(1.0), |r| r.options.limits.bytes == 1);
    check(Field::MaxBytes, Number(2_147_483_647.0), |r| r.options.limits.bytes == 2_147_483_647);
    check(Field::Width, Written("1"), |r| r.options.width == Some(1));
    check(Field::Width, Number(10_000.0), |r| r.options.width == Some(10_000));
}

#[test]
fn wrong_values_get_one_line() {
    use Value::{Flag, List, Number, Other, Text, Written};
    let check = |field: Field, value: Value<'_>, problem: Problem, expect: &str| {
        let error = built(field, value.clone()).expect_err(expect);
        assert_eq!(error.message(), expect, "{value:?}");
        assert_eq!((error.field(), error.problem()), (Some(field), problem), "{value:?}");
        assert_eq!(error.to_string(), format!("{}: {expect}", field.name()));
    };
    let wrong_type = Problem::WrongType;
    check(Field::Url, Number(5.0), wrong_type, "expected a text, not 5");
    check(
        Field::Extractor,
        Text("artcile"),
        Problem::UnknownName,
        "unknown extractor `artcile`, did you mean `article`?",
    );
    check(
        Field::Extractor,
        Flag(true),
        wrong_type,
        "expected the name of an extractor, or one as TOML, not true",
    );
    check(
        Field::Extractor,
        Text("name = 'x'\nsteps = [ { filter = 'fuse-nearbye' } ]"),
        Problem::BadExtractor,
        "line 2: step 1: unknown filter `fuse-nearbye`, did you mean `fuse-nearby`?",
    );
    let favor = "expected precision, balanced, recall or a number from 0.01 to 100, not";
    let out = Problem::OutOfRange;
    check(Field::Favor, Text("0.5"), Problem::UnknownName, &format!("{favor} `0.5`"));
    check(Field::Favor, Written("speed"), Problem::UnknownName, &format!("{favor} `speed`"));
    check(Field::Favor, Number(0.009), out, &format!("{favor} 0.009"));
    check(Field::Favor, Written("100.1"), out, &format!("{favor} `100.1`"));
    check(Field::Favor, Number(f64::NAN), out, &format!("{favor} NaN"));
    check(Field::Favor, Other("an object"), wrong_type, &format!("{favor} an object"));
    let near = "unknown value `recal`, did you mean `recall`?";
    check(Field::Favor, Text("recal"), Problem::UnknownName, near);
    let list = |name: &str| List(vec![name.to_owned()]);
    let near = "unknown part `markdwon`, did you mean `markdown`?";
    check(Field::Parts, list("markdwon"), Problem::UnknownName, near);
    let far = "unknown part `docx`, expected one of `blocks`, `metadata`, `links`, `markdown`, `html`, `posts`, `text`";
    check(Field::Parts, Written("html,docx"), Problem::UnknownName, far);
    let parts = "expected a list of names, such as metadata and markdown, not `html`";
    check(Field::Parts, Text("html"), wrong_type, parts);
    check(Field::Links, Number(1.0), wrong_type, "expected true or false, not 1");
    check(Field::Images, Written("maybe"), wrong_type, "expected true or false, not `maybe`");
    let near = "unknown value `kep`, did you mean `keep`?";
    check(Field::Hidden, Text("kep"), Problem::UnknownName, near);
    let far = "expected drop, keep or mark, not `maybe`";
    check(Field::Hidden, Text("maybe"), Problem::UnknownName, far);
    check(Field::Hidden, list("keep"), wrong_type, "expected drop, keep or mark, not a list");
    let charset = format!("unknown charset `utf-9`, expected {}", Field::Charset.expected());
    check(Field::Charset, Text("utf-9"), Problem::UnknownName, &charset);
    let deadline = "expected a number of milliseconds, more than 0 and at most 86400000, not";
    check(Field::DeadlineMs, Number(0.0), out, &format!("{deadline} 0"));
    check(Field::DeadlineMs, Number(86_400_001.0), out, &format!("{deadline} 86400001"));
    check(Field::DeadlineMs, Number(f64::INFINITY), out, &format!("{deadline} inf"));
    check(Field::DeadlineMs, Text("5"), wrong_type, &format!("{deadline} `5`"));
    let bytes = "expected a whole number from 1 to 2147483647, not";
    check(Field::MaxBytes, Number(0.0), out, &format!("{bytes} 0"));
    check(Field::MaxBytes, Number(2_147_483_648.0), out, &format!("{bytes} 2147483648"));
    check(Field::MaxBytes, Number(1e300), out, &format!("{bytes} 1e300"));
    check(Field::MaxBytes, Number(10.5), wrong_type, &format!("{bytes} 10.5"));
    let width = "expected a whole number from 1 to 10000, not";
    check(Field::Width, Written("0"), out, &format!("{width} `0`"));
    check(Field::Width, Written("-1"), out, &format!("{width} `-1`"));
    check(Field::Width, Number(10_001.0), out, &format!("{width} 10001"));
    check(Field::Width, Written("wide"), wrong_type, &format!("{width} `wide`"));
}

#[test]
fn extractors_that_cost_too_much_are_refused() {
    let check = |toml: &str, expect: &str| {
        let error = built(Field::Extractor, Value::Text(toml)).expect_err(expect);
        assert_eq!((error.problem(), error.message()), (Problem::BadExtractor, expect));
    };
    let steps = |count: usize| "{ filter = 'keep-largest' },".repeat(count);
    let toml = |count: usize| format!("name = 'x'\nsteps = [ {} ]", steps(count));
    check(&toml(65), "65 steps, a request may have 64");
    assert!(built(Field::Extractor, Value::Text(&toml(64))).is_ok());
    let fallback = ["strata"; 9];
    let toml = format!("name = 'x'\nsteps = []\nfallback = {fallback:?}");
    check(&toml, "9 fallbacks, a request may have 8");
    check(&"=".repeat(LONGEST_TOML + 1), "the TOML is longer than 65536 bytes");
}

#[test]
fn fields_are_set_in_any_order() {
    let mut builder = Request::builder();
    builder.set("favor", "recall").expect("a weight");
    builder.set("extractor", "article").expect("a name");
    let error = builder.clone().build().expect_err("no such step");
    assert_eq!((error.field(), error.problem()), (Some(Field::Favor), Problem::NoRecall));
    assert_eq!(error.message(), "`article` has no step `keep-likely`, use it with `strata`");
    builder.set("favor", "balanced").expect("a weight");
    assert_eq!(builder.clone().build().expect("balanced").extractor().name, "article");
    builder.set("extractor", "strata").expect("a name");
    builder.set("favor", 2.0).expect("a weight");
    let request = builder.build().expect("strata has a weight");
    assert_eq!(request.favor(), Some(2.0));
    assert_eq!(*request.shared_extractor(), *request.extractor());
    assert_eq!(Some(request.extractor()), Extractor::default_builtin().with_recall(2.0).as_ref());
    let error = Request::builder().set("widht", 80.0).expect_err("no such field");
    assert_eq!(error.to_string(), "unknown field `widht`, did you mean `width`?");
    assert_eq!((error.field(), error.problem()), (None, Problem::UnknownField));
}

#[test]
fn an_extractor_is_built_once_and_shared() {
    let mine = Arc::new(Extractor::new("mine"));
    let mut builder = Request::builder();
    builder.extractor(mine.clone());
    let requests = [builder.clone().build(), builder.build()].map(|built| built.expect("right"));
    assert!(requests.iter().all(|request| std::ptr::eq(request.extractor(), &*mine)));
    let default = Request::default();
    assert!(std::ptr::eq(default.extractor(), Extractor::default_builtin()));
}

#[test]
fn the_table_says_what_holds() {
    for field in Field::ALL {
        assert_eq!(Field::named(field.name()), Some(field));
        assert!(field.about().ends_with('.') && !field.about().contains('\n'), "{field:?}");
        let default = field.default_text();
        if !default.is_empty() {
            assert!(built(field, Value::Written(default)).is_ok(), "{field:?}");
        }
        // What is expected names what is taken.
        let is_list = matches!(field.takes(), Takes::Names(_));
        let names = if is_list { &[] } else { field.names() };
        assert!(names.iter().all(|name| field.expected().contains(name)), "{field:?}");
        if let Some(range) = field.range() {
            assert!(field.expected().ends_with(&range.most.to_string()), "{field:?}");
            assert!(
                [range.least, range.most].iter().all(|end| built(field, (*end).into()).is_ok())
            );
        }
    }
    let number = |field: Field| field.default_text().parse().ok();
    assert_eq!(number(Field::MaxBytes), Some(Limits::default().bytes));
    assert_eq!(number(Field::Width), Some(crate::blocks::DEFAULT_WIDTH as usize));
    assert_eq!(Field::Extractor.default_text(), Extractor::default_builtin().name);
    assert_eq!(RecordPart::ALL.map(RecordPart::name), RecordPart::NAMES);
}

#[test]
fn a_request_does_what_its_pieces_do() {
    let mut builder = Request::builder();
    for (name, value) in [
        ("url", "https://harbour.example/"),
        ("extractor", "article"),
        ("parts", "blocks,metadata,links,markdown,html,posts"),
        ("links", "true"),
        ("hidden", "keep"),
        ("max_bytes", "150"),
        ("width", "40"),
    ] {
        builder.set(name, Value::Written(value)).expect(name);
    }
    let request = builder.build().expect("right");
    let options = Options {
        limits: Limits { bytes: 150, ..Limits::default() },
        hidden: Hidden::Keep,
        url: Some("https://harbour.example/".into()),
        width: Some(40),
        ..Options::default()
    };
    let article = Extractor::named("article").expect("built in");
    let page = article.extract_page(PAGE, &options);
    let markup = OutputOptions { links: true, images: false, ..OutputOptions::DEFAULT };
    assert_eq!(request.record(PAGE), Record::of(&page, &RecordPart::ALL, &markup));
    assert_eq!(request.markdown(&page), markdown(&page, &markup));
    assert_eq!(request.applied_to(&page.document), article);
    let explanation = request.explain(request.read(PAGE));
    assert_eq!(explanation.record.text, request.record(PAGE).text);
}

fn any_value() -> impl Strategy<Value = (u8, String, f64, bool, Vec<String>)> {
    (0u8..6, "\\PC{0,20}|[\\x00-\\x7f]{0,200}", any::<f64>(), any::<bool>(), any::<Vec<String>>())
}

proptest! {
    #[test]
    fn any_pair_is_taken_or_gets_one_short_line(
        name in "(url|extractor|favor|parts|links|images|text|include|exclude|front_matter|reasons|hidden|charset|deadline_ms|max_bytes|width)|\\PC{0,300}",
        (which, text, number, flag, list) in any_value(),
    ) {
        let value = match which {
            0 => Value::Text(&text),
            1 => Value::Written(&text),
            2 => Value::Number(number),
            3 => Value::Flag(flag),
            4 => Value::List(list),
            _ => Value::Other(&text),
        };
        let mut builder = Request::builder();
        let set = builder.set(&name, value).map(|_| ());
        if let Err(error) = set.and_then(|()| builder.build().map(|_| ())) {
            let line = error.to_string();
            prop_assert!(!line.contains(char::is_control), "{line:?}");
            prop_assert!(line.chars().count() <= 500, "{line}");
            prop_assert!(!error.expectation().is_empty());
        }
    }
}
