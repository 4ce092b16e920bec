//! Decision trees, in the notation of the paper's listings.

use std::fmt;

use super::nodes::{Node, above_branches};
use super::{Verdict, known_feature};
use crate::class::Class;
use crate::error::Error;
use crate::features::FEATURES;

/// A decision tree. Its tests stand in the order of their lines, so two equal trees are equal
/// values.
#[derive(Debug, PartialEq)]
pub(super) struct Tree {
    root: Next,
    tests: Vec<Test>,
}

/// One inner node of the tree.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Test {
    feature: u16,
    threshold: f64,
    /// Where values up to the threshold go…
    below: Next,
    /// … and where greater ones go.
    above: Next,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Next {
    Test(u32),
    Leaf(Verdict),
}

impl Tree {
    /// A tree from its nodes in prefix order; scores and thresholds were checked.
    pub(super) fn from_nodes(nodes: &[Node<Verdict>]) -> Result<Tree, Error> {
        let above = above_branches(nodes)?;
        // Where each test stands among the tests; a leaf takes the number of the next test.
        let mut ranks = Vec::with_capacity(nodes.len());
        let mut rank = 0;
        for node in nodes {
            ranks.push(rank);
            rank += u32::from(matches!(node, Node::Test { .. }));
        }
        let next = |place: usize| match nodes[place] {
            Node::Leaf(verdict) => Next::Leaf(verdict),
            Node::Test { .. } => Next::Test(ranks[place]),
        };
        let mut tests = Vec::with_capacity(nodes.len() / 2);
        for (place, node) in nodes.iter().enumerate() {
            if let Node::Test { feature, threshold } = *node {
                let (below, above) = (next(place + 1), next(above[place] as usize));
                tests.push(Test { feature: feature as u16, threshold, below, above });
            }
        }
        Ok(Tree { root: next(0), tests })
    }

    /// The nodes in prefix order.
    pub(super) fn nodes(&self) -> Vec<Node<Verdict>> {
        let mut nodes = Vec::with_capacity(2 * self.tests.len() + 1);
        let mut open = vec![self.root];
        while let Some(next) = open.pop() {
            nodes.push(match next {
                Next::Leaf(verdict) => Node::Leaf(verdict),
                Next::Test(index) => {
                    let Test { feature, threshold, below, above } = self.tests[index as usize];
                    open.extend([above, below]);
                    Node::Test { feature: usize::from(feature), threshold }
                }
            });
        }
        nodes
    }

    pub(super) fn features(&self) -> impl Iterator<Item = u16> {
        self.tests.iter().map(|test| test.feature)
    }

    pub(super) fn leaves(&self) -> usize {
        self.tests.len() + 1
    }

    #[inline]
    pub(super) fn classify(&self, value: impl Fn(usize) -> f64) -> Verdict {
        let mut next = self.root;
        loop {
            match next {
                Next::Leaf(verdict) => return verdict,
                Next::Test(index) => {
                    let test = &self.tests[index as usize];
                    let value = value(usize::from(test.feature));
                    next = if value <= test.threshold { test.below } else { test.above };
                }
            }
        }
    }
}

impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Next::Leaf(leaf) = self.root {
            return writeln!(f, ": {leaf}");
        }
        // Lines still to be written, the next one on top: a recursive writer would overflow the
        // stack on a deep tree.
        let mut lines = Vec::new();
        let push = |lines: &mut Vec<_>, next, depth| {
            if let Next::Test(index) = next {
                let test = self.tests[index as usize];
                lines.push((depth, test, ">", test.above));
                lines.push((depth, test, "<=", test.below));
            }
        };
        push(&mut lines, self.root, 0);
        while let Some((depth, test, sign, next)) = lines.pop() {
            let name = FEATURES[usize::from(test.feature)].name;
            write!(f, "{}{name} {sign} {}", "| ".repeat(depth), test.threshold)?;
            match next {
                Next::Leaf(leaf) => writeln!(f, ": {leaf}")?,
                Next::Test(_) => writeln!(f)?,
            }
            push(&mut lines, next, depth + 1);
        }
        Ok(())
    }
}

/// A line of the tree, taken apart.
struct Line {
    bars: usize,
    /// `None` in a tree that is nothing but a leaf.
    condition: Option<Condition>,
    leaf: Option<Verdict>,
}

struct Condition {
    feature: u16,
    greater: bool,
    threshold: f64,
}

impl Line {
    fn parse(line: &str) -> Result<Line, String> {
        let mut rest = line;
        let mut bars = 0;
        while let Some(after) = rest.strip_prefix('|') {
            rest = after.trim_start();
            bars += 1;
        }
        let (condition, leaf) = match rest.split_once(':') {
            Some((condition, leaf)) => (condition.trim(), Some(Verdict::parse(leaf.trim())?)),
            None => (rest, None),
        };
        let condition = match condition {
            "" if leaf.is_some() => None,
            condition => Some(Condition::parse(condition)?),
        };
        Ok(Line { bars, condition, leaf })
    }
}

impl Condition {
    fn parse(text: &str) -> Result<Condition, String> {
        let mut parts = text.split_whitespace();
        let (Some(name), Some(sign @ ("<=" | ">")), Some(number), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(format!(
                "expected `feature <= number` or `feature > number`, found `{text}`"
            ));
        };
        let feature = known_feature(name)?;
        match number.parse::<f64>() {
            Ok(threshold) if threshold.is_finite() => {
                Ok(Condition { feature, greater: sign == ">", threshold })
            }
            _ => Err(format!("expected a number after `{name} {sign}`, found `{number}`")),
        }
    }
}

/// A tree that is being read line by line. `open` is the way from the root to the line expected
/// next, so nothing here recurses.
#[derive(Default)]
pub(super) struct GrowingTree {
    root: Option<Next>,
    tests: Vec<Test>,
    open: Vec<Open>,
    awaits: Awaits,
}

/// A test some of whose lines are still to come.
struct Open {
    test: usize,
    /// The line of its `<=` branch.
    line: usize,
    /// Was the line of its `>` branch read, too?
    above: bool,
}

/// What the next line has to be.
#[derive(Clone, Copy, Default, PartialEq)]
enum Awaits {
    /// The `<=` line of a new test.
    #[default]
    Subtree,
    /// The `>` line of the innermost open test.
    Above,
    Nothing,
}

impl GrowingTree {
    pub(super) fn add(&mut self, number: usize, line: &str) -> Result<(), String> {
        let line = Line::parse(line)?;
        let Some(condition) = line.condition else {
            if self.root.is_some() || line.bars > 0 {
                return Err("a leaf without a condition is a whole tree".into());
            }
            self.root = line.leaf.map(Next::Leaf);
            self.awaits = Awaits::Nothing;
            return Ok(());
        };
        match self.awaits {
            Awaits::Nothing => Err("the tree was complete before this line".into()),
            Awaits::Subtree => self.add_test(number, line.bars, &condition, line.leaf),
            Awaits::Above => self.add_above(line.bars, &condition, line.leaf),
        }
    }

    fn add_test(
        &mut self,
        number: usize,
        bars: usize,
        condition: &Condition,
        leaf: Option<Verdict>,
    ) -> Result<(), String> {
        expect_bars(self.open.len(), bars)?;
        let &Condition { feature, greater, threshold } = condition;
        if greater {
            let name = FEATURES[usize::from(feature)].name;
            return Err(format!("expected the branch `{name} <= {threshold}` before this one"));
        }
        let test = self.tests.len();
        let next = Next::Test(u32::try_from(test).map_err(|_| "the tree is too large")?);
        match self.open.last() {
            Some(parent) if parent.above => self.tests[parent.test].above = next,
            Some(parent) => self.tests[parent.test].below = next,
            None => self.root = Some(next),
        }
        // The leaf stands in for branches that later lines put in their place.
        let below = Next::Leaf(leaf.unwrap_or(Verdict::certain(Class::Boilerplate)));
        self.tests.push(Test { feature, threshold, below, above: below });
        self.open.push(Open { test, line: number, above: false });
        self.awaits = if leaf.is_some() { Awaits::Above } else { Awaits::Subtree };
        Ok(())
    }

    fn add_above(
        &mut self,
        bars: usize,
        condition: &Condition,
        leaf: Option<Verdict>,
    ) -> Result<(), String> {
        let depth = self.open.len() - 1;
        let open = &mut self.open[depth];
        let test = &mut self.tests[open.test];
        let other_branch =
            (condition.feature, condition.threshold) == (test.feature, test.threshold);
        if !(condition.greater && other_branch) {
            return Err(missing_branch(open, test));
        }
        expect_bars(depth, bars)?;
        open.above = true;
        let Some(leaf) = leaf else {
            self.awaits = Awaits::Subtree;
            return Ok(());
        };
        test.above = Next::Leaf(leaf);
        // Every test whose `>` branch ends with this line is complete.
        while self.open.last().is_some_and(|open| open.above) {
            self.open.pop();
        }
        self.awaits = if self.open.is_empty() { Awaits::Nothing } else { Awaits::Above };
        Ok(())
    }

    pub(super) fn finish(self) -> Result<Tree, Error> {
        if let Some(open) = self.open.last() {
            let test = &self.tests[open.test];
            return Err(match self.awaits {
                Awaits::Above => Error::at(open.line, missing_branch(open, test)),
                _ => Error::at(open.line, format!("nothing follows {}", branch(test, open.above))),
            });
        }
        let root = self.root.ok_or_else(|| Error::new("the model has no tree"))?;
        Ok(Tree { root, tests: self.tests })
    }
}

fn expect_bars(expected: usize, found: usize) -> Result<(), String> {
    if expected == found {
        return Ok(());
    }
    Err(format!("wrong depth: expected {expected} bars (`|`), found {found}"))
}

fn missing_branch(open: &Open, test: &Test) -> String {
    let Open { line, .. } = open;
    format!("expected {}, the other branch of line {line}", branch(test, true))
}

fn branch(test: &Test, above: bool) -> String {
    let sign = if above { ">" } else { "<=" };
    format!("`{} {sign} {}`", FEATURES[usize::from(test.feature)].name, test.threshold)
}
