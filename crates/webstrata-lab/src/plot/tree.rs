//! Trees whose edges and nodes carry numbers, level by level from left to right.

use super::Chart;
use super::canvas::{Canvas, ChartKind, Entry, Frame, N, put, shortened, text_width};

const ROW: f64 = 18.0;
const NAME: usize = 40;
const RADIUS: f64 = 5.0;
/// Wider lines would hide their neighbours.
const WIDEST_EDGE: f64 = 9.0;
const WIDEST_CONTOUR: f64 = 5.0;

/// A tree: `Chart::tree(…)`.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    nodes: Vec<Node>,
}

/// A node of a tree, and the edge that leads to it.
#[derive(Clone, Debug, Default)]
pub struct Node {
    /// What stands beside it.
    pub name: String,
    /// The number of its parent, which was added before it; none for a root.
    pub parent: Option<usize>,
    /// How wide the edge to its parent is, from 0 to 1.
    pub edge: f64,
    /// How wide its contour is, from 0 to 1; dashed where there is no such number.
    pub contour: Option<f64>,
    /// What the mouse shows.
    pub about: String,
}

impl Chart<Tree> {
    /// A tree without nodes. It is as high as its leaves need.
    pub fn tree(title: impl Into<String>) -> Chart<Tree> {
        Chart::of_kind(title, Tree::default())
    }

    /// Adds a node. One whose parent is not there yet is a root.
    pub fn node(mut self, mut node: Node) -> Self {
        node.parent = node.parent.filter(|parent| *parent < self.kind.nodes.len());
        self.kind.nodes.push(node);
        self
    }
}

/// Where a node is: its level, and its row, which lies between its children's.
#[derive(Clone, Copy, Default)]
struct Place {
    level: usize,
    row: f64,
    /// The branch directly below the root, which has a colour.
    branch: usize,
}

impl Tree {
    fn children(&self) -> Vec<Vec<usize>> {
        let mut children = vec![Vec::new(); self.nodes.len()];
        for (index, node) in self.nodes.iter().enumerate() {
            if let Some(parent) = node.parent {
                children[parent].push(index);
            }
        }
        children
    }

    /// The places of all nodes, and how many rows there are.
    fn places(&self, children: &[Vec<usize>]) -> (Vec<Place>, usize) {
        let mut places = vec![Place::default(); self.nodes.len()];
        let mut branches = 0;
        for (index, node) in self.nodes.iter().enumerate() {
            let Some(above) = node.parent.map(|parent| places[parent]) else { continue };
            let branch = if above.level == 0 { branches } else { above.branch };
            branches += usize::from(above.level == 0);
            places[index] = Place { level: above.level + 1, row: 0.0, branch };
        }
        // Leaves from top to bottom, without recursion: trees may be deep.
        let roots = (0..self.nodes.len()).filter(|index| self.nodes[*index].parent.is_none());
        let mut waiting: Vec<usize> = roots.collect();
        waiting.reverse();
        let mut rows = 0;
        while let Some(index) = waiting.pop() {
            if children[index].is_empty() {
                places[index].row = rows as f64;
                rows += 1;
            }
            waiting.extend(children[index].iter().rev());
        }
        // Children come after their parents.
        for index in (0..self.nodes.len()).rev() {
            if let (Some(first), Some(last)) = (children[index].first(), children[index].last()) {
                places[index].row = f64::midpoint(places[*first].row, places[*last].row);
            }
        }
        (places, rows)
    }

    fn draw_edge(&self, canvas: &mut Canvas, index: usize, from: (f64, f64), to: (f64, f64)) {
        let width = 0.6 + WIDEST_EDGE * within(self.nodes[index].edge);
        let bend = f64::midpoint(from.0, to.0);
        put!(
            canvas,
            "<path class=\"line\" style=\"stroke-width:{}\" stroke-opacity=\"0.55\" d=\"M{} {}C{} {} {} {} {} {}\"",
            N(width),
            N(from.0),
            N(from.1),
            N(bend),
            N(from.1),
            N(bend),
            N(to.1),
            N(to.0),
            N(to.1)
        );
        canvas.titled("path", Some(&self.nodes[index].about));
    }

    fn draw_node(&self, canvas: &mut Canvas, index: usize, at: (f64, f64), is_leaf: bool) {
        let node = &self.nodes[index];
        let (width, dashes) = match node.contour {
            Some(contour) => (0.8 + WIDEST_CONTOUR * within(contour), ""),
            None => (1.2, ";stroke-dasharray:2 2"),
        };
        put!(
            canvas,
            "<circle class=\"ring\" style=\"stroke-width:{}{dashes}\" cx=\"{}\" cy=\"{}\" r=\"{}\"",
            N(width),
            N(at.0),
            N(at.1),
            N(RADIUS + width / 2.0)
        );
        canvas.titled("circle", Some(&node.about));
        let name = shortened(&node.name, NAME);
        let beside = RADIUS + width + 4.0;
        if is_leaf {
            canvas.text(at.0 + beside, at.1 + 4.0, "halo", &name);
        } else {
            canvas.text(at.0, at.1 - beside, "halo middle", &name);
        }
    }
}

/// From 0 to 1, whatever it was.
fn within(value: f64) -> f64 {
    if value.is_finite() { value.clamp(0.0, 1.0) } else { 0.0 }
}

impl ChartKind for Tree {
    fn legend(&self) -> Vec<Entry<'_>> {
        Vec::new()
    }

    fn draw(&self, _: &Frame, canvas: &mut Canvas) {
        let children = self.children();
        let (places, rows) = self.places(&children);
        canvas.bottom = canvas.top + (ROW * (rows as f64 + 1.0)).max(90.0);
        if self.nodes.is_empty() {
            return canvas.nothing();
        }
        let deepest = places.iter().map(|place| place.level).max().unwrap_or(0).max(1);
        let name = |node: &Node| text_width(&shortened(&node.name, NAME), 12.0);
        let widest = self.nodes.iter().map(name).fold(0.0, f64::max) + RADIUS + 14.0;
        let left = canvas.left + 44.0;
        let step = ((canvas.right - widest - left) / deepest as f64).max(30.0);
        let top = canvas.top + ROW;
        let at = |index: usize| {
            let place: Place = places[index];
            (left + step * place.level as f64, top + ROW * place.row)
        };
        let mut order: Vec<usize> = (0..self.nodes.len()).collect();
        order.sort_by_key(|index| places[*index].branch);
        for branch in order.chunk_by(|a, b| places[*a].branch == places[*b].branch) {
            canvas.begin_series(places[branch[0]].branch);
            for index in branch {
                if let Some(parent) = self.nodes[*index].parent {
                    self.draw_edge(canvas, *index, at(parent), at(*index));
                }
            }
            for index in branch {
                self.draw_node(canvas, *index, at(*index), children[*index].is_empty());
            }
            canvas.end_series();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(name: &str, parent: Option<usize>) -> Node {
        let about = format!("about {name}");
        Node { name: name.into(), parent, edge: 0.5, contour: Some(0.5), about }
    }

    #[test]
    fn leaves_have_rows_and_parents_stand_between_them() {
        let chart = Chart::tree("coast")
            .node(node("all", None))
            .node(node("sea", Some(0)))
            .node(node("tides", Some(1)))
            .node(node("ports", Some(1)))
            .node(node("land", Some(0)))
            .node(node("lost", Some(9)));
        let children = chart.kind.children();
        let (places, rows) = chart.kind.places(&children);
        assert_eq!(rows, 4);
        let rows: Vec<f64> = places.iter().map(|place| place.row).collect();
        assert_eq!(rows, [1.25, 0.5, 0.0, 1.0, 2.0, 3.0]);
        let levels: Vec<usize> = places.iter().map(|place| place.level).collect();
        assert_eq!(levels, [0, 1, 2, 2, 1, 0]);
        let svg = chart.to_svg();
        assert_eq!((svg.matches("<circle").count(), svg.matches("<path").count()), (6, 4));
        assert!(svg.contains("<title>about tides</title>"), "{svg}");
    }

    #[test]
    fn what_has_no_number_is_dashed() {
        let dashed = Node { contour: None, ..node("fog", None) };
        assert!(Chart::tree("x").node(dashed).to_svg().contains("stroke-dasharray:2 2"));
        assert!(
            !Chart::tree("x").node(node("fog", None)).to_svg().contains("stroke-dasharray:2 2")
        );
    }

    #[test]
    fn a_deep_tree_is_no_deep_recursion() {
        let parent = |index: usize| index.checked_sub(1);
        let chart =
            (0..50_000).fold(Chart::tree("x"), |chart, index| chart.node(node("a", parent(index))));
        assert!(chart.to_svg().ends_with("</svg>\n"));
    }
}
