"""A stand-in for `resiliparse.extract.html2text`.

>>> from webstrata.compat.resiliparse import extract_plain_text
>>> print(extract_plain_text("<h1>Tides</h1><ul><li>High water<li>Low water</ul>"))
Tides
<BLANKLINE>
  • High water
  • Low water
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import webstrata

from ._markup import ALL_PARTS, html_of, page_of, parse, to_text

__all__ = ["extract_plain_text"]


def extract_plain_text(
    html: Any,
    preserve_formatting: bool | str = True,
    main_content: bool = False,
    list_bullets: bool = True,
    alt_texts: bool = True,
    links: bool = False,
    form_fields: bool = False,
    noscript: bool = False,
    comments: bool = True,
    post_meta: bool = True,
    hidden_elements: bool = False,
    skip_elements: Iterable[str] | None = None,
) -> str:
    """The text of a page: all of it, or its main text where `main_content` is true.

    Of the main text, `comments` and `post_meta` add the comments below it, and who wrote it and when. `form_fields`
    and `noscript` have no meaning here and are accepted. `skip_elements` has one, but webstrata knows no selectors: whoever names some gets a NotImplementedError.

    >>> from webstrata.compat.resiliparse import extract_plain_text
    >>> extract_plain_text("<p>High water is <b>at noon</b>.", preserve_formatting=False)
    'High water is at noon.'
    """
    del form_fields, noscript
    if skip_elements is not None and list(skip_elements):
        raise NotImplementedError("skip_elements: webstrata does not choose elements by selectors")
    page = page_of(html)
    if not isinstance(page, str):
        raise TypeError('Parameter "html" is neither string nor HTMLTree.')
    of_main_text = (("comment",) if comments else ()) + (("byline", "date") if post_meta else ())
    document = webstrata.extract(
        page,
        extractor="strata" if main_content else "keep-all",
        hidden="keep" if hidden_elements else "drop",
        formats=("blocks", "html"),
        links=links,
        images=alt_texts,
        include=of_main_text if main_content else ALL_PARTS,
        keep_page=False,
    )
    clean = html_of(document)
    if preserve_formatting == "minimal_html":
        return clean.strip()
    bullets = list_bullets and bool(preserve_formatting)
    text = to_text(parse(clean), bullets=bullets, images=alt_texts, links=links)
    return text if preserve_formatting else " ".join(text.split())
