//! One walk over the tree that collects what any source has.

use std::ops::Range;

use memchr::memmem;

use super::Field::{
    self, Author, Canonical, Image, Kind, Language, Licence, Modified, Published, Tag as Tags,
    Title,
};
use super::dates::{self, Mark};
use super::json_ld::{self, LONGEST_SCRIPTS, MOST_OBJECTS};
use super::names::{self, PROPERTIES};
use super::search::{Hints, Hits, NEAR_NODES, around_headings, text};
use super::{Finding, Findings, Source};
use crate::clock::{Clock, NODES_PER_CHECK, Steps};
use crate::html::tag::Tag;
use crate::page::Page;
use crate::tree::{NodeId, Tree};

/// How far below the heading a byline or a date may stand in plain text, in nodes.
const BELOW_HEADING: u32 = 120;
/// Elements above a byline that are asked whose it is.
const PARTS_ABOVE: usize = 4;

/// Collects what any source has for any field.
pub(crate) fn collect(tree: &Tree<'_>, clock: &Clock) -> Findings {
    let mut walk = Walk::new(tree, json_ld::Wanted::All);
    walk.properties = Hits::new(tree, "itemprop");
    walk.authors = Hits::new(tree, "uthor");
    // The two stand together: a search less for the pages that have neither.
    walk.kinds = walk.properties.has_any().then(|| Hits::new(tree, "itemtype"));
    let mut around = around_headings(tree).into_iter();
    let mut near = 0..0;
    let mut steps = Steps::default();
    for node in tree.nodes() {
        if steps.are_over(clock, NODES_PER_CHECK) {
            break;
        }
        while near.end <= node
            && let Some(next) = around.next()
        {
            near = next;
        }
        let is_near = near.contains(&node);
        match tree.tag(node) {
            Some(tag) if !walk.declared(node, tag) => walk.described(node, tag, is_near),
            Some(_) => {}
            None if is_near => walk.short_text(node),
            None => {}
        }
    }
    json_ld::read(&walk.scripts, &mut walk.findings);
    let is_date = |finding: &Finding| matches!(finding.field, Published | Modified);
    if !walk.findings.all.iter().any(is_date) && !clock.passed() {
        walk.distant_dates();
    }
    walk.findings
}

/// Collects what the title and the language are chosen from, and finds the same of it as [`collect`].
/// All records need it: no element is looked at but the few that may have it.
///
/// Links are looked at where nobody knows the page's address: it is one of them.
pub(crate) fn collect_titles(page: &Page<'_>) -> Findings {
    let Page { tree, document } = page;
    let mut walk = Walk::new(tree, json_ld::Wanted::Titles);
    walk.with_links = document.url.is_none();
    let mut steps = Steps::default();
    let mut headlines = Hits::new(tree, "eadline");
    let mut languages = Hits::new(tree, "anguage");
    let mut near = None;
    for node in tree.nodes() {
        let Some(tag) = tree.tag(node) else { continue };
        if steps.are_over(&document.clock, NODES_PER_CHECK) {
            break;
        }
        if walk.declared(node, tag) || !(headlines.is_in(tree, node) | languages.is_in(tree, node))
        {
            continue;
        }
        let [itemprop, property] = tree.attributes_named(node, ["itemprop", "property"]);
        if let Some(properties) = itemprop {
            walk.property(node, &properties, None);
        }
        if let Some(properties) = property
            && near
                .get_or_insert_with(|| around_headings(tree))
                .iter()
                .any(|near| near.contains(&node))
        {
            walk.property(node, &properties, None);
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
    properties: Hits<'a>,
    authors: Hits<'a>,
    kinds: Option<Hits<'a>>,
    relation: memmem::Finder<'static>,
    /// Reviews and comments, in page order, none within another.
    reviews: Vec<Range<NodeId>>,
    /// Does `twitter:data1` say something else?
    no_author: bool,
    with_links: bool,
}

impl<'a, 't> Walk<'a, 't> {
    fn new(tree: &'a Tree<'t>, wanted: json_ld::Wanted) -> Walk<'a, 't> {
        Walk {
            tree,
            findings: Findings::of_wanted(wanted),
            scripts: Vec::new(),
            script_bytes: 0,
            script_objects: 0,
            heading: None,
            properties: Hits::default(),
            authors: Hits::default(),
            kinds: None,
            relation: memmem::Finder::new("rel"),
            reviews: Vec::new(),
            no_author: false,
            with_links: true,
        }
    }

    /// Reads an element that says what it holds by its name. Is there nothing more to it?
    fn declared(&mut self, node: NodeId, tag: Tag) -> bool {
        match tag {
            Tag::Html if node == 0 => {
                let lang = self
                    .tree
                    .attribute(node, "lang")
                    .or_else(|| self.tree.attribute(node, "xml:lang"));
                self.findings.add(Language, Source::Lang, 0, node, &lang.unwrap_or_default());
            }
            Tag::Meta => self.meta(node),
            Tag::Link if self.with_links => self.link(node),
            Tag::Link => {}
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
                return false;
            }
            Tag::Style => {}
            // A parser repeats formatting elements that were left open; they were written once.
            _ => return self.tree.nodes[node as usize].carried,
        }
        true
    }

    fn meta(&mut self, node: NodeId) {
        let names = ["content", "property", "name", "http-equiv", "itemprop"];
        let [content, property, name, equivalent, properties] =
            self.tree.attributes_named(node, names);
        let Some(content) = content else { return };
        for names in [property, name, equivalent].into_iter().flatten() {
            // Several names may stand in one attribute of RDFa.
            for name in names.split_ascii_whitespace().take(4) {
                self.named(node, name, &content);
            }
        }
        if let Some(properties) = properties {
            self.property(node, &properties, Some(&content));
        }
    }

    fn named(&mut self, node: NodeId, name: &str, content: &str) {
        if name.len() > 64 {
            return;
        }
        let mut name = name.to_ascii_lowercase();
        if name.starts_with("dc:") || name.starts_with("dcterms:") {
            name = name.replacen(':', ".", 1);
        }
        let name = name.as_str();
        let mut is_known = false;
        // `twitter:data1` is what `twitter:label1` says: the author, the price, the minutes that reading takes.
        if name == "twitter:label1" {
            self.no_author = !names::is_author_label(content);
        } else if name == "twitter:data1" && self.no_author {
            return;
        }
        for (_, field, source, rank) in names::metas(name) {
            self.findings.add(*field, *source, *rank, node, content);
            is_known = true;
        }
        // Whoever invents a name for it has both words in it.
        if !is_known && name.contains("publish") && contains_any(name, &["date", "time"]) {
            self.findings.add(Published, Source::Meta, 4, node, content);
        }
    }

    fn link(&mut self, node: NodeId) {
        let [Some(rel), Some(href)] = self.tree.attributes_named(node, ["rel", "href"]) else {
            return;
        };
        for rel in rel.split_ascii_whitespace().take(8) {
            let is = |name: &str| rel.eq_ignore_ascii_case(name);
            let (field, rank) = match () {
                () if is("canonical") => (Canonical, 0),
                () if is("image_src") => (Image, 3),
                () if is("license") => (Licence, 0),
                () => continue,
            };
            self.findings.add(field, Source::Link, rank, node, &href);
        }
    }

    fn script(&mut self, node: NodeId) {
        if !json_ld::is_linked_data(self.tree, node) {
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

    /// An element whose attributes may say that it holds an author, a date or a licence. The start tag
    /// is searched first: few have any of these words, and parsing attributes is dear.
    fn described(&mut self, node: NodeId, tag: Tag, is_near: bool) {
        let tree = self.tree;
        let (start, end) = (tree.nodes[node as usize].start, tree.nodes[node as usize].end);
        if end - start < 6 && tag != Tag::Time {
            return;
        }
        let mut published = false;
        if self.properties.is_in(tree, node) {
            let [properties, kind] = tree.attributes_named(node, ["itemprop", "itemtype"]);
            if let Some(properties) = properties {
                published = self.property(node, &properties, None);
                self.note_review(node, &properties);
            }
            self.kind(node, kind.as_deref());
        } else if self.kinds.as_mut().is_some_and(|kinds| kinds.is_in(tree, node)) {
            self.kind(node, tree.attribute(node, "itemtype").as_deref());
        }
        let hints = if is_near { Hints::of(tree, node) } else { Hints::default() };
        if hints.property {
            let properties = tree.attribute(node, "property").unwrap_or_default();
            published |= self.property(node, &properties, None);
        }
        let names_author = self.authors.is_in(tree, node);
        if tag == Tag::A {
            self.related(node, tree.start_tag(node), names_author);
        }
        if tag == Tag::Time {
            if !published {
                self.time(node, &self.class(node));
            }
        } else if names_author || hints.byline {
            self.byline(node, &self.class(node));
        } else if hints.date {
            self.dated(node, &self.class(node));
        }
    }

    /// Dates by their class anywhere, for pages that have none where it is expected.
    fn distant_dates(&mut self) {
        let tree = self.tree;
        let mut dates = Hits::new(tree, "date");
        for node in tree.nodes().filter(|node| tree.tag(*node).is_some()) {
            if dates.is_in(tree, node) && !tree.nodes[node as usize].carried {
                self.dated(node, &self.class(node));
            }
        }
    }

    fn kind(&mut self, node: NodeId, kind: Option<&str>) {
        let name = kind.unwrap_or_default().trim().rsplit('/').next().unwrap_or_default();
        self.findings.add(Kind, Source::Microdata, 4, node, name);
    }

    /// The names that an element has for those who style and test it.
    fn class(&self, node: NodeId) -> String {
        let names = self.tree.attributes_named(node, ["class", "id", "data-testid"]);
        let [class, id, test] = names.map(Option::unwrap_or_default);
        // Utility classes may be hundreds; what matters is short.
        let all =
            class.split_ascii_whitespace().chain([&*id, &*test]).filter(|name| name.len() < 64);
        all.take(32).collect::<Vec<_>>().join(" ").to_ascii_lowercase()
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
                let is_theirs = matches!(field, Author | Published | Modified);
                if is_theirs && self.is_of_review(node) {
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

    fn related(&mut self, node: NodeId, start_tag: &str, names_author: bool) {
        if names_author
            && contains_any(start_tag, &["/author/", "/authors/"])
            && self.findings.has_room(Author, Source::AuthorLink)
        {
            let text = self.name(node);
            self.findings.add(Author, Source::AuthorLink, 9, node, &text);
        }
        if self.relation.find(start_tag.as_bytes()).is_none() {
            return;
        }
        let Some(rel) = self.tree.attribute(node, "rel") else { return };
        for rel in rel.split_ascii_whitespace().take(8) {
            match rel.to_ascii_lowercase().as_str() {
                "author" if self.findings.has_room(Author, Source::AuthorLink) => {
                    let text = self.name(node);
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
        if !self.findings.has_room(field, Source::Time) || self.is_of_review(node) {
            return;
        }
        let stated = self.tree.attribute(node, "datetime").filter(|value| !value.trim().is_empty());
        let value = stated.map_or_else(|| self.text(node, true), std::borrow::Cow::into_owned);
        self.findings.add(field, Source::Time, 6, node, &value);
    }

    fn dated(&mut self, node: NodeId, class: &str) {
        if !contains_any(
            class,
            &["date", "publi", "posted", "timestamp", "post-time", "entry-time"],
        ) || contains_any(class, &["update", "modified", "comment", "copyright", "event"])
            || !self.findings.has_room(Published, Source::Time)
            || self.is_of_review(node)
        {
            return;
        }
        let text = self.text(node, true);
        if text.len() < 100
            && let Some(day) = dates::parse(&text)
        {
            let field = if says_changed(&text) { Modified } else { Published };
            self.findings.add(field, Source::Time, 7, node, &day);
        }
    }

    fn byline(&mut self, node: NodeId, class: &str) {
        let not_a_name = [
            "comment", "avatar", "image", "img", "photo", "social", "bio", "desc", "follow",
            "related", "title", "date", "role", "icon", "links",
        ];
        // `authorized-dealer`, `authoring` and `authority` name nobody.
        let author = class
            .match_indices("author")
            .any(|(at, word)| !class[at + word.len()..].starts_with('i'));
        if !(author || contains_any(class, &["byline", "writer", "posted-by"]))
            || contains_any(class, &not_a_name)
            || !self.findings.has_room(Author, Source::Byline)
            || self.is_in_part_of_others(node)
            || self.is_of_review(node)
        {
            return;
        }
        let text = self.name(node);
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
        // Most texts between elements are whitespace of ASCII.
        let text = self.tree.text(node).trim_ascii();
        if text.len() < 6 {
            return;
        }
        let text = text.trim();
        if text.len() < 6 || text.len() > 120 {
            return;
        }
        let below = self.heading.is_some_and(|heading| node - heading < BELOW_HEADING);
        if below && self.findings.has_room(Author, Source::Text) && is_byline(text) {
            self.findings.add(Author, Source::Text, 10, node, text);
        }
        let digits = || text.bytes().filter(u8::is_ascii_digit).count();
        if text.len() < 60
            && digits() >= 5
            && !text.contains('©')
            && self.findings.has_room(Published, Source::Text)
            && let Some(day) = dates::in_text(text)
        {
            // A date in a sentence is the date of anything.
            let field = match dates::mark(text) {
                Some(Mark::Published) => Published,
                Some(Mark::Changed) => Modified,
                None if (below || self.heading.is_none()) && dates::is_date_line(text) => Published,
                None => return,
            };
            self.findings.add(field, Source::Text, if below { 8 } else { 9 }, node, &day);
        }
    }

    /// Does the element stand in a comment, a review, a teaser or a figure?
    fn is_in_part_of_others(&self, node: NodeId) -> bool {
        let body = |node: &NodeId| self.tree.tag(*node) != Some(Tag::Body);
        let above = self.tree.ancestors(node).take(PARTS_ABOVE).take_while(body);
        let is_figure =
            |node: NodeId| matches!(self.tree.tag(node), Some(Tag::Figure | Tag::Figcaption));
        above.into_iter().any(|node| is_figure(node) || is_of_others(&self.class(node)))
    }

    /// Notes an element that is a review or a comment of something else: of a product, of an article.
    fn note_review(&mut self, node: NodeId, properties: &str) {
        let is_review = |name: &str| {
            ["review", "reviews", "comment"].iter().any(|known| name.eq_ignore_ascii_case(known))
        };
        // One within another says nothing more.
        let is_new = self.reviews.last().is_none_or(|last| node >= last.end);
        if is_new
            && properties.split_ascii_whitespace().any(is_review)
            && self.tree.start_tag(node).contains("itemscope")
        {
            self.reviews.push(node..self.tree.end_of(node));
        }
    }

    /// Is it in one of those? They stand before what is in them.
    fn is_of_review(&self, node: NodeId) -> bool {
        let before = self.reviews.partition_point(|review| review.start < node);
        before > 0 && node < self.reviews[before - 1].end
    }

    /// The text of a byline, without the role and the account that its elements name beside the name.
    fn name(&self, node: NodeId) -> String {
        let end = self.tree.end_of(node).min(node.saturating_add(NEAR_NODES));
        let texts = (node..end).filter(|node| self.tree.tag(*node).is_none());
        let mut pieces =
            texts.map(|node| self.tree.text(node).trim()).filter(|text| !text.is_empty());
        let is_by =
            |piece: &str| piece.eq_ignore_ascii_case("by") || piece.eq_ignore_ascii_case("by:");
        let first =
            pieces.next().and_then(|piece| if is_by(piece) { pieces.next() } else { Some(piece) });
        if let (Some(first), Some(next)) = (first, pieces.next()) {
            let words = || first.split_whitespace();
            let is_name = (2..=4).contains(&words().count())
                && words().all(|word| word.starts_with(char::is_uppercase))
                && first.len() < 60;
            let joins = next.starts_with([',', '&', ';', '|', '/'])
                || matches!(
                    next.split_whitespace().next(),
                    Some("and" | "und" | "et" | "y" | "e" | "i" | "og")
                );
            if is_name && !joins {
                return first.to_owned();
            }
        }
        self.text(node, true)
    }

    fn text(&self, node: NodeId, spaced: bool) -> String {
        text(self.tree, node, spaced)
    }
}

/// Does a short text begin with what bylines begin with, and go on with a name?
fn is_byline(text: &str) -> bool {
    if text.starts_with("作者") {
        return text.len() < 60;
    }
    let Some((by, rest)) = text.split_once(' ') else { return false };
    let is_short = text.len() < 60;
    let begins = matches!(by, "By" | "by")
        || (is_short && matches!(by, "Von" | "Par" | "Por" | "Di" | "Door" | "Av"));
    let names =
        || rest.split_whitespace().take(2).filter(|word| word.starts_with(char::is_uppercase));
    begins && names().count() == 2
}

/// Does a line with a date say that it is the date of a change?
fn says_changed(text: &str) -> bool {
    dates::mark(text) == Some(Mark::Changed)
}

/// Who is named by elements of these classes did not write the page.
fn is_of_others(class: &str) -> bool {
    contains_any(class, &["comment", "testimonial", "reviews", "customer"])
}

fn contains_any(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| text.contains(word))
}
