"""Writes trafilatura's Markdown of a set's pages, for `cargo xtask structure --outputs OUT`.

usage: markdown.py SET OUT    (pages in SET/pages/*.html, lines in OUT/trafilatura/<set>.jsonl)
"""

import json
import logging
import sys
from multiprocessing import Pool
from pathlib import Path


def markdown(path: Path) -> str:
    """A line of the file; a page that the tool fails on has no text."""
    from trafilatura import extract

    logging.disable()
    try:
        text = extract(path.read_bytes(), output_format="markdown", include_comments=False)
    except Exception:
        text = None
    return json.dumps({"id": path.stem, "text": text or ""}, ensure_ascii=False)


def main(folder: str, out: str) -> None:
    pages = sorted(Path(folder, "pages").glob("*.html"))
    file = Path(out, "trafilatura", f"{Path(folder).resolve().name}.jsonl")
    file.parent.mkdir(parents=True, exist_ok=True)
    # A process for every so many pages: its caches would carry one page's text into another's.
    with Pool(maxtasksperchild=50) as pool, file.open("w", encoding="utf-8") as lines:
        for line in pool.imap(markdown, pages, chunksize=10):
            lines.write(line + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
