"""Separates a web page's main text from its boilerplate.

>>> import webstrata
>>> page = '''<h1>An hourly ferry</h1><p>The ferry between the two islands will run every hour from
... Monday on, the harbour office said after a winter of two crossings a day.</p>
... <footer><a href="/imprint">Imprint</a> <a href="/jobs">Jobs</a></footer>'''
>>> print(webstrata.extract(page).text, end="")
The ferry between the two islands will run every hour from Monday on, the harbour office said after a winter of two crossings a day.
"""

from ._webstrata import (
    ArchiveBatches,
    ArchivedPage,
    ArchiveReader,
    Block,
    Document,
    Documents,
    Duplicates,
    Explanation,
    Extractor,
    Link,
    Post,
    Segment,
    UrlTree,
    __version__,
    dedup,
    explain,
    extract,
    extract_batch,
    extract_many,
    extractors,
    highlight,
    pagerank,
    read_warc,
    segment,
    url_key,
    warc_batches,
    warc_records,
)
from .errors import (
    ArchiveError,
    DataError,
    Error,
    ExtractorError,
    InternalError,
    MissingPart,
    OptionError,
)

__all__ = [
    "ArchiveBatches",
    "ArchiveError",
    "ArchiveReader",
    "ArchivedPage",
    "Block",
    "DataError",
    "Document",
    "Documents",
    "Duplicates",
    "Error",
    "Explanation",
    "Extractor",
    "ExtractorError",
    "InternalError",
    "Link",
    "MissingPart",
    "OptionError",
    "Post",
    "Segment",
    "UrlTree",
    "__version__",
    "dedup",
    "explain",
    "extract",
    "extract_batch",
    "extract_many",
    "extractors",
    "highlight",
    "pagerank",
    "read_warc",
    "segment",
    "url_key",
    "warc_batches",
    "warc_records",
]
