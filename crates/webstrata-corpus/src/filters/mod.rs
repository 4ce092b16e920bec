//! Which pages enter a corpus: named rules, each with its source and its defaults.
//!
//! A filter keeps a page, drops it for a reason that has a name, or rewrites its text. Every filter is a file here and
//! a line in `filters!`; its documentation and parameters are shown by `webstrata corpus filters`.
//!
//! ```
//! use webstrata_corpus::filters::{self, Verdict};
//! # use webstrata_archive::record::{Origin, PageRecord};
//! # let page = webstrata::extract(b"<p>High water is at noon.");
//! # let record = webstrata::Record::new(&page.document);
//! # let record = PageRecord::new("a".into(), record, &page.document, Origin::default());
//! # let mut candidate = filters::Candidate::new(record, filters::Marks::default());
//!
//! let filter = filters::named("words", &"min = 50".parse().unwrap()).unwrap();
//! assert_eq!(filter.judge(&mut candidate), Verdict::Drop("too-few"));
//! ```

mod candidate;
pub(crate) mod tokens;

use std::fmt::Debug;

pub use candidate::{Candidate, Marks};

/// What a filter says of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It stays, perhaps with another text.
    Keep,
    /// It goes, for this reason.
    Drop(&'static str),
}

/// A rule with its parameters.
pub trait Filter: Debug + Send + Sync {
    /// Judges a page, and may write it another text.
    fn judge(&self, page: &mut Candidate) -> Verdict;
}

/// What is known of a filter before it is built.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its name in a pipeline.
    pub name: &'static str,
    /// What it does, as its definition says.
    pub about: &'static str,
    /// Its parameters: name, what it is, default.
    pub parameters: &'static [Parameter],
    build: fn(&toml::Table) -> Result<Box<dyn Filter>, String>,
}

/// A parameter of a filter.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub about: &'static str,
    /// Its default, as TOML has it.
    pub default: fn() -> String,
}

/// Defines a filter: documentation, name, parameters with their defaults.
macro_rules! filter {
    (
        $(#[doc = $about:literal])+
        $kind:ident = $name:literal {
            $($(#[doc = $says:literal])+ $field:ident: $type:ty = $default:expr,)*
        }
    ) => {
        $(#[doc = $about])+
        #[derive(Clone, Debug, serde::Deserialize)]
        #[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
        pub struct $kind {
            $($(#[doc = $says])+ pub $field: $type,)*
        }

        impl Default for $kind {
            fn default() -> $kind {
                $kind { $($field: $default,)* }
            }
        }

        impl $kind {
            pub(super) const ENTRY: super::Entry = super::Entry {
                name: $name,
                about: concat!($($about, "\n",)+),
                parameters: &[$(super::Parameter {
                    name: stringify!($field),
                    about: concat!($($says, "\n",)+),
                    default: || super::written(&$kind::default().$field),
                },)*],
                build: |table| {
                    let filter: $kind = table.clone().try_into().map_err(|error: toml::de::Error| {
                        error.message().to_owned()
                    })?;
                    filter.check()?;
                    Ok(Box::new(filter))
                },
            };
        }
    };
}

/// The list of filters: a line for each.
macro_rules! filters {
    ($($module:ident: $kind:ident,)+) => {
        $(mod $module;)+
        $(pub use $module::$kind;)+

        /// All filters, in the order in which a pipeline best has them.
        pub const ALL: &[Entry] = &[$($kind::ENTRY,)+];
    };
}

filters! {
    url: Url,
    robots: Robots,
    licence: Licence,
    language: Language,
    words: Words,
    page_type: PageTypes,
    confidence: Confidence,
    refinedweb_lines: RefinedWebLines,
    c4: C4,
    gopher_quality: GopherQuality,
    gopher_repetition: GopherRepetition,
    fineweb: FineWeb,
    mask_personal: MaskPersonal,
}

/// Builds a filter from its name and parameters.
///
/// # Errors
///
/// One line that says what is wrong with them, and what there is.
pub fn named(name: &str, parameters: &toml::Table) -> Result<Box<dyn Filter>, String> {
    let Some(entry) = ALL.iter().find(|entry| entry.name == name) else {
        let names: Vec<&str> = ALL.iter().map(|entry| entry.name).collect();
        return Err(format!("no filter `{name}`; there are {}", names.join(", ")));
    };
    (entry.build)(parameters).map_err(|error| format!("{name}: {error}"))
}

/// A default as TOML has it.
fn written<T: serde::Serialize>(value: &T) -> String {
    toml::Value::try_from(value).map(|value| value.to_string()).unwrap_or_default()
}

/// A share of a whole, or why it is none.
fn check_share(name: &str, share: f64) -> Result<(), String> {
    let is_share = (0.0..=1.0).contains(&share);
    is_share.then_some(()).ok_or_else(|| format!("{name} {share}: expected 0 to 1"))
}

/// What part of the whole is it? 0 of nothing.
fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// How many of these were there before, and how many characters they have.
fn repeated<'t>(items: impl Iterator<Item = &'t str>) -> (usize, usize) {
    let mut seen = std::collections::HashSet::new();
    let mut found = (0, 0);
    for item in items {
        if !seen.insert(item) {
            found.0 += 1;
            found.1 += item.chars().count();
        }
    }
    found
}

#[cfg(test)]
mod tests;
