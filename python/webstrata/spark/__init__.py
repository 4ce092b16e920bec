"""Web pages in Apache Spark: from web archives to clean, deduplicated Parquet.

    from webstrata import spark as webstrata_spark

    texts = webstrata_spark.extract(df, html="html", url="url")
    records = webstrata_spark.extract_warc(session, "s3a://crawl/*.warc.gz")

or all of it at once, from a shell: ``python -m webstrata.spark crawl/*.warc.gz --out clean``.

All work on pages is done by webstrata's native code inside Spark's Python workers; pages and results travel as
Arrow batches.
"""

from __future__ import annotations

from .archives import extract_warc, read_warc
from .clean import Summary, clean
from .duplicates import dedup
from .pages import extract, extract_pages, links

__all__ = [
    "Summary",
    "clean",
    "dedup",
    "extract",
    "extract_pages",
    "extract_warc",
    "links",
    "read_warc",
]
