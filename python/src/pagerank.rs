//! PageRank of graphs that fit into memory, from pairs of anything that Python can hash.

use std::ffi::CString;
use std::thread;

use pyo3::exceptions::{PyRuntimeWarning, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFrozenSet, PyMapping, PySet, PyString};
use webstrata_links::MemoryGraph;
use webstrata_links::build::host_of;
use webstrata_links::graph::Naming;
use webstrata_links::rank::{Choice, Dangling, Jump, RankOptions, Surfer, Until, rank};

use crate::errors::{InternalError, caught, wrong_option};
use crate::many::is_one_page;
use crate::options::{in_range, no_such};

/// More threads than any machine has processors.
const MOST_PARTITIONS: usize = 1024;

/// Python's objects, numbered in the order in which they come.
struct Numbered<'py> {
    numbers: Bound<'py, PyDict>,
    objects: Vec<Bound<'py, PyAny>>,
}

impl<'py> Numbered<'py> {
    fn new(py: Python<'py>) -> Numbered<'py> {
        Numbered { numbers: PyDict::new(py), objects: Vec::new() }
    }

    fn find(&self, object: &Bound<'py, PyAny>) -> PyResult<Option<usize>> {
        self.numbers.get_item(object)?.map(|number| number.extract()).transpose()
    }

    fn number(&mut self, object: &Bound<'py, PyAny>) -> PyResult<usize> {
        if let Some(number) = self.find(object)? {
            return Ok(number);
        }
        let number = self.objects.len();
        self.numbers.set_item(object, number)?;
        self.objects.push(object.clone());
        Ok(number)
    }
}

/// Nodes and links as Python gives them.
struct Links<'py> {
    nodes: Numbered<'py>,
    links: Vec<(usize, usize, bool)>,
}

impl<'py> Links<'py> {
    fn read(
        edges: &Bound<'py, PyAny>,
        targets: Option<&Bound<'py, PyAny>>,
        nodes: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Links<'py>> {
        let mut read = Links { nodes: Numbered::new(edges.py()), links: Vec::new() };
        for node in nodes.map(|nodes| plain(nodes)?.try_iter()).transpose()?.into_iter().flatten() {
            read.nodes.number(&node?)?;
        }
        match targets {
            Some(targets) => read.columns(edges, targets)?,
            None => {
                for edge in plain(edges)?.try_iter()? {
                    read.edge(&edge?)?;
                }
            }
        }
        Ok(read)
    }

    /// Two columns of the same length.
    fn columns(&mut self, from: &Bound<'py, PyAny>, to: &Bound<'py, PyAny>) -> PyResult<()> {
        let (mut from, mut to) = (plain(from)?.try_iter()?, plain(to)?.try_iter()?);
        loop {
            match (from.next(), to.next()) {
                (Some(from), Some(to)) => self.link(&from?, &to?, false)?,
                (None, None) => return Ok(()),
                _ => {
                    let message = "targets: expected as many as there are sources";
                    return Err(wrong_option(message));
                }
            }
        }
    }

    fn edge(&mut self, edge: &Bound<'py, PyAny>) -> PyResult<()> {
        let wrong = || {
            PyTypeError::new_err(
                "edges: expected pairs (from, to), or (from, to, is_boilerplate); for two columns, \
                 pagerank(sources, targets)",
            )
        };
        // The letters of a text of two would pass for nodes, and so would the names of a dictionary of two; a set has
        // no order.
        let is_pair = !is_one_page(edge)
            && edge.cast::<PyMapping>().is_err()
            && !edge.is_instance_of::<PySet>()
            && !edge.is_instance_of::<PyFrozenSet>();
        if !is_pair {
            return Err(wrong());
        }
        let parts = edge.try_iter().map_err(|_| wrong())?.take(4);
        let parts: Vec<_> = parts.collect::<PyResult<_>>()?;
        match parts.as_slice() {
            [from, to] => self.link(from, to, false),
            [from, to, boilerplate] => self.link(from, to, boilerplate.is_truthy()?),
            _ => Err(wrong()),
        }
    }

    fn link(
        &mut self,
        from: &Bound<'py, PyAny>,
        to: &Bound<'py, PyAny>,
        boilerplate: bool,
    ) -> PyResult<()> {
        let link = (self.nodes.number(from)?, self.nodes.number(to)?, boilerplate);
        self.links.push(link);
        if self.links.len().is_multiple_of(4096) {
            from.py().check_signals()?;
        }
        Ok(())
    }
}

/// Columns of Arrow, NumPy and tables as lists: their values, not objects that hold values.
fn plain<'py>(values: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    if is_one_page(values) {
        return Err(PyTypeError::new_err("expected edges or nodes, not one text"));
    }
    for method in ["to_pylist", "tolist", "to_list"] {
        if values.hasattr(method)? {
            return values.call_method0(method);
        }
    }
    Ok(values.clone())
}

/// The nodes in the order of their hosts.
struct Order {
    /// How many nodes each host has.
    sizes: Vec<usize>,
    /// For each node, its position.
    positions: Vec<usize>,
}

impl Order {
    fn of(nodes: &Numbered<'_>, hosts: Option<&Bound<'_, PyAny>>) -> PyResult<Order> {
        let count = nodes.objects.len();
        let Some(hosts) = hosts else {
            return Ok(Order { sizes: vec![count], positions: (0..count).collect() });
        };
        let of_nodes = hosts_of(nodes, hosts)?;
        let mut sizes = vec![0; of_nodes.iter().max().map_or(0, |last| last + 1)];
        of_nodes.iter().for_each(|host| sizes[*host] += 1);
        let mut next = vec![0; sizes.len()];
        for host in 1..sizes.len() {
            next[host] = next[host - 1] + sizes[host - 1];
        }
        let place = |host: usize| {
            next[host] += 1;
            next[host] - 1
        };
        let positions = of_nodes.into_iter().map(place).collect();
        Ok(Order { sizes, positions })
    }
}

/// For each node, the number of its host.
fn hosts_of<'py>(nodes: &Numbered<'py>, hosts: &Bound<'py, PyAny>) -> PyResult<Vec<usize>> {
    let mut known = Numbered::new(hosts.py());
    if let Ok(written) = hosts.cast::<PyString>() {
        let naming = match &*written.to_cow()? {
            "host" => Naming::Hosts,
            "domain" => Naming::Domains,
            other => {
                return Err(wrong_option(format!(
                    "hosts: expected \"host\", \"domain\", a mapping or a function, not {other:?}"
                )));
            }
        };
        let number = |node: &Bound<'py, PyAny>| {
            let address = node.cast::<PyString>().map_err(|_| {
                PyTypeError::new_err("hosts: nodes must be addresses; give a mapping or a function")
            })?;
            let host = host_of(naming, &address.to_cow()?)
                .map_err(|why| wrong_option(format!("hosts: {why}")))?;
            known.number(PyString::new(hosts.py(), &host).as_any())
        };
        return nodes.objects.iter().map(number).collect();
    }
    let is_function = hosts.is_callable();
    let number = |node: &Bound<'py, PyAny>| {
        let host = if is_function { hosts.call1((node,))? } else { hosts.get_item(node)? };
        known.number(&host)
    };
    nodes.objects.iter().map(number).collect()
}

/// Where a surfer jumps to: some nodes, or nodes with weights. Nodes that the graph does not have are left out.
fn jump(nodes: &Numbered<'_>, order: &Order, bias: &Bound<'_, PyAny>) -> PyResult<Jump> {
    if bias.is_instance_of::<PyString>() {
        return Err(PyTypeError::new_err("bias: expected nodes, or nodes with weights, not str"));
    }
    let position = |node: &Bound<'_, PyAny>| {
        Ok::<_, PyErr>(nodes.find(node)?.map(|node| order.positions[node]))
    };
    if let Ok(weighted) = bias.cast::<PyMapping>() {
        let mut to = Vec::new();
        for item in weighted.items()?.iter() {
            let (node, weight): (Bound<'_, PyAny>, f64) = item.extract()?;
            to.extend(position(&node)?.map(|node| (node, weight)));
        }
        return Ok(Jump::Weighted(to));
    }
    let mut to = Vec::new();
    for node in plain(bias)?.try_iter()? {
        to.extend(position(&node?)?);
    }
    // A node that is named twice is jumped to once.
    to.sort_unstable();
    to.dedup();
    Ok(Jump::Set(to))
}

/// One of some names.
fn one_of<T: Copy>(option: &str, written: &str, choices: &[(&str, T)]) -> PyResult<T> {
    let found = choices.iter().find(|(name, _)| *name == written);
    found.map(|(_, choice)| *choice).ok_or_else(|| {
        let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
        no_such(option, "choice", written, &names)
    })
}

/// Ranks the nodes of a graph: PageRank, plain, biased on topics, or by where links stand.
///
/// `edges` are pairs (from, to) of anything that can be hashed, or triples whose third part says whether the link
/// stands in boilerplate; or two columns, `pagerank(sources, targets)`: lists, NumPy or Arrow arrays. A link that is
/// there twice counts once. `nodes` are further nodes, without links. The result is a dictionary of all nodes
/// with their ranks, which sum to 1.
///
/// `bias` are the nodes that the surfer jumps to, or a mapping of nodes to weights; those that the graph does not
/// have are left out. `topics` is a mapping of names to such biases: then the result has a dictionary for each. All
/// are ranked together, which costs little more than one.
///
/// `hosts` says what is inside of a site: "host" or "domain" where nodes are addresses, or a mapping or function
/// from nodes to anything. `internal` and `external` are then the weights of links inside of a host and between
/// two, `content` and `boilerplate` those of links by where they stand; `choice` says whether weights are of each
/// link, of a side (in or out) or of a stratum (side and place). `dangling` is what becomes of the rank of nodes without links:
/// jump, uniform or drop. It ends when an iteration changes all ranks together by no more than `tolerance`,
/// or after `max_iterations`, which a RuntimeWarning says.
/// `partitions` are ranked by a thread each; the result is the same.
///
/// >>> import webstrata
/// >>> ranks = webstrata.pagerank([("a", "b"), ("b", "c"), ("a", "c"), ("c", "a")])
/// >>> max(ranks, key=ranks.get), round(sum(ranks.values()), 5)
/// ('c', 1.0)
/// >>> topics = webstrata.pagerank([("a", "b"), ("c", "d")], topics={"north": ["a"], "south": ["c"]})
/// >>> topics["north"]["d"], topics["south"]["d"] > 0.4
/// (0.0, True)
#[pyfunction]
#[pyo3(signature = (edges, targets = None, /, *, damping = 0.85, bias = None, topics = None, nodes = None, hosts = None, internal = 0.5, external = 0.5, content = 0.5, boilerplate = 0.5, choice = "link", dangling = "jump", tolerance = 1e-6, max_iterations = 1000, partitions = 1))]
#[expect(clippy::too_many_arguments, reason = "they are keywords")]
pub(crate) fn pagerank<'py>(
    py: Python<'py>,
    edges: &Bound<'py, PyAny>,
    targets: Option<&Bound<'py, PyAny>>,
    damping: f64,
    bias: Option<&Bound<'py, PyAny>>,
    topics: Option<&Bound<'py, PyMapping>>,
    nodes: Option<&Bound<'py, PyAny>>,
    hosts: Option<&Bound<'py, PyAny>>,
    internal: f64,
    external: f64,
    content: f64,
    boilerplate: f64,
    choice: &str,
    dangling: &str,
    tolerance: f64,
    max_iterations: i64,
    partitions: i64,
) -> PyResult<Bound<'py, PyDict>> {
    let choices = [("link", Choice::Link), ("side", Choice::Side), ("stratum", Choice::Stratum)];
    let choice = one_of("choice", choice, &choices)?;
    let fates =
        [("jump", Dangling::Jump), ("uniform", Dangling::Uniform), ("drop", Dangling::Drop)];
    let dangling = one_of("dangling", dangling, &fates)?;
    if hosts.is_none() && (internal != external || choice == Choice::Side) {
        let message = "internal, external: say what is inside of a site, with hosts=\"host\"";
        return Err(wrong_option(message));
    }
    let partitions = in_range("partitions", partitions, 1, MOST_PARTITIONS)?;
    let most_iterations = in_range("max_iterations", max_iterations, 1, usize::MAX)?;
    if bias.is_some() && topics.is_some() {
        return Err(PyTypeError::new_err("bias and topics: give one of them"));
    }
    let Links { nodes, links } = Links::read(edges, targets, nodes)?;
    let order = Order::of(&nodes, hosts)?;
    // More would only wait for each other; ranks are the same.
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let partitions = partitions.min(cores).min(nodes.objects.len().max(1));
    let mut names = Vec::new();
    let mut jumps = Vec::new();
    for item in topics.map(PyMappingMethods::items).transpose()?.into_iter().flatten() {
        let (name, bias): (Bound<'py, PyAny>, Bound<'py, PyAny>) = item.extract()?;
        jumps.push(jump(&nodes, &order, &bias)?);
        names.push(name);
    }
    if topics.is_none() {
        jumps.push(bias.map_or(Ok(Jump::Everywhere), |bias| jump(&nodes, &order, bias))?);
    }
    let surfer = Surfer { alpha: damping, internal, external, content, boilerplate, choice };
    let until = Until::Residual(tolerance);
    let defaults = RankOptions::default();
    let options = RankOptions { surfer, dangling, until, most_iterations, partitions, ..defaults };
    let ranking = py.detach(|| {
        caught(|| {
            let at = |node: usize| order.positions[node];
            let links = links.iter().map(|(from, to, place)| (at(*from), at(*to), *place));
            let graph = MemoryGraph::new(&order.sizes, links);
            rank(&graph, &jumps, &options, &())
        })
    });
    let ranking = ranking.map_err(InternalError::new_err)?;
    let ranking =
        ranking.map_err(|error| wrong_option(error.to_string().replace("alpha", "damping")))?;
    if !ranking.run.converged && !ranking.run.residuals.is_empty() {
        let (iterations, residuals) = (ranking.run.residuals.len(), &ranking.run.residuals);
        let residual = residuals.last().copied().unwrap_or_default();
        let message = format!(
            "pagerank: after {iterations} iterations the residual is {residual:.1e}, not {tolerance:.1e}; \
             more max_iterations make the ranks better"
        );
        let message = CString::new(message).unwrap_or_default();
        PyErr::warn(py, &py.get_type::<PyRuntimeWarning>(), &message, 1)?;
    }
    let table = |ranks: &[f32]| {
        let table = PyDict::new(py);
        for (node, position) in nodes.objects.iter().zip(&order.positions) {
            table.set_item(node, ranks.get(*position).copied().unwrap_or_default())?;
        }
        Ok::<_, PyErr>(table)
    };
    if topics.is_none() {
        return table(ranking.vectors.first().map(Vec::as_slice).unwrap_or_default());
    }
    let all = PyDict::new(py);
    for (name, ranks) in names.iter().zip(&ranking.vectors) {
        all.set_item(name, table(ranks)?)?;
    }
    Ok(all)
}
