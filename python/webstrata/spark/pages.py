"""Pages that are in data frames already."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql import functions as F
from pyspark.sql.window import Window

import webstrata
from webstrata import _webstrata

from . import schemas

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

#: Pages of a site that are looked at together, and their bytes. A larger site is cut into runs of so many pages, in
#: the order of the archives, each of which learns its own template.
SITE_PAGES = 5000
SITE_BYTES = 256 << 20


def extract(
    df: DataFrame,
    html: str = "html",
    url: str | None = "url",
    *,
    charset: str | None = None,
    keep: Sequence[str] | None = None,
    prefix: str = "",
    **options: Any,
) -> DataFrame:
    """Extracts a column of pages.

    All other columns are passed on, or those that `keep` names; the new ones and the options are those of
    `webstrata.extract_batch`. Nothing is shuffled: rows stay where they are.
    """
    arguments: dict[str, Any] = dict(options, html=html, url=url, charset=charset, prefix=prefix)
    arguments["keep"] = None if keep is None else list(keep)
    schema = schemas.spark_of(schemas.of_extracted(df, **arguments))

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield webstrata.extract_batch(batch, **arguments)

    return df.mapInArrow(work, schema)


def extract_pages(
    pages: DataFrame,
    *,
    min_words: int = 0,
    languages: Sequence[str] | None = None,
    site_pages: int = SITE_PAGES,
    site_bytes: int = SITE_BYTES,
    problems: bool = False,
    **options: Any,
) -> DataFrame:
    """The records of `webstrata warc` of pages that `read_warc` has read.

    With an extractor that asks for the other pages of a site, such as ``strata+site``, pages are brought together by
    their registrable domain first, and each site's are read twice: the first pass learns its template, the second
    judges. A site of more than `site_pages` pages or `site_bytes` bytes is cut into runs of so many, in the order of
    the archives, each of which is a site of its own; up to then, records are those of the command line. A task holds
    one run in memory.

    With `problems`, rows say what was passed over, also by whoever read the pages.
    """
    options = dict(options, min_words=min_words, languages=languages)
    arrow = schemas.of_page_records(options)
    schema = schemas.spark_of(arrow)

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield from _webstrata.page_records(batch, **options)
            if "problem" in batch.schema.names:
                yield _problems(batch, arrow)

    if not extractor_of(options.get("extractor")).asks_for_site:
        return chosen(pages.mapInArrow(work, schema), problems)

    def site(table: pa.Table) -> pa.Table:
        return pa.Table.from_batches(_webstrata.page_records(table, **options), arrow)

    only = [name for name in schemas.of_pages().names if name in pages.columns]
    order = ["archive", "offset", "within"]
    before = Window.partitionBy("domain").orderBy(*order)
    sized = pages.where(F.col("html").isNotNull()).select(*only)
    number = F.row_number().over(before) - 1
    size = F.sum(F.length("html")).over(before.rowsBetween(Window.unboundedPreceding, -1))
    runs = sized.withColumn(
        "run",
        F.concat_ws(
            "-",
            F.floor(number / F.lit(site_pages)),
            F.floor(F.coalesce(size, F.lit(0)) / F.lit(site_bytes)),
        ),
    )
    records = runs.groupBy("domain", "run").applyInArrow(site, schema)
    if "problem" not in pages.columns:
        return chosen(records, problems)
    broken = pages.where(F.col("problem").isNotNull())

    def passed(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield _problems(batch, arrow)

    return chosen(records.unionByName(broken.mapInArrow(passed, schema)), problems)


def chosen(rows: DataFrame, problems: bool) -> DataFrame:
    """With what was passed over, or without."""
    if problems:
        return rows
    return rows.where(rows["problem"].isNull()).drop("problem", "message")


def extractor_of(given: Any) -> webstrata.Extractor:
    """The extractor that an option names."""
    if isinstance(given, webstrata.Extractor):
        return given
    name = "strata" if given is None else str(given)
    if name.endswith(".toml") or "/" in name:
        return webstrata.Extractor.from_file(name)
    return webstrata.Extractor(name)


def _problems(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """The rows that say why there is no page, as rows of records."""
    broken = batch.filter(batch.column("problem").is_valid())
    columns = [
        broken.column(field.name)
        if field.name in broken.schema.names and field.name != "html"
        # Of the right type, whatever it is.
        else pa.nulls(broken.num_rows, field.type)
        for field in schema
    ]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def links(df: DataFrame, html: str = "html", url: str = "url", **options: Any) -> DataFrame:
    """The links of pages: a row for each, with source, target, text, rel, in_content and internal.

    `df` has pages and their addresses, or already a column ``links`` that `extract` or `extract_warc` made with
    ``formats=("links",)``; then nothing is extracted again.
    """
    if "links" not in df.columns:
        df = extract(df, html, url, keep=[url], formats=("links",), **options)
    link = df.select(F.col(url).alias("source"), F.explode("links").alias("link"))
    return link.select(
        "source",
        F.col("link.url").alias("target"),
        F.col("link.text").alias("text"),
        F.col("link.rel").alias("rel"),
        F.col("link.in_content").alias("in_content"),
        F.col("link.internal").alias("internal"),
    )
