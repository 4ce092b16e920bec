//! Pages as the retrieval experiment indexes them: block by block as the paper cuts them, and as each extractor
//! reads them.

use std::collections::{BTreeSet, HashSet};

use webstrata::cutting::Cutting;
use webstrata::metadata::Metadata;
use webstrata::{Extractor, Options, Page};
use webstrata_base::Error;
use webstrata_corpus::similarity::{NearOptions, NearSketch, NearText};

use super::graded::topic_of;
use webstrata_search::entry::{Entry, Piece};
use webstrata_search::tokens;

/// Where queries come from that have their own page as the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Words {
    /// What pages call themselves, without the name of the site.
    Titles,
    /// What pages say they are about.
    Descriptions,
    /// Key words that several pages state. All these pages are answers.
    Topics,
}

impl Words {
    /// All with their names.
    pub const ALL: [(Words, &'static str); 3] = [
        (Words::Titles, "titles"),
        (Words::Descriptions, "descriptions"),
        (Words::Topics, "topics"),
    ];

    /// What a page says of itself.
    fn of(self, metadata: Metadata) -> Option<String> {
        let said = match self {
            Words::Titles => metadata.title,
            Words::Descriptions => metadata.description,
            Words::Topics => None,
        };
        said.map(|said| said.value)
    }
}

/// What becomes of text that repeats the query on the page that it was taken from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Repeats {
    /// It is left out, in main text and boilerplate alike. A query that was copied from a page stands on that page,
    /// in its heading, its path of links, its buttons: finding it there says nothing about the rest.
    #[default]
    Drop,
    /// It stays.
    Keep,
}

/// How pages are read.
pub struct Reader {
    extractors: Vec<&'static Extractor>,
    words: Words,
    repeats: Repeats,
    sketch: NearSketch,
}

/// A page that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadPage {
    /// What is indexed: pieces as the paper cuts pages, and the extractors' texts. No title: queries are made of it.
    pub entry: Entry,
    /// The query whose answer it is.
    pub words: Option<String>,
    /// The topics that it states.
    pub topics: Vec<String>,
    /// Its main text, to find others that are nearly the same; nothing where it has none.
    pub text: Option<NearText>,
}

impl Reader {
    /// A reader for these extractors, by name.
    pub fn new(extractors: &[String], words: Words, repeats: Repeats) -> Result<Reader, Error> {
        let named = |name: &String| {
            Extractor::named(name).ok_or_else(|| {
                Error::new(format!("{name}: no such extractor; `webstrata extractors` lists them"))
            })
        };
        let extractors = extractors.iter().map(named).collect::<Result<_, _>>()?;
        let sketch = NearSketch::new(NearOptions::default());
        Ok(Reader { extractors, words, repeats, sketch })
    }

    /// The names of the extractors, as an index needs them.
    pub fn texts(&self) -> Vec<String> {
        self.extractors.iter().map(|extractor| extractor.name.clone()).collect()
    }

    /// Reads a page. Where somebody has noted its query, that is taken instead of what the page says.
    pub fn read(
        &self,
        name: &str,
        bytes: &[u8],
        url: Option<String>,
        noted: Option<String>,
    ) -> ReadPage {
        let options = Options { url, ..Options::default() };
        let mut page = Extractor::default_builtin().extract_page(bytes, &options);
        let metadata = page.metadata();
        let topics: BTreeSet<String> =
            metadata.tags.iter().filter_map(|tag| topic_of(&tag.value)).collect();
        let words = noted.or_else(|| self.words.of(metadata));
        let repeats = match (self.repeats, self.words) {
            (Repeats::Keep, _) => Repeated::default(),
            (Repeats::Drop, Words::Topics) => Repeated::of_topics(&topics),
            (Repeats::Drop, _) => Repeated::of(words.as_deref().unwrap_or_default()),
        };
        let text = self.sketch.text(&page.text());
        page.cut_again(Cutting::Atomic, &options);
        let texts = self.extractors.iter().map(|extractor| {
            let text = extractor.extract_with(bytes, &options).text();
            let lines: Vec<String> = text.lines().map(|line| repeats.without(line)).collect();
            (extractor.name.clone(), lines.join("\n"))
        });
        let entry = Entry {
            id: name.to_owned(),
            texts: texts.collect(),
            pieces: pieces(&page, &repeats),
            ..Entry::default()
        };
        ReadPage { entry, words, topics: topics.into_iter().collect(), text }
    }
}

/// A piece is as long and as dense as it is on the page, whatever is left out of it.
fn pieces(page: &Page<'_>, repeats: &Repeated) -> Vec<Piece> {
    let document = &page.document;
    let piece = |(index, atom): (usize, &webstrata::Atom)| Piece {
        words: atom.counts.words,
        density: atom.counts.text_density(),
        text: repeats.without(document.atom_text(index)),
    };
    document.atoms.iter().enumerate().map(piece).collect()
}

/// The words of a query, to be left out where a text repeats them.
#[derive(Default)]
struct Repeated {
    words: Vec<String>,
    set: HashSet<String>,
    /// Are only lines left out that have no other word? A page lists its key words.
    only_lists: bool,
}

impl Repeated {
    fn of(query: &str) -> Repeated {
        let words: Vec<String> = tokens::words(&super::known_items::cut(query)).collect();
        // "Home" is no query, and may stand.
        if words.len() < 2 {
            return Repeated::default();
        }
        Repeated { set: words.iter().cloned().collect(), words, only_lists: false }
    }

    fn of_topics(topics: &BTreeSet<String>) -> Repeated {
        let words = topics.iter().flat_map(|topic| topic.split(' ')).map(str::to_owned);
        Repeated { words: Vec::new(), set: words.collect(), only_lists: true }
    }

    /// A line without the query, word for word; nothing of a line that is little else, such as a heading with a word
    /// more, or one that is cut short: two thirds of its words are of the query, and half of the query's words are
    /// there.
    fn without(&self, line: &str) -> String {
        if self.set.is_empty() {
            return line.to_owned();
        }
        let words: Vec<String> = tokens::words(line).collect();
        if self.only_lists {
            let is_list = words.iter().all(|word| self.set.contains(word));
            return if is_list { String::new() } else { line.to_owned() };
        }
        let shared = words.iter().filter(|word| self.set.contains(*word)).count();
        if shared == 0 {
            return line.to_owned();
        }
        let covered = self.set.iter().filter(|word| words.contains(word)).count();
        if 3 * shared >= 2 * words.len() && 2 * covered >= self.set.len() {
            return String::new();
        }
        let mut kept: Vec<&str> = Vec::with_capacity(words.len());
        let (mut at, mut found) = (0, false);
        while at < words.len() {
            if words[at..].starts_with(&self.words) {
                at += self.words.len();
                found = true;
            } else {
                kept.push(&words[at]);
                at += 1;
            }
        }
        if found { kept.join(" ") } else { line.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &[u8] = b"<title>The spring tide explained | Harbour Post</title>\
        <meta name=description content='Why the sea rises twice'>\
        <nav><a href=/>Home</a> <a href=/x>The spring tide, explained</a></nav><h1>The spring tide explained</h1>\
        <p>Twice a month the sun and the moon pull in one line, and the water in the harbour rises higher than on \
        other days. Nobody who has read The Spring Tide Explained will be surprised by a spring tide.</p>\
        <p>A day and a half later the highest water of the month is seen at the pier, as the tables say.</p>";

    fn read(words: Words, repeats: Repeats, noted: Option<&str>) -> ReadPage {
        let reader = Reader::new(&["strata".to_owned(), "bte".to_owned()], words, repeats).unwrap();
        reader.read("a", PAGE, None, noted.map(str::to_owned))
    }

    #[test]
    fn a_page_without_its_title() {
        let page = read(Words::Titles, Repeats::Drop, None);
        assert_eq!(page.words.as_deref(), Some("The spring tide explained"));
        let all =
            page.entry.pieces.iter().map(|piece| &piece.text[..]).collect::<Vec<_>>().join("\n");
        assert!(!all.to_lowercase().contains("explained"), "{all}");
        assert!(all.contains("will be surprised by a spring tide"), "{all}");
        assert!(page.entry.pieces.iter().any(|piece| piece.words > 20));
        assert!(
            page.entry
                .texts
                .iter()
                .all(|(_, text)| !text.contains("explained") && text.contains("pier"))
        );
        assert_eq!(page.entry.title, "");
    }

    #[test]
    fn repeats_can_stay_and_queries_can_be_noted() {
        let page = read(Words::Descriptions, Repeats::Keep, None);
        assert_eq!(page.words.as_deref(), Some("Why the sea rises twice"));
        assert!(page.entry.pieces.iter().any(|piece| piece.text == "The spring tide explained"));
        let page = read(Words::Titles, Repeats::Drop, Some("high water"));
        assert_eq!(page.words.as_deref(), Some("high water"));
        assert!(page.entry.pieces.iter().any(|piece| piece.text == "The spring tide explained"));
    }

    #[test]
    fn topics_and_their_lists() {
        let html = b"<title>Rope</title><meta name=keywords content='Spring tide, harbour'>\
            <ul><li>Harbour<li>Spring tide<li>Ferries</ul>\
            <p>The spring tide in our harbour was higher than ever, and nobody had tied the boats to the pier.</p>";
        let reader = Reader::new(&["bte".to_owned()], Words::Topics, Repeats::Drop).unwrap();
        let page = reader.read("a", html, None, None);
        assert_eq!((page.words, page.topics), (None, vec!["harbour".into(), "spring tide".into()]));
        let texts: Vec<&str> = page.entry.pieces.iter().map(|piece| &piece.text[..]).collect();
        assert!(!texts.contains(&"Harbour") && texts.contains(&"Ferries"), "{texts:?}");
        assert!(texts.iter().any(|text| text.starts_with("The spring tide")), "{texts:?}");
        assert!(page.text.is_some());
    }

    #[test]
    fn what_repeats_a_query() {
        let repeated = Repeated::of("Ten tips for a dry boat");
        for (line, rest) in [
            ("Ten Tips for a Dry Boat", ""),
            ("10: ten tips for a dry", ""),
            ("Comments on ten tips for a dry boat (5)", ""),
            ("A boat is dry if its owner is", "A boat is dry if its owner is"),
            (
                "We read ten tips for a dry boat, and all of them were of no use to us here",
                "we read and all of them were of no use to us here",
            ),
            ("", ""),
        ] {
            assert_eq!(repeated.without(line), rest, "{line}");
        }
        assert_eq!(Repeated::of("Home").without("Home"), "Home");
    }

    #[test]
    fn an_unknown_extractor_is_named() {
        let error =
            Reader::new(&["nosuch".to_owned()], Words::Titles, Repeats::Drop).err().unwrap();
        assert!(error.to_string().starts_with("nosuch: no such extractor"));
    }
}
