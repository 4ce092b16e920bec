//! Where the surfers of a ranking jump to: biasing sets from files, from patterns of addresses, from categories.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use webstrata_links::rank::Jump;
use webstrata_links::topics::{Reach, read_categories};
use webstrata_links::{Graph, InLinks};

use webstrata_terminal::args::at_least_one;
use webstrata_terminal::output::without_control_characters;
use webstrata_terminal::report::Report;

/// A ranking that is asked for: what it is called, and where its surfer jumps to.
pub(crate) struct Wanted {
    pub(crate) name: String,
    pub(crate) jump: Jump,
}

/// Where the surfers of rankings jump to.
pub(crate) fn jumps(wanted: &[Wanted]) -> Vec<Jump> {
    wanted.iter().map(|wanted| wanted.jump.clone()).collect()
}

#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Bias")]
pub(crate) struct BiasArgs {
    /// Let the surfer jump only to the pages in this file: one address or number per line, with an optional
    /// weight after a tab; repeat it to compute several rankings at once
    #[arg(long, value_name = "FILE")]
    bias: Vec<PathBuf>,

    /// Let the surfer jump only to pages whose address matches; * matches anything
    #[arg(long, value_name = "PATTERN")]
    bias_urls: Vec<String>,

    /// Compute a ranking for each category: lines of page, tab and path of the category, or a folder of files
    #[arg(long, value_name = "FILE|DIR")]
    categories: Option<PathBuf>,

    /// Use categories down to this level; 1 is the top level [default: all]
    #[arg(long, value_name = "N", requires = "categories", value_parser = at_least_one::<usize>)]
    level: Option<usize>,

    /// Also compute the ranking without bias
    #[arg(long)]
    unbiased: bool,
}

impl BiasArgs {
    /// The rankings that are asked for; without any bias, the one of who jumps to any page.
    pub(crate) fn wanted(&self, graph: &Graph, report: &Report) -> anyhow::Result<Vec<Wanted>> {
        let mut wanted = Vec::new();
        for path in &self.bias {
            wanted.push(Wanted { name: path.display().to_string(), jump: from_file(path, graph)? });
        }
        for pattern in &self.bias_urls {
            let set: Vec<usize> =
                (0..graph.pages()).filter(|page| matches(pattern, &graph.name(*page))).collect();
            if set.is_empty() {
                bail!("{pattern}: no page of the graph has such an address");
            }
            wanted.push(Wanted { name: pattern.clone(), jump: Jump::Set(set) });
        }
        if let Some(path) = &self.categories {
            wanted.extend(from_categories(path, self.level.unwrap_or(usize::MAX), graph, report)?);
        }
        if wanted.is_empty() || self.unbiased {
            wanted.insert(0, Wanted { name: "rank".to_owned(), jump: Jump::Everywhere });
        }
        Ok(wanted)
    }
}

fn from_file(path: &Path, graph: &Graph) -> anyhow::Result<Jump> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let mut set = Vec::new();
    for (at, line) in text.lines().enumerate() {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let wrong = |what: &str| format!("{}, line {}: {what}", path.display(), at + 1);
        let (name, weight) = line.split_once('\t').unwrap_or((line, "1"));
        let Some(page) = graph.find(name.trim()) else {
            bail!(wrong(&format!("no page {} in the graph", without_control_characters(name))));
        };
        let weight: f64 =
            weight.trim().parse().with_context(|| wrong("its weight is no number"))?;
        if !weight.is_finite() || weight < 0.0 {
            bail!(wrong("a weight is a finite number, 0 or more"));
        }
        set.push((page, weight));
    }
    if set.iter().all(|(_, weight)| *weight == 0.0) {
        bail!("{}: no page with a weight, so the surfer has no page to jump to", path.display());
    }
    Ok(Jump::Weighted(set))
}

fn from_categories(
    path: &Path,
    level: usize,
    graph: &Graph,
    report: &Report,
) -> anyhow::Result<Vec<Wanted>> {
    let read = read_categories(path, &|name| graph.find(name))?;
    if let Some((file, problem)) = read.problems.first() {
        report.note(format_args!(
            "{}, {problem}; {} such lines left out",
            file.display(),
            read.problems.iter().map(|(_, problem)| problem.lines).sum::<usize>()
        ));
    }
    let sets = read.tree.pages(Reach::Below);
    let nodes = read.tree.nodes().iter().zip(sets).enumerate();
    let wanted: Vec<Wanted> = nodes
        .filter(|(_, (node, pages))| (1..=level).contains(&node.level) && !pages.is_empty())
        .map(|(at, (_, pages))| Wanted { name: read.tree.path(at), jump: Jump::Set(pages) })
        .collect();
    if wanted.is_empty() {
        bail!("{}: no category has a page of the graph", path.display());
    }
    Ok(wanted)
}

/// Does a text match a pattern, in which `*` stands for anything? In time linear in both for each `*`.
fn matches(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        for (pattern, text, expected) in [
            ("https://a.example/*", "https://a.example/b", true),
            ("*.example/*", "https://a.example/b", true),
            ("*/b", "https://a.example/b", true),
            ("*/b", "https://a.example/bc", false),
            ("a*b*b", "ab", false),
            ("a*b*b", "abb", true),
            ("abc", "abc", true),
            ("abc", "abcd", false),
            ("*", "", true),
            ("", "", true),
            ("", "a", false),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} {text}");
        }
    }
}
