"""PageRank, against a naive power iteration and networkx."""

from __future__ import annotations

import warnings
from typing import Any

import pytest
from hypothesis import given, settings, strategies

import webstrata


def naive(
    edges: list[tuple[int, int]],
    nodes: list[int],
    damping: float = 0.85,
    jump: dict[int, float] | None = None,
    dangling: str = "jump",
    weight: Any = lambda source, target: 1.0,
) -> dict[int, float]:
    """Power iteration, link by link."""
    links = sorted(set(edges))
    total: dict[int, float] = {node: 0.0 for node in nodes}
    for source, target in links:
        total[source] += weight(source, target)
    jump = jump or {node: 1.0 for node in nodes}
    jumps = {node: jump.get(node, 0.0) / sum(jump.values()) for node in nodes}
    ranks = dict(jumps)
    for _ in range(300):
        lost = sum(ranks[node] for node in nodes if total[node] == 0)
        spread = jumps if dangling == "jump" else {node: 1 / len(nodes) for node in nodes}
        lost = 0.0 if dangling == "drop" else lost
        after = {
            node: (1 - damping) * jumps[node] + damping * lost * spread[node] for node in nodes
        }
        for source, target in links:
            if total[source]:
                after[target] += damping * ranks[source] * weight(source, target) / total[source]
        ranks = after
    return ranks


GRAPHS = strategies.integers(1, 12).flatmap(
    lambda count: strategies.tuples(
        strategies.just(list(range(count))),
        strategies.lists(
            strategies.tuples(strategies.integers(0, count - 1), strategies.integers(0, count - 1)),
            max_size=40,
        ),
    )
)


@given(
    GRAPHS,
    strategies.sampled_from([0.0, 0.5, 0.85, 0.95]),
    strategies.sampled_from(["jump", "uniform", "drop"]),
)
@settings(max_examples=100, deadline=None)
def test_naive(
    graph: tuple[list[int], list[tuple[int, int]]], damping: float, dangling: Any
) -> None:
    nodes, edges = graph
    ranks = webstrata.pagerank(
        edges, nodes=nodes, damping=damping, dangling=dangling, tolerance=1e-9
    )
    assert ranks == pytest.approx(naive(edges, nodes, damping, dangling=dangling), abs=1e-5)
    bias = {nodes[0]: 1.0, nodes[-1]: 2.5}
    wanted = naive(edges, nodes, damping, bias, dangling)
    for partitions in (1, 3):
        ranks = webstrata.pagerank(
            edges,
            nodes=nodes,
            damping=damping,
            dangling=dangling,
            bias=bias,
            tolerance=1e-9,
            partitions=partitions,
        )
        assert ranks == pytest.approx(wanted, abs=1e-5)


@given(GRAPHS)
@settings(max_examples=60, deadline=None)
def test_hosts(graph: tuple[list[int], list[tuple[int, int]]]) -> None:
    nodes, edges = graph

    def weight(source: int, target: int) -> float:
        return 1.0 if source % 3 == target % 3 else 4.0

    wanted = naive(edges, nodes, weight=weight)
    hosts = {node: node % 3 for node in nodes}
    by_mapping = webstrata.pagerank(
        edges, nodes=nodes, hosts=hosts, internal=1, external=4, tolerance=1e-9
    )
    assert by_mapping == pytest.approx(wanted, abs=1e-5)
    by_function = webstrata.pagerank(
        edges, nodes=nodes, hosts=lambda node: node % 3, internal=1, external=4, tolerance=1e-9
    )
    assert by_function == by_mapping


def test_addresses_have_hosts() -> None:
    edges = [
        ("https://a.example.org/1", "https://a.example.org/2"),
        ("https://a.example.org/1", "https://b.example.org/1"),
        ("https://a.example.org/1", "https://example.com/"),
    ]
    outside = {"internal": 0.0, "external": 1.0}
    by_host = webstrata.pagerank(edges, hosts="host", **outside)  # type: ignore[call-overload]
    by_domain = webstrata.pagerank(edges, hosts="domain", **outside)  # type: ignore[call-overload]
    inside, neighbour, away = (target for _, target in edges)
    assert by_host[neighbour] == pytest.approx(by_host[away])
    assert by_host[inside] < by_host[neighbour]
    assert by_domain[inside] == pytest.approx(by_domain[neighbour])
    assert by_domain[inside] < by_domain[away]


def test_links_in_boilerplate() -> None:
    edges = [("a", "b", False), ("a", "c", True)]
    ranks = webstrata.pagerank(edges, boilerplate=0.0)
    assert ranks["b"] > ranks["c"] == pytest.approx(ranks["a"])
    assert webstrata.pagerank(edges)["b"] == pytest.approx(webstrata.pagerank(edges)["c"])


def test_topics() -> None:
    edges = [(number, (number * 7 + 3) % 50) for number in range(50)]
    topics = {f"topic {number}": [number, 1000] for number in range(40)}
    ranks = webstrata.pagerank(edges, topics=topics)
    assert list(ranks) == list(topics)
    for name, bias in topics.items():
        assert ranks[name] == pytest.approx(webstrata.pagerank(edges, bias=bias), abs=1e-5)


def test_networkx() -> None:
    networkx = pytest.importorskip("networkx")
    pytest.importorskip("scipy")
    graph = networkx.gnp_random_graph(300, 0.02, seed=7, directed=True)
    wanted = networkx.pagerank(graph, tol=1e-10)
    ranks = webstrata.pagerank(graph.edges, nodes=graph.nodes, tolerance=1e-9)
    assert ranks == pytest.approx(wanted, abs=1e-6)
    bias = {3: 1.0, 5: 2.0}
    wanted = networkx.pagerank(graph, tol=1e-10, personalization=bias)
    ranks = webstrata.pagerank(graph.edges, nodes=graph.nodes, bias=bias, tolerance=1e-9)
    assert ranks == pytest.approx(wanted, abs=1e-6)


def test_columns() -> None:
    wanted = webstrata.pagerank([(0, 1), (1, 2), (0, 2)])
    assert webstrata.pagerank([0, 1, 0], [1, 2, 2]) == wanted
    with pytest.raises(webstrata.OptionError, match="as many"):
        webstrata.pagerank([0, 1], [1])


def test_arrays() -> None:
    wanted = webstrata.pagerank([(0, 1), (1, 2), (0, 2)])
    numpy = pytest.importorskip("numpy")
    assert webstrata.pagerank(numpy.array([0, 1, 0]), numpy.array([1, 2, 2])) == wanted
    assert webstrata.pagerank(numpy.array([[0, 1], [1, 2], [0, 2]])) == wanted
    pyarrow = pytest.importorskip("pyarrow")
    names = webstrata.pagerank(pyarrow.array(["a", "b"]), pyarrow.chunked_array([["b"], ["c"]]))
    assert names == webstrata.pagerank([("a", "b"), ("b", "c")])


def test_no_graph() -> None:
    assert webstrata.pagerank([]) == {}
    assert webstrata.pagerank([], nodes=["a"]) == {"a": 1.0}
    assert webstrata.pagerank([("a", "b")], topics={}) == {}


def test_options() -> None:
    wrong: Any
    for wrong in (["ab"], [b"ab"], [("a",)], [("a", "b", True, 1)], [1]):
        with pytest.raises(TypeError, match="expected pairs"):
            webstrata.pagerank(wrong)
    with pytest.raises(TypeError, match="unhashable"):
        webstrata.pagerank([([], [])])  # type: ignore[type-var]
    edges = [("a", "b")]
    wrongs: list[tuple[dict[str, Any], str]] = [
        ({"damping": 1.0}, "damping is 1"),
        ({"damping": float("nan")}, "damping"),
        ({"bias": ["c"]}, "a biasing set is empty"),
        ({"bias": {"a": -1.0}}, "weight"),
        ({"external": 2.0}, "hosts"),
        ({"hosts": "hosts"}, 'expected "host"'),
        ({"hosts": "host"}, "is no address"),
        ({"choice": "links"}, "did you mean `link"),
        ({"dangling": "jumps"}, "did you mean `jump"),
        ({"partitions": 0}, "partitions"),
        ({"max_iterations": 0}, "max_iterations"),
        ({"tolerance": -1.0}, "must be 0 or more"),
    ]
    for options, message in wrongs:
        with pytest.raises(webstrata.OptionError, match=message):
            webstrata.pagerank(edges, **options)
    with pytest.raises(TypeError):
        webstrata.pagerank(edges, bias="a")
    with pytest.raises(TypeError, match="give one of them"):
        webstrata.pagerank(edges, bias=["a"], topics={"t": ["a"]})  # type: ignore[call-overload]
    with pytest.raises(KeyError):
        webstrata.pagerank(edges, hosts={"a": 1})


def test_iterations_that_ran_out() -> None:
    edges = [(number, number + 1) for number in range(50)] + [(50, 0), (50, 7)]
    with pytest.warns(RuntimeWarning, match="after 2 iterations the residual is .*, not 1.0e-6"):
        few = webstrata.pagerank(edges, max_iterations=2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        enough = webstrata.pagerank(edges)
    assert few.keys() == enough.keys() and few != enough
