//! Categories in a tree, and the pages in them.

use std::collections::BTreeMap;

/// A tree of categories. The first one is the root, at level 0, which is no category but all of them; then come
/// the categories, each before those below it, siblings by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Categories {
    nodes: Vec<Category>,
}

/// One category.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Category {
    /// Its own name.
    pub name: String,
    /// 1 for those directly below the root.
    pub level: usize,
    /// The category that it is in; nothing for the root.
    pub parent: Option<usize>,
    /// The categories directly below it.
    pub children: Vec<usize>,
    /// The pages that are in it and not further below, ascending.
    pub pages: Vec<usize>,
}

/// Which pages a category has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Reach {
    /// Those in it and those in all categories below it.
    #[default]
    Below,
    /// Only those that are exactly in it.
    Exactly,
}

impl Categories {
    /// The tree of pages and the paths of names that lead to their categories. A page may be in any number of
    /// categories. What all paths begin with is no category but the root's name, unless there are pages in it.
    pub fn new<'a>(pages: impl IntoIterator<Item = (usize, Vec<&'a str>)>) -> Categories {
        let mut root = Branch::default();
        for (page, path) in pages {
            let names = path.into_iter().filter(|name| !name.is_empty());
            names
                .fold(&mut root, |branch, name| branch.below.entry(name.to_owned()).or_default())
                .pages
                .push(page);
        }
        let mut name = String::new();
        while root.is_only_a_name() {
            let Some((only, below)) = root.below.pop_first() else { break };
            name = only;
            root = below;
        }
        Categories::from_branches(name, root)
    }

    /// Without recursion, for paths may be long.
    fn from_branches(name: String, root: Branch) -> Categories {
        let mut nodes: Vec<Category> = Vec::new();
        let mut waiting = vec![(name, root, None)];
        while let Some((name, branch, parent)) = waiting.pop() {
            let node = nodes.len();
            let above = parent.and_then(|parent: usize| nodes.get_mut(parent));
            let level = above.map_or(0, |above: &mut Category| {
                above.children.push(node);
                above.level + 1
            });
            let (mut pages, below) = branch.into_parts();
            pages.sort_unstable();
            pages.dedup();
            nodes.push(Category { name, level, parent, children: Vec::new(), pages });
            waiting
                .extend(below.into_iter().rev().map(|(name, branch)| (name, branch, Some(node))));
        }
        Categories { nodes }
    }

    /// All, the root first.
    pub fn nodes(&self) -> &[Category] {
        &self.nodes
    }

    /// The names on the way to a category, the root's left out, with `/` between them.
    pub fn path(&self, node: usize) -> String {
        let above =
            std::iter::successors(self.nodes.get(node), |node| self.nodes.get(node.parent?));
        let mut names: Vec<&str> =
            above.filter(|node| node.parent.is_some()).map(|node| node.name.as_str()).collect();
        names.reverse();
        names.join("/")
    }

    /// How deep it is: the level of the deepest category.
    pub fn depth(&self) -> usize {
        self.nodes.iter().map(|node| node.level).max().unwrap_or(0)
    }

    /// The pages of each category, ascending, in the order of [`Categories::nodes`].
    pub fn pages(&self, reach: Reach) -> Vec<Vec<usize>> {
        let mut pages: Vec<Vec<usize>> = self.nodes.iter().map(|node| node.pages.clone()).collect();
        if reach == Reach::Exactly {
            return pages;
        }
        // What is below a category comes after it.
        for (index, node) in self.nodes.iter().enumerate().rev() {
            pages[index].sort_unstable();
            pages[index].dedup();
            if let Some(parent) = node.parent {
                let (before, from_here) = pages.split_at_mut(index);
                before[parent].extend_from_slice(&from_here[0]);
            }
        }
        pages
    }
}

#[derive(Default)]
struct Branch {
    pages: Vec<usize>,
    below: BTreeMap<String, Branch>,
}

impl Branch {
    fn into_parts(mut self) -> (Vec<usize>, BTreeMap<String, Branch>) {
        (std::mem::take(&mut self.pages), std::mem::take(&mut self.below))
    }

    /// All is in one category, which is not the whole story itself.
    fn is_only_a_name(&self) -> bool {
        let only = self.below.values().next();
        self.pages.is_empty()
            && self.below.len() == 1
            && only.is_some_and(|only| only.pages.is_empty() && !only.below.is_empty())
    }
}

/// Deep branches are taken apart one by one: the usual way would go as deep as they are.
impl Drop for Branch {
    fn drop(&mut self) {
        let mut waiting: Vec<Branch> = std::mem::take(&mut self.below).into_values().collect();
        while let Some(mut branch) = waiting.pop() {
            waiting.extend(std::mem::take(&mut branch.below).into_values());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn coast() -> Categories {
        Categories::new([
            (0, vec!["coast", "harbours", "ferries"]),
            (1, vec!["coast", "harbours"]),
            (2, vec!["coast", "weather", "fog"]),
            (2, vec!["coast", "harbours", "ferries"]),
            (3, vec!["coast", "weather", "", "tides", "spring"]),
            (2, vec!["coast", "weather", "fog"]),
        ])
    }

    #[test]
    fn what_all_have_in_common_is_the_root() {
        let tree = coast();
        let nodes = tree.nodes().iter().enumerate();
        let shown: Vec<_> = nodes
            .map(|(node, category)| (category.level, tree.path(node), category.parent))
            .collect();
        let expect = [
            (0, "", None),
            (1, "harbours", Some(0)),
            (2, "harbours/ferries", Some(1)),
            (1, "weather", Some(0)),
            (2, "weather/fog", Some(3)),
            (2, "weather/tides", Some(3)),
            (3, "weather/tides/spring", Some(5)),
        ];
        assert_eq!(shown, expect.map(|(level, path, parent)| (level, path.to_owned(), parent)));
        assert_eq!((tree.nodes()[0].name.as_str(), tree.depth()), ("coast", 3));
        assert_eq!(tree.nodes()[3].children, [4, 5]);
        let single = Categories::new([(0, vec!["harbours"])]);
        assert_eq!((single.nodes().len(), single.nodes()[1].level), (2, 1));
        assert_eq!(Categories::new([]).nodes().len(), 1);
    }

    #[test]
    fn pages_below_and_exactly_there() {
        let tree = coast();
        let below = tree.pages(Reach::Below);
        assert_eq!(below[0], [0, 1, 2, 3]);
        assert_eq!(below[1], [0, 1, 2]);
        assert_eq!(below[3], [2, 3]);
        assert_eq!(below[4], [2]);
        let exactly = tree.pages(Reach::Exactly);
        assert_eq!(exactly[1], [1]);
        assert!(exactly[3].is_empty());
    }

    #[test]
    fn a_path_of_a_hundred_thousand_names() {
        let tree = Categories::new([(0, vec!["a"; 100_000]), (1, vec!["a"])]);
        assert_eq!(tree.depth(), 100_000);
        assert_eq!(tree.pages(Reach::Below)[1], [0, 1]);
    }
}
