"""A stand-in for `trafilatura`.

>>> from webstrata.compat.trafilatura import bare_extraction, extract
>>> page = '''<title>Tides</title><h1>Tides</h1><p>High water is at noon today, the harbour office says, and the
... ferry leaves an hour earlier than on other days.</p>'''
>>> extract(page, output_format="markdown").splitlines()[0]
'# Tides'
>>> bare_extraction(page, with_metadata=True).title
'Tides'

Pages are not fetched here: `fetch_url` and its like are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date
from typing import Any
from urllib.parse import urlsplit
from xml.etree.ElementTree import Element, SubElement

import webstrata

from ._documents import Document, written
from ._markup import Choices, page_of

__all__ = [
    "Document",
    "bare_extraction",
    "baseline",
    "extract",
    "extract_metadata",
    "extract_with_metadata",
    "html2txt",
]

FORMATS = ("csv", "html", "json", "markdown", "python", "txt", "xml", "xmltei")


def _set_of(names: Iterable[str] | None) -> set[str]:
    return {names} if isinstance(names, str) else set(names or ())


def _main_language(tag: str) -> str:
    """The language of a tag: en of en-GB and EN_us."""
    return re.split("[-_]", tag.strip(), maxsplit=1)[0].lower()


def _is_in(language: str | None, wanted: str) -> bool:
    """Is a page in a language? Where its own is not known, it may be."""
    return not language or _main_language(language) == _main_language(wanted)


class _Wanted:
    """What a call asks for, of its arguments or of an `Extractor` of trafilatura's."""

    def __init__(self, options: Any, arguments: dict[str, Any]) -> None:
        def get(name: str, argument: str) -> Any:
            return arguments.get(argument) if options is None else getattr(options, name, None)

        self.format: str = get("format", "output_format")
        if self.format not in FORMATS:
            raise AttributeError(f"Cannot set format, must be one of: {', '.join(FORMATS)}")
        focus = getattr(options, "focus", None)
        precision = bool(arguments["favor_precision"]) if options is None else focus == "precision"
        recall = bool(arguments["favor_recall"]) if options is None else focus == "recall"
        self.favor = 0.5 if precision else 2.0 if recall else 1.0
        self.comments = bool(get("comments", "include_comments"))
        formatting = get("formatting", "include_formatting")
        self.formatting = self.format == "markdown" if formatting is None else bool(formatting)
        self.links = bool(get("links", "include_links"))
        self.images = bool(get("images", "include_images"))
        self.tables = bool(get("tables", "include_tables"))
        self.language: str | None = get("lang", "target_language")
        self.only_with_metadata = bool(get("only_with_metadata", "only_with_metadata"))
        self.with_metadata = bool(get("with_metadata", "with_metadata")) or self.only_with_metadata
        self.url: str | None = arguments.get("url") or getattr(options, "url", None)
        self.url_blacklist = _set_of(get("url_blacklist", "url_blacklist"))
        self.author_blacklist = _set_of(get("author_blacklist", "author_blacklist"))
        self.prune = arguments.get("prune_xpath")
        if arguments.get("max_tree_size"):
            raise ValueError('"max_tree_size" will be removed, use settings.cfg instead')

    @property
    def as_markdown(self) -> bool:
        """Is text to be written with marks?"""
        return self.format == "markdown" or self.formatting or self.links or self.images


def _decoded(page: Any) -> str:
    """A page as text, in the encoding that webstrata finds."""
    if isinstance(page, str):
        return page
    data = bytes(page)
    encoding = webstrata.extract(data, extractor="keep-all", keep_page=False).encoding
    try:
        return data.decode(encoding, "replace")
    except LookupError:
        # Python has not all encodings of the Web.
        return data.decode("windows-1252", "replace")


def _pruned(page: Any, prune: str | list[str]) -> str:
    """A page without the elements that some expressions choose, by lxml."""
    try:
        from lxml import etree, html  # type: ignore[import-not-found, import-untyped, unused-ignore]
    except ImportError:
        raise ImportError("prune_xpath needs lxml: pip install lxml") from None

    text = _decoded(page).replace("\0", "")
    # As bytes: lxml refuses text that says its encoding.
    data = text.encode("utf-8", "replace")
    try:
        tree = html.document_fromstring(data, html.HTMLParser(encoding="utf-8", huge_tree=True))
    except etree.ParserError:
        # There is nothing in it.
        return text
    for expression in [prune] if isinstance(prune, str) else prune:
        chosen = tree.xpath(expression)
        for element in chosen if isinstance(chosen, list) else ():
            # Expressions may choose texts, attributes, comments and the whole page, too.
            if isinstance(getattr(element, "tag", None), str) and element.getparent() is not None:
                element.tag = _CHOSEN
        # All at once: elements that leave one by one join the texts around them each time.
        etree.strip_elements(tree, _CHOSEN, with_tail=False)
    return str(html.tostring(tree, encoding="unicode"))


# Names of elements in HTML have no capitals.
_CHOSEN = "CHOSEN"


def _read(page: Any, wanted: _Wanted) -> webstrata.Document | None:
    page = page_of(page)
    if page is None:
        return None
    if wanted.prune:
        page = _pruned(page, wanted.prune)
    return webstrata.extract(
        page,
        url=wanted.url,
        favor=wanted.favor,
        formats=("blocks", "html", "markdown", "metadata"),
        links=wanted.links,
        images=wanted.images,
        # One line a block, as there.
        text="flat",
        exclude=() if wanted.tables else ("table",),
        keep_page=False,
    )


def _is_comment(block: webstrata.Block) -> bool:
    return block.part == "comment" or block.label == "comments"


def _texts(found: webstrata.Document, wanted: _Wanted) -> tuple[str, str]:
    """The main text and the comments, as they are asked for."""
    if wanted.as_markdown:
        text = found.markdown.strip()
    elif wanted.tables:
        text = found.text.strip()
    else:
        blocks = (block for block in found.blocks if block.is_content and block.part != "table")
        text = "\n".join(block.text for block in blocks)
    comments = (block for block in found.blocks if _is_comment(block) and not block.is_content)
    return text, "\n".join(block.text for block in comments) if wanted.comments else ""


def _hostname(address: str | None) -> str | None:
    """The host of an address; pages and callers have some that are none."""
    try:
        return urlsplit(address).hostname if address else None
    except ValueError:
        return None


def _metadata(found: webstrata.Document, url: str | None, blacklist: set[str]) -> Document:
    refused = {name.lower() for name in blacklist}
    authors = [name for name in found.authors if name.lower() not in refused]
    address = found.canonical or url
    return Document(
        title=found.title,
        author="; ".join(authors) or None,
        url=address,
        hostname=_hostname(address),
        description=found.description,
        sitename=found.site,
        date=(found.date or "")[:10] or None,
        categories=[],
        tags=found.tags,
        license_val=found.licence,
        language=found.language,
        image=found.image,
        filedate=date.today().isoformat(),
    )


def _document(filecontent: Any, wanted: _Wanted) -> Document | None:
    found = _read(filecontent, wanted)
    if found is None:
        return None
    text, comments = _texts(found, wanted)
    document = _metadata(found, wanted.url, wanted.author_blacklist)
    if not text and not comments:
        return None
    if wanted.language and not _is_in(found.language, wanted.language):
        return None
    if wanted.url_blacklist & {document.url, wanted.url}:
        return None
    if wanted.only_with_metadata and not (document.date and document.title and document.url):
        return None
    if not wanted.with_metadata:
        document = Document(language=document.language)
    document.text, document.raw_text, document.comments = text, found.text.strip(), comments
    choices = Choices(wanted.tables, wanted.images, wanted.formatting, wanted.links)
    document._markup = (found.html, choices)
    for line in filter(None, comments.split("\n")):
        SubElement(document.commentsbody, "p").text = line
    return document


def bare_extraction(
    filecontent: Any,
    url: str | None = None,
    fast: bool = False,
    no_fallback: bool = False,
    favor_precision: bool = False,
    favor_recall: bool = False,
    include_comments: bool = True,
    output_format: str = "python",
    target_language: str | None = None,
    include_tables: bool = True,
    include_images: bool = False,
    include_formatting: bool | None = None,
    include_links: bool = False,
    deduplicate: Any = False,
    date_extraction_params: dict[str, Any] | None = None,
    with_metadata: bool = False,
    only_with_metadata: bool = False,
    max_tree_size: int | None = None,
    url_blacklist: set[str] | None = None,
    author_blacklist: set[str] | None = None,
    as_dict: bool = False,
    prune_xpath: str | list[str] | None = None,
    config: Any = None,
    options: Any = None,
) -> Document | dict[str, Any] | None:
    """The main text of a page and what is known about it; None if it has none."""
    document = _document(filecontent, _Wanted(options, locals()))
    return document.as_dict() if document and as_dict else document


def extract(
    filecontent: Any,
    url: str | None = None,
    record_id: str | None = None,
    fast: bool = False,
    no_fallback: bool = False,
    favor_precision: bool = False,
    favor_recall: bool = False,
    include_comments: bool = True,
    output_format: str = "txt",
    tei_validation: bool = False,
    target_language: str | None = None,
    include_tables: bool = True,
    include_images: bool = False,
    include_formatting: bool | None = None,
    include_links: bool = False,
    deduplicate: Any = False,
    date_extraction_params: dict[str, Any] | None = None,
    with_metadata: bool = False,
    only_with_metadata: bool = False,
    max_tree_size: int | None = None,
    url_blacklist: set[str] | None = None,
    author_blacklist: set[str] | None = None,
    settingsfile: str | None = None,
    prune_xpath: str | list[str] | None = None,
    config: Any = None,
    options: Any = None,
) -> str | None:
    """The main text of a page, in one of several formats; None if it has none."""
    wanted = _Wanted(options, locals())
    document = _document(filecontent, wanted)
    if document is None:
        return None
    document.id = record_id
    return written(document, wanted.format, wanted.with_metadata)


def extract_with_metadata(
    filecontent: Any,
    url: str | None = None,
    record_id: str | None = None,
    fast: bool = False,
    favor_precision: bool = False,
    favor_recall: bool = False,
    include_comments: bool = True,
    output_format: str = "txt",
    tei_validation: bool = False,
    target_language: str | None = None,
    include_tables: bool = True,
    include_images: bool = False,
    include_formatting: bool | None = None,
    include_links: bool = False,
    deduplicate: Any = False,
    date_extraction_params: dict[str, Any] | None = None,
    url_blacklist: set[str] | None = None,
    author_blacklist: set[str] | None = None,
    settingsfile: str | None = None,
    prune_xpath: str | list[str] | None = None,
    config: Any = None,
    options: Any = None,
) -> Document | None:
    """The same as a document: its text is what `extract` writes, without metadata, which is in its fields."""
    wanted = _Wanted(options, locals())
    wanted.with_metadata = True
    document = _document(filecontent, wanted)
    if document is None:
        return None
    document.id = record_id
    document.text = written(document, wanted.format, with_metadata=False)
    return document


def _page_or_nothing(given: Any) -> Any:
    """A page; an empty one where there is none, as in fetching that failed."""
    page = page_of(given)
    return "" if page is None else page


def extract_metadata(
    filecontent: Any,
    default_url: str | None = None,
    date_config: dict[str, Any] | None = None,
    extensive: bool = True,
    author_blacklist: set[str] | None = None,
) -> Document:
    """What a page says about itself."""
    found = webstrata.extract(
        _page_or_nothing(filecontent), url=default_url, formats=("metadata",), keep_page=False
    )
    return _metadata(found, default_url, _set_of(author_blacklist))


def html2txt(content: Any, clean: bool = True) -> str:
    """All text of a page, on one line."""
    page = _page_or_nothing(content)
    found = webstrata.extract(page, extractor="keep-all", text="flat", keep_page=False)
    return " ".join(found.text.split())


def baseline(filecontent: Any) -> tuple[Element, str, int]:
    """The main text of a page as paragraphs, as text, and its length."""
    page = _page_or_nothing(filecontent)
    text = webstrata.extract(page, favor="recall", text="flat", keep_page=False).text.strip()
    body = Element("body")
    for line in filter(None, text.split("\n")):
        SubElement(body, "p").text = line
    return body, text, len(text)
