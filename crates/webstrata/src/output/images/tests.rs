use super::*;
use crate::cutting::Cutting;
use crate::page::Page;
use crate::{Limits, Options};

/// The address of the first image.
fn source(html: &str) -> Option<String> {
    let tree = Tree::parse(html, &Limits::default());
    let node = tree.nodes().find(|node| is_image(&tree, *node))?;
    image_of(&tree, node).map(|image| image.source)
}

#[test]
fn sources() {
    for (html, expect) in [
        ("<img src=a.jpg alt=x>", Some("a.jpg")),
        ("<img src=' /a.jpg '>", Some("/a.jpg")),
        ("<img src='data:image/gif;base64,R0==' data-src=/b.jpg>", Some("/b.jpg")),
        ("<img src=/blank.gif data-original=/b.jpg>", Some("/b.jpg")),
        ("<img class=lazyload src=/tiny.jpg data-src=/b.jpg>", Some("/b.jpg")),
        ("<img class=lazyload src=/only.jpg>", Some("/only.jpg")),
        ("<img srcset='a.jpg 300w, b.jpg 900w'>", Some("b.jpg")),
        ("<img src=c.jpg srcset='a.jpg 300w, b.jpg 900w'>", Some("c.jpg")),
        ("<img nitro-lazy-src=a.jpg>", Some("a.jpg")),
        ("<img data-src='a.jpg 100w, b.jpg 200w'>", Some("b.jpg")),
        ("<img src=/icons/arrow.svg>", None),
        ("<img src=/customavatars/avatar12_3.gif>", None),
        ("<img width=300 src=/big-data-icon.png>", Some("/big-data-icon.png")),
        ("<img data-srcset='a.jpg 1x, b.jpg 2x'>", Some("b.jpg")),
        (
            "<picture><source srcset='a.webp 1x, b.webp 2x'><source srcset=c.jpg><img alt=x></picture>",
            Some("b.webp"),
        ),
        ("<picture><source srcset=a.webp><img src=c.jpg></picture>", Some("c.jpg")),
        ("<amp-img src=a.jpg width=600 height=400></amp-img>", Some("a.jpg")),
        ("<img src='data:,x'> <noscript><img src=/real.jpg></noscript>", Some("/real.jpg")),
        ("<img src='data:,x'>", None),
        ("<img>", None),
        // In the service of the page.
        ("<img src=a.gif width=1 height=1>", None),
        ("<img src=a.gif width=0>", None),
        ("<img src=a.png width=32px height=32>", None),
        ("<img src=a.png width=600 height=40>", Some("a.png")),
        ("<img class='wp-smiley x' src=a.png>", None),
        ("<img class=emoji src=a.png>", None),
        ("<img src=/img/site-logo.svg>", None),
        ("<img src=/img/silicon.jpg>", Some("/img/silicon.jpg")),
        ("<img src=/img/harbourlogo.gif>", None),
        ("<img src=/img/catalogo.jpg>", Some("/img/catalogo.jpg")),
        ("<img src=/images/M_images/printButton.png alt=Print>", None),
        ("<img src=/images/membericons/friend.png alt=friend>", None),
        ("<img src=http://ad.boats.example/wn;tile=11>", None),
        ("<img src=a.jpg alt='*'>", None),
        ("<img src=a.jpg alt='...'>", Some("a.jpg")),
        ("<img src=/images/sub_left.gif>", None),
        ("<img src=/images/sub_left.gif alt='The left bank'>", Some("/images/sub_left.gif")),
        ("<img src=/images/bank-on-the-left.gif>", Some("/images/bank-on-the-left.gif")),
        ("<img src='https://secure.gravatar.com/avatar/12?s=96'>", None),
        ("<img class=author-image src=a.jpg>", None),
        ("<img class=profile-pic src=a.jpg>", None),
        ("<img src=a.jpg role=presentation alt='' width=80>", None),
        ("<img src=a.jpg role=presentation alt='' width=800>", Some("a.jpg")),
        ("<img src=a.jpg aria-hidden=true alt=''>", Some("a.jpg")),
    ] {
        assert_eq!(source(html).as_deref(), expect, "{html}");
    }
}

#[test]
fn copies() {
    for (html, expect) in [
        ("<img data-src=a.jpg><noscript><img src=a.jpg></noscript>", true),
        ("<div><img data-src=a.jpg></div> <noscript><img src=a.jpg></noscript>", true),
        ("<body><noscript><img src=a.jpg></noscript><img data-src=a.jpg>", true),
        ("<img src='data:,'><noscript><img src=a.jpg></noscript>", false),
        ("<div class=lazy></div><noscript><img src=a.jpg></noscript>", false),
    ] {
        let tree = Tree::parse(html, &Limits::default());
        let noscript = tree.nodes().find(|node| tree.tag(*node) == Some(Tag::Noscript));
        assert_eq!(noscript.map(|node| is_copy(&tree, node)), Some(expect), "{html}");
    }
    let mut seen = Seen::default();
    assert!(seen.first("a") && seen.first("b") && !seen.first("a"));
    assert!(seen.first("/tide-300x200.jpg?v=1") && !seen.first("/tide.jpg?v=1"));
    assert!(!seen.first("/tide-1024x683.jpg?v=1") && seen.first("/tide-1.jpg?v=1"));
    assert!(seen.first("/tide-300x2.jpg") && seen.first("/tide-300x.jpg"));
}

/// The images and the captions that are written of a page whose long paragraphs are kept.
fn figures(html: &str) -> (Vec<String>, Vec<String>) {
    let page = Page::read(html.as_bytes(), Cutting::Atomic, &Options::default());
    let tree = &page.tree;
    let found = Figures::of(&page, |node| tree.text(node).contains("KEPT"));
    let address = |node: &NodeId| image_of(tree, *node).map(|image| image.source);
    for node in tree.nodes() {
        assert_eq!(found.has_image(node), found.images().contains(&node));
    }
    (
        found.images().iter().filter_map(address).collect(),
        found.captions().iter().map(|node| tree.text_content(*node)).collect(),
    )
}

#[test]
fn images_inside_the_text() {
    let text = "<p>KEPT and some words more</p>";
    for (html, images, captions) in [
        (
            format!(
                "<article>{text}<figure><img src=1.jpg><figcaption>Cap</figcaption></figure>{text}"
            ),
            vec!["1.jpg"],
            vec!["Cap"],
        ),
        (
            format!(
                "<article>{text}<div class=wp-caption><img src=1.jpg><p class=wp-caption-text>Cap</p></div>{text}"
            ),
            vec!["1.jpg"],
            vec!["Cap"],
        ),
        (
            format!("<article>{text}<p><a href=1.jpg><img src=1.jpg></a></p>{text}"),
            vec!["1.jpg"],
            vec![],
        ),
        // The banner of the site, and an image of a place of one's own.
        (
            format!(
                "<article><a href=/><img src=0.jpg></a>{text}<a href='index.php?boat=1'><img src=1.jpg></a>{text}"
            ),
            vec!["1.jpg"],
            vec![],
        ),
        // Above the text and below it.
        (
            format!(
                "<body><article><h1>Title</h1><p>By Jane</p><figure><img src=1.jpg><figcaption>Cap</figcaption></figure>{text}</article>"
            ),
            vec!["1.jpg"],
            vec!["Cap"],
        ),
        (
            format!("<article>{text}<figure><img src=1.jpg></figure></article>"),
            vec!["1.jpg"],
            vec![],
        ),
        (format!("<article>{text}<div><img src=1.jpg></div></article>"), vec![], vec![]),
        // The caption was kept.
        (
            format!(
                "<article>{text}<figure><img src=1.jpg><figcaption>KEPT cap</figcaption></figure>{text}"
            ),
            vec!["1.jpg"],
            vec!["KEPT cap"],
        ),
        (
            format!("<ol><li>{text}<p><img src=1.jpg></p></li><li>{text}</li></ol>"),
            vec!["1.jpg"],
            vec![],
        ),
        (format!("<article>{text}<a href=/o><img src=1.jpg>Other</a>{text}"), vec![], vec![]),
        // Not part of the text.
        (format!("<article>{text}<aside><img src=1.jpg></aside>{text}"), vec![], vec![]),
        (
            format!("<article>{text}<div class=related-posts><a><img src=1.jpg></a></div>{text}"),
            vec![],
            vec![],
        ),
        (
            format!(
                "<article>{text}<div><a><img src=1.jpg></a>{}</div>{text}",
                "Many other words. ".repeat(20)
            ),
            vec![],
            vec![],
        ),
        (
            format!(
                "<body><div><img src=0.jpg></div><article>{text}{text}</article><div><img src=2.jpg></div>"
            ),
            vec![],
            vec![],
        ),
        ("<body><img src=1.jpg><p>nothing".to_owned(), vec![], vec![]),
        // Lazy images stand once; what only the copy knows is taken from it.
        (
            format!(
                "<article>{text}<p><img data-src=1.jpg><noscript><img src=1.jpg></noscript></p>{text}"
            ),
            vec!["1.jpg"],
            vec![],
        ),
        (
            format!(
                "<article>{text}<p><span></span><noscript><img src=1.jpg></noscript></p>{text}"
            ),
            vec!["1.jpg"],
            vec![],
        ),
        (
            format!("<article>{text}<div style='display:none'><img src=1.jpg></div>{text}"),
            vec![],
            vec![],
        ),
    ] {
        let (found, below) = figures(&html);
        assert_eq!(
            (found, below),
            (
                images.iter().map(|x| (*x).to_owned()).collect(),
                captions.iter().map(|x| (*x).to_owned()).collect()
            ),
            "{html}"
        );
    }
}

#[test]
fn deep_pages_end() {
    let html =
        format!("<p>KEPT{}{}", "<div class=x>".repeat(600), "<img src=a.jpg><p>KEPT".repeat(3_000));
    assert!(!figures(&html).0.is_empty());
}
