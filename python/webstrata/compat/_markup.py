"""The clean HTML of a document as a tree, and what can be written from it."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any
from xml.etree.ElementTree import Element, SubElement

VOID = {"br", "hr", "img", "wbr"}
# What follows the name of a tag on a line of its own.
BLOCKS = {
    "p",
    "div",
    "blockquote",
    "pre",
    "table",
    "tr",
    "figure",
    "figcaption",
    "hr",
    "dl",
    "dt",
    "dd",
}
# Trees are written by recursion, which ends somewhere.
DEEPEST = 100
HEADINGS = {"h1", "h2", "h3", "h4", "h5", "h6"}


class _Builder(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Element("body")
        self.open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = SubElement(self.open[-1], tag, {name: value or "" for name, value in attrs})
        if tag not in VOID:
            self.open.append(element)

    def handle_endtag(self, tag: str) -> None:
        for place in range(len(self.open) - 1, 0, -1):
            if self.open[place].tag == tag:
                del self.open[place:]
                return

    def handle_data(self, data: str) -> None:
        parent = self.open[-1]
        if len(parent):
            parent[-1].tail = (parent[-1].tail or "") + data
        else:
            parent.text = (parent.text or "") + data


def parse(html: str) -> Element:
    """Clean HTML, as documents have it, as a tree below `body`."""
    builder = _Builder()
    builder.feed(html)
    builder.close()
    return builder.root


class _Writer:
    """Plain text with its lines, in the way of resiliparse."""

    def __init__(self, bullets: bool, images: bool, links: bool) -> None:
        self.bullets, self.images, self.links = bullets, images, links
        # Each with the empty lines that stand around it.
        self.lines: list[tuple[str, bool]] = []
        self.line = ""
        self.prefix = ""
        self.level = 0
        self.apart = False

    def end(self, apart: bool = False) -> None:
        text = self.line.strip()
        if text:
            self.lines.append((self.prefix + text, self.apart))
            self.apart = False
            self.prefix = " " * len(self.prefix)
        self.apart = self.apart or apart
        self.line = ""

    def add(self, text: str | None) -> None:
        words = " ".join((text or "").split())
        if not words:
            if text and self.line:
                self.line += " "
            return
        assert text is not None
        before = " " if text[0].isspace() else ""
        self.line += before + words + (" " if text[-1].isspace() else "")

    def write(self, element: Element, depth: int = 0) -> None:
        tag = element.tag
        if depth > DEEPEST:
            self.add(" ".join(element.itertext()))
            return
        if tag == "pre":
            self.end()
            for line in "".join(element.itertext()).strip("\n").split("\n"):
                self.lines.append((self.prefix + line, False))
            return
        if tag == "img":
            if self.images:
                self.add(element.get("alt"))
            return
        if tag == "br":
            self.end()
            return
        apart = tag == "p" or tag in HEADINGS
        if apart or tag in BLOCKS:
            self.end(apart)
        if tag in ("ul", "ol"):
            self.items(element, depth)
        else:
            self.inside(element, depth)
        if tag == "a" and self.links and element.get("href"):
            self.line = self.line.rstrip() + f" ({element.get('href')})"
        if apart or tag in BLOCKS:
            self.end(apart)

    def inside(self, element: Element, depth: int) -> None:
        self.add(element.text)
        for child in element:
            self.write(child, depth + 1)
            self.add(child.tail)

    def items(self, element: Element, depth: int) -> None:
        self.end()
        outer = " " * len(self.prefix)
        self.level += 1
        for number, child in enumerate(element, 1):
            bullet = f"{number}. " if element.tag == "ol" else "• "
            self.prefix = "  " * self.level + (bullet if self.bullets else "")
            self.inside(child, depth + 1)
            self.end()
        self.level -= 1
        self.prefix = outer

    def text(self) -> str:
        self.end()
        text = ""
        for place, (line, apart) in enumerate(self.lines):
            text += ("\n\n" if apart else "\n") if place else ""
            text += line
        return text


def to_text(body: Element, *, bullets: bool, images: bool, links: bool) -> str:
    """A tree as plain text: paragraphs apart, items with their bullets."""
    writer = _Writer(bullets, images, links)
    writer.inside(body, 0)
    return writer.text()


HIGHLIGHTS = {
    "b": "#b",
    "strong": "#b",
    "i": "#i",
    "em": "#i",
    "u": "#u",
    "kbd": "#t",
    "code": "#t",
}
NAMES = {"blockquote": "quote", "pre": "code", "table": "table", "tr": "row", "br": "lb"}
# What has no name of its own there.
PLAIN = {"p", "del", "sub", "sup"}


class Choices:
    """What of a page goes into XML."""

    def __init__(self, tables: bool, images: bool, formatting: bool, links: bool) -> None:
        self.tables, self.images, self.formatting, self.links = tables, images, formatting, links


def to_xml(body: Element, choices: Choices, name: str = "main") -> Element:
    """A tree in the words of trafilatura's XML."""
    to = Element(name)
    _inside(body, to, choices, 0)
    return to


def _inside(element: Element, to: Element, choices: Choices, depth: int) -> None:
    _add(to, element.text)
    for child in element:
        _child(child, to, choices, depth)
        _add(to, child.tail)


def _child(child: Element, to: Element, choices: Choices, depth: int) -> None:
    if depth > DEEPEST:
        _add(to, "".join(child.itertext()))
        return
    made = _named(child, choices)
    if child.tag == "table" and not choices.tables:
        return
    if child.tag == "img" and not choices.images:
        return
    if made is not None:
        to.append(made)
        to = made
    _inside(child, to, choices, depth + 1)


def _named(child: Element, choices: Choices) -> Element | None:
    tag = str(child.tag)
    if tag in HEADINGS:
        return Element("head", {"rend": tag})
    if tag in ("ul", "ol"):
        return Element("list", {"rend": tag})
    if tag == "li":
        return Element("item")
    if tag in ("td", "th"):
        return Element("cell", {"role": "head"} if tag == "th" else {})
    if tag == "img":
        return Element("graphic", dict(child.attrib))
    if tag == "a":
        return Element("ref", {"target": child.get("href", "")}) if choices.links else None
    if tag in HIGHLIGHTS:
        return Element("hi", {"rend": HIGHLIGHTS[tag]}) if choices.formatting else None
    if tag in NAMES:
        return Element(NAMES[tag])
    return Element(tag) if tag in PLAIN else None


def _add(to: Element, text: str | None) -> None:
    if not text:
        return
    if len(to):
        to[-1].tail = (to[-1].tail or "") + text
    else:
        to.text = (to.text or "") + text


def page_of(given: Any) -> Any:
    """A page as webstrata takes it, of what other packages take: text, bytes, answers of servers and trees."""
    if isinstance(given, (str, bytes, bytearray, memoryview)):
        return given
    # Answers of urllib3 and trafilatura have data; trees of resiliparse, a document or markup.
    for path in (("data",), ("document", "html"), ("html",)):
        found = given
        for name in path:
            found = getattr(found, name, None)
        if isinstance(found, (str, bytes)):
            return found
    if hasattr(given, "getroottree"):
        # Whoever has a tree of lxml has lxml.
        from lxml import html as lxml_html  # type: ignore[import-untyped, unused-ignore]

        return lxml_html.tostring(given, encoding="unicode")
    return given
