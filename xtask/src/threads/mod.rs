//! `cargo xtask threads`: posts of forums against what the forum's own software marks.

mod software;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

use webstrata::cutting::Cutting;
use webstrata::{Options, Page, Post};
use webstrata_lab::Set;
use webstrata_lab::outputs::ToolTexts;

use self::software::GoldPost;
use crate::sets;

pub(crate) struct Threads {
    pub(crate) sets: PathBuf,
    pub(crate) names: Option<Vec<String>>,
    /// Other tools' Markdown: lines of `{"id", "text"}` in `DIR/<tool>/<set>.jsonl`.
    pub(crate) outputs: Option<PathBuf>,
    pub(crate) show: usize,
}

/// Words that two texts must share, as F1, to be the same post.
const SAME: f64 = 0.75;

#[derive(Default, Clone)]
struct Counts {
    pages: usize,
    gold: usize,
    found: usize,
    with_author: usize,
    ours: usize,
    /// Of each tool: texts that are there, and those with the author's name before them.
    tools: Vec<(usize, usize)>,
}

impl Counts {
    fn add(&mut self, other: &Counts) {
        self.pages += other.pages;
        self.gold += other.gold;
        self.found += other.found;
        self.with_author += other.with_author;
        self.ours += other.ours;
        self.tools.resize(self.tools.len().max(other.tools.len()), (0, 0));
        for (all, one) in self.tools.iter_mut().zip(&other.tools) {
            all.0 += one.0;
            all.1 += one.1;
        }
    }

    fn line(&self, name: &str) -> String {
        let share = |part: usize, of: usize| 100.0 * part as f64 / of.max(1) as f64;
        let mut line = format!(
            "| {name} | {} | {} | {:.1} % | {:.1} % | {:.1} % |",
            self.pages,
            self.gold,
            share(self.found, self.gold),
            share(self.with_author, self.gold),
            share(self.found, self.ours)
        );
        for (texts, authors) in &self.tools {
            line += &format!(
                " {:.1} % | {:.1} % |",
                share(*texts, self.gold),
                share(*authors, self.gold)
            );
        }
        line
    }
}

impl Threads {
    pub(crate) fn run(&self) -> Result<(), String> {
        for set in sets::names(&self.sets, self.names.as_deref())? {
            let folder = self.sets.join(&set);
            let ids = forums(&folder.join("meta.tsv"));
            if ids.is_empty() {
                continue;
            }
            let urls = pairs(&folder.join("urls.tsv"));
            let opened = Set::open(&folder).map_err(|error| error.to_string())?;
            let tools = sets::tools(self.outputs.as_deref(), &opened)?;
            let pages = sets::in_parallel(&ids, |id| judge(&folder, id, urls.get(id), &tools))?;
            let mut by_software: BTreeMap<&str, Counts> = BTreeMap::new();
            let mut all = Counts::default();
            for (id, page) in ids.iter().zip(&pages) {
                let Some((software, counts)) = page else { continue };
                by_software.entry(software).or_default().add(counts);
                all.add(counts);
                if counts.with_author < counts.gold && self.show > 0 {
                    println!(
                        "{id}: {software}, {} posts, {} found, {} with author, {} ours",
                        counts.gold, counts.found, counts.with_author, counts.ours
                    );
                }
            }
            let judged = pages.iter().flatten().count();
            println!("\n{set}: {judged} of {} forum pages are of known software", ids.len());
            print!("| software | pages | posts | found | right author | of ours |");
            for tool in &tools {
                print!(" {}: text | author before it |", tool.name());
            }
            println!("\n|---|---|---|---|---|---|{}", "---|---|".repeat(tools.len()));
            for (name, counts) in &by_software {
                println!("{}", counts.line(name));
            }
            println!("{}", all.line("all"));
        }
        Ok(())
    }
}

/// The pages of a set that people called forums.
fn forums(meta: &Path) -> Vec<String> {
    let text = sets::read(meta).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let lines = text.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    lines.filter(|line| line.get(1) == Some(&"forum")).map(|line| line[0].to_owned()).collect()
}

fn pairs(file: &Path) -> HashMap<String, String> {
    let text = sets::read(file).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let pairs = text.lines().filter_map(|line| line.split_once('\t'));
    pairs.map(|(id, url)| (id.to_owned(), url.trim().to_owned())).collect()
}

fn judge(
    folder: &Path,
    id: &str,
    url: Option<&String>,
    tools: &[ToolTexts],
) -> Result<Option<(&'static str, Counts)>, String> {
    let bytes = sets::read(&folder.join("pages").join(format!("{id}.html")))?;
    let options = Options { url: url.cloned(), ..Options::default() };
    let page = Page::read(&bytes, Cutting::default(), &options);
    let Some((software, gold)) = software::posts(&page.tree) else { return Ok(None) };
    let ours = page.posts();
    let (found, with_author) = compare(&gold, &ours);
    let tools = tools.iter().map(|tool| tool.of(id).map_or((0, 0), |text| in_text(&gold, text)));
    let tools = tools.collect();
    let counts = Counts { pages: 1, gold: gold.len(), found, with_author, ours: ours.len(), tools };
    Ok(Some((software, counts)))
}

fn tokens(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

fn plain(name: &str) -> String {
    tokens(name).join(" ")
}

/// How many posts of the gold are among ours, and how many of these have the right author.
fn compare(gold: &[GoldPost], ours: &[Post]) -> (usize, usize) {
    let mut texts: Vec<Option<Vec<String>>> =
        ours.iter().map(|post| Some(tokens(&post.text))).collect();
    let (mut found, mut right) = (0, 0);
    for post in gold {
        let wanted = tokens(&post.text);
        let scores = texts.iter().enumerate().filter_map(|(at, text)| {
            let score = f1(&wanted, text.as_ref()?);
            let same_author = author_is(&ours[at], post);
            Some((score + if same_author { 0.01 } else { 0.0 }, at))
        });
        let best = scores.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
        let Some((_, at)) = best.filter(|(score, _)| *score >= SAME) else { continue };
        texts[at] = None;
        found += 1;
        right += usize::from(author_is(&ours[at], post));
    }
    (found, right)
}

fn author_is(ours: &Post, gold: &GoldPost) -> bool {
    ours.author.as_deref().is_some_and(|author| plain(author) == plain(&gold.author))
}

fn f1(wanted: &[String], found: &[String]) -> f64 {
    let mut counts: HashMap<&str, i64> = HashMap::new();
    for word in wanted {
        *counts.entry(word).or_default() += 1;
    }
    let mut shared = 0;
    for word in found {
        if let Some(left) = counts.get_mut(word.as_str()).filter(|left| **left > 0) {
            *left -= 1;
            shared += 1;
        }
    }
    2.0 * f64::from(shared) / (wanted.len() + found.len()).max(1) as f64
}

/// How many posts' texts are in a tool's text, and how many with their author's name in the 40 words
/// before them.
fn in_text(gold: &[GoldPost], text: &str) -> (usize, usize) {
    let words = tokens(text);
    let threes: HashSet<&[String]> = words.windows(3).collect();
    let (mut found, mut named) = (0, 0);
    for post in gold {
        let wanted = tokens(&post.text);
        let size = wanted.len().min(3);
        let start = words.windows(size.max(1)).position(|window| window == &wanted[..size]);
        let parts = wanted.windows(3).filter(|part| threes.contains(part)).count();
        let is_there = if wanted.len() < 3 {
            start.is_some()
        } else {
            parts as f64 >= SAME * (wanted.len() - 2) as f64
        };
        if !is_there {
            continue;
        }
        found += 1;
        let author = tokens(&post.author);
        let start = start.unwrap_or(0);
        let before = &words[start.saturating_sub(40)..start];
        named += usize::from(
            !author.is_empty() && before.windows(author.len()).any(|window| window == author),
        );
    }
    (found, named)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(html: &str) -> Page<'_> {
        Page::read(html.as_bytes(), Cutting::default(), &Options::default())
    }

    const PAGE: &str = "<article class='message message--post' data-author=Ann><div class=bbWrapper>\
        <blockquote class='bbCodeBlock--quote'>old</blockquote>Tides rise twice a day.</div></article>\
        <article class='message message--post' data-author=Bo><div class=bbWrapper>\
        And fall as often, as far as I know.</div></article>";

    #[test]
    fn gold_is_by_the_marks_of_software() {
        let (software, posts) = software::posts(&read(PAGE).tree).unwrap();
        assert_eq!(software, "XenForo");
        assert_eq!(posts[1].author, "Bo");
        assert_eq!(tokens(&posts[0].text), ["tides", "rise", "twice", "a", "day"]);
        assert!(software::posts(&read("<p>no posts").tree).is_none());
    }

    #[test]
    fn posts_are_compared() {
        let gold = software::posts(&read(PAGE).tree).unwrap().1;
        let mut ours = vec![Post::default(), Post::default()];
        ours[0].text = "And fall as often, as far as I know!".into();
        ours[0].author = Some("bo".into());
        ours[1].text = "Tides rise".into();
        assert_eq!(compare(&gold, &ours), (1, 1));
        assert_eq!(in_text(&gold, "Ann: tides rise twice a day. And fall seldom"), (1, 1));
    }
}
