"""Documents as trafilatura has them, and the formats in which it writes them."""

from __future__ import annotations

import csv
import io
import json
import re
from typing import Any
from xml.etree.ElementTree import Element, SubElement, tostring

from ._markup import DEEPEST, Choices, parse, to_xml

# In the order in which they are written.
FIELDS = [
    "title",
    "author",
    "url",
    "hostname",
    "description",
    "sitename",
    "date",
    "categories",
    "tags",
    "fingerprint",
    "id",
    "license",
    "body",
    "comments",
    "commentsbody",
    "raw_text",
    "text",
    "language",
    "image",
    "pagetype",
    "filedate",
]
HEADER = FIELDS[:12]


class Document:
    """What was found in a page. `fingerprint`, `categories` and `pagetype` are never known here."""

    __slots__ = [*(field for field in FIELDS if field != "body"), "_body", "_markup"]

    def __init__(
        self,
        *,
        title: str | None = None,
        author: str | None = None,
        url: str | None = None,
        hostname: str | None = None,
        description: str | None = None,
        sitename: str | None = None,
        date: str | None = None,
        categories: list[str] | None = None,
        tags: list[str] | None = None,
        fingerprint: str | None = None,
        idval: str | None = None,
        license_val: str | None = None,
        body: Element | None = None,
        comments: str | None = None,
        commentsbody: Element | None = None,
        raw_text: str | None = None,
        text: str | None = None,
        language: str | None = None,
        image: str | None = None,
        pagetype: str | None = None,
        filedate: str | None = None,
    ) -> None:
        self.title = title
        self.author = author
        self.url = url
        self.hostname = hostname
        self.description = description
        self.sitename = sitename
        self.date = date
        self.categories = categories
        self.tags = tags
        self.fingerprint = fingerprint
        self.id = idval
        self.license = license_val
        self._body = body
        # What the body is made of where somebody asks for it.
        self._markup: tuple[str, Choices] | None = None
        self.comments = comments
        self.commentsbody = commentsbody if commentsbody is not None else Element("body")
        self.raw_text = raw_text
        self.text = text
        self.language = language
        self.image = image
        self.pagetype = pagetype
        self.filedate = filedate

    @property
    def body(self) -> Element:
        """The main text as a tree."""
        if self._body is None:
            made = self._markup and to_xml(parse(self._markup[0]), self._markup[1], "body")
            self._body = Element("body") if made is None else made
            self._markup = None
        return self._body

    @body.setter
    def body(self, body: Element) -> None:
        self._body = body

    def as_dict(self) -> dict[str, Any]:
        """All fields."""
        return {field: getattr(self, field) for field in FIELDS}


def written(document: Document, output_format: str, with_metadata: bool) -> str:
    """A document in one of the formats that are text."""
    if output_format == "json":
        return _json(document, with_metadata)
    if output_format == "csv":
        return _csv(document)
    if output_format == "html":
        return _html(document, with_metadata)
    if output_format == "xml":
        return _xml(document, with_metadata)
    if output_format == "xmltei":
        return _tei(document)
    header = ""
    if with_metadata:
        known = ((field, getattr(document, field)) for field in HEADER)
        lines = (f"{field}: {_yaml(value)}\n" for field, value in known if value)
        header = f"---\n{''.join(lines)}---\n"
    return "\n".join(filter(None, (header + (document.text or ""), document.comments)))


def _yaml(value: Any) -> str:
    """A value behind a name; a text of JSON is one of YAML, too."""
    if not isinstance(value, str):
        return str(value)
    plain = (
        value[0].isalpha() and value == value.strip() and not any(c in value for c in ":#\n\r\t\"'")
    )
    words = {"true", "false", "yes", "no", "on", "off", "y", "n", "null", "none"}
    is_address = value.startswith(("http://", "https://")) and " " not in value
    keep = is_address or (plain and value.lower() not in words)
    return value if keep else json.dumps(value, ensure_ascii=False)


def _json(document: Document, with_metadata: bool) -> str:
    if not with_metadata:
        return json.dumps(
            {"text": document.text, "comments": document.comments}, ensure_ascii=False
        )
    data = document.as_dict()
    for name in ("body", "commentsbody"):
        del data[name]
    data["source"] = data.pop("url")
    data["source-hostname"] = data.pop("sitename")
    data["excerpt"] = data.pop("description")
    for name in ("categories", "tags"):
        data[name] = ";".join(data[name] or [])
    return json.dumps(data, ensure_ascii=False)


def _csv(document: Document) -> str:
    fields = [
        "url",
        "id",
        "fingerprint",
        "hostname",
        "title",
        "image",
        "date",
        "text",
        "comments",
        "license",
        "pagetype",
    ]
    line = io.StringIO()
    csv.writer(line, delimiter="\t").writerow(getattr(document, name) or "null" for name in fields)
    return line.getvalue()


def _attributes(document: Document) -> dict[str, str]:
    order = [
        "sitename",
        "title",
        "author",
        "date",
        "url",
        "hostname",
        "description",
        "categories",
        "tags",
        "license",
        "id",
        "fingerprint",
    ]
    values = ((name, getattr(document, name)) for name in order)
    return {name: _joined(value) for name, value in values if value}


def _joined(value: Any) -> str:
    return ";".join(value) if isinstance(value, list) else str(value)


def _indented(element: Element, depth: int = 0) -> None:
    """Lines for elements that hold no text of their own."""
    if not len(element) or (element.text or "").strip() or depth > 100:
        return
    if any((child.tail or "").strip() for child in element):
        return
    element.text = "\n" + "  " * (depth + 1)
    for place, child in enumerate(element):
        _indented(child, depth + 1)
        child.tail = "\n" + "  " * (depth if place + 1 == len(element) else depth + 1)


# https://www.w3.org/TR/xml/#charsets
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _to_string(element: Element) -> str:
    _indented(element)
    return _NOT_IN_XML.sub("", tostring(element, encoding="unicode"))


def _html(document: Document, with_metadata: bool) -> str:
    page = Element("html")
    if with_metadata:
        head = SubElement(page, "head")
        for name, value in _attributes(document).items():
            SubElement(head, "meta", {"name": name, "content": value})
    body = SubElement(page, "body")
    _append_html(document.body, body)
    _append_html(document.commentsbody, body)
    return _to_string(page)


_HTML = {"quote": "blockquote", "code": "pre", "row": "tr", "item": "li", "lb": "br"}
_RENDERED = {"#b": "strong", "#i": "i", "#u": "u", "#t": "kbd"}


def _append_html(source: Element, to: Element, depth: int = 0) -> None:
    """Trafilatura's XML as HTML."""
    to.text = to.text if len(to) or to.text else source.text
    for child in source:
        tag, attributes = str(child.tag), {}
        if tag in ("head", "list"):
            tag = child.get("rend", "p")
        elif tag == "hi":
            tag = _RENDERED.get(child.get("rend", ""), "span")
        elif tag == "cell":
            tag = "th" if child.get("role") == "head" else "td"
        elif tag == "ref":
            tag, attributes = "a", {"href": child.get("target", "")}
        elif tag == "graphic":
            tag, attributes = "img", dict(child.attrib)
        made = SubElement(to, _HTML.get(tag, tag), attributes)
        made.tail = child.tail
        if depth > DEEPEST:
            made.text = "".join(child.itertext())
        else:
            _append_html(child, made, depth + 1)


def _xml(document: Document, with_metadata: bool) -> str:
    doc = Element("doc", _attributes(document) if with_metadata else {})
    main, comments = document.body, document.commentsbody
    main.tag, comments.tag = "main", "comments"
    doc.extend([main, comments])
    return _to_string(doc)


def _tei(document: Document) -> str:
    """A small document of the Text Encoding Initiative: what is known of the page, its text, its comments."""
    tei = Element("TEI", {"xmlns": "http://www.tei-c.org/ns/1.0"})
    description = SubElement(SubElement(tei, "teiHeader"), "fileDesc")
    titles = SubElement(description, "titleStmt")
    SubElement(titles, "title", {"type": "main"}).text = document.title
    if document.author:
        SubElement(titles, "author").text = document.author
    publication = SubElement(description, "publicationStmt")
    SubElement(publication, "p").text = document.license
    source = SubElement(description, "sourceDesc")
    parts = filter(None, (document.title, document.sitename, document.date))
    SubElement(source, "bibl").text = ", ".join(parts)
    if document.url:
        full = SubElement(SubElement(source, "biblFull"), "publicationStmt")
        SubElement(full, "ptr", {"type": "URL", "target": document.url})
    body = SubElement(SubElement(tei, "text"), "body")
    for source_body, kind in ((document.body, "entry"), (document.commentsbody, "comments")):
        source_body.tag = "div"
        source_body.set("type", kind)
        body.append(source_body)
    return _to_string(tei)
