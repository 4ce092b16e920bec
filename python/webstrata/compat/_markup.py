"""The clean HTML of a document as a tree, and what can be written from it."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any
from xml.etree.ElementTree import Element, TreeBuilder

from .._webstrata import PARTS

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
    """Tags and texts to a tree, whose builder joins neighbouring texts once."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tree = TreeBuilder()
        self.tree.start("body", {})
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tree.start(tag, {name: value or "" for name, value in attrs})
        if tag in VOID:
            self.tree.end(tag)
        else:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        # The last is looked at first: pages may be deep.
        if tag not in self.open[-1:] and tag not in self.open:
            return
        last = ""
        while last != tag:
            last = self.open.pop()
            self.tree.end(last)

    def handle_data(self, data: str) -> None:
        self.tree.data(data)

    def built(self) -> Element:
        self.close()
        for tag in reversed(self.open):
            self.tree.end(tag)
        self.tree.end("body")
        return self.tree.close()


def parse(html: str) -> Element:
    """Clean HTML, as documents have it, as a tree below `body`."""
    builder = _Builder()
    builder.feed(html)
    return builder.built()


#: All parts of a page but its title, which is always written.
ALL_PARTS = tuple(part for part in PARTS if part != "title")


def html_of(document: Any) -> str:
    """The clean HTML of a document that has its blocks, without a title that stands in none of them."""
    html: str = document.html
    if any(block.part == "title" for block in document.blocks):
        return html
    first, line, others = html.partition("\n")
    is_title = first.startswith("<h1>") and parse(first).findtext("h1") == document.title
    return others if is_title and line else html


class _Writer:
    """Plain text with its lines, in the way of resiliparse."""

    def __init__(self, bullets: bool, images: bool, links: bool) -> None:
        self.bullets, self.images, self.links = bullets, images, links
        # Each with the empty lines that stand around it.
        self.lines: list[tuple[str, bool]] = []
        # In pieces: a line may be as long as a page.
        self.line: list[str] = []
        self.prefix = ""
        self.level = 0
        self.apart = False

    def end(self, apart: bool = False) -> None:
        text = "".join(self.line).strip()
        if text:
            self.lines.append((self.prefix + text, self.apart))
            self.apart = False
            self.prefix = " " * len(self.prefix)
        self.apart = self.apart or apart
        self.line = []

    def add(self, text: str | None) -> None:
        words = " ".join((text or "").split())
        if not words:
            if text and self.line:
                self.line.append(" ")
            return
        assert text is not None
        before = " " if text[0].isspace() else ""
        self.line.append(before + words + (" " if text[-1].isspace() else ""))

    def add_address(self, address: str) -> None:
        while self.line and not self.line[-1].strip():
            self.line.pop()
        if self.line:
            self.line[-1] = self.line[-1].rstrip()
        self.line.append(f" ({address})")

    def write(self, element: Element, depth: int = 0) -> None:
        tag = element.tag
        if depth > DEEPEST:
            self.add(" ".join(element.itertext()))
            return
        if tag == "pre":
            self.end()
            self.verbatim("".join(element.itertext()).strip("\n"))
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
            self.add_address(element.get("href", ""))
        if apart or tag in BLOCKS:
            self.end(apart)

    def verbatim(self, text: str) -> None:
        """Lines as they are, behind the bullet where they begin an item."""
        if not text.strip():
            return
        first, *others = text.split("\n")
        self.lines.append((self.prefix + first, self.apart))
        self.lines.extend((line, False) for line in others)
        self.prefix, self.apart = " " * len(self.prefix), False

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
        pieces = []
        for place, (line, apart) in enumerate(self.lines):
            pieces += [("\n\n" if apart else "\n") if place else "", line]
        return "".join(pieces)


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
    tree = TreeBuilder()
    tree.start(name, {})
    _inside(body, tree, choices, 0)
    tree.end(name)
    return tree.close()


def _inside(element: Element, to: TreeBuilder, choices: Choices, depth: int) -> None:
    if element.text:
        to.data(element.text)
    for child in element:
        _child(child, to, choices, depth)
        if child.tail:
            to.data(child.tail)


def _child(child: Element, to: TreeBuilder, choices: Choices, depth: int) -> None:
    if child.tag == "table" and not choices.tables:
        return
    if child.tag == "img" and not choices.images:
        return
    if depth > DEEPEST:
        to.data("".join(child.itertext()))
        return
    made = _named(child, choices)
    if made is None:
        _inside(child, to, choices, depth + 1)
        return
    to.start(*made)
    _inside(child, to, choices, depth + 1)
    to.end(made[0])


def _named(child: Element, choices: Choices) -> tuple[str, dict[str, str]] | None:
    tag = str(child.tag)
    if tag in HEADINGS:
        return "head", {"rend": tag}
    if tag in ("ul", "ol"):
        return "list", {"rend": tag}
    if tag == "li":
        return "item", {}
    if tag in ("td", "th"):
        return "cell", ({"role": "head"} if tag == "th" else {})
    if tag == "img":
        return "graphic", dict(child.attrib)
    if tag == "a":
        return ("ref", {"target": child.get("href", "")}) if choices.links else None
    if tag in HIGHLIGHTS:
        return ("hi", {"rend": HIGHLIGHTS[tag]}) if choices.formatting else None
    if tag in NAMES:
        return NAMES[tag], {}
    return (tag, {}) if tag in PLAIN else None


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
        from lxml import html as lxml_html  # type: ignore[import-not-found, import-untyped, unused-ignore]

        return lxml_html.tostring(given, encoding="unicode")
    return given
