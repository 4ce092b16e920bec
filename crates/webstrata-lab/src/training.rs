//! One trainer from labelled blocks to a model and to what it is worth: what `webstrata-lab train` does.

use std::sync::Mutex;

use serde::Serialize;
use webstrata::cutting::Cutting;
use webstrata::features::{FEATURES, feature};
use webstrata::{BlockModel, Class, error};

use crate::examples::Examples;
use crate::folds;
use crate::measures::Measures;
use crate::trainers::{Boost, C48, OneR, Svm, zero_r};
use crate::validation::cross_validate;
use webstrata_base::error::Error;
use webstrata_base::progress::Progress;

/// A trainer with its parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Trainer {
    /// The most frequent class.
    ZeroR,
    /// The best single feature.
    OneR(OneR),
    /// A decision tree.
    C48(C48),
    /// A linear support vector machine.
    Svm(Svm),
    /// Boosted trees.
    Boost(Boost),
}

/// How examples are shared out among folds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Folds {
    /// How many there are.
    pub count: usize,
    /// Are all blocks of a site in one fold?
    pub by_site: bool,
    /// For what is random in it.
    pub seed: u64,
}

/// What a trainer reaches on examples that its models did not see.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Validated {
    /// How many folds there were.
    pub folds: usize,
    /// Was a site always in one fold?
    pub by_site: bool,
    /// The measures over all folds together.
    #[serde(flatten)]
    pub measures: Measures,
}

impl Folds {
    /// For each example, its fold; `None` where there are not enough examples or sites for two.
    pub fn assign(&self, examples: &Examples) -> Option<Vec<u8>> {
        let most = if self.by_site {
            examples.sites.iter().max().map_or(0, |last| *last as usize + 1)
        } else {
            examples.len()
        };
        let count = self.count.min(most).min(255);
        if count < 2 {
            return None;
        }
        Some(if self.by_site {
            folds::grouped(&examples.sites, &examples.weights, count, self.seed)
        } else {
            folds::stratified(&examples.labels, count, self.seed)
        })
    }
}

impl Trainer {
    /// How it is called.
    pub fn name(&self) -> &'static str {
        match self {
            Trainer::ZeroR => "zero-r",
            Trainer::OneR(_) => "one-r",
            Trainer::C48(_) => "c48",
            Trainer::Svm(_) => "svm",
            Trainer::Boost(_) => "boost",
        }
    }

    /// Does it only say which class, and not how sure it is? Then the area under the ROC curve is that
    /// of a curve with one corner, as in the paper, where Weka's SMO is measured so.
    pub fn has_hard_verdicts(&self) -> bool {
        matches!(self, Trainer::Svm(_))
    }

    /// Trains a model on all examples.
    ///
    /// # Errors
    ///
    /// As the trainers: where parameters make no sense or a value is not finite.
    pub fn train(
        &self,
        examples: &Examples,
        name: &str,
        about: &str,
        progress: &dyn Progress,
    ) -> Result<BlockModel, Error> {
        match self {
            Trainer::ZeroR => zero_r(examples).model(examples, name, about),
            Trainer::OneR(one_r) => one_r.train(examples).model(examples, name, about),
            Trainer::C48(c48) => c48.train(examples).model(examples, name, about),
            Trainer::Svm(svm) => svm.train(examples, name, about),
            Trainer::Boost(boost) => boost.train(examples, name, about, &progress),
        }
    }

    /// Judges every example by a model that was not trained on its fold; `None` where there are not
    /// enough examples or sites for two folds.
    ///
    /// # Errors
    ///
    /// As [`Trainer::train`].
    pub fn validate(
        &self,
        examples: &Examples,
        folds: Folds,
        progress: &dyn Progress,
    ) -> Result<Option<Validated>, Error> {
        let Some(fold_of) = folds.assign(examples) else { return Ok(None) };
        let count = usize::from(*fold_of.iter().max().expect("there are examples")) + 1;
        progress.begin(&format!("folds of {}", self.name()), count);
        let failed = Mutex::new(None);
        let probabilities = cross_validate(examples, &fold_of, |train, test| {
            let judged = self.probabilities(train, test).unwrap_or_else(|error| {
                failed.lock().expect("nobody panics with it").get_or_insert(error);
                vec![0.0; test.len() * test.classes.len()]
            });
            progress.step();
            judged
        });
        if let Some(error) = failed.into_inner().expect("nobody panics with it") {
            return Err(error);
        }
        let measures = Measures::of(examples, &probabilities);
        Ok(Some(Validated { folds: count, by_site: folds.by_site, measures }))
    }

    /// The probability of each class for each row of `test`; 0 and 1 where verdicts are hard.
    fn probabilities(&self, train: &Examples, test: &Examples) -> Result<Vec<f64>, Error> {
        Ok(match self {
            Trainer::ZeroR => zero_r(train).probabilities(test),
            Trainer::OneR(one_r) => one_r.train(train).probabilities(test),
            Trainer::C48(c48) => c48.train(train).probabilities(test),
            Trainer::Svm(svm) => {
                let model = svm.train(train, "fold", "")?;
                let verdict = |row: usize| -> Class {
                    let column = |feature: usize| test.features.iter().position(|f| *f == feature);
                    let value = |feature| column(feature).map_or(0.0, |at| test.columns[at][row]);
                    model.classify_row(value).class
                };
                let hard = |row: usize| {
                    let class = verdict(row);
                    test.classes.iter().map(move |known| f64::from(u8::from(*known == class)))
                };
                (0..test.len()).flat_map(hard).collect()
            }
            Trainer::Boost(boost) => boost.forest(train, &())?.probabilities(&test.columns),
        })
    }
}

/// The features that were asked for, as indices into [`FEATURES`], ascending: names of features and
/// of groups (`all`, `local`, `current`, `densities`, `counts`) with commas between them.
///
/// # Errors
///
/// Where there is no such feature: one line, with the nearest name.
pub fn choose_features(written: &str) -> Result<Vec<usize>, Error> {
    let mut chosen = Vec::new();
    for name in written.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        if let Some((_, belongs)) = GROUPS.iter().find(|(group, _)| *group == name) {
            chosen.extend((0..FEATURES.len()).filter(|index| belongs(FEATURES[*index].name)));
        } else if let Some(index) = feature(name) {
            chosen.push(index);
        } else {
            return Err(Error::new(unknown_feature(name)));
        }
    }
    if chosen.is_empty() {
        return Err(Error::new("no feature is named; `local` are all that a page alone tells"));
    }
    chosen.sort_unstable();
    chosen.dedup();
    Ok(chosen)
}

fn unknown_feature(name: &str) -> String {
    let groups = || GROUPS.iter().map(|(group, _)| *group);
    let names = groups().chain(FEATURES.iter().map(|feature| feature.name));
    match error::nearest(name, names) {
        Some(near) => format!("unknown feature `{name}`, did you mean `{near}`?"),
        None => {
            let groups: Vec<&str> = groups().collect();
            let groups = groups.join(", ");
            format!(
                "unknown feature `{name}`; groups are {groups}, and `webstrata-lab features` lists all names"
            )
        }
    }
}

/// A group of features: its name, and which features belong to it.
type Group = (&'static str, fn(&str) -> bool);

/// Groups of features that have a name. What they are is said where they are named, `--features`.
const GROUPS: [Group; 5] = [
    ("all", |_| true),
    ("local", is_local),
    ("current", |name| is_local(name) && !name.contains('.')),
    // Of the paper's Algorithms 1 and 2.
    ("densities", |name| ["text-density", "link-density"].contains(&own(name))),
    ("counts", |name| ["words", "link-density"].contains(&own(name))),
];

fn is_local(name: &str) -> bool {
    own(name) != "corpus-frequency"
}

/// The feature's name without whose it is.
fn own(name: &str) -> &str {
    name.split_once('.').map_or(name, |(_, own)| own)
}

/// Features with two values or more, and the others, which nothing can be learned from.
pub fn varying(examples: &Examples) -> (Vec<usize>, Vec<usize>) {
    let varies = |column: &[f64]| column.windows(2).any(|two| two[0] != two[1]);
    let of = |wanted: bool| {
        let columns = examples.features.iter().zip(&examples.columns);
        columns.filter(move |(_, column)| varies(column) == wanted).map(|(feature, _)| *feature)
    };
    (of(true).collect(), of(false).collect())
}

/// An extractor as TOML that classifies with a model file and does nothing else.
pub fn extractor_toml(model: &BlockModel, file: &str, cutting: Cutting) -> String {
    let quoted = |text: &str| toml::Value::from(text).to_string();
    let cutting = Cutting::ALL.iter().find(|(known, _)| *known == cutting).map_or("", |(_, n)| n);
    format!(
        "name = {}\nabout = {}\ncutting = \"{cutting}\"\nsteps = [\n  {{ filter = \"classify\", model = {} }},\n]\n",
        quoted(model.name()),
        quoted(model.about()),
        quoted(file),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::testing;
    use webstrata_base::random::Random;

    fn count(written: &str) -> usize {
        choose_features(written).unwrap().len()
    }

    #[test]
    fn features_by_name_and_by_group() {
        assert_eq!((count("all"), count("local"), count("current")), (67, 64, 24));
        assert_eq!((count("densities"), count("counts,words"), count("h1, p")), (6, 6, 2));
        let wrong = |written: &str| choose_features(written).unwrap_err().to_string();
        assert_eq!(
            wrong("link-densty"),
            "unknown feature `link-densty`, did you mean `link-density`?"
        );
        assert_eq!(wrong("densitys"), "unknown feature `densitys`, did you mean `densities`?");
        assert!(wrong("colour,y").starts_with("unknown feature `colour`; groups are all, local"));
        assert!(wrong(" ,").starts_with("no feature is named"));
    }

    /// Every trainer that looks at features learns one that tells all; ZeroR does not.
    #[test]
    fn folds_tell_what_a_trainer_is_worth() {
        let mut random = Random::new(3);
        let examples =
            testing::examples(200, |row| (row % 2, [(row % 2) as f64, random.unit(), 1.0]));
        let folds = Folds { count: 5, by_site: false, seed: 1 };
        let boost = Boost { rounds: 20, leaves: 4, ..Boost::default() };
        let c48 = C48 { min_leaf: 2.0, ..C48::default() };
        let all = [
            Trainer::OneR(OneR::default()),
            Trainer::C48(c48),
            Trainer::Svm(Svm::default()),
            Trainer::Boost(boost),
        ];
        for trainer in all {
            let validated = trainer.validate(&examples, folds, &()).unwrap().unwrap();
            let Measures { f1, auc, .. } = validated.measures;
            assert!(
                (f1 - 100.0).abs() < 1e-9 && (auc - 100.0).abs() < 1e-9,
                "{trainer:?} {f1} {auc}"
            );
            let model = trainer.train(&examples, "mine", "all of it", &()).unwrap();
            assert!(model.classify_row(|_| 1.0).is_content(), "{trainer:?}");
        }
        let zero = Trainer::ZeroR.validate(&examples, folds, &()).unwrap().unwrap();
        assert!((zero.measures.auc - 50.0).abs() < 1e-9 && zero.measures.recall < 51.0);
        let one = examples.rows(&[0]);
        assert_eq!(Trainer::ZeroR.validate(&one, folds, &()), Ok(None));
        let nonsense = Trainer::Boost(Boost { learning_rate: 0.0, ..boost });
        assert!(nonsense.validate(&examples, folds, &()).is_err());
        assert_eq!(varying(&examples), (vec![0, 1], vec![2]));
    }
}
