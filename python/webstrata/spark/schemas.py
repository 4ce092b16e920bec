"""The schemas of results, as webstrata itself gives them for tables without rows."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema

import webstrata
from webstrata import _webstrata

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

# An archive of something that is no record: it makes a row.
_BROKEN = b"WARC/1.0\r\n\r\n"


def arrow_of(df: DataFrame) -> pa.Schema:
    """The Arrow schema of a data frame."""
    return to_arrow_schema(df.schema)


def spark_of(schema: pa.Schema) -> StructType:
    """The schema of a data frame with these columns."""
    return from_arrow_schema(schema)


def of_pages() -> pa.Schema:
    """What `read_warc` gives."""
    return next(iter(webstrata.warc_batches(io.BytesIO(_BROKEN), archive=0))).schema


def of_records(options: dict[str, Any]) -> pa.Schema:
    """What `extract_warc` gives with these options. Also finds out whether they are right, before any job runs."""
    batches = webstrata.warc_records(io.BytesIO(_BROKEN), archive=0, **options)
    return next(iter(batches)).schema


def of_extracted(df: DataFrame, **options: Any) -> pa.Schema:
    """What `extract_batch` gives for the rows of a data frame."""
    empty = arrow_of(df).empty_table().to_batches()
    batch = empty[0] if empty else pa.RecordBatch.from_pylist([], schema=arrow_of(df))
    return webstrata.extract_batch(batch, **options).schema


def of_page_records(options: dict[str, Any]) -> pa.Schema:
    """What is made of pages that were read before."""
    none = pa.RecordBatch.from_pylist([], schema=of_pages())
    return _webstrata.page_records(none, **options)[0].schema


def of_judged(pipeline: Any) -> pa.Schema:
    """What a pipeline makes of pages."""
    judged = pipeline.judge(io.BytesIO(_BROKEN), name="broken.warc", number=0)
    return next(iter(judged)).schema


def of_written(pipeline: Any, is_table: bool) -> StructType:
    """What it writes."""
    none = pa.RecordBatch.from_pylist([], schema=pa.schema([("record", pa.string())]))
    made = pipeline.table(none) if is_table else pipeline.lines(none)
    return spark_of(made[0].schema)
