"""Invented web archives for tests."""

from __future__ import annotations

import gzip
import random
import subprocess
from pathlib import Path

_WORDS = [
    "harbour",
    "tide",
    "ferry",
    "island",
    "pilot",
    "lamp",
    "crew",
    "storm",
    "rope",
    "mast",
    "anchor",
    "keel",
    "deck",
    "captain",
    "coast",
    "current",
    "buoy",
    "chart",
    "wind",
    "water",
    "evening",
    "morning",
    "report",
    "office",
    "table",
    "engine",
    "signal",
    "bridge",
]


def text(seed: int, words: int = 60) -> str:
    """Sentences that nobody wrote."""
    draw = random.Random(seed)
    sentences = []
    while words > 0:
        size = draw.randint(8, 16)
        chosen = [draw.choice(_WORDS) for _ in range(size)]
        sentences.append(" ".join(chosen).capitalize() + ".")
        words -= size
    return " ".join(sentences)


def page(seed: int, site: str = "harbour.example", paragraphs: int = 4) -> str:
    """A page with a template around its text."""
    menu = "".join(
        f'<li><a href="/{name}">{name.title()}</a>' for name in ("news", "tides", "jobs")
    )
    body = "".join(f"<p>{text(seed * 31 + number)}</p>" for number in range(paragraphs))
    return (
        f'<html lang="en"><head><title>Report {seed} - {site}</title></head><body><ul>{menu}</ul>'
        f"<h1>Report {seed} of the harbour</h1>{body}"
        f'<p class="note">All times of {site} are those of the lighthouse, and the office of the harbour '
        f"does not answer for them.</p>"
        f'<a href="https://other.example/{seed}">Next</a></body></html>'
    )


def record(
    url: str, html: bytes, *, number: int = 0, status: str = "200 OK", charset: str = "utf-8"
) -> bytes:
    """A record of a server's answer."""
    head = f"HTTP/1.1 {status}\r\nContent-Type: text/html; charset={charset}\r\n\r\n".encode()
    block = head + html
    fields = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:{number:012d}>\r\n"
        f"WARC-Target-URI: {url}\r\nWARC-Date: 2026-11-{1 + number % 28:02d}T08:00:00Z\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(block)}\r\n\r\n"
    )
    return fields.encode() + block + b"\r\n\r\n"


def pack(records: list[bytes], packing: str | None) -> bytes:
    """The records of an archive, each a member of its own."""
    if packing == "gz":
        return b"".join(gzip.compress(one, mtime=0) for one in records)
    if packing == "zst":
        import pyarrow

        codec = pyarrow.Codec("zstd")
        return b"".join(codec.compress(one, asbytes=True) for one in records)
    return b"".join(records)


def crawl(folder: Path, *, files: int = 4, pages: int = 12) -> list[Path]:
    """A crawl: plain, gzip and zstd archives of three sites with templates, copies and things that are broken."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for file in range(files):
        records = [b"WARC/1.0\r\nWARC-Type: warcinfo\r\nContent-Length: 4\r\n\r\nhi\r\n\r\n\r\n"]
        for number in range(pages):
            seed = file * pages + number
            site = ("harbour.example", "ferry.example", "lamp.example")[seed % 3]
            url = f"https://www.{site}/reports/{seed}"
            # Every seventh page repeats an earlier one, but for a few words.
            again = seed % 7 == 6
            html = page(seed - 5 if again else seed, site)
            if again:
                html = html.replace("Next", "More")
            records.append(record(url, html.encode(), number=seed))
        records.insert(
            3, record("https://www.lamp.example/a.pdf", b"%PDF-1.7 nothing", number=900 + file)
        )
        records.insert(
            5,
            record("https://www.lamp.example/gone", b"<p>Gone", number=950, status="404 Not Found"),
        )
        records.insert(
            6,
            record(
                "https://www.lamp.example/old",
                "<p>Die Fähre fährt.".encode("latin-1"),
                charset="iso-8859-1",
            ),
        )
        packing = ("gz", "zst", None)[file % 3]
        members = [pack([one], packing) for one in records]
        # One record is broken in its middle.
        broken = bytearray(members[8])
        if packing is None:
            broken[:] = broken[: len(broken) // 2]
        else:
            broken[len(broken) // 2 : len(broken) // 2 + 8] = b"\xff" * 8
        members[8] = bytes(broken)
        ending = f".{packing}" if packing else ""
        path = folder / f"crawl-{file:02d}.warc{ending}"
        path.write_bytes(b"".join(members))
        paths.append(path)
    return paths


def lines(command: str, arguments: list[str], out: Path, cwd: Path) -> list[str]:
    """The records that the command line writes."""
    run = [command, "warc", *arguments, "--out", str(out), "--compress", "none", "--quiet"]
    done = subprocess.run(run, cwd=cwd, check=False, capture_output=True, text=True, timeout=300)
    assert done.returncode in (0, 2), done.stderr
    found = []
    for part in sorted(out.glob("part-*.jsonl")):
        found += part.read_text(encoding="utf-8").splitlines()
    return found
