//! Rankings as files: `page<TAB>score`, a line each.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use webstrata_base::Error;
use webstrata_links::rank::top;

use super::top::TopLists;
use super::{farthest, l1, tau_b};
use webstrata_links::tab_separated::{LineProblem, for_each_line};

/// A ranking that was read from a file: the page's name (its address or its number), and its score.
#[derive(Clone, Debug, Default)]
pub struct ScoreFile {
    names: Vec<String>,
    scores: Vec<f64>,
}

impl ScoreFile {
    /// Reads a file; lines that begin with `#` are comments. Also returns the lines that are not as they should be.
    pub fn open(path: &Path) -> Result<(ScoreFile, Vec<LineProblem>), Error> {
        let file = File::open(path).map_err(|error| Error::io(path, &error))?;
        ScoreFile::read(BufReader::new(file)).map_err(|error| Error::io(path, &error))
    }

    /// The same from anything that can be read.
    pub fn read(lines: impl BufRead) -> io::Result<(ScoreFile, Vec<LineProblem>)> {
        let mut file = ScoreFile::default();
        let mut seen: HashMap<String, usize> = HashMap::new();
        let problems = for_each_line(lines, |number, line| {
            let (name, score) = score(line)?;
            if let Some(before) = seen.insert(name.to_owned(), number) {
                return Err(format!("{name}: scored before, in line {before}"));
            }
            file.names.push(name.to_owned());
            file.scores.push(score);
            Ok(())
        })?;
        Ok((file, problems))
    }

    /// How many pages it has.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Has it no page?
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }
}

fn score(line: &str) -> Result<(&str, f64), String> {
    let Some((name, score)) = line.split_once('\t') else {
        return Err("no tab; expected page, tab, score".to_owned());
    };
    match score.trim().parse::<f64>() {
        Ok(value) if value.is_finite() => Ok((name, value)),
        _ => Err(format!("`{}` is no score; expected a finite number", score.trim())),
    }
}

/// Two rankings side by side, on the pages that both have.
#[derive(Clone, Debug)]
pub struct Compared {
    names: Vec<String>,
    scores: [Vec<f64>; 2],
    /// How many pages only the first ranking has, and only the second.
    pub alone: [usize; 2],
}

/// A page that stands elsewhere in the other ranking; places are counted from 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Moved<'a> {
    /// Its name in the files.
    pub page: &'a str,
    /// Its place in the first and in the second ranking.
    pub places: [usize; 2],
    /// Its scores.
    pub scores: [f64; 2],
}

impl Compared {
    /// Finds the pages that both have. They stay in the order of the first.
    pub fn new(a: ScoreFile, b: ScoreFile) -> Compared {
        let only_sizes = [a.len(), b.len()];
        let in_b: HashMap<String, f64> = b.names.into_iter().zip(b.scores).collect();
        let (mut names, mut scores) = (Vec::new(), [Vec::new(), Vec::new()]);
        for (name, score) in a.names.into_iter().zip(a.scores) {
            if let Some(other) = in_b.get(&name) {
                names.push(name);
                scores[0].push(score);
                scores[1].push(*other);
            }
        }
        let alone = only_sizes.map(|size| size - names.len());
        Compared { names, scores, alone }
    }

    /// How many pages both have.
    pub fn pages(&self) -> usize {
        self.names.len()
    }

    /// Kendall's tau-b over these pages.
    pub fn tau_b(&self) -> f64 {
        tau_b(&self.scores[0], &self.scores[1])
    }

    /// The best so many pages of each.
    pub fn top(&self, count: usize) -> TopLists {
        TopLists::of(&self.scores[0], &self.scores[1], count)
    }

    /// The sum of the absolute differences of scores.
    pub fn l1(&self) -> f64 {
        l1(&self.scores[0], &self.scores[1])
    }

    /// The page whose scores differ most, and by how much.
    pub fn farthest(&self) -> Option<(&str, f64)> {
        let (page, distance) = farthest(&self.scores[0], &self.scores[1])?;
        Some((&self.names[page], distance))
    }

    /// What each ranking's scores of these pages sum up to.
    pub fn sums(&self) -> [f64; 2] {
        self.scores.each_ref().map(|scores| scores.iter().sum::<f64>() + 0.0)
    }

    /// The pages that moved by the most places, the farthest first; of those, the better ones first.
    pub fn moved(&self, count: usize) -> Vec<Moved<'_>> {
        let [a, b] = self.scores.each_ref().map(|scores| places(scores));
        let mut pages: Vec<usize> = (0..a.len()).filter(|page| a[*page] != b[*page]).collect();
        let rank = |page: &usize| {
            let (first, second) = (a[*page], b[*page]);
            (std::cmp::Reverse(first.abs_diff(second)), first.min(second), *page)
        };
        if count < pages.len() {
            pages.select_nth_unstable_by_key(count, rank);
            pages.truncate(count);
        }
        pages.sort_unstable_by_key(rank);
        let moved = pages.into_iter().map(|page| Moved {
            page: &self.names[page],
            places: [a[page], b[page]],
            scores: [self.scores[0][page], self.scores[1][page]],
        });
        moved.collect()
    }
}

/// Each page's place, from 1. Equal pages share the first of their places, so that none seems to have moved by chance.
fn places(scores: &[f64]) -> Vec<usize> {
    let mut places = vec![0; scores.len()];
    let mut last: Option<(f64, usize)> = None;
    for (index, page) in top(scores, scores.len()).into_iter().enumerate() {
        let place = match last {
            Some((score, place)) if score == scores[page] => place,
            _ => index + 1,
        };
        last = Some((scores[page], place));
        places[page] = place;
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> ScoreFile {
        let (file, problems) = ScoreFile::read(text.as_bytes()).unwrap();
        assert_eq!(problems, []);
        file
    }

    #[test]
    fn two_files_side_by_side() {
        let a = read("# page\tscore\nharbour\t0.5\ntides\t0.3\r\nferry\t0.1\nfog\t0.1\nold\t0.0");
        let b = read("tides\t0.5\nfog\t0.25\nferry\t0.125\nharbour\t0.125\nnew\t1e-3\nnewer\t0\n");
        let compared = Compared::new(a, b);
        assert_eq!((compared.pages(), compared.alone), (4, [1, 2]));
        assert_eq!(compared.sums(), [1.0, 1.0]);
        assert!((compared.l1() - 0.75).abs() < 1e-12);
        assert_eq!(compared.farthest(), Some(("harbour", 0.375)));
        assert_eq!(compared.top(2).shared(), 1);
        let moved: Vec<_> = compared.moved(2).iter().map(|page| (page.page, page.places)).collect();
        assert_eq!(moved, [("harbour", [1, 3]), ("tides", [2, 1])]);
        // ferry and fog are tied in one, ferry and harbour in the other.
        assert_eq!(places(&compared.scores[0]), [1, 2, 3, 3]);
        assert_eq!(compared.moved(9).len(), 3);
    }

    #[test]
    fn bad_lines_are_named() {
        let text = "harbour 0.5\ntides\tmany\n\nferry\t1\nferry\t2\nfog\tNaN\n\u{fffd}\t1\n";
        let (file, problems) = ScoreFile::read(text.as_bytes()).unwrap();
        assert_eq!(file.names, ["ferry", "\u{fffd}"]);
        let lines: Vec<_> = problems.iter().map(|problem| problem.line).collect();
        assert_eq!(lines, [1, 2, 5, 6]);
        assert_eq!(problems[2].message, "ferry: scored before, in line 4");
    }

    #[test]
    fn nothing_in_common() {
        let compared = Compared::new(read("a\t1\n"), read(""));
        assert_eq!((compared.pages(), compared.alone), (0, [1, 0]));
        assert_eq!((compared.tau_b(), compared.l1(), compared.farthest()), (1.0, 0.0, None));
        assert!(compared.moved(5).is_empty());
    }
}
