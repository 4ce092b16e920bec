//! Boosted trees: many small trees whose leaves add up to the scores of the classes.
//!
//! All trees lie in one flat array, and several blocks walk down a tree side by side: what a walk
//! waits for is memory, not arithmetic, and other walks fill the wait.

use std::collections::HashMap;
use std::fmt;

use super::nodes::{Node, above_branches};
use super::number::{Number, finite};
use super::{Verdict, check_classes, class_names, known_class, known_classes, known_feature};
use crate::class::Class;
use crate::error::Error;
use crate::features::{FEATURES, Features};

/// What the files of these models say they are, with the version of their format.
pub(super) const KIND: &str = "boosted-trees 1";

/// How many blocks walk side by side.
const LANES: usize = 8;

#[derive(Debug, PartialEq)]
pub(super) struct Boosted {
    classes: Vec<Class>,
    /// The features it uses, in the order in which trees ask for them. Tests name them by their
    /// place here, their slot.
    features: Vec<u16>,
    /// For each tree, the place of its class in `classes` and its root in `nodes`.
    trees: Vec<(u8, u32)>,
    /// The nodes of the trees, in prefix order.
    nodes: Vec<Place>,
}

/// A node. Both branches of a leaf lead to the leaf itself: a walk is over when it stands still, and
/// no step of it needs to ask.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Place {
    /// The threshold of a test, or what a leaf adds.
    number: f32,
    below: u32,
    above: u32,
    slot: u16,
}

impl Boosted {
    pub(super) fn new(
        classes: &[Class],
        trees: &[(Class, Vec<Node<f32>>)],
    ) -> Result<Boosted, Error> {
        check_classes(classes).map_err(Error::new)?;
        let mut forest = GrowingForest { classes: classes.into(), ..GrowingForest::default() };
        for (class, nodes) in trees {
            forest.add_tree(*class, nodes).map_err(Error::new)?;
        }
        forest.finish()
    }

    pub(super) fn features(&self) -> impl Iterator<Item = u16> {
        self.features.iter().copied()
    }

    pub(super) fn leaves(&self) -> usize {
        // A tree has one leaf more than it has tests.
        (self.nodes.len() + self.trees.len()) / 2
    }

    pub(super) fn classify(&self, value: impl Fn(usize) -> f64) -> Verdict {
        let mut rows = vec![[0.0]; self.features.len().max(1)];
        for (values, feature) in rows.iter_mut().zip(&self.features) {
            *values = [value(usize::from(*feature)) as f32];
        }
        let [scores] = self.scores(&rows);
        self.verdict(&scores)
    }

    pub(super) fn classify_all(&self, features: &Features<'_>) -> Vec<Verdict> {
        let mut verdicts = Vec::with_capacity(features.len());
        let mut rows = vec![[0.0; LANES]; self.features.len().max(1)];
        for start in (0..features.len()).step_by(LANES) {
            let lanes = LANES.min(features.len() - start);
            for (values, feature) in rows.iter_mut().zip(&self.features) {
                for (lane, value) in values[..lanes].iter_mut().enumerate() {
                    *value = features.value(start + lane, usize::from(*feature)) as f32;
                }
            }
            let scores = self.scores(&rows);
            verdicts.extend(scores[..lanes].iter().map(|scores| self.verdict(scores)));
        }
        verdicts
    }

    /// The scores of the classes for some blocks, given their values for every slot.
    fn scores<const N: usize>(&self, rows: &[[f32; N]]) -> [[f64; Class::ALL.len()]; N] {
        let mut scores = [[0.0; Class::ALL.len()]; N];
        for &(class, root) in &self.trees {
            let mut places = [root; N];
            loop {
                let before = places;
                for (lane, place) in places.iter_mut().enumerate() {
                    let node = &self.nodes[*place as usize];
                    let is_below = rows[usize::from(node.slot)][lane] <= node.number;
                    *place = if is_below { node.below } else { node.above };
                }
                if places == before {
                    break;
                }
            }
            for (scores, place) in scores.iter_mut().zip(places) {
                scores[usize::from(class)] += f64::from(self.nodes[place as usize].number);
            }
        }
        scores
    }

    fn verdict(&self, scores: &[f64; Class::ALL.len()]) -> Verdict {
        let mut winner = 0;
        for class in 1..self.classes.len() {
            if scores[class] > scores[winner] {
                winner = class;
            }
        }
        let boilerplate = self.classes.iter().position(|class| *class == Class::Boilerplate);
        let odds_against = |boilerplate: usize| -> f64 {
            let others = (0..self.classes.len()).filter(|class| *class != boilerplate);
            others.map(|class| (scores[class] - scores[boilerplate]).exp()).sum()
        };
        // Odds of 0 and infinity give 0 and 1.
        let score = boilerplate.map_or(1.0, |class| 1.0 / (1.0 + 1.0 / odds_against(class)));
        Verdict { class: self.classes[winner], score: score as f32 }
    }
}

impl fmt::Display for Boosted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "classes: {}\n", class_names(&self.classes))?;
        let ends = self.trees.iter().skip(1).map(|(_, root)| *root as usize);
        let ends = ends.chain([self.nodes.len()]);
        for ((class, root), end) in self.trees.iter().zip(ends) {
            write!(f, "{}:", self.classes[usize::from(*class)].name())?;
            for (place, node) in (*root..).zip(&self.nodes[*root as usize..end]) {
                if node.above == place {
                    write!(f, " {}", Number(node.number))?;
                } else {
                    let feature = self.features[usize::from(node.slot)];
                    let name = FEATURES[usize::from(feature)].name;
                    write!(f, " {name}<={}", Number(node.number))?;
                }
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

/// Boosted trees that are being put together.
#[derive(Default)]
pub(super) struct GrowingForest {
    classes: Vec<Class>,
    features: Vec<u16>,
    slots: HashMap<usize, u16>,
    trees: Vec<(u8, u32)>,
    nodes: Vec<Place>,
    /// Features by name, so that a name is looked for once in a file of thousands of tests.
    names: HashMap<String, usize>,
}

impl GrowingForest {
    pub(super) fn add(&mut self, line: &str) -> Result<(), String> {
        let expected = || format!("expected `classes: …` or `CLASS: TREE`, found `{line}`");
        let (head, rest) = line.split_once(':').ok_or_else(expected)?;
        if head.trim() == "classes" {
            if !self.classes.is_empty() {
                return Err("`classes: …` stands once".into());
            }
            self.classes = known_classes(rest)?;
            return Ok(());
        }
        let class = known_class(head.trim())?;
        let nodes: Vec<_> =
            rest.split_whitespace().map(|word| self.read_node(word)).collect::<Result<_, _>>()?;
        self.add_tree(class, &nodes)
    }

    /// `words<=10` or `-0.25`.
    fn read_node(&mut self, word: &str) -> Result<Node<f32>, String> {
        let Some((name, threshold)) = word.split_once("<=") else {
            return Ok(Node::Leaf(finite(word)?));
        };
        let feature = match self.names.get(name) {
            Some(feature) => *feature,
            None => {
                let feature = usize::from(known_feature(name)?);
                self.names.insert(name.to_owned(), feature);
                feature
            }
        };
        Ok(Node::Test { feature, threshold: finite::<f32>(threshold)?.into() })
    }

    fn add_tree(&mut self, class: Class, nodes: &[Node<f32>]) -> Result<(), String> {
        let place = self.classes.iter().position(|known| *known == class);
        let place =
            place.ok_or_else(|| format!("`{}` is not in the line `classes: …`", class.name()))?;
        let above = above_branches(nodes).map_err(|error| error.to_string())?;
        let root = self.nodes.len() as u32;
        if u32::try_from(self.nodes.len() + nodes.len()).is_err() {
            return Err("the model is too large".into());
        }
        self.trees.push((place as u8, root));
        for ((own, node), above) in (root..).zip(nodes).zip(above) {
            let place = match *node {
                Node::Leaf(number) => Place { number, below: own, above: own, slot: 0 },
                Node::Test { feature, threshold } => {
                    let slot = *self.slots.entry(feature).or_insert_with(|| {
                        self.features.push(feature as u16);
                        self.features.len() as u16 - 1
                    });
                    let number = threshold as f32;
                    Place { number, below: own + 1, above: root + above, slot }
                }
            };
            if !place.number.is_finite() {
                return Err(format!("expected a finite number of 32 bits, found {}", place.number));
            }
            self.nodes.push(place);
        }
        Ok(())
    }

    pub(super) fn finish(self) -> Result<Boosted, Error> {
        let GrowingForest { classes, features, trees, nodes, .. } = self;
        if classes.is_empty() {
            return Err(Error::new("the model has no line `classes: …`"));
        }
        if trees.is_empty() {
            return Err(Error::new("the model has no trees"));
        }
        Ok(Boosted { classes, features, trees, nodes })
    }
}
