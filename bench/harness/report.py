"""The tables: throughput, and how many times as fast as each tool webstrata is."""

import json
import platform
import subprocess
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from harness.manifest import Page
from harness.runners import BENCH, TOOLS, Results

OURS = "strata"


def header(command: str, pages: list[Page], sets: list[str], rounds: int) -> Iterable[str]:
    now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    yield f"# Benchmark of {now}"
    yield ""
    yield f"- command: `{command}`"
    yield f"- commit: {_said('git', 'describe', '--always', '--dirty')}"
    yield f"- machine: {_processor()}, {platform.system()} {platform.machine()}"
    yield f"- compiler: {_said('rustc', '--version')}"
    for name in sets:
        chosen = [page for page in pages if page.set == name]
        size = sum(page.bytes for page in chosen) / 1e6
        yield f"- {name}: {len(chosen)} pages, {size:.1f} MB"
    yield f"- rounds: {rounds} after one to warm up; the median of each page counts"


def _said(*command: str) -> str:
    try:
        done = subprocess.run(command, cwd=BENCH, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return done.stdout.strip()


def _processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text("utf-8")
    except OSError:
        return platform.processor()
    names = [line.partition(":")[2].strip() for line in text.splitlines() if "model name" in line]
    return f"{names[0]} ({len(names)} CPUs)" if names else platform.processor()


def table(results: Results, pages: list[Page], names: list[str], sets: list[str]) -> Iterable[str]:
    """A row for each tool: MB/s, and in brackets the times by which webstrata is faster."""
    columns = [*sets, "all"] if len(sets) > 1 else sets
    yield f"| tool | version | from | {' | '.join(columns)} | pages | without text |"
    yield f"|---|---|---|{'---:|' * len(columns)}---:|---:|"
    for name in names:
        if name not in results.samples:
            continue
        samples = results.samples[name]
        cells = [_cell(results, pages, name, None if it == "all" else it) for it in columns]
        version = results.versions.get(name, "")
        empty = sum(sample.out == 0 for sample in samples.values())
        row = [name, version, TOOLS[name].input, *cells, str(len(samples)), str(empty)]
        yield f"| {' | '.join(row)} |"
    for name in names:
        if name in results.skipped:
            yield f"\nskipped: {name}: {results.skipped[name]}"


def _cell(results: Results, pages: list[Page], name: str, only: str | None) -> str:
    """The throughput on a tool's pages, and webstrata's time on those very pages beside it."""
    samples = {
        line: sample
        for line, sample in results.samples[name].items()
        if only is None or pages[line].set == only
    }
    if not samples:
        return "–"
    seconds = sum(sample.cpu_s for sample in samples.values())
    speed = f"{sum(pages[line].bytes for line in samples) / seconds / 1e6:.1f}"
    ours = results.samples.get(OURS, {})
    if TOOLS[name].crate == "webstrata" or not samples.keys() <= ours.keys():
        return speed
    return f"{speed} ({seconds / sum(ours[line].cpu_s for line in samples):.1f}×)"


def json_lines(results: Results, pages: list[Page]) -> Iterable[str]:
    for name, samples in results.samples.items():
        for line, sample in samples.items():
            page = pages[line]
            row = {"tool": name, "id": page.id, "set": page.set, "bytes": page.bytes}
            yield json.dumps(row | sample._asdict())
    for name, reason in results.skipped.items():
        yield json.dumps({"tool": name, "skipped": reason})
