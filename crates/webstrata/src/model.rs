//! Decision trees that tell content from boilerplate, written down as the paper prints them.
//!
//! A model is a text file. Its tree has two lines for every test, `<=` first, indented with bars;
//! a branch ends in `content` or `boilerplate`, optionally with the probability of content:
//!
//! ```
//! let model = webstrata::Model::parse(
//!     "name: short-or-linked
//!      about: Two tests are often enough.
//!
//!      words <= 10: boilerplate
//!      words > 10
//!      | link-density <= 0.5: content (0.93)
//!      | link-density > 0.5: boilerplate (0.2)",
//! )?;
//! assert_eq!(model.features().collect::<Vec<_>>(), ["link-density", "words"]);
//! # Ok::<(), webstrata::Error>(())
//! ```
//!
//! The features are those of [`FEATURES`]; a model may use any of them and pays for no others.
//! Lines that start with `#` are comments.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, LazyLock};

use crate::error::Error;
use crate::features::{FEATURES, Features, feature};

/// A decision tree over the features of a block.
///
/// Its [`Display`](fmt::Display) is the model file, which [`Model::parse`] reads back.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    name: String,
    about: String,
    /// The file that an extractor named, where the model is not a built-in one.
    path: Option<String>,
    root: Next,
    tests: Arc<[Test]>,
}

/// The end of a branch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Leaf {
    /// Is a block that arrives here content?
    pub is_content: bool,
    /// The probability that it is, between 0 and 1.
    pub score: f32,
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
    Leaf(Leaf),
}

static BUILTIN: LazyLock<Vec<Model>> = LazyLock::new(|| {
    let files = [
        include_str!("models/num-words.tree"),
        include_str!("models/density.tree"),
        include_str!("models/canola.tree"),
        include_str!("models/cleaneval.tree"),
    ];
    files.map(|file| Model::parse(file).expect("built-in models are tested")).into()
});

impl Model {
    /// The models that come with the library.
    pub fn builtin() -> &'static [Model] {
        &BUILTIN
    }

    /// A built-in model.
    pub fn named(name: &str) -> Option<&'static Model> {
        Model::builtin().iter().find(|model| model.name == name)
    }

    /// Reads a model file.
    pub fn parse(text: &str) -> Result<Model, Error> {
        let (mut name, mut about) = (None, None);
        let mut tree = GrowingTree::default();
        for (number, line) in (1..).zip(text.lines().map(str::trim)) {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if let Some(value) = line.strip_prefix("name:") {
                name = Some(value.trim().to_owned());
            } else if let Some(value) = line.strip_prefix("about:") {
                about = Some(value.trim().to_owned());
            } else {
                let line = Line::parse(line).map_err(|message| Error::at(number, message))?;
                tree.add(number, line).map_err(|message| Error::at(number, message))?;
            }
        }
        let name = name.ok_or_else(|| Error::at(1, "the model has no line `name: …`"))?;
        let about = about.ok_or_else(|| Error::at(1, "the model has no line `about: …`"))?;
        let (root, tests) = tree.finish()?;
        Ok(Model { name, about, path: None, root, tests: tests.into() })
    }

    /// The model's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// One line on what it is and where it comes from.
    pub fn about(&self) -> &str {
        &self.about
    }

    /// The names of the features it uses, each once, in alphabetical order.
    pub fn features(&self) -> impl Iterator<Item = &'static str> {
        let names: BTreeSet<_> =
            self.tests.iter().map(|test| FEATURES[usize::from(test.feature)].name).collect();
        names.into_iter()
    }

    /// How many leaves the tree has, the measure of its size in Table 2.
    pub fn leaves(&self) -> usize {
        self.tests.len() + 1
    }

    /// The verdict on one block.
    pub fn classify(&self, features: &Features<'_>, block: usize) -> Leaf {
        let mut next = self.root;
        loop {
            match next {
                Next::Leaf(leaf) => return leaf,
                Next::Test(index) => {
                    let test = &self.tests[index as usize];
                    let value = features.value(block, usize::from(test.feature));
                    next = if value <= test.threshold { test.below } else { test.above };
                }
            }
        }
    }

    /// What an extractor's TOML calls the model: its name, or the path of its file.
    pub(crate) fn reference(&self) -> &str {
        self.path.as_deref().unwrap_or(&self.name)
    }

    pub(crate) fn with_path(self, path: &str) -> Model {
        Model { path: Some(path.to_owned()), ..self }
    }
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "name: {}\nabout: {}\n", self.name, self.about)?;
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

impl Leaf {
    /// A leaf without a probability is sure of itself.
    fn certain(is_content: bool) -> Leaf {
        Leaf { is_content, score: f32::from(u8::from(is_content)) }
    }

    fn parse(text: &str) -> Result<Leaf, String> {
        let (verdict, score) = match text.split_once('(') {
            Some((verdict, score)) => (verdict.trim(), Some(score)),
            None => (text, None),
        };
        let leaf = Leaf::certain(match verdict {
            "content" => true,
            "boilerplate" => false,
            _ => return Err(format!("expected `content` or `boilerplate`, found `{verdict}`")),
        });
        let Some(score) = score else { return Ok(leaf) };
        let number = score.strip_suffix(')').and_then(|number| number.trim().parse().ok());
        match number.filter(|number| (0.0..=1.0).contains(number)) {
            Some(score) => Ok(Leaf { score, ..leaf }),
            None => Err(format!("expected a probability such as `(0.9)`, found `({score}`")),
        }
    }
}

impl fmt::Display for Leaf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_content { "content" } else { "boilerplate" })?;
        if *self != Leaf::certain(self.is_content) {
            write!(f, " ({})", self.score)?;
        }
        Ok(())
    }
}

/// A line of the tree, taken apart.
struct Line {
    bars: usize,
    /// `None` in a tree that is nothing but a leaf.
    condition: Option<Condition>,
    leaf: Option<Leaf>,
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
            Some((condition, leaf)) => (condition.trim(), Some(Leaf::parse(leaf.trim())?)),
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
        let Some(feature) = feature(name) else {
            let known = FEATURES.iter().map(|feature| feature.name);
            return Err(Error::unknown("feature", name, known).to_string());
        };
        match number.parse::<f64>() {
            Ok(threshold) if threshold.is_finite() => {
                Ok(Condition { feature: feature as u16, greater: sign == ">", threshold })
            }
            _ => Err(format!("expected a number after `{name} {sign}`, found `{number}`")),
        }
    }
}

/// A tree that is being read line by line. `open` is the way from the root to the line expected
/// next, so nothing here recurses.
#[derive(Default)]
struct GrowingTree {
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
    fn add(&mut self, number: usize, line: Line) -> Result<(), String> {
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
        leaf: Option<Leaf>,
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
        let below = Next::Leaf(leaf.unwrap_or(Leaf::certain(false)));
        self.tests.push(Test { feature, threshold, below, above: below });
        self.open.push(Open { test, line: number, above: false });
        self.awaits = if leaf.is_some() { Awaits::Above } else { Awaits::Subtree };
        Ok(())
    }

    fn add_above(
        &mut self,
        bars: usize,
        condition: &Condition,
        leaf: Option<Leaf>,
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

    fn finish(self) -> Result<(Next, Vec<Test>), Error> {
        if let Some(open) = self.open.last() {
            let test = &self.tests[open.test];
            return Err(match self.awaits {
                Awaits::Above => Error::at(open.line, missing_branch(open, test)),
                _ => Error::at(open.line, format!("nothing follows {}", branch(test, open.above))),
            });
        }
        let root = self.root.ok_or_else(|| Error::new("the model has no tree"))?;
        Ok((root, self.tests))
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::document::{Block, Document};

    /// Three blocks in a row with these words, linked words and full lines; the verdict on the
    /// middle one.
    fn verdict(model: &str, blocks: [(u32, u32, u32); 3]) -> bool {
        let mut document = Document::default();
        for (words, linked_words, full_lines) in blocks {
            let mut block = Block::default();
            block.counts.words = words;
            block.counts.linked_words = linked_words;
            block.counts.words_in_full_lines = words;
            block.counts.full_lines = full_lines;
            document.blocks.push(block);
        }
        Model::named(model).unwrap().classify(&Features::of(&document), 1).is_content
    }

    fn check_error(tree: &str, expect: &str) {
        let text = format!("name: x\nabout: y\n{tree}");
        assert_eq!(Model::parse(&text).unwrap_err().to_string(), expect);
    }

    #[test]
    fn errors_name_line_and_remedy() {
        let bad = |line: &str| format!("words <= 1: content\n{line}");
        check_error("", "the model has no tree");
        check_error(
            "words <= 1: content",
            "line 3: expected `words > 1`, the other branch of line 3",
        );
        check_error("words <= 1", "line 3: nothing follows `words <= 1`");
        check_error(
            &bad("words > 2: content"),
            "line 4: expected `words > 1`, the other branch of line 3",
        );
        check_error(
            &bad("| words > 1: content"),
            "line 4: wrong depth: expected 0 bars (`|`), found 1",
        );
        check_error(
            "words <= 1\nbars <= 1: content",
            "line 4: wrong depth: expected 1 bars (`|`), found 0",
        );
        check_error(
            "words > 1: content",
            "line 3: expected the branch `words <= 1` before this one",
        );
        check_error(
            &bad("words > 1: content\nbars <= 2: content"),
            "line 5: the tree was complete before this line",
        );
        check_error("wrods <= 1", "line 3: unknown feature `wrods`, did you mean `words`?");
        check_error(
            "words < 1",
            "line 3: expected `feature <= number` or `feature > number`, found `words < 1`",
        );
        check_error("words <= ten", "line 3: expected a number after `words <=`, found `ten`");
        check_error("words <= nan", "line 3: expected a number after `words <=`, found `nan`");
        check_error(
            "words <= 1: Content",
            "line 3: expected `content` or `boilerplate`, found `Content`",
        );
        check_error(
            "words <= 1: content (93)",
            "line 3: expected a probability such as `(0.9)`, found `(93)`",
        );
        assert_eq!(Model::parse(": content").unwrap_err().line(), Some(1));
    }

    #[test]
    fn a_single_leaf_is_a_tree() {
        let model = Model::parse("name: x\nabout: y\n\n: content (0.25)\n").unwrap();
        assert_eq!(model.leaves(), 1);
        let leaf = model.classify(&Features::of(&Document::default()), 0);
        assert_eq!(leaf, Leaf { is_content: true, score: 0.25 });
        assert_eq!(Model::parse(&model.to_string()).unwrap(), model);
    }

    #[test]
    fn the_builtin_trees_have_the_papers_size() {
        let leaves = |name| Model::named(name).unwrap().leaves();
        assert_eq!((leaves("num-words"), leaves("density"), leaves("cleaneval")), (8, 8, 3));
        for model in Model::builtin() {
            assert_eq!(Model::parse(&model.to_string()).as_ref(), Ok(model));
            assert!(model.about().contains("WSDM 2010, section"));
        }
    }

    #[test]
    fn a_density_of_exactly_seven_is_content_for_cleaneval() {
        let middle = |words, lines| [(0, 0, 1), (words, 0, lines), (0, 0, 1)];
        assert!(verdict("cleaneval", middle(7, 1)));
        assert!(verdict("cleaneval", middle(7_000_000, 1_000_000)));
        assert!(!verdict("cleaneval", middle(6_999_999, 1_000_000)));
        assert!(verdict("cleaneval", [(0, 0, 1), (20, 7, 1), (0, 0, 1)]));
        assert!(!verdict("cleaneval", [(0, 0, 1), (20, 8, 1), (0, 0, 1)]));
    }

    /// A tree whose tests form a chain down to a depth, and a full tree from there to another.
    fn large_tree(chain: usize, depth: usize) -> String {
        let mut text = String::from("name: large\nabout: large\n");
        let mut lines = vec![(0, "<=")];
        while let Some((bars, sign)) = lines.pop() {
            if sign == "<=" {
                lines.push((bars, ">"));
            }
            let is_leaf = bars + 1 == depth || (bars < chain && sign == "<=");
            text += &"| ".repeat(bars);
            text += &format!("words {sign} {bars}{}\n", if is_leaf { ": content" } else { "" });
            if !is_leaf {
                lines.push((bars + 1, "<="));
            }
        }
        text
    }

    #[test]
    fn large_trees_load_and_round_trip() {
        for (chain, depth, leaves) in [(0, 17, 1 << 17), (2000, 2000, 2001)] {
            let model = Model::parse(&large_tree(chain, depth)).unwrap();
            assert_eq!(model.leaves(), leaves);
            assert_eq!(Model::parse(&model.to_string()).unwrap(), model);
        }
    }

    proptest! {
        /// boilerpipe's expression (`CanolaExtractor.CLASSIFIER`) against the tree.
        #[test]
        fn canola_is_boilerpipes_expression(
            prev in (0..22u32, 0..3u32), curr in (0..22u32, 0..3u32), next in (0..22u32, 0..3u32),
        ) {
            let block = |(words, linked): (u32, u32)| (words, linked.min(words), 1);
            let [(p, pl, _), (c, cl, _), (n, nl, _)] = [block(prev), block(curr), block(next)];
            let expect = (cl > 0 && n > 11)
                || c > 19
                || (n > 6 && nl == 0 && pl == 0 && (c > 6 || p > 7 || n > 19));
            prop_assert_eq!(verdict("canola", [block(prev), block(curr), block(next)]), expect);
        }

        #[test]
        fn any_text_is_a_model_or_an_error(text in "(name:|about:|words|bars|<=|>|:|\\||content|boilerplate|[0-9]|\n| ){0,40}") {
            let _ = Model::parse(&format!("name: x\nabout: y\n{text}"));
        }
    }
}
