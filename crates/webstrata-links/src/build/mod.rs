//! How a graph is built: by external sort, in bounded memory.
//!
//! - [`named`]: from addresses or other names. Names are sorted and numbered, links are joined with the numbers of
//!   their ends by sorting them by one end and then by the other, and sorted by target in the end.
//! - [`numbered`]: from numbers, by one sort.
//! - [`inputs`]: the files that either is fed from.

pub(crate) mod address;
pub mod inputs;
pub mod named;
mod naming;
pub mod numbered;
mod output;
mod rows;
mod sort;

use std::borrow::Cow;
use std::path::Path;

pub use named::NamedBuilder;
pub use numbered::NumberedBuilder;
use webstrata_base::Error;

use self::output::Output;
use crate::graph::{Choice, Graph, Naming, Rules};

/// How a graph is built.
#[derive(Clone, Copy, Debug)]
pub struct GraphOptions {
    /// What becomes a page and a link.
    pub rules: Rules,
    /// Bytes of memory for sorting; more goes to files beside the graph.
    pub memory: usize,
    /// Add to the graph that is there.
    pub add: bool,
}

impl Default for GraphOptions {
    fn default() -> GraphOptions {
        GraphOptions { rules: Rules::default(), memory: 1 << 30, add: false }
    }
}

/// The host of an address, by what a host is; empty where pages have none.
///
/// ```
/// use webstrata_links::build::host_of;
/// use webstrata_links::graph::Naming;
///
/// let host = |naming| host_of(naming, "https://News.example.co.uk/a").unwrap();
/// assert_eq!(host(Naming::Hosts), "news.example.co.uk");
/// assert_eq!(host(Naming::Domains), "example.co.uk");
/// ```
///
/// # Errors
///
/// Why what is written is no address of a page.
pub fn host_of(naming: Naming, written: &str) -> Result<String, Cow<'static, str>> {
    let mut key = Vec::new();
    address::write_key(naming, written, &mut key)?;
    let (host, _) = address::split_key(&key);
    Ok(address::host_of_key(&String::from_utf8_lossy(host)))
}

/// A page as a graph names it: its host, and its address without a fragment.
///
/// ```
/// use webstrata_links::build::page_of;
/// use webstrata_links::graph::Naming;
///
/// let page = page_of(Naming::Hosts, "HTTPS://News.example:443/a/../b#top").unwrap();
/// assert_eq!(page, ("news.example".into(), "https://news.example/b".into()));
/// ```
///
/// # Errors
///
/// Why what is written is no address of a page.
pub fn page_of(naming: Naming, written: &str) -> Result<(String, String), Cow<'static, str>> {
    let mut key = Vec::new();
    address::write_key(naming, written, &mut key)?;
    let (host, name) = address::split_key(&key);
    let host = address::host_of_key(&String::from_utf8_lossy(host));
    let page = address::url_of(&host, &String::from_utf8_lossy(name));
    Ok((host, page))
}

/// The result of adding a link or page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Added {
    /// It is in the graph.
    Taken,
    /// Its kind is not asked for, or it says `nofollow`.
    Dropped,
    /// It leads to its own page.
    SelfLink,
    /// It is not valid: why.
    Wrong(Cow<'static, str>),
}

/// The graph to write, and the one that is there if it is added to.
fn begin(
    folder: &Path,
    settings: &GraphOptions,
    rules: Rules,
) -> Result<(Output, Option<Graph>), Error> {
    if !settings.add {
        return Ok((Output::create(folder)?, None));
    }
    let (output, old) = Output::add_to(folder)?;
    let before = old.about().rules;
    if before != rules {
        let message = format!(
            "built by other rules ({}), so that nothing can be added by these ({})",
            described(before),
            described(rules)
        );
        return Err(Error::at(folder, message));
    }
    if rules.uncrawled == Choice::Drop {
        let message = "built without pages that were only linked to, so that links to them are lost; \
                       build it anew from all inputs";
        return Err(Error::at(folder, message));
    }
    // Or else what is damaged in it would have fresh checksums in the next generation.
    old.verify()?;
    Ok((output, Some(old)))
}

fn described(rules: Rules) -> String {
    let json = serde_json::to_string(&rules).unwrap_or_default();
    json.trim_matches(['{', '}']).replace('"', "")
}
