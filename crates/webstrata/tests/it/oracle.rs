//! html5ever's tree of a page, as the reference for ours.

use std::borrow::Cow;
use std::cell::RefCell;

use html5ever::interface::{ElemName, ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::{StrTendril, TendrilSink};
use html5ever::tree_builder::TreeBuilderOpts;
use html5ever::{
    Attribute, ExpandedName, LocalName, Namespace, ParseOpts, QualName, parse_document,
};

/// A node as both parsers can tell it: how deep, and what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Line {
    Element { depth: usize, name: String, attributes: Vec<(String, String)> },
    Text { depth: usize, text: String },
}

/// The page as html5ever reads it, scripting off, comments left out, adjacent texts joined.
pub(crate) fn lines(page: &str) -> Vec<Line> {
    let tree_builder = TreeBuilderOpts { scripting_enabled: false, ..TreeBuilderOpts::default() };
    let options = ParseOpts { tree_builder, ..ParseOpts::default() };
    let nodes = parse_document(Sink::default(), options).one(page);
    let mut lines = Vec::new();
    let mut todo: Vec<(usize, usize)> = nodes[0].children.iter().rev().map(|c| (*c, 0)).collect();
    while let Some((id, depth)) = todo.pop() {
        let node = &nodes[id];
        match &node.data {
            Data::Element(name, attributes) => {
                let mut attributes: Vec<_> = attributes
                    .iter()
                    .map(|a| (written_name(&a.name), newlines(&a.value)))
                    .collect();
                attributes.sort();
                let name = name.local.to_ascii_lowercase().to_string();
                lines.push(Line::Element { depth, name, attributes });
            }
            Data::Text(text) => push_text(&mut lines, depth, &newlines(text)),
            Data::Document | Data::Other => {}
        }
        todo.extend(node.children.iter().rev().map(|child| (*child, depth + 1)));
    }
    lines
}

/// An attribute's name with the prefix that the spec splits off in SVG (`xlink:href`).
fn written_name(name: &QualName) -> String {
    let local = name.local.to_ascii_lowercase();
    match &name.prefix {
        Some(prefix) if !prefix.is_empty() && *prefix != *local => format!("{prefix}:{local}"),
        _ => local.to_string(),
    }
}

/// Our spans keep a page's CRs, which count as whitespace; the spec turns them into LFs, except for
/// those written as character references.
pub(crate) fn newlines(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

pub(crate) fn push_text(lines: &mut Vec<Line>, depth: usize, text: &str) {
    match lines.last_mut() {
        Some(Line::Text { depth: d, text: before }) if *d == depth => before.push_str(text),
        _ => lines.push(Line::Text { depth, text: text.to_owned() }),
    }
}

#[derive(Default)]
struct Sink {
    nodes: RefCell<Vec<Node>>,
}

#[derive(Default)]
pub(crate) struct Node {
    parent: Option<usize>,
    children: Vec<usize>,
    data: Data,
    integration: bool,
}

#[derive(Default)]
enum Data {
    #[default]
    Document,
    Element(QualName, Vec<Attribute>),
    Text(StrTendril),
    Other,
}

#[derive(Debug)]
struct Name(QualName);

impl ElemName for Name {
    fn ns(&self) -> &Namespace {
        &self.0.ns
    }
    fn local_name(&self) -> &LocalName {
        &self.0.local
    }
    fn expanded(&self) -> ExpandedName<'_> {
        self.0.expanded()
    }
}

impl Sink {
    fn add(&self, data: Data) -> usize {
        let mut nodes = self.nodes.borrow_mut();
        if nodes.is_empty() {
            nodes.push(Node::default());
        }
        nodes.push(Node { data, ..Node::default() });
        nodes.len() - 1
    }

    fn detach(&self, id: usize) {
        let mut nodes = self.nodes.borrow_mut();
        if let Some(parent) = nodes[id].parent.take() {
            nodes[parent].children.retain(|child| *child != id);
        }
    }

    fn insert(&self, parent: usize, position: usize, child: NodeOrText<usize>) {
        let id = match child {
            NodeOrText::AppendNode(id) => id,
            NodeOrText::AppendText(text) => self.add(Data::Text(text)),
        };
        self.detach(id);
        let mut nodes = self.nodes.borrow_mut();
        nodes[id].parent = Some(parent);
        let position = position.min(nodes[parent].children.len());
        nodes[parent].children.insert(position, id);
    }
}

impl TreeSink for Sink {
    type Handle = usize;
    type Output = Vec<Node>;
    type ElemName<'a> = Name;

    fn finish(self) -> Vec<Node> {
        let mut nodes = self.nodes.into_inner();
        if nodes.is_empty() {
            nodes.push(Node::default());
        }
        nodes
    }
    fn parse_error(&self, _: Cow<'static, str>) {}
    fn get_document(&self) -> usize {
        if self.nodes.borrow().is_empty() {
            self.nodes.borrow_mut().push(Node::default());
        }
        0
    }
    fn elem_name<'a>(&'a self, target: &'a usize) -> Name {
        match &self.nodes.borrow()[*target].data {
            Data::Element(name, _) => Name(name.clone()),
            _ => panic!("not an element"),
        }
    }
    fn create_element(&self, name: QualName, attrs: Vec<Attribute>, flags: ElementFlags) -> usize {
        let id = self.add(Data::Element(name, attrs));
        self.nodes.borrow_mut()[id].integration = flags.mathml_annotation_xml_integration_point;
        id
    }
    fn is_mathml_annotation_xml_integration_point(&self, handle: &usize) -> bool {
        self.nodes.borrow()[*handle].integration
    }
    fn create_comment(&self, _: StrTendril) -> usize {
        self.add(Data::Other)
    }
    fn create_pi(&self, _: StrTendril, _: StrTendril) -> usize {
        self.add(Data::Other)
    }
    fn append(&self, parent: &usize, child: NodeOrText<usize>) {
        self.insert(*parent, usize::MAX, child);
    }
    fn append_based_on_parent_node(
        &self,
        element: &usize,
        previous: &usize,
        child: NodeOrText<usize>,
    ) {
        if self.nodes.borrow()[*element].parent.is_some() {
            self.append_before_sibling(element, child);
        } else {
            self.append(previous, child);
        }
    }
    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}
    fn get_template_contents(&self, target: &usize) -> usize {
        // The contents of a template are its children here, as in our tree.
        *target
    }
    fn same_node(&self, x: &usize, y: &usize) -> bool {
        x == y
    }
    fn set_quirks_mode(&self, _: QuirksMode) {}
    fn append_before_sibling(&self, sibling: &usize, child: NodeOrText<usize>) {
        let parent = self.nodes.borrow()[*sibling].parent.expect("a sibling has a parent");
        if let NodeOrText::AppendNode(id) = &child {
            self.detach(*id);
        }
        let position =
            self.nodes.borrow()[parent].children.iter().position(|c| c == sibling).unwrap();
        self.insert(parent, position, child);
    }
    fn add_attrs_if_missing(&self, target: &usize, attrs: Vec<Attribute>) {
        if let Data::Element(_, existing) = &mut self.nodes.borrow_mut()[*target].data {
            for attr in attrs {
                if existing.iter().all(|a| a.name != attr.name) {
                    existing.push(attr);
                }
            }
        }
    }
    fn remove_from_parent(&self, target: &usize) {
        self.detach(*target);
    }
    fn reparent_children(&self, node: &usize, new_parent: &usize) {
        let children = std::mem::take(&mut self.nodes.borrow_mut()[*node].children);
        let mut nodes = self.nodes.borrow_mut();
        for child in children {
            nodes[child].parent = Some(*new_parent);
            nodes[*new_parent].children.push(child);
        }
    }
}
