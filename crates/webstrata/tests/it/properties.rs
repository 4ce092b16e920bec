//! Cutting and counting against plain ways of doing the same.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use webstrata::cutting::Cutting;
use webstrata::{Document, Hidden, Limits, Options, Tag, Tree};

use crate::oracle::{self, Line};

fn read(page: &str, cutting: Cutting, hidden: Hidden) -> Document {
    webstrata::read(page.as_bytes(), cutting, &Options { hidden, ..Options::default() })
}

fn atoms(document: &Document) -> Vec<&str> {
    (0..document.atoms.len()).map(|atom| document.atom_text(atom)).collect()
}

/// Pieces of pages whose text stays where it is written or moves as the reference tree says. Links,
/// at whose ends a space is added, are left to a test of their own.
#[rustfmt::skip]
pub(crate) const PIECES: &[&str] = &[
    "one", "two.", "Trois ", " quatre", "50%", " ", "\n\t", "\r\n", "\u{a0}", "\u{2003}", "\u{3000}", "漢字",
    "&amp;", "&nbsp;", "&lt;b&gt;", "<p>", "</p>", "<div>", "</div>", "<b>", "</b>", "<i>", "</i>",
    "<span>", "</span>", "<h1>", "</h1>", "<ul>", "<li>", "</ul>",
    "<table>", "<tr>", "<td>", "</table>", "<caption>", "<br>", "<hr>", "<img>", "<pre>\n", "</pre>",
    "<select>", "<option>", "</select>", "<button>", "</button>", "<form>", "</form>", "<x-y>", "</x-y>",
    "<script>x</script>", "<style>y</style>", "<title>t</title>", "<iframe>z</iframe>", "<noembed>w</noembed>",
    "<textarea>\nv</textarea>", "<noscript>", "</noscript>", "<template>", "</template>", "<object>",
    "</object>", "<p hidden>", "<div style=display:none>", "<!--c-->", "<body>", "</body>", "</html>",
    "<svg><title>t</title><text>u</text></svg>", "<math><mi>x</mi></math>",
];

/// What atomic cutting makes of a page without links, by the reference tree: every tag ends an atom,
/// and runs of whitespace are one space.
#[derive(Default)]
struct Atomic {
    atoms: Vec<String>,
    atom: String,
    space: bool,
}

impl Atomic {
    fn of(page: &str) -> Vec<String> {
        let lines = oracle::lines(page);
        let mut this = Atomic::default();
        let depth = |line: &Line| match line {
            Line::Element { depth, .. } | Line::Text { depth, .. } => *depth,
        };
        let is_body =
            |line: &Line| matches!(line, Line::Element { depth: 1, name, .. } if name == "body");
        let Some(body) = lines.iter().position(is_body) else { return Vec::new() };
        let (mut last_depth, mut skipped_below) = (0, usize::MAX);
        for line in lines[body..].iter().take_while(|line| depth(line) > 1 || is_body(line)) {
            if depth(line) > skipped_below {
                continue;
            }
            skipped_below = usize::MAX;
            if depth(line) < last_depth {
                this.tag();
            }
            last_depth = depth(line);
            match line {
                Line::Text { text, .. } => this.text(text),
                Line::Element { depth, name, .. } => {
                    this.tag();
                    let ignored = [
                        "script", "style", "iframe", "noembed", "noframes", "title", "option",
                        "object", "embed", "applet", "link", "noscript",
                    ];
                    if ignored.contains(&name.as_str()) {
                        skipped_below = *depth;
                    }
                }
            }
        }
        this.tag();
        this.atoms
    }

    fn tag(&mut self) {
        self.space = false;
        if !self.atom.is_empty() {
            self.atoms.push(std::mem::take(&mut self.atom));
        }
    }

    fn text(&mut self, text: &str) {
        for c in text.chars() {
            if c.is_whitespace() && !matches!(c, '\u{a0}' | '\u{85}' | '\u{2007}' | '\u{202f}') {
                self.space = true;
                continue;
            }
            if self.space && !self.atom.is_empty() {
                self.atom.push(' ');
            }
            self.space = false;
            self.atom.push(c);
        }
    }
}

#[test]
fn links_are_words_apart() {
    for (page, expect) in [
        ("one<a href=1>two</a>three", "one two three"),
        ("one<a href=1>, two</a>.", "one, two."),
        ("one<a href=1></a>two", "onetwo"),
        ("<a href=1>one</a><a href=2>two</a>", "one two"),
        ("one <a href=1> two </a> three", "one two three"),
    ] {
        assert_eq!(atoms(&read(page, Cutting::Atomic, Hidden::Drop)), [expect], "{page}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8000))]
    #[test]
    fn atomic_cutting_cuts_the_reference_tree(pieces in vec(select(PIECES), 0..24)) {
        let page = format!("<!doctype html>{}", pieces.concat());
        let document = read(&page, Cutting::Atomic, Hidden::Keep);
        prop_assert_eq!(atoms(&document), Atomic::of(&page), "{}", page);
    }

    #[test]
    fn keeping_hidden_text_only_adds(pieces in vec(select(PIECES), 0..24)) {
        let page = format!("<!doctype html>{}", pieces.concat());
        // Every tag ends an atom here, also one that hides: the words stay whole.
        let (kept, dropped) = (
            read(&page, Cutting::Atomic, Hidden::Keep),
            read(&page, Cutting::Atomic, Hidden::Drop),
        );
        let dropped = atoms(&dropped);
        let mut kept: Vec<_> = atoms(&kept).into_iter().flat_map(|atom| atom.split(' ')).collect();
        for word in dropped.iter().flat_map(|atom| atom.split(' ')) {
            let at = kept.iter().position(|other| *other == word);
            prop_assert!(at.is_some(), "{} is not in {}", word, page);
            kept.swap_remove(at.unwrap_or(0));
        }
        // Marking changes blocks and labels, not the text.
        let marked = read(&page, Cutting::Atomic, Hidden::Mark);
        let visible = marked.atoms.iter().enumerate().filter(|(_, atom)| !atom.hidden);
        let visible: Vec<_> = visible.map(|(at, _)| marked.atom_text(at)).collect();
        prop_assert_eq!(visible, dropped);
    }

    #[test]
    fn flattening_loses_no_text(pieces in vec(select(PIECES), 0..40), depth in 8_usize..20) {
        let page = format!("<!doctype html><body>{}", pieces.concat());
        // The order may be another: what stands in a table that is too deep stays where it is.
        let letters = |depth: usize| {
            let tree = Tree::parse(page.as_str(), &Limits { depth, ..Limits::default() });
            let body = tree.nodes().find(|node| tree.tag(*node) == Some(Tag::Body)).unwrap_or(0);
            let mut letters: Vec<_> = tree.text_content(body).split_whitespace().collect::<String>()
                .chars().collect();
            letters.sort_unstable();
            letters
        };
        prop_assert_eq!(letters(depth), letters(1000));
    }
}

/// Characters that boilerpipe's tokenizer treats in different ways, and none of scripts without
/// spaces, which it does not know.
#[rustfmt::skip]
const CHARACTERS: &[char] = &[
    'a', 'b', 'z', 'A', 'Z', 'é', 'Ö', 'ß', 'ж', 'Ω', 'א', '0', '7', '9', '_', ' ', ' ', ' ', '\u{a0}',
    '"', '\'', '.', ',', '!', '@', '-', ':', ';', '$', '?', '(', ')', '/',
    '%', '|', '’', '“', '”', '…', '—', '©', '€', '°', '·', '«', '&', '<', '>', '=', '+', '*', '#', '[', '\\',
];

/// boilerpipe's way, step by step: a mark at every `\b`, marks around some characters taken out
/// again, what is left split at marks and spaces.
fn tokens(text: &str) -> Vec<String> {
    const MARK: char = '\u{2063}';
    // Java's letters and digits; what else counts as a number is none of them.
    let is_letter = |c: char| c.is_alphanumeric() && !"½¼¾²³¹①".contains(c);
    let is_word = |c: Option<char>| c.is_some_and(|c| is_letter(c) || c == '_');
    let mut marked = Vec::new();
    let mut before = None;
    for c in text.chars().map(Some).chain([None]) {
        if is_word(before) != is_word(c) {
            marked.push(MARK);
        }
        marked.extend(c);
        before = c;
    }
    let joins = |c: &char| "\"'.,!@-:;$?()/".contains(*c);
    let mut joined = String::new();
    let mut at = 0;
    while at < marked.len() {
        let marks = |from: usize| marked[from..].iter().take_while(|c| **c == MARK).count();
        let after = at + marks(at);
        if marked.get(after).is_some_and(joins) {
            joined.push(marked[after]);
            at = after + 1 + marks(after + 1);
        } else {
            joined.push(marked[at]);
            at += 1;
        }
    }
    let tokens = joined.split([' ', MARK]).filter(|token| !token.is_empty());
    tokens.map(str::to_owned).collect()
}

/// Tokens, words, linked words, letters of words, lines and words on lines; the texts are in turn outside and inside of
/// a link. Boilerpipe has an empty line before a first word that is longer than a line; the paper's equation has none.
fn counts(
    texts: &[String],
    width: u32,
    cutting: Cutting,
    tokens: fn(&str) -> Vec<String>,
) -> [u32; 6] {
    let [mut all, mut words, mut linked, mut letters, mut lines, mut on_line] = [0; 6];
    let mut length = -1_i64;
    for (at, text) in texts.iter().enumerate() {
        for token in tokens(text) {
            all += 1;
            if !token.chars().any(char::is_alphanumeric) {
                continue;
            }
            words += 1;
            linked += u32::from(at % 2 == 1);
            let characters = token.chars().count() as u32;
            letters += characters;
            on_line += 1;
            length += i64::from(characters) + 1;
            if length > i64::from(width) && (words > 1 || cutting == Cutting::Boilerpipe) {
                lines += 1;
                length = i64::from(characters);
                on_line = 1;
            }
        }
    }
    let mut words_on_lines = if lines == 0 { words } else { words - on_line };
    if lines == 0 || words_on_lines == 0 {
        (lines, words_on_lines) = (1, words);
    }
    [all, words, linked, letters, lines, words_on_lines]
}

/// What is counted in a page of one paragraph.
fn counted(texts: &[String], width: u32, cutting: Cutting) -> Option<[u32; 6]> {
    let escape = |text: &String| text.replace('&', "&amp;").replace('<', "&lt;");
    let texts = texts.iter().enumerate().map(|(at, text)| match at % 2 {
        0 => escape(text),
        _ => format!("<a href=1>{}</a>", escape(text)),
    });
    let page = texts.collect::<String>();
    let options = Options { width: Some(width), ..Options::default() };
    let document = webstrata::read(page.as_bytes(), cutting, &options);
    assert!(document.atoms.len() < 2, "{page}");
    let counts = document.atoms.first()?.counts;
    let lines = [counts.full_lines, counts.words_in_full_lines];
    let words = [counts.tokens, counts.words, counts.linked_words, counts.word_chars];
    Some([words[0], words[1], words[2], words[3], lines[0], lines[1]])
}

/// What stands between spaces, those that do not break lines among them.
fn spaced(text: &str) -> Vec<String> {
    text.split([' ', '\u{a0}']).filter(|token| !token.is_empty()).map(str::to_owned).collect()
}

fn text() -> impl Strategy<Value = String> {
    vec(select(CHARACTERS), 1..60).prop_map(|characters| characters.into_iter().collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8000))]
    #[test]
    fn counts_are_those_of_a_plain_count(texts in vec(text(), 1..4), width in 1_u32..100) {
        if let Some(counted) = counted(&texts, width, Cutting::Boilerpipe) {
            prop_assert_eq!(counted, counts(&texts, width, Cutting::Boilerpipe, tokens));
        }
        if let Some(counted) = counted(&texts, width, Cutting::Atomic) {
            prop_assert_eq!(counted, counts(&texts, width, Cutting::Atomic, spaced));
        }
    }
}

/// Fractions and raised digits end words, but are words.
#[test]
fn fractions_are_counted_as_boilerpipe_counts_them() {
    for text in ["1½ cups", "m²", "½", "x①y", "½ lemon", "²³", "½|", "½.a", "5¼-inch"] {
        let text = [text.to_owned()];
        let counted = counted(&text, 80, Cutting::Boilerpipe).expect("a text");
        assert_eq!(counted, counts(&text, 80, Cutting::Boilerpipe, tokens), "{text:?}");
    }
}
