//! Gradient-boosted trees (Friedman, "Greedy function approximation", Annals of Statistics 2001), grown
//! leaf by leaf on histograms (Ke et al., "LightGBM", NIPS 2017) with the second-order gain and the
//! penalty of Chen and Guestrin ("XGBoost", KDD 2016).
//!
//! Each round adds a tree to the score of every class. A tree begins as one leaf; again and again the
//! leaf whose split gains most is split, until there are as many as allowed. Splits are looked for
//! between bins, up to 255 a column, in sums of gradients and curvatures for each bin; of two new leaves
//! only the smaller one is summed, the other is the difference.
//!
//! **The core gives the very scores seen here.** Values are rounded to 32 bits before anything else, a
//! row goes to the left exactly where its value is at most the threshold, leaves are numbers of 32
//! bits, and scores are summed in 64 bits in the order of the trees. [`Forest::scores`] are those sums.
//!
//! **Any number of threads gives the same trees.** Threads share out columns, eight to a tile, and a
//! tile is summed by one thread in the order of the rows.
//!
//! Why not a crate: forust-ml 0.8, which is maintained and builds on stable Rust, tells two classes
//! apart and no more, and is no faster: 5.9 seconds of processor time for 20 trees of 31 leaves on 250,000
//! random rows of 100 columns. This trainer takes 4.2 seconds for such rows (`cargo test --release -p
//! webstrata-lab -- --ignored boost::tests::speed --nocapture` under `time`).

mod bins;
mod grow;
#[cfg(test)]
mod tests;

use rayon::prelude::*;
use webstrata::model::Node;
use webstrata::{BlockModel, Class};

use self::bins::{Bins, TILE, Tile};
pub use self::grow::Gradient;
use self::grow::grow;
use crate::{Error, Examples, Progress};
use webstrata_base::random::Random;

/// The trainer.
///
/// ```
/// use webstrata_lab::trainers::Boost;
///
/// // Exclusive or, which no linear model learns; the last row is only half sure.
/// let columns = [vec![0.0, 0.0, 1.0, 1.0], vec![0.0, 1.0, 0.0, 1.0]];
/// let targets = [vec![0.0, 1.0, 1.0, 0.5]];
/// let weights = [9.0, 8.0, 9.0, 9.0];
/// let boost = Boost { rounds: 200, leaves: 4, min_leaf_weight: 0.01, ..Boost::default() };
/// let forest = boost.fit(&columns, &targets, &weights, &())?;
/// let probability: Vec<f64> = forest.scores[0].iter().map(|s| 1.0 / (1.0 + (-s).exp())).collect();
/// assert!(probability[0] < 0.1 && probability[1] > 0.9 && probability[2] > 0.9);
/// assert!((probability[3] - 0.5).abs() < 0.1);
/// # Ok::<(), webstrata_base::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Boost {
    /// How many trees a class gets.
    pub rounds: usize,
    /// The most leaves of a tree.
    pub leaves: usize,
    /// How much of the best step each tree takes.
    pub learning_rate: f64,
    /// What is added to the curvature of every leaf, so that small leaves take small steps.
    pub l2: f64,
    /// The least curvature of a leaf: the sum of `weight · p · (1 − p)` over its rows. Above 0.
    pub min_leaf_weight: f64,
    /// The share of rows that a tree is grown on.
    pub row_share: f64,
    /// The share of columns that a tree is grown on.
    pub column_share: f64,
    /// For the rows and columns that are drawn.
    pub seed: u64,
}

impl Default for Boost {
    fn default() -> Boost {
        Boost {
            rounds: 160,
            leaves: 31,
            learning_rate: 0.1,
            l2: 1.0,
            min_leaf_weight: 1.0,
            row_share: 1.0,
            column_share: 1.0,
            seed: 1,
        }
    }
}

/// What a [`Boost`] grew.
#[derive(Clone, Debug, PartialEq)]
pub struct Forest {
    /// The trees: for each, the column of the targets whose score it adds to, and its nodes in prefix
    /// order, in which features are numbers of columns.
    pub trees: Vec<(usize, Vec<Node<f32>>)>,
    /// For each column of the targets, the scores of all rows: log-odds where there is one column,
    /// logarithms of proportions where there are more.
    pub scores: Vec<Vec<f64>>,
}

impl Boost {
    /// Grows trees on columns of values.
    ///
    /// One column of `targets` is the probability of something, 0 or 1 or in between. Several are the
    /// probabilities of classes that exclude each other, and add up to 1 in every row.
    ///
    /// # Errors
    ///
    /// Where the lengths of the columns differ, there are no rows or no targets, a number is not
    /// finite, or a setting makes no sense.
    pub fn fit(
        &self,
        columns: &[Vec<f64>],
        targets: &[Vec<f64>],
        weights: &[f64],
        progress: &impl Progress,
    ) -> Result<Forest, Error> {
        self.fit_adjusted(columns, targets, weights, progress, |_, _| {})
    }

    /// As [`Boost::fit`], for losses that are no sums over rows: before each round, `adjust` sees the
    /// scores of each column of the targets and may change the slope and the curvature of every row.
    ///
    /// # Errors
    ///
    /// As [`Boost::fit`].
    pub fn fit_adjusted(
        &self,
        columns: &[Vec<f64>],
        targets: &[Vec<f64>],
        weights: &[f64],
        progress: &impl Progress,
        adjust: impl Fn(&[Vec<f64>], &mut [Vec<Gradient>]),
    ) -> Result<Forest, Error> {
        self.check(columns, targets, weights)?;
        let rows = weights.len();
        let bins: Vec<Bins> = columns.par_iter().map(|column| Bins::new(column)).collect();
        let total: f64 = weights.iter().sum();
        let mut forest = Forest { trees: Vec::new(), scores: Vec::new() };
        for (place, target) in targets.iter().enumerate() {
            let sum: f64 = target.iter().zip(weights).map(|(target, weight)| target * weight).sum();
            let share = (sum / total).clamp(1e-6, 1.0 - 1e-6);
            let prior = if targets.len() == 1 { share / (1.0 - share) } else { share }.ln() as f32;
            forest.trees.push((place, vec![Node::Leaf(prior)]));
            forest.scores.push(vec![f64::from(prior); rows]);
        }
        let mut random = Random::new(self.seed);
        progress.begin("boosting", self.rounds);
        let mut tiles = Vec::new();
        for round in 0..self.rounds {
            let drawn_rows = draw(rows, self.row_share, &mut random);
            if round == 0 || self.column_share < 1.0 {
                let drawn = draw(columns.len(), self.column_share, &mut random);
                let drawn: Vec<usize> = drawn.into_iter().map(|column| column as usize).collect();
                let tile = |columns: &[usize]| Tile::new(columns, &bins, rows);
                tiles = drawn.par_chunks(TILE).map(tile).collect();
            }
            // All classes of a round are judged by the scores before it.
            let mut gradients: Vec<Vec<Gradient>> = (0..targets.len())
                .map(|place| gradients(place, targets, weights, &forest.scores))
                .collect();
            adjust(&forest.scores, &mut gradients);
            for (place, gradients) in gradients.iter().enumerate() {
                let tree =
                    grow(self, &bins, &tiles, &drawn_rows, gradients, &mut forest.scores[place]);
                forest.trees.push((place, tree));
            }
            progress.step();
        }
        Ok(forest)
    }

    /// Trains boosted trees on labelled blocks: two classes get one score, more get one each.
    ///
    /// # Errors
    ///
    /// As [`Boost::fit`].
    pub fn train(
        &self,
        examples: &Examples,
        name: &str,
        about: &str,
        progress: &impl Progress,
    ) -> Result<BlockModel, Error> {
        self.forest(examples, progress)?.model(name, about, &examples.features, &examples.classes)
    }

    /// The trees of [`Boost::train`].
    ///
    /// # Errors
    ///
    /// As [`Boost::fit`].
    pub fn forest(&self, examples: &Examples, progress: &impl Progress) -> Result<Forest, Error> {
        let target = |class: usize| -> Vec<f64> {
            examples
                .labels
                .iter()
                .map(|label| f64::from(u8::from(usize::from(*label) == class)))
                .collect()
        };
        let first = if examples.classes.len() == 2 { 1 } else { 0 };
        let targets: Vec<_> = (first..examples.classes.len()).map(target).collect();
        self.fit(&examples.columns, &targets, &examples.weights, progress)
    }

    fn check(
        &self,
        columns: &[Vec<f64>],
        targets: &[Vec<f64>],
        weights: &[f64],
    ) -> Result<(), Error> {
        let rows = weights.len();
        if rows == 0 || targets.is_empty() || u32::try_from(rows).is_err() {
            return Err(Error::new(
                "boosting needs targets for at least one row, and rows below 2³²",
            ));
        }
        if columns.iter().chain(targets).any(|column| column.len() != rows) {
            return Err(Error::new(format!(
                "a column has not as many rows as the weights, {rows}"
            )));
        }
        if let Some(column) =
            columns.iter().position(|c| c.iter().any(|v| !(*v as f32).is_finite()))
        {
            let wrong = format!("column {column} has a value that is no finite number of 32 bits");
            return Err(Error::new(wrong));
        }
        if targets.iter().flatten().any(|target| !(0.0..=1.0).contains(target)) {
            return Err(Error::new("a target is not between 0 and 1"));
        }
        let sum: f64 = weights.iter().sum();
        if weights.iter().any(|weight| !(weight.is_finite() && *weight >= 0.0))
            || sum <= 0.0
            || sum.is_infinite()
        {
            return Err(Error::new("a weight is negative or not finite, or all are 0"));
        }
        let is_share = |share: f64| share > 0.0 && share <= 1.0;
        let makes_sense = self.leaves >= 1
            && self.learning_rate > 0.0
            && self.learning_rate.is_finite()
            && self.l2 >= 0.0
            && self.min_leaf_weight > 0.0
            && is_share(self.row_share)
            && is_share(self.column_share);
        if !makes_sense {
            return Err(Error::new(format!("these settings make no sense: {self:?}")));
        }
        Ok(())
    }
}

impl Forest {
    /// The probability of each class for each row of other columns, one row after the other. One score
    /// is that of the second of two classes.
    pub fn probabilities(&self, columns: &[Vec<f64>]) -> Vec<f64> {
        let rows = columns.first().map_or(0, Vec::len);
        let above: Vec<Vec<usize>> =
            self.trees.iter().map(|(_, nodes)| above_branches(nodes)).collect();
        let row = |row: usize| {
            let mut scores = vec![0.0; self.scores.len()];
            for ((place, nodes), above) in self.trees.iter().zip(&above) {
                let mut at = 0;
                scores[*place] += loop {
                    match nodes[at] {
                        Node::Leaf(number) => break f64::from(number),
                        Node::Test { feature: column, threshold } => {
                            let is_below = columns[column][row] as f32 <= threshold as f32;
                            at = if is_below { at + 1 } else { above[at] };
                        }
                    }
                };
            }
            if let [score] = scores[..] {
                let second = 1.0 / (1.0 + (-score).exp());
                return vec![1.0 - second, second];
            }
            let greatest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            scores.iter_mut().for_each(|score| *score = (*score - greatest).exp());
            let sum: f64 = scores.iter().sum();
            scores.iter().map(|score| score / sum).collect()
        };
        (0..rows).into_par_iter().flat_map_iter(row).collect()
    }

    /// The model file: column `i` is the feature `features[i]`. One score is that of the second of two
    /// classes; several are those of as many classes.
    ///
    /// # Errors
    ///
    /// Where the number of classes does not fit, or a column is no feature.
    pub fn model(
        &self,
        name: &str,
        about: &str,
        features: &[usize],
        classes: &[Class],
    ) -> Result<BlockModel, Error> {
        let first = if self.scores.len() == 1 { 1 } else { 0 };
        if classes.len() != self.scores.len() + first {
            let (classes, scores) = (classes.len(), self.scores.len());
            return Err(Error::new(format!("{classes} classes do not fit {scores} scores")));
        }
        let named = |node: &Node<f32>| match *node {
            Node::Leaf(number) => Ok(Node::Leaf(number)),
            Node::Test { feature: column, threshold } => match features.get(column) {
                Some(&feature) => Ok(Node::Test { feature, threshold }),
                None => Err(Error::new(format!("no feature is named for column {column}"))),
            },
        };
        let tree = |(place, nodes): &(usize, Vec<Node<f32>>)| {
            Ok((classes[first + place], nodes.iter().map(named).collect::<Result<_, Error>>()?))
        };
        let trees: Vec<_> = self.trees.iter().map(tree).collect::<Result<_, Error>>()?;
        BlockModel::boosted(name, about, classes, &trees)
            .map_err(|error| Error::new(error.to_string()))
    }
}

/// For each test of a tree in prefix order, where its `>` branch begins.
fn above_branches(nodes: &[Node<f32>]) -> Vec<usize> {
    let mut above = vec![0; nodes.len()];
    // Tests whose `<=` branch is not yet complete: it ends with the next leaf.
    let mut open = Vec::new();
    for (place, node) in nodes.iter().enumerate() {
        match node {
            Node::Test { .. } => open.push(place),
            Node::Leaf(_) => {
                if let Some(test) = open.pop() {
                    above[test] = place + 1;
                }
            }
        }
    }
    above
}

/// A share of the numbers below `count`, at least one of them, ascending.
fn draw(count: usize, share: f64, random: &mut Random) -> Vec<u32> {
    let mut all: Vec<u32> = (0..count as u32).collect();
    if share < 1.0 {
        let drawn = ((count as f64 * share).ceil() as usize).clamp(1.min(count), count);
        random.draw(&mut all, drawn);
        all.truncate(drawn);
        all.sort_unstable();
    }
    all
}

/// The slope and the curvature of the loss of every row, as its score for one class changes.
fn gradients(
    place: usize,
    targets: &[Vec<f64>],
    weights: &[f64],
    scores: &[Vec<f64>],
) -> Vec<Gradient> {
    let classes = targets.len();
    // With several scores a step changes the others' probabilities, too: the factor of Friedman's
    // algorithm 6 makes up for the curvature between classes that is left out.
    let factor = if classes == 1 { 1.0 } else { classes as f64 / (classes - 1) as f64 };
    let gradient = |row: usize| {
        let own = scores[place][row];
        let probability = if classes == 1 {
            1.0 / (1.0 + (-own).exp())
        } else {
            1.0 / scores.iter().map(|score| (score[row] - own).exp()).sum::<f64>()
        };
        let slope = weights[row] * (probability - targets[place][row]);
        let curvature = weights[row] * factor * probability * (1.0 - probability);
        [slope as f32, curvature as f32]
    };
    (0..weights.len()).into_par_iter().map(gradient).collect()
}
