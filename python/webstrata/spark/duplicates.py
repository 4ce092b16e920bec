"""Near-duplicates over a cluster, with the result of `webstrata dedup`.

Fingerprints are made where the texts are. Pages of equal fingerprints are one from then on, so that ten thousand
copies cost no more than two. Fingerprints that agree in a band come together by a shuffle and are compared; that gives
the pairs of similar pages. Who is kept is then decided as if pages came one after the other: a page is dropped if it
is similar to an earlier page that was kept. This is not the same as one page of each connected group: what is dropped
is always similar to something that is kept.

Pairs are few beside pages; up to `driver_pairs` of them are decided on the driver, more in rounds of joins, as many as
the longest chain of pages of which each depends on the one before.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Callable

import pyarrow as pa
from pyspark.sql import functions as F
from pyspark.sql.types import DateType, IntegralType, StringType, TimestampType

import webstrata
from webstrata import _webstrata

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

_PRINTS = "id string, `order` string, hashes binary"
_ROWS_AT_ONCE = 64
_BANDS = "band int, content bigint, `order` string, id string, hashes binary"
_PAIRS = "`order` string, id string, of_order string, `of` string, shared int"


def dedup(
    df: DataFrame,
    text: str = "text",
    id: str = "id",
    order: Sequence[str] | None = None,
    *,
    shingle: int = 6,
    hashes: int = 8,
    share: float = 0.5,
    driver_pairs: int = 200_000,
    stage: str | None = None,
) -> DataFrame:
    """Finds rows whose texts repeat those of others.

    Adds two columns: ``duplicate_of``, the id of the row that is kept in its stead, and ``similarity``, the share of
    min-hashes that both have. ``df.where("duplicate_of IS NULL")`` is what is kept. `id`, a text or a whole number,
    tells rows apart; of duplicates the first by the columns `order` is kept (by `id` where there are none): whole
    numbers, texts, such as dates of ISO 8601, or Spark's own dates and times. Rows without a text are kept.

    Up to `driver_pairs` pairs are decided on the driver. The rounds of more are kept below the folder `stage`, which
    is the caller's to delete; without one, in Spark's checkpoints if they have a folder; else on the workers, where
    those that are lost with a worker are made again.

    The result is that of `webstrata dedup` on the same texts, but where more than 4,000 fingerprints share a band:
    then each is compared with the 4,000 before it.
    """
    settings: dict[str, Any] = {"shingle": shingle, "hashes": hashes, "share": share}
    return found(df, text, id, order, settings, driver_pairs, stage)[0]


def found(
    df: DataFrame,
    text: str,
    id: str,
    order: Sequence[str] | None,
    settings: dict[str, Any],
    driver_pairs: int,
    stage: str | None,
) -> tuple[DataFrame, list[DataFrame]]:
    """What `dedup` gives, and what is persisted for it."""
    needed = _webstrata.needed_hashes(**settings)  # Also says what is wrong with them.
    assert needed > 0
    _check(df, text, id, order)
    hashes = settings["hashes"]
    prints = _prints(df, text, id, order, settings["shingle"], hashes).persist()
    earliest = F.min(F.struct("order", "id")).alias("first")
    firsts = prints.groupBy("hashes").agg(earliest).select("hashes", "first.order", "first.id")
    pairs = _pairs(firsts, settings).persist()
    dropped = _dropped(pairs, driver_pairs, stage)
    decisions = _decisions(prints, firsts, pairs, dropped, hashes)
    kind = df.schema[id].dataType
    decisions = decisions.select(
        F.col("id").cast(kind).alias(id),
        F.col("duplicate_of").cast(kind).alias("duplicate_of"),
        "similarity",
    )
    return df.join(decisions, id, "left"), [prints, pairs]


def _check(df: DataFrame, text: str, id: str, order: Sequence[str] | None) -> None:
    """Says what is wrong with the columns, before any job runs."""
    wanted: list[tuple[str, str, tuple[type, ...]]] = [
        ("text", text, (StringType,)),
        ("id", id, (StringType, IntegralType)),
    ]
    wanted += [("order", name, _ORDERED) for name in order or ()]
    for option, name, kinds in wanted:
        if name not in df.columns:
            raise webstrata.OptionError(f"{option}: there is no column {name}")
        kind = df.schema[name].dataType
        if not isinstance(kind, kinds):
            raise webstrata.OptionError(
                f"{option}: the column {name} has the type {kind.simpleString()}; cast it to string"
            )
    for name in ("duplicate_of", "similarity"):
        if name in df.columns:
            raise webstrata.OptionError(f"there is a column {name} already; drop or rename it")


_ORDERED = (StringType, IntegralType, DateType, TimestampType)


def _key(df: DataFrame, id: str, order: Sequence[str] | None) -> Column:
    """A text that sorts as the columns do."""
    parts: list[Column] = []
    for name in order or ():
        column = F.col(name)
        kind = df.schema[name].dataType
        if isinstance(kind, TimestampType):
            column = F.unix_micros(column)
        if isinstance(kind, (IntegralType, TimestampType)):
            # Moved, so that negative numbers sort before others as texts, too.
            moved = column.cast("decimal(20,0)") + F.lit(str(2**63)).cast("decimal(20,0)")
            column = F.lpad(moved.cast("decimal(20,0)").cast("string"), 20, "0")
        # What has none comes last.
        parts.append(F.coalesce(column.cast("string"), F.lit("\uffff")))
    return F.concat_ws("\u0001", *parts, F.col(id).cast("string"))


def _prints(
    df: DataFrame, text: str, id: str, order: Sequence[str] | None, shingle: int, hashes: int
) -> DataFrame:
    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield from _webstrata.fingerprints(batch, shingle=shingle, hashes=hashes)

    columns = (
        F.col(id).cast("string").alias("id"),
        _key(df, id, order).alias("order"),
        F.col(text).alias("text"),
    )
    return df.select(*columns).mapInArrow(work, _PRINTS).where(F.col("hashes").isNotNull())


def _pairs(firsts: DataFrame, settings: dict[str, Any]) -> DataFrame:
    def banded(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield from _webstrata.bands(batch, **settings)

    def paired(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        # One for the whole partition: bands go on from batch to batch.
        pairs = _webstrata.SimilarPairs(**settings)
        for batch in batches:
            # A row may be in 4,000 pairs: few rows at a time, or their pairs would fill the memory.
            for start in range(0, batch.num_rows, _ROWS_AT_ONCE):
                yield from pairs.add(batch.slice(start, _ROWS_AT_ONCE))

    bands = firsts.mapInArrow(banded, _BANDS).repartition("band", "content")
    ordered = bands.sortWithinPartitions("band", "content", "order")
    # Rows of the same id are not each other's duplicates: nobody could tell which one is kept.
    return ordered.mapInArrow(paired, _PAIRS).where("id <> `of`").dropDuplicates(["id", "of"])


def _dropped(pairs: DataFrame, driver_pairs: int, stage: str | None) -> DataFrame:
    """The ids of fingerprints that repeat one that is kept."""
    few = pairs.select("order", "id", "of").limit(driver_pairs + 1).collect()
    if len(few) > driver_pairs:
        return _dropped_in_rounds(pairs, stage)
    ids = decide([(row[0], row[1], row[2]) for row in few])
    return pairs.sparkSession.createDataFrame([(one,) for one in sorted(ids)], "id string")


def decide(pairs: Sequence[tuple[str, str, str]]) -> set[str]:
    """Who is dropped, of pairs of a page (its order and id) and an earlier one: one after the other."""
    earlier: dict[tuple[str, str], list[str]] = {}
    for order, id, of in pairs:
        earlier.setdefault((order, id), []).append(of)
    dropped: set[str] = set()
    for _, id in sorted(earlier):
        if any(of not in dropped for of in earlier[(_, id)]):
            dropped.add(id)
    return dropped


def keeper(pairs: DataFrame, stage: str | None) -> Callable[[DataFrame], DataFrame]:
    """Computes a table once, and so that it is not lost with a worker."""
    session = pairs.sparkSession
    count = itertools.count()

    def in_folder(table: DataFrame) -> DataFrame:
        place = f"{stage}/{next(count)}"
        table.write.mode("overwrite").parquet(place)
        return session.read.parquet(place)

    if stage is not None:
        return in_folder
    context: Any = session.sparkContext
    if context._jsc.sc().getCheckpointDir().isDefined():
        return lambda table: table.checkpoint()
    # With its history, unlike a local checkpoint.
    return lambda table: table.persist()


def _dropped_in_rounds(pairs: DataFrame, stage: str | None) -> DataFrame:
    keep = keeper(pairs, stage)
    left = keep(pairs.select("id", "of"))
    dropped = left.select("id").limit(0)
    kept = (
        left.select(F.col("of").alias("id")).distinct().join(left.select("id"), "id", "left_anti")
    )
    while not left.isEmpty():
        now = keep(
            left.join(kept.withColumnRenamed("id", "of"), "of", "left_semi").select("id").distinct()
        )
        if now.isEmpty():
            raise webstrata.DataError("id: rows that repeat others share their ids with more rows")
        dropped = dropped.union(now)
        next_left = left.join(now, "id", "left_anti")
        next_left = keep(next_left.join(now.withColumnRenamed("id", "of"), "of", "left_anti"))
        rest = left.select("id").distinct().join(now, "id", "left_anti")
        kept = keep(rest.join(next_left.select("id"), "id", "left_anti"))
        left = next_left
    return dropped


def _decisions(
    prints: DataFrame, firsts: DataFrame, pairs: DataFrame, dropped: DataFrame, hashes: int
) -> DataFrame:
    """For each row that is dropped, which one it repeats: the most similar, of these the earliest."""
    first = firsts.select("hashes", F.col("id").alias("first"))
    members = prints.join(first, "hashes")
    gone = dropped.withColumnRenamed("id", "first")
    copies = members.where("id <> first").join(gone, "first", "left_anti")
    copies = copies.select(
        "id", F.col("first").alias("duplicate_of"), F.lit(1.0).alias("similarity")
    )
    both = pairs.select(F.col("id").alias("first"), "of", "of_order", "shared").unionByName(
        pairs.select(
            F.col("of").alias("first"),
            F.col("id").alias("of"),
            F.col("order").alias("of_order"),
            "shared",
        )
    )
    similar = both.join(gone, "first", "left_semi")
    similar = similar.join(dropped.withColumnRenamed("id", "of"), "of", "left_anti")
    candidates = members.join(similar, "first").where("of_order < `order`")
    best = F.min(F.struct((-F.col("shared")).alias("less"), "of_order", "of")).alias("best")
    near = (
        candidates.groupBy("id")
        .agg(best)
        .select(
            "id",
            F.col("best.of").alias("duplicate_of"),
            (-F.col("best.less") / F.lit(float(hashes))).alias("similarity"),
        )
    )
    return copies.unionByName(near)
