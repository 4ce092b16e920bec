"""Web pages in Ray: a column of a data set, and the pipelines of `webstrata corpus run`.

import ray
from webstrata import ray as webstrata_ray

pages = ray.data.read_parquet("s3://crawl/pages")
texts = webstrata_ray.extract(pages, html="html", url="url")
counts = webstrata_ray.run("corpus.toml")
"""

from __future__ import annotations

import collections
import os
import re
import shutil
import uuid
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

import webstrata
from webstrata import _webstrata
from webstrata._corpora import EXTENSIONS, TASK_BYTES, Corpus, beside

if TYPE_CHECKING:
    from ray.data import Dataset as _Dataset

__all__ = ["Corpus", "extract", "run"]


def extract(
    dataset: _Dataset,
    html: str = "html",
    url: str | None = "url",
    *,
    batch_size: int = 256,
    ray: dict[str, Any] | None = None,
    **options: Any,
) -> _Dataset:
    """Extracts a column of pages of a Ray dataset.

    The options are those of `webstrata.extract_batch`; `ray` has more arguments for Ray's own `map_batches`, such as
    ``{"num_cpus": 1, "concurrency": 8}``.
    """
    options = dict(options, html=html, url=url)
    extractor: Any = options.get("extractor")
    if _is_file(extractor):
        # Workers may not have the file.
        options["extractor"] = webstrata.Extractor.from_file(extractor)

    def work(table: pa.Table) -> pa.Table:
        return webstrata.extract_batch(table, **options)

    return dataset.map_batches(work, batch_format="pyarrow", batch_size=batch_size, **(ray or {}))


def run(
    pipeline: str | os.PathLike[str],
    out: str | None = None,
    *,
    rejected: str | None = None,
    overwrite: bool = False,
    tasks: int | None = None,
    ray: dict[str, Any] | None = None,
) -> Corpus:
    """Runs a pipeline of `webstrata corpus run` over Ray: the same steps, with the same verdicts, and records that are
    byte for byte those of the command on the same inputs, in the same order.

    Tasks read, extract and filter files. This process takes what they found in the order of the sources, decides what
    repeats other pages by the command's code, and writes. So what is decided is the command's whatever the pages have
    in common, and memory is what `memory` of the pipeline says.

    Sources are files that all machines see under the same path. `out` stands for the output's folder, `rejected` is
    where what was dropped goes, as JSON lines with the reasons. Formats are ``parquet``, ``jsonl`` and ``jsonl.gz``.
    `tasks` run ahead at most, twice the cluster's processors unless given; `ray` has options of Ray's tasks, such as
    ``{"num_cpus": 2}``.
    """
    path = os.fspath(pipeline)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    named = _webstrata.CorpusPipeline(text, name=path)
    extractor: Any = named.extractor
    given = webstrata.Extractor.from_file(extractor) if _is_file(extractor) else None
    made = _webstrata.CorpusPipeline(text, name=path, extractor=given)
    home = os.path.dirname(path)
    place = out if out is not None else beside(home, os.fspath(named.folder))
    if named.format not in _PACKED:
        wrong = "a file a page" if named.format is None else named.format
        formats = ", ".join(_PACKED)
        raise webstrata.OptionError(
            f"{path}: output: Ray does not write {wrong}; there are {formats}"
        )
    places = [one for one in (place, rejected) if one is not None]
    sources = _sources([beside(home, source) for source in named.sources])
    for one in places:
        if not overwrite and os.path.exists(one):
            raise webstrata.DataError(f"{one}: is there already; overwrite=True replaces it")
        inside = [name for _, name, _ in sources if _lies_in(name, one)]
        if inside:
            raise webstrata.DataError(f"{one}: has a source in it: {inside[0]}")
    if rejected is not None and (_lies_in(place, rejected) or _lies_in(rejected, place)):
        raise webstrata.DataError(f"{place} and {rejected}: lie in each other")
    judged = _judged((text, path, given), sources, rejected is not None, tasks, ray or {})
    writing = _Writing(place, named.format, made.part_size)
    dropping = None if rejected is None else _Writing(rejected, "jsonl", made.part_size)
    both = [one for one in (writing, dropping) if one is not None]
    try:
        counts = _decided(made, judged, writing, dropping)
        for one in both:
            one.finish()
        return counts
    finally:
        for one in both:
            one.give_up()


def _is_file(extractor: Any) -> bool:
    is_path = isinstance(extractor, os.PathLike)
    is_named = isinstance(extractor, str) and (extractor.endswith(".toml") or "/" in extractor)
    return is_path or is_named


def _lies_in(path: str, folder: str) -> bool:
    path, folder = os.path.realpath(path), os.path.realpath(folder)
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _sources(patterns: Sequence[str]) -> list[tuple[int, str, int]]:
    """The files with their numbers and lengths, as the command finds them: those of a folder at any depth, in order;
    of a name with a star, those of one folder."""
    found: list[str] = []
    for pattern in patterns:
        if "://" in pattern:
            raise webstrata.OptionError(f"{pattern}: Ray's tasks read files; see webstrata.spark")
        if os.path.isdir(pattern):
            files = list(_below(pattern))
            if not files:
                names = ", *".join(EXTENSIONS)
                raise webstrata.ArchiveError(f"{pattern}: no pages in it, no *{names}")
            found += files
            continue
        folder, name = os.path.split(pattern)
        before, star, behind = name.partition("*")
        if not star:
            found.append(pattern)
            continue
        wanted = re.compile(re.escape(before) + ".*" + re.escape(behind), re.DOTALL)
        names = sorted(filter(wanted.fullmatch, os.listdir(folder or ".")), key=os.fsencode)
        if not names:
            raise webstrata.ArchiveError(f"{pattern}: no such files")
        found += [os.path.join(folder, name) for name in names]
    return [(n, name, _length(name)) for n, name in enumerate(found)]


def _below(folder: str) -> Iterator[str]:
    for entry in sorted(os.scandir(folder), key=lambda entry: os.fsencode(entry.name)):
        if entry.is_dir(follow_symlinks=False):
            yield from _below(entry.path)
        elif entry.name.lower().endswith(EXTENSIONS) and (entry.is_file() or entry.is_symlink()):
            yield entry.path


def _length(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError as error:
        raise webstrata.ArchiveError(f"{path}: {error.strerror}") from error


def _judge(
    made: tuple[str, str, Any], files: list[tuple[int, str]], rejected: bool
) -> Iterator[pa.RecordBatch]:
    """What a task does: the pages of some files, extracted and judged."""
    text, name, extractor = made
    pipeline = _webstrata.CorpusPipeline(text, name=name, extractor=extractor)
    for number, path in files:
        try:
            # Not `yield from`: Ray sends values into the generator, which native iterators do not take.
            for batch in pipeline.judge(
                path, name=path, number=number, rejected=rejected, batch_bytes=16 << 20
            ):
                yield batch
        except OSError as error:
            why = " ".join(str(error).split())
            row = {"problem": "unreadable", "message": f"{path}: {why}"}
            yield pa.RecordBatch.from_pylist([row])


def _judged(
    made: tuple[str, str, Any],
    sources: Sequence[tuple[int, str, int]],
    rejected: bool,
    tasks: int | None,
    options: dict[str, Any],
) -> Iterator[pa.RecordBatch]:
    """The same of all files in their order, by tasks of which some run ahead."""
    import ray

    shares: list[list[tuple[int, str]]] = []
    size = TASK_BYTES
    for number, path, length in sources:
        if size + length > TASK_BYTES:
            shares.append([])
            size = 0
        size += length
        shares[-1].append((number, path))
    if not ray.is_initialized():
        ray.init()
    ahead = tasks or max(2, 2 * int(ray.cluster_resources().get("CPU", 1)))
    judge = ray.remote(**{"num_returns": "streaming", **options})(_judge)
    waiting: collections.deque[Any] = collections.deque()
    shares.reverse()
    while shares or waiting:
        while shares and len(waiting) < ahead:
            waiting.append(judge.remote(made, shares.pop(), rejected))
        for batch in waiting.popleft():
            yield ray.get(batch)


def _decided(
    made: Any, judged: Iterator[pa.RecordBatch], writing: _Writing, dropping: _Writing | None
) -> Corpus:
    """Decides about the pages in their order, writes them and counts."""
    deciding = made.decide() if made.methods else None
    read = size = written = words = repeated = forgotten = 0
    dropped: collections.Counter[str] = collections.Counter()
    dropped_words: collections.Counter[str] = collections.Counter()
    problems: collections.Counter[str] = collections.Counter()
    for batch in judged:
        rows = pa.Table.from_batches([batch])
        problems.update(filter(None, rows["problem"].to_pylist()))
        if "bytes" not in rows.column_names:
            continue
        read += len(rows) - rows["bytes"].null_count
        size += pc.sum(rows["bytes"]).as_py() or 0
        rows = _joined(rows.filter(pc.is_null(rows["problem"])), deciding)
        for reason, of_words, removed, gone in zip(
            *(rows[name].to_pylist() for name in ("reason", "words", "removed", "forgotten"))
        ):
            forgotten += gone
            if reason is None:
                written, words, repeated = written + 1, words + of_words, repeated + removed
            else:
                dropped[reason] += 1
                dropped_words[reason] += of_words
        stays = pc.is_null(rows["reason"])
        writing.write(made.table if writing.is_table else made.lines, rows.filter(stays))
        if dropping is not None:
            dropping.write(made.rejected, rows.filter(pc.invert(stays)))
    writing.write(made.table if writing.is_table else made.lines, None)
    ordered = [dict(sorted(counts.items())) for counts in (dropped, dropped_words, problems)]
    return Corpus(read, size, written, words, ordered[0], ordered[1], repeated, ordered[2], forgotten)


#: What is decided of a page.
_DECIDED = pa.schema(
    [
        ("reason", pa.string()),
        ("duplicate_of", pa.string()),
        ("similarity", pa.float64()),
        ("removed", pa.int64()),
        ("words", pa.int32()),
        ("text", pa.string()),
        ("forgotten", pa.int64()),
    ]
)


def _joined(rows: pa.Table, deciding: Any) -> pa.Table:
    """Judged pages with what is decided of them, in their order."""
    stays = rows.filter(pc.is_null(rows["reason"])).select(["position", "record"])
    decided = [] if deciding is None else deciding.add(stays)
    later = [row for batch in decided for row in batch.to_pylist()]
    places = [] if deciding is None else stays["position"].to_pylist()
    if [row["position"] for row in later] != places:
        raise webstrata.InternalError("decisions are not those of the pages; please report it")
    made = []
    later.reverse()
    for reason, words in zip(rows["reason"].to_pylist(), rows["words"].to_pylist()):
        if reason is None and deciding is not None:
            made.append(later.pop())
        else:
            made.append({"reason": reason, "words": words, "removed": 0, "forgotten": 0})
    table = pa.Table.from_pylist(made, schema=_DECIDED)
    for name in ("record", "headings"):
        table = table.append_column(name, rows[name])
    return table


#: The formats that are written, with their packing.
_PACKED = {"parquet": None, "jsonl": None, "jsonl.gz": "gzip"}


class _Writing:
    """Parts of a folder, which gets its name when all of them are there."""

    def __init__(self, place: str, form: str, part_size: int) -> None:
        self.place = place.rstrip("/") or place
        self.stage = f"{self.place}.stage-{uuid.uuid4().hex}"
        self.form, self.part_size = form, part_size
        self.is_table = form == "parquet"
        self.parts = self.size = 0
        self.part: Any = None
        os.makedirs(self.stage)

    def write(self, make: Any, rows: pa.Table | None) -> None:
        """Writes what is made of rows. Without any, a table gets a part at least, so that it has its columns."""
        if rows is None and (self.parts or not self.is_table):
            return
        if rows is None:
            rows = pa.RecordBatch.from_pylist([], schema=pa.schema([("record", pa.string())]))
        elif not len(rows):
            return
        for batch in make(rows):
            if self.part is not None and self.size >= self.part_size:
                self.close()
            if self.part is None:
                self.part = self._opened(batch.schema)
                self.parts, self.size = self.parts + 1, 0
            self.size += batch.nbytes
            if self.is_table:
                self.part.write_batch(batch)
            else:
                self.part.write("".join(f"{line}\n" for line in batch["value"].to_pylist()).encode())

    def _opened(self, schema: pa.Schema) -> Any:
        path = os.path.join(self.stage, f"part-{self.parts:05}.{self.form}")
        if self.is_table:
            return pq.ParquetWriter(path, schema, compression="zstd")
        packing = _PACKED[self.form]
        return pa.CompressedOutputStream(path, packing) if packing else open(path, "wb")

    def close(self) -> None:
        if self.part is not None:
            self.part.close()
            self.part = None

    def finish(self) -> None:
        """Puts the folder in its place."""
        self.close()
        before = f"{self.stage}.before"
        if os.path.exists(self.place):
            os.rename(self.place, before)
        os.rename(self.stage, self.place)
        shutil.rmtree(before, ignore_errors=True)

    def give_up(self) -> None:
        """Leaves nothing of what was not finished."""
        self.close()
        shutil.rmtree(self.stage, ignore_errors=True)
