//! Lists of addresses and sitemaps: each address is fetched once, politely, several hosts side by side.
//!
//! [`Addresses::found`] names the addresses, [`fetch`] fetches them and, where a [`Kept`] is given, keeps what came in web
//! archives, so that a run that was killed goes on where it was.

mod crew;
mod kept;
mod queue;
pub mod sitemap;
mod sitemaps;

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use webstrata_archive::{Arrival, http, sniff};

use self::crew::{Crew, Event};
use crate::Error;
use crate::fetch::{Failure, Fetcher};

pub use self::crew::normal;
pub use self::kept::{Failed, Kept, KeptPages, Missed, arrival};
pub use self::sitemaps::{Found, SITEMAP, Sitemaps};

/// Where addresses come from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Addresses {
    /// The addresses themselves.
    pub named: Vec<String>,
    /// Files with one address on each line; `-` is stdin. Empty lines and those that begin with `#` do not count.
    pub lists: Vec<PathBuf>,
    /// Sitemaps; `https://HOST/robots.txt` stands for those that it names.
    pub sitemaps: Vec<String>,
}

impl Addresses {
    /// All addresses, one after the other.
    ///
    /// # Errors
    ///
    /// Where a list cannot be opened.
    pub fn found(
        &self,
        fetcher: &Fetcher,
    ) -> Result<impl Iterator<Item = Found> + Send + use<>, Error> {
        let sitemaps: Vec<Sitemaps> = self
            .sitemaps
            .iter()
            .map(|url| Sitemaps::new(fetcher, url))
            .collect::<Result<_, _>>()?;
        Ok(self.listed()?.chain(sitemaps.into_iter().flatten()))
    }

    /// The addresses without those of sitemaps.
    ///
    /// # Errors
    ///
    /// Where a list cannot be opened.
    pub fn listed(&self) -> Result<impl Iterator<Item = Found> + Send + use<>, Error> {
        let lists: Vec<_> = self.lists.iter().map(|list| lines(list)).collect::<Result<_, _>>()?;
        let named: Vec<Found> = self.named.iter().cloned().map(Found::Address).collect();
        Ok(named.into_iter().chain(lists.into_iter().flatten()))
    }
}

/// The lines of a list.
fn lines(path: &Path) -> Result<impl Iterator<Item = Found> + Send + use<>, Error> {
    let name = path.display().to_string();
    let mut reader: Box<dyn BufRead + Send> = if path.as_os_str() == "-" {
        Box::new(BufReader::new(io::stdin()))
    } else {
        let file = File::open(path).map_err(|error| Error::io(path, &error))?;
        Box::new(BufReader::new(file))
    };
    let (mut line, mut is_done) = (Vec::new(), false);
    Ok(std::iter::from_fn(move || {
        while !is_done {
            line.clear();
            match reader.read_until(b'\n', &mut line) {
                Ok(0) => is_done = true,
                Ok(_) => {
                    let text = String::from_utf8_lossy(&line);
                    let text = text.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
                    if !text.is_empty() && !text.starts_with('#') {
                        return Some(Found::Address(text.to_owned()));
                    }
                }
                Err(error) => {
                    is_done = true;
                    let message = error.to_string();
                    return Some(Found::Problem { url: name.clone(), message });
                }
            }
        }
        None
    }))
}

/// What comes of addresses.
#[derive(Debug)]
pub enum Outcome {
    /// A page, with the address that was asked for.
    Page(String, Box<Arrival>),
    /// An address without one; also a sitemap that another one names.
    Missed(String, Missed),
    /// A sitemap or a list that was named and cannot be read: its name, and why.
    Problem(String, String),
    /// Worth knowing.
    Note(String),
    /// Nothing can be reached: these were tried in vain, and it ended there. They count as not asked for.
    Offline(Vec<(String, Missed)>),
}

/// Fetches addresses and keeps the pages.
pub struct Fetching {
    crew: Crew,
    kept: Option<Kept>,
    sitemaps: Vec<String>,
    is_offline: bool,
    has_problem: bool,
    is_done: bool,
}

/// Begins to fetch. What `kept` knows is not fetched again; its pages are not among the outcomes.
///
/// # Errors
///
/// Where a list cannot be opened.
pub fn fetch(
    fetcher: Arc<Fetcher>,
    addresses: &Addresses,
    mut kept: Option<Kept>,
) -> Result<Fetching, Error> {
    let known = kept.as_mut().map_or_else(HashSet::new, Kept::take_known);
    let found = addresses.found(&fetcher)?;
    let crew = Crew::start(fetcher, found, known);
    let sitemaps = addresses.sitemaps.clone();
    Ok(Fetching { crew, kept, sitemaps, is_offline: false, has_problem: false, is_done: false })
}

impl Fetching {
    fn outcome(&mut self, event: Event) -> Result<Outcome, Error> {
        let missed = |(url, failure): (String, Failure)| {
            let why = Missed::new(&url, &failure);
            (url, why)
        };
        Ok(match event {
            Event::Page(address, page, when) => {
                if let Some(why) = no_page(page.content_type.as_deref(), &page.body) {
                    return self.missed(address, why);
                }
                let page = match &mut self.kept {
                    Some(kept) => kept.page(&address, *page, when)?,
                    None => arrival(&address, *page, when),
                };
                Outcome::Page(address, Box::new(page))
            }
            Event::Failed(address, failure) => {
                let why = Missed::new(&address, &failure);
                return self.missed(address, why);
            }
            Event::Missed(url, why) => return self.missed(url, why),
            Event::Problem { url, message } => {
                self.has_problem = true;
                Outcome::Problem(url, message)
            }
            Event::Note(note) => Outcome::Note(note),
            Event::Offline(tried) => {
                self.is_offline = true;
                Outcome::Offline(tried.into_iter().map(missed).collect())
            }
        })
    }

    fn missed(&mut self, address: String, why: Missed) -> Result<Outcome, Error> {
        if let Some(kept) = &mut self.kept {
            kept.failed(&address, &why)?;
        }
        Ok(Outcome::Missed(address, why))
    }

    fn end(&mut self) -> Result<(), Error> {
        // A sitemap that could not be read is asked again by the next run.
        let sitemaps =
            if self.has_problem { Vec::new() } else { std::mem::take(&mut self.sitemaps) };
        match &mut self.kept {
            Some(kept) if !self.is_offline => kept.end(sitemaps),
            _ => Ok(()),
        }
    }
}

impl Iterator for Fetching {
    /// An error means that what came cannot be kept; nothing comes behind it.
    type Item = Result<Outcome, Error>;

    fn next(&mut self) -> Option<Result<Outcome, Error>> {
        if self.is_done {
            return None;
        }
        let next = match self.crew.next() {
            Some(event) => self.outcome(event),
            None => {
                self.is_done = true;
                return self.end().err().map(Err);
            }
        };
        self.is_done = next.is_err();
        Some(next)
    }
}

/// Why what came is no page, if so.
pub fn no_page(content_type: Option<&str>, body: &[u8]) -> Option<Missed> {
    let missed = |message| Some(Missed { reason: "no-page".into(), message, is_temporary: false });
    if let Some(why) = sniff::not_a_page(body) {
        return missed(why);
    }
    if http::is_page(content_type, body) {
        return None;
    }
    missed(match content_type {
        Some(other) => format!("is `{}`, not a web page", webstrata::error::shortened(other)),
        None => "does not say what it is, and does not look like a web page".into(),
    })
}
