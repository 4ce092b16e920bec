//! The title of a page without the name of its site, chosen among what calls itself a title.

use super::{Field, Finding, Findings, Source, Sourced};
use crate::tree::NodeId;

use std::collections::HashSet;

/// Per cent of a heading's words that must be in another title for the two to agree.
const ENOUGH: usize = 50;

/// What stands between a title and the name of the site.
const SEPARATORS: &[&str] =
    &[" | ", " - ", " – ", " — ", " · ", " • ", " » ", " « ", " :: ", " / ", " ~ ", ": "];

/// The title, and the heading that is the page's main one.
pub(crate) fn choose(
    findings: &Findings,
    site: Option<&str>,
    url: Option<&str>,
) -> (Option<Sourced>, Option<NodeId>) {
    let found = findings.of(Field::Title);
    let is_heading = |finding: &&&Finding| finding.source == Source::Heading;
    let headings: Vec<&Finding> = found.iter().filter(is_heading).copied().collect();
    let others: Vec<&Finding> = found.iter().filter(|f| !is_heading(f)).copied().collect();
    let names: Vec<String> = [site.map(key), url.and_then(host)].into_iter().flatten().collect();
    // A heading that another title agrees with is the page's own; a site's name, or a slogan, is not.
    let titles: Vec<HashSet<String>> = others.iter().map(|other| words(&other.value)).collect();
    let agreement = |heading: &Finding| {
        let own = words(&heading.value);
        let is_site = is_site(&heading.value, &names);
        let shared = titles.iter().map(|title| title.intersection(&own).count()).max().unwrap_or(0);
        if is_site || own.is_empty() { 0 } else { 100 * shared / own.len() }
    };
    let mut agreed: Option<(usize, &Finding)> = None;
    for heading in headings.iter().take(8) {
        let share = agreement(heading);
        if share >= ENOUGH && agreed.is_none_or(|(best, _)| share > best) {
            agreed = Some((share, heading));
        }
    }
    let agreed = agreed.map(|(_, heading)| heading);
    let main = agreed.or(headings.first().copied()).map(|heading| heading.node);
    let sourced = |finding: &Finding| {
        let value = without_site(&finding.value, &names);
        (!value.is_empty()).then(|| Sourced { value: value.to_owned(), source: finding.source })
    };
    let title = agreed.and_then(sourced).or_else(|| found.iter().find_map(|f| sourced(f)));
    (title, main)
}

/// The title without the name of the site at its end or its beginning.
fn without_site<'a>(title: &'a str, names: &[String]) -> &'a str {
    let is_site = |part: &str| is_site(part, names);
    // Manuals end their headings with a sign that links to them; icon fonts have theirs in a private area.
    let is_sign = |c: char| matches!(c, '¶' | '#' | '🔗' | '\u{e000}'..='\u{f8ff}') || c == ' ';
    let mut title = title.trim_end_matches(is_sign).trim();
    // `Title | Section | Site`: the site goes, and a site that is named twice goes twice.
    for _ in 0..2 {
        let cut = SEPARATORS.iter().find_map(|separator| {
            let (before, after) = title.rsplit_once(separator)?;
            if is_site(after) {
                return Some(before);
            }
            let (before, after) = title.split_once(separator)?;
            is_site(before).then_some(after)
        });
        // A bar separates the title from what it belongs to, whatever that is called.
        let bar = || title.rsplit_once(" | ").filter(|(before, after)| before.len() > after.len());
        match cut.or_else(|| Some(bar()?.0)) {
            Some(rest) if !rest.trim().is_empty() => title = rest.trim(),
            _ => break,
        }
    }
    title
}

/// Is this a name of the site, or one that its address is a short form of?
fn is_site(part: &str, names: &[String]) -> bool {
    let whole = key(part);
    let few_words = part.split_whitespace().count() <= 5;
    names.iter().any(|name| {
        whole == *name || (few_words && name.len() >= 4 && whole.contains(name.as_str()))
    })
}

/// The words of a title, for comparing.
fn words(title: &str) -> HashSet<String> {
    title.split_whitespace().map(key).filter(|word| !word.is_empty()).collect()
}

/// For comparing: letters and digits in lower case.
fn key(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The name that a site goes by in its address: `harbourpost` of `https://www.harbourpost.example`.
fn host(url: &str) -> Option<String> {
    let host = url.split_once("://")?.1.split(['/', '?', '#', ':']).next()?;
    let mut labels: Vec<&str> = host.split('.').filter(|label| *label != "www").collect();
    labels.pop();
    // `co.uk`, `com.au`: what is before them.
    labels.into_iter().map(key).max_by_key(String::len)
}
