"""The pages of a benchmark run and the file that tells the runners about them."""

from hashlib import sha256
from pathlib import Path
from typing import NamedTuple


class Page(NamedTuple):
    set: str
    id: str
    rank: int
    """The place in the set's sampling order: a sample of N pages is those with a rank below N."""
    path: Path
    bytes: int


def select(sets_dir: Path, sets: list[str], limit: int | None) -> list[Page]:
    """The pages of the sets, or `limit` of each.

    The sampling order is that of the hashes of the names: the same on every machine, and a
    small sample is part of every larger one.
    """
    return [page for name in sets for page in _select_set(sets_dir, name)[:limit]]


def _select_set(sets_dir: Path, name: str) -> list[Page]:
    paths = sorted((sets_dir / name / "pages").glob("*.html"), key=_order)
    return [
        Page(name, path.stem, rank, path.resolve(), path.stat().st_size)
        for rank, path in enumerate(paths)
    ]


def _order(path: Path) -> bytes:
    return sha256(path.stem.encode()).digest()


def write(pages: list[Page], path: Path) -> Path:
    """Writes one page a line: the set, the rank and the path, with tabs between."""
    lines = (f"{page.set}\t{page.rank}\t{page.path}\n" for page in pages)
    path.write_text("".join(lines), encoding="utf-8")
    return path
