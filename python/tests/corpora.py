"""Pipelines of corpora and their inputs, and what the command makes of them."""

from __future__ import annotations

import gzip
import json
import random
import subprocess
from pathlib import Path

from archives import crawl, page, text

FILTERS = """
[[filter]]
name = "language"
keep = ["en"]

[[filter]]
name = "words"
min = 30

[[filter]]
name = "mask-personal"
"""

NEAR = """
[[deduplicate]]
method = "url-key"

[[deduplicate]]
method = "same-text"

[[deduplicate]]
method = "main-text"
"""


def pipeline(folder: Path, steps: str, form: str = "jsonl", sources: str = '["in/"]') -> Path:
    path = folder / "corpus.toml"
    output = f'[output]\nfolder = "corpus"\nformat = "{form}"\n'
    path.write_text(f"sources = {sources}\n{steps}\n{output}", encoding="utf-8")
    return path


def by_command(command: str, path: Path) -> tuple[list[str], list[str], dict]:
    """The records that the command writes, what it drops, and what it counts."""
    folder = path.parent
    run = [command, "corpus", "run", "--quiet", "--rejected", str(folder / "dropped"), str(path)]
    done = subprocess.run(run, check=False, capture_output=True, text=True, timeout=300)
    assert done.returncode in (0, 2), done.stderr
    manifest = json.loads((folder / "corpus" / "manifest.json").read_text(encoding="utf-8"))
    parts = [folder / "corpus" / part["name"] for part in manifest["parts"]]
    kept = [line for part in parts for line in lines_of(part)]
    parts = sorted((folder / "dropped").glob("part-*"))
    zstd = __import__("pyarrow").CompressedInputStream
    dropped = []
    for part in parts:
        with zstd(str(part), "zstd") as stream:
            dropped += stream.read().decode().splitlines()
    counts = dict(manifest["counts"], forgotten=manifest["forgotten"])
    return kept, dropped, counts


def lines_of(part: Path) -> list[str]:
    content = part.read_bytes()
    content = gzip.decompress(content) if part.suffix == ".gz" else content
    return content.decode().splitlines() if "jsonl" in part.name or part.suffix in (".txt", ".gz") else []


def mixed(folder: Path) -> None:
    """Archives with copies and damage, pages, lines of pages and of records, and a file whose name says nothing."""
    crawl(folder / "in", files=4, pages=12)
    for number in range(6):
        (folder / "in" / f"page-{number}.html").write_text(page(number, paragraphs=5))
    (folder / "in" / "packed.html.gz").write_bytes(gzip.compress(page(90).encode(), mtime=0))
    (folder / "in" / "image.html").write_bytes(b"\x89PNG\r\n\x1a\n" + b"\0" * 64)
    rows = [
        {"id": f"line-{n}", "url": f"https://a.example/{n % 6}", "html": page(200 + n)}
        for n in range(8)
    ]
    rows += [{"id": f"text-{n}", "text": text(n, words=150) + "\n"} for n in range(8)]
    lines = [json.dumps(row) for row in rows] + ["nonsense", '{"nothing": 1}']
    (folder / "lines.jsonl").write_text("\n".join(lines) + "\n")
    # Told by its first bytes, as its name says nothing.
    (folder / "more").write_text("\n".join(json.dumps(row) for row in rows[:3]) + "\n")


#: The columns of `tables`.
COLUMNS = 'columns = { html = "raw", url = "link", date = "crawled" }\n'


def tables(folder: Path) -> None:
    """Pages in a Parquet file of several groups of rows, and in an Arrow file; some rows have none."""
    import pyarrow as pa
    from pyarrow import feather, parquet

    for number, name in enumerate(("one.parquet", "two.arrow")):
        rows = [
            {
                "raw": None if n % 7 == 6 else page(100 * number + n % 9, paragraphs=6),
                "link": f"https://tables.example/{number}/{n}",
                "crawled": f"2026-11-{n + 1:02}T08:00:00Z",
            }
            for n in range(20)
        ]
        table = pa.Table.from_pylist(rows)
        if name.endswith(".parquet"):
            parquet.write_table(table, folder / name, row_group_size=6, compression="snappy")
        else:
            feather.write_feather(table, folder / name, chunksize=6)


def versions(texts: int, seed: int = 1) -> list[str]:
    """Texts of which many are versions of earlier ones, and of versions: chains that only the order decides."""
    draw = random.Random(seed)
    made: list[str] = []
    for number in range(texts):
        if not made or draw.random() < 0.3:
            made.append(text(1000 * seed + number, words=80))
            continue
        words = draw.choice(made[-20:]).split()
        for _ in range(draw.randint(0, 6)):
            words[draw.randrange(len(words))] = f"changed{draw.randrange(99)}"
        made.append(" ".join(words))
    return made


def write_texts(folder: Path, texts: list[str], urls: list[str] | None = None) -> None:
    (folder / "in").mkdir(parents=True, exist_ok=True)
    rows = [
        {"id": str(n), "text": one + "\n", **({"url": urls[n]} if urls else {})}
        for n, one in enumerate(texts)
    ]
    # Several files, so that several tasks read them.
    for part in range(3):
        some = "".join(json.dumps(row) + "\n" for row in rows[part::3])
        (folder / f"texts-{part}.jsonl").write_text(some)
