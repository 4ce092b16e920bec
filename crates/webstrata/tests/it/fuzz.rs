//! What holds for any bytes, as one function that every fuzzer calls.
//!
//! `cargo test` runs it over the seeds in `tests/corpus` and the corpora of `fuzz/`, over mutations of them and of the
//! invented pages, and over soups of tags; `--ignored fuzz_for` does so for ten minutes; and the targets of `fuzz/`
//! include this file for libFuzzer, which also watches coverage.

use std::time::Duration;

use webstrata::cutting::Cutting;
use webstrata::{
    Atom, Block, Counts, Document, Extractor, Hidden, Limits, Link, Metadata, NodeId, Options,
    Page, Record, Tag, Tree, output,
};

/// How deep the tree may be with [`options`]' smaller limit.
const SHALLOW: usize = 12;
/// Adoption wraps the content of a block in copies of formatting elements, which are not on the
/// stack that the depth limit bounds; the list of those elements has a bound of its own.
const FORMATTING: usize = 64;

/// What soups are made of and mutations insert: the pieces that parsers disagree about.
#[rustfmt::skip]
pub(crate) const TOKENS: &[&str] = &[
    "<", ">", "</", "/>", "=", "\"", "'", "&", ";", "-", "!", "\0", " ", "\n", "\u{a0}", "\u{3000}",
    "a", "Zoë", "The quick harbour seal said no, again.", "|", "_", "漢字、かな。", "ไทยคำ", "한글 말",
    "&amp;", "&lt;script&gt;", "&#0;", "&#xD800;", "&#x110000;", "&notit;", "&nGt;", "&nbsp", "&#x80;",
    "<p>", "</p>", "<div>", "</div>", "<b>", "</b>", "<i>", "</i>", "<a href=#>", "</a>", "<nobr>",
    "<font color=red>", "</font>", "<span hidden>", "<span>", "</span>", "<em style='display:none'>",
    "</em>", "<div aria-hidden=true>", "<h1>", "</h1>", "<ul>", "<li>", "</ul>", "<dl><dt>", "<dd>",
    "<table>", "</table>", "<tr>", "<td>", "</td>", "</tr>", "<tbody>", "<caption>", "<colgroup>", "<col>",
    "<select>", "<option>", "</select>", "<button>", "</button>", "<form>", "</form>", "<input>",
    "<textarea>", "</textarea>", "<title>", "</title>", "<script>", "</script>", "<style>", "</style>",
    "<script>x()</script>", "<style>p{}</style>", "<xmp>", "</xmp>", "<iframe>", "</iframe>",
    "<noscript>", "</noscript>", "<noframes>", "</noframes>", "<frameset>", "</frameset>", "<frame>",
    "<template>", "</template>", "<object>", "</object>", "<applet>", "<marquee>", "</marquee>",
    "<svg>", "</svg>", "<math>", "</math>", "<mi>", "<desc>", "<foreignObject>", "<annotation-xml>",
    "<![CDATA[", "]]>", "<!--", "-->", "--!>", "<!-->", "<!doctype html>", "<?php", "<plaintext>",
    "<html lang=de>", "</html>", "<head>", "</head>", "<body class=x>", "</body>", "<meta charset=koi8-r>",
    "<pre>\n", "</pre>", "<br>", "</br>", "<hr>", "<img src=x onerror=y()>", "<image>", "<x-y>", "</x-y>",
    "<a href=\"java\nscript:x()\">", "<p onclick=x()>", "<form action=javascript:x()>", "<ruby><rt>",
    "<mark class=webstrata-content>", "<base href=//x>", "<link rel=next>", "<embed>", "<wbr>",
];

/// Reads, extracts and writes a page in the way that `options` says, a byte or two of choices, and
/// checks what must hold for any page.
pub(crate) fn check(choices: u16, page: &[u8]) {
    check_with(choices, page, Extractor::builtin());
}

/// A page of which the last two bytes choose how it is read, also by which extractor.
pub(crate) fn page(bytes: &[u8]) {
    if let [page @ .., low, high] = bytes {
        let choices = u16::from_le_bytes([*low, *high]);
        let builtin = Extractor::builtin();
        let one = usize::from(choices >> 4) % builtin.len();
        check_with(choices, page, &builtin[one..=one]);
    }
}

/// The same of a page that is made of whole tags and words: each byte stands for one of them.
pub(crate) fn soup(bytes: &[u8]) {
    if let [tokens @ .., low, high] = bytes {
        page(&[&page_of_tokens(tokens)[..], &[*low, *high]].concat());
    }
}

/// Bytes beyond the last token repeat what the byte before stands for.
pub(crate) fn page_of_tokens(bytes: &[u8]) -> Vec<u8> {
    let mut page = Vec::new();
    let mut last = "";
    for byte in bytes {
        let times = match TOKENS.get(usize::from(*byte)) {
            Some(token) => {
                last = token;
                1
            }
            None => usize::from(u8::MAX - byte),
        };
        page.extend(last.repeat(times).into_bytes());
    }
    page
}

fn check_with(choices: u16, page: &[u8], extractors: &[Extractor]) {
    let (cutting, options) = options(choices);
    let mut page = Page::read(page, cutting, &options);
    check_tree(&page.tree, options.limits.depth + FORMATTING);
    check_atoms(&page, cutting, options.hidden);
    for extractor in extractors {
        let mut document = page.document.clone();
        let traces = extractor.explain(&mut document);
        assert_eq!(traces.len(), extractor.steps.len());
        check_blocks(&document);
        let mut applied = page.document.clone();
        extractor.apply(&mut applied);
        assert!(applied.blocks == document.blocks, "{} explained otherwise", extractor.name);
        assert!(applied.atoms == page.document.atoms, "{} changed atoms", extractor.name);
    }
    let builtin = Extractor::builtin();
    let extractor = &builtin[usize::from(choices >> 12) % builtin.len()];
    extractor.apply(&mut page.document);
    check_record(&page);
    check_highlight(&page);
}

fn options(choices: u16) -> (Cutting, Options) {
    let pick = |shift: u32| usize::from((choices >> shift) & 3);
    let mut limits = Limits::default();
    match pick(8) {
        1 => limits.depth = SHALLOW,
        2 => (limits.nodes, limits.bytes) = (300, 4000),
        _ => {}
    }
    if pick(10) == 1 {
        limits.deadline = Some(Duration::ZERO);
    }
    let options = Options {
        limits,
        hidden: [Hidden::Drop, Hidden::Keep, Hidden::Mark, Hidden::Drop][pick(2)],
        charset: [None, None, Some("utf-8"), Some("gb18030")][pick(4)].map(str::to_owned),
        width: [None, None, Some(7), Some(0)][pick(6)],
        url: None,
    };
    (Cutting::ALL[pick(0)].0, options)
}

/// Nodes stand in page order, children follow their parents without gaps.
fn check_tree(tree: &Tree<'_>, max_depth: usize) {
    let nodes = tree.nodes().count() as NodeId;
    let mut depth: Vec<usize> = Vec::with_capacity(nodes as usize);
    for node in tree.nodes() {
        match tree.parent(node) {
            None => assert_eq!(node, 0, "one root"),
            Some(parent) => assert!(parent < node && tree.tag(parent).is_some()),
        }
        depth.push(tree.parent(node).map_or(1, |parent| depth[parent as usize] + 1));
        assert!(depth[node as usize] <= max_depth + 1, "deeper than {max_depth}");
        let mut next = node + 1;
        for child in tree.children(node) {
            assert_eq!((child, tree.parent(child)), (next, Some(node)), "children in a row");
            next = tree.end_of(child);
        }
        assert_eq!(next, tree.end_of(node), "a node ends with its last child");
        assert!(next <= nodes);
        if let Some(name) = tree.name(node) {
            assert!(!name.is_empty() && !name.bytes().any(|byte| byte.is_ascii_uppercase()));
            assert!(tree.text(node).is_empty());
        }
    }
}

/// Metadata and links of any page: values that say something, blocks that are there, and JSON that is
/// read back as it was written.
fn check_metadata(page: &Page<'_>) {
    let metadata = page.metadata();
    let texts = [&metadata.title, &metadata.published, &metadata.site, &metadata.canonical];
    for value in texts.into_iter().flatten().chain(&metadata.authors).chain(&metadata.tags) {
        let text = &value.value;
        assert!(!text.is_empty() && text.trim() == text && text.len() < 30_000, "{text:?}");
    }
    let links = page.links();
    for link in &links {
        assert!(!link.in_content || link.block.is_some());
        assert!(link.block.is_none_or(|block| (block as usize) < page.document.atoms.len()));
    }
    let json = serde_json::to_string(&(&metadata, &links)).unwrap();
    assert_eq!(serde_json::from_str::<(Metadata, Vec<Link>)>(&json).unwrap(), (metadata, links));
}

/// Atoms follow each other, and what they hold is what the tree's texts hold.
fn check_atoms(page: &Page<'_>, cutting: Cutting, hidden: Hidden) {
    check_metadata(page);
    let Page { tree, document } = page;
    let mut end = 0;
    for (index, atom) in document.atoms.iter().enumerate() {
        let text = document.atom_text(index);
        assert!(!text.is_empty() && !text.starts_with(' ') && !text.ends_with(' '), "{text:?}");
        assert!(!text.contains("  ") && !text.contains(['\n', '\t', '\r']), "{text:?}");
        assert!(end <= atom.nodes.start && atom.nodes.start < atom.nodes.end, "ascending");
        end = atom.nodes.end;
        let texts: String = atom.nodes.clone().map(|node| tree.text(node)).collect();
        let (ours, theirs) = (visible(text), visible(&texts));
        if hidden == Hidden::Keep && cutting != Cutting::Ziegler && document.limits().is_empty() {
            same(&ours, &theirs, "an atom holds all text of its nodes");
        } else {
            // Hidden and pruned elements inside the atom were left out.
            assert!(is_subsequence(&ours, &theirs), "{ours:?} of {theirs:?}");
        }
        assert!(hidden == Hidden::Mark || !atom.hidden);
        check_counts(&atom.counts);
    }
    assert!(end as usize <= tree.nodes().count());
    assert_eq!(document.blocks.len(), document.atoms.len());
    check_blocks(document);
}

/// The characters that are not whitespace, as cutting understands it.
fn visible(text: &str) -> String {
    let is_space = |c: char| {
        c.is_whitespace() && !matches!(c, '\u{a0}' | '\u{2007}' | '\u{202f}' | '\u{85}')
            || matches!(c, '\u{1c}'..='\u{1f}')
    };
    text.chars().filter(|c| !is_space(*c)).collect()
}

/// The same, without no-break spaces.
fn without_spaces(text: &str) -> String {
    // Control characters are no text that a highlighted page would show.
    visible(text).chars().filter(|c| !c.is_whitespace() && !c.is_control()).collect()
}

fn is_subsequence(part: &str, whole: &str) -> bool {
    let mut whole = whole.chars();
    part.chars().all(|wanted| whole.any(|c| c == wanted))
}

fn check_counts(counts: &Counts) {
    assert!(counts.linked_words <= counts.words && counts.words <= counts.tokens, "{counts:?}");
    assert!(counts.words_in_full_lines <= counts.words && counts.full_lines >= 1, "{counts:?}");
    assert!(counts.full_stops <= counts.sentences && counts.sentences <= counts.tokens);
    assert!(counts.upper_start <= counts.words && counts.upper_all <= counts.words, "{counts:?}");
    assert!(counts.dates <= counts.words && counts.words <= counts.word_chars, "{counts:?}");
    for density in [
        counts.text_density(),
        counts.average_word_length(),
        counts.average_sentence_length(),
        counts.full_stop_ratio(),
    ] {
        assert!(density.is_finite() && density >= 0.0, "{counts:?}");
    }
    assert!((0.0..=1.0).contains(&counts.link_density()), "{counts:?}");
    assert!((0.0..=1.0).contains(&counts.upper_ratio()), "{counts:?}");
}

/// Blocks hold atoms, each at most once, in page order, and their counts are sums.
fn check_blocks(document: &Document) {
    let mut seen = vec![false; document.atoms.len()];
    let mut text = String::new();
    let mut first = 0;
    for block in &document.blocks {
        assert!(block.first_atom() >= first && (0.0..=1.0).contains(&block.score));
        first = block.first_atom();
        let mut words = 0;
        let mut last = None;
        for atom in block.atoms() {
            assert!(last < Some(atom) && !std::mem::replace(&mut seen[atom], true));
            last = Some(atom);
            words += document.atoms[atom].counts.words;
            if block.is_content {
                text.push_str(document.atom_text(atom));
            }
        }
        assert_eq!(last, Some(block.last_atom()));
        assert_eq!(words, block.counts.words);
        check_counts(&block.counts);
    }
    // No-break spaces are spaces in the output, and a line of nothing else is none.
    same(&without_spaces(&document.text()), &without_spaces(&text), "the text of all content");
    assert!(document.text().lines().all(|line| !line.trim().is_empty()));
    let content = document.blocks.iter().filter(|block| block.is_content);
    let content: Vec<usize> = content.flat_map(Block::atoms).collect();
    let marked = document.content_atoms();
    assert!(content.iter().all(|atom| marked[*atom]));
    assert_eq!(content.len(), marked.iter().filter(|content| **content).count());
}

fn check_record(page: &Page<'_>) {
    let record = Record::of(page, &output::RecordPart::ALL, &output::OutputOptions::default());
    let json = serde_json::to_string(&record).expect("plain data");
    let mut back: Record = serde_json::from_str(&json).expect("what was written can be read");
    let blocks = back.blocks.iter_mut().zip(&record.blocks);
    for (back, block) in blocks.flat_map(|(back, blocks)| back.iter_mut().zip(blocks)) {
        // serde_json may read the last bit of a float otherwise than it was written.
        for (back, float) in [
            (&mut back.text_density, block.text_density),
            (&mut back.link_density, block.link_density),
        ] {
            assert!((*back - float).abs() <= 1e-12 * float);
            *back = float;
        }
    }
    assert!(back == record, "read again otherwise: {json}");
    assert_eq!(record.text, output::text(page, &output::OutputOptions::default()));
    assert!(record.words <= record.page_words);
}

/// Tags that run, load or replace something, and so never stand in a highlighted page.
fn runs(name: &str) -> bool {
    let media = ["object", "embed", "applet", "svg", "math"].contains(&name);
    let frames = ["iframe", "frame", "frameset", "noframes", "noembed"].contains(&name);
    media || frames || ["script", "template", "noscript", "plaintext", "xmp"].contains(&name)
}

/// The highlighted page, read again: nothing in it runs, and what is marked is the content.
fn check_highlight(page: &Page<'_>) {
    let html = output::highlight(&page.document, &page.tree);
    let limits = Limits { depth: 2 * Limits::default().depth, ..Limits::default() };
    let again = Tree::parse(html.as_str(), &limits);
    let mut marked = String::new();
    for node in again.nodes() {
        let Some(name) = again.name(node) else { continue };
        assert!(!runs(&name), "<{name}>");
        for attribute in again.attributes(node) {
            let name = attribute.name.to_ascii_lowercase();
            let plain = |c: &char| !c.is_whitespace() && !c.is_control();
            let value: String = attribute.value.chars().filter(plain).collect();
            let value = value.to_ascii_lowercase();
            let runs = ["javascript:", "vbscript:"].iter().any(|bad| value.starts_with(bad));
            let shown = name == "alt" || name == "title";
            assert!(!runs || shown, "{name}={value}");
            assert!(!name.starts_with("on") && name != "srcdoc", "{name}={value}");
        }
        if name == "meta" {
            assert_eq!(again.attribute(node, "charset").as_deref(), Some("utf-8"));
            assert_eq!(again.attributes(node).count(), 1);
        }
        if is_mark(&again, node) {
            marked.push_str(&again.text_content(node));
        }
    }
    let (tree, document) = (&page.tree, &page.document);
    let cannot_hold_marks =
        |node| matches!(tree.tag(node), Some(Tag::Textarea | Tag::Title | Tag::Option | Tag::Xmp));
    let is_inside = |node| tree.parent(node).is_some_and(cannot_hold_marks);
    let mixed = |atom: &Atom| {
        atom.nodes.len() > 1 && atom.nodes.clone().any(|n| cannot_hold_marks(n) || is_inside(n))
    };
    if document.atoms.iter().any(mixed) || tree.nodes().any(|node| is_mark(tree, node)) {
        // Some of an atom cannot be marked, or the page was highlighted before.
        return;
    }
    let written = |atom: &usize| {
        // Not inside what was left out. A `noscript` that holds the page is written, as another element.
        let node = document.atoms[*atom].nodes.start;
        let is_left_out = |node: NodeId| {
            let is_page = tree.tag(node) == Some(Tag::Noscript) && !tree.hides(node);
            !is_page && tree.tag(node).is_some_and(|tag| runs(tag.name()))
        };
        !is_inside(node) && !tree.ancestors(node).any(is_left_out)
    };
    let content = document.content_atoms();
    let expect = (0..content.len()).filter(|atom| content[*atom]).filter(written);
    let expect: String = expect.map(|atom| document.atom_text(atom)).collect();
    same(&without_spaces(&marked), &without_spaces(&expect), "marked");
}

fn is_mark(tree: &Tree<'_>, node: NodeId) -> bool {
    tree.attribute(node, "class").as_deref() == Some("webstrata-content")
}

/// Shows only where two long texts begin to differ.
fn same(ours: &str, theirs: &str, what: &str) {
    let equal = ours.chars().zip(theirs.chars()).take_while(|(a, b)| a == b).count();
    let rest = |text: &str| -> String { text.chars().skip(equal).take(60).collect() };
    assert!(ours == theirs, "{what}: {:?} instead of {:?}", rest(ours), rest(theirs));
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::{Duration, Instant};

    use super::{TOKENS, check, page, soup};
    use crate::corpora::hold;
    use crate::pages;

    #[test]
    fn corpora_hold() {
        hold("page", page);
        hold("soup", soup);
    }

    /// xorshift64*: the same numbers on every machine.
    struct Random(u64);

    impl Random {
        fn below(&mut self, limit: usize) -> usize {
            self.0 ^= self.0 >> 12;
            self.0 ^= self.0 << 25;
            self.0 ^= self.0 >> 27;
            (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % limit.max(1)
        }

        fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
            from[self.below(from.len())]
        }
    }

    struct Fuzzer {
        random: Random,
        seeds: Vec<Vec<u8>>,
    }

    impl Fuzzer {
        fn new(seed: u64) -> Fuzzer {
            let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
            let mut files: Vec<_> = std::fs::read_dir(corpus)
                .expect("tests/corpus is there")
                .map(|entry| entry.expect("readable").path())
                .collect();
            files.sort();
            let read = |path: &std::path::PathBuf| std::fs::read(path).expect("readable");
            let mut seeds: Vec<_> = files.iter().map(read).collect();
            seeds.extend(pages::slugs().iter().map(|slug| pages::page(slug)));
            Fuzzer { random: Random(seed), seeds }
        }

        /// A page that nobody has seen yet, and how to read it.
        fn next(&mut self) -> (u16, Vec<u8>) {
            let page = if self.random.below(3) == 0 { self.soup() } else { self.mutation() };
            (self.random.below(1 << 16) as u16, page)
        }

        fn soup(&mut self) -> Vec<u8> {
            let length = 1 + self.random.below(60);
            (0..length).flat_map(|_| self.token()).collect()
        }

        fn token(&mut self) -> Vec<u8> {
            let token = self.random.pick(TOKENS);
            let times = if self.random.below(40) == 0 { self.random.below(300) } else { 1 };
            token.repeat(times).into_bytes()
        }

        fn mutation(&mut self) -> Vec<u8> {
            let mut page = self.seeds[self.random.below(self.seeds.len())].clone();
            // A window of a long page: a whole one costs more and finds less.
            let length = page.len().min(40 + self.random.below(3000));
            let start = self.random.below(page.len() - length + 1);
            page = page[start..start + length].to_vec();
            for _ in 0..=self.random.below(8) {
                let at = self.random.below(page.len() + 1);
                let end = at + self.random.below((page.len() - at).min(64) + 1);
                match self.random.below(6) {
                    0 => drop(page.drain(at..end)),
                    1 => {
                        let copy = page[at..end].to_vec();
                        let to = self.random.below(page.len() + 1);
                        page.splice(to..to, copy);
                    }
                    2 => {
                        let other = &self.seeds[self.random.below(self.seeds.len())];
                        let from = self.random.below(other.len() + 1);
                        let to = from + self.random.below((other.len() - from).min(200) + 1);
                        page.splice(at..end, other[from..to].iter().copied());
                    }
                    3 if at < page.len() => page[at] = self.random.below(256) as u8,
                    4 => page.truncate(at),
                    _ => drop(page.splice(at..at, self.token())),
                }
            }
            page
        }
    }

    /// Runs the checks; where one fails, says on what.
    fn checked(choices: u16, page: &[u8]) {
        let result = std::panic::catch_unwind(|| check(choices, page));
        if let Err(panic) = result {
            eprintln!("choices {choices:#06x}, page {:?}", String::from_utf8_lossy(page));
            std::panic::resume_unwind(panic);
        }
    }

    #[test]
    fn seeds_hold_in_every_way_of_reading() {
        let fuzzer = Fuzzer::new(1);
        for page in &fuzzer.seeds {
            for choices in 0..64 {
                // Every cutting and treatment of hidden text, with each of the small limits.
                checked((choices % 16) | ((choices / 16) << 8) | (choices << 12), page);
            }
        }
    }

    #[test]
    fn mutations_and_soups_hold() {
        let mut fuzzer = Fuzzer::new(2);
        for _ in 0..2000 {
            let (choices, page) = fuzzer.next();
            checked(choices, &page);
        }
    }

    #[test]
    #[ignore = "runs for WEBSTRATA_FUZZ_SECONDS, ten minutes by default"]
    fn fuzz_for() {
        let seconds = std::env::var("WEBSTRATA_FUZZ_SECONDS").map(|text| text.parse());
        let seconds = seconds.map_or(600, |number| number.expect("a number of seconds"));
        let start = Instant::now();
        // Another seed each time, told so that a failure can be had again.
        let seed = std::env::var("WEBSTRATA_FUZZ_SEED").ok().and_then(|seed| seed.parse().ok());
        let clock = std::time::SystemTime::UNIX_EPOCH.elapsed().map_or(1, |time| time.as_secs());
        let seed = seed.unwrap_or(clock) | 1;
        eprintln!("WEBSTRATA_FUZZ_SEED={seed}");
        let mut fuzzer = Fuzzer::new(seed);
        let mut pages = 0_u64;
        while start.elapsed() < Duration::from_secs(seconds) {
            let (choices, page) = fuzzer.next();
            checked(choices, &page);
            pages += 1;
        }
        eprintln!("{pages} pages in {seconds} s");
    }
}
