//! The description of a graph: the file `graph.json`.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use serde::{Deserialize, Serialize};
use webstrata_base::Error;
use webstrata_base::write_whole;
use xxhash_rust::xxh3::xxh3_64;

use crate::links::Stratum;

/// The version of a graph's files.
pub const VERSION: u32 = 1;

const NAME: &str = "graph.json";

/// What `graph.json` holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    /// [`VERSION`].
    pub version: u32,
    /// How often the graph was written: 1 for a new one, one more for each batch that was added.
    pub generation: u64,
    /// How many pages there are.
    pub pages: u64,
    /// How many hosts.
    pub hosts: u64,
    /// How many links, by stratum.
    pub links: LinkCounts,
    /// What pages and links were made of.
    pub rules: Rules,
    /// The files with their lengths and checksums.
    pub(crate) files: BTreeMap<String, Kept>,
    /// The checksum of all this; graphs of earlier releases have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) xxh3: Option<u64>,
}

/// How many links of each stratum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkCounts {
    /// Inside of a host, in content.
    pub inside_content: u64,
    /// Between hosts, in content.
    pub across_content: u64,
    /// Inside of a host, outside of content.
    pub inside_boilerplate: u64,
    /// Between hosts, outside of content.
    pub across_boilerplate: u64,
}

impl LinkCounts {
    /// In the order of [`Stratum::index`].
    pub fn from_strata(counts: [u64; Stratum::COUNT]) -> LinkCounts {
        let [inside_content, across_content, inside_boilerplate, across_boilerplate] = counts;
        LinkCounts { inside_content, across_content, inside_boilerplate, across_boilerplate }
    }

    /// In the order of [`Stratum::index`].
    pub fn by_stratum(self) -> [u64; Stratum::COUNT] {
        [self.inside_content, self.across_content, self.inside_boilerplate, self.across_boilerplate]
    }

    /// All links.
    pub fn total(self) -> u64 {
        self.by_stratum().iter().fold(0, |sum, count| sum.saturating_add(*count))
    }
}

/// A file of the graph: its length with the header, and the checksum of what is behind the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Kept {
    pub(crate) bytes: u64,
    pub(crate) xxh3: u64,
}

/// The rules that a graph was built by. All batches of a graph have the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rules {
    /// What pages are called.
    pub names: Naming,
    /// Which links are taken, by where they stand on their page.
    pub links: Wanted,
    /// Links that say `nofollow`.
    pub nofollow: Choice,
    /// Links from a page to itself.
    pub self_links: Choice,
    /// Pages that only occur as targets, and the links to them.
    pub uncrawled: Choice,
}

impl Default for Rules {
    fn default() -> Rules {
        Rules {
            names: Naming::Hosts,
            links: Wanted::All,
            nofollow: Choice::Drop,
            self_links: Choice::Drop,
            uncrawled: Choice::Keep,
        }
    }
}

/// What pages are called, and what is a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Naming {
    /// Addresses; a host is a host name.
    Hosts,
    /// Addresses; a host is a registrable domain with all host names below it.
    Domains,
    /// Any names; one host has all pages.
    Plain,
    /// Numbers from 0; one host has all pages.
    Numbers,
}

/// To keep or to drop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Choice {
    /// They count.
    Keep,
    /// They are left out.
    Drop,
}

/// Which links are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Wanted {
    /// Those in the main text of their page.
    Content,
    /// Those outside of it.
    Boilerplate,
    /// All of them.
    All,
}

impl Wanted {
    /// Are links of this kind taken?
    pub fn takes(self, boilerplate: bool) -> bool {
        match self {
            Wanted::Content => !boilerplate,
            Wanted::Boilerplate => boilerplate,
            Wanted::All => true,
        }
    }
}

impl About {
    /// What a folder says about its graph; `None` if there is no such folder, or nothing in it.
    pub(crate) fn find(folder: &Path) -> Result<Option<About>, Error> {
        let path = folder.join(NAME);
        let json = match fs::read(&path) {
            Ok(json) => json,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Error::at(&path, error)),
        };
        // The version first: another one may have another shape.
        #[derive(Deserialize)]
        struct Version {
            version: u32,
        }
        let wrong = |error| Error::at(&path, format!("no description of a graph: {error}"));
        let Version { version } = serde_json::from_slice(&json).map_err(wrong)?;
        if version != VERSION {
            let message = format!(
                "a graph of version {version}, this program reads {VERSION}; build it anew"
            );
            return Err(Error::at(&path, message));
        }
        let about: About = serde_json::from_slice(&json).map_err(wrong)?;
        if about.xxh3.is_some_and(|kept| about.checksum() != kept) {
            return Err(Error::at(&path, "not as it was written; build it anew"));
        }
        Ok(Some(about))
    }

    /// Of all but the checksum itself. Its parts are in one order, and so are its files.
    fn checksum(&self) -> u64 {
        let rest = About { xxh3: None, ..self.clone() };
        xxh3_64(&serde_json::to_vec(&rest).unwrap_or_default())
    }

    /// From now on, the folder's graph is this one.
    pub(crate) fn write(&self, folder: &Path) -> Result<(), Error> {
        let path = folder.join(NAME);
        let about = About { xxh3: Some(self.checksum()), ..self.clone() };
        let mut json =
            serde_json::to_vec_pretty(&about).map_err(|error| Error::at(&path, error))?;
        json.push(b'\n');
        write_whole(&path, &json)
    }
}
