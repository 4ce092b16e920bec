//! The way of a page, stage by stage, for callgrind to count; `bench/guard` compares the counts.
//!
//! The pages come on the standard input, each behind a line with its length, so that no path is part of what is
//! counted. Every stage is a function that is never inlined: its cost is read by its name.

use std::error::Error;
use std::hint::black_box;
use std::io::{BufRead, Read, stdin};

use webstrata::output::{OutputOptions, RecordPart, html, markdown, text};
use webstrata::{Document, Extractor, Link, Metadata, Options, Page, Post, Record};

fn main() -> Result<(), Box<dyn Error>> {
    black_box(stage_start(b"<p>High water is at noon."));
    let article = Extractor::named("article").ok_or("the library has no `article`")?;
    let strata = Extractor::default_builtin();
    let url = Some("https://harbour.example/news/page.html".to_owned());
    let options = Options { url, ..Options::default() };
    let pages = pages()?;
    // Tables that are made when they are first asked for belong to no page.
    for raw in &pages {
        article.extract_page(raw, &options);
        let page = strata.extract_page(raw, &options);
        black_box(Record::of(&page, &RecordPart::ALL, &OutputOptions::DEFAULT));
    }
    for raw in &pages {
        let mut page = black_box(stage_read(raw, article, &options));
        black_box(stage_cut(&mut page, article, &options));
        stage_article(&mut page.document, article);
        black_box(stage_features(&mut page, strata, &options));
        stage_trees(&mut page.document, strata);
        black_box(stage_text(&page));
        black_box(stage_markdown(&page));
        black_box(stage_html(&page));
        black_box(stage_metadata(&page));
        black_box(stage_links(&page));
        black_box(stage_posts(&page));
        black_box(stage_record(&page));
    }
    Ok(())
}

fn pages() -> Result<Vec<Vec<u8>>, Box<dyn Error>> {
    let mut input = stdin().lock();
    let (mut pages, mut line) = (Vec::new(), String::new());
    while input.read_line(&mut line)? > 0 {
        let mut page = vec![0; line.trim_end().parse()?];
        input.read_exact(&mut page)?;
        pages.push(page);
        line.clear();
    }
    Ok(pages)
}

/// Keeps compilers from making one function of two stages that do the same with other arguments.
fn differs(stage: &str) {
    black_box(stage);
}

/// What a process pays before its first page, a page of one sentence included.
#[inline(never)]
fn stage_start(page: &[u8]) -> String {
    Extractor::default_builtin().extract_page(page, &Options::default()).text()
}

/// Decoding, tree, blocks.
#[inline(never)]
fn stage_read<'a>(raw: &'a [u8], article: &Extractor, options: &Options) -> Page<'a> {
    Page::read(raw, article.cutting, options)
}

/// Blocks out of a tree that is there.
#[inline(never)]
fn stage_cut(page: &mut Page<'_>, article: &Extractor, options: &Options) -> Document {
    page.cut_again(article.cutting, options)
}

#[inline(never)]
fn stage_article(document: &mut Document, article: &Extractor) {
    article.apply(document);
}

/// Blocks again, and their features.
#[inline(never)]
fn stage_features(page: &mut Page<'_>, strata: &Extractor, options: &Options) -> Document {
    differs("features");
    page.cut_again(strata.cutting, options)
}

#[inline(never)]
fn stage_trees(document: &mut Document, strata: &Extractor) {
    differs("trees");
    strata.apply(document);
}

#[inline(never)]
fn stage_text(page: &Page<'_>) -> String {
    text(page, &OutputOptions::DEFAULT)
}

#[inline(never)]
fn stage_markdown(page: &Page<'_>) -> String {
    markdown(page, &OutputOptions::DEFAULT)
}

#[inline(never)]
fn stage_html(page: &Page<'_>) -> String {
    html(page, &OutputOptions::DEFAULT)
}

#[inline(never)]
fn stage_metadata(page: &Page<'_>) -> Metadata {
    page.metadata()
}

#[inline(never)]
fn stage_links(page: &Page<'_>) -> Vec<Link> {
    page.links()
}

#[inline(never)]
fn stage_posts(page: &Page<'_>) -> Vec<Post> {
    page.posts()
}

/// All parts of a record out of one page.
#[inline(never)]
fn stage_record(page: &Page<'_>) -> Record {
    Record::of(page, &RecordPart::ALL, &OutputOptions::DEFAULT)
}
