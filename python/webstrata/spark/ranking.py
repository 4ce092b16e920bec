"""PageRank of a crawl over a cluster.

The web is cut into parts by hosts (thesis, 3.2): most links stay within a host, so within a part. An iteration ranks
each part by itself, a few times over, and hands to each other part one number for each of its pages that is linked to:
the votes of Equation 3.11, not the links. The graph does not move; votes do.

After each iteration ranks and votes are a table in the folder of checkpoints. From there a job goes on that was
stopped, and nothing is lost with a worker.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql import Window
from pyspark.sql import functions as F

import webstrata
from webstrata import _webstrata

from .clean import delete, file_system

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

#: Pages and links that one task ranks together.
PART_PAGES = 250_000
PART_LINKS = 4_000_000

_LINKS = "source string, source_host string, target string, target_host string, boilerplate boolean"
_GRAPH = "part int, pages bigint, places binary, parts binary, targets binary, shares binary"
_STATE = "part int, places binary, numbers binary, change double, total double"


def pagerank(
    links: DataFrame,
    pages: DataFrame | None = None,
    *,
    checkpoint: str,
    hosts: str = "host",
    damping: float = 0.85,
    internal: float = 0.5,
    external: float = 0.5,
    content: float = 0.5,
    boilerplate: float = 0.5,
    error: float = 1e-6,
    max_iterations: int = 1000,
    sweeps: int = 8,
    parts: int | None = None,
) -> DataFrame:
    """Ranks the pages of a crawl: the columns url, host and rank, in no order; ranks sum to 1.

    `links` is a table that `links` has made, `pages` one with a column ``url`` of all pages that were crawled, also of
    those without links. The result is that of `webstrata links build` and `webstrata links pagerank` with their
    defaults: addresses are normalised, ``nofollow`` and links of pages to themselves are left out, a link that is there
    twice counts once, and is in content if one of them is; pages without links jump. `hosts` is what is inside of a
    site (``"host"`` or ``"domain"``); `internal`, `external`, `content` and `boilerplate` are the weights of links:
    ``boilerplate=0`` ranks by links in main texts only. It ends when the errors of all ranks sum to no more than
    `error`.

    Graph and ranks are kept below the folder `checkpoint` after each iteration. The same call goes on there; the
    folder is the caller's to delete. `sweeps` is how often a part is gone over between two exchanges of votes, `parts`
    the number of parts.
    """
    weights = (internal, external, content, boilerplate)
    _check(damping, weights, hosts, error)
    spark = links.sparkSession
    settings = {
        "version": 1,
        "hosts": hosts,
        "damping": damping,
        "weights": list(weights),
        "parts": parts,
    }
    graph_of = _Graph(links, pages, checkpoint, hosts, damping, weights, parts)
    _same_settings(spark, checkpoint, settings)
    nodes, graph = graph_of.nodes(), graph_of.graph()
    count = nodes.count()
    if count == 0:
        return nodes.select("url", "host", F.lit(0.0).alias("rank"))
    number, state = _latest(spark, checkpoint)
    step = _step((1.0 - damping) / count, sweeps)
    graph = graph.persist()
    try:
        total = 1.0
        while True:
            if state is not None:
                change, total = _progress(state)
                # What ranks are off by is at most what a step changes, handed on for ever; normed, twice that.
                if 2.0 * change / (1.0 - damping) <= error * total or number >= max_iterations:
                    break
            number += 1
            before = state if state is not None else spark.createDataFrame([], _STATE)
            moved = graph.groupBy("part").cogroup(before.groupBy("part")).applyInArrow(step, _STATE)
            moved.write.mode("overwrite").parquet(f"{checkpoint}/state-{number}")
            state = spark.read.parquet(f"{checkpoint}/state-{number}")
            if number > 2:
                delete(spark, f"{checkpoint}/state-{number - 2}")
    finally:
        graph.unpersist()
    ranks = state.where(F.col("total").isNotNull()).select("part", "numbers")
    ranks = ranks.mapInArrow(_each_rank, "part int, place bigint, rank double")
    ranked = nodes.join(ranks, ["part", "place"])
    return ranked.select("url", "host", (F.col("rank") / F.lit(total)).alias("rank"))


def _check(damping: float, weights: tuple[float, ...], hosts: str, error: float) -> None:
    if not 0.0 <= damping < 1.0:
        raise webstrata.OptionError(f"damping: expected 0 to below 1, not {damping}")
    if hosts not in ("host", "domain"):
        raise webstrata.OptionError(f'hosts: expected "host" or "domain", not {hosts!r}')
    if any(weight < 0 for weight in weights) or not sum(weights[:2]) or not sum(weights[2:]):
        raise webstrata.OptionError("weights: expected 0 or more, and one of each two above 0")
    if not error > 0:
        raise webstrata.OptionError(f"error: expected more than 0, not {error}")


def _is_whole(spark: Any, path: str) -> bool:
    system, folder = file_system(spark, f"{path}/_SUCCESS")
    return bool(system.exists(folder))


def _same_settings(spark: Any, checkpoint: str, settings: dict[str, Any]) -> None:
    """What is kept goes with these settings, or is refused."""
    place, now = f"{checkpoint}/settings", json.dumps(settings, sort_keys=True)
    if _is_whole(spark, place):
        before = spark.read.text(place).first()
        if before is None or before[0] != now:
            raise webstrata.DataError(
                f"{checkpoint}: holds the state of other settings; give another folder, or delete it"
            )
        return
    rows = spark.createDataFrame([(now,)], "value string").coalesce(1)
    rows.write.mode("overwrite").text(place)


def _latest(spark: Any, checkpoint: str) -> tuple[int, DataFrame | None]:
    """The last iteration whose ranks are there as a whole."""
    system, folder = file_system(spark, checkpoint)
    names = [status.getPath().getName() for status in system.listStatus(folder)]
    states = [name.partition("-") for name in names if name.startswith("state-")]
    for number in sorted((int(digits) for _, _, digits in states if digits.isdigit()), reverse=True):
        if _is_whole(spark, f"{checkpoint}/state-{number}"):
            return number, spark.read.parquet(f"{checkpoint}/state-{number}")
    return 0, None


class _Graph:
    """The links of a crawl as tables of numbers, made once."""

    def __init__(
        self,
        links: DataFrame,
        pages: DataFrame | None,
        folder: str,
        hosts: str,
        damping: float,
        weights: tuple[float, ...],
        parts: int | None,
    ) -> None:
        self.spark = links.sparkSession
        self.folder = folder
        self.weights, self.damping, self.parts = weights, damping, parts
        columns = ["source", "target", "rel", "in_content"]
        table = links.select(*columns)
        if pages is not None:
            alone = pages.select(
                F.col("url").alias("source"),
                F.lit(None).cast("string").alias("target"),
                F.lit(None).cast("string").alias("rel"),
                F.lit(None).cast("boolean").alias("in_content"),
            )
            table = table.unionByName(alone)

        def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            for batch in batches:
                yield from _webstrata.link_pages(batch, hosts=hosts)

        self.table = table.mapInArrow(work, _LINKS)

    def kept(self, name: str, make: Any) -> DataFrame:
        place = f"{self.folder}/{name}"
        if not _is_whole(self.spark, place):
            make().write.mode("overwrite").parquet(place)
        return self.spark.read.parquet(place)

    def links(self) -> DataFrame:
        """Each link once."""

        def make() -> DataFrame:
            ends = ["source", "source_host", "target", "target_host"]
            return self.table.groupBy(*ends).agg(F.min("boilerplate").alias("boilerplate"))

        return self.kept("links", make)

    def nodes(self) -> DataFrame:
        """The pages: which part each is in, and where there."""

        def make() -> DataFrame:
            links = self.links()
            ends = [
                links.select(F.col(end).alias("url"), F.col(f"{end}_host").alias("host"))
                for end in ("source", "target")
            ]
            pages = ends[0].unionByName(ends[1]).where("url IS NOT NULL").distinct()
            count, linked = pages.count(), links.count()
            parts = self.parts or max(1, -(-count // PART_PAGES), -(-linked // PART_LINKS))
            # A host that is larger than a part is cut, or one task would have all of it.
            most = max(1, -(-count // parts))
            sizes = pages.groupBy("host").agg(F.ceil(F.count("*") / F.lit(most)).alias("cuts"))
            cut = F.pmod(F.xxhash64("url"), F.col("cuts"))
            part = F.pmod(F.xxhash64(F.concat_ws("\u0001", "host", cut.cast("string"))), F.lit(parts))
            placed = pages.join(sizes, "host").withColumn("part", part.cast("int")).drop("cuts")
            order = Window.partitionBy("part").orderBy("host", "url")
            return placed.withColumn("place", (F.row_number().over(order) - 1).cast("bigint"))

        return self.kept("nodes", make)

    def graph(self) -> DataFrame:
        """The links by the parts of their sources, a row for each part."""

        def make() -> DataFrame:
            nodes = self.nodes()
            links = self.links().where("target IS NOT NULL")
            for end in ("source", "target"):
                numbers = nodes.select(
                    F.col("url").alias(end),
                    F.col("part").alias(f"{end}_part"),
                    F.col("place").alias(f"{end}_place"),
                )
                links = links.join(numbers, end)
            inside = (F.col("source_host") == F.col("target_host")).alias("internal")
            numbers = ["source_place", "target_part", "target_place", "boilerplate"]
            links = links.select(F.col("source_part").alias("part"), *numbers, inside)
            sizes = nodes.groupBy("part").agg(F.count("*").alias("pages"))
            blocks = _blocks(self.damping, self.weights)
            return sizes.groupBy("part").cogroup(links.groupBy("part")).applyInArrow(blocks, _GRAPH)

        return self.kept("graph", make)


def _blocks(damping: float, weights: tuple[float, ...]) -> Any:
    def make(sizes: pa.Table, links: pa.Table) -> pa.Table:
        import numpy as np

        part, pages = sizes["part"][0].as_py(), sizes["pages"][0].as_py()
        source, to, target = (
            links[name].to_numpy().astype(np.int32)
            for name in ("source_place", "target_part", "target_place")
        )
        inside, outer = (links[name].to_numpy().astype(bool) for name in ("internal", "boilerplate"))
        weight = np.where(inside, weights[0], weights[1]) * np.where(outer, weights[3], weights[2])
        sums = np.bincount(source, weight, minlength=pages)
        share = damping * weight / np.where(sums > 0, sums, 1.0)[source]
        order = np.lexsort((target, to))
        columns = [one[order].tobytes() for one in (source, to, target)]
        columns.append(share[order].astype(np.float64).tobytes())
        row = [pa.array([part], pa.int32()), pa.array([pages], pa.int64())]
        row += [pa.array([column], pa.binary()) for column in columns]
        return pa.Table.from_arrays(row, names=["part", "pages", "places", "parts", "targets", "shares"])

    return make


def _step(jump: float, sweeps: int) -> Any:
    """An iteration of one part, of its links and what was handed to it."""

    def step(graph: pa.Table, state: pa.Table) -> pa.Table:
        import numpy as np

        part, pages = graph["part"][0].as_py(), graph["pages"][0].as_py()
        source, to, target = (
            np.frombuffer(graph[name][0].as_py(), np.int32) for name in ("places", "parts", "targets")
        )
        share = np.frombuffer(graph["shares"][0].as_py(), np.float64)
        ranks, votes = np.zeros(pages), np.zeros(pages)
        for row in state.to_pylist():
            numbers = np.frombuffer(row["numbers"], np.float64)
            if row["total"] is not None:
                ranks = numbers
            else:
                votes[np.frombuffer(row["places"], np.int32)] += numbers
        own = to == part
        own_source, own_target, own_share = source[own], target[own], share[own]
        constant = jump + votes
        change = None
        for _ in range(max(1, sweeps)):
            given = np.bincount(own_target, own_share * ranks[own_source], minlength=pages)
            new = constant + given
            moved = float(np.abs(new - ranks).sum())
            ranks = new
            if change is None:
                # Of all ranks as they were: by this the error is known.
                change = moved
            elif moved <= 1e-3 * change:
                break
        rows = [(part, None, ranks.tobytes(), change, float(ranks.sum()))]
        others = np.flatnonzero(~own)
        given = share[others] * ranks[source[others]]
        to, target = to[others], target[others]
        # Links come in the order of their targets: those of one page lie together.
        first = np.flatnonzero(np.r_[True, (to[1:] != to[:-1]) | (target[1:] != target[:-1])][: len(to)])
        sums = np.add.reduceat(given, first) if len(first) else given
        to, target = to[first], target[first]
        ends = np.flatnonzero(np.r_[True, to[1:] != to[:-1]][: len(to)])
        for start, end in zip(ends, [*ends[1:], len(to)]):
            numbers = sums[start:end].tobytes()
            rows.append((int(to[start]), target[start:end].tobytes(), numbers, None, None))
        types = [pa.int32(), pa.binary(), pa.binary(), pa.float64(), pa.float64()]
        columns = [pa.array(column, kind) for column, kind in zip(zip(*rows), types)]
        return pa.Table.from_arrays(columns, names=["part", "places", "numbers", "change", "total"])

    return step


def _progress(state: DataFrame) -> tuple[float, float]:
    """What the last iteration has changed, and the sum of all ranks."""
    row = state.agg(F.sum("change"), F.sum("total")).first()
    assert row is not None
    return row[0], row[1]


def _each_rank(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    import numpy as np

    for batch in batches:
        for row in batch.to_pylist():
            ranks = np.frombuffer(row["numbers"], np.float64)
            for start in range(0, len(ranks), 1 << 16):
                some = ranks[start : start + (1 << 16)]
                places = np.arange(start, start + len(some))
                parts = np.full(len(some), row["part"], np.int32)
                names = ["part", "place", "rank"]
                yield pa.RecordBatch.from_arrays([pa.array(parts), pa.array(places), pa.array(some)], names)
