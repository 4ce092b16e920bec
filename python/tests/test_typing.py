"""Types, as people use them. That the stubs are what is there is for `mypy.stubtest` to say; see `python/test`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


def run(tmp_path: Path, *arguments: str) -> None:
    command = [sys.executable, "-m", *arguments]
    # Elsewhere than beside the sources: what is installed is looked at.
    done = subprocess.run(command, check=False, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_usage(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    run(
        tmp_path, "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), str(HERE / "usage.py")
    )
