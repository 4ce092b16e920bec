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
    BlockModel::named(model).unwrap().classify(&Features::of(&document), 1).is_content()
}

fn check_error(tree: &str, expect: &str) {
    let text = format!("name: x\nabout: y\n{tree}");
    assert_eq!(BlockModel::parse(&text).unwrap_err().to_string(), expect);
}

#[test]
fn errors_name_line_and_remedy() {
    let bad = |line: &str| format!("words <= 1: content\n{line}");
    check_error("", "the model has no tree");
    check_error("words <= 1: content", "line 3: expected `words > 1`, the other branch of line 3");
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
    check_error("words > 1: content", "line 3: expected the branch `words <= 1` before this one");
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
    check_error("words <= 1: Content", "line 3: unknown class `Content`, did you mean `content`?");
    check_error(
        "words <= 1: content (93)",
        "line 3: expected a probability such as `(0.9)`, found `(93)`",
    );
    assert_eq!(BlockModel::parse(": content").unwrap_err().line(), Some(1));
}

#[test]
fn a_single_leaf_is_a_tree() {
    let model = BlockModel::parse("name: x\nabout: y\n\n: content (0.25)\n").unwrap();
    assert_eq!(model.leaves(), 1);
    let verdict = model.classify(&Features::of(&Document::default()), 0);
    assert_eq!(verdict, Verdict { class: Class::Content, score: 0.25 });
    assert_eq!(BlockModel::parse(&model.to_string()).unwrap(), model);
}

#[test]
fn the_builtin_trees_have_the_papers_size() {
    let leaves = |name| BlockModel::named(name).unwrap().leaves();
    assert_eq!((leaves("num-words"), leaves("density"), leaves("cleaneval")), (8, 8, 3));
    for model in BlockModel::builtin() {
        assert_eq!(BlockModel::parse(&model.to_string()).as_ref(), Ok(model));
        let nodes = model.nodes().expect("they are trees");
        assert_eq!(BlockModel::tree(model.name(), model.about(), &nodes).as_ref(), Ok(model));
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
        let model = BlockModel::parse(&large_tree(chain, depth)).unwrap();
        assert_eq!(model.leaves(), leaves);
        assert_eq!(BlockModel::parse(&model.to_string()).unwrap(), model);
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
    fn any_text_is_a_model_or_an_error(
        kind in "(|kind: linear 1|kind: boosted-trees 1)",
        classes in "(|classes: boilerplate content|classes: content headline comments)",
        text in "(name:|about:|kind:|classes:|scale |words|bars|<=|>|:|\\||content|boilerplate| or | to |-|1e9|[0-9]|\n| ){0,40}",
    ) {
        if let Ok(model) = BlockModel::parse(&format!("name: x\nabout: y\n{kind}\n{classes}\n{text}")) {
            prop_assert_eq!(BlockModel::parse(&model.to_string()), Ok(model));
        }
    }

    #[test]
    fn any_bytes_are_a_model_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = BlockModel::parse(&String::from_utf8_lossy(&bytes));
    }

    /// Thresholds and scores of any size, against a walk down the list of nodes.
    #[test]
    fn trees_round_trip_and_judge(nodes in any_nodes(any_verdict()), row in any_row()) {
        let model = BlockModel::tree("x", "y", &nodes).unwrap();
        prop_assert_eq!(model.classify_row(|f| row[f]), walk(&nodes, &row, false));
        prop_assert_eq!(BlockModel::parse(&model.to_string()), Ok(model));
    }

    #[test]
    fn linear_models_round_trip_and_judge(
        classes in any_classes(),
        scales in prop::collection::btree_map(0..FEATURES.len(), (-1e9..1e9f64, 1e-9..1e9f64), 0..9),
        numbers in prop::collection::vec(any_number(), 200),
        row in any_row(),
    ) {
        let scales: Vec<Scale> = scales
            .into_iter()
            .map(|(feature, (min, width))| Scale { feature, min, max: min + width })
            .filter(|scale| scale.min < scale.max)
            .collect();
        let pairs = classes.len() * (classes.len() - 1) / 2;
        let mut numbers = numbers.into_iter();
        let duels: Vec<Duel> = (0..pairs)
            .map(|_| Duel {
                bias: numbers.next().unwrap(),
                weights: numbers.by_ref().take(scales.len()).collect(),
            })
            .collect();
        let model = BlockModel::linear("x", "y", &classes, &scales, &duels).unwrap();
        let again = BlockModel::parse(&model.to_string()).unwrap();
        let verdict = model.classify_row(|feature| row[feature]);
        prop_assert!((0.0..=1.0).contains(&verdict.score));
        prop_assert_eq!(again.classify_row(|feature| row[feature]), verdict);
        prop_assert_eq!(again, model);
        if classes[..] == [Class::Boilerplate, Class::Content] {
            let side = if verdict.is_content() { 0.5..=1.0 } else { 0.0..=0.5 };
            prop_assert!(side.contains(&verdict.score));
        }
    }

    #[test]
    fn boosted_trees_round_trip_and_judge(
        classes in any_classes(),
        trees in prop::collection::vec((0..6usize, any_nodes(any::<i16>())), 1..9),
        row in any_row(),
    ) {
        // What leaves add has few enough digits that the naive sum rounds as little as ours.
        let leaf = |number: &i16| f32::from(*number) / 1024.0;
        let trees: Vec<(Class, Vec<Node<f32>>)> = trees
            .iter()
            .map(|(class, nodes)| {
                let nodes = nodes.iter().map(|node| match node {
                    Node::Test { feature, threshold } => {
                        let threshold = f64::from((*threshold as f32).clamp(f32::MIN, f32::MAX));
                        Node::Test { feature: *feature, threshold }
                    }
                    Node::Leaf(number) => Node::Leaf(leaf(number)),
                });
                (classes[class % classes.len()], nodes.collect())
            })
            .collect();
        let model = BlockModel::boosted("x", "y", &classes, &trees).unwrap();
        let again = BlockModel::parse(&model.to_string());
        prop_assert_eq!(again.as_ref(), Ok(&model));
        let score = |class: &Class| -> f64 {
            let own = trees.iter().filter(|(of, _)| of == class);
            own.map(|(_, nodes)| f64::from(walk(nodes, &row, true))).sum()
        };
        let total: f64 = classes.iter().map(|class| score(class).exp()).sum();
        let verdict = model.classify_row(|feature| row[feature]);
        prop_assert!(classes.iter().all(|class| score(class) <= score(&verdict.class)));
        let content = match classes.contains(&Class::Boilerplate) {
            true => 1.0 - score(&Class::Boilerplate).exp() / total,
            false => 1.0,
        };
        prop_assert!((f64::from(verdict.score) - content).abs() < 1e-6);
    }

    #[test]
    fn all_blocks_at_once_are_judged_as_one_by_one(
        words in prop::collection::vec(0..40u32, 0..20),
        thresholds in prop::collection::vec((0..40u8, any::<i8>()), 1..5),
    ) {
        let mut document = Document::default();
        for words in words {
            let mut block = Block::default();
            block.counts.words = words;
            document.blocks.push(block);
        }
        let mut text = "name: x\nabout: y\nkind: boosted-trees 1\nclasses: boilerplate content\n".to_owned();
        for (threshold, add) in thresholds {
            text += &format!("content: words<={threshold} next.words<={threshold} {add} 1 -0.5\n");
        }
        let model = BlockModel::parse(&text).unwrap();
        let features = Features::of(&document);
        let one_by_one: Vec<_> = (0..features.len()).map(|block| model.classify(&features, block)).collect();
        prop_assert_eq!(model.classify_all(&features), one_by_one);
    }
}

fn any_number() -> impl Strategy<Value = f64> {
    prop_oneof![-9.0..9.0f64, any::<f64>(), (-9..9i8).prop_map(f64::from)]
        .prop_map(|number| if number.is_finite() { number } else { 0.0 })
}

fn any_row() -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(any_number(), FEATURES.len())
}

fn any_classes() -> impl Strategy<Value = Vec<Class>> {
    let all = Class::ALL.map(|(class, _)| class).to_vec();
    prop_oneof![
        Just(vec![Class::Boilerplate, Class::Content]),
        prop::sample::subsequence(all, 2..=6).prop_shuffle(),
    ]
}

fn any_verdict() -> impl Strategy<Value = Verdict> + Clone {
    let class = prop::sample::select(Class::ALL.map(|(class, _)| class).to_vec());
    (class, 0.0..=1.0f32).prop_map(|(class, score)| Verdict { class, score })
}

/// A tree: tests and leaves in any order, and as many leaves as are missing in the end.
fn any_nodes<T: Clone + fmt::Debug>(
    leaf: impl Strategy<Value = T> + Clone,
) -> impl Strategy<Value = Vec<Node<T>>> {
    let test = prop::option::weighted(0.6, (0..FEATURES.len(), any_number()));
    (prop::collection::vec((test, leaf.clone()), 0..20), prop::collection::vec(leaf, 21)).prop_map(
        |(wishes, leaves)| {
            let (mut nodes, mut missing) = (Vec::new(), 1);
            for (test, leaf) in wishes {
                if missing == 0 {
                    break;
                }
                match test {
                    Some((feature, threshold)) => nodes.push(Node::Test { feature, threshold }),
                    None => nodes.push(Node::Leaf(leaf)),
                }
                missing = if test.is_some() { missing + 1 } else { missing - 1 };
            }
            nodes.extend(leaves.into_iter().take(missing).map(Node::Leaf));
            nodes
        },
    )
}

/// The leaf at which a row arrives: skips whole branches, node by node.
fn walk<T: Copy>(nodes: &[Node<T>], row: &[f64], in_32_bits: bool) -> T {
    let mut place = 0;
    loop {
        match nodes[place] {
            Node::Leaf(leaf) => return leaf,
            Node::Test { feature, threshold } => {
                let is_below = match in_32_bits {
                    true => row[feature] as f32 <= threshold as f32,
                    false => row[feature] <= threshold,
                };
                place += 1;
                let mut missing = if is_below { 0 } else { 1 };
                while missing > 0 {
                    let is_leaf = matches!(nodes[place], Node::Leaf(_));
                    missing = if is_leaf { missing - 1 } else { missing + 1 };
                    place += 1;
                }
            }
        }
    }
}

#[test]
fn deep_trees_of_nodes() {
    let mut nodes = vec![Node::Test { feature: 0, threshold: 0.0 }; 200_000];
    nodes.extend(vec![Node::Leaf(0.5f32); 200_001]);
    let trees = [(Class::Content, nodes.clone())];
    let classes = [Class::Boilerplate, Class::Content];
    let model = BlockModel::boosted("x", "y", &classes, &trees).unwrap();
    assert_eq!(model.leaves(), 200_001);
    assert_eq!(BlockModel::parse(&model.to_string()).unwrap(), model);
    assert!(model.classify_row(|_| 0.0).is_content());
    let verdict = Verdict { class: Class::Content, score: 0.5 };
    let nodes: Vec<Node<Verdict>> = nodes
        .into_iter()
        .map(|node| match node {
            Node::Test { feature, threshold } => Node::Test { feature, threshold },
            Node::Leaf(_) => Node::Leaf(verdict),
        })
        .collect();
    let model = BlockModel::tree("x", "y", &nodes).unwrap();
    assert_eq!((model.leaves(), model.classify_row(|_| 0.0)), (200_001, verdict));
}

#[test]
fn nodes_that_are_no_tree() {
    let leaf = Node::Leaf(Verdict { class: Class::Content, score: 1.0 });
    let test = Node::Test { feature: 0, threshold: 0.0 };
    let check = |nodes: &[Node<Verdict>], expect: &str| {
        assert_eq!(BlockModel::tree("x", "y", nodes).unwrap_err().to_string(), expect);
    };
    check(&[], "the tree has a test without its two branches");
    check(&[test, leaf], "the tree has a test without its two branches");
    check(&[leaf, leaf], "the tree was complete before its last node");
    let unknown = Node::Test { feature: 999, threshold: 0.0 };
    check(&[unknown, leaf, leaf], "no test has feature 999 and threshold 0");
    let unsure = Node::Leaf(Verdict { class: Class::Content, score: 1.5 });
    check(&[unsure], "a score is between 0 and 1, found 1.5");
}

#[test]
fn errors_of_linear_models_and_boosted_trees() {
    let linear = "kind: linear 1\nclasses: boilerplate content";
    let boosted = "kind: boosted-trees 1\nclasses: boilerplate content";
    let check = |head: &str, body: &str, expect: &str| {
        check_error(&format!("{head}\n{body}"), expect);
    };
    check_error(
        "kind: forest",
        "line 3: expected `kind: linear 1` or `kind: boosted-trees 1` (a decision tree has no such line), found `forest`",
    );
    check(boosted, "kind: linear 1", "line 5: `kind: …` stands once, before the model");
    check("kind: linear 1", "", "the model has no line `classes: …`");
    check(linear, "", "the model has no line `boilerplate or content: …`");
    check(
        linear,
        "content or boilerplate: 1",
        "line 5: expected `boilerplate or content: …`, found `content or boilerplate`",
    );
    check(linear, "scale wrods: 0 to 1", "line 5: unknown feature `wrods`, did you mean `words`?");
    check(
        linear,
        "scale words: 1 to 1",
        "line 5: expected a range such as `0 to 250`, found `1 to 1`",
    );
    check(
        linear,
        "boilerplate or content: 1 words 2",
        "line 5: no line `scale words: …` stands above",
    );
    check(linear, "boilerplate or content: inf", "line 5: expected a number, found `inf`");
    check(
        "kind: linear 1",
        "classes: content",
        "line 4: expected two or more classes, each of them once",
    );
    check(boosted, "", "the model has no trees");
    check(boosted, "comments: 1", "line 5: `comments` is not in the line `classes: …`");
    check(boosted, "content: words<=1 2", "line 5: the tree has a test without its two branches");
    check(boosted, "content: 1 2", "line 5: the tree was complete before its last node");
    check(boosted, "content: words<=1e39 2 3", "line 5: expected a number, found `1e39`");
    check(boosted, "content: words>1 2 3", "line 5: expected a number, found `words>1`");
}
