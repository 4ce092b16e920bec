//! One walk over the tree that collects what any source has.

use std::collections::HashSet;

use super::json_ld::{self, LONGEST_SCRIPTS, MOST_OBJECTS};
use super::{Field, Findings, Source};
use crate::html::tag::Tag;
use crate::tree::{NodeId, Tree};

/// Nodes and characters of an element that are read for a name or a date.
const NEAR_NODES: u32 = 64;
const SHORT_TEXT: usize = 300;
/// How far below the heading a byline or a date may stand in plain text, in nodes.
const BELOW_HEADING: u32 = 120;

use Field::{
    Author, Canonical, Description, Image, Kind, Language, Licence, Modified, Published, Site,
    Tag as Tags, Title,
};
use Source::{Meta, OpenGraph};

/// `<meta>` by name: field, source and rank.
#[rustfmt::skip]
const METAS: &[(&str, Field, Source, u8)] = &[
    ("og:title", Title, OpenGraph, 1), ("citation_title", Title, Meta, 0), ("parsely-title", Title, Meta, 2),
    ("sailthru.title", Title, Meta, 2), ("twitter:title", Title, Meta, 2), ("dc.title", Title, Meta, 2),
    ("dcterms.title", Title, Meta, 2), ("title", Title, Meta, 4),
    ("citation_author", Author, Meta, 1), ("parsely-author", Author, Meta, 2), ("author", Author, Meta, 3),
    ("sailthru.author", Author, Meta, 2), ("dc.creator", Author, Meta, 4), ("dcterms.creator", Author, Meta, 4),
    ("dc.contributor.author", Author, Meta, 4), ("article:author", Author, OpenGraph, 4),
    ("article:author_name", Author, OpenGraph, 2), ("byl", Author, Meta, 2), ("book:author", Author, OpenGraph, 4),
    ("twitter:data1", Author, Meta, 6), ("creator", Author, Meta, 5), ("authors", Author, Meta, 3),
    ("article:published_time", Published, OpenGraph, 1), ("og:article:published_time", Published, OpenGraph, 1),
    ("og:published_time", Published, OpenGraph, 1), ("og:pubdate", Published, OpenGraph, 1),
    ("article:published", Published, OpenGraph, 1), ("article.published", Published, Meta, 2),
    ("citation_publication_date", Published, Meta, 2), ("citation_online_date", Published, Meta, 2),
    ("citation_date", Published, Meta, 3), ("parsely-pub-date", Published, Meta, 2),
    ("sailthru.date", Published, Meta, 2), ("dc.date.issued", Published, Meta, 3),
    ("dcterms.issued", Published, Meta, 3), ("dcterms.created", Published, Meta, 3),
    ("dc.date.created", Published, Meta, 3), ("dc.created", Published, Meta, 3), ("dc.date", Published, Meta, 3),
    ("dcterms.date", Published, Meta, 3), ("date", Published, Meta, 3), ("pubdate", Published, Meta, 3),
    ("publishdate", Published, Meta, 3), ("publish_date", Published, Meta, 3), ("publish-date", Published, Meta, 3),
    ("published_time", Published, Meta, 3), ("publication_date", Published, Meta, 3),
    ("date_published", Published, Meta, 3),
    ("published", Published, Meta, 3), ("dc.date.published", Published, Meta, 3), ("originalpublicationdate", Published, Meta, 3),
    ("article_date_original", Published, Meta, 2), ("cxenseparse:recs:publishtime", Published, Meta, 3),
    ("article:modified_time", Modified, OpenGraph, 1), ("og:updated_time", Modified, OpenGraph, 2),
    ("dcterms.modified", Modified, Meta, 3), ("dc.date.modified", Modified, Meta, 3),
    ("last-modified", Modified, Meta, 3), ("lastmod", Modified, Meta, 3), ("revised", Modified, Meta, 3),
    ("article:modified", Modified, OpenGraph, 1), ("modified_time", Modified, Meta, 3),
    ("og:site_name", Site, OpenGraph, 0), ("application-name", Site, Meta, 2),
    ("citation_journal_title", Site, Meta, 2), ("dc.publisher", Site, Meta, 3), ("dcterms.publisher", Site, Meta, 3),
    ("apple-mobile-web-app-title", Site, Meta, 5), ("al:ios:app_name", Site, Meta, 6),
    ("og:description", Description, OpenGraph, 0), ("description", Description, Meta, 1),
    ("twitter:description", Description, Meta, 2), ("dc.description", Description, Meta, 2),
    ("dcterms.description", Description, Meta, 2),
    ("content-language", Language, Meta, 1), ("dc.language", Language, Meta, 1),
    ("dcterms.language", Language, Meta, 1), ("og:locale", Language, OpenGraph, 3),
    ("og:url", Canonical, OpenGraph, 1),
    ("og:image", Image, OpenGraph, 0), ("og:image:url", Image, OpenGraph, 0),
    ("og:image:secure_url", Image, OpenGraph, 1), ("twitter:image", Image, Meta, 1),
    ("twitter:image:src", Image, Meta, 1), ("parsely-image-url", Image, Meta, 1), ("thumbnail", Image, Meta, 3),
    ("article:tag", Tags, OpenGraph, 0), ("parsely-tags", Tags, Meta, 4), ("sailthru.tags", Tags, Meta, 4),
    ("news_keywords", Tags, Meta, 4), ("keywords", Tags, Meta, 4), ("citation_keywords", Tags, Meta, 4),
    ("dc.subject", Tags, Meta, 4),
    ("dcterms.license", Licence, Meta, 2), ("dc.rights.license", Licence, Meta, 2),
    ("dcterms.rights", Licence, Meta, 3), ("dc.rights", Licence, Meta, 3), ("rights", Licence, Meta, 3),
    ("og:type", Kind, OpenGraph, 1),
];

/// Properties of microdata and RDFa.
const PROPERTIES: &[(&str, Field, u8)] = &[
    ("headline", Title, 3),
    ("author", Author, 5),
    ("creator", Author, 6),
    ("datepublished", Published, 4),
    ("datecreated", Published, 5),
    ("datemodified", Modified, 4),
    ("license", Licence, 2),
    ("inlanguage", Language, 2),
];

pub(crate) fn collect(tree: &Tree<'_>) -> Findings {
    let mut walk = Walk {
        tree,
        findings: Findings::default(),
        scripts: Vec::new(),
        script_bytes: 0,
        script_objects: 0,
        heading: None,
        seen: HashSet::new(),
    };
    for node in tree.nodes() {
        match tree.tag(node) {
            Some(tag) => walk.element(node, tag),
            None => walk.short_text(node),
        }
    }
    json_ld::read(&walk.scripts, &mut walk.findings);
    walk.findings
}

struct Walk<'a, 't> {
    tree: &'a Tree<'t>,
    findings: Findings,
    scripts: Vec<(NodeId, String)>,
    script_bytes: usize,
    script_objects: usize,
    /// The last `h1`.
    heading: Option<NodeId>,
    /// Where the formatting elements that were met begin in the page.
    seen: HashSet<u32>,
}

impl Walk<'_, '_> {
    fn element(&mut self, node: NodeId, tag: Tag) {
        match tag {
            Tag::Html if node == 0 => {
                let lang = self
                    .tree
                    .attribute(node, "lang")
                    .or_else(|| self.tree.attribute(node, "xml:lang"));
                self.findings.add(Language, Source::Lang, 0, node, &lang.unwrap_or_default());
            }
            Tag::Meta => self.meta(node),
            Tag::Link => self.link(node),
            Tag::Script => self.script(node),
            Tag::Title if self.findings.has_room(Title, Source::Title) => {
                let in_svg = self
                    .tree
                    .parent(node)
                    .is_some_and(|parent| self.tree.tag(parent) == Some(Tag::Svg));
                if !in_svg {
                    let text = self.text(node, false);
                    self.findings.add(Title, Source::Title, 5, node, &text);
                }
            }
            Tag::H1 => {
                if self.findings.has_room(Title, Source::Heading) {
                    let text = self.text(node, false);
                    self.findings.add(Title, Source::Heading, 6, node, &text);
                    self.heading = Some(node);
                }
                self.described(node, tag);
            }
            Tag::Style => {}
            // A parser repeats formatting elements that were left open; they were written once.
            Tag::A
            | Tag::B
            | Tag::Big
            | Tag::Code
            | Tag::Em
            | Tag::Font
            | Tag::I
            | Tag::Nobr
            | Tag::S
            | Tag::Small
            | Tag::Strike
            | Tag::Strong
            | Tag::Tt
            | Tag::U => {
                if self.seen.insert(self.tree.nodes[node as usize].start) {
                    self.described(node, tag);
                }
            }
            _ => self.described(node, tag),
        }
    }

    fn meta(&mut self, node: NodeId) {
        let Some(content) = self.tree.attribute(node, "content") else { return };
        for attribute in ["property", "name", "http-equiv"] {
            let Some(name) = self.tree.attribute(node, attribute) else { continue };
            // Several names may stand in one attribute of RDFa.
            for name in name.split_ascii_whitespace().take(4) {
                let name =
                    name.to_ascii_lowercase().replace("dc:", "dc.").replace("dcterms:", "dcterms.");
                let known = METAS.iter().filter(|(known, ..)| *known == name);
                for (_, field, source, rank) in known {
                    self.findings.add(*field, *source, *rank, node, &content);
                }
            }
        }
        if let Some(properties) = self.tree.attribute(node, "itemprop") {
            self.property(node, &properties, Some(&content));
        }
    }

    fn link(&mut self, node: NodeId) {
        let (Some(rel), Some(href)) =
            (self.tree.attribute(node, "rel"), self.tree.attribute(node, "href"))
        else {
            return;
        };
        for rel in rel.split_ascii_whitespace().take(8) {
            let (field, rank) = match rel.to_ascii_lowercase().as_str() {
                "canonical" => (Canonical, 0),
                "image_src" => (Image, 3),
                "license" => (Licence, 0),
                _ => continue,
            };
            self.findings.add(field, Source::Link, rank, node, &href);
        }
    }

    fn script(&mut self, node: NodeId) {
        let is_json_ld = self.tree.attribute(node, "type").is_some_and(|kind| {
            kind.trim().to_ascii_lowercase().starts_with("application/ld+json")
        });
        if !is_json_ld {
            return;
        }
        let texts = || self.tree.children(node).map(|child| self.tree.text(child));
        let length: usize = texts().map(str::len).sum();
        // An object of a few bytes takes a hundred times that in memory.
        let objects: usize =
            texts().map(|text| memchr::memchr_iter(b'{', text.as_bytes()).count()).sum();
        if length <= json_ld::LONGEST_SCRIPT
            && self.script_bytes + length <= LONGEST_SCRIPTS
            && self.script_objects + objects <= MOST_OBJECTS
        {
            self.script_bytes += length;
            self.script_objects += objects;
            self.scripts.push((node, texts().collect()));
        }
    }

    /// An element whose attributes may say that it holds an author, a date or a licence. The whole
    /// start tag is searched first: few have any of these words, and parsing attributes is dear.
    fn described(&mut self, node: NodeId, tag: Tag) {
        let start_tag = self.tree.start_tag(node);
        if start_tag.len() < 6 && tag != Tag::Time {
            return;
        }
        let tree = self.tree;
        let mut published = false;
        for attribute in ["itemprop", "property"] {
            if start_tag.contains(attribute)
                && let Some(properties) = tree.attribute(node, attribute)
            {
                published = self.property(node, &properties, None);
            }
        }
        if start_tag.contains("itemtype")
            && let Some(kind) = tree.attribute(node, "itemtype")
        {
            let name = kind.trim().rsplit('/').next().unwrap_or_default();
            self.findings.add(Kind, Source::Microdata, 4, node, name);
        }
        if tag == Tag::A && start_tag.contains("rel") {
            self.related(node);
        }
        if tag == Tag::A
            && contains_any(start_tag, &["/author/", "/authors/"])
            && self.findings.has_room(Author, Source::AuthorLink)
        {
            let text = self.text(node, true);
            self.findings.add(Author, Source::AuthorLink, 9, node, &text);
        }
        let class = || {
            let class = tree.attribute(node, "class").unwrap_or_default();
            let id = tree.attribute(node, "id").unwrap_or_default();
            let test = tree.attribute(node, "data-testid").unwrap_or_default();
            // Utility classes may be hundreds; what matters is short.
            let all =
                class.split_ascii_whitespace().chain([&*id, &*test]).filter(|name| name.len() < 64);
            all.take(32).collect::<Vec<_>>().join(" ").to_ascii_lowercase()
        };
        if tag == Tag::Time {
            if !published {
                self.time(node, &class());
            }
        } else if contains_any(start_tag, &["uthor", "yline", "riter", "UTHOR", "YLINE"]) {
            self.byline(node, &class());
        } else if contains_any(start_tag, &["date", "Date", "ublish", "osted", "time", "Time"]) {
            self.dated(node, &class());
        }
    }

    /// Adds what a property says; was it a date?
    fn property(&mut self, node: NodeId, properties: &str, content: Option<&str>) -> bool {
        let mut is_date = false;
        for property in properties.split_ascii_whitespace().take(4) {
            let name = property.rsplit(':').next().unwrap_or(property).to_ascii_lowercase();
            for (_, field, rank) in PROPERTIES.iter().filter(|(known, ..)| *known == name) {
                is_date |= matches!(field, Published | Modified);
                if !self.findings.has_room(*field, Source::Microdata) {
                    continue;
                }
                let value = match content {
                    Some(content) => content.to_owned(),
                    None => self.value(node, *field),
                };
                self.findings.add(*field, Source::Microdata, *rank, node, &value);
            }
        }
        is_date
    }

    /// The value of an element of microdata: `content`, `datetime`, for a licence `href`, for an
    /// author the `name` inside, else the text.
    fn value(&self, node: NodeId, field: Field) -> String {
        let tree = self.tree;
        let attributes: &[&str] = match field {
            Licence => &["href", "content"],
            Published | Modified => &["content", "datetime", "title"],
            _ => &["content"],
        };
        if let Some(value) = attributes.iter().find_map(|name| tree.attribute(node, name)) {
            return value.into_owned();
        }
        if field == Author {
            let end = tree.end_of(node).min(node + NEAR_NODES);
            let is_name = |inner: &NodeId| {
                tree.start_tag(*inner).contains("itemprop")
                    && tree.attribute(*inner, "itemprop").is_some_and(|name| name.trim() == "name")
            };
            if let Some(name) = (node + 1..end).find(is_name) {
                let content = tree.attribute(name, "content").map(std::borrow::Cow::into_owned);
                return content.unwrap_or_else(|| self.text(name, true));
            }
        }
        self.text(node, true)
    }

    fn related(&mut self, node: NodeId) {
        let Some(rel) = self.tree.attribute(node, "rel") else { return };
        for rel in rel.split_ascii_whitespace().take(8) {
            match rel.to_ascii_lowercase().as_str() {
                "author" if self.findings.has_room(Author, Source::AuthorLink) => {
                    let text = self.text(node, true);
                    self.findings.add(Author, Source::AuthorLink, 7, node, &text);
                }
                "tag" if self.findings.has_room(Tags, Source::Link) => {
                    let text = self.text(node, true);
                    self.findings.add(Tags, Source::Link, 6, node, &text);
                }
                "license" => {
                    let href = self.tree.attribute(node, "href").unwrap_or_default();
                    self.findings.add(Licence, Source::Link, 1, node, &href);
                }
                _ => {}
            }
        }
    }

    fn time(&mut self, node: NodeId, class: &str) {
        let changed = contains_any(class, &["updated", "modified"]) && !class.contains("publish");
        let field = if changed { Modified } else { Published };
        if !self.findings.has_room(field, Source::Time) {
            return;
        }
        let stated = self.tree.attribute(node, "datetime").filter(|value| !value.trim().is_empty());
        let value = stated.map_or_else(|| self.text(node, true), std::borrow::Cow::into_owned);
        self.findings.add(field, Source::Time, 6, node, &value);
    }

    fn dated(&mut self, node: NodeId, class: &str) {
        if !contains_any(
            class,
            &["date", "publish", "posted", "timestamp", "post-time", "entry-time"],
        ) || contains_any(class, &["update", "modified", "comment", "copyright", "event"])
            || !self.findings.has_room(Published, Source::Time)
        {
            return;
        }
        let text = self.text(node, true);
        if text.len() < 100
            && let Some(day) = super::dates::in_text(&text)
        {
            self.findings.add(Published, Source::Time, 7, node, &day);
        }
    }

    fn byline(&mut self, node: NodeId, class: &str) {
        let not_a_name = [
            "comment", "avatar", "image", "img", "photo", "social", "bio", "desc", "follow",
            "related", "title", "date", "role", "icon",
        ];
        if !contains_any(class, &["author", "byline", "writer", "posted-by"])
            || contains_any(class, &not_a_name)
            || !self.findings.has_room(Author, Source::Byline)
        {
            return;
        }
        let text = self.text(node, true);
        let exact = class.split(' ').any(|name| {
            matches!(
                name,
                "author"
                    | "byline"
                    | "author-name"
                    | "author__name"
                    | "byline-name"
                    | "post-author"
                    | "entry-author"
                    | "p-author"
                    | "authors"
                    | "author_name"
                    | "authorname"
                    | "post-author-name"
                    | "article-author"
            )
        });
        if text.chars().count() < 100 {
            self.findings.add(Author, Source::Byline, if exact { 8 } else { 9 }, node, &text);
        }
    }

    /// `By Jane Doe` and dates in short texts, best below a heading.
    fn short_text(&mut self, node: NodeId) {
        let text = self.tree.text(node).trim();
        if text.len() < 6 || text.len() > 120 {
            return;
        }
        let below = self.heading.is_some_and(|heading| node - heading < BELOW_HEADING);
        let by = text.get(..3).is_some_and(|by| by == "By " || by == "by ");
        if below && by && self.findings.has_room(Author, Source::Text) {
            let words = text.split_whitespace().skip(1).take(2);
            if words.filter(|word| word.starts_with(char::is_uppercase)).count() == 2 {
                self.findings.add(Author, Source::Text, 10, node, text);
            }
        }
        let digits = text.bytes().filter(u8::is_ascii_digit).count();
        if text.len() < 60
            && digits >= 5
            && !text.contains('©')
            && self.findings.has_room(Published, Source::Text)
            && let Some(day) = super::dates::in_text(text)
        {
            self.findings.add(Published, Source::Text, if below { 8 } else { 9 }, node, &day);
        }
    }

    /// The text of an element, as far as a name or a title goes; with a space between elements or as
    /// written.
    fn text(&self, node: NodeId, spaced: bool) -> String {
        let tree = self.tree;
        let mut text = String::new();
        let end = tree.end_of(node).min(node.saturating_add(NEAR_NODES));
        let mut at = node;
        while at < end && text.len() < SHORT_TEXT * 4 {
            match tree.tag(at) {
                Some(Tag::Script | Tag::Style | Tag::Template | Tag::Noscript | Tag::Svg) => {
                    at = tree.end_of(at).max(at + 1);
                    continue;
                }
                Some(tag) => {
                    let inline = matches!(
                        tag,
                        Tag::Span
                            | Tag::A
                            | Tag::B
                            | Tag::I
                            | Tag::Em
                            | Tag::Strong
                            | Tag::Font
                            | Tag::Code
                            | Tag::Sup
                            | Tag::Sub
                            | Tag::Mark
                            | Tag::Small
                            | Tag::U
                    );
                    if spaced || !inline {
                        text.push(' ');
                    }
                }
                None => {
                    let piece = tree.text(at);
                    let mut cut = piece.len().min(SHORT_TEXT * 8);
                    while !piece.is_char_boundary(cut) {
                        cut -= 1;
                    }
                    text.push_str(&piece[..cut]);
                    if spaced {
                        text.push(' ');
                    }
                }
            }
            at += 1;
        }
        text
    }
}

fn contains_any(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| text.contains(word))
}
