#!/usr/bin/env python3
"""One Python peer in one process: `peers.py TOOL GRAPH`, then requests as in the README."""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy

ALPHA = 0.85
MOST_ITERATIONS = 200


class Graph(NamedTuple):
    pages: int
    sources: numpy.ndarray
    targets: numpy.ndarray


class Solved(NamedTuple):
    ranks: numpy.ndarray
    iterations: int | None


Solver = Callable[[float], Callable[[], Solved]]
"""Given a tolerance, what is to be timed."""


def read(path: str) -> Graph:
    words = numpy.fromfile(path, dtype="<u4")
    pages, hosts, links = map(int, words[:3])
    pairs = words[3 + hosts + 1 :].reshape(links, 2)
    return Graph(pages, pairs[:, 0], pairs[:, 1])


def scipy(graph: Graph) -> Solver:
    from scipy.sparse import coo_array

    degrees = numpy.bincount(graph.sources, minlength=graph.pages)
    weights = ALPHA / degrees[graph.sources]
    shape = (graph.pages, graph.pages)
    matrix = coo_array((weights, (graph.targets.astype("i4"), graph.sources.astype("i4"))), shape).tocsr()
    jump = (1 - ALPHA) / graph.pages

    def solve(tolerance: float) -> Solved:
        ranks = numpy.full(graph.pages, 1 / graph.pages)
        for iteration in range(1, MOST_ITERATIONS + 1):
            last, ranks = ranks, matrix @ ranks + jump
            if numpy.abs(ranks - last).sum() < tolerance:
                break
        return Solved(ranks, iteration)

    return lambda tolerance: lambda: solve(tolerance)


def networkit(graph: Graph) -> Solver:
    import networkit as nk

    nk.setNumberOfThreads(2)
    pairs = (graph.sources.astype("u8"), graph.targets.astype("u8"))
    made = nk.GraphFromCoo(pairs, n=graph.pages, directed=True)
    del pairs

    def prepare(tolerance: float) -> Callable[[], Solved]:
        solver = nk.centrality.PageRank(made, damp=ALPHA, tol=tolerance)
        solver.norm = nk.centrality.Norm.L1_NORM
        solver.maxIterations = MOST_ITERATIONS

        def solve() -> Solved:
            solver.run()
            return Solved(solver.scores(), solver.numberOfIterations())

        return solve

    return prepare


def igraph(graph: Graph) -> Solver:
    import igraph as ig

    pairs = numpy.ascontiguousarray(numpy.stack([graph.sources, graph.targets], axis=1), dtype="i8")
    made = ig.Graph(n=graph.pages, edges=memoryview(pairs), directed=True)
    return lambda _: lambda: Solved(made.pagerank(damping=ALPHA, implementation="prpack"), None)


def networkx(graph: Graph) -> Solver:
    import networkx as nx

    made = nx.DiGraph()
    made.add_nodes_from(range(graph.pages))
    made.add_edges_from(zip(graph.sources.tolist(), graph.targets.tolist(), strict=True))

    def solve(tolerance: float) -> Solved:
        ranks = nx.pagerank(made, alpha=ALPHA, tol=tolerance / graph.pages, max_iter=MOST_ITERATIONS)
        return Solved(list(ranks.values()), None)

    return lambda tolerance: lambda: solve(tolerance)


TOOLS = {"scipy": scipy, "networkit": networkit, "igraph": igraph, "networkx": networkx}


def peak_bytes() -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    return 0


def say(**fields: float | None) -> None:
    print(json.dumps(fields), flush=True)


def main() -> None:
    tool, path = sys.argv[1:]
    start = time.perf_counter()
    graph = read(path)
    read_s = time.perf_counter() - start
    start = time.perf_counter()
    solver = TOOLS[tool](graph)
    del graph
    say(read_s=read_s, prepare_s=time.perf_counter() - start, prepare_bytes=peak_bytes())
    for line in sys.stdin:
        tolerance, *out = line.split()
        solve = solver(float(tolerance))
        Path("/proc/self/clear_refs").write_text("5")
        start = time.perf_counter()
        solved = solve()
        seconds = time.perf_counter() - start
        peak = peak_bytes()
        if out:
            numpy.asarray(solved.ranks, dtype="<f8").tofile(out[0])
        say(seconds=seconds, iterations=solved.iterations, bytes=peak)


if __name__ == "__main__":
    main()
