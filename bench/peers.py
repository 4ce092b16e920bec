"""Runs the Python peers over pages: one JSON line for each tool and page.

usage: peers.py MANIFEST ROUNDS TOOL[:CAP]...
"""

import gc
import json
import logging
import statistics
import sys
import time
from collections.abc import Callable
from importlib import metadata
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

Extract = Callable[[bytes, str], str | None]


class Page(NamedTuple):
    line: int
    rank: int
    raw: bytes
    text: str


class Tool(NamedTuple):
    name: str
    cap: int
    extract: Extract


def resiliparse() -> Extract:
    from resiliparse.extract.html2text import extract_plain_text

    return lambda raw, text: extract_plain_text(text, main_content=True)


def turbohtml() -> Extract:
    from turbohtml import parse

    def extract(raw: bytes, text: str) -> str | None:
        content = parse(text).main_content()
        return content.to_text() if content is not None else None

    return extract


def trafilatura() -> Extract:
    from trafilatura import extract

    logging.disable()
    return lambda raw, text: extract(raw, include_comments=False)


TOOLS: dict[str, Callable[[], Extract]] = {
    "resiliparse": resiliparse,
    "turbohtml": turbohtml,
    "trafilatura": trafilatura,
}


def load_tools(specs: list[str]) -> list[Tool]:
    """The tools that are installed; a line says why one is not there."""
    tools = []
    for spec in specs:
        name, _, cap = spec.partition(":")
        try:
            tools.append(Tool(name, int(cap or sys.maxsize), TOOLS[name]()))
            print(json.dumps({"tool": name, "version": metadata.version(name)}))
        except (ImportError, KeyError) as error:
            print(json.dumps({"tool": name, "skipped": f"{type(error).__name__}: {error}"}))
    return tools


def run(extract: Extract, page: Page) -> int:
    """The characters of the text; a page that the tool fails on has none."""
    try:
        return len(extract(page.raw, page.text) or "")
    except Exception:
        return 0


def measure(pages: list[Page], rounds: int, tools: list[Tool]) -> None:
    """Every round runs each tool over all of its pages; round 0 warms up and is not counted."""
    times: dict[tuple[str, int], list[float]] = {}
    lengths: dict[tuple[str, int], int] = {}
    for round_number in range(rounds + 1):
        for tool in tools:
            for page in pages:
                if page.rank >= tool.cap:
                    continue
                key = (tool.name, page.line)
                start = time.process_time()
                lengths[key] = run(tool.extract, page)
                elapsed = time.process_time() - start
                if round_number > 0:
                    times.setdefault(key, []).append(elapsed)
    for (name, line), seconds in times.items():
        row = {"tool": name, "page": line, "cpu_s": statistics.median(seconds)}
        print(json.dumps(row | {"out": lengths[name, line]}))


def load_page(line: int, rank: str, path: str) -> Page:
    raw = Path(path).read_bytes()
    return Page(line, int(rank), raw, raw.decode("utf-8", "replace"))


def main(manifest: str, rounds: str, *specs: str) -> None:
    tools = load_tools(list(specs))
    rows = [line.split("\t") for line in Path(manifest).read_text("utf-8").splitlines()]
    for _, entries in groupby(enumerate(rows), key=lambda entry: entry[1][0]):
        pages = [load_page(line, rank, path) for line, (_, rank, path) in entries]
        # The pages are no garbage: the collector need not look at them during the runs.
        gc.collect()
        gc.freeze()
        measure(pages, int(rounds), tools)
        gc.unfreeze()


if __name__ == "__main__":
    main(*sys.argv[1:])
