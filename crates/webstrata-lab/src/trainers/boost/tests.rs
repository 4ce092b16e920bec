use proptest::prelude::*;

use super::*;

/// Rows of random values, some columns fine and some coarse, and what they are made into.
fn invented(rows: usize, width: usize, classes: usize, seed: u64) -> (Vec<Vec<f64>>, Vec<u8>) {
    let mut random = Random::new(seed);
    let mut value = |column: usize| {
        let steps = [2, 9, 1000, 1 << 40][column % 4];
        random.below(steps) as f64 / steps as f64
    };
    let columns: Vec<Vec<f64>> =
        (0..width).map(|column| (0..rows).map(|_| value(column)).collect()).collect();
    let label = |row: usize| {
        let sum: f64 = columns.iter().take(5).map(|column| column[row] * column[row]).sum();
        ((sum + 0.3 * value(3)) * classes as f64 / 3.0).min(classes as f64 - 1.0) as u8
    };
    let labels = (0..rows).map(label).collect();
    (columns, labels)
}

fn examples(rows: usize, classes: &[Class], seed: u64) -> Examples {
    let (columns, labels) = invented(rows, 9, classes.len(), seed);
    Examples {
        features: vec![40, 3, 5, 7, 11, 13, 17, 19, 2],
        columns,
        classes: classes.into(),
        labels,
        weights: (0..rows).map(|row| 1.0 + (row % 7) as f64).collect(),
        ..Examples::default()
    }
}

fn targets(examples: &Examples) -> Vec<Vec<f64>> {
    let target =
        |class| examples.labels.iter().map(|label| f64::from(u8::from(*label == class))).collect();
    let first = if examples.classes.len() == 2 { 1 } else { 0 };
    (first..examples.classes.len() as u8).map(target).collect()
}

const TWO: [Class; 2] = [Class::Boilerplate, Class::Content];
const FOUR: [Class; 4] = [Class::Boilerplate, Class::Content, Class::Headline, Class::Related];

/// Trains, writes the model, reads it and compares the verdict on every row with the trainer's score.
fn check_core_agrees(boost: &Boost, examples: &Examples) -> f64 {
    let forest = boost.fit(&examples.columns, &targets(examples), &examples.weights, &()).unwrap();
    let model = forest.model("x", "y", &examples.features, &examples.classes).unwrap();
    let model = BlockModel::parse(&model.to_string()).unwrap();
    let probabilities = forest.probabilities(&examples.columns);
    let mut right = 0;
    for row in 0..examples.len() {
        let value = |feature: usize| {
            let place = examples.features.iter().position(|known| *known == feature).unwrap();
            examples.columns[place][row]
        };
        let verdict = model.classify_row(value);
        let mut scores: Vec<f64> = forest.scores.iter().map(|scores| scores[row]).collect();
        if scores.len() == 1 {
            scores.insert(0, 0.0);
        }
        let odds: f64 = scores[1..].iter().map(|score| (score - scores[0]).exp()).sum();
        let expect = (1.0 / (1.0 + 1.0 / odds)) as f32;
        assert_eq!(verdict.score.to_bits(), expect.to_bits(), "row {row}");
        let content = 1.0 - probabilities[row * examples.classes.len()];
        assert!((content - f64::from(expect)).abs() < 1e-6, "row {row}: {content} {expect}");
        let best =
            (0..scores.len()).rev().max_by(|a, b| scores[*a].total_cmp(&scores[*b])).unwrap();
        assert_eq!(verdict.class, examples.classes[best], "row {row}");
        right += usize::from(best == usize::from(examples.labels[row]));
    }
    right as f64 / examples.len() as f64
}

#[test]
fn the_core_gives_the_trainers_scores() {
    let boost = Boost { rounds: 20, ..Boost::default() };
    assert!(check_core_agrees(&boost, &examples(3000, &TWO, 1)) > 0.9);
    assert!(check_core_agrees(&boost, &examples(3000, &FOUR, 2)) > 0.8);
    let drawn = Boost { row_share: 0.5, column_share: 0.7, ..boost };
    assert!(check_core_agrees(&drawn, &examples(3000, &TWO, 3)) > 0.9);
    assert!(check_core_agrees(&drawn, &examples(3000, &FOUR, 4)) > 0.8);
}

#[test]
fn threads_change_nothing_and_seeds_do() {
    let examples = examples(2000, &FOUR, 5);
    let boost = Boost { rounds: 5, row_share: 0.8, column_share: 0.8, ..Boost::default() };
    let train = |boost: Boost, threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| boost.train(&examples, "x", "y", &()).unwrap().to_string())
    };
    let alone = train(boost, 1);
    assert_eq!(train(boost, 2), alone);
    assert_eq!(train(boost, 5), alone);
    assert_ne!(train(Boost { seed: 2, ..boost }, 1), alone);
}

#[test]
fn trees_have_as_many_leaves_as_allowed() {
    let examples = examples(2000, &TWO, 6);
    for leaves in [1, 2, 7, 31] {
        let boost = Boost { rounds: 3, leaves, ..Boost::default() };
        let model = boost.train(&examples, "x", "y", &()).unwrap();
        assert_eq!(model.leaves(), 1 + 3 * leaves);
    }
}

#[test]
fn weights_decide() {
    let boost = Boost { rounds: 50, min_leaf_weight: 1e-3, ..Boost::default() };
    let columns = [vec![0.0, 0.0, 1.0, 1.0]];
    let targets = [vec![0.0, 1.0, 0.0, 1.0]];
    let forest = boost.fit(&columns, &targets, &[9.0, 1.0, 1.0, 9.0], &()).unwrap();
    assert!(forest.scores[0][0] < -1.0 && forest.scores[0][3] > 1.0);
    let forest = boost.fit(&columns, &targets, &[0.0, 1.0, 1.0, 0.0], &()).unwrap();
    assert!(forest.scores[0][0] > 1.0 && forest.scores[0][3] < -1.0);
}

#[test]
fn what_cannot_be_learned_from() {
    let boost = Boost::default();
    let check = |boost: &Boost, values: &[f64], targets: &[f64], weights: &[f64], expect: &str| {
        let error = boost.fit(&[values.to_vec()], &[targets.to_vec()], weights, &()).unwrap_err();
        assert!(error.to_string().starts_with(expect), "{error}");
    };
    check(&boost, &[], &[], &[], "boosting needs targets for at least one row");
    check(&boost, &[1.0], &[1.0, 0.0], &[1.0], "a column has not as many rows as the weights, 1");
    check(&boost, &[1e39], &[1.0], &[1.0], "column 0 has a value that is no finite number");
    check(&boost, &[1.0], &[2.0], &[1.0], "a target is not between 0 and 1");
    check(&boost, &[1.0], &[1.0], &[0.0], "a weight is negative or not finite, or all are 0");
    let settings = Boost { min_leaf_weight: 0.0, ..boost };
    check(&settings, &[1.0], &[1.0], &[1.0], "these settings make no sense: Boost");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(30))]

    /// Few rows, equal values, classes without rows, weights of 0: trees all the same.
    #[test]
    fn any_small_problem_gives_a_model_that_agrees(
        rows in prop::collection::vec((0..3u8, 0..4u8, 0..4u8, 0..3u8), 1..30),
        leaves in 1..6usize,
        l2 in 0..2u8,
    ) {
        let column = |value: fn(&(u8, u8, u8, u8)) -> u8| -> Vec<f64> {
            rows.iter().map(|row| f64::from(value(row))).collect()
        };
        let mut weights = column(|row| row.3);
        weights[0] += 1.0;
        let examples = Examples {
            features: vec![1, 0],
            columns: vec![column(|row| row.0), column(|row| row.1)],
            classes: FOUR.into(),
            labels: rows.iter().map(|row| row.2).collect(),
            weights,
            ..Examples::default()
        };
        let boost = Boost { rounds: 3, leaves, l2: l2.into(), min_leaf_weight: 1e-3, ..Boost::default() };
        check_core_agrees(&boost, &examples);
    }
}

/// Not a test: says how long training takes. 250,000 rows, 100 columns, 20 trees of 31 leaves.
#[test]
#[ignore = "takes a while; for people who want to know the speed"]
fn speed() {
    let (columns, labels) = invented(250_000, 100, 2, 1);
    let targets = [labels.into_iter().map(f64::from).collect()];
    let start = std::time::Instant::now();
    let boost = Boost { rounds: 20, ..Boost::default() };
    let forest = boost.fit(&columns, &targets, &[1.0; 250_000], &()).unwrap();
    let threads = rayon::current_num_threads();
    eprintln!(
        "{:.1} s, {threads} threads, {} trees",
        start.elapsed().as_secs_f64(),
        forest.trees.len() - 1
    );
}
