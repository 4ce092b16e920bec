"""Archives in bulk: gzip WARC in, JSON lines out, `webstrata warc` beside FastWARC and resiliparse.

usage: bench/.venv/bin/python bench/bulk.py WEBSTRATA SETS_DIR [--pages N] [--rounds N] [--keep FILE.warc.gz]

Pages of benchmark sets go into one archive, a gzip member each. Every round runs each tool over it
in a process of its own, one thread; CPU time of the whole process for webstrata, without the start
of Python for the peers. The best round counts. FastWARC alone reads every page and does nothing
with it.
"""

import argparse
import gzip
import io
import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from harness import manifest

SETS = ["dragnet", "l3s-gn1", "wcxb-dev"]
SCRIPT = Path(__file__).resolve()


def record(kind: str, number: int, page: bytes) -> bytes:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nServer: none\r\n\r\n"
    block = head + page
    fields = (
        f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Date: 2026-11-15T08:00:00Z\r\n"
        f"WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-{number:012d}>\r\n"
        f"WARC-Target-URI: https://example.org/{number}\r\n"
        "Content-Type: application/http; msgtype=response\r\n"
        f"Content-Length: {len(block)}\r\n\r\n"
    )
    return fields.encode() + block + b"\r\n\r\n"


def make(archive: Path, sets_dir: Path, limit: int | None) -> tuple[int, int]:
    """Writes the archive; returns the number of pages and their bytes."""
    pages = manifest.select(sets_dir, SETS, limit)
    with archive.open("wb") as file:
        for number, page in enumerate(pages):
            member = io.BytesIO()
            with gzip.GzipFile(fileobj=member, mode="wb", compresslevel=6, mtime=0) as packed:
                packed.write(record("response", number, page.path.read_bytes()))
            file.write(member.getvalue())
    return len(pages), sum(page.bytes for page in pages)


def cpu(command: list[str | Path]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def ours(program: Path, archive: Path, out: Path, *options: str) -> float:
    shutil.rmtree(out, ignore_errors=True)
    return cpu([program, "warc", "--quiet", "--jobs", "1", *options, "--out", out, archive])


def theirs(tool: str, archive: Path, out: Path) -> float:
    command = [sys.executable, SCRIPT, "--peer", tool, archive, out]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return float(done.stdout)


def peer(tool: str, archive: str, out: str) -> None:
    """What a process of a peer does; prints its CPU time."""
    from fastwarc.warc import ArchiveIterator, WarcRecordType
    from resiliparse.extract.html2text import extract_plain_text
    from resiliparse.parse.encoding import bytes_to_str, detect_encoding

    start = time.process_time()
    with open(out, "w", encoding="utf-8", buffering=1 << 18) as file:
        for page in ArchiveIterator(archive, record_types=WarcRecordType.response, parse_http=True):
            is_page = page.http_content_type in ("text/html", "application/xhtml+xml")
            if not is_page or not 200 <= (page.http_headers.status_code or 200) < 300:
                continue
            body = page.reader.read()
            if tool == "fastwarc":
                continue
            html = bytes_to_str(body, page.http_charset or detect_encoding(body))
            line = {
                "url": page.headers.get("WARC-Target-URI"),
                "date": page.headers.get("WARC-Date"),
                "id": page.record_id,
                "offset": page.stream_pos,
                "text": extract_plain_text(html, main_content=True),
            }
            file.write(json.dumps(line, ensure_ascii=False))
            file.write("\n")
    print(time.process_time() - start)


def main() -> None:
    if sys.argv[1:2] == ["--peer"]:
        return peer(*sys.argv[2:])
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=Path, help="webstrata, built with the profile dist")
    parser.add_argument("sets_dir", type=Path, help="holds SET/pages/*.html for each set")
    parser.add_argument("--pages", type=int, default=400, help="of each set (%(default)s)")
    parser.add_argument("--rounds", type=int, default=3, help="(%(default)s)")
    parser.add_argument("--keep", type=Path, help="keep the archive here, or use it if it is there")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        archive = args.keep or scratch / "pages.warc.gz"
        count, size = make(archive, args.sets_dir, args.pages)
        lines, out = scratch / "lines.jsonl", scratch / "out"
        program = args.program.resolve()
        tools = {
            "webstrata warc": lambda: ours(program, archive, out),
            "webstrata warc --compress none": lambda: ours(program, archive, out, "--compress", "none"),
            "webstrata warc --format parquet": lambda: ours(program, archive, out, "--format", "parquet"),
            "webstrata warc --extractor article": lambda: ours(
                program, archive, out, "--extractor", "article"
            ),
            "FastWARC and resiliparse": lambda: theirs("resiliparse", archive, lines),
            "FastWARC alone": lambda: theirs("fastwarc", archive, lines),
        }
        times: dict[str, list[float]] = {name: [] for name in tools}
        for _ in range(args.rounds):
            for name, run in tools.items():
                times[name].append(run())
        print(f"{count} pages, {size / 1e6:.1f} MB, {archive.stat().st_size / 1e6:.1f} MB as gzip\n")
        print("| tool | CPU s | MB/s of pages | times as fast as FastWARC and resiliparse |")
        print("|---|---:|---:|---:|")
        peer_time = min(times["FastWARC and resiliparse"])
        for name, seconds in times.items():
            best = min(seconds)
            print(f"| {name} | {best:.2f} | {size / 1e6 / best:.0f} | {peer_time / best:.2f} |")


if __name__ == "__main__":
    main()
