"""How the tests run: properties without a clock, since machines may be busy; and what they share."""

from __future__ import annotations

import json
import os
import shutil
import subprocess

import cluster
import pytest
from hypothesis import settings

settings.register_profile("webstrata", deadline=None, print_blob=True)
settings.load_profile("webstrata")


@pytest.fixture(scope="session")
def spark(tmp_path_factory):
    """A cluster for all tests: starting one takes longer than most of them."""
    session = cluster.started(tmp_path_factory.mktemp("spark"))
    yield session
    session.stop()


@pytest.fixture(scope="session")
def cases():
    """What examples/cases of the library writes: random pages, requests and records."""
    program = os.environ.get("WEBSTRATA_CASES")
    if not program:
        pytest.skip("no cases to compare with; set WEBSTRATA_CASES")
    done = subprocess.run([program, "500"], check=True, capture_output=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture(scope="session")
def command():
    """The command line, to compare with."""
    found = os.environ.get("WEBSTRATA_COMMAND") or shutil.which("webstrata")
    if not found:
        pytest.skip("no command line to compare with; set WEBSTRATA_COMMAND")
    return found
