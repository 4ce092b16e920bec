"""Web archives of any Hadoop file system.

The driver finds the files by Hadoop's own `FileSystem`, so that globs, directories and configured file systems work
as everywhere in Spark. Each file is one task. A task streams its file through `pyarrow.fs` where that knows the
scheme; files of all other file systems are handed over by Spark's ``binaryFile`` source, whole: then a file has to
fit into memory, and may not be longer than 2 GiB.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    NamedTuple,
    Union,
)
from urllib.parse import urlsplit

import pyarrow as pa

import webstrata

from . import schemas
from .pages import chosen, extract_pages, extractor_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: How the names of archives end.
EXTENSIONS = (".warc", ".warc.gz", ".warc.zst")

#: Schemes that tasks read by themselves, and what pyarrow calls them.
STREAMED = {
    "file": "file",
    "hdfs": "hdfs",
    "s3": "s3",
    "s3a": "s3",
    "gs": "gs",
    "abfs": "abfs",
    "abfss": "abfss",
}

Paths = Union[str, "os.PathLike[str]", Sequence[Union[str, "os.PathLike[str]"]]]


class Archive(NamedTuple):
    """A file to read."""

    #: Its number: archives are read in the order in which they were named.
    number: int
    #: Where it lies.
    uri: str
    #: What records are called by: the path as it was named.
    name: str
    length: int


def find(spark: SparkSession, paths: Paths) -> list[Archive]:
    """The archives of paths, globs and directories. Those of directories come sorted, at any depth."""
    found: list[Archive] = []
    for path in [paths] if isinstance(paths, (str, os.PathLike)) else paths:
        for uri, name, length in _matches(spark, os.fspath(path)):
            found.append(Archive(len(found), uri, name, length))
    return found


def _matches(spark: SparkSession, pattern: str) -> Iterator[tuple[str, str, int]]:
    jvm: Any = spark.sparkContext._jvm
    configuration = spark.sparkContext._jsc.hadoopConfiguration()
    path = jvm.org.apache.hadoop.fs.Path(pattern)
    system = path.getFileSystem(configuration)
    statuses = system.globStatus(path)
    if statuses is None or len(statuses) == 0:
        raise webstrata.ArchiveError(f"{pattern}: no such file")
    home = str(system.getWorkingDirectory().toString()).rstrip("/") + "/"
    named = _namer(pattern, home)
    for status in statuses:
        if not status.isDirectory():
            yield status.getPath().toString(), named(status), status.getLen()
            continue
        files = []
        each = system.listFiles(status.getPath(), True)
        while each.hasNext():
            file = each.next()
            if file.getPath().getName().endswith(EXTENSIONS):
                files.append((named(file), file.getPath().toString(), file.getLen()))
        if not files:
            folder = status.getPath().toString()
            raise webstrata.ArchiveError(
                f"{folder}: no archives in it, no *{', *'.join(EXTENSIONS)}"
            )
        for name, uri, length in sorted(files):
            yield uri, name, length


def _namer(pattern: str, home: str) -> Callable[[Any], str]:
    """What a file is called, if the pattern that matched it was written so: as a shell would have written it."""

    def named(status: Any) -> str:
        uri = str(status.getPath().toString())
        if urlsplit(pattern).scheme:
            return uri
        if pattern.startswith("/"):
            return urlsplit(uri).path if "%" not in uri and "#" not in uri else uri.split(":", 1)[1]
        return uri.removeprefix(home)

    return named


@contextlib.contextmanager
def _opened(uri: str) -> Iterator[Any]:
    """A file for the native code: a path where it is local, else a stream."""
    scheme = urlsplit(uri).scheme or "file"
    if scheme == "file":
        yield uri[len("file:") :] if uri.startswith("file:/") else uri
        return
    from pyarrow import fs

    system, path = fs.FileSystem.from_uri(STREAMED[scheme] + uri[len(scheme) :])
    with system.open_input_file(path) as file:
        yield file


def _is_streamed(archives: Sequence[Archive], through: str | None) -> bool:
    if through not in (None, "tasks", "spark"):
        raise webstrata.OptionError('through: expected "tasks", "spark" or None')
    if through is not None:
        return through == "tasks"
    return all((urlsplit(archive.uri).scheme or "file") in STREAMED for archive in archives)


def _over_archives(
    spark: SparkSession,
    paths: Paths,
    through: str | None,
    schema: pa.Schema,
    batches_of: Callable[..., Iterator[pa.RecordBatch]],
) -> DataFrame:
    """A data frame of what `batches_of` makes of each archive; what cannot be read is a row that says why."""
    archives = find(spark, paths)

    def one(source: Any, number: int, name: str) -> Iterator[pa.RecordBatch]:
        try:
            yield from batches_of(source, name=name, archive=number)
        except webstrata.ArchiveError as error:
            yield _unreadable(schema, number, name, error)

    def streamed(rows: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for row in (row for batch in rows for row in batch.to_pylist()):
            try:
                with _opened(row["uri"]) as source:
                    yield from one(source, row["number"], row["name"])
            except OSError as error:
                yield _unreadable(schema, row["number"], row["name"], error)

    wanted = schemas.spark_of(schema)
    if _is_streamed(archives, through):
        rows = [(archive.number, archive.uri, archive.name) for archive in archives]
        files = spark.createDataFrame(
            spark.sparkContext.parallelize(rows, max(1, len(rows))),
            "number int, uri string, name string",
        )
        return files.mapInArrow(streamed, wanted)

    known = {archive.uri: (archive.number, archive.name) for archive in archives}

    def whole(files: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in files:
            for uri, content in zip(batch.column(0), batch.column(1)):
                number, name = known[uri.as_py()]
                yield from one(pa.BufferReader(content.as_buffer()), number, name)

    uris = [archive.uri for archive in archives]
    return (
        spark.read.format("binaryFile")
        .load(uris)
        .select("path", "content")
        .mapInArrow(whole, wanted)
    )


def _unreadable(schema: pa.Schema, number: int, name: str, error: Exception) -> pa.RecordBatch:
    known: dict[str, Any] = {
        "archive": number,
        "id": name,
        "file": name,
        "problem": "unreadable",
        "message": " ".join(str(error).split()),
    }
    return pa.RecordBatch.from_pylist([known], schema=schema)


def read_warc(
    spark: SparkSession,
    paths: Paths,
    *,
    statuses: str | None = None,
    max_bytes: int | None = None,
    batch_rows: int = 256,
    batch_bytes: int = 16 << 20,
    problems: bool = False,
    through: str | None = None,
) -> DataFrame:
    """The pages of web archives: `webstrata.warc_batches` over a cluster, a task for each file.

    `paths` are files, directories or globs of any Hadoop file system. The column ``archive`` is the number of the
    file: ``orderBy("archive", "offset", "within")`` is the order of the command line. With `problems`, what was
    passed over is there, too: rows with ``problem`` and ``message``; a file that cannot be read is one of them.
    `through` says how files come to tasks: ``"tasks"`` read them by themselves, ``"spark"`` hands them over whole;
    by default the first where pyarrow knows the scheme.
    """
    options: dict[str, Any] = {
        "statuses": statuses,
        "max_bytes": max_bytes,
        "batch_rows": batch_rows,
        "batch_bytes": batch_bytes,
    }

    def batches(source: Any, **place: Any) -> Iterator[pa.RecordBatch]:
        yield from webstrata.warc_batches(source, **place, **options)

    return chosen(_over_archives(spark, paths, through, schemas.of_pages(), batches), problems)


def extract_warc(
    spark: SparkSession,
    paths: Paths,
    *,
    statuses: str | None = None,
    min_words: int = 0,
    languages: Sequence[str] | None = None,
    batch_rows: int = 1024,
    batch_bytes: int = 16 << 20,
    problems: bool = False,
    through: str | None = None,
    **options: Any,
) -> DataFrame:
    """The records of `webstrata warc`, over a cluster: `webstrata.warc_records` of each file.

    With ``formats=("json",)`` the column ``record`` has the command's line of JSON, byte for byte. With an extractor
    that asks for the other pages of a site, pages are brought together by site first; see `extract_pages`. The other
    arguments are those of `read_warc` and `webstrata.extract`.
    """
    making = dict(options, min_words=min_words, languages=languages)
    schema = schemas.of_records(
        {name: one for name, one in making.items() if name not in _OF_SITES}
    )
    extractor = options.get("extractor")
    if extractor is not None and _asks_for_site(extractor):
        pages = read_warc(
            spark,
            paths,
            statuses=statuses,
            max_bytes=max(64 << 20, options.get("max_bytes") or 128 << 20),
            problems=True,
            through=through,
        )
        return extract_pages(pages, problems=problems, **making)
    making.update(statuses=statuses, batch_rows=batch_rows, batch_bytes=batch_bytes)

    def batches(source: Any, **place: Any) -> Iterator[pa.RecordBatch]:
        yield from webstrata.warc_records(source, **place, **making)

    return chosen(_over_archives(spark, paths, through, schema, batches), problems)


_OF_SITES = ("site_pages", "site_bytes")


def _asks_for_site(extractor: Any) -> bool:
    return bool(extractor_of(extractor).asks_for_site)
