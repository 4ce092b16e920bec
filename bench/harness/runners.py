"""Starts the runners, one for each language, and gathers what they measured."""

import json
import os
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

BENCH = Path(__file__).resolve().parent.parent
Row = dict[str, Any]
Command = list[str | Path]
JARS = ("boilerpipe", "nekohtml", "xercesImpl", "xml-apis")


class Tool(NamedTuple):
    runner: Literal["rust", "python", "java"]
    input: Literal["bytes", "text"]
    table: Literal["extractors", "parsers"] = "extractors"
    cap: int | None = None
    """How many pages of each set a slow tool gets."""
    crate: str | None = None
    """Where the version of a Rust tool stands in the lock file."""


TOOLS = {
    "strata": Tool("rust", "bytes", crate="webstrata"),
    "article": Tool("rust", "bytes", crate="webstrata"),
    "default": Tool("rust", "bytes", crate="webstrata"),
    "keep-all": Tool("rust", "bytes", crate="webstrata"),
    "strata-all": Tool("rust", "bytes", crate="webstrata"),
    "resiliparse": Tool("python", "text"),
    "turbohtml": Tool("python", "text"),
    "dom_smoothie": Tool("rust", "text", crate="dom_smoothie"),
    "boilerpipe": Tool("java", "text"),
    "rs-trafilatura": Tool("rust", "text", cap=200, crate="rs-trafilatura"),
    "trafilatura": Tool("python", "bytes", cap=100),
    "html5gum": Tool("rust", "text", "parsers", crate="html5gum"),
    "html5ever-tokenizer": Tool("rust", "text", "parsers", crate="html5ever"),
    "html5ever-tree": Tool("rust", "text", "parsers", crate="html5ever"),
}


class Sample(NamedTuple):
    cpu_s: float
    out: int


@dataclass
class Results:
    samples: dict[str, dict[int, Sample]] = field(default_factory=dict)
    """For each tool and line of the manifest what was measured."""
    skipped: dict[str, str] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)

    def add(self, row: Row) -> None:
        if "skipped" in row:
            self.skipped[row["tool"]] = row["skipped"]
        elif "version" in row:
            self.versions[row["tool"]] = row["version"]
        else:
            pages = self.samples.setdefault(row["tool"], {})
            pages[row["page"]] = Sample(row["cpu_s"], row["out"])


class Unavailable(Exception):
    """Why something cannot be measured here."""


def lines(command: Command, environment: dict[str, str] | None = None) -> list[Row]:
    """Runs a command and reads its JSON lines."""
    print("$", *command, file=sys.stderr, flush=True)
    try:
        env = os.environ | (environment or {})
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=env)
    except OSError as error:
        raise Unavailable(str(error)) from error
    except subprocess.CalledProcessError as error:
        program = Path(command[0]).name
        raise Unavailable(f"{program} ended with status {error.returncode}") from error
    return [json.loads(line) for line in done.stdout.splitlines()]


def build(peers: bool, only: str | None = None) -> Path:
    """Builds the Rust binaries, or one of them, and returns the folder that they are in."""
    features = [] if peers else ["--no-default-features"]
    chosen = ["--bin", only] if only else []
    command = ["cargo", "build", "--release", "--quiet", "--locked", *features, *chosen]
    try:
        subprocess.run(command, cwd=BENCH, check=True)
    except OSError as error:
        raise Unavailable(f"cargo is not installed ({error})") from error
    except subprocess.CalledProcessError as error:
        raise Unavailable(f"cargo build ended with status {error.returncode}") from error
    return BENCH / os.environ.get("CARGO_TARGET_DIR", "target") / "release"


def measure(manifest: Path, rounds: int, names: list[str]) -> Results:
    """Runs the tools, those of one language in one process."""
    results = Results()
    for runner, command in (("rust", _rust), ("python", _python), ("java", _java)):
        chosen = [name for name in names if TOOLS[name].runner == runner]
        if not chosen:
            continue
        try:
            for row in lines([*command(chosen), manifest, str(rounds), *map(_spec, chosen)]):
                results.add(row)
        except Unavailable as reason:
            for name in chosen:
                results.skipped.setdefault(name, str(reason))
    results.versions |= _versions(names)
    return results


def _spec(name: str) -> str:
    cap = TOOLS[name].cap
    return name if cap is None else f"{name}:{cap}"


def _rust(names: list[str]) -> Command:
    peers = any(TOOLS[name].crate != "webstrata" for name in names)
    try:
        folder = build(peers)
    except Unavailable:
        # Without the peers, their lines say so and webstrata is measured all the same.
        if not peers:
            raise
        folder = build(peers=False)
    return [folder / "webstrata-bench", "measure"]


def _python(_: list[str]) -> Command:
    return [python(), BENCH / "peers.py"]


def python() -> str | Path:
    """The interpreter that has the Python peers: `BENCH_PYTHON` or one installed here."""
    if given := os.environ.get("BENCH_PYTHON"):
        return given
    venv = BENCH / ".venv"
    interpreter = venv / "bin" / "python"
    if not interpreter.exists():
        pip: Command = [interpreter, "-m", "pip", "install", "--quiet"]
        try:
            subprocess.run([sys.executable, "-m", "venv", venv], check=True)
            subprocess.run([*pip, "-r", BENCH / "requirements.txt"], check=True)
        except (OSError, subprocess.CalledProcessError) as error:
            shutil.rmtree(venv, ignore_errors=True)
            raise Unavailable(f"the Python peers could not be installed: {error}") from error
    return interpreter


def _java(_: list[str]) -> Command:
    if shutil.which("java") is None:
        raise Unavailable("java is not installed")
    jars = [_jar_folder() / f"{name}.jar" for name in JARS]
    # The last one is part of newer Java versions themselves.
    if missing := [str(jar) for jar in jars[:-1] if not jar.exists()]:
        raise Unavailable(f"no {', '.join(missing)} (Debian package libboilerpipe-java)")
    path = os.pathsep.join(map(str, jars))
    return ["java", "-Xmx4g", "-XX:+UseSerialGC", "-cp", path, BENCH / "Boilerpipe.java"]


def _jar_folder() -> Path:
    return Path(os.environ.get("BENCH_JARS", "/usr/share/java"))


def _versions(names: list[str]) -> dict[str, str]:
    """The versions of the Rust tools, from the lock file, and of boilerpipe, from its jar."""
    lock = BENCH / "Cargo.lock"
    packages = tomllib.loads(lock.read_text("utf-8"))["package"] if lock.exists() else []
    # Some are there in two versions: ours is the newest.
    found = {package["name"]: package["version"] for package in packages}
    # The jar is a link to one with the version in its name.
    jar = (_jar_folder() / "boilerpipe.jar").resolve().stem
    versions = {"boilerpipe": jar.partition("-")[2]} if "boilerpipe" in names else {}
    for name in names:
        if (crate := TOOLS[name].crate) in found:
            versions[name] = found[crate]
    return versions
