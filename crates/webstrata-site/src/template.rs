//! Extracts pages with the help of their site's other pages.
//!
//! ```
//! use webstrata::{Extractor, Options};
//! use webstrata_site::template::SiteExtractor;
//! use webstrata_site::url_key::Rules;
//! use webstrata_site::url_tree::UrlTree;
//!
//! let site = SiteExtractor::new(Extractor::named("site").unwrap());
//! let (mut tree, options) = (UrlTree::default(), Options::default());
//! let mut text = String::new();
//! for word in ["one", "two", "three", "four", "five", "six"] {
//!     let page = format!("<p>Subscribe now!<p>Today's word is {word}.");
//!     let key = Rules::default().key(&format!("https://example.org/{word}"), "").unwrap();
//!     let reading = site.read(page.as_bytes(), &options);
//!     tree.insert(&mut reading.visit(key.clone(), 0));
//!     text = site.judge(reading, &key, &tree, &options).document.text();
//! }
//! assert_eq!(text, "Today's word is six.\n");
//! ```
//!
//! Reading is most of the work and asks no tree, so it can be done on many threads; pages then enter the
//! tree in their order. Where all pages are at hand, a first pass fills the tree and a second one judges:
//! then the first pages of a site are as well known as the last.

mod known;

use std::collections::HashMap;

use webstrata::site::{Sighting, Site};
use webstrata::{Document, Extractor, NodeId, Options, Page, Tree};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::url_key::UrlKey;
use crate::url_tree::{Heuristic, UrlTree, Visit, similar, text_key};

pub use self::known::{KnownSites, SiteReader, insert};

/// Elements around a text that tell its place: those nearest to it.
const ELEMENTS: usize = 3;
/// So that the keys of places are not those of texts, nor of places with another verdict.
const DROPPED: u64 = 1;
const KEPT: u64 = 2;

/// An extractor that knows a page's site.
#[derive(Clone, Debug)]
pub struct SiteExtractor {
    first: Extractor,
    then: Extractor,
    /// Which node of the tree judges, and how strictly.
    pub heuristic: Heuristic,
    /// Is the tree one of similar texts ([`UrlTree::of_similar`])?
    pub is_similar: bool,
}

/// A page that was read and judged by itself, and what the tree is to know of it.
pub struct Reading<'a> {
    /// The page, its blocks judged as far as other pages are not needed.
    pub page: Page<'a>,
    /// Its texts and places.
    pub keys: Keys,
}

/// The texts and places of a page's atoms as numbers.
#[derive(Clone, Debug)]
pub struct Keys {
    /// Of its texts, as a tree counts them.
    pub texts: Vec<u64>,
    places: Vec<u64>,
}

impl SiteExtractor {
    /// An extractor whose steps may ask for the site; of others, the tree changes nothing.
    pub fn new(extractor: &Extractor) -> SiteExtractor {
        let (first, then) = extractor.split_at_site();
        SiteExtractor { first, then, heuristic: Heuristic::default(), is_similar: false }
    }

    /// Reads a page and applies the steps that look at it alone.
    pub fn read<'a>(&self, bytes: &'a [u8], options: &Options) -> Reading<'a> {
        let mut page = Page::read(bytes, self.first.cutting, options);
        self.first.apply(&mut page.document);
        let hash = if self.is_similar { similar::sketch } else { text_key };
        let texts = (0..page.document.atoms.len()).map(|atom| hash(page.document.atom_text(atom)));
        let keys = Keys { texts: texts.collect(), places: places(&page) };
        Reading { page, keys }
    }

    /// Applies the steps that look at the site to a document that was judged by itself, without the
    /// extractors to fall back to. The page should be in the tree.
    pub fn judge_document(
        &self,
        document: &mut Document,
        keys: &Keys,
        key: &UrlKey,
        tree: &UrlTree,
    ) {
        document.site = Some(Box::new(keys.sighted(key, tree, self.heuristic)));
        self.then.apply(document);
    }

    /// Applies the steps that look at the site. The page should be in the tree.
    pub fn judge<'a>(
        &self,
        reading: Reading<'a>,
        key: &UrlKey,
        tree: &UrlTree,
        options: &Options,
    ) -> Page<'a> {
        let Reading { mut page, keys } = reading;
        page.document.site = Some(Box::new(keys.sighted(key, tree, self.heuristic)));
        self.then.apply_to(&mut page, options);
        page
    }
}

impl<'a> Reading<'a> {
    /// The page as it is inserted into the tree.
    pub fn visit(&self, key: UrlKey, time: i64) -> Visit {
        let texts = self.keys.texts.clone();
        Visit { key, time, texts, places: self.keys.places(&self.page.document) }
    }

    /// What the tree says of the page's texts and places.
    pub fn sighted(&self, key: &UrlKey, tree: &UrlTree, heuristic: Heuristic) -> Site {
        self.keys.sighted(key, tree, heuristic)
    }

    /// The document, judged by itself.
    pub fn document(&self) -> &Document {
        &self.page.document
    }
}

impl Keys {
    /// The keys of the places, each with the verdict on most of what stands there, by the document that
    /// was judged by itself.
    pub fn places(&self, document: &Document) -> Vec<u64> {
        let mut scores: HashMap<u64, (f32, f32)> = HashMap::new();
        for block in &document.blocks {
            for atom in block.atoms() {
                let (sum, count) = scores.entry(self.places[atom]).or_default();
                *sum += block.score;
                *count += 1.0;
            }
        }
        let verdict = |(place, (sum, count)): (u64, (f32, f32))| {
            place_key(place, if sum >= 0.5 * count { KEPT } else { DROPPED })
        };
        scores.into_iter().map(verdict).collect()
    }

    /// What the tree says of the texts and places. A page that is not in the tree counts as if it were.
    pub fn sighted(&self, key: &UrlKey, tree: &UrlTree, heuristic: Heuristic) -> Site {
        let view = tree.view(key);
        let own = u32::from(!view.holds_page());
        let (node, domain) = (view.select(heuristic), view.domain());
        let sighting = |(text, place): (&u64, &u64)| {
            let text = view.known(*text);
            let kept = view.count(domain, place_key(*place, KEPT));
            Sighting {
                repeated: own + view.count(node, text),
                pages: own + view.count(domain, text),
                place: own + kept + view.count(domain, place_key(*place, DROPPED)),
                kept,
            }
        };
        Site {
            pages: own + view.support(domain),
            below: own + view.support(node),
            most: view.most(heuristic),
            sightings: self.texts.iter().zip(&self.places).map(sighting).collect(),
        }
    }
}

fn place_key(place: u64, verdict: u64) -> u64 {
    xxh3_64_with_seed(&place.to_le_bytes(), verdict)
}

/// For each atom, where it stands: the names, first classes and ids of the elements around it.
fn places(page: &Page<'_>) -> Vec<u64> {
    let tree = &page.tree;
    // Each element is looked at once, however many texts stand in it.
    let mut known: HashMap<NodeId, u64> = HashMap::new();
    let mut text = String::new();
    let place = |atom: &webstrata::Atom| {
        let Some(parent) = tree.parent(atom.nodes.start) else { return 0 };
        let mut place = 0;
        for element in tree.ancestors(parent).take(ELEMENTS) {
            let hash = *known.entry(element).or_insert_with(|| {
                text.clear();
                describe(tree, element, &mut text);
                xxh3_64_with_seed(text.as_bytes(), 0)
            });
            place = xxh3_64_with_seed(&hash.to_le_bytes(), place);
        }
        place
    };
    page.document.atoms.iter().map(place).collect()
}

/// An element as texts of a site have it in common. Classes and ids with digits are left out, since many
/// number posts.
fn describe(tree: &Tree<'_>, element: NodeId, to: &mut String) {
    to.push_str(&tree.name(element).unwrap_or_default());
    let lasts = |name: &&str| !name.bytes().any(|byte| byte.is_ascii_digit());
    if let Some(classes) = tree.attribute(element, "class")
        && let Some(class) = classes.split_whitespace().find(lasts)
    {
        to.push('.');
        to.push_str(class);
    }
    if let Some(id) = tree.attribute(element, "id").filter(|id| lasts(&&**id)) {
        to.push('#');
        to.push_str(&id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::url_key::Rules;
    use crate::url_tree::Bounds;

    fn key(number: usize) -> UrlKey {
        Rules::default().key(&format!("https://example.org/{number}"), "").unwrap()
    }

    fn sighted(pages: &[&str], tree: &mut UrlTree) -> Site {
        let mut site = SiteExtractor::new(Extractor::named("site").unwrap());
        site.is_similar = tree.is_similar();
        let mut last = Site::default();
        for (number, page) in pages.iter().enumerate() {
            let reading = site.read(page.as_bytes(), &Options::default());
            tree.insert(&mut reading.visit(key(number), 0));
            last = reading.sighted(&key(number), tree, Heuristic::StrictAtDomain);
        }
        last
    }

    #[test]
    fn texts_and_places_are_counted_apart() {
        let pages = [
            "<div class='post-1 hentry'><p>First</div><nav><a>Home</a></nav>",
            "<div class='post-2 hentry'><p>Second<p>Third</div><nav><a>Home</a></nav>",
        ];
        let site = sighted(&pages, &mut UrlTree::default());
        let counts: Vec<_> = site.sightings.iter().map(|one| (one.pages, one.place)).collect();
        assert_eq!(counts, [(1, 2), (1, 2), (2, 2)]);
        assert_eq!((site.pages, site.below, site.most), (2, 2, 1));
    }

    #[test]
    fn similar_texts_are_one_where_the_tree_takes_them_so() {
        let notice = "Copyright of all texts and pictures on these pages is with the harbour office; this page \
            was made in half a second by machine";
        let pages = ["alpha", "beta", "gamma"].map(|name| format!("<p>{notice} {name}."));
        let pages = pages.each_ref().map(String::as_str);
        assert_eq!(sighted(&pages, &mut UrlTree::default()).sightings[0].pages, 1);
        let mut similar = UrlTree::of_similar(Bounds::default());
        assert_eq!(sighted(&pages, &mut similar).sightings[0].pages, 3);
    }

    #[test]
    fn a_page_that_is_not_in_the_tree_counts_as_if_it_were() {
        let site = SiteExtractor::new(Extractor::named("site").unwrap());
        let page = "<p>Home<p>Tide";
        let reading = site.read(page.as_bytes(), &Options::default());
        let mut tree = UrlTree::default();
        let count = |tree: &UrlTree| {
            let site = reading.sighted(&key(1), tree, Heuristic::StrictAtDomain);
            (site.pages, site.sightings[0].pages, site.sightings[0].place)
        };
        assert_eq!(count(&tree), (1, 1, 1));
        tree.insert(&mut reading.visit(key(0), 0));
        assert_eq!(count(&tree), (2, 2, 2));
        tree.insert(&mut reading.visit(key(1), 0));
        assert_eq!(count(&tree), (2, 2, 2));
    }

    #[test]
    fn three_elements_make_a_place() {
        let site = SiteExtractor::new(Extractor::named("site").unwrap());
        let places = |page: &str| site.read(page.as_bytes(), &Options::default()).keys.places;
        let found = places("<main><div class=a><p>x</div></main><div class=a><p>y</div>");
        assert_ne!(found[0], found[1]);
        let found = places(
            "<main><section><div><p>x</div></section></main><section><div><p>y</div></section>",
        );
        assert_eq!(found[0], found[1]);
    }

    #[test]
    fn the_default_extractor_asks_no_tree() {
        let site = SiteExtractor::new(Extractor::default_builtin());
        let page =
            "<p>High water is at noon, as the harbour office says in its tables of this year.";
        let options = Options::default();
        let reading = site.read(page.as_bytes(), &options);
        let text = site.judge(reading, &key(0), &UrlTree::default(), &options).document.text();
        assert_eq!(text, Extractor::default_builtin().extract(page.as_bytes()).text());
    }
}
