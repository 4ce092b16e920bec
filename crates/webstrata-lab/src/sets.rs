//! Sets of pages with gold texts:
//!
//! ```text
//! <set>/pages/<id>.html       the page, its own bytes
//! <set>/gold/<id>.txt         what a person took for its text, UTF-8
//! <set>/annotated/<id>.html   the page with a span around every text (l3s-gn1; optional)
//! <set>/urls.tsv              id, tab, URL (optional)
//! ```

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use sha2::{Digest, Sha256};
use webstrata::{Tag, Tree};

use webstrata_base::error::Error;

/// A folder of pages with gold texts.
#[derive(Clone, Debug)]
pub struct Set {
    /// The name of its folder.
    pub name: String,
    /// Its folder.
    pub path: PathBuf,
    /// The pages that have a gold text, ordered by id.
    pub entries: Vec<Entry>,
    /// Pages without gold and gold without pages: a line each, for people.
    pub notes: Vec<String>,
}

/// One page of a set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The name of its files without what follows the dot.
    pub id: String,
    /// The page.
    pub page: PathBuf,
    /// Its gold text.
    pub gold: PathBuf,
    /// The page with its texts' classes, where the set has such.
    pub annotated: Option<PathBuf>,
    /// Where it came from, where that is known.
    pub url: Option<String>,
}

impl Set {
    /// Reads the list of a set's pages. What lacks a page or a gold text is left out and noted.
    pub fn open(path: &Path) -> Result<Set, Error> {
        let (pages, gold) = (path.join("pages"), path.join("gold"));
        for folder in [&pages, &gold] {
            if !folder.is_dir() {
                let wanted = "no such folder; a set has pages/<id>.html and gold/<id>.txt";
                return Err(Error::at(folder, wanted));
            }
        }
        let (page_ids, gold_ids) = (ids(&pages, "html")?, ids(&gold, "txt")?);
        let annotated = path.join("annotated");
        let mut urls = urls(&path.join("urls.tsv"))?;
        let mut notes = Vec::new();
        for id in page_ids.difference(&gold_ids) {
            let page = pages.join(format!("{id}.html"));
            notes.push(format!("{}: no gold text, left out", page.display()));
        }
        for id in gold_ids.difference(&page_ids) {
            let gold = gold.join(format!("{id}.txt"));
            notes.push(format!("{}: no page, left out", gold.display()));
        }
        let entries = page_ids.intersection(&gold_ids).map(|id| {
            let html = format!("{id}.html");
            Entry {
                page: pages.join(&html),
                gold: gold.join(format!("{id}.txt")),
                annotated: Some(annotated.join(&html)).filter(|path| path.is_file()),
                url: urls.remove(id),
                id: id.clone(),
            }
        });
        let entries: Vec<Entry> = entries.collect();
        if entries.is_empty() {
            return Err(Error::at(path, "no page of this set has a gold text"));
        }
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        Ok(Set { name, path: path.to_owned(), entries, notes })
    }

    /// Keeps so many of the pages, at even distances; all where there are not more. Always the same.
    pub fn sample(&mut self, pages: usize) {
        let all = self.entries.len();
        if pages < all {
            let kept = (0..pages).map(|page| self.entries[page * all / pages].clone());
            self.entries = kept.collect();
        }
    }

    /// All that experiments take from the set: [`digest`] of its pages, with annotations and URLs.
    pub fn digest(&self) -> Result<String, Error> {
        let of = |entry: &Entry| {
            let page = entry.digest(&entry.read_page()?, &entry.read_gold()?);
            let annotated = entry.annotated.as_deref().map(read).transpose()?.unwrap_or_default();
            let url = entry.url.as_deref().unwrap_or_default();
            Ok(digest_of(&[&page, &annotated, url.as_bytes()]))
        };
        let pages: Result<Vec<PageDigest>, Error> = self.entries.par_iter().map(of).collect();
        Ok(digest(&pages?))
    }
}

/// The folders of sets: `path` itself, or those in it that have pages, ordered by name.
pub fn folders(path: &Path) -> Result<Vec<PathBuf>, Error> {
    let has_pages = |path: &PathBuf| path.join("pages").is_dir();
    if !path.is_dir() {
        return Err(Error::at(path, "no such folder"));
    }
    if has_pages(&path.to_owned()) || path.join("gold").is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let entries = fs::read_dir(path).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let entries = entries.map_err(|error| Error::io(path, &error))?;
    let mut found: Vec<PathBuf> =
        entries.iter().map(fs::DirEntry::path).filter(has_pages).collect();
    found.sort();
    if found.is_empty() {
        let wanted = "no set and no folder of sets; a set has pages/<id>.html and gold/<id>.txt";
        return Err(Error::at(path, wanted));
    }
    Ok(found)
}

/// What is in a set: SHA-256 over the digests of its pages, in hexadecimal.
pub fn digest(pages: &[PageDigest]) -> String {
    let mut digest = Sha256::new();
    pages.iter().for_each(|page| digest.update(page));
    digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// SHA-256 of a page's id, bytes and gold text.
pub type PageDigest = [u8; 32];

impl Entry {
    /// The page's bytes.
    pub fn read_page(&self) -> Result<Vec<u8>, Error> {
        read(&self.page)
    }

    /// The gold text.
    pub fn read_gold(&self) -> Result<String, Error> {
        Ok(String::from_utf8_lossy(&read(&self.gold)?).into_owned())
    }

    /// Tells this page with this content and gold text from all others.
    pub fn digest(&self, page: &[u8], gold: &str) -> PageDigest {
        digest_of(&[self.id.as_bytes(), page, gold.as_bytes()])
    }

    /// The site that the page belongs to: the registrable domain of its URL, or else of the address
    /// that the page itself gives as its own. A page of unknown origin is a site of its own.
    pub fn site(&self, tree: &Tree<'_>) -> String {
        let host = self.url.as_deref().and_then(host).or_else(|| own_host(tree));
        host.map_or_else(|| format!("page {}", self.id), |host| registrable(&host))
    }
}

fn read(file: &Path) -> Result<Vec<u8>, Error> {
    fs::read(file).map_err(|error| Error::io(file, &error))
}

fn digest_of(parts: &[&[u8]]) -> PageDigest {
    let mut digest = Sha256::new();
    for part in parts {
        // The length, so that nothing moves from one part to the next unseen.
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part);
    }
    digest.finalize().into()
}

/// The host that a page names as its own: in `<link rel=canonical href=…>`, or else in
/// `<meta property="og:url" content=…>`. Relative addresses name none.
fn own_host(tree: &Tree<'_>) -> Option<String> {
    let find = |tag: Tag, key: &str, wanted: &str, value: &str| {
        let elements = tree.nodes().filter(|node| tree.tag(*node) == Some(tag));
        let named = elements.filter(|node| {
            let names = tree.attribute(*node, key).unwrap_or_default();
            names.split_ascii_whitespace().any(|name| name.eq_ignore_ascii_case(wanted))
        });
        named.filter_map(|node| host(tree.attribute(node, value)?.trim())).next()
    };
    find(Tag::Link, "rel", "canonical", "href")
        .or_else(|| find(Tag::Meta, "property", "og:url", "content"))
}

/// The host of a URL, in lower case.
fn host(url: &str) -> Option<String> {
    let (scheme, rest) = url.split_once("//")?;
    if !(scheme.is_empty() || scheme.ends_with(':')) || scheme.contains(['/', '?', '#']) {
        return None;
    }
    let authority = rest.split(['/', '?', '#']).next()?;
    let host = authority.rsplit('@').next()?.split(':').next()?;
    (!host.is_empty()).then(|| host.trim_end_matches('.').to_ascii_lowercase())
}

/// `news.example.co.uk` → `example.co.uk`; a host that has no such part is its own.
fn registrable(host: &str) -> String {
    psl::domain_str(host).unwrap_or(host).to_owned()
}

fn ids(folder: &Path, extension: &str) -> Result<BTreeSet<String>, Error> {
    let wrong = |error: std::io::Error| Error::at(folder, error);
    let mut ids = BTreeSet::new();
    for file in fs::read_dir(folder).map_err(wrong)? {
        let path = file.map_err(wrong)?.path();
        if path.extension().is_some_and(|found| found == extension)
            && let Some(id) = path.file_stem()
        {
            ids.insert(id.to_string_lossy().into_owned());
        }
    }
    Ok(ids)
}

fn urls(file: &Path) -> Result<HashMap<String, String>, Error> {
    if !file.is_file() {
        return Ok(HashMap::new());
    }
    let text = read(file)?;
    let text = String::from_utf8_lossy(&text);
    let pairs = text.lines().filter_map(|line| line.split_once('\t'));
    Ok(pairs.map(|(id, url)| (id.to_owned(), url.trim().to_owned())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(folder: &Path, file: &str, text: &str) {
        let path = folder.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn site_of(entry: &Entry, page: &str) -> String {
        entry.site(&Tree::parse(page, &webstrata::Limits::default()))
    }

    fn entry(id: &str) -> Entry {
        let (page, gold) = (PathBuf::new(), PathBuf::new());
        Entry { id: id.into(), page, gold, annotated: None, url: None }
    }

    #[test]
    fn what_lacks_its_other_half_is_noted() {
        let folder = tempfile::tempdir().unwrap();
        let set = folder.path().join("tides");
        for file in ["pages/a.html", "pages/b.html", "gold/b.txt", "gold/c.txt", "pages/x.css"] {
            write(&set, file, "High water");
        }
        write(&set, "urls.tsv", "b\thttps://www.Tides.co.uk:80/b?c\nc\tx\n");
        let set = Set::open(&set).unwrap();
        assert_eq!(set.name, "tides");
        let [entry] = &set.entries[..] else { panic!("{:?}", set.entries) };
        assert_eq!((entry.id.as_str(), site_of(entry, "").as_str()), ("b", "tides.co.uk"));
        let canonical = "<link rel=canonical href=https://harbour.example/>";
        assert_eq!(site_of(entry, canonical), "tides.co.uk", "a known URL needs no page");
        assert_eq!(entry.annotated, None);
        let ends = ["pages/a.html: no gold text, left out", "gold/c.txt: no page, left out"];
        assert!(set.notes.iter().zip(ends).all(|(note, end)| note.ends_with(end)));
        assert_eq!(set.notes.len(), 2);
    }

    #[test]
    fn folders_that_are_no_sets() {
        let folder = tempfile::tempdir().unwrap();
        let error = Set::open(folder.path()).unwrap_err().to_string();
        assert!(error.ends_with("a set has pages/<id>.html and gold/<id>.txt"), "{error}");
        write(folder.path(), "pages/a.html", "");
        write(folder.path(), "gold/b.txt", "");
        let error = Set::open(folder.path()).unwrap_err().to_string();
        assert!(error.ends_with("no page of this set has a gold text"), "{error}");
    }

    #[test]
    fn folders_of_sets() {
        let folder = tempfile::tempdir().unwrap();
        let error = |path: &Path| folders(path).unwrap_err().to_string();
        assert!(error(folder.path()).contains("no set and no folder of sets"));
        assert!(error(&folder.path().join("x")).ends_with("x: no such folder"));
        for file in ["b/pages/1.html", "a/pages/1.html", "c/notes.txt"] {
            write(folder.path(), file, "");
        }
        let (a, b) = (folder.path().join("a"), folder.path().join("b"));
        assert_eq!(folders(folder.path()).unwrap(), [a.clone(), b]);
        assert_eq!(folders(&a).unwrap(), [a]);
    }

    #[test]
    fn samples_and_digests() {
        let entries: Vec<Entry> = ["a", "b", "c", "d", "e"].map(entry).into();
        let all = Set { name: "tides".into(), path: PathBuf::new(), entries, notes: Vec::new() };
        let sample = |pages| {
            let mut set = all.clone();
            set.sample(pages);
            set.entries.into_iter().map(|entry| entry.id).collect::<Vec<_>>().concat()
        };
        assert_eq!([sample(1), sample(2), sample(9)], ["a", "ac", "abcde"]);
        let page = |id, page: &str, gold| entry(id).digest(page.as_bytes(), gold);
        let digest_of = digest(&[page("a", "bc", "d")]);
        assert_eq!(digest_of.len(), 64);
        assert_eq!(digest_of, digest(&[page("a", "bc", "d")]));
        for other in [page("b", "bc", "d"), page("a", "b", "cd"), page("a", "bc", "e")] {
            assert_ne!(digest_of, digest(&[other]));
        }
    }

    /// Experiments are not to go on with results of other annotations.
    #[test]
    fn all_of_a_set_is_in_its_digest() {
        let folder = tempfile::tempdir().unwrap();
        let digest = || Set::open(folder.path()).unwrap().digest().unwrap();
        write(folder.path(), "pages/a.html", "High water");
        write(folder.path(), "gold/a.txt", "High water");
        let mut digests = vec![digest()];
        for (file, text) in [
            ("annotated/a.html", "<span class=x-nc-sel1>High water</span>"),
            ("annotated/a.html", "<span class=x-nc-sel2>High water</span>"),
            ("urls.tsv", "a\thttps://tides.example/"),
            ("gold/a.txt", "High"),
        ] {
            write(folder.path(), file, text);
            assert_eq!(digest(), digest());
            digests.push(digest());
        }
        let different: BTreeSet<&String> = digests.iter().collect();
        assert_eq!(different.len(), digests.len());
    }

    #[test]
    fn pages_say_where_they_come_from() {
        let site = |page: &str| site_of(&entry("7"), page);
        let og = "<meta property='og:url' content='http://tides.example.org/x'>";
        for (page, wanted) in [
            ("<link rel=canonical href='https://www.pier.co.uk/a?b'>", "pier.co.uk"),
            ("<LINK REL='alternate Canonical' HREF=' //News.Pier.example/a '>", "pier.example"),
            (og, "example.org"),
            ("<body><p>Late<link rel=canonical href=http://a.pier.example/>", "pier.example"),
            ("<link rel=canonical href='/only/a/path'>", "page 7"),
            ("<link rel=canonical><link rel=stylesheet href=http://cdn.example/a.css>", "page 7"),
            ("<!-- <link rel=canonical href=http://pier.example/> -->", "page 7"),
            ("<meta property=og:url>", "page 7"),
            ("", "page 7"),
        ] {
            assert_eq!(site(page), wanted, "{page}");
        }
        // The canonical link first, and og:url where that says nothing.
        let canonical = |href: &str| site(&format!("{og}<link rel=canonical href={href}>"));
        assert_eq!(canonical("http://pier.example/"), "pier.example");
        assert_eq!(canonical("/x"), "example.org");
    }

    #[test]
    fn hosts() {
        assert_eq!(host("http://user@Example.org:8080/a"), Some("example.org".into()));
        assert_eq!(host("example.org"), None);
        assert_eq!(host("http:///a"), None);
        assert_eq!(host("//Example.org."), Some("example.org".into()));
        assert_eq!(host("/to?http://example.org"), None);
        assert_eq!(host("to#//example.org"), None);
        assert_eq!(registrable("a.b.example.co.uk"), "example.co.uk");
        assert_eq!(registrable("localhost"), "localhost");
    }
}
