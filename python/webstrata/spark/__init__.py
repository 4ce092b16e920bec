"""Web pages in Apache Spark: from web archives to clean, deduplicated Parquet.

    from webstrata import spark as webstrata_spark

    texts = webstrata_spark.extract(df, html="html", url="url")
    records = webstrata_spark.extract_warc(session, "s3a://crawl/*.warc.gz")

or all of it at once, from a shell: ``python -m webstrata.spark crawl/*.warc.gz --out clean``.

All work on pages is done by webstrata's native code inside Spark's Python workers; pages and results travel as
Arrow batches.
"""

from __future__ import annotations

import sys

try:
    from .archives import extract_warc, read_warc
    from .clean import Summary, clean
    from .corpus import Corpus, run
    from .duplicates import dedup
    from .pages import extract, extract_pages, links
    from .ranking import pagerank
except ModuleNotFoundError as _error:
    _message = f"{_error}; pip install 'webstrata[spark]'"
    # Python is about to run the package as a script: a line is what its user can use.
    if sys.argv[:1] == ["-m"]:
        print(f"error: {_message}", file=sys.stderr)
        raise SystemExit(2) from None
    raise ModuleNotFoundError(_message, name=_error.name, path=_error.path) from _error

__all__ = [
    "Corpus",
    "Summary",
    "clean",
    "dedup",
    "extract",
    "extract_pages",
    "extract_warc",
    "links",
    "pagerank",
    "read_warc",
    "run",
]
