//! Invented pages. A text that begins with `+` is one that the extractor kept.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::complete::complete;
use super::*;
use crate::cutting::Cutting;
use crate::options::Options;
use crate::output::table::data_tables;

fn read(html: &str) -> Page<'_> {
    Page::read(html.as_bytes(), Cutting::Strata, &Options::default())
}

fn marked(page: &Page<'_>) -> Vec<bool> {
    let atoms = 0..page.document.atoms.len();
    atoms.map(|atom| page.document.atom_text(atom).starts_with('+')).collect()
}

fn lines(page: &Page<'_>, written: &[bool]) -> Vec<String> {
    let atoms = (0..written.len()).filter(|atom| written[*atom]);
    atoms.map(|atom| page.document.atom_text(atom).trim_start_matches('+').to_owned()).collect()
}

/// By atom: is it written?
fn atoms(page: &Page<'_>, kept: &Kept) -> Vec<bool> {
    let atoms = page.document.atoms.iter();
    atoms.map(|atom| atom.nodes.clone().any(|node| kept.has(node))).collect()
}

/// What is written of a page, by atoms.
fn written(html: &str) -> Vec<String> {
    let page = read(html);
    let kept = Kept::of(&page, marked(&page), &[], &data_tables(&page.tree), false);
    lines(&page, &atoms(&page, &kept))
}

/// What is left out of the atoms that are written.
fn skipped(html: &str) -> Vec<String> {
    let page = read(html);
    let kept = Kept::of(&page, marked(&page), &[], &[], false);
    let nodes = page.tree.nodes().filter(|node| kept.skips(*node));
    nodes.map(|node| page.tree.text_content(node)).collect()
}

#[test]
fn lists_have_no_holes() {
    assert_eq!(written("<ul><li>+tea<li>rice<li>+salt</ul>"), ["tea", "rice", "salt"]);
    // Both ends, where most of it is there.
    let list = "<ul><li>tea<li>+rice<li>+salt<li>+oil<li>flour</ul>";
    assert_eq!(written(list), ["tea", "rice", "salt", "oil", "flour"]);
    // One item of many says nothing of the others.
    let list = "<ul><li>tea<li>+rice<li>salt<li>oil<li>flour</ul>";
    assert_eq!(written(list), ["rice"]);
    // Nor is anything added to a list of which nothing is kept.
    assert_eq!(written("<p>+Words.<ul><li>tea<li>rice</ul>"), ["Words."]);
}

#[test]
fn a_list_in_a_list_belongs_to_its_item() {
    let list = "<ul><li>+tea<li>rice<ul><li>white<li>brown</ul><li>+salt</ul>";
    assert_eq!(written(list), ["tea", "rice", "white", "brown", "salt"]);
}

#[test]
fn what_is_unlike_its_list_is_not_added() {
    let list =
        "<ul><li>+Boil the tea for long.<li><a href=/x>Share this</a><li>+Add the rice.</ul>";
    assert_eq!(written(list), ["Boil the tea for long.", "Add the rice."]);
    let list = "<ul><li>+tea<li><form>Sign up</form><li><button>More</button>oil<li>+salt</ul>";
    assert_eq!(written(list), ["tea", "oil", "salt"]);
    let list = "<ul><li>+tea<li hidden>rice<li>+salt</ul><nav><ul><li>+a<li>b<li>+c</ul></nav>";
    assert_eq!(written(list), ["tea", "salt", "a", "c"]);
}

#[test]
fn accordions_have_no_holes() {
    let section = |heading: &str, text: &str| {
        format!(
            "<div><h3><a href='javascript:void(0)' aria-expanded=false>{heading}</a></h3><div>{text}</div></div>"
        )
    };
    let all = [
        section("+Tides?", "+At noon."),
        section("Fares?", "Two coins."),
        section("+Dogs?", "+On a lead."),
    ];
    assert_eq!(
        written(&format!("<div>{}</div>", all.concat())),
        ["Tides?", "At noon.", "Fares?", "Two coins.", "Dogs?", "On a lead."]
    );
    // One of four says nothing of the others, and headings that nobody opens are none of an accordion.
    let all = [
        section("+Tides?", "+At noon."),
        section("Fares?", "Two coins."),
        section("Dogs?", "On a lead."),
    ];
    assert_eq!(written(&format!("<div>{}</div>", all.concat())), ["Tides?", "At noon."]);
    let plain = "<div><h3>+Tides</h3><p>+At noon.</div><div><h3>Fares</h3><p>Two coins.</div><div><h3>+Dogs</h3><p>+On a lead.</div>";
    assert_eq!(written(plain), ["Tides", "At noon.", "Dogs", "On a lead."]);
}

#[test]
fn a_form_around_the_page_bars_nothing() {
    let page = "<form><ul><li>+tea<li>rice<li>+salt</ul></form>";
    assert_eq!(written(page), ["tea", "rice", "salt"]);
}

#[test]
fn terms_stand_with_their_definitions() {
    let list = "<dl><dt>Ebb<dd>+Water goes.<dt>Flood<dd>Water comes.<dt>+Neap<dd>A low tide.</dl>";
    assert_eq!(written(list), ["Ebb", "Water goes.", "Neap", "A low tide."]);
}

#[test]
fn tables_have_no_holes() {
    let table = "<table><tr><th>Port<th>High<tr><td>+Hook<td>6:10<tr><td>Ness<td>+7:20\
        <tr><td>Rook<td>8:00<tr><td>Wick<td>9:00<tr><td>Kyle<td>9:30</table>";
    assert_eq!(written(table), ["Port", "High", "Hook", "6:10", "Ness", "7:20"]);
    let table = table.replace("8:00", "+8:00");
    assert_eq!(written(&table).len(), 12);
    // Cells behind the last text count, too.
    let table = "<table><tr><td>Hook<br>+6:10<tr><td>+7:20<td></table>";
    assert_eq!(written(table), ["Hook", "6:10", "7:20"]);
    // A table that only arranges the page.
    let long = "word ".repeat(90);
    let page = format!("<table><tr><td>Menu<td>+{long}<tr><td>Imprint<td>x</table>");
    assert_eq!(written(&page).len(), 1);
}

#[test]
fn code_is_whole_or_not_at_all() {
    let short = "<pre><div>+let a = 1;</div><div>let b = 2;</div></pre>";
    assert_eq!(written(short), ["let a = 1;", "let b = 2;"]);
    let lines: String = (0..20).map(|i| format!("<div>line number {i}</div>")).collect();
    assert!(written(&format!("<pre>{lines}<div>+and the last</div></pre>")).is_empty());
    let kept = lines.replace("line", "+line");
    assert_eq!(written(&format!("<pre>{kept}<div>and the last</div></pre>")).len(), 21);
}

#[test]
fn code_between_texts_is_written() {
    let (before, after) =
        ("<p>+We write this by hand, line by line:", "<p>+Then we go on with it.");
    let page = format!("{before}<pre>let tide = 1;</pre>{after}");
    assert_eq!(written(&page)[1], "let tide = 1;");
    // Not below the text, nor among menus.
    assert_eq!(written(&format!("{before}{after}<pre>let tide = 1;</pre>")).len(), 2);
    assert_eq!(written(&format!("{before}<p>Menu<pre>let tide = 1;</pre>{after}")).len(), 2);
}

#[test]
fn headings_stand_over_their_text() {
    let page = "<div><h2>+11. Hook</h2><p>+A small port.<h2>12. Ness</h2><p>+A large port.\
        <h2>Related</h2><ul><li>Other ports</ul></div>";
    assert_eq!(written(page), ["11. Hook", "A small port.", "12. Ness", "A large port."]);
    // A heading over a heading, but not one whose section is empty.
    let page = "<div><p>+A port.<h2>Ports</h2><h3>Empty</h3><h3>Ness</h3><p>+A large port.</div>";
    assert_eq!(written(page), ["A port.", "Ness", "A large port."]);
    let page = "<div><p>+A port.<h2>Ports</h2><h3>Ness</h3><p>+A large port.</div>";
    assert_eq!(written(page), ["A port.", "Ports", "Ness", "A large port."]);
    // The titles of other pages, and what stands before all text.
    let page = "<h2>Site</h2><p>+A port.<h3><a href=/o>Another page</a></h3><p>+A large port.";
    assert_eq!(written(page), ["A port.", "A large port."]);
    // A link to the heading itself is none to another page.
    let page = "<p>+Some words.<h3><a href=#b>Ebb</a><a href=#b></a></h3><p>+Low water.";
    assert_eq!(written(page), ["Some words.", "Ebb", "Low water."]);
}

#[test]
fn pieces_of_paragraphs_are_kept() {
    assert_eq!(written("<p>+One<br>two<br>+three<br>four"), ["One", "two", "three"]);
}

#[test]
fn lines_of_paragraphs_are_whole() {
    // Unknown elements stand in the line.
    let page = "<p><x>Ann</x> +sailed from <x:y>Hull</x:y> to <a href=/b><x>Bergen</x></a>.";
    assert_eq!(written(page).join(" "), "Ann sailed from Hull to Bergen .");
    let page = "<p>Ann<br><x>+sailed</x> from Hull<br>in May.";
    assert_eq!(written(page), ["sailed", "from Hull"]);
    // A widget is none of the text.
    let page = "<p>+Ann sailed <x>on</x><share-box>Share this</share-box> and on";
    assert_eq!(written(page), ["Ann sailed", "on"]);
}

#[test]
fn values_that_many_rows_have_are_kept() {
    let rows = |cell: &str| -> String {
        let row = |boat| format!("<tr><td>+Boat {boat}<td>{cell}");
        format!("<table>{}</table>", (1..=6).map(row).collect::<String>())
    };
    let whole: Vec<String> =
        (1..=6).flat_map(|boat| [format!("Boat {boat}"), "Moored at noon".into()]).collect();
    assert_eq!(written(&rows("Moored at noon")), whole);
    // Words of a widget stand beside the value.
    let page = rows("+Oak<div>Add to list</div>");
    assert!(!written(&page).contains(&"Add to list".to_owned()));
}

#[test]
fn short_items_are_whole() {
    let list = "<ul><li><p>Fat<p>+12 g<li><p>+Sugar<p>3 g</ul>";
    assert_eq!(written(list), ["Fat", "12 g", "Sugar", "3 g"]);
    let list = "<ul><li><p>+Tides<p>at noon<p><a href=/x>More</a><li><p>+Ebb</ul>";
    assert_eq!(written(list), ["Tides", "Ebb"]);
}

#[test]
fn permalinks_are_left_out() {
    for (heading, sign) in [
        ("<h2>+Tides<a href=#tides>¶</a></h2>", "¶"),
        ("<h2>+Tides <a class=headerlink href=#tides>#</a></h2>", "#"),
        ("<h2>+Tides<a href=#x><span>Link to this heading</span></a></h2>", "Link to this heading"),
        ("<h2>+Tides<span class=mw-editsection>[<a href=/e>edit</a>]</span></h2>", "[edit]"),
        ("<dl><dt>+ebb()<a class=viewcode-link href=/s>[source]</a></dl>", "[source]"),
        ("<p>+Tides<span class=sr-only> (opens a window)</span> come.", " (opens a window)"),
    ] {
        assert_eq!(skipped(heading), [sign], "{heading}");
        assert_eq!(written(heading).len(), 1, "{heading}");
    }
    let icons =
        "<table><tr><td>+Ferry<td>+runs<tr><td>+Bus<td><span class=sr-only>+Yes</span></table>";
    assert_eq!(written(icons).last().map(String::as_str), Some("Yes"));
    for text in [
        "<p>+C<a href=#c>#</a> is a language",
        "<h2>+Issue # 3</h2>",
        "<p>+See <a href=#s>source</a>",
        "<h2>+Our <a href=/s>Source</a></h2>",
    ] {
        assert!(skipped(text).is_empty(), "{text}");
    }
}

#[test]
fn labels_and_ways_are_not_written() {
    let page = "<p><a href=/1>+Prev</a> | <a href=/3>Next</a><p>+The tide comes twice a day.\
        <p>+Advertisement<p>+It goes as often.<p>+Jump to Recipe<div><a href=/3>+Next</a></div>";
    assert_eq!(written(page), ["The tide comes twice a day.", "It goes as often."]);
    // Words like these are text elsewhere.
    let page = "<h2>+Copy code</h2><p>+Next<p>+The tide comes twice a day, at least here.";
    assert_eq!(written(page).len(), 3);
    let page = "<table><tr><td>+Advertisement<td>+3<tr><td>+Print<td>+4</table>";
    assert_eq!(written(page).len(), 4);
}

const LONG: &str = "+The tide comes in twice a day and goes out as often as it comes in.";

#[test]
fn copies_are_written_once() {
    // For phones and for desktops, with the short lines that belong to it.
    let card = format!("<h3>+Tides</h3><p>{LONG}</p><p>+Read it.</p>");
    let page = format!("<div class=m>{card}</div><p>+Between.</p><div class=d>{card}</div>");
    let expect = ["Tides", &LONG[1..], "Read it.", "Between."];
    assert_eq!(written(&page), expect);
    // Slides that a script has copied.
    let page = format!("<ul class=carousel><li>{LONG}<li>+Another slide<li>{LONG}</ul>");
    assert_eq!(written(&page), [&LONG[1..], "Another slide"]);
    // A plan has the same step again.
    let page = format!("<ul><li>{LONG}<li>+Another step<li>{LONG}</ul>");
    assert_eq!(written(&page), [&LONG[1..], "Another step", &LONG[1..]]);
}

#[test]
fn of_a_preview_and_its_text_the_text_is_written() {
    let preview = "+The tide comes in twice a day and goes…";
    let page = format!("<div><p>{preview}</div><div>x</div><div><p>{LONG}<p>+And so on.</div>");
    assert_eq!(written(&page), [&LONG[1..], "And so on."]);
    let rest =
        "<p>+More words that only the full text has, and many of them, too, so that it is long.";
    let page = format!("<div><p>{LONG}</div><div>x</div><div><p>+First.<p>{LONG}{rest}</div>");
    assert_eq!(written(&page)[..2], ["First.", &LONG[1..]]);
}

#[test]
fn what_may_be_said_twice_is() {
    let short = "<div><p>+Row, row</div><p>+Gently.<div><p>+Row, row</div>".to_owned();
    let refrain = format!("<div><p>{LONG}<p>+A verse.<p>{LONG}</div>");
    let quote = format!("<div>{LONG}</div><blockquote>{LONG}</blockquote><p>+I agree.");
    let table = format!("<table><tr><td>+A<td>{LONG}<tr><td>+B<td>{LONG}</table>");
    let reply = format!("<div>{LONG}</div><div>{LONG}<br>+Not here, said the fisherman.</div>");
    let fields = |i| format!("<div><h3>+Port {i}</h3><p>{LONG}</div>");
    let fields: String = (0..3).map(fields).collect();
    let lists = format!("<h3>+Small</h3><ul><li>{LONG}</ul><h3>+Large</h3><ul><li>{LONG}</ul>");
    for page in [short, refrain, quote, table, reply, fields, lists] {
        let all = read(&page);
        assert_eq!(written(&page).len(), marked(&all).iter().filter(|m| **m).count(), "{page}");
    }
}

#[test]
fn the_next_kept_node_is_found() {
    let kept = [3, 64, 65, 200];
    let mut bits = Bits::new(300);
    kept.iter().for_each(|node| bits.set(*node));
    bits.index();
    for node in 0..310 {
        assert_eq!(bits.next(node), kept.into_iter().find(|kept| *kept >= node), "{node}");
        assert_eq!(bits.has(node), kept.contains(&node));
    }
    assert_eq!(bits.last(), Some(200));
}

#[rustfmt::skip]
const PIECES: &[&str] = &[
    "+one two", "three four", "five", "+six", "<p>", "</p>", "<br>", "<ul>", "</ul>", "<ol>", "</ol>", "<li>", "</li>",
    "<table>", "<tr>", "<td>", "</table>", "<pre>", "</pre>", "<dl>", "<dt>", "<dd>", "</dl>", "<div>", "</div>", "<nav>", "</nav>",
];

/// The elements around an atom that are of interest, innermost first.
fn around(page: &Page<'_>, atom: usize, tags: &[Tag]) -> Vec<NodeId> {
    let node = page.document.atoms[atom].nodes.start;
    let is = |node: &NodeId| page.tree.tag(*node).is_some_and(|tag| tags.contains(&tag));
    page.tree.ancestors(node).filter(is).collect()
}

proptest! {
    #[test]
    fn random_pages_have_no_holes(pieces in vec(select(PIECES), 1..80)) {
        let html = pieces.concat();
        let page = read(&html);
        let before = marked(&page);
        let mut after = before.clone();
        complete(&page.tree, &page.document, &[], &mut after);
        let atoms = 0..before.len();
        let in_nav = |atom: usize| !around(&page, atom, &[Tag::Nav]).is_empty();
        for atom in atoms.clone().filter(|atom| before[*atom] && !after[*atom]) {
            prop_assert!(!around(&page, atom, &[Tag::Pre]).is_empty(), "{html}: lost");
        }
        for atom in atoms.clone().filter(|atom| !after[*atom] && !in_nav(*atom)) {
            // Between two texts of one paragraph, or beside any text of one code block.
            let same = |other: &usize, tag: Tag| {
                let place = around(&page, *other, &[tag]);
                !in_nav(*other) && after[*other] && !place.is_empty() && place.first() == around(&page, atom, &[tag]).first()
            };
            let before_it = (0..atom).any(|other| same(&other, Tag::P));
            let behind_it = (atom..after.len()).any(|other| same(&other, Tag::P));
            prop_assert!(!before_it || !behind_it, "{html}: hole in a paragraph");
            prop_assert!(!atoms.clone().any(|other| same(&other, Tag::Pre)), "{html}: hole in code");
            // Between two items of one list that are written.
            let around_items = [Tag::Ul, Tag::Ol, Tag::Li, Tag::Table, Tag::Tr, Tag::Td, Tag::Dl, Tag::Dt, Tag::Dd, Tag::Pre, Tag::P];
            let item = |atom: usize| {
                let place = around(&page, atom, &around_items);
                let at = place.iter().position(|node| page.tree.tag(*node) == Some(Tag::Li))?;
                let list = place.get(at + 1).filter(|node| matches!(page.tree.tag(**node), Some(Tag::Ul | Tag::Ol)))?;
                Some((*list, place[at]))
            };
            let Some((list, own)) = item(atom) else { continue };
            let others = |range: std::ops::Range<usize>| {
                let mut others = range.filter(|other| after[*other] && !in_nav(*other)).filter_map(item);
                others.any(|(of, other)| of == list && other != own)
            };
            let is_dropped = !atoms.clone().any(|other| after[other] && around(&page, other, &[Tag::Li]).contains(&own));
            prop_assert!(!(is_dropped && others(0..atom) && others(atom..after.len())), "{html}: hole in a list");
        }
    }

    #[test]
    fn only_noise_and_copies_are_taken_out(pieces in vec(select(PIECES), 1..60)) {
        let html = pieces.concat();
        let page = read(&html);
        let mut complete_only = marked(&page);
        complete(&page.tree, &page.document, &[], &mut complete_only);
        let kept = Kept::of(&page, marked(&page), &[], &[], false);
        // These pages have texts of a few words only, which are neither.
        let long = |atom: &crate::Atom| atom.text.len() >= 40;
        for (atom, data) in page.document.atoms.iter().enumerate().filter(|(_, atom)| !long(atom)) {
            prop_assert!(atoms(&page, &kept)[atom] || !complete_only[atom] || page.document.atoms.iter().any(long), "{html}: {data:?}");
        }
        for (atom, written) in page.document.atoms.iter().zip(&atoms(&page, &kept)) {
            prop_assert_eq!(kept.any(atom.nodes.start, atom.nodes.end), *written);
        }
    }
}
