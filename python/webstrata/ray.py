"""Web pages in Ray Data.

import ray
from webstrata import ray as webstrata_ray

pages = ray.data.read_parquet("s3://crawl/pages")
texts = webstrata_ray.extract(pages, html="html", url="url")
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pyarrow as pa

import webstrata

if TYPE_CHECKING:
    from ray.data import Dataset as _Dataset

__all__ = ["extract"]


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
    is_path = isinstance(extractor, os.PathLike)
    if is_path or (
        isinstance(extractor, str) and (extractor.endswith(".toml") or "/" in extractor)
    ):
        # Workers may not have the file.
        options["extractor"] = webstrata.Extractor.from_file(extractor)

    def work(table: pa.Table) -> pa.Table:
        return webstrata.extract_batch(table, **options)

    return dataset.map_batches(work, batch_format="pyarrow", batch_size=batch_size, **(ray or {}))
