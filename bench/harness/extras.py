"""What is measured of webstrata alone: two threads, linear cost, memory, instructions."""

import re
import statistics
import subprocess
from collections.abc import Iterable
from pathlib import Path

from harness import manifest
from harness.manifest import Page
from harness.runners import Command, Unavailable, build, lines

REPEATS = ("1", "10", "100", "1000")
INSTRUCTION_PAGES = 40
"""How many pages of each set the instructions are counted on: counting is slow."""

KEEP_MEMORY = {"GLIBC_TUNABLES": "glibc.malloc.mmap_max=0:glibc.malloc.trim_threshold=1099511627776"}
"""Large buffers stay with the process between rounds, as small ones do anyway. Otherwise the largest
page alone pays for memory that the kernel clears anew in every round."""


def jobs(pages_file: Path, rounds: int) -> Iterable[str]:
    rows = lines([build(peers=False) / "webstrata-bench", "jobs", pages_file, str(rounds)])
    yield "| threads | wall s | MB/s | speed-up |"
    yield "|---:|---:|---:|---:|"
    for row in rows:
        speed = row["bytes"] / row["wall_s"] / 1e6
        gain = rows[0]["wall_s"] / row["wall_s"]
        yield f"| {row['threads']} | {row['wall_s']:.3f} | {speed:.0f} | {gain:.2f} |"


def linear(pages_file: Path, pages: list[Page], rounds: int) -> Iterable[str]:
    folder = build(peers=False)
    times = lines([folder / "webstrata-bench", "linear", pages_file, str(rounds)], KEEP_MEMORY)
    peaks = lines([folder / "peak", pages_file, *REPEATS])
    repeated = {row["repeat"]: row["peak"] for row in peaks if "repeat" in row}
    page = pages[times[0]["page"]]
    base = times[0]["cpu_s"] / times[0]["bytes"]
    yield f"The page of middle size is `{page.set}/{page.id}` with {page.bytes} bytes."
    yield ""
    yield "| repeated | bytes | ns a byte | to 1× | peak memory ÷ bytes |"
    yield "|---:|---:|---:|---:|---:|"
    for row in times:
        cost = row["cpu_s"] / row["bytes"]
        peak = repeated[row["repeat"]] / row["bytes"]
        cells = f"{row['bytes']} | {cost * 1e9:.2f} | {cost / base:.2f} | {peak:.2f}"
        yield f"| {row['repeat']} | {cells} |"
    yield ""
    multiples = sorted(
        (row["peak"] / pages[row["page"]].bytes, row["page"])
        for row in peaks
        if "page" in row and pages[row["page"]].bytes
    )
    most, line = multiples[-1]
    middle = statistics.median(multiple for multiple, _ in multiples)
    yield (
        f"Peak memory over all {len(multiples)} pages, as a multiple of the page: median "
        f"{middle:.2f}, most {most:.2f} (`{pages[line].set}/{pages[line].id}`, "
        f"{pages[line].bytes} bytes)."
    )


def instructions(pages: list[Page], scratch: Path) -> Iterable[str]:
    """One pass over the pages taken from two: start-up and reading cancel out."""
    binary = build(peers=False) / "webstrata-bench"
    yield "| set | pages | bytes | flat text | a byte | structured text | with Markdown, metadata, links, posts |"
    yield "|---|---:|---:|---:|---:|---:|---:|"
    total_bytes, total_pages, totals = 0, 0, [0, 0, 0]
    for name in dict.fromkeys(page.set for page in pages):
        chosen = [page for page in pages if page.set == name and page.rank < INSTRUCTION_PAGES]
        sample = manifest.write(chosen, scratch / "sample.tsv")
        counts = [
            _count(binary, sample, 2, tool, scratch) - _count(binary, sample, 1, tool, scratch)
            for tool in ("strata", "strata-text", "strata-all")
        ]
        size = sum(page.bytes for page in chosen)
        yield _instruction_row(name, len(chosen), size, counts)
        total_bytes, total_pages = total_bytes + size, total_pages + len(chosen)
        totals = [total + count for total, count in zip(totals, counts)]
    yield _instruction_row("all", total_pages, total_bytes, totals)


def _instruction_row(name: str, pages: int, size: int, counts: list[int]) -> str:
    """Structured text as a ratio to flat text, all outputs as one to structured text."""
    flat, text, everything = counts
    of_flat, of_text = text / max(flat, 1), everything / max(text, 1)
    a_byte = flat / max(size, 1)
    return f"| {name} | {pages} | {size} | {flat} | {a_byte:.2f} | {of_flat:.2f}× | {of_text:.2f}× |"


def _count(binary: Path, sample: Path, passes: int, tool: str, scratch: Path) -> int:
    counter = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={scratch / 'callgrind.out'}"]
    command: Command = [*counter, binary, "passes", sample, str(passes), tool]
    try:
        done = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=True)
    except OSError as error:
        raise Unavailable(f"valgrind is not installed ({error})") from error
    except subprocess.CalledProcessError as error:
        raise Unavailable(f"valgrind ended with status {error.returncode}") from error
    found = re.search(r"Collected\s*:\s*(\d+)", done.stderr)
    if found is None:
        raise Unavailable("callgrind printed no count")
    return int(found[1])
