use std::cell::Cell;
use std::time::Duration;

use super::*;
use crate::Limits;

/// The words that are called are those that are counted.
#[test]
fn words_are_called_as_they_are_counted() {
    for text in [
        "",
        " ",
        "a",
        "High water – at 12:40.",
        "潮が満ちる。今日は tide が高い",
        "ตลาดน้ำ and 市場",
        "“x” | y・z",
    ] {
        let mut words = 0;
        for_each_word(text, |_| words += 1);
        assert_eq!(words, count(text, &[], false, WordRule::Spaces, 80).words, "{text}");
    }
}

fn counts(text: &str) -> Counts {
    count(text, &[], false, WordRule::Boundaries, 80)
}

#[test]
fn tokens_split_where_boilerpipe_splits_them() {
    for (text, tokens, words) in [
        ("one two", 2, 2),
        ("50% of it", 4, 3),
        ("Tom's don't", 2, 2),
        ("don’t", 3, 2),
        ("a|b | c", 5, 3),
        ("(foo)|", 1, 1),
        ("U.S. e-mail", 2, 2),
        ("\u{a0}", 1, 0),
        ("foo\u{a0}bar", 3, 2),
        ("café naïve", 2, 2),
        ("© 2008", 2, 1),
        ("a_b __", 2, 1),
        ("", 0, 0),
    ] {
        let counts = counts(text);
        assert_eq!((counts.tokens, counts.words), (tokens, words), "{text:?}");
    }
    let spaced = count("50% don’t a|b", &[], false, WordRule::Spaces, 80);
    assert_eq!((spaced.tokens, spaced.words), (3, 3));
}

#[test]
fn links_end_tokens_and_count_their_words() {
    let counts = count("foobar baz qux", &[3, 10], false, WordRule::Boundaries, 80);
    assert_eq!((counts.words, counts.linked_words), (4, 2));
    let open = count("all of it", &[], true, WordRule::Boundaries, 80);
    assert_eq!(open.linked_words, 3);
}

#[test]
fn density_leaves_the_last_line_out() {
    // 16 words of four letters fill a line of 80 columns: 16 * 5 - 1 = 79.
    let line = ["abcd"; 16].join(" ");
    assert_eq!(counts(&line).text_density(), 16.0);
    let more = format!("{line} abcd abcd");
    let more = counts(&more);
    assert_eq!((more.full_lines, more.words_in_full_lines), (1, 16));
    assert_eq!(more.text_density(), 16.0);
    let narrow = count(&line, &[], false, WordRule::Boundaries, 9);
    assert_eq!(narrow.text_density(), 2.0);
}

#[test]
fn no_break_spaces_separate_words() {
    for rule in [WordRule::Spaces, WordRule::Boundaries] {
        let counts = count("January\u{a0}15,\u{a0}2008", &[], false, rule, 80);
        assert_eq!((counts.words, counts.dates), (3, 2), "{rule:?}");
    }
    let spaced = count("\u{a0} a\u{2003}b\u{202f}50\u{a0}", &[], false, WordRule::Spaces, 80);
    assert_eq!((spaced.tokens, spaced.words), (3, 3));
}

/// Equation 1 (4.6 of the thesis) as it stands: the text is set in lines, then words and lines are counted.
fn density_by_the_equation(text: &str, width: usize) -> f64 {
    let mut lines: Vec<Vec<&str>> = vec![Vec::new()];
    let length = |line: &[&str]| line.iter().map(|word| word.chars().count() + 1).sum::<usize>();
    for word in text.split_whitespace() {
        let line = lines.last().unwrap();
        if !line.is_empty() && length(line) + word.chars().count() > width {
            lines.push(Vec::new());
        }
        lines.last_mut().unwrap().push(word);
    }
    let words: usize = lines.iter().map(Vec::len).sum();
    match lines.len() {
        1 => words as f64,
        more => (words - lines[more - 1].len()) as f64 / (more - 1) as f64,
    }
}

proptest::proptest! {
    #[test]
    fn density_is_that_of_the_equation(
        words in proptest::collection::vec("[a-z]{1,24}", 0..40),
        width in 1u32..40,
        gaps in proptest::collection::vec(proptest::bool::ANY, 40),
    ) {
        let gap = |at: usize| if gaps[at] { " " } else { "\u{a0}" };
        let text: String = words.iter().enumerate().flat_map(|(at, w)| [w.as_str(), gap(at)]).collect();
        let counted = count(&text, &[], false, WordRule::Spaces, width).text_density();
        proptest::prop_assert_eq!(counted, density_by_the_equation(&text, width as usize));
    }
}

#[test]
fn a_first_word_longer_than_the_line() {
    let text = format!("{} Weir Street", "x".repeat(100));
    // By the equation it fills the first line; to boilerpipe that line is empty.
    assert_eq!(count(&text, &[], false, WordRule::Spaces, 80).text_density(), 1.0);
    assert_eq!(counts(&text).text_density(), 0.5);
}

#[test]
fn a_word_longer_than_the_line_is_one_line() {
    let counts = counts(&"x".repeat(100));
    assert_eq!((counts.full_lines, counts.words_in_full_lines), (1, 1));
}

#[test]
fn shallow_features_are_counted() {
    let counts =
        counts("The BBC said on Monday, 14 May 2008 at 10:45 pm: \"It works.\" Really? | No");
    assert_eq!(counts.upper_start, 7);
    assert_eq!(counts.upper_all, 1);
    assert_eq!(counts.dates, 5);
    assert_eq!(counts.sentences, 2);
    assert_eq!(counts.full_stops, 1);
    assert_eq!(counts.bars, 1);
}

#[test]
fn scripts_without_spaces_have_words() {
    // "He goes to school every day", by dictionary.
    let chinese = counts("他每天去学校上课。");
    assert!((4..=7).contains(&chinese.words), "{chinese:?}");
    assert_eq!(chinese.full_stops, 1);
    let thai = counts("เขาไปโรงเรียนทุกวัน");
    assert!((4..=6).contains(&thai.words), "{thai:?}");
    let japanese = counts("彼は毎日学校に行きます。");
    assert!((5..=9).contains(&japanese.words), "{japanese:?}");
    assert_eq!(counts("그는 매일 학교에 간다").words, 4);
}

#[test]
fn a_line_of_chinese_is_as_dense_as_one_of_english() {
    let chinese = counts(&"今天下午市政府宣布新的公共交通计划将于下个月开始实施".repeat(6));
    assert!((10.0..=22.0).contains(&chinese.text_density()), "{chinese:?}");
}

thread_local! {
    static NOW: Cell<Duration> = const { Cell::new(Duration::ZERO) };
}

/// A clock that runs on whenever it is looked at.
fn tick() -> Duration {
    NOW.set(NOW.get() + Duration::from_secs(1));
    NOW.get()
}

#[test]
fn the_time_ends_the_count_of_one_text() {
    let limits =
        Limits { deadline: Some(Duration::from_secs(3)), clock: tick, ..Limits::default() };
    for text in ["\u{1000}".repeat(200_000), "word ".repeat(200_000), "é".repeat(10_000_000)] {
        let count = |deadline| count_until(&text, &[], false, WordRule::Spaces, 80, deadline);
        let (whole, late) = count(Deadline::none());
        assert!(!late);
        let (part, late) = count(Deadline::start(&limits));
        assert!(late && part.words < whole.words / 2, "{} {}", part.words, whole.words);
    }
}
