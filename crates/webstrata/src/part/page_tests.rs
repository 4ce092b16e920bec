//! Parts of invented pages.

use super::{Part, kept_parts, parts_of};
use crate::cutting::Cutting;
use crate::extractors::Extractor;
use crate::metadata::titles::best_title;
use crate::options::Options;
use crate::output::table::data_tables;
use crate::page::Page;
use crate::strata::PageType;

const LONG: &str = "The ferry between the two islands will run every hour from Monday on, the harbour \
     office said after a winter of two crossings a day, and nobody on either side of the sound had \
     anything but praise for it, least of all the fishermen.";

/// The page with all of it kept, as a page of this type.
fn kept(html: &str, kind: Option<PageType>) -> Vec<(String, Part)> {
    let mut page = Page::read(html.as_bytes(), Cutting::Strata, &Options::default());
    Extractor::named("keep-all").expect("built in").apply(&mut page.document);
    page.document.page_type = kind;
    let title = best_title(&page);
    let parts = parts_of(&page, &data_tables(&page.tree), title.as_ref());
    assert_eq!(parts, kept_parts(&page, &data_tables(&page.tree), title.as_ref()));
    texts(&page, parts)
}

/// The page with nothing of it kept but what is long.
fn dropped(html: &str) -> Vec<(String, Part)> {
    let mut page = Page::read(html.as_bytes(), Cutting::Strata, &Options::default());
    for block in &mut page.document.blocks {
        block.is_content = block.counts.words > 30;
    }
    let title = best_title(&page);
    let parts = parts_of(&page, &data_tables(&page.tree), title.as_ref());
    let only_kept = kept_parts(&page, &data_tables(&page.tree), title.as_ref());
    for (index, kept) in page.document.content_atoms().into_iter().enumerate() {
        assert_eq!(
            only_kept[index],
            if kept || parts[index] == Part::Title { parts[index] } else { Part::Other }
        );
    }
    texts(&page, parts)
}

fn texts(page: &Page<'_>, parts: Vec<Part>) -> Vec<(String, Part)> {
    let text = |index| page.document.atom_text(index).to_owned();
    parts.into_iter().enumerate().map(|(index, part)| (text(index), part)).collect()
}

fn part(parts: &[(String, Part)], start: &str) -> Part {
    let found = parts.iter().find(|(text, _)| text.starts_with(start));
    found.unwrap_or_else(|| panic!("no {start} in {parts:?}")).1
}

#[test]
fn an_article() {
    let page = format!(
        "<title>An hourly ferry | The Harbour Post</title>
        <header><div class=logo><h1>The Harbour Post</h1></div><nav><a href=/>Home</a></nav></header>
        <article><h1>An hourly ferry</h1><p class=standfirst>More crossings from Monday on</p>
        <p class=byline>Jane Doe</p><p>Published 4 September 2025, 10:30</p>
        <figure><img src=f.jpg><figcaption>The old ferry. Photo: John Roe</figcaption></figure>
        <p>{LONG}</p><p>{LONG}</p><h2>The boats</h2><ul><li>The Gull, built in 1987</ul>
        <blockquote>We waited for years.</blockquote><pre>ferry --hourly</pre>
        <table><tr><th>Boat<th>Year<tr><td>Gull<td>4 September 1987</table>
        <p>Read more: <a href=/t>Tide tables for the whole of the sound</a></p>
        <p>On 4 September 2025 it rained.</p><p>© 2025 The Harbour Post</p>
        <div class=share-buttons><a href=x>Facebook</a></div>
        <div id=comments><p>A fine idea, says a reader.</div></article>"
    );
    let parts = kept(&page, Some(PageType::Article));
    for (start, expected) in [
        ("An hourly", Part::Title),
        ("More crossings", Part::Subtitle),
        ("Jane Doe", Part::Byline),
        ("Published 4", Part::Date),
        ("The old ferry", Part::Caption),
        ("The ferry", Part::Body),
        ("The boats", Part::Heading),
        ("The Gull", Part::List),
        ("We waited", Part::Quote),
        ("ferry --hourly", Part::Code),
        ("Boat", Part::Table),
        ("4 September 1987", Part::Table),
        ("Read more", Part::Related),
        ("On 4 September", Part::Body),
        ("© 2025", Part::Notice),
        ("Facebook", Part::Navigation),
        ("A fine idea", Part::Comment),
        ("Home", Part::Navigation),
    ] {
        assert_eq!(part(&parts, start), expected, "{start}");
    }
    let titles = parts.iter().filter(|(_, part)| *part == Part::Title).count();
    assert_eq!(titles, 1);
}

#[test]
fn what_was_dropped() {
    let page = format!(
        "<title>An hourly ferry - Harbour Post</title><nav><a href=/>Home</a></nav>
        <h1>An hourly ferry</h1><p class=entry-meta>By <a rel=author href=/j>Jane Doe</a></p>
        <p>{LONG}</p><p>{LONG}</p><h2>Boats</h2><p>{LONG}</p>
        <div class=related><a href=/t>Tide tables of the sound</a></div>
        <ol class=comment-list><li>I like it.</ol>
        <aside>Weather today</aside><footer>© 2025 Harbour Post</footer>"
    );
    let parts = dropped(&page);
    for (start, expected) in [
        ("Home", Part::Navigation),
        ("An hourly", Part::Title),
        ("By Jane", Part::Byline),
        ("The ferry", Part::Body),
        ("Boats", Part::Heading),
        ("Tide tables", Part::Related),
        ("I like it", Part::Comment),
        ("Weather", Part::Other),
        ("© 2025", Part::Notice),
    ] {
        assert_eq!(part(&parts, start), expected, "{start}");
    }
}

#[test]
fn a_discussion() {
    let page = format!(
        "<title>Which ferry?</title><h1>Which ferry?</h1>
        <div class=comment><span class=author>jane</span> <p>{LONG}</p>
        <div class=signature>Sent from my boat</div></div>
        <div class=comment><blockquote>Which ferry?</blockquote><p>The Gull.</p></div>"
    );
    let parts = kept(&page, Some(PageType::Forum));
    for (start, expected) in [
        ("Which ferry?", Part::Title),
        ("The ferry", Part::Post),
        ("Sent from", Part::Signature),
        ("The Gull", Part::Post),
    ] {
        assert_eq!(part(&parts, start), expected, "{start}");
    }
}

#[test]
fn comments_that_are_most_of_the_text_are_posts() {
    let comment = |words: &str| format!("<div class=comment><p>{words}</p></div>");
    let comments = comment("The Gull is the better boat of the two.").repeat(20);
    let parts = kept(&format!("<p>{LONG}</p>{comments}"), Some(PageType::Article));
    assert_eq!((part(&parts, "The ferry"), part(&parts, "The Gull")), (Part::Body, Part::Post));
    let text = format!("<p>{LONG}</p>").repeat(20) + &comment("The Gull is better.");
    let parts = kept(&text, Some(PageType::Article));
    assert_eq!((part(&parts, "The ferry"), part(&parts, "The Gull")), (Part::Body, Part::Comment));
    // Only on a forum are signatures those of people; functions have some, too.
    let text = format!("<p>{LONG}</p><p class=sig>ferry(from, to)</p>");
    assert_eq!(part(&kept(&text, Some(PageType::Documentation)), "ferry("), Part::Body);
}

#[test]
fn entries_of_lists_keep_their_lines() {
    let entry = "<li><a href=/x>A ferry</a><p class=author>Jane Doe<p class=date>4 May 2025</li>";
    let page = format!("<title>News</title><h1>News</h1><p>{LONG}</p><ul>{}</ul>", entry.repeat(9));
    for kind in [Some(PageType::Listing), Some(PageType::Article), None] {
        let parts = kept(&page, kind);
        assert_eq!(part(&parts, "Jane Doe"), Part::List, "{kind:?}");
        assert_eq!(part(&parts, "4 May"), Part::List, "{kind:?}");
        assert_eq!(part(&parts, "A ferry"), Part::List, "{kind:?}");
    }
}

#[test]
fn names_that_hold_the_whole_text_mean_nothing() {
    let page = format!(
        "<title>Ferries</title><div class='comments related newsletter'><h1>Ferries</h1>
        <p>{LONG}<p>{LONG}<p class=author-note>{LONG}</div><p>Twelve boats.</p>"
    );
    let parts = kept(&page, Some(PageType::Article));
    assert!(parts.iter().all(|(_, part)| matches!(part, Part::Body | Part::Title)), "{parts:?}");
}

#[test]
fn titles() {
    let title = |page: &str| -> Vec<String> {
        let parts = kept(&format!("{page}<p>{LONG}</p>"), None);
        let of = parts.into_iter().filter(|(_, part)| *part == Part::Title);
        of.map(|(text, _)| text).collect()
    };
    // The one that agrees, although it is of a lower level than the site's name.
    assert_eq!(
        title("<title>Tide tables - Post</title><h1 class=logo>Post</h1><h2>Tide tables</h2>"),
        ["Tide tables"]
    );
    // What Open Graph calls the title.
    assert_eq!(
        title("<meta property=og:title content='Tide tables'><title>x</title><h1>A<h1>Tide tables"),
        ["Tide tables"]
    );
    // No heading at all.
    assert_eq!(
        title("<title>Tide tables of May | Post</title><b>Tide tables of May</b>"),
        ["Tide tables of May"]
    );
    // Twice, and in two pieces.
    assert_eq!(title("<title>Tide tables</title><h1>Tide tables</h1><p>Tide Tables").len(), 2);
    assert_eq!(title("<title>High and low tides</title><h1>High<br>and low tides</h1>").len(), 2);
    // The only first heading; none.
    assert_eq!(title("<h1>Tide tables</h1>"), ["Tide tables"]);
    assert!(title("<title>Post</title><h2>Tides</h2><h2>Boats</h2>").is_empty());
}

#[test]
fn any_page_at_all() {
    let deep = "<div class=author><span class=menu>".repeat(300) + "x";
    let tables = "<table><tr><td>".repeat(400) + "x";
    for page in ["", "<title>", "x", "<h1></h1>", &deep, &tables, "<pre><nav><time>1</time>"] {
        kept(page, None);
        dropped(page);
    }
    // Texts in the page's data have no elements around them.
    let data = br#"<script type="application/ld+json">{"articleBody": "One two three."}</script>"#;
    let page = Page::read(data, Cutting::Embedded, &Options::default());
    assert_eq!(parts_of(&page, &[], None).len(), page.document.atoms.len());
}

/// A page has one author and one date; what else looks like them belongs to teasers.
#[test]
fn bylines_of_other_texts_are_not_the_texts_own() {
    let teaser = "<div class=teaser><h3><a href=/x>Another ferry</a></h3><p class=byline>By John Roe</p>\
         <time class=date>4 September 2021</time></div>";
    let page = format!(
        "<title>An hourly ferry</title><div class=top>{teaser}{teaser}{teaser}{teaser}</div>
        <article><h1>An hourly ferry</h1><p class=byline>By Jane Doe</p><time class=date>5 September 2025</time>
        <p>{LONG}</p><p>{LONG}</p></article>
        <ul><li><a href=/>Home</a><li><a href=/b>Boats</a></ul><div class=more>{teaser}{teaser}</div>"
    );
    let parts = dropped(&page);
    assert_eq!(part(&parts, "By Jane Doe"), Part::Byline);
    assert_eq!(part(&parts, "5 September 2025"), Part::Date);
    let others = parts.iter().filter(|(text, _)| text.contains("Roe") || text.contains("2021"));
    for (text, part) in others {
        assert!(!matches!(part, Part::Byline | Part::Date), "{text}: {part:?} in {parts:?}");
    }
}
