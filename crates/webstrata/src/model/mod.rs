//! Models that tell content from boilerplate, each a text file that people can read.
//!
//! Three kinds are run here; they are trained elsewhere. All begin with a `name:` and an `about:`;
//! lines that start with `#` are comments. A model may use any of [`FEATURES`] and pays for no others.
//!
//! # Decision trees
//!
//! A tree is written as the paper prints it: two lines for every test, `<=` first, indented with bars;
//! a branch ends in a [`Class`], optionally with the probability of content:
//!
//! ```
//! let model = webstrata::Model::parse(
//!     "name: short-or-linked
//!      about: Two tests are often enough.
//!
//!      words <= 10: boilerplate
//!      words > 10
//!      | link-density <= 0.5: content (0.93)
//!      | link-density > 0.5: related (0.6)",
//! )?;
//! assert_eq!(model.features().collect::<Vec<_>>(), ["link-density", "words"]);
//! # Ok::<(), webstrata::Error>(())
//! ```
//!
//! # Linear models
//!
//! Each feature is scaled so that the two numbers beside it become 0 and 1. Each pair of classes has
//! a line that decides between the two: a constant, then a weight for every feature that counts. Their
//! weighted sum is the margin: above 0, the vote goes to the second class, otherwise to the first.
//! The class with the most votes wins, the earlier one of the list where votes are equal, as in Weka's
//! SMO.
//!
//! ```
//! let model = webstrata::Model::parse(
//!     "name: flat
//!      about: Long blocks with few links.
//!      kind: linear 1
//!      classes: boilerplate content
//!
//!      scale words: 0 to 250
//!      scale link-density: 0 to 1
//!      boilerplate or content: -0.5 words 12.5 link-density -3",
//! )?;
//! // Ten words, none of them linked: a margin of 0.
//! let words = webstrata::features::feature("words");
//! let verdict = model.classify_row(|feature| if Some(feature) == words { 10.0 } else { 0.0 });
//! assert_eq!((verdict.class, verdict.score), (webstrata::Class::Boilerplate, 0.5));
//! # Ok::<(), webstrata::Error>(())
//! ```
//!
//! The score is the margin between boilerplate and content through the logistic function: it rises
//! with the probability of content, but nothing makes it equal to it. Where there are more classes, it
//! is that of the class that is surest not to be boilerplate.
//!
//! # Boosted trees
//!
//! Each line is a tree that adds to the score of a class. Trees stand in prefix order: a test is
//! followed by its `<=` branch and then by its `>` branch, and a branch ends in what it adds. The
//! exponentials of the scores are in the proportion of the probabilities; a class without trees has
//! score 0, so that two classes need trees for one of them, and its score is its log-odds.
//!
//! ```
//! let model = webstrata::Model::parse(
//!     "name: boosted
//!      about: A prior and two trees.
//!      kind: boosted-trees 1
//!      classes: boilerplate content
//!
//!      content: -0.5
//!      content: words<=10 -0.25 link-density<=0.33 0.5 -0.125
//!      content: words<=20 -0.125 0.25",
//! )?;
//! let words = webstrata::features::feature("words");
//! let verdict = model.classify_row(|feature| if Some(feature) == words { 30.0 } else { 0.0 });
//! // -0.5 + 0.5 + 0.25
//! assert_eq!(verdict.score, (1.0 / (1.0 + (-0.25f64).exp())) as f32);
//! # Ok::<(), webstrata::Error>(())
//! ```
//!
//! Values, thresholds and what leaves add are numbers of 32 bits; scores are summed in 64 bits, in the
//! order of the lines. A trainer that does the same sees the very scores that the model gives.

mod boosted;
mod linear;
mod nodes;
mod number;
#[cfg(test)]
mod tests;
mod tree;

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, LazyLock};

use boosted::{Boosted, GrowingForest};
use linear::{GrowingDuels, Linear};
use tree::{GrowingTree, Tree};

pub use linear::{Duel, Scale};
pub use nodes::Node;

use crate::class::Class;
use crate::error::{Error, ErrorKind};
use crate::features::{FEATURES, Features, feature};

/// What judges a block by its features: a decision tree, a linear model or boosted trees.
///
/// Its [`Display`](fmt::Display) is the model file, which [`Model::parse`] reads back.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    name: String,
    about: String,
    /// The file that an extractor named, where the model is not a built-in one.
    path: Option<String>,
    kind: Kind,
}

/// Shared, since extractors are cloned with their models.
#[derive(Clone, Debug, PartialEq)]
enum Kind {
    Tree(Arc<Tree>),
    Linear(Arc<Linear>),
    Boosted(Arc<Boosted>),
}

/// What a model says about a block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Verdict {
    /// What the block is.
    pub class: Class,
    /// The probability that it is content of any class, between 0 and 1.
    pub score: f32,
}

static BUILTIN: LazyLock<Vec<Model>> = LazyLock::new(|| {
    let files = [
        include_str!("../models/num-words.tree"),
        include_str!("../models/density.tree"),
        include_str!("../models/canola.tree"),
        include_str!("../models/cleaneval.tree"),
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
        Model::read(text).map_err(|error| error.of_kind(ErrorKind::InvalidModel))
    }

    fn read(text: &str) -> Result<Model, Error> {
        let (mut name, mut about) = (None, None);
        let mut body = Body::Tree(GrowingTree::default());
        let mut begun = false;
        for (number, line) in (1..).zip(text.lines().map(str::trim)) {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if let Some(value) = line.strip_prefix("name:") {
                name = Some(value.trim().to_owned());
            } else if let Some(value) = line.strip_prefix("about:") {
                about = Some(value.trim().to_owned());
            } else if let Some(value) = line.strip_prefix("kind:") {
                if std::mem::replace(&mut begun, true) {
                    return Err(Error::at(number, "`kind: …` stands once, before the model"));
                }
                body = Body::of_kind(value.trim()).map_err(|message| Error::at(number, message))?;
            } else {
                begun = true;
                body.add(number, line).map_err(|message| Error::at(number, message))?;
            }
        }
        let name = name.ok_or_else(|| Error::at(1, "the model has no line `name: …`"))?;
        let about = about.ok_or_else(|| Error::at(1, "the model has no line `about: …`"))?;
        Ok(Model { name, about, path: None, kind: body.finish()? })
    }

    /// A decision tree from its nodes in prefix order (see [`Node`]).
    ///
    /// ```
    /// use webstrata::model::{Node, Verdict};
    /// use webstrata::{Class, Model, features::feature};
    ///
    /// let leaf = |class, score| Node::Leaf(Verdict { class, score });
    /// let words = feature("words").unwrap();
    /// let nodes = [
    ///     Node::Test { feature: words, threshold: 10.0 },
    ///     leaf(Class::Boilerplate, 0.1),
    ///     leaf(Class::Content, 0.9),
    /// ];
    /// let model = Model::tree("short", "One test.", &nodes)?;
    /// assert!(model.to_string().ends_with("words <= 10: boilerplate (0.1)\nwords > 10: content (0.9)\n"));
    /// # Ok::<(), webstrata::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Where the nodes are no tree, a test has no such feature or no finite threshold, or a score is
    /// not between 0 and 1.
    pub fn tree(name: &str, about: &str, nodes: &[Node<Verdict>]) -> Result<Model, Error> {
        for node in nodes {
            if let Node::Leaf(Verdict { score, .. }) = node
                && !(0.0..=1.0).contains(score)
            {
                return Err(Error::new(format!("a score is between 0 and 1, found {score}")));
            }
        }
        Ok(Model::made(name, about, Kind::Tree(Tree::from_nodes(nodes)?.into())))
    }

    /// A linear model: the classes, the features with their scales, and a [`Duel`] for every pair of
    /// classes, the pairs in the order (0, 1), (0, 2), …, (1, 2), ….
    ///
    /// # Errors
    ///
    /// Where classes or features are missing or given twice, the number of duels or weights does not
    /// fit, or a number is not finite.
    pub fn linear(
        name: &str,
        about: &str,
        classes: &[Class],
        scales: &[Scale],
        duels: &[Duel],
    ) -> Result<Model, Error> {
        let linear = Linear::new(classes, scales, duels)?;
        Ok(Model::made(name, about, Kind::Linear(linear.into())))
    }

    /// Boosted trees: the classes, and trees that add to the score of a class, each in prefix order
    /// (see [`Node`]). Thresholds are rounded to 32 bits. A prior is a tree of one leaf.
    ///
    /// # Errors
    ///
    /// Where classes are given twice, the nodes of a tree are no tree, a test has no such feature, or
    /// a number is not finite.
    pub fn boosted(
        name: &str,
        about: &str,
        classes: &[Class],
        trees: &[(Class, Vec<Node<f32>>)],
    ) -> Result<Model, Error> {
        let boosted = Boosted::new(classes, trees)?;
        Ok(Model::made(name, about, Kind::Boosted(boosted.into())))
    }

    /// Name and description are a line each.
    fn made(name: &str, about: &str, kind: Kind) -> Model {
        let line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        Model { name: line(name), about: line(about), path: None, kind }
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
        let name = |feature: u16| FEATURES[usize::from(feature)].name;
        let names: BTreeSet<_> = match &self.kind {
            Kind::Tree(tree) => tree.features().map(name).collect(),
            Kind::Linear(linear) => linear.features().map(name).collect(),
            Kind::Boosted(boosted) => boosted.features().map(name).collect(),
        };
        names.into_iter()
    }

    /// The nodes of a decision tree, as [`Model::tree`] takes them; `None` of any other model.
    pub fn nodes(&self) -> Option<Vec<Node<Verdict>>> {
        match &self.kind {
            Kind::Tree(tree) => Some(tree.nodes()),
            Kind::Linear(_) | Kind::Boosted(_) => None,
        }
    }

    /// How many leaves its trees have, the measure of size in Table 2. A linear model has none.
    pub fn leaves(&self) -> usize {
        match &self.kind {
            Kind::Tree(tree) => tree.leaves(),
            Kind::Linear(_) => 0,
            Kind::Boosted(boosted) => boosted.leaves(),
        }
    }

    /// The verdict on one block. For all blocks of a document, [`Model::classify_all`] is faster.
    pub fn classify(&self, features: &Features<'_>, block: usize) -> Verdict {
        self.classify_row(|feature| features.value(block, feature))
    }

    /// The verdict on a block whose features come from elsewhere: `value` gives the value of a
    /// feature by its index in [`FEATURES`].
    #[inline]
    pub fn classify_row(&self, value: impl Fn(usize) -> f64) -> Verdict {
        match &self.kind {
            Kind::Tree(tree) => tree.classify(value),
            Kind::Linear(linear) => linear.classify(value),
            Kind::Boosted(boosted) => boosted.classify(value),
        }
    }

    /// The verdicts on all blocks.
    pub fn classify_all(&self, features: &Features<'_>) -> Vec<Verdict> {
        match &self.kind {
            Kind::Boosted(boosted) => boosted.classify_all(features),
            Kind::Tree(_) | Kind::Linear(_) => {
                (0..features.len()).map(|block| self.classify(features, block)).collect()
            }
        }
    }

    /// Is this, in an extractor's TOML, the path of a model file rather than a model's name?
    pub(crate) fn is_path(reference: &str) -> bool {
        reference.ends_with(".tree") || reference.ends_with(".model")
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
        writeln!(f, "name: {}\nabout: {}", self.name, self.about)?;
        match &self.kind {
            Kind::Tree(tree) => write!(f, "\n{tree}"),
            Kind::Linear(linear) => write!(f, "kind: {}\n{linear}", linear::KIND),
            Kind::Boosted(boosted) => write!(f, "kind: {}\n{boosted}", boosted::KIND),
        }
    }
}

impl Verdict {
    /// Is the block content of any class?
    pub fn is_content(self) -> bool {
        self.class != Class::Boilerplate
    }

    /// A leaf without a probability is sure of itself.
    fn certain(class: Class) -> Verdict {
        Verdict { class, score: f32::from(u8::from(class != Class::Boilerplate)) }
    }

    fn parse(text: &str) -> Result<Verdict, String> {
        let (class, score) = match text.split_once('(') {
            Some((class, score)) => (class.trim(), Some(score)),
            None => (text, None),
        };
        let verdict = Verdict::certain(known_class(class)?);
        let Some(score) = score else { return Ok(verdict) };
        let number = score.strip_suffix(')').and_then(|number| number.trim().parse().ok());
        match number.filter(|number| (0.0..=1.0).contains(number)) {
            Some(score) => Ok(Verdict { score, ..verdict }),
            None => Err(format!("expected a probability such as `(0.9)`, found `({score}`")),
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.class.name())?;
        if *self != Verdict::certain(self.class) {
            write!(f, " ({})", self.score)?;
        }
        Ok(())
    }
}

/// A model that is being read line by line.
enum Body {
    Tree(GrowingTree),
    Linear(GrowingDuels),
    Boosted(GrowingForest),
}

impl Body {
    fn of_kind(kind: &str) -> Result<Body, String> {
        match kind {
            linear::KIND => Ok(Body::Linear(GrowingDuels::default())),
            boosted::KIND => Ok(Body::Boosted(GrowingForest::default())),
            // A file of a later version says so here.
            _ => Err(format!(
                "expected `kind: {}` or `kind: {}` (a decision tree has no such line), found `{kind}`",
                linear::KIND,
                boosted::KIND,
            )),
        }
    }

    fn add(&mut self, number: usize, line: &str) -> Result<(), String> {
        match self {
            Body::Tree(tree) => tree.add(number, line),
            Body::Linear(duels) => duels.add(line),
            Body::Boosted(forest) => forest.add(line),
        }
    }

    fn finish(self) -> Result<Kind, Error> {
        Ok(match self {
            Body::Tree(tree) => Kind::Tree(tree.finish()?.into()),
            Body::Linear(duels) => Kind::Linear(duels.finish()?.into()),
            Body::Boosted(forest) => Kind::Boosted(forest.finish()?.into()),
        })
    }
}

fn known_feature(name: &str) -> Result<u16, String> {
    let known = FEATURES.iter().map(|feature| feature.name);
    let unknown = || Error::unknown("feature", name, known).to_string();
    feature(name).map(|feature| feature as u16).ok_or_else(unknown)
}

fn known_class(name: &str) -> Result<Class, String> {
    let unknown = || Error::unknown("class", name, Class::ALL.map(|(_, name)| name)).to_string();
    Class::named(name).ok_or_else(unknown)
}

/// The classes of a line `classes: …`.
fn known_classes(text: &str) -> Result<Vec<Class>, String> {
    let classes: Vec<Class> = text.split_whitespace().map(known_class).collect::<Result<_, _>>()?;
    check_classes(&classes)?;
    Ok(classes)
}

fn check_classes(classes: &[Class]) -> Result<(), String> {
    let distinct: BTreeSet<_> = classes.iter().collect();
    if classes.len() < 2 || distinct.len() < classes.len() {
        return Err("expected two or more classes, each of them once".into());
    }
    Ok(())
}

fn class_names(classes: &[Class]) -> String {
    classes.iter().map(|class| class.name()).collect::<Vec<_>>().join(" ")
}
