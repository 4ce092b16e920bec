//! Boosted trees over rows of numbers, for every block of a page at once.
//!
//! No row walks down a tree. Every test of a tree is made, for 32 rows side by side, and each one
//! that sends a row to the right strikes out the leaves on its left; the first leaf that is left over is
//! the row's (Lucchese et al., "QuickScorer", SIGIR 2015). That is more tests, but none waits for
//! another, and compilers make eight at a time, since values are short and so are sets of leaves.
//! Tests that all rows of a page pass alike are made once.

use super::bytes::{Reader, Writer, damaged};
use super::rows::{LANES, Rows, Short, below, lengthen};
use crate::error::Error;
use crate::model::nodes::Node;

/// Leaves of a tree are bits of a number.
const MAX_LEAVES: usize = 16;
/// A leaf in a file, where the feature of a test would be.
const LEAF: u16 = u16::MAX;

/// Trees whose leaves add up to one score for each output.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Forest {
    outputs: usize,
    /// The features that rows have.
    width: usize,
    trees: Vec<Tree>,
    tests: Vec<Test>,
}

/// A tree: which output it adds to, where its tests end, and its leaves.
#[derive(Clone, Debug, PartialEq)]
struct Tree {
    output: u8,
    tests_end: u32,
    count: u8,
    leaves: [f32; MAX_LEAVES],
}

impl Tree {
    /// The leaf of a row that has these left. One always is: the last bit is only for the compiler, which need not look
    /// for none then.
    fn leaf(&self, left: u16) -> f32 {
        self.leaves[(left | 1 << 15).trailing_zeros() as usize]
    }

    /// Adds the leaves of as many rows as have their sums here, given what each has left, also of lanes behind the last
    /// row. Four rows at a time in one number: this is most of what a forest costs.
    fn add_leaves(&self, left: &[u16; LANES], sums: &mut [f32; LANES]) {
        const LAST: u64 = 0x8000_8000_8000_8000;
        let (left, _) = left.as_chunks::<4>();
        let (sums, _) = sums.as_chunks_mut::<4>();
        for (left, sums) in left.iter().zip(sums) {
            let of = |lane: usize| u64::from(left[lane]) << (16 * lane);
            let left = of(0) | of(1) | of(2) | of(3) | LAST;
            // A row ends before the bits of the next begin.
            let leaf =
                |lane: u32| self.leaves[((left >> (16 * lane)).trailing_zeros() & 15) as usize];
            let leaves = [leaf(0), leaf(1), leaf(2), leaf(3)];
            for (sum, leaf) in sums.iter_mut().zip(leaves) {
                *sum += leaf;
            }
        }
    }
}

/// The tests of a forest that rows of a page pass differently.
struct OpenTests {
    tests: Vec<Test>,
    /// For each tree, the leaves that the other tests leave to all rows, and where its tests end.
    trees: Vec<(u16, u32)>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Test {
    feature: u16,
    /// Greater values go to the right…
    threshold: Short,
    /// … and have none of these leaves.
    struck: u16,
}

impl Forest {
    /// A forest of trees, each with the output that it adds to and its nodes in prefix order, over
    /// rows of `width` features.
    ///
    /// # Errors
    ///
    /// Where a tree is none, has more than 16 leaves, or asks for more than the row has.
    pub fn new(
        outputs: usize,
        width: usize,
        trees: &[(usize, Vec<Node<f32>>)],
    ) -> Result<Forest, Error> {
        let mut forest = Forest { outputs, width, ..Forest::default() };
        for (output, nodes) in trees {
            forest.add(*output, nodes)?;
        }
        Ok(forest)
    }

    fn add(&mut self, output: usize, nodes: &[Node<f32>]) -> Result<(), Error> {
        let number = self.trees.len();
        let wrong = |why: &str| Error::new(format!("tree {number} {why}"));
        if output >= self.outputs || output > usize::from(u8::MAX) {
            return Err(wrong("adds to an output that there is none of"));
        }
        // Tests whose `<=` branch is not yet complete, and the leaves before that branch.
        let mut open: Vec<(usize, usize)> = Vec::with_capacity(MAX_LEAVES);
        let (mut leaves, mut count) = ([0.0; MAX_LEAVES], 0);
        let mut complete = false;
        for node in nodes {
            if complete {
                return Err(wrong("goes on behind its last leaf"));
            }
            match *node {
                Node::Leaf(_) if count == MAX_LEAVES => {
                    return Err(wrong("has more than 16 leaves"));
                }
                Node::Leaf(number) if number.is_finite() => {
                    leaves[count] = number;
                    count += 1;
                    match open.pop() {
                        Some((test, first)) => self.tests[test].struck = bits(first, count),
                        None => complete = true,
                    }
                }
                Node::Test { feature, threshold } if feature < self.width => {
                    let Ok(feature) = u16::try_from(feature) else {
                        return Err(wrong("asks for a feature that there is none of"));
                    };
                    if threshold.is_nan() {
                        return Err(wrong("has a threshold that is no number"));
                    }
                    open.push((self.tests.len(), count));
                    let threshold = below(threshold as f32);
                    self.tests.push(Test { feature, threshold, struck: 0 });
                }
                Node::Leaf(_) => return Err(wrong("has a leaf that is not finite")),
                Node::Test { .. } => return Err(wrong("asks for a feature that there is none of")),
            }
        }
        if !complete {
            return Err(wrong("ends before its last leaf"));
        }
        self.trees.push(Tree {
            output: output as u8,
            tests_end: self.tests.len() as u32,
            count: count as u8,
            leaves,
        });
        Ok(())
    }

    /// The scores of rows: for every row, one for each output.
    pub(crate) fn scores(&self, rows: &Rows) -> Vec<f32> {
        let mut scores = Vec::with_capacity(rows.len() * self.outputs);
        if rows.width() < self.width {
            scores.resize(rows.len() * self.outputs, 0.0);
            return scores;
        }
        if rows.len() == 1 {
            return self.scores_of_one(rows);
        }
        let open = self.open_tests(rows);
        let mut sums = vec![[0.0; LANES]; self.outputs];
        for (index, tile) in rows.tiles().enumerate() {
            sums.fill([0.0; LANES]);
            self.add_leaves(&open, tile, &mut sums);
            let lanes = LANES.min(rows.len() - index * LANES);
            for lane in 0..lanes {
                scores.extend(sums.iter().map(|sums| sums[lane]));
            }
        }
        scores
    }

    /// The scores of a single row, for which no test stays open.
    fn scores_of_one(&self, rows: &Rows) -> Vec<f32> {
        let mut scores = vec![0.0; self.outputs];
        let Some(columns) = rows.tiles().next() else { return scores };
        let mut at = 0;
        for tree in &self.trees {
            let own = &self.tests[at..tree.tests_end as usize];
            let gone = own.iter().fold(0, |gone, test| {
                gone | (all_bits(columns[usize::from(test.feature)][0] > test.threshold)
                    & test.struck)
            });
            at = tree.tests_end as usize;
            scores[usize::from(tree.output)] += tree.leaf(!gone);
        }
        scores
    }

    /// Makes the tests that all rows of a page pass alike, once for all of them. These are most: what is said of a page
    /// is the same for all its blocks, and many features are 0 on most pages.
    fn open_tests(&self, rows: &Rows) -> OpenTests {
        let ranges = rows.ranges();
        let none = Test { feature: 0, threshold: 0, struck: 0 };
        let mut open = OpenTests { tests: Vec::new(), trees: Vec::with_capacity(self.trees.len()) };
        let (mut at, mut count) = (0, 0);
        for tree in &self.trees {
            // Room for all tests of a tree; few stay, so that there is seldom more to be made.
            if open.tests.len() < count + MAX_LEAVES {
                open.tests.resize(2 * count + 32 * MAX_LEAVES, none);
            }
            let mut left = u16::MAX;
            for test in &self.tests[at..tree.tests_end as usize] {
                let (least, greatest) = ranges[usize::from(test.feature)];
                left &= !(all_bits(least > test.threshold) & test.struck);
                // Written in any case and overwritten by the next: no branch can foresee which stay.
                open.tests[count] = *test;
                count += usize::from((least <= test.threshold) & (greatest > test.threshold));
            }
            at = tree.tests_end as usize;
            open.trees.push((left, count as u32));
        }
        open
    }

    /// Adds the leaves of all trees for the rows of a tile, given their values feature by feature.
    fn add_leaves(&self, open: &OpenTests, columns: &[[Short; LANES]], sums: &mut [[f32; LANES]]) {
        let (mut tests, mut at) = (&open.tests[..], 0);
        for (tree, (left, end)) in self.trees.iter().zip(&open.trees) {
            let (own, others) = tests.split_at((end - at) as usize);
            (tests, at) = (others, *end);
            let sums = &mut sums[usize::from(tree.output)];
            if own.is_empty() {
                let leaf = tree.leaf(*left);
                sums.iter_mut().for_each(|sum| *sum += leaf);
                continue;
            }
            tree.add_leaves(&strike_out(own, columns, *left), sums);
        }
    }

    /// How many trees there are.
    pub(super) fn len(&self) -> usize {
        self.trees.len()
    }

    /// The nodes of a tree in prefix order, as it was added.
    pub(super) fn nodes(&self, tree: usize) -> Vec<Node<f32>> {
        let start = tree.checked_sub(1).map_or(0, |before| self.trees[before].tests_end as usize);
        let Tree { tests_end, count, leaves, .. } = &self.trees[tree];
        let mut tests = self.tests[start..*tests_end as usize].iter().peekable();
        let mut nodes = Vec::with_capacity(2 * usize::from(*count));
        for (index, leaf) in leaves[..usize::from(*count)].iter().enumerate() {
            // A test stands before the first leaf that it strikes out.
            while let Some(test) =
                tests.next_if(|test| test.struck.trailing_zeros() as usize == index)
            {
                let threshold = lengthen(test.threshold).into();
                nodes.push(Node::Test { feature: test.feature.into(), threshold });
            }
            nodes.push(Node::Leaf(*leaf));
        }
        nodes
    }

    pub(crate) fn write(&self, to: &mut Writer) {
        to.u32(self.outputs as u32);
        to.u32(self.width as u32);
        to.u32(self.trees.len() as u32);
        for (index, tree) in self.trees.iter().enumerate() {
            let nodes = self.nodes(index);
            to.u32(tree.output.into());
            to.u32(nodes.len() as u32);
            for node in nodes {
                match node {
                    Node::Test { feature, threshold } => {
                        to.u16(feature as u16);
                        to.f32(threshold as f32);
                    }
                    Node::Leaf(leaf) => {
                        to.u16(LEAF);
                        to.f32(leaf);
                    }
                }
            }
        }
    }

    /// Reads a forest that adds up to so many outputs.
    pub(crate) fn read(from: &mut Reader<'_>, outputs: usize) -> Result<Forest, Error> {
        let found = from.u32()? as usize;
        if found != outputs {
            let why = format!("a forest has {found} outputs where {outputs} are looked for");
            return Err(damaged(&why));
        }
        let width = from.u32()? as usize;
        let mut forest = Forest { outputs, width, ..Forest::default() };
        let mut nodes = Vec::new();
        for _ in 0..from.u32()? {
            let output = from.u32()? as usize;
            nodes.clear();
            for _ in 0..from.u32()? {
                let feature = from.u16()?;
                nodes.push(match feature {
                    LEAF => Node::Leaf(from.odds()?),
                    _ => Node::Test { feature: feature.into(), threshold: from.f32()?.into() },
                });
            }
            forest.add(output, &nodes).map_err(|error| damaged(error.message()))?;
        }
        Ok(forest)
    }
}

/// Makes all tests of a tree for some rows, and takes the leaves away that a row cannot end in.
///
/// On its own, so that compilers keep what is left in wide registers: where they see that its numbers are
/// looked at one by one afterwards, they make the tests one by one.
#[inline(never)]
fn strike_out(tests: &[Test], columns: &[[Short; LANES]], left: u16) -> [u16; LANES] {
    let mut gone = [0; LANES];
    for test in tests {
        let values = &columns[usize::from(test.feature)];
        gone = std::array::from_fn(|lane| {
            gone[lane] | (all_bits(values[lane] > test.threshold) & test.struck)
        });
    }
    gone.map(|gone| left & !gone)
}

/// All bits, or none: with a condition in its place, nothing is done side by side.
fn all_bits(is: bool) -> u16 {
    (-i16::from(is)).cast_unsigned()
}

/// The bits from `from` to before `to`.
fn bits(from: usize, to: usize) -> u16 {
    let below = |end: usize| if end >= MAX_LEAVES { u16::MAX } else { (1 << end) - 1 };
    below(to) & !below(from)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn matrix(values: &[Vec<f32>]) -> Rows {
        let mut rows = Rows::new(values.len(), values[0].len());
        values.iter().enumerate().for_each(|(row, values)| rows.set(row, 0, values));
        rows
    }

    fn stump(feature: usize, threshold: f64, below: f32, above: f32) -> Vec<Node<f32>> {
        vec![Node::Test { feature, threshold }, Node::Leaf(below), Node::Leaf(above)]
    }

    #[test]
    fn leaves_add_up() {
        let trees = [
            (0, stump(0, 1.0, -1.0, 1.0)),
            (1, stump(1, 0.5, 10.0, 20.0)),
            (0, vec![Node::Leaf(0.25)]),
        ];
        let forest = Forest::new(2, 2, &trees).unwrap();
        let rows =
            matrix(&(0..11).map(|row| vec![row as f32, (row % 2) as f32]).collect::<Vec<_>>());
        let scores = forest.scores(&rows);
        for row in 0..11 {
            let first = if row <= 1 { -0.75 } else { 1.25 };
            let second = if row % 2 == 0 { 10.0 } else { 20.0 };
            assert_eq!(scores[2 * row..][..2], [first, second], "row {row}");
        }
        let mut writer = Writer::default();
        forest.write(&mut writer);
        let bytes = writer.finish();
        assert_eq!(Forest::read(&mut Reader::new(&bytes), 2).unwrap(), forest);
        for end in 0..bytes.len() {
            assert!(Forest::read(&mut Reader::new(&bytes[..end]), 2).is_err());
        }
    }

    #[test]
    fn what_is_no_tree_is_refused() {
        let test = Node::Test { feature: 0, threshold: 0.0 };
        let refused: [&[Node<f32>]; 6] = [
            &[],
            &[test],
            &[test, Node::Leaf(0.0)],
            &[Node::Leaf(0.0), Node::Leaf(0.0)],
            &[Node::Leaf(f32::NAN)],
            &[Node::Test { feature: 1, threshold: 0.0 }, Node::Leaf(0.0), Node::Leaf(0.0)],
        ];
        for nodes in refused {
            assert!(Forest::new(1, 1, &[(0, nodes.to_vec())]).is_err(), "{nodes:?}");
        }
        assert!(Forest::new(1, 1, &[(1, vec![Node::Leaf(0.0)])]).is_err());
        let mut many = vec![test; MAX_LEAVES];
        many.extend([Node::Leaf(0.0); MAX_LEAVES + 1]);
        assert!(Forest::new(1, 1, &[(0, many)]).is_err());
    }

    /// A tree in prefix order, as deep as the choices say.
    fn any_tree() -> impl Strategy<Value = Vec<Node<f32>>> {
        let choice = (any::<bool>(), 0..3usize, -4..4i8);
        prop::collection::vec(choice, 1..40).prop_map(|choices| {
            let mut nodes = Vec::new();
            let (mut missing, mut leaves) = (1, 1);
            for (is_test, feature, number) in choices {
                if missing == 0 {
                    break;
                }
                if is_test && leaves < MAX_LEAVES {
                    nodes.push(Node::Test { feature, threshold: number.into() });
                    (missing, leaves) = (missing + 1, leaves + 1);
                } else {
                    nodes.push(Node::Leaf(number.into()));
                    missing -= 1;
                }
            }
            nodes.extend(vec![Node::Leaf(0.5); missing]);
            nodes
        })
    }

    /// Where a row ends that walks down a tree.
    fn walk(nodes: &[Node<f32>], row: &[f32]) -> f32 {
        let mut at = 0;
        loop {
            match nodes[at] {
                Node::Leaf(number) => return number,
                Node::Test { feature, threshold } if f64::from(row[feature]) <= threshold => {
                    at += 1;
                }
                Node::Test { .. } => {
                    // Behind the `<=` branch: as many leaves as tests, and one.
                    at += 1;
                    let mut missing = 1;
                    while missing > 0 {
                        missing += if matches!(nodes[at], Node::Test { .. }) { 1 } else { -1 };
                        at += 1;
                    }
                }
            }
        }
    }

    proptest! {
        #[test]
        fn all_tests_at_once_end_where_a_walk_ends(
            trees in prop::collection::vec(any_tree(), 1..5),
            rows in prop::collection::vec(prop::array::uniform3(-5..5i8), 1..80),
        ) {
            let numbered: Vec<_> = trees.iter().map(|tree| (0, tree.clone())).collect();
            let forest = Forest::new(1, 3, &numbered).unwrap();
            let rows: Vec<[f32; 3]> = rows.iter().map(|row| row.map(f32::from)).collect();
            let scores = forest.scores(&matrix(&rows.iter().map(|r| r.to_vec()).collect::<Vec<_>>()));
            for (row, score) in rows.iter().zip(scores) {
                let walked: f32 = trees.iter().map(|tree| walk(tree, row)).sum();
                prop_assert_eq!(score, walked);
            }
            let mut writer = Writer::default();
            forest.write(&mut writer);
            let bytes = writer.finish();
            prop_assert_eq!(Forest::read(&mut Reader::new(&bytes), 1).unwrap(), forest);
        }
    }
}
