//! Rules learned from a stream (future work in the paper's section 6).
//!
//! Where two addresses differ in parameters only and their pages say the same, those parameters are
//! noise; where they differ in one parameter and their pages say something else, it names pages.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::fmt::Write;

use xxhash_rust::xxh3::xxh3_64;

use super::Rules;
use super::parts::{Parts, domain};
use crate::url_tree::similar;

/// Paths that are remembered, and parameters of domains.
const MAX_PATHS: usize = 200_000;
const MAX_PARAMETERS: usize = 50_000;
/// Parameters of an address that are compared, and the bytes of their names.
const MAX_OF_PAGE: usize = 16;
const MAX_NAME: usize = 64;
/// Letters of a text below which nothing is learned from it: many pages without a text look alike.
const MIN_LETTERS: usize = 20;
/// Pairs of pages before something is said about a parameter, and the share of them that must agree.
const MIN_PAIRS: u32 = 3;
const AGREEMENT: f64 = 0.8;
/// Domains on which a parameter is noise before it is noise anywhere.
const MIN_DOMAINS: usize = 3;

/// Learns which parameters matter.
///
/// ```
/// use webstrata_site::url_key::{LearnedRules, Rules};
///
/// let mut learned = LearnedRules::default();
/// let texts = [
///     "High water comes late today.", "A ferry sails every hour.", "Gulls cry all over the harbour.",
///     "Never before has it rained so much.", "Nobody knows about the lamp.", "Fog until the afternoon.",
///     "Pilots bring ships past sandbanks.",
/// ];
/// for (number, text) in texts.iter().enumerate() {
///     // Another article for another `no`, the same one for another `visit`.
///     for visit in 0..2 {
///         let url = format!("https://example.org/read?no={number}&visit={visit}");
///         learned.observe(&url, text);
///     }
/// }
/// let rules = Rules::from_toml(&learned.to_toml()).unwrap();
/// assert_eq!(rules.key("https://example.org/read?no=3&visit=9", "").unwrap().as_str(), "example.org/read?no=3");
/// ```
#[derive(Clone, Debug, Default)]
pub struct LearnedRules {
    known: Rules,
    /// By host and path: the parameters and the text of the last page there.
    paths: HashMap<u64, Seen>,
    order: VecDeque<u64>,
    evidence: BTreeMap<(String, String), Evidence>,
}

#[derive(Clone, Debug)]
struct Seen {
    /// Names, and hashes of values.
    parameters: Vec<(String, u64)>,
    /// The sketch of the text.
    text: u64,
}

/// The evidence of pairs of pages about a parameter of a domain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Evidence {
    /// Its value changed and the text did not.
    pub same_text: u32,
    /// Its value alone changed, and so did the text.
    pub other_text: u32,
}

impl Evidence {
    fn share(self) -> Option<f64> {
        let pairs = self.same_text + self.other_text;
        (pairs >= MIN_PAIRS).then(|| f64::from(self.other_text) / f64::from(pairs))
    }

    /// Does it identify pages?
    pub fn is_identity(self) -> bool {
        self.share().is_some_and(|share| share >= AGREEMENT)
    }

    /// Does it not identify pages?
    pub fn is_noise(self) -> bool {
        self.share().is_some_and(|share| share <= 1.0 - AGREEMENT)
    }
}

impl LearnedRules {
    /// Learns from a page: the address that answered, and its main text.
    pub fn observe(&mut self, response_url: &str, text: &str) {
        let Some(parts) = Parts::of(response_url) else { return };
        let letters = text.chars().filter(|c| c.is_alphabetic()).take(MIN_LETTERS).count();
        if parts.parameters.is_empty() || letters < MIN_LETTERS {
            return;
        }
        let known_names = parts
            .parameters
            .iter()
            .filter(|(name, _)| name.len() <= MAX_NAME && !self.known.is_noise(name));
        let parameters = known_names.map(|(name, value)| (name.clone(), xxh3_64(value.as_bytes())));
        let parameters = parameters.take(MAX_OF_PAGE).collect();
        let place = xxh3_64(format!("{}{}", parts.plain_host(), parts.plain_path()).as_bytes());
        let site = domain(&parts.host).to_owned();
        let now = Seen { parameters, text: similar::sketch(text) };
        match self.paths.insert(place, now.clone()) {
            Some(before) => self.compare(&site, &before, &now),
            None => self.order.push_back(place),
        }
        if self.order.len() > MAX_PATHS
            && let Some(oldest) = self.order.pop_front()
        {
            self.paths.remove(&oldest);
        }
    }

    fn compare(&mut self, site: &str, before: &Seen, now: &Seen) {
        let only = |a: &Seen, b: &Seen| -> Vec<String> {
            let others = a.parameters.iter().filter(|pair| !b.parameters.contains(pair));
            others.map(|(name, _)| name.clone()).collect()
        };
        let mut changed = only(before, now);
        changed.extend(only(now, before));
        changed.sort_unstable();
        changed.dedup();
        let is_same = similar::alike(before.text, now.text);
        if !is_same {
            let seen = |name: &String| self.evidence.get(&(site.to_owned(), name.clone()));
            changed.retain(|name| !seen(name).is_some_and(|seen| seen.is_noise()));
            if changed.len() != 1 {
                return;
            }
        }
        for name in changed {
            let is_full = self.evidence.len() >= MAX_PARAMETERS;
            let key = (site.to_owned(), name);
            if is_full && !self.evidence.contains_key(&key) {
                continue;
            }
            let evidence = self.evidence.entry(key).or_default();
            *if is_same { &mut evidence.same_text } else { &mut evidence.other_text } += 1;
        }
    }

    /// What was seen of each domain's parameters.
    pub fn evidence(&self) -> impl Iterator<Item = (&str, &str, Evidence)> {
        self.evidence.iter().map(|((site, name), evidence)| (&**site, &**name, *evidence))
    }

    /// A file of rules, for review: what was learned as rules with the evidence beside them, the
    /// library's own rules behind them.
    pub fn to_toml(&self) -> String {
        let mut noisy: BTreeMap<&str, usize> = BTreeMap::new();
        for (_, name, _) in self.evidence().filter(|(_, _, evidence)| evidence.is_noise()) {
            *noisy.entry(name).or_default() += 1;
        }
        for (_, name, _) in self.evidence().filter(|(_, _, evidence)| evidence.is_identity()) {
            noisy.remove(name);
        }
        let quoted = |names: &[&str]| -> String {
            let names: Vec<String> =
                names.iter().map(|name| toml::Value::from(*name).to_string()).collect();
            format!("[{}]", names.join(", "))
        };
        let noise: Vec<&str> = noisy
            .iter()
            .filter(|(_, sites)| **sites >= MIN_DOMAINS)
            .map(|(name, _)| *name)
            .collect();
        let mut text = format!(
            "# Learned from a stream. Beside a parameter: pairs of pages with another text, and with the same.\n\
             defaults = true\nnoise = {}\n",
            quoted(&noise)
        );
        let mut sites: BTreeMap<&str, Vec<(&str, Evidence)>> = BTreeMap::new();
        for (site, name, evidence) in self.evidence() {
            if evidence.is_identity() || evidence.is_noise() {
                sites.entry(site).or_default().push((name, evidence));
            }
        }
        let anywhere = Rules::kept_anywhere();
        for (site, parameters) in sites {
            text.push('\n');
            for (name, seen) in &parameters {
                let verdict = if seen.is_identity() { "names pages" } else { "noise" };
                let name = name.replace(char::is_control, " ");
                // Writing to a string cannot fail.
                let _ =
                    writeln!(text, "# {name}: {verdict} ({}, {})", seen.other_text, seen.same_text);
            }
            // The built-in rules go on to hold but for what was learned.
            let is_noise =
                |name: &str| parameters.iter().any(|(own, seen)| *own == name && seen.is_noise());
            let own =
                parameters.iter().filter(|(_, seen)| seen.is_identity()).map(|(name, _)| *name);
            let others = anywhere.iter().map(String::as_str).filter(|name| !is_noise(name));
            let mut kept: Vec<&str> = own.chain(others).collect();
            kept.sort_unstable();
            kept.dedup();
            let is_known =
                kept.len() == anywhere.len() && anywhere.iter().all(|name| kept.contains(&&**name));
            if is_known {
                let _ = writeln!(text, "# {site}: the built-in rules do");
                continue;
            }
            let pattern = format!(r"^http://([^/]*\.)?{}[:/]", regex::escape(site));
            let _ = writeln!(
                text,
                "[[rule]]\nmatch = {}\nkeep = {}",
                toml::Value::from(pattern),
                quoted(&kept)
            );
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(number: usize) -> String {
        // Words of their own for every number.
        let words: Vec<String> = (0..40)
            .map(|at| {
                let hash = xxh3_64(format!("{number} {at}").as_bytes());
                hash.to_le_bytes().map(|byte| char::from(b'a' + byte % 26)).iter().collect()
            })
            .collect();
        words.join(" ")
    }

    fn verdicts(urls: &[(&str, usize)]) -> LearnedRules {
        let mut learned = LearnedRules::default();
        urls.iter().for_each(|(url, number)| learned.observe(url, &text(*number)));
        learned
    }

    #[test]
    fn pairs_that_differ_in_more_than_one_parameter_say_nothing_if_their_texts_differ() {
        let learned = verdicts(&[("http://a.org/x?k=1&l=1", 1), ("http://a.org/x?k=2&l=2", 2)]);
        assert_eq!(learned.evidence().count(), 0);
        let learned = verdicts(&[("http://a.org/x?k=1&l=1", 1), ("http://a.org/x?k=2&l=2", 1)]);
        let seen: Vec<_> =
            learned.evidence().map(|(_, name, seen)| (name, seen.same_text)).collect();
        assert_eq!(seen, [("k", 1), ("l", 1)]);
    }

    #[test]
    fn known_noise_does_not_blur_the_view() {
        let learned = verdicts(&[
            ("http://a.org/x?k=1&utm_source=a", 1),
            ("http://a.org/x?k=2&utm_source=b", 2),
        ]);
        assert_eq!(learned.evidence().next().unwrap().2, Evidence { same_text: 0, other_text: 1 });
    }

    #[test]
    fn noise_of_many_domains_is_noise_anywhere() {
        let mut learned = LearnedRules::default();
        for site in ["a.org", "b.org", "c.org"] {
            for visit in 0..5 {
                learned.observe(&format!("http://{site}/x?visit={visit}"), &text(1));
            }
        }
        assert!(learned.to_toml().contains("noise = [\"visit\"]"), "{}", learned.to_toml());
        let rules = Rules::from_toml(&learned.to_toml()).unwrap();
        assert!(rules.is_noise("visit"));
    }

    #[test]
    fn what_was_not_learned_is_as_before() {
        let mut learned = LearnedRules::default();
        for visit in 0..5 {
            learned.observe(&format!("http://a.org/x?visit={visit}&id=1"), &text(1));
            learned.observe(&format!("http://b.org/x?id={visit}"), &text(1));
            learned.observe(&format!("http://c.org/x?id={visit}"), "");
        }
        let rules = Rules::from_toml(&learned.to_toml()).unwrap();
        let key = |url| rules.key(url, "").unwrap().to_string();
        assert_eq!(key("http://a.org/x?id=7&visit=3"), "a.org/x?id=7");
        assert_eq!(key("http://b.org/x?id=7&p=3"), "b.org/x?p=3");
        assert_eq!(key("http://c.org/x?id=7"), "c.org/x?id=7");
    }

    #[test]
    fn odd_names_do_not_break_the_file() {
        let mut learned = LearnedRules::default();
        for visit in 0..5 {
            learned.observe(&format!("http://a.org/x?a%0A'\"]={visit}"), &text(1));
        }
        Rules::from_toml(&learned.to_toml()).unwrap();
    }
}
