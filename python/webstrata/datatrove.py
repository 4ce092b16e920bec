"""Web pages in datatrove's pipelines.

from datatrove.pipeline.readers import WarcReader
from webstrata.datatrove import WebstrataExtractor

pipeline = [WarcReader("crawl/"), WebstrataExtractor(favor="precision"), ...]
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from datatrove.pipeline.extractors.base import BaseExtractor
from datatrove.utils.logging import logger
from datatrove.utils.typeshelper import StatHints

import webstrata

if TYPE_CHECKING:
    from datatrove.data import Document as _Document
    from datatrove.data import DocumentsPipeline as _Documents

__all__ = ["WebstrataExtractor"]


class WebstrataExtractor(BaseExtractor):
    """Replaces each document's HTML with its main text; documents without one are left out.

    The options are those of `webstrata.extract`. The document's ``metadata["url"]`` is the page's address. What was
    found besides is added to its metadata: title, language, page_type and confidence, where they are not there
    already. No page needs a process of its own to be safe: `deadline_ms` is kept inside; None is no deadline. A
    document without a text, or that fails, is left out and counted as ``broken``.
    """

    name = "⛏ webstrata"

    def __init__(self, deadline_ms: float | None = 10_000, **options: Any) -> None:
        super().__init__(timeout=math.inf if deadline_ms is None else deadline_ms / 1000)
        self.options = dict(options, deadline_ms=deadline_ms)
        # What is wrong with them is said here, and not in a worker.
        webstrata.extract("", **self.options)

    def extract(self, text: str) -> str:
        """The main text of a page, as datatrove's own extractors have it."""
        return webstrata.extract(text, **self.options).text

    def run(self, data: _Documents, rank: int = 0, world_size: int = 1) -> _Documents:
        for document in data:
            self.stat_update(StatHints.total)
            try:
                with self.track_time():
                    self._replace(document)
            # One document is not worth the others, whatever is wrong with it.
            except Exception as error:  # noqa: BLE001
                self.stat_update("broken", StatHints.dropped)
                logger.warning(f"{document.id}: {type(error).__name__}: {error}")
                continue
            if not document.text:
                self.stat_update(StatHints.dropped)
                continue
            self.stat_update(StatHints.forwarded)
            self.update_doc_stats(document)
            yield document

    def _replace(self, document: _Document) -> None:
        url = document.metadata.get("url")
        url = url if isinstance(url, str) else None
        found = webstrata.extract(document.text, url=url, **self.options)
        document.text = found.text
        for name in ("title", "language", "page_type", "confidence"):
            value = getattr(found, name)
            if value is not None:
                document.metadata.setdefault(name, value)
