//! Models that tell content from boilerplate, each a text file that people can read.
//!
//! Three kinds are run here; they are trained elsewhere. All begin with a `name:` and an `about:`;
//! lines that start with `#` are comments. A model may use any of [`FEATURES`]; only those that it uses are computed.
//!
//! # Decision trees
//!
//! A tree is written as the paper prints it: two lines for every test, `<=` first, indented with bars;
//! a branch ends in a [`Class`], optionally with the probability of content:
//!
//! ```
//! let model = webstrata::BlockModel::parse(
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
//! let model = webstrata::BlockModel::parse(
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
//! let model = webstrata::BlockModel::parse(
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

// What the trainer alone calls is dead without it.
#[cfg_attr(not(feature = "training"), allow(dead_code, unreachable_pub))]
mod boosted;
#[cfg_attr(not(feature = "training"), allow(dead_code, unreachable_pub))]
mod linear;
#[cfg(any(test, feature = "training"))]
mod making;
#[cfg_attr(not(feature = "training"), allow(dead_code, unreachable_pub))]
pub(crate) mod nodes;
mod number;
#[cfg(test)]
mod tests;
#[cfg_attr(not(feature = "training"), allow(dead_code, unreachable_pub))]
mod tree;

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, LazyLock};

use boosted::{Boosted, GrowingForest};
use linear::{GrowingDuels, Linear};
use tree::{GrowingTree, Tree};

#[cfg(feature = "training")]
pub use linear::{Duel, Scale};
#[cfg(feature = "training")]
pub use nodes::Node;

use crate::class::Class;
use crate::error::{Error, ErrorKind};
use crate::features::{FEATURES, Features, feature};

/// What judges a block by its features: a decision tree, a linear model or boosted trees.
///
/// Its [`Display`](fmt::Display) is the model file, which [`BlockModel::parse`] reads back.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockModel {
    name: String,
    about: String,
    /// The file that an extractor named, where the model is not a built-in one.
    path: Option<String>,
    kind: ModelKind,
}

/// Shared, since extractors are cloned with their models.
#[derive(Clone, Debug, PartialEq)]
enum ModelKind {
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

static BUILTIN: LazyLock<Vec<BlockModel>> = LazyLock::new(|| {
    let files = [
        include_str!("../models/num-words.tree"),
        include_str!("../models/density.tree"),
        include_str!("../models/canola.tree"),
        include_str!("../models/cleaneval.tree"),
    ];
    files.map(|file| BlockModel::parse(file).expect("built-in models are tested")).into()
});

impl BlockModel {
    /// The models that come with the library.
    pub fn builtin() -> &'static [BlockModel] {
        &BUILTIN
    }

    /// A built-in model.
    pub fn named(name: &str) -> Option<&'static BlockModel> {
        BlockModel::builtin().iter().find(|model| model.name == name)
    }

    /// Reads a model file.
    pub fn parse(text: &str) -> Result<BlockModel, Error> {
        BlockModel::read(text).map_err(|error| error.of_kind(ErrorKind::InvalidModel))
    }

    fn read(text: &str) -> Result<BlockModel, Error> {
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
        Ok(BlockModel { name, about, path: None, kind: body.finish()? })
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
            ModelKind::Tree(tree) => tree.features().map(name).collect(),
            ModelKind::Linear(linear) => linear.features().map(name).collect(),
            ModelKind::Boosted(boosted) => boosted.features().map(name).collect(),
        };
        names.into_iter()
    }

    /// The verdict on one block. For all blocks of a document, [`BlockModel::classify_all`] is faster.
    pub fn classify(&self, features: &Features<'_>, block: usize) -> Verdict {
        self.classify_row(|feature| features.value(block, feature))
    }

    /// The verdict on a block whose features come from elsewhere: `value` gives the value of a
    /// feature by its index in [`FEATURES`].
    #[inline]
    pub fn classify_row(&self, value: impl Fn(usize) -> f64) -> Verdict {
        match &self.kind {
            ModelKind::Tree(tree) => tree.classify(value),
            ModelKind::Linear(linear) => linear.classify(value),
            ModelKind::Boosted(boosted) => boosted.classify(value),
        }
    }

    /// The verdicts on all blocks.
    pub fn classify_all(&self, features: &Features<'_>) -> Vec<Verdict> {
        match &self.kind {
            ModelKind::Boosted(boosted) => boosted.classify_all(features),
            ModelKind::Tree(_) | ModelKind::Linear(_) => {
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

    pub(crate) fn with_path(self, path: &str) -> BlockModel {
        BlockModel { path: Some(path.to_owned()), ..self }
    }
}

impl fmt::Display for BlockModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "name: {}\nabout: {}", self.name, self.about)?;
        match &self.kind {
            ModelKind::Tree(tree) => write!(f, "\n{tree}"),
            ModelKind::Linear(linear) => write!(f, "kind: {}\n{linear}", linear::KIND),
            ModelKind::Boosted(boosted) => write!(f, "kind: {}\n{boosted}", boosted::KIND),
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

    fn finish(self) -> Result<ModelKind, Error> {
        Ok(match self {
            Body::Tree(tree) => ModelKind::Tree(tree.finish()?.into()),
            Body::Linear(duels) => ModelKind::Linear(duels.finish()?.into()),
            Body::Boosted(forest) => ModelKind::Boosted(forest.finish()?.into()),
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
