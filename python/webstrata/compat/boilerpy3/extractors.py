"""Boilerpipe's extractors, as boilerpy3 calls them."""

from __future__ import annotations

import urllib.request
from typing import Any, Optional

import webstrata

from .document import TextBlock, TextDocument

__all__ = [
    "ArticleExtractor",
    "ArticleSentencesExtractor",
    "CanolaExtractor",
    "DefaultExtractor",
    "Extractor",
    "KeepEverythingExtractor",
    "LargestContentExtractor",
    "NumWordsRulesExtractor",
]

Kwargs = Optional[dict[str, Any]]


class _Answer(bytes):
    """A page that was fetched, with the charset that its server names."""

    charset: str | None = None


def _known_charset(label: str | None) -> str | None:
    """A charset, if it is one of the Web's, where iso-8859-1 is windows-1252."""
    if not label:
        return None
    try:
        webstrata.extract(b"", extractor="keep-all", charset=label, keep_page=False)
    except (webstrata.OptionError, UnicodeError):
        return None
    return label


class Extractor:
    """Any extractor of webstrata: its name, the path of a TOML file, or a `webstrata.Extractor`.

    Nothing fails here, so `raise_on_failure` has no meaning. `request_kwargs` go to `urllib.request.urlopen`.
    """

    def __init__(
        self,
        filtr: str | webstrata.Extractor,
        raise_on_failure: bool = True,
        request_kwargs: Kwargs = None,
    ) -> None:
        self.filter = filtr
        self.raise_on_failure = raise_on_failure
        self._request_kwargs = dict(request_kwargs or {})

    def get_content(self, text: str | bytes) -> str:
        """The main text of a page."""
        return self.get_doc(text).content

    def get_content_from_url(self, url: str, request_kwargs: Kwargs = None) -> str:
        """The main text of a page that is fetched."""
        return self.get_doc_from_url(url, request_kwargs).content

    def get_content_from_file(self, filename: str) -> str:
        """The main text of a file."""
        return self.get_doc_from_file(filename).content

    def get_doc_from_file(self, filename: str) -> TextDocument:
        """A file as a document."""
        return self.get_doc(self.read_from_file(filename))

    def get_doc_from_url(self, url: str, request_kwargs: Kwargs = None) -> TextDocument:
        """A page that is fetched as a document."""
        return self.get_doc(self.read_from_url(url, request_kwargs))

    def get_doc(self, text: str | bytes) -> TextDocument:
        """A page as a document."""
        found = webstrata.extract(
            text,
            extractor=self.filter,
            formats=("blocks",),
            charset=getattr(text, "charset", None),
            keep_page=False,
        )
        blocks = [TextBlock._of(block, place) for place, block in enumerate(found.blocks)]
        return TextDocument(blocks, found.title)

    def get_marked_html(self, text: str | bytes) -> str:
        """The page with its main text marked, in `<mark class="webstrata-content">`."""
        charset = getattr(text, "charset", None)
        return webstrata.highlight(text, extractor=self.filter, charset=charset)

    def get_marked_html_from_url(self, url: str) -> str:
        """The same of a page that is fetched."""
        return self.get_marked_html(self.read_from_url(url))

    def get_marked_html_from_file(self, filename: str) -> str:
        """The same of a file."""
        return self.get_marked_html(self.read_from_file(filename))

    def read_from_file(self, filename: str) -> bytes:
        """The bytes of a file; its encoding is found by what it says itself."""
        with open(filename, "rb") as file:
            return file.read()

    def read_from_url(self, url: str, request_kwargs: Kwargs = None) -> bytes:
        """The bytes that an address answers, by `urllib.request.urlopen`; documents are read in its charset."""
        with urllib.request.urlopen(
            url, **{**self._request_kwargs, **(request_kwargs or {})}
        ) as answer:
            page = _Answer(answer.read())
            # Without one that is known, the page says what it is.
            page.charset = _known_charset(answer.headers.get_content_charset())
        return page


class _Named(Extractor):
    _name = "strata"

    def __init__(self, raise_on_failure: bool = True, request_kwargs: Kwargs = None) -> None:
        super().__init__(self._name, raise_on_failure, request_kwargs)


class DefaultExtractor(_Named):
    """Any page: by densities, without heuristics."""

    _name = "default"


class ArticleExtractor(_Named):
    """News articles."""

    _name = "article"


class LargestContentExtractor(_Named):
    """The longest text of a page."""

    _name = "largest"


class CanolaExtractor(_Named):
    """What was learned from the Canola corpus."""

    _name = "canola"


class KeepEverythingExtractor(_Named):
    """All text."""

    _name = "keep-all"


class NumWordsRulesExtractor(_Named):
    """Any page: by the numbers of words of blocks and their neighbours."""

    _name = "num-words"


class ArticleSentencesExtractor(_Named):
    """The whole sentences of news articles."""

    _name = "sentences"
