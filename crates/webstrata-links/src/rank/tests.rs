use super::*;
use crate::links::MemoryGraph;

#[test]
fn smoke() {
    let graph = MemoryGraph::new(&[2, 1], [(0, 1, false), (0, 2, false), (1, 2, false)]);
    let ranking = rank(&graph, &[Jump::Everywhere], &Options::default(), &()).unwrap();
    println!("{ranking:?}");
}
