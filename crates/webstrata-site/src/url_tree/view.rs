//! The tree as seen from a page.

use std::fmt;
use std::str::FromStr;

use super::nodes::{NONE, ROOT};
use super::{COUNTED, UrlTree};
use crate::url_key::UrlKey;

/// Which node judges a page, and how often a text may stand below it (paper, sections 4 and 5.4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Heuristic {
    /// The default: the deepest node with at least five documents; texts of two documents are
    /// boilerplate (n_min = 5, c_max = 1).
    #[default]
    Strict,
    /// The deepest node with more than so many documents.
    StrictSupport(u32),
    /// The node of the domain.
    StrictAtDomain,
    /// As strict; but where the domain has more than so many documents, texts of two are still content.
    RelaxedAtDomain(u32),
}

impl Heuristic {
    /// The four of the paper, with the N that it found best.
    pub const PAPER: [Heuristic; 4] = [
        Heuristic::Strict,
        Heuristic::StrictSupport(100),
        Heuristic::StrictAtDomain,
        Heuristic::RelaxedAtDomain(500),
    ];
}

impl fmt::Display for Heuristic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Heuristic::Strict => f.write_str("strict"),
            Heuristic::StrictSupport(least) => write!(f, "strict-support-{least}"),
            Heuristic::StrictAtDomain => f.write_str("strict-at-domain"),
            Heuristic::RelaxedAtDomain(least) => write!(f, "relaxed-at-domain-{least}"),
        }
    }
}

impl FromStr for Heuristic {
    type Err = String;

    fn from_str(text: &str) -> Result<Heuristic, String> {
        let number =
            |prefix: &str| text.strip_prefix(prefix).and_then(|number| number.parse().ok());
        match text {
            "strict" | "default" => return Ok(Heuristic::Strict),
            "strict-at-domain" => return Ok(Heuristic::StrictAtDomain),
            _ => {}
        }
        let supported = number("strict-support-").map(Heuristic::StrictSupport);
        supported.or_else(|| number("relaxed-at-domain-").map(Heuristic::RelaxedAtDomain)).ok_or_else(|| {
            format!(
                "unknown heuristic `{text}`; known are strict, strict-support-N, strict-at-domain, \
                 relaxed-at-domain-N, where N is a number of documents"
            )
        })
    }
}

/// A node of the tree, as long as the tree does not change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeId(u32);

/// The tree as seen from a page: the nodes from the root down to where its key ends, as far as there
/// are any.
pub struct View<'a> {
    tree: &'a UrlTree,
    /// The root first.
    nodes: Vec<u32>,
    /// Has every part of the key a node?
    is_whole: bool,
}

impl UrlTree {
    /// The tree as seen from a page.
    pub fn view(&self, key: &UrlKey) -> View<'_> {
        let mut nodes = vec![ROOT];
        let mut parts = key.branch().take(super::MAX_DEPTH + 1);
        let is_whole = parts.all(|part| {
            let child = self.nodes.child(nodes[nodes.len() - 1], part);
            nodes.extend(child);
            child.is_some()
        });
        View { tree: self, nodes, is_whole }
    }
}

impl View<'_> {
    /// The node that judges the page.
    pub fn select(&self, heuristic: Heuristic) -> NodeId {
        let least = match heuristic {
            Heuristic::Strict | Heuristic::RelaxedAtDomain(_) => COUNTED,
            Heuristic::StrictSupport(more_than) => more_than.saturating_add(1),
            Heuristic::StrictAtDomain => return self.domain(),
        };
        let supported = |node: &&u32| self.tree.nodes.get(**node).documents >= least;
        NodeId(self.nodes.iter().rev().find(supported).copied().unwrap_or(ROOT))
    }

    /// The documents below a node that a text of content may have, c_max.
    pub fn most(&self, heuristic: Heuristic) -> u32 {
        match heuristic {
            Heuristic::RelaxedAtDomain(more_than) if self.support(self.domain()) > more_than => 2,
            _ => 1,
        }
    }

    /// The node of the page's domain; the root, where the tree does not know it.
    pub fn domain(&self) -> NodeId {
        NodeId(self.nodes.get(1).copied().unwrap_or(ROOT))
    }

    /// The documents below a node, n_s.
    pub fn support(&self, node: NodeId) -> u32 {
        self.tree.nodes.get(node.0).documents
    }

    /// The documents below a node that have a key, c(b).
    pub fn count(&self, NodeId(node): NodeId, key: u64) -> u32 {
        self.tree.blocks.find(key).map_or(0, |block| self.tree.count(node, block))
    }

    /// In a tree of similar texts, the sketch that the page's domain knows for a sketch; otherwise the
    /// key itself.
    pub fn known(&self, key: u64) -> u64 {
        let mut keys = [key];
        if self.tree.is_similar
            && let Some(domain) = self.nodes.get(1)
        {
            self.tree.recognise(*domain, &mut keys);
        }
        keys[0]
    }

    /// Is a document of this key in the tree?
    pub fn holds_page(&self) -> bool {
        let last = self.nodes[self.nodes.len() - 1];
        self.is_whole && self.tree.nodes.get(last).first_document != NONE
    }

    /// Texts and places of the domain's newest document that at least a tenth of its documents have, and at
    /// least two: the size of its template.
    pub fn template(&self) -> usize {
        let NodeId(domain) = self.domain();
        let tree = self.tree;
        let least = (tree.nodes.get(domain).documents / 10).max(2);
        let newest = tree.domains.get(&domain).and_then(|documents| documents.back());
        let Some(newest) = newest else { return 0 };
        let blocks = tree.documents[*newest as usize].blocks.iter();
        blocks
            .filter(|block| self.count(NodeId(domain), tree.blocks.get(**block).key) >= least)
            .count()
    }
}
