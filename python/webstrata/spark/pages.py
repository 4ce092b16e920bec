"""Pages that are in data frames already."""

from __future__ import annotations

import os
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
    options = with_extractor(options)
    arguments: dict[str, Any] = dict(options, html=html, url=url, charset=charset, prefix=prefix)
    arguments["keep"] = None if keep is None else list(keep)
    schema = schemas.spark_of(schemas.of_extracted(df, **arguments))

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for part in slices(batches):
            yield webstrata.extract_batch(part, **arguments)

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
    one run in memory. `pages` itself is computed once, so that archives are read once; its pages are shuffled twice,
    by site and by run.

    With `problems`, rows say what was passed over, also by whoever read the pages.
    """
    site_bounds(site_pages, site_bytes)
    options = dict(with_extractor(options), min_words=min_words, languages=languages)
    arrow = schemas.of_page_records(options)
    schema = schemas.spark_of(arrow)

    def records_of(pages: Any) -> Iterator[pa.RecordBatch]:
        yield from _webstrata.page_records(pages, **options)
        if problems and "problem" in pages.schema.names:
            yield from _problems(pages, arrow).to_batches()

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for part in slices(batches):
            yield from records_of(part)

    if not extractor_of(options.get("extractor")).asks_for_site:
        return chosen(pages.mapInArrow(work, schema), problems)

    def site(table: pa.Table) -> pa.Table:
        return pa.Table.from_batches(list(records_of(table)), arrow)

    only = [name for name in schemas.of_pages().names if name in pages.columns]
    order = ["archive", "offset", "within"]
    # What was passed over goes with its archive: in one reading with the pages, and not all of it to one task.
    is_page = F.col("html").isNotNull()
    of_archive = F.concat(F.lit("\u0001"), F.col("archive").cast("string"))
    rows = (pages if problems else pages.where(is_page)).select(*only)
    rows = rows.withColumn("site", F.when(is_page, F.col("domain")).otherwise(of_archive))
    before = Window.partitionBy("site").orderBy(*order)
    number = F.row_number().over(before) - 1
    size = F.sum(F.length("html")).over(before.rowsBetween(Window.unboundedPreceding, -1))
    runs = rows.withColumn(
        "run",
        F.concat_ws(
            "-",
            F.floor(number / F.lit(site_pages)),
            F.floor(F.coalesce(size, F.lit(0)) / F.lit(site_bytes)),
        ),
    )
    # A large site is one task's up to here: from here on, each of its runs goes its own way.
    spread = runs.repartition("site", "run").sortWithinPartitions("site", "run", *order)
    return chosen(spread.groupBy("site", "run").applyInArrow(site, schema), problems)


#: How much of a batch of Spark's is worked on at once.
SLICE_ROWS = 256
SLICE_BYTES = 32 << 20


def slices(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Batches as Spark hands them over, in parts of which several fit into memory with what is made of them."""
    for batch in batches:
        # An empty one has its columns all the same.
        for start in range(0, max(1, batch.num_rows), SLICE_ROWS):
            yield from _halves(batch.slice(start, SLICE_ROWS))


def _halves(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    if batch.num_rows <= 1 or batch.nbytes <= SLICE_BYTES:
        yield batch
        return
    middle = batch.num_rows // 2
    yield from _halves(batch.slice(0, middle))
    yield from _halves(batch.slice(middle))


def site_bounds(site_pages: Any = SITE_PAGES, site_bytes: Any = SITE_BYTES) -> None:
    """Says what is wrong with the bounds of sites, if anything is."""
    for name, value in (("site_pages", site_pages), ("site_bytes", site_bytes)):
        if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= 2**30:
            raise webstrata.OptionError(f"{name}: expected a number from 1 to {2**30}, not {value}")


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
    return webstrata.Extractor.from_file(name) if _is_path(given) else webstrata.Extractor(name)


def with_extractor(options: dict[str, Any]) -> dict[str, Any]:
    """The options, with the extractor in place of the file that has it: workers may not have that file."""
    given: Any = options.get("extractor")
    if not _is_path(given):
        return dict(options)
    return dict(options, extractor=webstrata.Extractor.from_file(given))


def _is_path(given: Any) -> bool:
    if isinstance(given, str):
        return given.endswith(".toml") or "/" in given or "\\" in given
    return isinstance(given, os.PathLike)


def _problems(pages: Any, schema: pa.Schema) -> pa.Table:
    """The rows that say why there is no page, as rows of records."""
    broken = pages.filter(pages.column("problem").is_valid())
    columns = [
        broken.column(field.name)
        if field.name in broken.schema.names and field.name != "html"
        # Of the right type, whatever it is.
        else pa.nulls(broken.num_rows, field.type)
        for field in schema
    ]
    return pa.Table.from_arrays(columns, schema=schema)


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
