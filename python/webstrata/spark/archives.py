"""Web archives of any Hadoop file system.

The driver finds the files by Hadoop's own `FileSystem`, so that globs, directories and configured file systems work
as everywhere in Spark. Each file is one task. A task streams its file through `pyarrow.fs` where that knows the
scheme; files of all other file systems are handed over by Spark's ``binaryFile`` source, whole: then a file has to
fit into memory, and may not be longer than 2 GiB.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
from collections.abc import Iterator, Sequence
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    NamedTuple,
    Union,
)
from urllib.parse import quote

import pyarrow as pa

import webstrata

from . import schemas
from .pages import chosen, extract_pages, extractor_of, site_bounds, with_extractor

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

#: The longest file that Spark hands over whole.
LONGEST = 2**31 - 1

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
    """The archives of paths, globs and directories. Those of directories come sorted, at any depth, as the command
    has them. What is named twice is there once: by its first name."""
    found: dict[str, Archive] = {}
    for path in each_path(paths):
        for uri, name, length in matches(spark, path):
            found.setdefault(uri, Archive(len(found), uri, name, length))
    return list(found.values())


def each_path(paths: Paths) -> list[str]:
    """All paths, of one or several."""
    return [os.fspath(one) for one in ([paths] if isinstance(paths, (str, os.PathLike)) else paths)]


def roots(spark: SparkSession, pattern: str) -> tuple[Any, list[Any]]:
    """The file system of a path or glob, and the files and directories that it matches."""
    jvm: Any = spark.sparkContext._jvm
    configuration = spark.sparkContext._jsc.hadoopConfiguration()
    path = jvm.org.apache.hadoop.fs.Path(pattern)
    system = path.getFileSystem(configuration)
    statuses = system.globStatus(path)
    if statuses is None or len(statuses) == 0:
        raise webstrata.ArchiveError(f"{pattern}: no such file")
    return system, list(statuses)


def matches(
    spark: SparkSession,
    pattern: str,
    extensions: tuple[str, ...] = EXTENSIONS,
    what: str = "archives",
) -> Iterator[tuple[str, str, int]]:
    """The files of a path, glob or directory: where each lies, its name, its length."""
    system, statuses = roots(spark, pattern)
    for status in statuses:
        root = _path(status)
        name = named(pattern, root)
        if not status.isDirectory():
            yield status.getPath().toString(), name, status.getLen()
            continue
        files = []
        each = system.listFiles(status.getPath(), True)
        while each.hasNext():
            file = each.next()
            if file.getPath().getName().lower().endswith(extensions):
                below = _path(file)[len(root.rstrip("/")) + 1 :]
                files.append((below, file.getPath().toString(), file.getLen()))
        if not files:
            folder = status.getPath().toString()
            raise webstrata.ArchiveError(
                f"{folder}: no {what} in it, no *{', *'.join(extensions)}"
            )
        for below, uri, length in sorted(files, key=lambda file: file[0].encode().split(b"/")):
            yield uri, name + ("" if name.endswith("/") else "/") + below, length


def _path(status: Any) -> str:
    """Without scheme and host, and with nothing escaped."""
    return str(status.getPath().toUri().getPath())


def named(pattern: str, path: str) -> str:
    """What a file is called, if the pattern that matched it was written so: as a shell would have written it."""
    special = re.search(r"[*?\[\]{}\\\\]", pattern)
    if special is None:
        return pattern
    start = pattern.rfind("/", 0, special.start()) + 1
    parts = [part for part in pattern[start:].split("/") if part]
    if "." in parts or ".." in parts or re.search(r"\{[^}]*/", pattern):
        return path
    return pattern[:start] + "/".join(path.split("/")[-len(parts) :])


def _scheme(uri: str) -> str:
    scheme, colon, _ = uri.partition(":")
    return scheme.lower() if colon and "/" not in scheme else "file"


def arrow_uri(uri: str) -> str:
    """The URI of a file as pyarrow reads it: Hadoop's has nothing escaped."""
    scheme, _, rest = uri.partition(":")
    host, slash, path = rest.removeprefix("//").partition("/")
    return f"{STREAMED[scheme.lower()]}://{host}{slash}{quote(path, safe='/')}"


@contextlib.contextmanager
def _opened(uri: str) -> Iterator[Any]:
    """A file for the native code: a path where it is local, else a stream."""
    if _scheme(uri) == "file":
        yield uri[len("file:") :] if uri.startswith("file:/") else uri
        return
    from pyarrow import fs

    system, path = fs.FileSystem.from_uri(arrow_uri(uri))
    with system.open_input_file(path) as file:
        yield file


def _is_streamed(archive: Archive, through: str | None) -> bool:
    known = _scheme(archive.uri) in STREAMED
    if through == "tasks" and not known:
        raise webstrata.OptionError(
            f'{archive.uri}: tasks cannot read this file system by themselves; use through="spark"'
        )
    return known if through is None else through == "tasks"


def _is_hidden(name: str) -> bool:
    """Does Spark pass over files of this name?"""
    return (name.startswith("_") and "=" not in name) or name.startswith(".")


def _refusal(archive: Archive, longest: int) -> str | None:
    """Why Spark cannot hand a file over, if it cannot."""
    if archive.length > longest:
        return f"{archive.name}: longer than the {longest} bytes that Spark can hand over whole"
    if _is_hidden(archive.uri.rsplit("/", 1)[-1]):
        return f"{archive.name}: hidden, Spark passes over names that begin with _ or a dot"
    return None


#: What another attempt does not change.
_LASTING = {
    errno.ENOENT,
    errno.ENOTDIR,
    errno.EISDIR,
    errno.EACCES,
    errno.EPERM,
    errno.ELOOP,
    errno.ENAMETOOLONG,
}


def may_pass(error: BaseException) -> bool:
    """May another attempt succeed where this error came up?"""
    if error.__cause__ is not None:
        return may_pass(error.__cause__)
    if isinstance(error, OSError) and error.errno is not None:
        return error.errno not in _LASTING
    if isinstance(error, webstrata.ArchiveError):
        # An error of the operating system in the midst of a file; all others are about what is in it.
        return "os error" in str(error)
    return isinstance(error, OSError)


def attempts(spark: SparkSession) -> int:
    """How often Spark tries a task."""
    master = spark.sparkContext.master or ""
    local = re.fullmatch(r"local(\[[^,\]]*(,\s*(\d+)\s*)?\])?", master)
    if local is not None:
        return int(local.group(3) or 1)
    return int(spark.sparkContext.getConf().get("spark.task.maxFailures", "4") or 4)


def _is_last(most: int) -> bool:
    from pyspark import TaskContext

    context = TaskContext.get()
    return context is None or context.attemptNumber() + 1 >= most


def _over_archives(
    spark: SparkSession,
    paths: Paths,
    through: str | None,
    schema: pa.Schema,
    batches_of: Callable[..., Iterator[pa.RecordBatch]],
) -> DataFrame:
    """A data frame of what `batches_of` makes of each archive; what cannot be read is a row that says why."""
    return in_tasks(spark, find(spark, paths), through, schema, batches_of, _unreadable)


def in_tasks(
    spark: SparkSession,
    archives: Sequence[Archive],
    through: str | None,
    schema: pa.Schema,
    batches_of: Callable[..., Iterator[pa.RecordBatch]],
    unreadable: Callable[[int, str, object], dict[str, Any]],
    task_bytes: int = 0,
) -> DataFrame:
    """The same of archives that were found. `unreadable` is the row of one that cannot be read; files of up to
    `task_bytes` together are one task's."""
    if through not in (None, "tasks", "spark"):
        raise webstrata.OptionError('through: expected "tasks", "spark" or None')
    most = attempts(spark)
    longest = int(spark.conf.get("spark.sql.sources.binaryFile.maxLength", None) or LONGEST)
    tasks: list[list[tuple[int, str, str, str | None]]] = []
    by_spark: dict[str, list[tuple[int, str]]] = {}
    size = 0
    for number, uri, name, length in archives:
        archive = Archive(number, uri, name, length)
        streams = _is_streamed(archive, through)
        why = None if streams else _refusal(archive, min(longest, LONGEST))
        if not streams and why is None:
            by_spark.setdefault(uri, []).append((number, name))
            continue
        size += length
        if not tasks or size > task_bytes:
            tasks.append([])
            size = length
        tasks[-1].append((number, uri, name, why))

    def broken(number: int, name: str, error: object) -> pa.RecordBatch:
        return pa.RecordBatch.from_pylist([unreadable(number, name, error)], schema=schema)

    def one(source: Any, number: int, name: str) -> Iterator[pa.RecordBatch]:
        yield from batches_of(source, name=name, archive=number)

    def streamed(rows: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for row in (row for batch in rows for row in batch.to_pylist()):
            number, name, why = row["number"], row["name"], row["why"]
            if why is not None:
                yield broken(number, name, why)
                continue
            try:
                with _opened(row["uri"]) as source:
                    yield from one(source, number, name)
            except (OSError, pa.ArrowException) as error:
                if may_pass(error) and not _is_last(most):
                    raise
                yield broken(number, name, error)

    def whole(files: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in files:
            for uri, content in zip(batch.column(0), batch.column(1)):
                for number, name in by_spark[uri.as_py()]:
                    try:
                        yield from one(pa.BufferReader(content.as_buffer()), number, name)
                    except webstrata.ArchiveError as error:
                        yield broken(number, name, error)

    wanted = schemas.spark_of(schema)
    frames: list[DataFrame] = []
    if tasks or not by_spark:
        rows = spark.sparkContext.parallelize(tasks, max(1, len(tasks))).flatMap(lambda some: some)
        files = spark.createDataFrame(rows, "number int, uri string, name string, why string")
        frames.append(files.mapInArrow(streamed, wanted))
    if by_spark:
        # Paths here are globs.
        uris = [re.sub(r"([*?\[\]{}\\\\])", r"\\\1", uri) for uri in by_spark]
        loaded = spark.read.format("binaryFile").load(uris).select("path", "content")
        frames.append(loaded.mapInArrow(whole, wanted))
    return frames[0] if len(frames) == 1 else frames[0].unionByName(frames[1])


def _unreadable(number: int, name: str, error: object) -> dict[str, Any]:
    return {
        "archive": number,
        "id": name,
        "file": name,
        "problem": "unreadable",
        "message": " ".join(str(error).split()),
    }


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
    options = with_extractor(options)
    bounds = {name: options.pop(name) for name in _OF_SITES if name in options}
    site_bounds(**bounds)
    making = dict(options, min_words=min_words, languages=languages)
    extractor = options.get("extractor")
    if extractor is not None and extractor_of(extractor).asks_for_site:
        pages = read_warc(
            spark,
            paths,
            statuses=statuses,
            max_bytes=max(64 << 20, options.get("max_bytes") or 128 << 20),
            problems=True,
            through=through,
        )
        return extract_pages(pages, problems=problems, **bounds, **making)
    schema = schemas.of_records(making)
    making.update(statuses=statuses, batch_rows=batch_rows, batch_bytes=batch_bytes)

    def batches(source: Any, **place: Any) -> Iterator[pa.RecordBatch]:
        yield from webstrata.warc_records(source, **place, **making)

    return chosen(_over_archives(spark, paths, through, schema, batches), problems)


_OF_SITES = ("site_pages", "site_bytes")
