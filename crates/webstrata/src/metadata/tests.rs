//! Sources of metadata one by one, on invented pages.

use super::*;
use crate::cutting::Cutting;
use crate::options::Options;

fn read(html: &str) -> Metadata {
    let url = Some("https://www.harbourpost.example/2025/09/04/tides".to_owned());
    let options = Options { url, ..Options::default() };
    Page::read(html.as_bytes(), Cutting::default(), &options).metadata()
}

fn value(field: &Option<Sourced>) -> &str {
    field.as_ref().map_or("", |field| field.value.as_str())
}

fn source(field: &Option<Sourced>) -> Option<Source> {
    field.as_ref().map(|field| field.source)
}

fn names(values: &[Sourced]) -> Vec<&str> {
    values.iter().map(|value| value.value.as_str()).collect()
}

fn json_ld(json: &str) -> Metadata {
    read(&format!("<script type='application/ld+json'>{json}</script>"))
}

#[test]
fn json_ld_article() {
    let found = json_ld(
        r#"{"@context": "https://schema.org", "@type": "NewsArticle", "headline": "Tides &amp; times",
        "author": [{"@type": "Person", "name": "Jane Doe"}, "John Roe"],
        "datePublished": "2025-09-01T08:00:00Z", "dateModified": "2025-09-02",
        "publisher": {"name": "The Harbour Post"}, "keywords": ["tides", "moon, sun"],
        "image": {"url": "/tide.jpg"}, "license": "https://licence.example/by"}"#,
    );
    assert_eq!(value(&found.title), "Tides & times");
    assert_eq!(names(&found.authors), ["Jane Doe", "John Roe"]);
    assert_eq!(value(&found.published), "2025-09-01T08:00:00Z");
    assert_eq!(value(&found.modified), "2025-09-02");
    assert_eq!(value(&found.site), "The Harbour Post");
    assert_eq!(names(&found.tags), ["tides", "moon", "sun"]);
    assert_eq!(value(&found.image), "https://www.harbourpost.example/tide.jpg");
    assert_eq!(value(&found.licence), "https://licence.example/by");
    assert_eq!(value(&found.page_type), "NewsArticle");
    assert_eq!(source(&found.published), Some(Source::JsonLd));
}

#[test]
fn json_ld_graph() {
    let found = json_ld(
        r##"{"@graph": [{"@type": "WebPage", "name": "Tides - The Harbour Post"},
        {"@type": ["Article", "BlogPosting"], "headline": "Tides", "author": {"@id": "#jane"}},
        {"@type": "WebSite", "name": "The Harbour Post"},
        {"@type": "Person", "@id": "#jane", "name": "Jane Doe"}]}"##,
    );
    assert_eq!(value(&found.title), "Tides");
    assert_eq!(names(&found.authors), ["Jane Doe"]);
    assert_eq!(value(&found.site), "The Harbour Post");
}

#[test]
fn json_ld_that_needs_repair() {
    let object = r#""@type": "Article", "headline": "Ti
des // and /* times */", "author": ["Jane Doe",]"#;
    for json in [
        format!("{{{object},}}"),
        format!("<!--\n{{{object}}}\n-->"),
        format!("//<![CDATA[\n{{{object}}}\n//]]>"),
        format!("<![CDATA[{{{object}}}]]>"),
        format!("/* for machines */ [{{{object}}},];"),
        format!("// for machines\n{{{object}}}"),
    ] {
        let found = json_ld(&json);
        assert_eq!(value(&found.title), "Ti des // and /* times */", "{json}");
        assert_eq!(names(&found.authors), ["Jane Doe"], "{json}");
    }
    assert_eq!(json_ld("{").title, None);
    assert_eq!(json_ld(r#"{"@type": 1, "author": {"name": {"name": []}}}"#).title, None);
}

#[test]
fn open_graph_and_meta() {
    let found = read(
        r#"<html lang=en-GB><title>Tides | The Harbour Post</title>
        <meta property=og:title content="Tides - The Harbour Post">
        <meta property=og:site_name content="The Harbour Post"><meta property=og:type content=article>
        <meta property=article:published_time content=2025-09-01>
        <meta property=article:author content=https://social.example/jane>
        <meta name=Author content="By Jane Doe and John Roe"><meta name=DC.date content=2020-01-01>
        <meta name=description content=" All  the tides. "><meta name=keywords content="tides, sea,Tides">
        <link rel=canonical href=/tides><a rel=license href=//licence.example/by>CC</a>"#,
    );
    assert_eq!(value(&found.title), "Tides");
    assert_eq!(source(&found.title), Some(Source::OpenGraph));
    assert_eq!(names(&found.authors), ["Jane Doe", "John Roe"]);
    assert_eq!(value(&found.published), "2025-09-01");
    assert_eq!(value(&found.description), "All the tides.");
    assert_eq!(names(&found.tags), ["tides", "sea"]);
    assert_eq!(value(&found.language), "en-GB");
    assert_eq!(value(&found.canonical), "https://www.harbourpost.example/tides");
    assert_eq!(value(&found.licence), "https://licence.example/by");
    assert_eq!(value(&found.page_type), "article");
}

#[test]
fn microdata() {
    let found = read(
        r#"<div itemscope itemtype="https://schema.org/BlogPosting"><h2 itemprop=headline>Tides</h2>
        <span itemprop=author itemscope><img alt=x><b itemprop=name>Jane Doe</b> sails</span>
        <meta itemprop=datePublished content=2025-09-01><time itemprop=dateModified datetime=2025-09-02>"#,
    );
    assert_eq!(value(&found.title), "Tides");
    assert_eq!(names(&found.authors), ["Jane Doe"]);
    assert_eq!(value(&found.published), "2025-09-01");
    assert_eq!(value(&found.modified), "2025-09-02");
    assert_eq!(value(&found.page_type), "BlogPosting");
    assert_eq!(source(&found.published), Some(Source::Microdata));
}

#[test]
fn elements() {
    let found = read(
        "<div class=teaser><span class=author>Ann Poe</span><time>1 May 2024</time></div>
        <h1>Tides</h1><p class=byline>By <a href=/jane>Jane Doe</a> | 4 September 2025</p>",
    );
    assert_eq!(names(&found.authors), ["Jane Doe"]);
    assert_eq!(found.authors[0].source, Source::Byline);
    // The address knows the day.
    assert_eq!(value(&found.published), "2025-09-04");
    assert_eq!(source(&found.published), Some(Source::Url));
    assert_eq!(source(&found.title), Some(Source::Heading));
    let found = read("<h1>Tides</h1><a rel=author href=/jane>Jane Doe</a>");
    assert_eq!(found.authors[0].source, Source::AuthorLink);
    let found = read("<h1>Tides</h1><p>By Jane Doe");
    assert_eq!(found.authors[0].source, Source::Text);
}

#[test]
fn times() {
    let read = |html: &str| {
        Page::read(html.as_bytes(), Cutting::default(), &Options::default()).metadata()
    };
    let found = read(
        "<time>1 May 2024</time><h1>Tides</h1><time datetime=2025-09-04T10:00>today</time>
        <time class=updated datetime=2025-09-05>",
    );
    assert_eq!(value(&found.published), "2025-09-04T10:00:00");
    assert_eq!(value(&found.modified), "2025-09-05");
    let found = read("<h1>Tides</h1><p>September 4, 2025</p><p>© 1 May 2024");
    assert_eq!(value(&found.published), "2025-09-04");
    assert_eq!(source(&found.published), Some(Source::Text));
}

#[test]
fn accounts_come_last() {
    let found = read("<meta name=author content=admin><p class=author>Jane Doe");
    assert_eq!(names(&found.authors), ["Jane Doe"]);
    assert_eq!(names(&read("<meta name=author content=admin>").authors), [""; 0]);
    let account = "<meta name=author content=jane-doe>";
    assert_eq!(names(&read(account).authors), ["jane-doe"]);
    assert_eq!(
        names(&read(&format!("{account}<p class=byline>By Jane Doe")).authors),
        ["Jane Doe"]
    );
    let site = "<meta property=og:site_name content='Harbour Post'><meta name=author content='Harbour Post'>";
    assert_eq!(names(&read(site).authors), ["Harbour Post"]);
    assert_eq!(names(&read(&format!("{site}<p class=author>Jane Doe")).authors), ["Jane Doe"]);
}

#[test]
fn titles() {
    let is = |html: &str, title: &str| assert_eq!(value(&read(html).title), title, "{html}");
    is("<title>Tides - Harbour Post</title>", "Tides");
    is("<title>Harbour Post: Tides</title>", "Tides");
    is("<title>Tides - and times</title>", "Tides - and times");
    is("<title>Harbour Post</title>", "Harbour Post");
    is("<title>All the tides | News</title>", "All the tides");
    is(
        "<title>The tides of May - News</title><h1>Harbour Post</h1><h1>The tides of May</h1>",
        "The tides of May",
    );
    is("<title>The tides of May</title><h1>Welcome, sailor</h1>", "The tides of May");
    is("<h1>Ti<b>des</b></h1>", "Tides");
    is("<h1>Tides<a href=#tides>¶</a></h1>", "Tides");
    is("<svg><title>Close</title></svg>", "");
    is("", "");
}

#[test]
fn languages() {
    let german = "Die Fähre zwischen den beiden Inseln fährt ab Montag jede Stunde, und die Karten werden \
        wie immer an Bord verkauft, sagte das Hafenamt.";
    let is = |html: &str, language: &str, from: Source| {
        let found = read(html);
        assert_eq!(
            (value(&found.language), source(&found.language)),
            (language, Some(from)),
            "{html}"
        );
    };
    is(&format!("<p>{german}"), "de", Source::Detected);
    is(&format!("<html lang=en><p>{german}"), "de", Source::Detected);
    is(&format!("<html lang=de-AT><p>{german}"), "de-AT", Source::Lang);
    is("<html lang=fr><p>Fin.", "fr", Source::Lang);
    is("<meta http-equiv=content-language content=pt_BR><p>Fim.", "pt-BR", Source::Meta);
    assert_eq!(read("<p>12:30").language, None);
}

#[test]
fn days_where_the_page_was_written() {
    let page = |published: &str| {
        let meta = format!("<meta property=article:published_time content={published}>");
        read(&meta).published.map(|date| (date.value, date.source))
    };
    let day = Some(("2025-09-04".to_owned(), Source::Url));
    assert_eq!(page("2025-09-05T03:00:00Z"), day);
    assert_eq!(page("2025-09-03T15:00:00+00:00"), day);
    let other = |time: &str| Some((time.to_owned(), Source::OpenGraph));
    assert_eq!(page("2025-09-05T03:00:00+02:00"), other("2025-09-05T03:00:00+02:00"));
    assert_eq!(page("2025-09-08T03:00:00Z"), other("2025-09-08T03:00:00Z"));
}

#[test]
fn the_date_nearest_the_heading() {
    let read = |html: &str| {
        Page::read(html.as_bytes(), Cutting::default(), &Options::default()).metadata()
    };
    let teasers = "<p><time datetime=2025-01-01>".repeat(60);
    let found = read(&format!("<h1>Tides</h1><p>2 November 2022</p><p>Text</p>{teasers}"));
    assert_eq!(value(&found.published), "2022-11-02");
    let found = read("<h1>Tides</h1><p>Updated 3 November 2022</p><p>2 November 2022");
    assert_eq!(value(&found.published), "2022-11-02");
    assert_eq!(value(&found.modified), "2022-11-03");
    assert_eq!(value(&read("<h1>Tides</h1><p>Updated 3 November 2022").published), "2022-11-03");
    let far = "<p>Text</p>".repeat(900);
    let found = read(&format!("<h1>Tides</h1>{far}<p class=post-date>2 November 2022"));
    assert_eq!(value(&found.published), "2022-11-02");
}

#[test]
fn values_are_bounded() {
    let long = "tide ".repeat(100_000);
    let found = read(&format!("<title>{long}</title><meta name=description content='{long}'>"));
    assert!(value(&found.title).chars().count() <= LONGEST_VALUE);
    assert_eq!(value(&found.description).chars().count(), LONGEST_VALUE);
    let tags = (0..1_000).map(|i| format!("<meta property=article:tag content=t{i}>"));
    assert_eq!(read(&tags.collect::<String>()).tags.len(), MOST_VALUES);
}

#[test]
fn dates_without_a_mark() {
    let day = |html: &str| {
        let page = Page::read(html.as_bytes(), Cutting::default(), &Options::default());
        page.metadata().published.map(|date| date.value)
    };
    // Prose.
    assert_eq!(day("<h1>Tides</h1><p>The great storm · 2004-09-01</p>"), None);
    assert_eq!(day("<h1>Tides</h1><p>On 4 May 2025 the storm came.</p>"), None);
    // With a mark, or nothing else.
    let is = |html: &str, date: &str| assert_eq!(day(html).as_deref(), Some(date), "{html}");
    is("<h1>Tides</h1><p>Published on 4 May 2025</p>", "2025-05-04");
    is("<h1>Tides</h1><p>Veröffentlicht am 4. Mai 2025</p>", "2025-05-04");
    is("<h1>Tides</h1><p>发布时间：2025年5月4日</p>", "2025-05-04");
    is("<h1>Tides</h1><p>By Jane Doe, May 4, 2025</p>", "2025-05-04");
    // Older than the Web: only where it is declared.
    assert_eq!(day("<h1>Tides</h1><p>1 September 1939</p>"), None);
    assert_eq!(day("<h1>Tides</h1><time datetime=1939-09-01>then</time>"), None);
    is("<meta name=date content=1939-09-01><h1>Tides</h1>", "1939-09-01");
    is("<h1>Tides</h1><time itemprop=datePublished datetime=1939-09-01>then</time>", "1939-09-01");
}

#[test]
fn authors_of_the_page_and_of_others() {
    let authors = |html: &str| {
        let found = read(html);
        found.authors.into_iter().map(|author| author.value).collect::<Vec<_>>()
    };
    let is = |html: &str, all: &[&str]| assert_eq!(authors(html), all, "{html}");
    is(
        "<h1>Tides</h1><div class=author><a>Jane Doe</a><span>Head of Tides</span></div>",
        &["Jane Doe"],
    );
    is(
        "<h1>Tides</h1><div class=author><a>Jane Doe</a>, <a>John Roe</a></div>",
        &["Jane Doe", "John Roe"],
    );
    is("<h1>Tides</h1><p class=authorized-dealer>Harbour Shop</p>", &[]);
    is("<h1>Tides</h1><ul class=reviews><li class=author>Ann Poe</ul>", &[]);
    is("<h1>Tides</h1><p>Von Jane Doe", &["Jane Doe"]);
    is("<h1>Tides</h1><p>作者：张三", &["张三"]);
    let card = |label: &str| {
        format!(
            "<meta name=twitter:label1 content='{label}'><meta name=twitter:data1 content='Jane Doe'>"
        )
    };
    is(&card("Written by"), &["Jane Doe"]);
    is(&card("Verfasst von"), &["Jane Doe"]);
    is(&card("Availability"), &[]);
    is(
        "<meta name=citation_author content='Doe, Jane'><meta name=citation_author content='Roe, John'>",
        &["Jane Doe", "John Roe"],
    );
    assert_eq!(
        names(&json_ld(r##"{"@type": "Article", "author": {"@id": "#creator"}}"##).authors),
        [""; 0]
    );
}

#[test]
fn titles_and_languages_alone() {
    let pages = [
        "<html lang=fr><title>Tides | Harbour Post</title><h1>Tides</h1>",
        "<meta property=og:locale content=pt_BR><meta property=og:title content=Tides>",
        r#"<script type="application/ld+json">{"@type": "Article", "headline": "Tides", "inLanguage": "nl",
            "review": [{"@type": "Review", "author": {"name": "Ann"}}], "n": [1, 2.5, true, null, -1]}</script>"#,
        "<div itemprop=headline>Tides</div><meta itemprop=inLanguage content=it>",
        "<div property='schema:headline'>Tides</div>",
        "",
    ];
    for html in pages {
        let page = Page::read(html.as_bytes(), Cutting::default(), &Options::default());
        let all = page.metadata();
        let value = |field: Option<Sourced>| field.map(|field| field.value);
        assert_eq!(page.title_and_language(), (value(all.title), value(all.language)), "{html}");
    }
}
