//! A web that is made up: topics in a tree, pages that write about them and link to their like, and noise.
//!
//! Facets need pages with texts, links and a directory at once, and no set at hand has all three at size. What is
//! random here is drawn from a seed. The parts that make it hard are those of the real Web, as far as the thesis
//! names them: most pages are in no directory, generally important pages have links from everywhere and to nowhere in
//! particular, words mean several things, and some links and words have nothing to do with the topic.

use std::fmt::Write;

use webstrata_base::random::Random;

/// What is made up.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// The same seed, the same web.
    pub seed: u64,
    /// How many topics are below each topic, from the top down; as many levels as numbers.
    pub branches: Vec<usize>,
    /// Pages of each topic, those of topics below it aside.
    pub pages: usize,
    /// The share of pages that the directory has.
    pub listed: f64,
    /// Pages about nothing in particular that everybody links to, for a hundred others.
    pub hubs: usize,
    /// The share of words that a topic shares with another one, anywhere in the tree.
    pub ambiguous: f64,
    /// The share of links and of words that are drawn from all.
    pub noise: f64,
}

impl Default for Options {
    /// Some five thousand pages of 124 topics on three levels.
    fn default() -> Options {
        Options {
            seed: 1,
            branches: vec![4, 5, 5],
            pages: 40,
            listed: 0.3,
            hubs: 2,
            ambiguous: 0.2,
            noise: 0.15,
        }
    }
}

/// The made-up web.
#[derive(Clone, Debug, PartialEq)]
pub struct TopicalWeb {
    /// Topics, each behind the one that it is below.
    pub topics: Vec<WebTopic>,
    /// Pages.
    pub pages: Vec<WebPage>,
    seed: u64,
}

/// A topic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebTopic {
    /// Its path.
    pub path: String,
    /// The topic that it is below.
    pub parent: Option<usize>,
    /// The words that are its own, more or less.
    pub words: Vec<String>,
}

/// A page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebPage {
    /// Its address.
    pub url: String,
    /// Its text.
    pub text: String,
    /// What it is about; nothing for generally important pages.
    pub topic: Option<usize>,
    /// Is it in the directory?
    pub listed: bool,
    /// The pages that it links to.
    pub links: Vec<usize>,
}

/// Words of a topic that are its own.
const OWN_WORDS: usize = 40;
/// Words that all pages use.
const GENERAL_WORDS: usize = 2_000;
/// Words of a page's text.
const TEXT_WORDS: usize = 120;
/// Links of a page, in the mean.
const LINKS: usize = 10;

impl TopicalWeb {
    /// Makes one up.
    pub fn new(options: &Options) -> TopicalWeb {
        let mut random = Random::for_purpose(options.seed, "topical web");
        let topics = topics(options, &mut random);
        let pages = pages(options, &topics, &mut random);
        let mut web = TopicalWeb { topics, pages, seed: options.seed };
        web.link(options, &mut random);
        web.write(options, &mut random);
        web
    }

    /// Searches for each topic, as somebody would who knows its words: two or three of them.
    pub fn queries(&self, for_each: usize) -> Vec<(usize, String)> {
        let mut random = Random::for_purpose(self.seed, "queries");
        let mut queries = Vec::new();
        for (index, topic) in self.topics.iter().enumerate() {
            for _ in 0..for_each {
                let mut words: Vec<&str> = topic.words.iter().map(String::as_str).collect();
                let count = 2 + random.below(2);
                random.draw(&mut words, count);
                words.truncate(count);
                queries.push((index, words.join(" ")));
            }
        }
        queries
    }

    /// The pages as JSON lines of `url` and `html`, as `webstrata extract` and `webstrata search index` read them.
    pub fn to_pages(&self) -> String {
        let mut lines = String::new();
        for page in &self.pages {
            let title = page.text.split(' ').take(4).collect::<Vec<_>>().join(" ");
            let mut html = format!("<title>{title}</title><h1>{title}</h1>");
            for sentence in page.text.split_inclusive(". ").collect::<Vec<_>>().chunks(3) {
                let _ = write!(html, "<p>{}</p>", sentence.concat().trim_end());
            }
            for link in page.links.iter().filter_map(|link| self.pages.get(*link)) {
                let _ = write!(html, "<p>See <a href=\"{0}\">{0}</a>.</p>", link.url);
            }
            let line = serde_json::json!({ "url": page.url, "html": html });
            let _ = writeln!(lines, "{line}");
        }
        lines
    }

    /// The links as pairs of addresses, as `webstrata links build` reads them.
    pub fn to_links(&self) -> String {
        let mut lines = String::new();
        for page in &self.pages {
            for link in page.links.iter().filter_map(|link| self.pages.get(*link)) {
                let _ = writeln!(lines, "{}\t{}", page.url, link.url);
            }
        }
        lines
    }

    /// The directory: pages that are listed, with the paths of their topics.
    pub fn to_categories(&self) -> String {
        let mut lines = String::new();
        for page in self.pages.iter().filter(|page| page.listed) {
            if let Some(topic) = page.topic.and_then(|topic| self.topics.get(topic)) {
                let _ = writeln!(lines, "{}\t{}", page.url, topic.path);
            }
        }
        lines
    }

    /// Pages link to pages of the same topic, to those near by, to important ones, and to any.
    fn link(&mut self, options: &Options, random: &mut Random) {
        let mut by_topic: Vec<Vec<usize>> = vec![Vec::new(); self.topics.len()];
        let mut hubs = Vec::new();
        for (at, page) in self.pages.iter().enumerate() {
            page.topic.map_or(&mut hubs, |topic| &mut by_topic[topic]).push(at);
        }
        let near: Vec<Vec<usize>> =
            (0..self.topics.len()).map(|topic| near(&self.topics, topic)).collect();
        for at in 0..self.pages.len() {
            let count = 1 + random.below(2 * LINKS);
            let mut links: Vec<usize> = (0..count)
                .filter_map(|_| {
                    let Some(topic) = self.pages[at].topic else {
                        return Some(random.below(self.pages.len()));
                    };
                    let throw = random.unit();
                    if throw < options.noise {
                        return Some(random.below(self.pages.len()));
                    }
                    let pages = if throw < options.noise + 0.1 {
                        &hubs
                    } else if throw < options.noise + 0.3 && !near[topic].is_empty() {
                        &by_topic[near[topic][random.below(near[topic].len())]]
                    } else {
                        &by_topic[topic]
                    };
                    // Few pages of a topic have most of its links.
                    let place = (random.unit().powi(2) * pages.len() as f64) as usize;
                    pages.get(place).copied()
                })
                .filter(|link| *link != at)
                .collect();
            links.sort_unstable();
            links.dedup();
            self.pages[at].links = links;
        }
    }

    fn write(&mut self, options: &Options, random: &mut Random) {
        let general: Vec<String> = (0..GENERAL_WORDS).map(|at| word(random, 1 + at % 3)).collect();
        for at in 0..self.pages.len() {
            let mut text = String::new();
            let length = TEXT_WORDS / 2 + random.below(TEXT_WORDS);
            for place in 1..=length {
                let drawn = self.draw(self.pages[at].topic, options, &general, random);
                let end = if place == length || place % 12 == 0 { ". " } else { " " };
                text.push_str(drawn);
                text.push_str(end);
            }
            text.truncate(text.trim_end().len());
            self.pages[at].text = text;
        }
    }

    /// A word of the page's topic, of one above it, of another one, or of all.
    fn draw<'a>(
        &'a self,
        topic: Option<usize>,
        options: &Options,
        general: &'a [String],
        random: &mut Random,
    ) -> &'a str {
        let throw = random.unit();
        let topic = match topic {
            _ if throw < options.noise => Some(random.below(self.topics.len())),
            Some(topic) if throw < options.noise + 0.25 => Some(topic),
            Some(topic) if throw < options.noise + 0.35 => self.topics[topic].parent,
            _ => None,
        };
        let words =
            topic.and_then(|topic| self.topics.get(topic)).map_or(general, |topic| &topic.words);
        // Frequent words are much more frequent than others.
        let place = (random.unit().powi(2) * words.len() as f64) as usize;
        words.get(place).map_or("", String::as_str)
    }
}

/// Topics level by level, so that each stands behind its parent.
fn topics(options: &Options, random: &mut Random) -> Vec<WebTopic> {
    let mut topics: Vec<WebTopic> = Vec::new();
    let mut above: Vec<Option<usize>> = vec![None];
    for branches in &options.branches {
        let mut level = Vec::new();
        for parent in above {
            for _ in 0..*branches {
                let name = word(random, 2);
                let path = match parent {
                    Some(parent) => format!("{}/{name}", topics[parent].path),
                    None => name,
                };
                let words = (0..OWN_WORDS).map(|_| word(random, 3)).collect();
                level.push(Some(topics.len()));
                topics.push(WebTopic { path, parent, words });
            }
        }
        above = level;
    }
    for at in 0..topics.len() {
        for place in 0..OWN_WORDS {
            if random.unit() < options.ambiguous {
                let (other, from) = (random.below(topics.len()), random.below(OWN_WORDS));
                topics[at].words[place] = topics[other].words[from].clone();
            }
        }
    }
    topics
}

fn pages(options: &Options, topics: &[WebTopic], random: &mut Random) -> Vec<WebPage> {
    let mut pages = Vec::new();
    for topic in 0..topics.len() {
        let host = word(random, 3);
        for number in 0..options.pages {
            let listed = random.unit() < options.listed;
            let url = format!("https://{host}{}.example/{number}", number % 4);
            pages.push(WebPage {
                url,
                text: String::new(),
                topic: Some(topic),
                listed,
                links: Vec::new(),
            });
        }
    }
    for number in 0..pages.len() * options.hubs / 100 {
        let url = format!("https://hub{number}.example/");
        pages.push(WebPage {
            url,
            text: String::new(),
            topic: None,
            listed: false,
            links: Vec::new(),
        });
    }
    pages
}

/// The parent, the children and the siblings of a topic.
fn near(topics: &[WebTopic], topic: usize) -> Vec<usize> {
    let parent = topics[topic].parent;
    let is_near = |other: &usize| {
        *other != topic
            && (Some(*other) == parent
                || topics[*other].parent == Some(topic)
                || topics[*other].parent == parent)
    };
    (0..topics.len()).filter(is_near).collect()
}

/// A word that nobody has said before.
fn word(random: &mut Random, syllables: usize) -> String {
    const ONSETS: [&str; 16] =
        ["b", "d", "f", "g", "k", "l", "m", "n", "p", "r", "s", "t", "v", "z", "br", "st"];
    const ENDS: [&str; 12] = ["a", "e", "i", "o", "u", "an", "el", "ir", "or", "us", "em", "ai"];
    (0..syllables.max(1))
        .map(|_| ONSETS[random.below(ONSETS.len())].to_owned() + ENDS[random.below(ENDS.len())])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small() -> TopicalWeb {
        TopicalWeb::new(&Options { branches: vec![3, 2], pages: 20, ..Options::default() })
    }

    #[test]
    fn the_same_seed_makes_the_same_web() {
        let web = small();
        assert_eq!(web, small());
        assert_ne!(
            web.pages,
            TopicalWeb::new(&Options {
                seed: 2,
                branches: vec![3, 2],
                pages: 20,
                ..Options::default()
            })
            .pages
        );
        assert_eq!((web.topics.len(), web.pages.len()), (9, 9 * 20 + 3));
        let urls: std::collections::BTreeSet<_> = web.pages.iter().map(|page| &page.url).collect();
        assert_eq!(urls.len(), web.pages.len());
    }

    #[test]
    fn most_links_lead_to_the_like() {
        let web = small();
        let topics = |from: &WebPage| -> Vec<(Option<usize>, Option<usize>)> {
            from.links.iter().map(|to| (from.topic, web.pages[*to].topic)).collect()
        };
        let links: Vec<_> = web.pages.iter().flat_map(topics).collect();
        let topical = links.into_iter().filter(|(from, to)| from.is_some() && to.is_some());
        let (inside, outside): (Vec<_>, Vec<_>) = topical.partition(|(from, to)| from == to);
        assert!(inside.len() > outside.len() && !outside.is_empty());
    }

    #[test]
    fn files_are_as_the_commands_read_them() {
        let web = small();
        assert_eq!(web.to_pages().lines().count(), web.pages.len());
        let page: serde_json::Value =
            serde_json::from_str(web.to_pages().lines().next().unwrap()).unwrap();
        assert!(page["html"].as_str().unwrap().contains("<p>"));
        let listed = web.to_categories();
        assert!(listed.lines().all(|line| line.starts_with("https://") && line.contains('\t')));
        assert!((20..90).contains(&listed.lines().count()), "{}", listed.lines().count());
        assert!(web.to_links().lines().count() > web.pages.len());
        let queries = web.queries(2);
        assert_eq!(queries.len(), 18);
        let (topic, query) = &queries[5];
        assert!(
            query.split(' ').all(|word| web.topics[*topic].words.iter().any(|own| own == word))
        );
    }
}
