"""The pipelines of `webstrata corpus run`, over a cluster.

Pages are read, extracted and filtered where there is room for it. What is left to do in order is to find what repeats
other pages, and for that only pages matter that have something in common: a URL key, a text, a band of min-hashes. So
pages are put into groups that share nothing with each other, most of one page, and each group of several is decided
one page after the other in the order of the sources, by the code that the command has. The result is the command's.

Where lines or paragraphs are taken out that earlier pages have, every page can matter to every other. If that is the
only method, the first of each are found by a shuffle. Otherwise one task decides about all pages.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import uuid
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
from pyspark.sql import SparkSession, Window
from pyspark.sql import functions as F

import webstrata
from webstrata import _webstrata
from webstrata._corpora import EXTENSIONS, ON_DISK, TASK_BYTES, Corpus, beside

from . import schemas
from .archives import Archive, in_tasks, matches
from .clean import check_apart, check_free, delete
from .duplicates import keeper
from .pages import extractor_of, slices

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

#: How Spark writes the formats of pipelines that it can write.
_WRITERS = {"parquet": None, "jsonl": "none", "jsonl.gz": "gzip"}

_DECIDED = (
    "position bigint, reason string, duplicate_of string, similarity double, removed bigint,"
    " words int, text string, forgotten bigint"
)


class _Run(NamedTuple):
    """What the steps of a run share."""

    spark: SparkSession
    text: str
    name: str
    extractor: webstrata.Extractor
    stage: str
    driver_pairs: int

    def pipeline(self) -> Any:
        return _webstrata.CorpusPipeline(self.text, name=self.name, extractor=self.extractor)

    def maker(self) -> Any:
        """What makes the pipeline again in a task, without the session."""
        text, name, extractor = self.text, self.name, self.extractor
        return lambda: _webstrata.CorpusPipeline(text, name=name, extractor=extractor)


def run(
    pipeline: str | os.PathLike[str],
    out: str | None = None,
    *,
    spark: SparkSession | None = None,
    rejected: str | None = None,
    overwrite: bool = False,
    driver_pairs: int = 200_000,
    through: str | None = None,
) -> Corpus:
    """Runs a pipeline of `webstrata corpus run` over a cluster: the same steps, with the same verdicts, and records
    that are byte for byte those of the command on the same inputs, in the same order.

    `pipeline` is the file, on the driver. Its sources may lie in any Hadoop file system; relative ones are relative to
    the file, as is the output's folder, in whose stead `out` can name another place. Formats are ``parquet``,
    ``jsonl`` and ``jsonl.gz``. `rejected` is where what was dropped goes, as JSON lines with the reasons. Judged pages
    are kept at ``<out>.stage-<a name of its own>`` until all is done or something fails. `through` is that of
    `read_warc`. Up to `driver_pairs` pairs of pages that have something in common are grouped on the driver, more in
    rounds of joins. The session is the active one, or `spark`.
    """
    session = spark or SparkSession.getActiveSession() or SparkSession.builder.getOrCreate()
    path = os.fspath(pipeline)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    named = _webstrata.CorpusPipeline(text, name=path)
    given = extractor_of(named.extractor)
    home = os.path.dirname(path)
    place = out if out is not None else beside(home, os.fspath(named.folder))
    if named.format not in _WRITERS:
        formats = ", ".join(_WRITERS)
        wrong = "a file a page" if named.format is None else named.format
        raise webstrata.OptionError(
            f"{path}: output: Spark does not write {wrong}; there are {formats}"
        )
    patterns = [beside(home, source) for source in named.sources]
    sources = _sources(session, patterns)
    targets = [target for target in (place, rejected) if target is not None]
    if not overwrite:
        for target in targets:
            check_free(session, target)
    check_apart(session, targets, patterns)
    stage = f"{place.rstrip('/')}.stage-{uuid.uuid4().hex}"
    job = _Run(session, text, path, given, stage, driver_pairs)
    mode = "overwrite" if overwrite else "errorifexists"
    try:
        judged = _judged(job, sources, rejected is not None, through)
        decided = _decided(job, judged)
        decided.write.parquet(f"{stage}/decided")
        decided = session.read.parquet(f"{stage}/decided")
        counts = _counts(judged, decided)
        rows = _joined(judged, decided)
        _write(job, rows.where(F.col("reason").isNull()), place, mode)
        if rejected is not None:
            _write_rejected(job, rows.where(F.col("reason").isNotNull()), rejected, mode)
        return counts
    finally:
        # What went wrong before is what the caller has to know.
        with contextlib.suppress(Exception):
            delete(session, stage)


def _sources(spark: SparkSession, patterns: Sequence[str]) -> list[Archive]:
    found: list[Archive] = []
    for pattern in patterns:
        for uri, name, length in matches(spark, pattern, EXTENSIONS, "pages"):
            found.append(Archive(len(found), uri, name, length))
    return found


def _judged(
    job: _Run, sources: Sequence[Archive], rejected: bool, through: str | None
) -> DataFrame:
    """All pages with what the filters say, kept."""
    made = job.maker()
    options: dict[str, Any] = {"rejected": rejected, "batch_bytes": 16 << 20}

    def batches(source: Any, name: str, archive: int) -> Iterator[pa.RecordBatch]:
        with _on_disk(source, name) as source:
            yield from made().judge(source, name=name, number=archive, **options)

    def broken(number: int, name: str, error: object) -> dict[str, Any]:
        why = " ".join(str(error).split())
        return {"position": number << 40, "problem": "unreadable", "message": f"{name}: {why}"}

    schema = schemas.of_judged(job.pipeline())
    judged = in_tasks(job.spark, sources, through, schema, batches, broken, TASK_BYTES)
    judged.write.parquet(f"{job.stage}/judged")
    return job.spark.read.parquet(f"{job.stage}/judged")


@contextlib.contextmanager
def _on_disk(source: Any, name: str) -> Iterator[Any]:
    """The file as it is; a table or a WACZ file that lies elsewhere as a copy, which goes away: these are not read from
    front to back."""
    if isinstance(source, str) or not name.lower().endswith(ON_DISK):
        yield source
        return
    with tempfile.NamedTemporaryFile() as copy:
        shutil.copyfileobj(source, copy, 1 << 20)
        copy.flush()
        yield copy.name


def _decided(job: _Run, judged: DataFrame) -> DataFrame:
    """A row for each page that is dropped or changed since it repeats others."""
    pipeline = job.pipeline()
    pages = judged.where(F.col("reason").isNull() & F.col("problem").isNull())
    methods = pipeline.methods
    if not methods:
        return job.spark.createDataFrame([], _DECIDED)
    if pipeline.first_of_each is not None:
        rows = _cut(job, pages, pipeline.first_of_each)
    elif any(method.startswith("repeated-") for method in methods):
        whole = pages.select("position", F.lit(0).cast("bigint").alias("component"), "record")
        rows = _in_order(job, whole.repartition(1))
    else:
        groups = pages.join(_components(job, pages), "position")
        rows = _in_order(
            job, groups.select("position", "component", "record").repartition("component")
        )
    return rows.where("reason IS NOT NULL OR text IS NOT NULL OR forgotten > 0")


def _in_order(job: _Run, groups: DataFrame) -> DataFrame:
    """Decides about each group, one page after the other."""
    made = job.maker()

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        deciding = made().decide()
        for batch in batches:
            yield from deciding.add(batch)

    return groups.sortWithinPartitions("component", "position").mapInArrow(work, _DECIDED)


def _components(job: _Run, pages: DataFrame) -> DataFrame:
    """The pages that have a bucket in common with others, with the first page that each is connected to."""
    keyed = pages.select("position", F.explode("buckets").alias("bucket"))
    # A bucket of a million pages is one row of each task here, and one row of the other side in the join: no task has
    # more to do than to read its pages.
    firsts = keyed.groupBy("bucket").agg(F.min("position").alias("first"), F.count("*").alias("n"))
    shared = firsts.where("n > 1").select("bucket", "first")
    edges = keyed.join(shared, "bucket").where("position <> first")
    edges = edges.select(F.col("position").alias("a"), F.col("first").alias("b")).distinct()
    few = edges.limit(job.driver_pairs + 1).collect()
    if len(few) <= job.driver_pairs:
        found = connected((row[0], row[1]) for row in few)
        return job.spark.createDataFrame(found, "position bigint, component bigint")
    return _in_rounds(job, edges)


def connected(edges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """For each end of an edge, the first of all that it is connected to."""
    above: dict[int, int] = {}

    def root(of: int) -> int:
        while above[of] != of:
            above[of] = above[above[of]]
            of = above[of]
        return of

    for a, b in edges:
        above.setdefault(a, a)
        above.setdefault(b, b)
        one, other = root(a), root(b)
        above[max(one, other)] = min(one, other)
    return [(of, root(of)) for of in sorted(above)]


def _in_rounds(job: _Run, edges: DataFrame) -> DataFrame:
    """The same by joins, with large and small stars in turn (Kiveris et al., 2014): each round hands what a page is
    connected to over to the first of them, until all are connected to the first alone."""
    keep = keeper(edges, f"{job.stage}/rounds")
    edges = keep(edges)
    state = None
    while True:
        for keeps in (lambda: F.col("v") > F.col("u"), lambda: F.col("v") <= F.col("u")):
            edges = _stars(edges, keeps())
        edges = keep(edges)
        # What is there does not say in which order: a sum of hashes does not ask for it.
        now = edges.agg(F.count("*"), F.sum(F.xxhash64("a", "b").cast("decimal(38,0)"))).first()
        if now == state:
            break
        state = now
    roots = edges.select(F.col("b").alias("position"), F.col("b").alias("component")).distinct()
    return roots.unionByName(
        edges.select(F.col("a").alias("position"), F.col("b").alias("component"))
    )


def _stars(edges: DataFrame, keeps: Any) -> DataFrame:
    """Connects the neighbours of each page that `keeps` chooses to the first of all."""
    here = edges.select(F.col("a").alias("u"), F.col("b").alias("v"))
    there = edges.select(F.col("b").alias("u"), F.col("a").alias("v"))
    both = here.unionByName(there)
    least = both.groupBy("u").agg(F.min("v").alias("first"))
    least = least.select("u", F.least("u", "first").alias("first"))
    chosen = both.join(least, "u").where(keeps)
    own = least.select(F.col("u").alias("a"), F.col("first").alias("b"))
    moved = chosen.select(F.col("v").alias("a"), F.col("first").alias("b")).unionByName(own)
    return moved.where("a <> b").distinct()


def _cut(job: _Run, pages: DataFrame, keep: int) -> DataFrame:
    """Takes out all but the first of each line or paragraph: nothing else decides about what stays."""
    units = pages.select("position", F.posexplode("units").alias("place", "unit"))
    units = units.where(F.col("unit").isNotNull())
    # A line of all pages is thinned out where it is first, so that nobody has to sort it as a whole.
    salted = units.withColumn("salt", F.pmod(F.xxhash64("position"), F.lit(64)))
    order = ["position", "place"]
    for by in (["unit", "salt"], ["unit"]):
        rank = F.row_number().over(Window.partitionBy(*by).orderBy(*order))
        salted = salted.withColumn("rank", rank).where(F.col("rank") <= keep).drop("rank")
    gone = units.join(salted.select(*order), order, "left_anti")
    gone = gone.groupBy("position").agg(F.sort_array(F.collect_list("place")).alias("gone"))
    made = job.maker()

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        pipeline = made()
        for part in slices(batches):
            yield from pipeline.cut(part)

    return pages.select("position", "record").join(gone, "position").mapInArrow(work, _DECIDED)


def _joined(judged: DataFrame, decided: DataFrame) -> DataFrame:
    """Each page with all that was decided."""
    columns = ["position", "duplicate_of", "similarity", "text"]
    later = decided.select(*columns, F.col("reason").alias("later"))
    rows = judged.where(F.col("problem").isNull()).join(later, "position", "left")
    rows = rows.withColumn("reason", F.coalesce("reason", "later"))
    return rows.select(*columns, "reason", "record", "headings")


def _counts(judged: DataFrame, decided: DataFrame) -> Corpus:
    later = decided.select(
        "position", F.col("reason").alias("later"), F.col("words").alias("left"), "removed"
    )
    rows = judged.join(later, "position", "left")
    is_page = F.col("bytes").isNotNull()
    words = F.coalesce("left", "words").cast("bigint")
    grouped = rows.groupBy(
        "problem", F.coalesce("reason", "later").alias("reason"), is_page.alias("page")
    ).agg(F.count("*"), F.sum("bytes"), F.sum(words), F.sum("removed"))
    read = size = written = kept_words = repeated = 0
    dropped: dict[str, int] = {}
    dropped_words: dict[str, int] = {}
    problems: dict[str, int] = {}
    for problem, reason, page, count, bytes_, of_words, removed in grouped.collect():
        read, size = read + (count if page else 0), size + (bytes_ or 0)
        if problem is not None:
            problems[problem] = problems.get(problem, 0) + count
        elif reason is not None:
            dropped[reason], dropped_words[reason] = count, of_words
        else:
            written, kept_words, repeated = count, of_words, removed or 0
    forgotten = decided.agg(F.sum("forgotten")).first()
    return Corpus(
        read,
        size,
        written,
        kept_words,
        dict(sorted(dropped.items())),
        dict(sorted(dropped_words.items())),
        repeated,
        dict(sorted(problems.items())),
        (forgotten[0] if forgotten else None) or 0,
    )


def _ordered(job: _Run, rows: DataFrame) -> DataFrame:
    """In the order of the sources, in parts of about the size that the pipeline asks for."""
    size = rows.agg(F.sum(F.length("record"))).first()
    parts = max(1, -(-((size[0] if size else None) or 0) // job.pipeline().part_size))
    return rows.repartitionByRange(parts, "position").sortWithinPartitions("position")


def _write(job: _Run, rows: DataFrame, place: str, mode: str) -> None:
    pipeline, made = job.pipeline(), job.maker()
    is_table = pipeline.format == "parquet"

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        pipeline = made()
        for part in slices(batches):
            yield from pipeline.table(part) if is_table else pipeline.lines(part)

    schema = schemas.of_written(pipeline, is_table)
    rows = _ordered(job, rows).select("record", "text", "headings").mapInArrow(work, schema)
    if is_table:
        rows.write.mode(mode).parquet(place)
    else:
        rows.write.mode(mode).option("compression", _WRITERS[pipeline.format]).text(place)


def _write_rejected(job: _Run, rows: DataFrame, place: str, mode: str) -> None:
    made = job.maker()

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        pipeline = made()
        for part in slices(batches):
            yield from pipeline.rejected(part)

    columns = ["record", "text", "reason", "duplicate_of", "similarity"]
    _ordered(job, rows).select(*columns).mapInArrow(work, "value string").write.mode(mode).text(
        place
    )
