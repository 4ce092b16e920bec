//! The title of a page without the name of its site, chosen among what calls itself a title.

use super::{Field, Finding, Findings, Source, Sourced, address, collect, search};
use crate::addresses::Addresses;
use crate::html::tag::Tag;
use crate::page::Page;
use crate::tree::{NodeId, Tree};

use std::collections::HashSet;

/// Per cent of a heading's words that must be in another title for the two to agree.
const ENOUGH: usize = 50;

/// What stands between a title and the name of the site; the first [`BARS`] stand nowhere else.
const SEPARATORS: &[&str] = &[
    " | ", " - ", " – ", " — ", " · ", " • ", " » ", " « ", " :: ", " / ", " ~ ", ": ", " : ", "_",
    "｜", "ㅣ", "|", "--", "-", "：",
];
const BARS: usize = 9;

/// Has a title a byte that every separator has one of?
fn may_have_separator(title: &str) -> bool {
    title
        .bytes()
        .any(|byte| !byte.is_ascii() || matches!(byte, b'|' | b'-' | b':' | b'/' | b'~' | b'_'))
}

/// Headings of a page that are compared with its title.
const MOST_HEADINGS: usize = 64;

/// The title of a page, and where the page shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BestTitle {
    /// The title, without the name of the site.
    pub(crate) value: String,
    /// The heading that holds it, if one does.
    pub(crate) node: Option<NodeId>,
}

/// The title that the page's metadata has, without collecting the rest of them.
pub(crate) fn best_title(page: &Page<'_>) -> Option<BestTitle> {
    let (title, _) = choose_for(page, &collect::collect_titles(page));
    let Sourced { value, .. } = title?;
    let node = heading_with(page, &value);
    Some(BestTitle { value, node })
}

/// The first heading of the highest level that says what the title says; else a main heading that says it with the name
/// of the site, or with a few other words.
pub(crate) fn heading_with(page: &Page<'_>, title: &str) -> Option<NodeId> {
    let tree = &page.tree;
    let wanted = key(title);
    let mut best: Option<(u8, NodeId)> = None;
    for (level, node) in headings(tree) {
        if best.is_some_and(|(lowest, _)| level >= lowest.max(1)) {
            continue;
        }
        let text = search::text(tree, node, false);
        if key(&text) == wanted {
            best = Some((level, node));
        } else if best.is_none() && level == 1 && says_same(&text, title) {
            // Any heading that says it exactly counts more.
            best = Some((u8::MAX, node));
        }
    }
    best.map(|(_, node)| node)
}

/// Do most words of the longer of two texts stand in the other?
fn says_same(one: &str, other: &str) -> bool {
    let (one, other) = (words(one), words(other));
    let same = one.intersection(&other).count();
    10 * same >= 6 * one.len().max(other.len())
}

/// The title, and the heading that is the page's main one, of what was found in a page.
pub(super) fn choose_for(
    page: &Page<'_>,
    findings: &Findings,
) -> (Option<Sourced>, Option<NodeId>) {
    let site = findings.first(Field::Site, |value| Some(value.to_owned()));
    let canonical = || {
        let addresses = Addresses::of(page);
        findings.first(Field::Canonical, |value| address(&addresses, value)).map(|url| url.value)
    };
    let url = page.document.url.clone().or_else(canonical);
    choose(&page.tree, findings, site.as_ref().map(|site| site.value.as_str()), url.as_deref())
}

/// The title, and the heading that is the page's main one.
pub(super) fn choose(
    tree: &Tree<'_>,
    findings: &Findings,
    site: Option<&str>,
    url: Option<&str>,
) -> (Option<Sourced>, Option<NodeId>) {
    let found = findings.of(Field::Title);
    let is_heading = |finding: &&&Finding| finding.source == Source::Heading;
    let mut headings: Vec<&Finding> = found.iter().filter(is_heading).copied().collect();
    headings.truncate(MOST_MAIN_HEADINGS);
    let others: Vec<&Finding> = found.iter().filter(|f| !is_heading(f)).copied().collect();
    let mut names: Vec<String> = [site.map(key), url.and_then(host)]
        .into_iter()
        .flatten()
        .filter(|n| !n.is_empty())
        .collect();
    // A heading that leads to the first page of the site is the site's name, if the page has another title.
    let leads_home: Vec<bool> = headings
        .iter()
        .map(|heading| leads_home(tree, heading.node) && is_part_of_any(&heading.value, &others))
        .collect();
    let of_site = headings.iter().zip(&leads_home).filter(|(_, home)| **home);
    names.extend(of_site.map(|(heading, _)| key(&heading.value)));
    let titles = Titles { names, is_home: url.is_some_and(is_home) };
    // A heading that another title agrees with is the page's own; a site's name, or a slogan, is not.
    let other_words: Vec<HashSet<String>> =
        others.iter().map(|other| words(&other.value)).collect();
    let other_keys: Vec<String> = others.iter().map(|other| key(&other.value)).collect();
    let agreement = |heading: &Finding| {
        let (own, whole) = (words(&heading.value), key(&heading.value));
        if titles.is_nothing_else(&heading.value) || own.is_empty() {
            return 0;
        }
        // Not all languages put spaces between words.
        if whole.chars().count() >= 6 && other_keys.iter().any(|other| other.contains(&whole)) {
            return 100;
        }
        let shared = other_words.iter().map(|title| title.intersection(&own).count()).max();
        100 * shared.unwrap_or(0) / own.len()
    };
    // Titles begin with what the page is about, and end with what it belongs to.
    let begins = |heading: &Finding| {
        let whole = key(&heading.value);
        other_keys.iter().any(|other| other.starts_with(&whole))
    };
    let mut agreed: Option<((usize, bool), &Finding)> = None;
    for heading in &headings {
        let share = agreement(heading);
        let rank = (share, begins(heading));
        if share >= ENOUGH && agreed.is_none_or(|(best, _)| rank > best) {
            agreed = Some((rank, heading));
        }
    }
    let agreed = agreed.map(|(_, heading)| heading);
    let main = agreed.or(headings.first().copied()).map(|heading| heading.node);
    let sourced = |finding: &Finding| {
        let value = titles.without_site(&finding.value);
        (!value.is_empty()).then(|| Sourced { value: value.to_owned(), source: finding.source })
    };
    if let Some(heading) = agreed {
        if let Some((node, value)) = beside_the_site(tree, heading, &others) {
            let value = titles.without_site(&value).to_owned();
            return (Some(Sourced { value, source: Source::Heading }), Some(node));
        }
        let title = sourced(heading)
            .map(|title| titles.without_section(tree, heading.node, &others).unwrap_or(title));
        if title.is_some() {
            return (title, main);
        }
    }
    if let Some((node, value)) = shown_below_the_site(tree, &others) {
        return (Some(Sourced { value, source: Source::Heading }), Some(node));
    }
    // The site's name is a title only where there is no other.
    let is_of_page =
        |finding: &&&Finding| titles.is_home || !titles.is_nothing_else(&finding.value);
    let of_page = found.iter().filter(is_of_page);
    let title = of_page.chain(&found).find_map(|finding| sourced(finding));
    (title, main)
}

/// Main headings that are compared with the other titles.
const MOST_MAIN_HEADINGS: usize = 8;

/// Is this text a part of one of the titles, but not all of it?
fn is_part_of_any(text: &str, titles: &[&Finding]) -> bool {
    let text = key(text);
    let keys = || titles.iter().map(|title| key(&title.value));
    !text.is_empty() && keys().any(|title| title.len() > text.len() && title.contains(&text))
}

/// Is the heading, or what it holds, a link to the first page of the site?
fn leads_home(tree: &Tree<'_>, heading: NodeId) -> bool {
    let end = tree.end_of(heading).min(heading + NEAR_NODES);
    tree.parent(heading).into_iter().chain(heading..end).any(|node| {
        tree.tag(node) == Some(Tag::A)
            && tree.attribute(node, "href").is_some_and(|address| is_home(address.trim()))
    })
}

/// Nodes of a heading that are looked at for a link.
const NEAR_NODES: NodeId = 8;

/// Is this the address of the first page of a site?
pub(crate) fn is_home(address: &str) -> bool {
    let path = match address.split_once("//") {
        Some((_, rest)) => rest.split_once('/').map_or("/", |(_, path)| path),
        None => address,
    };
    matches!(path, "/" | "./" | "." | "/index.html" | "index.html" | "/index.php" | "index.php")
        || (path.is_empty() && address.contains("//"))
}

/// `Tides - The Harbour Post` with a heading that says `The Harbour Post`: the title is the heading that says
/// `Tides`, if there is one.
fn beside_the_site(
    tree: &Tree<'_>,
    heading: &Finding,
    others: &[&Finding],
) -> Option<(NodeId, String)> {
    let whole = key(&heading.value);
    let first = others.iter().find_map(|other| {
        let (before, after) =
            SEPARATORS[..BARS].iter().find_map(|separator| other.value.rsplit_once(separator))?;
        (key(after) == whole).then(|| key(before))
    })?;
    let found = headings(tree).find(|(_, node)| key(&search::text(tree, *node, false)) == first)?;
    let text = search::text(tree, found.1, false);
    Some((found.1, super::collapse(&text, super::LONGEST_VALUE)))
}

/// `The Harbour Post - Tides at noon today` where no main heading is the title, but one of the second level says `Tides at
/// noon today`: what stands before it is the site, whose name is shorter.
fn shown_below_the_site(tree: &Tree<'_>, others: &[&Finding]) -> Option<(NodeId, String)> {
    // `Site • View topic - Title`: the site is the first of all parts.
    let first = |text: &str| {
        let ends = SEPARATORS[..BARS].iter().filter_map(|separator| text.find(separator));
        text[..ends.min().unwrap_or(text.len())].to_owned()
    };
    let size = |text: &str| (text.split_whitespace().count(), text.chars().count());
    let mut parts: Vec<(String, String)> = Vec::new();
    for title in others.iter().map(|other| other.value.as_str()) {
        for separator in &SEPARATORS[..BARS] {
            for (before, after) in
                [title.split_once(separator), title.rsplit_once(separator)].into_iter().flatten()
            {
                let site = first(before);
                if size(after) > size(&site) {
                    parts.push((key(&site), key(after)));
                }
            }
        }
    }
    if parts.is_empty() {
        return None;
    }
    let text = |node: NodeId| search::text(tree, node, false);
    let headings: Vec<(String, NodeId)> = headings(tree)
        .filter(|(level, _)| *level <= 2)
        .map(|(_, node)| (key(&text(node)), node))
        .collect();
    // Where both parts are headings, nothing tells which is the site.
    let has = |part: &String| headings.iter().any(|(heading, _)| heading == part);
    parts.retain(|(site, _)| !has(site));
    let (_, node) =
        headings.iter().find(|(heading, _)| parts.iter().any(|(_, part)| part == heading))?;
    Some((*node, super::collapse(&text(*node), super::LONGEST_VALUE)))
}

/// The first headings of a page, each with its level.
fn headings<'a>(tree: &'a Tree<'_>) -> impl Iterator<Item = (u8, NodeId)> + 'a {
    let level = move |node: NodeId| match tree.tag(node)? {
        Tag::H1 => Some(1),
        Tag::H2 => Some(2),
        Tag::H3 => Some(3),
        Tag::H4 | Tag::H5 | Tag::H6 => Some(4),
        _ => None,
    };
    tree.nodes().filter_map(move |node| Some((level(node)?, node))).take(MOST_HEADINGS)
}

/// What is known for taking titles apart.
struct Titles {
    /// The names of the site, as [`key`] has them.
    names: Vec<String>,
    /// Is the page the first one of its site? Then the site's name is part of its title.
    is_home: bool,
}

impl Titles {
    /// The title without the name of the site at its end or its beginning.
    fn without_site<'a>(&self, title: &'a str) -> &'a str {
        // Manuals end their headings with a sign that links to them; icon fonts have theirs in a private area.
        let is_sign = |c: char| matches!(c, '¶' | '#' | '🔗' | '\u{e000}'..='\u{f8ff}') || c == ' ';
        let mut title = title.trim_end_matches(is_sign).trim();
        if !may_have_separator(title) {
            return title;
        }
        // `Title | Section | Site`: the site goes, and a site that is named twice goes twice.
        for _ in 0..2 {
            let cut = SEPARATORS.iter().find_map(|separator| {
                let (before, after) = title.rsplit_once(separator)?;
                // Those who write no spaces between words write none around a separator.
                let is_apart = separator.contains(' ') || before.ends_with(is_ideograph);
                if is_apart && self.is_site(after) {
                    return Some(before);
                }
                let (before, after) = title.split_once(separator).filter(|_| is_apart)?;
                // What stands before a title may also be what it is about. The first page is about its site.
                let is_site = self.is_called(before) && (!self.is_home || *separator == " | ");
                is_site.then_some(after)
            });
            // A bar separates the title from what it belongs to, whatever that is called.
            let bar =
                || title.rsplit_once(" | ").filter(|(before, after)| before.len() > after.len());
            match cut.or_else(|| Some(bar()?.0)) {
                Some(rest) if !rest.trim().is_empty() => title = rest.trim(),
                _ => break,
            }
        }
        // The software of many forums writes `Site • View topic - Title`.
        title.strip_prefix("View topic - ").unwrap_or(title)
    }

    /// The title of a heading without the section or the date that stands in it before the title, as a text of its
    /// own.
    fn without_section(
        &self,
        tree: &Tree<'_>,
        heading: NodeId,
        others: &[&Finding],
    ) -> Option<Sourced> {
        let end = tree.end_of(heading).min(heading + NEAR_NODES);
        let texts = (heading..end).filter(|node| tree.tag(*node).is_none());
        let texts: Vec<String> = texts.map(|node| key(tree.text(node))).collect();
        others.iter().find_map(|other| {
            let value = self.without_site(&other.value);
            // The section may stand behind the title there: `Tides - News - The Harbour Post`.
            let before = |bar: &&str| {
                let (before, behind) = value.split_once(*bar)?;
                let section = texts.iter().find(|text| !text.is_empty())?;
                key(behind).starts_with(section.as_str()).then_some(before)
            };
            let mut values =
                std::iter::once(value).chain(SEPARATORS[..BARS].iter().filter_map(before));
            let value = values.find(|value| {
                let title = key(value);
                let has_it =
                    |from: usize| !texts[from - 1].is_empty() && texts[from..].concat() == title;
                !title.is_empty() && (1..texts.len()).any(has_it)
            })?;
            Some(Sourced { value: value.to_owned(), source: other.source })
        })
    }

    /// Is this the site's name, but for an article before it?
    fn is_called(&self, part: &str) -> bool {
        let whole = key(part);
        self.names.iter().any(|name| {
            whole == *name
                || whole.strip_prefix("the") == Some(name)
                || name.strip_prefix("the") == Some(&whole)
        })
    }

    /// Is a part of a title a name of the site, or one that its address is a short form of?
    fn is_site(&self, part: &str) -> bool {
        self.is_called(part) || self.has_name(part, 40)
    }

    /// Does a whole title say no more than the site's name?
    fn is_nothing_else(&self, title: &str) -> bool {
        self.is_called(title) || self.has_name(title, 70)
    }

    /// Is a name of the site at least this share, in per cent, of a few words?
    fn has_name(&self, part: &str, share: usize) -> bool {
        let whole = key(part);
        part.split_whitespace().count() <= 5
            && self.names.iter().any(|name| {
                let is_most = name.len() >= 4 && name.len() * 100 >= whole.len() * share;
                is_most && whole.contains(name.as_str())
            })
    }
}

/// A letter of a script that is written without spaces, or a bracket of it.
fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' | '\u{ff00}'..='\u{ffef}' | ')' | '"')
}

/// The words of a title, for comparing.
fn words(title: &str) -> HashSet<String> {
    title.split_whitespace().map(key).filter(|word| !word.is_empty()).collect()
}

/// For comparing: letters and digits in lower case.
pub(crate) fn key(text: &str) -> String {
    if text.is_ascii() {
        let mut key = String::with_capacity(text.len());
        let letters = text.bytes().filter(u8::is_ascii_alphanumeric);
        key.extend(letters.map(|byte| char::from(byte.to_ascii_lowercase())));
        return key;
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cutting::Cutting;
    use crate::options::Options;

    fn best(html: &str) -> (String, Option<String>) {
        let url = Some("https://www.harbourpost.example/tides".to_owned());
        let options = Options { url, ..Options::default() };
        let page = Page::read(html.as_bytes(), Cutting::default(), &options);
        let title = best_title(&page).expect("a title");
        assert_eq!(page.title_and_language().0.as_ref(), Some(&title.value), "{html}");
        assert_eq!(
            page.metadata().title.map(|title| title.value).as_ref(),
            Some(&title.value),
            "{html}"
        );
        let heading = title
            .node
            .map(|node| format!("{}: {}", page.tree.path(node), page.tree.text_content(node)));
        (title.value, heading)
    }

    #[test]
    fn where_the_title_stands() {
        let is = |html: &str, title: &str, heading: Option<&str>| {
            let (value, node) = best(html);
            assert_eq!((value.as_str(), node.as_deref()), (title, heading), "{html}");
        };
        let tides = "<title>High tides of May - Harbour Post</title>";
        is(
            &format!("{tides}<h1>High tides of May</h1>"),
            "High tides of May",
            Some("html/body/h1: High tides of May"),
        );
        is(
            &format!("{tides}<h3>High tides of May</h3>"),
            "High tides of May",
            Some("html/body/h3: High tides of May"),
        );
        is(&format!("{tides}<h2>News</h2>"), "High tides of May", None);
        is(
            &format!("{tides}<h3>High tides of May</h3><h1>HIGH TIDES of May</h1>"),
            "HIGH TIDES of May",
            Some("html/body/h1: HIGH TIDES of May"),
        );
        is("<h1>Tides</h1>", "Tides", Some("html/body/h1: Tides"));
    }

    #[test]
    fn headings_that_name_the_site() {
        let is = |html: &str, title: &str| assert_eq!(best(html).0, title, "{html}");
        // A book of many pages, whose name is the main heading of each.
        is(
            "<title>Low water - The Book of Tides</title><h1>The Book of Tides</h1><h2>Low water</h2>",
            "Low water",
        );
        // A link to the first page.
        is(
            "<title>Sea and Sail: Low water</title><h1><a href='/'>Sea and Sail</a></h1><p>Text",
            "Low water",
        );
        is("<title>Low water</title><h1><a href='/'>Low water</a></h1>", "Low water");
        // The one that titles begin with.
        is(
            "<title>Low water — Sea and Sail</title><h1>Sea and Sail</h1><h1>Low water</h1>",
            "Low water",
        );
        is(
            "<meta property=og:title content='Harbour Post'><title>Low water | Harbour Post</title>",
            "Low water",
        );
    }

    #[test]
    fn headings_of_the_second_level() {
        let is = |html: &str, title: &str| assert_eq!(best(html).0, title, "{html}");
        let forum = "<title>Tide Talk • View topic - Ebb before noon today?</title>";
        is(&format!("{forum}<h2>Ebb before noon today?</h2>"), "Ebb before noon today?");
        is("<title>潮汐报 - 今天中午涨潮</title><h2>今天中午涨潮</h2>", "今天中午涨潮");
        // The name of the site may be a heading, too.
        is(
            "<title>Ebb before noon - Tide Talk</title><h2>Tide Talk</h2>",
            "Ebb before noon - Tide Talk",
        );
        is("<title>Ebb - Tide Talk</title><h2>Tide Talk</h2><h2>Ebb</h2>", "Ebb - Tide Talk");
    }

    #[test]
    fn names_of_the_site_within_titles() {
        let is = |html: &str, title: &str| assert_eq!(best(html).0, title, "{html}");
        is(
            "<title>Harbourpost’s guide to tides: when to sail</title>",
            "Harbourpost’s guide to tides: when to sail",
        );
        is("<title>Tides - The Harbour Post Online</title>", "Tides");
        is("<title>The Harbour Post: Tides</title>", "Tides");
        is("<title>五月的潮汐_harbourpost</title>", "五月的潮汐");
        is("<title>Go high-harbourpost</title>", "Go high-harbourpost");
        is("<title>Harbourpost • View topic - Tides</title>", "Tides");
    }

    #[test]
    fn sections_within_headings() {
        let is = |html: &str, title: &str| assert_eq!(best(html).0, title, "{html}");
        let title = "<title>Tides of May - Harbour Post</title>";
        is(&format!("{title}<h1><span>News</span> Tides of May</h1>"), "Tides of May");
        is(&format!("{title}<h1><time>4 May 2025</time> <a>Tides of May</a></h1>"), "Tides of May");
        is(&format!("{title}<h1>The Tides of May</h1>"), "The Tides of May");
    }

    #[test]
    fn first_pages_are_about_their_site() {
        let read = |html: &str, url: &str| {
            let options = Options { url: Some(url.to_owned()), ..Options::default() };
            let page = Page::read(html.as_bytes(), Cutting::default(), &options);
            best_title(&page).expect("a title").value
        };
        let html = "<title>Harbourpost: all about the sea</title>";
        assert_eq!(read(html, "https://harbourpost.example/"), "Harbourpost: all about the sea");
        assert_eq!(read(html, "https://harbourpost.example"), "Harbourpost: all about the sea");
        assert_eq!(read(html, "https://harbourpost.example/sea"), "all about the sea");
    }

    #[test]
    fn homes() {
        for home in ["/", "https://a.example", "https://a.example/", "//a.example/", "index.html"] {
            assert!(is_home(home), "{home}");
        }
        for other in ["", "/tides", "https://a.example/tides", "tides", "#"] {
            assert!(!is_home(other), "{other}");
        }
    }
}
