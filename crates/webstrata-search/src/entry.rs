//! A page as it is indexed.

use webstrata::metadata::Metadata;
use webstrata::words::{WordRule, count};
use webstrata::{Counts, Document, Page, Record};

/// The columns of a line where a record does not say how its page was cut (paper, section 3.3).
const WIDTH: u32 = 80;

/// A page as it is indexed: what can be asked for, and what is shown of it.
///
/// ```
/// use webstrata::{Extractor, Options};
/// use webstrata_search::Entry;
///
/// let html = b"<title>Tides</title><p>High water is at noon.<p><a href=/>Home</a>";
/// let page = Extractor::named("keep-all").unwrap().extract_page(html, &Options::default());
/// let entry = Entry::of("tides.html", &page);
/// assert_eq!(entry.id, "tides.html");
/// assert_eq!(entry.title, "Tides");
/// assert_eq!(entry.pieces[0].words, 5);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Entry {
    /// What the page is known by: its address, or a name where it has none. A page with the same id
    /// replaces the older one.
    pub id: String,
    /// The address, where it has one.
    pub url: Option<String>,
    /// The title.
    pub title: String,
    /// The main text.
    pub main: String,
    /// All other text.
    pub boilerplate: String,
    /// The host of the address, lower-case.
    pub host: Option<String>,
    /// The language of the main text: `en`, `pt-br`.
    pub language: Option<String>,
    /// When the page was published.
    pub date: Option<Date>,
    /// What the page is for: `article`, `forum`, …
    pub page_type: Option<String>,
    /// The pieces of the page, boilerplate or not, with what a minimum can be set for.
    pub pieces: Vec<Piece>,
    /// The text that other extractors found, by their names; only names that the index was made
    /// for are indexed.
    pub texts: Vec<(String, String)>,
}

/// A block of a page's text.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// The number of words.
    pub words: u32,
    /// The text density (Equation 1 of the paper).
    pub density: f64,
    /// The text.
    pub text: String,
}

impl Piece {
    /// The pieces of a page, as it was cut.
    pub fn all_of(document: &Document) -> Vec<Piece> {
        let atoms = document.atoms.iter().enumerate();
        atoms.map(|(index, atom)| Piece::new(document.atom_text(index), &atom.counts)).collect()
    }

    fn new(text: &str, counts: &Counts) -> Piece {
        Piece { words: counts.words, density: counts.text_density(), text: text.to_owned() }
    }
}

impl Entry {
    /// A page that an extractor was applied to. It is known by its address, or by `name` where it
    /// has none.
    pub fn of(name: &str, page: &Page<'_>) -> Entry {
        let document = &page.document;
        let content = document.content_atoms();
        let mut boilerplate = String::new();
        for index in 0..document.atoms.len() {
            if !content.get(index).copied().unwrap_or(false) {
                push_line(&mut boilerplate, document.atom_text(index));
            }
        }
        let metadata = page.metadata();
        Entry {
            main: document.text(),
            boilerplate,
            page_type: document.page_type.map(|page_type| page_type.name().to_owned()),
            pieces: Piece::all_of(document),
            ..Entry::about(
                name,
                document.url.as_deref(),
                document.title.as_deref(),
                document.language.as_deref(),
                Some(&metadata),
            )
        }
    }

    /// A record, best one with `blocks` and `metadata`. Without blocks nothing is known of the
    /// boilerplate, and the lines of the text are its pieces.
    pub fn of_record(name: &str, record: &Record) -> Entry {
        let (mut main, mut boilerplate) = (String::new(), String::new());
        let mut pieces = Vec::new();
        match &record.blocks {
            Some(blocks) => {
                for block in blocks {
                    // Not all that was kept is written: authors and dates are metadata.
                    let side = if block.content { &mut main } else { &mut boilerplate };
                    push_line(side, &block.text);
                    pieces.push(Piece::new(&block.text, &block.counts));
                }
            }
            None => {
                main.clone_from(&record.text);
                for line in record.text.lines().filter(|line| !line.trim().is_empty()) {
                    let counts = count(line, &[], false, WordRule::Boundaries, WIDTH);
                    pieces.push(Piece::new(line, &counts));
                }
            }
        }
        Entry {
            main,
            boilerplate,
            page_type: record.page_type.map(|page_type| page_type.name().to_owned()),
            pieces,
            ..Entry::about(
                name,
                record.url.as_deref(),
                record.title.as_deref(),
                record.language.as_deref(),
                record.metadata.as_ref(),
            )
        }
    }

    fn about(
        name: &str,
        url: Option<&str>,
        title: Option<&str>,
        language: Option<&str>,
        metadata: Option<&Metadata>,
    ) -> Entry {
        let declared = |field: fn(&Metadata) -> Option<&str>| metadata.and_then(field);
        let title = declared(|metadata| metadata.title.as_ref().map(|title| title.value.as_str()))
            .or(title)
            .unwrap_or_default();
        let language =
            declared(|metadata| metadata.language.as_ref().map(|tag| tag.value.as_str()))
                .or(language)
                .map(|tag| tag.trim().to_lowercase())
                .filter(|tag| !tag.is_empty());
        let date = declared(|metadata| metadata.published.as_ref().map(|date| date.value.as_str()));
        Entry {
            id: url.unwrap_or(name).to_owned(),
            url: url.map(str::to_owned),
            title: title.to_owned(),
            host: url.and_then(host_of),
            language,
            date: date.and_then(Date::parse),
            ..Entry::default()
        }
    }
}

fn push_line(text: &mut String, line: &str) {
    if !line.trim().is_empty() {
        text.push_str(line);
        text.push('\n');
    }
}

/// The host of an absolute address, lower-case, without user and port.
pub(crate) fn host_of(url: &str) -> Option<String> {
    let (_, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?', '#', '\\']).next()?;
    let host = authority.rsplit('@').next()?;
    // An address of version six has colons of its own.
    let host = match host.rfind(']') {
        Some(end) => &host[..=end],
        None => host.split(':').next()?,
    };
    let host = host.trim_end_matches('.').to_lowercase();
    (!host.is_empty()).then_some(host)
}

/// A day, or a month or a year where no more is known: `2026-11-16`, `2026-11`, `2026`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date(u32);

impl Date {
    /// The date at the beginning of an ISO 8601 date or time.
    pub fn parse(text: &str) -> Option<Date> {
        let day = text.trim().split(['T', ' ']).next()?;
        let mut parts = day.split('-');
        let number = |part: Option<&str>, digits: usize, most: u32| -> Option<u32> {
            let Some(part) = part else { return Some(0) };
            let is_number = part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit());
            let number = if is_number { part.parse().ok()? } else { return None };
            (1..=most).contains(&number).then_some(number)
        };
        let year = number(Some(parts.next()?), 4, 9999)?;
        let month = number(parts.next(), 2, 12)?;
        let day = number(parts.next(), 2, 31)?;
        parts.next().is_none().then_some(Date(year * 10_000 + month * 100 + day))
    }

    /// As a number that sorts: `20261116`, zeros for what is not known.
    pub fn number(self) -> u64 {
        u64::from(self.0)
    }

    /// Back from [`Date::number`].
    pub(crate) fn of_number(number: u64) -> Option<Date> {
        u32::try_from(number).ok().filter(|number| *number > 0).map(Date)
    }

    /// The first number of a range that begins with this date: a month that is all that is known
    /// of a page lies behind its first day, too.
    pub(crate) fn lowest(self) -> u64 {
        let mut number = self.0;
        if number % 100 == 1 {
            number -= 1;
        }
        if number % 10_000 == 100 {
            number -= 100;
        }
        u64::from(number)
    }

    /// The last number of a range that ends with this date.
    pub(crate) fn highest(self) -> u64 {
        let number = match (self.0 / 100 % 100, self.0 % 100) {
            (0, _) => self.0 + 9_999,
            (_, 0) => self.0 + 99,
            _ => self.0,
        };
        u64::from(number)
    }

    /// The year.
    pub fn year(self) -> u32 {
        self.0 / 10_000
    }
}

impl std::fmt::Display for Date {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (year, month, day) = (self.0 / 10_000, self.0 / 100 % 100, self.0 % 100);
        match (month, day) {
            (0, _) => write!(f, "{year:04}"),
            (_, 0) => write!(f, "{year:04}-{month:02}"),
            _ => write!(f, "{year:04}-{month:02}-{day:02}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use webstrata::output::{OutputOptions, RecordPart};
    use webstrata::{Extractor, Options};

    use super::*;

    const PAGE: &[u8] = b"<html lang=en><title>An hourly ferry</title>\
        <meta property=article:published_time content=2026-03-04T10:00:00Z>\
        <p>The ferry between the two islands will run every hour from Monday on, the harbour office \
        declared after a winter of two crossings a day.</p>\
        <p>Tickets cost the same as before and are sold on board, in coins only.</p>\
        <footer><a href=/imprint>Imprint</a> <a href=/jobs>Jobs</a></footer>";

    #[test]
    fn a_page_and_its_record_are_the_same_entry() {
        let url = Some("https://Www.Example.ORG:80/ferry".to_owned());
        let options = Options { url, ..Options::default() };
        let page = Extractor::default_builtin().extract_page(PAGE, &options);
        let entry = Entry::of("x", &page);
        assert_eq!(entry.host.as_deref(), Some("www.example.org"));
        assert_eq!(entry.date.map(|date| date.to_string()).as_deref(), Some("2026-03-04"));
        assert_eq!(entry.language.as_deref(), Some("en"));
        assert!(entry.main.contains("Tickets") && !entry.main.contains("Imprint"));
        assert!(entry.boilerplate.contains("Imprint") && !entry.boilerplate.contains("Tickets"));
        let parts = [RecordPart::Blocks, RecordPart::Metadata];
        let record = Record::of(&page, &parts, &OutputOptions::default());
        assert_eq!(Entry::of_record("x", &record), entry);
        let bare = Entry::of_record("x", &Record::new(&page.document));
        assert_eq!(bare.main, entry.main);
        assert_eq!(bare.pieces.len(), bare.main.lines().count());
    }

    #[test]
    fn hosts_are_read_from_any_address() {
        for (url, host) in [
            ("https://a.example/b", Some("a.example")),
            ("http://u:p@A.example.:81?q", Some("a.example")),
            ("http://[::1]:80/", Some("[::1]")),
            ("page.html", None),
            ("file:///x", None),
        ] {
            assert_eq!(host_of(url).as_deref(), host, "{url}");
        }
    }

    #[test]
    fn dates_have_ranges() {
        let date = |text: &str| Date::parse(text).expect(text);
        assert_eq!(date("2026-11-16T10:00").number(), 20_261_116);
        assert!(date("2026-11").number() >= date("2026-11-01").lowest());
        assert!(date("2026").number() >= date("2026-01-01").lowest());
        assert!(date("2026-11-30").number() <= date("2026-11").highest());
        assert!(date("2026-12-31").number() <= date("2026").highest());
        assert!(date("2026-12").number() > date("2026-11").highest());
        for wrong in ["", "26-11-16", "2026-13", "2026-11-32", "2026-11-16-1", "+026", "2026-1"] {
            assert_eq!(Date::parse(wrong), None, "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_a_date_or_none(text in "[0-9T -]{0,12}") {
            if let Some(date) = Date::parse(&text) {
                prop_assert_eq!(Date::parse(&date.to_string()), Some(date));
                prop_assert_eq!(Date::of_number(date.number()), Some(date));
                prop_assert!(date.lowest() <= date.number() && date.number() <= date.highest());
            }
        }

        #[test]
        fn any_text_has_a_host_or_none(url in ".{0,60}") {
            if let Some(host) = host_of(&url) {
                prop_assert!(!host.is_empty());
            }
        }
    }
}
