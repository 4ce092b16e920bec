"""The Python package beside the Rust library and beside other Python packages, on the same pages.

usage: bench/.venv/bin/python bench/python.py SETS_DIR [--sets a,b] [--pages N] [--rounds N] [--kilobytes LOW-HIGH]
                                              [--threads SECONDS]

`webstrata` must be installed in that environment as a release wheel (`python/wheels`), and the harness built
(`cargo build --release --no-default-features --manifest-path bench/Cargo.toml`). Tools take turns in every round; CPU time of the
process counts for one thread, wall time for several; the median of the rounds counts, the first is for warming up.
`--threads` works on pages with 8 threads for so long and prints the memory that the process has meanwhile.
"""

import argparse
import datetime
import json
import shlex
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

from harness import manifest

HARNESS = Path(__file__).resolve().parent / "target/release/webstrata-bench"


def tools() -> dict[str, Callable[[bytes, str], object]]:
    """What one page is given to, as bytes and as text."""
    import webstrata

    found: dict[str, Callable[[bytes, str], object]] = {
        "webstrata.extract(bytes)": lambda page, _: webstrata.extract(page).text,
        "webstrata.extract(str)": lambda _, text: webstrata.extract(text).text,
        "webstrata.extract(bytes, extractor='article')": (
            lambda page, _: webstrata.extract(page, extractor="article").text
        ),
    }
    try:
        from resiliparse.extract.html2text import extract_plain_text

        found["resiliparse"] = lambda _, text: extract_plain_text(text, main_content=True)
    except ImportError as error:
        print(f"left out: {error}", file=sys.stderr)
    try:
        import trafilatura

        found["trafilatura"] = lambda page, _: trafilatura.extract(page, include_comments=False)
    except ImportError as error:
        print(f"left out: {error}", file=sys.stderr)
    try:
        from readability import Document

        found["readability-lxml"] = lambda _, text: Document(text).summary()
    except ImportError as error:
        print(f"left out: {error}", file=sys.stderr)
    return found


def rust_seconds(listed: Path) -> float:
    """CPU seconds of the Rust call on all pages, after a round for warming up."""
    command = [HARNESS, "measure", listed, "1", "strata"]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    return sum(json.loads(line)["cpu_s"] for line in run.stdout.splitlines())


def cpu_seconds(work: Callable[[bytes, str], object], pages: list[tuple[bytes, str]]) -> float:
    """CPU seconds on all pages, after a round for warming up, as the harness of the Rust call has it."""
    for timed in (False, True):
        start = time.process_time()
        for page, text in pages:
            try:
                work(page, text)
            except Exception as error:  # noqa: BLE001, a peer may fall over; the rest counts
                if timed:
                    print(f"failed: {error!r:.100}", file=sys.stderr)
    return time.process_time() - start


def memory() -> int:
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


def soak(pages: list[tuple[bytes, str]], seconds: float) -> None:
    """Eight threads for so long; the memory should not grow."""
    import webstrata

    every = ("markdown", "html", "metadata", "links", "blocks")
    end = time.monotonic() + seconds
    counts = [0] * 8

    def work(number: int) -> None:
        while time.monotonic() < end:
            for page, _ in pages[number::8]:
                webstrata.extract(page, formats=every).to_json()
                counts[number] += 1

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    seen = []
    while any(thread.is_alive() for thread in threads):
        time.sleep(seconds / 12)
        seen.append(memory() // 1024)
    for thread in threads:
        thread.join()
    print(f"8 threads, {seconds:.0f} s: {sum(counts)} pages, memory in MB by time: {seen}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("sets_dir", type=Path)
    parser.add_argument("--sets", default="dragnet,wcxb-dev")
    parser.add_argument("--pages", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--kilobytes", default="80-125")
    parser.add_argument("--threads", type=float)
    args = parser.parse_args()
    low, high = (int(bound) * 1000 for bound in args.kilobytes.split("-"))
    chosen = manifest.select(args.sets_dir, args.sets.split(","), None)
    chosen = [page for page in chosen if low <= page.bytes <= high][: args.pages]
    read = [page.path.read_bytes() for page in chosen]
    pages = [(page, page.decode("utf-8", "replace")) for page in read]
    size = sum(len(page) for page, _ in pages)
    if args.threads:
        soak(pages, args.threads)
        return

    import webstrata

    print(f"{datetime.date.today()}, `{shlex.join(['bench/python.py', *sys.argv[1:]])}`: {len(pages)} pages of "
          f"{args.kilobytes} KB, {size / 1e6:.1f} MB, Python {sys.version.split()[0]}\n")
    known = tools()
    times: dict[str, list[float]] = {name: [] for name in ["Rust", *known]}
    walls: dict[int, list[float]] = {1: [], 2: []}
    with tempfile.TemporaryDirectory() as folder:
        listed = manifest.write(chosen, Path(folder) / "pages.tsv")
        for round_number in range(args.rounds + 1):
            now = {"Rust": rust_seconds(listed)}
            for name, work in known.items():
                now[name] = cpu_seconds(work, pages)
            for name, seconds in now.items():
                times[name] += [seconds] * (round_number > 0)
            for jobs in walls:
                start = time.perf_counter()
                for _ in webstrata.extract_many((page for page, _ in pages * 5), jobs=jobs):
                    pass
                walls[jobs] += [time.perf_counter() - start] * (round_number > 0)
    rust = statistics.median(times["Rust"])
    print("| tool | MB a second of CPU | times the Rust call |\n|---|---|---|")
    for name, found in times.items():
        middle = statistics.median(found)
        print(f"| {name} | {size / 1e6 / middle:.1f} | {middle / rust:.2f} |")
    ratios = [one / two for one, two in zip(walls[1], walls[2], strict=True)]
    print(f"\n`extract_many`, wall time of one job to two: {statistics.median(ratios):.2f} times "
          f"({min(ratios):.2f} to {max(ratios):.2f})")


if __name__ == "__main__":
    main()
