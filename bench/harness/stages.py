"""Instructions of the stages of a page's way, for `bench/guard`."""

import os
import platform
import re
import shutil
import subprocess
import tempfile
import tomllib
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from harness.runners import BENCH, Unavailable, build

COUNTS = BENCH / "guard.toml"
TOLERANCE = 0.02
"""The share by which a stage may cost more."""

ENVIRONMENT = {
    "PATH": os.defpath,
    "GLIBC_TUNABLES": ":".join((
        "glibc.malloc.tcache_count=0",
        "glibc.malloc.mmap_threshold=1073741824",
        "glibc.malloc.top_pad=268435456",
        "glibc.malloc.trim_threshold=1099511627776",
    )),
}
"""What the program sees. Tables with random seeds have their entries at other places in each run, and freed memory lies
otherwise then: with caches of it, and with maps that grow, two runs differ by up to 2 %, so by less than 0.1 %."""

CRATE = BENCH.parent / "crates" / "webstrata"
PAGES = (
    *(f"pages/{name}" for name in "arabic blog broken chinese docs forum hidden listing news product thai".split()),
    *(f"languages/{name}" for name in "ar de el en fi fr he hi ja ko ru zh-hans".split()),
)
"""Folders of invented pages. Another page would make other counts, so new ones are not taken by themselves."""

MACHINE = ("Linux", "x86_64")
SHOWN = {
    "start": "start",
    "tree": "read - cut",
    "cut": "cut",
    "features": "features - cut",
    "trees": "trees",
    "article": "article",
    "text": "text",
    "markdown": "markdown",
    "html": "html",
    "metadata": "metadata",
    "links": "links",
    "posts": "posts",
    "record": "record",
}
"""The stages, and the functions of `src/bin/stages.rs` whose counts they are."""


class Counts(NamedTuple):
    compiler: str
    machine: str
    pages: str
    """What tells one set of pages from another."""
    stages: dict[str, int]


def count() -> Counts:
    """Builds the program, runs it under callgrind and reads what each stage costs."""
    if (platform.system(), platform.machine()) != MACHINE:
        raise Unavailable(f"counts are those of {' on '.join(MACHINE)}")
    valgrind = _valgrind()
    binary = build(peers=False, only="stages") / "stages"
    pages = _pages()
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        # The command and the environment are the same everywhere: both lie on the stack of the program.
        command = [valgrind, "--tool=callgrind", f"--callgrind-out-file={out}", f"./{binary.name}"]
        done = subprocess.run(command, cwd=binary.parent, env=ENVIRONMENT, input=pages, capture_output=True)
        if done.returncode != 0:
            raise SystemExit(f"bench/guard: valgrind ended with {done.returncode}\n{done.stderr.decode()}")
        functions = inclusive(out.read_text("utf-8"))
    return Counts(_compiler(), "-".join(MACHINE), sha256(pages).hexdigest(), of_functions(functions))


def _valgrind() -> str:
    """Where valgrind is; on Debian it is installed where it is missing."""
    if shutil.which("valgrind") is None and shutil.which("apt-get"):
        install = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", "valgrind"]
        as_root = [] if os.geteuid() == 0 else ["sudo", "-n"]
        env = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
        for command in (["apt-get", "update", "-qq"], install):
            try:
                subprocess.run([*as_root, *command], env=env, stdout=subprocess.DEVNULL)
            except OSError as error:
                raise Unavailable(f"valgrind cannot be installed ({error})") from error
    found = shutil.which("valgrind")
    if found is None:
        raise Unavailable("valgrind is not installed")
    return found


def _compiler() -> str:
    done = subprocess.run(["rustc", "--version"], cwd=BENCH, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def _pages() -> bytes:
    """All pages, each behind a line with its length, and one long page made of all that are UTF-8."""
    pages = [(CRATE / "tests" / name / "page.html").read_bytes() for name in PAGES]
    pages.append(b"".join(page for page in pages if _is_utf8(page)))
    return b"".join(b"%d\n%b" % (len(page), page) for page in pages)


def _is_utf8(page: bytes) -> bool:
    try:
        page.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def inclusive(profile: str) -> dict[str, int]:
    """What the functions `stage_…` cost in all, with all that they call, by a file of callgrind's."""
    names: dict[str, str] = {}
    costs: dict[str, int] = {}
    called, is_cost = "", False
    for line in profile.splitlines():
        if line.startswith(("fn=", "cfn=")):
            key, _, name = line.partition("=")[2].partition(" ")
            if name:
                names[key] = name
            if line.startswith("cfn="):
                called = names[key]
        elif line.startswith("calls="):
            is_cost = True
        elif is_cost:
            # The place of the call, and what it cost.
            is_cost = False
            if stage := re.search(r"stages::stage_([a-z]+)", called):
                costs[stage[1]] = costs.get(stage[1], 0) + int(line.split()[-1])
    return costs


def of_functions(costs: dict[str, int]) -> dict[str, int]:
    """The stages' counts, given those of the functions."""

    def of(formula: str) -> int:
        whole, _, less = formula.partition(" - ")
        return costs[whole] - (costs[less] if less else 0)

    try:
        return {stage: of(formula) for stage, formula in SHOWN.items()}
    except KeyError as missing:
        raise SystemExit(f"bench/guard: callgrind names no function stage_{missing.args[0]}") from missing


def to_toml(counts: Counts) -> str:
    lines = [
        "# Instructions of the stages of a page's way, written by `bench/guard --update`.",
        f'compiler = "{counts.compiler}"',
        f'machine = "{counts.machine}"',
        f'pages = "{counts.pages}"',
        "",
        "[stages]",
        *(f"{stage} = {count}" for stage, count in counts.stages.items()),
    ]
    return "".join(f"{line}\n" for line in lines)


def from_toml(text: str) -> Counts:
    return Counts(**tomllib.loads(text))


def table(before: Counts, now: Counts) -> Iterable[str]:
    yield f"{'stage':10} {'before':>12} {'now':>12}"
    for stage, count in now.stages.items():
        was = before.stages.get(stage)
        change = "" if was is None else f"{count / was - 1:+8.2%}"
        yield f"{stage:10} {was or '–':>12} {count:>12} {change}"


def failures(before: Counts, now: Counts) -> Iterable[str]:
    """Why the counts cannot be left as they are."""
    again = "`bench/guard --update` writes the counts anew"
    if before.pages != now.pages:
        return [f"the pages of bench/guard are others: {again}"]
    if before.stages.keys() != now.stages.keys():
        return [f"the stages of bench/guard are others: {again}"]
    found = []
    for stage, count in now.stages.items():
        was = before.stages[stage]
        if count > was * (1 + TOLERANCE):
            loss = f"{count / was - 1:.1%} more instructions than before, at most {TOLERANCE:.0%} are allowed"
            found.append(f"the stage `{stage}` takes {loss}: if that is worth it, {again}")
    return found
