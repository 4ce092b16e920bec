//! Models as trainers make them, and what they ask of one.

use super::boosted::Boosted;
use super::linear::{Duel, Linear, Scale};
use super::nodes::Node;
use super::tree::Tree;
use super::{BlockModel, ModelKind, Verdict};
use crate::class::Class;
use crate::error::Error;

impl BlockModel {
    /// A decision tree from its nodes in prefix order (see [`Node`]).
    ///
    /// ```
    /// use webstrata::model::{Node, Verdict};
    /// use webstrata::{Class, BlockModel, features::feature};
    ///
    /// let leaf = |class, score| Node::Leaf(Verdict { class, score });
    /// let words = feature("words").unwrap();
    /// let nodes = [
    ///     Node::Test { feature: words, threshold: 10.0 },
    ///     leaf(Class::Boilerplate, 0.1),
    ///     leaf(Class::Content, 0.9),
    /// ];
    /// let model = BlockModel::tree("short", "One test.", &nodes)?;
    /// assert!(model.to_string().ends_with("words <= 10: boilerplate (0.1)\nwords > 10: content (0.9)\n"));
    /// # Ok::<(), webstrata::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Where the nodes are no tree, a test has no such feature or no finite threshold, or a score is
    /// not between 0 and 1.
    pub fn tree(name: &str, about: &str, nodes: &[Node<Verdict>]) -> Result<BlockModel, Error> {
        for node in nodes {
            if let Node::Leaf(Verdict { score, .. }) = node
                && !(0.0..=1.0).contains(score)
            {
                return Err(Error::new(format!("a score is between 0 and 1, found {score}")));
            }
        }
        Ok(BlockModel::made(name, about, ModelKind::Tree(Tree::from_nodes(nodes)?.into())))
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
    ) -> Result<BlockModel, Error> {
        let linear = Linear::new(classes, scales, duels)?;
        Ok(BlockModel::made(name, about, ModelKind::Linear(linear.into())))
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
    ) -> Result<BlockModel, Error> {
        let boosted = Boosted::new(classes, trees)?;
        Ok(BlockModel::made(name, about, ModelKind::Boosted(boosted.into())))
    }

    /// Name and description are a line each.
    fn made(name: &str, about: &str, kind: ModelKind) -> BlockModel {
        let line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        BlockModel { name: line(name), about: line(about), path: None, kind }
    }

    /// The nodes of a decision tree, as [`BlockModel::tree`] takes them; `None` of any other model.
    pub fn nodes(&self) -> Option<Vec<Node<Verdict>>> {
        match &self.kind {
            ModelKind::Tree(tree) => Some(tree.nodes()),
            ModelKind::Linear(_) | ModelKind::Boosted(_) => None,
        }
    }

    /// How many leaves its trees have, the measure of size in Table 2. A linear model has none.
    pub fn leaves(&self) -> usize {
        match &self.kind {
            ModelKind::Tree(tree) => tree.leaves(),
            ModelKind::Linear(_) => 0,
            ModelKind::Boosted(boosted) => boosted.leaves(),
        }
    }
}
