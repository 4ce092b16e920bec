"""What runs of a pipeline have in common, whoever does the work."""

from __future__ import annotations

from typing import NamedTuple

#: The files of folders that are read, as by the command.
EXTENSIONS = (
    ".html",
    ".htm",
    ".xhtml",
    ".shtml",
    ".html.gz",
    ".html.zst",
    ".mhtml",
    ".mht",
    ".warc",
    ".warc.gz",
    ".warc.zst",
    ".wacz",
)

#: Files that are not read from front to back: only where they lie on a disk can they be read.
ON_DISK = (".parquet", ".arrow", ".feather", ".wacz")

#: Bytes of files that one task reads, where files are small.
TASK_BYTES = 64 << 20


class Corpus(NamedTuple):
    """What a run has counted: the `counts` of the command's manifest."""

    #: Pages and records that were read.
    read: int
    #: Bytes of these.
    bytes: int
    #: Records that were written; pages, where they are cut into pieces.
    written: int
    #: Words of their main texts.
    words: int
    #: Pages that were dropped, by step and reason.
    dropped: dict[str, int]
    #: Words of their main texts.
    dropped_words: dict[str, int]
    #: Lines and paragraphs that were taken out.
    repeated: int
    #: What was broken or refused, by kind.
    problems: dict[str, int]
    #: Kept pages that left the memory of the deduplication.
    forgotten: int


def beside(home: str, path: str) -> str:
    """A path as the file of a pipeline means it."""
    is_elsewhere = "://" in path or path.startswith(("file:", "/"))
    return path if is_elsewhere or not home else f"{home.rstrip('/')}/{path}"
