//! The pages: each a piece that is repeated.

use std::fmt::Write;

use webstrata::Limit;

/// A page of any size.
pub(super) struct Case {
    pub(super) name: &'static str,
    /// How often its piece is repeated at full size.
    pub(super) full: usize,
    pub(super) make: fn(usize) -> Vec<u8>,
    /// The limits that it must run into, and no others.
    pub(super) limits: &'static [Limit],
}

pub(super) const fn case(name: &'static str, full: usize, make: fn(usize) -> Vec<u8>) -> Case {
    Case { name, full, make, limits: &[] }
}

impl Case {
    pub(super) const fn hits(self, limits: &'static [Limit]) -> Case {
        Case { limits, ..self }
    }
}

pub(super) const MILLION: usize = 1_000_000;

pub(super) fn times(piece: &str, n: usize) -> Vec<u8> {
    piece.repeat(n).into()
}

pub(super) fn wrapped(before: &str, piece: &str, n: usize, after: &str) -> Vec<u8> {
    [before, &piece.repeat(n), after].concat().into()
}

/// The pieces with their numbers.
pub(super) fn numbered(before: &str, n: usize, piece: impl Fn(&mut String, usize)) -> String {
    let mut page = before.to_owned();
    (0..n).for_each(|i| piece(&mut page, i));
    page
}

/// A post of a forum, its element left open.
fn post(page: &mut String, number: usize) {
    let _ = write!(
        page,
        "<div class='post p{number}' id=p{number} data-parent-id={}><a class=author href=/u/{number}>\
         ann</a> <time datetime=2025-09-04>now</time><p class=text>A word <b>and {number}</b> more.",
        number / 2
    );
}

const NESTED: &[Limit] = &[Limit::Depth];
const FORMATTING: &[Limit] = &[Limit::Depth, Limit::Formatting];

pub(super) const CASES: &[Case] = &[
    // Nesting.
    case("div nested", MILLION, |n| times("<div>", n)).hits(NESTED),
    case("div nested with text", MILLION, |n| times("<div>x", n)).hits(NESTED),
    case("b nested", MILLION, |n| times("<b>", n)).hits(NESTED),
    case("a nested", MILLION, |n| times("<a>", n)),
    case("ul li nested", 512 * 1024 / 8, |n| times("<ul><li>", n)).hits(NESTED),
    case("mixed nested", MILLION / 4, |n| times("<div><b><ul><li><a><p>", n)).hits(NESTED),
    case("nested and closed", MILLION, |n| [times("<div>x", n), times("</div>y", n)].concat())
        .hits(NESTED),
    case("table nested", 100_000, |n| times("<table><tr><td>", n)).hits(NESTED),
    case("posts nested", 100_000, |n| numbered("", n, post).into()).hits(NESTED),
    case("posts beside", 100_000, |n| {
        numbered("", n, |page, i| {
            post(page, i);
            page.push_str("</div>");
        })
        .into()
    }),
    case("svg nested", MILLION, |n| times("<svg>", n)).hits(NESTED),
    case("svg g nested", MILLION, |n| wrapped("<svg>", "<g>", n, "")).hits(NESTED),
    case("math nested", MILLION, |n| times("<math><mi>", n)).hits(NESTED),
    case("template nested", 100_000, |n| times("<template>", n)).hits(NESTED),
    case("object nested", MILLION / 2, |n| times("<object>x", n)).hits(NESTED),
    case("button, form, nobr", MILLION / 4, |n| times("<button><form><nobr>", n)),
    // Formatting elements, which the rules repeat in every block.
    case("b id then p", MILLION, |n| {
        let b = numbered("", n, |page, i| write!(page, "<b id={i}>").unwrap());
        [b.into_bytes(), times("<p>x", n / 10)].concat()
    })
    .hits(FORMATTING),
    case("font p", MILLION, |n| {
        numbered("", n, |page, i| write!(page, "<font size={i}><p>x</p>").unwrap()).into()
    })
    .hits(FORMATTING),
    case("a div", MILLION / 2, |n| times("<a><div>", n)).hits(NESTED),
    case("b i p crossed", MILLION / 4, |n| times("<b><i><p>x</b>y</i>z", n))
        .hits(&[Limit::Formatting]),
    case("adoption", MILLION / 4, |n| times("<b><em><div><p></b></em>x", n)).hits(NESTED),
    case("b with large attributes", MILLION, |n| {
        // Is the new element equal to one of the three large ones? For each of the small ones.
        let large = numbered("", n / 10, |page, i| write!(page, " a{i}").unwrap());
        let large = format!("<b 1{large}><b 2{large}><b 3{large}>");
        [large.into_bytes(), times("<b x>y</b>", n / 5)].concat()
    }),
    case("one long name", MILLION, |n| {
        [format!("<{}>", "x".repeat(n)).into_bytes(), times("</z>", n / 4)].concat()
    }),
    case("markers left in cells", MILLION / 4, |n| {
        [times("<table>", 1), times("<td><object>", n), times("<b></b>", n)].concat()
    }),
    case("markers left behind", MILLION / 2, |n| {
        [times("<object>", n), times("</object>", n), times("<b>x</b>", n)].concat()
    })
    .hits(NESTED),
    // Ends and scopes.
    case("p", MILLION, |n| times("<p>x", n)),
    case("end p", MILLION, |n| times("</p>", n)),
    case("end div in spans", MILLION, |n| [times("<span>", 500), times("</div>", n)].concat()),
    case("long names", 500 * 2000, |n| {
        let name = "x".repeat(n / 500);
        [times(&format!("<{name}>"), 500), times("</y>", n / 4)].concat()
    }),
    case("long names in svg", 500 * 2000, |n| {
        let name = "x".repeat(n / 500);
        [b"<svg>".into(), times(&format!("<{name}>"), 500), times("</y>", n / 4)].concat()
    }),
    case("li", MILLION, |n| wrapped("<ul>", "<li>x", n, "")),
    case("select option", MILLION, |n| wrapped("<select>", "<option>x", n, "")),
    case("headings", MILLION, |n| times("<h1>x", n)),
    case("br", MILLION, |n| times("x<br>", n)),
    // Tables.
    case("fostered texts", MILLION, |n| wrapped("<table>", "x<tr>", n, "")),
    case("fostered elements", MILLION, |n| wrapped("<table>", "<i>x</i>", n, "")),
    case("cells", MILLION, |n| wrapped("<table>", "<td>x", n, "")),
    case("colspan", MILLION / 4, |n| times("<table><td colspan=9007199254740991>x</table>", n)),
    case("spans", MILLION / 10, |n| {
        wrapped("<table>", "<tr><th rowspan=65534 colspan=65534>x<td>y", n, "")
    }),
    case("numbered lines", MILLION / 10, |n| times("<table><td>1 2<td><pre>x</pre></table>", n)),
    case("numbers nested", MILLION / 10, |n| times("<table><td><td><pre></pre><td>1", n))
        .hits(NESTED),
    // Lists and notes.
    case("lists nested", MILLION, |n| times("<ul><li>x", n)).hits(NESTED),
    case("lists in lists", MILLION / 2, |n| times("<ul><li>x</li>", n)).hits(NESTED),
    case("items", MILLION, |n| wrapped("<ol>", "<li>x", n, "")),
    case("quotes nested", MILLION, |n| times("<blockquote>x", n)).hits(NESTED),
    case("one note", MILLION / 10, |n| {
        wrapped("", "<sup><a href=#fn1>1</a></sup>x ", n, "<p id=fn1>x")
    }),
    case("notes", MILLION / 10, |n| {
        let reference = |page: &mut String, i| {
            let _ = write!(page, "<p>x<a href=#n{i} id=r{i}>{i}</a>");
        };
        let mut page = numbered("", n, reference);
        (0..n).for_each(|i| {
            let _ = write!(page, "<p id=n{i}>x <a href=#r{i}>back</a>");
        });
        page.into()
    }),
    case("notes nested", MILLION / 10, |n| {
        wrapped("<p><sup><a href=#fn1>1</a></sup>", "<div id=fn1>x", n, "")
    })
    .hits(NESTED),
    case("columns", MILLION, |n| wrapped("<table>", "<col>", n, "")),
    // Markup that never ends.
    case("less-than", 100 * MILLION, |n| times("<", n)),
    case("title starts", MILLION, |n| times("<title>", n)),
    case("script starts", MILLION, |n| times("<script>", n)),
    case("script escapes", MILLION, |n| times("<script><!--", n)),
    case("textarea, style, xmp", MILLION / 2, |n| times("<textarea><style><xmp>", n)),
    case("title of words", 10 * MILLION, |n| wrapped("<title>", "a ", n, "</title>x")),
    case("comment starts", MILLION, |n| times("<!--", n)),
    case("comment of ends", 10 * MILLION, |n| wrapped("<!--", "->", n, "")),
    case("comments", MILLION, |n| times("<!-->x", n)),
    case("a starts", MILLION, |n| times("<a", n)),
    case("unclosed quotes", MILLION, |n| times("<a href=\"x>", n)),
    case("doctypes", MILLION, |n| times("<!doctype x>y", n)),
    case("cdata", MILLION / 4, |n| wrapped("<svg>", "<![CDATA[x]]>", n, "")),
    case("cdata unclosed", MILLION, |n| wrapped("<svg>", "<![CDATA[x", n, "")),
    case("plaintext", MILLION, |n| times("<plaintext>", n)),
    case("frameset", MILLION, |n| times("<frameset>", n)).hits(NESTED),
    case("noframes", MILLION, |n| wrapped("<frameset><noframes>", "<p>x", n, "")),
    // Attributes.
    case("one attribute", 50 * MILLION, |n| wrapped("<p title='", "x", n, "'>y")),
    case("one style", 10 * MILLION, |n| wrapped("<p style='", "a:b;", n, "'>y")),
    case("attributes", MILLION, |n| {
        numbered("<p", n, |page, i| write!(page, " a{i}").unwrap()).into()
    }),
    case("attributes closed", MILLION, |n| {
        (numbered("<p", n, |page, i| write!(page, " a{i}=1").unwrap()) + ">x").into()
    }),
    case("body merged", MILLION, |n| {
        numbered("<body>", n, |page, i| write!(page, "<body a{i}>x<p>").unwrap()).into()
    }),
    case("texts in a large tag", MILLION / 5, |n| {
        let tag = numbered("<div", n / 8, |page, i| write!(page, " a{i}").unwrap());
        [tag.into_bytes(), b">".into(), times("x<br>", n / 8)].concat()
    }),
    case("texts in long names", MILLION / 10, |n| {
        let name = "x".repeat(n / 100);
        [times(&format!("<{name}>"), 40), times("x<br>", n / 8)].concat()
    }),
    case("html merged", MILLION, |n| times("<html a=1>", n)),
    // Text.
    case("one text", 200 * MILLION, |n| times("word and ", n / 9)),
    case("one word", 100 * MILLION, |n| times("x", n)),
    case("Chinese text", 200 * MILLION / 3, |n| times("今天下午市政府宣布新的计划。", n / 14)),
    case("Thai text", 60 * MILLION / 3, |n| times("เขาไปโรงเรียนทุกวัน", n / 19)),
    case("one letter words", 50 * MILLION, |n| times("a ", n)),
    case("spaces", 50 * MILLION, |n| times(" \n", n)),
    case("links in one block", MILLION, |n| times("<a>x</a>", n)),
    case("bars", 20 * MILLION, |n| times("|", n)),
    case("marks", 10 * MILLION, |n| times("e\u{301}", n)),
    case("NULs", 20 * MILLION, |n| times("\0", n)),
    case("NULs in text", 5 * MILLION, |n| times("a\0b ", n)),
    case("NULs in svg", 10 * MILLION, |n| wrapped("<svg>", "\0", n, "")),
    case("NULs deep", MILLION, |n| [times("<div>", 500), times("a\0<br>", n)].concat()),
    case("NULs in names", MILLION, |n| times("<x\0 y\0=z\0>", n)).hits(NESTED),
    // Character references.
    case("ampersands", 10 * MILLION, |n| times("&", n)),
    case("amp", MILLION, |n| times("&amp", n)),
    case("amp;", 5 * MILLION, |n| times("&amp;", n)),
    case("longest reference", MILLION / 4, |n| times("&CounterClockwiseContourIntegral;", n)),
    case("growing reference", MILLION, |n| times("&nGt;", n)),
    case("reference names", 20 * MILLION, |n| wrapped("&", "a", n, ";")),
    case("surrogates", MILLION, |n| times("&#xD800;&#xDFFF;&#x110000;", n)),
    case("one huge number", 20 * MILLION, |n| wrapped("&#", "9", n, ";")),
    case("references in attributes", MILLION, |n| times("<p title='&amp;&lt'>x", n)),
    // Bytes.
    case("windows-1252 bytes", 50 * MILLION, |n| vec![0x80; n]),
    case("gb18030 bytes", 10 * MILLION, |n| {
        [&b"<meta charset=gb18030>"[..], &[0x81, 0x30, 0x81, 0x30].repeat(n)].concat()
    }),
    case("UTF-16 surrogates", 10 * MILLION, |n| [&[0xff, 0xfe][..], &[0, 0xd8].repeat(n)].concat()),
    case("escapes", 20 * MILLION, |n| vec![0x1b; n]),
    case("nearly UTF-8", 10 * MILLION, |n| {
        times("é é é é é", n / 14 + 20).into_iter().chain([0xff]).collect()
    }),
    case("encoded twice", 10 * MILLION, |n| times("Ã\u{80}", n)),
    case("encoded twice but for its end", 10 * MILLION, |n| wrapped("", "Ã\u{80}", n, "…")),
    // Metadata and links.
    case("json-ld, long", MILLION, |n| {
        let start = "<script type=application/ld+json>[";
        wrapped(start, r#"{"@type":"Article","author":"x"},"#, n / 20, "1]</script>x")
    }),
    case("json-ld, broken", MILLION, |n| {
        wrapped("<script type=application/ld+json>[", "/*[,]*/ ,", n / 9, "</script>x")
    }),
    case("json-ld, nested", MILLION, |n| {
        wrapped("<script type=application/ld+json>", r#"{"@graph":["#, n / 11, "</script>x")
    }),
    case("metas of several kinds", MILLION / 8, |n| {
        times("<meta property='og:title article:tag' name=author content='Jane Doe'>x", n / 8)
    }),
    case("meta with a long value", MILLION, |n| {
        wrapped("<meta name=description content='", "tide &amp; ", n / 11, "'>x")
    }),
    case("headings with dates", MILLION / 8, |n| {
        times(
            "<h1 class=date>1 May 2025</h1><p class=author>Jane Doe</p><time>1 May 2025</time>",
            n / 8,
        )
    }),
    case("properties", MILLION / 8, |n| {
        times("<b itemprop='author name'><i itemprop=datePublished>", n / 8)
    })
    .hits(NESTED),
    case("class with many names", MILLION, |n| {
        wrapped("<h1>x</h1><p class='", "author date ", n / 12, "'>x")
    }),
    case("json-ld, many", MILLION / 8, |n| {
        times(r#"<script type=application/ld+json>{"@type":"Article"}</script>x"#, n / 8)
    }),
    case("json-ld, recipe", MILLION / 8, |n| {
        let data = r#"<script type=application/ld+json>{"recipeIngredient":["salt","tar"#;
        let page = format!("{data}{}\"]}}</script>", " and more tar".repeat(n));
        wrapped(&page, "<li>tar and more tar<li>salt", n / 8, "")
    }),
    case("texts in data", MILLION / 8, |n| {
        let text = |page: &mut String, i| {
            write!(page, r#"{{"text":"<p>Boat {i} is in the yard for its yearly repairs.</p>"}},"#)
                .unwrap();
        };
        (numbered("<script type=application/json>[", n / 4, text) + "0]</script>").into()
    }),
    case("links", MILLION / 2, |n| times("<a href=/x?y=z#1>x</a> ", n)),
    case("links nested", MILLION / 8, |n| times("<a href=/x><object>", n)).hits(FORMATTING),
    case("bylines", MILLION / 4, |n| times("<p class=author>By Ann Poe, 1 May 2024", n)),
    case("bylines nested", MILLION / 4, |n| times("<div class='author date'>x", n)).hits(NESTED),
    case("metas", MILLION / 4, |n| times("<meta name=keywords content='a,b'>", n)),
    // A page like any other, many times over.
    case("ordinary", 8_000, ordinary),
];

/// Chapters of running text with a menu each.
pub(super) fn ordinary(chapters: usize) -> Vec<u8> {
    let sentence = "The ferry between the two islands runs every hour, the harbour office said. ";
    let paragraph =
        format!("<p class=\"text\">{}<a href=\"/more\">More</a></p>\n", sentence.repeat(5));
    let menu = "<ul class=\"menu\"><li><a href=\"/\">Home</a></li><li>News</li></ul>\n";
    let page = format!("<div><h2>Chapter</h2>\n{menu}{}</div>\n", paragraph.repeat(20));
    wrapped("<!doctype html><title>Ferry</title><body>", &page, chapters, "</body>")
}
