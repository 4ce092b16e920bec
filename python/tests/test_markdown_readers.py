"""Nothing runs in what common readers make of our Markdown and HTML, though they let HTML through.

The pages are those of the library's own test (`crates/webstrata/examples/cases/hostile.rs`).
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any

import commonmark
import markdown
import markdown2
import markdown_it
import mistune
import pytest

READERS: dict[str, Callable[[str], str]] = {
    "Python-Markdown": markdown.markdown,
    "Python-Markdown, extra": lambda text: markdown.markdown(text, extensions=["extra"]),
    "Python-Markdown, fences": lambda text: markdown.markdown(text, extensions=["fenced_code"]),
    "markdown2": markdown2.markdown,
    "markdown2, fences": lambda text: markdown2.markdown(text, extras=["fenced-code-blocks", "tables"]),
    "mistune": mistune.create_markdown(escape=False),
    "mistune, plugins": mistune.create_markdown(
        escape=False, plugins=["strikethrough", "table", "footnotes", "math", "def_list"]
    ),
    "commonmark": commonmark.commonmark,
    "markdown-it": markdown_it.MarkdownIt("commonmark", {"html": True}).render,
    "markdown-it, all": markdown_it.MarkdownIt("gfm-like", {"html": True, "linkify": False}).render,
}

# Readers that do not know fenced code blocks, or not all of them, read code as text: there a line of code may begin an
# element. SECURITY.md says so.
NO_FENCES = {
    "Python-Markdown": 4,
    "Python-Markdown, extra": 2,
    "Python-Markdown, fences": 2,
    "markdown2": 2,
}

RUNNING = set(
    "applet audio base body button details embed form frame frameset iframe input isindex keygen link marquee math meta "
    "noembed noscript object plaintext script select source style svg template textarea title video xmp".split()
)
ADDRESSES = {"href", "src", "action", "formaction", "data", "srcset", "cite", "background", "ping", "xlink:href"}


class Runs(HTMLParser):
    """What would run in a page."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag in RUNNING:
            self.found.append(tag)
        for name, value in attributes:
            if name.startswith("on") or name in {"style", "srcdoc"}:
                self.found.append(f"{tag} {name}")
            # As browsers read it, and those who overlook more.
            address = re.sub(r"[^!-~]", "", value or "").lower()
            if name in ADDRESSES and re.match(r"(javascript|vbscript|data|blob|file|feed|view-source):", address):
                self.found.append(f"{tag} {name}={value}")

    handle_startendtag = handle_starttag


def runs(html: str) -> list[str]:
    reader = Runs()
    reader.feed(html)
    reader.close()
    return reader.found


@pytest.fixture(scope="module")
def pages() -> list[dict[str, Any]]:
    program = os.environ.get("WEBSTRATA_CASES")
    if not program:
        pytest.skip("no pages to read; set WEBSTRATA_CASES")
    done = subprocess.run([program, "hostile"], check=True, capture_output=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_the_test_finds_what_runs() -> None:
    for page in (
        "<img src=x onerror=ATTACK>",
        "<SCRIPT>ATTACK</SCRIPT>",
        "<a href=' java\nscript:ATTACK'>a</a>",
        "<a href='\ufeffjavascript:ATTACK'>a</a>",
        "<svg/onload=ATTACK>",
    ):
        assert runs(page), page
    assert not runs("<p><a href='https://harbour.example/?a=javascript:x'>a</a> &lt;script&gt; <code>x</code>")


@pytest.mark.parametrize("name", READERS)
def test_markdown(pages: list[dict[str, Any]], name: str) -> None:
    assert len(pages) > 200
    found = {page["page"]: what for page in pages if (what := runs(READERS[name](page["markdown"])))}
    # Only code may be read so: whatever else runs is a hole.
    code = {page["page"] for page in pages if "```" in page["markdown"] or "`" in page["page"]}
    assert not found.keys() - code, found
    assert len(found) == NO_FENCES.get(name, 0), found


def test_html(pages: list[dict[str, Any]]) -> None:
    assert {page["page"]: what for page in pages if (what := runs(page["html"]))} == {}
