"""Writes what trafilatura says of the pages of sets: lines of JSON, [id, title, author, date].

usage: metadata.py SETS_DIR/SET... > trafilatura.jsonl

`cargo xtask metadata SETS_DIR --outputs trafilatura.jsonl` sets them beside ours. Addresses come from the
set's urls.tsv, as there.
"""

import json
import logging
import sys
from pathlib import Path

from trafilatura import extract_metadata
from trafilatura.utils import load_html


def addresses(folder: Path) -> dict[str, str]:
    file = folder / "urls.tsv"
    lines = file.read_text("utf-8").splitlines() if file.is_file() else []
    return dict(line.split("\t", 1) for line in lines if "\t" in line)


def values(raw: bytes, url: str | None) -> list[str | None]:
    """Title, author and date; a page that it fails on has none."""
    try:
        found = extract_metadata(load_html(raw), default_url=url)
    except Exception:
        return [None, None, None]
    return [found.title, found.author, found.date] if found else [None, None, None]


def main(folder: Path) -> None:
    logging.disable()
    urls = addresses(folder)
    for page in sorted((folder / "pages").glob("*.html")):
        url = urls.get(page.stem, "").strip() or None
        print(json.dumps([page.stem, *values(page.read_bytes(), url)], ensure_ascii=False))


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        main(Path(argument))
