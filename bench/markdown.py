"""Writes other tools' Markdown of a set's pages, for `cargo xtask structure --outputs OUT`.

usage: markdown.py SET OUT    (pages in SET/pages/*.html, lines in OUT/<tool>/<set>.jsonl)

trafilatura chooses the main text. html-to-markdown (the Python package of the crate html-to-markdown-rs) writes the whole
page, less what its own cleaning removes.
"""

import json
import logging
import sys
from multiprocessing import Pool
from pathlib import Path


def trafilatura(page: bytes) -> str:
    from trafilatura import extract

    logging.disable()
    return extract(page, output_format="markdown", include_comments=False, include_images=True)


def html_to_markdown(page: bytes) -> str:
    from html_to_markdown import ConversionOptions, PreprocessingOptions, convert
    from lxml.html import HTMLParser

    try:
        text = page.decode("utf-8")
    except UnicodeDecodeError:
        # The tool takes characters. lxml finds the charset that a page declares.
        from lxml.html import document_fromstring

        charset = document_fromstring(page, parser=HTMLParser()).getroottree().docinfo.encoding
        text = page.decode(charset or "latin-1", errors="replace")
    options = ConversionOptions(
        heading_style="atx",
        code_block_style="backticks",
        extract_metadata=False,
        preprocessing=PreprocessingOptions(enabled=True, preset="aggressive"),
    )
    return convert(text, options).content


TOOLS = {"trafilatura": trafilatura, "html-to-markdown": html_to_markdown}


def line(job: tuple[str, Path]) -> str:
    """A line of the file; a page that the tool fails on has no text."""
    tool, path = job
    try:
        text = TOOLS[tool](path.read_bytes())
    except Exception:
        text = None
    return json.dumps({"id": path.stem, "text": text or ""}, ensure_ascii=False)


def main(folder: str, out: str) -> None:
    pages = sorted(Path(folder, "pages").glob("*.html"))
    for tool in TOOLS:
        file = Path(out, tool, f"{Path(folder).resolve().name}.jsonl")
        file.parent.mkdir(parents=True, exist_ok=True)
        # A process for every so many pages: its caches would carry one page's text into another's.
        with Pool(maxtasksperchild=50) as pool, file.open("w", encoding="utf-8") as lines:
            for text in pool.imap(line, [(tool, page) for page in pages], chunksize=10):
                lines.write(text + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
