"""One job from web archives to clean Parquet."""

from __future__ import annotations

import contextlib
import uuid
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from pyspark.sql import functions as F

import webstrata

from .archives import Paths, each_path, extract_warc, roots
from .duplicates import found as find_duplicates
from .pages import links as link_table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class Summary(NamedTuple):
    """What a job has counted."""

    #: Pages that have a record: those that filters left out are not among them.
    pages: int
    #: Those of them that repeat others.
    duplicates: int
    #: Those that were written.
    written: int
    #: Links of these, if asked for.
    links: int
    #: What was passed over, by kind.
    problems: dict[str, int]


def clean(
    spark: SparkSession,
    paths: Paths,
    out: str,
    *,
    links: str | None = None,
    problems: str | None = None,
    extractor: Any = "strata+site",
    dedup: bool = True,
    hashes: int = 64,
    share: float = 0.5,
    order: str = "arrival",
    min_words: int = 1,
    languages: Sequence[str] | None = None,
    statuses: str | None = None,
    overwrite: bool = False,
    **options: Any,
) -> Summary:
    """Reads web archives and writes the main texts of their pages as Parquet to `out`: without the templates of
    their sites, without near-duplicates, with the columns of `webstrata warc --format parquet`.

    `links` is where the link table of the pages goes that were written, `problems` where a table goes of what was
    passed over. `order` says which of several duplicates is kept: the first to arrive, or the one that was
    ``fetched`` first (``order="date"``). `hashes` and `share` are those of `dedup`. The other arguments are those of `extract_warc`. The records
    are kept at ``<out>.stage-<a name of its own>`` until all is done or something fails, so that archives are read
    once. The outputs may not lie in each other or in what is read.
    """
    if order not in ("arrival", "date"):
        raise webstrata.OptionError("order: expected arrival or date")
    mode = "overwrite" if overwrite else "errorifexists"
    targets = [path for path in (out, links, problems) if path is not None]
    if not overwrite:
        for path in targets:
            check_free(spark, path)
    check_apart(spark, targets, paths)
    given = options.pop("formats", None) or ()
    formats = [given] if isinstance(given, str) else list(given)
    unasked = ["archive"]
    if links is not None and "links" not in formats:
        formats.append("links")
        unasked.append("links")
    stage = f"{out.rstrip('/')}.stage-{uuid.uuid4().hex}"
    persisted: list[DataFrame] = []
    try:
        made = extract_warc(
            spark,
            paths,
            extractor=extractor,
            min_words=min_words,
            languages=languages,
            statuses=statuses,
            problems=True,
            formats=formats,
            **options,
        )
        made.write.mode("overwrite").parquet(f"{stage}/records")
        records = spark.read.parquet(f"{stage}/records")
        pages = records.where(F.col("problem").isNull()).drop("problem", "message")
        kept = pages
        if dedup:
            columns = ["archive", "offset", "within"]
            if order == "date":
                columns.insert(0, "fetched")
            settings = {"shingle": 6, "hashes": hashes, "share": share}
            both, persisted = find_duplicates(
                pages, "text", "id", columns, settings, 200_000, f"{stage}/rounds"
            )
            kept = both.where(F.col("duplicate_of").isNull()).drop("duplicate_of", "similarity")
        kept.drop(*unasked).write.mode(mode).parquet(out)
        written = spark.read.parquet(out)
        count = 0
        if links is not None:
            chosen = pages.join(written.select("id"), "id", "left_semi")
            link_table(chosen).write.mode(mode).parquet(links)
            count = spark.read.parquet(links).count()
        broken = records.where(F.col("problem").isNotNull())
        if problems is not None:
            broken.select("file", "offset", "problem", "message").write.mode(mode).parquet(problems)
        kinds = {row[0]: row[1] for row in broken.groupBy("problem").count().collect()}
        total, left = pages.count(), written.count()
        return Summary(total, total - left, left, count, kinds)
    finally:
        # What went wrong before is what the caller has to know.
        with contextlib.suppress(Exception):
            for table in persisted:
                table.unpersist()
            delete(spark, stage)


def check_apart(spark: SparkSession, targets: Sequence[str], paths: Paths) -> None:
    """Outputs may not replace each other, nor what is read."""
    places = [(path, _place(spark, path)) for path in targets]
    inputs = [
        (status.getPath().toString(), _place(spark, status.getPath().toString()))
        for path in each_path(paths)
        for status in roots(spark, path)[1]
    ]
    for number, (target, place) in enumerate(places):
        for other, where in places[number + 1 :] + inputs:
            shorter = min(len(place), len(where))
            if place[:shorter] == where[:shorter]:
                raise webstrata.DataError(
                    f"{target}: this output and {other} lie in each other; give another place"
                )


def _place(spark: SparkSession, path: str) -> list[str]:
    """The file system of a path and the folders that lead to it."""
    system, hadoop_path = file_system(spark, path)
    uri = system.makeQualified(hadoop_path).toUri()
    folders = [part for part in str(uri.getPath()).split("/") if part]
    return [f"{uri.getScheme()}://{uri.getAuthority() or ''}", *folders]


def file_system(spark: SparkSession, path: str) -> Any:
    jvm: Any = spark.sparkContext._jvm
    hadoop_path = jvm.org.apache.hadoop.fs.Path(path)
    configuration = spark.sparkContext._jsc.hadoopConfiguration()
    return hadoop_path.getFileSystem(configuration), hadoop_path


def check_free(spark: SparkSession, path: str) -> None:
    system, hadoop_path = file_system(spark, path)
    if system.exists(hadoop_path):
        raise webstrata.DataError(f"{path}: is there already; give another place, or overwrite it")


def delete(spark: SparkSession, path: str) -> None:
    system, hadoop_path = file_system(spark, path)
    system.delete(hadoop_path, True)
