"""Separates a web page's main text from its boilerplate.

>>> import webstrata
>>> page = '''<h1>An hourly ferry</h1><p>The ferry between the two islands will run every hour from
... Monday on, the harbour office said after a winter of two crossings a day.</p>
... <footer><a href="/imprint">Imprint</a> <a href="/jobs">Jobs</a></footer>'''
>>> print(webstrata.extract(page).text, end="")
An hourly ferry
The ferry between the two islands will run every hour from Monday on, the harbour office said after a winter of two crossings a day.
"""

from ._webstrata import (
    ArchiveBatches,
    ArchivedPage,
    ArchiveReader,
    Block,
    Document,
    Extractor,
    Link,
    __version__,
    extract,
    extract_batch,
    extract_many,
    extractors,
    read_warc,
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
    "Error",
    "Extractor",
    "ExtractorError",
    "InternalError",
    "Link",
    "MissingPart",
    "OptionError",
    "__version__",
    "extract",
    "extract_batch",
    "extract_many",
    "extractors",
    "read_warc",
    "warc_batches",
    "warc_records",
]
